"""The files that a run of the command line writes: check them before any work, collect them after it."""
import argparse
import os
from typing import List, Sequence, Tuple

from ..base.errors import Unusable
from ..base.files import is_same_file
from ..base.option_table import Option
from ..run.destinations import check_destinations, Destination
from ..run.pipeline import Result


def check_outputs(arguments: argparse.Namespace, added: Sequence[Option], path: str, output: str, srdf_output: str
                  ) -> None:
    """Make sure that every file that this run writes can be written, and none over another or over an input.

    A run that only shows is as strict with the names that were given, but not with those that follow from the input's.

    Raises:
        Unusable: naming the file and the option.
    """
    if arguments.srdf_output and not arguments.srdf:
        raise Unusable("--srdf-output is for the SRDF that --srdf names", arguments.srdf_output)
    source = "" if path == "<stdin>" else path
    if arguments.srdf and output and not srdf_output and not arguments.shows_only:
        raise Unusable("the URDF goes to standard output, so --srdf needs --srdf-output", arguments.srdf)
    outputs: List[Destination] = []
    if output not in ("", "-") and (arguments.output or not arguments.shows_only):
        outputs.append(Destination("--output", output, source))
    if arguments.srdf and srdf_output and (arguments.srdf_output or not arguments.shows_only):
        outputs.append(Destination("--srdf-output", srdf_output, arguments.srdf))
    outputs += [Destination(row.spelling, arguments.exports[row.name], "") for row in added
                if row.is_output and arguments.exports[row.name]]
    if arguments.report:
        outputs.append(Destination("--report", arguments.report, ""))
    check_destinations([source, arguments.srdf or ""], outputs, force=arguments.force)
    if arguments.mesh_dir:
        _check_folder(arguments.mesh_dir)


def _check_folder(folder: str) -> None:
    """Make sure that a folder for meshes is one that can be written, or that it can be made."""
    above = folder
    while above and not os.path.lexists(above):
        above = os.path.dirname(above)
    if above and not os.path.isdir(above):
        raise Unusable("this is not a folder, so --mesh-dir cannot be it or be in it", above)
    if not os.access(above or ".", os.W_OK):
        raise Unusable("--mesh-dir cannot be written: permission denied", folder)


def files_to_write(result: Result, arguments: argparse.Namespace, path: str, output: str, srdf_output: str
                   ) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file: of a run that only shows, the report and the exports at most.

    A file that would be written over itself unchanged is left out.
    """
    files: List[Tuple[str, bytes]] = []
    if not arguments.shows_only:
        if output not in ("", "-") and (result.changed or path == "<stdin>" or not is_same_file(path, output)):
            files.append((output, result.data))
        if result.srdf and srdf_output and (result.srdf.changed or not is_same_file(arguments.srdf, srdf_output)):
            files.append((srdf_output, result.srdf.data))
    files += result.exported.files
    if arguments.report:
        files.append((arguments.report, _record(result, output, srdf_output if result.srdf else "")))
    return files


def _record(result: Result, output: str, srdf_output: str) -> bytes:
    from ..report.run_json import record_text

    return record_text(result, output, srdf_output).encode("utf-8", "backslashreplace")
