"""Properties of a joint that no choice of a zero can change, and the cost of their differences.

A cost counts facts that differ, each from 0.5 to 1 (`fit.gap`).
"""

from __future__ import annotations

from math import pi
from typing import List, Optional, Tuple

from ..base.record_type import Record
from ..robot.rigid_bodies import CanonicalJoint, TURNS
from ..robot.canonical_robot import CanonicalRobot
from ..urdf.spatial_math import cross, dot, norm, subtract
from .body_fit import gap, LONG, TENSOR
from .joint_lines import ANGLE, LENGTH, rejection, TILTED


class JointInvariants(Record):
    """The properties of a joint that no zero can change.

    Attributes:
        joints: the joint itself and the joints below it; mass: of all bodies below the joint [kg].
        distance: from the line of the parent's joint to its line [m]; sine: of the angle between both, which is the
            angle for nearly parallel lines. Both are None unless both joints turn, as for a joint on the root.
    """

    joints: int
    mass: float
    distance: Optional[float]
    sine: Optional[float]


def invariants_of(robot: CanonicalRobot) -> List[JointInvariants]:
    """Return the invariants of each joint, in linear time."""
    counts = [1] * len(robot.joints)
    masses = [0.0] * len(robot.joints)
    # Children come after their parents, so backwards each sum is complete before it is added to the parent's.
    for index in range(len(robot.joints) - 1, -1, -1):
        joint = robot.joints[index]
        mass = robot.bodies[joint.child].mass
        masses[index] += mass.mass if mass is not None else 0.0
        before = robot.bodies[joint.parent].joint
        if before >= 0:
            counts[before] += counts[index]
            masses[before] += masses[index]
    return [
        JointInvariants(counts[index], masses[index], *_lie(robot, joint))
        for index, joint in enumerate(robot.joints)
    ]


def _lie(robot: CanonicalRobot, joint: CanonicalJoint) -> Tuple[Optional[float], Optional[float]]:
    """Return the distance [m] of a line from the parent's line, and the sine of their angle; None unless both turn."""
    before = robot.joint_of(joint.parent)
    if before is None or before.motion != TURNS or joint.motion != TURNS:
        return None, None
    normal = cross(before.axis, joint.axis)
    between = subtract(joint.anchor, before.anchor)
    sine = norm(normal)
    # The common normal of nearly parallel lines has no direction, so the distance is measured at the anchor.
    if sine < TILTED:
        return norm(rejection(between, before.axis)), 0.0
    # Rounding may bring the sine above 1.
    return abs(dot(between, normal)) / sine, min(sine, 1.0)


def unlikeness(a: JointInvariants, b: JointInvariants) -> float:
    """Return the cost of the differences that no zero can change."""
    # Branches of different sizes cannot be partners: a whole fact.
    cost = 1.0 if a.joints != b.joints else 0.0
    larger_mass = max(a.mass, b.mass) or 1.0
    cost += gap(abs(a.mass - b.mass) / larger_mass, TENSOR, 1.0)
    if a.distance is not None and b.distance is not None:
        cost += gap(abs(a.distance - b.distance), LENGTH, LONG)
    if a.sine is not None and b.sine is not None:
        cost += gap(abs(a.sine - b.sine), ANGLE, pi)
    return cost
