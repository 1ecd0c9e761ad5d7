"""Each act, on a small robot: what it writes, what follows, what it leaves byte for byte, and what it refuses."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from edited_robots import ARM, HAND, MESH, SOLID, SRDF, written

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError, UsageError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.edit.scaled_mesh_files import SCALED, scaled_stl
from urdf_tools.edit.joint_numbers import OF_JOINT

PAINTED = ARM.replace(
    '<link name="tool"/>',
    '<link name="tool"><visual><geometry><sphere radius="1"/></geometry>'
    '<material name="paint"><color rgba="1 0 0 1"/></material></visual></link>',
)


def edited(folder, text=ARM, **acts):
    return edit(written(folder, "arm.urdf", text), **acts)


ROWS = (
    # robot, acts, what the result has, and what it has not
    (
        ARM,
        {"root": "left_hand"},
        ['<parent link="left_arm"/><child link="base"/>', "variant: root left_hand"],
        [],
    ),
    (ARM, {"root": "base"}, [ARM.partition("\n")[2]], []),
    (
        ARM,
        {"prefix": "a_"},
        [
            '<link name="a_tool"/>',
            '<mimic joint="a_left_shoulder"',
            '<transmission name="a_drive">',
            '<actuator name="a_motor"/>',
            '<gazebo reference="a_left_hand">',
            'name="a_eye"',
            "a_left_shoulder = left_shoulder",
        ],
        ['"left_'],
    ),
    (
        ARM,
        {"rename": "left_*=l_*"},
        ['<link name="l_arm">', '<joint name="l_slide"', '<mimic joint="l_shoulder"'],
        ['"left_', 'name="l_drive"'],
    ),
    (
        ARM,
        {"rename": ["link:left_arm=upper", "joint:/left_(.*)/=\\1_left"]},
        ['<link name="upper">', '"shoulder_left"'],
        ['"left_arm"'],
    ),
    (ARM, {"rename": {"left_tool": "flange"}}, ['<joint name="flange" type="fixed">'], []),
    (
        ARM,
        {"add_root": "foot xyz='0 0 -0.5'"},
        [
            '<link name="foot"/>',
            '<joint name="foot_joint" type="fixed">',
            '<origin xyz="0 0 -0.5" rpy="0 0 0"/>',
        ],
        [],
    ),
    (
        ARM,
        {"set": "left_*.effort=35"},
        ['upper="2" effort="35" velocity="3"', 'upper="0.1" effort="35"'],
        [],
    ),
    (
        ARM,
        {"set": "left_shoulder.effort=*2 left_shoulder.damping=0.1 base.mass=*0.5"},
        ['effort="10"', '<dynamics damping="0.1"/>', '<mass value="1"/>', 'ixx="0.005"'],
        [],
    ),
    (
        ARM,
        {"mirror": "left_arm left=right"},
        [
            '<link name="right_hand">',
            '<axis xyz="-0.6 0 -0.8"/>',
            '<axis xyz="0 -0.6 0.8"/>',
            'scale="1 -1 1"',
            '<origin xyz="0.1 -0.2 0.3" rpy="-0.1 0.2 -0.3"/>',
            'ixy="-0.001" ixz="0.002" iyz="-0.003"',
            '<mimic joint="right_shoulder" multiplier="0.1" offset="0.01"/>',
            "<pose>0.1 -0.2 0.3 -0.1 0.2 -0.3</pose>",
        ],
        [],
    ),
    (
        PAINTED,
        {"root": "tool", "zero": {"left_shoulder": 0.5}},
        ["root tool, zero left_shoulder=0.5"],
        [],
    ),
)


@pytest.mark.parametrize("text, acts, has, lacks", ROWS)
def test_what_an_act_writes(text, acts, has, lacks, tmp_path):
    if "mirror" in acts:
        text = text.replace('"tool"', '"left_tool"')
    result = edited(tmp_path, text, **acts).text
    assert [part for part in has if part not in result] == []
    assert [part for part in lacks if part in result] == []


def test_acts_are_carried_out_from_left_to_right(tmp_path):
    first = edited(tmp_path, prefix="a_", rename="a_tool=tip").text
    assert '<link name="tip"/>' in first
    assert '<link name="a_tip"/>' in edited(tmp_path, rename="tool=tip", prefix="a_").text
    with pytest.raises(UrdfError, match="there is no link 'a_tool' .did you mean"):
        edited(tmp_path, root="a_tool", prefix="a_")


def test_edit_is_a_function_whatever_was_loaded(tmp_path):
    """Its room has the same name: a program that starts with either can call it."""
    file = written(tmp_path, "arm.urdf", ARM)
    call = f"len(urdf_tools.edit({file!r}, prefix='a_').after.links)"
    for first in (
        "import urdf_tools",
        "import urdf_tools; from urdf_tools import edit; edit",
        "import urdf_tools.edit.edit_sequence",
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"{first}; print({call}, {call})"],
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
        )
        assert done.stdout.split() == [b"4", b"4"]


def test_what_is_not_named_keeps_its_bytes(tmp_path):
    """Beside the two notes, only the line of the limit changes."""
    lines = edited(tmp_path, set="left_shoulder.effort=35").text.splitlines()
    assert [line for line in lines if line not in ARM.splitlines()] == [
        line for line in lines if "variant" in line or 'effort="35"' in line
    ]
    assert [line for line in ARM.splitlines() if line not in lines] == [
        line for line in ARM.splitlines() if 'effort="5"' in line
    ]


def test_a_robot_is_attached_with_its_names_colors_files_and_srdf(tmp_path):
    hand = written(tmp_path, "parts/hand.urdf", HAND)
    written(tmp_path, "arm.srdf", SRDF)
    of_hand = written(
        tmp_path,
        "parts/hand.srdf",
        '<robot name="hand"><group name="fingers"><joint name="grip"/>'
        '</group><virtual_joint name="v" type="fixed" parent_frame="w" child_link="base"/></robot>',
    )
    result = edited(
        tmp_path,
        PAINTED,
        attach=f"{hand} tool prefix=hand_ xyz='0 0 0.1' srdf={of_hand}",
        srdf=str(tmp_path / "arm.srdf"),
    )
    for part in (
        '<link name="hand_base">',
        '<material name="hand_paint"><color rgba="0 1 0 1"/>',
        'parts/palm.stl"',
        '<joint name="hand_base_joint" type="fixed">',
        "xmlns:gz=",
        '<origin xyz="0 0 0.1" rpy="0 0 0"/>',
    ):
        assert part in result.text, part
    srdf = result.companions[0].data.decode()
    assert (
        '<group name="hand_fingers"><joint name="hand_grip"/>' in srdf
        and srdf.count("<virtual_joint") == 1
    )
    assert '<disable_collisions link1="tool" link2="hand_base" reason="Adjacent"/>' in srdf


def test_a_plugin_that_both_load_is_there_once(tmp_path):
    plugin = re.search("<gazebo>.*</gazebo>", HAND)
    assert plugin
    hand = written(tmp_path, "hand.urdf", HAND)
    both = ARM.replace("</robot>", plugin.group() + "</robot>")
    once = edited(tmp_path, both, attach=f"{hand} tool prefix=h_")
    assert once.text.count("libcontrol.so") == 1 and once.plan.warnings == ()
    twice = edited(tmp_path, both.replace("100", "50"), attach=f"{hand} tool prefix=h_")
    assert twice.text.count("libcontrol.so") == 2 and [
        one.kind.name for one in twice.plan.warnings
    ] == ["plugin-twice"]


def test_the_srdf_follows_each_act(tmp_path):
    written(tmp_path, "arm.srdf", SRDF)
    both = edited(
        tmp_path, root="left_hand", prefix="a_", srdf=str(tmp_path / "arm.srdf")
    ).companions[0]
    srdf = both.data.decode()
    assert (
        'child_link="a_left_hand"' in srdf and '<joint name="a_left_shoulder" value="0.5"/>' in srdf
    )
    assert (
        "<chain" not in srdf and '<joint name="a_left_slide"/>' in srdf and 'group="left"' in srdf
    )
    assert [warning.kind.name for warning in both.updates.warnings][:1] == ["srdf-root"]
    twin = (
        edited(
            tmp_path,
            ARM.replace('"tool"', '"left_tool"'),
            mirror="left_arm left=right",
            srdf=str(tmp_path / "arm.srdf"),
        )
        .companions[0]
        .data.decode()
    )
    for part in (
        '<group name="right"><chain base_link="base" tip_link="right_hand"/>',
        '<joint name="right_shoulder" value="0.5"/>',
        'link2="right_arm"',
        '<end_effector name="right_end"',
    ):
        assert part in twin, part


# No turn makes it its mirror image.
WEDGE = [
    ((0, 0, 0), (0, 2, 0), (3, 0, 0)),
    ((0, 0, 0), (3, 0, 0), (0, 0, 1)),
    ((0, 0, 0), (0, 0, 1), (0, 2, 0)),
    ((3, 0, 0), (0, 2, 0), (0, 0, 1)),
]
WEDGE_FILES = {
    "arm.stl": bytes(80)
    + struct.pack("<I", 4)
    + b"".join(
        struct.pack("<12f2x", 0.0, 0.0, -1.0, *(0.1 * number for point in face for number in point))
        for face in WEDGE
    ),
    "arm_text.stl": (
        "solid arm\n"
        + "".join(
            "facet normal 0 1 -1\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*point) for point in face)
            + "endloop\nendfacet\n"
            for face in WEDGE
        )
        + "endsolid\n"
    ).encode(),
    "arm.OBJ": b"mtllib arm.mtl\nv 0 0 0\nv 0.3 0 0 1 0 0\nv 0.3 0.2 0\nv 0 2e-1 0\nv 0 0 -.1\nvt 0 0\nvn 0 -0.6 0.8\n"
    b"usemtl red\nf 1/1/1 2/1/1 3/1/1 \\\n 4/1/1\r\nf -4 -5 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n",
    "arm.mtl": b"newmtl red\nKd 1 0 0\n",
}


def with_wedges(folder, *names):
    """Return an arm with these meshes, which are in the folder."""
    for name, data in WEDGE_FILES.items():
        (folder / name).write_bytes(data)
    return ARM.replace('"tool"', '"left_tool"').replace(
        MESH,
        "".join(
            f'<visual><geometry><mesh filename="{name}" scale="1 -2 3"/></geometry></visual>'
            for name in names
        ),
    )


def test_meshes_of_a_twin_are_files_if_asked(tmp_path):
    """Signs, windings, and what an OBJ names; all else stays as it is written."""
    robot = written(
        tmp_path, "arm.urdf", with_wedges(tmp_path, "arm.stl", "arm_text.stl", "arm.OBJ")
    )
    edit(robot, str(tmp_path / "out.urdf"), mirror="left_arm left=right meshes=files")
    text, made = (tmp_path / "out.urdf").read_text(), tmp_path / "out_meshes" / "right_arm"
    assert (
        '<mesh filename="out_meshes/right_arm/arm.stl" scale="1 -2 3"/>' in text
        and 'scale="1 2 3"' not in text
    )
    assert sorted(file.name for file in made.iterdir()) == [
        "arm.OBJ",
        "arm.mtl",
        "arm.stl",
        "arm_text.stl",
    ]
    obj = (made / "arm.OBJ").read_text().splitlines()
    for line in (
        "v 0.3 0 0 1 0 0",
        "v 0.3 -0.2 0",
        "v 0 -0.2 0",
        "vn 0 0.6 0.8",
        "f 1/1/1 4/1/1 3/1/1 2/1/1",
        "f -4 5 -5",
    ):
        assert line in obj, line
    # A text becomes binary.
    first = struct.unpack_from("<12f", (made / "arm_text.stl").read_bytes(), 84)
    assert first[3:] == (0, 0, 0, 3, 0, 0, 0, -2, 0)
    first = struct.unpack_from("<12f", (made / "arm.stl").read_bytes(), 84)
    assert first == pytest.approx((0, 0, -1, 0, 0, 0, 0.3, 0, 0, 0, -0.2, 0))
    again = edit(
        str(tmp_path / "out.urdf"),
        mirror=[
            "right_arm right=third plane=x meshes=files",
            "right_arm right=fourth plane=z meshes=files",
        ],
    ).text
    assert "out_meshes/third_arm/arm.stl" in again and "out_meshes/fourth_arm/arm.stl" in again


MIRRORS = {
    "as it is": lambda path, factors: Path(path).read_bytes(),
    "inside out": lambda path, factors: (
        Path(path).read_bytes()[:84]
        + b"".join(
            face[:24] + face[36:48] + face[24:36] + face[48:]
            for face in re.findall(b"(?s).{50}", scaled_stl(path, factors)[84:])
        )
    ),
    "another axis": lambda path, factors: scaled_stl(path, (factors[1], factors[0], factors[2])),
}


@pytest.mark.parametrize("mirror", MIRRORS)
def test_a_file_that_is_no_mirror_image_is_a_fault(mirror, tmp_path, monkeypatch):
    robot = written(tmp_path, "arm.urdf", with_wedges(tmp_path, "arm.stl"))
    monkeypatch.setitem(SCALED, ".stl", MIRRORS[mirror])
    with pytest.raises(ProofFailed, match="another robot: right_arm: .*visual arm"):
        edit(robot, str(tmp_path / "out.urdf"), mirror="left_arm left=right meshes=files")


@pytest.mark.parametrize(
    "name, words, problem",
    (
        ("arm.stl", "meshes=none", "meshes=none: give scale or files"),
        ("part.stl", "meshes=files", "arm.urdf:7: --mirror: 'part.stl' is not there"),
        (
            "arm.mtl",
            "meshes=files",
            "'arm.mtl' is not STL, OBJ or glTF.*--mesh-format obj",
        ),
        ("bad.stl", "meshes=files", "bad.stl: is not STL"),
    ),
)
def test_meshes_that_cannot_be_mirrored_are_refused(name, words, problem, tmp_path):
    robot = written(tmp_path, "arm.urdf", with_wedges(tmp_path, name))
    (tmp_path / "bad.stl").write_bytes(b"bad")
    with pytest.raises(UrdfError, match=problem):
        edit(robot, str(tmp_path / "out.urdf"), mirror=f"left_arm left=right {words}")


REFUSED = (
    ({"root": "nobody"}, "--root: there is no link 'nobody'"),
    ({"root": " "}, "give LINK"),
    ({"prefix": "  "}, "give P"),
    ({"rename": "a"}, "--rename: give an old and a new name"),
    ({"rename": "base=tool"}, "two links would be called 'tool'"),
    ({"rename": "*_*=*"}, "give one . on each side"),
    ({"rename": "/(/=b"}, "is not a regular expression that can be used"),
    ({"add_root": "base"}, "there is a link 'base' already"),
    ({"add_root": "foot xyz='1 2'"}, "xyz: '1 2' has 2 numbers"),
    ({"set": "left_shoulder.efort=3"}, "there is no 'efort' to set .did you mean 'effort'"),
    ({"set": "left_shoulder.effort=-3"}, "effort cannot be -3"),
    *(
        (
            {"set": f"{'base' if key == 'mass' else 'left_shoulder'}.{key}=*-0.5"},
            f"{key} cannot be .-0.5",
        )
        for key in (*OF_JOINT, "mass")
    ),
    (
        {"set": "left_shoulder.lower=5"},
        "would have the lower limit 5 above its upper limit 2: set both",
    ),
    ({"set": "tool.mass=5"}, "link 'tool' has no mass"),
    ({"set": "left_tool.effort=5"}, "joint 'left_tool' is fixed"),
    ({"mirror": "left_arm right=left"}, "the name 'left_arm' does not contain 'right'"),
    ({"mirror": "left_arm left=right"}, "the name 'tool' does not contain 'left'"),
    ({"mirror": "base /^/=r_"}, "'base' is the root"),
    ({"mirror": "left_arm /^/=r_ plane=w"}, "plane=w: give x, y or z"),
    ({"attach": "hand.urdf"}, "give a file and the link"),
    ({"attach": "gone.urdf tool"}, "gone.urdf"),
    ({"like": "gone.urdf"}, "gone.urdf"),
)


@pytest.mark.parametrize("acts, why", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(acts, why, tmp_path):
    with pytest.raises(UrdfError, match=why):
        edited(tmp_path, **acts)


SLIDE = '<joint name="{}" type="prismatic"><parent link="base"/><child link="{}"/><axis xyz="0 0 1"/>{}</joint>'
SHARED = f"""<robot name="r"><link name="base"/><link name="a">{SOLID}</link><link name="b">{SOLID}</link>
{{}}{{}}<gazebo reference="a">{{}}</gazebo></robot>"""
SENSOR = '<sensor name="imu" type="imu"><pose>0.1 0 0 0 0 0</pose></sensor>'
SPRING = "<springReference>0.3</springReference><springStiffness>5</springStiffness>"


@pytest.mark.parametrize("act", ("drop", "only", "mirror"))
@pytest.mark.parametrize("link", "ab")
@pytest.mark.parametrize(
    "names, inside, refused",
    (
        # the block is of link a, and joint a carries b
        ("ac", SENSOR, {"drop a", "mirror b"}),
        ("ac", SPRING, set()),
        # of two joints of one name the first, which carries b, has the values
        ("aa", SPRING, {"drop b", "mirror a"}),
    ),
)
def test_a_block_never_becomes_that_of_another_part(act, link, names, inside, refused, tmp_path):
    limit = '<limit lower="0" upper="1" effort="1" velocity="1"/>'
    joints = (SLIDE.format(name, child, limit) for name, child in zip(names, "ba"))
    text = SHARED.format(*joints, inside)
    asked = {act: f"{link} /^/=twin_" if act == "mirror" else link}
    if f"{act} {link}" in refused:
        with pytest.raises(UsageError, match="would apply to another part"):
            edited(tmp_path, text, **asked)
    else:
        assert edited(tmp_path, text, **asked).text != text


def test_what_is_wrong_in_another_file_is_said_of_it(tmp_path):
    """Several problems at once, each with its own file and line."""
    hand = written(tmp_path, "hand.urdf", HAND.replace('value="2"', 'value="x"'))
    with pytest.raises(UrdfError, match=r"(?s)hand.urdf:3: .*hand.urdf:7: ") as caught:
        edited(tmp_path, attach=f"{hand} tool prefix=h_")
    assert "arm.urdf" not in str(caught.value)


def test_names_that_clash_are_refused_with_the_cure(tmp_path):
    hand = written(tmp_path, "hand.urdf", HAND)
    with pytest.raises(UrdfError, match="there is a link 'base' already: give prefix=hand_"):
        edited(tmp_path, attach=f"{hand} tool")


def test_the_world_of_a_part_is_no_part(tmp_path):
    """The advice names the link that hangs on it, and following it goes on."""
    text = (
        f'<robot name="h"><link name="world"/><link name="palm">{SOLID}</link><joint name="f" type="fixed">'
        '<parent link="world"/><child link="palm"/></joint></robot>'
    )
    hand = written(tmp_path, "hand.urdf", text)
    with pytest.raises(
        UrdfError, match="is the world itself: .* with edit .*hand.urdf --only palm$"
    ):
        edited(tmp_path, attach=f"{hand} tool")
    edit(hand, str(tmp_path / "palm.urdf"), only="palm")
    assert 'name="palm_joint"' in edited(tmp_path, attach=f"{tmp_path / 'palm.urdf'} tool").text


def test_a_larger_group_gains_the_parts_of_the_twin(tmp_path):
    """Its links and joints that are mirrored, each behind its own; the others stay."""
    group = (
        '<group name="all"><link name="base"/><link name="left_arm"/><joint name="left_shoulder"/></group>'
        '<group name="left"><joint name="left_shoulder"/></group>'
    )
    srdf = written(tmp_path, "arm.srdf", f'<robot name="arm">{group}</robot>')
    text = ARM.replace('"tool"', '"left_tool"')
    made = edited(tmp_path, text, mirror="left_arm left=right", srdf=srdf).companions[0]
    assert (
        '<group name="all"><link name="base"/><link name="left_arm"/><link name="right_arm"/>'
        '<joint name="left_shoulder"/><joint name="right_shoulder"/></group>'
    ) in made.data.decode()
    assert '<group name="right"><joint name="right_shoulder"/></group>' in made.data.decode()


WORLD = ARM.replace('name="base"', 'name="world"').replace('link="base"', 'link="world"')


@pytest.mark.parametrize("acts", ({"root": "tool"}, {"add_root": "foot"}, {"rename": "world=base"}))
def test_the_world_stays_the_world(acts, tmp_path):
    with pytest.raises(UrdfError, match="'world' (fixes the robot|is the world itself)"):
        edited(tmp_path, WORLD, **acts)
    assert '<link name="world">' in edited(tmp_path, WORLD, prefix="a_").text


def test_a_sensor_in_a_joint_that_turns_round_measures_the_same(tmp_path):
    sensor = '<gazebo reference="left_shoulder"><sensor name="load" type="force_torque"/></gazebo></robot>'
    text = edited(tmp_path, ARM.replace("</robot>", sensor), root="left_hand").text
    assert (
        "<frame>parent</frame>" in text
        and "<measure_direction>parent_to_child</measure_direction>" in text
    )
    pose = re.search('name="load".*?<pose>(.*?)</pose>', text, re.S)
    assert pose and pose.group(1).split()[:3] != ["0", "0", "0"]


def test_numbers_are_read_as_the_reader_reads_them(tmp_path):
    """A comma behind a number, and the other half of a tensor, which some exporters write."""
    text = ARM.replace('effort="5"', 'effort="5,"').replace(
        'ixy="0.001"', 'ixy="0.001" iyx="0.001"'
    )
    result = edited(tmp_path, text, set="left_shoulder.effort=*2 base.mass=*2").text
    assert 'effort="10"' in result and 'ixy="0.002" iyx="0.002"' in result


def test_the_note_knows_the_way_to_the_first_file(tmp_path):
    first = edited(tmp_path, flip="left_shoulder", prefix="a_").text
    assert re.search(
        r"joint map, q is the position in the original file:[^>]* a_left_shoulder = -left_shoulder",
        first,
    )
    again = edited(tmp_path, first, rename="a_left_shoulder=left_shoulder").text
    assert re.search(r"original file:[^>]* left_shoulder = -q", again)
    assert "then rename" in again


def test_the_adapter_knows_the_way(tmp_path):
    """Names, signs, zeros and where a joint is locked, from the input to the result of several acts."""
    module = tmp_path / "adapter.py"
    text = ARM.replace('<mimic joint="left_shoulder" multiplier="0.1" offset="0.01"/>', "")
    edited(
        tmp_path,
        text,
        flip="left_shoulder",
        root="left_hand",
        prefix="a_",
        lock={"a_left_slide": 0.05},
        adapter=str(module),
    )
    made = {"__name__": "adapter"}
    exec(compile(module.read_text(), "adapter", "exec"), made)
    assert made["OLD"] == ("left_shoulder", "left_slide") and made["NEW"] == ("a_left_shoulder",)
    assert made["to_new"]([0.5, 0.0]) == [-0.5] and made["to_old"]([-0.5]) == [0.5, 0.05]


def test_there_is_one_place_for_what_mujoco_reads(tmp_path):
    """MuJoCo refuses a second <mujoco>: its settings are those of the robot, the rest is joined."""
    block = (
        '<mujoco><compiler discardvisual="{}"/><contact><exclude body1="base" body2="base"/></contact></mujoco>'
        "</robot>"
    )
    both = [
        text.replace("</robot>", block.format(value))
        for text, value in ((ARM, "false"), (HAND, "true"))
    ]
    hand = written(
        tmp_path, "hand.urdf", both[1].replace(re.findall("<gazebo>.*</gazebo>", HAND)[0], "")
    )
    result = edited(tmp_path, both[0], attach=f"{hand} tool prefix=h_")
    assert [result.text.count(part) for part in ("<mujoco>", "<compiler", '"h_base" ')] == [1, 1, 1]
    assert [warning.sentence for warning in result.plan.warnings] == ["settings"]


def test_the_page_shows_both_robots(tmp_path):
    page = tmp_path / "page.html"
    result = edited(tmp_path, prefix="a_", add_root="foot", page=str(page))
    for text in (page.read_text(), result.page()):
        assert "a_left_shoulder" in text and "left_slide" in text
    assert repr(
        result
    ) == "<Result 'arm': 4 -> 5 links, root foot added above a_base, proven>".replace(
        "root", "prefix a_, root"
    )


FOLLOWER = ARM.replace('joint="left_shoulder" multiplier="0.1"', 'joint="gone" multiplier="0.1"')
NAMESAKE = ARM.replace('"left_arm"', '"left_shoulder"').replace(
    "</robot>", '<constraint name="tie"><joint joint="left_shoulder"/></constraint></robot>'
)


@pytest.mark.parametrize(
    "text, acts, has",
    [
        (FOLLOWER, {"zero": {"left_slide": 0.02}}, 'offset="-0.01"'),  # of a follower of nobody
        (NAMESAKE, {"only": "left_shoulder"}, '<link name="left_shoulder">'),
    ],
)  # the constraint of a joint goes with it
def test_what_the_engine_refused_to_prove(text, acts, has, tmp_path):
    result = edited(tmp_path, text, **acts).text
    assert has in result and "constraint" not in result


INLINE = """<mujoco model="m"><asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
  <body name="arm"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="tip"/>
    <body name="hand" pos="0 0 1"><joint name="wrist" axis="0 1 0" range="-1 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>
