"""The plan as a person reads it: no wider than the window, short, and in full where that is asked for."""
import functools
import re
from pathlib import Path
from typing import Any, Callable, List, Tuple

import golden
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from random_robots import ORDINARY, robots
from test_laws import CHOICES, Case

from urdf_tools.plan.edits import ReferenceUpdate
from urdf_tools.plan.options import Options
from urdf_tools.report.changes import followed_rows
from urdf_tools.report.layout import ALL, fold, LINES_SHOWN, Look, TOGETHER
from urdf_tools.report.plan_text import plan_text
from urdf_tools.report.summary import FILES_NAMED, outcome, question_lines
from urdf_tools.run.option_rows import PLAN_SECTIONS
from urdf_tools.run.pipeline import Result, simplify

BOXES = " .:|`-\u2502\u251c\u2500\u2514"
FILES = [("Will write ", "robot_simplified.urdf", "")]


@functools.lru_cache(maxsize=None)
def simplified(robot: Path) -> Result:
    """Run the tool on a robot, once for all windows."""
    return simplify(robot)


def text_of(result: Result, look: Look, files: List[Tuple[str, str, str]] = FILES) -> List[str]:
    """Return all that a run shows, as if it were answered with yes."""
    warnings = len(result.plan.warnings)
    return [*plan_text(result, look), "",
            *question_lines(result, warnings, changed=result.changed, files=files, look=look),
            *outcome(result, "robot_simplified.urdf", (), result.plan.warnings, look)]


def unbroken(line: str) -> bool:
    """Return True for a line of one name, vector or tag, which is never broken."""
    glued = TOGETHER.sub(lambda match: match.group().replace(" ", "_"), line.strip(BOXES))
    return " " not in glued


@pytest.mark.parametrize("name, width, full", golden.SCREENS, ids=str)
def test_whole_text(name: str, width: int, full: Tuple[str, ...]) -> None:
    """Read these files when they change: tests/golden.py --write makes them anew."""
    folder = golden.FIXTURES / name
    assert (folder / golden.screen_name(width, full)).read_bytes() == golden.screen(folder, width, full)


@pytest.mark.parametrize("width, full", [(40, ()), (80, ()), (80, (ALL,)), (120, (ALL,))])
def test_no_line_is_wider_than_the_window(width: int, full: Tuple[str, ...]) -> None:
    for case in golden.cases():
        if not case.variant:
            for line in text_of(simplified(case.folder / "robot.urdf"), Look(True, False, width, full)):
                assert len(line) <= width or unbroken(line), (case.name, line)


@examples(40)
@given(robots(ORDINARY), CHOICES, st.integers(40, 120), st.booleans())
def test_any_robot_in_any_window(text: str, options: Any, width: int, full: bool) -> None:
    result = Case(text, options).result
    look = Look(False, False, width, (ALL,) if full else ())
    lines = text_of(result, look)
    assert all(len(line) <= width or unbroken(line) for line in lines), lines
    assert "\n".join(lines).isascii() or not text.isascii()
    assert not re.search(r"flipped|coincident cop|\[MAIN\]|\[SUB", "\n".join(lines))


@given(st.lists(st.sampled_from(["[0 0 1]", "'a b c'", "1.5 -2 3e-09", "<link name='a b'>", "--keep arm", "plain"]),
                max_size=30), st.integers(40, 120))
def test_nothing_is_broken_inside_a_vector_or_a_name(words: List[str], width: int) -> None:
    text = " , ".join(words)
    lines = fold(text, Look(True, False, width), "    ")
    assert " ".join(" ".join(lines).split()) == text and all(len(line) <= width for line in lines)
    for line in lines:
        assert line.count("[") == line.count("]") and line.count("'") % 2 == 0 and line.count("<") == line.count(">")


def test_an_apostrophe_inside_a_word_is_no_quote() -> None:
    text = "MuJoCo's contacts have no kp, kd, max_vel; also 'lf_foot', 'rf_lowerleg', 'rf_foot', 'lh_lowerleg'"
    assert [len(line) <= 80 for line in fold(text, Look(True, False, 80), "    ")] == [True, True]


def test_lists_are_cut_unless_they_are_asked_for() -> None:
    joint = '<joint name="j{0}" type="continuous"><parent link="{1}"/><child link="l{0}"/><axis xyz="-1 0 0"/></joint>'
    plate = '<link name="part{0}"/><joint name="f{0}" type="fixed"><parent link="l{0}"/><child link="part{0}"/></joint>'
    text = '<robot name="r"><link name="l0"/>' + "".join(
        f'<link name="l{k}"/>{joint.format(k, f"l{k - 1}")}{plate.format(k)}' for k in range(1, 200)) + "</robot>"
    result = Case(text, Options(base_frame="ros")).result
    look = Look(True, False)
    folded, full = text_of(result, look), text_of(result, look._replace(full=(ALL,)))
    assert longest_list(folded) <= LINES_SHOWN < longest_list(full)
    assert "  ... and 160 more lines: --full=links" in folded and len(folded) < 160 < len(full)
    assert sum(line.startswith("  j") for line in text_of(result, look._replace(full=("origins",)))) == 199


