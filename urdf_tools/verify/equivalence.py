"""Prove that the result moves, weighs and looks like the input.

Both texts are read by code of the proof's own (`raw_robot`, `rigid_motion`). From the plan come only names and choices
(what was merged, dropped, renamed or flipped, and the base rotation), none of its numbers. At zero every shape, mass
and joint axis must be in the same place; at random positions every body must have moved alike. A body is rigid, so
the two together hold for every shape and mass at every position.
"""
import math
import random
from typing import Dict, List, NamedTuple, Tuple

from ..base.number_text import count_of
from ..urdf.lossless_xml import Document
from ..urdf.spatial import NO_MOTION, Pose, Vector, ZERO
from ..plan.decisions import Plan
from ..plan.merging import BASE, COPY, SAME_PLACE
from .comparison import Comparison, Folders, LEAST_GYRATION, ONE_FOLDER, ROUNDING, SAMPLES, SNAP_ROOM, TOLERANCE, Worst
from .looks import prove_shapes
from .outside import prove_outside
from .raw_robot import (number_of, raw_motion, raw_poses, raw_positions, RawJoint, RawLink, RawMass, RawRobot,
                        read_raw, SLIDING, TURNING, world_moments)
from .rigid_motion import backwards, chained, flipped, length, minus, outer, pose_error, product, turn_between, turned

SIGNED_NUMBERS = {("limit", "lower"): "upper", ("limit", "upper"): "lower",  # what it becomes when the sign changes
                  ("safety_controller", "soft_lower_limit"): "soft_upper_limit",
                  ("safety_controller", "soft_upper_limit"): "soft_lower_limit",
                  ("calibration", "rising"): "falling", ("calibration", "falling"): "rising",
                  ("calibration", "reference_position"): "reference_position"}
JOINT_PARTS = ("limit", "safety_controller", "dynamics", "calibration")


