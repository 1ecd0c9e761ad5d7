"""What MJCF must say beyond the robot itself, from the text of the URDF and what was asked for: actuators, pairs of
bodies that never touch, key frames. No writer is asked: the rules stand in `docs` of MuJoCo and in the options."""
from math import copysign, sqrt
from typing import AbstractSet, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ...compare.canonical import canonical
from ...compare.lines import after, motion_of
from ...compare.records import RawActuator, RawJoint, RawKey, RawRobot, RawShape
from ...model.choices import MjcfOptions
from ...urdf.spatial import IDENTITY, IDENTITY_POSE, norm, Pose, transpose, Vector
from ...verify.rigid_motion import composed, transform_point, rotated
from .model import MAX_COORDINATE

Bounds = Optional[Tuple[float, float]]
Values = Dict[str, Tuple[float, ...]]


class Bodies:
    """The robot beside the text: which of its links are bodies there, and what moves with what.

    Attributes:
        robot: as its own text says it. between: links between two joints of one body.
        written: links of the text; weightless: those of them to which the text alone gives a mass.
        above: joints by child. root: the first link. bare: links that are sites.
        leaders: joints by name, the first of several.
        free: the root has a free joint.
    """

    def __init__(self, robot: RawRobot, text: RawRobot, between: AbstractSet[str]) -> None:
        self.robot, self.text, self.between = robot, text, between
        self.written = {link.name for link in text.links}
        self.above = {joint.child: joint for joint in robot.joints}
        self.root = next(link.name for link in robot.links if link.name not in self.above)
        self.bare = [link.name for link in robot.links if link.name not in self.written and link.name not in between]
        self.leaders = {joint.name: joint for joint in reversed(robot.joints)}
        self.free = text.base == "free" and self.root != "world"
        heavy = {link.name for link in text.links if link.mass is not None and link.mass.mass > 0.0}
        self.massless = {link.name for link in robot.links if link.name in heavy and (
            link.mass is None or link.mass.mass == 0.0 and not any(link.mass.tensor))}
        self._carriers: Dict[str, str] = {}
        for joint in robot.joints:
            if joint.parent in between:
                self._carriers[joint.parent] = joint.child

    def holder(self, link: str) -> Optional[str]:
        """Return the body that a link is in; None for a link between two joints."""
        while link not in self.written and link in self.above and link not in self.between:
            link = self.above[link].parent
        return link if link in self.written else None

    def carried(self, link: str) -> str:
        """Return the body that a joint with this child moves: links between joints are in the body behind them."""
        while link in self._carriers:
            link = self._carriers[link]
        return link

    def leader(self, joint: RawJoint) -> Optional[RawJoint]:
        """Return the joint that a joint follows."""
        return self.leaders.get(joint.mimic.leader) if joint.mimic is not None and joint.moves else None


def range_of(joint: RawJoint) -> Bounds:
    """Return the positions allowed, None where both bounds are out of reach."""
    if joint.lower is None or joint.upper is None or joint.type == "continuous" or (
            joint.lower <= -MAX_COORDINATE and joint.upper >= MAX_COORDINATE):
        return None
    return joint.lower, joint.upper


def _symmetric(bound: Optional[float]) -> Bounds:
    return (-bound, bound) if bound is not None and 0.0 < bound < MAX_COORDINATE else None


def actuators_of(bodies: Bodies, names: Mapping[str, str], options: MjcfOptions) -> Iterator[RawActuator]:
    """Yield the actuators that the text must have; `names`: of joints there, by child.

    A joint with an effort, or for which the robot says an actuator, has one, unless it follows another joint, is
    locked, or moves what only the text gives a mass.
    """
    said: Dict[str, List[RawActuator]] = {}
    for one in bodies.robot.actuators:
        said.setdefault(one.joint, []).append(one)
    for joint in bodies.robot.joints if options.actuators != "none" else ():
        bounds = range_of(joint)
        if not joint.moves or bodies.leader(joint) is not None or bounds is not None and bounds[0] == bounds[1] or (
                bodies.carried(joint.child) in bodies.massless):
            continue
        own = said.get(joint.name, [])
        if own or joint.effort is not None and joint.effort > 0.0:
            yield _actuator(joint, own, names[joint.child], options)


