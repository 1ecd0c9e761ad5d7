"""Random parts survive every writer and every reader; a random file that is damaged gives an answer or one sentence."""

import random
import struct
import tempfile
from array import array
from pathlib import Path

import pytest
from gltf_checker import gltf_faults
from conftest import examples, some_of
from hypothesis import given, strategies as st
from mesh_files import ascii_stl, binary_stl, png, TETRAHEDRON, tetrahedron_glb
from mesh_runs import convert_named, textured_dae

from urdf_tools.base.errors import BrokenMesh, MalformedXml
from urdf_tools.collada.conversion_records import DaeOptions
from urdf_tools.meshes import convert_mesh as convert, stl_files
from urdf_tools.meshes.prepare_surfaces import FORMATS, MeshTarget, shifted
from urdf_tools.meshes.convert_mesh import convert_mesh
from urdf_tools.meshes.mesh_content import (
    flat_triangles,
    gathered_records,
    MeshImage,
    MeshMaterial,
    MeshContent,
    MaterialSurface,
    tidy,
    triangles_of,
    without_triangles,
)
from urdf_tools.meshes.mesh_readers import read_mesh

NUMBERS = st.floats(-1000.0, 1000.0, width=32)
SHARES = st.integers(0, 1000).map(lambda n: n / 1000)
COLORS = st.tuples(SHARES, SHARES, SHARES, st.integers(100, 1000).map(lambda n: n / 1000))
NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), max_size=8)


@st.composite
def surfaces(draw):
    """A surface with, perhaps, normals and texture coordinates, each with its own numbers or those of the points."""
    points = draw(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=3, max_size=8))
    count = 3 * draw(st.integers(1, 6))

    def corners(records):
        return array(
            "I", draw(st.lists(st.integers(0, records - 1), min_size=count, max_size=count))
        )

    own = corners(len(points))
    normals = draw(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=6))
    uv = draw(st.lists(st.tuples(SHARES, SHARES), max_size=6))
    image = MeshImage("p.png", png(draw(st.integers(0, 3)))) if uv else None
    rgba = draw(st.none() | COLORS)
    if image:
        rgba = (1.0, 1.0, 1.0, 1.0)
    flat = [value for record in normals for value in record]
    return MaterialSurface(
        MeshMaterial(draw(NAMES), rgba, image),
        array("f", [v + 0.0 for point in points for v in point]),
        own,
        array("f", flat),
        corners(len(normals)) if normals else array("I"),
        array("f", [value for record in uv for value in record]),
        corners(len(uv)) if uv else array("I"),
    )


