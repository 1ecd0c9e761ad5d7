"""`view`: one robot, or two over each other, as a page in the browser."""
import argparse
import os
import sys
import tempfile
import webbrowser
from functools import partial

from ..base.errors import UsageError
from ..base.files import is_foreign
from ..base.transaction import Transaction
from ..cli.arguments import one_file
from ..cli.command import WRITTEN
from ..cli.streams import say, write_stream
from ..run.destinations import check_destinations, Destination
from ..run.option_rows import ONLY_ASKED, options_from
from ..run.pipeline import Asked, prepare, Request
from ..urdf.xacro import read_expanded
from .engine import EXTENSION


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    one_file(arguments, 2)
    if arguments.output and arguments.output != "-":
        check_destinations(arguments.files, [Destination("--output", arguments.output, "")], force=arguments.force)
    data = page_of(arguments)
    if arguments.output == "-":
        write_stream("", sys.stdout, data)
        return WRITTEN
    path = arguments.output or os.path.join(tempfile.mkdtemp(prefix="urdf_simplify-"), "robot.html")
    if not arguments.force and is_foreign(path, data):
        raise UsageError("exists and was not written by this tool: --force replaces it", path)
    with Transaction() as transaction:
        transaction.add(path, data)
        transaction.commit()
    shown = not arguments.output and webbrowser.open(f"file://{os.path.abspath(path)}")
    say([] if arguments.quiet else [path if not shown else f"Opened {path} in the browser"], sys.stdout)
    return WRITTEN


def page_of(arguments: argparse.Namespace) -> bytes:
    """Return the page of the robot, or of both.

    Raises:
        UrdfError: a file cannot be used.
    """
    path, *others = arguments.files
    if others:
        from .compare import compared

        return compared(arguments)
    options = options_from(vars(arguments), only=ONLY_ASKED)
    asked = Asked({**vars(arguments), "page": "robot.html"}, path, "", writes=False, spelled=EXTENSION.spelled)
    read = partial(read_expanded, path, arguments.xacro_args, options.meshes.package)
    with Transaction() as transaction:
        result = prepare(Request(asked, options, read), EXTENSION, transaction)
    return result.exported.files[0][1]
