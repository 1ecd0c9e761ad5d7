"""Changes that affect elements naming a link or joint, and the edits and warnings that follow from them."""

from __future__ import annotations

import re
from typing import AbstractSet, Collection, Dict, List, Mapping, Optional, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic, DiagnosticKind, Notes
from ..base.run_diagnostics import FLIPPED_JOINT, FOLLOWED, MOVED_ZERO
from ..base.number_text import NUMBER
from ..base.option_table import pasted
from ..base.record_type import Record
from ..urdf.urdf_records import AS_IT_WAS, AttributeEdit, JointMap, UrdfRobot
from ..urdf.lossless_xml import Element
from ..urdf.spatial_math import IDENTITY, IDENTITY_POSE, norm, Transform, Poses, rotation_angle
from .link_merging import LinkMembership

# [rad] and [m]: smaller numbers of a moved pose are rounding errors, and are written as 0.
ANGLE_NOISE_OF_POSES = 1e-12
LENGTH_NOISE_OF_POSES = 1e-13
SAME_FRAME = 1e-9  # [m and rad]
SEPARATORS = r"[\s,;=()\[\]{}]+"  # between numbers in unknown elements


class ReferenceUpdate(Record):
    """An updated element, for the plan: its line, tag and name, and the key of the sentence on its change, with names."""

    line: int
    what: str
    tag: str
    sentence: str
    names: Texts
    sentences: Mapping[str, str] = FOLLOWED

    @property
    def how(self) -> str:
        """The change in words."""
        return self.sentences[self.sentence].format(*self.names)


class ReferenceUpdates(Record):
    """The updates outside links and joints: `edits` and `drops` for the pass, `notes` for the plan, and `warnings`
    about elements that are not updated."""

    edits: Tuple[AttributeEdit, ...] = ()
    drops: Tuple[Element, ...] = ()
    notes: Tuple[ReferenceUpdate, ...] = ()
    warnings: Notes = ()


