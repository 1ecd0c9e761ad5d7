"""What else a result becomes: other formats, pages, meshes. In the package only, not in the single file."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.calls")
