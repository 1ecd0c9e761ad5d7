"""Powers of colors: rounded correctly, beside decimal."""

import decimal

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.meshes.mesh_content import fractional_power, linear_of_srgb, srgb_of_linear

DIGITS = decimal.Context(prec=60)


@examples(fuzzed=100)
@given(st.floats(1e-3, 100.0), st.sampled_from([(12, 5), (5, 12), (1, 2), (1, 3)]))
def test_a_power_is_the_nearest_float(value, power):
    wanted = DIGITS.power(decimal.Decimal(value), DIGITS.divide(*power))
    assert fractional_power(value, *power) == float(wanted)


@pytest.mark.parametrize("value", [0.0, 0.04, 0.04045, 0.041, 0.5, 0.9999, 1.0])
def test_colors_of_screens_become_linear_and_back(value):
    assert srgb_of_linear(linear_of_srgb(value)) == pytest.approx(value, abs=3e-8)
