"""Shapes of two robots, whatever their files: formats, what cannot be read, colors, parts, and what a verdict says."""

import hashlib
import json
import struct
from typing import Dict, NamedTuple

import pytest
from commands import in_process
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
from mesh_files import ascii_stl, binary_stl, GltfBuilder, png
from surfaces import as_float32, ball, box, bracket, by, inverted, moved, split

from urdf_tools.compare import mesh_comparison
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare_api import compare as compare_robots
from urdf_tools.compare.mesh_comparison import MeshComparison
from urdf_tools.compare.placed_shapes import OTHER, PlacedShape, SAME, UNKNOWN
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.compare.comparison_text import as_json, quiet_lines, report, verdict_line
from urdf_tools.meshes.mesh_readers import NamedFiles
from urdf_tools.robot.raw_robot import RawShape
from urdf_tools.urdf.spatial_math import Transform
from urdf_tools.verify.rigid_motion import rpy_rotation

L = as_float32(bracket())
MIRRORED = inverted(moved(L, lambda p: (1.0 - p[0], p[1], p[2])))
RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
HEAD = "version https://git-lfs.github.com/spec/v1\n"
Files = Dict[str, bytes]


def dae(surface, color=RED, rest=()):
    """Return a COLLADA file; with a second color, of its second half."""
    points = [corner for triangle in surface for corner in triangle]
    half = 3 * (len(surface) // 2) if rest else len(points)
    parts = [("one", 0, half, color), ("two", half, len(points), rest)][: 2 if rest else 1]
    return document(
        simple_geometry(
            "g",
            points,
            "".join(
                primitive(
                    "triangles", "g-p", paragraph(list(range(start, end))), (end - start) // 3, name
                )
                for name, start, end, _ in parts
            ),
        ),
        node(instance("g", {name: name for name, *_ in parts})),
        "".join(effect(f"{name}-effect", diffuse(rgba)) for name, _, _, rgba in parts),
        "".join(material(name) for name, *_ in parts),
    ).encode()


def gltf(surface):
    builder = GltfBuilder()
    points = [corner for triangle in surface for corner in triangle]
    builder.primitive["attributes"]["POSITION"] = builder.accessor(
        "f",
        "VEC3",
        points,
        min=[min(axis) for axis in zip(*points)],
        max=[max(axis) for axis in zip(*points)],
    )
    return builder


def with_bin(surface):
    builder = gltf(surface)
    builder.json["buffers"][0].update(byteLength=len(builder.buffer), uri="part.bin")
    return {"part.gltf": json.dumps(builder.json).encode(), "part.bin": builder.buffer}


def obj(surface, head=""):
    lines = [f"v {x!r} {y!r} {z!r}" for triangle in surface for x, y, z in triangle]
    return "\n".join(
        [head, *lines, *(f"f {k + 1} {k + 2} {k + 3}" for k in range(0, len(lines), 3))]
    ).encode()


def pointer(data):
    return f"{HEAD}oid sha256:{hashlib.sha256(data).hexdigest()}\nsize {len(data)}\n".encode()


def visual(name, more="", color=()):
    look = (
        f'<material name="m"><color rgba="{" ".join(map(str, color))}"/></material>'
        if color
        else ""
    )
    return f'<visual><geometry><mesh filename="{name}"{more}/></geometry>{look}</visual>'


class Side(NamedTuple):
    """What a robot draws, and the files beside it."""

    shapes: str
    files: Files


def of(name, data, more=""):
    return Side(visual(name, more), {name: data})


STL, SHORT = binary_stl(L), 'scale="1 1 1"'
SHOUTED = [
    ascii_stl(one).upper().replace("E-", "e-").encode()
    for one in (L, moved(L, lambda p: (p[0], p[1], 3 * p[2])))
]
PARTS = {"a.obj": obj(L[: len(L) // 2]), "b.obj": obj(L[len(L) // 2 :])}


def parts(first=(), second=()):
    return Side(visual("a.obj", color=first) + visual("b.obj", color=second), PARTS)


def painted_obj(color):
    return Side(
        visual("part.obj"),
        {
            "part.obj": obj(L, "mtllib part.mtl\nusemtl m"),
            "part.mtl": f"newmtl m\nKd {color}\n".encode(),
        },
    )


def textured(image):
    return (
        '<visual><geometry><box size="1 2 3"/></geometry><material name="m"><color rgba="1 0 0 1"/>'
        + (f'<texture filename="{image}"/>' if image else "")
        + "</material></visual>"
    )


ROWS = [  # name, A, B, the kinds that are shown, and words of the report
    ("the same bytes", of("part.stl", STL), of("part.stl", STL), "", "exactly"),
    ("another order", of("part.stl", STL), of("part.stl", binary_stl(L[::-1])), "", "exactly"),
    ("STL against OBJ", of("part.stl", STL), of("part.obj", obj(L)), "", "exactly"),
    (
        "STL against COLLADA",
        of("part.stl", STL),
        of("part.dae", dae(L)),
        "color_one_side",
        "only in B",
    ),
    ("STL against GLB", of("part.stl", STL), of("part.glb", gltf(L).glb()), "", "exactly"),
    (
        "mirrored in its box",
        of("part.stl", STL),
        of("part.stl", binary_stl(MIRRORED)),
        "mesh",
        "at least 799 mm at (",
    ),
    (
        "another COLLADA",
        of("part.dae", dae(L)),
        of("part.dae", dae(MIRRORED)),
        "mesh",
        "another surface",
    ),
    (
        "another GLB",
        of("part.glb", gltf(L).glb()),
        of("part.glb", gltf(MIRRORED).glb()),
        "mesh",
        "another surface",
    ),
    (
        "glTF with another .bin",
        Side(visual("part.gltf"), with_bin(L)),
        Side(visual("part.gltf"), {**with_bin(L), "part.bin": with_bin(MIRRORED)["part.bin"]}),
        "mesh",
        "another surface",
    ),
    ("glTF with the same .bin", *[Side(visual("part.gltf"), with_bin(L))] * 2, "", "exactly"),
    (
        "SOLID, VERTEX",
        of("part.stl", SHOUTED[0]),
        of("part.stl", SHOUTED[1]),
        "mesh",
        "another surface",
    ),
    ("SOLID, VERTEX, the same", of("part.stl", SHOUTED[0]), of("part.stl", STL), "", "exactly"),
    ("a pointer of the file", of("part.stl", STL), of("part.stl", pointer(STL)), "", "exactly"),
    ("two pointers", *[of("part.stl", pointer(STL))] * 2, "", "exactly"),
    (
        "a pointer of another file",
        of("part.stl", STL),
        of("part.stl", pointer(b"other")),
        "mesh_unproven",
        "is a Git LFS pointer (git lfs pull)",
    ),
    (
        "missing on one side",
        of("part.dae", dae(L)),
        Side(visual("part.dae"), {}),
        "mesh_unproven",
        "part.dae is not there in B",
    ),
    (
        "missing on both sides",
        *[Side(visual("part.dae"), {})] * 2,
        # The robots are in two folders: the files may be two.
        "mesh_missing",
        "is missing, so its shape was not compared: --package NAME=DIR says where, ",
    ),
    (
        "not a format that is read",
        of("part.fbx", b"fbx\n"),
        of("part.fbx", b"fbx 2\n"),
        "mesh_unproven",
        "not a mesh format",
    ),
    ("the same bytes in a format that is not read", *[of("part.fbx", b"fbx\n")] * 2, "", "exactly"),
    (
        "not finite",
        of("part.stl", STL),
        of("part.stl", STL[:96] + struct.pack("<f", float("nan")) + STL[100:]),
        "mesh_unproven",
        "not finite",
    ),
    (
        "nothing drawn",
        of("part.stl", STL),
        of("part.stl", binary_stl([])),
        "mesh_unproven",
        "draws nothing",
    ),
    (
        "no mesh at all",
        of("part.stl", STL),
        of("part.stl", b"hello"),
        "mesh_unproven",
        "is not STL",
    ),
    (
        "a mirrored scale",
        of("part.stl", STL),
        of(
            "part.stl",
            binary_stl(inverted(moved(L, lambda p: (-p[0], p[1], p[2])))),
            ' scale="-1 1 1"',
        ),
        "",
        "exactly",
    ),
    (
        "millimetres",
        of("part.stl", STL),
        of(
            "part.stl",
            binary_stl(moved(L, lambda p: (1024 * p[0], 1024 * p[1], 1024 * p[2]))),
            f' scale="{" ".join(["0.0009765625"] * 3)}"',
        ),
        "",
        "exactly",
    ),
    (
        "one .dae against its parts",
        of("whole.dae", dae(L, RED, BLUE)),
        parts(RED, BLUE),
        "mesh_parts",
        "(1 / 2 me",
    ),
    (
        "two colors exchanged",
        of("whole.dae", dae(L, RED, BLUE)),
        parts(BLUE, RED),
        "mesh_parts color",
        "another color",
    ),
    (
        "parts without colors",
        of("whole.dae", dae(L, RED, BLUE)),
        parts(),
        "mesh_parts color_one_side",
        "only in A",
    ),
    (
        "a color inside of COLLADA",
        of("part.dae", dae(L, RED)),
        of("part.dae", dae(L, BLUE)),
        "color",
        "another color",
    ),
    (
        "an .obj with another .mtl",
        painted_obj("1 0 0"),
        painted_obj("0 0 1"),
        "color",
        "another color",
    ),
    ("an .obj with the same .mtl", painted_obj("1 0 0"), painted_obj("1 0 0"), "", "exactly"),
    (
        "colors that are nearly the same",
        of("part.dae", dae(L, (0.5, 0.25, 0.125, 1.0))),
        of("part.dae", dae(L, (0.501, 0.249, 0.125, 1.0))),
        "",
        "exactly",
    ),
    (
        "a box as a mesh",
        Side(
            '<visual><origin xyz="0.5 0.25 1"/><geometry><box size="1 0.5 2"/></geometry></visual>',
            {},
        ),
        of("part.stl", binary_stl(split(box((0.0, 0.0, 0.0), (1.0, 0.5, 2.0))))),
        "",
        "exactly",
    ),
    (
        "another image",
        Side(textured("a.png"), {"a.png": png()}),
        Side(textured("b.png"), {"b.png": png(0, 255)}),
        "shape_text",
        "a.png / b.png",
    ),
    (
        "an image of another name",
        Side(textured("a.png"), {"a.png": png()}),
        Side(textured("b.png"), {"b.png": png()}),
        "",
        "exactly",
    ),
    (
        "an image of the same name",
        Side(textured("a.png"), {"a.png": png()}),
        Side(textured("a.png"), {"a.png": png(0, 255)}),
        "shape_text",
        "texture",
    ),
    (
        "an image that only one file names",
        Side(textured(""), {}),
        Side(textured("a.png"), {"a.png": png()}),
        "color_one_side",
        "has a color or image only in B",
    ),
]


def compared(a, b, folder):
    paths = []
    for name, side in (("a", a), ("b", b)):
        (folder / name).mkdir()
        for file, data in side.files.items():
            (folder / name / file).write_bytes(data)
        paths.append(folder / name / "robot.urdf")
        paths[-1].write_text(f'<robot name="r"><link name="base">{side.shapes}</link></robot>')
    return compare(*map(read_robot_of, paths))


@pytest.mark.parametrize("name, a, b, kinds, words", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_has_its_verdict(name, a, b, kinds, words, tmp_path):
    comparison = compared(a, b, tmp_path)
    shown_kinds = [
        one.kind for one in (*comparison.differences, *comparison.noted, *comparison.unproven)
    ]
    assert sorted(shown_kinds) == sorted(kinds.split())
    shown = report(comparison, full=True, columns=10**4)
    assert words in shown, shown
    assert ("exactly" in verdict_line(comparison)) == (
        not comparison.differences and not comparison.unproven
    )


def test_what_is_too_large_is_unknown_unless_the_bytes_are_equal(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_comparison, "MOST_TRIANGLES", 20)
    (tmp_path / "1").mkdir()
    assert compared(of("part.stl", STL), of("part.stl", STL), tmp_path / "1").verdict == "same"
    comparison = compared(of("part.stl", STL), of("part.stl", binary_stl(L[::-1])), tmp_path)
    assert [one.kind for one in comparison.unproven] == ["mesh_unproven"] and "draws 24" in report(
        comparison
    )


def test_each_file_is_read_once_though_a_comparison_looks_twice(tmp_path, monkeypatch):
    """Once for what differs, and once for what is rounded; colors of files are looked at both times."""
    surfaces = {"one.stl": L, "two.stl": ball(3, 6)}
    shapes = "".join(map(visual, surfaces))
    a, b = (
        Side(shapes, {name: binary_stl(each[::turn]) for name, each in surfaces.items()})
        for turn in (1, -1)
    )
    read, paths = mesh_comparison.read_surfaces, []
    monkeypatch.setattr(
        mesh_comparison,
        "read_surfaces",
        lambda path, most, up: (paths.append(path), read(path, most, up))[1],
    )
    assert compared(a, b, tmp_path).verdict == "same"
    assert len(paths) == len(set(paths)) == 4


def test_a_robot_has_a_number_of_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_comparison, "MOST_STEPS", 30)
    whole, cut = (binary_stl(one) for one in (ball(6, 12), split(ball(6, 12))))
    comparison = compared(of("part.stl", whole), of("part.stl", cut), tmp_path)
    assert "too many steps" in report(comparison) and comparison.verdict == "unproven"


def test_other_parts_that_take_too_many_steps_are_not_called_others(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_comparison, "MOST_STEPS", 30)
    cut = split(ball(6, 12))
    halves = {name: binary_stl(half) for name, half in (("a.stl", cut[::2]), ("b.stl", cut[1::2]))}
    comparison = compared(
        of("part.stl", binary_stl(ball(6, 12))),
        Side("".join(map(visual, halves)), halves),
        tmp_path,
    )
    assert [unproven.kind for unproven in comparison.unproven] == [
        "mesh_unproven"
    ] and not comparison.differences
    assert "too many steps" in report(comparison) and comparison.verdict == "unproven"


def test_what_could_not_be_compared_is_said_wherever_a_verdict_is(tmp_path):
    """The line, quiet lines, JSON, and the exit status: nothing that was not compared in full ends with 0."""
    comparison = compared(of("part.stl", STL), Side(visual("part.stl"), {}), tmp_path)
    assert verdict_line(comparison) == "Same robot, but for 1 mesh that could not be compared"
    assert (comparison.verdict, comparison.exit_code, comparison.is_same) == ("unproven", 1, False)
    assert [one["kind"] for one in as_json(comparison)["unproven"]] == ["mesh_unproven"]
    assert as_json(comparison)["differences"] == [] and len(quiet_lines(comparison)) == 1
    a, b = (str(tmp_path / name / "robot.urdf") for name in "ab")
    assert not compare_robots(a, b) and compare_robots(a, a)
    assert [in_process(["compare", a, other]).returncode for other in (b, a)] == [1, 0]


def placed(path, xyz, rpy=(0.0, 0.0, 0.0)):
    return PlacedShape(
        RawShape("visual", "mesh", (1.0, 1.0, 1.0), file=path.name, path=str(path)),
        "base",
        Transform(rpy_rotation(*rpy), xyz),
    )


def test_a_pose_that_is_near_is_in_the_bound(tmp_path):
    part = tmp_path / "part.stl"
    part.write_bytes(STL)
    for off, kind in ((0.0, SAME), (5e-13, SAME), (5e-10, SAME), (5e-5, SAME), (2e-4, OTHER)):
        verdict = MeshComparison(1e-4, 0.003).compare(
            [placed(part, (0.1, 0.2, 0.3), (1, 2, 3))],
            [placed(part, (0.1 + off, 0.2, 0.3), (1, 2, 3))],
        )
        assert verdict.kind == kind, off
        assert (
            kind == OTHER or off < 1e-12 or off * (1 - 1e-6) <= verdict.bound <= 2.0 * off + 1e-12
        )


def test_a_wheel_that_is_turned_by_a_tooth_is_the_same(tmp_path):
    """Where no pose is alike the triangles are compared, and they are read once."""
    wheel, pi = tmp_path / "wheel.stl", 3.141592653589793
    wheel.write_bytes(binary_stl(moved(box((-1.0, -1.0, 0.0), (1.0, 1.0, 0.5)), by(0, 0, 0))))
    meshes = MeshComparison(1e-4, 0.003)
    assert (
        meshes.compare([placed(wheel, (0, 0, 0))], [placed(wheel, (0, 0, 0), (0, 0, pi / 2))]).kind
        == SAME
    )
    assert (
        meshes.compare([placed(wheel, (0, 0, 0))], [placed(wheel, (0, 0, 0), (0, 0, pi / 4))]).kind
        == OTHER
    )
    assert (
        meshes.compare([placed(wheel, (0, 0, 0))], [placed(tmp_path / "gone.stl", (0, 0, 0))]).kind
        == UNKNOWN
    )


MUTANTS = [  # of `mesh_comparison`, and a row that shows it
    ("named_files", lambda path: NamedFiles((), ()), "glTF with another .bin"),
    ("lfs_digest", lambda path: None, "a pointer of the file"),
    ("is_mirrored", lambda shape: False, "a mirrored scale"),
    ("scaled_columns", lambda R, sizes: R, "millimetres"),
    ("same_surface", lambda *_: mesh_comparison.SameSurface(0.0), "two colors exchanged"),
    ("BOX_FACES", (), "a box as a mesh"),
]


@pytest.mark.parametrize("name, broken, row", MUTANTS, ids=[mutant[2] for mutant in MUTANTS])
def test_a_mutant_is_seen(
    name,
    broken,
    row,
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr(mesh_comparison, name, broken)
    with pytest.raises(AssertionError):
        test_a_row_has_its_verdict(*next(one for one in ROWS if one[0] == row), tmp_path)


@pytest.mark.parametrize("form", ("stl", "dae", "glb"))
def test_reported_pairs_of_meshes(form, shared):
    folder = shared / "hunt3"
    comparison = compare(
        *(read_robot_of(folder / side / f"{form}.urdf") for side in ("mesh_a", "mesh_b"))
    )
    assert {one.kind for one in comparison.differences} == {"mesh"}


@pytest.mark.parametrize(
    "a, b, kind", (("col_a", "col_b", "color_one_side"), ("tex_a", "tex_b", "shape_text"))
)
def test_reported_pairs_of_colors(a, b, kind, shared):
    comparison = compare(*(read_robot_of(shared / "hunt3" / f"{name}.urdf") for name in (a, b)))
    assert [
        one.kind for one in (*comparison.differences, *comparison.noted, *comparison.unproven)
    ] == [kind]
