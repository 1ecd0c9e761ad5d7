"""Compare two robots as parsed from files: the verdict, the bound for all positions, and all differences as data.

`compare` returns the data. `causes_of`, `folded` and `name_list` join differences to the lines that a person reads:
differences share a line if their sentences differ only in the first name; of many of a kind only the first is shown.
"""

import os
import re
from collections import Counter
from itertools import chain
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
from .convention_differences import convention_differences
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
from .typed_angles import as_meant
from .unread_text import left_out, unknown_differences, unread_notes
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

NAMES_SHOWN = 3  # in a sentence; with more, the others are only counted
# Words and letters for a side, as in `left_knee`, `FL_hip`, `rr_calf`, `l_knee`, and numbers.
SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")
NOTHING = "nothing to compare: neither {0} nor {1} has a mass, a shape, or a joint that moves"
LIMIT = "limit"  # label of differences that are never folded
# Labels of differences that compare the links of a body together, so that any of its links may be named.
OF_BODIES = ("link", "color", "shape", "mesh")
MOST_OF_A_KIND = 5  # lines; with more, only the first is shown, with a count


class Cause(Record):
    """One line of a report: its label, its sentence, and the differences that the sentence covers.

    All differences have the same kind, and at least one difference exists.
    """

    label: str
    text: str
    differences: Differences


def causes_of(differences: Sequence[Difference]) -> List[Cause]:
    """Return the lines of some differences: sentences that differ only in the first name become one line.

    Lines come in the order of their first differences.
    """
    groups = grouped(
        ((difference.kind, _text_after_name(difference)), difference) for difference in differences
    )
    causes = []
    for (kind, text_after_name), several in groups.items():
        first = several[0]
        text = text_of(first)
        if len(several) > 1:
            text = name_list([difference.names[0] for difference in several])
            text += _plural_after_names(first, text_after_name)
        causes.append(Cause(KINDS[kind].label, text, tuple(several)))
    return causes


def _text_after_name(difference: Difference) -> str:
    """Return the sentence of a difference with an empty first name: it begins with a blank, as in ` is only in A`."""
    return text_of(difference._replace(names=("", *difference.names[1:])))


def _plural_after_names(first: Difference, text_after_name: str) -> str:
    """Return the rest of a sentence about several elements, after their names; it begins with the blank or colon."""
    verb = KINDS[first.kind].plural
    if verb:
        # The verb replaces the whole sentence, so the run that noted the loss is added again.
        said = f", {first.said}" if first.said else ""
        return f" {verb}{said}"
    return re.sub("^ is ", " are ", text_after_name)


def folded(causes: Sequence[Cause]) -> List[Cause]:
    """Return the causes, by kind; of more than MOST_OF_A_KIND of a kind, the first with the number of the others."""
    kinds = grouped((cause.differences[0].kind, cause) for cause in causes)
    shown: List[Cause] = []
    for several in kinds.values():
        first = several[0]
        # Each limit is shown, however many differ: a person checks them one by one.
        if len(several) <= MOST_OF_A_KIND or first.label == LIMIT:
            shown += several
            continue
        # The folded line still has all differences: a caller that counts them counts each once.
        differences = tuple(difference for cause in several for difference in cause.differences)
        count_of_others = len(differences) - len(first.differences)
        text = f"{first.text}, and {count_of_others} others like it"
        shown.append(Cause(first.label, text, differences))
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

# The differences of two robots, the bound (None if it is not defined), and the map under which both were computed.
# Three steps of `compare` may replace all three, and only together.
Outcome = Tuple[Differences, Optional[Bound], RobotMap]


