"""Where visuals and collisions of paired bodies differ: shape, size, place, mesh, color, friction."""
from math import dist
from operator import sub
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..urdf.spatial import IDENTITY_POSE, Matrix, Pose, transpose, Vector
from ..verify.rigid_motion import composed, product
from .canonical import Body
from .differences import Difference, is_called, Settings, Tolerances
from .joint_differences import differing_values, value_difference
from .lines import after
from .records import RawShape
from .robot_map import RobotMap

UNSCALED = (1.0, 1.0, 1.0)
ROUND = ("cylinder", "capsule")
NAME, LINE = map(RawShape._fields.index, ("name", "line"))


class Placed(NamedTuple):
    """A shape in the frame of B's root, as numbers that do not depend on how it is written.

    Attributes:
        place: center, then what a turn changes: the second moments of a box, the axis of a cylinder (without its
            sign), the matrix of a mesh with its scale.
    """

    shape: RawShape
    link: str
    place: Tuple[float, ...]


def shape_differences(robots: RobotMap, settings: Settings) -> Iterator[Difference]:
    """Yield shapes without a partner, and what differs between partners."""
    for a, b in robots.bodies.items():
        body, other, Y = robots.a.bodies[a], robots.b.bodies[b], robots.Y[a]
        if Y is IDENTITY_POSE and _are_written_alike(body, other):
            continue
        first, second = _placed(body, Y), _placed(other, None)
        for role in ("visual", "collision"):
            if settings.compares(role):
                yield from _of_body([one for one in first if one.shape.role == role],
                                    [one for one in second if one.shape.role == role], settings)


def _are_written_alike(body: Body, other: Body) -> bool:
    """Return True if two bodies have the same shapes by the very numbers of both files; then nothing differs."""
    shapes, others = ([(part.T_root_link, shape) for role in ("visual", "collision") for part in one.parts
                       for shape in part.link.shapes if shape.role == role] for one in (body, other))
    return len(shapes) == len(others) and all(
        T == U and a[:NAME] == b[:NAME] and a[NAME + 1:LINE] == b[NAME + 1:LINE] and (
            a.name == b.name or is_called(b.name, a.name)) for (T, a), (U, b) in zip(shapes, others))


def _placed(body: Body, Y: Optional[Pose]) -> List[Placed]:
    """Return the shapes of a body; one without any extent, such as a box of 0 0 0, is none."""
    found = []
    for part in body.parts:
        for shape in part.link.shapes:
            if shape.sizes and not any(shape.sizes):
                continue
            T = composed(part.T_root_link, shape.T_link_shape)
            found.append(Placed(shape, part.link.name, _invariants(shape, T if Y is None else after(Y, T))))
    return found


def _invariants(shape: RawShape, T: Pose) -> Tuple[float, ...]:
    """Return center and turn of a shape, the same for all ways to write it."""
    R, (x, y, z) = T
    if shape.geometry == "sphere":
        return (x, y, z)
    if shape.geometry in ROUND:
        u, v, w = R[0][2], R[1][2], R[2][2]
        return (x, y, z, u * u, v * v, w * w, u * v, v * w, u * w)
    if shape.geometry == "plane":
        return (x, y, z, R[0][2], R[1][2], R[2][2])
    sizes = shape.sizes if len(shape.sizes) == 3 else UNSCALED
    scaled = R if sizes == UNSCALED else scaled_columns(R, (sizes[0], sizes[1], sizes[2]))
    if shape.geometry in ("box", "ellipsoid"):
        largest = max(map(abs, sizes)) or 1.0
        scaled = product(scaled, transpose(scaled))
        return (x, y, z, *(entry / largest ** 2 for row in scaled for entry in row))
    return (x, y, z, *scaled[0], *scaled[1], *scaled[2])


