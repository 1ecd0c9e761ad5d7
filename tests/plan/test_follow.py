"""What follows a merge, a turned frame and a flipped joint, one file for each row of the table, and real robots.

The table "What follows a change" is that of the docstrings of what decides it.
"""

import random
import re

import follow_table
import golden
import naive
import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_beside import write_robot_with_all

from urdf_tools.base.errors import ProofFailed
from urdf_tools.facts.values import RULES
from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import simplify, simplify_bytes
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.verify.comparison import compare_at_zero
from urdf_tools.verify.equivalence import verify_robot


FOLLOW = golden.FIXTURES / "follow"
STAYS = "; left as it is"
NUMBERS = " holds numbers, and the frame of that link changes; left as it is: check it, or keep the frame with "
OF_KNEE = " of joint 'knee', whose sign changes: left as it is; turn its sign if it has one"
WORKS_IN_SHIN = (
    " works in the frame of 'shin', which changes, and has no offset that could follow; left as "
    "it is: "
    "check it, or keep the frame with --no-reorient"
)
REMOVED = " is removed with it: write it elsewhere, or keep link 'foot'"


def run(row, merge_all=False):
    """Simplify the file of a row."""
    return simplify(FOLLOW / row / "robot.urdf", base_frame="ros", merge_all=merge_all)


