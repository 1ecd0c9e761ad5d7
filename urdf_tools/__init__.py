"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help.

The names are those of `api`, which is loaded when one is asked for: who needs a single module waits for no other.
"""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import *  # noqa: F403
else:
    def __getattr__(name):
        from importlib import import_module

        try:
            return getattr(import_module(".api", __name__), name)
        except AttributeError:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
