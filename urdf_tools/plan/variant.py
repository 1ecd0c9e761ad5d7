"""Decide the variant of the input, before all else: the links that are kept, the joints that are locked, the zeros."""
import itertools
from fnmatch import fnmatchcase
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, UsageError
from ..base.kinds import MIMIC, UNUSED_OPTION
from ..base.note_text import from_note, in_note
from ..base.number_text import as_written, format_number, LARGEST, without_noise
from ..urdf.kinematics import motion_of
from ..urdf.lossless_xml import Element
from ..urdf.model import as_fixed, Joint, Limit, Mimic, MOVABLE, Robot, WITH_AXIS, with_joints
from ..urdf.spatial import compose, rpy_from_matrix
from .notes import line_of_note, words_of_note
from .options import Options, Position

VARIANT = r"urdf_simplify [0-9]\S* variant:"  # how the note begins that names the options, run by run, in any release
THEN = "then "  # in front of the first option of a later run: `drop *_hand, zero knee=0.35, then flip hip`
TURN_NOISE = 1e-12  # [rad] rounding of angles that are written
AGREE = 1e-9  # [rad or m] two ways to say where a follower is locked


class Variant(NamedTuple):
    """A variant of the input.

    Attributes:
        source: the robot of the input.
        robot: without the dropped links. Locked joints are fixed, and every joint has its origin at the new zero.
        zeros: by child link, the position that becomes zero [rad or m], where that changes.
        locked: by child link, the position at which the joint is fixed from now on [rad or m].
        signs: by child link, -1 for a joint that is to change its sign, 1 for one that is to keep it.
        words: the words of the note in the result, those of earlier runs first.
        warnings: of options that name nothing, and of joints that mimic a dropped one.
    """

    source: Robot
    robot: Robot
    zeros: Dict[str, float] = {}
    locked: Dict[str, float] = {}
    signs: Dict[str, int] = {}
    words: Tuple[str, ...] = ()
    warnings: Tuple[Diagnostic, ...] = ()

    @property
    def dropped(self) -> List[str]:
        """The links that are dropped, in file order."""
        return [name for name in self.source.links if name not in self.robot.links]

    @property
    def elements_lost(self) -> List[Element]:
        """Those links, and the joints above them."""
        return [*(self.source.links[name].source for name in self.dropped),
                *(joint.source for joint in self.source.joints if joint.child not in self.robot.above)]

    @property
    def joints_gone(self) -> Set[str]:
        """The names of joints that are dropped."""
        return self.source.named.keys() - self.robot.named.keys()

    @property
    def gone(self) -> Set[str]:
        """The names of links and joints that are dropped, but for those that another link or joint has."""
        return {*self.dropped, *self.joints_gone} - self.robot.links.keys() - self.robot.named.keys()

    @property
    def joints_locked(self) -> Set[str]:
        """The names of joints that become fixed."""
        return {self.source.above[child].name for child in self.locked}


class _Wish(NamedTuple):
    """A use of an option: a glob of names, and the position of joints; messages and the note write it alike."""

    option: str
    glob: str
    position: Optional[Position] = None

    @property
    def value(self) -> str:
        """The text after the option."""
        at = self.position if isinstance(self.position, str) else format_number(self.position or 0.0)
        return self.glob if self.position is None else f"{self.glob}={at}"

    def refused(self, why: str, robot: Robot, line: int = 0) -> UsageError:
        return UsageError(f"--{self.option} {self.value}: {why}", robot.document.path, line)


Meant = Dict[_Wish, List[str]]  # the links that each names, or those below the joints
Noted = Sequence[Tuple[str, str]]  # options of earlier runs and their values


