"""Read an SDF for the comparison, from the text alone.

Poses are resolved as http://sdformat.org/tutorials?tut=pose_frame_semantics says; before SDF 1.7 as
http://sdformat.org/tutorials?tut=specify_pose does. An element that is not read here is listed as unread.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, Iterator, List, Sequence, Tuple, Union

from ...facts.simulator_values import SDF_TRUE
from ...robot.raw_robot import (
    RawFrame,
    RawJoint,
    RawLink,
    RawMass,
    RawRobot,
    RawSensor,
)
from ...urdf.urdf_records import INERTIA_KEYS
from ...urdf.spatial_math import (
    compose,
    IDENTITY_POSE,
)
from ..reader_helpers import (
    accounted,
    check_tree,
    closing_loops,
    name_of,
    rotated_tensor,
    sensor_of,
    WORLD,
)
from ..xml_reader import XmlElement, read_xml, unread_of
from .read_sdf_frames import flags_at, flatten, is_true, ModelFrames, number_at, numbers_at, pose_of
from .read_sdf_joints import couples, read_joint, with_free_links, without_loops
from .read_sdf_shapes import read_shapes

# SDF's mass of a link without <inertial>.
DEFAULT_MASS = RawMass(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
SCENERY = ("sun", "ground_plane")


def read_sdf(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of an SDF: its model; among several models the one with the most joints.

    Raises:
        UrdfError: it is not XML, or is ambiguous as a robot; a sentence with file and line.
    """
    return read_sdf_tree(read_xml(source, file), file)


def read_sdf_tree(root: XmlElement, file: str = "") -> RawRobot:
    """Return the robot of an SDF that is read as XML."""
    if root.tag != "sdf":
        root.refuse(f"<{root.tag}> is not SDF: that begins with <sdf>")
    version = _version(root)
    # Namespaces belong to the text, and are no part of the robot.
    root.read.update(name for name in root.attributes if name.startswith("xmlns"))
    model, notes = _choose_model(root)
    if model.first("include") is not None:
        model.refuse(
            f"model '{model.get('name')}' holds a <include>, which is another file or robot: flatten it first "
            "(`gz sdf -p`)"
        )
    frames = ModelFrames(model, version)

    links = [_link(element, frames) for element in model.all("link")]
    joints = [read_joint(element, frames) for element in model.all("joint") if not couples(element)]
    joints, loops = without_loops(joints, frames)
    links, joints = with_free_links(model, links, joints, frames)

    model_pose = model.first("pose")
    if model_pose is not None and pose_of(model_pose) != IDENTITY_POSE:
        notes.append("where the model stands in the world is not part of the robot")
    child_of = {joint.name: joint.child for joint in joints}
    robot = RawRobot(
        format="sdf",
        name=model.get("name") or "",
        links=tuple(links),
        joints=tuple(joints),
        frames=tuple(_frames(model, frames)),
        loops=loops,
        sensors=tuple(read_sensors(model, frames, child_of)),
        base=_base_of(model, joints),
        notes=tuple(notes),
        file=file,
    )

    top = check_tree(robot)
    T_file_root = IDENTITY_POSE if top == WORLD else frames.T_model(top)
    loops = (*robot.loops, *closing_loops(robot))
    robot = robot._replace(loops=loops, T_file_root=T_file_root)
    # It has no effect: the frame that places the model in the world is not a part of the robot.
    model.get("placement_frame")
    first = model.get("canonical_link")
    if first and first not in {link.name for link in links}:
        model.refuse(f"model '{model.get('name')}': its canonical link '{first}' is not there")
    return accounted(robot._replace(unread=tuple(unread_of(root))))


def _base_of(model: XmlElement, joints: Sequence[RawJoint]) -> str:
    """Return `fixed` for a model that is static or that a joint holds in the world, else `free`."""
    is_static = is_true(model, "static")
    is_held = any(joint.parent == WORLD and joint.type != "floating" for joint in joints)
    return "fixed" if is_static or is_held else "free"


def _version(root: XmlElement) -> Tuple[int, int]:
    """Return both numbers of the version, 1.7 where the file has none."""
    words = (root.get("version") or "1.7").split(".")
    if len(words) != 2 or not all(word.isdigit() for word in words):
        root.refuse(f"the version '{root.get('version')}' is not one of SDF")
    return int(words[0]), int(words[1])


