"""A comparison for people: the verdict, the map unless it is the identity, the two main causes, and the number of
others.

And for programs, as JSON: numbers are rounded, so that they are equal on every machine.
"""

from collections import Counter
from itertools import chain
from math import degrees
from textwrap import wrap
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ..base.types import Json
from ..base.errors import UsageError
from ..base.number_text import count_of, grouped
from ..robot.canonical import CanonicalRobot, TURNS
from ..robot.motion import is_line
from ..urdf.spatial import IDENTITY_POSE, matrix_from_rpy, norm, Transform, rpy_from_matrix
from .comparison import Cause, causes_of, ComparisonResult, folded, LIMIT, name_list, NAMES_SHOWN
from .differences import Difference, DRAWN, poses_apart
from .mapping import Given, GivenJoint
from .robot_map import Bound, JointPair, LIMITS, NONE, RobotMap
from .words import (
    angle_text,
    counts_of_acts,
    EXACTLY,
    KINDS,
    length_text,
    MOVES,
    OTHER,
    REASONS,
    ROUND_UP,
    SEVERAL,
    size_text,
    text_of,
    TO,
    UNPROVEN,
    VERDICTS,
)

COLUMNS = 80
MOST_LINES = 25
LABEL = 8
CAUSES_SHOWN = 2
MOST_OF_REST = 8  # lines after the map


def report(
    comparison: ComparisonResult,
    *,
    full: bool = False,
    columns: int = COLUMNS,
    paint: Callable[[str], str] = str,
) -> str:
    """Return the comparison as text: the verdict, the map, the main causes and the number of others, or all of it.

    If nothing differs the notes are shown, if they fit on the screen. `paint` gives the verdict its color.
    """
    head = [paint(line) for line in wrap(verdict_line(comparison), columns, subsequent_indent="  ")]
    head += [
        line
        for label, text in map_lines(comparison.map, full=full)
        for line in _lines(label, text, columns)
    ]
    all_causes = causes_of((*comparison.counted, *(comparison.rounded if full else ())))
    shown = all_causes if full else folded(all_causes)
    causes = [_lines(cause.label, cause.text, columns) for cause in shown]
    decided = [_lines(cause.label, cause.text, columns) for cause in causes_of(comparison.decided)]
    notes = [_lines("note", note, columns) for note in comparison.notes]

    first, others = (causes, []) if full else _shown_first(shown, causes)
    # If nothing differs, a decision of the run is the main cause.
    if not causes:
        first, decided = decided[:CAUSES_SHOWN], decided[CAUSES_SHOWN:]
    if len(list(chain(*others))) == 1:  # a line that counts it would be as long
        first = [*first, *others]
        others = []

    # A map of many lines is cut, so that the causes are on the screen, too.
    lines = [*(head if full else head[: MOST_LINES - MOST_OF_REST]), *chain(*first)]
    rest = list(chain(*others, *decided, *notes))
    if full or len(rest) <= 1 or not causes and len(lines) + len(rest) <= MOST_LINES:
        return "\n".join([*lines, *rest]) + "\n"
    # A folded line stands for several differences.
    noun = "other difference" if len(shown) == len(all_causes) else "other group of differences"
    remaining = [
        count_of(count, *nouns)
        for count, nouns in (
            (len(others), (noun, OTHERS[noun])),
            (len(decided), ("decision", "decisions")),
            (len(notes), ("note", "notes")),
        )
        if count
    ]
    return "\n".join([*lines, f"  and {' and '.join(remaining)}: --full"]) + "\n"


# Differences that are only counted: singular, and plural.
OTHERS = {
    "other difference": "other differences",
    "other group of differences": "other groups of differences",
}


def _shown_first(
    causes: Sequence[Cause], lines: Sequence[List[str]]
) -> Tuple[List[List[str]], List[List[str]]]:
    """Return the lines of the main causes and of all limits, which must not be overlooked; then those of the others."""
    sides: Tuple[List[List[str]], List[List[str]]] = [], []
    for number, (cause, several) in enumerate(zip(causes, lines)):
        # False and True are the indices 0 and 1.
        sides[number >= CAUSES_SHOWN and cause.label != LIMIT].append(several)
    return sides


