"""The law of an edit: it holds for what each edit makes, by other code than the tool's, and for nothing else."""

import random
import re
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st
from random_robots import Traits, write_robot
from remade import from_another_root, How, LINES, motion, remake, times

from urdf_tools.compare.verify_edit import EditLaw, mirrored, subtree, verify_law
from urdf_tools.compare.read_any_format import read_bytes, with_mesh_paths
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.urdf.urdf_records import JointMap

PLAIN = Traits(links=10, odd_joints=False, duplicates=0.0, hostile=0.0)
SOLID = (
    '<inertial><origin xyz="0.02 0.01 0.1" rpy="0.3 0.2 0.1"/><mass value="2"/><inertia ixx="0.01" iyy="0.02" '
    'izz="0.025" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>'
)
MESH = '<visual><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><geometry><mesh filename="arm.stl"/></geometry></visual>'
HINGE = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}" rpy="0.2 0.3 0.4"/>'
    '<axis xyz="0.6 0 0.8"/><limit lower="-1" upper="2" effort="5" velocity="3"/>{5}</joint>'
)
LEFT = (
    f'<link name="left_arm">{SOLID}{MESH}</link><link name="left_hand">{SOLID}</link><link name="left_tip"/>'
    + HINGE.format("left_shoulder", "revolute", "torso", "left_arm", "0.1 0.2 0.3", "")
    + HINGE.format(
        "left_slide",
        "prismatic",
        "left_arm",
        "left_hand",
        "0.1 -0.02 0.3",
        '<mimic joint="left_shoulder" multiplier="0.1"/>',
    )
    + '<joint name="left_fixed" type="fixed"><parent link="left_hand"/><child link="left_tip"/>'
    '<origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/></joint>'
)
TORSO = f'<link name="base">{SOLID}</link><link name="torso">{SOLID}</link>' + HINGE.format(
    "waist", "revolute", "base", "torso", "0 0.05 0.2", ""
)
FORCE = (
    '<gazebo reference="waist"><sensor name="ft" type="force_torque"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>'
    "<force_torque>{}</force_torque></sensor></gazebo>"
)


def robot_of(inside):
    return read_bytes(f"<robot name='r'>{inside}</robot>".encode(), "robot.urdf")


def random_robot(seed):
    """Return a robot whose joints have no values, as a remade one."""
    robot = read_bytes(write_robot(random.Random(seed), PLAIN).encode(), "")
    return robot._replace(
        joints=tuple(joint._replace(values={}) for joint in robot.joints), sensors=(), actuators=()
    )


def edited(robot, of, index, **fields):
    """Return a robot with other fields of a link or joint."""
    parts = list(getattr(robot, of))
    parts[index] = parts[index]._replace(**fields)
    return robot._replace(**{of: tuple(parts)})


def moved(T, by):
    return T._replace(translation=(T.translation[0] + by, *T.translation[1:]))


def heavier(link):
    return {"mass": link.mass and link.mass._replace(mass=link.mass.mass * (1.0 + 1e-6))}


MUTANTS = {  # of which parts, and what is changed
    "a mass": ("links", lambda link: link.mass is not None and link.mass.mass > 0.0, heavier),
    "a center": (
        "links",
        lambda link: link.mass is not None and link.mass.mass > 0.0,
        lambda link: {
            "mass": link.mass._replace(center=(link.mass.center[0] + 1e-6, *link.mass.center[1:]))
        },
    ),
    "an origin": (
        "joints",
        lambda joint: True,
        lambda joint: {"T_parent_child": moved(joint.T_parent_child, 1e-6)},
    ),
    "a sign": (
        "joints",
        lambda joint: joint.type in LINES,
        lambda joint: {
            "axis": tuple(-part for part in joint.axis),
            "lower": joint.upper,
            "upper": joint.lower,
        },
    ),
    "a limit": (
        "joints",
        lambda joint: (
            joint.type in ("revolute", "prismatic") and joint.lower != -(joint.upper or 0.0)
        ),
        lambda joint: {"lower": -(joint.upper or 0.0), "upper": -(joint.lower or 0.0)},
    ),
    "the name of a joint": ("joints", lambda joint: True, lambda joint: {"name": joint.name + "_"}),
    "a shape": (
        "links",
        lambda link: bool(link.shapes),
        lambda link: {
            "shapes": (
                link.shapes[0]._replace(T_link_shape=moved(link.shapes[0].T_link_shape, 1e-6)),
                *link.shapes[1:],
            )
        },
    ),
    "a shape more": (
        "links",
        lambda link: bool(link.shapes),
        lambda link: {"shapes": link.shapes + link.shapes[:1]},
    ),
    "an effort": (
        "joints",
        lambda joint: bool(joint.effort),
        lambda joint: {"effort": 1.01 * joint.effort},
    ),
}


def assert_mutants_are_seen(before, after, law, r):
    for what, (of, applies, change) in MUTANTS.items():
        candidates = [k for k, part in enumerate(getattr(after, of)) if applies(part)]
        if candidates:
            k = r.choice(candidates)
            assert verify_law(before, edited(after, of, k, **change(getattr(after, of)[k])), law), (
                what
            )


