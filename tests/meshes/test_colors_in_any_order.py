"""Colors of points and facets are the same in any order of the file, and other ones where two places change colors."""

import struct

import pytest
from mesh_files import GltfBuilder

from urdf_tools.meshes.other_looks import other_looks

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


WRITERS = {
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
