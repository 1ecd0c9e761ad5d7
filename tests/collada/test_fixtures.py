"""Every rule of the COLLADA reader on a file of its own below fixtures/dae: in valid/ with what comes out beside it as
JSON, in refused/ with the error as text. To add one: the file and its expectation.

The JSON has `parts` in their order (material, rgba, and the corners of every triangle in winding order, starting at any
corner; or, where a polygon may be cut in several ways, area and count), `notes` (words that one note each must have)
and `options` of the reading. The error is `line: words`, or words alone where it belongs to no line.

What few COLLADA files need is in the package; the single file names it and refuses, and writes nothing.

Every real file against a second, naive reader: counts, area, volume and box, for each material.
"""

import json
import math
import os
import pickle
import struct
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT, SINGLE_FILE, extracted, load_by_path, rare_of, some_of
from dae_naive import measure


FOLDER = Path(__file__).resolve().parent.parent.parent / "fixtures" / "dae"
VALID, REFUSED = (sorted((FOLDER / name).glob("*.[dz]ae")) for name in ("valid", "refused"))

assert VALID and REFUSED


def float32(value):
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def turned(triangle):
    """The same triangle, same winding, beginning with its smallest corner."""
    corners = [tuple(float32(value) for value in corner) for corner in triangle]
    first = corners.index(min(corners))
    return tuple(corners[first:] + corners[:first])


def look(material, rgba):
    return material, rgba and tuple(round(value, 7) for value in rgba)


def is_flat(tool, path):
    """Return True if all corners are in the plane of the largest triangle, but for rounding."""
    triangles = [triangle[1:] for triangle in tool.stl_triangles(path)]
    (a, b, c) = max(triangles, key=lambda triangle: tool.double_area((None, *triangle)))
    u, v = ([y - x for x, y in zip(a, other)] for other in (b, c))
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    room = 1e-5 * sum(x * x for x in normal) ** 0.5 * max(abs(x) for x in (*u, *v))
    return all(
        abs(sum(n * (x - y) for n, x, y in zip(normal, corner, a))) <= room
        for triangle in triangles
        for corner in triangle
    )


def options_of(tool, chosen):
    scene = {
        key: chosen[key] for key in ("scale_factor", "missing_unit", "up_axis") if key in chosen
    }
    others = {key: chosen[key] for key in set(chosen) - set(scene)}
    return tool.DaeOptions(tool.SceneOptions(**scene), rare=rare_of(tool), **others)


def test_every_expectation_has_its_file():
    for files, ending in ((VALID, ".json"), (REFUSED, ".txt")):
        assert {path.with_suffix(ending) for path in files} == set(
            files[0].parent.glob(f"*{ending}")
        )


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_parts(tool, path, tmp_path):
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    conversion = tool.convert_dae(
        str(path), str(tmp_path), options_of(tool, expected.get("options", {}))
    )
    assert [look(part.material, part.rgba) for part in conversion.parts] == [
        look(wanted["material"], wanted["rgba"]) for wanted in expected["parts"]
    ]
    for part, wanted in zip(conversion.parts, expected["parts"]):
        triangles = list(tool.stl_triangles(part.file))
        if "area" in wanted:
            area = sum(tool.double_area(triangle) / 2 for triangle in triangles)
            assert (round(area, 4), len(triangles)) == (wanted["area"], wanted["count"])
            assert len({triangle[0] for triangle in triangles}) == 1  # normals
        else:
            assert Counter(turned(found[1:]) for found in triangles) == Counter(
                map(turned, wanted["triangles"])
            )
        assert part.triangles == len(triangles) == tool.stl_count(part.file)
        corners = [corner for triangle in triangles for corner in triangle[1:]]
        assert part.bounds == (tuple(map(min, zip(*corners))), tuple(map(max, zip(*corners))))
        assert "-0.0" not in {
            str(value) for triangle in triangles for corner in triangle for value in corner
        }
        assert os.path.getsize(part.file) == 84 + 50 * len(triangles)
    assert [part.planar for part in conversion.parts] == [
        is_flat(tool, part.file) for part in conversion.parts
    ]
    notes = [
        *map(str, conversion.notes),
        *(str(note) for part in conversion.parts for note in part.notes),
    ]
    flat = sum(part.planar for part in conversion.parts)
    assert sum("lies in one plane" in note for note in notes) == flat
    words = expected.get("notes", [])
    assert [word for word in words if not any(word in note for note in notes)] == [], notes
    assert len(notes) <= len(words) + flat, notes
    assert {str(file) for file in tmp_path.iterdir()} == {part.file for part in conversion.parts}


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refused(tool, path, tmp_path):
    error = path.with_suffix(".txt").read_text("utf-8").rstrip("\n")
    line, _, words = error.partition(": ") if error[0].isdigit() else ("0", "", error)
    with pytest.raises((tool.BrokenMesh, tool.MalformedXml)) as caught:
        tool.convert_dae(str(path), str(tmp_path), options_of(tool, {}))
    assert (caught.value.path, caught.value.line) == (str(path), int(line))
    assert caught.value.message.startswith(words)


