"""`urdf_tools.edit("arm.urdf", "new.urdf", lock={"waist_*": 0.0})`: named changes of a robot, each proven by a law.

`help(urdf_tools.edit.edit)` has all acts; the names are those of `app.calls`.
"""

from typing import TYPE_CHECKING, Union

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.calls")

# Of a joint [rad or m]: a number, "middle" (of its limits), or "state:" and a name.
Position = Union[float, str]
