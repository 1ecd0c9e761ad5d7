"""Surfaces that are called the same, and points that show that they are not, against dense samples of trimesh."""
import math
import random
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from surfaces import as_float32, ball, bracket, by, inverted, moved, split, Surface, tube, turned

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.comparison import compare
from urdf_tools.compare.read import read_robot_of
from urdf_tools.meshes.same_surface import Other, Same, same_surface, Unknown
from urdf_tools.meshes.surfaces import read_surfaces

TOLERANCE = 1e-4
LARGEST, SAMPLES = 20_000, 120  # triangles; points of each side


def distances(points: Any, surface: Surface) -> Any:
    """Return how far points are from a surface: from all edges, and from all planes where the foot is inside.

    Not by trimesh's `closest_point`, which is wrong by some 0.1 mm for slivers of real meshes.
    """
    import numpy

    corners = numpy.array(surface, dtype=float)
    normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = numpy.linalg.norm(normals, axis=1)
    found = []
    for point in points:
        squares, inside = numpy.full(len(corners), numpy.inf), sizes > 0.0
        for k in range(3):
            start, along = corners[:, k], corners[:, k - 2] - corners[:, k]
            off = point - start
            length = (along * along).sum(axis=1)
            part = numpy.clip((off * along).sum(axis=1) / numpy.where(length > 0.0, length, 1.0), 0.0, 1.0)
            squares = numpy.minimum(squares, ((off - part[:, None] * along) ** 2).sum(axis=1))
            inside &= (numpy.cross(along, off) * normals).sum(axis=1) >= 0.0
        planes = ((point - corners[:, 0]) * normals).sum(axis=1)[inside] / sizes[inside]
        found.append(min(math.sqrt(squares.min()), abs(planes).min() if len(planes) else math.inf))
    return numpy.array(found)


def points_of(surface: Surface, seed: int) -> Any:
    """Return random points of a surface, and as many corners."""
    import numpy
    import trimesh

    triangles = numpy.array(surface, dtype=float)
    mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(triangles), process=False)
    chosen = random.Random(seed).sample(range(len(surface)), min(SAMPLES, len(surface)))
    return numpy.vstack([trimesh.sample.sample_surface(mesh, SAMPLES, seed=seed)[0], triangles[chosen, 0]])


def judge(a: Surface, b: Surface) -> str:
    """Return the verdict, after it was held against samples."""
    verdict = same_surface(a, b, TOLERANCE)
    if isinstance(verdict, Same):
        sampled = max(distances(points_of(a, 1), b).max(), distances(points_of(b, 2), a).max())
        assert sampled <= verdict.bound + 1e-9, (sampled, verdict)
    if isinstance(verdict, Other):
        own, other = (a, b) if verdict.side == "A" else (b, a)
        assert distances([verdict.point], own)[0] < 1e-9
        assert verdict.gap >= TOLERANCE and verdict.gap <= distances([verdict.point], other)[0] * (1 + 1e-9) + 1e-12
    return type(verdict).__name__


EDITS: Dict[str, Tuple[Callable[[Surface], Surface], str]] = {
    "shuffled": (lambda surface: random.Random(3).sample(surface, len(surface)), "Same"),
    "six digits": (lambda surface: moved(surface, lambda p: (round(p[0], 6), round(p[1], 6), round(p[2], 6))), "Same"),
    "inside out": (lambda surface: as_float32(inverted(surface)), "Same"),
    "split": (lambda surface: split(surface), "Same"),
    "moved by 50 um": (lambda surface: moved(surface, by(5e-5, 0.0, 0.0)), "Same"),
    "moved by 1 mm": (lambda surface: moved(surface, by(1e-3, 0.0, 0.0)), "Other"),
    "turned": (lambda surface: moved(surface, turned(0.1)), "Other"),
}
MADE = {"bracket": bracket(), "ball": ball(12, 24), "tube": tube(40)}


@pytest.mark.parametrize("body", MADE)
@pytest.mark.parametrize("edit", EDITS)
def test_made_meshes(body: str, edit: str) -> None:
    change, expected = EDITS[edit]
    assert judge(MADE[body], change(MADE[body])) == expected


def real_meshes() -> List[Path]:
    """Return meshes of the packages that the judges have, a few of each ending, small and large."""
    import trimesh

    folder = Path(trimesh.__file__).parents[1]
    found: List[Path] = []
    for ending in (".stl", ".STL", ".dae", ".obj"):
        files = sorted((path for path in folder.rglob(f"*{ending}")
                        if 2_000 < path.stat().st_size < 1_500_000), key=lambda path: (path.stat().st_size, path.name))
        found += files[::max(1, len(files) // 12)][:12]
    return found


def test_one_corner_of_a_real_mesh_moved_by_1_mm() -> None:
    """Never the same; and each mesh with itself in another order, and written with six digits, always is."""
    counts = {"Same": 0, "Other": 0, "Unknown": 0}
    for path in real_meshes():
        try:
            surface = [triangle for group in read_surfaces(str(path), LARGEST) for triangle in group.triangles]
        except UrdfError:
            continue
        longest = max((max(axis) - min(axis) for axis in zip(*(p for t in surface for p in t))), default=0.0)
        if not 0.01 < longest < 10.0:
            continue
        chosen = random.Random(len(surface)).choice(surface)[0]
        out = max(range(3), key=lambda axis: abs(chosen[axis]))
        step = [math.copysign(1e-3, chosen[axis]) if axis == out else 0.0 for axis in range(3)]
        edited = moved(surface, lambda p: (p[0] + step[0], p[1] + step[1], p[2] + step[2]) if p == chosen else p)
        counts[judge(surface, edited)] += 1
        assert judge(surface, EDITS["shuffled"][0](surface)) == "Same", path
        assert judge(surface, EDITS["six digits"][0](surface)) == "Same", path
    print(counts)
    assert counts["Other"] >= 20 and counts["Other"] > 9 * (counts["Same"] + counts["Unknown"]), counts


def test_every_robot_with_one_corner_of_a_mesh_moved(tmp_path: Path) -> None:
    """Robots of the fixtures: the comparison names the mesh; without the edit it is the same robot."""
    import shutil

    from mesh_files import binary_stl

    root = Path(__file__).resolve().parents[2] / "fixtures"
    count = 0
    for path in sorted(root.glob("*/robot.urdf")):
        folder = tmp_path / path.parent.name
        shutil.copytree(path.parent, folder)
        for mesh in sorted(folder.rglob("*.stl")):
            surface = [triangle for group in read_surfaces(str(mesh)) for triangle in group.triangles]
            corner = surface[0][0]
            mesh.write_bytes(binary_stl(moved(surface, lambda p: (p[0], p[1], p[2] + 1.0) if p == corner else p)))
        found = compare(read_robot_of(path), read_robot_of(folder / "robot.urdf"))
        same = compare(read_robot_of(path), read_robot_of(path))
        assert same.verdict == "same"
        used = {Path(shape.path).name for link in found.a.links for shape in link.shapes if shape.path.endswith(".stl")}
        if used:
            count += 1
            assert any(one.kind == "mesh" for one in found.differences), path
    print(count)
