"""What is said of the URDF that was made of an MJCF or SDF names lines of the file that the user has."""

from xml.parsers import expat

import pytest
from conftest import ROOT

from engine import simplify
from urdf_tools.inputs.input_as_urdf import as_urdf
from urdf_tools.urdf.lossless_xml import parse_document

FILES = sorted(
    path
    for ending in ("*.sdf", "*.xml")
    for path in (ROOT / "fixtures" / "exports").glob(ending)
    if any(word in path.read_bytes() for word in (b"<sdf", b"<mujoco"))
)
SHAPES = ("geom", "visual", "collision")


def source_of(path):
    """Return the text of a file from its first element on, as goldens have a note in front."""
    data = path.read_bytes()
    return data[min(at for at in (data.find(b"<sdf"), data.find(b"<mujoco")) if at >= 0) :]


def elements_of(data):
    """Return the elements that begin in each line."""
    found = {}
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: found.setdefault(
        parser.CurrentLineNumber, []
    ).append((tag, attributes))
    parser.Parse(data, True)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_element_has_the_line_of_what_it_was_made_of(path):
    source = source_of(path)
    there, made = elements_of(source), as_urdf(source, path.name)
    named = {
        attributes["name"]
        for several in there.values()
        for _, attributes in several
        if "name" in attributes
    }
    document = parse_document(made.data, path.name)
    made.mark_lines(document)
    for top in document.root.elements():
        name, child = top.get("name") or top.get("reference"), top.find("child")
        names = tuple(
            {name or "", child.get("link") or "" if child is not None else ""} - {"world", ""}
        )
        if top.name in ("link", "joint", "gazebo") and any(
            other.startswith(names) for other in named
        ):
            # a planar joint is three, NAME_x and so on
            assert any(
                attributes.get("name", "").startswith(names) for _, attributes in there[top.line]
            )
        for inner in top.walk():
            assert inner.line == 0 or inner.line in there
        if top.name == "link":
            for shape in (*top.elements("visual"), *top.elements("collision")):
                assert any(tag in SHAPES for tag, _ in there[shape.line]), (name, shape.name)


def test_warnings_of_a_run_name_lines_of_the_input(tmp_path):
    """Each warning of the plan and of exports about a thing with a name is on the line that has it."""
    text = """<mujoco model="leg"><compiler angle="radian"/>
      <worldbody><body name="hip"><freejoint/><inertial mass="2" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
        <body name="shin" pos="0 0 -1">
          <inertial mass="2" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
          <joint name="knee" axis="0 -1 0" pos="0 0 0.2" range="-2 0"/>
          <geom name="g" type="mesh" mesh="gone"/>
          <site name="sole" pos="0 0 -0.4"/>
          <body name="toe" pos="0 0 -1"><joint name="toe" axis="0 -1 0" range="-2 0"/>
            <inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/></body></body></body></worldbody>
      <asset><mesh name="gone" file="gone.stl"/></asset>
      <sensor><gyro name="gyro" site="sole"/></sensor>
      <actuator>
        <motor name="m" joint="knee"/></actuator></mujoco>"""
    path = tmp_path / "leg.xml"
    path.write_text(text, "utf-8")
    result = simplify(
        path, tmp_path / "leg.urdf", mesh_paths="relative", sdf=str(tmp_path / "leg.sdf")
    )
    lines = {
        (warning.kind.name, warning.line)
        for warning in (*result.plan.warnings, *result.exported.warnings)
    }
    assert {
        ("mesh-not-found", 6),
        ("merged-link", 11),
        ("transmission-sign", 13),
        ("export-renamed", 8),
        ("input-made-up", 5),
        ("input-made-up", 8),
    } <= lines
    assert max(line for _, line in lines) <= text.count("\n") + 1
