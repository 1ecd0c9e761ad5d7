"""Every rule of the COLLADA reader on a file of its own below fixtures/dae: in valid/ with what comes out beside it as
JSON, in refused/ with the error as text. To add one: the file and its expectation.

The JSON has `parts` in their order (material, rgba, and the corners of every triangle in winding order, starting at any
corner; or, where a polygon may be cut in several ways, area and count), `notes` (words that one note each must have)
and `options` of the reading. The error is `line: words`, or words alone where it belongs to no line.
"""
import json
import os
import struct
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Tuple

import pytest
from conftest import rare_of

FOLDER = Path(__file__).resolve().parent.parent.parent / "fixtures" / "dae"
VALID, REFUSED = (sorted((FOLDER / name).glob("*.[dz]ae")) for name in ("valid", "refused"))

assert VALID and REFUSED


def float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def turned(triangle: Any) -> Tuple[Any, ...]:
    """The same triangle, same winding, beginning with its smallest corner."""
    corners = [tuple(float32(value) for value in corner) for corner in triangle]
    first = corners.index(min(corners))
    return tuple(corners[first:] + corners[:first])


def look(material: str, rgba: Any) -> Tuple[Any, ...]:
    return material, rgba and tuple(round(value, 7) for value in rgba)


def is_flat(tool: Any, path: str) -> bool:
    """Return True if all corners are in the plane of the largest triangle, but for rounding."""
    triangles = [triangle[1:] for triangle in tool.stl_triangles(path)]
    (a, b, c) = max(triangles, key=lambda triangle: tool.double_area((None, *triangle)))
    u, v = ([y - x for x, y in zip(a, other)] for other in (b, c))
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    room = 1e-5 * sum(x * x for x in normal) ** 0.5 * max(abs(x) for x in (*u, *v))
    return all(abs(sum(n * (x - y) for n, x, y in zip(normal, corner, a))) <= room
               for triangle in triangles for corner in triangle)


def options_of(tool: Any, chosen: Dict[str, Any]) -> Any:
    scene = {key: chosen[key] for key in ("scale_factor", "missing_unit", "up_axis") if key in chosen}
    others = {key: chosen[key] for key in set(chosen) - set(scene)}
    return tool.DaeOptions(tool.SceneOptions(**scene), rare=rare_of(tool), **others)


def test_every_expectation_has_its_file() -> None:
    for files, ending in ((VALID, ".json"), (REFUSED, ".txt")):
        assert {path.with_suffix(ending) for path in files} == set(files[0].parent.glob(f"*{ending}"))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_parts(tool: Any, path: Path, tmp_path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    conversion = tool.convert_dae(str(path), str(tmp_path), options_of(tool, expected.get("options", {})))
    assert [look(part.material, part.rgba) for part in conversion.parts] == [
        look(wanted["material"], wanted["rgba"]) for wanted in expected["parts"]]
    for part, wanted in zip(conversion.parts, expected["parts"]):
        triangles = list(tool.stl_triangles(part.file))
        if "area" in wanted:
            area = sum(tool.double_area(triangle) / 2 for triangle in triangles)
            assert (round(area, 4), len(triangles)) == (wanted["area"], wanted["count"])
            assert len({triangle[0] for triangle in triangles}) == 1  # normals
        else:
            assert Counter(turned(found[1:]) for found in triangles) == Counter(map(turned, wanted["triangles"]))
        assert part.triangles == len(triangles) == tool.stl_count(part.file)
        corners = [corner for triangle in triangles for corner in triangle[1:]]
        assert part.bounds == (tuple(map(min, zip(*corners))), tuple(map(max, zip(*corners))))
        assert "-0.0" not in {str(value) for triangle in triangles for corner in triangle for value in corner}
        assert os.path.getsize(part.file) == 84 + 50 * len(triangles)
    assert [part.planar for part in conversion.parts] == [is_flat(tool, part.file) for part in conversion.parts]
    notes = [*map(str, conversion.notes), *(str(note) for part in conversion.parts for note in part.notes)]
    flat = sum(part.planar for part in conversion.parts)
    assert sum("lies in one plane" in note for note in notes) == flat
    words = expected.get("notes", [])
    assert [word for word in words if not any(word in note for note in notes)] == [], notes
    assert len(notes) <= len(words) + flat, notes
    assert {str(file) for file in tmp_path.iterdir()} == {part.file for part in conversion.parts}


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refused(tool: Any, path: Path, tmp_path: Path) -> None:
    error = path.with_suffix(".txt").read_text(encoding="utf-8").rstrip("\n")
    line, _, words = error.partition(": ") if error[0].isdigit() else ("0", "", error)
    with pytest.raises((tool.BrokenMesh, tool.MalformedXml)) as caught:
        tool.convert_dae(str(path), str(tmp_path), options_of(tool, {}))
    assert (caught.value.path, caught.value.line) == (str(path), int(line))
    assert caught.value.message.startswith(words)
