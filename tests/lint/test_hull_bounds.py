"""The bounds of masses by the points of meshes: real mass never exceeds them, and what only a box allows is found."""

import math
import random
from unittest import mock

import pytest
from conftest import examples, SEEDS
from hypothesis import given
from mesh_files import binary_stl
from surfaces import as_float32, by, moved, turned

from urdf_tools.lint import mass_rules
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.mass_rules import OSMIUM
from urdf_tools.urdf.spatial_math import (
    matrix_from_rpy,
    merge_mass,
    MassProperties,
    move,
    Transform,
    ZERO_INERTIA,
)

MASS = (
    '<inertial><origin xyz="{!r} {!r} {!r}"/><mass value="{!r}"/><inertia ixx="{!r}" ixy="{!r}" ixz="{!r}" '
    'iyy="{!r}" iyz="{!r}" izz="{!r}"/></inertial>'
)
VISUAL = '<visual><origin xyz="{}" rpy="{}"/><geometry><mesh filename="m.stl" scale="{}"/></geometry></visual>'
ZERO, X, Y, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def corner(a, b, c, d):
    return [(a, c, b), (a, b, d), (a, d, c), (b, c, d)]


CORNER = corner(ZERO, X, Y, Z)
PLACED = ("0.1 -0.2 0.3", "0.3 -0.5 0.7", "1 -2 3")
T_LINK_MESH = Transform(matrix_from_rpy((0.3, -0.5, 0.7)), (0.1, -0.2, 0.3))


def inertial(properties):
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
    return MASS.format(*properties.center, properties.mass, xx, xy, xz, yy, yz, zz)


def found(folder, surface, properties, placed=PLACED):
    """Return the findings about masses of a link that is drawn by a mesh."""
    (folder / "m.stl").write_bytes(binary_stl(surface))
    text = f'<robot name="r"><link name="a">{inertial(properties)}{VISUAL.format(*placed)}</link></robot>'
    kinds = ("inertia-outside", "inertia-unit", "center-outside", "too-dense", "mass-unit")
    return [
        finding.kind.name
        for finding in examine(text.encode(), str(folder / "r.urdf"), ()).findings
        if finding.kind.name in kinds
    ]


def in_link(point):
    x, y, z = point
    return move(T_LINK_MESH, (x, -2.0 * y, 3.0 * z))


def particles(surface, seed):
    """Return the mass of particles of a gram at corners of a mesh that is placed, and between them."""
    generator = random.Random(seed)
    corners = [corner for triangle in surface for corner in triangle]
    points = [generator.choice(corners) for _ in range(generator.randint(2, 5))]
    for _ in range(generator.randint(0, 3)):
        (a, b, c), (d, e, f), part = (
            generator.choice(corners),
            generator.choice(corners),
            generator.random(),
        )
        points.append((a + part * (d - a), b + part * (e - b), c + part * (f - c)))
    return merge_mass(MassProperties(1e-3, in_link(point), ZERO_INERTIA) for point in points)


def without_slack(**others):
    """Return the patch by which shapes are not enlarged, and the points of all meshes are looked at."""
    return mock.patch.multiple(mass_rules, BESIDE=0.0, SUSPICIOUS=0.0, **others)


@examples(fuzzed=400)
@given(SEEDS)
def test_real_mass_inside_of_a_hull_raises_nothing(tmp_path_factory, seed):
    """With no slack: two particles at the ends of a mesh have exactly the most, so rounding must be on their side."""
    generator = random.Random(seed)
    cloud = [
        [tuple(generator.uniform(-1.0, 1.0) for _ in range(3)) for _ in range(3)]
        for _ in range(generator.randint(2, 6))
    ]
    surface = as_float32(moved(cloud, by(*generator.choice(((0.0, 0.0, 0.0), (100.0, 0.0, 0.0))))))
    with without_slack():
        assert not found(tmp_path_factory.mktemp("cloud"), surface, particles(surface, seed))


def dumbbell(half):
    """Return two particles along the diagonal of a thin rod, whose box is a cube, and square to it."""
    side = math.sqrt(0.5)
    return merge_mass(
        MassProperties(1.0, (end * side, -end * side, 0.0), ZERO_INERTIA) for end in (half, -half)
    )


