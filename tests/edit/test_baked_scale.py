"""The scale of meshes, written into their files: points times the scale, the outside outside, and all else as it was."""

import json
import re
from pathlib import Path

import pytest
from conftest import examples
from edited_robots import written
from hypothesis import example, given, strategies as st
from mesh_files import ascii_stl, binary_stl, GltfBuilder

from urdf_tools import compare, edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.edit import scaled_mesh_files
from urdf_tools.meshes.mesh_readers import read_surfaces
from urdf_tools.urdf.lossless_xml import Element

FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
POINTS = ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.5))
UNIT = (1.0, 1.0, 1.0)


def faces_of(points):
    return [tuple(points[corner] for corner in face) for face in FACES]


def obj(points):
    lines = ["mtllib paint.mtl", *("v {} {} {} 1 0 0".format(*point) for point in points)]
    lines += ["vn 0 0.6 0.8", "vt 0 0", "usemtl red"]
    lines += ["f " + " ".join(f"{corner + 1}/1/1" for corner in face) for face in FACES]
    return "\n".join(lines).encode()


def glb(points, without=(), **more):
    """A GLB whose node shifts what it draws."""
    builder = GltfBuilder()
    placed = [(x, y - 1.0, z) for x, y, z in points]
    builder.primitive["attributes"]["POSITION"] = builder.accessor("f", "VEC3", placed)
    builder.primitive["indices"] = builder.accessor("B", "SCALAR", sum(FACES, ()))
    builder.json["nodes"][0]["translation"] = [0.0, 1.0, 0.0]
    builder.json.update(more)
    for key in without:
        del builder.json[key]
    return builder.glb()


# As this tool writes it, +Y is up: which programs do not know.
OWN = {"version": "2.0", "generator": "urdf_simplify", "extras": {"note": 1}}
WRITERS = {
    "binary.stl": lambda points: binary_stl(faces_of(points)),
    "text.STL": lambda points: ascii_stl(faces_of(points)).encode(),
    "part.obj": obj,
    "part.glb": glb,
    "no_scene.gltf": lambda points: glb(points, without=("scene", "scenes")),
    "own.glb": lambda points: glb(points, asset=OWN, scenes=[{"nodes": [0]}, {"nodes": [0]}]),
}


def robot(*shapes):
    """Return a robot whose links have these shapes, each a role, a file and a scale."""
    links = [
        f'<link name="l{number}"><{role}><geometry><mesh filename="{name}"'
        + (' scale="{} {} {}"'.format(*scale) if scale != UNIT else "")
        + f"/></geometry></{role}></link>"
        for number, (role, name, scale) in enumerate(shapes)
    ]
    links += [
        f'<joint name="j{number}" type="fixed"><parent link="l0"/><child link="l{number}"/></joint>'
        for number in range(1, len(shapes))
    ]
    return f'<robot name="r">\n{"".join(links)}\n</robot>\n'


def put_files(folder, points=POINTS):
    for name, writer in WRITERS.items():
        (folder / name).write_bytes(writer(points))
    (folder / "paint.mtl").write_bytes(b"newmtl red\nKd 1 0 0\n")


def in_order(triangles):
    """Return triangles in an order that is their own, with their facing."""
    starts = [(triangle, triangle.index(min(triangle))) for triangle in triangles]
    return sorted(triangle[start:] + triangle[:start] for triangle, start in starts)


def drawn_by(path):
    surfaces = read_surfaces(str(path), up="z")
    return in_order(tuple(each) for surface in surfaces for each in surface.triangles)


def expected(points, scale):
    x, y, z = scale
    made = faces_of([(x * p, y * q, z * r) for p, q, r in points])
    return in_order([face[::-1] for face in made] if x * y * z < 0 else made)


def gap(triangles, others):
    return max(
        abs(p - q)
        for triangle, other in zip(triangles, others)
        for corner, partner in zip(triangle, other)
        for p, q in zip(corner, partner)
    )


factors = st.sampled_from((0.001, 1.0, -1.0, 2.54, -0.5))
uses = st.tuples(
    st.sampled_from(("visual", "collision")),
    st.sampled_from([*WRITERS]),
    st.one_of(factors.map(lambda factor: (factor,) * 3), st.tuples(factors, factors, factors)),
)
eighths = st.integers(1, 16).map(lambda number: number / 8)


