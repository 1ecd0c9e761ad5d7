"""Which of the values that a format may lack (`LOSSES` of `formats/format_values.py`) a robot uses."""

from __future__ import annotations

from typing import Callable, Dict

from ..robot.raw_robot import RawJoint, RawRobot, RawShape

# Three tables for `has_value`, by the name of the value in `LOSSES`.
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


def has_value(raw: RawRobot, what: str) -> bool:
    """Return True if a robot has any value of this name of `LOSSES`."""
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
