"""The model written as MJCF for MuJoCo 3.2 or newer, in the order and style of mujoco_menagerie."""

from __future__ import annotations

import posixpath
from collections import Counter
from itertools import chain
from typing import Dict, List, Set, Tuple

from ...base.type_aliases import Pairs
from ...base.errors import raise_all, UsageError
from ...base.number_text import format_number, format_numbers
from ...facts.robot_values import LOOP_WORDS
from ...model.export_options import gain_text, MjcfOptions
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Joint, Link, RobotRecord, WrittenModel
from ...model.model_shapes import Pose
from ...model.xml_writer import XmlNode, node, raw, render
from ...robot.raw_robot import OUT_OF_REACH, RawRobot
from ...urdf.urdf_records import Dynamics, MOVABLE
from ...meshes.quaternions import quaternion_from_matrix
from ...urdf.spatial_math import IDENTITY_POSE, ZERO
from ..export_diagnostics import EXPORT_LEFT_OUT, EXPORT_MISREAD, EXPORT_RENAMED
from ..shared_lowering import (
    clean_direction,
    DONE,
    ExportFindings,
    frames_in,
    greatest,
    named,
    note_lost,
    not_urdf_elements,
    said_by_gazebo,
    unused,
    note_limits,
    without_massless_tensors,
    WrittenMass,
)
from .lower_to_mjcf import (
    across,
    actuators_of,
    MjcfDecisions,
    JointInBody,
    keys_of,
    limits_of,
    MjcfWriter,
    pairs_apart,
    plan_bodies,
    PLANAR_ENDS,
)
from .write_mjcf_assets import AssetWriter, put_pose
from .write_mjcf_sections import (
    find_loops,
    put_site,
    write_actuators,
    write_equalities,
    write_keyframes,
    write_sensors,
)

# Joint attributes that go into the class when most joints share them.
SHARED = ("damping", "frictionloss", "armature")


