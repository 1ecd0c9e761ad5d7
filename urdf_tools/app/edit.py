"""`edit`: the changes that are named, and no other."""
import argparse

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..cli.arguments import one_file
from ..cli.run import run as run_robot
from ..run.option_rows import ONLY_ASKED
from .engine import EXTENSION

EDITS = ("lock", "zero", "flip", "only", "drop")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: no edit is named, or the input or an option cannot be used.
    """
    one_file(arguments)
    if not any(getattr(arguments, name) for name in EDITS):
        raise UsageError("edit changes only what is named: give --lock, --zero, --flip, --only or --drop")
    return run_robot(arguments, EXTENSION, f"{robot_stem(arguments.files[0])}_edited.urdf", ONLY_ASKED)
