"""Which way the input looks: words, the evidence of left and right, the note of an earlier run."""

import contextlib
import itertools
import math
import re

import pytest
from base_agreement import agreement
from conftest import examples, ROOT
from hypothesis import given, strategies as st
from random_robots import Traits, robots

from urdf_tools.apply.apply_plan_passes import write_pose
from urdf_tools.plan.base_frame import (
    NAMED_FRAMES,
    find_base_frame,
    read_base_frame,
    turned_before,
)
from urdf_tools.report.plan_text import change_line
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.base.errors import UsageError
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.urdf.spatial_math import (
    IDENTITY,
    ZERO,
    Transform,
    compose,
    cross,
    dot,
    matrix_from_rpy,
    norm,
    rotate,
    subtract,
    rotation_angle,
    transpose,
)

ONSHAPE = "x=right y=forward z=up"
ROS = "x=forward y=left z=up"
BACK = "x=left y=back z=up"
WORDS = ("forward", "back", "left", "right", "up", "down")


def doubt_of(frame):
    """Return what contradicts the base, in words."""
    return frame.warning.text if frame.warning else ""


def robot(places, head="", inside=""):
    """Return a robot with a base and links at these places."""
    return read_robot(parse_document(text_of(places, head, inside).encode("utf-8"), "robot.urdf"))


def text_of(places, head="", inside=""):
    """Return its text."""
    parts = "".join(
        f'<link name="{name}"/><joint name="j_{name}" type="continuous"><parent link="base"/>'
        f'<child link="{name}"/><origin xyz="{xyz}"/><axis xyz="0 0 1"/></joint>'
        for name, xyz in places
    )
    return f'{head}<robot name="r">{inside}<link name="base"/>{parts}</robot>'


def pairs(count, left, right, start=0):
    """Return so many left/right pairs of links."""
    return [
        (f"{side}_part_{n}", xyz)
        for n in range(start, start + count)
        for side, xyz in (("left", left), ("right", right))
    ]


def test_all_words_that_make_a_right_handed_frame_are_taken():
    taken = 0
    for x in WORDS:
        for y in WORDS:
            for z in WORDS:
                try:
                    frame = read_base_frame(f"x={x},y={y},z={z}")
                except UsageError:
                    continue
                taken += 1
                R = frame.R_new_old
                assert dot(cross(R[0], R[1]), R[2]) == 1.0
                assert frame.words == f"x={x} y={y} z={z}"
    assert taken == 24


def test_the_words_say_where_the_old_axes_point():
    R = read_base_frame("onshape").R_new_old
    assert rotate(R, (0.0, 1.0, 0.0)) == (1.0, 0.0, 0.0), "Y forward becomes X"
    assert rotate(R, (1.0, 0.0, 0.0)) == (0.0, -1.0, 0.0), "X right becomes -Y"
    assert read_base_frame("ros").R_new_old is IDENTITY
    assert read_base_frame(" X=Left , y=BACK,z=up ").words == "x=left y=back z=up"
    assert set(NAMED_FRAMES) == {"onshape", "ros"}


@pytest.mark.parametrize(
    ("left", "right", "words"),
    (
        ("-1 0 0", "1 0 0", ONSHAPE),
        ("0 1 0", "0 -1 0", ROS),
        ("0 -1 0.1", "0 1 0.1", "x=back y=right z=up"),
        ("1 0 0", "-1 0 0", "x=left y=back z=up"),
    ),
)
def test_pairs_show_where_left_is(left, right, words):
    frame = find_base_frame(robot(pairs(2, left, right)))
    assert frame.words == words and not frame.warning and "2 of 2" in frame.reason
    result = simplify_bytes(text_of(pairs(2, left, right)).encode(), "robot.urdf", Options())
    assert find_base_frame(result.after).R_new_old is IDENTITY


def test_without_evidence_the_base_stays():
    frame = find_base_frame(robot([]))
    assert frame.R_new_old is IDENTITY and frame.assumed and not frame.warning
    assert frame.reason == (
        "assumed X forward, Y left, Z up (REP 103): no evidence; --base-frame onshape "
        "if it was exported from there"
    )


@pytest.mark.parametrize(
    ("places", "option"),
    (
        (
            [("left_cap", "-1 0 0"), ("right_cap", "1 0 0")],
            "--base-frame onshape if it faces along +Y",
        ),
        ([("left_cap", "0 -1 0"), ("right_cap", "0 1 0")], "x=back,y=right,z=up"),
        ([("left_cap", "0 1 0"), ("right_cap", "0 -1 0")], ""),
    ),
)
def test_one_kind_of_weak_evidence_does_not_turn_the_base_but_is_told(places, option):
    frame = find_base_frame(robot(places))
    assert (
        frame.R_new_old is IDENTITY and frame.assumed and "1 of 1 left/right pair" in frame.reason
    )
    assert ("too little to turn the base by" in frame.reason) == bool(frame.warning) == bool(option)
    assert option in doubt_of(frame) and ("--base-frame ros" in doubt_of(frame)) == bool(option)


@pytest.mark.parametrize(
    ("agreeing", "others", "words"),
    ((4, 1, ONSHAPE), (3, 1, ROS), (2, 2, ROS), (1, 1, ROS), (8, 2, ONSHAPE)),
)
def test_four_fifths_must_agree(agreeing, others, words):
    frame = find_base_frame(
        robot(pairs(agreeing, "-1 0 0", "1 0 0") + pairs(others, "0 1 0", "0 -1 0", 50))
    )
    assert frame.words == words
    assert ("pairs, which disagree" in doubt_of(frame)) == frame.assumed == (words == ROS)


def test_pairs_along_z_say_that_z_is_not_up():
    frame = find_base_frame(robot(pairs(3, "0 0 1", "0 0 -1"), inside=KNEES_ALONG_X))
    assert frame.words == ROS and frame.assumed and "Z does not point up" in doubt_of(frame)


