"""Masses of USD that body, collisions and materials give together: figures counted by hand, as usd-core has them.

`tests/judges/test_usd_masses.py` asks usd-core of random stages.
"""

import pytest
from usd_texts import MASS, read, robot

# A cube of 1 m, 2 m above the frame of its body: 1 m^3, moments of a sixth of its mass.
COLLIDES = ("PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI")
PLACE = """double3 xformOp:translate = (0, 0, 2)
uniform token[] xformOpOrder = ["xformOp:translate"]"""
MATERIALS = """
def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
float physics:density = 8
}
def Material "wood" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
float physics:density = 0.5
}
def Material "paint" {
float physics:density = 90
}
"""


def arm(body="", shape="", around="", schemas=COLLIDES, place=""):
    """Return what is read of a body with a cube, given what body, cube and the Xform around it say."""
    listed = ", ".join(f'"{schema}"' for schema in schemas)
    cube = (
        f'def Cube "s" (prepend apiSchemas = [{listed}]) {{\ndouble size = 1\n{PLACE}\n{shape}\n}}'
    )
    group = f'def Xform "g" {{\n{around}\ndef Xform "h" {{\n{cube}\n}}\n}}\n'
    text = robot(more=group, **({"place": place} if place else {}))
    text = text.replace(MASS.format(2), f"\n{body}")
    return read(text.replace('def Xform "robot" ()\n{', 'def Xform "robot" ()\n{' + MATERIALS))


def mass_of(*given, **others):
    """Return mass, center and moments of the arm, whose tensor is diagonal."""
    mass = arm(*given, **others).links[1].mass
    xx, xy, xz, yy, yz, zz = mass.tensor
    assert (xy, xz, yz) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    return mass.mass, mass.center, (xx, yy, zz)


def near(mass, center, moments):
    """Return these figures as a test compares them: what is written in the file is a float32."""
    return tuple(pytest.approx(value, rel=1e-6, abs=1e-6) for value in (mass, center, moments))


CENTER, MOMENTS = "point3f physics:centerOfMass = {}", "float3 physics:diagonalInertia = {}"
QUARTER = "quatf physics:principalAxes = (0.70710678, 0.70710678, 0, 0)"  # about x: y and z change
KILOGRAMS = "float physics:mass = 3"
FIGURES = {  # what the body and its cube say; mass, center and moments
    "nothing": ("", "", (1000, (0, 0, 2), (1000 / 6,) * 3)),
    "the body's mass": (KILOGRAMS, "", (3, (0, 0, 2), (0.5, 0.5, 0.5))),
    "the body's mass and center": (
        [KILOGRAMS, CENTER.format("(0, 0, 0)")],
        "",
        (3, (0, 0, 0), (0.5 + 3 * 4, 0.5 + 3 * 4, 0.5)),
    ),
    "the body's center": (
        CENTER.format("(0, 1, 2)"),
        "",
        (1000, (0, 1, 2), (1000 / 6 + 1000, 1000 / 6, 1000 / 6 + 1000)),
    ),
    "the body's moments": (
        [KILOGRAMS, MOMENTS.format("(1, 2, 3)"), QUARTER],
        "",
        (3, (0, 0, 2), (1, 3, 2)),
    ),
    "a mass of zero, and a center of infinity": (
        ["float physics:mass = 0", CENTER.format("(-inf, -inf, -inf)")],
        "",
        (1000, (0, 0, 2), (1000 / 6,) * 3),
    ),
    "the cube's mass": ("", KILOGRAMS, (3, (0, 0, 2), (0.5, 0.5, 0.5))),
    "the cube's mass and center": (
        "",
        [KILOGRAMS, CENTER.format("(0, 0, 1)")],
        (3, (0, 0, 3), (3.5, 3.5, 0.5)),
    ),
    "the cube's moments": (
        "",
        [KILOGRAMS, MOMENTS.format("(1, 2, 3)"), QUARTER, CENTER.format("(0, 0, 1)")],
        (3, (0, 0, 3), (1, 3, 2)),
    ),
    "the cube's density before the body's": (
        "float physics:density = 5",
        "float physics:density = 6",
        (6, (0, 0, 2), (1, 1, 1)),
    ),
    "the body's density before a material's": (
        "float physics:density = 6",
        "rel material:binding:physics = </robot/steel>",
        (6, (0, 0, 2), (1, 1, 1)),
    ),
    "the cube's mass in a body of another": (
        "float physics:mass = 6",
        KILOGRAMS,
        (6, (0, 0, 2), (1, 1, 1)),
    ),
}


