"""The README is run: its transcripts, its Python, and its copy of the help page."""
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> List[str]:
    """Return the fenced blocks of a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.S | re.M)
    assert found, f"the README has no {language} block"
    return found


def transcripts() -> List[Tuple[str, List[str]]]:
    """Return (command, expected lines) of every console block."""
    runs = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            runs.append((command, expected))
    return runs


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a new user has it: the one file, the package, a robot, and one with painted meshes."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copy(ROOT / "urdf_simplify.py", folder)
    shutil.copytree(str(ROOT / "urdf_tools"), str(folder / "urdf_tools"))
    shutil.copy(ROOT / "fixtures" / "humanoid" / "robot.urdf", folder)
    shutil.copytree(str(ROOT / "fixtures" / "painted_arm" / "meshes"), str(folder / "meshes"))
    shutil.copy(ROOT / "fixtures" / "painted_arm" / "robot.urdf", folder / "painted_arm.urdf")
    return folder


def matches(lines: List[str], expected: List[str]) -> bool:
    """Compare, where `...` stands for any text in a line, and as a line of its own for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None


def test_transcripts(clone: Path) -> None:
    """Every command prints what the README says; a question is answered as shown."""
    for command, expected in transcripts():
        shell = re.sub(r"\bpython3?\b", sys.executable, command)
        run = subprocess.run(shell, shell=True, cwd=clone, input="yes\n", stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, encoding="utf-8", timeout=60)
        assert matches(run.stdout.splitlines(), expected), f"$ {command}\n{run.stdout}"


def test_python(clone: Path) -> None:
    """The library example prints what its comments say."""
    for block in blocks("python"):
        run = subprocess.run([sys.executable, "-c", block], cwd=clone, stdout=subprocess.PIPE, encoding="utf-8",
                             timeout=60, check=True)
        assert run.stdout.splitlines() == re.findall(r"print\(.*\)\s+# (.*)", block)


def test_help_is_the_help(clone: Path) -> None:
    """The options section is the help page, word for word."""
    shown = re.search(r"<!-- help -->\n```\n(.*?)```\n<!-- /help -->", README, flags=re.S)
    assert shown, "the README has no help block"
    run = subprocess.run([sys.executable, "urdf_simplify.py", "--help"], cwd=clone, stdout=subprocess.PIPE,
                         encoding="utf-8", timeout=60, check=True, env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert shown.group(1) == run.stdout


def test_files_it_names_exist() -> None:
    """Tests, modules and fixtures that the README names are there."""
    names = re.findall(r"`((?:tests|fixtures|urdf_tools)/[\w./]*)`", README)
    assert len(names) > 3
    for name in names:
        assert (ROOT / name).exists(), name


def test_formats_are_those_of_the_package(clone: Path) -> None:
    """The options of other formats are those of the package's help page, word for word."""
    shown = re.search(r"<!-- formats -->\n```\n(.*?)```\n<!-- /formats -->", README, flags=re.S)
    assert shown, "the README has no block of formats"
    run = subprocess.run([sys.executable, "-m", "urdf_tools", "--help"], cwd=clone, stdout=subprocess.PIPE,
                         encoding="utf-8", timeout=60, check=True, env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert shown.group(1) in run.stdout
