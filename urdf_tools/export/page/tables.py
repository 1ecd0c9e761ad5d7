"""The tables below the view of a page: all decisions and findings of the run, as text to read, search and print."""

from __future__ import annotations

import math
import ntpath
from typing import Any, Dict, List, Sequence, Tuple

from ...base.types import Json, Pair
from ...base.number_text import count_of, grouped
from ...lint.program_rules import findings_of_result
from ...report.layout import mass_text
from ...run.records import Result
from .markup import bullets, element, joined, Markup, name, names, section, table
from .meshes import MeshStore, PageMeshes
from .panels import vector_text

LEAST_TILT = 1e-3  # [rad]
STATES = {
    "main": "main",
    "base": "base",
    "kept": "kept",
    "fixed": "merged",
    "copy": "merged (copy)",
    "sibling": "merged (same joint)",
}


def facts(
    result: Result,
    record: Json,
    store: MeshStore,
    meshes: PageMeshes,
    others: Sequence[Pair],
) -> Markup:
    """Return all sections below the view; those without content are left out.

    Args:
        result, record: the run, and the same as plain data.
        store, meshes: the meshes that are shown, and those that are not.
        others: option and name of each further file that is written in this run.
    """
    return joined(
        *filter(
            None,
            (
                _warnings(record),
                _findings(result),
                shown_meshes(store, meshes),
                *(_changes(result, record) if result.changed else [_joints_of_one(record)]),
                _others(others),
            ),
        ),
        between="\n",
    )


def _changes(result: Result, record: Json) -> List[Markup]:
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
    return f"{mimic['joint']} × {mimic['multiplier']:g} + {mimic['offset']:g}" if mimic else ""


def _warnings(record: Json) -> Markup:
    of_srdf = record["srdf"]["warnings"] if record["srdf"] else ()
    lines = [
        *(_notice(notice, "") for notice in record["warnings"]),
        *(_notice(notice, "SRDF ") for notice in of_srdf),
    ]
    return section("warnings", f"Warnings ({len(lines)})", bullets(lines))


def _notice(notice: Json, file: str) -> Markup:
    where = f"{file}line {notice['line']}" if notice["line"] else file.strip()
    return joined(*([element("b", where)] if where else []), notice["message"], between=" ")


def _findings(result: Result) -> Markup:
    lines = [
        _notice({"line": finding.line, "message": finding.text}, "")
        for finding in findings_of_result(result)
    ]
    return section("findings", f"Lint findings ({len(lines)})", bullets(lines))


def shown_meshes(store: MeshStore, meshes: PageMeshes) -> Markup:
    """Return what the page draws of the meshes, and which are not shown and why."""
    shown = []
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
    alike = grouped((reason, mesh) for mesh, reason in store.unreadable.items())
    missing = table(
        "Links without another shape show the ellipsoid of their inertia",
        ("reason", "meshes"),
        [
            (reason, joined(f"{len(paths)}: " if len(paths) > 1 else "", names(paths)))
            for reason, paths in alike.items()
        ],
    )
    title = f"Meshes not shown ({len(store.unreadable)})" if store.unreadable else "Meshes"
    return section("meshes", title, *(element("p", line) for line in shown), missing)


def _base(record: Json) -> Markup:
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
    rows = []
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
    return section(
        "joint-table",
        "Joints",
        table(
            "Axes are given in the new base frame with all joints at zero, limits in rad or m",
            (
                "joint",
                "type",
                "axis before",
                "axis after",
                "sign",
                "limits before",
                "limits after",
                "notes",
            ),
            rows,
        ),
    )


def _counted(joint: Json) -> str:
    """Return the sign of a joint against before, and its old zero."""
    sign = "− flipped" if joint["sign"] < 0 else "+"
    return f"{sign}, zero was {joint['zero']:.6g}" if joint["zero"] else sign


def _limits(limits: Dict[str, float]) -> str:
    range_text = " … ".join(f"{limits[side]:.5g}" for side in ("lower", "upper") if side in limits)
    more = [
        f"{side} {value:.5g}" for side, value in limits.items() if side not in ("lower", "upper")
    ]
    return ", ".join(filter(None, [range_text, *more]))


def _links(record: Json) -> Markup:
    rows = [
        (
            name(link["name"]),
            STATES[link["state"]],
            name(link["target"]) if link["target"] != link["name"] else "",
            link["reason"],
            str(link["line"]),
        )
        for link in record["links"]
    ]
    rows += [
        (name(link["link"]), "dropped", "", "as asked", str(link["line"]))
        for link in record["dropped"]
    ]
    return section(
        "link-table",
        "Links",
        table(
            "Every link of the input and where it went",
            ("link", "state", "into", "reason", "line"),
            rows,
        ),
    )


def _masses(record: Json) -> Markup:
    rows: List[Tuple[object, ...]] = []
    for link in record["links"]:
        parts = link.get("mass_from", ())
        if parts:
            terms = joined(
                *(
                    joined(
                        mass_text(part["mass"]),
                        *(
                            [element("small", name(part["link"]))]
                            if part["link"] != link["name"]
                            else []
                        ),
                        between=" ",
                    )
                    for part in parts
                ),
                between=" + ",
            )
            rows.append(
                (
                    name(link["name"]),
                    terms,
                    f"{mass_text(math.fsum(part['mass'] for part in parts))} kg",
                )
            )
    before, after = record["totals"]["mass"]
    if rows:
        rows.append(("all links", f"before {mass_text(before)} kg", f"{mass_text(after)} kg"))
    return section(
        "mass-table",
        "Mass",
        table("What each link weighs afterwards", ("link", "from", "sum"), rows),
    )


def _stripped(result: Result, record: Json) -> Markup:
    groups = grouped(
        ((ntpath.basename(strip["mesh"]), strip["reason"]), strip) for strip in record["stripped"]
    )
    rows = [
        (
            name(mesh),
            reason,
            *(
                str(sum(strip["kind"] == kind for strip in strips))
                for kind in ("visual", "collision")
            ),
            names(dict.fromkeys(strip["link"] for strip in strips)),
        )
        for (mesh, reason), strips in groups.items()
    ]
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
    return section(
        "stripped",
        "Stripped shapes",
        table(
            "Motor hardware that is removed from visual and collision; mass and inertia stay",
            ("mesh", "reason", "visuals", "collisions", "links"),
            rows,
        ),
        table("Duplicate shapes of merged links", ("link", "into", "kind", "mesh", "line"), copies),
        bullets([*stays, *bare]),
    )


def _followed(record: Json) -> Markup:
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
    before, after = (record["joint_order"][when]["declaration"] for when in ("before", "after"))
    rows = (
        [
            (
                str(number),
                *(name(names[number]) if number < len(names) else "" for names in (before, after)),
            )
            for number in range(max(len(before), len(after)))
        ]
        if before != after
        else []
    )
    return section(
        "order",
        "Order of the joints",
        table(
            "Joints with one coordinate as the file declares them: policies index by it",
            ("", "before", "after"),
            rows,
        ),
    )


def _others(others: Sequence[Pair]) -> Markup:
    return section(
        "files",
        "Written in the same run",
        bullets(
            joined(name(file), element("small", option), between=" ") for option, file in others
        ),
    )
