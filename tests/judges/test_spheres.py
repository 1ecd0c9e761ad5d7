"""Spheres around public meshes: trimesh samples mesh and spheres, and MuJoCo loads the robot."""

import os
from pathlib import Path

import pytest

from urdf_tools import collision
from urdf_tools.collision.texts import spheres_of
from urdf_tools.collision.spheres import cover
from urdf_tools.collision.shapes import MeshBody
from urdf_tools.meshes.formats import read_indexed

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
    made = cover(points, MeshBody(str(path), points, triangles, None), OVERHANG)
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


def test_mujoco_has_the_spheres_of_the_text(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    mesh = trimesh.creation.annulus(0.05, 0.1, 0.3)
    mesh.export(tmp_path / "ring.stl")
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="base"/><link name="arm">{inertial}<collision><origin xyz="0.1 0 0" rpy="1 2 3"/>'
        '<geometry><mesh filename="ring.stl"/></geometry></collision></link><joint name="j" type="continuous"><parent '
        'link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
    )
    result = collision(tmp_path / "robot.urdf", tmp_path / "out.urdf", shape="spheres")
    model = mujoco.MjModel.from_xml_path(os.fspath(tmp_path / "out.urdf"))
    balls = spheres_of(result.after)["arm"]
    assert len(balls) > 4 and list(model.geom_type) == [mujoco.mjtGeom.mjGEOM_SPHERE] * len(balls)
    assert np.abs(model.geom_pos - [ball.center for ball in balls]).max() < 1e-9
    assert np.abs(model.geom_size[:, 0] - [ball.radius for ball in balls]).max() < 1e-9
