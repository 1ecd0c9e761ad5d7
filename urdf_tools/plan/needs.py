"""Find everything outside links and joints that names one, and decide which links must be kept because of it."""
import re
from typing import AbstractSet, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import MOVABLE, OF_JOINT, OF_LINK, Robot
from ..facts.records import LOOP_WORDS
from ..facts.simulator_values import KEEP_ATTRIBUTES, KEEP_FLAGS, TRUE, value_of

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
        """The element as a user sees it, such as `<gazebo reference='imu'>`."""
        if not self.whole:
            return f"<{self.element.name}>: '{self.name}'"
        if self.attribute:
            return f"<{self.element.name} {self.attribute}='{self.name}'>"
        return f"<{self.element.name}>{self.name}</{self.element.name}>"


def find_references(robot: Robot, more: AbstractSet[str] = frozenset()) -> Iterator[Reference]:
    """Yield every attribute or text, outside what URDF defines in links and joints, that holds the name of a link or
    joint, or one of `more` names."""
    names = {*robot.links, *robot.named, *more}
    for top in outside_urdf(robot):
        for element in top.walk():
            for attribute, value in element.attributes.items():
                if not (attribute == "name" and element is top):
                    whole, parts = _names_in(element, attribute, value, names)
                    yield from (Reference(element, attribute, name, top, whole) for name in parts)
            if element.children:
                whole, parts = _names_in(element, "", element.text().strip(), names)
                yield from (Reference(element, "", name, top, whole) for name in parts)


def outside_urdf(robot: Robot) -> Iterator[Element]:
    """Yield, in file order, all that is no link, joint or material, and what URDF does not define inside those."""
    offsets = {*(link.source.offset for link in robot.links.values()), *(joint.source.offset for joint in robot.joints)}
    for top in robot.document.root.elements():
        if top.name in ("link", "joint"):
            known = OF_LINK if top.name == "link" else OF_JOINT
            yield from (part for part in top.elements() if top.offset in offsets and part.name not in known)
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
    if top.name == "gazebo" and element.name in ("parent", "child") and any(
            element.parent is joint for joint in top.elements("joint")):
        return f"<joint> in the <gazebo> of line {top.line} is tied to it"
    if top.name == "sensor":
        return f"{_named(top)} of line {top.line} measures in it"
    if top.name == "ros2_control":
        for above in element.upward():
            if above.name in ("sensor", "gpio", "joint"):
                return f"{_named(above)} of ros2_control in line {above.line} uses it"
    return ""


def _named(element: Element) -> str:
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _first(top: Element, name: str) -> Optional[Element]:
    return next((element for element in top.walk() if element.name == name), None)