def longest_list(lines: List[str]) -> int:
    longest = run = 0
    for line in lines:
        run = run + 1 if line.startswith(" ") else 0
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize("count", [1, 3, FILES_NAMED, FILES_NAMED + 1, 30])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_files_are_named_above_the_question(count: int, width: int) -> None:
    result = simplified(golden.FIXTURES / "humanoid" / "robot.urdf")
    foreign, names = ", not marked as written by this tool", [f"file{k}.xml" for k in range(count)]
    files = [*(("Will write ", name, "") for name in names), ("Will write 14 meshes to ", "out_meshes", ""),
             ("Will replace ", "out.urdf", foreign), ("Will replace ", "out.srdf", foreign)]
    for full in ((), (ALL,)):
        lines = question_lines(result, 2, changed=True, files=files, look=Look(True, False, width, full))
        assert len(lines) <= 9 or width < 80 or full
        said = " ".join(" ".join(lines).split())
        named = names if full else names[:FILES_NAMED]
        more = f" and {count - len(named)} more (--full names them)" if count > len(named) else ""
        assert said.endswith(f" Will write {', '.join(named)}{more} Will write 14 meshes to out_meshes Will replace "
                             "out.urdf, out.srdf, not marked as written by this tool")


@pytest.mark.parametrize("targets, how", [(["shin"] * 4, "is now 'shin'"), (["a", "b", "c", "d"],
                                                                            "the first: is now 'a'")])
def test_what_follows_alike_is_one_row(targets: List[str], how: str) -> None:
    notes = [ReferenceUpdate(4 + k, f"<chain tip='t{k}'>", "chain", "is now '{0}'", (name,))
             for k, name in enumerate(targets)]
    other = [ReferenceUpdate(2, "state 'up'", "joint", f"'j{k}' changes sign: 1 -> -1") for k in range(9)]
    each = [(f"line {note.line}", note.what, note.how) for note in [*other, *notes]]
    look = Look(True, False)
    assert followed_rows([*notes, *other], look) == [*each[:9], ("lines 4-7", "<chain>, 4 times", how)]
    assert followed_rows([*notes[:3], *other], look) == each[:12]
    assert followed_rows([*notes, *other], look._replace(full=("follows",))) == each


def test_joints_that_keep_their_sign_are_those_that_do_not_change_it() -> None:
    """Also those that turn about another axis than their name says."""
    for case in golden.cases():
        if not case.variant:
            lines = "\n".join(plan_text(simplified(case.folder / "robot.urdf"), Look(True, False)))
            kept = re.search(r"--full=joints +(\d+) of (\d+) joints keep their sign", lines)
            flipped = re.search(r"Joints that change sign: (\d+) of (\d+)", lines)
            if kept:
                assert int(kept[1]) + int(flipped[1] if flipped else 0) == int(kept[2]), case.name


@pytest.mark.parametrize("section", PLAN_SECTIONS)
def test_each_section_opens_alone(section: str) -> None:
    result = simplified(golden.FIXTURES / "humanoid" / "robot.urdf")
    folded, opened = (text_of(result, Look(True, False, full=full)) for full in ((), (section,)))
    assert f"  --full={section}" not in "\n".join(opened) and "Not shown here" in "\n".join(opened)
    if f"--full={section} " in "\n".join(folded):
        assert len(opened) > len(folded)


@pytest.mark.parametrize("name, most", [("talos_full_v2", 80), ("robot_v1", 62)])
def test_plans_of_real_robots_are_short(shared: Path, name: str, most: int) -> None:
    result = simplified(shared / "robots" / f"{name}.urdf")
    look = Look(True, False)
    lines = [*plan_text(result, look), "",
             *question_lines(result, len(result.plan.warnings), changed=True, files=[], look=look)]
    assert len(lines) <= most and lines[0].startswith("urdf_simplify ")


def test_every_real_robot_fits_its_window(shared: Path) -> None:
    robots_there = sorted((shared / "robots").glob("*.urdf"))
    assert len(robots_there) > 5
    for path in robots_there:
        try:
            result = simplified(path)
        except ValueError:
            continue  # some are there because they are refused
        for width in (80, 120):
            lines = text_of(result, Look(True, False, width))
            assert longest_list(lines) <= LINES_SHOWN, path.name
            assert all(len(line) <= width or unbroken(line) for line in lines), path.name


def test_colors_change_nothing_but_colors() -> None:
    result = simplified(golden.FIXTURES / "humanoid" / "robot.urdf")
    colored = text_of(result, Look(True, True))
    assert [re.sub(r"\033\[\d*m", "", line) for line in colored] == text_of(result, Look(True, False))
    kinds: List[Callable[[str], str]] = [Look(True, True).title, Look(True, True).alert, Look(True, True).sign]
    for paint in kinds:
        assert paint("x")[:-len("x\033[0m")] in "\n".join(colored)


def test_what_was_asked_for_and_did_not_happen_is_last(tool: Any) -> None:
    source = (golden.FIXTURES / "painted_arm" / "robot.urdf").read_bytes()
    done = golden.run(tool.main, source, ["--separate-dae-meshes", "--yes"])
    left = done.report.partition("\nLeft to do (lines of the input):\n")[2]
    assert "[mesh-not-found]" in left and "--package NAME=FOLDER" in left and left.count("\n") <= 8
    assert done.report.index("Mass preserved") < done.report.index("Left to do (")
