"""A run of acts as a comparison of its texts, by the map that the acts know: for the page, and the adapter."""
from ..compare.comparison import compare, Comparison
from ..compare.mapping import Given, GivenJoint
from ..edit.law import raw_of
from ..edit.records import decisions_lost
from ..run.records import Edited
from ..urdf.kinematics import AS_IT_WAS
from .request import ExportRequest


def comparison_of_edits(request: ExportRequest, edited: Edited) -> Comparison:
    """Return the comparison of input and result; what is locked and dropped is so in both."""
    result, packages = request.result, request.result.plan.options.meshes.package
    before, after = (raw_of(data, path, packages) for data, path in (
        (result.source, request.path), (result.data, request.output or request.path)))
    pairs = []
    for joint in after.joints:
        old = edited.old_joints.get(joint.name, joint.name)
        sign, zero = edited.maps.get(old, AS_IT_WAS)
        pairs.append(GivenJoint(old, joint.name, float(sign), -sign * zero))
    lost = decisions_lost(result.before, edited.locked, edited.dropped)
    return compare(before, after, given=Given(tuple(pairs), None, decided=lost))
