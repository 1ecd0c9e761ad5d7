"""The READMEs of the project and of its rooms are run: their transcripts, their Python, their copies of the help."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from commands import piped, python_shown
from page_tables import TABLES

from urdf_tools import main
from urdf_tools.app.package_options import TABLE
from urdf_tools.base.option_table import rows_of
from urdf_tools.cli.parse_arguments import SAME, VERBS, verb_of
from urdf_tools.export.export_request import TARGETS
from urdf_tools.plan.name_words import HARDWARE

ROOT = Path(__file__).resolve().parent.parent
PATHS = [
    ROOT / "README.md",
    *sorted((ROOT / "urdf_tools").rglob("*.md")),
    *sorted((ROOT / ".github").glob("*.md")),
]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in PATHS}
# The steps of its recipes add files and options of their own: tests/test_contributing.py applies them.
CONTRIBUTING = ".github/CONTRIBUTING.md"
PAGES[CONTRIBUTING] = re.sub(
    r"^\d+\. In .*?^```\w+\n.*?^```$", "", PAGES[CONTRIBUTING], flags=re.S | re.M
)
README = PAGES["README.md"]
FENCED = r"^```.*?^```$"
# A command of the package alone, without anything that a shell would do.
OF_PACKAGE = re.compile(r"python3 -m urdf_tools ([^|;&<>$]*)")
OF_PYTHON = re.compile(r"python3 [^|;&<>$]*")  # needs no shell
OLD_PAGES = (".github/CHANGELOG.md",)  # it has the spellings of earlier releases
OF_A_RECIPE = ("--undamp",)  # a copy has it after the recipe for an edit
OF_HELP = ("-h", "--help", "--version", "--completion")
OF_OTHERS = (  # options of other programs, and two that are shown to be refused
    "--python",
    "--python-exit-code",
    "--no-limits",
    "--export-positions",
    "--import-positions",
    "--self-test",
    "--tool",
    "--no-prompt",
    "--bind",
    "--directory",
    "--static-only",
    "--robot",
    "--mjcf",
    "--kep",
    "--keep-sings",
)
STARTED = r"(?:urdf-simplify|python3\0(?:-m\0urdf_tools|urdf_simplify\.py))\0([^|;&<>()]*)"  # words end with \0


def blocks(page, language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], flags=re.S | re.M)


def transcripts(page):
    """Return (command, expected lines) of every console block."""
    runs = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            runs.append((command, expected))
    return runs


def between(marks):
    """Return what is between `<!-- marks -->` and `<!-- /marks -->` in the one page that has it."""
    texts = [
        text
        for page in PAGES.values()
        for text in re.findall(rf"<!-- {marks} -->\n(.*?)<!-- /{marks} -->", page, flags=re.S)
    ]
    assert len(texts) == 1, f"{len(texts)} pages have {marks}"
    return str(texts[0])


def anchors(page):
    """Return what leads to the headings of a page."""
    prose = re.sub(FENCED, "", PAGES[page], flags=re.S | re.M)
    return [
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", prose, re.M)
    ]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A folder with the one file and the package; `python3` is the Python of this test."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copy(ROOT / "urdf_simplify.py", folder)
    shutil.copytree(str(ROOT / "urdf_tools"), str(folder / "urdf_tools"))
    (folder / "bin").mkdir()
    if os.name == "posix":
        (folder / "bin" / "python3").symlink_to(sys.executable)
    return folder


@pytest.fixture
def clone(programs):
    """A folder as a new user has it, in one place, where its modules are compiled once: with the fixtures as they are.

    What a test leaves there is removed.
    """
    kept = set(programs.iterdir())
    for name in ("humanoid", "arm", "painted_arm", "compare", "variants", "collision", "edit"):
        shutil.copytree(str(ROOT / "fixtures" / name), str(programs / "fixtures" / name))
    yield programs
    for path in set(programs.iterdir()) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def matches(lines, expected):
    """Compare, where `...` stands for any text in a line, and as a line of its own for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_transcripts(clone, page, monkeypatch):
    """Every command prints what the page says; a question is answered as shown.

    The first command of the first page is a process, and so is what needs a shell. The shell of the pages is that of
    POSIX: on Windows a page is followed up to the first command that needs it.
    """
    monkeypatch.chdir(clone)
    for number, (command, expected) in enumerate(transcripts(page)):
        started = OF_PACKAGE.fullmatch(command)
        if started and (number or page != "README.md"):
            shown = printed_here(shlex.split(started[1], comments=True), monkeypatch)
        elif os.name == "posix":
            shown = printed_by(command, clone, shell=True)
        elif OF_PYTHON.fullmatch(command):
            words = shlex.split(command, comments=True)
            shown = printed_by([sys.executable, *words[1:]], clone)
        else:
            pytest.skip(f"only on POSIX: a shell runs $ {command}")
        shown = re.sub(rf"\b{python_shown()} (?=-m urdf_tools|urdf_simplify)", "python3 ", shown)
        shown = shown.replace(os.sep, "/")
        assert matches(shown.splitlines(), expected), f"$ {command}\n{shown}"


