"""Robots changed as a whole: without some links, with new names, or as a tree from another root."""

from __future__ import annotations

from typing import AbstractSet, Any, List, Mapping, Tuple

from ..base.type_aliases import Names
from ..urdf.spatial_math import inverse, move, rotate
from .raw_robot import RawJoint, RawLink, RawLoop, RawRobot


def without_links(robot: RawRobot, removed: AbstractSet[str]) -> RawRobot:
    """Return a robot without some links, their joints and all parts on these; followers of removed joints are free."""
    links = tuple(link for link in robot.links if link.name not in removed)
    joints = [joint for joint in robot.joints if removed.isdisjoint((joint.parent, joint.child))]
    names = {joint.name for joint in joints}
    kept_joints: List[RawJoint] = []
    for joint in joints:
        has_lost_leader = joint.mimic is not None and joint.mimic.leader not in names
        if has_lost_leader:
            joint = joint._replace(mimic=None)
        kept_joints.append(joint)
    sensors = tuple(
        sensor
        for sensor in robot.sensors
        if sensor.link not in removed and (not sensor.joint or sensor.joint in names)
    )
    return robot._replace(
        links=links,
        joints=tuple(kept_joints),
        frames=tuple(frame for frame in robot.frames if frame.link not in removed),
        loops=tuple(loop for loop in robot.loops if removed.isdisjoint(loop.links)),
        sensors=sensors,
        actuators=tuple(actuator for actuator in robot.actuators if actuator.joint in names),
    )


def renamed(
    robot: RawRobot,
    links: Names,
    joints: Names,
    others: Mapping[str, str] = {},
    files: Mapping[str, str] = {},
) -> RawRobot:
    """Return a robot with new names everywhere; a name that a mapping does not have stays.

    Args:
        links, joints: new names by old ones, also where other parts name a link or joint.
        others: new names of sensors, actuators, loops and frames.
        files: new names of mesh and image files, as the file writes them.
    """

    def named(part: Any, **names: Names) -> Any:
        """Return a part with new names in some of its fields, each with the new names for it."""
        old = {field: getattr(part, field) for field in names}
        return part._replace(**{field: names[field].get(name, name) for field, name in old.items()})

    def of_link(link: RawLink) -> RawLink:
        """Return a link with its new name, and new names of files."""
        shapes = tuple(
            named(shape, file=files, texture=files, direction_link=links) for shape in link.shapes
        )
        return link._replace(name=links.get(link.name, link.name), shapes=shapes)

    def of_joint(joint: RawJoint) -> RawJoint:
        """Return a joint with new names of itself, its links and its leader."""
        mimic = joint.mimic and named(joint.mimic, leader=joints)
        joint = named(joint, name=joints, parent=links, child=links)
        return joint._replace(mimic=mimic)

    def of_loop(loop: RawLoop) -> RawLoop:
        """Return a loop with new names of itself and its links."""
        first, second = (links.get(link, link) for link in loop.links)
        return loop._replace(name=others.get(loop.name, loop.name), links=(first, second))

    return robot.with_each(
        links=of_link,
        joints=of_joint,
        loops=of_loop,
        frames=lambda frame: named(frame, name=others, link=links),
        sensors=lambda sensor: named(sensor, name=others, link=links, joint=joints),
        actuators=lambda actuator: named(actuator, name=others, joint=joints),
    )


def turned_round(raw: RawRobot, root: str) -> Tuple[RawJoint, ...]:
    """Return the joints as a tree from another root: on the way to it, parents and children are exchanged.

    Positions keep their numbers, because the axis of a joint is reversed with it.
    """
    joint_above = {joint.child: joint for joint in raw.joints}
    on_the_way = set()  # the children of the joints to reverse
    link = root
    while link in joint_above:
        on_the_way.add(link)
        link = joint_above[link].parent
    joints: List[RawJoint] = []
    for joint in raw.joints:
        if joint.child in on_the_way:
            joint = reversed_joint(joint)
        joints.append(joint)
    return tuple(joints)


def reversed_joint(joint: RawJoint) -> RawJoint:
    """Return a joint from its child to its parent; its position keeps its number."""
    R, _ = joint.T_parent_child
    x, y, z = rotate(R, joint.axis)
    return joint._replace(
        parent=joint.child,
        child=joint.parent,
        T_parent_child=inverse(joint.T_parent_child),
        # Relative to the child, the parent turns the other way, so the axis changes its sign.
        axis=(-x, -y, -z),
        point=move(joint.T_parent_child, joint.point),
    )
