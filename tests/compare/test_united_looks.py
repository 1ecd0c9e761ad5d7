"""Visuals that are compared as one surface: another gloss, material or color of points of one part is a difference."""

import random

import pytest
from commands import folder_with
from conftest import examples, SEEDS
from hypothesis import given
from mesh_files import binary_stl, TETRAHEDRON
from painted_robots import write_into

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of

MASS = "<inertial><mass>1</mass></inertial>"
PIECES = range(4)


def moved(number):
    """Return the tetrahedron at its place: the pieces do not touch."""
    return [[(x + 3 * number, y, z) for x, y, z in triangle] for triangle in TETRAHEDRON]


def painted_ply(pieces, colors):
    """Return a PLY of pieces whose points have the colors of the pieces."""
    corners = [
        (corner, colors[piece]) for piece in pieces for face in moved(piece) for corner in face
    ]
    header = ["ply", "format ascii 1.0", f"element vertex {len(corners)}"]
    header += [f"property float {axis}" for axis in "xyz"]
    header += [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    header += [f"element face {len(corners) // 3}", "property list uchar int vertex_indices"]
    points = [f"{x} {y} {z} {color}" for (x, y, z), color in corners]
    faces = [f"3 {k} {k + 1} {k + 2}" for k in range(0, len(corners), 3)]
    return "\n".join([*header, "end_header", *points, *faces, ""]).encode()


def files_of(side, parts, looks):
    """Return an SDF of visuals, one for each part (a list of pieces of one look), and their mesh files."""
    visuals = ""
    files = {}
    for number, part in enumerate(parts):
        name = f"{side}{number}.stl"
        files[name] = binary_stl([face for piece in part for face in moved(piece)])
        visuals += (
            f'<visual name="{side}{number}"><geometry><mesh><uri>{name}</uri></mesh></geometry>'
            f"<material><diffuse>1 0 0 1</diffuse>{looks[part[0]]}</material></visual>"
        )
    text = (
        f'<sdf version="1.9"><model name="r"><link name="base">{MASS}{visuals}</link></model></sdf>'
    )
    return {"robot.sdf": text.encode(), **files}


def verdict(folder, first, second):
    """Return the verdict on two robots, and the kinds of what counts."""
    write_into(folder / "a", first)
    write_into(folder / "b", second)
    found = compare(*(read_robot_of(folder / side / "robot.sdf") for side in "ab"))
    return found.verdict, [each.kind for each in found.counted]


def parts_of(rng, looks):
    """Return the pieces as random parts, each of pieces with one look."""
    parts = []
    for piece in rng.sample(PIECES, len(PIECES)):
        fitting = [part for part in parts if looks[part[0]] == looks[piece]]
        if fitting and rng.random() < 0.5:
            rng.choice(fitting).append(piece)
        else:
            parts.append([piece])
    return parts


LOOKS = {  # how a look is written, and the kind of another one
    "specular": ("<specular>0.{0} 0 0 1</specular>", "surface"),
    "emissive": ("<emissive>0.{0} 0 0 1</emissive>", "surface"),
    "ambient": ("<ambient>0.{0} 0 0 1</ambient>", "surface"),
    "metalness": ("<pbr><metal><metalness>0.{0}</metalness></metal></pbr>", "surface"),
    "script": ("<script><name>Gazebo/C{0}</name></script>", "shape_text"),
}


@pytest.mark.parametrize("look", LOOKS)
@given(seed=SEEDS)
@examples(3, fuzzed=200)
def test_another_look_of_one_piece_is_seen(look, seed):
    rng = random.Random(seed)
    text, kind = LOOKS[look]
    values = [rng.choice((1, 2)) for _ in PIECES]
    changed = list(values)
    changed[rng.choice(PIECES)] += rng.choice((1, 2))

    def robot(side, numbers):
        looks = [text.format(number) for number in numbers]
        return files_of(side, parts_of(rng, looks), looks)

    with folder_with({}) as folder:
        assert verdict(folder / "same", robot("p", values), robot("q", values))[0] == "same"
        found = verdict(folder / "other", robot("p", values), robot("q", changed))
    assert found[0] != "same" and set(found[1]) <= {kind, "other_parts"}, (values, changed)


@pytest.mark.parametrize("look", LOOKS)
def test_exchanged_looks_are_on_other_parts(look, tmp_path):
    parts = [[0, 1], [2, 3]]
    first, second = (LOOKS[look][0].format(number) for number in (1, 2))
    shown = files_of("p", parts, [first, first, second, second])
    exchanged = files_of("q", [[0], [1], [2, 3]], [second, second, first, first])
    assert verdict(tmp_path, shown, exchanged) == ("limits", ["other_parts"])


def test_exchanged_colors_of_points_are_seen(tmp_path):
    def robot(side, colors):
        files = files_of(side, [[0], [1]], ["", ""])
        painted = {f"{side}{k}.ply": painted_ply([k], colors) for k in (0, 1)}
        # Each file is in its own axes, so that the digests of the files are exchanged too.
        painted = {name: painted_ply([0], [colors[k]]) for k, name in enumerate(painted)}
        text = files["robot.sdf"].decode()
        for k in (0, 1):
            text = text.replace(
                f'name="{side}{k}">', f'name="{side}{k}"><pose>{3 * k} 0 0 0 0 0</pose>'
            )
        return {"robot.sdf": text.replace(".stl", ".ply").encode(), **painted}

    shown = robot("p", ["255 0 0", "0 0 255"])
    assert verdict(tmp_path, shown, robot("q", ["255 0 0", "0 0 255"]))[0] == "same"
    exchanged = robot("q", ["0 0 255", "255 0 0"])
    assert verdict(tmp_path, shown, exchanged) == ("limits", ["points"])
