"""The reader of MJCF: each rule by the smallest file; what our own export writes; nothing passed over in silence."""

import math
from pathlib import Path

import pytest
from conftest import needs_symlinks, ROOT
from hypothesis import given, strategies as st
from raw_kinematics import near

from urdf_tools import model
from urdf_tools.base.errors import UrdfError, UrdfSimplifyError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.formats.mjcf import mujoco_mesh_masses
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.formats.xml_reader import read_xml
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.model.export_options import MjcfOptions
from urdf_tools.urdf.spatial_math import IDENTITY_POSE

WHOLE = ROOT / "fixtures/compare/whole.xml"
HINGE = '<joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


def mjcf(bodies, before="", behind=""):
    return read_mjcf(
        f"<mujoco>{before}<worldbody>{bodies}</worldbody>{behind}</mujoco>", "robot.xml"
    )


def child(inside, attributes="", before="", behind=""):
    """Return the robot with one body, `a`, in the world."""
    return mjcf(f'<body name="a" {attributes}>{inside}</body>', before, behind)


def joint_of(attributes, compiler=""):
    inside = f'<joint name="j" {attributes}/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    return child(inside, before=f"<compiler {compiler}/>").joints[0]


QUARTER = ((0, -1, 0), (1, 0, 0), (0, 0, 1))


@pytest.mark.parametrize(
    ("attributes", "compiler", "rotation"),
    [
        ('quat="2 0 0 2"', "", QUARTER),
        ('axisangle="0 0 3 90"', "", QUARTER),
        ('axisangle="0 0 3 1.5707963267948966"', 'angle="radian"', QUARTER),
        ('euler="0 0 90"', "", QUARTER),
        ('xyaxes="0 2 0 -1 1 0"', "", QUARTER),
        ('zaxis="0 1 0"', "", ((1, 0, 0), (0, 0, 1), (0, -1, 0))),
        ('zaxis="0 0 -1"', "", ((1, 0, 0), (0, -1, 0), (0, 0, -1))),
        (
            'euler="90 0 90"',
            "",
            ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
        ),  # about axes that turn with it
        (
            'euler="90 0 90"',
            'eulerseq="XYZ"',
            ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
        ),  # about axes that stay
        ('euler="90 0 90"', 'eulerseq="zyx"', ((0, 0, 1), (1, 0, 0), (0, 1, 0))),
    ],
)
def test_every_way_to_turn_a_body(attributes, compiler, rotation):
    near(
        child(HINGE, attributes, f"<compiler {compiler}/>").joints[0].T_parent_child.rotation,
        rotation,
    )


def test_frames_fold_into_what_is_in_them():
    robot = mjcf(
        '<frame pos="1 0 0" euler="0 0 90"><frame pos="1 0 0"><body name="a" pos="0 1 0">'
        '<frame pos="0 0 5" euler="0 0 90"><joint name="j" axis="1 0 0" pos="1 0 0"/><site name="s"/></frame>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></frame></frame>'
    )
    near(robot.joints[0].T_parent_child, (QUARTER, (0, 1, 0)))
    near((robot.joints[0].axis, robot.joints[0].point), ((0, 1, 0), (0, 1, 5)))
    near(robot.frames[0].T_link_frame, (QUARTER, (0, 0, 5)))


def test_several_compilers_add_up():
    before = '<compiler angle="radian"/><compiler eulerseq="XYZ"/>'
    near(
        child(HINGE, 'euler="0 0 1.5707963267948966"', before).joints[0].T_parent_child.rotation,
        QUARTER,
    )


@pytest.mark.parametrize(
    ("attributes", "compiler", "limits"),
    [
        ('range="-90 180"', "", (-math.pi / 2, math.pi)),
        ('range="-1 2"', 'angle="radian"', (-1, 2)),
        ('range="-1 2" type="slide"', "", (-1, 2)),
        ('range="0 0"', "", (None, None)),
        ('range="1 -1"', "", (None, None)),
        ('range="-1 1" limited="false"', "", (None, None)),
        ("", 'autolimits="false"', (None, None)),
        ('range="-1 2" limited="true"', 'autolimits="false" angle="radian"', (-1, 2)),
    ],
)
def test_ranges(attributes, compiler, limits):
    joint = joint_of(attributes, compiler)
    assert (joint.lower, joint.upper) == limits


def test_what_a_joint_says():
    joint = joint_of(
        'ref="90" damping="1" frictionloss="2" armature="3" stiffness="4" springref="180" axis="0 2 0" '
        'pos="0 0 1" actuatorfrcrange="-5 4"'
    )
    assert (joint.type, joint.reference, joint.axis, joint.point, joint.effort) == (
        "continuous",
        math.pi / 2,
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
        5.0,
    )
    assert joint.values == {
        "damping": (1.0,),
        "friction": (2.0,),
        "armature": (3.0,),
        "stiffness": (4.0,),
        "spring_reference": (math.pi,),
    }


def test_several_joints_in_a_body_are_a_chain_of_links():
    robot = child(
        '<joint name="x" type="slide" axis="1 0 0"/><joint name="y"/><geom size="1"/>',
        'pos="0 0 1"',
    )
    assert [
        (joint.name, joint.parent, joint.child, joint.T_parent_child.translation[2])
        for joint in robot.joints
    ] == [("x", "world", "a_x", 1.0), ("y", "a_x", "a", 0.0)]
    assert [link.mass is None for link in robot.links] == [True, True, False]


def test_the_nearest_class_counts():
    before = (
        '<default><geom density="1"/><default class="b"><geom density="2"/><default class="c"><geom rgba="1 0 0 1"/>'
        '</default></default></default><default><joint damping="7"/></default>'
    )
    robot = mjcf(
        '<body name="a" childclass="c"><joint/><geom type="box" size=".5 .5 .5"/><frame childclass="main">'
        '<geom type="box" size=".5 .5 .5"/></frame><geom class="b" type="box" size=".5 .5 .5" density="5"/>'
        "</body>",
        before,
    )
    mass = robot.links[1].mass
    assert mass is not None and mass.mass == 2.0 + 1.0 + 5.0
    assert [shape.color for shape in robot.links[1].shapes[::2]] == [(1, 0, 0, 1), None, None]
    assert robot.joints[0].values["damping"] == (7.0,)


