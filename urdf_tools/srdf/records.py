"""The proof of an SRDF, as the report shows it."""
from typing import NamedTuple


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
