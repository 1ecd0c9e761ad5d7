"""What MJCF and SDF get of things that no URDF has, and what is refused or named."""

import inspect
import math
import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from model_texts import make_mjcf
from urdf_tools import export, model as m
from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.base.errors import BrokenRobot, ErrorGroup, ProofFailed, UsageError
from urdf_tools.formats.export_diagnostics import EXPORT_RENAMED
from urdf_tools.model.model_diagnostics import EXPORT_LOST
from urdf_tools.model.export_options import Frame, MjcfOptions, SdfOptions, UsdOptions
from urdf_tools.export.mjcf_exporter import verify_mjcf, write_mjcf
from urdf_tools.formats.sdf.write_sdf import make_sdf
from urdf_tools.export.sdf_exporter import verify_sdf, verify_uris, write_sdf
from urdf_tools.export.usd_exporter import write_usd

UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
BOX = m.Box((0.2, 0.2, 0.2))


def pair(joint, **more):
    """A base and an arm with this joint between them."""
    return m.Robot("pair", (m.Link("base", UNIT), m.Link("arm", UNIT)), (joint,), **more)


def hinge(**more):
    return m.Joint(
        "j", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0), limit=m.Limit(-1.0, 1.0, 10.0, 3.0)
    )._replace(**more)


def mjcf(robot, **options):
    return ElementTree.fromstring(write_mjcf(robot, MjcfOptions(**options)).text)


def sdf(robot, **options):
    return ElementTree.fromstring(write_sdf(robot, SdfOptions(**options)).text)


def found(top, path):
    element = top.find(path)
    assert element is not None, path
    return element


def numbers(text):
    return [float(word) for word in (text or "").split()]


def test_what_sdf_does_not_define_in_a_sensor_gets_a_prefix_and_is_named():
    robot = m.Robot.from_urdf(
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        '<gazebo reference="a"><sensor name="s" type="imu"><gz_frame_id>a</gz_frame_id><update_rate>9</update_rate>'
        "<imu><noise><type>gaussian</type></noise><angular_velocity/></imu></sensor></gazebo></robot>"
    )
    with pytest.warns(m.ExportWarning) as said:
        text = m.to_sdf(robot)
    assert 'xmlns:urdf="' in text and "<urdf:gz_frame_id>a</urdf:gz_frame_id>" in text
    assert [str(one.message) for one in said] == [
        f"<{tag}> of 's' is not defined in SDF: written with the prefix urdf:, which Gazebo and Drake ignore"
        for tag in ("gz_frame_id", "noise")
    ]


def from_urdf(*blocks, visual=True):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    shapes = "".join(
        f'<{tag}><geometry><box size="1 1 1"/></geometry></{tag}>'
        for tag in ("visual", "collision")
    )
    return m.Robot.from_urdf(
        f'<robot name="r"><link name="a">{inertial}{shapes if visual else ""}</link>'
        f"{''.join(blocks)}</robot>"
    )


@pytest.mark.parametrize(
    "robot, version, needs",
    [
        (pair(hinge()), "1.7", ""),
        (m.Robot("r", (m.Link("a", UNIT, (m.Visual(m.Capsule(0.1, 0.2)),)),)), "1.8", ""),
        (
            m.Robot(
                "r",
                (m.Link("a", UNIT), m.Link("b", UNIT), m.Link("c", UNIT)),
                (
                    m.Joint("j", "continuous", "a", "b"),
                    m.Joint("k", "continuous", "b", "c", mimic=m.Mimic("j", 1.0, 0.0)),
                ),
            ),
            "1.11",
            ("<mimic> of 'k'", "Gazebo Harmonic", "SDF"),
        ),
        (
            from_urdf(
                '<gazebo reference="a"><sensor name="s" type="air_speed"><frame_id>x</frame_id></sensor></gazebo>'
            ),
            "1.7",
            "",
        ),
        (
            m.Robot(
                "r",
                (m.Link("a", UNIT), m.Link("frame"), m.Link("b", UNIT)),
                (m.Joint("j", "fixed", "a", "frame"), m.Joint("k", "continuous", "frame", "b")),
            ),
            "1.8",
            "",
        ),
    ],
)
def test_the_version_is_the_lowest_that_defines_what_is_written(robot, version, needs):
    """What `<gazebo>` brings from later versions is read in any file."""
    written = write_sdf(robot, SdfOptions())
    assert ElementTree.fromstring(written.text).get("version") == version
    assert [
        (note.names, f"1.{note.numbers[0]}") for note in written.notes if note.sentence == "version"
    ] == ([(needs, version)] if needs else [])