def test_who_says_fewer_numbers_leaves_the_rest_to_the_class():
    before = (
        '<default><geom type="capsule" size="1 2" friction=".5 .25 .125" condim="6"/></default>'
    )
    shape = child('<geom size="3" friction=".75"/>', before=before).links[1].shapes[1]
    assert shape.sizes == (3.0, 4.0)
    assert shape.surface == {
        "mu1": (0.75,),
        "contact_dimensions": (6.0,),
        "torsional": (0.25,),
        "rolling": (0.125,),
    }


@pytest.mark.parametrize(
    ("geom", "mass", "tensor"),
    [
        ('type="box" size=".5 1 1.5" mass="12"', 12, (13, 0, 0, 10, 0, 5)),
        ('size="1" mass="5"', 5, (2, 0, 0, 2, 0, 2)),
        ('type="ellipsoid" size="1 2 3" mass="5"', 5, (13, 0, 0, 10, 0, 5)),
        ('type="cylinder" size="2 3" mass="1"', 1, (4, 0, 0, 4, 0, 2)),
        ('type="cylinder" fromto="0 -3 0 0 3 0" size="2" mass="1"', 1, (4, 0, 0, 2, 0, 4)),
        ('type="box" size=".5 .5 .5" density="3"', 3, (0.5, 0, 0, 0.5, 0, 0.5)),
        ('type="capsule" size="1 1.5" density="1"', math.pi * (3 + 4 / 3), None),
    ],
)
def test_what_geoms_weigh(geom, mass, tensor):
    found = child(f'<joint/><geom pos="0 0 0" {geom}/>').links[1].mass
    assert found is not None
    near(found.mass, mass) if isinstance(found.mass, tuple) else near([found.mass], [mass])
    if tensor:
        near(found.tensor, tensor)


@pytest.mark.parametrize("turn", ("", 'quat="0 1 0 0"', 'euler="0 90 0"', 'zaxis="1 0 0"'))
def test_the_ends_of_a_geom_are_its_pose_whatever_turn_is_written(turn):
    """MuJoCo takes a position of zero for none, and no turn beside the ends; it refuses any other position."""
    ends = 'type="capsule" size="0.25" fromto="-0.5 0 0 0.5 0 0.2"'
    (plain,), (turned,) = (
        child(f"<joint/><geom {ends} {words}/>").links[1].shapes[:1]
        for words in ("", f'pos="0 0 0" {turn}')
    )
    assert turned.T_link_shape == plain.T_link_shape
    assert turned.sizes == plain.sizes
    with pytest.raises(UrdfError, match="both fromto and pos give its place: remove one of them"):
        child(f'<joint/><geom {ends} pos="0 0 0.1" {turn}/>')


@pytest.mark.parametrize(
    ("compiler", "mass"),
    [
        ("", 2.0),
        ('inertiafromgeom="true"', 8.0),
        ('inertiafromgeom="true" inertiagrouprange="1 1"', 2.0),
        ('settotalmass="10"', 10.0),
        ('boundmass="3"', 3.0),
    ],
)
def test_what_the_compiler_makes_of_a_mass(compiler, mass):
    robot = child(
        '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom type="box" size="1 1 1" density="1"/>',
        before=f"<compiler {compiler}/>",
    )
    assert robot.links[1].mass is not None and robot.links[1].mass.mass == mass


def test_broken_moments_are_balanced_and_small_ones_raised():
    inside = '<inertial pos="0 0 0" mass="1" quat="1 0 0 1" diaginertia="1 2 6"/>'
    for compiler, tensor in (
        ('balanceinertia="true"', (3, 0, 0, 3, 0, 3)),
        ('boundinertia="1.5"', (2, 0, 0, 1.5, 0, 6)),
    ):
        mass = child(inside, before=f"<compiler {compiler}/>").links[1].mass
        assert mass is not None
        near(mass.tensor, tensor)


def test_a_mass_that_only_a_bound_makes_is_where_mujoco_puts_it():
    mass = (
        mjcf('<frame pos="5 0 0"><body name="a" pos="1 2 3"/></frame>', '<compiler boundmass="2"/>')
        .links[1]
        .mass
    )
    assert mass is not None and mass[:2] == (2.0, (1.0, 2.0, 3.0))


def test_a_full_inertia_has_its_own_order():
    mass = child('<inertial pos="1 2 3" mass="1" fullinertia="3 4 5 .1 .2 .3"/>').links[1].mass
    assert mass is not None and mass[:3] == (1.0, (1.0, 2.0, 3.0), (3.0, 0.1, 0.2, 4.0, 0.3, 5.0))


def test_the_free_body_with_the_most_joints_is_the_robot():
    robot = mjcf(
        '<geom type="plane" size="1 1 1"/><body name="ball"><freejoint/><geom size="1"/></body>'
        '<body name="dog"><freejoint name="root"/><geom size="1"/><body name="leg"><joint name="hip"/>'
        '<geom size="1"/></body></body>',
        behind='<contact><exclude body1="dog" body2="ball"/></contact>',
    )
    assert (
        robot.base,
        [link.name for link in robot.links],
        [joint.name for joint in robot.joints],
    ) == ("free", ["dog", "leg"], ["hip"])
    assert robot.notes == ("a scene: the robot is 'dog'; left out: 'ball'",)
    assert sorted(left.element for left in robot.unread) == [
        '<body name="ball">',
        "<exclude>",
        "<geom>",
    ]


def test_a_robot_that_is_fixed_has_the_world_as_its_root():
    robot = mjcf(
        '<body name="a"><joint name="j"/><geom size="1"/></body><body name="cup"><freejoint/><geom size="1"/>'
        '</body><body name="table"><geom size="1"/></body><body name="hand" mocap="true"/>'
    )
    assert (robot.base, [link.name for link in robot.links]) == ("fixed", ["world", "a", "table"])
    assert [left.element for left in robot.unread] == ['<body name="cup">', '<body name="hand">']


