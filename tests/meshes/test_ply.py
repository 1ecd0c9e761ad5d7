"""PLY: what is read of it, what is left out, and what is refused."""

import pytest
from mesh_files import ply, TETRAHEDRON

from urdf_tools import BrokenMesh
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.meshes.ply_reader import colors_in_ply

TEXT = ply(TETRAHEDRON).decode()


def read(folder, text):
    path = folder / "a.ply"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_mesh(str(path))


def test_polygons_colors_and_other_elements(tmp_path):
    """A square is cut in two; colors, edges and a face of two corners are left out, with notes."""
    mesh = read(
        tmp_path,
        "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement vertex 4\r\nproperty double x\r\nproperty double y\r\n"
        "property double z\r\nproperty uchar red\r\nelement edge 1\r\nproperty int a\r\nproperty int b\r\n"
        "element face 2\r\nproperty list uint8 uint32 vertex_index\r\nend_header\r\n"
        "0 0 0 255\r\n1 0 0 255\r\n1 1 0 255\r\n0 1 0 255\r\n0 1\r\n4 0 1 2 3\r\n2 0 1\r\n",
    )
    (surface,) = mesh.surfaces
    assert list(surface.positions) == [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]
    assert list(surface.corners) == [0, 1, 2, 0, 2, 3]
    assert [note.sentence for note in mesh.notes] == ["short-faces", "vertex-colors"]


def test_points_alone_draw_nothing(tmp_path):
    header, _, rows = TEXT.partition("element face")
    points = f"{header}end_header{rows.partition('end_header')[2]}"
    assert read(tmp_path, points).surfaces == ()


@pytest.mark.parametrize(
    "old, new, message",
    (
        ("ply\n", "plyx\n", "its first line is not 'ply'"),
        ("format ascii", "format utf8", "a line of its header cannot be read"),
        ("property float x", "property real x", "a line of its header cannot be read"),
        ("element vertex 4", "element vertex four", "a line of its header cannot be read"),
        ("element vertex 4\n", "", "a line of its header cannot be read"),
        ("end_header", "header_end", "its header has no end"),
        ("element face 4", "element face 5", "its records end early"),
        ("property float z", "property float w", "its records end early, or are other"),
        ("vertex_indices", "indices", "its records end early, or are other"),
        ("3 0 ", "3 9 ", "a face names a point that is not there: there are 4"),
        ("3 0 ", "3 0.5 ", "its records end early, or are other"),
        ("0.0 0.0 0.0", "nan 0.0 0.0", "its records end early, or are other"),
    ),
)
def test_what_is_no_ply_is_refused(old, new, message, tmp_path):
    assert old in TEXT
    with pytest.raises(BrokenMesh, match=message):
        read(tmp_path, TEXT.replace(old, new, 1))


@pytest.mark.parametrize("order", ("<", ">"))
def test_a_binary_file_that_ends_early_is_refused(order, tmp_path):
    with pytest.raises(BrokenMesh, match="its records end early"):
        read(tmp_path, ply(TETRAHEDRON, order)[:-1])


HEAD = "ply\nformat ascii 1.0\n"
POINTS = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
COLORED_FACE = "element face 1\nproperty list uchar int vertex_indices\nproperty uchar red\n"


def colors(folder, text):
    path = folder / "a.ply"
    path.write_text(text)
    return list(colors_in_ply(str(path)))


def test_a_color_of_a_face_has_its_place_in_either_order_of_elements(tmp_path):
    rows = "0 0 0\n1 0 0\n0 1 0\n"
    usual = colors(tmp_path, f"{HEAD}{POINTS}{COLORED_FACE}end_header\n{rows}3 0 1 2 255\n")
    faces_first = colors(tmp_path, f"{HEAD}{COLORED_FACE}{POINTS}end_header\n3 0 1 2 255\n{rows}")
    assert len(usual) == 1
    assert faces_first == usual


def test_a_color_of_an_edge_is_not_drawn(tmp_path):
    edge = "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\n"
    text = f"{HEAD}{POINTS}{edge}end_header\n0 0 0\n1 0 0\n0 1 0\n0 1 255\n"
    assert colors(tmp_path, text) == []
    assert read(tmp_path, text).notes == ()


@pytest.mark.parametrize(
    "face, message", (("3 0 1 -1 255", "not there: there are 3"), ("3 0 1", "end early"))
)
def test_colors_of_a_damaged_file_are_refused(face, message, tmp_path):
    with pytest.raises(BrokenMesh, match=message):
        colors(tmp_path, f"{HEAD}{POINTS}{COLORED_FACE}end_header\n0 0 0\n1 0 0\n0 1 0\n{face}\n")
