"""The page of a comparison: both robots superimposed, one row for each difference, the verdict on top."""

from __future__ import annotations

import os
from collections import Counter
from decimal import ROUND_UP
from itertools import chain
from math import fsum
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from ...base.number_text import count_of
from ...base.type_aliases import Pair
from ...collada.conversion_records import DaeOptions
from ...compare.report_lines import causes_of
from ...compare.robot_comparison import ComparisonResult
from ...compare.difference_records import Difference, DRAWN
from ...compare.convention_differences import base_text, rule_text
from ...compare.comparison_text import map_lines, verdict_line
from ...compare.robot_map import JointPair, RobotMap
from ...compare.difference_kinds import angle_text, CLASSES, KINDS, length_text, text_of
from ...meshes.rare_collada import RARE_COLLADA
from ...report.line_layout import mass_text
from ...robot.canonical_robot import CanonicalRobot
from ...robot.raw_robot import RawRobot
from ...urdf.package_resolver import ResolvedFile
from .comparison_page_data import marks_of
from .html_markup import bullets, element, joined, Markup, name, names, section, table
from .packed_meshes import MeshStore
from .page_panels import tag
from .page_content import Page, PageCount, PageRow, PageVerdict
from .write_page import folders_near, without_folders

WORD_OF_CLASS = {
    "structure": "of structure",
    "geometry": "of geometry",
    "base": "of the base",
    "masses": "of masses",
    "limits": "other",
    "names": "of names",
    "unproven": "not compared",
    "convention": "of signs, zeros, names, order or base",
}
EVIDENCE = {
    "lines": "seen in the lines",
    "inertia": "seen in the masses",
    "frames": "seen in frames",
    "limits": "inferred from limits only",
    "none": "no evidence, assumed equal",
    "given": "given",
}


# Takes a sentence; returns it without the folders of this machine, as others may read it.
Hide = Callable[[str], str]


def page_of_comparison(comparison: ComparisonResult, packages: Sequence[Pair] = ()) -> Page:
    """Return the page of a comparison; `packages` are the folders by package name, as given with --package."""
    robots = comparison.map
    folders = folders_near([robot.file for robot in (comparison.a, comparison.b)], packages)

    def hide(sentence: str) -> str:
        """Return a sentence without the folders of this machine."""
        return str(without_folders(sentence, folders))

    notes = section("notes", "Notes", bullets(map(hide, comparison.notes)))
    # All files were looked for already, by the readers of the robots.
    store = MeshStore(lambda reference: ResolvedFile(None), DaeOptions(rare=RARE_COLLADA))
    names = joined(_robot("A", comparison.a), _robot("B", comparison.b))
    title = f"{_file(comparison.a)} and {_file(comparison.b)}"
    facts = [_map(robots), notes]
    more_facts = [_bodies(robots), _unread(comparison, hide)]
    return Page(
        title=title,
        drawn="Both robots, one over the other",
        heading="Differences",
        names=names,
        robots=robots,
        bound=comparison.bound,
        a="A",
        b="B",
        views=("Overlay", "Both", "A", "B"),
        colored="Differences",
        fates={},
        store=store,
        verdict=_verdict(comparison, hide),
        counts=[*_counts(comparison)],
        rows=[*_rows(comparison, hide)],
        without_rows="No difference was found.",
        states=(),
        warning=_not_unique(robots),
        facts=facts,
        more_facts=more_facts,
    )


def _verdict(comparison: ComparisonResult, hide: Hide) -> PageVerdict:
    """Return the verdict, and the bound for all positions."""
    bound = comparison.bound
    if bound is None:
        meaning = "Joints differ, so no bound holds for all positions."
    elif bound.position == 0.0 and bound.angle == 0.0:
        meaning = "Every line is the same to the last bit."
    else:
        turned = ""
        # A smaller angle is the rounding of directions, which is invisible.
        if bound.angle > DRAWN:
            turned = f", or turned by more than {angle_text(bound.angle, ROUND_UP)}"
        meaning = (
            f"At all positions, no point is farther than {length_text(bound.position, ROUND_UP)} from its place"
            f"{turned}; the farthest is on '{bound.body}'."
        )
    return PageVerdict(comparison.verdict, hide(verdict_line(comparison)), [meaning])


def _counts(comparison: ComparisonResult) -> Iterator[PageCount]:
    """Yield the numbers of bodies, joints and shapes in A and B, their masses, and the number of differences."""
    a = comparison.map.a
    b = comparison.map.b
    yield _of_both("Bodies", len(a.bodies), len(b.bodies))
    yield _of_both("Joints", len(a.joints), len(b.joints))
    yield _of_both("Shapes", _shapes(a), _shapes(b))
    yield _of_both("Mass", _mass(a), _mass(b), unit=" kg", at="of")
    counted = Counter(KINDS[difference.kind].of for difference in comparison.counted)
    why = [f"{counted[of]} {WORD_OF_CLASS[of]}" for of in CLASSES if counted[of]]
    yield PageCount("Differences", str(len(comparison.counted)), ", ".join(why) or "none")


def _rows(comparison: ComparisonResult, hide: Hide) -> Iterator[PageRow]:
    """Yield a row for each cause, the worst first; a cause with several differences has a row for each inside."""
    robots = comparison.map
    for label, text, several in causes_of(comparison.counted):
        if len(several) == 1:
            yield _row_of_one(robots, several[0], hide)
            continue
        inner = [_row_of_one(robots, difference, hide) for difference in several]
        yield _row(robots, several, label, hide(text))._replace(inner=inner)


