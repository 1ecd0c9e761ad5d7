"""Random MJCF and SDF with what a URDF cannot say: the robots of the other writers, furnished with it."""

import re
from random import Random

import random_mjcf
import random_sdf

SERVOS = (
    '<motor joint="{0}" gear="3" ctrlrange="-2 2"/>',
    '<position joint="{0}" kp="5" kv="1"/>',
    '<velocity joint="{0}" kv="2"/>',
    '<general joint="{0}" gainprm="2"/>',
    '<position joint="{0}" kp="4" dampratio="1" forcerange="-1 1"/>',
    '<damper joint="{0}" kv="1" ctrlrange="0 1"/>',
)
TIES = (
    '<connect body1="{0}" body2="{1}" anchor="0.1 0.2 0.3"/>',
    '<weld body1="{0}" body2="{1}"/>',
    '<connect body1="{0}" anchor="0 0 1"/>',
)
FOLLOWERS = (
    '<joint joint1="{0}" joint2="{1}" polycoef="0.1 2"/>',
    '<joint joint1="{0}" joint2="{1}" polycoef="0.1 1 0.3"/>',
    '<joint joint1="{0}" polycoef="0.1"/>',
)
SENSED = ('<gyro site="{0}"/>', '<touch site="{0}"/>', '<force site="{0}"/>')
EXCLUDES = ('<exclude body1="{0}" body2="{1}"/>',)
OF_GEOMS = ('rgba="0.1 0.2 0.3 1"', 'material="m"', 'condim="6"', 'contype="0" conaffinity="0"')
OF_JOINTS = (
    'stiffness="3"',
    'stiffness="3 2 1" springref="0.3"',
    'armature="0.01"',
    'frictionloss="0.1" actuatorfrcrange="-3 3"',
)
SHINE = ("", 'specular="0.3" emission="0.1"', 'shininess="0.2"', 'metallic="0.5"')
GRAVITY = ("-9.81", "-1.62", "0")
SHAPE = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
FRICTION = "<friction><ode><mu>{0}</mu><slip1>0.2</slip1></ode>{1}</friction>"
OF_LINKS = (
    f'<collision name="c0">{SHAPE}</collision>',
    f'<collision name="c1">{SHAPE}<surface>{FRICTION.format(0.5, "")}<bounce><restitution_coefficient>0.3'
    "</restitution_coefficient></bounce></surface></collision>",
    f'<collision name="c2">{SHAPE}<surface>{FRICTION.format(0.7, "<torsional><coefficient>0.2</coefficient></torsional>")}'
    "</surface></collision>",
    f'<visual name="v0">{SHAPE}<material><script><name>Gazebo/Grey</name></script></material></visual>',
    f'<visual name="v1">{SHAPE}</visual>',
    "<gravity>false</gravity>",
    "<self_collide>true</self_collide>",
    "<velocity_decay><linear>0.1</linear><angular>0.1</angular></velocity_decay>",
    '<sensor name="eye" type="camera"><update_rate>9</update_rate><camera><image><width>64</width><height>48</height>'
    "</image></camera></sensor>",
    '<sensor name="ray" type="gpu_lidar"><lidar><scan><horizontal><samples>9</samples><min_angle>-1</min_angle>'
    "<max_angle>1</max_angle></horizontal></scan></lidar></sensor>",
    '<sensor name="imu" type="imu"><topic>t</topic></sensor>',
    '<sensor name="touch" type="contact"><contact><collision>c0</collision></contact></sensor>',
)
OF_MODELS = (
    '<joint name="gear" type="gearbox"><parent>link0</parent><child>link1</child><gearbox_ratio>3</gearbox_ratio></joint>',
    '<joint name="loop" type="revolute"><parent>link0</parent><child>link1</child><axis><xyz>0 0 1</xyz></axis></joint>',
    '<model name="inner"><link name="k"/></model>',
    "<static>true</static>",
)


def some(r, texts, names=("",), chance=0.3):
    """Return, for some of the names, one of the texts."""
    return "".join(
        r.choice(texts).format(name, r.choice(names)) for name in names if r.random() < chance
    )


def mjcf(seed):
    """Return an MJCF with servos, ties, sensors, and more of each geom, joint and body."""
    r = Random(seed)
    text = random_mjcf.Writer(seed).text().replace('"ball"', '"hinge"')
    # Several things have a name, each its own.
    text = re.sub(r'"[js](\d+)"', lambda found: f'"b{int(found[1]) - 1}"', text)
    bodies, joints, sites = (
        re.findall(rf'<{tag} name="(\w+)"', text) for tag in ("body", "joint", "site")
    )
    for tag, more in (("geom", OF_GEOMS), ("joint", OF_JOINTS), ("body", ('gravcomp="0.3"',))):
        text = re.sub(
            f"<{tag} name", lambda found, more=more: f"<{found[0][1:-4]}{some(r, more)} name", text
        )
    asset = f'<asset><material name="m" rgba="0.2 0.4 0.6 1" {r.choice(SHINE)}/></asset>'
    return text.replace(
        "<worldbody>", f'<option gravity="0 0 {r.choice(GRAVITY)}"/>{asset}<worldbody>'
    ).replace(
        "</mujoco>",
        f"<equality>{some(r, TIES, bodies)}{some(r, FOLLOWERS, joints)}</equality>"
        f"<actuator>{some(r, SERVOS, joints)}</actuator><sensor>{some(r, SENSED, sites)}</sensor>"
        f"<contact>{some(r, EXCLUDES, bodies)}</contact></mujoco>",
    )


def sdf(seed):
    """Return an SDF with shapes, sensors and flags in its links, and what is between them."""
    r = Random(seed)
    text = random_sdf.Writer(r).text().replace('"ball"', '"fixed"')
    text = re.sub(
        "</link>", lambda _: "".join(one for one in OF_LINKS if r.random() < 0.3) + "</link>", text
    )
    more = some(r, OF_MODELS[2 * ("link1" not in text) :])
    return text.replace("</model></sdf>", f"{more}</model></sdf>")
