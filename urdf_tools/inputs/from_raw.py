"""The typed model of a robot that was read from MJCF or SDF, and what a URDF cannot say of it.

URDF has the axis of a joint through the origin of its child and draws the robot with all joints at zero: frames of
links are moved along where the file has it otherwise. Positions keep their meaning.
"""
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..compare.reading import inverse_of
from ..compare.records import RawJoint, RawLink, RawMass, RawRobot, RawSensor, RawShape, SLIDING, TURNING
from ..compare.tensors import rotated_tensor
from ..model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ..model.inertia import Inertia, Inertial
from ..model.pose import Pose
from ..model.records import Actuator, Camera, Joint, Link, Robot, Sensor, Spring
from ..model.shapes import Collision, Ellipsoid, Material, Plane, Primitive, Surface, Visual
from ..urdf.model import Calibration, Dynamics, Limit, Mimic, Safety
from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Pose as Placement, rotation_about, Vector, ZERO
from ..verify.rigid_motion import composed, minus, rotated
from .kinds import INPUT_LOST, INPUT_MADE_UP

UNBOUNDED = 1e9  # what URDF demands and the input does not say: effort, velocity, the bounds of a slide
CLOSING = "closing_"  # the names of frames that meet where a loop is closed, as onshape-to-robot writes them
OF_JOINT = ("damping", "friction", "stiffness", "spring_reference", "soft_lower", "soft_upper", "k_position",
            "k_velocity", "calibration_rising", "calibration_falling", "armature")
UNSHAPED = ("ellipsoid", "plane")  # what URDF does not have
SURFACE = {"mu1": "mu1", "mu2": "mu2", "restitution": "restitution", "contact_stiffness": "kp",
           "contact_damping": "kd", "min_depth": "min_depth", "max_velocity": "max_vel", "laser_retro": "laser_retro",
           "max_contacts": "max_contacts", "direction1": "fdir1"}


class FromRaw(NamedTuple):
    """The model, and what is lost or was made up, each with the line of the input."""

    robot: Robot
    notes: Tuple[Diagnostic, ...]


class _Names:
    """Names that are not taken."""

    def __init__(self, taken: Set[str]) -> None:
        self.taken = taken

    def unused(self, name: str) -> str:
        """Return a name like this one that nothing has, and take it."""
        found, count = name, 1
        while found in self.taken or not found:
            count += 1
            found = f"{name}_{count}"
        self.taken.add(found)
        return found


def model_from_raw(raw: RawRobot) -> FromRaw:
    """Return the model of a robot that was read.

    Raises:
        BrokenRobot: URDF cannot hold a joint of it.
    """
    raw = without_doubles(raw)
    notes: List[Diagnostic] = []
    moved = {joint.child: Placement(IDENTITY, joint.point) for joint in raw.joints
             if joint.point != ZERO and joint.type not in ("fixed", "floating")}
    folder = os.path.dirname(raw.file)
    links = [_link(link, moved.get(link.name, IDENTITY_POSE), folder, notes) for link in raw.links]
    joints = [_joint(joint, moved, notes) for joint in raw.joints]
    link_names, joint_names = _Names({link.name for link in links}), _Names({joint.name for joint in joints})
    ends = []
    there = {*(link.name for link in raw.links), *(frame.name for frame in raw.frames)}
    for loop in (loop for loop in raw.loops if loop.kind == "point"):
        stem = loop.name if loop.name.startswith(CLOSING) else CLOSING + loop.name
        ends += [(f"{stem}_{index}", link, T) for index, (link, T) in enumerate(zip(loop.links, loop.T_link_end), 1)
                 if f"{stem}_{index}" not in there]
    for frame in raw.frames:
        ends.append((frame.name, frame.link, frame.T_link_frame))
    for wanted, holder, T in ends:
        name = link_names.unused(wanted)
        links.append(Link(name))
        joints.append(Joint(joint_names.unused(f"{name}_joint"), "fixed", holder, name,
                            _pose(composed(inverse_of(moved.get(holder, IDENTITY_POSE)), T))))
    for loop in raw.loops:
        if loop.kind != "point":
            notes.append(Diagnostic(INPUT_LOST, loop.line, "loop", (loop.name, loop.kind)))
    sensors = [_sensor(one, moved) for one in raw.sensors]
    for sensor in raw.sensors:
        if sensor.words:
            tags = dict.fromkeys(path for path, _, _ in sensor.words)
            notes.append(Diagnostic(INPUT_LOST, sensor.line, "sensor", (sensor.name, ", ".join(tags))))
    actuators = [Actuator(one.name, one.joint, one.kind, _gear(one.values), None, _first(one.values, "kp"),
                          _first(one.values, "kv"), _pair(one.values, "force_range"),
                          _pair(one.values, "control_range"))
                 for one in raw.actuators if one.kind in ("motor", "position", "velocity")]
    for one in raw.actuators:
        if one.kind not in ("motor", "position", "velocity"):
            notes.append(Diagnostic(INPUT_LOST, one.line, "actuator", (one.name, one.kind)))
    for left in raw.unread:
        notes.append(Diagnostic(INPUT_LOST, left.line, "unread", (left.element, left.why)))
    if raw.apart:
        notes.append(Diagnostic(INPUT_LOST, 0, "apart", (), (float(len(raw.apart)),)))
    return FromRaw(Robot(raw.name or "robot", tuple(links), tuple(joints), sensors=tuple(sensors),
                         actuators=tuple(actuators)), tuple(notes))


