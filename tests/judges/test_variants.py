"""Pinocchio judges the variants: its reduced model of the input moves as our result, at positions mapped by its report.

Joints that follow another move for themselves.
"""

import random
from typing import Any, Dict, NamedTuple

import pytest
from conftest import ROOT

from engine import simplify
from judged_texts import (
    apart,
    below,
    lines_of,
    MOVABLE,
    np,
    Pinocchio,
    plain,
    random_base,
    tree_of,
)
from urdf_tools import record_of
from urdf_tools.app.calls import edit

ROBOTS = sorted((ROOT.parent / "shared" / "robots").glob("*.urdf"))
TOLERANCE = 1e-9  # of poses [m, 1]; of M and g in parts of their largest entry
SETS, POSES = 4, 2
NONE = {}
IMPOSSIBLE = (
    "fetch_unbound_prefix",
    "robotiq_loops",
)  # tensors that no body has: exports refuse them
EXPORTED = [path.stem for path in ROBOTS if path.stem not in IMPOSSIBLE]
EXACT = {"snap": 0.0, "count_once": False}

pytestmark = pytest.mark.skipif(
    not ROBOTS, reason=f"no real robots: {ROOT.parent / 'shared' / 'robots'} is not there"
)
each_robot = pytest.mark.parametrize("robot", ROBOTS, ids=[path.stem for path in ROBOTS])


def locked_by_hand(lines, locked):
    """Return where joints are, by child link, if joints are locked by name; followers where their leaders put them."""
    found, more = dict(locked), True
    while more:
        moved = {
            line.name: line.mimic[1] * found[line.mimic[0]] + line.mimic[2]
            for line in lines
            if line.type in MOVABLE
            and line.mimic
            and line.mimic[0] in found
            and line.name not in found
        }
        found.update(moved)
        more = bool(moved)
    return {
        line.child: found[line.name]
        for line in lines
        if line.name in found and line.type in MOVABLE
    }


def made(path, only, drop, locked, **acts):
    asked = {"only": only, "drop": drop, "lock": dict(locked), **acts}
    return edit(path, None, **{name: value for name, value in asked.items() if value})


def judged(
    path,
    r,
    only="",
    drop=(),
    locked=NONE,
    **acts,
):
    """Make a variant, compare it with the input in Pinocchio, and return its report and the links that stay."""
    names = [line.name for line in lines_of(tree_of(path.read_bytes()))]
    if len(set(names)) < len(names):
        pytest.skip("two joints of one name move as one, and are two in Pinocchio")
    result = made(path, only, drop, locked, **acts)
    record = record_of(result, "")
    tree, after = tree_of(result.source), tree_of(result.data)
    lines = lines_of(tree)
    tops = {line.child for line in lines}
    root = next(link.get("name") for link in tree.findall("link") if link.get("name") not in tops)
    T_top = Pinocchio(plain(tree, below(lines, root), root)).at(np.eye(3), np.zeros(3), {})[2]
    staying = below(lines, only or root).difference(*(below(lines, link) for link in drop))
    still = {
        child: value for child, value in locked_by_hand(lines, locked).items() if child in staying
    }
    assert {one["child"]: one["position"] for one in record["locked"]} == pytest.approx(still)
    assert {one["link"] for one in record["dropped"]} == {
        line.child for line in lines
    } - staying | {root} - staying
    old = Pinocchio(plain(tree, staying, only or root), still)
    new = Pinocchio(
        plain(after, {link.get("name") for link in after.findall("link")}, only or root)
    )
    R_top = T_top[only].rotation if only else np.eye(3)
    is_askew = (
        np.max(np.abs(R_top - np.round(R_top))) > 1e-8
    )  # then the frame of the part is turned
    R_old_new = R_top.T if is_askew else np.eye(3)
    compare(old, new, record, {line.child: line.name for line in lines}, R_old_new, r)
    return record, staying


def compare(
    old,
    new,
    record,
    names,
    R_old_new,
    r,
):
    """Compare poses of links, M and g, at the new zero and at random positions; joints of one name move alike."""
    maps = {
        joint["old_name"]: (joint["child"], joint["sign"], joint["zero"])
        for joint in record["joints"]
        if joint["type"] in MOVABLE
    }
    assert {names[child] for child in old.names} == set(maps)
    velocities = np.zeros((old.model.nv, new.model.nv))
    velocities[:3, :3] = velocities[3:6, 3:6] = R_old_new
    for child in old.names:
        column, sign, _ = maps[names[child]]
        velocities[old.column(child), new.column(column)] = sign
    turns = {}
    for place in range(1 + POSES):
        R, p = (np.eye(3), np.zeros(3)) if not place else random_base(r)
        q_new = {child: r.uniform(-1.0, 1.0) * bool(place) for child in new.names}
        q_old = {
            child: sign * q_new[column] + zero
            for child in old.names
            for column, sign, zero in (maps[names[child]],)
        }
        M, g, poses = old.at(R, p, q_old)
        M_new, g_new, poses_new = new.at(R @ R_old_new, p, q_new)
        assert apart(velocities.T @ M @ velocities, M_new) < TOLERANCE
        assert apart(velocities.T @ g, g_new) < TOLERANCE
        for link, T in poses_new.items():
            assert np.max(np.abs(T.translation - poses[link].translation)) < TOLERANCE, link
            turn = turns.setdefault(link, poses[link].rotation.T @ T.rotation)
            assert np.max(np.abs(poses[link].rotation @ turn - T.rotation)) < TOLERANCE, link


