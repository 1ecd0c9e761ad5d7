"""Decide what becomes of each collision: a hull of few corners, or a primitive, each with its overhang."""
from fnmatch import fnmatchcase
from math import sqrt
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..urdf.spatial import compose, IDENTITY, Pose, rpy_from_matrix, matrix_from_rpy, Vector
from .fitting import centered, Frame, propose
from ..meshes.hull import convex_hull, extreme_corners, Hull, Point
from .kinds import COLLISION_LEFT, COLLISION_THIN
from .off_mesh import off_mesh
from .pieces import is_convex, parts_of
from .primitives import around, bounding_points, overhang, Primitive
from .records import in_link, MeshBody, NewShape, Source
from .reduce import few_corners
from .settings import FITS, Rules

THINNEST = 1e-3  # [m] of a box in the place of what is flat
ENOUGH = 200  # corners by which a primitive is searched, and the overhang measured
IS_BOX, BOX_CORNERS = 1e-6, 16  # of the size of a box; its corners, and some of rounding
AUTO_KINDS = ("box", "cylinder", "sphere")
WORTH = 0.99  # an overhang has to be smaller than this part of that of an aligned box
DECIMALS = 9  # of a place, in meters


class Decided(NamedTuple):
    """What becomes of collisions, and what to say of those that stay and of others."""

    shapes: Tuple[NewShape, ...]
    notes: Tuple[Diagnostic, ...]


def kind_for(link: str, rules: Rules) -> str:
    """Return what the rules say of a link: the last glob that fits, else what holds for all; "" keeps it."""
    fitting = [kind for glob, kind in rules.of_links if fnmatchcase(link, glob)]
    kind = fitting[-1] if fitting else rules.kind
    return "" if kind == "keep" else kind


def decide_link(sources: Sequence[Source], kind: str, rules: Rules) -> Decided:
    """Return what becomes of the mesh collisions of one link.

    Raises:
        UsageError: with as many corners as were given, no hull is as tight as was asked for.
    """
    if kind == "link" and len(sources) > 1:
        return _decide(sources, _joined(sources), "hull", rules)
    shapes: List[NewShape] = []
    notes: List[Diagnostic] = []
    for source in sources:
        if kind == "parts":
            bodies = parts_of(source.body)
            found = [_decide([source], body, "hull", rules, number if len(bodies) > 1 else 0)
                     for number, body in enumerate(bodies, start=1)]
            if any(one.notes and not one.shapes for one in found):  # a part that cannot be: all of it as one
                found = [_decide([source], source.body, "hull", rules)]
        else:
            found = [_decide([source], source.body, "hull" if kind == "link" else kind, rules)]
        shapes += [shape for one in found for shape in one.shapes]
        notes += [note for one in found for note in one.notes]
    return Decided(tuple(shapes), tuple(notes))


def _joined(sources: Sequence[Source]) -> MeshBody:
    """Return the meshes of a link as one, in the frame of the link."""
    points: List[Point] = []
    triangles: List[Tuple[int, int, int]] = []
    for source in sources:
        start = len(points)
        points += source.in_link
        triangles += [(a + start, b + start, c + start) for a, b, c in source.body.triangles]
    hulls = [point for source in sources for point in in_link(
        source.body.hull.corners if source.body.hull else source.body.points, source.scale, source.pose)]
    return MeshBody("", tuple(points), tuple(triangles), convex_hull(hulls))


