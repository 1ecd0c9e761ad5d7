"""The boxes of shapes and meshes hold all of them, and what cannot be read has none."""

import struct

import pytest
from hypothesis import given, strategies as st
from dae_writer import document, instance, node, paragraph, primitive, simple_geometry
from mesh_files import binary_stl

from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.lint.opened_meshes import measured_box

numbers = st.floats(-100.0, 100.0, width=32)
points = st.tuples(numbers, numbers, numbers)


@given(st.lists(st.tuples(points, points, points), min_size=1, max_size=7))
def test_the_box_of_a_binary_file_is_that_of_its_corners(tmp_path_factory, triangles):
    """Also of an odd number of triangles, whose records do not begin at multiples of four bytes."""
    path = tmp_path_factory.mktemp("stl") / "a.stl"
    path.write_bytes(binary_stl([list(one) for one in triangles]))
    columns = list(zip(*(corner for one in triangles for corner in one)))
    assert measured_box(str(path)) == (tuple(map(min, columns)), tuple(map(max, columns)))


@pytest.mark.parametrize(
    ("name", "text", "box"),
    (
        (
            "a.stl",
            "solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 -3\nendloop\nendfacet\n"
            "endsolid\n",
            ((0, 0, -3), (1, 2, 0)),
        ),
        ("a.obj", "v 0 0 0\nv 1 0 0 1 1 1\nvn 9 9 9\nv 0 2 -3\nf 1 2 3\n", ((0, 0, -3), (1, 2, 0))),
        ("a.obj", "v 0 0 nan\n", None),
        ("a.obj", "v 0 0\n", None),
        ("a.obj", "", None),
        ("a.stl", "", None),
        ("a.dae", "<COLLADA/>", None),
    ),
)
def test_texts(name, text, box, tmp_path):
    (tmp_path / name).write_text(text)
    assert measured_box(str(tmp_path / name)) == box


def test_no_box_has_what_is_no_number(tmp_path):
    data = binary_stl([[(0, 0, 0), (1, 0, 0), (0, 1, 0)]])
    (tmp_path / "a.stl").write_bytes(data[:96] + struct.pack("<f", float("nan")) + data[100:])
    assert measured_box(str(tmp_path / "a.stl")) is None


@given(st.lists(points, min_size=3, max_size=6), points, st.sampled_from((1.0, 0.001, 0.0254)))
def test_the_box_of_a_collada_file_is_that_of_what_it_draws(
    tmp_path_factory,
    corners,
    place,
    meter,
):
    path = tmp_path_factory.mktemp("dae") / "a.dae"
    order = [k % len(corners) for k in range(3 * len(corners))]
    triangles = primitive("triangles", "g", paragraph(order), len(corners))
    moved = "<translate>{} {} {}</translate><rotate>0 0 1 90</rotate>".format(*place)
    path.write_text(
        document(
            simple_geometry("g", corners, triangles),
            node(moved + instance("g")),
            unit=f'<unit meter="{meter}"/>',
        )
    )
    positions = [
        value for one in read_mesh(str(path), shape_only=True).surfaces for value in one.positions
    ]
    box = measured_box(str(path))
    # Triangles without an area are left out there, and their points are looked at here.
    if positions:
        drawn = (
            [min(positions[axis::3]) for axis in range(3)],
            [max(positions[axis::3]) for axis in range(3)],
        )
        assert box is not None
        assert all(low <= value for low, value in zip(box[0], drawn[0]))
        assert all(value <= high for value, high in zip(drawn[1], box[1]))
        if len({*map(tuple, corners)}) == 3 == len(corners):
            assert box == tuple(map(tuple, drawn))
