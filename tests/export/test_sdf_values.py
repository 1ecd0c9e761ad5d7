"""What a value of SDF may be."""

import re

import commands
import pytest

from hypothesis import given, strategies as st

from urdf_tools.formats.sdf.elements_known_to_sdf import can_hold, COUNTS, NUMBER

NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers().map(str),
    st.text("0123456789.+-e infa", max_size=9),
)
TEXTS = st.lists(NUMBERS, max_size=8).map(" ".join)


@given(st.sampled_from(sorted(COUNTS)), TEXTS)
def test_a_value_is_so_many_numbers_or_nothing(values, text):
    words = text.split()
    assert can_hold(values, text) == (
        not words
        or len(words) in COUNTS[values]
        and all(re.fullmatch(NUMBER, word, re.I) for word in words)
    )


RAYS = (
    '<robot name="r"><link name="base"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<gazebo reference="base"><sensor name="s" type="ray"><ray><scan><horizontal>'
    "<samples>{}</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>"
    "<range><min>0.1</min><max>9</max></range></ray></sensor></gazebo></robot>"
)


@pytest.mark.parametrize("count", ["818", "818.0", "818.", " 818.000 "])
def test_a_count_that_is_written_as_a_number_stays_one(count, here):
    """Else readers of SDF take no count, and `compare` says that the sensors differ, which the export does not."""
    (here / "r.urdf").write_text(RAYS.format(count))
    assert commands.in_process(["export", "r.urdf", "r.sdf", "-y"]).returncode == 0
    assert "<samples>818</samples>" in (here / "r.sdf").read_text()
    assert commands.in_process(["compare", "r.urdf", "r.sdf"]).returncode == 0