def without_doubles(raw: RawRobot) -> RawRobot:
    """Return a robot without frames that are what a link of their name is: its own frame."""
    links = {link.name for link in raw.links}
    return raw._replace(frames=tuple(frame for frame in raw.frames if not (
        frame.name == frame.link and frame.name in links and frame.T_link_frame == IDENTITY_POSE)))


def _pose(T: Placement) -> Pose:
    return Pose.from_transform(T) if T.rotation is not IDENTITY else Pose(T.translation)


def _first(values: Mapping[str, Tuple[float, ...]], key: str) -> Optional[float]:
    return values[key][0] if key in values else None


def _gear(values: Mapping[str, Tuple[float, ...]]) -> Optional[float]:
    """Return a gear that is one: of 1 there is none."""
    gear = _first(values, "gear")
    return None if gear == 1.0 else gear


def _pair(values: Mapping[str, Tuple[float, ...]], key: str) -> Optional[Tuple[float, float]]:
    return (values[key][0], values[key][1]) if key in values else None


def _link(link: RawLink, T_old_new: Placement, folder: str, notes: List[Diagnostic]) -> Link:
    """Return a link whose frame is elsewhere in the old one: all that is in it stays where it is."""
    T_new_old = inverse_of(T_old_new)
    visuals, collisions = [], []  # type: List[Visual], List[Collision]
    for shape in link.shapes:
        geometry = _geometry(shape, folder)
        if isinstance(geometry, (Ellipsoid, Plane)):
            notes.append(Diagnostic(INPUT_LOST, shape.line, "geometry", (link.name, shape.role, shape.geometry)))
            continue
        origin = _pose(composed(T_new_old, shape.T_link_shape))
        if shape.role == "visual":
            material = Material("", shape.color, shape.texture) if shape.color or shape.texture else None
            visuals.append(Visual(geometry, origin, material, shape.name))
        else:
            surface: Dict[str, Any] = {SURFACE[key]: value if key == "direction1" else value[0]
                                          for key, value in shape.surface.items() if key in SURFACE}
            lost = [key for key in shape.surface if key not in SURFACE]
            if lost:
                notes.append(Diagnostic(INPUT_LOST, shape.line, "surface", (link.name, ", ".join(lost))))
            collisions.append(Collision(geometry, origin, shape.name,
                                        Surface()._replace(**surface) if surface else None))
    flags = {key: bool(link.values[key][0]) for key in ("gravity", "self_collide") if key in link.values}
    return Link(link.name, _inertial(link.mass, T_new_old) if link.mass is not None else None, tuple(visuals),
                tuple(collisions), flags.get("self_collide"), flags.get("gravity"),
                _first(link.values, "velocity_decay"))


def _inertial(mass: RawMass, T: Placement) -> Inertial:
    center = composed(T, Placement(IDENTITY, mass.center)).translation
    xx, xy, xz, yy, yz, zz = rotated_tensor(T.rotation, mass.tensor)
    return Inertial(mass.mass, Inertia(xx, yy, zz, xy, xz, yz), Pose(center))


