"""The model written as JSON.

An object has the fields of its record as keys, in their order; defaults are left out. A record that is one of several
kinds (a geometry) has its `kind` as the key `type`, first. `json_types` reads such texts.
"""
import json
from functools import lru_cache
from typing import Any, Dict, Tuple

from ..base.errors import BrokenRobot
from .records import Actuator, Joint, JOINT_TYPES, Robot

FORMAT = 1
WORDS = {(Joint, "type"): JOINT_TYPES, (Actuator, "type"): ("motor", "position", "velocity"),
         (Actuator, "source"): ("", "transmission", "ros2_control")}
MISSING = object()
FLOAT = frozenset((float,))
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def write_json(robot: Robot) -> str:
    """Return the robot as JSON, one link, joint, ... to a line.

    Raises:
        BrokenRobot: a number is not finite.
    """
    lines = [f'{{"format": {FORMAT}']
    for field in Robot._fields:
        value = getattr(robot, field)
        if isinstance(value, tuple):
            if value:
                items = ",\n  ".join(_dumps(item) for item in value)
                lines.append(f'"{field}": [\n  {items}\n ]')
        else:
            lines.append(f'"{field}": {_dumps(value)}')
    return ",\n ".join(lines) + "}\n"


def _dumps(value: Any) -> str:
    try:
        return ENCODER.encode(_encoded(value))
    except ValueError:
        raise BrokenRobot(f"'{getattr(value, 'name', '')}' holds a number that is not finite: JSON has none") from None


def _encoded(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if not is_record(type(value)):
        return [*map(_encoded, value)] if value and isinstance(value[0], tuple) else value  # items are of one type
    entries: Dict[str, Any] = {"type": value.kind} if "kind" in value._fields else {}  # type: ignore[attr-defined]
    for field, default, item in zip(value._fields, _defaults(type(value)), value):  # type: ignore[attr-defined]
        if default is not item and default != item:  # a kind is always its default
            entries[field] = _encoded(item) if isinstance(item, tuple) else item
    return entries


@lru_cache(maxsize=None)
def _defaults(kind: Any) -> Tuple[Any, ...]:
    """Return the defaults of a record, MISSING for a field that has none."""
    return tuple(kind._field_defaults.get(field, MISSING) for field in kind._fields)


def refuse_constant(word: str) -> float:
    """Raise ValueError: NaN and infinities are no numbers in JSON."""
    raise ValueError(f"{word} is not a number")


@lru_cache(maxsize=None)
def is_record(kind: Any) -> bool:
    """Return True if a type is that of a record."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
