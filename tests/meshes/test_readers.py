"""Rows of every reader: a small file, and exactly what must come of it; and what is refused, with its place."""

import base64
import json
import struct
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from dae_writer import document, instance, node, paragraph, primitive, simple_geometry, words
from hypothesis import given, strategies as st
from mesh_files import (
    A,
    ascii_stl,
    B,
    binary_stl,
    C,
    D,
    GltfBuilder,
    JPEG,
    png,
    TETRAHEDRON,
    TETRAHEDRON_VOLUME,
    tetrahedron_glb,
)

from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.base.errors import BrokenMesh, ProofFailed
from urdf_tools.collada import collada_to_stl, collada_colors as materials
from urdf_tools.collada.collada_primitives import triangle_blocks
from urdf_tools.meshes import dae_reader
from urdf_tools.meshes.mesh_content import triangles_of
from urdf_tools.meshes.mesh_volume import volume_and_center
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.meshes.gltf_reader import read_gltf
from urdf_tools.meshes.mesh_diagnostics import MESH_FEATURE


def turned(triangle):
    """The same triangle, same winding, beginning with its smallest corner."""
    first = list(triangle).index(min(triangle))
    return tuple(triangle[first:]) + tuple(triangle[:first])


def drawn(surface):
    return Counter(map(turned, triangles_of(surface)))


def read(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_mesh(str(path))


def only(mesh):
    (surface,) = mesh.surfaces
    return surface


EXPECTED = Counter(map(turned, TETRAHEDRON))
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in (A, B, C, D))
FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize(
    "content",
    [
        binary_stl(TETRAHEDRON),
        binary_stl(TETRAHEDRON, b"solid but binary"),
        ascii_stl(TETRAHEDRON),
        ascii_stl(TETRAHEDRON).upper(),
        ascii_stl(TETRAHEDRON).replace("\n", "\r\n"),
        ascii_stl(TETRAHEDRON[:2]) + ascii_stl(TETRAHEDRON[2:]),
    ],
    ids=["binary", "binary that begins with solid", "ascii", "upper case", "crlf", "two solids"],
)
def test_stl(tmp_path, content):
    surface = only(read(tmp_path, "a.STL", content))
    assert drawn(surface) == EXPECTED
    assert surface.material.rgba is None and not surface.normals


def test_stl_without_triangles_has_no_surface(tmp_path):
    assert read(tmp_path, "a.stl", binary_stl([])).surfaces == ()


@pytest.mark.parametrize(
    "text",
    [
        OBJ + FACES,
        (OBJ + FACES).replace("\n", "\r\n"),
        (OBJ + FACES).replace("\n", "\r"),
        "\ufeff" + OBJ + FACES,
        OBJ + FACES.rstrip(),
        OBJ + FACES.replace("f ", "f   ").replace(" ", "\t"),
        OBJ + "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n",
        OBJ + "g one\nf 1 3 2\no two\nf 1 2 4\ns off\ng\nf 1 4 3\ns 1\nf 2 3 4\n",
        OBJ.replace("0.0\n", "0.0 1.0\n") + FACES,
        OBJ.replace("\n", " 0.5 0.5 0.5\n") + FACES,
        OBJ + "f 1 \\\n3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        "# one\n\n"
        + OBJ
        + "vt 0 0\nvn 0 0 1\nf 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\nf 1/1 4/1 3/1\nf 2 3 4\n",
        OBJ.replace("1.0", "1e0").replace("0.0", "+0.") + FACES,
        OBJ.replace("0.0\n", "0.0 # a_b\n")
        + "vt 0.5 # u_v\n"
        + FACES.replace("\n", " # of 3\n", 2).replace("4\n", "4#\n"),
        OBJ + "p 1\nl 1 2\n" + FACES,
    ],
    ids=[
        "plain",
        "crlf",
        "cr",
        "byte order mark",
        "no last line end",
        "tabs",
        "negative",
        "groups",
        "w",
        "vertex colors",
        "a line that goes on",
        "every form of corner",
        "spellings of numbers",
        "comments",
        "points and lines",
    ],
)
def test_obj(tmp_path, text):
    surface = only(read(tmp_path, "a.obj", text))
    assert drawn(surface) == EXPECTED
    assert not surface.uv


