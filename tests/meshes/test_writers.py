"""What the writers write, byte for byte where consumers are particular, and that every file is named right inside."""

import json
from array import array
from pathlib import Path

import pytest
from gltf_checker import gltf_faults, load
from mesh_files import ascii_stl, binary_stl, JPEG, png, TETRAHEDRON, tetrahedron_glb
from mesh_runs import convert_named, textured_dae

from urdf_tools.base.errors import ProofFailed
from urdf_tools.collada.conversion_records import DaeOptions
from urdf_tools.meshes import convert_mesh as convert, dae_reader
from urdf_tools.meshes.prepare_surfaces import FORMATS, MeshTarget
from urdf_tools.meshes.convert_mesh import convert_mesh, image_file_names
from urdf_tools.meshes.mesh_content import compact, triangles_of
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.meshes.write_mesh_files import gltf_parts, mtl_bytes, write_obj
from urdf_tools.meshes.stl_files import write_stl


@pytest.fixture()
def textured(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "model.dae").write_text(textured_dae())
    (tmp_path / "in" / "wood.png").write_bytes(png())
    return tmp_path / "in" / "model.dae"


def test_obj_and_mtl_to_the_byte(textured, tmp_path):
    convert_named(textured, tmp_path / "out", MeshTarget("obj"))
    texts = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert texts["part0.obj"] == (
        b"# OBJ written by urdf_simplify\nmtllib part0.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nvn 0 1 0\n"
        b"usemtl red\nf 1//1 2//1 3//2\n"
    )
    assert texts["part0.mtl"] == (
        b"# MTL written by urdf_simplify\nnewmtl red\nKa 0 0 0\nKd 1 0.5 0\nKe 0 0 0.5\nKs 0 0 0\nNs 10\nd 0.5\n"
        b"illum 1\n"
    )
    assert texts["part1.obj"] == (
        b"# OBJ written by urdf_simplify\nmtllib part1.mtl\nv 0 0 0\nv 1 1 0\nv 0 1 0.5\nvt 0 0\nvt 1 0\nvt 0 1\n"
        b"vn 0 0 1\nvn 0 1 0\nusemtl wood\nf 1/3/1 2/2/2 3/1/2\n"
    )
    assert texts["part1.mtl"] == (
        b"# MTL written by urdf_simplify\nnewmtl wood\nKa 0 0 0\nKd 1 1 1\nKs 0 0 0\nNs 10\nd 1\nillum 1\n"
        b"map_Kd picture0.png\n"
    )
    assert texts["picture0.png"] == png()
    assert len(texts) == 5