def test_equalities_are_followers_locks_and_loops():
    bodies = "".join(
        f'<body name="{name}" pos="0 0 {k}"><joint name="{name}" ref="{k}"/><geom size="1"/></body>'
        for k, name in enumerate("abcd")
    )
    robot = mjcf(
        bodies + '<site name="s" pos="1 0 0"/>',
        '<compiler angle="radian"/>',
        """<equality>
        <joint joint1="b" joint2="c" polycoef="3 2"/> <joint joint1="d" polycoef=".5"/>
        <joint joint1="c" joint2="b" polycoef="3 2"/> <joint joint1="a" joint2="b" polycoef="0 1 2"/>
        <connect name="p" body1="a" body2="b" anchor="1 0 0"/> <weld body1="c" anchor="0 0 1"/>
        <connect site1="s" site2="s" active="false"/></equality>""",
    )
    b, d = robot.joints[1], robot.joints[3]
    assert d.type == "revolute"
    assert b.mimic == ("c", 2.0, 1.0 + 3.0 - 2.0 * 2.0) and (d.lower, d.upper) == (3.5, 3.5)
    assert [(loop.kind, loop.links) for loop in robot.loops] == [
        ("polynomial", ("a", "b")),
        ("point", ("a", "b")),
        ("frame", ("c", "world")),
    ]
    near([end.translation for end in robot.loops[1].T_link_end], [(1, 0, 0), (1, 0, -1)])
    near([end.translation for end in robot.loops[2].T_link_end], [(0, 0, -1), (0, 0, 1)])
    assert [(left.element, left.why) for left in robot.unread] == [
        ("<joint>", "its joint follows another already"),
        ("<connect>", "it is not active at the start"),
    ]


PLANAR = """<joint name="p_x" type="slide" axis="1 0 0" damping="1"/>
<joint name="p_y" type="slide" axis="0 1 0" damping="1"/><joint name="{}" axis="0 0 1" damping="1"/><geom size="1"/>"""


@pytest.mark.parametrize(
    ("yaw", "types"), [("p_yaw", ["planar"]), ("turn", ["prismatic", "prismatic", "continuous"])]
)
def test_a_planar_joint_is_known_by_its_names(yaw, types):
    robot = child(PLANAR.format(yaw))
    assert [joint.type for joint in robot.joints] == types
    assert robot.joints[-1].values == {"damping": (1.0,)} and robot.joints[-1].axis == (
        0.0,
        0.0,
        1.0,
    )


def test_a_number_that_the_format_means_is_no_difference():
    urdf = read_urdf(b"""<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision>
        </link><gazebo reference="a"><mu1>1</mu1></gazebo></robot>""")
    for friction, same in (("", True), ('friction=".5"', False)):
        robot = mjcf(f'<body name="a"><geom group="3" size="1" mass="0" {friction}/></body>')
        assert compare(urdf, robot).is_same is same


@pytest.mark.parametrize(
    ("actuator", "kind", "values", "effort"),
    [
        (
            '<motor joint="j" gear="3" ctrlrange="-2 1"/>',
            "motor",
            {"gear": (3,), "control_range": (-2, 1)},
            6,
        ),
        ('<general joint="j" gainprm="4" gear="3"/>', "motor", {"gear": (12,)}, None),
        (
            '<position joint="j" kp="5" kv="2" forcerange="-7 6" gear="2"/>',
            "position",
            {"gear": (2,), "kp": (5,), "kv": (2,), "force_range": (-7, 6)},
            14,
        ),
        (
            '<general joint="j" gainprm="5" biastype="affine" biasprm="0 -5 -2"/>',
            "position",
            {"kp": (5,), "kv": (2,)},
            None,
        ),
        (
            '<position joint="j" inheritrange=".5" dampratio="1"/>',
            "position",
            {
                "kp": (1,),
                "control_range": (-0.5, 0.5),
                "kv": (2 * (0.4 * 4000 / 3 * math.pi) ** 0.5,),
            },
            None,
        ),
        (
            '<damper joint="j" kv="3" ctrlrange="0 2"/>',
            "damper",
            {"kv": (3,), "control_range": (0, 2)},
            None,
        ),
        (
            '<general joint="j" ctrlrange="0 2" gaintype="affine" gainprm="0 0 -3"/>',
            "damper",
            {"kv": (3,), "control_range": (0, 2)},
            None,
        ),
        (
            '<general joint="j" dyntype="integrator" biastype="affine" gainprm="3" biasprm="0 -3 -0.2"/>',
            "intvelocity",
            {"kp": (3,), "kv": (0.2,)},
            None,
        ),
        (
            '<general joint="j" gainprm="2 0 0 0" biastype="affine" biasprm="1 -2"/>',
            "general (fixed, affine, none)",
            {"gear": (1,), "gain": (2, 0, 0), "bias": (1, -2, 0), "activation": (1,)},
            None,
        ),
        ('<velocity joint="j" kv="5"/>', "velocity", {"kv": (5,)}, None),
        ('<intvelocity joint="j" kp="5" actrange="-1 1"/>', "intvelocity", {"kp": (5,)}, None),
        ('<muscle joint="j"/>', "muscle", {}, None),
    ],
)
def test_actuators_by_their_values(actuator, kind, values, effort):
    robot = child(
        '<joint name="j" range="-1 1"/><geom size="1"/>',
        "",
        '<compiler angle="radian"/>',
        f"<actuator>{actuator}</actuator>",
    )
    (found,) = robot.actuators
    assert (found.kind, found.joint, found.values.keys()) == (kind, "j", values.keys())
    assert all(
        found.values[name] == pytest.approx(value, rel=1e-12) for name, value in values.items()
    )
    assert robot.joints[0].effort == effort


