"""Which joints in one place become one bone, and the frame of that bone.

A bone can turn about its X, Y and Z one after the other. Up to three joints with one origin and axes at right angles to
each other are that, whatever frames lie between: pose = R(axis 1, q1) R(axis 2, q2) R(axis 3, q3) * rest.
"""
import math
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ...urdf.model import Joint
from ...urdf.spatial import cross, dot, scale, Vector
from .bodies import RestPose
from .motion import Motion
from .records import EXACT, LETTERS
from .roll import is_clear

# LIMIT_ROTATION takes a matrix apart into the three angles of the smallest sum. These are the angles of the joints as
# long as the largest positions add up to three right angles.
MOST_TURN = 1.5 * math.pi + 1e-9
MOST_JOINTS = 3


class Axes(NamedTuple):
    """The frame of a joined bone: X and Y, for each joint the letter and sign of its axis, and the rotation mode."""

    x: Vector
    y: Vector
    letters: Tuple[Tuple[str, int], ...]
    rotation_mode: str


def chains_of(rest_pose: RestPose, motion: Motion, *, join: bool) -> List[Tuple[Joint, ...]]:
    """Return the joints of each bone, outermost first; parents come before their children."""
    chains: List[Tuple[Joint, ...]] = []
    inside: Dict[str, bool] = {}
    for joint in rest_pose.robot.tree:
        if joint.type == "fixed" or joint.child in inside:
            continue
        chain = [joint]
        while join and len(chain) < MOST_JOINTS:
            below = rest_pose.bodies[chain[-1].child].below
            if len(below) != 1 or not _fits(rest_pose, motion, chain, below[0]):
                break
            chain.append(below[0])
        inside.update((each.child, True) for each in chain)
        chains.append(tuple(chain))
    return chains


def _fits(rest_pose: RestPose, motion: Motion, chain: Sequence[Joint], other: Joint) -> bool:
    """Return True if a joint can join those before it."""
    joints = [*chain, other]
    if not all(joint.type in ("revolute", "continuous") and joint.child not in motion.rules for joint in joints):
        return False
    turn = math.fsum(max(map(abs, motion.ranges.get(joint.child, (-math.pi, math.pi)))) for joint in joints)
    return turn <= MOST_TURN and all(rest_pose.same_place(joint, other) and abs(dot(
        rest_pose.axis_of(joint), rest_pose.axis_of(other))) < EXACT for joint in chain)


def axes_of(axes: Sequence[Vector], along: Vector, singular: Sequence[Vector]) -> Axes:
    """Return the frame of a bone of two or three joints: Y is the possible axis that is closest to `along`.

    Args:
        axes: those of the joints, outermost first.
        singular: directions that Y keeps away from, if need be by the opposite direction.
    """
    possible = [*axes] if len(axes) == MOST_JOINTS else [*axes, cross(axes[0], axes[1])]
    ranked = sorted(range(len(possible)), key=lambda k: -abs(dot(possible[k], along)))
    tries = [(k, sign * (1 if dot(possible[k], along) >= 0.0 else -1)) for k in ranked for sign in (1, -1)]
    chosen, sign = next((one for one in tries if is_clear(scale(one[1], possible[one[0]]), singular)), tries[0])
    y = scale(sign, possible[chosen])
    rest = [k for k in range(len(axes)) if k != chosen]
    x = axes[rest[0]]
    z = cross(x, y)
    letters = {chosen: ("Y", sign), rest[0]: ("X", 1)}
    if len(rest) == 2:
        letters[rest[1]] = ("Z", 1 if dot(z, axes[rest[1]]) > 0.0 else -1)
    order = [letters[k][0] for k in reversed(range(len(axes)))]
    if len(order) == 2:
        order.insert(1, next(letter for letter in LETTERS if letter not in order))  # the locked one: no gimbal lock
    return Axes(x, y, tuple(letters[k] for k in range(len(axes))), "".join(order))
