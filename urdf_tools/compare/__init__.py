"""`urdf_tools.compare("robot.urdf", "robot.xml")`: compare any two robots; the result is the map and the differences.

    from urdf_tools import compare

    found = compare("robot.urdf", "robot.xml")
    print(compare.as_text(found), found.verdict, found.is_same)

The names come from `compare_api`, which is loaded when a name is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..compare_api import *  # noqa: F403
else:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "compare_api")