@examples(fuzzed=200)
@given(SEEDS, st.booleans())
def test_another_author_s_file_is_the_same_robot_by_its_law(seed, is_turned):
    """Other names, signs, zeros, frames of links and base all at once, started from any link; and no mutant of it."""
    r, robot = random.Random(seed), random_robot(seed)
    other = remake(robot, r, How(names=True, zeros="any", base="any"))
    rules = other.truth.items()
    law = EditLaw(
        other.links,
        {name: new for name, (new, _, _) in rules},
        frames=other.frames,
        maps={name: JointMap(int(sign), -sign * offset) for name, (_, sign, offset) in rules},
    )
    after = other.robot
    if is_turned:
        root = r.choice([link.name for link in after.links])
        after, law = from_another_root(after, root), law._replace(root=root)
    assert verify_law(robot, after, law) == ()
    assert_mutants_are_seen(robot, after, law, r)


@pytest.mark.parametrize(
    "broken",
    [
        {"links": {}},
        {"joints": {}},
        {"maps": {}},
        {"frames": {}},
        {"root": "part0"},
        {"removed": {"upper"}},
        {"added": {"part0"}},
        {"held": {"hinge": 0.1}},
    ],
)
def test_each_part_of_a_law_is_used(broken):
    robot = robot_of(
        f'<link name="base">{SOLID}</link><link name="upper"/>'
        + HINGE.format("hinge", "revolute", "base", "upper", "0 0 1", "")
    )
    other = remake(robot, random.Random(2), How(names=True, zeros="any", base="any"))
    (name, sign, offset) = other.truth["hinge"]
    law = EditLaw(
        other.links,
        {"hinge": name},
        maps={"hinge": JointMap(int(sign), -sign * offset)},
        frames=other.frames,
    )
    assert sign < 0.0 and verify_law(robot, other.robot, law) == ()
    assert verify_law(robot, other.robot, law._replace(**broken))


def mirrored_text(text, axis):
    """Return a robot mirrored by the signs of its text alone: other numbers are as they were."""
    tree = ElementTree.fromstring(text)
    types = {
        child: joint.get("type") for joint in tree.iter("joint") for child in joint.iter("axis")
    }
    places = [k == axis for k in range(3)]

    def turn(element, key, which, default):
        words = (element.get(key) or default).split()
        element.set(
            key,
            " ".join(repr(-float(word)) if minus else word for word, minus in zip(words, which)),
        )

    for element in tree.iter():
        if element.tag == "origin":
            turn(element, "xyz", places, "0 0 0")
            turn(element, "rpy", [not place for place in places], "0 0 0")
        elif element.tag == "axis":
            turn(
                element,
                "xyz",
                places if types[element] == "prismatic" else [not place for place in places],
                "1 0 0",
            )
        elif element.tag == "mesh":
            turn(element, "scale", places, "1 1 1")
        elif element.tag == "inertia":
            for pair in ("xy", "xz", "yz"):
                if "xyz"[axis] in pair:
                    element.set(f"i{pair}", repr(-float(element.get(f"i{pair}") or "0")))
    for joint in tree.iter("joint"):
        if joint.get("type") in LINES and joint.find("axis") is None:
            ElementTree.SubElement(
                joint,
                "axis",
                xyz="1 0 0" if (axis == 0) != (joint.get("type") == "prismatic") else "-1 0 0",
            )
    return ElementTree.tostring(tree, encoding="unicode")


LINKAGE = b"""<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1"/>
<body name="b" pos=".3 .1 0"><joint name="k" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
<equality><connect name="c" body1="b" body2="a" anchor=".1 .2 .3"/><weld name="w" body1="b" body2="a"/></equality></mujoco>"""
TURNING_LOOP = (
    '<loop_joint name="l" type="revolute"><link1 link="base" xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/>'
    '<link2 link="left_tip"/><axis xyz="0.6 0 0.8"/></loop_joint>'
)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_the_mirror_image_of_the_mirror_image_is_the_robot(axis):
    """Also of loops, whose ends turn about an axis, or have none."""
    axes = []
    for robot in (read_bytes(LINKAGE, "r.xml"), robot_of(TORSO + LEFT + TURNING_LOOP)):
        image = mirrored(robot, axis)
        assert image != robot and mirrored(image, axis) == robot
        axes += [loop.axis for loop in image.loops]
    assert len(axes) == 3 and axes.count(None) == 2


def test_what_is_attached_is_its_file_and_the_rest_is_the_robot():
    hand = robot_of(LEFT.replace("torso", "palm") + f'<link name="palm">{SOLID}</link>')
    mount = '<joint name="mount" type="fixed"><parent link="torso"/><child link="palm"/><origin xyz="0 0 1"/></joint>'
    after = robot_of(
        TORSO + LEFT.replace("torso", "palm") + f'<link name="palm">{SOLID}</link>' + mount
    )
    of_the_hand = {link.name for link in hand.links}
    assert verify_law(robot_of(TORSO), after, EditLaw(added=of_the_hand)) == ()
    assert verify_law(hand, subtree(after, "palm"), EditLaw()) == ()
    more = robot_of(TORSO + f'<link name="tip"/>{mount.replace("palm", "tip")}')
    assert [found.kind for found in verify_law(robot_of(TORSO), more, EditLaw())] == ["only_b"]
    assert [found.kind for found in verify_law(more, robot_of(TORSO), EditLaw())] == [
        "only_a",
        "frame_only_a",
    ]


