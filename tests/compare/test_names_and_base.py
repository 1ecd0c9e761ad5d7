"""Names that stand for another joint or link, how the base is held, and from which link a robot is started."""

import json
import random

import pytest
from conftest import examples, SEEDS
from hypothesis import given
from random_robots import Traits, write_robot
from remade import arm, from_another_root, How, remake

from urdf_tools.base.errors import UsageError
from urdf_tools.compare import map_search
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.given_or_searched_map import Given, GivenJoint
from urdf_tools.compare.comparison_text import as_json, given_of_json, report
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.formats.urdf.read_urdf import read_urdf

PLAIN = Traits(links=8, odd_joints=False, duplicates=0.0, mimics=0.0, hostile=0.0)
LIMB = """<link name="{0}_upper">{2}</link><link name="{0}_lower">{2}</link><link name="{0}_camera"/>
  <joint name="{0}_shoulder" type="revolute"><parent link="base"/><child link="{0}_upper"/><origin xyz="0 {1} 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="{3}" effort="9" velocity="3"/></joint>
  <joint name="{0}_elbow" type="revolute"><parent link="{0}_upper"/><child link="{0}_lower"/><origin xyz="0 0 -0.3"/>
    <axis xyz="1 0 0"/><limit lower="-0.5" upper="1" effort="5" velocity="3"/></joint>
  <joint name="{0}_mount" type="fixed"><parent link="{0}_lower"/><child link="{0}_camera"/>
    <origin xyz="0 0 -0.2"/></joint>
  <gazebo reference="{0}_lower"><sensor name="{0}_eye" type="camera"><update_rate>30</update_rate></sensor></gazebo>
"""
SOLID = """<inertial><origin xyz="0.01 0 -0.1"/><mass value="1"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial>"""


def two_limbs(first, second):
    return read_urdf(
        f"""<robot name="r"><link name="base">{SOLID}</link>{LIMB.format(first, 0.2, SOLID, 2)}
        {LIMB.format(second, -0.25, SOLID, 2.5)}</robot>""".encode()
    )


def test_left_for_right_in_every_name_is_a_difference_of_names_alone():
    found = compare(two_limbs("left", "right"), two_limbs("right", "left"))
    assert (found.verdict, found.exit_code) == ("names", 1)
    assert [(one.kind, *one.names) for one in found.differences] == [
        ("joint_name", f"{side}_{joint}", f"{other}_{joint}")
        for side, other in (("left", "right"), ("right", "left"))
        for joint in ("shoulder", "elbow")
    ]
    assert "joint left_elbow of A is right_elbow of B" in report(found)


def test_without_names_they_are_a_note_and_so_where_the_map_is_given():
    a, b = two_limbs("left", "right"), two_limbs("right", "left")
    known = given_of_json(json.loads(json.dumps(as_json(compare(a, b)))))
    for found in (compare(a, b, names="structure"), compare(a, b, given=known)):
        assert (found.verdict, found.differences) == ("same", ())
        assert "names joint left_elbow of A is right_elbow of B" in found.notes
    asked = compare(a, b, aspects=frozenset({"motion", "mass"}))
    assert (asked.verdict, asked.noted) == ("same", ())


def test_other_names_are_no_difference():
    aspects = frozenset(ASPECTS) - {"sensors"}  # which pair by name
    found = compare(two_limbs("left", "right"), two_limbs("port", "starboard"), aspects=aspects)
    assert (found.verdict, found.differences, found.noted) == ("same", (), ())


@examples(fuzzed=60)
@given(SEEDS)
def test_names_that_changed_places_are_never_the_same_robot(seed):
    """Joints that carry one another are never alike, so whatever the map is, a name stands for another joint."""
    r = random.Random(seed)
    robot = read_urdf(write_robot(r, PLAIN).encode())
    below = {joint.parent: joint for joint in robot.joints if joint.moves}
    chain = next(
        (
            (joint, below[joint.child])
            for joint in robot.joints
            if joint.moves and joint.child in below
        ),
        None,
    )
    if chain is not None:
        first, second = chain
        other = robot._replace(
            joints=tuple(
                joint._replace(name=second.name)
                if joint is first
                else joint._replace(name=first.name)
                if joint is second
                else joint
                for joint in robot.joints
            )
        )
        assert first.name != second.name
        assert compare(robot, other).exit_code == 1 or compare(other, robot).exit_code == 1


HELD = """<robot name="r"><link name="{0}"/><link name="base">{2}</link><link name="arm">{2}</link>
  <joint name="mount" type="{1}"><parent link="{0}"/><child link="base"/></joint>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/></joint></robot>"""