def _decide(sources: Sequence[Source], body: MeshBody, kind: str, rules: Rules, part: int = 0) -> Decided:
    """Return what becomes of one body: of a mesh, a part of it, or with several sources of all of them."""
    source = sources[0]
    scale, pose = ((1.0, 1.0, 1.0), Pose(IDENTITY, (0.0, 0.0, 0.0))) if len(sources) > 1 else (
        source.scale, source.pose)
    if 0.0 in scale:
        return Decided((), (_left("scale", source),))
    view = _View(tuple(sources), body, scale, pose, part)
    if body.hull is None:
        return _thin_box(view)
    shape = _shape(view, kind, rules)
    if shape is None:
        return _thin_box(view)
    if rules.off_mesh is not None and not shape.stays:
        bound = off_mesh(_outer_points(shape, view), in_link(body.points, scale, pose), body.triangles)
        if bound > rules.off_mesh:
            return Decided((), (Diagnostic(COLLISION_LEFT, source.line, "off-mesh", (
                source.mesh, source.link, "the " + shape.kind), (1e3 * bound,), source.offset),))
        shape = shape._replace(off_mesh=bound)
    return Decided((shape,), ())


class _View(NamedTuple):
    """A body as it is in its link."""

    sources: Tuple[Source, ...]
    body: MeshBody
    scale: Vector
    pose: Pose
    part: int

    @property
    def is_single(self) -> bool:
        """Return True if the points are those of one file, float32 values."""
        return len(self.sources) == 1

    @property
    def corners(self) -> Tuple[Point, ...]:
        """The corners of the hull in the frame of the link, or all points."""
        hull = self.body.hull
        return in_link(hull.corners if hull else self.body.points, self.scale, self.pose)


def _left(sentence: str, source: Source) -> Diagnostic:
    return Diagnostic(COLLISION_LEFT, source.line, sentence, (source.mesh, source.link), (), source.offset)


def _shape(view: _View, kind: str, rules: Rules) -> Optional[NewShape]:
    """Return the shape that the rules choose, None where a body is too thin for a hull of few corners."""
    limit = rules.overhang if rules.overhang is not None else FITS if kind == "auto" else float("inf")
    hull = view.body.hull
    assert hull is not None
    near = _enough(hull)
    if kind == "hull" and len(hull.corners) > BOX_CORNERS:
        kinds: Tuple[str, ...] = ()
    elif kind == "hull":  # a mesh that is a box
        kinds, limit = ("box",), min(limit, IS_BOX * max(map(_size, zip(*view.corners))))
    else:
        kinds = AUTO_KINDS if kind == "auto" else (kind,)
    best = _best_primitive(view, kinds, near)
    if best is not None and best[0] <= limit:
        return NewShape(view.sources, best[1].kind, primitive=best[1], overhang=best[0], part=view.part)
    return _few(view, rules, near)


