"""The package's ways in, and all that it adds to them: the command line and `simplify`, both with its extension.

The functions that begin with an import load a module only when it is asked for: a run without exports loads none.
"""
import argparse
import gc
import os
import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING, Union

from ..base.diagnostics import Diagnostic, Kind
from ..base.errors import UsageError
from ..base.files import read_file
from ..base.option_table import given_values
from ..cli.command import WRITTEN
from ..cli.command_line import run_command_line
from ..cli.streams import say
from ..collada.records import COLLADA_ENDINGS, RareCollada
from ..collision.settings import asks_for_collisions
from ..meshing.converter import MeshConverter
from ..plan.options import MeshOptions
from ..report.layout import Style
from ..report.plan_text import plan_text
from ..report.summary import change_line
from ..run.companions import Companion
from ..run.pipeline import (Asked, Exported, Extension, MadeUrdf, MeshMaking, MeshPlace, Result,
                            simplify as simplify_with)
from .library import of_call
from .options import asks_for_meshes, EXPORT_OPTIONS, ExportRequest, PACKAGE_OPTIONS, Shared

if TYPE_CHECKING:
    from ..compare.comparison import Comparison


def _mesh_exports(request: ExportRequest) -> Exported:
    from .meshes.remaining import mesh_exports

    return mesh_exports(request)


def _export_mjcf(request: ExportRequest) -> Exported:
    from .mjcf.exporter import export_mjcf

    return export_mjcf(request)


def _export_sdf(request: ExportRequest) -> Exported:
    from .sdf.exporter import export_sdf

    return export_sdf(request)


def _export_usd(request: ExportRequest) -> Exported:
    from .usd.exporter import export_usd

    return export_usd(request)


def _export_model(request: ExportRequest) -> Exported:
    from .json_exporter import export_model

    return export_model(request)


def _export_adapter(request: ExportRequest) -> Exported:
    from .adapter.exporter import export_adapter

    return export_adapter(request)


def _write_page(request: ExportRequest) -> Exported:
    from .page.write import write_page

    return write_page(request)


def _export_armature(request: ExportRequest) -> Exported:
    from .armature.exporter import export_armature

    return export_armature(request)


def _export_script(request: ExportRequest) -> Exported:
    from .armature.exporter import export_script

    return export_script(request)


def _schema() -> str:
    from ..model.json_form import schema_text

    return schema_text()


EXPORTERS: Tuple[Tuple[str, Callable[[ExportRequest], Exported]], ...] = (
    *((name, _mesh_exports) for name in ("mesh_format", "convert_meshes", "separate_meshes", "combine_meshes", "for")),
    ("mjcf", _export_mjcf), ("sdf", _export_sdf), ("usd", _export_usd), ("model", _export_model),
    ("adapter", _export_adapter), ("page", _write_page), ("armature", _export_armature),
    ("blender_script", _export_script))
TEXTS: Mapping[str, Callable[[], str]] = {"model_schema": _schema}  # what the options print that need no robot


HELP = frozenset(("-h", "--help"))


def run_exports(request: ExportRequest) -> Exported:
    """Return the exports that are asked for, joined, in the order of EXPORTERS.

    Raises:
        UrdfError: one of them is not possible.
    """
    exports = [request.result.exported,
            *(run(request) for run in dict.fromkeys(run for name, run in EXPORTERS if request.choices[name]))]
    known, warnings = request.result.plan.warnings, [warning for export in exports for warning in export.warnings]
    return request.result.exported._replace(
        files=tuple(file for export in exports for file in export.files),
        lines=tuple(line for export in exports for line in export.lines),
        warnings=tuple(dict.fromkeys(warning for warning in warnings if warning not in known)),
        choices=given_values(EXPORT_OPTIONS, request.choices),
        left=tuple(warning for export in exports for warning in export.left),
        decided=tuple(text for export in exports for text in export.decided))


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause cyclic garbage collection: exports make next to no cycles, and it would walk all that they read."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _export(asked: Asked, result: Result) -> Exported:
    """Return the further files of a run; of a dry run, those that are written nevertheless."""
    choices, path, output, writes, spelled, exports = asked
    if not exports:
        return result.exported._replace(choices=given_values(EXPORT_OPTIONS, choices))
    with _collector_at_rest():
        made = run_exports(ExportRequest(result, choices, path, output, Shared(), writes, spelled))._replace(
            findings=_findings(result))
    shown = [choices[row.name] for row in EXPORT_OPTIONS if row.with_dry_run]
    return made._replace(files=tuple(file for file in made.files if writes or file[0] in shown))


