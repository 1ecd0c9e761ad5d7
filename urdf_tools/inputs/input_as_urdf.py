"""The URDF, and the typed model, of an MJCF, SDF or USD; the URDF is verified to be the same robot before it is used.

Messages refer to lines of the user's file. In URDF the axis of a joint goes through the origin of its child, and origins
are for all joints at zero. If the source differs, the frames of links are moved. Positions of joints keep their meaning.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from ..base.type_aliases import Reals, Span
from ..base.diagnostics import Diagnostic, Diagnostics, Notes
from ..base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from ..base.file_reading import first_element
from ..base.number_text import count_of
from ..base.paths import path_from
from ..base.record_type import Record
from ..compare.robot_comparison import compare
from ..compare.given_or_searched_map import IDENTITY as SAME_NAMES
from ..compare.difference_kinds import text_of
from ..formats.mjcf.read_mjcf import read_mjcf
from ..formats.mjcf.read_mjcf_bodies import unused
from ..formats.reader_helpers import CAMERA, CLOSING, rotated_tensor
from ..formats.sdf.read_sdf import read_sdf
from ..formats.urdf.urdf_model_conversion import write_urdf
from ..formats.urdf.read_urdf import CALIBRATION, DYNAMICS, read_urdf, SAFETY
from ..formats.urdf.simulator_tags_of_model import link_values, surface_block, surface_of
from ..formats.urdf.read_simulator_tags import FLAGS, SPRING
from ..formats.usd.read_stage import read_usd_stage
from ..model.model_records import Actuator, Joint, Link, RobotRecord, Sensor, Spring
from ..formats.gazebo_sensors import sensor_record
from ..model.model_shapes import (
    Collision,
    Inertia,
    Inertial,
    Material,
    Pose,
    primitive,
    Primitive,
    Visual,
)
from ..model.xml_writer import exact, exact_numbers, node, put, render
from ..plan.mesh_tasks import FinishedFile
from ..robot.joint_motion import shifted, turn_at
from ..robot.raw_robot import (
    RawFrame,
    OUT_OF_REACH,
    RawActuator,
    RawJoint,
    RawLink,
    RawLoop,
    RawMass,
    RawRobot,
    RawSensor,
    RawShape,
    SLIDING,
)
from ..run.run_records import UrdfOfInput, InputMeshFolder
from ..urdf.lossless_xml import Document, Element
from ..urdf.package_resolver import MODEL_SCHEME, resolve, PackageResolver
from ..urdf.urdf_records import Calibration, Dynamics, Limit, Mimic, Safety
from ..urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    Transform as Placement,
    rotation_about,
    ZERO,
)
from .input_diagnostics import INPUT_LOST, INPUT_MADE_UP
from .expressible_parts import keep_expressible

SOLVER_TAGS = {
    tag: name
    for tag, name in {**SPRING, **FLAGS}.items()
    if tag not in ("springStiffness", "springReference", "cfmDamping")
}
# By field of a joint, the record of the field, and the names of VALUES by field of the record.
RECORDS: Dict[str, Tuple[Any, Mapping[str, str]]] = {
    "dynamics": (Dynamics, DYNAMICS),
    "safety": (Safety, SAFETY),
    "calibration": (Calibration, CALIBRATION),
}


class FromRaw(Record):
    """The model of a robot, and notes on values that were made up for it, each with the line of the input."""

    robot: RobotRecord
    notes: Notes


def model_from_raw(raw: RawRobot) -> FromRaw:
    """Return the model of a robot that `keep_expressible` has reduced to the values of the model.

    Raises:
        BrokenRobot: URDF cannot represent a joint of it.
    """
    notes: List[Diagnostic] = []
    # The axis of a URDF joint goes through the origin of its child, so the origin moves to an axis that is elsewhere.
    moved = {
        joint.child: Placement(IDENTITY, joint.point)
        for joint in raw.joints
        if joint.point != ZERO and joint.type not in ("fixed", "floating")
    }
    folder = os.path.dirname(raw.file)
    links = [_link(link, moved.get(link.name, IDENTITY_POSE), folder) for link in raw.links]
    joints = [_joint(joint, moved, notes) for joint in raw.joints]
    joint_names = {joint.name for joint in joints}
    # URDF has no frames: each becomes a link on a fixed joint.
    for frame in _frames_of(raw):
        links.append(Link(frame.name))
        T_new_old = inverse(moved.get(frame.link, IDENTITY_POSE))
        joint = Joint(
            name=unused(f"{frame.name}_joint", joint_names),
            type="fixed",
            parent=frame.link,
            child=frame.name,
            origin=_pose(compose(T_new_old, frame.T_link_frame)),
        )
        joints.append(joint)
    loop_joints = [_loop_joint(loop, moved) for loop in raw.loops if loop.kind != "point"]
    solvers = [text for text in map(_solver, raw.joints) if text]
    surfaces = [text for text in map(_surface, raw.links) if text]
    robot = RobotRecord(
        raw.name or "robot",
        tuple(links),
        tuple(joints),
        actuators=tuple(map(_actuator, raw.actuators)),
        sensors=tuple(_sensor(sensor, moved) for sensor in raw.sensors),
        extensions=(*loop_joints, *solvers, *surfaces, *_held_joints(raw)),
    )
    return FromRaw(robot, tuple(notes))


def _frames_of(raw: RawRobot) -> Iterator[RawFrame]:
    """Yield the frames of a robot: first the ends of loops, then its own frames."""
    used_names = {link.name for link in raw.links} | {frame.name for frame in raw.frames}
    yield from _loop_ends(raw, used_names)
    yield from raw.frames


def _actuator(motor: RawActuator) -> Actuator:
    """Return an actuator of the model, without a reduction, which only transmissions have."""
    return Actuator(
        name=motor.name,
        joint=motor.joint,
        type=motor.kind,
        gear=_first(motor.values, "gear"),
        reduction=None,
        kp=_first(motor.values, "kp"),
        kv=_first(motor.values, "kv"),
        force_range=_pair(motor.values, "force_range"),
        control_range=_pair(motor.values, "control_range"),
    )


def _loop_ends(raw: RawRobot, used_names: Set[str]) -> Iterator[RawFrame]:
    """Yield the two frames that meet in each loop of points, unless they already exist; add their names to `used_names`."""
    for loop in raw.loops:
        stem = loop.name
        if not stem.startswith(CLOSING):
            stem = CLOSING + (loop.name or "_".join(loop.links))
        # A loop that the reader found by its two frames already has them.
        if loop.kind != "point" or loop.name == stem and f"{stem}_1" in used_names:
            continue
        name = stem
        while not used_names.isdisjoint((f"{name}_1", f"{name}_2")):
            name += "_"
        for index, (link, T) in enumerate(zip(loop.links, loop.T_link_end), 1):
            used_names.add(f"{name}_{index}")
            yield RawFrame(f"{name}_{index}", link, T)


def _loop_joint(loop: RawLoop, moved: Mapping[str, Placement]) -> str:
    """Return the `<loop_joint>` of a closed loop of any kind but `point`, an element of Drake before 2017.

    `moved` has T_old_new of the links whose frames are placed anew.
    """
    # Without a type both frames stay together; with one they move about or along the axis.
    kind = None if loop.kind == "frame" else loop.kind
    top = node("loop_joint", name=loop.name or "_".join(loop.links), type=kind)
    for index, (link, T) in enumerate(zip(loop.links, loop.T_link_end), 1):
        origin = _pose(compose(inverse(moved.get(link, IDENTITY_POSE)), T))
        top.add(
            f"link{index}", link=link, xyz=exact_numbers(origin.xyz), rpy=exact_numbers(origin.rpy)
        )
    if loop.axis is not None:
        top.add("axis", xyz=exact_numbers(loop.axis))
    if loop.bounds:
        top.add("limit", **{name: exact(number) for name, number in loop.bounds.items()})
    if loop.values:
        top.add("dynamics", **{name: exact_numbers(value) for name, value in loop.values.items()})
    return render(top).strip()


def _held_joints(raw: RawRobot) -> Iterator[str]:
    """Yield the `<gazebo>` of each fixed joint between links of other values.

    Gazebo would join these links, and give all of them the first value.
    """
    values = {link.name: link.values for link in raw.links}
    for joint in raw.joints:
        if joint.type == "fixed" and values.get(joint.parent) != values.get(joint.child):
            top = node("gazebo", reference=joint.name)
            top.add("preserveFixedJoint", "true")
            yield render(top).strip()


def _solver(joint: RawJoint) -> str:
    """Return the `<gazebo>` with the solver parameters of a joint, except springs, for which the model has fields."""
    top = node("gazebo", reference=joint.name)
    for tag, name in SOLVER_TAGS.items():
        if name not in joint.values:
            continue
        value = joint.values[name][0]
        if tag in FLAGS:
            top.add(tag, "true" if value else "false")
        else:
            top.add(tag, exact(value))
    return render(top).strip() if top.children else ""


def _surface(link: RawLink) -> str:
    """Return the `<gazebo>` with the contact values of a link without fields in the model; its collisions have equal ones."""
    surfaces = [shape.surface for shape in link.shapes if shape.role == "collision"]
    return surface_block(link.name, surfaces[0]) if surfaces else ""


def _pose(T: Placement) -> Pose:
    """Return a transform as x y z and roll pitch yaw."""
    return Pose.from_transform(T) if T.rotation is not IDENTITY else Pose(T.translation)


def _first(values: Mapping[str, Reals], key: str) -> Optional[float]:
    """Return the first number of a value, None without the value."""
    return values[key][0] if key in values else None


def _pair(values: Mapping[str, Reals], key: str) -> Optional[Span]:
    """Return a value of two numbers, None without the value."""
    return (values[key][0], values[key][1]) if key in values else None


def _link(link: RawLink, T_old_new: Placement, folder: str) -> Link:
    """Return a link with its frame moved by T_old_new; its shapes and its mass keep their poses in the world."""
    T_new_old = inverse(T_old_new)
    visuals: List[Visual] = []
    collisions: List[Collision] = []
    for shape in link.shapes:
        geometry = _geometry(shape, folder)
        origin = _pose(compose(T_new_old, shape.T_link_shape))
        if shape.role == "visual":
            look = Material("", shape.color, _image_of(shape, folder))
            visual = Visual(
                geometry=geometry,
                origin=origin,
                material=look if any(look) else None,
                name=shape.name,
                script=shape.script,
            )
            visuals.append(visual)
        else:
            collisions.append(Collision(geometry, origin, shape.name, surface_of(shape.surface)))
    inertial = _inertial(link.mass, T_new_old) if link.mass is not None else None
    values = link_values(link.values)
    return Link(link.name, inertial, tuple(visuals), tuple(collisions), **values)


def _inertial(mass: RawMass, T: Placement) -> Inertial:
    """Return the mass of a link in the frame to which T maps, with a tensor in the axes of the link."""
    center = compose(T, Placement(IDENTITY, mass.center)).translation
    xx, xy, xz, yy, yz, zz = rotated_tensor(T.rotation, mass.tensor)
    inertia = Inertia(ixx=xx, iyy=yy, izz=zz, ixy=xy, ixz=xz, iyz=yz)
    return Inertial(mass.mass, inertia, Pose(center))


def _geometry(shape: RawShape, folder: str) -> Primitive:
    """Return the geometry of a shape; a plane, which is infinite, is drawn 1 m wide."""
    sizes = (1.0, 1.0) if shape.geometry == "plane" else shape.sizes
    return primitive(shape.geometry, sizes, _file_of(shape, folder))


def _file_of(shape: RawShape, folder: str) -> str:
    """Return the name of a shape's mesh in a URDF in a folder: relative to the folder, if the file is found.

    Programs that read URDF do not search the folders with models of Gazebo.
    """
    if shape.path:
        return path_from(folder, shape.path)
    if not shape.file.startswith(MODEL_SCHEME):
        return shape.file
    resolver = PackageResolver(
        folder=folder, packages=(), environment=os.environ, ancestors={}, listings={}
    )
    found = resolve(shape.file, resolver)
    return path_from(folder, found.path) if found.path else shape.file


def _image_of(shape: RawShape, folder: str) -> str:
    """Return the name of a shape's image in a URDF in a folder: relative to the folder, if its path is known."""
    return path_from(folder, shape.texture_path) if shape.texture_path else shape.texture


