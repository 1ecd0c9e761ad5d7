"""The files that a run of the command line writes: checked before any work, gathered when it is done."""
import argparse
import os
from contextlib import contextmanager
from typing import Iterable, Iterator, List, Sequence, Tuple

from ..base.atomic_write import check_apart, check_output, is_same_file
from ..base.errors import Unusable
from ..urdf.xacro import check_not_xacro
from ..mesh.install import make_folders, remove_folders
from ..run.pipeline import Result
from ..report.run_json import record_text
from .hand_over import export_options


def check_outputs(arguments: argparse.Namespace, path: str, output: str, srdf_output: str) -> None:
    """Make sure that every file can be written, and none over another or over an input."""
    if arguments.srdf_output and not arguments.srdf:
        raise Unusable("--srdf-output is for the SRDF that --srdf names", arguments.srdf_output)
    if arguments.srdf and not srdf_output:
        raise Unusable("the URDF goes to standard output, so --srdf needs --srdf-output", arguments.srdf)
    inputs = [name for name in ("" if path == "<stdin>" else path, arguments.srdf) if name]
    outputs: List[Tuple[str, str]] = []
    if output:
        check_not_xacro(output, path)
        check_output(output, "" if path == "<stdin>" else path, arguments.force)
        outputs.append(("--output", output))
    if arguments.srdf:
        check_output(srdf_output, arguments.srdf, arguments.force, "--srdf-output")
        outputs.append(("--srdf-output", srdf_output))
    if arguments.report:
        check_output(arguments.report, "", False, "--report")
        outputs.append(("--report", arguments.report))
    for export in export_options():
        name = getattr(arguments, export.name) if export.is_output else ""
        if name:
            check_output(name, "", False, export.spelling)
            outputs.append((export.spelling, name))
    check_apart(outputs)
    for option, name in outputs:
        own = path if option == "--output" else arguments.srdf if option == "--srdf-output" else ""
        for other in inputs:
            if other != own:
                check_apart([("an input", other), (option, name)])


def files_to_write(result: Result, arguments: argparse.Namespace, path: str, output: str, srdf_output: str,
                   exports: Sequence[Tuple[str, bytes]] = ()) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file; one that would be written over itself unchanged is left out."""
    files: List[Tuple[str, bytes]] = []
    if output != "-" and (result.changed or path == "<stdin>" or not is_same_file(path, output)):
        files.append((output, result.data))
    if result.srdf and (result.srdf.changed or not is_same_file(arguments.srdf, srdf_output)):
        files.append((srdf_output, result.srdf.data))
    files += exports
    if arguments.report:
        text = record_text(result, output, srdf_output if result.srdf else "", exports)
        files.append((arguments.report, text.encode("utf-8", "backslashreplace")))
    return files


@contextmanager
def folders_for(names: Iterable[str]) -> Iterator[None]:
    """Make the folders that files need; if the work inside fails, those that were made are removed again.

    Raises:
        Unusable: one of them cannot be made.
    """
    made: List[str] = []
    try:
        for folder in dict.fromkeys(map(os.path.dirname, names)):
            if folder and not os.path.isdir(folder):
                try:
                    make_folders(folder, made)
                except OSError as error:
                    raise Unusable(f"this folder cannot be made: {error.strerror}", folder) from None
        yield
    except BaseException:
        remove_folders("", made)
        raise
