"""Decides what follows a merge, a turned frame or a flipped joint outside the links and joints.

A table by top-level tag says what is known of it; what it decides is a list of edits, carried out later by a pass. What
is not known, but names something that changed, becomes a warning with its line.
"""
import math
import re
from typing import AbstractSet, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .document import Element
from .merging import Membership
from .numerals import format_numbers, negated_text, read_numbers, same_numbers, without_noise
from .references import LOOP_WORDS, Reference
from .rigid import (NO_MOTION, NO_TURN, Pose, Vector, ZERO, compose, matrix_from_quaternion, matrix_from_rpy, norm,
                    quaternion_from_matrix, rotate, rpy_from_matrix, turn_angle)
from .robot import Notice, Robot, Shape

SURFACE = ("mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "material", "laserRetro", "selfCollide",
           "self_collide", "turnGravityOff", "gravity", "dampingFactor", "fdir1")
POSED_IN_LINK = ("sensor", "light", "projector")
WITHOUT_POSE = ("contact", "force_torque")  # sensor types that measure in the link or joint itself
BODY_TAGS = ("bodyName", "link", "linkName", "link_name", "body", "gripper_link", "palm_link", "parent", "child")
FRAME_TAGS = ("frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "frame",
              "base_link", "base_frame", "child_frame", "robotBaseFrame", "robot_base_frame")
