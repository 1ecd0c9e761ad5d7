"""Where a bone should point: toward what hangs on its joint, as far as there is something."""
from typing import Dict, Iterator, List, Tuple

from ...urdf.model import Joint
from ...urdf.spatial import norm, scale, subtract, UNIT_AXES, Vector
from .bodies import Body, RestPose

LEAST_OFFSET = 0.2  # of the shortest bone: what is nearer gives no direction
WORLD = (UNIT_AXES[2], UNIT_AXES[0], UNIT_AXES[1])


def ends_of_chains(rest_pose: RestPose) -> Dict[str, Body]:
    """Return, by child link of each moving joint, the body at the end of the joints in one place that begin with it."""
    ends: Dict[str, Body] = {}
    for joint in reversed(rest_pose.robot.tree):
        if joint.type != "fixed":
            body = rest_pose.bodies[joint.child]
            below = body.below
            same = len(below) == 1 and rest_pose.same_place(joint, below[0])
            ends[joint.child] = ends[below[0].child] if same else body
    return ends


def candidates(rest_pose: RestPose, joint: Joint, end: Body, parent_head: Vector) -> Iterator[Tuple[str, Vector]]:
    """Yield directions for the bone of a joint, the best first, each with a word for it and as long as it is far.

    child: the only moving child; frame: the only frame on a leaf, such as tool0; children: the middle of several; com:
    the center of mass; parent: straight on; axis: a world axis. Directions too short to be one are left out.

    Args:
        end: the body where the joints in one place that begin with this one end.
        parent_head: where the parent bone begins.
    """
    head = rest_pose.head_of(joint)
    targets: List[Tuple[str, Vector]] = []
    if end.below:
        targets.append(("child" if len(end.below) == 1 else "children", rest_pose.middle_below(end)))
    else:
        frames = [name for name in end.links if name in rest_pose.ends]
        if len(frames) == 1:
            targets.append(("frame", rest_pose.T[frames[0]].translation))
    center = rest_pose.center_of(end)
    if center is not None:
        targets.append(("com", center))
    found = [(word, subtract(target, head)) for word, target in targets]
    found += [("parent", subtract(head, parent_head)), *(("axis", scale(rest_pose.shortest, axis)) for axis in WORLD)]
    yield from ((word, v) for word, v in found if norm(v) >= LEAST_OFFSET * rest_pose.shortest)
