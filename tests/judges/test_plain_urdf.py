"""What MuJoCo and Drake read of a turn by a quaternion: nothing as it is, and all of it as an export for them writes it."""

import pytest

import commands
from export.test_plain_urdf import QUARTER, robot

numpy = pytest.importorskip("numpy")


def in_mujoco(text):
    """Return where x of the moving link is, at zero."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.xmat[model.body("arm").id].reshape(3, 3)[:, 0]


def in_drake(text):
    """Return the same, as Drake has it."""
    drake = pytest.importorskip("pydrake.multibody.all")
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModelsFromString(text, "urdf")
    plant.Finalize()
    pose = plant.GetFrameByName("arm").CalcPoseInWorld(plant.CreateDefaultContext())
    return pose.rotation().matrix()[:, 0]


@pytest.mark.parametrize("program, read", (("mujoco", in_mujoco), ("drake", in_drake)))
@pytest.mark.parametrize("version", ("", "1.1"))
def test_a_quaternion_is_read_only_as_angles(version, program, read, here):
    text = robot(version, joint=QUARTER).partition("<gazebo")[0] + "</robot>"
    (here / "r.urdf").write_text(text)
    assert read(text) == pytest.approx([1, 0, 0], abs=1e-9)
    assert commands.said("export", "r.urdf", "o.urdf", "-y", "-q", "--for", program)[0] == 0
    assert read((here / "o.urdf").read_text()) == pytest.approx([0, 1, 0], abs=1e-9)
