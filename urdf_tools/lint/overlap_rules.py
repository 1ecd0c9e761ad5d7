"""Rules for collisions: links that overlap at zero, and meshes whose convex hulls, which most simulators use, reach far
beyond them.

A ball inside both shapes proves that they overlap: two shapes that both contain a ball of radius r must be moved apart
by at least 2 r, in whatever direction. The largest such ball is searched by climbing: for a point inside a primitive,
or a closed mesh (by its winding number), the distance to the surface is known. So each finding is proven; other
overlaps may exist.

Depth and share of a hollow are lower bounds: the hull is around some points of the mesh, and the point is outside of
the closed mesh, by its winding number, and so far from all triangles.
"""

from __future__ import annotations

import os
from itertools import chain, product
from math import inf
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull, Triangle
from ..meshes.triangle_tree import farthest, TriangleTree
from ..meshes.mesh_volume import (
    TriangleColumns,
    connected,
    Corners,
    open_edges,
    solid_of,
    volume_and_center,
)
from ..robot.joint_motion import motion_in_child
from ..urdf.urdf_records import UrdfJoint, MOVABLE, poses_at, UrdfRobot, UrdfShape
from ..urdf.spatial_math import (
    add,
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    move,
    norm,
    Transform,
    scale,
    subtract,
    Vector,
)
from ..meshes.verify_witnesses import distance, triangles_at
from .lint_diagnostics import HULL_OVERHANG, OVERLAP
from .finding_records import Findings, found, LintedRobot
from .opened_meshes import cached_by_file, measured_box
from .shape_bounds import box_of, mesh_triangles, names_of_bodies, welded

LEAST_DEPTH = 0.002  # [m] less is contact, or rounding of primitives
LEAST_STEP = 0.1  # of the known depth
MOST_PAIRS = 20000  # that are examined; a robot of 60 links has some hundreds
# Unequal, so that `start` does not lie on a diagonal either.
BESIDE = (3.1e-5, 4.7e-5, 2.2e-5)  # [m]
WAYS = [(x, y, z) for x, y, z in product((-1.0, 0.0, 1.0), repeat=3) if x or y or z]
# The search for the point of a surface that is deepest in another solid, or farthest off a mesh.
SPLITS = 40  # how often facets are halved
CLOSE = 1e-3  # [m]
# [m], and part of the longest side of the mesh: a smaller hollow does not deserve a note.
LEAST = 0.02
PART = 0.1
SHARE = 0.2  # of the hull that is not in the mesh
LARGEST = 256 * 1024  # bytes: finer meshes take too long, and are seldom made for collisions
POINTS = 150  # of the hull
# The depth of a point [m]; a depth at or below the second argument may be overestimated, up to that argument.
Depth = Callable[[Vector, float], float]


class OverlapSolid(Record):
    """A collision, as a primitive or a closed mesh around a point in its middle.

    Attributes:
        link: the name of its link.
        T_world: the pose of its middle in the world.
        half: half the sides of its box [m].
        kind: box, cylinder, capsule, sphere or mesh.
        mesh: the file of a mesh, its factors, and its middle.
    """

    link: str
    T_world: Transform
    half: Vector
    kind: str
    mesh: Optional[Tuple[str, Sequence[float], Vector]] = None

    @property
    def triangles(self) -> Sequence[Corners]:
        """The triangles of a mesh, around its middle [m]; () if it is large or not closed."""
        return _closed(*self.mesh) if self.mesh else ()

    @property
    def reach(self) -> float:
        """The radius of an enclosing ball [m]."""
        return norm(self.half)

    @property
    def start(self) -> Vector:
        """A point of the world near the middle, which is not on an edge of a mesh that is symmetric about the middle."""
        return add(self.T_world.translation, BESIDE)

    def depth(self) -> Depth:
        """Return the function from a point of the world to its depth [m]: the ball of that radius around it is inside,
        too.
        """
        T = inverse(self.T_world)
        a, b, c = self.half
        if self.mesh:
            in_mesh = _depth_in_mesh(*self.mesh)
            return lambda point, floor: in_mesh(move(T, point), floor)

        def in_primitive(point: Vector, floor: float) -> float:
            """Return how deep a point is in a box, a cylinder, a capsule or a sphere."""
            x, y, z = move(T, point)
            if self.kind == "box":
                return min(a - abs(x), b - abs(y), c - abs(z))
            if self.kind == "cylinder":
                return min(a - norm((x, y, 0.0)), c - abs(z))
            # A capsule consists of all points within a radius of a line; for a sphere the line has no length.
            return a - norm((x, y, max(abs(z) - (c - a), 0.0)))

        return in_primitive


