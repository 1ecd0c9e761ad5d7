"""The MJCF file of a run, its scene, and the proof of a text.

The text is read again and compared with the URDF's own text, or with the model if there is no text.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Iterator, List, Mapping, Optional, Set, Tuple, Union

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import ProofFailed, UrdfError
from ..base.number_text import numbers_in
from ..base.paths import is_same_file, path_beside
from ..base.record_type import Record
from ..collada.conversion_records import COLLADA_ENDINGS
from ..compare.difference_records import is_called
from ..compare.read_any_format import read_bytes
from ..formats.export_diagnostics import SCENE_KEPT
from ..formats.shared_lowering import unused
from ..formats.mjcf.lower_to_mjcf import MjcfBodies, MjcfDecisions
from ..formats.mjcf.read_mjcf import read_mjcf
from ..formats.mjcf.write_mjcf import make_mjcf, scene_text
from ..formats.mjcf.write_mjcf_assets import standing_height
from ..formats.reader_helpers import closing_loops, UNUSED
from ..model.export_options import checked, JointPositions, MeshLook, MjcfOptions
from ..model.model_problems import check_sound
from ..model.model_records import Joint, RobotRecord, WrittenModel
from ..model.model_shapes import Pose
from ..model.model_tree import free_joints, poses_at
from ..robot.canonical_robot import drawn_places
from ..robot.raw_robot import RawFrame, RawJoint, RawLink, RawLoop, RawRobot, RawSensor, RawShape
from ..run.run_records import ExportedFiles
from ..urdf.urdf_records import MOVABLE
from ..urdf.spatial_math import IDENTITY, IDENTITY_POSE, Transform
from .decision_notes import decided_for
from .shared_run_values import (
    base_of,
    excluded_of,
    in_input,
    marked,
    mesh_table,
    reference_of_run,
    sound_model,
    srdf_of,
    unseen,
    verify_name,
)
from .missing_parts import lacking, losses, lost_looks, read_again_line, shape_counts
from .mjcf_meshes import files_for_mjcf
from .export_proof import ExportDecisions as Allowed, own_frames, reference_of, verify_text
from .export_request import asks_for_meshes, ExportRequest


def export_mjcf(request: ExportRequest) -> ExportedFiles:
    """Return the MJCF file, its scene if none exists, and the meshes that had to be converted.

    Raises:
        UrdfError: an option cannot be used, or MuJoCo cannot hold a part of the robot.
    """
    robot = sound_model(request)
    path = str(request.choices["mjcf"])
    meshes, _, assumed = mesh_table(request)
    files = files_for_mjcf(request, robot, meshes, path, converted=_converted_formats(request))
    base, held = base_of(request)
    states = _states(request, robot)
    options = MjcfOptions(
        base=base,
        actuators=request.choices["actuators"] or "",
        kp=request.choices["kp"],
        exclude=excluded_of(request),
        home=states.home,
        keys=states.keys,
        mesh_files=tuple(files.names.items()),
        mesh_boxes=tuple(files.boxes.items()),
        mesh_looks=tuple(files.looks.items()),
        spelled=request.spelled,
        line_of=request.line_of,
    )
    written, read = in_input(
        request, lambda: write_sound_mjcf(robot, options, reference_of_run(request))
    )
    verify_files(read, os.path.dirname(path), files.targets_by(meshes))
    partly_drawn = [name for name in files.several if files.names[name]]
    reference = reference_of_run(request)
    decided, mark = decided_for(request, written.notes, read)
    lacks = (
        *lacking("MJCF", reference, shape_counts(read), partly_drawn),
        *losses("MJCF", reference, read_bytes(written.text.encode(), path), decided),
        *lost_looks("MJCF", [*files.warnings, *written.notes]),
    )
    lines = [
        read_again_line("MJCF", path, lacks),
        *(f"MJCF: {note}" for note in (*held, *states.notes, *written.said)),
    ]
    scene, is_new = _scene_of(path)
    made = [(path, marked(written.text, mark)), *files.made]
    warnings = [*assumed, *files.warnings, *written.notes]
    if is_new:
        floor = _floor_height(robot, options, written.text)
        text_of_scene = scene_text(robot.name or "robot", os.path.basename(path), floor)
        made.append((scene, marked(text_of_scene)))
    else:
        lines.append(f"MJCF: {scene} is there already and stays as it is")
        warnings += _warnings_of_kept_scene(scene, path)
    return ExportedFiles(
        files=tuple(made),
        lines=tuple(lines),
        warnings=tuple(warnings),
        left=unseen("MJCF", robot, meshes),
        decided=decided,
        but_for=lacks,
    )


def _converted_formats(request: ExportRequest) -> Texts:
    """Return the endings of the mesh files that the run had to convert, to whatever format."""
    meshes = request.result.plan.options.meshes
    if asks_for_meshes(request.choices):
        from ..meshes.mesh_readers import READERS
        from .meshes.mesh_request import read_mesh_request

        wanted = read_mesh_request(
            request.choices, meshes, request.spelled, writes_urdf=bool(request.output)
        )
        if wanted is not None and wanted.format and wanted.every:
            return tuple(READERS)
        if wanted is not None and wanted.format:
            return COLLADA_ENDINGS
    return COLLADA_ENDINGS if meshes.wanted else ()


def _floor_height(robot: RobotRecord, options: MjcfOptions, text: str) -> float:
    """Return the height of the floor in the scene of a model [m]; `text` is the MJCF of the robot."""
    # A free robot is put on the floor.
    if "<freejoint" in text:
        return 0.0
    # A fixed base stays where it is, so the floor goes down to the lowest collision.
    return min(0.0, -standing_height(robot, options, poses_at(robot, {})))


def _warnings_of_kept_scene(scene: str, path: str) -> List[Diagnostic]:
    """Return a warning if a scene that stays as it is does not show the model at `path`; else []."""
    name = os.path.basename(path)
    # A model that is a scene itself shows itself.
    if scene == path or _includes(scene, name):
        return []
    return [Diagnostic(SCENE_KEPT, 0, "scene", (scene, name))]


def _scene_of(path: str) -> Tuple[str, bool]:
    """Return the scene of a model, and whether the scene must be written.

    It is `scene.xml`, or `MODEL_scene.xml` if `scene.xml` exists and shows a different robot; a model may be a scene
    itself.
    """
    folder, name = os.path.split(path)
    if is_same_file(path, os.path.join(folder, "scene.xml")):  # also Scene.xml: see portable_name
        return path, False
    after_model = f"{os.path.splitext(name)[0]}_scene.xml"
    for scene in (path_beside(path, each) for each in ("scene.xml", after_model)):
        if not os.path.lexists(scene) or _includes(scene, name):
            break
    return scene, not os.path.lexists(scene)


def _includes(scene: str, name: str) -> bool:
    """Return True if a scene includes a file."""
    try:
        with open(scene, encoding="utf-8", errors="replace") as stream:
            # The name appears as the `file` of an <include>.
            return f'"{name}"' in stream.read()
    except OSError:  # a folder, or a link to nothing
        return False


class SrdfStates(Record):
    """The states of the SRDF that MJCF can hold.

    Attributes:
        home: the state `home`, () without it.
        keys: by name, each other state that sets all joints with a drive: a key frame holds all positions.
        notes: a line on each position, and on the states, that are left out.
    """

    home: JointPositions = ()
    keys: Tuple[Tuple[str, JointPositions], ...] = ()
    notes: Texts = ()


def _states(request: ExportRequest, robot: RobotRecord) -> SrdfStates:
    """Return the states of the SRDF; none without an SRDF.

    States of several groups with one name are merged; a joint with several positions has the first.
    """
    document = srdf_of(request)
    if document is None:
        return SrdfStates()
    joints = {joint.name: joint for joint in robot.joints}
    states: Dict[str, Dict[str, Union[float, Pose]]] = {}
    notes: List[str] = []
    for state in document.root.elements("group_state"):
        name = state.get("name") or ""
        positions = states.setdefault(name, {})
        for element in state.elements("joint"):
            joint = joints.get(element.get("name") or "")
            if joint is None:
                continue
            position = _position_in_state(joint, element.get("value") or "")
            if position is not None:
                positions.setdefault(joint.name, position)
            elif joint.type != "fixed":
                notes.append(
                    f"state {name} sets no position of {joint.type} joint {joint.name} that it can have"
                )
    # A passive joint has no drive, so a state need not set it.
    passive = {element.get("name") for element in document.root.elements("passive_joint")}
    moving = {joint.name for joint in robot.joints if joint.type in MOVABLE and not joint.mimic}
    driven = moving - passive
    free = free_joints(robot)
    home: JointPositions = ()
    keys: List[Tuple[str, JointPositions]] = []
    others: List[str] = []
    for name, positions in states.items():
        # A follower is where its leader puts it, so a state cannot set it.
        free_positions = {joint: q for joint, q in positions.items() if joint in free}
        if name == "home":
            home = tuple(free_positions.items())
        elif driven <= free_positions.keys():
            keys.append((name, tuple(free_positions.items())))
        else:
            others.append(name)
    if others:
        they_set = "they set" if len(others) > 1 else "it sets"
        notes.append(f"no key frame for {', '.join(others)}: {they_set} a part of the joints")
    return SrdfStates(home=home, keys=tuple(keys), notes=tuple(notes))


def _position_in_state(joint: Joint, text: str) -> Optional[Union[float, Pose]]:
    """Return the position that a state of an SRDF gives a joint; None for numbers that the joint cannot have.

    MoveIt reads x, y and the turn about z for a planar joint, whatever its axis is, and a place and a quaternion x y z w
    for a floating joint (moveit_core, robot_model: planar_joint_model.cpp, floating_joint_model.cpp).
    """
    if joint.type in MOVABLE:
        numbers = numbers_in(text, 1)
        return numbers[0] if numbers else None
    if joint.type == "planar":
        numbers = numbers_in(text, 3)
        is_across_z = max(abs(joint.axis[0]), abs(joint.axis[1])) <= ROUNDING
        if numbers is None or not is_across_z:
            return None
        x, y, yaw = numbers
        return Pose((x, y, 0.0), (0.0, 0.0, yaw))
    numbers = numbers_in(text, 7) if joint.type == "floating" else None
    if numbers is None or not any(numbers[3:]):
        return None
    x, y, z, *quaternion = numbers
    qx, qy, qz, qw = quaternion
    return Pose.from_quaternion(qw, qx, qy, qz, (x, y, z))


ROUNDING = 1e-9  # of an axis of length 1 that is z
READABLE = (".stl", ".obj")
CAMERAS = ("camera", "depth", "depth_camera", "rgbd_camera", "wideanglecamera")
HOLD_POINTS = (
    "revolute",
    "continuous",
    "ball",
)  # of loops: two points stay together, and all turns stay free
READINGS = {
    "imu": (("gyro", "gyro"), ("accelerometer", "accelerometer"), ("framequat", "quat")),
    "force_torque": (("force", "force"), ("torque", "torque")),
}  # of a site: elements, and ends of their names
EARTH = (0.0, 0.0, -9.81)  # m/s^2: a URDF does not contain gravity
OWN_SETTING = (
    ("", (("integrator", "implicitfast"),), ""),
)  # written by this tool, not part of the robot
Site = Tuple[str, str, Transform]  # name, link, pose in it


def verify_mjcf(
    text: str, source: Union[RobotRecord, RawRobot], decided: MjcfDecisions
) -> RawRobot:
    """Compare the text with the robot, and return it as it was read.

    Raises:
        ProofFailed: the text differs from the robot; the message names the difference.
    """
    try:
        written = read_mjcf(text, whole=True)
    except UrdfError as error:
        raise ProofFailed(f"MJCF: {error.message}") from None
    # Parts that the writer adds itself do not belong to the robot.
    written = written._replace(
        unread=tuple(
            unread
            for unread in written.unread
            if unread.words != OWN_SETTING and unread.why != UNUSED
        )
    )
    # The reference is changed to the form that MuJoCo can hold, then compared as a whole: no other difference is
    # allowed.
    robot = _in_world(reference_of(source))
    options = decided.options
    names = dict(options.mesh_files)
    _verify_free_names(written, robot)
    bodies = decided.bodies
    loops = [loop for loop in _loops(robot) if not decided.between.intersection(loop.links)]
    sensors = [sensor for sensor in robot.sensors if _is_written(sensor, bodies)]
    sites = _sites(robot, loops, decided)
    sensors = _at_sites(sensors, sites)
    robot = robot._replace(
        links=tuple(_as_written(link, dict(options.mesh_looks)) for link in robot.links),
        joints=tuple(map(_plain, robot.joints)),
        loops=tuple(loops),
        gravity=EARTH,
        sensors=tuple(sensors),
        actuators=decided.actuators,
        keys=decided.keys,
        apart=decided.apart,
        frames=tuple(
            RawFrame(name, link, pose)
            for name, (link, pose) in sites.items()
            if name not in bodies.sites
        ),
    )

    verify_text(
        written,
        robot,
        Allowed(
            "MJCF",
            joints=decided.joints,
            between=decided.between,
            left_out=decided.left_out,
            shows=lambda file: names.get(file, file).lower().endswith(READABLE),
            files={name: file for name, file in names.items() if file},
            base=options.base,
            rests=True,
        ),
    )
    return written


def _verify_free_names(written: RawRobot, robot: RawRobot) -> None:
    """Compare the names of free joints; `verify_text` matches floating joints by their child link."""
    free = {joint.child: joint.name for joint in written.joints if joint.type == "floating"}
    for joint in robot.joints:
        if joint.type == "floating" and not is_called(
            free.get(joint.child, joint.name), joint.name
        ):
            raise ProofFailed(f"MJCF: joint '{joint.name}' is called '{free[joint.child]}'")


def _in_world(robot: RawRobot) -> RawRobot:
    """Return a robot whose floating joints have the world as parent, as in MuJoCo; other robots are returned as is."""
    if all(joint.type != "floating" for joint in robot.joints):
        return robot
    # MuJoCo frees bodies in the world only, so their poses are composed up to the world.
    places = drawn_places(robot)
    links = robot.links
    joints = list(robot.joints)
    root = next(iter(places))
    # MuJoCo always has a world, whether the robot has a link for it or not.
    if root != "world":
        links = (RawLink("world"), *links)
        joints = [RawJoint("", "fixed", "world", root), *joints]
    for index, joint in enumerate(joints):
        if joint.type == "floating":
            joints[index] = joint._replace(parent="world", T_parent_child=places[joint.child])
    return robot._replace(links=links, joints=tuple(joints))


def _loops(robot: RawRobot) -> List[RawLoop]:
    """Return the loops that MuJoCo closes, as two points: between frames of equal names, or by a joint that turns."""
    names = {link.name for link in robot.links}
    turning = [
        loop._replace(kind="point", axis=None)
        for loop in robot.loops
        # A joint of `<gazebo>` stays open, with a warning.
        if loop.kind in HOLD_POINTS and names.issuperset(loop.links) and not loop.words
    ]
    return [
        loop._replace(
            T_link_end=(
                Transform(IDENTITY, loop.T_link_end[0].translation),
                Transform(IDENTITY, loop.T_link_end[1].translation),
            )
        )
        for loop in (*closing_loops(robot._replace(frames=())), *turning)
    ]


def _is_written(sensor: RawSensor, bodies: MjcfBodies) -> bool:
    """Return True for a sensor that MuJoCo has, on a link with a body in the text."""
    holder = bodies.where.get(sensor.link, (None,))[0]
    if holder is None:
        return False
    if sensor.kind in CAMERAS:  # a camera in the world belongs to the viewer
        return holder != "" and "field_of_view" in sensor.values and "image" in sensor.values
    return sensor.kind == "imu" or sensor.kind == "force_torque" and sensor.link == holder


def _sites(
    robot: RawRobot, loops: List[RawLoop], decided: MjcfDecisions
) -> Dict[str, Tuple[str, Transform]]:
    """Return link and pose of each site by name: of links that became frames, of requested frames, and of loops."""
    sites: Dict[str, Tuple[str, Transform]] = {
        name: (name, IDENTITY_POSE) for name in decided.bodies.sites
    }
    names: Set[str] = set(sites)
    frames: List[Site] = [
        (frame.name, frame.link, frame.T_link_frame) for frame in own_frames(robot, decided.between)
    ]
    asked: List[Site] = [
        (frame.name, frame.link, frame.pose.transform)
        for frame in decided.options.frames
        if frame.link not in decided.between
    ]
    for name, link, pose in (*frames, *asked):
        sites[unused(name, names)] = (link, pose)
    ends = {(loop.name, *loop.links): loop.T_link_end for loop in robot.loops}
    for loop in loops:
        closing = loop.links == (f"{loop.name}_1", f"{loop.name}_2")
        for index, link in enumerate(loop.links):
            name = f"{loop.name}_{index + 1}"
            if not closing or name not in decided.bodies.sites:
                sites[unused(name, names)] = (
                    link,
                    ends.get((loop.name, *loop.links), loop.T_link_end)[index],
                )
    return sites


def _at_sites(sensors: List[RawSensor], sites: Dict[str, Tuple[str, Transform]]) -> List[RawSensor]:
    """Return sensors in MuJoCo's form: named as their sites, which are added to `sites`, and with their readings."""
    names = set(sites)
    renamed = []
    for sensor in sensors:
        if sensor.kind in READINGS:
            name = unused(sensor.name or sensor.kind, names)
            sites[name] = (sensor.link, sensor.T_link_sensor)
            sensor = sensor._replace(
                name=name,
                readings=tuple(f"{tag} {name}_{end}" for tag, end in READINGS[sensor.kind]),
            )
        renamed.append(sensor)
    return renamed


