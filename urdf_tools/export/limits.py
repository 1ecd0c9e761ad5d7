"""The greatest effort and velocity of a joint, as simulators can take them."""
from typing import Optional

from ..model.records import Joint
from .kinds import EXPORT_MISREAD
from .written_mass import Findings

WITHOUT_ZERO = {"effort": "unbounded", "velocity": "locked"}  # what a simulator may make of a 0


def greatest(joint: Joint, key: str, reach: float, found: Optional[Findings] = None, zero: str = "") -> Optional[float]:
    """Return the greatest `effort` [N or N m] or `velocity` [m/s or rad/s] of a joint.

    None: the robot gives none, one beyond `reach`, 0 or less, which `found` takes note of; `zero` is the sentence for a
    0 (default: that of `WITHOUT_ZERO`).
    """
    value: Optional[float] = getattr(joint.limit, key) if joint.limit is not None else None
    if value is None or 0.0 < value < reach:
        return value
    if found is not None and value == 0.0:
        found.note(EXPORT_MISREAD, zero or WITHOUT_ZERO[key], joint.name, key, part="joint", numbers=(value,))
    elif found is not None and value < 0.0:
        found.note(EXPORT_MISREAD, "negative", joint.name, key, part="joint", numbers=(value,))
    return None
