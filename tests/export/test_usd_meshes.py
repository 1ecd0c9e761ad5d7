"""Meshes in USD: points and triangles of each format, colors, images, scales; beside the robot, in it, or nowhere."""

import re
from pathlib import Path

import pytest
from dae_writer import diffuse
from mesh_files import binary_stl, png, tetrahedron_glb
from mesh_robots import painted, PAINTED, solids

from urdf_tools import model as m
from engine import simplify
from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.export.usd_exporter import verify_usd, write_usd
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.model.export_options import UsdOptions

A, B, C, D = (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.1)
SOLID = ((A, C, B), (A, B, D), (B, C, D), (A, D, C))
UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
CUBE = """mtllib part.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
usemtl red
f 1/1 3/2 2/3
usemtl shown
f 1/1 2/2 4/3
usemtl red
f 2/1 3/2 4/3
usemtl bare
f 1/1 4/2 3/3
"""
MATERIALS = """newmtl red
Kd 0.8 0.1 0.2
newmtl shown
Kd 1 1 1
map_Kd wood.png
newmtl bare
Kd 0.5 0.5 0.5
d 0.25
"""


def robot(*shapes):
    visuals = tuple(shape for shape in shapes if isinstance(shape, m.Visual))
    return m.Robot(
        "r",
        (m.Link("base", UNIT, visuals, tuple(shape for shape in shapes if shape not in visuals)),),
    )


def files(folder):
    """Write a mesh of each format; return them by name."""
    (folder / "part.stl").write_bytes(binary_stl(SOLID))
    (folder / "part.obj").write_text(CUBE)
    (folder / "part.mtl").write_text(MATERIALS)
    (folder / "wood.png").write_bytes(png())
    (folder / "part.dae").write_text(painted("red", "blue"))
    (folder / "part.glb").write_bytes(tetrahedron_glb().glb())
    return {path.name: str(path) for path in folder.iterdir()}


def array_of(text, name):
    found = re.search(rf"{re.escape(name)} = \[(.*)\]", text)
    assert found is not None, name
    return [float(number) for number in re.findall(r"[-+.0-9e]+", found.group(1))]


def usd(tmp_path, *shapes, **options):
    found = files(tmp_path)
    return write_usd(
        robot(*shapes), UsdOptions(base="free", mesh_files=tuple(found.items()), **options)
    )


@pytest.mark.parametrize("name", ["part.stl", "part.obj", "part.dae", "part.glb"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.001, 0.002, 0.003), (1.0, -1.0, 1.0)])
def test_each_format_is_read_and_proven(tmp_path, name, scale):
    mesh = m.Mesh(name, scale)
    written = usd(tmp_path, m.Visual(mesh), m.Collision(mesh))
    assert written.text.count("references = </meshes/part>") == 2
    assert written.text.count('def Mesh "part"') == 1
    assert "mesh-missing" not in [note.sentence for note in written.notes]


def test_a_point_of_a_soup_of_triangles_is_written_once_and_as_it_is(tmp_path):
    text = usd(tmp_path, m.Visual(m.Mesh("part.stl"))).text
    assert len(array_of(text, "point3f[] points")) == 12
    assert max(array_of(text, "point3f[] points")) == 0.3
    assert array_of(text, "int[] faceVertexCounts") == [3, 3, 3, 3]
    assert array_of(text, "float3[] extent") == [0, 0, 0, 0.3, 0.2, 0.1]


def test_colors_and_images_of_a_file_are_kept_with_their_triangles(tmp_path):
    written = usd(tmp_path, m.Visual(m.Mesh("part.obj")))
    assert list(written.images) == ["./robot_textures/wood.png"]
    assert "asset inputs:file = @./robot_textures/wood.png@" in written.text
    assert written.text.count("def GeomSubset") == 3
    assert 'interpolation = "faceVarying"' in written.text


@pytest.mark.parametrize("name", ["part.dae", "part.obj"])
def test_the_color_of_the_robot_is_not_written_over_those_of_a_mesh_file(tmp_path, name):
    green = m.Material("green", (0.0, 1.0, 0.0, 1.0))
    assert "green" not in usd(tmp_path, m.Visual(m.Mesh(name), material=green)).text
    plain = usd(tmp_path, m.Visual(m.Mesh("part.stl"), material=green)).text
    assert "color3f[] primvars:displayColor = [(0, 1, 0)]" in plain


def test_parts_without_a_color_have_that_of_the_robot(tmp_path):
    green = m.Material("green", (0.0, 1.0, 0.0, 1.0))
    half = solids(("red", diffuse((1.0, 0.0, 0.0, 1.0))), ("", ""))
    found = files(tmp_path)
    Path(found["part.dae"]).write_text(half)
    options = UsdOptions(base="free", mesh_files=tuple(found.items()))
    text = write_usd(robot(m.Visual(m.Mesh("part.dae"), material=green)), options).text
    (tmp_path / "robot.usda").write_text(text)
    (visual,) = read_robot_of(tmp_path / "robot.usda").links[0].shapes
    colors = {
        tuple(round(channel, 6) for channel in surface.color): len(surface.triangles)
        for surface in visual.inline()
    }
    assert colors == {(1.0, 0.0, 0.0, 1.0): 4, (0.0, 1.0, 0.0, 1.0): 4}