def make_mjcf(
    robot: RobotRecord, options: MjcfOptions, reference: RawRobot
) -> Tuple[WrittenModel, MjcfDecisions]:
    """Return the text of a robot, and the decisions of the writer; `reference` is the robot of the proof."""
    findings = ExportFindings("MJCF", options.spelled, options.line_of)
    note_limits(robot, findings)
    robot = without_massless_tensors(robot, findings)
    # Links that meet in a loop are joined there, and do not collide, as in a joint.
    loops, left_open = find_loops(robot)
    joined = [(first[1], second[1]) for _, (first, second) in loops]
    options = options._replace(exclude=(*options.exclude, *joined))

    bodies = plan_bodies(robot, options, findings)
    raise_all(findings.refused)
    world = node("worldbody")
    names = _joint_names(robot, findings)
    model = MjcfWriter(
        robot=robot,
        options=options,
        bodies=bodies,
        names=names,
        findings=findings,
        nodes={"": world},
        sites={},
    )

    top = node("mujoco", model=robot.name or "robot")
    # With `inertiafromgeom` auto, a body without <inertial> would get a mass from its geoms.
    compiler = top.add("compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    top.add("option", integrator="implicitfast")
    assets = AssetWriter(robot, options, model.class_name, findings)
    shared = _shared_values(robot)
    _write_defaults(top, model, shared)
    _write_bodies(model, assets, shared)
    _write_sites(model)
    actuators = tuple(actuators_of(model, reference))
    apart = pairs_apart(model)
    if options.kp is not None and all(actuator.kind != "position" for actuator in actuators):
        findings.refused.append(_unused_gain(options, options.kp))

    keys = keys_of(model, actuators)
    # In this order, as a section may write sites, and notes stay in the order of the text.
    sections = [
        _excluded(apart),
        write_equalities(model, (loops, left_open)),
        write_actuators(model, actuators),
        write_sensors(model),
        write_keyframes(model, keys, actuators),
    ]
    _name_the_rest(model)

    asset = assets.finished()
    _say_folder(compiler, asset, "mesh", "meshdir")
    _say_folder(compiler, asset, "texture", "texturedir")
    # A section without content is not written; MuJoCo requires <worldbody>.
    for part in (asset, world, *sections):
        if part.children or part is world:
            top.children.append(part)

    _name_defaults(robot, findings)
    between = frozenset(link.name for link in robot.links) - frozenset(bodies.where)
    raise_all(findings.refused)
    written = WrittenModel(render(top), tuple(findings.notes), tuple(findings.said))
    return written, MjcfDecisions(
        left_out=frozenset(assets.left_out),
        between=between,
        options=options,
        bodies=bodies,
        actuators=actuators,
        apart=apart,
        keys=keys,
        joints=model.names,
    )


def _write_defaults(top: XmlNode, model: MjcfWriter, shared: Dict[str, str]) -> None:
    """Write the classes of the robot: `visual` and `collision` as in mujoco_menagerie."""
    defaults = top.add("default").add("default", class_=model.class_name)
    if shared:
        defaults.children.append(XmlNode("joint", dict(shared), []))
    if model.robot.meshes:
        # A mass never comes from a mesh, so it need not have a volume.
        defaults.add("mesh", inertia="shell")
    # Visuals touch nothing, and collisions are in a group that viewers hide.
    defaults.add("default", class_="visual").add("geom", group="2", contype="0", conaffinity="0")
    defaults.add("default", class_="collision").add("geom", group="3")


def _excluded(apart: Pairs) -> XmlNode:
    """Return the section with the pairs of bodies that never touch."""
    section = node("contact")
    for first, second in apart:
        section.add("exclude", body1=first, body2=second)
    return section


def _unused_gain(options: MjcfOptions, kp: float) -> UsageError:
    """Return the error for a gain that no actuator gets."""
    cure = ""
    if options.actuators != "position":
        cure = f"; give {options.spelled('actuators')} position"
    gain = gain_text(kp, options.spelled)
    return UsageError(f"{gain}: no joint gets a position actuator{cure}")


def _name_defaults(robot: RobotRecord, findings: ExportFindings) -> None:
    """Note the parameters left at MuJoCo's defaults."""
    defaults: List[str] = []
    if not any(joint.armature for joint in robot.joints):
        defaults.append("armature 0")
    collisions = chain.from_iterable(link.collisions for link in robot.links)
    if not any(shape.surface and shape.surface.mu1 is not None for shape in collisions):
        defaults.append("contact friction 1")
    if defaults and robot.joints:
        findings.said.append(f"left to MuJoCo's defaults: {', '.join(defaults)}")


def _name_the_rest(model: MjcfWriter) -> None:
    """Note the values of the robot that MJCF has no element for."""
    robot = model.robot
    lost = [
        named(reference, element)
        for reference, element in said_by_gazebo(robot)
        if element.tag not in DONE
    ]
    for link in robot.links:
        if link.velocity_decay is not None:
            lost.append(("<dampingFactor>", link.name))
        if link.self_collide is False:
            lost.append(("<selfCollide> false", link.name))
        scripts = dict.fromkeys(visual.script for visual in link.visuals if visual.script)
        lost += [(f"<material> {script}", link.name) for script in scripts]
    lost += not_urdf_elements(robot)
    loops = ("<joint>", *(f"<{word}" for word in LOOP_WORDS[:3]))  # `write_loops` notes these
    lost = [note for note in lost if note[1] or not note[0].startswith(loops)]
    note_lost(lost, model.findings)
    if any(_has_velocity_limit(joint) for joint in robot.joints):
        model.findings.said.append("velocity limits are left out, MuJoCo has none")


def _has_velocity_limit(joint: Joint) -> bool:
    """Return True for a joint that moves with a limit of its velocity."""
    velocity = joint.limit.velocity if joint.limit else None
    if not velocity:
        return False
    return velocity < OUT_OF_REACH and joint.type in MOVABLE


def _joint_names(robot: RobotRecord, findings: ExportFindings) -> Dict[str, str]:
    """Return a distinct name for each joint that moves, by child link; note new names."""
    used: Set[str] = set()
    moving = [joint for joint in robot.joints if joint.type != "fixed"]
    names = {joint.child: unused(joint.name, used) for joint in moving}
    for joint in moving:
        if names[joint.child] != joint.name:
            findings.note(EXPORT_RENAMED, "joint", joint, names[joint.child])
    return names


def _shared_values(robot: RobotRecord) -> Dict[str, str]:
    """Return the joint attributes that more than half of the joints share."""
    moving = [_attributes(joint) for joint in robot.joints if joint.type in (*MOVABLE, "ball")]
    shared = {}
    for key in SHARED:
        values = Counter([attributes.get(key, "0") for attributes in moving])
        value, count = max(values.items(), key=lambda pair: pair[1], default=("0", 0))
        # A default that fewer share would be taken back more often than it is used.
        if value != "0" and count > 1 and 2 * count > len(moving):
            shared[key] = value
    return shared


def _attributes(joint: Joint) -> Dict[str, str]:
    """Return damping, frictionloss and armature of a joint that are not zero, as text."""
    dynamics = joint.dynamics or Dynamics()
    values = {
        "damping": dynamics.damping,
        "frictionloss": dynamics.friction,
        "armature": joint.armature,
    }
    return {
        key: format_number(value)
        for key, value in values.items()
        if value is not None and value > 0.0
    }


def _write_bodies(model: MjcfWriter, assets: AssetWriter, shared: Dict[str, str]) -> None:
    """Write the bodies with their joints, masses and shapes; `shared` are attributes of joints in the default class."""
    names: Set[str] = set(model.names.values())
    tree_links = {link.name: link for link in model.robot.links}
    # The shapes of a root that is the world are in no body.
    if model.bodies.where.get("world") == ("", IDENTITY_POSE):
        assets.add_geoms(model.nodes[""], tree_links["world"])
    for body in model.bodies.bodies:
        element = model.nodes[body.parent].add("body", name=body.link.name)
        if not body.parent:
            element.attributes["childclass"] = model.class_name
        model.nodes[body.link.name] = element
        put_pose(element, body.pose)
        if body.link.gravity is False:
            element.attributes["gravcomp"] = "1"
        if body.free:
            element.add("freejoint", name=model.names.get(body.link.name) or unused("root", names))
        if body.mass is not None:
            element.children.append(_inertial(body.mass))
        for hinge in body.hinges:
            element.children.extend(_joints(hinge, model, shared))
        assets.add_geoms(element, body.link)


def _inertial(written: WrittenMass) -> XmlNode:
    """Return the `<inertial>` of a mass: with moments and axes if the tensor was corrected, else with its entries."""
    mass, center, ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = written.properties
    inertial = node("inertial", pos=format_numbers(center), mass=format_number(mass))
    if not written.sound:
        x, y, z, w = clean_direction(quaternion_from_matrix(written.axes))
        if (xy, xz, yz) != (0.0, 0.0, 0.0) or (xx, yy, zz) != written.moments:
            inertial.attributes["quat"] = format_numbers((w, x, y, z))
        inertial.attributes["diaginertia"] = format_numbers(written.moments)
    elif xy == xz == yz == 0.0:
        inertial.attributes["diaginertia"] = format_numbers((xx, yy, zz))
    else:
        inertial.attributes["fullinertia"] = format_numbers((xx, yy, zz, xy, xz, yz))
    return inertial


def _joints(hinge: JointInBody, model: MjcfWriter, shared: Dict[str, str]) -> List[XmlNode]:
    """Return the elements of a joint; a planar joint takes three."""
    joint = hinge.joint
    attributes = _attributes(joint)
    # A value that most joints share stands once in `<default>`; a joint that differs from it has its own, or 0.
    values = {
        key: attributes.get(key, "0")
        for key in SHARED
        if attributes.get(key, "0") != shared.get(key, "0")
    }
    _note_dynamics(joint, model.findings)
    if joint.type == "planar":
        return _planar(joint, model, values)
    element = node("joint", name=model.names[joint.child])
    if hinge.point != ZERO:
        element.attributes["pos"] = format_numbers(hinge.point)
    if joint.type == "ball":
        element.attributes["type"] = "ball"
        if joint.limit is not None:
            model.findings.note(EXPORT_LOST, "limits", joint, "ball")
    else:
        if joint.type == "prismatic":
            element.attributes["type"] = "slide"
        element.attributes["axis"] = format_numbers(hinge.axis)
        _put_limits(element, joint, model.findings)
    if joint.spring is not None:
        element.attributes.update(stiffness=format_number(joint.spring.stiffness))
        if joint.type != "ball":
            element.attributes.update(springref=format_number(joint.spring.reference))
    element.attributes.update(values)
    return [element]


def _planar(joint: Joint, model: MjcfWriter, values: Dict[str, str]) -> List[XmlNode]:
    """Return two slides in the plane of a planar joint and a hinge about its normal, each with these attributes."""
    limit = joint.limit
    if limit is not None and (limit.effort or limit.lower or limit.upper):
        model.findings.note(EXPORT_LOST, "limits", joint, "planar")
    if joint.spring is not None:
        model.findings.note(EXPORT_LOST, "spring", joint, "planar")
    name = model.names[joint.child]
    x, y = across(joint.axis)
    joints = zip(PLANAR_ENDS, ("slide", "slide", None), (x, y, joint.axis))
    return [
        node("joint", "", name=f"{name}_{end}", type=kind, axis=format_numbers(axis), **values)
        for end, kind, axis in joints
    ]


def _note_dynamics(joint: Joint, findings: ExportFindings) -> None:
    """Note negative values, which MuJoCo refuses, and values for controllers."""
    dynamics = joint.dynamics or Dynamics()
    for key, value in dynamics._asdict().items():
        if isinstance(value, float) and value < 0.0:
            findings.note(EXPORT_MISREAD, "negative", joint, key, numbers=(value,))
    if joint.safety is not None or joint.calibration is not None:
        findings.note(EXPORT_LOST, "calibration", joint)


def _put_limits(into: XmlNode, joint: Joint, findings: ExportFindings) -> None:
    """Put the range of a joint, and its effort, which bounds the force of its actuators."""
    limits = limits_of(joint)
    if limits is not None:
        # Equal bounds are no range in MuJoCo: `write_equalities` locks the joint.
        low, high = limits
        if low < high:
            into.attributes["range"] = format_numbers(limits)
        elif low > high:
            findings.note(EXPORT_MISREAD, "bounds", joint, numbers=limits)
    notes = findings if joint.type in MOVABLE else None
    effort = greatest(joint, "effort", notes)
    if effort is not None:
        into.attributes["actuatorfrcrange"] = format_numbers((-effort, effort))


def _write_sites(model: MjcfWriter) -> None:
    """Write a site for each link that is a frame, and for each frame of the robot and of the options."""
    for link in model.bodies.sites:
        put_site(model, link, link, Pose())
    for frame in (*frames_in(model.robot), *model.options.frames):
        if frame.link in model.bodies.where:
            put_site(model, frame.name, frame.link, frame.pose)
        else:
            model.findings.note(EXPORT_LEFT_OUT, "frame", Link(frame.name))


def _say_folder(compiler: XmlNode, asset: XmlNode, tag: str, attribute: str) -> None:
    """Write the folder that all files of a kind share once, as `meshdir` or `texturedir`."""
    parts = [child for child in asset.children if child.tag == tag]
    files = [part.attributes["file"] for part in parts]
    folders = {posixpath.dirname(file) for file in files}
    if not files or any(posixpath.isabs(file) or ":" in file for file in files):
        return
    if "" in folders:
        return
    folder = posixpath.commonpath([*folders])
    if folder and not folder.startswith(".."):
        compiler.attributes[attribute] = folder
        for part in parts:
            # Without the folder and its slash.
            part.attributes["file"] = part.attributes["file"][len(folder) + 1 :]


LOOKS = """<visual>
    <headlight diffuse="0.6 0.6 0.6" ambient="0.3 0.3 0.3" specular="0 0 0"/>
    <rgba haze="0.15 0.25 0.35 1"/>
  </visual>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1="0.3 0.5 0.7" rgb2="0 0 0" width="512" height="3072"/>
    <texture type="2d" name="groundplane" builtin="checker" mark="edge" rgb1="0.2 0.3 0.4" rgb2="0.1 0.2 0.3" \
markrgb="0.8 0.8 0.8" width="300" height="300"/>
    <material name="groundplane" texture="groundplane" texuniform="true" texrepeat="5 5" reflectance="0.2"/>
  </asset>"""  # of the light, the sky and the ground


def scene_text(name: str, file: str, floor: float) -> str:
    """Return a scene with light and a floor at this height [m] that includes a model from the file next to it."""
    top = node("mujoco", model=f"{name} scene")
    top.add("include", file=file)
    top.children.append(raw(LOOKS))
    world = top.add("worldbody")
    world.add("light", pos="0 0 1.5", dir="0 0 -1", directional="true")
    height = format_numbers((0.0, 0.0, floor)) if floor else None
    # A plane of size 0 0 has no end; the third number is the spacing of its grid.
    size = "0 0 0.05"
    world.add("geom", name="floor", pos=height, size=size, type="plane", material="groundplane")
    return render(top)
