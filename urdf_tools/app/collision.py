"""`collision`: collision meshes become shapes that are proven to contain them."""
import argparse

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..base.option_table import either
from ..cli.arguments import one_file
from ..cli.run import run as run_robot
from ..collision.settings import asks_for_collisions, KINDS
from .engine import EXTENSION


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: with --check 1 where a list of spheres leaves surface bare.

    Raises:
        UrdfError: no shape is named, or the input or an option cannot be used.
    """
    one_file(arguments, 2)
    if arguments.check and len(arguments.files) == 2:
        from .spheres_check import check

        return check(arguments)
    one_file(arguments)
    if arguments.check:
        raise UsageError("--check judges a list of spheres: urdf-simplify collision ROBOT FILE.yml --check")
    if arguments.spheres and not asks_for_collisions(vars(arguments)):
        arguments.collision = "spheres"
    if not asks_for_collisions(vars(arguments)):
        raise UsageError(f"which shape? give --shape {either(KINDS)} (or --link GLOB=KIND)")
    return run_robot(arguments, EXTENSION, f"{robot_stem(arguments.files[0])}_collision.urdf")
