"""Find everything outside `<link>` and `<joint>` that names a link or a joint, and what it needs from it."""
import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from .lossless_xml import Element
from .model import MOVABLE, Robot
from .simulator_values import KEEP_ATTRIBUTES, KEEP_FLAGS, TRUE, value_of

LOOP_WORDS = ("loop", "constraint", "closure", "bushing")
OF_JOINT = ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration")
FILES = ("filename", "uri", "file", "name", "type", "version")  # attributes that are no lists of names


class Reference(NamedTuple):
    """A name found: `attribute` holds it, or the text of the element when that is ""."""

    element: Element
    attribute: str
    name: str
    top: Element  # the child of <robot>, or what is no part of URDF in a link or joint, that holds it
    whole: bool = True  # False for one name of several, or a part of a scoped name (`robot::link`)

    @property
    def place(self) -> str:
        """The spot as a user sees it, such as `<gazebo reference='imu'>`."""
        if not self.whole:
            return f"<{self.element.name}>: '{self.name}'"
        if self.attribute:
            return f"<{self.element.name} {self.attribute}='{self.name}'>"
        return f"<{self.element.name}>{self.name}</{self.element.name}>"


class Need(NamedTuple):
    """Why a link on a fixed joint must stay.

    `hard` needs nothing can override; of a `frame` need only the frame must stay, not what the link carries.
    """

    reason: str
    hard: bool = False
    frame: bool = False


def find_references(robot: Robot) -> Tuple[Reference, ...]:
    """Return every attribute or text outside what URDF defines in links and joints that names a link or joint."""
    names = set(robot.links) | {joint.name for joint in robot.joints}
    found: List[Reference] = []
    for top in outside_urdf(robot):
        for element in top.walk():
            for attribute, value in element.attributes.items():
                if not (attribute == "name" and element is top):
                    whole, parts = _names_in(element, attribute, value, names)
                    found.extend(Reference(element, attribute, name, top, whole) for name in parts)
            if element.children:
                whole, parts = _names_in(element, "", element.text().strip(), names)
                found.extend(Reference(element, "", name, top, whole) for name in parts)
    return tuple(found)


def outside_urdf(robot: Robot) -> Iterator[Element]:
    """Yield, in file order, all that is no link, joint or material, and what URDF does not define inside those."""
    for top in robot.document.root.elements():
        if top.name == "link":
            link = robot.links.get(top.get("name") or "")
            yield from link.extras if link is not None else ()
        elif top.name == "joint":
            yield from (element for element in top.elements() if element.name not in OF_JOINT)
        elif top.name != "material":
            yield top


def _names_in(element: Element, attribute: str, value: str, names: Set[str]) -> Tuple[bool, List[str]]:
    """Return True if the value is one name as a whole, and the names in it."""
    if value in names:
        return True, [value]
    if attribute in FILES or not any(mark in value for mark in ("::", " ", ",", ";", "\n", "/")) or "://" in value:
        return False, []
    scoped = "::" in value or element.name == "projector"
    words = [word for word in re.split(r"::|[\s,;/]+" if scoped else r"[\s,;]+", value) if word]
    known = [word for word in dict.fromkeys(words) if word in names]
    return False, known if scoped or len(known) == len(set(words)) else []  # a sentence is no list of names


def find_needs(robot: Robot, references: Tuple[Reference, ...]) -> Dict[str, Need]:
    """Return, by link, why a link that hangs on a fixed joint has to stay."""
    child_of = {name: joint.child for name, joint in robot.named.items()}
    needs: Dict[str, Need] = {}
    movable = {joint.name for joint in robot.joints if joint.type in MOVABLE}
    for joint in robot.joints:
        if joint.mimic and joint.mimic.joint in child_of and joint.mimic.joint not in movable:
            needs.setdefault(child_of[joint.mimic.joint], Need(f"joint '{joint.name}' mimics its joint", hard=True))
        for attribute in KEEP_ATTRIBUTES:
            if (joint.source.get(attribute) or "").strip().lower() in TRUE:
                needs.setdefault(joint.child, Need(f"{attribute} of line {joint.source.line} is set for its joint"))
    for reference in references:
        reason = _why_needed(reference) if reference.whole else ""
        if reason:
            for link in {reference.name, child_of.get(reference.name, reference.name)} & set(robot.links):
                needs.setdefault(link, Need(reason))
    for name in robot.links:
        if name.startswith("closing_") and name.endswith(("_1", "_2")):
            needs.setdefault(name, Need("it closes a kinematic loop"))
    return needs


def _why_needed(reference: Reference) -> str:
    """Return what measures in, or is tied to, the named link or joint; "" if a merge may move the reference."""
    element, top = reference.element, reference.top
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
        holder: Optional[Element] = element
        while holder is not None and holder is not top:
            if holder.name in ("sensor", "gpio", "joint"):
                return f"{_named(holder)} of ros2_control in line {holder.line} uses it"
            holder = holder.parent
    return ""


def _in_simulator_joint(element: Element, top: Element) -> bool:
    return element.parent is not None and element.parent.name == "joint" and element.parent.parent is top


def _named(element: Element) -> str:
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _first(top: Element, name: str) -> Optional[Element]:
    return next((element for element in top.walk() if element.name == name), None)
