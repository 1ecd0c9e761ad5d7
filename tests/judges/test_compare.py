"""Pinocchio and Drake judge the comparison: what its readers read of URDF and SDF, and its bound for all positions."""

import random

import pytest
from judged_robots import (
    bound_and_worst,
    drawn,
    lines_only,
    matrix,
    MOTION,
    Pinocchio,
    POSES,
    robots_of,
    sdf_files,
)
from remade import forward, How, remake

from urdf_tools.api import simplify
from urdf_tools.robot.canonical import canonical
from urdf_tools.compare.comparison import compare
from urdf_tools.robot.motion import mass_matrix
from urdf_tools.formats.sdf.read import read_sdf
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.inputs.as_urdf import model_from_raw
from urdf_tools.formats.urdf.model import write_urdf

np = pytest.importorskip("numpy", reason="the judges need numpy")
CLOSE = 1e-12


def by_child(robot, q):
    return {joint.child: q[joint.name] for joint in robot.joints if joint.name in q}


def apart(places, others):
    return max(
        float(np.max(np.abs(matrix(places[name]) - matrix(others[name])))) for name in places
    )


def test_a_urdf_is_read_as_pinocchio_reads_it(shared):
    """Pose of every link at random positions; mass, center and tensor of what moves as one."""
    r, judged = random.Random(1), 0
    for path in sorted((shared / "robots").glob("*.urdf")):
        robot = read_urdf(path.read_bytes(), str(path))
        if not lines_only(robot):
            continue
        try:
            judge = Pinocchio(path.read_text("utf-8"))
        except (ValueError, RuntimeError):
            # What urdfdom refuses, such as a prefix that nobody declared.
            continue
        judged += 1
        for q in ({}, drawn(robot, r)):
            places = judge.places(q)
            own = {
                name: T for name, T in forward(robot, by_child(robot, q)).items() if name in places
            }
            assert len(own) == len(robot.links) and apart(own, places) < CLOSE, path.name
        masses = judge.masses()
        canonical = compare(robot, robot, aspects=MOTION).map.a
        for joint in canonical.joints:
            mass = canonical.bodies[joint.child].mass
            expected = masses[joint.raw.name]
            if mass is not None:
                assert mass.mass == pytest.approx(expected[0], abs=CLOSE)
                assert mass.center == pytest.approx(expected[1], abs=CLOSE) or mass.mass == 0.0
                assert np.max(np.abs(np.array(mass.tensor) - expected[2])) < CLOSE, (
                    path.name,
                    joint.raw.name,
                )
    assert judged > 8


def test_the_mass_matrix_is_that_of_pinocchio(shared):
    """Of real robots at random positions, to 1e-10 of the largest entry."""
    r, judged = random.Random(2), 0
    for name, text, robot in robots_of(shared):
        judge, own = Pinocchio(text), canonical(robot)
        q = drawn(robot, r)
        expected = judge.mass_matrix(q)
        names = [joint.raw.name for joint in own.joints]
        found = mass_matrix(own, {place: q[one] for place, one in enumerate(names)})
        largest = max(expected.values())
        for (j, k), value in expected.items():
            places = sorted((names.index(j), names.index(k)))
            assert abs(found.get((places[0], places[1]), 0.0) - value) < 1e-10 * largest, (
                name,
                j,
                k,
            )
        judged += 1
    assert judged > 8


def test_no_point_is_beyond_the_bound(shared):
    """Robots of another author with noise of 1e-5 on each axis, and what this tool writes, in 200 mapped positions."""
    parts = []
    for name, text, robot in robots_of(shared):
        r = random.Random(name)
        other = remake(robot, r, How(zeros="any", noise=1e-5)).robot
        comparison = compare(robot, other, aspects=MOTION, tolerance=1e-2)
        assert comparison.is_same, name
        bound, worst = bound_and_worst(
            comparison, Pinocchio(text), Pinocchio(write_urdf(model_from_raw(other).robot).text), r
        )
        assert worst <= bound + 2e-9, name
        parts.append(worst / bound)
    print(
        f"worst of {POSES} poses: {min(parts):.2f} to {max(parts):.2f} of the bound, {len(parts)} robots"
    )
    assert len(parts) > 8


def test_no_point_of_what_this_tool_writes_is_beyond_the_bound(shared, tmp_path):
    judged = 0
    for path in sorted((shared / "robots").glob("*.urdf")):
        before = read_urdf(path.read_bytes(), str(path))
        result = simplify(path, tmp_path / "robot.urdf", force=True)
        after = read_urdf(result.data)
        if not (lines_only(before) and lines_only(after)):
            continue
        comparison = compare(before, after, aspects=MOTION)
        texts = (write_urdf(model_from_raw(robot).robot).text for robot in (before, after))
        bound, worst = bound_and_worst(comparison, *map(Pinocchio, texts), random.Random(path.name))
        assert worst <= bound + 2e-9, path.name
        judged += 1
    assert judged > 8


def test_an_sdf_is_read_as_drake_reads_it(shared, tmp_path):
    """Pose of every link at zero and at random positions, mass, center and tensor."""
    plants = pytest.importorskip("pydrake.multibody.plant", reason="the judge is Drake")
    parsing = pytest.importorskip("pydrake.multibody.parsing", reason="the judge is Drake")
    r, judged = random.Random(2), 0
    for name, text in sdf_files(tmp_path, shared):
        robot = read_sdf(text, name)
        if any(joint.type == "floating" for joint in robot.joints):
            continue  # links that nothing holds, which Drake has in the world
        plant = plants.MultibodyPlant(0.0)
        try:
            parsing.Parser(plant).AddModelsFromString(text, "sdf")
            plant.Finalize()
        except RuntimeError:  # such as meshes that are not there
            continue
        context = plant.CreateDefaultContext()
        roots = {link.name for link in robot.links} - {joint.child for joint in robot.joints}
        root = plant.world_body() if roots == {"world"} else plant.GetBodyByName(roots.pop())
        for q in (dict.fromkeys(drawn(robot, r), 0.0), drawn(robot, r)):
            for joint, value in q.items():
                moving = plant.GetJointByName(joint)
                plant.SetPositions(
                    context, _with(plant.GetPositions(context), moving.position_start(), value)
                )
            for link, T in forward(robot, by_child(robot, q)).items():
                body = plant.world_body() if link == "world" else plant.GetBodyByName(link)
                X = body.EvalPoseInWorld(context)
                found = root.EvalPoseInWorld(context).inverse() @ X
                assert np.max(np.abs(matrix(T) - found.GetAsMatrix4())) < CLOSE, (name, link)
        for link in robot.links:
            if link.name == "world" or link.mass is None or link.mass.mass == 0.0:
                continue  # Drake takes 1 kg for 0
            M = plant.GetBodyByName(link.name).default_spatial_inertia()
            xx, xy, xz, yy, yz, zz = link.mass.tensor
            own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            about = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            assert link.mass.mass == pytest.approx(M.get_mass(), abs=CLOSE), (name, link.name)
            assert link.mass.center == pytest.approx(M.get_com(), abs=CLOSE), (name, link.name)
            assert np.max(np.abs(own - about)) < CLOSE * max(1.0, float(np.max(np.abs(own)))), (
                name,
                link.name,
            )
        judged += 1
    print(f"{judged} SDFs are read as Drake reads them")
    assert judged > 10


def _with(positions, place, value):
    positions[place] = value
    return positions
