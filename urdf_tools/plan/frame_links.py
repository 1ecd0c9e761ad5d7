"""Frames kept for merged links: empty links on fixed joints, so that their TF names survive."""
from typing import Dict, Set

from ..urdf.model import Robot
from .merging import Membership


def name_frame_joints(robot: Robot, members: Dict[str, Membership], renamed: Dict[str, str]) -> Dict[str, str]:
    """Return, by merged link whose frame is kept, the name of its fixed joint.

    A fixed joint keeps its name, unless another joint has it already; that, and a joint given twice, is called
    `<link>_frame`.
    """
    used = {renamed.get(joint.child, joint.name) for joint in robot.joints if not members[joint.child].merged}
    reserved: Set[str] = {*used, *(joint.name for joint in robot.joints)}
    # In file order, so that a joint keeps its name before a later one of the same name.
    names = {}
    for joint in robot.joints:
        if not members[joint.child].merged:
            continue
        name = joint.name
        if joint.type != "fixed" or name in used:
            name, number = f"{joint.child}_frame", 2
            while name in reserved:
                name, number = f"{joint.child}_frame_{number}", number + 1
            reserved.add(name)
        used.add(name)
        names[joint.child] = name
    return names
