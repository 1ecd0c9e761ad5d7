"""What Newton and PhysX make of the files: the robot that Pinocchio has of the URDF, in float32."""

from collections import namedtuple
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from urdf_tools import model as m
from urdf_tools.export.usd_exporter import write_usd
from urdf_tools.model.export_options import UsdOptions

pin = pytest.importorskip("pinocchio")
pxr = pytest.importorskip("pxr")
np = pytest.importorskip("numpy")

import usd_models  # noqa: E402
from usd_cases import case_of, each_robot, each_way, far, symmetric  # noqa: E402

NEAR = 3e-6  # m, of an entry of a rotation, of the mass matrix, and of any number
OUT_OF_REACH = 1e9
POSES = 2
LIGHT = 1e-6  # kg: bodies like those of frames, which PhysX's solver does not carry
RULE = 1e-3  # rad or m: PhysX holds followers by its solver


class Stepped(namedtuple("Stepped", "positions bodies names mass")):
    """Positions by joint, and what an engine has there: poses of bodies by name, and the mass matrix of the joints.

    It is None where Newton has raised moments: below 1e-10 kg m^2, or a millionth of the largest of a body.
    """


def positions_of(case):
    """Return positions of all joints: zero, and random ones."""
    random = np.random.default_rng(7)
    names = sorted(case.joints())
    return [
        dict.fromkeys(names, 0.0),
        *(
            {name: float(np.float32(random.uniform(-1.0, 1.0))) for name in names}
            for _ in range(POSES)
        ),
    ]


def matrix(numbers):
    """Return a pose of x, y, z and a quaternion x, y, z, w."""
    x, y, z, *quaternion = map(float, numbers)
    return pin.SE3(
        pin.Quaternion(quaternion[3], *quaternion[:3]).normalized().matrix(), np.array([x, y, z])
    )


def check_motion(case, one):
    """Compare poses of bodies with those of Pinocchio, and the mass matrix of the joints, which no base enters."""
    q, data = pin.neutral(case.model), case.model.createData()
    for name, value in one.positions.items():
        joint = case.model.joints[case.model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            value if joint.nq == 1 else (np.cos(value), np.sin(value))
        )
    pin.framesForwardKinematics(case.model, data, q)
    wanted = {
        name: data.oMf[case.model.getFrameId(name, pin.FrameType.BODY)] for name in one.bodies
    }
    first = next(iter(one.bodies))
    T_engine = wanted[first] * one.bodies[first].inverse() if case.free else pin.SE3.Identity()
    for name, found in one.bodies.items():
        at = T_engine * found
        assert np.abs(wanted[name].translation - at.translation).max() <= NEAR, (
            name,
            one.positions,
        )
        assert np.abs(wanted[name].rotation - at.rotation).max() <= NEAR, (name, one.positions)
    if one.mass is None:
        return
    places = case.places(one.names)
    M = symmetric(pin.crba(case.model, case.model.createData(), q))[np.ix_(places, places)]
    armature = [case.joints()[name].armature or 0.0 for name in one.names]
    assert far(one.mass, M + np.diag(armature)) <= NEAR


def check_numbers(case, name, found):
    """Compare the numbers of a joint with those of the robot; what means nothing, or the contrary, is not written."""
    joint = case.joints()[name]
    limit, dynamics = joint.limit or m.Limit(), joint.dynamics or m.Dynamics(None, None)
    wanted = {
        "damping": max(dynamics.damping or 0.0, 0.0),
        "friction": max(dynamics.friction or 0.0, 0.0),
        "armature": joint.armature or 0.0,
    }
    if (
        joint.range is not None
        and joint.range[0] <= joint.range[1]
        and min(map(abs, joint.range)) < OUT_OF_REACH
    ):
        wanted["lower"], wanted["upper"] = joint.range
    if limit.effort and name not in case.followers:
        wanted["effort"] = limit.effort
    if limit.velocity:
        wanted["velocity"] = limit.velocity
    for key, value in wanted.items():
        if key in found:
            assert found[key] == pytest.approx(value, rel=NEAR, abs=NEAR), (name, key)


