"""The kinds of diagnostics of an SRDF that follows."""
from typing import Dict, Tuple

from ..base.diagnostics import Kind, WARNING
from ..base.kinds import KEEP_LINKS

SRDF_NAME = Kind("srdf-name", WARNING, "the SRDF names something that the robot does not have", "correct the name",
    False, {
    "unknown": "<{1} {2}='{0}'> names no {3} of the robot{4}"}, '<group name="g"><link name="nobody"/></group>')
TIP_MOVED = Kind("tip-moved", WARNING, "the frame of a planner's goals moves or turns", KEEP_LINKS, True, {
    "merged": "{1}: the frame of '{0}' is now that of '{2}', {n0} m away and turned by {n1} degrees, and what is "
        "given in it, such as a pose goal, changes with it",
    "moved": "{1}: the frame of '{0}' is now {n0} m away and turned by {n1} degrees, and what is given in it, such as "
        "a pose goal, changes with it",
    "turned": "{1}: the frame of '{0}' is now turned by {n1} degrees, and what is given in it, such as a pose goal, "
        "changes with it; --no-reorient keeps it"},
    '<group name="leg"><chain base_link="base_link" tip_link="shin"/></group>')
SRDF_GROUP = Kind("srdf-group", WARNING, "a group of the SRDF gains a joint", KEEP_LINKS, False, {
    "joint": "group '{3}': with '{0}' in the place of '{1}' it moves joint '{2}'"},
    '<group name="leg"><link name="foot"/></group>')
SRDF_STATE = Kind("srdf-state", WARNING, "a value of a state that cannot follow", "write it anew", True, {
    "free-joint": "state '{0}': the position of joint '{1}' is given in a frame that turns; left as it is",
    "free-flyer": "state '{0}': '{1}' says how the base lies in the world, and the base turns; left as it is",
    "written": "state '{0}': '{1}' says how the base lies in the world, and the base turns; left as it is; for the "
        "same place write {2}",
    "number": "state '{0}': joint '{1}' changes sign, and its value '{2}' is not a number; left as it is",
    "zero": "state '{0}': joint '{1}' moves its zero, and its value '{2}' is not a number; left as it is"},
    '<group_state name="home" group="g"><joint name="knee" value="one"/></group_state>')
SRDF_ROOT = Kind("srdf-root", WARNING, "a virtual joint and the root do not fit, or the root turns",
    "turn what states the pose of the robot", True, {
    "turned": "{0} places the root '{1}', whose frame turns: what states its pose must turn too",
    "moved": "{0} places '{1}' now, which lies elsewhere than the root before",
    "other": "{0} holds '{1}', but the root is '{2}'"},
    '<virtual_joint name="v" type="fixed" parent_frame="world" child_link="shin"/>')
SRDF_COLLISIONS = Kind("srdf-collisions", WARNING, "a pair of links is checked differently than before", KEEP_LINKS,
    False, {
    "checked": "collisions between '{2}' and '{3}' are checked now; the input left out '{0}' against '{1}'",
    "unchecked": "collisions between '{2}' and '{3}' are not checked any more; the input still checked '{0}' against "
        "'{1}'",
    "unchecked-more": "collisions between '{2}' and '{3}' are not checked any more; the input still checked '{0}' "
        "against '{1}' and {n0} more",
    "default": "no collision of '{1}' is checked by default any more; the input said so of other shapes in it, but "
        "not of those of '{0}'"}, '<disable_collisions link1="base_link" link2="foot"/>')
SRDF_SPHERES = Kind("srdf-spheres", WARNING, "collision spheres are missing or cannot be read", "add them", True, {
    "missing": "<link_sphere_approximation link='{0}'> has no spheres for the shapes of '{1}', which are in this link "
        "now",
    "center": "<sphere center> of link '{0}': {1}; left as it is"},
    '<link_sphere_approximation link="shin"><sphere center="0 0 0" radius="1"/></link_sphere_approximation>')
SRDF_LEFT = Kind("srdf-left", WARNING, "an element of the SRDF that is unknown names something that changes",
    "change by hand what it names, and its numbers in frames that change", True, {
    "merged": "{1} names a link that is merged into '{2}'; left as it is",
    "merged-numbers": "{1} names a link that is merged into '{2}', which has another frame, and comes with numbers; "
        "left as it is",
    "removed": "{1} names a joint that is merged away; left as it is",
    "dropped": "{1} names a link or joint that is dropped; left as it is",
    "flipped": "{1} names a joint whose sign changes; left as it is",
    "moved": "{1} names a joint whose zero moves; left as it is",
    "turned": "{1} names a link whose frame turns, and comes with numbers; left as it is",
    "handle": "<{1}> of <{2} name='{3}'> cannot be read, and the frame of '{0}' changes; left as it is"},
    '<note link="foot"/>')

# What the plan says of an element that follows.
FOLLOWED: Dict[str, str] = {
    "name": "is now '{0}'",
    "of-group": "removed from group '{0}': it is merged away",
    "lost": "goes with what it names, which is dropped or locked",
    "zero": "'{0}' changes zero: {1} -> {2}",
    "both": "'{0}' changes sign and zero: {1} -> {2}",
    "of-state": "removed from state '{0}': it is merged away",
    "joint": "dropped: it is merged away",
    "sign": "'{0}' changes sign: {1} -> {2}",
    "pair-again": "dropped: the pair is listed already",
    "one-link": "dropped: both are one link now",
    "link-again": "dropped: the link is listed already",
    "centers": "its centers move with the frame",
    "part": "its <{0}> moves with the frame"}
SRDF_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
