"""Decide what follows a merge, a turned frame or a flipped joint outside the links and joints.

A table by top-level tag says what is known of it; what it decides is a list of edits, carried out later by a pass. What
is not known, but names something that changed, becomes a warning with its line.
"""
import re
from functools import lru_cache
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import Robot
from ..urdf.references import LOOP_WORDS, outside_urdf, Reference
from ..urdf.spatial import NO_MOTION, norm, rotate, subtract
from .edits import (Changes, follow_pose, has_number, holds_number, move_origin, posed_itself, SAME_FRAME,
                    vector_in)

READ_ORIGIN = (  # (top-level tag, element in it) whose reader looks for an <origin>, or for xyz and rpy on it
    ("loop", "predecessor"), ("loop", "successor"),  # URDF+, arXiv:2411.19753
    ("loop_joint", "link1"), ("loop_joint", "link2"),  # Drake before 2017, and the exporters that followed it
    ("frame", "frame"))  # Drake: xyz and rpy; onshape-to-robot: <origin>
POSE = ("pose", "origin", "xyz", "rpy", "quat_xyzw")
WITHOUT_SIGN = ("joint_properties", "drake:rotor_inertia", "drake:gear_ratio")  # in a joint: magnitudes
READ_IN_JOINT = {  # what URDF defines in a joint (https://wiki.ros.org/urdf/XML/joint, and the <limit> of urdfdom 4)
    "joint": ("name", "type"), "parent": ("link",), "child": ("link",), "origin": POSE, "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"),
    "dynamics": ("damping", "friction"), "mimic": ("joint", "multiplier", "offset"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("rising", "falling", "reference_position")}
NAMED_ITSELF = ("sensor", "plugin", "light", "projector", "joint", "gripper", "visual", "collision")
GLUED = r"(?:^|(?<=[\s,;{(\['\"]))([^\s,;:={}()\[\]'\"]+)['\"]?\s*[:=](?!:)"  # `knee: 0.4`, `knee=1`


def decide_following(changes: Changes, references: Sequence[Reference]) -> None:
    """Decide, element by element, what follows; a reference to something removed is edited, dropped or warned of."""
    robot = changes.robot
    _follow_extras(changes, robot)
    _warn_of_joint_parts(changes, robot)
    for top in robot.document.root.elements():
        follow = _follower(top)
        if follow is not None:
            follow(changes, top)
    of_removed = {inner.offset for joint in robot.joints if changes.merged(joint.child)
                  for inner in joint.source.walk()}
    _warn_of_the_rest(changes, [one for one in references if one.element.offset not in of_removed])
    _warn_of_glued_names(changes, robot)


def _follower(top: Element) -> "Optional[Callable[[Changes, Element], None]]":
    """Return what is done with a top-level element, or None for one that is unknown."""
    if top.name in ("link", "joint", "material"):
        return None
    known = _followers()
    if top.name not in known and any(word in top.name.lower() for word in LOOP_WORDS):
        return _follow_posed
    return known.get(top.name)


@lru_cache(maxsize=None)
def _followers() -> "Dict[str, Callable[[Changes, Element], None]]":
    """Return what is done with each tag; loaded here, as the files of many robots hold nothing but links and joints."""
    from .follow_drake import follow_bushing, follow_filter, follow_points, follow_tendon
    from .follow_gazebo import follow_gazebo
    from .follow_joints import follow_coupling, follow_ros2_control, follow_transmission

    return {
        "gazebo": follow_gazebo,
        "sensor": _follow_sensor,
        "transmission": follow_transmission,
        "ros2_control": follow_ros2_control,
        "frame": _follow_posed,
        "coupling": follow_coupling,
        "mujoco": _follow_mujoco,
        "drake:collision_filter_group": follow_filter,
        "drake:ball_constraint": follow_points,
        "drake:linear_spring_damper": follow_points,
        "drake:linear_bushing_rpy": follow_bushing,
        "drake:tendon_constraint": follow_tendon,
    }


