"""The links that touch at zero or at home with the new shapes, and did not with the old ones."""
from typing import Callable, List, Optional, Set

from ..base.diagnostics import Diagnostic
from ..urdf.model import Robot
from .cells import reach
from .chains import chain_between, home_of, Ranges, ranges_of
from .kinds import COLLISION_CONTACT
from .pairs import adjacent_links
from .pieces import BodyOf, Pieces, pieces_of

Touching = Set["frozenset[str]"]


def new_contacts(before: Robot, after: Robot, body_before: BodyOf, body_after: BodyOf) -> List[Diagnostic]:
    """Return a warning for each pair of links that a joint does not connect, and that touches only with the new shapes.

    The old shapes are the hulls of the meshes, as only these can be compared: hollow parts may have been apart.
    """
    old, new = pieces_of(before, body_before, few=False), pieces_of(after, body_after, few=False)
    contacts: List[Diagnostic] = []
    named: Touching = set()
    home = home_of(ranges_of(after))
    for sentence, position in (("zero", lambda child: 0.0), ("home", lambda child: home.get(child, 0.0))):
        touching = _touching(after, new, position, None)
        for pair in sorted(map(sorted, touching - named - _touching(before, old, position, touching))):
            first, second = sorted(pair, key=list(after.links).index)
            named.add(frozenset(pair))
            contacts.append(Diagnostic(COLLISION_CONTACT, after.links[first].source.line, sentence, (first, second)))
    return contacts


def _touching(robot: Robot, pieces: Pieces, position: Callable[[str], float], only: Optional[Touching]) -> Touching:
    """Return the pairs that overlap in a pose, of those in `only`, or of all if it is None."""
    free = Ranges({joint.child: (position(joint.child), position(joint.child)) for joint in robot.joints
                   if joint.type != "fixed" and not joint.mimic}, (), ())
    adjacent = adjacent_links(robot)
    names = list(pieces.of_link)
    touching: Touching = set()
    for number, first in enumerate(names):
        for second in names[number + 1:]:
            pair = frozenset((first, second))
            chain = None if pair in adjacent or only is not None and pair not in only else chain_between(
                robot, first, second, free)
            if chain is not None:
                at = [first_shapes.low for first_shapes in chain.variables]
                firsts, seconds = (shapes.inside or shapes.around
                                   for shapes in (pieces.of_link[first], pieces.of_link[second]))
                if any(reach(chain, a, b, at).distance <= 0.0 for a in firsts for b in seconds):
                    touching.add(pair)
    return touching
