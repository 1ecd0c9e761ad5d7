"""Rules for collisions: links that overlap at zero, and meshes whose hulls, which most simulators take, reach far out.

A ball that is inside both shapes proves that they overlap: two convex shapes that both hold a ball of radius r must be
moved apart by 2 r at least, in whatever direction. The largest such ball is sought by shrinking both, and projecting a
point on each of them in turn until it is in both (von Neumann). A ball that is found is verified, so each finding is
proven; other overlaps may exist.

Depth and share of a hollow are lower bounds: the hull is that of some points of the mesh, and the point is outside of
the closed mesh, by its winding number, and so far from all triangles.
"""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import numbers_in
from ..base.record import Record
from ..meshes.hull import convex_hull, Triangle
from ..meshes.triangle_tree import farthest, TriangleTree
from ..meshes.volume import Columns, connected, open_edges, solid_of, volume_and_center
from ..robot.motion import motion_in_child
from ..urdf.lossless_xml import Element
from ..urdf.model import Joint, poses_at, Robot
from ..urdf.spatial import (
    add,
    compose,
    distance,
    IDENTITY_POSE,
    inverse,
    move,
    norm,
    Pose,
    scale,
    subtract,
    Vector,
)
from .kinds import HULL_OVERHANG, OVERLAP
from .records import Finding, Subject
from .supports import find_bodies, measured_box, mesh_triangles, welded

LEAST_DEPTH = 0.002  # [m] less is contact, or rounding of primitives
STEPS, HALVINGS = 40, 8
MOST_PAIRS = 20000  # that are examined; a robot of 60 links has some hundreds
INSIDE = 1e-9  # [m]


class Solid(Record):
    """A convex primitive: a core, a box or a line or disc, and the radius around it.

    Attributes:
        link: the name of its link.
        T_world: its pose in the world, with all joints at zero.
        half: half extents of a box; for the others the third is half the length [m].
        radius: of a sphere, cylinder or capsule; 0 for a box [m].
        flat: True for a cylinder, whose ends are flat.
        reach: the radius of a ball around it [m].
    """

    link: str
    T_world: Pose
    half: Vector
    radius: float
    flat: bool
    reach: float

    @property
    def thickness(self) -> float:
        """The radius of the largest ball inside [m]."""
        if self.radius == 0.0:
            return min(self.half)
        return min(self.radius, self.half[2]) if self.flat else self.radius


