"""Search for the map between two robots: by the names of joints, else by structure.

`search.MapSearch` finds the map for one pose of the base and one root of B. This module proposes the poses and the root,
and decides how far names count. Costs count facts that differ (`joint_partner_search.py`).
"""

from __future__ import annotations

from itertools import product
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..robot.rigid_bodies import CanonicalJoint, TURNS
from ..robot.canonical_robot import canonical, CanonicalRobot, rooted
from ..robot.joint_motion import after
from ..robot.raw_robot import RawRobot
from ..urdf.spatial_math import IDENTITY_POSE, Transform, ZERO
from .joint_pair_candidates import PERFECT
from .difference_records import poses_apart
from .map_evidence import (
    base_candidates,
    MatchedJoints,
    pair_names,
    RootPoseEvidence,
    with_evidence,
)
from .body_fit import both_masses, common_frames
from .robot_map import lay, RobotMap
from .joint_pairing import IndexPairs
from .joint_partner_search import MapSearch, MISSING
from .equally_placed_joints import EXACT, frames_apart, standing_base, standing_partners
from .zero_prices import OTHER_PRICE, ROUND_PRICE, TURNED_PRICE

AUTO = "auto"
EQUAL = "equal"
STRUCTURE = "structure"
# The cost for each joint, in facts: above it names may mislead, and up to it a base nearly fits. A map with noise of
# 1e-5 m and rad on each axis costs less; one different fact costs 0.5, which ten joints allow.
BAD = 0.05
# A map that ignores the names of joints that do not stand as their names imply must cost less than this part of the map
# by all names: names are evidence, too, and a tie is theirs.
BETTER = 0.7
MOST_BASES = 8  # poses of the base that are tried, each with a whole search
MOST_SEEN = 3  # lines of evidence along a chain of slides from the root
SAME_BASE = 1e-9  # m and rad: poses nearer to each other are the same candidate
NEXT_TO = 0.01  # m and rad: bases that a fit may confuse
SAME_COST = 1e-6  # of equal maps the first stays
ALIKE = 0.6  # of the joints of the larger robot: with fewer in the smaller robot, structure alone pairs nothing
# Without names the number of pairs grows with the square of the branches, so the first of each body are tried. All six
# limit the time: with more branches the right pose may be missed, and differences are reported that do not exist.
MOST_ORDERS = 24  # pairs of pairs of joints on the roots
MOST_FIRST = 2  # joints of A that are tried as the first of an order
MOST_SECOND = 4  # joints of B that are tried as the second
MOST_BELOW_A = 2  # joints below a joint of A, and of B, that are tried as pairs
MOST_BELOW_B = 3
MOST_PAIRS_BELOW = 6


class CostedMap(Record):
    """A map with its cost: the number of facts that differ, infinite for a map that no search has made."""

    map: RobotMap
    cost: float

    @property
    def nearly_fits(self) -> bool:
        """Return True if the cost is at most BAD for each joint of A: another map is not worth its time."""
        return self.cost <= BAD * max(1, len(self.map.a.joints))


def search_map(a: RawRobot, b: RawRobot, names: str) -> RobotMap:
    """Return the map from A to B by names, or by structure if names pair nothing or `names` requires it.

    `names`: AUTO, EQUAL (only equal names count, and always), or STRUCTURE (names do not count).

    Raises:
        BrokenRobot: the links and joints of a robot do not form a tree.
    """
    unrooted_a = canonical(a)
    unrooted_b = canonical(b)
    # A free base may be written with a frame above it, or without: both get the same root.
    first = rooted(unrooted_a, unrooted_b)
    second = rooted(unrooted_b, unrooted_a)

    if names == STRUCTURE:
        return with_evidence(best_map(first, second, {}).map)
    pairs = pair_names(first, second, only_equal=names == EQUAL)
    fewer, more = sorted((len(first.joints), len(second.joints)))
    is_alike = fewer >= ALIKE * more
    if not pairs.pairs and not is_alike:
        return lay(first, second, IDENTITY_POSE, ())
    best = _by_names(first.raw, second.raw, pairs)
    # A joint held in A and a joint held in B are partners that names have missed if a better map pairs them.
    missed = min(len(pairs.welded_a), len(pairs.welded_b))
    by_names = best._replace(cost=best.cost + 2.0 * MISSING * missed)
    may_mislead = names == AUTO and is_alike and pairs.pairs and not by_names.nearly_fits
    if not may_mislead:
        return with_evidence(best.map)
    # A joint at the place that its name implies keeps its partner: only other names may mislead.
    standing = standing_partners(first, second, _places(first, second, pairs.pairs))
    if len(standing) == len(first.joints) == len(second.joints):
        return with_evidence(best.map)
    without = best_map(first, second, standing, BETTER * by_names.cost)
    if without.cost < BETTER * by_names.cost:
        return with_evidence(without.map)
    return with_evidence(best.map)


