"""Every command that a finding or the table by program prints is run as it is printed: what it cures is gone."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple, Tuple

import pytest
from conftest import ROOT, some_of
from program_robots import arm, BOX, ROBOTS, TENSOR

from urdf_tools.app.command_table import main

# A command in the words of a cure: a verb, its options, and values in capitals or quotes.
COMMAND = r'\b(edit|collision|export|simplify)( ROBOT)?((?: --[\w-]+(?: "[^"]*"| [A-Z][\w=]*)?)+)'


SHARED = ROOT.parent / "shared" / "robots"
# A tensor that is too large for a link without a visual to compute another one from.
ALONE = '<inertial><mass value="1"/>{}</inertial><collision>{}</collision>'
UNDRAWN = {
    f"undrawn_{name}": arm(ALONE.format(TENSOR.format(*moments), BOX))
    for name, moments in (("made_up", (5, 5, 5)), ("moments", (5, 6, 7)))
}
MADE = {**ROBOTS, **UNDRAWN}
FIXTURES = ("humanoid", "painted_arm", "quadruped", "arm")
# What no command cures yet, with the reason that the command gives, or what is left.
BY_HAND = {
    "no_number": "'x' is not a finite number",
    "floating": "MuJoCo has floating joints at the world only",
}


class Cure(NamedTuple):
    """A printed command, with what it is the cure of: a kind with its names, or a program with what it refuses."""

    command: Tuple[str, ...]
    kind: str
    names: Tuple[str, ...] = ()


def looked_at(path, capsys):
    status = main(["lint", str(path), "--format", "json"])
    said = capsys.readouterr().out
    assert status in (0, 1), path
    data = json.loads(said)
    return data


def cures_of(data, path):
    """Yield the commands that are printed for a robot, each with OUTPUT in front of what it writes."""
    for finding in data["findings"]:
        names = tuple(finding["names"])
        if finding["repair"]:
            yield Cure(
                ("lint", str(path), "--fix", "--select", finding["kind"]), finding["kind"], names
            )
        for verb, _, options in re.findall(COMMAND, f"{finding['cure']} {finding['message']}"):
            filled = options.replace("LINK", names[0] if names else "")
            yield Cure((verb, str(path), *shlex.split(filled)), finding["kind"], names)
    for row in data["programs"]:
        if row["command"] and "NAME=DIR" not in row["command"]:
            words = shlex.split(row["command"])[1:]
            yield Cure(tuple(words), row["program"], (row["what"][0], words[0]))


def left_of(cure, data):
    """Return what is still found of what a cure is for."""
    seen = {(one["kind"], *one["names"]) for one in data["findings"]}
    seen |= {  # with several causes the next command is another one
        (row["program"], row["what"][0], row["command"].split()[1])
        for row in data["programs"]
        if row["command"]
    }
    return seen & {(cure.kind, *cure.names)}


def run_cure(cure, folder, capsys):
    """Run a command on the robot of a folder; return what is wrong with it, "" if it cures."""
    verb, path, *words = cure.command
    output = folder / "cured.urdf"
    named = [
        word
        for word in words
        if not word.startswith("-") and word.endswith(("urdf", "xml", "sdf", "usda"))
    ]
    if verb == "export" and not named:
        words = [str(output), *words]
    elif verb != "export":
        words += ["-o", str(output)]
    else:
        output = folder / named[0]
    status = main([verb, path, *words, "-y", "-q"])
    said = capsys.readouterr()
    if status != 0 and not (verb == "lint" and status == 1):  # of other errors, which stay
        return f"{' '.join(cure.command)} ends with {status}: {said.err}"
    if not output.exists():
        return f"{' '.join(cure.command)} writes nothing: {said.out}"
    if output.suffix not in (".urdf",):
        return ""  # read by the judges
    left = left_of(cure, looked_at(output, capsys))
    return f"{' '.join(cure.command)} leaves {left}" if left else ""


def written(name, folder):
    """Write the robot of a name, or copy that of a fixture with what is beside it, and return its path."""
    path = folder / "robot.urdf"
    if name in MADE:
        path.write_text(MADE[name])
    elif name in FIXTURES:
        shutil.copytree(ROOT / "fixtures" / name, folder, dirs_exist_ok=True)
    else:
        shutil.copy(SHARED / f"{name}.urdf", path)
    return path


# Of stickbot four links that are not drawn are said to be too large for what is fixed to them: no command draws them.
OTHERS = sorted(path.stem for path in SHARED.glob("*.urdf") if path.stem != "stickbot")
NONE = pytest.param("", marks=pytest.mark.skip(reason="needs ../shared"))


@pytest.mark.parametrize("name", (*MADE, *FIXTURES, *(some_of(OTHERS, 3) or [NONE])))
def test_each_command_cures_what_it_is_printed_for(
    name,
    here,
    monkeypatch,
    capsys,
):
    path = written(name, Path("."))
    wrong = []
    for k, cure in enumerate(dict.fromkeys(cures_of(looked_at(path, capsys), path))):
        copy = Path(f"{k}")
        copy.mkdir()
        monkeypatch.chdir(copy)
        written(name, Path("."))
        wrong += [text for text in [run_cure(cure, Path("."), capsys)] if text]
        monkeypatch.chdir(here)
    assert [text for text in wrong if name not in BY_HAND or BY_HAND[name] not in text] == []
    assert len(wrong) == (name in BY_HAND)
