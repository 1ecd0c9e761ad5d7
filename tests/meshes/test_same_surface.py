"""Surfaces that are the same set of points, that are not, and for which it is not known: rows, laws, and mutants."""

from collections import namedtuple
import math

import pytest
from hypothesis import given, strategies as st
from surfaces import (
    as_float32,
    ball,
    box,
    bracket,
    by,
    distance,
    inverted,
    moved,
    plate,
    samples,
    split,
    tube,
)

from urdf_tools.meshes import same_surface as module, verify_witnesses
from urdf_tools.meshes.same_surface import (
    EDGE,
    EMPTY,
    SurfaceGap,
    pairs_in_order,
    SameSurface,
    same_surface,
    snap,
    STEPS,
    UndecidedSurface,
)

TOLERANCE = 1e-4
L, BALL, CUBE = bracket(), ball(6, 12), box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
LID = [triangle for triangle in CUBE if all(corner[2] == 1.0 for corner in triangle)]
REST = [triangle for triangle in CUBE if triangle not in LID]
FLAT = ((0.0, 0.0, 1.0), (0.5, 0.5, 2.0), (1.0, 1.0, 3.0))
SLIVER = ((0.2, 0.5, 0.5), (0.8, 0.5, 0.5), (0.5, 0.5005, 0.5))
FAR = (1000.0, -1000.0, 500.0)


def raised(step):
    """Return the ball with one of its corners moved outward."""
    corner = BALL[70][0]
    length = math.dist(corner, (0.0, 0.0, 0.0))
    new = (
        corner[0] * (1 + step / length),
        corner[1] * (1 + step / length),
        corner[2] * (1 + step / length),
    )
    return moved(BALL, lambda p: new if p == corner else p)


def bent(step):
    """Return a quad with its other diagonal, one corner lifted."""
    a, b, c, d = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, step), (0.0, 1.0, 0.0)
    return [(a, b, d), (b, c, d)]


class Row(namedtuple("Row", "a b verdict least most", defaults=(0.0, TOLERANCE))):
    """Two surfaces, the verdict, and what it says: the least and the largest of its bound, or of its gap [m]."""