def quiet_lines(comparison: ComparisonResult) -> List[str]:
    """Return a line for each difference: file and line if known, the kind, the sentence; equal ones once."""
    lines = []
    for difference in comparison.counted:
        # A part that only B has is at a line of B, all others at a line of A.
        file = comparison.b.file
        line = difference.line_b
        if difference.line_a:
            file = comparison.a.file
            line = difference.line_a
        # Standard input has no name, and some differences have no element.
        where = f"{file}:{line}" if line else file
        text = f"{difference.kind}: {text_of(difference)}"
        lines.append(f"{where}: {text}" if where else text)
    return list(dict.fromkeys(lines))


def verdict_line(comparison: ComparisonResult) -> str:
    """Return the first line: the verdict at all positions."""
    bound = comparison.bound
    how = MOVES if comparison.rounded else EXACTLY
    if bound is not None and max(bound.position, bound.angle) > DRAWN:
        how = TO.format(
            position=length_text(bound.position, ROUND_UP), angle=angle_text(bound.angle, ROUND_UP)
        )
    if comparison.rounded:
        how += f"; {_listed(_sizes(comparison.rounded))}"
    kinds = [KINDS[difference.kind] for difference in comparison.differences]
    what = _listed([SEVERAL[kind.label] for kind in kinds if kind.of == OTHER])
    if comparison.verdict == UNPROVEN:
        counts = Counter(KINDS[difference.kind].label for difference in comparison.unproven)
        what = _listed([count_of(count, one, SEVERAL[one]) for one, count in counts.items()])
        how = "" if how == EXACTLY else f": {how}"
    acts = counts_of_acts(comparison.decided)
    return VERDICTS[comparison.verdict].format(
        but_for=f", but for {', '.join(acts)}" if acts else "",
        how=how,
        what=what,
        joints_a=_moving(comparison.map.a),
        joints_b=_moving(comparison.map.b),
    )


def _listed(words: Sequence[str]) -> str:
    """Return words as a list for a sentence, each once; of many, only the first."""
    several = list(dict.fromkeys(words))
    if len(several) > NAMES_SHOWN:
        several = [*several[:NAMES_SHOWN], "more"]
    return ", ".join(several[:-1]) + (" and " if several[1:] else "") + "".join(several[-1:])


def _sizes(rounded: Sequence[Difference]) -> List[str]:
    """Return the largest differences of numbers within the tolerance, by label."""
    largest: Dict[Tuple[str, str], float] = {}
    for difference in rounded:
        key = (SEVERAL[KINDS[difference.kind].label], difference.unit)
        largest[key] = max(difference.size, largest.get(key, 0.0))
    return [
        f"{what} to {size_text(size, unit, ROUND_UP)}" if size else what
        for (what, unit), size in largest.items()
    ]


def _moving(robot: CanonicalRobot) -> int:
    """Return the number of moving joints of a file; copies of a joint count once."""
    return len(robot.joints) + len(robot.held)


def _lines(label: str, text: str, columns: int) -> List[str]:
    """Return a line with its label, wrapped."""
    # A label that fills its column is still followed by a blank.
    return wrap(
        f"  {label:<{LABEL - 2}}{' ' if len(label) > LABEL - 3 else ''}{text}",
        columns,
        subsequent_indent=" " * LABEL,
        break_long_words=False,
        break_on_hyphens=False,
    )


SMALL = 1e-6  # rad and m: smaller differences of a zero are ignored
MOST_CORRECTED = 1.0 / 3.0  # of the joints: with more, two robots have similar trees and no map


def map_lines(robots: RobotMap, *, full: bool) -> List[Tuple[str, str]]:
    """Return label and text of each line about the map."""
    joints = [pair for pair in robots.pairs if is_line(pair.a.motion)]
    # Lines this far off (1 mm, 0.6 degrees) in many joints: a map of them would be meaningless.
    corrected = sum(pair.correction.across > 1e-3 or pair.correction.turn > 1e-2 for pair in joints)
    if corrected > MOST_CORRECTED * len(joints) and not full:
        return []
    lines = [("map", text) for text in _joint_texts(joints, full=full)]
    lines += [("why", text) for text in _reason_texts(joints)]
    off, angle = poses_apart(robots.base, IDENTITY_POSE)
    if angle > SMALL or off > SMALL:
        lines.append(("base", base_text(robots.base)))
    lines += [("zero", text) for text in zero_texts(joints, full=full)]
    if robots.ties:
        lines.append(
            (
                "map",
                f"{count_of(robots.ties, 'pair')} of like branches: paired in file order, nothing "
                "distinguishes them",
            )
        )
    return lines


