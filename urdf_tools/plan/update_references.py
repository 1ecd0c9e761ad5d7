"""The updates outside links and joints after a merge, a turned frame or a flipped joint.

The values that `facts.values` lists are updated, each by its kind. Any other element that names a changed link or
joint, or has numbers in a changed frame, is not modified: its line gets a warning.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Sequence, Set

from ..base.type_aliases import Pair
from ..base.run_diagnostics import (
    FRAME_NAME,
    MERGED_CONTENT,
    MERGED_LINK,
    REMOVED_JOINT,
    UNKNOWN_POSE,
    UNREADABLE_POSE,
)
from ..base.number_text import numbers_in, unique
from ..facts.gazebo_value_rules import is_mimic_plugin
from ..facts.robot_values import FRAME_KEYS, NAMED_ITSELF, posed_itself, RobotFacts, WITHOUT_SIGN
from ..facts.simulator_values import content
from ..facts.frame_dependent_values import is_known, RULES, values_in
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import defines, OF_JOINT, ORIGIN_KEYS, UrdfRobot
from .kept_links import outside_urdf, NameReference
from ..urdf.spatial_math import IDENTITY_POSE
from .reference_updates import ReferenceChanges, has_number, holds_number, ReferenceUpdates

# `knee: 0.4` or `knee=1`, but not `robot::knee`, a scoped name.
INLINE_NAME = r"(?:^|(?<=[\s,;{(\['\"]))([^\s,;:={}()\[\]'\"]+)['\"]?\s*[:=](?!:)"


def update_references(
    changes: ReferenceChanges, references: Sequence[NameReference]
) -> ReferenceUpdates:
    """Return the updates of all elements; a reference to a removed link or joint gets an edit, a drop or a warning."""
    robot = changes.robot
    _drop_doubles(changes, robot)
    _warn_of_joint_parts(changes, robot)
    _name_materials(changes, robot)
    if any(True for _ in outside_urdf(robot)):
        _update_outside(changes, robot)
    # The content of removed joints needs no names any more.
    of_removed: Set[int] = set()
    for joint in robot.joints:
        if changes.is_merged(joint.child):
            of_removed.update(inner.offset for inner in joint.source.walk())
    staying = [reference for reference in references if reference.element.offset not in of_removed]
    # After the updates, because these warnings are for references that no edit or drop covers.
    _warn_of_the_rest(changes, staying)
    _warn_of_nameless_numbers(changes, staying)
    _warn_of_inline_values(changes, robot)
    notes = sorted(changes.notes, key=lambda note: note.line)
    return ReferenceUpdates(
        tuple(changes.edits), tuple(changes.drops.values()), tuple(notes), tuple(changes.warnings)
    )


def _update_outside(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Drop elements and warn by their tags, then update the values in the remaining elements.

    The modules are imported here, because many robots consist only of links and joints.
    """
    from .update_tags import CHECKS
    from .update_values import EDITORS

    for link in robot.links.values():
        if changes.T_new_old(link.name) == IDENTITY_POSE:
            continue
        for element in link.extras:
            if not changes.is_dropped(element):
                _check_extra(changes, element, link.name)
    for top in robot.document.root.elements():
        if top.name in CHECKS and not changes.is_dropped(top):
            CHECKS[top.name](changes, top)
    for value in values_in(tree_of(robot, changes.is_removed_joint)):
        if not changes.is_dropped(value.element):
            EDITORS[value.kind](changes, value)


def tree_of(robot: UrdfRobot, removed: Callable[[str], bool] = lambda _: False) -> RobotFacts:
    """Return the facts of a robot that the rules of values need; names of `removed` joints refer to no link."""
    return RobotFacts(
        element=robot.document.root,
        root=robot.root,
        links=robot.links.keys(),
        child_of={name: joint.child for name, joint in robot.named.items() if not removed(name)},
        extras={link.name: link.extras for link in robot.links.values()},
    )


