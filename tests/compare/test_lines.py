"""Lines of joints: the smallest rotation from one direction to another, also where they are all but equal."""

from math import cos, pi, sin

import pytest
from hypothesis import given, strategies as st

from urdf_tools.compare.joint_lines import turn_onto
from urdf_tools.urdf.spatial_math import cross, norm, scale, subtract
from urdf_tools.verify.rigid_motion import axis_rotation, rotated


def turned(axis, about, angle):
    return rotated(axis_rotation(about, angle), axis)


@given(
    st.floats(0.0, 2.0 * pi), st.floats(0.0, pi), st.floats(0.0, 2.0 * pi), st.floats(-16.0, 0.49)
)
def test_a_direction_is_laid_on_another_however_near_it_is(azimuth, polar, way, exponent):
    """By angles from 1e-16 to 3.1: what is left is rounding, and never as much as there was."""
    a = (sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar))
    across = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.7 else (0.0, 1.0, 0.0))
    wanted = 10.0**exponent
    b = turned(a, turned(scale(1.0 / norm(across), across), a, way), wanted)
    R, angle = turn_onto(a, b)
    assert norm(subtract(rotated(R, a), b)) < 2e-15
    assert angle == pytest.approx(wanted, rel=1e-6, abs=1e-15)


def test_an_opposite_direction_is_half_a_turn_away():
    for a in ((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)):
        R, angle = turn_onto(a, scale(-1.0, a))
        assert angle == pytest.approx(pi) and norm(subtract(rotated(R, a), scale(-1.0, a))) < 1e-15
