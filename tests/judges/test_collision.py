"""What others say of the shapes and pairs: trimesh and scipy of volumes, coal of contacts; MuJoCo, Drake load all."""

import json
import random

import pytest
from conftest import scaled
from coal_robot import AS_IT_IS, clock, CoalRobot, names_of, ROBOTS, urdf_of, written

from engine import simplify
from urdf_tools.meshes.convex_hull import convex_hull
from urdf_tools.collision.collision_shapes import few_corners

SMALL = ("UR5", "Panda")
POSES = 2000
ROBOTS_WITH_GEARS = scaled(25)


def cloud(seed, count=400):
    generator = random.Random(seed)
    return [
        (generator.gauss(0, 0.1), generator.gauss(0, 0.2), generator.uniform(-0.3, 0.3))
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_volumes_and_containment(seed):
    scipy = pytest.importorskip("scipy.spatial")
    trimesh = pytest.importorskip("trimesh")
    points = cloud(seed)
    hull = convex_hull(points)
    assert hull is not None
    mesh = trimesh.Trimesh(vertices=hull.corners, faces=hull.triangles)
    assert mesh.is_watertight and mesh.volume == pytest.approx(
        scipy.ConvexHull(points).volume, rel=1e-12
    )
    few = few_corners(hull, 32, single=False)
    assert few is not None
    outer = trimesh.Trimesh(vertices=few.corners, faces=few.triangles)
    assert outer.is_watertight and mesh.volume <= outer.volume < 1.4 * mesh.volume
    assert trimesh.proximity.signed_distance(outer, points).min() >= -1e-9


def test_mujoco_and_drake_load_all_shapes(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    drake = pytest.importorskip("pydrake.all")
    for urdf in map(urdf_of, SMALL):
        for kind in ("hull", "auto", "box"):
            out = tmp_path / f"{urdf.stem}_{kind}.urdf"
            simplify(
                urdf,
                out,
                **AS_IT_IS,
                collision=kind,
                split="color",
                mjcf=tmp_path / f"{urdf.stem}_{kind}.xml",
            )
            assert mujoco.MjModel.from_xml_path(str(tmp_path / f"{urdf.stem}_{kind}.xml")).ngeom > 5
        out = tmp_path / f"{urdf.stem}_drake.urdf"
        simplify(urdf, out, **AS_IT_IS, collision="hull", pairs=True, for_="drake")
        builder = drake.DiagramBuilder()
        plant, _ = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
        assert drake.Parser(plant).AddModels(str(out))


@pytest.mark.parametrize("name", ROBOTS)
def test_coal_finds_no_contact_of_a_proven_pair_and_all_the_others(name):
    known, generator = written(name), random.Random(1)
    robot = CoalRobot(known.urdf)
    never = [names_of(pair) for pair in known.with_state("never")]
    robot.look_at(never)
    for _ in range(POSES):
        assert (
            robot.seen(
                {joint: generator.uniform(low, high) for joint, (low, high) in robot.spans.items()},
                never,
            )
            == []
        )
    poses = known.with_state("touches", "home")
    denied = [
        names_of(pair)
        for pair in poses
        if not robot.touches(names_of(pair), dict(zip(pair["joints"], pair["pose"]["positions"])))
    ]
    assert len(denied) <= 0.005 * len(poses), denied


def geared_robot(generator):
    """Return a tree of bars; joints turn all around, within limits, or slide, and many follow another one."""
    parts = [
        '<robot name="geared"><link name="l0"><collision><origin xyz="0.15 0 0"/><geometry>'
        '<box size="0.3 0.1 0.1"/></geometry></collision></link>'
    ]
    for k in range(1, 5):
        kind = generator.choice(["continuous", "continuous", "revolute", "prismatic"])
        leader = generator.randrange(1, k) if k > 1 and generator.random() < 0.6 else 0
        mimic = f'<mimic joint="j{leader}" multiplier="{generator.choice([-1, 2, 0.5, -0.25, 0.1, 1.5])}"/>'
        axis, span = (
            generator.choice(["0 0 1", "0 1 0", "0.6 0 0.8"]),
            generator.choice([0.2, 0.6, 4.0]),
        )
        size, height = (
            generator.choice(["0.2 0.06 0.06", "0.3 0.1 0.05"]),
            generator.choice([0.0, 0.1]),
        )
        parts.append(
            f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
            f'</inertial><collision><origin xyz="0.15 0 0"/><geometry><box size="{size}"/></geometry></collision>'
            f'</link><joint name="j{k}" type="{kind}"><parent link="l{generator.randrange(k)}"/><child link="l{k}"/>'
            f'<origin xyz="0.35 0 {height}"/><axis xyz="{axis}"/>{mimic if leader else ""}'
            f'<limit lower="{-span}" upper="{span}" effort="1" velocity="1"/></joint>'
        )
    return "".join(parts) + "</robot>"


def toward_contact(
    robot,
    pair,
    spans,
    generator,
):
    """Return the least gap that a walk finds which changes one joint at a time and keeps what brings links nearer."""
    at = {joint: generator.uniform(low, high) for joint, (low, high) in spans.items()}
    least, step = robot.gap(pair, at), 1.0
    while step > 1e-3 and least > 0.0:
        tries = [
            {**at, joint: min(max(at[joint] + way * step, low), high)}
            for joint, (low, high) in spans.items()
            for way in (-1.0, 1.0)
        ]
        gap, best = min(((robot.gap(pair, tried), number) for number, tried in enumerate(tries)))
        step, least, at = (
            (step, gap, tries[best]) if gap < least - 1e-9 else (0.5 * step, least, at)
        )
    return least


def test_coal_drives_no_proven_pair_of_geared_robots_together(tmp_path):
    """Joints without limits are turned several times: what follows them by a part of that is elsewhere each time."""
    proven = 0
    for seed in range(ROBOTS_WITH_GEARS):
        generator, path = random.Random(seed), tmp_path / f"{seed}.urdf"
        path.write_text(geared_robot(generator), "utf-8")
        result = simplify(
            path, path, force=True, **AS_IT_IS, pairs=True, pairs_report=tmp_path / "pairs.json"
        )
        robot = CoalRobot(path)
        free = {name: joint for name, joint in result.after.named.items() if joint.mimic is None}
        spans = {
            name: (-25.0, 25.0) if free[name].type == "continuous" else span
            for name, span in robot.spans.items()
        }
        for pair in json.loads((tmp_path / "pairs.json").read_text("utf-8"))["pairs"]:
            if pair["state"] != "never":
                continue
            names, proven = names_of(pair), proven + 1
            robot.look_at([names])
            assert min(toward_contact(robot, names, spans, generator) for _ in range(12)) > 0.0, (
                seed,
                names,
            )
    assert proven > ROBOTS_WITH_GEARS // 2


def test_a_query_of_all_pairs_is_faster_with_the_hulls(capsys):
    """On G1 at least ten times; the ratio is of processor time, on one machine."""
    before, after = CoalRobot(urdf_of("G1"), convex=False), CoalRobot(written("G1").urdf)
    generator = random.Random(2)
    poses = [
        {joint: generator.uniform(low, high) for joint, (low, high) in after.spans.items()}
        for _ in range(20)
    ]

    def ask(robot):
        vectors = [robot.vector(pose) for pose in poses]
        return clock(
            lambda: [
                robot.pin.computeCollisions(
                    robot.model, robot.data, robot.geometry, robot.places, one, False
                )
                for one in vectors
            ]
        )

    slow, fast = ask(before), ask(after)
    with capsys.disabled():
        print(
            f"\nG1, a query of {len(after.pairs)} pairs: {50 * slow:.2f} ms with its meshes, {50 * fast:.2f} ms with "
            f"hulls, {slow / fast:.0f} times faster"
        )
    assert before.pairs == after.pairs and slow >= 10.0 * fast
