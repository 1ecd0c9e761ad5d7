"""The parts of a page: the verdict, counts, rows, sliders of joints, buttons, and the meshes that are not shown."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ...base.type_aliases import Json, Span
from ...base.number_text import count_of, grouped
from ...compare.convention_differences import rule_text
from ...compare.robot_map import RobotMap
from .html_markup import breakable, element, escape, joined, Markup, name, names, section, table
from .packed_meshes import MeshStore, PageMeshes
from .page_content import Page, PageCount, PageRow, PageVerdict
from .page_robots import slider_range

CHECK = Markup(
    '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.2 3.2L13 4.5"/></svg>'
)
DEEPEST = 12  # levels of the tree that are indented further


def vector_text(values: Any) -> str:
    """Return a vector as text for a person."""
    return (
        "[" + " ".join(f"{round(value, 4) + 0.0:g}" for value in values) + "]"
        if values is not None
        else "–"
    )


def tag(kind: str, *inside: object, title: str = "") -> Markup:
    """Return a small label."""
    return element("span", *inside, class_=f"tag {kind}", title=title or None)


def verdict_box(verdict: Optional[PageVerdict]) -> Markup:
    """Return the proven statement: a sentence, and lines with its numbers; "" without a verdict."""
    if verdict is None:
        return Markup("")
    claim = element("strong", verdict.claim)
    spans = [element("span", line) for line in verdict.lines]
    return element("div", CHECK, claim, *spans, id="verdict", class_=verdict.kind)


def frame(page: Page) -> Dict[str, Markup]:
    """Return the words around the view by their names in the template."""
    views = Markup("")
    changes = Markup("")
    if page.views:
        buttons = [
            element("button", word, type="button", data_view=word.lower()) for word in page.views
        ]
        views = element("div", *buttons, role="group", aria_label="Robot")
        changes = element("button", page.colored, type="button", data_show="changes")
    return {
        "title": escape(page.title),
        "drawn": escape(page.drawn),
        "heading": escape(page.heading),
        "views": views,
        "changes": changes,
    }


def count_list(counts: Iterable[PageCount]) -> Markup:
    """Return counts, each with its title and its reasons."""
    return joined(
        *(
            element(
                "div",
                element("dt", count.title),
                element("dd", count.value),
                element("dd", count.why, class_="why"),
            )
            for count in counts
        )
    )


def row_list(rows: Sequence[PageRow]) -> Tuple[Markup, List[Json]]:
    """Return rows as a list, "" without any, and the bodies each is about, by the numbers of their buttons."""
    about: List[Json] = []

    def item(row: PageRow) -> Markup:
        """Return a row; its number precedes the numbers of its inner rows."""
        number = len(about)
        about.append(row.about)
        words = element("span", row.words)
        parts = [element("button", words, row.aside, type="button", data_row=str(number))]
        if row.below:
            parts.append(element("p", row.below))
        if row.inner:
            summary = element("summary", f"each of {len(row.inner)}")
            inner = element("ul", *map(item, row.inner))
            parts.append(element("details", summary, inner))
        if row.level is None:
            return element("li", *parts)
        indent = f"d{min(row.level, DEEPEST)}"
        return element("li", *parts, class_=indent, aria_level=str(row.level + 1))

    items = [*map(item, rows)]
    if not items:
        return Markup(""), about
    style = "rows" if rows[0].level is None else None
    return element("ul", *items, class_=style), about


def sliders(robots: RobotMap, a: str, b: str) -> Markup:
    """Return a slider for each joint of A with one coordinate, and a line for the others; `a`, `b`: words for the robots."""
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
    # Joints of B alone get no slider: the sliders move A, and B follows by the map.
    for number in robots.only_b:
        shown = breakable(robots.b.joints[number].raw.name)
        label = joined(shown, tag("structure", f"only {b}"), between=" ")
        rows.append(_line(label, "stays as it is drawn"))
    return element("ol", *rows) if rows else element("p", "No joint moves.")


def _line(label: Markup, text: str) -> Markup:
    """Return the line of a joint without a slider."""
    return element("li", element("div", label), element("p", text))


def range_row(number: int, label: Markup, ends: Span, kind: str) -> Markup:
    """Return the slider of a joint; it starts at zero, or at the nearest limit if zero is out of reach."""
    low, high = ends
    start = min(max(0.0, low), high)
    unit = "m" if kind == "prismatic" else "rad"
    return element(
        "li",
        element("label", label, for_=f"q{number}"),
        Markup(
            f'<input type="range" id="q{number}" min="{low!r}" max="{high!r}" step="any" '
            f'value="{start!r}">'
        ),
        element("span", f"0 {unit}", class_="value"),
        data_joint=str(number),
    )


def missing_chip(store: MeshStore) -> Markup:
    """Return the number of meshes that are not shown, and the options that find them; "" if all are shown."""
    if not store.unreadable:
        return Markup("")
    count = count_of(len(store.unreadable), "mesh", "meshes")
    why = element("a", f"{count} not shown", href="#meshes")
    options = " ".join(f"--package {package}=DIR" for package in store.unknown_packages)
    way = ""
    if options:
        way = joined(": ", element("code", options), " finds them")
    return element("p", why, ", ellipsoids of inertia in their place", way, id="missing")


def shown_meshes(store: MeshStore, meshes: PageMeshes) -> Markup:
    """Return the number of triangles in the page, and the meshes that are not shown, each with the reason."""
    shown: List[str] = []
    if meshes.triangles:
        shown.append(f"Drawn here: {meshes.drawn:,} of {meshes.triangles:,} triangles.")
    if meshes.cell:
        shown.append(
            f"Points within cells of {meshes.cell * 1000:.2g} mm were joined, so that the page stays small "
            "(view --triangles 0 keeps all). The robot's meshes are not changed by this."
        )
    if store.images:
        shown.append(
            f"{count_of(len(store.images), 'mesh', 'meshes')} with images: drawn in plain color here."
        )
    by_reason = grouped((reason, mesh) for mesh, reason in store.unreadable.items())
    rows: List[Tuple[object, ...]] = []
    for reason, paths in by_reason.items():
        count = f"{len(paths)}: " if len(paths) > 1 else ""
        rows.append((reason, joined(count, names(paths))))
    caption = "Links without another shape show the ellipsoid of their inertia"
    missing = table(caption, ("reason", "meshes"), rows)
    title = f"Meshes not shown ({len(store.unreadable)})" if store.unreadable else "Meshes"
    return section("meshes", title, *(element("p", line) for line in shown), missing)


def state_buttons(states: Sequence[Json]) -> Markup:
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
