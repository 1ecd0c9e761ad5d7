"""The model written as SDF, of the lowest version that defines what is in it."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, FrozenSet, List, Optional, Set, Tuple, Union

from ...base.errors import raise_all
from ...base.number_text import format_number, format_numbers
from ...base.record import Record
from ...model.choices import Frame, SdfOptions
from ...model.kinds import EXPORT_LOST
from ...model.records import Joint, Link, Robot, Sensor, Written
from ..sensors import sensor_node
from ...model.shapes import (
    Box,
    Collision,
    Ellipsoid,
    Material,
    Mesh,
    NO_MASS,
    Plane,
    Pose,
    Primitive,
    sizes_of,
    Visual,
)
from ...model.xml_tree import Node, node, parse, put, render
from ...robot.principal_axes import entries_of
from ...robot.records import contact_names, OUT_OF_REACH
from ...urdf.model import INERTIA_KEYS, Mimic, MOVABLE
from ...urdf.spatial import compose, IDENTITY_POSE
from ..kinds import EXPORT_LEFT_OUT, EXPORT_MISREAD, EXPORT_RENAMED
from ..lower import (
    clean_lengths,
    Findings,
    frames_in,
    greatest,
    OneShape,
    Said,
    unused,
    note_limits,
    without_massless_tensors,
    WrittenMass,
)
from .lower import Anchor, Carried, plan_links
from .write_gazebo import fit_all, Model, put_physics, Sound, write_rest

SCRIPTS = "file://media/materials/scripts/gazebo.material"  # of the names Gazebo/..., as parser_urdf.cc has it
PATHS = contact_names("field", "path")
IN_COLLISION = (
    "restitution",
    "mu1",
    "mu2",
    "fdir1",
    "kp",
    "kd",
    "max_vel",
    "min_depth",
    "laser_retro",
    "max_contacts",
)


class SdfDecided(Record):
    """Where the text may differ from the robot: shapes left out, and the names in it.

    Attributes:
        links: names by link. joints: names by child link. frames: by name in the text.
        lost: elements that are noted, each with the link or joint that it is about.
    """

    left_out: FrozenSet[OneShape]
    links: Dict[str, str]
    joints: Dict[str, str]
    frames: Dict[str, Frame]
    options: SdfOptions
    lost: FrozenSet[Said] = frozenset()


def make_sdf(robot: Robot, options: SdfOptions) -> Tuple[Written, SdfDecided]:
    """Return the text, and what was decided."""
    findings = Findings("SDF", options.spelled, options.line_of)
    note_limits(robot, findings)
    robot = without_massless_tensors(robot, findings)
    carried = plan_links(robot, options, findings)
    raise_all(findings.refused)
    model = Model(
        robot=robot,
        options=options,
        carried=carried,
        names=_joint_names(robot, carried, findings),
        findings=findings,
    )
    # `fit_all` sets the version at the end, when all that needs one is in the text.
    top = node("sdf", version="")
    body = top.add("model", name=robot.name or "robot")
    if carried.canonical:
        body.attributes["canonical_link"] = carried.names[carried.canonical]

    links = {link.name: link for link in robot.links if link.name in carried.masses}
    for name in sorted(links, key=carried.canonical.__ne__):  # the canonical one first
        model.nodes[name] = _link(links[name], model)
        body.children.append(model.nodes[name])
    for name, (holder, T) in carried.frames.items():
        frame = body.add(
            "frame",
            name=carried.names[name],
            attached_to=carried.names[holder] if holder else "__model__",
        )
        _put_pose(frame, Pose.from_transform(T))

    names = set(model.names.values()) | set(carried.names.values())
    frames = _write_own_frames(body, model, names)
    _note_frames_in_world(body, findings)

    # `<static>` would hold all of the model, a joint to the world holds its base alone.
    for name in carried.held:
        element = body.add("joint", name=unused("world_joint", names), type="fixed")
        element.add("parent", "world")
        element.add("child", carried.names[name])
    for joint in robot.joints:
        model.joints[joint.name] = _joint(joint, model)
        body.children.extend(model.joints[joint.name])
    for sensor in robot.sensors:
        if sensor not in model.sensors:
            findings.note(EXPORT_LEFT_OUT, "sensor", sensor.name)
    write_rest(body, model)
    fit_all(top, model)

    text = '<?xml version="1.0"?>\n' + render(top)
    raise_all(findings.refused)
    written = Written(text, tuple(findings.notes), tuple(findings.said))
    free = {
        anchor.joint.child: carried.names[link]
        for link, anchor in carried.anchors.items()
        if anchor.joint is not None and anchor.joint.type == "floating"
    }
    return written, SdfDecided(
        left_out=frozenset(model.left_out),
        links=dict(carried.names),
        joints={**model.names, **free},
        frames=frames,
        options=options,
        lost=model.lost,
    )


def _joint_names(robot: Robot, carried: Carried, findings: Findings) -> Dict[str, str]:
    """Return a name for each joint, by child link: in SDF links, joints and frames share one namespace."""
    links = set(carried.names.values())
    names_used = set(links)
    names = {}
    for joint in robot.joints:
        name = joint.name.replace("::", "_")
        names[joint.child] = unused(f"{name}_joint" if name in links else name, names_used)
        if names[joint.child] != joint.name:
            findings.note(EXPORT_RENAMED, "joint", joint, names[joint.child])
    return names


@lru_cache(maxsize=4096)  # a visual and its collision are at the same place
def _pose_text(pose: Pose) -> str:
    return format_numbers((*clean_lengths(pose.xyz), *clean_lengths(pose.rpy)))


def _put_pose(element: Node, pose: Pose, frame: Optional[str] = None) -> None:
    attributes = {"relative_to": frame} if frame is not None else {}
    element.children.append(Sound("pose", attributes, [_pose_text(pose)]))


def _link(link: Link, model: Model) -> Node:
    """Write a link with the shapes and sensors of the links that it carries (those that became frames)."""
    link_node = node("link", name=model.carried.names[link.name])
    origin, frame = _place_of(link, model)
    if frame is not None or origin != Pose():
        _put_pose(link_node, origin, frame)
    written = model.carried.masses[link.name]
    link_node.children.append(_inertial(written))
    _put_shapes(link, link_node, model)
    for flag in ("self_collide", "gravity"):
        if getattr(link, flag) is not None:
            link_node.add(flag, str(getattr(link, flag)).lower())
    for way in ("linear", "angular") if link.velocity_decay is not None else ():
        put(link_node, f"velocity_decay/{way}", format_number(link.velocity_decay or 0.0))
    for sensor in model.robot.sensors:
        carrier = model.carried.where.get(sensor.link) if sensor.link else None
        if carrier is not None and carrier[0] == link.name:
            T_sensor = compose(carrier[1], sensor.origin.transform)
            # A link that carries itself keeps the digits of the sensor.
            moved = sensor.origin if sensor.link == link.name else Pose.from_transform(T_sensor)
            _sensor(sensor, link_node, model, moved)
    return link_node


def _place_of(link: Link, model: Model) -> Tuple[Pose, Optional[str]]:
    """Return the pose of a link, and the frame in which it is given; None: the model."""
    anchor = model.carried.anchors.get(link.name, Anchor(None, IDENTITY_POSE))
    # The pose of a link is told in the frame of the joint above its group, which SDF names. SDF has no floating joint:
    # such a group is placed in the frame of its parent.
    if link.name not in model.carried.anchors:
        return Pose(), model.names[link.name]
    if anchor.joint is not None and anchor.joint.type == "floating":
        T_parent = compose(anchor.joint.origin.transform, anchor.pose)
        frame = model.carried.names.get(anchor.joint.parent, "__model__")
        return Pose.from_transform(T_parent), frame
    named = model.names[anchor.joint.child] if anchor.joint is not None else None
    return Pose.from_transform(anchor.pose), named


def _put_shapes(link: Link, link_node: Node, model: Model) -> None:
    """Write the shapes that a link shows, also those of links that it carries; name those that SDF cannot hold."""
    names: Dict[str, Set[str]] = {"visual": set(), "collision": set()}
    for other, T in model.carried.shapes_of[link.name]:
        for kind, number, shape, part in other.placed_pieces:
            geometry = _geometry(part.geometry, model)
            if geometry is None:
                model.left_out.add((other.name, kind, number))
                model.findings.note(EXPORT_LEFT_OUT, "size", other, kind, part.geometry.kind)
                continue
            name = unused(shape.name or f"{other.name}_{kind}", names[kind])
            element = link_node.add(kind, name=name)
            model.shapes.setdefault((other.name, kind), []).append(element)
            origin = (
                part.origin if T is None else Pose.from_transform(compose(T, part.origin.transform))
            )
            if origin != Pose():
                _put_pose(element, origin)
            element.add("geometry").children.append(geometry)
            _put_more(element, shape, model)


def _sensor(sensor: Sensor, parent: Node, model: Model, pose: Optional[Pose] = None) -> None:
    """Write a sensor into its parent element with a distinct name; SDF requires one."""
    model.sensors.add(sensor)
    element = sensor_node(sensor, pose)
    element = element if element.tag else parse(sensor.xml)
    names = {sibling.attributes["name"] for sibling in parent.elements("sensor")}
    name = element.attributes["name"] = unused(sensor.name or sensor.type, names)
    if name != sensor.name:
        model.findings.note(
            EXPORT_RENAMED, "sensor", sensor.name, sensor.link or sensor.joint, name
        )
    parent.children.append(element)


def _inertial(written: Optional[WrittenMass]) -> Node:
    inertial = Sound("inertial", {}, [])
    mass, center, tensor = written.properties if written is not None else NO_MASS
    if any(center):
        _put_pose(inertial, Pose(center))
    inertial.add("mass", format_number(mass))
    inertia = inertial.add("inertia")
    for key, value in zip(INERTIA_KEYS, entries_of(tensor)):
        inertia.add(key, format_number(value))
    return inertial


def _geometry(shape: Primitive, model: Model) -> Optional[Node]:
    """Return the element of a geometry; None for one of size zero."""
    if isinstance(shape, Mesh):
        element: Node = Sound("mesh", {}, [])
        element.add("uri", model.mesh_files.get(shape.filename, shape.filename))
        if shape.scale != (1.0, 1.0, 1.0):
            element.add("scale", format_numbers(shape.scale))
        return element
    element = node(shape.kind)
    if isinstance(shape, Plane):
        element.add("normal", "0 0 1")
        element.add("size", format_numbers(shape.size))
        return element
    values = sizes_of(shape)
    if isinstance(shape, (Box, Ellipsoid)):
        element.add("size" if isinstance(shape, Box) else "radii", format_numbers(values))
    else:
        for key, value in zip(("radius", "length"), values):
            element.add(key, format_number(value))
    return element if min(values) > 0.0 else None


def _put_more(element: Node, shape: Union[Visual, Collision], model: Model) -> None:
    if isinstance(shape, Visual) and (shape.material is not None or shape.script):
        material = _material(shape.material or Material(), shape.script, model)
        element.children.extend([material] if material.children else [])
    elif isinstance(shape, Collision) and shape.surface is not None:
        for field in IN_COLLISION:
            value = getattr(shape.surface, field)
            if value is not None:
                put(
                    element,
                    PATHS[field],
                    format_numbers(value if isinstance(value, tuple) else (value,)),
                )


def _material(material: Material, script: str, model: Model) -> Node:
    # Only a name: the robot defines it elsewhere, and SDF has no names of materials.
    if material == Material(material.name):
        material = model.materials.get(material.name, material)
    element = Sound("material", {}, [])
    if script:
        element.add("script").add("name", script)
        element.children[0].add("uri", SCRIPTS)
    if material.rgba is not None:  # gz::math::Color holds what lies outside at 0 and 1
        rgba = format_numbers(min(max(value, 0.0), 1.0) for value in material.rgba)
        element.add("ambient", rgba)
        element.add("diffuse", rgba)
    if material.specular is not None:
        element.add("specular", format_numbers((*(material.specular,) * 3, 1.0)))
    if material.emission is not None:
        color = material.rgba or (1.0, 1.0, 1.0, 1.0)
        element.add(
            "emissive",
            format_numbers((*(material.emission * value for value in color[:3]), color[3])),
        )
    if material.texture or material.metallic is not None or material.roughness is not None:
        metal = element.add("pbr").add("metal")
        if material.texture:
            metal.add("albedo_map", model.mesh_files.get(material.texture, material.texture))
        for key, value in (("roughness", material.roughness), ("metalness", material.metallic)):
            if value is not None:
                metal.add(key, format_number(value))
    return element


def _joint(joint: Joint, model: Model) -> List[Node]:
    """Return the joint element; [] where the child became a frame, or is free."""
    carried = model.carried
    child = carried.moved.get(joint.child, joint.child) if joint.type != "fixed" else joint.child
    if (
        joint.type == "floating"
        or joint.type == "fixed"
        and (child in carried.frames or child in carried.anchors)
    ):
        return []
    element = node("joint", name=model.names[joint.child], type=joint.type)
    parent = carried.names.get(joint.parent, "__model__")  # the model's frame is that of the world
    _put_pose(element, joint.origin, parent)
    element.add("parent", carried.parent_of(joint))
    element.add("child", carried.names[child])
    if joint.type in MOVABLE:
        element.children.append(_axis(joint, model))
    elif joint.type == "ball" and joint.dynamics is not None:
        model.findings.note(EXPORT_LOST, "dynamics", joint, "ball")
    put_physics(element, joint, model)
    for sensor in model.robot.sensors:
        if sensor.joint == joint.name:
            _sensor(sensor, element, model)
    if joint.armature is not None:
        model.findings.note(EXPORT_LOST, "armature", joint)
    return [element]


def _axis(joint: Joint, model: Model) -> Node:
    # What follows another joint needs a later version.
    element = (Node if joint.mimic else Sound)("axis", {}, [])
    element.add("xyz", format_numbers(joint.axis))
    bounds = joint.range
    if bounds is not None and bounds[0] > bounds[1]:
        model.findings.note(EXPORT_MISREAD, "bounds", joint, numbers=bounds)
    elif bounds is not None:
        for key, value in zip(("lower", "upper"), bounds):
            # What is out of reach is no bound, and one that is not written means none in SDF.
            if abs(value) < OUT_OF_REACH:
                put(element, f"limit/{key}", format_number(value))
    for key in ("effort", "velocity"):
        most = greatest(joint, key, model.findings, "locked")
        if most is not None:
            put(element, f"limit/{key}", format_number(most))
    for key, number in (joint.dynamics._asdict() if joint.dynamics else {}).items():
        if number is not None and number >= 0.0:
            put(element, f"dynamics/{key}", format_number(number))
        elif number is not None:
            model.findings.note(EXPORT_MISREAD, "negative", joint, key, numbers=(number,))
    if joint.spring is not None:
        put(element, "dynamics/spring_reference", format_number(joint.spring.reference))
        put(element, "dynamics/spring_stiffness", format_number(joint.spring.stiffness))
    if joint.mimic is not None:
        _put_mimic(element, joint, joint.mimic, model)
    return element


def _put_mimic(axis: Node, joint: Joint, mimic: Mimic, model: Model) -> None:
    """Let a joint follow its leader; one whose leader does not move is free in SDF."""
    leader = model.leaders.get(mimic.joint)
    if leader is None or leader.type not in MOVABLE:
        stays = "mimic-fixed" if leader else "mimic-unknown"
        model.findings.note(EXPORT_LOST, stays, joint, mimic.joint)
        return
    element = axis.add("mimic", joint=model.names[leader.child])
    element.add("multiplier", format_number(mimic.multiplier))
    element.add("offset", format_number(mimic.offset))
    # follower = multiplier * (leader - reference) + offset
    element.add("reference", "0")


def _note_frames_in_world(body: Node, findings: Findings) -> None:
    """Note the frames of the model where its canonical link is the first one, which moves: they move with it."""
    links = body.elements("link") if "canonical_link" not in body.attributes else []
    still = {"__model__"}
    for frame in body.elements("frame") if links else ():  # after that which it is attached to
        if frame.attributes["attached_to"] in still:
            still.add(frame.attributes["name"])
            names = (frame.attributes["name"], links[0].attributes["name"])
            findings.note(EXPORT_MISREAD, "in-world", *names)


def _write_own_frames(body: Node, model: Model, names: Set[str]) -> Dict[str, Frame]:
    """Write the frames of the robot, then those of the options; return them by their name in the text.

    `names` are those in use.
    """
    written: Dict[str, Frame] = {}
    for frame in (*frames_in(model.robot), *model.options.frames):
        name = unused(frame.name, names)
        element = body.add(
            "frame", name=name, attached_to=model.carried.names.get(frame.link, "__model__")
        )
        _put_pose(element, frame.pose)
        written[name] = frame
    return written
