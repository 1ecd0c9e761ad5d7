"""Pause the cyclic garbage collector: our trees and columns hold hardly any cycles, and it would walk all of them."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def collector_at_rest(*, ends: bool = False) -> Iterator[None]:
    """Pause the collection; `ends`: the process ends after it, so a last collection need not walk the rest."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if ends and hasattr(gc, "freeze"):  # PyPy has another collector
            gc.freeze()
        if collecting:
            gc.enable()
