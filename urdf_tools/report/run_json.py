"""The run as JSON: the data that programs using the URDF need to follow the changes.

The layout is stable: `format` grows by one when a key is removed or changes its meaning; keys may be added at any time.
"""

import re
from typing import Any, Dict, List, Mapping, Sequence, Union

from ..base.type_aliases import Json
from ..base.diagnostics import Diagnostic
from ..base.number_text import grouped, without_noise
from ..base.version import signature
from ..base.graph_walks import depth_first
from ..plan.canonical_frames import JointFrame
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import ReferenceUpdate
from ..plan.link_merging import LinkMembership
from ..plan.removed_shapes import DuplicateShape, RemovedShape
from ..run.run_records import Result
from ..urdf.urdf_records import AS_IT_WAS, UrdfJoint, MOVABLE, poses_at
from ..urdf.urdf_notes import DECISIONS, words_of_note
from ..urdf.spatial_math import Matrix, IDENTITY_POSE, Transform, rotate, rpy_from_matrix, ZERO
from .kinematic_tree import result_tree

RECORD_FORMAT = 1
RECORD_NOISE = 1e-13  # [m, rad] rounding error of zero


def record_text(result: Result, output: str, srdf_output: str = "") -> str:
    """Return the JSON text of a run; the same input, options and release yield the same bytes.

    Args:
        result: the run.
        output: the name of the URDF that was written.
        srdf_output: the name of an SRDF that the caller wrote.
    """
    import json  # imported here and below: only a report needs them

    record = record_of(result, output, srdf_output)
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def record_of(result: Result, output: str, srdf_output: str = "") -> Json:
    """Return the run as plain data: lengths in meters, angles in radians, masses in kilograms, frames as named."""
    name, _, release = signature().partition(" ")
    record = {
        "format": RECORD_FORMAT,
        "tool": {"name": name, "version": release},
        "options": _options(result),
        "input": _file(result.before.document.path, result.source),
        "output": _file(output, result.data),
        "base": _base_record(result.plan),
        "totals": _totals(result),
        "joints": _joints(result),
        "joints_removed": _joints_removed(result),
    }
    edited = result.exported.edited
    described = edited.described if edited else {"locked": [], "dropped": []}
    record.update(described)
    record["joint_order"] = {
        "before": joint_orders(result.before.joints, result.before.root),
        "after": joint_orders(result.after.joints, result.after.root),
    }
    record.update(_links(result.plan))
    record["tree"] = _tree(result)
    record["decisions"] = [
        *words_of_note(result.after.document, DECISIONS),
        *result.exported.decided,
    ]
    record["followed"] = _followed(result.plan.updates.notes)
    record["warnings"] = _diagnostics([*result.plan.warnings, *result.exported.warnings])
    record["proof"] = result.proof._asdict()
    # The key exists without an SRDF, too, so that a program need not test for it.
    record["srdf"] = None
    for followed in result.companions:
        record[followed.name.lower()] = {
            "input": _file(followed.before.path, followed.source),
            "output": _file(srdf_output or followed.output, followed.data),
            "followed": _followed(followed.updates.notes),
            "warnings": _diagnostics(followed.updates.warnings),
            "proof": followed.proof._asdict(),
        }
    record["exports"] = [_file(name, data) for name, data in result.exported.files]
    return record


def _options(result: Result) -> Json:
    """Return the options of the plan, and the options of the package that were given."""
    options = result.plan.options
    return {
        **options._asdict(),
        "axis": {word: "XYZ"[axis] for word, axis in options.axis},
        "meshes": options.meshes._asdict(),
        **dict(result.exported.choices),
    }


def _base_record(plan: Plan) -> Json:
    """Describe the decision about the base frame."""
    base = plan.base
    return {
        "input_axes": base.words,
        "reason": base.reason,
        "R_new_old": _rows(base.R_new_old),
    }


def _totals(result: Result) -> Json:
    """Return counts and mass [kg], each before and after."""
    before = result.before
    after = result.after
    return {
        "links": [len(before.links), len(after.links)],
        "joints": [len(before.joints), len(after.joints)],
        "mass": [before.mass, after.mass],
    }


