"""Let contact sensors of Gazebo find their collisions."""
import re

from ..base.kinds import CONTACT_COLLISION
from ..facts.tags import COLLISION_NAME
from ..facts.records import Value
from .edits import Changes


def update_collision_name(changes: Changes, value: Value) -> None:
    """Let a contact sensor find its collision: one without a name gets the name that simulators made up for it.

    Such a name counts the collisions of a link, so it changes when the link is merged, loses one of them, or gets
    more.

    | collisions of its contact sensors | the collision is given the name | | |
    """
    element = value.element
    text = element.text().strip()
    named = [shape for link in changes.robot.links.values() for shape in link.shapes
             if shape.source.name == "collision" and shape.source.get("name") == text]
    match = re.fullmatch(COLLISION_NAME, text)
    link_name = match.group(2) if match else ""
    if named:
        if all(shape.source.offset in changes.removed_shapes for shape in named):
            changes.warn(element, CONTACT_COLLISION, "removed", text)
    elif link_name in changes.emptied and changes.robot.links[link_name].collisions:
        changes.warn(element, CONTACT_COLLISION, "elsewhere", text, link_name, changes.emptied[link_name])
    elif match and changes.known(link_name):
        own = [shape for shape in changes.robot.links[link_name].shapes if shape.source.name == "collision"]
        if not changes.merged(link_name) and not any(shape.source.offset in changes.removed_shapes for shape in own):
            others = {target for name, link in changes.robot.links.items() if name != link_name and link.collisions
                      for target in (changes.target(name), changes.emptied.get(name))}
            if match.group(1) and link_name in others:
                changes.warn(element, CONTACT_COLLISION, "others", text, link_name)
            return
        index = 0 if match.group(1) and len(own) == 1 else int(match.group(3) or 0)
        shape = own[index] if index < len(own) else None
        if shape is None or shape.source.get("name") or shape.source.offset in changes.removed_shapes:
            changes.warn(element, CONTACT_COLLISION, "made-up-removed", text, link_name)
            return
        name = changes.given.setdefault(shape.source.offset, text)
        if name == text:
            changes.set(shape.source, "name", text)
            changes.note(element, "collision", link_name, text)
        else:
            changes.set(element, "", name)
            changes.note(element, "renamed", text, name)
