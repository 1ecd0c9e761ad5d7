"""Convex pieces as others see them: trimesh samples mesh and pieces, CoACD cuts the same mesh, MuJoCo lets a peg fall."""

import os
from pathlib import Path

import pytest

from urdf_tools import collision, export
from urdf_tools.collision.hull_cover import convex_pieces
from urdf_tools.collision.collision_shapes import MeshWithHull
from urdf_tools.meshes.mesh_readers import read_indexed
from urdf_tools.meshes.convex_hull import convex_hull

np = pytest.importorskip("numpy")
trimesh = pytest.importorskip("trimesh")
ROBOTS = (
    Path(np.__file__).parent.parent / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
)
FRAME = Path(__file__).parents[2] / "fixtures" / "collision" / "meshes" / "frame.stl"
# The mesh, the distance, the threshold of CoACD whose pieces stand out as far, and the seconds of one processor.
MESHES = (
    ("panda_description/meshes/collision/finger.stl", 0.0045, 0.006, 10.0),
    ("so_arm_description/meshes/so101/moving_jaw_so101_v1.stl", 0.005, 0.006, 60.0),
    ("tiago_description/meshes/hey5/palm.stl", 0.005, None, 30.0),
)
SAMPLES = 20000


def off_solid(mesh, points):
    """Return how far the farthest of points is off what a closed mesh holds [m]."""
    return -trimesh.proximity.signed_distance(mesh, points).min()


def is_outside(hulls, points):
    """Return which points are in no hull."""
    outside = np.ones(len(points), bool)
    for hull in hulls:
        normals, origins = hull.face_normals, hull.triangles[:, 0]
        heights = points @ normals.T - np.einsum("ij,ij->i", normals, origins)
        outside &= heights.max(axis=1) > 1e-9
    return outside


@pytest.mark.parametrize("name, within, threshold, seconds", MESHES)
def test_trimesh_finds_no_point_outside_and_no_hull_too_far_off(name, within, threshold, seconds):
    path = ROBOTS / name
    if not path.is_file():
        pytest.skip("example-robot-data is not installed")
    points, triangles = read_indexed(str(path))
    mesh = trimesh.Trimesh(np.array(points), np.array(triangles))
    body = MeshWithHull(str(path), points, triangles, convex_hull(points))
    start = os.times().user
    made = convex_pieces(body, within, 64, 32)
    assert os.times().user - start < 2.0 * seconds  # machines differ
    hulls = [trimesh.Trimesh(hull.corners, hull.triangles) for hull in made.hulls]
    assert all(hull.is_watertight and hull.is_convex for hull in hulls)
    surface, _ = trimesh.sample.sample_surface(mesh, SAMPLES, seed=1)
    assert not is_outside(hulls, surface).any()
    count = SAMPLES // 20 // len(hulls)
    for hull in hulls:
        of_hull, _ = trimesh.sample.sample_surface(hull, count, seed=2)
        assert off_solid(mesh, np.concatenate([of_hull, hull.vertices])) <= within + 1e-9
    coacd = pytest.importorskip("coacd")
    if threshold is not None:
        parts = coacd.run_coacd(
            coacd.Mesh(mesh.vertices, mesh.faces), threshold=threshold, real_metric=True
        )
        assert len(hulls) <= 1.3 * len(parts)


PEG = """<robot name="r">
  <link name="base"><collision><geometry><mesh filename="frame.stl"/></geometry></collision></link>
  <link name="peg">
    <inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <collision><geometry><cylinder radius="0.05" length="0.1"/></geometry></collision>
  </link>
  <joint name="falls" type="prismatic"><origin xyz="0.28125 0 0.2"/><parent link="base"/><child link="peg"/>
    <axis xyz="0 0 1"/><limit lower="-0.6" upper="0.1" effort="10" velocity="10"/></joint>
</robot>
"""


@pytest.mark.parametrize("shape, falls", [("hull", False), ("convex", True)])
def test_a_peg_falls_through_the_hole_that_a_hull_fills(tmp_path, shape, falls):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "frame.stl").write_bytes(FRAME.read_bytes())
    (tmp_path / "robot.urdf").write_text(PEG)
    made = collision(tmp_path / "robot.urdf", tmp_path / "out.urdf", shape=shape)
    export(tmp_path / "out.urdf", tmp_path / "out.xml")
    model, exported = (
        mujoco.MjModel.from_xml_path(os.fspath(tmp_path / name)) for name in ("out.urdf", "out.xml")
    )
    assert model.ngeom == exported.ngeom == 1 + made.text.count("<mesh filename=")
    state = mujoco.MjData(model)
    for _ in range(1000):
        mujoco.mj_step(model, state)
    # On the hull it lies on the frame, 0.03125 high; through the hole it falls to the limit.
    assert state.qpos[0] == pytest.approx(-0.6 if falls else -0.11875, abs=0.01)


