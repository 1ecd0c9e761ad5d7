"""`compare --since`: what a branch changed about its robots, in git checkouts that are made here."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import in_process, on_path, write_command
from conftest import examples
from hypothesis import example, given, strategies as st

from urdf_tools.app.command_table import main
from urdf_tools.app.package_options import TABLE
from urdf_tools.app.branch_changes import COMPARED, NEW, REMOVED, robot_changes, UNREADABLE
from urdf_tools.app.branch_report import findings_of, markdown_of_changes
from urdf_tools.base.errors import UsageError
from urdf_tools.cli.parse_arguments import parse

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")

WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
}
HERE = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ROBOT = f"""<robot name="NAME">
  <link name="base"><inertial><mass value="1"/>{INERTIA}</inertial></link>
  <link name="arm">
    <visual><geometry><mesh filename="MESH"/></geometry></visual>
    <inertial><mass value="2"/>{INERTIA}</inertial>
  </link>
  <joint name="elbow" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/>
  </joint>
</robot>
"""
FLIPPED = '<axis xyz="0 0 -1"/>'
NAMES = ("a", "b", "c")


def robot(name, mesh="meshes/arm.stl"):
    return ROBOT.replace("NAME", name).replace("MESH", mesh)


def triangle(size):
    """Return an STL of one triangle."""
    corners = f"vertex 0 0 0\nvertex {size} 0 0\nvertex 0 1 0\n"
    return f"solid s\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid s\n"


def git(folder, *words):
    done = subprocess.run(
        ["git", *words], cwd=folder, env=HERE, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(folder, files):
    """Write texts by their names."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def repository(folder, files):
    """Make a repository on its branch `change`, which begins at `main`."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, files)
    commit(folder, "base")
    git(folder, "checkout", "-q", "-b", "change")
    return folder


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A repository of three robots, each with a mesh in its folder."""
    files = {}
    for name in NAMES:
        files[f"{name}/{name}.urdf"] = robot(name)
        files[f"{name}/meshes/arm.stl"] = triangle(1)
    return repository(tmp_path_factory.mktemp("git") / "three", files)


@pytest.fixture
def checkout(three, tmp_path, monkeypatch):
    """A copy of the repository of three robots, in which the test runs."""
    folder = tmp_path / "three"
    shutil.copytree(three, folder)
    monkeypatch.chdir(folder)
    return folder


def changes_of(*words):
    """Return the changes that the words of a command line find in the current folder."""
    return robot_changes(parse("compare", TABLE, ["--since", "main", *words]))


def run(*words):
    done = in_process(["compare", *words], b"", main)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# Edits of a robot, in the order in which they are made.
def flip(folder, name):
    path = folder / name / f"{name}.urdf"
    path.write_text(path.read_text("utf-8").replace('<axis xyz="0 0 1"/>', FLIPPED), "utf-8")


def make_heavy(folder, name):
    path = folder / name / f"{name}.urdf"
    path.write_text(path.read_text("utf-8").replace('mass value="2"', 'mass value="3"'), "utf-8")


def reshape(folder, name):
    write(folder, {f"{name}/meshes/arm.stl": triangle(3)})


def retell(folder, name):
    """Fill a robot with remarks, so that git does not take it for the old file once it is moved."""
    path = folder / name / f"{name}.urdf"
    remarks = "".join(f"<!-- remark {number} of many -->\n" for number in range(100))
    path.write_text(path.read_text("utf-8") + remarks, "utf-8")


def move(folder, name):
    git(folder, "mv", name, f"moved_{name}")


EDITS = {"flip": flip, "mass": make_heavy, "mesh": reshape, "retell": retell, "move": move}
CHOICES = st.one_of(st.just({"remove"}), st.sets(st.sampled_from(sorted(EDITS))))


