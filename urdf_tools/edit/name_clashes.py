"""Names that must be unique in a URDF or SRDF: no edit may give one of them to a second element."""

from __future__ import annotations

from collections import Counter
from typing import AbstractSet, FrozenSet, Iterator, Tuple

from ..compare.verify_edit import EditLaw
from ..facts.frame_dependent_values import is_loop
from ..urdf.lossless_xml import Element
from .rename_elements import controls

# A kind of elements, as in messages, and a name.
Named = Tuple[str, str]
# urdfdom refuses duplicate names of links, joints and materials.
OF_ROBOT = ("link", "joint", "material")
# Drake looks up frames of links and `<frame>` elements by one name.
WITH_FRAME = ("link", "frame")
# MoveIt looks these up by their names: http://wiki.ros.org/srdf
OF_SRDF = ("group", "end_effector", "virtual_joint")


def elements(tag: str) -> str:
    """Return the words for elements of a tag."""
    return f"<{tag}> elements"


LINKS, JOINTS, STATES = elements("link"), elements("joint"), elements("group_state")
FRAMES = "frames"


def _names_in(root: Element) -> Iterator[Named]:
    """Yield the names of a URDF or an SRDF, including duplicates; states are prefixed with their group."""
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
    """Return the names that a URDF or an SRDF gives to several elements of a kind."""
    counts = Counter(_names_in(root))
    return frozenset(named for named, count in counts.items() if count > 1)


def renamed_by(law: EditLaw, names: AbstractSet[Named]) -> FrozenSet[Named]:
    """Return the names of a robot, from before an edit, as they are after it: duplicates of the input stay known."""
    of_parts = {LINKS: law.links, JOINTS: law.joints, FRAMES: {**law.others, **law.links}}
    return frozenset((what, of_parts.get(what, law.others).get(name, name)) for what, name in names)
