"""The kinds of diagnostics of edits, and what the plan says of an element that follows."""
from typing import Dict, Tuple

from ..base.diagnostics import Kind, NOTE, WARNING

NAME_LEFT = Kind("name-left", NOTE, "something is called like what was renamed", "rename it by hand if it means that",
    False, {
    "called": "{0} is called like '{1}', which has another name now; left as it is",
    "comments": "{n0:comment} {n0:names|name} what has another name now; left as {n0:it is|they are}"},
    '<gazebo><plugin name="shin"/></gazebo> edit --rename shin=calf')
SAID_ELSEWHERE = Kind("said-elsewhere", WARNING, "what was set is said elsewhere, too", "change it there as well",
    True, {
    "control": "{0} has limits of joint '{1}' too; left as they are",
    "safety": "{0} has soft limits of joint '{1}'; left as they are"},
    '<ros2_control name="c" type="system"><joint name="knee"><command_interface name="effort"><param name="max">1'
    '</param></command_interface></joint></ros2_control> edit --set knee.effort=2')
PLUGIN_TWICE = Kind("plugin-twice", WARNING, "both robots have a plugin or setting of the model, with other parameters",
    "leave one of them out", True, {
    "settings": "{0} holds for the whole model, and {1} has other settings, which are left out",
    "model": "{0} is loaded by {1}, too, with other parameters; both stay"},
    '<gazebo><plugin name="p" filename="libcontrol.so"/></gazebo> edit --attach "hand.urdf foot"')
MIRROR_LEFT = Kind("mirror-left", WARNING, "something of a mirrored sub-tree has no twin, or cannot be mirrored",
    "write it for the twin by hand", True, {
    "outside": "{0} names '{1}' and more than the sub-tree; the twin is not in it",
    "frame": "{0} is given in the frame of '{1}' in a way that cannot be mirrored; the twin has it as it is"},
    '<drake:collision_filter_group name="g"><drake:member link="shin"/></drake:collision_filter_group> edit '
    '--mirror "shin /^/=twin_"')
LIKE = Kind("like", WARNING, "a description that was made like another still differs, or rests on a guess",
    "compare the two files; --map of compare says which joints are the same", True, {
    "outside": "joint '{0}': the zero of the other lies at {n0}, outside of its limits from {n1} to {n2}",
    "limits": "joint '{0}': its zero at {n0} rests on the limits alone; {1} would fit as well",
    "none": "joint '{0}': nothing shows its zero, at {n0}; {1} would fit as well",
    "counts": "joint '{0}' counts otherwise than in {1} still",
    "left": "beside that this is not {0}: {n0:difference} ({1}), as compare lists them"},
    '<inertial><mass value="3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial> edit '
    '--like other.urdf')

INERTIA_FROM = Kind("inertia-from", WARNING, "masses from shapes rest on something that the shapes do not say",
    "look at the meshes, or name the links that are meant", False, {
    "no-shape": "{0} has no {1} to compute from; its mass properties stay",
    "turned": "{0}: '{1}' is inside out, its volume is negative; it is taken the other way round"},
    '<link name="base_link"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    '</inertial></link> edit --inertia-from visual')
PARTS_OVERLAP = Kind("parts-overlap", NOTE, "masses from shapes count twice what parts of a link share",
    "nothing, if they only touch; else --inertia-from hull, or one closed mesh", False, {
    "boxes": "{0} has parts whose boxes overlap: what they share counts twice"},
    '<link name="base_link"><visual><geometry><sphere radius="1"/></geometry></visual><visual><geometry>'
    '<box size="1 1 1"/></geometry></visual></link> edit --inertia-from visual --density *=1')

# What the plan says of an element that follows.
FOLLOWED: Dict[str, str] = {
    "renamed": "is now '{0}'",
    "plugin": "{0} has the same plugin, which is there once",
    "twin": "the twin of '{0}' is in it, too",
    "copied": "the twin has such a <{0}>",
    "shifted": "its frame is shifted by {0} m, onto the axis of the joint below it",
    "dropped": "removed with '{0}'",
    "sensor": "joint '{0}' is turned round: it measures the same in the other direction",
    "chain": "a list of {0}: it is turned round"}
EDIT_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
