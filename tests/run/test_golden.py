"""Every fixture gives the committed result and report, and a result is left alone by a second run."""

import re
import types

import engine
import golden
import pytest
from conftest import some_of

from urdf_tools.app.package_options import TABLE
from urdf_tools.run.single_file_options import PLAN_DEFAULTS

CASES = golden.cases()
FIXTURES = [case for case in CASES if not case.variant]
# No single command does it.
OF_ENGINE = [case for case in CASES if engine.is_of_engine(["robot.urdf", *case.args])]
NOTHING = ["--no-merge", "--no-reorient", "--no-strip"]


def name_of(case):
    return case.name


def second_args(case):
    """Return the options for a run on the result: it looks to the front already."""
    args = case.args
    if "--base-frame" in args:
        args[args.index("--base-frame") + 1] = "ros"
    return args


def test_there_are_fixtures():
    names = [case.name for case in FIXTURES]
    assert {"humanoid", "arm", "quadruped"} <= set(names)
    assert sum(name.startswith("odd/") for name in names) > 20
    assert len(golden.refused()) > 40
    assert golden.strays() == []


def test_every_choice_has_a_case():
    needs_more = ("package", "require_meshes", "visual_error")  # than a robot
    options = {
        row.spelling for row in TABLE if row.name in PLAN_DEFAULTS and row.name not in needs_more
    }
    options |= {"--separate-dae-meshes", "--combine-dae-meshes", "--split", "--mesh-paths"}
    assert options <= {word for case in CASES for word in case.args}


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_result_and_report(tool, case):
    verify_result_and_report(tool, case)


@pytest.mark.both_forms
@pytest.mark.parametrize("case", some_of(FIXTURES, 40), ids=name_of)
def test_the_single_file_says_the_same(tool, case):
    verify_result_and_report(tool, case)


def test_a_difference_is_shown_by_its_lines():
    """The sentence that differs is whole, and what is equal around it is left out."""
    text = "".join(f"line {number}\n" for number in range(50))
    changed = text.replace("line 30\n", "refused: link 'arm' has no mass (lint --fix)\n")
    with pytest.raises(AssertionError) as failed:
        golden.require_same("plan.txt", text.encode(), changed.encode())
    assert str(failed.value).splitlines() == [
        "plan.txt:",
        "--- committed",
        "+++ made",
        "@@ -30,3 +30,3 @@",
        " line 29",
        "-line 30",
        "+refused: link 'arm' has no mass (lint --fix)",
        " line 31",
    ]
    golden.require_same("plan.txt", text.encode(), text.encode())
    with pytest.raises(AssertionError, match="only the ends of lines differ"):
        golden.require_same("plan.txt", b"one\n", b"one\r\n")


def verify_result_and_report(tool, case):
    data, report = golden.outcome_of(
        engine.main if case in OF_ENGINE else tool.main, tool.__version__, case
    )
    shown = case.plan.read_bytes() if case in OF_ENGINE else shown_by(tool, case.plan.read_bytes())
    golden.require_same(case.plan, shown, report)
    golden.require_as_committed(case.expected, data)


def shown_by(tool, plan):
    """Return the plan as a form of the tool shows it: the single file has no exports."""
    alone = isinstance(tool, types.ModuleType)
    return re.sub(rb"(?sm)^Further files\n.*?\n\n", b"", plan) if alone else plan


@pytest.mark.parametrize(
    "case",
    some_of([case for case in CASES if not engine.has_acts(case.args)], 60),
    ids=name_of,
)
def test_a_second_run_changes_nothing(tool, case):
    result = golden.with_version(case.expected.read_bytes(), tool.__version__)
    meshes = case.folder / "meshes"
    main = engine.main if case in OF_ENGINE else tool.main
    again = golden.run(main, result, [*second_args(case), "--yes"], meshes=meshes)
    assert (again.status, again.data) == (0, result)
    if not case.variant:
        check = golden.run(main, result, [*second_args(case), "--check"], meshes=meshes)
        assert (check.status, check.report) == (0, "robot.urdf is simplified already\n")
        assert check.files == (("meshes", "robot.urdf") if meshes.is_dir() else ("robot.urdf",))


@pytest.mark.parametrize("case", some_of(FIXTURES, 40), ids=name_of)
def test_without_any_stage_the_bytes_come_back(tool, case):
    source = (case.folder / "robot.urdf").read_bytes()
    done = golden.run(tool.main, source, [*NOTHING, "--yes"])
    assert (done.status, done.data) == (0, source)