@pytest.mark.parametrize(
    "block, prefixed, told",
    [
        (
            '<gazebo reference="a"><sensor name="s" type="imu"><always_on>maybe</always_on></sensor></gazebo>',
            "urdf:always_on",
            ("<always_on>", "s"),
        ),
        (
            '<gazebo reference="a"><sensor name="s" type="imu"><update_rate>fast</update_rate></sensor></gazebo>',
            "urdf:update_rate",
            ("<update_rate>", "s"),
        ),
        ('<gazebo reference="a"><mu1>-1</mu1></gazebo>', "urdf:mu", ("<mu>", "a_collision")),
        (
            '<gazebo reference="a"><sensor name="s" type="strange"/></gazebo>',
            "urdf:sensor",
            ("<sensor> 's'", "a"),
        ),
        (
            '<gazebo reference="a"><sensor name="s" type="imu" odd="1"/></gazebo>',
            'urdf:odd="1"',
            ("odd= of <sensor>", "s"),
        ),
        ('<gazebo><plugin name="p"/></gazebo>', "urdf:plugin", ("<plugin> 'p'",)),
        (
            '<gazebo reference="a"><kinematic>perhaps</kinematic></gazebo>',
            "urdf:kinematic",
            ("<kinematic>", "a"),
        ),
        ("<gazebo><gravity>false</gravity></gazebo>", "urdf:gravity", ("<gravity>",)),
        (
            '<gazebo reference="a"><light name="l" type="point"><range>1</range></light></gazebo>',
            "urdf:range",
            ("<range>", "l"),
        ),
    ],
)
def test_what_sdf_does_not_define_gets_a_prefix(block, prefixed, told):
    written = write_sdf(from_urdf(block), SdfOptions())
    assert written.text.count(prefixed) >= 1 and 'xmlns:urdf="' in written.text
    assert (*told, "urdf:", "SDF") in [
        note.names for note in written.notes if note.sentence.startswith("prefix")
    ]


def test_what_sdf_has_in_links_and_shapes_goes_there():
    top = sdf(
        from_urdf(
            '<gazebo reference="a"><light name="l" type="point"/><enable_wind>true</enable_wind><visual><transparency>0.5'
            "</transparency><material><ambient>1 0 0 1</ambient></material></visual><collision><max_contacts>3"
            "</max_contacts><surface><friction><ode><mu>0.5</mu></ode><torsional><coefficient>2</coefficient></torsional>"
            "</friction></surface></collision></gazebo>",
            '<gazebo reference="a"><mu2>0.25</mu2></gazebo>',
        )
    )
    values = {
        "link/light": None,
        "link/enable_wind": "true",
        "visual/transparency": "0.5",
        "visual/material/ambient": "1 0 0 1",
        "collision/max_contacts": "3",
        "collision/surface/friction/ode/mu": "0.5",
        "collision/surface/friction/ode/mu2": "0.25",
        "collision/surface/friction/torsional/coefficient": "2",
    }
    assert {path: found(top, f".//{path}").text for path in values} == values


def test_of_two_surfaces_that_the_model_does_not_hold_the_last_counts():
    blocks = [
        f'<gazebo reference="a"><collision><surface><friction><torsional><{tag}>2</{tag}></torsional></friction>'
        "</surface></collision></gazebo>"
        for tag in ("coefficient", "patch_radius")
    ]
    friction = found(
        sdf(from_urdf(*blocks, '<gazebo reference="a"><mu1>0.5</mu1></gazebo>')), ".//friction"
    )
    assert [one.tag for one in friction.iter() if not len(one)] == ["patch_radius", "mu"]


def test_sensors_get_names_of_their_own():
    robot = from_urdf(
        '<gazebo reference="a"><sensor type="imu"/><sensor name="s" type="imu"/><sensor name="s" '
        'type="camera"/></gazebo>'
    )
    written = write_sdf(robot, SdfOptions())
    assert [one.get("name") for one in ElementTree.fromstring(written.text).iter("sensor")] == [
        "imu",
        "s",
        "s_2",
    ]
    assert [note.names for note in written.notes if note.kind is EXPORT_RENAMED] == [
        ("", "a", "imu", "SDF"),
        ("s", "a", "s_2", "SDF"),
    ]


