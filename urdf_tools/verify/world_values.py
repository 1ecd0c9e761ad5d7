"""What elements outside links and joints say, in numbers of the world: a sign undone, a place as it is at zero.

Each rule reads both texts in the same way, so a value of the result must be that of the input, or be left as it is with
a warning. Nothing of the plan is needed to know what becomes of it.
"""
import math
from contextlib import suppress
from functools import partial
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.spatial import NO_MOTION, Pose
from .comparison import TOLERANCE
from .pairing import NAME_LEFT, Pairing, POSE_LEFT, said, SIGN_LEFT, value_key
from .raw_robot import number_of, numbers_of, pose_of_origin, RawRobot
from .rigid_motion import chained, rpy_turn

ORIGIN_KEYS = ("xyz", "rpy", "quat_xyzw")


class View(NamedTuple):
    """One of both texts.

    Attributes:
        frames: T_world_frame of the frames that have a name: links, joints (that of the child), `__model__`.
        signs: of the input, -1 by the name of a joint that changes its sign.
        size: how far anything is from the root [m].
    """

    robot: RawRobot
    frames: Dict[str, Pose]
    signs: Dict[str, int]
    size: float

    def sign(self, *joints: str) -> int:
        """Return the product of the signs of joints."""
        return math.prod(self.signs.get(joint, 1) for joint in joints)


class WorldValue(NamedTuple):
    """One value.

    Attributes:
        element, what: whose it is, and what it is there.
        places: where it is written: an element, and its attribute, "" for its text, "<name>" for a child that is made.
        numbers: what it is in the world; any one of them will do, None: it cannot be known.
        room: how far the numbers of the result may be off.
        excuses: kinds of warnings, about the element or what it is in, that say that it is left as it is.
    """

    element: Element
    what: str
    places: Sequence[Tuple[Element, str]]
    numbers: Optional[Sequence[Sequence[float]]]
    room: float
    excuses: FrozenSet[str]


def prove_values(pairing: Pairing, before: Iterable[WorldValue], after: Iterable[WorldValue]) -> None:
    """Find each value of the input in the result; note the places where it is written as proven."""
    there: Dict[Tuple[int, str], List[WorldValue]] = {}
    for value in after:
        there.setdefault((value.element.offset, value.what), []).append(value)
    for value in before:
        element = value.element
        if element.offset not in pairing.partner:  # it is dropped
            continue
        others = there.get((pairing.partner[element.offset].offset, value.what))
        found = others.pop(0).numbers or () if others else ()
        excused = any(pairing.is_excused(one, value.excuses) for one in (element, *(one for one, _ in value.places)))
        apart = min([0.0 if old == new else math.dist(old, new)  # of what is endless there is no distance
                     for old in value.numbers or () for new in found if len(old) == len(new)], default=math.inf)
        if value.numbers is None and excused:
            pairing.comparison.worst.require(_is_kept_or_negated(value, pairing), (
                f"<{element.name}> of line {element.line}: its {value.what} is neither as it was nor negated"))
        if value.numbers is not None or excused:
            pairing.proven.update((one.offset, key) for one, key in value.places)
        if value.numbers is not None and not apart <= value.room:
            left = all(_written(one, key) == _written(pairing.partner[one.offset], key) for one, key in value.places)
            pairing.comparison.worst.require(left and excused, f"<{element.name}> of line {element.line}: its "
                                                               f"{value.what} in the world is off by {apart:.3g}")


def _is_kept_or_negated(value: WorldValue, pairing: Pairing) -> bool:
    """Return True if what cannot be known holds only words that it held before, or the negative of one."""
    old = [_written(one, key) for one, key in value.places if key != "name"]
    new = [_written(pairing.partner[one.offset], key) for one, key in value.places if key != "name"]
    return all(word in old or any(map(partial(_are_opposite, word), old)) for word in new)


def _are_opposite(one: str, other: str) -> bool:
    with suppress(ValueError):
        return number_of(one) == -number_of(other)
    return False


def _written(element: Element, key: str) -> str:
    return str(element.find(key[1:-1]) is not None) if key.startswith("<") else said(element, key)


def signed_number(element: Optional[Element], sign: int, key: Optional[str] = None) -> Iterator[WorldValue]:
    """Yield a number times a sign: in an attribute, else in `value`, else in the text; nothing for what is none."""
    if element is not None:
        key = value_key(element) if key is None else key
        with suppress(ValueError):  # what is no number must not change
            value = number_of(said(element, key))
            yield WorldValue(element, "number", [(element, key)], [(sign * value,)], 1e-12 * max(1.0, abs(value)),
                             SIGN_LEFT)


def placed_at(view: View, element: Element, T_world_frame: Optional[Pose], pose: Pose, what: str = "pose",
              places: Sequence[Tuple[Element, str]] = ()) -> Iterator[WorldValue]:
    """Yield a pose in a frame, if that is known; without `places` as sensors, frames and loops have it."""
    if T_world_frame is not None:
        parts = [part for part in element.elements() if part.name in ("origin", "pose")]
        places = places or [(element, "<origin>"), (element, "<pose>"), *(
            (part, key) for part in (element, *parts) for key in (("",) if part.name == "pose" else ORIGIN_KEYS))]
        yield WorldValue(element, what, places, [flat(chained(T_world_frame, pose), view.size)],
                         TOLERANCE * view.size, POSE_LEFT | NAME_LEFT)


def flat(T: Pose, size: float) -> Tuple[float, ...]:
    """Return a pose as numbers: the place [m], and the rotation as far as it moves what is `size` [m] away."""
    return (*T.translation, *(size * entry for row in T.rotation for entry in row))


def at_origin(view: View, element: Element, link: str) -> Iterator[WorldValue]:
    """Yield the pose that xyz and rpy, on an element or on its `<origin>`, give it in a link."""
    with suppress(ValueError):
        pose = pose_of_origin(element.find("origin") or element)
        yield from placed_at(view, element, view.robot.T_world.get(link), pose)


def at_pose(view: View, element: Element, T_world_frame: Optional[Pose]) -> Iterator[WorldValue]:
    """Yield the pose that the `<pose>` of an element gives it in a frame."""
    pose, T_frame_element = element.find("pose"), NO_MOTION
    if pose is not None and pose.text().strip():
        try:
            x, y, z, a, b, c = numbers_of(pose.text(), 6)
        except ValueError:
            return
        if pose.get("rotation_format"):
            return
        factor = math.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
        T_frame_element = Pose(rpy_turn(factor * a, factor * b, factor * c), (x, y, z))
    yield from placed_at(view, element, T_world_frame, T_frame_element)