def scaled_columns(R: Matrix, sizes: Vector) -> Matrix:
    """Return R diag(sizes)."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = sizes
    return ((a * x, b * y, c * z), (d * x, e * y, f * z), (g * x, h * y, i * z))


def _of_body(first: List[Placed], second: List[Placed], settings: Settings) -> Iterator[Difference]:
    """Yield what differs between the shapes of one role of two bodies, paired where they fit best."""
    tolerances = settings.tolerances
    left = _buckets(second)
    alone: List[Placed] = []
    for one in first:
        others = left.get(_kind(one.shape), [])
        found = _partner(one, others, tolerances)
        if found is None:
            alone.append(one)
            continue
        others.remove(found)
        yield from _looks(one, found, settings)
    rest = [one for several in left.values() for one in several]
    for one in alone:
        found = _nearest(one, rest)
        if found is None and _is_missing(one.shape, settings):
            continue
        if found is None:
            yield Difference("shape_only_a", one.link, names=(one.link, _words(one.shape)), line_a=one.shape.line)
            continue
        rest.remove(found)
        yield from _changed(one, found, tolerances)
        yield from _looks(one, found, settings)
    for one in rest:
        if _is_missing(one.shape, settings):
            continue
        yield Difference("shape_only_b", one.link, names=(one.link, _words(one.shape)), line_b=one.shape.line)


def _is_missing(shape: RawShape, settings: Settings) -> bool:
    """Return True for a mesh whose file is not there, which one of both formats then leaves out."""
    return shape.geometry == "mesh" and not shape.path and not settings.complete and not settings.compares(
        "missing_mesh")


def _kind(shape: RawShape) -> Tuple[str, str]:
    """Return what partners share: the geometry, and of a mesh the name of its file without folder and ending."""
    return shape.geometry, stem_of(shape.file)


def stem_of(file: str) -> str:
    """Return the name of a mesh without folder and ending, in lower case."""
    return file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()


def _buckets(shapes: Sequence[Placed]) -> Dict[Tuple[str, str], List[Placed]]:
    found: Dict[Tuple[str, str], List[Placed]] = {}
    for one in shapes:
        found.setdefault(_kind(one.shape), []).append(one)
    return found


def _partner(one: Placed, others: Sequence[Placed], tolerances: Tolerances) -> Optional[Placed]:
    """Return the first shape that is the same one in the same place; of several, the one of the same name."""
    found = None
    for other in others:
        is_named = other.shape.name == one.shape.name
        if (is_named or found is None) and _is_same(one, other, tolerances):
            if is_named:
                return other
            found = other
    return found


def _is_same(one: Placed, other: Placed, tolerances: Tolerances) -> bool:
    return (_place_gap(one, other) <= tolerances.length and _turn_gap(one, other) <= tolerances.angle
            and _size_gap(one.shape, other.shape) <= tolerances.length
            and (one.shape.geometry != "mesh" or not _different_meshes(one.shape, other.shape)))


def _different_meshes(a: RawShape, b: RawShape) -> str:
    """Return in what two meshes differ, "" if they are the same, are one file, or one of them cannot be read."""
    if a.path and b.path and a.path != b.path:
        from .mesh_bodies import different_meshes

        return different_meshes(a.path, b.path)
    return ""


def _are_measured(a: RawShape, b: RawShape) -> bool:
    """Return True if both meshes are one file, or can be read: then `_different_meshes` knows."""
    if a.path and b.path:
        from .mesh_bodies import are_measured

        return are_measured(a.path, b.path)
    return False


def _place_gap(one: Placed, other: Placed) -> float:
    return dist(one.place[:3], other.place[:3])


def _turn_gap(one: Placed, other: Placed) -> float:
    """Return how far turned two shapes are [rad], near enough for small angles; of a mesh relative to its scale."""
    largest = max(map(abs, one.shape.sizes), default=1.0) if one.shape.geometry == "mesh" else 1.0
    return max(map(abs, map(sub, one.place[3:], other.place[3:])), default=0.0) / (largest or 1.0)


def _size_gap(shape: RawShape, other: RawShape) -> float:
    """Return the largest difference of sizes [m]; a box may be written with its sides in another order."""
    if shape.geometry == "mesh" or len(shape.sizes) != len(other.sizes):
        return 0.0 if shape.geometry == other.geometry else 1.0
    sizes, others = list(shape.sizes), list(other.sizes)
    if shape.geometry in ("box", "ellipsoid"):
        sizes, others = sorted(sizes), sorted(others)
    return max((abs(p - q) for p, q in zip(sizes, others)), default=0.0)


def _nearest(one: Placed, others: Sequence[Placed]) -> Optional[Placed]:
    """Return which shape it may have been: of one kind, else of one name, else the only one."""
    same = [other for other in others if _kind(other.shape) == _kind(one.shape)]
    named = [other for other in others if other.shape.name and other.shape.name == one.shape.name]
    candidates = same or named or (list(others) if len(others) == 1 else [])
    return min(candidates, key=lambda other: _place_gap(one, other), default=None)


def _changed(one: Placed, other: Placed, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield how two shapes differ that are taken for the same one."""
    a, b = one.shape, other.shape
    lines = (a.line, b.line)
    if a.geometry != b.geometry:
        yield Difference("shape_kind", one.link, 0.0, "", a.geometry, b.geometry, (one.link, _words(a), _words(b)), (),
                         *lines)
        return
    if a.geometry == "mesh":
        why = _different_meshes(a, b)
        if why:
            yield Difference("mesh", one.link, 0.0, "", a.file, b.file, (one.link, _words(a), b.file, why), (), *lines)
            return
        if stem_of(a.file) != stem_of(b.file) and not _are_measured(a, b):
            yield Difference("mesh_unread", one.link, 0.0, "", a.file, b.file, (one.link, _words(a), b.file), (),
                             *lines)
            return
    size = _size_gap(a, b)
    if size > tolerances.length:
        yield Difference("shape_size", one.link, size, "m", a.sizes, b.sizes, (one.link, _words(a)), (size,), *lines)
        return
    off, angle = _place_gap(one, other), _turn_gap(one, other)
    if off > tolerances.length:
        yield Difference("shape_place", one.link, off, "m", None, None, (one.link, _words(a)), (off,), *lines)
    elif angle > tolerances.angle:
        yield Difference("shape_turn", one.link, angle, "rad", None, None, (one.link, _words(a)), (angle,), *lines)


