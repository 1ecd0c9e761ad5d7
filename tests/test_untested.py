"""Every option and every act of `edit` has a test; the failure names the one without.

A loop over a table is no test of a row: the names are looked for among the texts that the tests write out, and the acts
among those that random robots get. `tools/all_files.py` says the same of each sentence of lint.
"""

import ast
import random
import re
from pathlib import Path

from conftest import nodes_of, ROOT
from edited_robots import ARM, random_acts

from urdf_tools.app.package_options import TABLE
from urdf_tools.base.option_table import rows_of
from urdf_tools.edit.edit_sequence import ACTS

TESTS = Path(__file__).parent
HAND = ROOT / "fixtures" / "variants" / "two_arms" / "robot.urdf"
BY_ITSELF = {  # acts that no random sequence has, and the file that has random robots for them
    "bake_scale": "edit/test_baked_scale.py",
}


def texts_in(path):
    """Return the texts that a file writes out, without docstrings: those are sentences and test nothing."""
    nodes = nodes_of(path)
    sentences = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in sentences
    ]


def words_of(texts):
    """Return the words of texts: names such as `no-drive`, and options such as `--no-merge`."""
    found = set()
    for text in texts:
        found.update(re.findall(r"(?<![\w-])-{0,2}[\w-]+", text))
    return found


def keywords_in(path):
    """Return the names of the arguments that the calls of a file give."""
    return {node.arg for node in nodes_of(path) if isinstance(node, ast.keyword)}


def test_every_option_has_a_test():
    """Fixtures give it in their `args`, or a test gives it in a command or in a call; acts have the test below."""
    given = words_of(path.read_text("utf-8") for path in (ROOT / "fixtures").rglob("args*"))
    missing = {
        row.spelling: row.name
        for row in TABLE
        if row.verbs and row.spelling not in given and row.name not in ACTS
    }
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text("utf-8")
        # To parse all files takes many seconds; few of them have what is still missing.
        if "judges" in path.parts or not any(
            spelling in text or f"{name}=" in text for spelling, name in missing.items()
        ):
            continue
        words = words_of(texts_in(path))
        keywords = keywords_in(path)
        missing = {
            spelling: name
            for spelling, name in missing.items()
            if spelling not in words and name not in keywords
        }
    assert missing == {}, "options without a test that gives them, in a command or in a call"


def test_every_act_is_an_option():
    assert ACTS.keys() <= {row.name for row in rows_of("edit", TABLE)}, "acts without a row"


def test_every_act_is_done_to_random_robots():
    """`test_sequences.py` proves any sequence of these acts."""
    done = {
        name for seed in range(100) for name, _ in random_acts(ARM, random.Random(seed), str(HAND))
    }
    missing = [act for act in ACTS if act not in done | set(BY_ITSELF)]
    assert missing == [], "acts that random_acts of edited_robots.py never draws"
    assert all((TESTS / file).exists() and name in ACTS for name, file in BY_ITSELF.items())


def test_a_name_in_a_sentence_is_no_test(tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(
        '"""About no-drive."""\ndef test_it():\n    """And --lock."""\n    run("odd-axis -x")\n'
    )
    assert words_of(texts_in(path)) == {"odd-axis", "-x"}
