"""The features that the package adds to a run: formats, meshes, collisions, pairs, the SRDF; each is loaded when
needed.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.type_aliases import Pairs
from ..base.garbage_collector import collector_at_rest
from ..base.diagnostics import DiagnosticKind
from ..base.file_reading import read_file
from ..collision.collision_settings import changes_collisions
from ..export.export_request import asks_for_meshes, ExportRequest, request_of, TARGETS
from ..run.run_records import (
    ExtensionRequest,
    CompanionFile,
    ExportedFiles,
    RunExtension,
    UrdfOfInput,
    InputMeshFolder,
    Progress,
    Result,
)
from .package_options import PACKAGE_ROWS, spelled, TABLE

if TYPE_CHECKING:
    from ..meshing.mesh_converter import MeshConverter, MeshMakingSettings
    from ..plan.mesh_tasks import FinishedFile
    from ..plan.run_options import MeshOptions

# Texts that begin or name a format other than URDF; an archive of USD contains the last text.
OTHER_FORMATS = (b"<mujoco", b"<sdf", b"#usda", b"PXR-USDC", b".usd")
# The functions that make the files of options, in the order in which they run.
EXPORTERS: Pairs = (
    ("meshes", "export.meshes.loading_problems:mesh_exports"),
    ("for", "export.meshes.loading_problems:said_of_reader"),
    *((target.name, target.exporter) for target in TARGETS if target.exporter),
    ("adapter", "export.adapter_writer:export_adapter"),
    ("page", "export.page.command_pages:write_run"),
)
# Fields of their results that are joined in order.
JOINED = ("files", "lines", "left", "decided", "but_for")
# Options that a report lists besides the fields of its `Options`.
RECORDED = (
    *(row for row in PACKAGE_ROWS if row.name != "jobs"),
    *(row for row in TABLE if row.name in ("mesh_format", "mesh_paths")),
)
FILES = (
    *(target.name for target in TARGETS if target.name != "output"),
    "adapter",
    "page",
    "pairs_report",
    "spheres",
)


def late(name: str) -> Callable[..., Any]:
    """Return a function of the package, given as `folder.module:function`; its module is loaded now."""
    module, function = name.split(":")
    return getattr(import_module(f"..{module}", __package__), function)  # type: ignore[no-any-return]


def run_exports(request: ExportRequest) -> ExportedFiles:
    """Return the requested exports, joined, in the order of EXPORTERS.

    Raises:
        UrdfError: an export is not possible.
    """
    asked = {"meshes": asks_for_meshes(request.choices), **request.choices}
    exports: List[ExportedFiles] = [request.result.exported]
    exports += [late(function)(request) for name, function in EXPORTERS if asked[name]]
    known = request.result.plan.warnings
    warnings = chain.from_iterable(export.warnings for export in exports)
    new = dict.fromkeys(warning for warning in warnings if warning not in known)
    # Two exporters may name the same program.
    refused_by = dict.fromkeys(chain.from_iterable(export.refused_by for export in exports))
    joined: Dict[str, Any] = {}
    for field in JOINED:
        joined[field] = tuple(chain.from_iterable(getattr(export, field) for export in exports))
    return request.result.exported._replace(
        warnings=tuple(new),
        choices=_recorded(request.choices),
        refused_by=tuple(refused_by),
        **joined,
    )


def _recorded(choices: Mapping[str, Any]) -> Tuple[Tuple[str, Any], ...]:
    """Return name and value of the further options in a report that differ from their defaults."""
    return tuple(
        (row.name, choices[row.name]) for row in RECORDED if choices[row.name] != row.default
    )


def _export(asked: ExtensionRequest, result: Result, progress: Progress) -> ExportedFiles:
    """Return the further files of a run; of a dry run, the page and the report only."""
    if not asked.exports:
        return result.exported._replace(choices=_recorded(asked.choices))
    with collector_at_rest():
        request = request_of(asked, result)
        made = run_exports(request._replace(progress=progress or request.progress))
    shows = asked.choices["page"], asked.choices["pairs_report"]
    if made.left:
        lay_out = late("export.user_task_lines:alike_lines")
        made = made._replace(left_lines=partial(lay_out, made.left))
    return made._replace(
        files=tuple(file for file in made.files if asked.writes or file[0] in shows),
        # Comparison and lint are a third of the modules of a run: they are loaded only to show findings.
        finding_lines=lambda style: late("lint.program_rules:finding_lines")(result, style),
    )


def _mesh_converter(asked: ExtensionRequest, meshes: MeshOptions) -> MeshConverter:
    """Return how the meshes of a run are made: in other formats and places if the options request it.

    Raises:
        UsageError: an option that cannot be used.
    """
    choices = asked.choices
    request = None
    if asks_for_meshes(choices):
        read_request = late("export.meshes.mesh_request:read_mesh_request")
        request = read_request(choices, meshes, asked.spelled, writes_urdf=bool(asked.output))
    if request is not None:
        made = late("export.meshes.format_converter:FormatConverter")(asked, meshes, request)
    elif meshes.wanted or meshes.mesh_dir:
        made = late("export.meshes.mesh_process_pool:PooledConverter")(meshes, jobs=choices["jobs"])
    else:
        made = late("meshing.mesh_converter:MeshConverter")(meshes)
    converter: MeshConverter = made
    acts = choices["acts"] or ()
    makes_meshes = any(_makes_meshes(name, value) for name, value in acts)
    converter.adds_files = changes_collisions(choices) or choices["one_mesh"] or makes_meshes
    return converter


def _makes_meshes(act: str, value: object) -> bool:
    """Return True for an act of `edit` that writes files of meshes."""
    return act == "bake_scale" or (act == "mirror" and "meshes=files" in str(value))


def as_urdf(source: bytes, path: str, mesh_place: Optional[InputMeshFolder] = None) -> UrdfOfInput:
    """Return MJCF, SDF or USD as URDF, anything else unchanged."""
    is_utf_16 = b"\0" in source[:4]
    if not any(word in source for word in OTHER_FORMATS) and not is_utf_16:
        return UrdfOfInput(source)
    made: UrdfOfInput = late("inputs.input_as_urdf:as_urdf")(source, path, mesh_place)
    return made


def all_kinds() -> Tuple[DiagnosticKind, ...]:
    """Return all kinds of diagnostics of the package."""
    from ..export.all_diagnostics import EXPORT_KINDS

    return EXPORT_KINDS


def _companions(asked: ExtensionRequest) -> Tuple[CompanionFile, ...]:
    """Return the documents that are updated with the URDF."""
    path = asked.choices["srdf"]
    named = asked.choices["srdf_output"] or ""
    if not path and not asked.choices["pairs"]:
        return ()
    output: str = named or late("srdf.verify_srdf:default_srdf_output")(asked.output)
    how = {"spelled": asked.spelled("srdf_output"), "is_named": bool(named)}
    if path:
        return (late("srdf.verify_srdf:srdf_companion")(read_file(path), path, output, **how),)
    return (late("export.pairs_of_run:new_srdf")(output, **how),)


def _shows(asked: ExtensionRequest, result: Result, color: str) -> Mapping[str, Callable[[], None]]:
    """Return functions that show the changed lines, and the page of a run."""
    return {
        "diff": lambda: late("app.unified_diff:say_difference")(asked, result, color),
        "page": lambda: late("app.view_command:show_run")(asked, result),
    }


def _with_meshes_of_input(result: Result, files: Sequence[FinishedFile]) -> Result:
    """Return a result with the meshes made from the input's format, except meshes that were converted again."""
    meshes = result.plan.meshes
    converted = {file.origin for file in meshes.files}
    kept = [file for file in files if file.source not in converted]
    meshes = meshes._replace(files=(*kept, *meshes.files))
    return result._replace(plan=result.plan._replace(meshes=meshes))


