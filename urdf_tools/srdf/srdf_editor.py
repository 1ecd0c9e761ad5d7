"""The editor of an SRDF, which changes names, disabled pairs and spheres in place and records every change.

The elements and their names are from http://wiki.ros.org/srdf and srdfdom. Elements of other programs, such as the
grippers, handles and contacts of HPP, stay unchanged, with a warning. Elements that name dropped or locked links and
joints are removed. A group that becomes empty is removed, with its states, its end effectors, and its name in other
groups.
"""

from __future__ import annotations

from itertools import product
from typing import AbstractSet, Dict, FrozenSet, List, Sequence, Set

from ..base.type_aliases import Pairs, Reals, Texts
from ..base.diagnostics import Diagnostic, Diagnostics, DiagnosticKind
from ..base.number_text import format_numbers, grouped, read_numbers, same_numbers, without_noise
from ..base.record_type import Record
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import ReferenceUpdate
from ..urdf.lossless_xml import Document, Element, is_comment
from ..urdf.spatial_math import IDENTITY_POSE, move, Transform
from ..urdf.xml_edits import attach, detach
from .srdf_diagnostics import FOLLOWED, SRDF_COLLISIONS, SRDF_SPHERES

DISABLE = "disable_collisions"
ENABLE = "enable_collisions"
DEFAULT = "disable_default_collisions"
FREE_FLYER = "root_joint"  # the name that pinocchio and HPP give to the joint of a floating base
LISTS = ("group", "group_state")  # only their children are known elements
# The attributes that name a group, by element.
GROUP_KEYS = {
    "group": ("name",),
    "end_effector": ("group", "parent_group"),
    "group_state": ("group",),
}


class NameAttributes(Record):
    """The attributes of an element that are names.

    Attributes:
        links, joints: the attributes that name a link or a joint.
        frames: by attribute, the role of the link whose frame planning uses, for goals or for the base.
        of_shapes: the links stand for their collision shapes, not for their frames.
        single: the element is about a single pair, link or joint, and is removed as a whole, with its comments.
    """

    links: Texts = ()
    joints: Texts = ()
    frames: Pairs = ()
    of_shapes: bool = False
    single: bool = False


CHAIN = NameAttributes(
    links=("base_link", "tip_link"), frames=(("tip_link", "tip"), ("base_link", "base"))
)
JOINT_BY_NAME = NameAttributes(joints=("name",), single=True)
PAIR_OF_LINKS = NameAttributes(links=("link1", "link2"), of_shapes=True, single=True)
SRDF_ELEMENTS: Dict[str, NameAttributes] = {
    "link": NameAttributes(links=("name",), single=True),
    "joint": JOINT_BY_NAME,
    "chain": CHAIN,
    "end_effector": NameAttributes(links=("parent_link",), frames=(("parent_link", "parent"),)),
    "virtual_joint": NameAttributes(links=("child_link",), frames=(("child_link", "child"),)),
    "passive_joint": JOINT_BY_NAME,
    "joint_property": NameAttributes(joints=("joint_name",), single=True),
    DISABLE: PAIR_OF_LINKS,
    ENABLE: PAIR_OF_LINKS,
    DEFAULT: NameAttributes(links=("link",), of_shapes=True, single=True),
    "link_sphere_approximation": NameAttributes(links=("link",), of_shapes=True),
}


def names_of_tag(element: Element) -> NameAttributes:
    """Return the attributes of an element that are names, empty for an unknown element."""
    return SRDF_ELEMENTS.get(element.name, NameAttributes())


class RemovedNames(Record):
    """The names of removed links and joints, and of joints that remain but become fixed."""

    links: AbstractSet[str] = frozenset()
    joints: AbstractSet[str] = frozenset()
    fixed: AbstractSet[str] = frozenset()


NOTHING_LOST = RemovedNames()


def elements_to_remove(document: Document, lost: RemovedNames) -> List[Element]:
    """Return the elements to remove, without their children.

    The search repeats until nothing is added, because a removed group may empty other groups.
    """
    # An element is identified by its place in the text, because two elements may be equal.
    by_offset: Dict[int, Element] = {}
    groups: Set[str] = set()
    count = -1
    while any(lost) and len(by_offset) > count:
        count = len(by_offset)
        for top in document.root.elements():
            if top.offset in by_offset:
                continue
            inside = top.elements() if top.name in LISTS else []
            parts = [
                part
                for part in inside
                if part.offset in by_offset or _names_lost(part, lost, groups)
            ]
            by_offset.update({part.offset: part for part in parts})
            emptied = inside and len(parts) == len(inside)
            # A group is removed only if it is empty; a state, an end effector or a pair, if one of its names is removed.
            if emptied or top.name != "group" and _names_lost(top, lost, groups):
                by_offset = {
                    offset: element for offset, element in by_offset.items() if element not in parts
                }
                by_offset[top.offset] = top
                if top.name == "group":
                    groups.add(top.get("name") or "")
    return list(by_offset.values())


