"""Read a URDF for the comparison, from the text alone: it shares no code with the reader, the plan or the model.

The elements of URDF are in https://wiki.ros.org/urdf/XML and in urdfdom; elements of simulators are read by
`read_simulator_tags.py`.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Dict, List, Mapping, Optional, Tuple

from ...base.number_text import LARGEST, numbers_in
from ...robot.raw_robot import (
    JOINT_TYPES,
    RawFrame,
    RawJoint,
    RawLink,
    RawMass,
    RawMimic,
    RawRobot,
    RawShape,
    Rgba,
    Values,
)
from ...urdf.lossless_xml import Document, parse_document, XACRO_SIGNS
from ...urdf.urdf_records import INERTIA_KEYS, SIZES
from ...urdf.spatial_math import IDENTITY, Transform, Vector
from ..reader_helpers import (
    closing_loops,
    held_by_world,
    IGNORED,
    name_of,
    number,
    numbers,
    parts,
    REPEATED,
    rotated_tensor,
    rotation_of_quaternion,
    rotation_of_rpy,
    unit_of,
    vector,
)
from ..xml_reader import XmlElement, unread_of, view_of

LIMITED = ("revolute", "prismatic")
DYNAMICS = {"damping": "damping", "friction": "friction"}
SPRING = {"spring_stiffness": "stiffness", "spring_reference": "spring_reference"}
# URDF 1.2 has these (urdfdom).
LIMITS = {"acceleration": "acceleration", "deceleration": "deceleration", "jerk": "jerk"}
SAFETY = {
    "soft_lower_limit": "soft_lower",
    "soft_upper_limit": "soft_upper",
    "k_position": "k_position",
    "k_velocity": "k_velocity",
}
CALIBRATION = {
    "rising": "calibration_rising",
    "falling": "calibration_falling",
    "reference_position": "calibration_reference",
}
Look = Tuple[Optional[Rgba], str]  # a color and a texture


def read_urdf(data: bytes, path: str = "") -> RawRobot:
    """Return the robot of a URDF.

    Raises:
        UrdfError: it is not XML, or not a single robot; a sentence with file and line.
    """
    return read_urdf_document(parse_document(data, path))


def read_urdf_document(document: Document) -> RawRobot:
    """Return the robot of the XML of a URDF; nothing of it is changed.

    Raises:
        UrdfError: it is not a single robot.
    """
    root = view_of(document.root, document.path)
    if root.tag != "robot":
        root.refuse(f"<{root.tag}> is not a URDF: that begins with <robot>")
    if document.may_hold(XACRO_SIGNS):
        _refuse_xacro(root)
    # Namespaces and the version belong to the text, and are no part of the robot.
    root.read.update(key for key in root.attributes if key == "version" or key.startswith("xmlns"))
    looks = _materials(root)
    links: List[RawLink] = []
    joints: List[RawJoint] = []
    frames: List[RawFrame] = []
    others: List[XmlElement] = []
    for top in root.children:
        if top.tag == "link":
            links.append(_link(top.take(), looks))
        elif top.tag == "joint":
            joints.append(_joint(top.take()))
        elif top.tag == "frame" and top.get("link"):
            frames.append(frame_of(top))
        elif top.tag == "inertial":
            top.leave(IGNORED)
        elif top.tag != "material":
            others.append(top)
    robot = RawRobot(
        format="urdf",
        name=root.get("name") or "",
        links=tuple(links),
        joints=tuple(joints),
        frames=tuple(frames),
        file=document.path,
    )
    robot = robot._replace(base=held_by_world(robot))
    if others:
        from .read_simulator_tags import read_simulators

        robot = read_simulators(others, robot)
    return robot._replace(
        loops=(*robot.loops, *closing_loops(robot)), unread=tuple(unread_of(root))
    )


def _refuse_xacro(root: XmlElement) -> None:
    """Refuse a file with an element or an expression of xacro."""
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            element.refuse(f"'{element.tag}' is xacro: expand it first")
        for text in element.attributes.values():
            if "${" in text or "$(" in text:
                element.refuse(f"'{text}' is xacro: expand it first")


def _pose(owner: Optional[XmlElement]) -> Transform:
    """Return the pose of an `<origin>`, or of an element with the same attributes: xyz, rpy or quat_xyzw."""
    if owner is None:
        return Transform(IDENTITY, (0.0, 0.0, 0.0))
    quaternion = numbers(owner, "quat_xyzw", 4)
    if quaternion is not None and any(quaternion):
        return Transform(rotation_of_quaternion(quaternion), vector(owner, "xyz"))
    return Transform(rotation_of_rpy(vector(owner, "rpy")), vector(owner, "xyz"))


def frame_of(element: XmlElement) -> RawFrame:
    """Return a `<frame>` on a link, whose pose is on itself or on an `<origin>` in it."""
    pose = _pose(element.first("origin") or element)
    return RawFrame(name_of(element.take()), element.get("link") or "", pose, element.line)


def _materials(root: XmlElement) -> Dict[str, Look]:
    """Return the looks by name of material: of the robot first, then of visuals (urdfdom)."""
    looks: Dict[str, Look] = {}
    links = [top for top in root.children if top.tag == "link"]
    shapes = chain.from_iterable(link.children for link in links)
    parts_of_visuals = chain.from_iterable(
        shape.children for shape in shapes if shape.tag == "visual"
    )
    materials = [part for part in parts_of_visuals if part.tag == "material"]
    for material in (*root.all("material"), *materials):
        name = material.get("name") or ""
        if material.children and name not in looks:
            looks[name] = _look(material)
        elif material.taken and material.children:
            material.leave(REPEATED)
    looks.pop("", None)  # no name means nothing (urdfdom, model.cpp)
    return looks


def _look(material: XmlElement) -> Look:
    """Return the color and the texture of a `<material>`."""
    color, texture = parts(material, "color", "texture")
    rgba: Optional[Rgba] = None
    written = numbers(color, "rgba", 4)
    if written:
        red, green, blue, alpha = written
        rgba = (red, green, blue, alpha)
    file = texture.get("filename") if texture is not None else ""
    return rgba, file or ""


def _link(top: XmlElement, looks: Mapping[str, Look]) -> RawLink:
    """Return a link with its mass and shapes; `looks` are the materials by name."""
    shapes: List[RawShape] = []
    inertial = None
    for child in top.children:
        if child.tag in ("visual", "collision"):
            shape = _shape(child.take(), looks)
            if shape is not None:
                shapes.append(shape)
        elif child.tag == "inertial" and inertial is None:
            inertial = child.take()
        elif child.tag == "origin":
            child.leave(IGNORED)
    name = name_of(top)
    mass = _mass(inertial) if inertial is not None else None
    return RawLink(name, mass, tuple(shapes), line=top.line)


def _mass(inertial: XmlElement) -> RawMass:
    """Return the mass of an `<inertial>`; an entry of the tensor that is not written is 0."""
    origin, mass, inertia = parts(inertial, "origin", "mass", "inertia")
    written = [number(inertia, key) or 0.0 for key in INERTIA_KEYS]
    if inertia is not None:
        _take_other_side(inertia)
    value = number(mass, "value")
    T = _pose(origin)
    place = mass or inertial
    if value is None:
        place.refuse("<inertial> without a mass")
    if value < 0.0:
        place.refuse(f"the mass {value:g} is below zero")
    tensor = rotated_tensor(T.rotation, written)
    return RawMass(
        mass=value, center=T.translation, tensor=tensor, T_link_inertial=T, line=inertial.line
    )


def _take_other_side(inertia: XmlElement) -> None:
    """Mark the products on the other side of a tensor as read where they say what their partners say."""
    for key in ("ixy", "ixz", "iyz"):
        other_key = f"i{key[2]}{key[1]}"
        values = [numbers_in(inertia.attributes.get(name, ""), 1) for name in (key, other_key)]
        # Where the two sides differ, nobody knows which one was meant: the other side stays unread.
        if values[0] is not None and values[0] == values[1]:
            inertia.read.add(other_key)


def _shape(element: XmlElement, looks: Mapping[str, Look]) -> Optional[RawShape]:
    """Return a visual or a collision; None without a geometry that is known."""
    material: Optional[XmlElement] = None
    if element.tag == "visual":
        origin, geometry, material = parts(element, "origin", "geometry", "material")
    else:
        origin, geometry = parts(element, "origin", "geometry")
    inside = geometry.children[0] if geometry is not None and geometry.children else None
    if inside is None or inside.tag not in SIZES:
        return None
    solid = inside.take()
    # The scale of a mesh is 1 where it is not written.
    default = 1.0 if solid.tag == "mesh" else 0.0
    sizes: List[float] = []
    for key, count in SIZES[solid.tag]:
        sizes += numbers(solid, key, count) or (default,) * count
    color: Optional[Rgba] = None
    texture = ""
    if material is not None and material.children:
        color, texture = _look(material)
    elif material is not None:
        color, texture = looks.get(material.get("name") or "", (None, ""))
    return RawShape(
        role=element.tag,
        geometry=solid.tag,
        sizes=tuple(sizes),
        T_link_shape=_pose(origin),
        name=element.get("name") or "",
        file=(solid.get("filename") or "").strip(),
        path="",
        color=color,
        texture=texture,
        script="",
        surface={},
        line=element.line,
    )


def _joint(top: XmlElement) -> RawJoint:
    """Return a joint with its limits and values."""
    name = name_of(top)
    kind = top.get("type") or ""
    if kind not in JOINT_TYPES:
        top.refuse(
            f"joint '{name}' has the type '{kind}', which is not one of {', '.join(JOINT_TYPES)}"
        )
    origin, parent, child, axis, limit, mimic, dynamics, safety, calibration = parts(
        top,
        "origin",
        "parent",
        "child",
        "axis",
        "limit",
        "mimic",
        "dynamics",
        "safety_controller",
        "calibration",
    )
    parent_name = (parent.get("link") if parent is not None else "") or ""
    child_name = (child.get("link") if child is not None else "") or ""
    if not parent_name or not child_name:
        missing = "child" if parent_name else "parent"
        top.refuse(f"joint '{name}' lacks its {missing}")
    values: Values = {}
    for element, words, largest in (
        (dynamics, {**DYNAMICS, **SPRING}, LARGEST),
        (safety, SAFETY, LARGEST),
        (calibration, CALIBRATION, LARGEST),
        (limit, LIMITS, math.inf),
    ):
        if element is None:
            continue
        for key, word in words.items():
            value = number(element, key, largest)
            if value is not None:
                values[word] = (value,)
    lower: Optional[float] = None
    upper: Optional[float] = None
    has_unwritten_limits = False
    if kind in LIMITED and limit is not None:  # a bound that is not written is 0
        has_unwritten_limits = not {"lower", "upper"} & limit.attributes.keys()
        lower = number(limit, "lower", math.inf) or 0.0
        upper = number(limit, "upper", math.inf) or 0.0
    return RawJoint(
        name=name,
        type=kind,
        parent=parent_name,
        child=child_name,
        T_parent_child=_pose(origin),
        axis=_axis(top, axis, kind),
        lower=lower,
        upper=upper,
        effort=number(limit, "effort", math.inf),
        velocity=number(limit, "velocity", math.inf),
        mimic=_mimic(mimic),
        values=values,
        line=top.line,
        has_unwritten_limits=has_unwritten_limits,
    )


def _axis(top: XmlElement, axis: Optional[XmlElement], kind: str) -> Vector:
    """Return the axis of a joint as a unit vector; the default of URDF is X."""
    if axis is None or axis.get("xyz") is None or kind in ("fixed", "floating", "ball"):
        return (1.0, 0.0, 0.0)
    return unit_of(vector(axis, "xyz")) or axis.refuse(
        f"joint '{top.get('name')}' has the axis 0 0 0"
    )


def _mimic(mimic: Optional[XmlElement]) -> Optional[RawMimic]:
    """Return the rule of a follower, None without a leader."""
    if mimic is None or not mimic.get("joint"):
        return None
    written = number(mimic, "multiplier")
    multiplier = 1.0 if written is None else written
    offset = number(mimic, "offset") or 0.0
    return RawMimic(mimic.get("joint") or "", multiplier, offset)
