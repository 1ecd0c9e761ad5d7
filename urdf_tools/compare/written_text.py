"""Differences in the texts of two files: angles that were typed with too few digits, and elements of the same format
that no reader knows, with both values and lines.

An angle such as 1.57 for pi/2 is a single cause of many small differences: the robots are compared again with the exact
angles, and the differences that vanish had this cause, which is reported once.
"""

from __future__ import annotations

from itertools import chain, starmap, zip_longest
from math import floor, gcd, pi
from textwrap import shorten
from typing import AbstractSet, Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ..base.number_text import grouped, shown_names
from ..base.record import Record
from ..base.types import Texts
from ..formats.reading import aspect_of, IGNORED, rotated_tensor, rotation_of_rpy
from ..formats.urdf.vocabulary import by_knowledge
from ..robot.records import RawLink, RawMass, RawRobot, UnreadElement, Word
from ..urdf.spatial import IDENTITY, Matrix, multiply, Transform, rpy_from_matrix, transpose
from .contact_differences import are_compared, contact_of
from .differences import Difference, Differences, one_sided, Tolerances
from .followed_words import lie_alike
from .robot_map import RobotMap
from .words import NOT_COMPARED, UNREAD_DIFFERS, UNREAD_IGNORED, UNREAD_MORE

TWELFTHS = range(1, 25)  # of pi: 15 degrees up to two turns
DIGITS = (1, 2, 3, 4)
# Rad: a constant closer to the exact angle is exact enough, a farther constant is a different angle.
SEEN = 1e-5
NOT_MEANT = 0.01
AS_TYPED = 1e-9  # rad: an angle this near to a constant was typed as that constant


class TypedConstant(Record):
    """A constant as it is typed, and the exact angle's text."""

    text: str
    meant: str


class ConstantUses(Record):
    """The number of uses of a constant in a file, and the line of the first."""

    times: int
    line: int


class IntendedRobot(Record):
    """A robot with the intended exact angles, and the constants that were typed for them."""

    robot: RawRobot
    typed: Dict[TypedConstant, ConstantUses]


def _constants() -> Dict[float, Tuple[TypedConstant, float]]:
    """Return by typed number [rad] its name, and the exact angle."""
    constants: Dict[float, Tuple[TypedConstant, float]] = {}
    for count in TWELFTHS:
        # Reduced, as people write it: 6/12 of pi is pi/2.
        value = pi * count / 12.0
        common = gcd(count, 12)
        times = count // common
        part = 12 // common
        factor = "" if times == 1 else f"{times} "
        divisor = "" if part == 1 else f"/{part}"
        name = f"{factor}pi{divisor}"
        for digits in DIGITS:
            # People round, as 1.571, or cut off, as 1.570.
            for typed in (round(value, digits), floor(value * 10**digits) / 10**digits):
                if SEEN < abs(typed - value) < NOT_MEANT:
                    constants.setdefault(typed, (TypedConstant(f"{typed:g}", name), value))
    return constants


CONSTANTS = _constants()


def as_meant(robot: RawRobot) -> IntendedRobot:
    """Return a robot with the exact angles in all its frames."""
    typed: Dict[TypedConstant, ConstantUses] = {}

    def meant(T: Transform, line: int) -> Transform:
        """Return a pose with the exact angles; unchanged if no angle was typed with few digits."""
        R = _meant_rotation(T.rotation, line, typed)
        return T if R is T.rotation else Transform(R, T.translation)

    def with_meant(field: str) -> Callable[[Any], Any]:
        """Return a function that makes the pose in a field of a part exact."""
        return lambda part: part._replace(**{field: meant(getattr(part, field), part.line)})

    def of_mass(mass: RawMass) -> RawMass:
        """Return a mass in its exact frame."""
        T = meant(mass.T_link_inertial, mass.line)
        R = mass.T_link_inertial.rotation
        # The tensor is in the axes of the link, so it turns with the frame in which it was written.
        turn = IDENTITY if T is mass.T_link_inertial else multiply(T.rotation, transpose(R))
        return mass._replace(T_link_inertial=T, tensor=rotated_tensor(turn, mass.tensor))

    def of_link(link: RawLink) -> RawLink:
        """Return a link with its mass and shapes in their exact frames."""
        mass = of_mass(link.mass) if link.mass is not None else None
        return link._replace(mass=mass, shapes=tuple(map(with_meant("T_link_shape"), link.shapes)))

    changed = robot.with_each(
        joints=with_meant("T_parent_child"),
        links=of_link,
        frames=with_meant("T_link_frame"),
        sensors=with_meant("T_link_sensor"),
    )
    return IntendedRobot(changed, typed)


