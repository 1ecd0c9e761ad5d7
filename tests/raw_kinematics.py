"""What tests of readers compare by: numbers in any tuples, and forward kinematics apart from the comparison."""

import pytest
from naive import after, around

from urdf_tools.robot.raw_robot import SLIDING, TURNING
from urdf_tools.urdf.spatial_math import Transform


def flat(values):
    """Return the numbers in tuples and lists of any depth."""
    return [
        number
        for value in values
        for number in (flat(value) if isinstance(value, (tuple, list)) else [value])
    ]


def near(found, expected):
    """Check that two values have equal numbers, but for rounding."""
    assert flat(found) == pytest.approx(flat(expected), abs=1e-12)


def place_of(T):
    """Return the rotation and the translation of a pose as lists."""
    return [list(row) for row in T.rotation], list(T.translation)


def places(robot, positions={}):
    """Return T_root_frame by link and frame; positions by child link, all others at their reference."""
    below = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in robot.joints}
    root = next(link.name for link in robot.links if link.name not in children)
    poses = {
        root: place_of(
            Transform(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
        )
    }
    waiting = [root]
    while waiting:
        link = waiting.pop()
        for joint in below.get(link, ()):
            here = after(poses[link], place_of(joint.T_parent_child))
            q = positions.get(joint.child, joint.reference) - joint.reference
            if joint.type in SLIDING:
                here = after(here, (around(joint.axis, 0.0), [q * x for x in joint.axis]))
            elif joint.type in TURNING:
                R = around(joint.axis, q)
                back = [
                    p - sum(R[k][m] * joint.point[m] for m in range(3))
                    for k, p in enumerate(joint.point)
                ]
                here = after(here, (R, back))
            poses[joint.child] = here
            waiting.append(joint.child)
    for frame in robot.frames:
        poses.setdefault(frame.name, after(poses[frame.link], place_of(frame.T_link_frame)))
    return poses
