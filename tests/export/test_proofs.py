"""What the proofs of MJCF and SDF see: each number, name and element that is written is changed once, and found."""

import re

import pytest

from model_texts import make_mjcf
from urdf_tools import model as m
from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.base.errors import ProofFailed
from urdf_tools.formats.export_diagnostics import EXPORT_LEFT_OUT
from urdf_tools.model.model_diagnostics import EXPORT_LOST
from urdf_tools.export.mjcf_exporter import verify_mjcf, write_mjcf
from urdf_tools.formats.sdf import write_sdf as write
from urdf_tools.formats.sdf.write_sdf import make_sdf
from urdf_tools.export.sdf_exporter import verify_sdf, write_sdf
from urdf_tools.export.usd_exporter import verify_usd
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.export.json_exporter import verify_json
from urdf_tools.export.export_proof import reference_of
from urdf_tools.formats.sdf.read_sdf import read_sdf
from urdf_tools.model.export_options import Frame, MjcfOptions, SdfOptions, UsdOptions
from urdf_tools.model.xml_writer import XmlNode
from urdf_tools.urdf.urdf_records import Mimic

UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
BOX = m.Box((0.2, 0.2, 0.2))
TURNED = m.Pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
LIMIT = m.Limit(0.25, 1.0, 10.0, 3.0)


def link(name, surface=None, **more):
    return m.Link(name, UNIT, collisions=(m.Collision(BOX, surface=surface),), **more)


def joint(name, kind, parent, child, **more):
    return m.Joint(name, kind, parent, child, m.Pose((0.0, 0.0, 0.5)), (0.0, 1.0, 0.0), **more)


LOOK = m.Material("steel", (0.5, 0.5, 0.6, 1.0), "steel.png", 0.4, 0.1, 0.9, 0.2)
SENSOR_XML = (
    '<sensor name="eye" type="camera"><always_on>1</always_on><plugin name="p" filename="libp.so">'
    "<rate>5</rate></plugin></sensor>"
)
ROBOT = m.Robot(
    "rich",
    (
        link("base", m.Surface(0.8, 0.5, (1.0, 0.0, 0.0), 0.3, 1e5, 10.0, 0.001, 0.1))._replace(
            visuals=(m.Visual(BOX, TURNED, LOOK),)
        ),
        link("arm", m.Surface(mu1=0.6), gravity=False),
        link("hand", self_collide=True),
        link("slide"),
        link("turn"),
        m.Link("tip"),
    ),
    (
        joint("lift", "revolute", "base", "arm", limit=LIMIT, spring=m.Spring(5.0, 0.25)),
        joint("grip", "revolute", "arm", "hand", limit=m.Limit(-1.0, 1.0, 20.0, 4.0)),
        joint("push", "prismatic", "hand", "slide", limit=m.Limit(-0.5, 0.5, 30.0, 2.0)),
        joint("spin", "continuous", "slide", "turn", limit=m.Limit(effort=40.0, velocity=6.0)),
        joint("end", "fixed", "turn", "tip"),
    ),
    sensors=(
        m.Sensor("imu", "imu", "arm", origin=TURNED, rate=50.0),
        m.Sensor(
            "eye", "camera", "tip", origin=TURNED, camera=m.Camera(1.2, 640, 480), xml=SENSOR_XML
        ),
        m.Sensor("force", "force_torque", joint="grip", rate=9.0),
        m.Sensor("beam", "gpu_lidar", "hand", lidar=m.Lidar(16, -1.0, 1.0, 0.1, 9.0)),
    ),
    actuators=(
        m.Actuator("a", "lift", "motor", gear=5.0, force_range=(-5.0, 5.0)),
        m.Actuator("b", "grip", "position", kp=7.0, kv=0.5, control_range=(-0.25, 0.25)),
        m.Actuator("c", "push", "velocity", kv=3.0, force_range=(-15.0, 15.0)),
    ),
    extensions=('<gazebo><plugin name="g" filename="libg.so"><gain>0.5</gain></plugin></gazebo>',),
)
OPTIONS = MjcfOptions(
    base="fixed",
    exclude=(("hand", "turn"),),
    home=(("grip", 0.125),),
    frames=(Frame("tool", "hand", TURNED),),
)
SERVOS = OPTIONS._replace(actuators="position", kp=30.0)
FREE = OPTIONS._replace(base="free")