@pytest.mark.parametrize("write", [write_mjcf, write_sdf, write_usd])
def test_what_moves_without_mass_is_refused_with_its_cure(write):
    """Each link of its own; a base that is asked to be free as well, and one that is not is fixed."""
    robot = m.Robot(
        "r",
        (m.Link("a", UNIT), m.Link("b"), m.Link("c")),
        (m.Joint("j", "continuous", "a", "b"), m.Joint("k", "continuous", "a", "c")),
    )
    options = {write_mjcf: MjcfOptions(), write_sdf: SdfOptions(), write_usd: UsdOptions()}[write]
    with pytest.raises(ErrorGroup) as caught:
        write(robot, options)
    said = "it moves and has no mass, with all that is fixed to it: give it one (urdf-simplify lint --fix does)"
    assert [error.message for error in caught.value.problems] == [
        f"link '{name}': {said}" for name in "bc"
    ]
    hung = m.Robot("r", (m.Link("a"), m.Link("b", UNIT)), (m.Joint("j", "continuous", "a", "b"),))
    with pytest.raises(
        BrokenRobot, match="the root has no mass, .* cannot be free: leave out base free"
    ):
        write(hung, options._replace(base="free"))
    write(hung, options)


def test_ellipsoid_plane_and_compound():
    compound = m.Compound((m.Part(m.Sphere(0.1)), m.Part(BOX, m.Pose((0.0, 0.0, 0.5)))))
    robot = m.Robot(
        "r",
        (
            m.Link(
                "base",
                UNIT,
                collisions=(
                    m.Collision(m.Ellipsoid((0.1, 0.2, 0.3))),
                    m.Collision(m.Plane((2.0, 4.0))),
                    m.Collision(compound, m.Pose((1.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2))),
                ),
            ),
        ),
    )
    geoms = mjcf(robot, base="fixed").findall(".//body/geom")
    assert [one.get("type") for one in geoms] == ["ellipsoid", "plane", "sphere", "box"]
    assert numbers(geoms[0].get("size")) == [0.1, 0.2, 0.3] and numbers(geoms[1].get("size"))[
        :2
    ] == [1.0, 2.0]
    assert numbers(geoms[3].get("pos")) == pytest.approx([1.0, 0.0, 0.5])
    shapes = sdf(robot).findall(".//collision/geometry/*")
    assert [one.tag for one in shapes] == ["ellipsoid", "plane", "sphere", "box"]
    assert numbers(found(shapes[1], "size").text) == [2.0, 4.0]
    with pytest.warns(m.ExportWarning, match="left out of URDF, which has no (ellipsoid|plane)"):
        assert robot.to_urdf().count("<collision") == 2


def test_a_ball_joint_is_for_mjcf_and_sdf():
    robot = pair(m.Joint("j", "ball", "base", "arm", dynamics=m.Dynamics(0.5)))
    assert found(mjcf(robot), ".//body/body/joint").get("type") == "ball"
    assert found(mjcf(robot), ".//key").get("qpos") == "0 0 0 1 0 0 0 1 0 0 0"
    assert found(sdf(robot), ".//joint").get("type") == "ball"
    with pytest.raises(BrokenRobot, match="joint 'j': URDF has no ball joint"):
        robot.to_urdf()


def test_spring_and_armature():
    robot = pair(hinge(spring=m.Spring(5.0, 0.25), armature=0.01))
    joint = found(mjcf(robot), ".//body/body/joint")
    assert (joint.get("stiffness"), joint.get("springref"), joint.get("armature")) == (
        "5",
        "0.25",
        "0.01",
    )
    dynamics = found(sdf(robot), ".//dynamics")
    assert (dynamics.findtext("spring_stiffness"), dynamics.findtext("spring_reference")) == (
        "5",
        "0.25",
    )
    with pytest.warns(
        m.ExportWarning,
        match="joint 'j': its armature is left out of URDF, which has no such value",
    ):
        assert m.Robot.from_urdf(robot.to_urdf()).joints[0].spring == m.Spring(5.0, 0.25)


