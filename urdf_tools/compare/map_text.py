"""The map in words: only where it is not the identity, and what could not be identified."""
from math import degrees
from typing import Dict, List, Tuple

from ..base.number_text import count_of
from ..urdf.spatial import IDENTITY_POSE, norm, Pose, rpy_from_matrix
from .canonical import TURNS
from .differences import poses_apart
from .joint_differences import range_of
from .robot_map import is_line, JointPair, LIMITS, NONE, RobotMap
from .words import length_text

SMALL = 1e-6  # rad and m: below it a zero is the same
MOST_CORRECTED = 1.0 / 3.0  # of the joints: with more, two robots have a like tree and no map


def map_lines(robots: RobotMap, *, full: bool) -> List[Tuple[str, str]]:
    """Return label and text of each line about the map."""
    joints = [pair for pair in robots.pairs if is_line(robots.a.joints[pair.choice.a].motion)]
    corrected = sum(pair.correction.across > 1e-3 or pair.correction.turn > 1e-2 for pair in joints)
    if corrected > MOST_CORRECTED * len(joints) and not full:
        return []
    lines = [("map", text) for text in _joint_texts(robots, joints, full=full)]
    off, angle = poses_apart(robots.base, IDENTITY_POSE)
    if angle > SMALL or off > SMALL:
        lines.append(("base", base_text(robots.base)))
    lines += [("zero", text) for text in zero_texts(robots, joints, full=full)]
    if robots.ties:
        lines.append(("map", f"{count_of(robots.ties, 'pair')} of like branches: paired in file order, nothing "
                      "distinguishes them"))
    return lines


def zero_texts(robots: RobotMap, joints: List[JointPair], *, full: bool) -> List[str]:
    """Return what zeros rest on where that is not geometry, and which others would fit as well."""
    texts = []
    for evidence, sentence in ((LIMITS, "inferred from limits only"), (NONE, "no evidence, assumed equal")):
        names = [robots.a.joints[pair.choice.a].raw.name for pair in joints
                 if pair.evidence == evidence and (full or evidence == LIMITS) and is_open(robots, pair)]
        if names:
            texts.append(f"of {', '.join(names)}: {sentence}")
    for pair in joints:
        if pair.alternatives and full:
            others = [rule_text(robots, pair._replace(choice=pair.choice._replace(zero=zero)))
                      for zero in pair.alternatives]
            texts.append(f"{robots.a.joints[pair.choice.a].raw.name}: another map is as good: {' or '.join(others)}, "
                         "with what it carries turned round")
    return texts


def is_open(robots: RobotMap, pair: JointPair) -> bool:
    """Return True if two joints have other names, or other limits as they are written: then their zeros may differ."""
    a, b = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
    return a.name != b.name or range_of(a) != range_of(b)


def base_text(base: Pose) -> str:
    """Return how B's root frame differs from A's."""
    rpy = rpy_from_matrix(base.rotation)
    turns = [f"{degrees(angle):.4g} degrees about {axis}" for axis, angle in zip("xyz", rpy) if abs(angle) > SMALL]
    moved = norm(base.translation)
    texts = ["turned " + ", ".join(turns)] if turns else []
    return ", ".join(texts + ([f"moved by {length_text(moved)}"] if moved > SMALL else []))


def _joint_texts(robots: RobotMap, joints: List[JointPair], *, full: bool) -> List[str]:
    """Return the joints whose sign, zero or name changes, grouped by rule."""
    rules: Dict[str, List[str]] = {}
    same = 0
    for pair in joints:
        a, b = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
        rule = rule_text(robots, pair)
        name = a.name if a.name == b.name else f"{a.name} (B: {b.name})"
        if rule == "q" and (a.name == b.name or not full):
            same += 1
        else:
            rules.setdefault(rule, []).append(name if full else a.name)
    texts = [f"{', '.join(names)} = {rule}" for rule, names in rules.items()]
    if texts and same:
        texts[-1] += f"; {count_of(same, 'other')} q"
    return texts


def rule_text(robots: RobotMap, pair: JointPair) -> str:
    """Return the position of B as a function of that of A: `-q + 90 deg`."""
    offset, turns = robots.offset(pair), robots.a.joints[pair.choice.a].motion == TURNS
    rule = "-q" if pair.choice.sign < 0.0 else "q"
    if abs(offset) <= SMALL:
        return rule
    size = f"{degrees(abs(offset)):.4g} deg" if turns else length_text(abs(offset))
    return f"{rule} {'-' if offset < 0.0 else '+'} {size}"
