"""Explain a kind of diagnostic, or list all of them."""
import sys
from typing import List, Sequence

from ..base.diagnostics import Kind
from ..base.errors import did_you_mean, UsageError
from ..cli.command import value_given, WRITTEN
from ..cli.streams import say, style_of
from ..report.layout import columns, fold, Style
from ..export.all_kinds import EXPORT_KINDS
from ..export.examples import example_of


def run(words: List[str]) -> int:
    """Print the row of the kind that the words name, or all kinds; return the exit status.

    Raises:
        UsageError: there is no such kind.
    """
    color = value_given(words, "--color") or "auto"
    asked = [word for before, word in zip(("", *words), words) if "--color" not in (before, word.partition("=")[0])]
    say(explained(" ".join(asked), EXPORT_KINDS, style_of(sys.stdout, color)), sys.stdout)
    return WRITTEN


def explained(name: str, kinds: Sequence[Kind], style: Style) -> List[str]:
    """Return the row of a kind with its sentences, or without a name a line for each kind.

    Raises:
        UsageError: there is no such kind.
    """
    if not name:
        return columns([(kind.name, kind.severity, kind.meaning) for kind in kinds])
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is None:
        raise UsageError(f"no kind of finding is called '{name}'{did_you_mean(name, [kind.name for kind in kinds])}; "
                         "explain without a word lists them")
    return [style.title(f"{kind.name} ({kind.severity}{', needs action' if kind.needs_action else ''})"),
            *fold(kind.meaning), *(fold(f"hint: {kind.hint}") if kind.hint else []),
            "", "Sentences:", *(line for sentence in kind.sentences.values() for line in fold(sentence)),
            "", "Example, in a leg whose knee changes its sign, whose shin turns, and whose foot is merged:",
            *fold(example_of(kind))]
