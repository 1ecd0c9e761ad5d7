"""The page of a comparison: both robots superimposed, one row for each difference, the verdict on top."""

from __future__ import annotations

import os
from decimal import ROUND_UP
from math import fsum
from typing import List, Optional, Sequence, Tuple

from ...base.number_text import count_of
from ...base.types import Json, Pair
from ...collada.records import DaeOptions
from ...compare.comparison import causes_of, ComparisonResult
from ...compare.differences import Difference, DRAWN
from ...compare.report import base_text, map_lines, rule_text, verdict_line
from ...compare.robot_map import RobotMap
from ...compare.words import angle_text, CLASSES, KINDS, length_text, text_of
from ...meshes.rare_collada import RARE_COLLADA
from ...report.layout import mass_text
from ...robot.canonical import CanonicalRobot
from ...robot.records import RawRobot
from ...run.records import ExportedFiles
from ...urdf.package_resolver import ResolvedFile
from ..edited import comparison_of_run
from ..request import ExportRequest
from .comparison_data import marks_of
from .markup import bullets, element, joined, Markup, name, names, section, table
from .meshes import MeshStore
from .panels import Count, count_list, frame, missing_chip, sliders, tag, verdict_box
from .robots import page_data
from .run_page import write_page
from .verify import verify_page
from .write import (
    finished,
    folders_near,
    packed_meshes,
    page_of,
    without_folders,
)
from .tables import shown_meshes

WORD_OF_CLASS = {
    "structure": "of structure",
    "geometry": "of geometry",
    "base": "of the base",
    "masses": "of masses",
    "limits": "other",
    "names": "of names",
    "unproven": "not compared",
}
EVIDENCE = {
    "lines": "seen in the lines",
    "inertia": "seen in the masses",
    "frames": "seen in frames",
    "limits": "inferred from limits only",
    "none": "no evidence, assumed equal",
    "given": "given",
}


def write_comparison(
    comparison: ComparisonResult, file: str, packages: Sequence[Pair], most: Optional[int]
) -> Tuple[bytes, str]:
    """Return the page of a comparison, and the line that reports it.

    Args:
        file: where it will be written.
        packages: folders by package name, as given with --package.
        most: the largest number of triangles, None: the default.

    Raises:
        ProofFailed: the data of the page are not those of the comparison.
    """
    return finished(file, *comparison_text(comparison, packages, most))


def write_run(request: ExportRequest) -> ExportedFiles:
    """Return the page of a run: before and after; or, of acts, which no plan knows, input and result over each other,
    as compared."""
    result = request.result
    file = str(request.choices["page"])
    if result.exported.edited is None:
        return write_page(request)
    data, line = write_comparison(
        comparison_of_run(request),
        file,
        result.plan.options.meshes.package,
        request.choices["page_triangles"],
    )
    return ExportedFiles(files=((file, data),), lines=(line,))


def comparison_text(
    comparison: ComparisonResult, packages: Sequence[Pair] = (), most: Optional[int] = None
) -> Pair:
    """Return the HTML text, and what it shows of meshes in a phrase ("" for nothing)."""
    # All were looked for already.
    store = MeshStore(lambda reference: ResolvedFile(None), DaeOptions(rare=RARE_COLLADA))
    robots = comparison.map
    data = page_data(robots, comparison.bound, store, {})
    verify_page(data, robots)
    shown = _Shown(
        comparison, folders_near([robot.file for robot in (comparison.a, comparison.b)], packages)
    )
    rows = shown.rows()
    data["rows"] = shown.marked
    data["sides"] = {"old": "B", "new": "A"}
    meshes = packed_meshes(store, data, most)
    facts = (
        _map(robots),
        shown.notes(),
        shown_meshes(store, meshes),
        _bodies(robots),
        shown.unread(),
    )
    title = f"{_file(comparison.a)} and {_file(comparison.b)}"
    drawn = "Both robots, one over the other"
    values = {
        **frame(title, drawn, "Differences", ("Overlay", "Both", "A", "B"), "Differences"),
        "robot": joined(_robot("A", comparison.a), _robot("B", comparison.b)),
        "verdict": shown.verdict(),
        "counts": shown.counts(),
        "rows": rows,
        "missing": joined(_not_unique(robots), missing_chip(store)),
        "states": Markup(""),
        "sliders": sliders(robots, "A", "B"),
        "facts": joined(*filter(None, facts), between="\n"),
    }
    return page_of(data, meshes, values)


