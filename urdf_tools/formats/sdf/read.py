"""Read an SDF for the comparison, from the text alone.

Poses are resolved as http://sdformat.org/tutorials?tut=pose_frame_semantics says; before SDF 1.7 as
http://sdformat.org/tutorials?tut=specify_pose does. What is not read here is listed as unread.
"""

from __future__ import annotations

from math import inf
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

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
    Pose,
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
from ..xml_text import Element, read_xml, unread_of
from .read_frames import flatten, Frames, is_true, MODEL, number_at, pose_of, vector_at

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "ball")
NO_BOUND = 1e16  # SDF's default of a limit
SCENERY = ("sun", "ground_plane")
COUPLES = ("gearbox",)  # types of joints that hold nothing: they only couple two others
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
    """Return the robot of an SDF: its model, or of several the one with the most joints.

    Raises:
        UrdfError: it is not XML, or is ambiguous as a robot; a sentence with file and line.
    """
    return read_sdf_tree(read_xml(source, file), file)


def read_sdf_tree(root: Element, file: str = "") -> RawRobot:
    """Return the robot of an SDF that is read as XML."""
    if root.tag != "sdf":
        root.refuse(f"<{root.tag}> is not SDF: that begins with <sdf>")
    version = _version(root)
    # Of the text alone.
    root.read.update(name for name in root.attributes if name.startswith("xmlns"))
    model, notes = _choose_model(root)
    if model.first("include") is not None:
        model.refuse(
            f"model '{model.get('name')}' holds a <include>, which is another file or robot: flatten it first "
            "(`gz sdf -p`)"
        )
    frames = Frames(model, version)

    links = [_link(element, frames) for element in model.all("link")]
    joints = [_joint(element, frames) for element in model.all("joint") if not _couples(element)]
    joints, loops = _without_loops(joints, frames)
    links, joints = _with_free_links(model, links, joints, frames)

    is_static = is_true(model, "static")
    held = any(joint.parent == WORLD and joint.type != "floating" for joint in joints)
    model_pose = model.first("pose")
    if model_pose is not None and pose_of(model_pose) != IDENTITY_POSE:
        notes.append("where the model stands in the world is not part of the robot")
    robot = RawRobot(
        format="sdf",
        name=model.get("name") or "",
        links=tuple(links),
        joints=tuple(joints),
        frames=tuple(_frames(model, frames)),
        loops=loops,
        sensors=tuple(read_sensors(model, frames, {joint.name: joint.child for joint in joints})),
        base="fixed" if is_static or held else "free",
        notes=tuple(notes),
        file=file,
    )

    top = check_tree(robot)
    robot = robot._replace(
        loops=(*robot.loops, *closing_loops(robot)),
        T_file_root=IDENTITY_POSE if top == WORLD else frames.T_model(top),
    )
    # Read, and without effect: it says by which frame the model is placed, which is no part of the robot.
    model.get("placement_frame")
    first = model.get("canonical_link")
    if first and first not in {link.name for link in links}:
        model.refuse(f"model '{model.get('name')}': its canonical link '{first}' is not there")
    return accounted(robot._replace(unread=tuple(unread_of(root))))


def _version(root: Element) -> Tuple[int, int]:
    words = (root.get("version") or "1.7").split(".")
    if len(words) != 2 or not all(word.isdigit() for word in words):
        root.refuse(f"the version '{root.get('version')}' is not one of SDF")
    return int(words[0]), int(words[1])


def _choose_model(root: Element) -> Tuple[Element, List[str]]:
    """Return the model; worlds may hold several."""
    models = [
        *root.all("model"),
        *(model for world in root.all("world") for model in world.all("model")),
    ]
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
    return best, [
        f"model '{best.get('name')}' has the most joints and is compared; {', '.join(others)} "
        f"{'is' if len(others) == 1 else 'are'} left out"
    ]


def _is_scenery(include: Element) -> bool:
    """Return True for the sun and the ground, which most worlds include."""
    uri = include.first("uri")
    return uri is not None and uri.text.rpartition("/")[2] in SCENERY


def _link(element: Element, frames: Frames) -> RawLink:
    name = name_of(element)
    element.first("pose")
    frames.check(name)
    inertial = element.first("inertial")
    values = _flags(element, {"gravity": "gravity", "self_collide": "self_collide"})
    decay = element.first("velocity_decay")
    linear, angular = (
        number_at(decay, tag) or 0.0 if decay is not None else 0.0 for tag in ("linear", "angular")
    )
    # Only as one number can it be compared: <dampingFactor> of a URDF sets both.
    if linear == angular and decay is not None:
        values["velocity_decay"] = (linear,)
    elif decay is not None:
        decay.leave("linear and angular differ")
    return RawLink(
        name=name,
        mass=_mass(inertial, name, frames)
        if inertial is not None
        # What SDF takes for a link without <inertial>.
        else RawMass(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)),
        shapes=read_shapes(element, name, frames),
        values=values,
        line=element.line,
    )