def _joints_removed(result: Result) -> List[Json]:
    """Describe the joints of the input that the result does not have."""
    # An edit that keeps a subtree removes the joint above it, too: its child becomes the root.
    return [
        {
            "name": joint.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
            "line": joint.source.line,
        }
        for joint in result.before.joints
        if result.plan.is_removed(joint.child) or joint.child == result.after.root
    ]


def _links(plan: Plan) -> Json:
    """Return the target or removal of each link, frame and shape."""
    strips = [{**_of_shape(strip), "reason": strip.reason} for strip in plan.strips]
    copies = []
    for copy in plan.copies:
        row = _of_shape(copy)
        copies.append({"link": row.pop("link"), "target": copy.target, **row})
    return {
        "links": [_link(plan, name, member) for name, member in plan.members.items()],
        "frames_lost": list(plan.lost_frames),
        "stripped": strips,
        "copies_dropped": copies,
    }


def _tree(result: Result) -> List[Json]:
    """Describe the links of the result, each after its parent, with the links that merge into it."""
    plan = result.plan
    return [
        {
            "link": link.name,
            "parent": link.joint and link.joint.parent,
            "joint": link.joint and link.joint.name,
            "level": link.level,
            "mass": [plan.robot.links[link.name].mass, plan.bodies[link.name].mass],
            "merged": [{"link": name, "reason": plan.members[name].reason} for name in link.merged],
        }
        for link in result_tree(result)
    ]


def _of_shape(removed: Union[RemovedShape, DuplicateShape]) -> Json:
    """Describe a removed shape."""
    shape = removed.shape
    return {
        "link": removed.link,
        "kind": shape.kind,
        "mesh": shape.mesh,
        "line": shape.source.line,
    }


def _file(path: str, data: bytes) -> Dict[str, str]:
    """Describe a file by its name and the digest of its bytes."""
    import hashlib

    return {"path": path, "sha256": hashlib.sha256(data).hexdigest()}


def _followed(notes: Sequence[ReferenceUpdate]) -> List[Json]:
    """Describe the elements that were updated for a change."""
    return [{"line": note.line, "what": note.what, "how": note.how} for note in notes]


def _diagnostics(notices: Sequence[Diagnostic]) -> List[Json]:
    """Describe warnings and notes."""
    return [
        {
            "line": notice.line,
            "message": notice.text,
            "kind": notice.kind.name,
            "severity": notice.kind.severity,
            "sentence": notice.sentence,
            "place": notice.place,
            "names": list(notice.names),
            "numbers": list(notice.numbers),
        }
        for notice in notices
    ]


def _joints(result: Result) -> List[Json]:
    """Describe the joints of the result in file order; axes are given in the new base frame, all joints at zero."""
    plan = result.plan
    # Both robots are placed in the same world axes, so that the old and the new axis of a joint can be compared.
    T_old = poses_at(result.before, {}, Transform(plan.base.R_new_old, ZERO))
    T_new = poses_at(result.after, {}, IDENTITY_POSE)
    edited = result.exported.edited
    described: List[Json] = []
    for joint in result.after.joints:
        was = result.before.above.get(joint.child)
        frame = plan.joints[joint.child].frame
        if edited:
            # Edits rename joints and map their positions, which the plan of the result does not contain.
            was = result.before.named.get(edited.old_joints.get(joint.name, joint.name))
            counted = edited.maps.get(was.name, AS_IT_WAS) if was is not None else AS_IT_WAS
            frame = frame._replace(map=counted)
        row: Json = {
            "name": joint.name,
            "old_name": was and was.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
        }
        described.append(row)
        if was is None:  # an edit added it
            row.update(line=0, sign=1, zero=0.0)
            continue
        row.update(line=was.source.line, sign=frame.map.sign, zero=frame.map.zero)
        row.update(_axes(joint, was, frame, T_old, T_new))
        row.update(
            limits_old=_limits(was),
            limits_new=_limits(joint),
            mimic_old=was.mimic and was.mimic._asdict(),
            mimic_new=joint.mimic and joint.mimic._asdict(),
        )
    return described


