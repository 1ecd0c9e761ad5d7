"""The proof that the result has the same motion, masses and appearance as the input.

Both texts are read by code that only the proof uses (`raw_robot`, `rigid_motion`). From the plan come only names and
choices (merged, removed and renamed elements, flipped joints, the base rotation), none of its numbers. At zero every
shape, mass and joint axis must have the same pose in the world; at random positions every body must have made the same
motion. A body is rigid, so both together hold for every shape and mass at every position. The axes give the signs of
joints, and the note on the maps of positions must agree with them.
"""

from __future__ import annotations

import math
import random
from fnmatch import fnmatchcase
from typing import Dict, List, Optional, Tuple

from ..base.type_aliases import Pair, Texts
from ..base.number_text import count_of
from ..base.record_type import Record
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import AS_IT_WAS, POSITIONS
from ..urdf.urdf_notes import from_note, NotedJointMap, read_joint_map, signs_noted
from ..urdf.spatial_math import IDENTITY_POSE, Transform, Poses, UNIT_AXES, ZERO
from ..plan.link_merging import COPY, POSE_TOLERANCE
from .shared_proof_state import (
    ComparedRobots,
    figure_text,
    LEAST_GYRATION,
    ROUNDING,
    SAMPLES,
    TOLERANCE,
)
from .verify_looks import verify_shapes
from .verify_other_elements import verify_outside
from .proof_robot import (
    Mass,
    mass_in,
    moments_about,
    number_of,
    raw_positions,
    ProofJoint,
    ProofRobot,
    SLIDING,
    TURNING,
    world_motion,
)
from .rigid_motion import angle_between_rotations, composed, rotated, transform_point

# `format_number` keeps a number to 1e-12 of itself; absolute below 1, because a zero is subtracted from the number.
TEXT_ROUNDING = 1e-12
JOINT_PARTS = ("limit", "safety_controller", "dynamics", "calibration")


class EquivalenceProof(Record):
    """The worst errors of a proof, all within their tolerances; 0 is less than 1e-12.

    Attributes:
        position, angle: the errors of frames and shapes, beyond the errors that moved axes explain [m, rad].
        axis: the largest angle by which cleaning turned a joint axis [rad].
        mass, inertia: the relative errors of bodies.
        center: the error of centers of mass [m].
        limits: the relative error of limits, soft limits, calibrations and mimic values.
        bodies, shapes, samples: the numbers of compared bodies, shapes and random positions.
    """

    position: float
    angle: float
    axis: float
    mass: float
    center: float
    inertia: float
    limits: float
    bodies: int
    shapes: int
    samples: int


def verify_robot(comparison: ComparedRobots) -> EquivalenceProof:
    """Compare input and result, and return the worst errors.

    Raises:
        ProofFailed: names the first element beyond its tolerance.
    """
    shapes = verify_shapes(comparison)
    verify_outside(comparison)
    verify_signs(comparison)
    verify_joint_map(comparison)
    _verify_masses(comparison)
    _verify_numbers(comparison)
    # A fixed seed, so that equal runs make equal proofs.
    generator = random.Random(0)
    for _ in range(SAMPLES):
        _verify_motion(comparison, generator)
    figure = comparison.worst.figure
    return EquivalenceProof(
        position=figure("position"),
        angle=figure("angle"),
        axis=max(figure("joint axis"), figure("angle of a fixed frame")),
        mass=figure("mass"),
        center=figure("center of mass"),
        inertia=figure("inertia"),
        limits=figure("limits"),
        bodies=len(comparison.after.links),
        shapes=shapes,
        samples=SAMPLES,
    )


def _verify_masses(comparison: ComparedRobots) -> None:
    """Compare the mass, first and second moments of every link of the result with the sums over its links in the input.

    Moments about a common point of the world add up, so nothing is merged here. The point is the center of mass of the
    body in the input, because far from it rounding would hide the mass of a small part.
    """
    before = comparison.before
    plan = comparison.plan
    for name, link in comparison.after.links.items():
        sources = comparison.sources[name]
        if plan.options.count_once:  # a part that was exported twice has its mass once
            sources = [part for part in sources if plan.members[part].kind != COPY]
        parts = [mass_in(before.links[part], before.T_world[part]) for part in sources]
        masses = [part for part in parts if part is not None]
        mass_of_link = mass_in(link, comparison.after.T_world[name])
        if not masses and mass_of_link is None:
            continue
        _compare_moments(comparison, f"link '{name}'", masses, mass_of_link)
        comparison.require(
            _tensor_given_twice(link) in ((), _tensor_given_twice(before.links[name])),
            f"link '{name}': iyx, izx, izy differ from ixy, ixz, iyz",
        )


