"""What stays of merged links: shapes that are in the target already are dropped, and frames are kept for TF names."""
from math import fsum
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from ..urdf.model import Robot, Shape
from ..urdf.spatial import compose, Pose
from .merging import Membership, POSE_TOLERANCE, poses_coincide


class Copy(NamedTuple):
    """A shape of a merged link that is dropped: the target has the same shape with the same pose."""

    shape: Shape
    link: str
    target: str


def find_copies(robot: Robot, members: Dict[str, Membership], stripped: Set[int]) -> Iterator[Copy]:
    """Yield shapes of merged links that are in the target already: same kind, geometry, color and pose."""
    there: Dict[Tuple[str, Tuple[str, ...], int], List[Pose]] = {}  # in slices of space: few poses are compared
    targets = {member.target for member in members.values() if member.merged}
    for merged in (False, True):  # what was in a target from the start comes first
        for name, member in members.items():
            if member.merged != merged or member.target not in targets:
                continue
            for shape in robot.links[name].shapes:
                if shape.source.offset in stripped or shape.drawn is None:
                    continue
                T_target_shape = compose(member.T_target_link, shape.pose)
                appearance = _appearance(shape)
                slice_index = round(fsum(T_target_shape.translation) / (4.0 * POSE_TOLERANCE))
                near = [T for k in (-1, 0, 1) for T in there.get((member.target, appearance, slice_index + k), ())]
                if merged and any(poses_coincide(T_target_shape, T) for T in near):
                    yield Copy(shape, name, member.target)
                else:
                    there.setdefault((member.target, appearance, slice_index), []).append(T_target_shape)


def _appearance(shape: Shape) -> Tuple[str, ...]:
    """Return all of a shape but its pose and its names; a material by its content, or without any by its name."""
    parts = [shape.kind]
    for top in shape.source.elements():
        if top.name == "material" and not top.elements():
            parts.append(top.get("name") or "")
        elif top.name != "origin":
            for inside in top.elements() if top.name == "material" else (top,):
                for element in inside.walk():
                    parts += [element.name, element.text().strip() if element.children else ""]
                    parts += [f"{key}={value}" for key, value in sorted(element.attributes.items())]
    return tuple(parts)


def links_left_bare(robot: Robot, members: Dict[str, Membership], stripped: Set[int]) -> Tuple[str, ...]:
    """Return the links of the result that lose their last shape to stripping."""
    targets = [(members[name].target, shape.source.offset in stripped)
                for name, link in robot.links.items() for shape in link.shapes]
    bare = {target for target, _ in targets} - {target for target, is_stripped in targets if not is_stripped}
    return tuple(name for name in robot.links if name in bare)


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
