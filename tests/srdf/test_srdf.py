"""SRDF beside a URDF: states put the robot into the same poses, names resolve, and both files are written or none."""

import re

import engine
import golden
import pytest

from urdf_tools.base.errors import BrokenRobot, ProofFailed
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.srdf import follow_urdf as srdf
from urdf_tools.srdf.verify_srdf import srdf_companion

ARM = golden.FIXTURES / "srdf" / "arm"
URDF, SRDF = (ARM / "robot.urdf").read_bytes(), (ARM / "robot.srdf").read_bytes()
WITH_SRDF = ["--srdf", "robot.srdf"]


def follow(text, urdf=URDF, **choices):
    """Run in memory with the elements of an SRDF, on the arm."""
    source = f'<robot name="arm">\n{text}\n</robot>\n'.encode()
    return simplify_bytes(
        urdf,
        "robot.urdf",
        Options(**{"base_frame": "ros", **choices}),
        companions=[srdf_companion(source, "robot.srdf")],
    )


def inside(result):
    """Return the lines of the resulting SRDF between the tags of its root."""
    assert result.srdf is not None
    return [
        line.strip()
        for line in result.srdf.after.text().splitlines()
        if not re.match(r"</?robot|<!-- urdf_simplify", line)
    ]


def warnings_of(result):
    """Return what is warned of in the SRDF."""
    assert result.srdf is not None
    warnings = result.srdf.updates.warnings
    # Groups that a row does not define are another test's.
    return [notice.text for notice in warnings if notice.sentence != "group"]


# The golden files.


@pytest.mark.parametrize("folder", golden.with_srdf(), ids=lambda path: path.name)
def test_golden(tool, folder):
    for path, data in golden.beside_of(engine.main, tool.__version__, folder):
        golden.require_as_committed(path, data)


@pytest.mark.parametrize(
    "options", [[], ["--keep-all-frames"], ["--no-merge"], ["--no-reorient"]], ids=str
)
def test_a_second_run_leaves_both_alone(tool, options):
    done = golden.run(tool.main, URDF, [*WITH_SRDF, *options, "--yes"], SRDF)
    assert (done.status, done.errors) == (0, "") and done.data is not None
    new = done.contents["robot_simplified.srdf"]
    check = golden.run(tool.main, done.data, [*WITH_SRDF, *options, "--check"], new)
    assert (check.status, check.report) == (
        0,
        "robot.urdf is simplified already\nrobot.srdf fits already; 1 warning, see -n\n",
    )
    assert (
        golden.run(tool.main, done.data, [*WITH_SRDF, *options, "--yes", "--quiet"], new).contents[
            "robot_simplified.srdf"
        ]
        == new
    )


def test_nothing_to_follow_gives_the_bytes_back(tool):
    done = golden.run(
        tool.main, URDF, [*WITH_SRDF, "--no-merge", "--no-reorient", "--no-strip", "--yes"], SRDF
    )
    assert done.contents["robot_simplified.srdf"] == SRDF


# One row of the table at a time.


