"""The armature as JSON, the script that builds it in Blender, and the proof that the armature is the robot.

Its JSON is read again; the robot in it is compared with the text of the URDF by `compare/`. What Blender needs - names,
rolls, the order of joints - is verified here.
"""

import hashlib
import json
import os
import pkgutil
from math import dist, hypot
from typing import Any, Mapping, Set

from ..base.errors import ProofFailed, UsageError
from ..base.exact_trigonometry import cosine_sine
from ..base.number_text import count_of
from ..compare.robot_map import Bound
from ..formats.armature.lower import armature_of
from ..formats.armature.read import read_armature
from ..formats.armature.write import document_bytes, document_of, warnings_of
from ..formats.values import LOSSES
from ..robot.records import OUT_OF_REACH, RawRobot
from ..run.records import Exported
from ..urdf.spatial import Vector
from ..verify.comparison import figure_of, figure_text
from .from_run import mesh_table, names_from, reference_of_run
from .proof import verify_same
from .request import ExportRequest

SCRIPT = "import_armature.py"


def export_armature(request: ExportRequest) -> Exported:
    """Return the armature of a result.

    Raises:
        ProofFailed: the armature is not the robot; a fault of this tool.
    """
    result, target = request.result, os.path.abspath(request.choices["armature"])
    armature = armature_of(result.after, join=not request.choices["one_bone_per_joint"])
    urdf = {
        "path": os.path.basename(request.output),
        "sha256": hashlib.sha256(result.data).hexdigest(),
    }
    table = mesh_table(request)
    document = document_of(armature, urdf, names_from(os.path.dirname(target), table.meshes))
    data = document_bytes(document)
    bound = verify_armature(data, reference_of_run(request), urdf)
    line = (
        f"Armature: {count_of(len(document['bones']), 'bone')}, {count_of(len(document['links']), 'link')}, read "
        f"again and the same robot, for all positions to {figure_text(figure_of(bound.position))} m and "
        f"{figure_text(figure_of(bound.angle))} rad"
    )
    warnings = [
        warning._replace(line=warning.line and request.line_of("joint", warning.names[0]))
        for warning in warnings_of(armature, document["links"])
    ]
    return Exported(((request.choices["armature"], data),), (line,), tuple(warnings))


def export_script(request: ExportRequest) -> Exported:
    """Return the script that builds an armature in Blender."""
    data = pkgutil.get_data(document_of.__module__, SCRIPT)  # it stands beside that module
    if data is None:
        raise UsageError(f"{SCRIPT} is not in this package: install it again")
    return Exported(((request.choices["blender_script"], data),))


ROLL_TOLERANCE = 2e-6  # [rad] next to -Y Blender's own formula is no more exact than this
NEXT_TO = 2.5e-4  # [rad] so near to -Y a bone has turned about Z
STILL = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
MOST_BYTES = 63  # of a name in Blender


def verify_armature(data: bytes, robot: RawRobot, urdf: Mapping[str, str]) -> Bound:
    """Compare an armature's JSON with the robot, and return the bound of the poses of its links.

    Raises:
        ProofFailed: how it differs from the robot, or why Blender cannot use it.
    """
    document = json.loads(data.decode("utf-8"))
    _verify_document(document, robot, urdf)
    written = read_armature(data)
    if written.unread:
        raise ProofFailed(f"the armature: nobody reads '{written.unread[0].element}'", robot.file)
    bare = {link["name"] for link in document["links"] if link["bone"] is None}
    return verify_same(  # limits of a joint that says neither bound are none, while URDF takes both for 0
        "the armature",
        written,
        _as_animated(robot),
        {"armature": LOSSES["armature"]},
        lambda change, first: (
            change.where in bare or change.kind == "limits_missing" and change.a == "[0, 0]"
        ),
    )