def test_pairs_in_one_place_and_askew_do_not_vote():
    assert "no evidence" in find_base_frame(robot(pairs(3, "0 0 1", "0 0 1"))).reason
    frame = find_base_frame(robot(pairs(3, "1 1 1", "0 0 0")))
    assert frame.words == ROS and frame.warning


@pytest.mark.parametrize(
    "name", ("left_outer_knuckle", "l_finger_tip", "left_jaw", "LeftPads", "left_hand_3")
)
def test_grippers_do_not_vote(name):
    """Neither those that are named so nor what hangs on them."""
    other = name.replace("left", "right").replace("l_", "r_").replace("Left", "Right")
    more = "".join(
        part(f"{side}_{n}", above, xyz)
        for n in range(3)
        for side, above, xyz in (("left", name, "0 0 0"), ("right", other, "0 0 0"))
    )
    fingers = [(name, "0 -1 0"), (other, "0 1 0")]
    assert find_base_frame(robot(fingers, inside=more)).assumed
    assert (
        "2 of 2"
        in find_base_frame(robot(fingers + pairs(2, "-1 0 0", "1 0 0"), inside=more)).reason
    )


@pytest.mark.parametrize(
    ("moving", "kind", "words"),
    ((3, "revolute", ONSHAPE), (4, "revolute", ROS), (9, "fixed", ONSHAPE)),
)
def test_what_parts_beyond_three_moving_joints_does_not_vote(moving, kind, words):
    chain = "".join(
        part(f"a{n}", f"a{n - 1}" if n else "base", "0 0 1", kind) for n in range(moving)
    )
    ends = "".join(
        part(f"{side}_{n}", f"a{moving - 1}", xyz)
        for n in range(2)
        for side, xyz in (("left", "-1 0 0"), ("right", "1 0 0"))
    )
    assert find_base_frame(robot([], inside=chain + ends)).words == words


def part(
    name,
    parent,
    xyz,
    kind="continuous",
    joint="",
    axis="0 0 1",
    rpy="0 0 0",
    inside="",
):
    """Return a link with its joint."""
    return (
        f'<link name="{name}">{inside}</link><joint name="{joint or "j_" + name}" type="{kind}"><parent '
        f'link="{parent}"/><child link="{name}"/><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/></joint>'
    )


def mount(name, rpy, inside=""):
    """Return a link in the place of the base."""
    return part(name, "base", "0 0 0", "fixed", rpy=rpy, inside=inside)


def mount_on(parent, name):
    """Return a link in the place of another one."""
    return part(name, parent, "0 0 0", "fixed")


# Two joints: one alone may be called knee wherever it is mounted.
KNEES_ALONG_X = part("shin", "base", "0 0 -1", joint="knee", axis="1 0 0") + part(
    "calf", "shin", "0 0 -1", joint="second_knee", axis="1 0 0"
)


@pytest.mark.parametrize(
    ("joints", "words"),
    (
        ([("knee", "0 1 0")] * 2, ROS),
        ([("knee", "1 0 0")] * 2, ONSHAPE),
        ([("arm_elbow_2", "-1 0 0")] * 2, ONSHAPE),
        ([("hip_roll", "0 1 0")] * 2, ONSHAPE),
        ([("HipRoll", "-1 0.4 0")] * 2, ROS),
        ([("neck_pitch", "1 0.46 0")] * 2, ONSHAPE),
        ([("a_pitch", "1 0 0")] * 4 + [("b_pitch", "0 1 0")], ONSHAPE),
    ),
)
def test_names_of_joints_show_the_left_axis(joints, words):
    links = "".join(
        part(f"k{n}", "base", "0 0 1", joint=f"{name}_{n}", axis=axis)
        for n, (name, axis) in enumerate(joints)
    )
    frame = find_base_frame(robot([], inside=links))
    assert frame.words == words and frame.assumed and "pitch, knee" in frame.reason
    for option in (
        ("ros", "x=back,y=right,z=up") if words == ROS else ("onshape", "x=left,y=back,z=up")
    ):
        assert f"--base-frame {option} if" in doubt_of(
            frame
        ) or f"--base-frame {option} along" in doubt_of(frame)


def test_one_joint_is_too_little_to_turn_the_base_by():
    one = part("shin", "base", "0 0 -1", joint="knee", axis="1 0 0")
    frame = find_base_frame(robot([], inside=one))
    assert frame.words == ROS and frame.assumed
    assert "1 of 1 joint" in frame.reason and "too little to turn the base by" in frame.reason
    assert "--base-frame onshape if" in doubt_of(frame)
    assert find_base_frame(robot([], inside=KNEES_ALONG_X)).words == ONSHAPE


@pytest.mark.parametrize(
    ("name", "axis", "kind"),
    (
        ("yaw", "1 0 0", "revolute"),
        ("knee", "0 0 1", "revolute"),
        ("knee", "1 0.47 0", "continuous"),
        ("knee", "1 0 0.5", "revolute"),
        ("knee", "1 0 0", "prismatic"),
        ("knee", "1 0 0", "fixed"),
        ("roll_pitch", "1 0 0", "revolute"),
        ("kneeling", "1 0 0", "revolute"),
    ),
)
def test_other_joints_do_not_show_it(name, axis, kind):
    frame = find_base_frame(robot([], inside=part("k", "base", "0 0 1", kind, name, axis)))
    assert frame.R_new_old is IDENTITY and frame.assumed


def test_names_that_disagree_are_warned_of():
    links = KNEES_ALONG_X + part("b", "base", "0 0 1", joint="elbow", axis="0 1 0")
    frame = find_base_frame(robot([], inside=links))
    assert frame.words == ROS and frame.assumed and "roll, which disagree" in doubt_of(frame)


