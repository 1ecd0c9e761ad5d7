"""A reference that means one file for both robots is that file, whatever is in it, also where nobody can open it."""

import os
import random
import shutil

import pytest
from commands import in_process
from conftest import examples, ROOT, SEEDS
from hypothesis import given
from mesh_files import binary_stl
from random_robots import Traits, write_robot
from surfaces import box

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.referenced_file import meant_file
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.compare.difference_kinds import text_of


def robot_of_meshes(*names, role="visual"):
    """Return a URDF of one link with these meshes."""
    shapes = "".join(
        f'<{role}><geometry><mesh filename="{name}"/></geometry></{role}>' for name in names
    )
    return f'<robot name="r"><link name="base">{shapes}</link></robot>'


def compared(folder, first, second):
    """Return the comparison of two texts, written to these files below a folder."""
    robots = []
    for name, text in (first, second):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        robots.append(read_robot_of(path))
    return compare(*robots)


NOTE = "are not there, and both files name them: they were not opened"


@pytest.mark.parametrize("role", ("visual", "collision"))
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a.urdf", "meshes/gone.stl"), ("b.urdf", "meshes/gone.stl")),
        (("a.urdf", "meshes/gone.stl"), ("b.urdf", "./meshes/../meshes/gone.stl")),
        (("x/a.urdf", "gone.stl"), ("y/b.urdf", "../x/gone.stl")),
        (("x/a.urdf", "package://arm/gone.stl"), ("y/b.urdf", "package://arm/gone.stl")),
        (("x/a.urdf", "model://arm/gone.stl"), ("y/b.urdf", "model://arm/./gone.stl")),
        (("x/a.urdf", "/nowhere/gone.stl"), ("y/b.urdf", "/nowhere/gone.stl")),
        (("x/a.urdf", "file:///nowhere/gone.stl"), ("y/b.urdf", "/nowhere/gone.stl")),
    ],
)
def test_a_missing_mesh_that_both_name_is_one_note(first, second, role, tmp_path):
    (path, name), (other_path, other_name) = first, second
    found = compared(
        tmp_path,
        (path, robot_of_meshes(name, "package://arm/more.dae", role=role)),
        (other_path, robot_of_meshes(other_name, "package://arm/more.dae", role=role)),
    )
    assert (found.verdict, found.exit_code) == ("same", 0)
    assert found.notes == (f"mesh {name}, package://arm/more.dae {NOTE}",)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("x/a.urdf", "meshes/gone.stl"), ("y/b.urdf", "meshes/gone.stl")),
        (("a.urdf", "left/gone.stl"), ("b.urdf", "right/gone.stl")),
        (("a.urdf", "gone.stl"), ("b.urdf", "gone.obj")),
        (("a.urdf", "package://left/gone.stl"), ("b.urdf", "package://right/gone.stl")),
        (("a.urdf", "package://left/gone.stl"), ("b.urdf", "model://left/gone.stl")),
    ],
)
def test_missing_meshes_that_may_be_two_files_are_unproven(first, second, tmp_path):
    found = compared(tmp_path, *((path, robot_of_meshes(name)) for path, name in (first, second)))
    assert (found.verdict, found.exit_code) == ("unproven", 1)
    assert [one.kind for one in found.unproven] == ["mesh_missing"]


def test_a_mesh_that_only_one_side_finds_may_be_another(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "part.stl").write_bytes(binary_stl(box((0, 0, 0), (1, 1, 1))))
    text = robot_of_meshes("part.stl")
    assert compared(tmp_path, ("x/a.urdf", text), ("y/b.urdf", text)).verdict == "unproven"


def robot_of_image(name):
    """Return a URDF of one box with an image."""
    return (
        '<robot name="r"><link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="m">'
        f'<color rgba="1 0 0 1"/><texture filename="{name}"/></material></visual></link></robot>'
    )