def _drop_doubles(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Keep the first of equal nameless tags in merged links."""
    # The first element by its link in the result and its tag.
    first_by_tag: Dict[Pair, Element] = {}
    # The target's own tags come first, whatever the order in the file.
    for merged in (False, True):
        for link in robot.links.values():
            origin = link.source.find("origin") if merged and changes.is_merged(link.name) else None
            if origin is not None:
                changes.note(origin, "unread-origin", link.name)
            for element in link.extras if changes.is_merged(link.name) == merged else ():
                target = changes.target(link.name)
                if element.name == "contact":
                    # `Surfaces` has decided its values.
                    if any(part.offset in changes.unused_tags for part in element.elements()):
                        changes.drop(element)
                    continue
                first = first_by_tag.setdefault((target, element.name), element)
                # Duplicates within a single link were in the input.
                if first.parent is element.parent or element.get("name") is not None:
                    continue
                changes.drop(element)
                if content(first) != content(element):
                    line = f"{first.line}"
                    changes.warn(element, MERGED_CONTENT, "differ", link.name, target, line)


def _name_materials(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Name materials without a name if shapes of several links come together.

    urdfdom (link.cpp) drops every shape of a link that has a nameless material. An empty material gets an empty name:
    any other name would mean that the material is defined elsewhere.
    """
    # Only if links come together: a nameless material in a single link was in the input.
    targets = {link: changes.content_in(link) for link in robot.links}
    joined = {targets[link] for link, _ in robot.shapes if targets[link] != link}
    visuals = [
        (link, shape)
        for link, shape in robot.shapes
        if targets[link] in joined
        and shape.kind == "visual"
        and shape.source.offset not in changes.removed_shapes
    ]
    firsts = [(link, shape.source.find("material")) for link, shape in visuals]
    nameless = [
        (link, material)
        for link, material in firsts
        if material is not None and material.get("name") is None
    ]
    everything = robot.document.root.walk() if nameless else ()
    names = {element.get("name") for element in everything if element.name == "material"}
    for link, material in nameless:
        name = unique(f"{link}_material", names) if defines(material) else ""
        names.add(name)
        changes.set(material, "name", name)
        changes.note(material, "unnamed", name)


def _check_extra(changes: ReferenceChanges, element: Element, link: str) -> None:
    """Warn of numbers other than poses in a link whose frame changes; `<frame>` and `<sensor>` are fully known."""
    posed = posed_itself(element) or element.find("origin") is not None
    pose = element.find("pose")
    if pose is not None and pose.get("relative_to"):
        changes.warn(element, UNREADABLE_POSE, "elsewhere")
    if (
        element.name not in ("frame", "sensor", "contact")
        and changes.is_frame_changed(link)
        and holds_number(element, but=("pose", "origin", *ORIGIN_KEYS) if posed or pose else ())
    ):
        changes.warn(element, UNKNOWN_POSE, "in-link", link, changes.way_to_keep(link))


def _warn_of_joint_parts(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Warn of each number outside URDF in a flipped joint; a zero has no sign.

    | unknown elements and attributes in a joint | warning; unknown attributes of a link too | | with a number:
    warning |
    """
    for joint in robot.joints:
        if not changes.is_remapped(joint.name) or changes.is_merged(joint.child):
            continue
        for part in (joint.source, *joint.source.elements()):
            known_attributes = ("name", "type") if part is joint.source else OF_JOINT.get(part.name)
            tag = f"<{part.name}>"
            unknown_numbers = []
            if known_attributes is not None:
                for key, value in part.attributes.items():
                    if key not in known_attributes and has_number(value, zero=False):
                        unknown_numbers.append(f"{tag} {key}")
            elif part.name not in WITHOUT_SIGN and holds_number(part, zero=False):
                unknown_numbers.append(tag)
            if unknown_numbers:
                changes.warn_of_joint(part, "part", joint.name, ", ".join(unknown_numbers))


def _warn_of_the_rest(changes: ReferenceChanges, references: Sequence[NameReference]) -> None:
    """Warn of each reference to a removed link or joint that no edit renames and no drop removes.

    | the rest of `<mujoco>`, and unknown tags | warning | with a number: warning | warning |
    """
    # Checks are in this order because a name may belong to a link and a joint, and a removed frame matters more than a
    # changed sign.
    renamed = {(edit.element.offset, edit.attribute) for edit in changes.edits if not edit.child}
    for reference in references:
        element = reference.element
        name = reference.name
        if changes.is_dropped(element):
            continue
        if reference.whole and (element.offset, reference.attribute) in renamed:
            continue
        # For an attribute, numbers in the same element count; for a text, numbers in the parent element.
        neighbor = element
        if not reference.attribute and element is not reference.top:
            neighbor = element.parent or element
        if changes.is_merged(name):
            kind = FRAME_NAME if "frame" in element.name.lower() else MERGED_LINK
        elif changes.is_removed_joint(name) and not changes.is_known_link(name):
            kind = REMOVED_JOINT
        elif changes.is_remapped(name) and not (
            reference.whole and _is_follower_of_joints(reference, changes.is_known_link(name))
        ):
            changes.warn_of_joint(element, "named", name, reference.place)
            continue
        elif (
            not is_known(reference.top)
            and changes.is_frame_changed(name)
            and holds_number(neighbor)
        ):
            kind = UNKNOWN_POSE
        else:
            continue
        target = [changes.target(name)] if changes.is_merged(name) else []
        changes.warn_at(element, kind, "named", reference.place, name, *target)


def _warn_of_nameless_numbers(
    changes: ReferenceChanges, references: Sequence[NameReference]
) -> None:
    """Warn of numbers in unknown tags without a name beside them: a gravity, or the ratio of a `<coupling>`.

    | numbers in them without a name | | three or more, as a gravity, and the base turns: warning | if the tag names others: warning |
    """
    robot = changes.robot
    base_turns = changes.is_frame_rotated(robot.root)
    joints_change = any(map(changes.is_remapped, robot.named))
    naming = {reference.element.offset for reference in references}
    naming |= {reference.top.offset for reference in references}
    for top in robot.document.root.elements():
        if is_known(top) or top.name in ("link", "joint", "material"):
            continue
        # Numbers about a joint need its name somewhere in the tag; a direction without a name is along the base.
        of_joint = joints_change and top.offset in naming
        for element in top.elements():
            depends = base_turns and _holds_vector(element) or of_joint and holds_number(element)
            if depends and element.offset not in naming:
                changes.warn(element, UNKNOWN_POSE, "nameless")


def _holds_vector(top: Element) -> bool:
    """Return True if a text or attribute has three or more numbers; a time step or a count does not depend on the base."""
    texts: List[str] = []
    for part in top.walk():
        texts += [part.text(), *part.attributes.values()]
    return any(numbers_in(text, max(3, len(text.split()))) for text in texts)


def _is_follower_of_joints(reference: NameReference, also_a_link: bool) -> bool:
    """Return True if the sign of a joint does not matter to a reference, or a rule handles it.

    `also_a_link`: a link has the same name.
    """
    element = reference.element
    top = reference.top
    key = reference.attribute
    named_by = element.name.lower() if key in ("", "name") else key.lower()
    if also_a_link and any(word in named_by for word in ("link", "body", "frame")):
        return True
    if top.name != "gazebo":
        return top.name in RULES and top.name != "frame"
    own_name = key == "name" and element.name in NAMED_ITSELF
    of_simulator = element.name in ("parent", "child")  # links of a simulator's joint
    frame = key.split(":")[-1] in FRAME_KEYS
    in_mimic = any(map(is_mimic_plugin, element.upward()))
    return element is top or own_name or of_simulator or frame or in_mimic


def _warn_of_inline_values(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Warn of flipped joints named with an inline value, as in `<pid>knee:1.0</pid>`.

    | inline values, as `knee:1.0` | | | warning |
    """
    for top in outside_urdf(robot):
        for element in top.walk():
            for value in (*element.attributes.values(), element.text()):
                is_bare = ":" not in value and "=" not in value
                if is_bare or changes.is_dropped(element):
                    continue
                for name in dict.fromkeys(re.findall(INLINE_NAME, value)):
                    changes.warn_of_joint(element, "inline", name, f"<{element.name}>")
