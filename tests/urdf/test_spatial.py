"""Rotations, poses and inertia: group laws, rpy everywhere, mass against point masses.

The records of a robot: the rule for names that several joints share, and what a material name means.
"""

import math

import pytest
from hypothesis import given, strategies, strategies as st

from urdf_tools.model.model_shapes import Material, material_of
from urdf_tools.robot.joint_motion import positions_of
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_records import JOINT_TYPES, material_definitions, MOVABLE
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.meshes.quaternions import quaternion_from_matrix
from urdf_tools.urdf.spatial_math import (
    add_matrices,
    angle_between,
    IDENTITY,
    MassProperties,
    matrix_from_quaternion,
    matrix_from_rpy,
    merge_mass,
    move,
    move_mass,
    norm,
    Transform,
    rotate_inertia,
    rotation_about,
    rotation_angle,
    rpy_from_matrix,
    scale,
    subtract,
    unit,
    UNIT_AXES,
    why_not_physical,
    ZERO,
    ZERO_INERTIA,
)


ANGLES = st.one_of(
    st.floats(-10.0, 10.0),
    st.sampled_from(
        (
            0.0,
            -0.0,
            1e-17,
            1e-9,
            1.5708,
            math.pi / 2,
            -math.pi / 2,
            math.pi,
            -math.pi,
            math.pi / 2 - 1e-9,
            math.pi / 2 + 1e-7,
            math.pi / 2 - 1e-13,
            -math.pi / 2 + 1e-5,
        )
    ),
)
RPY = st.tuples(ANGLES, ANGLES, ANGLES)
POINTS = st.tuples(*[st.floats(-10.0, 10.0)] * 3)
TURNS = RPY.map(matrix_from_rpy)
POSES = st.builds(Transform, TURNS, POINTS)
DIRECTIONS = POINTS.filter(lambda v: norm(v) > 1e-3)


def error(A, B):
    """Return the largest difference of two entries."""
    return max(abs(a - b) for row_a, row_b in zip(A, B) for a, b in zip(row_a, row_b))


@given(RPY)
def test_rpy_comes_back_at_any_angle(rpy):
    R = matrix_from_rpy(rpy)
    found = rpy_from_matrix(R)
    assert error(matrix_from_rpy(found), R) <= 1e-12
    assert -math.pi / 2 - 1e-13 <= found[1] <= math.pi / 2 + 1e-13


@pytest.mark.parametrize("noise", [0.0, 1e-16, -1e-16, 3e-14, -3e-14])
def test_noise_leaves_angles_and_quaternions_as_they_are(noise):
    """A half turn is +pi, a quarter turn what it is without noise."""
    for rpy in (
        (math.pi, 0.0, 0.0),
        (0.0, 0.0, math.pi),
        (0.0, math.pi / 2, 0.0),
        (math.pi / 2, 0.0, math.pi),
    ):
        R = matrix_from_rpy((rpy[0] + noise, rpy[1] - noise, rpy[2] + noise))
        assert (
            rpy_from_matrix(R)
            == rpy_from_matrix(matrix_from_rpy(rpy))
            == tuple(round(a, 13) for a in rpy)
        )
        same = zip(quaternion_from_matrix(R), quaternion_from_matrix(matrix_from_rpy(rpy)))
        assert all(abs(a - b) < 1e-12 for a, b in same)


@pytest.mark.parametrize("size", (1e-200, 1e-150, 1e90))
def test_a_quaternion_may_have_any_length(size):
    R = matrix_from_quaternion((0.0, size, 0.0, size))
    assert error(R, matrix_from_rpy((0.0, math.pi / 2, 0.0))) < 1e-15


@given(DIRECTIONS, st.sampled_from((1.0, 1e-200, 1e-300, 1e90)))
def test_unit_has_length_one_at_any_scale(v, size):
    assert norm(unit(scale(size, v))) == pytest.approx(1.0, abs=1e-15)
    assert angle_between(unit(scale(size, v)), v) < 1e-12


def test_small_angles_are_exact():
    assert angle_between((1.0, 0.0, 0.0), (1.0, 1e-12, 0.0)) == pytest.approx(1e-12, rel=1e-9)
    assert rotation_angle(IDENTITY, rotation_about(UNIT_AXES[2], 1e-9)) == pytest.approx(
        1e-9, rel=1e-6
    )


CLOUD = st.lists(st.tuples(st.floats(0.01, 5.0), POINTS), min_size=1, max_size=6)


def of_points(points):
    """Return mass properties by brute force, from the definitions."""
    mass = sum(m for m, _ in points)
    center = [sum(m * p[k] for m, p in points) / mass for k in range(3)]
    tensor = [
        [
            sum(
                m
                * (
                    (sum((p[n] - center[n]) ** 2 for n in range(3)) if i == j else 0.0)
                    - (p[i] - center[i]) * (p[j] - center[j])
                )
                for m, p in points
            )
            for j in range(3)
        ]
        for i in range(3)
    ]
    (a, b, c), (d, e, f), (g, h, i) = tensor
    return MassProperties(
        mass, (center[0], center[1], center[2]), ((a, b, c), (d, e, f), (g, h, i))
    )


@given(st.lists(CLOUD, min_size=1, max_size=4), POSES)
def test_merged_mass_is_that_of_all_points(clouds, T):
    merged = merge_mass(of_points(cloud) for cloud in clouds)
    whole = of_points([point for cloud in clouds for point in cloud])
    assert merged.mass == pytest.approx(whole.mass, rel=1e-13)
    assert norm(subtract(merged.center, whole.center)) < 1e-12
    assert error(merged.inertia, whole.inertia) < 1e-9
    moved = move_mass(T, whole)
    there = of_points([(m, move(T, p)) for cloud in clouds for m, p in cloud])
    assert (
        norm(subtract(moved.center, there.center)) < 1e-11
        and error(moved.inertia, there.inertia) < 1e-8
    )
    assert why_not_physical(whole.mass, whole.inertia) in ("", "inertia is zero")
    assert why_not_physical(there.mass, there.inertia) in ("", "inertia is zero")


