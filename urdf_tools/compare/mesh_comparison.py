"""Compare meshes of two bodies as surfaces and by color: by their bytes, else by their triangles.

`pieces` are shapes that are compared together, such as all visuals of a body. Coordinates are in the frame of A's first
shape, so a proof gives points as the mesh file has them.
"""

from __future__ import annotations

import os
from functools import lru_cache, partial
from itertools import chain, product
from math import dist
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple, Union

from ..base.type_aliases import Show
from ..base.errors import UrdfError
from ..meshes.mesh_readers import (
    ColoredTriangles,
    ending_of,
    GLTF_ENDINGS,
    lfs_digest,
    named_files,
    read_surfaces,
)
from ..meshes.look_digests import other_looks
from ..meshes.same_surface import (
    largest_corner_gap,
    SurfaceGap,
    SameSurface,
    same_surface,
    UndecidedSurface,
)
from ..meshes.verify_witnesses import Point, Triangle
from ..robot.raw_robot import Inline, RawShape
from ..urdf.spatial_math import IDENTITY_POSE, move, Transform
from .surface_colors import LookComparison, compare_colors, ColoredPart, WHITE
from .placed_shapes import (
    are_images_found,
    corners_of,
    entries,
    is_mirrored,
    OTHER,
    PlacedShape,
    relative_pose,
    SAME,
    scale_of,
    scaled_columns,
    PlacedPrimitive,
    SurfaceVerdict,
    UNKNOWN,
    UNSCALED,
)

MOST_TRIANGLES = 2_000_000  # of a file: all of them are held in memory
MOST_STEPS = 200_000  # of a robot, so that a comparison ends: meshes that nearly differ are cut into ever smaller pieces
SAME_POSE = 1e-12  # of numbers of poses: the error of multiplying them
SAME_DIGITS = 12  # decimals of numbers of poses that are equal
BLOCK = 1 << 16  # bytes
UNMOVED = 1e-9  # m: closer poses count as equal, and the bound contains their difference
# Reasons beside the reasons of `UndecidedSurface`.
POINTER = "pointer"
MISSING = "missing"
MADE = "made"
UNREAD = "unread"
# Indices of `corners_of`, counterclockwise as seen from outside.
BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


