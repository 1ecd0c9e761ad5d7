"""Two joints of one name whose lines are nearly one, as CAD programs export a part twice: each act is proven."""

import pytest
from conftest import examples
from edited_robots import carried_out, SOLID
from hypothesis import given, strategies
from raw_kinematics import places

from urdf_tools.compare.read_any_format import read_bytes

LIMIT = '<limit lower="-1" upper="2" effort="1" velocity="1"/>'
ACTS = {
    "zero": ("zero", ("j", 0.5)),
    "lock": ("lock", ("j", 0.5)),
    "flip": ("flip", "j"),
    "set": ("set", "j.effort=*2"),
    "prefix": ("prefix", "p_"),
}


def hinge(name, parent, child, origin, axis="0 1 0"):
    return (
        f'<link name="{child}">{SOLID}</link><joint name="{name}" type="revolute"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{origin}"/><axis xyz="{axis}"/>{LIMIT}</joint>'
    )


def nearly_one(apart):
    """Return a robot with two joints `j`, so far apart [m], and a joint that hangs on the second."""
    return (
        f'<robot name="r"><link name="base"/>{hinge("j", "base", "a", "0 0 1")}'
        f"{hinge('j', 'base', 'b', f'{apart!r} 0 1')}{hinge('k', 'b', 'c', '0.1 0 1', '0 0 1')}</robot>"
    )


@examples(40)
@given(strategies.sampled_from(list(ACTS)), strategies.floats(-12, -2).map(lambda power: 10**power))
def test_an_act_is_proven_however_near_the_lines_are(act, apart):
    """And both move about their own lines: all links are where both joints at the new zero put them before."""
    text = nearly_one(apart)
    result = read_bytes(carried_out(text, [ACTS[act]]).data, "")
    at = 0.5 if act in ("zero", "lock") else 0.0
    expected = places(read_bytes(text.encode(), ""), {"a": at, "b": at})
    for name, (_, translation) in places(result).items():
        old = name[2:] if act == "prefix" else name
        assert translation == pytest.approx(expected[old][1], abs=1e-12)