def test_a_density_gives_the_mass_where_there_is_no_inertial():
    radius, length, density = 0.1, 0.4, 800.0
    robot = m.Robot(
        "r",
        (
            m.Link(
                "base",
                collisions=(
                    m.Collision(BOX, density=1000.0),
                    m.Collision(m.Capsule(radius, length), density=density),
                ),
            ),
        ),
    )
    capsule = density * (math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3)
    assert robot.mass == pytest.approx(8.0 + capsule, rel=1e-12)
    assert float(found(mjcf(robot), ".//inertial").get("mass", "")) == pytest.approx(
        robot.mass, rel=1e-11
    )
    assert m.Robot.from_urdf(robot.to_urdf()).mass == pytest.approx(robot.mass, rel=1e-12)
    mesh = m.Robot(
        "r", (m.Link("base", collisions=(m.Collision(m.Mesh("a.stl"), density=1000.0),)),)
    )
    assert [str(one) for one in mesh.problems()] == [
        "error: link 'base': a density on a mesh gives no mass: its volume is not known"
    ]


def test_surfaces():
    surface = m.Surface(mu1=0.8, mu2=0.5, restitution=0.3, kp=1e5)
    robot = m.Robot(
        "r",
        (m.Link("base", UNIT, collisions=(m.Collision(BOX, surface=surface), m.Collision(BOX))),),
    )
    written = write_mjcf(robot, MjcfOptions())
    geoms = ElementTree.fromstring(written.text).findall(".//body/geom")
    assert [one.get("friction") for one in geoms] == ["0.8", None]
    assert (
        Diagnostic(EXPORT_LOST, 0, "contacts", ("base", "mu2, restitution, kp", "MJCF"))
        in written.notes
    )
    top = sdf(robot)
    assert found(top, ".//surface/bounce/restitution_coefficient").text == "0.3"
    assert found(top, ".//surface/friction/ode/mu2").text == "0.5"
    assert found(top, ".//surface/contact/ode/kp").text == "100000"
    with pytest.warns(m.ExportWarning, match="URDF holds one set for a link"):
        assert "mu1" not in robot.to_urdf()


def test_looks():
    material = m.Material(
        "steel", (0.5, 0.5, 0.6, 1.0), specular=0.4, emission=0.1, metallic=0.9, roughness=0.2
    )
    robot = m.Robot(
        "r",
        (m.Link("base", UNIT, visuals=(m.Visual(BOX, material=m.Material("steel")),)),),
        materials=(material,),
    )
    asset = found(mjcf(robot), "asset/material")
    assert [asset.get(key) for key in ("specular", "emission", "metallic", "roughness")] == [
        "0.4",
        "0.1",
        "0.9",
        "0.2",
    ]
    top = sdf(robot)
    assert numbers(found(top, ".//emissive").text) == pytest.approx([0.05, 0.05, 0.06, 1.0])
    assert found(top, ".//pbr/metal/metalness").text == "0.9"
    lost = "specular, emission, metallic, roughness is left out of URDF, which has no such value"
    with pytest.warns(m.ExportWarning, match=lost):
        robot.to_urdf()


def test_a_servo_stays_at_home():
    robot = pair(hinge(limit=m.Limit(0.25, 1.0, 10.0, 3.0)))
    key = found(mjcf(robot, base="fixed", actuators="position", kp=10.0), ".//key").attrib
    assert key == {"name": "home", "qpos": "0.25", "ctrl": "0.25"}
    assert found(mjcf(robot, base="fixed", home=(("j", 0.5),)), ".//key").get("qpos") == "0.5"


@pytest.mark.parametrize("root, kept", [("base", "base"), ("world", "tip")])
def test_a_robot_of_frames_alone_has_one_link_in_sdf(root, kept):
    """A model without a link is refused by Drake and libsdformat."""
    top = sdf(
        m.Robot("marks", (m.Link(root), m.Link("tip")), (m.Joint("j", "fixed", root, "tip"),))
    )
    assert [link.get("name") for link in top.findall("model/link")] == [kept]


def test_moments_that_nobody_has_are_told_however_small():
    noise = m.Inertial(0.2, m.Inertia(0.0, 0.0, 0.0, ixz=1.35525e-20))
    with pytest.raises(BrokenRobot, match="principal moments -1.35525e-20 0 1.35525e-20 of"):
        mjcf(m.Robot("r", (m.Link("l", noise),), ()), base="free")