WARNINGS = {
    "capsule": [],
    "quaternion": [],
    "limits_1_2": [],
    "sensor": [],
    "frame": [],
    "drake_bushing": [],
    "loop_joint": [],
    "gazebo_fdir1": [],
    "gazebo_closing": [],
    "gazebo_contact": [],
    "gazebo_surface": [
        (
            32,
            "mu1 0.9 of 'foot' is lost: it is one link with 'shin' now, where mu1 0.2 of line 28 "
            "stays",
        ),
        (
            33,
            "mu2 0.8 of 'foot' is lost: it is one link with 'shin' now, where the default (1) "
            "stays",
        ),
    ],
    "gazebo_pose": [],
    "gazebo_joint": [
        (32, "<sensor name='torque'> measures in the frame of 'shin', which turns"),
        (34, "<gazebo reference='ankle'> belongs to a joint that is merged away: dropped with it"),
    ],
    "gazebo_plugin": [
        (39, "<forward> is a vector, and the frame of 'shin' turns" + STAYS),
        (40, "<cp> is a point, and the frame of 'shin' changes" + STAYS),
        (
            43,
            "<frame_id>foot</frame_id> names a link that is merged into 'shin'; --keep it if "
            "others look for that frame" + STAYS,
        ),
        (44, "<base_frame> names the frame 'shin', which turns"),
        (45, "<joints>: 'knee' names a joint whose sign changes" + STAYS),
        (45, "<joints>: 'ankle' names a joint that is merged away" + STAYS),
        (46, "<scoped>: 'foot' names a link that is merged into 'shin'" + STAYS),
        (49, "<joint_name>knee</joint_name> names a joint whose sign changes" + STAYS),
    ],
    "transmission": [
        (
            27,
            "<transmission name='knee_drive'> drives joint 'knee', whose sign changes: if the "
            "actuator is to keep "
            "its sense, write <mechanicalReduction>-50</mechanicalReduction>" + STAYS,
        ),
        (
            32,
            "<transmission name='ankle_drive'> drives joint 'ankle', which is merged away: "
            "dropped with it",
        ),
    ],
    "ros2_control": [
        (
            29,
            "<joint name='knee'> has parameters of its own (encoder_offset), and its sign "
            "changes; left as they are",
        ),
        (
            37,
            "<command_interface name='stiffness'> has parameters, and the sign of its joint "
            "changes; left as they "
            "are",
        ),
        (
            50,
            "<transmission name='drive'> drives joint 'knee', whose sign changes: if the actuator "
            "is to keep "
            "its sense, write <mechanical_reduction>-50</mechanical_reduction>" + STAYS,
        ),
    ],
    "mujoco": [
        (29, "<exclude body2='foot'> names a link that is merged into 'shin'" + STAYS),
        (30, "<motor joint='knee'> names a joint whose sign changes" + STAYS),
        (31, "<site body='shin'> comes with numbers, and the frame of 'shin' changes" + STAYS),
    ],
    "drake_filter": [
        (33, "<drake:member link='foot'> is now 'shin': the filter holds for all of that link")
    ],
    "constraint": [
        (28, "<joint name='knee'> names a joint whose sign changes" + STAYS),
    ],
    "link_frame": [
        (
            18,
            "lateral_friction 0.9 of 'foot' is lost: it is one link with 'shin' now, where "
            "lateral_friction 0.5 of line 11 stays",
        )
    ],
    "fdir1_expressed_in": [
        (38, "<fdir1> is given in the frame of 'shin', which changes" + STAYS),
    ],
    "drake_points": [
        (
            28,
            "<drake:ball_constraint_body_A name='shin'> is given in the frame of 'shin', which "
            "changes, and has no pose that could follow; left as it is: check it, or keep the "
            "frame with --no-reorient",
        ),
        (
            41,
            "<drake:bushing_frameA name='shin'> is given in the frame of 'shin', which changes, "
            "and has no pose that could follow; left as it is: check it, or keep the frame with "
            "--no-reorient",
        ),
        (
            45,
            "<drake:tendon_constraint_joint name='knee'> names a joint whose sign changes" + STAYS,
        ),
    ],
    "joint_of_a_plugin": [
        (
            29,
            "<initialPosition> belongs to the joint 'knee', whose sign changes; left as it is: "
            "turn its sign if it has one",
        ),
        (32, "<plugin joint='knee'> names a joint whose sign changes" + STAYS),
        (34, "<pid>: 'knee' with a value glued to it names a joint whose sign changes" + STAYS),
        (35, "<init>: 'knee' with a value glued to it names a joint whose sign changes" + STAYS),
    ],
    "same_name": [
        (31, "<joint joint='knee'> names a joint whose sign changes" + STAYS),
    ],
    "coupling": [
        (
            35,
            "<coupling name='belt'> couples joints, and a joint changes its sign or zero; left as "
            "it is: correct its ratio if that one is between its links",
        ),
        (36, "<predecessor link='foot'> names a link that is merged into 'shin'" + STAYS),
        (
            40,
            "<coupling name='along'> couples joints, and a joint changes its sign or zero; left "
            "as it is: correct its ratio if that one is between its links",
        ),
    ],
    "implied_frames": [
        (
            28,
            "<sensor name='scan'> has a plugin with no <frame_name>, so its messages are given in "
            "the frame of 'shin', which turns while the sensor does not: name a frame that looks "
            "as the sensor does",
        ),
        (32, "<inertial> of 'shin', whose frame changes, holds numbers" + STAYS),
        (
            39,
            "<plugin name='water'> has coefficients along the axes of 'shin', which turn; left as "
            "they are: write them for the new axes",
        ),
        (43, "<center_of_volume> is a point, and the frame of 'shin' changes" + STAYS),
        (
            45,
            "<plugin name='push'> works in the frame of 'shin', which changes, and has no offset "
            "that could follow; left as it is: check it, or keep the frame with --no-reorient",
        ),
    ],
    "gravity": [],
    "told_frames": [
        (28, "<pose> is given in the frame of 'foot', which changes" + STAYS),
        (28, "<pose relative_to='foot'> names a link that is merged into 'shin'" + STAYS),
        (30, "<pose> is given in the frame of 'shin', which changes" + STAYS),
        (33, "<frame name='tip'> is given in the frame of 'foot', which changes" + STAYS),
        (
            33,
            "<frame attached_to='foot'> names a link that is merged into 'shin'; --keep it if "
            "others look for that frame" + STAYS,
        ),
        (36, "<frame name='of_base'> is given in the frame of 'shin', which changes" + STAYS),
        (37, "<pose> is given in the frame of 'shin', which changes" + STAYS),
        (41, "<pose> is given in the frame of 'shin', which changes" + STAYS),
        (42, "<xyz> is given in the frame of 'shin', which changes" + STAYS),
        (44, "<frame name='elsewhere'> is given in the frame of 'shin', which changes" + STAYS),
    ],
    "surface_kept": [],
    "surface_of_nothing": [
        (
            34,
            "material Gazebo/Red of 'cover' is lost: it is one link with 'base_link' now, where "
            "the default (none) "
            "stays",
        )
    ],
    "comments_and_unknown": [
        (
            30,
            "<torque_of_bolts> of joint 'shelf_joint' is removed with it: write it elsewhere, or "
            "keep link 'shelf'",
        )
    ],
    "empty_block": [],
    "unknown": [
        (28, "<of link='foot'> names a link that is merged into 'shin'" + STAYS),
        (29, "<of>foot</of> names a link that is merged into 'shin'" + STAYS),
        (30, "<speed joint='knee'> names a joint whose sign changes" + STAYS),
        (31, "<spot link='shin'> comes with numbers, and the frame of 'shin' changes" + STAYS),
    ],
    "unknown_numbers": [
        (10, "<grip> in link 'shin'" + NUMBERS + "--no-reorient"),
        (16, "<tcp> in link 'foot'" + NUMBERS + "--keep foot"),
        (17, "<camera_mount> in link 'foot'" + NUMBERS + "--keep foot"),
        (25, "<limit> rest" + OF_KNEE),
        (26, "<dynamics> spring_reference" + OF_KNEE),
        (27, "<spring>" + OF_KNEE),
        (37, "<attach link='shin'> comes with numbers, and the frame of 'shin' changes" + STAYS),
        (40, "<on>shin</on> comes with numbers, and the frame of 'shin' changes" + STAYS),
        (41, "<tcp parent='shin'> comes with numbers, and the frame of 'shin' changes" + STAYS),
        (43, "<wind_area> of 'shin', whose frame changes, holds numbers" + STAYS),
    ],
    "real_hardware": [
        (
            29,
            "<joint name='knee'> has parameters of its own (offset), and its sign changes; left "
            "as they are",
        ),
        (
            29,
            "<joint name='knee'> 'leg_driver/LegHardware' counts joint 'knee' as before, and its "
            "sign changes: turn it in the driver",
        ),
        (35, "<param name='frame_id'> names the frame 'shin', which turns"),
        (
            41,
            "<transmission name='gear'> drives joint 'knee', whose sign changes: if the actuator "
            "is to keep its sense, write <mechanical_reduction>50</mechanical_reduction> and "
            "<offset>-0.2</offset>" + STAYS,
        ),
        (
            49,
            "<transmission name='knee_drive'> drives joint 'knee', whose sign changes: if the "
            "actuator is to keep its sense, write <mechanicalReduction>-50</mechanicalReduction> "
            "and <offset>-0.1</offset>" + STAYS,
        ),
        (
            54,
            "<transmission name='plain'> drives joint 'knee', whose sign changes: if the actuator "
            "is to keep its sense, write its reduction with the other sign" + STAYS,
        ),
        (
            56,
            "<plugin name='push'> works in the frame of 'shin', which changes, and has no offset "
            "that could follow; left as it is: check it, or keep the frame with --no-reorient",
        ),
        (
            57,
            "<plugin name='wind'> works in the frame of 'shin', which changes, and has no offset "
            "that could follow; left as it is: check it, or keep the frame with --no-reorient",
        ),
        (58, "<cp> is a point, and the frame of 'shin' changes" + STAYS),
        (
            59,
            "<plugin name='rotors'> works in the frame of 'shin', which changes, and has no "
            "offset that could follow; left as it is: check it, or keep the frame with "
            "--no-reorient",
        ),
    ],
    "attributes": [
        (11, "type='laser' of link 'foot'" + REMOVED),
        (11, "concave='yes' of link 'foot'" + REMOVED),
        (16, "<joint> id" + OF_KNEE),
        (23, "id='8' of joint 'ankle'" + REMOVED),
    ],
}


