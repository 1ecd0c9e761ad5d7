"""Meshes of fewer triangles: laws of what stands and how near it is, and mutants of the proof."""

import math
import random
from array import array
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st
from surfaces import (
    as_float32,
    ball,
    box,
    by,
    moved,
    plate,
    samples,
    split,
    tube,
)

from urdf_tools.base.errors import ProofFailed
from urdf_tools.meshes import triangle_reduction as reduction_module
from urdf_tools.meshes.prepare_surfaces import welded
from urdf_tools.meshes.edge_collapse import _State, collapse, IndexedMesh, SIZE
from urdf_tools.meshes.mesh_content import (
    facet_normals,
    FLOAT,
    MeshImage,
    MeshMaterial,
    NUMBER,
    points_of,
    MaterialSurface,
    triangles_of,
)
from urdf_tools.meshes.triangle_reduction import (
    SurfaceWitnesses,
    creased_normals,
    FarPoint,
    GAIN,
    reduced_surfaces,
    ReducedSurfaces,
    SMALL,
    staying,
    TEXTURES,
    UNPROVEN,
    verify_reduced,
)
from urdf_tools.meshes.verify_witnesses import triangle_gap

WITHIN = 1e-3
BALL = ball(16, 32)
PLAIN = MeshMaterial()
RED, BLUE = MeshMaterial("red", (1.0, 0.0, 0.0, 1.0)), MeshMaterial("blue", (0.0, 0.0, 1.0, 1.0))