VECTORS = ("axis", "direction", "gravity", "forward", "upward", "cp", "normal")  # in the frame of a plugin's body
POSE_NAMES = ("pos", "pose", "xyz", "rpy", "quat", "euler", "axis", "origin")
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")  # interfaces with the joint's sign
COLLISION_NAME = re.compile(r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?")  # what gz calls one without a name
MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")
OFFSETS = ("xyzOffset", "rpyOffset")
SAME_FRAME = 1e-9  # [m and rad]
ANGLE_NOISE_OF_POSES, LENGTH_NOISE_OF_POSES = 1e-12, 1e-13


class Edit(NamedTuple):
    """A new value of an attribute, or of the text when `attribute` is "", of an element or of its child `made`."""

    element: Element
    attribute: str
    value: str
    made: str  # the name of a child that is made for it, or ""


class Followed(NamedTuple):
    """Something that follows, for the plan: its line, what it is, and what happens to it."""

    line: int
    what: str
    how: str


class Following(NamedTuple):
    """`edits` and `drops` are for the pass, `notes` for the plan, `warnings` for what is left alone."""

    edits: Tuple[Edit, ...]
    drops: Tuple[Element, ...]
    notes: Tuple[Followed, ...]
    warnings: Tuple[Notice, ...]


class _Changes(NamedTuple):
    """What the rest of the plan changes, and where this module puts what it decides."""

    members: Dict[str, Membership]
    placements: Dict[str, Pose]
    signs: Dict[str, int]
    removed: Set[str]  # joints
    child_of: Dict[str, str]  # by joint name
    shapes: Dict[str, Tuple[Shape, ...]]  # by link
    gone: AbstractSet[int]  # ids of the elements of shapes that leave
    given: Dict[int, str]  # names that collisions are given, by the id of their element
    edits: List[Edit]
    drops: List[Element]
    notes: List[Followed]
    warnings: List[Notice]
    surfaces: Dict[Tuple[str, str], Tuple[str, Element]]  # (link, tag) -> (value, tag) of the link's own gazebo blocks

    def merged(self, link: Optional[str]) -> bool:
        return link in self.members and self.members[link].merged

    def target(self, link: str) -> str:
        return self.members[link].target

    def flipped(self, joint: Optional[str]) -> bool:
        return joint is not None and self.signs.get(joint, 1) < 0

    def set(self, element: Element, attribute: str, value: str) -> None:
        self.edits.append(Edit(element, attribute, value, ""))

    def negate(self, element: Element) -> None:
        """Turn the sign of the number that is the text of an element."""
        try:
            self.set(element, "", negated_text(element.text()))
        except ValueError:
            self.warn(element, "is no number, and the sign of its joint changes; left as it is")

    def note(self, element: Element, how: str) -> None:
        self.notes.append(Followed(element.line, _place(element), how))

    def warn(self, element: Element, message: str) -> None:
        self.warnings.append(Notice(element.line, f"{_place(element)} {message}"))


def decide_following(robot: Robot, references: Sequence[Reference], members: Dict[str, Membership],
                     placements: Dict[str, Pose], signs: Dict[str, int], gone: AbstractSet[int]) -> Following:
    """Decide, element by element, what follows; a reference to something removed is edited, dropped or warned of.

    `gone` are the ids of the elements of shapes that leave.
    """
    removed = {joint.name for joint in robot.joints if members[joint.child].merged} - set(signs)
    child_of = {joint.name: joint.child for joint in reversed(robot.joints)}
    changes = _Changes(members, placements, signs, removed, child_of,
                       {name: link.shapes for name, link in robot.links.items()}, gone, {}, [], [], [], [],
                       _own_surfaces(robot, members))
    _follow_extras(changes, robot)
    for top in robot.document.root.elements():
        follow = _follower(top)
        if follow is not None:
            follow(changes, top)
    of_removed = {id(inner) for joint in robot.joints if members[joint.child].merged for inner in joint.element.walk()}
    _warn_of_the_rest(changes, [reference for reference in references if id(reference.element) not in of_removed])
    return Following(tuple(changes.edits), tuple(changes.drops), tuple(changes.notes), tuple(changes.warnings))


def _follower(top: Element) -> "Optional[Callable[[_Changes, Element], None]]":
    """Return what is done with a top-level element, or None for one that nobody knows."""
    if top.name not in _FOLLOWERS and any(word in top.name.lower() for word in LOOP_WORDS):
        return _follow_posed
    return _FOLLOWERS.get(top.name)


def _place(element: Element) -> str:
    """Return how a user finds the element, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def _value(element: Element) -> str:
    """Return what a simulator tag says: its text, or its `value`."""
    return (element.get("value") or element.text()).strip()


def _follow_extras(changes: _Changes, robot: Robot) -> None:
    """Move frames and sensors that stand in a link; of nameless tags that two merged links have, the first stays."""
    there: Dict[Tuple[str, str], Element] = {}
    for merged in (False, True):
        for link in robot.links.values():
            for element in link.extras if changes.merged(link.name) == merged else ():
                target = changes.target(link.name)
                first = there.setdefault((target, element.name), element)
                if first is not element and first.parent is not element.parent and element.get("name") is None:
                    changes.drops.append(element)
                    if _content(first) != _content(element):
                        changes.warn(element, f"of '{link.name}' and that of line {first.line} differ, for what is now "
                                              f"one link '{target}': that of line {first.line} stays")
                elif changes.placements[link.name] is not NO_MOTION:
                    if element.find("pose") is not None:
                        _follow_pose(changes, element, changes.placements[link.name])
                    elif element.name in ("frame", "sensor") or _posed_itself(element) or element.find("origin"):
                        _move_origin(changes, element, changes.placements[link.name], element.name == "frame")


def _posed_itself(element: Element) -> bool:
    """True when xyz or rpy stand on the element, and not on an `<origin>` in it."""
    return element.get("xyz") is not None or element.get("rpy") is not None


def _content(top: Element) -> List[Tuple[str, str, List[Tuple[str, str]]]]:
    return [(element.name, element.text().strip(), sorted(element.attributes.items())) for element in top.walk()]


def _own_surfaces(robot: Robot, members: Dict[str, Membership]) -> Dict[Tuple[str, str], Tuple[str, Element]]:
    """Collect the surface values that links which stay have in gazebo blocks of their own."""
    found: Dict[Tuple[str, str], Tuple[str, Element]] = {}
    for top in robot.document.root.elements("gazebo"):
        link = top.get("reference") or ""
        for tag in top.elements() if link in members and not members[link].merged else ():
            if tag.name in SURFACE:
                found.setdefault((link, tag.name), (_value(tag), tag))
    return found


# gazebo


def _follow_gazebo(changes: _Changes, top: Element) -> None:
    name = top.get("reference") or ""
    if name in changes.removed and name not in changes.members:
        changes.drops.append(top)
        changes.warn(top, "belongs to a joint that is merged away: dropped with it")
        return
    spring = top.find("springReference")
    if changes.flipped(name) and name not in changes.members and spring is not None:
        changes.negate(spring)
        changes.note(top, "springReference negated")
    if name in changes.members:
        _follow_link_block(changes, top, name)
    else:
        child = changes.child_of.get(name, "")
        for sensor in top.elements("sensor") if _turns(changes, child) else ():
            changes.warn(sensor, f"measures in the frame of '{child}', which turns")
    for joint in top.elements("joint"):
        _follow_simulator_joint(changes, joint)
    for element in top.walk():
        text = element.text().strip()
        if element.name in BODY_TAGS and changes.merged(text):
            changes.set(element, "", changes.target(text))
            changes.note(element, f"'{text}' is now '{changes.target(text)}'")
        elif element.name in FRAME_TAGS and text in changes.members and element is not top:
            _follow_frame_name(changes, element, text)
        elif element.name == "plugin":
            _follow_plugin(changes, element, name)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _follow_contact(changes, element)


def _turns(changes: _Changes, link: str) -> bool:
    return link in changes.members and turn_angle(changes.placements[link].rotation, NO_TURN) > SAME_FRAME


def _follow_simulator_joint(changes: _Changes, joint: Element) -> None:
    """Move the `<pose>` of a joint of the simulator: it is told in the frame of the child, and the axis in the pose."""
    child = joint.find("child")
    T_new_old = changes.placements.get(child.text().strip() if child is not None else "", NO_MOTION)
    if T_new_old is not NO_MOTION:
        _follow_pose(changes, joint, T_new_old)


def _follow_frame_name(changes: _Changes, element: Element, link: str) -> None:
    """Rename a frame where the target's is the same frame; readers look for frames in TF, so no other will do."""
    T_new_old = changes.placements[link]
    if changes.merged(link):
        if norm(T_new_old.translation) < SAME_FRAME and not _turns(changes, link):
            changes.set(element, "", changes.target(link))
            changes.note(element, f"'{link}' is now '{changes.target(link)}', the same frame")
    elif _turns(changes, link):
        changes.warn(element, f"names the frame '{link}', which turns")


def _follow_link_block(changes: _Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    if changes.merged(link):
        target = changes.target(link)
        changes.set(top, "reference", target)
        changes.note(top, f"now of '{target}'")
        for tag in top.elements():
            if tag.name not in SURFACE:
                continue
            value, first = changes.surfaces.setdefault((target, tag.name), (_value(tag), tag))
            if first is not tag:
                changes.drops.append(tag)
                if value != _value(tag):
                    changes.warn(top, f"says {tag.name} {_value(tag)}, line {first.line} says {value} for what is "
                                      f"now one link '{target}': {value} stays")
    T_new_old = changes.placements[link]
    if T_new_old is NO_MOTION:
        return
    for element in top.elements():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            _follow_pose(changes, element, T_new_old)
        elif element.name == "fdir1":
            direction = _vector_in(element.text())
            if direction is None:
                changes.warn(element, "is no direction of three numbers; left as it is")
            elif direction != ZERO:
                turned = rotate(T_new_old.rotation, direction)
                changes.set(element, "", format_numbers(without_noise(turned, ANGLE_NOISE_OF_POSES)))
                changes.note(element, f"turned with the frame of '{link}'")
        elif element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, f"holds a <pose>, and the frame of '{link}' changes; left as it is")


def _follow_pose(changes: _Changes, owner: Element, T_new_old: Pose) -> None:
    """Express the `<pose>` of a sensor, light or projector in the new frame of its link."""
    pose = owner.find("pose")
    old = _numbers_in(pose.text(), 6) if pose is not None and pose.text().strip() else (0.0,) * 6
    if old is None or pose is not None and (pose.get("relative_to") or pose.get("rotation_format")):
        changes.warn(owner, "has a <pose> of a kind that cannot be moved; left as it is")
        return
    factor = math.radians(1.0) if pose is not None and pose.get("degrees") in ("true", "1") else 1.0
    rpy = (old[3] * factor, old[4] * factor, old[5] * factor)
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), (old[0], old[1], old[2])))
    xyz = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    angles = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    values = (*xyz, *(angle / factor for angle in angles))
    if not same_numbers(old, values):
        if pose is None:
            changes.edits.append(Edit(owner, "", format_numbers(values), "pose"))
        else:
            changes.set(pose, "", format_numbers(values))
        changes.note(owner, "its <pose> moves with the frame")