def mutant_of_mjcf(options, old, new):
    """Return the text with one thing changed, and what the proof needs; the text as it is passes."""
    written, decided = make_mjcf(ROBOT, options)
    verify_mjcf(written.text, ROBOT, decided)
    found = re.search(old, written.text)
    assert found is not None, written.text
    wrong = written.text[: found.start()] + found.expand(new) + written.text[found.end() :]
    assert wrong != written.text
    return wrong, ROBOT, decided


@pytest.mark.parametrize(
    "options, old, new, message",
    [
        # contacts
        (OPTIONS, ' friction="0.8"', "", "base: mu1 0.8 / none"),
        (OPTIONS, 'friction="0.8"', 'friction="0.7"', "base: mu1 0.8 / 0.7"),
        (OPTIONS, 'friction="0.6"', 'friction="0.6 0.1"', "arm: torsional none / 0.1"),
        (OPTIONS, r'(name="hand_collision")', r'\1 friction="1"', "hand: mu1 none / 1"),
        (OPTIONS, r'(name="hand_collision")', r'\1 solref="0.1 1"', "<geom .* is written"),
        (OPTIONS, r'(name="hand_collision")', r'\1 contype="0"', "<geom .* is written"),
        (OPTIONS, '<geom group="3"/>', '<geom group="3" friction="2"/>', "hand: mu1 none / 2"),
        (
            OPTIONS,
            '<geom group="3"/>',
            '<geom group="3" contype="0" conaffinity="0"/>',
            "collision base_collision is only",
        ),
        (OPTIONS, 'name="hand_collision"', 'name="elbow"', "name"),
        (
            OPTIONS,
            ' *<exclude body1="base" body2="arm"/>\n',
            "",
            "arm and base: collision excluded only in A",
        ),
        (
            OPTIONS,
            ' *<exclude body1="hand" body2="turn"/>\n',
            "",
            "hand and turn: collision excluded only in A",
        ),
        (
            OPTIONS,
            'body1="hand" body2="turn"',
            'body1="hand" body2="slide"',
            "hand and turn: collision excluded only in A",
        ),
        (
            OPTIONS,
            "(<contact>)",
            r'\1<exclude body1="arm" body2="turn"/>',
            "arm and turn: collision excluded only in B",
        ),
        (
            FREE,
            "(<contact>)",
            r'\1<exclude body1="arm" body2="base"/>',
            "arm and base: collision excluded only in B",
        ),
        (OPTIONS, ' gravcomp="1"', "", "arm: gravity 0 / 1"),
        (OPTIONS, 'gravcomp="1"', 'gravcomp="0.5"', "arm: gravity 0 / 0.5"),
        (OPTIONS, '(<body name="hand")', r'\1 gravcomp="1"', "hand: gravity 1 / 0"),
        # what nobody reads
        (
            OPTIONS,
            'integrator="implicitfast"',
            'integrator="implicitfast" gravity="0 0 0"',
            "0 0 -9.81 / 0 0 0 m",
        ),
        (OPTIONS, "(<worldbody>)", r'\1<light pos="0 0 1"/>', "<light>"),
        # joints
        (OPTIONS, 'springref="0.25"', 'springref="0.5"', "lift: spring reference 0.25 / 0.5"),
        (OPTIONS, ' springref="0.25"', "", "lift: spring reference 0.25 / none"),
        (OPTIONS, 'stiffness="5"', 'stiffness="4"', "stiffness"),
        (OPTIONS, '<joint name="push"', '<joint name="pull"', "joint 'push' is not there"),
        (OPTIONS, '(<joint name="push")', r'\1 ref="1"', "slide: 1 m elsewhere"),
        (OPTIONS, ' actuatorfrcrange="-10 10"', "", "lift: 10 / none"),
        (OPTIONS, 'actuatorfrcrange="-10 10"', 'actuatorfrcrange="-9 10"', "<joint .* is written"),
        (
            OPTIONS,
            r'(<body name="base"[^>]*>\s*)<inertial[^>]*/>',
            r"\1",
            "'base': it has a mass, and none is written",
        ),
        # actuators
        (OPTIONS, 'gear="5"', 'gear="4"', "lift: gear 5 / 4"),
        (OPTIONS, ' gear="5"', "", "lift: gear 5 / 1"),
        (OPTIONS, 'ctrlrange="-2 2"', 'ctrlrange="-10 10"', "lift: control range -2 2 / -10 10"),
        (OPTIONS, ' ctrlrange="-2 2"', "", "lift: control range -2 2 / none"),
        (OPTIONS, 'forcerange="-1 1"', 'forcerange="-5 5"', "lift: force range -1 1 / -5 5"),
        (OPTIONS, ' forcerange="-1 1"', "", "lift: force range -1 1 / none"),
        (OPTIONS, 'kp="7"', 'kp="8"', "grip: kp 7 / 8"),
        (OPTIONS, 'kv="0.5"', 'dampratio="1"', "grip: kv 0.5 / none"),
        (
            OPTIONS,
            'ctrlrange="-0.25 0.25"',
            'inheritrange="1"',
            "grip: control range -0.25 0.25 / -1 1",
        ),
        (
            OPTIONS,
            'forcerange="-20 20"',
            'forcerange="-21 20"',
            "grip: force range -20 20 / -21 20",
        ),
        (OPTIONS, 'kv="3"', 'kv="2"', "push: kv 3 / 2"),
        (OPTIONS, 'ctrlrange="-2 2"( forcerange="-15)', r"\1", "push: control range -2 2 / none"),
        (
            OPTIONS,
            'forcerange="-15 15"',
            'forcerange="-30 30"',
            "push: force range -15 15 / -30 30",
        ),
        (OPTIONS, "<velocity (.*?)/>", r"<motor \1/>", "<motor .* is written"),
        (OPTIONS, ' *<motor name="spin".*\n', "", "<key .* is written"),
        (
            OPTIONS,
            '( *<motor name="spin".*\n)',
            r"\1\1",
            "actuator 'spin' is defined twice, see line 57",
        ),
        (OPTIONS, 'joint="spin"', 'joint="grip"', "grip: position / position and motor"),
        (OPTIONS, '<motor name="a"', '<motor name="z"', "lift: its actuator is a / z"),
        (
            OPTIONS,
            '<motor name="spin"',
            '<motor name="a"',
            "actuator 'a' is defined twice, see line 54",
        ),
        (SERVOS, 'kp="30"', 'kp="31"', "kp"),
        (SERVOS, 'dampratio="1"', 'dampratio="2"', "lift: damping ratio 1 / 2"),
        (SERVOS, ' inheritrange="1"', "", "control"),
        (
            SERVOS,
            'inheritrange="1"',
            'inheritrange="0.5"',
            "lift: control range 0.25 1 / 0.4375 0.8125",
        ),
        # sensors
        (
            OPTIONS,
            '<gyro name="imu_gyro" site="imu"',
            '<gyro name="imu_gyro" site="tool"',
            r"tool \(imu\) is only in B",
        ),
        (
            OPTIONS,
            'name="imu_quat"',
            'name="imu_turn"',
            "imu: other settings: framequat imu_quat / framequat imu_turn",
        ),
        (OPTIONS, " *<accelerometer.*\n", "", "accelerometer imu_accelerometer / framequat"),
        (OPTIONS, 'objname="imu"', 'objname="tip"', "<framequat .* is written"),
        (
            OPTIONS,
            '<torque name="force_torque" site="force"',
            '<torque name="force_torque" site="tip"',
            "is only in B",
        ),
        (OPTIONS, "(<sensor>)", r'\1<force name="more" site="tip"/>', "is only in B"),
        (
            OPTIONS,
            r'(<camera name="eye" pos=")0.1',
            r"\g<1>0.2",
            "eye is 100 mm elsewhere, turned by 0 rad",
        ),
        (
            OPTIONS,
            r'(<camera name="eye" .*?quat=")\S+',
            r"\g<1>0.9",
            "eye is 0 m elsewhere, turned by 17.19 degrees",
        ),
        (OPTIONS, r'fovy="\S+"', 'fovy="60"', "eye: field of view 1.2 / 1.31211"),
        (OPTIONS, '"640 480"', '"480 640"', "eye: field of view 1.2 / 0.734716"),
        (OPTIONS, '<camera name="eye"', '<camera name="ear"', r"eye \(camera\) is only in A"),
        (OPTIONS, "( *<camera.*\n)", r"\1\1", "camera 'eye' is defined twice, see line 39"),
        # the key frame
        (OPTIONS, r'qpos="0.25', 'qpos="0.26', "home.*: lift is at 0.25 / 0.26"),
        (OPTIONS, r'(qpos="0.25) 0.125', r"\1 0", "home.*: grip is at 0.125 / 0"),
        (OPTIONS, r'(qpos="[^"]*) \S+"', r'\1"', "<key .* is written"),
        (OPTIONS, r'(qpos="[^"]*)"', r'\1 0"', "<key .* is written"),
        (OPTIONS, 'key name="home"', 'key name="house"', "home is only in A"),
        (OPTIONS, r" *<keyframe>(.|\n)*</keyframe>\n", "", "home is only in A"),
        (OPTIONS, "( *<key .*\n)", r"\1\1", "key 'home' is defined twice, see line 67"),
        (FREE, 'qpos="0 0', 'qpos="0.5 0', "home.*: base is 500 mm elsewhere, turned by 0 rad"),
        (FREE, r'(qpos="0 0) \S+', r"\1 0.5", "home.*: base is 400 mm elsewhere, turned by 0 rad"),
        (
            FREE,
            r'(qpos="0 0 \S+) 1 0 0 0',
            r"\1 0.8 0.6 0 0",
            "home.*: base is 0 m elsewhere, turned by 73.74 degrees",
        ),
        (OPTIONS, 'ctrl="0 0.125 0 0"', 'ctrl="0.25 0.125 0 0"', "home.*: a is at 0 / 0.25"),
        (OPTIONS, ' ctrl="0 0.125 0 0"', "", "home.*: b is at 0.125 / 0"),
    ],
)
def test_the_proof_of_mjcf_sees(options, old, new, message):
    wrong, robot, decided = mutant_of_mjcf(options, old, new)
    with pytest.raises(ProofFailed, match=message):
        verify_mjcf(wrong, robot, decided)


