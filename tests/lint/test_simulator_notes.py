"""Notes for simulators: each where it applies, and nowhere else."""

import pytest
from commands import said

from urdf_tools.lint.program_rules import simulator_notes
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

MASS = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{izz}"/></inertial>'
VISUAL = '<visual><geometry><box size="1 1 1"/></geometry>{material}</visual>'
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'


def notes(
    link=MASS.format(izz="0.1"),
    limit='lower="-1" upper="1"',
    kind="revolute",
    beside="",
    root="base",
):
    """Return the notes on a robot of one joint below a root; "; " stands between them."""
    text = (
        f'<robot name="r"><link name="{root}"/><link name="mid">{MASS.format(izz="0.1")}</link><link name="arm">'
        f'{link}</link><joint name="bolt" type="fixed"><parent link="{root}"/><child link="mid"/></joint>'
        f'<joint name="j" type="{kind}"><parent link="mid"/><child link="arm"/>'
        f'<limit {limit} effort="1" velocity="1"/></joint>{beside}</robot>'
    )
    robot = read_robot(parse_document(text.encode("utf-8"), "robot.urdf"))
    return "; ".join(one.text for one in simulator_notes(robot))


def test_nothing_to_say():
    assert notes(root="world") == ""


@pytest.mark.parametrize(
    ("text", "part"),
    (
        (
            notes(link=MASS.format(izz="0.1") + VISUAL.format(material="")),
            "MuJoCo discards visuals unless",
        ),
        (
            notes(limit='lower="-1"'),
            "joint 'j': a one-sided limit, or lower > upper, means unlimited in MuJoCo",
        ),
        (notes(limit='upper="1"'), "unlimited in MuJoCo"),
        (notes(limit='lower="2" upper="1"'), "unlimited in MuJoCo"),
        (notes(), "joint 'bolt': Gazebo merges the links of this fixed joint"),
        (notes(kind="fixed"), "joint 'j': Gazebo merges the links of this fixed joint"),
        (
            notes(
                link=MASS.format(izz="0.1")
                + VISUAL.format(material=RED)
                + VISUAL.format(material="")
            ),
            "link 'arm': MuJoCo draws a visual without <material> in the color of the visual before",
        ),
        (
            notes(link='<visual><geometry><mesh filename="a.DAE"/></geometry></visual>'),
            "'a.DAE': MuJoCo cannot",
        ),
        (
            notes(
                link="".join(
                    f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
                    for name in ("a.glb", "b.dae", "c.GLB", "d.STL", "e.obj")
                )
            ),
            "mesh 'a.glb': MuJoCo cannot read its format, and discards the visual; mesh 'b.dae': MuJoCo cannot read its format, and "
            "discards the visual; mesh 'c.GLB': MuJoCo cannot",
        ),
        (
            notes(link='<collision><geometry><mesh filename="a.DAE"/></geometry></collision>'),
            "mesh 'a.DAE': MuJoCo cannot read its format; ",
        ),
        (notes(link=""), "link 'arm': Gazebo drops a link without <inertial>, and its subtree"),
        (
            notes(link=MASS.format(izz="0.3")),
            "link 'arm': one of its principal moments of inertia is larger than the sum of the others, which MuJoCo refuses",
        ),
        (
            notes(beside=RED + RED.replace("1 0 0 1", "1 0 0 0.5")),
            "material 'red' has two colors: Drake refuses the file, and other readers differ in which color they take",
        ),
    ),
)
def test_where_it_applies(text, part):
    assert part in text


@pytest.mark.parametrize(
    ("text", "part"),
    (
        (
            notes(
                link=VISUAL.format(material=""),
                beside='<mujoco><compiler discardvisual="false"/></mujoco>',
            ),
            "discard",
        ),
        (notes(), "unlimited"),
        (notes(), "KDL"),
        (notes(), "A + B"),
        (notes(), "Gazebo drops"),
        (
            notes(
                link=MASS.format(izz="0.1")
                + VISUAL.format(material="")
                + VISUAL.format(material=RED)
            ),
            "color",
        ),
        (
            notes(
                beside='<gazebo reference="bolt"><preserveFixedJoint>true</preserveFixedJoint></gazebo>'
            ),
            "Gazebo merges",
        ),
        (
            notes(beside=RED + '<material name="red"><color rgba="1.0 0 0 1"/></material>'),
            "two colors",
        ),
    ),
)
def test_where_it_does_not(text, part):
    assert part not in text


def test_weight_on_the_root():
    text = f'<robot name="r"><link name="body">{MASS.format(izz="0.1")}</link></robot>'
    found = simulator_notes(read_robot(parse_document(text.encode("utf-8"), "robot.urdf")))
    assert [one.text for one in found] == [
        "KDL (RViz, MoveIt) ignores the inertia of the root 'body': "
        'edit ROBOT --add-root "body_root" cures it'
    ]


def test_a_run_says_what_a_tensor_is_to_mujoco(here):
    """`lint` has an error of its own about it; a run has the note alone."""
    (here / "r.urdf").write_text(
        f'<robot name="r"><link name="base"/><link name="arm">{MASS.format(izz="0.9")}</link><joint name="j" '
        'type="revolute"><parent link="base"/><child link="arm"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/></joint></robot>'
    )
    out = " ".join(said("r.urdf", "-n", "--full")[1].split())
    assert (
        "note: [in-mujoco] line 1: link 'arm': one of its principal moments of inertia is larger"
        in out
    )
    out = " ".join(said("lint", "r.urdf", "--full")[1].split())
    assert "A + B < C" not in out and "error[inertia]" in out
