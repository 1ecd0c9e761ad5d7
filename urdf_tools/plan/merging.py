"""Decide which links merge into which: children of fixed joints and of duplicate joints."""
from fnmatch import fnmatchcase
from typing import Dict, List, NamedTuple, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import EXPORTED_TWICE, JOINT_TWICE, RENAMED_JOINT, UNUSED_OPTION
from ..base.errors import BrokenRobot, ManyProblems, UrdfError
from ..base.number_text import short
from ..urdf.model import Joint, Link, MOVABLE, NO_MASS, Robot
from ..urdf.spatial import (angle_between, compose, cross, IDENTITY_POSE, inverse, norm, Pose, rotate, rotation_angle,
                            subtract)
from .needs import Need
from .options import Options
from .surfaces import Surfaces, why_kept_apart

WORLD_LINKS = ("world", "map", "odom", "ground")
POSE_TOLERANCE = 1e-5  # [m and rad]: error of six printed digits down a chain

FRAME_STAYS, FRAME_LEFT = "--keep-frames", "--leave-frames"
MAIN, BASE, KEPT, FIXED, COPY, SIBLING = "main", "base", "kept", "fixed", "copy", "sibling"


class Membership(NamedTuple):
    """Where a link belongs.

    Attributes:
        target: the link that carries its content afterwards; the link itself when it stays.
        T_target_link: its pose in the target's (old) frame with all joints at zero.
        kind: MAIN (it moves on a joint of its own), BASE (below a root that is only a frame), KEPT (fixed, stays),
            FIXED, COPY or SIBLING (merged).
        reason: why it is kept or merged, for the report.
    """

    target: str
    T_target_link: Pose
    kind: str
    reason: str

    @property
    def merged(self) -> bool:
        """Return True if its content goes to another link; with --leave-frames an empty link stays in its place."""
        return self.kind in (FIXED, COPY, SIBLING)


class Merging(NamedTuple):
    """All memberships by link, new names of joints by child link, warnings, and what became of contacts and gravity."""

    members: Dict[str, Membership]
    renamed: Dict[str, str]
    warnings: Tuple[Diagnostic, ...]
    surfaces: Surfaces


class _First(NamedTuple):
    """The first joint of a name: the joint, the moving body it hangs on, and T_body_child."""

    joint: Joint
    body: str
    T_body_child: Pose


