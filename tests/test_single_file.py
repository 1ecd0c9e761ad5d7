"""The generator refuses what joining would break, and the committed file is the modules, whole and alone."""

import ast
import functools
import importlib
import os
import re
import shutil
import subprocess
import sys

import pytest
import single_file
from commands import listing
from conftest import ROOT, SINGLE_FILE, load_by_path, room_modules

from urdf_tools.base import version
from urdf_tools.base.errors import ErrorGroup
from urdf_tools.base import run_diagnostics
from urdf_tools.base.diagnostics import DiagnosticKind
from urdf_tools.base.errors import UsageError
from urdf_tools.base.run_diagnostics import FOLLOWED, KINDS

NOTICE = "Copyright nobody\n\nDo as you like.\n"
MODULES = {path.relative_to(ROOT).as_posix(): path for path in room_modules()}

# A package that keeps the rules; each test of a rule replaces or adds a module.
GOOD = {
    "api": '"""Count things."""\nfrom .cli.main import main\n\n__all__ = ["main"]\n',
    "base/version": (ROOT / "urdf_tools" / "base" / "version.py").read_text("utf-8"),
    "urdf/alpha": '"""First by alphabet, but it needs zeta."""\nimport os.path\nfrom typing import Tuple\n\n'
    "from .zeta import ZERO\n\nPAIR: Tuple[int, int] = (ZERO, 1)  # kept\n\n\n"
    '# A comment that travels.\ndef folder(path: str) -> str:\n    """Two\n\n    lines."""\n'
    "    return os.path.dirname(path)\n",
    "urdf/zeta": '"""Needs nothing.\n\nSecond paragraph.\n"""\nfrom typing import List, Tuple\n\n'
    "# Above a constant.\nZERO = 0\nEMPTY: Tuple[List[int], ...] = ()\n# Below everything.\n",
    "cli/single_file_entry": '"""The command line."""\nfrom ..base.version import version_text\nfrom ..urdf.alpha import PAIR\n\n\n'
    "def main() -> int:\n    print(version_text(), PAIR)\n    return 0\n",
    "export/page": '"""No room of the single file."""\nfrom ..urdf.zeta import ZERO\n\nprint(ZERO)\n',
}


def make(folder, changed=None):
    """Write the good package with some modules changed, added, or (None) left out; return its folder."""
    package = folder / "made"
    for name, text in {**GOOD, **(changed or {})}.items():
        if text is not None:
            path = package / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return package


def refusal(package):
    with pytest.raises(ErrorGroup) as caught:
        single_file.joined(package, NOTICE)
    return str(caught.value)


