"""The tables below the view of a page: all decisions and findings of the run, as text to read, search and print."""

from __future__ import annotations

import math
import ntpath
from collections import Counter
from itertools import zip_longest
from typing import Any, Dict, List, Sequence, Tuple

from ...base.type_aliases import Json, Pair
from ...base.number_text import count_of, grouped
from ...lint.program_rules import findings_of_result
from ...report.line_layout import mass_text
from ...run.run_records import Result
from .html_markup import bullets, element, joined, Markup, name, names, section, table
from .page_panels import vector_text

LEAST_TILT = 1e-3  # [rad]
STATES = {
    "main": "main",
    "base": "base",
    "kept": "kept",
    "fixed": "merged",
    "copy": "merged (copy)",
    "sibling": "merged (same joint)",
}


def first_facts(result: Result, record: Json) -> List[Markup]:
    """Return the sections on warnings and findings of a run; sections without content are ""."""
    return [_warnings(record), _findings(result)]


def more_facts(result: Result, record: Json, others: Sequence[Pair]) -> List[Markup]:
    """Return the sections on the changes of a run; sections without content are "".

    Args:
        result, record: the run, and the same as plain data.
        others: option and name of each further file that is written in this run.
    """
    changes = _changes(result, record) if result.changed else [_joints_of_one(record)]
    return [*changes, _others(others)]


def _changes(result: Result, record: Json) -> List[Markup]:
    """Return the sections of a run that changes the robot."""
    return [
        _base(record),
        _joints(record),
        _links(record),
        _masses(record),
        _stripped(result, record),
        _followed(record),
        _order(record),
    ]


def _joints_of_one(record: Json) -> Markup:
    """Return the table of joints of an unchanged robot."""
    rows = [
        (
            name(joint["name"]),
            joint["type"],
            joined(name(joint["parent"]), " → ", name(joint["child"])),
            vector_text(joint["axis_new"]),
            _limits(joint["limits_new"]),
            _follows(joint["mimic_new"]),
        )
        for joint in record["joints"]
    ]
    caption = "Axes are given in the frame of the base with all joints at zero, limits in rad or m"
    head = ("joint", "type", "links", "axis", "limits", "follows")
    return section("joint-table", "Joints", table(caption, head, rows))


def _follows(mimic: Any) -> str:
    """Return the rule of a follower, "" for a joint without one."""
    return f"{mimic['joint']} × {mimic['multiplier']:g} + {mimic['offset']:g}" if mimic else ""


def _warnings(record: Json) -> Markup:
    """Return the warnings of the run."""
    of_srdf = record["srdf"]["warnings"] if record["srdf"] else ()
    lines = [
        *(_notice(notice, "") for notice in record["warnings"]),
        *(_notice(notice, "SRDF ") for notice in of_srdf),
    ]
    return section("warnings", f"Warnings ({len(lines)})", bullets(lines))


def _notice(notice: Json, file: str) -> Markup:
    """Return a warning after its file and line, if it has them."""
    where = f"{file}line {notice['line']}" if notice["line"] else file.strip()
    if not where:
        return joined(notice["message"], between=" ")
    return joined(element("b", where), notice["message"], between=" ")


def _findings(result: Result) -> Markup:
    """Return the lint findings of the result."""
    lines = [
        _notice({"line": finding.line, "message": finding.text}, "")
        for finding in findings_of_result(result)
    ]
    return section("findings", f"Lint findings ({len(lines)})", bullets(lines))


def _base(record: Json) -> Markup:
    """Return the turn of the base frame, and the reason."""
    base = record["base"]
    if not record["options"]["reorient"]:
        return section("base", "Base frame", element("p", "All frames are left as they are."))
    return section(
        "base",
        "Base frame",
        element("p", f"{base['input_axes']} → X forward, Y left, Z up"),
        element("p", base["reason"]),
    )


def _joints(record: Json) -> Markup:
    """Return the table of joints before and after."""
    rows: List[Tuple[object, ...]] = []
    for joint in record["joints"]:
        notes = [f"was {joint['old_name']}"] if joint["old_name"] != joint["name"] else []
        if joint["fallback"] and joint["name_class"]:
            notes.append(f"'{joint['name_class']['word']}' says {joint['name_class']['axis']}")
        if (joint["tilt"] or 0.0) > LEAST_TILT:
            notes.append(f"{math.degrees(joint['tilt']):.3g}° off {joint['axis']}")
        if joint["mimic_new"]:
            notes.append(f"follows {_follows(joint['mimic_new'])}")
        rows.append(
            (
                name(joint["name"]),
                joint["type"],
                vector_text(joint["axis_old"]),
                vector_text(joint["axis_new"]),
                _counted(joint),
                _limits(joint["limits_old"]),
                _limits(joint["limits_new"]),
                "; ".join(notes),
            )
        )
    head = (
        "joint",
        "type",
        "axis before",
        "axis after",
        "sign",
        "limits before",
        "limits after",
        "notes",
    )
    caption = "Axes are given in the new base frame with all joints at zero, limits in rad or m"
    return section("joint-table", "Joints", table(caption, head, rows))


