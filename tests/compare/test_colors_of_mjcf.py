"""Colors in the mesh files of an MJCF: MuJoCo reads none, so they make no two robots the same."""

import pytest
from painted_robots import MASS, obj, obj_points, stl_facets, write_into

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of

URDF = f"""<robot name="r"><link name="base">{MASS}<visual><geometry><mesh filename="part.{{}}"/></geometry>{{}}</visual>
</link></robot>"""
MJCF = """<mujoco><asset><mesh name="part" file="part.{}"/></asset><worldbody><body name="base"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
<geom type="mesh" mesh="part" contype="0" conaffinity="0" group="2"{}/></body></worldbody></mujoco>"""
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
BLUE_PART = "newmtl one\nKd 0 0 1\n"


def part(mtl):
    return {"part.obj": obj(("one", "one")), "part.mtl": mtl.encode()}


def found_in(folder, files, material, rgba):
    """Return the comparison of a URDF with an MJCF of the same mesh."""
    ending = "stl" if "part.stl" in files else "obj"
    texts = {"a.urdf": URDF.format(ending, material), "b.xml": MJCF.format(ending, rgba)}
    write_into(folder, {**files, **{name: text.encode() for name, text in texts.items()}})
    return compare(*(read_robot_of(folder / name) for name in texts))


@pytest.mark.parametrize(
    "files, material, rgba, kinds",
    [
        (part(BLUE_PART), "", ' rgba="0 0 1 1"', []),
        (part(BLUE_PART), "", "", ["color_one_side"]),
        (part(BLUE_PART), "", ' rgba="1 0 0 1"', ["color"]),
        (part(BLUE_PART), RED, ' rgba="1 0 0 1"', []),
        (part(f"{BLUE_PART}Ke 1 0 0\n"), "", ' rgba="0 0 1 1"', ["light"]),
        (stl_facets({"stl facet": (1.0, 0.0, 0.0)}), RED, ' rgba="1 0 0 1"', ["points_one_side"]),
        (
            obj_points({"obj point": (1.0, 0.0, 0.0), "mtl Kd": (1.0, 0.0, 0.0)}),
            RED,
            ' rgba="1 0 0 1"',
            ["points_one_side"],
        ),
    ],
)
def test_colors_of_a_mesh_file_are_not_those_of_an_mjcf(files, material, rgba, kinds, tmp_path):
    found = found_in(tmp_path, files, material, rgba)
    assert [one.kind for one in found.differences] == kinds
    assert not found.unproven


def test_a_color_that_only_the_file_has_is_a_note_where_the_color_of_the_robot_is_kept(tmp_path):
    found = found_in(tmp_path, part(BLUE_PART), RED, ' rgba="1 0 0 1"')
    assert "color_taken" in [one.kind for one in found.noted]
