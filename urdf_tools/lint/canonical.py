"""A robot in canonical frames, with all its links: what left and right are compared in."""
from ..plan.decisions import JointPlan, Plan
from ..urdf.model import Joint, Link, Robot
from ..urdf.spatial import matrix_from_rpy, move_mass, Pose, UNIT_AXES


def in_canonical_frames(plan: Plan) -> Robot:
    """Return the robot of a plan that merges nothing, as it will be: joints, limits and masses, but not shapes."""
    robot = plan.robot
    joints = {joint.child: _planned(plan.joints[joint.child]) for joint in robot.joints}
    return robot._replace(
        joints=tuple(joints.values()), tree=tuple(joints[joint.child] for joint in robot.tree),
        links={name: _placed(link, plan.placements[name]) for name, link in robot.links.items()},
        named={name: joints[joint.child] for name, joint in robot.named.items()}, above=joints)


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
