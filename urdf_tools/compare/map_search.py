"""Search for the map between two robots: by the names of joints, else by structure."""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.record import Record
from ..robot.canonical import canonical, CanonicalRobot, CanonicalJoint, rooted, TURNS
from ..robot.motion import after
from ..robot.records import RawRobot
from ..urdf.spatial import IDENTITY_POSE, Transform, ZERO
from .differences import poses_apart
from .evidence import base_candidates, NamePairs, pair_names, RootEvidence, with_evidence
from .fit import both_masses, common_frames
from .robot_map import lay, RobotMap
from .search import (
    IndexPairs,
    MISSING,
    OTHER_PRICE,
    PERFECT,
    ROUND_PRICE,
    MapSearch,
    TURNED_PRICE,
)
from .standing import EXACT, frames_apart, standing_base, standing_partners

AUTO = "auto"
EQUAL = "equal"
STRUCTURE = "structure"
# The cost for each joint, in facts: above it names may mislead, and up to it a base nearly fits.
BAD = 0.05
BETTER = 0.7  # a map without names must cost less than this part of the map by names, as names are evidence, too
MOST_BASES = 8
MOST_SEEN = 3  # lines on a chain from the root
SAME_BASE = 1e-9  # m and rad
NEXT_TO = 0.01  # m and rad: bases that a fit may confuse
ALIKE = 0.6  # of the joints of the larger robot: with fewer in the smaller robot, structure alone pairs nothing


class CostedMap(Record):
    """A map with its cost: the number of facts that differ."""

    map: RobotMap
    cost: float


def search_map(a: RawRobot, b: RawRobot, names: str) -> RobotMap:
    """Return the map from A to B by names, or by structure if names pair nothing or `names` requires it.

    Raises:
        BrokenRobot: the links and joints of a robot do not form a tree.
    """
    first, second = canonical(a), canonical(b)
    # A free base may be written with a frame above it, or without: both get the same root.
    first, second = rooted(first, second), rooted(second, first)
    a = first.raw
    b = second.raw

    if names == STRUCTURE:
        return with_evidence(best_map(first, second, {}).map)
    pairs = pair_names(first, second, only_equal=names == EQUAL)
    is_alike = min(len(first.joints), len(second.joints)) >= ALIKE * max(
        len(first.joints), len(second.joints)
    )
    if not pairs.pairs and not is_alike:
        return lay(first, second, IDENTITY_POSE, ())
    best = _by_names(a, b, pairs)
    # A joint held in A and a joint held in B are partners that names have missed if a better map pairs them.
    cost = best.cost + 2.0 * MISSING * min(len(pairs.welded_a), len(pairs.welded_b))
    if names == AUTO and is_alike and pairs.pairs and cost > BAD * max(1, len(best.map.a.joints)):
        # A joint at the place that its name implies keeps its partner: only other names may mislead.
        standing = standing_partners(first, second, _places(first, second, pairs.pairs))
        if len(standing) == len(first.joints) == len(second.joints):
            return with_evidence(best.map)
        without = best_map(first, second, standing, BETTER * cost)
        best = without if without.cost < BETTER * cost else best
    return with_evidence(best.map)


def map_as_drawn(known: RobotMap) -> Optional[RobotMap]:
    """Return the map between the robots of a known map, by its partners, with the base in the drawn pose.

    None: the base is in that pose already, or its frames determine it.
    """
    if known.base == IDENTITY_POSE or _is_laid(known):
        return None
    return _with_bases(known, (IDENTITY_POSE,))


