"""What a map rests on: names of joints that make them partners, and what shows the zero of each.

Names are equal, alike, or alike without the common prefix of a file. A zero rests on lines, inertia, frames or limits;
and another zero may fit as well.
"""
import re
from math import pi
from os.path import commonprefix
from typing import AbstractSet, Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from ..base.number_text import grouped
from ..robot.canonical import Canonical, is_empty, Joint, LINK, SLIDES, TURNS
from ..robot.motion import is_line, motion_of
from ..urdf.spatial import cross, dot, IDENTITY_POSE, norm, subtract
from .fit import inertia_cost
from .joint_differences import range_of
from .lines import rejection, slides_along
from .robot_map import FRAMES, INERTIA, JointPair, LIMITS, LINES, NONE, RobotMap

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
    for key in ("name", "child"):
        names = [[(getattr(joint, key), joint.child) for joint in joints] for joints in (first, second)]
        for tier in (_same, _folded, _without_prefix)[:1 if only_equal else 3]:
            paired = set(pairs.values())
            _add_unique(pairs, tier([name for name in names[0] if name[1] not in pairs]),
                        tier([name for name in names[1] if name[1] not in paired]))
    if len(pairs) < ENOUGH * min(len(first), len(second)) or not pairs:
        return NamePairs(pairs)
    return NamePairs(pairs, _welded(a, b, set(pairs)), _welded(b, a, set(pairs.values())))


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
    by_name = grouped(second)
    for name, children in grouped(first).items():
        others = by_name.get(name, [])
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


ANY_TURN, SEEN = 1.0, 0.05  # rad: a turn that is no symmetry; the cost from which on a turn is seen
OFF_AXIS, TILTED = 1e-4, 1e-3  # m, and the sine of an angle


def with_evidence(robots: RobotMap) -> RobotMap:
    """Return the map with what each zero rests on."""
    pairs = []
    for pair in robots.pairs:
        if is_line(robots.a.joints[pair.choice.a].motion):
            evidence, alternatives = _evidence(robots, pair)
            pair = pair._replace(evidence=evidence, alternatives=tuple(alternatives))
        pairs.append(pair)
    return robots._replace(pairs=tuple(pairs), base_evidence=_base_evidence(robots))


def _evidence(robots: RobotMap, pair: JointPair) -> Tuple[str, List[float]]:
    """Return what determines the zero of a joint, and the other zeros that fit as well."""
    joint = robots.a.joints[pair.choice.a]
    mapped = {other.choice.a for other in robots.pairs}
    held = _held(robots.a, joint)
    children = [robots.a.joints[index] for body in held for index in robots.a.below[body] if index in mapped]
    if joint.motion == SLIDES:
        by_lines = any(norm(cross(joint.axis, child.axis)) > TILTED for child in children if child.motion == TURNS)
        half = by_lines
    else:
        by_lines, half = _seen_by_lines(joint, children)
    if by_lines and half:
        return LINES, []
    for evidence, seen in ((INERTIA, any(_inertia_shows(robots.a, joint, body, pi if by_lines else ANY_TURN)
                                          for body in held)),
                           (FRAMES, any(_frames_show(robots.a, joint, body) for body in held))):
        if seen:
            return evidence, []
    # Lines show the zero but for half a turn, which nothing else decides: both fit.
    others = [pair.choice.zero + pi if pair.choice.zero <= 0.0 else pair.choice.zero - pi] if by_lines else []
    first, second = range_of(joint.raw), range_of(robots.b.joints[pair.choice.b].raw)
    if None not in first and None not in second:
        return LIMITS, others
    return LINES if by_lines else NONE, others


def _held(robot: Canonical, joint: Joint) -> List[int]:
    """Return the child of a joint, and the bodies that also determine its zero, as in the search."""
    bodies = [joint.child]
    for body in bodies:
        mass = robot.bodies[body].mass
        bare = mass is None or mass.mass <= 0.0
        below = [robot.joints[index] for index in robot.below[body]]
        bodies += [each.child for each in below if not is_line(each.motion) or bare and slides_along(joint, each)]
    return bodies


def _seen_by_lines(joint: Joint, children: Iterable[Joint]) -> Tuple[bool, bool]:
    """Return whether lines show any turn about a joint, and whether they show a half turn, unlike one across it."""
    any_turn = half = False
    for child in children:
        if child.motion not in (TURNS, SLIDES):
            continue
        normal, between = cross(joint.axis, child.axis), subtract(child.anchor, joint.anchor)
        sine = norm(normal)
        away = norm(rejection(between, joint.axis))
        distance = abs(dot(between, normal)) / sine if sine > TILTED else away
        off_axis = child.motion == TURNS and distance > OFF_AXIS
        slanted = sine > TILTED and abs(dot(joint.axis, child.axis)) > TILTED
        any_turn = any_turn or off_axis or sine > TILTED
        half = half or off_axis or slanted
    return any_turn, half


def _inertia_shows(robot: Canonical, joint: Joint, held: int, turn: float) -> bool:
    """Return True if a body looks otherwise after a turn, or a shift, at the joint that carries it."""
    body = robot.bodies[held]
    return inertia_cost(motion_of(joint, turn), body, body) > SEEN


def _frames_show(robot: Canonical, joint: Joint, held: int) -> bool:
    """Return True if a body has a named frame off the axis of the joint that carries it."""
    return any(norm(rejection(subtract(frame.T_root_frame.translation, joint.anchor), joint.axis)) > OFF_AXIS
               for frame in robot.frames if frame.body == held and frame.kind != LINK)


def _base_evidence(robots: RobotMap) -> str:
    """Return what shows the turn of the base: two different lines, inertia, frames, or nothing."""
    mapped = {pair.choice.a for pair in robots.pairs}
    lines = [robots.a.joints[index] for index in robots.a.below[0]
             if index in mapped and robots.a.joints[index].motion == TURNS]
    if any(_seen_by_lines(lines[0], [other])[0] for other in lines[1:]):
        return LINES
    body = robots.a.bodies[0]
    if body.mass is not None and body.mass.mass > 0.0 and "fixed" not in (robots.a.raw.base, robots.b.raw.base):
        return INERTIA
    return NONE if robots.base == IDENTITY_POSE or not lines else FRAMES
