"""Corners in the frame of a link: each the float32 nearest to the exact product, and mirrored surfaces turned."""

import struct
from array import array
from fractions import Fraction

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.base.errors import BrokenMesh
from urdf_tools.meshes.prepare_surfaces import baked
from urdf_tools.meshes.mesh_content import (
    facet_normals,
    MeshMaterial,
    points_of,
    MaterialSurface,
    triangles_of,
)
from urdf_tools.urdf.spatial_math import IDENTITY, matrix_from_rpy, Transform, ZERO

SINGLE = st.floats(-4.0, 4.0, width=32)
DOUBLE = st.one_of(
    st.floats(-4.0, 4.0).filter(lambda value: value == 0.0 or abs(value) > 1e-100),
    st.sampled_from((0.0, 1.0, -1.0, 0.001, 1.0 + 2.0**-24, 2.0**-25)),
)
FACTOR = DOUBLE.filter(bool)
TRIANGLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def surface_of(points):
    """Return triangles with a corner at each point, two more beside it, so that they have an area."""
    corners = [
        (x + p, y + q, z) for x, y, z in points for p, q in ((0.0, 0.0), (64.0, 0.0), (0.0, 64.0))
    ]
    positions = array("f", [value for corner in corners for value in corner])
    return MaterialSurface(MeshMaterial(), positions, array("I", range(len(corners))))


def next_to(value, step):
    """Return the float32 before or after one."""
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    if value == 0.0:
        return step * 2.0**-149
    number = struct.unpack("<f", struct.pack("<i", bits + (step if value > 0.0 else -step)))[0]
    return number


@examples(fuzzed=400)
@given(
    st.lists(st.tuples(SINGLE, SINGLE, SINGLE), min_size=1, max_size=4),
    st.tuples(DOUBLE, DOUBLE, DOUBLE),
    st.tuples(DOUBLE, DOUBLE, DOUBLE),
    st.tuples(FACTOR, FACTOR, FACTOR),
)
def test_each_coordinate_is_the_nearest(points, rpy, xyz, scale):
    """The law, with rational numbers: no neighbor is nearer; corners stay in order, of a mirrored one two change."""
    before = surface_of(points)
    R = matrix_from_rpy(rpy)
    after = baked(before, Transform(R, xyz), scale, "a.stl")
    wanted = [
        [
            tuple(
                sum(
                    (Fraction(R[i][k]) * Fraction(scale[k]) * Fraction(p[k]) for k in range(3)),
                    Fraction(xyz[i]),
                )
                for i in range(3)
            )
            for p in triangle
        ]
        for triangle in triangles_of(before)
    ]
    if scale[0] * scale[1] * scale[2] < 0.0:
        wanted = [[a, c, b] for a, b, c in wanted]
    made = list(triangles_of(after))
    if len(made) < len(wanted):  # a scale may make all of it flat
        return
    for exact, written in zip(
        (value for triangle in wanted for corner in triangle for value in corner),
        (value for triangle in made for corner in triangle for value in corner),
    ):
        off = abs(exact - Fraction(written))
        assert all(off <= abs(exact - Fraction(next_to(written, step))) for step in (-1, 1))


@pytest.mark.parametrize(
    "shift", [2.0**-24 + 2.0**-70, 2.0**-24 - 2.0**-70, 2.0**-24, 3 * 2.0**-24]
)
def test_a_sum_in_the_middle_of_two_float32_numbers(shift):
    """As a float, 1 + shift is such a middle: only the exact sum says which side is nearer."""
    surface = MaterialSurface(
        MeshMaterial(),
        array("f", [value for corner in TRIANGLE for value in corner]),
        array("I", range(3)),
    )
    ((_, (x, _, _), _),) = triangles_of(
        baked(surface, Transform(IDENTITY, (shift, 0.0, 0.0)), (1.0, 1.0, 1.0), "a.stl")
    )
    exact = 1 + Fraction(shift)
    assert all(
        abs(exact - Fraction(x)) <= abs(exact - Fraction(next_to(x, step))) for step in (-1, 1)
    )


def test_normals_of_a_mirrored_mesh_point_outside():
    surface = facet_normals(surface_of([(0.0, 0.0, 1.0)]))
    for scale, z in (((1.0, 1.0, 1.0), 1.0), ((-1.0, 2.0, 3.0), 1.0), ((1.0, 1.0, -1.0), -1.0)):
        after = baked(surface, Transform(IDENTITY, ZERO), scale, "a.stl")
        ((_, _, height),) = points_of(after.normals)
        ((_, _, facet),) = points_of(facet_normals(after).normals)
        assert height > 0.0 if z > 0.0 else height < 0.0
        assert facet == z


@pytest.mark.parametrize("xyz", [(1e300, 0.0, 0.0), (0.0, 2e9, 0.0)])
def test_a_corner_that_is_too_far_away(xyz):
    with pytest.raises(BrokenMesh, match="with its origin"):
        baked(surface_of([ZERO]), Transform(IDENTITY, xyz), (1.0, 1.0, 1.0), "a.stl")


@pytest.mark.parametrize(
    "scale", [(1e-294, 1e-294, 1e-294), (1e-200, -1e-200, 1e-200), (1.0, -1e-300, 1e-300)]
)
def test_scales_whose_products_are_too_small_for_a_float(scale):
    """All of it is flat then."""
    assert not baked(
        facet_normals(surface_of([ZERO])), Transform(IDENTITY, ZERO), scale, "a.stl"
    ).corners


def test_what_becomes_flat_is_left_out():
    assert not baked(
        surface_of([ZERO]), Transform(IDENTITY, (1e6, 0.0, 0.0)), (1e-9, 1e-9, 1e-9), "a.stl"
    ).corners
