"""Bounds of the shapes of a link: the corners of a box around each, or of its hull, bound it in every direction."""

from __future__ import annotations

import os
from array import array
from functools import lru_cache
from itertools import chain, product
from math import fsum, isfinite
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Span
from ..base.errors import UrdfError
from ..base.number_text import grouped, numbers_in
from ..base.record_type import Record
from ..meshes.mesh_content import FLOAT, points_of, MaterialSurface
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

LARGEST_FILE = 64 * 1024 * 1024  # bytes; chosen, so that lint stays fast: larger files are skipped
# Larger files are bounded by their box, without reading triangles: one file in eight is larger.
LARGEST_READ = 1024 * 1024
Box = Tuple[Vector, Vector]  # its lowest and its highest corner [m]
# X, y and z of points, or of the corners of boxes around them [m].
Columns = Sequence[Sequence[float]]


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


@lru_cache(maxsize=4096)
def measured_box(path: str) -> Optional[Box]:
    """Return the box of the points of a mesh file, None if it cannot be read."""
    try:
        if os.path.getsize(path) > LARGEST_FILE:
            return None
        columns = _dae_columns(path) if path.lower().endswith(".dae") else _columns(path)
        if not columns or not columns[0]:
            return None
        (a, d), (b, e), (c, f) = map(_ends, columns)
        return (a, b, c), (d, e, f)
    except (OSError, UrdfError, ValueError):
        return None


@lru_cache(maxsize=4)
def surfaces_of(path: str) -> Tuple[MaterialSurface, ...]:
    """Return the surfaces of a mesh file, () if it is large, or cannot be read."""
    try:
        if os.path.getsize(path) > LARGEST_READ:
            return ()
        from ..meshes.mesh_readers import read_mesh

        return read_mesh(path, shape_only=True).surfaces
    except (OSError, UrdfError, ValueError):
        return ()


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


def _ends(values: Sequence[float]) -> List[float]:
    """Return the least and the greatest of some numbers.

    Raises:
        ValueError: a number is not finite.
    """
    if not isfinite(fsum(values)):
        raise ValueError
    return [min(values), max(values)]


def _columns(path: str) -> Columns:
    """Return x, y and z of all points of a mesh file."""
    from ..meshes.mesh_readers import read_mesh

    columns = (array(FLOAT), array(FLOAT), array(FLOAT))
    for surface in surfaces_of(path) or read_mesh(path, shape_only=True).surfaces:
        for axis, column in enumerate(columns):
            column.extend(surface.positions[axis::3])
    return columns


def _dae_columns(path: str) -> Columns:
    """Return the extreme coordinates of all positions in the scene of a COLLADA file, for each primitive."""
    from ..collada.collada_accessors import source_columns
    from ..collada.collada_document import read_dae
    from ..collada.collada_primitives import mesh_primitives
    from ..collada.conversion_records import DEFAULT_DAE_OPTIONS
    from ..collada.collada_scene import scene_drawings
    from ..collada.stl_part_writer import moved_columns

    document = read_dae(path)
    ends: Tuple[List[float], ...] = ([], [], [])
    for drawing in scene_drawings(document, DEFAULT_DAE_OPTIONS.scene, []):
        positions = [primitive.positions for primitive in mesh_primitives(document, drawing.mesh)]
        for source in {id(source): source for source in positions}.values():
            moved = moved_columns(source_columns(document, source, "XYZ"), drawing.matrix)
            for bounds, column in zip(ends, moved):
                if column:
                    bounds += _ends(column)
    return ends
