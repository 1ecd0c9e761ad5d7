"""Why links on fixed joints are kept. Elements outside links and joints may depend on their frames, or a merge would
extend values that simulators read for whole links: contact, gravity, color.

gz keeps the surface of each geometry when it lumps links itself; PyBullet reads one `<contact>` for each link. So a
link whose values differ from its target's values is kept. If it merges nevertheless, the target's values stay. Values
that gz reads for a whole body (gravity, self collision) are the same in input and result.
"""

from __future__ import annotations

import re
from math import fsum
from itertools import chain
from typing import AbstractSet, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic
from ..base.run_diagnostics import BODY_MERGED, SURFACE_MERGED
from ..base.record_type import Record
from ..facts.robot_values import LOOP_WORDS
from ..facts.simulator_values import (
    BODY,
    body_meaning,
    COLOR,
    CONTACT,
    counting,
    default_of,
    Meaning,
    KEEP_ATTRIBUTES,
    KEEP_FLAGS,
    lumped_links,
    meaning,
    OF_WHOLE_BODY,
    TRUE,
    value_of,
    values_by_tag,
    values_of_bodies,
    values_of_links,
)
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import MOVABLE, NO_MASS, OF_JOINT, OF_LINK, UrdfRobot

# Attributes that never contain lists of names.
FILES = ("filename", "uri", "file", "name", "type", "version")


class NameReference(Record):
    """An occurrence of a name: `attribute` contains it, or the text of the element if `attribute` is ""."""

    element: Element
    attribute: str
    name: str
    # The child of <robot>, or the element outside URDF in a link or joint, that contains it.
    top: Element
    # False for a name in a list of names, or a part of a scoped name (`robot::link`).
    whole: bool = True

    @property
    def place(self) -> str:
        """The element as messages show it, such as `<gazebo reference='imu'>`."""
        if not self.whole:
            return f"<{self.element.name}>: '{self.name}'"
        if self.attribute:
            return f"<{self.element.name} {self.attribute}='{self.name}'>"
        return f"<{self.element.name}>{self.name}</{self.element.name}>"


def find_references(
    robot: UrdfRobot, more: AbstractSet[str] = frozenset()
) -> Iterator[NameReference]:
    """Yield the references to links and joints, or to `more` names, in attributes and texts that URDF does not define."""
    names = {*robot.links, *robot.named, *more}
    for top in outside_urdf(robot):
        for element in top.walk():
            for attribute, value in element.attributes.items():
                # The element's own name is not a reference.
                if not (attribute == "name" and element is top):
                    whole, parts = _names_in(element, attribute, value, names)
                    yield from (
                        NameReference(
                            element=element, attribute=attribute, name=name, top=top, whole=whole
                        )
                        for name in parts
                    )
            if element.children:
                whole, parts = _names_in(element, "", element.text().strip(), names)
                yield from (
                    NameReference(element=element, attribute="", name=name, top=top, whole=whole)
                    for name in parts
                )


def outside_urdf(robot: UrdfRobot) -> Iterator[Element]:
    """Yield, in file order, all elements except links, joints and materials, and the parts of these outside URDF."""
    offsets = {
        *(link.source.offset for link in robot.links.values()),
        *(joint.source.offset for joint in robot.joints),
    }
    for top in robot.document.root.elements():
        if top.name in ("link", "joint"):
            known = OF_LINK if top.name == "link" else OF_JOINT
            yield from (
                part for part in top.elements() if top.offset in offsets and part.name not in known
            )
        elif top.name != "material":
            yield top


def _names_in(
    element: Element, attribute: str, value: str, names: Set[str]
) -> Tuple[bool, List[str]]:
    """Return whether the whole value is a name, and the names in it."""
    if value in names:
        return True, [value]
    # A single word is a name only as a whole, and a URI is not a name.
    if attribute in FILES or not re.search(r"::|[ ,;\n/]", value) or "://" in value:
        return False, []
    # sdformat writes `link/name` into the <projector> of a plugin.
    scoped = "::" in value or element.name == "projector"
    between = r"::|[\s,;/]+" if scoped else r"[\s,;]+"
    words = [word for word in re.split(between, value) if word]
    known = [word for word in dict.fromkeys(words) if word in names]
    # A sentence is not a list of names: all words of a list must be names.
    is_list = scoped or len(known) == len(set(words))
    return False, known if is_list else []


