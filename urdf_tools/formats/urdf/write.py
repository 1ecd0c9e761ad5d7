"""The model written as URDF."""
from itertools import count
from typing import Dict, List, Optional, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import raise_all
from ...model.kinds import EXPORT_LOST
from ...model.problems import errors_of, refusal
from ...model.records import Joint, Link, Robot, Written
from ...model.shapes import Box, Ellipsoid, Inertia, Inertial, Material, Mesh, pieces, Plane, Pose, Primitive, Visual
from ...model.simulation import simulation_nodes
from ...model.xml_tree import (COLLISION, exact, exact_numbers, JOINT, LINK, MATERIAL, Node, node, parse, put_back, raw,
                               render, ROBOT, VISUAL)

LOOKS = ("specular", "emission", "metallic", "roughness")


def write_urdf(robot: Robot) -> Written:
    """Return the robot as URDF, with notes on what URDF cannot express.

    Raises:
        BrokenRobot, ErrorGroup: the robot is not sound, or has a joint that URDF does not have.
    """
    refused = errors_of(robot)
    balls = [joint.name for joint in robot.joints if joint.type == "ball"]
    refused += [refusal("joint", name, "URDF has no ball joint") for name in balls]
    raise_all(refused)
    notes: List[Diagnostic] = []
    top, made_up = node("robot", name=robot.name), _made_up_names(robot)
    for material in robot.materials:
        top.children.append(_material(material, made_up, notes))
    top.children.extend([_link(link, made_up, notes) for link in robot.links])
    top.children.extend([_joint(joint, notes) for joint in robot.joints])
    nodes, more = simulation_nodes(robot)
    for text in robot.extensions:  # before the nodes: a <surface> in them would replace an earlier one
        _put_top(top, text)
    top.children.extend(nodes)
    return Written('<?xml version="1.0"?>\n' + render(top), (*notes, *more))


def _made_up_names(robot: Robot) -> Dict[Material, str]:
    """Return a name for each material without one: a `<material>` must have a name (urdfdom, link.cpp)."""
    materials = [*robot.materials, *(
        visual.material for link in robot.links for visual in link.visuals if visual.material is not None)]
    names = {material.name for material in materials}
    unnamed = dict.fromkeys(material for material in materials if not material.name and material != Material(""))
    return dict(zip(unnamed, (name for name in map("material_{}".format, count(1)) if name not in names)))


def _put_top(top: Node, text: str) -> None:
    """Put an extension of the robot back; one of a material into the material of the same name."""
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
    return None if value is None else exact(value)


def _put_origin(into: Node, origin: Pose) -> None:
    if origin != Pose():
        into.add("origin", xyz=exact_numbers(origin.xyz), rpy=exact_numbers(origin.rpy))


def _material(material: Material, made_up: Dict[Material, str], notes: List[Diagnostic]) -> Node:
    element = node("material", name=made_up.get(material, material.name))
    if material.rgba is not None:
        element.add("color", rgba=exact_numbers(material.rgba))
    if material.texture:
        element.add("texture", filename=material.texture)
    lost = [name for name in LOOKS if getattr(material, name) is not None]
    if lost:
        notes.append(Diagnostic(EXPORT_LOST, 0, "material", (material.name, ", ".join(lost), "URDF")))
    return element


def _link(link: Link, made_up: Dict[Material, str], notes: List[Diagnostic]) -> Node:
    top = node("link", name=link.name)
    mass, inertial = link.mass_properties, link.inertial
    if inertial is None and mass.mass > 0.0:  # of densities, which URDF does not have
        inertial = Inertial(mass.mass, Inertia.from_matrix(mass.inertia), Pose(mass.center))
    if inertial is not None:
        part = top.add("inertial")
        _put_origin(part, inertial.origin)
        part.add("mass", value=exact(inertial.mass))
        part.add("inertia", **{key: exact(value) for key, value in inertial.inertia._asdict().items()})
    for shape in link.shapes:
        tag, known = ("visual", VISUAL) if isinstance(shape, Visual) else ("collision", COLLISION)
        for index, piece in enumerate(pieces(shape.geometry, shape.origin)):
            geometry = _geometry(piece.geometry)
            if geometry is None:
                notes.append(Diagnostic(EXPORT_LOST, 0, "geometry", (link.name, piece.geometry.kind, tag, "URDF")))
                continue
            name = f"{shape.name}_{index + 1}" if index and shape.name else shape.name
            part = top.add(tag, name=name or None)
            _put_origin(part, piece.origin)
            part.add("geometry").children.append(geometry)
            if isinstance(shape, Visual) and shape.material is not None:
                part.children.append(_material(shape.material, made_up, notes))
            put_back(part, shape.extensions, known)
    put_back(top, link.extensions, LINK)
    return top


def _geometry(shape: Primitive) -> Optional[Node]:
    """Return the element of a geometry; None for a kind that URDF does not have."""
    if isinstance(shape, Mesh):
        scale = exact_numbers(shape.scale) if shape.scale != (1.0, 1.0, 1.0) else None
        return node("mesh", filename=shape.filename, scale=scale)
    if isinstance(shape, Box):
        return node("box", size=exact_numbers(shape.size))
    if isinstance(shape, (Ellipsoid, Plane)):
        return None
    numbers: Dict[str, str] = {key: exact(value) for key, value in shape._asdict().items() if key != "kind"}
    return node(shape.kind, **numbers)


def _joint(joint: Joint, notes: List[Diagnostic]) -> Node:
    top = node("joint", name=joint.name, type=joint.type)
    _put_origin(top, joint.origin)
    top.add("parent", link=joint.parent)
    top.add("child", link=joint.child)
    if joint.type in ("revolute", "continuous", "prismatic", "planar"):
        top.add("axis", xyz=exact_numbers(joint.axis))
    for tag, record in (("limit", joint.limit), ("dynamics", joint.dynamics), ("calibration", joint.calibration),
                        ("safety_controller", joint.safety)):
        if record is not None:
            names: Tuple[str, ...] = JOINT[tag][""]
            top.children.append(node(tag, "", **dict(zip(names, map(_number, record)))))
    if joint.mimic is not None:
        top.add("mimic", joint=joint.mimic.joint, multiplier=exact(joint.mimic.multiplier),
                offset=exact(joint.mimic.offset))
    if joint.armature is not None:
        notes.append(Diagnostic(EXPORT_LOST, 0, "armature", (joint.name, "URDF")))
    put_back(top, joint.extensions, JOINT)
    return top
