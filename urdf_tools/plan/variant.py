"""Decide what is made of the input before all else: what part of it stays, which joints are fixed, where zeros lie."""
from fnmatch import fnmatchcase
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, Unusable
from ..base.kinds import MIMIC, UNUSED_OPTION
from ..base.number_text import as_written, format_number, LARGEST
from ..urdf.kinematics import motion_of, poses_at
from ..urdf.model import as_fixed, first_that_moves, Joint, MOVABLE, Robot
from ..urdf.references import Reference
from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, Matrix, rpy_from_matrix
from .options import Options, Position
from .variant_notes import find_note, Steps, VariantNote

AGREE = 1e-9  # [rad or m] two ways to say where a follower is locked
States = Mapping[str, Mapping[str, float]]  # of companions such as an SRDF: positions by joint name, by name of state


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
    def changes(self) -> bool:
        """Return True if joints count otherwise, are fixed, or links go, because that was asked."""
        return bool(self.zeros or self.locked or self.dropped or self.flipped or self.robot.root != self.source.root)

    @property
    def gone(self) -> Set[str]:
        """The names of links and joints that are dropped."""
        links = set(self.dropped)
        joints = {joint.name for joint in self.source.joints} - {joint.name for joint in self.robot.joints}
        return links | joints


def decide_variant(robot: Robot, options: Options, states: States) -> Variant:
    """Decide what part of a robot stays, where its joints are fixed or have their zeros, and who keeps its sign.

    Raises:
        Unusable: an option asks for what is not there, or not possible, or was done before; with line.
    """
    note = find_note(robot.document)
    asked = (options.lock, options.zero, options.flip, options.drop, options.only, options.keep_signs)
    if not any(asked) and not note.steps:
        return Variant(robot, robot)
    asker = _Asker(robot, options, states, note)
    part = asker.part()
    locked = asker.locked(part)
    zeros = asker.zeros(part, locked)
    flipped = asker.flipped(part, locked)
    upright, by_note = asker.upright(part, flipped)
    posed = _posed(part, zeros, locked)
    released = frozenset(joint.child for joint in part.joints if joint.mimic is not None and (
        joint.mimic.joint in robot.named and joint.mimic.joint not in part.named))
    asker.warnings += [Diagnostic(MIMIC, joint.source.line, "released", (joint.name, joint.mimic.joint))
                       for joint in part.joints if joint.child in released and joint.mimic is not None]
    R_world_root = IDENTITY
    if part.root != robot.root and options.reorient:
        R_world_root = poses_at(robot, {}, IDENTITY_POSE)[part.root].rotation
    return Variant(robot, posed, zeros, locked, tuple(link for link in robot.links if link not in part.links), released,
                   R_world_root, frozenset(flipped), frozenset(upright), by_note, asker.steps(), tuple(asker.warnings))


