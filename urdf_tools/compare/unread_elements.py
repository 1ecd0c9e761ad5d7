"""What no reader has read of two files: as differences where no program is known to read it, else as notes.

Elements and attributes of files of one format are compared as text, and poses of URDF's own words by their place in the
robot (`unknown_element_poses.py`).
"""

from __future__ import annotations

from itertools import chain, starmap, zip_longest
from textwrap import shorten
from typing import AbstractSet, Callable, Dict, List, Mapping, Sequence, Tuple

from ..base.number_text import grouped, shown_names
from ..base.record_type import Record
from ..base.type_aliases import Texts
from ..formats.reader_helpers import aspect_of, IGNORED
from ..formats.urdf.urdf_vocabulary import by_knowledge
from ..robot.raw_robot import RawRobot, UnreadElement, Word
from .contact_differences import are_compared, contact_of
from .difference_records import Difference, Differences, one_sided, Tolerances
from .unknown_element_poses import count_alike, lie_alike
from .robot_map import RobotMap
from .difference_kinds import NOT_COMPARED, UNREAD_DIFFERS, UNREAD_IGNORED, UNREAD_MORE

# Of Drake: it lists bodies, without any frame, and a merge leaves fewer of them. What differs in it is noted.
LISTS_BODIES = "drake:collision_filter_group"
SHOWN = 2  # of the elements that only one file has, or that both have alike
PAIRS_SHOWN = 5
LONGEST = 60  # characters of a value
NOTHING: Tuple[Word, int] = (
    ("", (), ""),
    0,
)  # a word that one of two elements lacks, with the line 0: unknown
# Two elements of one key are partners. The keys in their order, from the surest: equal elements at the same path, then
# the same path, then the same kind of element.
KEYS: Tuple[Callable[[UnreadElement], str], ...] = (
    lambda item: f"{item.where} {item.words}",
    lambda item: item.where,
    lambda item: item.words[0][0] if item.words else "",
)


def _pairs_by(
    key: Callable[[UnreadElement], str],
    first: Sequence[UnreadElement],
    second: Sequence[UnreadElement],
) -> List[Tuple[int, int]]:
    """Return pairs of indices of elements with the same key; several of a key pair in the order of both files."""
    indices = grouped((key(item), index) for index, item in enumerate(second))
    pairs = []
    for index, item in enumerate(first):
        partners = indices.get(key(item))
        if partners:
            # Taken out, as each element has one partner.
            pairs.append((index, partners.pop(0)))
    return pairs


def compare_unread(
    a: RawRobot, b: RawRobot
) -> Tuple[List[Tuple[UnreadElement, UnreadElement]], List[UnreadElement], List[UnreadElement]]:
    """Return pairs of unread elements that differ, and the elements of A and B alone; different formats have no pairs."""
    if a.format != b.format:
        return [], list(a.unread), list(b.unread)
    pairs, rest_a, rest_b = _partners(a.unread, b.unread)
    return [pair for pair in pairs if pair[0].words != pair[1].words], rest_a, rest_b


def _partners(
    first: Sequence[UnreadElement], second: Sequence[UnreadElement]
) -> Tuple[List[Tuple[UnreadElement, UnreadElement]], List[UnreadElement], List[UnreadElement]]:
    """Return pairs of unread elements, and the elements of each file without a partner."""
    rest_a = list(first)
    rest_b = list(second)
    pairs: List[Tuple[UnreadElement, UnreadElement]] = []
    for key in KEYS:
        paired = _pairs_by(key, rest_a, rest_b)
        pairs += [(rest_a[k], rest_b[m]) for k, m in paired]
        # The next key pairs only the remaining elements.
        paired_a = {k for k, _ in paired}
        paired_b = {m for _, m in paired}
        rest_a = [item for k, item in enumerate(rest_a) if k not in paired_a]
        rest_b = [item for m, item in enumerate(rest_b) if m not in paired_b]
    return pairs, rest_a, rest_b


def left_out(a: RawRobot, b: RawRobot, aspects: AbstractSet[str]) -> Differences:
    """Return the elements of either robot that a reader knows and cannot take, if their aspect is compared.

    An element that both files have is one difference, with the last line in each file.
    """
    found: Dict[Texts, Difference] = {}
    for robot in (a, b):
        for item in robot.unread:
            if aspect_of(item) not in aspects:
                continue
            names = (item.element, item.why)
            difference = found.get(names) or Difference("left_out", item.element, names=names)
            if robot is a:
                found[names] = difference._replace(line_a=item.line)
            else:
                found[names] = difference._replace(line_b=item.line)
    return tuple(found.values())


class UnknownElements(Record):
    """The elements of two files that no reader knows: the differences, and for each file the elements that are noted.

    Files of different formats have no differences, and all their elements are noted.

    Attributes:
        pairs: elements, or attributes of an element, that are not alike: A's first.
        only_a, only_b: elements of one file alone.
        noted_a, noted_b: elements that are alike in both files, and elements in a link or joint that only one file has:
            a run may have merged it.
    """

    pairs: List[Tuple[UnreadElement, UnreadElement]]
    only_a: List[UnreadElement]
    only_b: List[UnreadElement]
    noted_a: List[UnreadElement]
    noted_b: List[UnreadElement]


