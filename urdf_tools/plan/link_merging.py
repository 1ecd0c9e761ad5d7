"""The decision which links merge into which: children of fixed joints and of duplicate joints."""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import degrees
from typing import Dict, List, Optional, Set, Tuple

from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import BrokenRobot, raise_all, UrdfError
from ..base.run_diagnostics import (
    EXPORTED_ONCE,
    EXPORTED_TWICE,
    JOINT_TWICE,
    RENAMED_JOINT,
    UNUSED_OPTION,
)
from ..base.number_text import grouped, short, unique
from ..base.record_type import Record
from ..urdf.urdf_records import UrdfJoint, UrdfLink, MOVABLE, NO_MASS, UrdfRobot
from ..urdf.spatial_math import (
    angle_between,
    compose,
    cross,
    IDENTITY_POSE,
    inverse,
    norm,
    Transform,
    rotate,
    rotation_angle,
    subtract,
)
from .kept_links import KeepReason, SimulatorLinkValues, why_kept_apart
from .run_options import Options

WORLD = "world"  # sdformat and other readers fix its children to the world
WORLD_LINKS = (WORLD, "map", "odom", "ground")
POSE_TOLERANCE = 1e-5  # [m and rad]: error of six printed digits down a chain

# Properties that duplicate joints should share.
OF_MOTION = ("limit", "dynamics", "mimic", "safety", "calibration")
MAIN = "main"
BASE = "base"
KEPT = "kept"
FIXED = "fixed"
COPY = "copy"
SIBLING = "sibling"


class LinkMembership(Record):
    """The decision on a link.

    Attributes:
        target: the link that receives its content; the link itself if it is kept.
        T_target_link: its pose in the old frame of the target with all joints at zero.
        kind: MAIN (its joint moves), BASE (child of a root that is only a frame), KEPT (on a fixed joint, not merged),
            FIXED, COPY or SIBLING (merged).
        reason: the reason for the report.
    """

    target: str
    T_target_link: Transform
    kind: str
    reason: str

    @property
    def merged(self) -> bool:
        """Return True if its content moves to the target; with --keep-all-frames an empty link remains."""
        return self.kind in (FIXED, COPY, SIBLING)


class LinkMerges(Record):
    """All memberships by link, new names of joints by child link, warnings, and the values of contact and gravity."""

    members: Dict[str, LinkMembership]
    renamed: Dict[str, str]
    warnings: Notes
    surfaces: SimulatorLinkValues


class _FirstJoint(Record):
    """The first joint of a name: the joint, the moving body it is attached to, and T_body_child."""

    joint: UrdfJoint
    body: str
    T_body_child: Transform


class _KeptLink(Record):
    """Why a link on a fixed joint is kept, and whether only as a frame, so that its children merge into its target."""

    reason: str
    only_frame: bool = False