def _actuator(joint: RawJoint, said: Sequence[RawActuator], name: str, options: MjcfOptions) -> RawActuator:
    """Return the first that the robot says of the kind asked for and with a gain, else a plain one of that kind."""
    asked, kp = options.actuators, (options.kp,) if options.kp is not None else ()
    fits = [one for one in said if one.kind == (asked or one.kind)]
    usable = [one for one in fits if one.kind == "motor" or any(
        one.values.get("kv", ()) if one.kind == "velocity" else one.values.get("kp", kp))]
    if usable:
        chosen = usable[0]
    else:
        named = fits or said
        chosen = RawActuator(named[0].name if len(named) == 1 else "", asked or "motor", joint.name)
    gear = chosen.values.get("gear", (1.0,))[0] or 1.0
    most, force = _symmetric(joint.effort), chosen.values.get("force_range")
    control: Optional[Tuple[float, ...]] = chosen.values.get("control_range")
    values: Values = {}
    if chosen.kind == "motor":
        values["gear"] = (gear,)
        control = control or (most and (most[0] / abs(gear), most[1] / abs(gear)))
        force = force and tuple(sorted((force[0] / gear, force[1] / gear)))  # bounded before the gear
    elif chosen.kind == "position":
        values["kp"] = chosen.values.get("kp") or kp
        damping = chosen.values.get("kv")
        values.update({"kv": damping} if damping is not None else {"damping_ratio": (1.0,)})
        control, force = control or range_of(joint), force or most
    else:
        values["kv"] = chosen.values["kv"]
        control, force = control or _symmetric(joint.velocity), force or most
    for key, bounds in (("control_range", control), ("force_range", force)):
        if bounds is not None and bounds[0] < bounds[1]:
            values[key] = bounds
    return RawActuator(chosen.name or name, chosen.kind, name, values)


