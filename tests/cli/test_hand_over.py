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
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import golden
import pytest
from conftest import load_by_path, ROOT, SINGLE_FILE

from urdf_tools.api import main as package_main
from urdf_tools.base.errors import UsageError
from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.base.kinds import UNUSED_OPTION
from urdf_tools.base.option_table import given_values, Option
from urdf_tools.base.version import __version__
from urdf_tools.cli.command_line import run_command_line
from urdf_tools.cli.main import main as main_of_single_file
from urdf_tools.app.engine import EXTENSION
from urdf_tools.run.option_rows import PACKAGE_ONLY
from urdf_tools.run.pipeline import Asked, Exported, NO_EXTENSION, Result, simplify

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"


ROWS = (Option("tally", "tallies", "count the links into a file", "FILE", is_output=True),
        Option("tally_most", "tallies", "refuse more links", "N", kind=int, default=0),
        Option("tally_deep", "tallies", "a second one", kind=bool, default=False))


def write_tally(asked: Asked, result: Result) -> Exported:
    """Export the number of links of the result, as text; into a folder of its own with --tally-deep."""
    count = len(result.after.links)
    if not asked.choices["tally"]:
        return Exported()
    if asked.choices["tally_most"] and count > asked.choices["tally_most"]:
        raise UsageError(f"{count} links are too many for a tally", asked.path)
    deep = [("new/deep/tally.txt", b"deep")] if asked.choices["tally_deep"] else []
    files = ((asked.choices["tally"], b"%d links" % count), *deep)
    found = Diagnostic(UNUSED_OPTION, 3, "glob", ("tally",))
    return Exported(files if asked.writes else (), ("Tally: made",), (found,), given_values(ROWS, asked.choices))


def rules_of_counting(words: Sequence[str]) -> Optional[int]:
    """Print something without a robot, for --tally-rules."""
    if "--tally-rules" not in words:
        return None
    print("one by one")
    return 0


TALLIES = NO_EXTENSION._replace(options=ROWS, run_instead=rules_of_counting, export=write_tally)
main = partial(run_command_line, extension=TALLIES)


