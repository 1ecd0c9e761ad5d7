"""The act `mirror`: a twin of a sub-tree, as in a mirror: nothing is computed but the origin of its first joint.

Every frame F of the sub-tree has its image D F D in the twin, with D = diag(1, -1, 1): positions are (x, -y, z), turns
(-roll, pitch, -yaw), the products ixy and iyz of a tensor change their sign. An axis that a joint slides along is
(x, -y, z); one that it turns about is (-x, y, -z), so that a position of the twin is the image of the same position.
"""
import re
from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..apply.passes import write_pose
from ..base.errors import UsageError
from ..base.number_text import NUMBER, negated_text, read_numbers
from ..compare.records import RawJoint, RawLink, RawRobot, RawShape
from ..facts.records import DIRECTION, OFFSET_POSE, ORIGIN, POINT, POSE, Tree, Value
from ..facts.tags import MADE
from ..facts.values import is_loop, values_in
from ..plan.edits import place_of
from ..urdf.kinematics import poses_at
from ..urdf.lossless_xml import Element
from ..urdf.model import Joint, MOVABLE, WITH_AXIS
from ..urdf.references import find_references
from ..urdf.spatial import (add, compose, IDENTITY, IDENTITY_POSE, inverse, Matrix, move, multiply, Pose, rotate, scale,
                            transpose)
from ..urdf.xml_edits import attach, attach_behind, copy_element, create
from .frames import SHIFT_NOISE
from .kinds import MIRROR_LEFT
from .law import renamed
from .names import controls
from .records import Draft, Made, Way
from .words import read_words

D: Matrix = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
SIGNS = {"xyz": (1,), "rpy": (0, 2), "quat_xyzw": (0, 2), "pose": (1, 3, 5), "scale": (1,), "center": (1,),
         "turn": (0, 2)}  # the numbers that change their sign, counted from 0
PRODUCTS = ("ixy", "iyx", "iyz", "izy")


class Plane(NamedTuple):
    """The mirror n . x = offset [m] in the frame of the root; `axis` is that of n."""

    axis: int
    offset: float

    def image(self, T_root_frame: Pose) -> Tuple[Matrix, Tuple[float, float, float]]:
        """Return the mirror in a frame: x -> R x + t."""
        R, t = T_root_frame
        n = R[self.axis]  # of the mirror, in the frame
        N = tuple(tuple(float(i == j) - 2.0 * n[i] * n[j] for j in range(3)) for i in range(3))
        distance = self.offset - t[self.axis]
        return N, (2.0 * distance * n[0], 2.0 * distance * n[1], 2.0 * distance * n[2])  # type: ignore[return-value]


class Twin(NamedTuple):
    """The names of a sub-tree and of its twin."""

    links: Dict[str, str]
    joints: Dict[str, str]
    first: Joint
    name_of: Callable[[str], str]


def negated(text: str, indices: Sequence[int]) -> str:
    """Return a text in which the numbers at these indices have a minus sign in front, or none; nothing is rounded."""
    count = iter(range(len(text)))
    return re.sub(NUMBER, lambda match: negated_text(match.group()) if next(count) in indices and float(
        match.group()) else match.group(), text)


def mirror(draft: Draft, words: Sequence[str]) -> Made:
    """Add a twin of the sub-tree at a link: `left_shoulder left=right plane=y`.

    Raises:
        UsageError: a name of the twin is missing or taken, or something in the sub-tree has no image.
    """
    names, values = read_words(draft, words, ("plane",))
    if len(names) != 2 or "=" not in names[1]:
        raise UsageError("give a link and what its names become, such as 'left_shoulder left=right'", draft.path)
    robot, plane = draft.robot, _plane(draft, values.get("plane", "y"))
    first = robot.above.get(draft.require_link(names[0]))
    if first is None:
        raise UsageError(f"'{names[0]}' is the root: mirror what hangs on it", draft.path)
    inside = draft.below(names[0])
    name_of = _renaming(draft, names[1])
    for joint in (robot.above[link] for link in inside):
        if joint.type not in (*MOVABLE, "fixed"):
            raise UsageError(f"joint '{joint.name}' is {joint.type}: its coordinates have no mirrored ones", draft.path,
                             joint.source.line)
    joints = dict.fromkeys(robot.above[link].name for link in inside)
    twin = Twin({link: name_of(link) for link in inside}, {joint: name_of(joint) for joint in joints}, first, name_of)
    cure = f": drop it first, with --drop {twin.links[names[0]]} before --mirror"
    draft.require_new(twin.links.values(), twin.joints.values(), cure)
    # The origin of the first joint is the only one in a frame that has no image.
    T_root = poses_at(robot, {}, IDENTITY_POSE)
    G, shift = plane.image(T_root[first.parent])
    origin = Pose(multiply(multiply(G, first.origin.rotation), D), add(rotate(G, first.origin.translation), shift))
    _copy_parts(draft, twin, origin)
    _copy_outside(draft, twin)
    _copy_in_srdf(draft, twin)
    return Made(Way(), f"{len(inside)} links of {names[0]} mirrored in {'xyz'[plane.axis]} = {plane.offset:g}",
                lambda raw: _expected(raw, twin, origin))


