"""`add_frame`: one link and one fixed joint more, at the given pose; all else is the text."""

import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, NOTES
from hypothesis import given

from urdf_tools.base.errors import ProofFailed
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.spatial_math import matrix_from_rpy, rotate, rotation_angle


def added(text, words):
    return carried_out(text, [("add_frame", words)])


@examples(8, fuzzed=300)
@given(SEEDS)
def test_one_link_and_one_joint_are_more(seed):
    r = random.Random(seed)
    text = any_text(seed)
    before = read_bytes(text.encode(), "r.urdf")
    parent = r.choice(before.links).name
    yaw = round(r.uniform(-3.0, 3.0), 3)
    result = added(text, f"new_frame 'parent={parent}' xyz=1,2cm,-3mm rpy=0,0,{yaw}")
    after = read_bytes(result.data, "r.urdf")
    assert [link.name for link in after.links] == [
        *(link.name for link in before.links),
        "new_frame",
    ]
    joint = after.joints[-1]
    assert (joint.type, joint.parent, joint.child) == ("fixed", parent, "new_frame")
    assert joint.T_parent_child.translation == (1.0, 0.02, -0.003)
    assert rotation_angle(joint.T_parent_child.rotation, matrix_from_rpy((0.0, 0.0, yaw))) < 1e-9
    new = r'\s*<link name="new_frame"/>|\s*<joint name="new_frame_joint"(?s:.*?)</joint>'
    lines = (re.sub(new, "", re.sub(NOTES, "", each)) for each in (result.text, text))
    first, second = (re.sub(r"\s+", "", each) for each in lines)
    assert first == second


def test_an_optical_frame_looks_along_the_link():
    result = added(ARM, "eye_optical parent=left_hand optical joint=eye_mount")
    assert '<origin xyz="0 0 0" rpy="-1.570796326795 0 -1.570796326795"/>' in result.text
    T = read_bytes(result.data, "r").joints[-1].T_parent_child
    # Z of the image is X of the link, X of the image points right (-Y), Y down (-Z).
    for axis, expected in (
        ((0, 0, 1), (1, 0, 0)),
        ((1, 0, 0), (0, -1, 0)),
        ((0, 1, 0), (0, 0, -1)),
    ):
        assert rotate(T.rotation, axis) == pytest.approx(expected, abs=1e-11)
    assert '<joint name="eye_mount" type="fixed">' in result.text
    assert result.exported.changes == ("frame eye_optical added on left_hand",)


def test_the_pose_is_part_of_the_law(monkeypatch):
    """A mutant: the frame is written elsewhere."""
    assert 'xyz="0 0 1"' in added(ARM, "far parent=tool xyz=0,0,1").text
    monkeypatch.setattr("urdf_tools.edit.move_frames.format_numbers", lambda numbers: "0 0 2")
    with pytest.raises(ProofFailed, match="another robot"):
        added(ARM, "far parent=tool xyz=0,0,1")


REFUSED = (
    ("eye", "give the link that 'eye' is on, such as parent=base"),
    ("parent=tool", "give the name of the new frame"),
    ("tool parent=base", "there is a link 'tool' already"),
    ("eye parent=tol", "there is no link 'tol' .did you mean 'tool'"),
    ("eye parent=tool joint=left_slide", "there is a joint 'left_slide' already"),
    ("eye parent=tool optical rpy=0,0,0", "give optical or rpy=, not both"),
    ("eye parent=tool rpy=0,0,90dge", "the unit 'dge'"),
    ("eye parent=tool optcal", "'eye optcal': give the name of the new frame, and no more"),
)


@pytest.mark.parametrize("words, why", REFUSED)
def test_frames_that_cannot_be_are_refused(words, why):
    assert_refused("add_frame", words, why)
