"""Read a URDF for the comparison, from the text alone: it shares no code with the reader, the plan or the model.

What URDF defines is in https://wiki.ros.org/urdf/XML and in urdfdom; what simulators add is read by `urdf_simulators`.
"""
import math
from typing import Dict, List, Mapping, Optional, Tuple

from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.spatial import IDENTITY, Pose, Vector
from .reading import check_tree, closing_loops, Reading, rotation_of_quaternion, rotation_of_rpy, unit_of
from .records import JOINT_TYPES, RawFrame, RawJoint, RawLink, RawMass, RawMimic, RawRobot, RawShape
from .tensors import rotated_tensor

WORLD = "world"  # libsdformat and Drake read the link of this name as the world itself
TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHAPES = {"box": ("size", 3), "sphere": ("radius", 1), "mesh": ("scale", 3)}
ROUND = ("cylinder", "capsule")
LIMITED = ("revolute", "prismatic")
SAFETY = {"soft_lower_limit": "soft_lower", "soft_upper_limit": "soft_upper", "k_position": "k_position",
          "k_velocity": "k_velocity"}
CALIBRATION = {"rising": "calibration_rising", "falling": "calibration_falling",
               "reference_position": "calibration_reference"}
Look = Tuple[Optional[Tuple[float, float, float, float]], str]  # a color and a texture


def read_urdf(data: bytes, path: str = "") -> RawRobot:
    """Return the robot of a URDF.

    Raises:
        UrdfError: it is not XML, or not one robot; a sentence with file and line.
    """
    return read_urdf_document(parse_document(data, path))


def read_urdf_document(document: Document) -> RawRobot:
    """Return the robot of the XML of a URDF; nothing of it is changed.

    Raises:
        UrdfError: it is not one robot.
    """
    path = document.path
    root, reading = document.root, Reading(path)
    if root.name != "robot":
        reading.refuse(root, f"<{root.name}> is not a URDF: that begins with <robot>")
    if document.may_hold_xacro:
        _refuse_xacro(reading, root)
    looks = _materials(reading, root)
    links: List[RawLink] = []
    joints: List[RawJoint] = []
    frames: List[RawFrame] = []
    others: List[Element] = []
    for top in root.elements():
        if top.name == "link":
            links.append(_link(reading, top, looks))
        elif top.name == "joint":
            joints.append(_joint(reading, top))
        elif top.name == "frame" and top.get("link"):
            frames.append(RawFrame(reading.name_of(top), top.get("link") or "", _pose(reading, top), top.line))
        elif top.name != "material":
            others.append(top)
    robot = RawRobot("urdf", root.get("name") or "", tuple(links), tuple(joints), tuple(frames), file=path)
    robot = robot._replace(base=_held(robot) if check_tree(robot) == WORLD else "")
    if others:
        from .urdf_simulators import read_simulators

        robot = read_simulators(reading, others, robot)
    return robot._replace(loops=(*robot.loops, *closing_loops(robot)), unread=tuple(reading.unread))


def _held(robot: RawRobot) -> str:
    """Return how the link `world` holds the robot: not at all by floating joints."""
    hanging = {joint.type for joint in robot.joints if joint.parent == WORLD}
    return "free" if hanging == {"floating"} else "fixed"


def _refuse_xacro(reading: Reading, root: Element) -> None:
    for element in root.walk():
        if element.name.startswith("xacro:"):
            reading.refuse(element, f"'{element.name}' is xacro: expand it first")
        for text in element.attributes.values():
            if "${" in text or "$(" in text:
                reading.refuse(element, f"'{text}' is xacro: expand it first")


def _pose(reading: Reading, owner: Optional[Element]) -> Pose:
    """Return what xyz and rpy (or quat_xyzw) of an `<origin>`, or of the element itself, mean."""
    if owner is None:
        return Pose(IDENTITY, (0.0, 0.0, 0.0))
    quaternion = reading.numbers(owner, "quat_xyzw", 4)
    if quaternion is not None and any(quaternion):
        return Pose(rotation_of_quaternion(quaternion), reading.vector(owner, "xyz"))
    return Pose(rotation_of_rpy(reading.vector(owner, "rpy")), reading.vector(owner, "xyz"))


def _materials(reading: Reading, root: Element) -> Dict[str, Look]:
    """Return what a name of a material alone means: those of the robot count first, then those of visuals (urdfdom)."""
    found: Dict[str, Look] = {}
    inside = [shape.find("material") for link in root.elements("link") for shape in link.elements("visual")]
    for material in (*root.elements("material"), *inside):
        if material is not None and material.elements():
            found.setdefault(material.get("name") or "", _look(reading, material))
    for top in root.elements("material"):
        reading.parts(top, "color", "texture")
    found.pop("", None)  # no name means nothing (urdfdom, model.cpp)
    return found


def _look(reading: Reading, material: Element) -> Look:
    texture = material.find("texture")
    color = reading.numbers(material.find("color"), "rgba", 4)
    return ((color[0], color[1], color[2], color[3]) if color else None,
            (texture.get("filename") or "") if texture is not None else "")


