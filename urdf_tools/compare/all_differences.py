"""All that differs between two robots by a map, the worst first."""
from typing import AbstractSet, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..formats.values import Loss, MEANT
from ..robot.records import RawRobot
from .content_differences import actuator_differences, frame_differences, loop_differences, sensor_differences
from .differences import ASPECTS, Difference, Settings, Tolerances
from .joint_differences import dynamics_differences, limit_differences, mimic_differences
from .motion_differences import motion_differences, name_differences
from .robot_map import Bound, bound_of, RobotMap
from .shape_differences import shape_differences
from .world_differences import mass_differences, world_differences

COMPARED: Mapping[str, Callable[[RobotMap, Settings], Iterable[Difference]]] = {
    "motion": motion_differences, "mass": mass_differences, "limits": limit_differences, "mimic": mimic_differences,
    "loops": loop_differences, "frames": frame_differences, "shapes": shape_differences,
    "dynamics": dynamics_differences, "actuators": actuator_differences, "sensors": sensor_differences,
    "world": world_differences, "names": name_differences}


def settings_of(a: RawRobot, b: RawRobot, tolerances: Tolerances, losses: Mapping[str, Sequence[Loss]],
                aspects: AbstractSet[str] = frozenset(ASPECTS), *, complete: bool = True) -> Settings:
    """Return what is compared of two robots, in view of what their formats cannot express."""
    unsaid = {loss.what: loss for name in (b.format, a.format) for loss in losses.get(name, ())}
    return Settings(tolerances, aspects, unsaid, (MEANT.get(a.format, {}), MEANT.get(b.format, {})), complete)


def differences_of(robots: RobotMap, settings: Settings) -> Tuple[Tuple[Difference, ...], Optional[Bound]]:
    """Return all that differs by a map, the worst class first, and the bound of the distance at any position."""
    result: List[Difference] = []
    for aspect, differences in COMPARED.items():
        if aspect in settings.aspects:
            result += differences(robots, settings)
    bound, most = bound_of(robots), settings.tolerances
    if "motion" in settings.aspects and bound is not None and (
            bound.position > most.length or bound.angle > most.angle):
        result += _sum_of_small(result, bound)
    return worst_first(result) if result else (), bound


def _sum_of_small(differences: Sequence[Difference], bound: Bound) -> List[Difference]:
    """Return the sum of distances of all lines, if no single line differs."""
    from .words import GEOMETRY, STRUCTURE, worst_class

    if worst_class(differences) in (STRUCTURE, GEOMETRY):
        return []
    return [Difference("sum", bound.body, bound.position, "m", names=(bound.body,),
                       numbers=(bound.position, bound.angle))]


def worst_first(differences: Sequence[Difference]) -> Tuple[Difference, ...]:
    """Return the worst class first: kinds in the order of the table, in a kind the largest first."""
    from .words import KINDS

    order = {kind: index for index, kind in enumerate(KINDS)}
    return tuple(sorted(differences, key=lambda difference: (order[difference.kind], -difference.size)))
