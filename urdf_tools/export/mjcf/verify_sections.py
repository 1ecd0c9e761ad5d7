"""The proof of what stands behind the bodies in an MJCF text: excludes, actuators, sensors with sites and cameras, and
the key frame. Expected values come from the robot and the options, and pairs that must not touch from the bodies of the
text, by the rules of MuJoCo's own filter."""
import math
from typing import Dict, Iterator, List, Mapping, Optional, Set, Tuple

from ...model.pose import Pose
from ...model.records import Actuator, Joint, Sensor
from ...model.shapes import Ellipsoid, Part, pieces, Plane
from ...model.tree import leaders_of, poses_at, positions_of, Positions
from ...model.geometry import Box, Mesh
from ...urdf.spatial import compose, matrix_from_quaternion, move, Pose as Transform, rotate, transpose, Vector
from ..read_back import compare_numbers, compare_poses, differs, Element, is_called
from .reader import equal, Move, numbers, place_of, Proof

Moves = Mapping[str, Tuple[Move, ...]]
Bounds = Optional[Tuple[float, float]]
DRIVEN = ("revolute", "continuous", "prismatic")
SITES = {"imu": (("gyro", "gyro"), ("accelerometer", "accelerometer"), ("framequat", "quat")),
         "force_torque": (("force", "force"), ("torque", "torque"))}  # of a sensor: elements, and ends of their names
CAMERAS = ("camera", "depth", "depth_camera", "rgbd_camera", "wideanglecamera")
MAX_COORDINATE = 1e9


def compare_sections(proof: Proof, moves: Moves) -> None:
    """Compare excludes, actuators, sensors and the key frame with the robot.

    Raises:
        ProofFailed: something differs, is missing, or is there without a reason.
    """
    _compare_excludes(proof, moves)
    driven = _compare_actuators(proof, moves)
    _compare_sensors(proof)
    _compare_keys(proof, moves, driven)


def _compare_excludes(proof: Proof, moves: Moves) -> None:
    """Compare the pairs that do not touch.

    MuJoCo lets bodies that are fixed to each other pass, and what hangs on them, unless they are fixed to the world.
    """
    touching = {link.name for link in proof.robot.links if link.collisions}
    fixed_to: Dict[str, str] = {"": ""}  # the body that moves, with which each is fixed together; "": the world
    for name, body in proof.bodies.items():
        if name:
            fixed_to[name] = name if moves[name] or body.free else fixed_to[body.parent]
    still = [name or "world" for name, top in fixed_to.items() if not top and (name or "world") in touching]
    pairs: Set[Tuple[str, str]] = set()
    for name, top in fixed_to.items():
        hangs = top and not proof.bodies[top].free and not fixed_to[proof.bodies[top].parent]
        if hangs and name in touching:
            pairs.update((min(name, one), max(name, one)) for one in still)
    for link, other in proof.decided.options.exclude:
        first, second = proof.body_of(link), proof.body_of(other)
        if first and second and first != second:
            pairs.add((min(first, second), max(first, second)))
    found = [(one.get("body1"), one.get("body2")) for one in proof.section("contact")]
    equal("the excluded pairs", sorted((min(pair), max(pair)) for pair in found), sorted(pairs))


def _compare_actuators(proof: Proof, moves: Moves) -> List[Tuple[str, Joint]]:
    """Compare the actuators; return their types and joints."""
    options, leaders = proof.decided.options, leaders_of(proof.robot)
    said: Dict[str, List[Actuator]] = {}
    for actuator in proof.robot.actuators:
        said.setdefault(actuator.joint, []).append(actuator)
    expected = {}
    for name, own in moves.items() if options.actuators != "none" else ():
        weight = proof.tree.links[name].weight
        weightless = bool(proof.bodies[name].all("inertial")) and not (
            weight.mass or any(map(any, weight.inertia)))
        for joint, element in ((one.joint, one.elements[0]) for one in own):
            driven = bool(joint.limit and joint.limit.effort and joint.limit.effort > 0.0) or joint.name in said
            locked = joint.range is not None and joint.range[0] == joint.range[1]
            follows = joint.mimic is not None and joint.mimic.joint in leaders
            if joint.type in DRIVEN and driven and not (locked or follows or weightless):
                expected[str(element.get("name"))] = (joint, element)
    section = proof.section("actuator")
    equal("the joints with an actuator", sorted(str(one.get("joint")) for one in section), sorted(expected))
    equal("the number of names of actuators", len({one.get("name") for one in section}), len(section))
    for one in section:
        joint, element = expected[one.get("joint")]
        _compare_actuator(one, joint, element, said.get(joint.name, []), options.actuators, options.kp)
    return [(one.tag, expected[one.get("joint")][0]) for one in section]


