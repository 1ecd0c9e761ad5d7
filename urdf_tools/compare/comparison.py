"""Compare two robots as files say them: the verdict, the bound for all positions, and every difference as data."""
from typing import AbstractSet, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ..base.number_text import count_of
from ..urdf.spatial import IDENTITY_POSE
from .all_differences import differences_of, settings_of, worst_first
from .causes import causes_of
from .decided import as_decided
from .differences import ASPECTS, Difference, DRAWN, EXACT, Settings, Tolerances
from .formats import Loss, LOSSES, THINGS
from .mapping import find_map, Given, laid_again
from .records import RawRobot
from .robot_map import Bound, bound_of, RobotMap
from .rounded_text import rounded_text
from .typed_angles import as_meant
from .unread import unread_notes
from .words import CLASSES, GEOMETRY, KINDS, NAMES, NOTED, STRUCTURE, UNPROVEN, worst_class

LONGEST_ACRONYM = 4  # letters of URDF, MJCF, JSON
STRUCTURE_ALONE = "structure"  # of `names`


class Comparison(NamedTuple):
    """What came out of a comparison.

    Attributes:
        verdict: same (exact), rounded, names (they stand for other joints or links), limits (motion and masses are
            the same, something else is not), masses, base (held in one file), geometry, or structure.
        rounded: where nothing differs, what is within the tolerance but no more: limits, masses, shapes, ...
        bound: how far apart any point is at any position; None where it means nothing.
        differences: the worst class first, and in it the largest of each kind.
        noted: what differs and leaves the verdict as it is; `notes` has its sentences.
        notes: sentences about what could not be compared or identified.
        unproven: meshes that may be the same or not: they could not be compared.
        decided: what the run that made B decided, as its report or the note in B says; `a` is the input as it was
            changed by that.
    """

    a: RawRobot
    b: RawRobot
    verdict: str
    bound: Optional[Bound]
    map: RobotMap
    differences: Tuple[Difference, ...]
    notes: Tuple[str, ...]
    rounded: Tuple[Difference, ...] = ()
    noted: Tuple[Difference, ...] = ()
    decided: Tuple[Difference, ...] = ()
    unproven: Tuple[Difference, ...] = ()

    @property
    def exit_code(self) -> int:
        """0: the same robot; 1: it differs."""
        return 0 if self.verdict in ("same", "rounded") else 1

    @property
    def is_same(self) -> bool:
        """Return True if it is the same robot, exactly or but for rounding."""
        return self.exit_code == 0


def compare(a: RawRobot, b: RawRobot, *, given: Optional[Given] = None, names: str = "auto",
            aspects: AbstractSet[str] = frozenset(ASPECTS), tolerance: Union[float, Tolerances] = 1e-4,
            losses: Mapping[str, Sequence[Loss]] = LOSSES) -> Comparison:
    """Return how two robots differ.

    Args:
        given: the map, as `IDENTITY` says it for an export, or a list of joints; None: it is looked for.
        names: auto, equal (joints pair by equal names alone), or structure (names do not count: where they stand for
            other joints is a note, as it is where `given` says which joints are pairs).
        aspects: of ASPECTS; what is left out makes no difference.
        tolerance: the largest bound [m and rad] that still counts as rounded, or all tolerances.
        losses: what each format cannot say.
    """
    tolerances = tolerance if isinstance(tolerance, Tolerances) else Tolerances(length=tolerance, angle=tolerance)
    settings = settings_of(a, b, tolerances, losses, aspects, complete=given is not None and given.complete)
    if not settings.complete and (_has(a, "files") or _has(b, "files")):
        from .mesh_comparison import MeshComparison

        settings = settings._replace(meshes=MeshComparison(tolerances.length, tolerances.color))
    noted = {NOTED, NAMES} if names == STRUCTURE_ALONE or given is not None and given.joints is not None else {NOTED}
    a, b, decided = _with_decisions(a, b, given)
    robots = find_map(a, b, given, names)
    found, bound = differences_of(robots, settings)
    if a.loops and b.loops and given is None and "loops" in aspects and worst_class(
            tuple(one.kind for one in found)) in (STRUCTURE, GEOMETRY):
        found, bound, robots = _with_cuts(found, bound, robots, names, settings)
    if found and not settings.complete:
        found, bound, robots = _with_typed(found, bound, robots, lambda one, other: find_map(one, other, given, names),
                                           settings)
    if found and given is None and robots.base != IDENTITY_POSE:
        found, bound, robots = _with_base_as_drawn(found, bound, robots, settings)
    found, unproven = _parted(found, {UNPROVEN})
    found, asides = _parted(found, noted)
    # Of motion, the bound says how far it is rounded.
    rounded = () if found else _parted(differences_of(robots, settings._replace(
        tolerances=EXACT, aspects=settings.aspects - {"motion"}))[0], {*noted, UNPROVEN})[0]
    verdict = _verdict(found, rounded, bound, settings)
    return Comparison(a, b, verdict, bound, robots, found,
                      (*(_rounding(robots) if verdict == "rounded" else ()),
                       *(f"{cause.label} {cause.text}" for cause in causes_of(asides)),
                       *_notes(robots, settings, losses),
                       *(f"A: {note}" for note in a.notes),
                       *(f"B: {note}" for note in b.notes)), rounded, asides, decided, unproven)