def pairs_apart(bodies: Bodies, asked: Sequence[Tuple[str, str]]) -> Set[Tuple[str, str]]:
    """Return the pairs of bodies that never touch: as asked, and what hangs on a body that stands still, with all that.

    MuJoCo lets bodies that are fixed to each other pass, and what hangs on them, unless they are fixed to the world
    (its documentation, Computation, "Collision detection").
    """
    robot = bodies.robot
    touching = {link.name for link in robot.links if any(shape.role == "collision" for shape in link.shapes)}
    tops: Dict[str, str] = {bodies.root: bodies.root if bodies.free else ""}  # the body that moves it; "": none
    below: Dict[str, List[RawJoint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    waiting = [bodies.root]
    while waiting:
        name = waiting.pop()
        for joint in below.get(name, ()):
            moves = joint.type != "fixed" or name in bodies.between
            tops[joint.child] = joint.child if moves else tops[name]
            waiting.append(joint.child)
    still = [name for name, top in tops.items() if not top and name in touching]
    found: Set[Tuple[str, str]] = set()
    for name, top in tops.items() if still else ():
        if name in touching and top and top != bodies.root and bodies.above[top].type != "floating":
            above = bodies.above[top].parent
            while above in bodies.between:
                above = bodies.above[above].parent
            if not tops[above]:
                found.update((name, one) for one in still)
    for one, other in asked:
        pair = (bodies.holder(one), bodies.holder(other))
        if pair[0] is not None and pair[1] is not None and pair[0] != pair[1] and "world" not in pair:
            found.add((pair[0], pair[1]))
    return found


def keys_of(bodies: Bodies, names: Mapping[str, str], options: MjcfOptions) -> Dict[str, RawKey]:
    """Return the key frames that the text must have; a robot that nothing moves has none.

    Positions are as asked, else zero or the nearest allowed; position servos are told to stay there. A robot that is
    free stands with its lowest collision shape of known size on the ground.
    """
    joints = [joint for joint in bodies.robot.joints if joint.type != "fixed"]
    if not joints and not bodies.free:
        return {}
    nearest: Dict[str, float] = {}
    for joint in bodies.robot.joints:
        low, high = range_of(joint) or (1.0, -1.0)
        if low <= high:
            nearest.setdefault(joint.name, min(max(0.0, low), high))
    found: Dict[str, RawKey] = {}
    for key, given in (("home", options.home), *options.keys):
        at = _positions(bodies, {**nearest, **dict(given)})
        positions = {names[joint.child]: at[joint.child] for joint in joints if joint.moves}
        for joint in joints:
            if joint.type == "planar":
                positions.update({f"{names[joint.child]}_{end}": 0.0 for end in ("x", "y", "yaw")})
        places = {joint.child: joint.T_parent_child if joint.type == "floating" else IDENTITY_POSE for joint in joints
                  if joint.type in ("floating", "ball")}
        if bodies.free:
            places[bodies.root] = Pose(IDENTITY, (0.0, 0.0, -_lowest(bodies, at, dict(options.mesh_boxes))))
        found[key] = RawKey(positions, places, {one.name: positions[one.joint] for one in bodies.text.actuators
                                                if one.kind == "position" and positions.get(one.joint)})
    return found


def _positions(bodies: Bodies, given: Mapping[str, float]) -> Dict[str, float]:
    """Return the position of each joint by child: as given by name, or as its leader's rule says.

    In a circle of followers the one that is reached last is free.
    """
    found: Dict[str, float] = {}
    for joint in bodies.robot.joints:
        chain = [joint]
        while chain[-1].child not in found:
            leader = bodies.leader(chain[-1])
            if leader is None or any(leader.child == one.child for one in chain):
                found[chain[-1].child] = given.get(chain[-1].name, 0.0) if chain[-1].moves else 0.0
            else:
                chain.append(leader)
        for follower, leader in zip(chain[-2::-1], chain[:0:-1]):
            assert follower.mimic is not None
            found[follower.child] = follower.mimic.multiplier * found[leader.child] + follower.mimic.offset
    return found


def _lowest(bodies: Bodies, positions: Mapping[str, float], boxes: Mapping[str, Sequence[float]]) -> float:
    """Return the height of the lowest point of the collisions over the root; 0 if no size is known.

    Where bodies are is the product of the exponentials of the joints before them, in the frame of the root.
    """
    robot = canonical(bodies.robot)
    moved = [IDENTITY_POSE] * len(robot.bodies)
    for joint in robot.joints:
        moved[joint.child] = after(moved[joint.parent], motion_of(joint, positions.get(joint.raw.child, 0.0)))
    heights = [_lowest_of(shape, composed(after(T, part.T_root_link), shape.T_link_shape), boxes)
               for body, T in zip(robot.bodies, moved) for part in body.parts for shape in part.link.shapes
               if shape.role == "collision"]
    return min((height for height in heights if height is not None), default=0.0)


def _lowest_of(shape: RawShape, T: Pose, boxes: Mapping[str, Sequence[float]]) -> Optional[float]:
    """Return the height of the support point of a shape downward: the point that is furthest in that direction."""
    x, y, z = rotated(transpose(T.rotation), (0.0, 0.0, -1.0))
    point: Vector
    if shape.geometry == "box":
        a, b, c = shape.sizes
        point = (copysign(a / 2.0, x), copysign(b / 2.0, y), copysign(c / 2.0, z))
    elif shape.geometry == "mesh":
        if shape.file not in boxes:
            return None
        box, (i, j, k) = boxes[shape.file], shape.sizes
        point = (max(i * box[0], i * box[3], key=x.__mul__), max(j * box[1], j * box[4], key=y.__mul__),
                 max(k * box[2], k * box[5], key=z.__mul__))
    elif shape.geometry == "ellipsoid":
        a, b, c = shape.sizes
        length = norm((a * x, b * y, c * z)) or 1.0
        point = (a * a * x / length, b * b * y / length, c * c * z / length)
    elif shape.geometry == "plane":
        return None
    else:
        radius, half = shape.sizes[0], shape.sizes[1] / 2.0 if len(shape.sizes) > 1 else 0.0
        across = sqrt(x * x + y * y) if shape.geometry == "cylinder" else 1.0
        rim = radius / across if across > 0.0 else 0.0
        point = (rim * x, rim * y, copysign(half, z) + (rim * z if shape.geometry != "cylinder" else 0.0))
    return transform_point(T, point)[2]
