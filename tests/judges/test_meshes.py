"""What trimesh, MuJoCo, Drake and Blender make of the meshes that this tool writes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dae_writer import (
    bind,
    diffuse,
    document,
    effect,
    instance,
    material,
    node,
    paragraph,
    primitive,
    simple_geometry,
)
from engine import PROCESS
from mesh_files import ascii_stl, png, png_of, TETRAHEDRON, TETRAHEDRON_VOLUME, tetrahedron_glb
from mesh_runs import textured_dae

ROOT = Path(__file__).resolve().parent.parent.parent
CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.5)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CLEAR = "<transparency><float>0.5</float></transparency>"
BOX_VOLUME, BOX_AREA = 0.2 * 0.4 * 0.8, 2 * (0.2 * 0.4 + 0.2 * 0.8 + 0.4 * 0.8)


def two_colored_box():
    """A closed box: its first three sides are red, the others half transparent blue."""
    sides = "".join(
        primitive(
            "triangles",
            "box-p",
            paragraph([k for a, b, c, d in quads for k in (a, b, c, a, c, d)]),
            6,
            name,
        )
        for name, quads in (("red", QUADS[:3]), ("blue", QUADS[3:]))
    )
    return document(
        simple_geometry("box", CORNERS, sides),
        node(instance("box", {"red": "red", "blue": "blue"})),
        effect("red-effect", diffuse((0.5, 0.25, 0.1, 1)))
        + effect("blue-effect", diffuse((0, 0, 1, 0.5)) + CLEAR),
        material("red") + material("blue"),
    )


def robot(folder):
    """A robot of every format that is read, each as visual and as collision."""
    assert bind({}) == ""
    meshes = folder / "meshes"
    meshes.mkdir(parents=True)
    (folder / "package.xml").write_text("<package><name>my_robot</name></package>")
    (meshes / "box.dae").write_text(two_colored_box())
    (meshes / "wood.png").write_bytes(png(0, 255, 0))
    (meshes / "textured.dae").write_text(textured_dae())
    (meshes / "tet.stl").write_text(ascii_stl(TETRAHEDRON))
    (meshes / "tet.glb").write_bytes(tetrahedron_glb().glb())
    (meshes / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    (meshes / "two.obj").write_text(
        "mtllib two.mtl\n"
        + "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
        + "".join(
            ("o a\nusemtl red\n" if k == 0 else "o b\nusemtl blue\n" if k == 3 else "")
            + f"f {a + 1} {b + 1} {c + 1} {d + 1}\n"
            for k, (a, b, c, d) in enumerate(QUADS)
        )
    )
    links = ["box.dae", "two.obj", "tet.stl", "tet.glb"]
    text = "".join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        f'</inertial><visual><geometry><mesh filename="package://my_robot/meshes/{name}"/></geometry></visual>'
        f'<collision><geometry><mesh filename="package://my_robot/meshes/{name}"/></geometry></collision></link>\n'
        for k, name in enumerate(links)
    )
    text += "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/>'
        '<origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
        "</joint>\n"
        for k in range(1, len(links))
    )
    path = folder / "robot.urdf"
    path.write_text(f"<robot name='r'>\n{text}</robot>\n")
    return path


def simplified(tmp_path, *options):
    path = robot(tmp_path / "robot")
    output = path.with_name("out.urdf")
    done = subprocess.run(
        [sys.executable, "-m", "urdf_tools", str(path), "-o", str(output), "-y", "-q", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return output


def files_of(output, ending):
    return sorted((output.parent / "out_meshes").glob(f"*{ending}"))


@pytest.mark.parametrize("kind", ["stl", "obj", "gltf", "glb"])
def test_trimesh_measures_what_was_drawn(tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    output = simplified(
        tmp_path, "--mesh-format", kind, *(("--split", "color") if kind == "stl" else ())
    )
    loaded = [
        trimesh.load(path, force="mesh", process=True, merge_norm=True, merge_tex=True)
        for path in files_of(output, f".{kind}")
        if path.name.startswith("box")
    ]
    assert sum(mesh.area for mesh in loaded if kind != "obj" and kind != "stl") == pytest.approx(
        BOX_AREA if kind in ("gltf", "glb") else 0
    )
    if kind in ("obj", "stl"):
        (whole,) = [
            trimesh.load(path, force="mesh")
            for path in files_of(output, f".{kind}")
            if path.stem == "box"
        ]
        assert (whole.area, whole.volume) == (pytest.approx(BOX_AREA), pytest.approx(BOX_VOLUME))
        parts = [
            path for path in files_of(output, f".{kind}") if path.stem in ("box_red", "box_blue")
        ]
        assert sum(trimesh.load(path, force="mesh").area for path in parts) == pytest.approx(
            BOX_AREA
        )
    else:
        (whole,) = loaded
        assert whole.volume == pytest.approx(BOX_VOLUME)
        assert whole.bounds.tolist()[1] == pytest.approx([0.1, 0.5, 0.2])  # Y is up, as glTF has it
    tetrahedra = [
        trimesh.load(path, force="mesh")
        for path in files_of(output, f".{kind}")
        if path.stem == "tet"
    ]
    assert [mesh.volume for mesh in tetrahedra] == [pytest.approx(TETRAHEDRON_VOLUME)]


def test_trimesh_shows_the_colors_of_an_obj(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    output = simplified(tmp_path, "--mesh-format", "obj")
    colors = {
        path.stem: trimesh.load(path).visual.material.diffuse.tolist()
        for path in files_of(output, ".obj")
        if path.stem in ("box_red", "two_blue")
    }
    assert colors == {"box_red": [128, 64, 26, 255], "two_blue": [0, 0, 255, 255]}


@pytest.mark.parametrize("program, axis", [("drake", "y"), ("gazebo", "z"), ("pinocchio", "z")])
def test_trimesh_takes_the_axes_of_a_glb_as_they_are(tmp_path, program, axis):
    trimesh = pytest.importorskip("trimesh")
    output = simplified(tmp_path, "--mesh-format", "glb", "--for", program)
    (path,) = [path for path in files_of(output, ".glb") if path.stem == "box"]
    high = trimesh.load(path, force="mesh").bounds.tolist()[1]
    assert high == pytest.approx([0.1, 0.5, 0.2] if axis == "y" else [0.1, 0.2, 0.5])


@pytest.mark.parametrize("options", ["", "--for drake", "--mesh-format glb"])
def test_trimesh_sees_a_glb_as_it_was(tmp_path, options):
    """It knows no mark of this tool, so it judges what reader and proof might agree upon wrongly."""
    trimesh = pytest.importorskip("trimesh")
    rod = trimesh.creation.capsule(height=0.4, radius=0.05, count=[24, 24])
    rod.export(tmp_path / "rod.glb")
    shape = '<visual><geometry><mesh filename="rod.glb"/></geometry></visual>'
    source = tmp_path / "robot.urdf"
    source.write_text(f'<robot name="r"><link name="base">{shape}</link></robot>')
    output = tmp_path / "out" / "robot.urdf"
    output.parent.mkdir()
    command = [*PROCESS, str(source), "-o", str(output), "--yes", "--visual-error", "1mm"]
    subprocess.run([*command, *options.split()], check=True, capture_output=True)
    (path,) = output.parent.glob("**/*.gl*")
    after = trimesh.load(path, force="mesh")
    assert len(after.faces) < len(rod.faces)
    assert after.extents == pytest.approx(rod.extents, abs=2e-3)


def test_mujoco_loads_the_urdf_as_it_is_written_with_all_colors(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(simplified(tmp_path, "--for", "mujoco")))
    visuals = [
        tuple(round(float(v), 3) for v in model.geom_rgba[k])
        for k in range(model.ngeom)
        if model.geom_contype[k] == 0
    ]
    assert (
        (0.5, 0.25, 0.1, 1.0) in visuals
        and (1.0, 0.0, 0.0, 1.0) in visuals
        and (0.0, 0.0, 1.0, 1.0) in visuals
    )
    faces = sorted(int(model.mesh_facenum[k]) for k in range(model.nmesh))
    # A tetrahedron is one file as visual and collision.
    assert faces == sorted([6, 6, 12, 6, 6, 12, 4, 4])


RENDER = """
import sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
for geom in range(model.ngeom):  # what stands between hides nothing
    if model.geom_matid[geom] < 0 or max(model.mat_texid[model.geom_matid[geom]]) < 0:
        model.geom_matid[geom], model.geom_rgba[geom] = -1, 0