def _meant_rotation(R: Matrix, line: int, typed: Dict[TypedConstant, ConstantUses]) -> Matrix:
    """Return a rotation with the exact angles, itself if none was typed; typed constants are counted in `typed`."""
    if R is IDENTITY:
        return R
    angles = list(rpy_from_matrix(R))
    # Each rotation has two sets of roll, pitch and yaw: the set with more typed angles was written.
    typed_angles = max((_typed_in(values) for values in (angles, other_rpy(angles))), key=len)
    if not typed_angles:
        return R
    angles = angles if typed_angles == _typed_in(angles) else other_rpy(angles)
    for index, (constant, value) in typed_angles.items():
        before = typed.get(constant, ConstantUses(0, line))
        typed[constant] = ConstantUses(before.times + 1, before.line)
        angles[index] = value if angles[index] > 0.0 else -value
    return rotation_of_rpy(angles)


def _typed_in(angles: List[float]) -> Dict[int, Tuple[TypedConstant, float]]:
    """Return the typed constants among three angles [rad] by index, with the exact angle."""
    typed = {}
    for index, angle in enumerate(angles):
        # The angle comes from a matrix, so its last digits are noise.
        constant = CONSTANTS.get(float(f"{abs(angle):.8g}"))
        if constant is not None and abs(abs(angle) - float(constant[0].text)) < AS_TYPED:
            typed[index] = constant
    return typed


def other_rpy(angles: List[float]) -> List[float]:
    """Return the other roll, pitch and yaw of the same rotation; people also write a pitch of half a turn."""
    return [
        angle - pi if angle > 0.0 else angle + pi for angle in (angles[0], -angles[1], angles[2])
    ]


SHOWN = 2  # of the elements that only one file has, or that both have alike
PAIRS_SHOWN = 5
LONGEST = 60  # of a value
NOTHING: Tuple[Word, int] = (("", (), ""), 0)
KEYS: Tuple[
    Callable[[UnreadElement], str], ...
] = (  # equal elements at the same path, then the same path, then the same kind
    lambda item: f"{item.where} {item.words}",
    lambda item: item.where,
    lambda item: item.words[0][0] if item.words else "",
)


def _pairs_by(
    key: Callable[[UnreadElement], str],
    first: Sequence[UnreadElement],
    second: Sequence[UnreadElement],
) -> List[Tuple[int, int]]:
    """Return pairs of indices of elements with the same key, in order."""
    indices = grouped((key(item), index) for index, item in enumerate(second))
    return [
        (index, indices[key(item)].pop(0))
        for index, item in enumerate(first)
        if indices.get(key(item))
    ]


def compare_unread(
    a: RawRobot, b: RawRobot
) -> Tuple[List[Tuple[UnreadElement, UnreadElement]], List[UnreadElement], List[UnreadElement]]:
    """Return pairs of unread elements that differ, and the elements of A and B alone; different formats have no pairs."""
    first = list(a.unread)
    second = list(b.unread)
    pairs: List[Tuple[UnreadElement, UnreadElement]] = []
    for key in KEYS if a.format == b.format else ():
        matched = _pairs_by(key, first, second)
        pairs += [(first[k], second[m]) for k, m in matched if first[k].words != second[m].words]
        for unread, gone in ((first, {k for k, _ in matched}), (second, {m for _, m in matched})):
            # In place, so that the next key pairs only the remaining elements.
            unread[:] = [item for k, item in enumerate(unread) if k not in gone]
    return pairs, first, second


def left_out(a: RawRobot, b: RawRobot, aspects: AbstractSet[str]) -> Differences:
    """Return the elements of either robot that no reader knows, once if both files have them."""
    found: Dict[Texts, Difference] = {}
    for robot in (a, b):
        for item in robot.unread:
            names = (item.element, item.why)
            if aspect_of(item) in aspects:
                one = found.get(names) or Difference("left_out", item.element, names=names)
                found[names] = (
                    one._replace(line_a=item.line) if robot is a else one._replace(line_b=item.line)
                )
    return tuple(found.values())


class UnknownWords(Record):
    """The elements of two files of one format that no reader knows: the differences, and for each file the noted ones.

    Attributes:
        pairs: elements, or attributes of an element, that are not alike.
        only_a, only_b: elements of one file alone.
        noted_a, noted_b: elements that are alike in both files, and elements in a link or joint that only one file has:
            a run may have merged it.
    """

    pairs: List[Tuple[UnreadElement, UnreadElement]]
    only_a: List[UnreadElement]
    only_b: List[UnreadElement]
    noted_a: List[UnreadElement]
    noted_b: List[UnreadElement]


def _unknown_words(robots: RobotMap, tolerances: Tolerances) -> UnknownWords:
    """Return the elements of two files that no reader knows, compared as text, and poses by their place in the robot.

    Files of other formats are not compared.
    """
    a = robots.a.raw
    b = robots.b.raw
    # An unread element of a URDF is not expected in a different format, which has different words.
    if a.format != b.format:
        return UnknownWords(
            pairs=[],
            only_a=[],
            only_b=[],
            noted_a=by_knowledge(a).unknown,
            noted_b=by_knowledge(b).unknown,
        )
    sides = [raw._replace(unread=tuple(by_knowledge(raw).unknown)) for raw in (a, b)]
    pairs, only_a, only_b = compare_unread(*sides)
    pairs = [pair for pair in pairs if not lie_alike(*pair, robots, tolerances)]
    only_a, only_b = _kept(only_a, b), _kept(only_b, a)
    apart = {id(item) for item in (*only_a, *only_b, *(item for pair in pairs for item in pair))}
    noted = [[item for item in side.unread if id(item) not in apart] for side in sides]
    return UnknownWords(
        pairs=pairs, only_a=only_a, only_b=only_b, noted_a=noted[0], noted_b=noted[1]
    )


