"""Two compared robots as plain data for the page's script: canonical bodies with their lines, and which differ.

The frame of a body is that of its root, moved to the anchor of the joint that carries it; a joint moves its child away
from where its file draws it. A is the robot with the sliders (`new`), B follows it (`old`), in A's root frame.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from ...base.types import Json, Span
from ...compare.comparison import causes_of, Comparison
from ...compare.differences import Difference
from ...compare.robot_map import RobotMap
from ...compare.words import KINDS
from ...robot.canonical import Body, Canonical
from ...robot.motion import leaders_first
from ...robot.records import RawJoint, RawShape
from ...urdf.spatial import compose, IDENTITY, inverse, MassProperties, Pose, subtract, Vector, ZERO
from .meshes import DrawnSurface, MeshStore
from .robots import ellipsoid_row, flat, pieces, rows, slider_ends

ROUNDING = 1e-9  # [m] what computing a pose may add to the bound, for each meter of the robot
OF_JOINTS = ("joint", "line", "limit", "effort", "velocity", "mimic", "actuator")
Marks = Dict[str, List[int]]


def comparison_data(comparison: Comparison, store: MeshStore) -> Json:
    """Return both robots, the map, and what each difference is about; the meshes are in the store afterwards."""
    robots = comparison.map
    a, b = (_robot(robot, store) for robot in (robots.a, robots.b))
    for number, joint in enumerate(robots.a.joints):
        a["joints"][number]["range"] = list(slider_range(joint.raw))
    a["followers"] = followers(robots.a)
    leaders = {follower: leader for follower, leader, _, _ in a["followers"]}
    for number, body in enumerate(robots.a.bodies):
        driver = _driver(robots.a, body, leaders)
        if driver is not None:
            a["links"][number]["driver"] = driver
    # The sliders move A; B follows by the map that was found.
    for pair in robots.pairs:
        b["joints"][pair.choice.b].update(
            by=pair.choice.a, sign=pair.choice.sign, offset=robots.offset(pair) + 0.0
        )
    for a_body, b_body in robots.bodies.items():
        b["links"][b_body].update(to=a_body, T=flat(body_place(robots, a_body, b_body)))
    bound = comparison.bound
    size = max(
        (max(map(abs, joint.anchor)) for joint in (*robots.a.joints, *robots.b.joints)), default=0.0
    )
    return {
        "base": flat(inverse(robots.base)),
        "new": a,
        "old": b,
        "states": [],
        "allowed": None if bound is None else bound.position + ROUNDING * max(1.0, size),
        "differences": [
            {"of": KINDS[several[0].kind].of, **_marks(robots, several)}
            for several in rows_of(comparison.differences)
        ],
    }


def rows_of(differences: Sequence[Difference]) -> List[Tuple[Difference, ...]]:
    """Return the differences of each row of the page: those of a cause, then, if several, each of these alone."""
    causes = [cause.differences for cause in causes_of(differences)]
    return [
        row
        for cause in causes
        for row in (cause, *((single,) for single in cause if len(cause) > 1))
    ]


def _marks(robots: RobotMap, several: Sequence[Difference]) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that one of several differences is about."""
    marks = [concerned(robots, difference) for difference in several]
    return {
        side: {
            part: list(
                dict.fromkeys(number for concerns in marks for number in concerns[side][part])
            )
            for part in ("bodies", "joints")
        }
        for side in ("a", "b")
    }


def body_place(robots: RobotMap, a: int, b: int) -> Pose:
    """Return T_a_b: where the frame of B's body would be in that of A's, if both were the same at all positions.

    `Y` takes points of A's body to those of B's, each in the root frame of its robot, as drawn.
    """
    anchors = [
        Pose(IDENTITY, anchor_of(robot, body)) for robot, body in ((robots.a, a), (robots.b, b))
    ]
    return compose(inverse(anchors[0]), compose(inverse(robots.Y[a]), anchors[1]))


def anchor_of(robot: Canonical, body: int) -> Vector:
    """Return the origin of the frame of a body, in the frame of the root [m]."""
    joint = robot.joint_of(body)
    return joint.anchor if joint is not None else ZERO


def _robot(robot: Canonical, store: MeshStore) -> Json:
    links = [_body(robot, number, store) for number in range(len(robot.bodies))]
    joints = []
    for joint in robot.joints:
        T = Pose(IDENTITY, subtract(anchor_of(robot, joint.child), anchor_of(robot, joint.parent)))
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


