"""Surfaces that are called the same, and points that show that they are not, against dense samples of trimesh."""
import math
import random
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from mesh_files import binary_stl
from surfaces import as_float32, ball, bracket, by, inverted, moved, Point, split, Surface, tube, turned

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.comparison import compare
from urdf_tools.compare.read import read_robot_of
from urdf_tools.meshes import same_surface as module
from urdf_tools.meshes.same_surface import Other, Same, same_surface
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
    trimesh = pytest.importorskip("trimesh")

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
    trimesh = pytest.importorskip("trimesh")

    folder = Path(trimesh.__file__).parents[1]
    found: List[Path] = []
    for ending in (".stl", ".STL", ".dae", ".obj"):
        files = sorted((path for path in folder.rglob(f"*{ending}")
                        if 2_000 < path.stat().st_size < 300_000), key=lambda path: (path.stat().st_size, path.name))
        found += files[::max(1, len(files) // 8)][:8]
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
        counts[judge(surface, with_corner_moved(surface, chosen, (step[0], step[1], step[2])))] += 1
        assert judge(surface, EDITS["shuffled"][0](surface)) == "Same", path
        assert judge(surface, EDITS["six digits"][0](surface)) == "Same", path
    assert counts["Other"] >= 12 and counts["Other"] > 9 * (counts["Same"] + counts["Unknown"]), counts


def with_corner_moved(surface: Surface, corner: Point, step: Point) -> Surface:
    return moved(surface, lambda p: (p[0] + step[0], p[1] + step[1], p[2] + step[2]) if p == corner else p)


@pytest.mark.parametrize("robot", ("painted_arm", "arm"))
def test_every_mesh_of_a_robot_with_one_corner_moved_by_1_mm(robot: str, tmp_path: Path) -> None:
    """The comparison names the mesh; with its triangles as they are in another format it does not."""
    path = Path(__file__).resolve().parents[2] / "fixtures" / robot / "robot.urdf"
    source = read_robot_of(path)
    scales = {shape.path: shape.sizes[2] for link in source.links for shape in link.shapes if shape.path}
    for number, (file, scale) in enumerate(sorted(scales.items())):
        surface = [triangle for group in read_surfaces(file) for triangle in group.triangles]
        corner = max(surface, key=module._area)[0]  # some triangles of a sign have no area, and draw nothing
        for name, triangles in (("same", surface), ("other", with_corner_moved(
                surface, corner, (0, 0, 1e-3 / scale)))):
            mesh = tmp_path / f"{number}_{name}.stl"
            mesh.write_bytes(binary_stl(triangles))
            edited = source._replace(links=tuple(link._replace(shapes=tuple(
                shape._replace(path=str(mesh), file=mesh.name) if shape.path == file else shape
                for shape in link.shapes)) for link in source.links))
            kinds = {one.kind for one in compare(source, edited).differences}
            assert kinds <= {"mesh", "color", "shape_kind"} and ("mesh" in kinds) == (name == "other"), (file, name)
    assert scales or robot == "arm"