@pytest.fixture
def exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with `robot.urdf`; `main` has the exports above."""
    (tmp_path / "robot.urdf").write_bytes(CHAIN.read_bytes())
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def names(folder: Path) -> List[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_exports_appear_with_the_urdf(exports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robot.urdf", "-y", "-o", "out.urdf", "--report", "r.json", "--tally", "tally.txt",
                 "--tally-deep"]) == 0
    said = capsys.readouterr()
    assert Path("tally.txt").read_bytes() == b"4 links"
    assert Path("new/deep/tally.txt").read_bytes() == b"deep" and Path("out.urdf").exists()
    for line in ("  Tally: made", "  [unused-option] line 3: tally matches no mesh",
                 "Will write out.urdf, tally.txt, new/deep/tally.txt, r.json"):
        assert f"\n{line}\n" in said.out
    assert said.err == ""
    assert [one["path"] for one in json.loads(Path("r.json").read_text())["exports"]] == [
        "tally.txt", "new/deep/tally.txt"]


@pytest.mark.parametrize("arguments, message", [
    (["--tally", "t.txt", "--tally-most", "1"], "robot.urdf: 4 links are too many for a tally\n"),
    (["--tally", "no/such/t.txt"], "no/such/t.txt: the output folder 'no/such' does not exist\n"),
    (["--tally", "out.urdf"], "out.urdf: --output and --tally are the same file\n"),
    (["--tally", "robot.urdf"], "robot.urdf: an input and --tally are the same file\n"),
])
def test_nothing_is_written_when_an_export_is_refused(exports: Path, capsys: pytest.CaptureFixture[str],
                                                      arguments: List[str], message: str) -> None:
    before = names(exports)
    assert main(["robot.urdf", "-q", "-y", "-o", "out.urdf", *arguments]) == 2
    assert capsys.readouterr().err == message
    assert names(exports) == before


def test_folders_of_exports_go_when_the_write_fails(exports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    assert main(["robot.urdf", "-q", "-y", "-o", "out.urdf", "--tally", "t.txt", "--tally-deep"]) == 2
    assert names(exports) == ["robot.urdf"]


def test_a_dry_run_exports_nothing_but_finds_what_is_wrong(exports: Path) -> None:
    assert main(["robot.urdf", "-n", "--tally", "t.txt"]) == 0
    assert main(["robot.urdf", "-n", "--tally", "t.txt", "--tally-most", "1"]) == 2
    assert names(exports) == ["robot.urdf"]


def test_an_option_may_need_no_robot(exports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tally-rules"]) == 0
    assert capsys.readouterr().out == "one by one\n"
    assert package_main(["--model-schema"]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"]


def test_the_help_of_the_package_shows_them(exports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    page = capsys.readouterr().out
    assert "\ntallies:\n" in page and "\n  --tally FILE " in page and page.index("--tally") < page.index("\nother:")


def test_the_single_file_knows_the_names() -> None:
    assert PACKAGE_ONLY == tuple(option.name for option in EXTENSION.options)


def test_without_an_extension_the_rooms_ask_the_package(exports: Path) -> None:
    assert main_of_single_file(["robot.urdf", "--as-is", "-y", "-q", "--model", "robot.json"]) == 0
    assert names(exports) == ["robot.json", "robot.urdf"]
    with pytest.raises(UsageError, match="^model is an option of the package: from urdf_tools import simplify"):
        simplify("robot.urdf", model="robot.json")


# The single file, alone and with a package.


def copy_with_package(folder: Path, version: str) -> List[str]:
    """Put a single file that knows `--tally` into a folder, and, unless `version` is "", a package beside it."""
    text, count = re.subn(r"(?m)^(PACKAGE_ONLY: .* = )\([^)]*\)$", r'\1("tally",)',
                          SINGLE_FILE.read_text(encoding="utf-8"))
    assert count == 1
    (folder / "tool.py").write_text(text, encoding="utf-8")
    if version:
        (folder / "urdf_tools").mkdir()
        (folder / "urdf_tools" / "__init__.py").write_text("")
        (folder / "urdf_tools" / "api.py").write_text(
            f"__version__ = {version!r}\n\n\ndef main(words):\n    print(*words)\n    return 7\n")
    (folder / "robot.urdf").write_bytes(CHAIN.read_bytes())
    return [sys.executable, str(folder / "tool.py")]


def ran(command: List[str], *arguments: str) -> Tuple[int, str, str]:
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("PYTHON") or name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
    done = subprocess.run([*command, *arguments], cwd="/", env=environment, capture_output=True, encoding="utf-8",
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_with_the_package_beside_it(tmp_path: Path) -> None:
    command = copy_with_package(tmp_path, __version__)
    assert ran(command, "robot.urdf", "--tally=t.txt", "-q") == (7, "robot.urdf --tally=t.txt -q\n", "")
    assert ran(command, str(tmp_path / "robot.urdf"), "-n", "-q") == (0, "", ""), "no need of the package"


@pytest.mark.parametrize("name", ["model.glb", "part.OBJ", "a.gltf", "b.stl"])
def test_a_bare_model_is_for_the_package(tmp_path: Path, name: str) -> None:
    assert ran(copy_with_package(tmp_path, __version__), name, "-o", "parts") == (7, f"{name} -o parts\n", "")
    (tmp_path / "alone").mkdir()
    assert ran(copy_with_package(tmp_path / "alone", ""), name) == (2, "", (
        "the reader of such a model is not in the single file but in the package urdf_tools "
        f"{__version__}: `pip install` a clone of its repository, or put the folder urdf_tools next to this file\n"))


def test_with_another_release_beside_it(tmp_path: Path) -> None:
    assert ran(copy_with_package(tmp_path, "0.0.9"), "robot.urdf", "--tally", "t.txt") == (2, "", (
        f"--tally is not in the single file but in the package urdf_tools {__version__}: `pip install` a clone of "
        "its repository, or put the folder urdf_tools next to this file (the one there is 0.0.9)\n"))


def test_without_the_package(tmp_path: Path) -> None:
    assert ran(copy_with_package(tmp_path, ""), "robot.urdf", "--tally", "t.txt") == (2, "", (
        f"--tally is not in the single file but in the package urdf_tools {__version__}: `pip install` a clone of "
        "its repository, or put the folder urdf_tools next to this file\n"))


def test_the_help_of_the_single_file_names_them(tmp_path: Path) -> None:
    status, page, _ = ran(copy_with_package(tmp_path, ""), "--help")
    assert status == 0 and page.endswith(
        "\nThe package urdf-simplify adds --tally; `python3 -m urdf_tools --help` explains\nthem.\n")


def test_the_installed_command(exports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
                               ) -> None:
    entry = re.search(r'^urdf-simplify = "(.+):(.+)"$', (ROOT / "pyproject.toml").read_text(), flags=re.M)
    assert entry
    start = getattr(importlib.import_module(entry[1]), entry[2])
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify", "robot.urdf", "--check", "--quiet"])
    assert start() == 1
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify"])
    assert start() == 2 and capsys.readouterr().err == "no URDF file is given; urdf-simplify --help lists the options\n"


def test_the_package_explains_kinds(tmp_path: Path) -> None:
    shutil.copy(SINGLE_FILE, tmp_path)
    command = [sys.executable, str(tmp_path / "urdf_simplify.py")]
    assert ran(command, "explain", "flipped-joint") == (2, "", (
        f"--explain is not in the single file but in the package urdf_tools {__version__}: `pip install` a clone of "
        "its repository, or put the folder urdf_tools next to this file\n"))
    (tmp_path / "urdf_tools").symlink_to(ROOT / "urdf_tools")
    assert ran(command, "explain", "flipped-joint")[1].startswith("flipped-joint (warning")


def test_the_srdf_is_for_the_package(tmp_path: Path) -> None:
    """The single file without the package says so in one sentence, as a command and as a library."""
    single = load_by_path(SINGLE_FILE)
    with pytest.raises(single.UsageError, match="^srdf is an option of the package: from urdf_tools import simplify"):
        single.simplify(CHAIN, tmp_path / "out.urdf", srdf="robot.srdf")
    shutil.copy(SINGLE_FILE, tmp_path)
    status, _, said = ran([sys.executable, str(tmp_path / "urdf_simplify.py")], str(CHAIN), "--srdf", "robot.srdf")
    assert status == 2 and said.startswith("--srdf is not in the single file but in the package urdf_tools")
    assert names(tmp_path) == ["urdf_simplify.py"]


def test_copies_of_meshes_are_for_the_package(tmp_path: Path) -> None:
    """`--mesh-dir` that only says where converted meshes go needs no package."""
    command = copy_with_package(tmp_path, __version__)
    robot = str(tmp_path / "robot.urdf")
    assert ran(command, robot, "--mesh-dir", "m", "-q") == (7, f"{robot} --mesh-dir m -q\n", "")
    assert ran(command, robot, "--mesh-dir=m", "--combine-dae-meshes", "-n", "-q") == (0, "", "")
    single = load_by_path(SINGLE_FILE)
    with pytest.raises(single.UsageError, match="^mesh_dir is an option of the package"):
        single.simplify(robot, mesh_dir=tmp_path / "m")
    assert single.simplify(robot, mesh_dir=tmp_path / "m", separate_dae_meshes=True)
