"""Each kind of difference has a smallest pair of files that shows it, and it alone; and a mutant that loses it."""

from typing import NamedTuple, Optional, Tuple

import pytest

from urdf_tools.compare import (
    all_differences,
    better_maps,
    robot_comparison,
    content_differences,
    joint_differences,
    mesh_comparison,
    robot_map,
    look_differences,
    partner_shape_differences,
    shape_differences,
    rounded_angles,
    whole_visual_looks,
    world_differences,
)
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.given_or_searched_map import Given, IDENTITY
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.compare.comparison_text import report
from urdf_tools.compare.difference_kinds import CONVENTION, DECIDED, KINDS, text_of
from urdf_tools.meshes.same_surface import SameSurface
from urdf_tools.robot.rigid_bodies import Body

SOLID = """<inertial><origin xyz="0.02 0.01 0.1" rpy="0.3 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0.001" iyz="0"/></inertial>"""
ROBOT = f"""<robot name="arm">
  <link name="base">{SOLID}</link>
  <link name="upper">{SOLID}</link>
  <link name="lower">{SOLID}<visual name="shell"><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="finger">{SOLID}<visual><geometry><mesh filename="hand.stl"/></geometry></visual></link>
  <link name="thumb">{SOLID}</link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0.1 0 0.3"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0.05 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="1.5" effort="5" velocity="4"/><dynamics damping="0.7"/></joint>
  <joint name="left" type="revolute"><parent link="lower"/><child link="finger"/><origin xyz="0 0.03 0.2"/>
    <axis xyz="1 0 0"/><limit lower="-0.5" upper="0.7" effort="1" velocity="1"/></joint>
  <joint name="right" type="revolute"><parent link="lower"/><child link="thumb"/><origin xyz="0 -0.04 0.2"/>
    <axis xyz="1 0 0"/><limit lower="-0.6" upper="0.8" effort="1" velocity="1"/>
    <mimic joint="left" multiplier="-1"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.25"/></joint>
  <gazebo reference="lower"><mu1>0.7</mu1><sensor name="eye" type="camera"><pose>0 0 0.1 0 0 0</pose>
    <update_rate>30</update_rate><camera><horizontal_fov>1.2</horizontal_fov></camera></sensor></gazebo>
  <loop_joint name="closed" type="ball"><link1 link="finger" xyz="0 0 0.1"/><link2 link="thumb" xyz="0 0 0.1"/>
    </loop_joint>
</robot>
"""
MODEL = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
  <worldbody><body name="trunk"><freejoint/><inertial pos="0.1 0.02 0.03" mass="3" diaginertia="0.1 0.2 0.25"/>
    <body name="leg" pos="0.1 0 -0.1"><joint name="hip" axis="0 1 0" range="-1 1"/>
      <inertial pos="0.1 0.02 0.03" mass="2" diaginertia="0.01 0.02 0.025"/></body>
    <body name="arm" pos="-0.1 0 0.1"><joint name="hand" axis="1 0 0" range="-1 1"/>
      <inertial pos="0.1 0.02 0.03" mass="1" diaginertia="0.01 0.02 0.025"/></body></body></worldbody>
  <contact><exclude body1="leg" body2="arm"/></contact>
  <actuator><position name="hip" joint="hip" kp="20"/></actuator></mujoco>
"""
UP = "0 0 1 1 0 0 0 0.1 0"  # where the trunk is, then the positions of both joints
KEYED = MODEL.replace("</mujoco>", f'<keyframe><key name="up" qpos="{UP}"/></keyframe></mujoco>')
STRAIGHT = SOLID.replace(' rpy="0.3 0 0"', "")
WHEEL = f"""<robot name="wheel"><link name="base">{STRAIGHT}</link><link name="rim">{STRAIGHT}</link><joint name="turn"
  type="continuous"><parent link="base"/><child link="rim"/><axis xyz="0 1 0"/></joint></robot>"""
HELD_WHEEL = WHEEL.replace(
    "</robot>",
    """<link name="world"/><joint name="mount" type="fixed"><parent link="world"/>
  <child link="base"/></joint></robot>""",
)
MASS = """<inertial pos="0.02 0.01 0.1" mass="2" fullinertia="0.01 0.02 0.025 0 0.001 0"/>"""
MJCF_WHEEL = f"""<mujoco model="wheel"><compiler angle="radian"/><worldbody><body name="base">{MASS}<body name="rim">
  <joint name="turn" axis="0 1 0"/>{MASS}</body></body></worldbody></mujoco>"""
ON_THE_MOON = MJCF_WHEEL.replace("<worldbody>", '<option gravity="0 0 -1.62"/><worldbody>')
TRANSMISSION = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="turn">
  <hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint><actuator name="turn"/></transmission>"""
