"""Laws of what follows, on random robots: directions, points and offsets mean the same afterwards, judged apart.

What single tags mean: facts that the plan and the proof share, so that no run can find them wrong.
"""

import random
import re
import xml.etree.ElementTree as ElementTree
from typing import Callable, List

import golden
import naive
import pytest
from conftest import examples, signs_of
from hypothesis import given, strategies as st
from random_robots import ORDINARY, write_robot

from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import simplify_bytes


MODEL = "http://gazebosim.org/schema"
Added = Callable[[random.Random, List[str]], str]


def _vector(r):
    return " ".join(f"{r.uniform(-1, 1):.6g}" for _ in range(3))


def _directions(r, links):
    text = ""
    for number in range(4):
        frame = r.choice(
            (
                "",
                f' ignition:expressed_in="{r.choice(links)}"',
                f' gz:expressed_in="{r.choice(links)}"',
            )
        )
        fdir1 = r.choice(
            (f"<fdir1{frame}>{_vector(r)}</fdir1>", f'<fdir1{frame} value="{_vector(r)}"/>')
        )
        text += (
            f'<gazebo reference="{r.choice(links)}"><collision name="d{number}"><surface><friction><ode>'
            f"{fdir1}</ode></friction></surface></collision></gazebo>"
        )
    return text


def _points(r, links):
    text = ""
    for tag in ("drake:ball_constraint", "drake:linear_spring_damper"):
        text += (
            f'<{tag}><{tag}_body_A name="{r.choice(links)}"/><{tag}_body_B name="{r.choice(links)}"/>'
            f'<{tag}_p_AP value="{_vector(r)}"/><{tag}_p_BQ value="{_vector(r)}"/></{tag}>'
        )
    return text


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
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_friction_direction_is_the_same_in_the_world(seed, merge_all):
    result = _simplified(seed, merge_all, _directions)
    found = []
    for tree, world in _worlds(result):
        found.append({})
        for block in tree.iter("gazebo"):
            for element in block.iter("fdir1"):
                frame = next(
                    (
                        value
                        for key, value in element.attrib.items()
                        if key.endswith("}expressed_in")
                    ),
                    "",
                )
                name = block.find("collision").get("name")
                R = (
                    world[frame][0] if frame else naive.IDENTITY
                )  # without one it is told in the collision's own frame
                found[-1][str(name)] = naive.times(R, _floats(element.get("value") or element.text))
    before, after = found
    dropped = {
        element.get("name") for element in result.plan.updates.drops for element in element.walk()
    }
    assert set(before) == set(after) | (dropped & set(before)) and not set(after) & dropped
    _same([before[name] for name in after] or [[0.0]], list(after.values()) or [[0.0]])


@examples(fuzzed=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_point_of_a_drake_constraint_is_the_same_in_the_world(seed, merge_all):
    found = []
    for tree, world in _worlds(_simplified(seed, merge_all, _points)):
        found.append([])
        for tag in ("{urn:d}ball_constraint", "{urn:d}linear_spring_damper"):
            for top in tree.iter(tag):
                assert all(len(element) == 0 for element in top)
                for body, point in (("_body_A", "_p_AP"), ("_body_B", "_p_BQ")):
                    name = top.find(tag + body).get("name")
                    value = _floats(top.find(tag + point).get("value"))
                    found[-1].append(naive.after(world[str(name)], (naive.IDENTITY, value))[1])
    _same(*found)


@examples(fuzzed=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
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


def _two_wheels(a, b):
    """Write two wheels on a base, turning about Y in the senses a and b, and a belt that couples them."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = "".join(f'<link name="{name}">{mass}</link>' for name in ("base", "p", "s"))
    joints = "".join(
        f'<joint name="{name}_joint" type="continuous"><parent link="base"/><child link="{name}"/>'
        f'<axis xyz="0 {sense} 0"/></joint>'
        for name, sense in (("p", a), ("s", b))
    )
    return (
        f'<robot name="belt">{links}{joints}<coupling name="c"><predecessor link="p"/><successor link="s"/>'
        '<ratio value="2.5"/></coupling></robot>'
    ).encode()


@pytest.mark.parametrize(("a", "b"), ((1, 1), (1, -1), (-1, 1), (-1, -1)))
def test_coupled_wheels_turn_together_as_before(a, b):
    result = simplify_bytes(_two_wheels(a, b), "robot.urdf", Options(base_frame="ros"))
    turned = []
    for tree, world in _worlds(result):
        ratio = float(tree.find("coupling/ratio").get("value"))
        robot = naive.read(ElementTree.tostring(tree))
        speed = {
            hinge.child: naive.times(world[hinge.child][0], hinge.axis)[1] for hinge in robot.hinges
        }
        turned.append(
            ratio * speed["s"] / speed["p"]
        )  # how far s turns about Y when p turns by one
    assert turned[0] == pytest.approx(turned[1], abs=1e-12) and abs(turned[0]) == pytest.approx(2.5)


MIMIC = (
    '<gazebo><plugin name="m" filename="m.so"><joint>{}</joint><mimicJoint>{}</mimicJoint>'
    "<multiplier>0.5</multiplier><offset>0.2</offset></plugin></gazebo>"
)
COUPLING = (
    '<coupling name="c"><predecessor link="{}"/><successor link="{}"/><ratio value="3"/></coupling>'
)
TOE = (
    '<link name="toe"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    '</inertial></link><joint name="toe_joint" type="continuous"><parent link="shin"/><child link="toe"/>'
    '<axis xyz="0 0 -1"/></joint>'
)
ENDS = (
    '<drake:{0}><drake:{0}_body_A name="base_link"/><drake:{0}_body_B name="shin"/>'
    '<drake:{0}_p_AP value="1 2 3"/></drake:{0}>'
)


def with_block(block):
    """Simplify a robot whose joint `knee` changes its sign, with one more block."""
    text = (golden.FIXTURES / "follow/capsule/robot.urdf").read_text(encoding="utf-8")
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
        (TOE + COUPLING.format("toe", "shin"), ['<ratio value="3"/>']),  # the knee is above both
        (
            "<drake:tendon_constraint><drake:tendon_constraint_joint name='knee' a='2'/></drake:tendon_constraint>",
            ["a='-2'"],
        ),
    ),
)
def test_signs(block, written):
    result = with_block(block)
    assert signs_of(result.plan)["knee"] == -1
    assert all(part in result.text for part in written), result.text
    assert [notice.kind.name for notice in result.plan.updates.warnings] == []


@pytest.mark.parametrize(
    ("tag", "kinds"), (("ball_constraint", []), ("linear_spring_damper", ["missing-point"]))
)
def test_a_point_that_is_not_written(tag, kinds):
    """Drake puts that of a ball constraint where the other one is, that of a spring at the origin of its body."""
    assert [
        notice.kind.name for notice in with_block(ENDS.format(tag)).plan.updates.warnings
    ] == kinds


@pytest.mark.parametrize("ends", (("base_link", "shin"), ("toe", "base_link")))
def test_joints_of_a_coupling_that_do_not_agree(ends):
    warnings = with_block(TOE + COUPLING.format(*ends)).plan.updates.warnings
    assert [notice.kind.name for notice in warnings] == ["coupling-sign"]


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