def _mesh_converter(asked: Asked, meshes: MeshOptions) -> MeshConverter:
    """Return how the meshes of a run are made: in other formats and places where the options ask for it.

    Raises:
        UsageError: an option that cannot be used.
    """
    if asked.choices["json"]:
        raise UsageError(f"{asked.spelled('json')} is for a model without a robot ({asked.spelled('report')} FILE "
                         "describes a run on a robot)")
    converter = _made_by(asked, meshes)
    converter.adds_files = asks_for_collisions(asked.choices)
    return converter


def _made_by(asked: Asked, meshes: MeshOptions) -> MeshConverter:
    if asks_for_meshes(asked.choices):
        return _format_converter(asked, meshes)
    return _pooled(asked, meshes) if meshes.wanted or meshes.mesh_dir else MeshConverter(meshes, _rare_collada)


def _pooled(asked: Asked, meshes: MeshOptions) -> MeshConverter:
    from .meshes.process_pool import PooledConverter

    return PooledConverter(meshes, _rare_collada, jobs=asked.choices["jobs"])


def _format_converter(asked: Asked, meshes: MeshOptions) -> MeshConverter:
    from .meshes.format_converter import FormatConverter
    from .meshes.request import read_mesh_request

    request = read_mesh_request(asked.choices, meshes, asked.spelled)
    return MeshConverter(meshes, _rare_collada) if request is None else FormatConverter(asked, meshes, request)


def _run_instead(words: Sequence[str]) -> Optional[int]:
    """Run --compare or --lint, or print what an option says that needs no robot, or return None."""
    if any(word.partition("=")[0] == "--pairs-check" for word in words):
        return _run_pairs_check(words)
    if any(word.partition("=")[0] == "--compare" for word in words):
        return _run_compare(words)
    spelled = {word.partition("=")[0] for word in words}
    if spelled & {"--lint", "--lint-fix"} and not HELP & spelled:
        return _run_fix(words) if "--lint-fix" in spelled else _run_lint(words)
    if "--explain" in spelled:
        return _run_explain(words)
    if "--check" in words and any(word.partition("=")[0] == "--format" for word in words):
        return _run_check(words)
    for row in EXPORT_OPTIONS:
        if row.alone and row.spelling in words:
            say([TEXTS[row.name]().rstrip("\n")], sys.stdout)
            return WRITTEN
    return None


def _run_lint(words: Sequence[str]) -> int:
    from ..lint.command import lint_command

    return lint_command(words, PACKAGE_OPTIONS, _kinds())


def _run_fix(words: Sequence[str]) -> int:
    from ..lint.fix_command import fix_command

    return fix_command(words, PACKAGE_OPTIONS, _kinds())


def _run_check(words: Sequence[str]) -> Optional[int]:
    from ..lint.other_commands import check_command

    return check_command(words, EXTENSION)


def _run_pairs_check(words: Sequence[str]) -> int:
    from .collisions.pairs_check import check_command

    return check_command(words, PACKAGE_OPTIONS, _as_urdf)


def _run_explain(words: Sequence[str]) -> int:
    from .explain import explain_command

    return explain_command(words)


def _run_compare(words: Sequence[str]) -> int:
    from ..compare.command import compare_command

    return compare_command(words, PACKAGE_OPTIONS, _compared_page, _compared_text)


def _compared_text(comparison: "Comparison", form: str, paths: Sequence[str]) -> str:
    from ..lint.other_commands import differences_text

    return differences_text(comparison, form, paths)


def _compared_page(comparison: "Comparison", file: str, packages: Sequence[Tuple[str, str]], most: Optional[int]
                   ) -> Tuple[bytes, str]:
    from .page.comparison_page import write_comparison

    return write_comparison(comparison, file, packages, most)


def _run_model(arguments: argparse.Namespace) -> int:
    """Split a COLLADA model into STL, or convert a model into another format."""
    path = arguments.input_urdf
    if path.lower().endswith(COLLADA_ENDINGS) and not (arguments.mesh_format or arguments.gltf_up):
        from .model_text import extract_command

        return extract_command(arguments, _rare_collada)
    return _convert_model(arguments)


def _convert_model(arguments: argparse.Namespace) -> int:
    from .meshes.command import run_model

    return run_model(arguments)