def _unknown_words(robots: RobotMap, tolerances: Tolerances) -> UnknownElements:
    """Return the elements of two files that no reader knows, compared as text, and poses by their place in the robot."""
    a = robots.a.raw
    b = robots.b.raw
    # An unread element of a URDF is not expected in a different format, which has different words.
    if a.format != b.format:
        return UnknownElements(
            pairs=[],
            only_a=[],
            only_b=[],
            noted_a=by_knowledge(a).unknown,
            noted_b=by_knowledge(b).unknown,
        )
    unknown_a = by_knowledge(a).unknown
    unknown_b = by_knowledge(b).unknown
    pairs, only_a, only_b = compare_unread(
        a._replace(unread=tuple(unknown_a)), b._replace(unread=tuple(unknown_b))
    )
    pairs = [pair for pair in pairs if not lie_alike(*pair, robots, tolerances)]
    only_a = _kept(only_a, b)
    only_b = _kept(only_b, a)
    # By identity, since two equal elements of a file may be a difference and a noted element.
    different = {id(item) for item in (*only_a, *only_b, *chain.from_iterable(pairs))}
    return UnknownElements(
        pairs=pairs,
        only_a=only_a,
        only_b=only_b,
        noted_a=[item for item in unknown_a if id(item) not in different],
        noted_b=[item for item in unknown_b if id(item) not in different],
    )


def _kept(items: Sequence[UnreadElement], other: RawRobot) -> List[UnreadElement]:
    """Return the elements of one file without those in a link or joint that the other file does not have.

    A run may have merged the link, or renamed it.
    """
    owners = {f"link {link.name}" for link in other.links}
    owners |= {f"joint {joint.name}" for joint in other.joints}
    return [
        item
        for item in items
        if not item.steps[0].startswith(("link ", "joint ")) or item.steps[0] in owners
    ]


def unknown_differences(robots: RobotMap, tolerances: Tolerances) -> Differences:
    """Return the differences of two files of one format in elements that no reader knows: the robots may be the same."""
    words = _unknown_words(robots, tolerances)
    differences = [_unlike(item, other) for item, other in words.pairs]
    for kind, side, items in (
        ("unknown_only_a", "a", words.only_a),
        ("unknown_only_b", "b", words.only_b),
    ):
        differences += [
            one_sided(kind, item.element, side, item.line, (_shown(item),)) for item in items
        ]
    return tuple(differences)


def program_differences(robots: RobotMap, tolerances: Tolerances) -> Differences:
    """Return the differences of two URDFs in elements for one program, as `<drake:ball_constraint>`, which no reader reads.

    Their numbers are counted in the frames and from the zeros of what they name, so equal texts need not mean the same.
    """
    a = robots.a.raw
    b = robots.b.raw
    if a.format != b.format:
        return ()
    pairs, only_a, only_b = _partners(_of_programs(a), _of_programs(b))
    differences = []
    for item, other in pairs:
        if count_alike(item, other, robots, tolerances):
            continue
        if item.words != other.words:
            differences.append(_unlike(item, other, "program_words"))
        else:
            differences.append(
                Difference(
                    "program_frame",
                    item.element,
                    names=(item.element,),
                    line_a=item.line,
                    line_b=other.line,
                )
            )
    for side, items in (("a", only_a), ("b", only_b)):
        differences += [
            one_sided(f"program_only_{side}", item.element, side, item.line) for item in items
        ]
    return tuple(differences)


def _of_programs(robot: RawRobot) -> List[UnreadElement]:
    """Return the unread elements of `<robot>` with a prefix, which names the program that reads them."""
    found = []
    for item in by_knowledge(robot).known:
        tag = item.words[0][0] if item.words else ""
        if len(item.steps) == 1 and ":" in tag and tag != LISTS_BODIES:
            found.append(item)
    return found


def _shown(item: UnreadElement) -> str:
    """Return an element, or the unread attributes of an element, as a sentence names them."""
    path, attributes, _ = item.words[0]
    # Attributes of an element that is read have no path.
    if path:
        return item.element
    return f"{_attributes_text(dict(attributes))} of {item.element}"


def _attributes_text(values: Mapping[str, str]) -> str:
    """Return attributes as an element has them: `name="value"`."""
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def _unlike(item: UnreadElement, other: UnreadElement, kind: str = "unknown") -> Difference:
    """Return the difference of two elements, or attributes, that are not read and not alike."""
    word = _unlike_word(item, other)
    values = word.value_a, word.value_b
    return Difference(
        kind,
        item.element,
        a=values[0],
        b=values[1],
        names=(word.element, *values),
        line_a=word.line_a,
        line_b=word.line_b,
    )


