"""The collisions of links as convex pieces, for pairs: each piece is the hull of its corners, enlarged by a radius."""

from __future__ import annotations

from math import sqrt
from typing import Callable, Dict, List, Optional, Tuple

from ..base.type_aliases import Texts
from ..base.record_type import Record
from ..meshes.mesh_readers import indexed, read_indexed
from ..meshes.convex_hull import convex_hull, Hull, Point, Triangle
from ..meshes.mesh_volume import connected
from ..meshes.verify_witnesses import normal_of, triangles_at
from ..model.model_shapes import geometry_of, Mesh, sizes_of
from ..urdf.urdf_records import UrdfRobot, UrdfShape
from ..urdf.spatial_math import add, dot, norm, scale, subtract, transpose, Vector
from .proof_geometry import surface_fault
from .convex_distance import TrianglesInLinkFrame
from .collision_shapes import bounding_points, few_corners, in_link, MeshWithHull, Primitive

CORNERS = 64  # of the piece around a mesh: more corners make each cell of a search slower
SHRUNK = 1.0 - 1e-6  # of a primitive: the triangles of a witness must be inside it
INSCRIBED = 0.9903  # cos(pi / 32) squared, rounded down: turns the prism around a cylinder into a prism inside it
Planes = Tuple[Tuple[Vector, float], ...]
BodyOf = Callable[[str], Optional[MeshWithHull]]


def body_of_file(path: str) -> MeshWithHull:
    """Return the mesh of a file with its hull, which is None if the mesh is flat or empty.

    Raises:
        UrdfError: the file cannot be read.
    """
    points, triangles = read_indexed(path)
    return MeshWithHull(path, points, triangles, convex_hull(points))


def parts_of(body: MeshWithHull) -> List[MeshWithHull]:
    """Return each connected part of a mesh as a separate mesh, in the order of their first triangles."""
    parts = connected(len(body.points), body.triangles)
    return [_part(body, triangles) for triangles in parts] if len(parts) > 1 else [body]


def _part(body: MeshWithHull, triangles: List[Triangle]) -> MeshWithHull:
    """Return the mesh of some triangles of a body, with its own hull."""
    points, used = indexed(triangles_at(body.points, triangles))
    return MeshWithHull(body.path, points, used, convex_hull(points))


class RoundedHull(Record):
    """A convex body in the frame of its link: all within `radius` of the hull of `corners` [m].

    Attributes:
        number: the index of the collision in its link.
        corners, radius: the body is the hull of balls of this radius around the corners.
        center, ball_radius: the center and radius of a ball that contains it.
        hull: the surface of the hull of its corners; None if they are in a plane.
        planes: its facets: normals of length 1, and levels; () without a hull.
    """

    number: int
    corners: Tuple[Point, ...]
    radius: float
    center: Vector
    ball_radius: float
    hull: Optional[Hull]
    planes: Planes


class ConvexCollisions(Record):
    """The collisions of a link as convex pieces.

    Attributes:
        around: each contains a written shape: if these pieces of two links are apart, the links are.
        inside: each is contained in a written shape, and mostly equal to it: if these pieces overlap, the links do.
        surfaces: the meshes, and bodies inside boxes and cylinders.
    """

    around: Tuple[RoundedHull, ...]
    inside: Tuple[RoundedHull, ...]
    surfaces: Tuple[TrianglesInLinkFrame, ...] = ()

    @property
    def nearest(self) -> Tuple[RoundedHull, ...]:
        """Return for each collision the piece inside it, else the piece around it: contacts are searched with these."""
        solid = {piece.number: piece for piece in self.inside}
        return tuple(solid.get(piece.number, piece) for piece in self.around)


class ConvexPiecesByLink(Record):
    """The pieces of each link that has some, and the names of the links with an unknown shape."""

    of_link: Dict[str, ConvexCollisions]
    unknown: Texts


def pieces_of(robot: UrdfRobot, body_of: BodyOf, *, few: bool = True) -> ConvexPiecesByLink:
    """Return the pieces of all links with collisions; with `few`, pieces around meshes have at most CORNERS corners."""
    of_link: Dict[str, ConvexCollisions] = {}
    unknown: List[str] = []
    for link in robot.links.values():
        made = [
            _piece(shape, number, body_of, few=few) for number, shape in enumerate(link.collisions)
        ]
        if any(around is None for around, _, _ in made):
            unknown.append(link.name)
        elif made:
            # Some collisions have no piece inside or no surface, so the lengths differ: each piece has its number.
            of_link[link.name] = ConvexCollisions(
                around=tuple(around for around, _, _ in made if around is not None),
                inside=tuple(inside for _, inside, _ in made if inside is not None),
                surfaces=tuple(surface for _, _, surface in made if surface is not None),
            )
    return ConvexPiecesByLink(of_link, tuple(unknown))


# The piece around a shape, the piece inside it, and its surface.
Made = Tuple[Optional[RoundedHull], Optional[RoundedHull], Optional[TrianglesInLinkFrame]]
NOTHING: Made = (None, None, None)


