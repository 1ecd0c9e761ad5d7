"""Decide what is made of the input before all else: what part of it stays, which joints are fixed, where zeros lie."""
from fnmatch import fnmatchcase
from math import nan
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, Unusable
from ..base.kinds import MIMIC, UNUSED_OPTION
from ..base.number_text import as_written, format_number, LARGEST
from ..urdf.kinematics import motion_of, poses_at
from ..urdf.lossless_xml import Element
from ..urdf.model import as_fixed, first_that_moves, Joint, MOVABLE, Robot, WITH_AXIS
from ..urdf.references import Reference
from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, Matrix, rpy_from_matrix
from .options import Options, Position
from .variant_notes import find_note, Steps

AGREE = 1e-9  # [rad or m] two ways to say where a follower is locked


class Variant(NamedTuple):
    """What is made of the input.

    Attributes:
        source: the robot of the input.
        robot: less what is dropped. Locked joints are fixed, and every joint's origin is that at the new zero.
        zeros: by child link, the position that becomes zero [rad or m], where that is another one.
        locked: by child link, the position at which the joint is fixed from now on [rad or m].
        dropped: the links that go, in file order.
        released: child links of joints that followed one that is dropped.
        R_world_root: of the root, in the input's axes.
        flipped: child links of joints that change their sign.
        upright: child links of joints that keep it.
        kept_by_note: the names of those that keep it as the note of an earlier run says; all: "*".
        steps: what the note of the result is to say of this run and of earlier ones; see `variant_notes`.
        warnings: what an option names and is not there, and who followed what is dropped.
    """

    source: Robot
    robot: Robot
    zeros: Dict[str, float] = {}
    locked: Dict[str, float] = {}
    dropped: Tuple[str, ...] = ()
    released: FrozenSet[str] = frozenset()
    R_world_root: Matrix = IDENTITY
    flipped: FrozenSet[str] = frozenset()
    upright: FrozenSet[str] = frozenset()
    kept_by_note: Tuple[str, ...] = ()
    steps: Steps = ()
    warnings: Tuple[Diagnostic, ...] = ()

    @property
    def gone(self) -> Set[str]:
        """The names of links and joints that are dropped, but for those that another link or joint has."""
        return {*self.dropped, *self.joints_gone} - {*self.robot.links, *(joint.name for joint in self.robot.joints)}

    @property
    def joints_gone(self) -> Set[str]:
        """The names of joints that are dropped."""
        return {joint.name for joint in self.source.joints} - {joint.name for joint in self.robot.joints}


def decide_variant(robot: Robot, options: Options) -> Variant:
    """Decide what part of a robot stays, where its joints are fixed or have their zeros, and who keeps its sign.

    Raises:
        Unusable: an option asks for what is not there, or not possible, or was done before; with line.
    """
    asker = _Asker(robot, options)
    if not any((options.lock, options.zero, options.flip, options.drop, options.only, options.keep_signs,
                asker.note.steps)):
        return Variant(robot, robot)
    part = asker.part()
    locked = asker.locked(part)
    zeros = asker.zeros(part, locked)
    flipped = asker.flipped(part, locked)
    upright, by_note = asker.upright(part, flipped)
    released = [(joint, joint.mimic.joint) for joint in part.joints if joint.mimic is not None and (
        joint.mimic.joint in robot.named and joint.mimic.joint not in part.named)]
    R_world_root, dropped = IDENTITY, tuple([name for name in robot.links if name not in part.links])
    if part.root != robot.root and options.reorient:
        R_world_root = poses_at(robot, {}, IDENTITY_POSE)[part.root].rotation
    return Variant(
        robot, _posed(part, zeros, locked), zeros, locked, dropped, frozenset(joint.child for joint, _ in released),
        R_world_root,
        frozenset(flipped), frozenset(upright), by_note, asker.steps(),
        (*asker.warnings, *(Diagnostic(MIMIC, joint.source.line, "released", (joint.name, leader))
                            for joint, leader in released)))