def test_obj_normals_are_of_unit_length_and_a_corner_without_one_gets_that_of_its_triangle(
    tmp_path,
):
    text = OBJ + "vn 0 0 7\nvn 0 0 0\nf 1//1 2//1 3//1\nf 1//2 2//2 4//2\nf 1 4 3\n"
    surface = only(read(tmp_path, "a.obj", text))
    normals = [tuple(surface.normals[3 * k : 3 * k + 3]) for k in surface.normal_corners]
    assert normals == [(0.0, 0.0, 1.0)] * 3 + [(0.0, -1.0, 0.0)] * 3 + [(-1.0, 0.0, 0.0)] * 3


MISSING = st.sampled_from(("", "1", "-1", "2", "-2", "3", "0", "999"))


@given(st.lists(st.tuples(MISSING, MISSING), min_size=3, max_size=9), st.booleans())
def test_obj_without_a_record_that_a_face_names_loses_only_that(
    tmp_path_factory, corners, shape_only
):
    """It is the same as the file that does not name it, and each is counted; two `vt` and two `vn` are there."""
    there = ("1", "2", "-1", "-2")
    folder = tmp_path_factory.mktemp("obj")
    rows = [corners[start : start + 3] for start in range(0, len(corners), 3)]
    head = OBJ + "vt 0 0\nvt 1 0\nvn 0 0 1\nvn 0 1 0\n"
    read_as = [
        head
        + "".join(
            "f "
            + " ".join(
                f"{number}/{uv if uv in known else ''}/{normal if normal in known else ''}"
                for number, (uv, normal) in enumerate(row, start=1)
            )
            + "\n"
            for row in rows
        )
        for known in (there, (*there, "3", "0", "999"))
    ]
    (folder / "a.obj").write_text(read_as[1])
    (folder / "b.obj").write_text(read_as[0])
    first, second = (
        read_mesh(str(folder / name), shape_only=shape_only) for name in ("a.obj", "b.obj")
    )
    assert first.surfaces == second.surfaces
    missing = [[word for word in column if word and word not in there] for column in zip(*corners)]
    assert {*first.notes} - {*second.notes} == {
        Diagnostic(MESH_FEATURE, 0, "no-record", (key,), (len(words),))
        for key, words in zip(("vt", "vn"), missing)
        if words
    }


def test_obj_faces_of_fewer_than_three_corners_draw_nothing(tmp_path):
    mesh = read(tmp_path, "a.obj", OBJ + FACES + "f 1 2\nf 3\n")
    assert drawn(only(mesh)) == EXPECTED
    assert [note.text for note in mesh.notes] == [
        "the mesh has 2 lines of 'f' with fewer than three corners, which draw nothing"
    ]
    assert read(tmp_path, "b.obj", OBJ + "f 1 2\n").surfaces == ()


@pytest.mark.parametrize(
    "corners, expected",
    [
        ([(0, 0), (2, 0), (2, 2), (0, 2)], 4.0),
        ([(0, 0), (4, 0), (1, 1), (0, 4)], 4.0),
        ([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], 10.0),
    ],
    ids=["quad", "concave quad", "concave pentagon"],
)
def test_obj_polygons(tmp_path, corners, expected):
    text = (
        "".join(f"v {x} {y} 0\n" for x, y in corners)
        + "f "
        + " ".join(str(k + 1) for k in range(len(corners)))
    )
    triangles = list(triangles_of(only(read(tmp_path, "a.obj", text))))
    assert len(triangles) == len(corners) - 2
    areas = [(b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) for a, b, c in triangles]
    assert min(areas) > 0.0 and sum(areas) == pytest.approx(2.0 * expected)


MTL = """newmtl red
Kd 1 0 0
newmtl half clear
Kd 0.5 0.25 0.125
d 0.5
newmtl turned
Tr 0.25
Kd 0 1 0
newmtl shown
Kd 0.1 0.1 0.1
map_Kd -s 2 2 1 -clamp on my picture.png
newmtl colorless
Ns 3
newmtl vanished
Kd 1 1 1
d 0
"""


