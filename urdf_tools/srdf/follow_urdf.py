"""The changes of an SRDF that follows a simplified URDF: groups, states, end effectors and collision pairs.

Links whose frames planners use for goals or for a base keep their frames.
"""

from __future__ import annotations

import math
from typing import Dict, Iterator, List, Sequence, Set, Tuple

from ..base.type_aliases import Pair
from ..base.errors import BrokenRobot
from ..base.number_text import numbers_in, short
from ..plan.plan_decisions import free_joints_that_turn, Plan
from ..plan.reference_updates import (
    holds_number,
    place_of,
    ReferenceUpdates,
    SAME_FRAME,
)
from ..plan.kept_links import KeepReason
from ..plan.result_notes import joint_map_of
from ..urdf.urdf_records import AS_IT_WAS, MOVABLE, UrdfRobot
from ..urdf.lossless_xml import Document, Element
from ..meshes.quaternions import quaternion_from_matrix
from ..urdf.spatial_math import (
    IDENTITY,
    IDENTITY_POSE,
    matrix_from_quaternion,
    multiply,
    norm,
    rotation_angle,
    transpose,
)
from .srdf_editor import (
    drop_elements,
    elements_to_remove,
    follow_pairs,
    follow_spheres,
    FREE_FLYER,
    RemovedNames,
    names_of_tag,
    NOTHING_LOST,
    SRDF_ELEMENTS,
    SrdfEditor,
)
from .undefined_srdf_names import unknown_names
from .srdf_diagnostics import SRDF_GROUP, SRDF_LEFT, SRDF_ROOT, SRDF_STATE, TIP_MOVED
from .srdf_notes import note_that_it_follows, require_that_it_fits


def follow_srdf(
    document: Document, plan: Plan, lost: RemovedNames = NOTHING_LOST
) -> ReferenceUpdates:
    """Change an SRDF document in place so that it fits the result of a plan, and of an edit that removes parts.

    The known elements are from http://wiki.ros.org/srdf and srdfdom. Unknown elements are not changed, with a warning
    if they name a link or joint that changes.

    Raises:
        BrokenRobot: it is not an SRDF, or a group would become empty.
    """
    # The root of an SRDF is also a <robot>, but has no links.
    if document.root.name != "robot" or document.root.find("link") is not None:
        what = "a URDF" if document.root.name == "robot" else f"<{document.root.name}>"
        raise BrokenRobot(f"this is {what}, not an SRDF", document.path, document.root.line)
    editor = SrdfEditor(document, plan, lost)
    source = document.to_bytes()
    for element in elements_to_remove(document, editor.lost):
        editor.note(element, place_of(element), "lost")
        drop_elements(element.parent or document.root, [element])
    # Unknown names are searched before names change.
    editor.warnings += unknown_names(document.root, plan.members, editor.joints)

    frames = list(frames_of_goals(document, plan.robot))
    for element in document.root.elements():
        if element.name == "group":
            _follow_group(editor, element)
        elif element.name == "group_state":
            _follow_state(editor, element)
        elif element.name not in SRDF_ELEMENTS:
            _warn_of_unknown(editor, element)
        elif not names_of_tag(element).of_shapes:
            _follow_element(editor, element)

    _warn_of_frames(editor, frames)
    follow_pairs(editor)
    follow_spheres(editor)
    note_that_it_follows(document, source, joint_map_of(plan))
    return ReferenceUpdates(
        notes=tuple(sorted(editor.notes, key=lambda note: note.line)),
        warnings=tuple(sorted(editor.warnings, key=lambda notice: notice.line)),
    )


def _srdf_name(element: Element) -> str:
    """Return an element with its name, as notes show it."""
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _follow_group(editor: SrdfEditor, group: Element) -> None:
    """Rename the links and joints in a group to those of the result; refuse a group that would become empty."""
    name = group.get("name") or ""
    parts = group.elements()
    dropped: List[Element] = []
    listed: Set[Pair] = {(part.name, part.get("name") or "") for part in parts}
    links_of_group: Set[str] = set()
    for part in parts:
        if part.name == "chain":
            _follow_chain(editor, part, name)
        elif part.name == "link":
            old = part.get("name") or ""
            editor.follow_names(part)
            # A merged link gets the name of its target, which may be listed already, or move with other joints.
            link = part.get("name") or ""
            if link != old:
                _look_for_new_motion(editor, part, name, old, listed)
            if link in links_of_group:
                dropped.append(part)
            links_of_group.add(link)
        elif part.name == "joint" and editor.follow_names(part):
            editor.note(part, _srdf_name(part), "of-group", name)
            dropped.append(part)
    # An empty group has nothing to plan for, and only its author can replace it.
    if dropped and len(dropped) == len(parts):
        raise BrokenRobot(
            f"group '{name}' would be empty: all of it is merged away; --keep one of its links, or "
            "change the group",
            editor.document.path,
            group.line,
        )
    drop_elements(group, dropped)


