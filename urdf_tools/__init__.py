"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help.

The names are those of `api`, which is loaded when one is asked for: who needs a single module waits for no other.
"""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import *  # noqa: F403
else:
    from .lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "api")
