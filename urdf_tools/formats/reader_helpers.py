"""What the readers share: children and numbers of elements, rotations, tensors, one tree, loops that frames close."""

from __future__ import annotations

from itertools import starmap
from math import pi, sqrt
from typing import AbstractSet, Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Reals, Texts
from ..base.errors import BrokenRobot
from ..base.exact_trigonometry import arctangent, cosine_sine
from ..base.number_text import grouped, LARGEST, numbers_in, read_numbers
from ..base.graph_walks import reached_from
from ..facts.robot_values import is_frame_of_direction
from ..facts.simulator_values import SDF_TRUE
from ..robot.principal_axes import vector_of
from ..robot.raw_robot import (
    NOT_READ,
    RawFrame,
    RawLoop,
    RawRobot,
    RawSensor,
    Tensor,
    UnreadElement,
    Values,
    Word,
)
from ..urdf.spatial_math import (
    dot,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    matrix_from_quaternion,
    norm,
    Transform,
    rotate,
    rotation_about,
    scale,
    Vector,
    ZERO,
)
from .xml_reader import XmlElement, words_of

WORLD = "world"  # libsdformat and Drake read the link of this name as the world itself
CLOSING = "closing_"  # of frames that onshape-to-robot puts where a loop was cut
REPEATED = "an earlier one of its kind counts"
IGNORED = "all readers ignore it"
CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
RAYS = (
    "scan/horizontal/samples",
    "scan/horizontal/min_angle",
    "scan/horizontal/max_angle",
    "range/min",
    "range/max",
)
PARTLY = "the rest of a <collision> is read, and not this"
# By format, the tags that carry a body, a mass, a joint or a shape.
CARRIERS: Dict[str, FrozenSet[str]] = {
    "urdf": frozenset(
        "visual collision geometry mesh inertial mass inertia child origin axis limit mimic "
        "dynamics safety_controller calibration".split()
    ),
    "mjcf": frozenset(
        "worldbody body frame geom flex joint freejoint inertial default compiler include".split()
    ),
    "sdf": frozenset(
        "include link joint visual collision geometry submesh inertial mass inertia pose "
        "parent child axis axis2 xyz limit lower upper mimic multiplier offset dynamics "
        "damping friction spring_stiffness spring_reference "
        "ixx ixy ixz iyy iyz izz size radius length radii normal uri scale".split()
    ),
}
# By format, the elements that use such tags for something else, such as a plugin.
BESIDE: Dict[str, FrozenSet[str]] = {
    "urdf": frozenset(
        "gazebo transmission ros2_control plugin sensor frame mujoco "
        "self_collision_checking".split()
    ),
    "mjcf": frozenset("tendon fixed spatial equality contact sensor actuator custom".split()),
    "sdf": frozenset(
        "plugin sensor camera light projector gripper battery audio_source particle_emitter physics state "
        "actor population road gui scene".split()
    ),
}
SCENE = "it belongs to the scene, not to the robot"
INACTIVE = "it is not active at the start"
UNUSED = "nothing has this class"
# What a reader leaves out for another reason than these is of the robot, and may be the same or not: by its tag, or by
# its attribute, the aspect of a comparison that it belongs to.
BESIDE_ROBOT = (NOT_READ, REPEATED, IGNORED, SCENE, INACTIVE, UNUSED)
ASPECT_OF = {
    "geom": "shapes",
    "joint": "mimic",
    "actuatorfrcrange": "limits",
    "springdamper": "dynamics",
    "skin": "shapes",
    "deformable": "shapes",
    "fluid_added_mass": "mass",
}
NEVER_READ = ("skin", "deformable", "fluid_added_mass")  # of the robot, by no reader
UNFOLLOWED = (
    "{0} is not read, and holds a <{1}>: what it means for the robot is not known. Write out what is in it, "
    "or take it out"
)


def frame_of_direction(element: XmlElement) -> Optional[str]:
    """Return the frame that `gz:expressed_in` names, "" for an element without attributes; None if it has others."""
    if not element.attributes:
        return ""
    key, *others = element.attributes
    return element.get(key) if is_frame_of_direction(key) and not others else None


def parts(element: XmlElement, *names: str) -> Tuple[Optional[XmlElement], ...]:
    """Return the first child of each name, or None, and mark it as read; repeated children are marked as ignored."""
    first: Dict[str, Optional[XmlElement]] = dict.fromkeys(names)
    for child in element.children:
        if child.tag in first:
            if first[child.tag] is None:
                first[child.tag] = child.take()
            else:
                child.leave(REPEATED)
    return tuple(first.values())


def name_of(element: XmlElement) -> str:
    """Return the name of an element.

    Raises:
        BrokenRobot: it has none.
    """
    return element.get("name") or element.refuse(f"<{element.tag}> has no name")


