"""Comments of this tool that list words: decisions, for people and for `compare`, and the signs that joints keep.

Each decision is a line: its kind, prefixed with the format for the decision of an export; the link, joint, sensor or
file; words; numbers in brackets: `shape nut_m3.stl visual+collision base shin (2 5)`, `lock shin knee (0.3)`, `sdf:lost
top_b loop`. A space in a word is `~`. The note of a later run has the lines of the earlier ones first. `read_decision`
in compare/noted_decisions.py reads a line; compare/README.md explains the words and numbers of each kind.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import partial
from typing import AbstractSet, Dict, Iterator, List, Sequence

from ..base.type_aliases import Pair, Reals, Texts
from ..base.number_text import NUMBER
from ..base.record_type import Record
from ..base.version import SIGNATURE, signature
from .lossless_xml import Document
from .urdf_records import AS_IT_WAS, JointMap, UrdfRobot, WITH_AXIS

DECISIONS = SIGNATURE + " decisions[^:]*:"  # the start of the note, in any release
DECISIONS_TITLE = "decisions, what is not as in the original file"
# The kind of a line for a loss: missing or changed in the result, with labels of differences.
LOST = "lost"
# [m and rad] Roundings of axes that move nothing by more than this are not noted. It is the default tolerance of
# `compare`, which overestimates the distance of shapes by a factor of 1.7 at most.
UNNOTED = 1e-4 / 1.7
# `--` ends a comment; commas and spaces separate words; no other character needs more than one byte
NOT_IN_NOTES = re.compile(r"[^\w./:+*?!=\[\]-]|(?<=-)-", re.A)


def in_note(name: str) -> str:
    """Return a name as a single word for a comment; other characters are percent-encoded, as in URLs."""
    return NOT_IN_NOTES.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8")), name
    )


def from_note(word: str) -> str:
    """Return the name that a word of a note represents."""
    return re.sub(
        "(?:%[0-9A-F]{2})+",
        lambda match: bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace"),
        word,
    )


class Decision(Record):
    """A change or a loss in a run: its subject, with words and numbers.

    `format` is the format of the export that made it; "" for a change of the URDF, which affects all formats.
    """

    kind: str
    name: str
    words: Texts = ()
    numbers: Reals = ()
    format: str = ""


def decision_text(decision: Decision) -> str:
    """Return a decision as a line of the note."""
    kind, name, words, numbers, made = decision
    # A whole number without `.0`.
    listed = " ".join(repr(number) if number % 1 else f"{number:.17g}" for number in numbers)
    return " ".join(
        [
            f"{made}:{kind}" if made else kind,
            *(in_note(word).replace("%20", "~") or '""' for word in (name, *words)),
            *([f"({listed})"] if numbers else []),
        ]
    )


WIDTH_OF_NOTES = 120


def own_notes(document: Document, begins: str) -> List[str]:
    """Return the notes of this tool that match a pattern at their start.

    Most files have no notes, so the text is tested first and the pattern is not compiled.
    """
    return [
        text
        for text in document.comments()
        if text.startswith("urdf_simplify") and re.match(begins, text)
    ]


def line_of_note(document: Document, begins: str) -> int:
    """Return the line of the first note that matches a pattern at its start, or 0."""
    notes = own_notes(document, begins)
    return document.text().partition(notes[0])[0].count("\n") + 1 if notes else 0


def words_of_note(document: Document, begins: str) -> Texts:
    """Return the words of the first note that matches a pattern at its start."""
    listed = next((text.partition(":")[2] for text in own_notes(document, begins)), "")
    return tuple([" ".join(word.split()) for word in listed.split(",")]) if listed else ()


def note_of_words(
    title: str, words: Sequence[str], newline: str, width: int = WIDTH_OF_NOTES
) -> str:
    """Return a comment with a title and words, folded at a width; "" without words.

    With width 0, each word begins a line, and longer words are folded at their spaces.
    """
    head = f"<!-- {signature()} {title}:"
    if not words:
        return ""
    in_one_line = f"{head} {', '.join(words)} -->"
    # Every release counts as five characters, so that all fold a note alike.
    if len(in_one_line) - len(signature()) + len("urdf_simplify 0.3.0") <= width:
        return in_one_line
    lines = [head]
    for word in (*(f"{word}," for word in words[:-1]), words[-1]):
        if len(lines) == 1 or len(lines[-1]) + len(word) >= width:
            lines.append(" ")
        for part in [word] if width else word.split():
            if len(lines[-1]) + len(part) >= WIDTH_OF_NOTES:
                lines.append("   ")
            lines[-1] += f" {part}"
    return newline.join([*lines, "-->"])


JOINT_MAP = SIGNATURE + " joint map[^:]*:"  # the start of the note, in any release
ORIGINAL_NAME = r"[^\s()-][^\s()]*"  # of a joint in the original file, as written by `old_word`
# A position in the original file; of a slide in a robot that was scaled, times the factor.
TERM = rf"(?:({NUMBER})\*)?({ORIGINAL_NAME})"
ENTRY = rf"(\S+) = (?:-{TERM}|-\({TERM} - ({NUMBER})\)|{TERM}(?: - ({NUMBER}))?)"
SAME_NAME = "q"


class NotedJointMap(Record):
    """The map of a joint from the original file, and its original name as in the note, or q if unchanged.

    `times` is the factor of the original position, before the map: of a slide in a robot that was scaled.
    """

    map: JointMap = AS_IT_WAS
    old: str = SAME_NAME
    times: float = 1.0


def read_joint_map(document: Document) -> Dict[str, NotedJointMap]:
    """Return the map of each joint in the note of an earlier run, by its name as written in the note."""
    entries = filter(None, map(partial(re.fullmatch, ENTRY), words_of_note(document, JOINT_MAP)))
    maps: Dict[str, NotedJointMap] = {}
    for entry in entries:
        name, *terms = entry.groups()
        # An entry with another spelling was edited, and names no joint.
        if in_note(from_note(name)) != name:
            continue
        # Of the three forms of an entry, `-q`, `-(q - 1)`, and `q` or `q - 1`, one has a term.
        times = terms[0] or terms[2] or terms[5] or "1"
        old = terms[1] or terms[3] or terms[6]
        zero = terms[4] or terms[7] or "0"
        sign = 1 if terms[6] else -1
        maps[name] = NotedJointMap(JointMap(sign, float(zero)), old, float(times))
    return maps


# The start of the note that lists the edits, run by run.
VARIANT = SIGNATURE + " variant:"
# Including notes with an edited release.
LIKE_A_NOTE = r"urdf_simplify\b.*? (?:joint map|variant|decisions)[^:]*:"
THEN = "then "  # before the first word of a later run: `drop *_hand, zero knee=0.35, then flip hip`
KEEP_SIGNS = "keep-signs"


def read_word(word: str) -> Pair:
    """Return the edit and the value of a word of the note, such as ("flip", "hip")."""
    name, _, value = word[len(THEN) * word.startswith(THEN) :].partition(" ")
    return name, from_note(value)


def signs_noted(document: Document) -> List[str]:
    """Return the globs of joints whose signs earlier runs flipped or kept, from the note."""
    noted = map(read_word, words_of_note(document, VARIANT))
    return [value or "*" for name, value in noted if name in ("flip", KEEP_SIGNS)]


def unread_in_notes(document: Document) -> Iterator[Pair]:
    """Yield unreadable notes of earlier runs and unreadable entries of their joint maps."""
    for text in own_notes(document, LIKE_A_NOTE):
        if not any(re.match(begins, text) for begins in (JOINT_MAP, VARIANT, DECISIONS)):
            yield "note", text.partition(":")[0]
    for word in words_of_note(document, JOINT_MAP):
        if not re.fullmatch(ENTRY, word):
            yield "entry", word


def kept_signs(robot: UrdfRobot, *, keep_all: bool) -> AbstractSet[str]:
    """Return the child links of the joints that keep their signs."""
    globs = [*signs_noted(robot.document), *["*"] * keep_all]
    return {
        joint.child
        for joint in robot.joints
        if joint.type in WITH_AXIS and any(fnmatchcase(joint.name, glob) for glob in globs)
    }


def words_of_result(robot: UrdfRobot, *, keep_all: bool) -> Texts:
    """Return the words for the note in the result; words of earlier runs come first."""
    words = words_of_note(robot.document, VARIANT)
    is_new = keep_all and KEEP_SIGNS not in (read_word(word)[0] for word in words)
    return (*words, f"{THEN if words else ''}{KEEP_SIGNS}") if is_new else words