def decide_variant(robot: Robot, options: Options) -> Variant:
    """Decide which part of a robot is kept, which joints are locked, and their zeros and signs.

    Raises:
        UsageError: an option names what does not exist, is impossible, or was done before; with line.
    """
    words = words_of_note(robot.document, VARIANT)
    wishes = [*(_Wish("lock", *lock) for lock in options.lock), *(_Wish("zero", *zero) for zero in options.zero),
              *(_Wish("flip", glob) for glob in options.flip)]
    if not (words or wishes or options.drop or options.only or options.keep_signs):
        return Variant(robot, robot)
    drops = {_Wish("drop", glob): [name for name in robot.links if fnmatchcase(name, glob)] for glob in options.drop}
    noted, part = [_read_word(word) for word in words], _part(robot, options.only, drops)
    meant = {wish: _joints_meant(wish, part, noted) for wish in wishes}
    asked = {option: {child: wish for wish, children in meant.items() if wish.option == option for child in children}
             for option in ("lock", "zero", "flip")}
    # Locking comes first: a joint that is fixed, also as a follower, has neither zero nor sign.
    locked = _locked(part, asked["lock"])
    move, turn = ({child: wish for child, wish in asked[option].items() if child not in locked}
                  for option in ("zero", "flip"))
    if not options.from_map:
        _check_first((*move.items(), *turn.items()), noted, part)
    positions = {child: _position(wish, part.above[child], part, beyond=options.from_map)
                 for child, wish in move.items()}
    zeros = {child: position for child, position in positions.items() if position}
    signs = {**_signs_kept(part, options, noted), **dict.fromkeys(turn, -1)}
    gone = robot.named.keys() - part.named.keys()
    released = [Diagnostic(MIMIC, joint.source.line, "released", (joint.name, joint.mimic.joint))
                for joint in part.joints if joint.mimic is not None and joint.mimic.joint in gone]
    unused = [Diagnostic(UNUSED_OPTION, 0, "again" if (wish.option, wish.value) in noted else what,
                         (f"--{wish.option} {wish.value}",))
              for what, uses in (("link", drops), ("joint", meant)) for wish, links in uses.items() if not links]
    idle = [wish for wish, links in meant.items() if wish.option != "lock" and links and locked.keys() >= set(links)]
    unused += [Diagnostic(UNUSED_OPTION, 0, "locked", (f"--{wish.option} {wish.value}",)) for wish in idle]
    done = [f"only {in_note(options.only)}"] * (part.root != robot.root)
    done += [f"{wish.option} {in_note(wish.value)}" for wish, links in (*drops.items(), *meant.items())
             if links and wish not in idle]
    done += ["keep-signs"] * (options.keep_signs and ("keep-signs", "") not in noted)
    done[:1] = [f"{THEN if words else ''}{word}" for word in done[:1]]
    return Variant(robot, _posed(part, {**zeros, **locked}, locked), zeros, locked, signs, (*words, *done),
                   (*unused, *released))


def _part(robot: Robot, only: str, drops: Meant) -> Robot:
    """Return the robot without the links that --only and --drop remove."""
    root = only or robot.root
    if root not in robot.links:
        raise UsageError(f"--only {only}: there is no such link{did_you_mean(only, list(robot.links))}",
                         robot.document.path)
    for wish, links in drops.items():
        if root in links:
            raise wish.refused(f"'{root}' is the root, and nothing would stay", robot, robot.links[root].source.line)
    going, staying = {link for links in drops.values() for link in links}, {root}
    for joint in robot.tree:
        if joint.parent in staying and joint.child not in going:
            staying.add(joint.child)
    if len(staying) == len(robot.links):
        return robot
    part = with_joints(robot, [joint for joint in robot.joints if {joint.parent, joint.child} <= staying])._replace(
        links={name: link for name, link in robot.links.items() if name in staying}, root=root)
    lost = {inner.line for element in Variant(robot, part).elements_lost for inner in element.walk()}
    return part._replace(warnings=tuple([warning for warning in robot.warnings if warning.line not in lost]))


def _joints_meant(wish: _Wish, robot: Robot, noted: Noted) -> List[str]:
    """Return the links below the joints that an option names and that can move; none if an earlier run did the same."""
    named = [joint for joint in robot.joints if fnmatchcase(joint.name, wish.glob)]
    moving = [joint for joint in named if joint.type != "fixed"]
    if named and not moving and (wish.option, wish.value) not in noted:
        raise wish.refused(f"joint '{named[0].name}' is fixed already", robot, named[0].source.line)
    for joint in moving:
        if joint.type not in MOVABLE and wish.option != "lock":
            raise wish.refused(f"joint '{joint.name}' is {joint.type}: it has no single position", robot,
                               joint.source.line)
    return [joint.child for joint in moving]


def _position(wish: _Wish, joint: Joint, robot: Robot, *, beyond: bool = False) -> float:
    """Return the position that an option gives a joint [rad or m]; it must be inside the limits, unless `beyond`."""
    position, limit, line = wish.position, joint.limit or Limit(), joint.source.line
    lower, upper = (-LARGEST, LARGEST) if joint.type == "continuous" or limit.lower is limit.upper is None else (
        limit.lower or 0.0, limit.upper or 0.0)
    if joint.type not in MOVABLE and position != 0.0:
        raise wish.refused(f"joint '{joint.name}' is {joint.type}: it can be locked at 0 only", robot, line)
    if position == "middle" and max(-lower, upper) >= LARGEST:
        raise wish.refused(f"joint '{joint.name}' has no two limits, and so no middle", robot, line)
    if isinstance(position, str) and position != "middle":
        raise wish.refused("states are those of an SRDF (--srdf), which only the package reads", robot)
    value = position if isinstance(position, float) else as_written((0.5 * (lower + upper),))[0]
    if not (beyond or lower - AGREE <= value <= upper + AGREE):
        ends = " to ".join("no limit" if abs(end) >= LARGEST else format_number(end) for end in (lower, upper))
        raise wish.refused(f"joint '{joint.name}' goes from {ends}", robot, line)
    return value


