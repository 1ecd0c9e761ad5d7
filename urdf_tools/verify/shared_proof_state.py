"""The common data of the steps of the proof: both robots at zero, tolerances, the worst errors, pairs of elements."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import DefaultDict, Dict, FrozenSet, List, Set, Tuple

from ..base.diagnostics import DiagnosticKind
from ..base.errors import ProofFailed
from ..base.run_diagnostics import (
    CONTACT_COLLISION,
    DROPPED_NAME,
    FLIPPED_JOINT,
    FRAME_NAME,
    LOOP_FRAME,
    MERGED_CONTENT,
    MERGED_LINK,
    MOVED_ZERO,
    PLUGIN_BODY,
    PLUGIN_VECTOR,
    REMOVED_JOINT,
    SENSOR_FRAME,
    SURFACE_MERGED,
    TRANSMISSION_SIGN,
    UNKNOWN_POSE,
    UNREADABLE_POSE,
)
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial_math import IDENTITY_POSE, Transform, ZERO
from ..facts.robot_values import MADE
from ..plan.plan_decisions import Plan
from ..plan.link_merging import BASE
from .proof_robot import ProofRobot, reach_of, read_raw
from .rigid_motion import angle_between_rotations, rotated

TOLERANCE = 1e-9  # [m, rad; relative for mass and inertia]
LEAST_GYRATION = 1e-6  # [m] a smaller radius of gyration counts as this: parts are not smaller
ROUNDING = 1e-13  # relative to the size of a robot: the rounding of a point at this distance
# One random position suffices to detect each mutant of the tests; three also detect a fault that one misses by chance.
SAMPLES = 3
NEGLIGIBLE = 1e-12  # a smaller error is rounding, and differs between machines


class WorstErrors:
    """The worst error of each kind; the first error beyond its tolerance ends the proof."""

    def __init__(self, path: str) -> None:
        """Begin without errors; `path` stands in the message of a failure."""
        self.path = path
        self.errors: DefaultDict[str, float] = defaultdict(float)

    def note(self, kind: str, error: float, allowed: float, where: str, unit: str = "") -> None:
        """Record an error; an error above `allowed`, or nan, ends the proof."""
        if not error <= allowed:
            raise ProofFailed(
                f"{where}: {kind} is off by {error:.3g}{unit}, {allowed:.3g} is allowed", self.path
            )
        self.errors[kind] = max(self.errors[kind], error)

    def figure(self, kind: str) -> float:
        """Return the worst error of a kind, rounded for display."""
        return figure_of(self.errors[kind])

    def require(self, holds: bool, what: str) -> None:
        """End the proof, with the message `what`, unless `holds`."""
        if not holds:
            raise ProofFailed(what, self.path)


def figure_of(error: float) -> float:
    """Return an error rounded to two digits, 0 if it is negligible."""
    return float(f"{error:.1e}") if error >= NEGLIGIBLE else 0.0


def figure_text(figure: float) -> str:
    """Return a figure of a proof as text."""
    return f"{figure:.1e}" if figure else f"<{NEGLIGIBLE:.0e}"


class ProofFolders(Record):
    """The real folders of the input and of the result ("": unknown), to which relative names of files refer.

    `by_text`: both are the same folder, and nothing is renamed, so that names are compared as text.
    """

    before: str
    after: str
    by_text: bool = False


NO_FOLDERS = ProofFolders("", "", True)


class ComparedRobots:
    """Both robots, each read from its text and placed in the new base frame.

    Attributes:
        sources: by link of the result, the links of the input whose content it has, parents first.
        maps: by joint name, the map of its position: the only numbers that the proof takes from the plan.
        moved_axes: by child link, the angle by which cleaning turned the axis of its joint [rad].
        size: the largest distance of a link, shape or center of mass from the root [m]; rounding grows with it.
        folders: the folders to which relative file names refer.
        copies: by the path of a copied file, and by its URI, the original file.
        worst: the collected errors.
        require: ends the proof unless its first argument holds.
    """

    def __init__(
        self,
        before: ProofRobot,
        plan: Plan,
        after: ProofRobot,
        folders: ProofFolders,
        worst: WorstErrors,
    ) -> None:
        """Find the parts of each link of the result, and the size of the robot [m]."""
        self.before = before
        self.plan = plan
        self.after = after
        self.folders = folders
        self.worst = worst
        self.require = worst.require
        self.sources: Dict[str, List[str]] = {name: [] for name in after.links}
        for name in (before.root, *(joint.child for joint in before.tree)):
            self.sources[plan.members[name].target].append(name)
        self.maps = {name: plan.joints[joint.child].map for name, joint in after.named.items()}
        self.moved_axes: Dict[str, float] = {}
        # A small robot counts as 1 m large, because an error of 1e-9 m is never visible.
        self.size = 1.0
        for name, T in after.T_world.items():
            reach = math.hypot(*T.translation) + reach_of(after.links[name])
            self.size = max(self.size, reach)
        self.copies: Dict[str, str] = {}


# The kinds of warnings that excuse a name, a sign, a pose, content or a surface that differs from the input.
NAME_LEFT = frozenset((MERGED_LINK, DROPPED_NAME, REMOVED_JOINT, FRAME_NAME, CONTACT_COLLISION))
SIGN_LEFT = frozenset((FLIPPED_JOINT, MOVED_ZERO, TRANSMISSION_SIGN))
POSE_LEFT = frozenset(
    (
        LOOP_FRAME,
        UNKNOWN_POSE,
        UNREADABLE_POSE,
        SENSOR_FRAME,
        PLUGIN_BODY,
        PLUGIN_VECTOR,
        FRAME_NAME,
    )
)
CONTENT_LEFT = frozenset((MERGED_CONTENT,))  # of two values of merged links, only one stays
SURFACE_LEFT = frozenset((SURFACE_MERGED,))


class ElementPairing:
    """The pairs of elements of input and result that are compared.

    Attributes:
        pairs: an element of the input, and its element of the result.
        partner: by the offset of an element of the input, the element of the result.
        proven: the attributes (offset, name; "" for the text) that a rule has proven.
        excuses: the offset of the element and the kind of each warning of the plan.
        dropped: the offsets of the elements that the plan removes.
        made: the offsets in the result of new elements, which are verified separately.
        require: ends the proof unless its first argument holds.
    """

    def __init__(self, comparison: ComparedRobots) -> None:
        """Begin without pairs, with the warnings and drops of the plan as excuses."""
        self.comparison = comparison
        self.require = comparison.require
        self.excuses = {(notice.offset, notice.kind) for notice in comparison.plan.warnings}
        self.dropped = {element.offset for element in comparison.plan.updates.drops}
        self.pairs: List[Tuple[Element, Element]] = []
        self.partner: Dict[int, Element] = {}
        self.proven: Set[Tuple[int, str]] = set()
        self.made: Set[int] = set()

    def is_excused(self, element: Element, kinds: FrozenSet[DiagnosticKind]) -> bool:
        """Return True if a warning of one of the kinds is about the element or an ancestor."""
        for above in element.upward():
            if any((above.offset, kind) in self.excuses for kind in kinds):
                return True
        return False

    def pair_up(self, what: str, old_tops: List[Element], new_tops: List[Element]) -> None:
        """Pair elements of the input with elements of the result, and their descendants; a new child has no partner."""
        waiting = [(what, old_tops, new_tops)]
        while waiting:
            what, olds, news = waiting.pop()
            olds = [old for old in olds if old.offset not in self.dropped]
            news = [new for new in news if new.offset not in self.made]
            self.require(len(news) == len(olds), f"{what} has not all that was in it")
            for old, new in zip(olds, news):
                where = f"<{old.name}> of line {old.line}"
                self.require(old.name == new.name, f"{where} became <{new.name}>")
                self.pairs.append((old, new))
                self.partner[old.offset] = new
                # A child that the plan may add is verified by the rule that adds it.
                children = [
                    child
                    for child in new.elements()
                    if child.name not in MADE or old.find(child.name) is not None
                ]
                waiting.append((where, old.elements(), children))


def compare_at_zero(
    before: Document, plan: Plan, after: Document, folders: ProofFolders = NO_FOLDERS
) -> ComparedRobots:
    """Read both texts anew, compare links, joints, frames and joint axes at zero, and return both robots.

    Raises:
        ProofFailed: the robots differ.
    """
    worst = WorstErrors(after.path)
    old = read_raw(before, Transform(plan.base.R_new_old, ZERO))
    try:
        new = read_raw(after, IDENTITY_POSE)
    except (KeyError, StopIteration, ValueError):
        raise ProofFailed(
            "the result is not a robot: a link, a joint or the root is missing or incomplete",
            after.path,
        ) from None
    # Dictionaries by name would hide a second link or joint with the same name.
    for kind, by_name in (("link", new.links), ("joint", new.joints)):
        count = sum(1 for _ in after.root.elements(kind))
        worst.require(
            len(by_name) == count,
            f"the result has {count} {kind}s, but {len(by_name)} that differ in name",
        )
    _verify_parts(old, plan, new, worst)
    comparison = ComparedRobots(before=old, plan=plan, after=new, folders=folders, worst=worst)
    _verify_axes(comparison)
    return comparison


def _verify_parts(before: ProofRobot, plan: Plan, after: ProofRobot, worst: WorstErrors) -> None:
    """Verify that links and joints are as in the input, except those that the plan merges."""
    staying = [name for name in before.links if not plan.is_removed(name)]
    worst.require(
        list(after.links) == staying, "the links are not those that the plan keeps, in their order"
    )
    joints = [joint for joint in before.joints.values() if not plan.is_removed(joint.child)]
    worst.require(len(joints) == len(after.joints), "the joints are not those that the plan keeps")
    for old, new in zip(joints, after.joints.values()):
        # A merged link that stays as a frame is on a fixed joint of its target.
        merged = plan.members[old.child].merged
        joint_type = "fixed" if merged else old.type
        holder = old.child if merged else old.parent
        parent = plan.members[holder].target
        expected = (old.child, joint_type, plan.joints[old.child].name, parent)
        worst.require(
            (new.child, new.type, new.name, new.parent) == expected,
            f"joint '{old.name}' changed more than its frame",
        )


def _verify_axes(comparison: ComparedRobots) -> None:
    """Compare frame origins and joint axes at zero; set `moved_axes` by child link [rad]."""
    plan = comparison.plan
    worst = comparison.worst
    snap = plan.options.snap if plan.options.reorient else 0.0
    for joint in comparison.after.joints.values():
        old = comparison.before.joints[joint.child]
        where = f"joint '{joint.name}'"
        T_old = comparison.before.T_world[joint.child]
        T_new = comparison.after.T_world[joint.child]
        distance = math.dist(T_old.translation, T_new.translation)
        worst.note("position", distance, TOLERANCE * comparison.size, where, " m")
        comparison.moved_axes[joint.child] = 0.0
        if joint.moves or joint.type == "planar":
            sign = plan.joints[joint.child].map.sign
            x, y, z = rotated(T_new.rotation, joint.axis)
            chord = math.dist(rotated(T_old.rotation, old.axis), (sign * x, sign * y, sign * z))
            # The angle is from the chord, because the cosine of a small angle is 1 to the last digit.
            angle = 2.0 * math.asin(min(1.0, 0.5 * chord))
            worst.note("joint axis", angle, TOLERANCE + snap, where, " rad")
            comparison.moved_axes[joint.child] = angle
        # The angle of a base is not compared, because its frame is turned to the axes of the world.
        elif joint.type == "fixed" and plan.members[joint.child].kind != BASE:
            angle = angle_between_rotations(T_old.rotation, T_new.rotation)
            worst.note("angle of a fixed frame", angle, TOLERANCE + snap, where, " rad")
