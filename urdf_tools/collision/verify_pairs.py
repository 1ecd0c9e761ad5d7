"""The check of proofs and witnesses of pairs, from the text of a robot and its files, without the search.

A proof is a list of splits and directions. It begins with a cell of the whole ranges of the joints between two pieces,
which are read here again. A number splits the range of that joint in halves, the lower half first. A direction must
separate the pieces in the whole cell. The proof fails if a cell remains at the end, or is missing.

`motion_bound` bounds the motion of a body along a direction in a cell, as in the search; everything else is computed from
the text. All numbers are bounds: `proof_geometry` bounds the errors of positions and axes, and each sum is rounded to the
safe side.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from ..base.type_aliases import Span
from ..base.exact_trigonometry import cosine_sine
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial_math import IDENTITY_POSE, move, Transform, rotate, subtract, transpose, Vector
from ..verify.proof_robot import (
    number_of,
    numbers_of,
    ProofJoint,
    ProofRobot,
    read_raw,
    shapes_in,
    TURNING,
)
from .motion_bound import lower_bound_along, WORSE
from .proof_geometry import (
    certainly_cross,
    exact_pose,
    contains_point,
    is_contained,
    driving_joint,
    placed,
    ROUNDING,
    sizes_in,
    surface_fault,
    JointPath,
    path_between,
)

TURN = 3.141592653589793 + 2.0**-50  # not below half a turn
SLACK = 1e-9  # [rad] a whole turn is enlarged by it, so that it is complete after rounding
POLYGON = 32

Point = Tuple[float, float, float]
Facets = Sequence[Tuple[int, int, int]]
Token = Union[int, Vector]
ShownTriangle = Union[int, Sequence[Point]]


class ConvexBody(Record):
    """A convex body: all points within `radius` of the hull of corners, in the frame of its link [m].

    Attributes:
        corners, radius: the body is the hull of balls of this radius around the corners.
        largest_coordinate: a bound of all coordinates of the body, and of the sums of their products with rotations [m].
        error: a bound of the error of each corner [m].
        drawn, pose: the element of its geometry, and its pose in the frame of the link.
        facets, points, scale: the mesh as in the written file, and the factors that the URDF applies to its points.
    """

    corners: Sequence[Point]
    radius: float
    largest_coordinate: float
    error: float
    drawn: Element
    pose: Transform
    facets: Facets = ()
    points: Sequence[Point] = ()
    scale: Vector = (1.0, 1.0, 1.0)


ReadMesh = Callable[[str], Tuple[Sequence[Point], Facets]]


class PairVerifier:
    """The check of proofs and witnesses for a robot, given as text; `read` returns corners and facets of a mesh by name."""

    def __init__(self, document: Document, read: ReadMesh) -> None:
        """Read the robot and the ranges of its joints from the text."""
        self.robot: ProofRobot = read_raw(document, IDENTITY_POSE)
        self.read = read
        # The ranges are read again, so that the proof does not depend on the ranges of the search.
        in_part = _leaders_without_period(self.robot)
        self.ranges = {
            child: _range(joint, self.robot, in_part) for child, joint in self.robot.joints.items()
        }
        self._bodies: Dict[Tuple[str, int], Optional[ConvexBody]] = {}
        self.planes = 0

    def body(self, link: str, number: int) -> Optional[ConvexBody]:
        """Return a collision of a link, None if its shape is not known."""
        if (link, number) not in self._bodies:
            self._bodies[link, number] = _body(self._collisions(link)[number], self.read)
        return self._bodies[link, number]

    def pieces(self, link: str) -> int:
        """Return the number of collisions of a link."""
        return len(self._collisions(link))

    def _collisions(self, link: str) -> List[Element]:
        """Return the collisions of a link."""
        return [shape for shape in shapes_in(self.robot.links[link]) if shape.name == "collision"]

    def is_apart(
        self,
        first: Tuple[str, int],
        second: Tuple[str, int],
        middle: str,
        variables: Sequence[str],
        tokens: Sequence[Token],
    ) -> bool:
        """Return True if a proof holds: two collisions are apart at all positions within the limits.

        Args:
            first, second: the link and the index of each collision.
            middle: the link on the way between them; the directions are in its frame.
            variables: the child links of the joints that move, in the order of the indices in tokens.
            tokens: the proof.
        """
        body = self.body(*first)
        other = self.body(*second)
        known_spans = map(self.ranges.get, variables)
        ranges = [span for span in known_spans if span is not None]
        if (
            body is None
            or other is None
            or len(ranges) != len(variables)
            or len(set(variables)) != len(variables)
        ):
            return False
        largest_positions = {child: max(map(abs, span)) for child, span in zip(variables, ranges)}
        paths = [
            path_between(self.robot, middle, link, largest_positions) for link, _ in (first, second)
        ]
        if paths[0] is None or paths[1] is None:
            return False
        sides = [ChainSide(paths[0], body), ChainSide(paths[1], other)]
        # The same stack as in the search: each token is for the cell on top of it.
        waiting: List[List[Span]] = [ranges]
        for token in tokens:
            if not waiting:
                return False
            cell = waiting.pop()
            if isinstance(token, int):
                if not 0 <= token < len(cell):
                    return False
                low, high = cell[token]
                middle_of_span = 0.5 * (low + high)
                for half in ((middle_of_span, high), (low, middle_of_span)):
                    part = list(cell)
                    part[token] = half
                    waiting.append(part)
            elif not self._parts(sides, cell, token):
                return False
        return not waiting

    def _parts(self, sides: "Sequence[ChainSide]", cell: Sequence[Span], n: Vector) -> bool:
        """Return True if a direction separates the two bodies in the whole cell."""
        self.planes += 1
        # A longer direction would enlarge the distance; `not ... <=` also refuses NaN.
        if not math.fsum(value * value for value in n) <= WORSE:
            return False
        at = [0.5 * (low + high) for low, high in cell]
        halves = [max(high - middle, middle - low) * WORSE for (low, high), middle in zip(cell, at)]
        x, y, z = n
        return sides[0].least(n, at, halves) + sides[1].least((-x, -y, -z), at, halves) > 0.0

    def touches(
        self,
        first: Tuple[str, int],
        second: Tuple[str, int],
        middle: str,
        positions: Dict[str, float],
        *,
        point: Vector,
        triangles: Optional[Sequence[ShownTriangle]] = None,
    ) -> bool:
        """Return True if two written shapes certainly touch at positions.

        The positions are by the child links of the joints, and must be within the limits. The witness is a point inside
        both shapes, in the frame of the link in the middle, or two triangles that cross. A triangle is given by its index
        in a mesh, or by corners inside a primitive.
        """
        for child, at in positions.items():
            limits = self.ranges.get(child)
            if limits is None or not limits[0] <= at <= limits[1]:
                return False
        # The error of the poses grows with the positions.
        largest_positions = {child: abs(at) for child, at in positions.items()}
        # The point is moved into the frames of the links: its coordinates add to the error.
        bound_of_point = 0.0 if triangles else math.fsum(map(abs, point))
        sides: List[Tuple[ConvexBody, Transform, float]] = []
        for link, number in (first, second):
            body = self.body(link, number)
            path = path_between(self.robot, middle, link, largest_positions)
            if body is None or path is None:
                return False
            T_middle_link, _ = placed(path.joints, list(positions.values()))
            error = (
                path.error * (path.largest_coordinate + body.largest_coordinate + bound_of_point)
                + body.error
            )
            sides.append((body, T_middle_link, error))
        if not triangles:
            return all(_is_in(body, _seen_from(T, point), error) for body, T, error in sides)
        corners = [
            [move(T, corner) for corner in _triangle(body, shown)]
            for (body, T, _), shown in zip(sides, triangles)
        ]
        largest_error = max(error for _, _, error in sides)
        return len(corners[0]) == len(corners[1]) == 3 and certainly_cross(
            corners[0], corners[1], largest_error
        )


def _triangle(body: ConvexBody, shown: ShownTriangle) -> Sequence[Point]:
    """Return the corners of a triangle of a written mesh, or of a triangle inside a primitive; () if it is neither."""
    if isinstance(shown, int):
        known = body.drawn.name == "mesh" and 0 <= shown < len(body.facets)
        return [body.corners[k] for k in body.facets[shown]] if known else ()
    # Twice: the pose of the shape is rounded, and so is each corner when it is moved into the frame of the shape. Each of
    # these moves a point that is in the shape by at most `body.error`.
    error = 2.0 * body.error
    inside = body.drawn.name != "mesh" and all(_is_in(body, corner, error) for corner in shown)
    return shown if inside else ()


class ChainSide:
    """A body, and the joints from the link in the middle of the chain to it."""

    def __init__(self, way: JointPath, body: ConvexBody) -> None:
        """Sum the rounding errors of the chain and the body."""
        self.way = way
        self.body = body
        self.error = way.error * (way.largest_coordinate + body.largest_coordinate) + body.error

    def least(self, n: Vector, at: Sequence[float], halves: Sequence[float]) -> float:
        """Return a lower bound of n.x for all points of the body, in the whole cell [m]."""
        return lower_bound_along(
            n,
            placed(self.way.joints, at),
            self.body.corners,
            self.body.radius,
            halves,
            error=self.error,
            turn_error=self.way.error,
        ).value


def _leaders_without_period(robot: ProofRobot) -> Set[str]:
    """Return the child links of leaders with a follower that does not turn by whole multiples of their position.

    After a full turn of this leader the follower has another pose, so that one turn does not cover all poses.
    """
    movers = [
        (joint, *driving_joint(robot, joint))
        for joint in robot.joints.values()
        if joint.mimic is not None
    ]
    return {
        child
        for joint, child, factor, _ in movers
        if joint.type not in TURNING or factor % 1.0 != 0.0
    }


def _range(joint: ProofJoint, robot: ProofRobot, in_part: Set[str]) -> Optional[Span]:
    """Return the range of a joint, None if it mimics another joint or does not have a range.

    A joint without limits has the range of a turn. This includes all poses of its followers only if they make whole turns
    with it; else it does not have a range.
    """
    if joint.mimic is not None or not joint.moves:
        return None
    limits = _limits(joint)
    if joint.type == "prismatic":
        return limits
    if joint.type == "continuous" or limits is None:
        return None if joint.child in in_part else (-TURN, TURN)
    low, high = limits
    is_led = any(
        other.mimic is not None and other.mimic[0] == joint.name for other in robot.joints.values()
    )
    # A turn later a follower may have a different pose; far from zero, rounding could exceed SLACK.
    if is_led or high - low < 2.0 * TURN + SLACK or max(abs(low), abs(high)) > 1e5:
        return low, high
    # All poses are in one turn: the turn within the limits that is nearest to zero.
    first = max(low, min(-TURN - 0.5 * SLACK, high - 2.0 * TURN - SLACK))
    return first, min(high, first + 2.0 * TURN + SLACK)


def _limits(joint: ProofJoint) -> Optional[Span]:
    """Return the limits of a joint, None unless both exist, are finite and in order."""
    limit = joint.element.find("limit")
    if limit is None or limit.get("lower") is None or limit.get("upper") is None:
        return None
    low = number_of(limit.get("lower"))
    high = number_of(limit.get("upper"))
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _prism_around(cylinder: Element) -> List[Point]:
    """Return the corners of a prism that contains a cylinder and touches it in the middles of its sides."""
    half = 0.5 * number_of(cylinder.get("length"))
    far = number_of(cylinder.get("radius")) / cosine_sine(TURN / POLYGON)[0] * WORSE
    around = [cosine_sine(2.0 * TURN * k / POLYGON) for k in range(POLYGON)]
    return [(far * c, far * s, z) for (c, s), z in product(around, (half, -half))]


def _body(shape: Element, read: ReadMesh) -> Optional[ConvexBody]:
    """Return the body of a collision: for a mesh the hull of its corners, for a cylinder a prism around it."""
    geometry = shape.find("geometry")
    drawn = next(iter(geometry.elements()), None) if geometry is not None else None
    if drawn is None:
        return None
    pose = exact_pose(shape.find("origin"))
    if drawn.name != "mesh":
        return _placed_body(drawn, pose, _corners_of_primitive(drawn))
    points, facets = read((drawn.get("filename") or "").strip())
    scale: Vector = (1.0, 1.0, 1.0)
    if drawn.get("scale"):
        a, b, c = numbers_of(drawn.get("scale"), 3)
        scale = (a, b, c)
    p, q, r = scale
    body = _placed_body(drawn, pose, [(p * x, q * y, r * z) for x, y, z in points])
    if body is None:
        return None
    return body._replace(facets=facets, points=points, scale=scale)


def _corners_of_primitive(drawn: Element) -> List[Point]:
    """Return corners whose hull, enlarged by the radius of a sphere or capsule, contains a primitive; else []."""
    if drawn.name == "box":
        x, y, z = (0.5 * size for size in numbers_of(drawn.get("size"), 3))
        return [(i * x, j * y, k * z) for i, j, k in product((-1, 1), repeat=3)]
    if drawn.name == "cylinder":
        return _prism_around(drawn)
    if drawn.name == "capsule":
        half = 0.5 * number_of(drawn.get("length"))
        return [(0.0, 0.0, half), (0.0, 0.0, -half)]
    if drawn.name == "sphere":
        return [(0.0, 0.0, 0.0)]
    return []


def _placed_body(drawn: Element, pose: Transform, local: Sequence[Point]) -> Optional[ConvexBody]:
    """Return the body of corners given in its own frame, placed in its link; None without corners."""
    if not local:
        return None
    radius = number_of(drawn.get("radius")) if drawn.name in ("sphere", "capsule") else 0.0
    corners = [move(pose, point) for point in local]
    farthest = max(math.fsum(map(abs, corner)) for corner in corners)
    largest_coordinate = farthest + math.fsum(map(abs, pose.translation))
    return ConvexBody(
        corners=corners,
        radius=radius,
        # Twice: no sum of products of these coordinates is larger.
        largest_coordinate=2.0 * (largest_coordinate + radius),
        error=ROUNDING * largest_coordinate,
        drawn=drawn,
        pose=pose,
    )


def _seen_from(T: Transform, point: Vector) -> Vector:
    """Return a point in the frame whose pose is T."""
    return rotate(transpose(T.rotation), subtract(point, T.translation))


def _is_in(body: ConvexBody, point: Vector, error: float) -> bool:
    """Return True if a point in the frame of the link is certainly in a written shape."""
    if body.drawn.name == "mesh":
        return _is_in_mesh(body, _seen_from(body.pose, point), error)
    sizes = sizes_in(body.drawn)
    return is_contained(body.drawn.name, sizes, [_seen_from(body.pose, point)], error)


def _is_in_mesh(body: ConvexBody, point: Vector, error: float) -> bool:
    """Return True if a point in the frame of a mesh is certainly in the mesh, and the mesh is convex.

    Both are tested in the coordinates of the file, because rounding after scaling would bend facets that are in one plane.
    """
    # The corners of a facet may be listed as seen from outside or from inside.
    windings = (body.facets, [(a, c, b) for a, b, c in body.facets])
    sound = (facets for facets in windings if not surface_fault(body.points, facets))
    facets = next(sound, None)
    if facets is None or not all(body.scale):
        return False
    x, y, z = (value / factor for value, factor in zip(point, body.scale))
    error_in_file = (error + body.error) * WORSE / min(map(abs, body.scale))
    return contains_point(body.points, facets, (x, y, z), error_in_file)