ROD = corner((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), (0.5, 0.49, 0.5), (0.5, 0.5, 0.49))
PLAIN = ("0 0 0", "0 0 0", "1 1 1")


@pytest.mark.parametrize(
    "half, kinds", [(0.2, []), (0.24, []), (0.26, ["inertia-outside"]), (0.5, ["inertia-outside"])]
)
def test_what_only_the_box_allows_is_found(half, kinds, tmp_path):
    """Beside a rod along the diagonal of a cube there is room for a quarter of its side."""
    with mock.patch.object(mass_rules, "SUSPICIOUS", 0.0):
        assert found(tmp_path, ROD, dumbbell(half), PLAIN) == kinds
        with mock.patch.object(mass_rules, "with_points", lambda supports, _: supports):
            assert found(tmp_path, ROD, dumbbell(half), PLAIN) == []
    # Far from what the box allows, so it is not looked at.
    assert found(tmp_path, ROD, dumbbell(0.5), PLAIN) == []


@pytest.mark.parametrize(
    "part, kinds",
    [
        (0.5, []),
        (0.999, []),
        (1.001, ["too-dense"]),
        (2.0, ["too-dense"]),
        (5.0, ["mass-unit"]),
        (6.5, ["mass-unit"]),
    ],
)
def test_a_mass_is_compared_with_osmium_in_the_hull(part, kinds, tmp_path):
    """The hull of a corner of a box is a sixth of it; here with a pose and the scale 1 -2 3, so of 1 m^3."""
    mass = part * OSMIUM
    tensor = ((0.1 * mass, 0.0, 0.0), (0.0, 0.1 * mass, 0.0), (0.0, 0.0, 0.1 * mass))
    properties = MassProperties(mass, in_link((0.25, 0.25, 0.25)), tensor)
    # The box of the turned mesh is 30 times as large.
    with mock.patch.object(mass_rules, "SUSPICIOUS", 0.01):
        assert found(tmp_path, CORNER, properties) == kinds


MUTANTS = (
    (
        "a bound that is too small by a millionth",
        mass_rules,
        "interval",
        lambda supports, n: tuple(0.999999 * end for end in real_interval(supports, n)),
    ),
    ("no room for rounding", mass_rules, "ROUNDING", lambda: None),
    (
        "the scale forgotten",
        mass_rules,
        "with_points",
        lambda supports, meshes: [
            support._replace(around=tuple((x, y, z / 3.0) for x, y, z in support.around))
            for support in real_points(supports, meshes)
        ],
    ),
    (
        "the pose forgotten",
        mass_rules,
        "with_points",
        lambda supports, meshes: [
            support._replace(pose=Transform(support.pose.rotation, (0.0, 0.0, 0.0)))
            for support in real_points(supports, meshes)
        ],
    ),
)
real_interval, real_points = mass_rules.interval, mass_rules.with_points


@pytest.mark.parametrize("what, module, name, mutant", MUTANTS, ids=[row[0] for row in MUTANTS])
def test_the_law_finds_each_mutant(what, module, name, mutant, tmp_path):
    wrong = 0
    for seed in range(40):
        generator = random.Random(seed)
        surface = as_float32(moved(CORNER, turned(generator.random())))
        mass = particles(surface, seed)
        with without_slack(**{name: -1e-15 if name == "ROUNDING" else mutant}):
            wrong += bool(found(tmp_path, surface, mass))
    assert wrong


def test_a_sheet_and_what_cannot_be_read_are_not_compared(tmp_path):
    heavy = MassProperties(
        5e3, (0.2, 0.2, 0.1), ((5e2, 0.0, 0.0), (0.0, 5e2, 0.0), (0.0, 0.0, 5e2))
    )
    sheet = moved(CORNER, lambda point: (point[0], point[1], 1e-5 * point[2]))
    tilted = moved(sheet, turned(0.5))
    for surface in (sheet, tilted, CORNER[:1]):
        assert found(tmp_path, surface, heavy, PLAIN) == []
    with mock.patch("urdf_tools.lint.opened_meshes.LARGEST_READ", 0), mock.patch.object(
        mass_rules, "SUSPICIOUS", 0.0
    ):
        assert found(tmp_path, ROD, dumbbell(0.5), PLAIN) == []