def run(arguments, folder, answer=""):
    """Run a command in a folder without any PYTHON* variable; an answer of None is a closed standard input."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    if answer is None:
        arguments = ["sh", "-c", '"$@" <&-', "sh", *arguments]
    return subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        input=answer,
        encoding="utf-8",
        timeout=60,
        capture_output=True,
        check=False,
    )


# The generator, on made packages.


ONLY_SO = (
    "the package is imported only as `from .module import name` or `from ..room.module import name`"
)
ONLY_AT_THE_TOP = "the package is imported only at the top of a module or at the beginning of a function or an if block"
RULES = {
    "absolute import": ("from made.zeta import ZERO\n", 2, ONLY_SO),
    "as": ("from .zeta import ZERO as NULL\n", 2, ONLY_SO),
    "star": ("from .zeta import *\n", 2, ONLY_SO),
    "import in the middle of a block": (
        "\n\ndef f(x):\n    if x:\n        x = 1\n        from .zeta import ZERO\n    return x\n",
        7,
        ONLY_AT_THE_TOP,
    ),
    "future": (
        "from __future__ import generator_stop\n",
        2,
        "`__future__` would change the sections of other modules",
    ),
    "statement": (
        "print('hello')\n",
        2,
        "neither an import, nor a definition, nor an assignment to plain names",
    ),
    "second home": (
        "X = 1\nZERO = 0\n",
        None,
        "made/urdf/zeta.py:8: 'ZERO' means something else at made/urdf/extra.py:3",
    ),
    "builtin": (
        "def open(path): pass\n",
        2,
        "'open' would hide a name of Python from all other modules",
    ),
    "own path": ("def f():\n    return __file__\n", 3, "__file__ is another in the single file"),
    "global": (
        "X = 1\ndef f():\n    global X\n    X = 2\n",
        4,
        "`global`: importers of the name would see the old value in the package, the new one in the single "
        "file",
    ),
    "no Python": ("def\n", 2, "is not Python: "),
}


@pytest.mark.parametrize("name", sorted(RULES))
def test_broken_rule_is_named_with_file_and_line(tmp_path, name):
    text, line, message = RULES[name]
    lines = refusal(make(tmp_path, {"urdf/extra": f'"""Breaks a rule."""\n{text}'})).split("\n")
    expected = message if line is None else f"made/urdf/extra.py:{line}: {message}"
    assert any(
        shown == expected or (name == "no Python" and shown.startswith(expected)) for shown in lines
    ), lines


def test_circle_is_refused(tmp_path):
    package = make(
        tmp_path,
        {
            "urdf/zeta": '"""A."""\nfrom .omega import ONE\n\nZERO = ONE\n',
            "urdf/omega": '"""B."""\nimport os\n\n'
            "from .alpha import PAIR\n\nONE = PAIR\nHERE = os.curdir\n",
        },
    )
    assert refusal(package) == (
        "made/urdf/omega.py:4: imports in a circle: urdf.alpha -> urdf.zeta -> urdf.omega -> urdf.alpha"
    )


# The command of the generator.


def test_check_compares_and_never_writes(tmp_path, capsys, monkeypatch):
    package = make(tmp_path).rename(tmp_path / "urdf_tools")
    (tmp_path / "LICENSE").write_text(NOTICE)
    monkeypatch.setattr(single_file, "ROOT", tmp_path)
    output = tmp_path / "urdf_simplify.py"
    assert single_file.generate(["--check"]) == 1
    assert "it is not there" in capsys.readouterr().err and not output.exists()
    assert single_file.generate([]) == 0 and os.access(output, os.X_OK)
    assert single_file.generate(["--check"]) == 0
    damaged = output.read_bytes().replace(b"ZERO = 0", b"ZERO = 7")
    output.write_bytes(damaged)
    capsys.readouterr()
    assert single_file.generate(["--check"]) == 1
    printed = capsys.readouterr().err
    assert "1 lines to add, 1 to remove" in printed and "-ZERO = 7\n+ZERO = 0" in printed
    assert output.read_bytes() == damaged
    (package / "urdf" / "extra.py").write_text('"""Doc."""\nprint()\n')
    assert single_file.generate([]) == 2
    assert capsys.readouterr().err.startswith("urdf_tools/urdf/extra.py:2: neither")


# What a copy says of itself, on a made package.


@pytest.fixture()
def copy(tmp_path):
    path = tmp_path / "copy" / "renamed_tool.py"
    path.parent.mkdir()
    path.write_bytes(single_file.joined(make(tmp_path), NOTICE))
    return path


def said(path):
    done = run([sys.executable, "-I", "-S", "-W", "error", path.name], path.parent)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_untouched_copy_is_not_modified(copy):
    digest = version.source_digest(copy.read_bytes())
    assert said(copy) == f"urdf_simplify {version.__version__} (source {digest}) (0, 1)\n"


@pytest.mark.parametrize(
    "old, new",
    [
        (b"\n", b"\r\n"),
        (b"#!/usr/bin/env python3", b"#!/opt/python -I"),
        (b"#!/usr/bin/env python3\n", b""),
        (b"#!", b"\xef\xbb\xbf#!"),
    ],
)
def test_what_copying_changes_is_no_modification(copy, old, new):
    text = copy.read_bytes()
    assert old in text
    copy.write_bytes(text.replace(old, new, -1 if old == b"\n" else 1))
    assert "(source" in said(copy) and "modified" not in said(copy)


@pytest.mark.parametrize(
    "old, new",
    [
        (b"return 0", b"return  0"),
        (b"Do as you like", b"Do as you want"),
        (b'SOURCE_DIGEST = "', b'SOURCE_DIGEST = "0'),
        (b"ZERO = 0", b"ZERO = 00"),
    ],
)
def test_edited_copy_says_modified(copy, old, new):
    text = copy.read_bytes()
    assert text.count(old) >= 1
    copy.write_bytes(text.replace(old, new, 1))
    assert ", modified)" in said(copy)
    signature = load_by_path(copy).signature()
    assert signature == f"urdf_simplify {version.__version__}, modified"
    assert re.fullmatch(version.SIGNATURE, signature)


def test_version_of_a_copy_however_it_is_loaded(copy, tmp_path):
    plain = said(copy).split(" (0")[0]
    assert load_by_path(copy).version_text() == plain
    assert load_by_path(copy).signature() == f"urdf_simplify {version.__version__}"
    namespace = {"__name__": "anything"}
    exec(compile(copy.read_bytes(), "<text>", "exec"), namespace)
    assert namespace["version_text"]().endswith(", not verified: its text cannot be read)")  # type: ignore[operator]
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", str(copy.parent))
    done = run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, sys.argv[1]); import renamed_tool; "
            "print(renamed_tool.version_text())",
            archive,
        ],
        tmp_path,
    )
    assert (done.stdout, done.stderr) == (f"{plain}\n", "")
    done = run([sys.executable, "-"], tmp_path, copy.read_text("utf-8"))
    assert "not verified" in done.stdout and done.stderr == ""


def test_version_of_the_package():
    assert version.version_text() == f"urdf_simplify {version.__version__} (package)"


# The committed file.


@functools.lru_cache(maxsize=None)
def statements(path):
    return ast.parse(path.read_text("utf-8")).body


def carried(path):
    """Return the trees of the statements of a file that joining carries over: no digest, page and late imports."""
    nodes = statements(path)
    blocks = (
        node
        for statement in nodes
        for node in ast.walk(statement)
        if isinstance(node, (ast.FunctionDef, ast.If))
    )
    for block in blocks:
        block.body = [
            inner for inner in block.body if not (isinstance(inner, ast.ImportFrom) and inner.level)
        ]
    return [
        ast.dump(statement)
        for position, statement in enumerate(nodes)
        if not isinstance(statement, (ast.Import, ast.ImportFrom, ast.If))
        and not (position == 0 and isinstance(statement, ast.Expr))
        and not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id in ("SOURCE_DIGEST", "__all__")
        )
    ]


def test_committed_file_is_what_the_modules_give():
    wanted = single_file.joined(ROOT / "urdf_tools", (ROOT / "LICENSE").read_text("utf-8"))
    committed = SINGLE_FILE.read_bytes()
    assert committed == wanted, "run `make single`: " + single_file.difference(committed, wanted)


def test_every_definition_is_that_of_its_module():
    joined = carried(SINGLE_FILE)
    # The kinds of diagnostics are written out: see the next test.
    modules = {
        name: carried(path)
        for name, path in MODULES.items()
        if name != "urdf_tools/base/run_diagnostics.py"
    }
    for name, trees in modules.items():
        assert trees, f"{name} defines nothing"
        start = joined.index(trees[0])
        assert joined[start : start + len(trees)] == trees, f"{name} was damaged on the way"
    rows = len(KINDS) + len(["FOLLOWED"])
    assert len(joined) == rows + sum(len(trees) for trees in modules.values())


def test_the_kinds_are_in_the_file_each_as_a_row():
    module = load_by_path(SINGLE_FILE)
    names = {
        id(kind): name
        for name, kind in vars(run_diagnostics).items()
        if type(kind) is DiagnosticKind
    }
    assert len(names) == len(KINDS) >= 50
    for kind in KINDS:
        assert tuple(getattr(module, names[id(kind)])) == tuple(kind)
    assert module.FOLLOWED == FOLLOWED


def test_the_map_names_lines_of_the_file():
    lines = SINGLE_FILE.read_text(encoding="utf-8").split("\n")
    end = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    start = lines.index("# What a run does, and where (lines of this file):")
    named = re.findall(r"([a-z_./]+) ([0-9]+)", " ".join(lines[start:end]))
    assert len(named) > 25
    for name, number in named:
        line = lines[int(number) - 1]
        assert line.startswith((f"def {name}(", f"# ==== urdf_tools/{name} ===="))


def test_a_map_of_what_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(single_file, "MAP", "{cli/single_file_entry:nothing}")
    with pytest.raises(UsageError, match="cli/single_file_entry:nothing"):
        single_file.joined(ROOT / "urdf_tools", "")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="this Python has no list of its library")
def test_imports_are_of_the_standard_library():
    roots = set()
    for node in (node for statement in statements(SINGLE_FILE) for node in ast.walk(statement)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno} imports from a package"
            roots.add((node.module or "").split(".")[0])
    assert roots <= sys.stdlib_module_names


def test_everything_the_package_offers_is_in_the_file():
    offered = [
        alias.name
        for statement in statements(ROOT / "urdf_tools" / "api.py")
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    ]
    assert "simplify" in offered
    module = load_by_path(SINGLE_FILE)
    assert [name for name in offered if not hasattr(module, name)] == []
    api = importlib.import_module("urdf_tools.api")
    assert "".join((module.__doc__ or "").split()) == "".join((api.__doc__ or "").split())


@pytest.fixture()
def alone(tmp_path):
    """A copy of the single file under another name in an empty folder."""
    path = tmp_path / "bin" / "tidy.py"
    path.parent.mkdir()
    shutil.copyfile(SINGLE_FILE, path)
    return path


def test_renamed_copy_runs_alone(alone):
    strict = [sys.executable, "-I", "-S", "-W", "error", alone.name]
    done = run([*strict, "--version"], alone.parent)
    digest = version.source_digest(SINGLE_FILE.read_bytes())
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"urdf_simplify {version.__version__} (source {digest})\n",
        "",
    )
    done = run([*strict, "--help"], alone.parent)
    assert (done.returncode, done.stderr) == (0, "") and "tidy.py ROBOT" in done.stdout
    assert list(listing(alone.parent)) == [alone.name]


def test_an_old_python_is_refused_in_a_sentence(alone):
    older = (
        "import runpy, sys; sys.version_info, sys.version = (3, 7, 1), '3.7.1 (made up)'; "
        f"runpy.run_path({alone.name!r}, run_name='__main__')"
    )
    done = run([sys.executable, "-c", older], alone.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "urdf_simplify needs Python 3.8 or newer; this is 3.7.1\n"


def test_import_has_no_side_effect(alone):
    program = """
import importlib.util, os, sys, threading, warnings
state = lambda: (list(sys.path), os.getcwd(), dict(os.environ), sys.getrecursionlimit(), sys.stdout, sys.stdin,
                 list(warnings.filters), threading.active_count(), sys.excepthook, list(sys.meta_path))
spec = importlib.util.spec_from_file_location("tidy_module", sys.argv[1])
module = importlib.util.module_from_spec(spec)
before = state()
spec.loader.exec_module(module)
assert state() == before
assert "tidy_module" not in sys.modules
assert not [name for name in sys.modules if name.split(".")[0] == "urdf_tools"]
"""
    done = run(
        [sys.executable, "-B", "-I", "-S", "-W", "error", "-c", program, str(alone)], alone.parent
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(listing(alone.parent)) == [alone.name]


def test_a_result_is_shown_in_one_line():
    result = load_by_path(SINGLE_FILE).simplify(ROOT / "fixtures/humanoid/robot.urdf")
    assert re.fullmatch(r"<Result '\w+': \d+ -> \d+ links>", repr(result))