# A URDF that says what drives one of two joints, and an MJCF that says it of both.
SECOND = WHEEL[WHEEL.index('<link name="rim">') : -len("</robot>")].replace("rim", "wing")
DRIVEN = HELD_WHEEL.replace(
    "</robot>", SECOND.replace("turn", "flap").replace("0 1 0", "1 0 0") + TRANSMISSION + "</robot>"
)
MJCF_DRIVEN = MJCF_WHEEL.replace(
    "</body></body>",
    f"""</body><body name="wing"><joint name="flap" axis="1 0 0"/>{MASS}</body></body>""",
).replace(
    "</mujoco>",
    '<actuator><motor name="turn" joint="turn"/><motor joint="flap"/></actuator></mujoco>',
)
CUBE = '<geom type="box" size="0.1 0.1 0.1" pos="0 0 0.3" '
DRAWN = MODEL.replace(
    "</body></body>", f'{CUBE}contype="0" conaffinity="0"/>{CUBE}group="3"/></body></body>'
)
# Two visuals of another gloss, which are compared as one surface where their files have other names.
SHINING = DRAWN[: DRAWN.index(CUBE)] + DRAWN[DRAWN.rindex("</body></body>") :]
SHINING = SHINING.replace(
    "</body></body>",
    """<geom type="mesh" mesh="palm" material="dull" contype="0" conaffinity="0"/>
    <geom type="mesh" mesh="tip" material="bright" contype="0" conaffinity="0"/></body></body>""",
).replace(
    "</mujoco>",
    """<asset><mesh name="palm" file="palm.stl"/><mesh name="tip" file="tip.stl"/><material name="dull"
    specular="0.2"/><material name="bright" specular="0.4"/></asset></mujoco>""",
)
GIRAFFE = (
    "<robot name='r'><link name='l0'/>"
    + "".join(
        f"<link name='l{k}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        f"</inertial></link><joint name='j{k}' type='continuous'><parent link='l{k - 1}'/><child link='l{k}'/>"
        f"<origin xyz='0 0.2 {0.1 * k}'/><axis xyz='{k % 2} {(k + 1) % 2} 0'/></joint>"
        for k in range(1, 7)
    )
    + "</robot>"
)


class Pair(NamedTuple):
    """What is written otherwise in B: texts and what stands for them; `swapped`: in A."""

    edits: Tuple[Tuple[str, str], ...]
    base: str = ROBOT
    given: Optional[Given] = None
    swapped: bool = False
    files: Optional[Tuple[Tuple[str, bytes], ...]] = None  # hand.stl where nothing is said


TENDON = ROBOT.replace(
    "</robot>",
    '<drake:tendon_constraint><drake:tendon_constraint_joint name="elbow" a="1.5"/></drake:tendon_constraint></robot>',
).replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ')


def one(old, new, base=ROBOT, **more):
    return Pair(((old, new),), base, **more)


def exchanged(name, other):
    """Return the edits that exchange two names."""
    return ((f'"{name}"', '"@"'), (f'"{other}"', f'"{name}"'), ('"@"', f'"{other}"'))


def triangles(size, faces=(0, 1, 2, 3), turned=False):
    """Return a tetrahedron as an STL, or some of its faces."""
    corners = [(0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    numbers = [((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))[face] for face in faces]
    text = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*corners[k]) for k in (face[::-1] if turned else face))
        + "endloop\nendfacet\n"
        for face in numbers
    )
    return f"solid hand\n{text}endsolid hand\n".encode()