def _follow_chain(editor: SrdfEditor, chain: Element, group: str) -> None:
    """Rename the links in a chain to links of the result; refuse a chain whose ends become the same link."""
    was_chain = chain.get("base_link") != chain.get("tip_link")
    editor.follow_names(chain)
    if was_chain and chain.get("base_link") == chain.get("tip_link"):
        raise BrokenRobot(
            f"group '{group}': both ends of its chain are '{chain.get('tip_link')}' after merging; "
            "--keep the tip, or change the group",
            editor.document.path,
            chain.line,
        )


def _warn_of_frames(editor: SrdfEditor, frames: Sequence[Tuple[Element, str, str]]) -> None:
    """Warn, once for each link, of a frame of goals that moved or turned, with the distance [m] and the angle."""
    warned = {""}
    plan = editor.plan
    for element, link, what in frames:
        T_new_old = editor.motion(link)
        shift = norm(T_new_old.translation)
        angle = rotation_angle(T_new_old.rotation, IDENTITY)
        # A virtual joint has a different warning.
        has_other_warning = element.name == "virtual_joint" and not plan.is_removed(link)
        if (
            link in warned
            or has_other_warning
            or shift < SAME_FRAME
            and angle <= max(SAME_FRAME, plan.options.snap)
        ):
            continue
        warned.add(link)
        if plan.is_removed(link):
            how = "merged"
        else:
            how = "turned" if shift < SAME_FRAME else "moved"
        editor.warn(
            element,
            TIP_MOVED,
            how,
            link,
            what,
            plan.members[link].target,
            numbers=(shift, math.degrees(angle)),
        )


def _look_for_new_motion(
    editor: SrdfEditor, part: Element, group: str, old: str, listed: Set[Pair]
) -> None:
    """Warn if a group gains a joint, because a link in a group adds the joint that moves it."""
    target = part.get("name") or ""
    planned = editor.plan.joints.get(target)
    if (
        planned is not None
        and planned.joint.type != "fixed"
        and not ({("link", target), ("joint", planned.name)} & listed)
    ):
        listed.add(("link", target))
        editor.warn(part, SRDF_GROUP, "joint", target, old, planned.name, group)


def _follow_state(editor: SrdfEditor, state: Element) -> None:
    """Remove merged joints from a state, and map the positions of the other joints."""
    dropped = []
    for joint in state.elements("joint"):
        name = joint.get("name") or ""
        if name == FREE_FLYER and name not in editor.joints and name not in editor.virtual:
            _warn_of_free_flyer(editor, state, joint)
        elif editor.follow_names(joint):
            dropped.append(joint)
            editor.note(joint, _srdf_name(joint), "of-state", state.get("name") or "")
        elif any(planned.name == name for planned in free_joints_that_turn(editor.plan)):
            editor.warn(joint, SRDF_STATE, "free-joint", state.get("name") or "", name)
        elif name not in editor.virtual:
            _map_state(editor, state, joint)
    drop_elements(state, dropped)


def _warn_of_free_flyer(editor: SrdfEditor, state: Element, joint: Element) -> None:
    """Warn if a state has a pose of the base in the world, x y z qx qy qz qw, and the frame of the base changes."""
    T_new_old = editor.motion(editor.plan.robot.root)
    base = numbers_in(joint.get("value") or "", 7)
    if T_new_old != IDENTITY_POSE:
        names = [state.get("name") or "", FREE_FLYER]
        sentence = "free-flyer"
        if base is not None and any(base[3:]):
            # R_world_old R_old_new
            R_world_new = multiply(matrix_from_quaternion(base[3:]), transpose(T_new_old.rotation))
            names.append(short((*base[:3], *quaternion_from_matrix(R_world_new)), 10))
            sentence = "written"
        editor.warn(joint, SRDF_STATE, sentence, *names)


def _map_state(editor: SrdfEditor, state: Element, joint: Element) -> None:
    """Write the position of a joint in a state with the new zero and sign of the joint."""
    name = joint.get("name") or ""
    value = joint.get("value") or ""
    joint_map = editor.plan.maps.get(name, AS_IT_WAS)
    position = numbers_in(value, 1)
    sign, zero = joint_map
    if position is None and joint_map != AS_IT_WAS:
        sentence = "number" if sign < 0 else "zero"
        editor.warn(joint, SRDF_STATE, sentence, state.get("name") or "", name, value)
    # A position of 0 has no sign to turn, so its text stays.
    elif position is not None and (zero or sign < 0 and any(position)):
        new_value = joint_map.text_of(value)
        joint.set("value", new_value)
        change = "zero"
        if sign < 0:
            change = "both" if zero else "sign"
        editor.note(joint, f"state '{state.get('name')}'", change, name, value.strip(), new_value)


