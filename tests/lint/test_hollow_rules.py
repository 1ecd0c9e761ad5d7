"""Hollows that hulls of collision meshes fill: by hand, and by brute force of any bodies; mutants of the rule."""

import math
import random
from unittest import mock

import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st
from mesh_files import binary_stl
from surfaces import (
    as_float32,
    ball,
    box,
    bracket,
    by,
    distance,
    inverted,
    moved,
    split,
    tube,
)

from urdf_tools.lint import overlap_rules
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.overlap_rules import find_hollow
from urdf_tools.meshes.convex_hull import convex_hull
from urdf_tools.meshes.mesh_volume import TriangleColumns

CUBE = box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
CLAMP = CUBE + moved(CUBE, by(0.3, 0.0, 0.0))
TEXT = (
    '<robot name="r"><link name="a"><{0}><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><geometry><mesh '
    'filename="m.stl" scale="{1}"/></geometry></{0}></link></robot>'
)


def notes(folder, surface, scale="1 1 1", role="collision"):
    (folder / "m.stl").write_bytes(binary_stl(surface))
    findings = examine(TEXT.format(role, scale).encode(), str(folder / "r.urdf"), ()).findings
    return [finding.diagnostic for finding in findings if finding.kind.name == "hull-overhang"]


ROWS = (
    # the sentence, depth and share by hand [mm, %], and the number of parts
    ("two cubes 0.2 m apart", CLAMP, "parts", (100.0, 50.0), 2),
    ("an L", bracket(), "whole", (400.0, 47.06), 1),
    ("an L of small triangles", split(bracket(), 2), "whole", (400.0, 47.06), 1),
    ("an L that is inside out", inverted(bracket()), "whole", (400.0, 47.06), 1),
    ("a cube", CUBE, "", (), 0),
    ("a ball", ball(12, 16, 0.2), "", (), 0),
    ("a tube", tube(20), "", (), 0),
    ("an open L", bracket()[1:], "", (), 0),
    ("nothing", [], "", (), 0),
    ("a sheet", bracket()[:2], "", (), 0),
    (
        "a cavity",
        moved(CUBE, lambda p: (5 * p[0], 5 * p[1], 5 * p[2]))
        + inverted(
            moved(moved(CUBE, lambda p: (4 * p[0], 4 * p[1], 4 * p[2])), by(0.05, 0.05, 0.05))
        ),
        "",
        (),
        0,
    ),
)


@pytest.mark.parametrize(
    "what, surface, sentence, numbers, parts", ROWS, ids=[row[0] for row in ROWS]
)
def test_rows(
    what,
    surface,
    sentence,
    numbers,
    parts,
    tmp_path,
):
    """Depth is a lower bound, and near: bound and value are within 1 mm, or 40 halvings were not enough."""
    found = notes(tmp_path, surface)
    assert [note.sentence for note in found] == [sentence] * bool(sentence)
    if found:
        depth, share, *_, count = found[0].numbers
        assert 0.9 * numbers[0] <= depth <= numbers[0] + 1e-3 and share == pytest.approx(
            numbers[1], abs=0.01
        )
        assert count == parts


def test_the_point_is_in_the_link_and_the_scale_counts(tmp_path):
    """Turned by a right angle about z: the middle of the clamp at x = 0.2 m is at y, and its y is at -x."""
    (note,) = notes(tmp_path, CLAMP, "2 1 1")
    assert note.names == ("a", "m.stl") and note.numbers[3] == pytest.approx(0.4, abs=0.02)
    assert note.numbers[0] == pytest.approx(200.0, abs=20.0) and 0.89 <= note.numbers[2] <= 1.0
    assert notes(tmp_path, CLAMP, "-1 1 1") and not notes(tmp_path, CLAMP, "0.1 0.1 0.1")
    assert not notes(tmp_path, CLAMP, "1 0 1") and not notes(tmp_path, CLAMP, role="visual")
    with mock.patch.object(overlap_rules, "LARGEST", 100):
        assert not notes(tmp_path, CLAMP)


def boxes(seed):
    generator = random.Random(seed)
    return [
        as_float32(
            moved(
                split(
                    box(
                        (0.0, 0.0, 0.0),
                        (generator.uniform(0.1, 0.6), generator.uniform(0.1, 0.6), 0.3),
                    )
                ),
                by(generator.uniform(0.0, 1.0), generator.uniform(0.0, 1.0), 0.4 * k),
            )
        )
        for k in range(3)
    ]


