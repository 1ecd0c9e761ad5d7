"""Meshes that are hard for geometry through the commands that write or compare them, judged by exact distances."""

import random
import re
import tempfile
from pathlib import Path
from unittest import mock

from commands import folded
from conftest import examples
from hard_meshes import BODIES, hard_mesh, robot_of
from hypothesis import given
from hypothesis import strategies as st
from surfaces import as_float32, ball, distance, moved, samples, split

from urdf_tools.compare import mesh_comparison
from urdf_tools.meshes import triangle_reduction
from urdf_tools.meshes.mesh_content import triangles_of
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.urdf.spatial_math import cross, subtract

UNITS = {"m": 1.0, "mm": 1e-3, "um": 1e-6, "nm": 1e-9}
SAME = re.compile(r"is the same surface to (\S+) (m|mm|um|nm) ")
OTHER = re.compile(r"another surface, by at least (\S+) (m|mm|um|nm) at \(([^)]*)\) of ([AB])")


def size_of(surface):
    return max(
        max(column) - min(column)
        for column in zip(*(corner for triangle in surface for corner in triangle))
    )


def farthest(surface, other, seed):
    """Return how far points of one surface are from another: corners, edges and insides of some triangles."""
    some = random.Random(seed).sample(surface, min(12, len(surface)))
    return max(distance(point, other) for triangle in some for point in samples(triangle, 3))


def drawn(surface):
    """Return the triangles that have an area: others draw nothing, and may be left out."""
    return [(a, b, c) for a, b, c in surface if any(cross(subtract(b, a), subtract(c, a)))]


def reduced(surface, error):
    """Return what becomes of a visual with --visual-error, also of a small one; None if that is refused."""
    few = mock.patch.object(triangle_reduction, "LEAST_TRIANGLES", 1)
    with tempfile.TemporaryDirectory() as name, few:
        source = robot_of(Path(name), "visual", surface)
        output = Path(name, "out.urdf")
        status, _ = folded(source, "-o", output, "-y", "--visual-error", f"{error:.9g}")
        if status:
            return None
        folded("compare", source, output)
        (mesh,) = re.findall('filename="([^"]*)"', output.read_text())
        surfaces = read_mesh(str(output.parent / mesh)).surfaces
    return [tuple(triangle) for piece in surfaces for triangle in triangles_of(piece)]


@given(seed=st.integers(0, 10**6), part=st.sampled_from((1e-4, 1e-2, 0.1)))
@examples(3, fuzzed=300)
def test_fewer_triangles_are_within_the_error(seed, part):
    surface = as_float32(split(hard_mesh(seed)))
    error = min(part * size_of(surface), 900.0)
    made = reduced(surface, error)
    if made is None:
        return
    reach = max(abs(value) for triangle in surface for corner in triangle for value in corner)
    most = error * (1.0 + 1e-6) + 1e-6 * reach
    assert farthest(made, surface, seed) <= most
    assert farthest(drawn(surface), made, seed) <= most


def test_a_ball_gets_fewer_triangles_and_the_distance_is_seen():
    surface = as_float32(ball(12, 16, 0.2))
    made = reduced(surface, 5e-3)
    assert len(made) < 0.9 * len(surface)
    assert 1e-3 < max(farthest(made, surface, 1), farthest(surface, made, 1)) <= 5e-3


def jittered(surface, r, off):
    """Return a surface with each of its points moved by up to `off`, and its triangles in another order."""
    moves = {}

    def move(point):
        return moves.setdefault(point, tuple(x + r.uniform(-off, off) for x in point))

    return as_float32(r.sample(moved(surface, move), len(surface)))


def printed_too_small(a, b, seed):
    """Return by how much two surfaces are farther apart than `compare` prints [m]; None: it prints no distance."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, side) for side in "AB"]
        for folder, surface in zip(folders, (a, b)):
            folder.mkdir()
            robot_of(folder, "visual", surface)
        _, text = folded("compare", *(folder / "robot.urdf" for folder in folders), "--full")
    same, other = SAME.search(text), OTHER.search(text)
    if same:
        said = float(same[1]) * UNITS[same[2]]
        return max(farthest(a, b, seed), farthest(b, a, seed)) - said
    if other:
        # The point is printed with three digits.
        point = tuple(map(float, re.split("[ ,]+", other[3])))
        near = 6e-3 * max(size_of(a), *map(abs, point))
        off = distance(point, b if other[4] == "A" else a)
        return float(other[1]) * UNITS[other[2]] - off - near
    return None


@given(seed=st.integers(0, 10**6), part=st.sampled_from((1e-8, 1e-6, 1e-4, 1e-2)))
@examples(12, fuzzed=300)
def test_what_compare_prints_is_a_bound(seed, part):
    a = drawn(hard_mesh(seed))
    b = jittered(a, random.Random(seed), part * size_of(a))
    assert (printed_too_small(a, b, seed) or 0.0) <= 0.0


def test_half_a_bound_is_seen():
    a = BODIES[0]
    b = jittered(a, random.Random(1), 1e-7)
    assert printed_too_small(a, b, 1) <= 0.0
    real = mesh_comparison.same_surface

    def half(*arguments):
        verdict = real(*arguments)
        return verdict._replace(bound=0.5 * verdict.bound)

    with mock.patch.object(mesh_comparison, "same_surface", half):
        assert printed_too_small(a, b, 1) > 0.0
