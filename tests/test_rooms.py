"""The rooms of the package: who may import whom, who may print, and what a reader finds at the top of each file."""
import ast
import typing
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest
from conftest import ROOT, room_modules

from urdf_tools.single_file_rules import ROOMS

MODULES: Dict[str, Path] = {path.relative_to(ROOT / "urdf_tools").as_posix(): path for path in room_modules()}
KNOWS_NO_PLAN = ("urdf", "mesh", "collada")


def imports(path: Path) -> Iterator[Tuple[str, Set[str]]]:
    """Yield (room, names) of each import from the package, and (library module, names) of each other import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, set()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            room = path.parent.name if node.level == 1 else (node.module or "").split(".")[0]
            yield (room if node.level else node.module or ""), {alias.name for alias in node.names}


def rooms_of(name: str) -> Set[str]:
    return {room for room, _ in imports(MODULES[name]) if room in ROOMS}


@pytest.mark.parametrize("name", MODULES)
def test_a_room_imports_only_itself_and_rooms_before_it(name: str) -> None:
    own = ROOMS.index(name.split("/")[0])
    assert {room for room in rooms_of(name) if ROOMS.index(room) > own} == set()


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("verify/")])
def test_the_proof_shares_no_code_with_what_it_proves(name: str) -> None:
    """From `plan` come records and constants only: what was decided, and facts about formats, which stand once."""
    taken: List[str] = []
    for room, names in imports(MODULES[name]):
        assert room not in ("meshing", "apply")
        taken += names if room == "plan" else []
    assert [one for one in taken if not one[0].isupper()] == []


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("cli/")])
def test_only_the_command_line_prints_and_reads_arguments(name: str) -> None:
    assert "argparse" not in {module for module, _ in imports(MODULES[name])}
    calls = [node for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8")))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input")]
    assert calls == []


def names_used(path: Path) -> Set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))) for node in nodes}


PACKAGE = {path.relative_to(ROOT / "urdf_tools").as_posix(): path for path in (ROOT / "urdf_tools").rglob("*.py")}
BY_NAME = {"import_module", "__import__", "importlib", "runpy", "exec", "eval", "SourceFileLoader"}


def test_nothing_imports_by_a_string() -> None:
    """But for the two facades, which load what they offer when it is asked for, and the single file, another copy."""
    by_name = {name for name, path in PACKAGE.items() if names_used(path) & BY_NAME}
    assert by_name == {"__init__.py", "model/__init__.py", "cli/hand_over.py"}


def test_the_digest_is_no_flag() -> None:
    assert {name for name, path in PACKAGE.items() if "SOURCE_DIGEST" in names_used(path)} == {"base/version.py"}


def test_what_is_read_knows_no_plan() -> None:
    for name in MODULES:
        if name.split("/")[0] in KNOWS_NO_PLAN:
            assert rooms_of(name).isdisjoint(ROOMS[ROOMS.index("plan"):]), name


def test_every_room_says_what_it_is_for() -> None:
    for room in ROOMS:
        tree = ast.parse((ROOT / "urdf_tools" / room / "__init__.py").read_text(encoding="utf-8"))
        assert len(tree.body) == 1 and ast.get_docstring(tree), room


@pytest.mark.parametrize("name", MODULES)
def test_what_is_quoted_in_an_annotation_is_all_of_it(name: str) -> None:
    """A name in quotes between brackets is compiled when the module is loaded: a fiftieth of a run."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    parts = [part for node in ast.walk(tree) if isinstance(node, ast.Subscript)
             and isinstance(node.value, ast.Name) and node.value.id in vars(typing) for part in ast.walk(node.slice)]
    assert [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)] == []


def imported_files(path: Path) -> Iterator[Path]:
    """Yield the files of the package that a file imports at its top."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                found = [folder / f"{alias.name}.py", folder.with_suffix(".py"), folder / "__init__.py"]
                yield next(file for file in found if file.exists())


def test_no_circle_of_files_in_the_whole_package() -> None:
    """What is imported at the top of a file needs nothing of that file: a file without such imports left goes first."""
    waiting = {path: set(imported_files(path)) - {path} for path in (ROOT / "urdf_tools").rglob("*.py")}
    assert len(waiting) > 200
    while waiting:
        ready = {path for path, needs in waiting.items() if not needs & set(waiting)}
        assert ready, sorted(path.relative_to(ROOT).as_posix() for path in waiting)
        waiting = {path: needs for path, needs in waiting.items() if path not in ready}
