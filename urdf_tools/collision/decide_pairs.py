"""The decision on each pair of links: never touches, touches (with a pose), touches at home, or not proven.

It also finds pairs that touch at zero or at home with new shapes, and did not with the old shapes. The budget is counted
in cells and seeded starts, not in time, so that the output is the same on every machine.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Show
from ..base.diagnostics import Diagnostic
from ..base.record_type import Record
from ..urdf.urdf_records import UrdfRobot
from ..urdf.spatial_math import IDENTITY_POSE
from ..verify.proof_robot import ProofRobot, read_raw
from .separating_planes import distance_at, SeparatingPlaneSearch, Token
from .chain_between_links import KinematicChain, chain_between, home_of, JointRanges, ranges_of
from .collision_diagnostics import COLLISION_CONTACT
from .convex_pieces import BodyOf, RoundedHull, ConvexPiecesByLink, pieces_of, ConvexCollisions
from .touching_search import can_touch, follow_down, random_start, touch_at, TouchingPose

CELLS = 32000  # for all pairs together, unless an option gives another number
FIRST_ROUND = 30  # cells of a pair; twice as many in each round that follows
STARTS = 3  # of a pair in each round
HOME_ROUNDS = 4  # of the search for contacts of meshes whose hulls overlap at home

NO_SHAPES = ConvexCollisions((), ())
NEVER = "never"
TOUCHES = "touches"
HOME = "home"
HULLS_AT_HOME = "hulls-at-home"
OPEN = "open"
UNKNOWN = "unknown"
Touching = Set["frozenset[str]"]


class SeparationProof(Record):
    """Separating planes of two pieces: their indices in their links, and the cells in the order of their splits."""

    first: int
    second: int
    tokens: Tuple[Token, ...]


class DecidedLinkPair(Record):
    """The result for two links.

    Attributes:
        first, second: their names, in file order.
        state: NEVER; TOUCHES, at the position of `witness`; HOME: they touch at zero, or at the limit next to it;
            HULLS_AT_HOME: the hulls of meshes overlap at home, but perhaps not the meshes; OPEN: not decided; UNKNOWN:
            a joint between them has no range, or a shape is not known.
        is_adjacent: a joint connects them, or joints with only links without shapes between them.
        proofs: for NEVER, one of each two pieces.
        witness: for TOUCHES and HOME.
        chain: the joints between them.
        cells: the number of examined cells.
    """

    first: str
    second: str
    state: str
    is_adjacent: bool
    proofs: Tuple[SeparationProof, ...] = ()
    witness: Optional[TouchingPose] = None
    chain: Optional[KinematicChain] = None
    cells: int = 0


class DecidedLinkPairs(Record):
    """All pairs of links with shapes, the ranges of the joints, the shapes, and the robot as the proof reads it."""

    pairs: Tuple[DecidedLinkPair, ...]
    ranges: JointRanges
    pieces: ConvexPiecesByLink
    robot: ProofRobot


def decide_pairs(robot: UrdfRobot, body_of: BodyOf, most: int, progress: Show) -> DecidedLinkPairs:
    """Return the results for all pairs of links that have collisions, after at most `most` cells.

    The cells are spent in rounds: easy pairs are decided early, and the remaining cells go to the hard ones.
    """
    raw = read_raw(robot.document, IDENTITY_POSE)
    pieces = pieces_of(robot, body_of)
    ranges = ranges_of(raw)
    works = _begin(robot, raw, ranges, pieces)
    remaining = most
    share = FIRST_ROUND
    number = 0
    while remaining > 0 and any(not work.is_done for work in works):
        for work in works:
            if not work.is_done and remaining > 0:
                progress(
                    f"{work.pair.first} - {work.pair.second}: cell {most - remaining} of {most}", 0
                )
                remaining -= work.go_on(min(share, remaining), number)
        share = 2 * share
        number = number + 1
    return DecidedLinkPairs(tuple(work.pair for work in works), ranges, pieces, raw)


def _begin(
    robot: UrdfRobot, raw: ProofRobot, ranges: JointRanges, pieces: ConvexPiecesByLink
) -> "List[_LinkPairSearch]":
    """Return the search for each pair; pairs that touch at home are decided."""
    adjacent = adjacent_links(robot)
    home = home_of(ranges)
    names = [link.name for link in robot.links.values() if link.collisions]
    works: List[_LinkPairSearch] = []
    for first, second in combinations(names, 2):
        pair = DecidedLinkPair(first, second, UNKNOWN, frozenset((first, second)) in adjacent)
        chain = chain_between(raw, first, second, ranges)
        if chain is None or first not in pieces.of_link or second not in pieces.of_link:
            works.append(_LinkPairSearch(pair))
            continue
        work = _LinkPairSearch(
            pair._replace(chain=chain, state=OPEN),
            chain,
            pieces.of_link[first],
            pieces.of_link[second],
        )
        work.look_at_home([home[variable.child] for variable in chain.variables])
        works.append(work)
    return works


def adjacent_links(robot: UrdfRobot) -> Set["frozenset[str]"]:
    """Return the pairs of links that a joint connects, directly or through links without collisions.

    This is the rule of MoveIt (compute_default_collisions.cpp), with an exception: for MoveIt also two children of a link
    without collisions are adjacent. They may touch in any pose, so they are not adjacent here.
    """
    above: Dict[str, str] = {}
    for joint in robot.tree:
        parent = joint.parent
        bare = not robot.links[parent].collisions
        # The child of a link without collisions gets that link's nearest ancestor with collisions.
        above[joint.child] = above.get(parent, "") if bare else parent
    return {
        frozenset((child, parent))
        for child, parent in above.items()
        if parent and robot.links[child].collisions
    }


class _LinkPairSearch:
    """The search for a pair, which can be continued."""

    def __init__(
        self,
        pair: DecidedLinkPair,
        chain: Optional[KinematicChain] = None,
        first: ConvexCollisions = NO_SHAPES,
        second: ConvexCollisions = NO_SHAPES,
    ) -> None:
        """Begin a search of planes for each two pieces of the pair; without a chain nothing is searched."""
        self.pair = pair
        self.chain = chain
        self.first = first
        self.second = second
        self.rounds = 0
        self.searches: List[SeparatingPlaneSearch] = []
        if chain:
            for piece, other in product(first.around, second.around):
                self.searches.append(SeparatingPlaneSearch(chain, piece, other))

    @property
    def is_done(self) -> bool:
        """Return True if the search has ended."""
        return self.pair.state != OPEN and (
            self.pair.state != HULLS_AT_HOME or self.rounds >= HOME_ROUNDS
        )

    def look_at_home(self, home: Sequence[float]) -> None:
        """Decide the pair if it overlaps at home."""
        chain = self.chain
        assert chain is not None
        witness = touch_at(chain, (self.first, self.second), home)
        if witness:
            self.pair = self.pair._replace(state=HOME, witness=witness)
        elif _overlap(chain, home, self.first.around, self.second.around):
            self.pair = self.pair._replace(state=HULLS_AT_HOME)

    def go_on(self, most: int, number: int) -> int:
        """Examine at most `most` cells, and starts seeded by the number of the round; return how many."""
        pair = self.pair
        chain = self.chain
        assert chain is not None
        self.rounds += 1
        count = 0
        if chain.variables:
            # The starts differ from round to round, but not from run to run.
            starts = [
                random_start(chain, f"{pair.first} {pair.second} {number} {k}")
                for k in range(STARTS)
            ]
            count += self._follow(starts)
        if self.pair.state == OPEN:
            count += self._search_planes(most - count)
        if self.pair.state == OPEN and all(search.is_proven for search in self.searches):
            self.pair = self.pair._replace(
                state=NEVER,
                proofs=tuple(
                    SeparationProof(search.first.number, search.second.number, tuple(search.tokens))
                    for search in self.searches
                ),
            )
        self.pair = self.pair._replace(cells=pair.cells + count)
        return max(count, 1)  # so that the rounds end

    def _search_planes(self, most: int) -> int:
        """Examine cells of the pieces, and return how many, with the steps from positions where pieces meet."""
        count = 0
        for search in self.searches:
            met = search.met
            count += search.go_on(max(0, most - count))
            if search.met is not None and met is None:
                count += self._follow([search.met])
            # Without a proof for these pieces the pair is not proven: the others need not be searched.
            if not search.is_proven:
                break
        return count

    def _follow(self, starts: Sequence[Sequence[float]]) -> int:
        """Search a contact from start positions, and return the number of steps."""
        assert self.chain is not None
        count = 0
        if not can_touch(self.first, self.second):
            return count
        for start in starts:
            witness, steps = follow_down(self.chain, (self.first, self.second), start)
            count += steps
            if witness:
                self.pair = self.pair._replace(state=TOUCHES, witness=witness)
                break
        return count


def new_contacts(
    before: UrdfRobot, after: UrdfRobot, body_before: BodyOf, body_after: BodyOf
) -> Iterator[Diagnostic]:
    """Yield a warning for each pair of links that touches only with the new shapes, except adjacent links.

    The old shapes count as the hulls of the meshes, because only convex pieces can be compared here.
    """
    old = pieces_of(before, body_before, few=False)
    new = pieces_of(after, body_after, few=False)
    named: Touching = set()
    home = home_of(ranges_of(read_raw(after.document, IDENTITY_POSE)))
    for sentence, position in (
        ("zero", lambda child: 0.0),
        ("home", lambda child: home.get(child, 0.0)),
    ):
        touching = _touching(after, new, position, None)
        touched_before = _touching(before, old, position, touching)
        # A pair that touches in both poses is named once.
        for pair in sorted(map(sorted, touching - named - touched_before)):
            first, second = sorted(pair, key=list(after.links).index)
            named.add(frozenset(pair))
            yield Diagnostic(
                COLLISION_CONTACT, after.links[first].source.line, sentence, (first, second)
            )


def _touching(
    robot: UrdfRobot,
    pieces: ConvexPiecesByLink,
    position: Callable[[str], float],
    only: Optional[Touching],
) -> Touching:
    """Return the pairs that overlap in a pose, from those in `only`, or from all if it is None.

    Pieces inside the shapes show a true overlap. A link without any is judged by the pieces around its shapes: a warning
    too many is better than a contact that nobody sees.
    """
    raw = read_raw(robot.document, IDENTITY_POSE)
    # A range of a single position keeps each joint in the pose.
    held = {
        child: (position(child), position(child))
        for child, joint in raw.joints.items()
        if joint.type != "fixed" and not joint.mimic
    }
    free = JointRanges(held, (), ())
    adjacent = adjacent_links(robot)
    touching: Touching = set()
    for (first, shapes), (second, others) in combinations(pieces.of_link.items(), 2):
        pair = frozenset((first, second))
        if pair in adjacent or only is not None and pair not in only:
            continue
        chain = chain_between(raw, first, second, free)
        if chain is None:
            continue
        at = [variable.low for variable in chain.variables]
        if _overlap(chain, at, shapes.inside or shapes.around, others.inside or others.around):
            touching.add(pair)
    return touching


def _overlap(
    chain: KinematicChain,
    at: Sequence[float],
    firsts: Sequence[RoundedHull],
    seconds: Sequence[RoundedHull],
) -> bool:
    """Return True if a piece of the first link overlaps a piece of the second at a position."""
    return any(
        distance_at(chain, piece, other, at).distance <= 0.0
        for piece, other in product(firsts, seconds)
    )
