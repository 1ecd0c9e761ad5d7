"""The armature as one `.glb`: a node for each bone, and every link skinned to its bone alone, for engines and the web.

glTF knows no limits, no followers and no Euler angles, so they are in the `extras` of each joint's node: `urdf_dofs` as
in the JSON. Node axes are those of the bones: a hinge turns about the X axis of its node. +Y is up and the root bone's
node carries that turn, so that vertices and joints need no node above them.
"""

from array import array
from math import fsum
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import UrdfError
from ...base.exact_trigonometry import cosine_sine, PI
from ...collada.records import Affine
from ...collada.scene import affine_determinant
from ...meshes.form import FLOAT, little_endian, Material, NUMBER, Surface, tidy
from ...meshes.formats import read_mesh
from ...meshes.surfaces import place_normals, place_positions, turned_corners
from ...meshes.writers import (
    ARRAY_BUFFER,
    Buffer,
    FLOAT32,
    glb_bytes,
    gltf_parts,
    GltfParts,
    Json,
    UINT16,
)
from ...urdf.spatial import compose, inverse, Matrix, Pose, quaternion_from_matrix, ZERO
from ..kinds import EXPORT_LEFT_OUT
from .records import ARMATURE, Bone

T_YUP_ZUP = Pose(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)), ZERO)
SourceOf = Callable[[str], Optional[str]]
SEGMENTS = 32  # around
RINGS = 16  # from pole to pole
Ring = Tuple[float, float, float, float]  # radius and z of a ring, and the same of its normals


def skinned_glb(
    document: Json, bones: Sequence[Bone], source_of: SourceOf
) -> Tuple[bytes, List[Diagnostic]]:
    """Return an armature as `.glb`, and a diagnostic for each mesh that is not in it.

    Args:
        document: the armature's JSON.
        bones: its bones.
        source_of: returns the path of a mesh now, by its reference in the URDF, None for one that is not found.
    """
    complaints: List[Diagnostic] = []
    owners: List[Json] = []
    surfaces: List[Surface] = []
    read: Dict[str, Tuple[Surface, ...]] = {}
    for link in (link for link in document["links"] if link["bone"] is not None):
        for visual in link["visuals"]:
            for surface in _surfaces(visual, source_of, read, complaints):
                surfaces.append(_placed(surface, _map_of(link["matrix"], visual)))
                owners.append(link)
    parts = gltf_parts(surfaces, document["object"])
    buffer = Buffer(parts)
    _skin(parts.json, buffer, document, bones, owners)
    parts.json["buffers"] = [{"byteLength": buffer.length}]
    return b"".join(glb_bytes(GltfParts(parts.json, b"".join(buffer.pieces)))), complaints


def _surfaces(
    visual: Json,
    source_of: SourceOf,
    read: Dict[str, Tuple[Surface, ...]],
    complaints: List[Diagnostic],
) -> Tuple[Surface, ...]:
    rgba = visual["rgba"]
    material = Material(visual["material"], (rgba[0], rgba[1], rgba[2], rgba[3]) if rgba else None)
    if "uri" not in visual:
        return (solid(visual, material),)
    path = source_of(visual["uri"])
    if path and path not in read:
        try:
            read[path] = read_mesh(path).surfaces
        except UrdfError as problem:
            read[path] = ()
            complaints.append(
                Diagnostic(
                    EXPORT_LEFT_OUT, 0, "mesh-broken", (visual["uri"], problem.message, ARMATURE)
                )
            )
    return tuple(
        surface._replace(material=material) if rgba else surface
        for surface in read.get(path or "", ())
    )


def _map_of(rows: Sequence[Sequence[float]], visual: Json) -> Affine:
    """Return where a visual is in armature space, scaled as URDF scales its mesh."""
    scale = visual.get("scale", (1.0, 1.0, 1.0))
    inner = visual["matrix"]
    values: List[float] = []
    for row in rows:
        for column in range(4):
            entry = fsum(row[k] * inner[k][column] for k in range(3))
            values.append(entry * scale[column] if column < 3 else entry + row[3])
    return tuple(values)  # type: ignore[return-value]


