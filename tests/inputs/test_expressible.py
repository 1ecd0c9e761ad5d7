"""What a URDF cannot say of an MJCF or SDF is listed with its line, and all else is in it, whatever the input is."""

import pytest
from commands import in_process
from hypothesis import given, strategies as st
from random_inputs import mjcf, sdf
from sound_robots import sound

from urdf_tools.base.errors import ProofFailed
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.format_values import LOSSES, VALUES
from urdf_tools.compare.given_or_searched_map import IDENTITY
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.raw_robot import (
    RawActuator,
    RawJoint,
    RawLink,
    RawMass,
    RawRobot,
    RawSensor,
    RawShape,
)
from urdf_tools.inputs.input_as_urdf import as_urdf, model_from_raw
from urdf_tools.inputs.expressible_parts import NOT_WRITTEN, keep_expressible
from urdf_tools.formats.urdf.urdf_model_conversion import write_urdf

SEEDS = st.integers(0, 2**32)
MASS = RawMass(1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
NUMBERS = {
    "rays": (9.0, -1.0, 1.0),
    "reach": (0.1, 9.0),
    "image": (64.0, 48.0),
    "direction1": (0.0, 1.0, 0.0),
    "force_range": (-1.0, 1.0),
    "control_range": (-1.0, 1.0),
    "gravity": (0.0,),
    "provide_feedback": (1.0,),
    "implicit_spring_damper": (1.0,),
    "self_collide": (1.0,),
    "max_contacts": (3.0,),
    "bullet_direction1": (0.0, 1.0, 0.0),
    "uses_patch_radius": (0.0,),
    "split_impulse": (0.0,),
    "touches_without_force": (1.0,),
}


def robot_that_says(name):
    """Return a robot with a value by its name, on what may say it."""
    said = {name: NUMBERS.get(name, (0.25,))}
    said.update(
        {"reach": NUMBERS["reach"]}
        if name == "rays"
        else {"rays": NUMBERS["rays"]}
        if name == "reach"
        else {}
    )
    of = VALUES[name].of
    shape = RawShape(
        "collision", "box", (1.0, 1.0, 1.0), name="s", surface=said if of == "shape" else {}
    )
    return RawRobot(
        "sdf",
        "r",
        (RawLink("a", MASS), RawLink("b", MASS, (shape,), said if of == "link" else {})),
        (
            RawJoint(
                "j",
                "revolute",
                "a",
                "b",
                lower=-1.0,
                upper=1.0,
                values=said if of == "joint" else {},
            ),
        ),
        sensors=(RawSensor("eye", "camera", "b", values=said),) if of == "sensor" else (),
        actuators=(RawActuator("m", "motor", "j", said),) if of == "actuator" else (),
    )


@pytest.mark.parametrize("name", VALUES)
def test_each_value_is_written_or_is_in_the_table_of_losses(name):
    raw = robot_that_says(name)
    kept, notes = keep_expressible(raw, "urdf")
    is_lost = name in NOT_WRITTEN or any(loss.what == name for loss in LOSSES["urdf"])
    assert [name.replace("_", " ") in note.text for note in notes] == [True] * is_lost
    urdf = read_urdf(write_urdf(model_from_raw(kept).robot).text.encode())
    differences = compare(raw, urdf, given=IDENTITY, losses={}).differences
    assert [one.kind for one in differences if one.kind not in ("effort", "velocity")] == (
        ["surface" if VALUES[name].of == "shape" else "actuator"]
        if is_lost and VALUES[name].of != "joint"
        else ["dynamics"] * is_lost
    )


def body(inside, more=""):
    return f'<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/>{inside}</body></worldbody>{more}</mujoco>'


def link(inside, more=""):
    return f'<sdf version="1.8"><model name="m"><link name="l">{inside}</link>{more}</model></sdf>'


def joint(limit):
    return (
        '<link name="k"/><joint name="j" type="revolute"><parent>l</parent><child>k</child><axis><xyz>0 0 1</xyz>'
        f"<limit>{limit}</limit></axis></joint>"
    )


BALL = (
    '<collision name="{0}"><geometry><sphere><radius>1</radius></sphere></geometry>{1}</collision>'
)
ROUGH = "<surface><friction><ode><mu>0.9</mu></ode></friction></surface>"
GREY = "<material><script><name>Gazebo/Grey</name></script></material>"
BOX = '<visual name="{0}"><geometry><box><size>1 1 1</size></box></geometry>{1}</visual>'
LOST = {
    "neighbors that touch": (
        '<mujoco><worldbody><body name="a"><geom size=".1"/><body name="b"><joint type="slide" name="x"/><joint name="y"/>'
        '<geom size=".1"/><body name="c"><joint name="z"/><geom size=".1"/></body></body><body name="d"><joint name="w"/>'
        '<geom size=".1"/></body></body></worldbody><contact><exclude body1="a" body2="d"/></contact></mujoco>',
        [
            "links 'b' and 'a' can touch, as the second is fixed to the world: neighbors in a URDF cannot",
            "1 pair of links never collide: an SRDF can express that, a URDF cannot",
        ],
    ),
    "torsional friction": (
        body('<geom size=".1" friction="1 0.1 0.1" pos="1 0 0"/>'),
        [
            "collision of link 'b' has torsional, rolling, which URDF cannot express",
            "link 'b': only one of its collisions has mu1, and a URDF sets it for all of them or none",
        ],
    ),
    "friction of one shape": (
        link(BALL.format("a", ROUGH) + BALL.format("b", "")),
        [
            "link 'l': only one of its collisions has mu1, and a URDF sets it for all of them or none"
        ],
    ),
    "script of one shape": (
        link(BOX.format("a", GREY) + BOX.format("b", "")),
        [
            "link 'l': only one of its visuals has script, and a URDF sets it for all of them or none"
        ],
    ),
    "a curve of damping": (
        body('<body name="c"><joint name="j" damping="2 3 4"/><geom size=".1"/></body>'),
        ["joint 'j' has damping as a curve, which URDF cannot express"],
    ),
    "half of its weight": (
        body('<body name="c" gravcomp="0.5"><joint name="j"/><geom size=".1"/></body>'),
        ["link 'c' has 0.5 of its weight, which URDF cannot express"],
    ),
    "gains": (
        body(
            '<body name="c"><joint name="j"/><geom size=".1"/></body>',
            '<actuator><position name="p" joint="j" kp="9" ctrlrange="-1 1"/></actuator>',
        ),
        ["actuator 'p' has kp, control range, which URDF cannot express"],
    ),
    "a mesh of vertices": (
        body(
            '<geom type="mesh" mesh="m" mass="0" contype="0" conaffinity="0"/>',
            '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
        ),
        ["link 'b': a visual is a mesh without a file, which URDF does not have: it is left out"],
    ),
    "gravity and states": (
        body(
            "",
            '<option gravity="0 0 -1.62"/><keyframe><key name="up" qpos="0 0 1 1 0 0 0"/>'
            "</keyframe>",
        ),
        [
            "the named states up are left out: an SRDF can express them, a URDF cannot",
            "gravity is 0 0 -1.62 m/s^2, which URDF cannot express",
        ],
    ),
    "a static model": (
        link("", "<static>true</static>"),
        ["link 'l' is fixed to the world, which URDF cannot express"],
    ),
    "a gearbox": (
        link(
            "",
            joint("") + '<joint name="g" type="gearbox"><parent>l</parent><child>k</child></joint>',
        ),
        ['<joint name="g">: a gearbox couples two joints, and that is not compared'],
    ),
    "a height field": (
        '<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><body name="b">'
        '<geom type="hfield" hfield="h"/></body></worldbody></mujoco>',
        [
            '<hfield name="h">: not read',
            "<geom>: a height field has no counterpart",
            "<geom>: the mass of body 'b', which never moves, comes from a height field, which is not computed: it counts "
            "as 0",
        ],
    ),
}


def losses_of(made):
    return [note.text for note in made.lost if note.kind.name == "input-lost"]


@pytest.mark.parametrize("name", LOST)
def test_what_is_lost_is_listed_with_its_line(name):
    text, sentences = LOST[name]
    made = as_urdf(text.encode(), "robot.xml")
    assert sorted(losses_of(made)) == sorted(sentences)
    assert all(
        note.line == 1
        for note in made.lost
        if note.sentence not in ("states", "gravity", "base", "apart")
    )
    count = f"{len(sentences)} thing{'s' * (len(sentences) > 1)}"
    assert made.changes[0].endswith(f" -> URDF without {count} that a URDF cannot say")


KEPT = {
    "field of view": body('<camera name="c" fovy="80"/>'),
    "image": body('<camera name="c" resolution="64 48"/>'),
    "lidar": link(
        '<sensor name="s" type="gpu_lidar"><lidar><scan><horizontal><samples>640</samples><min_angle>-1.4'
        "</min_angle><max_angle>1.4</max_angle></horizontal></scan><range><min>0.1</min><max>10</max></range>"
        "</lidar></sensor>"
    ),
    "script": link(BOX.format("v", GREY)),
    "friction": link(BALL.format("a", ROUGH) + BALL.format("b", ROUGH)),
    "bounce": link(
        BALL.format(
            "a",
            "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"
            "</surface>",
        )
    ),
    "spring without stiffness": link(
        "",
        joint("").replace(
            "</limit>", "</limit><dynamics><spring_reference>0.1</spring_reference></dynamics>"
        ),
    ),
    "largest doubles": link("", joint("<lower>-1.79769e+308</lower><upper>1.79769e+308</upper>")),
    "inf": link("", joint("<lower>-inf</lower><upper>inf</upper><effort>inf</effort>")),
    "two trees": link("", '<model name="n"><link name="k"/></model>'),
    "a slide in a turned body": (
        '<mujoco><worldbody><body name="a" euler="0 -90 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" '
        'type="slide" axis="0 0 1"/><joint name="h" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></worldbody>'
        "</mujoco>"
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_urdf_can_say_is_in_it(name):
    assert losses_of(as_urdf(KEPT[name].encode(), "robot.xml")) == []


def test_a_slide_without_range_has_one_that_everything_takes_for_none(tmp_path):
    source = tmp_path / "in.xml"
    source.write_text(KEPT["a slide in a turned body"], "utf-8")
    assert (
        in_process(["export", str(source), str(tmp_path / "in.urdf"), "-y", "-q"]).returncode == 0
    )
    (tmp_path / "sound.urdf").write_text(sound((tmp_path / "in.urdf").read_text("utf-8")), "utf-8")
    words = [str(tmp_path / "sound.urdf"), "-y", "-q", "-o", str(tmp_path / "o.urdf")]
    exports = {"mjcf": "o.xml", "sdf": "o.sdf", "usd": "o.usda", "armature": "o.json"}
    for option, file in exports.items():
        words += [f"--{option}", str(tmp_path / file)]
    assert in_process(words).returncode == 0
    assert 'lower="-1000000000"' in (tmp_path / "o.urdf").read_text("utf-8")
    for file in ("o.xml", "o.sdf", "o.usda"):
        text = (tmp_path / file).read_text("utf-8")
        assert "1000000000" not in text and "1e9" not in text and "1e+09" not in text, file
    assert (tmp_path / "o.json").read_text("utf-8").count('"lower": null, "upper": null') == 3


NAMED = {
    "a site as its body": (
        body('<body name="q"><joint/><geom size=".1"/><site name="q" pos=".1 0 0"/></body>'),
        ["frame 'q' is called 'q_frame': another thing that the URDF refers to has its name"],
        ["b", "q", "q_frame"],
    ),
    "a joint with a spring as its body": (
        body('<body name="q"><joint name="q" stiffness="3"/><geom size=".1"/></body>'),
        ["joint 'q' is called 'q_joint': another thing that the URDF refers to has its name"],
        ["b", "q"],
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_that_clash_are_made_distinct_and_reported(name):
    text, sentences, links = NAMED[name]
    made = as_urdf(text.encode(), "robot.xml")
    assert [note.text for note in made.lost if note.kind.name == "input-renamed"] == sentences
    assert [one.name for one in read_urdf(made.data).links] == links


def test_loops_without_names_get_names():
    two = '<body name="c" pos="1 0 0"><joint/><geom size=".1"/></body>'
    text = body(
        two,
        '<equality><connect body1="b" body2="c" anchor="1 2 3"/>'
        '<connect body1="b" body2="c" anchor="0 0 1"/><weld body1="b" body2="c"/></equality>',
    )
    loops = read_urdf(as_urdf(text.encode(), "robot.xml").data).loops
    assert [(one.name, one.kind) for one in loops] == [
        ("b_c", "frame"),
        ("closing_b_c", "point"),
        ("closing_b_c_", "point"),
    ]


def test_the_plan_says_what_is_made_of_what(tmp_path):
    (tmp_path / "in.xml").write_text(KEPT["field of view"], "utf-8")
    done = in_process([str(tmp_path / "in.xml"), "-y", "-o", str(tmp_path / "o.urdf")])
    shown = done.stdout.decode()
    assert (
        done.returncode == 0
        and "   1 -> 1 link, 0 -> 0 joints, MJCF -> URDF" in shown
        and "copy" not in shown
    )


class TestLaws:
    """Whatever the input says: what is not listed is in the URDF, which is proven inside of `as_urdf`."""

    @given(SEEDS)
    def test_any_mjcf_becomes_a_urdf(self, seed):
        assert as_urdf(mjcf(seed).encode(), "robot.xml").data.startswith(b"<?xml")

    @given(SEEDS)
    def test_any_sdf_becomes_a_urdf(self, seed):
        assert as_urdf(sdf(seed).encode(), "robot.sdf").data.startswith(b"<?xml")


MUTANTS = {
    "a value too much": lambda robot: robot._replace(
        joints=tuple(one._replace(values={**one.values, "damping": (9.0,)}) for one in robot.joints)
    ),
    "a sensor too much": lambda robot: robot._replace(
        sensors=(RawSensor("new", "imu", robot.links[0].name),)
    ),
    "an actuator too much": lambda robot: robot._replace(
        actuators=(RawActuator("new", "motor", robot.joints[0].name),)
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_neither_listed_nor_written_is_a_fault(name, monkeypatch):
    text = link("", joint("<lower>-1</lower><upper>1</upper>")).encode()
    monkeypatch.setattr(
        "urdf_tools.inputs.input_as_urdf.model_from_raw",
        lambda raw: model_from_raw(MUTANTS[name](raw)),
    )
    with pytest.raises(ProofFailed, match="as a URDF it is another robot"):
        as_urdf(text, "robot.sdf")
