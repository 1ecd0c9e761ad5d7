"""`like`: after it, both descriptions count alike: signs, zeros, names, base, frames and order; the rest is listed."""

import random
from pathlib import Path

import pytest
from conftest import examples, SEEDS
from hypothesis import assume, given
from remade import arm, How, remake
from edited_robots import ARM, carried_out, random_text, SOLID, written

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.compare.verify_edit import EditLaw, verify_law
from urdf_tools.edit.robot_draft import RobotDraft
from urdf_tools.edit.move_frames import old_to_new_poses, place_frames
from urdf_tools.robot.canonical_robot import canonical, link_places
from urdf_tools.urdf.spatial_math import (
    compose,
    IDENTITY_POSE,
    matrix_from_rpy,
    norm,
    Transform,
    subtract,
)

SHARED = Path(__file__).parents[3] / "shared" / "robots"
NAMES = ("so101_old_calib.urdf", "so101_new_calib.urdf")


def counts(comparison):
    """Return how far joints count otherwise, by name: 2 for another sign, else the offset."""
    robots = comparison.map
    return {
        pair.a.raw.name: 2.0 if pair.choice.sign < 0 else abs(pair.offset) for pair in robots.pairs
    }


@pytest.mark.parametrize("first, second", (NAMES, NAMES[::-1]))
def test_two_calibrations_of_a_real_arm_count_alike(first, second):
    if not SHARED.exists():
        pytest.skip("the real robots are not here")
    source = (SHARED / first).read_text("utf-8")
    result = carried_out(source, [("like", str(SHARED / second))], str(SHARED / first))
    other = read_robot_of(str(SHARED / second))
    both = compare(read_bytes(result.data, str(SHARED / first)), other)
    assert max(counts(both).values()) < 1e-9 and len(both.map.pairs) == 6
    assert both.verdict == "limits"
    named = [joint.name for joint in other.joints if joint.name in result.after.named]
    assert (
        named == [joint.name for joint in result.after.joints if joint.name in named]
        and len(named) >= 6
    )
    assert len({link.name for link in other.links} & set(result.after.links)) >= 7


TURNED = (
    ARM.replace(
        '<axis xyz="0.6 0 0.8"/><limit lower="-1" upper="2"',
        '<axis xyz="-0.6 0 -0.8"/><limit lower="-2" upper="1"',
    )
    .replace('multiplier="0.1"', 'multiplier="-0.1"')
    .replace("left_", "l_")
)


def test_signs_and_names(tmp_path):
    other = written(tmp_path, "other.urdf", TURNED)
    result = carried_out(ARM, [("like", other)], str(tmp_path / "arm.urdf"))
    assert not compare(read_bytes(result.data, ""), read_bytes(TURNED.encode(), "")).differences
    assert list(result.after.named) == ["l_shoulder", "l_slide", "l_tool"]
    assert "l_shoulder = -left_shoulder" in result.text
    assert carried_out(
        result.text, [("like", other)], str(tmp_path / "arm.urdf")
    ).exported.changes == (f"like {other}: it is already",)


def test_zeros_outside_the_limits_are_moved_with_a_warning(tmp_path):
    moved = ARM.replace('lower="-1" upper="2"', 'lower="-4" upper="-1"')
    there = carried_out(
        ARM.replace('lower="-1" upper="2"', 'lower="-9" upper="9"'),
        [("zero", ("left_shoulder", 1.5))],
    )
    other = written(tmp_path, "other.urdf", there.text)
    result = carried_out(moved, [("like", other)], str(tmp_path / "arm.urdf"))
    assert max(counts(compare(read_bytes(result.data, ""), read_robot_of(other))).values()) < 1e-9
    assert "outside" in {warning.sentence for warning in result.plan.warnings}


@examples(fuzzed=150)
@given(seed=SEEDS)
def test_a_robot_that_was_made_otherwise_counts_as_the_first(seed):
    """An arm that is remade at random, and made like the first again."""
    from urdf_tools.formats.urdf.urdf_model_conversion import write_urdf
    from urdf_tools.inputs.input_as_urdf import model_from_raw

    first = arm()
    other = remake(first, random.Random(seed), How())
    texts = [write_urdf(model_from_raw(robot).robot).text for robot in (first, other.robot)]
    path = Path(__file__).with_name("never_written.urdf")
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        target = written(Path(folder), "first.urdf", texts[0])
        result = carried_out(texts[1], [("like", target)], str(path))
    both = compare(read_bytes(result.data, ""), read_bytes(texts[0].encode(), ""))
    assert max(counts(both).values(), default=0.0) < 1e-8, counts(both)


def test_all_joints_of_one_name_count_alike(tmp_path):
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{body}</link>' for name in ("base", "shin", "cover"))
    joint = (
        '<joint name="knee" type="revolute"><parent link="base"/><child link="{}"/><origin xyz="{} 0 0"/>'
        '<axis xyz="0 {} 0"/><limit lower="{}" upper="{}" effort="1" velocity="1"/></joint>'
    )
    first, other = (
        f'<robot name="r">{links}{joint.format("shin", 0, *ends)}{joint.format("cover", 0, *ends)}</robot>'
        for ends in ((1, -1, 2), (-1, -2, 1))
    )
    result = carried_out(
        first, [("like", written(tmp_path, "other.urdf", other))], str(tmp_path / "first.urdf")
    )
    assert [joint.axis for joint in result.after.joints] == [(0.0, -1.0, 0.0)] * 2


