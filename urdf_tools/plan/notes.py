"""Comments of this tool that list words, folded."""
import re
from typing import Sequence, Tuple

from ..base.version import __version__
from ..urdf.lossless_xml import Document

WIDTH_OF_NOTES = 120


def words_of_note(document: Document, begins: str) -> Tuple[str, ...]:
    """Return the words of the first note that begins like a pattern."""
    listed = next((text.partition(":")[2] for text in document.comments() if re.match(begins, text)), "")
    return tuple([" ".join(word.split()) for word in listed.split(",")]) if listed else ()


def line_of_note(document: Document, begins: str) -> int:
    """Return the line of that note."""
    return document.text().partition(next(filter(re.compile(begins).match, document.comments())))[0].count("\n") + 1


def note_of_words(title: str, words: Sequence[str], newline: str, width: int = WIDTH_OF_NOTES) -> str:
    """Return a comment with a title and words, folded at a width; "" without words.

    Width 0: words begin lines, and those that are longer than a line are folded where they have blanks.
    """
    head = f"<!-- urdf_simplify {__version__} {title}:"
    if not words or len(f"{head} {', '.join(words)} -->") <= width:
        return f"{head} {', '.join(words)} -->" if words else ""
    lines = [head]
    for word in (*(f"{word}," for word in words[:-1]), words[-1]):
        if len(lines) == 1 or len(lines[-1]) + len(word) >= width:
            lines.append(" ")
        for part in [word] if width else word.split():
            if len(lines[-1]) + len(part) >= WIDTH_OF_NOTES:
                lines.append("   ")
            lines[-1] += f" {part}"
    return newline.join([*lines, "-->"])
