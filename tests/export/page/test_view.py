"""`view`: the page of one robot or of two, in the browser or in a file, and no file of anyone else is lost."""

import json
import re
import shutil
import webbrowser
from pathlib import Path

import commands
import golden
import pytest
from pages import block, read_page
from test_watch import with_cranes

from urdf_tools import main

MARK = '<meta name="generator" content="urdf_simplify '


@pytest.fixture()
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(with_cranes(tmp_path))
    return tmp_path


@pytest.fixture()
def opened(monkeypatch):
    """The addresses that the browser is asked to open."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(addresses.append(address) or True))
    return addresses


def run(*words):
    return commands.in_process(["view", *words])


def test_a_page_is_made_and_opened(folder, opened):
    (folder / "robot.html").mkdir()  # as the page is called, in another folder
    before = commands.listing(folder)
    done = run("crane.urdf")
    (address,) = opened
    path = commands.path_of_address(address)
    assert done.returncode == 0 and done.stdout.decode() == f"Opened {path} in the browser\n"
    assert "crane" in dict(read_page(path.read_text("utf-8")).texts)["title"]
    assert commands.listing(folder) == before
    shutil.rmtree(path.parent)


@pytest.mark.parametrize(
    "robot", sorted(golden.FIXTURES.glob("*/robot.urdf")), ids=lambda path: path.parent.name
)
def test_one_robot_is_shown_as_one(robot, tmp_path):
    """No word of a run that was none: its two sides, its verdict, what became of a link."""
    output = str(tmp_path / "page.html")
    done = run(str(robot), "-o", output)
    assert done.returncode == 0, done.stderr
    text = Path(output).read_text("utf-8")
    of_file = r'<section id="(warnings|findings)".*?</section>|<bdi>.*?</bdi>'
    page = read_page(re.sub(of_file, "", text, flags=re.S))
    said = [inside for tag, inside in page.texts if tag not in ("script", "style")]
    said += [str(value) for _, attributes in page.tags for value in attributes.values()]
    of_a_run = r"(?i)\b(before|after|proved|the same|unchanged|merged|kept|flipped)\b|→ [\d[]"
    assert not [each for each in said if re.search(of_a_run, each)]
    data = json.loads(block(text, "data"))
    assert not data["old"]["links"] and not [tag for tag in page.tags if "data-view" in tag[1]]
    rows = read_page(text).tables.get("joint-table", [[]])[1:]
    assert {row[0] for row in rows} >= {joint["name"] for joint in data["new"]["joints"]}
    counted = dict(re.findall(r"<dt>(\w+)</dt><dd>(\d+)</dd>", text))
    assert int(counted["Links"]) == len(data["rows"])
    assert int(counted["Joints"]) == len(rows)


def test_where_no_browser_opens_the_path_is_printed(folder, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    path = Path(run("crane.urdf").stdout.decode().rstrip("\n"))
    assert path.name == "robot.html" and path.is_file()
    shutil.rmtree(path.parent)


def test_a_page_that_is_named_stays_and_is_not_opened(folder, opened):
    done = run("crane.urdf", "-o", "crane.html")
    assert (done.returncode, done.stdout, opened) == (0, b"crane.html\n", [])
    first = Path("crane.html").read_bytes()
    assert (
        run("crane.urdf", "-q", "-o", "quiet.html").stdout == b""
        and Path("quiet.html").read_bytes() == first
    )
    assert run("crane.urdf", "-o", "-").stdout == first


def test_two_robots_are_on_one_page(folder, opened):
    assert run("crane.urdf", "hulls.urdf", "-o", "both.html").returncode == 0
    compared = commands.in_process("compare crane.urdf hulls.urdf --page compared.html -q".split())
    assert compared.returncode == 1 and compared.stderr == b""
    page = Path("both.html").read_text("utf-8")
    assert page.replace("robot.html", "compared.html") == Path("compared.html").read_text(
        encoding="utf-8"
    )


def test_the_number_of_triangles_can_be_chosen(folder, opened):
    sizes = []
    for triangles in ("0", "10"):
        assert run("crane.urdf", "-o", "crane.html", "--triangles", triangles).returncode == 0
        sizes.append(len(Path("crane.html").read_bytes()))
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize(
    "words, message",
    [
        (["crane.urdf", "-o", "crane.urdf"], "crane.urdf: an input and --output are the same file"),
        (
            ["crane.urdf", "hulls.urdf", "-o", "./hulls.urdf"],
            "./hulls.urdf: an input and --output are the same file",
        ),
        (
            ["crane.urdf", "-o", "meshes/base.stl"],
            "meshes/base.stl: exists and was not written by this tool: --force replaces it",
        ),
        (
            ["crane.urdf", "-o", "crane.urdf/crane.html"],
            "crane.urdf/crane.html: the folder 'crane.urdf' cannot be made: a file is in its way",
        ),
        (["gone.urdf", "-o", "crane.html"], "gone.urdf: no such file"),
        (
            ["crane.urdf", "hulls.urdf", "more.urdf"],
            "view takes 2 files, and 'more.urdf' is one more",
        ),
        (
            ["crane.urdf", "--triangles", "-1"],
            "--triangles -1: give a number of triangles, or 0 for all",
        ),
        (
            ["crane.urdf", "--page", "crane.html"],
            "view: unknown option --page; it belongs to simplify, edit, collision, ",
        ),
        ([], "no file is given; -h shows how to start"),
    ],
)
def test_what_cannot_be_shown_is_refused(folder, opened, words, message):
    assert commands.refusal("view", *words).startswith(message) and opened == []


def test_a_file_of_someone_else_is_replaced_if_forced(folder):
    Path("mine.html").write_text("mine")
    assert (
        run("crane.urdf", "-o", "mine.html").returncode == 2
        and Path("mine.html").read_text() == "mine"
    )
    assert run("crane.urdf", "-o", "mine.html", "--force").returncode == 0
    assert MARK in Path("mine.html").read_text("utf-8")


def test_the_help_is_one_screen(capsys):
    assert main(["view", "-h"]) == 0
    text = capsys.readouterr().out
    assert (
        " view ROBOT [OTHER]" in text.partition("\n")[0]
        and "--triangles N" in text
        and len(text.split("\n")) < 25
    )
    assert main(["view", "--help"]) == 0
    assert {"--package", "--xacro-arg", "--force", "--version"} <= set(
        capsys.readouterr().out.replace(",", "").split()
    )


@pytest.mark.parametrize(
    "acts",
    [
        ["--prefix", "a_"],
        ["--rename", "arm=jib"],
        ["--add-root", "foot"],
        ["--flip", "fold", "--rename", "link:*=new_*"],
    ],
)
def test_an_edit_that_names_or_adds_links_has_a_page(folder, acts):
    """The plan of the run does not know such links: the page has both robots over each other, as compared."""
    done = commands.in_process(
        ["edit", "crane.urdf", "-o", "edited.urdf", "-y", "--page", "edited.html", *acts]
    )
    assert done.returncode == 0, done.stderr
    page = Path("edited.html").read_text("utf-8")
    assert (
        MARK in page
        and "crane" in dict(read_page(page).texts)["title"]
        and 'id="missing"' not in page
    )
    same = commands.in_process(["compare", "crane.urdf", "edited.urdf", "--aspects", "motion,mass"])
    assert same.returncode == 0, same.stdout