def _compare_moments(
    comparison: ComparedRobots, where: str, masses: List[Mass], mass_of_link: Optional[Mass]
) -> None:
    """Compare the masses of parts with the mass of the link into which they were merged, about their center of mass."""
    worst = comparison.worst
    mass, x, y, z = moments_about(ZERO, masses)[:4]
    point = (x / mass, y / mass, z / mass) if mass > 0.0 else ZERO

    old = moments_about(point, masses)
    after = [mass_of_link] if mass_of_link is not None else []
    new = moments_about(point, after)
    worst.require(mass_of_link is not None or not any(old), f"{where} lost its mass")
    # The bound only prevents a division by zero: it is smaller than any mass.
    worst.note("mass", abs(new[0] - mass) / max(mass, 1e-300), TOLERANCE, where)
    if mass > 0.0:
        distance = math.dist(new[1:4], old[1:4]) / mass
        worst.note("center of mass", distance, TOLERANCE * comparison.size, where, " m")

    error = max(abs(a - b) for a, b in zip(old[4:], new[4:]))
    # A center of mass far from the root is rounded by ROUNDING of this distance.
    radius = max(LEAST_GYRATION, ROUNDING * comparison.size)
    largest = max(max(map(abs, old[4:])), mass * radius**2)
    relative_error = error / largest if largest else error
    worst.note("inertia", relative_error, TOLERANCE, where)


def _tensor_given_twice(link: Element) -> Texts:
    """Return the written tensor if iyx, izx or izy exists and differs from the opposite entry, else ()."""
    inertia = next((part for part in link.walk() if part.name == "inertia"), link)
    # URDF has only the upper entries. Some exporters write both, and parsers ignore the lower entries: if they differ, the
    # intended value is not known, so the text must stay. The slices turn ixy into iyx.
    pairs = [(inertia.get(key), inertia.get(key[0] + key[:0:-1])) for key in ("ixy", "ixz", "iyz")]
    if all(other is None or number_of(other) == number_of(value) for value, other in pairs):
        return ()
    return tuple(f"{key}={value}" for key, value in sorted(inertia.attributes.items()))


def _verify_numbers(comparison: ComparedRobots) -> None:
    """Compare limits, soft limits and calibration of each joint through its sign, and its other attributes as text."""
    worst = comparison.worst
    for joint in comparison.after.joints.values():
        old = comparison.before.joints[joint.child]
        where = f"joint '{joint.name}'"
        sign = comparison.plan.joints[joint.child].map.sign
        numbers, other_values = _values_of(joint, 1)
        old_numbers, old_other_values = _values_of(old, sign)
        if joint.type != old.type:  # a duplicate joint, of which only the frame is kept
            worst.require(
                not (numbers or other_values or joint.mimic), f"{where} is to be a frame only"
            )
            continue
        worst.require(numbers.keys() == old_numbers.keys(), f"{where} lost or gained a limit")
        for key, value in old_numbers.items():
            if numbers[key] != value:  # equal infinities have no difference
                error = abs(numbers[key] - value) / max(1.0, abs(value))
                worst.note("limits", error, TEXT_ROUNDING, f"{where} {key[1]}")
        worst.require(
            other_values == old_other_values, f"{where} changed its effort, velocity or dynamics"
        )
        _compare_mimic(comparison, joint, old, where)


def _compare_mimic(
    comparison: ComparedRobots, joint: ProofJoint, old: ProofJoint, where: str
) -> None:
    """Compare the rule of a follower through the signs of the joint and of its leader."""
    worst = comparison.worst
    worst.require((joint.mimic is None) == (old.mimic is None), f"{where} mimics otherwise")
    if old.mimic is None or joint.mimic is None:
        return
    leader, factor, shift = old.mimic
    sign = comparison.plan.joints[joint.child].map.sign
    # The factor is a ratio of two positions, so two flips cancel out.
    signs = sign * comparison.maps.get(leader, AS_IT_WAS).sign
    worst.require(joint.mimic[:2] == (leader, signs * factor), f"{where} mimics otherwise")
    error = abs(joint.mimic[2] - sign * shift) / max(1.0, abs(shift))
    worst.note("limits", error, TEXT_ROUNDING, f"{where} offset")