def _as_animated(robot: RawRobot) -> RawRobot:
    """Return the robot as it is seen.

    It has no collisions, no limits that are crossed or out of reach, and no rules that lead to a joint that is fixed.
    """
    leaders = {
        joint.name: joint.mimic.leader if joint.mimic is not None else None
        for joint in reversed(robot.joints)
    }
    joints = []
    for joint in robot.joints:
        chain, name = [joint.name], leaders[joint.name]
        while name in leaders and name not in chain:
            chain.append(str(name))
            name = leaders[str(name)]
        lower, upper = joint.lower, joint.upper
        if lower is not None and upper is not None and not 0.0 <= upper - lower < OUT_OF_REACH:
            lower, upper = None, None
        joints.append(
            joint._replace(lower=lower, upper=upper, mimic=joint.mimic if name is None else None)
        )
    links = tuple(
        link._replace(shapes=tuple(shape for shape in link.shapes if shape.role == "visual"))
        for link in robot.links
    )
    return robot._replace(links=links, joints=tuple(joints))


def _verify_document(document: Mapping[str, Any], robot: RawRobot, urdf: Mapping[str, str]) -> None:
    """Verify that every link and joint exists, that Blender keeps all names, and that rolls give the X axes."""

    def require(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"the armature: {what}", robot.file)

    bones = document["bones"]
    names = [bone["name"] for bone in bones]
    require(len(set(names)) == len(names), "two bones have one name")
    for name in (*names, *(link["object"] for link in document["links"])):
        require(
            0 < len(name.encode("utf-8")) <= MOST_BYTES, f"'{name}' is not a valid name for Blender"
        )
    require(
        [link["name"] for link in document["links"]] == [link.name for link in robot.links],
        "its links are not those of the robot",
    )
    moving = [joint.name for joint in robot.joints if joint.moves]
    require(
        sorted(
            {dof["joint"] for bone in bones if bone["kind"] == "joint" for dof in bone["dofs"]}
            & set(moving)
        )
        == sorted(set(moving)),
        "its joints are not those of the robot",
    )
    require(document["joint_order"] == moving, "its joints are in another order")
    require(document["urdf"] == dict(urdf), "it names another URDF")
    roots = {bone["link"] for bone in bones if bone["kind"] == "root"}
    for link in (link for link in document["links"] if link["name"] in roots):
        require(
            link["matrix"] == STILL, f"'{link['name']}' is the root, and not where the armature is"
        )
    ends = _still_ends(robot)
    require(
        document["static_frames"]
        == [link["name"] for link in document["links"] if link["name"] in ends],
        "its static frames are others",
    )
    for bone in bones:
        error = dist(x_axis_of(bone), bone["x_axis"])
        require(error < ROLL_TOLERANCE, f"the roll of bone '{bone['name']}' is not its X axis")


def _still_ends(robot: RawRobot) -> Set[str]:
    """Return the links on fixed joints that carry no other."""
    parents = {joint.parent for joint in robot.joints}
    return {
        joint.child
        for joint in robot.joints
        if joint.type == "fixed" and joint.child not in parents
    }


def x_axis_of(bone: Mapping[str, Any]) -> Vector:
    """Return the X axis of a bone by its head, tail and roll, as Blender does.

    The smallest turn from +Y to the bone comes after its roll; a bone next to -Y has turned about Z.
    """
    length = dist(bone["head"], bone["tail"])
    x, y, z = ((end - start) / length for start, end in zip(bone["head"], bone["tail"]))
    cosine, sine = cosine_sine(bone["roll"])
    if y < 0.0 and hypot(x, z) <= NEXT_TO:
        return (-cosine, 0.0, -sine)
    above = (
        1.0 + y if y >= 0.0 else (x * x + z * z) / (1.0 - y)
    )  # both are 1 + y, the latter to the last digit
    across = x * cosine - z * sine  # of the bone's direction, along the X axis before that turn
    return (cosine - across * x / above, -across, -sine - across * z / above)
