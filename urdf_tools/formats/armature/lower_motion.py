"""How far joints may move and which follow others, as an armature needs it: nothing left to a default."""
from collections import defaultdict
from typing import Dict, List, NamedTuple, Optional, Tuple

from ...base.diagnostics import Diagnostic
from ...model.kinds import EXPORT_LOST
from ...robot.followers import positions_of
from ...robot.records import OUT_OF_REACH
from ...urdf.model import MOVABLE, Robot
from ..kinds import EXPORT_MISREAD

ARMATURE = "the armature"  # as sentences name it


class Rule(NamedTuple):
    """What a follower does: `multiplier` times the position of `leader`, plus `offset`; None: it rests at `offset`."""

    leader: Optional[str]
    multiplier: float
    offset: float


class Motion(NamedTuple):
    """By child link, the range of each joint that has one, and the rule of each that follows; what was odd."""

    ranges: Dict[str, Tuple[float, float]]
    rules: Dict[str, Rule]
    warnings: Tuple[Diagnostic, ...]


def motion_of_joints(robot: Robot) -> Motion:
    """Return ranges and rules: where only one end is written the other is 0, as URDF says; without both there is none.

    A follower of what does not move rests; one whose leader does not exist, or that leads itself, is free.
    """
    free: Dict[str, float] = defaultdict(float)
    positions_of(robot, free)  # looks up the positions of those that are free
    ranges: Dict[str, Tuple[float, float]] = {}
    rules: Dict[str, Rule] = {}
    warnings: List[Diagnostic] = []
    for joint in robot.joints:
        if joint.type not in MOVABLE:
            continue
        if joint.mimic is not None and joint.child in free:
            lost = "mimic-circle" if joint.mimic.joint in robot.named else "mimic-unknown"
            warnings.append(Diagnostic(EXPORT_LOST, joint.source.line, lost, (joint.name, joint.mimic.joint, ARMATURE)))
        elif joint.mimic is not None:
            leader = robot.named[joint.mimic.joint]
            moves = leader.type in MOVABLE
            rules[joint.child] = Rule(leader.name if moves else None, joint.mimic.multiplier if moves else 0.0,
                                      joint.mimic.offset)
        limit = joint.limit
        if joint.type == "continuous" or limit is None or limit.lower is None and limit.upper is None:
            continue
        lower, upper = limit.lower or 0.0, limit.upper or 0.0
        if lower > upper:
            warnings.append(Diagnostic(EXPORT_MISREAD, joint.source.line, "bounds", (joint.name, ARMATURE)))
        elif upper - lower < OUT_OF_REACH:
            ranges[joint.child] = (lower, upper)
    return Motion(ranges, rules, tuple(warnings))
