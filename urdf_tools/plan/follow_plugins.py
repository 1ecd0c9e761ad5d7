"""Decide what follows in the plugins of a simulator: bodies, offsets, vectors, names of frames and joints."""
import re
from typing import Optional

from ..base.number_text import format_numbers, numbers_in, same_numbers
from ..facts.tags import OFFSETS, OWN_BODY
from ..urdf.lossless_xml import Element
from ..urdf.spatial import NO_MOTION, ZERO
from .edits import Changes, child_text, moved_pose, vector_in

PLUGIN_VECTORS = ("axis", "direction", "gravity", "forward", "upward", "normal")  # in the frame of a plugin's body
PLUGIN_POINTS = ("cp", "center_of_volume")  # in that frame, too
READ_OFFSETS = re.compile("p3d|imu", re.I)  # files of plugins that read them: gazebo_ros_p3d, _imu, _imu_sensor
COEFFICIENT = re.compile(r"[xyzkmn](Dot)?[UVWPQR](abs)?[UVWPQR]?")  # of gz hydrodynamics, along the axes of its body


def follow_plugin(changes: Changes, plugin: Element, owner: str) -> None:
    """Move the offsets that are given in the frame of the body; warn of vectors and joints that a plugin names."""
    if _follow_mimic_plugin(changes, plugin):
        return
    bodies = [e.text().strip() for e in plugin.elements() if e.name in OWN_BODY]
    body = bodies[0] if bodies else owner
    coefficients = 0
    for element in plugin.walk():
        names = [value for key, value in element.attributes.items() if key not in ("filename", "name", "type") or (
            key == "name" and element is not plugin)]
        for name in [*names, *([] if element is plugin or element.elements() else [element.text().strip()])]:
            if changes.flipped(name):
                changes.warn(plugin, "flipped-joint", f"names the joint '{name}', whose sign changes: look at its "
                                                      "gains and directions")
        link = _link_around(element, plugin) or body
        if element.name in PLUGIN_POINTS and changes.moves(link) and numbers_in(element.text(), 3):
            changes.warn(element, "plugin-vector", f"is a point, and the frame of '{link}' changes; left as it is")
        elif element.name in PLUGIN_VECTORS and changes.turns(link) and numbers_in(element.text(), 3):
            changes.warn(element, "plugin-vector", f"is a vector, and the frame of '{link}' turns; left as it is")
        coefficients += COEFFICIENT.fullmatch(element.name) is not None
    if coefficients and changes.turns(body):
        changes.warn(plugin, "plugin-vector", f"has coefficients along the axes of '{body}', which turn; left as they "
                     "are: write them for the new axes")
    _move_offsets(changes, plugin, body)


def _link_around(element: Element, plugin: Element) -> Optional[str]:
    """Return the name of the `<link name="...">` in the plugin that holds the element, or None."""
    above = element.parent if element is not plugin else None
    while above is not None and above is not plugin:
        if above.name == "link" and above.get("name"):
            return above.get("name")
        above = above.parent
    return None


def _move_offsets(changes: Changes, plugin: Element, body: str) -> None:
    spelling = OFFSETS[any(map(plugin.find, OFFSETS[1]))][1:]
    offsets = [plugin.find(name) for name in spelling]
    # A body that is named is worked in, but for forces along the axes of the world; vectors are warned of one by one.
    in_world = child_text(plugin, "force_frame") == "world"
    named = not in_world and any(part.name in OWN_BODY for part in plugin.elements()) and not any(
        part.name in (*PLUGIN_POINTS, *PLUGIN_VECTORS) for part in plugin.walk())
    if changes.motion(body) == NO_MOTION or not any(offsets) and not (named and changes.moves(body)):
        return
    reads = READ_OFFSETS.search(plugin.get("filename") or "") and (plugin.find("bodyName") or plugin.find("body_name"))
    if not any(offsets) and not reads:
        changes.warn(plugin, "plugin-body", f"works in the frame of '{body}', which changes, and has no offset that "
                     f"could follow; left as it is: check it, or keep the frame with {changes.way_to_keep(body)}",
                     body)
        return
    xyz, rpy = (vector_in(offset.text()) if offset is not None else ZERO for offset in offsets)
    if xyz is None or rpy is None:
        changes.warn(plugin, "unreadable-pose", "has offsets that cannot be read; left as they are")
        return
    moved, turned = moved_pose(changes.motion(body), xyz, rpy)
    if same_numbers(xyz, moved) and same_numbers(rpy, turned):
        return
    for name, values in zip(spelling, (moved, turned)):
        changes.set(plugin, "", format_numbers(values), name)
    changes.note(plugin, "its offsets move with the frame of '{0}'", body)


def _follow_mimic_plugin(changes: Changes, plugin: Element) -> bool:
    """Turn the signs of a plugin that lets `<mimicJoint>` follow `<joint>`; return True if it is one."""
    parts = [plugin.find(name) for name in ("joint", "mimicJoint", "multiplier", "offset")]
    leader, follower, multiplier, offset = parts
    if leader is None or follower is None or multiplier is None:
        return False
    own, other = changes.flipped(follower.text().strip()), changes.flipped(leader.text().strip())
    if own != other:
        changes.negate(multiplier)
    if own and offset is not None:
        changes.negate(offset)
    if own or other:
        changes.note(plugin, "its multiplier and offset follow the signs")
    return True


def follow_frame_name(changes: Changes, element: Element, link: str) -> None:
    """Rename a frame only if the target's is the same frame: readers look up frames in TF."""
    if changes.merged(link):
        if not changes.moves(link):
            changes.set(element, "", changes.target(link))
            changes.note(element, "'{0}' is now '{1}', the same frame", link, changes.target(link))
    elif changes.turns(link):
        changes.warn(element, "frame-name", f"names the frame '{link}', which turns", link)