def test_obj_of_a_collision_has_no_material_but_normals(textured, tmp_path):
    files = convert_named(textured, tmp_path / "out", MeshTarget("obj", colored=False))
    (text,) = [path.read_text() for path in files]
    assert (
        "mtl" not in text
        and text.count("\nvn ") > 0
        and text.count("\nf ") == 2
        and "vt" not in text
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["part0.obj"]


def test_obj_without_normals_in_the_file_gets_those_of_its_triangles(tmp_path):
    path = tmp_path / "a.stl"
    path.write_bytes(binary_stl(TETRAHEDRON))
    (obj, _) = convert_named(path, tmp_path / "out", MeshTarget("obj"))
    assert obj.read_text() == (
        "# OBJ written by urdf_simplify\nmtllib part0.mtl\nv 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nvn 0 0 -1\nvn 0 -1 0\n"
        "vn -1 0 0\nvn 0.5774 0.5774 0.5774\nusemtl material\nf 1//1 2//1 3//1\nf 1//2 3//2 4//2\nf 1//3 4//3 2//3\n"
        "f 3//4 2//4 4//4\n"
    )


@pytest.mark.parametrize("count, component", [(65535, 5123), (65536, 5125)])
def test_gltf_indices_are_wide_from_65536_vertices_on(tmp_path, count, component):
    path = tmp_path / "a.obj"
    path.write_text(
        "".join(f"v {k} {k % 2} {k % 3}\n" for k in range(count))
        + "".join(f"f {k} {k + 1} {k + 2}\n" for k in range(1, count - 1))
    )
    (glb,) = convert_named(path, tmp_path / "out", MeshTarget("glb"))
    content, _, _ = load(glb)
    indices = content["accessors"][content["meshes"][0]["primitives"][0]["indices"]]
    assert (indices["componentType"], indices["count"] % 3) == (component, 0)
    assert content["accessors"][0]["count"] == count


def test_large_stl_is_split_for_mujoco_and_nothing_else_is(tmp_path):
    path = tmp_path / "a.stl"
    path.write_text(ascii_stl(TETRAHEDRON * 2))
    options = DaeOptions(max_faces=3)
    meshes = {
        kind: _converted(path, tmp_path / kind, MeshTarget(kind, dae=options)) for kind in FORMATS
    }
    sizes = {kind: [part.triangles for part in mesh.parts] for kind, mesh in meshes.items()}
    assert sizes == {"stl": [3, 3, 2], "obj": [8], "gltf": [8], "glb": [8]}


def _converted(path, folder, target):
    folder.mkdir()
    return convert_mesh(str(path), str(folder), target)


def test_equal_colors_are_one_part_and_flat_triangles_are_left_out(tmp_path):
    (tmp_path / "a.mtl").write_text(
        "newmtl one\nKd 1 0 0\nnewmtl two\nKd 1 0 0\nnewmtl three\nKd 0 0 1\n"
    )
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nusemtl one\nf 1 2 3\nf 1 2 4\n"
        "usemtl two\nf 3 2 1\nusemtl three\nf 1 1 2\n"
    )
    mesh = _converted(tmp_path / "a.obj", tmp_path / "out", MeshTarget("obj"))
    (part,) = mesh.parts
    assert (part.material, part.triangles, part.vertices) == ("one", 2, 6)
    assert [note.text for note in part.notes] == [
        "materials one, two all have the color 1 0 0 1",
        "1 triangle without area is left out",
        "the part lies in one plane, which MuJoCo refuses",
    ]
    assert [note.sentence for note in mesh.notes] == ["all-flat"]
    apart = MeshTarget("obj", dae=DaeOptions(merge_equal_colors=False))
    several = _converted(tmp_path / "a.obj", tmp_path / "two", apart)
    assert [part.material for part in several.parts] == ["one", "two"]


@pytest.mark.parametrize("data", [JPEG, png()])
def test_names_of_images_have_the_ending_that_their_bytes_mean(data, tmp_path):
    (tmp_path / "model.dae").write_text(textured_dae("my%20wood.TGA"))
    (tmp_path / "my wood.tga").write_bytes(data)
    mesh = read_mesh(str(tmp_path / "model.dae"))
    images = [surface.material.image for surface in mesh.surfaces if surface.material.image]
    ending = ".jpg" if data == JPEG else ".png"
    assert image_file_names(images, {"my_wood"}) == {data: f"my_wood_2{ending}"}


def test_an_image_that_gltf_may_not_hold_becomes_a_flat_color(tmp_path):
    (tmp_path / "model.dae").write_text(textured_dae("wood.bmp"))
    (tmp_path / "wood.bmp").write_bytes(b"BM" + bytes(30))
    (part,) = _converted(tmp_path / "model.dae", tmp_path / "out", MeshTarget("glb")).parts
    assert "images" not in load(Path(part.file))[0]
    assert [note.names for note in part.notes if note.sentence == "not-gltf"] == [("wood.bmp",)]


def test_a_missing_image_leaves_no_reference(tmp_path):
    (tmp_path / "model.dae").write_text(textured_dae("gone.png"))
    for kind in ("obj", "gltf"):
        files = convert_named(tmp_path / "model.dae", tmp_path / kind, MeshTarget(kind))
        assert not any(
            b"gone" in file.read_bytes() or b"map_Kd" in file.read_bytes() for file in files
        )
    assert "newmtl wood\nKa 0 0 0\nKd 0.8 0.8 0.8\n" in (tmp_path / "obj" / "part1.mtl").read_text()


def test_a_mirrored_instance_keeps_its_outside_and_its_normals(tmp_path):
    text = textured_dae().replace("<node>", "<node><scale>1 1 -2</scale>")
    (tmp_path / "model.dae").write_text(text)
    surface = read_mesh(str(tmp_path / "model.dae")).surfaces[0]
    assert list(triangles_of(surface)) == [((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 0.0))]
    assert list(surface.normals) == [0.0, 0.0, -1.0, 0.0, 1.0, 0.0]
    assert list(surface.normal_corners) == [0, 1, 0]


