"""What the values of an act ask for, by the robot as compare reads it: so its law must be, whatever it decided."""
from fnmatch import fnmatchcase
from math import nan
from typing import Any, Callable, Dict, Sequence

from ..base.errors import ProofFailed
from ..compare.law import Law
from ..robot.records import RawJoint, RawRobot
from ..urdf.model import AS_IT_WAS, JointMap

AGREE = 1e-9  # [rad or m]


def verify_asked(robot: RawRobot, act: str, values: Sequence[Any], law: Law) -> None:
    """Verify that a law locks, maps and removes what the values of an act name, and nothing else.

    Raises:
        ProofFailed: it does not; a fault of this tool.
    """
    asked = ASKED[act](robot, values)
    for what, wanted, given in (("locks", asked.held, law.held), ("removes", asked.removed, law.removed),
                                ("maps", asked.maps, law.maps)):
        if set(wanted) != set(given):
            raise ProofFailed(f"{act}: {what} {sorted(set(wanted) ^ set(given))[0]}, or not, unasked", robot.file)
    for name, position in asked.held.items():
        _require(act, name, robot, holds=not abs(position - law.held[name]) > AGREE)
    for name, (sign, zero) in asked.maps.items():
        _require(act, name, robot, holds=sign == law.maps[name].sign and not abs(zero - law.maps[name].zero) > AGREE)


def _require(act: str, name: str, robot: RawRobot, *, holds: bool) -> None:
    if not holds:
        raise ProofFailed(f"{act}: joint '{name}' is not where it was asked to be", robot.file)


def _named(robot: RawRobot, values: Sequence[Any]) -> Dict[str, Any]:
    """Return the last value for each joint that is not fixed, by its name; None for a glob alone."""
    pairs = [value if isinstance(value, tuple) else (value, None) for value in values]
    return {joint.name: position for joint in robot.joints for glob, position in dict.fromkeys(pairs)
            if joint.type != "fixed" and fnmatchcase(joint.name, glob)}


def _position(joint: RawJoint, asked: Any) -> float:
    """Return a position [rad or m]; nan for a state of the SRDF, which only the act has read."""
    return float(asked) if not isinstance(asked, str) else nan if asked != "middle" else 0.5 * (
        (joint.lower or 0.0) + (joint.upper or 0.0))


def _locked(robot: RawRobot, values: Sequence[Any]) -> Law:
    """Return the law of locks: who follows is where its leader puts it; the circle ends where one was asked."""
    asked, joints = _named(robot, values), {joint.name: joint for joint in reversed(robot.joints)}
    leaders = {name: joints[joint.mimic.leader] for name, joint in joints.items()
               if joint.mimic is not None and joint.mimic.leader in joints and joint.type != "fixed"}
    held = {name: _position(joints[name], position) for name, position in asked.items() if name not in leaders}
    count = -1
    while len(held) > count:
        count = len(held)
        for name, leader in leaders.items():
            mimic, leads = joints[name].mimic, held.get(leader.name)
            leads = 0.0 if leads is None and leader.type == "fixed" and name in asked else leads
            if mimic is not None and leads is not None:
                held[name] = mimic.multiplier * leads + mimic.offset
        if len(held) == count:
            held.update({name: _position(joints[name], asked[name]) for name in sorted(asked.keys() - held.keys())[:1]})
    return Law(held=held)


def _zeros(robot: RawRobot, values: Sequence[Any]) -> Law:
    asked, joints = _named(robot, values), {joint.name: joint for joint in reversed(robot.joints)}
    zeros = {name: JointMap(1, _position(joints[name], position)) for name, position in asked.items()}
    return Law(maps={name: joint_map for name, joint_map in zeros.items() if joint_map != AS_IT_WAS})


def _flipped(robot: RawRobot, values: Sequence[Any]) -> Law:
    return Law(maps=dict.fromkeys(_named(robot, values), JointMap(-1)))


def _dropped(robot: RawRobot, values: Sequence[Any]) -> Law:
    removed = {link.name for link in robot.links for glob in values if fnmatchcase(link.name, glob)}
    count = -1
    while len(removed) > count:
        count = len(removed)
        removed |= {joint.child for joint in robot.joints if joint.parent in removed}
    return Law(removed=removed)


ASKED: Dict[str, Callable[[RawRobot, Sequence[Any]], Law]] = {
    "lock": _locked, "zero": _zeros, "flip": _flipped, "drop": _dropped}
