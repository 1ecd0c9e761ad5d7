"""The note of decisions: what is written is read again, a run's result is the same robot without any option."""

import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import golden
import pytest
from commands import in_process
from conftest import examples, ROOT, some_of
from hypothesis import given, strategies as st
from decided_runs import (
    CASES,
    compared,
    converts,
    ends_with,
    FORMATS,
    run_of,
)

from urdf_tools.compare.noted_decisions import ACTS, read_decision
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.urdf_notes import (
    Decision,
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    LOST,
    note_of_words,
)

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["", "-", "--", "a, b", " (1)", "%41", "~", "-->", "none", "a  b", "#", "\n", '""', "1"]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DECIDED = st.builds(
    Decision,
    st.sampled_from([*ACTS, LOST]),
    NAMES,
    st.lists(NAMES, max_size=4).map(tuple),
    st.lists(NUMBERS, max_size=22).map(tuple),
    st.sampled_from(["", "mjcf", "sdf", "usd"]),
)
MINIMAL = (
    '<robot name="leg"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
    "</inertial></link></robot>"
)
USD = sorted((golden.FIXTURES / "exports").rglob("*.usda"))[0].read_text("utf-8").partition("\n")[2]


@examples(fuzzed=2000)
@given(st.lists(DECIDED, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_again(decisions, newline):
    """Alone, in the comment of an XML text and in that of USD: a comment that any parser takes, a line for each."""
    texts = list(map(decision_text, decisions))
    assert list(map(read_decision, texts)) == decisions
    note = note_of_words(DECISIONS_TITLE, texts, newline, width=0)
    longest = max(len(word) for text in texts for word in text.split())
    assert re.match("<!-- " + DECISIONS, note) and "--" not in note[4:-3]
    assert max(map(len, note.split("\n"))) <= 120 + longest
    assert ElementTree.fromstring(f"{note}\n{MINIMAL}").tag == "robot"
    usd = "".join(f"# {line}\n" for line in note.split("\n"))
    for text in (f"{note}{newline}{MINIMAL}", f"#usda 1.0\n{usd}{USD}"):
        assert list(map(read_decision, read_bytes(text.encode(), "robot").decided)) == decisions


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_note_is_read_in_each_encoding(encoding):
    decision = Decision("lock", "shin", ("knee",), (0.3,))
    text = (
        f"{note_of_words(DECISIONS_TITLE, [decision_text(decision)], chr(10), width=0)}\n{MINIMAL}"
    )
    assert list(map(read_decision, read_bytes(text.encode(encoding), "robot").decided)) == [
        decision
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "lock",
        "lock shin",
        "lock shin knee (x)",
        "repair shin tensor (1 2)",
        "other shin",
        "shape nut_m3.stl visual base (0)",
        "shape visual base (1)",
        "collision base",
        "lost base",
        "lost",
        "drop",
        "mass base",
        "joint base",
        "angle base",
    ],
)
def test_a_line_that_is_none_explains_nothing(text, tmp_path):
    """Whoever edits the note gets another robot, and never a fault of this tool."""
    note = note_of_words(DECISIONS_TITLE, [text], "\n", width=0)
    (tmp_path / "a.urdf").write_text(MINIMAL, "utf-8")
    (tmp_path / "b.urdf").write_text(f"{note}\n{MINIMAL}", "utf-8")
    done = in_process(["compare", str(tmp_path / "a.urdf"), str(tmp_path / "b.urdf")])
    assert done.returncode == 0 and b"decided" not in done.stdout


def edited(text):
    """Return a text with the last mass, or else the last length of an origin, changed."""
    for pattern in (r'<mass value="([^"]+)"', r'<origin xyz="([^" ]+)'):
        for number in reversed(list(re.finditer(pattern, text))):
            if float(number[1]) > 0.0:
                return f"{text[: number.start(1)]}{float(number[1]) * 1.5!r}{text[number.end(1) :]}"
    return ""


ZERO_AND_FLIP = [case for case in CASES if case.name == "variants/two_arms-all"]


@pytest.mark.parametrize(
    "case",
    [case for case in some_of(CASES, 15) if not converts(case.args)] + ZERO_AND_FLIP,
    ids=lambda case: case.name,
)
def test_each_fixture_differs_by_what_its_note_and_report_say_is_lost(case, here):
    """Without any option, and by the report; in the other order, too; and an edited value is a difference."""
    if not run_of(case, here):
        pytest.skip("the run refuses this fixture")
    for given_map in ((), ("--map", "report.json")):
        status, found = compared("robot_simplified.urdf", *given_map)
        assert unsaid(found) == set(), texts_of(found)
        assert status == int(bool(found["differences"] or found["unproven"]))
    result = Path("robot_simplified.urdf").read_text(encoding="utf-8", errors="surrogateescape")
    # In the other order, too.
    assert compared("robot.urdf", first="robot_simplified.urdf")[0] == status
    other = edited(result)
    if other:
        Path("other.urdf").write_text(other, encoding="utf-8", errors="surrogateescape")
        _, changed = compared("other.urdf")
        assert unsaid(changed) > unsaid(found)


def unsaid(found):
    """Return the kinds of the differences that no line of a note names as lost."""
    return {
        one["kind"]
        for one in found["differences"]
        if not re.search(", as the .* said$", one["text"])
    }


def texts_of(found):
    return [one["text"] for one in found["differences"]]


@pytest.mark.parametrize("format", ["mjcf", "sdf"])
def test_joints_of_one_name_are_named_apart_by_the_note(format, here):
    """The act names the joint by its child: no other one is renamed by it, and an edit of its limits shows."""
    case = next(case for case in CASES if case.name == "odd/rigid_siblings-no_merge")
    assert run_of(case, here, *FORMATS[format])
    made = Path(FORMATS[format][1])
    text = made.read_text("utf-8")
    status, found = compared(str(made))
    assert status == 0 and "decided_joint" in {one["kind"] for one in found["decided"]}
    act, limit = f"{format}:joint ankle_pitch", r'(name="ankle_pitch_2"[^>]*range=")-1'
    edits = [re.sub(f"({format}:joint) [^ ]+", r"\1 foot", text)]
    if format == "mjcf":
        edits.append(re.sub(limit, r"\1-2", text))
    for other in edits:
        assert other != text, act
        made.write_text(other, "utf-8")
        assert compared(str(made))[0] == 1


EXPORTED = [format for format in FORMATS if format != "urdf"]
OPTIONS = {
    "default": (),
    "mujoco": ("--for", "mujoco"),
    "drake": ("--for", "drake"),
    "no strip": ("--no-strip",),
    "strip": ("--strip", "*bearing*"),
    "copies": ("--count-once",),
    "merge": ("--merge-all",),
    "no merge": ("--no-merge",),
    "leave frames": ("--keep-all-frames",),
    "axes": ("--snap", "0"),
    **{format: tuple(FORMATS[format]) for format in EXPORTED},
    **{f"merge {format}": ("--merge-all", *FORMATS[format]) for format in EXPORTED},
    **{f"collision {format}": ("--collision", "box", *FORMATS[format]) for format in EXPORTED},
}
ROBOTS = [
    *(
        golden.FIXTURES / name / "robot.urdf"
        for name in (
            "arm",
            "humanoid",
            "quadruped",
            "painted_arm",
            "variants/two_arms",
            "follow/gazebo_surface",
        )
    ),
    *sorted((ROOT.parent / "shared" / "robots").glob("*.urdf")),
]
RUNS = [(robot, options) for robot in ROBOTS for options in OPTIONS]


@pytest.mark.parametrize(("robot", "options"), some_of(RUNS, 12), ids=str)
def test_results_differ_by_what_their_notes_say_is_lost(robot, options, here):
    """Of our robots and those beside the repository, with the options that users combine; only the files are given."""
    shutil.copy(robot, "robot.urdf")
    if (robot.parent / "meshes").is_dir():
        shutil.copytree(robot.parent / "meshes", "meshes")
    if ends_with(["robot.urdf", "-y", "-q", *OPTIONS[options]]) != 0:
        pytest.skip("the run refuses this robot")
    made = next(
        (word for word in OPTIONS[options] if word.startswith("made")), "robot_simplified.urdf"
    )
    status, found = compared(made)
    assert unsaid(found) == set(), texts_of(found)
    assert status == int(bool(found["differences"] or found["unproven"]))


def of_crane(monkeypatch, folder, *options):
    monkeypatch.chdir(folder)
    shutil.copy(golden.FIXTURES / "collision" / "crane.urdf", "robot.urdf")
    shutil.copytree(golden.FIXTURES / "collision" / "meshes", "meshes")
    assert ends_with(["robot.urdf", "-y", "-q", *options]) == 0


def replace_in(path, old, new):
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize("kind", ["hull", "box", "auto"])
def test_collisions_that_were_replaced_are_differences(kind, tmp_path, monkeypatch):
    """A second run changes nothing; a collision of another link that changes in either file is not said by the run."""
    of_crane(monkeypatch, tmp_path, "--collision", kind)
    status, found = compared()
    assert status == 1 and unsaid(found) == set() and found["decided"] == []
    assert all(": collision" in one["text"] for one in found["differences"])
    assert compared("robot_simplified.urdf", "--aspects", "no-shapes")[0] == 0
    assert ends_with(["robot_simplified.urdf", "-y", "-q", "-o", "twice.urdf"]) == 0
    assert Path("twice.urdf").read_bytes() == Path("robot_simplified.urdf").read_bytes()


def test_a_layer_of_meshes_that_is_written_again_is_read_again(tmp_path, monkeypatch):
    """In one process; the surface in it is another one then."""
    of_crane(monkeypatch, tmp_path, *FORMATS["usd"])
    assert compared("made.usda")[0] == 0
    layer = Path("made_meshes.usda")
    text = layer.read_text("utf-8")
    number = re.search(r"points = \[\(([^,]+),", text)
    assert number is not None
    layer.write_text(f"{text[: number.start(1)]}7.5{text[number.end(1) :]}", "utf-8")
    assert compared("made.usda")[0] == 1
