"""Mass properties of links and bounds of joints as a format gets them: what simulators accept."""
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from ..base.diagnostics import Diagnostic, Kind
from ..base.errors import UrdfError
from ..base.number_text import as_written, grouped
from ..model.choices import LineOf, SdfOptions, UsdOptions
from ..model.problems import BROKEN_TRIANGLE, refusal
from ..model.records import Joint, Link, Robot
from ..model.tree import Tree, tree_of
from ..robot.principal_axes import entries_of, principal
from ..urdf.spatial import largest_entry, MassProperties, Matrix, multiply, transpose, Vector
from .kinds import EXPORT_LEFT_OUT, EXPORT_MISREAD, EXPORT_NEAREST
from .rounding import clean_lengths, clean_tensor

WITHOUT_ZERO = {"effort": "unbounded", "velocity": "locked"}  # what a simulator may make of a 0
TINY = TINY_MASS, TINY_MOMENT = 1e-9, 1e-11  # kg, kg m^2: of --massless tiny
LEAST = 2e-15  # MuJoCo wants 1e-15 of the mass and each moment of what moves; twice that survives rounding
LEAST_FULL = 1e-13  # of a moment: MuJoCo refuses fullinertia with one below 1e-14


class WrittenMass:
    """The mass properties that are written for a link.

    Attributes:
        properties: in the axes of the link, as they are written.
        moments, axes: the same tensor as principal moments, smallest first, and the axes as columns.
        sound: the six entries of the tensor can be written: it is far enough from any bound.
    """

    def __init__(self, properties: MassProperties, moments: Vector, axes: Matrix, *, sound: bool) -> None:
        self.properties, self.moments, self.axes, self.sound = properties, moments, axes, sound


class Findings:
    """The refusals, diagnostics and notes of one export.

    Attributes:
        format: its name, the last of the names of each note.
        spelled: returns how the caller spells an option, for refusals.
        line_of: returns the line of a link or joint in the input.
    """

    def __init__(self, format: str, spelled: Callable[[str], str], line_of: LineOf) -> None:
        self.format, self.spelled, self.line_of = format, spelled, line_of
        self.refused: List[UrdfError] = []
        self.notes: List[Diagnostic] = []
        self.said: List[str] = []

    def refuse(self, part: str, name: str, message: str) -> None:
        """Add a reason why the export is impossible; `part` is "link", "joint" or "robot"."""
        self.refused.append(refusal(part, name, message, self.line_of))

    def note(self, kind: Kind, sentence: str, *names: str, part: str = "", numbers: Sequence[float] = ()) -> None:
        """Add a diagnostic, once; `part` is the kind of the first name: "link" or "joint"."""
        line = self.line_of(part, names[0]) if part else 0
        diagnostic = Diagnostic(kind, line, sentence, (*names, self.format), tuple(numbers))
        if diagnostic not in self.notes:
            self.notes.append(diagnostic)


def written_mass(link: Link, floor: float, findings: Findings, margin: float = 0.0, *, nearest: bool) -> WrittenMass:
    """Return what to write for a link that has a mass or a tensor.

    Args:
        floor: the least mass [kg] and the least principal moment [kg m^2].
        nearest: write the nearest physical tensor in place of one that is not; otherwise that is refused.
        margin: by how much A + B must be above C, as a part of C, as rounding of a rotated tensor can bring it below.
    """
    given = link.mass_properties
    moments, axes = principal(given.inertia)
    a, b, c = moments
    mass = max(given.mass, floor)
    largest = max(abs(a), abs(c))
    is_no_body, shown = a + b < c - BROKEN_TRIANGLE * largest or a < -BROKEN_TRIANGLE * largest, _shown(moments)
    if is_no_body and not nearest:
        findings.refuse("link", link.name, f"no body has the principal moments {shown} of its inertia (A + B "
                                           f">= C fails): correct it, or add {findings.spelled('inertia')} nearest")
    tensor = given.inertia
    sound = a >= max(floor, LEAST_FULL) and a + b - c >= 1e-9 * c
    if not sound:
        (_, xy, xz), (_, _, yz), _ = tensor
        moments = a, b, c = _as_body(max(a, floor), max(b, floor), max(c, floor), margin if xy or xz or yz else 0.0)
        diagonal = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
        tensor = multiply(multiply(axes, diagonal), transpose(axes))
    tensor, center = clean_tensor(tensor) if sound else tensor, clean_lengths(given.center)
    if is_no_body and nearest:
        findings.note(EXPORT_NEAREST, "inertia", link.name, shown, part="link",
                      numbers=(*entries_of(given.inertia), *entries_of(tensor)))
    return WrittenMass(MassProperties(mass, center, tensor), moments, axes, sound=sound)


def _shown(moments: Vector) -> str:
    """Return principal moments [kg m^2] for a message, those below 1e-9 of the largest as 0."""
    least = 1e-9 * max(map(abs, moments))
    return " ".join(f"{0.0 if abs(moment) < least else moment:.6g}" for moment in moments)


def _as_body(a: float, b: float, c: float, margin: float) -> Vector:
    """Return moments with A + B >= C, rounded as they are written: A and B are raised equally, the least change."""
    a, b, c = as_written((a, b, c))
    least = c * (1.0 + margin)
    enough = 1e-13 * c  # for what rounding takes away
    while a + b < least:
        step = max((least - a - b) / 2, enough)
        a, b = as_written((a + step, b + step))
        enough *= 2
    return (a, b, c)