class KeepReason(Record):
    """The reason why a link on a fixed joint must be kept.

    No option overrides a `hard` need. For a `frame` need only the frame must be kept, not the content of the link.
    """

    reason: str
    hard: bool = False
    frame: bool = False


def find_needs(robot: UrdfRobot, references: Tuple[NameReference, ...]) -> Dict[str, KeepReason]:
    """Return, by link, why a link on a fixed joint must be kept."""
    child_of = {name: joint.child for name, joint in robot.named.items()}
    needs: Dict[str, KeepReason] = {}
    movable = {joint.name for joint in robot.joints if joint.type in MOVABLE}
    for joint in robot.joints:
        # The joint mimics a fixed joint, which a merge would remove.
        if joint.mimic and joint.mimic.joint in child_of and joint.mimic.joint not in movable:
            needs.setdefault(
                child_of[joint.mimic.joint],
                KeepReason(f"joint '{joint.name}' mimics its joint", hard=True),
            )
        for attribute in KEEP_ATTRIBUTES:
            if (joint.source.get(attribute) or "").strip().lower() in TRUE:
                needs.setdefault(
                    joint.child, KeepReason(f"{attribute} is set in line {joint.source.line}")
                )
    for reference in references:
        reason = _why_needed(reference) if reference.whole else ""
        if reason:
            # A name may belong to both a link and a joint: keep both.
            both = {reference.name, child_of.get(reference.name, reference.name)}
            for link in both & robot.links.keys():
                needs.setdefault(link, KeepReason(reason))
    for name in robot.links:
        if is_loop_end(name):
            needs.setdefault(name, KeepReason("closes a kinematic loop"))
    return needs


def is_loop_end(link: str) -> bool:
    """Return True for a frame that onshape-to-robot made at the cut of a closed loop."""
    return link.startswith("closing_") and link.endswith(("_1", "_2"))


def _why_needed(reference: NameReference) -> str:
    """Return the reason why a reference needs the link or joint it names; "" if a merge may rewrite the reference."""
    element = reference.element
    top = reference.top
    # All other elements have a pose or name that can be rewritten for the target (`facts.values`), or get a warning.
    if any(word in top.name.lower() for word in LOOP_WORDS):
        return f"<{top.name}> of line {top.line} is tied to it"
    if top.name == "gazebo" and element is top and reference.attribute == "reference":
        sensor = _first(top, "sensor")
        if sensor is not None:
            return f"{_named(sensor)} of line {sensor.line} measures in it"
        for flag in KEEP_FLAGS:
            part = _first(top, flag)
            if part is not None and value_of(part).lower() in TRUE:
                return f"<{flag}> of line {part.line} is set for it"
    if (
        top.name == "gazebo"
        and element.name in ("parent", "child")
        and any(element.parent is joint for joint in top.elements("joint"))
    ):
        return f"<joint> in the <gazebo> of line {top.line} is tied to it"
    if top.name == "sensor":
        return f"{_named(top)} of line {top.line} measures in it"
    if top.name == "ros2_control":
        for above in element.upward():
            if above.name in ("sensor", "gpio", "joint"):
                return f"{_named(above)} of ros2_control in line {above.line} uses it"
    return ""


def _named(element: Element) -> str:
    """Return an element with its name, for messages."""
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _first(top: Element, name: str) -> Optional[Element]:
    """Return the first element of a name among an element and its descendants."""
    return next((element for element in top.walk() if element.name == name), None)


SURFACE_KINDS = (CONTACT, BODY, COLOR)
FRICTION = (
    "mu",
    "mu1",
    "mu2",
    "fdir1",
    "lateral_friction",
    "rolling_friction",
    "spinning_friction",
)

Setting = Sequence[Element]  # all tags of a key


class ValueConflict(Record):
    """A value that differs between a merged link and its target. Without tags the value is the default."""

    key: str
    merged: Setting
    kept: Setting


