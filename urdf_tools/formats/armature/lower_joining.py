"""Which joints in one place become one bone, and the frame of that bone.

A bone can turn about its X, Y and Z one after the other. Up to three joints with one origin and axes at right angles to
each other are that, whatever frames lie between: pose = R(axis 1, q1) R(axis 2, q2) R(axis 3, q3) * rest.
"""
import math
from typing import Dict, Iterator, NamedTuple, Sequence, Tuple

from ...base.exact_trigonometry import arctangent
from ...urdf.model import Joint
from ...urdf.spatial import angle_between, cross, dot, rotate, rotation_about, scale, subtract, unit, Vector
from .lower_bodies import RestPose
from .lower_motion import Motion
from .records import EXACT, LETTERS

CLOSE, CLOSER = 6.1e-3, 2.5e-4  # where Blender changes to a series, and where to the frame of exactly -Y
HARMLESS = 1e-6  # [rad] so close to a singular direction the error is that of a float
SNAPPED = 1e-3  # [rad] ... and so close nobody sees that the tail has moved
CLEAR = 0.15  # [rad] from here on the rounding of Blender's floats does not grow any more


def base_x(y: Vector) -> Vector:
    """Return the X axis of a bone with roll 0 along the unit vector `y`."""
    across = y[0] * y[0] + y[2] * y[2]
    theta = 1.0 + y[1]
    if theta <= CLOSE and across <= CLOSER * CLOSER:
        return (-1.0, 0.0, 0.0)
    if theta <= CLOSE:
        theta = across * 0.5 + across * across * 0.125
    return (1.0 - y[0] * y[0] / theta, -y[0], -y[0] * y[2] / theta)


def roll_of(x: Vector, y: Vector) -> float:
    """Return the roll [rad] that gives a bone along `y` the X axis `x`; both are unit vectors at a right angle."""
    base = base_x(y)
    return arctangent(dot(cross(base, x), y), dot(base, x))


def is_clear(y: Vector, singular: Sequence[Vector]) -> bool:
    """Return True if a bone along `y` gets an exact frame: exactly on a singular direction, or well away from it."""
    return all(not HARMLESS < angle_between(y, direction) < CLEAR for direction in singular)


def clear_about(axis: Vector, along: Vector, singular: Sequence[Vector]) -> Vector:
    """Return where a bone is to point that turns about `axis` and should point along `along`, at a right angle to it.

    A tail next to a singular direction is put on it, where the axis allows that and nobody sees it, or turned about the
    axis until it is clear. Only the look of the bone changes.

    Returns:
        A vector as long as the bone is to be.
    """
    y = unit(along)
    for direction in singular:
        if HARMLESS < angle_between(y, direction) < SNAPPED and abs(dot(axis, direction)) < EXACT:
            return scale(dot(along, direction), unit(subtract(direction, scale(dot(axis, direction), axis))))
    turns = (sign * step * CLEAR for step in range(21) for sign in (1, -1))  # all around
    return next((turned for turned in (rotate(rotation_about(axis, turn), along) for turn in turns)
                 if is_clear(unit(turned), singular)), along)


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


def chains_of(rest_pose: RestPose, motion: Motion, *, join: bool) -> Iterator[Tuple[Joint, ...]]:
    """Yield the joints of each bone, outermost first; parents come before their children."""
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
        yield tuple(chain)


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
    chosen, sign = next(((k, s) for k, s in tries if is_clear(scale(s, possible[k]), singular)), tries[0])
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