def without_tensors_alone(robot: Robot, findings: Findings) -> Robot:
    """Return the robot without the tensors of groups of fixed links that have no mass: these are no bodies."""
    tops = groups_of(tree_of(robot)).tops
    heavy = {tops[link.name] for link in robot.links if link.mass_properties.mass > 0.0}
    alone = {link.name for link in robot.links if tops[link.name] not in heavy and has_mass(link)}
    for name in sorted(alone):
        findings.note(EXPORT_MISREAD, "tensor-alone", name, part="link")
    return robot._replace(links=tuple(link._replace(inertial=None) if link.name in alone else link
                                      for link in robot.links)) if alone else robot


def has_mass(link: Link) -> bool:
    """Return True if a link has a mass or a tensor."""
    if link.inertial is not None:
        return link.inertial.mass > 0.0 or any(link.inertial.inertia)
    properties = link.mass_properties
    return properties.mass > 0.0 or largest_entry(properties.inertia) > 0.0


def tiny_mass() -> WrittenMass:
    """Return the placeholder mass of `--massless tiny`."""
    moments = (TINY_MOMENT,) * 3
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    tensor = ((TINY_MOMENT, 0.0, 0.0), (0.0, TINY_MOMENT, 0.0), (0.0, 0.0, TINY_MOMENT))
    return WrittenMass(MassProperties(TINY_MASS, (0.0, 0.0, 0.0), tensor), moments, axes, sound=True)


class Groups(NamedTuple):
    """Links that are fixed to each other and move as one, by the uppermost of them.

    Attributes:
        tops: by link, the uppermost of its group. members: those of a group, the uppermost first.
        heavy: whether one of a group has a mass or a tensor.
    """

    tops: Dict[str, str]
    members: Dict[str, List[str]]
    heavy: Dict[str, bool]


def groups_of(tree: Tree) -> Groups:
    """Return the groups of a robot, that of the root first."""
    tops = {tree.root: tree.root}
    for joint in tree.order:
        tops[joint.child] = tops[joint.parent] if joint.type == "fixed" else joint.child
    members = grouped((top, name) for name, top in tops.items())
    return Groups(tops, members, {top: any(has_mass(tree.links[name]) for name in names)
                                  for top, names in members.items()})


def massless(name: str, options: Union[SdfOptions, UsdOptions], findings: Findings, *, nothing: bool) -> WrittenMass:
    """Return the placeholder for a link that moves without a mass, noted or refused; `nothing`: no link has one."""
    if options.massless == "tiny":
        findings.note(EXPORT_NEAREST, "mass", name, part="link", numbers=TINY)
    elif not nothing:
        findings.refuse("link", name, "it moves and has no mass, with all that is fixed to it: give it a mass, or add "
                                      f"{findings.spelled('massless')} tiny (1e-9 kg)")
    return tiny_mass()


def depth_first(inside: Mapping[str, List[str]]) -> List[str]:
    """Return all names below "", each followed by those below it; `inside`: those directly below a name."""
    order: List[str] = []
    waiting = inside.get("", [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += inside.get(order[-1], [])[::-1]
    return order


def note_world_mass(tree: Tree, findings: Findings) -> None:
    """Take note of a mass of the link `world`, which no simulator reads."""
    if "world" in tree.links and has_mass(tree.links["world"]):
        mass = tree.links["world"].mass_properties.mass
        findings.note(EXPORT_LEFT_OUT, "world-mass", "world", part="link", numbers=(mass,))


def is_fixed(tree: Tree, base: str, findings: Findings, *, heavy: bool) -> bool:
    """Decide whether the root is held by the world; `heavy`: it has a mass, with what is fixed to it."""
    if base == "free" and tree.root == "world":
        findings.refuse("link", "world", f"the root is the world itself and cannot be free: leave out "
                                         f"{findings.spelled('base')} free")
    if base != "auto":
        return base == "fixed"
    fixed = tree.root == "world" or not heavy
    if tree.root != "world":
        findings.said.append(f"the base is {'fixed' if fixed else 'free'} (--base {'free' if fixed else 'fixed'} is "
                             "the other)")
    return fixed


def greatest(joint: Joint, key: str, reach: float, findings: Optional[Findings] = None, zero: str = ""
             ) -> Optional[float]:
    """Return the greatest `effort` [N or N m] or `velocity` [m/s or rad/s] of a joint.

    None: the robot gives none, one beyond `reach`, or 0 or less, which is noted in `findings`; `zero` is the sentence
    for a 0 (default: that of `WITHOUT_ZERO`).
    """
    value: Optional[float] = getattr(joint.limit, key) if joint.limit is not None else None
    if value is None or 0.0 < value < reach:
        return value
    if findings is not None and value == 0.0:
        findings.note(EXPORT_MISREAD, zero or WITHOUT_ZERO[key], joint.name, key, part="joint", numbers=(value,))
    elif findings is not None and value < 0.0:
        findings.note(EXPORT_MISREAD, "negative", joint.name, key, part="joint", numbers=(value,))
    return None
