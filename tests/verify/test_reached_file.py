"""Where a file is: the proof finds it out by itself, and believes the plan of a URI only what its path allows."""

import os

import pytest

from urdf_tools import simplify
from urdf_tools.verify.verify_looks import reached_file

FILES = {
    "package://pkg/a/b.stl": "/ws/src/pkg/a/b.stl",
    "package://pkg/a%20b.stl": "/ws/pkg/a b.stl",
    "package://pkg/../other/c.stl": "/ws/pkg/../other/c.stl",
    "file:///ws/d.stl": "/ws/d.stl",
    "package://pkg/e.stl": "/ws/pkg/other.stl",
    "package://pkg/g.stl": "/ws/pkg/bag.stl",
    "f.stl": "/elsewhere/f.stl",
}


@pytest.mark.parametrize(
    ("name", "reached"),
    (
        ("package://pkg/a/b.stl", "/ws/src/pkg/a/b.stl"),
        ("package://pkg/a%20b.stl", "/ws/pkg/a b.stl"),
        ("package://pkg/../other/c.stl", "/ws/other/c.stl"),
        ("file:///ws/d.stl", "/ws/d.stl"),
        ("package://pkg/e.stl", "package://pkg/e.stl"),
        ("package://pkg/g.stl", "package://pkg/g.stl"),
        ("package://unknown/x.stl", "package://unknown/x.stl"),
        ("f.stl", "/here/f.stl"),
        (" ./f.stl ", "/here/f.stl"),
    ),
)
def test_what_a_name_reaches(name, reached):
    assert reached_file(name, "/here", FILES) == (
        os.path.realpath(reached) if reached.startswith("/") else reached
    )


def test_a_name_in_the_spelling_of_urls_is_found(tmp_path):
    tmp_path.joinpath("my part.stl").write_bytes(bytes(84))
    tmp_path.joinpath("robot.urdf").write_text(
        "<robot name='r'><link name='a'><visual><geometry><mesh filename='my%20part.stl'/></geometry></visual></link>"
        "</robot>",
        "utf-8",
    )
    result = simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf", mesh_paths="relative")
    assert "filename='my part.stl'" in result.text
