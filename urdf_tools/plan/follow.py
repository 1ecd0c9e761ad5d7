"""Decides what follows a merge, a turned frame or a flipped joint outside the links and joints.

A table by top-level tag says what is known of it; what it decides is a list of edits, carried out later by a pass. What
is not known, but names something that changed, becomes a warning with its line.
"""
from typing import AbstractSet, Callable, Dict, List, Optional, Sequence, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import Notice, Robot
from ..urdf.references import LOOP_WORDS, Reference
from ..urdf.spatial import NO_MOTION, Pose
from .edits import Changes, follow_pose, Following, frame_turns, move_origin, posed_itself, set_negated
from .follow_gazebo import follow_gazebo, own_surfaces
from .merging import Membership

POSE_NAMES = ("pos", "pose", "xyz", "rpy", "quat", "euler", "axis", "origin")
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")  # interfaces with the joint's sign
MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")


def decide_following(robot: Robot, references: Sequence[Reference], members: Dict[str, Membership],
                     placements: Dict[str, Pose], signs: Dict[str, int], gone: AbstractSet[int]) -> Following:
    """Decide, element by element, what follows; a reference to something removed is edited, dropped or warned of.

    `gone` are the offsets of the shapes that leave.
    """
    removed = {joint.name for joint in robot.joints if members[joint.child].merged} - set(signs)
    child_of = {name: joint.child for name, joint in robot.named.items()}
    changes = Changes(members, placements, signs, removed, child_of,
                      {name: link.shapes for name, link in robot.links.items()}, gone, {}, [], [], [], [],
                      own_surfaces(robot, members))
    _follow_extras(changes, robot)
    for top in robot.document.root.elements():
        follow = _follower(top)
        if follow is not None:
            follow(changes, top)
    of_removed = {inner.offset for joint in robot.joints if members[joint.child].merged
                  for inner in joint.source.walk()}
    _warn_of_the_rest(changes, [reference for reference in references if reference.element.offset not in of_removed])
    return Following(tuple(changes.edits), tuple(changes.drops), tuple(changes.notes), tuple(changes.warnings))


def _follower(top: Element) -> "Optional[Callable[[Changes, Element], None]]":
    """Return what is done with a top-level element, or None for one that nobody knows."""
    if top.name not in _FOLLOWERS and any(word in top.name.lower() for word in LOOP_WORDS):
        return _follow_posed
    return _FOLLOWERS.get(top.name)


def _follow_extras(changes: Changes, robot: Robot) -> None:
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
                elif changes.placements[link.name] != NO_MOTION:
                    if element.find("pose") is not None:
                        follow_pose(changes, element, changes.placements[link.name])
                    elif element.name in ("frame", "sensor") or posed_itself(element) or element.find("origin"):
                        move_origin(changes, element, changes.placements[link.name], element.name == "frame")


def _content(top: Element) -> List[Tuple[str, str, List[Tuple[str, str]]]]:
    return [(element.name, element.text().strip(), sorted(element.attributes.items())) for element in top.walk()]


def _follow_sensor(changes: Changes, top: Element) -> None:
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
    if T_new_old != NO_MOTION and joint not in changes.removed:
        move_origin(changes, top, T_new_old)


def _follow_posed(changes: Changes, top: Element) -> None:
    """Frames, loop joints, constraints, bushings: whatever names a link, and has a pose in it beside the name.

    An axis there is told in that pose, so it stays as it is.
    """
    plain = top.name == "frame" or any(posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis"))
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if link not in changes.members or key == "name" and (element is top or "joint" in element.name.lower()):
                continue
            if changes.merged(link):
                changes.set(element, key, changes.target(link))
                changes.note(element, f"'{link}' is now '{changes.target(link)}'")
            if changes.placements[link] != NO_MOTION:
                move_origin(changes, element, changes.placements[link], plain)
        text = element.text().strip()
        if text in changes.members and changes.placements[text] != NO_MOTION:
            changes.warn(top, f"names '{text}', whose frame changes, with no pose that could follow; left as it is")
        for joint in (element.get("joint"), element.get("name") if element is not top else None, text):
            if changes.flipped(joint) and joint not in changes.members:
                changes.warn(top, f"names the joint '{joint}', whose sign changes; left as it is")


def _follow_filter(changes: Changes, top: Element) -> None:
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


def _follow_transmission(changes: Changes, top: Element) -> None:
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


def _follow_ros2_control(changes: Changes, top: Element) -> None:
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


def _flip_interfaces(changes: Changes, joint: Element) -> None:
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
                set_negated(changes, element, other.text())
        if initial is not None:
            changes.negate(initial)
    others = [p.get("name") or "" for p in joint.elements("param") if p.get("name") not in MIMIC_PARAMETERS]
    if others:
        changes.warn(joint, f"has parameters of its own ({', '.join(others)}), and its sign changes; left as they are")
    changes.note(joint, "ranges and initial values negated")


def _follow_mimic_parameters(changes: Changes, joint: Element) -> None:
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


def _warn_of_the_rest(changes: Changes, references: Sequence[Reference]) -> None:
    """Warn of each name of something removed that no edit renames and no drop takes along."""
    renamed = {(edit.element.offset, edit.attribute) for edit in changes.edits if not edit.made}
    dropped = {inner.offset for drop in changes.drops for inner in drop.walk()}
    for reference in references:
        element, name = reference.element, reference.name
        if (element.offset, reference.attribute) in renamed and reference.whole or element.offset in dropped:
            continue
        known = _follower(reference.top) is not None
        if changes.merged(name):
            hint = "; --keep it if others look for that frame" if "frame" in element.name.lower() else ""
            what = f"names a link that is merged into '{changes.target(name)}'{hint}"
        elif name in changes.removed and name not in changes.members:
            what = "names a joint that is merged away"
        elif changes.flipped(name) and not (known and reference.whole):
            what = "names a joint whose sign changes"
        elif not known and frame_turns(changes, name) and any(
                set(POSE_NAMES) & {inner.name, *inner.attributes} for inner in element.walk()):
            what = f"holds a pose in the frame of '{name}', which turns"
        else:
            continue
        changes.warnings.append(Notice(element.line, f"{reference.place} {what}; left as it is"))


_FOLLOWERS: Dict[str, Callable[[Changes, Element], None]] = {
    "gazebo": follow_gazebo,
    "sensor": _follow_sensor,
    "transmission": _follow_transmission,
    "ros2_control": _follow_ros2_control,
    "frame": _follow_posed,
    "drake:collision_filter_group": _follow_filter,
}