def _size(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _enough(hull: Hull) -> Hull:
    """Return a hull inside another, of corners enough for a search."""
    inner = convex_hull(hull.corners, ENOUGH) if len(hull.corners) > ENOUGH else None
    return inner or hull


def _best_primitive(view: _View, kinds: Sequence[str], near: Hull) -> Optional[Tuple[float, Primitive]]:
    """Return the primitive with the least overhang, and that; of those that are as good, a box like the mesh."""
    if not kinds:
        return None
    near_mesh = tuple((p * x, q * y, r * z) for x, y, z in near.corners for p, q, r in (view.scale,))
    scaled = convex_hull(near_mesh)
    if scaled is None:
        return None
    near_points = in_link(near.corners, view.scale, view.pose)
    points = view.corners
    found: List[Tuple[float, Primitive]] = []
    for kind in kinds:
        for frame in dict.fromkeys(propose(kind, scaled)):
            primitive = around(kind, _written_pose(view.pose, frame), points)
            found.append((overhang(bounding_points(primitive), near_points), primitive))
    return _preferred(found, view.pose)


def _preferred(found: Sequence[Tuple[float, Primitive]], pose: Pose) -> Tuple[float, Primitive]:
    """Return the one with the least overhang; one with the axes of the mesh where the gain is hardly any."""
    best = min(found, key=lambda one: one[0])
    aligned = [one for one in found if one[1].pose.rotation == pose.rotation]
    plain = min(aligned, key=lambda one: (one[1].kind != "box", one[0]), default=best)
    return plain if best[0] >= WORTH * plain[0] or plain[0] <= 1e-8 else best


def _written_pose(pose: Pose, frame: Frame) -> Pose:
    """Return T_link_primitive as a file says it: places to the nanometer, and angles that rpy can be."""
    T = compose(pose, Pose(*frame))
    rotation = pose.rotation if frame.rotation == IDENTITY else matrix_from_rpy(rpy_from_matrix(T.rotation))
    x, y, z = (round(value, DECIMALS) + 0.0 for value in T.translation)
    return Pose(rotation, (x, y, z))


def _few(view: _View, rules: Rules, near: Hull) -> Optional[NewShape]:
    """Return the hull of few corners; more of them where the overhang needs it.

    Raises:
        UsageError: the number of corners was given, and the overhang cannot be met with it.
    """
    hull, source = view.body.hull, view.sources[0]
    assert hull is not None
    near_points = in_link(near.corners, view.scale, view.pose)
    most = rules.most
    while True:
        few = few_corners(hull, most, single=view.is_single)
        if few is None:
            return None
        exact = view.is_single and set(few.corners) <= set(hull.corners)
        bound = 0.0 if exact else overhang(in_link(few.corners, view.scale, view.pose), near_points)
        if rules.overhang is None or bound <= rules.overhang:
            break
        if rules.is_most_given or most > len(hull.corners):
            raise UsageError(f"the hull of {len(few.corners)} corners around '{source.mesh}' of link '{source.link}' "
                             f"stands out by {1e3 * bound:.3g} mm: give a larger --collision-overhang, or a larger "
                             "--collision-max-vertices", "", source.line)
        most *= 2
    stays = (exact and not view.part and source.kind == "collision"
             and len(view.body.points) == len(few.corners) and is_convex(view.body)
             and len(extreme_corners(few)) == len(few.corners))
    return NewShape(view.sources, "hull", hull=few, in_link=not view.is_single, overhang=bound, stays=stays,
                    part=view.part)


def _thin_box(view: _View) -> Decided:
    """Return a thin box in the place of what is flat; what is on one line stays."""
    source, points = view.sources[0], list(dict.fromkeys(view.corners))
    frame = _flat_frame(points)
    if frame is None:
        return Decided((), (_left("line", source),))
    R = matrix_from_rpy(rpy_from_matrix(frame.rotation))
    x, y, z = (round(value, DECIMALS) + 0.0 for value in frame.center)
    box = around("box", Pose(R, (x, y, z)), points, THINNEST)
    shape = NewShape(view.sources, "box", primitive=box, overhang=overhang(bounding_points(box), points),
                     part=view.part)
    return Decided((shape,), (Diagnostic(COLLISION_THIN, source.line, "box", (source.mesh, source.link),
                                         (1e3 * THINNEST,)),))


def _flat_frame(points: Sequence[Point]) -> Optional[Frame]:
    """Return the frame of the least box around points in a plane, by a body that is a little thicker; None: a line."""
    a, b = min(points), max(points)
    u = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    normals = []
    for point in points:
        v = (point[0] - a[0], point[1] - a[1], point[2] - a[2])
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        normals.append((n[0] * n[0] + n[1] * n[1] + n[2] * n[2], n))
    square, (nx, ny, nz) = max(normals)
    length, extent = sqrt(square), max(map(abs, u))
    if length <= 1e-9 * extent * extent:
        return None
    nx, ny, nz = (value / length * extent * 1e-3 for value in (nx, ny, nz))
    thick = convex_hull([*points, *((x + nx, y + ny, z + nz) for x, y, z in points)])
    if thick is None:
        return None
    return centered(propose("box", _enough(thick))[0].rotation, points)


def _outer_points(shape: NewShape, view: _View) -> Tuple[Point, ...]:
    """Return the corners of a shape, or of a polytope around it, in the frame of the link."""
    if shape.primitive:
        return tuple(bounding_points(shape.primitive))
    assert shape.hull is not None
    return in_link(shape.hull.corners, view.scale, view.pose)
