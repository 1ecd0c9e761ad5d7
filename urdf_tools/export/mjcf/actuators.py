"""Followers, locked joints and actuators of MJCF."""
from typing import List, Sequence, Tuple

from ...base.number_text import format_numbers
from ...compare.records import RawActuator, RawRobot
from ...model.records import Joint
from ...model.tree import leaders_of
from ...model.xml_tree import Node, node
from ...urdf.model import MOVABLE
from ...model.kinds import EXPORT_LOST
from .loops import Loop, write_loops
from .lower import range_of
from .model import limits_of, Model

ATTRIBUTES = {"gear": "gear", "kp": "kp", "kv": "kv", "damping_ratio": "dampratio", "control_range": "ctrlrange",
              "force_range": "forcerange"}


def write_equalities(model: Model, loops: Tuple[List[Loop], List[str]]) -> Node:
    """Write followers, locked joints and loops, given as those to close and those that stay open."""
    section = node("equality")
    leaders = leaders_of(model.robot)
    for joint in model.robot.joints:
        if joint.type not in MOVABLE or joint.child not in model.names:
            continue
        name = model.names[joint.child]
        limits = limits_of(joint)
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        if joint.mimic is not None and leader is None:
            model.findings.note(EXPORT_LOST, "mimic-unknown", joint.name, joint.mimic.joint, part="joint")
        if joint.mimic is not None and leader is not None:
            leads = leader.type in MOVABLE
            numbers = (joint.mimic.offset, joint.mimic.multiplier if leads else 0.0, 0.0, 0.0, 0.0)
            section.add("joint", joint1=name, joint2=model.names[leader.child] if leads else None,
                        polycoef=format_numbers(numbers))
        elif _is_locked(joint):
            assert limits is not None
            section.add("joint", joint1=name, polycoef=format_numbers((limits[0], 0.0, 0.0, 0.0, 0.0)))
    section.children.extend(write_loops(model, *loops))
    return section


def _is_locked(joint: Joint) -> bool:
    limits = limits_of(joint)
    return limits is not None and limits[0] == limits[1]


def write_actuators(model: Model, actuators: Sequence[RawActuator], reference: RawRobot) -> Node:
    """Write the actuators."""
    section = node("actuator")
    ranges = {model.names.get(joint.child): range_of(joint) for joint in reference.joints}
    for actuator in actuators:
        written = section.add(actuator.kind, name=actuator.name, joint=actuator.joint)
        for key, numbers in actuator.values.items():
            if key == "control_range" and actuator.kind == "position" and numbers == ranges[actuator.joint]:
                written.attributes["inheritrange"] = "1"
            elif key != "gear" or numbers != (1.0,):
                written.attributes[ATTRIBUTES[key]] = format_numbers(numbers)
    return section