def _looks(one: Placed, other: Placed, settings: Settings) -> Iterator[Difference]:
    """Yield differences of color and of what touches."""
    a, b = one.shape, other.shape
    if "colors" in settings.aspects and settings.compares("color"):
        gap = max(abs(p - q) for p, q in zip(a.color, b.color)) if a.color is not None and b.color is not None else (
            float(settings.complete and a.color is not b.color))
        if gap > settings.tolerances.color:
            yield Difference("color", one.link, gap, "", a.color, b.color, (one.link, _words(a)), (gap,), a.line,
                             b.line)
    if settings.complete:
        for word, told, other_told in (("name", a.name, b.name), ("file", a.file, b.file), (
                "texture", a.texture, b.texture), ("script", a.script, b.script)):
            if told != other_told and settings.compares(word) and not (
                    word == "name" and is_called(other_told, told)):
                yield Difference("shape_text", one.link, 0.0, "", told, other_told, (
                    one.link, _words(a), word, told or "none", other_told or "none"), (), a.line, b.line)
    if "surfaces" in settings.aspects:
        for name, said_a, said_b in differing_values(a.surface, b.surface, settings):
            yield value_difference("surface", one.link, name, said_a, said_b, a.line, b.line)


def _words(shape: RawShape) -> str:
    """Return what to call a shape: its role, and its mesh, name, or geometry."""
    return f"{shape.role} {stem_of(shape.file) or shape.name or shape.geometry}"
