"""A finding speaks of the file that was given: its names, its lines, and nothing that a reader made of it."""

import re
from pathlib import Path

import pytest
from conftest import examples, ROOT
from hypothesis import given, strategies as st

from urdf_tools.app.command_table import main
from urdf_tools.lint_api import lint

BODY = '<inertial pos="0 0 0" mass="1" diaginertia="0.001 0.001 0.001"/>'
HINGE = f'<joint name="j"/>{BODY}'
SOUND = {  # MuJoCo loads each, and each was called faulty
    "two joints of a body": '<body name="b"><joint name="x" type="slide" axis="1 0 0"/><joint name="z"/>'
    '<geom size="0.1" mass="1"/></body>',
    "neighbors that overlap": '<body name="a"><joint name="x"/><geom size="0.1"/><body name="b">'
    '<joint name="y"/><joint name="z" axis="1 0 0"/><geom size="0.1"/></body></body>',
    "angles of another convention": f'<body name="b" euler="0 0 1.57">{HINGE}</body>',
    "an ellipsoid, which URDF lacks": '<body name="b"><joint name="j"/><geom type="ellipsoid" size="1 1 1" '
    'mass="5"/><geom size="0.01" pos="3 0 0" mass="0"/></body>',
    "a joint and a body of one name": f'<body name="b">{HINGE.replace("j", "b")}</body>',
    "a body that is a mere frame": f'<body name="b">{HINGE}<body name="f"><inertial pos="9 0 0" mass="1e-6" '
    'diaginertia="1e-12 1e-12 1e-12"/></body><geom size="0.1" mass="0"/></body>',
}


@pytest.mark.parametrize("bodies", SOUND.values(), ids=SOUND)
def test_a_sound_mjcf_has_no_findings(bodies, tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(f"<mujoco><worldbody>\n{bodies}\n</worldbody></mujoco>")
    assert lint(path) == ()


FAULTY = (
    '<body name="{name}"><joint name="x_{name}" type="slide"/><joint name="y_{name}"/><geom size="{size}"/>'
    '<inertial pos="{far} 0 0" mass="1" diaginertia="1 1 {moment}"/></body>\n'
)


@examples(fuzzed=200)
@given(
    st.lists(
        st.builds(
            dict,
            size=st.sampled_from((0.01, 0.1, 1)),
            far=st.sampled_from((0, 3)),
            moment=st.sampled_from((1, 1.5)),
        ),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_each_finding_is_about_a_line_with_what_it_names(tmp_path_factory, bodies, included):
    """In the file itself, or in a line that includes another."""
    folder = tmp_path_factory.mktemp("mjcf")
    inside = "".join(FAULTY.format(name=f"b{k}", **body) for k, body in enumerate(bodies))
    text = f"<mujoco>\n<worldbody>\n{inside}</worldbody></mujoco>"
    if included:
        (folder / "inner.xml").write_text(f"<mujoco>\n\n\n\n\n\n{text[8:]}")
        text = '<mujoco>\n<include file="inner.xml"/>\n</mujoco>'
    (folder / "r.xml").write_text(text)
    lines = text.splitlines()
    for finding in lint(folder / "r.xml"):
        if not finding.line:  # the robot as a whole
            continue
        line = lines[finding.line - 1]
        wanted = "include" if included else re.findall("'(.*?)'", finding.message)[0]
        assert wanted in line and "--fix" not in finding.cure


def test_an_excerpt_is_a_line_of_the_file(here, capsys):
    body = FAULTY.format(name="b", size=0.01, far=3, moment=1)
    Path("r.xml").write_text(f"<mujoco>\n<worldbody>\n{body}</worldbody></mujoco>")
    main(["lint", "r.xml"])
    said = capsys.readouterr().out
    quoted = re.findall(r"(?m)^(\d+) \| (.*)$", said)
    assert quoted and all(body.startswith(text) and line == "3" for line, text in quoted)
    assert "--fix" not in said


OWN = [
    path
    for path in sorted((ROOT / "fixtures/exports").glob("*.xml"))
    if b"<mujoco" in path.read_bytes() and "scene" not in path.name
]


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_what_this_tool_exports_has_no_error_that_it_made(path):
    assert not [one for one in lint(path) if one.severity == "error"]
