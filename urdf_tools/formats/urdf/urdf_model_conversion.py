"""A URDF read into the typed model, and the model written as URDF."""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import chain, count
from typing import Dict, List, Optional, Union

from ...base.type_aliases import Reals, Texts
from ...base.diagnostics import Diagnostic, Diagnostics
from ...base.errors import raise_all
from ...base.number_text import numbers_in
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Joint, Link, RobotRecord, Spring, WrittenModel
from ...model.model_shapes import (
    Box,
    Collision,
    Ellipsoid,
    geometry_of,
    Inertia,
    Inertial,
    Material,
    Mesh,
    own_material,
    pieces,
    Plane,
    Pose,
    Primitive,
    read_material,
    Visual,
)
from ...model.xml_writer import (
    COLLISION,
    exact,
    exact_numbers,
    JOINT,
    LINK,
    MATERIAL,
    XmlNode,
    node,
    parse,
    put_back,
    raw,
    render,
    ROBOT,
    source_of,
    unknown_in,
    VISUAL,
)
from ...robot.principal_axes import vector_of
from ...urdf.lossless_xml import Element, parse_document
from ...urdf.urdf_records import (
    UrdfJoint as ReadJoint,
    UrdfLink as ReadLink,
    UrdfRobot as ReadRobot,
    SPRING,
)
from ...urdf.urdf_reader import read_robot
from ...urdf.spatial_math import (
    matrix_from_quaternion,
    rotate_inertia,
    rpy_from_matrix,
    transpose,
    ZERO,
)
from ...urdf.expand_xacro import read_expanded
from ..xml_reader import tops_of

SIMULATED = ("gazebo", "transmission", "ros2_control")
WITH_CAPSULES = "1.1"  # the first version in which urdfdom reads <capsule> (link.cpp)


def read_urdf(source: Union[str, "os.PathLike[str]"]) -> RobotRecord:
    """Return the model of a URDF, given as a path or as text that begins with `<`.

    Raises:
        UrdfError: it cannot be read.
    """
    text = os.fspath(source)
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return model_of(read_robot(parse_document(text.encode("utf-8"), "")))
    return model_of(read_robot(parse_document(read_expanded(text), text)))


def model_of(robot: ReadRobot) -> RobotRecord:
    """Return the model of a parsed robot; it holds everything but comments and the order of tags."""
    root = robot.document.root
    materials: List[Material] = []
    extensions = list(
        unknown_in(root, ROBOT, ("link", "joint", "material", "gazebo", "transmission"))
    )
    for element in root.elements("material"):
        materials.append(read_material(element))
        rest = unknown_in(element, MATERIAL)
        if rest:
            name = element.get("name") or ""
            extensions.append(f'<material name="{name}">{"".join(rest)}</material>')
    links = tuple(map(_link, robot.links.values()))
    joints = tuple(map(_joint, robot.joints))
    model = RobotRecord(robot.name, links, joints, tuple(materials), extensions=tuple(extensions))
    tops = tops_of(robot.document, SIMULATED)
    if not tops:
        return model
    from .simulator_tags_of_model import read_simulation

    return read_simulation(tops, model)


def _origin(owner: Element) -> Pose:
    """Return an origin as it is written; the reader has refused malformed numbers."""
    origin = owner.find("origin")
    if origin is None:
        return Pose()
    xyz, quaternion, rpy = [_numbers(origin.get(key)) for key in ("xyz", "quat_xyzw", "rpy")]
    position = vector_of(xyz) if xyz else ZERO
    if quaternion:
        return Pose(position, rpy_from_matrix(matrix_from_quaternion(quaternion)))
    return Pose(position, vector_of(rpy[:3]) if rpy else ZERO)


@lru_cache(maxsize=512)  # a visual and its collision are mostly at the same place
def _numbers(text: Optional[str]) -> Reals:
    """Return the numbers of an attribute, none without it; commas separate them as blanks do."""
    return tuple(map(float, text.replace(",", " ").split())) if text else ()


def _link(link: ReadLink) -> Link:
    """Return a link of the model; shapes without a known geometry stay XML."""
    visuals: List[Visual] = []
    collisions: List[Collision] = []
    odd: List[str] = []
    for shape in link.shapes:
        geometry = geometry_of(shape)
        source = shape.source
        if geometry is None:
            odd.append(source_of(source).strip())
        elif shape.kind == "visual":
            rest = unknown_in(source, VISUAL)
            look = own_material(shape)
            visuals.append(Visual(geometry, _origin(source), look, shape.name, extensions=rest))
        else:
            rest = unknown_in(source, COLLISION)
            collisions.append(Collision(geometry, _origin(source), shape.name, extensions=rest))
    return Link(
        link.name,
        _inertial(link),
        tuple(visuals),
        tuple(collisions),
        extensions=(*unknown_in(link.source, LINK, ("visual", "collision")), *odd),
    )


