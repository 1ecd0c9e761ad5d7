"""The model written as SDF, of the lowest version that defines all of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, FrozenSet, List, Optional, Set, Tuple, Union

from ...base.errors import raise_all
from ...base.number_text import format_number, format_numbers
from ...base.record_type import Record
from ...facts.contact_values import contact_names
from ...model.export_options import Frame, SdfOptions
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Joint, Link, RobotRecord, Sensor, WrittenModel
from ..gazebo_sensors import sensor_node
from ...model.model_shapes import (
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
from ...model.xml_writer import XmlNode, node, parse, put, render
from ...robot.principal_axes import entries_of
from ...robot.raw_robot import OUT_OF_REACH
from ...urdf.urdf_records import INERTIA_KEYS, Mimic, MOVABLE
from ...urdf.spatial_math import compose, IDENTITY_POSE
from ..export_diagnostics import EXPORT_LEFT_OUT, EXPORT_MISREAD, EXPORT_RENAMED
from ..shared_lowering import (
    clean_lengths,
    ExportFindings,
    frames_in,
    greatest,
    OneShape,
    Said,
    unused,
    note_limits,
    without_massless_tensors,
    WrittenMass,
)
from .lower_to_sdf import AnchorLink, LinksAndFrames, plan_links
from .elements_known_to_sdf import DefinedSdfElement
from .write_gazebo_content import finish, GazeboWriter, put_physics, write_rest

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


class SdfDecisions(Record):
    """Decisions of the writer: the differences of the text from the robot that the proof allows.

    Attributes:
        left_out: shapes, as (link, role, number).
        links: names by link. joints: names by child link. frames: by name in the text.
        lost: elements that are noted, each with its link or joint.
    """

    left_out: FrozenSet[OneShape]
    links: Dict[str, str]
    joints: Dict[str, str]
    frames: Dict[str, Frame]
    options: SdfOptions
    lost: FrozenSet[Said] = frozenset()


def make_sdf(robot: RobotRecord, options: SdfOptions) -> Tuple[WrittenModel, SdfDecisions]:
    """Return the text of a robot, and the decisions of the writer for the proof."""
    findings = ExportFindings("SDF", options.spelled, options.line_of)
    note_limits(robot, findings)
    robot = without_massless_tensors(robot, findings)
    carried = plan_links(robot, options, findings)
    raise_all(findings.refused)
    model = GazeboWriter(
        robot=robot,
        options=options,
        carried=carried,
        names=_joint_names(robot, carried, findings),
        findings=findings,
    )
    # `finish` sets the version at the end, when all that needs one is in the text.
    top = node("sdf", version="")
    body = top.add("model", name=robot.name or "robot")
    if carried.canonical:
        body.attributes["canonical_link"] = carried.names[carried.canonical]
    names = set(model.names.values()) | set(carried.names.values())
    _write_links(body, model)
    _write_carried_frames(body, model)
    frames = _write_own_frames(body, model, names)
    _note_frames_in_world(body, findings)
    _write_joints(body, model, names)
    for sensor in robot.sensors:
        if sensor not in model.sensors:
            findings.note(EXPORT_LEFT_OUT, "sensor", sensor.name)
    write_rest(body, model)
    finish(top, model)

    text = '<?xml version="1.0"?>\n' + render(top)
    raise_all(findings.refused)
    written = WrittenModel(text, tuple(findings.notes), tuple(findings.said))
    # A floating joint has no element: the proof finds it by the link that floats.
    free = {
        anchor.joint.child: carried.names[link]
        for link, anchor in carried.anchors.items()
        if anchor.joint is not None and anchor.joint.type == "floating"
    }
    return written, SdfDecisions(
        left_out=frozenset(model.left_out),
        links=dict(carried.names),
        joints={**model.names, **free},
        frames=frames,
        options=options,
        lost=model.lost,
    )


def _write_links(body: XmlNode, model: GazeboWriter) -> None:
    """Write the links that remain, the canonical link first."""
    carried = model.carried
    links = {link.name: link for link in model.robot.links if link.name in carried.masses}
    for name in sorted(links, key=carried.canonical.__ne__):
        model.nodes[name] = _link(links[name], model)
        body.children.append(model.nodes[name])


def _write_carried_frames(body: XmlNode, model: GazeboWriter) -> None:
    """Write the links that became frames."""
    carried = model.carried
    for name, (holder, T) in carried.frames.items():
        holder_name = carried.names[holder] if holder else "__model__"
        frame = body.add("frame", name=carried.names[name], attached_to=holder_name)
        _put_pose(frame, Pose.from_transform(T))


def _write_joints(body: XmlNode, model: GazeboWriter, names: Set[str]) -> None:
    """Write the joints to the world, then the joints of the robot; `names` are in use."""
    # `<static>` would hold all of the model, a joint to the world holds its base alone.
    for name in model.carried.held:
        element = body.add("joint", name=unused("world_joint", names), type="fixed")
        element.add("parent", "world")
        element.add("child", model.carried.names[name])
    for joint in model.robot.joints:
        model.joints[joint.name] = _joint(joint, model)
        body.children.extend(model.joints[joint.name])


def _joint_names(
    robot: RobotRecord, carried: LinksAndFrames, findings: ExportFindings
) -> Dict[str, str]:
    """Return a name for each joint, by child link: in SDF links, joints and frames share one namespace."""
    links = set(carried.names.values())
    names_used = set(links)
    names = {}
    for joint in robot.joints:
        name = joint.name.replace("::", "_")
        if name in links:
            name = f"{name}_joint"
        names[joint.child] = unused(name, names_used)
        if names[joint.child] != joint.name:
            findings.note(EXPORT_RENAMED, "joint", joint, names[joint.child])
    return names


@lru_cache(maxsize=4096)  # a visual and its collision are at the same place
def _pose_text(pose: Pose) -> str:
    """Return x y z [m] and roll pitch yaw [rad] as SDF has them."""
    return format_numbers((*clean_lengths(pose.xyz), *clean_lengths(pose.rpy)))


def _put_pose(element: XmlNode, pose: Pose, frame: Optional[str] = None) -> None:
    """Add a `<pose>`, relative to a frame if one is given."""
    attributes = {"relative_to": frame} if frame is not None else {}
    element.children.append(DefinedSdfElement("pose", attributes, [_pose_text(pose)]))


def _link(link: Link, model: GazeboWriter) -> XmlNode:
    """Write a link with the shapes and sensors of the links that it carries (those that became frames)."""
    link_node = node("link", name=model.carried.names[link.name])
    origin, frame = _place_of(link, model)
    if frame is not None or origin != Pose():
        _put_pose(link_node, origin, frame)
    written = model.carried.masses[link.name]
    link_node.children.append(_inertial(written))
    _put_shapes(link, link_node, model)
    for tag, flag in (("self_collide", link.self_collide), ("gravity", link.gravity)):
        if flag is not None:
            link_node.add(tag, str(flag).lower())
    if link.velocity_decay is not None:
        for way in ("linear", "angular"):
            put(link_node, f"velocity_decay/{way}", format_number(link.velocity_decay))
    for sensor in model.robot.sensors:
        carrier = model.carried.where.get(sensor.link) if sensor.link else None
        if carrier is not None and carrier[0] == link.name:
            T_sensor = compose(carrier[1], sensor.origin.transform)
            # A link that carries itself keeps the digits of the sensor.
            moved = sensor.origin if sensor.link == link.name else Pose.from_transform(T_sensor)
            _sensor(sensor, link_node, model, moved)
    return link_node


def _place_of(link: Link, model: GazeboWriter) -> Tuple[Pose, Optional[str]]:
    """Return the pose of a link, and the frame in which it is given; None: the model."""
    anchor = model.carried.anchors.get(link.name, AnchorLink(None, IDENTITY_POSE))
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


def _put_shapes(link: Link, link_node: XmlNode, model: GazeboWriter) -> None:
    """Write the shapes of a link and of the links that it carries; name the shapes that SDF cannot hold."""
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
            origin = part.origin
            if T is not None:
                origin = Pose.from_transform(compose(T, part.origin.transform))
            if origin != Pose():
                _put_pose(element, origin)
            element.add("geometry").children.append(geometry)
            _put_more(element, shape, model)


def _sensor(
    sensor: Sensor, parent: XmlNode, model: GazeboWriter, pose: Optional[Pose] = None
) -> None:
    """Write a sensor into its parent element with a distinct name; SDF requires one."""
    model.sensors.add(sensor)
    element = sensor_node(sensor, pose)
    if not element.tag:
        element = parse(sensor.xml)
    names = {sibling.attributes["name"] for sibling in parent.elements("sensor")}
    name = element.attributes["name"] = unused(sensor.name or sensor.type, names)
    if name != sensor.name:
        model.findings.note(
            EXPORT_RENAMED, "sensor", sensor.name, sensor.link or sensor.joint, name
        )
    parent.children.append(element)


def _inertial(written: Optional[WrittenMass]) -> XmlNode:
    """Return the `<inertial>` of a link; without a mass it has zeros, as SDF's default is 1 kg."""
    inertial = DefinedSdfElement("inertial", {}, [])
    mass, center, tensor = written.properties if written is not None else NO_MASS
    if any(center):
        _put_pose(inertial, Pose(center))
    inertial.add("mass", format_number(mass))
    inertia = inertial.add("inertia")
    for key, value in zip(INERTIA_KEYS, entries_of(tensor)):
        inertia.add(key, format_number(value))
    return inertial