@examples(2)
@example(plans=[{"flip"}, {"mesh"}, set()], added=False)
@example(plans=[{"move"}, {"move", "retell", "mesh"}, {"remove"}], added=True)
@example(plans=[{"mass", "flip"}, {"remove"}, {"retell"}], added=False)
@given(plans=st.lists(CHOICES, min_size=3, max_size=3), added=st.booleans())
def test_each_robot_is_compared_with_the_robot_that_it_was(three, tmp_path_factory, plans, added):
    """Any edits of three robots: each is found under its new name with its old one, its state and its verdict."""
    folder = tmp_path_factory.mktemp("edited") / "three"
    shutil.copytree(three, folder)
    expected = {}
    for name, plan in zip(NAMES, plans):
        file = f"{name}/{name}.urdf"
        old = file
        if plan == {"remove"}:
            shutil.rmtree(folder / name)
            expected[file] = (old, REMOVED, "")
            continue
        for edit, change in EDITS.items():
            if edit in plan:
                change(folder, name)
        if "move" in plan:
            file = f"moved_{name}/{name}.urdf"
        verdict = "masses" if "mass" in plan else "limits" if "mesh" in plan else "same"
        if plan:
            expected[file] = (old, COMPARED, verdict)
    if added:
        # Its text and its mesh are others, as git takes a copy of a removed file for that file.
        link = f'<link name="l"><inertial><mass value="7"/>{INERTIA}</inertial></link>'
        write(folder, {"d.urdf": f'<robot name="d">{link}</robot>\n'})
        expected["d.urdf"] = ("", NEW, "")
    # Half of them are not committed yet.
    if len(plans[0]) % 2:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "edits")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        changes = changes_of("--fail-on", "signs")
    shown = [change for change in changes.robots if change.is_shown]
    found = {}
    for change in shown:
        verdict = change.comparison.verdict if change.comparison is not None else ""
        found[change.file] = (change.old, change.state, verdict)
        name = change.old[:1] or "d"
        edits = plans[NAMES.index(name)] if name in NAMES else set()
        fails = bool(edits & {"flip", "mass", "mesh"}) and change.state == COMPARED
        assert change.is_failing == fails
    assert found == expected


def test_the_gate_fails_for_a_sign_that_it_names(checkout):
    flip(checkout, "a")
    before = git(checkout, "status", "--porcelain", "--branch")
    status, shown, _ = run("--since", "main")
    assert status == 0 and "Same robot, 1 sign flipped" in shown and "elbow = -q in B" in shown
    status, shown, _ = run("--since", "main", "--fail-on", "signs", "--format", "github")
    assert status == 1
    assert "::error file=a/a.urdf,line=7,title=sign::elbow = -q in B" in shown.splitlines()
    assert run("--since", "main", "--fail-on", "zeros", "-q") == (
        0,
        "a/a.urdf:7: sign: elbow = -q in B\n",
        "",
    )
    # Neither the index nor the worktrees of the checkout change.
    assert git(checkout, "status", "--porcelain", "--branch") == before
    assert git(checkout, "worktree", "list").count("\n") == 1


def test_a_mesh_alone_makes_another_robot(checkout):
    reshape(checkout, "b")
    status, shown, _ = run("--since", "main")
    assert status == 1 and "b/b.urdf\n  Same motion and masses, different meshes" in shown
    assert "a/a.urdf" not in shown and "2 other robots: the same" in shown


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n"


def test_a_mesh_that_cannot_be_opened_is_not_called_the_same(checkout):
    """The text of the robot is equal, but a clone without Git LFS has pointers to two meshes."""
    write(checkout, {"a/meshes/arm.stl": POINTER.format("1" * 64)})
    commit(checkout, "pointer")
    git(checkout, "branch", "-f", "main", "HEAD")
    assert changes_of().robots == []
    write(checkout, {"a/meshes/arm.stl": POINTER.format("2" * 64)})
    (change,) = (one for one in changes_of().robots if one.is_shown)
    assert (change.file, change.comparison.verdict) == ("a/a.urdf", "unproven")


def test_an_absolute_name_means_the_file_of_its_time(checkout):
    mesh = (checkout / "a" / "meshes" / "arm.stl").as_uri()
    write(checkout, {"a/a.urdf": robot("a", mesh)})
    commit(checkout, "absolute")
    git(checkout, "branch", "-f", "main", "HEAD")
    reshape(checkout, "a")
    (change,) = (one for one in changes_of().robots if one.is_shown)
    assert (change.file, change.comparison.verdict) == ("a/a.urdf", "limits")


