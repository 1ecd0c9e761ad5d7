"""`explain`: a kind of finding, an option, or an error of a different program."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import chain
from math import fsum, log
from typing import Dict, Iterable, List, Sequence, Set

from ..base.diagnostics import DiagnosticKind
from ..base.errors import did_you_mean, UsageError
from ..base.option_table import OptionRow
from ..cli.run_command_line import say, style_of, value_given, WRITTEN
from ..export.all_diagnostics import example_of, EXPORT_KINDS
from ..report.line_layout import columns, fold, TextStyle
from .program_errors import errors_like, ProgramErrorExplanation, words_of
from .package_options import TABLE

NEAREST = 3  # findings that are proposed for an unknown text
LEAST_LETTERS = 4  # of a word that counts
LEAST_SHARED = 4.0  # in units of `log`: a word that one of fifty kinds has
MOST_SHOWN = 60  # letters of an unknown text


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
    raise UsageError(_unknown(text, kinds))


def _option_lines(option: OptionRow, style: TextStyle) -> List[str]:
    """Return the commands that take an option, and its help."""
    title = style.title(f"{option.shown} ({', '.join(option.verbs.split())})")
    lines = [title, *fold(option.help)]
    if option.more:
        lines += fold(option.more)
    return lines


def _error_lines(error: ProgramErrorExplanation, style: TextStyle) -> List[str]:
    """Return the cause of an error of a different program, the finding about it, and the command that cures it."""
    lines = [style.title(f"{error.program}: {error.words}"), *fold(error.cause)]
    if error.kinds:
        word = "finding" if len(error.kinds) == 1 else "findings"
        lines += fold(f"{word}: {', '.join(error.kinds)} (explain {error.kinds[0]})")
    return [*lines, f"  urdf-simplify {error.command}"]


def _unknown(text: str, kinds: Sequence[DiagnosticKind]) -> str:
    """Return the sentence on a text that is not known, with what was probably meant, or the kinds that share its words."""
    names = [*(kind.name for kind in kinds), *(row.spelling for row in TABLE if row.verbs)]
    shown = " ".join(text.split())
    if len(shown) > MOST_SHOWN:
        shown = f"{shown[:MOST_SHOWN]}..."
    sentence = f"not known: no finding, option or error text like '{shown}'"
    meant = did_you_mean(text.strip("[]"), names, least=0.75)
    near = [] if meant else nearest_kinds(text, kinds)
    if near:
        return f"{sentence}; the nearest findings are {', '.join(near)} (explain {near[0]})"
    return f"{sentence}{meant}; explain without words lists the findings"


def nearest_kinds(text: str, kinds: Sequence[DiagnosticKind]) -> List[str]:
    """Return the names of the kinds that share most with a text, the nearest first; [] if none shares much.

    A word counts by how few kinds have it, and three times in the name of a kind.
    """
    words_of_kind = {
        kind.name: _long_words((kind.name, kind.meaning, *kind.sentences.values()))
        for kind in kinds
    }
    counts = Counter(chain.from_iterable(words_of_kind.values()))
    pasted = _long_words([text])
    weights: Dict[str, float] = {}
    for name, words in words_of_kind.items():
        shared = pasted & words
        in_name = shared & _long_words([name])
        counted = [*shared, *in_name, *in_name]
        weights[name] = fsum(log(len(kinds) / counts[word]) for word in counted)
    nearest = sorted(weights, key=lambda name: -weights[name])[:NEAREST]
    return [name for name in nearest if weights[name] > LEAST_SHARED]


def _long_words(texts: Iterable[str]) -> Set[str]:
    """Return the words of texts, without the short ones, such as `the`, which tell no kinds apart."""
    words = chain.from_iterable(map(words_of, texts))
    return {word.text for word in words if len(word.text) >= LEAST_LETTERS}


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