def _follow_element(editor: SrdfEditor, element: Element) -> None:
    """Update the names in an element; remove it if it is about a single joint that is removed."""
    if editor.follow_names(element):
        (attribute,) = names_of_tag(element).joints
        editor.note(element, f"<{element.name} {attribute}='{element.get(attribute)}'>", "joint")
        drop_elements(editor.document.root, [element])
    elif element.name == "virtual_joint":
        _warn_of_virtual_joint(editor, element)


def _warn_of_virtual_joint(editor: SrdfEditor, joint: Element) -> None:
    """Warn of a virtual joint whose child is a root that turns, or is not the root."""
    link = joint.get("child_link")
    root = editor.plan.robot.root
    if link == root and editor.plan.placements[root] != IDENTITY_POSE:
        editor.warn(joint, SRDF_ROOT, "turned", _srdf_name(joint), root)
    elif link != root and link in editor.plan.members:
        editor.warn(joint, SRDF_ROOT, "other", _srdf_name(joint), link or "", root)


def _warn_of_unknown(editor: SrdfEditor, top: Element) -> None:
    """Warn of unknown elements that name a link or joint that changes, or that have numbers and name a turned frame."""
    members = editor.plan.members
    maps = editor.plan.maps
    numbers = holds_number(top)
    for element in top.walk():
        for key, value in [*element.attributes.items(), ("", element.text().strip())]:
            tag = f"<{element.name}>{value}</{element.name}>"
            if key:
                tag = f"<{element.name} {key}='{value}'>"
            if value in members and editor.plan.is_removed(value):
                sentence = "merged-numbers" if numbers else "merged"
                editor.warn(element, SRDF_LEFT, sentence, value, tag, members[value].target)
            elif value in editor.removed:
                editor.warn(element, SRDF_LEFT, "removed", value, tag)
            elif value in (editor.lost.links | editor.lost.joints) - members.keys() - editor.joints:
                editor.warn(element, SRDF_LEFT, "dropped", value, tag)
            elif maps.get(value, AS_IT_WAS) != AS_IT_WAS:
                sentence = "flipped" if maps[value].sign < 0 else "moved"
                editor.warn(element, SRDF_LEFT, sentence, value, tag)
            elif numbers and rotation_angle(editor.motion(value).rotation, IDENTITY) > SAME_FRAME:
                editor.warn(element, SRDF_LEFT, "turned", value, tag)


def find_srdf_needs(document: Document, robot: UrdfRobot) -> Dict[str, KeepReason]:
    """Return the reason why a link must keep its frame, by link.

    A pose goal of MoveIt is for the tip of a chain or the parent link of an end effector. For a group that lists joints or
    links, it is for the last link of the chain that they form.
    """
    require_that_it_fits(document, robot)
    needs: Dict[str, KeepReason] = {}
    for element, link, what in frames_of_goals(document, robot):
        needs.setdefault(link, KeepReason(f"{what} in the SRDF, line {element.line}", frame=True))
    return needs


def frames_of_goals(document: Document, robot: UrdfRobot) -> Iterator[Tuple[Element, str, str]]:
    """Yield each element that uses the frame of a link for goals, with the link and its role."""
    for top in document.root.elements():
        for element in [top, *top.elements()]:
            for attribute, what in names_of_tag(element).frames:
                link = element.get(attribute) or ""
                if link in robot.links:
                    where = f"<{element.name}>"
                    if element is not top:
                        where = f"group '{top.get('name')}'"
                    yield element, link, f"it is the {what} of {where}"
        if top.name == "group" and top.find("chain") is None:
            link = _last_link(top, robot)
            if link:
                yield top, link, f"it is the last link of group '{top.get('name')}'"


def _last_link(group: Element, robot: UrdfRobot) -> str:
    """Return the last link of a group that moves and is a single chain; "" for other groups."""
    links: Set[str] = {part.get("name") or "" for part in group.elements("link")} & set(robot.links)
    names = [part.get("name") or "" for part in group.elements("joint")]
    joints = [robot.named[name] for name in names if name in robot.named]
    # A link in a group stands for the joint that moves it.
    joints += [joint for joint in robot.joints if joint.child in links]
    if not any(joint.type in MOVABLE for joint in joints):
        return ""
    members = {joint.child for joint in joints}

    inner: Set[str] = set()
    for name in members:
        joint = robot.above.get(name)
        while joint is not None:
            inner.add(joint.parent)
            joint = robot.above.get(joint.parent)
    # A chain has a single end; a group that branches has no last link.
    ends: List[str] = sorted(members - inner)
    return ends[0] if len(ends) == 1 else ""
