"""The files that a run of the command line writes: check them before any work, collect them after it."""
import argparse
import os
from typing import List, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import is_same_file
from ..base.option_table import Option
from ..run.destinations import check_destinations, Destination
from ..run.companions import Companion
from ..run.pipeline import Asked, further_destinations, Result


def check_outputs(arguments: argparse.Namespace, asked: Asked, added: Sequence[Option], output: str,
                  companions: Sequence[Companion]) -> None:
    """Make sure that every file that this run writes can be written, and none over another or over an input.

    A run that only shows is as strict with the names that were given, but not with those that follow from the input's.

    Raises:
        UsageError: naming the file and the option.
    """
    source = "" if asked.path == "<stdin>" else asked.path
    for one in companions:
        if output == "-" and asked.writes and not one.destination.path:
            raise UsageError(f"the URDF goes to standard output: give {one.destination.spelled} too",
                             one.destination.own_input)
    outputs: List[Destination] = []
    if output not in ("", "-") and (arguments.output or not arguments.shows_only):
        outputs.append(Destination("--output", output, source))
    outputs += further_destinations(asked, added, companions)
    if arguments.report:
        outputs.append(Destination("--report", arguments.report, ""))
    check_destinations([source, *(one.destination.own_input for one in companions)], outputs, force=arguments.force)
    if arguments.mesh_dir:
        _check_folder(arguments.mesh_dir)


def _check_folder(folder: str) -> None:
    """Make sure that a folder for meshes is one that can be written, or that it can be made."""
    above = folder
    while above and not os.path.lexists(above):
        above = os.path.dirname(above)
    if above and not os.path.isdir(above):
        raise UsageError("this is not a folder, so --mesh-dir cannot be it or be in it", above)
    if not os.access(above or ".", os.W_OK):
        raise UsageError("--mesh-dir cannot be written: permission denied", folder)


def files_to_write(result: Result, arguments: argparse.Namespace, path: str, output: str) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file: of a run that only shows, the report and the exports at most.

    A file that would be written over itself unchanged is left out.
    """
    files: List[Tuple[str, bytes]] = []
    if not arguments.shows_only:
        if output not in ("", "-") and (result.changed or path == "<stdin>" or not is_same_file(path, output)):
            files.append((output, result.data))
        files += [(one.output, one.data) for one in result.companions
                  if one.output and (one.changed or not is_same_file(one.before.path, one.output))]
    files += result.exported.files
    if arguments.report:
        from ..report.run_json import record_text

        files.append((arguments.report, record_text(result, output).encode("utf-8", "backslashreplace")))
    return files
