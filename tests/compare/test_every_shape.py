"""Shapes of every geometry, role and number on both sides: each comparison ends with a verdict, in both directions."""

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st
from mesh_files import binary_stl
from surfaces import as_float32, bracket

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.robot.raw_robot import RawLink, RawMass, RawRobot, RawShape
from urdf_tools.urdf.spatial_math import IDENTITY, Transform

UNIT = RawMass(1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
SIZES = {
    "box": (0.1, 0.2, 0.3),
    "sphere": (0.1,),
    "cylinder": (0.1, 0.4),
    "capsule": (0.1, 0.4),
    "ellipsoid": (0.1, 0.2, 0.3),
    "plane": (),
    "mesh": (1.0, 1.0, 1.0),
}
PAIRS = list(product(SIZES, SIZES))
RED = (1.0, 0.0, 0.0, 1.0)


@pytest.fixture(scope="session")
def stl(tmp_path_factory):
    path = tmp_path_factory.mktemp("every_shape") / "part.stl"
    path.write_bytes(binary_stl(as_float32(bracket())))
    return str(path)


def shape_of(kind, role, place, stl, *, red, found):
    """Return a shape; shapes of other places are apart."""
    file = "part.stl" if kind == "mesh" else ""
    return RawShape(
        role,
        kind,
        SIZES[kind],
        Transform(IDENTITY, (0.0, 0.0, float(place))),
        file=file,
        path=stl if file and found else "",
        color=RED if red and role == "visual" else None,
    )


def robot_of(shapes):
    return RawRobot("urdf", "r", (RawLink("a", UNIT, tuple(shapes)),))


@pytest.mark.parametrize("first, second", PAIRS, ids=lambda kind: kind)
@pytest.mark.parametrize("role", ["visual", "collision"])
def test_a_shape_and_another_kind_of_shape_differ(first, second, role, stl):
    for red, other_red in product((False, True), repeat=2):
        a = robot_of([shape_of(first, role, 0, stl, red=red, found=True)])
        b = robot_of([shape_of(second, role, 0, stl, red=other_red, found=True)])
        found = compare(a, b)
        links = {difference.where for difference in found.differences}
        is_same = first == second and (role == "collision" or red == other_red)
        assert found.verdict == ("same" if is_same else "limits")
        assert links == (set() if is_same else {"a"})


KIND = st.tuples(
    st.sampled_from(sorted(SIZES)),
    st.sampled_from(["visual", "collision"]),
    st.integers(0, 1),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(KIND, max_size=4), st.lists(KIND, max_size=4))
def test_any_shapes_of_two_links_have_a_verdict_that_is_the_same_both_ways(stl, first, second):
    a, b = (
        robot_of(
            [
                shape_of(kind, role, place, stl, red=red, found=found)
                for kind, role, place, red, found in side
            ]
        )
        for side in (first, second)
    )
    there, back = compare(a, b), compare(b, a)
    assert there.verdict == back.verdict
    # A mesh that is not there is one file for both.
    assert compare(a, a).verdict == "same"
    solids = [
        sorted(
            (shape.role, shape.geometry, shape.T_link_shape.translation)
            for shape in robot.links[0].shapes
        )
        for robot in (a, b)
    ]
    assert (
        solids[0] == solids[1]
        or not there.is_same
        or any(
            shape.geometry == "mesh" and not shape.path
            for robot in (a, b)
            for shape in robot.links[0].shapes
        )
    )
