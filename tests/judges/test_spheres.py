"""Spheres around public meshes: trimesh samples mesh and spheres, and MuJoCo loads the robot."""

from pathlib import Path

import pytest

from urdf_tools.collision.sphere_cover import cover
from urdf_tools.collision.collision_shapes import MeshWithHull
from urdf_tools.meshes.mesh_readers import read_indexed

np = pytest.importorskip("numpy")
trimesh = pytest.importorskip("trimesh")
ROBOTS = (
    Path(np.__file__).parent.parent / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
)
MESHES = (
    "ur_description/meshes/ur5/collision/wrist1.stl",
    "panda_description/meshes/collision/hand.stl",
    "ur_description/meshes/ur5/collision/shoulder.stl",
)
SAMPLES, OVERHANG = 20000, 0.04


@pytest.mark.parametrize("name", MESHES)
def test_trimesh_finds_no_point_outside_and_no_sphere_too_far_out(name):
    path = ROBOTS / name
    if not path.is_file():
        pytest.skip("example-robot-data is not installed")
    points, triangles = read_indexed(str(path))
    made = cover(points, MeshWithHull(str(path), points, triangles, None), OVERHANG)
    mesh = trimesh.Trimesh(np.array(points), np.array(triangles))
    samples, _ = trimesh.sample.sample_surface(mesh, SAMPLES, seed=1)
    centers, radii = (
        np.array([ball.center for ball in made.balls]),
        np.array([ball.radius for ball in made.balls]),
    )
    gaps = np.linalg.norm(samples[:, None] - centers[None], axis=2) - radii[None]
    assert gaps.min(axis=1).max() <= 0.0
    for center, radius in made.balls:
        ball = trimesh.creation.icosphere(2, radius)
        outside = -trimesh.proximity.signed_distance(mesh, ball.vertices + center)
        assert outside.max() <= made.overhang + 1e-6 <= OVERHANG + 1e-6
