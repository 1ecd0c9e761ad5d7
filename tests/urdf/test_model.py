"""The records of a robot: the rule for names that several joints share, and what a material name means."""
from typing import Sequence, Tuple

import pytest
from hypothesis import given, strategies

from urdf_tools.model.shapes import Material, material_of
from urdf_tools.robot.motion import positions_of
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.model import JOINT_TYPES, material_definitions, MOVABLE, Robot
from urdf_tools.urdf.reader import read_robot


def robot_of(text: str) -> Robot:
    return read_robot(parse_document(text.encode("utf-8"), "robot.urdf"))


def star_of(joints: Sequence[Tuple[str, str]]) -> Robot:
    """Return a robot whose joints of given (name, type) all hang on the root, with the children l0, l1, ..."""
    links = "".join(f'<link name="l{k}"/>' for k in range(len(joints)))
    inside = "".join(f'<joint name="{name}" type="{kind}"><parent link="root"/><child link="l{k}"/></joint>'
                     for k, (name, kind) in enumerate(joints))
    return robot_of(f'<robot name="r"><link name="root"/>{links}{inside}</robot>')


@given(strategies.lists(strategies.tuples(strategies.sampled_from("ab"), strategies.sampled_from(JOINT_TYPES))))
def test_a_name_means_the_first_joint_that_moves_else_the_first(joints: Sequence[Tuple[str, str]]) -> None:
    robot = star_of(joints)
    for name in "abc":
        of_name = [joint for joint in robot.joints if joint.name == name]
        wanted = [joint for joint in of_name if joint.type in MOVABLE] + of_name
        assert robot.named.get(name) is (wanted[0] if wanted else None)


def test_joint_of_is_the_joint_that_a_link_hangs_on() -> None:
    robot = star_of([("a", "fixed"), ("b", "revolute")])
    assert robot.above["l1"] is robot.joints[1] and "root" not in robot.above


def test_a_follower_follows_the_joint_that_the_name_means() -> None:
    text = star_of([("a", "fixed"), ("a", "revolute"), ("b", "revolute")]).document.text()
    text = text.replace('<child link="l2"/>', '<child link="l2"/><mimic joint="a" multiplier="2"/>')
    assert positions_of(robot_of(text), {"l1": 0.5, "l2": 9.0}) == {"l0": 0.0, "l1": 0.5, "l2": 1.0}


RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
MATERIALS = [
    ("", RED, Material("red", (1.0, 0.0, 0.0, 1.0))),
    (RED, '<material name="red"/>', Material("red", (1.0, 0.0, 0.0, 1.0))),
    (RED.replace("1 0 0", "0 1 0"), RED, Material("red", (1.0, 0.0, 0.0, 1.0))),
    ("", f'<material name="red"/></visual><visual>{RED}', Material("red", (1.0, 0.0, 0.0, 1.0))),
    ('<material name="red"/>', '<material name="red"/>', Material("red")),
    ('<material name=""><color rgba="1 1 1 1"/></material>', '<material name=""/>', Material("")),
    ('<material name="wood"><texture filename="w.png"/></material>', '<material name="wood"/>',
     Material("wood", None, "w.png")),
    (RED, "", None),
]


@pytest.mark.parametrize(("top", "own", "meant"), MATERIALS)
def test_what_a_material_name_means(top: str, own: str, meant: object) -> None:
    robot = robot_of(f'<robot name="r">{top}<link name="a"><visual>{own}</visual></link></robot>')
    assert material_of(robot.links["a"].shapes[0], material_definitions(robot)) == meant
