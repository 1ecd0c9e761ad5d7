"""The note of the values that a repair replaced: `compare` applies the same repairs to the input, and names them."""

from __future__ import annotations

from typing import Iterator

from ..apply.apply_plan_passes import note_in_front
from ..base.errors import UrdfError
from ..base.record_type import Record
from ..compare.robot_comparison import compare
from ..compare.noted_decisions import as_decided
from ..compare.difference_records import Differences
from ..compare.difference_kinds import KINDS
from ..compare.rounded_angles import as_meant
from ..formats.urdf.read_urdf import read_urdf
from ..robot.raw_robot import RawRobot
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.urdf_notes import (
    Decision,
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    LOST,
    note_of_words,
    own_notes,
    words_of_note,
)

# The labels in `compare` of values that repairs replace, even if programs accept them.
REPLACED = ("mass", "center", "tensor", "limit")
EQUAL = "equal"  # names option of `compare`: no repair renames anything


class RepairNote(Record):
    """The replaced values of repairs, for the note in their result.

    Attributes:
        acts: repairs of values that simulators refuse, which `compare` applies to the input, too.
        others: further differences, which stay differences.
    """

    acts: Differences = ()
    others: Differences = ()


def repair_note(before: Document, after: Document) -> RepairNote:
    """Return the replaced values of the repairs of a document, an empty note if only the repaired one can be read."""
    try:
        given, made = (read_urdf(each.to_bytes(), each.path) for each in (before, after))
    except UrdfError:
        return RepairNote()
    given, acts = as_decided(given, made, map(decision_text, _repairs(given, made)))
    return RepairNote(acts, compare(given, made, names=EQUAL).differences)


def _repairs(given: RawRobot, made: RawRobot) -> Iterator[Decision]:
    """Yield the angles, masses, tensors and limits in which a repaired robot differs from its input."""
    meant = as_meant(given)
    if meant.typed and not as_meant(made).typed:
        typed = sorted(float(constant.text) for constant in meant.typed)
        yield Decision("angle", given.links[0].name, (), tuple(typed))
        given = meant.robot
    for old, new in zip(given.links, made.links):
        if new.mass is None or new.mass == old.mass:
            continue
        mass, center, tensor = new.mass[:3]
        if old.mass is None or old.mass.mass == 0.0:
            yield Decision("repair", new.name, ("mass",), (mass, *center, *tensor))
        elif old.mass.tensor != tensor:
            yield Decision("repair", new.name, ("tensor",), tensor)
    for joint, repaired in zip(given.joints, made.joints):
        if repaired.lower is None or repaired.upper is None:
            continue
        if (joint.lower, joint.upper) != (repaired.lower, repaired.upper):
            numbers = (repaired.lower, repaired.upper)
            yield Decision("repair", repaired.child, ("limit",), numbers)


def with_repair_note(document: Document, said: RepairNote, newline: str = "") -> Document:
    """Return a repaired document with its repairs in the note of decisions, which the outputs of a run take over.

    Args:
        newline: separates the lines of the note, and the note from the robot; "": the note adds no line.
    """
    document = parse_document(document.to_bytes(), document.path)
    decisions = [
        Decision(act.kind[len("decided_") :], act.where, act.names[1:], act.numbers)
        for act in said.acts
    ]
    for other in said.others:
        label = KINDS[other.kind].label
        if label in REPLACED:
            decisions.append(Decision(LOST, other.where, (label,)))
    texts = dict.fromkeys(map(decision_text, decisions))
    if not texts:
        return document
    words = (*words_of_note(document, DECISIONS), *texts)
    note = note_of_words(DECISIONS_TITLE, words, newline or " ", width=0)
    if not newline:
        # Warnings name lines of the input, so the note keeps the number of lines of an earlier note.
        note += "\n" * sum(text.count("\n") for text in own_notes(document, DECISIONS)[:1])
    note_in_front(document, document.root, note, DECISIONS, newline=newline)
    return document
