"""The armature as `.glb`: read again in a naive way, it is the same bones, and every vertex moves with its link."""

import json
import math
import random
import shutil
import struct
from pathlib import Path
from typing import Any, Dict, NamedTuple

import golden
import naive
import pytest

from engine import main
from urdf_tools.formats.armature.write_skin import solid
from urdf_tools.meshes.form import Material, triangles_of
from urdf_tools.meshes.volume import volume_and_center

Y_UP = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
ROBOTS = ("armature", "painted_arm", "arm", "odd/mirrored_mesh", "odd/single_link")


class Glb(NamedTuple):
    """A `.glb`: its JSON and its binary chunk."""

    json: Dict[str, Any]
    data: bytes

    def rows(self, number):
        """Return the records of an accessor."""
        accessor = self.json["accessors"][number]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        letter = {5126: "f", 5123: "H", 5125: "I"}[accessor["componentType"]]
        start = self.json["bufferViews"][accessor["bufferView"]]["byteOffset"]
        flat = struct.unpack_from(f"<{width * accessor['count']}{letter}", self.data, start)
        return [flat[k : k + width] for k in range(0, len(flat), width)]


def read(path):
    data = path.read_bytes()
    magic, version, total, size, kind = struct.unpack_from("<4sII I4s", data)
    assert (magic, version, total, kind) == (b"glTF", 2, len(data), b"JSON")
    return Glb(json.loads(data[20 : 20 + size]), data[28 + size :])


def place_of(node):
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    sine = math.sqrt(x * x + y * y + z * z)
    turn = (
        naive.around([x / sine, y / sine, z / sine], 2.0 * math.atan2(sine, w))
        if sine
        else naive.IDENTITY
    )
    return turn, list(node.get("translation", (0.0, 0.0, 0.0)))


def globals_of(glb, moved):
    """Return the place of every node below the root; `moved` is what joints add in the axes of their node."""
    nodes = glb.json["nodes"]
    world = {0: naive.after(place_of(nodes[0]), moved.get(0, naive.NOWHERE))}
    order = [0]
    for number in order:
        for child in nodes[number].get("children", ()):
            world[child] = naive.after(
                world[number], naive.after(place_of(nodes[child]), moved.get(child, naive.NOWHERE))
            )
            order.append(child)
    return world


@pytest.fixture(params=ROBOTS)
def glb(request, tmp_path, monkeypatch):
    shutil.copytree(golden.FIXTURES / request.param, tmp_path / "robot")
    monkeypatch.chdir(tmp_path / "robot")
    assert main(["robot.urdf", "-y", "-q", "-o", "out.urdf", "--armature", "a.glb"]) == 0
    return read(tmp_path / "robot" / "a.glb")


def test_a_node_for_each_bone(glb):
    """Bind poses are the inverses of where the nodes are, so that nothing moves at rest."""
    world = globals_of(glb, {})
    for skin in glb.json.get("skins", ()):
        for joint, columns in zip(skin["joints"], glb.rows(skin["inverseBindMatrices"])):
            rows = [[columns[4 * c + r] for c in range(4)] for r in range(3)]
            turn, shift = naive.after(
                ([row[:3] for row in rows], [row[3] for row in rows]), world[joint]
            )
            assert naive.turned_by(turn, naive.IDENTITY) < 1e-6 and naive.length(shift) < 1e-6


def test_links_and_vertices_follow_the_urdf(glb):
    """Each link is where the URDF says at random positions, and its vertices belong to the node it hangs on."""
    reading = naive.read(Path("out.urdf").read_bytes())
    r = random.Random(3)
    q = naive.positions(reading, {hinge.name: r.uniform(-1.0, 1.0) for hinge in reading.hinges})
    moved = {}
    nodes = glb.json["nodes"]
    for number, node in enumerate(nodes):
        for dof in node.get("extras", {}).get("urdf_dofs", ()):
            axis, value = naive.IDENTITY[dof["index"]], dof["sign"] * q[dof["joint"]]
            step = (
                (naive.around(axis, value), [0.0] * 3)
                if dof["channel"] == "rotation_euler"
                else (naive.IDENTITY, [value * x for x in axis])
            )
            moved[number] = naive.after(moved.get(number, naive.NOWHERE), step)
    motions = {
        hinge.child: naive.motion(hinge, q[hinge.name])
        for hinge in reading.hinges
        if hinge.kind in naive.MOVABLE
    }
    world = naive.places(reading, (Y_UP, [0.0, 0.0, 0.0]), motions)
    found = globals_of(glb, moved)
    carriers = {
        node["extras"]["urdf_link"]: (number, child)
        for number, node in enumerate(nodes)
        for child in node.get("children", ())
        for node in [nodes[child]]
        if "mass" in node["extras"]
    }
    assert set(carriers) == set(reading.bodies)
    for name, (_, child) in carriers.items():
        assert naive.apart(found[child][1], world[name][1]) < 1e-9
        assert naive.turned_by(found[child][0], world[name][0]) < 1e-9
    by_object = {nodes[child]["name"]: joint for joint, child in carriers.values()}
    for node in (node for node in nodes if "mesh" in node):
        for primitive in glb.json["meshes"][node["mesh"]]["primitives"]:
            attributes = primitive["attributes"]
            assert set(glb.rows(attributes["JOINTS_0"])) == {(by_object[node["name"]], 0, 0, 0)}
            assert set(glb.rows(attributes["WEIGHTS_0"])) == {(1.0, 0.0, 0.0, 0.0)}
            assert len(glb.rows(attributes["JOINTS_0"])) == len(glb.rows(attributes["POSITION"]))


def test_triangles_look_where_their_normals_do(glb):
    drawn = [node for node in glb.json["nodes"] if "mesh" in node]
    assert len(drawn) == len(glb.json.get("meshes", ()))
    for node in drawn:
        for primitive in glb.json["meshes"][node["mesh"]]["primitives"]:
            if "NORMAL" not in primitive["attributes"]:
                continue
            points, normals = (
                glb.rows(primitive["attributes"][key]) for key in ("POSITION", "NORMAL")
            )
            corners = [corner for (corner,) in glb.rows(primitive["indices"])]
            for a, b, c in zip(*(corners[k::3] for k in range(3))):
                u, v = ([points[k][i] - points[a][i] for i in range(3)] for k in (b, c))
                normal = [
                    u[1] * v[2] - u[2] * v[1],
                    u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0],
                ]
                assert all(
                    sum(x * y for x, y in zip(normal, normals[k])) > -1e-9 for k in (a, b, c)
                )


def test_solids_are_as_large_as_they_say():
    """Volume and box of each, the curved ones within what their corners cut off."""
    look = Material()
    for visual, volume, size in (
        ({"box": [1.0, 2.0, 3.0]}, 6.0, (1.0, 2.0, 3.0)),
        ({"cylinder": [0.5, 2.0]}, math.pi / 2.0, (1.0, 1.0, 2.0)),
        ({"sphere": 0.5}, math.pi / 6.0, (1.0, 1.0, 1.0)),
        ({"capsule": [0.5, 2.0]}, math.pi / 6.0 + math.pi / 2.0, (1.0, 1.0, 3.0)),
    ):
        triangles = [*triangles_of(solid(visual, look))]
        assert 0.98 * volume <= volume_and_center(triangles)[0] <= volume + 1e-6
        columns = zip(*(corner for triangle in triangles for corner in triangle))
        assert all(
            abs(max(column) - min(column) - edge) < 1e-6 for column, edge in zip(columns, size)
        )
