"""Records of collisions: their meshes, their sources, and the new shapes."""
from typing import NamedTuple, Optional, Tuple

from ..urdf.spatial import Pose, Vector
from ..meshes.hull import Hull, Point, Triangle
from ..meshes.witnesses import Tree
from .primitives import Primitive


class MeshBody(NamedTuple):
    """A mesh file: the points that its triangles use, each once, the triangles as indices of them, and the hull.

    The hull is None if all points are in one plane.
    """

    path: str
    points: Tuple[Point, ...]
    triangles: Tuple[Triangle, ...]
    hull: Optional[Hull]


class Source(NamedTuple):
    """A collision with a mesh, or a visual that is to be one.

    Attributes:
        link: its name.
        kind, number: it is the `number`th element of that kind in its link, from 0.
        line, offset: of the element.
        mesh: as the URDF names it.
        scale, pose: of the mesh; T_link_mesh.
        body: the file.
    """

    link: str
    kind: str
    number: int
    line: int
    offset: int
    mesh: str
    scale: Vector
    pose: Pose
    body: MeshBody

    @property
    def in_link(self) -> Tuple[Point, ...]:
        """The points in the frame of the link."""
        return in_link(self.body.points, self.scale, self.pose)


class NewShape(NamedTuple):
    """The new shape for one or several collisions of a link, which contains them.

    Attributes:
        sources: what it contains; it replaces the element of the first.
        kind: "hull", or one of PRIMITIVES.
        hull: in the coordinates of the file of its source, or with `in_link` those of the link; None for a primitive.
        in_link: the file is in the frame of the link.
        primitive: None for a hull.
        filename: of a hull, in the URDF; "" if no file is made.
        stays: the mesh is already convex and of few corners: nothing changes.
        overhang: a bound of its largest distance to the hull of what it contains [m].
        off_mesh: a bound of its largest distance to the mesh surface [m]; None: not asked for.
        part: the number of a part of the mesh, or of one of its spheres, from 1; 0: the whole mesh.
        trees: of spheres, the same for all of a mesh: for each of its triangles the pieces, and their spheres.
    """

    sources: Tuple[Source, ...]
    kind: str
    hull: Optional[Hull] = None
    in_link: bool = False
    primitive: Optional[Primitive] = None
    filename: str = ""
    stays: bool = False
    overhang: float = 0.0
    off_mesh: Optional[float] = None
    part: int = 0
    trees: Tuple[Tree, ...] = ()

    @property
    def link(self) -> str:
        """The link that has it."""
        return self.sources[0].link

    @property
    def faces(self) -> int:
        """The number of its triangles; 0 for a primitive."""
        return len(self.hull.triangles) if self.hull else 0


class HullFile(NamedTuple):
    """A file of a hull: its name in the URDF, its temporary and final path, and the mesh that it is made from."""

    filename: str
    source: str
    target: str
    origin: str


def in_link(points: Tuple[Point, ...], scale: Vector, pose: Pose) -> Tuple[Point, ...]:
    """Return points of a mesh in the frame of its link."""
    (a, b, c), (d, e, f), (g, h, i) = pose.rotation
    (u, v, w), (p, q, r) = pose.translation, scale
    a, d, g, b, e, h, c, f, i = a * p, d * p, g * p, b * q, e * q, h * q, c * r, f * r, i * r
    return tuple([(a * x + b * y + c * z + u, d * x + e * y + f * z + v, g * x + h * y + i * z + w)
                  for x, y, z in points])