def _body(robot: Canonical, number: int, store: MeshStore) -> Json:
    body = robot.bodies[number]
    anchor = anchor_of(robot, number)
    parts = [
        (part.link, Pose(part.T_root_link.rotation, subtract(part.T_root_link.translation, anchor)))
        for part in body.parts
    ]
    shapes = [row for link, T in parts for shape in link.shapes for row in _rows(shape, T, store)]
    described: Json = {
        "name": body.name,
        "shapes": shapes,
        "parts": [[link.name, flat(T)] for link, T in parts],
        "points": [list(T.translation) for _, T in parts],
    }
    if body.mass is not None:
        mass = MassProperties(body.mass.mass, subtract(body.mass.center, anchor), body.mass.tensor)
        described.update(mass=mass.mass, **ellipsoid_row(mass))
    if "ellipsoid" in described and not any("collision" not in row for row in shapes):
        described["missing"] = True
    return described


def _rows(shape: RawShape, T_body_link: Pose, store: MeshStore) -> List[Json]:
    def surfaces(longest: float) -> Sequence[DrawnSurface]:
        is_visual = shape.role == "visual"
        return (
            store.surfaces(shape.file, longest, shape.path, separate=is_visual)
            if shape.file
            else ()
        )

    return rows(
        [
            (number, compose(T_body_link, T), size, color)
            for number, T, size, color in pieces(
                shape.geometry, shape.sizes, shape.T_link_shape, surfaces
            )
        ],
        shape.color,
        shape.role,
    )


def slider_range(joint: RawJoint) -> Span:
    """Return how far a slider of a joint goes [rad or m]."""
    return slider_ends(joint.type, joint.lower, joint.upper, joint.reference)


def followers(robot: Canonical) -> List[Tuple[int, int, float, float]]:
    """Return (follower, leader, multiplier, offset) of joints by number, leaders first; of a circle one is free."""
    leader_of = {number: robot.leader.get(number) for number in range(len(robot.joints))}
    rules = [
        (follower, leader, robot.joints[follower].raw.mimic)
        for follower, leader in leaders_first(leader_of)
        if leader is not None
    ]
    return [
        (follower, leader, rule.multiplier, rule.offset)
        for follower, leader, rule in rules
        if rule is not None
    ]


def _driver(robot: Canonical, body: Body, leaders: Dict[int, int]) -> Optional[int]:
    """Return the joint that dragging a body moves: the next above it that can, for a follower its leader."""
    driver = body.joint
    while driver >= 0 and not robot.joints[driver].raw.moves:
        driver = robot.bodies[robot.joints[driver].parent].joint
    while driver in leaders:
        driver = leaders[driver]
    return driver if driver >= 0 else None


def concerned(robots: RobotMap, difference: Difference) -> Dict[str, Marks]:
    """Return the bodies and joints of A and of B that a difference is about."""
    kind, label = difference.kind, KINDS[difference.kind].label
    bodies_a, joints_a = _named(robots.a, difference, label, only_b=kind == "only_b")
    bodies_b, joints_b = (
        _named(robots.b, difference, label, only_b=False) if kind.endswith("_b") else ([], [])
    )
    partner = {pair.choice.a: pair.choice.b for pair in robots.pairs}
    bodies_b += [robots.bodies[body] for body in bodies_a if body in robots.bodies]
    joints_b += [partner[joint] for joint in joints_a if joint in partner]
    return {
        "a": {"bodies": bodies_a, "joints": joints_a},
        "b": {"bodies": list(dict.fromkeys(bodies_b)), "joints": list(dict.fromkeys(joints_b))},
    }


def _named(
    robot: Canonical, difference: Difference, label: str, *, only_b: bool
) -> Tuple[List[int], List[int]]:
    """Return the bodies and joints of a robot that a difference names; its label says what its names are."""
    if only_b:
        return [], []
    if label in OF_JOINTS and difference.kind != "sum":
        names = set(
            difference.names if difference.kind in ("only_a", "only_b") else difference.names[:1]
        )
        joints = [number for number, joint in enumerate(robot.joints) if joint.raw.name in names]
        if difference.kind in ("fixed_in_a", "fixed_in_b"):
            held = [joint.child for joint in robot.raw.joints if joint.name in names]
            return list(
                dict.fromkeys(robot.body_of[link] for link in held if link in robot.body_of)
            ), joints
        return [robot.joints[number].child for number in joints], joints
    links = {
        **{sensor.name: sensor.link for sensor in robot.raw.sensors if label == "sensor"},
        **{frame.name: frame.link for frame in robot.raw.frames if label == "frame"},
    }
    names_of_links = difference.names if label in ("pairs", "loop") else difference.names[:1]
    bodies = [
        robot.body_of[links.get(name, name)]
        for name in names_of_links
        if links.get(name, name) in robot.body_of
    ]
    return list(dict.fromkeys(bodies)), []
