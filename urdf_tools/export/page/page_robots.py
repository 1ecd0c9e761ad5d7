"""Both robots as plain data for the page's script: their motion, and their drawn shapes.

Reals that move a robot are exact. Reals that are only drawn have seven digits: the page draws with float32.

A body is a set of links without a moving joint between them. Its frame is the frame of the root, moved to the anchor of the
joint that carries it; a joint moves its child away from where its file draws it. A is the robot with the sliders
(`new`), B follows it (`old`), in A's root frame.
"""

from __future__ import annotations

import math
from itertools import chain
from math import fsum, sqrt
from typing import (
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ...base.type_aliases import Json, Span
from ...base.number_text import numbers_in
from ...compare.robot_map import MotionDifferenceBound, RobotMap
from ...robot.principal_axes import vector_of
from ...robot.rigid_bodies import Body
from ...robot.canonical_robot import CanonicalRobot
from ...robot.joint_motion import leaders_first
from ...robot.principal_axes import principal
from ...robot.raw_robot import RawJoint, RawLink, RawShape
from ...run.run_records import CompanionResult
from ...urdf.spatial_math import (
    compose,
    IDENTITY,
    inverse,
    MassProperties,
    Transform,
    subtract,
    Vector,
    ZERO,
)
from .packed_meshes import MeshStore, Rgba

DRAWN_DIGITS = 7
# The range of a slider without a limit.
UNLIMITED_TURN = math.pi  # [rad]
UNLIMITED_SHIFT = 1.0  # [m]
LEAST_MASS = 1e-6  # [kg] lighter links are frames
THINNEST = 1e-4  # [m] so that an ellipsoid without extent can be seen
ROUNDING = (
    1e-9  # [m] the error that computing a pose may add to the bound, for each meter of the robot
)
NO_ROBOT: Json = {"root": 0, "links": [], "joints": []}
# The number of a mesh or the name of a body of size 1, its pose, its size on each axis, and the color of its surface.
Piece = Tuple[Union[int, str], Transform, Vector, Optional[Rgba]]
# The handling of a shape of B (stripped, copy, or merged), by its link and its number among the link's shapes.
Changes = Mapping[Tuple[str, int], str]


def page_data(
    robots: RobotMap,
    bound: Optional[MotionDifferenceBound],
    store: MeshStore,
    changes: Changes,
    *,
    alone: bool = False,
) -> Json:
    """Return both robots and the map; the meshes are in the store afterwards.

    Args:
        robots: `a` is the robot with the sliders.
        bound: the largest distance of a point of B from its place, None: unknown.
        changes: the handling of B's shapes.
        alone: A is shown without B.
    """
    a = _robot(robots.a, store, {})
    for number, joint in enumerate(robots.a.joints):
        a["joints"][number]["range"] = list(slider_range(joint.raw))
    a["followers"] = followers(robots.a)
    leaders = {follower: leader for follower, leader, _, _ in a["followers"]}
    for number, body in enumerate(robots.a.bodies):
        driver = _driver(robots.a, body, leaders)
        if driver is not None:
            a["links"][number]["driver"] = driver
    b = NO_ROBOT
    if not alone:
        b = _following(robots, store, changes)
    allowed = None
    if bound is not None:
        anchors = [joint.anchor for joint in (*robots.a.joints, *robots.b.joints)]
        size = max((max(map(abs, anchor)) for anchor in anchors), default=0.0)
        allowed = bound.position + ROUNDING * max(1.0, size)
    return {
        "base": flat(inverse(robots.base)),
        "new": a,
        "old": b,
        "states": [],
        "allowed": allowed,
    }


def _following(robots: RobotMap, store: MeshStore, changes: Changes) -> Json:
    """Return B, which follows A by the map."""
    b = _robot(robots.b, store, changes)
    for pair in robots.pairs:
        b["joints"][pair.choice.b].update(
            by=pair.choice.a, sign=pair.choice.sign, offset=pair.offset + 0.0
        )
    for a_body, b_body in robots.bodies.items():
        b["links"][b_body].update(to=a_body, T=flat(body_place(robots, a_body, b_body)))
    return b


def body_place(robots: RobotMap, a: int, b: int) -> Transform:
    """Return T_a_b, the frame of B's body in the frame of A's body, if both are the same at all positions."""
    T_root_a = Transform(IDENTITY, anchor_of(robots.a, a))
    T_root_b = Transform(IDENTITY, anchor_of(robots.b, b))
    # `Y` takes points of A's body to points of B's, each in the root frame of its robot, as drawn.
    return compose(inverse(T_root_a), compose(inverse(robots.Y[a]), T_root_b))


def anchor_of(robot: CanonicalRobot, body: int) -> Vector:
    """Return the origin of the frame of a body, in the frame of the root [m]."""
    joint = robot.joint_of(body)
    return joint.anchor if joint is not None else ZERO


def _robot(robot: CanonicalRobot, store: MeshStore, changes: Changes) -> Json:
    """Return the bodies and joints of a robot."""
    links = [_body(robot, number, store, changes) for number in range(len(robot.bodies))]
    joints = []
    for joint in robot.joints:
        shift = subtract(anchor_of(robot, joint.child), anchor_of(robot, joint.parent))
        T = Transform(IDENTITY, shift)
        described = {
            "name": joint.raw.name,
            "type": joint.raw.type,
            "parent": joint.parent,
            "child": joint.child,
            "T": flat(T),
            "axis": list(joint.axis),
        }
        if joint.raw.reference:
            described["reference"] = joint.raw.reference
        joints.append(described)
    return {"root": 0, "links": links, "joints": joints}


def _body(robot: CanonicalRobot, number: int, store: MeshStore, changes: Changes) -> Json:
    """Return a body: its links, shapes and ellipsoid, in its own frame."""
    body = robot.bodies[number]
    anchor = anchor_of(robot, number)
    parts: List[Tuple[RawLink, Transform]] = []
    for part in body.parts:
        R, translation = part.T_root_link
        parts.append((part.link, Transform(R, subtract(translation, anchor))))
    shapes: List[Json] = []
    lacks_visual = False  # one that cannot be drawn
    for link, T in parts:
        for place, shape in enumerate(link.shapes):
            rows = _rows(shape, T, store)
            if shape.role == "visual" and not rows:
                lacks_visual = True
            change = changes.get((link.name, place))
            for row in rows:
                if change:
                    row["change"] = change
                if len(parts) > 1:
                    row["link"] = link.name
            shapes += rows
    described: Json = {
        "name": body.name,
        "shapes": shapes,
        "parts": [[link.name, flat(T)] for link, T in parts],
        "points": [list(T.translation) for _, T in parts],
    }
    if body.mass is not None:
        mass = MassProperties(body.mass.mass, subtract(body.mass.center, anchor), body.mass.tensor)
        described.update(mass=mass.mass, **ellipsoid_row(mass))
    # The ellipsoid stands for a body of which nothing else is seen; two sides of a shape must be wide enough.
    visuals = [row for row in shapes if "collision" not in row]
    is_seen = any(sorted(map(abs, row["size"]))[1] > THINNEST for row in visuals)
    if "ellipsoid" in described and lacks_visual and not is_seen:
        described["missing"] = True
    return described


def _rows(shape: RawShape, T_body_link: Transform, store: MeshStore) -> List[Json]:
    """Return the drawn pieces of a shape; [] if it cannot be drawn."""
    rows: List[Json] = []
    for number, T_link_piece, size, surface_color in _pieces(shape, store):
        row: Json = {
            "shape": number,
            "T": drawn(flat(compose(T_body_link, T_link_piece))),
            "size": [round(value, 9) for value in size],
        }
        color = surface_color or shape.color
        if color is not None:
            row["color"] = drawn(color)
        if shape.role == "collision":
            row["collision"] = True
        rows.append(row)
    return rows


def _pieces(shape: RawShape, store: MeshStore) -> Iterator[Piece]:
    """Yield the balls, boxes, cylinders or meshes of which a shape is drawn."""
    kind = shape.geometry
    sizes = shape.sizes
    T = shape.T_link_shape
    if kind == "box":
        yield "box", T, vector_of(sizes), None
    elif kind in ("sphere", "ellipsoid"):
        radii = (sizes * 3)[:3]  # a sphere has one, an ellipsoid three
        yield "ball", T, vector_of([2.0 * radius for radius in radii]), None
    elif kind in ("cylinder", "capsule"):
        radius, length = sizes
        width = 2.0 * radius
        yield "cylinder", T, (width, width, length), None
        if kind == "capsule":
            for end in (-0.5 * length, 0.5 * length):
                T_link_end = compose(T, Transform(IDENTITY, (0.0, 0.0, end)))
                yield "ball", T_link_end, (width, width, width), None
    elif shape.file:
        longest = max(map(abs, sizes))
        is_visual = shape.role == "visual"
        for surface in store.surfaces(shape.file, longest, shape.path, separate=is_visual):
            yield surface.number, T, vector_of(sizes), surface.rgba


def slider_range(joint: RawJoint) -> Span:
    """Return the range of a slider [rad or m]: the limits of its joint, or a half turn or a meter without them."""
    free = UNLIMITED_SHIFT if joint.type == "prismatic" else UNLIMITED_TURN
    lower = joint.reference - free
    upper = joint.reference + free
    if joint.type != "continuous":
        lower = joint.lower if joint.lower is not None else lower
        upper = joint.upper if joint.upper is not None else upper
    return min(lower, upper), max(lower, upper)


def followers(robot: CanonicalRobot) -> List[Tuple[int, int, float, float]]:
    """Return (follower, leader, multiplier, offset) of joints by number, leaders first; in a circle one joint is free."""
    leader_of = {number: robot.leader.get(number) for number in range(len(robot.joints))}
    rules = []
    for follower, leader in leaders_first(leader_of):
        rule = robot.joints[follower].raw.mimic
        if leader is not None and rule is not None:
            rules.append((follower, leader, rule.multiplier, rule.offset))
    return rules


def _driver(robot: CanonicalRobot, body: Body, leaders: Dict[int, int]) -> Optional[int]:
    """Return the joint that dragging a body moves: its nearest ancestor that can move, for a follower its leader."""
    driver = body.joint
    while driver >= 0 and not robot.joints[driver].raw.moves:
        driver = robot.bodies[robot.joints[driver].parent].joint
    while driver in leaders:
        driver = leaders[driver]
    return driver if driver >= 0 else None


def flat(T: Transform) -> List[float]:
    """Return a pose as 12 numbers: the rotation by rows, then the translation."""
    return [value + 0.0 for value in chain(*T.rotation, T.translation)]


def drawn(values: Sequence[float]) -> List[float]:
    """Return numbers with the digits that can be drawn, whole numbers without a decimal point."""
    rounded = (round(value, DRAWN_DIGITS) + 0.0 for value in values)
    return [int(value) if value == int(value) else value for value in rounded]


def srdf_states(srdf: CompanionResult, robot: CanonicalRobot) -> Iterator[Json]:
    """Yield the states of an SRDF: name, group, and (number of a joint, position) of joints with one coordinate."""
    number_of: Dict[str, int] = {}
    for number, joint in enumerate(robot.joints):
        if joint.raw.moves:
            number_of.setdefault(joint.raw.name, number)
    for state in srdf.after.root.elements("group_state"):
        positions = []
        for element in state.elements("joint"):
            moved = number_of.get(element.get("name") or "")
            values = numbers_in(element.get("value") or "", 1)
            if values and moved is not None:
                positions.append((moved, values[0]))
        if positions:
            yield {
                "name": state.get("name") or "",
                "group": state.get("group") or "",
                "positions": positions,
            }


def ellipsoid_row(properties: MassProperties) -> Json:
    """Return the homogeneous ellipsoid of a link, T_link_ellipsoid and its length along each axis [m]; {} without mass.

    The semi-axis along the first principal axis is sqrt(5/2 (B + C - A) / m); if B + C < A, which is not physical, it
    is the thinnest that is shown.
    """
    if not properties.mass > LEAST_MASS:
        return {}
    moments, R = principal(properties.inertia)
    size = [
        2.0 * sqrt(max(THINNEST * THINNEST, 2.5 * (fsum(moments) - 2.0 * moment) / properties.mass))
        for moment in moments
    ]
    return {"ellipsoid": {"T": drawn(flat(Transform(R, properties.center))), "size": drawn(size)}}