class Proof(NamedTuple):
    """The worst figures found, all of them within what is allowed.

    Attributes:
        position, angle: of any frame or shape, beyond what the moved axes explain [m, rad].
        axis: how far cleaning moved a joint axis at most [rad].
        mass, inertia: relative errors of any body; center: of any center of mass [m].
        limits: of any limit, soft limit, calibration or mimic value, relative.
        bodies, shapes, samples: how much was compared.
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


def check(before: Document, plan: Plan, after: Document, samples: int = SAMPLES, folders: Folders = ONE_FOLDER
          ) -> Proof:
    """Compare input and result.

    Raises:
        ProofFailed: naming the worst element.
    """
    comparison = compare_at_zero(before, plan, after, folders)
    worst = comparison.worst
    shapes = prove_shapes(comparison)
    prove_outside(comparison)
    _same_masses(comparison)
    _same_numbers(comparison)
    generator = random.Random(0)
    for _ in range(samples):
        _same_motion(comparison, generator)
    return Proof(worst.of("position"), worst.of("angle"), worst.of("joint axis"), worst.of("mass"),
                 worst.of("center of mass"), worst.of("inertia"), worst.of("limits"),
                 len(comparison.after.links), shapes, samples)


def compare_at_zero(before: Document, plan: Plan, after: Document, folders: Folders = ONE_FOLDER) -> Comparison:
    """Read both texts anew, and compare links, joints, frames and joint axes at zero.

    Raises:
        ProofFailed: they differ.
    """
    worst = Worst(after.path)
    old, new = read_raw(before), read_raw(after)
    _same_parts(old, plan, new, worst)
    T_before, T_after = raw_poses(old, Pose(plan.base.R_new_old, ZERO)), raw_poses(new, NO_MOTION)
    size = max([1.0, *(length(T_after[name].translation) + _reach(link) for name, link in new.links.items())])
    signs = {name: plan.joints[joint.child].frame.sign for name, joint in new.named_joints().items()}
    comparison = Comparison(old, plan, new, T_before, T_after, signs, {}, size, folders, worst)
    _same_axes(comparison)
    return comparison


def _reach(link: RawLink) -> float:
    """Return how far from its frame a link has anything [m]: rounding grows with it."""
    center = length(link.inertial.pose.translation) if link.inertial else 0.0
    return max([center, *(length(shape.pose.translation) for shape in link.shapes)])


def _same_parts(before: RawRobot, plan: Plan, after: RawRobot, worst: Worst) -> None:
    """Links and joints must be those of the input less what the plan merges."""
    staying = [name for name in before.links if not plan.is_removed(name)]
    worst.require(list(after.links) == staying, "the links are not those that the plan keeps, in their order")
    joints = [joint for joint in before.joints if not plan.is_removed(joint.child)]
    worst.require(len(joints) == len(after.joints), "the joints are not those that the plan keeps")
    for old, new in zip(joints, after.joints):
        merged = plan.members[old.child].merged
        worst.require((new.child, new.type, new.name, new.parent) == (
            old.child, "fixed" if merged else old.type, plan.joints[old.child].name,
            plan.members[old.child if merged else old.parent].target),
            f"joint '{old.name}' changed more than its frame")


def _same_axes(comparison: Comparison) -> None:
    """Compare frame origins and joint axes at zero; note by child link how far its axis was moved [rad]."""
    plan, worst = comparison.plan, comparison.worst
    snap = SNAP_ROOM * plan.options.snap if plan.options.reorient else 0.0
    old_joints = {joint.child: joint for joint in comparison.before.joints}
    for joint in comparison.after.joints:
        old, where = old_joints[joint.child], f"joint '{joint.name}'"
        T_old, T_new = comparison.T_before[joint.child], comparison.T_after[joint.child]
        worst.note("position", length(minus(T_old.translation, T_new.translation)), TOLERANCE * comparison.size,
                   where, " m")
        comparison.moved_axes[joint.child] = 0.0
        if joint.moves or joint.type == "planar":
            v, w = turned(T_old.rotation, old.axis), turned(T_new.rotation, joint.axis)
            sign = plan.joints[joint.child].frame.sign
            angle = math.atan2(length(outer(v, w)), sign * (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]))
            worst.note("joint axis", angle, TOLERANCE + snap, where, " rad")
            comparison.moved_axes[joint.child] = angle
        elif joint.type == "fixed" and plan.members[joint.child].kind != BASE:
            angle = turn_between(T_old.rotation, T_new.rotation)
            worst.note("angle of a fixed frame", angle, TOLERANCE + snap, where, " rad")


def _same_masses(comparison: Comparison) -> None:
    """Compare mass, first and second moments of every link of the result with the sums over the parts in the input.

    Moments about one point of the world simply add up, so nothing is merged here. The point is the center of mass that
    the input has for the body: far from it, rounding would hide what a small part weighs.
    """
    plan, worst = comparison.plan, comparison.worst
    parts: Dict[str, List[Tuple[Pose, RawMass]]] = {name: [] for name in comparison.after.links}
    for link in comparison.before.links.values():
        member = plan.members[link.name]
        counted_once = member.kind == COPY and plan.options.coincident == "drop"
        if link.inertial is not None and not counted_once:
            parts[member.target].append((comparison.T_before[link.name], link.inertial))
    for name, link in comparison.after.links.items():
        where, there = f"link '{name}'", parts[name]
        if not there and link.inertial is None:
            continue
        old = world_moments(there, ZERO)
        point: Vector = ZERO
        if old.mass > 0.0:
            x, y, z = (moment / old.mass for moment in old.first)
            point = (x, y, z)
            old = world_moments(there, point)
        new = world_moments([(comparison.T_after[name], link.inertial)] if link.inertial else [], point)
        worst.require(link.inertial is not None or not old.mass and not any(old.second), f"{where} lost its mass")
        worst.note("mass", abs(new.mass - old.mass) / max(old.mass, 1e-300), TOLERANCE, where)
        if old.mass > 0.0:
            worst.note("center of mass", length(minus(new.first, old.first)) / old.mass, TOLERANCE * comparison.size,
                       where, " m")
        error = max(abs(a - b) for a, b in zip(old.second, new.second))
        radius = max(LEAST_GYRATION, ROUNDING * comparison.size)  # a center that far out is rounded by so much
        largest = max(max(map(abs, old.second)), old.mass * radius ** 2)
        worst.note("inertia", error / largest if largest else error, TOLERANCE, where)


def _same_numbers(comparison: Comparison) -> None:
    """Compare limits, soft limits and calibration through the sign; and all else of a joint, as text."""
    plan, worst = comparison.plan, comparison.worst
    old_joints = {joint.child: joint for joint in comparison.before.joints}
    for joint in comparison.after.joints:
        old, where = old_joints[joint.child], f"joint '{joint.name}'"
        sign = plan.joints[joint.child].frame.sign
        (numbers, others), (old_numbers, old_others) = _said_by(joint, 1), _said_by(old, sign)
        if joint.type != old.type:  # the frame kept for a duplicate joint
            worst.require(not (numbers or others or joint.mimic), f"{where} is to be a frame only")
            continue
        worst.require(numbers.keys() == old_numbers.keys(), f"{where} lost or gained a limit")
        for key, value in old_numbers.items():
            worst.note("limits", abs(numbers[key] - value) / max(1.0, abs(value)), 1e-12, f"{where} {key[1]}")
        worst.require(others == old_others, f"{where} changed its effort, velocity or dynamics")
        wanted = old.mimic
        if old.mimic is not None:
            leader, factor, shift = old.mimic
            wanted = (leader, sign * comparison.signs.get(leader, 1) * factor, sign * shift)
        worst.require(joint.mimic == wanted, f"{where} mimics otherwise")


def _said_by(joint: RawJoint, sign: int) -> Tuple[Dict[Tuple[str, str], float], List[Tuple[str, str, str]]]:
    """Return the numbers that are positions of a joint, seen through a sign, and all else of it."""
    numbers, others = {}, []
    for part in joint.element.elements():
        for key, value in part.attributes.items() if part.name in JOINT_PARTS else ():
            mirrored = SIGNED_NUMBERS.get((part.name, key))
            if mirrored is None:
                others.append((part.name, key, value))
            else:
                numbers[part.name, key if sign > 0 else mirrored] = sign * number_of(value)
    return numbers, sorted(others)


def _same_motion(comparison: Comparison, generator: random.Random) -> None:
    """Compare where every body goes at one random position, drawn through the mimic relations of both files."""
    before, after = comparison.before, comparison.after
    signs = {joint.child: comparison.plan.joints[joint.child].frame.sign for joint in after.joints}
    q_before = raw_positions(before, {joint.child: generator.uniform(-1.0, 1.0) * (
        0.2 if joint.type in SLIDING else 2.0) for joint in before.joints})
    q_after = raw_positions(after, {child: sign * q_before[child] for child, sign in signs.items()})
    for joint in (joint for joint in after.joints if joint.type != "fixed"):
        wanted = signs[joint.child] * q_before[joint.child]
        error = abs(q_after[joint.child] - wanted) / max(1.0, abs(wanted))
        comparison.worst.note("mimic", error, TOLERANCE, f"joint '{joint.name}'")
    compare_at(comparison, q_before, q_after, generator)


def compare_at(comparison: Comparison, q_before: Dict[str, float], q_after: Dict[str, float],
               generator: random.Random, where: str = "") -> None:
    """Compare where every body is when the joints of each file are at its positions, by child link [rad or m].

    A planar or floating joint makes one random motion in both. `where` begins the message of a failure.
    """
    before, plan, after, worst = comparison.before, comparison.plan, comparison.after, comparison.worst
    T_before_zero, T_after_zero, size = comparison.T_before, comparison.T_after, comparison.size
    q_before = dict(q_before)
    for joint in before.tree:
        if plan.members[joint.child].merged and joint.type != "fixed":
            q_before[joint.child] = q_before[plan.members[joint.child].target]  # one name, one coordinate
    motions = {joint.child: raw_motion(joint, q_before[joint.child], generator) for joint in before.joints}
    T_before = _moved_input(comparison, motions)
    T_after = {after.root: T_after_zero[after.root]}
    turns, shifts = {after.root: 0.0}, {after.root: 0.0}
    for joint in after.tree:
        child, position = joint.child, q_after[joint.child]
        motion = raw_motion(joint, position, generator)
        R_before_zero, R_after_zero = T_before_zero[child].rotation, T_after_zero[child].rotation
        if joint.type in ("planar", "floating"):  # their coordinates turn with the frame: the same motion, seen from it
            R_old_new = product(flipped(R_before_zero), R_after_zero)
            motion = chained(Pose(flipped(R_old_new), ZERO), chained(motions[child], Pose(R_old_new, ZERO)))
        T_after[child] = chained(chained(T_after[joint.parent], joint.origin), motion)
        turns[child], shifts[child] = _explained(joint, motion, position, comparison.moved_axes[child],
                                                 turns[joint.parent], shifts[joint.parent])
        angle = turn_between(product(T_before[child].rotation, flipped(R_before_zero)),
                             product(T_after[child].rotation, flipped(R_after_zero))) - turns[child]
        distance = length(minus(T_before[child].translation, T_after[child].translation)) - shifts[child]
        worst.note("angle", max(0.0, angle), TOLERANCE, f"{where}joint '{joint.name}'", " rad")
        worst.note("position", max(0.0, distance), TOLERANCE * size, f"{where}joint '{joint.name}'", " m")


def _explained(joint: RawJoint, motion: Pose, position: float, off: float, turned_by: float, shifted_by: float
               ) -> Tuple[float, float]:
    """Return by how much a child may turn [rad] and shift [m] otherwise, because cleaning moved joint axes.

    An axis that is off by an angle d turns its body by at most 2 sin(|q|/2) d (or shifts it by |q| d) otherwise. Down
    the chain such turns add up, and each shifts what hangs on it by its distance.
    """
    shifted_by += turned_by * (length(joint.origin.translation) + length(motion.translation))
    if joint.type in SLIDING:
        shifted_by += off * abs(position)
    elif joint.type in TURNING:
        turned_by += 2.0 * abs(math.sin(0.5 * position)) * off
    return turned_by, shifted_by


def _moved_input(comparison: Comparison, motions: Dict[str, Pose]) -> Dict[str, Pose]:
    """Return T_world_link of the input at a position; what is merged must move rigidly with its target.

    A duplicate joint moves its child as the first one does, within the precision of its file; a fixed one exactly.
    """
    before, plan, T_zero = comparison.before, comparison.plan, comparison.T_before
    T_world = {before.root: T_zero[before.root]}
    for joint in before.tree:
        child, member = joint.child, plan.members[joint.child]
        T_world[child] = chained(chained(T_world[joint.parent], joint.origin), motions[child])
        if member.merged:
            welded = chained(T_world[member.target], chained(backwards(T_zero[member.target]), T_zero[child]))
            room = 10.0 * SAME_PLACE if joint.type != "fixed" else TOLERANCE
            comparison.worst.note("motion of a duplicate joint" if joint.type != "fixed" else "motion of a merged link",
                                  sum(pose_error(welded, T_world[child])), room * (1.0 + comparison.size),
                                  f"joint '{joint.name}'")
            T_world[child] = welded
    return T_world


def proof_line(proof: Proof) -> str:
    """Return the proof in one line of text."""
    snapped = f"; snapping moved an axis by {proof.axis:.1e} rad at most" if proof.axis > TOLERANCE else ""
    return (f"{count_of(proof.bodies, 'body', 'bodies')}, {count_of(proof.shapes, 'shape')}, "
            f"{count_of(proof.samples, 'random pose')}: position {proof.position:.1e} m, angle {proof.angle:.1e} rad, "
            f"mass {proof.mass:.1e}, inertia {proof.inertia:.1e}, limits {proof.limits:.1e}{snapped}")