def _geometry(shape: RawShape, folder: str) -> Primitive:
    sizes = shape.sizes
    if shape.geometry == "mesh":
        found = os.path.relpath(shape.path, folder or ".").replace(os.sep, "/") if shape.path else shape.file
        return Mesh(found, _vector(sizes))
    if shape.geometry == "sphere":
        return Sphere(sizes[0])
    if shape.geometry in ("cylinder", "capsule"):
        return (Cylinder if shape.geometry == "cylinder" else Capsule)(sizes[0], sizes[1])
    if shape.geometry == "plane":
        return Plane((1.0, 1.0))
    return (Box if shape.geometry == "box" else Ellipsoid)(_vector(sizes))


def _vector(values: Tuple[float, ...]) -> Vector:
    x, y, z = values
    return (x, y, z)


def _joint(joint: RawJoint, moved: Mapping[str, Placement], notes: List[Diagnostic]) -> Joint:
    """Return a joint whose axis goes through the origin of its child, drawn at zero."""
    T_parent, T_child = (moved.get(name, IDENTITY_POSE) for name in (joint.parent, joint.child))
    at_zero = composed(joint.T_parent_child, _motion(joint, -joint.reference))
    T = composed(composed(inverse_of(T_parent), at_zero), T_child)
    values = joint.values
    lost = [key.replace("_", " ") for key in values if key not in OF_JOINT]
    if lost:
        notes.append(Diagnostic(INPUT_LOST, joint.line, "joint", (joint.name, ", ".join(lost))))
    told: Dict[str, Optional[float]] = {
        "lower": joint.lower, "upper": joint.upper, "effort": joint.effort, "velocity": joint.velocity}
    kind = "continuous" if joint.type == "revolute" and joint.lower is None and joint.upper is None else joint.type
    limit = None
    if kind in ("revolute", "prismatic"):
        made = [key for key, value in told.items() if value is None]
        if made:
            notes.append(Diagnostic(INPUT_MADE_UP, joint.line, "limit", (joint.name, ", ".join(made)), (UNBOUNDED,)))
        limit = Limit(*(value if value is not None else -UNBOUNDED if key == "lower" else UNBOUNDED
                        for key, value in told.items()))
    elif joint.effort is not None or joint.velocity is not None:
        limit = Limit(None, None, *(UNBOUNDED if value is None else value
                                    for value in (joint.effort, joint.velocity)))
    stiffness = _first(values, "stiffness")
    dynamics = [_first(values, key) for key in ("damping", "friction")]
    safety = [_first(values, key) for key in ("soft_lower", "soft_upper", "k_position", "k_velocity")]
    calibration = [_first(values, key) for key in ("calibration_rising", "calibration_falling")]
    return Joint(
        joint.name, kind, joint.parent, joint.child, _pose(T), joint.axis, limit,
        Dynamics(*dynamics) if any(value is not None for value in dynamics) else None,
        Mimic(joint.mimic.leader, joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else None,
        Safety(*safety) if any(value is not None for value in safety) else None,
        Calibration(*calibration) if any(value is not None for value in calibration) else None,
        Spring(stiffness, _first(values, "spring_reference") or 0.0) if stiffness is not None else None,
        _first(values, "armature"))


def _motion(joint: RawJoint, change: float) -> Placement:
    """Return what a change of position does, in the frame of the child."""
    if change == 0.0 or joint.type not in (*TURNING, *SLIDING):
        return IDENTITY_POSE
    if joint.type in SLIDING:
        x, y, z = joint.axis
        return Placement(IDENTITY, (change * x, change * y, change * z))
    R = rotation_about(joint.axis, change)
    return Placement(R, minus(joint.point, rotated(R, joint.point)))


def _sensor(one: RawSensor, moved: Mapping[str, Placement]) -> Sensor:
    origin = _pose(composed(inverse_of(moved.get(one.link, IDENTITY_POSE)), one.T_link_sensor))
    view, image = _first(one.values, "field_of_view"), _pair(one.values, "image")
    camera = Camera(view, int(image[0]), int(image[1])) if view is not None and image is not None else None
    return Sensor(one.name, one.kind, "" if one.joint else one.link, one.joint, origin, one.rate, camera)
