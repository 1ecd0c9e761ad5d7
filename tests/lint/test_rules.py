"""The rules: a mutant of a real robot that each of them finds, and what is no fault."""

import math
import re
from functools import lru_cache

import pytest
from hypothesis import given, strategies as st

from mesh_files import binary_stl

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair
from urdf_tools.lint.overlap_rules import inner_ball, OverlapSolid
from urdf_tools.lint.urdf_text_rules import exact_angle
from urdf_tools.robot.principal_axes import principal
from urdf_tools.urdf.spatial_math import (
    IDENTITY,
    matrix_from_rpy,
    Transform,
    rpy_from_matrix,
)

KNOWN = [kind.name for kind in EXPORT_KINDS]
OF_SHAPES = {
    "center-outside",
    "inertia-outside",
    "inertia-unit",
    "too-dense",
    "mass-unit",
    "mesh-scale",
    "inertia",
}
sizes = st.floats(0.01, 2.0)
angles = st.floats(-3.0, 3.0)


@lru_cache(maxsize=64)
def look(text):
    return examine(text.encode("utf-8"), "robot.urdf", KNOWN)


@lru_cache(maxsize=None)
def kinds(text):
    return [one.kind.name for one in look(text).findings]


@st.composite
def poses(draw):
    x, y, z = (draw(st.floats(-1.0, 1.0)) for _ in range(3))
    return Transform(matrix_from_rpy((draw(angles), draw(angles), draw(angles))), (x, y, z))


def test_the_bound_is_seen_by_its_mutant():
    """Two particles at the ends of a rod have the most; a rod that is 1.5 times as long has more than shapes allow."""
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" '
        'iyz="0" izz="1e-9"/></inertial><visual><geometry><box size="0.01 0.01 2"/></geometry></visual></link></robot>'
    )
    assert [name for name in kinds(text.format(i=2.0)) if name in OF_SHAPES] == []
    assert "inertia-outside" in kinds(text.format(i=2.0 * 1.51**2))


def ball(at, radius):
    return OverlapSolid("a", Transform(IDENTITY, at), (radius,) * 3, "sphere")


def box(T, half):
    return OverlapSolid("a", T, half, "box")


@given(sizes, sizes, st.floats(0.0, 3.0))
def test_balls_overlap_by_what_they_do(one, other, apart):
    """What is proven is no more than the truth, and close to it."""
    depth = min(one + other - apart, 2.0 * min(one, other))
    found = 2.0 * inner_ball(ball((0.0, 0.0, 0.0), one), ball((apart, 0.0, 0.0), other))[0]
    assert found <= max(depth, 0.0) + 1e-6
    assert depth < 0.01 or found > 0.5 * depth


@given(
    poses(),
    st.tuples(sizes, sizes, sizes),
    poses(),
    st.tuples(sizes, sizes, sizes),
    st.floats(1e-6, 1.0),
)
def test_boxes_on_both_sides_of_a_plane_do_not_overlap(T, half, other, size, gap):
    one, two = box(T, half), box(other, size)
    far = T.translation[0] + one.reach + two.reach + gap
    near = one._replace(T_world=Transform(T.rotation, (T.translation[0], 0.0, 0.0)))
    apart = box(Transform(other.rotation, (far, 0.0, 0.0)), size)
    assert one.reach > 0.0 and inner_ball(near, apart)[0] <= 0.0


