"""The laws of the hulls: exact, closed, convex; those of few corners contain the whole; the check sees every fault."""

import math
import random
from fractions import Fraction
from itertools import combinations

import pytest
from collision.clouds import clouds
from conftest import examples
from hypothesis import given, strategies as st
from surfaces import next_to

from urdf_tools.collision.proof_geometry import find_point_outside, surface_fault
from urdf_tools.meshes.convex_hull import convex_hull, extreme_corners
from urdf_tools.collision.collision_shapes import _beyond, as_single, few_corners

CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]


def height(a, b, c, point):
    """Return the volume of the box of three edges in fractions: its sign says on which side of a, b, c a point is."""
    (p, q, r), (s, t, u), (x, y, z) = (
        [Fraction(end) - Fraction(start) for start, end in zip(a, other)] for other in (b, c, point)
    )
    return (q * u - r * t) * x + (r * s - p * u) * y + (p * t - q * s) * z


def on_supporting_planes(points):
    """Return, for each plane through three points with all others on one side, the points in it; the naive way."""
    planes = set()
    for a, b, c in combinations(points, 3):
        heights = [height(a, b, c, point) for point in points]
        if any(heights) and (min(heights) >= 0 or max(heights) <= 0):
            planes.add(tuple(sorted(point for point, h in zip(points, heights) if h == 0)))
    return sorted(planes)


@given(clouds())
@examples(fuzzed=60)
def test_a_hull_is_closed_and_convex_and_has_all_points_inside(points):
    hull = convex_hull(points)
    if hull is None:
        a = points[0]
        assert all(
            height(a, b, c, d) == 0
            for b, c, d in combinations(list(dict.fromkeys(points))[1:14], 3)
        )
    else:
        assert surface_fault(hull.corners, hull.triangles) == ""
        assert find_point_outside(hull.corners, hull.triangles, points) is None
        assert set(hull.corners) <= set(points)


@given(clouds(most=7))
@examples(fuzzed=40)
def test_a_hull_has_the_planes_that_the_naive_way_finds(points):
    hull = convex_hull(points)
    distinct = sorted(set(points))
    found = set()
    for a, b, c in hull.triangles if hull else ():
        corners = [hull.corners[k] for k in (a, b, c)]
        found.add(tuple(point for point in distinct if height(*corners, point) == 0))
    assert sorted(found) == (on_supporting_planes(distinct) if hull else [])


@given(clouds(most=12))
@examples(fuzzed=40)
def test_a_hull_does_not_depend_on_the_order_of_the_points(points):
    hull, other = convex_hull(points), convex_hull(points[::-1])
    assert (hull is None) == (other is None)
    if hull and other:
        assert sorted(extreme_corners(hull)) == sorted(extreme_corners(other))


@given(clouds(least=20, most=40), st.integers(8, 16))
@examples(fuzzed=30)
def test_a_hull_of_few_corners_contains_all(points, most):
    hull = convex_hull(points)
    few = (
        few_corners(hull, most, single=all(as_single(one) == one for one in hull.corners))
        if hull
        else None
    )
    if few:
        assert len(few.corners) <= most
        assert surface_fault(few.corners, few.triangles) == ""
        assert find_point_outside(few.corners, few.triangles, points) is None
        assert all(as_single(corner) == corner for corner in few.corners)


@given(clouds(least=1))
@examples(fuzzed=40)
def test_clouds_are_what_a_mesh_can_hold(points):
    assert all(as_single(point) == point for point in points)


def test_round_bodies_become_hulls_of_few_corners():
    ball = ball_of(600)
    for most in (8, 34, 64):
        few = few_corners(ball, most)
        assert few is not None and 8 <= len(few.corners) <= most
        assert find_point_outside(few.corners, few.triangles, ball.corners) is None


def ball_of(count):
    """Return the hull of random points of a sphere."""
    generator = random.Random(5)
    points = [tuple(generator.gauss(0.0, 1.0) for _ in range(3)) for _ in range(count)]
    lengths = [(x * x + y * y + z * z) ** 0.5 for x, y, z in points]
    found = [
        as_single([value / length for value in point]) for point, length in zip(points, lengths)
    ]
    hull = convex_hull([(x, y, z) for x, y, z in found])
    assert hull is not None
    return hull


