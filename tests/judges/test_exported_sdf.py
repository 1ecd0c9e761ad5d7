"""What a robot's `<gazebo>` blocks become: what Gazebo reads of the URDF, it reads of the SDF; Drake loads each file;
MuJoCo lets links float and has sensors where SDF says that they are."""

import random

import pytest
from conftest import scaled
import random_gazebo
from sound_robots import sound
from floating_robots import floating_robot
from gazebo_judge import difference

from urdf_tools import model
from urdf_tools.base.errors import BrokenRobot, ErrorGroup
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.export.sdf_exporter import write_sdf
from urdf_tools.formats.sdf.elements_known_to_sdf import COUNTS, definition_of, SENSORS
from urdf_tools.model.export_options import MjcfOptions, SdfOptions
from urdf_tools.model.xml_writer import node, render

ROBOTS = scaled(200)
IN_SENSOR = (
    '<sdf version="1.12"><model name="r"><link name="a"><sensor name="s" type="{}">{}</sensor></link></model>'
    "</sdf>"
)
KINDS = ("body", "collision", "visual", "sensor", "light", "frame", "error")
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


@pytest.fixture
def moving(monkeypatch):
    """Robots of which libsdformat lumps nothing together; it loses degrees there."""
    monkeypatch.setattr(random_gazebo, "JOINT_TYPES", ("revolute", "continuous", "prismatic"))
    return [random_gazebo.write_gazebo_robot(random.Random(seed)) for seed in range(ROBOTS)]


def said(read_of):
    """Return what the two are to agree in: joints and their limits are another test's."""
    return {what: numbers for what, numbers in read_of.items() if what.split()[0] in KINDS}


def bodies_in_drake(text):
    """Return how many bodies Drake sees in an SDF, the world among them.

    Raises:
        RuntimeError: it does not load it.
    """
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    pytest.importorskip("pydrake.multibody.parsing").Parser(plant).AddModelsFromString(text, "sdf")
    return int(plant.num_bodies())


def test_what_floats_in_the_robot_floats_in_drake_and_mujoco():
    """A base that is free besides is one more."""
    mujoco = pytest.importorskip("mujoco")
    plants, parsing = (
        pytest.importorskip(f"pydrake.multibody.{name}") for name in ("plant", "parsing")
    )
    loaded = 0
    for seed in range(ROBOTS):
        robot = model.Robot.from_urdf(sound(floating_robot(random.Random(seed))))
        floating = sum(joint.type == "floating" for joint in robot.joints)
        plant = plants.MultibodyPlant(0.0)
        parsing.Parser(plant).AddModelsFromString(write_sdf(robot, SdfOptions("auto")).text, "sdf")
        plant.Finalize()
        assert len(plant.GetFloatingBaseBodies()) - floating in (0, 1), seed
        try:
            text = write_mjcf(robot, MjcfOptions()).text
        except (BrokenRobot, ErrorGroup):
            continue  # a link that floats above a moving one
        loaded += 1
        types = mujoco.MjModel.from_xml_string(text).jnt_type
        assert sum(types == mujoco.mjtJoint.mjJNT_FREE) - floating in (0, 1), seed
    assert loaded > ROBOTS / 3


def test_gazebo_reads_of_the_sdf_what_it_reads_of_the_urdf(gazebo, moving, tmp_path):
    files = []
    for text in moving:
        for data in (text, write_sdf(model.Robot.from_urdf(text), SdfOptions(base="free")).text):
            files.append(tmp_path / f"{len(files)}.{'sdf' if '<sdf' in data else 'urdf'}")
            files[-1].write_text(data, "utf-8")
    reads = gazebo(files)
    assert len(reads) == len(files)
    sound = [
        (seed, before, after)
        for seed, (before, after) in enumerate(zip(reads[::2], reads[1::2]))
        if not any(what.startswith("error") for what in before)
    ]
    wrong = [
        (seed, apart)
        for seed, before, after in sound
        for apart in [difference(said(before), said(after))]
        if apart
    ]
    print(f"{len(sound)} of {ROBOTS} robots, {len(wrong)} are read otherwise")
    assert not wrong, wrong[:3]
    assert len(sound) > 0.7 * ROBOTS