@given(
    st.sampled_from(("revolute", "prismatic", "continuous", "floating")),
    st.sampled_from((-2.0, -1.0, 0.0, 1.0, 2.0)),
    st.sampled_from((-2.0, -1.0, 0.0, 1.0, 2.0)),
)
def test_overlaps_are_looked_for_at_a_position_within_the_limits(kind, lower, upper):
    """Two balls in one place with the joint at zero, apart where it is one away; only two types have limits."""
    ball = '<collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>'
    text = "".join(f'<link name="{name}"/>' for name in "abc")
    text += f'<link name="near">{ball}</link><link name="far">{ball}</link>'
    limits = f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
    # Links that are three joints apart are no neighbors, which may touch.
    for name, type_, parent, child in (
        ("j", kind, "a", "b"),
        ("k", "continuous", "b", "c"),
        ("l", "continuous", "c", "far"),
        ("m", "fixed", "a", "near"),
    ):
        text += (
            f'<joint name="{name}" type="{type_}"><parent link="{parent}"/><child link="{child}"/>'
            f'<axis xyz="0 0 1"/>{limits if name == "j" else ""}</joint>'
        )
    text = f'<robot name="r">{text}</robot>'
    is_away = kind in ("revolute", "prismatic") and (0.0 < lower <= upper or lower <= upper < 0.0)
    assert ("overlap" in kinds(text)) is not is_away
    # A follower goes where its leader is, and not to its own zero.
    mimic = '<mimic joint="j" multiplier="-1"/></joint>'
    back = text.replace('name="k" type="continuous"', f'name="k" type="{kind}"')
    name_of_k = back.index('name="k"')
    back = back[:name_of_k] + back[name_of_k:].replace("</joint>", mimic, 1)
    if kind in ("revolute", "prismatic") and lower <= upper:
        assert "overlap" in kinds(back)


@pytest.mark.parametrize(
    ("word", "angle"),
    (
        ("1.57", math.pi / 2),
        ("-3.14", -math.pi),
        ("3.142", math.pi),
        ("0.785", math.pi / 4),
        ("1.6", 0.0),
        ("0.79", 0.0),
        ("1.5708", math.pi / 2),
        ("1.58", 0.0),
        ("0", 0.0),
        ("2.36", 0.0),
        ("2.356", 3 * math.pi / 4),
        ("x", 0.0),
    ),
)
def test_which_numbers_are_rounded_angles(word, angle):
    assert exact_angle(word) == pytest.approx(angle, abs=1e-12)


def in_link(name, old, new):
    """Return what replaces a text, once, behind the beginning of a link or joint."""

    def change(text):
        start = re.search(rf'<(?:link|joint)[^>]*name="{re.escape(name)}"', text)
        assert start is not None, name
        before, after = text[: start.start()], text[start.start() :]
        changed = re.sub(old, new, after, count=1, flags=re.S)
        assert changed != after, old
        return before + changed

    return change


def with_principal_axes(text, keep, drop):
    """Tell the tensors of two links by principal moments: of `keep` with their axes, of `drop` without."""
    robot = look(text).robot
    assert robot is not None
    for name in (keep, drop):
        inertial = robot.links[name].inertial
        assert inertial is not None
        moments, axes = principal(inertial.properties.inertia)
        rpy = " ".join(map(repr, rpy_from_matrix(axes))) if name == keep else "0 0 0"
        text = in_link(
            name,
            r"<inertia [^>]*>",
            f'<inertia ixx="{moments[0]!r}" ixy="0" ixz="0" iyy="{moments[1]!r}" iyz="0" izz="{moments[2]!r}"/>',
        )(text)
        text = in_link(
            name,
            r"<origin[^>]*>",
            '<origin xyz="{} {} {}" rpy="{}"/>'.format(*map(repr, inertial.properties.center), rpy),
        )(text)
    return text


# Of talos_full_v2: both in order, and mirror images.
SYMMETRIC = ("leg_left_3_link", "leg_right_3_link")
# Real robots without a finding of these kinds; what has one is shown by the example of each kind, in report/test_examples.py.
SILENT = {
    "go1": "inertia-unit inertia-outside limits-reversed limits-empty limits-degrees no-drive same-name "
    "misspelled unread-words soft-limit control-limit names-no-joint "
    "unbound-prefix unnamed-material absolute-path in-urdfdom undefined-material no-mass no-limit inertia",
    "stickbot": "center-outside too-dense mass-unit mesh-scale overlap",
    "talos_full_v2": "inertia-sign inertia-frame mimic follower-limits rounded-angle",
    "spm": "left-right",
}


@pytest.mark.parametrize("robot", SILENT)
def test_a_real_robot_is_silent(robot, shared):
    found = kinds((shared / "robots" / f"{robot}.urdf").read_text("utf-8"))
    assert not set(found) & set(SILENT[robot].split())


TURNS = '<link name="l{0}"/><joint name="{1}" type="continuous"><parent link="base"/><child link="l{0}"/><axis xyz="{2}"/></joint>'


