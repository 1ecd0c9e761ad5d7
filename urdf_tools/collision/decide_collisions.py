"""The decision on the new shape of each collision: a hull of few corners, a primitive, spheres or convex pieces."""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import inf, sqrt
from typing import List, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.number_text import count_of
from ..base.record_type import Record
from ..lint.overlap_rules import find_hollow
from ..meshes.convex_hull import convex_hull, extreme_corners, Hull, Point
from ..meshes.mesh_volume import open_edges
from ..urdf.spatial_math import (
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    matrix_from_rpy,
    norm,
    Transform,
    rpy_from_matrix,
    subtract,
    Vector,
)
from .primitive_fitting import centered, PrimitivePose, propose
from .hull_cover import convex_pieces
from .mesh_cutting import TooManyParts
from .collision_diagnostics import COLLISION_HOLLOW, COLLISION_LEFT, COLLISION_OPEN, COLLISION_THIN
from .convex_pieces import is_convex, parts_of
from .collision_settings import FITS, read_length, CollisionSettings, SPHERES_FIT, TOO_LONG
from .collision_shapes import (
    around,
    bounding_points,
    DECIMALS,
    few_corners,
    in_link,
    MeshWithHull,
    NewCollisionShape,
    off_mesh,
    overhang,
    Primitive,
    CollisionSource,
)
from .sphere_cover import cover

THINNEST = 1e-3  # [m] of a box that replaces a flat mesh
ENOUGH = 200  # corners for the search of a primitive and for its overhang
# The overhang of a mesh that counts as a box, relative to its size; its corners, with some from rounding.
IS_BOX = 1e-6
BOX_CORNERS = 16
AUTO_KINDS = ("box", "cylinder", "sphere")
WORTH = 0.99  # of the overhang of an aligned shape: a turned shape must have less


class CollisionDecisions(Record):
    """The new shapes of collisions, and diagnostics about them and about collisions that stay."""

    shapes: Tuple[NewCollisionShape, ...]
    notes: Tuple[Diagnostic, ...]


class LinkCollisionTask(Record):
    """The arguments of a decision on a link: its meshes, the kind of shape, and the rules."""

    link: str
    sources: Tuple[CollisionSource, ...]
    kind: str
    rules: CollisionSettings


def kind_for(link: str, rules: CollisionSettings) -> str:
    """Return the kind of shape for a link, by the last matching glob, else by the rule for all links; "" keeps it."""
    fitting = [kind for glob, kind in rules.of_links if fnmatchcase(link, glob)]
    kind = fitting[-1] if fitting else rules.kind
    return "" if kind == "keep" else kind


def decide_link(call: LinkCollisionTask) -> CollisionDecisions:
    """Return the new shapes of the mesh collisions of a link.

    Raises:
        UsageError: no hull with the given number of corners has the given overhang.
    """
    _, sources, kind, rules = call
    if kind == "link" and len(sources) > 1:
        return _decide(sources, _joined(sources), "hull", rules)
    shapes: List[NewCollisionShape] = []
    notes: List[Diagnostic] = []
    for source in sources:
        decisions = _decisions(source, kind, rules)
        if kind == "auto":
            notes += _hollow_notes(source, decisions[0])
        for decision in decisions:
            shapes += decision.shapes
            notes += decision.notes
    return CollisionDecisions(tuple(shapes), tuple(notes))


def _decisions(
    source: CollisionSource, kind: str, rules: CollisionSettings
) -> List[CollisionDecisions]:
    """Return the decision on a mesh, or the decisions on its parts."""
    if kind == "spheres":
        return [_spheres(source, rules)]
    if kind == "convex":
        return [_convex(source, rules)]
    if kind == "parts":
        return _of_parts(source, rules)
    # The hull of a link with a single mesh is the hull of that mesh.
    of_mesh = "hull" if kind == "link" else kind
    return [_decide([source], source.body, of_mesh, rules)]


def _of_parts(source: CollisionSource, rules: CollisionSettings) -> List[CollisionDecisions]:
    """Return the decision on each part of a mesh, or on the whole mesh if a part has no shape."""
    bodies = parts_of(source.body)
    if len(bodies) == 1:
        return [_decide([source], bodies[0], "hull", rules)]
    decisions = [
        _decide([source], body, "hull", rules, number)
        for number, body in enumerate(bodies, start=1)
    ]
    # A part alone may be flat or its shape too far off: then the whole mesh gets one hull.
    if any(decision.notes and not decision.shapes for decision in decisions):
        return [_decide([source], source.body, "hull", rules)]
    return decisions


