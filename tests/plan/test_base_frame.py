"""Which way the input looks: words, the evidence of left and right, the note of an earlier run."""
from typing import List, Tuple

import pytest

from urdf_tools.plan.base_frame import NAMED_FRAMES, find_base_frame, read_base_frame
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.base.errors import Unusable
from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import rehearse
from urdf_tools.urdf.reader import read_robot
from urdf_tools.urdf.spatial import NO_TURN, cross, dot, rotate
from urdf_tools.urdf.model import Robot

ONSHAPE = "x=right y=forward z=up"
ROS = "x=forward y=left z=up"
WORDS = ("forward", "back", "left", "right", "up", "down")


def robot(places: List[Tuple[str, str]], head: str = "", inside: str = "") -> Robot:
    """Return a robot with a base and links at these places."""
    return read_robot(parse_document(text_of(places, head, inside).encode("utf-8"), "robot.urdf"))


def text_of(places: List[Tuple[str, str]], head: str = "", inside: str = "") -> str:
    """Return its text."""
    parts = "".join(f'<link name="{name}"/><joint name="j_{name}" type="continuous"><parent link="base"/>'
                    f'<child link="{name}"/><origin xyz="{xyz}"/><axis xyz="0 0 1"/></joint>'
                    for name, xyz in places)
    return f'{head}<robot name="r">{inside}<link name="base"/>{parts}</robot>'


def pairs(count: int, left: str, right: str, start: int = 0) -> List[Tuple[str, str]]:
    """Return so many left/right pairs of links."""
    return [(f"{side}_part_{n}", xyz) for n in range(start, start + count) for side, xyz in (("left", left), ("right",
        right))]


def test_all_words_that_make_a_right_handed_frame_are_taken() -> None:
    taken = 0
    for x in WORDS:
        for y in WORDS:
            for z in WORDS:
                try:
                    frame = read_base_frame(f"x={x},y={y},z={z}")
                except Unusable:
                    continue
                taken += 1
                R = frame.R_new_old
                assert dot(cross(R[0], R[1]), R[2]) == 1.0
                assert frame.words == f"x={x} y={y} z={z}"
    assert taken == 24


def test_the_words_say_where_the_old_axes_point() -> None:
    R = read_base_frame("onshape").R_new_old
    assert rotate(R, (0.0, 1.0, 0.0)) == (1.0, 0.0, 0.0), "Y forward becomes X"
    assert rotate(R, (1.0, 0.0, 0.0)) == (0.0, -1.0, 0.0), "X right becomes -Y"
    assert read_base_frame("ros").R_new_old is NO_TURN
    assert read_base_frame(" X=Left , y=BACK,z=up ").words == "x=left y=back z=up"
    assert set(NAMED_FRAMES) == {"onshape", "ros"}


@pytest.mark.parametrize("text", ("", "north", "x=left", "x=left,y=back", "x=left,y=back,z=up,w=up",
                                  "x=left,y=left,z=up", "x=left,y=forward,z=up",
                                  "x=left,y=back,z=side", "auto,", "x=forward,x=forward,y=left,z=up,q=",
                                  "x:left,y:back,z:up"))
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(Unusable, match="--base-frame"):
        read_base_frame(text)


@pytest.mark.parametrize(("left", "right", "words"), (
    ("-1 0 0", "1 0 0", ONSHAPE), ("0 1 0", "0 -1 0", ROS), ("0 -1 0.1", "0 1 0.1", "x=back y=right z=up"), ("1 0 0",
        "-1 0 0", "x=left y=back z=up")))
def test_pairs_show_where_left_is(left: str, right: str, words: str) -> None:
    frame = find_base_frame(robot(pairs(2, left, right)))
    assert frame.words == words and not frame.warning and "2 of 2" in frame.reason
    result = rehearse(text_of(pairs(2, left, right)).encode(), "robot.urdf", Options())
    assert find_base_frame(result.after).R_new_old is NO_TURN


def test_one_pair_is_not_enough() -> None:
    frame = find_base_frame(robot(pairs(1, "0 1 0", "0 -1 0")))
    assert frame.words == ONSHAPE and "assumed" in frame.reason and "1 left/right pair" in frame.reason
    assert find_base_frame(robot([])).words == ONSHAPE


@pytest.mark.parametrize(("agreeing", "others", "words"), ((4, 1, ROS), (3, 1, ONSHAPE), (2, 2, ONSHAPE), (1, 1,
    ONSHAPE), (8, 2, ROS)))
def test_four_fifths_must_agree(agreeing: int, others: int, words: str) -> None:
    frame = find_base_frame(robot(pairs(agreeing, "0 1 0", "0 -1 0") + pairs(others, "1 0 0", "-1 0 0", 50)))
    assert frame.words == words
    assert bool(frame.warning) == (words == ONSHAPE)


def test_pairs_along_z_say_that_z_is_not_up() -> None:
    frame = find_base_frame(robot(pairs(3, "0 0 1", "0 0 -1")))
    assert frame.words == ONSHAPE and "Z does not point up" in frame.warning


def test_pairs_in_one_place_and_askew_do_not_vote() -> None:
    assert "assumed" in find_base_frame(robot(pairs(3, "0 0 1", "0 0 1"))).reason
    frame = find_base_frame(robot(pairs(3, "1 1 1", "0 0 0")))
    assert frame.words == ONSHAPE and frame.warning


def test_the_note_of_an_earlier_run_decides() -> None:
    note = "<!-- urdf_simplify 0.1.0: x=forward y=left z=up -->\n"
    assert find_base_frame(robot(pairs(3, "-1 0 0", "1 0 0"), note)).words == ROS
    assert find_base_frame(robot([], note)).words == ROS
    assert find_base_frame(robot([], "<!-- urdf_simplify 0.1.0: frames as in the input -->")).words == ONSHAPE
    assert find_base_frame(robot([], "<!-- x=forward y=left z=up -->")).words == ONSHAPE
    assert find_base_frame(robot([], "", note)).words == ONSHAPE, "inside the robot it is somebody's remark"


def test_a_run_leaves_one_note_and_no_second() -> None:
    source = text_of(pairs(2, "-1 0 0", "1 0 0"), "<!-- urdf_simplify 0.0.1: frames as in the input -->\n")
    text = rehearse(source.encode(), "robot.urdf", Options()).text
    assert text.count("urdf_simplify") == 1 and ROS in text.split("<robot")[0]
    again = rehearse(text.encode(), "robot.urdf", Options(reorient=False, merge=False, strip_hardware=False)).text
    assert again == text


def test_turning_again_is_done_as_told_and_warned_about() -> None:
    note = f"<!-- urdf_simplify 0.1.0: {ROS} -->"
    source = text_of(pairs(2, "0 1 0", "0 -1 0"), head=note).encode("utf-8")
    again = rehearse(source, "robot.urdf", Options(base_frame="onshape"))
    assert again.plan.base.words == ONSHAPE
    assert "this tool turned the file before, and --base-frame turns it again" in [
        notice.message for notice in again.plan.warnings]
    assert not rehearse(source, "robot.urdf", Options(base_frame="ros")).plan.base.warning