def _plane(draft: Draft, text: str) -> Plane:
    axis, _, offset = text.partition("@")
    try:
        return Plane(("x", "y", "z").index(axis), read_numbers(offset or "0", 1)[0])
    except ValueError:
        raise UsageError(f"plane={text}: give x, y or z, and where it lies, such as plane=y@0.1", draft.path) from None


def _renaming(draft: Draft, words: str) -> Callable[[str], str]:
    """Return the names of the twin: `left=right`, or `/regex/=NEW` where a name has it twice."""
    old, _, new = words.rpartition("=")
    is_pattern = len(old) > 2 and old[0] == old[-1] == "/"
    try:
        pattern = re.compile(old[1:-1] if is_pattern else re.escape(old))
        pattern.sub(new, "")
    except (re.error, IndexError) as error:
        raise UsageError(f"{old} is no regular expression that can be used with '{new}': {error}", draft.path) from None

    def name_of(name: str) -> str:
        count = len(pattern.findall(name))
        if not old or count != 1 and not (is_pattern and count):
            raise UsageError(f"'{name}' has no '{old}' in its name, which the twin's needs" if not count else
                             f"'{name}' has '{old}' {count} times: say which, as /regex/=NEW", draft.path)
        return pattern.sub(new if is_pattern else new.replace("\\", r"\\"), name)

    return name_of


def _signed(element: Optional[Element], key: str, kind: str = "") -> None:
    """Turn the signs of numbers in an attribute, or in the text."""
    if element is None:
        return
    text = (element.get(key) if key else element.text()) or ""
    new = negated(text, SIGNS[kind or key])
    if new != text:
        element.set(key, new) if key else element.set_text(new)


def _mirror_origin(owner: Element) -> None:
    origin = owner.find("origin")
    for key in ("xyz", "rpy", "quat_xyzw"):
        _signed(origin, key)


def _copy_parts(draft: Draft, twin: Twin, origin: Pose) -> None:
    """Copy links and joints behind all others."""
    robot, root = draft.robot, draft.document.root
    for top in robot.document.root.elements():
        name = top.get("name") or ""
        link = robot.links.get(name) if top.name == "link" else None
        joint = next((joint for joint in robot.joints if joint.source is top), None) if top.name == "joint" else None
        if link is not None and name in twin.links:
            copy = copy_element(link.source)
            copy.set("name", twin.links[name])
            for part in copy.elements():
                if part.name in ("inertial", "visual", "collision"):
                    _mirror_origin(part)
            for mesh in (mesh for mesh in copy.walk() if mesh.name == "mesh"):
                mesh.set("scale", negated(mesh.get("scale") or "1 1 1", SIGNS["scale"]))
            for inertia in (part for part in copy.walk() if part.name == "inertia"):
                for key in PRODUCTS:
                    if inertia.get(key) is not None:
                        inertia.set(key, negated(inertia.get(key) or "", (0,)))
            attach(root, [copy])
        elif joint is not None and joint.child in twin.links:
            copy = copy_element(joint.source)
            copy.set("name", twin.joints[name])
            _copy_joint(copy, joint, twin, origin)
            attach(root, [copy])


def _copy_joint(copy: Element, joint: Joint, twin: Twin, origin: Pose) -> None:
    if joint is twin.first:
        write_pose(copy, origin, joint.origin, SHIFT_NOISE)
    else:
        _mirror_origin(copy)
    for tag, key, names in (("parent", "link", twin.links), ("child", "link", twin.links),
                            ("mimic", "joint", twin.joints)):
        part = copy.find(tag)
        if part is not None and (part.get(key) or "") in names:
            part.set(key, names[part.get(key) or ""])
    if joint.type in WITH_AXIS:
        axis = copy.find("axis")
        if axis is None:
            axis = create("axis", {"xyz": "1 0 0"})
            attach(copy, [axis])
        if axis.get("xyz") is None:
            axis.set("xyz", "1 0 0")
        _signed(axis, "xyz", "xyz" if joint.type == "prismatic" else "turn")


