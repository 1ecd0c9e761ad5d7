"""Explain a kind of diagnostic, or list all of them."""
import sys
from typing import List, Sequence

from ..base.diagnostics import Kind
from ..base.errors import did_you_mean, UsageError
from ..cli.command import WRITTEN
from ..cli.streams import say, style_of
from ..report.layout import columns, fold, Style
from .examples import example_of
from .all_kinds import EXPORT_KINDS


def explain_command(words: Sequence[str]) -> int:
    """Print the row of the kind that --explain names, or all kinds; return the exit status.

    Raises:
        UsageError: there is no such kind.
    """
    index = next(k for k, word in enumerate(words) if word.partition("=")[0] == "--explain")
    name = words[index].partition("=")[2] or "".join(words[index + 1:index + 2])
    say(explained(name, EXPORT_KINDS, style_of(sys.stdout)), sys.stdout)
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
        raise UsageError(f"--explain {name}: unknown kind{did_you_mean(name, [kind.name for kind in kinds])}; "
                         "--explain lists them")
    return [style.title(f"{kind.name} ({kind.severity}{', needs action' if kind.needs_action else ''})"),
            *fold(kind.meaning), *(fold(f"hint: {kind.hint}") if kind.hint else []),
            "", "Sentences:", *(line for sentence in kind.sentences.values() for line in fold(sentence)),
            "", "Example, in a leg whose knee changes its sign, whose shin turns, and whose foot is merged:",
            *fold(example_of(kind))]