def _damaging(read, damage):
    """What reads a file back, after damage to it."""

    def reads(path, *rest, **more):
        file = Path(path if isinstance(path, str) else path[0])
        file.write_bytes(damage(file.read_bytes()))
        return read(path, *rest, **more)

    return reads


@pytest.mark.parametrize(
    "kind, damage",
    [
        ("stl", lambda data: data[:100] + b"\x01" + data[101:]),
        ("obj", lambda data: data.replace(b"v 1 0 0", b"v 1 0 0.5")),
        ("obj", lambda data: data.replace(b"f 1//1 2//1 3//2\n", b"")),
        ("obj", lambda data: data.replace(b"vn 0 0 1", b"vn 0 0 3")),
        ("obj", lambda data: data.replace(b"vn 0 1 0", b"vn 0 nan 0")),
        ("obj", lambda data: data.replace(b"f 1//1 2//1 3//2", b"f 1//1 2//1 3//3")),
        ("obj", lambda data: data.replace(b"f 1//1 2//1 3//2", b"f 1//0 2//1 3//2")),
        ("obj", lambda data: data.replace(b"f 1//1 2//1 3//2", b"f 0//1 2//1 3//2")),
        ("obj", lambda data: data.replace(b"f 1/3/1 2/2/2 3/1/2", b"f 1/3/1 2/2/2 3/4/2")),
        ("obj", lambda data: data.replace(b"f 1/3/1 2/2/2 3/1/2", b"f 1/3/1 2/2/2 3//2")),
        ("obj", lambda data: data.replace(b"vt 1 0", b"vt 1 1")),
        ("glb", lambda data: data.replace(b"\0\0\x80\x3f", b"\0\0\x40\x3f", 1)),
        ("glb", lambda data: data.replace(b"IDAT", b"IDAX")),
    ],
)
def test_the_proof_sees_what_a_writer_does_wrong(textured, tmp_path, monkeypatch, kind, damage):
    for name in ("read_back_stl", "read_back_obj", "read_back_gltf"):
        monkeypatch.setattr(convert, name, _damaging(getattr(convert, name), damage))
    with pytest.raises(ProofFailed):
        _converted(textured, tmp_path / "out", MeshTarget(kind))


@pytest.mark.parametrize("kind", ["obj", "glb", "gltf"])
@pytest.mark.parametrize(
    "name, wrong",
    [
        ("red", lambda one: one._replace(normals=array("f", [-value for value in one.normals]))),
        ("red", lambda one: one._replace(normals=array("f", [*one.normals[:4], 0.9999, 0.0141]))),
        ("red", lambda one: one._replace(normal_corners=one.normal_corners[::-1])),
        ("wood", lambda one: one._replace(normal_corners=array("I", [1, 1, 1]))),
    ],
)
def test_the_proof_sees_another_normal(
    textured,
    tmp_path,
    monkeypatch,
    kind,
    name,
    wrong,
):
    def changed(surface):
        return wrong(surface) if surface.material.name == name else surface

    monkeypatch.setattr(
        convert, "write_obj", lambda surface, *rest: write_obj(changed(surface), *rest)
    )
    monkeypatch.setattr(
        convert, "gltf_parts", lambda parts, *rest: gltf_parts([*map(changed, parts)], *rest)
    )
    with pytest.raises(ProofFailed, match=f"a normal of material '{name}' is not the same"):
        _converted(textured, tmp_path / "out", MeshTarget(kind))