def test_every_row_is_here():
    assert set(WARNINGS) == {path.name for path in FOLLOW.iterdir()} and len(WARNINGS) >= 20


@pytest.mark.parametrize("row", WARNINGS)
def test_exact_warnings(row):
    notices = run(row, row in ("gazebo_surface", "link_frame")).plan.warnings
    assert [(notice.line, notice.text) for notice in notices] == WARNINGS[row]


@pytest.mark.parametrize("row", WARNINGS)
@pytest.mark.parametrize("merge_all", (False, True))
def test_places_are_the_same(row, merge_all):
    same_places(run(row, merge_all))


@pytest.mark.parametrize(
    ("row", "merge_all", "parts"),
    (
        (
            "gazebo_surface",
            False,
            ['<gazebo reference="foot">\n    <mu1>0.9</mu1>\n    <mu2>0.8</mu2>'],
        ),
        ("gazebo_surface", True, ['<mu1>0.2</mu1>\n    <kp value="1000"/>\n  </gazebo>\n</robot>']),
        ("gazebo_fdir1", False, ["<fdir1>1 0 0</fdir1>", '<link name="foot">']),
        ("gazebo_pose", False, ['degrees="true">0.1 0 0 ', "<direction>0 0 -1</direction>"]),
        (
            "gazebo_contact",
            True,
            ['<collision name="foot_collision">', "<collision>foot_collision</collision>"],
        ),
        ("gazebo_joint", False, ["<springReference>-0.25<", "<springStiffness>3<"]),
        (
            "gazebo_plugin",
            False,
            ["<bodyName>shin<", "<xyzOffset>0.1 -0.1 -0.3<", "<gripper_link>shin<"],
        ),
        (
            "ros2_control",
            False,
            [
                '"min">-1.1<',
                '"max">0.4<',
                '<param name="min">-15<',
                '"max">7<',
                '"initial_value">-0.3<',
                '"multiplier">-2<',
                '"offset">0.1<',
            ],
        ),
        ("sensor", False, ['quat_xyzw="0.5 -0.5 0.5 0.5"']),
        (
            "frame",
            False,
            [
                '<frame name="tip" link="shin" xyz=',
                '<frame name="shin_itself" link="shin" xyz="0 0 0" rpy=',
            ],
        ),
        ("drake_filter", False, ['<drake:member link="shin"/>\n    <drake:member link="shin"/>']),
        (
            "limits_1_2",
            False,
            ['lower="-1.2" upper="0.5"', 'acceleration="9" deceleration="8" jerk="7"'],
        ),
        ("capsule", False, ['<capsule radius="0.02" length="0.1"/>']),
        ("link_frame", False, ['<lateral_friction value="0.5"/>']),
        ("attributes", False, ['ixz="0.021"', 'izx="0.021"', "<?shoe size 42?>", "<?weld 3 mm?>"]),
    ),
)
def test_what_is_written(row, merge_all, parts):
    text = run(row, merge_all).text
    assert all(part in text for part in parts), text


