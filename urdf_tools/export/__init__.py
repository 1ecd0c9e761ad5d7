"""`urdf_tools.export("a.urdf", "a.xml", "a.sdf")`: the robot in other formats; also pages, meshes.

`help(urdf_tools.export.export)` has the arguments. In the package only, not in the single file.
"""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.calls")