def _follow_extras(changes: Changes, robot: Robot) -> None:
    """Move frames and sensors in a link; of nameless tags that two merged links have, the first stays."""
    there: Dict[Tuple[str, str], Element] = {}
    for merged in (False, True):
        for link in robot.links.values():
            origin = link.source.find("origin") if merged and changes.merged(link.name) else None
            if origin is not None:
                changes.note(origin, "removed with link '{0}': no reader reads an <origin> of a link", link.name)
            for element in link.extras if changes.merged(link.name) == merged else ():
                target = changes.target(link.name)
                if element.name == "contact":
                    if any(part.offset in changes.unused for part in element.elements()):
                        changes.drop(element)
                    continue
                first = there.setdefault((target, element.name), element)
                if first is not element and first.parent is not element.parent and element.get("name") is None:
                    changes.drop(element)
                    if _content(first) != _content(element):
                        changes.warn(element, "merged-content",
                                     f"of '{link.name}' and that of line {first.line} differ, for what is now one link "
                                     f"'{target}': that of line {first.line} stays", link.name, target)
                elif changes.motion(link.name) != NO_MOTION:
                    _move_extra(changes, element, link.name)


def _move_extra(changes: Changes, element: Element, link: str) -> None:
    """Move the pose that something in a link has; what else of it has a frame is known of sensors and frames only."""
    T_new_old, known = changes.motion(link), element.name in ("frame", "sensor")
    posed = known or posed_itself(element) or element.find("origin") is not None
    pose = element.find("pose")
    if pose is not None and pose.get("relative_to"):
        changes.warn(element, "unreadable-pose", "has a <pose> that is told in another frame; left as it is")
    elif pose is not None:
        follow_pose(changes, element, T_new_old)
    elif posed:
        move_origin(changes, element, T_new_old, element.name == "frame")
    if not known and changes.moves(link) and holds_number(element, but=POSE if posed or pose else ()):
        changes.warn(element, "unknown-pose", f"in link '{link}' holds numbers, and the frame of that link changes; "
                     f"left as it is: check it, or keep the frame with {changes.way_to_keep(link)}", link)


def _warn_of_joint_parts(changes: Changes, robot: Robot) -> None:
    """Warn of each number in a flipped joint that URDF does not define; a zero has no sign."""
    for joint in robot.joints:
        if not changes.flipped(joint.name) or changes.merged(joint.child):
            continue
        for part in (joint.source, *joint.source.elements()):
            known, name = READ_IN_JOINT.get(part.name), f"<{part.name}>"
            found = [name] if known is None and part.name not in WITHOUT_SIGN and holds_number(part, zero=False) else [
                f"{name} {key}" for key, value in part.attributes.items()
                if known is not None and key not in known and has_number(value, zero=False)]
            if found:
                changes.warn_at(part, "flipped-joint", f"{', '.join(found)} of joint '{joint.name}', whose sign "
                                "changes: left as it is; turn its sign if it has one", joint.name)


def _content(top: Element) -> List[Tuple[str, str, List[Tuple[str, str]]]]:
    return [(element.name, element.text().strip(), sorted(element.attributes.items())) for element in top.walk()]


def _follow_sensor(changes: Changes, top: Element) -> None:
    parent = top.find("parent")
    link = (parent.get("link") if parent is not None else None) or ""
    joint = (parent.get("joint") if parent is not None else None) or ""
    if changes.removed(joint):
        changes.warn(top, "removed-joint", f"measures in joint '{joint}', which is merged away; left as it is")
    body = link or changes.child_of(joint)
    if changes.merged(link) and parent is not None:
        changes.set(parent, "link", changes.target(link))
        changes.note(top, "now in '{0}'", changes.target(link))
    if changes.motion(body) != NO_MOTION and not changes.removed(joint):
        move_origin(changes, top, changes.motion(body))


