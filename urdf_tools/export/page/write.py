"""Puts the page together: template, style, script, data, and the policy that lets nothing else run."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...base.types import Json
from ...base.version import __version__
from ...meshes.rare_collada import RARE_COLLADA
from ...meshing.converter import mesh_folder
from ...report.run_json import record_of
from ...run.records import Exported
from ...urdf.package_resolver import Found, PACKAGE_PATHS, resolve, resolver_for
from ..request import ExportRequest, TARGETS
from .markup import escape, Markup
from .meshes import MAX_TRIANGLES, MeshStore, PageMeshes
from .panels import counts, frame_words, missing_chip, sliders, state_buttons, tree
from .robots import page_data
from .tables import facts

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT_PARTS = {
    "before_after": (
        "poses.js",
        "scene.js",
        "before_after.js",
        "draw.js",
        "pick.js",
        "panels.js",
    ),
    "comparison": ("poses.js", "scene.js", "comparison.js", "draw.js", "pick.js", "panels.js"),
}
# What holds strings of the robot's author, whichever program wrote them: nothing is loaded, and no text becomes code.
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'"
)


def write_page(request: ExportRequest) -> Exported:
    """Return the page that shows a run; see the option `--page`."""
    file = str(request.choices["page"])
    data, line = finished(file, *page_text(request))
    return Exported(files=((file, data),), lines=(line,))


def finished(file: str, text: str, shown: str) -> Tuple[bytes, str]:
    """Return a page as it is written, and the line that names it, its size, and its meshes."""
    data = text.encode("utf-8", "backslashreplace")
    size = f"{len(data) / 1e6:.1f} MB" if len(data) >= 1e6 else f"{len(data) / 1e3:.0f} KB"
    return data, f"Page: {file} ({size}{', holds ' + shown if shown else ''})"


def page_text(request: ExportRequest) -> Tuple[str, str]:
    """Return the HTML text, and what it shows of meshes in a phrase ("" for nothing)."""
    result = request.result
    options = result.plan.options.meshes
    folder = os.path.dirname(os.path.abspath(request.path))
    resolver = resolver_for(result.before.document.root, folder, options.package)

    def find(reference: str) -> Found:
        request.progress(os.path.basename(reference), 0)
        return resolve(reference, resolver)

    store = MeshStore(find, options.dae._replace(rare=RARE_COLLADA))
    data = page_data(result, store)
    meshes = packed_meshes(store, data, request.choices["page_triangles"])
    title = os.path.basename(request.path)
    record = without_folders(
        record_of(result, os.path.basename(request.output)), folders_of(request)
    )
    text = page_of(
        "before_after",
        data,
        meshes,
        {
            "name": escape(result.before.name or title),
            "file": escape(title),
            **frame_words(result),
            "counts": counts(result, record),
            "tree": tree(result),
            "sliders": sliders(result, record),
            "states": state_buttons(data["states"]),
            "missing": missing_chip(store),
            "facts": facts(result, record, store, meshes, other_files(request)),
        },
    )
    return text, phrase_of(meshes)


def packed_meshes(store: MeshStore, data: Json, most: Optional[int]) -> PageMeshes:
    """Return the meshes of a page with at most that many triangles (None: the default), and name them in its data."""
    meshes = store.pack(MAX_TRIANGLES if most is None else int(most))
    data["meshes"] = meshes.rows
    return meshes


def phrase_of(meshes: PageMeshes) -> str:
    """Return a phrase for the meshes of a page, "" without any."""
    shown = f"the shapes of the robot: {meshes.drawn:,} triangles" if meshes.drawn else ""
    return f"{shown} of {meshes.triangles:,}" if meshes.cell else shown


def page_of(kind: str, data: Json, meshes: PageMeshes, values: Dict[str, Markup]) -> str:
    """Return a page: the template and the script of its kind, filled with data, meshes, and the markup by name."""
    script, style = script_text(kind), part_text("page.css")
    return filled(
        part_text(f"{kind}.html"),
        {
            **values,
            "policy": escape(POLICY.format(script=digest(script), style=digest(style))),
            "version": escape(__version__),
            "style": Markup(style),
            "script": Markup(script),
            "shaders": Markup(part_text("shaders.glsl")),
            "data": Markup(json_text(data)),
            "meshes": Markup(meshes.data),
        },
    )


def watched(page: bytes, mark: str) -> bytes:
    """Return a page that asks its own address for the mark of the page there, and loads another one."""
    script = part_text("watch.js")
    allowed = escape(f"connect-src 'self'; script-src '{digest(script)}' ").encode()
    body, _, end = page.replace(b"script-src ", allowed, 1).rpartition(b"</body>")
    return body + f'<script data-mark="{mark}">{script}</script>\n</body>'.encode() + end


def script_text(kind: str) -> str:
    """Return the script of the pages of a kind, the same for all robots."""
    return "".join(map(part_text, SCRIPT_PARTS[kind]))


def part_text(name: str) -> str:
    """Return one of the files that the page is made of, with the line ends of which its digest is computed."""
    with open(os.path.join(HERE, name), encoding="utf-8", newline=None) as stream:
        return stream.read()


def digest(text: str) -> str:
    """Return the hash of a script or style for a Content-Security-Policy (https://www.w3.org/TR/CSP3/, hash-source)."""
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def json_text(data: Any) -> str:
    """Return data for a `<script type="application/json">`: ASCII, and no `<` that could end it."""
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )


def filled(template: str, values: Dict[str, Markup]) -> str:
    """Return a template with every `{{name}}` replaced, in one pass: names in the values stay as they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match.group(1)], template)


def other_files(request: ExportRequest) -> List[Tuple[str, str]]:
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


def folders_of(request: ExportRequest) -> List[Tuple[str, str]]:
    """Return folders of this machine that messages of a run may name, and what is shown instead of each."""
    options = request.result.plan.options
    made = os.path.abspath(mesh_folder(request.path, options, request.output))
    return folders_near([request.path], [*options.meshes.package, (os.path.basename(made), made)])


def folders_near(
    paths: Sequence[str], packages: Sequence[Tuple[str, str]]
) -> List[Tuple[str, str]]:
    """Return folders of this machine, as of files and packages, longest first, and what is shown for each."""
    shown_by_folder = {os.getcwd(): "", os.path.expanduser("~"): "~"}
    for path in paths:
        here = os.path.dirname(os.path.abspath(path))
        shown_by_folder.update({here: "", os.path.realpath(here): ""})
    for name, folder in packages:
        shown_by_folder[os.path.abspath(folder)] = name
    for variable in PACKAGE_PATHS:
        for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            shown_by_folder[os.path.abspath(folder)] = os.path.basename(os.path.abspath(folder))
    return sorted(
        ((folder, shown) for folder, shown in shown_by_folder.items() if folder.strip(os.sep)),
        key=lambda row: (-len(row[0]), row[0]),
    )


def without_folders(value: Any, folders: List[Tuple[str, str]]) -> Any:
    """Return plain data in which no text names a folder of this machine: a page is sent to others."""
    if isinstance(value, str):
        for folder, shown in folders:
            value = value.replace(folder + os.sep, f"{shown}/" if shown else "")
        return value
    if isinstance(value, dict):
        return {key: without_folders(inside, folders) for key, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_folders(inside, folders) for inside in value]
    return value