def test_what_most_joints_share_is_said_by_the_class():
    links = tuple(m.Link(f"l{k}", UNIT) for k in range(4))
    dampings = (0.5, 0.5, None)
    joints = tuple(
        m.Joint(f"j{k}", "continuous", f"l{k}", f"l{k + 1}", dynamics=m.Dynamics(damping))
        for k, damping in enumerate(dampings)
    )
    top = mjcf(m.Robot("r", links, joints))
    assert found(top, "default/default/joint").attrib == {"damping": "0.5"}
    assert [one.get("damping") for one in top.findall(".//body/joint")] == [None, None, "0"]


def test_seven_joints_of_massless_links_are_refused():
    links = (m.Link("base", UNIT), *(m.Link(f"l{k}") for k in range(6)), m.Link("l6", UNIT))
    joints = tuple(
        m.Joint(f"j{k}", "continuous", f"l{k - 1}" if k else "base", f"l{k}") for k in range(7)
    )
    with pytest.raises(BrokenRobot, match="7 joints would be in one body; MuJoCo allows 6"):
        mjcf(m.Robot("r", links, joints))
    fewer = m.Robot(
        "r",
        links[:1] + links[2:],
        tuple(
            joint._replace(parent="base") if joint.parent == "l0" else joint for joint in joints[1:]
        ),
    )
    assert len(mjcf(fewer).findall(".//body/body/joint")) == 6


