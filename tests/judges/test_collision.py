"""What others say of the shapes and pairs: trimesh and scipy of volumes, coal of contacts; MuJoCo, Drake load all."""
import json
import os
import random
import sys
from pathlib import Path
from typing import Any, List, Tuple

import pytest

from urdf_tools import simplify
from urdf_tools.collision.hull import convex_hull
from urdf_tools.collision.reduce import few_corners

AS_IT_IS = {"merge": False, "reorient": False, "strip_hardware": False}
MODELS = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = ("ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf")
POSES = 2000


def cloud(seed: int, count: int = 400) -> List[Tuple[float, float, float]]:
    generator = random.Random(seed)
    return [(generator.gauss(0, 0.1), generator.gauss(0, 0.2), generator.uniform(-0.3, 0.3)) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_volumes_and_containment(seed: int) -> None:
    scipy = pytest.importorskip("scipy.spatial")
    trimesh = pytest.importorskip("trimesh")
    points = cloud(seed)
    hull = convex_hull(points)
    assert hull is not None
    mesh = trimesh.Trimesh(vertices=hull.corners, faces=hull.triangles)
    assert mesh.is_watertight and mesh.volume == pytest.approx(scipy.ConvexHull(points).volume, rel=1e-12)
    few = few_corners(hull, 32, single=False)
    assert few is not None
    outer = trimesh.Trimesh(vertices=few.corners, faces=few.triangles)
    assert outer.is_watertight and mesh.volume <= outer.volume < 1.4 * mesh.volume
    assert trimesh.proximity.signed_distance(outer, points).min() >= -1e-9


def robots() -> List[Path]:
    """Return the robots of example-robot-data that are installed."""
    folder = next((Path(place) / MODELS for place in sys.path if (Path(place) / MODELS).is_dir()), None)
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    os.environ["ROS_PACKAGE_PATH"] = str(folder.parents[1])
    return [folder / name for name in ROBOTS]


def test_mujoco_and_drake_load_all_shapes(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    drake = pytest.importorskip("pydrake.all")
    for urdf in robots():
        for kind in ("hull", "auto", "box"):
            out = tmp_path / f"{urdf.stem}_{kind}.urdf"
            simplify(urdf, out, **AS_IT_IS, collision=kind, separate_dae_meshes=True,
                     mjcf=tmp_path / f"{urdf.stem}_{kind}.xml")
            assert mujoco.MjModel.from_xml_path(str(tmp_path / f"{urdf.stem}_{kind}.xml")).ngeom > 5
        out = tmp_path / f"{urdf.stem}_drake.urdf"
        simplify(urdf, out, **AS_IT_IS, collision="hull", pairs=True, for_="drake")
        builder = drake.DiagramBuilder()
        plant, _ = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
        assert drake.Parser(plant).AddModels(str(out))


def test_coal_finds_no_contact_of_a_proven_pair_and_all_the_others(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    coal = pytest.importorskip("coal")
    for urdf in robots():
        out, report = tmp_path / urdf.name, tmp_path / "pairs.json"
        simplify(urdf, out, **AS_IT_IS, collision="hull", pairs=True, pairs_report=report, force=True)
        known = json.loads(report.read_text())["pairs"]
        model = pin.buildModelFromUrdf(str(out), mimic=True)
        robot = _Robot(pin, coal, model, out)
        never = [(pair["link1"], pair["link2"]) for pair in known if pair["state"] == "never"]
        generator = random.Random(1)
        for _ in range(POSES):
            robot.place([generator.uniform(max(low, -3.2), min(high, 3.2)) for low, high in zip(
                model.lowerPositionLimit, model.upperPositionLimit)])
            assert not [pair for pair in never if robot.touches(*pair)]
        for pair in known:
            if "pose" in pair:
                positions = pin.neutral(model)
                for name, at in zip(pair["joints"], pair["pose"]["positions"]):
                    positions[model.joints[model.getJointId(name)].idx_q] = at
                robot.place(positions)
                assert robot.touches(pair["link1"], pair["link2"]), pair


class _Robot:
    """A robot as coal sees it, in a pose; meshes are hulls."""

    def __init__(self, pin: Any, coal: Any, model: Any, urdf: Path) -> None:
        self.pin, self.coal, self.model, self.data = pin, coal, model, model.createData()
        self.geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, package_dirs=[
            str(urdf.parent)])
        self.of_link: Any = {}
        for number, one in enumerate(self.geometry.geometryObjects):
            if isinstance(one.geometry, coal.BVHModelBase):
                one.geometry.buildConvexHull(True, "Qt")
                one.geometry = one.geometry.convex
            self.of_link.setdefault(model.frames[one.parentFrame].name, []).append(number)
        self.places = self.geometry.createData()

    def place(self, positions: Any) -> None:
        import numpy

        self.pin.updateGeometryPlacements(self.model, self.data, self.geometry, self.places, numpy.array(positions))

    def touches(self, first: str, second: str) -> bool:
        coal, objects = self.coal, self.geometry.geometryObjects
        return any(coal.collide(objects[a].geometry, self.places.oMg[a], objects[b].geometry, self.places.oMg[b],
                                coal.CollisionRequest(), coal.CollisionResult())
                   for a in self.of_link[first] for b in self.of_link[second])