def test_pairs_come_before_names_for_an_arm_that_points_sideways():
    """A mobile base with two wheels; its arm reaches out to the right, and so do the fingers at its end."""
    wheels = [
        ("link_left_wheel", "0 0.15 0"),
        ("link_right_wheel", "0 -0.15 0"),
        ("caster_left", "-0.2 0.1 0"),
        ("caster_right", "-0.2 -0.1 0"),
    ]
    arm = part("arm", "base", "0 -0.3 0.5", joint="joint_wrist_pitch", axis="1 0 0")
    arm += part("gripper", "arm", "0 -0.1 0", joint="joint_wrist_roll", axis="0 1 0")
    arm += "".join(
        part(f"gripper_finger_{side}", "gripper", xyz, joint=f"joint_{side}")
        for side, xyz in (("left", "0.1 0 0"), ("right", "-0.1 0 0"))
    )
    assert find_base_frame(robot(wheels, inside=arm)).words == ROS
    assert find_base_frame(robot([], inside=arm)).words == ONSHAPE


BOX = "<visual><geometry><box size='1 1 1'/></geometry></visual>"


@pytest.mark.parametrize(
    ("more", "words"),
    (
        (mount("lens_optical", "-1.5708 0 0"), ONSHAPE),
        (mount("lens_optical", "-1.5708 0 0") + mount("lens_2_optical", "3.1416 0 0"), ONSHAPE),
        (mount("lens_optical", "1.5708 0 0", BOX), BACK),
        (mount("camera_optical", "0 1.5708 0"), ""),
        (mount("camera_optical", "3.1416 0 0"), ""),
        (mount("camera", "0 0 1.5708"), ONSHAPE),
        (mount("camera", "0 0 1.5708", BOX), ""),
        (mount("head_frame", "0 0 -1.5708"), BACK),
        (mount("head_frame", "1.5708 0 1.5708"), ""),
        (mount("imu", "0 0 1.5708"), ""),
        (mount("imu", "0 0 0"), ""),
        (mount("gripper_camera", "0 0 1.5708"), ""),
        (mount("camera", "0 0 1.5708") + mount("camera_2", "0 0 -1.5708"), ""),
        (part("left_cap", "base", "-1 0 0") + part("right_cap", "base", "1 0 0"), ONSHAPE),
        (
            part("a", "base", "1 0 0", joint="cap_l") + part("b", "base", "-1 0 0", joint="cap_r"),
            BACK,
        ),
        (
            part("a", "base", "1 0 0", joint="finger_l")
            + part("b", "base", "-1 0 0", joint="finger_r"),
            "",
        ),
    ),
)
def test_the_end_of_the_line_of_names_comes_from_where_the_robot_is(more, words):
    """Not from what looks across it or down, is tilted, drawn in axes of its own, mounted somehow, or in a hand."""
    frame = find_base_frame(robot([], inside=KNEES_ALONG_X + more))
    assert frame.words == (words or ONSHAPE)
    assert frame.assumed == bool(frame.warning) == (not words)


@pytest.mark.parametrize(
    ("places", "words"),
    (
        ({"a": "0 -1 0", "tip": "0 -1 0"}, BACK),
        ({"a": "0 1 0", "b": "0 1 0", "hand": "0 1 0.5"}, ONSHAPE),
        ({"a": "0 1 1.8", "tip": "0 1 1.8"}, ""),
        ({"a": "0.6 1 0", "tip": "0.6 1 0"}, ""),
        ({"a": "0.6 1 0", "tip": "-0.6 1 0"}, ONSHAPE),
        ({"a": "0 1 0"}, ""),
        ({"a": "0 -1 0", "tool0": "0 -1 0", "cable": "0 9 0"}, BACK),
    ),
)
def test_an_arm_that_is_stretched_out_looks_where_it_reaches(places, words):
    """More than half of its length, and twice what it reaches aside, from its first joint to its tool."""
    chain = [("pan", "0 9 0"), *places.items()]
    # The names of two joints show a line.
    joints = ["elbow", "arm_pitch"]
    links = "".join(
        part(name, above, xyz, joint=joints.pop(0) if joints else "", axis="1 0 0")
        for (name, xyz), above in zip(chain, ["base", *dict(chain)])
    )
    frame = find_base_frame(robot([], inside=links))
    assert frame.words == (words or ONSHAPE) and frame.assumed == bool(frame.warning) == (not words)
    branch = part("wheel", "base", "0 0 0")
    assert find_base_frame(robot([], inside=links + branch)).assumed, "it is no arm"


ANTENNAS = part("horn_1", "neck_4", "0 1 0", joint="left_antenna") + part(
    "horn_2", "neck_4", "0 -1 0", joint="right_antenna"
)


@pytest.mark.parametrize(
    ("seen", "words", "assumed"),
    (
        (ANTENNAS, ROS, True),
        (ANTENNAS + mount("camera_optical", "-1.5708 0 -1.5708"), ROS, False),
        (mount("imu", "0 0 0"), ROS, True),
        (mount("imu", "0 0 3.1416"), ROS, True),
        (mount("camera", "0 0 1.5708"), ONSHAPE, False),
    ),
)
def test_what_contradicts_the_comment_of_onshape_beats_it(seen, words, assumed):
    """Also one pair far out; and what agrees with the comment makes it sure."""
    neck = "".join(part(f"neck_{n}", f"neck_{n - 1}" if n else "base", "0 0 1") for n in range(5))
    frame = find_base_frame(robot([], "<!-- Onshape -->", neck + seen))
    assert frame.words == words and frame.assumed == bool(frame.warning) == assumed
    assert ("--base-frame onshape" in doubt_of(frame)) == assumed


def test_one_kind_that_contradicts_the_comment_of_onshape_turns_no_base():
    frame = find_base_frame(robot([], "<!-- Onshape -->", mount("camera", "0 0 -1.5708")))
    assert frame.words == ROS and frame.assumed
    assert "--base-frame x=left,y=back,z=up if it faces along -Y" in doubt_of(frame)


