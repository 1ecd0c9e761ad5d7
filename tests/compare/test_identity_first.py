"""Where names and frames agree as they stand, equal positions are the map: one changed number is named as just that."""

import json
import random
import re
from functools import lru_cache

import pytest
from conftest import examples, FUZZ, ROOT, SEEDS, some_of
from hypothesis import example, given, strategies as st
from random_robots import Traits, write_robot
from remade import motion, times

from urdf_tools.app.command_table import main
from urdf_tools.base.errors import BrokenRobot
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.comparison_text import as_json, map_lines, report
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.urdf.spatial_math import IDENTITY_POSE

PLAIN = Traits(links=8, duplicates=0.0, hostile=0.0)
NO_MESHES = frozenset(ASPECTS) - {"meshes"}  # they are not there
OWN = sorted(
    path
    for path in (ROOT / "fixtures").rglob("*.urdf")
    if "refused" not in str(path) and "lint" not in str(path)
)

BODY = '<mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/>'
WRIST = """<robot name="r">
  <link name="base"><inertial>{body}</inertial></link>
  <link name="wrist"><inertial><origin xyz="{com}"/>{body}</inertial>{visual}</link>
  <joint name="roll" type="revolute"><origin xyz="0 0 .3" rpy="0 0 {zero}"/><parent link="base"/><child link="wrist"/>
    <axis xyz="0 0 {axis}"/><limit lower="{low}" upper="{high}" effort="10" velocity="1"/></joint>
{tail}</robot>
"""
CYLINDER = '<visual><geometry><cylinder radius=".03" length=".1"/></geometry></visual>'
TOOL = """  <link name="tool0"/><joint name="t" type="fixed"><origin xyz=".1 0 .1"/><parent link="wrist"/>
  <child link="tool0"/></joint>"""
KINDS_OF_WRISTS = {
    "symmetric": {},
    "cylinder": {"visual": CYLINDER},
    "frame": {"tail": TOOL},
    "center": {"com": ".1 0 0"},
    "cylinder and frame": {"visual": CYLINDER, "tail": TOOL},
}


def wrist(low, high, zero=0.0, axis=-1, com="0 0 .05", visual="", tail=""):
    """Return a link like a wheel on a joint with limits."""
    words = {"low": low, "high": high, "zero": zero, "axis": axis, "com": com}
    return WRIST.format(body=BODY, visual=visual, tail=tail, **words)


def is_identity(comparison):
    """Return True if equal positions and one base are the map."""
    pairs = comparison.map.pairs
    return comparison.map.base == IDENTITY_POSE and all(
        pair.choice.sign == 1.0 and abs(pair.offset) <= 1e-6 for pair in pairs
    )


def turned_round(joint):
    return joint._replace(lower=-joint.upper, upper=-joint.lower)


def moved_by(size):
    return lambda joint: joint._replace(lower=joint.lower + size, upper=joint.upper + size)


def with_value(name, size):
    return lambda joint: joint._replace(
        values={**joint.values, name: tuple(part + size for part in joint.values[name])}
    )


def with_mimic(factor, offset):
    return lambda joint: joint._replace(
        mimic=joint.mimic._replace(
            multiplier=joint.mimic.multiplier * factor, offset=joint.mimic.offset + offset
        )
    )


def has_limits(joint):
    return joint.type in ("revolute", "prismatic") and None not in (joint.lower, joint.upper)


# The kind that must be named, what is edited, and of which joints.
EDITS = {
    "turned round": (
        "limits",
        turned_round,
        lambda joint: has_limits(joint) and abs(joint.lower + joint.upper) > 1e-3,
    ),
    "moved": ("limits", moved_by(0.7), has_limits),
    "moved a little": ("limits", moved_by(1e-3), has_limits),
    "moved by a turn": ("limits", moved_by(6.283185307179586), has_limits),
    "widened": (
        "limits",
        lambda joint: joint._replace(lower=joint.lower - 0.2, upper=joint.upper + 0.1),
        has_limits,
    ),
    "effort": (
        "effort",
        lambda joint: joint._replace(effort=1.5 * joint.effort + 1.0),
        lambda joint: joint.moves and joint.effort is not None,
    ),
    "velocity": (
        "velocity",
        lambda joint: joint._replace(velocity=1.5 * joint.velocity + 1.0),
        lambda joint: joint.moves and joint.velocity is not None,
    ),
    "damping": (
        "dynamics",
        with_value("damping", 0.25),
        lambda joint: joint.moves and joint.values.get("damping"),
    ),
    "mimic factor": ("mimic", with_mimic(1.5, 0.0), lambda joint: joint.moves and joint.mimic),
    "mimic offset": ("mimic", with_mimic(1.0, 0.1), lambda joint: joint.moves and joint.mimic),
}