def test_obj_materials(tmp_path):
    (tmp_path / "some colors.mtl").write_text(MTL)
    (tmp_path / "my picture.png").write_bytes(png())
    names = ["red", "half clear", "turned", "shown", "colorless", "vanished", "missing"]
    uses = "".join(f"usemtl {name}\nf 1/1 2/1 {3 + k % 2}/1\n" for k, name in enumerate(names))
    text = "mtllib some colors.mtl\nvt 0.25 0.75\n" + OBJ + uses + "usemtl red\nf 2/1 3/1 4/1\n"
    mesh = read(tmp_path, "a.obj", text)
    assert [(s.material.name, s.material.rgba, len(s.corners) // 3) for s in mesh.surfaces] == [
        ("red", (1.0, 0.0, 0.0, 1.0), 2),
        ("half clear", (0.5, 0.25, 0.125, 0.5), 1),
        ("turned", (0.0, 1.0, 0.0, 0.75), 1),
        ("shown", (1.0, 1.0, 1.0, 1.0), 1),
        ("colorless", None, 1),
        ("vanished", (1.0, 1.0, 1.0, 1.0), 1),
        ("missing", None, 1),
    ]
    shown = mesh.surfaces[3]
    assert shown.material.image is not None and shown.material.image == ("my picture.png", png())
    assert list(shown.uv) == [0.25, 0.75] and list(shown.uv_corners) == [0, 0, 0]
    assert not any(s.uv for s in mesh.surfaces if s is not shown)
    assert tuple(map(str, mesh.notes)) == (
        "material 'vanished' has an alpha of 0, which is not a usual opacity: the material is drawn opaque",
        "the material 'missing' is in no material file (MTL)",
    )


def test_what_an_obj_names_and_is_not_there_is_noted(tmp_path):
    (tmp_path / "b.mtl").write_text("newmtl m\nKd 1 0 0\nmap_Kd gone.png\n")
    mesh = read(tmp_path, "a.obj", "mtllib a.mtl b.mtl\n" + OBJ + "usemtl m\n" + FACES)
    assert tuple(map(str, mesh.notes)) == (
        "the material file (MTL) 'a.mtl' does not exist",
        "the image 'gone.png' does not exist: a flat color is used",
    )
    assert only(mesh).material.rgba == (1.0, 0.0, 0.0, 1.0)


def test_a_file_that_is_no_image_does_not_go_along(tmp_path):
    (tmp_path / "secret.png").write_text("root:x:0:0")
    (tmp_path / "b.mtl").write_text("newmtl m\nmap_Kd secret.png\n")
    mesh = read(tmp_path, "a.obj", "mtllib b.mtl\n" + OBJ + "usemtl m\n" + FACES)
    assert only(mesh).material.image is None
    assert tuple(map(str, mesh.notes)) == (
        "the image 'secret.png' is of an unknown format: a flat color is used",
    )


@pytest.mark.parametrize("code", ["B", "H", "I"])
def test_glb_with_every_width_of_indices(tmp_path, code):
    surface = only(read(tmp_path, "a.glb", tetrahedron_glb(code).glb()))
    assert drawn(surface) == EXPECTED


def test_gltf_with_files_and_with_data_uris(tmp_path):
    (tmp_path / "one").mkdir()
    assert (
        drawn(
            only(read_gltf(str(tetrahedron_glb().gltf(tmp_path / "one", binary="my buffer.bin"))))
        )
        == EXPECTED
    )
    builder = tetrahedron_glb()
    builder.json["buffers"][0]["uri"] = (
        "data:application/octet-stream;base64," + base64.b64encode(builder.buffer).decode()
    )
    assert drawn(only(read_gltf(str(builder.gltf(tmp_path))))) == EXPECTED
    builder = tetrahedron_glb()
    builder.json["buffers"][0]["uri"] = "my%20buffer.bin"
    assert drawn(only(read_gltf(str(builder.gltf(tmp_path / "one"))))) == EXPECTED


HALF = 0.7071067811865476
NODES = [
    ({"translation": [1, 2, 3]}, lambda x, y, z: (x + 1, y + 2, z + 3)),
    ({"scale": [2, 3, 4]}, lambda x, y, z: (2 * x, 3 * y, 4 * z)),
    ({"rotation": [HALF, 0, 0, HALF]}, lambda x, y, z: (x, -z, y)),
    (
        {"rotation": [0, 0, 2 * HALF, 2 * HALF], "translation": [5, 0, 0], "scale": [1, 2, 1]},
        lambda x, y, z: (5 - 2 * y, x, z),
    ),
    (
        {"matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1]},
        lambda x, y, z: (7 - y, 8 + x, 9 + z),
    ),
]


@pytest.mark.parametrize(
    "node, moved", NODES, ids=["translation", "scale", "rotation", "all three", "matrix"]
)
def test_glb_node_transforms(tmp_path, node, moved):
    surface = only(read(tmp_path, "a.glb", tetrahedron_glb(node=node).glb()))
    expected = Counter(turned([moved(*corner) for corner in triangle]) for triangle in TETRAHEDRON)
    assert (
        Counter(
            turned([tuple(round(v, 6) + 0.0 for v in corner) for corner in triangle])
            for triangle in triangles_of(surface)
        )
        == expected
    )


def test_glb_node_inside_a_node_and_a_mirror_that_keeps_its_outside(tmp_path):
    builder = tetrahedron_glb()
    builder.primitive["attributes"]["NORMAL"] = builder.accessor("f", "VEC3", [(0, 0, 1)] * 4)
    builder.json["nodes"] = [
        {"children": [1], "scale": [1, 1, -1]},
        {"mesh": 0, "translation": [0, 0, 1]},
    ]
    surface = only(read(tmp_path, "a.glb", builder.glb()))
    assert {corner for triangle in triangles_of(surface) for corner in triangle} == {
        (0.0, 0.0, -1.0),
        (1.0, 0.0, -1.0),
        (0.0, 1.0, -1.0),
        (0.0, 0.0, -2.0),
    }
    assert volume_and_center(triangles_of(surface))[0] == pytest.approx(TETRAHEDRON_VOLUME)
    assert list(surface.normals[:3]) == [0.0, 0.0, -1.0]


@pytest.mark.parametrize(
    "axis, expected", [(None, D), ("z", D), ("y", (0.0, -1.0, 0.0)), ("x", (-1.0, 0.0, 0.0))]
)
def test_glb_up_axis(tmp_path, axis, expected):
    path = tmp_path / "a.glb"
    path.write_bytes(tetrahedron_glb().glb())
    corners = {
        corner for triangle in triangles_of(only(read_gltf(str(path), axis))) for corner in triangle
    }
    if axis == "x":
        assert corners == {A, (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)}
    assert expected in corners


@pytest.mark.parametrize(
    "mode, expected",
    [
        (5, [(A, B, C), (C, B, D)]),
        (6, [(B, C, A), (C, D, A)]),
        (4, [(A, B, C)]),
        (None, [(A, B, C)]),
    ],
)
def test_glb_modes(tmp_path, mode, expected):
    builder = tetrahedron_glb()
    builder.primitive["indices"] = builder.accessor("B", "SCALAR", [0, 1, 2, 3])
    if mode is not None:
        builder.primitive["mode"] = mode
    assert drawn(only(read(tmp_path, "a.glb", builder.glb()))) == Counter(map(turned, expected))


def test_glb_lines_are_left_out_and_no_indices_count_on(tmp_path):
    builder = tetrahedron_glb()
    builder.primitive["mode"] = 1
    mesh = read(tmp_path, "a.glb", builder.glb())
    assert (mesh.surfaces, [note.text for note in mesh.notes]) == (
        (),
        ["points and lines of the mesh are left out"],
    )
    builder = tetrahedron_glb()
    del builder.primitive["indices"]
    assert drawn(only(read(tmp_path, "b.glb", builder.glb()))) == Counter([turned((A, B, C))])


def test_glb_sparse_interleaved_and_absent_views(tmp_path):
    builder = tetrahedron_glb()
    accessor = builder.json["accessors"][0]
    places, values = builder.view(struct.pack("<H", 3)), builder.view(struct.pack("<3f", 0, 0, 9))
    accessor["sparse"] = {
        "count": 1,
        "indices": {"bufferView": places, "componentType": 5123},
        "values": {"bufferView": values},
    }
    moved = Counter(
        turned([(0.0, 0.0, 9.0) if c == D else c for c in triangle]) for triangle in TETRAHEDRON
    )
    assert drawn(only(read(tmp_path, "a.glb", builder.glb()))) == moved
    builder = tetrahedron_glb()
    spread = b"".join(struct.pack("<3f", *point) + b"\xff" * 8 for point in (A, B, C, D))
    builder.json["accessors"][0].update(
        bufferView=builder.view(b"\xff" * 4 + spread, byteStride=20), byteOffset=4
    )
    assert drawn(only(read(tmp_path, "b.glb", builder.glb()))) == EXPECTED
    builder = tetrahedron_glb()
    del builder.json["accessors"][0]["bufferView"]
    assert set(drawn(only(read(tmp_path, "c.glb", builder.glb())))) == {(A, A, A)}


def test_glb_materials_and_images(tmp_path):
    builder = tetrahedron_glb()
    attributes = builder.primitive["attributes"]
    attributes["TEXCOORD_1"] = builder.accessor(
        "B", "VEC2", [(0, 0), (255, 0), (0, 255), (51, 255)], normalized=True
    )
    builder.json["materials"] = [
        {
            "name": "shown",
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 1}},
        },
        {
            "name": "clear",
            "alphaMode": "BLEND",
            "doubleSided": True,
            "emissiveFactor": [0, 0, 1],
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.21404114, 1, 0, 0.5],
                "metallicFactor": 0.25,
            },
        },
        {
            "name": "opaque",
            "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5], "roughnessFactor": 0.5},
        },
    ]
    builder.json["textures"] = [{"source": 0}]
    builder.json["images"] = [
        {"name": "wood", "mimeType": "image/png", "bufferView": builder.view(png())}
    ]
    primitives = builder.json["meshes"][0]["primitives"]
    builder.json["meshes"][0]["primitives"] = [
        {**primitives[0], "material": k} for k in range(3)
    ] + primitives
    mesh = read(tmp_path, "a.glb", builder.glb())
    materials = [surface.material for surface in mesh.surfaces]
    assert [material.name for material in materials] == ["shown", "clear", "opaque", ""]
    assert materials[0].image == ("wood", png()) and materials[0].rgba == (1.0, 1.0, 1.0, 1.0)
    pairs = {tuple(round(v, 6) for v in mesh.surfaces[0].uv[2 * k : 2 * k + 2]) for k in range(4)}
    assert pairs == {(0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (0.2, 0.0)}
    assert materials[1].rgba == pytest.approx((0.5, 1.0, 0.0, 0.5))
    assert (materials[1].emission, materials[1].metallic, materials[1].double_sided) == (
        (0.0, 0.0, 1.0),
        0.25,
        True,
    )
    assert materials[2].rgba == (1.0, 1.0, 1.0, 1.0) and materials[2].roughness == 0.5
    assert materials[3].rgba is None


def test_gltf_image_beside_it_in_a_data_uri_and_gone(tmp_path):
    (tmp_path / "my picture.jpg").write_bytes(JPEG)
    for uri, image in [
        ("my%20picture.jpg", ("my picture.jpg", JPEG)),
        ("gone.png", None),
        ("data:image/png;base64," + base64.b64encode(png()).decode(), ("", png())),
        ("https://example.org/x.png", None),
    ]:
        builder = tetrahedron_glb()
        builder.primitive.update(material=0)
        builder.json.update(
            materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
            textures=[{"source": 0}],
            images=[{"uri": uri}],
        )
        mesh = read_gltf(str(builder.gltf(tmp_path)))
        assert only(mesh).material.image == image
        assert [note.text for note in mesh.notes if note.sentence == "not-there"] == (
            [] if image else [f"the image '{uri}' does not exist: a flat color is used"]
        )


def with_json(**changes):
    builder = tetrahedron_glb()
    builder.json.update(changes)
    return builder.glb()


def with_primitive(**changes):
    builder = tetrahedron_glb()
    builder.primitive.update(changes)
    return builder.glb()


def with_accessor(place, **changes):
    builder = tetrahedron_glb()
    builder.json["accessors"][place].update(changes)
    return builder.glb()


def with_view(place, **changes):
    builder = tetrahedron_glb()
    builder.json["bufferViews"][place].update(changes)
    return builder.glb()


def far_glb():
    return tetrahedron_glb(node={"scale": [1e12, 1, 1]}).glb()


GOOD = tetrahedron_glb().glb()
REFUSED = [
    ("a.stl", b"", 0, "is not STL: it ends at byte 0, within the header"),
    ("a.stl", binary_stl(TETRAHEDRON)[:-1], 0, "is not STL: it has 283 bytes, but 4 triangles"),
    (
        "a.stl",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n",
        4,
        "a vertex is not three numbers that fit into float32",
    ),
    (
        "a.stl",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 x\n",
        4,
        "a vertex is not three numbers that fit",
    ),
    (
        "a.stl",
        "solid\nfacet n\nouter loop\nvertex 1 2 3\nendloop\n",
        5,
        "a loop has 1 vertices instead of 3",
    ),
    (
        "a.stl",
        ascii_stl(TETRAHEDRON).replace("endsolid thing\n", ""),
        29,
        "ends before its endsolid",
    ),
    ("a.stl", "solid\nhello\nendsolid\n", 2, "'hello' does not belong here"),
    (
        "a.stl",
        binary_stl([(A, B, (0.0, float("nan"), 0.0))]),
        0,
        "byte 84: a position is not finite",
    ),
    (
        "a.stl",
        binary_stl([(A, B, (0.0, 3e30, 0.0))]),
        0,
        "byte 84: positions reach farther than 2^30 meters",
    ),
    ("a.obj", OBJ + "f 1 2 5\n", 5, "a face names 'v' 5, but there are 4 so far"),
    ("a.obj", "f 1 2 3\n" + OBJ, 1, "a face names 'v' 1, but there are 0 so far"),
    ("a.obj", OBJ + "f 1 2 0\n", 5, "a face names 'v' 0, but there are 4 so far"),
    ("a.obj", OBJ + "f -5 1 2\n", 5, "a face names 'v' -5, but there are 4 so far"),
    ("a.obj", OBJ + "f 1 2 3/x\n", 5, "a face has '3/x' where a corner belongs"),
    ("a.obj", OBJ + "f 1/1/1/1 2 3\n", 5, "a face has '1/1/1/1' where a corner belongs"),
    ("a.obj", OBJ + "f 1 5\n", 5, "a face names 'v' 5, but there are 4 so far"),
    ("a.obj", "v 1 2\n", 1, "'v' is not followed by 3 numbers that fit into float32"),
    ("a.obj", "v 1 2 1_0\n", 1, "'v' is not followed by 3 numbers that fit into float32"),
    ("a.obj", "v 1 2 nan\n", 1, "'v' has a number that is not finite"),
    ("a.obj", "v 1 2 1e99\n", 1, "'v' has a number that is not finite"),
    (
        "a.obj",
        "v 0 0 0\nv 1 0 0\nv 0 3e30 0\nf 1 2 3\n",
        0,
        "'v': positions reach farther than 2^30 meters",
    ),
    ("a.obj", b"v 0 0 0\n\0", 2, "is not OBJ: it has a null character"),
    ("a.glb", GOOD[:8], 0, "ends at byte 8, within the header of a GLB"),
    ("a.glb", GOOD[:-4], 0, f"ends at byte {len(GOOD) - 4} instead of {len(GOOD)}"),
    ("a.glb", GOOD[:4] + struct.pack("<I", 1) + GOOD[8:], 0, "is a GLB of version 1 instead of 2"),
    (
        "a.glb",
        GOOD[:12] + struct.pack("<I", 1 << 30) + GOOD[16:],
        0,
        "byte 12: a chunk of 1073741824 bytes reaches",
    ),
    (
        "a.glb",
        GOOD[:16] + b"JOSN" + GOOD[20:],
        0,
        "byte 12: the first chunk of a GLB is not its JSON",
    ),
    ("a.glb", GOOD[:30] + b"}" + GOOD[31:], 0, "is not glTF: its JSON is broken at byte "),
    ("a.gltf", '{"asset":\n{"version": "2.0"},\n x}', 3, "is not glTF: its JSON is broken"),
    ("a.gltf", "[" * 100_000, 0, "is not glTF: its JSON"),
    ("a.gltf", '{"a": ' + "1" * 5000 + "}", 0, "is not glTF"),
    ("a.gltf", "[]", 0, "is not glTF 2.0: asset.version is null"),
    ("a.gltf", b'{"asset": "\xff"}', 0, "is not glTF: byte 11 of its JSON is not UTF-8"),
    ("a.glb", with_json(asset={"version": "1.0"}), 0, 'is not glTF 2.0: asset.version is "1.0"'),
    (
        "a.glb",
        with_json(extensionsRequired=["KHR_draco_mesh_compression"]),
        0,
        "requires KHR_draco_mesh_compression",
    ),
    ("a.glb", with_json(scene=3), 0, "glTF: there is no scenes[3]"),
    ("a.glb", with_json(scenes=[{"nodes": [7]}]), 0, "scene: there is no nodes[7]"),
    (
        "a.glb",
        with_json(nodes=[{"children": [0]}]),
        0,
        "nodes[0]: the scene unrolls to more than 100000 nodes",
    ),
    (
        "a.glb",
        with_json(nodes=[{"mesh": 0, "matrix": [1, 2]}]),
        0,
        "nodes[0]: 'matrix' is not 16 numbers",
    ),
    (
        "a.glb",
        with_json(nodes=[{"mesh": 0, "rotation": [0, 0, 0, 0]}]),
        0,
        "nodes[0]: 'rotation' is not a quaternion",
    ),
    ("a.glb", with_json(nodes=[{"mesh": "x"}]), 0, 'nodes[0]: there is no meshes["x"]'),
    ("a.glb", with_json(nodes=5), 0, "scene: there is no nodes[0]"),
    (
        "a.glb",
        with_primitive(indices=9),
        0,
        "meshes[0].primitives[0].indices: there is no accessors[9]",
    ),
    (
        "a.glb",
        with_primitive(indices=0),
        0,
        "accessors[0]: is not SCALAR of unsigned whole numbers",
    ),
    (
        "a.glb",
        with_primitive(attributes={"POSITION": 1}),
        0,
        "accessors[1]: is not VEC3 of float32",
    ),
    ("a.glb", with_primitive(material=4), 0, "meshes[0].primitives[0]: there is no materials[4]"),
    (
        "a.glb",
        with_primitive(mode=-1),
        0,
        "meshes[0].primitives[0]: 'mode' is not a whole number of at least 0",
    ),
    ("a.glb", with_accessor(0, count=5), 0, "accessors[0]: reads to byte 60 of a bufferView of 48"),
    (
        "a.glb",
        with_accessor(0, count=3),
        0,
        "meshes[0].primitives[0].indices: has 3, but there are 3 positions",
    ),
    ("a.glb", with_accessor(0, count=10**12), 0, "accessors[0]: has more than 60000000 records"),
    (
        "a.glb",
        with_accessor(0, byteOffset=4),
        0,
        "accessors[0]: reads to byte 52 of a bufferView of 48",
    ),
    (
        "a.glb",
        with_view(0, byteLength=1000),
        0,
        "bufferViews[0]: reaches to byte 1000 of a buffer of 72",
    ),
    ("a.glb", with_view(0, byteStride=8), 0, "accessors[0]: has records of 12 bytes every 8 bytes"),
    ("a.glb", with_view(0, byteStride=1000), 0, "bufferViews[0]: has a byteStride of 1000"),
    (
        "a.glb",
        with_json(buffers=[{"byteLength": 100000}]),
        0,
        "buffers[0]: has 72 bytes instead of 100000",
    ),
    (
        "a.glb",
        with_json(buffers=[{"byteLength": 72, "uri": "gone.bin"}]),
        0,
        "buffers[0]: the file 'gone.bin' is not",
    ),
    (
        "a.glb",
        with_json(buffers=[{"byteLength": 72, "uri": "data:;base64,@"}]),
        0,
        "buffers[0]: has a data URI with",
    ),
    (
        "a.glb",
        with_json(buffers=[{"byteLength": 72, "uri": "data:,hello"}]),
        0,
        "buffers[0]: has a data URI that is",
    ),
    (
        "a.glb",
        far_glb(),
        0,
        "meshes[0].primitives[0].POSITION: positions reach farther than 2^30 meters",
    ),
    ("a.fbx", b"fbx\n", 0, "'.fbx' is not a mesh format that is read here"),
]


@pytest.mark.parametrize(
    "name, content, line, words", REFUSED, ids=[f"{r[0]}-{r[3][:50]}" for r in REFUSED]
)
def test_refused(tmp_path, name, content, line, words):
    with pytest.raises(BrokenMesh) as caught:
        read(tmp_path, name, content)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / name), line)
    assert caught.value.message.startswith(words)
    assert "\n" not in str(caught.value)


