"""The roll of a bone: how Blender turns a direction and an angle into a frame, and where that is inexact.

A bone's base frame comes from the smallest rotation that takes +Y to its direction; `roll` turns it about Y. The
formula is that of `vec_roll_to_mat3_normalized` in Blender's armature.c, with its two thresholds.
"""
from typing import Sequence

from ...base.exact_trigonometry import arctangent
from ...urdf.spatial import angle_between, cross, dot, rotate, scale, subtract, rotation_about, unit, Vector
from .records import EXACT

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
