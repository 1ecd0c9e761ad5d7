"""Rare features of COLLADA for the proof: implemented independently of `rare_collada`."""
from itertools import chain
from math import acos, fsum, pi, radians, tan
from typing import Iterator, List, Optional, Sequence, Tuple

from ..collada.document import dae_child, dae_target, DaeDocument, DaeElement
from ..collada.measure import meant_map, unit_length
from ..collada.verify import area_vector, edges_of, FLAT_ENOUGH, Loop, Polygon
from ..urdf.spatial import add, compose, cross, dot, IDENTITY_POSE, IDENTITY, Pose, scale, subtract, transpose, ZERO


def measured_lookat(v: Sequence[float]) -> Pose:
    """Return the transform of `<lookat>` on column vectors, given its nine numbers."""
    first, second, third = ((v[k], v[k + 1], v[k + 2]) for k in (0, 3, 6))
    back = unit_length(subtract(first, second))
    right = unit_length(cross(third, back))
    turned = transpose((right, cross(back, right), back)) if any(back) and any(right) else IDENTITY
    return Pose(turned, first)


def measured_skew(v: Sequence[float]) -> Pose:
    """Return the transform of `<skew>` on column vectors, given its seven numbers."""
    a, b = unit_length((v[1], v[2], v[3])), unit_length((v[4], v[5], v[6]))
    rest = unit_length(subtract(a, scale(dot(a, b), b)))
    between = acos(min(max(dot(a, b), -1.0), 1.0))
    angle = between - radians(v[0])
    if not any(rest) or not 1e-6 < angle < pi - 1e-6:
        return IDENTITY_POSE
    lean = 1.0 / tan(angle) - 1.0 / tan(between)
    p, q, r = (add(scale(lean * b[k], rest), IDENTITY[k]) for k in range(3))
    return Pose((p, q, r), ZERO)


def measured_unmoved(document: DaeDocument, controller: DaeElement, matrix: Pose) -> Tuple[Optional[DaeElement], Pose]:
    """Return the mesh of a skin or morph, and its map at rest."""
    target: Optional[DaeElement] = controller
    while target is not None and target.tag == "controller":
        skin = dae_child(target, "skin", "morph")
        if skin is None:
            break
        shape = dae_child(skin, "bind_shape_matrix")
        matrix = compose(matrix, meant_map(document, shape)) if shape is not None else matrix
        target = dae_target(document, skin.attributes.get("source", ""))
    return target, matrix


def measured_run(tag: str, row: Sequence[int]) -> Iterator[List[int]]:
    """Yield each triangle of a strip or fan, with its winding."""
    if tag == "trifans":
        yield from ([row[0], b, c] for b, c in zip(row[1:], row[2:]))
    else:  # each corner closes a triangle with the two before, now left, now right
        yield from ([b, a, c] if k % 2 else [a, b, c] for k, (a, b, c) in enumerate(zip(row, row[1:], row[2:])))


class HoledPolygon(Polygon):
    """A polygon with holes, which are wound against its outline; `open` is the sum of their areas."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        super().__init__(loops)
        others = [area_vector([self.places[corner] for corner in loop]) for loop in loops[1:]]
        self.holes = [loop[::-1] if dot(self.normal, other) > 0.0 else loop for loop, other in zip(loops[1:], others)]
        self.loops = [loops[0], *self.holes]
        self.open = fsum(abs(other[self.axis]) for other in others)

    def is_covered_by(self, triangles: Sequence[Loop]) -> bool:
        """Return True if triangles cover the polygon except its holes; triangles without area may be missing.

        Holes that cross another line may be filled or reversed, so that only the area can be compared.
        """
        if not all(corner in self.places for corner in chain.from_iterable(triangles)):
            return False
        is_bordering, is_turned = self.is_bordering(triangles), self.is_turned(triangles)
        if is_bordering and not is_turned or self.is_plain():
            return is_bordering and not is_turned
        area = 0.5 * fsum(self.sides(triangles))
        return is_bordering or abs(area - self.size) <= self.open + FLAT_ENOUGH * (self.size + self.open)

    def is_plain(self) -> bool:
        """Return True if the polygon is flat, no edges meet, and each hole is inside the outline and no other hole."""
        return super().is_plain() and all(self.is_inside(hole[0], loop) == (loop is self.loops[0])
                                          for hole in self.holes for loop in self.loops if loop is not hole)

    def is_inside(self, corner: bytes, loop: Loop) -> bool:
        """Return True if a corner is inside a closed line (even-odd rule)."""
        x, y = self.flat[corner]
        ends = [(self.flat[p], self.flat[q]) for p, q in edges_of(loop)]
        return sum((a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                   for a, b in ends) % 2 == 1


def covers_holes(loops: Sequence[Loop], triangles: Sequence[Loop]) -> bool:
    """Return True if triangles cover a polygon, given by its outline and its holes."""
    return HoledPolygon(loops).is_covered_by(triangles)
