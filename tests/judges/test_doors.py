"""The doors of the repository, run as their hosts run them: hooks by pre-commit, steps of the action by Bash."""

from collections import namedtuple
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

yaml = pytest.importorskip("yaml", reason="no PyYAML, which pre-commit brings")
pytest.importorskip("pre_commit", reason="no pre-commit")

FIXTURES = ROOT / "fixtures"
ACTION = ROOT / ".github" / "actions" / "urdf"
COMMITTER = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
}
HERE = {**os.environ, **COMMITTER, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
SIMPLE, COMPLEX = "simple.urdf", "complex.urdf"


def git(folder, *words):
    """Run git in a folder; return what it prints."""
    return subprocess.run(
        ["git", *words],
        cwd=folder,
        env=HERE,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ).stdout


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """A repository that holds this checkout, as others name it."""
    folder = tmp_path_factory.mktemp("tool") / "urdf_simplify"
    leave = (
        "__pycache__",
        ".git",
        ".venv*",
        "build",
        "tests",
        "fixtures",
        ".*_cache",
        ".hypothesis",
    )
    shutil.copytree(str(ROOT), str(folder), ignore=shutil.ignore_patterns(*leave))
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "release")
    git(folder, "tag", "v0")
    return folder


@pytest.fixture
def robots(tmp_path):
    """The repository of a user: a robot that is simple already, and one that is not."""
    folder = tmp_path / "robots"
    folder.mkdir()
    shutil.copy(FIXTURES / "humanoid" / "expected.urdf", folder / SIMPLE)
    shutil.copy(FIXTURES / "humanoid" / "robot.urdf", folder / COMPLEX)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "robots")
    return folder


