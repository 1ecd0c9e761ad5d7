"""Decides what follows a merge, a turned frame or a flipped joint outside the links and joints.

A table by top-level tag says what is known of it; what it decides is a list of edits, carried out later by a pass. What
is not known, but names something that changed, becomes a warning with its line.
"""
import math
import re
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .document import Element
from .merging import Membership
from .numerals import format_numbers, negated_text, read_numbers, same_numbers, without_noise
from .references import LOOP_WORDS, Reference
from .rigid import NO_MOTION, Pose, Vector, ZERO, compose, matrix_from_rpy, rotate, rpy_from_matrix
from .robot import Notice, Robot

SURFACE = ("mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "material", "laserRetro", "selfCollide",
           "self_collide", "turnGravityOff", "gravity", "dampingFactor", "fdir1")
POSED_IN_LINK = ("sensor", "light", "projector")
WITHOUT_POSE = ("contact", "force_torque")  # sensor types that measure in the link or joint itself
BODY_TAGS = ("bodyName", "link", "linkName", "link_name", "body", "gripper_link", "palm_link", "parent", "child")
OFFSETS = ("xyzOffset", "rpyOffset")
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
    edits: List[Edit]
    drops: List[Element]
    notes: List[Followed]
    warnings: List[Notice]
    surfaces: Dict[Tuple[str, str], Tuple[str, int]]  # (link, tag) -> (value, line) of the link's own gazebo blocks

    def merged(self, link: Optional[str]) -> bool:
        return link in self.members and self.members[link].merged

    def target(self, link: str) -> str:
        return self.members[link].target

    def flipped(self, joint: Optional[str]) -> bool:
        return joint is not None and self.signs.get(joint, 1) < 0

    def set(self, element: Element, attribute: str, value: str) -> None:
        self.edits.append(Edit(element, attribute, value, ""))

    def note(self, element: Element, how: str) -> None:
        self.notes.append(Followed(element.line, _place(element), how))

    def warn(self, element: Element, message: str) -> None:
        self.warnings.append(Notice(element.line, f"{_place(element)} {message}"))


def decide_following(robot: Robot, references: Sequence[Reference], members: Dict[str, Membership],
                     placements: Dict[str, Pose], signs: Dict[str, int]) -> Following:
    """Decide, element by element, what follows; a reference to something removed is edited, dropped or warned of."""
    removed = {joint.name for joint in robot.joints if members[joint.child].merged} - set(signs)
    child_of = {joint.name: joint.child for joint in reversed(robot.joints)}
    changes = _Changes(members, placements, signs, removed, child_of, [], [], [], [], _own_surfaces(robot, members))
    for link in robot.links.values():
        for element in link.extras if placements[link.name] is not NO_MOTION else ():
            if element.find("origin") is not None or element.get("xyz") or element.get("rpy"):
                _move_origin(changes, element, placements[link.name])
    for top in robot.document.root.elements():
        follow = _FOLLOWERS.get(top.name)
        if follow is None and (top.name == "frame" or any(word in top.name.lower() for word in LOOP_WORDS)):
            follow = _follow_posed
        if follow is not None:
            follow(changes, top)
    _warn_of_the_rest(changes, references)
    return Following(tuple(changes.edits), tuple(changes.drops), tuple(changes.notes), tuple(changes.warnings))


def _place(element: Element) -> str:
    """Return how a user finds the element, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def _value(element: Element) -> str:
    """Return what a simulator tag says: its text, or its `value`."""
    return (element.get("value") or element.text()).strip()


def _own_surfaces(robot: Robot, members: Dict[str, Membership]) -> Dict[Tuple[str, str], Tuple[str, int]]:
    """Collect the surface values that links which stay have in gazebo blocks of their own."""
    found: Dict[Tuple[str, str], Tuple[str, int]] = {}
    for top in robot.document.root.elements("gazebo"):
        link = top.get("reference") or ""
        for tag in top.elements() if link in members and not members[link].merged else ():
            if tag.name in SURFACE:
                found.setdefault((link, tag.name), (_value(tag), tag.line))
    return found


# gazebo


def _follow_gazebo(changes: _Changes, top: Element) -> None:
    name = top.get("reference") or ""
    if name in changes.removed and name not in changes.members:
        changes.drops.append(top)
        changes.warn(top, "belongs to a joint that is merged away: dropped with it")
        return
    spring = top.find("springReference")
    if changes.flipped(name) and spring is not None:
        changes.set(spring, "", negated_text(spring.text()))
        changes.note(top, "springReference negated")
    if name in changes.members:
        _follow_link_block(changes, top, name)
    for element in top.walk():
        if element.name == "plugin":
            _follow_plugin(changes, element, name)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _follow_contact(changes, element)


def _follow_link_block(changes: _Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    if changes.merged(link):
        target = changes.target(link)
        changes.set(top, "reference", target)
        changes.note(top, f"now of '{target}'")
        for tag in top.elements():
            if tag.name not in SURFACE:
                continue
            value, line = changes.surfaces.setdefault((target, tag.name), (_value(tag), tag.line))
            if line != tag.line:
                changes.drops.append(tag)
                if value != _value(tag):
                    changes.warn(top, f"says {tag.name} {_value(tag)}, line {line} says {value} for what is now one "
                                      f"link '{target}': {value} stays")
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
    body = next((e.text().strip() for e in plugin.elements() if e.name == "bodyName"), owner)
    for element in plugin.walk():
        name = element.text().strip()
        if element.name in BODY_TAGS and changes.merged(name):
            changes.set(element, "", changes.target(name))
            changes.note(element, f"'{name}' is now '{changes.target(name)}'")
        elif element is not plugin and changes.flipped(name) and not element.elements():
            changes.warn(plugin, f"names the joint '{name}', whose sign changes: look at its gains and directions")
    T_new_old = changes.placements.get(body, NO_MOTION)
    offsets = [plugin.find(name) for name in OFFSETS]
    if T_new_old is NO_MOTION or not any(offsets):
        return
    xyz, rpy = (_vector_in(offset.text()) if offset is not None else ZERO for offset in offsets)
    if xyz is None or rpy is None:
        changes.warn(plugin, "has offsets that cannot be read; left as they are")
        return
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), xyz))
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
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
        changes.set(multiplier, "", negated_text(multiplier.text()))
    if own and offset is not None:
        changes.set(offset, "", negated_text(offset.text()))
    if own or other:
        changes.note(plugin, "its multiplier and offset follow the signs")
    return True


def _follow_contact(changes: _Changes, element: Element) -> None:
    """Warn of the name of a collision that simulators make up from a link's name."""
    name = element.text().strip()
    link = re.sub(r"_collision(_[0-9]+)?$", "", name).rpartition("_lump__")[2]
    if changes.merged(link):
        changes.warn(element, f"'{name}' is the name a simulator gives to a collision of '{link}', which is merged "
                              f"into '{changes.target(link)}'; left as it is")


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


