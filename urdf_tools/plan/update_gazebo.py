"""Decide what of a `<gazebo>` block is dropped or retargeted, and warn of what in it cannot be updated."""

from ..base.kinds import REMOVED_JOINT, UNKNOWN_POSE
from ..facts.gazebo_values import is_mimic_plugin
from ..facts.simulator_values import OF_JOINT_IN_GAZEBO, POSED_IN_LINK, SURFACE, WITHOUT_FRAME, WITHOUT_POSE
from ..urdf.lossless_xml import Element
from ..urdf.spatial import IDENTITY_POSE
from .edits import Changes, holds_number, place_of


def check_gazebo(changes: Changes, top: Element) -> None:
    """Drop or retarget a block; a name of both a link and a joint means both, as in gz.

    | `<gazebo reference>` of a joint | dropped with the joint, unless it keeps it | | unknown tags, and joints that a
    plugin names: warning |
    """
    name = top.get("reference") or ""
    if changes.removed(name) and not changes.known(name):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "block", name)
        return
    if changes.remapped(name):
        _check_joint_block(changes, top, name)
    if changes.known(name):
        _check_link_block(changes, top, name)
    for element in top.walk():
        if element.name == "plugin":
            _check_plugin(changes, element)


def _check_joint_block(changes: Changes, top: Element, joint: str) -> None:
    for element in top.elements():
        if element.name not in (*OF_JOINT_IN_GAZEBO, *SURFACE, *POSED_IN_LINK, "plugin", "collision", "visual",
                                "inertial"):
            changes.warn_of_joint(element, "of-joint", place_of(element), joint, joint=joint)


def _check_link_block(changes: Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    _drop_unused(changes, top, changes.target(link))
    T_new_old = changes.T_new_old(link)
    for element in top.elements() if T_new_old != IDENTITY_POSE else ():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            continue
        if element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, UNKNOWN_POSE, "pose", link)
        elif element.name not in (*SURFACE, *OF_JOINT_IN_GAZEBO, *WITHOUT_FRAME) and holds_number(element) and (
                changes.frame_changed(link)):
            changes.warn(element, UNKNOWN_POSE, "in-block", link)


def _drop_unused(changes: Changes, top: Element, target: str) -> None:
    """Drop the values in a block that have no use any more, or all of it; the rest is retargeted.

    | `<gazebo reference>` of a link, `<contact>` in a link (PyBullet) | the link is kept if its contacts differ from
    the target's or the default; with `--merge-all` the target's stay: warning; gravity, self collision and damping
    hold for all that fixed joints hold together, as Gazebo reads them; of several values the one that Gazebo takes
    counts | other numbers and poses: warning | |
    """
    dropped = [tag for tag in top.elements() if tag.offset in changes.unused]
    whole = dropped and len(dropped) == sum(not isinstance(c, str) or bool(c.strip()) for c in top.children)
    for element in [top] if whole else dropped:
        changes.drop(element)
    if not whole and top.get("reference") != target:
        changes.set(top, "reference", target)
        changes.note(top, "owner", target)
    if dropped:
        what = ", ".join(tag.name for tag in dropped)
        changes.note(top, "settled", what, target)


def _check_plugin(changes: Changes, plugin: Element) -> None:
    """Warn of joints with a new sign or zero that a plugin names, but for a mimic plugin, whose numbers are updated."""
    for element in plugin.walk() if not is_mimic_plugin(plugin) else ():
        names = [value for key, value in element.attributes.items() if key not in ("filename", "name", "type") or (
            key == "name" and element is not plugin)]
        for name in [*names, *([] if element is plugin or element.elements() else [element.text().strip()])]:
            changes.warn_of_joint(plugin, "plugin", place_of(plugin), name, joint=name)
