"""What a diagnostic says stands in the tables of kinds alone: the code names a kind, a sentence and data."""

import ast
import re
from pathlib import Path
from string import Formatter
from typing import Dict, List, NamedTuple, Optional, Tuple

import pytest
from conftest import ROOT

from urdf_tools.base import kinds as base_kinds
from urdf_tools.base.diagnostics import Diagnostic, Kind
from urdf_tools.collision import kinds as collision_kinds
from urdf_tools.edit import kinds as edit_kinds
from urdf_tools.export import all_kinds
from urdf_tools.formats import kinds as export_kinds
from urdf_tools.inputs import kinds as input_kinds
from urdf_tools.lint import kinds as lint_kinds
from urdf_tools.meshes import kinds as mesh_kinds
from urdf_tools.model import kinds as model_kinds
from urdf_tools.srdf import kinds as srdf_kinds

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
    name: row for module in TABLES for name, row in vars(module).items() if isinstance(row, Kind)
}
WITH_KIND = ("Diagnostic", "warn", "warn_at", "note", "take_repaired")  # calls that name the kind
OF_ONE_KIND = {
    "leave_out": "EXPORT_LEFT_OUT",
    "lose": "EXPORT_LOST",  # functions, and their kind
    "warn_of_joint": "FLIPPED_JOINT",
}
MODULES = {
    path.relative_to(ROOT / "urdf_tools").as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "urdf_tools").rglob("*.py"))
    if path.name != "kinds.py"
}


class Given(NamedTuple):
    """A call that makes a diagnostic.

    Attributes:
        place: file and line.
        row: of which kind.
        keys: the sentences that it may choose; None where they are an argument of the function that it is in, or data.
        names, numbers: how many; None where that is not written in the call.
        data: the expressions of the names.
    """

    place: str
    row: Kind
    keys: Optional[List[str]]
    names: Optional[int]
    numbers: Optional[int]
    data: Tuple[ast.expr, ...]


Set = Dict[str, List[ast.expr]]  # what the names of a function are set to


def choices(node, names):
    """Return what an expression may be: itself, one of two, or what a name is set to."""
    if isinstance(node, ast.IfExp):
        return [*choices(node.body, names), *choices(node.orelse, names)]
    if isinstance(node, ast.BoolOp):
        return [found for value in node.values for found in choices(value, names)]
    set_to = names.get(node.id, []) if isinstance(node, ast.Name) else []
    return [found for value in set_to for found in choices(value, {})] or [node]


def set_in(function):
    """Return what the names of a function are set to, each by itself."""
    found = {}
    for one in ast.walk(function):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            found.setdefault(one.targets[0].id, []).append(one.value)
    return found


def words_of(node, names):
    """Return the strings that an expression may be, None if it may be something else."""
    found = [one.value if isinstance(one, ast.Constant) else None for one in choices(node, names)]
    return None if None in found else [word for word in found if isinstance(word, str) and word]


def rows_of(node, names):
    """Return the kinds that an expression may be, [] for anything else."""
    return [
        ROWS[one.id] for one in choices(node, names) if isinstance(one, ast.Name) and one.id in ROWS
    ]


def length(node):
    """Return how many elements a tuple has that is written out; 0 for none."""
    if node is None:
        return 0
    return (
        len(node.elts)
        if isinstance(node, ast.Tuple)
        and not any(isinstance(one, ast.Starred) for one in node.elts)
        else None
    )


