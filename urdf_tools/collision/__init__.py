"""`urdf_tools.collision("a.urdf", "b.urdf", shape="hull")`: shapes that provably contain what they replace.

Also pairs of links that provably never touch. The function is defined in `app.calls`.
"""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.python_functions")
