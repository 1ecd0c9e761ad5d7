"""The page of a run: before and after; of a run that changes nothing, as of `view`, one robot."""

from __future__ import annotations

import os
from collections import Counter
from typing import Dict, Iterator, List, Tuple

from ...base.number_text import count_of, grouped
from ...base.types import Json, Pair
from ...base.walk import depth_first
from ...compare.robot_map import bound_of, RobotMap
from ...formats.urdf.read import read_urdf
from ...meshes.rare_collada import RARE_COLLADA
from ...meshing.converter import mesh_folder
from ...plan.decisions import Plan
from ...report.layout import mass_text
from ...report.run_json import record_of
from ...robot.records import RawRobot, RawShape
from ...run.records import Exported, Result
from ...urdf.model import Link, MOVABLE, Robot, SIZES
from ...urdf.package_resolver import Found, resolve, resolver_for
from ...verify.equivalence import proof_line
from ..edited import map_of_run
from ..request import ExportRequest, TARGETS
from .markup import breakable, element, joined, Markup
from .meshes import MeshStore
from .panels import (
    Count,
    count_list,
    frame,
    missing_chip,
    sliders,
    state_buttons,
    tag,
    verdict_box,
)
from .robots import page_data, srdf_states
from .tables import facts
from .verify import verify_page
from .write import finished, folders_near, packed_meshes, page_of, without_folders

DEEPEST = 12  # levels of the tree that are indented further
BEFORE = "before"
AFTER = "after"
VIEWS = ("Both", "Before", "After", "Overlay")


def write_page(request: ExportRequest) -> Exported:
    """Return the page that shows a run; see the option `--page`."""
    file = str(request.choices["page"])
    data, line = finished(file, *page_text(request))
    return Exported(files=((file, data),), lines=(line,))


def page_text(request: ExportRequest) -> Pair:
    """Return the HTML text, and what it shows of meshes in a phrase ("" for nothing).

    Raises:
        ProofFailed: the data of the page are not those of the run.
    """
    result = request.result
    plan = result.plan
    alone = not result.changed
    folder = os.path.dirname(os.path.abspath(request.path))
    resolver = resolver_for(result.before.document.root, folder, plan.options.meshes.package)

    def find(reference: str) -> Found:
        request.progress(os.path.basename(reference), 0)
        return resolve(reference, resolver)

    before = read_urdf(result.source, request.path)
    after = _with_sources(read_urdf(result.data, request.path), plan)
    robots = map_of_run(result, before, after)
    store = MeshStore(find, plan.options.meshes.dae._replace(rare=RARE_COLLADA))
    data = page_data(robots, bound_of(robots), store, changes_of(plan), alone=alone)
    verify_page(data, robots)
    links = levels_of(result.before)
    data["rows"] = [_marks(robots, link, alone=alone) for link, _ in links]
    data["states"] = [
        state for companion in result.companions for state in srdf_states(companion, robots.a)
    ]
    data["sides"] = {"old": "Before", "new": "After"}
    meshes = packed_meshes(store, data, request.choices["page_triangles"])
    title = os.path.basename(request.path)
    name = result.before.name or title
    record = without_folders(
        record_of(result, os.path.basename(request.output)), folders_of(request)
    )
    words = (
        frame(name, "The robot", "Links", (), "")
        if alone
        else frame(
            f"{name}: before and after", "The robot before and after", "Links", VIEWS, "Changes"
        )
    )
    values = {
        **words,
        "robot": joined(element("h1", element("bdi", name)), element("p", element("bdi", title))),
        "verdict": Markup("") if alone else _verdict(result),
        "counts": count_list(counts(result, record)),
        "rows": tree(result, links),
        "missing": missing_chip(store),
        "states": state_buttons(data["states"]),
        "sliders": sliders(robots, AFTER, BEFORE),
        "facts": facts(result, record, store, meshes, other_files(request)),
    }
    return page_of(data, meshes, values)


def _with_sources(robot: RawRobot, plan: Plan) -> RawRobot:
    """Return the result with its meshes as the input names them, and with the paths of those that the run made."""
    made = {file.name: file.source for file in plan.meshes.files}
    old = {new: name for name, new in plan.meshes.names.items()}

    def found(shape: RawShape) -> RawShape:
        return shape._replace(file=old.get(shape.file, shape.file), path=made.get(shape.file, ""))

    return robot.with_shapes(found)


def changes_of(plan: Plan) -> Dict[Tuple[str, int], str]:
    """Return what became of shapes of the input, by link, and number of the shape in it."""
    fates = {strip.shape.source.offset: "stripped" for strip in plan.strips}
    fates.update({copy.shape.source.offset: "copy" for copy in plan.copies})
    changes = {}
    for name, member in plan.members.items():
        for number, offset in enumerate(_offsets(plan.robot.links[name])):
            fate = fates.get(offset, "merged" if member.merged else "")
            if fate:
                changes[name, number] = fate
    return changes