def test_ascii_stl_without_one_of_its_lines_or_with_one_twice_is_refused(tmp_path):
    lines = ascii_stl(TETRAHEDRON).splitlines(keepends=True)
    for number, line in enumerate(lines):
        for instead in ("", line + line):
            with pytest.raises(BrokenMesh):
                read(tmp_path, "a.stl", "".join([*lines[:number], instead, *lines[number + 1 :]]))


def test_an_mtl_that_cannot_be_read_is_refused_with_its_line(tmp_path):
    (tmp_path / "b.mtl").write_text("newmtl m\nKd 1 x 0\n")
    with pytest.raises(BrokenMesh) as caught:
        read(tmp_path, "a.obj", "mtllib b.mtl\n" + OBJ + "usemtl m\n" + FACES)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "b.mtl"), 2)


def test_no_folder_and_no_pipe(tmp_path):
    (tmp_path / "a.obj").mkdir()
    with pytest.raises(BrokenMesh, match="is not a file"):
        read_mesh(str(tmp_path / "a.obj"))
    with pytest.raises(BrokenMesh, match="cannot be read"):
        read_mesh(str(tmp_path / "b.stl"))


def test_long_obj_lines_of_one_kind_are_read_like_single_ones(tmp_path):
    """Runs longer than a block, and a line of another form in the middle of a run."""
    count = 30_000
    points = "".join(f"v {k} {k % 7} {k % 11}\n" for k in range(count))
    faces = [f"f {k + 1} {k + 2} {k + 3}\n" for k in range(count - 2)]
    plain = read(tmp_path, "a.obj", points + "".join(faces))
    mixed = [
        f"f {k - count} {k - count + 1} {k - count + 2}\n" if k % 5000 == 17 else face
        for k, face in enumerate(faces)
    ]
    other = read(tmp_path, "b.obj", points + "".join(mixed))
    assert (
        only(plain).corners == only(other).corners
        and only(plain).positions == only(other).positions
    )
    with pytest.raises(BrokenMesh) as caught:
        read(tmp_path, "c.obj", points + "".join(faces) + "f 1 2 x\n")
    assert caught.value.line == 2 * count - 1


