"""`explain`: a kind of finding, an option, or an error of a different program."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import chain
from typing import List, Sequence

from ..base.diagnostics import DiagnosticKind
from ..base.errors import did_you_mean, UsageError
from ..base.option_table import OptionRow
from ..cli.run_command_line import say, style_of, value_given, WRITTEN
from ..export.all_diagnostics import example_of, EXPORT_KINDS
from ..report.line_layout import columns, fold, TextStyle
from .package_options import error_texts, ProgramErrorExplanation, TABLE

ENOUGH = 0.6  # of the words of an error that a pasted text must contain


def run(words: List[str]) -> int:
    """Explain a kind of finding, an option or an error of a different program; without words list the kinds.

    Raises:
        UsageError: the words are none of these.
    """
    color = value_given(words, "--color") or "auto"
    asked = [
        word
        for before, word in zip(("", *words), words)
        if "--color" not in (before, word.partition("=")[0])
    ]
    say(explained(" ".join(asked), EXPORT_KINDS, style_of(sys.stdout, color)), sys.stdout)
    return WRITTEN


def explained(text: str, kinds: Sequence[DiagnosticKind], style: TextStyle) -> List[str]:
    """Return the lines that explain a kind, an option or an error text; without a text a line for each kind.

    Raises:
        UsageError: the text is none of these; the message suggests a similar name.
    """
    if not text:
        return columns([(kind.name, kind.severity, kind.meaning) for kind in kinds])
    name = text.strip("[]")
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is not None:
        return _kind_lines(kind, style)
    # Two commands may spell two options alike.
    options = [row for row in TABLE if row.verbs and text in (row.spelling, row.short)]
    if options:
        return [*chain.from_iterable(_option_lines(option, style) for option in options)]
    known = errors_like(text)
    if known:
        return [*chain.from_iterable(_error_lines(error, style) for error in known)]
    names = [*(kind.name for kind in kinds), *(row.spelling for row in TABLE if row.verbs)]
    near = did_you_mean(name, names, least=0.75)
    raise UsageError(
        f"no finding, option or error text like '{text}'{near}; explain without words lists the findings"
    )


def _option_lines(option: OptionRow, style: TextStyle) -> List[str]:
    """Return the commands that take an option, and its help."""
    title = style.title(f"{option.shown} ({', '.join(option.verbs.split())})")
    lines = [title, *fold(option.help)]
    if option.more:
        lines += fold(option.more)
    return lines


def _error_lines(error: ProgramErrorExplanation, style: TextStyle) -> List[str]:
    """Return the cause of an error of a different program, and the command that cures it."""
    return [
        style.title(f"{error.program}: {error.words}"),
        *fold(error.cause),
        f"  urdf-simplify {error.command}",
    ]


def errors_like(text: str) -> List[ProgramErrorExplanation]:
    """Return the errors that share the largest part of their words with a pasted text; [] if half of them are missing."""
    pasted = Counter(_words(text))

    def share(error: ProgramErrorExplanation) -> float:
        """Return the part of an error's words that the pasted text contains, from 0 to 1."""
        words = _words(error.words)
        return sum((Counter(words) & pasted).values()) / len(words)

    shares = [(share(error), error) for error in error_texts()]
    most = max(part for part, _ in shares)
    return [error for part, error in shares if part == most] if most > ENOUGH else []


def _words(text: str) -> List[str]:
    """Return the words of a text in lower case, and names of C++ whole."""
    return re.findall(r"[a-z]{2,}|[a-z]+::\w+", text.lower())


def _kind_lines(kind: DiagnosticKind, style: TextStyle) -> List[str]:
    """Return the meaning of a kind, its cure, its sentences with their cures, and an example."""
    needs = ", needs action" if kind.needs_action else ""
    lines = [style.title(f"{kind.name} ({kind.severity}{needs})"), *fold(kind.meaning)]
    if kind.hint:
        lines += fold(f"cure: {kind.hint.replace('{links}', 'LINK')}")
    lines += ["", "Sentences:"]
    for key, sentence in kind.sentences.items():
        lines += fold(re.sub(r"\{.*?\}", "...", sentence))
        if kind.cures.get(key):
            lines += fold(f"cure: {kind.cures[key]}", "      ", "    ")
    lines += [
        "",
        "Example, in a leg whose knee changes its sign, whose shin turns, and whose foot is merged:",
    ]
    return [*lines, *fold(example_of(kind))]
