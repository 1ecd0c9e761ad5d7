"""Loops become `<connect>` in MJCF, states of the SRDF key frames, and its virtual joint says how the base is held."""

import re

import pytest

from urdf_tools import model as m
from engine import simplify
from model_texts import make_mjcf
from urdf_tools.export.mjcf_exporter import verify_mjcf
from urdf_tools.model.export_options import MjcfOptions

UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
DRAKE = (
    '<loop_joint name="bar" type="{}"><axis xyz="0 1 0"/><link1 link="left" xyz="{}" rpy="0 0 0"/>'
    '<link2 link="{}" xyz="-0.1 0 0" rpy="0 0 0.5"/></loop_joint>'
)


def fourbar(*ends, extensions=()):
    """Two cranks on a base; at the end of each a frame with the name that is given."""
    joints = [
        m.Joint(name, "continuous", "base", name, m.Pose((x, 0.0, 0.0)), (0.0, 1.0, 0.0))
        for name, x in (("left", -0.5), ("right", 0.5))
    ]
    joints += [
        m.Joint(f"{name}_frame", "fixed", crank, name, m.Pose((x, 0.0, 0.25), (0.0, 0.0, 0.5)))
        for name, crank, x in zip(ends, ("left", "right"), (0.5, -0.5))
    ]
    links = [m.Link(name, UNIT) for name in ("base", "left", "right")] + [
        m.Link(name) for name in ends
    ]
    return m.Robot("fourbar", tuple(links), tuple(joints), extensions=extensions)


def written(robot, **options):
    """Return the MJCF, which its proof accepts, and what is noted."""
    made, decided = make_mjcf(robot, MjcfOptions(**options))
    verify_mjcf(made.text, robot, decided)
    return made.text, [note.text for note in made.notes]


def test_two_closing_frames_are_held_together():
    text, notes = written(fourbar("closing_rod_1", "closing_rod_2"))
    assert '<connect name="closing_rod" site1="closing_rod_1" site2="closing_rod_2"/>' in text
    assert text.count("<site ") == 2 and '<exclude body1="left" body2="right"/>' in text
    assert "open" not in "".join(notes)


def test_a_loop_at_a_link_between_two_joints_stays_open():
    """Such a link has no body in MuJoCo; the proof of the text expects no loop there."""
    robot = fourbar(extensions=(DRAKE.format("revolute", "0.1 0 0", "right"),))
    links = [m.Link(link.name) if link.name == "left" else link for link in robot.links]
    tip = m.Joint("tip", "continuous", "left", "tip", m.Pose(), (1.0, 0.0, 0.0))
    robot = robot._replace(links=(*links, m.Link("tip", UNIT)), joints=(*robot.joints, tip))
    text, notes = written(robot)
    assert "loop 'bar' stays open in MJCF" in notes and "<connect" not in text


def test_a_loop_joint_gets_sites_where_it_says():
    text, notes = written(
        fourbar("bar_1", extensions=(DRAKE.format("revolute", "0.1 0 0", "right"),))
    )
    sites = dict(re.findall(r'<site name="(.*?)" pos="(.*?)"', text))
    connect = re.search(r'<connect name="bar" site1="(.*?)" site2="(.*?)"', text)
    assert connect and [sites[site] for site in connect.groups()] == ["0.1 0 0", "-0.1 0 0"]
    assert connect.group(1) == "bar_1_2"  # a frame of the robot has that name
    assert "open" not in "".join(notes)


@pytest.mark.parametrize(
    "ends, extensions, open_loops",
    [
        (("closing_rod_1",), (), "closing_rod"),
        ((), (DRAKE.format("fixed", "0 0 0", "right"),), "bar"),
        ((), (DRAKE.format("revolute", "0 0 0", "nobody"),), "bar"),
        ((), (DRAKE.format("revolute", "0 0 zero", "right"),), "bar"),
        (
            (),
            (
                '<gazebo><joint name="extra" type="revolute"><parent>left</parent><child>right</child></joint></gazebo>',
            ),
            "extra",
        ),
        (
            ("closing_rod_2",),
            ('<drake:loop_constraint a="left"/>',),
            "<drake:loop_constraint> closing_rod",
        ),
    ],
)
def test_a_loop_that_stays_open_is_named(ends, extensions, open_loops):
    text, notes = written(fourbar(*ends, extensions=extensions))
    assert "<connect" not in text and [note for note in notes if "stays open" in note] == [
        f"loop '{name}' stays open in MJCF" for name in open_loops.split()
    ]


def test_crossed_limits_are_named_and_give_no_range():
    joint = m.Joint("j", "revolute", "base", "arm", limit=m.Limit(1.0, -1.0, 5.0, 1.0))
    text, notes = written(m.Robot("r", (m.Link("base", UNIT), m.Link("arm", UNIT)), (joint,)))
    assert (
        "joint 'j': its lower limit is above the upper one, so it has no limits in MJCF" in notes
        and " range=" not in text
    )
    text, notes = written(
        m.Robot(
            "r",
            (m.Link("base", UNIT), m.Link("arm", UNIT)),
            (joint._replace(limit=m.Limit(-1.0, 1.0, 5.0, 1.0)),),
        )
    )
    assert 'range="-1 1"' in text and "above" not in "".join(notes)


ARM = f"""<robot name="arm"><link name="base">{INERTIAL}</link><link name="a">{INERTIAL}</link>
<link name="b">{INERTIAL}</link><link name="c">{INERTIAL}</link>
<joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="0.25" upper="2" effort="5" velocity="2"/></joint>
<joint name="two" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
<joint name="three" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/>{{}}</joint></robot>"""
STATES = {
    "up": {"one": 1.0, "two": 0.5, "three": -0.5},
    "half": {"one": 1.0},
    "apart": {"one": 0.75, "two": 0.0},
}


