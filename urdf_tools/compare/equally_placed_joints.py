"""Find the joints of B that stand as A's joints of equal name, by the frames of their links as written.

For these, equal positions are the map, and a deviation is a difference: no other map is searched to explain it. `k` and
`m` are the indices of a joint of A and of B; `partner` has the index in B of each joint of A that a name pairs.
"""

from __future__ import annotations

from math import inf
from typing import Dict, Iterable, Optional, Tuple

from ..robot.rigid_bodies import CanonicalJoint, TURNS
from ..robot.canonical_robot import CanonicalRobot
from ..robot.joint_motion import after
from ..urdf.spatial_math import compose, IDENTITY_POSE, inverse, norm, Transform, subtract
from .difference_records import poses_apart
from .body_fit import FramePair, MESH, SHAPE
from .joint_lines import ANGLE, correction, LENGTH, sense

ANY_ZERO = inf  # the zero that frames without evidence allow
EXACT = 1e-6  # m and rad: two frames in one place, except for the digits of a format


def frames_apart(a: CanonicalRobot, b: CanonicalRobot, k: int, m: int) -> Tuple[float, float]:
    """Return the distance between the frames of two joints [m, rad], each relative to the body that carries it."""
    joint_a = a.joints[k]
    joint_b = b.joints[m]
    T_a_carrier, T_b_carrier = _carriers(a, b, joint_a.parent, joint_b.parent)
    T_carrier_joint_a = compose(inverse(T_a_carrier), frame_of(a, joint_a))
    T_carrier_joint_b = compose(inverse(T_b_carrier), frame_of(b, joint_b))
    return poses_apart(T_carrier_joint_a, T_carrier_joint_b)


def frame_of(robot: CanonicalRobot, joint: CanonicalJoint) -> Transform:
    """Return the frame of the link on a joint, as drawn, in the frame of the root."""
    parts = robot.bodies[joint.child].parts
    return next(part.T_root_link for part in parts if part.link.name == joint.raw.child)


def _carriers(
    a: CanonicalRobot, b: CanonicalRobot, body: int, other: int
) -> Tuple[Transform, Transform]:
    """Return the frames of a link that both bodies have, else of the first link of each, in the root frames."""
    parts = a.bodies[body].parts
    others = b.bodies[other].parts
    places = {part.link.name: part.T_root_link for part in others}
    for part in parts:
        if part.link.name in places:
            return part.T_root_link, places[part.link.name]
    return parts[0].T_root_link, others[0].T_root_link


def in_place(Y: Transform, a: CanonicalJoint, b: CanonicalJoint) -> bool:
    """Return True if the line of a joint, moved by Y, is the line of its partner, with the same direction."""
    residual = correction(Y, a, b, 1.0)
    return sense(Y, a, b) > 0.0 and residual.across <= LENGTH and residual.turn <= ANGLE


def named_frames_in_place(Y: Transform, frames: Iterable[FramePair]) -> bool:
    """Return True if the frames that programs look up, moved by Y, coincide with their partners."""
    return all(
        norm(subtract(after(Y, frame.T_root_frame).translation, other.T_root_frame.translation))
        <= LENGTH
        for frame, other in frames
        if frame.kind not in (MESH, SHAPE)
    )


def zero_in_frames(a: CanonicalRobot, b: CanonicalRobot, k: int, m: int) -> float:
    """Return the largest zero [rad or m] that the frames of two joints allow: the distance between them."""
    off, angle = frames_apart(a, b, k, m)
    return angle if b.joints[m].motion == TURNS else off


def standing_base(
    a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int]
) -> Optional[Transform]:
    """Return T_b_a that lays root on root by the written frames of their links, if most joints on them stand; else
    None.

    Roots without joints stand if they share several link names, all of them in one place.
    """
    here, there = _carriers(a, b, 0, 0)
    base = compose(there, inverse(here))
    if max(poses_apart(base, IDENTITY_POSE)) < EXACT:
        base = IDENTITY_POSE
    named = [
        (k, partner[k])
        for k in a.child_joints[0]
        if partner.get(k) in b.child_joints[0]
        and a.joints[k].raw.name == b.joints[partner[k]].raw.name
    ]
    if not a.child_joints[0] and not b.child_joints[0]:
        return base if _links_stand(a, b, base) else None
    standing = [(k, m) for k, m in named if _stands(a, b, k, m, base, partner)]
    return base if standing and 2 * len(standing) >= len(named) else None


def _links_stand(a: CanonicalRobot, b: CanonicalRobot, base: Transform) -> bool:
    """Return True if the links that both roots have are in one place; a single frame is not evidence."""
    places = {part.link.name: part.T_root_link for part in b.bodies[0].parts}
    apart = [
        poses_apart(after(base, part.T_root_link), places[part.link.name])
        for part in a.bodies[0].parts
        if part.link.name in places
    ]
    return len(apart) > 1 and all(off <= LENGTH and angle <= ANGLE for off, angle in apart)


def have_one_name(a: CanonicalRobot, b: CanonicalRobot, k: int, m: int) -> bool:
    """Return True if two joints have the same name and move alike."""
    joint = a.joints[k]
    other = b.joints[m]
    return joint.raw.name == other.raw.name and joint.motion == other.motion


def _stands(
    a: CanonicalRobot, b: CanonicalRobot, k: int, m: int, Y: Transform, partner: Dict[int, int]
) -> bool:
    """Return True if the frame of a joint is in its place, and so is its line, or everything below the joint."""
    if not _frame_stands(a, b, k, m):
        return False
    joint = a.joints[k]
    other = b.joints[m]
    if joint.motion == other.motion and in_place(Y, joint, other):
        return True
    # One axis was edited. If another author turned all axes, the frames below the joint are elsewhere, too.
    return all(
        _frame_stands(a, b, index, partner[index])
        for index in a.child_joints[joint.child]
        if partner.get(index) in b.child_joints[other.child]
    )


def _frame_stands(a: CanonicalRobot, b: CanonicalRobot, k: int, m: int) -> bool:
    """Return True if the frames of two joints lie in the same place of the bodies that carry them."""
    off, angle = frames_apart(a, b, k, m)
    return off <= LENGTH and angle <= ANGLE


def standing_partners(
    a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int]
) -> Dict[int, int]:
    """Return the partners by name that stand from the root on: all joints before them stand, too."""
    base = standing_base(a, b, partner)
    if base is None:
        return {}
    standing: Dict[int, int] = {}
    bodies = {0: 0}  # B's by A's, of joints that stand
    for k, joint in enumerate(a.joints):
        m = partner.get(k)
        if m is None or bodies.get(joint.parent) != b.joints[m].parent:
            continue
        # If each joint from the root on stands, all bodies are placed as the roots are.
        if have_one_name(a, b, k, m) and _stands(a, b, k, m, base, partner):
            standing[k] = m
            bodies[joint.child] = b.joints[m].child
    return standing
