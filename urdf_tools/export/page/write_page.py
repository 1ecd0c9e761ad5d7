"""Write a page: its data are proven, then the template is filled with the data, the style, the script, and a policy
that lets nothing else run.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ...base.type_aliases import Pair
from ...base.run_diagnostics import page_in
from ...base.version import __version__
from ...urdf.package_resolver import PACKAGE_PATHS
from .html_markup import element, escape, joined, Markup
from .packed_meshes import MAX_TRIANGLES
from .page_panels import (
    count_list,
    frame,
    missing_chip,
    row_list,
    shown_meshes,
    sliders,
    state_buttons,
    verdict_box,
)
from .page_content import Page
from .page_robots import page_data
from .verify_page import verify_page

SCRIPT_PARTS = ("poses.js", "scene.js", "robots.js", "draw.js", "pick.js", "panels.js")
# A page contains strings of the robot's author, who may not be trusted: so it loads nothing, and no text becomes code.
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'"
)


def page_file(page: Page, file: str, most: Optional[int]) -> Tuple[bytes, str]:
    """Return a page as it is written, and the line that names it, its size, and its meshes.

    Args:
        page: its content.
        file: where it will be written.
        most: the largest number of triangles, None: the default.

    Raises:
        ProofFailed: the data of the page differ from its robots.
    """
    text, shown = html_text(page, most)
    data = text.encode("utf-8", "backslashreplace")
    size = f"{len(data) / 1e6:.1f} MB" if len(data) >= 1e6 else f"{len(data) / 1e3:.0f} KB"
    if shown:
        size += f", holds {shown}"
    return data, f"Page: {file} ({size})"


def html_text(page: Page, most: Optional[int] = None) -> Pair:
    """Return the HTML of a page with at most `most` triangles, and a phrase for its meshes, "" without meshes.

    The HTML is the template, filled with style, script, data, meshes, and the markup by name.

    Raises:
        ProofFailed: the data of the page differ from its robots.
    """
    store = page.store
    data = page_data(page.robots, page.bound, store, page.fates, alone=page.is_alone)
    verify_page(data, page.robots)
    rows, about = row_list(page.rows)
    data["rows"] = about
    data["states"] = list(page.states)
    data["sides"] = {"old": page.b.capitalize(), "new": page.a.capitalize()}
    most = MAX_TRIANGLES if most is None else int(most)
    meshes = store.pack(most)
    data["meshes"] = meshes.rows
    facts = [*page.facts, shown_meshes(store, meshes), *page.more_facts]
    script = script_text()
    style = part_text("page.css")
    seen = {
        "robot": page.names,
        "verdict": verdict_box(page.verdict),
        "counts": count_list(page.counts),
        "rows": rows or element("p", page.without_rows),
        "missing": joined(page.warning, missing_chip(store)),
        "states": state_buttons(page.states),
        "sliders": sliders(page.robots, page.a, page.b),
        "facts": joined(*filter(None, facts), between="\n"),
    }
    unseen = {
        "policy": escape(POLICY.format(script=digest(script), style=digest(style))),
        "version": escape(__version__),
        "style": Markup(style),
        "script": Markup(script),
        "shaders": Markup(part_text("shaders.glsl")),
        "data": Markup(json_text(data)),
        "meshes": Markup(meshes.data),
    }
    text = filled(part_text("page.html"), {**frame(page), **seen, **unseen})
    shown = f"the shapes of the robot: {meshes.drawn:,} triangles" if meshes.drawn else ""
    if meshes.cell:
        shown += f" of {meshes.triangles:,}"
    return text, shown


def watched(page: bytes, mark: str) -> bytes:
    """Return a page that polls its own address for the mark of the page there, and reloads if the mark differs."""
    script = part_text("watch.js")
    allowed = escape(f"connect-src 'self'; script-src '{digest(script)}' ").encode()
    body, _, end = page.replace(b"script-src ", allowed, 1).rpartition(b"</body>")
    return body + f'<script data-mark="{mark}">{script}</script>\n</body>'.encode() + end


def script_text() -> str:
    """Return the script of all pages."""
    return "".join(map(part_text, SCRIPT_PARTS))


def part_text(name: str) -> str:
    """Return a file that is part of the page, with the line ends for which its digest is computed."""
    return page_in(__name__.rpartition(".")[0], name).replace("\r\n", "\n")


def digest(text: str) -> str:
    """Return the hash of a script or style for a Content-Security-Policy (https://www.w3.org/TR/CSP3/, hash-source)."""
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def json_text(data: Any) -> str:
    """Return data for a `<script type="application/json">`: ASCII, and no `<` that could end it."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def filled(template: str, values: Mapping[str, Markup]) -> str:
    """Return a template with every `{{name}}` replaced, in one pass: names in the values are not replaced."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match.group(1)], template)


def folders_near(paths: Sequence[str], packages: Sequence[Pair]) -> List[Pair]:
    """Return folders of this machine that texts may name, longest first, each with the text that is shown for it."""
    shown_by_folder = {os.getcwd(): "", os.path.expanduser("~"): "~"}
    for path in paths:
        here = os.path.dirname(os.path.abspath(path))
        shown_by_folder.update({here: "", os.path.realpath(here): ""})
    for name, folder in packages:
        shown_by_folder[os.path.abspath(folder)] = name
    for variable in PACKAGE_PATHS:
        for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            shown_by_folder[os.path.abspath(folder)] = os.path.basename(os.path.abspath(folder))
    # The root of all folders is in every path.
    rows = [(folder, shown) for folder, shown in shown_by_folder.items() if folder.strip(os.sep)]
    return sorted(rows, key=lambda row: (-len(row[0]), row[0]))


def without_folders(value: Any, folders: List[Pair]) -> Any:
    """Return plain data in which no text names a folder of this machine: a page is sent to others."""
    if isinstance(value, str):
        for folder, shown in folders:
            prefix = f"{shown}/" if shown else ""
            value = value.replace(folder + os.sep, prefix)
        return value
    if isinstance(value, dict):
        return {key: without_folders(inside, folders) for key, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_folders(inside, folders) for inside in value]
    return value