def map_as_drawn(known: RobotMap) -> Optional[RobotMap]:
    """Return the map between the robots of a known map, by its partners, with the base in the drawn pose.

    None: the base is in that pose already, or its frames determine it.
    """
    if known.base == IDENTITY_POSE or _is_laid(known):
        return None
    return _with_bases(known, (IDENTITY_POSE,))


def _is_laid(known: RobotMap) -> bool:
    """Return True if the base lies as the frames of its links imply, and a joint on it agrees to the last digit.

    Then the frames show the base, and a center of mass or an axis elsewhere is a difference.
    """
    partner = _partners(known)
    base = standing_base(known.a, known.b, partner)
    if base is None or max(poses_apart(base, known.base)) > EXACT:
        return False
    joints_on_root = known.a.child_joints[0]
    if not joints_on_root:
        return True
    return any(
        max(frames_apart(known.a, known.b, k, partner[k])) <= EXACT
        for k in joints_on_root
        if k in partner
    )


def map_aligned(known: RobotMap) -> Optional[RobotMap]:
    """Return the map by the partners of a known map with the best base near the known base; None: there is no better
    one.

    A search stops at a base that nearly fits, such as the identity if the base is turned by 1e-4 rad. If few joints
    have a partner, the base is not searched again.
    """
    if len(known.pairs) < ALIKE * max(len(known.a.joints), len(known.b.joints)):
        return None
    if _is_laid(known):
        return None
    search = MapSearch(known.a, known.b, _partners(known), common_frames(known.a, known.b))
    # The base that lays the line of a joint on the root (body 0) exactly on the partner's line.
    by_lines = [
        after(pair.correction.pose, known.base) for pair in known.pairs if not pair.a.parent
    ]
    near = [
        pose
        for pose in (*by_lines, *_candidates(search))
        if SAME_BASE < max(poses_apart(pose, known.base)) < NEXT_TO
    ]
    fits = [(search.root_fit(pose, ahead=True), number, pose) for number, pose in enumerate(near)]
    bases = list(_likeliest(fits, []))
    return _with_bases(known, bases) if bases else None


def maps_from_other_bases(known: RobotMap) -> Iterator[RobotMap]:
    """Yield the maps by the partners of a known map from other bases on which the roots fit as well.

    Such a root looks alike from several sides, so that a turn of the base and a moved zero are the same motion.
    """
    if len(known.pairs) < ALIKE * max(len(known.a.joints), len(known.b.joints)) or _is_laid(known):
        return
    search = MapSearch(known.a, known.b, _partners(known), common_frames(known.a, known.b))
    fits: List[Tuple[float, int, Transform]] = []
    for pose in (IDENTITY_POSE, *_candidates(search)):
        fit = search.root_fit(pose)
        if fit < PERFECT:
            fits.append((fit + _base_price(pose), len(fits), pose))
    for pose in _likeliest(fits, [known.base]):
        yield _with_bases(known, (pose,))


def _partners(known: RobotMap) -> Dict[int, int]:
    """Return the index in B of each joint of A that a map pairs."""
    return {pair.choice.a: pair.choice.b for pair in known.pairs}


def _with_bases(known: RobotMap, bases: Sequence[Transform]) -> RobotMap:
    """Return the best map by the partners of a known map over given poses of the base."""
    return with_evidence(best_map(known.a, known.b, _partners(known), bases=bases).map)