def _names_lost(element: Element, lost: RemovedNames, groups: AbstractSet[str]) -> bool:
    """Return True if an element names a removed link, joint or group, or outside a group a joint that becomes fixed."""
    names = names_of_tag(element)
    in_group = element.parent is not None and element.parent.name == "group"
    # A fixed joint may stay in a group, but has no value in a state.
    joints = lost.joints if in_group else lost.joints | lost.fixed
    return (
        any(element.get(key) in lost.links for key in names.links)
        or any(element.get(key) in joints for key in names.joints)
        or any(element.get(key) in groups for key in GROUP_KEYS.get(element.name, ()))
    )


class SrdfEditor:
    """An SRDF document during its edits, the plan that it follows, and the collected notes and warnings.

    Attributes:
        joints: the joint names of the input.
        removed: the names of removed joints.
        lost: the names of dropped and locked links and joints.
        virtual: the names of virtual joints, which only the SRDF has.
    """

    def __init__(self, document: Document, plan: Plan, lost: RemovedNames) -> None:
        """Begin without notes and warnings; find the removed joints and the virtual joints."""
        self.plan = plan
        self.document = document
        self.joints = {joint.name for joint in plan.robot.joints}
        self.removed = self.joints - {planned.name for planned in plan.joints.values()}
        self.lost = lost
        self.virtual = {
            element.get("name") or "" for element in document.root.elements("virtual_joint")
        }
        self.notes: List[ReferenceUpdate] = []
        self.warnings: Diagnostics = []

    def note(self, element: Element, what: str, sentence: str, *names: str) -> None:
        """Record a change; `names` are for the sentence, one of FOLLOWED."""
        self.notes.append(
            ReferenceUpdate(
                line=element.line,
                what=what,
                tag=element.name,
                sentence=sentence,
                names=names,
                sentences=FOLLOWED,
            )
        )

    def warn(
        self,
        element: Element,
        kind: DiagnosticKind,
        sentence: str,
        *names: str,
        numbers: Reals = (),
    ) -> None:
        """Record a warning; `names` and `numbers` are for the sentence."""
        self.warnings.append(
            Diagnostic(
                kind=kind, line=element.line, sentence=sentence, names=names, numbers=numbers
            )
        )

    def motion(self, link: str) -> Transform:
        """Return T_new_old of a link, IDENTITY_POSE for an unknown name or a frame that does not move."""
        member = self.plan.members.get(link)
        # A link that is merged but not removed becomes a frame, and keeps its pose.
        stays = member is None or member.merged and not self.plan.is_removed(link)
        return IDENTITY_POSE if stays else self.plan.placements[link]

    def follow_names(self, element: Element) -> bool:
        """Update the link names in an element; return True if it names a removed joint."""
        names = names_of_tag(element)
        for attribute in names.links:
            name = element.get(attribute) or ""
            member = self.plan.members.get(name)
            # A removed link gets the name of its target; in an element of shapes, so does a link whose shapes moved.
            if member and (self.plan.is_removed(name) or names.of_shapes and member.merged):
                what = f"<{element.name} {attribute}='{name}'>"
                element.set(attribute, member.target)
                self.note(element, what, "name", member.target)
        return any(element.get(attribute) in self.removed for attribute in names.joints)


def drop_elements(parent: Element, elements: Sequence[Element]) -> None:
    """Remove children with the preceding white space; a preceding comment stays, because it may be for a whole list."""
    detach(parent, elements, comments=False)


def collision_links_by_target(plan: Plan) -> Dict[str, List[str]]:
    """Return the links with collision shapes, by the link that has these shapes in the result."""
    return grouped(
        (member.target, name)
        for name, member in plan.members.items()
        if any(shape.kind == "collision" for shape in plan.robot.links[name].shapes)
    )


LENGTH_NOISE_OF_SPHERES = 1e-13  # [m] a smaller coordinate of a center is rounding

LinkPair = FrozenSet[str]


class _CheckedPairs(Record):
    """The pairs of links that an SRDF disables or enables, and the links that are off by default."""

    disabled: Set[LinkPair]
    enabled: Set[LinkPair]
    defaults: Set[str]

    def checks(self, first: str, second: str) -> bool:
        """Return True if a planner checks two links for collisions."""
        pair = frozenset((first, second))
        # A disabled pair is never checked, an enabled pair always, any other unless one of its links is off by default.
        return pair not in self.disabled and (
            pair in self.enabled or not (first in self.defaults or second in self.defaults)
        )


def _read_checked(document: Document) -> _CheckedPairs:
    """Return the pairs of links that an SRDF disables or enables, and its defaults."""
    root = document.root
    return _CheckedPairs(
        disabled={_pair(element) for element in root.elements(DISABLE)},
        enabled={_pair(element) for element in root.elements(ENABLE)},
        defaults={element.get("link") or "" for element in root.elements(DEFAULT)},
    )


