"""What only the package can do: its exports join a run; the single file hands over to it, or says where to get it.

The exports here are made for the test; those of the package have tests of their own.
"""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import golden
import pytest
from conftest import load_by_path, ROOT, SINGLE_FILE

from urdf_tools.base.errors import UsageError
from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.base.run_diagnostics import UNUSED_OPTION
from urdf_tools.base.option_table import OptionRow
from urdf_tools.base.version import __version__
from urdf_tools.cli.parse_arguments import help_lines, parse, SIMPLIFY_COMMAND, VERBS
from urdf_tools.cli.run_command_line import run_command_line
from urdf_tools.cli.single_file_entry import main as main_of_single_file, lacking_part
from urdf_tools.cli.simplify_command import simplify_command
from urdf_tools.run.single_file_options import flag, OPTION_ROWS
from urdf_tools.run.run_pipeline import NO_EXTENSION, simplify
from urdf_tools.run.run_records import ExportedFiles

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"


ROWS = (
    OptionRow("tally", "simplify", "count the links into a file", "FILE", is_output=True),
    OptionRow("tally_most", "simplify", "refuse more links", "N", kind=int, default=0),
    flag("tally_deep", "simplify", "a second one"),
)


def write_tally(asked, result, show):
    """Export the number of links of the result, as text; into a folder of its own with --tally-deep."""
    count = len(result.after.links)
    if not asked.choices["tally"]:
        return ExportedFiles()
    if asked.choices["tally_most"] and count > asked.choices["tally_most"]:
        raise UsageError(f"{count} links are too many for a tally", asked.path)
    deep = [("new/deep/tally.txt", b"deep")] if asked.choices["tally_deep"] else []
    files = ((asked.choices["tally"], b"%d links" % count), *deep)
    found = Diagnostic(UNUSED_OPTION, 3, "glob", ("tally",))
    return ExportedFiles(
        files if asked.writes else (),
        ("Tally: made",),
        (found,),
        tuple(
            (row.name, asked.choices[row.name])
            for row in ROWS
            if asked.choices[row.name] != row.default
        ),
    )


TALLIES = NO_EXTENSION._replace(table=(*OPTION_ROWS, *ROWS), outputs=("tally",), export=write_tally)
main = partial(
    run_command_line,
    run=lambda verb, words: simplify_command(parse(verb, TALLIES.table, words), TALLIES),
    help_of=lambda verb, full: help_lines(SIMPLIFY_COMMAND, TALLIES.table, full=full),
)


@pytest.fixture
def exports(here):
    """A folder with `robot.urdf`; `main` has the exports above."""
    (here / "robot.urdf").write_bytes(CHAIN.read_bytes())
    yield here


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_exports_appear_with_the_urdf(exports, capsys):
    assert (
        main("robot.urdf -y -o out.urdf --report r.json --tally tally.txt --tally-deep".split())
        == 0
    )
    said = capsys.readouterr()
    assert Path("tally.txt").read_bytes() == b"4 links"
    assert Path("new/deep/tally.txt").read_bytes() == b"deep" and Path("out.urdf").exists()
    for line in (
        "  Tally: made",
        "warning: [unused-option] line 3: tally matches no mesh",
        "   writes out.urdf, tally.txt, new/deep/tally.txt, r.json",
    ):
        assert f"\n{line}\n" in said.out
    assert said.err == ""
    assert [one["path"] for one in json.loads(Path("r.json").read_text())["exports"]] == [
        "tally.txt",
        "new/deep/tally.txt",
    ]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--tally", "t.txt", "--tally-most", "1"],
            "robot.urdf: 4 links are too many for a tally\n",
        ),
        (
            ["--tally", "robot.urdf/t.txt"],
            "robot.urdf/t.txt: the folder 'robot.urdf' cannot be made: a file is in its way\n",
        ),
        (["--tally", "out.urdf"], "out.urdf: --output and --tally are the same file\n"),
        (["--tally", "robot.urdf"], "robot.urdf: an input and --tally are the same file\n"),
    ],
)
def test_nothing_is_written_when_an_export_is_refused(exports, capsys, arguments, message):
    before = names(exports)
    assert main(["robot.urdf", "-q", "-y", "-o", "out.urdf", *arguments]) == 2
    assert capsys.readouterr().err == f"error: {message}"
    assert names(exports) == before


def test_folders_of_exports_go_when_the_write_fails(exports, monkeypatch):
    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    assert main("robot.urdf -q -y -o out.urdf --tally t.txt --tally-deep".split()) == 2
    assert names(exports) == ["robot.urdf"]


def test_a_dry_run_exports_nothing_but_finds_what_is_wrong(exports):
    assert main(["robot.urdf", "-n", "--tally", "t.txt"]) == 0
    assert main("robot.urdf -n --tally t.txt --tally-most 1".split()) == 2
    assert names(exports) == ["robot.urdf"]


def test_the_help_of_the_package_shows_them(exports, capsys):
    assert main(["--help"]) == 0
    page = capsys.readouterr().out
    assert "\n  --tally FILE " in page and page.index("--tally") < page.index("\n  -V, --version")


def test_without_an_extension_the_rooms_ask_the_package(exports):
    assert main_of_single_file(["export", "robot.urdf", "robot.json", "-y", "-q"]) == 0
    assert names(exports) == ["robot.json", "robot.urdf"]
    with pytest.raises(TypeError, match="^unknown option 'page'"):
        simplify("robot.urdf", page="robot.html")


