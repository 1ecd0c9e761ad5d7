"""Robots for the tests of acts, by hand and at random."""

import random
import re

import pytest
from random_beside import write_robot_with_all
from random_gazebo import write_gazebo_robot
from random_robots import Traits, write_robot

from urdf_tools.app.run_extension import EXTENSION
from urdf_tools.app.package_options import TABLE
from urdf_tools.base.errors import UrdfError
from urdf_tools.base.transaction import Transaction
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.run.single_file_options import options_from
from urdf_tools.run.run_pipeline import prepare
from urdf_tools.run.run_records import ExtensionRequest


SOLID = (
    '<inertial><origin xyz="0.02 0.01 0.1" rpy="0.3 0.2 0.1"/><mass value="2"/><inertia ixx="0.01" iyy="0.02" '
    'izz="0.025" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>\n'
)
BOX = '<visual><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>\n'
MESH = '<visual><origin xyz="0 0 0.3"/><geometry><mesh filename="meshes/arm.stl"/></geometry></visual>\n'
ARM = f"""<robot name="arm">
  <!-- the body -->
  <link name="base">{SOLID}</link>
  <link name="left_arm">{SOLID}{BOX}{MESH}</link>
  <link name="left_hand">{SOLID}{BOX}</link>
  <link name="tool"/>
  <joint name="left_shoulder" type="revolute">
    <parent link="base"/><child link="left_arm"/><origin xyz="0.1 0.2 0.3" rpy="0.2 0.3 0.4"/>
    <axis xyz="0.6 0 0.8"/><limit lower="-1" upper="2" effort="5" velocity="3"/>
  </joint>
  <joint name="left_slide" type="prismatic">
    <parent link="left_arm"/><child link="left_hand"/><origin xyz="0.1 0 0.4" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 0.6 0.8"/><limit lower="0" upper="0.1" effort="7" velocity="1"/>
    <mimic joint="left_shoulder" multiplier="0.1" offset="0.01"/>
  </joint>
  <joint name="left_tool" type="fixed"><parent link="left_hand"/><child link="tool"/></joint>
  <transmission name="drive"><joint name="left_shoulder"/><actuator name="motor"/></transmission>
  <gazebo reference="left_hand"><sensor name="eye" type="camera"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose></sensor></gazebo>
</robot>
"""
SRDF = """<robot name="arm">
  <virtual_joint name="held" type="fixed" parent_frame="world" child_link="base"/>
  <group name="left"><chain base_link="base" tip_link="left_hand"/></group>
  <group name="all"><joint name="left_shoulder"/></group>
  <group_state name="up" group="all"><joint name="left_shoulder" value="0.5"/></group_state>
  <end_effector name="left_end" parent_link="left_hand" group="left"/>
  <disable_collisions link1="base" link2="left_arm" reason="Adjacent"/>
</robot>
"""
HAND = f"""<robot name="hand" xmlns:gz="http://gazebosim.org/schema">
  <material name="paint"><color rgba="0 1 0 1"/></material>
  <link name="base">{SOLID}
    <visual><geometry><mesh filename="palm.stl"/></geometry><material name="paint"/></visual>
  </link>
  <link name="finger">{SOLID}</link>
  <joint name="grip" type="revolute">
    <parent link="base"/><child link="finger"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
  <gazebo><plugin name="p" filename="libcontrol.so"><rate>100</rate></plugin></gazebo>
</robot>
"""
PLAIN = Traits(links=9, odd_joints=False, duplicates=0.0, hostile=0.0)


NOTES = r"(?s)<!-- urdf_simplify .*?-->\s*"  # the note of a run, with the white space after it