def surface_of(triangles, material=PLAIN):
    values = [
        value for triangle in as_float32(triangles) for corner in triangle for value in corner
    ]
    return welded(
        MaterialSurface(material, array(FLOAT, values), array(NUMBER, range(len(values) // 3)))
    )


def reduce(surfaces, within=WITHIN, form="obj"):
    return reduced_surfaces(surfaces, within, lambda count: None, form)


def reduced(surfaces, within=WITHIN):
    made = reduce(surfaces, within)
    assert isinstance(made, ReducedSurfaces)
    return made


def verified(surfaces, made, within=WITHIN):
    return verify_reduced(
        "mesh",
        surfaces,
        [[*triangles_of(surface)] for surface in made.surfaces],
        made.covers,
        within,
    )


def farthest(triangles, others):
    """Return the largest distance of sampled points of triangles to others: each is asked."""
    return max(
        min(triangle_gap(point, other) for other in others)
        for triangle in triangles[:: 1 + len(triangles) // 20]
        for point in samples(triangle, 3)
    )


def bumpy(seed, bumps, cells=16):
    """Return a square sheet of 0.1 m whose inner points are lifted at random [m]."""
    lift = random.Random(seed)
    heights = {}

    def raised(point):
        x, y, _ = point
        inner = 0.0 < x < 0.1 - 1e-9 and 0.0 < y < 0.1 - 1e-9
        return (x, y, heights.setdefault(point, lift.uniform(-bumps, bumps) if inner else 0.0))

    return moved(plate(cells, size=0.1), raised)


def edges_of(triangles):
    return Counter(frozenset(pair) for a, b, c in triangles for pair in ((a, b), (b, c), (c, a)))


BODIES = {  # and the largest share of triangles that may stand
    "ball": (BALL, 0.75),
    "tube": (split(tube(24), 2), 0.15),
    "cube": (split(box((0.0,) * 3, (0.1,) * 3), 3), 0.02),
    "sheet": (plate(20, size=0.1), 0.003),
    "sheet with a hole": (plate(20, (8, 12), 0.1), 0.03),
    "far away": (moved(BALL, by(100.0, -50.0, 30.0)), 0.9),
}


@pytest.mark.parametrize("name", BODIES)
def test_both_surfaces_are_near_to_each_other(name):
    body, share = BODIES[name]
    surface = surface_of(body)
    made = reduced([surface])
    before, after = [*triangles_of(surface)], [*triangles_of(made.surfaces[0])]
    assert len(after) <= max(2, share * len(before))
    bound = verified([surface], made)
    assert bound <= WITHIN
    assert farthest(before, after) <= bound + 1e-12 and farthest(after, before) <= bound + 1e-12
    assert {corner for triangle in after for corner in triangle} <= set(
        points_of(surface.positions)
    )
    if name in ("ball", "tube", "cube"):  # what is closed stays closed
        assert set(edges_of(after).values()) == {2}


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 999), bumps=st.floats(0.0, 3e-3), within=st.floats(2e-4, 4e-3))
def test_a_sheet_with_bumps(seed, bumps, within):
    surface = surface_of(bumpy(seed, bumps))
    made = reduce([surface], within)
    if isinstance(made, str):
        assert made in (GAIN, UNPROVEN) and bumps > 0.1 * within
        return
    before, after = [*triangles_of(surface)], [*triangles_of(made.surfaces[0])]
    bound = verified([surface], made, within)
    assert len(after) <= 0.9 * len(before)
    assert farthest(before, after) <= bound + 1e-12 and farthest(after, before) <= bound + 1e-12


def two_colors(seed=3):
    """Return a sheet whose left part is red and whose right part is blue, with a border that is a zigzag."""
    sheet = bumpy(seed, 4e-4)
    left = [
        triangle
        for k, triangle in enumerate(sheet)
        if sum(corner[0] for corner in triangle) < 0.15 + 0.004 * (k % 3)
    ]
    return [
        surface_of(left, RED),
        surface_of([triangle for triangle in sheet if triangle not in left], BLUE),
    ]


def test_each_color_stays_where_it_is():
    surfaces = two_colors()
    made = reduced(surfaces, 3e-3)
    assert [surface.material for surface in made.surfaces] == [RED, BLUE]
    assert verified(surfaces, made, 3e-3) <= 3e-3
    for surface, other in zip(surfaces, made.surfaces):
        before, after = [*triangles_of(surface)], [*triangles_of(other)]
        assert len(after) < 0.5 * len(before)
        assert farthest(before, after) <= 3e-3 and farthest(after, before) <= 3e-3
    # The border is reduced once, for both: no crack opens between the colors.
    both = edges_of([triangle for surface in made.surfaces for triangle in triangles_of(surface)])
    rim = {0.0, max(corner[0] for corner in points_of(surfaces[1].positions))}
    assert all(
        count == 2 or any(len({corner[k] for corner in edge} & rim) == 1 for k in (0, 1))
        for edge, count in both.items()
    )


def test_what_shows_an_image_stays():
    textured = MeshMaterial("wood", image=MeshImage("wood.png", b"..."))
    left, right = two_colors()
    surfaces = [left._replace(material=textured), right]
    made = reduced(surfaces, 3e-3)
    assert made.surfaces[0] is surfaces[0] and len(made.surfaces[1].corners) < len(right.corners)
    assert verified(surfaces, made, 3e-3) <= 3e-3
    assert (
        reduce(surfaces, 3e-3, "stl")
        == TEXTURES
        == reduce(
            [surfaces[0]._replace(material=textured), surfaces[1]._replace(material=textured)], 3e-3
        )
    )


def test_small_meshes_and_little_gain_stay():
    assert reduce([surface_of(box((0.0,) * 3, (0.1,) * 3))]) == SMALL
    assert reduce([surface_of(ball(20, 30))], 1e-7) == GAIN


def test_what_is_not_proven_stays(monkeypatch):
    monkeypatch.setattr(reduction_module, "ROUNDS", 0)
    assert reduce([surface_of(BALL)]) == UNPROVEN


def test_what_stays_where_a_proof_fails():
    """A triangle of the mesh; one that is new, by what went near to it; one that spans a hollow goes back."""
    new, old, corners = (
        FarPoint((0.0, 0.0, 0.0), (), 3),
        FarPoint((0.0, 0.0, 0.0), (4, 5, 6), 3),
        (7, 8, 9),
    )
    assert [*staying(old, [1, 2], corners, again=True)] == [4, 5, 6]
    assert [*staying(new, [1, 2, 3, 4], corners, again=False)] == [1, 2, 3]
    assert [*staying(new, [1], corners, again=True)] == [1, 7, 8, 9]
    assert [*staying(new, [], corners, again=False)] == [7, 8, 9]


def test_no_run_differs():
    surface = surface_of(bumpy(5, 5e-4))
    first, second = reduced([surface]), reduced([surface])
    assert first.surfaces[0].positions == second.surfaces[0].positions
    assert first.surfaces[0].corners == second.surfaces[0].corners and first.covers == second.covers


def test_triangles_without_area_draw_nothing():
    """They need no cover and are not written, and duplicates of a triangle are no error."""
    surface = surface_of(
        [
            *split(box((0.0,) * 3, (0.1,) * 3), 3),
            ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.05, 0.0, 0.0)),
            *plate(2, size=0.1),
        ]
    )
    made = reduced([surface])
    assert verified([surface], made) <= WITHIN


def test_a_triangle_without_area_does_not_weaken_the_cost_of_its_corners():
    """A point halfway on an edge leaves a triangle without area on the other side of the edge."""
    corners = [(0.0, 0.0, 0.0), (0.02, 0.0, 0.0), (0.02, 0.02, 0.0), (0.0, 0.02, 0.0)]
    middle = (0.01, 0.01, 0.0)  # of the edge from 0 to 2
    mesh = IndexedMesh([*corners, middle], [(0, 1, 2), (0, 4, 3), (4, 2, 3), (0, 2, 4)], [0] * 4)
    state = _State(mesh, [1e-3] * 5)
    areas = state.quadrics[SIZE - 1 :: SIZE].tolist()
    assert areas == pytest.approx([3e-4, 2e-4, 3e-4, 2e-4, 2e-4])


def test_normals_are_joined_below_the_crease():
    cube = creased_normals(surface_of(box((0.0,) * 3, (0.1,) * 3)))
    round_body = creased_normals(surface_of(ball(24, 48)))
    facets = facet_normals(cube)
    corners = range(len(cube.corners))
    assert all(
        _normal_at(cube, k) == pytest.approx(_normal_at(facets, k), abs=1e-6) for k in corners
    )
    for k, corner in enumerate(round_body.corners):
        point = points_of(round_body.positions)[corner] if k % 97 == 0 else None
        if point:
            outward = [value / math.dist(point, (0.0, 0.0, 0.0)) for value in point]
            assert sum(p * q for p, q in zip(outward, _normal_at(round_body, k))) > 0.99


