"""The image of a mesh in an export: its tint and opacity, and the parts beside it that have no look of their own."""

from pathlib import Path

import pytest
from conftest import some_of
from mesh_files import png

import commands
from urdf_tools.meshes.mesh_content import srgb_of_linear

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = f"""<robot name="r"><link name="a">{BODY}<visual><geometry><mesh filename="m.obj"/></geometry>
<material name="red"><color rgba="1 0 0 1"/></material></visual></link></robot>"""
POINTS = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
HALF = "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\n"
REST = "f 1/1 4/3 3/2\nf 2/1 3/3 4/2\n"
# Where no material is in use, the color of the robot's file is drawn.
MESHES = {"whole": f"usemtl wood\n{HALF}{REST}", "partly": f"{HALF}usemtl wood\n{REST}"}
MATERIALS = ("", "Kd 1 1 1\n", "Kd 0.5 0.25 0\n", "Kd 0.5 0.25 0\nd 0.4\n", "d 0.4\n")
CASES = [
    (mesh, material, ending)
    for mesh in MESHES
    for material in MATERIALS
    for ending in ("usda", "xml")
]


def write_robot(mesh, material):
    Path("r.urdf").write_text(ROBOT)
    Path("m.obj").write_text(POINTS + MESHES[mesh])
    Path("m.mtl").write_text(f"newmtl wood\n{material}map_Kd wood.png\n")
    Path("wood.png").write_bytes(png(9, 99, 199))


def exported(ending):
    status, out, _ = commands.said("export", "r.urdf", f"made.{ending}", "-y")
    assert status == 0 and "OK Same robot: verified" in out, out


@pytest.mark.parametrize(("mesh", "material", "ending"), some_of(CASES, 8))
def test_an_image_is_the_same_in_the_export_and_to_compare(mesh, material, ending, here):
    write_robot(mesh, material)
    exported(ending)
    status, out, _ = commands.said("compare", "r.urdf", f"made.{ending}")
    assert status == 0, out


@pytest.mark.parametrize(
    ("ending", "old", "new"),
    [
        ("xml", 'rgba="0.5 0.25 0 0.4"', 'rgba="0.5 0.5 0 0.4"'),
        ("xml", 'rgba="0.5 0.25 0 0.4"', 'rgba="0.5 0.25 0 0.8"'),
        ("usda", "inputs:opacity = 0.4", "inputs:opacity = 0.8"),
        ("usda", "inputs:diffuseColor = (1, 0, 0)", "inputs:diffuseColor = (0, 0, 1)"),
    ],
)
def test_another_tint_opacity_or_color_beside_the_image_is_a_difference(ending, old, new, here):
    write_robot("partly", MATERIALS[3])
    exported(ending)
    assert commands.said("compare", "r.urdf", f"made.{ending}")[0] == 0
    files = [Path("made.xml")] if ending == "xml" else list(Path().glob("made*.usda"))
    texts = {file: file.read_text() for file in files}
    assert sum(old in text for text in texts.values()) == 1
    for file, text in texts.items():
        file.write_text(text.replace(old, new))
    assert commands.said("compare", "r.urdf", f"made.{ending}")[0] == 1


def test_white_stays_white():
    """A tint of white is none, told from other colors by equality."""
    assert srgb_of_linear(1.0) == 1.0 and srgb_of_linear(2.0) == 1.0
