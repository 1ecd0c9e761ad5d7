"""What USD, Newton and PhysX make of the files: no complaint, and the robot that Pinocchio has of the URDF."""

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest
from conftest import ROOT

from urdf_tools import model as m
from urdf_tools import simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.export.usd.writer import make_usd
from urdf_tools.model.choices import UsdOptions

pin = pytest.importorskip("pinocchio")
pxr = pytest.importorskip("pxr")
np = pytest.importorskip("numpy")

import usd_models  # noqa: E402

SHARED = sorted((ROOT.parent / "shared" / "robots").glob("*.urdf"))
OWN = [ROOT / "fixtures" / name / "robot.urdf" for name in ("arm", "humanoid", "painted_arm")]
ROBOTS = [*OWN, *SHARED]
NEAR, NEAR_ENGINE = 1e-7, 3e-6
POSES = 3
LEVER = 0.1  # m: gravity on some joints is nothing but what rounding does
each_robot = pytest.mark.parametrize("path", ROBOTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
each_way = pytest.mark.parametrize("bodies, base", [(a, b) for a in ("flat", "nested") for b in ("free", "fixed")])


class Case(NamedTuple):
    """A file of USD, and what Pinocchio has of the robot with the tensors that were written."""

    usda: Path
    model: Any
    free: bool


def case_of(folder: Path, path: Path, **options: Any) -> Case:
    """Write the simplified robot as USD; impossible tensors, and masses of nothing, are judged as they were written."""
    try:
        simplify(path, folder / "robot.urdf")
    except UrdfError as error:
        pytest.skip(str(error))
    robot = m.Robot.from_urdf(str(folder / "robot.urdf") if (folder / "robot.urdf").exists() else str(path))
    if robot.root == "world" and options.get("base") == "free":
        pytest.skip("its root is the world itself")
    chosen = UsdOptions(massless="tiny", inertia="nearest", meshes="none", **options)
    written, decided = make_usd(robot, chosen)
    usda = folder / "robot.usda"
    usda.write_text(written.text, encoding="utf-8")
    links = []
    for link in robot.links:
        tensor = decided.tensors.get(link.name)
        if tensor is not None:
            weight = link.weight
            center = weight.center if weight.mass else (0.0, 0.0, 0.0)
            inertial = m.Inertial(weight.mass or 1e-9, m.Inertia.from_matrix(tensor), m.Pose(center))
            link = link._replace(inertial=inertial)
        links.append(link._replace(visuals=(), collisions=()))
    plain = m.Robot("r", tuple(links), tuple(joint._replace(mimic=None) for joint in robot.joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = m.to_urdf(plain)
    free = 'def PhysicsFixedJoint "root_joint"' not in written.text and 'PhysicsMassAPI", "PhysicsArticulation' in (
        written.text
    )
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if free else pin.buildModelFromXML(text)
    return Case(usda, model, free)


def indices_of(model: Any, joints: List[Tuple[str, int]], *, free: bool) -> List[int]:
    """Return the places of velocities in the order of `joints`: name, and number in the model."""
    return [*(range(6) if free else ()), *(model.joints[number].idx_v for _, number in joints)]


def symmetric(M: Any) -> Any:
    return np.triu(M) + np.triu(M, 1).T


@each_robot
@each_way
def test_usd_itself_has_the_robot_of_the_urdf(tmp_path: Path, path: Path, bodies: str, base: str) -> None:
    case = case_of(tmp_path, path, bodies=bodies, base=base)
    stage = usd_models.open_stage(case.usda)
    assert usd_models.complaints(stage) == []
    other = usd_models.pinocchio_of(stage)
    mine, theirs = case.model.createData(), other.model.createData()
    pairs = [(name, case.model.getJointId(name)) for name in other.joints]
    order = indices_of(case.model, pairs, free=case.free)
    partner = indices_of(other.model, list(other.joints.items()), free=case.free)
    assert len(order) == case.model.nv == other.model.nv
    random = np.random.default_rng(7)
    for _ in range(POSES):
        q, p = pin.neutral(case.model), pin.neutral(other.model)
        for name, number in pairs:
            value, joint = random.uniform(-1.0, 1.0), case.model.joints[number]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
            p[other.model.joints[other.joints[name]].idx_q] = value
        M = symmetric(pin.crba(case.model, mine, q))[np.ix_(order, order)]
        N = symmetric(pin.crba(other.model, theirs, p))[np.ix_(partner, partner)]
        scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))
        assert np.abs((M - N) / scale).max() <= NEAR or np.abs(M - N).max() <= NEAR * np.abs(M).max()
        g = pin.computeGeneralizedGravity(case.model, mine, q)[order]
        h = pin.computeGeneralizedGravity(other.model, theirs, p)[partner]
        weight = 9.81 * sum(inertia.mass for inertia in other.model.inertias)
        assert np.abs(g - h).max() <= NEAR * max(np.abs(g).max(), weight * LEVER)
        pin.framesForwardKinematics(case.model, mine, q)
        pin.forwardKinematics(other.model, theirs, p)
        for name, (number, T) in ((name, one) for name, one in other.bodies.items() if name):
            mine_at = mine.oMf[case.model.getFrameId(name, pin.FrameType.BODY)]
            at = theirs.oMi[number] * T
            assert np.abs(mine_at.translation - at.translation).max() <= NEAR, name
            assert np.abs(mine_at.rotation - at.rotation).max() <= 2.0 * NEAR, name


def limits_of(usda: Path) -> Dict[str, Tuple[float, ...]]:
    """Return lower, upper [rad or m], effort and velocity of joints as the URDF has them."""
    robot = m.Robot.from_urdf(str(usda.with_suffix(".urdf")))
    found = {}
    for joint in robot.joints:
        if joint.range is not None and joint.limit is not None and joint.range[0] <= joint.range[1]:
            found[joint.name] = (*joint.range, joint.limit.effort or 0.0, joint.limit.velocity or 0.0)
    return found


@pytest.mark.parametrize("path", [*OWN, *SHARED[:3], *SHARED[8:9], *SHARED[-1:]], ids=lambda path: path.stem)
@pytest.mark.parametrize("base", ["free", "fixed"])
def test_newton_has_the_same_joints_masses_and_places(tmp_path: Path, path: Path, base: str) -> None:
    newton = pytest.importorskip("newton")
    warp = pytest.importorskip("warp")
    warp.config.quiet = True
    case = case_of(tmp_path, path, base=base)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        builder = newton.ModelBuilder()
        builder.add_usd(str(case.usda))
    assert [str(one.message) for one in said if "Newton" in type(one.message).__name__] == []
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    stage = usd_models.open_stage(case.usda)
    names = [usd_models.true_name(stage.GetPrimAtPath(label)) for label in model.body_label]
    data = case.model.createData()
    pin.framesForwardKinematics(case.model, data, pin.neutral(case.model))
    root = None
    for name, place, mass in zip(names, state.body_q.numpy(), model.body_mass.numpy()):
        at = data.oMf[case.model.getFrameId(name, pin.FrameType.BODY)]
        if root is None:  # the frame of a free root is where the prim is
            root = at.translation - place[:3] if case.free else np.zeros(3)
        assert np.abs(at.translation - root - place[:3]).max() <= NEAR_ENGINE, name
        assert mass > 0.0
    limits = limits_of(case.usda)
    starts = model.joint_qd_start.numpy()
    lower, upper, effort = (
        getattr(model, f"joint_{one}").numpy() for one in ("limit_lower", "limit_upper", "effort_limit")
    )
    speed = model.joint_velocity_limit.numpy()
    for number, label in enumerate(model.joint_label):
        prim = stage.GetPrimAtPath(label)
        wanted = limits.get(usd_models.true_name(prim)) if prim else None
        if wanted is not None:
            k = starts[number]
            found = (lower[k], upper[k])
            assert np.allclose(found, wanted[:2], rtol=NEAR_ENGINE, atol=NEAR_ENGINE), label
            assert (
                not wanted[2]
                or effort[k] == pytest.approx(wanted[2], rel=1e-6)
                or "newton:mimicJoint" in (prim.GetPropertyNames())
            ), label
            assert not wanted[3] or speed[k] == pytest.approx(wanted[3], rel=1e-6), label


def physx_of(usda: Path) -> Dict[str, Any]:
    """Return what PhysX makes of a file, in a process of its own."""
    pytest.importorskip("ovphysx", exc_type=ImportError)
    stage = usd_models.open_stage(usda)
    roots = [prim for prim in stage.Traverse() if "PhysicsArticulationRootAPI" in prim.GetAppliedSchemas()]
    script = Path(__file__).with_name("physx_dump.py")
    done = subprocess.run(
        [sys.executable, str(script), str(usda), str(roots[0].GetPath())],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("JSON")]
    assert lines, done.stdout[-2000:]
    found: Dict[str, Any] = json.loads(lines[0][4:])
    return found


@pytest.mark.parametrize("path", [OWN[0], OWN[1], *SHARED[8:9], *SHARED[-1:]], ids=lambda path: path.stem)
@pytest.mark.parametrize("base", ["free", "fixed"])
def test_physx_has_the_same_joints_and_lets_free_robots_fall(tmp_path: Path, path: Path, base: str) -> None:
    case = case_of(tmp_path, path, base=base)
    found = physx_of(case.usda)
    assert found["fixed"] is (not case.free)
    limits = limits_of(case.usda)
    stage = usd_models.open_stage(case.usda)
    followers = {prim.GetName() for prim in stage.Traverse() if prim.GetRelationship("newton:mimicJoint").GetTargets()}
    at_rest = not followers and all(one[0] <= 0.0 <= one[1] for one in limits.values())
    if case.free and at_rest:  # outside its limits, or off its rule, a free robot is thrown away by the first step
        assert found["fallen"] == pytest.approx(9.81 * 0.2 * 0.2 / 2, rel=0.01)
    if not case.free:
        assert abs(found["fallen"]) < 1e-6
    true = {prim.GetName(): usd_models.true_name(prim) for prim in stage.Traverse()}
    compared = 0
    for name, (lower, upper), effort, speed in zip(
        found["joints"], found["DOF_LIMIT"], found["DOF_MAX_FORCE"], found["DOF_MAX_VELOCITY"]
    ):
        wanted = limits.get(true[name])
        if wanted is not None:
            compared += 1
            assert np.allclose((lower, upper), wanted[:2], rtol=NEAR_ENGINE, atol=NEAR_ENGINE), name
            assert not wanted[2] or effort == pytest.approx(wanted[2], rel=1e-6) or name in followers, name
            assert not wanted[3] or speed == pytest.approx(wanted[3], rel=1e-6), name
    assert compared
    bodies = {usd_models.true_name(prim): prim for prim in stage.Traverse()}
    for name, mass in zip(found["bodies"], found["BODY_MASS"]):
        prim = bodies[true[name]]
        assert mass == pytest.approx(float(prim.GetAttribute("physics:mass").Get()), rel=1e-6)


def test_the_orders_of_joints(tmp_path: Path) -> None:
    """Newton goes deep and PhysX wide, both by the names of joints among siblings, not in the order of the file."""
    inertial = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
    joints = [
        ("b", "base", "x"),
        ("c", "base", "k"),
        ("A", "base", "y"),
        ("e", "x", "d"),
        ("a_1", "k", "z"),
        ("a2", "k", "w"),
    ]
    links = tuple(m.Link(name, inertial) for name in ("base", *(child for _, _, child in joints)))
    robot = m.Robot(
        "r",
        links,
        tuple(
            m.Joint(name, "revolute", parent, child, m.Pose((0.1, 0.0, 0.1)), limit=m.Limit(-1.0, 1.0, 5.0, 5.0))
            for name, parent, child in joints
        ),
    )
    usda = tmp_path / "r.usda"
    usda.write_text(m.to_usd(robot, UsdOptions(base="free")), encoding="utf-8")
    newton = pytest.importorskip("newton")
    builder = newton.ModelBuilder()
    builder.add_usd(str(usda))
    labels = [label.rpartition("/")[2] for label in builder.joint_label if label.startswith("/r/joints/")]
    assert labels == ["A", "b", "e", "c", "a2", "a_1"]
    assert physx_of(usda)["joints"] == ["A", "b", "c", "e", "a2", "a_1"]