class _Asker:
    """What is asked of a robot, each kind of option by itself.

    Attributes:
        done: the words of this run's note, as `variant_notes` has them.
        warnings: options that name nothing.
    """

    def __init__(self, robot: Robot, options: Options, states: States, note: VariantNote) -> None:
        self.robot, self.options, self.states, self.note = robot, options, states, note
        self.done: List[Tuple[str, str]] = []
        self.warnings: List[Diagnostic] = []

    def refuse(self, message: str, line: int = 0) -> Unusable:
        return Unusable(message, self.robot.document.path, line)

    def part(self) -> Robot:
        """Return the robot less what --only and --drop take away."""
        robot, only = self.robot, self.options.only
        if only and only not in robot.links:
            raise self.refuse(f"--only {only}: there is no such link{did_you_mean(only, list(robot.links))}")
        root = only or robot.root
        staying, taken = {root}, set()
        for joint in robot.tree:
            globs = [glob for glob in self.options.drop if fnmatchcase(joint.child, glob)]
            taken.update(globs)
            if joint.parent in staying and joint.child != root and not globs:
                staying.add(joint.child)
        for glob in self.options.drop:
            if fnmatchcase(root, glob):
                raise self.refuse(f"--drop {glob}: '{root}' is the root, and nothing would stay",
                                  robot.links[root].source.line)
            self._note_use("drop", glob, used=glob in taken or fnmatchcase(robot.root, glob))
        if only and only != robot.root:
            self.done.append(("only", only))
        if len(staying) == len(robot.links):
            return robot
        return _without(robot, root, staying)

    def locked(self, robot: Robot) -> Dict[str, float]:
        """Return where joints are locked, by child link: as asked, and followers where their leaders put them."""
        asked: Dict[str, Tuple[int, float]] = {}
        for number, (glob, position) in enumerate(self.options.lock):
            for joint in self._matching("lock", glob, f"={_shown(position)}", robot, ("planar", "floating")):
                free = joint.type in MOVABLE
                if not free and position != 0.0:
                    raise self.refuse(f"--lock {glob}={_shown(position)}: joint '{joint.name}' is {joint.type}: it can "
                                      "be locked at 0 only", joint.source.line)
                value = self._value("lock", glob, position, joint) if free else 0.0
                asked[joint.child] = (number, value)
        found: Dict[str, float] = {}
        for joint in robot.joints:
            self._lock(robot, joint, asked, found, set())
        return {joint.child: found[joint.child] for joint in robot.joints if joint.child in found}

    def _lock(self, robot: Robot, joint: Joint, asked: Dict[str, Tuple[int, float]], found: Dict[str, float],
              seen: Set[str]) -> None:
        """Find where a joint is locked, those that it follows first; joints that follow each other follow nobody."""
        if joint.child in found or joint.child in seen:
            return
        seen.add(joint.child)
        number, value = asked.get(joint.child, (-1, 0.0))
        leader = robot.named.get(joint.mimic.joint) if joint.mimic is not None else None
        if joint.mimic is None or leader is None or leader.type not in MOVABLE or leader.child in seen:
            if number >= 0:
                found[joint.child] = value
            return
        self._lock(robot, leader, asked, found, seen)
        if leader.child not in found:
            if number >= 0:
                raise self.refuse(f"--lock {joint.name}: it follows joint '{leader.name}', which moves: lock that one",
                                  joint.source.line)
            return
        follows = joint.mimic.multiplier * found[leader.child] + joint.mimic.offset
        if number >= 0 and number != asked.get(leader.child, (number, 0.0))[0] and abs(value - follows) > AGREE:
            raise self.refuse(f"--lock {joint.name}={format_number(value)}: it follows joint '{leader.name}', which is "
                              f"locked at {format_number(found[leader.child])}, and so is at {format_number(follows)}",
                              joint.source.line)
        found[joint.child] = follows

    def zeros(self, robot: Robot, locked: Dict[str, float]) -> Dict[str, float]:
        """Return the positions that become zero, by child link; a joint that is locked has none."""
        zeros: Dict[str, float] = {}
        for glob, position in self.options.zero:
            spelled = f"--zero {glob}={_shown(position)}"
            for joint in self._matching("zero", glob, f"={_shown(position)}", robot):
                if joint.child not in locked:
                    self._check_first(spelled, "zero", joint, _shown(position))
                    zeros[joint.child] = self._value("zero", glob, position, joint)
        return {child: zero for child, zero in zeros.items() if zero}

    def flipped(self, robot: Robot, locked: Dict[str, float]) -> List[str]:
        """Return the child links of joints that are to change their sign."""
        found = []
        for glob in self.options.flip:
            for joint in self._matching("flip", glob, "", robot):
                if joint.child not in locked:
                    self._check_first(f"--flip {glob}", "flip", joint)
                    found.append(joint.child)
        return found

    def upright(self, robot: Robot, flipped: Sequence[str]) -> Tuple[List[str], Tuple[str, ...]]:
        """Return the child links of joints that are to keep their sign, and who does as the note says."""
        named = [word for step in self.note.steps for kind, word in step if kind == "flip"]
        always = any(kind == "keep-signs" for step in self.note.steps for kind, _ in step)
        found = [joint for joint in robot.joints if joint.type in MOVABLE and joint.child not in flipped and (
            self.options.keep_signs or always or any(fnmatchcase(joint.name, glob) for glob in named))]
        by_note = () if self.options.keep_signs else ("*",) if always else tuple([joint.name for joint in found])
        return [joint.child for joint in found], by_note

    def steps(self) -> Steps:
        """Return what the note is to say."""
        if self.options.keep_signs and not any(kind == "keep-signs" for step in self.note.steps for kind, _ in step):
            self.done.append(("keep-signs", ""))
        return (*self.note.steps, tuple(self.done)) if self.done else self.note.steps

    def _matching(self, option: str, glob: str, value: str, robot: Robot, more: Tuple[str, ...] = ()) -> List[Joint]:
        """Return the joints that a glob names and that can move; there is a warning if it names none at all."""
        named = [joint for joint in robot.joints if fnmatchcase(joint.name, glob)]
        self._note_use(option, f"{glob}{value}", used=bool(named))
        moving = [joint for joint in named if joint.type != "fixed"]
        if named and not moving:
            raise self.refuse(f"--{option} {glob}: joint '{named[0].name}' is fixed already", named[0].source.line)
        for joint in moving:
            if joint.type not in (*MOVABLE, *more):
                raise self.refuse(f"--{option} {glob}: joint '{joint.name}' is {joint.type}: it has no single position",
                                  joint.source.line)
        return moving

    def _note_use(self, option: str, value: str, *, used: bool) -> None:
        if used:
            self.done.append((option, value))
        else:
            self.warnings.append(Diagnostic(UNUSED_OPTION, 0, "link" if option == "drop" else "joint",
                                            (f"--{option} {value}",)))

    def _value(self, option: str, glob: str, position: Position, joint: Joint) -> float:
        """Return the position that is meant for a joint, inside its limits."""
        limit, spelled = joint.limit, f"--{option} {glob}={_shown(position)}"
        ends = [end for end in (limit.lower, limit.upper) if end is not None and abs(end) < LARGEST] if (
            limit is not None and joint.type != "continuous") else []
        if position == "middle":
            if len(ends) < 2:
                raise self.refuse(f"{spelled}: joint '{joint.name}' has no two limits, and so no middle",
                                  joint.source.line)
            return as_written((0.5 * (ends[0] + ends[1]),))[0]
        value = position if isinstance(position, float) else self._in_state(spelled, position, joint)
        lower = limit.lower if limit is not None and ends and limit.lower is not None else -LARGEST
        upper = limit.upper if limit is not None and ends and limit.upper is not None else LARGEST
        if not lower - AGREE <= value <= upper + AGREE:
            at = "" if isinstance(position, float) else f" ({format_number(value)})"
            raise self.refuse(f"{spelled}{at}: joint '{joint.name}' goes from {_end(lower)} to {_end(upper)}",
                              joint.source.line)
        return value

    def _in_state(self, spelled: str, position: str, joint: Joint) -> float:
        name = position.partition(":")[2]
        if not self.states:
            raise self.refuse(f"{spelled}: a state is one of an SRDF, with group states: give --srdf")
        if name not in self.states:
            raise self.refuse(f"{spelled}: the SRDF has no state '{name}'{did_you_mean(name, list(self.states))}")
        if joint.name not in self.states[name]:
            raise self.refuse(f"{spelled}: state '{name}' has no position of joint '{joint.name}'", joint.source.line)
        return self.states[name][joint.name]

    def _check_first(self, spelled: str, option: str, joint: Joint, value: str = "") -> None:
        """Refuse what the note of an earlier run has already: it is relative to the file as it is now."""
        for kind, word in (pair for step in self.note.steps for pair in step):
            glob, _, before = word.rpartition("=") if option == "zero" else (word, "", "")
            if kind == option and before == value and fnmatchcase(joint.name, glob):
                what = "has this zero" if option == "zero" else "was flipped"
                raise self.refuse(f"{spelled}: joint '{joint.name}' {what} already, as the note in line "
                                  f"{self.note.line} says: without that line it is done again", self.note.line)


