"""COLLADA meshes of a robot: the materials of their parts among those of the robot.

COLLADA meshes of a robot that are missing or broken: they stay as they are and are told of.
"""

import os
from pathlib import Path

import pytest
from dae_writer import document
from mesh_robots import draws, FOUR, listing, painted, run, shapes_of, solids, SPLIT, urdf, write


def test_materials_do_not_meet_others(tool, tmp_path):
    color = '      <material name="{}">\n        <color rgba="{}"/>\n      </material>\n'
    box = "    <visual>\n      <geometry>\n        <box size='1 1 1'/>\n      </geometry>\n{}    </visual>\n"
    write(
        tmp_path,
        {
            "m.dae": painted("red"),
            "plain.dae": solids(("", "")),
            "robot.urdf": urdf(
                draws("m.dae", color.format("lacquer", "1 0 0 1"))
                + box.format('      <material name="lacquer"/>\n'),
                draws("m.dae") + box.format(color.format("link1_red_mat", FOUR)),
                draws("plain.dae", color.format("short", "1 0 0"))
                + draws("plain.dae", color.format("", FOUR))
                + draws("plain.dae", '      <material name="nowhere"/>\n')
                + draws("plain.dae", color.format("twice", FOUR))
                + draws("plain.dae", color.format("first", "0 0.0 0 1.0"))
                + draws("plain.dae", color.format("words", "a b c d")),
                more='  <material name="first">\n    <color rgba="1 1 1 1"/>\n  </material>\n',
            ),
        },
    )
    tool.simplify(
        tmp_path / "robot.urdf",
        tmp_path / "out.urdf",
        split="color",
        merge=False,
        strip_hardware=False,
        reorient=False,
    )
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


def test_large_parts_are_split_with_one_material(tool, folder):
    meshes = tool.MeshOptions(separate_dae_meshes=True, max_faces=10)
    made = tool.MeshConverter(meshes)
    with tool.Transaction() as transaction:
        asked = tool.ExtensionRequest({}, "robot.urdf", "out.urdf")
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


BROKEN = {
    "truncated": (painted("red")[:700], ":2: is not well-formed XML"),
    "index": (
        painted("red").replace("0 2 1 0", "0 2 1 9"),
        ":2: <triangles> has an index beyond its 4 positions",
    ),
    "empty": ("", ":1: is not well-formed XML"),
    "entities": (
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>' + painted("red").partition("?>")[2].strip(),
        ":1: ",
    ),
    "nothing": (document(), ": draws no triangles"),
    "pointer": (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n",
        ": is a Git LFS pointer: git lfs pull",
    ),
    "claim": (painted("red").replace('count="12"', 'count="2000000000"'), ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mesh_is_left_alone(command, here, name):
    text, message = BROKEN[name]
    write(
        here,
        {
            "robot.urdf": urdf(
                draws("good.dae") + draws("bad.dae", name="it") + draws("bad.dae", kind="collision")
            ),
            "good.dae": painted("red", "blue"),
            "bad.dae": text,
        },
    )
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf")
    assert done.returncode == 0
    files = [
        row[3] for row in shapes_of(here / "out.urdf") + shapes_of(here / "out.urdf", "collision")
    ]
    if not message:
        assert files[2:] == ["out_meshes/bad.stl", "out_meshes/bad_collision.stl"]
        return
    assert files == ["out_meshes/good_red.stl", "out_meshes/good_blue.stl", "bad.dae", "bad.dae"]
    lines = done.stderr.decode().splitlines()
    bad = os.path.realpath("bad.dae")
    assert [line for line in lines if line.startswith(f"warning: robot.urdf:8: {bad}{message}")], (
        lines
    )
    assert sorted(listing(here / "out_meshes")) == ["good_blue.stl", "good_red.stl"]
    before = listing(here)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf", "--require-meshes")
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().startswith(f"error: robot.urdf:8: {bad}{message}")
    assert listing(here) == before