def movable(path):
    """Return the joints that can be asked for, each name once: leaders, and who follows nobody."""
    lines = [line for line in lines_of(tree_of(path.read_bytes())) if line.type in MOVABLE]
    names = {line.name for line in lines}
    return list(
        {line.name: line for line in lines if not (line.mimic and line.mimic[0] in names)}.values()
    )


def inside(line, r):
    low, high = line.ends or (-3.0, 3.0)
    return round(r.uniform(low, high), 3) if high - low > 0.01 else low


@each_robot
def test_each_joint_is_locked_and_moved_alone(robot):
    r, lines = random.Random(1), movable(robot)
    for line in lines:
        value = inside(line, r)
        judged(robot, r, locked={line.name: value})
        record, _ = judged(robot, r, zero=((line.name, value),))
        assert [joint["zero"] for joint in record["joints"] if joint["old_name"] == line.name] == [
            value
        ]
    assert lines


def drawn(lines, r):
    """Yield random sets: locks, zeros, signs that are turned."""
    for _ in range(SETS):
        chosen = {line.name: r.choice(("lock", "zero", "flip", "")) for line in lines}
        values = {line.name: inside(line, r) for line in lines}
        locked = {name: values[name] for name, what in chosen.items() if what == "lock"}
        still = locked_by_hand(lines, locked)
        free = {line.name: chosen[line.name] for line in lines if line.child not in still}
        sets = {
            "locked": locked,
            "zero": tuple((name, values[name]) for name, what in free.items() if what == "zero"),
            "flip": tuple(name for name, what in free.items() if what == "flip"),
        }
        if any(sets.values()):
            yield sets


@each_robot
def test_random_sets(robot):
    r, lines = random.Random(2), movable(robot)
    for choices in drawn(lines, r):
        record, _ = judged(robot, r, **choices)
        signs = {joint["old_name"]: joint["sign"] for joint in record["joints"]}
        still = {one["name"] for one in record["locked"]}
        assert all(signs[name] == -1 for name in choices["flip"] if name not in still)
        assert all(sign == 1 for name, sign in signs.items() if name not in choices["flip"])


@each_robot
def test_a_part_is_that_part_of_the_input(robot):
    r, lines = random.Random(3), lines_of(tree_of(robot.read_bytes()))
    links = [line.child for line in lines if len(below(lines, line.child)) > 1] or [lines[0].child]
    for _ in range(SETS):
        only = r.choice(links)
        inner = sorted(below(lines, only) - {only})
        drop = tuple(r.sample(inner, min(len(inner), 2)))
        # Acts are done one by one: what goes with the first link is not there for the second.
        if len(drop) == 2 and drop[1] in below(lines, drop[0]):
            drop = drop[:1]
        for asked in ({"only": only}, {"drop": drop}, {"only": only, "drop": drop}):
            record, staying = judged(robot, r, **asked)
            assert {joint["child"] for joint in record["joints"]} <= staying


@each_robot
def test_everything_locked_is_one_body(robot):
    r = random.Random(4)
    record, _ = judged(robot, r, locked={line.name: inside(line, r) for line in movable(robot)})
    assert not [joint for joint in record["joints"] if joint["type"] in MOVABLE]


