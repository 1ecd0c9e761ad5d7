"""Shapes of USD, counted by hand: what becomes triangles, images, sheared frames; names and pairs of prims."""

import math
import struct

import pytest
from commands import in_process
from conftest import examples
from hypothesis import given, strategies as st
from mesh_files import png
from usd_texts import HEAD, HINGE, IS_BODY, MASS, read, robot

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.formats.usd.prim_transforms import placed, volume_of
from urdf_tools.urdf.spatial_math import IDENTITY, multiply, Transform, transpose, ZERO

POINTS = ((0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1))  # a tetrahedron of 1 m^3
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
MESH = f"""point3f[] points = {list(POINTS)}
int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = {[corner for face in FACES for corner in face]}"""
CORNERS = 32  # of what is round and becomes a mesh
# Half the sine of a turn by one corner, once for each: the area of the polygon in a circle of radius 1.
AREA = CORNERS / 2 * math.sin(2 * math.pi / CORNERS)


def ops(**given):
    """Return transforms by the kinds of their ops, the first one outermost."""
    lines = [f"double3 xformOp:{kind} = {value}" for kind, value in given.items()]
    listed = ", ".join(f'"xformOp:{kind}"' for kind in given)
    return "\n".join([*lines, f"uniform token[] xformOpOrder = [{listed}]"])


def shape_of(prim):
    """Return the shape of a robot whose arm has this prim."""
    (shape,) = [each for link in read(robot(more=prim)).links for each in link.shapes]
    return shape


def triangles_of(shape):
    return [triangle for part in shape.inline() for triangle in part.triangles]


def signed_volume(triangles):
    return math.fsum(volume_of(triangle) for triangle in triangles) / 6.0


def open_edges(triangles):
    """Return the edges that no triangle has the other way round."""
    edges = [(t[k - 1], t[k]) for t in triangles for k in range(3)]
    return [edge for edge in edges if edges.count(edge) != edges.count(edge[::-1])]


FACTORS = st.sampled_from((0.25, 0.5, 0.8, 1.0, 1.5, 3.0, -0.5, -1.0, -2.0))
ANGLES = st.sampled_from((0, 30, 90, -140))


@given(
    inner=st.tuples(FACTORS, FACTORS, FACTORS),
    outer=st.tuples(FACTORS, FACTORS, FACTORS),
    angles=st.tuples(ANGLES, ANGLES, ANGLES),
    is_left=st.booleans(),
)
@examples(20)
def test_the_volume_of_a_mesh_is_that_of_the_file_times_the_scale(inner, outer, angles, is_left):
    """A mirror turns no surface inside out; a mesh that is left-handed in the file is inside out as it stands."""
    orientation = 'uniform token orientation = "leftHanded"' if is_left else ""
    mesh = f'def Mesh "m" {{\n{MESH}\n{orientation}\n{ops(rotateXYZ=angles, scale=inner)}\n}}'
    around = f'def Xform "g" {{\n{ops(scale=outer)}\ndef Xform "h" {{\n{mesh}\n}}\n}}'
    determinant = math.prod((*inner, *outer))
    wanted = abs(determinant) * (-1.0 if is_left else 1.0)
    assert signed_volume(triangles_of(shape_of(around))) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("kind", ["Cylinder", "Cone"])
@pytest.mark.parametrize("scale", [(0.5, 0.25, 0.8), (2.0, 3.0, 0.25), (-1.0, 2.0, 0.5)])
def test_a_round_solid_that_becomes_triangles_is_closed_and_has_its_volume(kind, axis, scale):
    said = f'double radius = 0.5\ndouble height = 3\nuniform token axis = "{axis}"\n'
    triangles = triangles_of(shape_of(f'def {kind} "s" {{\n{said}{ops(scale=scale)}\n}}'))
    volume = AREA * 0.5 * 0.5 * 3.0 * abs(math.prod(scale))
    assert open_edges(triangles) == []
    assert signed_volume(triangles) == pytest.approx(volume / (3.0 if kind == "Cone" else 1.0))


def test_a_scaled_mesh_is_written_as_it_is_in_the_file(tmp_path):
    """The STL of a URDF, read here by its bytes: half as large in each direction, and not inside out."""
    (tmp_path / "r.usda").write_text(
        robot(more=f'def Mesh "m" {{\n{MESH}\n{ops(scale=(0.5, 0.5, 0.5))}\n}}'), "utf-8"
    )
    done = in_process(["export", str(tmp_path / "r.usda"), str(tmp_path / "r.urdf"), "-y"])
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "r_meshes" / "m.stl").read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    facets = [struct.unpack_from("<12f", data, 84 + 50 * k) for k in range(count)]
    triangles = [(facet[3:6], facet[6:9], facet[9:12]) for facet in facets]
    assert signed_volume(triangles) == pytest.approx(0.125)


# --- Images -----------------------------------------------------------------------------------------------------------

LOOKS = """
def Scope "Looks" {
    def Material "painted" {
        token outputs:surface.connect = </robot/Looks/painted/surface.outputs:surface>
        def Shader "surface" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </robot/Looks/painted/image.outputs:rgb>
            token outputs:surface
        }
        def Shader "image" {
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @paint.png@
            float3 outputs:rgb
        }
    }
}
"""
BOUND = "rel material:binding = </robot/Looks/painted>"