def _vector_in(text: str) -> Optional[Vector]:
    values = _numbers_in(text, 3)
    return (values[0], values[1], values[2]) if values else None


def _numbers_in(text: str, count: int) -> Optional[Tuple[float, ...]]:
    try:
        return read_numbers(text, count).values
    except ValueError:
        return None


def _follow_plugin(changes: _Changes, plugin: Element, owner: str) -> None:
    """Rename links in tags that mean the body, and move the offsets that are given in its frame."""
    if _follow_mimic_plugin(changes, plugin):
        return
    bodies = [e.text().strip() for e in plugin.elements() if e.name in ("bodyName", "linkName", "link_name")]
    body = bodies[0] if bodies else owner
    for element in plugin.walk():
        name = element.text().strip()
        if element is not plugin and changes.flipped(name) and not element.elements():
            changes.warn(plugin, f"names the joint '{name}', whose sign changes: look at its gains and directions")
        elif element.name in VECTORS and _numbers_in(name, 3) and _turns(changes, body):
            changes.warn(element, f"is a vector, and the frame of '{body}' turns; left as it is")
    T_new_old = changes.placements.get(body, NO_MOTION)
    offsets = [plugin.find(name) for name in OFFSETS]
    if T_new_old is NO_MOTION or not any(offsets) and plugin.find("bodyName") is None:
        return
    xyz, rpy = (_vector_in(offset.text()) if offset is not None else ZERO for offset in offsets)
    if xyz is None or rpy is None:
        changes.warn(plugin, "has offsets that cannot be read; left as they are")
        return
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), xyz))
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and same_numbers(rpy, turned):
        return
    for name, offset, values in zip(OFFSETS, offsets, (moved, turned)):
        if offset is not None:
            changes.set(offset, "", format_numbers(values))
        else:
            changes.edits.append(Edit(plugin, "", format_numbers(values), name))
    changes.note(plugin, f"its offsets move with the frame of '{body}'")