def joined(words):
    return words if isinstance(words, str) else "\n".join(words)


@pytest.mark.parametrize("row", FIGURES.values(), ids=FIGURES)
def test_what_is_not_given_is_that_of_the_shapes(row):
    body, shape, figures = row
    assert mass_of(joined(body), joined(shape)) == near(*figures)


def test_axes_without_moments_turn_the_tensor_of_a_shape():
    """A box of 1 x 2 x 3: its moments along y and z change places."""
    cube = f"""def Cube "s" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
        double size = 1
        float physics:mass = 12
        float3 xformOp:scale = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:scale"]
        {QUARTER}
    }}"""
    mass = read(robot(more=cube).replace(MASS.format(2), "")).links[1].mass
    assert mass.tensor == pytest.approx((13, 0, 0, 5, 0, 10), abs=1e-5)


def test_centers_are_scaled_as_their_prims_are():
    """Body and cube are twice as large: 8 m^3, 4 m above, moments of m s^2 / 6 of a side of 2."""
    place = "float3 xformOp:scale = (2, 2, 2)"
    assert mass_of(KILOGRAMS, place=place) == near(3, (0, 0, 4), (2, 2, 2))
    center = CENTER.format("(0, 0, 1)")
    moments = (2 + 3 * 4, 2 + 3 * 4, 2)
    assert mass_of(f"{KILOGRAMS}\n{center}", place=place) == near(3, (0, 0, 2), moments)
    assert mass_of("", f"{KILOGRAMS}\n{center}", place=place) == near(3, (0, 0, 6), moments)


BOUND = {  # what the cube binds, and what the Xform around: the mass of its cubic meter
    "for physics": ("rel material:binding:physics = </robot/steel>", "", 8),
    "for all purposes": ("rel material:binding = </robot/steel>", "", 8),
    "above": ("", "rel material:binding = </robot/steel>", 8),
    "nearer": (
        "rel material:binding = </robot/wood>",
        "rel material:binding = </robot/steel>",
        0.5,
    ),
    "stronger above": (
        "rel material:binding = </robot/wood>",
        'rel material:binding = </robot/steel> (bindMaterialAs = "strongerThanDescendants")',
        8,
    ),
    "for physics above": (
        "rel material:binding = </robot/wood>",
        "rel material:binding:physics = </robot/steel>",
        8,
    ),
    "for physics to none": (
        "rel material:binding:physics = []\nrel material:binding = </robot/wood>",
        "",
        0.5,
    ),
    "for physics to one that is not there": (
        "rel material:binding:physics = </robot/gone>\nrel material:binding = </robot/wood>",
        "",
        1000,
    ),
    "to one of no physics": (
        "rel material:binding:physics = </robot/paint>\nrel material:binding = </robot/wood>",
        "",
        1000,
    ),
}


@pytest.mark.parametrize("row", BOUND.values(), ids=BOUND)
def test_a_density_is_that_of_the_material_that_is_bound(row):
    shape, around, kilograms = row
    assert mass_of("", shape, around)[0] == pytest.approx(kilograms)


def test_what_a_shape_says_without_the_schema_is_nothing():
    assert mass_of("", KILOGRAMS, schemas=("PhysicsCollisionAPI",))[0] == pytest.approx(1000)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (QUARTER, "</robot/arm> has principalAxes without a diagonalInertia"),
        (MOMENTS.format("(1, 2, 3)"), "</robot/arm> has a diagonalInertia without principalAxes"),
    ],
)
def test_moments_and_axes_alone_are_noted(body, words):
    assert any(note.startswith(words) for note in arm(body).notes)
    both = arm(f"{MOMENTS.format('(1, 2, 3)')}\n{QUARTER}")
    assert not any("without" in note for note in both.notes)