def numbers(
    element: Optional[XmlElement], attribute: str, count: int, largest: float = LARGEST
) -> Optional[Reals]:
    """Return the numbers of an attribute, None without it.

    Raises:
        BrokenRobot: they are not `count` numbers.
    """
    if element is None:
        return None
    text = element.get(attribute)
    if text is None:
        return None
    try:
        return read_numbers(text, count, largest)
    except ValueError as error:
        element.refuse(f"<{element.tag} {attribute}>: {error}")


def number(
    element: Optional[XmlElement], attribute: str, largest: float = LARGEST
) -> Optional[float]:
    """Return the number of an attribute, None without it."""
    several = numbers(element, attribute, 1, largest)
    return several[0] if several else None


def vector(element: Optional[XmlElement], attribute: str) -> Vector:
    """Return the three numbers of an attribute, zeros without it."""
    return vector_of(numbers(element, attribute, 3) or ZERO)


def sensor_words(
    words: Sequence[Word], attributes: Mapping[str, str], read: AbstractSet[str]
) -> Tuple[Word, ...]:
    """Return the words of a sensor whose paths are not in `read`; an element that only wraps others has none."""
    wrappers = {path.rpartition("/")[0] for path, _, _ in words}
    remaining = [(key, value) for key, value in attributes.items() if key not in ("name", "type")]
    kept: List[Word] = []
    if remaining:
        kept.append(("", tuple(sorted(remaining)), ""))
    for word in words:
        path, own_attributes, _ = word
        if path not in read and (own_attributes or path not in wrappers):
            kept.append(word)
    return tuple(kept)


def leaf(top: Optional[XmlElement], path: str, *, take: bool = False) -> Optional[XmlElement]:
    """Return the first element at a path below another, None without it; `take`: mark all on the way as read."""
    for tag in path.split("/"):
        if top is None:
            return None
        top = next((child for child in top.children if child.tag == tag), None)
        if top is not None and take:
            top.take()
    return top


def number_at(top: XmlElement, path: str) -> Optional[float]:
    """Return the number in the first element at a path below another, None without it or for other text."""
    element = leaf(top, path)
    values = numbers_in(element.text, 1) if element is not None else None
    return values[0] if values else None


def sensor_of(
    sensor: XmlElement,
    link: str,
    joint: str,
    T_link_sensor: Transform,
    read: Callable[[XmlElement, str], Optional[float]] = number_at,
) -> RawSensor:
    """Return a `<sensor>` of SDF, which Gazebo reads inside a URDF too; `read` returns the number at a path in it."""
    values: Values = {}
    rate = read(sensor, "update_rate")
    sensor.first("pose")
    read_paths = {"pose"}
    if rate is not None:
        read_paths.add("update_rate")
    tags = [child.tag for child in sensor.children]
    # A multicamera has several cameras: each stays as it is written.
    if tags.count("camera") == 1:
        field_of_view, width, height = (read(sensor, path) for path in CAMERA)
        if field_of_view is not None:
            values["field_of_view"] = (field_of_view,)
            read_paths.add(CAMERA[0])
        if width is not None and height is not None:
            values["image"] = (width, height)
            read_paths.update(CAMERA[1:])
    ray_paths = lidar_paths(sensor)
    numbers_of_rays = [read(sensor, path) for path in ray_paths]
    rays = [value for value in numbers_of_rays if value is not None]
    if len(rays) == len(RAYS):
        values["rays"] = tuple(rays[:3])
        values["reach"] = tuple(rays[3:])
        read_paths.update(ray_paths)
    for path in read_paths:
        leaf(sensor, path, take=True)
    return RawSensor(
        name=sensor.get("name") or "",
        kind=sensor.get("type") or "",
        link=link,
        joint=joint,
        T_link_sensor=T_link_sensor,
        rate=rate,
        values=values,
        words=sensor_words(words_of(sensor), sensor.attributes, read_paths),
        line=sensor.line,
    )


def lidar_paths(sensor: XmlElement) -> Texts:
    """Return the paths of the numbers of a lidar; the tag was `<ray>` before SDF 1.6."""
    tags = [child.tag for child in sensor.children]
    tag = "lidar" if "lidar" in tags or "ray" not in tags else "ray"
    return tuple(f"{tag}/{path}" for path in RAYS)


def shine_of(
    specular: Optional[float], emission: Optional[float], color: Optional[Sequence[float]]
) -> Values:
    """Return how a material shines, by name of VALUES: emission has its color, specular light the color of the lamps."""
    *parts, alpha = color or (1.0, 1.0, 1.0, 1.0)
    values: Values = {}
    if specular is not None:
        values["specular"] = (specular, specular, specular, 1.0)
    if emission is not None:
        values["emission"] = (*[emission * part for part in parts], alpha)
    return values