def _copy_outside(draft: Draft, twin: Twin) -> None:
    """Copy what belongs to the sub-tree, and mirror what is expressed in its frames; what spans both stays.

    Raises:
        UsageError: a loop has one end inside, the other outside.
    """
    robot = draft.robot
    names = {**twin.joints, **twin.links}
    references = find_references(robot)
    copies: Dict[int, Element] = {}
    for top in robot.document.root.elements():
        inside = [reference for reference in references if reference.top is top and reference.name in names]
        if not inside or top.name in ("link", "joint"):
            continue
        outside = [reference for reference in references if reference.top is top and reference.name not in names]
        if top.name == "ros2_control":
            for joint in top.elements("joint"):
                if joint.get("name") in twin.joints:
                    attach_behind(draft.copy(joint), copy_element(joint, copies))
        elif outside and is_loop(top):
            raise UsageError(f"{place_of(top)} closes a loop between '{inside[0].name}' and '{outside[0].name}', which "
                             "is not in the sub-tree: it has no image", draft.path, top.line)
        elif top.name == "gazebo" and top.get("reference") in names or not outside and (
                is_loop(top) or top.name in ("transmission", "frame", "sensor")):
            attach(draft.document.root, [copy_element(top, copies)])
        else:
            draft.warn(top, MIRROR_LEFT, "outside", inside[0].name)
    for link in twin.links:  # what URDF does not define in a link was copied with it
        new = next(element for element in draft.document.root.elements("link")
                   if element.get("name") == twin.links[link])
        for old, copy in zip(robot.links[link].source.walk(), new.walk()):
            copies[old.offset] = copy
    for reference in references:
        copy = copies.get(reference.element.offset)
        if copy is not None and reference.name in names and reference.whole:
            means_joint = "joint" in f"{copy.name} {reference.attribute}" or reference.name not in twin.links
            new_name = (twin.joints if means_joint and reference.name in twin.joints else twin.links)[reference.name]
            copy.set(reference.attribute, new_name) if reference.attribute else copy.set_text(new_name)
    for old in controls(robot.document.root):
        if old.offset in copies:
            copies[old.offset].set("name", _name_of(twin, old.get("name") or ""))
    _mirror_values(draft, twin, copies)


def _name_of(twin: Twin, name: str) -> str:
    """Return a name of the twin for what is neither link nor joint."""
    try:
        return twin.name_of(name)
    except UsageError:
        return f"{name}_of_{twin.links[twin.first.child]}"


def _mirror_values(draft: Draft, twin: Twin, copies: Mapping[int, Element]) -> None:
    """Mirror the values in copies, by the table of what is expressed in a frame."""
    robot = draft.robot
    tree = Tree(robot.document.root, robot.root, robot.links.keys(),
                {name: joint.child for name, joint in robot.named.items()},
                {joint.child: (joint.parent, joint.name if joint.type in MOVABLE else "") for joint in robot.joints},
                {link.name: link.extras for link in robot.links.values()})
    for value in values_in(tree):
        if value.element.offset in copies and value.link in twin.links:
            _mirror_value(draft, value, copies)


def _mirror_value(draft: Draft, value: Value, copies: Mapping[int, Element]) -> None:
    kinds = {POSE: ("pose",), OFFSET_POSE: ("xyz", "rpy"), POINT: ("xyz",), DIRECTION: ("xyz",)}.get(value.kind, ())
    for index, (element, key) in enumerate(value.places):
        copy = copies.get(element.offset)
        if copy is None or key.startswith("<"):
            continue
        if value.kind == ORIGIN:
            _signed(copy, key)
        elif kinds:
            _signed(copy, key, kinds[min(index, len(kinds) - 1)])
    if value.warning is not None and not kinds and value.kind != ORIGIN:
        draft.warn(value.element, MIRROR_LEFT, "frame", value.link)


