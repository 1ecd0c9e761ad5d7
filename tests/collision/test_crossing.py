"""Triangles of meshes that cross: the check against fractions, with corners that are moved; the search, and mutants."""

from fractions import Fraction

import pytest
from collision.test_pairs import BAR, folding, joint, limits, link, MESH_OF_TWO
from collision.test_run import folder, in_folder  # noqa: F401
from conftest import examples
from hypothesis import given, strategies as st
from dae_naive import cross, dot

from urdf_tools.base.errors import ProofFailed
from urdf_tools.collision.proof_geometry import certainly_cross
from urdf_tools.collision.convex_distance import find_crossing, TrianglesInLinkFrame
from urdf_tools.collision.decide_pairs import decide_pairs, TOUCHES
from urdf_tools.collision.link_pairs_step import verify_decided
from urdf_tools.meshes.mesh_readers import read_indexed
from urdf_tools.export.pairs_of_run import bodies_from
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.urdf.spatial_math import IDENTITY, Transform

values = st.one_of(st.integers(-2, 2).map(float), st.floats(-2.0, 2.0))
triangles = st.lists(st.tuples(values, values, values), min_size=3, max_size=3)


def share_a_point(one, other):
    """Return True if an edge of one triangle meets the other, by where it meets its plane, in fractions."""
    for edges, triangle in ((one, other), (other, one)):
        a, b, c = ([Fraction(value) for value in corner] for corner in triangle)
        u, v = minus(b, a), minus(c, a)
        n = cross(u, v)
        for k in range(3):
            p, q = ([Fraction(value) for value in edges[(k + end) % 3]] for end in (0, 1))
            down = dot(n, minus(p, q))
            part = dot(n, minus(p, a)) / down if down else Fraction(-1)
            if not 0 <= part <= 1:
                continue
            w = [x + part * (y - x) - z for x, y, z in zip(p, q, a)]
            s, t = dot(n, cross(w, v)) / dot(n, n), dot(n, cross(u, w)) / dot(n, n)  # w = s u + t v
            if s >= 0 and t >= 0 and s + t <= 1:
                return True
    return False


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


@given(
    triangles, triangles, st.sampled_from([0.0, 1e-9, 1e-3, 0.1]), st.randoms(use_true_random=False)
)
@examples(fuzzed=150)
def test_triangles_that_certainly_cross_do_wherever_their_corners_are(one, other, error, generator):
    if certainly_cross(one, other, error):
        for _ in range(4):
            first, second = (
                [
                    tuple(
                        Fraction(value) + Fraction(generator.choice([-error, error]))
                        for value in corner
                    )
                    for corner in three
                ]
                for three in (one, other)
            )
            assert share_a_point(first, second)


FLAT = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]


@pytest.mark.parametrize(
    "x, z, error, crosses",
    [
        (0.25, -1.0, 1e-3, True),
        (0.25, -1e-4, 1e-6, True),
        (0.25, -1e-4, 1e-3, False),
        (0.25, 0.0, 0.0, False),
        (0.0, -1.0, 0.0, False),
        (1e-4, -1.0, 1e-6, True),
        (1e-4, -1.0, 1e-3, False),
        (-0.1, -1.0, 0.0, False),
        (0.6, -1.0, 0.0, False),
        (0.25, 0.1, 0.0, False),
    ],
)
def test_an_edge_goes_through_a_triangle_or_not(x, z, error, crosses):
    """From above down to z, x from one side of the triangle."""
    needle = [(x, 0.45, 1.0), (x, 0.45, z), (x, 0.45, 2.0)]
    for one, other in ((FLAT, needle), (needle, FLAT), (FLAT[::-1], needle)):
        assert certainly_cross(one, other, error) is crosses


def surface(generator, count):
    """Return small triangles all over a place."""
    points = [tuple(generator.uniform(-1.0, 1.0) for _ in range(3)) for _ in range(count)]
    near = [
        (x + generator.uniform(-0.1, 0.1), y + 0.1 * k, z + 0.02)
        for x, y, z in points
        for k in range(3)
    ]
    return TrianglesInLinkFrame(0, lambda: list(zip(near[0::3], near[1::3], near[2::3])))


@given(st.randoms(use_true_random=False), st.integers(1, 30))
@examples(fuzzed=60)
def test_a_crossing_is_found_if_there_is_one_and_holds(generator, count):
    one, other = surface(generator, count), surface(generator, 30)
    at = Transform(IDENTITY, (0.01, -0.02, 0.03))

    def seen(k):
        return [(x + 0.01, y - 0.02, z + 0.03) for x, y, z in other.tree.triangles[k]]

    found, visits = find_crossing(one, other, at)
    assert visits > 0
    if found:
        assert certainly_cross(one.tree.triangles[found[0]], seen(found[1]), 1e-12)
    else:
        assert not any(
            certainly_cross(triangle, seen(k), 1e-6)
            for triangle in one.tree.triangles
            for k in range(30)
        )


def decided(text=""):
    document = parse_document((text or folding(1.0)).encode(), "robot.urdf")
    return document, decide_pairs(
        read_robot(document), bodies_from(lambda name: name), 500, lambda name, count: None
    )


MUTANTS = {
    "another triangle": {"triangles": (0, 0)},
    "one that is not there": {"triangles": (10**6, 0)},
    "one that is counted from the end": {"triangles": (-1, -1)},
    "no triangles": {"triangles": None},
    "another pose": {"positions": (0.0, 0.0)},
    "a pose outside of the limits": {"positions": (2.0, 0.0)},
}


@in_folder
def test_triangles_that_are_said_to_cross_are_checked_by_the_text():
    document, found = decided()
    assert [
        pair.witness.triangles for pair in found.pairs if pair.state == TOUCHES and pair.witness
    ] != []
    verify_decided(document, found, read_indexed)


@pytest.mark.parametrize("name", sorted(MUTANTS))
@in_folder
def test_triangles_that_do_not_cross_are_refused(name):
    def change(pair):
        if pair.witness is None or pair.witness.triangles is None:
            return pair
        return pair._replace(witness=pair.witness._replace(**MUTANTS[name]))

    document, found = decided()
    with pytest.raises(ProofFailed):
        verify_decided(
            document, found._replace(pairs=tuple(map(change, found.pairs))), read_indexed
        )


@pytest.mark.parametrize("grown, holds", [(1.0, True), (1.1, False)])
@in_folder
def test_a_triangle_of_a_primitive_has_to_be_in_it(grown, holds):
    def change(pair):
        assert pair.witness is not None and pair.witness.triangles is not None
        number, corners = pair.witness.triangles
        assert not isinstance(corners, int)
        larger = tuple(tuple(grown * value for value in corner) for corner in corners)
        return pair._replace(witness=pair.witness._replace(triangles=(number, larger)))

    text = (
        f'<robot name="r">{link("a", MESH_OF_TWO)}{link("b", BAR)}'
        + joint("j", "a", "b", limits(-2.0, 2.0, "1 2 0", "0 1 0"), "prismatic")
        + "</robot>"
    )
    document, found = decided(text)
    found = found._replace(pairs=tuple(map(change, found.pairs)))
    if holds:
        verify_decided(document, found, read_indexed)
    else:
        with pytest.raises(ProofFailed):
            verify_decided(document, found, read_indexed)