def _is_laid(known: RobotMap) -> bool:
    """Return True if the base lies as the frames of its links imply, and a joint on it agrees to the last digit."""
    partner = _partners(known)
    base = standing_base(known.a, known.b, partner)
    return (
        base is not None
        and max(poses_apart(base, known.base)) <= EXACT
        and (
            not known.a.child_joints[0]
            or any(
                max(frames_apart(known.a, known.b, k, partner[k])) <= EXACT
                for k in known.a.child_joints[0]
                if k in partner
            )
        )
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
    laid = [after(pair.correction.pose, known.base) for pair in known.pairs if not pair.a.parent]
    near = [
        pose
        for pose in (*laid, *_candidates(search))
        if SAME_BASE < max(poses_apart(pose, known.base)) < NEXT_TO
    ]
    fits = [(search.root_fit(pose, ahead=True), number, pose) for number, pose in enumerate(near)]
    bases = list(_likeliest(fits, []))
    return _with_bases(known, bases) if bases else None


def _partners(known: RobotMap) -> Dict[int, int]:
    return {pair.choice.a: pair.choice.b for pair in known.pairs}


def _with_bases(known: RobotMap, bases: Sequence[Transform]) -> RobotMap:
    """Return the best map by the partners of a known map over given poses of the base."""
    return with_evidence(best_map(known.a, known.b, _partners(known), bases=bases).map)


def _by_names(a: RawRobot, b: RawRobot, names: NamePairs) -> CostedMap:
    """Return the best map in which joints of equal name are partners."""
    first, second = canonical(a, names.welded_a), canonical(b, names.welded_b)
    root = root_of_partners(first, second, _places(first, second, names.pairs))
    started = canonical(b, names.welded_b, root) if root else second
    best = best_map(first, started, _places(first, started, names.pairs))
    # The guess of the root may be wrong: the root of the file is tried as well.
    if root and best.cost > BAD * max(1, len(first.joints)):
        straight = best_map(first, second, _places(first, second, names.pairs), best.cost)
        best = straight if straight.cost < best.cost else best
    return best


def _places(a: CanonicalRobot, b: CanonicalRobot, pairs: Dict[str, str]) -> Dict[int, int]:
    """Return the pairs as indices in the canonical robots: by the child links in the files."""
    first, second = _children(a), _children(b)
    return {
        first[child]: second[other]
        for child, other in pairs.items()
        if child in first and other in second
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

    For the two ends of a single joint, it is the body with the names of links of A's root.
    """
    if a.raw.base == b.raw.base == "fixed":
        return ""
    partners = [partner[index] for index in a.child_joints[0] if index in partner]
    counts: Dict[int, int] = {}
    for index in partners:
        for body in (b.joints[index].parent, b.joints[index].child):
            counts[body] = counts.get(body, 0) + 1
    # A single joint has two ends: exclude the end where its descendants meet.
    if len(partners) == 1:
        below = [
            partner[k]
            for index in a.child_joints[0]
            for k in a.child_joints[a.joints[index].child]
            if k in partner
        ]
        beyond = {body for k in below for body in (b.joints[k].parent, b.joints[k].child)}
        counts = {body: 1 for body in counts if body not in beyond}
    if not counts:
        return ""

    # If several bodies have equally many of these joints, the names of links decide.
    names = {part.link.name for part in a.bodies[0].parts}
    fits = {
        body: (count, len(names.intersection(part.link.name for part in b.bodies[body].parts)))
        for body, count in counts.items()
    }
    # Among equal bodies the first: it is nearest to the root of the file.
    best = max(fits, key=lambda body: (fits[body], -body))
    meets = counts[best] == len(partners) and fits[best] > fits.get(0, (0, 0))
    return b.bodies[best].parts[0].link.name if meets else ""


def best_map(
    a: CanonicalRobot,
    b: CanonicalRobot,
    partner: Dict[int, int],
    most: float = float("inf"),
    bases: Sequence[Transform] = (),
) -> CostedMap:
    """Return the cheapest map over the bases, if it costs less than `most`; `()`: search until a base nearly fits."""
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
        search.ties = 0
        price = TURNED_PRICE if standing is not None and base is not standing else 0.0
        choices, cost = search.match(base, min(most, best.cost) - price)
        cost += price
        # A later base must be clearly better: among equal bases the likeliest, which came first, stays.
        if cost < best.cost - 1e-6:
            best = CostedMap(lay(a, b, base, choices)._replace(ties=search.ties), cost)
        # It nearly fits: the other bases are not worth their time, unless the caller named them.
        if not bases and cost <= BAD * max(1, len(a.joints)):
            break
    return best


def _bases(search: MapSearch, standing: Optional[Transform]) -> Iterator[Transform]:
    """Yield the likeliest poses of the base, by the root bodies: as the frames imply, and the identity first if it
    fits.
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
    bases: List[Transform] = []
    yield from _likeliest(costs, bases)
    if len(bases) < MOST_BASES or search.root_fit(bases[-1]) >= PERFECT:
        return
    # All of them fit, and more may: the root does not determine its pose, but its child bodies may.
    poses = [pose for cost, _, pose in sorted(costs) if cost < PERFECT + OTHER_PRICE]
    for seen in _seen_below(search):
        poses += base_candidates(seen)
    yield from _likeliest(
        [
            (search.root_fit(pose, ahead=True) + _base_price(pose), number, pose)
            for number, pose in enumerate(poses)
        ],
        bases,
    )


def _candidates(search: MapSearch) -> Iterator[Transform]:
    """Yield the poses of the base that the root bodies imply."""
    for seen in _seen(search):
        for pose in base_candidates(seen):
            yield pose
            yield from search.turned_to_limits(pose)


def _likeliest(
    costs: Sequence[Tuple[float, int, Transform]], bases: List[Transform]
) -> Iterator[Transform]:
    """Yield the poses of least cost that are not in `bases` yet, and add them."""
    most = len(bases) + MOST_BASES
    for _, _, pose in sorted(costs):
        if len(bases) < most and all(max(poses_apart(pose, other)) > SAME_BASE for other in bases):
            bases.append(pose)
            yield pose


def _seen_below(search: MapSearch) -> Iterator[RootEvidence]:
    """Yield the evidence for the poses of the children of the roots."""
    for k, m in search.children(0, 0, IDENTITY_POSE):
        joint, partner = search.pair(k, m)
        body = joint.child
        other = partner.child
        yield RootEvidence(
            [search.pair(i, j) for i, j in search.children(body, other, IDENTITY_POSE)],
            search.frames.of(body, other),
            both_masses(search.a.bodies[body], search.b.bodies[other]),
        )


def _seen(search: MapSearch) -> Iterator[RootEvidence]:
    """Yield the evidence for the pose of the roots; a root with no mass or a single line has less than its neighbors."""
    a = search.a
    b = search.b
    frames = search.frames.of(0, 0)
    for children in [search.children(0, 0, IDENTITY_POSE)] if search.partner else _orders(search):
        seen = RootEvidence(
            [search.pair(k, m) for k, m in children],
            frames,
            both_masses(a.bodies[0], b.bodies[0]),
        )
        if seen.masses is not None or not children:
            yield seen
        if len(children) == 1 or children and seen.masses is None:
            yield from _seen_along(search, seen, *seen.lines[0])


def _seen_along(
    search: MapSearch, seen: RootEvidence, joint: CanonicalJoint, partner: CanonicalJoint
) -> Iterator[RootEvidence]:
    """Yield the evidence from the lines and frames below two joints, and from the masses there if the roots have no
    mass.

    The zeros of both joints may differ; slides and planar joints give their directions all the same.
    """
    a = search.a
    b = search.b
    body = joint.child
    other = partner.child
    seen = seen._replace(
        frames=[*seen.frames, *search.frames.of(body, other)],
        masses=seen.masses or both_masses(a.bodies[body], b.bodies[other]),
    )
    below = (
        search.children(body, other, IDENTITY_POSE)
        if search.partner
        else [(k, m) for k in a.child_joints[body][:2] for m in b.child_joints[other][:3]]
    )
    if not below:
        yield seen
    for pair in [search.pair(k, m) for k, m in below[:6]]:
        with_below = seen._replace(lines=[*seen.lines, pair])
        yield with_below
        if joint.motion != TURNS and len(seen.lines) < MOST_SEEN:
            yield from _seen_along(search, with_below, *pair)


def _base_price(pose: Transform) -> float:
    """Return the price of a pose of the base: the identity, right angles without shift, or any other."""
    if pose is IDENTITY_POSE:
        return 0.0
    # Exact comparison, as these candidates come from `right_turns`.
    is_right = all(abs(part) in (0.0, 1.0) for row in pose.rotation for part in row)
    return (
        (0.5 * ROUND_PRICE if pose.translation == ZERO else ROUND_PRICE)
        if is_right
        else OTHER_PRICE
    )


def _orders(search: MapSearch) -> List[IndexPairs]:
    """Return the likely pairs of children of the roots without names: the first of A with each of B."""
    first, second = search.a.child_joints[0], search.b.child_joints[0]
    orders = []
    for k in first[:2]:
        for m in second:
            rest = [index for index in second if index != m]
            others = [index for index in first if index != k]
            for n in rest[:4] if others and rest else [-1]:
                pairs = [(k, m)] + ([(others[0], n)] if n >= 0 else [])
                # Branches with different numbers of joints cannot be partners.
                if all(search.shapes[0][i].joints == search.shapes[1][j].joints for i, j in pairs):
                    orders.append(pairs)
    return orders[:24] or [list(zip(first, second))]
