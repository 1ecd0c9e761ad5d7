"""COLLADA meshes of a robot: the materials of their parts among those of the robot."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from mesh_robots import draws, FOUR, painted, shapes_of, solids, urdf, write


def test_materials_do_not_meet_others(tool: Any, tmp_path: Path) -> None:
    color = '      <material name="{}">\n        <color rgba="{}"/>\n      </material>\n'
    box = "    <visual>\n      <geometry>\n        <box size='1 1 1'/>\n      </geometry>\n{}    </visual>\n"
    write(
        tmp_path,
        {
            "m.dae": painted("red"),
            "plain.dae": solids(("", "")),
            "robot.urdf": urdf(draws("m.dae", color.format("lacquer", "1 0 0 1"))
                               + box.format('      <material name="lacquer"/>\n'),
                               draws("m.dae") + box.format(color.format("link1_red_mat", FOUR)),
                               draws("plain.dae", color.format("short", "1 0 0"))
                               + draws("plain.dae", color.format("", FOUR))
                               + draws("plain.dae", '      <material name="nowhere"/>\n')
                               + draws("plain.dae", color.format("twice", FOUR))
                               + draws("plain.dae", color.format("first", "0 0.0 0 1.0"))
                               + draws("plain.dae", color.format("words", "a b c d")),
                               more='  <material name="first">\n    <color rgba="1 1 1 1"/>\n  </material>\n'),
        },
    )
    tool.simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf", split="color", merge=False, strip_hardware=False,
                  reorient=False)
    gray, blue = "0.6 0.6 0.6 1", "0 0.5 1 1"
    assert [row[5:] for row in shapes_of(tmp_path / "out.urdf")] == [
        ("link0_red_mat", blue),
        ("lacquer", ""),  # what the mesh said before is said for the robot now
        ("link1_red_mat_2", blue),
        ("link1_red_mat", FOUR),
        ("link2_part1_mat", gray),
        ("link2_part1_mat_2", FOUR),
        ("link2_part1_mat", gray),
        ("twice", FOUR),
        ("first_2", "0 0.0 0 1.0"),
        ("link2_part1_mat", gray),
    ]


def test_a_color_stays_when_the_motor_that_named_it_leaves(tool: Any, tmp_path: Path) -> None:
    color = '      <material name="steel">\n        <color rgba="0.3 0.3 0.3 1"/>\n      </material>\n'
    write(
        tmp_path,
        {"robot.urdf": urdf(draws("rotor.stl", color) + draws("hull.stl", '      <material name="steel"/>\n'))},
    )
    result = tool.simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf")
    assert len(result.plan.strips) == 1
    assert [row[3:4] + row[5:] for row in shapes_of(tmp_path / "out.urdf")] == [("hull.stl", "steel", "")]
    (steel,) = ElementTree.parse(tmp_path / "out.urdf").findall("material[@name='steel']/color")
    assert steel.get("rgba") == "0.3 0.3 0.3 1"


def test_large_parts_are_split_with_one_material(tool: Any, folder: Path) -> None:
    meshes = tool.MeshOptions(separate_dae_meshes=True, max_faces=10)
    made = tool.MeshConverter(meshes)
    with tool.Transaction() as transaction:
        asked = tool.Asked({}, "robot.urdf", "out.urdf")
        options = tool.Options(merge=False, meshes=meshes)
        extension = tool.NO_EXTENSION._replace(mesh_converter=lambda *_: made)
        result = tool.prepare(asked, options, Path("robot.urdf").read_bytes, extension, transaction)
        tool.write_result(result, [("out.urdf", result.data)], transaction, force=False)
    rows = [row for row in shapes_of(folder / "out.urdf") if row[0] == "base" and row[3]]
    assert [(row[3].rpartition("/")[2], row[5]) for row in rows] == [
        ("base_Grey_1.stl", "base_Grey_mat"),
        ("base_Grey_2.stl", "base_Grey_mat"),
        ("base_Grey_3.stl", "base_Grey_mat"),
        ("base_Paint_1.stl", "base_Paint_mat_2"),
        ("base_Paint_2.stl", "base_Paint_mat_2"),
        ("base_Paint_1_2.stl", "base_Paint_mat_3"),
        ("base_Paint_2_2.stl", "base_Paint_mat_3"),
    ]
    assert [row[1] for row in rows] == ["body", *(f"body_{k}" for k in range(2, 8))]
