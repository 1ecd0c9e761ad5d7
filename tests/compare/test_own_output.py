"""The proof inside a run and the comparison outside agree: what the tool writes is the same robot, an edit is named.

The comparison shares no code with the passes and their proof, and finds the map that the plan made, or is given it.
"""

import random
from typing import Callable, NamedTuple, Tuple

from conftest import examples, some_of
from hypothesis import example, given, strategies as st
from random_robots import Traits, write_robot
from remade import along

from engine import simplify

from urdf_tools.base.errors import UrdfSimplifyError
from urdf_tools.compare.comparison import compare
from urdf_tools.compare.mapping import Given, GivenJoint
from urdf_tools.compare.read import read_robot_of
from urdf_tools.compare.words import text_of
from urdf_tools.formats.reading import closing_loops
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.plan.options import Options
from urdf_tools.robot.canonical import canonical
from urdf_tools.robot.records import RawJoint, RawRobot
from urdf_tools.run.pipeline import simplify_bytes
from urdf_tools.urdf.spatial import cross, norm, Pose, scale, ZERO

LIKELY = Traits(links=12)
PLAIN = Traits(links=12, odd_joints=False, duplicates=0.0, mimics=0.0, hostile=0.0)
OPTIONS = Options(strip_hardware=False, base_frame="ros", snap=0.0)
MECHANICS = frozenset({"motion", "mass", "limits", "mimic", "loops", "dynamics"})
WITH_SHAPES = MECHANICS | {"shapes", "colors", "surfaces", "sensors", "actuators", "world"}
seeds = st.integers(0, 2**32 - 1)


def map_of(result):
    """Return the map that the plan made; the base is the first body, which is that below a root that floats."""
    plan = result.plan
    joints = tuple(
        GivenJoint(planned.joint.name, planned.joint.name, float(planned.map.sign))
        for planned in plan.joints.values()
    )
    first = canonical(read_urdf(result.source)).bodies[0].name
    return Given(joints, Pose(plan.placements[first].rotation, ZERO))


def unsaid(result, found):
    """Return the differences that the plan did not decide: shapes that are there twice are removed once."""
    removed = [one for one in found.differences if one.kind == "shape_only_a"]
    noted = any(
        difference.kind == "decided_shape" for difference in found.decided
    )  # the note was read
    assert len(removed) == (0 if noted else len(result.plan.removed_shapes))
    return [text_of(one) for one in found.differences if one.kind != "shape_only_a"]


@examples(fuzzed=300)  # 3,000 by `make fuzz`
@example(156157)  # the base is turned by 99.9 urad, which is nearly nothing
@example(356124)
@given(seeds)
def test_what_is_simplified_is_the_same_robot(seed):
    """With the map of the plan, and with the map that is found."""
    result = simplify_bytes(
        write_robot(random.Random(seed), LIKELY).encode("utf-8"), "robot.urdf", OPTIONS
    )
    before, after = read_urdf(result.source), read_urdf(result.data)
    for known in (map_of(result), None):
        found = compare(before, after, given=known, aspects=WITH_SHAPES)
        assert unsaid(result, found) == [], known is None


Edit = Callable[[RawRobot, RawJoint], RawRobot]


def with_joint(robot, joint, **changes):
    return robot._replace(
        joints=tuple(one._replace(**changes) if one is joint else one for one in robot.joints)
    )


def heavier(robot, joint):
    """Return the robot with 7 % more of the link behind a joint, tensor and all."""
    return robot._replace(
        links=tuple(
            link._replace(
                mass=link.mass._replace(
                    mass=1.07 * link.mass.mass,
                    tensor=tuple(1.07 * part for part in link.mass.tensor),
                )
            )
            if link.name == joint.child and link.mass is not None
            else link
            for link in robot.links
        )
    )


def aside(robot, joint):
    """Return the robot with all behind a joint 41 mm further across its axis."""
    T = joint.T_parent_child
    axis = along(T, joint.axis)
    way = cross(
        axis,
        min(
            ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            key=lambda one: abs(sum(p * q for p, q in zip(one, axis))),
        ),
    )
    x, y, z = (p + q for p, q in zip(T.translation, scale(0.041 / norm(way), way)))
    return with_joint(robot, joint, T_parent_child=T._replace(translation=(x, y, z)))


