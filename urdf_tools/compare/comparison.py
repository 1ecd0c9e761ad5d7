"""Compare two robots as parsed from files: the verdict, the bound for all positions, and all differences as data.

Differences share a line if their sentences differ only in the first name; of many of a kind only the first is shown.
"""

import os
import re
from collections import Counter
from typing import (
    AbstractSet,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..base.types import Pair, Show, Texts
from ..base.errors import BrokenRobot
from ..base.number_text import count_of, grouped
from ..base.record import Record
from ..formats.values import Loss, LOSSES, THINGS
from ..robot.records import RawJoint, RawRobot, RawShape
from .all_differences import differences_of, settings_of, worst_first
from .decided import as_decided, losses_in
from .differences import (
    ASPECTS,
    Difference,
    Differences,
    DRAWN,
    EXACT,
    ComparisonSettings,
    Tolerances,
)
from .mapping import find_map, Given, laid_again
from .robot_map import Bound, bound_of, RobotMap
from .words import (
    CLASSES,
    EXPORT_SAID,
    GEOMETRY,
    KINDS,
    NAMES,
    NOTED,
    RUN_SAID,
    STRUCTURE,
    text_of,
    UNPROVEN,
    worst_class,
)
from .written_text import as_meant, left_out, unknown_differences, unread_notes

NAMES_SHOWN = 3
# Words and letters for a side, as in `left_knee`, `FL_hip`, `rr_calf`, `l_knee`, and numbers.
SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")
NOTHING = "nothing to compare: neither {0} nor {1} has a mass, a shape, or a joint that moves"
LIMIT = "limit"  # label of differences that are never folded
# labels of differences that compare the links of a body together
OF_BODIES = ("link", "color", "shape", "mesh")
MOST_OF_A_KIND = 5  # lines; with more, only the first is shown, with a count


class Cause(Record):
    """Differences on a common line: its label and text."""

    label: str
    text: str
    differences: Differences


def causes_of(differences: Sequence[Difference]) -> List[Cause]:
    """Return the causes, in order: differences whose sentences differ only in the first name are joined."""
    groups = grouped(
        (
            (difference.kind, text_of(difference._replace(names=("", *difference.names[1:])))),
            difference,
        )
        for difference in differences
    )
    causes = []
    for (kind, rest), several in groups.items():
        text = text_of(several[0])
        if len(several) > 1:
            verb = KINDS[kind].plural
            said = f", {several[0].said}" if several[0].said else ""
            text = name_list([difference.names[0] for difference in several]) + (
                # Its first name is empty, so that the sentence begins with a blank: ` is only in A`.
                f" {verb}{said}" if verb else re.sub("^ is ", " are ", rest)
            )
        causes.append(Cause(KINDS[kind].label, text, tuple(several)))
    return causes


def folded(causes: Sequence[Cause]) -> List[Cause]:
    """Return the causes; more than MOST_OF_A_KIND of a kind become the first, and the number of the others."""
    kinds = grouped((cause.differences[0].kind, cause) for cause in causes)
    shown: List[Cause] = []
    for several in kinds.values():
        first = several[0]
        count = sum(len(cause.differences) for cause in several)
        # Each limit is shown, however many differ: a person checks them one by one.
        shown += (
            several
            if len(several) <= MOST_OF_A_KIND or first.label == LIMIT
            else [
                Cause(
                    first.label,
                    f"{first.text}, and {count - len(first.differences)} others like it",
                    tuple(difference for cause in several for difference in cause.differences),
                )
            ]
        )
    return shown


def name_list(names: Sequence[str]) -> str:
    """Return names for a sentence: names of left and right, front and rear, joined; for many names, their number."""
    names = [
        name if count == 1 else f"{name} ({count} times)" for name, count in Counter(names).items()
    ]
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    # The four knees of a quadruped are `4 *_knee`.
    stems = {re.sub(SIDES, "*", name) for name in names}
    if len(stems) == 1:
        return f"{len(names)} {stems.pop()}"
    return f"{', '.join(names[:NAMES_SHOWN])} and {count_of(len(names) - NAMES_SHOWN, 'other')}"


LONGEST_ACRONYM = 4  # letters of URDF, MJCF, JSON
STRUCTURE_ALONE = "structure"  # of `names`

Outcome = Tuple[Differences, Optional[Bound], RobotMap]


class ComparisonResult(Record):
    """The result of a comparison.

    Attributes:
        verdict: same (exact), rounded, unproven (nothing differs, but not all could be compared), names (they are on
            different joints or links), limits (motion and masses are the same, a further value differs), masses, base
            (held in one file), geometry, or structure.
        rounded: if nothing differs, the nonzero differences within the tolerance: of limits, masses, shapes, ...
        bound: the largest distance of any point at any position; None if it is not defined.
        differences: the worst class first, and within it the largest of each kind.
        noted: differences that do not count in the verdict; `notes` has their sentences.
        notes: sentences about values that could not be compared or identified.
        unproven: meshes and unread elements that may be the same or not.
        files: both robots as they were given, before the decisions of a run.
        decided: the decisions of the run that made B, from its report or the note in B; `a` is the input after them.
    """

    a: RawRobot
    b: RawRobot
    verdict: str
    bound: Optional[Bound]
    map: RobotMap
    differences: Differences
    notes: Texts
    rounded: Differences = ()
    noted: Differences = ()
    decided: Differences = ()
    unproven: Differences = ()
    files: Tuple[RawRobot, ...] = ()

    @property
    def counted(self) -> Differences:
        """Return all differences that count: proven differences, then possible ones."""
        return (*self.differences, *self.unproven)

    @property
    def exit_code(self) -> int:
        """0: the same robot; 1: it differs, or not all of it could be compared."""
        return 0 if self.is_same else 1

    @property
    def is_same(self) -> bool:
        """Return True if it is the same robot, exactly or except for rounding, and all of it was compared."""
        return self.verdict in ("same", "rounded")


def compare(
    a: RawRobot,
    b: RawRobot,
    *,
    given: Optional[Given] = None,
    names: str = "auto",
    aspects: AbstractSet[str] = frozenset(ASPECTS),
    tolerance: Union[float, Tolerances] = 1e-4,
    losses: Mapping[str, Sequence[Loss]] = LOSSES,
    progress: Optional[Show] = None,
) -> ComparisonResult:
    """Return the comparison of two robots.

    Args:
        given: the map, such as `IDENTITY` for an export, or a list of joints; None: it is searched.
        names: auto, equal (joints pair by equal names alone), or structure (names do not count: different names are
            only noted, as they are if `given` has the pairs of joints).
        aspects: of ASPECTS; others are not compared.
        tolerance: the largest bound [m and rad] that still counts as rounded, or all tolerances.
        losses: the values that each format cannot express; two files of one format are compared in all common values.
        progress: called now and then with the name of a mesh and its triangles so far.
    """
    tolerances = tolerance
    if not isinstance(tolerances, Tolerances):
        tolerances = Tolerances(length=tolerances, angle=tolerances)
    losses = {} if a.format == b.format else losses
    complete = given is not None and given.complete
    settings = settings_of(a, b, tolerances, losses, aspects, complete=complete)
    # The meshes of an export have their own proof.
    if not settings.complete and (_has(a, "files") or _has(b, "files")):
        settings = _with_meshes(settings, progress)
    # A caller that pairs joints otherwise than by their names knows that the names differ.
    names_are_noted = names == STRUCTURE_ALONE or given is not None and given.joints is not None
    noted = {NOTED, NAMES} if names_are_noted else {NOTED}

    # Decisions recorded in one file, such as a locked joint, are applied to the other file, too.
    files = a, b
    noted_by = given.decided if given is not None else None
    a, b, decided = _with_acts(a, b, noted_by)
    robots = find_map(a, b, given, names)
    differences, bound = differences_of(robots, settings)
    # Differing robots may be alike with the angles as intended, or from a different base.
    if differences and not settings.complete:

        def find(first: RawRobot, second: RawRobot) -> RobotMap:
            return find_map(first, second, given, names)

        differences, bound, robots = _with_typed(differences, bound, robots, find, settings)
    if differences and given is None:
        differences, bound, robots = _with_another_base(differences, bound, robots, settings)

    all_noted = (*files[0].decided, *files[1].decided, *(noted_by or ()))
    differences = _with_reasons(differences, all_noted, robots.a.body_of)

    # Only the remaining `differences` count against the same robot.
    differences, unproven = _parted(differences, {UNPROVEN})
    differences, asides = _parted(differences, noted)
    rounded: Differences = ()
    if not differences:
        # Rounding of motion is in the bound, so it is not compared again.
        exact = settings._replace(tolerances=EXACT, aspects=settings.aspects - {"motion"})
        rounded, _ = _parted(differences_of(robots, exact)[0], {*noted, UNPROVEN})
    if not settings.complete:
        unproven += left_out(a, b, settings.aspects)
        unproven += unknown_differences(robots, settings.tolerances)
    if _are_one_text(*files):
        # Values that cannot be compared with a different file are still equal to themselves.
        unproven, asides = (), (*asides, *unproven)
    verdict = _verdict((*differences, *unproven), rounded, bound, settings)
    notes = (
        *(f"{cause.label} {cause.text}" for cause in causes_of(asides)),
        *_notes(robots, settings, losses),
        *_notes_of_sides(a, b),
    )
    found = ComparisonResult(
        a=a,
        b=b,
        verdict=verdict,
        bound=bound,
        map=robots,
        differences=differences,
        notes=notes,
        rounded=rounded,
    )
    return found._replace(noted=asides, decided=decided, unproven=unproven, files=files)


def _are_one_text(a: RawRobot, b: RawRobot) -> bool:
    """Return True if two robots were read from equal texts in one folder, so that all names mean the same files."""
    folders = [os.path.realpath(os.path.dirname(raw.file)) for raw in (a, b)]
    return a.digest != "" and a.digest == b.digest and folders[0] == folders[1]


def _with_meshes(settings: ComparisonSettings, progress: Optional[Show]) -> ComparisonSettings:
    """Return settings that read mesh files, if meshes are compared."""
    if "meshes" not in settings.aspects:
        return settings
    from .mesh_comparison import MeshComparison

    show = progress or (lambda name, triangles: None)
    tolerances = settings.tolerances
    return settings._replace(meshes=MeshComparison(tolerances.length, tolerances.color, show))


def refuse_nothing(a: RawRobot, b: RawRobot) -> None:
    """Refuse two robots without anything that could differ.

    Raises:
        BrokenRobot: neither has a mass, a shape, or a joint that moves.
    """
    if not _holds_anything(a) and not _holds_anything(b):
        raise BrokenRobot(NOTHING.format(*(raw.file or raw.name for raw in (a, b))))


def _with_acts(
    a: RawRobot, b: RawRobot, noted: Optional[Texts]
) -> Tuple[RawRobot, RawRobot, Differences]:
    """Return both robots after the decisions of a run, noted in its report, or in its result, which is B or A."""
    of_a, of_b = _lines_of_note(a.decided), _lines_of_note(b.decided if noted is None else noted)
    # Decisions noted in both files were made by the run before, and apply to both already.
    only_a = [line for line in of_a if line not in of_b]
    only_b = [line for line in of_b if line not in of_a]
    if noted is None and only_a and not only_b:
        # A is the result of the run and B its input, so the lines change sides.
        b, acts = as_decided(b, a, only_a)
        return a, b, tuple(act._replace(line_a=0, line_b=act.line_a) for act in acts)
    a, acts = as_decided(a, b, only_b)
    return a, b, acts


def _lines_of_note(noted: Texts) -> Texts:
    """Return the lines of a note, whatever their wrapping."""
    return tuple(" ".join(line.split()) for line in noted)


def _with_reasons(
    differences: Differences, noted: Iterable[str], body_of: Mapping[str, int]
) -> Differences:
    """Return the differences; those noted as losses of a run get the name of the run, and remain differences.

    `body_of` maps the links of A to bodies.
    """
    losses = losses_in(noted)
    # A value of a whole body, or the looks of all its visuals, may be named under any of its links.
    for (label, name), format in tuple(losses.items()):
        if label in OF_BODIES and name in body_of:
            for link, body in body_of.items():
                if body == body_of[name]:
                    losses.setdefault((label, link), format)
    return tuple(
        difference._replace(said=_who_said(difference, losses)) if losses else difference
        for difference in differences
    )


def _who_said(difference: Difference, losses: Mapping[Pair, str]) -> str:
    if KINDS[difference.kind].of == NOTED:
        return ""
    # The words of a shape begin with its role: `collision box`.
    labels = (KINDS[difference.kind].label, *(name.split(" ")[0] for name in difference.names[1:2]))
    for label in labels:
        format = losses.get((label, difference.where))
        if format is not None:
            return EXPORT_SAID.format(format.upper()) if format else RUN_SAID
    return ""


def _with_another_base(
    differences: Differences,
    bound: Optional[Bound],
    robots: RobotMap,
    settings: ComparisonSettings,
) -> Outcome:
    """Return the differences with the base aligned, or as drawn, if fewer.

    The search may take a base turned by 1e-4 rad for an unturned base; a center of mass used to find the base may be
    edited.
    """
    from .map_search import map_aligned, map_as_drawn

    for again in (
        map_aligned(robots),
        map_as_drawn(robots),
    ):
        if again is not None:
            remaining, other = differences_of(again, settings)
            counted = [
                _parted(several, {NOTED, UNPROVEN})[0] for several in (remaining, differences)
            ]
            # The worst class has the lowest index: a base with fewer but worse differences is not taken.
            ranks = [CLASSES.index(worst_class(several) or NAMES) for several in counted]
            if len(counted[0]) < len(counted[1]) and ranks[0] >= ranks[1]:
                differences, bound, robots = remaining, other, again
    return differences, bound, robots


def _with_typed(
    differences: Differences,
    bound: Optional[Bound],
    robots: RobotMap,
    map_of: Callable[[RawRobot, RawRobot], RobotMap],
    settings: ComparisonSettings,
) -> Outcome:
    """Return differences, bound and map with angles that were typed with few digits reported once.

    The map is between the robots with exact angles; the bound is under this map, between the robots as written.
    """
    first, second = as_meant(robots.a.raw), as_meant(robots.b.raw)
    # Both files have the same angles with few digits, in equally many places: they cancel out.
    if first.typed.keys() == second.typed.keys() and all(
        first.typed[constant].times == second.typed[constant].times for constant in first.typed
    ):
        return differences, bound, robots
    meant = map_of(first.robot, second.robot)
    remaining, _ = differences_of(meant, settings)
    # Exact angles that explain no difference are not its cause: the robots stay as written.
    if len(remaining) >= len(differences):
        return differences, bound, robots

    # The map is that between exact angles, but the bound is about the files as written.
    robots = laid_again(meant, robots.a.raw, robots.b.raw)
    bound = bound_of(robots)
    # An angle with few digits matters more if it moves an axis than if it turns a shape.
    kind = "typed" if worst_class(differences) in (STRUCTURE, GEOMETRY) else "typed_apart"
    size = bound.position if bound is not None and kind == "typed" else 0.0
    causes = []
    for side, typed, other in (("A", first.typed, second.typed), ("B", second.typed, first.typed)):
        for constant, (times, line) in typed.items():
            # The file with more such places is the file that deviates.
            if times > (other[constant].times if constant in other else 0):
                causes.append(
                    Difference(
                        kind,
                        f"{constant.text} in {side}",
                        size,
                        "m" if size else "",
                        names=(constant.text, constant.meant, side),
                        numbers=(float(times), size),
                        line_a=line if side == "A" else 0,
                        line_b=line if side == "B" else 0,
                    )
                )
    return worst_first([*causes, *remaining]), bound, robots


def _parted(
    differences: Sequence[Difference], noted: AbstractSet[str]
) -> Tuple[Differences, Differences]:
    """Return the differences that determine the verdict, and the differences of `noted` classes."""
    return (
        tuple(difference for difference in differences if KINDS[difference.kind].of not in noted),
        tuple(difference for difference in differences if KINDS[difference.kind].of in noted),
    )


def _verdict(
    differences: Sequence[Difference],
    rounded: Sequence[Difference],
    bound: Optional[Bound],
    settings: ComparisonSettings,
) -> str:
    # Above DRAWN the motion is only rounded; above the tolerance `differences` contains it.
    moved = (
        "motion" in settings.aspects
        and bound is not None
        and max(bound.position, bound.angle) > DRAWN
    )
    return worst_class(differences) or ("rounded" if rounded or moved else "same")


def _notes_of_sides(a: RawRobot, b: RawRobot) -> List[str]:
    """Return the notes of the readers on each file, with its side."""
    return [f"{side}: {note}" for side, robot in (("A", a), ("B", b)) for note in robot.notes]


def _notes(
    robots: RobotMap, settings: ComparisonSettings, losses: Mapping[str, Sequence[Loss]]
) -> List[str]:
    """Return notes on values of either robot that cannot be compared."""
    notes = []
    if robots.b.root:
        notes.append(
            f"B is started from its link '{robots.b.root}': a free robot has no first link"
        )
    if not settings.complete:
        only = _frames_apart(robots)
        if only:
            notes.append(only)
        # `canonical` left these out: mere frames above the floating joint of a free robot.
        aside = {
            joint.child
            for robot in (robots.a, robots.b)
            for joint in robot.raw.joints
            if joint.child not in robot.body_of
        }
        if aside:
            notes.append(
                f"fixed in the world beside a robot that floats, and not compared: {', '.join(sorted(aside))}"
            )

        driven = [side for side, raw in (("A", robots.a.raw), ("B", robots.b.raw)) if raw.actuators]
        if len(driven) == 1 and settings.compares("actuators"):
            notes.append(f"only {driven[0]} says what drives its joints")
        notes += unread_notes(robots, settings.tolerances)
    return [*notes, *_unsaid(robots.a.raw, robots.b.raw, losses)]


def _unsaid(a: RawRobot, b: RawRobot, losses: Mapping[str, Sequence[Loss]]) -> Iterator[str]:
    """Yield notes on values of either robot that either format cannot express."""
    for format in dict.fromkeys((a.format, b.format)):
        things = [
            THINGS.get(loss.what, loss.what.replace("_", " "))
            for loss in losses.get(format, ())
            if _has(a, loss.what) or _has(b, loss.what)
        ]
        if things:
            name = format.upper() if len(format) <= LONGEST_ACRONYM else format
            yield f"not compared, as {name} cannot express it: {', '.join(things)}"


def _frames_apart(robots: RobotMap) -> str:
    """Return a note on the number of frames in only one file: they may have been merged, so they are not a difference."""
    first, second = (
        {frame.name for frame in robot.frames if frame.kind != "link"}
        for robot in (robots.a, robots.b)
    )
    # A frame of one file may be a link without mass in the other: then it is not missing.
    alls = [{frame.name for frame in robot.frames} for robot in (robots.a, robots.b)]
    counts = (len(first - alls[1]), len(second - alls[0]))
    return " and ".join(
        f"{count_of(count, 'frame')} only in {side}" for count, side in zip(counts, "AB") if count
    )


def _holds_anything(raw: RawRobot) -> bool:
    """Return True if a robot has a mass, a shape, or a joint that moves."""
    return any(
        link.shapes or link.mass is not None and link.mass.mass > 0.0 for link in raw.links
    ) or any(joint.type != "fixed" for joint in raw.joints)


# A robot has a feature that a format may lack if it has any of these, or any joint or shape with it.
LISTS = ("loops", "sensors", "actuators", "frames", "apart", "keys", "base")
JOINTS: Dict[str, Callable[[RawJoint], bool]] = {
    "mimic": lambda joint: joint.mimic is not None,
    "effort": lambda joint: joint.effort is not None,
    "velocity": lambda joint: joint.velocity is not None,
    "limits": lambda joint: joint.lower is not None,
    "ball_dynamics": lambda joint: joint.type == "ball" and bool(joint.values),
}
SHAPES: Dict[str, Callable[[RawShape], bool]] = {
    "visual": lambda shape: shape.role == "visual",
    "collision": lambda shape: shape.role == "collision",
    "color": lambda shape: shape.color is not None,
    "texture": lambda shape: bool(shape.texture),
    "files": lambda shape: shape.geometry == "mesh" or bool(shape.texture),
    "missing_mesh": lambda shape: shape.geometry == "mesh" and not shape.is_found,
}


def _has(raw: RawRobot, what: str) -> bool:
    """Return True if a robot has any value of this name."""
    if what in LISTS:
        return bool(getattr(raw, what))
    if what in JOINTS:
        return any(map(JOINTS[what], raw.joints))
    if what in SHAPES:
        return any(SHAPES[what](shape) for link in raw.links for shape in link.shapes)
    return (
        # Any other name is in VALUES, or is a kind of sensor.
        any(what in joint.values for joint in raw.joints)
        or any(what in link.values for link in raw.links)
        or any(what in shape.surface for link in raw.links for shape in link.shapes)
        or any(what in sensor.values or sensor.kind == what for sensor in raw.sensors)
        or any(what in actuator.values for actuator in raw.actuators)
    )
