"""The edits that follow from the plan, and how a pose or a number in an element follows its frame or joint."""
import math
import re
from typing import AbstractSet, Collection, Dict, List, NamedTuple, Optional, Tuple, Union

from ..base.diagnostics import Diagnostic, Kind
from ..base.kinds import Notice
from ..base.number_text import format_numbers, negated_text, NUMBER, numbers_in, same_numbers, without_noise
from ..base.option_table import pasted
from ..urdf.lossless_xml import Element
from ..urdf.model import Edit, Robot
from ..urdf.simulator_values import value_of
from ..urdf.spatial import (compose, matrix_from_quaternion, matrix_from_rpy, move, NO_MOTION, NO_TURN, norm, Pose,
                            quaternion_from_matrix, rotate, rpy_from_matrix, turn_angle, Vector)
from .merging import Membership

ANGLE_NOISE_OF_POSES, LENGTH_NOISE_OF_POSES = 1e-12, 1e-13
SAME_FRAME = 1e-9  # [m and rad]
SEPARATORS = r"[\s,;=()\[\]{}]+"  # between numbers in elements that nobody knows


class Followed(NamedTuple):
    """Something that follows, for the plan: its line, what it is, its tag, and what happens to it: a sentence, filled
    with names."""

    line: int
    what: str
    tag: str
    sentence: str
    names: Tuple[str, ...] = ()

    @property
    def how(self) -> str:
        """What happens to it, in words."""
        return self.sentence.format(*self.names) if self.names else self.sentence


class Following(NamedTuple):
    """`edits` and `drops` are for the pass, `notes` for the plan, `warnings` for what is left alone."""

    edits: List[Edit]
    drops: List[Element]
    notes: List[Followed]
    warnings: List[Diagnostic]


class Changes(NamedTuple):
    """What the follow step goes by, what it has decided so far, and questions about the former.

    Attributes:
        placements: T_new_old of every link: its new frame, or that of the link that it is merged into.
        signs: -1 for a flipped joint, by name.
        removed_joints: the names of joints that are merged away.
        removed_shapes: offsets of the elements of shapes that are removed.
        unused: offsets of simulator tags for which there is no use any more.
        emptied: by link that stays as a frame only, the link that has its content.
        given: new names of collisions, by the offset of their element.
    """

    robot: Robot
    members: Dict[str, Membership]
    placements: Dict[str, Pose]
    signs: Dict[str, int]
    removed_joints: AbstractSet[str]
    removed_shapes: AbstractSet[int]
    unused: AbstractSet[int]
    emptied: Dict[str, str]
    given: Dict[int, str]
    following: Following

    def child_of(self, joint: str) -> str:
        """Return the child link of the joint that a name means, or ""."""
        return self.robot.named[joint].child if joint in self.robot.named else ""

    def known(self, link: Optional[str]) -> bool:
        return link in self.members

    def merged(self, link: Optional[str]) -> bool:
        return link in self.members and self.members[link].merged

    def target(self, link: str) -> str:
        return self.members[link].target

    def removed(self, joint: Optional[str]) -> bool:
        return joint in self.removed_joints

    def flipped(self, joint: Optional[str]) -> bool:
        return joint is not None and self.signs.get(joint, 1) < 0

    def motion(self, link: Optional[str]) -> Pose:
        """Return T_new_old of a link, or NO_MOTION for what is no link."""
        return self.placements.get(link or "", NO_MOTION)

    def moves(self, link: Optional[str]) -> bool:
        """Return True if the frame of the link turns, or becomes that of another place."""
        return norm(self.motion(link).translation) > SAME_FRAME or self.turns(link)

    def turns(self, link: Optional[str]) -> bool:
        return turn_angle(self.motion(link).rotation, NO_TURN) > SAME_FRAME

    def way_to_keep(self, link: str) -> str:
        """Return the option that keeps the frame of a link as it is."""
        return pasted("--keep", link) if self.merged(link) else "--no-reorient"

    def set(self, element: Element, attribute: str, value: str, child: str = "") -> None:
        self.following.edits.append(Edit(element, attribute, value, child))

    def drop(self, element: Element) -> None:
        self.following.drops.append(element)

    def negate(self, element: Element, attribute: Optional[str] = None) -> None:
        """Negate the number in an attribute; without one, in `value` if that exists, else in the text."""
        if attribute is None:
            attribute = value_place(element)
        text = (element.get(attribute) or "") if attribute else element.text()
        try:
            self.set(element, attribute, negated_text(text))
        except ValueError:
            self.warn(element, "flipped-joint", "is no number, and the sign of its joint changes; left as it is")

    def rename_link(self, element: Element, attribute: str, link: str) -> bool:
        """Replace the name of a merged link by that of its target; return True if it was one."""
        if self.merged(link):
            self.set(element, attribute, self.target(link))
            self.note(element, "'{0}' is now '{1}'", link, self.target(link))
        return self.merged(link)

    def note(self, element: Element, sentence: str, *names: str) -> None:
        self.following.notes.append(Followed(element.line, place_of(element), element.name, sentence, names))

    def warn(self, element: Element, kind: "Union[Kind, str]", sentence: str, *names: str) -> None:
        """Warn of an element that is left as it is: the first name of the sentence is its place, `names` follow."""
        if isinstance(kind, Kind):
            self.warn_at(element, kind, sentence, place_of(element), *names)
        else:
            self.warn_at(element, kind, f"{place_of(element)} {sentence}", *names)

    def warn_at(self, element: Element, kind: "Union[Kind, str]", sentence: str, *names: str) -> None:
        """Warn of an element that is left as it is; `names` are the links and joints that the sentence is about."""
        notice = Notice(element.line, sentence, kind, element.offset, names) if isinstance(kind, str) else (
            Diagnostic(kind, element.line, sentence, names, (), element.offset))
        if notice not in self.following.warnings:
            self.following.warnings.append(notice)


