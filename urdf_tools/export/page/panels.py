"""The parts of the page around the view: the verdict, the counts, the tree of links and the sliders of joints."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

from ...base.types import Json, Span
from ...base.number_text import count_of, grouped
from ...report.layout import mass_text
from ...run.records import Result
from ...urdf.model import Joint, MOVABLE, Robot
from ...urdf.spatial import angle_between, UNIT_AXES
from ...verify.equivalence import proof_line
from .markup import breakable, element, joined, Markup, name
from .meshes import MeshStore
from .robots import slider_range

DEEPEST = 12  # levels of the tree that are indented further
LEAST_TILT = 1e-3  # [rad]


def vector_text(values: Any) -> str:
    """Return a vector as a person reads it."""
    return (
        "[" + " ".join(f"{round(value, 4) + 0.0:g}" for value in values) + "]"
        if values is not None
        else "–"
    )


def tag(kind: str, *inside: object, title: str = "") -> Markup:
    """Return a small label."""
    return element("span", *inside, class_=f"tag {kind}", title=title or None)


def frame_words(result: Result) -> Dict[str, Markup]:
    """Return what the page says around its parts: of both robots, or of one where the run changed nothing."""
    if not result.changed:
        return {
            "title_end": Markup(""),
            "verdict": Markup(""),
            "drawn": Markup("The robot"),
            "views": Markup(""),
            "changes": Markup(""),
            "copied": Markup("positions of all joints"),
            "next_view": Markup(""),
        }
    views = [
        element("button", word, type="button", data_view=word.lower())
        for word in ("Both", "Before", "After", "Overlay")
    ]
    return {
        "title_end": Markup(": before and after"),
        "verdict": _verdict(result),
        "drawn": Markup("The robot before and after"),
        "views": element("div", *views, role="group", aria_label="Robot"),
        "changes": element("button", "Changes", type="button", data_show="changes"),
        "copied": Markup("positions of all joints, before and after"),
        "next_view": joined(element("kbd", "b"), " next view, "),
    }


def _verdict(result: Result) -> Markup:
    """Return the sentence of the proof, with its numbers."""
    edited = result.exported.edited
    claim, _, proof = (
        edited.verdict.partition(": ") if edited else ("Proved the same robot", "", "")
    )
    lines = [
        proof or proof_line(result.proof),
        *(f"{companion.name}: {companion.proof_line}" for companion in result.companions),
    ]
    return element(
        "div",
        Markup(
            '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.2 3.2L13 4.5"/></svg>'
        ),
        element("strong", claim),
        *(element("span", line) for line in lines),
        id="verdict",
    )


def counts(result: Result, record: Json) -> Markup:
    """Return five counts, before and after with what makes the difference, or of the one robot."""
    warnings = len(record["warnings"]) + len(record["srdf"]["warnings"] if record["srdf"] else ())
    rows = _counts_of_both(result, record) if result.changed else _counts_of_one(result.after)
    of_warnings = (
        element("a", str(warnings), href="#warnings") if warnings else "0",
        "lines are below" if warnings else "none",
    )
    return count_list([*rows, ("Warnings", *of_warnings)])


def _counts_of_one(robot: Robot) -> List[Tuple[str, object, str]]:
    roles = Counter(shape.kind for link in robot.links.values() for shape in link.shapes)
    moving = sum(joint.type in MOVABLE for joint in robot.joints)
    heavy = sum(link.mass > 0.0 for link in robot.links.values())
    of_shapes = (
        f"{count_of(roles['visual'], 'visual')}, {count_of(roles['collision'], 'collision')}"
    )
    return [
        ("Links", len(robot.links), f"root {robot.root}"),
        ("Joints", len(robot.joints), f"{moving} can move"),
        ("Shapes", sum(roles.values()), of_shapes),
        ("Mass", f"{mass_text(robot.mass)} kg", f"in {count_of(heavy, 'link')}"),
    ]


def _counts_of_both(result: Result, record: Json) -> List[Tuple[str, object, str]]:
    plan, before, after = result.plan, result.before, result.after
    flipped = sum(joint["sign"] < 0 for joint in record["joints"])
    zeros = sum(joint["zero"] != 0.0 for joint in record["joints"])
    of_links = [_minus(len(before.links) - len(after.links), "merged")]
    of_joints = [
        _minus(len(before.joints) - len(after.joints), "removed"),
        f"{flipped} flipped" if flipped else "",
        f"{count_of(zeros, 'zero')} moved" if zeros else "",
    ]
    made = sum(len(split.parts) - 1 for split in plan.meshes.converted)
    of_shapes = [
        _minus(len(plan.strips), "stripped"),
        _minus(len(plan.copies), "copies" if len(plan.copies) != 1 else "copy"),
        f"+{made} by color" if made > 0 else "",
    ]
    of_shapes += [
        change for change in result.exported.changes if "visual" in change or "collision" in change
    ]
    of_mass = "unchanged"
    if abs(before.mass - after.mass) > 1e-9 * max(before.mass, 1e-9):
        of_mass = f"was {mass_text(before.mass)} kg: copies counted once"
    shapes_before, shapes_after = (
        sum(len(link.shapes) for link in robot.links.values()) for robot in (before, after)
    )
    return [
        ("Links", f"{len(before.links)} → {len(after.links)}", _why(of_links)),
        ("Joints", f"{len(before.joints)} → {len(after.joints)}", _why(of_joints)),
        ("Shapes", f"{shapes_before} → {shapes_after}", _why(of_shapes)),
        ("Mass", f"{mass_text(after.mass)} kg", of_mass),
    ]


def _why(phrases: Sequence[str]) -> str:
    """Return what makes a difference."""
    return ", ".join(filter(None, phrases)) or "the same"


def count_list(rows: Iterable[Tuple[str, object, str]]) -> Markup:
    """Return counts, each with its title and what makes it."""
    return joined(
        *(
            element(
                "div", element("dt", title), element("dd", value), element("dd", why, class_="why")
            )
            for title, value, why in rows
        )
    )


def _minus(count: int, what: str) -> str:
    return f"−{count} {what}" if count else ""


def tree(result: Result) -> Markup:
    """Return every link of the input in the order of the tree, with its state in the result and the reason."""
    plan, robot = result.plan, result.before
    below = grouped((joint.parent, joint.child) for joint in robot.joints)
    stripped = Counter(strip.link for strip in plan.strips)
    rows: List[Markup] = []
    waiting: List[Tuple[str, int]] = [(robot.root, 0)]
    while waiting:  # not recursive: a robot may be a chain of thousands of links
        link, level = waiting.pop()
        member = plan.members[link]
        reason = member.reason if link not in (robot.root, result.after.root) else ""
        labels: List[Markup] = []
        if member.merged:
            labels.append(tag("merged", "merged → ", breakable(member.target)))
        elif reason and result.changed:
            labels.append(tag("kept", "kept"))
        if stripped[link]:
            labels.append(tag("stripped", f"−{count_of(stripped[link], 'shape')}"))
        mass = element("small", f"{mass_text(robot.links[link].mass)} kg")
        row = element(
            "button",
            element("span", joined(element("b", breakable(link)), *labels, between=" ")),
            mass,
            type="button",
            data_link=link,
        )
        why = element("p", reason) if reason and result.changed else Markup("")
        rows.append(
            element("li", row, why, class_=f"d{min(level, DEEPEST)}", aria_level=str(level + 1))
        )
        waiting += [(child, level + 1) for child in reversed(below.get(link, []))]
    return element("ul", *rows)


def sliders(result: Result, record: Json) -> Markup:
    """Return a slider for every joint of the result that has one coordinate, and a line for those with several."""
    described = {joint["child"]: joint for joint in record["joints"]}
    rows = [
        row
        for number, joint in enumerate(result.after.tree)
        for row in _slider(number, joint, described[joint.child])
    ]
    return element("ol", *rows) if rows else element("p", "No joint of this robot moves.")


def _slider(number: int, joint: Joint, described: Json) -> Iterator[Markup]:
    if joint.type in ("planar", "floating"):
        yield element(
            "li",
            element("div", name(joint.name), " ", tag("", joint.type)),
            element("p", "has several coordinates: stays at zero here"),
        )
    if joint.type not in MOVABLE:
        return
    labels = []
    if described["sign"] < 0:
        labels.append(
            tag("flipped", "flipped", title="the sign of its coordinate changed: old → new")
        )
    if described["zero"]:
        labels.append(
            tag(
                "",
                f"zero was {described['zero']:.6g}",
                title="the position that is zero now: old → new",
            )
        )
    if described["fallback"]:
        word = described["name_class"]
        labels.append(
            tag(
                "fallback",
                f"'{word['word']}' says {word['axis']}",
                title="its name asks for another axis",
            )
        )
    if joint.mimic is not None:
        labels.append(tag("", "follows ", name(joint.mimic.joint)))
    yield range_row(
        number,
        joined(axis_badge(described), breakable(joint.name), *labels, between=" "),
        slider_range(joint),
        joint.type,
    )


def range_row(number: int, label: Markup, ends: Span, kind: str) -> Markup:
    """Return the slider of a joint; it starts at zero, or at the limit next to it where zero is out of reach."""
    low, high = ends
    return element(
        "li",
        element("label", label, for_=f"q{number}"),
        Markup(
            f'<input type="range" id="q{number}" min="{low!r}" max="{high!r}" step="any" '
            f'value="{min(max(0.0, low), high)!r}">'
        ),
        element("span", f"0 {'m' if kind == 'prismatic' else 'rad'}", class_="value"),
        data_joint=str(number),
    )


def missing_chip(store: MeshStore) -> Markup:
    """Return the number of meshes that are not shown, and the options that find them; "" if all are shown."""
    if not store.unreadable:
        return Markup("")
    count = count_of(len(store.unreadable), "mesh", "meshes")
    why = element("a", f"{count} not shown", href="#meshes")
    options = " ".join(f"--package {package}=FOLDER" for package in store.unknown_packages)
    way = joined(": ", element("code", options), " finds them") if options else ""
    return element("p", why, ", ellipsoids of inertia in their place", way, id="missing")


def axis_badge(described: Json) -> Markup:
    """Return the axis of a joint, in its color, and the angle between them."""
    old, new = described["axis_old"], described["axis_new"]
    axis, tilt = described["axis"], described["tilt"]
    if axis is None:  # the run did not look for one
        up = tuple(map(abs, new))
        tilt, axis = min(
            (angle_between(up, unit), letter) for unit, letter in zip(UNIT_AXES, "XYZ")
        )
    off = f" {math.degrees(tilt):.3g}°" if (tilt or 0.0) > LEAST_TILT else ""
    change = f"{vector_text(old)} → " if vector_text(old) != vector_text(new) else ""
    return element(
        "span",
        f"{axis}{off}",
        class_=f"axis {axis.lower()}",
        title=f"axis {change}{vector_text(new)}",
    )


def state_buttons(states: List[Json]) -> Markup:
    """Return a button for each state of the SRDF; "" without states."""
    buttons = [
        element(
            "button",
            name(state["name"]),
            type="button",
            data_state=str(number),
            title=f"group {state['group']}",
        )
        for number, state in enumerate(states)
    ]
    if not buttons:
        return Markup("")
    return element(
        "div",
        element("span", "States"),
        *buttons,
        id="states",
        role="group",
        aria_label="States of the SRDF",
    )
