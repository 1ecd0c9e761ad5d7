"""explain: kinds, options, and errors of other programs as people paste them, each with a command that runs."""

import shlex
import shutil
from pathlib import Path

import golden
import pytest
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st
from program_robots import write_robots

from urdf_tools.app.command_table import main
from urdf_tools.app.explain_command import errors_like, explained
from urdf_tools.base.errors import UsageError
from urdf_tools.app.package_options import error_texts, TABLE
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.program_effects import PROGRAMS
from urdf_tools.report.line_layout import TextStyle

PLAIN = TextStyle(boxes=False, color=False)
ERROR_TEXTS = error_texts()


@pytest.mark.parametrize(
    "error", ERROR_TEXTS, ids=lambda error: f"{error.program}: {error.words[:30]}"
)
def test_an_error_is_known_among_other_words(error):
    pasted = (
        f"[ERROR] [1712.3] [node-2]: {error.words} 'left_hand' (file /tmp/x/robot.urdf, line 12)"
    )
    assert error in errors_like(pasted)
    assert f"  urdf-simplify {error.command}" in explained(pasted, EXPORT_KINDS, PLAIN)


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_other_words_are_no_error(text):
    for error in errors_like(text):
        words = error.words.lower().split()
        assert sum(word.strip(".,;:") in text.lower() for word in words) * 2 >= len(words) // 2


@pytest.mark.parametrize(
    "cure", sorted({error.command for error in ERROR_TEXTS if "xacro" not in error.command})
)
def test_the_cure_is_a_command_that_runs(cure, here):
    for path in (golden.FIXTURES / "collision").iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(str(path), str(here / path.name))
    shutil.copy(str(here / "crane.urdf"), str(here / "robot.urdf"))
    words = shlex.split(cure.replace("my_robot=DIR", "my_robot=."))
    selects = words.index("--select") if "--select" in words else 0
    done = in_process([*words, *([] if words[0] == "lint" and not selects else ["-y"])], main=main)
    assert done.returncode in (0, 1), done.stderr.decode()


@pytest.mark.parametrize(
    "cure", sorted({error.command for error in ERROR_TEXTS if "xacro" in error.command})
)
def test_the_cure_of_xacro_is_a_command_of_xacro(cure, here):
    """There need be no xacro here: what is refused is the file, or the program, and no option."""
    words = shlex.split(cure.replace("NAME=DIR", "name=.").replace("NAME:=VALUE", "name:=1"))
    Path("robot.urdf.xacro").write_text('<robot name="r"><link name="a"/></robot>')
    done = in_process([*words, "-n"], main=main)
    assert (
        done.returncode == 0
        or "xacro" in done.stderr.decode()
        and "option" not in done.stderr.decode()
    )


@pytest.mark.parametrize(
    ("words", "name", "program"),
    (  # an error, a robot that shows it, and the row of the table
        ("mass and inertia of moving bodies", "massless", "mujoco"),
        ("inertia must satisfy A + B", "triangle", "mujoco"),
        ("has no <inertial> block defined", "massless", "gazebo"),
        ("A link named has invalid", "triangle", "gazebo"),
        ("unknown mesh file type: .dae", "collision_dae", "mujoco"),
        ("joint is not unique", "twice", "rviz"),
        ("decoder failed for mesh file", "collision_glb", "mujoco"),
        ("MakeConvexHull only", "collision_stl", "drake"),
        ("The Proximity role only", "collision_dae", "drake"),
        ("fixed joint will be ignored", "fixed", "gazebo"),
    ),
)
def test_the_cure_takes_the_cause_away(words, name, program, here):
    """What the program makes of the robot has another cause then, or none."""
    write_robots(here)
    Path(f"{name}.urdf").replace("robot.urdf")
    error = next(error for error in ERROR_TEXTS if words in error.words)
    known = set(Path().glob("*.urdf"))
    before = row_of("robot.urdf", program)
    assert in_process([*shlex.split(error.command), "-y"], main=main).returncode == 0
    (result,) = set(Path().glob("*.urdf")) - known
    assert before.what[0] not in row_of(str(result), program).what


def row_of(path, program):
    return dict(zip(PROGRAMS, examine(Path(path).read_bytes(), path, ()).programs))[program]


def test_every_option_is_explained():
    for row in TABLE:
        if row.verbs:
            lines = explained(row.spelling, EXPORT_KINDS, PLAIN)
            assert lines[0].startswith(row.shown.split(" ")[0]) and len(lines) > 1


def test_no_sentence_shows_how_it_is_filled():
    for kind in EXPORT_KINDS:
        lines = explained(kind.name, EXPORT_KINDS, PLAIN)
        assert "{" not in "".join(lines[: lines.index("", lines.index("Sentences:"))])


def test_what_is_unknown_is_refused_with_what_is_meant():
    with pytest.raises(UsageError, match="did you mean 'flipped-joint'"):
        explained("fliped-joint", EXPORT_KINDS, PLAIN)
    with pytest.raises(
        UsageError, match="^no finding, option or error text like 'nothing of the kind'"
    ):
        explained("nothing of the kind", EXPORT_KINDS, PLAIN)
