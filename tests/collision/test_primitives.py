"""The laws of the primitives: they contain all points, by a check of its own; the overhang is never too small."""

from math import hypot

import pytest
from collision.clouds import clouds
from conftest import examples
from hypothesis import example, given, strategies as st
from surfaces import next_to

from urdf_tools.collision.proof_geometry import is_contained
from urdf_tools.collision.convex_distance import nearest_points
from urdf_tools.collision.primitive_fitting import least_ball, propose
from urdf_tools.meshes.convex_hull import convex_hull
from urdf_tools.collision.collision_shapes import (
    around,
    bounding_points,
    overhang,
    Primitive,
    rounded_up,
)
from urdf_tools.urdf.spatial_math import (
    cross,
    dot,
    IDENTITY_POSE,
    matrix_from_rpy,
    norm,
    Transform,
    rotate,
    subtract,
    transpose,
)

CUBE = [(x, y, z) for x in (0.0, 0.1) for y in (0.0, 0.2) for z in (0.0, 0.3)]


def local_points(primitive, points):
    """Return points in the frame of a primitive."""
    turn = transpose(primitive.pose.rotation)
    return [rotate(turn, subtract(point, primitive.pose.translation)) for point in points]


PRIMITIVES = ("box", "cylinder", "capsule", "sphere")


@given(clouds(least=6, most=20), st.sampled_from(PRIMITIVES))
@examples(fuzzed=25)
def test_a_primitive_contains_all_points(points, kind):
    hull = convex_hull(points)
    for frame in propose(kind, hull) if hull else ():
        primitive = around(kind, Transform(*frame), points)
        assert is_contained(kind, primitive.sizes, local_points(primitive, points), 1e-12)


@given(clouds(least=6, most=12), st.sampled_from(PRIMITIVES))
@examples(fuzzed=15)
def test_a_primitive_is_within_its_overhang(points, kind):
    hull = convex_hull(points)
    if hull is None:
        return
    primitive = around(kind, Transform(*propose(kind, hull)[0]), points)
    bound = overhang(bounding_points(primitive), hull.corners)
    extent = {
        "box": lambda s: norm((s[0], s[1], s[2])) / 2,
        "sphere": lambda s: s[0],
        "cylinder": lambda s: norm((s[0], s[1] / 2, 0.0)),
        "capsule": lambda s: s[0] + s[1] / 2,
    }
    farthest = max(norm(subtract(point, primitive.pose.translation)) for point in points)
    assert bound >= extent[kind](primitive.sizes) - farthest - 1e-12


def supported(primitive, direction):
    """Return how far a primitive reaches along a direction, by its own formula."""
    x, y, z = rotate(transpose(primitive.pose.rotation), direction)
    sizes = primitive.sizes
    reach = {
        "box": lambda: 0.5 * (sizes[0] * abs(x) + sizes[1] * abs(y) + sizes[-1] * abs(z)),
        "sphere": lambda: sizes[0] * hypot(x, y, z),
        "cylinder": lambda: sizes[0] * hypot(x, y) + 0.5 * sizes[1] * abs(z),
        "capsule": lambda: sizes[0] * hypot(x, y, z) + 0.5 * sizes[1] * abs(z),
    }
    return reach[primitive.kind]() + dot(primitive.pose.translation, direction)


SIZE = st.floats(1e-3, 10.0)
ANGLE = st.floats(-3.2, 3.2)


