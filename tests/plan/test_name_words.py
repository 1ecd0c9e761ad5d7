"""What names say: whole words decide, never parts of words."""

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.plan.name_words import (
    axis_class,
    HARDWARE,
    hidden_hardware,
    left_right_pairs,
    STRUCTURE,
    word_among,
    words_of,
)

X, Y, Z = 0, 1, 2


@pytest.mark.parametrize(
    ("name", "words"),
    (
        ("hip_pitch", ["hip", "pitch"]),
        ("kneeJoint", ["knee", "joint"]),
        ("KneeJoint2", ["knee", "joint"]),
        ("LKnee", ["l", "knee"]),
        ("left_hip_yaw_2", ["left", "hip", "yaw"]),
        ("IMULink", ["imu", "link"]),
        ("j\u00f6int_\u00c4rm", ["j\u00f6int", "\u00e4rm"]),
        ("hip-roll.3", ["hip", "roll"]),
        ("42", []),
        ("", []),
        ("left_shoulder_yaw_joint_X4", ["left", "shoulder", "yaw", "joint", "x"]),
        ("\u819d_pitch", ["\u819d", "pitch"]),
        ("KNEE", ["knee"]),
        ("pitch2roll", ["pitch", "roll"]),
    ),
)
def test_names_fall_into_words(name, words):
    assert list(words_of(name)) == words


@examples(fuzzed=100)
@given(st.text(max_size=30))
def test_words_hold_no_digits_and_no_separators_for_any_name(name):
    words = words_of(name)
    assert all(
        word and not any(letter.isdecimal() or letter in " _-." for letter in word)
        for word in words
    )


@pytest.mark.parametrize(
    ("name", "axis"),
    (
        ("hip_pitch", Y),
        ("left_knee", Y),
        ("ElbowJoint", Y),
        ("LKnee", Y),
        ("kneeJoint", Y),
        ("ankle_roll", X),
        ("left_hip_yaw_2", Z),
        ("waistYaw", Z),
        ("payaw", None),
        ("scroll", None),
        ("controller", None),
        ("pitcher", None),
        ("joint_1", None),
        ("", None),
        ("hip_pitch_roll", Y),
        ("hip_roll_pitch", Y),
        ("yaw_roll", X),
        ("roll_yaw", X),
    ),
)
def test_the_class_of_a_joint_name(name, axis):
    found = axis_class(name, {})
    assert (found.axis if found else None) == axis


def test_words_of_the_user_come_first():
    found = axis_class("toe_pitch", {"toe": X})
    assert found is not None and (found.axis, found.word, found.others) == (X, "toe", ("pitch",))
    changed = axis_class("knee", {"knee": Z})
    assert changed is not None and changed.axis == Z
    assert axis_class("hip_pitch", {"toe": X}) == axis_class("hip_pitch", {})


def test_words_that_lost_are_named():
    found = axis_class("hip_pitch_roll", {})
    assert found is not None and found.others == ("roll",)
    same = axis_class("knee_pitch", {})
    assert same is not None and same.others == ()


@pytest.mark.parametrize(
    ("stem", "hardware", "structure", "hidden"),
    (
        ("rotor_x8", "rotor", None, None),
        ("rotors", "rotor", None, None),
        ("Stator", "stator", None, None),
        ("ball-bearings-2", "bearing", None, None),
        ("m3_nut", "nut", None, None),
        ("spacerLeft", "spacer", None, None),
        ("ankle_bearing_house", "bearing", "house", None),
        ("bearingHousing", "bearing", "housing", None),
        ("nutcracker", None, None, "nut"),
        ("minutes", None, None, "nut"),
        ("rotorcraft", None, None, "rotor"),
        ("motor", None, None, None),
        ("thigh", None, None, None),
        ("rotor_covers", "rotor", "cover", None),
    ),
)
def test_motor_hardware_by_whole_words(stem, hardware, structure, hidden):
    assert (word_among(HARDWARE, stem), word_among(STRUCTURE, stem)) == (hardware, structure)
    assert hidden_hardware(stem) == hidden


@pytest.mark.parametrize(
    ("names", "pairs"),
    (
        (["left_hip", "right_hip"], [("left_hip", "right_hip")]),
        (["right_hip", "left_hip"], [("left_hip", "right_hip")]),
        (["LeftHip", "RightHip"], [("LeftHip", "RightHip")]),
        (["l_foot", "r_foot"], [("l_foot", "r_foot")]),
        (["FL_hip", "FR_hip", "RL_hip", "RR_hip"], [("FL_hip", "FR_hip"), ("RL_hip", "RR_hip")]),
        (["lh_leg", "rh_leg", "lf_leg", "rf_leg"], [("lh_leg", "rh_leg"), ("lf_leg", "rf_leg")]),
        (["left_hip_1", "right_hip_2"], []),
        (["left_hip", "right_knee"], []),
        (["left", "right"], [("left", "right")]),
        (["leftover", "rightover"], []),
        (["hip", "hip_left"], []),
        (["left_left", "right_left"], [("left_left", "right_left")]),
        (
            ["left_left", "right_left", "left_right", "right_right"],
            [("left_left", "right_right"), ("left_right", "right_left")],
        ),
        (["a_right_b_left", "a_left_b_right"], [("a_left_b_right", "a_right_b_left")]),
        (["ff_1", "mf_1", "rf_1", "lf_1"], []),
        (["L_lf_l1", "L_rf_l1"], []),
        (["lf_th", "rf_th"], []),
        (["L_lf_l1", "R_lf_r1"], [("L_lf_l1", "R_lf_r1")]),
        (["r_wheel_l", "r_wheel_r"], [("r_wheel_l", "r_wheel_r")]),
        ([], []),
    ),
)
def test_left_and_right_pairs(names, pairs):
    assert left_right_pairs(names) == pairs
