"""What the proofs of exports see of the way from the URDF to the model: each function is broken once, and refused.

The model is what MJCF, SDF and JSON are written from, so none of them may be proven by it.
"""

import json
from pathlib import Path

import pytest
from data_edits import put

from engine import main
from urdf_tools.base.errors import BrokenRobot, ProofFailed
from urdf_tools.export.armature_exporter import verify_armature
from urdf_tools.formats.urdf import urdf_model_conversion as from_urdf, simulator_tags_of_model
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.model import Pose, model_shapes

SOLID = (
    '<inertial><origin xyz="0.1 0 0.02"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" '
    'ixz="0" iyz="0"/></inertial>'
)
BOX = '<origin xyz="0 0.1 0.2" rpy="0.1 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry>'
ROBOT = f"""<robot name="r">
  <link name="base">{SOLID}<visual name="hull">{BOX}<material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision name="hit">{BOX}</collision><contact><stiffness value="3"/></contact></link>
  <link name="arm">{SOLID}<collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
  <link name="hand">{SOLID}</link><link name="thumb">{SOLID}</link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.3 0 0.1" rpy="0 0.2 0"/>
    <axis xyz="0 1 0"/><limit lower="-0.5" upper="1.2" effort="10" velocity="3"/>
    <dynamics damping="0.7" friction="0.2"/></joint>
  <joint name="grip" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.2 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="0.4" effort="5" velocity="2"/></joint>
  <joint name="close" type="revolute"><parent link="arm"/><child link="thumb"/><origin xyz="0.2 0.1 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="0.4" effort="5" velocity="2"/>
    <mimic joint="grip" multiplier="-1"/></joint>
  <gazebo reference="arm"><mu1>0.9</mu1><sensor name="eye" type="imu"><pose>0 0 0.1 0 0 0</pose>
    <update_rate>30</update_rate></sensor></gazebo>
  <gazebo reference="lift"><springStiffness>3</springStiffness><springReference>0.1</springReference><stopKp>7</stopKp>
  </gazebo>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="lift"><hardwareInterface>
    EffortJointInterface</hardwareInterface></joint><actuator name="m"/></transmission>
  <ros2_control name="c" type="system"><joint name="grip"><command_interface name="position">
    <param name="min">-0.7</param><param name="max">0.3</param></command_interface></joint></ros2_control>
</robot>
"""


def lost(**fields):
    """Return a change of records: these fields are as given."""
    return lambda one: one._replace(**fields)


def links(change):
    return lambda robot: robot._replace(links=tuple(map(change, robot.links)))


def joints(change):
    return lambda robot: robot._replace(joints=tuple(map(change, robot.joints)))


def of_shapes(change):
    return links(
        lambda link: link._replace(
            visuals=tuple(map(change, link.visuals)), collisions=tuple(map(change, link.collisions))
        )
    )


def of_mass(change):
    return links(lambda link: link._replace(inertial=change(link.inertial)))


def of_limits(change):
    return joints(lambda joint: joint._replace(limit=change(joint.limit)))


def _sized(shape):
    size = getattr(shape.geometry, "size", None)
    return (
        shape
        if size is None
        else shape._replace(geometry=shape.geometry._replace(size=(size[0], size[0], size[2])))
    )


def _rolled(shape):
    one = shape.geometry
    return (
        shape
        if one.kind != "cylinder"
        else shape._replace(geometry=one._replace(radius=one.length, length=one.radius))
    )


EVERY = "--mjcf --sdf --model"
MUTANTS = [  # what is wrong, how the model is changed, the formats that must refuse it
    ("masses are doubled", of_mass(lambda one: one._replace(mass=2.0 * one.mass)), EVERY),
    (
        "centers of mass are lost",
        of_mass(lost(origin=Pose())),
        EVERY,
    ),
    (
        "places of shapes are lost",
        of_shapes(lost(origin=Pose())),
        EVERY,
    ),
    (
        "places of joints are lost",
        joints(lost(origin=Pose())),
        EVERY,
    ),
    (
        "axes are negated",
        joints(lambda one: one._replace(axis=tuple(-part for part in one.axis))),
        EVERY,
    ),
    ("limits are lost", joints(lost(limit=None)), EVERY),
    ("dynamics are lost", joints(lost(dynamics=None)), EVERY),
    ("followers are free", joints(lost(mimic=None)), EVERY),
    (
        "ranges are mirrored",
        of_limits(lambda one: one._replace(lower=-one.upper, upper=-one.lower)),
        EVERY,
    ),
    ("boxes have another side", of_shapes(_sized), EVERY),
    ("radius and length are swapped", of_shapes(_rolled), EVERY),
    ("collisions are lost", links(lost(collisions=())), EVERY),
    (
        "friction is lost",
        links(
            lambda one: one._replace(
                collisions=tuple(shape._replace(surface=None) for shape in one.collisions)
            )
        ),
        EVERY,
    ),
    ("sensors are lost", lost(sensors=()), EVERY),
    (
        "rates are lost",
        lambda robot: robot._replace(
            sensors=tuple(one._replace(rate=None, xml="") for one in robot.sensors)
        ),
        "--sdf --model",
    ),
    ("springs are lost", joints(lost(spring=None)), EVERY),
    (
        "colors are lost",
        of_shapes(lambda one: one._replace(material=None) if hasattr(one, "material") else one),
        "--sdf --model",
    ),
    ("actuators are lost", lost(actuators=()), "--model"),
    (
        "control ranges are mirrored",
        lambda robot: robot._replace(
            actuators=tuple(
                one._replace(control_range=one.control_range and one.control_range[::-1])
                for one in robot.actuators
            )
        ),
        "--model",
    ),
    ("stopKp and <ros2_control> are lost", lost(extensions=()), "--model"),
    ("what bullet reads is lost", links(lost(extensions=())), "--model"),
    (
        "something is kept that is read, too",
        lambda robot: robot._replace(
            extensions=(
                *robot.extensions,
                "<gazebo reference='arm'><minDepth2>1</minDepth2></gazebo>",
            )
        ),
        "--model",
    ),
]