def _inertial(link: ReadLink) -> Optional[Inertial]:
    """Return the inertial as it is written: the tensor digit for digit, in the axes of the inertial's origin."""
    if link.inertial is None:
        return None
    origin = _origin(link.inertial.source)
    properties = link.inertial.properties
    inertia = link.inertial.source.find("inertia")
    texts = inertia.attributes if inertia is not None else {}
    six: List[float] = []
    for key in Inertia._fields:
        values = _numbers(texts.get(key))
        six.append(values[0] if values else 0.0)
    written = Inertia(*six)
    # The reader has repaired the tensor, or turned it by a quaternion.
    if rotate_inertia(origin.matrix, written.matrix) != properties.inertia:
        written = Inertia.from_matrix(rotate_inertia(transpose(origin.matrix), properties.inertia))
    return Inertial(properties.mass, written, origin)


def _joint(joint: ReadJoint) -> Joint:
    """Return a joint of the model; elements and attributes without a field stay XML."""
    # A `<mimic>` that the reader passed over has no field.
    known = JOINT if joint.mimic is not None else {**JOINT, "mimic": {}}
    return Joint(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        origin=_origin(joint.source),
        axis=joint.axis,
        limit=joint.limit,
        dynamics=joint.dynamics,
        mimic=joint.mimic,
        safety=joint.safety,
        calibration=joint.calibration,
        spring=_spring(joint),
        extensions=unknown_in(joint.source, known),
    )


def _spring(joint: ReadJoint) -> Optional[Spring]:
    """Return the spring of a `<dynamics>`, None without a number for it; a number that is missing is 0."""
    dynamics = joint.source.find("dynamics")
    if dynamics is None:
        return None
    written = [numbers_in(dynamics.get(key) or "", 1) for key in SPRING]
    if not any(written):
        return None
    return Spring(*[value[0] if value else 0.0 for value in written])


LOOKS = ("specular", "emission", "metallic", "roughness")


def write_urdf(robot: RobotRecord) -> WrittenModel:
    """Return the robot as URDF, with notes on the values that URDF cannot express.

    Raises:
        BrokenRobot, ErrorGroup: the robot is not sound, or has a joint that URDF does not have.
    """
    from ...model.model_problems import errors_of, refusal
    from .simulator_tags_of_model import simulation_nodes

    refused = errors_of(robot)
    balls = [joint.name for joint in robot.joints if joint.type == "ball"]
    refused += [refusal("joint", name, "URDF has no ball joint") for name in balls]
    raise_all(refused)
    notes: Diagnostics = []
    top = node("robot", name=robot.name, version=_version(robot))
    made_up = _made_up_names(robot)
    for material in robot.materials:
        top.children.append(_material(material, made_up, notes))
    top.children.extend([_link_node(link, made_up, notes) for link in robot.links])
    top.children.extend([_joint_node(joint, notes) for joint in robot.joints])
    nodes, more = simulation_nodes(robot)
    # Before the nodes: a <surface> in them would replace an earlier one.
    for text in robot.extensions:
        _put_top(top, text)
    top.children.extend(nodes)
    return WrittenModel('<?xml version="1.0"?>\n' + render(top), (*notes, *more))


def _version(robot: RobotRecord) -> Optional[str]:
    """Return the version without which urdfdom drops a shape of the robot, None where any will do."""
    for link in robot.links:
        for shape in link.shapes:
            parts = pieces(shape.geometry, shape.origin)
            if any(part.geometry.kind == "capsule" for part in parts):
                return WITH_CAPSULES
    return None


def _made_up_names(robot: RobotRecord) -> Dict[Material, str]:
    """Return a name for each material without one: a `<material>` must have a name (urdfdom, link.cpp)."""
    visuals = chain.from_iterable(link.visuals for link in robot.links)
    of_visuals = [visual.material for visual in visuals if visual.material is not None]
    materials = [*robot.materials, *of_visuals]
    names = {material.name for material in materials}
    unnamed = dict.fromkeys(
        material for material in materials if not material.name and material != Material("")
    )
    free_names = (name for name in map("material_{}".format, count(1)) if name not in names)
    return dict(zip(unnamed, free_names))


def _put_top(top: XmlNode, text: str) -> None:
    """Put an extension of the robot back; the rest of a material goes into the material of the same name."""
    extra = parse(text)
    if extra.tag != "material":
        put_back(top, (text,), ROBOT)
        return
    for material in top.elements("material"):
        if material.attributes.get("name") == extra.attributes.get("name"):
            put_back(material, tuple(render(child).strip() for child in extra.children), MATERIAL)
            return
    top.children.append(raw(text))


def _number(value: Optional[float]) -> Optional[str]:
    """Return a number as text, None for an attribute that is not written."""
    return None if value is None else exact(value)


