"""The module that maps positions between two compared robots, or between the input and the result of a run.

Its text contains names and numbers in a program that needs only Python (`adapter.txt`). It is written once it has been
executed and moves both robots alike.
"""

from __future__ import annotations

import re
from decimal import ROUND_UP
from math import pi
from random import Random
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ..base.type_aliases import Json, Texts
from ..base.errors import ProofFailed, UsageError
from ..base.number_text import count_of
from ..base.record_type import Record
from ..base.version import __version__
from ..compare.robot_comparison import ComparisonResult
from ..compare.difference_records import poses_apart
from ..compare.comparison_text import is_open, zero_texts
from ..compare.robot_map import MotionDifferenceBound, bound_of, FREE_STROKE, JointPair, NONE
from ..compare.difference_kinds import ADAPTER, GEOMETRY, length_text, STRUCTURE, text_of
from ..formats.reader_helpers import check_tree
from ..report.run_json import joint_orders
from ..robot.canonical_robot import canonical, link_places
from ..robot.joint_motion import held_at, is_line, leaders_first
from ..robot.raw_robot import RawJoint, RawRobot, TURNING, within_reach
from ..run.run_records import ExportedFiles
from ..texts.text_pages import text_of_page
from ..urdf.spatial_math import compose, inverse, Transform, Poses
from .run_as_comparison import comparison_of_run
from .export_request import ExportRequest

ORDERS = ("ros", "mujoco", "isaac", "newton", "physx_usd", "newton_usd")  # words of `joint_orders`
Follower = Tuple[str, str, float, float]  # name, leader, multiplier, offset [rad or m]


class MappedJoint(Record):
    """A joint of OLD that moves in NEW: new = sign * (old - zero) [rad or m], with its place in NEW."""

    place: int
    sign: int
    zero: float


class HeldJoint(Record):
    """A joint that moves in OLD alone: its position [rad or m], and the reason."""

    position: float
    why: str


class AdapterContent(Record):
    """The content of a module.

    Attributes:
        title: the first line: which robots OLD and NEW are.
        old: joints of OLD that move, by name, in the order of its file.
        new: the names of joints of NEW that move, in the order of its file.
        orders: by the words of ORDERS, the order of the joints in each program, as places in `new`.
        followers, old_followers: mimic joints of NEW and of OLD, each after its leader.
        T_new_old: the frame of the base of OLD in the base of NEW.
        base: the base link of NEW.
        only_new: positions of joints that move in NEW alone, by name.
        evidence: by name of a joint of OLD, the evidence for its zero.
        notes: warnings for the head.
    """

    title: str
    old: Tuple[Tuple[str, Union[MappedJoint, HeldJoint]], ...]
    new: Texts
    orders: Tuple[Tuple[str, Tuple[int, ...]], ...]
    followers: Tuple[Follower, ...]
    old_followers: Tuple[Follower, ...]
    T_new_old: Transform
    base: str
    only_new: Mapping[str, float] = {}
    evidence: Mapping[str, str] = {}
    notes: Texts = ()


def orders_of(joints: Sequence[Any], root: str) -> Dict[str, Texts]:
    """Return the names of the joints with one coordinate by the words of ORDERS, each name once."""
    orders = joint_orders(joints, root)
    return {program: tuple(dict.fromkeys(orders[program])) for program in ORDERS}


