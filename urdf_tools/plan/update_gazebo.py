"""Decide what is dropped from `<gazebo>` blocks, and warn of what in them cannot follow."""
from ..base.kinds import ADDED_MASS, FLIPPED_JOINT, REMOVED_JOINT, SENSOR_FRAME, UNKNOWN_POSE, UNREADABLE_POSE
from ..facts.tags import FRAME_TAGS
from ..urdf.lossless_xml import Element
from ..urdf.simulator_values import KEEP_FLAGS, POSED_IN_LINK, WITHOUT_POSE
from ..urdf.spatial import NO_MOTION
from .edits import Changes, holds_number
from .update_plugins import check_plugin

SURFACE = ("mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "material", "laserRetro", "selfCollide",
           "self_collide", "turnGravityOff", "gravity", "dampingFactor", "fdir1")
OF_JOINT_IN_GAZEBO = (*KEEP_FLAGS, "springReference", "springStiffness", "stopCfm", "stopErp", "stopKp", "stopKd",
                      "fudgeFactor", "cfmDamping", "implicitSpringDamper")  # without a sign, or a value that follows
WITHOUT_FRAME = ("visual", "collision", "inertial", "plugin", "kinematic", "enable_wind", "velocity_decay", "mu")


def check_gazebo(changes: Changes, top: Element) -> None:
    """Drop or retarget a block; the name of both a link and a joint is taken for both, as gz does."""
    name = top.get("reference") or ""
    if changes.removed(name) and not changes.known(name):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "block", name)
        return
    if changes.flipped(name):
        _check_joint_block(changes, top, name)
    child = changes.child_of(name)
    for sensor in top.elements("sensor") if changes.frame_rotated(child) else ():
        if not changes.known(name) or child != name and sensor.get("type") == "force_torque":
            changes.warn(sensor, SENSOR_FRAME, "measures", child)
    if changes.known(name):
        _check_link_block(changes, top, name)
    for element in top.walk():
        _check_scoped_frames(changes, element)
        if element.name == "plugin":
            check_plugin(changes, element, name)


def _check_joint_block(changes: Changes, top: Element, joint: str) -> None:
    for element in top.elements():
        if element.name not in (*OF_JOINT_IN_GAZEBO, *SURFACE, *POSED_IN_LINK, "plugin", "collision", "visual",
                                "inertial"):
            changes.warn(element, FLIPPED_JOINT, "of-joint", joint)


def _check_scoped_frames(changes: Changes, element: Element) -> None:
    """Warn of a pose that is told in a frame of scoped name (`robot::link`), which changes."""
    for owner, key in ((element, "attached_to"), (element.find("pose"), "relative_to")):
        name = owner.get(key) or "" if owner is not None else ""
        parts = [part for part in name.split("::") if changes.frame_changed(changes.link_of(part))]
        if owner is not None and parts and parts != [name]:
            changes.warn(owner, UNREADABLE_POSE, "scoped", name, parts[-1])


def _check_link_block(changes: Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    _drop_unused(changes, top, changes.target(link))
    T_new_old = changes.T_new_old(link)
    for element in top.elements() if T_new_old != NO_MOTION else ():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            if element.name == "sensor":
                _warn_of_implied_frame(changes, element, link)
        elif element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, UNKNOWN_POSE, "pose", link)
        elif element.name not in (*SURFACE, *OF_JOINT_IN_GAZEBO, *WITHOUT_FRAME) and holds_number(element) and (
                changes.frame_changed(link)):
            changes.warn(element, UNKNOWN_POSE, "in-block", link)
        elif element.name == "inertial" and any(inner.name == "fluid_added_mass" for inner in element.walk()):
            changes.warn(element, ADDED_MASS, "inertial", link)


def _drop_unused(changes: Changes, top: Element, target: str) -> None:
    """Drop the values in a block for which there is no use any more, or all of it; let the rest be of the target."""
    dropped = [tag for tag in top.elements() if tag.offset in changes.unused]
    whole = dropped and len(dropped) == sum(not isinstance(c, str) or bool(c.strip()) for c in top.children)
    for element in [top] if whole else dropped:
        changes.drop(element)
    if not whole and top.get("reference") != target:
        changes.set(top, "reference", target)
        changes.note(top, "now of '{0}'", target)
    if dropped:
        what = ", ".join(tag.name for tag in dropped)
        changes.note(top, "{0} removed: what '{1}' says, or the default, holds for its content", what, target)


def _warn_of_implied_frame(changes: Changes, sensor: Element, link: str) -> None:
    """Warn of a plugin that publishes in the frame of the link because no other is named: that frame turns."""
    named = any(inner.name in FRAME_TAGS for inner in sensor.walk())
    if changes.frame_rotated(link) and not named and any(inner.name == "plugin" for inner in sensor.walk()):
        changes.warn(sensor, SENSOR_FRAME, "implied", link)
