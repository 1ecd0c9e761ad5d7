"""No act gives a name to a second thing: links, joints, frames, loops, sensors, transmissions; groups of an SRDF."""

import random
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, carried_out, random_acts, random_text, SRDF, written
from hypothesis import given

from urdf_tools import edit
from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.read_any_format import read_bytes

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
HINGE = (
    '<joint name="{}" type="continuous"><parent link="base"/><child link="tool"/>'
    '<axis xyz="0 0 1"/></joint>'
)
WRIST = f'<robot name="wrist"><link name="base"/>{HINGE}<link name="tool">{MASS}</link></robot>'
PALM = (
    '<robot name="hand"><link name="base"/><joint name="base_joint" type="fixed"><parent link="base"/>'
    f'<child link="palm"/></joint><link name="palm">{MASS}</link></robot>'
)
ALONE = f'<robot name="hand"><link name="palm">{MASS}</link></robot>'
FRAMED = (
    f'<robot name="hand"><link name="palm">{MASS}</link><frame name="grip" link="palm" xyz="0 0 0.1"/>'
    '<drake:linear_bushing_rpy><drake:bushing_frameA name="grip"/></drake:linear_bushing_rpy></robot>'
)


def shared_names(text):
    """Return the names that a URDF or SRDF gives to several things, each with the kind of thing; read by expat."""
    root = ElementTree.fromstring(text)
    names = Counter()
    for top in root:
        if top.tag == "group_state":
            names[top.tag, top.get("group"), top.get("name")] += 1
        elif top.tag != "gazebo" and top.get("name"):
            names[top.tag, top.get("name")] += 1
        for part in top.iter() if top.tag in ("transmission", "ros2_control", "gazebo") else ():
            if part is not top and part.tag in ("actuator", "sensor", "gpio"):
                names[part.tag, part.get("name")] += 1
    return {named for named, count in names.items() if count > 1}


@pytest.mark.parametrize(
    "robot, part, words, joint",
    (
        (WRIST.format("turn"), PALM, "tool prefix=h_", "h_base_joint_2"),
        (WRIST.format("palm_joint"), ALONE, "tool", "palm_joint_2"),
        (
            WRIST.format("h_base_joint_2"),
            PALM,
            "tool prefix=h_",
            "h_base_joint_3",
        ),
        (WRIST.format("turn"), PALM, "tool prefix=h_ joint=mount", "mount"),
        (
            WRIST.format("turn").replace("</robot>", '<gazebo reference="palm_joint"/></robot>'),
            ALONE,
            "tool",
            "palm_joint_2",
        ),
    ),
)
def test_the_joint_of_a_part_gets_a_name_that_neither_robot_has(
    robot, part, words, joint, tmp_path
):
    file, hand = written(tmp_path, "r.urdf", robot), written(tmp_path, "hand.urdf", part)
    result = edit(file, attach=f"{hand} {words}")
    assert f'<joint name="{joint}" type="fixed">' in result.text
    assert shared_names(result.text) == set()
    is_as_expected = joint in ("mount", "h_base_joint")
    assert is_as_expected or f"by joint {joint}" in result.exported.changes[0]


def test_the_joint_of_a_new_root_gets_a_free_name(tmp_path):
    result = edit(written(tmp_path, "r.urdf", WRIST.format("foot_joint")), add_root="foot")
    assert '<joint name="foot_joint_2" type="fixed">' in result.text
    assert shared_names(result.text) == set()


@pytest.mark.parametrize(
    "words, why",
    (
        ("tool prefix=h_ joint=h_base_joint", "hand.urdf has a joint of this name: give another"),
        ("tool prefix=h_ joint=turn", "there is a joint 'turn' already"),
    ),
)
def test_a_given_name_that_one_of_them_has_is_refused(words, why, tmp_path):
    hand = written(tmp_path, "hand.urdf", PALM)
    with pytest.raises(UrdfError, match=why):
        edit(written(tmp_path, "r.urdf", WRIST.format("turn")), attach=f"{hand} {words}")


def test_frames_take_the_prefix_with_all_that_names_them(tmp_path):
    """So two parts of one kind can hang on a robot."""
    hand = written(tmp_path, "hand.urdf", FRAMED)
    robot = written(tmp_path, "r.urdf", WRIST.format("turn"))
    text = edit(robot, attach=[f"{hand} tool prefix=l_", f"{hand} tool prefix=r_"]).text
    for side in "lr":
        assert f'<frame name="{side}_grip" link="{side}_palm"' in text
        assert f'<drake:bushing_frameA name="{side}_grip"/>' in text