@examples(fuzzed=300)
@given(seed=SEEDS)
def test_names_are_those_of_the_other_or_are_listed(seed, tmp_path_factory):
    """Also of links and joints that do not move; the other author wrote the same robot with other names."""
    text = random_text(seed)
    assume("<joint" in text)
    other = carried_out(text, [("rename", r"/^(closing_|)(?!world$)/=\1q_")])
    path = written(tmp_path_factory.mktemp("like"), "other.urdf", other.text)
    result = carried_out(text, [("like", path)])
    warnings = [warning for warning in result.plan.warnings if warning.kind.name == "like"]
    listed = [warning for warning in warnings if warning.sentence == "names"]
    left = [name for name in result.after.links if name not in other.after.links]
    assert bool(left) == bool(listed) and all(listed[0].numbers == (len(left),) for _ in listed)


PALM = (
    '<robot name="r"><link name="{base}">{solid}</link><link name="{hand}">{light}</link><link name="{tip}"/>'
    '<joint name="{wrist}" type="fixed"><parent link="{base}"/><child link="{hand}"/><origin xyz="0 .1 .5"/></joint>'
    '<joint name="{end}" type="fixed"><parent link="{hand}"/><child link="{tip}"/><origin xyz="0 0 .2"/></joint>'
    '<joint name="{turn}" type="continuous"><parent link="{base}"/><child link="{wheel}"/></joint>'
    '<link name="{wheel}">{solid}</link></robot>'
)
NAMED = ("base", "hand", "tip", "wrist", "end", "turn", "wheel")


def test_what_hangs_on_fixed_joints_gets_its_name(tmp_path):
    solids = {"solid": SOLID, "light": SOLID.replace('mass value="2"', 'mass value="1"')}
    text = PALM.format(**{name: name for name in NAMED}, **solids)
    other = PALM.format(**{name: f"new_{name}" for name in NAMED}, **solids)
    result = carried_out(text, [("like", written(tmp_path, "other.urdf", other))])
    assert result.text.partition("-->\n")[2].partition("-->\n")[2] == other
    (warning,) = [
        one
        for one in carried_out(
            text, [("like", written(tmp_path, "b.urdf", other.replace('value="1"', 'value="3"')))]
        ).plan.warnings
        if one.sentence == "names"
    ]
    assert (
        warning.text.startswith("1 link keeps its name, which no link of")
        and "hand" in warning.text
    )


@examples(8, fuzzed=100)
@given(seed=SEEDS)
def test_what_measures_in_a_joint_stays_where_it_is(seed):
    """Where frames move: that of a link without that of its parent, that of the parent alone, or both."""
    r = random.Random(seed)
    sensors = "".join(
        f'<gazebo reference="{name}"><sensor name="in_{name}" type="force_torque"><pose>'
        f"{' '.join(str(round(r.uniform(-1, 1), 3)) for _ in range(6))}</pose></sensor></gazebo>"
        for name in ("left_shoulder", "left_slide", "left_tool")
    )
    text = ARM.replace("</robot>", f"{sensors}</robot>")
    draft = RobotDraft(text.encode(), "arm.urdf")
    placements = {
        link: Transform(matrix_from_rpy((r.random(), r.random(), 1.0)), (r.random(), 0.2, 0.3))
        for link in r.choice((["left_hand"], ["tool"], ["left_hand", "tool"], ["base", "tool"]))
    }
    place_frames(draft, placements)
    before, after = (read_bytes(data, "") for data in (text.encode(), draft.document.to_bytes()))
    assert (
        verify_law(before, after, EditLaw(frames=old_to_new_poses(placements))) == ()
        and before != after
    )
    base = placements.get("base", IDENTITY_POSE)
    places = [canonical(robot) for robot in (before, after)]
    for old, new in zip(before.sensors, after.sensors):
        T, T_new = (
            compose(link_places(robot)[sensor.link], sensor.T_link_sensor)
            for robot, sensor in zip(places, (old, new))
        )
        assert old.name == new.name
        assert norm(subtract(compose(base, T).translation, T_new.translation)) < 1e-9


def test_of_joints_of_one_name_the_first_stays_the_first(tmp_path):
    joint = '<joint name="{}" type="revolute"><parent link="base"/><child link="{}"/><axis xyz="{}"/>{}</joint>'
    limit = '<limit lower="-1" upper="{}" effort="1" velocity="1"/>'
    joints = [
        joint.format("knee", "shin", "0 1 0", limit.format(1)),
        joint.format("arm", "hand", "0 0 1", limit.format(2)),
        joint.format("knee", "cover", "0 1 0", limit.format(1)),
    ]
    links = "".join(f'<link name="{name}">{SOLID}</link>' for name in ("base", "shin", "cover"))
    texts = [
        f'<robot name="r">{links}<link name="hand">{SOLID.replace("2", "3", 1)}</link>{"".join(each)}</robot>'
        for each in (joints, (joints[1], joints[0], joints[2]))
    ]
    result = carried_out(
        texts[0], [("like", written(tmp_path, "other.urdf", texts[1]))], str(tmp_path / "r.urdf")
    )
    assert [each.child for each in read_bytes(result.data, "").joints] == ["hand", "shin", "cover"]
