"""What a merge changes for the rest of a body: gravity as sdformat reads it, and comments, of random robots too."""

import random
import re

import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st
from random_robots import ORDINARY, write_robot

from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes


def _bodies_that_change(result):
    """Return the links of which a warning says that their body falls or floats from now on."""
    return {notice.names[0] for notice in result.plan.warnings if notice.kind.name == "body-merged"}


def test_gravity_keeps_apart_only_what_sdformat_keeps_apart():
    """A link that sdformat lumps into the target anyway merges with a word; one that is fixed to `world` stays."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = "".join(
        f'<link name="{name}">{inertial}</link>' for name in ("world", "a", "b", "on_b", "on_world")
    )
    joints = "".join(
        f'''<joint name="j" type="prismatic"><parent link="world"/><child link="{child}"/>
<origin xyz="0 0 {height}"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>'''
        for child, height in (("a", 0), ("b", 1))
    )
    joints += "".join(
        f'<joint name="{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for child, parent in (("on_b", "b"), ("on_world", "world"))
    )
    blocks = "".join(
        f'<gazebo reference="{link}"><turnGravityOff>true</turnGravityOff></gazebo>'
        for link in ("b", "on_world")
    )
    text = f'<robot name="r">{links}{joints}{blocks}</robot>'
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert {name: member.target for name, member in result.plan.members.items()} == {
        "world": "world",
        "a": "a",
        "b": "a",
        "on_b": "a",
        "on_world": "on_world",
    }
    assert _bodies_that_change(result) == {"b"}
    assert [
        notice.line for notice in result.plan.warnings if notice.kind.name == "world-content"
    ] == [1]


@pytest.mark.parametrize(
    "between, stays", [("", False), ("\n  ", False), (" ", False), ("\n\n  ", True)]
)
def test_which_element_a_comment_belongs_to(between, stays):
    """Directly before one, also on its line, it goes where that goes; a blank line makes it one of its own."""
    text = f"""<robot name="r">
  <link name="a"/>
  <link name="b"/>
  <!-- of joint ab -->{between}<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>
"""
    result = simplify_bytes(
        text.encode("utf-8"), "robot.urdf", Options(base_frame="ros", merge_all=True)
    ).text
    there = (
        '<link name="a"/>\n  <!-- of joint ab -->\n'
        if stays
        else "    <!-- of joint ab -->\n  </link>"
    )
    assert there in result


@examples(fuzzed=40)
@given(SEEDS, st.booleans(), st.booleans())
def test_no_comment_is_lost(seed, merge_all, keep_all_frames):
    r = random.Random(seed)
    text = write_robot(r, ORDINARY._replace(fixed=0.6, hardware=0.0))
    numbers = iter(range(10**6))
    text = re.sub(
        "(?=<(?:link|joint|visual|inertial|origin|mass|child)[ />])",
        lambda match: f"<!-- {next(numbers)} -->" if r.random() < 0.3 else "",
        text,
    )
    result = simplify_bytes(
        text.encode("utf-8"),
        "robot.urdf",
        Options(
            base_frame="ros", lenient=True, merge_all=merge_all, keep_all_frames=keep_all_frames
        ),
    )
    dropped = [copy.shape.source for copy in result.plan.copies]
    before, after = (set(re.findall("<!-- [0-9]+ -->", one)) for one in (text, result.text))
    assert after <= before
    assert after == before or dropped, before - after
