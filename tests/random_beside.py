"""Random robots that have everything beside their links and joints: sensors, plugins, transmissions, frames, loops."""

import re

from random_robots import ORDINARY, write_robot


def _numbers(r, count):
    """Return so many numbers as text."""
    return " ".join(
        r.choice(("0", f"{r.uniform(-1, 1):.6g}", "1.5707963267948966")) for _ in range(count)
    )


def _pose(r):
    """Return a `<pose>` or none."""
    return r.choice(
        ("", f"<pose>{_numbers(r, 6)}</pose>", f'<pose degrees="true">{_numbers(r, 6)}</pose>')
    )


def _origin(r):
    """Return an `<origin>` or none."""
    return r.choice(
        (
            "",
            f'<origin xyz="{_numbers(r, 3)}" rpy="{_numbers(r, 3)}"/>',
            f'<origin xyz="{_numbers(r, 3)}"/>',
        )
    )


def _element(r, number, links, joints):
    """Return one element; its own name is unlike every link and joint."""
    link, other, joint = r.choice(links), r.choice(links), r.choice(joints)
    name = f"thing {number}"
    return r.choice(
        (
            f'<gazebo reference="{link}"><mu1>{r.choice((0.1, 0.2))}</mu1><kd value="{r.choice((1, 2))}"/>'
            f"<fdir1>{_numbers(r, 3)}</fdir1><unknown>1</unknown></gazebo>",
            f'<gazebo reference="{link}"><sensor name="{name}" type="imu">{_pose(r)}</sensor></gazebo>',
            f'<gazebo reference="{link}"><light name="{name}">{_pose(r)}</light><projector name="{name}">{_pose(r)}'
            "</projector></gazebo>",
            f'<gazebo reference="{link}"><sensor name="{name}" type="contact"><contact><collision>{link}_collision'
            f"</collision><collision>{other}_fixed_joint_lump__{link}_collision_1</collision></contact></sensor></gazebo>",
            f'<gazebo><plugin name="{name}"><bodyName>{link}</bodyName><xyzOffset>{_numbers(r, 3)}</xyzOffset>'
            f"<frameName>{other}</frameName><joint_name>{joint}</joint_name></plugin></gazebo>",
            f'<gazebo><plugin name="{name}"><all>{link}, {other}</all><scoped>robot::{link}</scoped></plugin></gazebo>',
            f'<gazebo><joint name="{name}" type="ball"><parent>{link}</parent><child>{other}</child>{_pose(r)}</joint>'
            "</gazebo>",
            f'<gazebo reference="{joint}"><springReference>0.3</springReference><stopErp>1</stopErp></gazebo>',
            f'<sensor name="{name}"><parent link="{link}"/>{_origin(r)}</sensor>',
            f'<sensor name="{name}"><parent joint="{joint}"/>{_origin(r)}</sensor>',
            f'<transmission name="{name}"><joint name="{joint}"/><actuator name="motor"/></transmission>',
            f'<ros2_control name="{name}" type="system"><joint name="{joint}"><command_interface name="position">'
            '<param name="min">-1</param><param name="max">2</param></command_interface>'
            f'<param name="mimic">{r.choice(joints)}</param><param name="multiplier">2</param></joint></ros2_control>',
            f'<mujoco><contact><exclude body1="{link}" body2="{other}"/></contact></mujoco>',
            f'<drake:collision_filter_group name="{name}"><drake:member link="{link}"/></drake:collision_filter_group>',
            f'<loop_joint name="{name}"><link1 link="{link}" xyz="{_numbers(r, 3)}" rpy="{_numbers(r, 3)}"/>'
            f'<link2 link="{other}"/></loop_joint>',
            f'<loop name="{name}"><predecessor link="{link}">{_origin(r)}</predecessor></loop>',
            f'<frame name="{name}" link="{link}" xyz="{_numbers(r, 3)}" rpy="{_numbers(r, 3)}"/>',
            f'<frame name="{name}" link="{link}">{_origin(r)}</frame>',
            f'<unheard_of><of link="{link}"/><of>{other}</of><of joint="{joint}"/></unheard_of>',
        )
    )


def write_robot_with_all(r):
    """Return the text of a readable URDF with elements of all kinds."""
    text = write_robot(r, ORDINARY._replace(fixed=0.5, hardware=0.1))
    links = re.findall(r'<link name="(.*?)"', text)
    joints = re.findall(r"<joint[^>]* name=[\"'](.*?)[\"']", text) or ["none"]
    added = "".join(
        f"  {_element(r, number, links, joints)}\n" for number in range(r.randint(1, 8))
    )
    for number, link in enumerate(links):
        if r.random() < 0.2:
            inside = r.choice(
                (
                    f'<frame name="in {number}">{_origin(r)}</frame>',
                    "<contact><value a='1'/></contact>",
                    f'<sensor name="in {number}">{_origin(r)}</sensor>',
                )
            )
            text = (
                text.replace(
                    f'<link name="{link}"/>', f'<link name="{link}">{inside}</link>'
                ).replace(f'<link name="{link}">', f'<link name="{link}">\n    {inside}', 1)
                if (f'<link name="{link}">' in text)
                else text
            )
    return text.replace("<robot ", '<robot xmlns:drake="urn:drake" ').replace(
        "</robot>", added + "</robot>"
    )