def references_left(references: Tuple[Reference, ...], variant: Variant) -> Tuple[Reference, ...]:
    """Return the references less those in what is dropped."""
    if not variant.dropped:
        return references
    lost = {link.source.offset for name, link in variant.source.links.items() if name not in variant.robot.links}
    lost.update(joint.source.offset for joint in variant.source.joints if joint.child not in variant.robot.above)
    return tuple([one for one in references if lost.isdisjoint(above.offset for above in one.element.upward())])


def _shown(position: Position) -> str:
    return format_number(position) if isinstance(position, float) else position


def _end(value: float) -> str:
    return "no limit" if abs(value) >= LARGEST else format_number(value)


def _without(robot: Robot, root: str, staying: Set[str]) -> Robot:
    """Return a part of a robot: the sub-tree of the links that stay."""
    lost = [link.source for name, link in robot.links.items() if name not in staying]
    joints = tuple([joint for joint in robot.joints if joint.child in staying and joint.child != root])
    lost += [joint.source for joint in robot.joints if joint not in joints]
    lines = {element.line for top in lost for element in top.walk()}
    return robot._replace(
        links={name: link for name, link in robot.links.items() if name in staying}, root=root,
        warnings=tuple([one for one in robot.warnings if one.line not in lines]), **_indices(joints, robot.tree))


def _posed(robot: Robot, zeros: Mapping[str, float], locked: Mapping[str, float]) -> Robot:
    """Return the robot with the origins of its joints at other positions; those that are locked are fixed."""
    if not zeros and not locked:
        return robot
    joints = []
    for joint in robot.joints:
        position = locked.get(joint.child, zeros.get(joint.child, 0.0))
        if position:
            origin = compose(joint.origin, motion_of(joint, position))
            rpy = joint.rpy if joint.type == "prismatic" else as_written(rpy_from_matrix(origin.rotation))
            joint = joint._replace(origin=origin, rpy=rpy)
        joints.append(as_fixed(joint) if joint.child in locked else joint)
    return robot._replace(**_indices(tuple(joints), robot.tree))


def _indices(joints: Tuple[Joint, ...], tree: Iterable[Joint]) -> Dict[str, Any]:
    """Return the fields of a robot that hold its joints."""
    above = {joint.child: joint for joint in joints}
    return {"joints": joints, "tree": tuple([above[joint.child] for joint in tree if joint.child in above]),
            "named": first_that_moves((joint.name, joint) for joint in joints), "above": above}
