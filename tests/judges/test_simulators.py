"""MuJoCo, pinocchio and Drake judge what is written: `make judges` runs these in an environment of their own."""

import math
import random

import golden_exports
import pytest
from sound_robots import sound

from engine import simplify
from judged_texts import apart, np, Pinocchio, plain, random_base, tree_of
from urdf_tools import model
from urdf_tools.model.export_options import MjcfOptions, SdfOptions
from urdf_tools.formats.mjcf.write_mjcf import scene_text
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.export.sdf_exporter import write_sdf
from urdf_tools.formats.urdf.urdf_model_conversion import model_of

ROBOTS = (
    "fetch_unbound_prefix",
    "go1",
    "harambe_1",
    "harambe_v03",
    "hexapod_gazebo",
    "lekiwi",
    "omnidirectional",
    "reachy_mini",
    "robot_v1",
    "robotiq_loops",
    "sigmaban2019",
    "spm",
    "stickbot",
    "talos_full_v2",
)
BROKEN = ("fetch_unbound_prefix", "robotiq_loops")  # A + B < C: no simulator can have these tensors
TWICE = ("robot_v1",)  # joint names twice: pinocchio and Drake refuse the URDF
EXACT = [name for name in ROBOTS if name not in BROKEN + TWICE]
STATES = 3


def without_meshes(robot):
    """Return the robot with small boxes for meshes: the simulators look for no files, and dynamics do not change."""
    box = model.Box((0.01, 0.01, 0.01))
    links = []
    for link in robot.links:
        links.append(
            link._replace(
                visuals=tuple(
                    v._replace(geometry=box) if isinstance(v.geometry, model.Mesh) else v
                    for v in link.visuals
                ),
                collisions=tuple(
                    c._replace(geometry=box) if isinstance(c.geometry, model.Mesh) else c
                    for c in link.collisions
                ),
            )
        )
    return robot._replace(links=tuple(links))


def read(shared, name):
    """Return a robot whose tensors are repaired."""
    return without_meshes(
        model.Robot.from_urdf(sound((shared / "robots" / f"{name}.urdf").read_text("utf-8")))
    )


def judge_of(robot):
    """Return what Pinocchio makes of links, masses and joints."""
    names = {link.name for link in robot.links}
    return Pinocchio(plain(tree_of(robot.to_urdf().encode()), names, robot.root, by_name=True))


def columns(judge, names):
    return [*range(6), *map(judge.column, names)]


def compare_in_mujoco(robot, text):
    """Return the largest differences of M, g and poses between MuJoCo and pinocchio in random states."""
    mujoco = pytest.importorskip("mujoco")
    judge = judge_of(robot)
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    d = mujoco.MjData(m)
    names = [m.joint(k).name for k in range(m.njnt) if m.jnt_type[k] != mujoco.mjtJoint.mjJNT_FREE]
    worst = [0.0, 0.0, 0.0]
    r = random.Random(1)
    for _ in range(STATES):
        R, p = random_base(r)
        joints = {name: r.uniform(-1.5, 1.5) for name in names}
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, R.flatten())
        d.qpos[:7] = [*p, *quaternion]
        for name, value in joints.items():
            d.qpos[m.jnt_qposadr[m.joint(name).id]] = value
        d.qvel[:] = 0.0
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        # MuJoCo's linear velocity is in world axes, pinocchio's in those of the body.
        S = np.eye(m.nv)
        S[:3, :3] = R
        armature = np.diag(m.dof_armature)
        M, g = S.T @ (M - armature) @ S, S.T @ d.qfrc_bias
        M_judge, g_judge, poses = judge.at(R, p, joints)
        order = columns(judge, names)
        worst[0] = max(worst[0], apart(M, M_judge[np.ix_(order, order)]))
        worst[1] = max(worst[1], apart(g, g_judge[order]))
        for k in range(1, m.nbody):
            pose = poses[m.body(k).name]
            worst[2] = max(
                worst[2],
                float(np.max(np.abs(d.xpos[k] - pose.translation))),
                float(np.max(np.abs(d.xmat[k].reshape(3, 3) - pose.rotation))),
            )
    return worst[0], worst[1], worst[2]