class MeshComparison:
    """A comparison of the meshes of two robots, with a common limit on steps, and caches of what was read.

    A robot with many meshes uses up `steps`: each comparison subtracts its own, and a comparison that needs more than the
    rest is unknown.
    """

    def __init__(
        self,
        tolerance: float,
        color_tolerance: float,
        show: Show = lambda name, triangles: None,
        rounded: float = 0.0,
    ) -> None:
        """Prepare a comparison.

        Args:
            tolerance: the largest distance [m] of points of equal surfaces.
            color_tolerance: the largest difference of a channel, 0 to 1, of equal colors.
            show: called now and then with the name of a mesh and the number of its triangles that are compared.
            rounded: the part of the largest coordinate of a mesh that is tolerated, too, for files that were rounded.
        """
        self.tolerance = tolerance
        self.color_tolerance = color_tolerance
        self.show = show
        self.rounded = rounded
        self.steps = MOST_STEPS
        # Copies of a part on many links have one key, and are compared once: `compare`, `colors`, `_box_corners`.
        self._verdicts: Dict[Tuple[object, ...], SurfaceVerdict] = {}
        self._colors: Dict[Tuple[object, ...], LookComparison] = {}
        self._boxes: Dict[Tuple[object, ...], List[Point]] = {}
        # Caches of this comparison alone: a later comparison may find other files.
        self.is_pointer = lru_cache(maxsize=None)(is_pointer)
        self.equal_bytes = lru_cache(maxsize=None)(equal_bytes)
        self.other_looks = lru_cache(maxsize=None)(other_looks)
        self.file_digest = lru_cache(maxsize=None)(file_digest)
        # Only the two meshes that are compared: the meshes of a whole robot would fill the memory.
        self._read = lru_cache(maxsize=2)(_read)

    def compare(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> SurfaceVerdict:
        """Return whether shapes of A together have the same surface as shapes of B; UNKNOWN if a file is unreadable.

        A point of the verdict is in the frame of A's first shape. `a` and `b` have at least one shape each.
        """
        key = _key(a, b)
        if key not in self._verdicts:
            self._verdicts[key] = self._compare(a, b)
        return self._verdicts[key]

    def _compare(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> SurfaceVerdict:
        """Compute and return the verdict that `compare` caches."""
        for side, pieces in (("A", a), ("B", b)):
            missing = [piece.shape for piece in pieces if not _is_there(piece.shape)]
            if missing and missing[0].file:
                return _unknown(MISSING, missing[0].file, side)
            # Without a file it is a mesh that an engine would generate, as from `<hfield>`.
            if missing:
                return _unknown(MADE, side)
        try:
            return self._compare_files(a, b)
        except UrdfError as error:
            return _unknown(UNREAD, os.path.basename(error.path), error.message)
        except OSError as error:
            file = os.path.basename(error.filename or "")
            return _unknown(UNREAD, file, error.strerror or str(error))

    def _compare_files(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> SurfaceVerdict:
        """Return the verdict on shapes whose files exist, by the cheapest way that decides.

        Raises:
            OSError, UrdfError: a file cannot be read.
        """
        meshes = [piece for piece in (*a, *b) if piece.shape.geometry == "mesh"]
        is_pair_of_meshes = len(a) == len(b) == 1 and len(meshes) == 2
        is_one_file = is_pair_of_meshes and self._is_one_file(a[0], b[0])
        # First, so that equal pointers of Git LFS are equal files, though nobody has their triangles.
        if is_one_file and is_same_pose(a[0], b[0]):
            return SurfaceVerdict(SAME)
        for piece in meshes:
            if piece.shape.path and self.is_pointer(piece.shape.path):
                return _unknown(POINTER, piece.shape.file)
        if is_one_file:
            off = self._moved(a[0], b[0])
            if off < self.tolerance:
                return SurfaceVerdict(SAME, off)
        return self._by_triangles(a, b)

    def can_read(self, piece: PlacedShape) -> bool:
        """Return True for a box, and for a mesh whose triangles can be read."""
        shape = piece.shape
        if shape.geometry != "mesh":
            return True
        if not shape.is_found:
            return False
        try:
            self._read(shape.path or shape.inline, common_up([piece]))
        except (UrdfError, OSError):
            return False
        return True

    def _is_one_file(self, a: PlacedShape, b: PlacedShape) -> bool:
        """Return True if two meshes have equal scales, and files with equal bytes."""
        return a.shape.sizes == b.shape.sizes and self.are_equal(a, b)

    def _moved(self, a: PlacedShape, b: PlacedShape) -> float:
        """Return a bound of the distance of any point of a mesh between the two poses [m].

        The displacement of a point is the length of a linear map of it, so a corner of the box of the mesh moves
        farthest: no triangle is compared.
        """
        corners = self._box_corners(a, common_up((a, b)))
        T = relative_pose(a, b)
        return max((dist(move(T, corner), corner) for corner in corners), default=0.0)

    def _box_corners(self, piece: PlacedShape, up: Optional[str]) -> List[Point]:
        """Return the corners of the box around a mesh, scaled, in the frame of its shape; [] for an empty mesh."""
        source = piece.shape.path or piece.shape.inline
        key = (source, piece.shape.sizes, up)
        if key not in self._boxes:
            triangles = self._triangles([piece], piece, up)
            points = list(chain.from_iterable(triangles))
            ranges = [(min(axis), max(axis)) for axis in zip(*points)]
            # The product of no ranges is not empty: it has one corner without coordinates.
            self._boxes[key] = list(product(*ranges)) if ranges else []
        return self._boxes[key]

    def are_equal(self, a: PlacedShape, b: PlacedShape, *, colors: bool = False) -> bool:
        """Return True if two files draw the same surface, by the bytes of all their files; `colors`: in equal colors.

        False does not mean that they differ: two files may draw the same with different bytes.

        Raises:
            OSError, UrdfError: a file cannot be read.
        """
        path = a.shape.path
        other_path = b.shape.path
        if not path or not other_path:
            # Meshes inside a file of a robot are equal if they are one object.
            return a.shape.inline is not None and a.shape.inline is b.shape.inline
        # If programs of neither format read the colors of the files, these do not count.
        do_colors_count = colors and not (a.has_bare_file and b.has_bare_file)
        if do_colors_count and a.has_bare_file != b.has_bare_file:
            return False
        equal_surfaces, equal_surfaces_and_colors = self.equal_bytes(path, other_path)
        return equal_surfaces_and_colors if do_colors_count else equal_surfaces

    def _by_triangles(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> SurfaceVerdict:
        """Return the verdict by triangles, in the frame of A's first shape.

        Poses that are equal except for rounding move no point.

        Raises:
            OSError, UrdfError: a file cannot be read.
        """
        name = os.path.basename(a[0].shape.path or b[0].shape.path or "")
        self.show(name, 0)
        up = common_up((*a, *b))
        triangles_a = self._triangles(a, a[0], up)
        triangles_b = self._triangles(b, a[0], up)
        off = 0.0
        # In its own frame B has the digits of its file: without rounding by a pose, triangles are exactly equal.
        if len(a) == len(b) == 1:
            unmoved = self._triangles(b, b[0], up)
            rounding = largest_corner_gap(triangles_b, unmoved, UNMOVED)
            if rounding is not None:
                triangles_b = unmoved
                off = rounding

        show = partial(self.show, name)
        tolerance = self.tolerance
        if self.rounded:
            largest = max(map(abs, chain.from_iterable(chain.from_iterable(triangles_a))))
            tolerance = max(tolerance, self.rounded * largest)
        # The rounding of the pose is subtracted from the tolerance, and added to the bound.
        verdict = same_surface(triangles_a, triangles_b, tolerance - off, self.steps, show)
        self.steps -= verdict.steps
        if isinstance(verdict, SameSurface):
            return SurfaceVerdict(SAME, verdict.bound + off, verdict.turned)
        if isinstance(verdict, UndecidedSurface):
            return _unknown(verdict.why)
        return SurfaceVerdict(OTHER, point=verdict.point, side=verdict.side, gap=verdict.gap)

    def _triangles(
        self, pieces: Sequence[PlacedShape], frame: PlacedShape, up: Optional[str]
    ) -> List[Triangle]:
        """Return the triangles of boxes and meshes in the frame of a shape [m]; `up` as in `common_up`."""
        triangles: List[Triangle] = []
        for piece in pieces:
            for part in self._parts(piece, frame, up):
                triangles += part.surface.triangles
        return triangles

    def _parts(
        self, piece: PlacedShape, frame: PlacedShape, up: Optional[str]
    ) -> List[ColoredPart]:
        """Return the triangles of a box or mesh by material, in the frame of a shape, with the colors of both files.

        Raises:
            OSError, UrdfError: the mesh cannot be read.
        """
        shape = piece.shape
        T_frame_shape = relative_pose(frame, piece)
        if shape.geometry == "box":
            p = corners_of(PlacedPrimitive("box", shape.sizes, T_frame_shape))
            triangles: List[Triangle] = []
            for i, j, k, m in BOX_FACES:
                triangles += [(p[i], p[j], p[k]), (p[i], p[k], p[m])]
            surface = ColoredTriangles(None, "", tuple(triangles))
            return [ColoredPart(surface, shape.color, self._image(shape))]
        # The scale of an inline mesh is applied when it is read.
        scaled = piece if shape.path else piece._replace(shape=shape._replace(sizes=UNSCALED))
        # The color of the robot's file; a mesh inside that file has the color already.
        color = shape.color if shape.path else None
        if piece.has_bare_file and shape.texture_path and color is not None:
            # The image has its colors, and `_without_colors` makes the rest its tint: only the opacity remains.
            color = (*WHITE[:3], color[3])
        parts: List[ColoredPart] = []
        for surface in self._read(shape.path or shape.inline, up):
            moved = surface._replace(triangles=tuple(_moved(surface, T_frame_shape, scaled)))
            if piece.has_bare_file:
                moved = _without_colors(moved, shape)
            # In a file that contains the mesh itself, one color serves as both.
            if not shape.path and moved.color is None and not moved.texture:
                moved = moved._replace(color=shape.color)
            parts.append(ColoredPart(moved, color, self._image(shape)))
        return parts

    def _image(self, shape: RawShape) -> str:
        """Return the digest of the image that the robot's file names, "" without an image, or if it is missing."""
        return self.file_digest(shape.texture_path) if shape.texture_path else ""

    def colors(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> LookComparison:
        """Return whether equal parts of the surface have equal colors and images.

        `compare` has found that the shapes are the same surface. If an image that a robot's file names is missing,
        images of robots' files are left out.

        Raises:
            OSError, UrdfError: a file cannot be read.
        """
        looks = (
            (piece.shape.color, piece.shape.texture_path, piece.has_bare_file) for piece in (*a, *b)
        )
        key = (*_key(a, b), *looks)
        if key not in self._colors:
            self._colors[key] = self._compare_colors(a, b)
        return self._colors[key]

    def _compare_colors(self, a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> LookComparison:
        """Compute and return the verdict that `colors` caches."""
        up = common_up((*a, *b))
        parts_a = list(chain.from_iterable(self._parts(piece, a[0], up) for piece in a))
        parts_b = list(chain.from_iterable(self._parts(piece, a[0], up) for piece in b))
        if not are_images_found((*a, *b)):
            parts_a = [part._replace(image="") for part in parts_a]
            parts_b = [part._replace(image="") for part in parts_b]
        return compare_colors(parts_a, parts_b, self.color_tolerance, self._is_same_part)

    def points(self, pieces: Sequence[PlacedShape], *, in_order: bool = False) -> FrozenSet[str]:
        """Return the different digests of the point colors of the meshes that have point colors.

        `in_order`: by the order in the file instead of the places, which a scale or a pose moves.

        Raises:
            OSError, UrdfError: a mesh cannot be read.
        """
        digests = set()
        for piece in pieces:
            shape = piece.shape
            if piece.has_bare_file:
                continue
            if shape.geometry == "mesh" and shape.path:
                looks = self.other_looks(shape.path)
                digests.add(looks.in_order if in_order else looks.points)
            elif shape.geometry == "mesh":
                for surface in self._read(shape.inline, None):
                    digests.add(surface.in_order if in_order else surface.points)
        return frozenset(filter(None, digests))

    def _is_same_part(self, first: Sequence[Triangle], second: Sequence[Triangle]) -> str:
        """Return SAME, OTHER or UNKNOWN: whether parts of one color are the same surface."""
        verdict = same_surface(first, second, self.tolerance, self.steps)
        self.steps -= verdict.steps
        if isinstance(verdict, SurfaceGap):
            return OTHER
        return UNKNOWN if isinstance(verdict, UndecidedSurface) else SAME


def common_up(pieces: Sequence[PlacedShape]) -> Optional[str]:
    """Return "z" if all meshes are glTF, else None: then a glTF of this tool declares its own up axis.

    Every program reads all glTF alike, whatever up axis it assumes, and ignores a mark in a file.
    """
    meshes = [piece.shape for piece in pieces if piece.shape.geometry == "mesh"]
    return "z" if all(ending_of(shape.path) in GLTF_ENDINGS for shape in meshes) else None


def _is_there(shape: RawShape) -> bool:
    """Return True unless a shape is a mesh whose file is missing, or that an engine would generate."""
    return shape.geometry != "mesh" or shape.is_found


def _key(a: Sequence[PlacedShape], b: Sequence[PlacedShape]) -> Tuple[object, ...]:
    """Return the values that decide whether shapes of A together equal the surface of shapes of B."""
    keys_of_pieces = []
    for piece in (*a, *b):
        # Copies of a part on other links differ by rounding alone, and are compared once.
        pose = (round(number, SAME_DIGITS) for number in entries(relative_pose(a[0], piece)))
        shape = piece.shape
        keys_of_pieces.append((shape.geometry, shape.path, shape.inline, shape.sizes, *pose))
    # The number tells where the shapes of B begin.
    return (len(a), *keys_of_pieces)


def is_same_pose(a: PlacedShape, b: PlacedShape) -> bool:
    """Return True if two shapes have the same place, except for the error of multiplying poses."""
    numbers = zip(entries(relative_pose(a, b)), entries(IDENTITY_POSE))
    return max(abs(p - q) for p, q in numbers) <= SAME_POSE


def _read(source: Union[str, Inline], up: Optional[str]) -> Tuple[ColoredTriangles, ...]:
    """Return the triangles of a mesh by material: of the file at a path, or of a mesh inside a robot's file.

    Raises:
        OSError, UrdfError: the mesh cannot be read.
    """
    return read_surfaces(source, MOST_TRIANGLES, up) if isinstance(source, str) else source()


def _unknown(why: str, *words: str) -> SurfaceVerdict:
    """Return the verdict for surfaces that could not be compared; `why` is a key of `words.WHY`, with its words."""
    return SurfaceVerdict(UNKNOWN, why=why, words=words)


def _moved(surface: ColoredTriangles, T: Transform, piece: PlacedShape) -> List[Triangle]:
    """Return triangles scaled and moved; mirrored triangles keep their outside, as in simulators."""
    scale = scale_of(piece.shape)
    if T == IDENTITY_POSE and scale == UNSCALED:
        return list(surface.triangles)
    (a, b, c), (d, e, f), (g, h, i) = scaled_columns(T.rotation, scale)
    u, v, w = T.translation
    # Written out, and each corner once: several triangles share it, and a robot may have millions.
    points: Dict[Point, Point] = {}
    for point in {corner for triangle in surface.triangles for corner in triangle}:
        x, y, z = point
        points[point] = (
            a * x + b * y + c * z + u,
            d * x + e * y + f * z + v,
            g * x + h * y + i * z + w,
        )
    # A mirrored triangle has the opposite orientation: two corners are exchanged again.
    if is_mirrored(piece.shape):
        return [(points[p], points[r], points[q]) for p, q, r in surface.triangles]
    return [(points[p], points[q], points[r]) for p, q, r in surface.triangles]


def _without_colors(surface: ColoredTriangles, shape: RawShape) -> ColoredTriangles:
    """Return the triangles of a material without the colors of its mesh file."""
    color = shape.color or WHITE
    # MuJoCo multiplies an image by the color of its material.
    tint = color[:3] if shape.texture_path else None
    return ColoredTriangles(color=None, texture="", triangles=surface.triangles, tint=tint)


def is_pointer(path: str) -> bool:
    """Return True if a file is a pointer of Git LFS."""
    return lfs_digest(path) is not None


def equal_bytes(path: str, other: str) -> Tuple[bool, bool]:
    """Return whether two mesh files draw equal surfaces, and whether also in equal colors, by the bytes of their files.

    A mesh file may name further files, such as the `.bin` of a glTF or an image. A pointer of Git LFS counts as the file
    whose digest it has.

    Raises:
        OSError, UrdfError: a file cannot be read.
    """
    if os.path.samefile(path, other):
        return True, True  # with all files that it names, whatever they contain
    if is_pointer(path) or is_pointer(other):
        digest = lfs_digest(path) or file_digest(path)
        other_digest = lfs_digest(other) or file_digest(other)
        # The files that a pointer's file names are unknown, and count as equal.
        are_equal = digest == other_digest
        return are_equal, are_equal
    if not are_equal_files(path, other):
        return False, False
    named = named_files(path)
    other_named = named_files(other)
    has_equal_shape = _are_all_equal(named.shape, other_named.shape)
    has_equal_colors = _are_all_equal(named.colors, other_named.colors)
    return has_equal_shape, has_equal_shape and has_equal_colors


def _are_all_equal(paths: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if two lists name equally many files, each equal to its partner at the same place."""
    return len(paths) == len(others) and all(map(are_equal_files, paths, others))


def are_equal_files(path: str, other: str) -> bool:
    """Return True if two paths are the same file, or have equal bytes; differing files mostly differ early."""
    if os.path.samefile(path, other):
        return True
    if os.path.getsize(path) != os.path.getsize(other):
        return False
    with open(path, "rb") as stream, open(other, "rb") as other_stream:
        # Both have the same length, so the other one ends with the first.
        blocks = iter(lambda: stream.read(BLOCK), b"")
        return all(block == other_stream.read(BLOCK) for block in blocks)


def file_digest(path: str) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises:
        OSError: the file cannot be read.
    """
    from hashlib import sha256  # imported here: most comparisons read no image

    with open(path, "rb") as stream:
        return sha256(stream.read()).hexdigest()