def _copy_in_srdf(draft: Draft, twin: Twin) -> None:
    """Copy groups, states, end effectors and pairs of the sub-tree; groups that span both gain the twin's parts."""
    from ..srdf.elements import names_of_tag

    if draft.srdf is None:
        return
    root, names = draft.srdf.root, {**twin.joints, **twin.links}

    def named(element: Element) -> List[str]:
        keys = names_of_tag(element)
        return [element.get(key) or "" for key in (*keys.links, *keys.joints)]

    def renamed_copy(element: Element) -> Element:
        copy = copy_element(element)
        for part in copy.walk():
            keys = names_of_tag(part)
            for key in (*keys.links, *keys.joints):
                part.set(key, names.get(part.get(key) or "", part.get(key) or ""))
            for key in ("group", "parent_group", *(("name",) if part.name in ("group", "end_effector") else ())):
                if part.get(key) in groups:
                    part.set(key, groups[part.get(key) or ""])
            if part.name == "end_effector" and part.get("name") not in groups:
                part.set("name", _name_of(twin, part.get("name") or ""))
            if part.name == "sphere":
                _signed(part, "center")
        return copy

    tops = root.elements()
    groups: Dict[str, str] = {}
    for top in (top for top in tops if top.name == "group" and top.elements()):
        parts = [name for part in top.elements() for name in named(part)[-1:]]  # of a chain, the tip
        if parts and all(name in names for name in parts):
            groups[top.get("name") or ""] = _name_of(twin, top.get("name") or "")
    for top in tops:
        name = top.get("name" if top.name == "group" else "group") or ""
        if top.name in ("group", "group_state") and name not in groups:
            for part in top.elements():
                if part.name in ("link", "joint") and named(part) and named(part)[0] in names:
                    attach_behind(part, renamed_copy(part))
                    draft.note_srdf(top, "twin", named(part)[0])
        elif top.name in ("group", "group_state") or names_of_tag(top) and any(
                name in names for name in named(top)) and top.name != "virtual_joint":
            attach(root, [renamed_copy(top)])
            draft.note_srdf(top, "copied", top.name)


def _expected(raw: RawRobot, twin: Twin, origin: Pose) -> RawRobot:
    """Return the robot with its twin, by matrices, for the law."""
    def image(T: Pose) -> Pose:
        return Pose(multiply(multiply(D, T.rotation), D), rotate(D, T.translation))

    def of_shape(shape: RawShape) -> RawShape:
        sizes = tuple(-size if index == 1 else size for index, size in enumerate(shape.sizes)) if (
            shape.geometry == "mesh") else shape.sizes
        return shape._replace(T_link_shape=image(shape.T_link_shape), sizes=sizes)

    def of_link(link: RawLink) -> RawLink:
        mass = link.mass
        if mass is not None:
            xx, xy, xz, yy, yz, zz = mass.tensor
            mass = mass._replace(center=rotate(D, mass.center), tensor=(xx, -xy, xz, yy, -yz, zz),
                                 T_link_inertial=image(mass.T_link_inertial))
        return link._replace(mass=mass, shapes=tuple(map(of_shape, link.shapes)))

    def of_joint(joint: RawJoint) -> RawJoint:
        axis = rotate(D, joint.axis)
        return joint._replace(T_parent_child=origin if joint.child == twin.first.child else image(joint.T_parent_child),
                              axis=axis if joint.type == "prismatic" else scale(-1.0, axis))

    inside, joints = twin.links, twin.joints
    part = raw._replace(
        links=tuple(of_link(link) for link in raw.links if link.name in inside),
        joints=tuple(of_joint(joint) for joint in raw.joints if joint.child in inside),
        frames=tuple(frame._replace(T_link_frame=image(frame.T_link_frame)) for frame in raw.frames
                     if frame.link in inside),
        loops=tuple(loop._replace(T_link_end=(image(loop.T_link_end[0]), image(loop.T_link_end[1])))
                    for loop in raw.loops if loop.links[0] in inside and loop.links[1] in inside),
        sensors=tuple(sensor._replace(T_link_sensor=image(sensor.T_link_sensor)) for sensor in raw.sensors
                      if sensor.link in inside),
        actuators=tuple(actuator for actuator in raw.actuators if actuator.joint in joints))
    others = {name: _name_of(twin, name) for name in (
        *(sensor.name for sensor in part.sensors), *(actuator.name for actuator in part.actuators))}
    part = renamed(part, Way(inside, joints, others))
    return raw._replace(
        links=(*raw.links, *part.links), joints=(*raw.joints, *part.joints), frames=(*raw.frames, *part.frames),
        loops=(*raw.loops, *part.loops), sensors=(*raw.sensors, *part.sensors),
        actuators=(*raw.actuators, *part.actuators))