def _mass(inertial: Element, link: str, frames: Frames) -> RawMass:
    """Return the mass of an `<inertial>`, with SDF's defaults: 1 kg and 1 kg m^2."""
    if (inertial.get("auto") or "").lower() in SDF_TRUE:
        inertial.refuse(
            f"the inertia of link '{link}' is computed from its shapes (auto): write it out first"
        )
    inertia = inertial.first("inertia")
    given = _numbers(inertia, {key: key for key in INERTIA_KEYS})
    written = [given.get(key, (float(key[1] == key[2]),))[0] for key in INERTIA_KEYS]
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


def _couples(element: Element) -> bool:
    """Return True for a joint that only couples two others; it is marked as unread."""
    kind = element.get("type")
    if kind in COUPLES:
        element.leave(f"a {kind} couples two joints, and that is not compared")
    return kind in COUPLES


def _joint(element: Element, frames: Frames) -> RawJoint:
    name = name_of(element)
    kind = element.get("type") or ""
    if kind not in JOINTS:
        element.refuse(
            f"joint '{name}' has the type '{kind}', which cannot be compared: {', '.join(JOINTS)} can"
        )
    element.first("pose")
    parent, child = frames.end_of(element, "parent"), frames.end_of(element, "child")
    # The axis goes through the frame of the joint, which need not be that of its child.
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
    if kind in ("fixed", "ball") or axis is None:
        if axis is not None:
            axis.leave(IGNORED)
        elif kind not in ("fixed", "ball"):
            element.refuse(f"joint '{name}' has no <axis>")
        return joint

    R = frames.axis_frame(axis, element, child)
    limit, dynamics, mimic = axis.first("limit"), axis.first("dynamics"), axis.first("mimic")
    lower, upper = (_bound(limit, key) for key in ("lower", "upper"))
    # SDF has limits of infinity where none are written: such a joint turns freely, whatever it is called.
    if kind == "continuous" or lower is None and upper is None and kind == "revolute":
        kind = "continuous"
        lower = None
        upper = None
    return joint._replace(
        type=kind,
        axis=unit_of(rotate(R, vector_at(axis, "xyz") or (0.0, 0.0, 1.0)))
        or axis.refuse("an axis of 0 0 0"),
        lower=lower,
        upper=upper,
        effort=_positive(limit, "effort"),
        velocity=_positive(limit, "velocity"),
        mimic=_mimic(mimic, element),
        values={**solver, **_numbers(dynamics, DYNAMICS)},
    )


def _numbers(element: Optional[Element], words: Mapping[str, str]) -> Values:
    return {
        word: (value,)
        for key, word in (words.items() if element is not None else ())
        for value in [number_at(element, key)]
        if value is not None
    }


def _solver(physics: Optional[Element]) -> Values:
    """Return the parameters of the solver for a joint, also for a fixed one; true is 1."""
    return {**_flags(physics, FLAGS), **_numbers(physics, PHYSICS)}


def _flags(top: Optional[Element], words: Mapping[str, str]) -> Values:
    return {
        word: (float(flag.text.lower() in SDF_TRUE),)
        for path, word in words.items()
        for flag in [leaf(top, path, take=True)]
        if flag is not None
    }


def _mimic(mimic: Optional[Element], joint: Element) -> Optional[RawMimic]:
    """Return position = multiplier * (position of the leader - reference) + offset, in the form of URDF."""
    if mimic is None:
        return None
    if mimic.get("axis") not in (None, "axis"):
        joint.refuse(f"joint '{joint.get('name')}' mimics a second axis, which cannot be compared")
    multiplier, offset, reference = (
        number_at(mimic, key) or 0.0 for key in ("multiplier", "offset", "reference")
    )
    return RawMimic(mimic.get("joint") or "", multiplier, offset - multiplier * reference)


def _bound(limit: Optional[Element], key: str) -> Optional[float]:
    """Return a bound; None for NO_BOUND and beyond, such as the largest double and inf in Gazebo's files."""
    bound = limit.first(key) if limit is not None else None
    if bound is None or bound.text.lower().lstrip("+-") in ("inf", "infinity"):
        return None
    (value,) = bound.numbers(bound.text, 1, largest=inf)
    return None if abs(value) >= NO_BOUND else value