def overlap_rules(subject: LintedRobot) -> Findings:
    """Yield the pairs of links that are not neighbors and whose collisions overlap, with joints at zero."""
    robot = subject.robot
    T_world = poses_at(robot, nearest_to_zero(robot), IDENTITY_POSE)
    solids: List[OverlapSolid] = []
    for name, link in robot.links.items():
        for shape in link.collisions:
            solids += _solid(name, compose(T_world[name], shape.pose), shape, subject)
    bodies = names_of_bodies(robot)
    near = _neighbors(robot, bodies)
    deepest: Dict[Tuple[str, str], float] = {}
    for solid, other in _close(solids):
        # Links on fixed joints are one body, whose parts may overlap.
        pair = (bodies[solid.link], bodies[other.link])
        if pair[0] != pair[1] and pair not in near:
            depth = 2.0 * inner_ball(solid, other)[0]
            key = (solid.link, other.link)
            if depth > max(LEAST_DEPTH, deepest.get(key, 0.0)):
                deepest[key] = depth
    for (first, second), depth in deepest.items():
        line = robot.links[second].source.line
        yield found(OVERLAP, line, "pair", (first, second), (1000.0 * depth,))


def _close(solids: Sequence[OverlapSolid]) -> Iterator[Tuple[OverlapSolid, OverlapSolid]]:
    """Yield the pairs of solids whose enclosing balls overlap, in the order of the file: a sweep along X."""
    starts = sorted(
        (solid.T_world.translation[0] - solid.reach, k) for k, solid in enumerate(solids)
    )
    pairs: List[Tuple[int, int]] = []
    for index, (_, k) in enumerate(starts):
        if len(pairs) > MOST_PAIRS:
            break
        solid = solids[k]
        end = solid.T_world.translation[0] + solid.reach
        # Sorted by their starts: if a solid begins beyond the end, all further solids do, too.
        for start, j in map(starts.__getitem__, range(index + 1, len(starts))):
            if start > end:
                break
            apart = norm(subtract(solid.T_world.translation, solids[j].T_world.translation))
            if apart < solid.reach + solids[j].reach:
                pairs.append((min(j, k), max(j, k)))
    return ((solids[k], solids[j]) for k, j in sorted(pairs))


def nearest_to_zero(robot: UrdfRobot) -> Dict[str, Transform]:
    """Return by child link the motion to the position nearest to zero within the limits, unless that is zero."""
    positions: Dict[str, float] = {}
    for joint in robot.joints:
        limit = joint.limit
        if joint.type not in ("revolute", "prismatic") or limit is None:
            continue
        if limit.lower is None or limit.upper is None:
            continue
        if limit.lower <= limit.upper:
            positions[joint.name] = min(max(0.0, limit.lower), limit.upper)
    motions = {}
    for joint in robot.joints:
        position = positions.get(joint.name, 0.0)
        if joint.mimic is not None:  # its leader determines its position
            leader = positions.get(joint.mimic.joint, 0.0)
            position = joint.mimic.multiplier * leader + joint.mimic.offset
        if position != 0.0 and joint.type in MOVABLE:
            motions[joint.child] = motion_in_child(joint, position)
    return motions


def _neighbors(robot: UrdfRobot, bodies: Dict[str, str]) -> Set[Tuple[str, str]]:
    """Return the pairs of bodies that may touch: one joint apart, or two, as axes may cross in a housing."""
    above: Dict[str, Optional[str]] = {}
    moving: List[UrdfJoint] = [joint for joint in robot.tree if joint.type != "fixed"]
    for joint in moving:
        above[bodies[joint.child]] = bodies[joint.parent]
    pairs: Set[Tuple[str, str]] = set()
    for body, parent in above.items():
        for other in (parent, above.get(parent or "")):
            if other is not None:
                pairs |= {(body, other), (other, body)}
    return pairs


