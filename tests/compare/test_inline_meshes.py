"""Meshes that the file of a robot holds itself are compared as those of files are: MJCF `vertex`, Mesh prims of USD."""

import hashlib
import math

import pytest
from mesh_files import binary_stl, png
from surfaces import as_float32, ball, bracket, inverted, moved

from urdf_tools.base.errors import BrokenRobot, UsageError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.compare.comparison_text import report, verdict_line

L = as_float32(bracket())
TURN = math.sqrt(0.5)


def indexed(surface):
    points = list(dict.fromkeys(corner for triangle in surface for corner in triangle))
    return points, [points.index(corner) for triangle in surface for corner in triangle]


def text(numbers):
    return " ".join(map(repr, numbers))


def mjcf(surface, more="", *, faces=True):
    points, corners = indexed(surface)
    face = f' face="{text(corners)}"' if faces else ""
    return (
        f'<mujoco><asset><mesh name="part" vertex="{text(sum(points, ()))}"{face} {more}/></asset><worldbody>'
        '<body name="base"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        '<geom type="mesh" mesh="part" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )


def usda(surface, more="", *, scheme="none", head="", inside=""):
    points, corners = indexed(surface)
    return f'''#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "r" {{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI"]) {{
        float physics:mass = 1
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (1, 1, 1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        def Mesh "part" {head} {{
            uniform token subdivisionScheme = "{scheme}"
            point3f[] points = {points!r}
            int[] faceVertexCounts = {[3] * len(surface)!r}
            int[] faceVertexIndices = {corners!r}
            {more}
            {inside}
        }}
    }}
}}
'''


def urdf(more=""):
    return (
        '<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="part.stl"{more}/></geometry></visual>'
        "</link></robot>"
    )


def with_files(folder, surface, other, name, more=""):
    """Compare a URDF with the file of a surface, and the text of another robot."""
    (folder / "part.stl").write_bytes(binary_stl(surface))
    for file, content in (("a.urdf", urdf(more)), (name, other)):
        (folder / file).write_text(content)
    return compare(read_robot_of(folder / "a.urdf"), read_robot_of(folder / name))


def one_corner_moved(surface):
    corner = max(surface, key=lambda triangle: sum(triangle[0]))[0]
    return moved(surface, lambda p: (p[0], p[1], p[2] + 1e-3) if p == corner else p)


WRITERS = {"robot.xml": mjcf, "robot.usda": usda}


@pytest.mark.parametrize("name", WRITERS)
def test_the_triangles_of_a_file_are_the_same(name, tmp_path):
    comparison = with_files(tmp_path, L, WRITERS[name](L), name)
    assert verdict_line(comparison) == "Same robot: exactly, for all positions", report(
        comparison, full=True
    )
    again = compare(comparison.b, read_robot_of(tmp_path / name))
    assert again.verdict == "same" and not again.unproven


@pytest.mark.parametrize("name", WRITERS)
def test_a_corner_that_moved_by_1_mm_is_named(name, tmp_path):
    comparison = with_files(tmp_path, L, WRITERS[name](one_corner_moved(L)), name)
    assert [one.kind for one in comparison.differences] == ["mesh"]
    assert comparison.differences[0].size == pytest.approx(1e-3, rel=1e-3)


SCALED = {  # attributes of the asset, and where it puts a point
    "scale": ('scale="1 2 0.5"', lambda p: (p[0], 2 * p[1], 0.5 * p[2])),
    "mirrored": ('scale="-1 1 1"', lambda p: (-p[0], p[1], p[2])),
    "refpos": ('refpos="0.5 0.25 0"', lambda p: (p[0] - 0.5, p[1] - 0.25, p[2])),
    "refquat": (f'refquat="{TURN} 0 0 {TURN}"', lambda p: (p[1], -p[0], p[2])),
    "all": (
        f'scale="1 2 -1" refpos="0.5 0 0" refquat="{TURN} 0 0 {TURN}"',
        lambda p: (p[1], -2 * (p[0] - 0.5), -p[2]),
    ),
}


@pytest.mark.parametrize("row", SCALED)
def test_scale_and_frame_of_mjcf(row, tmp_path):
    """Where a turn and a scale stand together, no mesh file could say it."""
    more, where = SCALED[row]
    there = moved(L, where)
    there = inverted(there) if row in ("mirrored", "all") else there
    comparison = with_files(tmp_path, there, mjcf(L, more), "robot.xml")
    assert comparison.is_same and not comparison.unproven, report(comparison, full=True)
    assert not any(one.kind == "mesh_turned" for one in comparison.noted)
    assert with_files(tmp_path, L, mjcf(L, more), "robot.xml").verdict == "limits"


