"""Compare two robots as parsed from files: the verdict, the bound for all positions, and all differences as data."""

import os
from itertools import chain
from typing import AbstractSet, Mapping, Optional, Sequence, Set, Tuple, Union

from ..base.type_aliases import Show, Texts
from ..base.errors import BrokenRobot
from ..base.record_type import Record
from ..formats.format_values import FormatLoss, LOSSES
from ..robot.raw_robot import RawRobot
from .all_differences import differences_of, settings_of
from .better_maps import (
    MapOutcome,
    outcome_of,
    with_another_base,
    with_exact_angles,
    with_fewer_zeros,
)
from .report_lines import causes_of
from .comparison_notes import notes_of_map, notes_of_readers
from .convention_differences import convention_differences
from .difference_records import ASPECTS, ComparisonSettings, Differences, DRAWN, EXACT, Tolerances
from .given_or_searched_map import find_map, Given
from .robot_map import MotionDifferenceBound, RobotMap
from .run_notes import with_acts, with_reasons
from .scaled_robot import scaled_like
from .unread_elements import left_out, program_differences, unknown_differences
from .used_values import has_value
from .difference_kinds import NAMES, NOTED, parted, UNPROVEN, worst_class

NOTHING = (
    "nothing to compare: neither {0} nor {1} has a mass, a shape, a sensor, or a joint that moves, and each has frames "
    "that the other lacks"
)
STRUCTURE_ALONE = "structure"  # of `names`


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
        scale: how many times as large A is in the comparison.
    """

    a: RawRobot
    b: RawRobot
    verdict: str
    bound: Optional[MotionDifferenceBound]
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
    scale: float = 1.0

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
    losses: Mapping[str, Sequence[FormatLoss]] = LOSSES,
    scale: float = 1.0,
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
        scale: A is compared this many times as large.
        progress: called now and then with the name of a mesh and its triangles so far.

    Raises:
        BrokenRobot: the links and joints of a robot do not form a tree.
        UsageError: the root of a given map is not a link of B.
    """
    tolerances = _tolerances_of(tolerance)
    # Both files of one format can express the same values, so a value in only one of them is a difference.
    losses = {} if a.format == b.format else losses
    complete = given is not None and given.complete
    settings = settings_of(a, b, tolerances, losses, aspects, complete=complete)
    # The meshes of an export have their own proof.
    if not settings.complete and (has_value(a, "files") or has_value(b, "files")):
        settings = _with_meshes(settings, progress)

    # Decisions recorded in one file, such as a locked joint, are applied to the other file, too.
    files = a, b
    lines_of_map = given.decided if given is not None else None
    a, b, decided = with_acts(a, b, lines_of_map)
    a, notes_of_scale = scaled_like(a, b, scale)
    robots, differences, bound = _best_outcome(a, b, given, names, settings)
    all_noted = (*files[0].decided, *files[1].decided, *(lines_of_map or ()))
    differences = with_reasons(differences, all_noted, robots.a.body_of)

    # Only the remaining `differences` count against the same robot.
    differences, unproven = parted(differences, {UNPROVEN})
    # A caller that pairs joints otherwise than by their names knows that the names differ.
    names_are_noted = names == STRUCTURE_ALONE or given is not None and given.joints is not None
    noted = {NOTED, NAMES} if names_are_noted else {NOTED}
    differences, asides = parted(differences, noted)
    rounded = () if differences else _rounded_differences(robots, settings, noted)
    # The proof of an export compares what no reader knows itself (`export/export_proof.py`).
    if not settings.complete:
        unproven += left_out(a, b, settings.aspects)
        unproven += unknown_differences(robots, settings.tolerances)
        unproven += program_differences(robots, settings.tolerances)
    if scale == 1.0 and _are_one_text(*files):
        # Values that cannot be compared with a different file are still equal to themselves.
        asides = (*asides, *unproven)
        unproven = ()

    verdict = _verdict((*differences, *unproven), rounded, bound, settings)
    conventions, failing = _counted_otherwise(robots, settings, fail_on, are_same=not differences)
    notes = (
        *notes_of_scale,
        *(f"{cause.label} {cause.text}" for cause in causes_of(asides)),
        *notes_of_map(robots, settings, losses),
        *notes_of_readers(a, b),
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
        scale=scale,
    )


def _tolerances_of(tolerance: Union[float, Tolerances]) -> Tolerances:
    """Return all tolerances; a single one is for the bound [m and rad]."""
    if isinstance(tolerance, Tolerances):
        return tolerance
    return Tolerances(length=tolerance, angle=tolerance)


def _best_outcome(
    a: RawRobot,
    b: RawRobot,
    given: Optional[Given],
    names: str,
    settings: ComparisonSettings,
) -> MapOutcome:
    """Return the outcome of the map that `given` and `names` of `compare` find, or of one with fewer differences."""

    def find(first: RawRobot, second: RawRobot) -> RobotMap:
        return find_map(first, second, given, names)

    outcome = outcome_of(find(a, b), settings)
    # Differing robots may be alike with the angles as intended, or from another base; an export keeps both.
    if outcome.differences and not settings.complete:
        outcome = with_exact_angles(outcome, find, settings)
    # The base of a given map is the caller's, even if another base would fit better.
    if outcome.differences and given is None:
        outcome = with_another_base(outcome, settings)
    if given is None:
        outcome = with_fewer_zeros(outcome, settings)
    return outcome


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
    rounded, _ = parted(nonzero, {*noted, UNPROVEN})
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
    counted, _ = parted(all_differences, {NOTED, UNPROVEN})
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
    """Refuse two robots of frames alone whose names do not tell which frames belong together.

    Raises:
        BrokenRobot: neither has a mass, a shape, a sensor, or a joint that moves, and each has frames that the other lacks.
    """
    if _holds_anything(a) or _holds_anything(b):
        return
    names = _names_of_frames(a)
    other_names = _names_of_frames(b)
    # An export may add frames, and a run may merge them.
    if names <= other_names or other_names <= names:
        return
    raise BrokenRobot(NOTHING.format(*(raw.file or raw.name for raw in (a, b))))


def _verdict(
    differences: Differences,
    rounded: Differences,
    bound: Optional[MotionDifferenceBound],
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


def _holds_anything(raw: RawRobot) -> bool:
    """Return True if a robot has a mass, a shape, a sensor, or a joint that moves."""
    if raw.sensors or any(joint.type != "fixed" for joint in raw.joints):
        return True
    return any(link.shapes or link.mass is not None and link.mass.mass > 0.0 for link in raw.links)


def _names_of_frames(raw: RawRobot) -> Set[str]:
    """Return the names of the links and other frames of a robot."""
    return {link.name for link in raw.links} | {frame.name for frame in raw.frames}
