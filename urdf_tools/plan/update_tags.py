"""The checks by tag: which elements are dropped or retargeted, with warnings of parts that cannot be updated."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import Callable, Dict

from ..base.run_diagnostics import (
    HARDWARE_SIGN,
    REMOVED_JOINT,
    TRANSMISSION_SIGN,
    UNKNOWN_POSE,
    WIDER_FILTER,
)
from ..urdf.urdf_records import JointMap
from ..urdf.lossless_xml import Element
from ..urdf.spatial_math import IDENTITY_POSE
from ..facts.robot_values import (
    child_text,
    DIRECTED,
    MIMIC_PARAMETERS,
    PARTS_OF_CONTROL,
    REDUCTIONS,
    SIMULATORS,
)
from ..facts.simulator_values import (
    OF_JOINT_IN_GAZEBO,
    POSED_IN_LINK,
    SURFACE,
    WITHOUT_FRAME,
    WITHOUT_POSE,
)
from ..facts.frame_dependent_values import joints_named_in
from .reference_updates import ReferenceChanges, holds_number


def _check_gazebo(changes: ReferenceChanges, top: Element) -> None:
    """Drop or retarget a block; a name of both a link and a joint means both, as in gz.

    | `<gazebo reference>` of a joint | dropped with the joint, unless it keeps it | | unknown tags: warning |
    """
    name = top.get("reference") or ""
    if changes.is_removed_joint(name) and not changes.is_known_link(name):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "block", name)
        return
    if changes.is_remapped(name):
        _check_joint_block(changes, top, name)
    if changes.is_known_link(name):
        _check_link_block(changes, top, name)


# Elements in the block of a joint of which it is known whether they depend on the joint.
KNOWN_IN_JOINT_BLOCK = frozenset(
    {*OF_JOINT_IN_GAZEBO, *SURFACE, *POSED_IN_LINK, "plugin", "collision", "visual", "inertial"}
)


def _check_joint_block(changes: ReferenceChanges, top: Element, joint: str) -> None:
    """Warn of unknown elements in the block of a joint: they may depend on its sign, zero or frame."""
    for element in top.elements():
        if element.name not in KNOWN_IN_JOINT_BLOCK:
            changes.warn_of_joint(element, "part", joint)


def _check_link_block(changes: ReferenceChanges, top: Element, link: str) -> None:
    """Retarget the block of a merged link, and warn of poses and directions in it that cannot follow the frame."""
    _drop_unused(changes, top, changes.target(link))
    T_new_old = changes.T_new_old(link)
    if T_new_old == IDENTITY_POSE:
        return
    for element in top.elements():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            continue
        if element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, UNKNOWN_POSE, "pose", link)
        elif (
            # fdir1 is given in the frame of the collision, whose own origin takes up the turn.
            element.name not in (*SURFACE, *OF_JOINT_IN_GAZEBO, *WITHOUT_FRAME)
            and holds_number(element)
            and (changes.is_frame_changed(link))
        ):
            changes.warn(element, UNKNOWN_POSE, "in-block", link)


def _drop_unused(changes: ReferenceChanges, top: Element, target: str) -> None:
    """Drop the unused values in a block, or the whole block; retarget the rest.

    | `<gazebo reference>` of a link, `<contact>` in a link (PyBullet) | the link is kept if its contacts differ from
    the target's or the default; with `--merge-all` the target's stay: warning; gravity, self collision and damping
    hold for all that fixed joints hold together, as Gazebo reads them; of several values the one that Gazebo takes
    counts | other numbers and poses: warning | |
    """
    dropped = [tag for tag in top.elements() if tag.offset in changes.unused_tags]
    # Text and comments count as content, so the block stays.
    whole = dropped and len(dropped) == sum(
        not isinstance(c, str) or bool(c.strip()) for c in top.children
    )
    going = [top] if whole else dropped
    for element in going:
        changes.drop(element)
    if not whole and top.get("reference") != target:
        changes.set(top, "reference", target)
        changes.note(top, "owner", target)
    if dropped:
        what = ", ".join(tag.name for tag in dropped)
        changes.note(top, "settled", what, target)


def _check_transmission(changes: ReferenceChanges, top: Element) -> None:
    """Drop a transmission with its joint; warn of one whose joint is flipped."""
    joints = joints_named_in(top)
    if joints and all(map(changes.is_removed_joint, joints)):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "drives", joints[0])
        return
    for joint in joints:
        if changes.is_flipped(joint):
            wanted = _turned_transmission(top, joint, changes.map_of(joint))
            changes.warn(top, TRANSMISSION_SIGN, "drives", joint, wanted)
        elif not any(joint == element.get("name") for element in top.elements("joint")):
            changes.warn_of_joint(top, "names", joint)


def _turned_transmission(top: Element, name: str, joint_map: JointMap) -> str:
    """Return the reduction and offset that a flipped joint needs: q = a / n + offset, so both change their sign.

    The zero is subtracted from the offset first; a missing offset is 0.

    With a single actuator, n may be the actuator's reduction (ROS 1, where the joint's is not read); otherwise it is
    the joint's.
    """
    joints = [e for e in top.walk() if e is not top and name in (e.get("name"), e.text().strip())]
    actuators = [e for e in top.elements() if e.name.lower().endswith("actuator")]
    places = [*joints, top]
    if len(actuators) == 1:
        places = [*actuators, *places]
    parts = chain.from_iterable(map(holder.find, REDUCTIONS) for holder in places)
    written = [part for part in parts if part is not None][:1]
    of_joints = chain.from_iterable(joint.elements("offset") for joint in joints)
    offsets = [part.text() for part in of_joints]
    if not offsets and joint_map.zero != 0.0:
        offsets = ["0"]
    turned = []
    for tag, text, its_map in (
        *((part.name, part.text(), JointMap(-1)) for part in written),
        *(("offset", text, joint_map) for text in offsets),
    ):
        # A text that is not a number has no opposite.
        with suppress(ValueError):
            turned.append(f"<{tag}>{its_map.text_of(text)}</{tag}>")
    return " and ".join(turned) or "its reduction with the other sign"


def _check_ros2_control(changes: ReferenceChanges, top: Element) -> None:
    """Drop joints that were removed or fixed, and the whole block if no joint remains; warn of hardware with signs."""
    plugin = child_text(top.find("hardware") or top, "plugin")
    inside = [transmission.walk() for transmission in top.elements("transmission")]
    in_transmission = {element.get("name") for element in chain.from_iterable(inside)}
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if changes.is_dropped(joint):
            continue
        if changes.is_removed_joint(name):
            changes.drop(joint)
            changes.warn(joint, REMOVED_JOINT, "of-control", name)
        elif changes.is_remapped(name):
            # Simulated hardware reads the URDF, and transmissions have their own warning: only real drivers need an
            # update.
            _check_interfaces(changes, joint, name)
            if plugin and plugin.split("/")[0] not in SIMULATORS and name not in in_transmission:
                for sentence, holds in (
                    ("driver", changes.is_flipped(name)),
                    ("zero", changes.map_of(name).zero != 0.0),
                ):
                    if holds:
                        changes.warn(joint, HARDWARE_SIGN, sentence, name, plugin)
    for transmission in top.elements("transmission"):
        if not changes.is_dropped(transmission):
            _check_transmission(changes, transmission)
    parts = [part for part in top.elements() if part.name in PARTS_OF_CONTROL]
    if parts and all(map(changes.is_dropped, parts)):
        changes.drop(top)


def _check_interfaces(changes: ReferenceChanges, joint: Element, name: str) -> None:
    """Warn of each part of a joint that drivers read and that does not follow the sign or zero of the joint."""
    is_follower = any(part.get("name") == "mimic" for part in joint.elements("param"))
    following = MIMIC_PARAMETERS if is_follower else ()
    for part in joint.elements():
        named = part.get("name") or ""
        if part.name == "param":
            stays = named not in following
        elif part.name == "limits":
            stays = bool(part.elements() or set(part.attributes) - {"enable"})
        else:
            stays = bool(part.elements("param")) and not named.endswith(DIRECTED)
        if stays:
            changes.warn_of_joint(part, "part", name)


def _check_sensor(changes: ReferenceChanges, top: Element) -> None:
    """Warn of a sensor in a removed joint, as a whole: it has lost the frame of its origin."""
    for parent in top.elements("parent"):
        joint = parent.get("joint") or ""
        if changes.is_removed_joint(joint):
            changes.warn(top, REMOVED_JOINT, "measures", joint)


def _check_filter(changes: ReferenceChanges, top: Element) -> None:
    """Warn of a collision filter group that covers more links than in the input."""
    members = {element.get("link") for element in top.walk()}
    for element in top.walk():
        link = element.get("link") or ""
        if changes.is_merged(link) and changes.target(link) not in members:
            changes.warn(element, WIDER_FILTER, "link", changes.target(link), link)


CHECKS: Dict[str, Callable[[ReferenceChanges, Element], None]] = {
    "gazebo": _check_gazebo,
    "sensor": _check_sensor,
    "transmission": _check_transmission,
    "ros2_control": _check_ros2_control,
    "drake:collision_filter_group": _check_filter,
}
