"""The mirror and the names for all copies of a sub-tree; and its twin in an SRDF.

Groups, states, end effectors and pairs of the sub-tree are copied in the SRDF; larger groups gain the twin's parts.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.type_aliases import Names
from ..base.errors import UsageError
from ..base.number_text import negated_text, NUMBER
from ..base.record_type import Record
from ..srdf.srdf_editor import GROUP_KEYS, names_of_tag
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint
from ..urdf.spatial_math import Matrix, Transform
from ..urdf.xml_edits import attach, attach_behind, copy_element
from .robot_draft import RobotDraft, write

# Vectors change the sign along the mirror's axis, rotations across it.
VECTORS = ("xyz", "scale", "center")
TURNS = ("rpy", "quat_xyzw", "turn")


class MirrorPlane(Record):
    """The mirror plane n . x = offset [m] in the frame of the root; `axis` is the index of n."""

    axis: int
    offset: float

    @property
    def factors(self) -> Tuple[float, float, float]:
        """Return -1 for the axis of the mirror and 1 for the others."""
        x, y, z = (-1.0 if axis == self.axis else 1.0 for axis in range(3))
        return (x, y, z)

    @property
    def D(self) -> Matrix:
        """Return the identity with -1 at the axis of the mirror."""
        x, y, z = self.factors
        return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))

    def signs(self, kind: str) -> Tuple[int, ...]:
        """Return the indices of the numbers of a vector, rotation or pose that change their sign."""
        others = tuple(axis for axis in range(3) if axis != self.axis)
        # A pose is three numbers of a vector and three of a rotation.
        if kind in VECTORS:
            return (self.axis,)
        if kind in TURNS:
            return others
        return (self.axis, *(3 + axis for axis in others))

    def image(self, T_root_frame: Transform) -> Tuple[Matrix, Tuple[float, float, float]]:
        """Return the mirror in a frame: x -> R x + t."""
        R, t = T_root_frame
        # The normal of the mirror, in the frame.
        n = R[self.axis]
        # Householder reflection: x - 2 n (n . x).
        N = tuple(tuple(float(i == j) - 2.0 * n[i] * n[j] for j in range(3)) for i in range(3))
        distance = self.offset - t[self.axis]
        return N, (2.0 * distance * n[0], 2.0 * distance * n[1], 2.0 * distance * n[2])  # type: ignore[return-value]


class MirroredTwin(Record):
    """The names of a sub-tree and of its twin, and the mirror between them.

    Attributes:
        plane: the mirror.
        links, joints: the names in the twin by the names in the sub-tree.
        first: the joint above the sub-tree.
        name_of: the renaming of the command; it raises UsageError for a name that the command does not rename.
    """

    plane: MirrorPlane
    links: Dict[str, str]
    joints: Dict[str, str]
    first: UrdfJoint
    name_of: Callable[[str], str]


def negated(text: str, indices: Sequence[int]) -> str:
    """Return a text with the numbers at these indices negated, without rounding."""
    count = iter(range(len(text)))
    return re.sub(
        NUMBER,
        lambda match: (
            negated_text(match.group())
            if next(count) in indices and float(match.group())
            else match.group()
        ),
        text,
    )


def negate_numbers(
    plane: MirrorPlane, element: Optional[Element], key: str, kind: str = ""
) -> None:
    """Negate numbers in an attribute, or in the text, for a mirror."""
    if element is None:
        return
    text = (element.get(key) if key else element.text()) or ""
    new = negated(text, plane.signs(kind or key))
    if new != text:
        write(element, key, new)


def name_of_twin(twin: MirroredTwin, name: str) -> str:
    """Return the name in the twin of an element other than a link or joint.

    A name that the command does not rename gets `_of_` and the name of the twin's first link.
    """
    try:
        return twin.name_of(name)
    except UsageError:
        return f"{name}_of_{twin.links[twin.first.child]}"


OF_GROUPS = ("group", "group_state")


class _CopyNames(Record):
    """The new names for copies: of links and joints, and of copied groups."""

    twin: MirroredTwin
    names: Names
    groups: Dict[str, str]

    def has_one_of(self, names: Iterable[str]) -> bool:
        """Return True if a link or joint among the names is copied."""
        return not self.names.keys().isdisjoint(names)

    def copy_of(self, element: Element) -> Element:
        """Return the twin's copy of an element."""
        copy = copy_element(element)
        for part in copy.walk():
            keys = names_of_tag(part)
            for key in (*keys.links, *keys.joints):
                name = part.get(key) or ""
                part.set(key, self.names.get(name, name))
            self._rename_groups(part)
            if part.name == "sphere":
                negate_numbers(self.twin.plane, part, "center")
        return copy

    def _rename_groups(self, part: Element) -> None:
        """Rename the groups, and the end effector, in an element of the SRDF's twin."""
        for key in GROUP_KEYS.get(part.name, ()):
            name = part.get(key) or ""
            if name in self.groups:
                part.set(key, self.groups[name])
        if part.name == "end_effector":
            part.set("name", name_of_twin(self.twin, part.get("name") or ""))


def mirror_srdf(draft: RobotDraft, twin: MirroredTwin) -> None:
    """Copy the SRDF elements of a sub-tree for its twin; a group with other parts gets the twin's parts added."""
    if draft.srdf is None:
        return
    root = draft.srdf.root
    tops = root.elements()
    names = {**twin.joints, **twin.links}
    copies = _CopyNames(twin, names, _groups_of_twin(twin, tops, names))
    for top in tops:
        if top.name in OF_GROUPS:
            key = "name" if top.name == "group" else "group"
            name = top.get(key) or ""
            is_copied = name in copies.groups
            if not is_copied:
                _add_parts_of_twin(draft, top, copies)
        else:
            is_copied = top.name != "virtual_joint" and copies.has_one_of(_links_and_joints(top))
        if is_copied:
            attach(root, [copies.copy_of(top)])
            draft.note_srdf(top, "copied", top.name)


def _groups_of_twin(twin: MirroredTwin, tops: Sequence[Element], names: Names) -> Dict[str, str]:
    """Return the twin's names of the groups that are entirely in the sub-tree, by their names."""
    groups: Dict[str, str] = {}
    for group in tops:
        if group.name != "group":
            continue
        # A chain counts by its tip, its last name.
        last_names = [_links_and_joints(part)[-1:] for part in group.elements()]
        if last_names and all(last and last[0] in names for last in last_names):
            name = group.get("name") or ""
            groups[name] = name_of_twin(twin, name)
    return groups


def _add_parts_of_twin(draft: RobotDraft, top: Element, copies: _CopyNames) -> None:
    """Add the twins of the links and joints of a group, each directly after its original."""
    for part in top.elements():
        if part.name in ("link", "joint") and copies.has_one_of(_links_and_joints(part)):
            attach_behind(part, copies.copy_of(part))
            draft.note_srdf(top, "twin", _links_and_joints(part)[0])


def _links_and_joints(element: Element) -> List[str]:
    """Return the names of the links and joints that an element names."""
    keys = names_of_tag(element)
    return [element.get(key) or "" for key in (*keys.links, *keys.joints)]
