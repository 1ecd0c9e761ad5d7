"""Bounds of the shapes of a link: the corners of a box around each, or of its hull, bound it in every direction."""

from __future__ import annotations

from itertools import chain, product
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Span
from ..base.number_text import grouped, numbers_in
from ..base.record_type import Record
from ..meshes.mesh_content import points_of
from ..urdf.urdf_records import UrdfLink, poses_at, UrdfRobot, UrdfShape
from ..urdf.spatial_math import (
    compose,
    dot,
    IDENTITY_POSE,
    inverse,
    move,
    Transform,
    rotate,
    transpose,
    UNIT_AXES,
    Vector,
)
from .opened_meshes import Box, surfaces_of


class MovingBodyOfLink(Record):
    """The moving body that a link belongs to, and T_body_link."""

    name: str
    T_body_link: Transform


def find_bodies(robot: UrdfRobot) -> Dict[str, MovingBodyOfLink]:
    """Return for each link its moving body."""
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    return {
        link: MovingBodyOfLink(body, compose(inverse(T_world[body]), T_world[link]))
        for link, body in names_of_bodies(robot).items()
    }


def names_of_bodies(robot: UrdfRobot) -> Dict[str, str]:
    """Return for each link the first link of its moving body."""
    names = {robot.root: robot.root}
    for joint in robot.tree:
        names[joint.child] = names[joint.parent] if joint.type == "fixed" else joint.child
    return names


def links_of_bodies(robot: UrdfRobot) -> Dict[str, List[Tuple[UrdfLink, Transform]]]:
    """Return by the name of a body its links, in the order of the file, each with T_body_link."""
    placed = find_bodies(robot)
    return grouped(
        (placed[name].name, (link, placed[name].T_body_link)) for name, link in robot.links.items()
    )


class ShapeBounds(Record):
    """A shape of a body: its pose T_body_shape, and points around it, in the frame of the shape [m]."""

    shape: UrdfShape
    pose: Transform
    around: Tuple[Vector, ...]

    @property
    def corners(self) -> List[Vector]:
        """The points around the shape in the axes of the body."""
        return [move(self.pose, point) for point in self.around]


def supports_of(
    links: Sequence[Tuple[UrdfLink, Transform]], box_of_mesh: Callable[[str], Optional[Box]]
) -> Optional[List[ShapeBounds]]:
    """Return the boxes of all shapes of the links of a body, each given with T_body_link; None if a box is unknown."""
    supports = []
    for link, T_body_link in links:
        for shape in link.shapes:
            box = box_of(shape, box_of_mesh)
            if box is None:
                return None
            (a, b, c), (d, e, f) = box
            corners = tuple(product((a, d), (b, e), (c, f)))
            supports.append(ShapeBounds(shape, compose(T_body_link, shape.pose), corners))
    return supports or None


def with_points(supports: Sequence[ShapeBounds], meshes: Mapping[str, str]) -> List[ShapeBounds]:
    """Return supports with the points of meshes in place of the corners of their boxes, if they are known.

    `meshes` are files by their names in the robot. In each direction the points reach as far as their hull.
    """
    sharper = []
    for support in supports:
        points = mesh_points(meshes.get(support.shape.mesh, ""))
        x, y, z = support.shape.scale or (1.0, 1.0, 1.0)
        scaled = tuple((x * p, y * q, z * r) for p, q, r in points)
        sharper.append(support._replace(around=scaled or support.around))
    return sharper


def interval(supports: Sequence[ShapeBounds], n: Vector) -> Span:
    """Return the least and greatest extent of all shapes along a unit vector n, in the frame of the body [m]."""
    ends = []
    for support in supports:
        # n in the axes of the shape, and the position of the shape's frame along n.
        x, y, z = rotate(transpose(support.pose.rotation), n)
        level = dot(n, support.pose.translation)
        along = [x * p + y * q + z * r for p, q, r in support.around]
        ends += [level + min(along), level + max(along)]
    return min(ends), max(ends)


def sides_of(supports: Sequence[ShapeBounds]) -> List[float]:
    """Return the extent of all shapes along each axis of the body [m]."""
    return [high - low for low, high in (interval(supports, n) for n in UNIT_AXES)]


def box_of(shape: UrdfShape, box_of_mesh: Callable[[str], Optional[Box]]) -> Optional[Box]:
    """Return the box of a shape in the frame of the shape, None if it is unknown."""
    drawn = shape.drawn
    if drawn is None:
        return None
    if drawn.name == "mesh":
        box = box_of_mesh(shape.mesh)
        return _scaled(box, shape.scale) if box and shape.scale else None
    size = numbers_in(drawn.get("size") or "", 3)
    radii = numbers_in(drawn.get("radius") or "", 1)
    lengths = numbers_in(drawn.get("length") or "", 1)
    if drawn.name == "box" and size:
        x, y, z = (0.5 * abs(side) for side in size)
    elif drawn.name == "sphere" and radii:
        x = y = z = abs(radii[0])
    elif drawn.name in ("cylinder", "capsule") and radii and lengths:
        x = y = abs(radii[0])
        z = 0.5 * abs(lengths[0])
        if drawn.name == "capsule":  # half balls go beyond its length
            z += x
    else:
        return None
    return (-x, -y, -z), (x, y, z)


def _scaled(box: Box, scale: Sequence[float]) -> Box:
    """Return a box times three factors."""
    # A negative factor swaps the ends.
    ends = [sorted((low * factor, high * factor)) for low, high, factor in zip(*box, scale)]
    (a, d), (b, e), (c, f) = ends
    return (a, b, c), (d, e, f)


Triangles = Tuple[Sequence[Vector], Sequence[Tuple[int, int, int]]]


def mesh_triangles(path: str) -> Triangles:
    """Return points of a mesh file, with duplicates, and its triangles; empty if they are unknown."""
    points: List[Vector] = []
    triangles: List[Tuple[int, int, int]] = []
    for surface in surfaces_of(path):
        corners = (
            [len(points) + number for number in surface.corners] if points else surface.corners
        )
        points += points_of(surface.positions)
        triangles += zip(corners[0::3], corners[1::3], corners[2::3])
    return points, triangles


def welded(mesh: Triangles) -> Triangles:
    """Return the points that triangles use, each once, and the triangles."""
    points, triangles = mesh
    numbers: Dict[Vector, int] = {}
    used = map(points.__getitem__, chain.from_iterable(triangles))
    corners = iter([numbers.setdefault(point, len(numbers)) for point in used])
    return list(numbers), list(zip(corners, corners, corners))


def mesh_points(path: str) -> Tuple[Vector, ...]:
    """Return the points of a mesh file, each once; () if they are unknown."""
    points = chain.from_iterable(points_of(surface.positions) for surface in surfaces_of(path))
    return tuple(dict.fromkeys(points))
