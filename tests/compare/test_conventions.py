"""One robot that is counted otherwise: signs, zeros, names, order and base, which fail where `fail_on` names them."""

import random

import pytest
from commands import in_process
from conftest import examples, ROOT, SEEDS
from hypothesis import given, strategies as st
from remade import How, LINES, remake

from urdf_tools.app.command_table import main
from urdf_tools.app.compare_command import differences_text
from urdf_tools.base.errors import UsageError
from urdf_tools.compare import compare as compare_paths
from urdf_tools.compare import convention_differences
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.convention_differences import COUNTED
from urdf_tools.compare.difference_records import ASPECTS, FAIL_ON
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.compare.comparison_text import as_json, quiet_lines, report, verdict_line
from urdf_tools.compare.difference_kinds import CONVENTION, KINDS, text_of

REACH = ROOT / "fixtures/compare/reach.urdf"
TEXT = REACH.read_text("utf-8")
LAST_JOINT = TEXT[TEXT.index('  <joint name="wrist_joint"') : TEXT.index('  <joint name="tool0')]
FLIPPED = LAST_JOINT.replace('"1 0 0"', '"-1 0 0"').replace(
    'lower="-3" upper="2"', 'lower="-2" upper="3"'
)
FIRST_BODY = '<origin xyz="0 0 0.05" rpy="0 0 0"/>'
FIRST_JOINT = '<origin xyz="0 0 0.12"/>'
# By kind, but for a zero, which `remake` moves: what is written otherwise, the word of `fail_on`, and the sentence.
EDITS = {
    "sign": ([(LAST_JOINT, FLIPPED)], "signs", "wrist_joint = -q in B"),
    "joint_renamed": (
        [('"wrist_joint"', '"roll"')],
        "names",
        "wrist_joint is called roll in B",
    ),
    "link_renamed": (
        [('"wrist_link"', '"hand"')],
        "names",
        "wrist_link is called hand in B",
    ),
    "link_gone": (
        [(TEXT[TEXT.index('  <joint name="tool0') :], "</robot>\n"), ('<link name="tool0"/>', "")],
        "names",
        "tool0 is not in B",
    ),
    "order": (
        [
            (LAST_JOINT, ""),
            ('  <joint name="shoulder_pan', LAST_JOINT + '  <joint name="shoulder_pan'),
        ],
        "order",
        "shoulder_pan_joint is joint 1 in A, joint 2 in B",
    ),
    "base_frame": (
        [(FIRST_BODY, '<origin xyz="0 0 0.15"/>'), (FIRST_JOINT, '<origin xyz="0 0 0.22"/>')],
        "base",
        "base_link: the frame of the root is moved by 100 mm",
    ),
}


def reach(edits=()):
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return read_bytes(text.encode(), "new.urdf")


def compared(kind, **options):
    return compare(read_robot_of(str(REACH)), reach(EDITS[kind][0]), **options)


def test_every_kind_has_its_edit():
    conventions = [kind for kind, row in KINDS.items() if row.of == CONVENTION]
    assert [*EDITS, "zero"] == sorted(conventions, key=[*EDITS, "zero"].index)
    assert {KINDS[kind].label for kind in conventions} == set(COUNTED)


@pytest.mark.parametrize("kind", EDITS)
def test_a_convention_is_one_robot_and_fails_where_it_is_named(kind):
    _, word, text = EDITS[kind]
    found = compared(kind)
    assert (found.verdict, found.exit_code, found.counted) == ("same", 0, ())
    assert [(one.kind, text_of(one)) for one in found.conventions] == [(kind, text)]
    named = compared(kind, fail_on={word})
    assert (named.verdict, named.exit_code) == ("same", 1)
    assert [text_of(one) for one in named.counted] == [text]
    # Whatever else is named does not fail.
    assert compared(kind, fail_on=set(FAIL_ON) - {word}).exit_code == 0
    counted, _ = COUNTED[KINDS[kind].label]
    assert f"Same robot, 1 {counted}: " in verdict_line(named)
    assert text in " ".join(report(named).split()) and [
        text in line for line in quiet_lines(named)
    ] == [True]
    assert as_json(named)["failing"] == as_json(named)["conventions"] != []


@examples(6, fuzzed=200)
@given(SEEDS, st.booleans(), st.sampled_from(("", "any")))
def test_what_another_author_counts_otherwise_is_named(seed, names, zeros):
    """Each joint of the truth, and no other: its sign, its zero, its name; and the order of the file."""
    robot = reach()
    other = remake(robot, random.Random(seed), How(names, zeros, base=""))
    found = compare(robot, other.robot, fail_on=frozenset(FAIL_ON[:5]))
    # Names of what the assertions compare: pytest shows all of a comparison otherwise.
    verdict, conventions, failing, status = (
        found.verdict,
        found.conventions,
        found.failing,
        found.exit_code,
    )
    moving = {joint.name for joint in robot.joints if joint.type in LINES}
    truth = {name: other.truth[name] for name in moving}

    def named(kind):
        return {one.where for one in conventions if one.kind == kind}

    assert verdict == "same"
    assert named("sign") == {name for name, (_, sign, _) in truth.items() if sign < 0.0}
    assert named("zero") == {name for name, (*_, zero) in truth.items() if abs(zero) > 1e-4}
    assert named("joint_renamed") == (moving if names else set())
    order = [joint.name for joint in other.robot.joints]
    in_b = [order.index(truth[joint.name][0]) for joint in robot.joints if joint.name in moving]
    assert bool(named("order")) == (in_b != sorted(in_b))
    assert failing == conventions and status == bool(conventions)


