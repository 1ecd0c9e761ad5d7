"""`urdf_tools.edit("arm.urdf", "new.urdf", lock={"waist_*": 0.0})`: edits of a robot, each proven by a law.

`help(urdf_tools.edit)` lists all edits; the function is defined in `app.calls`.
"""

from typing import TYPE_CHECKING, Union

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.python_functions")

# A joint position [rad or m]: a number, "middle" (of its limits), or "state:" and the name of a state.
Position = Union[float, str]
