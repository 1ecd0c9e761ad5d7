"""Surfaces that are called the same, and points that show that they are not, against dense samples of trimesh."""

import math
import os
import random
from pathlib import Path

import pytest
from conftest import ROOT
from judges.test_reduction import Distances, samples
from mesh_files import binary_stl
from surfaces import (
    as_float32,
    ball,
    bracket,
    by,
    inverted,
    moved,
    split,
    tube,
    turned,
)

from engine import simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.placed_shapes import scale_of
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.meshes import same_surface as module
from urdf_tools.meshes.same_surface import SurfaceGap, SameSurface, same_surface
from urdf_tools.meshes.mesh_readers import read_surfaces
from urdf_tools.urdf.spatial_math import move

TOLERANCE = 1e-4
SHARED = ROOT.parent / "shared"
MJCF_PACKAGES = ("robosuite", "dm_control", "metaworld", "gymnasium_robotics")
LARGEST, SAMPLES = 20_000, 120  # triangles; points of each side


def farthest(points, surface):
    """Return how far the farthest of some points is from a surface."""
    import numpy

    return Distances(numpy.array(surface, dtype=float)).largest(numpy.array(points, dtype=float))


def points_of(surface):
    """Return random points of a surface, and as many corners."""
    import numpy

    return samples(numpy.array(surface, dtype=float), SAMPLES)


def judge(a, b):
    """Return the verdict, after it was held against samples."""
    verdict = same_surface(a, b, TOLERANCE)
    if isinstance(verdict, SameSurface):
        sampled = max(farthest(points_of(a), b), farthest(points_of(b), a))
        assert sampled <= verdict.bound + 1e-9, (sampled, verdict)
    if isinstance(verdict, SurfaceGap):
        own, other = (a, b) if verdict.side == "A" else (b, a)
        assert farthest([verdict.point], own) < 1e-9
        assert (
            verdict.gap >= TOLERANCE
            and verdict.gap <= farthest([verdict.point], other) * (1 + 1e-9) + 1e-12
        )
    return type(verdict).__name__


EDITS = {
    "shuffled": (lambda surface: random.Random(3).sample(surface, len(surface)), "Same"),
    "six digits": (
        lambda surface: moved(surface, lambda p: (round(p[0], 6), round(p[1], 6), round(p[2], 6))),
        "Same",
    ),
    "inside out": (lambda surface: as_float32(inverted(surface)), "Same"),
    "split": (lambda surface: split(surface), "Same"),
    "moved by 50 um": (lambda surface: moved(surface, by(5e-5, 0.0, 0.0)), "Same"),
    "moved by 1 mm": (lambda surface: moved(surface, by(1e-3, 0.0, 0.0)), "Other"),
    "turned": (lambda surface: moved(surface, turned(0.1)), "Other"),
}
MADE = {"bracket": bracket(), "ball": ball(12, 24), "tube": tube(40)}


@pytest.mark.parametrize("body", MADE)
@pytest.mark.parametrize("edit", EDITS)
def test_made_meshes(body, edit):
    change, expected = EDITS[edit]
    assert judge(MADE[body], change(MADE[body])) == expected


