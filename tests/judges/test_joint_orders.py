"""The orders of joints in the report are those in which simulators index them."""

import json
import runpy
from pathlib import Path

import pytest
from conftest import load_by_path

from engine import simplify
from urdf_tools import record_text

JOINT = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/><axis xyz="0 0 1"/></joint>'
LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
    'iyz="0" izz="1"/></inertial></link>'
)


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r">'
        + "".join(map(LINK.format, "abcdef"))
        + "".join(JOINT.format(*pair) for pair in ("eb", "ca", "ba", "fc", "dc"))
        + "</robot>"
    )
    return path


def orders(robot):
    found = json.loads(record_text(simplify(robot), ""))["joint_order"]["after"]
    assert len(set(map(tuple, found.values()))) == 5
    return found


def test_mujoco(robot):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(robot))
    assert [model.joint(number).name for number in range(model.njnt)] == orders(robot)[
        "depth_first"
    ]


def test_the_export_to_mujoco_has_the_order_of_the_adapter(robot, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    simplify(robot, tmp_path / "r.urdf", mjcf=tmp_path / "r.xml", adapter=tmp_path / "a.py")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    names = [
        model.joint(number).name for number in range(model.njnt) if model.jnt_type[number] == 3
    ]
    adapter = runpy.run_path(str(tmp_path / "a.py"))
    assert (
        [adapter["NEW"][place] for place in adapter["ORDERS"]["mujoco"]]
        == names
        == orders(robot)["mujoco"]
    )


def test_of_a_usd_by_the_names_of_prims(robot, tmp_path):
    """PhysX goes wide and Newton deep, in whatever order a USD has siblings; capitals and digits come first."""
    newton = pytest.importorskip("newton")
    for old, new in (("b", "B"), ("d", "a_1"), ("f", "a2")):
        robot.write_text(robot.read_text().replace(f'"{old}"', f'"{new}"'))
    usda = tmp_path / "r.usda"
    simplify(robot, tmp_path / "r.urdf", usd=usda)
    told = orders(robot)
    builder = newton.ModelBuilder()
    builder.add_usd(str(usda))
    labels = [label.rpartition("/")[2] for label in builder.joint_label if "/joints/" in label]
    assert labels == told["newton_usd"] == ["B", "e", "c", "a2", "a_1"]
    physx_of = load_by_path(Path(__file__).with_name("test_usd_engines.py")).physx_of
    found = physx_of(usda, [dict.fromkeys(labels, 0.0)])["joints"]
    assert found == told["isaac"] == told["physx_usd"] != told["breadth_first"]


def test_newton(robot):
    newton = pytest.importorskip("newton")
    builder = newton.ModelBuilder()
    builder.add_urdf(str(robot))
    assert [label.rpartition("/")[2] for label in builder.joint_label][1:] == orders(robot)[
        "newton"
    ]


def test_drake(robot):
    multibody = pytest.importorskip("pydrake.multibody")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    assert multibody
    plant = MultibodyPlant(0.001)
    Parser(plant).AddModels(str(robot))
    plant.Finalize()
    names = [name.split("_")[1] for name in plant.GetPositionNames() if name.endswith("_q")]
    assert names == orders(robot)["depth_first"]


def test_pinocchio_has_siblings_by_name(robot):
    pinocchio = pytest.importorskip("pinocchio")
    found = list(pinocchio.buildModelFromUrdf(str(robot)).names)[1:]
    assert found == ["b", "e", "c", "d", "f"]
    assert orders(robot)["depth_first"] == ["c", "f", "d", "b", "e"]