@pytest.mark.parametrize(
    ("shortcut", "saved"),
    [  # what MuJoCo 4.0 saves of it
        (
            '<damper joint="j" kv="3" ctrlrange="0 2"/>',
            'gaintype="affine" gainprm="0 0 -3" ctrlrange="0 2"',
        ),
        (
            '<intvelocity joint="j" kp="3" kv="0.2"/>',
            'dyntype="integrator" biastype="affine" gainprm="3" biasprm="0 -3 -0.2"',
        ),
        (
            '<position joint="j" kp="3" timeconst="0.1"/>',
            'dyntype="filterexact" dynprm="0.1" biastype="affine" gainprm="3" biasprm="0 -3"',
        ),
        (
            '<velocity joint="j" kv="3" gear="2"/>',
            'gear="2" biastype="affine" gainprm="3" biasprm="0 0 -3"',
        ),
        ('<position joint="j" kp="0"/>', 'biastype="affine" gainprm="0"'),
    ],
)
def test_a_shortcut_is_what_mujoco_saves_of_it(shortcut, saved):
    def robot(actuator):
        return child(
            '<joint name="j"/><geom size="1"/>', "", "", f"<actuator>{actuator}</actuator>"
        )

    same, other = f'<general joint="j" {saved}/>', f'<general joint="j" {saved} forcerange="-9 9"/>'
    assert compare(robot(shortcut), robot(same)).differences == ()
    assert [one.kind for one in compare(robot(shortcut), robot(other)).differences] == [
        "effort",
        "actuator",
    ]


@pytest.mark.parametrize(
    ("defaults", "gains"),
    [  # of motor, position, velocity behind these defaults, as MuJoCo has it
        ('<position kp="9"/>', (1, 9, 1)),
        ('<position kp="9"/><motor/>', (1, 1, 1)),
        ('<velocity kv="4"/>', (1, 1, 4)),
        ('<general gainprm="7"/>', (1, 7, 7)),
        ('<velocity kv="4"/><position kv="2"/>', (1, 1, 1)),
    ],
)
def test_a_class_has_one_law_for_all_actuators(defaults, gains):
    robot = child(
        HINGE,
        "",
        f"<default>{defaults}</default>",
        '<actuator><motor joint="j"/><position joint="j"/><velocity joint="j"/></actuator>',
    )
    assert [one.values[name] for one, name in zip(robot.actuators, ("gear", "kp", "kv"))] == [
        (gain,) for gain in gains
    ]


def test_sensors_of_one_site_are_one_sensor_and_cameras_are_turned():
    robot = child(
        HINGE + '<site name="imu" pos="0 0 1"/><camera name="eye" fovy="90" resolution="2 1"/>',
        behind="""
        <sensor><gyro site="imu"/><accelerometer name="x" site="imu"/><framequat objtype="site" objname="imu"/>
        <force site="imu"/><jointpos joint="j"/></sensor>""",
    )
    assert [(sensor.kind, sensor.name, sensor.link, sensor.joint) for sensor in robot.sensors] == [
        ("imu", "imu", "a", ""),
        ("force_torque", "imu_force_torque", "a", "j"),
        ("camera", "eye", "a", ""),
    ]
    eye = robot.sensors[2]
    # Its x is where MuJoCo looks: -z.
    near(eye.T_link_sensor.rotation, ((0, -1, 0), (0, 0, 1), (-1, 0, 0)))
    near(eye.values["field_of_view"], [2 * math.atan(2)])
    assert [left.element for left in robot.unread] == ["<jointpos>"]


def test_kinds_of_sensors_that_mjcf_lacks_are_no_difference():
    urdf = read_urdf(b"""<robot name="r"><link name="a"/><gazebo reference="a"><sensor name="eye" type="depth"/>
        <sensor name="scan" type="gpu_lidar"/><sensor name="bumper" type="contact"/></gazebo></robot>""")
    robot = mjcf('<body name="a"><camera name="eye" xyaxes="0 -1 0 0 0 1"/></body>')
    assert [sensor.kind for sensor in (*urdf.sensors, *robot.sensors)] == [
        "depth",
        "gpu_lidar",
        "contact",
        "camera",
    ]
    assert [one.kind for one in compare(urdf, robot).differences if "sensor" in one.kind] == []


def test_keys_name_positions_of_the_robot():
    robot = mjcf(
        '<body name="cup"><freejoint/><geom size="1"/></body><body name="a"><joint name="j" type="ball"/>'
        '<geom size="1"/><body><joint name="k"/><geom size="1"/></body></body>',
        behind="""<keyframe>
        <key name="up" qpos="0 0 0 1 0 0 0 1 0 0 0 .5"/><key name="short" qpos="1"/></keyframe>""",
    )
    assert robot.keys == {"up": ({"k": 0.5}, {"a": IDENTITY_POSE}, {}, robot.keys["up"].line)}
    assert robot.unread[-1].why == "it has 1 numbers for 12 coordinates"


@pytest.mark.parametrize(
    ("option", "gravity"),
    [
        ("", (0, 0, -9.81)),
        ('<option gravity="0 0 -1"/>', (0, 0, -1)),
        ('<option gravity="0 0 -1"><flag gravity="disable"/></option>', (0, 0, 0)),
    ],
)
def test_gravity(option, gravity):
    assert child(HINGE, before=option).gravity == gravity


def test_a_body_may_fall_less():
    assert child(HINGE, 'gravcomp="1"').links[1].values == {"gravity": (0.0,)}


