"""Laws of the polygon that the proof sees: whatever way it is cut, and no other triangles."""

import math
import random
import struct
import tempfile
from pathlib import Path

import pytest
from conftest import examples, rare_of
from dae_writer import document, instance, node, paragraph, primitive, simple_geometry
from hypothesis import given, strategies as st

LIFTS = [
    lambda x, y: (x, y, 3.0),
    lambda x, y: (1.0, y, x),
    lambda x, y: (y, -2.0, x),
    lambda x, y: (x, y, 0.5 * x - 0.25 * y),
    lambda x, y: (x, x - 4 * y, 2 * y),
]


def stl_points(shape, lift):
    return [struct.pack("<3f", *lift(x, y)) for x, y in shape]


def triangles_of(indices, points):
    return [
        tuple(points[k] for k in indices[start : start + 3]) for start in range(0, len(indices), 3)
    ]


def cut(tool, points):
    """The triangles that the conversion makes of a polygon; those without area are left out."""
    places = [struct.unpack("<3f", point) for point in points]
    tally = tool.Counter()
    indices = tool.polygon_triangles([*range(len(points))], places, tally)
    assert "crossing polygon" not in tally
    _, flat = tool.pack_triangles(indices, places)
    return [triangle for k, triangle in enumerate(triangles_of(indices, points)) if k not in flat]


def covers(tool, outline, triangles):
    return bool(tool.Polygon(outline).is_covered_by(triangles))


STAR = st.builds(
    lambda count, seed: (count, random.Random(seed)), st.integers(3, 14), st.integers(0, 10**6)
).map(lambda chosen: star(*chosen))


def star(count, chance):
    """A polygon whose corners are seen from the origin in turn, some of them on a straight edge; seldom convex."""
    turns = [2 * math.pi * (k + 0.8 * chance.random()) / count for k in range(count)]
    shape = [
        (round(64 * r * math.cos(a)), round(64 * r * math.sin(a)))
        for a in turns
        for r in [chance.uniform(1, 9)]
    ]
    if chance.random() < 0.5:
        shape = [
            p
            for a, b in zip(shape, shape[1:] + shape[:1])
            for p in (a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
        ]
    return shape[:: chance.choice([1, -1])]


@examples(fuzzed=100)
@given(shape=STAR, lift=st.sampled_from(LIFTS))
def test_what_the_conversion_cuts_covers_the_polygon(tool, shape, lift):
    loop = stl_points(shape, lift)
    assert covers(tool, loop, cut(tool, loop))


@examples(fuzzed=100)
@given(shape=STAR, lift=st.sampled_from(LIFTS), seed=st.integers(0, 10**6))
def test_other_triangles_do_not(tool, shape, lift, seed):
    loop, chance = stl_points(shape, lift), random.Random(seed)
    triangles = cut(tool, loop)
    k = chance.randrange(len(triangles))
    a, b, c = triangles[k]
    wrong = {
        "lost": triangles[:k] + triangles[k + 1 :],
        "turned": [*triangles[:k], (a, c, b), *triangles[k + 1 :]],
        "from elsewhere": [
            *triangles[:k],
            (a, b, struct.pack("<3f", 9, 9, 9)),
            *triangles[k + 1 :],
        ],
        "all turned": [(p, r, q) for p, q, r in triangles],
        "none": [],
    }
    if len(triangles) > 1:
        wrong["one twice"] = [*triangles[:k], triangles[k - 1], *triangles[k + 1 :]]
    for name, these in wrong.items():
        assert not covers(tool, loop, these), name


@pytest.mark.parametrize("lift", LIFTS)
def test_a_concave_polygon_is_not_covered_by_a_fan_that_leaves_it(tool, lift):
    shape = [(0, 0), (4, 0), (1, 1), (0, 4), (-1, -1)]
    points = stl_points(shape, lift)
    outside = triangles_of([1, 2, 3, 1, 3, 4, 1, 4, 0], points)
    inside = triangles_of([2, 3, 4, 2, 4, 0, 2, 0, 1], points)
    assert not covers(tool, points, outside)
    assert covers(tool, points, inside)


def test_a_bent_quad_may_be_cut_in_two_ways_and_no_other(tool):
    points = [struct.pack("<3f", *place) for place in ((0, 0, 0), (1, 0, 1), (1, 1, 0), (0, 1, 1))]
    assert covers(tool, points, triangles_of([0, 1, 2, 0, 2, 3], points))
    assert covers(tool, points, triangles_of([1, 2, 3, 3, 0, 1], points))
    assert not covers(tool, points, triangles_of([0, 1, 2, 0, 1, 3], points))


def test_what_has_no_area_needs_no_triangles(tool):
    line = [struct.pack("<3f", x, 2 * x, 0) for x in (0, 1, 3, 2)]
    assert covers(tool, line, [])
    assert covers(tool, [line[0], line[1], line[0], line[1]], [])


@examples(fuzzed=100)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(2, 5),
    lift=st.sampled_from(LIFTS),
    bend=st.sampled_from([0.0, 0.0, 1e-7, 1e-3, 1.0]),
    shift=st.sampled_from([0, 1000, 10**6]),
    scale=st.sampled_from(["1 1 1", "-1 1 1", "1 -2 1e-4"]),
)
def test_nonsense_is_no_fault_of_the_tool(tool, seed, size, lift, bend, shift, scale):
    """Outlines that cross, repeat their corners, or have no area."""
    chance = random.Random(seed)
    points = [
        [shift + v + bend * chance.random() for v in lift(x, y)]
        for x in range(size)
        for y in range(size)
    ]

    def loop():
        return chance.choices(range(len(points)), k=chance.randint(3, 8))

    polygons = [loop() for _ in range(chance.randint(1, 6))]
    pieces = "".join(map(paragraph, polygons))
    text = document(
        simple_geometry("g", points, primitive("polygons", "g-p", pieces, len(polygons))),
        node(f"<scale>{scale}</scale>{instance('g')}"),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.dae")
        path.write_text(text, "utf-8")
        # Raises ProofFailed where it takes the file for a fault of its own.
        tool.convert_dae(str(path), folder, tool.DaeOptions(rare=rare_of(tool)))


@pytest.mark.parametrize("lift", LIFTS)
def test_what_is_in_the_line_of_an_edge_does_not_meet_it(tool, lift):
    comb = stl_points([(0, 0), (1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 3), (0, 3)], lift)
    polygon = tool.Polygon(comb)
    assert polygon.is_plain()
    triangles = cut(tool, comb)
    a, b = comb[1], comb[4]
    assert covers(tool, comb, triangles)
    assert not covers(tool, comb, [*triangles, (a, comb[2], b), (b, comb[2], a)])
