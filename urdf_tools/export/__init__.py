"""`urdf_tools.export("a.urdf", "a.xml", "a.sdf")`: the robot in other formats; also pages, meshes.

In the package only, not in the single file. The function is defined in `app.calls`.
"""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.python_functions")