def test_coal_finds_the_hole_free(tmp_path):
    coal = pytest.importorskip("coal")
    points, triangles = read_indexed(os.fspath(FRAME))
    body = MeshWithHull("", points, triangles, convex_hull(points))
    peg, place = coal.Cylinder(0.05, 0.1), coal.Transform3s(np.eye(3), np.array([0.28125, 0, 0]))

    def touches(hull):
        vertices, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in hull.corners:
            vertices.append(np.array(corner))
        for triangle in hull.triangles:
            faces.append(coal.Triangle(*triangle))
        shape = coal.Convex(vertices, faces)
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        return coal.collide(shape, coal.Transform3s(), peg, place, request, result) > 0

    assert touches(body.hull)
    assert not any(map(touches, convex_pieces(body, 0.005, 64, 32).hulls))


@pytest.fixture(params=["hull", "convex"])
def peg_in_hole(request, tmp_path):
    """Return the shape, the number of shapes, and the folder: a peg in the hole of a frame, in each format."""
    (tmp_path / "frame.stl").write_bytes(FRAME.read_bytes())
    (tmp_path / "robot.urdf").write_text(PEG)
    made = collision(
        tmp_path / "robot.urdf", tmp_path / "out.urdf", shape=request.param, for_="drake"
    )
    for form in ("sdf", "usda"):
        export(tmp_path / "out.urdf", tmp_path / f"out.{form}")
    return request.param, 1 + made.text.count("<mesh filename="), tmp_path


@pytest.mark.parametrize("name", ["out.urdf", "out.sdf"])
def test_drake_has_each_piece_and_none_touches_what_is_in_the_hole(peg_in_hole, name):
    drake = pytest.importorskip("pydrake.all")
    shape, count, folder = peg_in_hole
    builder = drake.DiagramBuilder()
    plant, scene = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
    drake.Parser(plant).AddModels(os.fspath(folder / name))
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    plant.GetJointByName("falls").set_translation(plant.GetMyContextFromRoot(context), -0.2)
    query = scene.get_query_output_port().Eval(scene.GetMyContextFromRoot(context))
    frame, (peg,) = (
        plant.GetCollisionGeometriesForBody(plant.GetBodyByName(body)) for body in ("base", "peg")
    )
    assert len(frame) + 1 == count
    gap = min(query.ComputeSignedDistancePairClosestPoints(part, peg).distance for part in frame)
    assert (gap > 0.005) == (shape == "convex") and (gap < -0.05) == (shape == "hull")


def test_bullet_has_each_piece_and_none_touches_what_is_in_the_hole(peg_in_hole):
    bullet = pytest.importorskip("pybullet")
    shape, count, folder = peg_in_hole
    bullet.connect(bullet.DIRECT)
    robot = bullet.loadURDF(os.fspath(folder / "out.urdf"), useFixedBase=True)
    bullet.resetJointState(robot, 0, -0.2)
    assert sum(len(bullet.getCollisionShapeData(robot, link)) for link in (-1, 0)) == count
    gap = min(point[8] for point in bullet.getClosestPoints(robot, robot, 1.0, -1, 0))
    bullet.disconnect()
    assert (gap > 0.005) == (shape == "convex") and (gap < -0.05) == (shape == "hull")


def test_usd_has_each_piece_as_a_convex_hull(peg_in_hole):
    usd = pytest.importorskip("pxr.Usd")
    from pxr import UsdPhysics

    _, count, folder = peg_in_hole
    stage = usd.Stage.Open(os.fspath(folder / "out.usda"))
    shapes = [prim for prim in stage.TraverseAll() if prim.HasAPI(UsdPhysics.CollisionAPI)]
    meshes = [prim for prim in shapes if prim.HasAPI(UsdPhysics.MeshCollisionAPI)]
    assert (len(shapes), len(meshes)) == (count, count - 1)
    for prim in meshes:
        assert UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get() == "convexHull"