def _follow_mimic_plugin(changes: _Changes, plugin: Element) -> bool:
    """Turn the signs of a plugin that lets `<mimicJoint>` follow `<joint>`; return whether it is one."""
    parts = [plugin.find(name) for name in ("joint", "mimicJoint", "multiplier", "offset")]
    leader, follower, multiplier, offset = parts
    if leader is None or follower is None or multiplier is None:
        return False
    own, other = changes.flipped(follower.text().strip()), changes.flipped(leader.text().strip())
    if own != other:
        changes.negate(multiplier)
    if own and offset is not None:
        changes.negate(offset)
    if own or other:
        changes.note(plugin, "its multiplier and offset follow the signs")
    return True


def _follow_contact(changes: _Changes, element: Element) -> None:
    """Let a contact sensor find its collision: one without a name is given the name that simulators made up for it.

    Such a name counts the collisions of a link, so it changes when the link is merged or loses one of them.
    """
    text = element.text().strip()
    named = [shape for shapes in changes.shapes.values() for shape in shapes
             if shape.element.name == "collision" and shape.element.get("name") == text]
    match = COLLISION_NAME.fullmatch(text)
    link = match.group(2) if match else ""
    if named:
        if all(id(shape.element) in changes.gone for shape in named):
            changes.warn(element, f"names the collision '{text}', which leaves; left as it is")
    elif match and link in changes.members:
        own = [shape for shape in changes.shapes[link] if shape.element.name == "collision"]
        if not changes.merged(link) and not any(id(shape.element) in changes.gone for shape in own):
            return
        place = 0 if match.group(1) and len(own) == 1 else int(match.group(3) or 0)
        shape = own[place] if place < len(own) else None
        if shape is None or shape.element.get("name") or id(shape.element) in changes.gone:
            changes.warn(element, f"'{text}' is the name a simulator gives to a collision of '{link}', which is no "
                                  "more; left as it is")
            return
        name = changes.given.setdefault(id(shape.element), text)
        if name == text:
            changes.set(shape.element, "name", text)
            changes.note(element, f"the collision of '{link}' is named '{text}'")
        else:
            changes.set(element, "", name)
            changes.note(element, f"'{text}' is now '{name}'")


# sensors, transmissions, ros2_control, frames and loops