def printed_by(command, clone, shell=False):
    """Run a process, or a line of a shell, and return what it prints; `python3` is the Python of this test."""
    path = os.pathsep.join([str(clone / "bin"), os.environ["PATH"]])
    return subprocess.run(
        command,
        shell=shell,
        cwd=clone,
        input="yes\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PATH": path},
    ).stdout


def printed_here(words, monkeypatch):
    """Call the command line and return what it prints on both streams."""
    monkeypatch.setattr(sys, "argv", [str(ROOT / "urdf_tools" / "__main__.py")])
    with piped(b"yes\n", one=True) as (out, _), contextlib.suppress(SystemExit):
        main(words)
    return out.getvalue().decode("utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python(clone, page, monkeypatch, capsys):
    """The examples for programs print what their comments say; what they warn of is for people."""
    monkeypatch.chdir(clone)
    monkeypatch.syspath_prepend(str(clone))
    monkeypatch.delitem(sys.modules, "adapter", raising=False)  # which an example writes
    for block in blocks(page, "python"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(block, {"__name__": "__main__"})
        assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)\s+# (.*)", block)


def test_pages_are_there():
    """A reader finds the whole in one page, and the law of a room beside its code."""
    assert {"plan", "verify", "srdf", "report", "cli", "collada", "export", "model"} <= {
        Path(page).parent.name for page in PAGES
    }
    assert transcripts("README.md") and blocks("README.md", "python")


@pytest.mark.parametrize("page, mark", TABLES)
def test_what_is_taken_from_the_code_is_that_of_today(page, mark):
    text = (ROOT / "urdf_tools" / page).read_text("utf-8")
    shown = f"<!-- {mark} -->\n{TABLES[page, mark]()}<!-- /{mark} -->"
    assert text.count(shown) == 1, "python3 tests/tools/page_tables.py --write"


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_exists(page):
    """Tests, modules and fixtures that a page names are there, and every link leads somewhere."""
    prose = re.sub(FENCED, "", PAGES[page], flags=re.S | re.M)
    for name in re.findall(r"`((?:tests|fixtures|urdf_tools)/[\w./]*)`", prose):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`((?:\w+/)*\w+\.py)`", prose) if page not in OLD_PAGES else ():
        assert (ROOT / name).exists() or any((ROOT / "urdf_tools").glob(f"**/{name}")), name
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", prose):
        if "://" in target:
            continue
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path.relative_to(ROOT).as_posix()), anchor


def test_every_room_s_page_is_linked():
    linked = {
        ((ROOT / page).parent / target).resolve().relative_to(ROOT).as_posix()
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]*\.md)", PAGES[page])
    }
    assert set(PAGES) - linked <= {"README.md"}


def commands_of(page):
    """Yield the words of each command line of this tool that is not shown to be refused: in blocks, and in text."""
    prose = re.sub(FENCED, "", PAGES[page], flags=re.S | re.M)
    lines = [
        command
        for command, expected in transcripts(page)
        if "unknown option" not in "".join(expected)
    ]
    fenced = re.findall(FENCED, PAGES[page], flags=re.S | re.M)
    lines += [
        line
        for block in fenced
        if block.startswith(("```\n", "```sh\n"))
        for line in block.splitlines()
    ]
    for line in [*lines, *re.findall(r"`(urdf-simplify [^`]*)`", prose)]:
        if "urdf" in line and not line.startswith(("usage:", "git ")):
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            text = "\0".join(lexer) + "\0"
            for match in re.finditer(STARTED, text):
                yield match[1].split("\0")[:-1]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OLD_PAGES])
def test_options_that_a_page_names_exist(page):
    """No page keeps the spelling of an earlier release; a command line has options of its command only."""
    for words in commands_of(page):
        verb, rest = verb_of(words)
        known = {
            *OF_HELP,
            *OF_A_RECIPE,
            *SAME,
            *(name for row in rows_of(verb, TABLE) for name in (row.short, row.spelling)),
        }
        assert {word.partition("=")[0] for word in rest if re.match("--?[a-z]", word)} <= known, (
            words
        )
    known = {
        *OF_HELP,
        *OF_A_RECIPE,
        *SAME,
        *OF_OTHERS,
        *(row.spelling for row in TABLE if row.verbs),
    }
    assert {*re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGES[page])} <= known


def test_targets_of_export_are_listed():
    cells = re.findall(r"^\| (`\..*?) \|", PAGES["urdf_tools/export/README.md"], re.M)
    listed = [ending for cell in cells for ending in re.findall(r"`(.+?)`", cell)]
    assert sorted(listed) == sorted(ending for target in TARGETS for ending in target.endings)


def test_commands_are_listed():
    """The page of the command line has each command, in the order of the help."""
    rows = re.findall(
        r"^\| \[?`(?:urdf-simplify \w+` \(`)?(\w+)", PAGES["urdf_tools/cli/README.md"], re.M
    )
    assert rows == list(VERBS)


def test_hardware_words():
    *others, last = HARDWARE
    sentence = f"Meshes named {', '.join(others)} or {last} are removed"
    assert sentence in " ".join(PAGES["urdf_tools/plan/README.md"].split())