def test_without_faces_it_is_the_convex_hull(tmp_path):
    body = as_float32(ball(6, 8))
    inner = [*body, ((0.0, 0.0, 0.0), (0.01, 0.0, 0.0), (0.0, 0.01, 0.0))]
    comparison = with_files(tmp_path, body, mjcf(inner, faces=False), "robot.xml")
    assert comparison.is_same and not comparison.unproven, report(comparison)
    assert [
        one.kind for one in with_files(tmp_path, L, mjcf(L, faces=False), "robot.xml").differences
    ] == ["mesh"]


def with_asset(said):
    """Return an MJCF whose mesh says only this."""
    return mjcf(L).replace(mjcf(L).partition("<mesh ")[2].partition("/>")[0], f'name="part" {said}')


@pytest.mark.parametrize(
    "said",
    (
        'vertex="0 0 0 1 0 0 0 1 0"',
        'vertex="0 0 0 1 0 0 0 1 0 0 0 1 2"',
        'vertex=""',
        'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1"',
        'vertex="0 0 0 1 0 0 0 1 0 0 0 nan"',
        'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 4"',
        'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 -1"',
    ),
)
def test_what_mujoco_refuses_is_refused(said):
    with pytest.raises(BrokenRobot, match="robot.xml:1"):
        read_mjcf(with_asset(said), "robot.xml")


def test_what_mujoco_makes_itself_is_unknown(tmp_path):
    comparison = with_files(tmp_path, L, with_asset('builtin="sphere" params="2"'), "robot.xml")
    assert (
        "it is made while B is compiled" in report(comparison, columns=10**4)
        and comparison.unproven
    )


def test_points_in_one_plane_have_no_hull(tmp_path):
    flat = moved(L, lambda p: (p[0], p[1], 0.0))
    comparison = with_files(tmp_path, L, mjcf(flat, faces=False), "robot.xml")
    assert "lie in one plane" in report(comparison, columns=10**4) and not comparison.differences


USD = {  # a Mesh of USD, and what the report says of it
    "a scale of its own": (
        usda(
            moved(L, lambda p: (p[0], p[1] / 2, p[2])),
            'double3 xformOp:scale = (1, 2, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]',
        ),
        "exactly",
    ),
    "left-handed": (usda(inverted(L), 'uniform token orientation = "leftHanded"'), "exactly"),
    "inside out": (usda(inverted(L)), "faces"),
    "subdivided": (usda(L, scheme="catmullClark"), "exactly"),  # the default, which nobody means
    "of no scheme": (
        usda(L).replace('uniform token subdivisionScheme = "none"', ""),
        "exactly",
    ),
}


@pytest.mark.parametrize("row", USD)
def test_a_mesh_of_usd(row, tmp_path):
    written, says = USD[row]
    comparison = with_files(tmp_path, L, written, "robot.usda")
    assert says in report(comparison, full=True, columns=10**4), report(comparison, full=True)
    assert not comparison.differences
    assert [one.kind for one in comparison.noted].count("mesh_turned") == (row == "inside out")


@pytest.mark.parametrize("target", ["</meshes/part>", "@./gone.usda@</meshes/part>"])
def test_a_prim_or_a_layer_that_is_not_there_is_refused(target, tmp_path):
    written = usda(L, head=f"(prepend references = {target})")
    with pytest.raises(BrokenRobot, match="</r/base/part>: it takes .* which is not there"):
        with_files(tmp_path, L, written, "robot.usda")


def test_an_image_inside_of_usd(tmp_path):
    """The images of a COLLADA and of USD are the same by their bytes; without the file it is unknown."""
    for name, image in (("a", png()), ("b", png(7, 7))):
        (tmp_path / f"{name}.png").write_bytes(image)
    shaders = """
            def GeomSubset "all" {
                int[] indices = [FACES]
                rel material:binding = </r/base/part/looks/paint>
            }
            def Scope "looks" {
                def Material "paint" {
                    token outputs:surface.connect = </r/base/part/looks/paint/drawn.outputs:surface>
                    def Shader "drawn" {
                        uniform token info:id = "UsdPreviewSurface"
                        color3f inputs:diffuseColor.connect = </r/base/part/looks/paint/image.outputs:rgb>
                    }
                    def Shader "image" { asset inputs:file = @./FILE@ }
                }
            }"""
    faces, found = ", ".join(map(str, range(len(L)))), {}
    for file in ("a.png", "b.png", "gone.png"):
        (tmp_path / "robot.usda").write_text(
            usda(L, inside=shaders.replace("FILE", file).replace("FACES", faces))
        )
        shape = read_robot_of(tmp_path / "robot.usda").links[0].shapes[0]
        assert shape.inline is not None
        try:
            found[file] = [group.texture for group in shape.inline()]
        except UsageError as error:
            found[file] = [error.message]
    assert found["a.png"] == [hashlib.sha256(png()).hexdigest()] != found["b.png"]
    assert found["gone.png"][0].startswith("no such file")