def painted(mtl):
    """Return the tetrahedron of size 1 as an OBJ whose faces have the material of an MTL."""
    lines = ("v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "usemtl m")
    faces = ("f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4")
    return "\n".join((f"mtllib {mtl}", *lines, *faces)).encode()


PAINTED = (
    ("hand.stl", triangles(1.0)),
    ("blue.obj", painted("blue.mtl")),
    ("blue.mtl", b"newmtl m\nKd 0 0 1\n"),
    ("lamp.obj", painted("lamp.mtl")),
    ("gray.obj", painted("gray.mtl")),
    ("gray.mtl", b"newmtl m\nKd 0.6 0.6 0.6\n"),
    ("lost.obj", painted("lost.mtl")),
    ("lost.mtl", b"newmtl m\nKd 0 0 1\nmap_Kd lost.png\n"),
    ("dull.obj", painted("dull.mtl")),
    ("dull.mtl", b"newmtl m\nKd 0 0 1\nKs 0 1 0\n"),
    ("lamp.mtl", b"newmtl m\nKd 0 0 1\nKe 0 1 0\n"),
    ("point.obj", painted("blue.mtl").replace(b"v 0 0 0", b"v 0 0 0 1 0 0")),
    ("points.obj", painted("blue.mtl").replace(b"v 0 0 0", b"v 0 0 0 0 1 0")),
)
HAND = '<geometry><mesh filename="hand.stl"/></geometry>'
RED_HAND = ROBOT.replace(
    HAND, f'{HAND}<material name="bright"><color rgba="0.9 0 0 1"/></material>'
)
BLUE_HAND = RED_HAND.replace("hand.stl", "blue.obj")
IMAGE_HAND = RED_HAND.replace("</material>", '<texture filename="left/a.png"/></material>')
HALF_TURN = 'axis xyz="0 1 0"/><limit lower="-2" upper="1.5"'
THUMB = ROBOT[ROBOT.index('  <joint name="right"') : ROBOT.index('  <joint name="mount"')]
LOOP = ROBOT[ROBOT.index("  <loop_joint") : ROBOT.index("</robot>")]
CLOSED = """<gazebo><joint name="closed" type="revolute"><parent>finger</parent><child>thumb</child><axis>
  <xyz>0 0 1</xyz><limit><lower>-0.5</lower><upper>0.5</upper></limit></axis></joint></gazebo>
"""
CAMERA = ROBOT[ROBOT.index("<sensor") : ROBOT.index("</gazebo>")]
NO_THUMB = ((THUMB, ""), (f'  <link name="thumb">{SOLID}</link>\n', ""))
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
TOOL = '<link name="tool"/>\n  <frame name="grip" link="lower" xyz="0 0 0.2" rpy="0 0 0.1"/>'
PAIRS = {
    "only_a": Pair(NO_THUMB, ROBOT.replace(LOOP, "")),
    "only_b": Pair(NO_THUMB, ROBOT.replace(LOOP, ""), swapped=True),
    "fixed_in_a": one('"elbow" type="revolute"', '"elbow" type="fixed"', swapped=True),
    "fixed_in_b": one('"elbow" type="revolute"', '"elbow" type="fixed"'),
    "type": one('"elbow" type="revolute"', '"elbow" type="prismatic"', given=IDENTITY),
    "shifted": one('xyz="0.4 0.05 0"', 'xyz="0.441 0.05 0"'),
    "tilted": one('xyz="0.4 0.05 0"', 'xyz="0.4 0.05 0" rpy="0.1 0 0"'),
    "shifted_alone": Pair(
        (  # the frame of the upper arm, with all that is in it
            ('xyz="0.1 0 0.3"', 'xyz="0.1 0.003 0.3"'),
            (
                '<link name="upper">' + SOLID,
                '<link name="upper">' + SOLID.replace("0.02 0.01", "0.02 0.007"),
            ),
            ('xyz="0.4 0.05 0"', 'xyz="0.4 0.047 0"'),
        )
    ),
    "tilted_alone": one('xyz="0 1 0"/><limit lower="-2"', 'xyz="0 1 0.1"/><limit lower="-2"'),
    "along": one('xyz="0.4 0.05 0"', 'xyz="0.4 0.09 0"'),
    "typed": one(
        'xyz="0.4 0.05 0" rpy="1.5707963 0 0"',
        'xyz="0.4 0.05 0" rpy="1.57 0 0"',
        ROBOT.replace('xyz="0.4 0.05 0"', 'xyz="0.4 0.05 0" rpy="1.5707963 0 0"'),
    ),
    "sum": Pair(
        tuple((f"0.2 {0.1 * k}", f"0.20004 {0.1 * k}") for k in range(1, 7)), GIRAFFE, IDENTITY
    ),
    "base": one("<freejoint/>", "", MODEL),
    "no_masses": one(SOLID, ""),
    "mass": one(
        '<link name="upper">' + SOLID,
        '<link name="upper">' + SOLID.replace('value="2"', 'value="2.1"'),
    ),
    "center": one(
        '<link name="upper">' + SOLID,
        '<link name="upper">' + SOLID.replace("0.01 0.1", "0.015 0.1"),
    ),
    "tensor": one(
        '<link name="upper">' + SOLID, '<link name="upper">' + SOLID.replace('"0.025"', '"0.027"')
    ),
    "tensor_turned": one(
        '<link name="upper">' + SOLID, '<link name="upper">' + SOLID.replace(' rpy="0.3 0 0"', "")
    ),
    "typed_apart": one(
        'xyz="0 0 0.1" rpy="1.5707963 0 0"/>',
        'xyz="0 0 0.1" rpy="1.57 0 0"/>',
        ROBOT.replace('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.1" rpy="1.5707963 0 0"/>'),
    ),
    "limits": one('upper="1.5"', 'upper="1.7"'),
    "limits_stay": one(HALF_TURN, HALF_TURN.replace("0 1 0", "0 -1 0")),
    "limits_missing": one('"elbow" type="revolute"', '"elbow" type="continuous"'),
    "effort": one('effort="5"', 'effort="9"'),
    "velocity": one('velocity="4"', 'velocity="5"'),
    "mimic": one('multiplier="-1"', 'multiplier="-0.9"'),
    "mimic_leader": one('mimic joint="left"', 'mimic joint="elbow"'),
    "mimic_missing": one('<mimic joint="left" multiplier="-1"/>', ""),
    "dynamics": one('damping="0.7"', 'damping="0.8"'),
    "loop_value": one("<upper>0.5<", "<upper>0.6<", ROBOT.replace(LOOP, CLOSED)),
    "loop_only_a": one(LOOP, ""),
    "loop_only_b": one(LOOP, "", swapped=True),
    "frame": one('xyz="0 0 0.25"', 'xyz="0 0.041 0.25"'),
    "frame_turned": one(
        'rpy="0 0 0.1"', 'rpy="0 0 0.2"', ROBOT.replace('<link name="tool"/>', TOOL)
    ),
    "frame_body": one(
        'parent link="lower"/><child link="tool"', 'parent link="finger"/><child link="tool"'
    ),
    "frame_only_a": one(
        TOOL, '<link name="tool"/>', ROBOT.replace('<link name="tool"/>', TOOL), given=IDENTITY
    ),
    "shape_only_a": one(BALL, ""),
    "shape_only_b": one(
        '</link>\n  <link name="thumb">',
        '<collision><geometry><sphere radius="1"/></geometry>'
        '</collision></link>\n  <link name="thumb">',
    ),
    "shape_kind": one('<box size="0.1 0.2 0.3"/>', '<cylinder radius="0.1" length="0.3"/>'),
    "shape_size": one('size="0.1 0.2 0.3"', 'size="0.1 0.2 0.31"'),
    "shape_place": one('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.12"/>'),
    "shape_turn": one('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.1" rpy="0 0 0.1"/>'),
    "shape_scale": one(HAND, HAND.replace("/></geo", ' scale="1 1 2"/></geo')),
    "shape_mirrored": one(HAND, HAND.replace("/></geo", ' scale="-1 1 1"/></geo')),
    "mesh_turn": one(HAND, f'<origin rpy="0 0 0.1"/>{HAND}'),
    "mesh": one(
        "hand.stl", "other.stl", files=(("hand.stl", triangles(1.0)), ("other.stl", triangles(1.1)))
    ),
    "mesh_rounded": one(
        "hand.stl",
        "other.stl",
        files=(("hand.stl", triangles(1.0)), ("other.stl", triangles(1.000001))),
    ),
    "mesh_unproven": one("hand.stl", "other.stl"),
    "mesh_missing": one("hand.stl", "gone/hand.stl", files=()),
    "mesh_not_opened": one("hand.stl", "./hand.stl", files=()),
    "mesh_parts": one(
        HAND,
        f"{HAND}</visual><visual>{HAND.replace('hand', 'tip')}".replace("hand", "palm"),
        files=(
            ("hand.stl", triangles(1.0)),
            ("palm.stl", triangles(1.0, (0, 1))),
            ("tip.stl", triangles(1.0, (2, 3))),
        ),
    ),
    "mesh_turned": one(
        "hand.stl",
        "other.stl",
        files=(("hand.stl", triangles(1.0)), ("other.stl", triangles(1.0, turned=True))),
    ),
    "shape_twice": one('group="3"', 'group="0"', DRAWN),
    "shape_text": one('name="shell"', 'name="hull"', given=IDENTITY),
    "surface": one("<mu1>0.7</mu1>", "<mu1>0.8</mu1>"),
    "other_parts": Pair(
        (("palm.stl", "heel.stl"), ("tip.stl", "toe.stl"), *exchanged("0.2", "0.4")),
        SHINING,
        files=(
            *((name, triangles(1.0, (0, 1))) for name in ("palm.stl", "heel.stl")),
            *((name, triangles(1.0, (2, 3))) for name in ("tip.stl", "toe.stl")),
        ),
    ),
    "image_missing": one("left/a.png", "right/a.png", IMAGE_HAND),
    "image_not_opened": one("left/a.png", "./left/a.png", IMAGE_HAND),
    "color": one('rgba="1 0 0 1"', 'rgba="1 0.5 0 1"'),
    "color_one_side": one('<material name="red"><color rgba="1 0 0 1"/></material>', ""),
    "color_gray": one("hand.stl", "gray.obj", files=PAINTED),
    "image_lost": one("blue.obj", "lost.obj", BLUE_HAND, files=PAINTED),
    "color_of_file": one("hand.stl", "blue.obj", RED_HAND, files=PAINTED),
    "color_of_robot": one('rgba="0.9 0 0 1"', 'rgba="0.9 0.5 0 1"', BLUE_HAND, files=PAINTED),
    "color_taken": Pair(
        (("blue.obj", "hand.stl"), ('rgba="0.9 0 0 1"', 'rgba="0 0 1 1"')), BLUE_HAND, files=PAINTED
    ),
    "light": one("blue.obj", "lamp.obj", BLUE_HAND, files=PAINTED),
    "points": one("point.obj", "points.obj", BLUE_HAND.replace("blue", "point"), files=PAINTED),
    "points_one_side": one("blue.obj", "points.obj", BLUE_HAND, files=PAINTED),
    "gloss": one("blue.obj", "dull.obj", BLUE_HAND, files=PAINTED),
    "sensor_only_a": one(CAMERA, ""),
    "sensor_only_b": one(CAMERA, "", swapped=True),
    "sensor_kind": one('"eye" type="camera"', '"eye" type="depth_camera"'),
    "sensor_body": Pair(
        ((CAMERA, ""), ("</robot>", f'<gazebo reference="upper">{CAMERA}</gazebo></robot>'))
    ),
    "sensor_pose": one("<pose>0 0 0.1 0 0 0</pose>", "<pose>0 0 0.2 0 0 0</pose>"),
    "sensor_words": one(
        "</camera></sensor>", "</camera><always_on>1</always_on></sensor>", given=IDENTITY
    ),
    "sensor_rate": one("<update_rate>30<", "<update_rate>25<"),
    "sensor_value": one("<horizontal_fov>1.2<", "<horizontal_fov>1.3<"),
    "actuator": one('kp="20"', 'kp="25"', MODEL),
    "actuator_kind": one(
        '<position name="hip" joint="hip" kp="20"/>', '<motor name="hip" joint="hip"/>', MODEL
    ),
    "actuator_name": one('<position name="hip"', '<position name="drive"', MODEL, given=IDENTITY),
    "drive_open": one(DRIVEN, MJCF_DRIVEN, DRIVEN),
    "key_only_a": one(f'<key name="up" qpos="{UP}"/>', "", KEYED, given=IDENTITY),
    "key_only_b": one(f'<key name="up" qpos="{UP}"/>', "", KEYED, given=IDENTITY, swapped=True),
    "key": one('0.1 0"', '0.2 0"', KEYED, given=IDENTITY),
    "key_place": one('qpos="0 0 1', 'qpos="0 0 1.5', KEYED, given=IDENTITY),
    "unknown": one('weight="1"', 'weight="2"', ROBOT.replace("<robot ", '<robot weight="1" ')),
    "unknown_only_a": one("</robot>", "<odd/></robot>", swapped=True),
    "unknown_only_b": one("</robot>", "<odd/></robot>"),
    "program_words": one('a="1.5"', 'a="2"', TENDON),
    "program_frame": one(
        'xyz="0 1 0"/><limit lower="-2" upper="1.5"',
        'xyz="0 -1 0"/><limit lower="-1.5" upper="2"',
        TENDON,
    ),
    "program_only_a": one("</robot>", "<drake:odd/></robot>", TENDON, swapped=True),
    "program_only_b": one("</robot>", "<drake:odd/></robot>", TENDON),
    "left_out": one(
        'r="1 1"', 'r="1 2"', MODEL.replace('e="hip" a', 'e="hip" springdamper="1 1" a')
    ),
    "gravity": one("-9.81", "-1.62", MODEL),
    "apart_only_a": one('<exclude body1="leg" body2="arm"/>', "", MODEL, given=IDENTITY),
    "apart_only_b": one(
        '<exclude body1="leg" body2="arm"/>', "", MODEL, given=IDENTITY, swapped=True
    ),
    "link_value": one("<mu1>0.7</mu1>", "<mu1>0.7</mu1><turnGravityOff>true</turnGravityOff>"),
    "joint_name": Pair(exchanged("shoulder", "elbow")),
    "link_name": Pair(exchanged("upper", "lower")),
    "frame_right": one('<origin xyz="0 0 0.25"/>', '<origin xyz="0 0 0.25" rpy="1.5708 0 0"/>'),
    "gravity_open": one(HELD_WHEEL, ON_THE_MOON, HELD_WHEEL),
    "base_tilt": one(
        '<child link="base"/>', '<child link="base"/><origin rpy="0.2 0 0.3"/>', HELD_WHEEL
    ),
    "sensor_settings": one("</camera></sensor>", "</camera><always_on>1</always_on></sensor>"),
    "base_open": one(WHEEL, MJCF_WHEEL, WHEEL),
    "mass_held": one('mass="3"', 'mass="4"', MODEL.replace("<freejoint/>", "")),
}


def kinds_of(pair, folder):
    """Return the kinds of difference between both files of a pair."""
    edited = pair.base
    for old, new in pair.edits:
        assert old in edited, old
        edited = edited.replace(old, new)
    texts = (edited, pair.base) if pair.swapped else (pair.base, edited)
    paths = [folder / "a.xml", folder / "b.xml"]
    for path, text in zip(paths, texts):
        path.write_text(text, "utf-8")
    for name, data in (("hand.stl", triangles(1.0)),) if pair.files is None else pair.files:
        (folder / name).write_bytes(data)
    found = compare(*map(read_robot_of, paths), given=pair.given)
    shown = [*found.differences, *found.noted, *found.unproven, *found.rounded]
    assert all("{" not in text_of(one) for one in shown) and report(found, full=True)
    # Nothing ends with 0 that differs, or that could not be compared.
    assert found.exit_code == bool(found.differences or found.unproven)
    return [one.kind for one in shown]


def test_every_kind_has_its_pair():
    # test_decided.py and test_conventions.py have the others.
    elsewhere = (CONVENTION, DECIDED)
    assert list(PAIRS) == [kind for kind, row in KINDS.items() if row.of not in elsewhere]


@pytest.mark.parametrize("kind", PAIRS)
def test_a_pair_shows_its_kind_alone(kind, tmp_path):
    found = kinds_of(PAIRS[kind], tmp_path)
    assert set(found) == {kind}


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('0.1 0"', '0.2 0"', "state up (line 8 / 9): hip is at 0.1 / 0.2"),
        (
            'qpos="0 0 1',
            'qpos="0 0 1.5',
            "state up (line 8 / 9): trunk is 500 mm elsewhere, turned by 0 rad",
        ),
        ('"up"', '"down"', "state up (line 8) is only in A"),
    ],
)
def test_a_note_of_a_named_state_says_its_lines(old, new, text):
    a, b = (
        read_bytes(KEYED.encode(), "a.xml"),
        read_bytes(f"\n{KEYED.replace(old, new)}".encode(), "b.xml"),
    )
    assert text in compare(a, b, given=IDENTITY).notes


