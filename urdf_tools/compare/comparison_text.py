"""A comparison for people: the verdict, the map unless it is the identity, the two main causes, and the number of
others.

And for programs, as JSON: numbers are rounded, so that they are equal on every machine. `given_of_json` reads the map
from this JSON, or from the report of a run.
"""

from collections import Counter
from itertools import chain
from textwrap import wrap
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ..base.type_aliases import Json
from ..base.errors import UsageError
from ..base.number_text import count_of, grouped, short
from ..robot.canonical_robot import CanonicalRobot
from ..robot.joint_motion import is_line
from ..urdf.spatial_math import IDENTITY_POSE, matrix_from_rpy, Transform, rpy_from_matrix, ZERO
from .report_lines import ReportLine, causes_of, folded, LIMIT, name_list, NAMES_SHOWN
from .robot_comparison import ComparisonResult
from .convention_differences import base_text, counts_of_conventions, rule_text, SILENT, SMALL
from .difference_records import Difference, DRAWN, poses_apart
from .given_or_searched_map import Given, GivenJoint
from .robot_map import MotionDifferenceBound, JointPair, LIMITS, NONE, RobotMap
from .difference_kinds import (
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
MOST_LINES = 25  # of a screen without scrolling
LABEL = 8  # columns before the text of a line: two blanks, the label, a blank
CAUSES_SHOWN = 2
MOST_OF_REST = 8  # lines that are kept for causes after a long map


def report(
    comparison: ComparisonResult,
    *,
    full: bool = False,
    columns: int = COLUMNS,
    paint: Callable[[str], str] = str,
) -> str:
    """Return the comparison as text: the verdict, the map, the main causes and the number of others.

    If nothing differs the notes are shown, if they fit on the screen.

    Args:
        full: all causes, decisions and notes, and the differences within the tolerance.
        columns: the width of a line.
        paint: gives a line of the verdict its color.
    """
    head = [paint(line) for line in wrap(verdict_line(comparison), columns, subsequent_indent="  ")]
    for label, text in map_lines(comparison.map, full=full):
        head += label_lines(label, text, columns)
    differences = comparison.counted
    if full:
        # A rounded value that counts is shown once.
        differences = tuple(dict.fromkeys((*differences, *comparison.rounded)))
    all_causes = causes_of(differences)
    shown = all_causes if full else folded(all_causes)
    # Each entry has the lines of one text, since a long text is wrapped.
    causes = [label_lines(cause.label, cause.text, columns) for cause in shown]
    decided = [
        label_lines(cause.label, cause.text, columns) for cause in causes_of(comparison.decided)
    ]
    notes = [label_lines("note", note, columns) for note in comparison.notes]

    first, others = (causes, []) if full else _shown_first(shown, causes)
    # If nothing differs, a decision of the run is the main cause.
    if not causes:
        first = decided[:CAUSES_SHOWN]
        decided = decided[CAUSES_SHOWN:]
    if len(list(chain(*others))) == 1:  # a line that counts it would be as long
        first = [*first, *others]
        others = []

    # A map of many lines is cut, so that the causes are on the screen, too.
    if not full:
        head = head[: MOST_LINES - MOST_OF_REST]
    lines = [*head, *chain(*first)]
    rest = list(chain(*others, *decided, *notes))
    fits_on_screen = not causes and len(lines) + len(rest) <= MOST_LINES
    if full or len(rest) <= 1 or fits_on_screen:
        return "\n".join([*lines, *rest]) + "\n"
    # A folded line stands for several differences.
    nouns = OTHERS if len(shown) == len(all_causes) else OTHER_GROUPS
    counts = [
        (len(others), nouns),
        (len(decided), ("decision", "decisions")),
        (len(notes), ("note", "notes")),
    ]
    remaining = [count_of(count, *names) for count, names in counts if count]
    return "\n".join([*lines, f"  and {' and '.join(remaining)}: --full"]) + "\n"


# Differences that are only counted: singular, and plural.
OTHERS = ("other difference", "other differences")
OTHER_GROUPS = ("other group of differences", "other groups of differences")


def _shown_first(
    causes: Sequence[ReportLine], lines: Sequence[List[str]]
) -> Tuple[List[List[str]], List[List[str]]]:
    """Return the lines of the causes that are shown, and the lines of the other causes, which are only counted.

    The main causes come first in `causes`, which has the order of `lines`.
    """
    first: List[List[str]] = []
    others: List[List[str]] = []
    for number, (cause, lines_of_cause) in enumerate(zip(causes, lines)):
        # A limit must not be overlooked: it may break a robot.
        is_shown = number < CAUSES_SHOWN or cause.label == LIMIT
        side = first if is_shown else others
        side.append(lines_of_cause)
    return first, others


def quiet_lines(comparison: ComparisonResult) -> List[str]:
    """Return a line for each difference that counts: file and line if known, the kind, the sentence; equal lines once."""
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
    """Return the first line of a report: the verdict, for all positions of the joints."""
    how = _how_near(comparison)
    kinds = [KINDS[difference.kind] for difference in comparison.differences]
    what = _listed([SEVERAL[kind.label] for kind in kinds if kind.of == OTHER])
    if comparison.verdict == UNPROVEN:
        counts = Counter(KINDS[difference.kind].label for difference in comparison.unproven)
        what = _listed([count_of(count, one, SEVERAL[one]) for one, count in counts.items()])
        # This verdict is no statement that all is exact.
        how = "" if how == EXACTLY else f": {how}"
    acts = counts_of_acts(comparison.decided)
    counted = counts_of_conventions(conventions_of_headline(comparison))
    scaled = "" if comparison.scale == 1.0 else f", {short([comparison.scale])} times as large"
    # Each verdict has the values that its sentence names.
    return VERDICTS[comparison.verdict].format(
        counted=scaled + "".join(f", {words}" for words in counted),
        but_for=f", but for {', '.join(acts)}" if acts else "",
        how=how,
        what=what,
        joints_a=_moving(comparison.map.a),
        joints_b=_moving(comparison.map.b),
    )


def _how_near(comparison: ComparisonResult) -> str:
    """Return how near the motions are, then the largest differences within the tolerance."""
    bound = comparison.bound
    how = MOVES if comparison.rounded else EXACTLY
    if bound is not None and max(bound.position, bound.angle) > DRAWN:
        # Up, so that no point is farther off than the text says.
        position = length_text(bound.position, ROUND_UP)
        angle = angle_text(bound.angle, ROUND_UP)
        how = TO.format(position=position, angle=angle)
    if comparison.rounded:
        how += f"; {_listed(_sizes(comparison.rounded))}"
    return how


def conventions_of_headline(comparison: ComparisonResult) -> List[Difference]:
    """Return the conventions that differ and fail the comparison, or that a program would not notice."""
    if not _is_map_meant(comparison.map):
        return []
    failing = {*comparison.failing}
    return [
        difference
        for difference in comparison.conventions
        if difference.kind in SILENT or difference in failing
    ]


def _listed(words: Sequence[str]) -> str:
    """Return words as a list for a sentence, each once; of many, only the first."""
    several = list(dict.fromkeys(words))
    if len(several) > NAMES_SHOWN:
        several = [*several[:NAMES_SHOWN], "more"]
    if len(several) < 2:
        return "".join(several)
    return f"{', '.join(several[:-1])} and {several[-1]}"


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
    """Return the number of moving joints of a file; copies of a joint count once.

    A held joint moves in its file: it is held only as the other file has no partner for it.
    """
    return len(robot.joints) + len(robot.held)


def label_lines(label: str, text: str, columns: int) -> List[str]:
    """Return a text with its label in the columns before it, wrapped; names are not broken."""
    # A label that fills its column is still followed by a blank.
    blank = " " if len(label) > LABEL - 3 else ""
    return wrap(
        f"  {label:<{LABEL - 2}}{blank}{text}",
        columns,
        subsequent_indent=" " * LABEL,
        break_long_words=False,
        break_on_hyphens=False,
    )


MOST_CORRECTED = 1.0 / 3.0  # of the joints: with more, two robots have similar trees and no map
FAR_OFF = 1e-3  # m: a line of a joint this far from its partner is in another place, and so is an axis turned by
FAR_TURNED = 1e-2  # rad (0.6 degrees)


def _is_map_meant(robots: RobotMap) -> bool:
    """Return False if the lines of many joints are elsewhere: then the map has no meaning."""
    joints = [pair for pair in robots.pairs if is_line(pair.a.motion)]
    corrected = sum(
        pair.correction.across > FAR_OFF or pair.correction.turn > FAR_TURNED for pair in joints
    )
    return corrected <= MOST_CORRECTED * len(joints)


def map_lines(robots: RobotMap, *, full: bool) -> List[Tuple[str, str]]:
    """Return label and text of each line about the map; [] if it is the identity, or if no map makes sense.

    `full`: the map in any case, with the names in B, and the zeros without evidence.
    """
    if not full and not _is_map_meant(robots):
        return []
    joints = [pair for pair in robots.pairs if is_line(pair.a.motion)]
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
    """Return sentences on zeros that do not rest on geometry; `full`: and on other zeros that would fit as well."""
    sentences = {LIMITS: "inferred from limits only"}
    # Without evidence equal zeros are assumed: a guess that is right for a wheel or a flange needs no line.
    if full:
        sentences[NONE] = "no evidence, assumed equal"
    texts = []
    for evidence, sentence in sentences.items():
        names = [pair.a.raw.name for pair in joints if pair.evidence == evidence and is_open(pair)]
        if names:
            texts.append(f"of {', '.join(names)}: {sentence}")
    if not full:
        return texts
    for pair in joints:
        if pair.alternatives:
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


def _joint_texts(joints: List[JointPair], *, full: bool) -> List[str]:
    """Return the joints whose sign, zero or name changes, grouped by rule; the last text counts the unchanged joints.

    [] if no joint changes. `full`: joints with another name alone are listed, too, each with its name in B.
    """
    names_by_rule: Dict[str, List[str]] = {}
    unchanged = 0
    for pair in joints:
        name_a = pair.a.raw.name
        name_b = pair.b.raw.name
        rule = rule_text(pair)
        # A program that moves both needs no change, unless it uses the names.
        if rule == "q" and (name_a == name_b or not full):
            unchanged += 1
            continue
        with_other = f"{name_a} (B: {name_b})" if full and name_a != name_b else name_a
        names_by_rule.setdefault(rule, []).append(with_other)
    texts = [f"{', '.join(names)} = {rule}" for rule, names in names_by_rule.items()]
    if texts and unchanged:
        texts[-1] += f"; {count_of(unchanged, 'other')} q"
    return texts


def _reason_texts(joints: List[JointPair]) -> List[str]:
    """Return the reasons why equal positions are not the map, grouped; a different name alone needs no reason."""
    names_by_reason = grouped(
        (_listed([REASONS[reason] for reason in pair.reasons]), pair.a.raw.name)
        for pair in joints
        if rule_text(pair) != "q"
    )
    # A map that was given has no reasons.
    return [f"{name_list(names)}: {why}" for why, names in names_by_reason.items() if why]


DIGITS = (
    12  # significant digits, and decimals, of numbers in JSON: the others depend on the machine
)
# The fields of a comparison that hold differences.
DIFFERENCES = ("differences", "unproven", "noted", "rounded", "decided", "conventions", "failing")


def as_json(comparison: ComparisonResult) -> Json:
    """Return the data for `json.dump`: verdict, exit, bound, the map as `--map` reads it, and every difference.

    Lengths are in meters, angles in radians.
    """
    robots = comparison.map
    base = comparison.map.base
    # The order of the keys is the order of the file.
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
    for name in DIFFERENCES:
        record[name] = list(map(difference_json, getattr(comparison, name)))

    record["only"] = {
        "a": [robots.a.joints[index].raw.name for index in robots.only_a],
        "b": [robots.b.joints[index].raw.name for index in robots.only_b],
        "welded_a": [joint.name for joint in robots.a.held],
        "welded_b": [joint.name for joint in robots.b.held],
    }
    record["loops"] = {"a": len(comparison.a.loops), "b": len(comparison.b.loops)}
    record["ties"] = robots.ties
    if comparison.scale != 1.0:
        record["scale"] = comparison.scale
    record["notes"] = list(comparison.notes)
    record["refused"] = None
    return record


def _bound(bound: Optional[MotionDifferenceBound]) -> Optional[Json]:
    """Return the bound [m, rad] and the body of its point; None if it is not defined."""
    if bound is None:
        return None
    return {
        "position": _rounded(bound.position),
        "angle": _rounded(bound.angle),
        "body": bound.body,
    }


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
    """Return a pair of joints as `given_of_json` reads it, with its evidence: q_b = sign q_a + offset [rad or m]."""
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

    The report of a run has a map, too, from its input to its result, with the decisions of the run. Without a base, the
    base is searched. `path` is the file for messages.

    Raises:
        UsageError: the data have a different form.
    """
    try:
        # The report of a run has `joint_order`, and names joints differently from the report of a comparison.
        is_of_run = "joint_order" in data
        if is_of_run:
            joints = tuple(_of_run(joint) for joint in data["joints"] if joint["type"] != "fixed")
        else:
            joints = tuple(map(_of_comparison, data["joints"]))
        for joint in joints:
            if joint.sign not in (1.0, -1.0):
                raise UsageError(
                    f"the sign of '{joint.a}' is {joint.sign:g}, and a sign is 1 or -1", path
                )
        if is_of_run:
            # The report of a run has no base in this form.
            return Given(joints, base=None, decided=tuple(map(str, data.get("decisions", ()))))
        base = data.get("base")
        if base is None:
            return Given(joints, base=None)
        x, y, z = base.get("xyz", ZERO)
        roll, pitch, yaw = base.get("rpy", ZERO)
        R_b_a = matrix_from_rpy((float(roll), float(pitch), float(yaw)))
        T_b_a = Transform(R_b_a, (float(x), float(y), float(z)))
        return Given(joints, T_b_a, root=str(base.get("root", "")))
    # A UsageError is a ValueError as well, with a better sentence than the next handler's.
    except UsageError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise UsageError(
            'a map is {"joints": [{"a": "elbow", "b": "joint3", "sign": -1, "offset": 1.5708}]}, and '
            '"base": {"rpy": [0, 0, 0], "xyz": [0, 0, 0]} if it is known',
            path,
        ) from problem


def _of_comparison(joint: Json) -> GivenJoint:
    """Return a pair of joints in the report of a comparison, or in a map typed by hand, which may have names alone."""
    return GivenJoint(
        a=str(joint["a"]),
        b=str(joint["b"]),
        sign=float(joint.get("sign", 1)),
        offset=float(joint.get("offset", 0.0)),
    )


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
    """Return a difference with its sentence, and its numbers rounded, unless rounding would hide it."""
    a = _shown(difference.a)
    b = _shown(difference.b)
    if a == b and difference.a != difference.b:
        a = difference.a
        b = difference.b
    return {
        "kind": difference.kind,
        "where": difference.where,
        # A size that rounds to 0 is written in full.
        "size": _rounded(difference.size) or difference.size,
        "unit": difference.unit,
        "a": a,
        "b": b,
        "line_a": difference.line_a,
        "line_b": difference.line_b,
        "text": text_of(difference),
    }


def _shown(value: Any) -> Any:
    """Return a value of a difference for JSON: a number or several numbers rounded, a text or None unchanged."""
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return value


def _rounded(value: float) -> float:
    """Return a number without rounding errors, equal on every machine."""
    # To 12 digits, then to 12 decimals, so that 1e-17 is 0; adding 0.0 turns -0.0 into 0.0.
    return round(float(f"{value:.{DIGITS}g}"), DIGITS) + 0.0
