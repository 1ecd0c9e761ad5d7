"""What a diagnostic says stands in the tables of kinds: every template can be filled, and none is dead."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from conftest import ROOT

from urdf_tools.base import run_diagnostics as base_kinds
from urdf_tools.base.diagnostics import Diagnostic, DiagnosticKind
from urdf_tools.collision import collision_diagnostics as collision_kinds
from urdf_tools.edit import edit_diagnostics as edit_kinds
from urdf_tools.export import all_diagnostics
from urdf_tools.formats import export_diagnostics as export_kinds
from urdf_tools.inputs import input_diagnostics as input_kinds
from urdf_tools.lint import lint_diagnostics as lint_kinds
from urdf_tools.meshes import mesh_diagnostics as mesh_kinds
from urdf_tools.model import model_diagnostics as model_kinds
from urdf_tools.srdf import srdf_diagnostics as srdf_kinds

TABLES = (
    base_kinds,
    edit_kinds,
    mesh_kinds,
    srdf_kinds,
    model_kinds,
    input_kinds,
    lint_kinds,
    collision_kinds,
    export_kinds,
)
ROWS = {
    name: row
    for module in TABLES
    for name, row in vars(module).items()
    if isinstance(row, DiagnosticKind)
}
MODULES = {
    path.relative_to(ROOT / "urdf_tools").as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted((ROOT / "urdf_tools").rglob("*.py"))
    if not path.name.endswith("_diagnostics.py")
}


def wanted(template):
    """Return how many names and numbers a template needs."""
    fields = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    names, numbers = (
        [int(one) for one in fields if one.isdigit()],
        [int(one[1:]) for one in fields if one[0] == "n"],
    )
    assert len(names) + len(numbers) == len(fields), template
    return max(names, default=-1) + 1, max(numbers, default=-1) + 1


WORDS = {
    path: {
        getattr(node, "id", getattr(node, "value", None))
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
        or isinstance(node, ast.Constant)
        and isinstance(node.value, str)
    }
    for path, tree in MODULES.items()
}


def test_no_sentence_is_dead():
    """Each is a string of a module that names the kind, or of one beside it, or in `urdf`, which names no kind."""
    folders = {path: str(Path(path).parent) for path in WORDS}
    dead = []
    for name, row in ROWS.items():
        beside = {
            "facts",
            "urdf",
            *(folders[path] for path, words in WORDS.items() if name in words),
        }
        near = set().union(*(words for path, words in WORDS.items() if folders[path] in beside))
        dead += [(name, key) for key in row.sentences if key not in near]
    assert dead == []


def test_all_kinds_are_in_the_tables_once():
    assert (
        len({row.name for row in all_diagnostics.EXPORT_KINDS})
        == len(all_diagnostics.EXPORT_KINDS)
        == len(ROWS)
    )
    assert set(all_diagnostics.EXPORT_KINDS) == set(ROWS.values())
    assert all_diagnostics.EXPORT_KINDS[: len(base_kinds.KINDS)] == base_kinds.KINDS


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_every_template_can_be_filled(row):
    for key, template in row.sentences.items():
        names, numbers = wanted(template)
        text = Diagnostic(
            row, 1, key, tuple("abcde"[:names]), tuple(map(float, range(1, numbers + 1)))
        ).text
        assert text and "{" not in text and not text.endswith(".")
        # A form such as `,.0f` that is taken for a noun would be shown as it is.
        forms = re.findall(r"\{n\d+:([^}|]*\d[^}|]*)\}", template)
        assert not [form for form in forms if form in text]


UPDATES = {"plan": base_kinds.FOLLOWED, "srdf": srdf_kinds.FOLLOWED, "edit": edit_kinds.FOLLOWED}


@pytest.mark.parametrize("room", UPDATES)
def test_no_sentence_of_what_follows_is_dead(room):
    said = set().union(
        *(words for path, words in WORDS.items() if path.startswith((f"{room}/", "facts/")))
    )
    assert [key for key in UPDATES[room] if key not in said] == []
