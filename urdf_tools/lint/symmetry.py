"""Compare the left and right side of a robot that faces along X: what is not mirrored through Y = 0.

The robot is taken in canonical frames, with all its links.
"""
from typing import Dict, Iterator, NamedTuple, Optional, Sequence, Tuple, Union

from ..base.diagnostics import Diagnostic
from ..plan.decisions import JointPlan, Plan
from ..plan.name_words import left_right_pairs
from ..robot.principal_axes import entries_of
from ..urdf.kinematics import poses_at
from ..urdf.model import Joint, Limit, Link, MOVABLE, Robot
from ..urdf.spatial import (angle_between, compose, IDENTITY_POSE, inverse, largest_entry, MassProperties, Matrix,
                            matrix_from_rpy, move_mass, multiply, norm, Pose, rotate, scale, subtract, UNIT_AXES,
                            Vector, ZERO)
from .kinds import LEFT_RIGHT

ANGLE, LENGTH, IN_THE_MIDDLE = 2e-3, 5e-4, 1e-2  # [rad], [m], [m]: smaller is drawing and export error
MASS_PART, INERTIA_PART = 0.01, 0.05  # relative
LEAST_MASS = 1e-5  # [kg] lighter links are frames
SHOWN_AS_ZERO = 1e-9
OF_LINKS = ("mass", "center", "inertia")
MirrorDifference = Tuple[str, Union[str, Sequence[float]], Union[str, Sequence[float]], Optional[Sequence[float]]]


class Asymmetry(NamedTuple):
    """A difference of a left and a right joint or link, with both values and the mirror image of the left one.

    `what` is the key of a sentence of LEFT_RIGHT. `mirrored` is None for a value that a mirror does not change, such as
    a mass or a type. Vectors are in the frame of the body that carries them [m]; an inertia is its six entries
    xx xy xz yy yz zz [kg m^2].
    """

    left: str
    right: str
    what: str
    left_value: Union[str, Sequence[float]]
    right_value: Union[str, Sequence[float]]
    mirrored: Optional[Sequence[float]]


class Body(NamedTuple):
    """The moving body that a link belongs to, T_body_link, and the pose of the body in the world at zero."""

    name: str
    T_body_link: Pose
    T_world_body: Pose


def find_asymmetries(robot: Robot) -> Tuple[Asymmetry, ...]:
    """Return the differences of all pairs of joints and links, joints first, in the order of the file.

    The robot must have canonical frames (X forward, Y left, Z up in every moving body at zero): then the frame of a
    right body is that of the left one mirrored, and numbers compare in the frame of the body that carries them. So a
    difference is listed where it is, and not again for everything that is attached to it. A pair counts when it is
    attached to a body in the middle, or to two bodies that are a pair by their own names or those of their joints.
    """
    bodies = find_bodies(robot)
    link_pairs = left_right_pairs(list(robot.links))
    by_name = robot.named
    joint_pairs = left_right_pairs(list(by_name))
    pairs = {by_name[left].child: by_name[right].child for left, right in joint_pairs}
    pairs.update(link_pairs)
    above = robot.above
    joints = [(by_name[left], by_name[right]) for left, right in joint_pairs]
    links = [(left, right) for left, right in link_pairs if left in above and right in above]
    return (*(Asymmetry(left.name, right.name, *values) for left, right in joints
              if _face_each_other(left, right, bodies, pairs) for values in _compare_joints(left, right, bodies)),
            *(Asymmetry(left, right, *values) for left, right in links
              if _face_each_other(above[left], above[right], bodies, pairs)
              for values in _compare_links(robot, left, right, bodies)))


def asymmetry_finding(asymmetry: Asymmetry, robot: Robot) -> Diagnostic:
    """Return the diagnostic for a difference, with the line of the right joint or link."""
    source = robot.links[asymmetry.right].source if asymmetry.what in OF_LINKS else robot.named[asymmetry.right].source
    return Diagnostic(LEFT_RIGHT, source.line, asymmetry.what, *_shown(asymmetry))


def _shown(asymmetry: Asymmetry) -> Tuple[Tuple[str, ...], Tuple[float, ...]]:
    """Return the names and the numbers of the diagnostic's sentence."""
    values = (asymmetry.left_value, asymmetry.right_value, asymmetry.mirrored or ())
    numbers = [number for value in values if not isinstance(value, str) for number in value]
    words = [value for value in values if isinstance(value, str)]
    return (asymmetry.left, asymmetry.right, *words), tuple(
        0.0 if abs(number) < SHOWN_AS_ZERO else number for number in numbers)


def find_bodies(robot: Robot) -> Dict[str, Body]:
    """Return for each link the body that it moves with."""
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    name = {robot.root: robot.root}
    for joint in robot.tree:
        name[joint.child] = name[joint.parent] if joint.type == "fixed" else joint.child
    return {link: Body(body, compose(inverse(T_world[body]), T_world[link]), T_world[body])
            for link, body in name.items()}


