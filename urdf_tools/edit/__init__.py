"""Edits of a robot: named changes of its tree, its names and its joints, each proven by a law of its own."""
from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "app.calls")

OF_ENGINE = ("only", "drop", "lock", "zero", "flip")  # in the order in which one run of the engine carries them out
