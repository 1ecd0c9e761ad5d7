"""Every rule of the COLLADA reader on a file of its own, in fixtures/dae, with exact expectations."""

import os
import struct
from collections import Counter
from typing import Any, List, Tuple

import dae_rows
import pytest
from dae_rows import ROWS, Row, path_of

assert ROWS


def float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def turned(triangle: Any) -> Tuple[Any, ...]:
    """The same triangle, same winding, beginning with its smallest corner."""
    corners = [tuple(float32(value) for value in corner) for corner in triangle]
    first = corners.index(min(corners))
    return tuple(corners[first:] + corners[:first])


def is_flat(tool: Any, path: str) -> bool:
    """Return True if all corners are in the plane of the largest triangle, but for rounding."""
    triangles = [triangle[1:] for triangle in tool.stl_triangles(path)]
    (a, b, c) = max(triangles, key=lambda triangle: tool.double_area((None, *triangle)))
    u, v = ([y - x for x, y in zip(a, other)] for other in (b, c))
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    room = 1e-5 * sum(x * x for x in normal) ** 0.5 * max(abs(x) for x in (*u, *v))
    return all(abs(sum(n * (x - y) for n, x, y in zip(normal, corner, a))) <= room
               for triangle in triangles for corner in triangle)


def options_of(tool: Any, row: Row) -> Any:
    chosen = dict(row.options)
    scene = {key: chosen.pop(key) for key in ("scale_factor", "missing_unit", "up_axis") if key in chosen}
    return tool.DaeOptions(tool.SceneOptions(**scene), rare=tool.rare_collada(), **chosen)


def test_files_are_those_that_the_rows_describe() -> None:
    assert {path.name for path in dae_rows.FOLDER.glob("*.[dz]ae")} == {path_of(row).name for row in ROWS}
    assert [
        row.name for row in ROWS if not row.name.endswith(".zae") and path_of(row).read_bytes() != row.content
    ] == []


@pytest.mark.parametrize("row", [row for row in ROWS if not row.error], ids=lambda row: row.name)
def test_parts(tool: Any, row: Row, tmp_path: Any) -> None:
    conversion = tool.convert_dae(str(path_of(row)), str(tmp_path), options_of(tool, row))
    assert [(part.material, part.rgba and tuple(round(v, 7) for v in part.rgba)) for part in conversion.parts] == [
        (name, rgba and tuple(round(v, 7) for v in rgba)) for name, rgba, _ in row.parts
    ]
    for part, (_, _, expected) in zip(conversion.parts, row.parts):
        triangles = list(tool.stl_triangles(part.file))
        if isinstance(expected, str):
            areas = [tool.double_area(triangle) / 2 for triangle in triangles]
            assert f"area {sum(areas):g}, {len(triangles)} triangles" == expected
            normals = {triangle[0] for triangle in triangles}
            assert len(normals) == 1
        else:
            assert Counter(turned(found[1:]) for found in triangles) == Counter(map(turned, expected))
        assert part.triangles == len(triangles) == tool.stl_count(part.file)
        corners = [corner for triangle in triangles for corner in triangle[1:]]
        assert part.bounds == (tuple(map(min, zip(*corners))), tuple(map(max, zip(*corners))))
        assert not any(
            value == 0 and str(value) == "-0.0" for triangle in triangles for corner in triangle for value in corner
        )
        assert os.path.getsize(part.file) == 84 + 50 * len(triangles)
    notes: List[str] = [*conversion.notes, *(note for part in conversion.parts for note in part.notes)]
    for words in row.notes:
        assert any(words in note for note in notes), notes
    assert [part.planar for part in conversion.parts] == [is_flat(tool, part.file) for part in conversion.parts]
    assert sum("lies in one plane" in note for note in notes) == sum(part.planar for part in conversion.parts)
    expected_notes = len(row.notes) + sum(part.planar for part in conversion.parts)
    assert len(notes) <= expected_notes, notes
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        part.file.rpartition("/")[2] for part in conversion.parts
    )


@pytest.mark.parametrize("row", [row for row in ROWS if row.error], ids=lambda row: row.name)
def test_refused(tool: Any, row: Row, tmp_path: Any) -> None:
    line, _, words = row.error.partition(": ") if row.error[0].isdigit() else ("0", "", row.error)
    with pytest.raises((tool.BrokenMesh, tool.MalformedXml)) as caught:
        tool.convert_dae(str(path_of(row)), str(tmp_path), options_of(tool, row))
    assert (caught.value.path, caught.value.line) == (str(path_of(row)), int(line))
    assert caught.value.message.startswith(words)