@pytest.mark.parametrize("kind", ["obj", "glb"])
def test_the_proof_sees_a_normal_that_is_too_long(textured, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(dae_reader, "tidy", compact)  # the first normal of the file has length 2
    with pytest.raises(ProofFailed, match="a normal of material 'red' has not length 1"):
        _converted(textured, tmp_path / "out", MeshTarget(kind))


def test_texture_coordinates_that_are_all_zero_go_along(textured, tmp_path):
    before, after = textured.read_text().split("0.0 0.0 1.0 0.0 1.0 0.25 0.0 1.0")
    textured.write_text(f"{before}{' '.join('0' * 8)}{after}")
    for kind in ("obj", "glb"):
        convert_named(textured, tmp_path / kind, MeshTarget(kind))
    assert "map_Kd picture0.png" in (tmp_path / "obj" / "part1.mtl").read_text()
    for file in ("obj/part1.obj", "glb/part0.glb"):
        assert set(read_mesh(str(tmp_path / file)).surfaces[-1].uv) == {0.0}


def _without_uv(parts):
    for primitive in parts.json["meshes"][0]["primitives"]:
        primitive["attributes"].pop("TEXCOORD_0", None)
    return parts


def _with_primitives(change):
    def changed(parts):
        mesh = parts.json["meshes"][0]
        mesh["primitives"] = change(mesh["primitives"])
        return parts

    return changed


@pytest.mark.parametrize("kind", ["glb", "gltf"])
@pytest.mark.parametrize(
    "wrong, message",
    [
        (_with_primitives(lambda primitives: primitives[:1]), "holds 1 surfaces of 2"),
        (
            _with_primitives(lambda primitives: [*primitives, primitives[-1]]),
            "holds 3 surfaces of 2",
        ),
        (_without_uv, "texture coordinates"),
    ],
)
def test_the_proof_sees_what_a_gltf_has_too_few_or_too_many(
    textured,
    tmp_path,
    kind,
    monkeypatch,
    wrong,
    message,
):
    monkeypatch.setattr(convert, "gltf_parts", lambda *arguments: wrong(gltf_parts(*arguments)))
    with pytest.raises(ProofFailed, match=message):
        _converted(textured, tmp_path / "out", MeshTarget(kind))


def test_the_proof_sees_an_obj_without_texture_coordinates(textured, tmp_path, monkeypatch):
    def without(surface, *rest):
        write_obj(surface._replace(uv=surface.uv[:0], uv_corners=surface.uv_corners[:0]), *rest)

    monkeypatch.setattr(convert, "write_obj", without)
    with pytest.raises(ProofFailed, match="texture coordinates"):
        _converted(textured, tmp_path / "out", MeshTarget("obj"))


def test_the_proof_sees_a_triangle_that_the_stl_writer_leaves_out(textured, tmp_path, monkeypatch):
    def without_the_first(surface, path, most):
        files, flat = write_stl(surface._replace(corners=surface.corners[3:]), path, most)
        return files, [0, *(number + 1 for number in flat)]

    monkeypatch.setattr(convert, "write_stl", without_the_first)
    with pytest.raises(ProofFailed, match="has an area"):
        convert_mesh(
            str(textured), str(tmp_path), MeshTarget("stl", dae=DaeOptions(separate=False))
        )


@pytest.mark.parametrize(
    "old, new",
    [
        (b"Kd 1 0.5 0\n", b"Kd 1 0.5 1\n"),
        (b"d 0.5\n", b""),
        (b"d 0.5\n", b"d 1\n"),
        (b"Ke 0 0 0.5\n", b""),
        (b"map_Kd picture0.png\n", b""),
        (b"picture0", b"picture1"),
        (b"illum 1\n", b"illum 1\nnewmtl other\n"),
    ],
)
def test_the_proof_sees_another_material(textured, tmp_path, monkeypatch, old, new):
    wrong = []

    def damaged(*arguments):
        data = mtl_bytes(*arguments)
        wrong.extend([data] if old in data else [])
        return data.replace(old, new)

    monkeypatch.setattr(convert, "mtl_bytes", damaged)
    with pytest.raises(ProofFailed, match="does not look as in its source"):
        convert_named(textured, tmp_path / "out", MeshTarget("obj"))
    assert wrong


def test_the_proof_sees_another_image(textured, tmp_path, monkeypatch):
    read = convert._bytes_of
    monkeypatch.setattr(convert, "_bytes_of", lambda path: read(path)[:-1])
    with pytest.raises(ProofFailed, match="the image 'wood.png' was not written as it is"):
        _converted(textured, tmp_path / "out", MeshTarget("obj"))


def test_glb_of_the_tests_is_what_the_checker_takes_for_broken(tmp_path):
    """The checker sees faults: a GLB of the tests has views without targets and a wrong box."""
    builder = tetrahedron_glb()
    builder.json["materials"] = []
    builder.primitive["material"] = 0
    builder.json["accessors"][0]["max"] = [1, 1, 2]
    (tmp_path / "a.glb").write_bytes(builder.glb())
    faults = gltf_faults(tmp_path / "a.glb")
    assert "bounds are not those of the float32 numbers" in faults and "no such material" in faults
    assert json.dumps(faults)