class ComparisonResult(Record):
    """The result of a comparison.

    Attributes:
        a, b: the robots that were compared: after the decisions of a run, which are applied to its input.
        verdict: same (exact), rounded, unproven (nothing differs, but not all could be compared), names (they are on
            different joints or links), limits (motion and masses are the same, a further value differs), masses, base
            (held in one file), geometry, or structure.
        bound: the largest distance [m] and turn [rad] of any point at any position, between the robots as written;
            None if it is not defined, as for different joints.
        map: from A to B; if typed angles were made exact, it was searched between the exact robots.
        differences: the proven differences that count: the worst class first, and within it the largest of each kind.
        notes: sentences about values that could not be compared or identified.
        rounded: if nothing differs, the nonzero differences within the tolerance: of limits, masses, shapes, ...
        noted: differences that do not count in the verdict; `notes` has their sentences.
        decided: the decisions of a run, from its report or the note in its result, that were applied to its input.
        unproven: meshes and unread elements that may be the same or not.
        files: both robots as they were given, before the decisions of a run.
        conventions: signs, zeros, names, order and base that are counted otherwise in B; they affect no verdict.
        failing: conventions and rounded values of the aspects that the caller named in `fail_on`.
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
    conventions: Differences = ()
    failing: Differences = ()

    @property
    def counted(self) -> Differences:
        """Return all differences that count: proven differences, possible ones, then those that the caller named."""
        return (*self.differences, *self.unproven, *self.failing)

    @property
    def exit_code(self) -> int:
        """Return the exit status: 0 for the same robot; 1 if anything counts, or not all could be compared."""
        return 0 if self.is_same and not self.failing else 1

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
    fail_on: AbstractSet[str] = frozenset(),
    losses: Mapping[str, Sequence[Loss]] = LOSSES,
    progress: Optional[Show] = None,
) -> ComparisonResult:
    """Return the comparison of two robots.

    The steps follow each other in this order: the decisions of a run; the map; the differences, with exact angles or
    another base if these explain differences; the parts that count, are noted or are unproven; the verdict.

    Args:
        given: the map, such as `IDENTITY` for an export, or a list of joints; None: it is searched.
        names: auto, equal (joints pair by equal names alone), or structure (names do not count: different names are
            only noted, as they are if `given` has the pairs of joints).
        aspects: of ASPECTS; others are not compared.
        tolerance: the largest bound [m and rad] that still counts as rounded, or all tolerances.
        fail_on: of FAIL_ON: these fail also the same robot: conventions, and aspects to the last digit.
        losses: the values that each format cannot express; two files of one format are compared in all common values.
        progress: called now and then with the name of a mesh and its triangles so far.

    Raises:
        BrokenRobot: the links and joints of a robot do not form a tree.
        UsageError: the root of a given map is not a link of B.
    """
    tolerances = tolerance
    if not isinstance(tolerances, Tolerances):
        tolerances = Tolerances(length=tolerances, angle=tolerances)
    # Both files of one format can express the same values, so a value in only one of them is a difference.
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
    lines_of_map = given.decided if given is not None else None
    a, b, decided = _with_acts(a, b, lines_of_map)
    robots = find_map(a, b, given, names)
    differences, bound = differences_of(robots, settings)
    # Differing robots may be alike with the angles as intended, or from a different base.
    if differences and not settings.complete:

        def find(first: RawRobot, second: RawRobot) -> RobotMap:
            return find_map(first, second, given, names)

        differences, bound, robots = _with_typed(differences, bound, robots, find, settings)
    # The base of a given map is the caller's, even if another base would fit better.
    if differences and given is None:
        differences, bound, robots = _with_another_base(differences, bound, robots, settings)

    all_noted = (*files[0].decided, *files[1].decided, *(lines_of_map or ()))
    differences = _with_reasons(differences, all_noted, robots.a.body_of)

    # Only the remaining `differences` count against the same robot.
    differences, unproven = _parted(differences, {UNPROVEN})
    differences, asides = _parted(differences, noted)
    rounded = () if differences else _rounded_differences(robots, settings, noted)
    # The proof of an export compares what no reader knows itself (`export/proof.py`).
    if not settings.complete:
        unproven += left_out(a, b, settings.aspects)
        unproven += unknown_differences(robots, settings.tolerances)
    if _are_one_text(*files):
        # Values that cannot be compared with a different file are still equal to themselves.
        asides = (*asides, *unproven)
        unproven = ()
    verdict = _verdict((*differences, *unproven), rounded, bound, settings)
    conventions, failing = _counted_otherwise(robots, settings, fail_on, are_same=not differences)
    notes = (
        *(f"{cause.label} {cause.text}" for cause in causes_of(asides)),
        *_notes(robots, settings, losses),
        *_notes_of_sides(a, b),
    )
    return ComparisonResult(
        a=a,
        b=b,
        verdict=verdict,
        bound=bound,
        map=robots,
        differences=differences,
        notes=notes,
        rounded=rounded,
        noted=asides,
        decided=decided,
        unproven=unproven,
        files=files,
        conventions=conventions,
        failing=failing,
    )


def _counted_otherwise(
    robots: RobotMap, settings: ComparisonSettings, fail_on: AbstractSet[str], *, are_same: bool
) -> Tuple[Differences, Differences]:
    """Return the conventions that differ, and those differences that fail as the caller named them in `fail_on`."""
    by_word = convention_differences(robots, settings.tolerances)
    failing = [by_word[word] for word in by_word if word in fail_on]
    if are_same:
        failing.append(_rounded_of(fail_on, robots, settings))
    return tuple(chain.from_iterable(by_word.values())), tuple(chain.from_iterable(failing))


def _rounded_differences(
    robots: RobotMap, settings: ComparisonSettings, noted: AbstractSet[str]
) -> Differences:
    """Return the nonzero differences within the tolerance; rounding of motion is in the bound."""
    exact = settings._replace(tolerances=EXACT, aspects=settings.aspects - {"motion"})
    nonzero, _ = differences_of(robots, exact)
    # The caller has noted and unproven differences already.
    rounded, _ = _parted(nonzero, {*noted, UNPROVEN})
    return rounded


def _rounded_of(
    aspects: AbstractSet[str], robots: RobotMap, settings: ComparisonSettings
) -> Differences:
    """Return the differences within the tolerance that robots, which are the same without these aspects, have."""
    if not aspects & settings.aspects:
        return ()
    exact = settings._replace(tolerances=EXACT)
    # Some aspects are parts of others, such as meshes of shapes: what vanishes without an aspect belongs to it.
    all_differences, _ = differences_of(robots, exact)
    others, _ = differences_of(robots, exact._replace(aspects=exact.aspects - aspects))
    without = {*others}
    counted, _ = _parted(all_differences, {NOTED, UNPROVEN})
    return tuple(difference for difference in counted if difference not in without)


def _are_one_text(a: RawRobot, b: RawRobot) -> bool:
    """Return True if two robots were read from equal texts in one folder, so that all names mean the same files."""
    # A robot that a program made has no text, and so no digest: two of them are not known to be equal.
    if a.digest == "" or a.digest != b.digest:
        return False
    folder_a, folder_b = (os.path.realpath(os.path.dirname(raw.file)) for raw in (a, b))
    return folder_a == folder_b


def _with_meshes(settings: ComparisonSettings, progress: Optional[Show]) -> ComparisonSettings:
    """Return settings that read mesh files, if meshes are compared."""
    if "meshes" not in settings.aspects:
        return settings
    from .mesh_comparison import MeshComparison  # imported here: a robot without meshes needs none

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
    """Return both robots after the decisions of a run, and its decisions; the run's input has changed, its result not.

    `noted` has the lines of the run's report, whose result is B; None: the note in A or B names its result.
    """
    of_a = _lines_of_note(a.decided)
    of_b = _lines_of_note(b.decided if noted is None else noted)
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
    """Return the lines of a note with single blanks, so that equal lines are equal whatever their wrapping."""
    return tuple(" ".join(line.split()) for line in noted)


def _with_reasons(
    differences: Differences, noted: Iterable[str], body_of: Mapping[str, int]
) -> Differences:
    """Return the differences; a difference that a run noted as a loss also names the run, and still counts.

    `noted` are lines of notes. `body_of` maps the links of A to bodies.
    """
    losses = losses_in(noted)
    if not losses:
        return differences
    # A value of a whole body, or the looks of all its visuals, may be named under any of its links.
    for (label, name), format in tuple(losses.items()):
        if label in OF_BODIES and name in body_of:
            for link, body in body_of.items():
                if body == body_of[name]:
                    losses.setdefault((label, link), format)
    return tuple(
        difference._replace(said=_who_said(difference, losses)) for difference in differences
    )


def _who_said(difference: Difference, losses: Mapping[Pair, str]) -> str:
    """Return who noted a difference as a loss, as the end of its sentence; "" if nobody did.

    `losses` has the format of the export by label and name; a loss of a run has the format "".
    """
    if KINDS[difference.kind].of == NOTED:
        return ""
    # The words of a shape begin with its role: `collision box`. A loss may have the role in place of the label.
    roles = [name.split(" ")[0] for name in difference.names[1:2]]
    for label in (KINDS[difference.kind].label, *roles):
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
    """Return the outcome with the base aligned, or as drawn, if fewer differences remain; else the given outcome.

    The search may take a base turned by 1e-4 rad for an unturned base; a center of mass used to find the base may be
    edited.
    """
    from .map_search import map_aligned, map_as_drawn

    for robots_again in (map_aligned(robots), map_as_drawn(robots)):
        if robots_again is None:
            continue
        differences_again, bound_again = differences_of(robots_again, settings)
        counted, _ = _parted(differences, {NOTED, UNPROVEN})
        counted_again, _ = _parted(differences_again, {NOTED, UNPROVEN})
        is_as_mild = _rank(counted_again) >= _rank(counted)
        if len(counted_again) < len(counted) and is_as_mild:
            differences = differences_again
            bound = bound_again
            robots = robots_again
    return differences, bound, robots


def _rank(differences: Differences) -> int:
    """Return the index of the worst class of some differences in CLASSES, 0 for the worst of all.

    Without differences it is the index of NAMES, the mildest class: UNPROVEN, the last of CLASSES, does not occur here.
    """
    return CLASSES.index(worst_class(differences) or NAMES)


def _with_typed(
    differences: Differences,
    bound: Optional[Bound],
    robots: RobotMap,
    map_of: Callable[[RawRobot, RawRobot], RobotMap],
    settings: ComparisonSettings,
) -> Outcome:
    """Return the outcome with angles that were typed with few digits reported once; else the given outcome.

    The map is between the robots with exact angles; the bound is under this map, between the robots as written.
    `map_of` finds the map between two robots as for the given outcome.
    """
    exact_a = as_meant(robots.a.raw)
    exact_b = as_meant(robots.b.raw)
    times_a = {constant: uses.times for constant, uses in exact_a.typed.items()}
    times_b = {constant: uses.times for constant, uses in exact_b.typed.items()}
    # Both files have the same angles with few digits, in equally many places: they cancel out.
    if times_a == times_b:
        return differences, bound, robots
    exact_map = map_of(exact_a.robot, exact_b.robot)
    remaining, _ = differences_of(exact_map, settings)
    # Exact angles that explain no difference are not its cause: the robots stay as written.
    if len(remaining) >= len(differences):
        return differences, bound, robots

    # The map is the map between the exact robots, but the bound is about the files as written.
    robots = laid_again(exact_map, robots.a.raw, robots.b.raw)
    bound = bound_of(robots)
    # An angle with few digits matters more if it moves an axis than if it turns a shape.
    moves_axes = worst_class(differences) in (STRUCTURE, GEOMETRY)
    kind = "typed" if moves_axes else "typed_apart"
    size = bound.position if bound is not None and moves_axes else 0.0
    causes = []
    for side, typed, times_of_other in (
        ("A", exact_a.typed, times_b),
        ("B", exact_b.typed, times_a),
    ):
        for constant, uses in typed.items():
            # The file with more such places is the file that deviates.
            if uses.times > times_of_other.get(constant, 0):
                cause = Difference(
                    kind,
                    f"{constant.text} in {side}",
                    size,
                    "m" if size else "",
                    names=(constant.text, constant.meant, side),
                    numbers=(float(uses.times), size),
                    line_a=uses.line if side == "A" else 0,
                    line_b=uses.line if side == "B" else 0,
                )
                causes.append(cause)
    return worst_first([*causes, *remaining]), bound, robots


def _parted(
    differences: Sequence[Difference], classes: AbstractSet[str]
) -> Tuple[Differences, Differences]:
    """Return the differences of all other classes, then the differences of the given classes."""
    others = [difference for difference in differences if KINDS[difference.kind].of not in classes]
    parted = [difference for difference in differences if KINDS[difference.kind].of in classes]
    return tuple(others), tuple(parted)


def _verdict(
    differences: Sequence[Difference],
    rounded: Sequence[Difference],
    bound: Optional[Bound],
    settings: ComparisonSettings,
) -> str:
    """Return the verdict: the worst class of the differences that count; without any, rounded or same."""
    worst = worst_class(differences)
    if worst:
        return worst
    # Above DRAWN the motion is only rounded; above the tolerance `differences` contains it.
    is_moved = (
        "motion" in settings.aspects
        and bound is not None
        and max(bound.position, bound.angle) > DRAWN
    )
    return "rounded" if rounded or is_moved else "same"


def _notes_of_sides(a: RawRobot, b: RawRobot) -> List[str]:
    """Return the notes of the readers on each file, with its side."""
    return [f"{side}: {note}" for side, robot in (("A", a), ("B", b)) for note in robot.notes]


def _notes(
    robots: RobotMap, settings: ComparisonSettings, losses: Mapping[str, Sequence[Loss]]
) -> List[str]:
    """Return notes on values of either robot that cannot be compared.

    An export has all parts of its input by name, so it gets only the notes on its root and on what a format lacks.
    """
    notes = []
    if robots.b.root:
        notes.append(
            f"B is started from its link '{robots.b.root}': a free robot has no first link"
        )
    if not settings.complete:
        note_on_frames = _frames_apart(robots)
        if note_on_frames:
            notes.append(note_on_frames)
        frames_aside = _frames_aside(robots)
        if frames_aside:
            notes.append(
                f"fixed in the world beside a robot that floats, and not compared: {', '.join(sorted(frames_aside))}"
            )

        driven = [side for side, raw in (("A", robots.a.raw), ("B", robots.b.raw)) if raw.actuators]
        if len(driven) == 1 and settings.compares("actuators"):
            notes.append(f"only {driven[0]} says what drives its joints")
        notes += unread_notes(robots, settings.tolerances)
    return [*notes, *_unsaid(robots.a.raw, robots.b.raw, losses)]


def _frames_aside(robots: RobotMap) -> AbstractSet[str]:
    """Return the links of either robot that no body has: mere frames above the floating joint of a free robot.

    `canonical` leaves them out.
    """
    aside = set()
    for robot in (robots.a, robots.b):
        children = {joint.child for joint in robot.raw.joints}
        aside |= children - robot.body_of.keys()
    return aside


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
    """Return a note on the number of frames in only one file, "" without any.

    A run may have merged them, so they are not a difference.
    """
    counts = []
    for robot, other in ((robots.a, robots.b), (robots.b, robots.a)):
        frames = {frame.name for frame in robot.frames if frame.kind != "link"}
        # A frame of one file may be a link without mass in the other: then it is not missing.
        frames_and_links = {frame.name for frame in other.frames}
        counts.append(len(frames - frames_and_links))
    return " and ".join(
        f"{count_of(count, 'frame')} only in {side}" for count, side in zip(counts, "AB") if count
    )


def _holds_anything(raw: RawRobot) -> bool:
    """Return True if a robot has a mass, a shape, or a joint that moves."""
    if any(joint.type != "fixed" for joint in raw.joints):
        return True
    return any(link.shapes or link.mass is not None and link.mass.mass > 0.0 for link in raw.links)


# Three tables for `_has`: how a robot shows that it uses a feature that a format may lack (`LOSSES`).
LISTS = ("loops", "sensors", "actuators", "frames", "apart", "keys", "base")  # fields of RawRobot
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
    shapes = [shape for link in raw.links for shape in link.shapes]
    if what in SHAPES:
        return any(map(SHAPES[what], shapes))
    return (
        # Any other name is in VALUES, or is a kind of sensor.
        any(what in joint.values for joint in raw.joints)
        or any(what in link.values for link in raw.links)
        or any(what in shape.surface for shape in shapes)
        or any(what in sensor.values or sensor.kind == what for sensor in raw.sensors)
        or any(what in actuator.values for actuator in raw.actuators)
    )