def _follow_sensor(changes: _Changes, top: Element) -> None:
    parent = top.find("parent")
    link = (parent.get("link") if parent is not None else None) or ""
    joint = (parent.get("joint") if parent is not None else None) or ""
    if joint in changes.removed:
        changes.warn(top, f"measures in joint '{joint}', which is merged away; left as it is")
    body = link or changes.child_of.get(joint, "")
    if changes.merged(link) and parent is not None:
        changes.set(parent, "link", changes.target(link))
        changes.note(top, f"now in '{changes.target(link)}'")
    T_new_old = changes.placements.get(body, NO_MOTION)
    if T_new_old is not NO_MOTION and joint not in changes.removed:
        _move_origin(changes, top, T_new_old)


def _move_origin(changes: _Changes, owner: Element, T_new_old: Pose, plain: bool = False) -> None:
    """Move the `<origin>` child of an element, or the xyz and rpy on the element itself, with the frame of its link.

    Where there is neither, an `<origin>` is made, or attributes of the element itself when it is a `plain` one.
    """
    origin = owner.find("origin")
    place = owner if origin is None and (plain or _posed_itself(owner)) else origin
    xyz, rpy = (_vector_in((place.get(key) if place is not None else None) or "0 0 0") for key in ("xyz", "rpy"))
    written = place.get("quat_xyzw") if place is not None else None
    quaternion = _numbers_in(written, 4) if written is not None else None
    if xyz is None or rpy is None or written is not None and not (quaternion and any(quaternion)):
        changes.warn(owner, "has an origin that cannot be read; left as it is")
        return
    old = Pose(matrix_from_quaternion(quaternion) if quaternion else matrix_from_rpy(rpy), xyz)
    new = compose(T_new_old, old)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and (turn_angle(old.rotation, new.rotation) < ANGLE_NOISE_OF_POSES if quaternion else (
            same_numbers(rpy, turned))):
        return
    key = "rpy"
    if quaternion:
        key, turned = "quat_xyzw", without_noise(quaternion_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    for attribute, values in (("xyz", moved), (key, turned)):
        if place is None:
            changes.edits.append(Edit(owner, attribute, format_numbers(values), "origin"))
        else:
            changes.set(place, attribute, format_numbers(values))
    changes.note(owner, "its origin moves with the frame")


def _follow_posed(changes: _Changes, top: Element) -> None:
    """Frames, loop joints, constraints, bushings: whatever names a link, and has a pose in it beside the name.

    An axis there is told in that pose, so it stays as it is.
    """
    plain = top.name == "frame" or any(_posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis"))
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if link not in changes.members or key == "name" and (element is top or "joint" in element.name.lower()):
                continue
            if changes.merged(link):
                changes.set(element, key, changes.target(link))
                changes.note(element, f"'{link}' is now '{changes.target(link)}'")
            if changes.placements[link] is not NO_MOTION:
                _move_origin(changes, element, changes.placements[link], plain)
        text = element.text().strip()
        if text in changes.members and changes.placements[text] is not NO_MOTION:
            changes.warn(top, f"names '{text}', whose frame changes, with no pose that could follow; left as it is")
        for joint in (element.get("joint"), element.get("name") if element is not top else None, text):
            if changes.flipped(joint) and joint not in changes.members:
                changes.warn(top, f"names the joint '{joint}', whose sign changes; left as it is")


def _follow_filter(changes: _Changes, top: Element) -> None:
    """Retarget the members of a collision filter group; it holds for more than before then, which is told."""
    members = {element.get("link") for element in top.walk()}
    for element in top.walk():
        link = element.get("link")
        if link is not None and changes.merged(link):
            target = changes.target(link)
            changes.set(element, "link", target)
            changes.note(element, f"'{link}' is now '{target}'")
            if target not in members:
                changes.warn(element, f"is now '{target}': the filter holds for all of that link")


def _follow_transmission(changes: _Changes, top: Element) -> None:
    named = [element.get("name") or element.text().strip() for element in top.walk()
             if element is not top and element.name.lower().endswith("joint")]
    joints = list(dict.fromkeys(named))
    if joints and all(joint in changes.removed for joint in joints):
        changes.drops.append(top)
        changes.warn(top, f"drives joint '{joints[0]}', which is merged away: dropped with it")
        return
    for joint in joints:
        if changes.flipped(joint):
            changes.warn(top, f"drives joint '{joint}', whose sign changes: its <mechanicalReduction> must change "
                              "sign if the actuator is to keep its sense; left as it is")


def _follow_ros2_control(changes: _Changes, top: Element) -> None:
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if name in changes.removed:
            changes.drops.append(joint)
            changes.warn(joint, "of ros2_control is merged away: dropped")
        elif changes.flipped(name):
            _flip_interfaces(changes, joint)
        if name not in changes.removed:
            _follow_mimic_parameters(changes, joint)
    for transmission in top.elements("transmission"):
        _follow_transmission(changes, transmission)


def _flip_interfaces(changes: _Changes, joint: Element) -> None:
    for interface in joint.elements():
        parameters = {p.get("name"): p for p in interface.elements("param")}
        if interface.name == "limits" and (interface.elements() or set(interface.attributes) - {"enable"}):
            changes.warn(joint, "has <limits> of its own, and its sign changes; left as they are")
        if interface.name not in ("command_interface", "state_interface") or not parameters:
            continue
        if not (interface.get("name") or "").endswith(DIRECTED):
            changes.warn(interface, "has parameters, and the sign of its joint changes; left as they are")
            continue
        low, high, initial = (parameters.get(name) for name in ("min", "max", "initial_value"))
        for element, other, new in ((low, high, "max"), (high, low, "min")):
            if element is not None and other is None:  # a bound on one side changes the side
                changes.set(element, "name", new)
                changes.negate(element)
            elif element is not None and other is not None:
                _set_negated(changes, element, other.text())
        if initial is not None:
            changes.negate(initial)
    others = [p.get("name") or "" for p in joint.elements("param") if p.get("name") not in MIMIC_PARAMETERS]
    if others:
        changes.warn(joint, f"has parameters of its own ({', '.join(others)}), and its sign changes; left as they are")
    changes.note(joint, "ranges and initial values negated")


def _set_negated(changes: _Changes, element: Element, text: str) -> None:
    try:
        changes.set(element, "", negated_text(text))
    except ValueError:
        changes.warn(element, f"cannot become the negative of '{text.strip()}'; left as it is")


def _follow_mimic_parameters(changes: _Changes, joint: Element) -> None:
    parameters = {p.get("name"): p for p in joint.elements("param")}
    leader = parameters.get("mimic")
    if leader is None:
        return
    own, other = changes.flipped(joint.get("name")), changes.flipped(leader.text().strip())
    multiplier, offset = parameters.get("multiplier"), parameters.get("offset")
    if own != other:
        if multiplier is None:
            changes.warn(joint, "mimics with no multiplier written, and its sign changes; left as it is")
        else:
            changes.negate(multiplier)
    if own and offset is not None:
        changes.negate(offset)
    if own or other:
        changes.note(joint, "multiplier and offset follow the signs")


def _warn_of_the_rest(changes: _Changes, references: Sequence[Reference]) -> None:
    """Warn of each name of something removed that no edit renames and no drop takes along."""
    renamed = {(id(edit.element), edit.attribute) for edit in changes.edits if not edit.made}
    dropped = {id(inner) for drop in changes.drops for inner in drop.walk()}
    for reference in references:
        element, name = reference.element, reference.name
        if (id(element), reference.attribute) in renamed and reference.whole or id(element) in dropped:
            continue
        known = _follower(reference.top) is not None
        if changes.merged(name):
            hint = "; --keep it if others look for that frame" if "frame" in element.name.lower() else ""
            what = f"names a link that is merged into '{changes.target(name)}'{hint}"
        elif name in changes.removed and name not in changes.members:
            what = "names a joint that is merged away"
        elif changes.flipped(name) and not (known and reference.whole):
            what = "names a joint whose sign changes"
        elif not known and _turns(changes, name) and any(
                set(POSE_NAMES) & {inner.name, *inner.attributes} for inner in element.walk()):
            what = f"holds a pose in the frame of '{name}', which turns"
        else:
            continue
        changes.warnings.append(Notice(element.line, f"{reference.place} {what}; left as it is"))


_FOLLOWERS: Dict[str, Callable[[_Changes, Element], None]] = {
    "gazebo": _follow_gazebo,
    "sensor": _follow_sensor,
    "transmission": _follow_transmission,
    "ros2_control": _follow_ros2_control,
    "frame": _follow_posed,
    "drake:collision_filter_group": _follow_filter,
}
