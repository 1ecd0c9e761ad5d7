"""Finding the map: a robot written by another author is the same, the bound holds, and an edit is named alone."""

import math
import random
import re
from functools import partial

import pytest
from conftest import examples, FUZZ, ROOT, SEEDS
from hypothesis import example, given, strategies as st
from random_robots import Traits, write_robot
from remade import (
    arm,
    forward,
    How,
    LINES,
    remake,
    worst_of,
)

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.rounded_angles import other_rpy
from urdf_tools.formats.reader_helpers import rotation_of_rpy
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.rigid_bodies import SLIDES
from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.urdf.spatial_math import rpy_from_matrix

ORDINARY = Traits(links=10)
PLAIN = Traits(links=10, odd_joints=False, duplicates=0.0, mimics=0.0, hostile=0.0)
MECHANICS = frozenset({"motion", "mass", "limits", "mimic", "loops"})
NO_MESHES = frozenset(ASPECTS) - {"meshes"}  # they are not there


def robot_of(seed, traits):
    return read_urdf(write_robot(random.Random(seed), traits).encode())


@examples(fuzzed=100)
# The root is a point, and floats: only what the next body carries shows how it lies.
@example(12777, "")
# A body without mass carries a floating joint alone: what is behind that shows its zero.
@example(13076, "any")
# Only its limits show the zero of an empty link, 1.3 mm from where its frame nearly fits.
@example(4731, "any")
@given(SEEDS, st.sampled_from(("", "right", "any")))
def test_another_author_s_file_is_the_same_robot(seed, zeros):
    """Other link frames, signs, zeros, order and base."""
    robot = robot_of(seed, ORDINARY)
    other = remake(robot, random.Random(seed), How(zeros=zeros)).robot
    comparison = compare(robot, other, aspects=MECHANICS)
    assert (comparison.differences, comparison.exit_code) == ((), 0)


@examples(6, fuzzed=60)
# Names pair one of two joints by chance: the other ones are no joints that are missing.
@example(100000000, "right")
@example(12728, "any")  # a slide next to its zero, or a base that is shifted
# A body that has no mass fits half a turn on as well: what it carries says which.
@example(12927, "right")
@example(178, "any")  # nothing but its limits shows the zero of a slide, and that is next to none
@given(SEEDS, st.sampled_from(("right", "any")))
def test_names_are_not_needed(seed, zeros):
    """But where the base is a frame that carries slides alone: a shift of it and of their zeros are one (README)."""
    robot = robot_of(seed, PLAIN)
    comparison = compare(
        robot, remake(robot, random.Random(seed), How(True, zeros)).robot, aspects=MECHANICS
    )
    base = canonical(robot).bodies[0]
    slides = all(joint.motion == SLIDES for joint in canonical(robot).joints if joint.parent == 0)
    assert (
        comparison.exit_code == 0
        or slides
        and (base.mass is None or not base.mass.mass)
        and (comparison.verdict in ("limits", "geometry"))
    )


def positions(robot, r):
    """Return random positions by child link, those of slides within their limits."""
    found = {}
    for joint in robot.joints:
        if joint.type in LINES:
            low, high = (
                (joint.lower or 0.0, joint.upper or 0.0)
                if joint.type == "prismatic"
                else (-3.0, 3.0)
            )
            found[joint.child] = r.uniform(low, high)
    return found


def worst_in(comparison, r):
    """Return how far apart links are at most in eight positions, by a forward kinematics of its own [m]."""
    places = [partial(forward, robot) for robot in (comparison.a, comparison.b)]
    return worst_of(comparison, *places, "child", [positions(comparison.a, r) for _ in range(8)])


@examples(6, fuzzed=80)
# Robots whose points come near the bound: to four fifths of it.
@example(79, 1e-3, 10)
@example(79, 2e-2, 10)
@given(SEEDS, st.sampled_from((0.0, 1e-9, 1e-5, 1e-3, 2e-2)), st.just(10 if FUZZ else 4))
def test_no_point_is_ever_beyond_the_bound(seed, noise, links):
    """Also where the difference is no rounding error any more, and bodies stay where they were."""
    r = random.Random(seed)
    robot = robot_of(seed, PLAIN._replace(links=links))
    comparison = compare(
        robot, remake(robot, r, How(zeros="any", noise=noise)).robot, aspects=MECHANICS
    )
    if comparison.bound is not None:
        assert worst_in(comparison, r) <= comparison.bound.position + 2e-9


def of_joint(change):
    """Return the edit of the joint that a robot has under a name."""
    return lambda robot, name: robot._replace(
        joints=tuple(change(joint) if joint.name == name else joint for joint in robot.joints)
    )