def unread_notes(robots: RobotMap, tolerances: Tolerances) -> List[str]:
    """Return sentences on content that is not compared: the differences, then the first elements of each file.

    Unread attributes that are equal in both files are not named. Where files of one format differ in what no reader
    knows, `unknown_differences` says so.
    """
    unknown = _unknown_words(robots, tolerances)
    notes = [
        *_notes_of_ignored("A", robots.a.raw),
        *_notes_of_ignored("B", robots.b.raw),
    ]
    has_contacts = are_compared(robots.a.raw, robots.b.raw)
    known_a = _known_to_programs(robots.a.raw, has_contacts=has_contacts)
    known_b = _known_to_programs(robots.b.raw, has_contacts=has_contacts)
    pairs, only_a, only_b = compare_unread(known_a, known_b)
    # Elements for one program that are not alike are differences (`program_differences`).
    of_programs = {id(item) for item in _of_programs(known_a)}
    pairs = [pair for pair in pairs if id(pair[0]) not in of_programs]
    notes += starmap(_sentence, pairs[:PAIRS_SHOWN])
    if len(pairs) > PAIRS_SHOWN:
        notes.append(UNREAD_MORE.format(len(pairs) - PAIRS_SHOWN))
    different = {id(item) for item in (*only_a, *only_b, *chain.from_iterable(pairs))}
    for side, robot, only, noted in (
        ("A", known_a, only_a, unknown.noted_a),
        ("B", known_b, only_b, unknown.noted_b),
    ):
        alike = [item for item in robot.unread if id(item) not in different and _is_whole(item)]
        # Only the first are shown: elements of one file, then unknown elements, then elements that both files have.
        items = [*only, *noted, *alike]
        if items:
            shown = shown_names(map(_with_line, items), SHOWN)
            notes.append(NOT_COMPARED.format(side, shown))
    return notes


def _notes_of_ignored(side: str, robot: RawRobot) -> List[str]:
    """Return a note on the first element that all readers ignore, with the number of others; [] without an element."""
    ignored = [item for item in robot.unread if item.why == IGNORED]
    if not ignored:
        return []
    more = f" ({len(ignored) - 1} more)" if ignored[1:] else ""
    return [UNREAD_IGNORED.format(side, ignored[0].line, more)]


def _known_to_programs(robot: RawRobot, *, has_contacts: bool) -> RawRobot:
    """Return a robot with only the unread elements that some program may read, and that no other sentence names.

    Elements of an aspect have a sentence of their own. `has_contacts`: so have the contacts of PyBullet.
    """
    items = []
    for item in robot.unread:
        is_contact = has_contacts and contact_of(item) is not None
        if item.why != IGNORED and not aspect_of(item) and not is_contact:
            items.append(item)
    rest = robot._replace(unread=tuple(items))
    return rest._replace(unread=tuple(by_knowledge(rest).known))


def _is_whole(item: UnreadElement) -> bool:
    """Return True for an element, False for attributes of an element that is read: these have no path."""
    return not item.words or item.words[0][0] != ""


def _with_line(item: UnreadElement) -> str:
    """Return an element and its line; an element of a file other than the robot's has no line."""
    return f"{item.element} (line {item.line})" if item.line else item.element


class FirstUnequalWord(Record):
    """The first word by which two unread elements differ: its place, and both values with their lines (0: unknown)."""

    element: str
    value_a: str
    value_b: str
    line_a: int
    line_b: int


def _unlike_word(item: UnreadElement, other: UnreadElement) -> FirstUnequalWord:
    """Return the first word by which two elements differ: their attributes that differ, else their texts.

    The elements differ in at least one word. A value that one of them lacks is `nothing`.
    """
    # One element may have more words; its further words have NOTHING as partners.
    pairs = zip_longest(
        zip(item.words, item.lines), zip(other.words, other.lines), fillvalue=NOTHING
    )
    (word_a, line_a), (word_b, line_b) = next(
        (first, second) for first, second in pairs if first[0] != second[0]
    )
    path_a, pairs_a, text_a = word_a
    path_b, pairs_b, text_b = word_b
    attributes_a = dict(pairs_a)
    attributes_b = dict(pairs_b)
    # A's order first, then the attributes that only B has.
    names = [name for name, value in pairs_a if attributes_b.get(name) != value]
    names += [name for name in attributes_b if name not in attributes_a]
    if names:
        text_a = _attributes_text(_chosen(attributes_a, names))
        text_b = _attributes_text(_chosen(attributes_b, names))
    # The element is named already, so its tag is not repeated.
    inner_path = (path_a or path_b).partition("/")[2]
    return FirstUnequalWord(
        element=f"{item.element} {inner_path}" if inner_path else item.element,
        value_a=shorten(text_a, LONGEST) or "nothing",
        value_b=shorten(text_b, LONGEST) or "nothing",
        line_a=line_a,
        line_b=line_b,
    )


def _chosen(attributes: Mapping[str, str], names: Sequence[str]) -> Dict[str, str]:
    """Return the attributes of some names, in the order of the names; a name without an attribute is left out."""
    return {name: attributes[name] for name in names if name in attributes}


def _sentence(item: UnreadElement, other: UnreadElement) -> str:
    """Return the sentence about the first word by which two elements differ, with both values and lines."""
    word = _unlike_word(item, other)
    return UNREAD_DIFFERS.format(
        word.element, word.value_a, word.line_a or "?", word.value_b, word.line_b or "?"
    )
