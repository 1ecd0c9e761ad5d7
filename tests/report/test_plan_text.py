"""The plan as a person reads it: no wider than 80 columns, short, and in full where that is asked for."""

import functools
import math
import re

import golden
import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_robots import ORDINARY, robots
from test_laws import CHOICES, Case

from urdf_tools.plan.reference_updates import ReferenceUpdate
from urdf_tools.plan.run_options import Options
from urdf_tools.report.change_sections import followed_rows
from urdf_tools.report.line_layout import fold, LINE_WIDTH, TextStyle, TOGETHER, TABLE_LINES
from urdf_tools.report.plan_text import change_line, FILES_NAMED, outcome, plan_text, question_lines
from urdf_tools.run.run_pipeline import simplify
from urdf_tools.urdf.urdf_records import poses_at
from urdf_tools.urdf.spatial_math import IDENTITY, Transform, rotation_angle, ZERO

BOXES = " .:|`-\u2502\u251c\u2500\u2514"
SHORT, FULL = TextStyle(boxes=True, color=False), TextStyle(boxes=True, color=False, full=True)
FILES = [("writes ", "robot_simplified.urdf", "")]


@functools.lru_cache(maxsize=None)
def simplified(robot):
    """Run the tool on a robot, once for all tests."""
    return simplify(robot)


def text_of(result, style, files=FILES):
    """Return all that a run shows, as if it were answered with yes."""
    warnings = len(result.plan.warnings)
    return [
        *plan_text(result, style),
        "",
        *question_lines(result, warnings, files=files, style=style),
        *outcome(result, "robot_simplified.urdf", (), result.plan.warnings, style),
    ]


def unbroken(line):
    """Return True for a line of one name, vector or tag, which is never broken."""
    glued = TOGETHER.sub(lambda match: match.group().replace(" ", "_"), line.strip(BOXES))
    return " " not in glued


@pytest.mark.parametrize("name", golden.IN_FULL)
def test_whole_text(name):
    """Read these files when they change: tests/tools/golden.py --write makes them anew."""
    folder = golden.FIXTURES / name
    golden.require_as_committed(folder / "in_full.txt", golden.plan_in_full(folder))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("style", [SHORT, FULL], ids=["short", "full"])
def test_no_line_is_wider_than_the_terminal(style, width):
    before, longest = LINE_WIDTH.set(width), 0
    try:
        for case in golden.cases():
            if not case.variant:
                for line in text_of(simplified(case.folder / "robot.urdf"), style):
                    assert len(line) <= width or unbroken(line), (case.name, line)
                    longest = max(longest, len(line) * (not unbroken(line)))
    finally:
        LINE_WIDTH.reset(before)
    assert longest > width - 5


@examples(fuzzed=40)
@given(robots(ORDINARY), CHOICES, st.booleans())
def test_any_robot_in_plain_characters(text, options, full):
    result = Case(text, options).result
    lines = text_of(result, TextStyle(boxes=False, color=False, full=full))
    assert all(len(line) <= LINE_WIDTH.get() or unbroken(line) for line in lines), lines
    assert "\n".join(lines).isascii() or not text.isascii()
    assert not re.search(r"coincident cop|\[MAIN\]|\[SUB", "\n".join(lines))


@given(
    st.lists(
        st.sampled_from(
            ["[0 0 1]", "'a b c'", "1.5 -2 3e-09", "<link name='a b'>", "--keep arm", "plain"]
        ),
        max_size=30,
    )
)
def test_nothing_is_broken_inside_a_vector_or_a_name(words):
    text = " , ".join(words)
    lines = fold(text)
    assert " ".join(" ".join(lines).split()) == text and all(
        len(line) <= LINE_WIDTH.get() for line in lines
    )
    for line in lines:
        assert (
            line.count("[") == line.count("]")
            and line.count("'") % 2 == 0
            and line.count("<") == line.count(">")
        )


def test_an_apostrophe_inside_a_word_is_no_quote():
    text = "MuJoCo's contacts have no kp, kd, max_vel; also 'lf_foot', 'rf_lowerleg', 'rf_foot', 'lh_lowerleg'"
    assert [len(line) <= LINE_WIDTH.get() for line in fold(text)] == [True, True]


def test_lists_are_cut_unless_they_are_asked_for():
    joint = '<joint name="j{0}" type="continuous"><parent link="{1}"/><child link="l{0}"/><axis xyz="-1 0 0"/></joint>'
    plate = '<link name="part{0}"/><joint name="f{0}" type="fixed"><parent link="l{0}"/><child link="part{0}"/></joint>'
    text = (
        '<robot name="r"><link name="l0"/>'
        + "".join(
            f'<link name="l{k}"/>{joint.format(k, f"l{k - 1}")}{plate.format(k)}'
            for k in range(1, 200)
        )
        + "</robot>"
    )
    result = Case(text, Options(base_frame="ros")).result
    folded, full = text_of(result, SHORT), text_of(result, FULL)
    assert longest_list(folded) <= TABLE_LINES < longest_list(full)
    assert folded.count("  and 168 more lines (--full)") == 2 and len(folded) < 110 < 160 < len(
        full
    )
    assert sum(line.startswith("  j") for line in full) == 199