@pytest.mark.parametrize("kind", PRIMITIVES)
@given(
    sizes=st.tuples(SIZE, SIZE, SIZE),
    rpy=st.tuples(ANGLE, ANGLE, ANGLE),
    at=st.tuples(*[st.floats(-10.0, 10.0)] * 3),
)
@examples(6, fuzzed=300)
def test_the_polytope_around_a_primitive_contains_it(kind, sizes, rpy, at):
    """A convex body is in a polytope if it reaches along the normal of no facet beyond it."""
    count = {"box": 3, "sphere": 1}.get(kind, 2)
    primitive = Primitive(kind, Transform(matrix_from_rpy(rpy), at), sizes[:count])
    polytope = convex_hull(bounding_points(primitive))
    assert polytope is not None
    rounding = 4e-15 * (norm(at) + sum(sizes))
    for a, b, c in ([polytope.corners[k] for k in triangle] for triangle in polytope.triangles):
        normal = cross(subtract(b, a), subtract(c, a))
        beyond = supported(primitive, normal) - dot(normal, a)
        # Corners are rounded to 1e-16 of their size, so the normal of a slender facet is, too, whatever its length.
        assert beyond <= rounding * norm(normal) + 2e-16 * sum(sizes[:count]) ** 3


def test_a_box_is_found_again():
    hull = convex_hull(CUBE)
    assert hull is not None
    for frame in propose("box", hull):
        primitive = around("box", Transform(*frame), CUBE)
        assert sorted(primitive.sizes) == pytest.approx([0.1, 0.2, 0.3], abs=3e-9)
        assert overhang(bounding_points(primitive), CUBE) < 1e-8


@pytest.mark.parametrize(
    "kind, sizes",
    [
        ("box", (0.2, 0.4, 0.6)),
        ("sphere", (0.375,)),
        ("cylinder", (0.225, 0.6)),
        ("capsule", (0.225, 0.6)),
    ],
)
def test_the_check_sees_a_size_that_is_one_unit_too_small(kind, sizes):
    corner = {
        "box": (0.1, 0.2, 0.3),
        "sphere": (0.375, 0.0, 0.0),
        "cylinder": (0.225, 0.0, 0.3),
        "capsule": (0.225, 0.0, 0.3),
    }[kind]
    grown = tuple(rounded_up(size * (1 + 1e-12) + 1e-9) for size in sizes)
    assert is_contained(kind, grown, [corner], 1e-12)
    for number in range(len(sizes)):
        smaller = tuple(next_to(size, 0.0) if k == number else size for k, size in enumerate(sizes))
        assert not is_contained(kind, smaller, [corner], 0.0)


@given(
    st.lists(
        st.tuples(
            st.floats(-1, 1, width=32), st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)
        ),
        min_size=1,
        max_size=30,
    )
)
def test_the_least_ball_touches_points_on_all_sides(points):
    center, radius = least_ball(points)
    reached = [point for point in points if norm(subtract(point, center)) >= radius * (1 - 1e-6)]
    apart = nearest_points([center], reached).distance if radius else 0.0
    assert apart <= 1e-3 * max(radius, 1e-9)


# The bounds are 4e-9 apart.
@example([(0.0, 0.0, 0.0)] * 4, [(0.0, 0.0, 0.0)] * 3 + [(-3.0, 0.0, 2.0**-24)])
@given(clouds(least=4, most=12), clouds(least=4, most=12))
def test_the_distance_is_never_too_small_and_the_gap_never_too_large(one, other):
    moved = [(x + 1.5, y, z) for x, y, z in other]
    found = nearest_points(one, moved)
    n = found.normal
    low = min(n[0] * x + n[1] * y + n[2] * z for x, y, z in one)
    high = max(n[0] * x + n[1] * y + n[2] * z for x, y, z in moved)
    assert found.gap <= 0.0 or abs(low - high - found.gap) <= 1e-9
    assert found.distance >= found.gap - 1e-12
    if found.gap > 0.0:
        assert found.distance <= found.gap * (1 + 1e-5) + 1e-8


def test_sizes_are_rounded_up_to_nine_digits():
    assert rounded_up(0.1) == 0.100000001 and rounded_up(0.5) == 0.5
    assert rounded_up(0.12345678901) == 0.123456790
    assert around("sphere", IDENTITY_POSE, [(0.0, 0.0, 0.0)]).sizes[0] > 0.0