def _by_names(a: RawRobot, b: RawRobot, names: MatchedJoints) -> CostedMap:
    """Return the best map in which joints of equal name are partners, and the welded joints are held as drawn."""
    first = canonical(a, names.welded_a)
    second = canonical(b, names.welded_b)
    root = root_of_partners(first, second, _places(first, second, names.pairs))
    if not root:
        return best_map(first, second, _places(first, second, names.pairs))
    # The joints of B have other indices from another root, so their places are computed again.
    from_root = canonical(b, names.welded_b, root)
    best = best_map(first, from_root, _places(first, from_root, names.pairs))
    if best.nearly_fits:
        return best
    # The guess of the root may be wrong: the root of the file is tried as well.
    as_written = best_map(first, second, _places(first, second, names.pairs), best.cost)
    return as_written if as_written.cost < best.cost else best


def _places(a: CanonicalRobot, b: CanonicalRobot, pairs: Dict[str, str]) -> Dict[int, int]:
    """Return pairs of child links as pairs of indices of joints; a joint that is held has no index."""
    index_a = _children(a)
    index_b = _children(b)
    return {
        index_a[child]: index_b[other]
        for child, other in pairs.items()
        if child in index_a and other in index_b
    }


def _children(robot: CanonicalRobot) -> Dict[str, int]:
    """Return the index of each joint by its child link in the file, also for reversed joints."""
    # If a robot starts from a different root, parent and child of a joint are exchanged.
    ends = {frozenset((joint.parent, joint.child)): joint.child for joint in robot.raw.joints}
    return {
        ends[frozenset((joint.raw.parent, joint.raw.child))]: index
        for index, joint in enumerate(robot.joints)
    }


def root_of_partners(a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int]) -> str:
    """Return the first link of B's body at which the joints of A's root meet, "" if it is the root or both are fixed.

    Two files of a free robot may begin at different bodies. The root of A is the body of B with the partners of all
    joints on it; for the two ends of a single joint, it is the body with the names of links of A's root.
    """
    # The world holds both roots, so both files begin at it.
    if a.raw.base == b.raw.base == "fixed":
        return ""
    partners = [partner[index] for index in a.child_joints[0] if index in partner]
    counts = _joints_at(b, partners)
    if len(partners) == 1:
        # A single joint has two ends: exclude the end where its descendants meet.
        beyond = _joints_at(b, _partners_of_next(a, partner))
        counts = {body: count for body, count in counts.items() if body not in beyond}
    if not counts:
        return ""

    # If several bodies have equally many of these joints, the names of links decide.
    names = {part.link.name for part in a.bodies[0].parts}
    fits = {}
    for body, count in counts.items():
        names_of_body = {part.link.name for part in b.bodies[body].parts}
        fits[body] = (count, len(names & names_of_body))
    # Among equal bodies the first: it is nearest to the root of the file.
    best = max(fits, key=lambda body: (fits[body], -body))
    fit_of_root = fits.get(0, (0, 0))
    # Joints that meet nowhere, or at the root as well as elsewhere, give no reason to leave the root of the file.
    if counts[best] < len(partners) or fits[best] <= fit_of_root:
        return ""
    return b.bodies[best].parts[0].link.name


def _joints_at(robot: CanonicalRobot, joints: Sequence[int]) -> Dict[int, int]:
    """Return how many of some joints, given by index, have a body as their parent or child, for each such body."""
    counts: Dict[int, int] = {}
    for index in joints:
        for body in (robot.joints[index].parent, robot.joints[index].child):
            counts[body] = counts.get(body, 0) + 1
    return counts


def _partners_of_next(a: CanonicalRobot, partner: Dict[int, int]) -> List[int]:
    """Return the partners of the joints that follow directly on the joints of A's root."""
    next_joints: List[int] = []
    for index in a.child_joints[0]:
        next_joints += a.child_joints[a.joints[index].child]
    return [partner[k] for k in next_joints if k in partner]