def test_json_that_is_valid_is_named_as_it_is(tmp_path):
    builder = GltfBuilder()
    assert json.dumps(builder.json)
    assert read(tmp_path, "a.glb", builder.glb()).notes[0].sentence == "no-positions"


# The fourth corner points inward.
BENT = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (1, 0.5, 0), (2, 3, 0), (0, 2, 0)]
SIZES = [6, 4, 3, 5]
OUTLINES = [list(range(6)), [0, 1, 2, 3], [3, 4, 5], [5, 4, 3, 2, 1]]
POLYGONS = {
    "polylist": f"<vcount>{words(SIZES)}</vcount>"
    + paragraph([k for loop in OUTLINES for k in loop]),
    "polygons": "".join(map(paragraph, OUTLINES)),
}


@pytest.mark.parametrize("tag", list(POLYGONS))
def test_dae_polygons_are_cut_and_no_triangle_is_lost_for_another(tmp_path, monkeypatch, tag):
    text = document(
        simple_geometry("g", BENT, primitive(tag, "g-p", POLYGONS[tag], 4)), node(instance("g"))
    )
    count = len(only(read(tmp_path, "a.dae", text)).corners) // 3
    assert count == sum(SIZES) - 2 * len(SIZES)

    def losing(lost, doubled):
        def blocks(*arguments):
            (block,) = triangle_blocks(*arguments)
            block[3 * lost : 3 * lost + 3] = block[3 * doubled : 3 * doubled + 3]
            yield block

        return blocks

    for lost, doubled in permutations(range(count), 2):
        monkeypatch.setattr(dae_reader, "triangle_blocks", losing(lost, doubled))
        with pytest.raises(
            ProofFailed, match=f"the triangles of <{tag}> do not make up its polygons"
        ):
            read_mesh(str(tmp_path / "a.dae"))