@pytest.mark.parametrize(
    ("head", "axis", "more", "words"),
    (
        ("<!-- Onshape -->", "1 0 0", "", ONSHAPE),
        ("<!-- Onshape -->", "0 1 0", "", ROS),
        ("", "0 1 0", mount("imu", "0 0 0"), ROS),
    ),
)
def test_a_comment_and_an_imu_do_not_settle_the_end_of_the_line(head, axis, more, words):
    frame = find_base_frame(
        robot([], head, part("shin", "base", "0 0 -1", joint="knee", axis=axis) + more)
    )
    assert frame.words == words and frame.assumed
    assert ("x=left,y=back,z=up" if words == ONSHAPE else "x=back,y=right,z=up") in doubt_of(frame)


def wheel(name, xyz="0 0 0", axis="1 0 0", joint=""):
    """Return a wheel at the base."""
    return part(name, "base", xyz, axis=axis, joint=joint)


ONE_PAIR = part("left_cap", "base", "-1 0 0") + part("right_cap", "base", "1 0 0")
TWO_WHEELS = wheel("wheel_1") + wheel("rear_wheel", axis="-1 0 0")
TWO_THAT_LIE = wheel("swivel_wheel", axis="0 0 1") + wheel("cog_wheel", axis="0 0 1")
WHEELS_ALONG_Y = wheel("w_1", axis="0 1 0", joint="wheel_1") + wheel("wheel_2", axis="0 1 0")


@pytest.mark.parametrize(
    ("head", "links", "words", "assumed"),
    (
        ("", TWO_WHEELS, ROS, True),
        ("<!-- Onshape -->", TWO_WHEELS, ONSHAPE, True),
        ("", TWO_WHEELS + part("shin", "base", "0 0 1", joint="knee", axis="1 0 0"), ONSHAPE, True),
        ("", TWO_WHEELS + ONE_PAIR, ONSHAPE, False),
        ("", TWO_WHEELS + TWO_THAT_LIE + ONE_PAIR, ONSHAPE, False),
        ("", TWO_WHEELS + mount("camera", "0 0 -1.5708"), BACK, False),
        ("", TWO_WHEELS + mount("camera", "0 0 0"), ROS, True),
        ("<!-- Onshape -->", WHEELS_ALONG_Y, ROS, True),
        ("", WHEELS_ALONG_Y + ONE_PAIR, ROS, True),
    ),
)
def test_axles_of_wheels_are_one_witness_of_the_line_of_left(head, links, words, assumed):
    """It needs a second one to turn a base, another to make sure of it; one that contradicts keeps the base."""
    frame = find_base_frame(robot([], head, links))
    assert (frame.words, frame.assumed) == (words, assumed), frame
    assert "axles of wheels" in frame.reason


@pytest.mark.parametrize(
    "links",
    (
        wheel("wheel"),
        wheel("wheel_1") + wheel("wheel_2", axis="0.5 0.9 0"),
        wheel("wheel_1", axis="0 0 1") + wheel("wheel_2", axis="0 0 1"),
        wheel("caster_wheel_1") + wheel("caster_wheel_2"),
        wheel("steering_wheel") + wheel("gear_wheel"),
        TWO_WHEELS.replace("continuous", "fixed"),
        part("gripper", "base", "0 0 1") + TWO_WHEELS.replace('"base"', '"gripper"'),
    ),
)
def test_other_wheels_show_no_line(links):
    """One alone, omnidirectional ones, those that lie, swivel, or are no wheels of the robot."""
    assert "axle" not in find_base_frame(robot([], "", links)).reason


def test_two_witnesses_are_needed_for_a_half_turn():
    """Joints called pitch about Y agree with both ends of X: that left is at -Y one pair says alone."""
    knees = KNEES_ALONG_X.replace('xyz="1 0 0"', 'xyz="0 1 0"')
    back = ONE_PAIR.replace("-1 0 0", "0 -1 0").replace("1 0 0", "0 1 0")
    frame = find_base_frame(robot([], "", knees + back))
    assert frame.words == ROS and frame.assumed
    assert "--base-frame x=back,y=right,z=up if it faces along -X" in doubt_of(frame)
    behind = mount("camera", "0 0 3.1416")
    assert find_base_frame(robot([], "", knees + back + behind)).words == "x=back y=right z=up"


def mass(center="0 0 0", value=1):
    """Return an `<inertial>`."""
    return (
        f'<inertial><origin xyz="{center}"/><mass value="{value}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
        'iyz="0" izz="1"/></inertial>'
    )


def feet(*centers):
    """Return ankles, each with the center of mass of its foot."""
    return "".join(
        part(f"foot_{n}", "base", "0 0 -1", joint=f"ankle_{n}", inside=mass(center))
        for n, center in enumerate(centers)
    )


@pytest.mark.parametrize(
    ("links", "words", "assumed"),
    (
        (feet("0 0.04 -0.05", "0.01 0.04 -0.05"), ROS, True),
        (feet("0 0.04 -0.05", "0.01 0.04 -0.05") + KNEES_ALONG_X, ONSHAPE, False),
        (feet("0 -0.04 -0.05", "0 -0.04 -0.05") + KNEES_ALONG_X, BACK, False),
        (feet("0 -0.04 -0.05") + KNEES_ALONG_X + mount("camera", "0 0 1.5708"), ONSHAPE, True),
    ),
)
def test_feet_point_forward(links, words, assumed):
    """The center of mass of a foot is ahead of its ankle; alone it turns no base, and another end contradicts it."""
    frame = find_base_frame(robot([], "", links))
    assert (frame.words, frame.assumed) == (words, assumed), frame
    assert "of a foot from its ankle" in frame.reason


@pytest.mark.parametrize(
    "links",
    (
        feet("0 0.02 -0.05", "0 0.02 -0.05"),
        feet("0 0.04 0", "0.04 0 0"),
        feet("0.04 0.04 0", "0.04 0.04 0"),
        part("calf", "base", "0 0 -1", inside=mass("0 0.1 -0.1"))
        + part("toe", "calf", "0 0 -1", "fixed", inside=mass()),
        feet("0 0.04 0").replace("foot_0", "pad").replace("ankle_0", "hinge"),
        feet("0 0.04 0") + part("end", "foot_0", "0 0.1 0", joint="last"),
    ),
)
def test_other_ends_of_legs_do_not_point_forward(links):
    """Feet below their ankles, that point to two sides or between them, a shank with its toe, and what has no name."""
    assert "of a foot" not in find_base_frame(robot([], "", links)).reason