def given_in(name, tree):
    """Yield the calls of a module that name a kind, or that are for diagnostics of one kind."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = (
            call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        )
        if called not in (*WITH_KIND, *OF_ONE_KIND):
            continue
        inside = [
            node for node in functions if node.lineno <= call.lineno <= (node.end_lineno or 0)
        ]
        around = set_in(max(inside, key=lambda node: node.lineno)) if inside else {}
        keywords = {one.arg: one.value for one in call.keywords}
        place = next((k for k, one in enumerate(call.args) if rows_of(one, around)), None)
        where = f"{name}:{call.lineno}"
        if called == WITH_KIND[0] and place == 0:
            row, _, key, *rest = call.args
            named, counted = (*rest, *[None] * 2)[:2]
            counted = counted or keywords.get("numbers")
            data = tuple(named.elts) if isinstance(named, ast.Tuple) else ()
            yield from (
                Given(where, one, words_of(key, around), length(named), length(counted), data)
                for one in rows_of(row, around)
            )
        elif called in WITH_KIND[1:] and place is not None and call.args[place + 1 :]:
            row, key, *rest = call.args[place:]
            more = (
                called == "note" or called == "warn" and name.startswith(("plan/", "edit/"))
            )  # the format, the place
            count = None if any(isinstance(one, ast.Starred) for one in rest) else len(rest) + more
            yield from (
                Given(
                    where,
                    one,
                    words_of(key, around),
                    count,
                    length(keywords.get("numbers")),
                    tuple(rest),
                )
                for one in rows_of(row, around)
            )
        elif called in OF_ONE_KIND and place is None:
            texts = [k for k, one in enumerate(call.args) if words_of(one, around)]
            key_at = texts[0] if texts else 0
            words = words_of(call.args[key_at], around)
            if any(word in ROWS[OF_ONE_KIND[called]].sentences for word in words or ()):
                yield Given(where, ROWS[OF_ONE_KIND[called]], words, None, None, tuple(call.args))


GIVEN = [given for name, tree in MODULES.items() for given in given_in(name, tree)]


def wanted(template):
    """Return how many names and numbers a template needs."""
    fields = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    names, numbers = (
        [int(one) for one in fields if one.isdigit()],
        [int(one[1:]) for one in fields if one[0] == "n"],
    )
    assert len(names) + len(numbers) == len(fields), template
    return max(names, default=-1) + 1, max(numbers, default=-1) + 1


def test_every_sentence_is_one_of_its_kind():
    assert len(GIVEN) > 120
    assert [
        (one.place, key) for one in GIVEN for key in one.keys or () if key not in one.row.sentences
    ] == []


def test_every_sentence_gets_the_names_and_numbers_that_it_needs():
    """A call with two sentences gives what the longer one needs; a name more than a sentence needs is for the hint."""
    wrong = []
    for one in GIVEN:
        needs = [wanted(one.row.sentences[key]) for key in one.keys or ()]
        most = max(wanted(text)[0] for text in one.row.sentences.values()) + (
            "{links}" in one.row.hint
        )
        if one.names is not None and not all(names <= one.names <= most for names, _ in needs):
            wrong.append((one.place, "names"))
        if one.numbers is not None and any(numbers > one.numbers for _, numbers in needs):
            wrong.append((one.place, "numbers"))
    assert wrong == []


def test_no_name_of_a_diagnostic_is_a_sentence():
    """A string that is put together may be a name, such as `<sensor> of 'arm'`; with several words of its own it is
    not."""
    prose = []
    for one in GIVEN:
        for text in (
            part.value
            for node in one.data
            for part in ast.walk(node)
            if isinstance(part, ast.JoinedStr)
            for part in part.values
            if isinstance(part, ast.Constant)
        ):
            if len(str(text).split()) > 2:
                prose.append((one.place, text))
    assert prose == []


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


@pytest.mark.parametrize("name", ROWS)
def test_no_sentence_is_dead(name):
    """Each is a string of a module that names the kind, or of one beside it."""
    folders = {"facts", *(str(Path(path).parent) for path, words in WORDS.items() if name in words)}
    near = set().union(
        *(words for path, words in WORDS.items() if str(Path(path).parent) in folders)
    )
    assert [key for key in ROWS[name].sentences if key not in near] == []


def test_all_kinds_are_in_the_tables_once():
    assert (
        len({row.name for row in all_kinds.EXPORT_KINDS})
        == len(all_kinds.EXPORT_KINDS)
        == len(ROWS)
    )
    assert set(all_kinds.EXPORT_KINDS) == set(ROWS.values())
    assert all_kinds.EXPORT_KINDS[: len(base_kinds.KINDS)] == base_kinds.KINDS


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


def updates_of(room):
    """Yield the calls of a room that record what follows: where, which sentences it may be, and how many names."""
    for path, tree in (
        (path, tree) for path, tree in MODULES.items() if path.startswith(f"{room}/")
    ):
        functions = [
            (node, set_in(node)) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
        ]
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("note", "note_srdf"):
                names = next(
                    names
                    for node, names in reversed(functions)
                    if node.lineno <= call.lineno <= (node.end_lineno or 0)
                )
                _, *rest = call.args[room == "srdf" :]
                starred = any(isinstance(one, ast.Starred) for one in rest)
                yield (
                    f"{path}:{call.lineno}",
                    words_of(rest[0], names) or [],
                    None if starred else len(rest) - 1,
                )


@pytest.mark.parametrize("room", UPDATES)
def test_what_follows_is_one_of_the_sentences_of_its_room(room):
    given, sentences = list(updates_of(room)), UPDATES[room]
    keys = {key for _, words, _ in given for key in words}
    assert len(given) > 8 and keys <= set(sentences)
    assert [
        place
        for place, words, count in given
        for key in words
        if count is not None and wanted(sentences[key]) != (count, 0)
    ] == []
    said = set().union(
        *(words for path, words in WORDS.items() if path.startswith((f"{room}/", "facts/")))
    )
    assert [key for key in sentences if key not in said] == []
