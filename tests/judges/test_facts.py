"""Facts about readers that rules here rest on, each told by the reader itself: Drake, pinocchio, MuJoCo."""

import pytest
from conftest import signs_of
from mesh_files import binary_stl, TETRAHEDRON

from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

np = pytest.importorskip("numpy", reason="the judge needs numpy")

MASS = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
SHAPE = '<collision><geometry><sphere radius="0.01"/></geometry></collision>'
# Both joints point down and are tilted, so their links turn; the foot merges into the shin.
ROBOT = f"""<robot name="facts" xmlns:drake="http://drake.mit.edu"><link name="base">{MASS}</link>
<link name="thigh">{MASS}</link><link name="shin">{MASS}{SHAPE}</link><link name="foot">{MASS}{SHAPE}</link>
<joint name="hip" type="revolute"><parent link="base"/><child link="thigh"/><origin xyz="0 0 0.1" rpy="1.57 0 0"/>
<axis xyz="0 0 -1"/><limit lower="-0.4" upper="1.1" effort="3" velocity="2"/></joint>
<joint name="knee" type="prismatic"><parent link="thigh"/><child link="shin"/><origin xyz="0.2 0 0" rpy="0 0 1.57"/>
<axis xyz="-1 0 0"/><limit lower="-0.1" upper="0.3" effort="4" velocity="1"/></joint>
<joint name="ankle" type="fixed"><parent link="shin"/><child link="foot"/><origin xyz="0 0 -0.3" rpy="0.5 0 0"/></joint>
<frame name="toe" link="foot" xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>
<drake:collision_filter_group name="leg"><drake:member link="foot"/><drake:member link="base"/>
<drake:ignored_collision_filter_group name="leg"/></drake:collision_filter_group></robot>"""
POSITIONS = ((0.0, 0.0), (0.3, 0.1), (-0.2, 0.25), (1.0, -0.05))


@pytest.fixture(scope="module")
def result():
    found = simplify_bytes(ROBOT.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert (
        list(found.after.links) == ["base", "thigh", "shin"] and -1 in signs_of(found.plan).values()
    )
    return found


def drake(text):
    """Return a plant and its parser."""
    plants, parsing, framework = (
        pytest.importorskip(f"pydrake.{name}")
        for name in ("multibody.plant", "multibody.parsing", "systems.framework")
    )
    plant, _ = plants.AddMultibodyPlantSceneGraph(framework.DiagramBuilder(), 0.001)
    parser = parsing.Parser(plant)
    parser.AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    return plant, parser


def test_drake_has_the_same_frames(result):
    pytest.importorskip("pydrake")
    found = [[], []]
    for text, told, signs in (
        (ROBOT, found[0], {}),
        (result.text, found[1], signs_of(result.plan)),
    ):
        plant, _ = drake(text)
        context = plant.CreateDefaultContext()
        for position in POSITIONS:
            q = np.zeros(2)
            for name, value in zip(("hip", "knee"), position):
                q[plant.GetJointByName(name).position_start()] = signs.get(name, 1) * value
            plant.SetPositions(context, q)
            told += list(
                plant.GetFrameByName("toe").CalcPoseInWorld(context).GetAsMatrix4().flatten()
            )
    assert np.max(np.abs(found[0][:2])) > 0.1 and np.max(np.abs(np.subtract(*found))) < 1e-9


def test_drake_filters_the_link_that_has_the_shape(result):
    groups = [drake(text)[1].GetCollisionFilterGroups().groups() for text in (ROBOT, result.text)]
    members = [{name.split("::")[-1] for name in next(iter(group.values()))} for group in groups]
    assert members == [{"base", "foot"}, {"base", "shin"}]


def test_pinocchio_turns_limits_with_the_sign(result):
    pinocchio = pytest.importorskip("pinocchio")
    before, after = (pinocchio.buildModelFromXML(text) for text in (ROBOT, result.text))
    for name, sign in signs_of(result.plan).items():
        old, new = (model.idx_qs[model.getJointId(name)] for model in (before, after))
        ends = [before.lowerPositionLimit[old], before.upperPositionLimit[old]]
        assert sorted(sign * x for x in ends) == [
            after.lowerPositionLimit[new],
            after.upperPositionLimit[new],
        ]


@pytest.mark.parametrize(
    "compiler, filename, reached",
    (
        ("", "m/a.stl", "m/a.stl"),
        ('meshdir="assets"', "m/a.stl", "assets/m/a.stl"),
        ('meshdir="assets" strippath="true"', "m/a.stl", "assets/a.stl"),
        ('strippath="true"', "m/a.stl", "a.stl"),
        ('meshdir="assets"', "../m/a.stl", "m/a.stl"),
    ),
)
def test_where_mujoco_looks_for_a_mesh(tmp_path, compiler, filename, reached):
    mujoco = pytest.importorskip("mujoco")
    geometry = f'<collision><geometry><mesh filename="{filename}"/></geometry></collision>'
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><mujoco><compiler {compiler}/></mujoco><link name="a">{geometry}'
        "</link></robot>"
    )
    for folder in ("m", "assets/m"):
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(ValueError, match="Error opening file"):
        mujoco.MjModel.from_xml_path(str(tmp_path / "r.urdf"))
    (tmp_path / reached).write_bytes(binary_stl(TETRAHEDRON))
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "r.urdf")).nmesh == 1