class _Asker:
    """What is asked of a robot, each kind of option by itself.

    Attributes:
        note: what earlier runs noted.
        done: options of this run and their values, for the note.
        warnings: options that name nothing.
    """

    def __init__(self, robot: Robot, options: Options) -> None:
        self.robot, self.options, self.note = robot, options, find_note(robot.document)
        self.noted = [pair for step in self.note.steps for pair in step]
        self.done: List[Tuple[str, str]] = []
        self.warnings: List[Diagnostic] = []

    def refuse(self, message: str, joint: Optional[Joint] = None) -> Unusable:
        return Unusable(message, self.robot.document.path, joint.source.line if joint is not None else 0)

    def part(self) -> Robot:
        """Return the robot less what --only and --drop take away."""
        robot, only = self.robot, self.options.only
        if only and only not in robot.links:
            raise self.refuse(f"--only {only}: there is no such link{did_you_mean(only, list(robot.links))}")
        root = only or robot.root
        for glob in self.options.drop:
            if fnmatchcase(root, glob):
                raise self.refuse(f"--drop {glob}: '{root}' is the root, and nothing would stay", robot.above.get(root))
            self._note_use("drop", glob, "link", used=any(fnmatchcase(name, glob) for name in robot.links))
        staying = {root}
        for joint in robot.tree:
            if joint.parent in staying and joint.child != root and not any(
                    fnmatchcase(joint.child, glob) for glob in self.options.drop):
                staying.add(joint.child)
        self.done += [("only", only)] if root != robot.root else []
        return robot if len(staying) == len(robot.links) else _without(robot, root, staying)

    def locked(self, robot: Robot) -> Dict[str, float]:
        """Return where joints are locked, by child link: as asked, and followers where their leaders put them."""
        asked = {joint.child: (glob, position) for glob, position in self.options.lock
                 for joint in self._matching("lock", glob, position, robot)}
        found: Dict[str, float] = {}
        for joint in robot.joints:
            self._lock(robot, joint, asked, found)
        return {joint.child: found[joint.child] for joint in robot.joints if found[joint.child] == found[joint.child]}

    def _lock(self, robot: Robot, joint: Joint, asked: Mapping[str, Tuple[str, Position]], found: Dict[str, float]
              ) -> float:
        """Find where a joint is locked, `nan` if it moves; the last one of a circle of followers follows nobody.

        One that is asked for together with its leader is where that puts it.
        """
        own = asked.get(joint.child)
        leader = robot.named.get(joint.mimic.joint) if joint.mimic is not None and joint.child not in found else None
        together = leader is not None and (
            own == asked.get(leader.child) or leader.type not in MOVABLE and own is not None and own[1] == 0.0)
        spelled = f"--lock {own[0]}={_shown(own[1])}" if own else ""
        if joint.child not in found:
            found[joint.child] = self._value(spelled, own[1], joint) if own and not together else nan
        if joint.mimic is not None and leader is not None and (own or leader.type in MOVABLE):
            follows = joint.mimic.offset + joint.mimic.multiplier * (
                self._lock(robot, leader, asked, found) if leader.type in MOVABLE else 0.0)
            if own and follows != follows:
                raise self.refuse(f"{spelled}: '{joint.name}' follows '{leader.name}', which moves: lock that", joint)
            if own and not together and abs(found[joint.child] - follows) > AGREE:
                raise self.refuse(f"{spelled}: '{joint.name}' follows '{leader.name}', which is at "
                                  f"{_shown(found.get(leader.child, 0.0))}, and so is at {_shown(follows)}", joint)
            found[joint.child] = follows
        return found[joint.child]

    def zeros(self, robot: Robot, locked: Dict[str, float]) -> Dict[str, float]:
        """Return the positions that become another zero, by child link; a joint that is locked has none."""
        zeros: Dict[str, float] = {}
        for glob, position in self.options.zero:
            for joint in self._matching("zero", glob, position, robot):
                if joint.child not in locked:
                    self._check_first("zero", glob, _shown(position), joint)
                    zeros[joint.child] = self._value(f"--zero {glob}={_shown(position)}", position, joint)
        return {child: zero for child, zero in zeros.items() if zero}

    def flipped(self, robot: Robot, locked: Dict[str, float]) -> List[str]:
        """Return the child links of joints that are to change their sign."""
        found = [(glob, joint) for glob in self.options.flip for joint in self._matching("flip", glob, None, robot)
                 if joint.child not in locked]
        for glob, joint in found:
            self._check_first("flip", glob, "", joint)
        return [joint.child for _, joint in found]

    def upright(self, robot: Robot, flipped: Sequence[str]) -> Tuple[List[str], Tuple[str, ...]]:
        """Return the child links of joints that are to keep their sign, and who does as the note says."""
        always, globs = ("keep-signs", "") in self.noted, [glob for option, glob in self.noted if option == "flip"]
        found = [joint for joint in robot.joints if joint.type in WITH_AXIS and joint.child not in flipped and (
            self.options.keep_signs or always or any(fnmatchcase(joint.name, glob) for glob in globs))]
        names = ("*",) if always else tuple([joint.name for joint in found])
        return [joint.child for joint in found], () if self.options.keep_signs else names

    def steps(self) -> Steps:
        """Return what the note is to say."""
        self.done += [("keep-signs", "")] if self.options.keep_signs and ("keep-signs", "") not in self.noted else []
        return (*self.note.steps, tuple(self.done)) if self.done else self.note.steps

    def _matching(self, option: str, glob: str, position: Optional[Position], robot: Robot) -> List[Joint]:
        """Return the joints that a glob names and that can move; there is a warning if it names none at all."""
        named = [joint for joint in robot.joints if fnmatchcase(joint.name, glob)]
        moving = [joint for joint in named if joint.type != "fixed"]
        if named and not moving:
            raise self.refuse(f"--{option} {glob}: joint '{named[0].name}' is fixed already", named[0])
        free = next((joint for joint in moving if joint.type not in MOVABLE and option != "lock"), None)
        if free is not None:
            raise self.refuse(f"--{option} {glob}: joint '{free.name}' is {free.type}: it has no single position", free)
        self._note_use(option, glob if position is None else f"{glob}={_shown(position)}", "joint", used=bool(named))
        return moving

    def _note_use(self, option: str, value: str, what: str, *, used: bool) -> None:
        if used:
            self.done.append((option, value))
        else:
            self.warnings.append(Diagnostic(UNUSED_OPTION, 0, what, (f"--{option} {value}",)))

    def _value(self, spelled: str, position: Position, joint: Joint) -> float:
        """Return the position that is meant for a joint, inside its limits."""
        if joint.type not in MOVABLE and position != 0.0:
            raise self.refuse(f"{spelled}: joint '{joint.name}' is {joint.type}: it can be locked at 0 only", joint)
        limit = joint.limit if joint.type != "continuous" else None
        lower, upper = (-LARGEST, LARGEST) if limit is None or limit.lower is None and limit.upper is None else (
            limit.lower or 0.0, limit.upper or 0.0)
        if position == "middle" and max(-lower, upper) >= LARGEST:
            raise self.refuse(f"{spelled}: joint '{joint.name}' has no two limits, and so no middle", joint)
        if isinstance(position, str) and position != "middle":
            raise self.refuse(f"{spelled}: states are those of an SRDF (--srdf), which only the package reads")
        value = position if isinstance(position, float) else as_written((0.5 * (lower + upper),))[0]
        if not lower - AGREE <= value <= upper + AGREE:
            ends = " to ".join("no limit" if abs(end) >= LARGEST else _shown(end) for end in (lower, upper))
            raise self.refuse(f"{spelled}: joint '{joint.name}' goes from {ends}", joint)
        return value

    def _check_first(self, option: str, glob: str, value: str, joint: Joint) -> None:
        """Refuse what the note of an earlier run has already: it is relative to the file as it is now."""
        for kind, word in self.noted:
            noted, _, before = word.rpartition("=") if option == "zero" else (word, "", "")
            if kind == option and before == value and fnmatchcase(joint.name, noted):
                what = f"={value}: '{joint.name}' has this zero" if value else f": '{joint.name}' was flipped"
                raise Unusable(f"--{option} {glob}{what} already, as this note says: without it that is done again",
                               self.robot.document.path, self.note.line)