class SimulatorLinkValues:
    """The values of each link and, as links merge one after the other, parents first, the values of each target.

    A target without mass or shapes for a kind of values takes the values of the first merged link with some. This does
    not happen with `inherits` False: then an emptied link keeps its blocks, although its content is elsewhere.
    `stripped` holds offsets of shapes. For a link without mass it does not matter whether gravity is turned off.

    Attributes:
        lumped: by link, the body that sdformat makes it a part of.
        unused: offsets of the unused tags.
        warnings: changed values for the content of merged links and their targets.
    """

    def __init__(self, robot: UrdfRobot, stripped: Iterable[int], *, inherits: bool) -> None:
        """Read the values of all links and bodies from the document; none is merged yet."""
        self._robot = robot
        self._stripped = set(stripped)
        self._inherits = inherits
        self.unused: Set[int] = set()
        self.warnings: List[Diagnostic] = []
        root = robot.document.root
        self._settings = values_of_links(root)
        self.lumped = lumped_links(root)
        self._bodies = values_of_bodies(root, self.lumped)
        self._effective: Dict[Pair, Dict[str, Setting]] = {}  # by link and kind
        for link, values in self._settings.items():
            for key, tags in values.items():
                self._effective.setdefault((link, default_of(key)[0]), {})[key] = tags

    def has_content(self, name: str, kind: str) -> bool:
        """Return True if a link has mass or shapes to which a kind of values applies."""
        link = self._robot.links[name]
        if kind == BODY:
            return link.mass >= NO_MASS
        shapes = link.collisions if kind == CONTACT else link.visuals
        return any(shape.source.offset not in self._stripped for shape in shapes)

    def differences(self, name: str, target: str, kind: str) -> Iterator[ValueConflict]:
        """Yield the values that would change for the content of a link if it merged into the target."""
        if not self._is_defined(target, kind) or not self.has_content(name, kind):
            return
        merged = values_by_tag(self._effective.get((name, kind), {}))
        kept = values_by_tag(self._effective.get((target, kind), {}))
        for key in dict.fromkeys((*merged, *kept)):
            lost = merged.get(key, ())
            stays = kept.get(key, ())
            # Values that sdformat reads for a whole body are decided in `settle`.
            if key not in OF_WHOLE_BODY and meaning(key, lost) != meaning(key, stays):
                yield ValueConflict(key, lost, stays)

    def _is_defined(self, target: str, kind: str) -> bool:
        """Return True if the values of a target are fixed, so that a merged link cannot set them."""
        return (
            not self._inherits
            or (target, kind) in self._effective
            or self.has_content(target, kind)
        )

    def merge(self, name: str, target: str) -> None:
        """Merge a link into its target: some of its values move there, the others become unused."""
        for kind in SURFACE_KINDS:
            self.warnings += [
                _warning(name, target, difference)
                for difference in self.differences(name, target, kind)
            ]
            if self.has_content(name, kind) and not self._is_defined(target, kind):
                self._effective[target, kind] = self._effective.get((name, kind), {})
            elif self._inherits:
                for key, tags in self._effective.get((name, kind), {}).items():
                    if key not in OF_WHOLE_BODY:
                        self.unused.update(tag.offset for tag in tags)

    def settle(
        self, bodies: Dict[str, str], merged: Set[str], massless: Set[str], held: Set[str]
    ) -> None:
        """Decide the values that sdformat reads for a whole body after a merge: the first part that uses a value sets it.

        Args:
            bodies: by link, parents first, the link that sdformat will lump it into.
            merged: the links whose content moves to their targets.
            massless: the merged links whose mass is not moved.
            held: the merged links that sdformat does not lump; with `inherits` False, their tags apply to the empty
                links that remain.
        """
        # By lumped link of the input, its links.
        links_of_part: Dict[str, List[str]] = {}
        # By lumped link of the result, the lumped links of the input, in order.
        parts: Dict[str, Dict[str, None]] = {}
        for link, body in bodies.items():
            part = self.lumped[link].body
            links_of_part.setdefault(part, []).append(link)
            parts.setdefault(body, {})[part] = None

        # An emptied link keeps its tags, but tags that apply to it alone do not describe the body with its content.
        leaving_tags = self._offsets_of(merged) if self._inherits else set()
        lone_tags = self._offsets_of(held) if not self._inherits else set()
        for body in dict.fromkeys(bodies[link] for link in bodies if link in merged):
            for what in dict.fromkeys(OF_WHOLE_BODY.values()):
                tags_of = {part: self._bodies.get((part, what), []) for part in parts[body]}
                all_tags = chain.from_iterable(tags_of.values())
                tags = [tag for tag in all_tags if tag.offset not in lone_tags]
                kind = default_of(what)[0]
                used = {}  # by part that uses the value, the value that its tags give
                for part, tags_of_part in tags_of.items():
                    uncounted = massless if kind == BODY else ()
                    heavy = [link for link in links_of_part[part] if link not in uncounted]
                    if any(self.has_content(link, kind) for link in heavy):
                        used[part] = body_meaning(what, tags_of_part)
                # The first part that uses a value sets it; if no part uses it, the tags of the first part do.
                if used:
                    value = next(iter(used.values()))
                else:
                    value = body_meaning(what, next(iter(tags_of.values())))
                holds, staying = _held_by(what, tags, value, leaving_tags)
                self.unused.update({tag.offset for tag in tags} - {tag.offset for tag in staying})
                for part in used:
                    if used[part] != holds:
                        mass = fsum(self._robot.links[link].mass for link in links_of_part[part])
                        both = (tags_of[part], staying)
                        self.warnings.append(_warning_of_body(what, (part, body), both, mass))

    def _offsets_of(self, links: Iterable[str]) -> Set[int]:
        """Return the offsets of all tags about links."""
        return {
            tag.offset
            for link in links
            for tags in self._settings.get(link, {}).values()
            for tag in tags
        }


