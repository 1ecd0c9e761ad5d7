"""Words that no program reads: one note a file, and silence about all that some program reads."""

import pytest

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine

KNOWN = [kind.name for kind in EXPORT_KINDS]
ROBOT = """<robot name="arm">{top}
<link name="base"{link}><collision{collision}><geometry>{shape}</geometry>{inside}</collision></link>
<link name="tip"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/>{joint}</joint>
</robot>"""
EMPTY = dict.fromkeys(("top", "link", "collision", "inside", "joint"), "")
BOX = {"shape": '<box size="1 1 1"/>'}


def unread(**parts):
    text = ROBOT.format(**{**EMPTY, **BOX, **parts})
    findings = examine(text.encode(), "r.urdf", KNOWN).findings
    return [one.diagnostic.text for one in findings if one.kind.name == "unread-words"]


@pytest.mark.parametrize(
    ("parts", "said"),
    (
        (
            {"joint": '<joint_properties damping="1"/>'},
            "<joint_properties> in <joint> (line 4): write <dynamics damping friction>",
        ),
        ({"inside": '<material name="red"/>'}, "<material> in <collision> (line 2)"),
        ({"collision": ' group="arms"'}, "<collision group> (line 2)"),
        ({"link": ' owner="me"'}, "<link owner> (line 2)"),
        ({"top": "<history/><history/>"}, "<history> in <robot> (line 1, 2 times)"),
        (
            {"top": "<history/>", "link": ' owner="me"'},
            "<history> in <robot> (line 1); <link owner> (line 2)",
        ),
    ),
)
def test_what_nobody_reads_is_one_note(parts, said):
    assert unread(**parts) == [f"no program reads {said}"]


@pytest.mark.parametrize(
    "parts",
    (
        {},
        {"collision": ' group="1" mask="-1"'},  # PyBullet
        {"shape": '<plane normal="0 0 1"/>'},
        {"top": '<frame name="f" link="base"/><loop_joint name="l"/>'},  # Drake
        {"top": "<mujoco><compiler fusestatic='true'/></mujoco>"},
        {"top": "<gazebo><static>true</static></gazebo>"},
        {"top": "<x:own xmlns:x='https://example.org'/>"},  # a prefix says whose it is
        {"joint": '<dynamic damping="1"/>'},  # misspelled, which is another kind
    ),
)
def test_what_somebody_reads_is_none(parts):
    assert unread(**parts) == []
