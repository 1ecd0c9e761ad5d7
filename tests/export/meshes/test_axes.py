"""Which way up a glTF is: a reader that knows no mark of this tool sees what it saw before."""

import itertools

import commands
import gltf_checker
import pytest
from conftest import FUZZ
from mesh_files import binary_stl, GltfBuilder
from surfaces import as_float32, ball

from urdf_tools import compare

LONG = as_float32([[(x, 2.0 * y, 5.0 * z) for x, y, z in t] for t in ball(16, 24)])
SHAPE = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
MARKS = {"others": None, "with +Y up": {}, "as it was": {"up": "z"}}


def glb_of(triangles, mark):
    """Return a GLB of triangles, with what this tool writes into one, or without."""
    builder = GltfBuilder()
    corners = [corner for triangle in triangles for corner in triangle]
    low, high = ([extreme(axis) for axis in zip(*corners)] for extreme in (min, max))
    builder.primitive["attributes"]["POSITION"] = builder.accessor(
        "f", "VEC3", corners, min=low, max=high
    )
    if MARKS[mark] is not None:
        builder.json["asset"].update(generator="urdf_simplify", extras=MARKS[mark])
    return builder.glb()


def points_in(path):
    """Return the points of a glTF by its bytes alone."""
    content, buffer, faults = gltf_checker.load(path)
    assert not faults
    return {
        (x, y, z)
        for mesh in content["meshes"]
        for primitive in mesh["primitives"]
        for x, y, z in gltf_checker.numbers(content, buffer, primitive["attributes"]["POSITION"])
    }


def robot_of(folder, *meshes):
    path = folder / "robot.urdf"
    shapes = "".join(map(SHAPE.format, meshes))
    path.write_text(f'<robot name="r"><link name="base">{shapes}</link></robot>\n')
    return path


def results_of(path, options):
    """Return the glTF that a run writes for a robot."""
    output = path.parent / "result" / "out.urdf"
    output.parent.mkdir()
    done = commands.in_process([str(path), "-o", str(output), "--yes", *options])
    assert done.returncode == 0, done.stderr
    results = sorted(output.parent.glob("**/*.gl*"))
    assert results
    return results


FEWER_TRIANGLES = ("--visual-error 10mm", "--mesh-format gltf --visual-error 10mm")
ALL_TRIANGLES = (
    "--mesh-format glb",
    "--mesh-format glb --one-mesh",
    "--for drake",
    "--mesh-format glb --for gazebo",
)


# The search for fewer triangles takes long, and does not know the axes.
@pytest.mark.parametrize(
    "options, mark",
    [
        *itertools.product(ALL_TRIANGLES, MARKS),
        *(itertools.product(FEWER_TRIANGLES, MARKS) if FUZZ else zip(FEWER_TRIANGLES, MARKS)),
        (FEWER_TRIANGLES[0], "as it was"),
    ],
)
def test_what_was_gltf_keeps_its_axes(tmp_path, options, mark):
    """Each point that is written is one that was read, bit for bit."""
    (tmp_path / "long.glb").write_bytes(glb_of(LONG, mark))
    (tmp_path / "other.glb").write_bytes(glb_of(LONG[::-1], mark))
    before = points_in(tmp_path / "long.glb")
    robot = robot_of(tmp_path, "long.glb", "other.glb")
    for path in results_of(robot, options.split()):
        after = points_in(path)
        assert after <= before
        assert len(after) == len(before) or "--visual-error" in options


@pytest.mark.parametrize("options", ["", "--for gazebo"])
def test_an_axis_that_is_said_to_be_up_is_written_as_the_program_has_it(tmp_path, options):
    (tmp_path / "long.glb").write_bytes(glb_of(LONG, "others"))
    asked = ["--mesh-format", "glb", "--up-axis", "z", *options.split()]
    (path,) = results_of(robot_of(tmp_path, "long.glb"), asked)
    before = points_in(tmp_path / "long.glb")
    y_up = {(x, z, 0.0 - y) for x, y, z in before}
    assert points_in(path) == (before if options else y_up)


def turned(triangle):
    """Return a triangle with +Z up as a glTF with +Y up has it."""
    a, b, c = [(x, z, -y) for x, y, z in triangle]
    return a, b, c


def test_a_comparison_of_two_gltf_trusts_no_mark(tmp_path):
    """A program that knows no mark sees two bodies; beside an STL the mark says how the glTF was meant."""
    files = {
        "others.glb": glb_of(LONG, "others"),
        "turned.glb": glb_of([turned(triangle) for triangle in LONG], "with +Y up"),
        "long.stl": binary_stl(LONG),
    }
    robots = {}
    for name, data in files.items():
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_bytes(data)
        robots[name] = str(robot_of(folder, name))
    assert not compare(robots["others.glb"], robots["turned.glb"]).is_same
    assert compare(robots["long.stl"], robots["turned.glb"]).is_same
    assert compare(robots["long.stl"], robots["others.glb"]).is_same