def _positive(limit: Optional[Element], key: str) -> Optional[float]:
    """Return a bound whose default is -1, which means none."""
    value = _bound(limit, key)
    return None if value is None or value < 0.0 else value


def _frames(model: Element, frames: Frames) -> Iterator[RawFrame]:
    for element in model.all("frame"):
        name = name_of(element)
        element.first("pose"), element.get("attached_to")
        link = frames.link_of(name)
        yield RawFrame(name, link, frames.between(link, name), element.line)


def _without_loops(
    joints: Sequence[RawJoint], frames: Frames
) -> Tuple[List[RawJoint], Tuple[RawLoop, ...]]:
    """Return the joints of the tree, and those that close a loop.

    A joint closes a loop if earlier joints give its child a parent, or put the child above its own parent.
    """
    tree: Dict[str, RawJoint] = {}
    parents: Set[str] = set()
    loops = []
    for joint in joints:
        above = joint.parent
        # Up from its parent: a child that is met there is above its own joint.
        for _ in tree if joint.child in parents else ():  # no further: joints may go in a circle
            above = tree[above].parent if above in tree and above != joint.child else above
        parents.add(joint.parent)
        if above == joint.child != joint.parent or tree.setdefault(joint.child, joint) is not joint:
            ends = (
                frames.between(joint.parent, joint.name),
                frames.between(joint.child, joint.name),
            )
            # The axis of a joint is in the frame of its child, that of a loop in the frame of its
            # first end.
            axis = (
                rotate(transpose(ends[1].rotation), joint.axis)
                if joint.type in (*TURNING, *SLIDING)
                else None
            )
            loops.append(
                RawLoop(
                    name=joint.name,
                    kind=joint.type,
                    links=(joint.parent, joint.child),
                    T_link_end=ends,
                    line=joint.line,
                    axis=axis,
                )
            )
    return list(tree.values()), tuple(loops)


def _with_free_links(
    model: Element, links: Sequence[RawLink], joints: Sequence[RawJoint], frames: Frames
) -> Tuple[List[RawLink], List[RawJoint]]:
    """Return one tree: links that no joint holds are free, but for the first; in a static model they are fixed.

    All of them are free from the world if it holds a link, or if several have no parent.
    """
    parents = {joint.child: joint.parent for joint in joints}
    free = [link.name for link in links if link.name not in parents]
    above: Dict[str, str] = {}
    # parent: the frame of its pose, unless that is below it, as in a nested model.
    for name in free:
        holder = top = frames.holder_of(frames.base_of(name))
        for _ in parents:  # no further: joints may go in a circle
            top = parents.get(top, top) if top != name else name
        above[name] = MODEL if top == name else holder
        if above[name] != MODEL:
            parents[name] = holder

    tops = [name for name in free if above[name] == MODEL]
    if any(joint.parent == WORLD for joint in joints) or len(tops) > 1:
        frames.refuse_reserved_names()
        # A tree has one root, and only the world can be above all of them.
        links = [RawLink(WORLD, line=model.line), *links]
        root = WORLD
    else:
        root = tops[0] if tops else ""
    kind = "fixed" if is_true(model, "static") else "floating"
    loose = [
        RawJoint(
            name=name,
            type=kind,
            parent=parent,
            child=name,
            T_parent_child=frames.between(parent, name),
            line=link.line,
        )
        for link in links
        for name in [link.name]
        if name in free and name != root
        for parent in [above[name] if above[name] != MODEL else root]
    ]
    return list(links), [*joints, *loose]


SURFACE = {path: name for path, name in contact_names("path", "name").items() if name != VECTOR}
SURFACE_PARTS = frozenset(path.partition("/")[0] for path in SURFACE)
SHINE = {"specular": "specular", "emissive": "emission"}
METAL = {"pbr/metal/metalness": "metalness", "pbr/metal/roughness": "roughness"}
SCRIPTS = "file://media/materials/scripts/gazebo.material"  # where Gazebo has the materials that it knows by name
SIZES = {
    "sphere": {"radius": 1.0},
    **dict.fromkeys(("cylinder", "capsule"), {"radius": 0.5, "length": 1.0}),
}
UP: Vector = (0.0, 0.0, 1.0)


def read_shapes(link: Element, name: str, frames: Frames) -> Tuple[RawShape, ...]:
    """Return the visuals and collisions of a link, in the order of the file."""
    return tuple(
        filter(
            None,
            (_shape(element, name, frames) for element in link.all("visual", "collision")),
        )
    )