def _placed(surface: Surface, matrix: Affine) -> Surface:
    if affine_determinant(matrix) < 0.0:
        same = surface.normal_corners is surface.corners
        corners = turned_corners(surface.corners)
        surface = surface._replace(
            corners=corners,
            uv_corners=turned_corners(surface.uv_corners),
            normal_corners=corners if same else turned_corners(surface.normal_corners),
        )
    return tidy(
        surface._replace(
            positions=place_positions(surface.positions, matrix),
            normals=place_normals(surface.normals, matrix),
        )
    )


def _joint_nodes(document: Json, bones: Sequence[Bone]) -> List[Json]:
    """Return a node for each bone, in the order of the bones, and below it one for each link it carries."""
    number = {bone.name: index for index, bone in enumerate(bones)}
    T_up_bone = [compose(T_YUP_ZUP, Pose(bone.axes, bone.head)) for bone in bones]
    nodes: List[Json] = []
    for bone, described in zip(bones, document["bones"]):
        T = T_up_bone[number[bone.name]]
        extras = {
            "urdf_kind": bone.kind,
            "urdf_link": bone.link,
            "urdf_length": described["length"],
            "urdf_rotation_mode": bone.rotation_mode,
            "urdf_joints": [dof.joint.name for dof in bone.dofs],
            "urdf_dofs": described["dofs"],
        }
        # The turn to +Y up is in the root bone alone: below it nodes are placed in their parents.
        if bone.parent is not None:
            T = compose(inverse(T_up_bone[number[bone.parent]]), T)
            nodes[number[bone.parent]].setdefault("children", []).append(number[bone.name])
        nodes.append({"name": bone.name, **_placing(T), "extras": extras})
    for link in document["links"]:
        if link["bone"] is None:
            continue
        turn, shift = [row[:3] for row in link["matrix"]], [row[3] for row in link["matrix"]]
        T = compose(T_YUP_ZUP, Pose(_matrix(turn), (shift[0], shift[1], shift[2])))
        above = number[link["bone"]]
        nodes[above].setdefault("children", []).append(len(nodes))
        nodes.append(
            {
                "name": link["object"],
                **_placing(compose(inverse(T_up_bone[above]), T)),
                "extras": {
                    "urdf_link": link["name"],
                    "urdf_kind": link["kind"],
                    "mass": link["mass"],
                    "com": link["com"],
                    "inertia": link["inertia"],
                },
            }
        )
    return nodes


def _matrix(rows: Sequence[Sequence[float]]) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return ((a, b, c), (d, e, f), (g, h, i))


def _placing(T: Pose) -> Json:
    return {
        "translation": [value + 0.0 for value in T.translation],
        "rotation": [value + 0.0 for value in quaternion_from_matrix(T.rotation)],
    }


def _skin(
    json: Json, buffer: Buffer, document: Json, bones: Sequence[Bone], owners: Sequence[Json]
) -> None:
    """Bind every primitive to the bone of its link, in a mesh of that link, and put all nodes into the scene."""
    nodes = _joint_nodes(document, bones)
    number = {bone.name: index for index, bone in enumerate(bones)}
    primitives = json.pop("meshes")[0]["primitives"]
    meshes: Dict[str, Json] = {}
    for link, primitive in zip(owners, primitives):
        count = json["accessors"][primitive["attributes"]["POSITION"]]["count"]
        # A link is rigid: one bone moves each of its corners, with all the weight; glTF wants four of both.
        joints = array("H", (number[link["bone"]], 0, 0, 0)) * count
        weights = array(FLOAT, (1.0, 0.0, 0.0, 0.0)) * count
        primitive["attributes"].update(
            JOINTS_0=buffer.accessor(little_endian(joints), ARRAY_BUFFER, UINT16, count, "VEC4"),
            WEIGHTS_0=buffer.accessor(little_endian(weights), ARRAY_BUFFER, FLOAT32, count, "VEC4"),
        )
        meshes.setdefault(link["name"], {"name": link["object"], "primitives": []})[
            "primitives"
        ].append(primitive)
    matrices = array(FLOAT)
    for bone in bones:
        # From the space of the mesh to that of the bone at rest, by columns, as glTF has matrices.
        R, t = inverse(compose(T_YUP_ZUP, Pose(bone.axes, bone.head)))
        for column in range(3):
            matrices.extend((R[0][column], R[1][column], R[2][column], 0.0))
        matrices.extend((*t, 1.0))
    drawn = [
        {"name": mesh["name"], "mesh": index, "skin": 0}
        for index, mesh in enumerate(meshes.values())
    ]
    json["nodes"] = [*nodes, *drawn]
    json["scenes"] = [
        {"name": document["object"], "nodes": [0, *range(len(nodes), len(nodes) + len(drawn))]}
    ]
    if meshes:
        json["meshes"] = list(meshes.values())
        inverses = buffer.accessor(little_endian(matrices), None, FLOAT32, len(bones), "MAT4")
        json["skins"] = [
            {
                "name": document["object"],
                "joints": list(range(len(bones))),
                "skeleton": 0,
                "inverseBindMatrices": inverses,
            }
        ]
    _merge_materials(json)
    json["asset"]["extras"] = {
        key: document[key] for key in ("format", "robot", "urdf", "joint_order")
    }