def _axes(
    joint: UrdfJoint,
    was: UrdfJoint,
    frame: JointFrame,
    T_old: Mapping[str, Transform],
    T_new: Mapping[str, Transform],
) -> Json:
    """Return the axis of a joint before and after in the same world axes, and the reason for its frame."""
    old = new = asked = None
    if joint.type not in ("fixed", "floating"):
        old = _list(rotate(T_old[was.child].rotation, was.axis))
        new = _list(rotate(T_new[joint.child].rotation, joint.axis))
    if frame.asked is not None:
        asked = {"word": frame.asked.word, "axis": "XYZ"[frame.asked.axis]}
    axis = None if frame.axis is None else "XYZ"[frame.axis]
    return {
        "axis": axis,
        "axis_old": old,
        "axis_new": new,
        "name_class": asked,
        "fallback": frame.fallback,
        "tilt": frame.tilt,
    }


def _limits(joint: UrdfJoint) -> Dict[str, float]:
    """Return the limits of a joint that depend on its sign and zero [rad or m], by name."""
    return {name: value for (_, name), value in joint.positions.items()}


def _link(plan: Plan, name: str, member: LinkMembership) -> Json:
    """Describe a link of the input; T_new_old maps from its old frame to the new frame of `target`."""
    T = plan.placements[name]
    described: Json = {
        "name": name,
        "line": plan.robot.links[name].source.line,
        "state": member.kind,
        "reason": member.reason,
        "target": member.target,
        "removed": plan.is_removed(name),
        "T_new_old": {
            "xyz": _list(T.translation),
            "rpy": _list(rpy_from_matrix(T.rotation)),
            "rotation": _rows(T.rotation),
        },
    }
    if not member.merged:
        described["mass_from"] = [
            {
                "link": part.link,
                "mass": part.mass_properties.mass,
                "center": _list(part.mass_properties.center),
            }
            for part in plan.bodies[name].parts
            if part.mass_properties is not None
        ]
    return described


def joint_orders(joints: Sequence[Any], root: str) -> Dict[str, List[str]]:
    """List the names of the joints with one coordinate in the orders by which programs index them.

    As given: file order. Breadth first from the root. Depth first: MuJoCo, Drake and Newton. Siblings are in file
    order. `joints` are records of any kind with a name, type, parent and child.

    In USD, to which Isaac converts a URDF, siblings are sorted by the names of their prims: PhysX goes breadth first,
    Newton depth first.
    """
    by_name = sorted(joints, key=lambda joint: re.sub("[^A-Za-z0-9_]", "_", joint.name))
    orders = {
        "declaration ros": list(joints),
        "breadth_first": _breadth_first(root, joints),
        "depth_first mujoco newton": _depth_first(root, joints),
        "physx_usd isaac": _breadth_first(root, by_name),
        "newton_usd": _depth_first(root, by_name),
    }
    names_by_word: Dict[str, List[str]] = {}
    for words, ordered in orders.items():
        names = [joint.name for joint in ordered if joint.type in MOVABLE]
        names_by_word.update((word, names) for word in words.split())
    return names_by_word


def _depth_first(root: str, joints: Sequence[Any]) -> List[Any]:
    """Return the joints of the root's descendants, each followed by the joints of its child's descendants."""
    below = grouped((joint.parent, joint) for joint in joints)
    return [*depth_first(below.get(root, []), lambda joint: below.get(joint.child, []))]


def _breadth_first(root: str, joints: Sequence[Any]) -> List[Any]:
    """Return the joints of the root's descendants, level by level."""
    below = grouped((joint.parent, joint) for joint in joints)
    order = [*below.get(root, ())]
    for joint in order:  # the list grows while it is read
        order += below.get(joint.child, ())
    return order


def _rows(R: Matrix) -> List[List[float]]:
    """Return the rows of a matrix, rounding errors of zero removed."""
    return [*map(_list, R)]


def _list(values: Sequence[float]) -> List[float]:
    """Return numbers, rounding errors of zero removed, and zeros without a sign."""
    return [value + 0.0 for value in without_noise(tuple(values), RECORD_NOISE)]