class _Shown:
    """The parts that hold sentences of the comparison, without the folders of this machine."""

    def __init__(self, comparison: ComparisonResult, folders: List[Pair]) -> None:
        self.comparison, self.folders = comparison, folders
        # For each row of the page the class of its difference, and which bodies and joints it is about.
        self.marked: List[Json] = []

    def text(self, sentence: str) -> str:
        """Return a sentence as others may read it."""
        return str(without_folders(sentence, self.folders))

    def verdict(self) -> Markup:
        """Return the verdict, and the bound for all positions."""
        bound = self.comparison.bound
        if bound is None:
            meaning = "Joints differ, so no bound holds for all positions."
        elif bound.position == 0.0 and bound.angle == 0.0:
            meaning = "Every line is the same to the last bit."
        else:
            turned = (
                f", or turned by more than {angle_text(bound.angle, ROUND_UP)}"
                if bound.angle > DRAWN
                else ""
            )
            meaning = (
                f"At all positions, no point is farther than {length_text(bound.position, ROUND_UP)} from its place"
                f"{turned}; the farthest is on '{bound.body}'."
            )
        claim = self.text(verdict_line(self.comparison))
        return verdict_box(self.comparison.verdict, claim, [meaning])

    def counts(self) -> Markup:
        """Return the numbers of bodies, joints and shapes in A and B, their masses, and the number of differences."""
        a = self.comparison.map.a
        b = self.comparison.map.b
        differences = self.comparison.counted
        rows: List[Count] = [
            _of_both("Bodies", len(a.bodies), len(b.bodies)),
            _of_both("Joints", len(a.joints), len(b.joints)),
            _of_both("Shapes", _shapes(a), _shapes(b)),
            _of_both("Mass", _mass(a), _mass(b), unit=" kg", at="of"),
        ]
        classes = [KINDS[difference.kind].of for difference in differences]
        why = ", ".join(
            f"{classes.count(of)} {WORD_OF_CLASS[of]}" for of in CLASSES if of in classes
        )
        rows.append(("Differences", str(len(differences)), why or "none"))
        return count_list(rows)

    def rows(self) -> Markup:
        """Return a row for each cause, the worst first; one with several differences has a row for each in it."""
        if not self.comparison.counted:
            return element("p", "No difference was found.")
        items = []
        for label, text, several in causes_of(self.comparison.counted):
            if len(several) == 1:
                items.append(self.row(several[0]))
                continue
            head = self.button(several, label, text)
            each = [self.row(difference) for difference in several]
            inside = element("summary", f"each of {len(several)}"), element("ul", *each)
            items.append(element("li", head, element("details", *inside)))
        return element("ul", *items, class_="rows")

    def row(self, difference: Difference) -> Markup:
        """Return the row of one difference, with where it is in either file."""
        button = self.button((difference,), KINDS[difference.kind].label, text_of(difference))
        lines = [
            f"{side} line {line}"
            for side, line in (("A", difference.line_a), ("B", difference.line_b))
            if line
        ]
        return element("li", button, element("p", ", ".join(lines)) if lines else Markup(""))

    def button(self, several: Sequence[Difference], label: str, text: str) -> Markup:
        """Return the button that shows the bodies and joints of a row; these are added to `marked`."""
        of = KINDS[several[0].kind].of
        number = len(self.marked)
        self.marked.append({"of": of, **marks_of(self.comparison.map, several)})
        inside = joined(tag(of, label), element("b", name(self.text(text))), between=" ")
        return element("button", element("span", inside), type="button", data_row=str(number))

    def notes(self) -> Markup:
        """Return what could not be compared, and how the files were read."""
        return section("notes", "Notes", bullets(map(self.text, self.comparison.notes)))

    def unread(self) -> Markup:
        """Return the elements of both files that were not read."""
        rows = [
            (side, self.text(unread.element), self.text(unread.why), str(unread.line or ""))
            for side, raw in (("A", self.comparison.a), ("B", self.comparison.b))
            for unread in raw.unread
        ]
        return section(
            "unread",
            "Not read",
            table(
                "Elements that are no part of the comparison",
                ("file", "element", "why", "line"),
                rows,
            ),
        )