@pytest.mark.parametrize(
    ("names", "negative", "told"),
    (
        ("a b c d e", "c", True),
        ("a b c d", "c", False),  # too few to be a rule
        ("a b c d e", "c d", False),
        ("a b left_c right_c e", "left_c", False),  # its twin faces it
    ),
)
def test_the_only_negative_axis_is_named(names, negative, told):
    joints = [
        TURNS.format(number, name, "0 -0.9 0.1" if name in negative.split() else "0 1 -0.5")
        for number, name in enumerate(names.split())
    ]
    text = f'<robot name="r"><link name="base"/>{"".join(joints)}</robot>'
    assert ("odd-axis" in kinds(text)) == told


TWO = '<robot name="r"><link name="base"/>{left}{right}</robot>'
SIDE = (
    '<link name="{s}_arm"/><joint name="{s}_joint" type="revolute"><parent link="base"/><child link="{s}_arm"/><origin '
    'xyz="0 {y} 0"/><axis xyz="0 1 0"/><limit lower="{low}" upper="{high}" effort="1" velocity="1"/></joint>'
)


@pytest.mark.parametrize(
    ("low", "high", "told"),
    (
        ("1.5", "-0.5", True),  # the left one has -0.5 .. 1.5
        ("0.7", "-0.7", True),  # swapped, or with turned signs: the same
        ("1.2", "-0.5", False),
    ),
)
def test_reversed_limits_are_repaired_where_that_is_unique(low, high, told):
    text = TWO.format(
        left=SIDE.format(s="left", y="0.1", low="-0.5", high="1.5"),
        right=SIDE.format(s="right", y="-0.1", low=low, high=high),
    )
    (found,) = (one for one in look(text).findings if one.kind.name == "limits-reversed")
    assert [(edit.attribute, edit.value) for edit in found.repair] == (
        [("lower", high), ("upper", low)] if told else []
    )


def test_a_missing_frame_of_a_tensor_is_repaired(shared):
    """With the edit the tensor is the mirror image of its twin's again."""
    text = with_principal_axes(
        (shared / "robots" / "talos_full_v2.urdf").read_text("utf-8"), *SYMMETRIC
    )
    (found,) = (one for one in look(text).findings if one.kind.name == "inertia-frame")
    (edit,) = found.repair
    changes = {edit.attribute: str(edit.value)}
    repaired = in_link(SYMMETRIC[1], 'rpy="0 0 0"', f'rpy="{changes["rpy"]}"')(text)
    assert not {"inertia-frame", "inertia-sign"} & set(kinds(repaired))
    assert all(
        SYMMETRIC[1] not in one.diagnostic.names
        for one in look(repaired).findings
        if one.kind.name == "left-right"
    )


BLOCK = (
    '<robot name="r"><link name="a"><inertial><mass value="{mass}"/><inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" '
    'iyz="0" izz="{j}"/></inertial><visual><geometry><box size="0.1 0.1 0.2"/></geometry></visual></link></robot>'
)


@pytest.mark.parametrize(
    ("mass", "i", "j", "kind", "edits"),
    (
        # A block of 2 kg in kilograms and meters: 2, 0.00833, 0.00333.
        ("2", "0.00833", "0.00333", "", []),
        ("2000", "0.00833", "0.00333", "mass-unit", [("value", "2")]),
        (
            "2000",
            "8.33",
            "3.33",
            "mass-unit",
            [("value", "2"), ("ixx", "0.00833"), ("iyy", "0.00833"), ("izz", "0.00333")],
        ),
        (
            "2",
            "8333",
            "3333",
            "inertia-unit",
            [("ixx", "0.008333"), ("iyy", "0.008333"), ("izz", "0.003333")],
        ),
        ("2", "25", "10", "inertia-unit", []),  # told in g m^2 of a shell, or in kg cm^2 of a core
    ),
)
def test_units_are_repaired_where_that_is_unique(mass, i, j, kind, edits):
    found = [
        one
        for one in look(BLOCK.format(mass=mass, i=i, j=j)).findings
        if one.kind.name in OF_SHAPES
    ]
    assert [one.kind.name for one in found] == [kind] * bool(kind)
    assert [(edit.attribute, edit.value) for one in found for edit in one.repair] == edits


