"""What simulators read in a `<gazebo>`: signs, directions, offsets and names, as numbers of the world."""
import math
from contextlib import suppress
from typing import Iterator, List, Tuple

from ..facts.tags import COLLISION_NAME, IN_TF, OFFSETS, OWN_BODY
from ..urdf.lossless_xml import Element
from ..urdf.simulator_values import frame_of_pose
from ..urdf.spatial import Pose
from .comparison import TOLERANCE
from .looks import COPY_ROOM
from .pairing import NAME_LEFT, POSE_LEFT, said, text_in, value_key
from .raw_robot import pose_of_origin, vector_of
from .rigid_motion import chained, rpy_turn, turned
from .world_values import at_pose, flat, placed_at, signed_number, View, WorldValue


def in_gazebo(view: View, top: Element) -> Iterator[WorldValue]:
    """Yield the values in a `<gazebo>` block."""
    link = top.get("reference") or ""
    for element in top.elements():
        if element.name == "springReference":
            yield from signed_number(element, view.sign(link))
    for element in top.walk():
        yield from at_pose(view, element, view.frames.get(frame_of_pose(element, top)))
        if element.name in ("fdir1", "xyz"):
            yield from _direction_in_world(view, element, top, link)
        elif element.name == "plugin":
            yield from _in_plugin(view, element, link)
        elif element.name in IN_TF:  # the frame of that name is turned as before
            yield from _turn_of_frame(view, element, element.text().strip(), 10.0 * TOLERANCE)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            places = _collisions_called(view, element.text().strip())
            if places:
                yield WorldValue(element, "collision", [(element, "")], [flat(T, 1.0) for T in places], COPY_ROOM,
                                 NAME_LEFT)


def _direction_in_world(view: View, element: Element, top: Element, link: str) -> Iterator[WorldValue]:
    """Yield a direction in the frame of `*:expressed_in`, which sdformat hands on in a `<collision>` only.

    Any other is told in the frame of its collision, and must not change.
    """
    given_in = next((value for key, value in element.attributes.items() if key.endswith("expressed_in")), "")
    T, key = view.frames.get(given_in), value_key(element)
    if not given_in or element.parent is top and link:
        return
    with suppress(ValueError):  # what cannot be read must not change
        direction = vector_of(said(element, key))
        if T is not None:
            yield WorldValue(element, "direction", [(element, key)], [turned(T.rotation, direction)],
                             TOLERANCE * max(1.0, math.hypot(*direction)), POSE_LEFT)
        else:
            yield from _turn_of_frame(view, element, link, TOLERANCE)


def _turn_of_frame(view: View, element: Element, link: str, room: float) -> Iterator[WorldValue]:
    if link in view.robot.links:
        yield WorldValue(element, "frame", (), [sum(view.robot.T_world[link].rotation, ())], room, POSE_LEFT)


def _in_plugin(view: View, plugin: Element, owner: str) -> Iterator[WorldValue]:
    """Yield the numbers of a mimic plugin, or the offsets that a plugin has in the frame of its body."""
    if all(plugin.find(name) is not None for name in ("joint", "mimicJoint", "multiplier")):
        leader, follower = text_in(plugin, "joint"), text_in(plugin, "mimicJoint")
        yield from signed_number(plugin.find("multiplier"), view.sign(leader, follower))
        yield from signed_number(plugin.find("offset"), view.sign(follower))
        return
    body = next((part.text().strip() for part in plugin.elements() if part.name in OWN_BODY), owner)
    named, *spelling = OFFSETS[any(plugin.find(name) is not None for name in OFFSETS[1])]
    written = [offset for offset in map(plugin.find, spelling) if offset is not None]
    if written or plugin.find(named) is not None:
        with suppress(ValueError):
            xyz, rpy = (vector_of(text_in(plugin, name) or None) for name in spelling)
            places = [*((plugin, f"<{name}>") for name in spelling), *((offset, "") for offset in written)]
            T_world_body = view.robot.T_world.get(body)
            yield from placed_at(view, plugin, T_world_body, Pose(rpy_turn(*rpy), xyz), "offsets", places)


def _collisions_called(view: View, name: str) -> List[Pose]:
    """Return where the collisions of a name are in the world; a simulator makes up names for those without one."""
    links = view.robot.links
    found = [(link, pose) for link in links for shape, pose in _collisions_in(links[link]) if shape.get("name") == name]
    match = COLLISION_NAME.fullmatch(name)
    if not found and match is not None and match.group(2) in links:
        shapes = _collisions_in(links[match.group(2)])
        place = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        found = [(match.group(2), pose) for shape, pose in shapes[place:place + 1] if not shape.get("name")]
    return [chained(view.robot.T_world[link], pose) for link, pose in found]


def _collisions_in(link: Element) -> List[Tuple[Element, Pose]]:
    return [(shape, pose_of_origin(shape.find("origin"))) for shape in link.elements("collision")]
