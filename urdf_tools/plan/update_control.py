"""Decide what is dropped from transmissions and ros2_control, and warn of what in them cannot follow a sign."""
from contextlib import suppress

from ..base.kinds import FLIPPED_JOINT, HARDWARE_SIGN, REMOVED_JOINT, TRANSMISSION_SIGN
from ..base.number_text import negated_text
from ..facts.tags import DIRECTED, MIMIC_PARAMETERS, REDUCTIONS, SIMULATORS
from ..facts.records import child_text
from ..urdf.lossless_xml import Element
from .edits import Changes


def check_transmission(changes: Changes, top: Element) -> None:
    """Drop a transmission with its joint; warn of one whose joint is flipped.

    | `<transmission>` | dropped with its joint | | warning: reduction and offset, with the numbers to write |
    """
    named = [element.get("name") or element.text().strip() for element in top.walk()
             if element is not top and element.name.lower().endswith("joint")]
    joints = list(dict.fromkeys(named))
    if joints and all(changes.removed(joint) for joint in joints):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "drives", joints[0])
        return
    for joint in joints:
        if changes.flipped(joint):
            changes.warn(top, TRANSMISSION_SIGN, "drives", joint, _turned_transmission(top, joint))


def _turned_transmission(top: Element, name: str) -> str:
    """Return what a transmission must say for a joint that is flipped: q = a / n + offset, so both numbers turn.

    With one actuator n may be that of the actuator (ROS 1; there the joint's is not read), else it is the joint's.
    """
    joints = [e for e in top.walk() if e is not top and name in (e.get("name"), e.text().strip())]
    actuators = [e for e in top.elements() if e.name.lower().endswith("actuator")]
    places = [*(actuators if len(actuators) == 1 else ()), *joints, top]
    written = [part for place in places for part in map(place.find, REDUCTIONS) if part is not None][:1]
    written += [part for joint in joints for part in joint.elements("offset")]
    turned = []
    for part in written:
        with suppress(ValueError):
            turned.append(f"<{part.name}>{negated_text(part.text())}</{part.name}>")
    return " and ".join(turned) or "its reduction with the other sign"


def check_ros2_control(changes: Changes, top: Element) -> None:
    plugin = child_text(top.find("hardware") or top, "plugin")
    in_transmission = {e.get("name") for transmission in top.elements("transmission") for e in transmission.walk()}
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if changes.removed(name):
            changes.drop(joint)
            changes.warn(joint, REMOVED_JOINT, "of-control", name)
        elif changes.flipped(name):
            _check_interfaces(changes, joint)
            if plugin and plugin.split("/")[0] not in SIMULATORS and name not in in_transmission:
                changes.warn(joint, HARDWARE_SIGN, "driver", name, plugin)
    for transmission in top.elements("transmission"):
        check_transmission(changes, transmission)


def _check_interfaces(changes: Changes, joint: Element) -> None:
    for interface in joint.elements():
        if interface.name == "limits" and (interface.elements() or set(interface.attributes) - {"enable"}):
            changes.warn(joint, FLIPPED_JOINT, "limits")
        if interface.name in ("command_interface", "state_interface") and interface.elements("param") and not (
                interface.get("name") or "").endswith(DIRECTED):
            changes.warn(interface, FLIPPED_JOINT, "interface")
    names = [p.get("name") or "" for p in joint.elements("param")]
    others = [name for name in names if name not in MIMIC_PARAMETERS or "mimic" not in names]
    if others:
        changes.warn(joint, FLIPPED_JOINT, "parameters", ", ".join(others))
