"""`explain`: a kind of finding, an option, or an error of another program."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import List, Sequence

from ..base.diagnostics import Kind
from ..base.errors import did_you_mean, UsageError
from ..cli.command import say, style_of, value_given, WRITTEN
from ..export.all_kinds import example_of, EXPORT_KINDS
from ..report.layout import columns, fold, Style
from .option_rows import error_texts, ErrorText, TABLE

ENOUGH = 0.6  # of the words of an error that a pasted text must have


def run(words: List[str]) -> int:
    """Explain a kind of finding, an option or an error of another program; without words list the kinds.

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


def explained(text: str, kinds: Sequence[Kind], style: Style) -> List[str]:
    """Return the lines that explain a kind, an option or an error text; without any text a line for each kind.

    Raises:
        UsageError: it is none of these, with what is meant.
    """
    if not text:
        return columns([(kind.name, kind.severity, kind.meaning) for kind in kinds])
    name = text.strip("[]")
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is not None:
        return _kind_lines(kind, style)
    option = next((row for row in TABLE if row.verbs and text in (row.spelling, row.short)), None)
    if option is not None:
        return [
            style.title(f"{option.shown} ({', '.join(option.verbs.split())})"),
            *fold(option.help),
            *(fold(option.more) if option.more else []),
        ]
    known = errors_like(text)
    if known:
        return [
            line
            for error in known
            for line in (
                style.title(f"{error.program}: {error.words}"),
                *fold(error.cause),
                f"  urdf-simplify {error.command}",
            )
        ]
    names = [*(kind.name for kind in kinds), *(row.spelling for row in TABLE if row.verbs)]
    near = did_you_mean(name, names, least=0.75)
    raise UsageError(
        f"no finding, option or error text like '{text}'{near}; explain without words lists the findings"
    )


def errors_like(text: str) -> List[ErrorText]:
    """Return the errors whose words a pasted text has: the one that shares most of its own, and those that share as
    much; [] where half of them are missing."""
    pasted = Counter(_words(text))
    shares = [
        (sum((Counter(words) & pasted).values()) / len(words), error)
        for error in error_texts()
        for words in (_words(error.words),)
    ]
    most = max(share for share, _ in shares)
    return [error for share, error in shares if share == most] if most > ENOUGH else []


def _words(text: str) -> List[str]:
    return re.findall(r"[a-z]{2,}|[a-z]+::\w+", text.lower())


def _kind_lines(kind: Kind, style: Style) -> List[str]:
    """Return what a kind means, its cure, its sentences with theirs, and an example."""
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