def inner_ball(solid: OverlapSolid, other: OverlapSolid) -> Tuple[float, Vector]:
    """Return radius and center in the world of the largest ball found inside both solids [m]; 0 or less: no ball."""
    one = solid.depth()
    two = other.depth()

    def in_both(point: Vector, floor: float) -> float:
        """Return how deep a point is in both solids."""
        depth = one(point, floor)
        return depth if depth <= floor else min(depth, two(point, floor))

    starts = [solid.start, other.start]
    for drawn, own, partner, depth in ((solid, one, other, two), (other, two, solid, one)):
        facets = [*_facets_near(drawn, partner)]
        if facets:
            starts.append(farthest(facets, _rising(depth), CLOSE, SPLITS).point)
        elif drawn.mesh and own(partner.start, 0.0) <= 0.0:
            return 0.0, partner.start  # all of the other solid is outside
    # From the deepest point, try steps in all 26 directions; halve the step if no point is deeper.
    best = (-inf, starts[0])
    step = min(*solid.half, *other.half)
    while step > LEAST_STEP * max(LEAST_DEPTH, best[0]):
        before = best
        for point in starts:
            value = in_both(point, best[0])
            if value > best[0]:
                best = (value, point)
        if best == before:
            step *= 0.5
        starts = [add(best[1], scale(step, way)) for way in WAYS]
    return best


def _rising(depth: Depth) -> Callable[[Vector], float]:
    """Return a depth function that is exact only for depths larger than all earlier depths."""
    floor = 0.0

    def rising(point: Vector) -> float:
        """Return the depth of a point, exact if it is larger than all before."""
        nonlocal floor
        value = depth(point, floor)
        floor = max(floor, value)
        return value

    return rising


def _facets_near(drawn: OverlapSolid, other: OverlapSolid) -> Iterator[Corners]:
    """Yield the triangles of a mesh in the world that reach into the box of another solid."""
    T_other_drawn = compose(inverse(other.T_world), drawn.T_world)
    for triangle in drawn.triangles:
        corners = [move(T_other_drawn, corner) for corner in triangle]
        columns = zip(other.half, *corners)
        if all(min(ends) < half and max(ends) > -half for half, *ends in columns):
            a, b, c = (move(other.T_world, corner) for corner in corners)
            yield a, b, c


def _solid(
    link: str, T_world: Transform, shape: UrdfShape, subject: LintedRobot
) -> Iterator[OverlapSolid]:
    """Yield a collision as a solid; nothing for a shape whose size is not known."""
    drawn = shape.drawn
    box = box_of(shape, subject.box_of_mesh)
    factors = shape.scale
    if drawn is None or box is None or factors is None:
        return
    low, high = box
    middle = scale(0.5, add(low, high))
    half = scale(0.5, subtract(high, low))
    path = subject.meshes.get(shape.mesh)
    mesh = (path, factors, middle) if path else None
    yield OverlapSolid(
        link=link,
        T_world=compose(T_world, Transform(IDENTITY, middle)),
        half=half,
        kind=drawn.name,
        mesh=mesh,
    )


@cached_by_file(256)
def _depth_in_mesh(path: str, factors: Sequence[float], middle: Vector) -> Depth:
    """Return the function from a point to its depth in a mesh [m], 0 everywhere if the mesh is large or not closed."""
    triangles = _closed(path, factors, middle)
    if not triangles:
        return lambda point, floor: 0.0
    tree = TriangleTree(triangles)
    columns = TriangleColumns(triangles)

    def depth(point: Vector, floor: float) -> float:
        """Return the distance of a point inside to the nearest triangle, 0 of a point outside."""
        is_inside = columns.winding(point) not in (0, None)
        return tree.nearest(point, good=max(floor, 0.5 * LEAST_DEPTH))[0] if is_inside else 0.0

    return depth


@cached_by_file(256)
def _closed(path: str, factors: Sequence[float], middle: Vector) -> Sequence[Corners]:
    """Return the triangles of a scaled mesh around a point; () if it is large, or not closed."""
    if os.path.getsize(path) > LARGEST:
        return ()
    points, triangles = welded(mesh_triangles(path))
    around = [subtract(_scaled(factors, point), middle) for point in points]
    return () if open_edges(triangles) else _corners(around, triangles)


class FilledHollow(Record):
    """A hollow of a mesh that its hull fills.

    Attributes:
        depth: the distance of a point of the hull to the mesh [m]; there may be others that are farther.
        point: this point of the hull, in the scaled mesh.
        share: the least part of the hull that is not in the mesh.
        volume: the volume of that part [m^3].
        parts: how many connected parts the mesh has, if the hull of none of them holds the point; else 1.
    """

    depth: float
    point: Vector
    share: float
    volume: float
    parts: int