def _unknown_models(kept: RawRobot) -> Notes:
    """Return a note about each mesh of a model of Gazebo that is not found, at the first link with it."""
    lines: Dict[str, int] = {}
    # From the last link to the first, so that the first link stays; the notes are then put in the order of the file.
    for link in reversed(kept.links):
        for shape in link.shapes:
            if shape.file.startswith(MODEL_SCHEME):
                lines[shape.file] = link.line
    notes: List[Diagnostic] = []
    for name, line in reversed([*lines.items()]):
        model, _, _ = name[len(MODEL_SCHEME) :].partition("/")
        notes.append(Diagnostic(INPUT_LOST, line, "model", (name, model)))
    return tuple(notes)


def _joint(joint: RawJoint, moved: Mapping[str, Placement], notes: List[Diagnostic]) -> Joint:
    """Return a joint whose axis is through the origin of its child, with the origin at position zero."""
    T_parent = moved.get(joint.parent, IDENTITY_POSE)
    T_child = moved.get(joint.child, IDENTITY_POSE)
    # The source has the pose at the reference position, URDF the pose at zero.
    at_zero = compose(joint.T_parent_child, _motion(joint, -joint.reference))
    T = compose(compose(inverse(T_parent), at_zero), T_child)
    is_endless = joint.lower is None and joint.upper is None
    kind = "continuous" if joint.type == "revolute" and is_endless else joint.type
    stiffness = _first(joint.values, "stiffness")
    reference = _first(joint.values, "spring_reference")
    spring: Optional[Spring] = None
    if stiffness is not None or reference is not None:
        spring = Spring(stiffness or 0.0, reference or 0.0)
    records: Dict[str, Any] = {}
    for field, (record, names) in RECORDS.items():
        if not joint.values.keys().isdisjoint(names.values()):
            records[field] = record(*[_first(joint.values, name) for name in names.values()])
    return Joint(
        name=joint.name,
        type=kind,
        parent=joint.parent,
        child=joint.child,
        origin=_pose(T),
        axis=joint.axis,
        limit=_limit(joint, notes, is_bounded=kind in ("revolute", "prismatic")),
        mimic=joint.mimic and Mimic(*joint.mimic),
        armature=_first(joint.values, "armature"),
        spring=spring,
        **records,
    )