def test_files_that_no_robot_uses_change_no_robot(checkout):
    write(checkout, {"note.md": "a page", "tools/run.py": "pass"})
    assert changes_of().robots == []
    assert changes_of().aside == []
    assert run("--since", "main")[:2] == (
        0,
        f"No robot changed since main ({git(checkout, 'rev-parse', 'main')[:10]})\n",
    )


def test_an_srdf_is_named_that_compare_does_not_read(checkout):
    write(checkout, {"a/a.srdf": '<robot name="a"/>'})
    status, shown, _ = run("--since", "main")
    assert status == 0 and shown.startswith("No robot changed since main")
    assert shown.endswith(
        "3 other robots: the same, although other files changed\n"
        "Changed, and not read by compare: a/a.srdf\n"
    )


def test_the_base_is_where_the_branch_began(checkout):
    """What the base branch did since then is no change of this branch."""
    git(checkout, "checkout", "-q", "main")
    make_heavy(checkout, "c")
    commit(checkout, "main goes on")
    git(checkout, "checkout", "-q", "change")
    flip(checkout, "a")
    assert [change.file for change in changes_of().robots if change.is_shown] == ["a/a.urdf"]


def test_patterns_and_folders_limit_the_robots(checkout, monkeypatch):
    for name in NAMES:
        make_heavy(checkout, name)
    assert [change.file for change in changes_of("b", "*/c.urdf").robots] == [
        "b/b.urdf",
        "c/c.urdf",
    ]
    monkeypatch.chdir(checkout / "b")
    assert [change.file for change in changes_of().robots] == ["b.urdf"]
    assert len(changes_of(":/").robots) == 3
    with pytest.raises(UsageError, match=r"no robot fits \*\.sdf, neither now nor in main"):
        changes_of("*.sdf")


@pytest.mark.parametrize("word", ["--package", "ROS_PACKAGE_PATH"])
def test_a_package_that_the_user_names_is_that_of_the_base_for_the_old_robot(
    word, tmp_path, monkeypatch
):
    """A folder in the checkout is the folder of the commit for the robot of the commit."""
    text = robot("a", "package://parts/arm.stl")
    folder = repository(tmp_path / "r", {"robots/a.urdf": text, "x/parts/arm.stl": triangle(1)})
    write(folder, {"x/parts/arm.stl": triangle(2)})
    monkeypatch.chdir(folder)
    words = ["--package", "parts=x/parts"]
    if word != "--package":
        monkeypatch.setenv(word, str(folder / "x"))
        words = []
    (change,) = changes_of(*words).robots
    assert change.comparison.verdict == "limits"
    write(folder, {"x/parts/arm.stl": triangle(1)})
    assert changes_of(*words).robots == []


def test_a_package_beside_the_checkout_is_found_for_both(tmp_path, monkeypatch):
    """It is no part of the repository, so that it is the same for both robots; a file of the branch is not."""
    write(tmp_path, {"parts/arm.stl": triangle(1)})
    folder = repository(tmp_path / "r", {"a.urdf": robot("a", "package://parts/arm.stl")})
    monkeypatch.chdir(folder)
    make = folder / "a.urdf"
    make.write_text(make.read_text("utf-8") + "<!-- more -->", "utf-8")
    (change,) = changes_of().robots
    assert change.comparison.verdict == "same" and change.comparison.notes == ()
    write(folder, {"parts/arm.stl": triangle(1)})
    (change,) = changes_of().robots
    assert change.comparison.a.links[1].shapes[0].path == str(tmp_path / "parts" / "arm.stl")
    shutil.rmtree(tmp_path / "parts")
    (change,) = changes_of().robots
    assert change.comparison.verdict == "unproven"


def test_what_is_not_in_the_repository_is_one_row(tmp_path, monkeypatch):
    """In place it is the same file of both; a robot that moved names others, for one reason."""
    visuals = "".join(
        f'<visual><geometry><mesh filename="meshes/{number}.stl"/></geometry></visual>'
        for number in range(40)
    )
    text = robot("a").replace("<visual>", f"{visuals}<visual>")
    folder = repository(tmp_path / "r", {"a.urdf": text})
    monkeypatch.chdir(folder)
    make = folder / "a.urdf"
    make.write_text(text + "<!-- more -->", "utf-8")
    (change,) = changes_of().robots
    assert change.comparison.verdict == "same"
    (folder / "robots").mkdir()
    git(folder, "mv", "a.urdf", "robots/a.urdf")
    (change,) = changes_of().robots
    assert change.comparison.verdict == "unproven" and change.is_failing
    page = markdown_of_changes(changes_of())
    assert page.count("| mesh |") == 1 and "38 others" in page
    # Meshes that only the branch has have one reason, too.
    write(folder, {f"robots/meshes/{number}.stl": triangle(1) for number in range(40)})
    page = markdown_of_changes(changes_of())
    assert "| mesh | 40 meshes could not be compared: not there in A" in page


