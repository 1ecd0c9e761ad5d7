"""The joints of an SDF as one tree: joints that close a loop are loops, and links that no joint holds are free."""

from __future__ import annotations

from math import inf
from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ...robot.raw_robot import RawJoint, RawLink, RawLoop, RawMimic, SLIDING, TURNING, Values
from ...urdf.spatial_math import rotate, transpose, Vector
from ..reader_helpers import IGNORED, name_of, unit_of, WORLD
from ..xml_reader import XmlElement
from .read_sdf_frames import flags_at, is_true, MODEL, ModelFrames, number_at, numbers_at, vector_at

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "ball")
NO_BOUND = 1e16  # SDF's default of a limit
COUPLES = ("gearbox",)  # types of joints that hold nothing: they only couple two joints
DYNAMICS = {
    "damping": "damping",
    "friction": "friction",
    "spring_stiffness": "stiffness",
    "spring_reference": "spring_reference",
}
PHYSICS = {
    "ode/limit/cfm": "limit_cfm",
    "ode/limit/erp": "limit_erp",
    "ode/fudge_factor": "fudge_factor",
}
FLAGS = {
    "provide_feedback": "provide_feedback",
    "ode/implicit_spring_damper": "implicit_spring_damper",
}


def couples(element: XmlElement) -> bool:
    """Return True for a joint that only couples two joints; it is marked as unread."""
    kind = element.get("type")
    if kind in COUPLES:
        element.leave(f"a {kind} couples two joints, and that is not compared")
    return kind in COUPLES


def read_joint(element: XmlElement, frames: ModelFrames) -> RawJoint:
    """Return a joint."""
    name = name_of(element)
    kind = element.get("type") or ""
    if kind not in JOINTS:
        element.refuse(
            f"joint '{name}' has the type '{kind}', which cannot be compared: {', '.join(JOINTS)} can"
        )
    element.first("pose")
    parent = frames.end_of(element, "parent")
    child = frames.end_of(element, "child")
    # The axis goes through the origin of the joint, which need not be the origin of its child.
    T_child_joint = frames.between(child, name)
    solver = _solver(element.first("physics"))
    joint = RawJoint(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        T_parent_child=frames.between(parent, child),
        point=T_child_joint.translation,
        values=solver,
        line=element.line,
    )
    axis = element.first("axis")
    if kind in ("fixed", "ball"):
        if axis is not None:
            axis.leave(IGNORED)
        return joint
    if axis is None:
        element.refuse(f"joint '{name}' has no <axis>")
    return _moving(joint, element, axis, frames)


def _moving(
    joint: RawJoint, element: XmlElement, axis: XmlElement, frames: ModelFrames
) -> RawJoint:
    """Return a joint that turns or slides, with its axis, limits and values."""
    R = frames.axis_frame(axis, element, joint.child)
    limit = axis.first("limit")
    dynamics = axis.first("dynamics")
    mimic = axis.first("mimic")
    kind = joint.type
    lower = _bound(limit, "lower")
    upper = _bound(limit, "upper")
    # Limits that are not written are infinite in SDF: a revolute joint without any turns freely.
    if kind == "continuous" or lower is None and upper is None and kind == "revolute":
        kind = "continuous"
        lower = None
        upper = None
    direction = unit_of(rotate(R, vector_at(axis, "xyz") or (0.0, 0.0, 1.0)))
    return joint._replace(
        type=kind,
        axis=direction or axis.refuse("an axis of 0 0 0"),
        lower=lower,
        upper=upper,
        effort=_positive(limit, "effort"),
        velocity=_positive(limit, "velocity"),
        mimic=_mimic(mimic, element),
        values={**joint.values, **numbers_at(dynamics, DYNAMICS)},
    )


def _solver(physics: Optional[XmlElement]) -> Values:
    """Return the parameters of the solver for a joint, as numbers: true is 1."""
    return {**flags_at(physics, FLAGS), **numbers_at(physics, PHYSICS)}


def _mimic(mimic: Optional[XmlElement], joint: XmlElement) -> Optional[RawMimic]:
    """Return the rule of a follower in the form of URDF, which has no reference.

    SDF: position = multiplier * (position of the leader - reference) + offset.
    """
    if mimic is None:
        return None
    if mimic.get("axis") not in (None, "axis"):
        joint.refuse(f"joint '{joint.get('name')}' mimics a second axis, which cannot be compared")
    multiplier = number_at(mimic, "multiplier") or 0.0
    offset = number_at(mimic, "offset") or 0.0
    reference = number_at(mimic, "reference") or 0.0
    return RawMimic(mimic.get("joint") or "", multiplier, offset - multiplier * reference)


