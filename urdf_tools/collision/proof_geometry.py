"""Containment, crossing, poses and axes, as the proofs of shapes and of pairs compute them from the text.

The search uses the same poses and axes of links, but reads the ranges of joints itself.

A closed convex surface contains points if its triangles close (each edge once in each direction, one piece, no hole),
no corner is above the plane of a triangle, and no point is. A closed surface whose triangles all lie in planes that
support its corners covers the boundary of their hull, so the half spaces of its triangles are the hull, and the points
are in it.

Poses of links and axes have bounds of their errors. Sines and cosines are the nearest floats on every machine
(`base/exact_trigonometry`), so that all errors can be bounded, here in units of 2**-53, errors of a rotation by the
Frobenius norm. The error of a rotation from roll, pitch and yaw is at most 18, from a quaternion 30, from an axis and
an angle 34, of which the axis has 16; a product adds 10, and moving a point 8 times the farthest coordinate. A
joint has two rotations, three products and three such points: at most 106, and ROUNDING is more. The position of a joint,
`factor * at + offset`, has an error of at most 3 times |factor * at| + |offset|, and the rotation of 1.5 times that.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import fsum, sqrt
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ..base.record_type import Record
from ..base.graph_walks import reached_from
from ..meshes.convex_hull import whole_points
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import SIZES
from ..urdf.spatial_math import (
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    matrix_from_quaternion,
    matrix_from_rpy,
    Transform,
    rotate,
    rotation_about,
    subtract,
    Vector,
    ZERO,
)
from ..verify.proof_robot import numbers_of, ProofJoint, ProofRobot

Point = Tuple[float, float, float]
Three = Sequence[Point]
Exact = Tuple[Union[float, Fraction], ...]
ROUNDINGS = 2.0**-48  # times m^3: 6 products of three differences, and 5 sums
UNITS = 2.0**-50  # relative: eight roundings
Facet = Tuple[int, int, int]
# The rounding of n.x - n.a in floats: below 100 units of 2**-53, of the products of the largest components.
SAFE = 2e-14
SMALLEST = 1e-300  # covers products that underflow
UNIT = 2.0**-53
ROUNDING = 128.0 * UNIT  # more than the 106 units of a joint
PER_ANGLE = 8.0 * UNIT  # more than 1.5 * 3 units of a joint's position


def certainly_cross(first: Three, second: Three, error: float) -> bool:
    """Return True if an edge of a triangle certainly crosses the other; `error` bounds the error of a coordinate [m]."""
    for triangle, other in ((first, second), (second, first)):
        a, b, c = triangle
        if any(_pierces(edge, other, error) for edge in ((a, b), (b, c), (c, a))):
            return True
    return False


def _pierces(edge: Sequence[Point], triangle: Three, error: float) -> bool:
    """Return True if an edge certainly crosses a triangle."""
    start, end = edge
    a, b, c = triangle
    sides = [
        _sign(subtract(b, a), subtract(c, a), subtract(start, a), error),
        _sign(subtract(b, a), subtract(c, a), subtract(end, a), error),
    ]
    if 0 in sides or sides[0] == sides[1]:
        return False
    along = subtract(end, start)
    # The line passes through a triangle if all three edges are on the same side of it.
    hands = {
        _sign(along, subtract(p, start), subtract(q, start), error)
        for p, q in ((a, b), (b, c), (c, a))
    }
    return hands in ({1}, {-1})


def _sign(u: Point, v: Point, w: Point, error: float) -> int:
    """Return the sign of the volume of three differences of corners, 0 if an error of the corners could change it."""
    volume = dot(u, cross(v, w))
    # The volume is six products of three numbers below m, each off by d: a product is off by (m + d)^3 - m^3 at most.
    m = max(map(abs, (*u, *v, *w)))
    d = 2.0 * error
    unsure = (
        6.0 * d * (3.0 * m * m + 3.0 * m * d + d * d) * (1.0 + ROUNDINGS)
        + ROUNDINGS * m * m * m
        + SMALLEST
    )
    if abs(volume) <= unsure:
        return 0
    return 1 if volume > 0.0 else -1


def is_contained(kind: str, sizes: Sequence[float], points: Iterable[Point], error: float) -> bool:
    """Return True if a primitive certainly contains all points.

    Args:
        kind: box, sphere, cylinder or capsule; z is the axis.
        sizes: as in URDF: x, y, z; the radius; else radius and length [m].
        points: in the frame of the primitive [m].
        error: a bound of the error of each of their coordinates [m].
    """
    # A capsule of length 0 is a sphere.
    if not all(size > 0.0 for size in sizes) and kind != "capsule":
        return False
    if kind == "box":
        a, b, c = (0.5 * size for size in sizes)
        return all(
            abs(x) + error <= a and abs(y) + error <= b and abs(z) + error <= c
            for x, y, z in points
        )
    radius = sizes[0]
    half_length = 0.5 * sizes[1] if kind != "sphere" else 0.0
    for x, y, z in points:
        if kind == "cylinder":
            if abs(z) + error > half_length:
                return False
            beyond_end = 0.0
        else:
            beyond_end = max(0.0, abs(z) - half_length)
        # An error of each of three coordinates is at most sqrt(3) < 1.8 times as long.
        distance = sqrt(x * x + y * y + beyond_end * beyond_end) * (1.0 + UNITS) + 1.8 * error
        if distance > radius:
            return False
    return True


def sizes_in(drawn: Element) -> List[float]:
    """Return the sizes of a primitive from its element, as `is_contained` takes them [m]."""
    counted = [numbers_of(drawn.get(key), count) for key, count in SIZES[drawn.name]]
    return [*chain.from_iterable(counted)]


def surface_fault(corners: Sequence[Point], facets: Sequence[Facet]) -> str:
    """Return the name of the defect of a surface that is not closed and convex, "" if it is both."""
    edges: Dict[Tuple[int, int], int] = {}
    for number, (a, b, c) in enumerate(facets):
        for edge in ((a, b), (b, c), (c, a)):
            if edge in edges or a == b or b == c or a == c or not 0 <= edge[0] < len(corners):
                return "edges"
            edges[edge] = number
    if len(facets) < 4 or any((b, a) not in edges for a, b in edges):
        return "open"
    used = {corner for facet in facets for corner in facet}
    if len(used) != len(corners) or len(set(corners)) != len(corners):
        return "corners"
    # Euler: V - E + F = 2 without holes. `edges` has each edge in both directions.
    if len(used) - len(edges) // 2 + len(facets) != 2 or not _is_one_piece(facets, edges):
        return "pieces"
    return "" if find_point_outside(corners, facets, corners, strict=True) is None else "convex"


def _is_one_piece(facets: Sequence[Facet], edges: Dict[Tuple[int, int], int]) -> bool:
    """Return True if each facet is reached from the first, by facets with a common edge."""

    def neighbors_of(facet: int) -> Tuple[int, int, int]:
        """Return the neighbors of a facet, each of which has a common edge in the opposite direction."""
        a, b, c = facets[facet]
        return edges[b, a], edges[c, b], edges[a, c]

    return len(reached_from([0], neighbors_of)) == len(facets)


def find_point_outside(
    corners: Sequence[Point],
    facets: Sequence[Facet],
    points: Iterable[Exact],
    *,
    strict: bool = False,
) -> "Exact | None":
    """Return a point above the plane of a facet, None if no point is above any plane.

    Every point counts as above a facet without area; with `strict` also above a facet that no point is below.
    """
    tested = list(points)
    # The functions of vectors are exact for integers, but typed for floats.
    exact_points: Any = whole_points([*corners, *tested])
    exact_corners = exact_points[: len(corners)]
    exact_tested = exact_points[len(corners) :]
    columns = [[float(point[axis]) for point in tested] for axis in range(3)]
    # No coordinate is larger than this: it bounds the rounding of all heights.
    largest_coordinate = max(map(abs, chain(*columns, chain.from_iterable(corners))), default=0.0)
    for facet in facets:
        # Floats decide most points. Only points near the plane need exact integers, which are slow.
        doubtful = _not_surely_below([corners[k] for k in facet], columns, largest_coordinate)
        a, b, c = (exact_corners[k] for k in facet)
        normal = cross(subtract(b, a), subtract(c, a))
        heights = [dot(normal, subtract(exact_tested[k], a)) for k in doubtful]
        highest, number = max(zip(heights, doubtful), default=(0, 0))
        has_no_area = not any(normal)
        # All points of a body without thickness are in the plane of a facet: none is below it.
        has_none_below = len(doubtful) == len(tested) and not any(heights)
        if highest > 0 or has_no_area or (strict and has_none_below):
            return tested[number] if tested else corners[facet[0]]
    return None


def _not_surely_below(
    facet: Three, columns: Sequence[Sequence[float]], largest_coordinate: float
) -> List[int]:
    """Return the numbers of the points that floats do not prove to be below the plane of a facet.

    Args:
        columns: the x, the y and the z of all points [m].
        largest_coordinate: a bound of their coordinates and of the corners' [m].
    """
    a, b, c = facet
    u = subtract(b, a)
    v = subtract(c, a)
    n = cross(u, v)
    nx, ny, nz = n
    level = dot(n, a)
    # The rounding of n.x - level: SAFE is for components of size 1.
    slack = SAFE * max(map(abs, u)) * max(map(abs, v)) * largest_coordinate + SMALLEST
    heights = [nx * x + ny * y + nz * z - level for x, y, z in zip(*columns)]
    return [k for k, height in enumerate(heights) if height >= -slack]


def contains_point(
    corners: Sequence[Point], facets: Iterable[Facet], point: Point, error: float
) -> bool:
    """Return True if a point is in a convex surface for all errors of its coordinates up to `error` [m]."""
    # Unrolled: this runs for each vertex and each facet.
    for i, j, k in facets:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[i], corners[j], corners[k]
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = max(map(abs, (ux, uy, uz))) * max(map(abs, (vx, vy, vz)))
        dx, dy, dz = point[0] - ax, point[1] - ay, point[2] - az
        # Errors of the coordinates move the height by up to error * (|nx| + |ny| + |nz|).
        slack = 2.0**-47 * size * max(map(abs, (dx, dy, dz))) + error * (
            abs(nx) + abs(ny) + abs(nz)
        )
        if nx * dx + ny * dy + nz * dz + slack > 0.0 and not _is_below(
            (corners[i], corners[j], corners[k]), point, error
        ):
            return False
    return True


def _is_below(facet: Sequence[Point], point: Point, error: float) -> bool:
    """Return True if a point is not above the plane of a facet for all errors up to `error`.

    The result is exact: floats do not suffice for a needle, whose corners are nearly on a line.
    """
    exact: Any = [tuple(map(Fraction, corner)) for corner in (*facet, point)]
    a, b, c, there = exact
    n = cross(subtract(b, a), subtract(c, a))
    # The point may be moved by the error along each axis.
    x, y, z = map(abs, n)
    return dot(n, subtract(there, a)) + Fraction(error) * (x + y + z) <= 0


class PathJoint(Record):
    """A joint on the way from one link outward to another.

    Attributes:
        before: its pose in the frame of the preceding joint.
        axis: in the frame of the joint.
        slides: it is prismatic.
        variable: the index of the variable that moves it; -1 if it is fixed.
        factor, offset: its position is `factor * at + offset`.
    """

    before: Transform
    axis: Vector
    slides: bool
    variable: int
    factor: float
    offset: float


# For each moving joint its axis, a point on the axis, and the joint.
Axes = List[Tuple[Vector, Vector, PathJoint]]
Placed = Tuple[Transform, Axes]  # the pose of a link, and the axes of the joints on the way to it


class JointPath(Record):
    """The joints from one link to another.

    Attributes:
        joints: from the first link outward.
        largest_coordinate: a bound of all coordinates on the way [m], for all positions within the ranges.
        error: a bound of the error of rotations; times a bound of the coordinates, it bounds the error of positions.
    """

    joints: Tuple[PathJoint, ...]
    largest_coordinate: float
    error: float


@lru_cache(maxsize=4096)  # the same joints are between many pairs of links
def exact_pose(origin: Optional[Element]) -> Transform:
    """Return the pose of xyz and rpy, or xyz and quat_xyzw, of an element."""
    if origin is None:
        return IDENTITY_POSE
    x, y, z = numbers_of(origin.get("xyz"), 3)
    quaternion = numbers_of(origin.get("quat_xyzw"), 4)
    if any(quaternion):
        return Transform(matrix_from_quaternion(quaternion), (x, y, z))
    roll, pitch, yaw = numbers_of(origin.get("rpy"), 3)
    return Transform(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def placed(way: Sequence[PathJoint], at: Sequence[float]) -> Placed:
    """Return the pose of the link at the end of a way in the frame of the first link, and the axes of its joints."""
    T = IDENTITY_POSE
    axes: Axes = []
    for joint in way:
        T = compose(T, joint.before)
        if joint.variable < 0:
            continue
        axes.append((rotate(T.rotation, joint.axis), T.translation, joint))
        position = joint.factor * at[joint.variable] + joint.offset
        if joint.slides:
            x, y, z = joint.axis
            motion = Transform(IDENTITY, (position * x, position * y, position * z))
        else:
            motion = Transform(rotation_about(joint.axis, position), (0.0, 0.0, 0.0))
        T = compose(T, motion)
    return T, axes


def path_between(
    robot: ProofRobot, start: str, end: str, variables: Mapping[str, float]
) -> Optional[JointPath]:
    """Return the joints from one link to another, None if a joint outside the variables moves one of them.

    `variables` maps the child links of the variables, in the order of their indices, to the largest positions.
    """
    inward = joints_to_root(robot, start)
    outward = joints_to_root(robot, end)
    # Joints that are ancestors of both links do not move them relative to each other.
    while inward and outward and inward[-1] is outward[-1]:
        inward.pop()
        outward.pop()
    joints: List[PathJoint] = []
    numbers = list(variables)
    largest_coordinate = 0.0
    error = 2.0 * ROUNDING
    pose_before = IDENTITY_POSE
    # A joint passed from child to parent moves with the opposite sign.
    signed = [
        *((joint, -1.0) for joint in inward),
        *((joint, 1.0) for joint in reversed(outward)),
    ]
    for joint, sign in signed:
        origin = exact_pose(joint.element.find("origin"))
        largest_position = 0.0
        # Outward the origin comes first and then the motion; inward the other way round, both inverted.
        if sign > 0.0:
            pose_before = compose(pose_before, origin)
        if joint.type != "fixed":
            child, factor, offset = driving_joint(robot, joint)
            if child not in variables:
                return None
            slides = joint.type == "prismatic"
            number = numbers.index(child)
            joints.append(
                PathJoint(
                    before=pose_before,
                    axis=joint.axis,
                    slides=slides,
                    variable=number,
                    factor=sign * factor,
                    offset=sign * offset,
                )
            )
            pose_before = IDENTITY_POSE
            largest_position = abs(factor) * variables[child] + abs(offset)
            if slides:
                largest_coordinate += largest_position
        if sign < 0.0:
            pose_before = compose(pose_before, inverse(origin))
        largest_coordinate += fsum(map(abs, origin.translation))
        # The docstring of the module derives both constants, for the rotations of a joint and for its position.
        error += 2.0 * ROUNDING + PER_ANGLE * largest_position
    # The way ends with the pose of the last link, which no variable moves.
    joints.append(
        PathJoint(before=pose_before, axis=ZERO, slides=False, variable=-1, factor=0.0, offset=0.0)
    )
    # Twice: the products of poses round coordinates up a little.
    return JointPath(tuple(joints), 2.0 * largest_coordinate, error)


def joints_to_root(robot: ProofRobot, link: str) -> List[ProofJoint]:
    """Return the joints from a link to the root."""
    way: List[ProofJoint] = []
    while link in robot.joints:
        way.append(robot.joints[link])
        link = way[-1].parent
    return way


class DrivingJoint(Record):
    """The joint that moves a joint, itself or the leader at the end of a chain of followers.

    The position of the joint is factor * position of the driving joint + offset [rad or m].

    Attributes:
        child: the child link of the driving joint; "" if nothing moves the joint.
    """

    child: str
    factor: float
    offset: float


def driving_joint(robot: ProofRobot, joint: ProofJoint) -> DrivingJoint:
    """Return the joint that moves a joint."""
    # Exact, as a chain of followers multiplies the errors.
    factor = Fraction(1)
    offset = Fraction(0)
    # A circle of followers ends after as many steps as there are joints.
    for _ in range(len(robot.joints) + 1):
        if joint.mimic is None:
            child = joint.child if joint.type != "fixed" else ""
            return DrivingJoint(child, float(factor), float(offset))
        name, multiplier, addend = joint.mimic
        offset += factor * Fraction(addend)
        factor *= Fraction(multiplier)
        if name not in robot.named:
            break
        joint = robot.named[name]
    return DrivingJoint("", float(factor), float(offset))
