"""Differences as data: the record, the settings of a comparison, and the tolerances."""

from typing import (
    AbstractSet,
    Dict,
    FrozenSet,
    Iterable,
    Mapping,
    Optional,
    Tuple,
    TYPE_CHECKING,
    Union,
)

from ..base.errors import UsageError
from ..base.exact_trigonometry import arctangent
from ..base.type_aliases import Reals, Texts
from ..base.record_type import Record
from ..formats.format_values import FormatLoss
from ..robot.canonical_robot import NamedFrame
from ..robot.raw_robot import RawJoint, RawLink, RawSensor
from ..urdf.spatial_math import Transform

if TYPE_CHECKING:
    from .mesh_comparison import MeshComparison

Shown = Union[None, str, float, Reals]
Element = Union[RawJoint, RawLink, RawSensor, NamedFrame]
ASPECTS = (
    "motion",
    "mass",
    "limits",
    "mimic",
    "loops",
    "frames",
    "shapes",
    "meshes",
    "colors",
    "surfaces",
    "dynamics",
    "actuators",
    "sensors",
    "world",
    "names",
)
# Signs, zeros, names, order and base are conventions: they never make another robot (`convention_differences.py`).
FAIL_ON = (
    "signs",
    "zeros",
    "names",
    "order",
    "base",
    *(name for name in ASPECTS if name != "names"),
)
SMALL_SINE = 1e-6  # up to here the angle is its sine to 2e-13 of itself
DRAWN = 1e-9  # m and rad, or of the larger number: smaller differences count as equal


def read_fail_on(given: Union[str, Iterable[str]]) -> FrozenSet[str]:
    """Return the words of `fail_on`, also of a text such as `signs,zeros`.

    Raises:
        UsageError: a word is not in FAIL_ON.
    """
    words = given.split(",") if isinstance(given, str) else list(given)
    words = [word.strip() for word in words if word.strip()]
    for word in words:
        if word not in FAIL_ON:
            raise UsageError(f"--fail-on {word}: there are {', '.join(FAIL_ON)}")
    return frozenset(words)


class Difference(Record):
    """A difference: its kind (of `words.KINDS`), the joint, body or other element of A (of B if only there).

    Attributes:
        size: its size, in `unit`: m, rad, kg, kg m^2, or "": relative, or a count.
        a, b: the values of both files; positions of both for A's joints.
        names, numbers: values in the sentence.
        line_a, line_b: the line of the element in either file, 0: unknown.
        said: the run or export that noted it as lost; "": none.
    """

    kind: str
    where: str
    size: float = 0.0
    unit: str = ""
    a: Shown = None
    b: Shown = None
    names: Texts = ()
    numbers: Reals = ()
    line_a: int = 0
    line_b: int = 0
    said: str = ""


Differences = Tuple[Difference, ...]


def between(
    kind: str,
    a: Element,
    b: Element,
    size: Optional[float] = None,
    unit: str = "",
    values: Tuple[Shown, Shown] = (None, None),
    words: Texts = (),
    numbers: Optional[Reals] = None,
) -> Difference:
    """Return a difference of two partners; its sentence has the name of A's partner, then the words; its number is the
    size.
    """
    # Most sentences have one number, the size: only other sentences pass numbers.
    size_alone = () if size is None else (size,)
    return Difference(
        kind,
        a.name,
        size or 0.0,
        unit,
        *values,
        (a.name, *words),
        size_alone if numbers is None else numbers,
        a.line,
        b.line,
    )


def one_sided(kind: str, where: str, side: str, line: int, names: Texts = ()) -> Difference:
    """Return a difference of an element that only one file has, or has so: a or b; its sentence has its name, or names."""
    lines = (line, 0) if side == "a" else (0, line)
    return Difference(kind, where, names=names or (where,), line_a=lines[0], line_b=lines[1])


class Tolerances(Record):
    """Tolerances; larger differences are reported.

    Attributes:
        length: m, of lines, frames, shapes; angle: rad.
        mass: of the larger; center: m; tensor: of the moment about any axis. number: relative, of other values.
        color: of a channel.
    """

    length: float = 1e-4
    angle: float = 1e-4
    mass: float = 1e-4
    center: float = 1e-4
    tensor: float = 1e-3
    number: float = 1e-4
    color: float = 0.003  # most files have two or three decimals, others steps of 1/255


EXACT = Tolerances(*(DRAWN,) * 7)


class ComparisonSettings(Record):
    """The settings of a comparison: aspects, tolerances, and the limits of both formats.

    Attributes:
        aspects: a subset of ASPECTS; unsaid: names of values that either format cannot express.
        precision: the relative rounding of numbers by the format with fewer digits.
        meant: the defaults of the formats of A and B, by name of VALUES.
        complete: both have the same links, frames and shapes by name, as an export has; otherwise parts in only one
            file may have been merged.
        meshes: compares mesh files; None: they are compared by name, scale and pose, as in an export.
        folders: the folders of the files of A and B, where relative names of meshes begin.
    """

    tolerances: Tolerances = Tolerances()
    aspects: AbstractSet[str] = frozenset(ASPECTS)
    unsaid: Dict[str, FormatLoss] = {}
    meant: Tuple[Mapping[str, Reals], Mapping[str, Reals]] = ({}, {})
    complete: bool = False
    meshes: Optional["MeshComparison"] = None
    precision: float = 0.0
    folders: Tuple[str, str] = ("", "")

    def compares(self, *words: str) -> bool:
        """Return True if both formats can express all of these values."""
        return not any(word in self.unsaid for word in words)


def scaled_gap(a: Optional[float], b: Optional[float], floor: float = 1e-12) -> float:
    """Return the difference of two numbers, relative to the larger; 1 if only one is written.

    If both are below `floor`, it is relative to `floor`, so that the rounding of zeros is no difference.
    """
    if a is None or b is None:
        return 0.0 if a is b else 1.0
    return abs(a - b) / max(abs(a), abs(b), floor)


def gap_as_held(a: float, b: float, precision: float) -> float:
    """Return the difference of two numbers, 0 if the format with fewer digits rounds both to the same number."""
    gap = abs(a - b)
    return 0.0 if gap <= precision * max(abs(a), abs(b)) else gap


def poses_apart(T: Transform, other: Transform) -> Tuple[float, float]:
    """Return the distance of the origins and the angle between two poses in one frame [m, rad]."""
    (x, y, z), (u, v, w) = T.translation, other.translation
    off = ((x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2) ** 0.5
    turns = [p - q for row, line in zip(T.rotation, other.rotation) for p, q in zip(row, line)]
    # Rotations by an angle t from each other differ by sqrt(8) sin(t / 2) in the Frobenius norm.
    sine = min(1.0, (sum(turn * turn for turn in turns) / 8.0) ** 0.5)
    if sine < SMALL_SINE:
        return off, 2.0 * sine
    return off, 2.0 * arctangent(sine, (1.0 - sine * sine) ** 0.5)


def is_called(called: str, name: str) -> bool:
    """Return True if `called` is `name`, or `name` with a number appended, as copies are named."""
    # Exporters number duplicate names, as `knee_2`, if a format requires unique names.
    head, _, number = called.rpartition("_")
    return called == name or head == name and number.isdigit()