def _rare_collada() -> RareCollada:
    from ..meshes.rare_collada import RARE_COLLADA

    return RARE_COLLADA


def _as_urdf(source: bytes, path: str, mesh_place: Optional[MeshPlace] = None) -> MadeUrdf:
    """Return MJCF or SDF as URDF, anything else as it is."""
    is_other = any(word in source for word in (b"<mujoco", b"<sdf")) or b"\0" in source[:4]  # UTF-16
    return _input_as_urdf(source, path, mesh_place) if is_other else MadeUrdf(source)


def _input_as_urdf(source: bytes, path: str, mesh_place: Optional[MeshPlace]) -> MadeUrdf:
    from ..inputs.as_urdf import as_urdf

    return as_urdf(source, path, mesh_place)


def _kinds() -> Tuple[Kind, ...]:
    from .all_kinds import EXPORT_KINDS

    return EXPORT_KINDS


def _findings(result: Result) -> Tuple[Diagnostic, ...]:
    from ..lint.of_result import findings_of_result

    return findings_of_result(result)


def _companions(asked: Asked) -> Tuple[Companion, ...]:
    """Return the documents that are updated with the URDF."""
    if asked.choices["srdf"]:
        return (_srdf(asked, asked.choices["srdf"]),)
    return (_new_srdf(asked),) if asked.choices["pairs"] and asked.exports else ()


def _new_srdf(asked: Asked) -> Companion:
    from ..srdf.companion import default_srdf_output
    from .collisions.pairs import new_srdf

    named = asked.choices["srdf_output"] or ""
    return new_srdf(named or default_srdf_output(asked.output), spelled=asked.spelled("srdf_output"),
                    is_named=bool(named))


def _srdf(asked: Asked, path: str) -> Companion:
    from ..srdf.companion import default_srdf_output, srdf_companion

    named = asked.choices["srdf_output"] or ""
    return srdf_companion(read_file(path), path, named or default_srdf_output(asked.output),
                          spelled=asked.spelled("srdf_output"), is_named=bool(named))


def _words(given: Sequence[str]) -> List[str]:
    """Return the words of a command line with those of each `@file` in it."""
    if any(word.startswith("@") for word in given):
        from .argument_files import expand_files

        return expand_files(given)
    return list(given)


def _show(asked: Asked, result: Result, color: str) -> None:
    from .difference import say_difference

    say_difference(asked, result, color)


def _change(asked: Asked, result: Result, making: MeshMaking) -> Result:
    """Return the result of a run with the collisions that are asked for."""
    if asks_for_collisions(asked.choices):
        result = _change_collisions(asked, result, making)
    return _find_pairs(asked, result, making) if asked.choices["pairs"] else result


def _change_collisions(asked: Asked, result: Result, making: MeshMaking) -> Result:
    from .collisions.change import with_collisions

    return with_collisions(asked, result, making)


def _find_pairs(asked: Asked, result: Result, making: MeshMaking) -> Result:
    from .collisions.pairs import with_pairs_found

    return with_pairs_found(asked, result, making)


EXTENSION = Extension(PACKAGE_OPTIONS, _run_instead, _run_model, of_call, _mesh_converter, _export, _as_urdf,
                      _companions, _words, _show, _change)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help page for its meaning."""
    return run_command_line(argv, EXTENSION)


class ShownResult(Result):
    """A result that is shown in one line; `str()` is the plan."""

    __slots__ = ()

    def __repr__(self) -> str:
        counts = " -> ".join(str(len(robot.links)) for robot in (self.before, self.after))
        change = change_line(self)
        return f"<Result '{self.before.name}': {counts} links, {f'{change}, ' if change else ''}same robot>"

    def __str__(self) -> str:
        return "\n".join(plan_text(self, Style(boxes=True, color=False)))


def simplify(urdf: "Union[str, os.PathLike[str]]", output: "Union[str, os.PathLike[str], None]" = None, *,
             srdf: "Union[str, os.PathLike[str], None]" = None,
             srdf_output: "Union[str, os.PathLike[str], None]" = None, xacro_args: Iterable[str] = (),
             force: bool = False, **choices: Any) -> Result:
    return ShownResult._make(simplify_with(urdf, output, xacro_args=xacro_args, force=force, extension=EXTENSION,
                                           srdf=srdf, srdf_output=srdf_output, **choices))


simplify.__doc__ = simplify_with.__doc__