def test_points_amid_facets_and_edges_are_no_corners():
    middle = [(0.5, 0.5, 0.0), (0.5, 0.0, 0.0), (0.5, 0.5, 0.5), (0.25, 0.75, 1.0)]
    hull = convex_hull(CUBE + middle)
    assert hull is not None and sorted(extreme_corners(hull)) == sorted(CUBE)


@pytest.mark.parametrize(
    "points", [[], CUBE[:1], CUBE[:3], CUBE[:4], [(k, k, 1.0) for k in (0.0, 1.0, 2.0, 3.0)]]
)
def test_what_is_in_one_plane_has_no_hull(points):
    assert convex_hull(points) is None


@pytest.mark.parametrize("corner", range(8))
def test_the_check_sees_a_corner_that_is_moved_inward_by_one_unit(corner):
    hull = convex_hull(CUBE)
    assert hull is not None
    moved = list(hull.corners)
    moved[corner] = tuple(next_to(value, 0.5) for value in moved[corner])
    faults = surface_fault(moved, hull.triangles), find_point_outside(moved, hull.triangles, CUBE)
    assert faults != ("", None)


def test_the_check_sees_a_facet_that_is_missing_turned_or_doubled():
    hull = convex_hull(CUBE)
    assert hull is not None
    (a, b, c), *others = hull.triangles
    assert surface_fault(hull.corners, others) == "open"
    assert surface_fault(hull.corners, [(b, a, c), *others]) == "edges"
    assert surface_fault(hull.corners, [*hull.triangles, (a, b, c)]) == "edges"
    assert surface_fault(hull.corners, [(c, b, a) for a, b, c in hull.triangles]) == "convex"
    assert surface_fault([*hull.corners, (0.5, 0.5, 0.5)], hull.triangles) == "corners"


def test_the_check_sees_two_bodies_and_a_flat_one():
    hull = convex_hull(CUBE)
    assert hull is not None
    far = [(x + 5.0, y, z) for x, y, z in hull.corners]
    both = [*hull.triangles, *((a + 8, b + 8, c + 8) for a, b, c in hull.triangles)]
    assert surface_fault([*hull.corners, *far], both) == "pieces"
    flat = [(x, y, 0.0) for x, y, _ in ((0.0, 0.0, 0), (1.0, 0.0, 0), (0.0, 1.0, 0), (1.0, 1.0, 0))]
    assert surface_fault(flat, [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]) == "convex"


@given(clouds(least=5, most=12), st.data())
@examples(fuzzed=50)
def test_the_check_sees_a_corner_that_is_dropped(points, data):
    hull = convex_hull(points)
    if hull is None:
        return
    corners = extreme_corners(hull)
    dropped = data.draw(st.sampled_from(corners))
    smaller = convex_hull([corner for corner in corners if corner != dropped])
    if smaller:
        assert find_point_outside(smaller.corners, smaller.triangles, points) is not None


def test_a_corner_goes_no_farther_than_needed_beyond_its_planes():
    """Some of them are missed by very little: what goes on until they are reached must not be thrown far out."""
    missed = (
        ((0.0, -1.0, 0.0), 3.88e-8),
        ((0.0, -1.0, 0.0), 2.437e-7),
        ((0.417, 0.006, -0.909), 7.164021e-4),
        ((0.389, 0.014, -0.921), 1.0489536e-3),
        ((0.137, -0.004, -0.991), 3.88e-8),
        ((0.0, -1.0, 0.0), 3.88e-8),
    )
    planes = []
    for (nx, ny, nz), level in missed:
        size = math.dist((nx, ny, nz), (0.0, 0.0, 0.0))
        planes.append(((nx / size, ny / size, nz / size), level))
    x, y, z = _beyond((0.0, 0.0, 0.0), planes, 1e-9)
    assert all(nx * x + ny * y + nz * z >= level - 2e-9 for (nx, ny, nz), level in planes)
    assert 1e-3 <= math.dist((x, y, z), (0.0, 0.0, 0.0)) < 1.1e-3