def _bound(limit: Optional[XmlElement], key: str) -> Optional[float]:
    """Return a bound; None for NO_BOUND and beyond: Gazebo's files have the largest double, and inf."""
    bound = limit.first(key) if limit is not None else None
    if bound is None or bound.text.lower().lstrip("+-") in ("inf", "infinity"):
        return None
    (value,) = bound.numbers(bound.text, 1, largest=inf)
    return None if abs(value) >= NO_BOUND else value


def _positive(limit: Optional[XmlElement], key: str) -> Optional[float]:
    """Return a bound that a negative number switches off, as its default, -1, does."""
    value = _bound(limit, key)
    return None if value is None or value < 0.0 else value


def without_loops(
    joints: Sequence[RawJoint], frames: ModelFrames
) -> Tuple[List[RawJoint], Tuple[RawLoop, ...]]:
    """Return the joints of the tree, and loops for all others.

    A joint closes a loop if earlier joints give its child a parent, or put the child above its own parent.
    """
    tree: List[RawJoint] = []
    loops: List[RawLoop] = []
    parents: Dict[str, str] = {}  # by child
    known_parents: Set[str] = set()
    for joint in joints:
        # Only a link that is a parent can be above another: most joints need no walk.
        is_above_itself = (
            joint.child in known_parents
            and joint.child != joint.parent
            and _is_at_or_below(joint.parent, joint.child, parents)
        )
        known_parents.add(joint.parent)
        if is_above_itself or joint.child in parents:
            loops.append(_loop(joint, frames))
        else:
            tree.append(joint)
            parents[joint.child] = joint.parent
    return tree, tuple(loops)


def _is_at_or_below(name: str, ancestor: str, parents: Mapping[str, str]) -> bool:
    """Return True if a link is the ancestor itself, or its descendant."""
    for _ in range(len(parents) + 1):  # no further: joints may go in a circle
        if name == ancestor:
            return True
        if name not in parents:
            return False
        name = parents[name]
    return False


def _loop(joint: RawJoint, frames: ModelFrames) -> RawLoop:
    """Return a joint that is not in the tree as a loop."""
    T_parent_joint = frames.between(joint.parent, joint.name)
    T_child_joint = frames.between(joint.child, joint.name)
    axis: Optional[Vector] = None
    if joint.type in (*TURNING, *SLIDING):
        # The axis of a joint is in the frame of its child, the axis of a loop in the frame of its first end.
        axis = rotate(transpose(T_child_joint.rotation), joint.axis)
    bounds = {
        "lower": joint.lower,
        "upper": joint.upper,
        "effort": joint.effort,
        "velocity": joint.velocity,
    }
    return RawLoop(
        name=joint.name,
        kind=joint.type,
        links=(joint.parent, joint.child),
        T_link_end=(T_parent_joint, T_child_joint),
        line=joint.line,
        axis=axis,
        bounds={name: number for name, number in bounds.items() if number is not None},
        values=joint.values,
    )


def with_free_links(
    model: XmlElement, links: Sequence[RawLink], joints: Sequence[RawJoint], frames: ModelFrames
) -> Tuple[List[RawLink], List[RawJoint]]:
    """Return the links and joints of one tree: links that no joint holds are free; in a static model they are fixed.

    The first of them is the root. If the world holds a link, or several links have no parent, the world is the root.
    """
    parent_of = _parents_of_free_links(links, joints, frames)
    tops = [name for name, parent in parent_of.items() if parent == MODEL]
    root = tops[0] if tops else ""
    if len(tops) > 1 or any(joint.parent == WORLD for joint in joints):
        # A tree has one root, and only the world can be above all of them.
        frames.refuse_reserved_names()
        links = [RawLink(WORLD, line=model.line), *links]
        root = WORLD
    kind = "fixed" if is_true(model, "static") else "floating"
    free_joints: List[RawJoint] = []
    for link in links:
        if link.name not in parent_of or link.name == root:
            continue
        parent = parent_of[link.name]
        if parent == MODEL:
            parent = root
        joint = RawJoint(
            name=link.name,
            type=kind,
            parent=parent,
            child=link.name,
            T_parent_child=frames.between(parent, link.name),
            line=link.line,
        )
        free_joints.append(joint)
    return list(links), [*joints, *free_joints]


def _parents_of_free_links(
    links: Sequence[RawLink], joints: Sequence[RawJoint], frames: ModelFrames
) -> Dict[str, str]:
    """Return the parent of each link that no joint holds: the link that holds the frame of its pose, or MODEL."""
    parents = {joint.child: joint.parent for joint in joints}
    free = [link.name for link in links if link.name not in parents]
    parent_of: Dict[str, str] = {}
    for name in free:
        holder = frames.holder_of(frames.base_of(name))
        # A link cannot stand on its own descendant, as the pose of a link of a nested model may have it.
        if _is_at_or_below(holder, name, parents):
            parent_of[name] = MODEL
            continue
        parent_of[name] = holder
        if holder != MODEL:
            parents[name] = holder
    return parent_of
