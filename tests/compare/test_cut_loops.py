"""One mechanism, cut open at another joint: said in one sentence, and only where all else is the same."""

from itertools import permutations
from typing import Tuple

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.compare.comparison import compare
from urdf_tools.formats.urdf.read import read_urdf

Point = Tuple[float, float, float]
LINKS = {  # where the frame of each is, and its mass; four bars, and a tool on one
    "base": ((0.0, 0.0, 0.0), 5.0),
    "crank": ((0.0, 0.0, 0.0), 1.0),
    "coupler": ((0.1, 0.0, 0.3), 2.0),
    "rocker": ((0.5, 0.0, 0.0), 1.5),
    "tool": ((0.3, 0.0, 0.5), 0.7),
}
JOINTS = {
    "left": ("base", "crank", (0.0, 0.0, 0.0)),
    "top_left": ("crank", "coupler", (0.0, 0.0, 0.2)),
    "right": ("base", "rocker", (0.5, 0.0, 0.0)),
    "top_right": ("coupler", "rocker", (0.5, 0.0, 0.3)),
}
WRIST = ("coupler", "tool", (0.3, 0.0, 0.4))


def text_of(cut, masses, points, prefix=""):
    """Return the mechanism as a URDF, cut open at a joint: each link has its frame at the joint that it hangs on."""
    frames = {"base": (0.0, 0.0, 0.0)}
    joints = []
    left = {
        **{name: (*ends, points[name]) for name, (*ends, _) in JOINTS.items() if name != cut},
        "wrist": WRIST,
    }
    while left:
        name = next(one for one, (a, b, _) in left.items() if (a in frames) != (b in frames))
        a, b, point = left.pop(name)
        parent, child = (a, b) if a in frames else (b, a)
        frames[child] = point
        joints.append(
            f'<joint name="{prefix}{name}" type="revolute"><parent link="{prefix}{parent}"/>'
            f'<child link="{prefix}{child}"/><origin xyz="{away(point, frames[parent])}"/><axis xyz="0 1 0"/>'
            '<limit lower="-1" upper="1" effort="5" velocity="5"/></joint>'
        )
    links = [
        f'<link name="{prefix}{name}"><inertial><origin xyz="{away(center, frames[name])}"/>'
        f'<mass value="{masses.get(name, mass)}"/><inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link>'
        for name, (center, mass) in LINKS.items()
    ]
    ends = "".join(
        f'<link name="closing_{prefix}bar_{k}"/><joint name="closing_{prefix}bar_{k}_frame" type="fixed">'
        f'<parent link="{prefix}{link}"/><child link="closing_{prefix}bar_{k}"/>'
        f'<origin xyz="{away(points[cut], frames[link])}"/></joint>'
        for k, link in enumerate(JOINTS[cut][:2], 1)
    )
    return f'<robot name="bars">{"".join(links)}{"".join(joints)}{ends}</robot>'.encode()


def away(point, origin):
    return " ".join(f"{p - q:.12g}" for p, q in zip(point, origin))


def compared(cuts, masses, points, prefix=""):
    sound = {name: point for name, (*_, point) in JOINTS.items()}
    return compare(
        read_urdf(text_of(cuts[0], {}, sound)),
        read_urdf(text_of(cuts[1], masses, {**sound, **points}, prefix)),
    )


@pytest.mark.parametrize("prefix", ["", "other_"])
@pytest.mark.parametrize("cuts", list(permutations(JOINTS, 2)), ids="-".join)
def test_another_cut_is_one_sentence(cuts, prefix):
    found = compared(cuts, {}, {}, prefix)
    assert [one.kind for one in found.differences] == ["loop_cut"]
    assert found.differences[0].names == ("closing_bar", prefix + cuts[0], cuts[1])
    assert found.exit_code == 1


@examples(20, fuzzed=100)
@given(
    st.permutations(list(JOINTS)),
    st.sampled_from(["crank", "coupler", "rocker", "tool"]),
    st.sampled_from(sorted(JOINTS)),
    st.booleans(),
)
def test_what_differs_is_not_hidden_by_it(joints, link, joint, is_mass):
    x, y, z = JOINTS[joint][2]
    found = compared(
        (joints[0], joints[1]),
        {link: 3.0} if is_mass else {},
        {} if is_mass else {joint: (x + 0.01, y, z + 0.003)},
    )
    assert [one.kind for one in found.differences] != ["loop_cut"]
