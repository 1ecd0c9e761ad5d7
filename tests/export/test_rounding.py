"""What exports write has no digits of rounding errors."""

import re

import pytest

from urdf_tools.base.exact_trigonometry import PI
from urdf_tools.collada.collada_scene import TRANSFORM_ELEMENTS, without_affine_noise
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.export.sdf_exporter import write_sdf
from urdf_tools.model import Robot
from urdf_tools.model.export_options import MjcfOptions, SdfOptions
from urdf_tools.urdf.spatial_math import compose

INERTIA = '<mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>'
HALF, QUARTER = PI, PI / 2  # their sine and cosine are 1.2e-16 and 6e-17
ROBOT = f"""<robot name="r"><link name="base"/>
<joint name="held" type="fixed"><parent link="base"/><child link="arm"/>
<origin xyz="0.1 0.2 0.3" rpy="{HALF} 0 {QUARTER}"/></joint>
<link name="arm"><inertial><origin xyz="0.01 0.02 0.03" rpy="0 {QUARTER} {HALF}"/>{INERTIA}</inertial>
<collision><origin xyz="0.01 0.02 0.03" rpy="0 {QUARTER} {HALF}"/><geometry><box size="1 2 3"/></geometry></collision>
</link>
<joint name="hinge" type="continuous"><parent link="arm"/><child link="hand"/>
<origin xyz="0.1 0.2 0.3" rpy="{QUARTER} 0 {HALF}"/><axis xyz="0 0 1"/></joint>
<link name="hand"><inertial>{INERTIA}</inertial></link></robot>"""
TINY = re.compile(r"[0-9]e-(?:1[2-9]|[2-9][0-9])")


@pytest.mark.parametrize(
    "write",
    [lambda robot: write_mjcf(robot, MjcfOptions()), lambda robot: write_sdf(robot, SdfOptions())],
    ids=["MJCF", "SDF"],
)
def test_right_angles_leave_no_noise(tmp_path, write):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT, "utf-8")
    assert TINY.findall(write(Robot.from_urdf(path)).text) == []


def test_the_map_of_a_model_has_zeros_where_turns_cancel():
    there, back = (
        TRANSFORM_ELEMENTS["rotate"][1]((0.3, 0.4, 0.5, angle)) for angle in (33.0, -33.0)
    )
    noisy = compose(compose(there, back), TRANSFORM_ELEMENTS["scale"][1]((1000.0, 1000.0, 1000.0)))
    clean = without_affine_noise(noisy)
    assert any(0.0 < abs(value) < 1e-9 for row in noisy.rotation for value in row)
    assert all(value == 0.0 or value > 999.0 for row in clean.rotation for value in row)
    tiny = TRANSFORM_ELEMENTS["scale"][1]((1e-6, 2e-6, 1e-9))
    assert without_affine_noise(tiny) == tiny
