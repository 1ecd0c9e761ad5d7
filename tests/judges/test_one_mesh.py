"""What MuJoCo, Drake and trimesh make of robots whose visuals are one mesh a color of a link."""

import sysconfig
from pathlib import Path

import pytest
from mesh_files import binary_stl
from surfaces import as_float32, ball, bracket

from urdf_tools import export, simplify

PACKAGES = Path(sysconfig.get_paths()["purelib"])
DATA = PACKAGES / "cmeel.prefix" / "share" / "example-robot-data"
ROBOTS = (  # file, a part of the line
    ("so_arm_description/urdf/so101.urdf", "7 visuals on 3 links -> 3 files"),
    ("alex_description/urdf/alex_sake_hands.urdf", "12 visuals on 6 links -> 6 files"),
    ("iris_description/robots/iris_simple.urdf", "5 visuals on 1 link -> 1 file"),
    ("human_description/robots/human.urdf", "14 visuals on 7 links -> 7 files"),
)
POSE = 'xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"'
SCALE = (0.5, -0.25, 2.0)


def robot(folder):
    """Write a robot whose two visuals are mirrored, turned and moved."""
    for name, body in (("a", bracket()), ("b", ball(12, 16))):
        (folder / f"{name}.stl").write_bytes(binary_stl(as_float32(body)))
    visuals = "".join(
        f'<visual><origin {pose}/><geometry><mesh filename="{name}.stl" scale="{scale}"/></geometry>'
        '<material name="red"><color rgba="1 0 0 1"/></material></visual>'
        for name, pose, scale in (("a", POSE, " ".join(map(str, SCALE))), ("b", "", "1 1 1"))
    )
    path = folder / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
        f'iyy="1" iyz="0" izz="1"/></inertial>{visuals}</link></robot>'
    )
    return path


def placed(path):
    """Return the triangles of the first visual as trimesh and numpy place them, and those of the second."""
    numpy, trimesh = pytest.importorskip("numpy"), pytest.importorskip("trimesh")
    turn = trimesh.transformations.euler_matrix(0.4, 0.5, -0.6, "sxyz")[:3, :3]
    corners = trimesh.load(path.with_name("a.stl"), process=False).triangles * SCALE
    first = corners[:, [0, 2, 1]] @ turn.T + [0.1, -0.2, 0.3]
    second = trimesh.load(path.with_name("b.stl"), process=False)
    return [numpy.concatenate([first, second.triangles[second.area_faces > 0.0]]), numpy, trimesh]


@pytest.mark.parametrize("form", ["stl", "obj", "glb"])
def test_trimesh_reads_the_same_triangles(tmp_path, form):
    path = robot(tmp_path)
    expected, numpy, trimesh = placed(path)
    (tmp_path / "o").mkdir()
    export(
        path,
        tmp_path / "o" / "r.urdf",
        one_mesh=True,
        mesh_format=form,
        for_="gazebo" if form == "glb" else None,
    )
    made = trimesh.load(tmp_path / "o" / "r_meshes" / f"base.{form}", process=False, force="mesh")
    assert made.triangles.shape == expected.shape
    assert numpy.abs(made.triangles - expected).max() < 1e-6
    facing = numpy.einsum(
        "ij,ij->i",
        made.face_normals,
        numpy.cross(expected[:, 1] - expected[:, 0], expected[:, 2] - expected[:, 0]),
    )
    assert (facing > 0.0).all()


def test_drake_draws_it(tmp_path):
    drake = pytest.importorskip("pydrake.all")
    export(robot(tmp_path), tmp_path / "d.urdf", one_mesh=True, for_="drake")
    builder = drake.DiagramBuilder()
    plant, scene = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
    assert drake.Parser(plant).AddModels(str(tmp_path / "d.urdf"))
    plant.Finalize()
    assert scene.model_inspector().NumGeometriesWithRole(drake.Role.kIllustration) == 1


@pytest.mark.parametrize("file, line", ROBOTS, ids=[Path(file).stem for file, _ in ROBOTS])
def test_mujoco_loads_public_robots(file, line, tmp_path):
    """As they come, and joined: the same bodies and masses, the same triangles but for flat ones, in fewer meshes."""
    mujoco = pytest.importorskip("mujoco")
    path = DATA / "robots" / file
    if not path.is_file():
        pytest.skip(f"{file} is not installed")
    models = []
    for name, joins in (("a", False), ("b", True)):
        result = simplify(
            path, tmp_path / f"{name}.urdf", one_mesh=joins, package={"example-robot-data": DATA}
        )
        assert any(line in text for text in result.exported.lines) == joins
        export(
            tmp_path / f"{name}.urdf",
            tmp_path / f"{name}.xml",
            for_="mujoco",
            package={"example-robot-data": DATA},
        )
        models.append(mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml")))
    before, after = models
    assert before.nbody == after.nbody and abs(before.body_mass - after.body_mass).max() < 1e-9
    assert after.ngeom < before.ngeom
    drawn = [
        sum(
            int(model.mesh_facenum[mesh])
            for mesh, kind in zip(model.geom_dataid, model.geom_type)
            if kind == mujoco.mjtGeom.mjGEOM_MESH
        )
        for model in models
    ]
    assert 0.999 * drawn[0] <= drawn[1] <= drawn[0]
