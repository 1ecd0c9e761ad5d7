"""Any sequence of acts on any robot is proven, or refused with a sentence; acts and their inverses."""

import random
import re
from pathlib import Path

import pytest
from commands import in_process
from conftest import examples, SEEDS
from hypothesis import example, given
from edited_robots import (
    any_text,
    ARM,
    carried_out,
    HAND,
    random_acts,
    random_text,
    SOLID,
    written,
)

from urdf_tools import edit
from urdf_tools.app.command_table import main
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.edit.move_frames import pose_in, write_pose_in
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.report.line_layout import TextStyle
from urdf_tools.report.plan_text import plan_text
from urdf_tools.report.run_json import record_text
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.spatial_math import matrix_from_rpy

FOLDER = Path(__file__).parents[2] / "fixtures"


@examples(fuzzed=600)
@given(SEEDS)
def test_any_sequence_is_proven_or_refused(seed):
    """The laws of the acts hold; the report can be written; a second run without acts changes nothing."""
    text, r = any_text(seed), random.Random(seed)
    acts = random_acts(text, r, str(FOLDER / "variants" / "two_arms" / "robot.urdf"))
    try:
        result = carried_out(text, acts)
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    assert (result.exported.edited is None) == (result.exported.changes == ())
    assert plan_text(result, TextStyle(False, False)) and record_text(result, "out.urdf")
    assert set(result.plan.members) == {link.name for link in read_bytes(result.data, "").links}


def with_shared_names(text, r):
    """Return a robot in which most joints have the names of the links that they carry."""
    for joint in read_bytes(text.encode(), "").joints:
        name = f"([\"'>]){re.escape(joint.name)}(?=[\"'<])"
        text = re.sub(name, rf"\1{joint.child}", text) if r.random() < 0.7 else text
    return text


@examples(fuzzed=600)
@given(SEEDS)
@example(5)
def test_links_and_joints_may_share_names(seed):
    """A name that both have means the link, but where a tag says joint: so it is read, and so an act follows it."""
    r = random.Random(seed)
    text = with_shared_names(any_text(seed), r)
    acts = random_acts(text, r, str(FOLDER / "variants" / "two_arms" / "robot.urdf"))
    try:
        result = carried_out(text, acts)
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    assert plan_text(result, TextStyle(False, False))


def without_notes(text):
    return re.sub(r"<!-- urdf_simplify .*?-->\s*", "", text, flags=re.S)


@examples(fuzzed=200)
@given(SEEDS)
def test_names_come_back(seed):
    text = random_text(seed)
    there = carried_out(text, [("prefix", "new_")]).text
    # A link `world` alone keeps its name: there is nothing else that could have a prefix.
    assert 'name="new_' in there or "<joint" not in text
    if not re.search('<(?:link|joint) name="(?:closing_)?new_', there):
        return  # there is nothing that --rename renames
    back = carried_out(there, [("rename", "/^(closing_)?new_/=\\1")])
    others = r'(<(?:transmission|actuator|sensor|ros2_control|frame|\w*loop\w*)\b[^>]*name=")new_'
    controls = re.findall(others, back.text)
    plain = re.sub(others, r"\1", back.text)
    assert without_notes(plain) == without_notes(text), controls
    assert "joint map" not in back.text or "= -" in back.text or "q - " in back.text


@examples(fuzzed=200)
@given(SEEDS)
def test_there_and_back_is_the_same_robot(seed):
    text, r = random_text(seed), random.Random(seed)
    robot = read_bytes(text.encode(), "robot.urdf")
    root = next(
        link.name
        for link in robot.links
        if link.name not in {joint.child for joint in robot.joints}
    )
    try:
        result = carried_out(text, [("root", r.choice(robot.links).name), ("root", root)])
    except UrdfError as error:
        assert not isinstance(error, ProofFailed), error
        return
    assert not compare(robot, read_bytes(result.data, "robot.urdf"), tolerance=1e-9).differences


def test_what_was_attached_can_be_dropped(tmp_path):
    hand = written(tmp_path, "hand.urdf", HAND)
    arm, both = read_bytes(ARM.encode(), ""), [("attach", f"{hand} tool prefix=h_")]
    dropped = carried_out(ARM, [*both, ("drop", "h_base")], str(tmp_path / "arm.urdf"))
    assert not compare(arm, read_bytes(dropped.data, "")).differences
    alone = carried_out(
        ARM, [*both, ("only", "h_base"), ("rename", "h_*=*")], str(tmp_path / "arm.urdf")
    )
    assert not compare(read_bytes(HAND.encode(), ""), read_bytes(alone.data, "")).differences


def test_a_mirror_in_a_mirror_is_the_sub_tree_as_it_was():
    """Text for text, but for the origin of the first joint, which is computed."""
    text = ARM.replace('"tool"', '"left_tool"')
    twin = carried_out(
        text, [("mirror", "left_arm left=right"), ("mirror", "right_arm right=again")]
    ).text

    def parts(side):
        found = re.findall(
            rf'<link name="{side}_[^"]*"/>|<link name="{side}_.*?</link>|'
            rf'<joint name="{side}_(?!shoulder).*?</joint>',
            twin,
            re.S,
        )
        return [
            re.sub(r"\s+", " ", part.replace(side, "x").replace(' scale="1 1 1"', ""))
            for part in found
        ]

    assert parts("again") == parts("left") != []