@pytest.mark.parametrize(
    ("first", "second", "verdict", "kinds"),
    [
        (("a.urdf", "t.png"), ("b.urdf", "./t.png"), "same", []),
        (("x/a.urdf", "package://arm/t.png"), ("y/b.urdf", "package://arm/t.png"), "same", []),
        (("x/a.urdf", "t.png"), ("y/b.urdf", "t.png"), "unproven", ["image_missing"]),
        (("a.urdf", "left/t.png"), ("b.urdf", "right/t.png"), "unproven", ["image_missing"]),
        (("a.urdf", "t.png"), ("b.urdf", "u.png"), "limits", ["shape_text"]),
        (("a.urdf", "there.png"), ("b.urdf", "x/there.png"), "unproven", ["image_missing"]),
    ],
)
def test_a_missing_image_is_the_same_where_both_name_one_file(
    first, second, verdict, kinds, tmp_path
):
    (tmp_path / "there.png").write_bytes(b"no image")
    texts = [(path, robot_of_image(name)) for path, name in (first, second)]
    found = compared(tmp_path, *texts)
    assert (found.verdict, [one.kind for one in found.counted]) == (verdict, kinds)
    noted = [f"image {first[1]} is not there, and both files name it: it was not opened"]
    assert [*found.notes] == (noted if verdict == "same" else [])


@pytest.mark.parametrize("data", (b"no mesh", b"ply\n", b""))
def test_one_file_is_the_same_whatever_is_in_it(data, tmp_path):
    """A format that is not read, a broken file, an empty one."""
    for name in (
        "part.ply",
        "part.glb",
        "part.gltf",
        "part.dae",
        "part.obj",
        "part.stl",
        "part.abc",
    ):
        (tmp_path / name).write_bytes(data)
        text = robot_of_meshes(name)
        # Another text, so that the robots are not the same for this reason alone.
        found = compared(tmp_path, ("a.urdf", text), ("b.urdf", f"{text}<!-- b -->"))
        assert (found.verdict, found.exit_code) == ("same", 0), name


@pytest.mark.parametrize("broken", (None, b"ply\n"))
def test_a_mesh_that_cannot_be_opened_leaves_the_others_compared_by_their_surfaces(
    broken, tmp_path
):
    """A union of visuals of other names, as a converter writes them, with a mesh that is missing or not read."""
    for number in range(3):
        data = binary_stl(box((number, 0, 0), (number + 0.5, 1, 1)))
        for name in (f"part{number}.stl", f"{number}_2.stl"):
            (tmp_path / name).write_bytes(data)
    if broken is not None:
        (tmp_path / "gone.abc").write_bytes(broken)
    first = robot_of_meshes("part0.stl", "part1.stl", "part2.stl", "gone.abc")
    second = robot_of_meshes("0_2.stl", "1_2.stl", "2_2.stl")
    found = compared(tmp_path, ("a.urdf", first), ("b.urdf", second))
    assert list(map(text_of, found.counted)) == ["base: visual gone is only in A"]
    # One of them is another surface: that is a difference still.
    (tmp_path / "2_2.stl").write_bytes(binary_stl(box((2, 0, 0), (2.6, 1, 1))))
    assert len(compared(tmp_path, ("a.urdf", first), ("b.urdf", second)).counted) > 1


def test_names_of_one_file():
    folder = os.path.join(os.sep, "robots", "arm")
    assert meant_file(r"meshes\a.stl", folder) == meant_file(" meshes/a.stl", folder)
    assert meant_file("package://arm/a.stl", folder) == meant_file("PACKAGE:///arm/b/../a.stl", "")
    assert meant_file("../arm/a.stl", folder) == meant_file("a.stl", folder)
    assert meant_file("a.stl", folder) != meant_file("A.stl", folder)


@examples(25, fuzzed=1000)
@given(seed=SEEDS)
def test_a_random_robot_is_the_same_as_itself(seed):
    """None of its meshes is there."""
    text = write_robot(random.Random(seed), Traits(links=6, hostile=0.0)).encode()
    found = compare(read_bytes(text, "a.urdf"), read_bytes(text, "b.urdf"))
    assert found.exit_code == 0, list(map(text_of, found.counted))


SHARED = ROOT.parent / "shared" / "robots"


@pytest.mark.parametrize("name", ("spm", "lekiwi", "talos_full_v2", "go1", "hexapod_gazebo"))
def test_a_public_robot_without_its_meshes_is_the_same_as_itself(name, tmp_path):
    """Also as a copy of another name beside it, as in a pull request."""
    path = SHARED / f"{name}.urdf"
    if not path.is_file():
        pytest.skip("needs the public robots")
    assert in_process(["compare", str(path), str(path)]).returncode == 0
    for copy in ("a.urdf", "b.urdf"):
        shutil.copy(path, tmp_path / copy)
    done = in_process(["compare", *(str(tmp_path / copy) for copy in ("a.urdf", "b.urdf"))])
    assert done.returncode == 0
    said = " ".join(done.stdout.decode().split())
    assert said.startswith("Same robot: exactly")
    assert said.count("not opened") <= 1