DAE = ROOT / "fixtures" / "dae" / "valid"
PACKAGE = "which only the package urdf_tools reads: `pip install` a clone of its repository"


@pytest.fixture(scope="module")
def single():
    return load_by_path(SINGLE_FILE)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tristrips.dae", f"has <tristrips>, {PACKAGE}"),
        ("trifans.dae", f"has <trifans>, {PACKAGE}"),
    ],
)
def test_the_single_file_refuses_it_by_name(single, name, reason, tmp_path):
    with pytest.raises(single.BrokenMesh) as caught:
        converter = single.MeshConverter(single.MeshOptions())
        single.extract_conversion(str(DAE / name), str(tmp_path / "parts"), converter)
    assert (caught.value.path, caught.value.message) == (str(DAE / name), reason)
    assert (caught.value.line > 0) == name.endswith(".dae")
    assert not (tmp_path / "parts").exists()


def test_planar_parts_are_merged_by_the_package_only(single, tool, tmp_path):
    path = DAE / "two_materials.dae"
    with pytest.raises(single.UsageError) as caught:
        converter = single.MeshConverter(single.MeshOptions(planar="merge"))
        single.extract_conversion(str(path), str(tmp_path / "parts"), converter)
    assert str(caught.value) == (
        "planar merge is not in the single file but in the package urdf_tools: `pip install` a clone of its repository"
    )
    assert extracted(tool, path, tmp_path / "parts", planar="merge")


def test_what_the_package_brings_goes_to_other_processes(tool):
    assert pickle.loads(pickle.dumps(rare_of(tool))) == rare_of(tool)


HERE = Path(__file__).resolve().parent.parent
FILES = sorted((HERE.parent.parent / "shared" / "dae").glob("*.dae"))
OWN = [
    HERE.parent / "fixtures" / "dae" / "valid" / f"{name}.dae"
    for name in (
        "materials_bound_per_instance",
        "nested_nodes",
        "mirrored",
        "tristrips",
        "trifans",
        "polylist_mixed",
    )
]
# Polygons that a fan cuts wrongly: only count, volume and box can be compared with the naive reader.
CONCAVE = {"b2_calf_8950_ngons", "cts_polygons_simple"}
UNREAD = {"cts_different_materials_same_skeleton", "cts_node_transform_stack"}  # refused by name


def test_there_are_real_files(shared):
    assert len(FILES) == 18


@pytest.mark.parametrize(
    "path",
    some_of([path for path in FILES if path.stem not in UNREAD], 7) + OWN,
    ids=lambda path: path.stem,
)
def test_same_as_the_naive_reader(tool, path, tmp_path):
    per_material, whole = measure(str(path))
    options = tool.DaeOptions(merge_equal_colors=False, max_faces=0, rare=rare_of(tool))
    conversion = tool.convert_dae(str(path), str(tmp_path), options)
    groups = {}
    for part in conversion.parts:
        groups[part.material] = (
            part,
            sum(int(note.numbers[0]) for note in part.notes if note.sentence == "flat"),
        )
    names = material_labels(tool, path)
    for material, sums in per_material.items():
        part, flat = groups.pop(names.get(material, ""))
        assert part.triangles + flat == sums.count
        compare(tool, path, [part], sums)
    assert not groups
    compare(tool, path, conversion.parts, whole)


def compare(tool, path, parts, sums):
    area = volume = 0.0
    for part in parts:
        for triangle in tool.stl_triangles(part.file):
            normal, corner = triangle[0], triangle[1]
            double = tool.double_area(triangle)
            area += double / 2
            volume += double * sum(n * c for n, c in zip(normal, corner)) / 6
    low = [min(part.bounds[0][axis] for part in parts) for axis in range(3)]
    high = [max(part.bounds[1][axis] for part in parts) for axis in range(3)]
    size = max(max(map(abs, sums.low)), max(map(abs, sums.high)))
    assert low == pytest.approx(sums.low, abs=1e-6 * size)
    assert high == pytest.approx(sums.high, abs=1e-6 * size)
    if path.stem not in CONCAVE:
        assert math.isclose(area, sums.area, rel_tol=1e-5)
    # Concave polygons of real files are not quite flat, so that the volume depends a little on how they are cut.
    assert abs(volume - sums.flux) < (1e-3 if path.stem in CONCAVE else 1e-5) * sums.area * size


def material_labels(tool, path):
    """Return the label that parts have for each material id or unbound symbol."""
    document = tool.read_dae(str(path))
    names = {
        name: tool.dae_label(element)
        for name, element in document.ids.items()
        if element.tag == "material"
    }
    for element in tool.dae_descendants(document.root, "triangles", "polylist"):
        symbol = element.attributes.get("material", "")
        names.setdefault(symbol, symbol)
    return names