def module_text(adapted: AdapterContent) -> str:
    """Return the text of the module; names of robots appear in it as ASCII literals only.

    Otherwise a name could end a literal and become code.
    """
    rows = [_row_of(name, joint) for name, joint in adapted.old]
    zeros = [round(zero, 9) + 0.0 for _, _, _, zero in rows]
    comments = {
        name: f"  # {joint.why}" for name, joint in adapted.old if isinstance(joint, HeldJoint)
    }
    notes = "".join(f"\nWarning: {_plain(note)}." for note in adapted.notes)
    if notes:
        notes += "\n"
    table = "".join(f"    {ascii(row)},{comments.get(row[0], '')}\n" for row in rows)
    # Plus 0.0: -0.0 becomes 0.0.
    x, y, z = (value + 0.0 for value in adapted.T_new_old.translation)
    R_new_old = [tuple(value + 0.0 for value in row) for row in adapted.T_new_old.rotation]
    return text_of_page(__name__, "adapter.txt").format(
        title=_plain(adapted.title),
        first=zeros[:3],
        base=ascii(adapted.base),
        notes=notes,
        rows=table,
        only_new=_entries_text(adapted.only_new),
        evidence=_entries_text(adapted.evidence),
        followers=_items_text(adapted.followers),
        old_followers=_items_text(adapted.old_followers),
        orders=_entries_text(dict(adapted.orders)),
        names=_items_text(adapted.new),
        translation=(x, y, z),
        matrix=_items_text(R_new_old),
    )


def _row_of(
    name: str, joint: Union[MappedJoint, HeldJoint]
) -> Tuple[str, Optional[int], int, float]:
    """Return a row of the table MAP: name, place in NEW (None if held), sign, and zero or position [rad or m]."""
    if isinstance(joint, HeldJoint):
        return (name, None, 0, joint.position)
    return (name, joint.place, joint.sign, joint.zero)


def _items_text(values: Iterable[object]) -> str:
    """Return the lines of a list."""
    return "".join(f"    {ascii(value)},\n" for value in values)


def _entries_text(values: Mapping[str, object]) -> str:
    """Return the lines of a dictionary."""
    return "".join(f"    {ascii(name)}: {ascii(value)},\n" for name, value in values.items())


def _plain(text: str) -> str:
    """Return a text that is safe in a Python docstring: characters that could end it, or are not ASCII, become _."""
    return re.sub(r'[^ -~]|[\\">]', "_", text)


