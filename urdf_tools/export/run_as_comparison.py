"""A run as a comparison of its texts, by the map of the plan or of the edits: for the adapter, and the page of edits."""

from __future__ import annotations

from ..compare.robot_comparison import compare, ComparisonResult
from ..compare.given_or_searched_map import find_map, Given, GivenJoint, IDENTITY
from ..compare.robot_map import RobotMap
from ..edit.edit_laws import raw_of
from ..edit.robot_draft import decisions_lost
from ..robot.canonical_robot import canonical
from ..robot.raw_robot import RawRobot
from ..run.run_records import EditedRobot, Result
from ..urdf.urdf_records import AS_IT_WAS, MOVABLE
from ..urdf.spatial_math import inverse
from .export_request import ExportRequest


def map_of_run(result: Result, before: RawRobot, after: RawRobot) -> RobotMap:
    """Return the map from the result of a run to its input, by the plan.

    If the run changed the root, the map reads `before` from the new one: `Given.root`.
    """
    if not result.changed:
        return find_map(after, before, IDENTITY)
    root = canonical(after).bodies[0].name
    pairs = [
        GivenJoint(joint.name, result.before.above[child].name, *result.plan.joints[child].map)
        for child, joint in result.after.above.items()
        if joint.type in MOVABLE
    ]
    has_same_root = canonical(before).bodies[0].name == root
    given = Given(
        tuple(pairs), inverse(result.plan.placements[root]), root="" if has_same_root else root
    )
    return find_map(after, before, given)


def comparison_of_run(request: ExportRequest) -> ComparisonResult:
    """Return the comparison of input and result; the joints that edits lock and the parts they drop are so in both."""
    result = request.result
    packages = request.result.plan.options.meshes.package
    before, after = (
        raw_of(data, path, packages)
        for data, path in (
            (result.source, request.path),
            (result.data, request.output or request.path),
        )
    )
    edited = result.exported.edited
    above = result.before.above
    base = None
    if edited is None:
        # A base frame that was searched may be turned by an exact right angle where the file has 3.1416.
        root = canonical(after).bodies[0].name
        same_root = canonical(before).bodies[0].name == root
        base = result.plan.placements.get(root) if same_root else None
        moves = {
            child: joint.name
            for child, joint in result.after.above.items()
            if joint.type in MOVABLE
        }
        edited = EditedRobot(
            "",
            {name: above[child].name for child, name in moves.items()},
            {above[child].name: result.plan.joints[child].map for child in moves},
        )
    pairs = []
    for joint in after.joints:
        old = edited.old_joints.get(joint.name, joint.name)

        sign, zero = edited.maps.get(old, AS_IT_WAS)
        # new = s (old - zero), and a map is s q + o, so o = -s zero.
        pairs.append(GivenJoint(old, joint.name, float(sign), -sign * zero))
    lost = decisions_lost(result.before, edited.locked, edited.dropped)
    return compare(before, after, given=Given(tuple(pairs), base, decided=lost))