def _compare_actuator(found: Element, joint: Joint, element: Element, said: List[Actuator], asked: str,
                      kp: Optional[float]) -> None:
    """Compare an actuator with the first that the robot has for the joint, is of the type asked for, and has a gain."""
    where = f"the actuator of '{joint.name}'"
    fits = [one for one in said if one.type == (asked or one.type)]
    usable = [one for one in fits if one.type == "motor" or (one.kv if one.type == "velocity" else one.kp or kp)]
    wanted = usable[0] if usable else Actuator("", joint.name, asked or "motor")
    named = usable[:1] or fits or said
    equal(f"{where}, type", found.tag, wanted.type)
    equal(f"{where}, name", any(is_called(found.get("name", ""), name) for name in (
        *(one.name for one in named), joint.name, element.get("name"))), True)
    gear, effort = (wanted.gear or 1.0) if wanted.type == "motor" else 1.0, joint.limit.effort if joint.limit else None
    most = (-effort, effort) if effort is not None and 0.0 < effort <= MAX_COORDINATE else None
    force, control = wanted.force_range, wanted.control_range
    values: Dict[str, Optional[float]] = {"gear": None if gear == 1.0 else gear, "kp": None, "kv": None,
                                          "dampratio": None}
    if wanted.type == "motor":
        control = control or most and (most[0] / abs(gear), most[1] / abs(gear))
        force = force and (min(force[0] / gear, force[1] / gear), max(force[0] / gear, force[1] / gear))
    else:
        values["kv"] = wanted.kv
        force = force or most
    if wanted.type == "position":
        values.update(kp=wanted.kp or kp, dampratio=1.0 if wanted.kv is None else None)
        control = control or joint.range
    elif wanted.type == "velocity":
        speed = joint.limit.velocity if joint.limit else None
        control = control or ((-speed, speed) if speed else None)
    for key, value in values.items():
        if value is not None or key in found.attrib:
            compare_numbers(f"{where}, {key}", numbers(found, key), () if value is None else (value,))
    _compare_bounds(f"{where}, force", numbers(found, "forcerange"), force)
    if wanted.type == "position" and found.get("inheritrange") == "1":
        equal(f"{where}, control ranges", found.get("ctrlrange"), None)
        _compare_bounds(f"{where}, control", numbers(element, "range"), control)
    else:
        equal(f"{where}, inheritrange", found.get("inheritrange"), None)
        _compare_bounds(f"{where}, control", numbers(found, "ctrlrange"), control)


def _compare_bounds(where: str, found: List[float], bounds: Bounds) -> None:
    reached = bounds is not None and bounds[0] < bounds[1] and (
        bounds[0] >= -MAX_COORDINATE or bounds[1] <= MAX_COORDINATE)
    compare_numbers(where, found, bounds if bounds is not None and reached else ())


def _has_sites(proof: Proof, sensor: Sensor) -> bool:
    link = _link_of(proof, sensor)
    return link is not None and (sensor.type == "imu" or sensor.type == "force_torque" and link in proof.bodies)


def _link_of(proof: Proof, sensor: Sensor) -> Optional[str]:
    """Return the link that a sensor is on, or in whose joint; None where the text has no place for it."""
    link = sensor.link or next((joint.child for joint in proof.robot.joints if joint.name == sensor.joint), "")
    return link if proof.body_of(link) is not None else None