class _Merger:
    """The decisions so far, joint by joint, parents first.

    Attributes:
        members, renamed, warnings, surfaces: as in `LinkMerges`.
        problems: errors of joints that contradict each other.
        bodies: by link, the moving body that it is part of, and T_body_link.
        targets: by link, the link that a fixed child of it merges into, and T_target_link.
        firsts: by joint name, the first joint with it.
        originals: by link of an assembly that is a coincident copy, its original, or "" if unknown.
        joint_names: the names of the input, and new names.
    """

    def __init__(
        self, robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options, stripped: Set[int]
    ) -> None:
        """Begin with the root, which is its own body and target."""
        self.robot = robot
        self.needs = needs
        self.options = options
        self.surfaces = SimulatorLinkValues(robot, stripped, inherits=not options.keep_all_frames)
        self.bases = _find_bases(robot, options)
        self.members: Dict[str, LinkMembership] = {}
        self.bodies: Dict[str, Tuple[str, Transform]] = {}
        self.targets: Dict[str, Tuple[str, Transform]] = {}
        self.firsts: Dict[str, _FirstJoint] = {}
        self.originals: Dict[str, str] = {}
        self.renamed: Dict[str, str] = {}
        self.joint_names = {joint.name for joint in robot.joints}
        self.warnings: List[Diagnostic] = []
        self.problems: List[UrdfError] = []
        self.add_body(robot.root, "the root")

    def add_body(self, link: str, reason: str = "") -> None:
        """Keep a link that moves."""
        self._stay(link, MAIN, reason)
        self.bodies[link] = (link, IDENTITY_POSE)

    def add_fixed(self, joint: UrdfJoint) -> None:
        """Decide on a link on a fixed joint: part of a copied assembly, base, kept or merged."""
        link = joint.child
        body, T_body_parent = self.bodies[joint.parent]
        self.bodies[link] = body, compose(T_body_parent, joint.origin)
        target, T_target_parent = self.targets[joint.parent]
        self.targets[link] = target, compose(T_target_parent, joint.origin)

        # A link fixed to a copied part is itself a copy, of a link at the same place.
        original = ""
        if joint.parent in self.originals:
            original = self.originals[link] = self._find_original(link)

        stay = self._why_kept(self.robot.links[link])
        if stay is None and not original and not self.options.merge_all:
            differs = why_kept_apart(self.surfaces, link, target)
            stay = _KeptLink(differs) if differs else None

        if original and stay is None:
            # Both are on one moving body, so their poses in the body give the relative pose.
            T_original_link = compose(inverse(self.bodies[original][1]), self.bodies[link][1])
            target, T_target_original = self.targets[original]
            self.targets[link] = target, compose(T_target_original, T_original_link)
            self._merge(link, COPY, f"coincident copy of '{original}'")
            self._warn_of_copy(joint, original)
        # Its children must not merge into the world.
        elif link in self.bases:
            self._stay(link, BASE, self.bases[link])
        elif stay is None:
            self._merge(link, FIXED, f"fixed joint '{joint.name}'")
        elif stay.only_frame:
            # It is not a target: links fixed to it merge into the target of its parent.
            self.members[link] = LinkMembership(link, IDENTITY_POSE, KEPT, stay.reason)
        else:
            self._stay(link, KEPT, stay.reason)

    def add_moving(self, joint: UrdfJoint) -> None:
        """Decide on a link on any other joint: it is kept unless a joint of the same name has the same motion."""
        body, T_body_parent = self.bodies[joint.parent]
        T_body_child = compose(T_body_parent, joint.origin)
        self.add_body(joint.child)
        # Exporters write a joint once for each part on it: joints with the same name and motion are one joint.
        first = self.firsts.setdefault(joint.name, _FirstJoint(joint, body, T_body_child))
        if first.joint is joint:
            return
        if not self.options.merge:
            self._warn_of_twice("kept", joint, first.joint)
            return
        conflict = _conflict(first, joint, body, T_body_child)
        if not conflict:
            self._merge_duplicate(first, joint, T_body_child)
        elif self.options.lenient:
            self._rename(first.joint, joint, conflict)
        else:
            self.problems.append(
                BrokenRobot(
                    f"joint '{joint.name}' has the name of the joint in line {first.joint.source.line}, but {conflict}: "
                    "two motions with one name; rename one of them, or use --lenient",
                    self.robot.document.path,
                    joint.source.line,
                )
            )

    def _stay(self, link: str, kind: str, reason: str) -> None:
        """Keep a link, into which links fixed to it may merge."""
        self.members[link] = LinkMembership(link, IDENTITY_POSE, kind, reason)
        self.targets[link] = (link, IDENTITY_POSE)

    def _merge(self, link: str, kind: str, reason: str) -> None:
        """Merge a link into its target."""
        self.members[link] = LinkMembership(*self.targets[link], kind, reason)
        self.surfaces.merge(link, self.targets[link][0])

    def _merge_duplicate(
        self, first: _FirstJoint, joint: UrdfJoint, T_body_child: Transform
    ) -> None:
        """Merge the child of a joint into the child of the first joint of its name, with which it moves.

        The child is the same part exported twice (a coincident copy), or a different part on the same axis.
        """
        link = joint.child
        target = first.joint.child
        T_target_link = compose(inverse(first.T_body_child), T_body_child)
        self.bodies[link] = self.targets[link] = (target, T_target_link)
        again = f"joint '{joint.name}' again"
        is_in_place = poses_coincide(T_target_link, IDENTITY_POSE)
        if is_in_place and _have_same_mass(self.robot, target, link):
            self._merge(link, COPY, f"{again}, same part exported twice as '{target}'")
            self.originals[link] = target
            self._warn_of_copy(joint, target)
        else:
            self._merge(link, SIBLING, f"{again}, same axis: moves with '{target}'")
        if any(getattr(joint, part) != getattr(first.joint, part) for part in OF_MOTION):
            self._warn_of_twice("differs", joint, first.joint)

    def _warn_of_twice(self, sentence: str, joint: UrdfJoint, first: UrdfJoint) -> None:
        """Warn of a joint that was exported twice."""
        line = joint.source.line
        first_line = first.source.line
        self.warnings.append(
            Diagnostic(
                kind=JOINT_TWICE,
                line=line,
                sentence=sentence,
                names=(joint.name,),
                numbers=(first_line,),
            )
        )

    def _rename(self, first: UrdfJoint, joint: UrdfJoint, conflict: str) -> None:
        """Rename one of two joints of a name, so that references in other elements still refer to the same joint."""
        name = unique(joint.name, self.joint_names)
        self.joint_names.add(name)
        renamed_joint, kept_joint = (
            (first, joint) if joint is self.robot.named[joint.name] else (joint, first)
        )
        self.renamed[renamed_joint.child] = name
        names = joint.name, name, conflict
        self.warnings.append(
            Diagnostic(
                kind=RENAMED_JOINT,
                line=renamed_joint.source.line,
                sentence="joint",
                names=names,
                numbers=(kept_joint.source.line,),
            )
        )

    def settle_surfaces(self) -> None:
        """Decide the values that simulators read for whole bodies, once all links are decided."""
        lumped = self.surfaces.lumped
        bodies = {self.robot.root: self.robot.root}
        for joint in self.robot.tree:
            child = joint.child
            member = self.members[joint.child]
            if member.merged:
                bodies[child] = bodies[member.target]
            # A link that stays, and that a simulator lumps.
            elif lumped[child].body != child:
                bodies[child] = bodies[joint.parent]
            else:
                bodies[child] = child
        merged = {name: member for name, member in self.members.items() if member.merged}
        massless = {
            name
            for name, member in merged.items()
            if member.kind == COPY and self.options.count_once
        }
        # Merged links that sdformat does not lump.
        not_lumped = {
            name
            for name, member in merged.items()
            if member.kind == FIXED and lumped[name].body == name
        }
        self.surfaces.settle(bodies, set(merged), massless, not_lumped)

    def _why_kept(self, link: UrdfLink) -> Optional[_KeptLink]:
        """Return why a link on a fixed joint is kept, or None if only its contacts could be a reason."""
        options = self.options
        need = self.needs.get(link.name)
        is_frame = _is_frame(link)
        if not options.merge:
            return _KeptLink("merging is left out")
        if need is not None and (need.hard or not options.merge_all):
            # With all frames kept, a link that is needed only as a frame has it already.
            if not (need.frame and options.keep_all_frames):
                return _KeptLink(need.reason, need.frame and is_frame)
        for pattern in options.keep:
            if fnmatchcase(link.name, pattern):
                return _KeptLink(f"--keep {pattern}")
        if options.keep_frames and is_frame:
            return _KeptLink("--keep-frames", True)
        if options.keep_all_frames and link.inertial is None and not link.shapes:
            return _KeptLink("--keep-all-frames", True)
        return None

    def _find_original(self, link: str) -> str:
        """Return the original of a link on a fixed joint of a copied assembly, or "".

        Among several candidates, the one whose joint has the same name is taken. A part without mass is a copy only if
        the names are the same.
        """
        robot = self.robot
        body, T_body_link = self.bodies[link]
        # A link is the original of one copy at most, and a copy is never an original.
        excluded = {*self.originals, *self.originals.values(), body, link}
        copies = [
            name
            for name, (other, T_body_name) in self.bodies.items()
            if other == body
            and name not in excluded
            and _have_same_mass(robot, name, link)
            and poses_coincide(compose(inverse(T_body_name), T_body_link), IDENTITY_POSE)
        ]
        same_named = [name for name in copies if robot.above[name].name == robot.above[link].name]
        if same_named:
            return same_named[0]
        has_mass = robot.links[link].mass >= NO_MASS
        return copies[0] if copies and has_mass else ""

    def _warn_of_copy(self, joint: UrdfJoint, original: str) -> None:
        """Warn of a part with mass that was exported twice, and tell whether its mass counts once."""
        mass = self.robot.links[joint.child].mass
        if mass:
            kind = EXPORTED_ONCE if self.options.count_once else EXPORTED_TWICE
            self.warnings.append(
                Diagnostic(
                    kind=kind,
                    line=joint.source.line,
                    sentence="part",
                    names=(joint.child, original),
                    numbers=(mass,),
                )
            )