def _kept(items: Sequence[UnreadElement], other: RawRobot) -> List[UnreadElement]:
    """Return the elements of one file without those in a link or joint that the other file does not have."""
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
    found = [_unlike(item, other) for item, other in words.pairs]
    for kind, items in (("unknown_only_a", words.only_a), ("unknown_only_b", words.only_b)):
        found += [
            one_sided(kind, item.element, kind[-1], item.line, (_shown(item),)) for item in items
        ]
    return tuple(found)


def _shown(item: UnreadElement) -> str:
    """Return an element, or the unread attributes of an element, as a sentence names them."""
    path, attributes, _ = item.words[0]
    if path:
        return item.element
    return f"{_attributes_text(dict(attributes))} of {item.element}"


def _attributes_text(values: Mapping[str, str]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def _unlike(item: UnreadElement, other: UnreadElement) -> Difference:
    """Return the difference of two elements, or attributes, that no reader knows and that are not alike."""
    word = _unlike_word(item, other)
    values = word.value_a, word.value_b
    return Difference(
        "unknown",
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
    both = (robots.a.raw, robots.b.raw)
    notes = [*_notes_of_ignored("A", both[0]), *_notes_of_ignored("B", both[1])]
    has_contacts = are_compared(*both)
    known = [_known_to_programs(robot, has_contacts=has_contacts) for robot in both]
    pairs, only_a, only_b = compare_unread(*known)
    notes += starmap(_sentence, pairs[:PAIRS_SHOWN])
    if len(pairs) > PAIRS_SHOWN:
        notes.append(UNREAD_MORE.format(len(pairs) - PAIRS_SHOWN))
    apart = {id(item) for item in (*only_a, *only_b, *chain.from_iterable(pairs))}
    onlys = (*only_a, *unknown.noted_a), (*only_b, *unknown.noted_b)
    for side, robot, only in zip("AB", known, onlys):
        # Elements of one file come first, then unknown elements, then elements that both files have.
        alike = [item for item in robot.unread if id(item) not in apart and _is_whole(item)]
        items = [*only, *alike]
        if items:
            shown = shown_names(map(_with_line, items), SHOWN)
            notes.append(NOT_COMPARED.format(side, shown))
    return notes


def _notes_of_ignored(side: str, robot: RawRobot) -> List[str]:
    """Return a note on the first element that all readers ignore, with the number of others; [] without such elements."""
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
    left = robot._replace(unread=tuple(items))
    return left._replace(unread=tuple(by_knowledge(left).known))


def _is_whole(item: UnreadElement) -> bool:
    """Return True for an element, False for attributes of an element that is read: these have no path."""
    return not item.words or item.words[0][0] != ""


def _with_line(item: UnreadElement) -> str:
    """Return an element and its line; an element of a file other than the robot's has no line."""
    return f"{item.element} (line {item.line})" if item.line else item.element


class UnlikeWord(Record):
    """The first word by which two unread elements differ: its place, and both values with their lines (0: unknown)."""

    element: str
    value_a: str
    value_b: str
    line_a: int
    line_b: int


def _unlike_word(item: UnreadElement, other: UnreadElement) -> UnlikeWord:
    """Return the first word by which two elements differ."""
    both = zip_longest(
        zip(item.words, item.lines), zip(other.words, other.lines), fillvalue=NOTHING
    )
    (word, line), (second, line_b) = next(pair for pair in both if pair[0][0] != pair[1][0])
    path, values, text = word
    others = dict(second[1])
    names = [name for name, value in values if others.get(name) != value] + [
        name for name in others if name not in dict(values)
    ]
    texts = [
        _attributes_text({name: words[name] for name in names if name in words}) if names else text
        for words, text in ((dict(values), text), (others, second[2]))
    ]
    shown, other_shown = (shorten(text, LONGEST) or "nothing" for text in texts)
    inner = (path or second[0]).partition("/")[2]
    return UnlikeWord(
        element=f"{item.element} {inner}" if inner else item.element,
        value_a=shown,
        value_b=other_shown,
        line_a=line,
        line_b=line_b,
    )


def _sentence(item: UnreadElement, other: UnreadElement) -> str:
    """Return the first word by which two elements differ, with both values and lines."""
    word = _unlike_word(item, other)
    return UNREAD_DIFFERS.format(
        word.element, word.value_a, word.line_a or "?", word.value_b, word.line_b or "?"
    )
