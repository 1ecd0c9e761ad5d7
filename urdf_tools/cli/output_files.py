"""The files that a run of the command line writes: their names before any work, their bytes after it."""
import argparse
from typing import List, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import is_same_file
from ..run.destinations import Destination
from ..run.companions import Companion
from ..run.records import Asked, Result


def outputs_of(arguments: argparse.Namespace, asked: Asked, output: str, companions: Sequence[Companion]
               ) -> List[Destination]:
    """Return the files that a run writes: the output, unless that is only shown and not named, and the report.

    Raises:
        UsageError: a document that follows the URDF needs a name.
    """
    for companion in companions:
        if output == "-" and asked.writes and not companion.destination.path:
            raise UsageError("the URDF goes to standard output, so this would have no name: give --output a file",
                             companion.destination.own_input)
    source = "" if asked.path == "<stdin>" else asked.path
    named = output not in ("", "-") and (arguments.output or asked.writes)
    spelled = "TARGET" if arguments.verb == "export" else "--output"
    return [*([Destination(spelled, output, source)] if named else []),
            *([Destination("--report", arguments.report, "")] if arguments.report else [])]


def files_to_write(result: Result, arguments: argparse.Namespace, path: str, output: str, *, shows_only: bool
                   ) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file: of a run that only shows, the report and the exports at most.

    A file that would be written over itself unchanged is left out.
    """
    files: List[Tuple[str, bytes]] = []
    if not shows_only:
        if output not in ("", "-") and (result.changed or path == "<stdin>" or not is_same_file(path, output)):
            files.append((output, result.data))
        files += [(followed.output, followed.data) for followed in result.companions
                  if followed.output and (followed.changed or not is_same_file(followed.before.path, followed.output))]
    files += result.exported.files
    if arguments.report:
        from ..report.run_json import record_text

        files.append((arguments.report, record_text(result, output).encode("utf-8", "backslashreplace")))
    return files
