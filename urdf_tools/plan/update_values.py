"""The updates of values outside links and joints for the change of their frame or joint, with an editor for each kind."""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.run_diagnostics import (
    CONTACT_COLLISION,
    FLIPPED_JOINT,
    MOVED_ZERO,
    UNREADABLE_POSE,
)
from ..base.number_text import format_numbers, mapped_text, numbers_in, same_numbers, without_noise
from ..facts.robot_values import (
    AXES,
    COLLISION,
    COLLISION_NAME,
    DIRECTION,
    FRAME,
    FRAME_POSE,
    LINK,
    OFFSET_POSE,
    ORIGIN,
    Place,
    POSE,
    RANGE,
    RANGE_OF,
    SIGNED,
    FrameDependentValue,
)
from ..facts.simulator_values import SDF_TRUE
from ..urdf.lossless_xml import Element
from ..urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    matrix_from_rpy,
    rotate,
    Transform,
    rpy_from_matrix,
)
from .reference_updates import ANGLE_NOISE_OF_POSES, ReferenceChanges, LENGTH_NOISE_OF_POSES

# SDF 1.9 allows a quaternion in a <pose>. The quat_xyzw of URDF 1.1 is read in links and joints only.
QUATERNIONS = frozenset(("rotation_format", "quat_xyzw"))


def text_at(place: Place) -> str:
    """Return the text at a place, or "" for a child that does not exist yet."""
    element, key = place
    # A key is `<tag>` for a child to be made, "" for the text, and otherwise an attribute.
    if key.startswith("<"):
        return ""
    text = (element.get(key) or "") if key else element.text()
    return text.strip()


def _write_value(changes: ReferenceChanges, place: Place, text: str) -> None:
    """Write a text to a place, making the child if necessary."""
    element, key = place
    if key.startswith("<"):
        changes.set(element, "", text, child=key[1:-1])
    else:
        changes.set(element, key, text)


