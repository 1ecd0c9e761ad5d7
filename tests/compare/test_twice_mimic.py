"""A joint that is defined twice and follows a follower: its copies are compared by the rule of the leader, as it is."""

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes

LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    "</link>"
)
JOINT = (
    '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 {4}"/>'
    '<axis xyz="{3} 0 0"/>{5}</joint>'
)
MIMIC = '<mimic joint="{}" multiplier="{}"/>'


def robot_with(sign):
    """Return a URDF whose first joint counts by a sign: those behind it follow in the same way."""
    joints = (
        JOINT.format("lead", "base", "a", sign, 1, ""),
        JOINT.format("middle", "a", "b", 1, 1, MIMIC.format("lead", 2 * sign)),
        JOINT.format("last", "b", "c", 1, 2, MIMIC.format("middle", 1)),
        JOINT.format("last", "b", "c_again", 1, 2, MIMIC.format("middle", 1)),
    )
    links = map(LINK.format, ("base", "a", "b", "c", "c_again"))
    return f'<robot name="r">{"".join(links)}{"".join(joints)}</robot>'


def compared(text, other):
    return compare(read_bytes(text.encode(), "a.urdf"), read_bytes(other.encode(), "b.urdf"))


def test_a_sign_at_the_leader_changes_no_rule_of_a_joint_that_is_there_twice():
    assert compared(robot_with(1), robot_with(-1)).verdict == "same"


def test_another_rule_of_the_second_one_is_named():
    second = 'link="c_again"/><origin xyz="0 0 2"/><axis xyz="1 0 0"/><mimic joint="middle" multiplier="1"'
    text = robot_with(1)
    assert text.count(second) == 1
    other = text.replace(second, second.replace('multiplier="1"', 'multiplier="3"'))
    assert [one.kind for one in compared(text, other).counted] == ["mimic"]
