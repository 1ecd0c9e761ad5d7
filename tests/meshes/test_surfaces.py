"""What any mesh file draws, as triangles with colors; which files belong to it; and pointers in place of files."""

import hashlib
import re

import pytest
from dae_writer import (
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
from mesh_files import A, ascii_stl, B, binary_stl, C, D, ply, png, TETRAHEDRON, tetrahedron_glb
from mesh_runs import textured_dae

from urdf_tools.base.errors import BrokenMesh, UsageError
from urdf_tools.meshes.mesh_readers import (
    lfs_digest,
    named_files,
    NamedFiles,
    read_indexed,
    read_surfaces,
    READERS,
)

RED = (1.0, 0.0, 0.0, 1.0)
POINTS = [A, B, C, D]
NUMBERS = [POINTS.index(corner) for triangle in TETRAHEDRON for corner in triangle]
DIGEST = hashlib.sha256(b"the mesh").hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize 8\n"


def obj(folder):
    (folder / "a.mtl").write_text("newmtl red\nKd 1 0 0\n")
    lines = [
        *("v {} {} {}".format(*point) for point in POINTS),
        "usemtl red",
        *(
            f"f {a + 1} {b + 1} {c + 1}"
            for a, b, c in zip(NUMBERS[0::3], NUMBERS[1::3], NUMBERS[2::3])
        ),
    ]
    (folder / "a.obj").write_text("mtllib a.mtl\n" + "\n".join(lines) + "\n")
    return folder / "a.obj"


def dae_text():
    triangles = primitive("triangles", "g", paragraph(NUMBERS), len(TETRAHEDRON), "red")
    return document(
        simple_geometry(
            "g", [tuple(1000.0 * value for value in point) for point in POINTS], triangles
        ),
        node(instance("g", {"red": "red"})),
        effect("red-effect", diffuse(RED)),
        material("red"),
        unit='<unit meter="0.001"/>',
    )


def written(name, data):
    def write(folder):
        (folder / name).write_bytes(data)
        return folder / name

    return write


def red_gltf(folder, *, as_glb):
    builder = tetrahedron_glb()
    builder.json["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": list(RED)}}]
    builder.primitive["material"] = 0
    return written("a.glb", builder.glb())(folder) if as_glb else builder.gltf(folder, "a", "a.bin")


FILES = {
    "binary STL": (written("a.stl", binary_stl(TETRAHEDRON)), None),
    "binary STL that begins like text": (written("a.stl", binary_stl(TETRAHEDRON, b"solid")), None),
    "text STL": (written("a.STL", ascii_stl(TETRAHEDRON).encode()), None),
    "text STL in upper case": (written("a.stl", ascii_stl(TETRAHEDRON).upper().encode()), None),
    "OBJ": (obj, RED),
    "text PLY": (written("a.ply", ply(TETRAHEDRON)), None),
    "binary PLY": (written("a.ply", ply(TETRAHEDRON, "<")), None),
    "binary PLY of large first bytes": (written("a.PLY", ply(TETRAHEDRON, ">")), None),
    "COLLADA": (written("a.dae", dae_text().encode()), RED),
    "GLB": (lambda folder: red_gltf(folder, as_glb=True), RED),
    "glTF": (lambda folder: red_gltf(folder, as_glb=False), RED),
}


@pytest.mark.parametrize("name", FILES)
def test_all_formats_say_the_same_triangles(name, tmp_path):
    """In meters, in their order, with the color that the file has."""
    write, color = FILES[name]
    path = str(write(tmp_path))
    surfaces = read_surfaces(path)
    assert [(surface.color, surface.texture, list(surface.triangles)) for surface in surfaces] == [
        (color, "", TETRAHEDRON)
    ]
    points, triangles = read_indexed(path)
    assert len(points) == 4
    assert [tuple(points[number] for number in triangle) for triangle in triangles] == TETRAHEDRON
    assert read_surfaces(path, 4) == surfaces
    with pytest.raises(BrokenMesh, match="draws 4 triangles, more than 3"):
        read_surfaces(path, 3)


def test_each_format_that_is_read_has_a_row(tmp_path):
    assert {write(tmp_path).suffix.lower() for write, _ in FILES.values()} == {*READERS} - {
        ".stlb",
        ".zae",
    }


def test_materials_are_apart_and_images_have_digests(tmp_path):
    (tmp_path / "wood.png").write_bytes(png())
    (tmp_path / "a.dae").write_text(textured_dae())
    red, wood = read_surfaces(str(tmp_path / "a.dae"))
    assert (red.color, red.texture, len(red.triangles)) == ((1.0, 0.5, 0.0, 0.5), "", 1)
    assert (wood.texture, len(wood.triangles)) == (hashlib.sha256(png()).hexdigest(), 1)


@pytest.mark.parametrize("ending", sorted(READERS))
def test_a_pointer_of_git_lfs_is_named_in_every_format(ending, tmp_path):
    path = tmp_path / f"arm{ending}"
    path.write_text(POINTER)
    with pytest.raises(
        BrokenMesh, match=rf"^{re.escape(str(path))}: is a Git LFS pointer: git lfs pull$"
    ):
        read_surfaces(str(path))
    assert lfs_digest(str(path)) == DIGEST


@pytest.mark.parametrize(
    "text",
    (
        POINTER.replace("oid sha256:", "oid sha256:z"),
        "# " + POINTER,
        POINTER + " " * 1024,
        "solid a\nendsolid a\n",
        "",
    ),
)
def test_what_is_no_pointer_has_no_digest(text, tmp_path):
    (tmp_path / "a.stl").write_text(text)
    assert lfs_digest(str(tmp_path / "a.stl")) is None


def test_a_pointer_with_extensions_has_its_digest(tmp_path):
    """The digest that counts is that of the file itself: `ext-0-foo sha256:` is another."""
    (tmp_path / "a.stl").write_text(POINTER.replace("\noid", f"\next-0-foo sha256:{'0' * 64}\noid"))
    assert lfs_digest(str(tmp_path / "a.stl")) == DIGEST


def test_named_files_are_of_shape_or_of_colors(tmp_path):
    (tmp_path / "wood.png").write_bytes(png())
    (tmp_path / "a.dae").write_text(textured_dae())
    assert named_files(str(tmp_path / "a.dae")) == NamedFiles((), (str(tmp_path / "wood.png"),))
    assert named_files(str(obj(tmp_path))) == NamedFiles((), (str(tmp_path / "a.mtl"),))
    assert named_files(str(red_gltf(tmp_path, as_glb=False))) == NamedFiles(
        (str(tmp_path / "a.bin"),), ()
    )
    assert named_files(str(written("a.stl", binary_stl(TETRAHEDRON))(tmp_path))) == NamedFiles(
        (), ()
    )
    with pytest.raises(UsageError, match="cannot be read"):
        named_files(str(tmp_path / "gone.obj"))
