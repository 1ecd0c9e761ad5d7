"""The armature as JSON, the script that builds it in Blender, and the proof that the armature is the robot.

Blender's requirements (names, rolls, the order of joints) are verified here. `armature_proof` verifies that its bones
move the links as the URDF does, and that all values are equal.
"""

from __future__ import annotations

import hashlib
import json
import os
from itertools import chain
from math import dist, hypot
from typing import Any, Mapping, Set

from ..base.errors import UsageError
from ..base.exact_trigonometry import cosine_sine
from ..base.number_text import count_of
from ..formats.armature.build_armature import armature_of
from ..formats.armature.write_armature import document_bytes, document_of, warnings_of
from ..robot.raw_robot import RawRobot
from ..run.run_records import ExportedFiles
from ..urdf.spatial_math import Vector
from ..verify.shared_proof_state import figure_of, figure_text
from .armature_proof import LinkDeviation, POSITIONS, ArmatureProof
from .shared_run_values import mesh_table, names_from, reference_of_run
from .export_request import ExportRequest

SCRIPT = "import_armature.py"


def export_armature(request: ExportRequest) -> ExportedFiles:
    """Return the armature of a result.

    Raises:
        ProofFailed: the armature is not the robot; a fault of this tool.
    """
    result = request.result
    target = os.path.abspath(request.choices["armature"])
    armature = armature_of(result.after, join=not request.choices["one_bone_per_joint"])
    urdf = {
        "path": os.path.basename(request.output),
        "sha256": hashlib.sha256(result.data).hexdigest(),
    }
    table = mesh_table(request)
    document = document_of(armature, urdf, names_from(os.path.dirname(target), table.meshes))
    data = document_bytes(document)
    off = verify_armature(data, reference_of_run(request), urdf)
    line = (
        f"Armature: {count_of(len(document['bones']), 'bone')}, {count_of(len(document['links']), 'link')}, read "
        f"again and the same robot, at {POSITIONS} random positions to {figure_text(figure_of(off.position))} m "
        f"and {figure_text(figure_of(off.angle))} rad"
    )
    # Lines refer to the input; a part without a line there (0) gets no line.
    warnings = [
        warning._replace(line=warning.line and request.line_of("joint", warning.names[0]))
        for warning in warnings_of(armature, document["links"])
    ]
    return ExportedFiles(((request.choices["armature"], data),), (line,), tuple(warnings))


def export_script(request: ExportRequest) -> ExportedFiles:
    """Return the script that builds an armature in Blender."""
    import pkgutil  # imported here: only the script needs it

    data = pkgutil.get_data(document_of.__module__, SCRIPT)  # next to that module
    if data is None:
        raise UsageError(f"{SCRIPT} is not in this package: install it again")
    return ExportedFiles(((request.choices["blender_script"], data),))


ROLL_TOLERANCE = 2e-6  # [rad] next to -Y Blender's own formula is not more exact
NEXT_TO = 2.5e-4  # [rad] this near to -Y Blender turns a bone about Z
STILL = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
MOST_BYTES = 63  # of a name in Blender


def verify_armature(data: bytes, robot: RawRobot, urdf: Mapping[str, str]) -> LinkDeviation:
    """Compare an armature's JSON with the robot, and return the largest deviation of a link.

    Raises:
        ProofFailed: the armature differs from the robot, or Blender cannot use it.
    """
    proof = ArmatureProof(json.loads(data.decode("utf-8")), robot)
    _verify_document(proof, urdf)
    return proof.verify()


def _verify_document(proof: ArmatureProof, urdf: Mapping[str, str]) -> None:
    """Verify that every link and joint exists, that Blender keeps all names, and that rolls give the X axes."""
    document = proof.document
    robot = proof.robot
    require = proof.require
    bones = document["bones"]
    names = [bone["name"] for bone in bones]
    require(len(set(names)) == len(names), "two bones have one name")
    links = document["links"]
    for name in (*names, *[link["object"] for link in links]):
        is_valid = 0 < len(name.encode("utf-8")) <= MOST_BYTES
        require(is_valid, f"'{name}' is not a valid name for Blender")
    names_of_links = [link["name"] for link in links]
    require(
        names_of_links == [link.name for link in robot.links],
        "its links are not those of the robot",
    )
    moving = [joint.name for joint in robot.joints if joint.moves]
    channels = chain.from_iterable(bone["dofs"] for bone in bones)
    require(
        {channel["joint"] for channel in channels}
        == {joint.name for joint in robot.joints if joint.type != "fixed"},
        "its joints are not those of the robot",
    )
    require(document["joint_order"] == moving, "its joints are in another order")
    require(document["urdf"] == dict(urdf), "it names another URDF")
    roots = {bone["link"] for bone in bones if bone["kind"] == "root"}
    for link in links:
        is_placed = link["name"] not in roots or link["matrix"] == STILL
        require(is_placed, f"'{link['name']}' is the root, and not where the armature is")
    ends = _still_ends(robot)
    static_frames = [name for name in names_of_links if name in ends]
    require(document["static_frames"] == static_frames, "its static frames are others")
    for bone in bones:
        error = dist(x_axis_of(bone), bone["x_axis"])
        require(error < ROLL_TOLERANCE, f"the roll of bone '{bone['name']}' is not its X axis")


def _still_ends(robot: RawRobot) -> Set[str]:
    """Return the links on fixed joints that carry no other link."""
    parents = {joint.parent for joint in robot.joints}
    return {
        joint.child
        for joint in robot.joints
        if joint.type == "fixed" and joint.child not in parents
    }


def x_axis_of(bone: Mapping[str, Any]) -> Vector:
    """Return the X axis of a bone by its head, tail and roll, as Blender does.

    The smallest turn from +Y to the bone is applied after its roll; a bone next to -Y is turned about Z instead.
    """
    length = dist(bone["head"], bone["tail"])
    x, y, z = ((end - start) / length for start, end in zip(bone["head"], bone["tail"]))
    cosine, sine = cosine_sine(bone["roll"])
    # The threshold of Blender's `vec_roll_to_mat3_normalized`.
    if y < 0.0 and hypot(x, z) <= NEXT_TO:
        return (-cosine, 0.0, -sine)
    # Both expressions are 1 + y; the second keeps its last digits where y is near -1.
    above = 1.0 + y if y >= 0.0 else (x * x + z * z) / (1.0 - y)
    across = x * cosine - z * sine  # the bone's direction along the X axis before that turn
    return (cosine - across * x / above, -across, -sine - across * z / above)