def zero_texts(joints: List[JointPair], *, full: bool) -> List[str]:
    """Return the evidence of zeros that do not rest on geometry, and the other zeros that would fit as well."""
    texts = []
    for evidence, sentence in (
        (LIMITS, "inferred from limits only"),
        (NONE, "no evidence, assumed equal"),
    ):
        names = [
            pair.a.raw.name
            for pair in joints
            if pair.evidence == evidence and (full or evidence == LIMITS) and is_open(pair)
        ]
        if names:
            texts.append(f"of {', '.join(names)}: {sentence}")
    for pair in joints:
        if pair.alternatives and full:
            others = " or ".join(map(rule_text, pair.others))
            texts.append(
                f"{pair.a.raw.name}: another map is as good: {others}, with what it carries turned round"
            )
    return texts


def is_open(pair: JointPair) -> bool:
    """Return True if two joints have different names, or different positions under the map: then their zeros may
    differ.
    """
    return pair.a.raw.name != pair.b.raw.name or rule_text(pair) != "q"


def base_text(base: Transform) -> str:
    """Return the difference between B's root frame and A's."""
    rpy = rpy_from_matrix(base.rotation)
    turns = [
        f"{degrees(angle):.4g} degrees about {axis}"
        for axis, angle in zip("xyz", rpy)
        if abs(angle) > SMALL
    ]
    moved = norm(base.translation)
    texts = ["turned " + ", ".join(turns)] if turns else []
    return ", ".join(texts + ([f"moved by {length_text(moved)}"] if moved > SMALL else []))


def _joint_texts(joints: List[JointPair], *, full: bool) -> List[str]:
    """Return the joints whose sign, zero or name changes, grouped by rule."""
    rules: Dict[str, List[str]] = {}
    same = 0
    for pair in joints:
        name = pair.a.raw.name
        other = pair.b.raw.name
        rule = rule_text(pair)
        # A program that moves both needs no change, unless it uses the names.
        if rule == "q" and (name == other or not full):
            same += 1
        else:
            with_other = f"{name} (B: {other})" if full and name != other else name
            rules.setdefault(rule, []).append(with_other)
    texts = [f"{', '.join(names)} = {rule}" for rule, names in rules.items()]
    if texts and same:
        texts[-1] += f"; {count_of(same, 'other')} q"
    return texts


def _reason_texts(joints: List[JointPair]) -> List[str]:
    """Return the reasons why equal positions are not the map, grouped; a different name alone needs no reason."""
    several = grouped(
        (_listed([REASONS[reason] for reason in pair.reasons]), pair.a.raw.name)
        for pair in joints
        if rule_text(pair) != "q"
    )
    return [f"{name_list(names)}: {why}" for why, names in several.items() if why]


def rule_text(pair: JointPair) -> str:
    """Return the position of B as a function of the position of A: `-q + 90 deg`."""
    offset = pair.offset
    turns = pair.a.motion == TURNS
    rule = "-q" if pair.choice.sign < 0.0 else "q"
    if abs(offset) <= SMALL:
        return rule
    size = f"{degrees(abs(offset)):.4g} deg" if turns else length_text(abs(offset))
    return f"{rule} {'-' if offset < 0.0 else '+'} {size}"


DIGITS = 12


def as_json(comparison: ComparisonResult) -> Json:
    """Return the data for `json.dump`: verdict, exit, bound, the map as `--map` reads it, and every difference."""
    robots = comparison.map
    base = comparison.map.base
    record: Json = {
        "verdict": comparison.verdict,
        "exit": comparison.exit_code,
        "bound": _bound(comparison.bound),
        "base": {
            "rpy": [_rounded(part) for part in rpy_from_matrix(base.rotation)],
            "xyz": [_rounded(part) for part in base.translation],
            "evidence": robots.base_evidence,
            "root": robots.b.root,
        },
        "joints": [_joint(pair) for pair in robots.pairs],
        "bodies": [_bodies(robots, a, b) for a, b in robots.bodies.items()],
    }
    for name in ("differences", "unproven", "noted", "rounded", "decided"):
        record[name] = list(map(difference_json, getattr(comparison, name)))

    record["only"] = {
        "a": [robots.a.joints[index].raw.name for index in robots.only_a],
        "b": [robots.b.joints[index].raw.name for index in robots.only_b],
        "welded_a": [joint.name for joint in robots.a.held],
        "welded_b": [joint.name for joint in robots.b.held],
    }
    record["loops"] = {"a": len(comparison.a.loops), "b": len(comparison.b.loops)}
    record["ties"] = robots.ties
    record["notes"] = list(comparison.notes)
    record["refused"] = None
    return record