def _face_each_other(left: Joint, right: Joint, bodies: Dict[str, Body], pairs: Dict[str, str]) -> bool:
    """Return True if joints are on two bodies that are a pair, or side by side on one body in the middle."""
    body, other = bodies[left.parent], bodies[right.parent]
    if body.name == other.name:  # fingers that face each other along another axis are not left and right
        apart = subtract(*(compose(body.T_body_link, joint.origin).translation for joint in (left, right)))
        return abs(body.T_world_body.translation[1]) < IN_THE_MIDDLE and abs(apart[1]) > 0.5 * norm(apart)
    return pairs.get(body.name) == other.name


def _mirrored(v: Vector) -> Vector:
    return (v[0], -v[1], v[2])


def _compare_joints(left: Joint, right: Joint, bodies: Dict[str, Body]) -> Iterator[MirrorDifference]:
    """Yield the last four fields of an `Asymmetry` for each difference."""
    places = [compose(bodies[joint.parent].T_body_link, joint.origin) for joint in (left, right)]
    if left.type != right.type:
        yield "type", left.type, right.type, None
    elif left.type in MOVABLE:
        axis, other = (rotate(T.rotation, joint.axis) for T, joint in zip(places, (left, right)))
        same, opposite = angle_between(_mirrored(axis), other), angle_between(scale(-1.0, _mirrored(axis)), other)
        if min(same, opposite) > ANGLE:
            sign = 1.0 if same < opposite else -1.0
            yield "axis", axis, other, scale(sign, _mirrored(axis))
        elif left.type != "continuous":
            (low, high), limits = ((limit.lower or 0.0, limit.upper or 0.0)
                                   for limit in (left.limit or Limit(), right.limit or Limit()))
            # A mirror turns the sense of a rotation, and keeps that of a translation.
            wanted = (low, high) if (same < opposite) == (left.type == "prismatic") else (-high, -low)
            tolerance = LENGTH if left.type == "prismatic" else ANGLE
            if max(abs(a - b) for a, b in zip(wanted, limits)) > tolerance:
                yield "limits", (low, high), limits, wanted
    xyz, other = (T.translation for T in places)
    if norm(subtract(_mirrored(xyz), other)) > LENGTH:
        yield "origin", xyz, other, _mirrored(xyz)


def _compare_links(robot: Robot, left: str, right: str, bodies: Dict[str, Body]) -> Iterator[MirrorDifference]:
    """Yield the same for links; inertias are compared only if masses and centers of mass agree."""
    properties, other = (_mass_properties(robot, name, bodies) for name in (left, right))
    if max(properties.mass, other.mass) < LEAST_MASS:
        return
    masses_differ = abs(properties.mass - other.mass) > MASS_PART * max(properties.mass, other.mass)
    if masses_differ:
        yield "mass", (properties.mass,), (other.mass,), None
    center = _mirrored(properties.center)
    centers_differ = norm(subtract(center, other.center)) > LENGTH
    if centers_differ:
        yield "center", properties.center, other.center, center
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
    mirrored: Matrix = ((xx, -xy, xz), (-xy, yy, -yz), (xz, -yz, zz))
    error = max(abs(mirrored[i][j] - other.inertia[i][j]) for i in range(3) for j in range(3))
    if not (masses_differ or centers_differ) and error > INERTIA_PART * max(
            largest_entry(mirrored), largest_entry(other.inertia)):
        yield "inertia", entries_of(properties.inertia), entries_of(other.inertia), entries_of(mirrored)


def _mass_properties(robot: Robot, link: str, bodies: Dict[str, Body]) -> MassProperties:
    inertial = robot.links[link].inertial
    if inertial is None:
        return MassProperties(0.0, ZERO, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    return move_mass(bodies[link].T_body_link, inertial.properties)


def in_canonical_frames(plan: Plan) -> Robot:
    """Return the planned robot, for a plan that merges nothing: joints, limits and masses, but not shapes."""
    robot = plan.robot
    joints = {joint.child: _planned(plan.joints[joint.child]) for joint in robot.joints}
    return robot._replace(
        joints=tuple(joints.values()), tree=tuple(joints[joint.child] for joint in robot.tree),
        links={name: _placed(link, plan.placements[name]) for name, link in robot.links.items()},
        named={name: joints[joint.child] for name, joint in robot.named.items()}, above=joints)


def rotations_to_bodies(canonical: Robot, plan: Plan) -> Dict[str, Matrix]:
    """Return R_body_link of every link: from its axes in the input to the canonical frame of the body it moves with."""
    bodies = find_bodies(canonical)
    return {name: multiply(bodies[name].T_body_link.rotation, T_new_old.rotation)
            for name, T_new_old in plan.placements.items()}


def _planned(planned: JointPlan) -> Joint:
    joint, frame = planned.joint, planned.frame
    limit = joint.limit
    if limit is not None and planned.map.sign < 0:
        lower, upper = (None if end is None else -end for end in (limit.upper, limit.lower))
        limit = limit._replace(lower=lower, upper=upper)
    axis = joint.axis if frame.axis is None else UNIT_AXES[frame.axis]
    return joint._replace(origin=Pose(matrix_from_rpy(frame.rpy), planned.xyz), rpy=frame.rpy, axis=axis, limit=limit)


def _placed(link: Link, T_new_old: Pose) -> Link:
    if link.inertial is None:
        return link
    return link._replace(inertial=link.inertial._replace(properties=move_mass(T_new_old, link.inertial.properties)))
