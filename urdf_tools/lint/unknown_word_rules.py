"""A rule for elements and attributes that no known program reads, such as private data of an exporter."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Tuple

from ..base.number_text import grouped
from ..formats.urdf.urdf_vocabulary import CHILDREN, FOREIGN, NAMED, NUMBERED
from ..urdf.lossless_xml import Element
from .lint_diagnostics import UNREAD
from .finding_records import Findings, found, LintedRobot
from .urdf_text_rules import nearly

INSTEAD = {"<joint_properties> in <joint>": "<dynamics damping friction>"}


def unread_words(subject: LintedRobot) -> Findings:
    """Yield a single finding of a file for all its elements and attributes that no program reads."""
    first = grouped(_unread(subject.robot.document.root))
    if not first:
        return
    words: List[str] = []
    for word, lines in first.items():
        instead = f": write {INSTEAD[word]}" if word in INSTEAD else ""
        times = f", {len(lines)} times" if len(lines) > 1 else ""
        words.append(f"{word} (line {lines[0]}{times}){instead}")
    line = min(lines[0] for lines in first.values())
    yield found(UNREAD, line, "words", ("; ".join(words),))


def _unread(element: Element) -> Iterator[Tuple[str, int]]:
    """Yield the words in an element that no program reads, each with its line."""
    yield from _unread_attributes(element)
    children = CHILDREN.get(element.name, ())
    if not children:  # an element of no program has words of its own
        return
    for child in element.elements():
        if child.name in children:
            if child.name not in FOREIGN:
                yield from _unread(child)
        elif _is_foreign_word(child.name, children):
            yield f"<{child.name}> in <{element.name}>", child.line


def _unread_attributes(element: Element) -> Iterator[Tuple[str, int]]:
    """Yield the attributes of an element that no program reads, each with its line."""
    known = NAMED.get(element.name, ())
    if not known:
        return
    numbered = NUMBERED.get(element.name, ())
    for name, value in element.attributes.items():
        is_number = name in numbered and value.strip().lstrip("-").isdigit()
        if name not in known and not is_number and _is_foreign_word(name, known):
            yield f"<{element.name} {name}>", element.line


def _is_foreign_word(word: str, known: Sequence[str]) -> bool:
    """Return True for an unknown word that is neither misspelled nor in a namespace, which names its owner."""
    return ":" not in word and not nearly(word, known)