def references_left(references: Tuple[Reference, ...], variant: Variant) -> Tuple[Reference, ...]:
    """Return the references less those in what is dropped."""
    lost = {element.offset for element in elements_lost(variant)}
    return tuple([one for one in references if lost.isdisjoint(above.offset for above in one.element.upward())]
                 ) if lost else references


def elements_lost(variant: Variant) -> List[Element]:
    """Return the links that are dropped, and the joints above them."""
    source, robot = variant.source, variant.robot
    return [*(link.source for name, link in source.links.items() if name not in robot.links),
            *(joint.source for joint in source.joints if joint.child not in robot.above)]


def _shown(position: Position) -> str:
    return format_number(position) if isinstance(position, float) else position


def _without(robot: Robot, root: str, staying: Set[str]) -> Robot:
    """Return a part of a robot: the sub-tree of the links that stay."""
    part = robot._replace(
        links={name: link for name, link in robot.links.items() if name in staying}, root=root,
        **_indices([joint for joint in robot.joints if joint.child in staying and joint.child != root], robot.tree))
    lines = {element.line for top in elements_lost(Variant(robot, part)) for element in top.walk()}
    return part._replace(warnings=tuple([one for one in robot.warnings if one.line not in lines]))


def _posed(robot: Robot, zeros: Mapping[str, float], locked: Mapping[str, float]) -> Robot:
    """Return the robot with the origins of its joints at other positions; those that are locked are fixed."""
    joints = []
    for joint in robot.joints if zeros or locked else ():
        position = locked.get(joint.child, zeros.get(joint.child, 0.0))
        if position:
            origin = compose(joint.origin, motion_of(joint, position))
            rpy = joint.rpy if joint.type == "prismatic" else as_written(rpy_from_matrix(origin.rotation))
            joint = joint._replace(origin=origin, rpy=rpy)
        joints.append(as_fixed(joint) if joint.child in locked else joint)
    return robot._replace(**_indices(joints, robot.tree)) if joints else robot


def _indices(joints: Sequence[Joint], tree: Iterable[Joint]) -> Dict[str, Any]:
    """Return the fields of a robot that hold its joints."""
    above = {joint.child: joint for joint in joints}
    return {"joints": tuple(joints), "tree": tuple([above[joint.child] for joint in tree if joint.child in above]),
            "named": first_that_moves((joint.name, joint) for joint in joints), "above": above}