with mujoco.Renderer(model, 60, 60) as renderer:
    renderer.update_scene(data, camera="judge")
    print(*(renderer.render()[row, column].tolist() for row in (15, 45) for column in (15, 45)))
"""


def test_mujoco_shows_an_image_where_it_belongs(tmp_path):
    """A plate whose image has four colors: MuJoCo has it on that plate only, and draws it the right way round, in the tint of Kd."""
    mujoco = pytest.importorskip("mujoco")
    path = robot(tmp_path / "robot")
    rows = bytes((255, 0, 0, 0, 255, 0)), bytes((0, 0, 255, 255, 255, 0))
    (path.parent / "meshes" / "four.png").write_bytes(png_of(rows))
    (path.parent / "meshes" / "plate.mtl").write_text(
        "newmtl four\nKd 0.2 0.2 0.2\nmap_Kd four.png\n"
    )
    (path.parent / "meshes" / "plate.obj").write_text(
        "mtllib plate.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 -0.1\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl four\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 1/1 5/1 2/2\n"
    )
    path.write_text(
        path.read_text()
        .replace("package://my_robot/meshes/tet.stl", "meshes/plate.obj", 1)
        .replace("tet.glb", "tet.stl")
    )
    plain = path.with_name("plain.urdf")  # MuJoCo reads no COLLADA
    plain.write_text(re.sub(r"meshes/\w+\.dae", "meshes/tet.stl", path.read_text()))
    for words in ((), ("--mesh-format", "obj"), ("--split", "color", "--mesh-format", "obj")):
        folder = tmp_path / f"run{len(words)}"
        folder.mkdir()
        done = subprocess.run(
            [
                *PROCESS,
                str(path if words else plain),
                "-o",
                str(folder / "out.urdf"),
                "-y",
                "-q",
                "--mjcf",
                str(folder / "out.xml"),
                *words,
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        model = mujoco.MjModel.from_xml_path(str(folder / "out.xml"))
        role = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)
        shown = {
            model.geom(k).name: int(model.mat_texid[model.geom_matid[k]][role])
            for k in range(model.ngeom)
            if model.geom_matid[k] >= 0
        }
        assert [name for name, texture in shown.items() if texture >= 0] == [
            "plate" if words else "l2_visual"
        ], shown
        assert model.ntex == 1 and model.tex_data.tolist() == list(b"".join(rows))
        (folder / "view.xml").write_text(
            '<mujoco><visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>'
            '<include file="out.xml"/><worldbody><camera name="judge" pos="0.5 0.5 4" fovy="28"/></worldbody></mujoco>'
        )
        drawn = subprocess.run(
            [sys.executable, "-c", RENDER, str(folder / "view.xml")],
            capture_output=True,
            text=True,
            env={**os.environ, "MUJOCO_GL": "egl"},
            check=False,
        )
        if drawn.returncode:
            continue  # no OpenGL here; what is bound to what was asked above
        pixels = json.loads(f"[{drawn.stdout.strip().replace('] [', '], [')}]")
        # MuJoCo multiplies the image by the material's rgba, here Kd of the .mtl: 255 * 0.2 = 51.
        expected = [[51, 0, 0], [0, 51, 0], [0, 0, 51], [51, 51, 0]]
        for pixel, color in zip(pixels, expected):
            assert pixel == pytest.approx(color, abs=8), pixels
        assert len(pixels) == len(expected)


def test_drake_parses_draws_and_has_the_hulls(tmp_path):
    pytest.importorskip("pydrake")
    from pydrake.geometry import (
        ClippingRange,
        DepthRange,
        DepthRenderCamera,
        MakeRenderEngineVtk,
        Mesh,
        RenderCameraCore,
        RenderEngineVtkParams,
        Role,
    )
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    assert ClippingRange and DepthRange and DepthRenderCamera and RenderCameraCore
    output = simplified(tmp_path, "--for", "drake")
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.001)
    scene.AddRenderer("vtk", MakeRenderEngineVtk(RenderEngineVtkParams()))
    Parser(plant).AddModels(str(output))
    plant.Finalize()
    inspector = scene.model_inspector()
    drawn = [inspector.GetShape(one) for one in inspector.GetAllGeometryIds(Role.kPerception)]
    touching = [inspector.GetShape(one) for one in inspector.GetAllGeometryIds(Role.kProximity)]
    assert len(drawn) == len(touching) == 4
    assert all(isinstance(shape, Mesh) for shape in drawn + touching)
    assert {shape.source().extension() for shape in drawn} == {".gltf"}
    assert {shape.source().extension() for shape in touching} == {".obj"}
    boxes = [shape for shape in drawn + touching if shape.source().description().find("box") >= 0]
    for shape in boxes:  # Drake turns the glTF upright: its hull is that of the OBJ
        hull = shape.GetConvexHull()
        points = [hull.vertex(k) for k in range(hull.num_vertices())]
        assert [max(p[axis] for p in points) for axis in range(3)] == pytest.approx([0.1, 0.2, 0.5])
        assert [min(p[axis] for p in points) for axis in range(3)] == pytest.approx(
            [-0.1, -0.2, -0.3]
        )


def test_blender_stands_a_glb_upright(tmp_path):
    bpy = pytest.importorskip("bpy")
    output = simplified(tmp_path, "--mesh-format", "glb")
    (path,) = [path for path in files_of(output, ".glb") if path.stem == "box"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))
    points = [
        item.matrix_world @ vertex.co
        for item in bpy.data.objects
        if item.type == "MESH"
        for vertex in item.data.vertices
    ]
    assert [max(point[axis] for point in points) for axis in range(3)] == pytest.approx(
        [0.1, 0.2, 0.5]
    )
    colors = sorted(
        tuple(
            round(v, 3)
            for v in item.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value[:3]
        )
        for item in bpy.data.materials
        if item.use_nodes and "Principled BSDF" in item.node_tree.nodes
    )
    assert colors == [(0.0, 0.0, 1.0), (0.214, 0.051, 0.01)]


@pytest.mark.parametrize("kind", ["gltf", "glb"])
def test_the_validator_of_khronos_finds_nothing(tmp_path, kind):
    """Where node is there and finds `gltf-validator`, for example by NODE_PATH."""
    node = shutil.which("node")
    if (
        node is None
        or subprocess.run(
            [node, "-e", "require('gltf-validator')"], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("node with the package gltf-validator is not there")
    output = simplified(tmp_path, "--mesh-format", kind)
    script = """
const fs = require('fs'), path = require('path'), validator = require('gltf-validator');
const file = process.argv[1];
validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {externalResourceFunction: (uri) =>
  Promise.resolve(new Uint8Array(fs.readFileSync(path.join(path.dirname(file), uri))))})
  .then((report) => console.log(JSON.stringify(report.issues)));
"""
    for path in files_of(output, f".{kind}"):
        said = subprocess.run(
            [node, "-e", script, str(path)], capture_output=True, text=True, check=True
        ).stdout
        issues = json.loads(said)
        assert (issues["numErrors"], issues["numWarnings"], issues["numHints"]) == (0, 0, 0), (
            issues["messages"]
        )