def written(folder, name, text):
    """Return the name of a file with this text."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def random_text(seed):
    """Return a robot without planar and floating joints, and without joints of one name."""
    return write_robot(random.Random(seed), PLAIN)


VARIANT = ("only", "drop", "lock", "zero", "flip")  # acts that keep a part, or say how joints count


def varied(text, choices, path="robot.urdf"):
    """Return a robot after the acts among the choices, in this order; the text itself without any."""
    several = {name: choices.get(name) or () for name in VARIANT}
    acts = [
        (name, value)
        for name, values in several.items()
        for value in ((values,) if isinstance(values, str) else values)
    ]
    return carried_out(text, acts, path).text if acts else text


def carried_out(text, acts, path="robot.urdf"):
    """Return the result of acts, as the command line carries them out."""
    choices = {**{row.name: row.default for row in TABLE}, "verb": "edit", "acts": tuple(acts)}
    with Transaction() as transaction:
        return prepare(
            ExtensionRequest(choices, path, ""),
            options_from(choices),
            text.encode,
            EXTENSION,
            transaction,
        )


def assert_refused(act, words, why, text=ARM):
    """Assert that an act is refused with a sentence that matches `why`."""
    with pytest.raises(UrdfError, match=why):
        carried_out(text, [(act, words)])


def random_acts(text, r, hand, most=3):
    """Return one to `most` acts, whose names are mostly those of the robot."""
    robot = read_bytes(text.encode(), "robot.urdf")
    links = [link.name for link in robot.links]
    joints = [joint.name for joint in robot.joints if joint.moves] or ["none"]
    acts = []
    for number in range(r.randint(1, most)):
        link, joint = r.choice(links), r.choice(joints)
        name, value = r.choice(
            (
                ("root", link),
                ("attach", f"{hand} '{link}' prefix=h{number}_ xyz='0 0.1 0.3' rpy='0.1 0.2 0.3'"),
                ("mirror", f"'{link}' /^/=twin{number}_ plane={r.choice('xyz')}@0.1"),
                ("prefix", "p_"),
                ("rename", f"/^{re.escape(joint)}$/=new{number}"),
                ("rename", "link:*=*_link"),
                ("add_root", f"foot{number}"),
                ("set", f"'{joint}.effort=*2'"),
                ("set", "*.mass=*1.5"),
                ("inertia_from", "collision density=*=900"),
                ("lock", (joint, 0.0)),
                ("zero", (joint, 0.05)),
                ("flip", joint),
                ("only", link),
                ("drop", link),
                ("drop", f"*{r.randint(1, 9)}"),
                ("flip", "*2"),
                ("lock", ("l*", 0.05)),
                ("zero", (joint, "middle")),
                ("add_root", f"foot{number} xyz='0.1 0 0.2' rpy='0.3 0 1'"),
                ("set", f"*1.{r.choice(('upper', 'damping', 'velocity'))}=0.7"),
                ("like", hand),
                ("set", f"'{joint}.mimic={r.choice(joints)}' multiplier=-0.5 offset=0.1"),
                ("set", "*.mimic=none"),
                ("rename", f"robot=machine{number}"),
                (
                    "remove",
                    r.choice(
                        ("inertial *1", "visual *", "collision *:mesh *:box", "mimic *", "gazebo *")
                    ),
                ),
                ("set", f"'{joint}.limit=*0.9' '{joint}.velocity=*2'"),
                ("set", f"'{joint}.type={r.choice(('fixed', 'continuous'))}'"),
                ("add_frame", f"cam{number} parent='{link}' xyz='0 1cm 0' optical"),
                ("set", f"'{joint}.rpy=0 30deg 1' '{joint}.move=0 0 5mm'"),
                ("set", f"'{joint}.turn=x 90deg' keep=world"),
                ("scale_by", r.choice(("1.5", "2/3 mass=kept"))),
            )
        )
        acts.append((name, value))
    return acts


def any_text(seed):
    """Return a robot, mostly with all that may be beside links and joints, or in `<gazebo>`."""
    if seed % 3 == 0:
        return random_text(seed)
    return (write_robot_with_all, write_gazebo_robot)[seed % 3 - 1](random.Random(seed))
