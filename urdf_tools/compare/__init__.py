"""One comparison of any two robots: readers of each format, a map between the robots, and what differs.

    from urdf_tools import compare

    found = compare.compare("robot.urdf", "robot.xml")
    print(compare.as_text(found), found.verdict, found.is_same)

The names are those of `compare_api`, which is loaded when one is asked for.
"""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..compare_api import *  # noqa: F403
else:
    def __getattr__(name):
        from importlib import import_module

        try:
            return getattr(import_module("..compare_api", __name__), name)
        except AttributeError:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
