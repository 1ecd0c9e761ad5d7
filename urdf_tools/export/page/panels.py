"""The parts around the view that all pages have: the verdict, counts, sliders of joints, and buttons."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Sequence, Tuple

from ...base.types import Json, Span
from ...base.number_text import count_of
from ...compare.report import rule_text
from ...compare.robot_map import RobotMap
from .markup import breakable, element, escape, joined, Markup, name
from .meshes import MeshStore
from .robots import slider_range

CHECK = Markup(
    '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.2 3.2L13 4.5"/></svg>'
)
Count = Tuple[str, object, str]  # title, number, and what makes it


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


def verdict_box(verdict: str, claim: object, lines: Iterable[object]) -> Markup:
    """Return what was proven: a sentence, and lines with its numbers."""
    spans = [element("span", line) for line in lines]
    return element("div", CHECK, element("strong", claim), *spans, id="verdict", class_=verdict)


def frame(
    title: str, drawn: str, heading: str, views: Sequence[str], changes: str
) -> Dict[str, Markup]:
    """Return the words of a page by their names in the template.

    Args:
        title, drawn, heading: of the page, of its picture, and of its rows.
        views: the ways to see two robots, the first as the page begins; () for one robot.
        changes: the word for what is marked with colors.
    """
    buttons = [element("button", word, type="button", data_view=word.lower()) for word in views]
    marks = element("button", changes, type="button", data_show="changes")
    return {
        "title": escape(title),
        "drawn": escape(drawn),
        "heading": escape(heading),
        "views": element("div", *buttons, role="group", aria_label="Robot")
        if views
        else Markup(""),
        "changes": marks if views else Markup(""),
    }


def count_list(rows: Iterable[Count]) -> Markup:
    """Return counts, each with its title and what makes it."""
    return joined(
        *(
            element(
                "div", element("dt", title), element("dd", value), element("dd", why, class_="why")
            )
            for title, value, why in rows
        )
    )


def sliders(robots: RobotMap, a: str, b: str) -> Markup:
    """Return a slider for each joint of A with one coordinate, and a line for the others; `a`, `b`: what both are called."""
    partner = {pair.choice.a: pair for pair in robots.pairs}
    rows: List[Markup] = []
    for number, joint in enumerate(robots.a.joints):
        pair = partner.get(number)
        labels = []
        if pair is None:
            labels.append(tag("structure", f"only {a}"))
        else:
            other = pair.b.raw.name
            rule = rule_text(pair).replace("-", "−")
            if other != joint.raw.name:
                labels.append(tag("", f"{b}: ", breakable(other)))
            if rule != "q":
                told = f"{b}: {rule}"
                labels.append(tag("flipped", told, title=f"the position {b} for a position q {a}"))
        if number in robots.a.leader:
            leader = robots.a.joints[robots.a.leader[number]].raw.name
            labels.append(tag("", "follows ", name(leader)))
        label = joined(breakable(joint.raw.name), *labels, between=" ")
        if joint.raw.moves:
            rows.append(range_row(number, label, slider_range(joint.raw), joint.raw.type))
        else:
            rows.append(_line(label, f"{joint.raw.type}: stays as it is drawn"))
    # No slider: the sliders move A, and B follows by the map.
    for number in robots.only_b:
        label = joined(
            breakable(robots.b.joints[number].raw.name), tag("structure", f"only {b}"), between=" "
        )
        rows.append(_line(label, "stays as it is drawn"))
    return element("ol", *rows) if rows else element("p", "No joint moves.")


def _line(label: Markup, text: str) -> Markup:
    return element("li", element("div", label), element("p", text))


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