def decide_merging(
    robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options, stripped: Set[int]
) -> LinkMerges:
    """Decide for every link whether it is kept, and if not, which link it merges into.

    `stripped` holds the offsets of stripped shapes: the contacts of a link without any other collision do not matter.

    Raises:
        BrokenRobot, ErrorGroup: joints that share a name but not a motion (unless `options.lenient` renames them).
    """
    merger = _Merger(robot, needs, options, stripped)
    for joint in robot.tree:
        if joint.type == "fixed":
            merger.add_fixed(joint)
        else:
            merger.add_moving(joint)
    raise_all(merger.problems)
    merger.settle_surfaces()
    return LinkMerges(
        merger.members,
        merger.renamed,
        (*merger.warnings, *_unused_globs(robot, options)),
        merger.surfaces,
    )


def _find_bases(robot: UrdfRobot, options: Options) -> Dict[str, str]:
    """Return the links that are the robot's base, with the reason why each stays on a root that is only a frame.

    The bases on WORLD_LINKS are all links fixed to them. The link `world` may have mass and shapes, which Gazebo
    ignores: it lumps no link into it (sdformat src/parser_urdf.cc). Any other root that is only a frame, or a base that
    is only a frame, has a base if a single fixed joint carries all its descendants: KDL requires a massless root, and
    ROS code uses both names.
    """
    below = grouped((joint.parent, joint) for joint in robot.joints)
    carrying: Set[str] = set()  # links with content or motion, and their parents
    # From the leaves to the root, so that children are decided before their parents.
    for joint in reversed(robot.tree):
        if (
            joint.child in carrying
            or joint.type != "fixed"
            or not _is_frame(robot.links[joint.child])
        ):
            carrying |= {joint.parent, joint.child}
    bases: Dict[str, str] = {}
    waiting = [robot.root]
    while waiting:
        name = waiting.pop()
        if not name == robot.root == "world" and not _is_frame(robot.links[name]):
            continue
        if name == robot.root and name in WORLD_LINKS:
            children = [joint.child for joint in below.get(name, ()) if joint.type == "fixed"]
            reason = f"it is the base, bolted to '{name}'"
        else:
            carried = [
                joint
                for joint in below.get(name, ())
                if joint.type != "fixed" or joint.child in carrying
            ]
            single = len(carried) == 1 and carried[0].type == "fixed" and not options.merge_all
            children = [carried[0].child] if single else []
            reason = (
                f"it is the base below '{name}', a frame only: KDL needs a massless root, and ROS code uses "
                "both names"
            )
        bases.update(dict.fromkeys(children, reason))
        waiting.extend(children)
    return bases