def _row_of_one(robots: RobotMap, difference: Difference, hide: Hide) -> PageRow:
    """Return the row of one difference, with its line in either file."""
    label = KINDS[difference.kind].label
    lines = []
    if difference.line_a:
        lines.append(f"A line {difference.line_a}")
    if difference.line_b:
        lines.append(f"B line {difference.line_b}")
    row = _row(robots, (difference,), label, hide(text_of(difference)))
    return row._replace(below=", ".join(lines))


def _row(robots: RobotMap, several: Sequence[Difference], label: str, text: str) -> PageRow:
    """Return a row that shows the bodies and joints of differences of one class."""
    of = KINDS[several[0].kind].of
    words = joined(tag(of, label), element("b", name(text)), between=" ")
    return PageRow(words=words, about={"of": of, **marks_of(robots, several)})


def _unread(comparison: ComparisonResult, hide: Hide) -> Markup:
    """Return the elements of both files that were not read."""
    rows: List[Sequence[object]] = []
    for side, raw in (("A", comparison.a), ("B", comparison.b)):
        for unread in raw.unread:
            line = str(unread.line or "")
            rows.append((side, hide(unread.element), hide(unread.why), line))
    caption = "Elements that are no part of the comparison"
    return section("unread", "Not read", table(caption, ("file", "element", "why", "line"), rows))


def _file(raw: RawRobot) -> str:
    """Return the name of the file of a robot, else of the robot, else its format."""
    return os.path.basename(raw.file.replace("\\", "/")) or raw.name or raw.format


def _robot(side: str, raw: RawRobot) -> Markup:
    """Return the line of the head that names a robot."""
    words = joined(
        element("i", side, class_=f"side {side.lower()}"),
        name(_file(raw)),
        element("small", f"{raw.format.upper()}, ", name(raw.name)),
        between=" ",
    )
    return element("h1", words)


def _of_both(title: str, a: object, b: object, *, unit: str = "", at: str = "in") -> PageCount:
    """Return a count of A and of B, a single number if they are equal."""
    if a == b:
        return PageCount(title, f"{a}{unit}", "in both")
    return PageCount(title, f"{a} | {b}{unit}", f"{at} A | {at} B")


def _mass(robot: CanonicalRobot) -> str:
    """Return the mass of a robot as text [kg]."""
    return mass_text(fsum(body.mass.mass for body in robot.bodies if body.mass is not None))


def _shapes(robot: CanonicalRobot) -> int:
    """Return the number of shapes of a robot."""
    parts = chain.from_iterable(body.parts for body in robot.bodies)
    return sum(len(part.link.shapes) for part in parts)


def _not_unique(robots: RobotMap) -> Markup:
    """Return a sentence if the map is not the only possible map, else ""."""
    several = [pair.a.raw.name for pair in robots.pairs if pair.alternatives]
    reasons = []
    if robots.ties:
        reasons.append(f"{count_of(robots.ties, 'pair')} of like branches could change places")
    if several:
        reasons.append(f"{count_of(len(several), 'zero')} could be another")
    if not reasons:
        return Markup("")
    return element(
        "p",
        element("a", "The map is not unique", href="#map"),
        f": {' and '.join(reasons)}",
        class_="chip",
    )


def _map(robots: RobotMap) -> Markup:
    """Return the section on the map between A and B: the root, and the rule of each pair of joints."""
    rows = [_rule_row(pair) for pair in robots.pairs]
    base = base_text(robots.base)
    lines = [f"{label}: {text}" for label, text in map_lines(robots, full=True) if label != "base"]
    head = ("joint of A", "of B, if other", "position of B", "its zero is", "other zeros")
    parts = []
    if base:
        parts.append(element("p", f"The root of B is {base}."))
    parts.append(bullets(lines))
    parts.append(table("Where q is a position of A's joint, B's is", head, rows))
    return section("map", "Map", *parts)


def _rule_row(pair: JointPair) -> Sequence[object]:
    """Return the row of a pair of joints in the table of the map; a pair that does not move has no rule."""
    a = pair.a.raw
    b = pair.b.raw
    other_name = name(b.name) if b.name != a.name else ""
    rule = ""
    evidence = ""
    if a.moves:
        rule = rule_text(pair)
        evidence = EVIDENCE.get(pair.evidence, pair.evidence)
    zeros = " or ".join(f"{zero:.6g}" for zero in pair.alternatives)
    return name(a.name), other_name, rule, evidence, zeros


def _bodies(robots: RobotMap) -> Markup:
    """Return the table of bodies: pairs first, then the bodies of A alone, then of B alone."""

    def links(robot: CanonicalRobot, number: Optional[int]) -> Markup:
        """Return the names of the links of a body, or a phrase for a body that is missing."""
        if number is None:
            return Markup("not there")
        return names(part.link.name for part in robot.bodies[number].parts)

    def mass(robot: CanonicalRobot, number: Optional[int]) -> str:
        """Return the mass of a body as text, "" for a body that is missing."""
        if number is None:
            return ""
        body_mass = robot.bodies[number].mass
        return f"{mass_text(body_mass.mass)} kg" if body_mass is not None else "none"

    paired = set(robots.bodies.values())
    pairs: List[Tuple[Optional[int], Optional[int]]] = [*robots.bodies.items()]
    pairs += [(a, None) for a in range(len(robots.a.bodies)) if a not in robots.bodies]
    pairs += [(None, b) for b in range(len(robots.b.bodies)) if b not in paired]
    rows = [
        (links(robots.a, a), links(robots.b, b), mass(robots.a, a), mass(robots.b, b))
        for a, b in pairs
    ]
    caption = "Links without a joint between them that moves are one body"
    head = ("links of A", "links of B", "mass in A", "mass in B")
    return section("bodies", "Bodies", table(caption, head, rows))
