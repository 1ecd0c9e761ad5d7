"""A convex hull of few corners that contains another: an inner hull of corners, each pushed out as little as needed.

1. The farthest corners of the hull make an inner hull of the wanted number of corners.
2. Each of its facets has a parallel plane above it that supports the whole hull.
3. Each corner moves by the shortest vector that brings it beyond the planes of all its facets (Hildreth 1957).
4. Then each moved triangle is beyond its plane, so the moved surface never meets the inside of the hull that it
   surrounds. This is not relied on: after rounding to float32 an exact test decides whether the hull is inside, and if
   it is not, the planes move out and the corners are pushed again.
"""
from array import array
from math import sqrt
from typing import Dict, List, Optional, Sequence, Tuple

from ..meshes.hull import convex_hull, extreme_corners, Hull, Point

SWEEPS = 2000  # most corners need a few
ROUNDING = 2e-7  # of the farthest coordinate: three times what rounding to float32 moves it
CLOSE = 0.02 * ROUNDING  # of the farthest coordinate: how far a corner may still be below a plane
MARGINS = tuple(ROUNDING * factor for factor in (1.0, 4.0, 16.0, 64.0, 1e3, 1e4))

Plane = Tuple[Point, float]  # unit normal and level


def as_single(values: Sequence[float]) -> Tuple[float, ...]:
    """Return values as float32 holds them."""
    return tuple(array("f", values))


def few_corners(hull: Hull, most: int, *, single: bool = True) -> Optional[Hull]:
    """Return a hull of at most `most` corners, all float32 values, that contains another; the hull itself if it fits.

    None is returned if no such hull is found: for a body that is nearly flat, or thinner than the spacing of float32.

    Args:
        hull: the hull to be contained, as `convex_hull` returns it.
        most: the number of corners, at least 8.
        single: the corners of `hull` are float32 values, so that it can stay as it is.
    """
    if single:
        extreme = extreme_corners(hull) if len(hull.corners) <= 4 * most else hull.corners
        if len(extreme) <= most:
            return hull if len(extreme) == len(hull.corners) else convex_hull(extreme)
    inner = convex_hull(hull.corners, most)
    if inner is None:
        return None
    reach = max(abs(value) for corner in hull.corners for value in corner)
    supports = _supports(inner, hull.corners)
    # Rounding to float32 may bring a corner back below a plane: try larger margins until the exact test passes.
    for margin in MARGINS:
        moved = _pushed_out(inner, [(normal, level + margin * reach) for normal, level in supports], CLOSE * reach)
        flat = as_single([value for corner in moved for value in corner])
        corners = list(zip(flat[0::3], flat[1::3], flat[2::3]))
        outer = convex_hull(corners)
        if outer and is_inside(hull.corners, outer):
            return outer
    return None


def is_inside(points: Sequence[Point], outer: Hull) -> bool:
    """Return True if points are in a hull: exact, as the signs in `convex_hull` are."""
    whole = convex_hull([*outer.corners, *points])
    return whole is not None and set(extreme_corners(whole)) <= set(outer.corners)


def _supports(inner: Hull, points: Sequence[Point]) -> List[Plane]:
    """Return for each facet of an inner hull the plane with its normal that supports all points."""
    planes: List[Plane] = []
    for a, b, c in inner.triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (inner.corners[k] for k in (a, b, c))
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = sqrt(nx * nx + ny * ny + nz * nz) or 1.0
        nx, ny, nz = nx / length, ny / length, nz / length
        planes.append(((nx, ny, nz), max([nx * x + ny * y + nz * z for x, y, z in points])))
    return planes


def _pushed_out(inner: Hull, planes: Sequence[Plane], close: float) -> List[Point]:
    """Return the corners of a hull, each moved beyond the planes of all its facets."""
    around: Dict[int, List[Plane]] = {k: [] for k in range(len(inner.corners))}
    for triangle, plane in zip(inner.triangles, planes):
        for k in triangle:
            around[k].append(plane)
    return [_beyond(corner, around[k], close) for k, corner in enumerate(inner.corners)]


def _beyond(corner: Point, planes: Sequence[Plane], close: float) -> Point:
    """Return the nearest point beyond planes, by Hildreth's method: repeated sweeps over the planes.

    It may be below them by at most `close`.
    """
    x, y, z = corner
    weights = [0.0] * len(planes)
    for _ in range(SWEEPS):
        worst = 0.0
        for k, ((nx, ny, nz), level) in enumerate(planes):
            missing = level - (nx * x + ny * y + nz * z)
            change = max(missing, -weights[k])
            if change:
                weights[k] += change
                x, y, z = x + change * nx, y + change * ny, z + change * nz
                worst = max(worst, abs(change))
        if worst <= close:
            break
    factor = 1.0
    for (nx, ny, nz), level in planes:  # planes that the sweeps have not reached: go farther in the same direction
        start = nx * corner[0] + ny * corner[1] + nz * corner[2]
        gained = nx * (x - corner[0]) + ny * (y - corner[1]) + nz * (z - corner[2])
        if 0.0 < gained < level - start - close:
            factor = max(factor, (level - start) / gained)
    return (corner[0] + factor * (x - corner[0]), corner[1] + factor * (y - corner[1]),
            corner[2] + factor * (z - corner[2]))