@pytest.mark.parametrize("name", EXACT)
def test_mujoco_has_the_dynamics_of_the_urdf(shared, name, record_property):
    robot = read(shared, name)
    worst = compare_in_mujoco(robot, write_mjcf(robot, MjcfOptions(base="free")).text)
    record_property("worst", worst)
    print(f"{name}: M {worst[0]:.1e} g {worst[1]:.1e} poses {worst[2]:.1e}")
    assert max(worst) < 1e-9


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_tensor_is_refused_and_the_nearest_moves_alike(shared, name):
    with pytest.raises(ValueError, match="no body has the principal moments"):
        write_mjcf(
            without_meshes(model.Robot.from_urdf(shared / "robots" / f"{name}.urdf")), MjcfOptions()
        )
    robot = read(shared, name)
    worst = compare_in_mujoco(robot, write_mjcf(robot, MjcfOptions(base="free")).text)
    print(f"{name}: M {worst[0]:.1e} g {worst[1]:.1e} poses {worst[2]:.1e}")
    assert worst[1] < 1e-9 and worst[2] < 1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_loads_and_runs_it_without_a_warning(shared, name):
    mujoco = pytest.importorskip("mujoco")
    robot = read(shared, name)
    m = mujoco.MjModel.from_xml_string(write_mjcf(robot, MjcfOptions()).text)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    for _ in range(20):
        mujoco.mj_step(m, d)
    assert np.all(np.isfinite(d.qpos))
    assert math.isclose(sum(m.body_mass), robot.mass, rel_tol=1e-9)


@pytest.mark.parametrize(
    "name, apart_at_zero", [("reachy_mini", 1e-6), ("spm", 1e-6), ("robotiq_loops", 0.05)]
)
def test_mujoco_closes_the_loops(shared, name, apart_at_zero, tmp_path):
    """The ends of each loop meet at zero, where the CAD has closed it, and stay together in motion.

    Zero is outside the limits of the gripper, so its bars do not meet there.
    """
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / f"{name}.urdf"
    path.write_text(sound((shared / "robots" / path.name).read_text("utf-8")), "utf-8")
    robot = without_meshes(model_of(simplify(path).after))
    m = mujoco.MjModel.from_xml_string(write_mjcf(robot, MjcfOptions()).text)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)

    def apart_now():
        sites = [
            [d.site_xpos[m.eq_obj1id[k]] - d.site_xpos[m.eq_obj2id[k]]]
            for k in range(m.neq)
            if m.eq_type[k] == mujoco.mjtEq.mjEQ_CONNECT
        ]
        assert sites
        return float(np.max(np.abs(sites)))

    assert apart_now() < apart_at_zero
    while d.time < 1.0:
        mujoco.mj_step(m, d)
    print(f"{name}: {apart_now():.1e} m after a second")
    assert apart_now() < 1e-4 and [int(warning.number) for warning in d.warning] == [0] * len(
        d.warning
    )


def drake_plant(text, kind):
    plant_module = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    plant = plant_module.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(text, kind)
    plant.Finalize()
    return plant


@pytest.mark.parametrize("name", EXACT)
def test_drake_reads_the_sdf_as_the_urdf(shared, name):
    """M(q) of Drake's model of our SDF against pinocchio's of the URDF, with a free base."""
    robot = read(shared, name)
    plain = robot._replace(sensors=(), extensions=())
    text = write_sdf(plain, SdfOptions(base="free")).text
    plant = drake_plant(text, "sdf")
    judge = judge_of(robot)
    context = plant.CreateDefaultContext()
    names_of = {joint.child: joint.name for joint in robot.joints}
    in_text = sdf_joint_names(plain)
    moving = [joint for joint in robot.joints if joint.type != "fixed"]
    r = random.Random(2)
    worst = 0.0
    for _ in range(STATES):
        values = {joint.name: r.uniform(-1.5, 1.5) for joint in moving}
        for joint in moving:
            found = plant.GetJointByName(in_text[joint.child])
            plant.SetPositions(context, plant.GetPositions(context))
            q = plant.GetPositions(context)
            q[found.position_start()] = values[joint.name]
            plant.SetPositions(context, q)
        M = plant.CalcMassMatrix(context)
        own = [plant.GetJointByName(in_text[joint.child]).velocity_start() for joint in moving]
        M_judge, _, _ = judge.at(np.eye(3), np.zeros(3), values)
        order = columns(judge, [names_of[joint.child] for joint in moving])[6:]
        worst = max(worst, apart(M[np.ix_(own, own)], M_judge[np.ix_(order, order)]))
    print(f"{name}: M {worst:.1e}")
    total = plant.CalcTotalMass(context)
    assert worst < 1e-9 and math.isclose(total, robot.mass, rel_tol=1e-9)


