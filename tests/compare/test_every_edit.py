"""One edit of each kind on whole robots: what must be said is said, and nothing else. Ours, and public ones beside."""

import math
import random
from functools import lru_cache
from typing import Callable, NamedTuple

import pytest
from conftest import FUZZ, some_of
from remade import How, motion, remake, times
from remade_table import MECHANICS, OWN

from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.raw_robot import RawJoint, RawRobot
from urdf_tools.urdf.spatial_math import add, cross

STEP = 0.041  # m, a subtree that is elsewhere
Edit = Callable[[RawRobot, RawJoint], RawRobot]


NO_MESHES = frozenset(ASPECTS) - {"meshes"}  # they are not there


@lru_cache(maxsize=None)
def robot_of(path):
    return read_urdf(path.read_bytes(), str(path))


def with_joint(robot, joint):
    return robot._replace(
        joints=tuple(joint if one.child == joint.child else one for one in robot.joints)
    )


def with_mass(robot, name, change):
    return robot._replace(
        links=tuple(
            link._replace(mass=change(link.mass)) if link.name == name and link.mass else link
            for link in robot.links
        )
    )


def across(axis):
    """Return a direction across an axis, of length 1."""
    x, y, z = cross(
        axis,
        min(
            ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            key=lambda one: abs(sum(a * b for a, b in zip(one, axis))),
        ),
    )
    size = math.sqrt(x * x + y * y + z * z)
    return (x / size, y / size, z / size)


def heavier(robot, joint):
    return with_mass(
        robot,
        joint.child,
        lambda mass: mass._replace(
            mass=1.07 * mass.mass, tensor=tuple(1.07 * part for part in mass.tensor)
        ),
    )


def off_center(robot, joint):
    return with_mass(
        robot, joint.child, lambda mass: mass._replace(center=add(mass.center, (0.004, 0.0, 0.0)))
    )


def without_turn(robot, joint):
    """A quarter turn of the inertial about z is lost."""

    def turned(mass):
        xx, xy, xz, yy, yz, zz = mass.tensor
        return mass._replace(tensor=(yy, -xy, yz, xx, -xz, zz))

    return with_mass(robot, joint.child, turned)


def wider(robot, joint):
    return with_joint(robot, joint._replace(upper=(joint.upper or 0.0) + 0.2))


def stronger(robot, joint):
    return with_joint(robot, joint._replace(effort=2.0 * (joint.effort or 0.0)))


def fixed(robot, joint):
    return with_joint(robot, joint._replace(type="fixed"))


def elsewhere(robot, joint):
    """The joint with all behind it, across its axis."""
    x, y, z = across(joint.axis)
    step = times(
        joint.T_parent_child,
        joint.T_parent_child._replace(
            rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            translation=(STEP * x, STEP * y, STEP * z),
        ),
    )
    return with_joint(robot, joint._replace(T_parent_child=step))


def axis_alone(robot, joint):
    x, y, z = across(joint.axis)
    return with_joint(
        robot, joint._replace(point=add(joint.point, (0.003 * x, 0.003 * y, 0.003 * z)))
    )


def other_zero(robot, joint):
    """A quarter turn is added to all positions, also to those that a servo takes."""
    quarter = 0.5 * math.pi
    robot = robot._replace(
        actuators=tuple(
            servo._replace(
                values={
                    **servo.values,
                    "control_range": tuple(
                        bound + quarter for bound in servo.values["control_range"]
                    ),
                }
            )
            if servo.joint == joint.name
            and servo.kind == "position"
            and "control_range" in servo.values
            else servo
            for servo in robot.actuators
        )
    )
    return with_joint(
        robot,
        joint._replace(
            T_parent_child=times(joint.T_parent_child, motion(joint, -quarter)),
            lower=(joint.lower or 0.0) + quarter,
            upper=(joint.upper or 0.0) + quarter,
        ),
    )