def test_what_a_body_has_stays_on_its_links():
    """Two links on a fixed joint are one body: a mass or a shape that goes from one to the other moves nothing."""
    fixed = '<joint name="fixed" type="fixed"><parent link="a"/><child link="b"/></joint>'
    for first, second, kinds in (
        (SOLID, "", ["mass", "mass"]),
        (MESH, "", ["shape_only_a", "shape_only_b"]),
    ):
        before, after = (
            robot_of(f'<link name="a">{one}</link><link name="b">{other}</link>{fixed}')
            for one, other in ((first, second), (second, first))
        )
        assert verify_law(before, before, EditLaw()) == ()
        assert [found.kind for found in verify_law(before, after, EditLaw())] == kinds


def test_a_locked_joint_holds_what_it_carries():
    before = robot_of(TORSO + LEFT)
    waist = before.joints[0]
    after = edited(
        before,
        "joints",
        0,
        type="fixed",
        T_parent_child=times(waist.T_parent_child, motion(waist, 0.3)),
    )
    law = EditLaw(held={"waist": 0.3})
    assert verify_law(before, after, law) == ()
    assert verify_law(before, after, EditLaw()) and verify_law(
        before, after, EditLaw(held={"waist": 0.3 + 1e-6})
    )


DRIVEN = (
    '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{0}"><hardwareInterface>'
    'EffortJointInterface</hardwareInterface></joint><actuator name="m"/></transmission>'
)


def test_what_drives_a_locked_joint_goes_by_any_name():
    parts = f'<link name="base">{SOLID}</link><link name="upper">{SOLID}</link>'
    before = robot_of(
        parts + HINGE.format("old", "revolute", "base", "upper", "0 0 1", "") + DRIVEN.format("old")
    )
    after = robot_of(
        parts + HINGE.format("new", "fixed", "base", "upper", "0 0 1", "") + DRIVEN.format("new")
    )
    assert verify_law(before, after, EditLaw(held={"old": 0.0}, joints={"old": "new"})) == ()


@pytest.mark.parametrize(
    ("frame", "direction"),
    [("", ""), ("child", "parent_to_child"), ("parent", ""), ("sensor", "child_to_parent")],
)
def test_a_sensor_in_a_joint_measures_as_before_from_another_root(frame, direction):
    """Its `<frame>` and direction are those of the other link now; where they stay, it measures otherwise."""

    def text(frame, direction):
        return (f"<frame>{frame}</frame>" if frame else "") + (
            f"<measure_direction>{direction}</measure_direction>" if direction else ""
        )

    def of_words(frame, direction):
        return robot_of(TORSO + FORCE.format(text(frame, direction)))

    opposite = {
        "child": "parent",
        "parent": "child",
        "sensor": "sensor",
        "": "parent",
        "child_to_parent": "parent_to_child",
        "parent_to_child": "child_to_parent",
    }
    before = of_words(frame, direction)
    after = from_another_root(
        of_words(opposite[frame], opposite[direction or "child_to_parent"]), "torso"
    )
    (sensor,), waist = before.sensors, before.joints[0]
    T = times(waist.T_parent_child, sensor.T_link_sensor)
    after = after._replace(sensors=(after.sensors[0]._replace(link="base", T_link_sensor=T),))
    assert verify_law(before, after, EditLaw(root="torso")) == ()
    same = after._replace(sensors=(after.sensors[0]._replace(words=sensor.words),))
    assert [found.kind for found in verify_law(before, same, EditLaw(root="torso"))] == [
        "sensor_words"
    ]


def triangles(sign):
    corners = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, sign, 0.0), (0.0, 0.0, 0.5)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    return (
        "solid s\n"
        + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*corners[k]) for k in face[:: int(sign)])
            + "endloop\nendfacet\n"
            for face in faces
        )
        + "endsolid s\n"
    ).encode()


def test_a_mesh_may_be_mirrored_in_a_file_of_its_own(tmp_path):
    before = with_mesh_paths(robot_of(TORSO + LEFT), str(tmp_path))
    text = mirrored_text(f"<robot>{TORSO + LEFT}</robot>", 1)
    (tmp_path / "arm.stl").write_bytes(triangles(1.0))
    law = EditLaw(files={"arm.stl": "twin.stl"}, mirrored="y")
    found = []
    for data in (triangles(-1.0), triangles(1.0)):
        (tmp_path / "twin.stl").write_bytes(data)
        after = read_bytes(
            re.sub('scale="[^"]*"', "", text).replace("arm.stl", "twin.stl").encode(), ""
        )
        before = with_mesh_paths(before, str(tmp_path))
        found.append(
            [text_of(one) for one in verify_law(before, with_mesh_paths(after, str(tmp_path)), law)]
        )
    assert found[0] == [] and len(found[1]) == 1
