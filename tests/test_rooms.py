"""The rooms of the package: who may import whom, who may print, and what a reader finds at the top of each file."""

from collections import namedtuple
import ast
import importlib
import re

import pytest
from conftest import nodes_of, ROOT, room_modules

from single_file_rules import ROOMS

MODULES = {path.relative_to(ROOT / "urdf_tools").as_posix(): path for path in room_modules()}
PACKAGE = {
    path.relative_to(ROOT / "urdf_tools").as_posix(): path
    for path in (ROOT / "urdf_tools").rglob("*.py")
}
NAMES = {path: name for name, path in PACKAGE.items()}
ORDER = (
    *ROOMS,
    "texts",
    "meshes",
    "srdf",
    "robot",
    "model",
    "formats",
    "compare",
    "inputs",
    "edit",
    "lint",
    "collision",
    "export",
    "app",
    "web",
)
PAGE = (ROOT / "urdf_tools" / "README.md").read_text("utf-8")
KNOWS_NO_PLAN = ("urdf", "collada")
# What joins rooms that do not know each other: files above all rooms.
FACADES = (
    "__init__.py",
    *(
        f"{room}/__init__.py"
        for room in ("model", "compare", "lint", "collision", "edit", "export")
    ),
)
# The streets of two rooms, and the streets that each may use beside the files that all share: folders, or files whose
# names begin alike.
STREETS = {
    "formats": {
        "urdf": {"sdf"},
        "json": {"urdf"},
        "mjcf": set(),
        "sdf": set(),
        "usd": set(),
        "armature": set(),
    },
    "export": {
        "meshes": set(),
        "mjcf": {"meshes"},
        "sdf": set(),
        "page": set(),
        "armature": set(),
        "usd": set(),
        "collisions": set(),
        "pairs": set(),
        "adapter": set(),
    },
}


class Import(namedtuple("Import", "file line loads")):
    """An import statement: where it stands, and what of the package it loads."""


def files_loaded(path, node):
    """Yield the files of the package that a statement names."""
    if isinstance(node, ast.ImportFrom) and node.level:
        folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for alias in node.names:
            files = [folder / f"{alias.name}.py", folder.with_suffix(".py"), folder / "__init__.py"]
            yield NAMES[next(file for file in files if file.exists())]


IMPORTS = [
    Import(name, node.lineno, tuple(files_loaded(path, node)))
    for name, path in PACKAGE.items()
    for node in nodes_of(path)
    if isinstance(node, (ast.Import, ast.ImportFrom))
]


def room_of(name):
    """Return the folder of a file, "" for a file above the rooms."""
    return name.rpartition("/")[0].partition("/")[0]


def imports(path):
    """Yield (room, names) of each import from the package, and (library module, names) of each other import."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, set()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            room = path.parent.name if node.level == 1 else (node.module or "").split(".")[0]
            yield (room if node.level else node.module or ""), {alias.name for alias in node.names}


def rooms_of(name):
    return {room for room, _ in imports(MODULES[name]) if room in ROOMS}


def test_the_page_of_the_rooms_has_their_order():
    assert {room_of(name) for name in PACKAGE} == {"", *ORDER}
    assert re.sub(r"\s+", " ", " < ".join(f"`{room}`" for room in ORDER)) in re.sub(
        r"\s+", " ", PAGE
    )


def test_a_room_imports_only_itself_and_rooms_before_it():
    """Late imports count, too. Files above the rooms may import all of them, and no room imports such a file."""
    wrong = [
        (row.file, row.line, loaded)
        for row in IMPORTS
        for loaded in row.loads
        if room_of(row.file)
        and row.file not in FACADES
        and (not room_of(loaded) or ORDER.index(room_of(loaded)) > ORDER.index(room_of(row.file)))
    ]
    assert wrong == []


def street_of(name, room):
    """Return the street of a file of a room, "" for one that all share, or that is in another room."""
    parts = name.split("/")
    street = parts[1] if len(parts) == 3 else parts[-1][: -len(".py")].partition("_")[0]
    return street if parts[0] == room and (len(parts) == 3 or street in STREETS[room]) else ""


@pytest.mark.parametrize("room", STREETS)
def test_a_street_knows_no_other_but_those_that_it_declares(room):
    streets = STREETS[room]
    assert {street_of(name, room) for name in PACKAGE} == {"", *streets}
    used = {street: set() for street in ("", *streets)}
    for row in IMPORTS:
        if room_of(row.file) == room:
            street = street_of(row.file, room)
            used[street] |= {street_of(loaded, room) for loaded in row.loads} - {"", street}
    assert used == {"": set(), **streets}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("verify/")])
def test_the_proof_shares_no_code_with_what_it_proves(name):
    """From `plan` come records and constants only: what was decided, and facts about formats, which stand once."""
    imported = []
    for room, names in imports(MODULES[name]):
        assert room not in ("meshing", "apply")
        imported += names if room == "plan" else []
    assert [shared for shared in imported if not shared[0].isupper()] == []


def test_the_proof_has_its_own_rotations():
    """All other rooms compute with `urdf/spatial_math.py`, so that an error there is detected."""
    users = {name for name, path in PACKAGE.items() if "rigid_motion import" in path.read_text()}
    assert {name.split("/")[0] for name in users} == {"verify"}


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("cli/")])
def test_only_the_command_line_prints_and_reads_arguments(name):
    assert "argparse" not in {module for module, _ in imports(MODULES[name])}
    calls = [
        node
        for node in nodes_of(MODULES[name])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "input")
    ]
    assert calls == []


def names_used(path):
    return {
        getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))
        for node in nodes_of(path)
    }


def test_what_is_loaded_by_name_is_there():
    """`folder.module:name` in a string is a name of the package: an import by it fails only where it is asked for."""
    names = {
        node.value
        for path in PACKAGE.values()
        for node in nodes_of(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"(?:[a-z_]+\.)+[a-z_]+:\w+", node.value)
    }
    assert len(names) > 30
    modules = {
        name: importlib.import_module(f"urdf_tools.{name.split(':')[0]}") for name in sorted(names)
    }
    assert [
        name for name, module in modules.items() if not hasattr(module, name.split(":")[1])
    ] == []


def test_what_is_read_knows_no_plan():
    for name in MODULES:
        if name.split("/")[0] in KNOWS_NO_PLAN:
            assert rooms_of(name).isdisjoint(ROOMS[ROOMS.index("plan") :]), name


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("plan/")])
def test_a_plan_touches_no_file(name):
    """It only decides; `meshing` makes files, and `run` reads and writes them."""
    loaded = {module for module, _ in imports(MODULES[name])}
    assert loaded.isdisjoint({"os", "io", "pathlib", "shutil", "tempfile", "subprocess"})
    assert "open" not in names_used(MODULES[name])


def test_no_circle_of_files_in_the_whole_package():
    """A file without imports left goes first; what is imported late counts as well."""
    waiting = {name: set() for name in PACKAGE}
    for row in IMPORTS:
        waiting[row.file] |= {*row.loads} - {row.file}
    assert len(waiting) > 200
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs & set(waiting)}
        assert ready, sorted(waiting)
        waiting = {name: needs for name, needs in waiting.items() if name not in ready}
