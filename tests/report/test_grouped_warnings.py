"""Diagnostics of one kind and sentence are one, with the names and lines of all; what to do can be pasted."""

import re

import golden
import pytest
from hypothesis import given, strategies as st

from urdf_tools.base.diagnostics import Diagnostic, DiagnosticKind, NOTE, WARNING
from urdf_tools.export.user_task_lines import alike_lines
from urdf_tools.report.grouped_warnings import (
    actions_needed,
    grouped_lines,
    OTHERS_SHOWN,
)
from urdf_tools.report.line_layout import TextStyle
from urdf_tools.run.run_pipeline import simplify

SHORT, FULL = TextStyle(boxes=True, color=False), TextStyle(boxes=True, color=False, full=True)
KIND = DiagnosticKind(
    "some-kind",
    WARNING,
    "something is the case",
    "mend it",
    True,
    {"one": "link '{0}' of {1} has {n0:part}", "other": "{0} turns"},
)
KEPT = KIND._replace(name="kept-kind", hint="--keep {links}")
SMALL = KIND._replace(name="small", severity=NOTE, needs_action=False)
names_of_links = st.lists(
    st.sampled_from([f"name_{k}" for k in range(12)]), min_size=2, max_size=12, unique=True
)


def unfolded(lines):
    """Return lines as they were before they were folded at 80 columns."""
    whole = []
    for line in lines:
        if re.match(r"warning: |note: |\d+ notes|  (cure: |\[|for )", line):
            whole.append(line)
        else:
            whole[-1] += f" {line.strip()}"
    return whole


@pytest.fixture(scope="module")
def result():
    return simplify(golden.FIXTURES / "humanoid" / "robot.urdf")


@given(names=names_of_links)
def test_what_differs_in_names_and_numbers_is_one(result, names):
    found = [Diagnostic(KIND, 100 + k, "one", (name, "arm"), (k,)) for k, name in enumerate(names)]
    first, *hint = unfolded(grouped_lines(found, result.plan, SHORT))
    more = ", ".join(f"'{name}'" for name in names[1 : 1 + OTHERS_SHOWN])
    rest = f" and {len(names) - 1 - OTHERS_SHOWN} more" if len(names) > 1 + OTHERS_SHOWN else ""
    lines = ", ".join(str(one.line) for one in found[1:])
    assert first == (
        f"warning: [some-kind] line 100: link '{names[0]}' of arm has 0 parts; also {more}{rest} "
        f"(line{'s' * (len(names) > 2)} {lines})"
    )
    assert hint == ["  cure: mend it"]
    assert unfolded(grouped_lines(found, result.plan, FULL)) == [
        f"warning: [some-kind] line {diagnostic.line}: {diagnostic.text}" for diagnostic in found
    ]


def test_the_first_name_that_differs_tells_them_apart(result):
    found = [
        Diagnostic(KIND, 1, "one", ("a", owner), (1,))
        for owner in ("x", "meshes/y.dae", "<gazebo link='z'>")
    ]
    assert unfolded(grouped_lines(found, result.plan, SHORT))[0].endswith(
        "; also 'y.dae', <gazebo link='z'> (line 1)"
    )


@pytest.mark.parametrize(
    "one, other", [((KIND, "one"), (KIND, "other")), ((KIND, "other"), (KEPT, "other"))]
)
def test_what_differs_otherwise_is_not(result, one, other):
    found = [
        Diagnostic(kind, line, sentence, ("a", "b"), (1,))
        for line, (kind, sentence) in enumerate((one, other), 1)
    ]
    lines = unfolded(grouped_lines(found, result.plan, SHORT))
    assert sum(line.startswith("warning: [") for line in lines) == 2 and "also" not in "\n".join(
        lines
    )


def test_the_same_of_one_name_lists_lines(result):
    found = [Diagnostic(KIND, line, "other", ("a",)) for line in (3, 5, 9)]
    lines = unfolded(grouped_lines(found, result.plan, SHORT))
    assert lines[0].endswith(" a turns; also lines 5, 9")


def test_links_to_keep_can_be_pasted(result):
    """Those of all diagnostics of a kind, each once, in one list."""
    merged = [name for name, member in result.plan.members.items() if member.merged]
    assert len(merged) == 4
    about = ((merged[0], "x"), (merged[1], merged[0]), (merged[2], "pelvis"))
    found = [Diagnostic(KEPT, line, "one", names, (1,)) for line, names in enumerate(about, 1)]
    wanted = " ".join(f"--keep {name}" for name in merged[:3])
    assert unfolded(grouped_lines(found, result.plan, SHORT))[-1] == f"  cure: {wanted}"
    assert unfolded(actions_needed(found, result.plan)) == [
        f"  [kept-kind] lines 1, 2, 3: something is the case (3 times): {wanted}"
    ]


def test_names_are_not_looked_for_in_words(result):
    """A merged link may be called like a word of the sentence; its own name may hold anything."""
    members = dict.fromkeys(("link", "part", "cam {0} [1]"), result.plan.members["left_foot_2"])
    plan = result.plan._replace(members={**result.plan.members, **members})
    found = Diagnostic(KEPT, 1, "one", ("cam {0} [1]", "<x>"), (1,))
    assert found.text == "link 'cam {0} [1]' of <x> has 1 part"
    assert actions_needed([found], plan) == ['  [kept-kind] line 1: <x>: --keep "cam {0} [[]1]"']


def test_notes_are_one_line_and_do_not_count(result):
    found = [
        *(Diagnostic(SMALL, line, "other", (name,)) for line, name in enumerate("abc")),
        Diagnostic(KIND, 9, "other", ("d",)),
    ]
    assert unfolded(grouped_lines(found, result.plan, SHORT)) == [
        "warning: [some-kind] line 9: d turns",
        "  cure: mend it",
        "3 notes (--full): something is the case (3 times)",
    ]
    assert len(grouped_lines(found, result.plan, FULL)) == 4


@given(names_of_links)
def test_what_a_consumer_misses_is_grouped_by_the_same_rule(names):
    found = [
        Diagnostic(KIND, line, "one", ("MuJoCo", name), (2,)) for line, name in enumerate(names, 10)
    ]
    assert unfolded(alike_lines(found, FULL)) == [
        f"  for MuJoCo, in the result: line {one.line}: {one.text}: mend it" for one in found
    ]
    lines = unfolded(alike_lines(found, SHORT))
    assert len(lines) == 1 and lines[0].startswith(
        f"  for MuJoCo, in the result: line 10: link 'MuJoCo' of {names[0]} has 2 parts: mend it; also '{names[1]}'"
    )