def test_a_mesh_has_its_file_scale_and_place(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m/a.stl").write_bytes(b"solid")
    text = (
        '<mujoco><compiler meshdir="m"/><asset><mesh file="a.stl" scale="2 2 2" refpos="1 0 0"/></asset><worldbody>'
        '<body name="a"><geom type="mesh" mesh="a" mass="0" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )
    (shape,) = read_mjcf(text, str(tmp_path / "robot.xml")).links[1].shapes
    assert (shape.role, shape.file, Path(shape.path), shape.sizes) == (
        "visual",
        "m/a.stl",
        tmp_path / "m/a.stl",
        (2.0, 2.0, 2.0),
    )
    near(shape.T_link_shape.translation, (-2, 0, 0))


def test_materials_and_textures():
    assets = '<asset><texture name="t" type="2d" file="t.png"/><material name="m" rgba="1 0 0 1" texture="t"/></asset>'
    shapes = (
        child(
            '<geom size="1" material="m"/><geom size="1" material="m" rgba="0 1 0 1"/>',
            before=assets,
        )
        .links[1]
        .shapes
    )
    assert [(shape.color, shape.texture) for shape in shapes if shape.role == "visual"] == [
        ((1, 0, 0, 1), "t.png"),
        ((0, 1, 0, 1), "t.png"),
    ]


def test_a_geom_is_drawn_or_touches_or_both():
    shapes = (
        child(
            '<geom size="1"/><geom size="2" group="3"/><geom size="3" contype="0" conaffinity="0" group="3"/>'
        )
        .links[1]
        .shapes
    )
    assert [(shape.role, shape.sizes[0]) for shape in shapes] == [
        ("visual", 1.0),
        ("collision", 1.0),
        ("collision", 2.0),
        ("visual", 3.0),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot/>", "<robot> is not MJCF"),
        ("<mujocoinclude/>", "a part that MJCF files include"),
        ("<mujoco/>", "there is no <worldbody>"),
        (
            '<mujoco><compiler coordinate="global"/><worldbody/></mujoco>',
            "no longer a part of MJCF",
        ),
        ('<mujoco><compiler eulerseq="abc"/><worldbody/></mujoco>', "not three letters"),
        ('<mujoco><compiler angle="turn"/><worldbody/></mujoco>', "none of degree, radian"),
        (
            '<mujoco><worldbody><replicate count="2"/></worldbody></mujoco>',
            "<replicate> makes copies",
        ),
        (
            '<mujoco><worldbody><geom class="x" size="1"/></worldbody></mujoco>',
            "class 'x' is not there",
        ),
        (
            '<mujoco><worldbody><body childclass="x"/></worldbody></mujoco>',
            "class 'x' is not there",
        ),
        (
            '<mujoco><worldbody><frame childclass="x"/></worldbody></mujoco>',
            "class 'x' is not there",
        ),
        ("<mujoco><worldbody><geom/></worldbody></mujoco>", "a sphere of size 0"),
        (
            '<mujoco><worldbody><geom type="ball" size="1"/></worldbody></mujoco>',
            "type 'ball' is none of",
        ),
        (
            '<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>',
            "body 'a' is defined twice",
        ),
        (
            '<mujoco><worldbody><geom name="a" size="1"/><body><geom name="a" size="1"/></body></worldbody></mujoco>',
            "geom 'a' is defined twice, see line 1",
        ),
        (
            '<mujoco><worldbody><camera name="a"/><camera name="a"/></worldbody></mujoco>',
            "camera 'a' is defined twice",
        ),
        (
            '<mujoco><worldbody/><asset><material name="a"/><material name="a"/></asset></mujoco>',
            "'a' is defined twice",
        ),
        (
            '<mujoco><worldbody><body name="b"><geom size="1"/><joint name="j"/></body></worldbody><actuator>'
            '<motor name="a" joint="j"/><position name="a" joint="j"/></actuator></mujoco>',
            "'a' is defined twice",
        ),
        (
            '<mujoco><worldbody/><sensor><clock name="a"/><clock name="a"/></sensor></mujoco>',
            "'a' is defined twice",
        ),
        ('<mujoco><worldbody><body quat="0 0 0 0"/></worldbody></mujoco>', "a quaternion of zeros"),
        (
            '<mujoco><worldbody><body euler="0 0 0" zaxis="0 0 1"/></worldbody></mujoco>',
            "has two orientations",
        ),
        (
            "<mujoco><worldbody><body><body><freejoint/></body></body></worldbody></mujoco>",
            "a free joint stands alone",
        ),
        (
            '<mujoco><worldbody><body pos="1 nan 0"/></worldbody></mujoco>',
            "'nan' is not a finite number",
        ),
        (
            '<mujoco><worldbody><body><inertial mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>',
            "has no pos",
        ),
        ('<mujoco><worldbody/><include file="none.xml"/></mujoco>', "'none.xml' is not there"),
        (
            '<mujoco><worldbody/><actuator><motor joint="x"/></actuator></mujoco>',
            "joint 'x' is not there",
        ),
        (
            '<mujoco><compiler autolimits="false"/><worldbody><body><joint range="0 1"/></body></worldbody></mujoco>',
            "no attribute sets whether its range applies",
        ),
        (
            '<mujoco><compiler alignfree="true"/><worldbody><body><freejoint/></body></worldbody></mujoco>',
            "turned into its axes of inertia",
        ),
        (
            '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body name="b"><joint/>'
            '<geom type="mesh" mesh="m"/>'
            "</body></worldbody></mujoco>",
            "the mass of body 'b' comes from mesh 'm.stl'",
        ),
    ],
)
def test_what_has_no_single_meaning_is_refused_with_file_and_line(text, words):
    with pytest.raises(UrdfSimplifyError, match=words) as refused:
        read_mjcf(text, "robot.xml")
    assert str(refused.value).startswith("robot.xml:1: ")


def test_the_mass_of_a_mesh_that_never_moves_does_not_matter():
    robot = mjcf(
        '<body name="b"><geom type="mesh" mesh="m"/></body>',
        '<asset><mesh name="m" file="m.stl"/></asset>',
    )
    assert robot.links[1].mass is None
    assert [(one.element, one.why) for one in robot.unread] == [
        (
            "<geom>",
            "the mass of body 'b', which never moves, comes from mesh 'm.stl', which is not there: it counts as "
            "0",
        )
    ]


def test_the_mass_of_a_height_field_is_not_passed_over():
    text = (
        '<body name="b"><geom type="hfield" hfield="h"/></body>',
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>',
    )
    assert [
        "the mass of body 'b'" in one.why for one in mjcf(*text).unread if one.element == "<geom>"
    ] == [False, True]


PRISM = [(x, y, z) for z in (0, 1) for x, y in [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]]
LIDS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
SIDES = [
    face
    for k in range(6)
    for face in ((k, (k + 1) % 6, (k + 1) % 6 + 6), (k, (k + 1) % 6 + 6, k + 6))
]
L_SHAPE = [*(face[::-1] for face in LIDS), *(tuple(k + 6 for k in face) for face in LIDS), *SIDES]


def obj_text(faces, points=PRISM):
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    return "\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces), ""])


def mass_of_mesh(folder, faces, said, geom="", points=PRISM):
    """Return the mass of a body from its mesh, and the notes."""
    (folder / "m.obj").write_text(obj_text(faces, points), "utf-8")
    path = folder / "r.xml"
    path.write_text(
        f'<mujoco><asset><mesh name="m" file="m.obj" {said}/></asset><worldbody><body name="b">'
        f'<joint name="j"/><geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>',
        "utf-8",
    )
    robot = read_robot_of(path)
    return robot.links[1].mass, robot.notes


def test_the_mass_of_a_mesh_is_that_of_its_solid(tmp_path):
    mass, notes = mass_of_mesh(tmp_path, L_SHAPE, 'inertia="exact"', 'density="500"')
    assert mass.mass == pytest.approx(2000.0) and notes == ()
    assert mass.center == pytest.approx((0.75, 1.25, 0.5))
    xx = 500.0 * (2 * (1 / 12 + 0.75**2) + 2 * (4 / 12 + 0.75**2) + 4 / 12)
    assert mass.tensor[0] == pytest.approx(xx)
    mass, _ = mass_of_mesh(tmp_path, L_SHAPE, 'inertia="exact" scale="2 -1 1"', 'mass="3"')
    assert mass.mass == 3.0 and mass.center == pytest.approx((1.5, -1.25, 0.5))


def test_the_mass_of_a_mesh_by_its_hull_its_surface_and_its_pyramids(tmp_path):
    hull, _ = mass_of_mesh(tmp_path, L_SHAPE, 'inertia="convex"')
    assert hull.mass == pytest.approx(5000.0)
    shell, _ = mass_of_mesh(tmp_path, L_SHAPE, 'inertia="shell"')
    assert shell.mass == pytest.approx(1000.0 * (2 * 4 + 10))
    # MuJoCo's default counts a pyramid whose triangle faces the center twice too much: as MuJoCo 4.0.0 has it.
    legacy, _ = mass_of_mesh(tmp_path, L_SHAPE, "")
    assert legacy.mass == pytest.approx(4161.340544083907)


@pytest.mark.parametrize(
    ("faces", "said", "words"),
    [
        ([face[::-1] for face in L_SHAPE], 'inertia="exact"', "face inward"),
        ([L_SHAPE[0][::-1], *L_SHAPE[1:]], 'inertia="exact"', "face to both sides"),
        ([(0, 1, 2), (0, 2, 1)], "", "has no volume"),
        ([(0, 1, 2), (0, 2, 1)], 'inertia="convex"', "lie in one plane"),
        ([], "", "comes from mesh 'm.obj'"),
    ],
)
def test_a_mesh_that_has_no_mass_is_refused_with_the_reason(faces, said, words, tmp_path):
    with pytest.raises(UrdfError, match=words):
        mass_of_mesh(tmp_path, faces, said)


def test_the_mass_of_a_file_is_computed_once_of_each_content(tmp_path, monkeypatch):
    """A run reads its input for each proof, and the mass of many triangles takes longer than all else."""
    computed = []
    compute = mujoco_mesh_masses.mass_of_surface
    monkeypatch.setattr(
        mujoco_mesh_masses, "mass_of_surface", lambda *given: computed.append(1) or compute(*given)
    )
    solid = 'inertia="exact"'
    first, _ = mass_of_mesh(tmp_path, L_SHAPE, solid)
    again, _ = mass_of_mesh(tmp_path, L_SHAPE, solid)
    assert again == first and len(computed) == 1
    large = [(2 * x, 2 * y, 2 * z) for x, y, z in PRISM]
    assert mass_of_mesh(tmp_path, L_SHAPE, solid, points=large)[0].mass == 8.0 * first.mass
    assert mass_of_mesh(tmp_path, L_SHAPE, f'{solid} scale="2 2 2"')[0].mass == 8.0 * first.mass
    assert mass_of_mesh(tmp_path, L_SHAPE, 'inertia="convex"')[0].mass > first.mass
    assert len(computed) == 4


def test_an_open_mesh_is_noted_and_one_that_is_not_there_refused(tmp_path):
    mass, notes = mass_of_mesh(tmp_path, L_SHAPE[1:], 'inertia="exact"')
    assert mass.mass > 0.0 and len(notes) == 1 and "mesh 'm.obj' is open" in notes[0]
    (tmp_path / "m.obj").unlink()
    with pytest.raises(UrdfError, match="comes from mesh 'm.obj', which is not there: give"):
        read_robot_of(tmp_path / "r.xml")


class TestIncludes:
    """What `<include>` brings in."""

    def read(self, folder, **files):
        (folder / "in").mkdir()
        for name, text in files.items():
            (folder / (name.replace("_", "/") + ".xml")).write_text(text)
        return read_mjcf((folder / "in/main.xml").read_text(), str(folder / "in/main.xml"))

    def test_children_of_the_root_stand_in_its_place_and_lines_name_the_file(self, tmp_path):
        robot = self.read(
            tmp_path,
            in_main='<mujoco><include file="../part.xml"/><worldbody><body name="a">'
            '<include file="geoms.xml"/></body></worldbody></mujoco>',
            in_geoms='<mujocoinclude><geom size="1"/></mujocoinclude>',
            part='<mujoco model="other"><option gravity="0 0 -1"/></mujoco>',
        )
        assert robot.gravity == (0.0, 0.0, -1.0) and robot.links[1].mass is not None
        assert robot.notes == ("included: ../part.xml", "included: geoms.xml")

    @pytest.mark.parametrize(
        ("part", "words"),
        [
            ('<mujoco><include file="main.xml"/></mujoco>', "includes itself"),
            ("secret words", "not XML that MuJoCo reads"),
            ("<secret/>", "its root is neither <mujoco> nor <mujocoinclude>"),
        ],
    )
    def test_loops_and_other_files_are_refused_and_not_shown(self, part, words, tmp_path):
        with pytest.raises(UrdfSimplifyError, match=words) as refused:
            self.read(tmp_path, in_main='<mujoco><include file="../part.xml"/></mujoco>', part=part)
        assert "secret" not in str(refused.value)


GEOM = '<mujoco><geom type="box" size="0.1 0.1 0.1" mass="1"/></mujoco>'


@needs_symlinks
@pytest.mark.parametrize(
    ("names", "is_read"),
    [
        (("geom.xml", "copy.xml"), True),  # two links to one file, as vendors make them
        (("geom.xml", "sub/geom.xml"), True),
        (("geom.xml", "geom.xml"), False),
        (("geom.xml", "./geom.xml"), False),
        (("sub/geom.xml", "sub//geom.xml"), False),
        (("geom.xml", "sub/../geom.xml"), False),
        (("again.xml",), False),  # a link to a file that includes that link
        (("main.xml",), False),
    ],
)
def test_an_included_file_is_known_by_its_name_as_mujoco_knows_it(names, is_read, tmp_path):
    parts = [f'<body name="b{k}"><include file="{name}"/></body>' for k, name in enumerate(names)]
    main = write_includes(tmp_path, parts)
    if is_read:
        assert [link.mass.mass for link in read_robot_of(main).links[1:]] == [1.0] * len(names)
    else:
        with pytest.raises(UrdfError, match="is included twice"):
            read_robot_of(main)


@needs_symlinks
def test_links_to_one_file_include_each_from_its_own_folder(tmp_path):
    """A vendor has one file for both hands, linked into the folder of each."""
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "hand.xml").symlink_to("../hand.xml")
        (tmp_path / side / "names.xml").write_text(f'<mujoco><body name="{side}"/></mujoco>')
    (tmp_path / "hand.xml").write_text('<mujoco><include file="names.xml"/></mujoco>')
    includes = "".join(f'<include file="{side}/hand.xml"/>' for side in ("left", "right"))
    main = tmp_path / "main.xml"
    main.write_text(f"<mujoco><worldbody>{includes}</worldbody></mujoco>")
    found = {link.name for link in read_robot_of(main).links}
    assert found >= {"left", "right"}


