"""What USD itself makes of the files: no complaint, and the robot that Pinocchio has of the URDF."""

import pytest

pin = pytest.importorskip("pinocchio")
pxr = pytest.importorskip("pxr")
np = pytest.importorskip("numpy")

import usd_models  # noqa: E402
from usd_cases import case_of, each_robot, each_way, far, symmetric  # noqa: E402

NEAR = 1e-7
POSES = 3
LEVER = 0.1  # m: gravity on some joints is nothing but what rounding does


def indices_of(model, joints, *, free):
    """Return the places of velocities in the order of `joints`: name, and number in the model."""
    return [*(range(6) if free else ()), *(model.joints[number].idx_v for _, number in joints)]


@each_robot
@each_way
def test_usd_itself_has_the_robot_of_the_urdf(tmp_path, path, base):
    case = case_of(tmp_path, path, base=base)
    stage = usd_models.open_stage(case.usda)
    assert usd_models.complaints(stage) == []
    other = usd_models.pinocchio_of(stage)
    mine, theirs = case.model.createData(), other.model.createData()
    pairs = [(name, case.model.getJointId(name)) for name in other.joints]
    order = indices_of(case.model, pairs, free=case.free)
    partner = indices_of(other.model, list(other.joints.items()), free=case.free)
    assert len(order) == case.model.nv == other.model.nv
    T_root_body, X = pin.SE3.Identity(), np.eye(len(order))
    # The frame of a free body is where it weighs: a mere frame above it is none of its prims.
    if case.free:
        pin.framesForwardKinematics(case.model, mine, pin.neutral(case.model))
        first = next(name for name, (number, _) in other.bodies.items() if name and number == 1)
        T_root_body = mine.oMf[case.model.getFrameId(first, pin.FrameType.BODY)]
        X[:6, :6] = T_root_body.action
    random = np.random.default_rng(7)
    for _ in range(POSES):
        q, p = pin.neutral(case.model), pin.neutral(other.model)
        for name, number in pairs:
            value, joint = random.uniform(-1.0, 1.0), case.model.joints[number]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                value if joint.nq == 1 else (np.cos(value), np.sin(value))
            )
            p[other.model.joints[other.joints[name]].idx_q] = value
        M = symmetric(pin.crba(case.model, mine, q))[np.ix_(order, order)]
        N = symmetric(pin.crba(other.model, theirs, p))[np.ix_(partner, partner)]
        assert far(N, X.T @ M @ X) <= NEAR
        g = X.T @ pin.computeGeneralizedGravity(case.model, mine, q)[order]
        h = pin.computeGeneralizedGravity(other.model, theirs, p)[partner]
        weight = 9.81 * sum(inertia.mass for inertia in other.model.inertias)
        assert np.abs(g - h).max(initial=0.0) <= NEAR * max(
            np.abs(g).max(initial=0.0), weight * LEVER
        )
        pin.framesForwardKinematics(case.model, mine, q)
        pin.forwardKinematics(other.model, theirs, p)
        for name, (number, T) in ((name, one) for name, one in other.bodies.items() if name):
            mine_at = (
                T_root_body.inverse() * mine.oMf[case.model.getFrameId(name, pin.FrameType.BODY)]
            )
            at = theirs.oMi[number] * T
            assert np.abs(mine_at.translation - at.translation).max() <= NEAR, name
            assert np.abs(mine_at.rotation - at.rotation).max() <= 2.0 * NEAR, name
