"""Pinocchio judges the comparison: what it reads of a URDF, and its bound for all positions."""

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
)
from remade import forward, How, remake

from urdf_tools.api import simplify
from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.robot.joint_motion import mass_matrix
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.inputs.input_as_urdf import model_from_raw
from urdf_tools.formats.urdf.urdf_model_conversion import write_urdf

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
                assert mass.mass == pytest.approx(expected.mass, abs=CLOSE)
                assert mass.center == pytest.approx(expected.lever, abs=CLOSE) or mass.mass == 0.0
                assert np.max(np.abs(np.array(mass.tensor) - expected.inertia)) < CLOSE, (
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