def written(mesh, target, folder):
    """Write a mesh that no reader has read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convert, "read_mesh", lambda *_, **__: mesh)
        return convert_named(folder / "x.obj", folder / "out", target)


@examples(fuzzed=60)
@given(
    st.lists(surfaces(), min_size=1, max_size=3), st.sampled_from(FORMATS), st.sampled_from("yz")
)
def test_random_parts_survive_every_writer_and_reader(parts, kind, up):
    mesh = MeshContent(tuple(map(tidy, parts)))
    kept = [
        surface
        for surface in (without_triangles(one, flat_triangles(one)) for one in mesh.surfaces)
        if surface.corners
    ]
    options = DaeOptions(merge_equal_colors=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [
            path
            for path in written(mesh, MeshTarget(kind, up, dae=options), folder)
            if path.suffix == f".{kind}"
        ]
        found = [surface for path in files for surface in read_mesh(str(path)).surfaces]
        assert [path for path in files if kind in ("gltf", "glb") and gltf_faults(path)] == []
    assert len(found) == len(kept)
    for one, other in zip(kept, found):
        assert list(triangles_of(one)) == list(triangles_of(other))
        if kind == "stl":
            continue
        assert other.material.image is None or other.material.image.data == one.material.image.data
        assert (one.material.image is None) == (other.material.image is None)
        rgba = one.material.rgba or (0.6, 0.6, 0.6, 1.0)
        assert other.material.rgba == pytest.approx(rgba, abs=2e-6)
        if one.normals:
            for k, j in zip(one.normal_corners, other.normal_corners):
                assert list(one.normals[3 * k : 3 * k + 3]) == pytest.approx(
                    list(other.normals[3 * j : 3 * j + 3]), abs=1e-3
                )
        assert bool(one.uv) == bool(other.uv)
        if one.uv:
            for k, j in zip(one.uv_corners, other.uv_corners):
                assert list(one.uv[2 * k : 2 * k + 2]) == pytest.approx(
                    list(other.uv[2 * j : 2 * j + 2]), abs=1e-6
                )


@given(st.lists(st.integers(0, 60_000_000), max_size=6), st.integers(0, 60_000_000))
def test_numbers_are_shifted_at_once_as_one_by_one(numbers, base):
    larger = shifted(array("I", numbers), base)
    assert list(larger) == [number + base for number in numbers]
    assert list(shifted(larger, -base)) == numbers


def ascii_text(triangles, gap):
    """ASCII STL with white space of any kind between its words."""
    words = [
        [
            "facet",
            "normal",
            "0",
            "0",
            "nan",
            "outer",
            "loop",
            *(word for point in triangle for word in ("vertex", *map(repr, point))),
            "endloop",
            "endfacet",
        ]
        for triangle in triangles
    ]
    lines = [
        line
        for facet in words
        for line in (
            facet[:5],
            facet[5:7],
            facet[7:11],
            facet[11:15],
            facet[15:19],
            facet[19:20],
            facet[20:],
        )
    ]
    return f"solid facet of loop\n{''.join(gap.join(line) + chr(10) for line in lines)}endsolid\n".encode()


@given(
    st.lists(st.tuples(*[st.tuples(NUMBERS, NUMBERS, NUMBERS)] * 3), min_size=1, max_size=9),
    st.sampled_from([" ", "\t", "  \v"]),
)
def test_ascii_stl_is_read_whatever_the_white_space(triangles, gap):
    expected = array(
        "f", [value for triangle in triangles for point in triangle for value in point]
    )
    assert (
        stl_files._ascii_corners("a.stl", ascii_text(triangles, gap)).tobytes()
        == expected.tobytes()
    )


@examples(fuzzed=100)
@given(st.lists(surfaces(), min_size=1, max_size=3), st.sampled_from(["obj", "glb"]))
def test_the_shape_alone_has_the_same_triangles(parts, kind):
    options = DaeOptions(merge_equal_colors=False)
    with tempfile.TemporaryDirectory() as name:
        mesh = MeshContent(tuple(map(tidy, parts)))
        for path in written(mesh, MeshTarget(kind, dae=options), Path(name)):
            if path.suffix == f".{kind}":
                whole, shape = (
                    read_mesh(str(path)).surfaces,
                    read_mesh(str(path), shape_only=True).surfaces,
                )
                assert [list(triangles_of(one)) for one in shape] == [
                    list(triangles_of(one)) for one in whole
                ]
                assert not any(one.normals or one.uv for one in shape)


def test_a_file_read_without_its_normals_has_all_else(tmp_path):
    (tmp_path / "wood.png").write_bytes(png())
    (tmp_path / "a.dae").write_text(textured_dae())
    whole, rest = (
        read_mesh(str(tmp_path / "a.dae"), DaeOptions(normals=normals)).surfaces
        for normals in (True, False)
    )
    assert all(surface.normals for surface in whole)
    none = {"normals": array("f"), "normal_corners": array("I")}
    assert rest == tuple(surface._replace(**none) for surface in whole)


def obj_corner(spelling, v, vt, vn):
    return (f"{v}", f"{v}/{vt}", f"{v}//{vn}", f"{v}/{vt}/{vn}")[spelling]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=3, max_size=3)
        ),
        min_size=1,
        max_size=8,
    )
)
def test_obj_faces_in_runs_are_what_they_are_line_by_line(faces):
    head = (
        "".join(f"v {k} {k * k} 1\nvt 0.{k} 1\nvn {k % 2} {1 - k % 2} 0\n" for k in range(1, 5))
        + "usemtl a\n"
    )
    lines = [
        f"f {' '.join(obj_corner(spelling, *corner) for corner in corners)}\n"
        for spelling, corners in faces
    ]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "a.obj")
        Path(name, "a.mtl").write_text("newmtl a\nmap_Kd a.png\n")
        Path(name, "a.png").write_bytes(png())
        found = []
        for between in ("", "# alone\n"):
            path.write_text("mtllib a.mtl\n" + head + between.join(lines))
            (surface,) = read_mesh(str(path)).surfaces
            normals = gathered_records(surface.normals, 3, surface.normal_corners)
            uv = gathered_records(surface.uv, 2, surface.uv_corners)
            found.append((list(triangles_of(surface)), normals, uv))
    assert found[0] == found[1]


OBJ = (
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvn 0 0 1\nusemtl red\nf 1/1/1 3/2/1 2/1/1\n"
    "f 1 2 4\nusemtl wood\nf 1//1 4//1 3//1\nf -3 -2 -1\nf 1 2 3 4\n"
)
SAMPLES = {
    "a.stl": binary_stl(TETRAHEDRON),
    "b.stl": ascii_stl(TETRAHEDRON).encode(),
    "c.obj": OBJ.encode(),
    "d.glb": tetrahedron_glb().glb(),
    "f.dae": textured_dae().encode(),
}
MTL = b"newmtl red\nKd 1 0 0\nnewmtl wood\nmap_Kd wood.png\nd 0.5\n"
NASTY = [
    b"nan",
    b"-1",
    b"99999999999999999999",
    b"1e400",
    b"",
    b"0",
    b"-0.0",
    b"\xff",
    b"/",
    b"\n",
    b"\\\n",
    b"\0",
    b"1" * 500,
    b"[" * 50,
    b"null",
    b"{}",
    struct.pack("<f", float("inf")),
    struct.pack("<I", 0xFFFFFFFF),
]


def damaged(data, chance):
    for _ in range(chance.randint(1, 4)):
        place, kind = chance.randrange(len(data) + 1), chance.randrange(5)
        if kind == 0:
            data = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
        elif kind == 1:
            data = data[:place] + data[place + chance.randint(1, 40) :]
        elif kind == 2:
            data = data[:place] + data[place : place + chance.randint(1, 100)] + data[place:]
        elif kind == 3:
            nasty = chance.choice(NASTY)
            data = (
                data[:place] + nasty + data[place + (len(nasty) if chance.random() < 0.5 else 0) :]
            )
        elif chance.random() < 0.3:
            data = data[:place]
    return data


@examples(fuzzed=100)
@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(FORMATS), st.integers(0, 2**32))
def test_damaged_files_give_an_answer_or_one_sentence(name, kind, seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, name), Path(folder, "out")
        output.mkdir()
        path.write_bytes(damaged(SAMPLES[name], chance))
        Path(folder, "a.mtl").write_bytes(damaged(MTL, chance))
        Path(folder, "wood.png").write_bytes(png())
        try:
            mesh = convert_mesh(
                str(path), str(output), MeshTarget(kind, chance.choice("yz"), chance.random() < 0.8)
            )
        except (BrokenMesh, MalformedXml) as problem:
            assert problem.path in (str(path), str(Path(folder, "a.mtl")))
            assert "\n" not in str(problem) and problem.message
        else:
            for part in mesh.parts:
                assert part.triangles > 0 and Path(part.file).is_file()
                if part.file.endswith(".glb"):
                    assert gltf_faults(Path(part.file)) == []


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_truncation_of_binary_files_is_refused(name, tmp_path):
    """Text that ends with a whole line may be whole; all else must not pass for the whole file."""
    data = SAMPLES[name]
    path = tmp_path / name
    whole = 0
    for size in some_of(range(len(data)), 400):
        path.write_bytes(data[:size])
        try:
            read_mesh(str(path))
        except (BrokenMesh, MalformedXml) as problem:
            assert "\n" not in str(problem)
            continue
        whole += 1
        assert name == "c.obj" or data[size:].strip() == b"" or b"endsolid" in data[:size]
    assert whole == 0 or name in ("b.stl", "c.obj", "f.dae")
