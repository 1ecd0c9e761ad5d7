"""Check that two triangles cross wherever their corners are within an error, with no knowledge of how they were found.

An edge crosses a triangle where its ends are on strictly opposite sides of the plane, and the line through them passes
all three sides of the triangle on one hand: the signs of five volumes. A volume counts only if its sign is the same for
all errors: that of vectors with components up to m changes by at most 6 ((m + d)^3 - m^3) where each moves by d.
"""
from typing import Sequence, Tuple

Corner = Tuple[float, float, float]
Three = Sequence[Corner]
ROUNDINGS = 2.0 ** -48  # of m^3: 6 products of three and 5 sums, of differences


def certainly_cross(first: Three, second: Three, error: float) -> bool:
    """Return True if an edge of one triangle certainly crosses the other; `error` is that of each coordinate [m]."""
    return any(_pierces(edge, other, error) for one, other in ((first, second), (second, first))
               for edge in ((one[0], one[1]), (one[1], one[2]), (one[2], one[0])))


def _pierces(edge: Sequence[Corner], triangle: Three, error: float) -> bool:
    """Return True if an edge certainly crosses a triangle."""
    start, end = edge
    a, b, c = triangle
    sides = [_sign(_to(a, b), _to(a, c), _to(a, start), error), _sign(_to(a, b), _to(a, c), _to(a, end), error)]
    if 0 in sides or sides[0] == sides[1]:
        return False
    along = _to(start, end)
    hands = {_sign(along, _to(start, one), _to(start, other), error) for one, other in ((a, b), (b, c), (c, a))}
    return hands in ({1}, {-1})


def _to(start: Corner, end: Corner) -> Corner:
    return (end[0] - start[0], end[1] - start[1], end[2] - start[2])


def _sign(u: Corner, v: Corner, w: Corner, error: float) -> int:
    """Return the sign of the volume of three differences of corners, 0 where an error could change it."""
    volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
              + u[2] * (v[0] * w[1] - v[1] * w[0]))
    m, d = max(map(abs, (*u, *v, *w))), 2.0 * error
    unsure = 6.0 * d * (3.0 * m * m + 3.0 * m * d + d * d) * (1.0 + ROUNDINGS) + ROUNDINGS * m * m * m + 1e-300
    return 0 if abs(volume) <= unsure else 1 if volume > 0.0 else -1
