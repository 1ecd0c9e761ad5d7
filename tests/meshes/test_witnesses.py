"""The checker of covers: what it accepts, what it refuses, and the distance to a triangle against slow formulas."""

from math import cos, dist, inf, nan, pi, sin, sqrt

import pytest
from hypothesis import given, strategies as st
from surfaces import _to_triangle, ball, samples

from urdf_tools.meshes.triangle_tree import TriangleTree
from urdf_tools.meshes.verify_witnesses import (
    Ball,
    ball_gap,
    cut_at,
    halves,
    triangle_gap,
    verify_cover,
)

BIG = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
UPPER = ((0.0, 0.0, 0.1), (0.5, 0.0, 0.1), (0.0, 1.0, 0.1))
LOWER = ((0.5, 0.0, -0.2), (1.0, 0.0, -0.2), (0.0, 1.0, -0.2))
TREE = [cut_at(0, 0.5), 0, 1]
parts = st.floats(-2.0, 2.0)
points = st.tuples(parts, parts, parts)
triangles = st.tuples(points, points, points)


def test_a_cover_has_the_largest_distance_of_its_pieces():
    assert verify_cover([BIG], [TREE], [UPPER, LOWER], triangle_gap) == pytest.approx(0.2)
    assert verify_cover([BIG, UPPER], [TREE, [0]], [UPPER, LOWER], triangle_gap) == pytest.approx(
        0.2
    )
    assert verify_cover([], [], [], triangle_gap) == 0.0


REFUSED = [
    ([], "no tree"),
    ([TREE, TREE], "a tree too many"),
    ([[cut_at(0, 0.5), 0]], "too short"),
    ([[cut_at(0, 0.5), 0, 1, 1]], "too long"),
    ([[]], "empty"),
    ([[2]], "a number too large"),
    ([[-1]], "below 0"),
    ([[cut_at(0, 0.5), 0, 2]], "off by one"),
]


@pytest.mark.parametrize("trees, why", REFUSED)
def test_what_is_no_cover_is_refused(trees, why):
    assert verify_cover([BIG], trees, [UPPER, LOWER], triangle_gap) == inf, why


@pytest.mark.parametrize(
    "tree", ([cut_at(0, 0.5), 1, 0], [cut_at(1, 0.5), 0, 1], [cut_at(0, 0.9), 0, 1], [0])
)
def test_another_witness_is_farther(tree):
    assert 0.25 < verify_cover([BIG], [tree], [UPPER, LOWER], triangle_gap) < inf


BALLS = [Ball((0.1, 0.4, 0.0), 0.62), Ball((0.6, 0.4, 0.0), 0.86)]
IN_BALLS = [cut_at(0, 0.5), 0, 1]


def test_a_triangle_is_in_balls_if_the_corners_of_each_piece_are_in_one():
    assert verify_cover([BIG], [IN_BALLS], BALLS, ball_gap) == 0.0
    smaller = [BALLS[0]._replace(radius=0.6), BALLS[1]]
    assert verify_cover([BIG], [IN_BALLS], smaller, ball_gap) == pytest.approx(
        dist((0.1, 0.4), (0.0, 1.0)) - 0.6
    )


@pytest.mark.parametrize(
    "tree, balls",
    [
        ([0], BALLS),
        ([cut_at(0, 0.5), 1, 0], BALLS),
        (IN_BALLS, BALLS[:1]),
        (IN_BALLS, [BALLS[0], BALLS[0]]),
        (IN_BALLS, [ball._replace(radius=0.98 * ball.radius) for ball in BALLS]),
        (IN_BALLS, [ball._replace(radius=nan) for ball in BALLS]),
        (IN_BALLS, [BALLS[0], BALLS[1]._replace(center=(0.6, 0.4, 0.9))]),
    ],
)
def test_a_piece_outside_of_its_ball_is_not_covered(tree, balls):
    """Another ball, one missing, a radius less by a fiftieth, one that is not a number, a center elsewhere."""
    assert verify_cover([BIG], [tree], balls, ball_gap) > 0.0


def test_what_is_not_finite_proves_nothing():
    assert verify_cover([((nan, 0.0, 0.0), *BIG[1:])], [[0]], [BIG], triangle_gap) == inf
    assert verify_cover([((inf, 0.0, 0.0), *BIG[1:])], [[0]], [BIG], triangle_gap) == inf
    assert verify_cover([BIG], [[0]], [((0.0, 0.0, nan), *BIG[1:])], triangle_gap) == inf


@given(triangles, st.lists(st.tuples(st.integers(0, 2), st.floats(-0.5, 1.5)), max_size=6), points)
def test_cuts_lose_no_point(triangle, cuts, point):
    """Each point of the triangle is in a piece, whatever the cuts are, even beyond the ends of an edge.

    The slow formula is exact to 1e-7 where a triangle is nearly a line.
    """
    pieces = [triangle]
    for edge, part in cuts:
        pieces += halves(pieces.pop(0), cut_at(edge, part))
    for sample in samples(triangle, 3):
        assert min(_to_triangle(sample, piece) for piece in pieces) < 1e-7
    assert all(_to_triangle(corner, triangle) < 1e-7 for piece in pieces for corner in piece)


@given(points, triangles)
def test_the_distance_to_a_triangle(point, triangle):
    gap = triangle_gap(point, triangle)
    assert abs(gap - _to_triangle(point, triangle)) <= 1e-7
    assert all(gap <= dist(point, sample) + 1e-12 for sample in samples(triangle))


@pytest.mark.parametrize("height", (1e-3, 1e-6, 1e-9, 1e-12, 0.0))
def test_slivers_have_their_distance(height):
    """Also where no foot of a point can be computed: then an edge is nearest."""
    for k in range(12):
        point = (2.0 * cos(k * pi / 6), 1.5 * sin(k * pi / 6), 0.3)
        sliver = ((-1.0, 0.0, 0.0), (0.3, height, 0.0), (1.0, 0.0, 0.0))
        x, y = abs(point[0]), point[1]
        expected = sqrt(max(0.0, x - 1.0) ** 2 + y**2 + 0.09)
        assert abs(triangle_gap(point, sliver) - expected) <= 1.1 * height + 1e-12


def test_a_point_is_a_triangle_too():
    corner = ((1.0, 2.0, 3.0),) * 3
    assert triangle_gap((1.0, 2.0, 5.0), corner) == 2.0


BALL_TREE = TriangleTree([triangle for triangle in ball(8, 12, 1.0) if len({*triangle}) == 3])


@given(points, st.integers(0, len(BALL_TREE.triangles) - 1), st.floats(0.01, 1.0))
def test_the_nearest_triangle_and_the_end_of_a_walk(point, start, within):
    """A walk ends at another triangle that is near enough, or nowhere; from its side of a ball it arrives."""
    gaps = [triangle_gap(point, triangle) for triangle in BALL_TREE.triangles]
    gap, number = BALL_TREE.nearest(point)
    assert gap == min(gaps) == gaps[number]
    end = BALL_TREE.walk(start, point, within, 0.0)
    assert end == -1 or end != start and gaps[end] < within
    assert BALL_TREE.last == (number if end == -1 else end)  # where the next search begins
    if 0.9 < dist(point, (0.0, 0.0, 0.0)) < 1.2 and within > 0.6 and gaps[start] < 1.0:
        assert end >= 0