@pytest.mark.parametrize(
    "old, new, message",
    [
        # surfaces
        ("<mu>0.8</mu>", "<mu>0.7</mu>", "base: mu1"),
        ("<mu>0.8</mu>", "", "base: mu1"),
        ("<mu2>0.5</mu2>", "<mu2>0.6</mu2>", "mu2"),
        ("<fdir1>1 0 0", "<fdir1>0 1 0", "direction1"),
        ("<restitution_coefficient>0.3", "<restitution_coefficient>0.4", "restitution"),
        ("<kp>100000<", "<kp>100001<", "contact stiffness"),
        ("<kd>10<", "<kd>11<", "contact damping"),
        ("<min_depth>0.001", "<min_depth>0.002", "min depth"),
        ("<max_vel>0.1", "<max_vel>0.2", "max velocity"),
        ("(<mu>0.6</mu>)", r"\1<slip1>1</slip1>", "slip1"),
        ("<fdir1>", '<fdir1 expected_in="x">', "<fdir1> is written"),
        (
            '(<collision name="hand_collision">)',
            r"\1<surface><bounce><threshold>1</threshold></bounce></surface>",
            "bounce threshold none / 1",
        ),
        ('(<collision name="hand_collision">)', r"\1<laser_retro>1</laser_retro>", "laser retro"),
        ('name="hand_collision"', 'name="elbow"', "the name of collision"),
        # looks
        ("<specular>0.4 0.4 0.4 1", "<specular>0.5 0.4 0.4 1", "specular"),
        ("<specular>.*</specular>", "", "specular"),
        ("<emissive>0.05 ", "<emissive>0.06 ", "emission"),
        ("steel.png", "wood.png", "the texture"),
        ("<roughness>0.2", "<roughness>0.3", "roughness"),
        ("<metalness>0.9", "<metalness>0.8", "metalness"),
        ("<metalness>0.9</metalness>", "", "metalness"),
        ("(<visual .*>)", r"\1<transparency>1</transparency>", "<transparency>"),
        ("<diffuse>0.5 ", "<diffuse>0.6 ", "color"),
        # links
        ("<gravity>false", "<gravity>true", "arm: gravity"),
        ("<gravity>false</gravity>", "", "arm: gravity"),
        ("<self_collide>true", "<self_collide>false", "hand: self collide"),
        ('(<link name="arm">)', r"\1<kinematic>true</kinematic>", "<kinematic>"),
        # sensors
        ('name="imu" type="imu"', 'name="imu_2" type="imu"', "imu .imu. is only"),
        ('type="imu"', 'type="gps"', "imu is imu in A, gps"),
        (r'(<sensor name="imu" type="imu">\s*<pose>)0.1', r"\g<1>0.2", "imu is 100 mm"),
        (
            r'(<sensor name="imu" type="imu">\s*<pose>\S+ \S+ \S+ )0.4',
            r"\g<1>0.5",
            "imu is 0 m elsewhere, turned",
        ),
        ("<update_rate>50", "<update_rate>51", "imu: 50 Hz"),
        ("<update_rate>9", "<update_rate>8", "force: 9 Hz"),
        ("<horizontal_fov>1.2", "<horizontal_fov>1.3", "field of view"),
        ("<width>640", "<width>641", "image"),
        ("<samples>16", "<samples>17", "rays"),
        ("<min>0.1", "<min>0.2", "reach"),
        ("<always_on>1", "<always_on>0", "<always_on>"),
        ("libp.so", "libq.so", "<plugin"),
        ("<rate>5", "<rate>6", "<plugin"),
        ("(<always_on>1</always_on>)", r"\1<visualize>1</visualize>", "<visualize>"),
        ('<sensor name="imu"(.|\n)*?</sensor>', "", "imu .imu. is only"),
        ('(<sensor name="force"(.|\n)*?</sensor>)', r"\1\1", "force .force_torque. is only in B"),
        # axes, and what is beside links and joints
        ("(<effort>10</effort>)", r"\1<stiffness>5</stiffness>", "<stiffness>"),
        ("(<xyz>0 1 0</xyz>)", r"\1<initial_position>1</initial_position>", "<initial_position>"),
        ("<spring_reference>0.25", "<spring_reference>0.5", "spring reference"),
        ("<gain>0.5", "<gain>0.6", "gazebo"),
        ("libg.so", "libh.so", "gazebo"),
        ("(</model>)", r"<static>true</static>\1", "static"),
        ("(<model [^>]*>)", r"\1<static>true</static>", "the model holds <static>"),
        ('<plugin name="g"(.|\n)*?</plugin>', "", "gazebo"),
        # a number with our prefix, which the proof strips, and no program reads
        ("<mass>(.*)</mass>", r"<urdf:mass>\1</urdf:mass>", "<urdf:mass> in .* has the prefix"),
        ("<pose>(.*)</pose>", r"<urdf:pose>\1</urdf:pose>", "<urdf:pose> in .* has the prefix"),
    ],
)
def test_the_proof_of_sdf_sees(old, new, message):
    written, decided = make_sdf(ROBOT, SdfOptions(frames=OPTIONS.frames))
    verify_sdf(written.text, ROBOT, decided)
    found = re.search(old, written.text)
    assert found is not None, written.text
    wrong = written.text[: found.start()] + found.expand(new) + written.text[found.end() :]
    with pytest.raises(ProofFailed, match=message):
        verify_sdf(wrong, ROBOT, decided)