def _link(reading: Reading, top: Element, looks: Mapping[str, Look]) -> RawLink:
    shapes: List[RawShape] = []
    inertial = None
    for child in top.elements():
        if child.name in ("visual", "collision"):
            shape = _shape(reading, child, looks)
            shapes += [shape] if shape else []
        elif child.name == "inertial" and inertial is None:
            inertial = child
        else:
            reading.leave(child)
    return RawLink(reading.name_of(top), _mass(reading, inertial) if inertial is not None else None, tuple(shapes),
                   line=top.line)


def _mass(reading: Reading, inertial: Element) -> RawMass:
    origin, mass, inertia = reading.parts(inertial, "origin", "mass", "inertia")
    xx, xy, xz, yy, yz, zz = (reading.number(inertia, key) or 0.0 for key in TENSOR)
    value, T = reading.number(mass, "value"), _pose(reading, origin)
    if value is None or value < 0.0:
        reading.refuse(mass or inertial, "<inertial> without a mass" if value is None else f"the mass {value:g} is "
                       "below zero")
    return RawMass(value, T.translation,
                   rotated_tensor(T.rotation, (xx, xy, xz, yy, yz, zz)), T, inertial.line)


def _shape(reading: Reading, element: Element, looks: Mapping[str, Look]) -> Optional[RawShape]:
    names = ("origin", "geometry", "material") if element.name == "visual" else ("origin", "geometry")
    origin, geometry, *rest = reading.parts(element, *names)
    inside = geometry.elements() if geometry is not None else []
    for other in inside[1:] if inside and inside[0].name in (*SHAPES, *ROUND) else inside:
        reading.leave(other)
    if not inside or inside[0].name not in (*SHAPES, *ROUND):
        return None
    found = inside[0]
    for other in found.elements():
        reading.leave(other)
    if found.name in ROUND:
        sizes = (reading.number(found, "radius") or 0.0, reading.number(found, "length") or 0.0)
    else:
        key, count = SHAPES[found.name]
        default = (1.0,) * count if found.name == "mesh" else (0.0,) * count
        sizes = reading.numbers(found, key, count) or default  # type: ignore[assignment]
    color, texture = None, ""  # type: Optional[Tuple[float, float, float, float]], str
    if rest and rest[0] is not None:
        reading.parts(rest[0], "color", "texture")
        color, texture = _look(reading, rest[0]) if rest[0].elements() else looks.get(
            rest[0].get("name") or "", (None, ""))
    return RawShape(element.name, found.name, sizes, _pose(reading, origin), element.get("name") or "",
                    (found.get("filename") or "").strip(), "", color, texture, "", {}, element.line)


def _joint(reading: Reading, top: Element) -> RawJoint:
    name, kind = reading.name_of(top), top.get("type") or ""
    if kind not in JOINT_TYPES:
        reading.refuse(top, f"joint '{name}' has the type '{kind}', which is not one of {', '.join(JOINT_TYPES)}")
    origin, parent, child, axis, limit, mimic, dynamics, safety, calibration = reading.parts(
        top, "origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "safety_controller", "calibration")
    ends = [end.get("link") or "" if end is not None else "" for end in (parent, child)]
    if not all(ends):
        reading.refuse(top, f"joint '{name}' lacks its {'child' if ends[0] else 'parent'}")
    values = {word: (value,) for element, words in (
        (dynamics, {"damping": "damping", "friction": "friction"}), (safety, SAFETY), (calibration, CALIBRATION))
        for key, word in words.items() for value in [reading.number(element, key)] if value is not None}
    lower, upper = None, None
    if kind in LIMITED and limit is not None:  # a bound that is not written is 0
        lower, upper = (reading.number(limit, key, math.inf) or 0.0 for key in ("lower", "upper"))
    return RawJoint(name, kind, ends[0], ends[1], _pose(reading, origin), _axis(reading, top, axis, kind),
                    lower=lower, upper=upper, effort=reading.number(limit, "effort", math.inf),
                    velocity=reading.number(limit, "velocity", math.inf), mimic=_mimic(reading, mimic), values=values,
                    line=top.line)


def _axis(reading: Reading, top: Element, axis: Optional[Element], kind: str) -> Vector:
    if axis is None or axis.get("xyz") is None or kind in ("fixed", "floating", "ball"):
        return (1.0, 0.0, 0.0)
    return unit_of(reading.vector(axis, "xyz")) or reading.refuse(axis, f"joint '{top.get('name')}' has the axis 0 0 0")


def _mimic(reading: Reading, mimic: Optional[Element]) -> Optional[RawMimic]:
    if mimic is None or not mimic.get("joint"):
        return None
    multiplier = reading.number(mimic, "multiplier")
    return RawMimic(mimic.get("joint") or "", 1.0 if multiplier is None else multiplier,
                    reading.number(mimic, "offset") or 0.0)
