"""Polygons with any number of corners, concave ones and ones with holes, cut into triangles.

A polygon is a list of indices into points in space; it is cut in its largest projection, counter-clockwise.
Every polygon of n corners yields exactly n - 2 triangles with its own winding, so that counts can be checked.
"""
from bisect import bisect_left, bisect_right, insort
from math import fsum
from typing import Dict, List, Sequence, Tuple

from .records import DaeVector

MOST_EXTRA_LOOKS = 4_000_000

Flat = Tuple[float, float]


def polygon_triangles(corners: Sequence[int], points: Sequence[DaeVector], tally: Dict[str, int]) -> List[int]:
    """Return the flat list of triangle indices of one polygon; a fan when that is right, else by ear clipping."""
    if len(corners) == 3:
        return list(corners)
    if len(corners) == 4:
        return quad_triangles(corners, points)
    shape = [points[corner] for corner in corners]
    flat = flatten_points(shape, newell_normal(shape))
    if is_convex(flat):
        return fan_triangles(corners)
    return [corners[place] for place in clip_ears(flat, tally)]


def fan_triangles(corners: Sequence[int]) -> List[int]:
    """Return the triangles that all start at the first corner."""
    return [corner for pair in zip(corners[1:], corners[2:]) for corner in (corners[0], *pair)]


def quad_triangles(corners: Sequence[int], points: Sequence[DaeVector]) -> List[int]:
    """Cut a quad along the diagonal that lies inside it, the first one when both do."""
    a, b, c, d = corners
    ax, ay, az = points[a]
    (px, py, pz), (qx, qy, qz), (rx, ry, rz) = points[b], points[c], points[d]
    ux, uy, uz, vx, vy, vz = px - ax, py - ay, pz - az, qx - ax, qy - ay, qz - az
    wx, wy, wz = rx - ax, ry - ay, rz - az
    agreement = ((uy * vz - uz * vy) * (vy * wz - vz * wy)
                 + (uz * vx - ux * vz) * (vz * wx - vx * wz)
                 + (ux * vy - uy * vx) * (vx * wy - vy * wx))
    return [b, c, d, b, d, a] if agreement < 0.0 else [a, b, c, a, c, d]


def newell_normal(points: Sequence[DaeVector]) -> DaeVector:
    """Return the area vector of a polygon, twice its area long (Newell's method)."""
    x = y = z = 0.0
    for (ax, ay, az), (bx, by, bz) in zip(points, [*points[1:], points[0]]):
        x += (ay - by) * (az + bz)
        y += (az - bz) * (ax + bx)
        z += (ax - bx) * (ay + by)
    return (x, y, z)


def flatten_points(points: Sequence[DaeVector], normal: DaeVector) -> List[Flat]:
    """Project points along the largest component of a normal; what runs counter-clockwise about it stays so."""
    x, y, z = normal
    ax, ay, az = abs(x), abs(y), abs(z)
    if az >= ax and az >= ay:
        return [(p[0], p[1]) for p in points] if z >= 0 else [(p[1], p[0]) for p in points]
    if ax >= ay:
        return [(p[1], p[2]) for p in points] if x >= 0 else [(p[2], p[1]) for p in points]
    return [(p[2], p[0]) for p in points] if y >= 0 else [(p[0], p[2]) for p in points]


