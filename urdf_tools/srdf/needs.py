"""Find the links that must keep their frames, as planners use them as frames of a goal or of a base."""
from typing import Dict, Iterator, List, Set, Tuple

from ..urdf.lossless_xml import Document, Element
from ..urdf.model import MOVABLE, Robot
from ..plan.needs import Need
from .elements import names_of_tag


def find_srdf_needs(document: Document, robot: Robot) -> Dict[str, Need]:
    """Return, by link, the reason why it must keep its frame.

    A pose goal of MoveIt is for the tip of a chain or the parent link of an end effector, and, for a group that lists
    joints or links, for the last link of the chain that they make.
    """
    needs: Dict[str, Need] = {}
    for element, link, what in frames_of_goals(document, robot):
        needs.setdefault(link, Need(f"{what} in the SRDF, line {element.line}", frame=True))
    return needs


def frames_of_goals(document: Document, robot: Robot) -> Iterator[Tuple[Element, str, str]]:
    """Yield each element that makes a link a frame of goals: the element, the link, and its role."""
    for top in document.root.elements():
        for element in [top, *top.elements()]:
            for attribute, what in names_of_tag(element).frames:
                link = element.get(attribute) or ""
                if link in robot.links:
                    where = f"group '{top.get('name')}'" if element is not top else f"<{element.name}>"
                    yield element, link, f"it is the {what} of {where}"
        if top.name == "group" and top.find("chain") is None:
            link = _last_link(top, robot)
            if link:
                yield top, link, f"it is the last link of group '{top.get('name')}'"


def _last_link(group: Element, robot: Robot) -> str:
    """Return the last link of a group that moves and is a single chain, else ""."""
    links: Set[str] = {part.get("name") or "" for part in group.elements("link")} & set(robot.links)
    joints = [robot.named[name] for name in (part.get("name") or "" for part in group.elements("joint"))
              if name in robot.named]
    joints += [joint for joint in robot.joints if joint.child in links]
    if not any(joint.type in MOVABLE for joint in joints):
        return ""
    members = {joint.child for joint in joints}
    inner: Set[str] = set()
    for name in members:
        joint = robot.above.get(name)
        while joint is not None:
            inner.add(joint.parent)
            joint = robot.above.get(joint.parent)
    ends: List[str] = sorted(members - inner)
    return ends[0] if len(ends) == 1 else ""