def _is_camera(proof: Proof, sensor: Sensor) -> bool:
    return sensor.camera is not None and sensor.type in CAMERAS and _link_of(proof, sensor) is not None


def _compare_sensors(proof: Proof) -> None:
    """Compare sensors and sites: one for each link that is a mere frame, each frame asked for, and each sensor."""
    decided, links = proof.decided, proof.tree.links
    equal("the sites", sorted(proof.sites), sorted(decided.sites))
    waiting: Dict[Tuple[str, Pose], List[str]] = {}
    for name, place in decided.sites.items():
        waiting.setdefault(place, []).append(name)

    def take(what: str, name: str, link: str, pose: Pose) -> str:
        for one in waiting.get((link, pose), ()):
            if is_called(one, name):
                waiting[link, pose].remove(one)
                return one
        raise differs(f"{what} '{name}'", "nothing", "a site")

    for link in links:
        if link in proof.sites and link not in proof.bodies:
            take("link", link, link, Pose())
    for frame in decided.options.frames:
        if frame.link not in decided.between:
            take("frame", frame.name, frame.link, frame.pose)
    expected = []
    for sensor in proof.robot.sensors:
        if not _is_camera(proof, sensor) and _has_sites(proof, sensor):
            site = take("sensor", sensor.name, _link_of(proof, sensor) or "", sensor.origin)
            for tag, end in SITES[sensor.type]:
                target = {"objtype": "site", "objname": site} if tag == "framequat" else {"site": site}
                expected.append((tag, {"name": f"{site}_{end}", **target}))
    closed = {one.get(key) for one in proof.section("equality") for key in ("site1", "site2")}
    equal("the sites", [name for names in waiting.values() for name in names if name not in closed], [])
    equal("the sensors", [(one.tag, one.attrib) for one in proof.section("sensor")], expected)


def watched_places(proof: Proof) -> Iterator[Tuple[str, str, Transform, str, Transform]]:
    """Yield for each site and camera what it is, its body, its pose there, and the link and pose there of the robot.

    Raises:
        ProofFailed: there are other cameras than in the robot, or one sees otherwise.
    """
    for name, (holder, T_holder_site) in proof.sites.items():
        carrier, pose = proof.decided.sites[name]
        yield f"site '{name}'", holder, T_holder_site, carrier, pose.transform
    waiting = list(proof.cameras)
    for sensor in proof.robot.sensors:
        link = _link_of(proof, sensor)
        if link is None or sensor.camera is None or not _is_camera(proof, sensor):
            continue
        where, body, seen = f"camera '{sensor.name}'", proof.body_of(link), sensor.camera
        element = next((one for holder, one in waiting if holder == body and is_called(one.get("name", ""), sensor.name)
                        ), None)
        if element is None:
            raise differs(where, "nothing", "a camera")
        waiting.remove((str(body), element))
        (half,), (width, height) = numbers(element, "fovy"), numbers(element, "resolution")
        compare_numbers(f"{where}, image", (width, height), (seen.width, seen.height))
        compare_numbers(f"{where}, view", (math.tan(math.radians(half) / 2.0) * seen.width,),
                        (math.tan(seen.horizontal_fov / 2.0) * seen.height,))
        columns = transpose(sensor.origin.matrix)  # gz looks along x, with y to the left and z up; MuJoCo has x to the
        left, up, back = columns[1], columns[2], columns[0]  # right and y up, and looks along -z
        turned = transpose((_negative(left), up, _negative(back)))
        yield where, str(body), place_of(element), link, Transform(turned, sensor.origin.xyz)
    equal("the other cameras", [one.get("name") for _, one in waiting], [])


def _negative(v: Vector) -> Vector:
    return (-v[0], -v[1], -v[2])