def _plain(joint: RawJoint) -> RawJoint:
    """Return a joint without the values that MuJoCo lacks for its type: springs of planar joints, references of balls.

    The reference of a spring without stiffness has no effect, and is dropped too.
    """
    lost: Texts = () if any(joint.values.get("stiffness", ())) else ("spring_reference",)
    if not joint.moves:
        lost = {"ball": ("spring_reference",), "planar": ("stiffness", "spring_reference")}.get(
            joint.type, tuple(joint.values)
        )
    return joint._replace(
        values={name: value for name, value in joint.values.items() if name not in lost}
    )


def _as_written(link: RawLink, looks: Mapping[str, MeshLook]) -> RawLink:
    """Return a link in MuJoCo's form: without negative friction, and with the looks from its mesh files.

    The world loses its values, as it always has gravity.
    """
    values = link.values if link.name != "world" else {}
    return link._replace(shapes=tuple(_seen(shape, looks) for shape in link.shapes), values=values)


def _seen(shape: RawShape, looks: Mapping[str, MeshLook]) -> RawShape:
    """Return a shape as MJCF has it: the look of its file, and no friction below 0."""
    if shape.role == "collision":
        (friction,) = shape.surface.get("mu1", (0.0,))
        if friction >= 0.0:
            return shape
        surface = {name: value for name, value in shape.surface.items() if name != "mu1"}
        return shape._replace(surface=surface)
    look = looks.get(shape.file) if shape.geometry == "mesh" else None
    # A color of the URDF takes precedence, except over an image of the file.
    if look is None or shape.color is not None and not look.image:
        return shape._replace(texture="")
    surface = dict(shape.surface)
    if look.specular is not None:
        surface.setdefault("specular", (look.specular, look.specular, look.specular, 1.0))
    if look.shininess is not None:
        surface["shininess"] = (look.shininess,)
    return shape._replace(color=look.rgba, texture=look.image, surface=surface)