def test_evidence_that_contradicts_other_evidence_is_assumed_and_told():
    """Names come before one pair, and two kinds that agree need two more that agree against a third."""
    pair = part("left_cap", "base", "0 -1 0") + part("right_cap", "base", "0 1 0")
    frame = find_base_frame(robot([], inside=KNEES_ALONG_X + pair))
    assert frame.words == ONSHAPE and frame.assumed and "1 of 1 left/right pair" in doubt_of(frame)
    frame = find_base_frame(robot([], inside=KNEES_ALONG_X + pair + mount("camera", "0 0 -1.5708")))
    assert frame.words == BACK and frame.assumed and "-X" not in doubt_of(frame).partition(";")[2]


def test_which_kinds_of_evidence_are_right_is_published(shared):
    """The table of the room holds what is measured on robots at hand."""
    files = sorted((shared / "robots").glob("*.urdf"))
    table = (ROOT / "urdf_tools/plan/README.md").read_text("utf-8")
    for kind, (agreeing, counted) in agreement(files).items():
        assert f"| {kind} | {agreeing} of {counted} |" in table


@pytest.mark.parametrize(
    ("head", "inside"),
    (
        ("<!-- Generated using onshape-to-robot -->", ""),
        ("<!-- OnShape document_id: 44 -->", ""),
        ("", "\n  <!-- exported by onshape-robotics -->\n"),
    ),
)
def test_a_comment_of_onshape_alone_turns_no_base_but_is_told(head, inside):
    frame = find_base_frame(robot([], head, inside))
    assert frame.words == ROS and frame.assumed
    assert "too little to turn the base by" in doubt_of(frame)
    assert "--base-frame onshape if it faces along +Y" in doubt_of(frame)
    agreeing = part("shin", "base", "0 0 1", joint="knee", axis="1 0 0")
    frame = find_base_frame(robot([], head, inside + agreeing))
    assert frame.words == ONSHAPE and frame.assumed, "with one joint these are two witnesses"
    assert find_base_frame(robot(pairs(2, "0 1 0", "0 -1 0"), head, inside)).words == ROS
    knee = part("k", "base", "0 0 1", joint="knee", axis="0 1 0")
    assert find_base_frame(robot([], head, inside + knee)).words == ROS


def test_a_remark_about_onshape_further_down_says_nothing():
    assert (
        find_base_frame(robot([], "", '<material name="m"/><!-- not from Onshape -->')).words == ROS
    )


def test_the_note_of_an_earlier_run_decides():
    note = "<!-- urdf_simplify 0.1.0: x=forward y=left z=up -->\n"
    turned = pairs(3, "-1 0 0", "1 0 0")
    assert find_base_frame(robot(turned, note)).words == ROS
    kept = "<!-- urdf_simplify 0.1.0: frames as in the input, {} -->"
    assert (
        find_base_frame(robot(turned, kept.format("x=back y=right z=up"))).words
        == "x=back y=right z=up"
    )
    assumed = find_base_frame(robot([], kept.format(f"assumed {ONSHAPE}")))
    assert (
        assumed.words == ONSHAPE
        and assumed.assumed
        and "an earlier run assumed" in doubt_of(assumed)
    )
    for head in (
        "<!-- urdf_simplify 0.1.0: frames as in the input -->",
        "<!-- x=forward y=left z=up -->",
        kept.format("x=back y=left z=up"),
        kept.format("x=north y=left z=up"),
        "<!-- urdf_simplify needs this: x=forward y=left z=up -->",
    ):
        assert find_base_frame(robot(turned, head)).words == ONSHAPE, head
    assert find_base_frame(robot(turned, "", note)).words == ONSHAPE, (
        "inside the robot it is somebody's remark"
    )


def test_a_run_leaves_one_note_and_no_second():
    """Also one that keeps the frames of a file that was turned before, and changes something else."""
    source = text_of(
        pairs(2, "-1 0 0", "1 0 0"), "<!-- urdf_simplify 0.0.1: frames as in the input -->\n"
    )
    text = simplify_bytes(source.encode(), "robot.urdf", Options()).text
    more = text.replace("</robot>", part("cap", "base", "0 0 1", "fixed") + "</robot>")
    again = simplify_bytes(more.encode(), "robot.urdf", Options(reorient=False)).text
    for one in (text, again):
        head = one.split("<robot")[0]
        assert head.count(f": {ROS} -->") == 1 and "as in the input" not in head
        # The other note says how the base was turned.
        assert one.count("urdf_simplify") == 2 and "  base base (" in head


@pytest.mark.parametrize("base_frame", ("ros", "onshape", "x=back,y=right,z=up"))
def test_what_base_frame_was_given_is_noted_also_where_nothing_changes(base_frame):
    """Otherwise the next run, which is given nothing, would judge by the pairs."""
    source = text_of(pairs(2, "-1 0 0", "1 0 0"), HEAD)
    options = Options(base_frame=base_frame, reorient=False, merge=False, strip_hardware=False)
    once = simplify_bytes(source.encode(), "robot.urdf", options)
    assert once.text.count("<!--") == 1 and change_line(once) == "a note of the base frame"
    assert find_base_frame(once.after).words == read_base_frame(base_frame).words
    assert simplify_bytes(once.data, "robot.urdf", options).data == once.data
    turned = simplify_bytes(text_of([]).encode(), "robot.urdf", Options(base_frame=base_frame))
    assert turned_before(turned.after)
    assert change_line(turned) == (
        "a note of the base frame" if base_frame == "ros" else "base turned"
    )
    assert simplify_bytes(turned.data, "robot.urdf", Options()).data == turned.data