def turn(a: Flat, b: Flat, c: Flat) -> float:
    """Return twice the signed area of a flat triangle: positive when it runs counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_convex(flat: Sequence[Flat]) -> bool:
    """Return True if no corner of a counter-clockwise polygon turns right; also for a five-pointed star."""
    (ax, ay), (bx, by) = flat[-2], flat[-1]
    for cx, cy in flat:
        if (bx - ax) * (cy - by) < (by - ay) * (cx - bx):
            return False
        ax, ay, bx, by = bx, by, cx, cy
    return True


def clip_ears(flat: Sequence[Flat], tally: Dict[str, int]) -> List[int]:
    """Cut a flat counter-clockwise polygon into triangles of corner numbers by clipping ears.

    Only corners that turn right can lie inside an ear; they are kept sorted by x, so that few of them are tested.
    A polygon that crosses itself, or takes far too many tests, is finished as well as possible and counted in `tally`.
    """
    count = len(flat)
    before = [count - 1, *range(count - 1)]
    after = [*range(1, count), 0]
    turning_right = sorted((flat[i][0], flat[i][1], i) for i in range(count)
                           if turn(flat[before[i]], flat[i], flat[after[i]]) <= 0.0)
    is_right = [False] * count
    for _, _, i in turning_right:
        is_right[i] = True
    looks_left = 400 * count + min(count * count, MOST_EXTRA_LOOKS)
    triangles: List[int] = []
    here, misses, left = 0, 0, count
    forced = False
    while left > 3:
        previous, following = before[here], after[here]
        a, b, c = flat[previous], flat[here], flat[following]
        area = turn(a, b, c)
        clear = area > 0.0
        if clear:
            low, high = min(a[0], b[0], c[0]), max(a[0], b[0], c[0])
            start = bisect_left(turning_right, (low,))
            end = bisect_right(turning_right, (high, float("inf")), start)
            looks_left -= end - start + 1
            for x, y, other in turning_right[start:end]:
                point = (x, y)
                if other in (previous, here, following) or point in (a, b, c):
                    continue
                if turn(a, b, point) >= 0.0 and turn(b, c, point) >= 0.0 and turn(c, a, point) >= 0.0:
                    clear = False
                    break
        elif area == 0.0 and (misses > left or a in (b, c) or b == c):
            clear = True  # a corner on the line between its neighbors is clipped if nothing else can be
        if not clear and misses <= 2 * left and looks_left > 0:
            here = following
            misses += 1
            continue
        forced = forced or not clear
        triangles += (previous, here, following)
        left -= 1
        misses = 0
        after[previous], before[following] = following, previous
        if is_right[here]:
            del turning_right[bisect_left(turning_right, (flat[here][0], flat[here][1], here))]
        for corner in (previous, following):
            right = turn(flat[before[corner]], flat[corner], flat[after[corner]]) <= 0.0
            if right != is_right[corner]:
                key = (flat[corner][0], flat[corner][1], corner)
                if right:
                    insort(turning_right, key)
                else:
                    del turning_right[bisect_left(turning_right, key)]
                is_right[corner] = right
        here = previous  # it and its new neighbor have changed; in a long corridor only they can be ears
    triangles += (before[here], here, after[here])
    if forced:
        tally["polygons that cross themselves"] += 1
    return triangles


def bridge_holes(outer: Sequence[int], holes: Sequence[Sequence[int]], points: Sequence[DaeVector],
                 tally: Dict[str, int]) -> List[int]:
    """Join each hole to the outline by a cut walked in both directions, which yields one polygon without holes.

    D. Eberly, "Triangulation by Ear Clipping": the rightmost corner of a hole sees the outline to its right.  A hole of
    m corners adds m + 2.  A hole that sees no outline is left out and counted in `tally`.
    """
    normal = newell_normal([points[corner] for corner in outer])
    joined = list(outer)
    flat = flatten_points([points[corner] for corner in joined], normal)
    loops = []
    for hole in holes:
        loop, shape = list(hole), flatten_points([points[corner] for corner in hole], normal)
        if fsum(turn((0.0, 0.0), p, q) for p, q in zip(shape, shape[1:] + shape[:1])) > 0.0:
            loop.reverse()
            shape.reverse()
        start = max(range(len(shape)), key=lambda i: shape[i])
        loops.append((shape[start], loop[start:] + loop[:start + 1], shape[start:] + shape[:start + 1]))
    for tip, loop, shape in sorted(loops, reverse=True):
        place = visible_corner(tip, flat)
        if place < 0:
            tally["holes outside their polygon"] += 1
            continue
        joined[place + 1:place + 1] = [*loop, joined[place]]
        flat[place + 1:place + 1] = [*shape, flat[place]]
        tally["triangles added for holes"] += len(loop) + 1
    return joined


def visible_corner(tip: Flat, flat: Sequence[Flat]) -> int:
    """Return the place of an outline corner that a hole's rightmost corner sees, or -1."""
    best_x, best = float("inf"), -1
    for place, (a, b) in enumerate(zip(flat, [*flat[1:], flat[0]])):
        if a[1] <= tip[1] <= b[1] and a[1] != b[1]:  # an edge that goes up has the inside on its left
            x = a[0] + (tip[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            if tip[0] <= x < best_x:
                best_x, best = x, place if a[0] > b[0] else (place + 1) % len(flat)
                if a[1] == tip[1]:
                    best = place
                elif b[1] == tip[1]:
                    best = (place + 1) % len(flat)
    if best < 0:
        return -1
    hit, seen = (best_x, tip[1]), flat[best]
    corners = (tip, hit, seen) if seen[1] >= tip[1] else (tip, seen, hit)
    closest = (float("inf"), 0.0)
    for place, point in enumerate(flat if hit != seen else ()):
        if point[0] < tip[0] or point == seen:
            continue
        if all(turn(p, q, point) >= 0.0 for p, q in zip(corners, corners[1:] + corners[:1])):
            across, along = abs(point[1] - tip[1]), point[0] - tip[0]
            slope = (across / along if along > 0.0 else float("inf"), along)
            previous, following = flat[place - 1], flat[(place + 1) % len(flat)]
            if slope < closest and turn(previous, point, following) <= 0.0:
                closest, best = slope, place
    # A corner where cuts end is in the outline several times, each time with another part of the inside.
    return next((place for place, point in enumerate(flat) if point == flat[best] and is_between(
        tip, flat[place - 1], point, flat[(place + 1) % len(flat)])), best)


def is_between(point: Flat, previous: Flat, corner: Flat, following: Flat) -> bool:
    """Return True if a point lies between the edges of a corner, to their left."""
    sides = turn(previous, corner, point) > 0.0, turn(corner, following, point) > 0.0
    return all(sides) if turn(previous, corner, following) > 0.0 else any(sides)