def _held_by(
    what: str, tags: Sequence[Element], value: Meaning, leaving: AbstractSet[int]
) -> Tuple[Meaning, List[Element]]:
    """Return the value that tags can give a body, which is `value` or the default, and the tags that stay for it."""
    default = body_meaning(what, [])
    tags_of_value = [tag for tag in tags if body_meaning(what, [tag]) == value]
    held_value = value if tags_of_value else default
    staying = [tag for tag in tags_of_value if tag.offset not in leaving]
    # All these tags are in merged links: the tag that is read stays, or else the default would apply.
    if not staying and held_value != default:
        staying = [counting(tags_of_value)]
    return held_value, staying


def why_kept_apart(surfaces: SimulatorLinkValues, name: str, target: str) -> str:
    """Return why a link must not merge into a target because of contacts, or ""."""
    values = [
        *surfaces.differences(name, target, CONTACT),
        *surfaces.differences(name, target, BODY),
    ]
    if not values:
        return ""
    keys: Dict[str, None] = {}
    lines: Set[int] = set()
    for value in values:
        key = "friction" if value.key in FRICTION else value.key
        keys[key] = None
        lines.update(counting(setting).line for setting in (value.merged, value.kept) if setting)
    differing = [*keys]
    # Two values by name, four lines at most: the sentence stays short.
    if len(differing) == 1:
        differ = f"{differing[0]} differs"
    elif len(differing) == 2:
        differ = f"{differing[0]} and {differing[1]} differ"
    else:
        differ = f"{differing[0]}, {differing[1]} and more differ"
    plural = "s" if len(lines) > 1 else ""
    listed = ", ".join(map(str, sorted(lines)[:4]))
    return f"its {differ} from '{target}', line{plural} {listed}"


def _warning(name: str, target: str, difference: ValueConflict) -> Diagnostic:
    """Return the warning of a value that a merge changes."""
    key, merged, kept = difference
    tag = counting(merged or kept)
    if not merged:
        sentence = "gained"
        stays = default_of(key)[1] or "none"
    else:
        sentence = "lost"
        stays = _said(key, kept)
        if kept:
            stays = f"{stays} of line {counting(kept).line}"
    names = name, target, _short(tag), stays
    return Diagnostic(SURFACE_MERGED, tag.line, sentence, names, offset=tag.offset)


def _warning_of_body(
    what: str, names: Pair, tags: Tuple[Setting, Setting], mass: float
) -> Diagnostic:
    """Return the warning of a changed value for a part of a body.

    `tags` are the tags of the part, and of the part whose value is used.
    """
    lost = counting(tags[0] or tags[1])
    sentence = "differs"
    if what == "gravity":
        sentence = "falls" if body_meaning(what, tags[1]) == (1.0,) else "floats"
    all_names = (*names, what, *(_said(what, some) for some in tags))
    return Diagnostic(
        kind=BODY_MERGED,
        line=lost.line,
        sentence=sentence,
        names=all_names,
        numbers=(mass,),
        offset=lost.offset,
    )


def _said(key: str, tags: Setting) -> str:
    """Return the tag that is read, in words, or the default."""
    return _short(counting(tags)) if tags else f"the default ({default_of(key)[1] or 'none'})"


def _short(setting: Element) -> str:
    """Return a tag and its value for a message; only the name for a nested block."""
    return setting.name if setting.elements() else f"{setting.name} {value_of(setting)}"
