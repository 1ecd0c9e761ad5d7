"""The URDF, and the typed model, of an MJCF, SDF or USD; the URDF is verified to be the same robot before it is used.

Its messages refer to lines of the user's file. In URDF the axis of a joint is through the origin of its child, and
origins are those with all joints at zero: if the source differs, the frames of links are moved. Positions of joints
keep their meaning.
"""

from __future__ import annotations

import os
from functools import partial
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

from ..base.types import Reals, Span
from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from ..base.files import first_element
from ..base.number_text import count_of
from ..base.paths import path_from
from ..base.record import Record
from ..compare.comparison import compare
from ..compare.mapping import IDENTITY as SAME_NAMES
from ..compare.words import text_of
from ..formats.mjcf.read import read_mjcf
from ..formats.mjcf.read_bodies import unused
from ..formats.reading import CAMERA, CLOSING, rotated_tensor
from ..formats.sdf.read import read_sdf
from ..formats.urdf.model import write_urdf
from ..formats.urdf.read import CALIBRATION, DYNAMICS, read_urdf, SAFETY
from ..formats.urdf.simulation import link_values, surface_of
from ..formats.urdf.simulators import FLAGS, SPRING
from ..formats.usd.read_stage import read_usd_stage
from ..model.records import Actuator, Joint, Link, Robot, Sensor, Spring
from ..formats.sensors import sensor_record
from ..model.shapes import (
    Collision,
    Inertia,
    Inertial,
    Material,
    Pose,
    primitive,
    Primitive,
    Visual,
)
from ..model.xml_tree import exact, exact_numbers, node, put, render
from ..plan.mesh_tasks import MeshFile
from ..robot.motion import shifted, turn_at
from ..robot.records import (
    OUT_OF_REACH,
    RawJoint,
    RawLink,
    RawLoop,
    RawMass,
    RawRobot,
    RawSensor,
    RawShape,
    SLIDING,
)
from ..run.records import MadeUrdf, MeshPlace
from ..urdf.lossless_xml import Document, Element
from ..urdf.package_resolver import MODEL_SCHEME, resolve, Resolver
from ..urdf.model import Calibration, Dynamics, Limit, Mimic, Safety
from ..urdf.spatial import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    Pose as Placement,
    rotation_about,
    ZERO,
)
from .kinds import INPUT_LOST, INPUT_MADE_UP
from .sayable import sayable

SOLVER_TAGS = {
    tag: name
    for tag, name in {**SPRING, **FLAGS}.items()
    if tag not in ("springStiffness", "springReference", "cfmDamping")
}
RECORDS: Dict[
    str, Tuple[Any, Mapping[str, str]]
] = {  # by field of a joint: its record, and names of values by field
    "dynamics": (Dynamics, DYNAMICS),
    "safety": (Safety, SAFETY),
    "calibration": (Calibration, CALIBRATION),
}


class FromRaw(Record):
    """The model, and notes on values that were made up for it, each with the line of the input."""

    robot: Robot
    notes: Notes