def write_includes(folder, bodies):
    """Write files that are included, and links to them; return a file with the bodies."""
    (folder / "sub").mkdir()
    (folder / "geom.xml").write_text(GEOM, "utf-8")
    (folder / "itself.xml").write_text('<mujoco><include file="again.xml"/></mujoco>', "utf-8")
    links = {"copy.xml": "geom.xml", "sub/geom.xml": "../geom.xml", "again.xml": "itself.xml"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    main = folder / "main.xml"
    main.write_text(f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>", "utf-8")
    return main


def copies_with(text, unknown):
    """Return a text with an unknown element put in as the first child of each element that is not left."""
    count = len(list(read_xml(text).walk()))
    found = []
    for place in range(count):
        root = read_xml(text)
        element = list(root.walk())[place]
        element.children.insert(0, read_xml(unknown))
        found.append((place, written(root)))
    return found


def written(element):
    attributes = "".join(f' {key}="{value}"' for key, value in element.attributes.items())
    return f"<{element.tag}{attributes}>{''.join(map(written, element.children))}</{element.tag}>"


def test_an_unknown_element_anywhere_is_listed():
    """A file that uses all that the reader knows: wherever something else stands, it or what it is in is listed."""
    text = WHOLE.read_text("utf-8")
    before = len(read_mjcf(text, str(WHOLE)).unread)
    copies = copies_with(text, '<unheard name="of"/>')
    assert len(copies) > 50
    for _, copy in copies:
        robot = read_mjcf(copy, str(WHOLE))
        assert len(robot.unread) == before + 1 and '<unheard name="of">' in {
            left.element for left in robot.unread
        }


def test_an_unknown_attribute_anywhere_is_listed():
    text = WHOLE.read_text("utf-8")
    for place in range(len(list(read_xml(text).walk()))):
        root = read_xml(text)
        element = list(root.walk())[place]
        element.attributes["unheard"] = "of"
        robot = read_mjcf(written(root), str(WHOLE))
        assert any("unheard" in left.why for left in robot.unread), element


def test_names_that_the_reader_makes_are_those_of_nobody():
    robot = mjcf(
        '<body name="a"/><body/><body name="body_2"><joint name="a_fixed"/><geom size="1"/></body>',
        behind='<equality><joint joint1="a_fixed"/></equality>',
    )
    assert [link.name for link in robot.links] == ["world", "a", "body_2_", "body_2"]
    assert [joint.name for joint in robot.joints] == ["a_fixed_", "body_2__fixed", "a_fixed"]


def test_a_joint_that_others_name_stays_what_it_is():
    robot = child(PLANAR.format("p_yaw"), behind='<actuator><motor joint="p_x"/></actuator>')
    assert [joint.name for joint in robot.joints] == ["p_x", "p_y", "p_yaw"]


def test_what_drives_or_ties_a_free_joint_is_listed():
    robot = child(
        '<freejoint name="f"/><geom size="1"/>',
        behind="""<actuator><motor joint="f"/></actuator>
        <equality><joint joint1="f"/></equality>""",
    )
    assert [left.element for left in robot.unread] == [
        "<motor>",
        "<joint>",
    ] and robot.actuators == ()


WORDS = (
    "",
    "x",
    "0",
    "-1",
    "1 2",
    "1 2 3",
    "0 0 0",
    "1 2 3 4",
    "nan",
    "1e400",
    "a" * 5000,
    "world",
    "base",
    "arm",
    "shoulder",
    "slide",
    "imu",
    "drawn",
    "free",
    "ball",
    "true",
    "plane",
    "mesh",
    "cover",
    "wood",
    "0 0 0 0 0 0",
)


def test_a_broken_file_is_read_or_refused_with_a_sentence():
    """Other values, names, tags and places than those of a sound file: no traceback, and always file and line."""
    was_read = []

    @given(st.data())
    def law(data):
        root = read_xml(WHOLE.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            element = data.draw(st.sampled_from(list(root.walk())))
            other = data.draw(st.sampled_from(list(root.walk())))
            what = data.draw(st.integers(0, 3))
            if what == 0 and element.attributes:
                name = data.draw(st.sampled_from(sorted(element.attributes)))
                element.attributes[name] = data.draw(st.sampled_from(WORDS))
            elif what == 1 and element.attributes:
                del element.attributes[data.draw(st.sampled_from(sorted(element.attributes)))]
            elif what == 2 and other not in list(element.walk()):
                other.children.append(element)
            elif what == 3 and element is not root:
                element.tag = other.tag
        was_read.append(False)
        try:
            read_mjcf(written(root), "robot.xml")
            was_read[-1] = True
        except UrdfError as refused:
            assert str(refused).startswith("robot.xml:")

    law()
    assert sum(was_read) >= len(was_read) // 10


def test_a_mesh_that_is_not_there_is_one_note_and_no_difference(tmp_path):
    """MuJoCo loads no model that names it, so whoever writes MJCF leaves its shape out."""
    text = (
        '<robot name="r"><link name="a">'
        + "".join(
            f'<visual><geometry><mesh filename="{name}.stl"/></geometry></visual>'
            for name in ("gone", "there")
        )
        + "</link></robot>"
    )
    for name, data in (
        ("a.urdf", text),
        ("b.xml", '<mujoco><worldbody><body name="a"/></worldbody></mujoco>'),
        ("there.stl", "solid"),
    ):
        (tmp_path / name).write_text(data)
    a, b = (read_robot_of(tmp_path / name) for name in ("a.urdf", "b.xml"))
    for pair in ((a, b), (b, a)):
        found = compare(*pair)
        assert [one.names[1] for one in found.differences if one.kind.startswith("shape")] == [
            "visual there"
        ]
        assert [note for note in found.notes if "meshes whose files are not there" in note]


def test_gray_is_a_color_where_no_material_has_another():
    """The color of a geom that says none is written all the same: beside a material it says none."""
    text = """<mujoco><asset><material name="m" rgba="1 0 0 1"/></asset><worldbody><body name="a">
        <geom size="1" contype="0" conaffinity="0" {}/></body></worldbody></mujoco>"""
    for said, color in (
        ("", None),
        ('rgba="0.5 0.5 0.5 1"', (0.5, 0.5, 0.5, 1.0)),
        ('rgba="0.5 0.5 0.5 1" material="m"', (1.0, 0.0, 0.0, 1.0)),
        ('rgba="0 0.5 0.5 1" material="m"', (0.0, 0.5, 0.5, 1.0)),
    ):
        shapes = next(
            link.shapes for link in read_mjcf(text.format(said)).links if link.name == "a"
        )
        assert {shape.color for shape in shapes} == {color}, said


def test_a_gray_link_is_exported():
    """Of a URDF whose material has no name: its color is that of a geom that says none."""
    text = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
        iyz="0"/></inertial><visual><geometry><box size="1 1 1"/></geometry><material name="">
        <color rgba="0.5 0.5 0.5 1"/></material></visual></link></robot>"""
    assert 'rgba="0.5 0.5 0.5 1"' in write_mjcf(model.Robot.from_urdf(text), MjcfOptions()).text


SHOWN, HIDDEN = (0, 1, 2), (3, 4, 5)  # groups of geoms, as viewers show them where nobody asks


@pytest.mark.parametrize("touches", [True, False])
@pytest.mark.parametrize("first", [*SHOWN, *HIDDEN])
@pytest.mark.parametrize("second", [2, 3])
def test_two_groups_are_the_same_robot_if_viewers_show_both_or_neither(touches, first, second):
    """Of a default: a group decides what is drawn, also of a geom that only is."""
    contact = "" if touches else 'contype="0" conaffinity="0"'

    def robot(group):
        before = (
            f'<default><default class="v"><geom group="{group}" {contact}/></default></default>'
        )
        return child(f'{HINGE}<geom class="v" size="1"/>', before=before)

    is_same = (first in SHOWN) == (second in SHOWN)
    assert compare(robot(first), robot(second)).is_same is is_same


QPOS = [
    0.1,
    0.2,
    0.3,
    0.5,
    0.5,
    -0.5,
    0.5,
    0.6,
    0.5,
    -0.5,
    -0.5,
    0.5,
    0.7,
]  # free, hinge, ball, slide


def keyed(numbers):
    """Return a robot that floats, with a hinge, a ball and a slide, in a named state."""
    inside = '<joint name="{0}" type="{0}"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    bodies = '<freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    for kind in ("hinge", "ball", "slide"):
        bodies += f'<body name="on_{kind}" pos="0 0 1">{inside.format(kind)}'
    text = " ".join(map(str, numbers))
    behind = f'<keyframe><key name="up" qpos="{text}"/></keyframe>'
    return child(bodies + "</body>" * 3, behind=behind)


@pytest.mark.parametrize("first", range(len(QPOS)))
def test_each_number_of_a_state_is_compared(first):
    """Changed, or exchanged with another one; a state is a pose and no part of the robot, so a note says it."""
    changed = [*QPOS]
    changed[first] += 0.25
    found = compare(keyed(QPOS), keyed(changed))
    assert {difference.kind for difference in found.noted} in ({"key"}, {"key_place"})
    assert any(note.startswith("state up") for note in found.notes)
    for second in range(first):
        swapped = [*QPOS]
        swapped[first], swapped[second] = swapped[second], swapped[first]
        assert bool(compare(keyed(QPOS), keyed(swapped)).noted) is (swapped != QPOS)


def test_a_state_that_does_not_fit_the_joints_is_named():
    other = keyed([*QPOS, 0.5])
    assert any("14 numbers for 13 coordinates" in one.why for one in other.unread)
    assert [difference.kind for difference in compare(keyed(QPOS), other).noted] == ["key_only_a"]
