"""Names that are for one thing each, in a URDF and in an SRDF: no act may give one of them to a second thing."""

from __future__ import annotations

from collections import Counter
from typing import AbstractSet, FrozenSet, Iterator, Tuple

from ..compare.law import EditLaw
from ..facts.values import is_loop
from ..urdf.lossless_xml import Element
from .names import controls

# What would share a name, as a message says it, and the name.
Named = Tuple[str, str]
# urdfdom refuses a second link, joint or material of one name.
OF_ROBOT = ("link", "joint", "material")
# Drake looks up the frame of a link and a `<frame>` by one name.
WITH_FRAME = ("link", "frame")
# MoveIt looks these up by their names: http://wiki.ros.org/srdf
OF_SRDF = ("group", "end_effector", "virtual_joint")


def elements(tag: str) -> str:
    """Return the words for elements of a tag."""
    return f"<{tag}> elements"


LINKS, JOINTS, STATES = elements("link"), elements("joint"), elements("group_state")
FRAMES = "frames"


def _names_in(root: Element) -> Iterator[Named]:
    """Yield the names of a URDF or an SRDF, each as often as it is given; a state has its group in front."""
    for top in root.elements():
        name = top.get("name") or ""
        if name and (top.name in (*OF_ROBOT, *OF_SRDF) or is_loop(top)):
            yield elements(top.name), name
        if name and top.name in WITH_FRAME:
            yield FRAMES, name
        # States of two groups may share a name.
        if top.name == "group_state":
            yield STATES, f"{top.get('group') or ''}/{name}"
    for element in controls(root):
        yield elements(element.name), element.get("name") or ""


def names_twice(root: Element) -> FrozenSet[Named]:
    """Return the names that a URDF or an SRDF gives to several things of a kind."""
    counts = Counter(_names_in(root))
    return frozenset(named for named, count in counts.items() if count > 1)


def renamed_by(law: EditLaw, names: AbstractSet[Named]) -> FrozenSet[Named]:
    """Return names as they are after an act."""
    of_parts = {LINKS: law.links, JOINTS: law.joints, FRAMES: {**law.others, **law.links}}
    return frozenset((what, of_parts.get(what, law.others).get(name, name)) for what, name in names)