def _bound(bound: Optional[Bound]) -> Optional[Json]:
    if bound is None:
        return None
    position, angle = _rounded(bound.position), _rounded(bound.angle)
    return {"position": position, "angle": angle, "body": bound.body}


def _bodies(robots: RobotMap, a: int, b: int) -> Json:
    """Return a pair of bodies: their names, and the links that each is made of."""
    first = robots.a.bodies[a]
    second = robots.b.bodies[b]
    return {
        "a": first.name,
        "b": second.name,
        "links_a": [part.link.name for part in first.parts],
        "links_b": [part.link.name for part in second.parts],
    }


def _joint(pair: JointPair) -> Json:
    return {
        "a": pair.a.raw.name,
        "b": pair.b.raw.name,
        "sign": int(pair.choice.sign),
        "offset": _rounded(pair.offset),
        "evidence": pair.evidence,
        "alternatives": [_rounded(other.offset) for other in pair.others],
        "because": list(pair.reasons),
    }


def given_of_json(data: Any, path: str = "") -> Given:
    """Return the map in a file: its `joints` (a, b, sign, offset), and its `base` (rpy, xyz) if it has one.

    Raises:
        UsageError: the data have a different form.
    """
    try:
        # The report of a run has `joint_order`, and names joints differently from the report of a comparison.
        of_run = "joint_order" in data
        joints = tuple(
            [_of_run(joint) for joint in data["joints"] if joint["type"] != "fixed"]
            if of_run
            else [
                GivenJoint(
                    str(joint["a"]),
                    str(joint["b"]),
                    float(joint.get("sign", 1)),
                    float(joint.get("offset", 0.0)),
                )
                for joint in data["joints"]
            ]
        )
        for joint in joints:
            if joint.sign not in (1.0, -1.0):
                raise UsageError(
                    f"the sign of '{joint.a}' is {joint.sign:g}, and a sign is 1 or -1", path
                )
        # The report of a run has no base in this form.
        base = data.get("base") if not of_run else None
        if base is None:
            return Given(
                joints, None, decided=tuple(map(str, data.get("decisions", ()))) if of_run else None
            )
        (x, y, z), (roll, pitch, yaw) = (
            base.get("xyz", (0.0, 0.0, 0.0)),
            base.get("rpy", (0.0, 0.0, 0.0)),
        )
        return Given(
            joints,
            Transform(
                matrix_from_rpy((float(roll), float(pitch), float(yaw))),
                (float(x), float(y), float(z)),
            ),
            root=str(base.get("root", "")),
        )
    # A UsageError is a ValueError as well, with a better sentence than the next handler's.
    except UsageError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise UsageError(
            'a map is {"joints": [{"a": "elbow", "b": "joint3", "sign": -1, "offset": 1.5708}]}, and '
            '"base": {"rpy": [0, 0, 0], "xyz": [0, 0, 0]} if it is known',
            path,
        ) from problem


def _of_run(joint: Json) -> GivenJoint:
    """Return the mapping of a joint in the report of a run: sign * (q - zero) is sign * q + offset."""
    sign = float(joint["sign"])
    return GivenJoint(
        a=str(joint["old_name"]),
        b=str(joint["name"]),
        sign=sign,
        offset=-sign * float(joint["zero"]),
        child=joint["child"],
    )


def difference_json(difference: Difference) -> Json:
    """Return a difference with its sentence."""
    a, b = _shown(difference.a), _shown(difference.b)
    if a == b and difference.a != difference.b:
        # Rounding would hide the difference.
        a, b = difference.a, difference.b
    return {
        "kind": difference.kind,
        "where": difference.where,
        "size": _rounded(difference.size) or difference.size,
        "unit": difference.unit,
        "a": a,
        "b": b,
        "line_a": difference.line_a,
        "line_b": difference.line_b,
        "text": text_of(difference),
    }


def _shown(value: Any) -> Any:
    if isinstance(value, float):
        return _rounded(value)
    return [_rounded(part) for part in value] if isinstance(value, tuple) else value


def _rounded(value: float) -> float:
    """Return a number without rounding errors, equal on every machine."""
    # To 12 digits, then to 12 decimals, so that 1e-17 is 0; adding 0.0 turns -0.0 into 0.0.
    return round(float(f"{value:.{DIGITS}g}"), DIGITS) + 0.0