def _offsets(link: Link) -> List[int]:
    """Return where the shapes of a link are, without those of no known kind, which nobody draws."""
    return [
        shape.source.offset
        for shape in link.shapes
        if shape.drawn is not None and shape.drawn.name in SIZES
    ]


def levels_of(robot: Robot) -> List[Tuple[str, int]]:
    """Return every link in the order of the tree, and how many links are above it."""
    below = grouped((joint.parent, joint.child) for joint in robot.joints)

    def children_of(row: Tuple[str, int]) -> List[Tuple[str, int]]:
        link, level = row
        return [(child, level + 1) for child in below.get(link, [])]

    return [*depth_first([(robot.root, 0)], children_of)]


def _marks(robots: RobotMap, link: str, *, alone: bool) -> Json:
    """Return the bodies that the row of a link of the input is about."""
    body = robots.b.body_of.get(link, -1)
    partner = [a for a, b in robots.bodies.items() if b == body]
    return {
        "link": link,
        "a": {"bodies": partner, "joints": []},
        "b": {"bodies": [] if alone or body < 0 else [body], "joints": []},
    }


def _verdict(result: Result) -> Markup:
    """Return the sentence of the proof, with its numbers."""
    companions = [f"{companion.name}: {companion.proof_line}" for companion in result.companions]
    return verdict_box("", "Proved the same robot", [proof_line(result.proof), *companions])


def counts(result: Result, record: Json) -> Iterator[Count]:
    """Yield five counts, before and after with what makes the difference, or what they are of."""
    plan, before, after = result.plan, result.before, result.after
    yield _count(
        "Links",
        (len(before.links), len(after.links)),
        [_minus(len(before.links) - len(after.links), "merged")],
        f"root {after.root}",
    )
    moving = sum(joint.type in MOVABLE for joint in after.joints)
    flipped = sum(joint["sign"] < 0 for joint in record["joints"])
    zeros = sum(joint["zero"] != 0.0 for joint in record["joints"])
    of_joints = [
        _minus(len(before.joints) - len(after.joints), "removed"),
        f"{flipped} flipped" if flipped else "",
        f"{count_of(zeros, 'zero')} moved" if zeros else "",
    ]
    yield _count("Joints", (len(before.joints), len(after.joints)), of_joints, f"{moving} can move")
    made = sum(len(split.parts) - 1 for split in plan.meshes.converted)
    of_shapes = [
        _minus(len(plan.strips), "stripped"),
        _minus(len(plan.copies), "copies" if len(plan.copies) != 1 else "copy"),
        f"+{made} by color" if made > 0 else "",
        *(line for line in result.exported.changes if "visual" in line or "collision" in line),
    ]
    roles = Counter(shape.kind for _, shape in after.shapes)
    of_roles = [count_of(roles[role], role) for role in ("visual", "collision")]
    shapes = len(before.shapes), sum(roles.values())
    yield _count("Shapes", shapes, of_shapes, ", ".join(of_roles))
    heavy = f"in {count_of(sum(link.mass > 0.0 for link in after.links.values()), 'link')}"
    if abs(before.mass - after.mass) > 1e-9 * max(before.mass, 1e-9):
        heavy = f"was {mass_text(before.mass)} kg: copies counted once"
    yield "Mass", f"{mass_text(after.mass)} kg", heavy
    warnings = len(record["warnings"]) + len(record["srdf"]["warnings"] if record["srdf"] else ())
    link = element("a", str(warnings), href="#warnings") if warnings else "0"
    yield "Warnings", link, "lines are below" if warnings else "none"


def _count(title: str, numbers: Tuple[int, int], reasons: List[str], otherwise: str) -> Count:
    before, after = numbers
    number = f"{after}" if before == after else f"{before} → {after}"
    return title, number, ", ".join(filter(None, reasons)) or otherwise


def _minus(count: int, what: str) -> str:
    return f"−{count} {what}" if count else ""


def tree(result: Result, levels: List[Tuple[str, int]]) -> Markup:
    """Return every link of the input with its state in the result and the reason."""
    plan, robot = result.plan, result.before
    stripped = Counter(strip.link for strip in plan.strips)
    rows: List[Markup] = []
    for number, (link, level) in enumerate(levels):
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
        mass = element("small", f"{mass_text(robot.links[link].mass)} kg")
        words = joined(element("b", breakable(link)), *labels, between=" ")
        row = element("button", element("span", words), mass, type="button", data_row=str(number))
        why = element("p", reason) if reason else Markup("")
        rows.append(
            element("li", row, why, class_=f"d{min(level, DEEPEST)}", aria_level=str(level + 1))
        )
    return element("ul", *rows)


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
    """Return folders of this machine that messages of a run may name, and what is shown instead of each."""
    options = request.result.plan.options
    made = os.path.abspath(mesh_folder(request.path, options, request.output, request.choices))
    return folders_near([request.path], [*options.meshes.package, (os.path.basename(made), made)])
