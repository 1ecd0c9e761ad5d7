"""Better maps for robots that differ: between exact angles in place of angles with few digits, or from another base."""

from __future__ import annotations

from typing import Callable, Dict, Iterator, Mapping, Optional, Tuple

from ..base.record_type import Record
from ..robot.raw_robot import RawRobot
from .all_differences import differences_of, worst_first
from .convention_differences import SMALL
from .difference_records import ComparisonSettings, Difference, Differences
from .given_or_searched_map import laid_again
from ..robot.rigid_bodies import TURNS
from .robot_map import MotionDifferenceBound, bound_of, RobotMap
from .rounded_angles import as_meant, RoundedAngleUses, RoundedAngle
from .difference_kinds import (
    CLASSES,
    GEOMETRY,
    KINDS,
    NAMES,
    NOTED,
    parted,
    STRUCTURE,
    UNPROVEN,
    worst_class,
)


class MapOutcome(Record):
    """A map, the differences of two robots under it, and the bound; a step replaces all three, and only together.

    Attributes:
        bound: between the robots as written; None if it is not defined, as for different joints.
    """

    map: RobotMap
    differences: Differences
    bound: Optional[MotionDifferenceBound]


def outcome_of(robots: RobotMap, settings: ComparisonSettings) -> MapOutcome:
    """Return the outcome of a map."""
    differences, bound = differences_of(robots, settings)
    return MapOutcome(robots, differences, bound)


def with_another_base(outcome: MapOutcome, settings: ComparisonSettings) -> MapOutcome:
    """Return the outcome with the base aligned, or as drawn, if fewer differences remain; else the given outcome.

    The search may take a base turned by 1e-4 rad for an unturned base; a center of mass used to find the base may be
    edited. Differences that are only noted or unproven do not count here.
    """
    from .map_search import map_aligned, map_as_drawn  # imported here: a given map needs no search

    best = outcome
    # Both start from the map that was found first, whichever is best so far.
    for robots in (map_aligned(outcome.map), map_as_drawn(outcome.map)):
        if robots is None:
            continue
        candidate = outcome_of(robots, settings)
        counted, _ = parted(best.differences, {NOTED, UNPROVEN})
        counted_again, _ = parted(candidate.differences, {NOTED, UNPROVEN})
        # A motion that differs is worse than several values that differ.
        is_as_mild = _rank(counted_again) >= _rank(counted)
        if len(counted_again) < len(counted) and is_as_mild:
            best = candidate
    return best


def with_fewer_zeros(outcome: MapOutcome, settings: ComparisonSettings) -> MapOutcome:
    """Return the outcome from another base, if fewer differences remain, or as many and fewer zeros move; else the given
    one.

    Where the root of the robots looks alike from several sides, a turn of the base and a moved zero are the same motion:
    then the limits decide, and if they do not, no zero moves.
    """
    from .map_search import maps_from_other_bases  # imported here: a given map needs no search

    if not _moved_zeros(outcome) and not _do_limits_differ(outcome):
        return outcome
    best = outcome
    for robots in maps_from_other_bases(outcome.map):
        candidate = outcome_of(robots, settings)
        if _claims(candidate) < _claims(best):
            best = candidate
    return best


def _claims(outcome: MapOutcome) -> Tuple[int, int, int]:
    """Return the badness of the worst difference of an outcome, the number of differences, and of moved zeros."""
    counted, _ = parted(outcome.differences, {NOTED, UNPROVEN})
    return -_rank(counted), len(counted), _moved_zeros(outcome)


def _do_limits_differ(outcome: MapOutcome) -> bool:
    """Return True if the limits of a joint on the root differ: they may fit from another base."""
    on_root = {pair.a.raw.name for pair in outcome.map.pairs if pair.a.parent == 0}
    return any(
        KINDS[difference.kind].label == "limit" and difference.where in on_root
        for difference in outcome.differences
    )


def _moved_zeros(outcome: MapOutcome) -> int:
    """Return the number of joints on the root, as the base may be turned instead, whose zero is elsewhere in B."""
    return sum(
        pair.a.parent == 0 and pair.a.motion == TURNS and abs(pair.offset) > SMALL
        for pair in outcome.map.pairs
    )


def _rank(differences: Differences) -> int:
    """Return the index of the worst class of some differences in CLASSES, 0 for the worst of all.

    Without differences it is the index of NAMES, the mildest class: UNPROVEN, the last of CLASSES, does not occur here.
    """
    return CLASSES.index(worst_class(differences) or NAMES)


def with_exact_angles(
    outcome: MapOutcome,
    find: Callable[[RawRobot, RawRobot], RobotMap],
    settings: ComparisonSettings,
) -> MapOutcome:
    """Return the outcome with angles that were typed with few digits reported once; else the given outcome.

    The map is between the robots with exact angles; the bound is under this map, between the robots as written.
    `find` returns the map between two robots, found as the map of the given outcome.
    """
    as_written = outcome.map
    exact_a = as_meant(as_written.a.raw)
    exact_b = as_meant(as_written.b.raw)
    # Both files have the same angles with few digits, in equally many places: they cancel out.
    if _times(exact_a.typed) == _times(exact_b.typed):
        return outcome
    exact_map = find(exact_a.robot, exact_b.robot)
    remaining, _ = differences_of(exact_map, settings)
    # Exact angles that explain no difference are not its cause: the robots stay as written.
    if len(remaining) >= len(outcome.differences):
        return outcome

    # The map is the map between the exact robots, but the bound is about the files as written.
    robots = laid_again(exact_map, as_written.a.raw, as_written.b.raw)
    bound = bound_of(robots)
    # An angle with few digits matters more if it moves an axis than if it turns a shape.
    moves_axes = worst_class(outcome.differences) in (STRUCTURE, GEOMETRY)
    size = bound.position if bound is not None and moves_axes else 0.0
    kind = "typed" if moves_axes else "typed_apart"
    causes = [
        *_typed_differences("A", exact_a.typed, exact_b.typed, kind, size),
        *_typed_differences("B", exact_b.typed, exact_a.typed, kind, size),
    ]
    return MapOutcome(robots, worst_first([*causes, *remaining]), bound)


UsesByConstant = Mapping[RoundedAngle, RoundedAngleUses]


def _times(typed: UsesByConstant) -> Dict[RoundedAngle, int]:
    """Return in how many places a file has each constant."""
    return {constant: uses.times for constant, uses in typed.items()}


def _typed_differences(
    side: str, typed: UsesByConstant, typed_in_other: UsesByConstant, kind: str, size: float
) -> Iterator[Difference]:
    """Yield a difference for each constant that one file, A or B, has in more places than the other file.

    Args:
        side: A or B, the file that has `typed`.
        kind: typed, or typed_apart if no axis moves.
        size: how far the constants move the robot [m], 0 for typed_apart.
    """
    times_in_other = _times(typed_in_other)
    for constant, uses in typed.items():
        # The file with more such places is the file that deviates.
        if uses.times > times_in_other.get(constant, 0):
            yield Difference(
                kind=kind,
                where=f"{constant.text} in {side}",
                size=size,
                unit="m" if size else "",
                names=(constant.text, constant.meant, side),
                numbers=(float(uses.times), size),
                line_a=uses.line if side == "A" else 0,
                line_b=uses.line if side == "B" else 0,
            )
