"""What a run does to an SRDF: what followed, and the proof."""
from typing import NamedTuple, Tuple

from ..base.diagnostics import Diagnostic
from ..plan.edits import ReferenceUpdate


class SrdfFollowing(NamedTuple):
    """What followed in an SRDF (`notes`), and warnings, in order of their lines."""

    notes: Tuple[ReferenceUpdate, ...]
    warnings: Tuple[Diagnostic, ...]


class SrdfProof(NamedTuple):
    """The worst figures of the states, and how much was compared.

    Attributes:
        position: of any link [m], and angle [rad], beyond what the moved axes explain.
        states: group states compared through both files.
        spheres: collision spheres.
        names: names of links and joints that were looked up.
        frames: frames of pose goals that are where they were; `moved` are those that a warning names.
    """

    position: float
    angle: float
    states: int
    spheres: int
    names: int
    frames: int
    moved: int