# The single file, alone and with a package.


def copy_with_package(folder, version):
    """Put the single file into a folder, and, unless `version` is "", a package beside it that prints its words."""
    shutil.copy(SINGLE_FILE, folder / "tool.py")
    if version:
        (folder / "urdf_tools").mkdir()
        (folder / "urdf_tools" / "__init__.py").write_text("")
        (folder / "urdf_tools" / "api.py").write_text(
            f"__version__ = {version!r}\n\n\ndef main(words):\n    print(*words)\n    return 7\n"
        )
    (folder / "robot.urdf").write_bytes(CHAIN.read_bytes())
    # Without the packages that are installed, as this one may be.
    return [sys.executable, "-S", str(folder / "tool.py")]


def ran(command, *arguments):
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON")
        or name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    }
    done = subprocess.run(
        [*command, *arguments],
        cwd="/",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


MISSING = "pip install . in a clone, or put the folder urdf_tools next to this file"


def test_with_the_package_beside_it(tmp_path):
    command = copy_with_package(tmp_path, __version__)
    assert ran(command, "robot.urdf", "--page=t.html", "-q") == (
        7,
        "simplify robot.urdf --page=t.html -q\n",
        "",
    )
    assert ran(command, str(tmp_path / "robot.urdf"), "-n", "-q") == (0, "", ""), (
        "no need of the package"
    )


def test_the_other_commands_are_for_the_package(tmp_path):
    command = copy_with_package(tmp_path, __version__)
    assert ran(command, "compare", "a.urdf", "b.urdf") == (7, "compare a.urdf b.urdf\n", "")
    assert ran(command, "lint", "-h") == (0, "lint -h\n", "")
    (tmp_path / "alone").mkdir()
    assert ran(copy_with_package(tmp_path / "alone", ""), "pairs", "a.urdf") == (
        2,
        "",
        f"error: the command pairs is in the package, not in this file: {MISSING}\n",
    )
    assert {
        verb: lacking_part(verb, ["a.urdf"]) for verb in VERBS if verb not in ("simplify", "export")
    } == {verb: f"the command {verb}" for verb in VERBS if verb not in ("simplify", "export")}


@pytest.mark.parametrize(
    "words, lacks",
    [
        ("robot.urdf robot.xml", "the command export"),
        ("part.OBJ part.stl", "the command export"),
        ("a.dae --mesh-format obj", "another --mesh-format than stl"),
        ("a.dae parts", ""),
    ],
)
def test_exports_but_for_collada_are_for_the_package(words, lacks):
    assert lacking_part("export", words.split()) == lacks


def test_collada_is_split_without_the_package(tmp_path):
    command, model = copy_with_package(tmp_path, ""), tmp_path / "sign.dae"
    shutil.copy(golden.FIXTURES / "painted_arm" / "meshes" / "sign.dae", model)
    assert ran(command, "export", str(model), str(tmp_path / "parts"), "-q")[0] == 0
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        "sign_Grey.stl",
        "sign_Orange.stl",
    ]
    assert (
        ran(command, "export", str(model), str(tmp_path / "whole"), "--combine-dae-meshes", "-q")[0]
        == 0
    )
    assert [path.name for path in (tmp_path / "whole").iterdir()] == ["sign.stl"]


def test_with_another_release_beside_it(tmp_path):
    assert ran(copy_with_package(tmp_path, "0.0.9"), "robot.urdf", "--page", "t.html") == (
        2,
        "",
        f"error: this file has no --page; the package has more options: {MISSING} (the one there is 0.0.9, this file {__version__})\n",
    )


def test_without_the_package(tmp_path):
    command = copy_with_package(tmp_path, "")
    assert ran(command, "robot.urdf", "--page", "t.html") == (
        2,
        "",
        f"error: this file has no --page; the package has more options: {MISSING}\n",
    )
    assert ran(command, "robot.urdf", "--keep-sings") == (
        2,
        "",
        (
            f"error: this file has no --keep-sings (did you mean '--keep-signs'?); the package has more options: {MISSING}\n"
        ),
    )


def test_the_help_of_the_single_file_names_the_package(tmp_path):
    status, page, _ = ran(copy_with_package(tmp_path, ""), "-h")
    assert status == 0 and "pip install . in a clone" in page.replace("\n", " ")


def test_the_installed_command(exports, monkeypatch, capsys):
    entry = re.search(
        r'^urdf-simplify = "(.+):(.+)"$', (ROOT / "pyproject.toml").read_text(), flags=re.M
    )
    assert entry
    start = getattr(importlib.import_module(entry[1]), entry[2])
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify", "robot.urdf", "--check", "--quiet"])
    assert start() == 1
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify"])
    assert (
        start() == 2
        and capsys.readouterr().err == "error: no file is given; -h shows how to start\n"
    )


def test_copies_of_meshes_are_for_the_package(tmp_path):
    """`--mesh-dir` that only says where converted meshes go needs no package."""
    command = copy_with_package(tmp_path, __version__)
    robot = str(tmp_path / "robot.urdf")
    assert ran(command, robot, "--mesh-dir", "m", "-q") == (
        7,
        f"simplify {robot} --mesh-dir m -q\n",
        "",
    )
    assert ran(command, robot, "--mesh-dir=m", "--combine-dae-meshes", "-n", "-q") == (0, "", "")
    single = load_by_path(SINGLE_FILE)
    assert single.simplify(robot, mesh_dir=tmp_path / "m", split="color")