@pytest.mark.parametrize(
    "act", (("mirror", "left_arm left=right"), ("root", "left_hand"), ("attach", ""))
)
def test_a_law_finds_a_wrong_number(act, tmp_path, monkeypatch):
    """A mutant for each: one number of the text that the act wrote is a little off, and nothing is written."""
    from urdf_tools.urdf.lossless_xml import Document

    if act[0] == "attach":
        act = ("attach", f"{written(tmp_path, 'hand.urdf', HAND)} left_tool prefix=h_")
    text, original, calls = ARM.replace('"tool"', '"left_tool"'), Document.to_bytes, []

    def wrong(document):
        data = original(document)
        changed = data.replace(b'ixx="0.01"', b'ixx="0.010001"', 1)
        calls.append(data != changed)
        return changed if b"variant" in data else data

    monkeypatch.setattr(Document, "to_bytes", wrong)
    with pytest.raises(ProofFailed, match="another robot"):
        carried_out(text, [act], str(tmp_path / "arm.urdf"))
    assert any(calls)


def in_runs(text, acts):
    """Return a robot after acts, each by a command of its own."""
    for act in acts:
        text = carried_out(text, [act]).text
    return text


def one_run(text):
    """Return a text whose notes say what several runs did as one run says it, but of what is lost of its own input."""
    lost = re.compile(r"<!-- urdf_simplify \S+ decisions.*?-->", re.S)
    return re.sub(r"(?<=[:,]) then ", " ", " ".join(lost.sub("", text).split()))


def outcome(function):
    """Return a text as one run writes it, or the word refused."""
    try:
        return one_run(function())
    except ProofFailed:
        raise
    except UrdfError as error:
        return f"refused: {error}"


@examples(fuzzed=2000)
@given(SEEDS)
def test_one_command_is_its_acts_one_by_one(seed):
    """From left to right, each once, also those that are there twice; what a chain of runs refuses, a command does."""
    text, r = any_text(seed), random.Random(seed)
    acts = random_acts(text, r, str(FOLDER / "variants" / "two_arms" / "robot.urdf"), most=4)
    acts.insert(r.randint(0, len(acts)), r.choice(acts))
    together, apart = (
        outcome(lambda: carried_out(text, acts).text),
        outcome(lambda: in_runs(text, acts)),
    )
    if together.startswith("refused"):
        assert apart.startswith("refused"), (acts, together)
    else:
        assert together == apart, acts


LINE = (
    '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>\n'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-2" upper="2" effort="1" '
    'velocity="1"/></joint>\n'
    '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint></robot>'
)


@pytest.mark.parametrize(
    "words, links, mapped",
    (
        ("--only b --root c --only b", ["b"], None),
        ("--zero j=-0.5 --zero j=0.2", ["a", "b", "c"], "j = q - -0.3"),
        ("--zero j=-0.5 --set j.effort=2 --zero j=0.2", ["a", "b", "c"], "j = q - -0.3"),
        ("--drop b --drop b", ["a"], None),
    ),
)
def test_an_act_that_is_there_twice_is_done_twice(words, links, mapped, tmp_path):
    source, output = written(tmp_path, "r.urdf", LINE), tmp_path / "o.urdf"
    done = in_process(["edit", source, *words.split(), "-o", str(output), "-y"], b"", main)
    assert done.returncode == 0, done.stderr
    text = output.read_text()
    assert [link.name for link in read_bytes(text.encode(), "").links] == links
    assert (mapped or "-->") in text and (mapped is None) == ("joint map" not in text)


@pytest.mark.parametrize(
    "acts, message",
    (
        (
            {"flip": ["j", "*"]},
            "--flip *: 'j' was flipped already (edit 2 of this command, after edit 1, --flip j)",
        ),
        (
            {"zero": ["j=0.1"], "set": "j.effort=*2", "lock": ["j", "j=0.2"]},
            "--lock j=0.2: joint 'j' is fixed already (edit 4 of this command, after edit 3, --lock j=0)",
        ),
        (
            {"prefix": "p_", "drop": "a"},
            "(edit 2 of this command)",
        ),
    ),
)
def test_what_cannot_be_done_twice_names_both_places(acts, message, tmp_path):
    """On the command line as in Python; nothing is written."""
    source, output = written(tmp_path, "r.urdf", LINE), tmp_path / "o.urdf"
    words = [
        word
        for name, several in acts.items()
        for value in ([several] if isinstance(several, str) else several)
        for word in (f"--{name}", value)
    ]
    done = in_process(["edit", source, *words, "-o", str(output), "-y"], b"", main)
    assert done.returncode == 2 and done.stderr.decode().strip().endswith(message)
    with pytest.raises(UrdfError, match=re.escape(message)):
        edit(source, output, **acts)
    assert not output.exists()