HEAD = '<?xml version="1.0"?>\n'


@examples(fuzzed=60)
@given(robots())
def test_robots_without_evidence_are_never_turned(text):
    frame = find_base_frame(read_robot(parse_document(without_names(text).encode(), "robot.urdf")))
    assert frame.R_new_old is IDENTITY and frame.assumed
    assert not frame.warning or "the arm reaches" in doubt_of(frame)


WALKER = [
    ("torso", "0 0 1", 8.0),
    ("head", "0.05 0 1.6", 2.0),
    ("left_thigh", "0 0.1 0.7", 2.0),
    ("right_thigh", "0 -0.1 0.7", 2.0),
    ("left_foot", "0.04 0.1 0.1", 1.0),
    ("right_foot", "0.04 -0.1 0.1", 1.0),
]
JOINTS = {
    "torso": "",
    "head": "neck_yaw",
    "left_thigh": "left_hip_pitch",
    "right_thigh": "right_hip_pitch",
    "left_foot": "left_ankle_pitch",
    "right_foot": "right_ankle_pitch",
}


def walker(words, *, yaw=True):
    """Return a robot with two legs in axes of which the words say where they point."""
    R_input_robot = transpose(read_base_frame(words).R_new_old)
    parts = ""
    for name, place, mass in WALKER:
        xyz = rotate(R_input_robot, (*map(float, place.split()),))
        axis = rotate(R_input_robot, (0.0, 0.0, 1.0) if "yaw" in JOINTS[name] else (0.0, 1.0, 0.0))
        kind = "continuous" if JOINTS[name] and (yaw or "yaw" not in JOINTS[name]) else "fixed"
        parts += (
            f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="1" ixy="0" ixz="0" '
            f'iyy="1" iyz="0" izz="1"/></inertial></link>'
            f'<joint name="{JOINTS[name] or name}" type="{kind}"><parent link="base"/>'
            f'<child link="{name}"/><origin xyz="{" ".join(map(str, xyz))}"/>'
            f'<axis xyz="{" ".join(map(str, axis))}"/></joint>'
        )
    return f'<robot name="walker"><link name="base"/>{parts}</robot>'


FRAMES = [f"x={x},y={y},z={z}" for x, y, z in itertools.permutations(WORDS, 3)]


def test_a_robot_stands_up_whichever_of_its_axes_is_up():
    """But for one that is upside down: only from the mass of its legs that cannot be told from one that hangs."""
    count = 0
    for words in FRAMES:
        with contextlib.suppress(UsageError):
            frame = find_base_frame(
                read_robot(parse_document(walker(words).encode(), "walker.urdf"))
            )
            if "z=down" not in words:
                assert frame.words == words.replace(",", " ") and not frame.assumed, (words, frame)
                assert not frame.warning, words
                assert frame.reason.startswith("up is ") == ("z=up" not in words)
                count += 1
    assert count == 20


def test_legs_alone_do_not_turn_a_robot_but_a_warning_says_how():
    frame = base_of(walker("x=down,y=left,z=forward", yaw=False))
    assert frame.words == ROS and frame.assumed
    assert doubt_of(frame) == (
        "up is -X by the mass of the legs, but no other evidence agrees, so Z is taken as up; "
        "give --base-frame x=down,y=left,z=forward if Z is not up"
    )


def test_no_front_is_looked_for_around_an_axis_that_may_not_be_up():
    """The pairs show left at +X: that Z is up, and so -Y forward, is as unsure."""
    frame = base_of(walker("x=left,y=up,z=forward", yaw=False))
    assert frame.words == ROS and frame.assumed
    assert doubt_of(frame) == (
        "up is +Y by the mass of the legs, but no other evidence agrees, so the base stays; give "
        "--base-frame x=left,y=up,z=forward if that axis is up, or --base-frame x=left,y=back,z=up if Z is"
    )


def test_pairs_along_z_agree_with_the_legs_that_z_is_not_up():
    frame = base_of(walker("x=forward,y=up,z=right", yaw=False))
    assert frame.words == "x=forward y=up z=right" and not frame.assumed
    assert "by the mass of the legs and 2 left/right pairs along Z" in frame.reason


def y_up(parts):
    """Return a robot whose trunk of 80 kg is at the origin; Y points up."""
    return f'<robot name="r"><link name="base">{mass(value=80)}</link>{parts}</robot>'


PAIRS_ALONG_Y = "".join(part(name, "base", xyz) for name, xyz in pairs(2, "0 1 0", "0 -1 0"))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def corners(name, y, parent="base"):
    """Return four parts of 1 kg around the robot, at a height."""
    return "".join(
        part(f"{name}_{n}", parent, f"{x} {y} {z}", inside=mass())
        for n, (x, z) in enumerate(CORNERS)
    )


# Feet on heavy thighs.
SPIDER = corners("thigh", 0.5) + "".join(
    part(f"foot_{n}", f"thigh_{n}", "0 -1.9 0", inside=mass()) for n in range(4)
)
FEET_ALONE = corners("foot", -1.4)
CARRIAGE = corners("wheel", -1.4)
YAW_ABOUT_Y = part("mast", "base", "0 1 0", joint="mast_yaw", axis="0 1 0")


@pytest.mark.parametrize(
    ("parts", "seen"),
    (
        (SPIDER + YAW_ABOUT_Y, "the ends of the legs and 1 joint named yaw"),
        (CARRIAGE + YAW_ABOUT_Y, "the wheels and 1 joint named yaw"),
        (FEET_ALONE + CARRIAGE, "the mass of the legs and the wheels"),
    ),
)
def test_two_witnesses_of_up_turn_a_robot_upright(parts, seen):
    frame = base_of(y_up(parts))
    assert "y=up" in frame.words and f"up is +Y by {seen}" in frame.reason


