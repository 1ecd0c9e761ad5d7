"""The bodies and joints of both robots that each row of a comparison is about, in the data of the page."""

from __future__ import annotations

from itertools import chain
from typing import Dict, List, Sequence, Tuple

from ...compare.difference_records import Difference
from ...compare.robot_map import RobotMap
from ...compare.difference_kinds import KINDS
from ...robot.canonical_robot import CanonicalRobot

OF_JOINTS = ("joint", "line", "limit", "effort", "velocity", "mimic", "actuator")
Marks = Dict[str, List[int]]


def marks_of(robots: RobotMap, several: Sequence[Difference]) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that several differences are about, each once."""
    marks = [concerned(robots, difference) for difference in several]
    merged: Dict[str, Marks] = {"a": {}, "b": {}}
    for side, parts in merged.items():
        for part in ("bodies", "joints"):
            numbers = chain.from_iterable(concerns[side][part] for concerns in marks)
            parts[part] = list(dict.fromkeys(numbers))
    return merged


def concerned(robots: RobotMap, difference: Difference) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that a difference is about."""
    kind = difference.kind
    label = KINDS[kind].label
    bodies_a: List[int] = []
    joints_a: List[int] = []
    bodies_b: List[int] = []
    joints_b: List[int] = []
    if kind != "only_b":
        bodies_a, joints_a = _named(robots.a, difference, label)
    if kind.endswith("_b"):
        bodies_b, joints_b = _named(robots.b, difference, label)
    # The other robot shows the bodies and joints that are the same by the map.
    partner = {pair.choice.a: pair.choice.b for pair in robots.pairs}
    bodies_b += [robots.bodies[body] for body in bodies_a if body in robots.bodies]
    joints_b += [partner[joint] for joint in joints_a if joint in partner]
    return {
        "a": {"bodies": bodies_a, "joints": joints_a},
        "b": {"bodies": list(dict.fromkeys(bodies_b)), "joints": list(dict.fromkeys(joints_b))},
    }


def _named(
    robot: CanonicalRobot, difference: Difference, label: str
) -> Tuple[List[int], List[int]]:
    """Return the bodies and joints of a robot that a difference names; its label gives the kind of its names."""
    if label in OF_JOINTS and difference.kind != "sum":
        return _named_joints(robot, difference)
    names = difference.names if label in ("pairs", "loop") else difference.names[:1]
    links: Dict[str, str] = {}
    if label == "sensor":
        links.update({sensor.name: sensor.link for sensor in robot.raw.sensors})
    if label == "frame":
        links.update({frame.name: frame.link for frame in robot.raw.frames})
    return _bodies_of([links.get(name, name) for name in names], robot), []


def _named_joints(robot: CanonicalRobot, difference: Difference) -> Tuple[List[int], List[int]]:
    """Return the bodies below the joints that a difference names, and these joints."""
    # For other kinds only the first name is a joint.
    are_all_joints = difference.kind in ("only_a", "only_b")
    names = difference.names if are_all_joints else difference.names[:1]
    joints = [number for number, joint in enumerate(robot.joints) if joint.raw.name in names]
    # A joint that is fixed here is not in the lists of joints, so its link determines the body.
    if difference.kind in ("fixed_in_a", "fixed_in_b"):
        held = [joint.child for joint in robot.raw.joints if joint.name in names]
        return _bodies_of(held, robot), joints
    return [robot.joints[number].child for number in joints], joints


def _bodies_of(links: Sequence[str], robot: CanonicalRobot) -> List[int]:
    """Return the bodies of links, each once."""
    return list(dict.fromkeys(robot.body_of[link] for link in links if link in robot.body_of))
