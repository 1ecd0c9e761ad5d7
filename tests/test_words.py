"""Variables are named for what they are: words that say nothing are bound nowhere but where they mean something."""

import ast
from pathlib import Path
from typing import Dict, Iterator, Tuple

PACKAGE = Path(__file__).resolve().parent.parent / "urdf_tools"
WORDS = frozenset(("one", "found", "place", "told", "said", "own", "left", "taken", "room"))
MEANT: Dict[
    str, Tuple[int, str]
] = {  # how often such a word is bound in a file, and what it is there
    "lint/symmetry.py": (3, "the left side of a robot"),
    "lint/shape_rules.py": (1, "the left side of a robot"),
    "plan/base_evidence.py": (3, "the left side of a robot"),
    "plan/name_words.py": (1, "the left side of a robot"),
    "plan/update_values.py": (
        7,
        "a `Place` of facts/records.py: an element and an attribute of it",
    ),
    "base/diagnostics.py": (1, "a field that is written out"),
    "run/records.py": (1, "a field that is written out"),
    "formats/usd/read_prims.py": (1, "a field that exports read"),
    "formats/usd/write.py": (1, "a field of a record"),
    "export/adapter.py": (1, "a field of a record"),
    "model/records.py": (1, "a public field"),
    "model/problems.py": (1, "a public field"),
}


def bound_in(text: str) -> Iterator[str]:
    """Yield the names that a text binds: variables, parameters, fields."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_no_variable_is_called_by_a_word_that_says_nothing() -> None:
    counts = {
        path.relative_to(PACKAGE).as_posix(): sum(
            name in WORDS for name in bound_in(path.read_text("utf-8"))
        )
        for path in PACKAGE.rglob("*.py")
    }
    assert {name: count for name, count in counts.items() if count} == {
        name: row[0] for name, row in MEANT.items()
    }


def test_such_a_word_is_seen() -> None:
    text = "def f(one, *, told=0):\n    left, b = one\n    return [found for found in one]\nclass A:\n    own = 0\n"
    assert sorted(WORDS.intersection(bound_in(text))) == ["found", "left", "one", "own", "told"]
