"""The values in `<gazebo>` blocks: a rule for each kind of tag that Gazebo and its plugins read."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Iterator

from ..base.run_diagnostics import (
    FRAME_NAME,
    PLUGIN_BODY,
    PLUGIN_VECTOR,
    SENSOR_FRAME,
    UNREADABLE_POSE,
)
from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Element
from .robot_values import (
    AXES,
    BODY_TAGS,
    child_place,
    child_text,
    COEFFICIENT,
    COLLISION,
    DIRECTION,
    FRAME,
    FRAME_KEYS,
    FRAME_POSE,
    FRAME_TAGS,
    is_frame_of_direction,
    name_value,
    OFFSET_POSE,
    OFFSETS,
    OWN_BODY,
    PLUGIN_POINTS,
    PLUGIN_VECTORS,
    pose_value,
    READ_OFFSETS,
    SIGNED,
    RobotFacts,
    FrameDependentValue,
)
from .simulator_values import frame_of_pose, WITHOUT_POSE


def values_in_gazebo(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """A block of a link, of a joint, or of the model.

    | `<gazebo>`: sensors, lights, projectors, joints, frames, links | the link is kept for a sensor; renamed
    | `<pose>` moves with its link; with `relative_to`, `attached_to` or `*:expressed_in`: warning; `<fdir1>` turns with
    the link of its `gz:expressed_in` | `springReference` |
    """
    owner = top.get("reference") or ""
    # Without `springReference` the spring pulls to zero.
    if top.find("springReference") or top.find("springStiffness"):
        yield FrameDependentValue(
            element=top,
            kind=SIGNED,
            link="",
            places=(child_place(top, "springReference"),),
            signs=((owner,),),
            zeros=(owner,),
        )
    for sensor in top.elements("sensor"):
        yield from _of_sensor(tree, sensor, owner)
    for element in top.walk():
        link = tree.link_of(frame_of_pose(element, top))
        if link:
            yield pose_value(element, link)
        for key, name in element.attributes.items():
            is_direction = element.name == "fdir1" and element.parent is not top
            if is_direction and name in tree.links and is_frame_of_direction(key):
                # The direction of friction stays along the axes of this link, also where the link moves against the
                # collision (gz-physics, SDFFeatures.cc).
                yield FrameDependentValue(element, DIRECTION, name, ((element, ""),))
                yield name_value(element, key, name)
            # Any other element that names its frame is so rare in URDF that it does not follow.
            elif key.split(":")[-1] in FRAME_KEYS:
                for link in filter(None, map(tree.link_of, name.split("::"))):
                    yield FrameDependentValue(
                        element, FRAME_POSE, link, warning=(UNREADABLE_POSE, "named")
                    )
        if element.name == "plugin":
            yield from _plugin(element, owner)
            yield from _plugin_vectors(element, owner)
        elif element.name in (*BODY_TAGS, *FRAME_TAGS):
            name = element.text().strip()
            if name in tree.links and element.name in BODY_TAGS:
                yield name_value(element, "", name)
            elif name in tree.links:
                yield FrameDependentValue(
                    element, FRAME, name, ((element, ""),), warning=(FRAME_NAME, "turns")
                )
        elif element.name == "collision" and _is_in_contact(element):
            yield FrameDependentValue(element, COLLISION, "", ((element, ""),))


def _is_in_contact(element: Element) -> bool:
    """Return True for an element in a `<contact>`, where a `<collision>` is a name."""
    return element.parent is not None and element.parent.name == "contact"


def _of_sensor(tree: RobotFacts, sensor: Element, owner: str) -> Iterator[FrameDependentValue]:
    """A sensor in a joint measures in the frame of its child; the plugin of a sensor publishes in some frame.

    If the plugin names no frame, this is the frame of the link, which may turn while the sensor does not.

    | its sensors in joints, or with a plugin that names no frame | | warning | |
    """
    child = tree.child_of.get(owner, "")
    kind = sensor.get("type")
    tags = {part.name for part in sensor.walk()}
    is_in_joint = owner not in tree.links or child != owner and kind == "force_torque"
    publishes = "plugin" in tags and kind not in WITHOUT_POSE
    if is_in_joint:
        yield FrameDependentValue(sensor, AXES, child, warning=(SENSOR_FRAME, "measures"))
    elif publishes and tags.isdisjoint(FRAME_TAGS):
        yield FrameDependentValue(sensor, AXES, owner, warning=(SENSOR_FRAME, "implied"))


def is_mimic_plugin(plugin: Element) -> bool:
    """Return True for a plugin that lets `<mimicJoint>` follow `<joint>`."""
    return all(plugin.find(name) is not None for name in ("joint", "mimicJoint", "multiplier"))


def _plugin(plugin: Element, owner: str) -> Iterator[FrameDependentValue]:
    """Yield the numbers of a mimic plugin, or the offsets that any other plugin has in the frame of its body.

    A plugin works in the frame of the body that it names, else of the link `owner`.

    | its plugins: `bodyName`, `body_name`, offsets, gripper links | renamed, moved | offsets move; without one:
    warning | mimic plugins: multiplier, offset |
    """
    if is_mimic_plugin(plugin):
        yield from _mimic_numbers(plugin)
        return
    body = _body_of(plugin, owner)
    ros_1, ros_2 = OFFSETS
    _, *offsets = ros_2 if any(map(plugin.find, ros_2)) else ros_1
    has_offsets = any(map(plugin.find, offsets))
    names_body = any(part.name in OWN_BODY for part in plugin.elements())
    # Points and vectors get warnings of their own, in `_plugin_vectors`.
    tags = {part.name for part in plugin.walk()}
    is_about_body = names_body and tags.isdisjoint((*PLUGIN_POINTS, *PLUGIN_VECTORS))
    # A plugin that reads offsets but has none can be given offsets, if it names its body as such a plugin does.
    is_reader = bool(re.search(READ_OFFSETS, plugin.get("filename") or ""))
    can_be_given = is_reader and any(plugin.find(name) for name, *_ in OFFSETS)
    if has_offsets or (is_about_body and can_be_given):
        places = tuple(child_place(plugin, name) for name in offsets)
        yield FrameDependentValue(plugin, OFFSET_POSE, body, places)
    elif is_about_body:
        yield FrameDependentValue(plugin, FRAME_POSE, body, warning=(PLUGIN_BODY, "offset"))


def _mimic_numbers(plugin: Element) -> Iterator[FrameDependentValue]:
    """Yield the multiplier and the offset of a mimic plugin, which depend on the signs and zeros of its two joints.

    From q_follower = multiplier * q_leader + offset: the multiplier changes its sign with each joint, and the offset with
    the follower. A zero of the leader, times the multiplier, is added to the offset, and a zero of the follower is
    subtracted.
    """
    leader = child_text(plugin, "joint")
    follower = child_text(plugin, "mimicJoint")
    multiplier = child_place(plugin, "multiplier")
    yield FrameDependentValue(
        element=plugin,
        kind=SIGNED,
        link="",
        places=(multiplier,),
        signs=((leader,), (follower,)),
    )
    yield FrameDependentValue(
        element=plugin,
        kind=SIGNED,
        link="",
        places=(child_place(plugin, "offset"),),
        signs=((follower,),),
        zeros=(follower,),
        terms=((leader, multiplier),),
    )


def _plugin_vectors(plugin: Element, owner: str) -> Iterator[FrameDependentValue]:
    """Yield the points, vectors and coefficients of a plugin, each with a warning, as none of them can follow a frame.

    A point or vector is in the frame of the `<link name>` around it, else in the frame of the plugin's body, as the
    coefficients are. Three numbers make a point or a vector; other texts under these tags have other meanings. A mimic
    plugin has none.

    | other points, vectors and coefficients of plugins | warning | warning | |
    """
    if is_mimic_plugin(plugin):
        return
    body = _body_of(plugin, owner)
    for element in plugin.walk():
        link = _link_around(element, plugin) or body
        if element.name in PLUGIN_POINTS and numbers_in(element.text(), 3):
            yield FrameDependentValue(element, FRAME_POSE, link, warning=(PLUGIN_VECTOR, "point"))
        elif element.name in PLUGIN_VECTORS and numbers_in(element.text(), 3):
            yield FrameDependentValue(element, AXES, link, warning=(PLUGIN_VECTOR, "vector"))
    # One warning covers all coefficients.
    if any(re.fullmatch(COEFFICIENT, element.name) for element in plugin.walk()):
        yield FrameDependentValue(plugin, AXES, body, warning=(PLUGIN_VECTOR, "coefficients"))


def _link_around(element: Element, plugin: Element) -> str:
    """Return the name of the nearest `<link name>` around an element of a plugin, "" without one."""
    for ancestor in takewhile(lambda above: above is not plugin, element.upward()):
        if ancestor.name == "link" and ancestor.get("name"):
            return ancestor.get("name") or ""
    return ""


def _body_of(plugin: Element, owner: str) -> str:
    """Return the body in whose frame a plugin works."""
    return next((part.text().strip() for part in plugin.elements() if part.name in OWN_BODY), owner)