def _values_of(
    joint: ProofJoint, sign: int
) -> Tuple[Dict[Pair, float], List[Tuple[str, str, str]]]:
    """Return the positions in the elements of a joint, through its sign, and all other attributes.

    Readers use the first of several elements with the same tag.
    """
    numbers: Dict[Pair, float] = {}
    other_values: List[Tuple[str, str, str]] = []
    # Reversed, so that the first element with a tag stays.
    first_parts = {part.name: part for part in reversed(joint.element.elements())}
    for part in joint.element.elements():
        if part.name not in JOINT_PARTS:
            continue
        for key, value in part.attributes.items():
            mirrored = POSITIONS.get((part.name, key)) if part is first_parts[part.name] else None
            if mirrored is None:
                other_values.append((part.name, key, value))
            else:
                # If the sign changes, the ends of a range change places.
                end = key if sign > 0 else mirrored
                numbers[part.name, end] = sign * number_of(value)
    return numbers, sorted(other_values)


def _verify_motion(comparison: ComparedRobots, generator: random.Random) -> None:
    """Compare the motion of every body to a random position, drawn through the mimic rules of both files."""
    before = comparison.before
    after = comparison.after
    drawn = {}
    for child, joint in before.joints.items():
        reach = 0.2 if joint.type in SLIDING else 2.0  # [m or rad]
        drawn[child] = generator.uniform(-1.0, 1.0) * reach
    q_before = raw_positions(before, drawn)
    expected = {
        child: comparison.plan.joints[child].map.sign * q_before[child] for child in after.joints
    }
    # A follower of the result must be at its position in the input.
    q_after = raw_positions(after, expected)
    for child, joint in after.joints.items():
        if joint.type != "fixed":
            error = abs(q_after[child] - expected[child]) / max(1.0, abs(expected[child]))
            comparison.worst.note("mimic", error, TOLERANCE, f"joint '{joint.name}'")
    compare_at(comparison, q_before, q_after, generator)


def compare_at(
    comparison: ComparedRobots,
    q_before: Dict[str, float],
    q_after: Dict[str, float],
    generator: random.Random,
    where: str = "",
) -> None:
    """Verify that every body moves equally in both files, for positions by child link [rad or m].

    Each joint moves its descendants about its axis in the world at zero, so D_child = D_parent D_joint, a product of
    exponentials (Brockett 1984). A planar or floating joint makes the same random motion in both files. `where` begins
    the message of a failure.
    """
    motions, D_before = _moved_before(comparison, q_before, generator)
    after = comparison.after
    worst = comparison.worst
    size = comparison.size
    T_before = comparison.before.T_world
    T_after = after.T_world
    D_after = {after.root: IDENTITY_POSE}
    explained_turns = {after.root: 0.0}
    explained_shifts = {after.root: 0.0}
    for joint in after.tree:
        child = joint.child
        D = D_after[joint.parent]
        origin_length = math.hypot(*joint.origin.translation)
        turn = explained_turns[joint.parent]
        shift = explained_shifts[joint.parent] + turn * origin_length
        if joint.type != "fixed":
            motion = motions[child]
            if joint.moves:
                motion = world_motion(joint, T_after[child], q_after[child], generator)
            D = composed(D, motion)
            # An error d of an axis turns the body by at most 2 sin(|q|/2) d, or shifts a sliding body by |q| d. The
            # turns add up along the chain, and each shifts its descendants. Only the rest counts as a difference.
            axis_error = comparison.moved_axes[child] if joint.moves else 0.0
            if joint.type in TURNING:
                turn += 2.0 * abs(math.sin(0.5 * q_after[child])) * axis_error
            else:
                origin = T_after[child].translation
                path_length = math.dist(transform_point(motion, origin), origin)
                shift += (turn + axis_error) * path_length
        D_after[child] = D
        explained_turns[child] = turn
        explained_shifts[child] = shift
        distance, angle = _moved_apart(D_before[child], T_before[child], D, T_after[child])
        where_joint = f"{where}joint '{joint.name}'"
        worst.note("angle", max(0.0, angle - turn), TOLERANCE, where_joint, " rad")
        worst.note("position", max(0.0, distance - shift), TOLERANCE * size, where_joint, " m")


def _moved_before(
    comparison: ComparedRobots, q_before: Dict[str, float], generator: random.Random
) -> Tuple[Poses, Poses]:
    """Return the motion of each joint of the input, and the motion of each link of the input in the world.

    A merged link must move like its target.
    """
    before = comparison.before
    worst = comparison.worst
    motions: Poses = {}
    D_before = {before.root: IDENTITY_POSE}
    for joint in before.tree:
        child = joint.child
        D = D_before[joint.parent]
        member = comparison.plan.members[child]
        T = before.T_world[child]
        if joint.type != "fixed":
            # Duplicate joints have one name, and therefore one position.
            leader = member.target if member.merged else child
            position = q_before[leader]
            motions[child] = world_motion(joint, T, position, generator)
            D = composed(D, motions[child])
        # The same object if no joint between them moves.
        if member.merged and D is not D_before[member.target]:
            kind = "merged link"
            tolerance = TOLERANCE
            # A duplicate joint moves like the first joint, up to the accuracy of the file. If two axes are equal within
            # POSE_TOLERANCE, a turn separates the links by at most 4 times this, a slide by this for each meter.
            if joint.type != "fixed":
                kind = "duplicate joint"
                tolerance = 10.0 * POSE_TOLERANCE
            distance, angle = _moved_apart(D, T, D_before[member.target], T)
            limit = tolerance * (1.0 + comparison.size)
            worst.note(f"motion of a {kind}", distance + angle, limit, f"joint '{joint.name}'")
            D = D_before[member.target]
        D_before[child] = D
    return motions, D_before


