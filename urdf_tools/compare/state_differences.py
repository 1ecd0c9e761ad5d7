"""Where two robots differ in their named states, and in the pairs of bodies that never collide."""
from typing import Dict, Iterator, List, Mapping, Tuple

from ..urdf.spatial import IDENTITY_POSE, Pose
from ..verify.rigid_motion import composed
from .canonical import link_places
from .differences import Difference, poses_apart, scaled_gap, Settings
from .joint_differences import shown
from .reading import inverse_of
from .records import RawKey, RawRobot
from .robot_map import is_line, RobotMap


def only_one_says(a: RawRobot, b: RawRobot, settings: Settings) -> List[Tuple[str, int, int]]:
    """Return what both formats can say and one file alone does: `keys` or `apart`, and how many either has."""
    counts = [("keys", len(a.keys), len(b.keys)), ("apart", len(a.apart), len(b.apart))]
    return [(what, first, second) for what, first, second in counts
            if settings.compares(what) and bool(first) != bool(second)]


def apart_differences(robots: RobotMap, settings: Settings) -> Iterator[Difference]:
    """Yield pairs that never collide in one robot alone; a file that names none leaves that open, but for a copy."""
    first, second = robots.a.raw.apart, robots.b.raw.apart
    if not settings.compares("apart") or not settings.complete and not (first and second):
        return
    bodies_a = {link: robots.bodies.get(body, -1) for link, body in robots.a.body_of.items()}
    here, there = ({frozenset(pair if settings.complete else [bodies.get(link, -1) for link in pair]):
                    tuple(sorted(pair)) for pair in pairs}
                   for pairs, bodies in ((first, bodies_a), (second, robots.b.body_of)))
    for kind, pairs, others in (("apart_only_a", here, there), ("apart_only_b", there, here)):
        for names in sorted(names for bodies, names in pairs.items() if len(bodies) > 1 and bodies not in others):
            yield Difference(kind, names[0], names=names)


def key_differences(robots: RobotMap, settings: Settings) -> Iterator[Difference]:
    """Yield named states that only one robot has, or that set a joint, a body or an actuator otherwise."""
    first, second = robots.a.raw.keys, robots.b.raw.keys
    if not settings.compares("keys") or not settings.complete and not (first and second):
        return
    for kind, names in (("key_only_a", first.keys() - second.keys()), ("key_only_b", second.keys() - first.keys())):
        for name in sorted(names):
            yield Difference(kind, name, names=(name,))
    for name in (name for name in first if name in second):
        pair = (first[name], second[name])
        yield from _values_apart(name, pair if settings.complete else _as_a(robots, *pair), settings)


def _values_apart(name: str, keys: Tuple[RawKey, RawKey], settings: Settings) -> Iterator[Difference]:
    key, other = keys
    for values, others in ((key.positions, other.positions), (key.controls, other.controls)):
        for part in sorted(values.keys() | others.keys()):
            a, b = values.get(part, 0.0), others.get(part, 0.0)
            if scaled_gap(a, b, 1.0) > settings.tolerances.number:
                yield Difference("key", part, abs(a - b), "", a, b, (name, part, shown(a), shown(b)), (abs(a - b),))
    for part in sorted(key.places.keys() | other.places.keys()):
        off, angle = poses_apart(key.places.get(part, IDENTITY_POSE), other.places.get(part, IDENTITY_POSE))
        if off > settings.tolerances.length or angle > settings.tolerances.angle:
            yield Difference("key_place", part, off, "m", None, None, (name, part), (off, angle))


def _as_a(robots: RobotMap, key: RawKey, other: RawKey) -> Tuple[RawKey, RawKey]:
    """Return what both states say of what both robots have, by the names, signs, zeros and frames of A.

    Controls are compared where actuators of one name drive joints that count alike.
    """
    ours: Dict[str, float] = {}
    theirs: Dict[str, float] = {}
    alike = set()
    for pair in robots.pairs:
        a, b = robots.a.joints[pair.choice.a], robots.b.joints[pair.choice.b]
        if is_line(a.motion) and is_line(b.motion):
            sign, offset = pair.choice.sign, robots.offset(pair)
            ours[a.raw.name] = key.positions.get(a.raw.name, a.raw.reference)
            theirs[a.raw.name] = sign * (other.positions.get(b.raw.name, b.raw.reference) - offset)
            alike |= {(a.raw.name, b.raw.name)} if sign > 0.0 and offset == 0.0 else set()
    lines = {joint.raw.name for robot in (robots.a, robots.b) for joint in robot.joints if is_line(joint.motion)}
    for name in (key.positions.keys() & other.positions.keys()) - lines:  # of what has several numbers, such as a plane
        ours[name], theirs[name] = key.positions[name], other.positions[name]
    driven = [{actuator.name: actuator.joint for actuator in raw.actuators} for raw in (robots.a.raw, robots.b.raw)]
    names = {name for name, joint in driven[0].items() if (joint, driven[1].get(name)) in alike}
    places = _places(robots, key.places, other.places)
    return tuple(RawKey(positions, poses, {name: state.controls.get(name, 0.0) for name in names})  # type: ignore
                 for positions, poses, state in zip((ours, theirs), places, (key, other)))


def _places(robots: RobotMap, first: Mapping[str, Pose], second: Mapping[str, Pose]
            ) -> Tuple[Dict[str, Pose], Dict[str, Pose]]:
    """Return by link of A where a free root is, and how a ball is turned, in the frame of A's root.

    Points of A's root are X of those of B's: T_world_a = T_world_b X. A turn R of a link at T is T R T^-1 in the root,
    and Y of its body leads from A's root to B's.
    """
    T_root_a, T_root_b = link_places(robots.a), link_places(robots.b)
    links = {robots.b.body_of[link]: link for link in second if link in robots.b.body_of}
    ours: Dict[str, Pose] = {}
    theirs: Dict[str, Pose] = {}
    for link, pose in first.items():
        body = robots.a.body_of.get(link, -1)
        other = links.get(robots.bodies.get(body, -1))
        if other is None:
            continue
        T, U, Y = T_root_a[link], T_root_b[other], robots.Y[body]
        if body == 0:
            ours[link], theirs[link] = pose, composed(composed(composed(second[other], inverse_of(U)), Y), T)
        else:
            ours[link] = composed(composed(T, pose), inverse_of(T))
            turned = composed(composed(U, second[other]), inverse_of(U))
            theirs[link] = composed(composed(inverse_of(Y), turned), Y)
    return ours, theirs
