"""Collisions beside visuals: none, far off, as fine as what is drawn; and the unit that a COLLADA file names."""

import pytest
from hypothesis import given, strategies as st
from mesh_files import binary_stl

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine

KNOWN = [kind.name for kind in EXPORT_KINDS]
SHAPE = '<{role}><origin xyz="{x} 0 0" rpy="0 0 {yaw}"/><geometry>{drawn}</geometry></{role}>'
BOX = '<box size="0.2 0.2 0.2"/>'
JOINT = '<joint name="{0}_j" type="continuous"><parent link="base"/><child link="{0}"/></joint>'


def shape(role, drawn=BOX, x=0.0, yaw=0.0):
    return SHAPE.format(role=role, drawn=drawn, x=x, yaw=yaw)


def robot(**links):
    parts = [f'<link name="{name}">{inside}</link>' for name, inside in links.items()]
    joints = [JOINT.format(name) for name in links if name != "base"]
    return f'<robot name="r">{"".join(parts + joints)}</robot>'


def found(text, kind, path="r.urdf"):
    findings = examine(text.encode(), str(path), KNOWN).findings
    return [one.diagnostic for one in findings if one.kind.name == kind]


WHOLE = shape("visual") + shape("collision")


@pytest.mark.parametrize(
    ("links", "bare"),
    (
        ({"base": WHOLE, "a": WHOLE, "b": shape("visual")}, ["b"]),
        ({"base": WHOLE, "a": WHOLE, "b": WHOLE}, []),
        ({"base": WHOLE, "a": WHOLE, "b": ""}, []),  # nothing is drawn
        ({"base": WHOLE, "a": shape("visual"), "b": shape("visual")}, []),  # only drawn
    ),
)
def test_what_is_drawn_and_cannot_be_touched(links, bare):
    assert [one.names[0] for one in found(robot(**links), "no-collision")] == bare


@pytest.mark.parametrize(("at", "bare"), ((0.0, []), (0.079, []), (0.081, ["a"]), (1.0, ["a"])))
def test_a_flange_does_not_collide_for_its_link(at, bare):
    """Box `a` is drawn, and a link that is fixed to it collides: two fifths of the box beyond that are said."""
    flange = f'<link name="flange">{shape("collision")}</link><joint name="f" type="fixed"><origin '
    flange += f'xyz="{at} 0 0"/><parent link="a"/><child link="flange"/></joint></robot>'
    text = robot(base=WHOLE, a=shape("visual"), b=WHOLE).replace("</robot>", flange)
    assert [one.names[0] for one in found(text, "no-collision")] == bare
    both = text.replace('<link name="a">', f'<link name="a">{shape("collision")}')
    assert not found(both, "no-collision")


@given(st.floats(0.0, 0.5), st.floats(-3.0, 3.0))
def test_a_collision_is_off_by_no_more_than_is_said(x, yaw):
    """Two equal balls: the one reaches beyond the other by as much as their centers are apart."""
    ball = '<sphere radius="0.1"/>'
    text = robot(base=shape("visual", ball) + shape("collision", ball, x, yaw))
    said = [one.numbers[0] / 1000.0 for one in found(text, "collision-off")]
    assert all(off <= x + 1e-9 for off in said)
    # Along one of its axes it is seen to be off: of the ball's box by so much at least.
    assert said or x < 0.25


@pytest.mark.parametrize(("x", "is_off"), ((0.05, False), (0.099, False), (0.11, True), (2, True)))
def test_a_box_is_off_its_twin(x, is_off):
    assert (
        bool(found(robot(base=shape("visual") + shape("collision", x=x)), "collision-off"))
        == is_off
    )


@pytest.mark.parametrize("count", (9999, 10000))
@pytest.mark.parametrize("ending", ("stl", "obj", "dae"))
def test_a_fine_mesh_collides_as_it_is_drawn(tmp_path, count, ending):
    corners = [((0, 0, 0), (1, 0, 0), (0, 1, 0))] * count
    data = {
        "stl": binary_stl(corners) if ending == "stl" else b"",
        "obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"f 1 2 3\n" * count,
        "dae": b'<COLLADA><triangles count="5"/><polylist material="a" count="%d"/></COLLADA>'
        % (count - 5)
        + b" " * 10000,
    }
    (tmp_path / f"fine.{ending}").write_bytes(data[ending])
    mesh = f'<mesh filename="fine.{ending}"/>'
    text = robot(base=shape("visual", mesh) + shape("collision", mesh))
    numbers = [one.numbers for one in found(text, "collision-visual", tmp_path / "r.urdf")]
    assert numbers == ([(10000.0,)] if count == 10000 else [])
    apart = robot(base=shape("visual") + shape("collision", mesh))
    assert not found(apart, "collision-visual", tmp_path / "r.urdf")


@pytest.mark.parametrize(
    ("unit", "is_said"),
    (
        ('name="centimeter" meter="1"', True),
        ("meter='1.0' name='millimeter'", True),
        ('name="inch" meter="0.0254"', False),
        ('name="meter" meter="1"', False),
        ('name="furlong" meter="1"', False),
        ('name="meter" meter="one"', False),
        ("", False),
    ),
)
def test_a_unit_that_contradicts_itself(tmp_path, unit, is_said):
    (tmp_path / "a.dae").write_text(f"<COLLADA><asset><unit {unit}/></asset></COLLADA>")
    text = robot(base=shape("visual", '<mesh filename="a.dae"/>'))
    assert bool(found(text, "mesh-unit", tmp_path / "r.urdf")) == is_said