class Export(NamedTuple):
    """A variant with locks and zeros, written as another format, and what the judge makes of the input."""

    old: Pinocchio
    record: Dict[str, Any]
    names: Dict[str, str]  # joints of the input, by child link

    @property
    def R_old_new(self):
        return np.array(self.record["base"]["R_new_old"]).T

    @property
    def maps(self):
        """By the old name of a joint its name, sign and zero."""
        return {
            joint["old_name"]: (joint["name"], joint["sign"], joint["zero"])
            for joint in self.record["joints"]
            if joint["type"] in MOVABLE
        }

    def compare(
        self,
        q_new,
        columns,
        base,
        M,
        g,
        places,
    ):
        """Compare M, g and the places of links, the base being where the world is.

        `columns` are those of joints in M, `base` those of the first linear and angular velocity.
        """
        q_old, velocities = {}, np.zeros((self.old.model.nv, len(M)))
        for first, column in zip((0, 3), base):
            velocities[first : first + 3, column : column + 3] = self.R_old_new
        for child in self.old.names:
            name, sign, zero = self.maps[self.names[child]]
            q_old[child] = sign * q_new[name] + zero
            velocities[self.old.column(child), columns[name]] = sign
        M_old, g_old, poses = self.old.at(self.R_old_new.T, np.zeros(3), q_old)
        assert apart(velocities.T @ M_old @ velocities, M) < TOLERANCE
        assert apart(velocities.T @ g_old, g) < TOLERANCE
        assert places
        for link, place in places.items():
            assert np.max(np.abs(place - poses[link].translation)) < TOLERANCE, link


def exported(tmp_path, name, r, **formats):
    robot = ROOT.parent / "shared" / "robots" / f"{name}.urdf"
    lines, free = lines_of(tree_of(robot.read_bytes())), movable(robot)
    locked = {line.name: inside(line, r) for line in free[:3]}
    zero = {line.name: inside(line, r) for line in free[3::2]}
    result = made(robot, "", (), locked, zero=zero)
    tree, root, edited = tree_of(result.source), result.before.root, tmp_path / "v.urdf"
    edited.write_bytes(result.data)
    written = simplify(
        edited, tmp_path / "w.urdf", base="free", keep_signs=True, **formats, **EXACT
    )
    record = {**record_of(result, ""), "base": record_of(written, "")["base"]}
    return Export(
        Pinocchio(plain(tree, below(lines, root), root), locked_by_hand(lines, locked)),
        record,
        {line.child: line.name for line in lines},
    )


@pytest.mark.parametrize("name", EXPORTED)
def test_mujoco_has_the_variant_of_an_export(tmp_path, name):
    """M, g and places in MuJoCo, at random positions of the variant, are those of the input at positions of the map."""
    mujoco = pytest.importorskip("mujoco")
    r = random.Random(5)
    variant = exported(tmp_path, name, r, mjcf=tmp_path / "v.xml")
    new = mujoco.MjModel.from_xml_path(str(tmp_path / "v.xml"))
    new.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data, joints = (
        mujoco.MjData(new),
        {new.joint(number).name: number for number in range(1, new.njnt)},
    )
    for place in range(1 + POSES):
        q_new = {called: r.uniform(-1.0, 1.0) * bool(place) for called in joints}
        data.qpos[:7], data.qvel[:] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 0.0
        for called, joint in joints.items():
            data.qpos[new.jnt_qposadr[joint]] = q_new[called]
        mujoco.mj_forward(new, data)
        M = np.zeros((new.nv, new.nv))
        try:
            mujoco.mj_fullM(new, data, M)
        except TypeError:
            mujoco.mj_fullM(new, M, data.qM)
        variant.compare(
            q_new,
            {called: new.jnt_dofadr[joint] for called, joint in joints.items()},
            (0, 3),
            M - np.diag(new.dof_armature),
            data.qfrc_bias,
            {new.body(body).name: data.xpos[body] for body in range(1, new.nbody)},
        )


@pytest.mark.parametrize("name", EXPORTED)
def test_drake_has_the_variant_of_an_export(tmp_path, name):
    """The same in Drake, of the variant as SDF."""
    plants = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    r = random.Random(6)
    variant = exported(tmp_path, name, r, sdf=tmp_path / "v.sdf")
    plant = plants.MultibodyPlant(0.0)
    (model,) = parsing.Parser(plant).AddModels(str(tmp_path / "v.sdf"))
    plant.Finalize()
    bodies = [plant.get_body(index) for index in plant.GetBodyIndices(model)]
    context = plant.CreateDefaultContext()
    joints = {
        called: plant.GetJointByName(called if plant.HasJointNamed(called) else f"{called}_joint")
        for called, _, _ in variant.maps.values()
    }  # in SDF a joint is not called as a link
    for place in range(1 + POSES):
        q_new = {called: r.uniform(-1.0, 1.0) * bool(place) for called in joints}
        positions = np.zeros(plant.num_positions())
        positions[0] = 1.0
        for called, joint in joints.items():
            positions[joint.position_start()] = q_new[called]
        plant.SetPositions(context, positions)
        variant.compare(
            q_new,
            {called: joint.velocity_start() for called, joint in joints.items()},
            (3, 0),
            plant.CalcMassMatrix(context),
            -plant.CalcGravityGeneralizedForces(context),
            {
                body.name(): plant.EvalBodyPoseInWorld(context, body).translation()
                for body in bodies
            },
        )
