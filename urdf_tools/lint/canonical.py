"""A robot in canonical frames, with all its links, to compare its left and right sides in."""
from typing import Dict

from ..plan.decisions import JointPlan, Plan
from ..urdf.model import Joint, Link, Robot
from ..urdf.spatial import Matrix, matrix_from_rpy, move_mass, multiply, Pose, UNIT_AXES
from .symmetry import find_bodies


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