def _piece(shape: UrdfShape, number: int, body_of: BodyOf, *, few: bool) -> Made:
    """Return the convex bodies around and inside a collision, and its surface; None for each that does not exist."""
    if shape.mesh:
        body = body_of(shape.mesh)
        return _of_mesh(shape, number, body, few=few) if body and body.points else NOTHING
    primitive = primitive_of(shape)
    if primitive is None:
        return NOTHING
    kind, pose, sizes = primitive
    if kind in ("sphere", "capsule"):
        half = 0.5 * sizes[1] if kind == "capsule" else 0.0
        middle = pose.translation
        axis = scale(half, transpose(pose.rotation)[2])
        ends = [add(middle, axis), subtract(middle, axis)] if half else [middle]
        piece = _around(number, tuple(ends), sizes[0], None)
        return piece, piece, None
    corners = tuple(bounding_points(primitive))
    piece = _around(number, corners, 0.0, convex_hull(corners))
    if kind == "box":
        return piece, piece, _inside(piece)
    # Two cylinders are apart if the prisms around them are, and touch if the prisms inside them do: both are needed.
    inner = tuple(bounding_points(primitive._replace(sizes=(INSCRIBED * sizes[0], sizes[1]))))
    inscribed = _around(number, inner, 0.0, convex_hull(inner))
    return piece, inscribed, _inside(inscribed)


def _inside(piece: RoundedHull) -> Optional[TrianglesInLinkFrame]:
    """Return the surface of a piece, scaled by SHRUNK about its center, None if it has no hull."""
    hull = piece.hull
    if hull is None:
        return None
    x, y, z = piece.center
    shrunk = [
        (x + SHRUNK * (p - x), y + SHRUNK * (q - y), z + SHRUNK * (r - z))
        for p, q, r in hull.corners
    ]
    triangles = triangles_at(shrunk, hull.triangles)
    return TrianglesInLinkFrame(piece.number, lambda: triangles, is_mesh=False)


def primitive_of(shape: UrdfShape) -> Optional[Primitive]:
    """Return a box, cylinder, sphere or capsule with sizes above zero, None for anything else."""
    geometry = geometry_of(shape)
    if geometry is None or geometry.kind == "mesh":
        return None
    sizes = sizes_of(geometry)
    if not sizes or min(sizes) <= 0.0:
        return None
    return Primitive(geometry.kind, shape.pose, sizes)


def _of_mesh(shape: UrdfShape, number: int, body: MeshWithHull, *, few: bool) -> Made:
    """Return the hull of a mesh as the piece around it, and as the piece inside it if it is convex, and its surface."""
    geometry = geometry_of(shape)
    if not isinstance(geometry, Mesh):
        return NOTHING
    scale = geometry.scale
    surface = TrianglesInLinkFrame(
        number,
        lambda: triangles_at(in_link(body.points, scale, shape.pose), body.triangles),
    )
    corners = body.hull.corners if body.hull else body.points
    placed = in_link(corners, scale, shape.pose)
    hull = convex_hull(placed) if body.hull else None
    if body.hull is None or hull is None:
        return _around(number, placed, 0.0, None), None, surface
    inside = _around(number, hull.corners, 0.0, hull) if is_convex(body) else None
    if len(hull.corners) <= CORNERS or not few:
        return inside or _around(number, hull.corners, 0.0, hull), inside, surface
    # Fewer corners make each cell cheaper, and a body that is apart from a larger hull is apart from the mesh.
    outer = few_corners(hull, CORNERS, single=False) or hull
    return _around(number, outer.corners, 0.0, outer), inside, surface


def is_convex(body: MeshWithHull) -> bool:
    """Return True if the triangles of a mesh are the surface of its hull, seen from outside or from inside.

    The test is exact: the float32 corners of a face are seldom in one plane, so that the wrong diagonal makes a dent.
    """
    if body.hull is None or len(body.points) != len(body.hull.corners):
        return False
    # A mirrored scale, and some exporters, turn all triangles inward.
    turned_over = [(a, c, b) for a, b, c in body.triangles]
    return not (
        surface_fault(body.points, body.triangles) and surface_fault(body.points, turned_over)
    )


def _around(
    number: int, corners: Tuple[Point, ...], radius: float, hull: Optional[Hull]
) -> RoundedHull:
    """Return the piece of balls around corners; the ball that contains it is about the middle of their box."""
    columns = list(zip(*corners))
    x, y, z = (0.5 * (min(column) + max(column)) for column in columns)
    farthest = max((p - x) * (p - x) + (q - y) * (q - y) + (r - z) * (r - z) for p, q, r in corners)
    planes = planes_of(hull) if hull else ()
    return RoundedHull(
        number=number,
        corners=corners,
        radius=radius,
        center=(x, y, z),
        # Larger by more than its rounding, so that the ball contains the piece.
        ball_radius=sqrt(farthest) * (1.0 + 1e-12) + radius,
        hull=hull,
        planes=planes,
    )


def planes_of(hull: Hull) -> Planes:
    """Return the planes of the facets of a hull."""
    planes: List[Tuple[Vector, float]] = []
    for corners in hull.facets:
        normal = normal_of(corners)
        length = norm(normal)
        if length > 0.0:
            normal = (normal[0] / length, normal[1] / length, normal[2] / length)
            planes.append((normal, dot(normal, corners[0])))
    return tuple(planes)