@pytest.fixture
def robot(here):
    path = here / "robot.urdf"
    path.write_text(ROBOT, "utf-8")
    return path


def run(robot, option):
    return main([str(robot), "--yes", "--quiet", "-o", "out.urdf", option, f"out{option}.xml"])


@pytest.mark.parametrize("option", EVERY.split() + ["--armature"])
def test_the_robot_as_it_is_passes(robot, option):
    assert run(robot, option) == 0


@pytest.mark.parametrize(
    "what, change, option",
    [(what, change, option) for what, change, options in MUTANTS for option in options.split()],
)
def test_a_model_that_is_another_robot_is_refused(
    what,
    change,
    option,
    robot,
    monkeypatch,
    capsys,
):
    right = from_urdf.model_of
    monkeypatch.setattr(from_urdf, "model_of", lambda before: change(right(before)))
    assert run(robot, option) == 3, what
    assert "would not be the same robot" in capsys.readouterr().err


@pytest.mark.parametrize(
    "module, name, wrong, option",
    [
        (simulator_tags_of_model, "_with_values", lambda link, read: link, "--sdf"),
        (simulator_tags_of_model, "_with_values", lambda link, read: link, "--mjcf"),
        (simulator_tags_of_model, "_transmission", lambda *_: None, "--model"),
        (simulator_tags_of_model, "read_ros2_control", lambda *_: [], "--model"),
        (simulator_tags_of_model, "read_simulation", lambda tops, robot: robot, "--model"),
    ],
)
def test_a_reader_that_leaves_something_is_refused(module, name, wrong, option, robot, monkeypatch):
    """What the JSON keeps as XML is still said there; MJCF and SDF have it nowhere else."""
    monkeypatch.setattr(module, name, wrong)
    assert run(robot, option) == 3


ARMATURE = [  # what is wrong, where it is in the JSON, and what is there
    ("lower is gone", "bones 1 dofs 0 lower", None),
    ("velocity is gone", "bones 1 dofs 0 velocity", None),
    ("damping is another", "bones 1 dofs 0 damping", 0.8),
    ("a rule is another", "bones 3 dofs 0 mimic offset", 0.1),
    ("mass is gone", "links 1 mass", None),
    ("a tensor is another", "links 1 inertia 1", 0.0),
    ("sides are swapped", "links 0 visuals 0 box", lambda box: [box[1], box[0], box[2]]),
    ("the link of a bone is its parent", "bones 1 link", "base"),
    ("a link is a static frame", "static_frames", ["arm"]),
    ("the URDF is another", "urdf path", "other.urdf"),
    ("its bytes are others", "urdf sha256", "0"),
    ("something is in it that nobody reads", "links 0 weight", 1.0),
]


@pytest.mark.parametrize("what, path, value", ARMATURE)
def test_an_armature_that_is_another_robot_is_refused(what, path, value, robot):
    assert main([str(robot), "--yes", "--quiet", "-o", "out.urdf", "--armature", "a.json"]) == 0
    top = json.loads(Path("a.json").read_text("utf-8"))
    source = dict(top["urdf"])
    reference = read_urdf(Path("out.urdf").read_bytes())
    verify_armature(json.dumps(top).encode(), reference, source)
    put(top, path, value)
    with pytest.raises((BrokenRobot, ProofFailed)):
        verify_armature(json.dumps(top).encode(), reference, source)


def test_another_nearest_tensor_is_refused(robot, monkeypatch):
    """Principal moments that are wrong make another tensor; the proof has no use for them."""
    from urdf_tools.formats import shared_lowering

    robot.write_text(ROBOT.replace('izz="0.04"', 'izz="0.0500001"'), "utf-8")
    options = ["--yes", "--quiet", "-o", "out.urdf", "--sdf", "out.sdf"]
    assert main([str(robot), *options]) == 0
    before = model_shapes.principal

    def wrong(tensor):
        (a, b, c), axes = before(tensor)
        return (a, b, 1.00001 * c), axes

    monkeypatch.setattr(shared_lowering, "principal", wrong)
    assert main([str(robot), *options]) == 3
