"""What a value of SDF may be: what passes the quick look passes the careful one."""

import re

from hypothesis import given, strategies as st

from urdf_tools.formats.sdf.write_gazebo import can_hold, COUNTS, NUMBER, PLAIN

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


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6))
def test_what_this_tool_writes_passes_at_a_glance(numbers):
    texts = [f"{number:.9g}" for number in numbers if "e+" not in f"{number:.9g}"]
    assert all(map(PLAIN.fullmatch, texts))
    assert not texts or PLAIN.fullmatch(" ".join(texts))