@each_robot
@each_way
def test_newton_has_the_robot_of_the_urdf(tmp_path, path, base):
    newton = pytest.importorskip("newton")
    warp = pytest.importorskip("warp")
    warp.config.quiet = True
    case = case_of(tmp_path, path, base=base)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        builder = newton.ModelBuilder()
        builder.add_usd(str(case.usda))
    assert [str(one.message) for one in said if "Newton" in type(one.message).__name__] == []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = builder.finalize(device="cpu")
    raised = any("Inertia validation corrected" in str(one.message) for one in said)
    stage = usd_models.open_stage(case.usda)
    names = [usd_models.true_name(stage.GetPrimAtPath(label)) for label in model.body_label]
    prims = [stage.GetPrimAtPath(label) for label in model.joint_label]
    joints = {
        number: usd_models.true_name(prim)
        for number, prim in enumerate(prims)
        if prim and usd_models.true_name(prim) in case.joints()
    }
    assert set(joints.values()) == set(case.joints())
    places, speeds = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
    for positions in positions_of(case):
        q = model.joint_q.numpy()
        for number, name in joints.items():
            q[places[number]] = positions[name]
        state = model.state()
        newton.eval_fk(model, warp.array(q, dtype=float, device="cpu"), model.joint_qd, state)
        M = newton.eval_mass_matrix(model, state)
        own = [int(speeds[number]) for number in joints]
        mass = (
            None
            if raised
            else M.numpy()[0][np.ix_(own, own)]
            if M is not None
            else np.zeros((0, 0))
        )
        check_motion(
            case,
            Stepped(
                positions,
                dict(zip(names, map(matrix, state.body_q.numpy()))),
                list(joints.values()),
                mass,
            ),
        )
    values = {
        key: getattr(model, f"joint_{word}").numpy()
        for key, word in (
            ("lower", "limit_lower"),
            ("upper", "limit_upper"),
            ("effort", "effort_limit"),
            ("velocity", "velocity_limit"),
            ("damping", "damping"),
            ("friction", "friction"),
            ("armature", "armature"),
        )
    }
    for number, name in joints.items():
        check_numbers(
            case, name, {key: float(column[speeds[number]]) for key, column in values.items()}
        )
    leaders, coefficients = model.joint_mimic_joint.numpy(), model.joint_mimic_coeffs.numpy()
    rules = {
        name: (
            joints[int(leaders[number])],
            float(coefficients[number][1]),
            float(coefficients[number][0]),
        )
        for number, name in joints.items()
        if leaders[number] >= 0
    }
    assert rules == {
        name: (
            one.joint,
            pytest.approx(one.multiplier, rel=NEAR),
            pytest.approx(one.offset, abs=NEAR),
        )
        for name, one in case.followers.items()
    }


def test_newton_reads_a_follower_of_a_follower(tmp_path):
    """It refuses one as such: the rule is that of the joint that leads both."""
    newton = pytest.importorskip("newton")
    unit, free = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02)), m.Limit(-1.0, 1.0, 10.0, 3.0)
    rules = (None, m.Mimic("j0", 0.5, 0.25), m.Mimic("j1", -2.0, 1.0))
    robot = m.Robot(
        "row",
        tuple(m.Link(f"l{k}", unit) for k in range(4)),
        tuple(
            m.Joint(
                f"j{k}",
                "revolute",
                f"l{k}",
                f"l{k + 1}",
                axis=(0.0, 1.0, 0.0),
                limit=free,
                mimic=rule,
            )
            for k, rule in enumerate(rules)
        ),
    )
    (tmp_path / "row.usda").write_text(write_usd(robot, UsdOptions(base="fixed")).text)
    builder = newton.ModelBuilder()
    builder.add_usd(str(tmp_path / "row.usda"))
    model = builder.finalize(device="cpu")
    numbers = {label.rpartition("/")[2]: number for number, label in enumerate(model.joint_label)}
    leaders, coefficients = model.joint_mimic_joint.numpy(), model.joint_mimic_coeffs.numpy()
    for name, offset, multiplier in (("j1", 0.25, 0.5), ("j2", 0.5, -1.0)):
        assert leaders[numbers[name]] == numbers["j0"], name
        assert coefficients[numbers[name]] == pytest.approx((offset, multiplier), abs=NEAR)