def _geometry(shape: Primitive, model: GazeboWriter) -> Optional[XmlNode]:
    """Return the element of a geometry, None for a geometry of size zero."""
    if isinstance(shape, Mesh):
        element: XmlNode = DefinedSdfElement("mesh", {}, [])
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
    if isinstance(shape, Box):
        element.add("size", format_numbers(values))
    elif isinstance(shape, Ellipsoid):
        element.add("radii", format_numbers(values))
    else:
        for key, value in zip(("radius", "length"), values):
            element.add(key, format_number(value))
    return element if min(values) > 0.0 else None


def _put_more(element: XmlNode, shape: Union[Visual, Collision], model: GazeboWriter) -> None:
    """Add the material of a visual, or the contact values of a collision."""
    if isinstance(shape, Visual) and (shape.material is not None or shape.script):
        material = _material(shape.material or Material(), shape.script, model)
        if material.children:
            element.children.append(material)
    elif isinstance(shape, Collision) and shape.surface is not None:
        for field in IN_COLLISION:
            value = getattr(shape.surface, field)
            if value is not None:
                numbers = value if isinstance(value, tuple) else (value,)
                put(element, PATHS[field], format_numbers(numbers))


def _material(material: Material, script: str, model: GazeboWriter) -> XmlNode:
    """Return the `<material>` of a visual; `script` is the name of a material of Gazebo."""
    # A material with only a name is defined by the robot elsewhere, and SDF has no names of materials.
    if material == Material(material.name):
        material = model.materials.get(material.name, material)
    element = DefinedSdfElement("material", {}, [])
    if script:
        element.add("script").add("name", script)
        element.children[0].add("uri", SCRIPTS)
    if material.rgba is not None:  # gz::math::Color holds values outside at 0 and 1
        rgba = format_numbers(min(max(value, 0.0), 1.0) for value in material.rgba)
        element.add("ambient", rgba)
        element.add("diffuse", rgba)
    if material.specular is not None:
        gray = material.specular
        element.add("specular", format_numbers((gray, gray, gray, 1.0)))
    if material.emission is not None:
        *color, alpha = material.rgba or (1.0, 1.0, 1.0, 1.0)
        emission = [material.emission * value for value in color]
        element.add("emissive", format_numbers((*emission, alpha)))
    if material.texture or material.metallic is not None or material.roughness is not None:
        metal = element.add("pbr").add("metal")
        if material.texture:
            metal.add("albedo_map", model.mesh_files.get(material.texture, material.texture))
        for key, value in (("roughness", material.roughness), ("metalness", material.metallic)):
            if value is not None:
                metal.add(key, format_number(value))
    return element


