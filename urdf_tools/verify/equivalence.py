"""Proves that the result moves, weighs and looks like the input.

Two robots are compared, each read from its text. From the plan come only names and choices (what was merged, dropped,
renamed or flipped, and the base rotation), none of its numbers. At zero every shape, mass and joint axis must stand in
the same place; at random positions every body must have moved alike. A body is rigid, so the two together hold for
every shape and mass at every position.
"""
import math
import random
from typing import Dict, List, NamedTuple, Optional, Tuple

from ..base.errors import ProofFailed
from ..base.number_text import count_of
from ..urdf.kinematics import motion_of, poses_at, positions_of
from ..urdf.lossless_xml import Element
from ..urdf.model import Joint, Link, Mimic, MOVABLE, Robot, Shape
from ..urdf.spatial import (add_matrices, angle_between, compose, inverse, largest_entry, MassProperties, Matrix,
                            merge_mass, move_mass, multiply, NO_MOTION, norm, Pose, rotate, scale, subtract, transpose,
                            turn_angle, ZERO)
from ..plan.decisions import Plan
from ..plan.merging import BASE, COPY, SAME_PLACE
from ..plan.mesh_splitting import SplitPart
from .extras import content_beside
from .sensor_poses import compare_places, dangling_names

TOLERANCE = 1e-9  # [m, rad; relative for mass and inertia]
LEAST_GYRATION = 1e-6  # [m] a radius of gyration below it counts as this much: no part is smaller
SNAP_ROOM = 3.0  # an axis may turn by three angles, each below the snap tolerance
SAMPLES = 3


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


