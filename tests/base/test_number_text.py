"""Numbers as text: read strictly, written short and exactly enough."""

import math

import pytest
from hypothesis import example, given, strategies as st

from urdf_tools.base.number_text import (
    LARGEST,
    as_written,
    count_of,
    format_number,
    format_numbers,
    negated_text,
    read_numbers,
    same_numbers,
    short,
    without_noise,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-9e29, max_value=9e29)


@given(FINITE)
@example(-0.0)
@example(1e15)
@example(999999999999999.9)
@example(7838717351317.5)
@example(-9.999469120565315e-07)
@example(5e-324)
@example(0.1 + 0.2)
@example(-1.2345678901234567e-7)
def test_a_written_number_keeps_its_value(value):
    text = format_number(value)
    assert abs(float(text) - value) <= 1e-12 * abs(value)
    assert not (float(text) == 0.0 and text.startswith("-"))
    assert read_numbers(text, 1) == (float(text),)
    assert as_written([value]) == (float(text),)
    assert format_number(float(text)) == text, "writing again changes nothing"


@given(st.integers(-(10**14), 10**14), st.integers(0, 8))
def test_a_short_number_stays_short(digits, places):
    value = digits / 10**places
    if abs(digits) < 10**12:
        assert float(format_number(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    (
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.0, "-1"),
        (0.174533, "0.174533"),
        (math.pi / 2, "1.570796326795"),
        (1e-9, "1e-09"),
        (0.1 + 0.2, "0.3"),
        (1e20, "1e+20"),
    ),
)
def test_how_numbers_look(value, text):
    assert format_number(value) == text


def test_numbers_are_separated_by_single_blanks():
    assert format_numbers((1.0, -0.0, 0.5)) == "1 0 0.5"


@pytest.mark.parametrize(
    ("text", "values"),
    (
        ("0 0 1", [0.0, 0.0, 1.0]),
        (" 1\t2\n3 ", [1.0, 2.0, 3.0]),
        ("1. .5 -1e-3", [1.0, 0.5, -0.001]),
        ("+1 -0 1E5", [1.0, -0.0, 1e5]),
    ),
)
def test_vectors_that_are_read(text, values):
    assert list(read_numbers(text, 3)) == values


@pytest.mark.parametrize(
    ("text", "repaired"),
    (
        ("0, 0, 1", "0 0 1"),
        ("0,0,1", "0 0 1"),
        ("0 ,0 ,1", "0 0 1"),
        ("1.5,2,-3e1", "1.5 2 -3e1"),
        ("0, 0 1", "0 0 1"),
        ("1 2 3,", "1 2 3"),
    ),
)
def test_commas_with_one_meaning_are_blanks(text, repaired):
    assert read_numbers(text, 3) == read_numbers(repaired, 3)


@pytest.mark.parametrize(
    "text",
    (
        "",
        "1 2",
        "1 2 3 4",
        "a b c",
        "nan 0 0",
        "inf 0 0",
        "0 0 -inf",
        "0x1 0 0",
        "1_000 0 0",
        "0,5 0 1",
        "1,000 2 3",
        "1,000,200",
        "0,100,200",
        "1e101 0 0",
        f"{2 * LARGEST} 0 0",
        "1e999 0 0",
        "0,0,0,0",
        "1;2;3",
        "\u0661 0 0",
        "1d0 0 0",
        "--1 0 0",
        "1e 0 0",
        "0, ,1",
        ", , ,",
    ),
)
def test_vectors_that_are_refused(text):
    with pytest.raises(ValueError, match=".") as caught:
        read_numbers(text, 3)
    assert "\n" not in str(caught.value).replace(text, "")


@pytest.mark.parametrize("text", ("1,5", "1,000", "", "one"))
def test_single_numbers_that_are_refused(text):
    with pytest.raises(ValueError, match="number|meaning"):
        read_numbers(text, 1)


@given(FINITE.map(repr))
@example("+1.50")
@example("-.5")
@example("-0.0")
@example("+0")
def test_a_negated_text_is_the_negative_number(text):
    assert float(negated_text(text)) == -float(text)
    assert not negated_text(text).startswith(("--", "+", "-+"))
    assert not negated_text(text).startswith("-") or float(text) != 0.0
    if not text.startswith("+") and (text[0] != "-" or float(text) != 0.0):
        assert negated_text(negated_text(text)) == text, "digit for digit"


def test_noise_is_zero_and_the_rest_on_a_grid():
    assert without_noise((1.00000000000007e-05, 0.1 + 0.2, 123.4), 1e-12) == (1e-05, 0.3, 123.4)
    assert without_noise((1.234e-4,), 3e-4 / 10) == (0.000123,)  # the power of ten at or below 3e-6
    assert without_noise((1e-5, -1e-5, 1e-3), 1e-4) == (0.0, 0.0, 1e-3)
    assert math.copysign(1.0, without_noise((-1e-5,), 1e-4)[0]) == 1.0


def test_same_numbers_allow_what_writing_may_change():
    assert same_numbers((1.0, 0.0), (1.0 + 4e-13, 1e-13))
    assert not same_numbers((1.0, 0.0), (1.0 + 4e-12, 0.0))
    assert not same_numbers((1.0,), (1.0, 0.0))
    assert not same_numbers((1e-20,), (2e-20,), 0.0)


def test_words_for_people():
    assert short((1.23456789, -1e-12, 1e-3)) == "1.23457 0 0.001"
    assert [count_of(n) for n in (0, 1, 2)] == ["0 numbers", "1 number", "2 numbers"]
    assert count_of(2, "body", "bodies") == "2 bodies"
