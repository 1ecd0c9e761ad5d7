"""Read an SDF for the comparison, from the text alone.

Poses are resolved as http://sdformat.org/tutorials?tut=pose_frame_semantics says; before SDF 1.7 as
http://sdformat.org/tutorials?tut=specify_pose does. An element that is not read here is listed as unread.
"""

from __future__ import annotations

from itertools import chain
from math import inf
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

from ...base.record import Record
from ...base.types import Reals
from ...facts.simulator_values import SDF_TRUE
from ...robot.records import (
    contact_names,
    RawFrame,
    RawJoint,
    RawLink,
    RawLoop,
    RawMass,
    RawMimic,
    RawRobot,
    RawSensor,
    RawShape,
    Rgba,
    SLIDING,
    TURNING,
    Values,
    VECTOR,
)
from ...urdf.model import INERTIA_KEYS
from ...urdf.spatial import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    Transform,
    rotate,
    transpose,
    Vector,
)
from ..reading import (
    accounted,
    check_tree,
    closing_loops,
    IGNORED,
    leaf,
    name_of,
    rotated_tensor,
    sensor_of,
    turn_of_z,
    unit_of,
    WORLD,
)
from ..xml_text import XmlElement, read_xml, unread_of
from .read_frames import flatten, ModelFrames, is_true, MODEL, number_at, pose_of, vector_at

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "ball")
NO_BOUND = 1e16  # SDF's default of a limit
# SDF's mass of a link without <inertial>.
DEFAULT_MASS = RawMass(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
SCENERY = ("sun", "ground_plane")
COUPLES = ("gearbox",)  # types of joints that hold nothing: they only couple two joints
DYNAMICS = {
    "damping": "damping",
    "friction": "friction",
    "spring_stiffness": "stiffness",
    "spring_reference": "spring_reference",
}
PHYSICS = {
    "ode/limit/cfm": "limit_cfm",
    "ode/limit/erp": "limit_erp",
    "ode/fudge_factor": "fudge_factor",
}
FLAGS = {
    "provide_feedback": "provide_feedback",
    "ode/implicit_spring_damper": "implicit_spring_damper",
}


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
    joints = [
        read_joint(element, frames) for element in model.all("joint") if not _couples(element)
    ]
    joints, loops = without_loops(joints, frames)
    links, joints = _with_free_links(model, links, joints, frames)

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
    # It is read, and without effect: the frame that places the model is no part of the robot.
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
    values = _flags(element, {"gravity": "gravity", "self_collide": "self_collide"})
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
    given = _numbers(inertia, {key: key for key in INERTIA_KEYS})
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


def _couples(element: XmlElement) -> bool:
    """Return True for a joint that only couples two joints; it is marked as unread."""
    kind = element.get("type")
    if kind in COUPLES:
        element.leave(f"a {kind} couples two joints, and that is not compared")
    return kind in COUPLES


def read_joint(element: XmlElement, frames: ModelFrames) -> RawJoint:
    """Return a joint."""
    name = name_of(element)
    kind = element.get("type") or ""
    if kind not in JOINTS:
        element.refuse(
            f"joint '{name}' has the type '{kind}', which cannot be compared: {', '.join(JOINTS)} can"
        )
    element.first("pose")
    parent = frames.end_of(element, "parent")
    child = frames.end_of(element, "child")
    # The axis goes through the origin of the joint, which need not be the origin of its child.
    T_child_joint = frames.between(child, name)
    solver = _solver(element.first("physics"))
    joint = RawJoint(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        T_parent_child=frames.between(parent, child),
        point=T_child_joint.translation,
        values=solver,
        line=element.line,
    )
    axis = element.first("axis")
    if kind in ("fixed", "ball"):
        if axis is not None:
            axis.leave(IGNORED)
        return joint
    if axis is None:
        element.refuse(f"joint '{name}' has no <axis>")
    return _moving(joint, element, axis, frames)


def _moving(
    joint: RawJoint, element: XmlElement, axis: XmlElement, frames: ModelFrames
) -> RawJoint:
    """Return a joint that turns or slides, with its axis, limits and values."""
    R = frames.axis_frame(axis, element, joint.child)
    limit = axis.first("limit")
    dynamics = axis.first("dynamics")
    mimic = axis.first("mimic")
    kind = joint.type
    lower = _bound(limit, "lower")
    upper = _bound(limit, "upper")
    # Limits that are not written are infinite in SDF: a revolute joint without any turns freely.
    if kind == "continuous" or lower is None and upper is None and kind == "revolute":
        kind = "continuous"
        lower = None
        upper = None
    direction = unit_of(rotate(R, vector_at(axis, "xyz") or (0.0, 0.0, 1.0)))
    return joint._replace(
        type=kind,
        axis=direction or axis.refuse("an axis of 0 0 0"),
        lower=lower,
        upper=upper,
        effort=_positive(limit, "effort"),
        velocity=_positive(limit, "velocity"),
        mimic=_mimic(mimic, element),
        values={**joint.values, **_numbers(dynamics, DYNAMICS)},
    )


def _numbers(element: Optional[XmlElement], words: Mapping[str, str]) -> Values:
    """Return the numbers in an element by our words; `words` are these by path below the element."""
    values: Values = {}
    if element is None:
        return values
    for path, word in words.items():
        value = number_at(element, path)
        if value is not None:
            values[word] = (value,)
    return values


def _solver(physics: Optional[XmlElement]) -> Values:
    """Return the parameters of the solver for a joint, as numbers: true is 1."""
    return {**_flags(physics, FLAGS), **_numbers(physics, PHYSICS)}


def _flags(top: Optional[XmlElement], words: Mapping[str, str]) -> Values:
    """Return the truths in an element by our words, 1 for true; `words` are these by path below the element."""
    values: Values = {}
    for path, word in words.items():
        flag = leaf(top, path, take=True)
        if flag is not None:
            values[word] = (float(flag.text.lower() in SDF_TRUE),)
    return values


def _mimic(mimic: Optional[XmlElement], joint: XmlElement) -> Optional[RawMimic]:
    """Return the rule of a follower in the form of URDF, which has no reference.

    SDF: position = multiplier * (position of the leader - reference) + offset.
    """
    if mimic is None:
        return None
    if mimic.get("axis") not in (None, "axis"):
        joint.refuse(f"joint '{joint.get('name')}' mimics a second axis, which cannot be compared")
    multiplier = number_at(mimic, "multiplier") or 0.0
    offset = number_at(mimic, "offset") or 0.0
    reference = number_at(mimic, "reference") or 0.0
    return RawMimic(mimic.get("joint") or "", multiplier, offset - multiplier * reference)


def _bound(limit: Optional[XmlElement], key: str) -> Optional[float]:
    """Return a bound; None for NO_BOUND and beyond: Gazebo's files have the largest double, and inf."""
    bound = limit.first(key) if limit is not None else None
    if bound is None or bound.text.lower().lstrip("+-") in ("inf", "infinity"):
        return None
    (value,) = bound.numbers(bound.text, 1, largest=inf)
    return None if abs(value) >= NO_BOUND else value


def _positive(limit: Optional[XmlElement], key: str) -> Optional[float]:
    """Return a bound that a negative number switches off, as its default, -1, does."""
    value = _bound(limit, key)
    return None if value is None or value < 0.0 else value


def _frames(model: XmlElement, frames: ModelFrames) -> Iterator[RawFrame]:
    """Yield the frames of a model, each in the link that holds it."""
    for element in model.all("frame"):
        name = name_of(element)
        # Both are read by `frames`, which marks nothing as read.
        element.first("pose")
        element.get("attached_to")
        link = frames.link_of(name)
        yield RawFrame(name, link, frames.between(link, name), element.line)


def without_loops(
    joints: Sequence[RawJoint], frames: ModelFrames
) -> Tuple[List[RawJoint], Tuple[RawLoop, ...]]:
    """Return the joints of the tree, and loops for all others.

    A joint closes a loop if earlier joints give its child a parent, or put the child above its own parent.
    """
    tree: Dict[str, RawJoint] = {}  # by child
    parents: Set[str] = set()
    loops: List[RawLoop] = []
    for joint in joints:
        # Only a link that is a parent can be above another: most joints need no walk.
        is_above_itself = (
            joint.child in parents
            and joint.child != joint.parent
            and _is_ancestor(joint.child, joint.parent, tree)
        )
        parents.add(joint.parent)
        if is_above_itself or joint.child in tree:
            loops.append(_loop(joint, frames))
        else:
            tree[joint.child] = joint
    return list(tree.values()), tuple(loops)


def _is_ancestor(ancestor: str, link: str, tree: Mapping[str, RawJoint]) -> bool:
    """Return True if a link is another link or above it, by the joint of each child."""
    for _ in range(len(tree) + 1):  # no further: joints may go in a circle
        if link == ancestor:
            return True
        if link not in tree:
            return False
        link = tree[link].parent
    return False


def _loop(joint: RawJoint, frames: ModelFrames) -> RawLoop:
    """Return a joint that is not in the tree as a loop."""
    T_parent_joint = frames.between(joint.parent, joint.name)
    T_child_joint = frames.between(joint.child, joint.name)
    axis: Optional[Vector] = None
    if joint.type in (*TURNING, *SLIDING):
        # The axis of a joint is in the frame of its child, the axis of a loop in the frame of its first end.
        axis = rotate(transpose(T_child_joint.rotation), joint.axis)
    return RawLoop(
        name=joint.name,
        kind=joint.type,
        links=(joint.parent, joint.child),
        T_link_end=(T_parent_joint, T_child_joint),
        line=joint.line,
        axis=axis,
    )


def _with_free_links(
    model: XmlElement, links: Sequence[RawLink], joints: Sequence[RawJoint], frames: ModelFrames
) -> Tuple[List[RawLink], List[RawJoint]]:
    """Return the links and joints of one tree: links that no joint holds are free; in a static model they are fixed.

    The first of them is the root. If the world holds a link, or several links have no parent, the world is the root.
    """
    parent_of = _parents_of_free_links(links, joints, frames)
    tops = [name for name, parent in parent_of.items() if parent == MODEL]
    root = tops[0] if tops else ""
    if len(tops) > 1 or any(joint.parent == WORLD for joint in joints):
        # A tree has one root, and only the world can be above all of them.
        frames.refuse_reserved_names()
        links = [RawLink(WORLD, line=model.line), *links]
        root = WORLD
    kind = "fixed" if is_true(model, "static") else "floating"
    free_joints: List[RawJoint] = []
    for link in links:
        if link.name not in parent_of or link.name == root:
            continue
        parent = parent_of[link.name]
        if parent == MODEL:
            parent = root
        joint = RawJoint(
            name=link.name,
            type=kind,
            parent=parent,
            child=link.name,
            T_parent_child=frames.between(parent, link.name),
            line=link.line,
        )
        free_joints.append(joint)
    return list(links), [*joints, *free_joints]


def _parents_of_free_links(
    links: Sequence[RawLink], joints: Sequence[RawJoint], frames: ModelFrames
) -> Dict[str, str]:
    """Return the parent of each link that no joint holds: the link that holds the frame of its pose, or MODEL."""
    parents = {joint.child: joint.parent for joint in joints}
    free = [link.name for link in links if link.name not in parents]
    parent_of: Dict[str, str] = {}
    for name in free:
        holder = frames.holder_of(frames.base_of(name))
        # A link cannot stand on its own descendant, as the pose of a link of a nested model may have it.
        if _is_below(holder, name, parents):
            parent_of[name] = MODEL
            continue
        parent_of[name] = holder
        if holder != MODEL:
            parents[name] = holder
    return parent_of


def _is_below(name: str, ancestor: str, parents: Mapping[str, str]) -> bool:
    """Return True if a link is another one, or its descendant."""
    for _ in range(len(parents) + 1):  # no further: joints may go in a circle
        if name == ancestor:
            return True
        if name not in parents:
            return False
        name = parents[name]
    return False


SURFACE = {path: name for path, name in contact_names("path", "name").items() if name != VECTOR}
SURFACE_PARTS = frozenset(path.partition("/")[0] for path in SURFACE)
SHINE = {"specular": "specular", "emissive": "emission"}
METAL = {"pbr/metal/metalness": "metalness", "pbr/metal/roughness": "roughness"}
SCRIPTS = "file://media/materials/scripts/gazebo.material"  # where Gazebo has the materials that it knows by name
SIZES = {  # the defaults of SDF
    "sphere": {"radius": 1.0},
    "cylinder": {"radius": 0.5, "length": 1.0},
    "capsule": {"radius": 0.5, "length": 1.0},
}
UNIT: Vector = (1.0, 1.0, 1.0)
UP: Vector = (0.0, 0.0, 1.0)


def read_shapes(link: XmlElement, name: str, frames: ModelFrames) -> Tuple[RawShape, ...]:
    """Return the visuals and collisions of a link, in the order of the file."""
    shapes = [_shape(element, name, frames) for element in link.all("visual", "collision")]
    return tuple(shape for shape in shapes if shape is not None)


def _shape(element: XmlElement, link: str, frames: ModelFrames) -> Optional[RawShape]:
    """Return a visual or a collision; None without a geometry that is compared."""
    geometry = element.first("geometry")
    T = frames.pose_in(element, link)
    solid = _geometry(geometry) if geometry is not None else None
    if solid is None:
        return None
    if solid.R_shape_z is not IDENTITY:
        T = compose(T, Transform(solid.R_shape_z, (0.0, 0.0, 0.0)))
    is_visual = element.tag == "visual"
    shape = RawShape(
        role=element.tag,
        geometry=solid.kind,
        sizes=solid.sizes,
        T_link_shape=T,
        name=element.get("name") or "",
        file=solid.file,
        surface={} if is_visual else _surface(element),
        line=element.line,
    )
    return _with_look(shape, element) if is_visual else shape


class Geometry(Record):
    """A geometry: its sizes [m], the mesh file, and the rotation that brings z to the normal of a plane."""

    kind: str
    sizes: Reals
    file: str = ""
    R_shape_z: Matrix = IDENTITY


def _geometry(geometry: XmlElement) -> Optional[Geometry]:
    """Return the first geometry that is compared, None without any; sizes that are not written have SDF's defaults."""
    for element in geometry.children:
        kind = element.tag
        if kind == "box":
            return Geometry(kind, vector_at(element.take(), "size") or UNIT)
        if kind == "ellipsoid":
            return Geometry(kind, vector_at(element.take(), "radii") or UNIT)
        if kind in SIZES:
            given = _numbers(element.take(), {key: key for key in SIZES[kind]})
            sizes = [given.get(key, (default,))[0] for key, default in SIZES[kind].items()]
            return Geometry(kind, tuple(sizes))
        if kind == "mesh":
            uri = element.take().first("uri")
            scale = vector_at(element, "scale") or UNIT
            file = uri.text if uri is not None else ""
            return Geometry(kind, scale, file)
        if kind == "plane":
            element.take().first("size")
            normal = unit_of(vector_at(element, "normal") or UP) or UP
            return Geometry(kind, (), R_shape_z=turn_of_z(normal))
    return None


def _with_look(shape: RawShape, visual: XmlElement) -> RawShape:
    """Return a visual with the color and the other values of its material."""
    material = visual.first("material")
    if material is None:
        return shape
    parts = {part.tag: part for part in reversed(material.children)}  # the first of each tag
    colors = {
        tag: _color(parts[tag].take()) for tag in ("diffuse", "ambient", *SHINE) if tag in parts
    }
    values: Values = {name: colors[tag] for tag, name in SHINE.items() if tag in colors}
    diffuse = colors.get("diffuse")
    ambient = colors.get("ambient")
    if ambient is not None and ambient != diffuse:
        values["ambient"] = ambient
    shape = shape._replace(color=diffuse or ambient, surface=values)
    # Most materials have colors only.
    if parts.keys() == colors.keys():
        return shape
    values.update(_numbers(material, METAL))
    albedo = leaf(material, "pbr/metal/albedo_map", take=True)
    script = leaf(material, "script/name", take=True)
    uri = leaf(material, "script/uri", take=True)
    if uri is not None and uri.text != SCRIPTS:
        uri.leave("it is not where the materials of Gazebo are")
    return shape._replace(
        texture=albedo.text if albedo is not None else "",
        script=script.text if script is not None else "",
    )


def _color(element: XmlElement) -> Rgba:
    """Return a color; without the fourth number it is opaque."""
    red, green, blue, *rest = element.numbers(element.text, 3, 4)
    alpha = rest[0] if rest else 1.0
    return (red, green, blue, alpha)


def _surface(collision: XmlElement) -> Values:
    """Return the contact values of a collision."""
    if SURFACE_PARTS.isdisjoint([child.tag for child in collision.children]):
        return {}
    surface = _numbers(collision, SURFACE)
    friction = leaf(collision, "surface/friction/ode", take=True)
    if friction is None:
        return surface
    for direction in friction.children:
        # A direction with `expressed_in` is in another frame, and stays unread.
        if direction.tag == "fdir1" and not direction.attributes and "direction1" not in surface:
            surface["direction1"] = direction.take().numbers(direction.text, 3)
    return surface


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
                yield sensor_of(
                    sensor, link, name, compose(frames.between(link, name), T), number_at
                )