"""


def test_a_mesh_inside_an_mjcf_is_written_and_lines_are_those_of_the_mjcf(tmp_path):
    file, output = written(tmp_path, "m.xml", INLINE), tmp_path / "out.urdf"
    result = edit(file, output, rename="wrist=joint_of_hand", set="joint_of_hand.damping=0.1")
    named = re.findall('filename="([^"]+)"', result.text)
    assert named and all((tmp_path / name).exists() for name in named)
    with pytest.raises(
        UrdfError, match=r"m.xml:3: --root: .*is planar|m.xml:\d+: --set: .*joint 'wrist'"
    ):
        edit(file, output, set="wrist.lower=5", force=True)


def test_an_empty_srdf_takes_what_is_attached(tmp_path):
    hand = written(tmp_path, "hand.urdf", HAND)
    of_hand = written(
        tmp_path,
        "hand.srdf",
        '<robot name="hand"><group name="g"><joint name="grip"/></group></robot>',
    )
    result = edited(
        tmp_path,
        attach=f"{hand} tool prefix=h_ srdf={of_hand}",
        srdf=written(tmp_path, "arm.srdf", '<robot name="arm"/>'),
    )
    assert '<group name="h_g"><joint name="h_grip"/></group>' in result.companions[0].data.decode()


def test_a_side_that_is_dropped_and_mirrored_again_is_there(tmp_path):
    """No warning that it is dropped, and a comparison with the first file shows what the twin has otherwise."""
    both = edited(
        tmp_path,
        ARM.replace('"tool"', '"left_tool"')
        .replace(MESH, "")
        .replace(
            "</robot>", '<gazebo><plugin name="p"><hand>right_hand</hand></plugin></gazebo></robot>'
        ),
        mirror="left_arm left=right",
    ).text
    # Of the base and the left arm.
    heavy = both.replace('<mass value="2"/>', '<mass value="3"/>', 2)
    again, without = (
        edited(tmp_path, heavy, drop="right_arm", **acts)
        for acts in ({"mirror": "left_arm left=right"}, {})
    )
    assert [
        [warning.kind.name for warning in result.plan.warnings] for result in (again, without)
    ] == [[], ["dropped-name"]]
    found = compare(read_bytes(heavy.encode(), ""), read_bytes(again.data, ""))
    assert [difference.where for difference in found.differences if difference.kind == "mass"] == [
        "right_arm"
    ]


def test_sensors_in_joints_of_a_twin_are_mirrored_without_a_warning(tmp_path):
    text = ARM.replace('"tool"', '"left_tool"').replace(
        "</robot>",
        """
      <sensor name="left_ft" type="force_torque"><parent joint="left_tool"/><force_torque><frame>sensor</frame>
      </force_torque><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/></sensor></robot>""",
    )
    result = edited(tmp_path, text, mirror="left_arm left=right")
    assert 'xyz="0.1 -0.2 0.3" rpy="-0.1 0.2 -0.3"/></sensor>' in result.text
    assert [warning.kind.name for warning in result.plan.warnings] == []


def test_offsets_of_a_plugin_in_the_frame_of_a_link_outside_stay_with_a_warning(tmp_path):
    text = ARM.replace('"tool"', '"left_tool"').replace(
        "</robot>",
        """
      <gazebo reference="left_hand"><plugin name="p" filename="libgazebo_ros_p3d.so"><bodyName>base</bodyName>
      <xyzOffset>0.1 0.2 0.3</xyzOffset></plugin></gazebo></robot>""",
    )
    result = edited(tmp_path, text, mirror="left_arm left=right")
    assert result.text.count("<xyzOffset>0.1 0.2 0.3</xyzOffset>") == 2
    assert [(warning.kind.name, warning.names[1]) for warning in result.plan.warnings] == [
        ("mirror-left", "base")
    ]


CONTROLLED = ARM.replace(
    'effort="5" velocity="3"/>', 'effort="5" velocity="3"/>\n    <safety_controller/>'
).replace(
    "</robot>",
    """  <ros2_control name="c" type="system">
    <joint name="left_shoulder"/>
    <joint name="left_slide">
      <command_interface name="position"><param name="max">0.1</param></command_interface>
    </joint>
  </ros2_control>