class ReferenceChanges:
    """The input of the updates outside links and joints, queries about it, and the decisions so far.

    Attributes:
        placements: T_new_old of every link, to its own new frame or the new frame of its target.
        maps: the maps of joint positions, by joint name.
        removed_joints: the names of joints that are removed by merging.
        removed_shapes: offsets of the elements of shapes that are removed.
        unused_tags: offsets of simulator tags that no reader uses.
        kept_frames: by merged link whose frame is kept, T_new_old of this frame, which names and poses still use.
        new_collision_names: new names of collisions, by the offset of their element.
        edits, drops, notes, warnings: as in `ReferenceUpdates`.
    """

    def __init__(
        self,
        robot: UrdfRobot,
        members: Dict[str, LinkMembership],
        placements: Poses,
        maps: Dict[str, JointMap],
        *,
        removed_shapes: AbstractSet[int] = frozenset(),
        unused_tags: AbstractSet[int] = frozenset(),
        kept_frames: Mapping[str, Transform] = {},
    ) -> None:
        """Begin without edits; the kept frames are added to the placements."""
        self.robot = robot
        self.members = members
        self.maps = maps
        self.placements = {**placements, **kept_frames}
        self.removed_shapes = removed_shapes
        self.unused_tags = unused_tags
        self.kept_frames = kept_frames
        merged = {joint.name for joint in robot.joints if members[joint.child].merged}
        # If several joints have one name and one of them stays, the name stays.
        self.removed_joints = merged - maps.keys()
        self.new_collision_names: Dict[int, str] = {}
        self.edits: List[AttributeEdit] = []
        self.drops: Dict[int, Element] = {}  # by offset
        self.notes: List[ReferenceUpdate] = []
        self.warnings: Dict[Diagnostic, None] = {}  # each once

    def is_known_link(self, link: Optional[str]) -> bool:
        """Return True for the name of a link of the input."""
        return link in self.members

    def is_merged(self, link: Optional[str]) -> bool:
        """Return True if a link is merged and its frame is not kept."""
        return link in self.members and self.members[link].merged and link not in self.kept_frames

    def target(self, link: str) -> str:
        """Return the link that the name of a link refers to in the result."""
        return link if link in self.kept_frames else self.content_in(link)

    def content_in(self, link: str) -> str:
        """Return the link that receives the content of a link, even if the frame of the link is kept."""
        return self.members[link].target

    def is_removed_joint(self, joint: Optional[str]) -> bool:
        """Return True for the name of a joint that merging removes."""
        return joint in self.removed_joints

    def map_of(self, joint: Optional[str]) -> JointMap:
        """Return the map of a joint's position; unknown names have the identity map."""
        return self.maps.get(joint or "", AS_IT_WAS)

    def is_flipped(self, joint: Optional[str]) -> bool:
        """Return True if the sign of a joint changes."""
        return self.map_of(joint).sign < 0

    def is_remapped(self, joint: Optional[str]) -> bool:
        """Return True if the sign or the zero of a joint changes."""
        return self.map_of(joint) != AS_IT_WAS

    def T_new_old(self, link: Optional[str]) -> Transform:
        """Return T_new_old of a link, or IDENTITY_POSE for an unknown name."""
        return self.placements.get(link or "", IDENTITY_POSE)

    def is_frame_changed(self, link: Optional[str]) -> bool:
        """Return True if the frame of the link is rotated or translated."""
        return norm(self.T_new_old(link).translation) > SAME_FRAME or self.is_frame_rotated(link)

    def is_frame_rotated(self, link: Optional[str]) -> bool:
        """Return True if the frame of the link is rotated."""
        return rotation_angle(self.T_new_old(link).rotation, IDENTITY) > SAME_FRAME

    def way_to_keep(self, link: str) -> str:
        """Return the option that keeps the frame of a link unchanged."""
        return pasted("--keep", link) if self.is_merged(link) else "--no-reorient"

    def set(self, element: Element, attribute: str, value: str, child: str = "") -> None:
        """Record a new value of an attribute in an element or its child; the attribute "" is the text."""
        self.edits.append(AttributeEdit(element, attribute, value, child))

    def drop(self, element: Element) -> None:
        """Record that an element is dropped."""
        self.drops[element.offset] = element

    def is_dropped(self, element: Element) -> bool:
        """Return True if an element or one of its ancestors is dropped."""
        return any(above.offset in self.drops for above in element.upward())

    def rename_link(self, element: Element, attribute: str, link: str) -> None:
        """Replace the name of a merged link by the name of its target; other names stay."""
        if self.is_merged(link):
            self.set(element, attribute, self.target(link))
            self.note(element, "renamed", link, self.target(link))

    def note(self, element: Element, sentence: str, *names: str) -> None:
        """Record that an element is updated; `sentence` is a key of FOLLOWED, and `names` fill it."""
        self.notes.append(
            ReferenceUpdate(
                line=element.line,
                what=place_of(element),
                tag=element.name,
                sentence=sentence,
                names=names,
            )
        )

    def warn(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Warn of an element that is not updated: the sentence is filled with the element, then `names`."""
        self.warn_at(element, kind, sentence, place_of(element), *names)

    def warn_of_joint(self, element: Element, sentence: str, joint: str, place: str = "") -> None:
        """Warn of an element that is not updated although the sign or zero of a joint changes; `place` "" is the element."""
        joint_map = self.map_of(joint)
        for kind, holds in (
            (FLIPPED_JOINT, joint_map.sign < 0),
            (MOVED_ZERO, joint_map.zero != 0.0),
        ):
            if holds:
                self.warn_at(element, kind, sentence, place or place_of(element), joint)

    def warn_at(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Warn of an element that is not updated; `names` fill the sentence: elements, links and joints."""
        self.warnings[
            Diagnostic(
                kind=kind,
                line=element.line,
                sentence=sentence,
                names=names,
                numbers=(),
                offset=element.offset,
            )
        ] = None


def place_of(element: Element) -> str:
    """Return the element as messages name it, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def has_number(text: str, *, zero: bool = True) -> bool:
    """Return True if a word of a text is a number; without `zero`, a nonzero number."""
    words = re.split(SEPARATORS, text)
    return any(
        re.fullmatch(NUMBER, word) is not None and (zero or float(word) != 0.0) for word in words
    )


def holds_number(top: Element, *, zero: bool = True, but: Collection[str] = ()) -> bool:
    """Return True if an attribute or text of an element or its descendants has a number.

    The attributes and children of the element that are named in `but` do not count. Numbers in a `<geometry>` are
    sizes.
    """
    return (
        has_number(top.text(), zero=zero)
        or any(
            has_number(value, zero=zero) for key, value in top.attributes.items() if key not in but
        )
        or any(
            holds_number(part, zero=zero)
            for part in top.elements()
            if part.name not in ("geometry", *but)
        )
    )
