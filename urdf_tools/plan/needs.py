"""Decide which links on fixed joints must be kept, because elements outside links and joints depend on their frames."""
from typing import Dict, NamedTuple, Optional, Tuple

from ..facts.simulator_values import KEEP_ATTRIBUTES, KEEP_FLAGS, TRUE, value_of
from ..facts.records import LOOP_WORDS
from ..urdf.lossless_xml import Element
from ..urdf.model import MOVABLE, Robot
from ..urdf.references import Reference


class Need(NamedTuple):
    """Why a link on a fixed joint must be kept.

    No option overrides a `hard` need; for a `frame` need only the frame must be kept, not the content of the link.
    """

    reason: str
    hard: bool = False
    frame: bool = False


def find_needs(robot: Robot, references: Tuple[Reference, ...]) -> Dict[str, Need]:
    """Return, by link, why a link on a fixed joint must be kept."""
    child_of = {name: joint.child for name, joint in robot.named.items()}
    needs: Dict[str, Need] = {}
    movable = {joint.name for joint in robot.joints if joint.type in MOVABLE}
    for joint in robot.joints:
        if joint.mimic and joint.mimic.joint in child_of and joint.mimic.joint not in movable:
            needs.setdefault(child_of[joint.mimic.joint], Need(f"joint '{joint.name}' mimics its joint", hard=True))
        for attribute in KEEP_ATTRIBUTES:
            if (joint.source.get(attribute) or "").strip().lower() in TRUE:
                needs.setdefault(joint.child, Need(f"{attribute} is set in line {joint.source.line}"))
    for reference in references:
        reason = _why_needed(reference) if reference.whole else ""
        if reason:
            for link in {reference.name, child_of.get(reference.name, reference.name)} & set(robot.links):
                needs.setdefault(link, Need(reason))
    for name in robot.links:
        if is_loop_end(name):
            needs.setdefault(name, Need("closes a kinematic loop"))
    return needs


def is_loop_end(link: str) -> bool:
    """Return True for a frame that onshape-to-robot made where a loop closes."""
    return link.startswith("closing_") and link.endswith(("_1", "_2"))


def _why_needed(reference: Reference) -> str:
    """Return what measures in, or is tied to, the named link or joint; "" if a merge may move the reference."""
    element, top = reference.element, reference.top
    # All others have a pose or a name that can be rewritten for the target (`facts.values`), or get a warning.
    if any(word in top.name.lower() for word in LOOP_WORDS):
        return f"<{top.name}> of line {top.line} is tied to it"
    if top.name == "gazebo" and element is top and reference.attribute == "reference":
        sensor = _first(top, "sensor")
        if sensor is not None:
            return f"{_named(sensor)} of line {sensor.line} measures in it"
        for flag in KEEP_FLAGS:
            part = _first(top, flag)
            if part is not None and value_of(part).lower() in TRUE:
                return f"<{flag}> of line {part.line} is set for it"
    if top.name == "gazebo" and element.name in ("parent", "child") and _in_simulator_joint(element, top):
        return f"<joint> in the <gazebo> of line {top.line} is tied to it"
    if top.name == "sensor":
        return f"{_named(top)} of line {top.line} measures in it"
    if top.name == "ros2_control":
        for above in element.upward():
            if above.name in ("sensor", "gpio", "joint"):
                return f"{_named(above)} of ros2_control in line {above.line} uses it"
    return ""


def _in_simulator_joint(element: Element, top: Element) -> bool:
    return element.parent is not None and element.parent.name == "joint" and element.parent.parent is top


def _named(element: Element) -> str:
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _first(top: Element, name: str) -> Optional[Element]:
    return next((element for element in top.walk() if element.name == name), None)