def _leave(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Warn of a value that stays, if the table has a warning for it."""
    if value.warning is not None:
        joints_of_value = chain(*value.signs, value.zeros)
        joints = [joint for joint in joints_of_value if changes.is_remapped(joint)]
        names = [value.link, changes.way_to_keep(value.link)] if value.link else joints
        changes.warn(value.element, *value.warning, *names)


def angle_unit(pose: Optional[Element]) -> float:
    """Return the unit of the angles of a `<pose>` [rad]."""
    return math.radians(1.0) if pose is not None and pose.get("degrees") in SDF_TRUE else 1.0


def _update_pose(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Express a pose in the new frame of its link: six numbers in one place, or three in each of two.

    Missing numbers are zero. Numbers that differ only by rounding keep their text.
    """
    T_new_old = changes.T_new_old(value.link)
    if T_new_old == IDENTITY_POSE:
        return
    places = _places_of_numbers(value)
    count = 6 // len(places)
    old = []
    for element, key, child in places:
        text = "" if child else text_at((element, key))
        numbers = numbers_in(text or "0 " * count, count)
        if numbers is None or not QUATERNIONS.isdisjoint(element.attributes):
            changes.warn(value.element, UNREADABLE_POSE, value.kind)
            return
        old.append(numbers)

    x, y, z, roll, pitch, yaw = chain(*old)
    factor = angle_unit(places[0][0]) if value.kind == POSE else 1.0
    R = matrix_from_rpy((roll * factor, pitch * factor, yaw * factor))
    moved = compose(T_new_old, Transform(R, (x, y, z)))
    xyz = without_noise(moved.translation, LENGTH_NOISE_OF_POSES)
    rpy = without_noise(rpy_from_matrix(moved.rotation), ANGLE_NOISE_OF_POSES)
    numbers = (*xyz, *(angle / factor for angle in rpy))
    new = [numbers[start : start + count] for start in range(0, 6, count)]
    if not all(map(same_numbers, old, new)):
        for (element, key, child), part in zip(places, new):
            changes.set(element, key, format_numbers(part), child)
        changes.note(value.element, value.kind, value.link)


def _places_of_numbers(value: FrameDependentValue) -> List[Tuple[Element, str, str]]:
    """Return the places of the numbers of a pose: element, attribute ("" for the text), and the child to be made."""
    places = []
    for element, key in value.places:
        child = key[1:-1] if key.startswith("<") else ""
        attribute = "" if child else key
        places.append((element, attribute, child))
    if value.kind == ORIGIN:
        element, _, child = places[0]
        return [(element, "xyz", child), (element, "rpy", child)]
    return places


def _update_direction(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Express a direction along the axes of the new frame of its link."""
    R_new_old = changes.T_new_old(value.link).rotation
    if R_new_old == IDENTITY:
        return
    (place,) = value.places
    old = numbers_in(text_at(place), 3)
    if old is None:
        changes.warn(value.element, UNREADABLE_POSE, value.kind)
        return
    x, y, z = old
    new = without_noise(rotate(R_new_old, (x, y, z)), ANGLE_NOISE_OF_POSES)
    if not same_numbers(old, new):
        _write_value(changes, place, format_numbers(new))
        changes.note(value.element, value.kind, value.link)


def _check_frame(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Warn of a value that cannot be expressed in the new frame."""
    # A pose depends on the position of the frame, a direction only on its orientation.
    has_changed = changes.is_frame_changed if value.kind == FRAME_POSE else changes.is_frame_rotated
    if has_changed(value.link):
        _leave(changes, value)


def _mapped_number(
    changes: ReferenceChanges, place: Place, sign: int, added: Sequence[Sequence[str]]
) -> str:
    """Return the number at a place, plus products and times a sign; a missing number is 0.

    An unreadable number gets a warning, and "" is returned.
    """
    text = text_at(place)
    # A child that does not exist yet counts as 0.
    number = "0" if place[1].startswith("<") else text
    try:
        return mapped_text(number, sign, *added)
    except (ArithmeticError, ValueError):
        for kind, holds in ((FLIPPED_JOINT, sign < 0), (MOVED_ZERO, bool(added))):
            if holds:
                changes.warn(place[0], kind, "number", text)
        return ""


def _zeros_of(changes: ReferenceChanges, value: FrameDependentValue) -> List[Texts]:
    """Return the products that are added to a number because the zeros of its joints move."""
    terms = [
        *((joint, "-1") for joint in value.zeros),
        *((joint, text_at(place) or "1" if place else "1") for joint, place in value.terms),
    ]
    return [
        (factor, repr(changes.map_of(joint).zero))
        for joint, factor in terms
        if changes.map_of(joint).zero
    ]


def _update_number(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Update a number for the signs and zeros of its joints.

    If only a part of a group of joints flips, no number can follow, and a warning is given.
    """
    groups = [set(map(changes.is_flipped, group)) for group in value.signs]
    added = _zeros_of(changes, value)
    # Each flipped group changes the sign once: two cancel out.
    sign = -1 if sum(group == {True} for group in groups) % 2 else 1
    # No update exists if part of a group flips, or if a group flips while another group has no joints.
    if {True} in groups and set() in groups or {True, False} in groups:
        _leave(changes, value)
    elif (sign < 0 or added) and not value.places:
        _leave(changes, value)
    elif sign < 0 or added:
        element, key = value.places[0]
        missing = key.startswith("<")
        new = _mapped_number(changes, value.places[0], sign, added)
        if not new or missing and float(new) == 0.0:
            return
        _write_value(changes, value.places[0], new)
        name = element.name if key in ("", "value") else key.strip("<>")
        if element.name == "param":
            name = element.get("name") or name
        if added:
            changes.note(value.element, "becomes", name, new)
        else:
            changes.note(value.element, "negated", name)


def _update_range(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Update the parameters of a range; a flipped sign swaps the bounds, and a lone bound becomes the opposite bound."""
    joint_map = changes.map_of(value.signs[0][0])
    added = _zeros_of(changes, value)
    if joint_map.sign > 0 and not added:
        return
    # The elements of the bounds by their names.
    bounds = {element.get("name") or "": element for element, key in value.places if not key}
    new_values = {}  # texts, by the name of the bound that each becomes
    for name, element in bounds.items():
        end = RANGE_OF[name] if joint_map.sign < 0 else name
        new_values[end] = _mapped_number(changes, (element, ""), joint_map.sign, added)
    # If one bound is a template such as `{x}`, leave the other too: changing it alone would change the range.
    if not all(new_values.values()):
        return
    for name, element in bounds.items():
        end = name
        if name not in new_values:
            end = RANGE_OF[name]
            changes.set(element, "name", end)
        _write_value(changes, (element, ""), new_values[end])
    changes.note(value.element, "zero" if added else "negated", ", ".join(bounds))


def _update_link_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Replace the name of a merged link by the name of its target; other names stay."""
    ((element, key),) = value.places
    changes.rename_link(element, key, value.link)


def _update_frame_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Rename a frame only if the target's frame coincides with it: programs look up frames in TF.

    | names of TF frames in it | renamed if it is the same frame, else a warning | warning | |
    """
    ((element, key),) = value.places
    if changes.is_merged(value.link) and not changes.is_frame_changed(value.link):
        changes.rename_link(element, key, value.link)
    elif changes.is_frame_rotated(value.link) and not changes.is_merged(value.link):
        _leave(changes, value)


def _update_collision_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Name the collision of a contact sensor: a nameless collision gets the name that simulators generate for it.

    The generated name contains the index of the collision in its link, so it changes if the link is merged, or loses or
    gains collisions.

    | collisions of its contact sensors | the collision is given the name | | |
    """
    element = value.element
    text = element.text().strip()
    named = [
        shape
        for _, shape in changes.robot.shapes
        if shape.kind == "collision" and shape.source.get("name") == text
    ]
    # `foot_collision_1`, or lumped `base_fixed_joint_lump__foot_collision_1` (sdformat).
    match = re.fullmatch(COLLISION_NAME, text)
    # A written name takes precedence; otherwise it may be generated: `<link>_collision` and an index.
    if named:
        if all(shape.source.offset in changes.removed_shapes for shape in named):
            changes.warn(element, CONTACT_COLLISION, "removed", text)
    elif match and changes.is_known_link(match.group(2)):
        lumped, link, index = match.groups()
        _update_generated_name(changes, element, bool(lumped), link, int(index or 0))


def _update_generated_name(
    changes: ReferenceChanges, element: Element, lumped: bool, link: str, index: int
) -> None:
    """Write the name that simulators generate for a collision into that collision, if it would change.

    `lumped`: Gazebo has lumped the link of the collision into a different link.
    """
    text = element.text().strip()
    shapes = changes.robot.links[link].collisions
    if link in changes.kept_frames and shapes:
        holder = changes.content_in(link)
        changes.warn(element, CONTACT_COLLISION, "elsewhere", text, link, holder)
        return
    has_lost_some = any(shape.source.offset in changes.removed_shapes for shape in shapes)
    if not changes.is_merged(link) and not has_lost_some:
        # The name stays the same, but the index of a lumped collision counts all collisions of the body.
        if lumped and _gets_collisions(changes, link):
            changes.warn(element, CONTACT_COLLISION, "others", text, link)
        return
    # A single lumped collision is numbered among the collisions of its body.
    index = 0 if lumped and len(shapes) == 1 else index
    shape = shapes[index].source if index < len(shapes) else None
    if shape is None or shape.get("name") or shape.offset in changes.removed_shapes:
        changes.warn(element, CONTACT_COLLISION, "made-up-removed", text, link)
        return
    name = changes.new_collision_names.setdefault(shape.offset, text)
    if name == text:
        changes.set(shape, "name", text)
        changes.note(element, "collision", link, text)
    else:
        changes.set(element, "", name)
        changes.note(element, "renamed", text, name)


def _gets_collisions(changes: ReferenceChanges, link: str) -> bool:
    """Return True if other links' collisions move to a link."""
    return any(
        link == changes.content_in(name)
        for name, other in changes.robot.links.items()
        if name != link and other.collisions
    )


# Each editor updates a value of its kind, or warns that it is not updated.
EDITORS: Dict[str, Callable[[ReferenceChanges, FrameDependentValue], None]] = {
    POSE: _update_pose,
    ORIGIN: _update_pose,
    OFFSET_POSE: _update_pose,
    DIRECTION: _update_direction,
    AXES: _check_frame,
    FRAME_POSE: _check_frame,
    SIGNED: _update_number,
    RANGE: _update_range,
    LINK: _update_link_name,
    FRAME: _update_frame_name,
    COLLISION: _update_collision_name,
}
