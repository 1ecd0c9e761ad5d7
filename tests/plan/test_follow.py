"""What follows a merge, a turned frame and a flipped joint, one file for each row of the table, and real robots.

The table "What follows a change" is that of the docstrings of what decides it.
"""

import random
import re

import page_tables
import golden
import naive
import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st
from random_beside import write_robot_with_all

from urdf_tools.base.errors import ProofFailed
from urdf_tools.facts.frame_dependent_values import RULES
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify, simplify_bytes
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.verify.shared_proof_state import compare_at_zero
from urdf_tools.verify.verify_equivalence import verify_robot


FOLLOW = golden.FIXTURES / "follow"
STAYS = "; left as it is"


def run(row, merge_all=False):
    """Simplify the file of a row."""
    return simplify(FOLLOW / row / "robot.urdf", base_frame="ros", merge_all=merge_all)


# What is warned of in each is in the golden file `plan.txt` beside it.
ROWS = sorted(path.name for path in FOLLOW.iterdir())


@pytest.mark.parametrize("row", ROWS)
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


NAMELESS = (
    "has numbers but names no link or joint, and the base turns or a joint changes its sign "
    "or zero; left as it is: correct the numbers that depend on them"
)


@pytest.mark.parametrize(
    "name, options, warnings",
    (
        (
            "gravity",
            {"base_frame": "x=forward,y=up,z=right"},
            [
                (15, "axis-name", "joint 'knee' turns about Z, and 'knee' in its name means Y"),
                (27, "unknown-pose", f"<option> {NAMELESS}"),
            ],
        ),
        # Without a name in it, a tag does not depend on the sign of a joint.
        ("gravity", {}, []),
        (
            "coupling",
            {},
            [
                (
                    36,
                    "merged-link",
                    "<predecessor link='foot'> names a link that is merged into 'shin'; left as it is",
                ),
                (38, "unknown-pose", f"<ratio> {NAMELESS}"),
                (43, "unknown-pose", f"<ratio> {NAMELESS}"),
            ],
        ),
        ("coupling", {"keep_signs": True, "keep": ("foot",)}, []),
    ),
)
def test_what_is_in_a_tag_that_is_not_understood_is_warned_of(name, options, warnings):
    plan = simplify(FOLLOW / name / "robot.urdf", **options).plan
    found = [
        (notice.line, notice.kind.name, notice.text) for notice in plan.warnings if notice.line
    ]
    assert sorted(found) == warnings


@pytest.mark.parametrize(
    ("inside", "is_named"),
    (
        ('<option gravity="0 0 -9.81"/>', True),
        ('<size njmax="500"/><option timestep="0.002"/>', False),
    ),
)
def test_only_what_may_be_a_direction_turns_with_the_base(inside, is_named):
    text = f'<robot name="r"><link name="a"/><mujoco>{inside}</mujoco></robot>'
    plan = simplify_bytes(
        text.encode(), "r.urdf", Options(base_frame="x=forward,y=up,z=right")
    ).plan
    assert any(notice.sentence == "nameless" for notice in plan.warnings) == is_named


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
        for row in ROWS
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
@given(SEEDS, st.booleans())
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
        .read_text("utf-8")
        .replace("</robot>", inside + "</robot>")
    )
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert result.plan.warnings or inside in result.text


@pytest.mark.parametrize(("low", "high"), (("{x}", "2"), ("-1", "{x}"), ("{x}", "{y}")))
def test_a_range_is_left_whole_beside_a_bound_that_is_no_number(low, high):
    block = (
        '<ros2_control name="r"><joint name="knee"><command_interface name="position">'
        f'<param name="min">{low}</param><param name="max">{high}</param>'
        "</command_interface></joint></ros2_control>"
    )
    text = (
        (FOLLOW / "capsule" / "robot.urdf")
        .read_text("utf-8")
        .replace("</robot>", block + "</robot>")
    )
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert result.plan.maps["knee"].sign == -1 and block in result.text
    unread = [bound for bound in (low, high) if "{" in bound]
    warned = [notice.names[-1] for notice in result.plan.updates.warnings]
    assert sorted(warned) == unread


def with_block(block):
    """Return what is warned of when the robot of a row, whose knee turns and flips, has one more element."""
    text = (
        (FOLLOW / "capsule" / "robot.urdf")
        .read_text("utf-8")
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
    mentioned = [sentence.partition("<param name='")[2].partition("'>")[0] for sentence in warned]
    assert [name for name in mentioned if name in names] == ([left] if left else [])


def test_every_rule_has_a_row():
    assert [
        tag for tag, rule in RULES.items() if "\n| " not in (rule.__doc__ or "").replace("    ", "")
    ] == []
    assert {row.count(" |") for row in page_tables.follows().splitlines()[2:]} == {4}


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


TURNING = """<robot name="r"><link name="base"/><link name="arm"/><joint name="{}" type="revolute"><parent link="base"/>
<child link="arm"/><axis xyz="{}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("name", "axis", "is_warned"),
    (
        ("left_elbow_yaw", "0 0 1", False),  # one of two words is the true axis
        ("left_elbow_yaw", "0 1 0", False),
        ("left_elbow_yaw", "1 0 0", True),
        ("elbow_roll", "1 0 0", False),
        ("elbow", "0 0 1", True),
        ("yaw", "1 0 0", True),
    ),
)
def test_an_axis_is_another_one_than_each_word_of_the_name_means(name, axis, is_warned):
    result = simplify_bytes(TURNING.format(name, axis).encode(), "r.urdf", Options())
    assert any(notice.kind.name == "axis-name" for notice in result.plan.warnings) == is_warned