def _joined(sources: Sequence[CollisionSource]) -> MeshWithHull:
    """Return the meshes of a link joined into one, in the frame of the link."""
    points: List[Point] = []
    triangles: List[Tuple[int, int, int]] = []
    # Only corners of the hulls can be corners of the common hull.
    outer: List[Point] = []
    for source in sources:
        body = source.body
        start = len(points)
        points += source.in_link
        triangles += [(a + start, b + start, c + start) for a, b, c in body.triangles]
        corners = body.hull.corners if body.hull else body.points
        outer += in_link(corners, source.scale, source.pose)
    return MeshWithHull("", tuple(points), tuple(triangles), convex_hull(outer))


def _decide(
    sources: Sequence[CollisionSource],
    body: MeshWithHull,
    kind: str,
    rules: CollisionSettings,
    part: int = 0,
) -> CollisionDecisions:
    """Return the new shape of a body: a mesh, a part of it, or the meshes of several sources joined."""
    source = sources[0]
    scale = source.scale
    pose = source.pose
    if len(sources) > 1:
        # The joined body is already in the frame of the link.
        scale = (1.0, 1.0, 1.0)
        pose = IDENTITY_POSE
    if 0.0 in scale:
        return CollisionDecisions((), (_left("scale", source),))
    view = _PlacedMeshBody(sources=tuple(sources), body=body, scale=scale, pose=pose, part=part)
    notes: Tuple[Diagnostic, ...] = ()
    shape = _shape(view, kind, rules) if body.hull is not None else None
    if shape is None:
        thin = _thin_box(view)
        if not thin.shapes:
            return thin
        shape = thin.shapes[0]
        notes = thin.notes
        if rules.overhang is not None and shape.overhang > rules.overhang:
            return _too_far(source, shape, shape.overhang, "--overhang")

    if rules.off_mesh is not None and not shape.stays:
        bound = off_mesh(
            _outer_points(shape, view), in_link(body.points, scale, pose), body.triangles
        )
        if bound > rules.off_mesh:
            return _too_far(source, shape, bound, "--off-mesh")
        shape = shape._replace(off_mesh=bound)
    return CollisionDecisions((shape,), notes)


def _too_far(
    source: CollisionSource, shape: NewCollisionShape, bound: float, option: str
) -> CollisionDecisions:
    """Return the decision that a collision stays, because its new shape would stand out by `bound` [m]."""
    left = _left("too-far", source, f"the {shape.kind}", option)
    return CollisionDecisions((), (left._replace(numbers=(1e3 * bound,)),))


def _spheres(source: CollisionSource, rules: CollisionSettings) -> CollisionDecisions:
    """Return spheres around a mesh, with a note if it is open: then their overhang is measured from its hull."""
    if 0.0 in source.scale:
        return CollisionDecisions((), (_left("scale", source),))
    overhang = SPHERES_FIT if rules.overhang is None else rules.overhang
    try:
        covered = cover(source.in_link, source.body, overhang)
    except ValueError:
        raise UsageError(
            f"spheres around '{source.mesh}' of link '{source.link}' that stand out by {1e3 * overhang:g} "
            "mm would be thousands: give a larger --overhang",
            "",
            source.line,
        ) from None
    shapes = [
        NewCollisionShape(
            (source,),
            "sphere",
            primitive=Primitive("sphere", Transform(IDENTITY, ball.center), (ball.radius,)),
            overhang=covered.overhang,
            part=number,
            trees=covered.trees,
        )
        for number, ball in enumerate(covered.balls, start=1)
    ]
    return CollisionDecisions(tuple(shapes), _open_note(source, "hull"))


