"""A run of acts as a comparison of its texts, by the map that the acts know: for the page, and the adapter."""
import os

from ..compare.comparison import compare, Comparison
from ..compare.decided import held_at
from ..compare.mapping import Given, GivenJoint
from ..compare.read import read_bytes, with_mesh_paths
from ..run.pipeline import Edited
from ..urdf.kinematics import AS_IT_WAS
from .request import ExportRequest


def comparison_of_edits(request: ExportRequest, edited: Edited) -> Comparison:
    """Return the comparison of input and result; a joint that was locked is drawn where it is held."""
    result, packages = request.result, request.result.plan.options.meshes.package
    before, after = (with_mesh_paths(read_bytes(data, path), os.path.dirname(path), packages) for data, path in (
        (result.source, request.path), (result.data, request.output or request.path)))
    before = before._replace(joints=tuple(joint._replace(
        T_parent_child=held_at(joint, edited.locked[joint.name]).T_parent_child, reference=edited.locked[joint.name])
        if joint.name in edited.locked else joint for joint in before.joints))
    pairs = []
    for joint in after.joints:
        old = edited.old_joints.get(joint.name, joint.name)
        sign, zero = edited.maps.get(old, AS_IT_WAS)
        pairs.append(GivenJoint(old, joint.name, float(sign), -sign * zero))
    return compare(before, after, given=Given(tuple(pairs), None, decided=()))
