"""The recipes for contributors: each is applied to a copy of the checkout, and its last lines are run."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

PAGE = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = dict(re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", PAGE, flags=re.S | re.M))
STEP = re.compile(
    r"^\d+\. In `(?P<file>[^`]+)`, (?:at the end|a new file|after `(?P<line>[^\n]+)`),.*?^```\w+\n(?P<text>.*?)^```$",
    flags=re.S | re.M,
)
COMMANDS = re.compile(r"^Then:\n\n```sh\n(.*?)^```$", flags=re.S | re.M)
COPIED = (
    "urdf_tools",
    "tests",
    "fixtures",
    ".github",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "urdf_simplify.py",
)


def apply_step(folder, step):
    """Write the text of a step into a file of the copy."""
    path = folder / step["file"]
    path.parent.mkdir(exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    if step["line"] is None:
        path.write_text(text + step["text"], "utf-8")
        return
    place = step["line"] + "\n"
    assert text.count(place) == 1, f"{step['file']} has not one line {step['line']}"
    path.write_text(text.replace(place, place + step["text"]), "utf-8")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return a copy of the checkout, to which one recipe after the other is applied."""
    folder = tmp_path_factory.mktemp("clone")
    for entry in COPIED:
        source = ROOT / entry
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
            shutil.copytree(source, folder / entry, ignore=ignored)
        else:
            shutil.copy(source, folder)
    return folder


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_stands(name, clone):
    steps = [*STEP.finditer(RECIPES[name])]
    assert len(steps) == len(re.findall(r"^\d+\. ", RECIPES[name], flags=re.M)) > 2
    for step in steps:
        apply_step(clone, step)
    (commands,) = COMMANDS.findall(RECIPES[name])
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for command in commands.splitlines():
        words = shlex.split(command)
        assert words[0] == "python3"
        options = ["-p", "no:cacheprovider"] if "pytest" in words else []
        done = subprocess.run(
            [sys.executable, *words[1:], *options],
            cwd=clone,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
