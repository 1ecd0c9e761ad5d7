"""Pair each element outside links and joints with its element in the result; keep what was proven or excused of it."""
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..urdf.lossless_xml import Element
from .comparison import Comparison
from .raw_robot import numbers_of

MADE = ("origin", "pose", "xyzOffset", "rpyOffset", "xyz_offset", "rpy_offset")  # children that an element may be given
NAME_LEFT = frozenset(("merged-link", "removed-joint", "frame-name", "contact-collision"))  # warnings that excuse it
SIGN_LEFT = frozenset(("flipped-joint", "transmission-sign", "coupling-sign"))
POSE_LEFT = frozenset(("loop-frame", "unknown-pose", "unreadable-pose", "unreadable-vector", "sensor-frame",
                       "direction-frame", "missing-point", "plugin-body", "bushing-frame", "frame-name"))
CONTENT_LEFT = frozenset(("merged-content",))  # of two values of what is now one link, one stays
SURFACE_LEFT = frozenset(("surface-merged",))

Kinds = FrozenSet[str]
Place = Tuple[int, str]  # offset of an element of the input, and an attribute of it ("" its text)


class Pairing(NamedTuple):
    """What is compared: pairs of elements, partners by offset in the input, and the places that a rule has proven.

    `excuses` holds the offset of the element, and the kind, of each warning of the plan, `made` the offsets in the
    result of elements that are proven apart.
    """

    comparison: Comparison
    pairs: List[Tuple[Element, Element]]
    partner: Dict[int, Element]
    proven: Set[Place]
    excuses: Set[Tuple[int, str]]
    dropped: Set[int]
    made: Set[int]

    def is_excused(self, element: Element, kinds: Kinds) -> bool:
        """Return True if a warning of such a kind is about the element or about one that it is in."""
        above: Optional[Element] = element
        while above is not None:
            if any((above.offset, kind) in self.excuses for kind in kinds):
                return True
            above = above.parent
        return False

    def require(self, holds: bool, element: Element, kinds: Kinds, places: Sequence[Place], what: str) -> None:
        """Fail unless a rule holds, or a warning of such a kind says of the element that it is left as it is."""
        self.proven.update(places)
        if not holds:
            wanted = {offset for offset, _ in places}
            left = all(same_words(old, self.partner[old.offset]) for old in element.walk() if old.offset in wanted)
            self.comparison.worst.require(left and self.is_excused(element, kinds),
                                          f"<{element.name}> of line {element.line}: {what}")

    def require_number(self, element: Optional[Element], sign: int, key: Optional[str] = None) -> None:
        """Prove that a number is the old one times a sign: in an attribute, else in `value`, else in the text."""
        if element is None:
            return
        key = value_key(element) if key is None else key
        try:
            old, new = (numbers_of(said(one, key), 1)[0] for one in (element, self.partner[element.offset]))
        except ValueError:
            return  # no number: it must not change
        self.require(abs(new - sign * old) <= 1e-12 * max(1.0, abs(old)), element, SIGN_LEFT,
                     [(element.offset, key)], f"{new:g} is not {sign} times {old:g}")

    def pair_up(self, old_top: Element, new_top: Element) -> None:
        """Pair an element and all below it; a child that was made has no partner."""
        waiting, require = [(old_top, new_top)], self.comparison.worst.require
        while waiting:
            old, new = waiting.pop()
            require(old.name == new.name, f"<{old.name}> of line {old.line} became <{new.name}>")
            self.pairs.append((old, new))
            self.partner[old.offset] = new
            inside = [e for e in old.elements() if e.offset not in self.dropped]
            there = [e for e in new.elements() if e.offset not in self.made]
            if len(there) > len(inside):
                there = [e for e in there if e.name not in MADE or old.find(e.name) is not None]
            require(len(there) == len(inside), f"<{old.name}> of line {old.line} has not all that was in it")
            waiting += reversed(list(zip(inside, there)))


def same_words(old: Element, new: Element) -> bool:
    """Return True if two elements have the same tag, attributes and text, but for their children."""
    return old.attributes == new.attributes and old.text().strip() == new.text().strip()


def value_key(element: Element) -> str:
    """Return where the value of an element is: in its attribute of that name, or in its text ("")."""
    return "value" if "value" in element.attributes else ""


def said(element: Element, key: str) -> str:
    """Return an attribute, or the text for ""."""
    return (element.get(key) or "") if key else element.text().strip()


def text_in(top: Element, name: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    part = top.find(name)
    return part.text().strip() if part is not None else ""
