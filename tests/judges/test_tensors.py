"""Volumes, centers and tensors of public meshes as trimesh has them, and those of a ring as MuJoCo computes them."""

import os
from pathlib import Path

import pytest
from edited_robots import written

from urdf_tools import edit
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.meshes.formats import read_indexed
from urdf_tools.meshes.volume import NoVolume, solid_of

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


def test_mujoco_computes_the_same_from_the_mesh(tmp_path):
    """With `inertiafromgeom` MuJoCo takes density and mesh, and not what is written."""
    mujoco = pytest.importorskip("mujoco")
    mesh = trimesh.creation.annulus(0.03, 0.05, 0.2)
    mesh.apply_transform(trimesh.transformations.rotation_matrix(0.4, (1, 2, 3), (0.1, 0.2, 0.3)))
    mesh.export(tmp_path / "ring.stl")
    path = written(
        tmp_path,
        "ring.urdf",
        '<robot name="r"><link name="ring"><visual><origin xyz="0.1 0.2 0.3" '
        'rpy="0.3 0.2 0.1"/><geometry><mesh filename="ring.stl" scale="1 2 1"/></geometry></visual></link>'
        "</robot>",
    )
    (mass,) = (
        link.mass
        for link in read_urdf(
            edit(path, inertia_from="visual", density={"*": 1000}).data, "r"
        ).links
    )
    assert mass is not None
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><asset><mesh name="ring" file="{tmp_path / "ring.stl"}"
        scale="1 2 1" inertia="exact"/></asset><compiler angle="radian" eulerseq="XYZ"/><worldbody><body><freejoint/>
        <geom type="mesh" mesh="ring" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1" density="1000"/></body></worldbody>
        </mujoco>""")
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    xx, xy, xz, yy, yz, zz = mass.tensor
    assert model.body_mass[1] == pytest.approx(mass.mass, rel=1e-6)
    assert np.abs(model.body_ipos[1] - mass.center).max() < 1e-7
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert (
        np.abs(R @ np.diag(model.body_inertia[1]) @ R.T - tensor).max()
        < 1e-5 * np.abs(tensor).max()
    )