def _move_origin(changes: _Changes, owner: Element, T_new_old: Pose) -> None:
    """Move the `<origin>` child of an element, or the xyz and rpy on the element itself, with the frame of its link."""
    origin = owner.find("origin")
    place = owner if origin is None and (owner.get("xyz") or owner.get("rpy")) else origin
    xyz, rpy = (_vector_in((place.get(key) if place is not None else None) or "0 0 0") for key in ("xyz", "rpy"))
    if xyz is None or rpy is None or (place is not None and place.get("quat_xyzw")):
        changes.warn(owner, "has an origin that cannot be read; left as it is")
        return
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), xyz))
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and same_numbers(rpy, turned):
        return
    if place is None:
        changes.edits.append(Edit(owner, "xyz", format_numbers(moved), "origin"))
        changes.edits.append(Edit(owner, "rpy", format_numbers(turned), "origin"))
    else:
        changes.set(place, "xyz", format_numbers(moved))
        changes.set(place, "rpy", format_numbers(turned))
    changes.note(owner, "its origin moves with the frame")


def _follow_posed(changes: _Changes, top: Element) -> None:
    """Frames, loop joints, constraints, bushings: whatever names a link, and has a pose in it beside the name."""
    for element in top.walk():
        for key in ("link", "body", "reference"):
            link = element.get(key) or ""
            if link not in changes.members:
                continue
            if changes.merged(link):
                changes.set(element, key, changes.target(link))
                changes.note(element, f"'{link}' is now '{changes.target(link)}'")
            if changes.placements[link] is not NO_MOTION:
                _move_origin(changes, element, changes.placements[link])
    for element in top.walk():
        joint = element.get("joint") or element.text().strip()
        if changes.flipped(joint):
            changes.warn(top, f"names the joint '{joint}', whose sign changes; left as it is")


def _follow_transmission(changes: _Changes, top: Element) -> None:
    joints = [element.get("name") or element.text().strip() for element in top.walk() if element.name == "joint"]
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
        _follow_mimic_parameters(changes, joint)


def _flip_interfaces(changes: _Changes, joint: Element) -> None:
    for interface in joint.elements():
        if interface.name not in ("command_interface", "state_interface"):
            continue
        parameters = {p.get("name"): p for p in interface.elements("param")}
        low, high = parameters.get("min"), parameters.get("max")
        if low is not None and high is not None:
            values = (low.text(), high.text())
            changes.set(low, "", negated_text(values[1]))
            changes.set(high, "", negated_text(values[0]))
        elif low is not None or high is not None:
            changes.warn(interface, "has only one of min and max, and the sign of its joint changes; left as it is")
        initial = parameters.get("initial_value")
        if initial is not None:
            changes.set(initial, "", negated_text(initial.text()))
    changes.note(joint, "ranges and initial values negated")


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
            changes.set(multiplier, "", negated_text(multiplier.text()))
    if own and offset is not None:
        changes.set(offset, "", negated_text(offset.text()))


def _warn_of_the_rest(changes: _Changes, references: Sequence[Reference]) -> None:
    """Warn of each name of something removed that no edit renames and no drop takes along."""
    renamed = {(id(edit.element), edit.attribute) for edit in changes.edits if not edit.made}
    dropped = {id(inner) for drop in changes.drops for inner in drop.walk()}
    known = {*_FOLLOWERS, "frame"}
    for reference in references:
        element, name = reference.element, reference.name
        if (id(element), reference.attribute) in renamed or id(element) in dropped:
            continue
        if changes.merged(name):
            hint = "; --keep it if others look for that frame" if "frame" in element.name.lower() else ""
            what = f"names a link that is merged into '{changes.target(name)}'{hint}"
        elif name in changes.removed and name not in changes.members:
            what = "names a joint that is merged away"
        elif changes.flipped(name) and reference.top.name not in known:
            what = "names a joint whose sign changes"
        else:
            continue
        changes.warnings.append(Notice(element.line, f"{reference.place} {what}; left as it is"))


_FOLLOWERS: Dict[str, Callable[[_Changes, Element], None]] = {
    "gazebo": _follow_gazebo,
    "sensor": _follow_sensor,
    "transmission": _follow_transmission,
    "ros2_control": _follow_ros2_control,
    "frame": _follow_posed,
}
