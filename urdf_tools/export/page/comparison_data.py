"""What each row of a comparison is about: bodies and joints of both robots, in the data of the page."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from ...compare.differences import Difference
from ...compare.robot_map import RobotMap
from ...compare.words import KINDS
from ...robot.canonical import CanonicalRobot

OF_JOINTS = ("joint", "line", "limit", "effort", "velocity", "mimic", "actuator")
Marks = Dict[str, List[int]]


def marks_of(robots: RobotMap, several: Sequence[Difference]) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that one of several differences is about."""
    marks = [concerned(robots, difference) for difference in several]
    return {
        side: {
            part: list(
                dict.fromkeys(number for concerns in marks for number in concerns[side][part])
            )
            for part in ("bodies", "joints")
        }
        for side in ("a", "b")
    }


def concerned(robots: RobotMap, difference: Difference) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that a difference is about."""
    kind = difference.kind
    label = KINDS[difference.kind].label
    bodies_a, joints_a = _named(robots.a, difference, label, only_b=kind == "only_b")
    bodies_b, joints_b = (
        _named(robots.b, difference, label, only_b=False) if kind.endswith("_b") else ([], [])
    )
    partner = {pair.choice.a: pair.choice.b for pair in robots.pairs}
    bodies_b += [robots.bodies[body] for body in bodies_a if body in robots.bodies]
    joints_b += [partner[joint] for joint in joints_a if joint in partner]
    return {
        "a": {"bodies": bodies_a, "joints": joints_a},
        "b": {"bodies": list(dict.fromkeys(bodies_b)), "joints": list(dict.fromkeys(joints_b))},
    }


def _named(
    robot: CanonicalRobot, difference: Difference, label: str, *, only_b: bool
) -> Tuple[List[int], List[int]]:
    """Return the bodies and joints of a robot that a difference names; its label says what its names are."""
    if only_b:
        return [], []
    if label in OF_JOINTS and difference.kind != "sum":
        names = set(
            difference.names if difference.kind in ("only_a", "only_b") else difference.names[:1]
        )
        joints = [number for number, joint in enumerate(robot.joints) if joint.raw.name in names]
        if difference.kind in ("fixed_in_a", "fixed_in_b"):
            held = [joint.child for joint in robot.raw.joints if joint.name in names]
            return list(
                dict.fromkeys(robot.body_of[link] for link in held if link in robot.body_of)
            ), joints
        return [robot.joints[number].child for number in joints], joints
    links = {
        **{sensor.name: sensor.link for sensor in robot.raw.sensors if label == "sensor"},
        **{frame.name: frame.link for frame in robot.raw.frames if label == "frame"},
    }
    names_of_links = difference.names if label in ("pairs", "loop") else difference.names[:1]
    bodies = [
        robot.body_of[links.get(name, name)]
        for name in names_of_links
        if links.get(name, name) in robot.body_of
    ]
    return list(dict.fromkeys(bodies)), []