def _pair(element: Element) -> LinkPair:
    """Return the two links that an element names."""
    return frozenset((element.get("link1") or "", element.get("link2") or ""))


def follow_pairs(editor: SrdfEditor) -> None:
    """Rename the links in pairs to the links that have the shapes; remove pairs within a link, and duplicates.

    A link may replace several links, so a pair may cover more shapes than in the input, with a warning.
    """
    before = _read_checked(editor.document)
    for kind in (DISABLE, ENABLE):
        dropped: List[Element] = []
        new_pairs: Set[LinkPair] = set()
        old_pairs: Set[LinkPair] = set()
        for element in editor.document.root.elements(kind):
            old = _pair(element)
            editor.follow_names(element)
            pair = _pair(element)
            # A duplicate that is in the input, too, is not removed.
            is_repeated = pair in new_pairs and (pair != old or old not in old_pairs)
            # A set of a single name: both links of the pair are now the same.
            if is_repeated or len(pair) < len(old):
                sentence = "pair-again" if is_repeated else "one-link"
                editor.note(element, f"<{kind}>", sentence)
                dropped.append(element)
            new_pairs.add(pair)
            old_pairs.add(old)
        drop_elements(editor.document.root, dropped)
    for element in editor.document.root.elements(DEFAULT):
        old_name = element.get("link") or ""
        editor.follow_names(element)
        name = element.get("link") or ""
        if name != old_name and name in before.defaults:
            editor.note(element, f"<{DEFAULT}>", "link-again")
            drop_elements(editor.document.root, [element])
    _warn_of_widened(editor, before)


def _warn_of_widened(editor: SrdfEditor, before: _CheckedPairs) -> None:
    """Warn of each element that treats a pair of shapes differently than the input."""
    after = _read_checked(editor.document)
    links_of = collision_links_by_target(editor.plan)
    root = editor.document.root
    for element in [*root.elements(DISABLE), *root.elements(ENABLE)]:
        first = element.get("link1") or ""
        second = element.get("link2") or ""
        # In a fixed order, because the order of a pair has no meaning.
        first, second = min(first, second), max(first, second)
        enabled = element.name == ENABLE
        pairs = [
            (a, b)
            for a, b in product(links_of.get(first, ()), links_of.get(second, ()))
            if before.checks(a, b) != enabled
        ]
        # A pair that is both enabled and disabled is not checked, in the input and in the result.
        if pairs and first != second and (not enabled or after.checks(first, second)):
            if enabled:
                sentence = "checked"
            else:
                sentence = "unchecked-more" if len(pairs) > 1 else "unchecked"
            editor.warn(
                element,
                SRDF_COLLISIONS,
                sentence,
                *pairs[0],
                first,
                second,
                numbers=(len(pairs) - 1,),
            )
    for element in root.elements(DEFAULT):
        link = element.get("link") or ""
        newly_unchecked = [name for name in links_of.get(link, ()) if name not in before.defaults]
        if newly_unchecked:
            editor.warn(element, SRDF_COLLISIONS, "default", newly_unchecked[0], link)


def follow_spheres(editor: SrdfEditor) -> None:
    """Move the centers of collision spheres to the new frames, and gather the spheres of merged links in one element."""
    first: Dict[str, Element] = {}
    sources: Dict[str, List[str]] = {}

    dropped = []
    for element in editor.document.root.elements("link_sphere_approximation"):
        name = element.get("link") or ""
        editor.follow_names(element)
        if editor.plan.placements.get(name, IDENTITY_POSE) != IDENTITY_POSE:
            moved = [_move_sphere(editor, sphere, name) for sphere in element.elements("sphere")]
            if any(moved):
                editor.note(element, f"<link_sphere_approximation link='{name}'>", "centers")
        link = element.get("link") or ""
        sources.setdefault(link, []).append(name)
        target = first.setdefault(link, element)
        if target is not element:
            for nodes in detach(element, element.elements("sphere")):
                attach(target, nodes)
            for node in filter(is_comment, element.children):  # after the last sphere
                attach(target, [node])
            dropped.append(element)
    drop_elements(editor.document.root, dropped)

    parts = collision_links_by_target(editor.plan)
    for link, element in first.items():
        missing = [name for name in parts.get(link, ()) if name not in sources[link]]
        if missing:
            editor.warn(element, SRDF_SPHERES, "missing", link, missing[0])


def _move_sphere(editor: SrdfEditor, sphere: Element, link: str) -> bool:
    """Move the center of a sphere; return True if it changed."""
    try:
        x, y, z = read_numbers(sphere.get("center") or "", 3)
    except ValueError as error:
        editor.warn(sphere, SRDF_SPHERES, "center", link, str(error))
        return False
    new = without_noise(move(editor.plan.placements[link], (x, y, z)), LENGTH_NOISE_OF_SPHERES)
    if same_numbers((x, y, z), new):
        return False
    sphere.set("center", format_numbers(new))
    return True
