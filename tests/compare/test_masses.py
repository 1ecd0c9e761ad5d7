"""How far apart two tensors are: of the moment about any axis, in any frame; small moments count as large ones do."""

import random

import pytest
from conftest import examples, SEEDS
from hypothesis import given
from remade import any_pose

from urdf_tools.robot import mass_gaps
from urdf_tools.robot.rigid_bodies import rotated_tensor
from urdf_tools.robot.mass_gaps import direction_gap, SLENDER, tensor_gap
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.verify.rigid_motion import product

ROD = """<robot name="drill"><link name="base"><inertial><mass value="5"/><inertia ixx="0.05" iyy="0.06" izz="0.07"
    ixy="0" ixz="0" iyz="0"/></inertial></link><link name="rod"><inertial><origin xyz="0.001 0 0.5"/><mass value="1"/>
    <inertia ixx="0.0833" iyy="0.0833" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>"""


def scaled_apart(r):
    """Return S S^T, S diag(1 - e) S^T, and the largest part: every moment of the second is that much less at most."""
    sizes = [10.0 ** r.uniform(-2.0, 0.0) for _ in range(3)]
    S = product(
        any_pose(r, 0.0).rotation,
        product(
            ((sizes[0], 0.0, 0.0), (0.0, sizes[1], 0.0), (0.0, 0.0, sizes[2])),
            any_pose(r, 0.0).rotation,
        ),
    )
    parts = [10.0 ** r.uniform(-6.0, -0.3) for _ in range(3)]
    A, B = (
        tuple(tuple(sum(k * p * q for k, p, q in zip(kept, row, line)) for line in S) for row in S)
        for kept in ((1.0, 1.0, 1.0), [1.0 - part for part in parts])
    )
    return A, B, max(parts)


@examples(fuzzed=100)
@given(SEEDS)
def test_the_gap_is_the_largest_part_of_a_moment_about_any_axis(seed):
    A, B, part = scaled_apart(random.Random(seed))
    slender = 1.0 + 1e4 * SLENDER  # the smallest moment is 1e-4 of the largest, or more
    for first, second in ((A, B), (B, A)):
        gap = direction_gap(first, second, 0.0)
        assert part / slender - 1e-9 <= gap <= part * (1.0 + 1e-9) + 1e-9


@examples(fuzzed=100)
@given(SEEDS)
def test_the_gap_is_the_same_in_every_frame(seed):
    r = random.Random(seed)
    A, B, _ = scaled_apart(r)
    R = any_pose(r, 0.0).rotation
    turned = direction_gap(rotated_tensor(R, A), rotated_tensor(R, B), 0.0)
    assert turned == pytest.approx(direction_gap(A, B, 0.0), rel=1e-6, abs=1e-9)
    back = rotated_tensor(R, rotated_tensor(tuple(zip(*R)), A))
    assert direction_gap(A, back, 0.0) < 1e-9


@examples(fuzzed=100)
@given(SEEDS)
def test_what_is_taken_for_last_digits_is_no_less_than_the_gap(seed):
    """The bound is nearest to the gap where the smallest moment alone differs, and the two others are equal."""
    r = random.Random(seed)
    size, part = 10.0 ** r.uniform(-4.0, 0.0), 10.0 ** r.uniform(-16.0, -9.0)
    R = any_pose(r, 0.0).rotation
    A, B = (
        rotated_tensor(R, ((least, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        for least in (size, size * (1.0 + part))
    )
    bound = direction_gap(A, B, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mass_gaps, "LAST_DIGITS", -1.0)
        gap = direction_gap(A, B, 0.0)
    assert gap <= bound * (1.0 + 1e-6)
    assert bound <= max(gap, mass_gaps.LAST_DIGITS)


@pytest.mark.parametrize("tensor", [0.0, 1e-320, -1.0, 1e300])
def test_a_tensor_that_no_body_has_is_measured_too(tensor):
    A = ((tensor, 0.0, 0.0), (0.0, tensor, 0.0), (0.0, 0.0, tensor))
    B = ((0.0, 0.0, 0.0),) * 3
    assert direction_gap(A, A, 0.0) == 0.0 and direction_gap(A, B, 0.0) == direction_gap(B, A, 0.0)
    assert (direction_gap(A, B, 0.0) > 0.9) == (abs(tensor) > 1e-300)


def test_a_rod_that_resists_its_spin_otherwise_is_another_one(
    monkeypatch,
):
    """Its moment about the axis of its joint is a ten thousandth of the others, and all of M."""
    a, b = (read_urdf(ROD.format(moment).encode()) for moment in ("0.0000125", "0.00009"))
    found = compare(a, b)
    assert (found.verdict, [one.kind for one in found.differences]) == ("masses", ["tensor"])
    assert found.differences[0].size == pytest.approx(1.0 - 0.0000125 / 0.00009, rel=1e-2)
    monkeypatch.setattr(mass_gaps, "direction_gap", tensor_gap)  # a mutant: of the largest entry
    assert compare(a, b).is_same


HEAVY = '<mass value="1000"/><inertia ixx="1000" iyy="1000" izz="1000" ixy="0" ixz="0" iyz="0"/>'
LIGHT = '<mass value="1"/><inertia ixx="{}" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
FIXED = f"""<robot name="r"><link name="a"><inertial>{HEAVY}</inertial></link>
<link name="b"><inertial>{LIGHT}</inertial></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.mark.parametrize(("moment", "most"), ((0.017, 1e-3), (9.0, None)))
def test_what_is_rounded_is_the_gap_of_the_body_and_what_differs_that_of_the_link(moment, most):
    robots = (read_urdf(FIXED.format(ixx).encode()) for ixx in (0.01, moment))
    found = compare(*robots)
    (only,) = found.rounded or found.differences
    assert only.kind == "tensor" and only.where == "b"
    assert only.size < most if most else only.size > 0.9
