"""Images that the file of the robot names, over mesh files that have colors of their own on some of their parts."""

from pathlib import Path

import pytest
from colored_robots import dae_of, shader_of
from dae_writer import document, geometry, instance, node, paragraph, primitive, source
from dae_writer import inputs
from painted_robots import HALVES, image, MASS, POINTS, write_into

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.compare.difference_kinds import text_of

RED = (1.0, 0.0, 0.0)
PAINT = '<material name="paint"><color rgba="0.25 0.5 0.75 1"/>{}</material>'
IMAGE = '<texture filename="t.png"/>'


def half_of(number):
    """Return a COLLADA file of one half of the solid, without a color."""
    start, end = HALVES[number]
    corners = paragraph(list(range(start, end)))
    part = primitive("triangles", "g-p", corners, (end - start) // 3, "", inputs("g-p"))
    shape = geometry("g", source("g-p", POINTS), part)
    return document(shape, node(instance("g", {})), "", "", "").encode()


MESHES = {
    "whole.dae": dae_of(["", ""]),
    "partly.dae": dae_of([shader_of(RED), ""]),
    "colored.dae": dae_of([shader_of(RED), shader_of(RED)]),
    "one.dae": half_of(0),
    "two.dae": half_of(1),
}


def robot_of(*visuals):
    """Return a URDF with visuals of meshes, each with its material."""
    shapes = "".join(
        f'<visual><geometry><mesh filename="{mesh}"/></geometry>{material}</visual>'
        for mesh, material in visuals
    )
    return f'<robot name="r"><link name="base">{MASS}{shapes}</link></robot>'.encode()


def compared(folder, first, second, images=(RED, RED)):
    """Return the comparison of two robots; an image of None is not there."""
    for side, visuals, color in zip("ab", (first, second), images):
        files = {**MESHES, "robot.urdf": robot_of(*visuals)}
        if color is not None:
            files["t.png"] = image(color)
        write_into(folder / side, files)
    return compare(*(read_robot_of(folder / side / "robot.urdf") for side in "ab"))


PLAIN, SHOWN = PAINT.format(""), PAINT.format(IMAGE)
RED_PAINT = '<material name="red"><color rgba="1 0 0 1"/></material>'
HALF = [("one.dae", RED_PAINT), ("two.dae", SHOWN)]
LOST = "base: visual partly has a color or image only in A"


@pytest.mark.parametrize(
    "first, second, images, said",
    [
        ([("partly.dae", SHOWN)], HALF, (RED, RED), []),
        ([("partly.dae", SHOWN)], [HALF[0], ("two.dae", PLAIN)], (RED, RED), [LOST]),
        (
            [("partly.dae", SHOWN)],
            HALF,
            (RED, (0.0, 1.0, 0.0)),
            ["base: visual partly has another color"],
        ),
        (
            [("whole.dae", SHOWN)],
            [("one.dae", SHOWN), ("two.dae", PLAIN)],
            (RED, RED),
            ["base: visual whole has another color"],
        ),
    ],
)
def test_an_image_over_a_partly_colored_mesh_is_compared_by_parts(
    first, second, images, said, tmp_path
):
    found = compared(tmp_path, first, second, images)
    assert [text_of(one) for one in found.differences] == said
    assert found.exit_code == int(bool(said))


@pytest.mark.parametrize("images", [(RED, None), (None, RED), (None, None)])
def test_an_image_that_is_not_there_leaves_united_visuals_unproven(images, tmp_path):
    parts = [("one.dae", SHOWN), ("two.dae", PLAIN)]
    found = compared(tmp_path, [("whole.dae", SHOWN)], parts, images)
    assert [one.kind for one in found.unproven] == ["image_missing"]


def test_an_image_that_one_side_names_and_does_not_have_is_a_difference(tmp_path):
    parts = [("one.dae", PLAIN), ("two.dae", PLAIN)]
    found = compared(tmp_path, [("whole.dae", SHOWN)], parts, (None, None))
    assert [one.kind for one in found.differences] == ["color_one_side"]


def test_an_image_that_both_sides_name_in_one_place_is_the_same(tmp_path):
    Path(tmp_path / "a").mkdir()
    write_into(tmp_path, {**MESHES, "a.urdf": robot_of(("whole.dae", SHOWN))})
    write_into(tmp_path, {"b.urdf": robot_of(("one.dae", SHOWN), ("two.dae", SHOWN))})
    found = compare(*(read_robot_of(tmp_path / f"{side}.urdf") for side in "ab"))
    assert found.exit_code == 0
    assert "image_not_opened" in [one.kind for one in found.noted]


BOX_OBJ = "\n".join(
    [
        "mtllib box.mtl",
        *(f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)),
        "usemtl red",
        *("f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"),
        "",
    ]
).encode()


def test_the_color_of_a_mesh_is_compared_with_a_box_without_one(tmp_path):
    mesh = '<mesh filename="box.obj"/>'
    for name, shape in (("a", mesh), ("b", '<box size="2 2 2"/>')):
        text = f"<visual><geometry>{shape}</geometry></visual>"
        robot = f'<robot name="r"><link name="base">{MASS}{text}</link></robot>'
        write_into(tmp_path, {f"{name}.urdf": robot.encode()})
    write_into(tmp_path, {"box.obj": BOX_OBJ, "box.mtl": b"newmtl red\nKd 1 0 0\n"})
    found = compare(*(read_robot_of(tmp_path / f"{name}.urdf") for name in "ab"))
    assert [one.kind for one in found.differences] == ["color_one_side"]