def edited(robot, word, r):
    """Return a robot with one number of one joint changed, and the names that may be told; None if no joint has it."""
    _, change, fits = EDITS[word]
    names = [joint.name for joint in robot.joints]
    moving = {joint.raw.name for joint in canonical(robot).joints}
    fitting = [
        joint
        for joint in robot.joints
        if joint.name in moving
        and names.count(joint.name) == 1
        and fits(joint)
        and (joint.mimic is None or joint.mimic.leader in moving)
    ]
    if not fitting:
        return None
    chosen = r.choice(fitting)
    others = robot.with_each(joints=lambda joint: change(joint) if joint is chosen else joint)
    return others, chosen.name


def assert_named(robot, word, r):
    """Check that one changed number is named alone, and return False if the robot has no such number."""
    found = edited(robot, word, r)
    if found is None:
        return False
    other, name = found
    comparison = compare(robot, other, aspects=NO_MESHES)
    kinds = {difference.kind for difference in comparison.differences}
    assert kinds == {EDITS[word][0]} and comparison.exit_code == 1, (word, name, kinds)
    told = [difference.where for difference in comparison.differences]
    # Whoever follows a follower follows its rule as well.
    assert name in told if word.startswith("mimic") else told == [name]
    assert is_identity(comparison), (word, name)
    assert all("inferred" not in text for _, text in map_lines(comparison.map, full=True))
    return True


@lru_cache(maxsize=None)
def robot_of(path):
    return read_urdf(path.read_bytes(), str(path))


@examples(24, fuzzed=400)
@example(0, "turned round")
@given(SEEDS, st.sampled_from(sorted(EDITS)))
def test_one_changed_number_is_named_alone(seed, word):
    r = random.Random(seed)
    assert_named(read_urdf(write_robot(r, PLAIN).encode()), word, r)


@pytest.mark.parametrize("word", EDITS)
def test_one_changed_number_of_a_fixture_is_named_alone(word):
    done = 0
    for path in random.Random(word).sample(OWN, len(OWN)):
        if FUZZ or done < 8:
            done += assert_named(robot_of(path), word, random.Random(path.parent.name))
    assert done


@pytest.mark.parametrize("word", EDITS)
def test_one_changed_number_of_a_public_robot_is_named_alone(word, shared):
    files = some_of(sorted((shared / "robots").glob("*.urdf")), 6)
    for path in files:
        assert_named(robot_of(path), word, random.Random(path.name))


@pytest.mark.parametrize("kind", KINDS_OF_WRISTS)
def test_limits_that_are_turned_round_are_named_in_text_json_and_page(kind, tmp_path, capsys):
    """A link that looks alike however it is turned: a zero that makes the limits meet is no explanation."""
    files = [tmp_path / "a.urdf", tmp_path / "b.urdf"]
    for path, limits in zip(files, ((-0.5, 1.5), (-1.5, 0.5))):
        path.write_text(wrist(*limits, **KINDS_OF_WRISTS[kind]))
    told, page = tmp_path / "d.json", tmp_path / "d.html"
    command = ["compare", *map(str, files), "--report", str(told), "--page", str(page)]
    assert main(command) == 1
    text = capsys.readouterr().out
    assert "limit roll: [-0.5, 1.5] / [-1.5, 0.5]" in text
    assert not any(word in text for word in ("  map", "  base", "  zero", "inferred"))
    record = json.loads(told.read_text())
    (joint,) = record["joints"]
    assert (joint["sign"], joint["offset"], joint["because"]) == (1, 0.0, [])
    assert [each["kind"] for each in record["differences"]] == ["limits"]
    shown = page.read_text()
    assert "[-1.5, 0.5]" in shown and "inferred" not in shown
    assert main(["compare", *map(str, files), "--match", "names"]) == 1


def test_a_zero_in_the_frames_is_found_and_the_report_says_why():
    """The frame of the joint is turned, and its limits are moved with it."""
    a, b = (read_urdf(text.encode()) for text in (wrist(-0.5, 1.5), wrist(-1.5, 0.5, zero=-1.0)))
    found = compare(a, b)
    (pair,) = found.map.pairs
    assert found.verdict == "same" and pair.offset == pytest.approx(-1.0)
    assert "why   roll: another zero in the frames" in report(found)
    assert as_json(found)["joints"][0]["because"] == ["frames"]


def test_another_sense_is_found_and_the_report_says_why():
    a, b = (
        read_urdf(text.encode())
        for text in (wrist(-0.5, 1.5, com=".1 0 0"), wrist(-1.5, 0.5, com=".1 0 0", axis=1))
    )
    found = compare(a, b)
    assert found.verdict == "same"
    assert "why   roll: another sense of the axis" in report(found)


def one_read(text):
    return read_urdf(text.encode())


@pytest.mark.parametrize("root", ("heavy", "a frame"))
def test_one_fact_is_a_difference_of_that_and_turns_nothing(root):
    """The center of mass of a ball: a turn of its joint, or of the base, would explain it."""
    a, b = (wrist(-1, 1, com=com) for com in (".1 0 0", "0 .1 0"))
    if root == "a frame":
        base = f'<link name="base"><inertial>{BODY}</inertial></link>'
        a, b = (text.replace(base, '<link name="base"/>') for text in (a, b))
    for change in ("revolute", "continuous"):
        found = compare(*(one_read(text.replace("revolute", change)) for text in (a, b)))
        assert [each.kind for each in found.differences] == ["center"]
        assert is_identity(found)


