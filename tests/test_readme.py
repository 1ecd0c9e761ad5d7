"""The README is run: its transcripts, its Python, and its copy of the help page."""
import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest
from conftest import room_modules

from urdf_tools.base.name_words import HARDWARE
from urdf_tools.base.kinds import KINDS
from urdf_tools.run.option_rows import PLAN_SECTIONS

ROOT = Path(__file__).resolve().parent.parent
WARNERS = ("Notice", "warn", "warn_at", "_complain")
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
    """A folder as a new user has it: the one file, and the fixtures; `python3` is the Python of this test."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copy(ROOT / "urdf_simplify.py", folder)
    for name in ("humanoid", "arm", "painted_arm"):
        shutil.copytree(str(ROOT / "fixtures" / name), str(folder / "fixtures" / name))
    shutil.copytree(str(ROOT / "urdf_tools"), str(folder / "urdf_tools"))
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(sys.executable)
    return folder


def matches(lines: List[str], expected: List[str]) -> bool:
    """Compare, where `...` stands for any text in a line, and as a line of its own for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None


def test_transcripts(clone: Path) -> None:
    """Every command prints what the README says; a question is answered as shown."""
    for command, expected in transcripts():
        path = os.pathsep.join([str(clone / "bin"), os.environ["PATH"]])
        run = subprocess.run(command, shell=True, cwd=clone, input="yes\n", stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, encoding="utf-8", timeout=60, env={**os.environ, "PATH": path})
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


def test_contents() -> None:
    """Every link within the page leads to a heading, and every heading of the second level is in the contents."""
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.S | re.M)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-"): level
               for level, title in re.findall(r"^(#+) (.*)$", prose, flags=re.M)}
    linked = re.findall(r"\]\(#([^)]*)\)", prose)
    assert set(linked) <= set(anchors) and len(linked) > 20
    contents = re.search(r"^\*\*On this page\*\*.*?^$", prose, flags=re.S | re.M)
    assert contents, "the README has no contents"
    shown = re.findall(r"\]\(#([^)]*)\)", contents.group())
    assert shown == [anchor for anchor, level in anchors.items() if level == "##"]


def test_sections_of_the_plan_are_named() -> None:
    """The names for --full= are in the table of options."""
    row = re.search(r"^\| to see what the plan folds \|.*$", README, flags=re.M)
    assert row and tuple(re.findall(r"`(\w+)`", row.group())) == PLAN_SECTIONS


def test_the_first_screens_are_short() -> None:
    """What a new user reads before the reference."""
    assert README[:README.index("\n# Reference\n")].count("\n") <= 210


def test_every_kind_of_warning_is_listed() -> None:
    """The table has each kind, in order, and every warning in the source has a kind of the table."""
    shown = re.search(r"<!-- warnings -->\n(.*?)<!-- /warnings -->", README, flags=re.S)
    assert shown, "the README has no table of warnings"
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|$", shown.group(1), flags=re.M)
    assert rows == [(kind.name, kind.meaning, kind.hint.format(links="LINK")) for kind in KINDS]
    given = set()
    for path in room_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in WARNERS:
                words = [word.value for part in [*node.args, *(one.value for one in node.keywords)]
                         for word in ast.walk(part) if isinstance(word, ast.Constant)]
                named = any(isinstance(part, ast.Name) and part.id == "kind" for part in node.args)
                kinds = {word for word in words if word in {kind.name for kind in KINDS}}
                assert kinds or named, f"{path.name}:{node.lineno}: a warning without a kind"
                given |= kinds
    assert set({kind.name for kind in KINDS}) - given <= {"merged-link"}, "kinds that nothing gives"


def test_formats_are_those_of_the_package(clone: Path) -> None:
    """The options of other formats are those of the package's help page, word for word."""
    shown = re.search(r"<!-- formats -->\n```\n(.*?)```\n<!-- /formats -->", README, flags=re.S)
    assert shown, "the README has no block of formats"
    run = subprocess.run([sys.executable, "-m", "urdf_tools", "--help"], cwd=clone, stdout=subprocess.PIPE,
                         encoding="utf-8", timeout=60, check=True, env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert shown.group(1) in run.stdout


def test_hardware_words() -> None:
    *others, last = HARDWARE
    assert f"Meshes named {', '.join(others)} or {last} are removed" in " ".join(README.split())
