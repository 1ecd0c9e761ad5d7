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
    OPEN,
    OPEN_IN,
    run_of,
)

from urdf_tools.compare.decided import CARRIED_OUT, read_decision
from urdf_tools.compare.read import read_bytes
from urdf_tools.urdf.notes import Decision, decision_text, DECISIONS, DECISIONS_TITLE, note_of_words

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["", "-", "--", "a, b", " (1)", "%41", "~", "-->", "none", "a  b", "#", "\n", '""', "1"]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DECIDED = st.builds(
    Decision,
    st.sampled_from([*CARRIED_OUT, "collision"]),
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
        "tensor shin (1 2)",
        "other shin",
        "shape nut_m3.stl visual base (0)",
        "shape visual base (1)",
        "collision base",
        "surface base lost",
        "sensor imu (1)",
        "drop",
        "value shin effort",
        "mass base",
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
def test_each_fixture_is_the_same_robot_by_its_note_and_report(case, here):
    """Without any option, and by the report; in the other order, too; and an edited value is a difference."""
    if not run_of(case, here):
        pytest.skip("the run refuses this fixture")
    for given_map in ((), ("--map", "report.json")):
        status, found = compared("robot_simplified.urdf", *given_map)
        kinds = {one["kind"] for one in found["differences"]}
        assert kinds == OPEN.get(case.name, set()), [one["text"] for one in found["differences"]]
        assert status == int(bool(kinds))
    result = Path("robot_simplified.urdf").read_text(encoding="utf-8", errors="surrogateescape")
    # In the other order, too.
    assert compared("robot.urdf", first="robot_simplified.urdf")[0] == status
    other = edited(result)
    if other:
        Path("other.urdf").write_text(other, encoding="utf-8", errors="surrogateescape")
        assert compared("other.urdf")[0] == 1


EDITS = {  # of a result: the fixture with its options, how a decision in the note begins, an edit that it does not say
    "range of a motor": (
        "follow/transmission",
        "mjcf",
        "mjcf:actuator",
        r'ctrlrange="[^"]*"',
        'ctrlrange="-1 1"',
    ),
    "gear of a motor": ("arm", "mjcf", "mjcf:actuator", "<motor ", '<motor gear="2" '),
    "no motor": ("arm", "mjcf", "mjcf:actuator", "<motor [^>]*/>", ""),
    "another kind": ("arm", "mjcf", "mjcf:actuator", "<motor ([^>]*)/>", r'<velocity kv="1" \1/>'),
    "a point of a loop": (
        "follow/loop_joint",
        "mjcf",
        "mjcf:loop",
        '(<site name="crank_1" pos=")',
        r"\g<1>1",
    ),
    "a joint of its own": (
        "odd/rigid_siblings-no_merge",
        "mjcf",
        "mjcf:joint",
        '(name="ankle_pitch_2"[^>]*range=")-1',
        r"\1-2",
    ),
    "what fell before": (
        "odd/twice_in_gazebo",
        "urdf",
        "body",
        "turnGravityOff~true",
        "turnGravityOff~false",
    ),
    "joints of one name": (
        "odd/rigid_siblings-no_merge",
        "sdf",
        "sdf:joint",
        "sdf:joint pulley",
        "sdf:joint foot",
    ),
    "a body that falls": (
        "odd/twice_in_gazebo",
        "urdf",
        "body",
        '<link name="tilt"',
        '<gazebo reference="tilt"><gravity>0</gravity></gazebo><link name="tilt"',
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_what_the_note_does_not_say_is_a_difference(edit, here):
    """Before the edit the robots are the same; edits of the note itself are in test_decided.py."""
    name, format, kind, old, new = EDITS[edit]
    assert run_of(next(case for case in CASES if case.name == name), here, *FORMATS[format])
    made = Path(FORMATS[format][1] if format != "urdf" else "robot_simplified.urdf")
    text = made.read_text("utf-8")
    assert compared(str(made))[0] == 0 and kind in text
    other = re.sub(old, new, text, count=1)
    assert other != text
    made.write_text(other, "utf-8")
    assert compared(str(made))[0] == 1


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
    **{format: tuple(FORMATS[format]) for format in OPEN_IN},
    **{f"merge {format}": ("--merge-all", *FORMATS[format]) for format in OPEN_IN},
    **{f"collision {format}": ("--collision", "box", *FORMATS[format]) for format in OPEN_IN},
}
OPEN_WITH = {  # what differs besides what was decided
    # A part in a plane is merged into another one of its file: the warning names the materials, and no color.
    ("painted_arm", "mujoco"): {"color"}
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
def test_results_are_the_same_robots(robot, options, here):
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
    kinds = {one["kind"] for one in found["differences"]}
    assert kinds == OPEN_WITH.get((robot.parent.name, options), set()), [
        one["text"] for one in found["differences"]
    ]
    assert status == int(bool(kinds))


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
def test_collisions_that_were_asked_for_are_a_decision(kind, tmp_path, monkeypatch):
    """A second run changes nothing; what else changes in either file, or in a file of a mesh, is a difference."""
    of_crane(monkeypatch, tmp_path, "--collision", kind)
    status, found = compared()
    assert (status, found["differences"]) == (0, [])
    assert {one["kind"] for one in found["decided"]} == {"decided_collision"}
    assert ends_with(["robot_simplified.urdf", "-y", "-q", "-o", "twice.urdf"]) == 0
    assert Path("twice.urdf").read_bytes() == Path("robot_simplified.urdf").read_bytes()
    result, source = Path("robot_simplified.urdf"), Path("robot.urdf")
    wide, mesh = (
        b"<collision><geometry><sphere radius='9'/></geometry></collision></link>",
        Path("meshes/frame.stl"),
    )
    edits = [
        (result, b"</link>", wide),
        (source, b"</link>", wide),
        (source, b"meshes/base.stl", b"meshes/rod.stl"),
        (result, b"collision arm ", b"collision hook "),
        (mesh, b"vertex 0", b"vertex 9"),
    ]
    if kind != "hull":
        edits.append((result, b'<box size="0.25', b'<box size="0.35'))
    for path, old, new in edits:
        before = path.read_bytes()
        replace_in(path, old, new)
        assert compared()[0] == 1, (path, old)
        path.write_bytes(before)
    assert compared()[0] == 0


def test_another_piece_is_a_difference(tmp_path, monkeypatch):
    """Of a hull that a run wrote: the file counts, not its name alone."""
    of_crane(monkeypatch, tmp_path, "--collision", "hull")
    pieces = [
        path
        for path in tmp_path.rglob("*hull*.stl")
        if path.name.encode() in Path("robot_simplified.urdf").read_bytes()
    ]
    assert pieces
    for piece in pieces:
        data = piece.read_bytes()
        # A coordinate of the last corner.
        piece.write_bytes(data[:-14] + b"\0\0\0\x40" + data[-10:])
        assert compared()[0] == 1, piece
        piece.write_bytes(data)


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
