"""What a zero rests on: lines, inertia, frames or limits; and which other zero would fit as well."""
from math import pi
from typing import Iterable, List, Tuple

from ..robot.canonical import Canonical, Joint, LINK, SLIDES, TURNS
from ..robot.joint_motion import is_line, motion_of
from ..urdf.spatial import cross, dot, IDENTITY_POSE, norm, scale, subtract
from .fit import inertia_cost
from .joint_differences import range_of
from .lines import slides_along
from .robot_map import FRAMES, INERTIA, JointPair, LIMITS, LINES, NONE, RobotMap

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
        away = norm(subtract(between, scale(dot(between, joint.axis), joint.axis)))
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
    for frame in robot.frames:
        if frame.body == held and frame.kind != LINK:
            between = subtract(frame.T_root_frame.translation, joint.anchor)
            if norm(subtract(between, scale(dot(between, joint.axis), joint.axis))) > OFF_AXIS:
                return True
    return False


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
