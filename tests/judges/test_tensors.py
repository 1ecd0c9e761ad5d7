"""Volumes, centers and tensors of public meshes as trimesh has them, and those of a ring as MuJoCo computes them."""

import os
from pathlib import Path

import pytest

from urdf_tools.meshes.mesh_readers import read_indexed
from urdf_tools.meshes.mesh_volume import NoVolume, solid_of

np = pytest.importorskip("numpy")
trimesh = pytest.importorskip("trimesh")
MOST_BYTES, WANTED = 4_000_000, 100
EQUAL = 1e-11  # of the volume, of the size of the mesh, and of the largest moment


def public_meshes():
    """Return STL files of robots that pip has installed, spread over their packages."""
    packages = Path(np.__file__).parent.parent
    files = sorted(
        path
        for path in packages.rglob("*")
        if path.suffix.lower() == ".stl" and os.path.getsize(path) < MOST_BYTES
    )
    return files[:: max(1, len(files) // (2 * WANTED))]


def test_trimesh_has_the_same_volumes_and_tensors():
    """trimesh sums in floats about the origin of the file, so it gets each mesh moved next to that."""
    judged = 0
    for path in public_meshes():
        points, triangles = read_indexed(str(path))
        try:
            solid = solid_of(points, triangles)
        except NoVolume:
            continue
        corners = np.array(points)
        middle = corners.mean(axis=0).astype(np.float32).astype(float)
        mesh = trimesh.Trimesh(corners - middle, np.array(triangles), process=False)
        if solid.is_turned:
            mesh.invert()
        mass, center, tensor = solid.properties
        size = np.ptp(corners, axis=0).max()
        assert mass == pytest.approx(mesh.volume, rel=EQUAL), path
        assert np.abs(mesh.center_mass + middle - center).max() < EQUAL * size, path
        assert np.abs(mesh.moment_inertia - tensor).max() < EQUAL * np.abs(tensor).max(), path
        judged += 1
    if judged < WANTED:
        pytest.skip(f"only {judged} closed meshes of public robots are installed")