def _compare_keys(proof: Proof, moves: Moves, driven: List[Tuple[str, Joint]]) -> None:
    """Compare the key frames: positions in the order of the text, as asked for, else zero or the nearest allowed.

    A robot that is free stands with its lowest collision shape of known size on the ground.
    """
    nearest: Dict[str, float] = {}
    for joint in proof.robot.joints:
        low, high = joint.range or (1.0, -1.0)
        if low <= high:
            nearest.setdefault(joint.name, min(max(0.0, low), high))
    options = proof.decided.options
    keys = (("home", options.home), *options.keys)
    count = sum(7 * body.free for body in proof.bodies.values()) + sum(
        4 if one.joint.type == "ball" else len(one.elements) for own in moves.values() for one in own)
    section = proof.section("keyframe")
    equal("the key frames", [one.get("name") for one in section], [name for name, _ in keys] if count else [])
    for key, (_, given) in zip(section, keys):
        _compare_key(proof, moves, driven, key, positions_of(proof.robot, {**nearest, **dict(given)}), count)


def _compare_key(proof: Proof, moves: Moves, driven: List[Tuple[str, Joint]], key: Element, positions: Positions,
                 count: int) -> None:
    found, called = numbers(key, "qpos"), key.get("name")
    equal(f"{called}, the number of positions", len(found), count)
    for name, own in moves.items():
        body = proof.bodies[name]
        if body.free:
            (x, y, z, w, *imaginary), found = found[:7], found[7:]
            T_start, height = body.pose, body.pose.translation[2]
            if name == proof.tree.root:
                height = -_lowest(proof, positions)
            compare_poses(f"{called}, the base", Transform(matrix_from_quaternion((*imaginary, w)), (x, y, z)),
                          Transform(T_start.rotation, (*T_start.translation[:2], height)))
        for joint in (one.joint for one in own):
            position = positions[joint.child]
            expected = {"ball": (1.0, 0.0, 0.0, 0.0), "planar": (0.0, 0.0, 0.0)}.get(
                joint.type, (position,) if isinstance(position, (int, float)) else ())
            compare_numbers(f"{called}, '{joint.name}'", found[: len(expected)], expected)
            found = found[len(expected) :]
    controls = [positions[joint.child] if kind == "position" else 0.0 for kind, joint in driven]
    compare_numbers(f"{called}, controls", numbers(key, "ctrl") or [0.0] * len(driven),
                    [value for value in controls if isinstance(value, (int, float))])


def _lowest(proof: Proof, positions: Positions) -> float:
    """Return the height of the lowest point of the collisions, the root being at the origin; 0 if no size is known."""
    boxes = dict(proof.decided.options.mesh_boxes)
    T_root = poses_at(proof.robot, positions, proof.tree)
    return min((height for link in proof.robot.links for shape in link.collisions
                for part in pieces(shape.geometry, shape.origin)
                for height in [_lowest_of(part, T_root[link.name], boxes)] if height is not None), default=0.0)


def _lowest_of(part: Part, T_root_link: Transform, boxes: Mapping[str, Tuple[float, ...]]) -> Optional[float]:
    """Return the height of the support point of a shape downward: the point that is furthest in that direction."""
    shape, T = part.geometry, compose(T_root_link, part.origin.transform)
    down = rotate(transpose(T.rotation), (0.0, 0.0, -1.0))
    x, y, z = down
    if isinstance(shape, Box):
        point = (math.copysign(shape.size[0] / 2, x), math.copysign(shape.size[1] / 2, y),
                 math.copysign(shape.size[2] / 2, z))
    elif isinstance(shape, Mesh):
        if shape.filename not in boxes:
            return None
        box, (i, j, k) = boxes[shape.filename], shape.scale
        point = (max(i * box[0], i * box[3], key=x.__mul__), max(j * box[1], j * box[4], key=y.__mul__),
                 max(k * box[2], k * box[5], key=z.__mul__))
    elif isinstance(shape, Ellipsoid):
        a, b, c = shape.radii
        length = math.sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2) or 1.0
        point = (a * a * x / length, b * b * y / length, c * c * z / length)
    elif isinstance(shape, Plane):
        return None
    else:
        length = getattr(shape, "length", 0.0)
        across = math.hypot(x, y) if shape.kind == "cylinder" else 1.0
        rim = shape.radius / across if across > 0.0 else 0.0
        point = (rim * x, rim * y, math.copysign(length / 2, z) + (rim * z if shape.kind != "cylinder" else 0.0))
    return move(T, point)[2]