FAKE_XACRO = """import pathlib, re, sys
path = pathlib.Path(sys.argv[1])
text = path.read_text("utf-8")
for name in re.findall('include filename="([^"]*)"', text):
    shared = path.with_name(name).read_text("utf-8")
    text = text.replace("${m}", re.findall('value="([^"]*)"', shared)[0])
text = re.sub("<xacro:include[^>]*>", "", text)
print(re.sub("(?s)<xacro:.*</xacro:[a-z]*>|<xacro:[^>]*>", "", text))
"""


def test_an_included_file_changes_a_xacro(tmp_path, monkeypatch):
    """A file of macros is no robot, and is no reason to fail; its lines are lines of no file."""
    main_text = robot("x", "arm.stl").replace(
        '<robot name="x">',
        '<robot name="x" xmlns:xacro="http://x"><xacro:include filename="m.xacro"/>',
    )
    shared = '<robot xmlns:xacro="http://x"><xacro:property name="m" value="VALUE"/></robot>'
    folder = repository(
        tmp_path / "r",
        {
            "x.urdf.xacro": main_text.replace('mass value="2"', 'mass value="${m}"'),
            "m.xacro": shared.replace("VALUE", "2"),
            "arm.stl": triangle(1),
        },
    )
    (tmp_path / "commands").mkdir()
    write_command(tmp_path / "commands", "xacro", FAKE_XACRO)
    monkeypatch.setenv("PATH", on_path(tmp_path / "commands"))
    monkeypatch.chdir(folder)
    write(folder, {"m.xacro": shared.replace("VALUE", "5")})
    changes = changes_of()
    (change,) = changes.robots
    assert (change.file, change.comparison.verdict) == ("x.urdf.xacro", "masses")
    assert list(changes.unread) == ["m.xacro"]
    assert [finding.line for finding in findings_of(changes)] == [0, 0]
    monkeypatch.setenv("PATH", on_path())
    assert run("--since", "main")[0] == 2


def test_a_robot_that_cannot_be_read_is_refused_only_if_it_was_changed(checkout):
    broken = '<robot name="a">\n<link name="a"/>\n<link name="a"/>\n</robot>\n'
    write(checkout, {"a/a.urdf": broken})
    status, shown, _ = run("--since", "main", "--format", "github")
    assert status == 2 and re.match(
        r"::error file=a/a\.urdf,line=3,title=robot-unreadable::Cannot be read: .*'a'", shown
    )
    assert [change.state for change in changes_of().robots if change.is_shown] == [UNREADABLE]
    # In the base it cannot be compared with.
    git(checkout, "checkout", "-q", "-b", "mended")
    commit(checkout, "broken")
    git(checkout, "branch", "-f", "main", "HEAD")
    reshape(checkout, "b")
    assert list(changes_of().unread) == ["a/a.urdf"] and run("--since", "main", "-q")[0] == 1
    write(checkout, {"a/a.urdf": robot("a")})
    (change,) = changes_of("a").robots
    assert change.is_failing
    assert re.match(r"Not compared: a/a\.urdf before:3: .*'a'", change.verdict)


def test_the_report_is_json_or_markdown(checkout):
    make_heavy(checkout, "a")
    move(checkout, "a")
    git(checkout, "rm", "-r", "-q", "b")
    assert run("--since", "main", "-q", "--report", "../d.json")[0] == 1
    told = json.loads(Path("../d.json").read_text("utf-8"))
    assert (told["since"], told["exit"]) == ("main", 1)
    moved = next(
        row for row in told["robots"] if row["state"] == COMPARED and row["old"] != row["file"]
    )
    assert (moved["file"], moved["old"]) == ("moved_a/a.urdf", "a/a.urdf")
    assert moved["comparison"]["verdict"] == "masses"
    _, page, _ = run("--since", "main", "--format", "markdown", "--report", "../d.md")
    assert Path("../d.md").read_text("utf-8") == page
    assert "| `b/b.urdf` | Removed robot |" in page
    assert "| `moved_a/a.urdf`, was `a/a.urdf` | Same motion, different masses" in page
    assert "| mass | arm: 2 kg / 3 kg |" in page