@pytest.mark.parametrize(
    "text, wanted",
    [
        (
            '<group name="g"><link name="tool0"/></group>',
            ['<group name="g"><link name="wrist"/></group>'],
        ),
        (
            '<group name="g"><link name="wrist"/><link name="palm"/></group>',
            ['<group name="g"><link name="wrist"/></group>'],
        ),
        (
            '<group name="g"><chain base_link="column" tip_link="palm"/></group>',
            ['<group name="g"><chain base_link="base" tip_link="wrist"/></group>'],
        ),
        (
            '<group name="g"><joint name="palm_joint"/><joint name="wrist_roll"/></group>',
            ['<group name="g"><joint name="wrist_roll"/></group>'],
        ),
        (
            '<group_state name="s" group="g"><joint name="shoulder_pitch" value=" 0.50 "/></group_state>',
            [
                '<group_state name="s" group="g"><joint name="shoulder_pitch" value="-0.50"/></group_state>'
            ],
        ),
        (
            '<group_state name="s" group="g"><joint name="shoulder_pitch" value="0.0"/></group_state>',
            [
                '<group_state name="s" group="g"><joint name="shoulder_pitch" value="0.0"/></group_state>'
            ],
        ),
        (
            '<end_effector name="e" parent_link="palm" group="g"/>',
            ['<end_effector name="e" parent_link="wrist" group="g"/>'],
        ),
        (
            '<passive_joint name="palm_joint"/>\n<passive_joint name="thumb_slide"/>',
            ['<passive_joint name="thumb_slide"/>'],
        ),
        (
            '<virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>',
            ['<virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>'],
        ),
        ('<disable_collisions link1="wrist" link2="palm" reason="A"/>', []),
        (
            '<!-- head -->\n<disable_collisions link1="wrist" link2="palm" reason="A"/>',
            ["<!-- head -->"],
        ),
        (
            '<disable_collisions link1="palm" link2="thumb"/>\n<disable_collisions link1="thumb" link2="wrist"/>',
            ['<disable_collisions link1="wrist" link2="thumb"/>'],
        ),
        (
            '<disable_default_collisions link="palm"/>\n<disable_default_collisions link="wrist"/>',
            ['<disable_default_collisions link="wrist"/>'],
        ),
        (
            '<enable_collisions link1="palm" link2="base"/>',
            ['<enable_collisions link1="wrist" link2="base"/>'],
        ),
        (
            '<link_sphere_approximation link="column"><sphere center="1 0 0" radius="1"/></link_sphere_approximation>',
            [
                '<link_sphere_approximation link="base"><sphere center="0.955336489126 0.2955202066613 0.2" radius="1"/>'
                "</link_sphere_approximation>"
            ],
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_rows(text, wanted):
    assert [line for line in inside(follow(text, merge_all=True)) if line] == wanted


@pytest.mark.parametrize(
    "text, wanted",
    [
        (
            '<disable_collisions link1="thumb" link2="palm"/>',
            [
                "collisions between 'thumb' and 'wrist' are not checked any more; the input still checked 'thumb' against "
                "'wrist'"
            ],
        ),
        (
            '<disable_collisions link1="thumb" link2="wrist"/>',  # the pair itself stays, and covers more
            [
                "collisions between 'thumb' and 'wrist' are not checked any more; the input still checked 'thumb' against "
                "'palm'"
            ],
        ),
        (
            '<disable_collisions link1="thumb" link2="palm"/><disable_collisions link1="wrist" link2="thumb"/>',
            [],
        ),
        (
            '<disable_collisions link1="base" link2="wrist"/>',
            [
                "collisions between 'base' and 'wrist' are not checked any more; the input still checked 'base' against 'palm' "
                "and 2 more"
            ],
        ),
        (
            '<disable_default_collisions link="thumb"/><enable_collisions link1="thumb" link2="palm"/>',
            [
                "collisions between 'thumb' and 'wrist' are checked now; the input left out 'thumb' against 'wrist'"
            ],
        ),
        (
            '<disable_default_collisions link="wrist"/><enable_collisions link1="tool0" link2="base"/>',  # tool0 has no shape
            [
                "collisions between 'base' and 'wrist' are checked now; the input left out 'base' against 'wrist'",
                "the SRDF disables the collisions of 'wrist' by default, and this includes the shapes of 'palm' now: "
                "they are not checked any more",
            ],
        ),
        (
            '<disable_default_collisions link="palm"/>',
            [
                "the SRDF disables the collisions of 'wrist' by default, and this includes the shapes of 'wrist' now: "
                "they are not checked any more"
            ],
        ),
        (
            '<link_sphere_approximation link="palm"><sphere center="0 0 0" radius="1"/></link_sphere_approximation>',
            [
                "<link_sphere_approximation link='wrist'> has no spheres for the shapes of 'wrist', which are in this link now"
            ],
        ),
        ('<group name="g"><link name="palm"/><joint name="wrist_roll"/></group>', []),
        (
            '<group name="g"><link name="palm"/></group>',
            ["group 'g' now moves joint 'wrist_roll' too, as 'wrist' takes the place of 'palm'"],
        ),
        (
            '<group name="g"><joint name="writs_roll"/><joint name="writs_roll"/></group>',
            ["<joint name='writs_roll'> names no joint of the robot (did you mean 'wrist_roll'?)"],
        ),
        (
            '<virtual_joint name="v" type="fixed" parent_frame="world" child_link="wrist"/>',
            ["<virtual_joint name='v'> attaches 'wrist' to the world, but the root is 'base'"],
        ),
        (
            '<virtual_joint name="v" type="floating" parent_frame="w" child_link="base"/><group_state name="s" group="g">'
            '<joint name="v" value="0 0 0 0 0 0 1"/></group_state>',
            [],
        ),
        (
            '<group_state name="s" group="g"><joint name="shoulder_pitch" value="0,5"/></group_state>',
            [
                "state 's': its value '0,5' is not a number, so it could not follow the new sign of joint 'shoulder_pitch'"
            ],
        ),
        (
            "<new><at>palm_joint</at></new>",
            ["<at>palm_joint</at> names a joint that is merged away; left as it is"],
        ),
    ],
)
def test_exact_warnings(text, wanted):
    assert warnings_of(follow(text)) == wanted


def test_the_root_that_turns_is_reported():
    text = '<virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>'
    result = follow(text, base_frame="onshape")
    assert warnings_of(result) == [
        "<virtual_joint name='v'> places the root 'base', whose frame turns: turn the poses "
        "of the robot that programs set"
    ]


@pytest.mark.parametrize(
    "element, said",
    [
        (
            '<end_effector name="e" parent_link="wrist" group="arms"/>',
            "<end_effector group='arms'>",
        ),
        (
            '<end_effector name="e" parent_link="wrist" group="arm" parent_group="arms"/>',
            "<end_effector parent_group='arms'>",
        ),
        ('<group_state name="s" group="arms"/>', "<group_state group='arms'>"),
        ('<group name="both"><group name="arms"/></group>', "<group name='arms'>"),
        ('<end_effector name="e" parent_link="wrist" group="arm"/>', ""),
    ],
)
def test_a_group_that_the_srdf_does_not_define(element, said):
    result = follow(f'<group name="arm"><link name="wrist"/></group>{element}')
    found = [one.text for one in result.srdf.updates.warnings if one.sentence == "group"]
    hint = " names no group of the SRDF (did you mean 'arm'?)"
    assert found == ([said + hint] if said else [])


def test_planar_positions_are_reported():
    urdf = (
        b'<robot name="r"><link name="a"/><link name="b"/><joint name="slide" type="planar"><parent link="a"/>'
        b'<child link="b"/><origin rpy="1 0 0"/><axis xyz="0 0 1"/></joint></robot>'
    )
    result = follow(
        '<group_state name="s" group="g"><joint name="slide" value="1 2 3"/></group_state>', urdf
    )
    assert warnings_of(result) == [
        "state 's': the position of joint 'slide' is given in a frame that turns; left as it is"
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        (
            '<group name="g"><joint name="palm_joint"/></group>',
            "robot.srdf:2: group 'g' would be empty: all of it is merged away; --keep one of its links, or change the group",
        ),
        (
            '<group name="g"><chain base_link="wrist" tip_link="tool0"/></group>',
            "robot.srdf:2: group 'g': both ends of its chain are 'wrist' after merging; --keep the tip, or change the group",
        ),
        ('<link name="base"/>', "robot.srdf:1: this is a URDF, not an SRDF"),
    ],
)
def test_refused(text, message):
    with pytest.raises(BrokenRobot) as caught:
        follow(text, merge_all=True)
    assert str(caught.value) == message
    kept = follow(text, keep=("palm", "tool0")) if "tool0" in message or "palm" in text else None
    assert kept is None or warnings_of(kept) == []


def test_with_frames_left_names_stay_and_pairs_follow_the_shapes():
    result = follow(
        '<end_effector name="e" parent_link="palm" group="g"/>\n<passive_joint name="palm_joint"/>\n'
        '<disable_collisions link1="palm" link2="thumb"/>',
        keep_all_frames=True,
    )
    assert [line for line in inside(result) if line] == [
        '<end_effector name="e" parent_link="palm" group="g"/>',
        '<passive_joint name="palm_joint"/>',
        '<disable_collisions link1="wrist" link2="thumb"/>',
    ]


# The law of the states.


@pytest.mark.parametrize(
    "name, match",
    [
        ("_map_state", "state 'up' of group 'arm': joint 'shoulder_pitch': angle is off by"),
        ("_follow_element", "<end_effector> that names 'tool0' is not in the input"),
        ("follow_spheres", "sphere"),
    ],
)
def test_the_proof_finds_what_does_not_follow(monkeypatch, name, match):
    def nothing(*anything):
        return

    monkeypatch.setattr(srdf, name, nothing)
    with pytest.raises(ProofFailed, match=match):
        simplify_bytes(
            URDF,
            "robot.urdf",
            Options(base_frame="ros", merge_all=True),
            "",
            companions=[srdf_companion(SRDF, "robot.srdf")],
        )


# The command line and the library.


def test_what_only_shows_writes_the_report_alone(tool):
    for options in (["--dry-run"], ["--check"], ["--diff"]):
        done = golden.run(tool.main, URDF, [*WITH_SRDF, "--report", "r.json", *options], SRDF)
        assert done.files == ("r.json", "robot.srdf", "robot.urdf"), options
        assert done.status == (1 if options == ["--check"] else 0)


def test_diff_and_check_show_both(tool):
    done = golden.run(tool.main, URDF, [*WITH_SRDF, "--diff", "--base-frame", "ros"], SRDF)
    assert "\n--- robot.srdf\n+++ robot_simplified.srdf\n" in done.report
    assert (
        '\n-        <joint name="shoulder_pitch" value="-0.50"/>\n+        <joint name="shoulder_pitch" value="0.5'
        in done.report
    )
    result = golden.run(tool.main, URDF, ["--base-frame", "ros", "--yes"]).data
    assert result is not None
    check = golden.run(
        tool.main,
        result,
        [*WITH_SRDF, "--check"],
        b'<robot name="arm"><end_effector name="e" parent_link="tol0" group="g"/><group name="g"><link name="wrist"/></group></robot>',
    )
    assert (check.status, check.errors) == (0, "")
    assert check.report.splitlines()[1] == "robot.srdf fits already; 1 warning, see -n"
    flipped = golden.run(
        tool.main, URDF.replace(b'"fixed"', b'"continuous"'), [*WITH_SRDF, "--check"], SRDF
    )
    assert flipped.status == 1 and "robot.srdf would change: " in flipped.report


@pytest.mark.parametrize(
    "args, message",
    [
        (
            [*WITH_SRDF, "-o", "-"],
            "robot.srdf: the URDF goes to standard output, so this would have no name: give --output a file\n",
        ),
        (
            [*WITH_SRDF, "-o", "robot.xml"],
            "robot.srdf: the output is the input file itself: give another --output, or --force\n",
        ),
        (
            [*WITH_SRDF, "-o", "robot"],
            "robot.srdf: the output is the input file itself: give another --output, or --force\n",
        ),
        (
            [*WITH_SRDF, "--report", "robot_simplified.srdf"],
            "robot_simplified.srdf: --report and --output are the same file\n",
        ),
        (["--report", "robot.urdf"], "robot.urdf: an input and --report are the same file\n"),
        (["--srdf", "rob.srdf"], "rob.srdf: no such file (did you mean 'robot.srdf'?)\n"),
    ],
)
def test_refused_before_any_work(tool, args, message):
    done = golden.run(tool.main, URDF, [*args, "--yes"], SRDF)
    assert (done.status, done.report, done.errors) == (2, "", f"error: {message}")
    assert done.files == ("robot.srdf", "robot.urdf")


def test_an_edit_takes_the_srdf_along(tool):
    """It is written beside the URDF, and nothing but the named joint is turned in it."""
    done = golden.run(
        lambda words: tool.main(["edit", *words]),
        URDF,
        [*WITH_SRDF, "--flip", "shoulder_pitch", "--yes"],
        SRDF,
    )
    assert (done.status, done.files) == (
        0,
        ("robot.srdf", "robot.urdf", "robot_edited.srdf", "robot_edited.urdf"),
    ), done.errors
    before, after = (
        re.sub(rb"(?s)<!--.*?-->\s*", b"", data).splitlines()
        for data in (SRDF, done.contents["robot_edited.srdf"])
    )
    assert [(old.strip(), new.strip()) for old, new in zip(before, after) if old != new] == [
        (
            b'<joint name="shoulder_pitch" value="-0.50"/>',
            b'<joint name="shoulder_pitch" value="0.50"/>',
        )
    ]


def test_a_virtual_joint_keeps_the_base_below_a_bare_root():
    urdf = (
        b'<robot name="arm"><link name="base_footprint"/><link name="base_link"><inertial><mass value="1"/>'
        b'<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="fixed">'
        b'<parent link="base_footprint"/><child link="base_link"/></joint></robot>'
    )
    for child in ("base_footprint", "base_link"):
        line = f'<virtual_joint name="v" type="planar" parent_frame="odom" child_link="{child}"/>'
        assert inside(follow(line, urdf)) == [line]