def hook(robots, tool, name, files, *args):
    """Run one hook of this project on files, by pre-commit."""
    config = {
        "repos": [{"repo": str(tool), "rev": "v0", "hooks": [{"id": name, "args": list(args)}]}]
    }
    (robots / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    git(robots, "add", "-A")
    home = tool.parent / "home"  # what it installs is there, once for all tests
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", name, "--verbose", "--files", *files],
        cwd=robots,
        env={**HERE, "PRE_COMMIT_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
    )


def broken(folder, name):
    """Write a robot that no parser reads."""
    (folder / name).write_text(
        '<robot name="a">\n<link name="a"/>\n<link name="a"/>\n</robot>\n', encoding="utf-8"
    )


def test_the_hook_that_checks(robots, tool):
    """It passes for a file that stays, and names the file that would change, and how to change it."""
    passed = hook(robots, tool, "urdf-check", [SIMPLE])
    if "could not install" in passed.stdout.lower() or "No matching distribution" in passed.stdout:
        pytest.skip("PyPI cannot be reached")
    assert passed.returncode == 0, passed.stdout
    failed = hook(robots, tool, "urdf-check", [SIMPLE, COMPLEX])
    assert failed.returncode == 1 and re.search(
        r"^complex\.urdf would change: 4 links merged", failed.stdout, re.M
    )
    assert "simple.urdf would" not in failed.stdout
    options = hook(
        robots, tool, "urdf-check", [COMPLEX], "--no-merge", "--no-strip", "--no-reorient"
    )
    assert options.returncode == 0, options.stdout


def test_the_hook_that_lints(robots, tool):
    """It fails for what parsers refuse, and takes no other file than a URDF."""
    passed = hook(robots, tool, "urdf-lint", [SIMPLE])
    assert passed.returncode == 0, passed.stdout
    told = hook(robots, tool, "urdf-lint", [SIMPLE, COMPLEX], "--ignore", "same-name")
    assert told.returncode == 0 and "complex.urdf:1733: warning: [exported-twice]" in told.stdout, (
        told.stdout
    )
    assert hook(robots, tool, "urdf-lint", [SIMPLE, COMPLEX]).returncode == 1
    broken(robots, "broken.urdf")
    failed = hook(robots, tool, "urdf-lint", [SIMPLE, "broken.urdf"])
    assert failed.returncode == 1 and re.search(r"broken\.urdf:3: .*'a'", failed.stdout), (
        failed.stdout
    )
    (robots / "notes.txt").write_text("x", "utf-8")
    assert "no files to check" in hook(robots, tool, "urdf-lint", ["notes.txt"]).stdout


class Step(namedtuple("Step", "status said outputs summary")):
    """What a step of the action did: its exit status, what it printed, its outputs, what it added to the summary."""


def evaluated(text, inputs):
    """Return a text of the action with its expressions replaced as GitHub does; those of inputs alone are known."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)


def run_step(robots, name, base="", **given):
    """Run a step of the action as GitHub does, in the checkout of a user; None if its condition is false."""
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    inputs = {**{key: value["default"] for key, value in action["inputs"].items()}, **given}
    step = next(one for one in action["runs"]["steps"] if one["name"].startswith(name))
    known = {
        "inputs.lint == 'true'": inputs["lint"] == "true",
        "inputs.check == 'true'": inputs["check"] == "true",
        "inputs.compare != 'off'": inputs["compare"] != "off",
        "github.base_ref != ''": base != "",
        "!cancelled()": True,
    }
    if not all(known[part] for part in re.sub(r"\$\{\{ | \}\}", "", step["if"]).split(" && ")):
        return None
    assert step["shell"] == "bash"
    files = {
        name: robots.parent / f"{name}.txt"
        for name in ("script", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
    }
    for path in files.values():
        path.write_text("", "utf-8")
    files["script"].write_text(evaluated(step["run"], inputs), "utf-8")
    env = {
        **HERE,
        "GITHUB_ACTION_PATH": str(ACTION),
        "GITHUB_BASE_REF": base,
        **{key: str(path) for key, path in files.items() if key != "script"},
        **{key: evaluated(value, inputs) for key, value in step.get("env", {}).items()},
    }
    # https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax, "shell: bash"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(files["script"])],
        cwd=robots,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    outputs = dict(
        line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
    )
    return Step(
        done.returncode,
        done.stdout,
        outputs,
        files["GITHUB_STEP_SUMMARY"].read_text("utf-8"),
    )


def test_the_action_lints(robots):
    found = run_step(robots, "Lint")
    assert found and found.status == 1, found
    assert re.search(
        r"^::warning file=complex\.urdf,line=1733,title=exported-twice::", found.said, re.M
    )
    assert re.search(r"^::error file=complex\.urdf,line=1733,title=same-name::", found.said, re.M)
    passed, strict = (
        run_step(robots, "Lint", level=level, files=SIMPLE) for level in ("error", "warning")
    )
    assert (
        passed
        and passed.status == 0
        and strict
        and strict.status == int("::warning" in strict.said)
    )
    broken(robots, "sub folder's.urdf")
    git(robots, "add", "-A")
    failed = run_step(robots, "Lint")
    assert (
        failed
        and failed.status == 1
        and re.search(r"^::error file=sub folder's\.urdf,line=3", failed.said, re.M)
    )
    chosen = run_step(robots, "Lint", files="simple.urdf\n\n  other/*.urdf\n")
    assert chosen and chosen.status == 0 and "complex" not in chosen.said
    nothing = run_step(robots, "Lint", files="*.nothing")
    assert nothing and nothing.status == 0 and nothing.said == "::notice::no file fits *.nothing\n"
    assert run_step(robots, "Lint", lint="false") is None


def test_the_action_checks(robots):
    assert run_step(robots, "Check") is None
    found = run_step(robots, "Check", check="true")
    assert found and found.status == 1
    assert re.search(r"^::error file=complex\.urdf,title=would-change::", found.said, re.M)
    assert not re.search(r"^::error file=simple\.urdf", found.said, re.M)
    kept = run_step(robots, "Check", check="true", options="--no-merge --no-strip --no-reorient")
    assert kept and kept.status == 0, kept


def test_the_action_compares_with_the_base_branch(robots, tmp_path):
    """In a checkout as actions/checkout makes it: one commit, without the base branch; it stays as it was."""
    git(tmp_path, "clone", "-q", "--bare", str(robots), "server.git")
    git(robots, "checkout", "-q", "-b", "change")
    simple, other = (robots / name for name in (SIMPLE, COMPLEX))
    heavy = re.sub(
        r'<mass value="[^"]*"/>', '<mass value="99"/>', simple.read_text("utf-8"), count=1
    )
    simple.write_text(heavy, "utf-8")
    other.write_text(other.read_text("utf-8") + "<!-- a remark -->\n", "utf-8")
    shutil.copy(robots / SIMPLE, robots / "new, one.urdf")
    commit(robots, "change")
    git(robots, "push", "-q", str(tmp_path / "server.git"), "change")
    git(
        tmp_path,
        "clone",
        "-q",
        "--depth=1",
        "--branch=change",
        f"file://{tmp_path / 'server.git'}",
        "checkout",
    )
    checkout = tmp_path / "checkout"
    found = run_step(checkout, "Compare", base="main")
    assert found and found.status == 0 and found.outputs == {"different": "true"}, found
    assert re.search(
        r"^::warning file=simple\.urdf,title=robot-masses::Same motion, different masses: ",
        found.said,
        re.M,
    )
    assert re.search(
        r"^::warning file=simple\.urdf,line=\d+,title=mass::.* 99 kg$", found.said, re.M
    )
    # Its meshes are in no checkout, and both sides name the same files.
    same = r"^::notice file=complex\.urdf,title=robot-same::Same robot: exactly"
    assert re.search(same, found.said, re.M)
    assert re.search(r"^::notice file=new%2C one\.urdf,.*::New robot: ", found.said, re.M)
    assert "| `simple.urdf` | Same motion, different masses: " in found.summary
    failed = run_step(checkout, "Compare", base="main", compare="fail")
    assert (
        failed
        and failed.status == 1
        and re.search(r"^::error file=simple\.urdf", failed.said, re.M)
        and "::error file=complex" not in failed.said
    )
    assert (
        git(checkout, "status", "--porcelain") == ""
        and git(checkout, "worktree", "list").count("\n") == 1
    )
    assert (
        run_step(checkout, "Compare", base="main", compare="off") is None
        and run_step(checkout, "Compare") is None
    )


def test_a_changed_robot_that_cannot_be_read_fails(robots, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(robots), "server.git")
    git(robots, "remote", "add", "origin", str(tmp_path / "server.git"))
    broken(robots, SIMPLE)
    commit(robots, "change")
    found = run_step(robots, "Compare", base="main")
    assert (
        found
        and found.status == 2
        and re.search(r"^::error file=simple\.urdf,line=3,.*'a'", found.said, re.M)
    )


def test_the_action_names_renamed_and_removed_robots_and_fails_for_a_sign(robots, tmp_path):
    """A flipped sign in a robot that moved fails where the input names signs; a removed robot fails nothing."""
    git(tmp_path, "clone", "-q", "--bare", str(robots), "server.git")
    git(robots, "remote", "add", "origin", str(tmp_path / "server.git"))
    (robots / "moved").mkdir()
    git(robots, "mv", SIMPLE, f"moved/{SIMPLE}")
    git(robots, "rm", "-q", COMPLEX)
    moved = robots / "moved" / SIMPLE
    text = moved.read_text("utf-8")
    joint = re.search(r'<joint name="left_knee.*?</joint>', text, re.S)[0]
    lower, upper = re.search(r'lower="([^"]*)" upper="([^"]*)"', joint).groups()
    axis = re.search(r'<axis xyz="([^"]*)"', joint)[1]
    turned = " ".join(str(-float(part)) for part in axis.split())
    other = joint.replace(f'xyz="{axis}"', f'xyz="{turned}"').replace(
        f'lower="{lower}" upper="{upper}"', f'lower="{-float(upper)}" upper="{-float(lower)}"'
    )
    moved.write_text(text.replace(joint, other), "utf-8")
    commit(robots, "change")
    # The meshes are in no repository, so that those of a moved robot may be others.
    only = {"compare": "fail", "files": "*.urdf"}
    found = run_step(robots, "Compare", base="main", **only)
    assert found and found.status == 1, found
    assert re.search(r"^::error file=moved/simple\.urdf,line=\d+,title=sign::", found.said, re.M)
    assert re.search(r"^::warning file=complex\.urdf,.*::Removed robot", found.said, re.M)
    assert "| `moved/simple.urdf`, was `simple.urdf` | Same robot, " in found.summary
    reported = run_step(robots, "Compare", base="main")
    assert reported and reported.status == 0 and "::error" not in reported.said


def test_the_workflow_runs_what_must_hold():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    commands = {
        name: [step["run"] for step in job["steps"] if "run" in step]
        for name, job in workflow["jobs"].items()
    }
    assert commands["all"] == [".ci/run"]
    elsewhere = workflow["jobs"]["elsewhere"]["strategy"]["matrix"]
    assert elsewhere["os"] == ["windows-latest", "macos-latest"]
    assert "python tests/tools/all_files.py" in commands["elsewhere"]
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.skipif(
    shutil.which("check-jsonschema", path=os.path.dirname(sys.executable)) is None,
    reason="no check-jsonschema",
)
@pytest.mark.parametrize(
    "schema, file",
    [
        ("github-workflows", ".github/workflows/ci.yml"),
        ("github-actions", ".github/actions/urdf/action.yml"),
    ],
)
def test_files_are_as_their_schemas_say(schema, file):
    program = str(shutil.which("check-jsonschema", path=os.path.dirname(sys.executable)))
    run = subprocess.run(
        [program, "--builtin-schema", f"vendor.{schema}", str(ROOT / file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
    )
    assert run.returncode == 0, run.stdout


def test_pre_commit_takes_the_hooks():
    manifest = str(ROOT / ".pre-commit-hooks.yaml")
    run = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", manifest],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
    )
    assert run.returncode == 0, run.stdout