def _limit(joint: RawJoint, notes: List[Diagnostic], *, is_bounded: bool) -> Optional[Limit]:
    """Return the limit of a joint; numbers that URDF requires and the source lacks are out of reach, with a note."""
    values = {"effort": OUT_OF_REACH, "velocity": OUT_OF_REACH}
    if is_bounded:
        values = {"lower": -OUT_OF_REACH, "upper": OUT_OF_REACH, **values}
    values_of_joint = {key: getattr(joint, key) for key in values}
    missing = [key for key, value in values_of_joint.items() if value is None]
    if not is_bounded and len(missing) == len(values):
        return None
    if is_bounded and missing:
        missing_names = ", ".join(missing)
        notes.append(Diagnostic(INPUT_MADE_UP, joint.line, "limit", (joint.name, missing_names)))
    return Limit(**{**values_of_joint, **{key: values[key] for key in missing}})


def _motion(joint: RawJoint, change: float) -> Placement:
    """Return the motion of a joint for a change of its position [rad or m], in the frame of the child."""
    if change == 0.0 or not joint.moves:
        return IDENTITY_POSE
    if joint.type in SLIDING:
        return shifted(joint.axis, change)
    return turn_at(rotation_about(joint.axis, change), joint.point)


def _sensor(sensor: RawSensor, moved: Mapping[str, Placement]) -> Sensor:
    """Return a sensor of the model; a camera with only a view or only an image, which the model lacks, is kept as XML."""
    origin = _pose(compose(inverse(moved.get(sensor.link, IDENTITY_POSE)), sensor.T_link_sensor))
    view = sensor.values.get("field_of_view", ())
    image = sensor.values.get("image", ())
    xml = ""
    if bool(view) != bool(image):
        top = node("sensor")
        # The first path is for the view, the others are for the image.
        paths = CAMERA if view else CAMERA[1:]
        for path, value in zip(paths, (*view, *image)):
            put(top, path, exact(value))
        xml = render(top).strip()
    return sensor_record(sensor, origin, xml)