def overlap_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the pairs of links that are not neighbors and whose collision primitives overlap, with joints at zero."""
    robot = subject.robot
    T_world = poses_at(robot, nearest_to_zero(robot), IDENTITY_POSE)
    solids = [
        solid
        for name, link in robot.links.items()
        for shape in link.collisions
        for solid in _solid(name, compose(T_world[name], shape.pose), shape.drawn)
    ]
    bodies = {name: body.name for name, body in find_bodies(robot).items()}
    near = _neighbors(robot, bodies)
    deepest: Dict[Tuple[str, str], float] = {}
    for solid, other in _close(solids):
        pair = (bodies[solid.link], bodies[other.link])
        if pair[0] != pair[1] and pair not in near:
            depth = 2.0 * inner_radius(solid, other)
            key = (solid.link, other.link)
            if depth > max(LEAST_DEPTH, deepest.get(key, 0.0)):
                deepest[key] = depth
    for (first, second), depth in deepest.items():
        yield Finding(
            Diagnostic(
                OVERLAP, robot.links[second].source.line, "pair", (first, second), (1000.0 * depth,)
            )
        )


def _close(solids: Sequence[Solid]) -> Iterator[Tuple[Solid, Solid]]:
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
        for start, j in map(starts.__getitem__, range(index + 1, len(starts))):
            if start > end:
                break
            apart = norm(subtract(solid.T_world.translation, solids[j].T_world.translation))
            if apart < solid.reach + solids[j].reach:
                pairs.append((min(j, k), max(j, k)))
    return ((solids[k], solids[j]) for k, j in sorted(pairs))


def nearest_to_zero(robot: Robot) -> Dict[str, Pose]:
    """Return by child link the motion to the position nearest to zero within the limits, where that is not zero."""
    motions = {}
    for joint in robot.joints:
        limit = joint.limit
        if (
            joint.type in ("revolute", "prismatic")
            and limit is not None
            and limit.lower is not None
            and (limit.upper is not None and limit.lower <= limit.upper)
        ):
            position = min(max(0.0, limit.lower), limit.upper)
            if position != 0.0 and joint.mimic is None:
                motions[joint.child] = motion_in_child(joint, position)
    return motions


def _neighbors(robot: Robot, bodies: Dict[str, str]) -> Set[Tuple[str, str]]:
    """Return the pairs of bodies that may touch: one joint apart, or two, as axes may cross in one housing."""
    above: Dict[str, Optional[str]] = {}
    moving: List[Joint] = [joint for joint in robot.tree if joint.type != "fixed"]
    for joint in moving:
        above[bodies[joint.child]] = bodies[joint.parent]
    pairs: Set[Tuple[str, str]] = set()
    for body, parent in above.items():
        for other in (parent, above.get(parent or "")):
            if other is not None:
                pairs |= {(body, other), (other, body)}
    return pairs


def inner_radius(solid: Solid, other: Solid) -> float:
    """Return the radius of the largest ball that is found inside both [m], 0 for none."""
    T_solid_other = compose(inverse(solid.T_world), other.T_world)
    low, high = 0.0, min(solid.thickness, other.thickness)
    if not _meet(solid, other, T_solid_other, 0.5 * LEAST_DEPTH):
        return 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _meet(solid, other, T_solid_other, middle) else (low, middle)
    return max(low, 0.5 * LEAST_DEPTH)


def _meet(solid: Solid, other: Solid, T_solid_other: Pose, shrink: float) -> bool:
    """Return True if a point is found that is in both solids, each smaller by `shrink` [m] on all sides."""
    if shrink > min(solid.thickness, other.thickness):
        return False
    T_other_solid = inverse(T_solid_other)
    point = T_solid_other.translation
    for _ in range(STEPS):
        point = _nearest(solid, point, shrink)
        across = move(T_solid_other, _nearest(other, move(T_other_solid, point), shrink))
        if norm(subtract(point, across)) < INSIDE:
            return True
        point = across
    return False


def _nearest(solid: Solid, point: Vector, shrink: float) -> Vector:
    """Return the point of a shrunk solid that is nearest to a point, in the frame of the solid [m]."""
    x, y, z = point
    a, b, c = solid.half
    if solid.radius == 0.0:
        a, b, c = a - shrink, b - shrink, c - shrink
        return (min(max(x, -a), a), min(max(y, -b), b), min(max(z, -c), c))
    radius = solid.radius - shrink
    if solid.flat:
        c -= shrink
        far = norm((x, y, 0.0))
        part = radius / far if far > radius else 1.0
        return (part * x, part * y, min(max(z, -c), c))
    core = (0.0, 0.0, min(max(z, -c), c))
    away = subtract(point, core)
    far = norm(away)
    return add(core, scale(radius / far, away)) if far > radius else point


def _solid(link: str, T_world: Pose, drawn: Optional[Element]) -> Iterator[Solid]:
    if drawn is None:
        return
    values = {
        key: numbers_in(drawn.get(key) or "", 3 if key == "size" else 1)
        for key in ("size", "radius", "length")
    }
    if drawn.name == "box" and values["size"]:
        x, y, z = (0.5 * abs(side) for side in values["size"])
        yield Solid(link, T_world, (x, y, z), 0.0, False, norm((x, y, z)))
    elif drawn.name == "sphere" and values["radius"]:
        yield Solid(link, T_world, (0.0, 0.0, 0.0), values["radius"][0], False, values["radius"][0])
    elif drawn.name in ("cylinder", "capsule") and values["radius"] and values["length"]:
        radius, half = values["radius"][0], 0.5 * values["length"][0]
        flat = drawn.name == "cylinder"
        yield Solid(
            link,
            T_world,
            (0.0, 0.0, half),
            radius,
            flat,
            math.sqrt(radius * radius + half * half) if flat else radius + half,
        )


# [m]; of the longest side of the mesh: a hull that reaches out less is not worth a note.
LEAST, PART = (0.02, 0.1)
SHARE = 0.2  # of the hull that is not in the mesh
LARGEST = 256 * 1024  # bytes: finer meshes take too long, and are seldom made for collisions
POINTS, SPLITS = 150, 40  # of the hull; how often facets are halved
CLOSE = 1e-3  # [m]


class Hollow(Record):
    """A hollow of a mesh that its hull fills.

    Attributes:
        depth: the distance of a point of the hull to the mesh [m]; there may be others that are farther.
        point: it, in the scaled mesh.
        share: of the hull that is not in the mesh, at least.
        volume: of that share [m^3].
        parts: how many connected parts the mesh has, if the hull of none of them holds the point; else 1.
    """

    depth: float
    point: Vector
    share: float
    volume: float
    parts: int


def hollow_rules(subject: Subject) -> Iterator[Finding]:
    """Yield collision meshes whose hull fills a hollow."""
    for link in subject.robot.links.values():
        for shape in link.collisions:
            path, drawn = subject.meshes.get(shape.mesh, ""), shape.drawn
            factors = numbers_in(drawn.get("scale") or "1 1 1", 3) if drawn is not None else None
            hollow = find_hollow(path, factors) if path and factors else None
            if hollow:
                x, y, z = move(shape.pose, hollow.point)
                yield Finding(
                    Diagnostic(
                        HULL_OVERHANG,
                        shape.source.line,
                        "parts" if hollow.parts > 1 else "whole",
                        (link.name, shape.mesh.rpartition("/")[2]),
                        (1e3 * hollow.depth, 100.0 * hollow.share, x, y, z, hollow.parts),
                    )
                )


@lru_cache(maxsize=4096)
def find_hollow(path: str, factors: Vector, *, fine: bool = False) -> Optional[Hollow]:
    """Return the hollow that the hull of a mesh fills; None where it is small, or the mesh is not closed; with `fine`
    also of a mesh whose file is large."""
    box = measured_box(path)
    longest = (
        max(abs(factor) * (high - low) for factor, low, high in zip(factors, *box)) if box else 0.0
    )
    least, (p, q, r) = max(LEAST, PART * longest), factors
    is_coarse = longest > 2.0 * least and (fine or os.path.getsize(path) <= LARGEST)
    scaled = [(p * x, q * y, r * z) for x, y, z in mesh_triangles(path)[0]] if is_coarse else []
    hull = convex_hull(scaled[:: len(scaled) // POINTS + 1])
    facets = (
        [(hull.corners[a], hull.corners[b], hull.corners[c]) for a, b, c in hull.triangles]
        if hull
        else []
    )
    # Corners of facets are of the mesh, and no place is farther from all of them than the longest side by sqrt(3).
    facets = [
        facet
        for facet in facets
        if max(distance(facet[k], facet[k - 2]) for k in (0, 1, 2)) > 1.7 * least
    ]
    if not hull or not facets:
        return None
    whole, triangles = solid_of(*hull).properties.mass, mesh_triangles(path)[1]
    share = (
        1.0
        - abs(volume_and_center((scaled[a], scaled[b], scaled[c]) for a, b, c in triangles)[0])
        / whole
    )
    points, triangles = welded((scaled, triangles)) if share > SHARE else ((), ())
    if not triangles or open_edges(triangles):
        return None
    depth, point, _ = farthest(facets, _outside(points, triangles, least), CLOSE, SPLITS)
    if depth <= least:
        return None
    return Hollow(depth, point, share, share * whole, _parts(points, triangles, point))


def _outside(
    points: Sequence[Vector], triangles: Sequence[Triangle], least: float
) -> Callable[[Vector], float]:
    """Return the function of how far a point is from a mesh, if it is outside and farther than `least` [m]."""
    drawn = [(points[a], points[b], points[c]) for a, b, c in triangles if len({a, b, c}) == 3]
    tree = TriangleTree(drawn)
    columns: List[Columns] = []

    def gap(point: Vector) -> float:
        distance_to_mesh = tree.nearest(point, good=least)[0]
        if distance_to_mesh > least and not columns:
            columns.append(Columns(drawn))
        return (
            distance_to_mesh if distance_to_mesh <= least or columns[0].winding(point) == 0 else 0.0
        )

    return gap


def _parts(points: Sequence[Vector], triangles: Sequence[Triangle], point: Vector) -> int:
    """Return the number of connected parts of a mesh if the hull of none holds a point, else 1."""
    parts = connected(len(points), triangles)
    # A point that is a corner of the hull of a part and itself is not in the hull of the part.
    hulls = [
        convex_hull([*(points[k] for triangle in part for k in triangle), point])
        for part in parts[1:] and parts
    ]
    return len(parts) if all(hull is not None and point in hull.corners for hull in hulls) else 1
