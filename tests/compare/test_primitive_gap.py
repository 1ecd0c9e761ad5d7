"""How far apart primitives are: rows of reported pairs, and the same set written otherwise."""

from itertools import permutations, product as choices
from math import degrees, pi, radians

import pytest
from hypothesis import given, strategies as st

from urdf_tools.compare import placed_shapes as module
from urdf_tools.compare.placed_shapes import (
    primitive_gap,
    size_gap,
    PlacedPrimitive,
    solids,
    turn_angle,
)
from urdf_tools.robot.raw_robot import RawShape
from urdf_tools.urdf.spatial_math import IDENTITY_POSE, Transform, ZERO
from urdf_tools.verify.rigid_motion import (
    axis_rotation,
    composed,
    product,
    rpy_rotation,
)

CUBE, BAR, BOX = (0.2, 0.2, 0.2), (0.3, 0.05, 0.05), (0.3, 0.2, 0.05)


def solid(kind, sizes, rpy=ZERO, xyz=ZERO):
    return PlacedPrimitive(kind, sizes, Transform(rpy_rotation(*rpy), xyz))


ROWS = [  # gap [mm], and the angle to print [degrees]
    ("a cube", solid("box", CUBE), solid("box", CUBE, (0.5, 0.6, 0.785)), 73.1843, 55.935),
    ("a square bar", solid("box", BAR), solid("box", BAR, (radians(74.5), 0, 0)), 5.7717, 15.5),
    ("a box", solid("box", BOX), solid("box", BOX, (0, 0, radians(74.5))), 71.2684, 74.5),
    ("1 2 3 and 3 2 1", solid("box", (1, 2, 3)), solid("box", (3, 2, 1)), 1000.0, 90.0),
    ("a square bar turned by 90", solid("box", BAR), solid("box", BAR, (pi / 2, 0, 0)), 0.0, 0.0),
    (
        "sides that differ by 1e-9",
        solid("box", (0.3, 0.05, 0.05 + 1e-9)),
        solid("box", (0.3, 0.05, 0.05 + 1e-9), (pi / 2, 0, 0)),
        5e-7,
        0.0,
    ),
    (
        "sides that differ by 1e-3",
        solid("box", (0.3, 0.05, 0.051)),
        solid("box", (0.3, 0.05, 0.051), (pi / 2, 0, 0)),
        0.5,
        90.0,
    ),
    ("other sizes", solid("box", BOX), solid("box", CUBE), 75.0, None),
    (
        "a spheroid that spins",
        solid("ellipsoid", BAR),
        solid("ellipsoid", BAR, (0.7, 0, 0)),
        0.0,
        0.0,
    ),
    (
        "a spheroid that tilts",
        solid("ellipsoid", BAR),
        solid("ellipsoid", BAR, (0, 0, 0.7)),
        227.7653,
        degrees(0.7),
    ),
    (
        "a cylinder that spins and is turned over",
        solid("cylinder", (0.1, 0.4)),
        solid("cylinder", (0.1, 0.4), (pi, 0, 1)),
        0.0,
        0.0,
    ),
    (
        "a cylinder that tilts",
        solid("cylinder", (0.1, 0.4)),
        solid("cylinder", (0.1, 0.4), (0.2, 0, 0)),
        44.6473,
        degrees(0.2),
    ),
    (
        "a capsule that tilts",
        solid("capsule", (0.1, 0.4)),
        solid("capsule", (0.1, 0.4), (0.2, 0, 0)),
        39.9334,
        degrees(0.2),
    ),
    ("a plane turned over", solid("plane", ()), solid("plane", (), (pi, 0, 0)), 2000.0, 180.0),
    (
        "a plane along itself",
        solid("plane", ()),
        solid("plane", (), (0, 0, 1), (3, 4, 0)),
        0.0,
        0.0,
    ),
    ("a plane 1 mm higher", solid("plane", ()), solid("plane", (), ZERO, (0, 0, 1e-3)), 1.0, 0.0),
    (
        "a larger sphere elsewhere",
        solid("sphere", (0.1,)),
        solid("sphere", (0.2,), ZERO, (0.3, 0, 0)),
        400.0,
        0.0,
    ),
]


