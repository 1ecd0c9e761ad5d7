"""Every kind can be explained."""

import re

import pytest

from urdf_tools.base import run_diagnostics
from urdf_tools.base.errors import UsageError
from urdf_tools.export.all_diagnostics import example_of, examples, EXPORT_KINDS
from urdf_tools.app.explain_command import explained
from engine import main
from urdf_tools.report.line_layout import fold, TextStyle

STYLE = TextStyle(boxes=True, color=False)


@pytest.mark.parametrize("kind", EXPORT_KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_explained_with_all_its_sentences(kind):
    lines = explained(kind.name, EXPORT_KINDS, STYLE)
    text = "\n".join(lines)
    assert lines[0].startswith(f"{kind.name} ({kind.severity}")
    sentences = [re.sub(r"\{[^}]*\}", "...", sentence) for sentence in kind.sentences.values()]
    assert all(
        "\n".join(fold(sentence)) in text
        for sentence in (kind.meaning, *sentences, example_of(kind))
    )
    assert not re.search(r"\{n?\d", text)


def test_each_kind_has_one_example():
    assert [kind.name for kind in EXPORT_KINDS if not kind.example] == list(examples())


def test_kinds_are_listed_and_unknown_ones_refused(capsys):
    assert main(["explain"]) == 0
    assert [
        line.split()[0] for line in capsys.readouterr().out.splitlines() if line[2:3] != " "
    ] == [kind.name for kind in EXPORT_KINDS]
    assert main(["explain", "flipped-joint"]) == 0
    assert capsys.readouterr().out.startswith("flipped-joint (")
    for words in (["--color", "always", "flipped-joint"], ["flipped-joint", "--color=always"]):
        assert main(["explain", *words]) == 0
        assert capsys.readouterr().out.startswith("\033[1mflipped-joint (")
    with pytest.raises(UsageError, match="did you mean 'flipped-joint'"):
        explained("fliped-joint", run_diagnostics.KINDS, STYLE)
    assert main(["explain", "fliped-joint"]) == 2
