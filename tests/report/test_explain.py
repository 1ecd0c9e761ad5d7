"""Every kind can be explained, and every sentence that the source names is a template of its row."""
import ast
from pathlib import Path
from typing import Iterator, Tuple

import pytest

from urdf_tools.base import kinds
from urdf_tools.base.diagnostics import Kind
from urdf_tools.base.errors import Unusable
from urdf_tools.cli.main import main
from urdf_tools.export import kinds as export_kinds
from urdf_tools.export.kinds import EXPORT_KINDS
from urdf_tools.report.explain import explained
from urdf_tools.report.layout import fold, Style

STYLE = Style(boxes=True, color=False)


@pytest.mark.parametrize("kind", EXPORT_KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_explained_with_all_its_sentences(kind: Kind) -> None:
    lines = explained(kind.name, EXPORT_KINDS, STYLE)
    text = "\n".join(lines)
    assert lines[0].startswith(f"{kind.name} ({kind.severity}")
    assert all("\n".join(fold(sentence)) in text for sentence in (kind.meaning, *kind.sentences.values()))


def test_kinds_are_listed_and_unknown_ones_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[2:3] != " "] == [
        kind.name for kind in kinds.KINDS]
    with pytest.raises(Unusable, match="did you mean 'flipped-joint'"):
        explained("fliped-joint", kinds.KINDS, STYLE)
    assert main(["--explain", "fliped-joint"]) == 2


def given_sentences() -> Iterator[Tuple[str, Kind, str]]:
    """Yield place, row and key of each call that names a row and the key of a sentence."""
    rows = {name: row for table in (kinds, export_kinds) for name, row in vars(table).items() if isinstance(row, Kind)}
    for path in sorted(Path(kinds.__file__).parent.parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            arguments = node.args if isinstance(node, ast.Call) else []
            for place, argument in enumerate(arguments):
                if isinstance(argument, ast.Name) and argument.id in rows:
                    for word in arguments[place + 1:place + 3]:
                        if isinstance(word, ast.Constant) and isinstance(word.value, str):
                            yield f"{path.name}:{argument.lineno}", rows[argument.id], word.value
                            break


def test_every_sentence_is_one_of_its_row() -> None:
    given = list(given_sentences())
    assert len(given) > 110
    assert not [(place, row.name, key) for place, row, key in given if key not in row.sentences]