def test_a_summary_begins_with_what_moves_the_robot_wrongly(checkout):
    path = checkout / "a" / "a.urdf"
    text = path.read_text("utf-8").replace('upper="1"', 'upper="1.5"')
    text = text.replace('name="elbow"', 'name="el_*[b"')
    path.write_text(text, "utf-8")
    make_heavy(checkout, "a")
    flip(checkout, "a")
    reshape(checkout, "a")
    page = markdown_of_changes(changes_of("--match", "structure", "--fail-on", "names"))
    labels = re.findall(r"^\| (\w+) \|", page, re.M)
    assert labels == ["robot", "what", "sign", "limit", "mass", "name", "mesh"]
    # Markdown shows names as they are.
    assert "elbow is called el\\_\\*\\[b in B" in page


def test_two_files_as_markdown(checkout):
    make_heavy(checkout, "a")
    status, page, _ = run("b/b.urdf", "a/a.urdf", "--format", "markdown", "--report", "d.md")
    assert status == 1 and Path("d.md").read_text("utf-8") == page
    assert "A is `b/b.urdf`, B is `a/a.urdf`." in page and "| mass | arm: 2 kg / 3 kg |" in page


def test_a_merge_that_names_the_base_is_enough(checkout, tmp_path, monkeypatch):
    """As actions/checkout makes it: the merge of the pull request, without the commits before it."""
    flip(checkout, "a")
    commit(checkout, "flip")
    git(checkout, "checkout", "-q", "main")
    write(checkout, {"note.md": "more"})
    commit(checkout, "main goes on")
    git(checkout, "checkout", "-q", "-b", "merge")
    git(checkout, "merge", "-q", "--no-ff", "-m", "merge", "change")
    address = checkout.as_uri()
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=merge", address, "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    git(Path(), "fetch", "-q", "--depth=1", "origin", "+refs/heads/main:refs/heads/main")
    assert [change.file for change in changes_of().robots if change.is_shown] == ["a/a.urdf"]
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=change", address, "short")
    monkeypatch.chdir(tmp_path / "short")
    git(Path(), "fetch", "-q", "--depth=1", "origin", "+refs/heads/main:refs/heads/main")
    with pytest.raises(UsageError, match="no commit that it and HEAD have in common.*unshallow"):
        changes_of()


def test_refusals_are_one_sentence(checkout, tmp_path, monkeypatch):
    for words, sentence in [
        (["--since", "nowhere"], "--since nowhere: git knows no such branch, tag or commit here"),
        (["--since=-x"], "--since '-x': give a branch, tag or commit, such as main"),
        (["--since", ""], "--since '': give a branch, tag or commit, such as main"),
        (["--since", "main", "--page", "p.html"], "--since and --page cannot be combined"),
        (["a/a.urdf"], "compare takes two files, and there is only a/a.urdf; --since REVISION"),
    ]:
        status, shown, errors = run(*words)
        assert (status, shown) == (2, "") and errors.startswith(f"error: {sentence}")
        assert errors.count("\n") == 1
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run("--since", "main")[2].startswith("error: --since needs git, which cannot be run")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert run("--since", "main")[2] == (
        "error: --since compares with a commit, and this folder is in no git checkout\n"
    )


def test_standard_input_finds_its_meshes_beside_the_other_file(checkout):
    """`git show REV:a/a.urdf | compare - a/a.urdf`: relative names begin in the folder of a/a.urdf."""
    text = (checkout / "a" / "a.urdf").read_bytes()
    make_heavy(checkout, "a")
    for words in (["-", "a/a.urdf"], ["a/a.urdf", "-"]):
        done = in_process(["compare", *words, "--full"], text, main)
        assert done.returncode == 1 and b"Same motion, different masses" in done.stdout
        assert b"not there" not in done.stdout
