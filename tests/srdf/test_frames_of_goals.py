"""Frames of planning goals: tips, bases and parents of end effectors stay in place, or a warning names them."""

import pytest

from urdf_tools.base.errors import ProofFailed
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.srdf import follow_urdf
from urdf_tools.srdf.verify_srdf import srdf_companion

UR = b"""<robot name="ur"><link name="base_link"/><link name="wrist"/><link name="flange"/><link name="tool0"/>
<link name="gripper"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link>
<joint name="turn" type="revolute"><parent link="base_link"/><child link="wrist"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="f" type="fixed"><parent link="wrist"/><child link="flange"/><origin xyz="0 0 0.1"/></joint>
<joint name="t" type="fixed"><parent link="flange"/><child link="tool0"/><origin xyz="0 0 0.12" rpy="0 0 1"/></joint>
<joint name="g" type="fixed"><parent link="tool0"/><child link="gripper"/></joint></robot>"""


def run(inside, urdf=UR, **choices):
    srdf = f'<robot name="r">{inside}</robot>'.encode()
    return simplify_bytes(
        urdf,
        "robot.urdf",
        Options(**{"base_frame": "ros", **choices}),
        companions=[srdf_companion(srdf, "robot.srdf")],
    )


CHAIN = '<group name="arm"><chain base_link="base_link" tip_link="tool0"/></group>'


def test_a_name_may_hold_an_apostrophe():
    """The proof takes the name of a frame that is warned of from the warning, not from its sentence."""
    urdf = (
        UR.replace(b'rpy="0 0 1"', b'rpy="0.5 0 1"')
        .replace(b'name="tool0"', b'name="l\'x"')
        .replace(b'link="tool0"', b'link="l\'x"')
    )
    srdf = run(CHAIN.replace("tool0", "l'x"), urdf, merge_all=True).srdf
    assert srdf is not None and srdf.proof.moved == 1


@pytest.mark.parametrize(
    ("inside", "kept"),
    (
        (CHAIN, ["tool0"]),
        ('<end_effector name="e" parent_link="flange" group="g"/>', ["flange"]),
        ('<virtual_joint name="v" type="fixed" parent_frame="w" child_link="tool0"/>', ["tool0"]),
        ('<group name="g"><joint name="turn"/><joint name="t"/></group>', ["tool0"]),
        ('<group name="g"><link name="wrist"/><link name="flange"/></group>', ["flange"]),
        ('<group name="g"><link name="flange"/></group>', []),  # nothing moves in it
        ("", []),
    ),
)
def test_a_frame_of_goals_stays_a_frame(inside, kept):
    result = run(inside)
    assert [name for name in result.after.links if name not in ("base_link", "wrist")] == kept
    assert result.after.links["wrist"].mass == 1.0  # the gripper is not bolted to a frame
    assert all(result.plan.members[name].reason.endswith("in the SRDF, line 1") for name in kept)


def test_an_offset_is_warned_of_and_counted():
    moved = run(CHAIN, merge_all=True).srdf
    assert moved is not None and (moved.proof.frames, moved.proof.moved) == (1, 1)
    assert [(notice.kind.name, notice.text) for notice in moved.updates.warnings] == [
        (
            "tip-moved",
            "it is the tip of group 'arm': the frame of 'tool0' is now the frame of 'wrist', 0.22 m away and "
            "turned by 57.2958 degrees, and so are goals given in it, such as a pose goal",
        )
    ]
    left = run(CHAIN, keep_all_frames=True)
    assert (
        left.srdf is not None and left.srdf.updates.warnings == () and "tool0" in left.after.links
    )


def test_the_proof_finds_a_frame_that_moved_without_a_word(monkeypatch):
    monkeypatch.setattr(follow_urdf, "_warn_of_frames", lambda editor, frames: None)
    with pytest.raises(
        ProofFailed, match="frame 'wrist', which was 'tool0': position is off by 0.22"
    ):
        run(CHAIN, merge_all=True)