def _is_frame(link: UrdfLink) -> bool:
    """Return True if a link has no mass and no shapes."""
    return link.mass < NO_MASS and not link.shapes


def _conflict(first: _FirstJoint, joint: UrdfJoint, body: str, T_body_child: Transform) -> str:
    """Return why two joints of one name do not have the same motion, or "" if they do."""
    if joint.type != first.joint.type:
        return f"one is {first.joint.type} and the other {joint.type}"
    if body != first.body:
        return "it is attached to another body"
    if joint.type not in MOVABLE:
        return f"a {joint.type} joint has no axis line to compare"
    axis = rotate(first.T_body_child.rotation, first.joint.axis)
    other = rotate(T_body_child.rotation, joint.axis)
    angle = angle_between(axis, other)
    if angle > POSE_TOLERANCE:
        return f"its axis differs by {short([degrees(angle)], 3)} degrees"
    between = subtract(T_body_child.translation, first.T_body_child.translation)
    distance = norm(cross(between, axis))
    # A prismatic joint slides alike along any parallel line.
    if joint.type != "prismatic" and distance > POSE_TOLERANCE:
        return f"its axis is {short([distance * 1000.0], 3)} mm away"
    return ""


def poses_coincide(T_a: Transform, T_b: Transform) -> bool:
    """Return True if two poses are equal to the precision of six printed digits."""
    distance = norm(subtract(T_a.translation, T_b.translation))
    return distance < POSE_TOLERANCE and rotation_angle(T_a.rotation, T_b.rotation) < POSE_TOLERANCE


def _have_same_mass(robot: UrdfRobot, first: str, second: str) -> bool:
    """Return True if two links have the same mass and center, or neither has mass."""
    inertial = robot.links[first].inertial
    other = robot.links[second].inertial
    if inertial is None or other is None:
        return inertial is other
    # 1e-5, because masses are printed with six digits.
    return (
        abs(inertial.properties.mass - other.properties.mass) <= 1e-5 * inertial.properties.mass
        and norm(subtract(inertial.properties.center, other.properties.center)) < POSE_TOLERANCE
    )


def _unused_globs(robot: UrdfRobot, options: Options) -> List[Diagnostic]:
    """Return a warning for each glob of --keep that matches no link on a fixed joint."""
    fixed = [joint.child for joint in robot.joints if joint.type == "fixed"]
    return [
        Diagnostic(
            kind=UNUSED_OPTION, line=0, sentence="keep", names=(pattern,), numbers=(len(fixed),)
        )
        for pattern in options.keep
        if not any(fnmatchcase(name, pattern) for name in fixed)
    ]
