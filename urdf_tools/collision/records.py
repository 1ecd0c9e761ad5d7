"""What is asked of collisions, what their meshes are, and what becomes of each."""
from typing import NamedTuple, Optional, Tuple

from ..urdf.spatial import Pose, Vector
from ..meshes.hull import Hull, Point, Triangle
from .primitives import Primitive


class MeshBody(NamedTuple):
    """A mesh file: the points that its triangles use, each once, the triangles of their numbers, and the hull.

    The hull is None where all points are in one plane.
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
    """What becomes of one or several collisions of a link: one shape that contains them.

    Attributes:
        sources: what it contains; the element of the first is its place.
        kind: "hull", or one of PRIMITIVES.
        hull: in the coordinates of the file of its source, or with `in_link` those of the link; None for a primitive.
        in_link: the file is in the frame of the link.
        primitive: None for a hull.
        filename: of a hull, in the URDF; "" where no file is made.
        stays: the mesh is convex already and of few corners: nothing changes.
        overhang: how far it stands out over the hull of what it contains, at most [m].
        off_mesh: how far it stands off the mesh, at most [m]; None: not asked for.
        part: of a mesh of several parts, which of them; 0: all.
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

    @property
    def link(self) -> str:
        """The link that has it."""
        return self.sources[0].link

    @property
    def faces(self) -> int:
        """How many triangles it has; 0 for a primitive."""
        return len(self.hull.triangles) if self.hull else 0


class HullFile(NamedTuple):
    """A file of a hull: its name in the URDF, where it is now and will be, and the mesh that it is from."""

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
