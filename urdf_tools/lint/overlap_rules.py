"""Rule for links that overlap at zero: a ball that is inside both shapes proves it.

Two convex shapes that both hold a ball of radius r must be moved apart by 2 r at least, in whatever direction. The
largest such ball is sought by shrinking both, and projecting a point on each of them in turn until it is in both
(von Neumann). A ball that is found is verified, so each finding is proven; other overlaps may exist.
"""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import numbers_in
from ..urdf.model import Joint, motion_of, poses_at, Robot
from ..urdf.lossless_xml import Element
from ..urdf.spatial import add, compose, IDENTITY_POSE, inverse, move, norm, Pose, scale, subtract, Vector
from .kinds import OVERLAP
from .records import Finding, Subject
from .supports import find_bodies

LEAST_DEPTH = 0.002  # [m] less is contact, or rounding of primitives
STEPS, HALVINGS = 40, 8
MOST_PAIRS = 20000  # that are examined; a robot of 60 links has some hundreds
INSIDE = 1e-9  # [m]


class Solid(NamedTuple):
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
    solids = [solid for name, link in robot.links.items() for shape in link.collisions
              for solid in _solid(name, compose(T_world[name], shape.pose), shape.drawn)]
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
        yield Finding(Diagnostic(OVERLAP, robot.links[second].source.line, "pair", (first, second), (1000.0 * depth,)))


def _close(solids: Sequence[Solid]) -> Iterator[Tuple[Solid, Solid]]:
    """Yield the pairs of solids whose enclosing balls overlap, in the order of the file: a sweep along X."""
    starts = sorted((solid.T_world.translation[0] - solid.reach, k) for k, solid in enumerate(solids))
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
        if joint.type in ("revolute", "prismatic") and limit is not None and limit.lower is not None and (
                limit.upper is not None and limit.lower <= limit.upper):
            position = min(max(0.0, limit.lower), limit.upper)
            if position != 0.0 and joint.mimic is None:
                motions[joint.child] = motion_of(joint, position)
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
    values = {key: numbers_in(drawn.get(key) or "", 3 if key == "size" else 1) for key in (
        "size", "radius", "length")}
    if drawn.name == "box" and values["size"]:
        x, y, z = (0.5 * abs(side) for side in values["size"])
        yield Solid(link, T_world, (x, y, z), 0.0, False, norm((x, y, z)))
    elif drawn.name == "sphere" and values["radius"]:
        yield Solid(link, T_world, (0.0, 0.0, 0.0), values["radius"][0], False, values["radius"][0])
    elif drawn.name in ("cylinder", "capsule") and values["radius"] and values["length"]:
        radius, half = values["radius"][0], 0.5 * values["length"][0]
        flat = drawn.name == "cylinder"
        yield Solid(link, T_world, (0.0, 0.0, half), radius, flat, math.sqrt(radius * radius + half * half) if flat
                    else radius + half)