def test_a_gravity_that_is_written_is_warned_of_when_up_changes():
    plan = simplify(FOLLOW / "gravity" / "robot.urdf", base_frame="x=forward,y=up,z=right").plan
    assert [(notice.line, notice.kind.name, notice.text) for notice in plan.warnings] == [
        (15, "axis-name", "'knee' turns about Z, and 'knee' in its name means Y"),
        (
            27,
            "gravity",
            "<option> has gravity 0 -9.81 0, and the base turns; left as it is: write it for the "
            "new "
            "base, in which Z is up",
        ),
    ]


def test_a_link_that_merges_in_its_place_changes_no_frame():
    mass = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    for place, kinds in (("0 0 0", []), ("0 0 1", ["unknown-pose"])):
        text = (
            f'<robot name="r"><link name="a">{mass}</link><link name="b">{mass}</link><joint name="j" type="fixed">'
            f'<origin xyz="{place}"/><parent link="a"/><child link="b"/></joint>'
            '<gazebo reference="b"><lamp><pose>1 0 0 0 0 0</pose></lamp></gazebo></robot>'
        )
        plan = simplify_bytes(text.encode("utf-8"), "r.urdf", Options(base_frame="ros")).plan
        assert [notice.kind.name for notice in plan.warnings] == kinds and plan.is_removed("b")


def test_every_warning_has_a_kind():
    assert all(
        re.fullmatch("[a-z]+(-[a-z]+)*", notice.kind.name)
        for row in WARNINGS
        for notice in run(row, True).plan.updates.warnings
    )


def same_places(result):
    """Compare the places of everything beside the links, read and computed apart from the tool."""
    base = ([list(row) for row in result.plan.base.R_new_old], [0.0, 0.0, 0.0])
    before, after = naive.placed(result.source, base), naive.placed(result.data, naive.NOWHERE)
    for what, where in before.items():
        there = list(after.get(what, []))
        if not there and any(f"'{what[1]}'" in notice.text for notice in result.plan.warnings):
            continue
        for place in where:
            assert there, what
            best = min(
                there, key=lambda T: naive.apart(T[1], place[1]) + naive.turned_by(T[0], place[0])
            )
            assert (
                naive.apart(best[1], place[1]) < 1e-9 and naive.turned_by(best[0], place[0]) < 1e-9
            ), what
            there.remove(best)


