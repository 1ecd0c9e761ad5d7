"""`pairs`: the links that never touch, found and written into an SRDF, or judged."""
import argparse

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..cli.arguments import one_file
from ..cli.run import run as run_robot
from .engine import EXTENSION


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: with --check 1 where a line of the SRDF is wrong.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    one_file(arguments, 2)
    robot, *srdf = arguments.files
    arguments.srdf, arguments.pairs_report = (srdf or [None])[0], arguments.report
    arguments.files, arguments.report = [robot], None
    if arguments.check and not srdf:
        raise UsageError("--check judges an SRDF: urdf-simplify pairs ROBOT SRDF --check")
    if arguments.check:
        from .pairs_check import check

        return check(arguments)
    arguments.pairs, default = True, ""
    if arguments.output == "-" and not arguments.drake_groups:
        raise UsageError("--output -: give the name of a file for the SRDF")
    if arguments.drake_groups:
        if srdf:
            raise UsageError(f"--drake writes the pairs into a URDF: leave out '{srdf[0]}'")
        arguments.output, default = arguments.output or f"{robot_stem(robot)}_pairs.urdf", robot
    else:
        arguments.srdf_output, arguments.output = arguments.output or f"{robot_stem(robot)}_pairs.srdf", None
    return run_robot(arguments, EXTENSION, default)