@pytest.mark.parametrize(
    "parts",
    (
        SPIDER,
        CARRIAGE,
        part("wheel_1", "base", "1 -1.4 1") + part("wheel_2", "base", "-1 -1.4 1") + YAW_ABOUT_Y,
        SPIDER + YAW_ABOUT_Y.replace('axis xyz="0 1 0"', 'axis xyz="0 0 1"'),
        SPIDER + YAW_ABOUT_Y.replace("mast_yaw", "knee"),
        SPIDER + YAW_ABOUT_Y + wheel("wheel", axis="0 1 0"),
        SPIDER + YAW_ABOUT_Y + "".join(part(f"wheel_{x}", "base", f"{x} 0 -4") for x in (-1, 0, 1)),
        SPIDER + YAW_ABOUT_Y + PAIRS_ALONG_Y,
        part("foot", "base", "0 -1.4 0", inside=mass()) + YAW_ABOUT_Y,
        corners("foot", 0.1) + YAW_ABOUT_Y,
    ),
)
def test_one_witness_of_up_or_one_that_contradicts_turns_no_robot(parts):
    """Also two wheels, which show no ground, one leg, and legs that are spread out level."""
    assert base_of(y_up(parts)).words == ROS


def test_an_elbow_that_turns_about_up_contradicts_no_legs():
    """Arms that are held aside have such elbows; no knee turns about up."""
    legs = y_up(SPIDER + YAW_ABOUT_Y + part("arm", "base", "0 1 0", joint="elbow", axis="0 1 0"))
    assert "y=up" in base_of(legs).words
    assert base_of(legs.replace("elbow", "knee")).words == ROS


def test_wheels_at_the_ends_of_legs_are_no_second_witness():
    wheels = "".join(part(f"wheel_{n}", f"foot_{n}", "0 -0.1 0", inside=mass()) for n in range(4))
    assert base_of(y_up(FEET_ALONE + wheels)).words == ROS


def test_joints_that_turn_about_other_axes_than_their_names_say_contradict_the_legs():
    text = walker("x=forward,y=up,z=right").replace("hip_pitch", "hip_yaw")
    frame = find_base_frame(read_robot(parse_document(text.encode(), "walker.urdf")))
    assert "z=up" in frame.words and "mass of the legs" not in frame.reason + doubt_of(frame)


def test_what_an_axis_of_a_turned_robot_is_called_in_sentences():
    """In words they are axes of the input, where the pairs of legs are 0.1 m to the left and right."""
    robot = read_robot(parse_document(walker("x=right,y=up,z=back").encode(), "walker.urdf"))
    assert "left is at -X in 2 of 2 left/right pairs" in find_base_frame(robot).reason


def without_names(text):
    """Return the robot with the words that say something taken out of its names."""
    said = re.compile(
        r"pitch|knee|elbow|ankle|roll|[yY]aw|wheel|(?:left|right|l)_|R?foot|R(?=link|Tool)"
    )
    return re.sub(
        r"""(?:name|link|joint|reference)=(?:"[^"]*"|'[^']*')""",
        lambda m: said.sub("q", m.group()),
        text,
    )


def test_turning_again_is_done_as_asked_and_warned_about():
    note = f"<!-- urdf_simplify 0.1.0: {ROS} -->"
    source = text_of(pairs(2, "0 1 0", "0 -1 0"), head=note).encode("utf-8")
    again = simplify_bytes(source, "robot.urdf", Options(base_frame="onshape"))
    assert again.plan.base.words == ONSHAPE
    assert (
        "an earlier run of this tool turned the base already, and --base-frame turns it again; leave out "
        "--base-frame if the robot faces the right way"
        in [notice.text for notice in again.plan.warnings]
    )
    assert not simplify_bytes(source, "robot.urdf", Options(base_frame="ros")).plan.base.warning


@examples(fuzzed=60)
@given(
    robots(Traits(duplicates=0.0)),
    st.sampled_from(("pairs", "names", "feet", "wheels")),
    st.integers(0, 3),
)
def test_a_robot_that_is_turned_as_a_whole_comes_back_the_same(text, evidence, quarters):
    """Names do not say which end of an axis is left: they bring it back but for half a turn.

    Feet do with names, and frames of a camera with wheels; half a turn needs two that tell the ends apart.
    """
    # A frame in which programs plan does not turn.
    text = without_names(text).replace('"world"', '"base_link"').replace('"odom"', '"base_link"')
    root = read_robot(parse_document(text.encode(), "robot.urdf")).root
    more = "".join(
        part(f"shin_{n}", root, "0 0 1", joint=f"knee_{n}", axis="0 1 0") for n in range(2)
    )
    if evidence == "pairs":
        more = "".join(
            part(f"{side}_cap_{n}", root, xyz)
            for n in range(9)
            for side, xyz in (("left", "0 1 0"), ("right", "0 -1 0"))
        )
    elif evidence == "feet":
        quarters = 3 if quarters == 2 else quarters
        more += feet("0.04 0 -0.05", "0.04 0 -0.05").replace('"base"', f'"{root}"')
    elif evidence == "wheels":
        quarters = 3 if quarters == 2 else quarters
        more = WHEELS_ALONG_Y.replace('"base"', f'"{root}"') + mount_on(root, "camera")
    elif quarters > 1:
        quarters -= 2
    text = text.replace("</robot>", more + "</robot>")
    options = Options(lenient=True, snap=0.0, merge=False, strip_hardware=False)
    words = (
        "x=forward,y=left,z=up",
        "x=right,y=forward,z=up",
        "x=back,y=right,z=up",
        "x=left,y=back,z=up",
    )[quarters]
    once = simplify_bytes(text.encode(), "robot.urdf", options)
    assert once.plan.base.words == ROS
    turned = simplify_bytes(turned_text(text, quarters).encode(), "robot.urdf", options)
    assert turned.plan.base.words == words.replace(",", " ")
    for one, other in zip(once.after.joints, turned.after.joints):
        assert one.axis == other.axis
        assert norm(subtract(one.origin.translation, other.origin.translation)) < 1e-9
        assert rotation_angle(one.origin.rotation, other.origin.rotation) < 1e-9