def _change(asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> Result:
    """Return the result of a run with the requested edits, collisions and pairs."""
    result = _with_meshes_of_input(result, making.converter.inside)
    if asked.choices["acts"]:
        result = late("edit.edit_sequence:with_edits")(asked, result, making)
    if asked.choices["one_mesh"]:
        result = late("export.meshes.join_visuals:with_one_mesh")(asked, result, making)
    if changes_collisions(asked.choices):
        result = late("export.collisions_of_run:with_collisions")(asked, result, making)
    if asked.choices["for"] and asked.output:
        result = late("export.plain_urdf:as_read_by")(asked.choices["for"], result)
    if asked.choices["pairs"]:
        result = late("export.pairs_of_run:with_pairs_found")(asked, result, making)
    return result


def write_all(files: Mapping[Optional[str], bytes]) -> None:
    """Write the requested files, which have a path: all or none."""
    asked = {path: data for path, data in files.items() if path}
    if asked:
        from ..base.transaction import Transaction

        with Transaction() as transaction:
            for path, data in asked.items():
                transaction.add(path, data)
            transaction.commit()


EXTENSION = RunExtension(
    table=TABLE,
    outputs=FILES,
    mesh_converter=_mesh_converter,
    export=_export,
    as_urdf=as_urdf,
    companions=_companions,
    shows=_shows,
    change=_change,
    spelled=spelled,
)
