"""Pair the joints of two files by their names: equal, alike, or alike without the common prefix of a file."""
import re
from os.path import commonprefix
from typing import AbstractSet, Dict, List, NamedTuple, Sequence, Set, Tuple

from ..robot.canonical import Canonical, is_empty
from ..robot.records import RawJoint

FILLER = re.compile(r"joint|link|[\W_]+")
ENOUGH = 0.5  # of the joints of the smaller robot: with fewer pairs, names do not decide what is welded


class NamePairs(NamedTuple):
    """Pairs of joints by their child links, and which joints are held where they are drawn, as the other has none."""

    pairs: Dict[str, str]
    welded_a: AbstractSet[str] = frozenset()
    welded_b: AbstractSet[str] = frozenset()


def pair_names(a: Canonical, b: Canonical, *, only_equal: bool = False) -> NamePairs:
    """Return pairs of joints, by child link: by names of joints first, then by names of their child links."""
    first, second = ([joint.raw for joint in robot.joints] for robot in (a, b))
    pairs: Dict[str, str] = {}
    for key in (_joint_name, _child_name):
        names = [[(key(joint), joint.child) for joint in joints] for joints in (first, second)]
        for tier in (_same, _folded, _without_prefix)[:1 if only_equal else 3]:
            paired = set(pairs.values())
            _add_unique(pairs, tier([name for name in names[0] if name[1] not in pairs]),
                        tier([name for name in names[1] if name[1] not in paired]))
    if len(pairs) < ENOUGH * min(len(first), len(second)) or not pairs:
        return NamePairs(pairs)
    return NamePairs(pairs, _welded(a, b, set(pairs)), _welded(b, a, set(pairs.values())))


def _joint_name(joint: RawJoint) -> str:
    return joint.name


def _child_name(joint: RawJoint) -> str:
    return joint.child


Named = Sequence[Tuple[str, str]]  # name, child link


def _same(names: Named) -> Named:
    return names


def _folded(names: Named) -> Named:
    """Return names in lower case, without `joint`, `link` and what separates words."""
    return [(FILLER.sub("", name.lower()), child) for name, child in names]


def _without_prefix(names: Named) -> Named:
    """Return folded names without what all of them begin with; a number stays whole."""
    folded = _folded(names)
    prefix = commonprefix([name for name, _ in folded]).rstrip("0123456789") if len(folded) > 1 else ""
    return [(name[len(prefix):], child) for name, child in folded]


def _add_unique(pairs: Dict[str, str], first: Named, second: Named) -> None:
    """Add the pairs of names that occur once on both sides."""
    by_name: List[Dict[str, List[str]]] = [{}, {}]
    for side, names in enumerate((first, second)):
        for name, child in names:
            by_name[side].setdefault(name, []).append(child)
    for name, children in by_name[0].items():
        others = by_name[1].get(name, [])
        if name and len(children) == len(others) == 1:
            pairs[children[0]] = others[0]


def _welded(robot: Canonical, other: Canonical, paired: Set[str]) -> AbstractSet[str]:
    """Return the child links of joints without a partner that have a descendant with one.

    Or whose child link is in the other file, where it does not move. A floating joint on a root that is only a frame
    means that the base is free, which another file may have without a joint.
    """
    frames = {link.name for link in robot.raw.links if is_empty(link)}
    links = {link.name for link in other.raw.links}
    carriers: Set[str] = set()
    above = {joint.child: joint.parent for joint in robot.raw.joints}
    for child in paired:
        link = above.get(child, "")
        while link and link not in carriers:
            carriers.add(link)
            link = above.get(link, "")
    joints = [joint.raw for joint in robot.joints]
    return frozenset(joint.child for joint in joints if joint.child not in paired
                     and (joint.child in carriers or joint.child in links)
                     and not (joint.type == "floating" and joint.parent not in above and joint.parent in frames))