def sdf_joint_names(robot):
    from urdf_tools.formats.sdf.read_sdf import read_sdf
    from urdf_tools.formats.sdf.write_sdf import make_sdf

    return {
        joint.child: joint.name
        for joint in read_sdf(make_sdf(robot, SdfOptions(base="free"))[0].text).joints
    }


def random_robot(seed):
    from random_robots import ORDINARY, write_robot

    return without_meshes(
        model.Robot.from_urdf(write_robot(random.Random(seed), ORDINARY._replace(duplicates=0.0)))
    )


def test_mujoco_has_the_dynamics_of_random_robots():
    """Robots with revolute, continuous, prismatic and fixed joints, whatever their frames, masses and tensors."""
    worst, count = (0.0, 0.0, 0.0), 0
    for seed in range(150):
        try:
            robot = random_robot(seed)
            text = write_mjcf(robot, MjcfOptions(base="free")).text
        except ValueError:
            continue  # refused: a tensor that no body has, a moving link without mass, a floating joint
        if any(joint.type == "planar" for joint in robot.joints):
            continue  # pinocchio's ignores the axis
        found = compare_in_mujoco(robot, text)
        assert max(found) < 1e-9, seed
        worst, count = max(worst, found), count + 1
    print(f"{count} robots: M {worst[0]:.1e} g {worst[1]:.1e} poses {worst[2]:.1e}")
    assert count >= 20


GOLDEN = [path for path in golden_exports.robots() if "refused" not in path.stem]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_mujoco_reads_the_committed_files(path):
    """Every element and attribute that the fixtures show is one that MuJoCo knows, and a step goes without warning."""
    mujoco = pytest.importorskip("mujoco")
    text = path.with_suffix(".xml").read_text("utf-8")
    if text.startswith("refused") or "<mesh name" in text:
        pytest.skip("no model, or one that needs files")
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    for _ in range(50):
        mujoco.mj_step(m, d)
    assert [int(warning.number) for warning in d.warning] == [0] * len(d.warning)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_drake_reads_the_committed_files(path):
    text = path.with_suffix(".sdf").read_text("utf-8")
    if (
        text.startswith("refused")
        or "<mesh>" in text
        or "<plugin" in text
        or path.stem == "closing"
    ):
        pytest.skip("no model, one that needs files, or one with a loop, which Drake does not have")
    plant = drake_plant(text, "sdf")
    mass = model.Robot.from_urdf(path).mass
    assert plant.CalcTotalMass(plant.CreateDefaultContext()) == pytest.approx(
        mass, rel=1e-9, abs=1e-7
    )


@pytest.mark.parametrize("name", ("fixed_base", "world_shapes"))
def test_what_hangs_on_a_still_body_does_not_push_it(name):
    """Parent and child overlap here; MuJoCo's own filter does not reach a parent that is still."""
    mujoco = pytest.importorskip("mujoco")
    text = (golden_exports.FOLDER / f"{name}.xml").read_text("utf-8")
    contacts = []
    without = "\n".join(line for line in text.split("\n") if "<exclude" not in line)
    for model_text in (text, without):
        m = mujoco.MjModel.from_xml_string(model_text)
        d = mujoco.MjData(m)
        mujoco.mj_forward(m, d)
        contacts.append(d.ncon)
    assert contacts[0] == 0 < contacts[1]


def test_the_humanoid_stands_for_a_second(shared):
    """The result of robot_v1 on the floor of its scene, all joints driven: no warning, and it is still up."""
    mujoco = pytest.importorskip("mujoco")
    robot = without_meshes(model_of(simplify(shared / "robots" / "robot_v1.urdf").after))
    for actuators, kp in (("motor", None), ("position", 300.0)):
        text = write_mjcf(robot, MjcfOptions(actuators=actuators, kp=kp)).text
        m = mujoco.MjModel.from_xml_string(
            scene_text("robot_v1", "robot.xml", 0.0), {"robot.xml": text.encode()}
        )
        d = mujoco.MjData(m)
        mujoco.mj_resetDataKeyframe(m, d, 0)
        height = float(d.qpos[2])
        while d.time < 1.0:
            mujoco.mj_step(m, d)
        assert m.nu == 23
        assert [int(warning.number) for warning in d.warning] == [0] * len(d.warning)
        if actuators == "position":
            print(f"height {height:.3f} -> {d.qpos[2]:.3f} m")
            assert d.qpos[2] > 0.9 * height