def _with_decisions(a: RawRobot, b: RawRobot, given: Optional[Given]
                    ) -> Tuple[RawRobot, RawRobot, Tuple[Difference, ...]]:
    """Return both robots as a run decided to change them: by its report, or the note in its result, which B is, or A.
    """
    if given is not None and given.decided is not None:
        return as_decided(a, b, given.decided)
    if b.decided or not a.decided:
        return as_decided(a, b, b.decided)
    b, a, decided = as_decided(b, a, a.decided)
    return a, b, tuple(line._replace(line_a=0, line_b=line.line_a) for line in decided)


def _with_cuts(found: Tuple[Difference, ...], bound: Optional[Bound], robots: RobotMap, names: str, settings: Settings
               ) -> Tuple[Tuple[Difference, ...], Optional[Bound], RobotMap]:
    """Return differences, bound and map without what comes from loops cut at other joints: that is said once."""
    from .cut_loops import cut_alike

    for Y in (robots.base, IDENTITY_POSE):
        alike = cut_alike(robots.a.raw, robots.b.raw, Y, settings.tolerances.length)
        if alike is None:
            continue
        again = find_map(robots.a.raw, alike.robot, None, names)
        left, _ = differences_of(again, settings)
        if worst_class(tuple(one.kind for one in left)) not in (STRUCTURE, GEOMETRY):
            left = tuple(one for one in left if not (one.kind.startswith("frame") and one.where in alike.frames))
            return worst_first([*alike.cuts, *left]), None, again
    return found, bound, robots


def _with_base_as_drawn(found: Tuple[Difference, ...], bound: Optional[Bound], robots: RobotMap, settings: Settings
                        ) -> Tuple[Tuple[Difference, ...], Optional[Bound], RobotMap]:
    """Return fewer differences, with the base as drawn: its center is evidence for the map, and may be the edit."""
    from .map_search import map_as_drawn

    again = map_as_drawn(robots)
    left, other = differences_of(again, settings)
    is_less = len(left) < len(found) and CLASSES.index(worst_class(tuple(one.kind for one in left)) or NAMES) >= (
        CLASSES.index(worst_class(tuple(one.kind for one in found)) or NAMES))
    return (left, other, again) if is_less else (found, bound, robots)


def _with_typed(found: Tuple[Difference, ...], bound: Optional[Bound], robots: RobotMap,
                map_of: Callable[[RawRobot, RawRobot], RobotMap], settings: Settings
                ) -> Tuple[Tuple[Difference, ...], Optional[Bound], RobotMap]:
    """Return differences, bound and map without what comes from angles typed with few digits: that is said once.

    The map is the one between what is meant, and the bound how far apart the robots are by it as they are written.
    """
    first, second = as_meant(robots.a.raw), as_meant(robots.b.raw)
    if first.typed.keys() == second.typed.keys() and all(
            first.typed[one].times == second.typed[one].times for one in first.typed):
        return found, bound, robots
    meant = map_of(first.robot, second.robot)
    left, _ = differences_of(meant, settings)
    if len(left) >= len(found):
        return found, bound, robots
    robots = laid_again(meant, robots.a.raw, robots.b.raw)
    bound = bound_of(robots)
    kind = "typed" if worst_class(tuple(one.kind for one in found)) in (STRUCTURE, GEOMETRY) else "typed_apart"
    size = bound.position if bound is not None and kind == "typed" else 0.0
    causes = []
    for side, typed, other in (("A", first.typed, second.typed), ("B", second.typed, first.typed)):
        for one, (times, line) in typed.items():
            if times > (other[one].times if one in other else 0):
                causes.append(Difference(kind, f"{one.text} in {side}", size, "m" if size else "", names=(
                    one.text, one.meant, side), numbers=(float(times), size), line_a=line if side == "A" else 0,
                    line_b=line if side == "B" else 0))
    return worst_first([*causes, *left]), bound, robots


def _parted(found: Sequence[Difference], noted: AbstractSet[str]
            ) -> Tuple[Tuple[Difference, ...], Tuple[Difference, ...]]:
    """Return the differences that make the verdict, and those of classes that are only noted."""
    return (tuple(one for one in found if KINDS[one.kind].of not in noted),
            tuple(one for one in found if KINDS[one.kind].of in noted))


