"""Pair each element outside links and joints with its element in the result; keep what was proven or excused of it."""
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from ..facts.tags import MADE
from ..urdf.lossless_xml import Element
from .comparison import Comparison

NAME_LEFT = frozenset(("merged-link", "removed-joint", "frame-name", "contact-collision"))  # warnings that excuse it
SIGN_LEFT = frozenset(("flipped-joint", "transmission-sign", "coupling-sign"))
POSE_LEFT = frozenset(("loop-frame", "unknown-pose", "unreadable-pose", "unreadable-vector", "sensor-frame",
                       "direction-frame", "missing-point", "plugin-body", "plugin-vector", "added-mass",
                       "bushing-frame", "frame-name"))
CONTENT_LEFT = frozenset(("merged-content",))  # of two values of what is now one link, one stays
SURFACE_LEFT = frozenset(("surface-merged",))


class Pairing(NamedTuple):
    """What is compared: pairs of elements, partners by offset in the input, and the places that a rule has proven.

    `excuses` holds the offset of the element, and the kind, of each warning of the plan, `made` the offsets in the
    result of elements that are proven apart.
    """

    comparison: Comparison
    pairs: List[Tuple[Element, Element]]
    partner: Dict[int, Element]
    proven: Set[Tuple[int, str]]
    excuses: Set[Tuple[int, str]]
    dropped: Set[int]
    made: Set[int]

    def is_excused(self, element: Element, kinds: FrozenSet[str]) -> bool:
        """Return True if a warning of such a kind is about the element or about one that it is in."""
        above: Optional[Element] = element
        while above is not None:
            if any((above.offset, kind) in self.excuses for kind in kinds):
                return True
            above = above.parent
        return False

    def pair_up(self, what: str, old_tops: List[Element], new_tops: List[Element]) -> None:
        """Pair the elements in something, and all below them; a child that was made has no partner."""
        waiting, require = [(what, old_tops, new_tops)], self.comparison.worst.require
        while waiting:
            what, inside, there = waiting.pop()
            inside = [e for e in inside if e.offset not in self.dropped]
            there = [e for e in there if e.offset not in self.made]
            require(len(there) == len(inside), f"{what} has not all that was in it")
            for old, new in zip(inside, there):
                where = f"<{old.name}> of line {old.line}"
                require(old.name == new.name, f"{where} became <{new.name}>")
                self.pairs.append((old, new))
                self.partner[old.offset] = new
                waiting.append((where, old.elements(), [
                    e for e in new.elements() if e.name not in MADE or old.find(e.name) is not None]))