# Points with colors, whose places are others in the new file.
@example(sides=(0.125, 0.125, 0.125), used=[("visual", "part.obj", (0.001, 0.001, 0.001))])
@examples(25)
@given(sides=st.tuples(eighths, eighths, eighths), used=st.lists(uses, min_size=1, max_size=5))
def test_files_have_the_scale_in_them(sides, used, tmp_path_factory):
    folder = tmp_path_factory.mktemp("baked")
    x, y, z = sides
    points = [(-0.125, x, 0.0), (x, 0.0, z), (0.0, -y, 0.0), (0.0, 0.0, -z)]
    put_files(folder, points)
    path, out = written(folder, "in.urdf", robot(*used)), str(folder / "out.urdf")
    scaled = {(name, scale) for _, name, scale in used if scale != UNIT}
    if not scaled:
        # No advice: a link of another name has no scaled mesh, either.
        for glob in ("*", "l0", "l9"):
            with pytest.raises(UrdfError, match="no such link with a scaled mesh$"):
                edit(path, bake_scale=glob)
        return
    edit(path, out, bake_scale="*")
    text = (folder / "out.urdf").read_text()
    assert "scale=" not in text
    # One file for each pair of file and scale, whatever uses it, and none else but what goes along.
    names = re.findall('filename="(.*?)"', text)
    files = dict(zip([(name, scale) for _, name, scale in used], names))
    assert [files[name, scale] for _, name, scale in used] == names
    made = [each for each in (folder / "out_meshes").glob("*/*") if each.suffix != ".mtl"]
    assert len(set(files.values())) == len(files) and len(made) == len(scaled)
    for (name, scale), new in files.items():
        far = 2.0 * max(map(abs, scale))
        assert gap(drawn_by(folder / new), expected(points, scale)) <= 2.0**-23 * far
        colors = [
            [surface.color for surface in read_surfaces(str(folder / file))] for file in (name, new)
        ]
        assert colors[0] == colors[1]
    assert compare(path, out).verdict in ("same", "rounded")
    # Nothing is left to do.
    again = edit(out, bake_scale="*")
    assert again.text == text
    assert [each.kind.name for each in again.plan.warnings] == ["unused-option"]


def baked(folder, name, scale):
    """Return the path of the file that a mesh with a scale becomes."""
    out = folder / "out.urdf"
    edit(written(folder, "in.urdf", robot(("visual", name, scale))), str(out), bake_scale="*")
    return folder / re.findall('filename="(.*?)"', out.read_text())[0]


def test_all_else_in_the_files_stays(tmp_path):
    put_files(tmp_path)
    face = b"\0" * 8 + b"\0\0\x80?" + bytes(36) + b"M\0"  # with a normal and a color
    put = binary_stl(faces_of(POINTS), b"head")
    (tmp_path / "head.stl").write_bytes(put[:84] + face[:12] + put[96:132] + b"M\0" + put[134:])
    data = baked(tmp_path, "head.stl", (0.001, 0.001, 0.001)).read_bytes()
    assert data[:84] == put[:84] and data[84:96] == face[:12] and data[132:134] == b"M\0"
    lines = baked(tmp_path, "part.obj", (-0.1, 2.0, 1.0)).read_text().splitlines()
    assert lines[0] == "mtllib paint.mtl" and "v -0.2 0 0 1 0 0" in lines
    assert "f 1/1/1 2/1/1 3/1/1" in lines  # was 1 3 2
    # The normal of a face goes by the inverse of the factors, and keeps its length.
    normal = next(line for line in lines if line.startswith("vn"))
    wanted = [0.0, 0.3 / 0.73**0.5, 0.8 / 0.73**0.5]
    assert [float(word) for word in normal.split()[1:]] == pytest.approx(wanted)
    made = baked(tmp_path, "own.glb", (0.1, 0.1, 0.1)).read_bytes()
    content = json.loads(made[20 : 20 + int.from_bytes(made[12:16], "little")])
    assert content["asset"] == OWN and content["nodes"][0]["translation"] == [0, 1, 0]
    assert content["nodes"][1] == {"scale": [0.1, 0.1, 0.1], "children": [0]}


def test_polygons_of_obj(tmp_path):
    corners = [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 2)]
    faces = ["f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"]
    (tmp_path / "box.obj").write_text("\n".join([*corners, *faces]))
    made = baked(tmp_path, "box.obj", (1.0, -2.0, 0.5)).read_text().splitlines()
    assert made[8:10] == ["f 1 3 4 2", "f 5 6 8 7"] and made[7] == "v 1 -2 1"