def painted():
    """Return a stage whose mesh and whose cube have an image, and whose ball has none."""
    shapes = f"""def Mesh "m" {{\n{MESH}\n{BOUND}\n}}
        def Cube "c" {{\n{BOUND}\n}}
        def Sphere "s" {{\n}}"""
    return robot(more=shapes, joint=HINGE.format("") + LOOKS)


def test_an_image_beside_a_stage_is_the_texture_of_each_solid_that_it_is_bound_to(tmp_path):
    """The mesh becomes STL, which shows no image: it is said to be lost."""
    (tmp_path / "r.usda").write_text(painted(), "utf-8")
    (tmp_path / "paint.png").write_bytes(png(1))
    done = in_process(["export", str(tmp_path / "r.usda"), str(tmp_path / "r.urdf"), "-y"])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r.urdf").read_text("utf-8").count('paint.png"/>') == 1
    said = (done.stdout + done.stderr).decode()
    assert said.count("input-lost") == 1 and "'m' shows an image" in " ".join(said.split())


def test_an_image_in_an_archive_is_no_file_and_is_said_to_be_lost(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "r.usdz", "w") as archive:
        archive.writestr("r.usda", painted())
        archive.writestr("paint.png", png(1))
    found = read_robot_of(tmp_path / "r.usdz")
    assert [shape.texture for shape in found.links[1].shapes] == ["", "", ""]
    assert any("inputs:file" in one.why for one in found.unread)


# --- Sheared frames ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angles", [(0, 0, 30), (20, 30, 40), (-70, 10, 160)])
@pytest.mark.parametrize("scale", [(2, 1, 1), (0.5, 3, 1), (-2, 1, 1)])
def test_a_frame_that_is_turned_in_an_uneven_scale_is_read_with_one_rotation(
    angles, scale, tmp_path
):
    """The arm is scaled and has a hand that is turned: what is drawn stays where it is."""
    mesh = f'def Mesh "m" {{\n{MESH}\n}}'
    hand = f'def Xform "hand" {{\n{ops(rotateXYZ=angles)}\n{mesh}\n}}'
    place = f"double3 xformOp:translate = (0, 0, 0.5)\ndouble3 xformOp:scale = {scale}"
    (tmp_path / "r.usda").write_text(robot(place=place, more=hand), "utf-8")
    first = read_robot_of(tmp_path / "r.usda")
    assert any("</robot/arm/hand> is a frame that is sheared" in note for note in first.notes)
    done = in_process(["export", str(tmp_path / "r.usda"), str(tmp_path / "r.urdf"), "-y"])
    assert done.returncode == 0, done.stderr
    assert compare(first, read_robot_of(tmp_path / "r.urdf")).is_same


NUMBERS = st.integers(-40, 40).map(lambda n: n / 10)
ROWS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


@given(A=st.tuples(ROWS, ROWS, ROWS))
@examples(200)
def test_each_place_has_a_rotation_and_a_sheared_one_the_nearest(A):
    """A = R S, or -A for a mirror, with S symmetric and positive: that is the polar decomposition."""
    at = placed(Transform(A, ZERO))
    R = at.pose.rotation
    assert sum(multiply(transpose(R), R), ()) == pytest.approx(sum(IDENTITY, ()), abs=2e-5)
    assert volume_of(R) == pytest.approx(1.0, abs=2e-5)
    if not at.is_sheared or R == IDENTITY:
        return
    sign = math.copysign(1.0, volume_of(A))
    S = multiply(transpose(R), A)
    assert sum(S, ()) == pytest.approx(sum(transpose(S), ()), abs=1e-9)
    (a, b, _), (_, c, _), _ = S
    assert sign * a > 0.0
    assert a * c - b * b > 0.0
    assert sign * volume_of(S) > 0.0


# --- Names and pairs --------------------------------------------------------------------------------------------------

BODY = 'def Xform "{0}" ' + IS_BODY + "\n{{\n" + MASS.format(1) + "\n{1}\n}}\n"
JOINT = """def PhysicsRevoluteJoint "hinge" {{
rel physics:body0 = </robot/{0}>
rel physics:body1 = </robot/{1}>
}}"""


def test_names_that_are_made_up_for_prims_are_new_and_have_no_slash():
    """Three joints are called hinge, and one has the name that is made of the path of another."""
    text = HEAD.format("") + 'def Xform "robot" {\n'
    text += JOINT.format("c", "d").replace('"hinge"', '"robot_b_hinge"') + "\n"
    for name, inner in (("a", ""), ("b", ("a", "b")), ("c", ("b", "c")), ("d", "")):
        text += BODY.format(name, JOINT.format(*inner) if inner else "")
    text += JOINT.format("d", "e") + BODY.format("e", "") + "}\n"
    names = [joint.name for joint in read(text).joints]
    assert sorted(names) == ["hinge", "robot_b_hinge", "robot_c_hinge", "robot_hinge"]
    swapped = [joint.name for joint in read(text.replace("robot_b_hinge", "robot_c_hinge")).joints]
    assert sorted(swapped) == ["hinge", "robot_c_hinge", "robot_c_hinge_2", "robot_hinge"]


def test_a_pair_that_both_bodies_name_is_one():
    text = robot().replace('"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysicsFilteredPairsAPI"]')
    for name, other in (("base", "arm"), ("arm", "base")):
        said = f"{{\n rel physics:filteredPairs = </robot/{other}>"
        head, _, tail = text.partition(f'def Xform "{name}"')
        text = head + f'def Xform "{name}"' + tail.replace("{", said, 1)
    assert read(text).apart == (("base", "arm"),)