@pytest.mark.parametrize(
    "options, message",
    [
        ({"base": "loose"}, "base loose: there are auto, free, fixed"),
        ({"actuators": "muscle"}, "actuators muscle: there are motor, position, none"),
        ({"actuators": "position"}, "actuators position needs a gain, such as kp 100"),
        ({"kp": -1.0}, "kp -1: the gain must be above zero"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(UsageError) as caught:
        mjcf(pair(hinge()), **options)
    assert str(caught.value) == message


def test_the_proof_refuses_a_body_that_is_not_there():
    robot = pair(hinge())
    written, decided = make_mjcf(robot, MjcfOptions())
    with pytest.raises(ProofFailed, match="link 'arm': it has a mass, and none is written"):
        verify_mjcf(written.text.replace('"arm"', '"leg"'), robot, decided)


def test_the_proof_refuses_sites_that_are_not_what_was_asked_for():
    """Those of frames and sensors: moved, turned, of another name, missing, or more than there should be."""
    imu = m.Sensor("imu", "imu", "arm", origin=m.Pose((0.0, 0.1, 0.0), (0.3, 0.0, 0.0)))
    frames = (
        Frame("tool0", "arm", m.Pose((0.1, 0.0, 0.0), (0.0, 0.5, 0.0))),
        Frame("tool0", "base"),
    )
    robot = pair(hinge())._replace(sensors=(imu,))
    written, decided = make_mjcf(robot, MjcfOptions(frames=frames))
    verify_mjcf(written.text, robot, decided)
    sites = re.findall("<site name.*?/>", written.text)
    assert [re.findall('name="(.*?)"', site)[0] for site in sites] == ["tool0", "imu", "tool0_2"]
    for old, new in (
        (sites[0], sites[0].replace("0.1 0 0", "0.10001 0 0")),
        (' quat="0.9', ' quat="0.8'),
        (sites[1], ""),
        (sites[1], sites[1] + '<site name="more"/>'),
        ('"tool0_2"', '"elsewhere"'),
    ):
        assert old in written.text and old != new
        with pytest.raises(
            ProofFailed, match="tool0: (10 um|turned)|frame '(more|elsewhere)' is written|imu"
        ):
            verify_mjcf(written.text.replace(old, new, 1), robot, decided)
    more = Frame("more", "arm", m.Pose((1.0, 0.0, 0.0)))
    with pytest.raises(ProofFailed, match="more is only in A"):
        verify_mjcf(
            written.text, robot, decided._replace(options=MjcfOptions(frames=(*frames, more)))
        )


def test_the_proof_refuses_a_frame_that_is_elsewhere_in_sdf():
    written, decided = make_sdf(
        pair(hinge()), SdfOptions(frames=(Frame("tool0", "arm", m.Pose((0.1, 0.0, 0.0))),))
    )
    verify_sdf(written.text, pair(hinge()), decided)
    for old, new in (
        ("<pose>0.1 0", "<pose>0.10001 0"),
        ('frame name="tool0"', 'frame name="tool1"'),
        ('attached_to="arm"', 'attached_to="base"'),
    ):
        assert old in written.text
        with pytest.raises(ProofFailed, match="tool[01]"):
            verify_sdf(written.text.replace(old, new), pair(hinge()), decided)


@pytest.mark.parametrize("base", ["auto", "free", "fixed"])
def test_the_proof_refuses_another_base(base):
    """With and without weight, the root held and free: the text of one base is not that of the other."""
    for robot in (
        pair(hinge()),
        pair(hinge())._replace(links=(m.Link("base"), m.Link("arm", UNIT))),
    ):
        held = base == "fixed"
        other = "free" if held else "fixed"
        for make, verify, options in (
            (make_mjcf, verify_mjcf, MjcfOptions()),
            (make_sdf, verify_sdf, SdfOptions()),
        ):
            if robot.links[0].inertial is None:  # without weight it is held, whatever is asked for
                with pytest.raises(BrokenRobot, match="cannot be free"):
                    make(robot, options._replace(base="free"))
                continue
            written, decided = make(robot, options._replace(base=base))
            verify(written.text, robot, decided)
            wrong, of_wrong = make(robot, options._replace(base=other))
            with pytest.raises(ProofFailed, match="free"):
                verify(wrong.text, robot, of_wrong._replace(options=options._replace(base=base)))


def test_the_proof_refuses_limits_that_do_not_hold():
    written, decided = make_mjcf(pair(hinge()), MjcfOptions())
    text = written.text.replace('autolimits="true"', 'autolimits="false"')
    assert text != written.text
    with pytest.raises(
        ProofFailed, match="autolimits is false, and no attribute sets whether its range applies"
    ):
        verify_mjcf(text, pair(hinge()), decided)


def test_the_proof_of_sdf_refuses_frames_that_are_not_written():
    frames = (Frame("tool0", "arm", m.Pose((0.1, 0.0, 0.0))), Frame("tool1", "base"))
    _, decided = make_sdf(pair(hinge()), SdfOptions(frames=frames))
    without, none = make_sdf(pair(hinge()), SdfOptions())
    with pytest.raises(ProofFailed, match="frame 'tool0' is not written"):
        verify_sdf(without.text, pair(hinge()), decided._replace(frames=none.frames))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("../p/x.stl", "../p/y.stl", "visual x is ../p/x.stl / ../p/y.stl"),
        ("<uri>../p/x.stl</uri>", "", "visual x is ../p/x.stl / none"),
        ("../p/x.stl", "../q/x.stl", "the file of visual"),
        ("../p/z.stl", "../p/x.stl", "collision z is ../p/z.stl / "),
        (
            "<xyz>",
            '<xyz expressed_in="__model__">',
            "turned by 28.65 degrees, and every link after it",
        ),
        ("<diffuse>0.5", "<diffuse>0.25", "another color"),
        ("<ambient>0.5", "<ambient>0.25", "ambient 0.5 0.5 0.6 1 / 0.25 0.5 0.6 1"),
        ("<diffuse>0.5 0.5 0.6 1</diffuse>", "", "ambient none / 0.5 0.5 0.6 1"),
    ],
)
def test_the_proof_of_sdf_refuses_other_files_axes_and_colors(old, new, message):
    base = m.Link(
        "base",
        UNIT,
        (m.Visual(m.Mesh("package://p/x.stl"), material=m.Material("steel")),),
        (m.Collision(m.Mesh("package://p/z.stl")),),
    )
    turned = hinge(origin=m.Pose((0.0, 0.0, 0.1), (0.5, 0.0, 0.0)))
    robot = pair(turned)._replace(
        links=(base, m.Link("arm", UNIT)), materials=(m.Material("steel", (0.5, 0.5, 0.6, 1.0)),)
    )
    names = (("package://p/x.stl", "../p/x.stl"), ("package://p/z.stl", "../p/z.stl"))
    written, decided = make_sdf(robot, SdfOptions(mesh_files=names))
    verify_sdf(written.text, robot, decided)
    assert old in written.text
    with pytest.raises(ProofFailed, match=message):
        verify_sdf(written.text.replace(old, new), robot, decided)


def test_the_proof_of_sdf_sees_a_name_that_leads_elsewhere(tmp_path):
    targets = {"x.stl": str(tmp_path / "meshes" / "x.stl")}
    verify_uris({"x.stl": "../meshes/x.stl"}, str(tmp_path / "models"), targets)
    with pytest.raises(ProofFailed, match=r"SDF: where mesh 'x\.stl' is"):
        verify_uris({"x.stl": "meshes/x.stl"}, str(tmp_path / "models"), targets)
    with pytest.raises(ProofFailed, match="'x.stl' is there, and has no place"):
        verify_uris({}, str(tmp_path / "models"), targets)
    with pytest.raises(ProofFailed, match="'y.stl' is not there, and has a place"):
        verify_uris({"x.stl": "../meshes/x.stl", "y.stl": "."}, str(tmp_path / "models"), targets)


def test_a_robot_that_is_not_sound_is_refused_by_each_format():
    robot = m.Robot("r", (m.Link("a", UNIT), m.Link("b", UNIT), m.Link("b", UNIT)))
    for write in (m.to_mjcf, m.to_sdf, m.to_urdf):
        with pytest.raises(ErrorGroup, match="link 'b': this name is used twice"):
            write(robot)


def test_more_links_in_a_row_than_calls_may_be_deep():
    """Text and proof are made without recursion."""
    count = 300
    links = tuple(m.Link(f"l{k}", UNIT) for k in range(count))
    joints = tuple(m.Joint(f"j{k}", "continuous", f"l{k}", f"l{k + 1}") for k in range(count - 1))
    robot = m.Robot("chain", links, joints)
    limit = sys.getrecursionlimit()
    for form in (mjcf, sdf):  # what is loaded late is loaded now
        form(pair(hinge()))
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    try:
        assert write_mjcf(robot, MjcfOptions()).text.count("<body") == count
        assert write_sdf(robot, SdfOptions()).text.count("<link") == count
        assert m.Robot.from_json(robot.to_json()) == robot
    finally:
        sys.setrecursionlimit(limit)


def test_files_are_named_as_asked():
    robot = m.Robot(
        "r",
        (
            m.Link(
                "base",
                UNIT,
                visuals=(
                    m.Visual(m.Mesh("package://p/a/x.stl")),
                    m.Visual(m.Mesh("package://p/b/x.stl")),
                ),
            ),
        ),
    )
    names = (("package://p/a/x.stl", "../p/a/x.stl"), ("package://p/b/x.stl", ""))
    written = write_mjcf(robot, MjcfOptions(mesh_files=names))
    top = ElementTree.fromstring(written.text)
    assert [one.get("file") for one in top.findall("asset/mesh")] == ["../p/a/x.stl"]
    assert len(top.findall(".//body/geom")) == 1


def test_a_material_without_a_name_means_nothing_for_others():
    """A shape that says no material is not painted like another one whose material has no name."""
    white = m.Visual(BOX, material=m.Material("", (0.9, 0.9, 0.8, 1.0)))
    for robot in (
        m.Robot("r", (m.Link("base", UNIT, visuals=(m.Visual(BOX), white)),)),
        m.Robot(
            "r", (m.Link("base", UNIT, visuals=(m.Visual(BOX, material=m.Material("")), white)),)
        ),
    ):
        assert [one.get("rgba") for one in mjcf(robot).findall(".//body/geom")] == [
            None,
            "0.9 0.9 0.8 1",
        ]
        visuals = sdf(robot).findall(".//visual")
        assert [one.find("material") is None for one in visuals] == [True, False]


def test_a_color_beyond_white_is_held_at_white(tmp_path):
    text = (
        '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry><material name="m">'
        '<color rgba="1.5 0.2 -0.5 1"/></material></visual></link></robot>'
    )
    (tmp_path / "r.urdf").write_text(text)
    for ending, expected in (("sdf", "<diffuse>1 0.2 0 1</diffuse>"), ("xml", 'rgba="1 0.2 0 1"')):
        export(tmp_path / "r.urdf", tmp_path / f"r.{ending}")
        assert expected in (tmp_path / f"r.{ending}").read_text()
