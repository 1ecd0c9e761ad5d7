"""The proof of the values of elements outside links and joints, in numbers of the world: signs undone, poses at zero.

The values, and the places where they are written, are determined in the same way for both texts (`facts.values`). A
value of the result must be equal to the value of the input, or its text unchanged, with a warning.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from itertools import chain
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.number_text import grouped
from ..base.record_type import Record
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
    POSE,
    RANGE,
    RANGE_OF,
    SIGNED,
    RobotFacts,
    FrameDependentValue,
)
from ..facts.frame_dependent_values import values_in
from ..urdf.urdf_records import AS_IT_WAS, JointMap
from ..urdf.lossless_xml import Element
from ..urdf.spatial_math import IDENTITY_POSE, Transform, Poses, Vector, ZERO
from .shared_proof_state import (
    ComparedRobots,
    NAME_LEFT,
    ElementPairing,
    POSE_LEFT,
    SIGN_LEFT,
    TOLERANCE,
)
from .verify_looks import COPY_TOLERANCE
from .proof_robot import number_of, numbers_of, pose_of_origin, ProofRobot, vector_of
from .rigid_motion import composed, rotated, rpy_rotation


class ValueContext(Record):
    """The input or the result, as the rules on values read it.

    Attributes:
        tree: its elements for the rules of `facts.values`; both have the links and joints of the input.
        frames: T_world_link of all links of the input; a removed link has the frame of the link that has its content,
            because a removed joint is a name of that frame in SDF.
        maps: for the input, by joint name, the map of its position to the result; empty for the result.
        size: the largest distance of a link, shape or center of mass from the root [m].
    """

    robot: ProofRobot
    tree: RobotFacts
    frames: Poses
    maps: Dict[str, JointMap]
    size: float


class WorldValue(Record):
    """A value with its possible numbers in the world, and the tolerance for the numbers of the result."""

    value: FrameDependentValue
    numbers: Sequence[Sequence[float]]
    tolerance: float


def verify_values(pairing: ElementPairing) -> None:
    """Verify each value of the input in the result, and mark the attributes and texts that contain it as proven."""
    comparison = pairing.comparison
    before = _view(comparison, comparison.before, comparison.maps)
    after = _view(comparison, comparison.after, {})
    values_after = grouped(
        ((world_value.value.element.offset, world_value.value.kind), world_value)
        for world_value in _values_in_world(after)
    )
    for value, numbers, tolerance in _values_in_world(before):
        element, places = value.element, value.places
        offsets = {element.offset, *(part.offset for part in element.elements("param"))}
        # The element is removed, or it is a mimic parameter of ros2_control whose leader is removed.
        if not pairing.partner.keys() >= offsets:
            continue
        written_values = values_after.get((pairing.partner[element.offset].offset, value.kind))
        written = written_values.pop(0).numbers if written_values else ()
        pairing.proven.update((holder.offset, key) for holder, key in places)
        distance = _least_distance(numbers, written)
        if not distance <= tolerance:
            kinds = SIGN_LEFT if value.kind in (SIGNED, RANGE) else POSE_LEFT | NAME_LEFT
            holders = (element, *(holder for holder, _ in places))
            excused = any(pairing.is_excused(holder, kinds) for holder in holders)
            pairing.require(
                excused and _is_kept(value, pairing),
                f"<{element.name}> of line {element.line}: its "
                f"{value.kind} in the world is off by {distance:.3g}",
            )


def _is_kept(value: FrameDependentValue, pairing: ElementPairing) -> bool:
    """Return True if all attributes and texts that contain a value are unchanged."""
    return all(
        _written(holder, key) == _written(pairing.partner[holder.offset], key)
        for holder, key in value.places
    )


def _least_distance(
    old_numbers: Sequence[Sequence[float]], new_numbers: Sequence[Sequence[float]]
) -> float:
    """Return the least distance between the possible numbers of two values; infinite without numbers."""
    least = math.inf
    for old in old_numbers:
        for new in new_numbers:
            if old == new:  # equal infinities have no difference
                return 0.0
            if len(old) == len(new):
                least = min(least, math.dist(old, new))
    return least


def _view(comparison: ComparedRobots, robot: ProofRobot, maps: Dict[str, JointMap]) -> ValueContext:
    """Return the input or the result with the maps of its joints."""
    before = comparison.before
    frames: Poses = {}
    for name in before.links:
        holder = name if name in robot.links else comparison.plan.members[name].target
        frames[name] = robot.T_world[holder]
    tree = RobotFacts(
        element=robot.document.root,
        root=before.root,
        links=before.links.keys(),
        child_of={name: joint.child for name, joint in before.named.items()},
        extras=robot.others,
    )
    return ValueContext(robot=robot, tree=tree, frames=frames, maps=maps, size=comparison.size)


def _values_in_world(view: ValueContext) -> Iterator[WorldValue]:
    """Yield the values of the input or the result that have numbers in the world."""
    for value in values_in(view.tree):
        world_value = _in_world(view, value)
        if world_value is not None:
            yield world_value


def _in_world(view: ValueContext, value: FrameDependentValue) -> Optional[WorldValue]:
    """Return a value in the world; None for a value without a frame or an unreadable value, which must not change."""
    with suppress(ValueError):  # from `number_of` and similar functions, for an unreadable text
        if value.kind == RANGE:
            return _range_in_world(view, value)
        if value.kind == SIGNED:
            return _number_in_world(view, value)
        if value.kind == COLLISION:
            places = _collisions_called(view, _written(*value.places[0]))
            if not places:
                return None
            return WorldValue(value, [_flat(T, 1.0) for T in places], COPY_TOLERANCE)
        frames = view.frames if value.kind == POSE else view.robot.T_world
        T = frames.get(value.link)
        if T is None or value.kind == LINK:
            return None
        # The plan does not warn of a frame that is turned or shifted by at most SAME_FRAME. A turn by an angle a changes
        # the nine numbers of a rotation by sqrt(2) a: ten times TOLERANCE covers it, and the rounding of the plan.
        if value.kind == AXES:
            return WorldValue(value, [sum(T.rotation, ())], 10.0 * TOLERANCE)
        if value.kind in (FRAME, FRAME_POSE):
            return WorldValue(value, [_flat(T, view.size)], 10.0 * TOLERANCE * max(1.0, view.size))
        if value.kind == DIRECTION:
            # A direction of friction has any length, so the error is relative to it.
            direction = _vector_at(*value.places[0])
            size = max(1.0, math.hypot(*direction))
            return WorldValue(value, [rotated(T.rotation, direction)], 10.0 * TOLERANCE * size)
        pose = _POSES[value.kind](value)
        return WorldValue(value, [_flat(composed(T, pose), view.size)], TOLERANCE * view.size)
    return None


def _number_in_world(view: ValueContext, value: FrameDependentValue) -> WorldValue:
    """Return a number after the joints are mapped: its product with their signs, after their zeros are added.

    A number without a place in the file is 1, and a missing child is 0. If the signs of the joints in a group differ,
    no number is possible.
    """
    signs_of_groups = [
        {view.maps.get(joint, AS_IT_WAS).sign for joint in group} for group in value.signs
    ]
    number = _number_at(*value.places[0]) if value.places else 1.0
    # A group without joints has no sign that could follow a reversed group.
    is_impossible = {-1} in signs_of_groups and set() in signs_of_groups
    if is_impossible or {-1, 1} in signs_of_groups:
        return WorldValue(value, (), 0.0)
    # Each term is the zero of a joint, times the number at its place.
    added: List[float] = []
    for joint, where in value.terms:
        factor = _number_at(*where) if where else 1.0
        added.append(factor * view.maps.get(joint, AS_IT_WAS).zero)
    subtracted = [-view.maps.get(joint, AS_IT_WAS).zero for joint in value.zeros]
    moved = math.fsum([number, *added, *subtracted])
    # From here on, each group has a single sign, or none.
    sign = math.prod(chain.from_iterable(signs_of_groups))
    # `format_number` keeps a number to 1e-12 of itself. The largest part counts, because parts may cancel.
    tolerance = 1e-12 * max([1.0, abs(number), *map(abs, added)])
    return WorldValue(value, [(moved * sign,)], tolerance)


def _number_at(element: Element, key: str) -> float:
    """Return the number in an attribute or a text, 0 for a missing child."""
    return 0.0 if key.startswith("<") else number_of(_written(element, key))


def _range_in_world(view: ValueContext, value: FrameDependentValue) -> WorldValue:
    """Return the parameters of a range, in the order of RANGE_OF; for a flipped joint the ends are exchanged."""
    sign, zero = view.maps.get(value.signs[0][0], AS_IT_WAS)
    if not value.zeros:  # a velocity or an effort does not depend on the zero
        zero = 0.0
    numbers: List[Tuple[int, float]] = []
    for parameter, key in value.places:
        name = parameter.get("name") or ""
        if not key:
            end = name if sign > 0 else RANGE_OF[name]
            index = list(RANGE_OF).index(end)
            numbers.append((index, sign * (number_of(parameter.text()) - zero)))
    tolerance = 1e-12 * max(1.0, *(abs(number) for _, number in numbers))
    return WorldValue(value, [tuple(chain.from_iterable(sorted(numbers)))], tolerance)


def _written(element: Element, key: str) -> str:
    """Return an attribute, the text for "", or for "<name>" whether the child exists."""
    if key.startswith("<"):
        return str(element.find(key[1:-1]) is not None)
    if not key:
        return element.text().strip()
    return element.get(key) or ""


def _flat(T: Transform, size: float) -> Reals:
    """Return a pose as numbers: the position [m], and the rotation times the distance `size` [m]."""
    return (*T.translation, *(size * entry for entry in chain.from_iterable(T.rotation)))


def _of_pose(value: FrameDependentValue) -> Transform:
    """Return the pose of an element by its `<pose>`, the identity without a `<pose>`."""
    pose = value.element.find("pose")
    if pose is None or not pose.text().strip():
        return IDENTITY_POSE
    if pose.get("rotation_format"):
        raise ValueError
    x, y, z, a, b, c = numbers_of(pose.text(), 6)
    factor = math.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
    return Transform(rpy_rotation(factor * a, factor * b, factor * c), (x, y, z))


def _of_offsets(value: FrameDependentValue) -> Transform:
    """Return the pose of a position and of roll, pitch and yaw in separate elements."""
    position, angles = value.places
    return Transform(rpy_rotation(*_vector_at(*angles)), _vector_at(*position))


def _vector_at(element: Element, key: str) -> Vector:
    """Return the three numbers in an attribute or a text, zeros for a missing child."""
    if key.startswith("<"):
        return ZERO
    return vector_of(_written(element, key) or None)


_POSES: Dict[str, Callable[[FrameDependentValue], Transform]] = {
    POSE: _of_pose,
    ORIGIN: lambda value: pose_of_origin(value.element.find("origin") or value.element),
    OFFSET_POSE: _of_offsets,
}


def _collisions_called(view: ValueContext, name: str) -> List[Transform]:
    """Return the poses in the world of the collisions with a name, which may be the name that sdformat makes up."""
    links = view.robot.links
    poses: List[Tuple[str, Transform]] = []
    for link, element in links.items():
        for shape, pose in _collisions_in(element):
            if shape.get("name") == name:
                poses.append((link, pose))
    # sdformat names a collision without a name by its link and its number.
    match = re.fullmatch(COLLISION_NAME, name)
    if not poses and match is not None and match.group(2) in links:
        shapes = _collisions_in(links[match.group(2)])
        index = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        poses = [
            (match.group(2), pose)
            for shape, pose in shapes[index : index + 1]
            if not shape.get("name")
        ]
    return [composed(view.robot.T_world[link], pose) for link, pose in poses]


def _collisions_in(link: Element) -> List[Tuple[Element, Transform]]:
    """Return the collisions of a link, each with its pose in the link."""
    return [(shape, pose_of_origin(shape.find("origin"))) for shape in link.elements("collision")]
