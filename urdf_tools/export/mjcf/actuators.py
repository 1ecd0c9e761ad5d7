"""Followers, locked joints and actuators of MJCF."""
from typing import Dict, List, Optional, Set, Tuple

from ...base.number_text import format_number, format_numbers
from ...model.records import Actuator, Joint
from ...model.tree import leaders_of
from ...model.xml_tree import Node, node
from ...urdf.model import MOVABLE
from ..kinds import EXPORT_ACTUATOR
from ..limits import greatest
from ...model.kinds import EXPORT_LOST
from ..names import unused
from .loops import Loop, write_loops
from .model import MAX_COORDINATE, limits_of, Model


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
            model.found.note(EXPORT_LOST, "mimic-unknown", joint.name, joint.mimic.joint, part="joint")
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


def _follows(joint: Joint, leaders: Dict[str, Joint]) -> bool:
    return joint.mimic is not None and joint.mimic.joint in leaders


def write_actuators(model: Model) -> Node:
    """Write one actuator for each joint that can be driven: as the robot says, or as the options say."""
    section = node("actuator")
    if model.options.actuators == "none":
        return section
    leaders = leaders_of(model.robot)
    said: Dict[str, List[Actuator]] = {}
    for actuator in model.robot.actuators:
        said.setdefault(actuator.joint, []).append(actuator)
    taken: Set[str] = set()
    for body in model.bodies.bodies:
        for hinge in body.hinges:
            joint = hinge.joint
            effort = joint.limit.effort if joint.limit else None
            own = said.get(joint.name, [])
            if joint.type not in MOVABLE or _follows(joint, leaders) or _is_locked(joint):
                continue
            if body.link.name in model.bodies.tiny:
                model.found.note(EXPORT_ACTUATOR, "massless", joint.name, part="joint")
            elif own or effort is not None and effort > 0.0:
                section.children.append(_actuator(joint, own, model, taken))
            elif not effort:  # one below 0 is noted with the limits
                model.found.note(EXPORT_ACTUATOR, "effort", joint.name, part="joint")
    return section


def _actuator(joint: Joint, said: List[Actuator], model: Model, taken: Set[str]) -> Node:
    asked, kp = model.options.actuators, model.options.kp
    fits = [one for one in said if one.type == asked] or ([] if asked else said)
    gained = [one for one in fits if _has_gain(one, kp)]
    chosen = gained[0] if gained else None
    if len(fits) > 1:
        model.found.note(EXPORT_ACTUATOR, "several", joint.name, part="joint", numbers=(len(fits),))
    if chosen is None:
        if fits:
            model.found.note(EXPORT_ACTUATOR, "gain", joint.name, part="joint")
        named = fits or said
        name = named[0].name if len(named) == 1 and named[0].name else model.names[joint.child]
        chosen = Actuator(name, joint.name, "position" if asked == "position" else "motor")
    effort = greatest(joint, "effort", MAX_COORDINATE)
    bound = (-effort, effort) if effort is not None else None
    limits = limits_of(joint)
    found = node(chosen.type, name=unused(chosen.name or joint.name, taken), joint=model.names[joint.child])
    control, force = chosen.control_range, chosen.force_range
    gear = chosen.gear or 1.0
    if chosen.type == "motor":
        if gear != 1.0:
            found.attributes["gear"] = format_number(gear)
        if control is None and bound is not None:
            control = (bound[0] / abs(gear), bound[1] / abs(gear))
    elif chosen.type == "position":
        found.attributes["kp"] = format_number(chosen.kp or kp or 0.0)
        if chosen.kv is not None:
            found.attributes["kv"] = format_number(chosen.kv)
        else:
            found.attributes["dampratio"] = "1"
        if control is None and limits is not None and limits[0] < limits[1]:
            found.attributes["inheritrange"] = "1"
        force = force or bound
    else:
        found.attributes["kv"] = format_number(chosen.kv or 0.0)
        speed = greatest(joint, "velocity", MAX_COORDINATE)
        control = control or ((-speed, speed) if speed is not None else None)
        force = force or bound
    if control is not None and control[0] < control[1]:
        found.attributes["ctrlrange"] = format_numbers(control)
    if force is not None and force[0] < force[1]:
        if chosen.type == "motor":  # MuJoCo bounds the force before the gear
            force = (min(force[0] / gear, force[1] / gear), max(force[0] / gear, force[1] / gear))
        found.attributes["forcerange"] = format_numbers(force)
    return found


def _has_gain(actuator: Actuator, kp: Optional[float]) -> bool:
    if actuator.type == "position":
        return bool(actuator.kp or kp)
    return actuator.type == "motor" or bool(actuator.kv)
