"""Decide what follows in `<gazebo>` blocks: surfaces, sensors, joints of the simulator, contacts."""
from ..facts.tags import BODY_TAGS, COLLISION_NAME, FRAME_TAGS
from ..urdf.lossless_xml import Element
from ..urdf.simulator_values import frame_of_pose, KEEP_FLAGS, POSED_IN_LINK, WITHOUT_POSE
from ..urdf.spatial import NO_MOTION
from .edits import Changes, follow_pose, follow_vector, holds_number
from .follow_plugins import follow_frame_name, follow_plugin

SURFACE = ("mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "material", "laserRetro", "selfCollide",
           "self_collide", "turnGravityOff", "gravity", "dampingFactor", "fdir1")
OF_JOINT_IN_GAZEBO = (*KEEP_FLAGS, "springReference", "springStiffness", "stopCfm", "stopErp", "stopKp", "stopKd",
                      "fudgeFactor", "cfmDamping", "implicitSpringDamper")  # without a sign, but for:
SIGNED_OF_JOINT = ("springReference",)
WITHOUT_FRAME = ("visual", "collision", "inertial", "plugin", "kinematic", "enable_wind", "velocity_decay", "mu")


def follow_gazebo(changes: Changes, top: Element) -> None:
    """Decide what follows in a block; the name of both a link and a joint is taken for both, as gz does."""
    name = top.get("reference") or ""
    if changes.removed(name) and not changes.known(name):
        changes.drop(top)
        changes.warn(top, "removed-joint", "belongs to a joint that is merged away: dropped with it")
        return
    if changes.flipped(name):
        _flip_joint_block(changes, top)
    child = changes.child_of(name)
    for sensor in top.elements("sensor") if changes.turns(child) else ():
        if not changes.known(name) or child != name and sensor.get("type") == "force_torque":
            changes.warn(sensor, "sensor-frame", f"measures in the frame of '{child}', which turns")
    if changes.known(name):
        _follow_link_block(changes, top, name)
    for element in top.walk():
        _follow_told_frame(changes, element, top)
        text = element.text().strip()
        if element.name in BODY_TAGS and changes.merged(text):
            changes.rename_link(element, "", text)
        elif element.name in FRAME_TAGS and changes.known(text) and element is not top:
            follow_frame_name(changes, element, text)
        elif element.name == "plugin":
            follow_plugin(changes, element, name)
        elif element.name in ("fdir1", "xyz"):
            _follow_direction(changes, element, top, name)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _follow_contact(changes, element)


def _flip_joint_block(changes: Changes, top: Element) -> None:
    for element in top.elements():
        if element.name in SIGNED_OF_JOINT:
            changes.negate(element)
            changes.note(top, "{0} negated", element.name)
        elif element.name not in (*OF_JOINT_IN_GAZEBO, *SURFACE, *POSED_IN_LINK, "plugin", "collision", "visual",
                                  "inertial"):
            changes.warn(element, "flipped-joint", f"belongs to the joint '{top.get('reference')}', whose sign changes"
                         "; left as it is: turn its sign if it has one")


def _follow_told_frame(changes: Changes, element: Element, top: Element) -> None:
    """Move a `<pose>` with the frame that it is told in: its own link, or the one that it, or a `<frame>`, names."""
    frame, pose = frame_of_pose(element, top), element.find("pose")
    link = _link_of(changes, frame)
    if changes.motion(link) != NO_MOTION:
        follow_pose(changes, element, changes.motion(link))
    for owner, key in ((element, "attached_to"), (pose, "relative_to")):
        name = owner.get(key) or "" if owner is not None else ""
        if owner is not None and name and not changes.rename_link(owner, key, name):
            parts = [part for part in name.split("::") if changes.moves(_link_of(changes, part))]
            if parts and parts != [name]:
                changes.warn(owner, "unreadable-pose", f"is told in '{name}', and the frame of '{parts[-1]}' changes; "
                             "left as it is", parts[-1])


def _link_of(changes: Changes, frame: str) -> str:
    """Return the link whose frame is meant by a name of SDF: a joint's is that of its child."""
    return changes.robot.root if frame == "__model__" else frame if changes.known(frame) else (
        "" if changes.removed(frame) else changes.child_of(frame))


