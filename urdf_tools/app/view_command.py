"""`view`: one robot, or two over each other, as a page in the browser."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import webbrowser
from functools import partial
from pathlib import Path

from ..base.errors import UsageError
from ..base.file_reading import is_foreign
from ..base.transaction import Transaction
from ..cli.parse_arguments import one_file
from ..cli.run_command_line import progress_line, say, write_bytes, WRITTEN
from ..export.export_request import request_of
from ..run.check_destinations import check_destinations, Destination
from ..run.single_file_options import options_from
from ..run.run_pipeline import prepare
from ..run.run_records import ExtensionRequest, Result
from ..urdf.expand_xacro import read_expanded
from .run_extension import EXTENSION, late, write_all


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    one_file(arguments, 2)
    if arguments.watch:
        from .view_watch import watch

        if "-" in arguments.files:
            raise UsageError("--watch takes names of files, not standard input")
        return watch(arguments, partial(page_of, arguments))
    if arguments.output and arguments.output != "-":
        check_destinations(
            arguments.files, [Destination("--output", arguments.output, "")], force=arguments.force
        )
    data = page_of(arguments)
    if arguments.output == "-":
        write_bytes(data, sys.stdout)
        return WRITTEN
    if arguments.output and not arguments.force and is_foreign(arguments.output, data):
        raise UsageError(
            "exists and was not written by this tool: --force replaces it", arguments.output
        )
    shown = show_page(data, arguments.output)
    if not arguments.quiet:
        say([shown], sys.stdout)
    return WRITTEN


def show_page(data: bytes, path: str = "") -> str:
    """Write a page and open it in the browser; a page with a path is only written. Return a line about it."""
    file = path or os.path.join(tempfile.mkdtemp(prefix="urdf_simplify-"), "robot.html")
    write_all({file: data})
    opens = not path and webbrowser.open(Path(os.path.abspath(file)).as_uri())
    return f"Opened {file} in the browser" if opens else file


def show_run(asked: ExtensionRequest, result: Result) -> None:
    """Open the page of a run."""
    request = request_of(asked._replace(choices={**asked.choices, "page": "robot.html"}), result)
    say([show_page(late("export.page.command_pages:write_run")(request).files[0][1])], sys.stdout)


def page_of(arguments: argparse.Namespace) -> bytes:
    """Return the page of a robot, or of two robots.

    Raises:
        UrdfError: a file cannot be used.
    """
    path, *others = arguments.files
    if others:
        from .compare_command import compared

        return compared(arguments)
    options = options_from(vars(arguments))
    choices = {**vars(arguments), "page": "robot.html"}
    name = "<stdin>" if path == "-" else path
    asked = ExtensionRequest(choices, name, "", writes=False, spelled=EXTENSION.spelled)
    read = partial(read_expanded, path, arguments.xacro_args, options.meshes.package)
    # The shown page is not a file of the run.
    extension = EXTENSION._replace(outputs=())
    with Transaction() as transaction:
        result = prepare(
            asked,
            options,
            read,
            extension,
            transaction,
            progress=partial(progress_line, sys.stderr),
        )
    return result.exported.files[0][1]