def test_meshes_beside_are_a_layer_of_their_own(tmp_path):
    written = usd(
        tmp_path, m.Visual(m.Mesh("part.stl")), meshes="beside", layer="./arm_meshes.usda"
    )
    assert "references = @./arm_meshes.usda@</meshes/part>" in written.text
    assert "point3f[] points" not in written.text
    assert written.layer.startswith("#usda 1.0\n")
    assert 'defaultPrim = "meshes"' in written.layer


def test_no_meshes_are_written_where_none_are_wanted_and_that_is_said(tmp_path):
    written = usd(
        tmp_path, m.Visual(m.Mesh("part.stl")), m.Visual(m.Box((0.1, 0.1, 0.1))), meshes="none"
    )
    assert "Mesh" not in written.text
    assert "Cube" in written.text
    assert any("1 mesh file is left out of USD" in note.text for note in written.notes)


def test_a_mesh_that_is_not_there_or_broken_is_left_out_and_named(tmp_path):
    (tmp_path / "odd.stl").write_text("odd")
    written = usd(tmp_path, m.Visual(m.Mesh("gone.stl")), m.Visual(m.Mesh("odd.stl")))
    assert "Mesh" not in written.text
    assert {"mesh-missing", "mesh-broken"} <= {note.sentence for note in written.notes}


def test_a_text_has_no_place_beside_it():
    with pytest.raises(UsageError, match="inline"):
        m.to_usd(robot(), UsdOptions(meshes="beside"))


def test_one_command_writes_both_files_or_none(tmp_path):
    result = simplify(PAINTED / "robot.urdf", tmp_path / "arm.urdf", usd=str(tmp_path / "arm.usda"))
    assert {"arm.usda", "arm_meshes.usda"} <= {path.name for path in tmp_path.iterdir()}
    assert any("is read again" in line for line in result.exported.lines)


MUTANTS = {
    "a color": ("inputs:diffuseColor = (0.6038273", "inputs:diffuseColor = (0.5038273"),
    "an opacity": ("inputs:opacity = 0.25", "inputs:opacity = 0.5"),
    "an image": ("@./robot_textures/wood.png@", "@./robot_textures/tin.png@"),
    "coordinates": (
        "st:indices = [0, 0, 0, 0, 0, 0, 0, 1, 2",
        "st:indices = [0, 0, 0, 0, 0, 0, 0, 2, 1",
    ),
    "what a part is": ("int[] indices = [0, 1]", "int[] indices = [0]"),
    "a part twice": ("int[] indices = [0, 1]", "int[] indices = [0, 1, 2]"),
    "the file": ('urdf:mesh:filename = "part.obj"', 'urdf:mesh:filename = "part.stl"'),
    "the prim": ("references = </meshes/part>", "references = </meshes/other>"),
    "triangles": ("faceVertexCounts = [3, 3", "faceVertexCounts = [4, 2"),
    "a color space": ('sourceColorSpace = "sRGB"', 'sourceColorSpace = "raw"'),
    "no connection": ('inputs:varname = "st"', 'inputs:varname = "uv"'),
    "coordinates of points": ('interpolation = "faceVarying"', 'interpolation = "vertex"'),
    "a part without a look": ("            rel material:binding = </meshes/part/looks/red>\n", ""),
    "a look of nobody": ("material:binding = </", "material:binding = </r/"),
    "another look": ("surface.outputs:surface>", "image.outputs:surface>"),
    "a coordinate of no corner": ("1, 2, 0, 0, 0]\n", "1, 2, 0, 0, 0, 0]\n"),
    "coordinates that nothing shows": (
        "int[] faceVertexC",
        "texCoord2f[] primvars:st = [(0, 0)]\n        int[] faceVertexC",
        "part.stl",
    ),
}


@pytest.mark.parametrize(
    "old, new, name", [(*row, "part.obj")[:3] for row in MUTANTS.values()], ids=MUTANTS
)
def test_a_mutant_of_a_mesh_is_refused(tmp_path, old, new, name):
    options = UsdOptions(base="free", mesh_files=tuple(files(tmp_path).items()))
    shown = robot(m.Visual(m.Mesh(name)))
    written, decided = make_usd(shown, options)
    verify_usd(written.text, written.layer, shown, decided)
    assert old in written.text, written.text
    with pytest.raises((ProofFailed, ValueError)):
        verify_usd(written.text.replace(old, new, 1), written.layer, shown, decided)


def test_an_image_of_other_content_is_refused(tmp_path):
    options = UsdOptions(base="free", mesh_files=tuple(files(tmp_path).items()))
    shown = robot(m.Visual(m.Mesh("part.obj")))
    written, decided = make_usd(shown, options)
    others = dict.fromkeys(decided.images, b"another image")
    with pytest.raises(ProofFailed, match="a triangle looks like .* with an image"):
        verify_usd(written.text, written.layer, shown, decided._replace(images=others))