def massless(robot, joint):
    return robot._replace(links=tuple(link._replace(mass=None) for link in robot.links))


class Case(NamedTuple):
    """An edit, the kind of the one difference (none: ""), and the verdict."""

    edit: Edit
    kind: str
    verdict: str


CASES = (
    Case(heavier, "mass", "masses"),
    Case(off_center, "center", "masses"),
    Case(without_turn, "tensor_turned", "masses"),
    Case(wider, "limits", "limits"),
    Case(stronger, "effort", "limits"),
    Case(fixed, "fixed_in_b", "structure"),
    Case(elsewhere, "shifted", "geometry"),
    Case(axis_alone, "shifted_alone", "geometry"),
    Case(other_zero, "", "same"),
    Case(massless, "no_masses", "masses"),
)


def edited_joint(robot):
    """Return a joint with limits, an effort and a body of one link that says its mass; others mimic no such."""
    own = canonical(robot)
    links = {link.name: link for link in robot.links}
    leaders = {joint.mimic.leader for joint in robot.joints if joint.mimic}
    names = [joint.name for joint in robot.joints]
    fitting = []
    for joint in own.joints:
        raw, body = joint.raw, own.bodies[joint.child]
        heavy = [
            part.link
            for part in body.parts
            if part.link.mass is not None and part.link.mass.mass > 0.0
        ]
        mass = links[raw.child].mass
        if (
            raw.type == "revolute"
            and raw.mimic is None
            and raw.name not in leaders
            and names.count(raw.name) == 1
            and raw.lower is not None
            and raw.effort
            and [link.name for link in heavy] == [raw.child]
            and mass is not None
            and _is_long(mass.tensor)
            and own.child_joints[joint.child]
        ):
            fitting.append(raw)
    return random.Random(robot.name).choice(fitting) if fitting else None


def _is_long(tensor):
    """Return True if a quarter turn about z is seen in a tensor."""
    return abs(tensor[0] - tensor[3]) > 0.05 * max(map(abs, tensor))


def said(path, case, how):
    """Return the kinds of differences, the verdict, and the names that the first one has."""
    robot = robot_of(path)
    joint = edited_joint(robot)
    assert joint is not None
    edited = case.edit(robot, joint)
    comparison = (
        compare(robot, edited, aspects=NO_MESHES)
        if how is None
        else compare(robot, remake(edited, random.Random(3), how).robot, aspects=MECHANICS)
    )
    return (
        [one.kind for one in comparison.differences],
        comparison.verdict,
        [
            name
            for one in comparison.differences
            for name in one.names[:1]
            if name in (joint.name, joint.child)
        ],
    )


@pytest.mark.parametrize("case", CASES, ids=[case.edit.__name__ for case in CASES])
@pytest.mark.parametrize("how", (None, How(zeros="any")), ids=("as it is", "another author"))
def test_an_edit_is_said_and_nothing_else(case, how):
    """Of the robots of the fixtures, also where another author wrote the edited one: of one of them, as that takes long."""
    fitting = [path for path in OWN if edited_joint(robot_of(path)) is not None]
    if how is not None and not FUZZ:
        fitting = [fitting[-CASES.index(case) % len(fitting)]]
    for path in fitting:
        kinds, verdict, named = said(path, case, how)
        assert (kinds, verdict) == ([case.kind] if case.kind else [], case.verdict), path
        assert named or case.kind in ("", "no_masses"), path


@pytest.mark.parametrize("case", CASES, ids=[case.edit.__name__ for case in CASES])
def test_an_edit_of_a_public_robot_is_said_and_nothing_else(case, shared):
    files = [
        path
        for path in sorted((shared / "robots").glob("*.urdf"))
        if edited_joint(robot_of(path)) is not None
    ]
    wrong = {
        path.name: found
        for path in some_of(files, 3)
        for found in [said(path, case, None)[:2]]
        if found != ([case.kind] if case.kind else [], case.verdict)
    }
    assert len(files) >= 8 and not wrong
