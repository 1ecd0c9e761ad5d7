"""Update the collision names in contact sensors of Gazebo."""
import re

from ..base.kinds import CONTACT_COLLISION
from ..facts.tags import COLLISION_NAME
from ..facts.records import Value
from .edits import Changes


def update_collision_name(changes: Changes, value: Value) -> None:
    """Make a contact sensor find its collision: one without a name is given the name that simulators generate for it.

    Such a name has the index of the collision in its link, so it changes when the link is merged, or loses or gains
    collisions.

    | collisions of its contact sensors | the collision is given the name | | |
    """
    element = value.element
    text = element.text().strip()
    named = [shape for link in changes.robot.links.values() for shape in link.shapes
             if shape.source.name == "collision" and shape.source.get("name") == text]
    match = re.fullmatch(COLLISION_NAME, text)
    link_name = match.group(2) if match else ""
    # A name that is written counts first; else it may be a generated one, which is `<link>_collision` and an index.
    if named:
        if all(shape.source.offset in changes.removed_shapes for shape in named):
            changes.warn(element, CONTACT_COLLISION, "removed", text)
    elif link_name in changes.emptied and changes.robot.links[link_name].collisions:
        changes.warn(element, CONTACT_COLLISION, "elsewhere", text, link_name, changes.emptied[link_name])
    elif match and changes.known(link_name):
        shapes = changes.robot.links[link_name].collisions
        if not changes.merged(link_name) and not any(shape.source.offset in changes.removed_shapes for shape in shapes):
            others = {target for name, link in changes.robot.links.items() if name != link_name and link.collisions
                      for target in (changes.target(name), changes.emptied.get(name))}
            if match.group(1) and link_name in others:
                changes.warn(element, CONTACT_COLLISION, "others", text, link_name)
            return
        index = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        shape = shapes[index] if index < len(shapes) else None
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
