"""The page of a run: before and after; an unchanged robot, as in `view`, is shown alone."""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain
from typing import Dict, Iterator, List, Tuple

from ...base.number_text import count_of, grouped
from ...base.type_aliases import Json, Pair
from ...base.graph_walks import depth_first
from ...compare.robot_map import bound_of, RobotMap
from ...formats.urdf.read_urdf import read_urdf
from ...meshes.rare_collada import RARE_COLLADA
from ...meshing.mesh_converter import mesh_folder
from ...plan.plan_decisions import Plan
from ...report.kinematic_tree import mass_change
from ...report.line_layout import mass_text
from ...report.run_json import record_of
from ...robot.raw_robot import RawRobot, RawShape
from ...run.run_records import Result
from ...urdf.urdf_records import UrdfLink, MOVABLE, UrdfRobot, SIZES
from ...urdf.package_resolver import ResolvedFile, resolve, resolver_for
from ...verify.verify_equivalence import proof_line
from ..run_as_comparison import map_of_run
from ..export_request import ExportRequest, TARGETS
from .html_markup import breakable, element, joined, Markup
from .packed_meshes import MeshStore
from .page_panels import tag
from .page_content import Page, PageCount, PageRow, PageVerdict
from .page_robots import srdf_states
from .page_tables import first_facts, more_facts
from .write_page import folders_near, without_folders

SAME_MASS = 1e-9  # relative, and [kg]
VIEWS = ("Both", "Before", "After", "Overlay")


def page_of_run(request: ExportRequest) -> Page:
    """Return the page of a run: the result is A, the input is B; an unchanged robot is shown alone."""
    result = request.result
    plan = result.plan
    before = read_urdf(result.source, request.path)
    after = _with_sources(read_urdf(result.data, request.path), plan)
    robots = map_of_run(result, before, after)
    title = os.path.basename(request.path)
    name = result.before.name or title
    # A page may be published: it must not show the folders of this machine.
    record = without_folders(
        record_of(result, os.path.basename(request.output)), folders_of(request)
    )
    states = (srdf_states(companion, robots.a) for companion in result.companions)
    names = joined(element("h1", element("bdi", name)), element("p", element("bdi", title)))
    page = Page(
        title=f"{name}: before and after",
        drawn="The robot before and after",
        heading="Links",
        names=names,
        robots=robots,
        bound=bound_of(robots),
        a="after",
        b="before",
        views=VIEWS,
        colored="Changes",
        fates=fates_of(plan),
        store=_meshes(request),
        verdict=_verdict(result),
        counts=[*counts(result, record)],
        rows=[*_rows(result, robots)],
        without_rows="",
        states=[*chain.from_iterable(states)],
        warning=Markup(""),
        facts=first_facts(result, record),
        more_facts=more_facts(result, record, other_files(request)),
    )
    if result.changed:
        return page
    return page._replace(title=name, drawn="The robot", views=(), verdict=None)


def _meshes(request: ExportRequest) -> MeshStore:
    """Return the store of the meshes of a run; each lookup of a file is shown as progress."""
    result = request.result
    options = result.plan.options.meshes
    folder = os.path.dirname(os.path.abspath(request.path))
    resolver = resolver_for(result.before.document.root, folder, options.package)

    def find(reference: str) -> ResolvedFile:
        """Look for a mesh file, and show the progress."""
        request.progress(os.path.basename(reference), 0)
        return resolve(reference, resolver)

    return MeshStore(find, options.dae._replace(rare=RARE_COLLADA))


def _with_sources(robot: RawRobot, plan: Plan) -> RawRobot:
    """Return the result with its meshes as the input names them, and with the paths of meshes that the run made."""
    made = {file.name: file.source for file in plan.meshes.files}
    old = {new: name for (_, name), new in plan.meshes.names.items()}

    def found(shape: RawShape) -> RawShape:
        """Return a shape with the old name of its mesh, and the path of a mesh that was made."""
        return shape._replace(file=old.get(shape.file, shape.file), path=made.get(shape.file, ""))

    return robot.with_shapes(found)


def fates_of(plan: Plan) -> Dict[Tuple[str, int], str]:
    """Return the fates of shapes of the input, by link, and number of the shape in it."""
    fates = {strip.shape.source.offset: "stripped" for strip in plan.strips}
    fates.update({copy.shape.source.offset: "copy" for copy in plan.copies})
    changes: Dict[Tuple[str, int], str] = {}
    for name, member in plan.members.items():
        for number, offset in enumerate(_offsets(plan.robot.links[name])):
            otherwise = "merged" if member.merged else ""
            fate = fates.get(offset, otherwise)
            if fate:
                changes[name, number] = fate
    return changes


def _offsets(link: UrdfLink) -> List[int]:
    """Return the offsets in the text of the shapes of a link, without shapes of unknown kinds, which are never drawn."""
    return [
        shape.source.offset
        for shape in link.shapes
        if shape.drawn is not None and shape.drawn.name in SIZES
    ]


def levels_of(robot: UrdfRobot) -> List[Tuple[str, int]]:
    """Return every link in the order of the tree, with the number of its ancestors."""
    below = grouped((joint.parent, joint.child) for joint in robot.joints)

    def children_of(row: Tuple[str, int]) -> List[Tuple[str, int]]:
        """Return the children of a link, one level deeper."""
        link, level = row
        return [(child, level + 1) for child in below.get(link, [])]

    return [*depth_first([(robot.root, 0)], children_of)]


def _about(robots: RobotMap, link: str, *, alone: bool) -> Json:
    """Return the bodies that the row of a link of the input marks: A is the result, B the input."""
    body = robots.b.body_of.get(link, -1)
    partners = [a for a, b in robots.bodies.items() if b == body]
    own = [] if alone or body < 0 else [body]
    return {
        "link": link,
        "a": {"bodies": partners, "joints": []},
        "b": {"bodies": own, "joints": []},
    }