def best_map(
    a: CanonicalRobot,
    b: CanonicalRobot,
    partner: Dict[int, int],
    most: float = float("inf"),
    bases: Sequence[Transform] = (),
) -> CostedMap:
    """Return the cheapest map over the bases, if it costs less than `most`.

    If no map does, its cost may be infinite, or above `most` with a map that is not complete: compare the cost first.

    Args:
        partner: the index in B of each joint of A that a name pairs.
        bases: the poses (T_b_a) to try; `()`: search for them until a base nearly fits.
    """
    best = CostedMap(lay(a, b, IDENTITY_POSE, ()), float("inf"))
    # Joints without a partner cost this much in any map.
    if MISSING * abs(len(a.joints) - len(b.joints)) > most:
        return best
    search = MapSearch(a, b, partner, common_frames(a, b))
    standing = None if bases else standing_base(a, b, partner)
    # For robots of a single body, the place of each link determines the base, and nothing else has to fit.
    if standing is not None and not a.joints and not b.joints:
        bases = (standing,)
    for base in bases or _bases(search, standing):
        # `_bases` yields the very object `standing`, so any other base contradicts the frames.
        price = TURNED_PRICE if standing is not None and base is not standing else 0.0
        # A search that costs more than the best map so far stops early, with a cost that is not better.
        match = search.match(base, min(most, best.cost) - price)
        cost = match.cost + price
        # A later base must be clearly better: among equal bases the likeliest, which came first, stays.
        if cost < best.cost - SAME_COST:
            best = CostedMap(lay(a, b, base, match.choices)._replace(ties=match.ties), cost)
        # It nearly fits: the other bases are not worth their time, unless the caller named them.
        if not bases and cost <= BAD * max(1, len(a.joints)):
            break
    return best


def _bases(search: MapSearch, standing: Optional[Transform]) -> Iterator[Transform]:
    """Yield the likeliest poses of the base, by the root bodies, the likeliest first.

    First the base as the frames of links imply (`standing`), then the identity if it fits, then up to MOST_BASES poses
    by the roots, and if all of these fit, as many by the bodies on the roots. The caller stops when a pose is good.
    """
    if standing is not None:
        yield standing
    if search.root_fit(IDENTITY_POSE) < PERFECT:
        yield IDENTITY_POSE
    fits: Dict[Transform, float] = {}
    costs: List[Tuple[float, int, Transform]] = []
    for pose in _candidates(search):
        # Many facts imply the same pose.
        if pose not in fits:
            fits[pose] = search.root_fit(pose)
        # The number breaks ties, so that the likelier pose comes first and poses are never compared.
        costs.append((fits[pose] + _base_price(pose), len(costs), pose))
    bases: List[Transform] = []  # the poses so far: `_likeliest` adds to it
    yield from _likeliest(costs, bases)
    if len(bases) < MOST_BASES or search.root_fit(bases[-1]) >= PERFECT:
        return
    # All of them fit, and more may: the root does not determine its pose, but its child bodies may.
    poses = [pose for cost, _, pose in sorted(costs) if cost < PERFECT + OTHER_PRICE]
    for seen in _seen_below(search):
        poses += base_candidates(seen)
    costs_ahead = [
        (search.root_fit(pose, ahead=True) + _base_price(pose), number, pose)
        for number, pose in enumerate(poses)
    ]
    yield from _likeliest(costs_ahead, bases)


def _candidates(search: MapSearch) -> Iterator[Transform]:
    """Yield the poses of the base that the root bodies imply, the likelier first; a pose may come several times."""
    for seen in _seen(search):
        for pose in base_candidates(seen):
            yield pose
            yield from search.turned_to_limits(pose)


def _likeliest(
    costs: Sequence[Tuple[float, int, Transform]], bases: List[Transform]
) -> Iterator[Transform]:
    """Yield up to MOST_BASES poses of least cost that are not in `bases` yet, and add each to `bases` before.

    `costs` has the cost, a number that is unique, and the pose.
    """
    most = len(bases) + MOST_BASES
    for _, _, pose in sorted(costs):
        if len(bases) < most and all(max(poses_apart(pose, other)) > SAME_BASE for other in bases):
            bases.append(pose)
            yield pose


def _seen_below(search: MapSearch) -> Iterator[RootPoseEvidence]:
    """Yield the evidence for the pose of the base by each child of the roots, as if it did not move on its root."""
    for k, m in search.pairing.children(0, 0, IDENTITY_POSE):
        joint, partner = search.pairing.pair(k, m)
        body = joint.child
        other = partner.child
        yield RootPoseEvidence(
            [
                search.pairing.pair(i, j)
                for i, j in search.pairing.children(body, other, IDENTITY_POSE)
            ],
            search.pairing.frames.of(body, other),
            both_masses(search.a.bodies[body], search.b.bodies[other]),
        )


