"""Pair each element outside links and joints with its element in the result; record what is proven or excused."""
from typing import Dict, FrozenSet, List, Set, Tuple

from ..base.diagnostics import Kind
from ..base.kinds import (ADDED_MASS, BUSHING_FRAME, CONTACT_COLLISION, COUPLING_SIGN, DIRECTION_FRAME, DROPPED_NAME,
                          FLIPPED_JOINT, FRAME_NAME, LOOP_FRAME, MERGED_CONTENT, MERGED_LINK, MISSING_POINT,
                          MOVED_ZERO, PLUGIN_BODY,
                          PLUGIN_VECTOR, REMOVED_JOINT, SENSOR_FRAME, SURFACE_MERGED, TRANSMISSION_SIGN, UNKNOWN_POSE,
                          UNREADABLE_POSE, UNREADABLE_VECTOR)
from ..facts.tags import MADE
from ..urdf.lossless_xml import Element
from .comparison import Comparison

# Warnings that excuse it.
NAME_LEFT = frozenset((MERGED_LINK, DROPPED_NAME, REMOVED_JOINT, FRAME_NAME, CONTACT_COLLISION))
SIGN_LEFT = frozenset((FLIPPED_JOINT, MOVED_ZERO, TRANSMISSION_SIGN, COUPLING_SIGN))
POSE_LEFT = frozenset((LOOP_FRAME, UNKNOWN_POSE, UNREADABLE_POSE, UNREADABLE_VECTOR, SENSOR_FRAME, DIRECTION_FRAME,
                       MISSING_POINT, PLUGIN_BODY, PLUGIN_VECTOR, ADDED_MASS, BUSHING_FRAME, FRAME_NAME))
CONTENT_LEFT = frozenset((MERGED_CONTENT,))  # of two values of what is now one link, one stays
SURFACE_LEFT = frozenset((SURFACE_MERGED,))


class Pairing:
    """The elements that are compared.

    Attributes:
        pairs: of elements.
        partner: the element of the result, by the offset of that in the input.
        proven: the attributes (offset, name; "" for the text) that a rule has proven.
        excuses: the offset of the element, and the kind, of each warning of the plan.
        dropped: the offsets of elements that the plan drops.
        made: the offsets in the result of elements that are verified separately.
        require: ends the proof unless its first argument holds.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison, self.require = comparison, comparison.require
        self.excuses = {(notice.offset, notice.kind) for notice in comparison.plan.warnings}
        self.dropped = {element.offset for element in comparison.plan.updates.drops}
        self.pairs: List[Tuple[Element, Element]] = []
        self.partner: Dict[int, Element] = {}
        self.proven: Set[Tuple[int, str]] = set()
        self.made: Set[int] = set()

    def is_excused(self, element: Element, kinds: FrozenSet[Kind]) -> bool:
        """Return True if a warning of such a kind is about the element or about one that it is in."""
        return any((above.offset, kind) in self.excuses for above in element.upward() for kind in kinds)

    def pair_up(self, what: str, old_tops: List[Element], new_tops: List[Element]) -> None:
        """Pair the top elements of `what`, and all below them; a child that was made has no partner."""
        waiting = [(what, old_tops, new_tops)]
        while waiting:
            what, inside, there = waiting.pop()
            inside = [e for e in inside if e.offset not in self.dropped]
            there = [e for e in there if e.offset not in self.made]
            self.require(len(there) == len(inside), f"{what} has not all that was in it")
            for old, new in zip(inside, there):
                where = f"<{old.name}> of line {old.line}"
                self.require(old.name == new.name, f"{where} became <{new.name}>")
                self.pairs.append((old, new))
                self.partner[old.offset] = new
                waiting.append((where, old.elements(), [
                    e for e in new.elements() if e.name not in MADE or old.find(e.name) is not None]))