def nothing(*_, **__):
    return ()


def without(field):
    """Return a function that answers as `mass_gaps`, but for a field of what it returns, which is 0."""
    before = world_differences.mass_gaps
    return lambda a, b: before(a, b)._replace(**{field: 0.0})


def always(value):
    return lambda *_, **__: value


MUTANTS = [  # what is broken, and the kinds whose pair no longer shows them alone
    (all_differences, "_only", nothing, "only_a only_b"),
    (all_differences, "_fixed", nothing, "fixed_in_a fixed_in_b"),
    (all_differences, "_line", nothing, "shifted tilted shifted_alone tilted_alone along"),
    (all_differences.COMPARED, "motion", nothing, "type"),
    (all_differences, "_sum_of_small", always([]), "sum"),
    (
        better_maps,
        "as_meant",
        lambda robot: rounded_angles.RobotWithExactAngles(robot, {}),
        "typed typed_apart",
    ),
    (robot_map, "_fit_of", always(0.0), "shifted_alone tilted_alone"),
    (
        robot_map,
        "_fit_of",
        lambda a, b, frames, by_a, choice, Y: float(not choice.stays),
        "shifted tilted",
    ),
    (world_differences, "mass_gaps", without("mass"), "mass"),
    (world_differences, "mass_gaps", without("center"), "center"),
    (world_differences, "mass_gaps", without("tensor"), "tensor tensor_turned"),
    (world_differences, "_same_moments", always(False), "tensor_turned"),
    (world_differences, "_same_moments", always(True), "tensor"),
    (Body, "is_heavy", True, "no_masses"),
    (joint_differences, "range_gap", always(0.0), "limits limits_stay limits_missing"),
    (joint_differences, "range_in_a", lambda pair, bounds: bounds, "limits_stay"),
    (joint_differences, "scaled_gap", always(0.0), "effort velocity dynamics"),
    (all_differences.COMPARED, "loops", nothing, "loop_only_a loop_only_b"),
    (content_differences, "_loop_values", nothing, "loop_value"),
    (content_differences, "_hangs_on_joint", always(True), "frame frame_turned"),
    (content_differences, "_is_right_turn", always(True), "frame_turned"),
    (content_differences, "_without_partner", nothing, "sensor_only_a sensor_only_b"),
    (content_differences, "poses_apart", always((0.0, 0.0)), "frame frame_turned sensor_pose"),
    (content_differences, "scaled_gap", always(0.0), "sensor_rate"),
    (content_differences, "differing_values", nothing, "sensor_value actuator"),
    (world_differences, "differing_values", nothing, "link_value"),
    (world_differences, "_gravity_difference", nothing, "gravity gravity_open base_tilt"),
    (world_differences, "_apart_differences", nothing, "apart_only_a apart_only_b"),
    (content_differences, "_by_joint", always({}), "actuator actuator_kind"),
    (
        shape_differences,
        "_nearest",
        always(None),
        "shape_kind shape_size shape_place shape_turn mesh mesh_unproven",
    ),
    (
        shape_differences,
        "_partner",
        lambda shape, others, settings: (list(others) or [None])[0],
        "shape_size shape_place shape_turn",
    ),
    (partner_shape_differences, "center_gap", always(0.0), "shape_place"),
    (partner_shape_differences, "primitive_gap", always(0.0), "shape_size shape_turn"),
    (partner_shape_differences, "mesh_turn", always(0.0), "mesh_turn shape_mirrored"),
    (partner_shape_differences, "scale_of", always((1.0, 1.0, 1.0)), "shape_scale"),
    (mesh_comparison, "same_surface", lambda *_: SameSurface(0.0), "mesh mesh_turned shape_scale"),
    (mesh_comparison, "read_surfaces", nothing, "mesh_parts mesh_turned"),
    (partner_shape_differences, "_by_surface", nothing, "mesh_unproven mesh"),
    (partner_shape_differences, "differences_of_same", nothing, "mesh_rounded mesh_turned"),
    (partner_shape_differences, "_are_missing", always(False), "mesh_missing"),
    (partner_shape_differences, "mean_one_file", always(False), "mesh_not_opened"),
    (look_differences, "mean_one_file", always(False), "image_not_opened"),
    (look_differences, "mean_one_file", always(True), "image_missing"),
    (shape_differences, "_united", always(None), "mesh_parts"),
    (shape_differences, "_is_same", always(False), "shape_twice"),
    (whole_visual_looks, "_compare_by_value", always("same"), "other_parts"),
    (shape_differences, "look_differences", nothing, "shape_text color surface color_one_side"),
    (
        look_differences,
        "_colors_and_images",
        nothing,
        "color_of_file color_of_robot color_taken color_gray image_lost light gloss points"
        " points_one_side",
    ),
    (shape_differences, "_of_role", nothing, "shape_only_a shape_only_b"),
    (world_differences, "_key_differences", nothing, "key_only_a key_only_b key key_place"),
    (content_differences, "is_called", always(True), "actuator_name"),
    (content_differences, "_open_side", always(""), "drive_open"),
    (all_differences.COMPARED, "mimic", nothing, "mimic mimic_leader mimic_missing"),
    (all_differences.COMPARED, "world", nothing, "base gravity apart_only_a link_value"),
    (all_differences.COMPARED, "frames", nothing, "frame_body frame_only_a"),
    (all_differences.COMPARED, "names", nothing, "joint_name link_name"),
    (content_differences, "_is_right_turn", always(False), "frame_right"),
    (world_differences, "_base_difference", nothing, "base base_open"),
    (world_differences, "_root_counts", always(True), "mass_held"),
    (robot_comparison, "left_out", always(()), "left_out"),
    (robot_comparison, "unknown_differences", always(()), "unknown unknown_only_a unknown_only_b"),
    (
        robot_comparison,
        "program_differences",
        always(()),
        "program_words program_frame program_only_a program_only_b",
    ),
    (
        all_differences.COMPARED,
        "sensors",
        nothing,
        "sensor_kind sensor_body sensor_words sensor_settings",
    ),
]


@pytest.mark.parametrize("place, name, broken, lost", MUTANTS)
def test_a_mutant_of_the_comparison_is_seen(place, name, broken, lost, tmp_path, monkeypatch):
    """The table above is no decoration: it fails where the comparison is wrong."""
    (monkeypatch.setitem if isinstance(place, dict) else monkeypatch.setattr)(place, name, broken)
    for kind in lost.split():
        assert set(kinds_of(PAIRS[kind], tmp_path)) != {kind}, kind


def test_every_kind_has_a_mutant():
    assert {kind for *_, lost in MUTANTS for kind in lost.split()} == set(PAIRS)