def _verdict(result: Result) -> PageVerdict:
    """Return the sentence of the proof, with its numbers."""
    companions = [f"{companion.name}: {companion.proof_line}" for companion in result.companions]
    return PageVerdict("", "Proved the same robot", [proof_line(result.proof), *companions])


def counts(result: Result, record: Json) -> Iterator[PageCount]:
    """Yield the five counts of a page, each before and after with its reasons, or with a phrase about it."""
    yield _links_count(result)
    yield _joints_count(result, record)
    yield _shapes_count(result)
    yield _mass_count(result)
    yield _warnings_count(record)


def _links_count(result: Result) -> PageCount:
    """Return the numbers of links."""
    before = len(result.before.links)
    after = len(result.after.links)
    reasons = [_minus(before - after, "merged")]
    return _count("Links", (before, after), reasons, f"root {result.after.root}")


def _joints_count(result: Result, record: Json) -> PageCount:
    """Return the numbers of joints."""
    before = len(result.before.joints)
    after = len(result.after.joints)
    moving = sum(joint.type in MOVABLE for joint in result.after.joints)
    flipped = sum(joint["sign"] < 0 for joint in record["joints"])
    zeros = sum(joint["zero"] != 0.0 for joint in record["joints"])
    reasons = [_minus(before - after, "removed")]
    if flipped:
        reasons.append(f"{flipped} flipped")
    if zeros:
        reasons.append(f"{count_of(zeros, 'zero')} moved")
    return _count("Joints", (before, after), reasons, f"{moving} can move")


def _shapes_count(result: Result) -> PageCount:
    """Return the numbers of shapes."""
    plan = result.plan
    copies = "copies" if len(plan.copies) != 1 else "copy"
    reasons = [_minus(len(plan.strips), "stripped"), _minus(len(plan.copies), copies)]
    # A mesh that is split by color becomes several shapes.
    more = sum(len(split.parts) - 1 for split in plan.meshes.converted)
    if more > 0:
        reasons.append(f"+{more} by color")
    for line in result.exported.changes:
        if "visual" in line or "collision" in line:
            reasons.append(line)
    roles = Counter(shape.kind for _, shape in result.after.shapes)
    by_role = [count_of(roles[role], role) for role in ("visual", "collision")]
    numbers = (len(result.before.shapes), sum(roles.values()))
    return _count("Shapes", numbers, reasons, ", ".join(by_role))


def _mass_count(result: Result) -> PageCount:
    """Return the mass after the run, and the reason for a difference, or the number of links with mass."""
    before = result.before.mass
    after = result.after.mass
    heavy = sum(link.mass > 0.0 for link in result.after.links.values())
    reason = f"in {count_of(heavy, 'link')}"
    # The sum of the same masses in a different order differs by rounding.
    if abs(before - after) > SAME_MASS * max(before, SAME_MASS):
        reason = f"was {mass_text(before)} kg: copies counted once"
    return PageCount("Mass", f"{mass_text(after)} kg", reason)


def _warnings_count(record: Json) -> PageCount:
    """Return the number of warnings, with a link to their lines."""
    of_srdf = record["srdf"]["warnings"] if record["srdf"] else ()
    number = len(record["warnings"]) + len(of_srdf)
    if not number:
        return PageCount("Warnings", "0", "none")
    link = element("a", str(number), href="#warnings")
    return PageCount("Warnings", link, "lines are below")


def _count(title: str, numbers: Tuple[int, int], reasons: List[str], otherwise: str) -> PageCount:
    """Return numbers before and after with their reasons, or with a phrase if there are none."""
    before, after = numbers
    number = f"{after}" if before == after else f"{before} → {after}"
    return PageCount(title, number, ", ".join(filter(None, reasons)) or otherwise)


def _minus(count: int, word: str) -> str:
    """Return a reason for a smaller number, "" for 0."""
    return f"−{count} {word}" if count else ""


def _rows(result: Result, robots: RobotMap) -> Iterator[PageRow]:
    """Yield a row for every link of the input, with its state in the result and the reason."""
    plan = result.plan
    robot = result.before
    stripped = Counter(strip.link for strip in plan.strips)
    for link, level in levels_of(robot):
        member = plan.members[link]
        is_root = link in (robot.root, result.after.root)
        reason = member.reason if result.changed and not is_root else ""
        labels: List[Markup] = []
        if member.merged:
            labels.append(tag("merged", "merged → ", breakable(member.target)))
        elif reason:
            labels.append(tag("kept", "kept"))
        if stripped[link]:
            labels.append(tag("stripped", f"−{count_of(stripped[link], 'shape')}"))
        yield PageRow(
            words=joined(element("b", breakable(link)), *labels, between=" "),
            about=_about(robots, link, alone=not result.changed),
            aside=element("small", mass_change(plan, link).replace("->", "→")),
            below=reason,
            level=level,
        )


def other_files(request: ExportRequest) -> List[Pair]:
    """Return kind and base name of the further files that other exports of this run write."""
    if not request.writes:
        return []
    labels = {
        **{target.name: target.label for target in TARGETS if target.name != "output"},
        "adapter": "adapter",
    }
    return [
        (label, os.path.basename(str(request.choices[name])))
        for name, label in labels.items()
        if request.choices.get(name)
    ]


def folders_of(request: ExportRequest) -> List[Pair]:
    """Return folders of this machine that messages of a run may name, each with its replacement."""
    options = request.result.plan.options
    made = os.path.abspath(mesh_folder(request.path, options, request.output, request.choices))
    return folders_near([request.path], [*options.meshes.package, (os.path.basename(made), made)])