def physx_of(usda, positions):
    """Return what PhysX makes of a file, in a process of its own; positions are by the names of prims."""
    pytest.importorskip("ovphysx", exc_type=ImportError)
    stage = usd_models.open_stage(usda)
    roots = [
        prim
        for prim in stage.Traverse()
        if "PhysicsArticulationRootAPI" in prim.GetAppliedSchemas()
    ]
    script = Path(__file__).with_name("physx_dump.py")
    done = subprocess.run(
        [sys.executable, str(script), str(usda), str(roots[0].GetPath()), json.dumps(positions)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("JSON")]
    assert lines, done.stdout[-2000:]
    found = json.loads(lines[0][4:])
    return found


@each_robot
@each_way
def test_physx_has_the_robot_of_the_urdf(tmp_path, path, base):
    case = case_of(tmp_path, path, bare=True, base=base)
    if not case.joints():
        pytest.skip("nothing moves in it")
    stage = usd_models.open_stage(case.usda)
    true = {prim.GetName(): usd_models.true_name(prim) for prim in stage.Traverse()}
    prim_of = {
        true[prim.GetName()]: prim.GetName()
        for prim in stage.Traverse()
        if prim.GetTypeName().endswith("Joint")
    }
    tried = positions_of(case)
    asked = [
        {prim_of[name]: value for name, value in one.items()} for one in (inside(case), *tried)
    ]
    found = physx_of(case.usda, asked)
    assert found["fixed"] is (not case.free)
    joints = [true[name] for name in found["joints"]]
    assert sorted(joints) == sorted(case.joints())
    bodies_of = [true[name] for name in found["bodies"]]
    free = 6 if case.free else 0
    for positions, poses, mass in zip(tried, found["poses"], found["masses"]):
        check_motion(
            case,
            Stepped(
                positions,
                dict(zip(bodies_of, map(matrix, poses))),
                joints,
                np.array(mass)[free:, free:],
            ),
        )
    columns = zip(
        joints,
        found["DOF_LIMIT"],
        found["DOF_MAX_FORCE"],
        found["DOF_MAX_VELOCITY"],
        found["DOF_FRICTION_PROPERTIES"],
        found["DOF_ARMATURE"],
    )
    for name, (lower, upper), effort, velocity, (static, dynamic, viscous), armature in columns:
        assert static == dynamic
        check_numbers(
            case,
            name,
            {
                "lower": lower,
                "upper": upper,
                "effort": effort,
                "velocity": velocity,
                "friction": static,
                "damping": viscous,
                "armature": armature,
            },
        )
    check_steps(case, {**found, "bodies": bodies_of}, dict(zip(joints, found["held"])))


def inside(case):
    """Return positions within limits and rules: outside of them a free robot is thrown away by the first step."""
    found = {}
    for name, joint in case.joints().items():
        lower, upper = (
            joint.range
            if joint.range is not None and joint.range[0] <= joint.range[1]
            else (-1.0, 1.0)
        )
        found[name] = min(max(0.0, lower + 0.1 * (upper - lower)), upper - 0.1 * (upper - lower))
    for name, rule in case.followers.items():
        found[name] = rule.multiplier * found[rule.joint] + rule.offset
    return found


def check_steps(case, found, held):
    """The center of mass of a free robot falls, one that is held stays, and followers follow.

    A link whose gravity is off does not pull.
    """
    light = min(found["BODY_MASS"]) < LIGHT
    off = {link.name for link in case.robot.links if link.gravity is False}
    pulls = sum(mass for name, mass in zip(found["bodies"], found["BODY_MASS"]) if name not in off)
    share = pulls / sum(found["BODY_MASS"])
    if case.free and not light:
        assert found["fallen"] == pytest.approx(9.81 * 0.2 * 0.2 / 2 * share, rel=0.02, abs=1e-6)
    if not case.free:
        assert found["place"] == found["placed"]
    for name, rule in case.followers.items() if not light else ():
        assert held[name] == pytest.approx(
            rule.multiplier * held[rule.joint] + rule.offset, abs=RULE
        ), name