def _convex(source: CollisionSource, rules: CollisionSettings) -> CollisionDecisions:
    """Return hulls around a mesh that stay within a distance of its solid.

    The collision stays if more hulls or boxes are needed than are allowed.
    """
    body = source.body
    within = FITS if rules.off_mesh is None else rules.off_mesh
    # Triangles without three different corners do not form a surface that could be cut.
    draws = any(len({*triangle}) == 3 for triangle in body.triangles)
    is_simple = is_convex(body)
    if 0.0 in source.scale or body.hull is None or not draws or is_simple:
        # For a convex mesh the overhang over its hull is the distance off the mesh.
        limits = rules._replace(off_mesh=None) if is_simple else rules
        decided = _decide([source], body, "hull", limits)
        if not (is_simple and decided.shapes and decided.shapes[0].overhang > within):
            return decided
    # Scaling multiplies a distance by the largest factor at most.
    in_file = within / max(map(abs, source.scale))
    try:
        convex = convex_pieces(body, in_file, rules.most, rules.pieces)
    except TooManyParts as error:
        # Doubling 0 gives no larger distance.
        cure = _option_that_suffices(source, within or FITS, rules)
        why = "pieces"
        limit = rules.pieces
        if error.args:
            why = "boxes"
            limit = error.args[0]
        note = _left(why, source, cure)._replace(numbers=(limit, 1e3 * within))
        return CollisionDecisions((), (note,))
    # A single hull is not a part of the mesh: its file gets the name of the mesh without a number.
    first_number = 1 if len(convex.hulls) > 1 else 0
    shapes = [
        NewCollisionShape(
            (source,),
            "hull",
            hull=hull,
            off_mesh=within,
            part=number,
            trees=convex.trees,
            boxes=boxes,
        )
        for number, (hull, boxes) in enumerate(zip(convex.hulls, convex.boxes), start=first_number)
    ]
    return CollisionDecisions(tuple(shapes), _open_note(source, "holes"))