def names_resolve(result):
    """Look for names of what is no more, in all the result but the names of materials and shapes."""
    before, after = (
        {*robot.links, *(joint.name for joint in robot.joints)}
        for robot in (result.before, result.after)
    )
    text = re.sub(r"<!--.*?-->", "", result.text, flags=re.S)
    text = re.sub(
        r"<(visual|collision|material|sensor|gpio|frame|ros2_control|transmission) name=",
        r"<\1 =",
        text,
    )
    messages = [notice.text for notice in result.plan.warnings]
    for name in before - after:
        escaped = re.escape(name.replace("&", "&amp;"))
        left = re.findall(rf"[\"'>]\s*{escaped}\s*[\"'<]", text)
        said = [message for message in messages if f"'{name}'" in message or f">{name}<" in message]
        assert len(left) <= len(said), (name, left, said)


@examples(fuzzed=50)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_laws_of_what_follows(seed, merge_all):
    text = write_robot_with_all(random.Random(seed))
    options = Options(base_frame=random.Random(seed).choice(("ros", "auto")), merge_all=merge_all)
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
    same_places(result)
    names_resolve(result)
    again = simplify_bytes(result.data, "robot.urdf", options)
    assert again.data == result.data


@pytest.mark.parametrize(
    ("row", "old", "new"),
    (
        ("gazebo_pose", "0.02 0 0 ", "0.03 0 0 "),
        ("sensor", 'xyz="0.01 0 0"', 'xyz="0.02 0 0"'),
        ("frame", 'name="tip" link="shin" xyz="', 'name="tip" link="shin" xyz="1'),
        ("loop_joint", 'link2 link="base_link"', 'link2 link="shin"'),
        ("gazebo_pose", '<light name="lamp"', '<light name="other"'),
    ),
)
def test_the_proof_sees_what_is_misplaced(row, old, new):
    result = run(row)
    assert old in result.text
    broken = parse_document(result.text.replace(old, new, 1).encode("utf-8"), "robot.urdf")
    verify_robot(compare_at_zero(result.before.document, result.plan, result.after.document))
    with pytest.raises(ProofFailed):
        verify_robot(compare_at_zero(result.before.document, result.plan, broken))


def test_the_proof_sees_a_name_that_is_no_more():
    result = run("gazebo_surface", True)
    text = result.text.replace('<gazebo reference="shin">', '<gazebo reference="ankle">', 1)
    broken = parse_document(text.encode("utf-8"), "robot.urdf")
    with pytest.raises(ProofFailed, match="'ankle'"):
        verify_robot(compare_at_zero(result.before.document, result.plan, broken))


@pytest.mark.parametrize(
    "inside",
    (
        '<gazebo reference="knee"><springReference/></gazebo>',
        '<gazebo reference="knee"><springReference>x</springReference></gazebo>',
        '<sensor name="s"><parent link="shin"/><origin xyz="a b c"/></sensor>',
        '<sensor name="s"/>',
        "<frame/>",
        '<gazebo reference="shin"><sensor name="s"><pose>1 2</pose></sensor><fdir1>x</fdir1></gazebo>',
        '<ros2_control name="r"><joint name="knee"><command_interface name="position"><param name="min">low</param>'
        '<param name="max"/></command_interface></joint></ros2_control>',
        '<sensor name="s"><parent link="shin"/><origin quat_xyzw="0 0 0 0"/></sensor>',
    ),
)
def test_nonsense_is_left_alone(inside):
    text = (
        (FOLLOW / "capsule" / "robot.urdf")
        .read_text(encoding="utf-8")
        .replace("</robot>", inside + "</robot>")
    )
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert result.plan.warnings or inside in result.text