</robot>""",
)


@pytest.mark.parametrize(
    "acts, name",
    (
        ({}, "left_"),
        ({"rename": "left_*=l_*"}, "l_"),
        ({"root": "left_hand"}, "left_"),
        ({"add_root": "foot", "prefix": "a_", "rename": "a_left_*=x_*"}, "x_"),
        ({"mirror": "left_hand /^/=r_", "drop": "r_left_hand"}, "left_"),
    ),
)
def test_messages_have_the_line_of_their_tag_after_any_acts(acts, name, tmp_path):
    """Not that of the joint, or of the part of the robot, that it is in."""
    result = edited(
        tmp_path, CONTROLLED, **acts, set=f"{name}shoulder.lower=-0.5 {name}slide.upper=0.05"
    )
    lines = CONTROLLED.splitlines()
    said = {
        warning.sentence: lines[warning.line - 1].strip()
        for warning in result.plan.warnings
        if warning.kind.name == "said-elsewhere"
    }
    assert said == {"safety": "<safety_controller/>", "control": '<joint name="left_slide">'}


def test_equal_limit_of_control_gets_no_warning(tmp_path):
    """The warning ends when the user has written the new limit into the command interface."""
    result = edited(tmp_path, CONTROLLED, set="left_slide.upper=0.1")
    assert "control" not in [warning.sentence for warning in result.plan.warnings]