def decide_merging(robot: Robot, needs: Dict[str, Need], options: Options, stripped: Set[int]) -> Merging:
    """Decide for every link whether it stays, and if not, what it merges into.

    `stripped` holds the offsets of the shapes that are stripped: a link that loses all of them is only a frame.

    Raises:
        BrokenRobot, ManyProblems: joints that share a name but not a motion (unless they shall be renamed).
    """
    members = {robot.root: Membership(robot.root, IDENTITY_POSE, MAIN, "the root")}
    bases = _find_bases(robot, options, stripped)
    body = {robot.root: (robot.root, IDENTITY_POSE)}  # link -> moving body, T_body_link
    carrier = {robot.root: (robot.root, IDENTITY_POSE)}  # link -> what a fixed child merges into, T_carrier_link
    firsts: Dict[str, _First] = {}
    renamed: Dict[str, str] = {}
    surfaces = Surfaces(robot, stripped, not options.leave_frames)
    copied: Dict[str, str] = {}  # link of an assembly that is a coincident copy -> its original, if that is known
    warnings: List[Diagnostic] = []
    problems: List[UrdfError] = []
    numbers = dict.fromkeys((joint.name for joint in robot.joints), 2)  # what a second joint of the name is called
    for joint in robot.tree:
        (mover, T_mover_parent), (target, T_target_parent) = body[joint.parent], carrier[joint.parent]
        T_mover_child = compose(T_mover_parent, joint.origin)
        stays = Membership(joint.child, IDENTITY_POSE, MAIN, "")
        if joint.type == "fixed":
            body[joint.child] = (mover, T_mover_child)
            stay = _why_kept(robot, joint, needs, options, stripped)
            carrier[joint.child] = (target, compose(T_target_parent, joint.origin))
            twin = _find_twin(robot, joint.child, body, copied) if joint.parent in copied else ""
            copied.update({joint.child: twin} if joint.parent in copied else {})
            if not stay.reason and not twin and not options.merge_all:
                stay = _Stay(why_kept_apart(surfaces, joint.child, target))
            if twin and not stay.reason:
                T_twin_child = compose(inverse(body[twin][1]), T_mover_child)
                target, T_target_twin = carrier[twin]
                carrier[joint.child] = (target, compose(T_target_twin, T_twin_child))
                members[joint.child] = Membership(*carrier[joint.child], COPY, f"coincident copy of '{twin}'")
                warnings.extend(_notices_of_copy(robot, joint, twin, options))
            elif joint.child in bases:
                members[joint.child] = stays._replace(kind=BASE, reason=bases[joint.child])
            elif stay.reason:
                members[joint.child] = stays._replace(kind=KEPT, reason=stay.reason)
            else:
                members[joint.child] = Membership(*carrier[joint.child], FIXED, f"fixed joint '{joint.name}'")
            # A kept frame stays a frame; the base is not one, and what hangs on it must not merge into the world.
            kind = members[joint.child].kind
            if kind == BASE or (kind == KEPT and not stay.only_frame):
                carrier[joint.child] = (joint.child, IDENTITY_POSE)
            elif kind != KEPT:
                surfaces.merge(joint.child, members[joint.child].target)
            continue
        body[joint.child] = carrier[joint.child] = (joint.child, IDENTITY_POSE)
        members[joint.child] = stays
        first = firsts.setdefault(joint.name, _First(joint, mover, T_mover_child))
        if first.joint is joint:
            continue
        if not options.merge:
            warnings.append(Diagnostic(JOINT_TWICE, joint.source.line, "kept", (joint.name,),
                                       (first.joint.source.line,)))
            continue
        conflict = _conflict(first, joint, mover, T_mover_child)
        if not conflict:
            T_first_child = compose(inverse(first.T_body_child), T_mover_child)
            kind, reason = _kind_of_duplicate(robot, first.joint, joint, T_first_child)
            members[joint.child] = Membership(first.joint.child, T_first_child, kind, reason)
            body[joint.child] = carrier[joint.child] = (first.joint.child, T_first_child)
            surfaces.merge(joint.child, first.joint.child)
            if kind == COPY:
                copied[joint.child] = first.joint.child
            warnings.extend(_check_duplicate(robot, first.joint, joint, kind, options))
        elif options.duplicates == "rename":
            while f"{joint.name}_{numbers[joint.name]}" in numbers:
                numbers[joint.name] += 1
            name = f"{joint.name}_{numbers[joint.name]}"
            numbers[name] = 2
            meant = robot.named[joint.name]  # what names it elsewhere still names it
            other, holder = (first.joint, joint) if joint is meant else (joint, first.joint)
            renamed[other.child] = name
            warnings.append(Diagnostic(RENAMED_JOINT, other.source.line, "joint", (joint.name, name, conflict),
                                       (holder.source.line,)))
        else:
            problems.append(BrokenRobot(
                f"joint '{joint.name}' has the name of the joint in line {first.joint.source.line}, but {conflict}: "
                "two motions with one name; rename one of them, or use --duplicates rename",
                robot.document.path, joint.source.line))
    if problems:
        raise problems[0] if len(problems) == 1 else ManyProblems(problems)
    surfaces.settle({name for name, member in members.items() if member.merged})
    return Merging(members, renamed, (*warnings, *_unused_globs(robot, options)), surfaces)