ROBOTS = {
    "hexapod_gazebo": (
        10,
        [
            "<parameters> holds '$(find freenove_description)/config/ros2_controllers.yaml': left "
            "as "
            "it is"
        ],
    ),
    "reachy_mini": (3, []),
    "stickbot": (
        2,
        [
            "<sensor name='l_arm_ft_sensor'> measures in the frame of 'l_shoulder_3', which turns",
            "<sensor name='r_arm_ft_sensor'> measures in the frame of 'r_shoulder_3', which turns",
        ],
    ),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_real_robots(shared, name):
    plan = simplify(shared / "robots" / f"{name}.urdf").plan
    said = [
        notice.text
        for notice in plan.warnings
        if notice != plan.base.warning and notice.kind.name != "axis-name"
    ]
    assert (len(plan.updates.notes), said) == ROBOTS[name]


@pytest.mark.parametrize(
    ("name", "notes", "warnings", "sentence"),
    (
        (
            "talos_full_v2",
            10,
            5,
            "<frameName>rgbd_optical_frame</frameName> names a link that is merged into "
            "'rgbd_link'; "
            "--keep it if others look for that frame; left as it is",
        ),
        (
            "robotiq_loops",
            21,
            12,
            "<transmission name='finger_1_fourbar_0_joint_0_trans'> drives joint "
            "'finger_1_fourbar_0_joint_0', whose sign changes: if the actuator is to keep its "
            "sense, write <mechanicalReduction>-1</mechanicalReduction>; left as it is",
        ),
        (
            "go1",
            2,
            7,
            "material Gazebo/Green of 'base' holds for what was in link 'trunk' too, for which "
            "nothing was said "
            "(default none)",
        ),
    ),
)
def test_more_real_robots(shared, name, notes, warnings, sentence):
    plan = simplify(shared / "robots" / f"{name}.urdf").plan
    assert sentence in [notice.text for notice in plan.warnings]
    assert (len(plan.updates.notes), len(plan.warnings)) == (notes, warnings)


def with_block(block):
    """Return what is warned of when the robot of a row, whose knee turns and flips, has one more element."""
    text = (
        (FOLLOW / "capsule" / "robot.urdf")
        .read_text(encoding="utf-8")
        .replace("</robot>", block + "</robot>")
    )
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    return [notice.text for notice in result.plan.updates.warnings]


@pytest.mark.parametrize(
    ("owner", "link", "warned"),
    (
        (
            "base_link",
            "shin",
            ["<center_of_volume> is a point, and the frame of 'shin' changes" + STAYS],
        ),
        ("shin", "base_link", []),
    ),
)
def test_a_point_is_in_the_frame_of_the_link_around_it(owner, link, warned):
    assert (
        with_block(
            f'<gazebo reference="{owner}"><plugin name="p" filename="p.so"><link name="{link}">'
            "<center_of_volume>0 0 1</center_of_volume></link></plugin></gazebo>"
        )
        == warned
    )


@pytest.mark.parametrize(
    ("names", "left"),
    ((("offset",), "offset"), (("mimic", "offset", "gain"), "gain"), (("mimic", "multiplier"), "")),
)
def test_parameters_of_a_flipped_joint_are_warned_of_but_for_its_mimic(names, left):
    parameters = "".join(
        f'<param name="{name}">{"other" if name == "mimic" else 0.3}</param>' for name in names
    )
    warned = with_block(
        f'<ros2_control name="c"><joint name="knee">{parameters}</joint></ros2_control>'
    )
    assert [
        sentence.partition("(")[2].partition(")")[0]
        for sentence in warned
        if "parameters" in sentence
    ] == ([left] if left else [])


def test_the_table_is_that_of_the_code():
    page = follow_table.PAGE.read_text(encoding="utf-8")
    assert f"<!-- follows -->\n{follow_table.table()}<!-- /follows -->" in page, (
        "python3 tests/follow_table.py --write"
    )


def test_every_rule_has_a_row():
    assert [
        tag for tag, rule in RULES.items() if "\n| " not in (rule.__doc__ or "").replace("    ", "")
    ] == []
    assert {row.count(" |") for row in follow_table.table().split("\n")[2:-1]} == {4}


KNEE = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="knee" type="continuous"><parent link="a"/>'
    '<child link="b"/><axis xyz="0 -1 0"/></joint></robot>'
)


@pytest.mark.parametrize(
    ("note", "unread"),
    (
        ("urdf_simplify 0.3.0 variant: flip knee", []),
        ("urdf_simplify 0.3.0 joint map, q is in the original file: knee = -q", []),
        ("written with urdf_simplify, see the variant: flip", []),
        ("urdf_simplify VERSION variant: flip knee", ["urdf_simplify VERSION variant"]),
        ("urdf_simplify joint map: knee = -q", ["urdf_simplify joint map"]),
        ("urdf_simplify 0.3.0 joint map: knee = 2 q, hip = q - 1", ["knee = 2 q"]),
    ),
)
def test_a_note_that_is_not_read_is_warned_of(note, unread):
    found = simplify_bytes(f"<!-- {note} -->{KNEE}".encode(), "r.urdf", Options()).plan.warnings
    assert [notice.names[0] for notice in found if notice.kind.name == "unread-note"] == unread