def _put_origin(into: XmlNode, origin: Pose) -> None:
    """Add the `<origin>` of an element, none for the default."""
    if origin != Pose():
        into.add("origin", xyz=exact_numbers(origin.xyz), rpy=exact_numbers(origin.rpy))


def _material(material: Material, made_up: Dict[Material, str], notes: Diagnostics) -> XmlNode:
    """Return the `<material>` of the robot or of a visual; values that URDF does not have are noted."""
    element = node("material", name=made_up.get(material, material.name))
    if material.rgba is not None:
        element.add("color", rgba=exact_numbers(material.rgba))
    if material.texture:
        element.add("texture", filename=material.texture)
    lost = [name for name in LOOKS if getattr(material, name) is not None]
    if lost:
        names = (material.name, ", ".join(lost), "URDF")
        notes.append(Diagnostic(EXPORT_LOST, 0, "material", names))
    return element


def _link_node(link: Link, made_up: Dict[Material, str], notes: Diagnostics) -> XmlNode:
    """Return the `<link>` of a link, with its mass and shapes."""
    top = node("link", name=link.name)
    mass = link.mass_properties
    inertial = link.inertial
    # A mass by densities, which URDF does not have.
    if inertial is None and mass.mass > 0.0:
        inertial = Inertial(mass.mass, Inertia.from_matrix(mass.inertia), Pose(mass.center))
    if inertial is not None:
        part = top.add("inertial")
        _put_origin(part, inertial.origin)
        part.add("mass", value=exact(inertial.mass))
        entries = {key: exact(value) for key, value in inertial.inertia._asdict().items()}
        part.add("inertia", **entries)
    for shape in link.shapes:
        _put_shape(top, link, shape, made_up, notes)
    put_back(top, link.extensions, LINK)
    return top


def _put_shape(
    top: XmlNode,
    link: Link,
    shape: Union[Visual, Collision],
    made_up: Dict[Material, str],
    notes: Diagnostics,
) -> None:
    """Add a shape to a `<link>`; a compound becomes an element for each of its pieces."""
    tag = "visual" if isinstance(shape, Visual) else "collision"
    known = VISUAL if isinstance(shape, Visual) else COLLISION
    for index, piece in enumerate(pieces(shape.geometry, shape.origin)):
        geometry = _geometry(piece.geometry)
        if geometry is None:
            names = (link.name, piece.geometry.kind, tag, "URDF")
            notes.append(Diagnostic(EXPORT_LOST, 0, "geometry", names))
            continue
        name = f"{shape.name}_{index + 1}" if index and shape.name else shape.name
        part = top.add(tag, name=name or None)
        _put_origin(part, piece.origin)
        part.add("geometry").children.append(geometry)
        if isinstance(shape, Visual) and shape.material is not None:
            part.children.append(_material(shape.material, made_up, notes))
        put_back(part, shape.extensions, known)


def _geometry(shape: Primitive) -> Optional[XmlNode]:
    """Return the element of a geometry, None for a kind that URDF does not have."""
    if isinstance(shape, Mesh):
        scale = exact_numbers(shape.scale) if shape.scale != (1.0, 1.0, 1.0) else None
        return node("mesh", filename=shape.filename, scale=scale)
    if isinstance(shape, Box):
        return node("box", size=exact_numbers(shape.size))
    if isinstance(shape, (Ellipsoid, Plane)):
        return None
    numbers: Dict[str, str] = {
        key: exact(value) for key, value in shape._asdict().items() if key != "kind"
    }
    return node(shape.kind, **numbers)


def _joint_node(joint: Joint, notes: Diagnostics) -> XmlNode:
    """Return the `<joint>` of a joint."""
    top = node("joint", name=joint.name, type=joint.type)
    _put_origin(top, joint.origin)
    top.add("parent", link=joint.parent)
    top.add("child", link=joint.child)
    if joint.type in ("revolute", "continuous", "prismatic", "planar"):
        top.add("axis", xyz=exact_numbers(joint.axis))
    for tag, record in (
        ("limit", joint.limit),
        ("dynamics", joint.dynamics),
        ("calibration", joint.calibration),
        ("safety_controller", joint.safety),
    ):
        if record is not None:
            names: Texts = JOINT[tag][""]
            top.children.append(node(tag, "", **dict(zip(names, map(_number, record)))))
    if joint.mimic is not None:
        top.add(
            "mimic",
            joint=joint.mimic.joint,
            multiplier=exact(joint.mimic.multiplier),
            offset=exact(joint.mimic.offset),
        )
    if joint.armature is not None:
        notes.append(Diagnostic(EXPORT_LOST, 0, "armature", (joint.name, "URDF")))
    put_back(top, joint.extensions, JOINT)
    return top