def _find_bases(robot: Robot, options: Options, stripped: Set[int]) -> Dict[str, str]:
    """Find the links that are the robot's base, with the reasons why they are kept below a root that is only a frame.

    Below WORLD_LINKS that is whatever is fixed to them. Another frame that is the root, or the base itself, has a base
    if all it carries hangs on one fixed joint: KDL wants a root without mass, and ROS looks up both names.
    """
    below: Dict[str, List[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    bases: Dict[str, str] = {}
    waiting = [robot.root]
    while waiting:
        name = waiting.pop()
        if not _is_frame(robot.links[name], stripped):
            continue
        if name == robot.root and name in WORLD_LINKS:
            found = [joint.child for joint in below.get(name, ()) if joint.type == "fixed"]
            reason = f"it is the base, bolted to '{name}'"
        else:
            carried = [joint for joint in below.get(name, ()) if not (
                joint.type == "fixed" and joint.child not in below and _is_frame(robot.links[joint.child], stripped))]
            single = len(carried) == 1 and carried[0].type == "fixed" and not options.merge_all
            found = [carried[0].child] if single else []
            reason = f"it is the base below '{name}', a frame only: KDL wants a root without mass, ROS knows both names"
        bases.update(dict.fromkeys(found, reason))
        waiting.extend(found)
    return bases


def _is_frame(link: Link, stripped: Set[int]) -> bool:
    """Return True if a link has no mass and no shapes that stay."""
    return link.mass < NO_MASS and all(shape.source.offset in stripped for shape in link.shapes)


class _Stay(NamedTuple):
    """Why a link on a fixed joint stays a link ("": it merges), and whether only as a frame."""

    reason: str
    only_frame: bool = False


def _why_kept(robot: Robot, joint: Joint, needs: Dict[str, Need], options: Options, stripped: Set[int]) -> _Stay:
    link, need = robot.links[joint.child], needs.get(joint.child)
    if not options.merge:
        return _Stay("merging is left out")
    if need is not None and (need.hard or not options.merge_all) and not (need.frame and options.leave_frames):
        return _Stay(need.reason, need.frame and _is_frame(link, stripped))
    for pattern in options.keep:
        if fnmatchcase(link.name, pattern):
            return _Stay(f"--keep {pattern}")
    if options.keep_frames and _is_frame(link, stripped):
        return _Stay(FRAME_STAYS, True)
    return _Stay(FRAME_LEFT, True) if options.leave_frames and link.inertial is None and not link.shapes else _Stay("")


def _conflict(first: _First, joint: Joint, mover: str, T_mover_child: Pose) -> str:
    """Return why two joints of one name are not one motion, or ""."""
    if joint.type != first.joint.type:
        return f"one is {first.joint.type} and the other {joint.type}"
    if mover != first.body:
        return "it hangs on another body"
    if joint.type not in MOVABLE:
        return f"a {joint.type} joint has no axis line to compare"
    axis = rotate(first.T_body_child.rotation, first.joint.axis)
    other = rotate(T_mover_child.rotation, joint.axis)
    angle = angle_between(axis, other)
    if angle > POSE_TOLERANCE:
        return f"its axis differs by {short([angle * 57.29577951308232], 3)} degrees"
    between = subtract(T_mover_child.translation, first.T_body_child.translation)
    distance = norm(cross(between, axis))
    if joint.type != "prismatic" and distance > POSE_TOLERANCE:
        return f"its axis is {short([distance * 1000.0], 3)} mm away"
    return ""


def _kind_of_duplicate(robot: Robot, first: Joint, joint: Joint, T_first_child: Pose) -> Tuple[str, str]:
    """Distinguish the same part exported twice (a coincident copy) from another part on the same axis."""
    if poses_coincide(T_first_child, IDENTITY_POSE) and _have_same_mass(robot, first.child, joint.child):
        return COPY, f"joint '{joint.name}' again, same part exported twice as '{first.child}'"
    return SIBLING, f"joint '{joint.name}' again, same axis: moves with '{first.child}'"


def _find_twin(robot: Robot, child: str, body: Dict[str, Tuple[str, Pose]], copied: Dict[str, str]) -> str:
    """Return the part of the original of which a part on a fixed joint of a copied assembly is a copy, or "".

    Of several the one whose joint has the same name; a part without mass has a copy only under the same name.
    """
    mover, T_mover_child = body[child]
    taken = {*copied, *copied.values(), mover, child}
    found = [name for name, (other, T_mover_name) in body.items() if other == mover and name not in taken
             and _have_same_mass(robot, name, child)
             and poses_coincide(compose(inverse(T_mover_name), T_mover_child), IDENTITY_POSE)]
    same = [name for name in found if robot.above[name].name == robot.above[child].name]
    return next(iter(same or (found if robot.links[child].mass >= NO_MASS else [])), "")


def poses_coincide(T_a: Pose, T_b: Pose) -> bool:
    """Return True if two poses are the same but for what six printed digits leave open."""
    apart = norm(subtract(T_a.translation, T_b.translation))
    return apart < POSE_TOLERANCE and rotation_angle(T_a.rotation, T_b.rotation) < POSE_TOLERANCE


def _have_same_mass(robot: Robot, first: str, second: str) -> bool:
    """Return True if two links have the same mass with the same center, or none."""
    one, other = robot.links[first].inertial, robot.links[second].inertial
    if one is None or other is None:
        return one is other
    return (
        abs(one.properties.mass - other.properties.mass) <= 1e-5 * one.properties.mass
        and norm(subtract(one.properties.center, other.properties.center)) < POSE_TOLERANCE)


def _notices_of_copy(robot: Robot, joint: Joint, original: str, options: Options) -> List[Diagnostic]:
    if not robot.links[joint.child].mass:
        return []
    counted = "once" if options.coincident == "drop" else "twice"
    return [Diagnostic(EXPORTED_TWICE, joint.source.line, counted, (joint.child, original),
                       (robot.links[joint.child].mass,))]


def _check_duplicate(robot: Robot, first: Joint, joint: Joint, kind: str, options: Options) -> List[Diagnostic]:
    notices = []
    if kind == COPY:
        notices += _notices_of_copy(robot, joint, first.child, options)
    if (joint.limit, joint.dynamics, joint.mimic, joint.safety, joint.calibration) != (
            first.limit, first.dynamics, first.mimic, first.safety, first.calibration):
        notices.append(Diagnostic(JOINT_TWICE, joint.source.line, "differs", (joint.name,), (first.source.line,)))
    return notices


def _unused_globs(robot: Robot, options: Options) -> List[Diagnostic]:
    fixed = [joint.child for joint in robot.joints if joint.type == "fixed"]
    return [Diagnostic(UNUSED_OPTION, 0, "keep", (pattern,), (len(fixed),))
            for pattern in options.keep if not any(fnmatchcase(name, pattern) for name in fixed)]