def _merge_materials(json: Json) -> None:
    """Keep of equal materials one."""
    kept: List[Json] = []
    for mesh in json.get("meshes", ()):
        for primitive in mesh["primitives"]:
            material = json["materials"][primitive["material"]]
            if material not in kept:
                kept.append(material)
            primitive["material"] = kept.index(material)
    json["materials"] = kept
    for key in ("materials", "accessors", "bufferViews"):
        if not json[key]:
            del json[key]


def solid(visual: Mapping[str, Any], material: Material) -> Surface:
    """Return the surface of a visual of the armature's JSON that is no mesh [m]."""
    if "box" in visual:
        return _box(visual["box"], material)
    if "cylinder" in visual:
        radius, length = visual["cylinder"]
        half = 0.5 * length
        return _turned(
            [
                (0.0, -half, 0.0, -1.0),
                (radius, -half, 0.0, -1.0),
                (radius, -half, 1.0, 0.0),
                (radius, half, 1.0, 0.0),
                (radius, half, 0.0, 1.0),
                (0.0, half, 0.0, 1.0),
            ],
            material,
        )
    radius, length = visual["capsule"] if "capsule" in visual else (visual["sphere"], 0.0)
    angles = [PI * (k / RINGS - 0.5) for k in range(RINGS + 1)]
    lower, upper = angles[: RINGS // 2 + 1], angles[RINGS // 2 + (0 if length else 1) :]
    rings = [
        (radius * c, radius * s + shift, c, s)
        for half, shift in ((lower, -0.5 * length), (upper, 0.5 * length))
        for c, s in map(cosine_sine, half)
    ]
    return _turned(rings, material)


def _box(size: Sequence[float], material: Material) -> Surface:
    positions, normals, corners = array(FLOAT), array(FLOAT), array(NUMBER)
    for axis in range(3):
        across, up = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            first = len(positions) // 3
            for s, t in (
                (-side, -1.0),
                (side, -1.0),
                (side, 1.0),
                (-side, 1.0),
            ):  # counter-clockwise from outside
                point, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
                normal[axis] = side
                point[axis], point[across], point[up] = (
                    0.5 * factor * size[k] for factor, k in ((side, axis), (s, across), (t, up))
                )
                positions.extend(point)
                normals.extend(normal)
            corners.extend(first + k for k in (0, 1, 2, 0, 2, 3))
    return Surface(material, positions, corners, normals, corners)


def _turned(rings: Sequence[Ring], material: Material) -> Surface:
    """Return rings around Z, from the lowest to the highest, with what is between them."""
    positions, normals, corners = array(FLOAT), array(FLOAT), array(NUMBER)
    turns = [cosine_sine(2.0 * PI * k / SEGMENTS) for k in range(SEGMENTS)]
    for radius, z, outward, upward in rings:
        for c, s in turns:
            positions.extend((radius * c, radius * s, z))
            normals.extend((outward * c, outward * s, upward))
    for ring, (low, high) in enumerate(zip(rings, rings[1:])):
        if low[:2] == high[:2]:
            continue  # an edge: two rings in one place, with the normals of either side
        for k in range(SEGMENTS):
            a, b = ring * SEGMENTS + k, ring * SEGMENTS + (k + 1) % SEGMENTS
            if low[0] > 1e-12:
                corners.extend((a, b, b + SEGMENTS))
            if high[0] > 1e-12:
                corners.extend((a, b + SEGMENTS, a + SEGMENTS))
    return Surface(material, positions, corners, normals, corners)