def srdf(states, more=""):
    text = "".join(
        f'<group_state name="{name}" group="g">'
        + "".join(f'<joint name="{joint}" value="{value}"/>' for joint, value in values.items())
        + "</group_state>"
        for name, values in states.items()
    )
    return f'<robot name="arm">{more}<group name="g"><chain base_link="base" tip_link="c"/></group>{text}</robot>'


def export(folder, text, mimic="", **choices):
    """Return the MJCF of the arm with this SRDF, and the lines of the report on it."""
    (folder / "arm.urdf").write_text(ARM.format(mimic))
    (folder / "arm.srdf").write_text(text)
    result = simplify(
        folder / "arm.urdf",
        srdf=folder / "arm.srdf",
        mjcf=folder / "arm.xml",
        sdf=folder / "arm.sdf",
        base_frame="ros",
        force=True,
        **choices,
    )
    return (folder / "arm.xml").read_text(), result.exported.lines


def keys(text):
    return dict(re.findall(r'<key name="(.*?)" qpos="(.*?)"', text))


def test_states_of_the_whole_robot_become_key_frames(tmp_path):
    text, lines = export(tmp_path, srdf(STATES), base="fixed")
    assert keys(text) == {"home": "0.25 0 0", "up": "1 0.5 -0.5"}
    assert "MJCF: no key frame for half, apart: they set a part of the joints" in lines


def test_what_follows_or_is_passive_needs_no_value_and_groups_add_up(tmp_path):
    follows = '<mimic joint="one" multiplier="0.5"/>'
    text, lines = export(tmp_path, srdf(STATES), follows, base="fixed")
    assert keys(text) == {"home": "0.25 0 0.125", "up": "1 0.5 0.5", "apart": "0.75 0 0.375"}
    assert "MJCF: no key frame for half: it sets a part of the joints" in lines
    passive = '<passive_joint name="two"/><passive_joint name="three"/>'
    assert keys(export(tmp_path, srdf(STATES, passive), base="fixed")[0])["half"] == "1 0 0"
    more = "".join(
        f'<joint name="{name}" value="{value}"/>'
        for name, value in (("one", 9), ("two", 0.5), ("three", 1))
    )
    second = srdf(STATES).replace(
        "</robot>", f'<group_state name="half" group="h">{more}</group_state></robot>'
    )
    assert keys(export(tmp_path, second, base="fixed")[0])["half"] == "1 0.5 1"


@pytest.mark.parametrize(
    "kind, link, asked, fixed",
    [
        ("fixed", "base", "auto", True),
        ("floating", "base", "auto", False),
        ("fixed", "b", "auto", False),
        ("fixed", "base", "free", False),
    ],
)
def test_a_fixed_virtual_joint_holds_the_base(tmp_path, kind, link, asked, fixed):
    virtual = f'<virtual_joint name="v" type="{kind}" parent_frame="world" child_link="{link}"/>'
    text, lines = export(tmp_path, srdf({}, virtual), base=asked)
    assert ("<freejoint" not in text) is fixed
    assert ("<parent>world</parent>" in (tmp_path / "arm.sdf").read_text()) is fixed
    said = "the base is fixed by virtual joint 'v' of the SRDF (--base free is the other)"
    assert [f"{what}: {said}" in lines for what in ("MJCF", "SDF")] == [fixed] * 2


FREEDOMS = {  # by joint: its type, its axis and its value in a state
    "free": ("floating", "1 0 0", "1 2 3 0 0 0.6 0.8"),
    "flat": ("planar", "0 0 1", "0.1 0.2 0.3"),
    "below": ("planar", "0 0 -1", "0.1 0.2 0.3"),
    "wall": ("planar", "1 0 0", "0.1 0.2 0.3"),
    "short": ("planar", "0 0 1", "0.1"),
}


def test_a_state_sets_joints_of_more_than_one_number(tmp_path):
    """MoveIt reads x, y and the turn about z of a planar joint, a place and x y z w of a floating one."""
    parts = ['<link name="world"/>']
    parent = "world"
    values = []
    for name, (kind, axis, value) in FREEDOMS.items():
        parts.append(
            f'<link name="{name}">{INERTIAL}</link><joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{name}"/><origin xyz="0 0 1"/><axis xyz="{axis}"/></joint>'
        )
        values.append(f'<joint name="{name}" value="{value}"/>')
        parent = name
    state = f'<group_state name="home" group="g">{"".join(values)}</group_state>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{"".join(parts)}</robot>')
    (tmp_path / "r.srdf").write_text(f'<robot name="r"><group name="g"/>{state}</robot>')
    result = simplify(
        tmp_path / "r.urdf",
        srdf=tmp_path / "r.srdf",
        mjcf=tmp_path / "r.xml",
        base_frame="ros",
        keep_signs=True,
        force=True,
    )
    qpos = [float(q) for q in keys((tmp_path / "r.xml").read_text())["home"].split()]
    free, flat, below = [1, 2, 4, 0.8, 0, 0, 0.6], [0.1, 0.2, 0.3], [0.1, -0.2, -0.3]
    assert qpos == pytest.approx([*free, *flat, *below, *[0] * 6], abs=1e-9)
    odd = "MJCF: state home sets no position of planar joint {} that it can have"
    assert {odd.format("wall"), odd.format("short")} <= set(result.exported.lines)