def word(name: str) -> str:
    """Return a name that is safe in a sentence: letters, digits and _ only."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


# Kinds of differences after which no position of one robot corresponds to a position of the other.
REFUSED = ("base", "type")
POSITIONS = 100  # random positions at which a module is tested
CLOSE = 1e-9  # m and rad: rounding of a chain of joints, and of zeros to 12 digits in the module


class GeneratedAdapter(Record):
    """A module, the numbers of joints of OLD and NEW, the largest gap of a link [m], and warnings for the user."""

    text: str
    joints: Tuple[int, int]
    worst: float
    warnings: Texts

    def proven(self, path: str) -> str:
        """Return the line about the proof of the module in a file."""
        worst = length_text(self.worst, ROUND_UP)
        return ADAPTER["proven"].format(path, *self.joints, POSITIONS, worst)


def adapter_of(comparison: ComparisonResult) -> GeneratedAdapter:
    """Return the module between the robots of a comparison: A is OLD, B is NEW.

    Raises:
        UsageError: positions of one robot do not correspond to positions of the other, or the map is a guess.
        ProofFailed: the module does not move both robots alike; a fault of this tool.
    """
    adapted, bound = adapted_of(comparison)
    text = module_text(adapted)
    worst = verify_module(text, comparison, bound)
    return GeneratedAdapter(text, (len(adapted.old), len(adapted.new)), worst, adapted.notes)


def adapted_of(comparison: ComparisonResult) -> Tuple[AdapterContent, MotionDifferenceBound]:
    """Return the content of the module for a comparison, and the bound for the gaps of links.

    Raises:
        UsageError: see `adapter_of`.
    """
    _refuse(comparison)
    # The module holds the joints that only one robot has, so the bound covers the shared joints only.
    bound = bound_of(comparison.map._replace(only_a=(), only_b=()))
    assert bound is not None  # of joints of equal types, as others are refused
    return _adapted(comparison, bound), bound


def _refuse(comparison: ComparisonResult) -> None:
    """Refuse robots without a map, and a map that is a guess.

    Raises:
        UsageError: the sentence contains the reason and the cure.
    """
    if comparison.scale != 1.0:
        raise UsageError(ADAPTER["scale"])
    robots = comparison.map
    for difference in comparison.differences:
        if difference.kind in REFUSED:
            raise UsageError(ADAPTER["refused"].format(text_of(difference)))
    pairs = [pair for pair in robots.pairs if is_line(pair.a.motion)]
    if not pairs:
        raise UsageError(ADAPTER["nothing"])
    for side, robot in (("A", robots.a), ("B", robots.b)):
        names = [joint.raw.name for joint in robot.joints if is_line(joint.motion)]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(ADAPTER["twice"].format(name, side))
    guessed = [pair.a.raw.name for pair in pairs if pair.evidence == NONE and is_open(pair)]
    if guessed:
        raise UsageError(ADAPTER["open"].format(", ".join(guessed)))
    if robots.ties:
        raise UsageError(ADAPTER["ties"].format(count_of(robots.ties, "pair")))


def _adapted(comparison: ComparisonResult, bound: MotionDifferenceBound) -> AdapterContent:
    """Return the content of the module: joints of both robots that move, in the order of their files."""
    robots = comparison.map
    a, b = comparison.files
    locked = {
        difference.names[1]: difference.numbers[0]
        for difference in comparison.decided
        if difference.kind == "decided_lock"
    }
    pairs = {pair.a.raw.name: pair for pair in robots.pairs if is_line(pair.a.motion)}
    new_names = tuple(dict.fromkeys(joint.name for joint in b.joints if joint.moves))
    old = _old_joints(a, pairs, new_names, locked)
    shared = {new_names[joint.place] for joint in old.values() if isinstance(joint, MappedJoint)}
    only_new = {
        joint.name: locked.get(joint.name, joint.reference)
        for joint in b.joints
        if joint.moves and joint.name not in shared
    }
    held = [name for name, joint in old.items() if isinstance(joint, HeldJoint)]
    alone = [name for name in (*held, *only_new) if name not in locked]
    title = ADAPTER["title"].format(word(a.name), word(b.name), __version__)
    return AdapterContent(
        title=title,
        old=tuple(old.items()),
        new=new_names,
        orders=tuple(_places_by_program(b, new_names)),
        followers=followers_of(b),
        old_followers=followers_of(a),
        T_new_old=robots.base,
        base=robots.b.bodies[0].name,
        only_new=only_new,
        evidence={name: pair.evidence for name, pair in pairs.items()},
        notes=tuple(_warnings(comparison, bound, alone, pairs.values())),
    )


def _old_joints(
    old: RawRobot,
    pairs: Mapping[str, JointPair],
    new_names: Sequence[str],
    locked: Mapping[str, float],
) -> Dict[str, Union[MappedJoint, HeldJoint]]:
    """Return the map of each joint of the old robot that moves, by name, in the order of its file.

    Args:
        pairs: by name in the old robot, the joints that both robots have.
        new_names: names of joints of the new robot, whose places the map refers to.
        locked: positions of joints that the run locked [rad or m].
    """
    mapped: Dict[str, Union[MappedJoint, HeldJoint]] = {}
    for joint in old.joints:
        if not joint.moves:
            continue
        pair = pairs.get(joint.name)
        if pair is not None:
            place = new_names.index(pair.b.raw.name)
            sign = int(pair.choice.sign)
            # q_b = s q + o is s (q - zero); plus 0.0, as -0.0 in a module reads as a mistake.
            zero = round(-sign * pair.offset, 12) + 0.0
            mapped[joint.name] = MappedJoint(place, sign, zero)
        # If two joints have the same name, the first counts.
        elif joint.name in locked:
            mapped.setdefault(joint.name, HeldJoint(locked[joint.name], "locked"))
        else:
            mapped.setdefault(joint.name, HeldJoint(joint.reference, "of OLD alone"))
    return mapped


def _places_by_program(
    robot: RawRobot, names: Sequence[str]
) -> Iterator[Tuple[str, Tuple[int, ...]]]:
    """Yield each program with the places among the names of the joints in its order."""
    for program, joints in orders_of(robot.joints, check_tree(robot)).items():
        yield program, tuple(map(names.index, joints))


def _warnings(
    comparison: ComparisonResult,
    bound: MotionDifferenceBound,
    alone: Sequence[str],
    pairs: Iterable[JointPair],
) -> Iterator[str]:
    """Yield the warnings for the head, those about driving the robot first."""
    if comparison.verdict in (STRUCTURE, GEOMETRY) and bound.position > CLOSE:
        yield ADAPTER["apart"].format(length_text(bound.position, ROUND_UP))
    if alone:
        yield ADAPTER["alone"].format(", ".join(alone))
    open_pairs = [pair for pair in pairs if is_open(pair)]
    for text in zero_texts(open_pairs, full=True):
        yield ADAPTER["zero"].format(text)


def _named(robot: RawRobot) -> Dict[str, RawJoint]:
    """Return the joint for each name: the first joint of that name that moves."""
    named = {joint.name: joint for joint in robot.joints}
    # `update` keeps the last of equal names: reversed, the first that moves counts.
    named.update((joint.name, joint) for joint in reversed(robot.joints) if joint.moves)
    return named


def followers_of(robot: RawRobot) -> Tuple[Follower, ...]:
    """Return the mimic joints, each after its leader."""
    named = _named(robot)
    leaders: Dict[str, Optional[str]] = {}
    for name, joint in named.items():
        follows = joint.moves and joint.mimic is not None and joint.mimic.leader in named
        leaders[name] = joint.mimic.leader if joint.mimic is not None and follows else None
    followers: List[Follower] = []
    for name, leader in leaders_first(leaders):
        mimic = named[name].mimic
        if leader is not None and mimic is not None:
            followers.append((name, leader, mimic.multiplier, mimic.offset))
    return tuple(followers)


def executed(text: str, old: RawRobot, new: RawRobot) -> Json:
    """Execute a module, and return its names after its own test passes and its joints follow as in both files.

    Raises:
        ProofFailed: the test fails, or a joint follows otherwise; a fault of this tool.
    """
    # Any name except `__main__`, with which the module would run as a command.
    module: Json = {"__name__": "adapter"}
    exec(compile(text, "adapter", "exec"), module)
    try:
        module["self_test"]()
    except (AssertionError, LookupError):
        raise ProofFailed("adapter: its own test fails") from None
    random = Random(1)
    for side, driven, expand, robot in (
        ("OLD", "OLD_DRIVEN", "expand_old", old),
        ("NEW", "DRIVEN", "expand", new),
    ):
        # Mimic rules are linear: a random position reveals any wrong rule.
        at = {name: random.uniform(-1.0, 1.0) for name in module[driven]}
        expanded = dict(zip(module[side], module[expand]([*at.values()])))
        for name, leader, multiplier, offset in followers_of(robot):
            at[name] = multiplier * at.get(leader, 0.0) + offset
        if at.keys() != expanded.keys() or any(
            abs(at[name] - expanded[name]) > CLOSE for name in at
        ):
            raise ProofFailed("adapter: a joint has a different mimic")
    return module


def verify_module(text: str, comparison: ComparisonResult, bound: MotionDifferenceBound) -> float:
    """Execute a module, and return the largest distance of a link of both robots at 100 random positions [m].

    Raises:
        ProofFailed: the distance exceeds the bound, or a mimic rule differs from its file.
    """
    robots = comparison.map
    old, new = comparison.files
    module = executed(text, old, new)
    _verify_tables(module, comparison)
    partners = _partners(comparison)
    joints = _named(old)
    random = Random(0)
    worst = 0.0
    for _ in range(POSITIONS):
        q_random = [_random_position(joints[name], random) for name in module["OLD"]]
        # There and back: joints that move in OLD alone, and followers, are now at the module's positions.
        q_old = module["to_old"](module["to_new"](q_random))
        q_new = module["to_new"](q_old)
        old_poses = _poses(robots.a.raw, dict(zip(module["OLD"], q_old)), robots.a.bodies[0].name)
        new_poses = _poses(robots.b.raw, dict(zip(module["NEW"], q_new)), robots.b.bodies[0].name)
        for partner in partners:
            expected = compose(robots.base, compose(old_poses[partner.old_link], partner.T_old_new))
            distance, angle = poses_apart(expected, new_poses[partner.new_link])
            is_close = distance <= bound.position + CLOSE and angle <= bound.angle + CLOSE
            _require(is_close, f"it puts '{partner.new_link}' elsewhere")
            worst = max(worst, distance)
    return worst


class PartnerLinks(Record):
    """A link of OLD, the link of NEW on the same body, and the frame of the latter in the former."""

    old_link: str
    new_link: str
    T_old_new: Transform


def _partners(comparison: ComparisonResult) -> List[PartnerLinks]:
    """Return a pair of links for each body that both robots have: a single link shows where the whole body is."""
    robots = comparison.map
    found: List[PartnerLinks] = []
    for old_body, new_body in robots.bodies.items():
        old_part = robots.a.bodies[old_body].parts[0]
        new_part = robots.b.bodies[new_body].parts[0]
        T_new_old = compose(robots.Y[old_body], old_part.T_root_link)
        T_old_new = compose(inverse(T_new_old), new_part.T_root_link)
        found.append(PartnerLinks(old_part.link.name, new_part.link.name, T_old_new))
    return found


def _verify_tables(module: Json, comparison: ComparisonResult) -> None:
    """Verify the joints, the orders and the base of a module against both files."""
    robots = comparison.map
    old, new = comparison.files
    for side, robot in (("OLD", old), ("NEW", new)):
        moving = sorted({joint.name for joint in robot.joints if joint.moves})
        _require(sorted(module[side]) == moving, f"{side} has other joints than its file")
    orders = {
        program: tuple(module["NEW"][number] for number in numbers)
        for program, numbers in module["ORDERS"].items()
    }
    is_ordered = orders == orders_of(new.joints, check_tree(new))
    _require(is_ordered, "a program orders the joints otherwise")
    T_new_old = (module["R_NEW_OLD"], module["P_NEW_OLD"])
    is_base = module["BASE"] == robots.b.bodies[0].name and T_new_old == robots.base
    _require(is_base, "the base is another")
    shared = [pair for pair in robots.pairs if is_line(pair.a.motion)]
    moved = [row for row in module["MAP"] if row[1] is not None]
    _require(len(moved) == len(shared), "a joint of both is held")


def _require(holds: bool, fault: str) -> None:
    """Fail the proof unless a condition holds.

    Raises:
        ProofFailed: the condition does not hold; the sentence names the fault.
    """
    if not holds:
        raise ProofFailed(f"adapter: {fault}")


def _random_position(joint: RawJoint, random: Random) -> float:
    """Return a random position of a joint [rad or m]: between its limits, or anywhere without limits."""
    free = pi if joint.type in TURNING else FREE_STROKE
    lower = within_reach(joint.lower)
    upper = within_reach(joint.upper)
    if joint.type == "continuous" or lower is None or upper is None:
        lower = joint.reference - free
        upper = joint.reference + free
    return random.uniform(lower, upper)


def _poses(robot: RawRobot, positions: Dict[str, float], base: str) -> Poses:
    """Return the pose of each link in the frame of the base, at positions by the names of joints."""
    joints: List[RawJoint] = []
    for joint in robot.joints:
        if joint.moves:
            joint = held_at(joint, positions[joint.name])
        joints.append(joint)
    poses = link_places(canonical(robot._replace(joints=tuple(joints))))
    return {link: compose(inverse(poses[base]), T) for link, T in poses.items()}


def export_adapter(request: ExportRequest) -> ExportedFiles:
    """Return the module of `--adapter`, and the lines to print about it.

    Raises:
        UsageError: no joint moves.
        ProofFailed: the module does not move both robots alike; a fault of this tool.
    """
    path = str(request.choices["adapter"])
    made = adapter_of(comparison_of_run(request))
    return ExportedFiles(
        ((path, made.text.encode("utf-8")),),
        (made.proven(path), *made.warnings),
    )