def model_from_raw(raw: RawRobot) -> FromRaw:
    """Return the model of a robot that `sayable` has reduced to what the model can represent.

    Raises:
        BrokenRobot: URDF cannot represent a joint of it.
    """
    notes: List[Diagnostic] = []
    # The axis of a URDF joint goes through the origin of its child: that moves to the axis where it is elsewhere.
    moved = {
        joint.child: Placement(IDENTITY, joint.point)
        for joint in raw.joints
        if joint.point != ZERO and joint.type not in ("fixed", "floating")
    }
    folder = os.path.dirname(raw.file)
    links = [_link(link, moved.get(link.name, IDENTITY_POSE), folder) for link in raw.links]
    joints = [_joint(joint, moved, notes) for joint in raw.joints]
    link_names, joint_names = ({part.name for part in parts} for parts in (links, joints))
    link_names |= {frame.name for frame in raw.frames}
    sites = [(frame.name, frame.link, frame.T_link_frame) for frame in raw.frames]
    for name, holder, T in (*_loop_ends(raw, link_names), *sites):
        links.append(Link(name))
        joints.append(
            Joint(
                name=unused(f"{name}_joint", joint_names),
                type="fixed",
                parent=holder,
                child=name,
                origin=_pose(compose(inverse(moved.get(holder, IDENTITY_POSE)), T)),
            )
        )
    actuators = [
        Actuator(
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
        for motor in raw.actuators
    ]
    extensions = (
        *(_loop_joint(loop, moved) for loop in raw.loops if loop.kind != "point"),
        *filter(None, map(_solver, raw.joints)),
    )
    return FromRaw(
        Robot(
            raw.name or "robot",
            tuple(links),
            tuple(joints),
            actuators=tuple(actuators),
            sensors=tuple(_sensor(sensor, moved) for sensor in raw.sensors),
            extensions=extensions,
        ),
        tuple(notes),
    )


def _loop_ends(raw: RawRobot, used_names: Set[str]) -> Iterator[Tuple[str, str, Placement]]:
    """Yield name, link and pose of the two frames that meet in each loop of two points, unless they exist."""
    for loop in raw.loops:
        stem = name = (
            loop.name
            if loop.name.startswith(CLOSING)
            else CLOSING + (loop.name or "_".join(loop.links))
        )
        if loop.kind != "point" or loop.name == stem and f"{stem}_1" in used_names:
            continue
        while not used_names.isdisjoint((f"{name}_1", f"{name}_2")):
            name += "_"
        for index, (link, T) in enumerate(zip(loop.links, loop.T_link_end), 1):
            used_names.add(f"{name}_{index}")
            yield f"{name}_{index}", link, T


def _loop_joint(loop: RawLoop, moved: Mapping[str, Placement]) -> str:
    """Return the `<loop_joint>` of a loop that keeps two frames together, as Drake had it before 2017."""
    top = node(
        "loop_joint",
        name=loop.name or "_".join(loop.links),
        type=None if loop.kind == "frame" else loop.kind,
    )
    for index, (link, T) in enumerate(zip(loop.links, loop.T_link_end), 1):
        origin = _pose(compose(inverse(moved.get(link, IDENTITY_POSE)), T))
        top.add(
            f"link{index}", link=link, xyz=exact_numbers(origin.xyz), rpy=exact_numbers(origin.rpy)
        )
    if loop.axis is not None:
        top.add("axis", xyz=exact_numbers(loop.axis))
    return render(top).strip()


def _solver(joint: RawJoint) -> str:
    """Return the `<gazebo>` with the solver parameters of a joint, except springs, for which the model has fields."""
    top = node("gazebo", reference=joint.name)
    for tag, name in SOLVER_TAGS.items():
        if name in joint.values:
            value = joint.values[name][0]
            top.add(tag, ("false", "true")[bool(value)] if tag in FLAGS else exact(value))
    return render(top).strip() if top.children else ""


def _pose(T: Placement) -> Pose:
    return Pose.from_transform(T) if T.rotation is not IDENTITY else Pose(T.translation)


def _first(values: Mapping[str, Reals], key: str) -> Optional[float]:
    return values[key][0] if key in values else None


def _pair(values: Mapping[str, Reals], key: str) -> Optional[Span]:
    return (values[key][0], values[key][1]) if key in values else None


def _link(link: RawLink, T_old_new: Placement, folder: str) -> Link:
    """Return a link with its frame moved by T_old_new; its shapes and its mass stay where they are in the world."""
    T_new_old = inverse(T_old_new)
    visuals: List[Visual] = []
    collisions: List[Collision] = []
    for shape in link.shapes:
        geometry = _geometry(shape, folder)
        origin = _pose(compose(T_new_old, shape.T_link_shape))
        if shape.role == "visual":
            look = Material("", shape.color, shape.texture)
            visuals.append(
                Visual(
                    geometry=geometry,
                    origin=origin,
                    material=look if any(look) else None,
                    name=shape.name,
                    script=shape.script,
                )
            )
        else:
            collisions.append(Collision(geometry, origin, shape.name, surface_of(shape.surface)))
    return Link(
        link.name,
        _inertial(link.mass, T_new_old) if link.mass is not None else None,
        tuple(visuals),
        tuple(collisions),
        **link_values(link.values),
    )


def _inertial(mass: RawMass, T: Placement) -> Inertial:
    center = compose(T, Placement(IDENTITY, mass.center)).translation
    xx, xy, xz, yy, yz, zz = rotated_tensor(T.rotation, mass.tensor)
    return Inertial(
        mass.mass, Inertia(ixx=xx, iyy=yy, izz=zz, ixy=xy, ixz=xz, iyz=yz), Pose(center)
    )


def _geometry(shape: RawShape, folder: str) -> Primitive:
    sizes = (1.0, 1.0) if shape.geometry == "plane" else shape.sizes
    return primitive(shape.geometry, sizes, _file_of(shape, folder))


def _file_of(shape: RawShape, folder: str) -> str:
    """Return how a URDF in a folder names the mesh of a shape: as it is seen from there, if it is found.

    Programs that read URDF do not know where the models of Gazebo are.
    """
    if shape.path:
        return path_from(folder, shape.path)
    if not shape.file.startswith(MODEL_SCHEME):
        return shape.file
    found = resolve(shape.file, Resolver(folder, (), os.environ, {}, listings={}))
    return path_from(folder, found.path) if found.path else shape.file


def _unknown_models(kept: RawRobot) -> Notes:
    """Return a note about each mesh of a model of Gazebo that is not found."""
    lines = {
        shape.file: link.line
        for link in reversed(kept.links)
        for shape in link.shapes
        if shape.file.startswith(MODEL_SCHEME)
    }
    return tuple(
        Diagnostic(INPUT_LOST, line, "model", (name, name[len(MODEL_SCHEME) :].partition("/")[0]))
        for name, line in reversed([*lines.items()])
    )


def _joint(joint: RawJoint, moved: Mapping[str, Placement], notes: List[Diagnostic]) -> Joint:
    """Return a joint whose axis is through the origin of its child, with the origin at position zero."""
    T_parent, T_child = (moved.get(name, IDENTITY_POSE) for name in (joint.parent, joint.child))
    # The source has the pose at the reference position, URDF that at zero.
    at_zero = compose(joint.T_parent_child, _motion(joint, -joint.reference))
    T = compose(compose(inverse(T_parent), at_zero), T_child)
    is_endless = joint.lower is None and joint.upper is None
    kind = "continuous" if joint.type == "revolute" and is_endless else joint.type
    stiffness, rest = (_first(joint.values, key) for key in ("stiffness", "spring_reference"))
    records = {
        field: record(*(_first(joint.values, name) for name in names.values()))
        for field, (record, names) in RECORDS.items()
        if not joint.values.keys().isdisjoint(names.values())
    }
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
        spring=Spring(stiffness or 0.0, rest or 0.0)
        if stiffness is not None or rest is not None
        else None,
        **records,
    )


