"""Colors of points and facets are the same in any order of the file, and other ones where two places change colors."""

import struct
from functools import partial

import pytest
from dae_writer import document, geometry, inputs, instance, node, paragraph, primitive, source
from mesh_files import GltfBuilder

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.meshes.look_digests import other_looks

PLACES = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]
CORNERS = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]


def text_of(numbers):
    return " ".join(map(str, numbers))


def obj_of(order, colors):
    lines = [f"v {text_of(PLACES[k])} {text_of(colors[k])}" for k in order]
    return "\n".join(lines + ["f 1 2 3", ""]).encode()


def ply_of(order, colors):
    axes = [f"property float {axis}" for axis in "xyz"]
    channels = [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    lines = ["ply", "format ascii 1.0", "element vertex 4", *axes, *channels]
    lines += ["element face 1", "property list uchar int vertex_indices", "end_header"]
    lines += [f"{text_of(PLACES[k])} {text_of(colors[k])}" for k in order]
    # The same face, wherever its points are.
    face = [list(order).index(k) for k in CORNERS[0]]
    return "\n".join([*lines, f"3 {text_of(face)}", ""]).encode()


def ply_of_faces(order, colors):
    axes = [f"property float {axis}" for axis in "xyz"]
    channels = [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    lines = ["ply", "format ascii 1.0", "element vertex 4", *axes, "element face 4"]
    lines += ["property list uchar int vertex_indices", *channels, "end_header"]
    lines += [text_of(place) for place in PLACES]
    lines += [f"3 {text_of(CORNERS[k])} {text_of(colors[k])}" for k in order]
    return "\n".join([*lines, ""]).encode()


def stl_of(order, colors):
    records = b""
    for k in order:
        red, green, blue = (channel // 8 for channel in colors[k])
        corners = [number for corner in CORNERS[k] for number in PLACES[corner]]
        word = 0x8000 | red << 10 | green << 5 | blue
        records += struct.pack("<12fH", 0, 0, 0, *corners, word)
    return bytes(80) + struct.pack("<I", len(order)) + records


def glb_of(order, colors):
    builder = GltfBuilder()
    points = [PLACES[k] for k in order]
    shown = [tuple(channel / 255 for channel in colors[k]) for k in order]
    attributes = {
        "POSITION": builder.accessor("f", "VEC3", points, min=[0, 0, 0], max=[1, 1, 1]),
        "COLOR_0": builder.accessor("f", "VEC3", shown),
    }
    builder.json["meshes"][0]["primitives"] = [{"attributes": attributes}]
    return builder.glb()


def dae_of(order, colors, *, at_corners=False):
    """Return a COLLADA file whose colors are beside its positions, or have indices of their own at the corners."""
    shown = [tuple(channel / 255 for channel in colors[k]) for k in order]
    sources = source("g-p", [PLACES[k] for k in order]) + source("g-c", shown, columns="RGB")
    faces = [[list(order).index(k) for k in corner] for corner in CORNERS]
    beside = inputs("g-p")
    numbers = [k for face in faces for k in face]
    if at_corners:
        beside = inputs("g-p", others=[("COLOR", "g-c", 1)])
        numbers = [each for k in numbers for each in (k, k)]
    text = document(
        geometry("g", sources, primitive("triangles", "g-p", paragraph(numbers), 4, "", beside)),
        node(instance("g")),
        "",
        "",
        "",
    )
    if not at_corners:
        color = '<input semantic="COLOR" source="#g-c"/></vertices>'
        text = text.replace("</vertices>", color, 1)
    return text.encode()


WRITERS = {
    "a.dae": dae_of,
    "corners.dae": partial(dae_of, at_corners=True),
    "a.obj": obj_of,
    "a.ply": ply_of,
    "faces.ply": ply_of_faces,
    "a.stl": stl_of,
    "a.glb": glb_of,
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_order_of_points_is_no_color(name, tmp_path):
    def points_of(order, colors):
        path = tmp_path / name
        path.write_bytes(WRITERS[name](order, colors))
        return other_looks(str(path)).points

    known = points_of((0, 1, 2, 3), COLORS)
    assert known
    assert points_of((3, 1, 0, 2), COLORS) == known
    exchanged = [COLORS[1], COLORS[0], *COLORS[2:]]
    assert points_of((0, 1, 2, 3), exchanged) != known


def usd_of(order, colors, interpolation):
    """Return a stage whose mesh has a color for each point, face, or corner of a face."""
    points = [PLACES[k] for k in order]
    faces = [[list(order).index(k) for k in corner] for corner in CORNERS]
    shown = [colors[k] for k in order]
    if interpolation in ("uniform", "faceVarying"):  # the faces in the order in place of the points
        points, faces = PLACES, [CORNERS[k] for k in order]
    if interpolation == "faceVarying":
        shown = [colors[k] for face in faces for k in face]
    rgb = ", ".join(str(tuple(channel / 255 for channel in color)) for color in shown)
    numbers = ", ".join(str(k) for face in faces for k in face)
    return (
        '#usda 1.0\n(\ndefaultPrim = "r"\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)\n'
        'def Xform "r" {\ndef Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", '
        '"PhysicsMassAPI", "PhysicsArticulationRootAPI"]) {\nfloat physics:mass = 1\n'
        "float3 physics:diagonalInertia = (1, 1, 1)\n"
        f'def Mesh "v" {{\npoint3f[] points = [{", ".join(map(str, points))}]\n'
        "int[] faceVertexCounts = [3, 3, 3, 3]\n"
        f"int[] faceVertexIndices = [{numbers}]\n"
        f'color3f[] primvars:displayColor = [{rgb}] (interpolation = "{interpolation}")\n}}\n}}\n}}\n'
    ).encode()


@pytest.mark.parametrize("interpolation", ["vertex", "varying", "uniform", "faceVarying"])
def test_the_order_of_points_of_a_stage_is_no_color(interpolation):
    def kinds(order, colors):
        known, other = (
            read_bytes(usd_of(*each, interpolation), f"{side}.usda")
            for side, each in (("a", (range(4), COLORS)), ("b", (order, colors)))
        )
        return [one.kind for one in compare(known, other).counted]

    assert kinds((3, 1, 0, 2), COLORS) == []
    exchanged = [COLORS[1], COLORS[0], *COLORS[2:]]
    assert kinds(range(4), exchanged) == kinds((3, 1, 0, 2), exchanged) == ["points"]


def test_an_index_and_an_opacity_of_a_stage_are_colors():
    plain = usd_of(range(4), COLORS, "vertex").decode()
    end = 'interpolation = "vertex")\n'
    texts = [
        plain,
        *(
            plain.replace(end, f"{end}{more}\n")
            for more in (
                "int[] primvars:displayColor:indices = [0, 1, 2, 3]",
                "int[] primvars:displayColor:indices = [0, 1, 2, 2]",
                "float[] primvars:displayOpacity = [1, 1, 0.5, 0.25]",
                "float[] primvars:displayOpacity = [1, 1, 0.25, 0.5]",
            )
        ),
    ]
    robots = [read_bytes(text.encode(), "a.usda") for text in texts]
    verdicts = [
        [compare(robot, other).exit_code for other in robots[k + 1 :]]
        for k, robot in enumerate(robots)
    ]
    assert verdicts == [[0, 1, 1, 1], [1, 1, 1], [1, 1], [1], []]