def _moved_apart(
    D: Transform, T: Transform, D_other: Transform, T_other: Transform
) -> Tuple[float, float]:
    """Return the distance [m] of the origins of T after D and of T_other after D_other, and the angle [rad] between D and
    D_other: the axes of the two frames may differ.
    """
    return (
        math.dist(transform_point(D, T.translation), transform_point(D_other, T_other.translation)),
        angle_between_rotations(D.rotation, D_other.rotation),
    )


def proof_line(proof: EquivalenceProof) -> str:
    """Return the proof as a line of text."""
    snapped = ""
    if proof.axis > TOLERANCE:
        snapped = f"; snapping moved an axis by {proof.axis:.1e} rad at most"
    return (
        f"{count_of(proof.bodies, 'body', 'bodies')}, {count_of(proof.shapes, 'shape')}, "
        f"{count_of(proof.samples + 1, 'pose')}: position {figure_text(proof.position)} m, angle "
        f"{figure_text(proof.angle)} rad, mass {figure_text(proof.mass)}, inertia {figure_text(proof.inertia)}, "
        f"limits {figure_text(proof.limits)}{snapped}"
    )


def verify_joint_map(comparison: ComparedRobots) -> None:
    """Verify the map in the note of each joint that moves: the input's map, composed with the map of this run."""
    before = comparison.before
    after = comparison.after
    noted_before = _maps_noted_in(before)
    noted_after = _maps_noted_in(after)
    for name, joint in after.named.items():
        if not joint.moves:
            continue
        old = before.joints[joint.child]
        # The sign by both texts: the axes have the same direction in the world, or the opposite.
        axis_before = rotated(before.T_world[joint.child].rotation, old.axis)
        axis_after = rotated(after.T_world[joint.child].rotation, joint.axis)
        is_same_direction = sum(a * b for a, b in zip(axis_before, axis_after)) > 0.0
        (sign, zero), noted_name, times = noted_before.get(old.name, NotedJointMap())
        (sign_now, zero_now), noted_name_now, times_now = noted_after.pop(name, NotedJointMap())
        moved = zero + sign * comparison.maps[name].zero
        wanted_sign = sign if is_same_direction else -sign
        comparison.require(
            sign_now == wanted_sign
            and abs(zero_now - moved) <= TEXT_ROUNDING * max(1.0, abs(moved))
            and (noted_name_now, times_now) == (noted_name, times),
            f"the note does not say how joint '{name}' counts",
        )
    comparison.require(
        not noted_after,
        f"the note says how joints count that do not move: {', '.join(noted_after)}",
    )


def _maps_noted_in(robot: ProofRobot) -> Dict[str, NotedJointMap]:
    """Return the maps of joints in the note of a robot, by name."""
    return {from_note(word): noted for word, noted in read_joint_map(robot.document).items()}


def verify_signs(comparison: ComparedRobots) -> None:
    """Verify that the axis of each joint that moves is +X, +Y or +Z, or that its sign stays.

    The sign stays if frames are not reoriented, with --keep-signs, and if the note of an earlier run names the joint.

    Raises:
        ProofFailed: the sign or the zero of a joint has no reason.
    """
    options = comparison.plan.options
    kept = signs_noted(comparison.before.document)
    for child, joint in comparison.after.joints.items():
        if not joint.moves and joint.type != "planar":
            continue
        name = comparison.before.joints[child].name
        sign, zero = comparison.plan.joints[child].map
        stays = options.keep_signs or not options.reorient
        stays = stays or any(fnmatchcase(name, glob) for glob in kept)
        # Exactly: an axis along an axis of the frame is written as 1 0 0, and any other axis is a fault.
        has_its_sign = sign > 0 if stays else joint.axis in UNIT_AXES
        comparison.require(
            zero == 0.0 and has_its_sign,
            f"joint '{joint.name}' changes its sign or zero, or keeps it, and nothing asks for that",
        )