@pytest.mark.parametrize("mimic", [None, Mimic("lift")])
def test_what_the_writer_of_sdf_does_not_look_at_fits(mimic, monkeypatch):
    """Were each of its own elements looked at, as those of `<gazebo>` are, nothing would become another."""
    visuals = (m.Visual(m.Capsule(0.1, 0.2), TURNED, LOOK),)
    robot = ROBOT._replace(
        links=[link._replace(visuals=visuals) for link in ROBOT.links],
        joints=[joint._replace(mimic=mimic) for joint in ROBOT.joints],
    )
    written, _ = make_sdf(robot, SdfOptions())
    monkeypatch.setattr(write, "DefinedSdfElement", XmlNode)
    assert make_sdf(robot, SdfOptions())[0] == written


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("hand", "link 'hand' is called 'other'"),
        ("grip", "joint 'grip' is called 'other'"),
        ("tool", "frame 'tool' is called 'other'"),
    ],
)
def test_the_proof_of_sdf_sees_another_name(name, sentence):
    """Also one that the writer has decided on itself."""
    written, decided = make_sdf(ROBOT, SdfOptions(frames=OPTIONS.frames))
    decided = decided._replace(
        links={key: "other" if key == name else value for key, value in decided.links.items()},
        joints={
            child: "other" if value == name else value for child, value in decided.joints.items()
        },
        frames={"other" if key == name else key: value for key, value in decided.frames.items()},
    )
    with pytest.raises(ProofFailed, match=sentence):
        verify_sdf(
            re.sub(
                f'"{name}"|>{name}<', lambda one: one.group().replace(name, "other"), written.text
            ),
            ROBOT,
            decided,
        )


