"""The lower bound of a body along a direction, in a whole cell of joint positions: for the search of planes and the proof.

Along a direction n, a corner x moves at most by sum_j |n.(a_j x (x - o_j))| h_j + 1/2 sum_ij s_min(i,j) rho_max(i,j)
h_i h_j (Taylor). Here a_j and o_j are the axis of joint j and a point on it, and h_j is half the width of the cell. rho_j
bounds the distance from the axis in the whole cell, which joints further out may make larger. s_i bounds |n x a_i| in the
whole cell, where each joint further in turns a_i by up to h_l. The second derivative of a point by i and j is
a_i x (a_j x r), with i the inner of the two axes and r from the outer. A slide has rho = 1, and its second derivative is
zero. The corner also moves at most by sum_j rho_j h_j.
"""

from __future__ import annotations

from math import fsum, sqrt
from operator import mul
from typing import List, Sequence

from ..base.record_type import Record
from ..urdf.spatial_math import cross, dot, move, norm, subtract, Vector
from .proof_geometry import Axes, Placed, Point

WORSE = 1.0 + 2.0**-40  # a factor of half widths and distances that covers rounding


class DirectionBound(Record):
    """A lower bound of n.x [m] of a body over a cell, and the most that the width of each variable takes from it [m]."""

    value: float
    costs: List[float]


def lower_bound_along(
    n: Vector,
    placed: Placed,
    corners: Sequence[Point],
    radius: float,
    halves: Sequence[float],
    *,
    error: float = 0.0,
    turn_error: float = 0.0,
) -> DirectionBound:
    """Return a lower bound of n.x for all points of a body, in the whole cell.

    Args:
        placed: the pose of the link and the axes of the joints in the middle of the cell.
        corners, radius: the body: all points within the radius of the hull of the corners, in the frame of the link [m].
        halves: half the width of the cell for each variable [rad or m].
        error, turn_error: bounds of the errors of a coordinate [m], and of an axis.
    """
    T, axes = placed
    placed_corners = [move(T, corner) for corner in corners]
    nx, ny, nz = n
    heights = [nx * x + ny * y + nz * z for x, y, z in placed_corners]
    widths = [abs(joint.factor) * halves[joint.variable] for _, _, joint in axes]
    # 8 errors are more than the length of an error of three coordinates, also after a product.
    outer_radius = radius + 8.0 * error
    rho = far_from(axes, placed_corners, outer_radius, widths)

    # The bound of order 0: each joint moves the body at most by rho h.
    costs = [0.0] * len(halves)
    for (_, _, joint), far, half in zip(axes, rho, widths):
        costs[joint.variable] += far * half
    motion = fsum(costs) * WORSE
    lowest = min(heights)

    # The bound of order 1. Corners that are higher by more than the whole motion stay above the lowest corner.
    low_corners = [(z, at) for z, at in zip(heights, placed_corners) if z <= lowest + motion]
    kept = [at for _, at in low_corners]
    values = _first_order(n, axes, widths, [z for z, _ in low_corners], kept)
    least = min(values)
    first_order_bound = least - WORSE * _taken_from_all(
        n, axes, rho, widths, outer_radius, turn_error
    )
    # Both bounds are valid: the better one is used.
    if first_order_bound > lowest - motion:
        costs = _costs(n, axes, kept[values.index(least)], rho, widths, len(halves))
    return DirectionBound(
        max(lowest - motion, first_order_bound) - radius * WORSE - 8.0 * error, costs
    )


def _first_order(
    n: Vector,
    axes: Axes,
    widths: Sequence[float],
    heights: List[float],
    corners: Sequence[Point],
) -> List[float]:
    """Return the heights of corners along n [m], less the first derivatives by the turning joints times the half widths.

    A slide lowers all corners alike: `_taken_from_all` includes it.
    """
    values = heights
    for (axis, origin, joint), half in zip(axes, widths):
        if joint.slides:
            continue
        p, q, r = cross(n, axis)
        u, v, w = origin
        values = [
            value - half * abs(p * (x - u) + q * (y - v) + r * (z - w))
            for value, (x, y, z) in zip(values, corners)
        ]
    return values


def _taken_from_all(
    n: Vector,
    axes: Axes,
    rho: Sequence[float],
    widths: Sequence[float],
    outer_radius: float,
    turn_error: float,
) -> float:
    """Return the length that slides, the radius and the second derivatives take from a bound of order 1 [m]."""
    # `inward` is the sum of s_i h_i over the joints further in.
    first = 0.0
    second = 0.0
    inward = 0.0
    for (axis, _, joint), far, half, sine in zip(
        axes, rho, widths, sines(n, axes, widths, turn_error)
    ):
        if joint.slides:
            first += half * (abs(dot(n, axis)) + 4.0 * turn_error)
            second += half * inward * WORSE
        else:
            first += half * outer_radius
            second += far * half * (inward + 0.5 * half * sine)
            inward += half * sine
    return first + second


def _costs(
    n: Vector, axes: Axes, at: Point, rho: Sequence[float], widths: Sequence[float], count: int
) -> List[float]:
    """Return the length that the width of each variable takes from the bound of order 1 at a point [m]."""
    costs = [0.0] * count
    for k, (axis, origin, joint) in enumerate(axes):
        moved = axis if joint.slides else cross(axis, subtract(at, origin))
        second = rho[k] * fsum(widths[:k])
        if not joint.slides:
            second += 0.5 * rho[k] * widths[k] + fsum(map(mul, rho[k + 1 :], widths[k + 1 :]))
        costs[joint.variable] += widths[k] * (abs(dot(n, moved)) + second)
    return costs


def sines(n: Vector, axes: Axes, widths: Sequence[float], turn_error: float) -> List[float]:
    """Return an upper bound of |n x axis| for each joint in the whole cell, where joints further in turn the axis."""
    bounds: List[float] = []
    turned = 0.0
    for (axis, _, joint), half in zip(axes, widths):
        sine = norm(cross(n, axis)) + turned + 4.0 * turn_error
        bounds.append(min(1.0, sine) * WORSE)
        if not joint.slides:
            turned += half * WORSE
    return bounds


def far_from(
    axes: Axes, corners: Sequence[Point], radius: float, widths: Sequence[float]
) -> List[float]:
    """Return an upper bound of the body's distance from each axis in the whole cell [m]; 1 for a slide."""
    distances: List[float] = []
    # From the outermost joint inward: `more` is the motion by the joints further out.
    more = 0.0
    for (axis, (u, v, w), joint), half in zip(reversed(axes), reversed(widths)):
        far = WORSE
        if not joint.slides:
            a, b, c = axis
            largest = 0.0
            # The length of axis x arm, unrolled: this is the inner loop.
            for x, y, z in corners:
                dx, dy, dz = x - u, y - v, z - w
                p, q, r = b * dz - c * dy, c * dx - a * dz, a * dy - b * dx
                largest = max(largest, p * p + q * q + r * r)
            far = (sqrt(largest) + radius + more) * WORSE
        distances.append(far)
        more += far * half
    return distances[::-1]