def _normal_at(surface, corner):
    number = surface.normal_corners[corner]
    return surface.normals[3 * number : 3 * number + 3].tolist()


def test_a_point_collapses_only_where_the_topology_stays():
    """Two closed bodies that share an edge stay two, and a tetrahedron stays one."""
    corners = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)]
    mesh = IndexedMesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], [0] * 4)
    assert len(collapse(mesh, [1.0] * 4).triangles) == 4


SURFACE = surface_of(BALL)
MADE = reduced([SURFACE])
WRITTEN = [*triangles_of(MADE.surfaces[0])]
COVER = MADE.covers[0]


def with_step(trees, change):
    """Return trees with the first witness of the largest one changed."""
    number = max(range(len(trees)), key=lambda k: len(trees[k]))
    place = next(k for k, step in enumerate(trees[number]) if step >= 0)
    tree = [*trees[number][:place], change(trees[number][place]), *trees[number][place + 1 :]]
    return [*trees[:number], tree, *trees[number + 1 :]]


def shifted(triangles, step):
    """Return triangles with one corner moved outward, in all of them."""
    corner = triangles[40][0]
    scale = 1.0 + step / math.dist(corner, (0.0, 0.0, 0.0))
    new = (corner[0] * scale, corner[1] * scale, corner[2] * scale)
    return [
        tuple(new if point == corner else point for point in triangle) for triangle in triangles
    ]


NAN = (math.nan, 0.0, 0.0)
MUTANTS = {
    "a witness off by one, before": (
        WRITTEN,
        SurfaceWitnesses(with_step(COVER.before, lambda n: n + 37), COVER.after),
        WITHIN,
    ),
    "a witness off by one, after": (
        WRITTEN,
        SurfaceWitnesses(COVER.before, with_step(COVER.after, lambda n: n + 37)),
        WITHIN,
    ),
    "a witness that is not there": (
        WRITTEN,
        SurfaceWitnesses(with_step(COVER.before, lambda n: 10**6), COVER.after),
        WITHIN,
    ),
    "a triangle less": (WRITTEN[:-1], COVER, WITHIN),
    "a triangle less, and its list": (
        WRITTEN[:-1],
        SurfaceWitnesses(COVER.before, COVER.after[:-1]),
        WITHIN,
    ),
    "a triangle more": ([*WRITTEN, WRITTEN[0]], COVER, WITHIN),
    "a triangle across the ball": (
        [*WRITTEN, (WRITTEN[0][0], WRITTEN[len(WRITTEN) // 2][0], WRITTEN[-1][0])],
        SurfaceWitnesses(COVER.before, [*COVER.after, [0]]),
        WITHIN,
    ),
    "a point that is none of the mesh": (shifted(WRITTEN, 1e-6), COVER, WITHIN),
    "a point moved by 1.1 of the distance": (shifted(WRITTEN, 1.1 * WITHIN), COVER, WITHIN),
    "lists of the other direction": (WRITTEN, SurfaceWitnesses(COVER.after, COVER.before), WITHIN),
    "a list too short": (
        WRITTEN,
        SurfaceWitnesses([tree[:-1] for tree in COVER.before], COVER.after),
        WITHIN,
    ),
    "a list too long": (
        WRITTEN,
        SurfaceWitnesses(COVER.before, [[*tree, 0] for tree in COVER.after]),
        WITHIN,
    ),
    "a list less": (WRITTEN, SurfaceWitnesses(COVER.before[1:], COVER.after), WITHIN),
    "less than the distance": (WRITTEN, COVER, 0.99 * verified([SURFACE], MADE)),
    "no number": ([(NAN, *WRITTEN[0][1:]), *WRITTEN[1:]], COVER, WITHIN),
    "no triangle": ([], COVER, WITHIN),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_proof_refuses(name):
    written, cover, within = MUTANTS[name]
    with pytest.raises(ProofFailed):
        verify_reduced("mesh", [SURFACE], [written], [cover], within)


def test_the_proof_measures_how_far_it_is(monkeypatch):
    """Without the rule that each point is a point of the mesh, the distance alone finds a point that moved too far."""
    monkeypatch.setattr("urdf_tools.meshes.triangle_reduction._places", lambda triangles: set())
    with pytest.raises(ProofFailed):
        verify_reduced("mesh", [SURFACE], [shifted(WRITTEN, 1.5 * WITHIN)], [COVER], WITHIN)


def test_colors_that_changed_places_are_refused():
    surfaces = two_colors()
    made = reduced(surfaces, 3e-3)
    with pytest.raises(ProofFailed):
        verified(surfaces, made._replace(surfaces=made.surfaces[::-1]), 3e-3)
    with pytest.raises(ProofFailed):
        verified(surfaces, made._replace(surfaces=made.surfaces[:1]), 3e-3)
