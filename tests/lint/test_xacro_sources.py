"""What is wrong in the text that a xacro expands to has its file and line in the source, or none."""

import pytest

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.xacro_sources import by_source

KNOWN = [kind.name for kind in EXPORT_KINDS]
ROOT = '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">\n{}\n</robot>\n'
INCLUDE = '<xacro:include filename="{}"/>'
LIMIT = '<limit lower="1" upper="-1" effort="1" velocity="1"/>'
JOINT = '<joint name="{}" type="revolute"><parent link="base"/><child link="{}"/>{}</joint>'
EXPANDED = ROOT.format(
    "\n".join(
        [
            '<link name="base"/>',
            *(f'<link name="{side}_arm"/>' for side in ("left", "right")),
            *(JOINT.format(f"{side}_joint", f"{side}_arm", LIMIT) for side in ("left", "right")),
        ]
    )
)
MACRO = '<xacro:macro name="{}" params="side">\n{}\n</xacro:macro>'
OF_A_SIDE = JOINT.format("${side}_joint", "${side}_arm", LIMIT)


@pytest.fixture
def places(here):

    def look(**files):
        for name, text in files.items():
            (here / f"{name}.xacro").write_text(ROOT.format(text))
        examined = examine(EXPANDED.encode(), "arm.xacro", KNOWN)
        return [
            (each.path, finding.diagnostic.line, finding.diagnostic.names[0])
            for each in by_source(examined, ())
            for finding in each.findings
            if finding.kind.name in ("limits-reversed", "macro-twice")
        ]

    return look


def test_a_finding_is_in_the_file_that_has_the_element(places):
    both = ("left_joint", "right_joint")
    arm = INCLUDE.format("part.xacro")
    assert places(arm=arm, part=MACRO.format("part", OF_A_SIDE)) == [
        ("part.xacro", 3, name) for name in both
    ]
    left = JOINT.format("left_joint", "left_arm", LIMIT)
    # One side is written out in the file itself, the other one is made by the macro.
    assert places(arm=f"{arm}\n{left}") == [
        ("arm.xacro", 3, "left_joint"),
        ("part.xacro", 3, "right_joint"),
    ]


@pytest.mark.parametrize(
    "part",
    (
        f"{OF_A_SIDE}\n{OF_A_SIDE}",  # either can have made it
        JOINT.format("${name}", "a", LIMIT),  # this can make any
        JOINT.format("${side}_elbow", "a", LIMIT),
        "",
    ),
)
def test_no_line_is_said_where_several_or_none_can_have_made_it(places, part):
    found = places(arm=INCLUDE.format("part.xacro"), part=MACRO.format("part", part))
    assert found == [("arm.xacro", 0, "left_joint"), ("arm.xacro", 0, "right_joint")]


def test_a_macro_of_two_files_is_said_in_the_second(places):
    includes = "\n".join(INCLUDE.format(f"{name}.xacro") for name in ("part", "again", "gone"))
    files = {"part": MACRO.format("part", OF_A_SIDE), "again": MACRO.format("part", "")}
    assert ("again.xacro", 2, "part") in places(arm=includes, **files)
    files["again"] = MACRO.format("other", "")
    assert not any(line == 2 for _, line, _ in places(arm=includes, **files))


def test_a_file_that_includes_itself_is_read_once(places):
    circle = INCLUDE.format("arm.xacro")
    assert len(places(arm=circle)) == 2


@pytest.mark.parametrize(
    ("expanded", "kinds"),
    (
        (ROOT.format(""), {"macros-alone"}),  # of a file with macros alone
        (ROOT.format('<link name="a"/><link name="b"/>'), {"refused"}),  # which is a faulty robot
    ),
)
def test_a_file_of_macros_is_no_robot(here, expanded, kinds):
    (here / "parts.xacro").write_text(ROOT.format(MACRO.format("part", OF_A_SIDE)))
    (each,) = by_source(examine(expanded.encode(), "parts.xacro", KNOWN), ())
    found = {finding.kind.name for finding in each.findings}
    assert found & {"macros-alone", "refused"} == kinds


def test_an_empty_xacro_without_macros_is_refused(here):
    (here / "empty.xacro").write_text(ROOT.format(""))
    (each,) = by_source(examine(ROOT.format("").encode(), "empty.xacro", KNOWN), ())
    assert [finding.kind.name for finding in each.findings] == ["refused"]