@pytest.mark.parametrize("name, a, b, gap, angle", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_has_its_gap_and_its_angle(name, a, b, gap, angle):
    assert 1e3 * primitive_gap(a, b) == pytest.approx(gap, rel=1e-5, abs=1e-11), name
    printed = turn_angle(a, b, 1e-4)
    assert (
        printed is None
        and angle is None
        or printed is not None
        and degrees(printed) == pytest.approx(angle, abs=1e-4)
    )


def test_across_kinds_the_wider_one_counts():
    ball = RawShape("visual", "sphere", (0.1,))
    for other in (
        RawShape("visual", "ellipsoid", (0.1,) * 3),
        RawShape("visual", "capsule", (0.1, 0.0)),
        ball,
    ):
        for a, b in ((ball, other), (other, ball)):
            pair = solids(a, IDENTITY_POSE, b, IDENTITY_POSE)
            assert pair is not None and primitive_gap(*pair) == 0.0
    point = solids(
        RawShape("visual", "ellipsoid", (0.1,) * 3),
        IDENTITY_POSE,
        RawShape("visual", "capsule", (0.1, 0.0)),
        IDENTITY_POSE,
    )
    assert point is not None and primitive_gap(*point) == 0.0
    longer = solids(ball, IDENTITY_POSE, RawShape("visual", "capsule", (0.1, 0.01)), IDENTITY_POSE)
    assert longer is not None and primitive_gap(*longer) == 0.005
    for kind, sizes in (
        ("box", CUBE),
        ("cylinder", (0.1, 0.2)),
        ("plane", ()),
        ("mesh", (1.0, 1.0, 1.0)),
    ):
        assert solids(ball, IDENTITY_POSE, RawShape("visual", kind, sizes), IDENTITY_POSE) is None


lengths = st.sampled_from([0.01, 0.05, 0.2, 1.0])
angles = st.floats(-pi, pi)
near = st.floats(-1.0, 1.0)
poses = st.builds(
    lambda a, b, c, x, y, z: Transform(rpy_rotation(a, b, c), (x, y, z)),
    angles,
    angles,
    angles,
    near,
    near,
    near,
)
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "plane": 0}
all_solids = st.sampled_from(sorted(SIZES)).flatmap(
    lambda kind: st.builds(
        lambda sizes, T: PlacedPrimitive(kind, tuple(sizes), T),
        st.lists(lengths, min_size=SIZES[kind], max_size=SIZES[kind]),
        poses,
    )
)


def written_otherwise(one):
    """Yield the same set with other numbers: sides in another order, spun and turned over."""
    for order in permutations(range(3)) if one.kind in ("box", "ellipsoid") else ():
        for x, y in choices((1.0, -1.0), repeat=2):
            columns = [[0.0] * 3 for _ in range(3)]
            even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
            for k, sign in zip(range(3), (x, y, x * y * (1.0 if even else -1.0))):
                columns[order[k]][k] = sign
            R = tuple(map(tuple, columns))
            yield PlacedPrimitive(
                one.kind, tuple(one.sizes[k] for k in order), composed(one.T, Transform(R, ZERO))
            )
    for angle in (0.3, 2.0):
        spin = axis_rotation((0.0, 0.0, 1.0), angle)
        if one.kind in ("cylinder", "capsule", "plane"):
            yield PlacedPrimitive(one.kind, one.sizes, composed(one.T, Transform(spin, ZERO)))
        if one.kind in ("cylinder", "capsule"):
            over = product(spin, axis_rotation((1.0, 0.0, 0.0), pi))
            yield PlacedPrimitive(one.kind, one.sizes, composed(one.T, Transform(over, ZERO)))
    if one.kind == "sphere":
        yield PlacedPrimitive(
            one.kind, one.sizes, composed(one.T, Transform(rpy_rotation(1, 2, 3), ZERO))
        )


@given(all_solids)
def test_the_same_set_has_no_gap_and_no_angle(one):
    for other in written_otherwise(one):
        assert primitive_gap(one, other) < 1e-14 and size_gap(one, other) == 0.0
        assert (turn_angle(one, other, 1e-9) or 0.0) < 1e-7


MUTANTS = [
    ("dist", lambda p, q: 0.0, "a cylinder that tilts"),
    ("corners_of", lambda box: [box.T.translation], "a cube"),
    ("permutations", lambda numbers: [(0, 1, 2)], "a square bar"),
    ("angle_of_lines", lambda u, v, directed=False: 0.0, "a capsule that tilts"),
]


@pytest.mark.parametrize("name, broken, row", MUTANTS)
def test_a_mutant_is_seen(name, broken, row, monkeypatch):
    monkeypatch.setattr(module, name, broken)
    with pytest.raises(AssertionError):
        test_a_row_has_its_gap_and_its_angle(*next(one for one in ROWS if one[0] == row))
