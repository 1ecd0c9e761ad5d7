"""Words that a note in a result can hold, and what its note of decisions says, for people and for compare.

A line for each decision: its kind, after the format that it was made for if that is an export; the link, joint,
sensor or file; words; numbers in brackets: `shape nut_m3.stl visual+collision base shin (2 5)`, `lock shin knee (0.3)`,
`mjcf:value knee effort (0)`. A blank in a word is `~`. The note of a later run has the lines of the earlier ones first.
`read_decision` in compare/decided.py reads a line; compare/README.md says what the words and numbers of each kind are.
"""
import re
from typing import NamedTuple, Tuple

DECISIONS = r"urdf_simplify [0-9]\S* decisions[^:]*:"  # how the note begins, in any release
DECISIONS_TITLE = "decisions, what is not as in the original file"
# `--` ends a comment; commas and blanks part words; no other sign needs more than one byte
NOT_IN_NOTES = re.compile(r"[^\w./:+*?!=\[\]-]|(?<=-)-", re.A)


def in_note(name: str) -> str:
    """Return a name as one word that a comment can hold: what else is in it as %20, as in addresses."""
    return NOT_IN_NOTES.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8")), name)


def from_note(word: str) -> str:
    """Return the name that a word of a note stands for."""
    return re.sub("(?:%[0-9A-F]{2})+", lambda match: bytes.fromhex(match.group().replace("%", "")).decode(
        "utf-8", "replace"), word)


class Decision(NamedTuple):
    """A change that a run made: what it is about, and what was there and is there now, as words and numbers.

    `format` is that of the export for which it was made; "": of the URDF, so of all that is made of it.
    """

    kind: str
    name: str
    words: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    format: str = ""


def decision_text(decision: Decision) -> str:
    """Return a decision as a line of the note."""
    kind, name, words, numbers, made = decision
    listed = " ".join(repr(number) if number % 1 else f"{number:.17g}" for number in numbers)
    return " ".join([f"{made}:{kind}" if made else kind, *(in_note(word).replace("%20", "~") or '""' for word in (
        name, *words)), *([f"({listed})"] if numbers else [])])