def hollow_rules(subject: LintedRobot) -> Findings:
    """Yield collision meshes whose hull fills a hollow."""
    for link in subject.robot.links.values():
        for shape in link.collisions:
            path = subject.meshes.get(shape.mesh, "")
            factors = shape.scale
            hollow = find_hollow(path, factors) if path and factors else None
            if hollow:
                x, y, z = move(shape.pose, hollow.point)
                sentence = "parts" if hollow.parts > 1 else "whole"
                names = (link.name, shape.mesh.rpartition("/")[2])
                numbers = (1e3 * hollow.depth, 100.0 * hollow.share, x, y, z, hollow.parts)
                yield found(HULL_OVERHANG, shape.source.line, sentence, names, numbers)


@cached_by_file(4096)
def find_hollow(path: str, factors: Vector, *, fine: bool = False) -> Optional[FilledHollow]:
    """Return the hollow that the hull of a mesh fills; None if it is small, or the mesh is not closed; `fine` also
    reads large mesh files.
    """
    box = measured_box(path)
    longest = 0.0
    if box:
        longest = max(abs(factor) * (high - low) for factor, low, high in zip(factors, *box))
    least = max(LEAST, PART * longest)
    is_coarse = longest > 2.0 * least and (fine or os.path.getsize(path) <= LARGEST)
    scaled = [_scaled(factors, point) for point in mesh_triangles(path)[0]] if is_coarse else []
    # Every n-th point: a hull of some is inside of the hull of all, so the hollow is not overstated.
    hull = convex_hull(scaled[:: len(scaled) // POINTS + 1])
    if not hull:
        return None
    # The corners of facets are mesh points, and no place is farther from all of them than the longest side by sqrt(3).
    facets = [facet for facet in hull.facets if _longest_side(facet) > 1.7 * least]
    if not facets:
        return None
    whole = solid_of(*hull).properties.mass
    triangles = mesh_triangles(path)[1]
    share = 1.0 - abs(volume_and_center(triangles_at(scaled, triangles))[0]) / whole
    points, triangles = welded((scaled, triangles)) if share > SHARE else ((), ())
    if not triangles or open_edges(triangles):
        return None
    depth, point, _ = farthest(facets, _outside(points, triangles, least), CLOSE, SPLITS)
    if depth <= least:
        return None
    return FilledHollow(
        depth=depth,
        point=point,
        share=share,
        volume=share * whole,
        parts=_parts(points, triangles, point),
    )


def _longest_side(facet: Corners) -> float:
    """Return the length of the longest side of a triangle."""
    return max(distance(facet[k], facet[k - 2]) for k in (0, 1, 2))


def _scaled(factors: Sequence[float], point: Vector) -> Vector:
    """Return a point times three factors."""
    p, q, r = factors
    x, y, z = point
    return p * x, q * y, r * z


def _outside(
    points: Sequence[Vector], triangles: Sequence[Triangle], least: float
) -> Callable[[Vector], float]:
    """Return the function from a point to its distance from a mesh [m]; 0 if it is inside and farther than `least`."""
    drawn = _corners(points, triangles)
    tree = TriangleTree(drawn)
    columns: List[TriangleColumns] = []

    def gap(point: Vector) -> float:
        """Return the distance of a point to the mesh; 0 of a point inside that is far from it."""
        distance_to_mesh = tree.nearest(point, good=least)[0]
        if distance_to_mesh <= least:
            return distance_to_mesh
        if not columns:
            columns.append(TriangleColumns(drawn))
        return distance_to_mesh if columns[0].winding(point) == 0 else 0.0

    return gap


def _corners(points: Sequence[Vector], triangles: Sequence[Triangle]) -> List[Corners]:
    """Return the corners of triangles, without triangles that use a point twice."""
    return triangles_at(points, (each for each in triangles if len({*each}) == 3))


def _parts(points: Sequence[Vector], triangles: Sequence[Triangle], point: Vector) -> int:
    """Return the number of connected parts of a mesh if the hull of none holds a point, else 1."""
    parts = connected(len(points), triangles)
    if len(parts) == 1:
        return 1
    for part in parts:
        corners = [points[k] for k in chain.from_iterable(part)]
        # A point that is a corner of the hull of a part and itself is not in the hull of the part.
        hull = convex_hull([*corners, point])
        if hull is None or point not in hull.corners:
            return 1
    return len(parts)