def longest_list(lines):
    longest = run = 0
    for line in lines:
        run = run + 1 if line.startswith(" ") else 0
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize("count", [1, 3, FILES_NAMED, FILES_NAMED + 1, 30])
@pytest.mark.parametrize("style", [SHORT, FULL], ids=["short", "full"])
def test_files_are_named_above_the_question(count, style):
    result = simplified(golden.FIXTURES / "humanoid" / "robot.urdf")
    foreign, names = ", not marked as written by this tool", [f"file{k}.xml" for k in range(count)]
    files = [
        *(("writes ", name, "") for name in names),
        ("writes 14 meshes to ", "out_meshes", ""),
        ("replaces ", "out.urdf", foreign),
        ("replaces ", "out.srdf", foreign),
    ]
    lines = question_lines(result, 2, files=files, style=style)
    assert len(lines) <= 10 or style.full
    said = " ".join(" ".join(lines).split())
    named = names if style.full else names[:FILES_NAMED]
    more = f" and {count - len(named)} more (--full names them)" if count > len(named) else ""
    assert said.endswith(
        f" writes {', '.join(named)}{more} writes 14 meshes to out_meshes replaces "
        "out.urdf, out.srdf, not marked as written by this tool"
    )


@pytest.mark.parametrize(
    "targets, how",
    [(["shin"] * 4, "is now 'shin'"), (["a", "b", "c", "d"], "the first: is now 'a'")],
)
def test_what_follows_alike_is_one_row(targets, how):
    notes = [
        ReferenceUpdate(
            4 + k, f"<chain tip='t{k}'>", "chain", "now", (name,), {"now": "is now '{0}'"}
        )
        for k, name in enumerate(targets)
    ]
    other = [
        ReferenceUpdate(
            2, "state 'up'", "joint", str(k), (), {str(k): f"'j{k}' gets a new sign: 1 -> -1"}
        )
        for k in range(9)
    ]
    each = [(f"line {note.line}", note.what, note.how) for note in [*other, *notes]]
    assert followed_rows([*notes, *other], SHORT) == [
        *each[:9],
        ("lines 4-7", "<chain>, 4 times", how),
    ]
    assert followed_rows([*notes[:3], *other], SHORT) == each[:12]
    assert followed_rows([*notes, *other], FULL) == each


def test_in_full_there_is_all_of_the_short_plan_and_more():
    for case in golden.cases():
        if not case.variant:
            short, full = (
                plan_text(simplified(case.folder / "robot.urdf"), style) for style in (SHORT, FULL)
            )
            headings = [
                # The tree in full has no signs to explain.
                re.sub(r"(Kinematic tree: [^(]*) \(.*", r"\1", line)
                for line in short
                if not re.match(r" |(\w+: \[|\d+ (note|lint))", line)
            ]
            assert set(headings) <= {*full}, case.name
            assert "Proof" in full


@pytest.mark.parametrize("name, most", [("talos_full_v2", 90), ("robot_v1", 70)])
def test_plans_of_real_robots_are_short(shared, name, most):
    result = simplified(shared / "robots" / f"{name}.urdf")
    lines = [
        *plan_text(result, SHORT),
        "",
        *question_lines(result, len(result.plan.warnings), files=[], style=SHORT),
    ]
    assert len(lines) <= most and lines[0].startswith("urdf_simplify ")


def test_colors_change_nothing_but_colors():
    result = simplified(golden.FIXTURES / "humanoid" / "robot.urdf")
    style = TextStyle(boxes=True, color=True)
    colored = text_of(result, style)
    plain = [re.sub(r"\033\[\d*m", "", line) for line in colored]
    assert (
        [re.sub("^\u2713 Same", "OK Same", line) for line in plain]
        == text_of(result, SHORT)
        != plain
    )
    for paint in (style.title, style.alert, style.good):
        assert paint("x")[: -len("x\033[0m")] in "\n".join(colored)


def test_what_was_asked_for_and_did_not_happen_is_last(tool):
    source = (golden.FIXTURES / "painted_arm" / "robot.urdf").read_bytes()
    done = golden.run(tool.main, source, ["--separate-dae-meshes", "--yes"])
    left = done.report.partition("\nNext (lines of the input):\n")[2]
    assert "[mesh-not-found]" in left and "--package NAME=DIR" in left and left.count("\n") <= 8
    assert done.report.index("Mass preserved") < done.report.index("Next (")


def test_turned_joints_are_named_with_their_angles():
    """An angle is that between the frames of the joint before and after the run, by the placements of its child."""
    result = simplify(str(golden.FIXTURES / "arm" / "robot.urdf"))
    line = change_line(result)
    named = dict(re.findall(r"(\w+) ([\d.]+) deg", line))
    expected = {
        joint.name: rotation_angle(T_before, T_after)
        for joint, T_before, T_after in placed_joints(result)
    }
    turned = {name: angle for name, angle in expected.items() if angle > 1.75e-5}
    assert f"{len(turned)} joints turned (" in line and set(named) == set(turned)
    assert all(abs(math.radians(float(named[name])) - turned[name]) < 0.01 for name in named)


def placed_joints(result):
    """Return the joints that stay, with the rotations of their frames in the world of both robots at zero."""
    before = poses_at(result.before, {}, Transform(result.plan.base.R_new_old, ZERO))
    after = poses_at(result.after, {}, Transform(IDENTITY, ZERO))
    return [
        (joint, before[joint.child].rotation, after[joint.child].rotation)
        for joint in result.after.joints
    ]