def test_what_is_decided_has_bounds():
    """That a shape is left out, or a mass is another, needs a reason."""
    _, decided = make_sdf(ROBOT, SdfOptions())
    without = ROBOT._replace(links=(ROBOT.links[0]._replace(visuals=()), *ROBOT.links[1:]))
    written, _ = make_sdf(without, SdfOptions())
    verify_sdf(written.text, without, decided)
    with pytest.raises(ProofFailed, match="visual 0 is left out, and could be shown"):
        verify_sdf(
            written.text, ROBOT, decided._replace(left_out=frozenset({("base", "visual", 0)}))
        )
    heavy = ROBOT._replace(
        links=(ROBOT.links[0]._replace(inertial=UNIT._replace(mass=1.5)), *ROBOT.links[1:])
    )
    written, _ = make_sdf(heavy, SdfOptions())
    with pytest.raises(ProofFailed, match="link 'base': its mass is 1 kg, and 1.5 kg are written"):
        verify_sdf(written.text, ROBOT, decided)


@pytest.mark.parametrize(
    "shape, height",
    [
        (m.Box((0.2, 0.4, 0.6)), 0.3),
        (m.Sphere(0.25), 0.25),
        (m.Cylinder(0.1, 0.8), 0.4),
        (m.Capsule(0.1, 0.8), 0.5),
        (m.Ellipsoid((0.1, 0.2, 0.3)), 0.3),
        (m.Mesh("a.stl", (1.0, 1.0, 2.0)), 0.5),
        (m.Plane((1.0, 1.0)), 0.0),
    ],
)
def test_a_free_robot_stands_on_its_lowest_shape(shape, height):
    """Upright, and turned anyhow: the proof finds the lowest point in another way than the writer."""
    options = MjcfOptions(mesh_boxes=(("a.stl", (-0.1, -0.2, -0.25, 0.1, 0.2, 0.4)),))
    for origin in (
        m.Pose(),
        *(m.Pose((0.1, 0.2, 0.3), (0.7 * k, -0.4 * k, 0.2)) for k in range(1, 6)),
    ):
        robot = m.Robot("r", (m.Link("base", UNIT, collisions=(m.Collision(shape, origin),)),))
        written = write_mjcf(robot, options)
        found = re.search('qpos="0 0 ([^ ]*) ', written.text)
        assert found is not None and (
            origin != m.Pose() or float(found.group(1)) == pytest.approx(height, abs=1e-12)
        )
        higher = written.text.replace(found.group(0), f'qpos="0 0 {float(found.group(1)) + 1e-6} ')
        with pytest.raises(ProofFailed, match="home.*: base is 1 um elsewhere"):
            verify_mjcf(higher, robot, make_mjcf(robot, options)[1])