def _counted(joint: Json) -> str:
    """Return the sign of a joint relative to the input, and its old zero."""
    sign = "− flipped" if joint["sign"] < 0 else "+"
    return f"{sign}, zero was {joint['zero']:.6g}" if joint["zero"] else sign


def _limits(limits: Dict[str, float]) -> str:
    """Return the range of a joint, and its other limits."""
    range_text = " … ".join(f"{limits[side]:.5g}" for side in ("lower", "upper") if side in limits)
    more = [
        f"{side} {value:.5g}" for side, value in limits.items() if side not in ("lower", "upper")
    ]
    return ", ".join(filter(None, [range_text, *more]))


def _links(record: Json) -> Markup:
    """Return the table of all links of the input."""
    rows: List[Tuple[object, ...]] = []
    for link in record["links"]:
        target = name(link["target"]) if link["target"] != link["name"] else ""
        state = STATES[link["state"]]
        rows.append((name(link["name"]), state, target, link["reason"], str(link["line"])))
    for link in record["dropped"]:
        rows.append((name(link["link"]), "dropped", "", "as asked", str(link["line"])))
    head = ("link", "state", "into", "reason", "line")
    caption = "Every link of the input and where it went"
    return section("link-table", "Links", table(caption, head, rows))


def _masses(record: Json) -> Markup:
    """Return the table of masses: each as the sum of the masses merged into its link."""
    rows: List[Tuple[object, ...]] = []
    for link in record["links"]:
        parts = link.get("mass_from", ())
        if not parts:
            continue
        terms: List[Markup] = []
        for part in parts:
            term = [mass_text(part["mass"])]
            if part["link"] != link["name"]:
                term.append(element("small", name(part["link"])))
            terms.append(joined(*term, between=" "))
        total = math.fsum(part["mass"] for part in parts)
        rows.append((name(link["name"]), joined(*terms, between=" + "), f"{mass_text(total)} kg"))
    before, after = record["totals"]["mass"]
    if rows:
        rows.append(("all links", f"before {mass_text(before)} kg", f"{mass_text(after)} kg"))
    return section(
        "mass-table",
        "Mass",
        table("What each link weighs afterwards", ("link", "from", "sum"), rows),
    )


def _stripped(result: Result, record: Json) -> Markup:
    """Return the tables of removed shapes, and of shapes that were nearly removed."""
    groups = grouped(
        ((ntpath.basename(strip["mesh"]), strip["reason"]), strip) for strip in record["stripped"]
    )
    rows: List[Tuple[object, ...]] = []
    for (mesh, reason), strips in groups.items():
        kinds = Counter(strip["kind"] for strip in strips)
        links = names(dict.fromkeys(strip["link"] for strip in strips))
        rows.append((name(mesh), reason, str(kinds["visual"]), str(kinds["collision"]), links))
    copies = [
        (
            name(copy["link"]),
            name(copy["target"]),
            copy["kind"],
            name(ntpath.basename(copy["mesh"])),
            str(copy["line"]),
        )
        for copy in record["copies_dropped"]
    ]
    stays = [
        f"kept: {miss.stem} ({count_of(miss.times, 'time')}): {miss.reason}"
        for miss in result.plan.near_misses
    ]
    bare = [joined(name(link), "has no shape left", between=" ") for link in result.plan.bare]
    caption = "Motor hardware that is removed from visual and collision; mass and inertia stay"
    return section(
        "stripped",
        "Stripped shapes",
        table(caption, ("mesh", "reason", "visuals", "collisions", "links"), rows),
        table("Duplicate shapes of merged links", ("link", "into", "kind", "mesh", "line"), copies),
        bullets([*stays, *bare]),
    )


def _followed(record: Json) -> Markup:
    """Return the table of references that followed the changes."""
    rows: List[Tuple[str, str, str]] = [
        (f"line {note['line']}", note["what"], note["how"]) for note in record["followed"]
    ]
    if record["srdf"]:
        rows += [
            (f"SRDF line {note['line']}", note["what"], note["how"])
            for note in record["srdf"]["followed"]
        ]
    return section(
        "followed",
        "What followed",
        table(
            "What names a link, a joint, a frame or a sign elsewhere",
            ("where", "what", "how"),
            rows,
        ),
    )


def _order(record: Json) -> Markup:
    """Return the table of the orders of joints before and after, empty if they are equal."""
    before = record["joint_order"]["before"]["declaration"]
    after = record["joint_order"]["after"]["declaration"]
    rows: List[Tuple[object, ...]] = []
    if before != after:
        for number, (old, new) in enumerate(zip_longest(before, after)):
            old_name = name(old) if old is not None else ""
            new_name = name(new) if new is not None else ""
            rows.append((str(number), old_name, new_name))
    caption = "Joints with one coordinate as the file declares them: policies index by it"
    return section("order", "Order of the joints", table(caption, ("", "before", "after"), rows))


def _others(others: Sequence[Pair]) -> Markup:
    """Return the further files of the run."""
    return section(
        "files",
        "Written in the same run",
        bullets(
            joined(name(file), element("small", option), between=" ") for option, file in others
        ),
    )