def test_parts_without_mass():
    tensor = ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0))
    empty = MassProperties(0.0, (5.0, 5.0, 5.0), ZERO_INERTIA)
    part = MassProperties(2.0, (1.0, 0.0, 0.0), tensor)
    assert merge_mass([part]) is part
    assert merge_mass([part, empty]) == part
    assert merge_mass([empty, empty]) == MassProperties(0.0, ZERO, ZERO_INERTIA)
    assert merge_mass([empty, MassProperties(0.0, ZERO, tensor)]).inertia == tensor
    assert merge_mass([]) == MassProperties(0.0, ZERO, ZERO_INERTIA)


def diagonal(a, b, c):
    """Return a diagonal matrix."""
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


@pytest.mark.parametrize(
    ("mass", "inertia", "reason"),
    (
        (1.0, diagonal(1.0, 1.0, 1.0), ""),
        (1.0, diagonal(1.0, 1.0, 2.0), ""),
        (1.0, diagonal(1e-9, 1e-9, 1.99e-9), ""),
        (1.0, diagonal(1.0, 1.0, 2.1), "A + B >= C"),
        (1.0, diagonal(1e-9, 1e-9, 2.1e-9), "A + B >= C"),
        (1.0, diagonal(-1.0, 1.0, 1.0), "negative"),
        (1.0, ZERO_INERTIA, "zero"),
        (0.0, ZERO_INERTIA, ""),
        (0.0, diagonal(1.0, 1.0, 1.0), "mass is zero"),
        (1.0, ((1.0, 0.9, 0.0), (0.9, 1.0, 0.0), (0.0, 0.0, 1.0)), "A + B >= C"),
        (
            1.0,
            add_matrices(
                diagonal(1.0, 1.0, 1.0), ((0.0, 0.1, 0.1), (0.1, 0.0, 0.1), (0.1, 0.1, 0.0))
            ),
            "",
        ),
    ),
)
def test_why_a_tensor_is_not_physical(mass, inertia, reason):
    found = why_not_physical(mass, inertia)
    assert bool(found) == bool(reason) and reason in found


@given(TURNS, st.floats(0.01, 1.0), st.floats(0.01, 1.0), st.floats(1.01, 3.0))
def test_physical_or_not_does_not_depend_on_the_frame(R, a, b, beyond):
    assert why_not_physical(1.0, rotate_inertia(R, diagonal(a, b, (a + b) * 0.999))) == ""
    assert why_not_physical(1.0, rotate_inertia(R, diagonal(a, b, (a + b) * beyond))) != ""


def robot_of(text):
    return read_robot(parse_document(text.encode("utf-8"), "robot.urdf"))


def star_of(joints):
    """Return a robot whose joints of given (name, type) all hang on the root, with the children l0, l1, ..."""
    links = "".join(f'<link name="l{k}"/>' for k in range(len(joints)))
    inside = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="root"/><child link="l{k}"/></joint>'
        for k, (name, kind) in enumerate(joints)
    )
    return robot_of(f'<robot name="r"><link name="root"/>{links}{inside}</robot>')


@given(
    strategies.lists(
        strategies.tuples(strategies.sampled_from("ab"), strategies.sampled_from(JOINT_TYPES))
    )
)
def test_a_name_means_the_first_joint_that_moves_else_the_first(
    joints,
):
    robot = star_of(joints)
    for name in "abc":
        of_name = [joint for joint in robot.joints if joint.name == name]
        wanted = [joint for joint in of_name if joint.type in MOVABLE] + of_name
        assert robot.named.get(name) is (wanted[0] if wanted else None)


def test_joint_of_is_the_joint_that_a_link_hangs_on():
    robot = star_of([("a", "fixed"), ("b", "revolute")])
    assert robot.above["l1"] is robot.joints[1] and "root" not in robot.above


def test_a_follower_follows_the_joint_that_the_name_means():
    text = star_of([("a", "fixed"), ("a", "revolute"), ("b", "revolute")]).document.text()
    text = text.replace('<child link="l2"/>', '<child link="l2"/><mimic joint="a" multiplier="2"/>')
    assert positions_of(robot_of(text), {"l1": 0.5, "l2": 9.0}) == {"l0": 0.0, "l1": 0.5, "l2": 1.0}


RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
MATERIALS = [
    ("", RED, Material("red", (1.0, 0.0, 0.0, 1.0))),
    (RED, '<material name="red"/>', Material("red", (1.0, 0.0, 0.0, 1.0))),
    (RED.replace("1 0 0", "0 1 0"), RED, Material("red", (1.0, 0.0, 0.0, 1.0))),
    ("", f'<material name="red"/></visual><visual>{RED}', Material("red", (1.0, 0.0, 0.0, 1.0))),
    ('<material name="red"/>', '<material name="red"/>', Material("red")),
    ('<material name=""><color rgba="1 1 1 1"/></material>', '<material name=""/>', Material("")),
    (
        '<material name="wood"><texture filename="w.png"/></material>',
        '<material name="wood"/>',
        Material("wood", None, "w.png"),
    ),
    (RED, "", None),
]


@pytest.mark.parametrize(("top", "own", "meant"), MATERIALS)
def test_what_a_material_name_means(top, own, meant):
    robot = robot_of(f'<robot name="r">{top}<link name="a"><visual>{own}</visual></link></robot>')
    assert material_of(robot.links["a"].shapes[0], material_definitions(robot)) == meant