ON_WORLD, FLOATING, ON_A_FRAME = (
    HELD.format(*words, SOLID)
    for words in (("world", "fixed"), ("world", "floating"), ("footprint", "fixed"))
)
WORLD_BEHIND = ON_WORLD.replace(
    '<parent link="world"/><child link="base"/>', '<parent link="base"/><child link="world"/>'
)
MJCF = """<mujoco><worldbody><body name="base">{}<inertial pos="0.01 0 -0.1" mass="1" diaginertia="0.01 0.02 0.015"/>
  <body name="arm" pos="0 0 1"><joint name="j" axis="1 0 0"/><inertial pos="0.01 0 -0.1" mass="1"
  diaginertia="0.01 0.02 0.015"/></body></body></worldbody></mujoco>"""
FIXED_MJCF, FREE_MJCF = MJCF.format(""), MJCF.format("<freejoint/>")


def robot_of(text):
    return read_mjcf(text.encode()) if text.startswith("<mujoco") else read_urdf(text.encode())


@pytest.mark.parametrize(
    "a, b, verdict, sentence",
    [
        (ON_WORLD, ON_WORLD, "same", None),
        (ON_A_FRAME, ON_A_FRAME, "same", None),
        (FLOATING, ON_A_FRAME, "same", None),
        (ON_WORLD, ON_A_FRAME, "base", "the base is fixed in A, free in B"),
        (ON_WORLD, WORLD_BEHIND, "base", "the base is fixed in A, free in B"),
        (FLOATING, ON_WORLD, "base", "the base is free in A, fixed in B"),
        (FIXED_MJCF, FREE_MJCF, "base", "the base is fixed in A, free in B"),
        (ON_WORLD, FIXED_MJCF, "same", None),
        (ON_WORLD, FREE_MJCF, "base", "the base is fixed in A, free in B"),
        (FLOATING, FREE_MJCF, "same", None),
        (FLOATING, FIXED_MJCF, "base", "the base is free in A, fixed in B"),
        (
            ON_A_FRAME,
            FIXED_MJCF,
            "same",
            "base A does not say whether its base is fixed; it is fixed in B",
        ),
        (
            FREE_MJCF,
            ON_A_FRAME,
            "same",
            "base B does not say whether its base is fixed; it is free in A",
        ),
    ],
)
def test_how_the_base_is_held_counts(a, b, verdict, sentence):
    found = compare(robot_of(a), robot_of(b))
    said = [note for note in found.notes if note.startswith("base ")]
    assert found.verdict == verdict and [one.kind for one in found.differences] == ["base"] * (
        verdict == "base"
    )
    if sentence is None:
        assert said == []
    else:
        assert sentence in report(found) and bool(said) == (verdict == "same")


@pytest.mark.parametrize("links", (2, 3, 7))
def test_a_robot_written_from_any_link_is_the_same_and_so_is_its_map_when_it_is_given(
    links,
):
    """The map says from which link B is started; without a base it is found from the joints alone."""
    robot = arm()
    robot = robot._replace(links=robot.links[:links], joints=robot.joints[: links - 1])
    for link in robot.links[1:]:
        other = from_another_root(remake(robot, random.Random(3), How(base="any")).robot, link.name)
        found = compare(robot, other)
        assert (found.map.b.root, found.exit_code) == ("base", 0), link.name
        form = json.loads(json.dumps(as_json(found)))
        assert compare(robot, other, given=given_of_json(form)).exit_code == 0
        joints = tuple(
            GivenJoint(row["a"], row["b"], row["sign"], row["offset"]) for row in form["joints"]
        )
        assert compare(robot, other, given=Given(joints, None)).exit_code == 0
        form["base"]["root"] = "nowhere"
        with pytest.raises(UsageError, match="'nowhere', which is not a link of B"):
            compare(robot, other, given=given_of_json(form))


def test_a_mutant_that_starts_from_the_root_of_the_file_is_seen(
    monkeypatch,
):
    monkeypatch.setattr(map_search, "root_of_partners", lambda a, b, partner: "")
    robot = arm()._replace(links=arm().links[:2], joints=arm().joints[:1])
    assert compare(robot, from_another_root(robot, robot.links[1].name)).exit_code == 1


def test_a_frame_in_the_world_beside_a_robot_that_floats_is_named_as_not_compared():
    """The world holds no robot that floats, so where a frame of the world lies says nothing of it."""
    mark = """<link name="mark"/><joint name="m" type="fixed"><parent link="world"/><child link="mark"/>
      <origin xyz="{} 0 0"/></joint></robot>"""
    texts = [FLOATING.replace("</robot>", mark.format(x)) for x in (1, 2)]
    note = "fixed in the world beside a robot that floats, and not compared: mark"
    for other in (texts[1], FLOATING, FREE_MJCF):
        found = compare(robot_of(texts[0]), robot_of(other))
        assert found.verdict == "same" and note in found.notes
    assert all(
        note not in compare(robot_of(text), robot_of(text)).notes for text in (FLOATING, ON_WORLD)
    )