def _limit(joint: RawJoint, notes: List[Diagnostic], *, is_bounded: bool) -> Optional[Limit]:
    """Return the limit of a joint; where URDF needs numbers that it does not have, they are out of reach, and noted."""
    values = {"effort": OUT_OF_REACH, "velocity": OUT_OF_REACH}
    if is_bounded:
        values = {"lower": -OUT_OF_REACH, "upper": OUT_OF_REACH, **values}
    given = {key: getattr(joint, key) for key in values}
    missing = [key for key, value in given.items() if value is None]
    if not is_bounded and len(missing) == len(values):
        return None
    if is_bounded and missing:
        made = ", ".join(missing)
        notes.append(Diagnostic(INPUT_MADE_UP, joint.line, "limit", (joint.name, made)))
    return Limit(**{**given, **{key: values[key] for key in missing}})


def _motion(joint: RawJoint, change: float) -> Placement:
    """Return the motion for a change of position [rad or m], in the frame of the child."""
    if change == 0.0 or not joint.moves:
        return IDENTITY_POSE
    if joint.type in SLIDING:
        return shifted(joint.axis, change)
    return turn_at(rotation_about(joint.axis, change), joint.point)


def _sensor(sensor: RawSensor, moved: Mapping[str, Placement]) -> Sensor:
    """Return a sensor; a camera with only one of view and image, for which the model has no record, is kept as XML."""
    origin = _pose(compose(inverse(moved.get(sensor.link, IDENTITY_POSE)), sensor.T_link_sensor))
    view, image = sensor.values.get("field_of_view", ()), sensor.values.get("image", ())
    top = node("sensor")
    for path, value in zip(CAMERA if view else CAMERA[1:], (*view, *image)):
        put(top, path, exact(value))
    return sensor_record(sensor, origin, render(top).strip() if bool(view) != bool(image) else "")


