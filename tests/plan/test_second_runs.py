"""For any robot and any options a second run with the same options changes nothing."""

import random
import re
from glob import escape

import pytest
from conftest import examples, SEEDS
from hypothesis import given
from edited_robots import varied
from random_beside import write_robot_with_all
from random_gazebo import write_gazebo_robot
from random_robots import ORDINARY, write_robot
from random_variants import variant_of

from urdf_tools.base.errors import UrdfError
from urdf_tools.run.run_pipeline import Options, simplify_bytes

FLAGS = ("keep_frames", "keep_all_frames", "merge_all", "keep_signs")
WRITERS = (
    write_robot_with_all,
    write_gazebo_robot,
    lambda r: write_robot(r, ORDINARY._replace(fixed=0.7, duplicates=0.2)),
)


def draw_robot(r):
    """Return a robot of which some links are empty: chains of frames, a root that is only a frame, a world."""
    text = r.choice(WRITERS)(r).replace("\r", "")
    share = r.choice((0.0, 0.3, 0.7))
    text = re.sub(
        r'(<link name="[^"]*")>(?:(?!</link>).)*</link>',
        lambda found: f"{found.group(1)}/>" if r.random() < share else found.group(),
        text,
        flags=re.S,
    )
    names = re.findall(r'<link name="([^"&]*)"', text)
    if r.random() < 0.2 and names and '"world"' not in text:
        text = text.replace(f'"{names[0]}"', '"world"')
    return text


def draw_options(text, r):
    """Return options that may fit a robot."""
    choices = {
        "base_frame": r.choice(("auto", "ros")),
        "lenient": True,
        "count_once": r.random() < 0.5,
    }
    choices.update({flag: True for flag in FLAGS if r.random() < 0.2})
    links = re.findall(r'<link name="([^"&]*)"', text)
    if links and r.random() < 0.2:
        choices.update(keep=(escape(r.choice(links)),))
    return Options(**choices)


@examples(60, fuzzed=400)
@given(SEEDS)
def test_a_second_run_changes_nothing(seed):
    r = random.Random(seed)
    text = draw_robot(r)
    options = draw_options(text, r)
    try:
        text = varied(text, variant_of(text)) if r.random() < 0.3 else text
        first = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
    except UrdfError as error:
        assert type(error).__name__ != "ProofFailed", error
        return
    second = simplify_bytes(first.data, "robot.urdf", options)
    assert second.data == first.data, options


CHAIN = '<joint name="{0}{1}" type="fixed"><parent link="{0}"/><child link="{1}"/></joint>'
HELD = '<loop_joint name="held"><link1 link="e"/><link2 link="c"/></loop_joint>'
TURN = '<joint name="ae" type="floating"><parent link="a"/><child link="e"/></joint>'


@pytest.mark.parametrize(
    "turns, held, options, links",
    (
        (False, False, Options(), "a"),
        (True, False, Options(), "ae"),
        (True, True, Options(), "ace"),
        (False, False, Options(keep_frames=True), "abcd"),
    ),
)
def test_an_empty_chain_merges_to_its_end_in_one_run(turns, held, options, links):
    """But for what is kept."""
    text = (
        '<robot name="r">'
        + "".join(f'<link name="{name}"/>' for name in "abcd" + "e" * turns)
        + (
            "".join(CHAIN.format(*ends) for ends in ("ab", "bc", "cd"))
            + TURN * turns
            + HELD * held
            + "</robot>"
        )
    )
    result = simplify_bytes(text.encode(), "robot.urdf", options)
    assert "".join(result.after.links) == links
    assert simplify_bytes(result.data, "robot.urdf", options).data == result.data