def value_place(element: Element) -> str:
    """Return where a simulator tag has its value: "value", or "" for the text."""
    return "value" if element.get("value") is not None else ""


def child_text(top: Element, name: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    child = top.find(name)
    return child.text().strip() if child is not None else ""


def place_of(element: Element) -> str:
    """Return the element as messages name it, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def has_number(text: str, zero: bool = True) -> bool:
    """Return True if a word of a text is a number; without `zero`, one that has a sign."""
    words = re.split(SEPARATORS, text)
    return any(re.fullmatch(NUMBER, word) is not None and (zero or float(word) != 0.0) for word in words)


def holds_number(top: Element, zero: bool = True, but: Collection[str] = ()) -> bool:
    """Return True if an attribute or text of an element, or below it, has a number.

    Of the element itself, the attributes and children named in `but` do not count; what is in a `<geometry>` is a size.
    """
    return (has_number(top.text(), zero)
            or any(has_number(value, zero) for key, value in top.attributes.items() if key not in but)
            or any(holds_number(part, zero) for part in top.elements() if part.name not in ("geometry", *but)))


def vector_in(text: str) -> Optional[Vector]:
    values = numbers_in(text, 3)
    return (values[0], values[1], values[2]) if values else None


def set_negated(changes: Changes, element: Element, text: str) -> None:
    try:
        changes.set(element, "", negated_text(text))
    except ValueError:
        changes.warn(element, "flipped-joint", f"cannot become the negative of '{text.strip()}'; left as it is")


def posed_itself(element: Element) -> bool:
    """Return True if xyz or rpy are on the element, and not on an `<origin>` in it."""
    return element.get("xyz") is not None or element.get("rpy") is not None


def moved_pose(T_new_old: Pose, xyz: Vector, rpy: Vector) -> Tuple[Vector, Vector]:
    """Return xyz [m] and rpy [rad] in the new frame of what was given in the old one."""
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), xyz))
    return (without_noise(new.translation, LENGTH_NOISE_OF_POSES),
            without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES))


def follow_pose(changes: Changes, owner: Element, T_new_old: Pose) -> None:
    """Express the `<pose>` of a sensor, light or projector in the new frame of its link."""
    pose = owner.find("pose")
    old = numbers_in(pose.text(), 6) if pose is not None and pose.text().strip() else (0.0,) * 6
    if old is None or pose is not None and pose.get("rotation_format"):
        changes.warn(owner, "unreadable-pose", "has a <pose> of a kind that cannot be moved; left as it is")
        return
    factor = math.radians(1.0) if pose is not None and pose.get("degrees") in ("true", "1") else 1.0
    rpy = (old[3] * factor, old[4] * factor, old[5] * factor)
    xyz, angles = moved_pose(T_new_old, (old[0], old[1], old[2]), rpy)
    values = (*xyz, *(angle / factor for angle in angles))
    if not same_numbers(old, values):
        changes.set(owner, "", format_numbers(values), "pose")
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
        changes.warn(owner, "unreadable-pose", "has an origin that cannot be read; left as it is")
        return
    old = Pose(matrix_from_quaternion(quaternion) if quaternion else matrix_from_rpy(rpy), xyz)
    new = compose(T_new_old, old)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and (turn_angle(old.rotation, new.rotation) < ANGLE_NOISE_OF_POSES if quaternion else (
            same_numbers(rpy, turned))):
        return
    orientation: Tuple[str, Tuple[float, ...]] = ("rpy", turned)
    if quaternion:
        orientation = ("quat_xyzw", without_noise(quaternion_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES))
    for attribute, values in (("xyz", moved), orientation):
        changes.set(owner, attribute, format_numbers(values), "" if place is owner else "origin")
    changes.note(owner, "its origin moves with the frame")


def follow_vector(changes: Changes, element: Element, link: str, is_point: bool = False) -> None:
    """Let the direction or the point in an element, in its `value` or its text, follow the frame of a link."""
    T_new_old, v = changes.motion(link), vector_in(value_of(element))
    if v is None:
        changes.warn(element, "unreadable-vector",
                     f"is no {'point' if is_point else 'direction'} of three numbers; left as it is")
        return
    new = (without_noise(move(T_new_old, v), LENGTH_NOISE_OF_POSES) if is_point
           else without_noise(rotate(T_new_old.rotation, v), ANGLE_NOISE_OF_POSES))
    if not same_numbers(v, new):
        changes.set(element, value_place(element), format_numbers(new))
        changes.note(element, f"{'moves' if is_point else 'turned'} with the frame of '{{0}}'", link)