MUTANTS = {
    "_signs": "sign",
    "_names": "joint_renamed link_renamed link_gone",
    "_order": "order",
    "_base": "base_frame",
}


@pytest.mark.parametrize(
    "name, kind", [(name, kind) for name, kinds in MUTANTS.items() for kind in kinds.split()]
)
def test_a_mutant_loses_its_kind(name, kind, monkeypatch):
    word = EDITS[kind][1]
    monkeypatch.setitem(convention_differences.CONVENTIONS, word, lambda *_: ())
    assert compared(kind, fail_on={word}).exit_code == 0


def test_a_mutant_loses_a_zero(monkeypatch):
    robot = reach()
    other = remake(robot, random.Random(1), How(zeros="any", base="")).robot
    assert compare(robot, other, fail_on={"zeros"}).exit_code == 1
    monkeypatch.setitem(convention_differences.CONVENTIONS, "zeros", lambda *_: ())
    assert compare(robot, other, fail_on={"zeros"}).exit_code == 0


def test_an_aspect_that_is_named_counts_to_its_last_digit():
    edits = [('lower="-3"', 'lower="-3.00001"')]
    old = reach()
    new = reach(edits)
    assert compare(old, new).verdict == "rounded"
    assert compare(old, new, fail_on={"limits"}).exit_code == 1
    assert compare(old, new, fail_on=set(FAIL_ON) - {"limits"}).exit_code == 0
    # What is not compared is not named either.
    without = frozenset(ASPECTS) - {"limits"}
    assert compare(old, new, aspects=without, fail_on={"limits"}).exit_code == 0
    # A rounded value that counts is told once in full.
    full = report(compare(old, new, fail_on={"limits"}), full=True)
    assert full.count("wrist_joint") == 1


def test_another_robot_fails_whatever_is_named():
    other = reach([('<mass value="1.8"/>', '<mass value="1.9"/>')])
    assert compare(reach(), other, fail_on={"signs"}).exit_code == 1


def test_a_call_takes_words_and_refuses_others(tmp_path):
    new = tmp_path / "new.urdf"
    new.write_text(TEXT.replace(LAST_JOINT, FLIPPED), "utf-8")
    assert compare_paths(REACH, new)
    for fail_on in ("signs", ["signs"], {"names", "signs"}, "zeros, signs"):
        assert not compare_paths(REACH, new, fail_on=fail_on)
    with pytest.raises(
        UsageError, match="--fail-on sign: there are signs, zeros, names, order, base, motion"
    ):
        compare_paths(REACH, new, fail_on=["sign"])


def test_the_command_fails_on_a_sign_and_names_the_new_file(here):
    (here / "old.urdf").write_text("\n\n" + TEXT, "utf-8")
    new = TEXT.replace(LAST_JOINT, FLIPPED)
    (here / "new.urdf").write_text(new, "utf-8")
    words = ["compare", "old.urdf", "new.urdf", "--fail-on", "order,signs", "--format", "github"]
    done = in_process(words, b"", main)
    line = 1 + new[: new.index('<joint name="wrist_joint"')].count("\n")
    assert done.returncode == 1
    assert (
        done.stdout.decode()
        == f"::error file=new.urdf,line={line},title=sign::wrist_joint = -q in B\n"
    )


def test_a_format_for_programs_has_lines_of_the_new_file():
    """Also for what only the old file has: the line of the link that carried it; a link that is renamed: its partner's."""
    text = "\n\n\n" + TEXT.replace(LAST_JOINT, "").replace(
        '"tool0_joint" type="fixed"><parent link="wrist_link"',
        '"tool0_joint" type="fixed"><parent link="forearm_link"',
    )
    text = text.replace(
        text[text.index('  <link name="wrist_link"') : text.index('  <link name="tool0"')], ""
    )
    text = text.replace('<mass value="4"/>', '<mass value="5"/>').replace("base_link", "trunk")
    new = read_bytes(text.encode(), "new.urdf")
    found = compare(reach(), new)
    lines = differences_text(found, "github", ("old.urdf", "new.urdf")).splitlines()
    of_text = text.splitlines()

    def line_of(part):
        return next(number for number, line in enumerate(of_text, 1) if part in line)

    forearm = line_of('<link name="forearm_link')
    trunk = line_of('<link name="trunk')
    assert f"::error file=new.urdf,line={forearm},title=only_a::wrist_joint is only in A" in lines
    assert any(
        line.startswith(f"::error file=new.urdf,line={trunk},title=mass::") for line in lines
    )