def _follow_posed(changes: Changes, top: Element) -> None:
    """Frames, loop joints, constraints: whatever names a link, and has a pose in addition to the name.

    An axis there is relative to that pose, so it stays as it is. A pose that is not written is made only where
    its reader looks for one.
    """
    plain = top.name == "frame" or any(posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis"))
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if not changes.known(link) or key == "name" and (element is top or "joint" in element.name.lower()):
                continue
            changes.rename_link(element, key, link)
            posed = posed_itself(element) or element.find("origin") is not None or element.get("quat_xyzw") is not None
            if changes.motion(link) != NO_MOTION and (posed or (top.name, element.name) in READ_ORIGIN):
                move_origin(changes, element, changes.motion(link), plain)
            elif changes.moves(link):
                changes.warn(element, "loop-frame", f"is given in the frame of '{link}', which changes, and has no "
                             "pose that could follow; left as it is: check it, or keep the frame with "
                             f"{changes.way_to_keep(link)}", link)
        text = element.text().strip()
        if changes.known(text) and changes.motion(text) != NO_MOTION:
            changes.warn(top, "loop-frame", f"names '{text}', whose frame changes, with no pose that could follow; "
                                            "left as it is", text)
        names_link = any(word in element.name.lower() for word in ("link", "body", "frame"))
        named = [element.get("name") if element is not top else None, text]
        for joint in (element.get("joint"), *(name for name in named if not (names_link and changes.known(name)))):
            if changes.flipped(joint):
                changes.warn(top, "flipped-joint", f"names the joint '{joint}', whose sign changes; left as it is")


def _follow_mujoco(changes: Changes, top: Element) -> None:
    """Warn of a written gravity: it is given in the frame of the world, in which the base is turned."""
    T_new_old = changes.motion(changes.robot.root)
    for element in top.walk():
        gravity = vector_in(element.get("gravity") or "") if element.name == "option" else None
        if gravity is not None and norm(subtract(rotate(T_new_old.rotation, gravity), gravity)) > SAME_FRAME:
            changes.warn(element, "gravity", f"has gravity {element.get('gravity')}, and the base turns; left as it "
                         "is: write it for the new base, in which Z is up")


def _warn_of_the_rest(changes: Changes, references: Sequence[Reference]) -> None:
    """Warn of each name of something removed that no edit renames and no drop removes."""
    following = changes.following
    renamed = {(edit.element.offset, edit.attribute) for edit in following.edits if not edit.child}
    dropped = {inner.offset for drop in following.drops for inner in drop.walk()}
    for reference in references:
        element, name = reference.element, reference.name
        offset = element.offset
        if (offset, reference.attribute) in renamed and reference.whole or offset in dropped:
            continue
        if changes.merged(name):
            kind = "frame-name" if "frame" in element.name.lower() else "merged-link"
            hint = "; --keep it if others look for that frame" if kind == "frame-name" else ""
            what = f"names a link that is merged into '{changes.target(name)}'{hint}"
        elif changes.removed(name) and not changes.known(name):
            kind, what = "removed-joint", "names a joint that is merged away"
        elif changes.flipped(name) and not (_is_follower_of_joints(reference) and reference.whole):
            kind, what = "flipped-joint", "names a joint whose sign changes"
        elif _follower(reference.top) in (None, _follow_mujoco) and changes.moves(name) and holds_number(
                element if reference.attribute or element is reference.top else element.parent or element):
            kind, what = "unknown-pose", f"comes with numbers, and the frame of '{name}' changes"
        else:
            continue
        changes.warn_at(element, kind, f"{reference.place} {what}; left as it is", name)


def _is_follower_of_joints(reference: Reference) -> bool:
    """Return True if the follower of the top-level element handles the sign of a joint named there."""
    element, top = reference.element, reference.top
    if top.name != "gazebo":
        return _follower(top) not in (None, _follow_mujoco)
    own_name = reference.attribute == "name" and element.name in NAMED_ITSELF
    frame = reference.attribute.split(":")[-1] in ("relative_to", "attached_to", "expressed_in")
    return element is top or own_name or frame or any(above.name == "plugin" for above in _upward(element)) or (
        element.name in ("parent", "child"))  # links of a joint of the simulator


def _upward(element: Element) -> Iterator[Element]:
    above: Optional[Element] = element
    while above is not None:
        yield above
        above = above.parent


def _warn_of_glued_names(changes: Changes, robot: Robot) -> None:
    """Warn of flipped joints that are named with a value glued to the name, as in `<pid>knee:1.0</pid>`."""
    dropped = {drop.offset for drop in changes.following.drops}
    for top in outside_urdf(robot):
        for element in top.walk():
            if any(above.offset in dropped for above in _upward(element)):
                continue
            for value in (*element.attributes.values(), element.text() if element.children else ""):
                for name in dict.fromkeys(re.findall(GLUED, value)):
                    if changes.flipped(name):
                        changes.warn_at(element, "flipped-joint", f"<{element.name}>: '{name}' with a value glued to "
                                        "it names a joint whose sign changes; left as it is")

