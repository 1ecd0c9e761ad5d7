"""A `<limit>` without ends has none to move with a zero: `compare` of an edit and its input says nothing of limits."""

import pytest

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.urdf.read_urdf import read_urdf

BODY = '<inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="{}" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.4"/></inertial>'
ARM = """<robot name="arm"><link name="base">{base}</link><link name="tip">{tip}</link>
<joint name="turn" type="revolute"><origin rpy="0 0 {zero}"/><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
{limit}</joint></robot>"""
OPEN = '<limit effort="1" velocity="1"/>'
CLOSED = '<limit lower="0" upper="0" effort="1" velocity="1"/>'
MOVED = '<limit lower="-0.3" upper="-0.3" effort="1" velocity="1"/>'


def arm(limit, zero=0.0):
    words = {"base": BODY.format(0.2), "tip": BODY.format(0.25), "limit": limit, "zero": zero}
    return read_urdf(ARM.format(**words).encode())


@pytest.mark.parametrize(
    ("limit", "other", "zero", "kinds"),
    (
        (OPEN, OPEN, 0.3, []),
        (OPEN, OPEN, 0.0, []),
        (OPEN, CLOSED, 0.0, []),  # urdfdom reads 0 where nothing is written
        (CLOSED, MOVED, 0.3, []),
        (CLOSED, CLOSED, 0.3, ["limits_stay"]),
        (OPEN, CLOSED, 0.3, ["limits_stay"]),
    ),
)
def test_what_a_limit_does_not_write_does_not_move(limit, other, zero, kinds):
    found = compare(arm(limit), arm(other, zero))
    assert [each.kind for each in found.differences] == kinds
    assert abs(found.map.pairs[0].offset + zero) < 1e-9