@pytest.mark.parametrize(
    "bare", (False, True), ids=("its lines show where it is", "nothing else shows where it is")
)
@pytest.mark.parametrize("renamed", (False, True), ids=("one name", "two names"))
@pytest.mark.parametrize("by", (5e-4, 1.9e-3, 2.1e-3))
def test_limits_that_both_moved_a_little_are_a_zero_only_where_nothing_else_shows_one(
    bare, renamed, by
):
    """Under one name nothing but the frames of the joint shows its zero: the limits are another fact."""
    robot = arm()
    name = "j6" if bare else "j3"
    if bare:
        robot = robot._replace(
            links=tuple(
                link._replace(mass=None) if link.name == "l6" else link
                for link in robot.links
                if link.name != "tool0"
            ),
            joints=tuple(joint for joint in robot.joints if joint.name != "mount"),
        )
    comparison = compare(
        robot,
        of_joint(
            lambda joint: joint._replace(
                name="other" if renamed else name,
                lower=(joint.lower or 0.0) + by,
                upper=(joint.upper or 0.0) + by,
            )
        )(robot, name),
    )
    found = {pair.a.raw.name: pair.offset for pair in comparison.map.pairs}
    by_limits = bare and renamed
    assert [one.kind for one in comparison.differences] == ([] if by_limits else ["limits"])
    assert found == pytest.approx(
        {**dict.fromkeys(found, 0.0), name: by if by_limits else 0.0}, abs=1e-12
    )


JOINT_OF = (
    '<joint name="to_{1}" type="continuous"><parent link="{0}"/><child link="{1}"/>'
    '<origin xyz="0 0 0.3" rpy="0 0 {2!r}"/><axis xyz="{3}"/></joint>'
)
WITH_MASS = (
    '<link name="{}"><inertial><origin xyz="{}"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)


def turning(zero, below):
    """Return a robot whose first joint is drawn at an angle; what it carries is `below`."""
    first = JOINT_OF.format("base", "a", zero, "0 0 1")
    text = f"<robot name='r'>{WITH_MASS.format('base', '0 0.01 0.02')}{first}{below}</robot>"
    return read_urdf(text.encode())


@pytest.mark.parametrize(
    ("zero", "below"),
    [
        (0.7, WITH_MASS.format("a", "0 0 0.1")),
        # Without mass it fits half a turn on as well: what hangs on the joint across it says which.
        (
            math.pi,
            '<link name="a"/>'
            + JOINT_OF.format("a", "b", 0.0, "1 0 0")
            + WITH_MASS.format("b", "0.1 0.1 0.2"),
        ),
    ],
    ids=["the tensor alone", "what is below a link without mass"],
)
def test_one_thing_alone_shows_a_zero(zero, below):
    found = compare(turning(0.0, below), turning(zero, below))
    assert (found.verdict, found.differences) == ("same", ())
    assert abs(math.remainder(found.map.pairs[0].offset + zero, 2.0 * math.pi)) < 1e-9


def test_a_mirrored_robot_is_another_one():
    """Distances are equal, but no turn leads from left to right."""
    robot = arm()
    joints = tuple(
        joint._replace(
            T_parent_child=joint.T_parent_child._replace(
                translation=(
                    joint.T_parent_child.translation[0],
                    -joint.T_parent_child.translation[1],
                    joint.T_parent_child.translation[2],
                )
            )
        )
        for joint in robot.joints
    )
    assert compare(robot, robot._replace(joints=joints)).verdict == "geometry"


def test_angles_that_were_typed_are_one_cause_and_the_bound_is_of_the_files():
    text = (ROOT / "fixtures/arm/robot.urdf").read_text("utf-8")
    typed = re.sub(r"(?<![\d.])1\.570\d+", "1.57", re.sub(r"(?<![\d.])3\.141\d*", "3.14", text))
    found = compare(read_urdf(text.encode()), read_urdf(typed.encode()))
    assert {one.kind for one in found.differences} <= {"typed", "limits"}
    assert [one.names[:2] for one in found.differences if one.kind == "typed"] == [
        ("1.57", "pi/2"),
        ("3.14", "pi"),
    ]
    assert found.bound is not None and all(
        one.size == found.bound.position for one in found.differences if one.kind == "typed"
    )
    assert 0.05 * found.bound.position < worst_in(found, random.Random(4)) <= found.bound.position
    same = compare(read_urdf(typed.encode()), read_urdf(typed.encode()), aspects=NO_MESHES)
    assert same.differences == () and same.verdict == "same"


@given(
    st.lists(
        st.sampled_from([0.0, 1.57, -1.57, 3.14, -3.14, 0.785, 0.3, 1e-6]) | st.floats(-3.2, 3.2),
        min_size=3,
        max_size=3,
    )
)
def test_both_ways_to_write_a_rotation_are_it(rpy):
    R = rotation_of_rpy(rpy)
    for angles in (rpy_from_matrix(R), other_rpy(rpy_from_matrix(R))):
        assert (
            max(
                abs(p - q)
                for one, other in zip(R, rotation_of_rpy(angles))
                for p, q in zip(one, other)
            )
            < 2e-9
        )