def turned_text(text, quarters):
    """Return the robot with all that is fixed in its root's frame turned by quarters about Z."""
    robot = read_robot(parse_document(text.encode(), "robot.urdf"))
    turn = Transform(matrix_from_rpy((0.0, 0.0, 0.5 * math.pi * quarters)), ZERO)
    root = robot.links[robot.root]
    for shape in root.shapes:
        write_pose(shape.source, compose(turn, shape.pose), shape.pose, 1e-12)
    for joint in robot.joints:
        if joint.parent == robot.root:
            write_pose(joint.source, compose(turn, joint.origin), joint.origin, 1e-12)
    return robot.document.text()


@pytest.mark.parametrize("turn, yaw", [(0.0, "3.0"), (2e-12, "3.0"), (1e-9, "3.000000001")])
def test_an_origin_keeps_its_text_if_writing_cannot_tell_the_turn(turn, yaw):
    old = Transform(matrix_from_rpy((0.5, 0.25, 3.0)), ZERO)
    new = compose(Transform(matrix_from_rpy((0.0, 0.0, turn)), ZERO), old)
    document = parse_document(b'<visual><origin rpy="0.5 0.25 3.0"/></visual>', "a")
    write_pose(document.root, new, old, 1e-12)
    assert document.root.find("origin").get("rpy") == f"0.5 0.25 {yaw}"


def test_an_origin_that_is_made_has_both_of_its_attributes():
    shape = "<geometry><box size='1 2 3'/></geometry>"
    links = "".join(
        f"<link name='{name}'><visual>{shape}</visual></link>" for name in ("base", "pad")
    )
    mount = "<origin xyz='1 0 0'/><parent link='base'/><child link='pad'/>"
    text = f"<robot name='r'>{links}<joint name='mount' type='fixed'>{mount}</joint></robot>"
    written = [
        shape.source.find("origin")
        for frame in ("ros", "onshape")
        for shape in simplify_bytes(text.encode(), "robot.urdf", Options(base_frame=frame))
        .after.links["base"]
        .shapes
    ]
    assert [origin and origin.attributes for origin in written] == [
        None,
        {"xyz": "1 0 0", "rpy": "0 0 0"},
        {"xyz": "0 0 0", "rpy": "0 0 -1.570796326795"},
        {"xyz": "0 -1 0", "rpy": "0 0 -1.570796326795"},
    ]


TWO_ARMS = "".join(
    f"""<joint name="{side}_mount" type="fixed"><origin xyz="0 {y} 0"/><parent link="table"/><child link="{side}_base"/></joint>
<link name="{side}_base"/><joint name="{side}_j" type="revolute"><parent link="{side}_base"/><child link="{side}_arm"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<link name="{side}_arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"""
    for side, y in (("left", -1.5), ("right", 1.5))
)


def base_of(text):
    return find_base_frame(read_robot(parse_document(text.encode(), "robot.urdf")))


@pytest.mark.parametrize("root", ["table", "world", "map", "odom", "base_footprint"])
def test_a_frame_in_which_programs_plan_stays(root):
    """What is seen is said, with the option; the root of one robot, which has a mass, turns by the same evidence."""
    text = f'<robot name="r"><link name="table"/>{TWO_ARMS}</robot>'.replace('"table"', f'"{root}"')
    base = base_of(text)
    assert base.words == ROS and not base.assumed and base.R_new_old == IDENTITY
    assert f"'{root}'" in base.reason and "left is at -Y in 2 of 2 left/right pairs" in base.reason
    assert "--base-frame x=back,y=right,z=up" in base.reason
    mass = """<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""
    heavy = text.replace(f'<link name="{root}"/>', f'<link name="{root}">{mass}</link>')
    assert base_of(heavy).words == "x=back y=right z=up"


def test_a_planning_frame_of_one_robot_that_faces_forward_says_nothing():
    text = f'<robot name="r"><link name="world"/>{TWO_ARMS}</robot>'.replace('"table"', '"world"')
    turned = text.replace("0 -1.5 0", "0 1.0 0").replace("0 1.5 0", "0 -1.0 0")
    assert "world" not in base_of(turned).reason


def test_joints_of_a_hand_show_no_front():
    """One joint of a thumb, which is mounted aside; a wrist that leads to a hand is the arm's."""
    thumb = part("thumb", "base", "0 0.02 0.05", joint="thumb_proximal_pitch", axis="1 0 0")
    thumb += part("index", "base", "0.03 0 0.1", joint="index_proximal", axis="0 1 0")
    base = base_of(f'<robot name="hand"><link name="base"/>{thumb}</robot>')
    assert base.words == ROS and "no evidence" in base.reason
    wrist = part("gripper", "base", "0 0.2 0", joint="wrist_pitch", axis="1 0 0")
    base = base_of(f'<robot name="arm"><link name="base"/>{wrist}</robot>')
    assert "left is along X in 1 of 1 joint" in base.reason


def test_names_that_contradict_an_upright_robot_do_not_turn_it():
    """A leg that hangs along -X: roll about Y, yaw about X, pitch and knee about Z."""
    joints = (
        ("hip_roll", "0 1 0"),
        ("hip_yaw", "-1 0 0"),
        ("knee", "0 0 1"),
        ("ank_pitch", "0 0 -1"),
        ("ank_roll", "0 -1 0"),
    )
    text, above = "", "base"
    for number, (name, axis) in enumerate(joints):
        text += part(f"p{number}", above, "-0.1 0 0", joint=f"left_{name}", axis=axis)
        above = f"p{number}"
    base = base_of(f'<robot name="leg"><link name="base"/>{text}</robot>')
    assert base.words == ROS and base.assumed
    assert "2 of 5 joints named pitch, knee, elbow or roll, which disagree" in base.reason
    assert "--base-frame" in doubt_of(base)