def _follow_direction(changes: Changes, element: Element, top: Element, link: str) -> None:
    """Turn a friction direction, or an axis, with the frame that its `*:expressed_in` names.

    Without one the direction is told in the frame of its collision, which does not turn (sdformat sdf/1.9/surface.sdf),
    and the axis in that of its joint. sdformat hands the `expressed_in` of a direction on in a `<collision>` only.
    """
    frame_key = next((key for key in element.attributes if key.split(":")[-1] == "expressed_in"), "")
    frame = element.get(frame_key) or ""
    owner = _link_of(changes, frame)
    if frame and element.parent is top and top.get("reference"):
        if changes.turns(owner):
            changes.warn(element, "direction-frame", f"names the frame '{frame}', which turns; sdformat reads that in "
                         "<collision><surface> only; left as it is", owner)
    elif owner:
        if changes.moves(owner):
            follow_vector(changes, element, owner)
        changes.rename_link(element, frame_key, frame)
    elif frame and changes.turns(link):
        changes.warn(element, "direction-frame", f"is given in the frame '{frame}', which is no link; left as it is",
                     link)


def _follow_link_block(changes: Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    _drop_unused(changes, top, changes.target(link))
    T_new_old = changes.motion(link)
    for element in top.elements() if T_new_old != NO_MOTION else ():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            if element.name == "sensor":
                _warn_of_implied_frame(changes, element, link)
        elif element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, "unknown-pose", f"holds a <pose>, and the frame of '{link}' changes; left as it is",
                         link)
        elif element.name not in (*SURFACE, *OF_JOINT_IN_GAZEBO, *WITHOUT_FRAME) and holds_number(element) and (
                changes.moves(link)):
            changes.warn(element, "unknown-pose", f"of '{link}', whose frame changes, holds numbers; left as it is",
                         link)
        elif element.name == "inertial" and any(inner.name == "fluid_added_mass" for inner in element.walk()):
            changes.warn(element, "added-mass", f"holds <fluid_added_mass>, and the frame of '{link}' changes; left as "
                         "it is: write it for the new axes")


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
    if changes.turns(link) and not named and any(inner.name == "plugin" for inner in sensor.walk()):
        changes.warn(sensor, "sensor-frame", "has a plugin with no <frame_name>, so its messages are given in the "
                     f"frame of '{link}', which turns while the sensor does not: "
                     "name a frame that looks as the sensor does")


def _follow_contact(changes: Changes, element: Element) -> None:
    """Let a contact sensor find its collision: one without a name gets the name that simulators made up for it.

    Such a name counts the collisions of a link, so it changes when the link is merged, loses one of them, or gets
    more.
    """
    text = element.text().strip()
    named = [shape for link in changes.robot.links.values() for shape in link.shapes
             if shape.source.name == "collision" and shape.source.get("name") == text]
    match = COLLISION_NAME.fullmatch(text)
    link_name = match.group(2) if match else ""
    if named:
        if all(shape.source.offset in changes.removed_shapes for shape in named):
            changes.warn(element, "contact-collision", f"names the collision '{text}', which is removed; left as it is")
    elif link_name in changes.emptied and changes.robot.links[link_name].collisions:
        changes.warn(element, "contact-collision", f"'{text}' is the name that a simulator makes for a collision of "
                     f"'{link_name}', which is in '{changes.emptied[link_name]}' now; left as it is")
    elif match and changes.known(link_name):
        own = [shape for shape in changes.robot.links[link_name].shapes if shape.source.name == "collision"]
        if not changes.merged(link_name) and not any(shape.source.offset in changes.removed_shapes for shape in own):
            others = {place for name, link in changes.robot.links.items() if name != link_name and link.collisions
                      for place in (changes.target(name), changes.emptied.get(name))}
            if match.group(1) and link_name in others:
                changes.warn(element, "contact-collision", f"'{text}' is the name that a simulator makes for a "
                             f"collision of '{link_name}', which has others now; left as it is")
            return
        place = 0 if match.group(1) and len(own) == 1 else int(match.group(3) or 0)
        shape = own[place] if place < len(own) else None
        if shape is None or shape.source.get("name") or shape.source.offset in changes.removed_shapes:
            changes.warn(element, "contact-collision", f"'{text}' is the name that a simulator makes for a collision "
                         f"of '{link_name}', which is removed; left as it is")
            return
        name = changes.given.setdefault(shape.source.offset, text)
        if name == text:
            changes.set(shape.source, "name", text)
            changes.note(element, "the collision of '{0}' is named '{1}'", link_name, text)
        else:
            changes.set(element, "", name)
            changes.note(element, "'{0}' is now '{1}'", text, name)