DRIVES = ARM.replace('"tool"', '"left_tool"').replace(
    "</robot>",
    '<transmission name="drive_of_right_arm"><joint name="left_slide"/></transmission></robot>',
)


@pytest.mark.parametrize(
    "text, acts, why",
    (
        (FRAMED, {"rename": "palm=grip"}, "two frames would be called 'grip'"),
        (
            DRIVES,
            {"mirror": "left_arm left=right"},
            "two <transmission> elements would be called 'drive_of_right_arm': rename one of them in the file",
        ),
        (
            FRAMED,
            {"attach": "hand.urdf palm joint=mount"},
            "there is a link 'palm' already: give prefix=hand_",
        ),
        (
            FRAMED.replace("palm", "plate"),
            {"attach": "hand.urdf plate"},
            "two frames would be called 'grip': give prefix=hand_",
        ),
    ),
)
def test_a_name_for_two_things_is_refused(text, acts, why, here):
    """What has a name of its own beside links and joints, too."""
    written(here, "hand.urdf", FRAMED)
    with pytest.raises(UrdfError, match=why):
        edit(written(here, "r.urdf", text), **acts)


def test_groups_of_two_srdfs_are_not_mixed_up(tmp_path):
    """Without a prefix for the part, whose group would be the second of its name."""
    of_hand = '<robot name="hand"><group name="left"><link name="palm"/></group></robot>'
    hand = written(tmp_path, "hand.urdf", ALONE)
    words = f"{hand} tool srdf={written(tmp_path, 'hand.srdf', of_hand)}"
    files = {
        "urdf": written(tmp_path, "r.urdf", ARM),
        "srdf": written(tmp_path, "r.srdf", SRDF),
    }
    with pytest.raises(
        UrdfError, match="two <group> elements would be called 'left': give prefix=hand_"
    ):
        edit(**files, attach=words)
    srdf = edit(**files, attach=f"{words} prefix=h_").companions[0].data.decode()
    assert shared_names(srdf) == set() and '<group name="h_left">' in srdf


def with_clashes(acts, names, r):
    """Return acts in which prefixes and new names are often those that the robot has."""
    taken = []
    for act, value in acts:
        name = r.choice(names)
        if act == "attach" and r.random() < 0.7:
            value = value.split(" prefix=")[0] + r.choice((" prefix=h_", "", f" joint='{name}'"))
        if act == "add_root" and name.endswith("_joint"):
            value = name[: -len("_joint")]
        if act == "rename" and r.random() < 0.5:
            value = f"{value.partition('=')[0]}={name}"
        if act == "mirror" and r.random() < 0.5:
            value = value.replace("/^/=", f"/.*{r.choice('0123456789')}/={name}")
        taken.append((act, value))
    return taken


def part_for_clashes(seed):
    """Return a robot with a joint called as the one that `--attach` would make."""
    text = random_text(seed)
    robot = read_bytes(text.encode(), "")
    carried = {joint.child for joint in robot.joints}
    root = next(link.name for link in robot.links if link.name not in carried)
    # The world is no part that can be attached.
    new_names = {root: "palm", robot.joints[0].name: "palm_joint"} if robot.joints else {}
    for old, new in new_names.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    return text


@examples(fuzzed=600)
@given(SEEDS)
def test_no_sequence_of_acts_makes_a_name_twice(seed):
    """But what shares a name in the input; all names of all tags are counted by another reader."""
    text, r = any_text(seed), random.Random(seed)
    other = part_for_clashes(r.randrange(2**32))
    names = ElementTree.fromstring(text).findall("./*[@name]")
    names = [element.get("name") for element in names if "'" not in element.get("name")]
    with_joints = [*names, *(f"{name}_joint" for name in names)]
    known = shared_names(text) | shared_names(other)
    with tempfile.TemporaryDirectory() as folder:
        hand = written(Path(folder), "other.urdf", other)
        attached = ("attach", f"{hand} '{read_bytes(text.encode(), '').links[-1].name}' prefix=h_")
        acts = with_clashes([attached, *random_acts(text, r, hand, most=3)], with_joints, r)
        try:
            result = carried_out(text, acts)
        except UrdfError:
            return
    of_kinds = {named[0] for named in known}
    assert {named for named in shared_names(result.text) if named[0] not in of_kinds} == set(), acts
