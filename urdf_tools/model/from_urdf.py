"""A URDF read into the model."""
import os
from typing import Dict, List, Optional, Sequence, Tuple, Union

from ..base.number_text import read_numbers
from ..urdf.lossless_xml import Element, parse_document
from ..urdf.model import Robot as ReadRobot
from ..urdf.reader import read_robot
from ..urdf.spatial import matrix_from_quaternion, rpy_from_matrix, Vector, ZERO
from ..urdf.xacro import read_expanded
from .inertia import Inertia, Inertial
from .known_xml import COLLISION, JOINT, LINK, MATERIAL, ROBOT, unknown_in, VISUAL
from .pose import Pose, vector_of
from .records import Calibration, Dynamics, Joint, Limit, Link, Mimic, MOVABLE, Robot, Safety
from .shapes import Box, Capsule, Collision, Cylinder, Geometry, Material, Mesh, Sphere, Visual
from .simulation import read_simulation
from .xml_tree import source_of


def read_urdf(source: Union[str, "os.PathLike[str]"]) -> Robot:
    """Return the model of a URDF, given as a path or as text that begins with `<`.

    Raises:
        UrdfError: it cannot be read.
    """
    text = os.fspath(source)
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return model_of(read_robot(parse_document(text.encode("utf-8"), "")))
    return model_of(read_robot(parse_document(read_expanded(text), text)))


def model_of(robot: ReadRobot) -> Robot:
    """Return the model of a robot that was read; it holds all that the file holds but comments and order of tags."""
    root = robot.document.root
    links = tuple(_link(element) for element in root.elements("link"))
    joints = tuple(_joint(element, joint.axis) for element, joint in zip(root.elements("joint"), robot.joints))
    materials, extensions = [], list(unknown_in(root, ROBOT, ("link", "joint", "material", "gazebo", "transmission")))
    for element in root.elements("material"):
        materials.append(_material(element))
        rest = unknown_in(element, MATERIAL)
        extensions += [f'<material name="{element.get("name") or ""}">{"".join(rest)}</material>'] if rest else []
    return read_simulation(root, Robot(robot.name, links, joints, tuple(materials), extensions=tuple(extensions)))


def _numbers(element: Optional[Element], attribute: str, count: int) -> Optional[Tuple[float, ...]]:
    """Return the numbers of an attribute, or None; the reader has refused what cannot be understood."""
    text = element.get(attribute) if element is not None else None
    return read_numbers(text, count).values if text is not None else None


def _number(element: Optional[Element], attribute: str) -> Optional[float]:
    values = _numbers(element, attribute, 1)
    return values[0] if values else None


def _vector(element: Optional[Element], attribute: str, default: Vector) -> Vector:
    values = _numbers(element, attribute, 3)
    return vector_of(values) if values else default


def _origin(owner: Element) -> Pose:
    origin = owner.find("origin")
    xyz, quaternion = _vector(origin, "xyz", ZERO), _numbers(origin, "quat_xyzw", 4)
    if quaternion:
        return Pose(xyz, rpy_from_matrix(matrix_from_quaternion(quaternion)))
    return Pose(xyz, _vector(origin, "rpy", ZERO))


def _link(element: Element) -> Link:
    visuals, collisions, odd = [], [], []  # type: List[Visual], List[Collision], List[str]
    for shape in element.elements():
        if shape.name not in ("visual", "collision"):
            continue
        geometry = _geometry(shape)
        material = shape.find("material")
        if geometry is None:
            odd.append(source_of(shape).strip())
        elif shape.name == "visual":
            visuals.append(Visual(geometry, _origin(shape), _material(material) if material is not None else None,
                                  shape.get("name") or "", unknown_in(shape, VISUAL)))
        else:
            collisions.append(Collision(geometry, _origin(shape), shape.get("name") or "",
                                        extensions=unknown_in(shape, COLLISION)))
    return Link(element.get("name") or "", _inertial(element.find("inertial")), tuple(visuals), tuple(collisions),
                extensions=(*unknown_in(element, LINK, ("visual", "collision")), *odd))


def _inertial(element: Optional[Element]) -> Optional[Inertial]:
    if element is None:
        return None
    inertia = element.find("inertia")
    six = [_number(inertia, key) or 0.0 for key in Inertia._fields]
    return Inertial(_number(element.find("mass"), "value") or 0.0, Inertia(*six), _origin(element))


def _geometry(shape: Element) -> Optional[Geometry]:
    """Return the geometry of a shape; None for one that URDF does not have, or without its numbers."""
    geometry = shape.find("geometry")
    inside = geometry.elements()[0] if geometry is not None and geometry.elements() else None
    try:
        if inside is None:
            return None
        if inside.name == "mesh":
            return Mesh(inside.get("filename") or "", _vector(inside, "scale", (1.0, 1.0, 1.0)))
        size, radius, length = _numbers(inside, "size", 3), _number(inside, "radius"), _number(inside, "length")
        if inside.name == "box" and size is not None:
            return Box(vector_of(size))
        if inside.name == "sphere" and radius is not None:
            return Sphere(radius)
        if inside.name in ("cylinder", "capsule") and radius is not None and length is not None:
            return Cylinder(radius, length) if inside.name == "cylinder" else Capsule(radius, length)
    except ValueError:
        pass
    return None


def _material(element: Element) -> Material:
    color, texture = element.find("color"), element.find("texture")
    try:
        values = _numbers(color, "rgba", 4)
    except ValueError:
        values = None
    rgba = (values[0], values[1], values[2], values[3]) if values else None
    return Material(element.get("name") or "", rgba, (texture.get("filename") if texture is not None else None) or "")


def _joint(element: Element, axis: Vector) -> Joint:
    kind = element.get("type") or ""
    found: Dict[str, Optional[Element]] = {tag: element.find(tag) for tag in JOINT}

    def link(end: str) -> str:
        part = found[end]
        return (part.get("link") if part is not None else None) or ""

    def of(tag: str, attributes: Sequence[str]) -> List[Optional[float]]:
        return [_number(found[tag], attribute) for attribute in attributes]

    mimic = found["mimic"]
    leader = mimic.get("joint") if mimic is not None and kind in MOVABLE else None
    factor, offset = _number(mimic, "multiplier"), _number(mimic, "offset")
    return Joint(
        element.get("name") or "", kind, link("parent"), link("child"), _origin(element), axis,
        Limit(*of("limit", JOINT["limit"][""])) if found["limit"] else None,
        Dynamics(*of("dynamics", JOINT["dynamics"][""])) if found["dynamics"] else None,
        Mimic(leader, 1.0 if factor is None else factor, offset or 0.0) if leader else None,
        Safety(*of("safety_controller", JOINT["safety_controller"][""])) if found["safety_controller"] else None,
        Calibration(*of("calibration", JOINT["calibration"][""])) if found["calibration"] else None,
        extensions=unknown_in(element, JOINT if leader else {**JOINT, "mimic": {}}))