def faults(folder, seed):
    """Return what is wrong of the hollow of three boxes above each other, by brute force."""
    bodies = boxes(seed)
    surface = [triangle for body in bodies for triangle in body]
    (folder / "m.stl").write_bytes(binary_stl(surface))
    hollow = find_hollow(str(folder / "m.stl"), (1.0, 1.0, 1.0))
    return wrong(hollow, surface, bodies) if hollow else []


def wrong(hollow, surface, bodies):
    points = {corner for triangle in surface for corner in triangle}
    inside = any(
        all(
            min(column) < value < max(column)
            for value, column in zip(
                hollow.point, zip(*(corner for triangle in body for corner in triangle))
            )
        )
        for body in bodies
    )
    x, y, z = hollow.point
    hull = convex_hull(points | {(x, y, z)})
    alone = convex_hull(points)
    assert hull is not None and alone is not None
    facets = [(alone.corners[a], alone.corners[b], alone.corners[c]) for a, b, c in alone.triangles]
    # Rounding of a middle.
    off = distance(hollow.point, facets) if hollow.point in hull.corners else 0.0
    return [
        name
        for name, is_wrong in (
            ("inside", inside),
            ("nearer", distance(hollow.point, surface) < hollow.depth - 1e-12),
            ("out of the hull", off > 1e-9),
            ("parts", hollow.parts not in (1, 3)),
        )
        if is_wrong
    ]


@examples(fuzzed=250)
@given(SEEDS, st.sampled_from((6, 12, 150)))
def test_what_is_claimed_holds(tmp_path_factory, seed, points):
    """Also with a hull of few points, which cuts through the bodies."""
    with mock.patch.multiple(overlap_rules, POINTS=points, PART=0.01):
        assert faults(tmp_path_factory.mktemp("boxes"), seed) == []


MUTANTS = (
    (
        "the nearest corner alone",
        overlap_rules,
        "TriangleTree",
        lambda drawn: mock.Mock(
            nearest=lambda point, good: (
                min(math.dist(point, corner) for triangle in drawn for corner in triangle),
                0,
            )
        ),
    ),
    (
        "a point beside the hull",
        overlap_rules,
        "farthest",
        lambda *_: hollow_rules_farthest(*_)._replace(point=(5.0, 5.0, 5.0)),
    ),
)
hollow_rules_farthest = overlap_rules.farthest


@pytest.mark.parametrize("what, module, name, mutant", MUTANTS, ids=[row[0] for row in MUTANTS])
def test_brute_force_finds_each_mutant(what, module, name, mutant, tmp_path):
    with mock.patch.object(module, name, mutant), mock.patch.multiple(
        overlap_rules, POINTS=6, PART=0.01
    ):
        assert any(faults(tmp_path, seed) for seed in range(30))


def test_a_point_in_the_mesh_is_not_outside():
    """A hull of few points cuts through bodies, so places on it may be in them."""
    points = [point for triangle in CUBE for point in triangle]
    triangles = [(k, k + 1, k + 2) for k in range(0, len(points), 3)]

    def gaps():
        gap = overlap_rules._outside(points, triangles, 0.02)
        return [gap((x, 0.043, 0.051)) for x in (0.04, 0.3, 0.11)]

    assert gaps() == pytest.approx([0.0, 0.2, 0.01])
    with mock.patch.object(TriangleColumns, "winding", lambda *_: 0):
        assert gaps()[0] > 0.03


def test_openness_and_parts_are_not_ignored(tmp_path):
    with mock.patch.object(overlap_rules, "open_edges", lambda _: 0):
        assert notes(tmp_path, bracket()[1:])
    beside = bracket() + moved(CUBE, by(0.0, 0.0, 1.2))
    # The hull of the L holds the place.
    assert [note.numbers[5] for note in notes(tmp_path, beside)] == [1]
    with mock.patch.object(
        overlap_rules, "convex_hull", lambda points: convex_hull(list(points)[-9:])
    ):
        assert [note.numbers[5] for note in notes(tmp_path, beside)] != [1]