def test_a_gear_does_not_change_the_bound_at_the_joint():
    """MuJoCo bounds the force of a motor before its gear; a negative gear turns the bounds about."""
    for gear, forces in ((5.0, "-1 2"), (-5.0, "-2 1")):
        actuator = m.Actuator("a", "lift", "motor", gear=gear, force_range=(-5.0, 10.0))
        text = write_mjcf(ROBOT._replace(actuators=(actuator,)), OPTIONS).text
        assert f'gear="{gear:g}" ctrlrange="-2 2" forcerange="{forces}"' in text


def test_positions_at_home_may_be_whole_numbers():
    text = write_mjcf(ROBOT, SERVOS._replace(home=(("spin", 1),))).text
    assert 'qpos="0.25 0 0 1" ctrl="0.25 0 0 1"' in text


def test_the_spring_of_a_planar_joint_is_named():
    robot = m.Robot(
        "r",
        (link("base"), link("arm")),
        (joint("j", "planar", "base", "arm", spring=m.Spring(5.0)),),
    )
    assert write_mjcf(robot, MjcfOptions()).notes == (
        Diagnostic(EXPORT_LOST, 0, "spring", ("j", "planar", "MJCF")),
    )


def test_a_sensor_that_sdf_has_no_place_for_is_named():
    """Its joint fixes a mere frame, which SDF has without a joint; or it is on the world itself."""
    sensors = (m.Sensor("force", "force_torque", joint="end"), m.Sensor("eye", "camera", "world"))
    robot = ROBOT._replace(
        links=(*ROBOT.links, m.Link("world")),
        sensors=sensors,
        joints=(*ROBOT.joints, joint("hold", "fixed", "world", "base")),
    )
    written = write_sdf(robot, SdfOptions())
    assert "<sensor" not in written.text
    assert [
        Diagnostic(EXPORT_LEFT_OUT, 0, "sensor", (name, "SDF")) in written.notes
        for name in ("force", "eye")
    ] == [True, True]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('name="far_yaw" axis="0 1 0"', 'name="far_yaw" axis="0.6 0.8 0"', "far is only in A"),
        (
            'name="after" axis="0 1 0"',
            'name="after" axis="0.6 0.8 0"',
            "after: turned by 36.87 degrees",
        ),
        (
            '"light" pos="0 0 0.5">',
            '"light" pos="0 0 0.5"><inertial pos="0 0 0" mass="1e-09" diaginertia="1 1 1"/>',
            "link 'light': it has no mass, and 1e-09 kg are",
        ),
    ],
)
def test_what_moves_little_or_never_is_seen(old, new, said):
    """The turn of a plane, the axis of a follower of what is fixed, a mass of what has none."""
    light = m.Link("light", visuals=(m.Visual(m.Sphere(0.1)),))
    robot = m.Robot(
        "r",
        (link("base"), link("arm"), link("hand"), light, link("end")),
        (
            joint("held", "fixed", "base", "end"),
            joint("far", "planar", "base", "arm"),
            joint("after", "revolute", "base", "hand", mimic=m.Mimic("held"), limit=LIMIT),
            joint("lamp", "fixed", "arm", "light"),
        ),
    )
    written, decided = make_mjcf(robot, MjcfOptions())
    verify_mjcf(written.text, robot, decided)
    assert written.text.count(old) == 1, written.text
    with pytest.raises(ProofFailed, match=f": {said}"):
        verify_mjcf(written.text.replace(old, new), robot, decided)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('(<body name="far" .*pos=")0', r"\g<1>0.1", "far: 100 mm elsewhere"),
        ('(<body name="far" .*?) quat="[^"]*"', r"\1", "far: turned by"),
        (
            ' *<freejoint name="away"/>\n',
            "",
            "away is only in A|away is fixed in B|<key .* is written",
        ),
        ('damping="0.5"', 'damping="0.25"', "roll: damping 0.5 / 0.25"),
        (
            r'qpos="[^"]*"',
            lambda found: found.group().replace("0.5", "0.75", 1),
            "home.*: far is 250 mm elsewhere",
        ),
    ],
)
def test_what_floats_and_rolls_is_seen(old, new, said):
    """A body that is free beside what stands, where it begins; and the dynamics of a ball joint."""
    origin = m.Pose((0.0, 0.0, 0.5), (0.0, 0.0, 1.0))
    robot = m.Robot(
        "r",
        (link("base"), link("far"), link("arm")),
        (
            m.Joint("away", "floating", "base", "far", origin),
            m.Joint("roll", "ball", "base", "arm", dynamics=m.Dynamics(0.5)),
        ),
    )
    written, decided = make_mjcf(robot, MjcfOptions(base="fixed"))
    verify_mjcf(written.text, robot, decided)
    wrong = re.sub(old, new, written.text, count=1)
    assert wrong != written.text, written.text
    with pytest.raises(ProofFailed, match=said):
        verify_mjcf(wrong, robot, decided)