SHARED = (
    '<robot name="r"><link name="base"/><link name="arm"/><joint name="arm" type="revolute"><origin xyz="0 0 1"/>'
    '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    '</joint><gazebo reference="arm"><sensor name="imu" type="imu"><pose>0.1 0 0 0 0 0</pose></sensor>{}</gazebo></robot>'
)
SPRING = "<springStiffness>2</springStiffness>"
OTHER = SHARED.replace('<joint name="arm"', '<joint name="turn"')


@pytest.mark.parametrize(
    "text, act, refused",
    (
        (SHARED.format(""), ("root", "arm"), False),
        (SHARED.format(SPRING), ("root", "arm"), False),
        (SHARED.format(SPRING), ("prefix", "a_"), False),
        (SHARED.format(SPRING), ("rename", "arm=leg"), False),
        (SHARED.format(""), ("rename", "joint:arm=turn"), False),
        (SHARED.format(SPRING), ("rename", "joint:arm=turn"), True),
        (SHARED.format(SPRING), ("rename", "link:arm=leg"), True),
        (OTHER.format(""), ("rename", "turn=arm"), False),
        (
            OTHER.format("").replace('reference="arm"', 'reference="turn"'),
            ("rename", "turn=arm"),
            True,
        ),
    ),
)
def test_a_block_of_a_shared_name_stays_that_of_its_parts(text, act, refused):
    if refused:
        with pytest.raises(UrdfError, match="would apply to another part"):
            carried_out(text, [act])
        return
    before, after = (
        read_bytes(data, "") for data in (text.encode(), carried_out(text, [act]).data)
    )
    (old, new), values = (robot.sensors[0] for robot in (before, after)), before.joints[0].values
    assert old.joint == new.joint == "" and len(after.sensors) == 1
    assert after.joints[0].values == values and ("stiffness" in values) == (SPRING in text)


FRAMED = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
    'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
    '<origin rpy="0.1 0.2 0.3"/></joint>{}</robot>'
)


@pytest.mark.parametrize(
    "text", ('<frame name="f" link="b"{}/>', '<frame name="f" link="b"><origin{}/></frame>')
)
def test_a_frame_is_read_as_it_is_written(text):
    """Its pose is its own, or that of its `<origin>`: the proof of what follows reads both."""
    pose = ' xyz="1 2 3" rpy="0.3 0 0"'
    before, after = (
        read_bytes(data, "")
        for data in (
            FRAMED.format(text.format(pose)).encode(),
            carried_out(FRAMED.format(text.format(pose)), [("only", "b")]).data,
        )
    )
    assert before.frames[0].T_link_frame.translation == (1.0, 2.0, 3.0)
    assert after.frames[0].T_link_frame != before.frames[0].T_link_frame


@pytest.mark.parametrize("frame", ("base", "leg"))
@pytest.mark.parametrize("unit", ("", ' degrees="true"'))
def test_a_twin_has_the_sensor_that_is_placed_elsewhere(frame, unit):
    """In the frame of a link that has no twin: it stays as it is written, and a warning says so."""
    joint = '<joint name="{0}j" type="continuous"><parent link="base"/><child link="{0}"/><origin rpy="{1}"/></joint>'
    text = (
        f'<robot name="r"><link name="base"/><link name="arm">{SOLID}</link><link name="leg">{SOLID}</link>'
        f'{joint.format("arm", "0 0 0")}{joint.format("leg", "0.1 0.2 0.3")}<gazebo reference="arm"><sensor '
        f'name="imu" type="imu"><pose relative_to="{frame}"{unit}>0.1 0.2 0 1 0.3 0.4</pose></sensor></gazebo></robot>'
    )
    result = carried_out(text, [("mirror", "arm /^/=twin_")])
    assert 'sensor name="twin_imu"' in result.text
    assert "elsewhere" in {warning.sentence for warning in result.plan.warnings}


def test_an_act_that_does_nothing_is_in_no_note(tmp_path):
    """`like` of a robot that counts so already, in one command as in one of its own."""
    other = written(tmp_path, "other.urdf", LINE)
    acts = [("like", other), ("flip", "j"), ("like", written(tmp_path, "flipped.urdf", LINE))]
    assert carried_out(LINE, acts[:2]).text == in_runs(LINE, acts[:2])
    assert "variant: flip j " in carried_out(LINE, acts[:2]).text
    assert one_run(carried_out(LINE, acts).text) == one_run(in_runs(LINE, acts))


def test_a_pose_keeps_the_unit_of_its_angles():
    texts = ('<pose degrees="true">1 2 3 10 20 30</pose>', "<pose>1 2 3 0.1 0.2 0.3</pose>")
    for pose in (parse_document(text.encode(), "").root for text in texts):
        before, T = pose.text(), pose_in(pose)
        pose.set_text("")
        write_pose_in(pose, T)
        assert list(map(float, pose.text().split())) == pytest.approx(
            list(map(float, before.split()))
        )
    assert T.rotation == matrix_from_rpy((0.1, 0.2, 0.3))
    assert (
        pose_in(parse_document(b'<pose rotation_format="quat_xyzw">1 2 3 0 0 1</pose>', "").root)
        is None
    )