def _joint(joint: Joint, model: GazeboWriter) -> List[XmlNode]:
    """Return the joint element; [] for a child that became a frame, or is free."""
    carried = model.carried
    child = joint.child
    if joint.type == "floating":
        return []
    if joint.type == "fixed":
        # The joint above a group holds its anchor already.
        if child in carried.frames or child in carried.anchors:
            return []
    else:
        child = carried.moved.get(joint.child, joint.child)
    element = node("joint", name=model.names[joint.child], type=joint.type)
    # The frame of the model is the frame of the world.
    parent = carried.names.get(joint.parent, "__model__")
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


def _axis(joint: Joint, model: GazeboWriter) -> XmlNode:
    """Return the `<axis>` of a joint, with its limits, dynamics and rule."""
    element = DefinedSdfElement("axis", {}, [])
    element.add("xyz", format_numbers(joint.axis))
    bounds = joint.range
    if bounds is not None and bounds[0] > bounds[1]:
        model.findings.note(EXPORT_MISREAD, "bounds", joint, numbers=bounds)
    elif bounds is not None:
        for key, value in zip(("lower", "upper"), bounds):
            # A value out of reach is no bound, and a bound that is not written means none in SDF.
            if abs(value) < OUT_OF_REACH:
                put(element, f"limit/{key}", format_number(value))
    for key in ("effort", "velocity"):
        most = greatest(joint, key, model.findings, "locked")
        if most is not None:
            put(element, f"limit/{key}", format_number(most))
    dynamics = joint.dynamics._asdict() if joint.dynamics else {}
    for key, number in dynamics.items():
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


