"""Every real file against a second, naive reader: counts, area, volume and box, for each material."""

import math
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from conftest import some_of
from dae_naive import measure

HERE = Path(__file__).resolve().parent.parent
FILES: List[Path] = sorted((HERE.parent.parent / "shared" / "dae").glob("*.dae"))
OWN = [
    HERE.parent / "fixtures" / "dae" / "valid" / f"{name}.dae"
    for name in ("materials_bound_per_instance", "nested_nodes", "mirrored", "skin", "tristrips", "trifans",
                 "polylist_mixed")
]
# Polygons that a fan cuts wrongly: only count, volume and box can be compared with the naive reader.
CONCAVE = {"b2_calf_8950_ngons", "cts_polygons_simple"}


def test_there_are_real_files(shared: Path) -> None:
    assert len(FILES) == 18


@pytest.mark.parametrize("path", some_of(FILES, 7) + OWN, ids=lambda path: path.stem)
def test_same_as_the_naive_reader(tool: Any, path: Path, tmp_path: Path) -> None:
    per_material, whole = measure(str(path))
    options = tool.DaeOptions(merge_equal_colors=False, max_faces=0, rare=tool.rare_collada())
    conversion = tool.convert_dae(str(path), str(tmp_path), options)
    groups = {}
    for part in conversion.parts:
        groups[part.material] = (part, sum(int(note.numbers[0]) for note in part.notes if note.sentence == "flat"))
    names = material_labels(tool, path)
    for material, sums in per_material.items():
        part, flat = groups.pop(names.get(material, ""))
        assert part.triangles + flat == sums.count
        compare(tool, path, [part], sums)
    assert not groups
    compare(tool, path, conversion.parts, whole)


def compare(tool: Any, path: Path, parts: Any, sums: Any) -> None:
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


def material_labels(tool: Any, path: Path) -> Dict[Optional[str], str]:
    """Return the label that parts have for each material id or unbound symbol."""
    document = tool.read_dae(str(path))
    names = {name: tool.dae_label(element) for name, element in document.ids.items() if element.tag == "material"}
    for element in tool.dae_descendants(document.root, "triangles", "polylist"):
        symbol = element.attributes.get("material", "")
        names.setdefault(symbol, symbol)
    return names