def _shape(element: Element, link: str, frames: Frames) -> Optional[RawShape]:
    geometry = element.first("geometry")
    T = frames.pose_in(element, link)
    solid = _geometry(geometry) if geometry is not None else None
    if solid is None:
        return None
    kind, sizes, file, R = solid
    shape = RawShape(
        role=element.tag,
        geometry=kind,
        sizes=sizes,
        T_link_shape=T if R is IDENTITY else compose(T, Pose(R, (0.0, 0.0, 0.0))),
        name=element.get("name") or "",
        file=file,
        surface={} if element.tag == "visual" else _surface(element),
        line=element.line,
    )
    return _with_look(shape, element) if element.tag == "visual" else shape


def _geometry(geometry: Element) -> Optional[Tuple[str, Reals, str, Matrix]]:
    """Return kind, sizes, file, and how its z is turned; None for a kind that is not compared."""
    for element in geometry.children:
        kind = element.tag
        file = ""
        R = IDENTITY
        if kind in ("box", "ellipsoid"):
            sizes: Reals = (
                vector_at(element.take(), "size" if kind == "box" else "radii") or (1.0,) * 3
            )
        elif kind in SIZES:
            sizes = tuple(
                _numbers(element.take(), {key: key}).get(key, (default,))[0]
                for key, default in SIZES[kind].items()
            )
        elif kind == "mesh":
            uri = element.take().first("uri")
            file = uri.text if uri is not None else ""
            sizes = vector_at(element, "scale") or (1.0, 1.0, 1.0)
        elif kind == "plane":
            element.take().first("size")
            sizes = ()
            R = turn_of_z(unit_of(vector_at(element, "normal") or UP) or UP)
        else:
            continue
        return kind, sizes, file, R
    return None


def _with_look(shape: RawShape, visual: Element) -> RawShape:
    """Return a visual with the color of its material, and the other values of that."""
    material = visual.first("material")
    if material is None:
        return shape
    parts = {part.tag: part for part in reversed(material.children)}  # the first of each tag
    colors = {
        tag: _color(parts[tag].take()) for tag in ("diffuse", "ambient", *SHINE) if tag in parts
    }
    values: Values = {name: colors[tag] for tag, name in SHINE.items() if tag in colors}
    diffuse, ambient = colors.get("diffuse"), colors.get("ambient")
    if ambient is not None and ambient != diffuse:
        values["ambient"] = ambient
    shape = shape._replace(color=diffuse or ambient, surface=values)
    if parts.keys() == colors.keys():  # as in most
        return shape
    values.update(_numbers(material, METAL))
    albedo, script, uri = (
        leaf(material, path, take=True)
        for path in ("pbr/metal/albedo_map", "script/name", "script/uri")
    )
    if uri is not None and uri.text != SCRIPTS:
        uri.leave("it is not where the materials of Gazebo are")
    return shape._replace(
        texture=albedo.text if albedo is not None else "",
        script=script.text if script is not None else "",
    )


def _color(element: Element) -> Rgba:
    red, green, blue, *alpha = element.numbers(element.text, 3, 4)
    return (red, green, blue, alpha[0] if alpha else 1.0)


def _surface(collision: Element) -> Values:
    if SURFACE_PARTS.isdisjoint([child.tag for child in collision.children]):
        return {}
    surface = _numbers(collision, SURFACE)
    rough = leaf(collision, "surface/friction/ode", take=True)
    for direction in rough.children if rough is not None else ():
        # Else: another frame.
        if direction.tag == "fdir1" and not direction.attributes and "direction1" not in surface:
            surface["direction1"] = direction.take().numbers(direction.text, 3)
    return surface


def read_sensors(model: Element, frames: Frames, child_of: Dict[str, str]) -> Iterator[RawSensor]:
    """Yield the sensors of links, then those in joints."""
    for holder in [
        child for tag in ("link", "joint") for child in model.children if child.tag == tag
    ]:
        name = name_of(holder)
        link = name if holder.tag == "link" else child_of.get(name, "")
        for sensor in holder.all("sensor"):
            joint = "" if holder.tag == "link" else name
            T = frames.pose_in(sensor, name)
            yield sensor_of(
                sensor,
                link,
                joint,
                # The pose of a sensor in a joint is in the frame of the joint, that of a
                # `RawSensor` in its link.
                T if not joint else compose(frames.between(link, name), T),
                number_at,
            )
