"""Collision shapes that provably contain what they replace, and pairs of links that provably never touch."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.calls")