SIZES = (
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual><collision><geometry>'
    '<mesh filename="a.stl" scale="{scale}"/></geometry></collision></link></robot>'
)


@pytest.mark.parametrize(
    ("size", "scale", "edits"),
    (
        (0.1, "1 1 1", None),
        (100.0, "0.001 0.001 0.001", ["0.001 0.001 0.001"]),  # the visual is 100 m long
        (0.1, "1000 1000 1000", ["1 1 1"]),  # the collision is
        (1.0, "0.001 0.001 0.001", []),  # 1 m or 1 mm: either may be meant
    ),
)
def test_a_mesh_in_millimeters_is_repaired_where_one_size_is_impossible(
    size, scale, edits, tmp_path
):
    (tmp_path / "a.stl").write_bytes(binary_stl([[(0, 0, 0), (size, 0, size), (0, size, 0)]]))
    text = SIZES.format(scale=scale)
    examined = examine(text.encode("utf-8"), str(tmp_path / "robot.urdf"), KNOWN)
    found = [one for one in examined.findings if one.kind.name == "mesh-scale"]
    assert [[edit.value for edit in one.repair] for one in found] == (
        [] if edits is None else [edits]
    )
    assert examined.document is not None and repair(examined.document, found).findings == tuple(
        found
    )


def test_an_attribute_with_a_prefix_is_not_misspelled():
    text = (
        '<robot name="r" xmlns:drake="d"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><limit effort="1" {}="1"/></joint></robot>'
    )
    assert "misspelled" in kinds(text.format("velocty"))
    assert "misspelled" not in kinds(text.format("drake:acceleration"))


LIMITED = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{}"><parent link="a"/><child link="b"/>
<limit lower="{}" upper="{}" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "severity", "repaired"),
    (
        ("revolute", -97, 180, "warning", True),  # a right angle in degrees
        ("revolute", -30, 260, "warning", True),
        ("revolute", -97, 113, "note", False),
        ("revolute", -30.0001, 260.003, "note", False),
        ("revolute", -100, 100, "note", False),  # a round number that means no limit
        ("revolute", -1e6, 1e6, "note", False),
        ("revolute", -6.3, 18.8, "", False),  # three turns
        ("prismatic", -97, 180, "", False),
        ("continuous", -97, 180, "", False),
    ),
)
def test_a_limit_of_several_turns(kind, lower, upper, severity, repaired):
    text = LIMITED.format(kind, lower, upper)
    found = [
        (finding.severity, bool(finding.repair))
        for finding in examine(text.encode(), "r.urdf", KNOWN).findings
        if finding.kind.name == "limits-degrees"
    ]
    assert found == ([(severity, repaired)] if severity else [])


WEIGHED = """<robot name="r"><link name="a"><inertial><origin xyz="{}"/><mass value="1"/><inertia ixx="{}" iyy="{}" izz="{}"
ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link></robot>"""


@pytest.mark.parametrize(
    ("center", "moments", "kind", "numbers"),
    (
        # Second moments .08 .05 .03: along x sqrt(.08) = 282.8 mm, and sqrt((.05 + .075)^2) = 125 mm fits; the ratio
        # is less along y and z.
        ("0 0 0", (0.08, 0.11, 0.13), "inertia-outside", (282.84, 125.0)),
        # Along y: (.1 + .075)^2.
        ("0 0 0", (0.21, 0.02, 0.21), "inertia-outside", (447.21, 175.0)),
        # 300 - 50 mm beyond along x; along y only 100 mm.
        ("0.3 0.2 0", (1e-3, 1e-3, 1e-3), "center-outside", (250.0, 100.0)),
        ("0.2 -0.4 0", (1e-3, 1e-3, 1e-3), "center-outside", (300.0, 200.0)),
    ),
)
def test_the_numbers_of_masses_are_those_of_the_worst_direction(center, moments, kind, numbers):
    text = WEIGHED.format(center, *moments)
    (finding,) = [
        one for one in examine(text.encode(), "r.urdf", KNOWN).findings if one.kind.name == kind
    ]
    assert finding.diagnostic.numbers == pytest.approx(numbers, rel=1e-4)