def test_what_hangs_on_a_frame_is_turned_where_two_facts_say_so():
    """Center and tensor agree on a quarter turn."""
    long = BODY.replace('iyy=".01"', 'iyy=".03"')
    across = BODY.replace('ixx=".01"', 'ixx=".03"')
    a = wrist(-1, 1, com=".1 0 0").replace(BODY, long)
    b = wrist(-1, 1, com="0 .1 0").replace(BODY, long, 1).replace(BODY, across)
    (pair,) = compare(one_read(a), one_read(b)).map.pairs
    assert abs(pair.offset) == pytest.approx(1.5707963267948966)
    assert pair.reasons == ("carried",)


@examples(8, fuzzed=100)
@given(
    SEEDS, st.sampled_from(sorted(word for word in EDITS if word.startswith(("turned", "moved"))))
)
def test_a_zero_that_moved_opens_no_search_of_other_joints(seed, word):
    """One joint has another zero in its frames; the limits of another one are named as they stand."""
    r = random.Random(seed)
    robot = read_urdf(write_robot(r, PLAIN).encode())
    found = edited(robot, word, r)
    if found is None:
        return
    other, name = found
    hinges = [joint for joint in other.joints if joint.type == "revolute" and joint.name != name]
    names = [joint.name for joint in robot.joints]
    hinges = [joint for joint in hinges if names.count(joint.name) == 1 and has_limits(joint)]
    if not hinges:
        return
    turned = r.choice(hinges)

    def moved(joint):
        if joint is not turned:
            return joint
        frame = times(joint.T_parent_child, motion(joint, -0.5))
        return moved_by(0.5)(joint)._replace(T_parent_child=frame)

    comparison = compare(robot, other.with_each(joints=moved), aspects=NO_MESHES - {"mimic"})
    pairs = {pair.a.raw.name: pair for pair in comparison.map.pairs}
    others = [pair for key, pair in pairs.items() if key != turned.name]
    assert all(pair.offset == 0.0 and pair.choice.sign == 1.0 for pair in others)
    told = {
        difference.where for difference in comparison.differences if difference.kind == "limits"
    }
    assert name in told


CONTENT = re.compile(r'\b(xyz|rpy|value|ixx|ixy|ixz|iyy|iyz|izz|size|radius|length)="([^"]+)"')
OF_LINKS = re.compile(r"<link\b[^>]*[^/>]>.*?</link>", re.S)


@examples(24, fuzzed=1000)
# A robot of one body without joints: the base is no explanation either.
@example(112)
@given(SEEDS)
def test_one_changed_number_of_what_hangs_on_links_turns_nothing(seed):
    """Of a mass, a center, a tensor, or of a shape: the map stays, and so does the base."""
    r = random.Random(seed)
    text = write_robot(r, Traits(links=r.choice((2, 3, 6)), duplicates=0.0, hostile=0.0))
    places = [
        match for link in OF_LINKS.finditer(text) for match in CONTENT.finditer(text, *link.span())
    ]
    if not places:
        return
    match = r.choice(places)
    words = match[2].split()
    number = r.randrange(len(words))
    value = float(words[number])
    words[number] = repr(r.choice((-value or 0.5, value + 0.3, value + 1e-3, 1.5 * value or 1.0)))
    other = text[: match.start(2)] + " ".join(words) + text[match.end(2) :]
    try:
        robots = one_read(text), one_read(other)
    except BrokenRobot:  # a negative size
        return
    first = canonical(robots[0])
    if not first.joints and len(first.bodies[0].parts) < 2:  # its frame is any author's
        return
    assert is_identity(compare(*robots, aspects=NO_MESHES))


def test_another_axis_is_named_and_turns_no_base():
    """Of the only joint on a root that is a frame: a base that is turned would explain it but for the base."""
    base = f'<link name="base"><inertial>{BODY}</inertial></link>'
    a = wrist(-1, 1, axis="1").replace(base, '<link name="base"/>')
    b = a.replace('axis xyz="0 0 1"', 'axis xyz="0 1 1"')
    found = compare(one_read(a), one_read(b))
    assert found.verdict == "geometry" and is_identity(found)


def test_the_frame_of_a_single_link_is_any_author_s():
    """It is no evidence of a base, and neither are links whose frames are turned against each other."""
    one = f'<robot name="r"><link name="a"><inertial><origin xyz="{{}}"/>{BODY}</inertial></link></robot>'
    found = compare(*(one_read(one.format(center)) for center in (".1 0 0", "0 .1 .2")))
    assert found.verdict == "same"
    held = wrist(-1, 1, com=".1 0 0").replace("revolute", "fixed")
    moved = wrist(-1, 1, com="0 .1 0").replace("revolute", "fixed")
    found = compare(*(one_read(text) for text in (held, moved)))
    assert [each.kind for each in found.differences] == ["center"] and is_identity(found)