def _put_mimic(axis: XmlNode, joint: Joint, mimic: Mimic, model: GazeboWriter) -> None:
    """Let a joint follow its leader; without a leader that moves it is free in SDF."""
    leader = model.leaders.get(mimic.joint)
    if leader is None or leader.type not in MOVABLE:
        loss = "mimic-fixed" if leader else "mimic-unknown"
        model.findings.note(EXPORT_LOST, loss, joint, mimic.joint)
        return
    element = axis.add("mimic", joint=model.names[leader.child])
    element.add("multiplier", format_number(mimic.multiplier))
    element.add("offset", format_number(mimic.offset))
    # follower = multiplier * (leader - reference) + offset
    element.add("reference", "0")


def _note_frames_in_world(body: XmlNode, findings: ExportFindings) -> None:
    """Note the frames of a model without a canonical link: its first link is this, and moves them with it."""
    links = body.elements("link")
    if "canonical_link" in body.attributes or not links:
        return
    still = {"__model__"}
    # Each frame comes after its holder.
    for frame in body.elements("frame"):
        if frame.attributes["attached_to"] in still:
            still.add(frame.attributes["name"])
            names = (frame.attributes["name"], links[0].attributes["name"])
            findings.note(EXPORT_MISREAD, "in-world", *names)


def _write_own_frames(body: XmlNode, model: GazeboWriter, names: Set[str]) -> Dict[str, Frame]:
    """Write the frames of the robot and of the options; return them by their name in the text.

    `names` are in use.
    """
    written: Dict[str, Frame] = {}
    for frame in (*frames_in(model.robot), *model.options.frames):
        name = unused(frame.name, names)
        holder = model.carried.names.get(frame.link, "__model__")
        element = body.add("frame", name=name, attached_to=holder)
        _put_pose(element, frame.pose)
        written[name] = frame
    return written