ROWS = {
    "bracket turned by 180 degrees in its box": Row(
        L, moved(L, lambda p: (1 - p[0], 1 - p[1], p[2])), SurfaceGap, 0.8, 0.8
    ),
    "bracket mirrored": Row(
        L, inverted(moved(L, lambda p: (1 - p[0], p[1], p[2]))), SurfaceGap, 0.8, 0.8
    ),
    "bracket mirrored in its own plane": Row(
        L, inverted(moved(L, lambda p: (p[0], p[1], 1 - p[2]))), SameSurface, 0, 1e-12
    ),
    "inside out": Row(BALL, inverted(BALL), SameSurface, 0, 1e-12),
    "inside out and float32": Row(BALL, as_float32(inverted(BALL)), SameSurface, 1e-10, 1e-8),
    "inside out and split": Row(BALL, split(inverted(BALL)), SameSurface, 0, 1e-12),
    "plate with a hole": Row(plate(1), plate(20, (9, 11)), SurfaceGap, 1e-4, 0.051),
    "hole in A": Row(plate(20, (9, 11)), plate(1), SurfaceGap, 1e-4, 0.051),
    "lid 0.05 mm higher and split": Row(
        CUBE, REST + split(moved(LID, by(0, 0, 5e-5))), SameSurface, 5e-5, 5.1e-5
    ),
    "half lifted by 1.5 um, half split": Row(
        CUBE, split(REST) + moved(LID, by(0, 0, 1.5e-6)), SameSurface, 1.5e-6, 1.6e-6
    ),
    "triangles without area": Row(
        CUBE, [*CUBE, FLAT, (CUBE[0][0], CUBE[0][0], FAR)], SameSurface, 0, 1e-12
    ),
    "inner sliver of 0.5 mm": Row(CUBE, [*CUBE, SLIVER], SurfaceGap, 0.3, 0.5),
    "corner moved by 0.01 mm": Row(BALL, raised(1e-5), SameSurface, 5e-6, 1.1e-5),
    "corner moved by 0.09 mm": Row(BALL, raised(9e-5), SameSurface, 5e-5, 1e-4),
    "corner moved by 0.2 mm": Row(BALL, raised(2e-4), SurfaceGap, 1e-4, 2.01e-4),
    "corner moved by 1 mm": Row(BALL, raised(1e-3), SurfaceGap, 5e-4, 1.01e-3),
    "corner moved by 10 mm": Row(BALL, raised(1e-2), SurfaceGap, 5e-3, 1.01e-2),
    "a triangle missing": Row(
        plate(20), plate(20)[:401] + plate(20)[402:], SurfaceGap, 5e-3, 2.1e-2
    ),
    "a triangle of 0.1 mm missing": Row(
        plate(20, size=2e-3),
        plate(20, size=2e-3)[:401] + plate(20, size=2e-3)[402:],
        SameSurface,
        2e-5,
        9e-5,
    ),
    "the other diagonal, flat": Row(
        bent(0.0),
        [
            ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0)),
            ((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)),
        ],
        SameSurface,
        0,
        1e-12,
    ),
    "the other diagonal, bent by 10 mm": Row(
        bent(0.01),
        [
            ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.01)),
            ((0.0, 0.0, 0.0), (1.0, 1.0, 0.01), (0.0, 1.0, 0.0)),
        ],
        SurfaceGap,
        3e-3,
        5e-3,
    ),
    "tube of 256 and 300 sides": Row(tube(256), tube(300), SameSurface, 1e-6, 1e-4),
    "tube turned by a side": Row(tube(32), tube(32, 1.0), SameSurface, 0, 1e-12),
    "tube turned by half a side": Row(tube(32), tube(32, 0.5), SurfaceGap, 2.3e-4, 2.5e-4),
    "split into 16, moved by 10 um": Row(
        CUBE, moved(split(CUBE, 2), by(1e-5, 0, 0)), SameSurface, 1e-5, 3e-5
    ),
    "float32 at 1 km": Row(
        moved(BALL, by(*FAR)), as_float32(moved(BALL, by(*FAR))), SameSurface, 1e-6, 6e-5
    ),
    "moved over the wall of a cell": Row(
        BALL, moved(BALL, by(-1e-7, 1e-7, -1e-7)), SameSurface, 1e-7, 2e-7
    ),
}


def verdict_of(row):
    return same_surface(row.a, row.b, TOLERANCE)


