"""A mirror, and the names of a sub-tree and its twin: what all that is copied shares."""
import re
from typing import Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from ..base.errors import UsageError
from ..base.number_text import NUMBER, negated_text
from ..urdf.lossless_xml import Element
from ..urdf.model import Joint
from ..urdf.spatial import Matrix, Pose

VECTORS, TURNS = ("xyz", "scale", "center"), ("rpy", "quat_xyzw", "turn")  # what changes its sign along, and across


class Plane(NamedTuple):
    """The mirror n . x = offset [m] in the frame of the root; `axis` is that of n."""

    axis: int
    offset: float

    @property
    def D(self) -> Matrix:
        """The identity but for -1 at the axis."""
        x, y, z = (tuple((-1.0 if i == self.axis else 1.0) * (i == j) for j in range(3)) for i in range(3))
        return (x, y, z)  # type: ignore[return-value]

    def signs(self, kind: str) -> Tuple[int, ...]:
        """Return which numbers of a kind of vector, turn or pose change their sign, counted from 0."""
        others = tuple(axis for axis in range(3) if axis != self.axis)
        return (self.axis,) if kind in VECTORS else others if kind in TURNS else (
            self.axis, *(3 + axis for axis in others))

    def image(self, T_root_frame: Pose) -> Tuple[Matrix, Tuple[float, float, float]]:
        """Return the mirror in a frame: x -> R x + t."""
        R, t = T_root_frame
        n = R[self.axis]  # of the mirror, in the frame
        N = tuple(tuple(float(i == j) - 2.0 * n[i] * n[j] for j in range(3)) for i in range(3))
        distance = self.offset - t[self.axis]
        return N, (2.0 * distance * n[0], 2.0 * distance * n[1], 2.0 * distance * n[2])  # type: ignore[return-value]


class Twin(NamedTuple):
    """The names of a sub-tree and of its twin, and the mirror between them."""

    plane: Plane
    links: Dict[str, str]
    joints: Dict[str, str]
    first: Joint
    name_of: Callable[[str], str]


def negated(text: str, indices: Sequence[int]) -> str:
    """Return a text in which the numbers at these indices have a minus sign in front, or none; nothing is rounded."""
    count = iter(range(len(text)))
    return re.sub(NUMBER, lambda match: negated_text(match.group()) if next(count) in indices and float(
        match.group()) else match.group(), text)


def turn_signs(plane: Plane, element: Optional[Element], key: str, kind: str = "") -> None:
    """Turn the signs of numbers in an attribute, or in the text."""
    if element is None:
        return
    text = (element.get(key) if key else element.text()) or ""
    new = negated(text, plane.signs(kind or key))
    if new != text and key:
        element.set(key, new)
    elif new != text:
        element.set_text(new)


def name_of_twin(twin: Twin, name: str) -> str:
    """Return a name of the twin for what is neither link nor joint."""
    try:
        return twin.name_of(name)
    except UsageError:
        return f"{name}_of_{twin.links[twin.first.child]}"