def rotation_of_rpy(rpy: Sequence[float]) -> Matrix:
    """Return the rotation by roll about x, then pitch about y, then yaw about z, all fixed axes [rad]."""
    if not any(rpy):
        return IDENTITY
    (a, b), (c, d), (e, f) = map(cosine_sine, rpy)
    return (
        (c * e, b * d * e - a * f, a * d * e + b * f),
        (c * f, b * d * f + a * e, a * d * f - b * e),
        (-d, b * c, a * c),
    )


def rotation_of_quaternion(quaternion: Reals) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any length but zero."""
    return matrix_from_quaternion(quaternion) if any(quaternion[:3]) else IDENTITY


def rotation_of_wxyz(quaternion: Reals) -> Matrix:
    """Return the rotation of a quaternion that is written w, x, y, z."""
    return rotation_of_quaternion((*quaternion[1:], quaternion[0]))


def pose_of_sdf(pose: XmlElement) -> Optional[Transform]:
    """Return the pose of a `<pose>` of SDF, None for another text. (http://sdformat.org/spec?elem=pose)"""
    if pose.get("rotation_format") == "quat_xyzw":
        values = numbers_in(pose.text, 7)
        if not values or not any(values[3:]):
            return None
        return Transform(rotation_of_quaternion(values[3:]), vector_of(values[:3]))
    euler = euler_of_sdf(pose)
    if euler is None:
        return None
    xyz, rpy = euler
    return Transform(rotation_of_rpy(rpy), xyz)


def euler_of_sdf(pose: XmlElement) -> Optional[Tuple[Vector, Vector]]:
    """Return x, y, z and roll, pitch, yaw of a `<pose>` of SDF, None for other text."""
    values = numbers_in(pose.text or "0 0 0 0 0 0", 6)
    if values is None:
        return None
    unit = pi / 180.0 if (pose.get("degrees") or "").lower() in SDF_TRUE else 1.0
    return vector_of(values[:3]), vector_of([unit * angle for angle in values[3:]])


def composed_polynomial(factors: Sequence[float], scale: float, shift: float) -> Reals:
    """Return b0, b1, ... of a polynomial a0 + a1 y + ... of y = scale x + shift, in x (Horner's rule)."""
    composed = [0.0] * len(factors)
    for factor in reversed(factors):
        composed = [shift * low + scale * below for low, below in zip(composed, (0.0, *composed))]
        composed[0] += factor
    return tuple(composed)


def unit_of(v: Vector) -> Optional[Vector]:
    """Return a direction with length 1, None for 0 0 0."""
    largest = max(map(abs, v))
    if largest == 0.0:
        return None
    x, y, z = (part / largest for part in v)  # first, so that 1e-200 is as good as 1
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def check_tree(robot: RawRobot) -> str:
    """Return the root of a robot.

    Raises:
        BrokenRobot: links and joints are not a single tree, or two links have the same name.
    """

    def refuse(sentence: str, line: int = 0) -> None:
        """Refuse the robot."""
        raise BrokenRobot(sentence, robot.file, line)

    lines = {link.name: link.line for link in reversed(robot.links)}
    if not lines:
        refuse("there is no link in it")
    for link in robot.links:
        if lines[link.name] != link.line:
            refuse(f"link '{link.name}' is defined twice", link.line)
    parents: Dict[str, str] = {}
    for joint in robot.joints:
        for name in (joint.parent, joint.child):
            if name not in lines:
                refuse(f"joint '{joint.name}' names link '{name}', which is not there", joint.line)
        if joint.child in parents:
            refuse(
                f"link '{joint.child}' has two parents, '{parents[joint.child]}' and '{joint.parent}'",
                joint.line,
            )
        parents[joint.child] = joint.parent
    roots = [name for name in lines if name not in parents]
    if not roots:
        refuse("its joints go in a circle", robot.joints[0].line)
    if len(roots) != 1:
        named = f"'{roots[0]}', '{roots[1]}'"
        if len(roots) > 2:
            named += ", ..."
        refuse(f"{len(roots)} links have no parent, and a robot has one: {named}", lines[roots[1]])
    below = grouped((parent, child) for child, parent in parents.items())
    # Links in a circle have parents, so only a walk from the root shows them.
    reached = reached_from(roots, lambda name: below.get(name, ()))
    if len(reached) < len(lines):
        refuse("its joints go in a circle", robot.joints[0].line)
    return roots[0]


def accounted(robot: RawRobot) -> RawRobot:
    """Return a robot of MJCF or SDF, all of whose bodies, masses, joints and shapes were read or left out for a reason.

    Raises:
        BrokenRobot: an element that carries one of them was not read; a robot without it is another one.
    """
    for item in robot.unread:
        carried = carried_in(item, robot.format)
        # A prefix says that no program of SDF reads it.
        is_custom = robot.format == "sdf" and ":" in item.element.partition(" ")[0]
        if carried and not is_custom:
            raise BrokenRobot(UNFOLLOWED.format(item.element, carried), robot.file, item.line)
    return robot


def carried_in(item: UnreadElement, format: str) -> str:
    """Return the first tag in an unread element that carries a part of a robot in a format, "" without one."""
    tags = [path.rpartition("/")[2] for path, _, _ in item.words]
    around = tags_around(item)
    if item.why != NOT_READ or tags[:1] == [""] or BESIDE[format].intersection(around):
        return ""
    if around[-2:-1] == ["geometry"] and tags != ["empty"]:
        return tags[0]  # a kind of shape that no reader knows
    return next((tag for tag in tags if tag in CARRIERS[format]), "")


def tags_around(item: UnreadElement) -> List[str]:
    """Return the tags from below the root to an unread element, or to the element that has an unread attribute."""
    return [step.partition(" ")[0] for step in item.steps]


def aspect_of(item: UnreadElement) -> str:
    """Return the aspect of a comparison that an element belongs to; "" if it says nothing of the robot."""
    if not item.words:
        return ""
    tag, attributes, _ = item.words[0]
    if item.why in BESIDE_ROBOT and tag not in NEVER_READ:
        return ""
    names = [tag] if tag else [name for name, _ in attributes]
    return next((ASPECT_OF[name] for name in names if name in ASPECT_OF), "")


def held_by_world(robot: RawRobot) -> str:
    """Return how the link `world` holds a robot if it is the root: free by floating joints alone, else fixed; else "".

    Frames that are fixed in the world are no part of the robot.

    Raises:
        BrokenRobot: links and joints are not one tree.
    """
    if check_tree(robot) != WORLD:
        return ""
    frames = {
        link.name
        for link in robot.links
        if not link.shapes and (link.mass is None or not link.mass.mass)
    }
    joints_of = grouped((joint.parent, joint) for joint in robot.joints)

    def fixed_frames(name: str) -> List[str]:
        """Return the frames that are fixed to a link."""
        joints = joints_of.get(name, [])
        return [joint.child for joint in joints if joint.type == "fixed" and joint.child in frames]

    still = reached_from([WORLD], fixed_frames)
    holding = [
        joint for joint in robot.joints if joint.parent in still and joint.child not in still
    ]
    return "free" if {joint.type for joint in holding} == {"floating"} else "fixed"


def closing_loops(robot: RawRobot) -> List[RawLoop]:
    """Return a loop for each pair of frames `closing_NAME_1` and `closing_NAME_2` that onshape-to-robot wrote."""
    ends: Dict[str, Dict[str, RawFrame]] = {}
    links = [
        RawFrame(link.name, link.name, IDENTITY_POSE, link.line)
        for link in robot.links
        if link.name.startswith(CLOSING)
    ]
    for frame in (*robot.frames, *links):
        name, _, end = frame.name.rpartition("_")
        if name.startswith(CLOSING) and end in ("1", "2"):
            ends.setdefault(name, {})[end] = frame
    return [
        RawLoop(
            name=name,
            kind="point",
            links=(pair["1"].link, pair["2"].link),
            T_link_end=(pair["1"].T_link_frame, pair["2"].T_link_frame),
            line=pair["1"].line,
        )
        for name, pair in ends.items()
        if len(pair) == 2
    ]


def rotated_tensor(R_a_b: Matrix, tensor: Sequence[float]) -> Tensor:
    """Return a tensor, given in the axes of b, in the axes of a: R I R^T."""
    xx, xy, xz, yy, yz, zz = tensor
    if R_a_b is IDENTITY:
        return (xx, xy, xz, yy, yz, zz)
    a, b, c = R_a_b
    p, q, r = (rotate(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), row) for row in R_a_b)
    pairs = ((a, p), (a, q), (a, r), (b, q), (b, r), (c, r))
    xx, xy, xz, yy, yz, zz = starmap(dot, pairs)
    return (xx, xy, xz, yy, yz, zz)


def turn_of_z(direction: Vector) -> Matrix:
    """Return the least rotation that leads z to a unit vector; about x for -z."""
    x, y, z = direction
    axis = (-y, x, 0.0)
    sine = norm(axis)
    # Next to z and -z the axis has no digits left.
    if sine < 1e-10 and z > 0.0:
        return IDENTITY
    if sine < 1e-10:
        return ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    return rotation_about(scale(1.0 / sine, axis), arctangent(sine, z))