NAMES = {"mjcf": "MJCF", "sdf": "SDF", "usd": "USD"}
READERS: Dict[str, Callable[[Union[str, bytes], str], RawRobot]] = {
    "mujoco": read_mjcf,
    "mujocoinclude": read_mjcf,  # which refuses it
    "sdf": read_sdf,
    "usd": read_usd_stage,
}


def as_urdf(source: bytes, path: str, folders: Optional[InputMeshFolder] = None) -> UrdfOfInput:
    """Return a URDF of an MJCF, SDF or USD, and notes on its losses; other sources are returned unchanged.

    Meshes inside the source become files if `folders` is given.

    Raises:
        UrdfError: the file cannot be read as a single robot, or a URDF cannot represent it.
        ProofFailed: the URDF is another robot; a fault of this tool.
    """
    read = READERS.get(first_element(source))
    if read is None:
        return UrdfOfInput(source)
    raw = read(source, path)
    files: Tuple[FinishedFile, ...] = ()
    lost_images: Diagnostics = []
    shapes = chain.from_iterable(link.shapes for link in raw.links)
    if folders is not None and any(shape.inline for shape in shapes):
        from .embedded_meshes import with_mesh_files

        raw, files, lost_images = with_mesh_files(raw, folders)
    kept, lost = keep_expressible(raw, "urdf")
    # The proof compares names as texts, so ./a.stl and a.stl must get the same name.
    folder = os.path.dirname(kept.file)
    kept = kept.with_shapes(
        lambda shape: shape._replace(file=_file_of(shape, folder), texture=_image_of(shape, folder))
    )
    lost = (*lost, *lost_images, *_unknown_models(kept))
    model = model_from_raw(kept)
    try:
        written = write_urdf(model.robot)
    except UrdfError as error:
        problems = getattr(error, "problems", (error,))
        # The line is a line of the user's file.
        refused = [BrokenRobot(problem.message, path, problem.line) for problem in problems]
        raise ErrorGroup(refused) from None
    data = written.text.encode("utf-8")
    # The losses are reported, so the proof compares only the part that is kept.
    verify_urdf(kept, data, path)
    count = sum(note.kind is INPUT_LOST for note in lost)
    less = f" without {count_of(count, 'thing')} that a URDF cannot say" if count else ""
    return UrdfOfInput(
        data=data,
        changes=(f"{NAMES[kept.format]} -> URDF{less}",),
        lost=(*lost, *model.notes, *written.notes),
        files=files,
        mark_lines=partial(mark_lines, kept),
    )