@pytest.mark.parametrize(
    "between",
    [
        ("revolute",),
        ("fixed", "revolute"),
        ("revolute", "prismatic"),
        ("revolute", "fixed", "revolute"),
    ],
)
def test_a_joint_before_a_link_that_mjcf_has_not_has_its_name_in_the_text(between):
    """Two joints of one name are one motion in a URDF, and two in MJCF: also where one has no link of its own there."""
    chain = ["copy", *(f"between_{place}" for place in range(1, len(between))), "end"]
    robot = m.Robot(
        "r",
        (link("base"), link("first"), *map(m.Link, chain[:-1]), link("end")),
        (
            joint("j", "revolute", "base", "first", limit=LIMIT),
            joint("j", "revolute", "base", "copy", limit=LIMIT),
            *(
                joint(
                    f"k_{place}",
                    kind,
                    chain[place],
                    chain[place + 1],
                    limit=None if kind == "fixed" else LIMIT,
                )
                for place, kind in enumerate(between)
            ),
        ),
    )
    written, decided = make_mjcf(robot, MjcfOptions())
    verify_mjcf(written.text, robot, decided)
    assert not decided.between.isdisjoint(chain) and re.findall(
        r'<joint name="(j[^"]*)"', written.text
    ) == ["j", "j_2"]
    for wrong in ("other", "j_x"):
        with pytest.raises(ProofFailed, match="j_2 is only in A"):
            verify_mjcf(written.text.replace('"j_2"', f'"{wrong}"'), robot, decided)


