"""The least circle or ball around points: that of the farthest points so far, until none is outside (LP-type problem).
"""
from itertools import combinations
from math import sqrt
from typing import List, Sequence, Tuple

Vector = Tuple[float, ...]
MOST_STEPS = 200
OUTSIDE = 1e-12  # of the square of the radius


def least_ball(points: Sequence[Vector]) -> Tuple[Vector, float]:
    """Return center and radius of the least ball around points of two or three coordinates.

    The radius grows in each step (Gaertner 1999), so the method ends; the returned radius is the distance of the
    farthest point, so the ball contains all points also if its center is inexact.
    """
    basis: List[Vector] = [points[0]]
    center, square = points[0], 0.0
    for _ in range(MOST_STEPS):
        squares = [_square_between(center, point) for point in points]
        largest = max(squares)
        farthest = points[squares.index(largest)]
        if largest <= square * (1.0 + OUTSIDE) or farthest in basis:
            break
        basis, center, square = _ball_of_few([*basis, farthest])
    return center, sqrt(max(_square_between(center, point) for point in points))


def _square_between(a: Vector, b: Vector) -> float:
    square = 0.0
    for p, q in zip(a, b):
        square += (p - q) * (p - q)
    return square


def _ball_of_few(points: List[Vector]) -> Tuple[List[Vector], Vector, float]:
    """Return the least ball around a few points, and those on its surface that determine it."""
    balls: List[Tuple[float, List[Vector], Vector]] = []
    for count in range(2, min(len(points), len(points[0]) + 1) + 1):
        for chosen in combinations(points, count):
            center = _center_through(chosen)
            if center is None:
                continue
            square = _square_between(center, chosen[0])
            if all(_square_between(center, point) <= square * (1.0 + 1e-10) for point in points):
                balls.append((square, list(chosen), center))
    if not balls:  # rounding errors: all points are nearly equal
        return points[-1:], points[-1], 0.0
    square, chosen_points, center = min(balls, key=lambda ball: ball[0])
    return chosen_points, center, square


def _center_through(points: Sequence[Vector]) -> "Vector | None":
    """Return the point of the plane of points that has the same distance from all of them, None if there is none."""
    start, edges = points[0], [tuple(q - p for p, q in zip(points[0], point)) for point in points[1:]]
    rows = [[2.0 * _dot(edge, other) for other in edges] + [_dot(edge, edge)] for edge in edges]
    for k in range(len(rows)):  # Gauss, with pivots
        pivot = max(range(k, len(rows)), key=lambda n: abs(rows[n][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < 1e-300:
            return None
        for n in range(len(rows)):
            if n != k:
                factor = rows[n][k] / rows[k][k]
                rows[n] = [value - factor * other for value, other in zip(rows[n], rows[k])]
    weights = [row[-1] / row[k] for k, row in enumerate(rows)]
    center = list(start)
    for weight, edge in zip(weights, edges):
        center = [value + weight * step for value, step in zip(center, edge)]
    return tuple(center)


def _dot(a: Vector, b: Vector) -> float:
    total = 0.0
    for p, q in zip(a, b):
        total += p * q
    return total
