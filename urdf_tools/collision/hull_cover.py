"""The search for hulls that contain a mesh and stay near its solid, with the trees and the boxes that prove both.

Parts are cut and joined on a lattice (`mesh_cutting.py`). The written hull of each part is then divided into boxes that the
proof can check (`verify_convex_pieces.py`). A part that fails is parted again if it was joined, else cut, until all are proven.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from math import inf
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull, Hull, Point
from ..meshes.triangle_tree import TriangleTree
from ..meshes.mesh_volume import with_holes_closed
from ..meshes.verify_witnesses import distance, triangle_gap
from ..urdf.spatial_math import add, dot, scale, subtract
from .mesh_cutting import MeshCutter, CutPart, TooManyParts
from .collision_shapes import few_corners, MeshWithHull
from .verify_convex_pieces import (
    below,
    Box,
    center_of,
    corners_of,
    half_boxes,
    INSIDE,
    MeshNeighborhood,
    Plane,
    root_box,
    supports_of,
)

# The corners of a tetrahedron, around each point of a part that is flat.
AROUND = ((-1.0, -1.0, -1.0), (1.0, 1.0, -1.0), (1.0, -1.0, 1.0), (-1.0, 1.0, 1.0))
THICKER = 1e-5  # of the longest side of a mesh: half the thickness that a part in one plane gets
MOST_STEPS = 1000000  # of the boxes of a hull
SMALL = 3.0  # of the distance: half the diagonal of a box whose corners are examined
LEAST = 1e-4  # of the distance: half the diagonal of the smallest box
ROUNDED = 1.0 - 1e-8  # of the distance: the proof computes it in another order


class HullCover(Record):
    """Hulls that contain a mesh, with their proofs.

    Attributes:
        hulls: as they are written.
        boxes: for each hull the halvings of its box, as `MeshNeighborhood` reads them.
        trees: for each triangle its pieces and their hulls, as `is_covered` reads them.
    """

    hulls: Tuple[Hull, ...]
    boxes: Tuple["array[int]", ...]
    trees: Tuple["array[float]", ...]


@lru_cache(maxsize=16)  # left and right often share a mesh
def convex_pieces(body: MeshWithHull, within: float, corners: int, most: int) -> HullCover:
    """Return hulls that contain a mesh and stay within a distance of its solid, all in the coordinates of its file.

    Args:
        within: the distance, in the units of the file.
        corners: the largest number of corners of a hull.
        most: the largest number of hulls.

    Raises:
        TooManyParts: more hulls are needed, or more boxes for a hull, or no hull of float32 values stays so near.
    """
    if within <= 0.0:
        raise TooManyParts
    cutter = MeshCutter(
        points=body.points,
        triangles=body.triangles,
        closed=with_holes_closed(body.triangles),
        distance=within,
        most=most,
    )
    search = _HullBoxSearch(body, within)
    written: Dict[int, Tuple[Hull, array[int]]] = {}
    parts = cutter.parts()
    while len(parts) <= most:
        kept: List[CutPart] = []
        for part in parts:
            if part.number not in written:
                hull = _written(cutter, part, corners)
                boxes = search.boxes(hull)
                if boxes is None:
                    kept += cutter.split_refused(part)
                    continue
                written[part.number] = hull, boxes
            kept.append(part)
        if len(kept) == len(parts):
            break
        parts = cutter.join(kept)
    # Without a `break`: joined parts are still more than allowed.
    else:
        raise TooManyParts
    owners: Dict[int, int] = {}
    for number, part in enumerate(parts):
        owners.update(dict.fromkeys(part.pieces, number))
    trees = tuple(cutter.tree_of(root, owners) for root in range(cutter.roots))
    hulls, boxes_of = zip(*(written[part.number] for part in parts))
    return HullCover(hulls, boxes_of, trees)


def _written(cutter: MeshCutter, part: CutPart, most: int) -> Hull:
    """Return the hull of a part as it is written: with few corners, of float32 values.

    Raises:
        TooManyParts: the part is too thin.
    """
    points = [cutter.points[k] for k in cutter.corners_of(part.pieces)]
    # Cuts add corners that are not float32 values.
    single = all(piece < cutter.roots for piece in part.pieces)
    by = THICKER * max(max(column) - min(column) for column in zip(*cutter.points))
    thick = [add(point, scale(by, way)) for point in points for way in AROUND]
    # A part in one plane has no hull: its points are thickened.
    for tried, is_single in ((points, single), (thick, False)):
        hull = convex_hull(tried)
        few = few_corners(hull, most, single=is_single) if hull else None
        if few is not None:
            return few
    raise TooManyParts


class _HullBoxSearch:
    """The search for the boxes of hulls."""

    def __init__(self, body: MeshWithHull, within: float) -> None:
        """Prepare both tests of a box: against the solid, and against its triangles."""
        self.mesh = MeshNeighborhood(body.points, body.triangles, within)
        self.tree = TriangleTree(self.mesh.drawn)
        self.within = within * ROUNDED

    def boxes(self, hull: Hull) -> Optional["array[int]"]:
        """Return the steps that prove a hull box by box, None if a point of the hull is too far from the mesh.

        A box without a proof is halved. `MeshNeighborhood` reads the steps in the same order: an odd step is a plane, an even
        step a triangle, a negative step `INSIDE` or a halving.

        Raises:
            TooManyParts: more than `MOST_STEPS` steps are needed.
        """
        planes = supports_of(hull)
        steps = array("i")
        # Boxes, each with the numbers of the planes that may cut it.
        waiting: List[Tuple[Box, Sequence[int]]] = [(root_box(hull), range(len(planes)))]
        while waiting:
            if len(steps) >= MOST_STEPS:
                raise TooManyParts(MOST_STEPS)
            box, active = waiting.pop()
            is_off, plane, active = _planes_at(box, center_of(box), planes, active)
            if is_off:
                steps.append(2 * plane + 1)
                continue
            proof = self._proof(box, planes, plane, active)
            if proof is None:
                return None
            if proof:
                steps.extend(proof)
                continue
            sides = subtract(box[1], box[0])
            axis = sides.index(max(sides))
            steps.append(-1 - axis)
            # The first half is on top of the stack: the proof reads the steps in this order.
            waiting += [(half, active) for half in half_boxes(box, axis)[::-1]]
        return steps

    def _proof(
        self, box: Box, planes: Sequence[Plane], plane: int, active: Sequence[int]
    ) -> Optional[List[int]]:
        """Return the steps that prove a box to be near the mesh, [] if its halves may be proven, None if they cannot be.

        `plane` is the plane over which the box reaches farthest, -1 for none; `active` are the planes through the box.
        """
        d = self.within
        center = center_of(box)
        r = 0.5 * distance(*box)
        # Rounding may leave the winding number unknown (None): then the center counts neither as inside nor as outside.
        winding = self.mesh.columns.winding(center)
        gap, nearest = self._nearest(center, r, is_inside=bool(winding))
        if nearest < 0:
            return [INSIDE]
        # All points of the box are within r of its center.
        if gap + r <= d:
            return [2 * nearest + 2]
        # Eight more distances pay only for a box that is small compared to the distance.
        if r < SMALL * d:
            witnesses = self._corner_witnesses(box, nearest, planes, plane)
            if witnesses:
                return witnesses
        is_too_small = r < LEAST * d
        is_in_hull = all(dot(planes[k][0], center) <= planes[k][1] for k in active)
        # The center is then a point of the hull that is too far off.
        is_center_too_far = winding == 0 and gap > d and is_in_hull
        return None if is_too_small or is_center_too_far else []

    def _nearest(self, center: Point, r: float, *, is_inside: bool) -> Tuple[float, int]:
        """Return the distance of the nearest triangle from the center of a box of radius r, and the triangle's number.

        The number is -1 if the whole box is inside the mesh, or near enough to its inside.
        """
        d = self.within
        if not is_inside:
            # For a large box any triangle within the distance will do; a small box may be near as a whole.
            good = d if r >= SMALL * d else (d - r) * ROUNDED
            return self.tree.nearest(center, inf, good)
        # Inside, the surface must only be so far that no point of the box is outside by more than the distance.
        free = r - d + 2.0 * self.mesh.spare
        return self.tree.nearest(center, free, free) if free > 0.0 else (free, -1)

    def _corner_witnesses(
        self, box: Box, nearest: int, planes: Sequence[Plane], plane: int
    ) -> List[int]:
        """Return the steps that prove a box by its corners below a plane, [] if they are not all near the same triangle.

        The distance from a triangle is convex, so the corners prove the whole box. `plane` is -1 for none.
        """
        corners = corners_of(box)
        steps = [2 * nearest + 2]
        if plane >= 0:
            corners = below(corners, planes[plane])
            steps = [2 * plane + 1, *steps]
        triangle = self.mesh.drawn[nearest]
        if corners and all(triangle_gap(corner, triangle) <= self.within for corner in corners):
            return steps
        return []


def _planes_at(
    box: Box, center: Point, planes: Sequence[Plane], active: Sequence[int]
) -> Tuple[bool, int, List[int]]:
    """Return whether a box is beyond a plane, a plane, and the planes that go through the box.

    The plane returned is the one beyond which the box lies, else the one over which it reaches farthest, else -1.
    """
    half = subtract(center, box[0])
    farthest = 0.0
    chosen = -1
    through = []
    for number in active:
        (nx, ny, nz), level = planes[number]
        height = dot((nx, ny, nz), center) - level
        reach = dot((abs(nx), abs(ny), abs(nz)), half)
        if height * ROUNDED > reach:
            return True, number, []
        if height + reach > 0.0:
            through.append(number)
            if height + reach > farthest:
                farthest = height + reach
                chosen = number
    return False, chosen, through