def _verdict(found: Sequence[Difference], rounded: Sequence[Difference], bound: Optional[Bound], settings: Settings
             ) -> str:
    moved = "motion" in settings.aspects and bound is not None and max(bound.position, bound.angle) > DRAWN
    return worst_class(tuple(one.kind for one in found)) or ("rounded" if rounded or moved else "same")


def _rounding(robots: RobotMap) -> List[str]:
    """Return one sentence on numbers that one of both files only writes with fewer digits."""
    found = rounded_text(robots)
    if found is None:
        return []
    rest = f"; {count_of(found.others, 'other number')} {'differs' if found.others == 1 else 'differ'} by more" if (
        found.others) else ""
    return [f"rounding of the text: {count_of(found.places, 'number')} within half of the last digit of the shorter "
            f"one, at most {found.worst:.2g} apart ({found.where}){rest}"]


def _notes(robots: RobotMap, settings: Settings, losses: Mapping[str, Sequence[Loss]]) -> List[str]:
    """Return what cannot be compared, where one of the robots has it."""
    notes = []
    if robots.turned_root:
        notes.append(f"B is started from its link '{robots.turned_root}': a free robot has no first link")
    if not settings.complete:
        only = _frames_apart(robots)
        if only:
            notes.append(only)
        driven = [side for side, raw in (("A", robots.a.raw), ("B", robots.b.raw)) if raw.actuators]
        if len(driven) == 1 and settings.compares("actuators"):
            notes.append(f"only {driven[0]} says what drives its joints")
        notes += unread_notes(robots.a.raw, robots.b.raw)
    return notes + _unsaid(robots.a.raw, robots.b.raw, losses)


def _unsaid(a: RawRobot, b: RawRobot, losses: Mapping[str, Sequence[Loss]]) -> List[str]:
    """Return what one format has no place for, and either robot has."""
    notes = []
    for format in dict.fromkeys((a.format, b.format)):
        things = [THINGS.get(loss.what, loss.what.replace("_", " ")) for loss in losses.get(format, ())
                  if _has(a, loss.what) or _has(b, loss.what)]
        if things:
            name = format.upper() if len(format) <= LONGEST_ACRONYM else format
            notes.append(f"not compared, as {name} has no place for it: {', '.join(things)}")
    return notes


def _frames_apart(robots: RobotMap) -> str:
    """Return how many frames only one file has: they may have been merged, so they are no difference."""
    first, second = ({frame.name for frame in robot.frames if frame.kind != "link"} for robot in (robots.a, robots.b))
    alls = [{frame.name for frame in robot.frames} for robot in (robots.a, robots.b)]
    counts = (len(first - alls[1]), len(second - alls[0]))
    return f"frames that only one file has: {counts[0]} in A, {counts[1]} in B" if any(counts) else ""


HAS: Dict[str, Callable[[RawRobot], bool]] = {
    "loops": lambda raw: bool(raw.loops), "sensors": lambda raw: bool(raw.sensors),
    "actuators": lambda raw: bool(raw.actuators), "frames": lambda raw: bool(raw.frames),
    "mimic": lambda raw: any(joint.mimic for joint in raw.joints),
    "effort": lambda raw: any(joint.effort is not None for joint in raw.joints),
    "velocity": lambda raw: any(joint.velocity is not None for joint in raw.joints),
    "limits": lambda raw: any(joint.lower is not None for joint in raw.joints),
    "visual": lambda raw: any(shape.role == "visual" for link in raw.links for shape in link.shapes),
    "collision": lambda raw: any(shape.role == "collision" for link in raw.links for shape in link.shapes),
    "color": lambda raw: any(shape.color is not None for link in raw.links for shape in link.shapes),
    "texture": lambda raw: any(shape.texture for link in raw.links for shape in link.shapes),
    "files": lambda raw: any(shape.geometry == "mesh" or shape.texture for link in raw.links for shape in link.shapes),
    "missing_mesh": lambda raw: any(shape.geometry == "mesh" and not shape.is_found for link in raw.links
                                    for shape in link.shapes),
    "ball_dynamics": lambda raw: any(joint.type == "ball" and joint.values for joint in raw.joints),
    "apart": lambda raw: bool(raw.apart), "keys": lambda raw: bool(raw.keys), "base": lambda raw: bool(raw.base)}


def _has(raw: RawRobot, what: str) -> bool:
    """Return True if a robot says something by this name."""
    known = HAS.get(what)
    if known is not None:
        return known(raw)
    return (any(what in joint.values for joint in raw.joints) or any(what in link.values for link in raw.links)
            or any(what in shape.surface for link in raw.links for shape in link.shapes)
            or any(what in sensor.values or sensor.kind == what for sensor in raw.sensors)
            or any(what in actuator.values for actuator in raw.actuators))