def real_meshes():
    """Return meshes of the packages that the judges have, a few of each ending, small and large."""
    trimesh = pytest.importorskip("trimesh")

    folder = Path(trimesh.__file__).parents[1]
    found = []
    for ending in (".stl", ".STL", ".dae", ".obj"):
        files = sorted(
            (path for path in folder.rglob(f"*{ending}") if 2_000 < path.stat().st_size < 300_000),
            key=lambda path: (path.stat().st_size, path.name),
        )
        found += files[:: max(1, len(files) // 8)][:8]
    return found


def test_one_corner_of_a_real_mesh_moved_by_1_mm():
    """Never the same; and each mesh with itself in another order, and written with six digits, always is."""
    counts = {"Other": 0, "Unknown": 0}
    for path in real_meshes():
        try:
            surface = [
                triangle
                for group in read_surfaces(str(path), LARGEST)
                for triangle in group.triangles
            ]
        except UrdfError:
            continue
        longest = max(
            (max(axis) - min(axis) for axis in zip(*(p for t in surface for p in t))), default=0.0
        )
        if not 0.01 < longest < 10.0:
            continue
        chosen = random.Random(len(surface)).choice(surface)[0]
        out = max(range(3), key=lambda axis: abs(chosen[axis]))
        step = [math.copysign(1e-3, chosen[axis]) if axis == out else 0.0 for axis in range(3)]
        other = with_corner_moved(surface, chosen, (step[0], step[1], step[2]))
        verdict = judge(surface, other)
        x, y, z = (p + q for p, q in zip(chosen, step))
        if max(farthest([(x, y, z)], surface), farthest([chosen], other)) > TOLERANCE:
            assert verdict != "Same", path
            counts[verdict] += 1  # else the corner moved within the surface
        assert judge(surface, EDITS["shuffled"][0](surface)) == "Same", path
        assert judge(surface, EDITS["six digits"][0](surface)) == "Same", path
    assert counts["SurfaceGap"] >= 12 and counts["SurfaceGap"] > 9 * counts["Unknown"], counts


def with_corner_moved(surface, corner, step):
    return moved(
        surface, lambda p: (p[0] + step[0], p[1] + step[1], p[2] + step[2]) if p == corner else p
    )


def all_robots():
    """Return the files of robots of the fixtures, of ../shared, and of the packages that the judges have."""
    trimesh = pytest.importorskip("trimesh")

    packages = Path(trimesh.__file__).parents[1]
    return [
        ROOT / "fixtures" / "painted_arm" / "robot.urdf",
        *sorted((SHARED / "robots").glob("*.urdf")),
        *sorted(packages.rglob("*.urdf")),
        *sorted(path for name in MJCF_PACKAGES for path in (packages / name).rglob("*.xml")),
    ]


def robots_with_meshes():
    """Yield the robots that are read and have meshes: all of them in the fuzz profile, else every 12th file."""
    for path in all_robots()[:: 1 if os.environ.get("URDF_PROFILE") == "fuzz" else 12]:
        try:
            robot = read_robot_of(path)
        except UrdfError:
            continue
        if any(shape.path for link in robot.links for shape in link.shapes):
            yield path, robot


def with_mesh(robot, file, mesh):
    """Return a robot with another file in the place of a mesh."""
    return robot._replace(
        links=tuple(
            link._replace(
                shapes=tuple(
                    shape._replace(path=str(mesh), file=mesh.name) if shape.path == file else shape
                    for shape in link.shapes
                )
            )
            for link in robot.links
        )
    )


def scaled(surface, scale):
    return moved(surface, lambda p: (p[0] * scale[0], p[1] * scale[1], p[2] * scale[2]))


def test_every_robot_with_one_corner_of_a_mesh_moved_by_1_mm(tmp_path):
    """The comparison names the mesh wherever the corner is off the surface; of the same triangles it says nothing."""
    counts = {"other": 0, "same": 0, "unknown": 0, "large": 0, "on the surface": 0}
    for path, source in robots_with_meshes():
        scales = {
            shape.path: scale_of(shape)
            for link in source.links
            for shape in link.shapes
            if shape.path
        }
        file = random.Random(str(path.name)).choice(sorted(scales))
        try:
            surface = [
                triangle for group in read_surfaces(file, LARGEST) for triangle in group.triangles
            ]
        except UrdfError:
            counts["large"] += 1
            continue
        # Some triangles of a sign have no area, and draw nothing.
        corner = max(surface, key=module._area)[0]
        edited = with_corner_moved(surface, corner, (0.0, 0.0, 1e-3 / (scales[file][2] or 1.0)))
        x, y, z = scaled([(corner, corner, corner)], scales[file])[0][0]
        off = farthest([(x, y, z + 1e-3)], scaled(surface, scales[file]))
        for name, triangles in (("same", surface[::-1]), ("other", edited)):
            mesh = tmp_path / name / f"{Path(file).stem}.stl"
            mesh.parent.mkdir(exist_ok=True)
            mesh.write_bytes(binary_stl(triangles))
            comparison = compare(source, with_mesh(source, file, mesh))
            named = {one.kind for one in comparison.differences}
            assert named <= {"mesh", "color", "shape_kind"}, (path, file, named)
            unknown = any(
                one.kind == "mesh_unproven" and one.b == mesh.name for one in comparison.unproven
            )
            if name == "same":
                assert "mesh" not in named and not unknown, (path, file)
                counts["same"] += 1
            else:
                assert "mesh" in named or unknown or off <= TOLERANCE, (path, file, off)
                counts[
                    "other" if "mesh" in named else "unknown" if unknown else "on the surface"
                ] += 1
    print(counts)
    assert counts["other"] >= 5 and counts["unknown"] <= counts["other"] // 20


TURN = math.sqrt(0.5)
ASSETS = (
    "",
    'scale="1 2 0.5"',
    'scale="-1 1 1"',
    'refpos="0.5 0.25 0"',
    f'refquat="{TURN} 0 0 {TURN}"',
    f'scale="1 2 -1" refpos="0.1 0 0.3" refquat="{TURN} 0 {TURN} 0"',
)


@pytest.mark.parametrize("more", ASSETS)
@pytest.mark.parametrize("faces", (True, False))
def test_a_mesh_inside_of_mjcf_is_what_mujoco_compiles(more, faces):
    """Triangle by triangle; without faces MuJoCo takes the convex hull, which may cut its facets otherwise."""
    mujoco = pytest.importorskip("mujoco")

    surface = as_float32(bracket()) if faces else as_float32(ball(5, 7))
    points = list(dict.fromkeys(corner for triangle in surface for corner in triangle))
    face = " ".join(str(points.index(corner)) for triangle in surface for corner in triangle)
    vertex = " ".join(repr(value) for point in points for value in point)
    corners = f'face="{face}"' if faces else ""
    text = (
        f'<mujoco><asset><mesh name="part" vertex="{vertex}" {corners} {more}/></asset>'
        '<worldbody><body name="b" pos="1 2 3" euler="10 20 30"><freejoint/><inertial pos="0 0 0" mass="1" '
        'diaginertia="1 1 1"/><geom type="mesh" mesh="part" pos="0.1 0 0.2" euler="0 40 0"/></body></worldbody>'
        "</mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(text)
    own = read_mjcf(text).links[0].shapes[0]
    assert own.inline is not None
    R = numpy_matrix(mujoco, model.geom_quat[0])
    drawn = model.mesh_vert @ R.T + model.geom_pos[0]
    compiled = [tuple(tuple(map(float, drawn[k])) for k in corners) for corners in model.mesh_face]
    read = [
        (move(own.T_link_shape, a), move(own.T_link_shape, b), move(own.T_link_shape, c))
        for group in own.inline()
        for a, b, c in group.triangles
    ]
    verdict = same_surface(read, compiled, TOLERANCE)
    assert isinstance(verdict, SameSurface) and verdict.bound < 2e-6 and verdict.turned < 1e-3, (
        verdict
    )


def numpy_matrix(mujoco, quaternion):
    import numpy

    R = numpy.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


@pytest.mark.parametrize("meshes", ("inline", "beside"))
def test_a_mesh_inside_of_usd_is_what_usd_core_reads(meshes, tmp_path):
    """Points, polygons and the looks of faces, through the references that USD itself follows."""
    pxr = pytest.importorskip("pxr.Usd")
    from pxr import UsdGeom, UsdShade

    path = Path(__file__).resolve().parents[2] / "fixtures" / "painted_arm" / "robot.urdf"
    simplify(path, tmp_path / "out.urdf", usd=str(tmp_path / "out.usda"), usd_meshes=meshes)
    stage = pxr.Stage.Open(str(tmp_path / "out.usda"))
    counts = 0
    own = [
        shape
        for link in read_robot_of(tmp_path / "out.usda").links
        for shape in link.shapes
        if shape.inline
    ]
    prims = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert len(own) == len(prims) > 5
    for shape, prim in zip(own, prims):
        mesh = UsdGeom.Mesh(prim)
        points, corners = mesh.GetPointsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
        triangles = [
            tuple(tuple(map(float, points[k])) for k in corners[start : start + 3])
            for start in range(0, len(corners), 3)
        ]
        looks = {
            face: subset
            for subset in UsdGeom.Subset.GetAllGeomSubsets(mesh)
            for face in subset.GetIndicesAttr().Get()
        }
        expected = {}
        for number, triangle in enumerate(triangles):
            look = looks.get(number)
            material = (
                UsdShade.MaterialBindingAPI(look.GetPrim()).GetDirectBinding().GetMaterial()
                if look
                else None
            )
            expected.setdefault(str(material.GetPath().name) if material else "", []).append(
                triangle
            )
        found = [list(group.triangles) for group in shape.inline()]
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected.values())), prim
        counts += len(triangles)
    assert counts > 100