def verify_urdf(kept: RawRobot, data: bytes, path: str) -> None:
    """Verify that the URDF has everything that was not noted as lost.

    Raises:
        ProofFailed: the URDF is another robot.
    """
    # The losses of the format are already removed from `kept`, so no difference is excused.
    proof = compare(kept, read_urdf(data, path), given=SAME_NAMES, tolerance=1e-9, losses={})
    for difference in proof.differences[:1]:
        raise ProofFailed(f"as a URDF it is another robot: {text_of(difference)}", path)


def mark_lines(kept: RawRobot, document: Document) -> None:
    """Give each element of a URDF the line of the element from which it is made, 0 if the line is not known."""
    links = {
        **{frame.name: frame.line for frame in kept.frames},
        **{link.name: link.line for link in kept.links},
    }
    joints = {joint.name: joint.line for joint in kept.joints}
    tables: Mapping[str, Dict[str, int]] = {
        "link": links,
        "joint": joints,
        "gazebo": {**links, **joints},
        "loop_joint": {loop.name: loop.line for loop in kept.loops},
        "sensor": {sensor.name: sensor.line for sensor in kept.sensors},
        "transmission": {
            f"{actuator.name}_transmission": actuator.line for actuator in kept.actuators
        },
    }
    shapes = {link.name: link.shapes for link in kept.links}
    for top in document.root.elements():
        name = top.get("name") or top.get("reference") or ""
        child = top.find("child")
        # A joint whose name was made up has the line of its child.
        child_name = child.get("link") or "" if child is not None else ""
        _mark(top, tables.get(top.name, {}).get(name, 0) or links.get(child_name, 0))
        for element in top.walk():
            if element.name == "sensor":
                line = tables["sensor"].get(element.get("name") or "", element.line)
                _mark(element, line)
        for role in ("visual", "collision"):
            of_role = [shape for shape in shapes.get(name, ()) if shape.role == role]
            _mark_shapes(top, role, of_role)


def _mark_shapes(link: Element, role: str, shapes: Sequence[RawShape]) -> None:
    """Give each visual or collision of a link the line of the shape from which it is made."""
    elements = link.elements(role)
    # If the numbers differ, the pairs of shapes and elements are not known.
    if len(elements) == len(shapes):
        for element, shape in zip(elements, shapes):
            _mark(element, shape.line or link.line)


def _mark(top: Element, line: int) -> None:
    """Give an element and its descendants a line."""
    for element in top.walk():
        # An element's line is the number of line starts before it.
        element.line_starts = bytes(line)
