"""No fact stands twice: sizes of geometries, keys of tensors, paths of contacts, words of yes and no have one table."""

import ast
from pathlib import Path

import pytest

from urdf_tools.facts.contact_values import CONTACT_VALUES

PACKAGE = Path(__file__).resolve().parent.parent / "urdf_tools"
FACTS = {  # where each stands, and words that only its table has together
    "keys of tensors": ("urdf/urdf_records.py", frozenset(("ixx", "ixy", "izz"))),
    "sizes of geometries": ("urdf/urdf_records.py", frozenset(("radius", "length", "size"))),
    "words of <gazebo>": ("facts/simulator_values.py", frozenset(("true", "yes", "1"))),
    "words of SDF": ("facts/simulator_values.py", frozenset(("true", "1"))),
    "paths of contacts": ("facts/contact_values.py", frozenset(("surface/contact/ode/kp",))),
    "tags of contacts": ("facts/contact_values.py", frozenset(("laserRetro", "laser_retro"))),
}
OTHERS = {  # what looks like a second table and is none
    "verify/": "the proof of a run reads on its own",
    "collada/": "booleans and sizes of COLLADA",
    "meshes/dae_reader.py": "booleans of COLLADA",
    "formats/mjcf/": "words of MJCF",
    "formats/armature/": "words of our own JSON",
    "formats/usd/stage_shapes.py": "what a size of USD is where it is not said",
    "lint/shape_bounds.py": "one reading of three attributes",
    "lint/overlap_rules.py": "one reading of three attributes",
    "formats/sdf/elements_known_to_sdf.py": "what a value of SDF's own specification may be",
}


def tables_in(text):
    """Yield line and words of every tuple, list, set and dictionary that is written out, with all inside."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
            yield (
                node.lineno,
                frozenset(
                    part.value
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ),
            )


def second_tables(fact, tables):
    """Return file and line of each table of a fact outside of its home."""
    home, words = FACTS[fact]
    return [
        f"{name}:{line}"
        for name, tables_of_file in tables.items()
        if name != home and not any(name.startswith(other) for other in OTHERS)
        for line, texts in tables_of_file
        if words <= texts
    ]


@pytest.fixture(scope="module", name="tables")
def tables_of_package():
    return {
        path.relative_to(PACKAGE).as_posix(): list(tables_in(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_has_one_table(fact, tables):
    home, words = FACTS[fact]
    assert any(words <= texts for _, texts in tables[home]), "the home does not have it"
    assert second_tables(fact, tables) == []


@pytest.mark.parametrize("fact", FACTS)
def test_a_second_table_is_found(fact):
    assert second_tables(
        fact, {"new.py": list(tables_in(f"TABLE = {sorted(FACTS[fact][1])!r}"))}
    ) == ["new.py:1"]


def test_each_contact_value_has_its_own_names():
    for column in ("name", "field", "tag", "path"):
        named = [getattr(row, column) for row in CONTACT_VALUES if getattr(row, column)]
        assert len(named) == len(set(named))