def _file(raw: RawRobot) -> str:
    return os.path.basename(raw.file.replace("\\", "/")) or raw.name or raw.format


def _robot(side: str, raw: RawRobot) -> Markup:
    words = joined(
        element("i", side, class_=f"side {side.lower()}"),
        name(_file(raw)),
        element("small", f"{raw.format.upper()}, ", name(raw.name)),
        between=" ",
    )
    return element("h1", words)


def _of_both(title: str, a: object, b: object, *, unit: str = "", at: str = "in") -> Count:
    """Return what is counted in A and in B: once if both have as much."""
    if a == b:
        return title, f"{a}{unit}", "in both"
    return title, f"{a} | {b}{unit}", f"{at} A | {at} B"


def _mass(robot: CanonicalRobot) -> str:
    return mass_text(fsum(body.mass.mass for body in robot.bodies if body.mass is not None))


def _shapes(robot: CanonicalRobot) -> int:
    return sum(len(part.link.shapes) for body in robot.bodies for part in body.parts)


def _not_unique(robots: RobotMap) -> Markup:
    """Return a sentence if the map is not the only possible one, else ""."""
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
    rows: List[Sequence[object]] = []
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        rows.append(
            (
                name(a.name),
                name(b.name) if b.name != a.name else "",
                rule_text(pair) if a.moves else "",
                EVIDENCE.get(pair.evidence, pair.evidence) if a.moves else "",
                " or ".join(f"{other:.6g}" for other in pair.alternatives),
            )
        )
    base = base_text(robots.base)
    lines = [f"{label}: {text}" for label, text in map_lines(robots, full=True) if label != "base"]
    return section(
        "map",
        "Map",
        *([element("p", f"The root of B is {base}.")] if base else []),
        bullets(lines),
        table(
            "Where q is a position of A's joint, B's is",
            ("joint of A", "of B, if other", "position of B", "its zero is", "other zeros"),
            rows,
        ),
    )


def _bodies(robots: RobotMap) -> Markup:
    def links(robot: CanonicalRobot, number: Optional[int]) -> Markup:
        if number is None:
            return Markup("not there")
        return names(part.link.name for part in robot.bodies[number].parts)

    def mass(robot: CanonicalRobot, number: Optional[int]) -> str:
        if number is None:
            return ""
        body_mass = robot.bodies[number].mass
        return f"{mass_text(body_mass.mass)} kg" if body_mass is not None else "none"

    there = set(robots.bodies.values())
    pairs: List[Tuple[Optional[int], Optional[int]]] = [*robots.bodies.items()]
    pairs += [(a, None) for a in range(len(robots.a.bodies)) if a not in robots.bodies]
    pairs += [(None, b) for b in range(len(robots.b.bodies)) if b not in there]
    rows = [
        (links(robots.a, a), links(robots.b, b), mass(robots.a, a), mass(robots.b, b))
        for a, b in pairs
    ]
    return section(
        "bodies",
        "Bodies",
        table(
            "Links without a joint between them that moves are one body",
            ("links of A", "links of B", "mass in A", "mass in B"),
            rows,
        ),
    )