class Worst:
    """Keeps the worst error of each kind, and fails at the first that is beyond its tolerance."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.errors: Dict[str, float] = {}

    def note(self, kind: str, error: float, allowed: float, where: str, unit: str = "") -> None:
        """Record `error`; one above `allowed` (or not a number) ends the proof."""
        if not error <= allowed:
            raise ProofFailed(f"{where}: {kind} is off by {error:.3g}{unit}, {allowed:.3g} is allowed", self.path)
        self.errors[kind] = max(self.errors.get(kind, 0.0), error)

    def of(self, kind: str) -> float:
        """Return the worst error of a kind."""
        return self.errors.get(kind, 0.0)

    def require(self, holds: bool, what: str) -> None:
        """End the proof unless `holds`."""
        if not holds:
            raise ProofFailed(what, self.path)


class Stand(NamedTuple):
    """Both robots at zero.

    Attributes:
        T_before, T_after: T_world_link by link, in the new base frame.
        moved_axes: by child link, how far cleaning moved the axis of its joint [rad].
        size: how far anything is from the root [m]; rounding grows with it.
    """

    before: Robot
    plan: Plan
    after: Robot
    T_before: Dict[str, Pose]
    T_after: Dict[str, Pose]
    moved_axes: Dict[str, float]
    size: float


def check(before: Robot, plan: Plan, after: Robot, samples: int = SAMPLES) -> Proof:
    """Compare input and result.

    Raises:
        ProofFailed: naming the worst element.
    """
    worst = Worst(after.document.path)
    _same_parts(before, plan, after, worst)
    stand = stand_at_zero(before, plan, after, worst)
    T_before, T_after, size = stand.T_before, stand.T_after, stand.size
    shapes = _same_shapes(before, plan, after, T_before, T_after, size, worst)
    for placed in compare_places(before, plan, after, T_before, T_after):
        worst.note("position", placed.distance, TOLERANCE * size, placed.what, " m")
        worst.note("angle", placed.angle, TOLERANCE, placed.what, " rad")
    dangling = dangling_names(before, plan, after)
    worst.require(not dangling, f"'{dangling[0]}' is no more, but something names it" if dangling else "")
    _same_masses(before, plan, after, T_before, T_after, size, worst)
    _same_numbers(before, plan, after, worst)
    generator = random.Random(0)
    for _ in range(samples):
        _same_motion(stand, generator, worst)
    return Proof(worst.of("position"), worst.of("angle"), worst.of("joint axis"), worst.of("mass"),
                 worst.of("center of mass"), worst.of("inertia"), worst.of("limits"), len(after.links), shapes, samples)


def stand_at_zero(before: Robot, plan: Plan, after: Robot, worst: Worst) -> Stand:
    """Put both robots up at zero and compare their frames and joint axes there."""
    T_before = poses_at(before, {}, Pose(plan.base.R_new_old, ZERO))
    T_after = poses_at(after, {}, NO_MOTION)
    size = max([1.0, *(norm(T_after[link.name].translation) + _reach(link) for link in after.links.values())])
    moved_axes = _same_axes(before, plan, after, T_before, T_after, size, worst)
    return Stand(before, plan, after, T_before, T_after, moved_axes, size)


def _reach(link: Link) -> float:
    """Return how far from its frame a link has anything [m]: rounding grows with it."""
    center = norm(link.inertial.properties.center) if link.inertial else 0.0
    return max([center, *(norm(shape.pose.translation) for shape in link.shapes)])


def _same_parts(before: Robot, plan: Plan, after: Robot, worst: Worst) -> None:
    """Links, joints and everything else at the top must be those of the input less what the plan merges."""
    staying = [name for name in before.links if not plan.gone(name)]
    worst.require(list(after.links) == staying, "the links are not those that the plan leaves, in their order")
    joints = [joint for joint in before.joints if not plan.gone(joint.child)]
    worst.require(len(joints) == len(after.joints), "the joints are not those that the plan leaves")
    for old, new in zip(joints, after.joints):
        worst.require(
            (new.child, new.type, new.name, new.parent) == (
                old.child, "fixed" if plan.members[old.child].merged else old.type, plan.joints[old.child].name,
                plan.members[old.child if plan.members[old.child].merged else old.parent].target),
            f"joint '{old.name}' changed more than its frame")
    expected, found = content_beside(before, plan), content_beside(after, None)
    for key in {**expected, **found}:
        what = f"something in link '{key}'" if key else "something beside the links and joints"
        worst.require(expected.get(key, []) == found.get(key, []), f"{what} is not what it was, or was to be")


def _same_axes(before: Robot, plan: Plan, after: Robot, T_before: Dict[str, Pose], T_after: Dict[str, Pose],
               size: float, worst: Worst) -> Dict[str, float]:
    """Compare frame origins and joint axes at zero; return by child link how far its axis was moved [rad]."""
    moved: Dict[str, float] = {}
    snap = SNAP_ROOM * plan.options.snap if plan.options.reorient else 0.0
    old_joints = {joint.child: joint for joint in before.joints}
    for joint in after.joints:
        old, where = old_joints[joint.child], f"joint '{joint.name}'"
        apart = subtract(T_before[joint.child].translation, T_after[joint.child].translation)
        worst.note("position", norm(apart), TOLERANCE * size, where, " m")
        moved[joint.child] = 0.0
        R_old, R_new = T_before[joint.child].rotation, T_after[joint.child].rotation
        if joint.type in (*MOVABLE, "planar"):
            sign = float(plan.joints[joint.child].frame.sign)
            angle = angle_between(scale(sign, rotate(R_old, old.axis)), rotate(R_new, joint.axis))
            worst.note("joint axis", angle, TOLERANCE + snap, where, " rad")
            moved[joint.child] = angle
        elif joint.type == "fixed" and plan.members[joint.child].kind != BASE:
            worst.note("angle of a fixed frame", turn_angle(R_old, R_new), TOLERANCE + snap, where, " rad")
    return moved


def _same_shapes(before: Robot, plan: Plan, after: Robot, T_before: Dict[str, Pose], T_after: Dict[str, Pose],
                 size: float, worst: Worst) -> int:
    """Match every shape of the result with one of the input; nothing may be missing but what the plan drops."""
    becomes, meant, means = _becomes(plan), _meanings(before), _meanings(after)
    wanted: Dict[Tuple[str, ...], List[Pose]] = {}
    for link in (before.links[name] for name in sorted(plan.members, key=lambda name: plan.members[name].merged)):
        for index, shape in enumerate(link.shapes):
            for part in becomes.get((link.name, index), (None,)):
                key = (plan.members[link.name].target, *_looks_of(shape, meant, plan.mesh_names, part))
                wanted.setdefault(key, []).append(compose(T_before[link.name], shape.pose))
    count = 0
    for link in after.links.values():
        for shape in link.shapes:
            key = (link.name, *_looks_of(shape, means, {}, None))
            what = shape.mesh or (shape.drawn.name if shape.drawn is not None else "without geometry")
            where = f"a <{shape.kind}> of link '{link.name}' ({what})"
            there = wanted.get(key, [])
            worst.require(bool(there), f"{where} is not in the input")
            T = compose(T_after[link.name], shape.pose)
            place = 0 if _distance(T, there[0]) <= TOLERANCE else (  # nearly always, as the order is kept
                min(range(len(there)), key=lambda k: _distance(T, there[k])))
            match = there.pop(place)
            worst.note("position", norm(subtract(T.translation, match.translation)), TOLERANCE * size, where, " m")
            worst.note("angle", turn_angle(T.rotation, match.rotation), TOLERANCE, where, " rad")
            count += 1
    lost = [key for key, left in wanted.items() if left]
    worst.require(not lost, f"a <{lost[0][1]}> of link '{lost[0][0]}' is lost" if lost else "")
    return count


def _becomes(plan: Plan) -> Dict[Tuple[str, int], Tuple[SplitPart, ...]]:
    """Return what becomes of shapes, by (link, index in it): nothing where one is dropped, parts where it is split."""
    becomes: Dict[int, Tuple[SplitPart, ...]] = {split.shape.source.offset: split.parts
                                                 for split in plan.splitting.splits}
    becomes.update({strip.shape.source.offset: () for strip in plan.strips})
    becomes.update({copy.shape.source.offset: () for copy in plan.copies})
    return {(link.name, index): becomes[shape.source.offset] for link in plan.robot.links.values()
            for index, shape in enumerate(link.shapes) if shape.source.offset in becomes}


def _meanings(robot: Robot) -> Dict[str, Element]:
    """Return the first material that gives a color or an image to a name; those of the robot come first."""
    root = robot.document.root
    places = [*root.elements("material"), *(m for link in root.elements("link") for m in link.walk())]
    return {element.get("name") or "": element for element in reversed(places)
            if element.name == "material" and element.elements() and element.get("name")}


def _looks_of(shape: Shape, meanings: Dict[str, Element], mesh_names: Dict[str, str], part: Optional[SplitPart]
              ) -> Tuple[str, ...]:
    """Return kind, geometry and material of a shape as text, or what they are to be in a part of it.

    A material that is only a name is followed to what it means.
    """
    looks = [shape.kind]
    for inside in ("geometry", "material"):
        top = shape.source.find(inside)
        if part is not None and part.material and inside == "material":
            looks += ["material", f"name={part.material}", "color", f"rgba={part.rgba}"]
            continue
        if top is not None and inside == "material" and not top.elements():
            top = meanings.get(top.get("name") or "", top)
        for element in top.walk() if top is not None else ():
            attributes = dict(element.attributes)
            if part is not None and element.name == "mesh":
                attributes["filename"] = part.filename
            looks += [element.name, *(f"{key}={mesh_names.get(value, value)}"
                                      for key, value in sorted(attributes.items()))]
    return tuple(looks)


def _distance(T_a: Pose, T_b: Pose) -> float:
    return norm(subtract(T_a.translation, T_b.translation)) + turn_angle(T_a.rotation, T_b.rotation)


def _same_masses(before: Robot, plan: Plan, after: Robot, T_before: Dict[str, Pose], T_after: Dict[str, Pose],
                 size: float, worst: Worst) -> None:
    """Compare mass, center and tensor of every link of the result with what the input has in its place."""
    parts: Dict[str, List[MassProperties]] = {name: [] for name in after.links}
    for link in before.links.values():
        member = plan.members[link.name]
        counted_once = member.kind == COPY and plan.options.coincident == "drop"
        if link.inertial is not None and not counted_once:
            parts[member.target].append(move_mass(T_before[link.name], link.inertial.properties))
    for name, link in after.links.items():
        where = f"link '{name}'"
        old = merge_mass(parts[name])
        new = old
        if link.inertial is not None:
            new = move_mass(T_after[name], link.inertial.properties)
        elif parts[name]:
            worst.require(old.mass == 0.0 and largest_entry(old.inertia) == 0.0, f"{where} lost its mass")
        worst.note("mass", abs(new.mass - old.mass) / max(old.mass, 1e-300), TOLERANCE, where)
        if old.mass > 0.0:
            worst.note("center of mass", norm(subtract(new.center, old.center)), TOLERANCE * size, where, " m")
        difference = add_matrices(new.inertia, _negative(old.inertia))
        largest = max(largest_entry(old.inertia), old.mass * LEAST_GYRATION ** 2)
        worst.note("inertia", largest_entry(difference) / largest if largest else largest_entry(new.inertia),
                   TOLERANCE, where)


def _negative(A: Matrix) -> Matrix:
    return (scale(-1.0, A[0]), scale(-1.0, A[1]), scale(-1.0, A[2]))


def _same_numbers(before: Robot, plan: Plan, after: Robot, worst: Worst) -> None:
    """Compare limits, soft limits and calibration through the sign; and whatever else a joint says, as text."""
    old_joints = {joint.child: joint for joint in before.joints}
    mirror = {"lower": "upper", "upper": "lower", "soft_lower_limit": "soft_upper_limit",
              "soft_upper_limit": "soft_lower_limit", "rising": "falling", "falling": "rising"}
    for joint in after.joints:
        old, where = old_joints[joint.child], f"joint '{joint.name}'"
        sign = plan.sign_of(joint)
        if joint.type != old.type:  # the frame that a duplicate joint left
            still = bool(joint.positions or _unsigned(joint) or joint.mimic)
            worst.require(not still, f"{where} is to be a frame only")
            continue
        expected = dict(old.positions) if sign > 0 else {
            (tag, mirror.get(name, name)): -value for (tag, name), value in old.positions.items()}
        worst.require(expected.keys() == joint.positions.keys(), f"{where} lost or gained a limit")
        for key, value in expected.items():
            worst.note("limits", abs(joint.positions[key] - value) / max(1.0, abs(value)), 1e-12, f"{where} {key[1]}")
        worst.require(_unsigned(old) == _unsigned(joint), f"{where} changed its effort, velocity or dynamics")
        worst.require((old.mimic is None) == (joint.mimic is None), f"{where} lost or gained a mimic")
        if old.mimic is not None and joint.mimic is not None:
            leader = plan.signs.get(old.mimic.joint, 1)
            wanted = Mimic(old.mimic.joint, sign * leader * old.mimic.multiplier, sign * old.mimic.offset)
            worst.require(joint.mimic == wanted, f"{where} mimics otherwise")


def _unsigned(joint: Joint) -> List[Tuple[str, str, str]]:
    return sorted((element.name, key, value) for element in joint.source.elements()
                  if element.name in ("limit", "safety_controller", "dynamics")
                  for key, value in element.attributes.items() if (element.name, key) not in joint.positions)


def _same_motion(stand: Stand, generator: random.Random, worst: Worst) -> None:
    """Compare where every body goes at one random position, drawn through the mimic relations of both files."""
    before, after = stand.before, stand.after
    signs = {joint.child: stand.plan.sign_of(joint) for joint in after.joints}
    q_before = positions_of(before, {joint.child: generator.uniform(-1.0, 1.0) * (
        0.2 if joint.type == "prismatic" else 2.0) for joint in before.joints})
    q_after = positions_of(after, {child: sign * q_before[child] for child, sign in signs.items()})
    for joint in (joint for joint in after.joints if joint.type != "fixed"):
        wanted = signs[joint.child] * q_before[joint.child]
        error = abs(q_after[joint.child] - wanted) / max(1.0, abs(wanted))
        worst.note("mimic", error, TOLERANCE, f"joint '{joint.name}'")
    compare_at(stand, q_before, q_after, generator, worst)


def compare_at(stand: Stand, q_before: Dict[str, float], q_after: Dict[str, float], generator: random.Random,
               worst: Worst, where: str = "") -> None:
    """Compare where every body is when the joints of each file are at its positions, by child link [rad or m].

    A planar or floating joint makes one random motion in both. `where` begins the message of a failure.
    """
    before, plan, after = stand.before, stand.plan, stand.after
    T_before_zero, T_after_zero, size = stand.T_before, stand.T_after, stand.size
    q_before = dict(q_before)
    for joint in before.tree:
        if plan.members[joint.child].merged and joint.type != "fixed":
            q_before[joint.child] = q_before[plan.members[joint.child].target]  # one name, one coordinate
    motions = {joint.child: motion_of(joint, q_before[joint.child], generator) for joint in before.joints}
    T_before = _moved_input(before, plan, motions, T_before_zero, size, worst)
    T_after = {after.root: T_after_zero[after.root]}
    turned, shifted = {after.root: 0.0}, {after.root: 0.0}
    for joint in after.tree:
        child, position = joint.child, q_after[joint.child]
        motion = motion_of(joint, position, generator)
        if joint.type in ("planar", "floating"):  # their coordinates turn with the frame: the same motion, seen from it
            R_old_new = multiply(transpose(T_before_zero[child].rotation), T_after_zero[child].rotation)
            motion = compose(Pose(transpose(R_old_new), ZERO), compose(motions[child], Pose(R_old_new, ZERO)))
        T_after[child] = compose(compose(T_after[joint.parent], joint.origin), motion)
        turned[child], shifted[child] = _explained(joint, motion, position, stand.moved_axes[child],
                                                   turned[joint.parent], shifted[joint.parent])
        R_moved_before = multiply(T_before[child].rotation, transpose(T_before_zero[child].rotation))
        R_moved_after = multiply(T_after[child].rotation, transpose(T_after_zero[child].rotation))
        angle = turn_angle(R_moved_before, R_moved_after) - turned[child]
        distance = norm(subtract(T_before[child].translation, T_after[child].translation)) - shifted[child]
        worst.note("angle", max(0.0, angle), TOLERANCE, f"{where}joint '{joint.name}'", " rad")
        worst.note("position", max(0.0, distance), TOLERANCE * size, f"{where}joint '{joint.name}'", " m")


def _explained(joint: Joint, motion: Pose, position: float, off: float, turned: float, shifted: float
               ) -> Tuple[float, float]:
    """Return by how much a child may turn [rad] and shift [m] otherwise, because cleaning moved joint axes.

    An axis that is off by an angle d turns its body by at most 2 sin(|q|/2) d (or shifts it by |q| d) otherwise. Down
    the chain such turns add up, and each shifts what hangs on it by its distance.
    """
    shifted += turned * (norm(joint.origin.translation) + norm(motion.translation))
    if joint.type == "prismatic":
        shifted += off * abs(position)
    elif joint.type in ("revolute", "continuous"):
        turned += 2.0 * abs(math.sin(0.5 * position)) * off
    return turned, shifted


def _moved_input(before: Robot, plan: Plan, motions: Dict[str, Pose], T_zero: Dict[str, Pose], size: float,
                 worst: Worst) -> Dict[str, Pose]:
    """Return T_world_link of the input at a position; a duplicate joint must move its child as the first one does."""
    T_world = {before.root: T_zero[before.root]}
    for joint in before.tree:
        member = plan.members[joint.child]
        T_world[joint.child] = compose(compose(T_world[joint.parent], joint.origin), motions[joint.child])
        if member.merged and joint.type != "fixed":
            with_first = compose(T_world[member.target], compose(inverse(T_zero[member.target]), T_zero[joint.child]))
            worst.note("motion of a duplicate joint", _distance(with_first, T_world[joint.child]),
                       10.0 * SAME_PLACE * (1.0 + size), f"joint '{joint.name}'")
            T_world[joint.child] = with_first
    return T_world


def proof_line(proof: Proof) -> str:
    """Return the proof in one line of text."""
    snapped = f"; snapping moved an axis by {proof.axis:.1e} rad at most" if proof.axis > TOLERANCE else ""
    return (f"{count_of(proof.bodies, 'body', 'bodies')}, {count_of(proof.shapes, 'shape')}, "
            f"{count_of(proof.samples, 'random pose')}: position {proof.position:.1e} m, angle {proof.angle:.1e} rad, "
            f"mass {proof.mass:.1e}, inertia {proof.inertia:.1e}, limits {proof.limits:.1e}{snapped}")