def test_gazebo_takes_every_tensor_of_a_plate(gazebo, tmp_path):
    """Plates and needles in any direction: what is written with 12 digits is still that of a body."""
    r, links, joints = random.Random(3), [], []
    for number in range(300):
        a = 10 ** r.uniform(-6, 1)
        b = a * 10 ** r.uniform(-4, 0)
        T = model.Pose((0.0, 0.0, 0.0), (r.uniform(-3, 3), r.uniform(-1.5, 1.5), r.uniform(-3, 3)))
        inertial = model.Inertial(
            1.0, model.Inertia(a, b, (a + b) * r.choice((1.0, 1.0, 1.000005))), T
        )
        links.append(model.Link(f"l{number}", inertial))
        joints.append(model.Joint(f"j{number}", "continuous", f"l{number - 1}", f"l{number}"))
    robot = model.Robot("r", tuple(links), tuple(joints[1:]))
    path = tmp_path / "plates.sdf"
    path.write_text(write_sdf(robot, SdfOptions()).text, "utf-8")
    assert not [what for what in gazebo([path])[0] if what.startswith("error")]


def test_drake_loads_it_whatever_stands_in_the_blocks():
    text = "".join(
        f'<gazebo reference="a">{one}</gazebo>'
        for one in (
            '<sensor name="s" type="imu" odd="1"><gz_frame_id>a</gz_frame_id><always_on>maybe</always_on></sensor>',
            '<sensor type="camera"/>',
            '<sensor name="s" type="imu"/>',
            '<sensor name="t" type="strange"/>',
            "<mu>1</mu><enable_wind>true</enable_wind><turnGravityOff>true</turnGravityOff>",
            '<sensor name="p" type="imu"><plugin name="no_file"/></sensor>',
        )
    )
    robot = model.Robot.from_urdf(
        f'<robot name="r"><link name="a">{INERTIAL}</link>{text}<gazebo><odd/><static>maybe</static>'
        '<plugin name="x" filename="y"><anything at="all"/></plugin></gazebo></robot>'
    )
    written = write_sdf(robot, SdfOptions(base="free"))
    assert bodies_in_drake(written.text) == 2
    assert [note for note in written.notes if note.sentence.startswith("prefix")]


def test_mujoco_lets_a_link_float_and_has_sensors_where_they_are_told_to_be():
    mujoco = pytest.importorskip("mujoco")
    robot = model.Robot.from_urdf(f"""<robot name="r"><link name="base">{INERTIAL}</link>
      <link name="arm">{INERTIAL}</link>
      <joint name="j" type="prismatic"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 0 1.5"/>
        <axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
      <gazebo reference="arm"><turnGravityOff>true</turnGravityOff><sensor name="s" type="imu">
        <pose relative_to="base" degrees="true">0.1 0.2 0.3 0 0 90</pose></sensor></gazebo></robot>""")
    m = mujoco.MjModel.from_xml_string(write_mjcf(robot, MjcfOptions(base="fixed")).text)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    assert d.site("s").xpos == pytest.approx([0.1, 0.2, 0.3], abs=1e-9)
    assert d.site("s").xmat == pytest.approx([0, -1, 0, 1, 0, 0, 0, 0, 1], abs=1e-9)
    for _ in range(100):
        mujoco.mj_step(m, d)
    assert abs(d.joint("j").qpos[0]) < 1e-9


@pytest.mark.parametrize("kind", sorted(SENSORS))
def test_drake_knows_each_type_of_sensor(kind):
    assert bodies_in_drake(IN_SENSOR.format(kind, "")) == 2


def filled(tag, line, depth=0):
    """Return an element with all that the table has in it."""
    found = node(tag)
    for child, part in definition_of(line).elements.items():
        inner = filled(child, part, depth + 1)
        defined = definition_of(part)
        inner.attributes.update(dict.fromkeys(defined.required, "none"))
        if not inner.children:
            values = defined.values
            inner.children = [
                "true" if values == "b" else " ".join("1" * COUNTS.get(values, (1,))[0])
            ]
        if part not in ("", "text"):
            found.children.append(inner)
    return found


PARTS = (
    "imu",
    "camera",
    "lidar",
    "navsat",
    "force_torque",
    "altimeter",
    "magnetometer",
    "logical_camera",
    "air_pressure",
)


@pytest.mark.parametrize("part", PARTS)
def test_drake_knows_each_number_that_the_table_has_in_a_sensor(part):
    """One more that nobody knows shows that Drake looks."""
    text = render(filled(part, definition_of("sensor").elements[part]))
    # The least.
    save = text.replace('<save enabled="none"', '<save enabled="true"').replace(
        "size>1<", "size>4<"
    )
    assert bodies_in_drake(IN_SENSOR.format("imu", save)) == 2
    end = save.rindex("</")
    with pytest.raises(RuntimeError, match="odd"):
        bodies_in_drake(IN_SENSOR.format("imu", f"{save[:end]}<odd/>{save[end:]}"))
