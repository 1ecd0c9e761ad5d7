"""Decide what follows the sign of a joint: transmissions, ros2_control, mimic parameters, couplings."""
from contextlib import suppress
from typing import List

from ..base.number_text import negated_text
from ..facts.tags import DIRECTED
from ..urdf.lossless_xml import Element
from ..urdf.model import Joint, MOVABLE
from .edits import Changes, child_text, set_negated

MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")  # of ROS 1 and ROS 2
SIMULATORS = (  # packages whose hardware is simulated and counts as the URDF does: https://control.ros.org, Simulators
    "mock_components", "fake_components", "gz_ros2_control", "ign_ros2_control", "gazebo_ros2_control",
    "mujoco_ros2_control", "webots_ros2_control", "isaac_ros2_control", "topic_based_ros2_control",
    "joint_state_topic_hardware_interface", "agx_ros2_control")


def follow_transmission(changes: Changes, top: Element) -> None:
    named = [element.get("name") or element.text().strip() for element in top.walk()
             if element is not top and element.name.lower().endswith("joint")]
    joints = list(dict.fromkeys(named))
    if joints and all(changes.removed(joint) for joint in joints):
        changes.drop(top)
        changes.warn(top, "removed-joint", f"drives joint '{joints[0]}', which is merged away: dropped with it")
        return
    for joint in joints:
        if changes.flipped(joint):
            changes.warn(top, "transmission-sign", f"drives joint '{joint}', whose sign changes: if the actuator is to "
                         f"keep its sense, write {_turned_transmission(top, joint)}; left as it is", joint)


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


def follow_ros2_control(changes: Changes, top: Element) -> None:
    plugin = child_text(top.find("hardware") or top, "plugin")
    in_transmission = {e.get("name") for transmission in top.elements("transmission") for e in transmission.walk()}
    for part in top.walk():
        link = part.text().strip() if part.name == "param" else ""
        if changes.turns(link) and part.parent is not None and part.parent.name != "joint":
            changes.warn(part, "sensor-frame", f"of <{part.parent.name}> names the frame '{link}', which turns", link)
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if changes.removed(name):
            changes.drop(joint)
            changes.warn(joint, "removed-joint", "of ros2_control is merged away: dropped")
        elif changes.flipped(name):
            _flip_interfaces(changes, joint)
            if plugin and plugin.split("/")[0] not in SIMULATORS and name not in in_transmission:
                changes.warn(joint, "hardware-sign", f"'{plugin}' counts joint '{name}' as before, and its sign "
                             "changes: turn it in the driver, or --no-reorient", name)
        if not changes.removed(name):
            _follow_mimic_parameters(changes, joint)
    for transmission in top.elements("transmission"):
        follow_transmission(changes, transmission)


def _flip_interfaces(changes: Changes, joint: Element) -> None:
    for interface in joint.elements():
        parameters = {p.get("name"): p for p in interface.elements("param")}
        if interface.name == "limits" and (interface.elements() or set(interface.attributes) - {"enable"}):
            changes.warn(joint, "flipped-joint", "has <limits> of its own, and its sign changes; left as they are")
        if interface.name not in ("command_interface", "state_interface") or not parameters:
            continue
        if not (interface.get("name") or "").endswith(DIRECTED):
            changes.warn(interface, "flipped-joint",
                         "has parameters, and the sign of its joint changes; left as they are")
            continue
        low, high, initial = (parameters.get(name) for name in ("min", "max", "initial_value"))
        for element, other, new in ((low, high, "max"), (high, low, "min")):
            if element is not None and other is None:  # a bound on one side changes the side
                changes.set(element, "name", new)
                changes.negate(element, "")
            elif element is not None and other is not None:
                set_negated(changes, element, other.text())
        if initial is not None:
            changes.negate(initial, "")
    names = [p.get("name") or "" for p in joint.elements("param")]
    others = [name for name in names if name not in MIMIC_PARAMETERS or "mimic" not in names]
    if others:
        changes.warn(joint, "flipped-joint",
                     f"has parameters of its own ({', '.join(others)}), and its sign changes; left as they are")
    changes.note(joint, "ranges and initial values negated")


def _follow_mimic_parameters(changes: Changes, joint: Element) -> None:
    parameters = {p.get("name"): p for p in joint.elements("param")}
    leader = parameters.get("mimic")
    if leader is None:
        return
    own, other = changes.flipped(joint.get("name")), changes.flipped(leader.text().strip())
    multiplier, offset = parameters.get("multiplier"), parameters.get("offset")
    if own != other:
        if multiplier is None:
            changes.warn(joint, "flipped-joint", "mimics with no multiplier written, and its sign changes; left as it "
                                                 "is")
        else:
            changes.negate(multiplier, "")
    if own and offset is not None:
        changes.negate(offset, "")
    if own or other:
        changes.note(joint, "multiplier and offset follow the signs")


def follow_coupling(changes: Changes, top: Element) -> None:
    """Let the `<ratio>` of a URDF+ coupling keep its meaning when joints are flipped.

    It demands ratio * (sum of the positions from the nearest common ancestor to the predecessor) = (that sum to the
    successor), so a ratio changes sign if all joints of one side are flipped and none of the other. (URDF+: Chignoli et
    al., arXiv:2411.19753.)
    """
    sides: List[List[Joint]] = []
    for element in (top.find("predecessor"), top.find("successor")):
        link = (element.get("link") or "") if element is not None else ""
        sides.append(_joints_above(changes, link))
        if element is not None:
            changes.rename_link(element, "link", link)
    shared = {joint.child for joint in sides[0]} & {joint.child for joint in sides[1]}
    signs = [{-1 if changes.flipped(joint.name) else 1 for joint in side
              if joint.child not in shared and joint.type in MOVABLE} for side in sides]
    ratio = top.find("ratio")
    if -1 not in signs[0] | signs[1]:
        return
    if ratio is None or not len(signs[0]) == len(signs[1]) == 1:
        changes.warn(top, "coupling-sign", "couples joints of which one changes its sign, in a way that no ratio can "
                     "follow; left as it is: check it in the program that reads it")
    elif signs[0] != signs[1]:
        changes.negate(ratio)
        changes.note(top, "its ratio changes sign with its joints")


def _joints_above(changes: Changes, link: str) -> List[Joint]:
    """Return the joints from a link up to the root."""
    found: List[Joint] = []
    joint = changes.robot.above.get(link)
    while joint is not None:
        found.append(joint)
        joint = changes.robot.above.get(joint.parent)
    return found