def verify_files(written: RawRobot, folder: str, targets: Mapping[str, str]) -> None:
    """Resolve the names of files from the folder of the model and compare them with `targets`, the paths by name.

    Raises:
        ProofFailed: a name leads to another file, or is not in `targets`.
    """
    for file in dict.fromkeys(_files(written)):
        if file not in targets:
            raise ProofFailed(f"MJCF: '{file}' is named, and no file of the robot is that")
        verify_name("MJCF", f"'{file}'", file, folder, targets[file])


def _files(written: RawRobot) -> Iterator[str]:
    """Yield the files of meshes and textures that a text names."""
    for shape in chain.from_iterable(link.shapes for link in written.links):
        if shape.file:
            yield shape.file
        if shape.texture:
            yield shape.texture


def write_mjcf(robot: RobotRecord, options: MjcfOptions) -> WrittenModel:
    """Return the robot as MJCF, proven to be the same robot, and notes for the user.

    Raises:
        BrokenRobot, ErrorGroup: MuJoCo cannot hold a part of the robot.
        UsageError: an option cannot be used.
        ProofFailed: the text is not the same robot; a fault of this tool.
    """
    check_sound(robot)
    return write_sound_mjcf(robot, options, robot)[0]


def write_sound_mjcf(
    robot: RobotRecord, options: MjcfOptions, source: Union[RobotRecord, RawRobot]
) -> Tuple[WrittenModel, RawRobot]:
    """Return the result of `write_mjcf` for a robot that was checked, and the text as read.

    `source` is the reference of the proof: the robot as its file was parsed.
    """
    reference = reference_of(source)
    written, decided = make_mjcf(robot, checked(options), reference)
    return written, verify_mjcf(written.text, reference, decided)