def stands_before(robot, joint):
    """Return True if a body before a joint moves on another and has something to see: else only the base has moved."""
    above = {other.child: other for other in robot.joints}
    behind = {joint.child}
    for _ in robot.joints:
        behind |= {other.child for other in robot.joints if other.parent in behind}
    before = [link for link in robot.links if link.name not in behind]
    return (
        joint.parent in above
        and above[joint.parent].moves
        and any(link.shapes or link.mass is not None and link.mass.mass > 0.0 for link in before)
    )


def weight_of(robot, joint):
    return next(
        (
            link.mass.mass
            for link in robot.links
            if link.name == joint.child and link.mass is not None
        ),
        0.0,
    )


class Kind(NamedTuple):
    """A kind of edit: what does it, which joints it can be done to, and the one difference that it makes."""

    edit: Edit
    can_be_done: Callable[[RawRobot, RawJoint], bool]
    kinds: Tuple[str, ...]


EDITS = {
    "mass": Kind(
        heavier,
        lambda robot, joint: (
            weight_of(robot, joint) > 1e-3
            and not any(one.parent == joint.child and one.type == "fixed" for one in robot.joints)
        ),
        ("mass",),
    ),  # else its center, too
    "effort": Kind(
        lambda robot, joint: with_joint(robot, joint, effort=2.0 * (joint.effort or 0.0) + 1.0),
        lambda _, joint: joint.effort is not None,
        ("effort",),
    ),
    "upper limit": Kind(
        lambda robot, joint: with_joint(robot, joint, upper=(joint.upper or 0.0) + 0.2),
        lambda _, joint: joint.upper is not None,
        ("limits",),
    ),
    "damping": Kind(
        lambda robot, joint: with_joint(robot, joint, values={**joint.values, "damping": (7.25,)}),
        lambda _, joint: True,
        ("dynamics",),
    ),
    "aside": Kind(
        aside,
        lambda robot, joint: joint.type != "prismatic" and stands_before(robot, joint),
        ("shifted",),
    ),
}


@examples(fuzzed=300)  # 3,000 by `make fuzz`
@example(353, "aside", False)  # nothing to see before the joint
@given(seeds, st.sampled_from(tuple(EDITS)), st.booleans())
def test_an_edit_of_what_was_written_is_named_alone(seed, word, is_given):
    result = simplify_bytes(
        write_robot(random.Random(seed), PLAIN).encode("utf-8"), "robot.urdf", OPTIONS
    )
    before, after = read_urdf(result.source), read_urdf(result.data)
    kind = EDITS[word]
    joints = [joint for joint in after.joints if joint.moves and kind.can_be_done(after, joint)]
    if not joints:
        return
    joint = random.Random(seed).choice(joints)
    found = compare(
        before,
        kind.edit(after, joint),
        given=map_of(result) if is_given else None,
        aspects=MECHANICS,
    )
    assert [(one.kind, one.names[0]) for one in found.differences] in [
        [(one, name)] for one in kind.kinds for name in (joint.name, joint.child)
    ]


FORMATS = {
    "model": WITH_SHAPES,
    "sdf": WITH_SHAPES,
    "mjcf": WITH_SHAPES - {"actuators"},
}


def test_all_formats_of_real_robots_are_the_same_robot(shared, tmp_path):
    """Each robot that can be exported without making up masses."""
    same = []
    robots = sorted((shared / "robots").glob("*.urdf"))
    for path in some_of(robots, 3):
        result = simplify(path, tmp_path / "robot.urdf", force=True, strip_hardware=False)
        before, after = read_robot_of(path), read_robot_of(tmp_path / "robot.urdf")
        found = compare(before, after, given=map_of(result), aspects=WITH_SHAPES)
        assert unsaid(result, found) == [], path.name
        assert unsaid(result, compare(before, after, aspects=WITH_SHAPES)) == [], path.name
        for name, aspects in FORMATS.items():
            written = tmp_path / f"{path.stem}.{name}"
            try:
                simplify(
                    path,
                    tmp_path / "robot.urdf",
                    force=True,
                    strip_hardware=False,
                    **{name: written},
                )
            except UrdfSimplifyError as refused:
                assert "no body has the principal moments" in str(refused) or "mass" in str(refused)
                continue
            found = compare(after, read_robot_of(written), aspects=aspects)
            lost = [
                loop.name
                for loop in after.loops
                if name == "sdf" and loop not in closing_loops(after)
            ]
            assert [one.where for one in found.differences] == lost, (path.name, name)
            assert {one.kind for one in found.differences} <= {"loop_only_a"}
            same.append(f"{path.stem} {name}")
    assert len(same) > 30 * len(some_of(robots, 3)) / len(robots)
