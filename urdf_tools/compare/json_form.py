"""A comparison for programs: the same data as JSON."""
from typing import Any, Dict, List, Optional, Sequence

from ..base.errors import UsageError
from ..urdf.spatial import Pose, rpy_from_matrix
from ..verify.rigid_motion import rpy_rotation
from .comparison import Comparison
from .differences import Difference
from .mapping import Given, GivenJoint
from .mass_matrix import mass_matrix_gap, POSITIONS
from .robot_map import JointPair, RobotMap
from .words import MASSES, text_of

DIGITS = 12


def as_json(comparison: Comparison) -> Dict[str, Any]:
    """Return what `json.dump` writes: verdict, exit, bound, the map as `--map` takes it, and every difference."""
    robots, bound = comparison.map, comparison.bound
    return {
        "verdict": comparison.verdict,
        "exit": comparison.exit_code,
        "bound": None if bound is None else {
            "position": _rounded(bound.position), "angle": _rounded(bound.angle), "body": bound.body},
        "base": {"rpy": [_rounded(part) for part in rpy_from_matrix(robots.base.rotation)],
                 "xyz": [_rounded(part) for part in robots.base.translation], "evidence": robots.base_evidence,
                 "root": robots.turned_root},
        "joints": [_joint(robots, pair) for pair in robots.pairs],
        "bodies": [{"a": robots.a.bodies[a].name, "b": robots.b.bodies[b].name,
                    "links_a": [part.link.name for part in robots.a.bodies[a].parts],
                    "links_b": [part.link.name for part in robots.b.bodies[b].parts]}
                   for a, b in robots.bodies.items()],
        "differences": [difference_json(difference) for difference in comparison.differences],
        "unproven": [difference_json(difference) for difference in comparison.unproven],
        "noted": [difference_json(difference) for difference in comparison.noted],
        "rounded": [difference_json(difference) for difference in comparison.rounded],
        "decided": [difference_json(difference) for difference in comparison.decided],
        "only": {"a": [robots.a.joints[index].raw.name for index in robots.only_a],
                 "b": [robots.b.joints[index].raw.name for index in robots.only_b],
                 "welded_a": _names(robots.a.raw.joints, robots.welded_a),
                 "welded_b": _names(robots.b.raw.joints, robots.welded_b)},
        "mass_matrix": _mass_matrix(comparison),
        "loops": {"a": len(comparison.a.loops), "b": len(comparison.b.loops)},
        "ties": robots.ties,
        "notes": list(comparison.notes),
        "refused": None,
    }


def _mass_matrix(comparison: Comparison) -> Optional[Dict[str, float]]:
    """Return how far apart M(q) is at sampled positions, as a part; None where other masses are not the verdict."""
    gap = mass_matrix_gap(comparison.map) if comparison.verdict == MASSES else None
    return None if gap is None else {"part": _rounded(gap), "positions": POSITIONS}


def _joint(robots: RobotMap, pair: JointPair) -> Dict[str, Any]:
    return {"a": robots.a.joints[pair.choice.a].raw.name, "b": robots.b.joints[pair.choice.b].raw.name,
            "sign": int(pair.choice.sign), "offset": _rounded(robots.offset(pair)), "evidence": pair.evidence,
            "alternatives": [_rounded(robots.offset(pair, zero)) for zero in pair.alternatives]}


def given_of_json(data: Any, path: str = "") -> Given:
    """Return the map that a file gives: its `joints` (a, b, sign, offset), and its `base` (rpy, xyz) if it has one.

    Raises:
        UsageError: it is not of this form.
    """
    try:
        of_run = "joint_order" in data
        joints = tuple([_of_run(joint) for joint in data["joints"] if joint["type"] != "fixed"] if of_run else [
            GivenJoint(str(joint["a"]), str(joint["b"]), float(joint.get("sign", 1)), float(joint.get("offset", 0.0)))
            for joint in data["joints"]])
        for joint in joints:
            if joint.sign not in (1.0, -1.0):
                raise UsageError(f"the sign of '{joint.a}' is {joint.sign:g}, and a sign is 1 or -1", path)
        base = data.get("base") if not of_run else None  # the report of a run has no base in this form
        if base is None:
            return Given(joints, None, decided=tuple(map(str, data.get("decisions", ()))) if of_run else None)
        (x, y, z), (roll, pitch, yaw) = base.get("xyz", (0.0, 0.0, 0.0)), base.get("rpy", (0.0, 0.0, 0.0))
        return Given(joints, Pose(rpy_rotation(float(roll), float(pitch), float(yaw)), (float(x), float(y), float(z))),
                     root=str(base.get("root", "")))
    except UsageError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise UsageError('a map is {"joints": [{"a": "elbow", "b": "joint3", "sign": -1, "offset": 1.5708}]}, and '
                         '"base": {"rpy": [0, 0, 0], "xyz": [0, 0, 0]} if it is known', path) from problem


def _of_run(joint: Dict[str, Any]) -> GivenJoint:
    """Return the mapping of a joint in the report of a run: sign * (q - zero) is sign * q + offset."""
    sign = float(joint["sign"])
    return GivenJoint(str(joint["old_name"]), str(joint["name"]), sign, -sign * float(joint["zero"]), joint["child"])


def difference_json(difference: Difference) -> Dict[str, Any]:
    """Return a difference with its sentence."""
    return {"kind": difference.kind, "where": difference.where, "size": _rounded(difference.size),
            "unit": difference.unit, "a": _shown(difference.a), "b": _shown(difference.b),
            "line_a": difference.line_a, "line_b": difference.line_b, "text": text_of(difference)}


def _shown(value: Any) -> Any:
    if isinstance(value, float):
        return _rounded(value)
    return [_rounded(part) for part in value] if isinstance(value, tuple) else value


def _rounded(value: float) -> float:
    """Return a number without what is below rounding error, the same on every machine."""
    return round(float(f"{value:.{DIGITS}g}"), DIGITS) + 0.0


def _names(joints: Sequence[Any], children: Sequence[str]) -> List[str]:
    return [joint.name for joint in joints if joint.child in children]