@pytest.mark.parametrize(
    "changed, wrong",
    [
        (materials, ("clamped_color", lambda numbers: (numbers[1], numbers[0], numbers[2], 1.0))),
        (collada_to_stl, ("drawn_material", lambda *_: None)),
    ],
    ids=["another color", "no material"],
)
def test_a_color_that_the_file_does_not_write_is_refused(changed, wrong, monkeypatch):
    path = str(Path(__file__).parents[2] / "fixtures/dae/valid/two_materials.dae")
    assert len({surface.material.rgba for surface in read_mesh(path).surfaces}) == 2
    monkeypatch.setattr(changed, *wrong)
    with pytest.raises(ProofFailed, match="the color differs"):
        read_mesh(path)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
@pytest.mark.parametrize("key", ["Kd", "Ke", "d", "Tr"])
def test_an_mtl_number_that_is_none_is_refused(tmp_path, key, number):
    """In whichever place: a color that is no number would be written into every format."""
    count = 3 if key in ("Kd", "Ke") else 1
    for place in range(count):
        values = ["0.5"] * count
        values[place] = number
        (tmp_path / "b.mtl").write_text(f"newmtl m\n{key} {' '.join(values)}\n")
        (tmp_path / "a.obj").write_text(
            "mtllib b.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
        )
        with pytest.raises(BrokenMesh, match=f"'{key}' is not followed by its numbers"):
            read_mesh(str(tmp_path / "a.obj"))