def _locked(robot: Robot, asked: Dict[str, _Wish]) -> Dict[str, float]:
    """Return the positions of locked joints, by child link: as asked, for followers by the positions of their leaders.

    So is the position of a follower that is named together with its leader, or at 0 where its leader is fixed already.
    """
    locked: Dict[str, float] = {}
    for joint, mimic, leader in _leaders_first(robot):
        wish, line = asked.get(joint.child), joint.source.line
        if leader is None and wish is not None:
            locked[joint.child] = _position(wish, joint, robot)
        elif leader is not None and (wish is not None or leader.child in locked):
            leads = locked.get(leader.child, 0.0)
            follows = mimic.offset + mimic.multiplier * leads
            if wish is not None and leader.type in MOVABLE and leader.child not in locked:
                raise wish.refused(f"'{joint.name}' follows '{leader.name}', which moves: lock that", robot, line)
            # A position that is given for the follower alone must agree with that of its leader.
            alone = wish is not None and wish != asked.get(leader.child) and (leader.type in MOVABLE or wish.position)
            if wish is not None and alone and abs(_position(wish, joint, robot) - follows) > AGREE:
                raise wish.refused(f"'{joint.name}' follows '{leader.name}', which is at {format_number(leads)}, and "
                                   f"so is at {format_number(follows)}", robot, line)
            locked[joint.child] = follows
    return {joint.child: locked[joint.child] for joint in robot.joints if joint.child in locked}


def _leaders_first(robot: Robot) -> Iterator[Tuple[Joint, Mimic, Optional[Joint]]]:
    """Yield each joint with its mimic and the joint that it follows, which comes before it.

    The last joint of a circle of followers has no leader.
    """
    settled: Set[str] = set()
    for start in robot.joints:
        chain: Dict[str, Joint] = {}
        joint: Optional[Joint] = start
        while joint is not None and joint.child not in settled and joint.child not in chain:
            chain[joint.child] = joint
            joint = robot.named.get(joint.mimic.joint) if joint.mimic is not None else None
        for joint in reversed(list(chain.values())):
            mimic = joint.mimic or Mimic("")
            leader = robot.named.get(mimic.joint)
            yield joint, mimic, leader if leader is not None and leader.child in settled else None
            settled.add(joint.child)


def _signs_kept(robot: Robot, options: Options, noted: Noted) -> Dict[str, int]:
    """Return the joints that keep their signs: all, or those that earlier runs flipped according to the note."""
    globs = [value or "*" for option, value in noted if option in ("flip", "keep-signs")]
    globs += ["*"] * options.keep_signs
    return {joint.child: 1 for joint in robot.joints if joint.type in WITH_AXIS and any(
        fnmatchcase(joint.name, glob) for glob in globs)}


def _check_first(wishes: Sequence[Tuple[str, _Wish]], noted: Noted, robot: Robot) -> None:
    """Refuse an option that is in the note of an earlier run: it would be relative to the file as it is now."""
    for (child, wish), (option, value) in itertools.product(wishes, noted):
        joint, equals = robot.above[child], wish.value[len(wish.glob):]
        glob = value[:len(value) - len(equals)]
        if (option, value) == (wish.option, f"{glob}{equals}") and fnmatchcase(joint.name, glob):
            what = f"'{joint.name}' {'has this zero' if equals else 'was flipped'} already"
            raise wish.refused(f"{what}, as this note says: without it that is done again", robot,
                               line_of_note(robot.document, VARIANT))


def _read_word(word: str) -> Tuple[str, str]:
    """Return an option of the note, and its value."""
    option, _, value = word[len(THEN) * word.startswith(THEN):].partition(" ")
    return option, from_note(value)


def _posed(robot: Robot, positions: Dict[str, float], locked: Dict[str, float]) -> Robot:
    """Return the robot with its joint origins at other positions [rad or m] by child link; locked joints are fixed."""
    joints = []
    for joint in robot.joints if positions else ():
        position = positions.get(joint.child, 0.0)
        if position:
            origin = compose(joint.origin, motion_of(joint, position))
            rpy = joint.rpy if joint.type == "prismatic" else as_written(
                without_noise(rpy_from_matrix(origin.rotation), TURN_NOISE))
            joint = joint._replace(origin=origin, rpy=rpy)
        joints.append(as_fixed(joint) if joint.child in locked else joint)
    return with_joints(robot, joints) if joints else robot
