"""The judge of the corpus finds each way in which a tool may be wrong, and sees through turned frames and signs."""

import math

import pytest

np = pytest.importorskip("numpy", reason="the judge needs numpy")
pytest.importorskip("pinocchio", reason="the judge needs Pinocchio")
from judged_texts import tree_of  # noqa: E402

judge = pytest.importorskip("corpus_judge")

ARM = """<robot name="arm">
  <!-- the base -->
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="upper"><inertial><origin xyz="0.1 0 0.2"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual></link>
  <link name="lower"><inertial><origin xyz="0 0.1 0.2"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0.02" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 1"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0 0 0.5" rpy="0.1 0 0"/><parent link="upper"/><child link="lower"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="3" velocity="4"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.25"/></joint>
  <gazebo reference="lower"/>
</robot>
"""
SAME = {"shoulder": ("shoulder", 1.0), "elbow": ("elbow", 1.0)}


def verdict(after, names, X):
    """Return how far the motion is, and how many shapes are new, limits other and names dangling."""
    before, found = judge.in_pinocchio(ARM), judge.in_pinocchio(after)
    trees = tree_of(ARM.encode()), tree_of(after.encode())
    new = judge.new_shapes(judge.shapes(trees[0], before), judge.shapes(trees[1], found), X)
    return (
        judge.motion(before, found, names, X)[0],
        len(new),
        len(judge.limits(*trees, names)),
        len(judge.dangling(*trees)),
    )


def test_a_robot_is_itself():
    assert verdict(ARM, SAME, np.eye(4)) == (0.0, 0, 0, 0)


@pytest.mark.parametrize(
    "old, new, place",
    [
        ('xyz="0 0 0.5"', 'xyz="0 0.001 0.5"', 0),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 -1"/>', 0),
        ('<mass value="2"/>', '<mass value="2.02"/>', 0),
        ('ixz="0.02"', 'ixz="-0.02"', 0),
        ('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.11"/>', 1),
        ("a.stl", "b.stl", 1),
        ('velocity="4"/></joint>', 'velocity="5"/></joint>', 2),
        ('lower="-1"', 'lower="-2"', 2),
        ('multiplier="0.5"', 'multiplier="-0.5"', 2),
        ('offset="0.25"', "", 2),
        ('type="revolute"><origin xyz="0 0 1"/>', 'type="continuous"><origin xyz="0 0 1"/>', 2),
        ('link="lower"/>\n    <axis', 'link="forearm"/>\n    <axis', 3),
    ],
)
def test_each_edit_is_found_where_it_is(old, new, place):
    edited = ARM.replace(old, new)
    assert edited != ARM
    if place == 3:
        edited = edited.replace('<link name="lower">', '<link name="forearm">')
    others = [number for number, far in enumerate(verdict(edited, SAME, np.eye(4))) if far > 1e-6]
    assert others == [place]


def test_another_base_frame_and_sign_are_no_difference():
    """All is turned by 90 degrees about z, and the shoulder counts the other way; both are said."""
    turned = (
        ARM.replace(
            '<origin xyz="0 0 1"/><parent', f'<origin xyz="0 0 1" rpy="0 0 {math.pi / 2}"/><parent'
        )
        .replace('<origin xyz="0 0 0.1"/>', f'<origin xyz="0 0 0.1" rpy="0 0 {math.pi / 2}"/>')
        .replace('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>')
        .replace('lower="-1" upper="2"', 'lower="-2" upper="1"', 1)
        .replace('multiplier="0.5"', 'multiplier="-0.5"')
    )
    X = np.array(
        [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )
    far, *others = verdict(turned, {**SAME, "shoulder": ("shoulder", -1.0)}, X)
    assert far < 1e-12 and others == [0, 0, 0]
    assert verdict(turned, SAME, X)[0] > 0.1 and verdict(turned, SAME, np.eye(4))[0] > 0.1


@pytest.mark.parametrize("engine", ["in_mujoco", "in_drake"])
def test_engines_agree_on_motion_and_masses(engine):
    pytest.importorskip(
        {"in_mujoco": "mujoco", "in_drake": "pydrake"}[engine], reason=f"{engine} needs it"
    )
    text = ARM.replace(
        '<visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual>', ""
    )
    words = ("base", "urdf") if engine == "in_drake" else ()
    held = text.replace('<link name="base">', '<link name="world"/><link name="base">').replace(
        "<gazebo",
        '<joint name="held" type="fixed"><parent link="world"/><child link="base"/></joint><gazebo',
    )
    found = getattr(judge, engine)(held if engine == "in_drake" else text, *words)
    assert judge.motion(judge.in_pinocchio(text), found, SAME, np.eye(4))[0] < 1e-12


def test_names_that_nobody_declared_and_comments_are_read():
    assert tree_of(b'<robot><xacro:include file="a"/></robot>')[0].tag == "xacro_include"
    assert judge.comments(ARM) == {"the base": 1}


def test_what_an_engine_does_not_take_has_its_words():
    with pytest.raises(judge.Unread, match="Pinocchio"):
        judge.in_pinocchio(ARM.replace('<link name="lower">', '<link name="upper">'))
