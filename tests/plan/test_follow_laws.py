"""Laws of what follows, on random robots: offsets mean the same afterwards, judged apart.

What single tags mean: facts that the plan and the proof share, so that no run can find them wrong.
"""

import random
import re
import xml.etree.ElementTree as ElementTree

import golden
import naive
import pytest
from conftest import examples, SEEDS, signs_of
from hypothesis import given, strategies as st
from random_robots import ORDINARY, write_robot

from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes


MODEL = "http://gazebosim.org/schema"


def _vector(r):
    return " ".join(f"{r.uniform(-1, 1):.6g}" for _ in range(3))


def _offsets(r, links):
    return "".join(
        f'<gazebo><plugin name="p{k}" filename="libgazebo_ros_p3d.so"><{body}>{r.choice(links)}</{body}>'
        f"<{xyz}>{_vector(r)}</{xyz}></plugin></gazebo>"
        for k, (body, xyz) in enumerate((("bodyName", "xyzOffset"), ("body_name", "xyz_offset")))
    )


def _simplified(seed, merge_all, add):
    r = random.Random(seed)
    text = write_robot(r, ORDINARY._replace(fixed=0.5))
    links = [name for name in re.findall(r'<link name="(.*?)"', text) if "&" not in name]
    text = text.replace(
        "<robot ", f'<robot xmlns:gz="{MODEL}" xmlns:ignition="urn:i" xmlns:drake="urn:d" ', 1
    )
    text = text.replace("</robot>", add(r, links) + "</robot>")
    return simplify_bytes(
        text.encode("utf-8"),
        "robot.urdf",
        Options(base_frame=r.choice(("ros", "onshape")), merge_all=merge_all),
    )


def _worlds(result):
    """Return the tree and the places of its links, of the input and of the result, in the new base frame."""
    base = ([list(row) for row in result.plan.base.R_new_old], [0.0, 0.0, 0.0])
    return [
        (ElementTree.fromstring(data), naive.places(naive.read(data), start, {}))
        for data, start in ((result.source, base), (result.data, naive.NOWHERE))
    ]


def _same(before, after):
    assert before and len(before) == len(after)
    for old, new in zip(before, after):
        assert naive.apart(old, new) < 1e-9


def _floats(text):
    return [float(word) for word in str(text).split()]


@examples(fuzzed=40)
@given(SEEDS, st.booleans())
def test_an_offset_of_a_plugin_is_the_same_in_the_world(seed, merge_all):
    found = []
    for tree, world in _worlds(_simplified(seed, merge_all, _offsets)):
        found.append([])
        for plugin in tree.iter("plugin"):
            named = {element.tag.lower().replace("_", ""): element.text or "" for element in plugin}
            T = naive.after(
                world[named["bodyname"]],
                (
                    naive.from_rpy(_floats(named.get("rpyoffset", "0 0 0"))),
                    _floats(named["xyzoffset"]),
                ),
            )
            found[-1] += [T[1], *T[0]]
    _same(*found)


MIMIC = (
    '<gazebo><plugin name="m" filename="m.so"><joint>{}</joint><mimicJoint>{}</mimicJoint>'
    "<multiplier>0.5</multiplier><offset>0.2</offset></plugin></gazebo>"
)
NAMED = (
    '<coupling name="c"><predecessor link="a"/><successor link="shin"/><ratio value="3"/></coupling>',
    '<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="shin"/>'
    "</drake:linear_spring_damper>",
    '<drake:ball_constraint><drake:ball_constraint_body_B name="shin"/>'
    '<drake:ball_constraint_p_BQ value="1 0 0"/></drake:ball_constraint>',
    '<drake:linear_bushing_rpy><drake:bushing_frameA name="shin"/></drake:linear_bushing_rpy>',
    '<drake:tendon_constraint><drake:tendon_constraint_joint name="knee" a="2"/>'
    "</drake:tendon_constraint>",
    '<gazebo><plugin name="p"><joint_name>knee</joint_name><initial_position>1</initial_position>'
    "</plugin></gazebo>",
    '<gazebo reference="shin"><inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>'
    "</gazebo>",
    '<gazebo><lamp><pose relative_to="shin">1 0 0 0 0 0</pose></lamp></gazebo>',
    '<gazebo><frame name="f" attached_to="other::shin"/></gazebo>',
    '<sensor name="s"><parent link="shin"/><origin quat_xyzw="0 0.6 0 0.8"/></sensor>',
    '<gazebo reference="base_link"><collision><fdir1 gz:expressed_in="knee">1 0 0</fdir1></collision>'
    "</gazebo>",
)


@pytest.mark.parametrize("block", NAMED)
def test_what_is_rare_does_not_follow_and_is_warned_of(block):
    result = with_block(block)
    assert block in result.text
    assert len(result.plan.updates.warnings) == 1


def with_block(block):
    """Simplify a robot whose joint `knee` changes its sign, with one more block."""
    text = (golden.FIXTURES / "follow/capsule/robot.urdf").read_text("utf-8")
    text = text.replace("</robot>", block + "</robot>")
    return simplify_bytes(text.encode("utf-8"), "r.urdf", Options(base_frame="ros"))


@pytest.mark.parametrize(
    ("block", "written"),
    (
        (
            MIMIC.format("knee", "other"),
            ["<multiplier>-0.5<", "<offset>0.2<"],
        ),  # q_follower = multiplier * q + offset
        (MIMIC.format("other", "knee"), ["<multiplier>-0.5<", "<offset>-0.2<"]),
        (MIMIC.format("other", "more"), ["<multiplier>0.5<", "<offset>0.2<"]),
        ('<gazebo reference="knee"><springReference value="0.2"/></gazebo>', ['value="-0.2"']),
    ),
)
def test_signs(block, written):
    result = with_block(block)
    assert signs_of(result.plan)["knee"] == -1
    assert all(part in result.text for part in written), result.text
    assert [notice.kind.name for notice in result.plan.updates.warnings] == []


@pytest.mark.parametrize(
    "tag",
    (
        "frameName",
        "frame_name",
        "frameId",
        "frame_id",
        "gz_frame_id",
        "ignition_frame_id",
        "frame",
        "base_link",
        "base_frame",
        "child_frame",
        "robotBaseFrame",
        "robot_base_frame",
    ),
)
def test_names_that_plugins_look_up_in_tf(tag):
    block = f'<gazebo><plugin name="p" filename="p.so"><{tag}>shin</{tag}></plugin></gazebo>'
    assert [notice.kind.name for notice in with_block(block).plan.updates.warnings] == [
        "frame-name"
    ]


@pytest.mark.parametrize(
    "tag",
    (
        "bodyName",
        "body_name",
        "linkName",
        "link_name",
        "link",
        "body",
        "gripper_link",
        "palm_link",
        "parent",
        "child",
    ),
)
def test_names_of_bodies_in_blocks(tag):
    """The block is no plugin, so that nothing of it is given in the frame of the body."""
    result = with_block(f"<gazebo><attach><{tag}>foot</{tag}></attach></gazebo>")
    assert f"<{tag}>shin</{tag}>" in result.text and "foot" in result.plan.members
