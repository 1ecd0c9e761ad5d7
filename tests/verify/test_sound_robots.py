"""What the proof must not refuse: odd but sound robots, whose runs end well and say what is odd."""

import pytest
from conftest import signs_of

from urdf_tools import simplify

MASS = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(folder, *lines):
    path = folder / "robot.urdf"
    path.write_text('<robot name="r">\n' + "\n".join(lines) + "\n</robot>\n")
    return path


def link(name, inside=""):
    return f'<link name="{name}">{MASS}{inside}</link>'


def joint(name, kind, parent, child, inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


@pytest.mark.parametrize("first_is_deeper", [True, False])
def test_joints_of_one_name_in_any_depth(tmp_path, first_is_deeper):
    turning = f'<axis xyz="0 0 1"/>{LIMIT}'
    twice = [
        joint("j", "revolute", "a", "y", turning),
        joint("j", "revolute", "base", "x", turning),
    ]
    path = robot(
        tmp_path,
        link("base"),
        '<link name="a"/>',
        link("x"),
        link("y"),
        joint("f", "fixed", "base", "a"),
        *(twice if first_is_deeper else reversed(twice)),
    )
    assert simplify(path, tmp_path / "out.urdf").proof.position < 1e-12


def test_content_of_links_that_are_in_another_order_than_their_joints(tmp_path):
    path = robot(
        tmp_path,
        link("base"),
        link("z", '<sensor name="s"><origin xyz="1 2 3"/></sensor>'),
        link("a", '<frame name="f"><origin xyz="3 2 1"/></frame>'),
        joint("first", "fixed", "base", "a"),
        joint("second", "fixed", "base", "z"),
    )
    result = simplify(path, tmp_path / "out.urdf")
    assert [element.name for element in result.after.links["base"].extras] == ["frame", "sensor"]


def test_of_two_parts_of_a_joint_the_first_counts_and_the_second_stays(tmp_path):
    twice = '<limit lower="-1" upper="2" effort="1" velocity="1"/><limit lower="-3" upper="4" effort="1" velocity="1"/>'
    marks = '<calibration rising="0.1"/><calibration falling="0.3"/>'
    path = robot(
        tmp_path,
        link("base"),
        link("arm"),
        joint("j", "revolute", "base", "arm", f'<axis xyz="0 0 -1"/>{twice}{marks}'),
    )
    result = simplify(path, tmp_path / "out.urdf")
    assert signs_of(result.plan) == {"j": -1}
    assert [
        (element.get("lower"), element.get("upper"))
        for element in result.after.joints[0].source.elements("limit")
    ] == [("-2", "1"), ("-3", "4")]


@pytest.mark.parametrize("keep_all_frames", [False, True])
def test_a_made_up_name_of_a_collision_is_warned_of_where_others_come_to_it(
    tmp_path, keep_all_frames
):
    name = "base_fixed_joint_lump__part_collision_1"
    shape = '<collision><origin xyz="{} 0 0"/><geometry><box size="1 1 1"/></geometry></collision>'
    sensor = (
        f'<sensor name="s" type="contact"><contact><collision>{name}</collision></contact></sensor>'
    )
    path = robot(
        tmp_path,
        link("base", shape.format(1)),
        link("part", shape.format(2)),
        link("bolt", shape.format(3)),
        joint("f", "fixed", "base", "part"),
        joint("g", "fixed", "part", "bolt"),
        f"<gazebo>{sensor}</gazebo>",
    )
    warnings = simplify(
        path, tmp_path / "out.urdf", keep=["part"], keep_all_frames=keep_all_frames
    ).plan.warnings
    assert [notice.text for notice in warnings if notice.kind.name == "contact-collision"] == [
        f"<collision> names '{name}', which a simulator generates for a collision of 'part', and that link has other "
        "collisions now; left as it is"
    ]


def test_a_made_up_name_of_a_collision_of_an_emptied_link_is_warned_of(tmp_path):
    shape = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
    sensor = '<sensor name="s" type="contact"><contact><collision>pad_collision</collision></contact></sensor>'
    path = robot(
        tmp_path,
        link("base", shape),
        link("pad", shape),
        joint("f", "fixed", "base", "pad"),
        f"<gazebo>{sensor}</gazebo>",
    )
    warnings = simplify(path, tmp_path / "out.urdf", keep_all_frames=True).plan.warnings
    assert [notice.text for notice in warnings if notice.kind.name == "contact-collision"] == [
        "<collision> names 'pad_collision', which a simulator generates for a collision of 'pad', and that collision is "
        "in 'base' now; left as it is"
    ]


@pytest.mark.parametrize(("parent", "kind"), [("a", "revolute"), ("base", "floating")])
def test_of_joints_that_are_renamed_the_one_that_others_mean_keeps_its_name(tmp_path, parent, kind):
    turning = f'<axis xyz="0 0 1"/>{LIMIT}'
    path = robot(
        tmp_path,
        *map(link, ("base", "a", "x", "y", "z")),
        joint("j", kind, parent, "y", turning),
        joint("j", "revolute", "base", "x", turning),
        joint("m", "revolute", "base", "z", turning + '<mimic joint="j"/>'),
        joint("h", "revolute", "base", "a", turning),
    )
    result = simplify(path, tmp_path / "out.urdf", lenient=True)
    assert [joint.name for joint in result.after.joints[:2]] == (
        ["j", "j_2"] if kind == "revolute" else ["j_2", "j"]
    )


BOX = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
ON_ITS_SIDE = joint("f", "fixed", "base", "pad", '<origin rpy="0 0 1.5707963267948966"/>')
OF_BOTH = link("base", BOX), link("pad", BOX), ON_ITS_SIDE
OF_ANOTHER = (
    *(link("base"), link("pad", BOX), link("other", BOX)),
    *(ON_ITS_SIDE, joint("g", "fixed", "base", "other")),
)


@pytest.mark.parametrize(
    ("parts", "directions", "links"),
    [
        (OF_BOTH, {"base": "1 0 0", "pad": "1 0 0"}, ["base"]),
        (OF_BOTH, {"base": "1 0 0", "pad": "0 -1 0"}, ["base", "pad"]),
        (OF_ANOTHER, {"pad": "0 -1 0", "other": "0 -1 0"}, ["base"]),
        (OF_ANOTHER, {"pad": "0 -1 0", "other": "1 0 0"}, ["base", "other"]),
    ],
)
def test_friction_directions_are_compared_in_the_frames_of_collisions(
    parts, directions, links, tmp_path
):
    """Also one that came from another link."""
    blocks = [
        f'<gazebo reference="{name}"><fdir1>{direction}</fdir1></gazebo>'
        for name, direction in directions.items()
    ]
    path = robot(tmp_path, *parts, *blocks)
    assert list(simplify(path, tmp_path / "out.urdf", base_frame="ros").after.links) == links


def ranged(*bounds):
    parameters = "".join(f'<param name="{name}">{value}</param>' for name, value in bounds)
    return (
        '<ros2_control name="c" type="system"><joint name="j"><command_interface name="position">'
        f"{parameters}</command_interface></joint></ros2_control>"
    )


@pytest.mark.parametrize(
    "element",
    [
        '<gazebo reference="w"><mu1>nan</mu1><kp>nan</kp></gazebo>',
        '<gazebo reference="k"><fdir1>nan 0 0</fdir1><sensor name="s" type="ray"><pose>nan 0 0 0 0 0</pose></sensor>'
        "</gazebo>",
        '<gazebo reference="j"><springReference>inf</springReference><springStiffness>1</springStiffness></gazebo>',
        ranged(("min", "-inf"), ("max", "inf")),
        ranged(("min", "-1"), ("min", "-2"), ("max", "3")),
    ],
    ids=["friction", "vectors", "spring", "endless-range", "bound-twice"],
)
def test_numbers_that_are_none_elsewhere(tmp_path, element):
    path = robot(
        tmp_path,
        link("a"),
        link("w", '<contact><lateral_friction value="nan"/></contact>'),
        joint("f", "fixed", "a", "w"),
        link("k"),
        joint("j", "revolute", "a", "k", f'<axis xyz="0 0 -1"/>{LIMIT}'),
        element,
    )
    result = simplify(path, tmp_path / "out.urdf")
    assert signs_of(result.plan) == {"j": -1}
    second = simplify(tmp_path / "out.urdf", None)
    assert not second.changed


def test_a_shape_that_cannot_be_read_is_warned_of_and_stays(tmp_path):
    odd = [
        '<box size="1 1"/>',
        '<sphere radius="abc"/>',
        '<cylinder radius="1"/>',
        "<foo/>",
        '<mesh filename="a.stl" scale="1 1"/>',
    ]
    shapes = "".join(f"\n<collision><geometry>{one}</geometry></collision>" for one in odd)
    path = robot(tmp_path, link("base"), link("a", shapes + "\n"), joint("f", "fixed", "base", "a"))
    result = simplify(path, tmp_path / "out.urdf")
    found = [
        (notice.line, notice.text)
        for notice in result.plan.warnings
        if notice.kind.name == "unreadable-geometry"
    ]
    assert [line for line, _ in found] == [4, 5, 6, 7, 8]
    assert (
        "link 'a': the <box> of this <collision> is unknown, or its numbers cannot be read"
        in found[0][1]
    )
    assert all(one in result.text for one in odd)


@pytest.mark.parametrize(("base_frame", "kinds"), [("ros", []), ("onshape", ["free-joint"])])
def test_a_planar_joint_whose_frame_turns_with_the_base_is_warned_of(tmp_path, base_frame, kinds):
    path = robot(
        tmp_path,
        link("base"),
        link("cart"),
        joint("j", "planar", "base", "cart", '<axis xyz="0 0 1"/>'),
    )
    result = simplify(path, tmp_path / "out.urdf", base_frame=base_frame)
    assert [notice.kind.name for notice in result.plan.warnings] == kinds