def _option_that_suffices(source: CollisionSource, within: float, rules: CollisionSettings) -> str:
    """Return the option `--off-mesh` with the first distance, doubled each time [m], for which few hulls suffice."""
    # A distance that needs nearly all pieces takes as long as the refused distance.
    piece_limit = max(1, rules.pieces // 4)
    factor = max(map(abs, source.scale))
    # Within the diagonal of a mesh one hull always suffices.
    reach = factor * norm((1.0, 1.0, 1.0)) * max(map(_size, zip(*source.body.points)))
    # The option must be less than 1000 m; a number is typed with six digits, which may round it up.
    longest = TOO_LONG * (1.0 - 1e-5)
    while within < reach and 2.0 * within < longest:
        # The option is tried as the user will type it, with the rounding of its text.
        length_text = f"{2e3 * within:g}mm"
        within = read_length(length_text)
        try:
            convex = convex_pieces(source.body, within / factor, rules.most, piece_limit)
        except TooManyParts:
            continue
        return f"--off-mesh {length_text}, for which {count_of(len(convex.hulls), 'hull')} will do"
    if within < reach:
        return (
            f"a mesh in meters: this one is {1e-3 * reach:.3g} km in size, and --off-mesh is less than "
            f"{1e-3 * TOO_LONG:g} km"
        )
    return "a larger --off-mesh"


def _hollow_notes(source: CollisionSource, decided: CollisionDecisions) -> List[Diagnostic]:
    """Return a note if the new shape of a mesh fills a hollow of it."""
    hollow = find_hollow(source.body.path, source.scale, fine=True)
    if hollow is None:
        return []
    numbers = (1e6 * hollow.volume, 1e3 * hollow.depth)
    return [
        Diagnostic(
            kind=COLLISION_HOLLOW,
            line=source.line,
            sentence="filled",
            names=(source.mesh, source.link, shape.kind),
            numbers=numbers,
        )
        for shape in decided.shapes
    ]


def _open_note(source: CollisionSource, sentence: str) -> Tuple[Diagnostic, ...]:
    """Return a note if a mesh is open."""
    if not open_edges(source.body.triangles):
        return ()
    return (Diagnostic(COLLISION_OPEN, source.line, sentence, (source.mesh, source.link)),)


class _PlacedMeshBody(Record):
    """A body with its scale and its pose T_link_mesh; `part` is its number in the mesh, 0 for the whole mesh."""

    sources: Tuple[CollisionSource, ...]
    body: MeshWithHull
    scale: Vector
    pose: Transform
    part: int

    @property
    def is_single(self) -> bool:
        """Return True if all points are from the same file, so that they are float32 values."""
        return len(self.sources) == 1

    @property
    def corners(self) -> Tuple[Point, ...]:
        """Return the corners of the hull in the frame of the link, or all points."""
        # A body that is flat or too far off has no hull.
        hull = self.body.hull
        corners = hull.corners if hull else self.body.points
        return in_link(corners, self.scale, self.pose)


def _left(sentence: str, source: CollisionSource, *why: str) -> Diagnostic:
    """Return the note that a collision stays, and why."""
    return Diagnostic(
        kind=COLLISION_LEFT,
        line=source.line,
        sentence=sentence,
        names=(source.mesh, source.link, *why),
        numbers=(),
        offset=source.offset,
    )


def _shape(
    view: _PlacedMeshBody, kind: str, rules: CollisionSettings
) -> Optional[NewCollisionShape]:
    """Return the shape of a body by the rules, None if the body is too thin for a hull of few corners."""
    limit = _allowed_overhang(kind, rules)
    hull = view.body.hull
    assert hull is not None
    # The overhang over a smaller hull is never too small, so the bound holds.
    near = _enough(hull)
    if kind == "hull" and len(hull.corners) > BOX_CORNERS:
        kinds: Texts = ()
    elif kind == "hull":  # a mesh that is a box becomes a box, which is simpler and exact
        kinds = ("box",)
        limit = min(limit, IS_BOX * max(map(_size, zip(*view.corners))))
    else:
        kinds = AUTO_KINDS if kind == "auto" else (kind,)
    best = _best_primitive(view, kinds, near)
    if best is None or best[0] > limit:
        return _few(view, rules, near)
    bound, primitive = best
    return NewCollisionShape(
        view.sources, primitive.kind, primitive=primitive, overhang=bound, part=view.part
    )


def _allowed_overhang(kind: str, rules: CollisionSettings) -> float:
    """Return the largest overhang of a primitive [m]; without a limit if a certain primitive is requested."""
    if rules.overhang is not None:
        return rules.overhang
    return FITS if kind == "auto" else inf


def _size(values: Sequence[float]) -> float:
    """Return the difference of the largest and the smallest value."""
    return max(values) - min(values)


def _enough(hull: Hull) -> Hull:
    """Return a hull with at most ENOUGH corners inside a hull, or the hull itself if it has as few."""
    inner = convex_hull(hull.corners, ENOUGH) if len(hull.corners) > ENOUGH else None
    return inner or hull


def _best_primitive(
    view: _PlacedMeshBody, kinds: Sequence[str], inner_hull: Hull
) -> Optional[Tuple[float, Primitive]]:
    """Return the least overhang [m] and its primitive, preferably aligned with the mesh; None without a candidate."""
    if not kinds:
        return None
    a, b, c = view.scale
    scaled = convex_hull(tuple((a * x, b * y, c * z) for x, y, z in inner_hull.corners))
    if scaled is None:
        return None
    inner_points = in_link(inner_hull.corners, view.scale, view.pose)
    points = view.corners
    candidates: List[Tuple[float, Primitive]] = []
    for kind in kinds:
        for frame in dict.fromkeys(propose(kind, scaled)):
            # The sizes are from all corners: the primitive contains the body, whatever frame was proposed.
            primitive = around(kind, _written_pose(view.pose, frame), points)
            candidates.append((overhang(bounding_points(primitive), inner_points), primitive))
    return _preferred(candidates, view.pose)


def _preferred(
    candidates: Sequence[Tuple[float, Primitive]], pose: Transform
) -> Tuple[float, Primitive]:
    """Return the candidate with the least overhang, or a candidate with the axes of the mesh if it is nearly as good."""
    best = min(candidates, key=lambda candidate: candidate[0])
    aligned = [candidate for candidate in candidates if candidate[1].pose.rotation == pose.rotation]
    # Among aligned primitives the box is preferred, even if another stands out less.
    plain = min(
        aligned, key=lambda candidate: (candidate[1].kind != "box", candidate[0]), default=best
    )
    # 10 nm is rounding: an exact aligned primitive is never given up for a turned one.
    is_as_good = best[0] >= WORTH * plain[0] or plain[0] <= 1e-8
    return plain if is_as_good else best


def _written_pose(pose: Transform, frame: PrimitivePose) -> Transform:
    """Return T_link_primitive as it is written: positions to the nanometer, and the rotation of the written rpy."""
    T = compose(pose, Transform(*frame))
    rotation = pose.rotation
    # An aligned primitive keeps the rpy of the mesh, so that it is not rounded.
    if frame.rotation != IDENTITY:
        rotation = matrix_from_rpy(rpy_from_matrix(T.rotation))
    x, y, z = (round(value, DECIMALS) + 0.0 for value in T.translation)
    return Transform(rotation, (x, y, z))


def _few(
    view: _PlacedMeshBody, rules: CollisionSettings, inner_hull: Hull
) -> Optional[NewCollisionShape]:
    """Return a hull of few corners, or of more if the overhang requires them; None if the body is too thin.

    Raises:
        UsageError: the number of corners was given, and the overhang cannot be met with it.
    """
    hull = view.body.hull
    source = view.sources[0]
    assert hull is not None
    inner_points = in_link(inner_hull.corners, view.scale, view.pose)
    corner_limit = rules.most
    while True:
        new_hull = few_corners(hull, corner_limit, single=view.is_single)
        if new_hull is None:
            return None
        # A hull of the original corners has no overhang; computed, it would have some by rounding.
        exact = view.is_single and set(new_hull.corners) <= set(hull.corners)
        bound = 0.0
        if not exact:
            new_points = in_link(new_hull.corners, view.scale, view.pose)
            bound = overhang(new_points, inner_points)
        if rules.overhang is None or bound <= rules.overhang:
            break
        if rules.is_most_given or corner_limit > len(hull.corners):
            raise UsageError(
                f"the hull of {len(new_hull.corners)} corners around '{source.mesh}' of link '{source.link}' "
                f"stands out by {1e3 * bound:.3g} mm: give a larger --overhang, or a larger "
                "--max-vertices",
                "",
                source.line,
            )
        corner_limit *= 2
    # The file has exactly the corners of that hull, so it can stay.
    stays = (
        exact
        and not view.part
        and source.kind == "collision"
        and len(view.body.points) == len(new_hull.corners)
        and is_convex(view.body)
        and len(extreme_corners(new_hull)) == len(new_hull.corners)
    )
    return NewCollisionShape(
        view.sources,
        "hull",
        hull=new_hull,
        in_link=not view.is_single,
        overhang=bound,
        stays=stays,
        part=view.part,
    )


def _thin_box(view: _PlacedMeshBody) -> CollisionDecisions:
    """Return a thin box for a flat body; a body whose points are on a line stays."""
    source = view.sources[0]
    points = list(dict.fromkeys(view.corners))
    frame = _flat_frame(points)
    if frame is None:
        return CollisionDecisions((), (_left("line", source),))
    box = around("box", _written_pose(IDENTITY_POSE, frame), points, THINNEST)
    shape = NewCollisionShape(
        view.sources,
        "box",
        primitive=box,
        overhang=overhang(bounding_points(box), points),
        part=view.part,
    )
    return CollisionDecisions(
        (shape,),
        (
            Diagnostic(
                kind=COLLISION_THIN,
                line=source.line,
                sentence="box",
                names=(source.mesh, source.link),
                numbers=(1e3 * THINNEST,),
            ),
        ),
    )


def _flat_frame(points: Sequence[Point]) -> Optional[PrimitivePose]:
    """Return the frame of the least box around points in a plane, None if they are on a line.

    The search runs on a slightly thicker body.
    """
    a = min(points)
    b = max(points)
    u = subtract(b, a)
    # The point farthest off the line through the two points gives the normal of the plane.
    normals = [cross(u, subtract(point, a)) for point in points]
    square, (nx, ny, nz) = max((dot(n, n), n) for n in normals)
    length = sqrt(square)
    extent = max(map(abs, u))
    # Relative to the size of the body: a smaller distance from the line is rounding.
    if length <= 1e-9 * extent * extent:
        return None
    # A thousandth of the extent is thick enough for a hull, and does not turn the sides of the box.
    nx, ny, nz = (value / length * extent * 1e-3 for value in (nx, ny, nz))
    thick = convex_hull([*points, *((x + nx, y + ny, z + nz) for x, y, z in points)])
    if thick is None:
        return None
    return centered(propose("box", _enough(thick))[0].rotation, points)


def _outer_points(shape: NewCollisionShape, view: _PlacedMeshBody) -> Tuple[Point, ...]:
    """Return the corners of a shape, or of a polytope around it, in the frame of the link."""
    if shape.primitive:
        return tuple(bounding_points(shape.primitive))
    assert shape.hull is not None
    return in_link(shape.hull.corners, view.scale, view.pose)