BROKEN = {
    "not scaled": lambda path, factors: Path(path).read_bytes(),
    "inside out": lambda path, factors: scaled_mesh_files.scaled_stl(
        path, tuple(map(abs, factors))
    ),
    "other axes": lambda path, factors: scaled_mesh_files.scaled_stl(path, factors[::-1]),
    "rounded": lambda path, factors: scaled_mesh_files.scaled_stl(
        path, (factors[0] + 1e-6, *factors[1:])
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_another_file_is_a_fault(broken, tmp_path, monkeypatch):
    put_files(tmp_path)
    monkeypatch.setitem(scaled_mesh_files.SCALED, ".stl", BROKEN[broken])
    with pytest.raises(ProofFailed, match="bake_scale: another robot: l0: .*visual binary"):
        baked(tmp_path, "binary.stl", (1.0, 1.0, -2.0))
    assert not (tmp_path / "out.urdf").exists()


def test_the_file_of_another_scale_is_a_fault(tmp_path, monkeypatch):
    put_files(tmp_path)
    write = Element.set
    monkeypatch.setattr(
        Element, "set", lambda self, key, value: write(self, key, value.replace("le_3", "le_2"))
    )
    shapes = [("visual", "binary.stl", (size,) * 3) for size in (2.0, 3.0)]
    with pytest.raises(ProofFailed, match="bake_scale: another robot: l1"):
        edit(written(tmp_path, "in.urdf", robot(*shapes)), bake_scale="*")


@pytest.mark.parametrize(
    "name, scale, problem",
    (
        ("a.dae", 2, "in.urdf:2: --bake-scale: 'a.dae' is not STL, OBJ or glTF: .*-format obj"),
        ("binary.stl", 0, "binary.stl: cannot be written 0 0 0 times as large"),
        ("bad.stl", 2, "bad.stl: is not STL"),
        ("binary.stl", 1e9, "binary.stl: cannot be written .* times as large"),
        ("part.obj", 1e9, "part.obj: cannot be written .* times as large"),
        ("nan.glb", 2, "nan.glb: cannot be written 2 2 2 times as large"),
    ),
)
def test_what_cannot_be_written_is_refused(name, scale, problem, tmp_path):
    put_files(tmp_path)
    (tmp_path / "a.dae").write_text("<COLLADA/>")
    (tmp_path / "bad.stl").write_bytes(b"bad")
    (tmp_path / "nan.glb").write_bytes(glb(POINTS, extras=float("nan")))
    with pytest.raises(UrdfError, match=problem):
        baked(tmp_path, name, (scale,) * 3)
    assert not (tmp_path / "out.urdf").exists() and not (tmp_path / "out_meshes").exists()


@pytest.mark.parametrize("compiler", ('meshdir="meshes"', 'meshdir="meshes" strippath="true"', ""))
@pytest.mark.parametrize("act", ({"bake_scale": "*"}, {"mirror": "l1 1=2 meshes=files"}))
@pytest.mark.parametrize("folder", (".", "sub"))
def test_a_folder_of_meshes_of_mujoco_hides_no_new_file(act, compiler, folder, tmp_path):
    """In it, or by its name alone, is the file that was."""
    for name in ("meshes", "sub"):
        (tmp_path / name).mkdir()
    (tmp_path / "meshes" / "part.stl").write_bytes(binary_stl(faces_of(POINTS)))
    text = robot(*[("visual", "meshes/part.stl", (2.0, -1.0, 2.0))] * 2)
    text = text.replace("\n", f"<mujoco><compiler {compiler}/></mujoco>\n", 1)
    out = tmp_path / folder / "out.urdf"
    edit(written(tmp_path, "in.urdf", text), str(out), **act)
    names = re.findall('filename="(.*?)"', out.read_text())
    is_new = [name.startswith("out_meshes/") for name in names]
    assert is_new == ([True, True] if "bake_scale" in act else [False, False, True])
    assert all((out.parent / name).exists() for name in names)


def test_a_file_that_is_where_the_new_one_would_be_stays(tmp_path):
    name = "out_meshes/scale_2/part.stl"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(binary_stl(faces_of(POINTS)))
    assert baked(tmp_path, name, (2, 2, 2)) == tmp_path / "out_meshes" / "scale_2_2" / "part.stl"
    assert drawn_by(tmp_path / name) == expected(POINTS, UNIT)


def test_files_of_one_act_are_those_of_the_next(tmp_path):
    put_files(tmp_path)
    path = written(tmp_path, "in.urdf", robot(*[("visual", "part.glb", (2, 2, 2))] * 2))
    acts = {"mirror": "l1 1=2 plane=x meshes=files", "bake_scale": "*"}
    for names in (acts, reversed([*acts])):
        out = tmp_path / "out.urdf"
        edit(path, str(out), **{name: acts[name] for name in names})
        last = re.findall('filename="(.*?)"', out.read_text())[-1]
        assert drawn_by(tmp_path / last) == expected(POINTS, (-2, 2, 2))
