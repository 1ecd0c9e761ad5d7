"""What is rounding of the text, and what is another number."""

import pytest
from hypothesis import assume, given, strategies as st
from remade import arm

from urdf_tools.compare.comparison import compare
from urdf_tools.compare.written_text import is_rounding, rounded_text


@pytest.mark.parametrize(
    "one, other, is_rounded",
    [
        (0.12345, 0.123449, True),
        (0.12345, 0.1234549, True),
        (0.12345, 0.123456, False),
        (0.12345, 0.12346, False),
        (1.57, 1.5708, False),
        (1.571, 1.5707963, True),
        (0.001234, 0.00123449, True),
        (1234.0, 1234.4, True),
        (12340.0, 12343.0, False),
        (-0.12345, 0.12345, False),
        (0.0, 1e-9, False),
        (1.234e-7, 1.2344e-7, True),
    ],
)
def test_half_of_the_last_digit_of_the_shorter_text(one, other, is_rounded):
    assert is_rounding(one, other) is is_rounding(other, one) is is_rounded


@given(st.integers(10**11, 10**12 - 1), st.integers(4, 9))
def test_a_number_written_with_fewer_digits_is_its_rounding(digits, decimals):
    value = digits / 1e12
    written = round(value, decimals)
    assume(len(repr(written)) >= len("0.1234"))
    assert is_rounding(value, written) and is_rounding(-written, -value)


@given(st.integers(1001, 9998), st.floats(0.6, 5.0), st.sampled_from((1.0, -1.0)))
def test_more_than_half_of_the_last_digit_is_another_number(digits, step, sign):
    assume(digits % 10 and step % 1.0 > 0.01)
    assert not is_rounding(digits / 1e4, (digits + sign * step) / 1e4)


def with_places(robot, digits, joint_moved=("", 0.0)):
    """Return a robot whose joints are drawn at places of so many decimals."""
    joints = []
    for joint in robot.joints:
        x, y, z = (round(value, digits) for value in joint.T_parent_child.translation)
        x += joint_moved[1] if joint.name == joint_moved[0] else 0.0
        joints.append(
            joint._replace(T_parent_child=joint.T_parent_child._replace(translation=(x, y, z)))
        )
    return robot._replace(joints=tuple(joints))


def fine():
    robot = arm()
    return robot._replace(
        joints=tuple(
            joint._replace(
                T_parent_child=joint.T_parent_child._replace(
                    translation=(0.1234567 + 0.01 * k, 0.02, 0.2)
                )
            )
            for k, joint in enumerate(robot.joints)
        )
    )


def test_it_is_said_once_and_only_where_it_is_so():
    first = fine()
    comparison = compare(first, with_places(first, 5))
    assert comparison.verdict == "rounded" and comparison.exit_code == 0
    found, (note,) = (
        rounded_text(comparison.map),
        (one for one in comparison.notes if "rounding" in one),
    )
    assert found is not None and (found.places, found.others) == (len(first.joints), 0)
    assert found.worst == pytest.approx(3.3e-6) and note == (
        "rounding of the text: 7 numbers within half of the last digit of the shorter one, at most 3.3e-06 apart "
        f"({found.where})"
    )
    assert not [note for note in compare(first, first).notes if "rounding" in note]
    moved = compare(first, with_places(first, 5, ("j2", 2e-5)))
    assert moved.verdict == "rounded" and any(
        note.endswith("1 other number differs by more") for note in moved.notes
    )


def test_another_robot_is_no_rounding():
    """A step of a millimeter is a difference, and the note does not stand beside it."""
    first = fine()
    comparison = compare(first, with_places(first, 5, ("j3", 1e-3)))
    assert comparison.verdict == "geometry" and not [
        note for note in comparison.notes if "rounding" in note
    ]