def _choose_model(root: XmlElement) -> Tuple[XmlElement, List[str]]:
    """Return the model that is compared, and notes on the models that are left out; worlds may hold several."""
    in_worlds = chain.from_iterable(world.all("model") for world in root.all("world"))
    models = [*root.all("model"), *in_worlds]
    for model in models:
        # First, so that the joints of models inside count in the choice.
        flatten(model)
    if not models:
        root.refuse("there is no <model> in it")
    # The scene around a robot has hardly any joints.
    best = max(models, key=lambda model: sum(child.tag == "joint" for child in model.children))
    for model in models:
        if model is not best:
            model.leave("another model has more joints")
    for world in root.all("world"):
        for include in world.children:
            if include.tag == "include" and _is_scenery(include):
                include.leave("a part of the scene")
    others = [repr(model.get("name") or "") for model in models if model is not best]
    if not others:
        return best, []
    names = ", ".join(others)
    verb = "is" if len(others) == 1 else "are"
    note = (
        f"model '{best.get('name')}' has the most joints and is compared; {names} {verb} left out"
    )
    return best, [note]


def _is_scenery(include: XmlElement) -> bool:
    """Return True for the sun and the ground, which most worlds include."""
    uri = include.first("uri")
    return uri is not None and uri.text.rpartition("/")[2] in SCENERY


def _link(element: XmlElement, frames: ModelFrames) -> RawLink:
    """Return a link with its mass and shapes."""
    name = name_of(element)
    element.first("pose")
    frames.check(name)
    inertial = element.first("inertial")
    values = flags_at(element, {"gravity": "gravity", "self_collide": "self_collide"})
    decay = element.first("velocity_decay")
    if decay is not None:
        linear = number_at(decay, "linear") or 0.0
        angular = number_at(decay, "angular") or 0.0
        # Only one number can be compared: <dampingFactor> of a URDF sets both.
        if linear == angular:
            values["velocity_decay"] = (linear,)
        else:
            decay.leave("linear and angular differ")
    mass = _mass(inertial, name, frames) if inertial is not None else DEFAULT_MASS
    return RawLink(
        name=name,
        mass=mass,
        shapes=read_shapes(element, name, frames),
        values=values,
        line=element.line,
    )


def _mass(inertial: XmlElement, link: str, frames: ModelFrames) -> RawMass:
    """Return the mass of an `<inertial>`, with SDF's defaults: 1 kg and 1 kg m^2."""
    if (inertial.get("auto") or "").lower() in SDF_TRUE:
        inertial.refuse(
            f"the inertia of link '{link}' is computed from its shapes (auto): write it out first"
        )
    inertia = inertial.first("inertia")
    given = numbers_at(inertia, {key: key for key in INERTIA_KEYS})
    written: List[float] = []
    for key in INERTIA_KEYS:
        default = 1.0 if key in ("ixx", "iyy", "izz") else 0.0
        (value,) = given.get(key, (default,))
        written.append(value)
    T = frames.pose_in(inertial, link)
    mass = number_at(inertial, "mass")
    if mass is not None and mass < 0.0:
        inertial.refuse(f"the mass {mass:g} of link '{link}' is below zero")
    return RawMass(
        mass=1.0 if mass is None else mass,
        center=T.translation,
        tensor=rotated_tensor(T.rotation, written),
        T_link_inertial=T,
        line=inertial.line,
    )


def _frames(model: XmlElement, frames: ModelFrames) -> Iterator[RawFrame]:
    """Yield the frames of a model, each in the link that holds it."""
    for element in model.all("frame"):
        name = name_of(element)
        # Both are read by `frames`, which marks nothing as read.
        element.first("pose")
        element.get("attached_to")
        link = frames.link_of(name)
        yield RawFrame(name, link, frames.between(link, name), element.line)


def read_sensors(
    model: XmlElement, frames: ModelFrames, child_of: Dict[str, str]
) -> Iterator[RawSensor]:
    """Yield the sensors of links, then the sensors of joints."""
    for holder in model.children:
        if holder.tag == "link":
            name = name_of(holder)
            for sensor in holder.all("sensor"):
                T = frames.pose_in(sensor, name)
                yield sensor_of(sensor, name, "", T, number_at)
    for holder in model.children:
        if holder.tag == "joint":
            name = name_of(holder)
            link = child_of.get(name, "")
            for sensor in holder.all("sensor"):
                # SDF has the pose of the sensor in the frame of the joint, a `RawSensor` in its link.
                T = frames.pose_in(sensor, name)
                T_link_sensor = compose(frames.between(link, name), T)
                yield sensor_of(sensor, link, name, T_link_sensor, number_at)
