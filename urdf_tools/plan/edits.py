"""What follows a change, as a list of edits, and the ways in which a pose or a number in an element follows."""
import math
from typing import AbstractSet, Dict, List, NamedTuple, Optional, Set, Tuple

from ..base.number_text import format_numbers, negated_text, read_numbers, same_numbers, without_noise
from ..urdf.lossless_xml import Element
from ..urdf.model import Notice, Shape
from ..urdf.spatial import (compose, matrix_from_quaternion, matrix_from_rpy, NO_TURN, Pose, quaternion_from_matrix,
                            rpy_from_matrix, turn_angle, Vector)
from .merging import Membership

ANGLE_NOISE_OF_POSES, LENGTH_NOISE_OF_POSES = 1e-12, 1e-13
SAME_FRAME = 1e-9  # [m and rad]


class Edit(NamedTuple):
    """A new value of an attribute, or of the text when `attribute` is "", of an element or of its child `made`."""

    element: Element
    attribute: str
    value: str
    made: str  # the name of a child that is made for it, or ""


class Followed(NamedTuple):
    """Something that follows, for the plan: its line, what it is, and what happens to it."""

    line: int
    what: str
    how: str


class Following(NamedTuple):
    """`edits` and `drops` are for the pass, `notes` for the plan, `warnings` for what is left alone."""

    edits: Tuple[Edit, ...]
    drops: Tuple[Element, ...]
    notes: Tuple[Followed, ...]
    warnings: Tuple[Notice, ...]


class Changes(NamedTuple):
    """What the rest of the plan changes, and where this module puts what it decides."""

    members: Dict[str, Membership]
    placements: Dict[str, Pose]
    signs: Dict[str, int]
    removed: Set[str]  # joints
    child_of: Dict[str, str]  # by joint name
    shapes: Dict[str, Tuple[Shape, ...]]  # by link
    gone: AbstractSet[int]  # offsets of the shapes that leave
    given: Dict[int, str]  # names that collisions are given, by their offset
    edits: List[Edit]
    drops: List[Element]
    notes: List[Followed]
    warnings: List[Notice]
    surfaces: Dict[Tuple[str, str], Tuple[str, Element]]  # (link, tag) -> (value, tag) of the link's own gazebo blocks

    def merged(self, link: Optional[str]) -> bool:
        return link in self.members and self.members[link].merged

    def target(self, link: str) -> str:
        return self.members[link].target

    def flipped(self, joint: Optional[str]) -> bool:
        return joint is not None and self.signs.get(joint, 1) < 0

    def set(self, element: Element, attribute: str, value: str) -> None:
        self.edits.append(Edit(element, attribute, value, ""))

    def negate(self, element: Element) -> None:
        """Turn the sign of the number that is the text of an element."""
        try:
            self.set(element, "", negated_text(element.text()))
        except ValueError:
            self.warn(element, "is no number, and the sign of its joint changes; left as it is")

    def note(self, element: Element, how: str) -> None:
        self.notes.append(Followed(element.line, place_of(element), how))

    def warn(self, element: Element, message: str) -> None:
        self.warnings.append(Notice(element.line, f"{place_of(element)} {message}"))


def place_of(element: Element) -> str:
    """Return how a user finds the element, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def frame_turns(changes: Changes, link: str) -> bool:
    return link in changes.members and turn_angle(changes.placements[link].rotation, NO_TURN) > SAME_FRAME


def vector_in(text: str) -> Optional[Vector]:
    values = numbers_in(text, 3)
    return (values[0], values[1], values[2]) if values else None


def numbers_in(text: str, count: int) -> Optional[Tuple[float, ...]]:
    try:
        return read_numbers(text, count).values
    except ValueError:
        return None


def set_negated(changes: Changes, element: Element, text: str) -> None:
    try:
        changes.set(element, "", negated_text(text))
    except ValueError:
        changes.warn(element, f"cannot become the negative of '{text.strip()}'; left as it is")


def posed_itself(element: Element) -> bool:
    """True when xyz or rpy stand on the element, and not on an `<origin>` in it."""
    return element.get("xyz") is not None or element.get("rpy") is not None


def follow_pose(changes: Changes, owner: Element, T_new_old: Pose) -> None:
    """Express the `<pose>` of a sensor, light or projector in the new frame of its link."""
    pose = owner.find("pose")
    old = numbers_in(pose.text(), 6) if pose is not None and pose.text().strip() else (0.0,) * 6
    if old is None or pose is not None and (pose.get("relative_to") or pose.get("rotation_format")):
        changes.warn(owner, "has a <pose> of a kind that cannot be moved; left as it is")
        return
    factor = math.radians(1.0) if pose is not None and pose.get("degrees") in ("true", "1") else 1.0
    rpy = (old[3] * factor, old[4] * factor, old[5] * factor)
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), (old[0], old[1], old[2])))
    xyz = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    angles = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    values = (*xyz, *(angle / factor for angle in angles))
    if not same_numbers(old, values):
        if pose is None:
            changes.edits.append(Edit(owner, "", format_numbers(values), "pose"))
        else:
            changes.set(pose, "", format_numbers(values))
        changes.note(owner, "its <pose> moves with the frame")


def move_origin(changes: Changes, owner: Element, T_new_old: Pose, plain: bool = False) -> None:
    """Move the `<origin>` child of an element, or the xyz and rpy on the element itself, with the frame of its link.

    Where there is neither, an `<origin>` is made, or attributes of the element itself when it is a `plain` one.
    """
    origin = owner.find("origin")
    place = owner if origin is None and (plain or posed_itself(owner)) else origin
    xyz, rpy = (vector_in((place.get(key) if place is not None else None) or "0 0 0") for key in ("xyz", "rpy"))
    written = place.get("quat_xyzw") if place is not None else None
    quaternion = numbers_in(written, 4) if written is not None else None
    if xyz is None or rpy is None or written is not None and not (quaternion and any(quaternion)):
        changes.warn(owner, "has an origin that cannot be read; left as it is")
        return
    old = Pose(matrix_from_quaternion(quaternion) if quaternion else matrix_from_rpy(rpy), xyz)
    new = compose(T_new_old, old)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and (turn_angle(old.rotation, new.rotation) < ANGLE_NOISE_OF_POSES if quaternion else (
            same_numbers(rpy, turned))):
        return
    key = "rpy"
    if quaternion:
        key, turned = "quat_xyzw", without_noise(quaternion_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    for attribute, values in (("xyz", moved), (key, turned)):
        if place is None:
            changes.edits.append(Edit(owner, attribute, format_numbers(values), "origin"))
        else:
            changes.set(place, attribute, format_numbers(values))
    changes.note(owner, "its origin moves with the frame")