def fits(row):
    verdict = verdict_of(row)
    number = (
        verdict.bound
        if isinstance(verdict, SameSurface)
        else verdict.gap
        if isinstance(verdict, SurfaceGap)
        else -1.0
    )
    return (
        isinstance(verdict, row.verdict)
        and row.least <= number * (1 + 1e-12)
        and number <= row.most * (1 + 1e-9)
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_its_verdict(name):
    row = ROWS[name]
    assert fits(row), verdict_of(row)
    assert isinstance(same_surface(row.b, row.a, TOLERANCE), row.verdict)


def test_the_sense_of_rotation_is_counted_and_decides_nothing():
    for other in (inverted(BALL), as_float32(inverted(BALL)), split(inverted(BALL))):
        verdict = same_surface(BALL, other, TOLERANCE)
        assert isinstance(verdict, SameSurface) and verdict.turned == pytest.approx(1.0)
    half = same_surface(CUBE, split(REST) + inverted(LID), TOLERANCE)
    assert isinstance(half, SameSurface) and half.turned == pytest.approx(1.0 / 6.0)
    plain = same_surface(BALL, split(BALL), TOLERANCE)
    assert isinstance(plain, SameSurface) and plain.turned == 0.0
    for gap in (0.0, 1e-9, 3e-7):  # a surface of both windings has that of the other
        both = moved(BALL + inverted(BALL), by(gap, 0.0, 0.0))
        verdict = same_surface(BALL, both, TOLERANCE)
        assert isinstance(verdict, SameSurface) and verdict.turned == 0.0, gap


def test_equal_triangles_and_rounding_need_no_search():
    shuffled = [(b, c, a) for a, b, c in BALL[::-1]] + BALL[:5]
    assert same_surface(BALL, shuffled, TOLERANCE) == SameSurface(0.0)
    for other in (inverted(BALL), moved(BALL, by(-1e-7, 1e-7, -1e-7))):
        verdict = same_surface(BALL, other, TOLERANCE)
        assert isinstance(verdict, SameSurface) and verdict.steps == 0


def test_a_small_part_in_few_digits_needs_no_search():
    part = moved(BALL, lambda p: (0.04 * p[0], 0.04 * p[1], 0.04 * p[2]))
    rounded = moved(part, lambda p: (round(p[0], 5), round(p[1], 5), round(p[2], 5)))
    verdict = same_surface(part, rounded, TOLERANCE)
    assert isinstance(verdict, SameSurface) and verdict.steps == 0
    assert max(distance(p, rounded) for t in part[::9] for p in samples(t)) <= verdict.bound <= 1e-5


def test_what_is_not_proven_is_unknown():
    lifted = split(moved(BALL, by(0, 0, 5e-5)))
    assert same_surface(BALL, lifted, TOLERANCE, 40) == UndecidedSurface(STEPS, 41)
    at_the_edge = same_surface(
        bent(0.0), moved(split(bent(0.0)), by(0, 0, TOLERANCE * (1 - 1e-15))), TOLERANCE
    )
    assert isinstance(at_the_edge, (SameSurface, UndecidedSurface))
    assert same_surface(
        [FLAT], [FLAT, (FLAT[0], FLAT[1], (0.9, 0.9, 2.8))], TOLERANCE
    ) == UndecidedSurface(EMPTY)
    assert (
        same_surface([], [], TOLERANCE)
        == same_surface(CUBE, [], TOLERANCE)
        == UndecidedSurface(EMPTY)
    )


places = st.integers(0, 16**3 - 1)
# So that triangles meet.
points = places.map(lambda k: (k % 16 / 15.0, k // 16 % 16 / 15.0, k // 256 / 15.0))
triangles = st.tuples(points, points, points).filter(lambda t: module._area(t) > 1e-2)
surfaces = st.lists(triangles, min_size=1, max_size=5)


@given(surfaces, st.randoms(use_true_random=False), st.booleans())
def test_the_same_written_otherwise_is_the_same(surface, order, turn):
    other = split(surface) + surface[:1]
    order.shuffle(other)
    verdict = same_surface(surface, inverted(other) if turn else other, TOLERANCE)
    assert isinstance(verdict, SameSurface) and verdict.bound <= TOLERANCE / 30.0
    assert same_surface(surface, surface, TOLERANCE) == SameSurface(0.0)


def farthest(a, b):
    return max(
        distance(point, other)
        for one, other in ((a, b), (b, a))
        for t in one
        for point in samples(t)
    )


@given(surfaces, st.floats(0.0, 2e-4), st.integers(0, 2))
def test_triangles_in_the_same_order_are_bounded_by_their_farthest_corner(surface, gap, axis):
    """The bound is that distance, no search begins, and one corner beyond the tolerance ends this way."""
    shift = [gap * (number == axis) for number in range(3)]
    last = moved(surface[-1:], by(*shift))
    bound = module.largest_corner_gap(surface, [*surface[:-1], *last], TOLERANCE)
    if gap > TOLERANCE + 1e-12:
        assert bound is None
    elif gap < TOLERANCE - 1e-12:
        assert bound == pytest.approx(gap, abs=1e-15)
        verdict = same_surface(surface, [*surface[:-1], *last], TOLERANCE)
        assert (
            verdict == SameSurface(bound)
            and farthest(surface, [*surface[:-1], *last]) <= bound + 1e-15
        )
    assert module.largest_corner_gap(surface, [*surface, *last], TOLERANCE) is None


@given(surfaces, surfaces, st.sampled_from([1e-3, 0.05, 0.3]), st.booleans())
def test_a_bound_holds_and_a_witness_is_one(a, b, tolerance, near):
    if near:
        b = (
            split(
                moved(a, lambda p: (p[0] + tolerance * p[1] / 4, p[1], p[2] - tolerance * p[0] / 4))
            )
            + a[:1]
        )
    verdict, mirrored = same_surface(a, b, tolerance, 1000), same_surface(b, a, tolerance, 1000)
    assert not {type(verdict), type(mirrored)} >= {SameSurface, SurfaceGap}
    if isinstance(verdict, SameSurface):
        assert farthest(a, b) <= verdict.bound + 1e-12 <= tolerance * (1 + 1e-6)
    elif isinstance(verdict, SurfaceGap):
        sides = {"A": (a, b), "B": (b, a)}[verdict.side]
        assert distance(verdict.point, sides[0]) < 1e-9
        assert tolerance <= verdict.gap <= distance(verdict.point, sides[1]) * (1 + 1e-9)
    else:
        assert verdict.why in (STEPS, EDGE)


def one_side(sides, *more):
    return COVERED([sides[0], sides[1]._replace(to_cover=[])], *more)


def halved(witness):
    return lambda point, triangle: 0.5 * witness(point, triangle)


COVERED, PIECES = module._covered, module.pieces_of


def at_the_middle(piece, tree, near, most):
    """A search that asks for the middle of a triangle alone."""
    gap, number = tree.nearest(module.middle_of(piece), near)
    return PIECES(piece, tree, near, most) if number < 0 else module.TriangleMatch([number], 1)


MUTANTS = [  # what is broken, and rows that do not get their verdict then
    ("_covered", one_side, ("hole in A",)),
    ("_outside", lambda *_: None, ()),
    ("_sampled", lambda *_: None, ()),
    ("pairs_in_order", lambda *_: [], ()),
    ("_is_flat", lambda *_: False, ("triangles without area",)),
    ("_is_flat", lambda t, height: module._area(t) < 1e-3, ("inner sliver of 0.5 mm",)),
    ("pieces_of", at_the_middle, ("plate with a hole",)),
    ("_edge_cut", lambda *_: None, ("inside out and split",)),
    ("snap", lambda a, b, step: snap(a, b, 1000.0 * step), ("corner moved by 0.2 mm",)),
    ("triangle_gap", halved(verify_witnesses.triangle_gap), ("lid 0.05 mm higher and split",)),
    (
        "verify_cover",
        lambda *_: 0.0,
        ("lid 0.05 mm higher and split", "half lifted by 1.5 um, half split"),
    ),
    ("oriented", lambda t: tuple(sorted(t)), ()),
]


@pytest.mark.parametrize("name, broken, lost", [row for row in MUTANTS if row[2]])
def test_a_mutant_is_seen(name, broken, lost, monkeypatch):
    monkeypatch.setattr(module, name, broken)
    for row in lost:
        assert not fits(ROWS[row]), row


def test_what_a_conversion_keeps_in_order_is_paired_without_a_grid():
    """It rounds, leaves out three triangles one after the other, and adds one."""
    b = moved(BALL, lambda p: tuple(round(number, 5) for number in p))
    del b[20:23]
    b.insert(50, FLAT)
    kept = [*range(20), *range(23, len(BALL))]
    wanted = [(number, k + (k >= 50), False) for k, number in enumerate(kept)]
    assert pairs_in_order(BALL, b, TOLERANCE) == wanted


def test_what_only_proposes_changes_no_verdict(monkeypatch):
    """Without samples, boxes and equal triangles the search takes longer, and finds the same."""
    names = (
        "bracket mirrored",
        "corner moved by 0.2 mm",
        "lid 0.05 mm higher and split",
        "inside out and split",
    )
    kinds = [type(verdict_of(ROWS[name])) for name in names]
    for name, broken, _ in [row for row in MUTANTS if not row[2]]:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, broken)
            assert [type(verdict_of(ROWS[row])) for row in names] == kinds, name


def test_a_search_that_lies_proves_nothing(monkeypatch):
    """The verdict "same" is given only where the checker agrees with the witnesses."""
    row = ROWS["lid 0.05 mm higher and split"]
    for tree in ([], [0], [-1], [10**6], [0, 0], [verify_witnesses.cut_at(0, 0.5), 0]):
        monkeypatch.setattr(
            module, "pieces_of", lambda *_, tree=tree: module.TriangleMatch(tree, 1)
        )
        assert verdict_of(row) == UndecidedSurface(module.WITNESSES, verdict_of(row).steps), tree
