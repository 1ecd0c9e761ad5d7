"""The reduction of triangles within a distance of the mesh, both ways: collapse, prove, keep more points where it
fails, repeat.

The lists of witnesses are searched here; `verify_witnesses.py` verifies them on the files as read back.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import partial
from itertools import chain, product
from math import floor, fsum, isfinite, sqrt
from typing import Callable, Dict, Iterable, List, Sequence, Set, Tuple, Union

from ..base.errors import ProofFailed
from ..base.number_text import grouped
from ..base.record_type import Record
from ..urdf.spatial_math import dot, norm
from .edge_collapse import collapse, CollapsedMesh, Corners, IndexedMesh
from .mesh_content import FLOAT, NUMBER, MaterialSurface, triangles_of
from .same_surface import pieces_of, ROUNDING
from .triangle_tree import TriangleTree
from .verify_witnesses import distance, normal_of, Point, Tree, Triangle, triangle_gap, verify_cover

# Reasons why a mesh is not reduced.
GAIN = "gain"
UNPROVEN = "unproven"
SMALL = "small"
TEXTURES = "textures"
ROUNDS = 12
LEAST_GAIN = 0.1  # of the triangles: a smaller gain is not worth a new file
MOST_PIECES = 20_000  # of a triangle
# From this round on, tolerances are also halved within AROUND tolerances of a failure.
FROM_ROUND = 3
AROUND = 4.0
SHOWN = 1024  # the number of triangles between calls of `show`
NEAREST = 3  # the number of removed points that return at a failure
Trees = Dict[int, Tree]  # by the number of a triangle, its pieces, with numbers of triangles
Triangles = Union[Sequence[Corners], Dict[int, Corners]]  # by their numbers
Forests = Dict[int, Tuple[TriangleTree, List[int]]]
LEAST_TRIANGLES = 500  # of a mesh worth reducing
# Cosine of 30 degrees: normals of faces that meet at a smaller angle are joined.
CREASE = 0.5 * sqrt(3.0)


class ReducedMesh(Record):
    """A reduced mesh: triangles by their old numbers, and the witnesses of both directions.

    Attributes:
        triangles: the remaining triangles that have an area.
        before: for each triangle of the mesh, its witnesses among the remaining triangles.
        after: for each remaining triangle, its witnesses in the mesh.
    """

    triangles: Dict[int, Corners]
    before: Trees
    after: Trees


class FarPoint(Record):
    """A point where a proof fails: the corners of the failing triangle if it is in the mesh, and the triangle at the point."""

    point: Point
    corners: Sequence[int]
    triangle: int


def reduce_mesh(
    mesh: IndexedMesh, kept: Iterable[int], within: float, show: Callable[[int], None]
) -> Union[ReducedMesh, str]:
    """Return a mesh of fewer triangles, or the reason to keep it: GAIN, or UNPROVEN in `ROUNDS` rounds.

    Args:
        kept: points that must stay.
        within: the largest distance [m] of any point of a material to the triangles of that material in the other mesh.
        show: a function called with the number of triangles that have witnesses.
    """
    why = ""
    # A mesh reduced with a smaller tolerance is closer, and usually provable.
    for start in (within, within / 2.0):
        tolerances = [start] * len(mesh.points)
        for point in kept:
            tolerances[point] = 0.0
        reduction = _rounds(_WitnessSearch(mesh, within, show), tolerances)
        if not isinstance(reduction, str):
            return reduction
        why = why or reduction
        # Half the tolerance would remove even fewer triangles.
        if why == GAIN:
            break
    return why


def _rounds(search: "_WitnessSearch", tolerances: List[float]) -> Union[ReducedMesh, str]:
    """Return the collapsed mesh with its witnesses, or the reason why there is none: GAIN or UNPROVEN.

    Each round keeps more points where the proof failed before: `tolerances`, how far each point may move [m], is lowered.
    """
    mesh = search.mesh
    radius = AROUND * search.within
    cells = grouped((_cell(point, radius), number) for number, point in enumerate(mesh.points))
    for count in range(ROUNDS):
        collapsed = collapse(mesh, tolerances)
        if len(collapsed.triangles) > (1.0 - LEAST_GAIN) * len(mesh.triangles):
            return GAIN
        failures = search.failures(collapsed)
        if not failures:
            return ReducedMesh(search.standing, search.before, search.after)

        points_of_triangle = grouped(
            (triangle, point) for point, triangle in collapsed.gone.items()
        )
        for far in failures:
            may_repeat = count >= FROM_ROUND
            near_points = _near(cells, mesh.points, far.point, radius)
            removed_points = [point for point in near_points if point in collapsed.gone]
            if not removed_points:
                on_triangle = points_of_triangle.get(far.triangle, ())
                removed_points = sorted(on_triangle, key=partial(_off, mesh.points, far.point))
            for point in staying(
                far, removed_points, mesh.triangles[far.triangle], again=may_repeat
            ):
                tolerances[point] = 0.0
            if may_repeat:
                for point in near_points:
                    tolerances[point] /= 2.0
    return UNPROVEN


def _off(points: Sequence[Point], place: Point, number: int) -> float:
    """Return the distance of a point, given by its number, from a place [m]."""
    return distance(points[number], place)


def staying(far: FarPoint, gone: Sequence[int], corners: Corners, *, again: bool) -> Sequence[int]:
    """Return the points that must stay, so that a proof does not fail again at this place.

    A triangle of the result with no removed points near it, or with repeated failures, spans a hollow: the original
    corners of the triangle are restored.

    Args:
        gone: the removed points near the place, by distance.
        corners: the corners in the mesh of the triangle at the place.
        again: the place may have failed before.
    """
    if far.corners:
        return far.corners
    kept = [*gone[:NEAREST]]
    if again or not gone:
        kept += corners
    return kept


class _WitnessSearch:
    """The search for witnesses of both directions; witnesses are reused between rounds as long as their triangles stay.

    Attributes:
        standing: the triangles of the last round that have an area.
        before, after: as in `ReducedMesh`.
    """

    def __init__(self, mesh: IndexedMesh, within: float, show: Callable[[int], None]) -> None:
        """Begin without witnesses, with the triangles of the mesh that have an area."""
        self.mesh = mesh
        self.within = within
        self.show = show
        reach = max(map(abs, chain.from_iterable(mesh.points)), default=0.0)
        # The proof adds rounding errors to the measured distance, and the sum must not exceed `within`.
        self.near = within - 1e-12 * (reach + within)
        self.drawn = self._with_area(range(len(mesh.triangles)), mesh.triangles)
        self.forests = self._forests(self.drawn, mesh.triangles)
        self.standing: Dict[int, Corners] = {}
        self.before: Trees = {}
        self.after: Trees = {}

    def _with_area(self, numbers: Iterable[int], triangles: Triangles) -> List[int]:
        """Return the numbers of triangles that have an area."""
        return [number for number in numbers if any(normal_of(self.mesh.shape(triangles[number])))]

    def _forests(self, numbers: Iterable[int], triangles: Triangles) -> Forests:
        """Return by material the tree of its triangles, and their numbers in ascending order."""
        members = grouped((self.mesh.materials[number], number) for number in numbers)
        return {
            material: (
                TriangleTree([self.mesh.shape(triangles[number]) for number in numbers]),
                numbers,
            )
            for material, numbers in members.items()
        }

    def failures(self, collapsed: CollapsedMesh) -> List[FarPoint]:
        """Search witnesses for both meshes; return the points where none exist."""
        triangles = collapsed.triangles
        last_standing = self.standing
        self.standing = {
            number: triangles[number] for number in self._with_area(triangles, triangles)
        }
        # A witness of the last round is valid if its triangle still has the same corners.
        unchanged = {
            number
            for number, corners in self.standing.items()
            if last_standing.get(number) == corners
        }
        self.before = {
            number: tree
            for number, tree in self.before.items()
            if all(step < 0.0 or step in unchanged for step in tree)
        }
        # The mesh does not change, so only the triangle itself matters.
        self.after = {number: tree for number, tree in self.after.items() if number in unchanged}
        forests = self._forests(self.standing, self.standing)

        failures: List[FarPoint] = []
        for number in self.drawn:
            corners = self.mesh.triangles[number]
            if not number % SHOWN:
                self.show(len(self.before))
            if number not in self.before:
                # Usually a triangle near one of its corners is a witness for all of it.
                near_triangles = [
                    collapsed.gone[corner] for corner in corners if corner in collapsed.gone
                ]
                hints = [hint for hint in near_triangles or [number] if hint in self.standing]
                failures += self._find_witnesses(number, corners, forests, self.before, hints)
        for number, corners in self.standing.items():
            if number not in self.after:
                # An unchanged triangle is its own witness.
                hints = [number] if self.mesh.triangles[number] == corners else []
                failures += self._find_witnesses(number, corners, self.forests, self.after, hints)
        return failures

    def _find_witnesses(
        self, number: int, corners: Corners, forests: Forests, trees: Trees, hints: Sequence[int]
    ) -> List[FarPoint]:
        """Find witnesses of a triangle and store them in `trees`; return the places that no witness covers.

        A witness is a triangle of the other side and of the same material, at most `self.near` away.

        Args:
            number, corners: a triangle of the mesh (`trees` is `self.before`), or a kept one (`self.after`).
            forests: the triangles of the other side, by material.
            hints: triangles of the other side that may cover all of it; they are tried first.
        """
        shape = self.mesh.shape(corners)
        material = self.mesh.materials[number]
        is_of_mesh = trees is self.before
        witnesses: Triangles = self.standing if is_of_mesh else self.mesh.triangles
        for hint in hints:
            witness = self.mesh.shape(witnesses[hint])
            if self.mesh.materials[hint] == material and all(
                triangle_gap(corner, witness) <= self.near for corner in shape
            ):
                trees[number] = array("d", (hint,))
                return []
        if material not in forests:
            return [FarPoint(shape[0], corners if is_of_mesh else (), number)]
        tree, numbers = forests[material]
        start = hints[-1] if hints else number  # usually the nearest triangle is not far away
        tree.last = min(bisect_left(numbers, start), len(numbers) - 1)
        pieces = pieces_of(shape, tree, self.near, MOST_PIECES)
        if not pieces.why:
            trees[number] = _renumbered(pieces.tree, numbers)
            return []
        point = pieces.far or shape[0]
        if is_of_mesh:
            return [FarPoint(point, corners, numbers[tree.nearest(point)[1]])]
        return [FarPoint(point, (), number)]


def _renumbered(tree: Tree, numbers: Union[Sequence[int], Dict[int, int]]) -> Tree:
    """Return a tree with new numbers of its witnesses; steps below 0 are cuts, which stay."""
    return array("d", [step if step < 0.0 else numbers[int(step)] for step in tree])


def _cell(point: Point, side: float) -> Tuple[int, int, int]:
    """Return the grid cell of a point."""
    return floor(point[0] / side), floor(point[1] / side), floor(point[2] / side)


def _near(
    cells: Dict[Tuple[int, int, int], List[int]],
    points: Sequence[Point],
    center: Point,
    radius: float,
) -> List[int]:
    """Return the numbers of the points within a radius of a center, by distance; cells are as wide as the radius."""
    i, j, k = _cell(center, radius)
    around: List[Tuple[float, int]] = []
    for x, y, z in product((i - 1, i, i + 1), (j - 1, j, j + 1), (k - 1, k, k + 1)):
        around += [
            (distance(points[number], center), number) for number in cells.get((x, y, z), ())
        ]
    return [number for gap, number in sorted(around) if gap <= radius]


class SurfaceWitnesses(Record):
    """The witnesses of a surface, in the order of the triangles that have an area.

    Attributes:
        before: for each triangle of the mesh, its witnesses among the new triangles.
        after: for each new triangle, its witnesses in the mesh.
    """

    before: Sequence[Tree]
    after: Sequence[Tree]


class ReducedSurfaces(Record):
    """Surfaces with fewer triangles, and the witnesses for each."""

    surfaces: List[MaterialSurface]
    covers: List[SurfaceWitnesses]


def reduced_surfaces(
    surfaces: Sequence[MaterialSurface], within: float, show: Callable[[int], None], form: str
) -> Union[ReducedSurfaces, str]:
    """Return the surfaces of a mesh with fewer triangles, or the reason to keep the mesh.

    Surfaces that show an image stay. Normals are recomputed if a surface has any.

    Args:
        within: the largest distance [m] of any point of a surface to its counterpart, both ways.
        show: as in `reduce_mesh`.
        form: the format of the files; STL would lose an image.
    """
    if sum(len(surface.corners) for surface in surfaces) < 3 * LEAST_TRIANGLES:
        return SMALL
    textured = {number for number, surface in enumerate(surfaces) if surface.material.image}
    if len(textured) == len(surfaces) or textured and form == "stl":
        return TEXTURES
    mesh, starts = _indexed(surfaces)
    # Texture coordinates belong to points, so the points of a surface with an image stay.
    kept_points: Set[int] = set()
    for corners, material in zip(mesh.triangles, mesh.materials):
        if material in textured:
            kept_points.update(corners)
    reduction = reduce_mesh(mesh, kept_points, within, show)
    if isinstance(reduction, str):
        return reduction
    new_surfaces: List[MaterialSurface] = []
    covers: List[SurfaceWitnesses] = []
    for number, surface in enumerate(surfaces):
        numbers = range(starts[number], starts[number + 1])
        if number in textured:
            new_surfaces.append(surface)
        else:
            kept_triangles = [reduction.triangles[k] for k in numbers if k in reduction.triangles]
            new_surfaces.append(_reduced_surface(surface, mesh, kept_triangles))
        covers.append(_cover_of(reduction, numbers))
    return ReducedSurfaces(new_surfaces, covers)


def _indexed(surfaces: Sequence[MaterialSurface]) -> Tuple[IndexedMesh, List[int]]:
    """Return all surfaces as one mesh, and the number of each surface's first triangle.

    Triangles with two equal corners are dropped.
    """
    numbers: Dict[Point, int] = {}
    triangles: List[Corners] = []
    materials: List[int] = []
    starts = [0]
    for material, surface in enumerate(surfaces):
        for a, b, c in triangles_of(surface):
            if a != b and b != c and c != a:
                i = numbers.setdefault(a, len(numbers))
                j = numbers.setdefault(b, len(numbers))
                k = numbers.setdefault(c, len(numbers))
                triangles.append((i, j, k))
                materials.append(material)
        starts.append(len(triangles))
    return IndexedMesh(list(numbers), triangles, materials), starts


def _cover_of(reduction: ReducedMesh, numbers: Iterable[int]) -> SurfaceWitnesses:
    """Return the witnesses of a surface, whose triangles have these numbers, as positions within the surface."""
    before = [number for number in numbers if number in reduction.before]
    after = [number for number in numbers if number in reduction.after]
    place_before = {number: place for place, number in enumerate(before)}
    place_after = {number: place for place, number in enumerate(after)}
    # Witnesses of the mesh's triangles are new ones, and vice versa. Trees are moved instead of copied, because a mesh
    # has millions of steps.
    return SurfaceWitnesses(
        before=[_renumbered(reduction.before.pop(number), place_after) for number in before],
        after=[_renumbered(reduction.after.pop(number), place_before) for number in after],
    )


def _reduced_surface(
    surface: MaterialSurface, mesh: IndexedMesh, triangles: Sequence[Corners]
) -> MaterialSurface:
    """Return a surface with new triangles between points of a mesh, and new normals if it had normals.

    Texture coordinates are dropped: only a surface without an image is reduced, and nothing reads them there.
    """
    flat = [*chain.from_iterable(triangles)]
    used = sorted({*flat})
    indices = {corner: index for index, corner in enumerate(used)}
    points = [mesh.points[corner] for corner in used]
    made = surface._replace(
        positions=array(FLOAT, chain.from_iterable(points)),
        corners=array(NUMBER, [indices[corner] for corner in flat]),
        normals=array(FLOAT),
        normal_corners=array(NUMBER),
        uv=array(FLOAT),
        uv_corners=array(NUMBER),
    )
    return creased_normals(made) if surface.normals else made


def creased_normals(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface with smooth normals.

    Faces at a corner that meet at less than 30 degrees share a normal, weighted by area.
    """
    corners = surface.corners
    faces = [normal_of(triangle) for triangle in triangles_of(surface)]
    lengths = [norm(face) or 1.0 for face in faces]
    faces_at_corner: Dict[int, List[int]] = {}
    for index, corner in enumerate(corners):
        faces_at_corner.setdefault(corner, []).append(index // 3)
    number_of_normal: Dict[Point, int] = {}
    numbers = array(NUMBER)
    for index, corner in enumerate(corners):
        face = faces[index // 3]
        length = lengths[index // 3]
        smooth_with = [
            faces[k]
            for k in faces_at_corner[corner]
            if dot(face, faces[k]) >= CREASE * length * lengths[k]
        ]
        # A face without an area is smooth with no face, not even itself.
        x, y, z = (fsum(axis) for axis in zip(*smooth_with or [face]))
        size = norm((x, y, z))
        normal = (0.0, 0.0, 1.0)
        if size > 0.0:
            # Adding 0.0 turns -0.0 into 0.0.
            normal = (x / size + 0.0, y / size + 0.0, z / size + 0.0)
        numbers.append(number_of_normal.setdefault(normal, len(number_of_normal)))
    return surface._replace(
        normals=array(FLOAT, chain.from_iterable(number_of_normal)),
        normal_corners=numbers,
    )


def verify_reduced(
    path: str,
    read: Sequence[MaterialSurface],
    written: Sequence[Iterable[Triangle]],
    covers: Sequence[SurfaceWitnesses],
    within: float,
) -> float:
    """Return the proven distance [m] of files to a mesh, both ways, surface by surface.

    Args:
        path: the mesh, for messages.
        read: the surfaces of the mesh.
        written: the triangles of each surface, as read back from the files.
        covers: the witnesses of each surface.
        within: the largest allowed distance.

    Raises:
        ProofFailed: a witness is missing, or too far away; or a point of the files is not in the mesh.
    """
    if not len(read) == len(written) == len(covers):
        raise ProofFailed(f"{len(read)} surfaces became {len(written)}", path)
    values = chain.from_iterable(surface.positions for surface in read)
    rounding = ROUNDING * max(map(abs, values), default=0.0)
    bound = rounding
    for surface, triangles, cover in zip(read, written, covers):
        all_triangles = [*triangles_of(surface)]
        before = [triangle for triangle in all_triangles if any(normal_of(triangle))]
        after = [triangle for triangle in triangles if any(normal_of(triangle))]
        if not _places(all_triangles).issuperset(_places(after)):
            raise ProofFailed("a point that is written is none of the mesh", path)
        bound = max(
            bound,
            rounding + verify_cover(before, cover.before, after, triangle_gap),
            rounding + verify_cover(after, cover.after, before, triangle_gap),
        )
    if not (isfinite(bound) and bound <= within):
        raise ProofFailed(
            "a triangle that is written is not within the visual error of the mesh, or lacks a witness",
            path,
        )
    return bound


def _places(triangles: Iterable[Triangle]) -> Set[Point]:
    """Return the corners of triangles."""
    return set(chain.from_iterable(triangles))