NAMES = {"mjcf": "MJCF", "sdf": "SDF", "usd": "USD"}
READERS: Dict[str, Callable[[Union[str, bytes], str], RawRobot]] = {
    "mujoco": read_mjcf,
    "mujocoinclude": read_mjcf,  # which it refuses
    "sdf": read_sdf,
    "usd": read_usd_stage,
}


def as_urdf(source: bytes, path: str, folders: Optional[MeshPlace] = None) -> MadeUrdf:
    """Return a URDF of an MJCF, SDF or USD, and notes on what is lost; other sources are returned unchanged.

    Meshes inside the source become files if `folders` is given.

    Raises:
        UrdfError: the file cannot be read as a single robot, or a URDF cannot represent it.
        ProofFailed: the URDF is another robot; a fault of this tool.
    """
    read = READERS.get(first_element(source))
    if read is None:
        return MadeUrdf(source)
    raw = read(source, path)
    files: Tuple[MeshFile, ...] = ()
    if folders is not None and any(shape.inline for link in raw.links for shape in link.shapes):
        from .mesh_files import with_mesh_files

        raw, files = with_mesh_files(raw, folders)
    kept, lost = sayable(raw, "urdf")
    # The proof compares names as texts: ./a.stl and a.stl are one.
    folder = os.path.dirname(kept.file)
    kept = kept.with_shapes(lambda shape: shape._replace(file=_file_of(shape, folder)))
    lost = (*lost, *_unknown_models(kept))
    made = model_from_raw(kept)
    try:
        written = write_urdf(made.robot)
    except UrdfError as error:
        problems = getattr(error, "problems", (error,))
        raise ErrorGroup(
            [BrokenRobot(problem.message, path, problem.line) for problem in problems]
        ) from None
    data = written.text.encode("utf-8")
    # Compared with what is kept, as the losses are reported.
    verify_urdf(kept, data, path)
    count = sum(note.kind is INPUT_LOST for note in lost)
    less = f" without {count_of(count, 'thing')} that a URDF cannot say" if count else ""
    return MadeUrdf(
        data=data,
        changes=(f"{NAMES[kept.format]} -> URDF{less}",),
        lost=(*lost, *made.notes, *written.notes),
        files=files,
        mark_lines=partial(mark_lines, kept),
    )


def verify_urdf(kept: RawRobot, data: bytes, path: str) -> None:
    """Verify that the URDF has everything that was not noted as lost.

    Raises:
        ProofFailed: it is another robot.
    """
    proof = compare(kept, read_urdf(data, path), given=SAME_NAMES, tolerance=1e-9, losses={})
    for difference in proof.differences[:1]:
        raise ProofFailed(f"as a URDF it is another robot: {text_of(difference)}", path)


def mark_lines(kept: RawRobot, document: Document) -> None:
    """Give each element of a URDF the line of the element that it was made from; 0 if the reader does not know it."""
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
        # For a joint with a name that was made up.
        holder = child.get("link") or "" if child is not None else ""
        _mark(top, tables.get(top.name, {}).get(name, 0) or links.get(holder, 0))
        for sensor in (inner for inner in top.walk() if inner.name == "sensor"):
            _mark(sensor, tables["sensor"].get(sensor.get("name") or "", sensor.line))
        for role in ("visual", "collision"):
            _mark_shapes(top, role, [each for each in shapes.get(name, ()) if each.role == role])


def _mark_shapes(link: Element, role: str, shapes: Sequence[RawShape]) -> None:
    elements = link.elements(role)
    if len(elements) == len(shapes):  # else nobody knows which is which
        for element, shape in zip(elements, shapes):
            _mark(element, shape.line or link.line)


def _mark(top: Element, line: int) -> None:
    for element in top.walk():
        # An element's line is the number of line starts before it.
        element.line_starts = bytes(line)