def _seen(search: MapSearch) -> Iterator[RootPoseEvidence]:
    """Yield the evidence for the pose of the roots, and with the bodies that follow, where the roots alone have little.

    Two lines or a mass with a line determine a pose; a root with no mass or a single line leaves it open.
    """
    masses = both_masses(search.a.bodies[0], search.b.bodies[0])
    frames = search.pairing.frames.of(0, 0)
    # Names tell which joints are partners; without names each likely order is tried.
    orders = (
        [search.pairing.children(0, 0, IDENTITY_POSE)]
        if search.pairing.partner
        else _orders(search)
    )
    for children in orders:
        seen = RootPoseEvidence([search.pairing.pair(k, m) for k, m in children], frames, masses)
        if masses is not None or not children:
            yield seen
        if len(children) == 1 or children and masses is None:
            joint, partner = seen.lines[0]
            yield from _seen_along(search, seen, joint, partner)


def _seen_along(
    search: MapSearch, seen: RootPoseEvidence, joint: CanonicalJoint, partner: CanonicalJoint
) -> Iterator[RootPoseEvidence]:
    """Yield evidence with the lines and frames below two joints as well, and their masses if the roots have no mass.

    The zeros of both joints may differ; slides and planar joints give their directions all the same.
    """
    a = search.a
    b = search.b
    body = joint.child
    other = partner.child
    seen = seen._replace(
        frames=[*seen.frames, *search.pairing.frames.of(body, other)],
        masses=seen.masses or both_masses(a.bodies[body], b.bodies[other]),
    )
    if search.pairing.partner:
        below = search.pairing.children(body, other, IDENTITY_POSE)
    else:
        below = list(
            product(a.child_joints[body][:MOST_BELOW_A], b.child_joints[other][:MOST_BELOW_B])
        )
    if not below:
        yield seen
    for k, m in below[:MOST_PAIRS_BELOW]:
        next_joint, next_partner = search.pairing.pair(k, m)
        with_below = seen._replace(lines=[*seen.lines, (next_joint, next_partner)])
        yield with_below
        # Lines after a joint that turns depend on its zero, which is not known yet; a slide keeps their directions.
        if joint.motion != TURNS and len(seen.lines) < MOST_SEEN:
            yield from _seen_along(search, with_below, next_joint, next_partner)


def _base_price(pose: Transform) -> float:
    """Return the price of a pose of the base, lower for a likelier pose.

    The order: the identity, right angles without shift, right angles with a shift, any other.
    """
    if pose is IDENTITY_POSE:
        return 0.0
    # Exact comparison, as these candidates come from `right_turns`.
    is_right = all(abs(part) in (0.0, 1.0) for row in pose.rotation for part in row)
    if not is_right:
        return OTHER_PRICE
    return 0.5 * ROUND_PRICE if pose.translation == ZERO else ROUND_PRICE


def _orders(search: MapSearch) -> List[IndexPairs]:
    """Return the likely pairs of joints on the roots without names: one or two pairs in each list, at least one list.

    Two lines determine a pose, so each of the first joints of A is paired with each joint of B, and the next joint of
    A with another joint of B.
    """
    joints_a = search.a.child_joints[0]
    joints_b = search.b.child_joints[0]
    orders: List[IndexPairs] = []
    for k, m in product(joints_a[:MOST_FIRST], joints_b):
        others_a = [index for index in joints_a if index != k]
        others_b = [index for index in joints_b if index != m]
        if others_a and others_b:
            orders += [[(k, m), (others_a[0], n)] for n in others_b[:MOST_SECOND]]
        else:
            orders.append([(k, m)])
    # Branches with different numbers of joints cannot be partners.
    sizes_a = [invariants.joints for invariants in search.pairing.invariants_a]
    sizes_b = [invariants.joints for invariants in search.pairing.invariants_b]
    likely = [pairs for pairs in orders if all(sizes_a[k] == sizes_b[m] for k, m in pairs)]
    return likely[:MOST_ORDERS] or [list(zip(joints_a, joints_b))]
