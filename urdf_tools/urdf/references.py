"""Find everything outside `<link>` and `<joint>` that names a link or a joint."""
import re
from typing import AbstractSet, Iterator, List, NamedTuple, Set, Tuple

from .lossless_xml import Element
from .model import OF_JOINT, OF_LINK, Robot

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