@pytest.mark.parametrize("root", ["world", "odom"])
def test_where_a_robot_begins_that_floats_is_proven(root):
    """Two robots are the same wherever they are put; what is written of one must begin where that does."""
    robot = m.Robot(
        "r",
        (m.Link(root), link("a"), link("b")),
        (
            m.Joint("floats", "floating", root, "a", m.Pose((0.125, 0.25, 0.375))),
            joint("j", "continuous", "a", "b"),
        ),
    )
    sdf, decided = make_sdf(robot, SdfOptions())
    mjcf, bodies = make_mjcf(robot, MjcfOptions())
    usd, prims = make_usd(robot, UsdOptions())
    for text, verify in (
        (sdf.text, lambda text: verify_sdf(text, robot, decided)),
        (mjcf.text, lambda text: verify_mjcf(text, robot, bodies)),
        (usd.text, lambda text: verify_usd(text, usd.layer, robot, prims)),
        (robot.to_json(), lambda text: verify_json(text, reference_of(robot))),
    ):
        verify(text)
        for old, new in (("0.125", "0.625"), ('"floats"', '"falls"'), (f'"{root}"', '"another"')):
            assert old in text or old != "0.125"
            if old in text:
                with pytest.raises(ProofFailed):
                    verify(text.replace(old, new))


@pytest.mark.parametrize(
    "old", ["<link name", "<joint name", 'b" type', "<frame name", '" attached_to']
)
def test_an_attribute_that_no_program_reads_is_seen(old):
    robot = m.Robot(
        "r",
        (link("base"), link("b"), m.Link("tip")),
        (joint("a_b", "continuous", "base", "b"), joint("end", "fixed", "b", "tip")),
    )
    text, decided = make_sdf(robot, SdfOptions())
    top = text.text.replace("<sdf ", '<sdf xmlns:urdf="http://wiki.ros.org/urdf" ')
    verify_sdf(top, robot, decided)
    tag, _, name = old.rpartition(" ")
    assert old in top
    with pytest.raises(ProofFailed, match="has the prefix urdf:"):
        verify_sdf(top.replace(old, f"{tag} urdf:{name}"), robot, decided)


def test_a_root_that_sdf_puts_elsewhere_is_seen():
    robot = m.Robot("r", (link("base"), link("b")), (joint("j", "continuous", "base", "b"),))
    text, decided = make_sdf(robot, SdfOptions())
    with pytest.raises(ProofFailed, match="^SDF: link 'base' begins at "):
        verify_sdf(
            text.text.replace('<link name="base">', '<link name="base"><pose>0.5 0 0 0 0 0</pose>'),
            robot,
            decided,
        )


def test_several_links_that_float_in_the_world_are_free_in_sdf():
    robot = m.Robot(
        "r",
        (m.Link("world"), link("a"), link("b")),
        (joint("f", "floating", "world", "a"), joint("g", "floating", "world", "b")),
    )
    text = write_sdf(robot, SdfOptions()).text
    assert read_sdf(text).base == "free" and text.count("<link ") == 2
