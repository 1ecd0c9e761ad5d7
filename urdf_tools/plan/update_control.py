"""Decide what is dropped from transmissions and ros2_control, and warn of what cannot be adapted to a new sign."""
from contextlib import suppress

from ..base.kinds import HARDWARE_SIGN, REMOVED_JOINT, TRANSMISSION_SIGN
from ..facts.tags import DIRECTED, MIMIC_PARAMETERS, PARTS_OF_CONTROL, REDUCTIONS, SIMULATORS
from ..facts.records import child_text
from ..facts.values import joints_of_transmission
from ..urdf.kinematics import JointMap
from ..urdf.lossless_xml import Element
from .edits import Changes, place_of


def check_transmission(changes: Changes, top: Element) -> None:
    """Drop a transmission with its joint; warn of one whose joint is flipped."""
    joints = joints_of_transmission(top)
    if joints and all(map(changes.removed, joints)):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "drives", joints[0])
        return
    for joint in joints:
        if changes.flipped(joint):
            wanted = _turned_transmission(top, joint, changes.map_of(joint))
            changes.warn(top, TRANSMISSION_SIGN, "drives", joint, wanted)
        elif not any(joint == element.get("name") for element in top.elements("joint")):
            changes.warn_of_joint(top, "names", place_of(top), joint, joint=joint)


def _turned_transmission(top: Element, name: str, joint_map: JointMap) -> str:
    """Return the reduction and offset that a flipped joint needs: q = a / n + offset, so both change their sign.

    The zero is subtracted from the offset first; a missing offset is 0.

    With one actuator n may be that of the actuator (ROS 1; that of the joint is not read), else it is the joint's.
    """
    joints = [e for e in top.walk() if e is not top and name in (e.get("name"), e.text().strip())]
    actuators = [e for e in top.elements() if e.name.lower().endswith("actuator")]
    places = [*(actuators if len(actuators) == 1 else ()), *joints, top]
    written = [part for holder in places for part in map(holder.find, REDUCTIONS) if part is not None][:1]
    offsets = [part.text() for joint in joints for part in joint.elements("offset")] or ["0"] * (joint_map.zero != 0.0)
    turned = []
    for tag, text, its_map in (*((part.name, part.text(), JointMap(-1)) for part in written),
                               *(("offset", text, joint_map) for text in offsets)):
        with suppress(ValueError):
            turned.append(f"<{tag}>{its_map.text_of(text)}</{tag}>")
    return " and ".join(turned) or "its reduction with the other sign"


def check_ros2_control(changes: Changes, top: Element) -> None:
    """Drop joints that were removed or fixed, and the whole block where none remains; warn of hardware with signs."""
    plugin = child_text(top.find("hardware") or top, "plugin")
    in_transmission = {e.get("name") for transmission in top.elements("transmission") for e in transmission.walk()}
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if changes.is_dropped(joint):
            continue
        if changes.removed(name):
            changes.drop(joint)
            changes.warn(joint, REMOVED_JOINT, "of-control", name)
        elif changes.remapped(name):
            # Simulated hardware reads the URDF, and a transmission has its own warning: only a real driver must know.
            _check_interfaces(changes, joint, name)
            if plugin and plugin.split("/")[0] not in SIMULATORS and name not in in_transmission:
                for sentence, holds in (("driver", changes.flipped(name)), ("zero", changes.map_of(name).zero != 0.0)):
                    if holds:
                        changes.warn(joint, HARDWARE_SIGN, sentence, name, plugin)
    for transmission in top.elements("transmission"):
        if not changes.is_dropped(transmission):
            check_transmission(changes, transmission)
    parts = [part for part in top.elements() if part.name in PARTS_OF_CONTROL]
    if parts and all(map(changes.is_dropped, parts)):
        changes.drop(top)


def _check_interfaces(changes: Changes, joint: Element, name: str) -> None:
    for interface in joint.elements():
        if interface.name == "limits" and (interface.elements() or set(interface.attributes) - {"enable"}):
            changes.warn_of_joint(joint, "limits", place_of(joint), joint=name)
        if interface.name in ("command_interface", "state_interface") and interface.elements("param") and not (
                interface.get("name") or "").endswith(DIRECTED):
            changes.warn_of_joint(interface, "interface", place_of(interface), joint=name)
    names = [p.get("name") or "" for p in joint.elements("param")]
    others = [parameter for parameter in names if parameter not in MIMIC_PARAMETERS or "mimic" not in names]
    if others:
        changes.warn_of_joint(joint, "parameters", place_of(joint), ", ".join(others), joint=name)
