"""The model as JSON and back, and the JSON Schema of it, all three made from the types of the records.

An object has the fields of its record as keys, in their order; what has its default value is left out. A record that
is one of several kinds (a geometry) has its `kind` as the key `type`, first.
"""
import json
import math
from functools import lru_cache
from typing import Any, Dict, get_args, get_origin, get_type_hints, List, Tuple, Union

from ..base.errors import BrokenRobot, did_you_mean
from .records import JOINT_TYPES, Robot

FORMAT = 1
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
WORDS = {("Joint", "type"): JOINT_TYPES, ("Actuator", "type"): ("motor", "position", "velocity"),
         ("Actuator", "source"): ("", "transmission", "ros2_control")}
NONE = type(None)


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
        return json.dumps(_encoded(value), ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise BrokenRobot(f"'{getattr(value, 'name', '')}' holds a number that is not finite: JSON has none") from None


def _encoded(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    fields = getattr(value, "_fields", None)
    if fields is None:
        return [_encoded(item) for item in value]
    defaults = value._field_defaults  # type: ignore[attr-defined]
    found: Dict[str, Any] = {"type": value.kind} if "kind" in fields else {}  # type: ignore[attr-defined]
    for field, item in zip(fields, value):
        if field != "kind" and (field not in defaults or defaults[field] != item):
            found[field] = _encoded(item)
    return found


def read_json(text: str) -> Robot:
    """Return the robot of a JSON text.

    Raises:
        BrokenRobot: no JSON, or not of this form; the message names the place.
    """
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BrokenRobot(f"this is no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BrokenRobot(f'this is no model: it has no "format": {FORMAT}')
    robot: Robot = _decoded(Robot, {key: value for key, value in data.items() if key != "format"}, "")
    return robot


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _refuse(path: str, what: str) -> BrokenRobot:
    return BrokenRobot(f"{path.lstrip('.') or 'the robot'} {what}")


@lru_cache(maxsize=None)
def _hints(record: Any) -> Dict[str, Any]:
    return get_type_hints(record)


@lru_cache(maxsize=None)
def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


@lru_cache(maxsize=None)
def _options(kind: Any) -> Tuple[Any, ...]:
    """Return the types of a union, one type alone for another."""
    return get_args(kind) if get_origin(kind) is Union else (kind,)


def _decoded(kind: Any, value: Any, path: str) -> Any:
    """Return the value of a type that a piece of JSON stands for."""
    options = _options(kind)
    if len(options) == 1:
        return _decoded_one(kind, value, path)
    if value is None and NONE in options:
        return None
    options = tuple(option for option in options if option is not NONE)
    if len(options) == 1:
        return _decoded_one(options[0], value, path)
    kinds = {option._field_defaults["kind"]: option for option in options}
    word = value.get("type") if isinstance(value, dict) else None
    if not isinstance(word, str) or word not in kinds:
        known = did_you_mean(word, list(kinds)) if isinstance(word, str) else ""
        raise _refuse(f"{path}.type", f"is {json.dumps(word)}{known}; there are {', '.join(kinds)}")
    return _decoded_one(kinds[word], {key: item for key, item in value.items() if key != "type"}, path)


def _decoded_one(kind: Any, value: Any, path: str) -> Any:
    if _is_record(kind):
        return _decoded_record(kind, value, path)
    if kind is bool or kind is str:
        if not isinstance(value, kind):
            raise _refuse(path, f"must be {'true or false' if kind is bool else 'a string'}, not {json.dumps(value)}")
        return value
    if kind in (int, float):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or kind is int and value != int(value):
            raise _refuse(path, f"must be a {'whole ' if kind is int else ''}number, not {json.dumps(value)}")
        try:
            number = kind(value)
        except OverflowError:
            raise _refuse(path, "is too large a number") from None
        if not math.isfinite(number):
            raise _refuse(path, "is too large a number")
        return number
    items = get_args(kind)
    if not isinstance(value, list):
        raise _refuse(path, f"must be a list, not {json.dumps(value)}")
    if items[-1] is not Ellipsis and len(value) != len(items):
        raise _refuse(path, f"has {len(value)} values, expected {len(items)}")
    types = [items[0]] * len(value) if items[-1] is Ellipsis else items
    return tuple(_decoded(item, part, f"{path}[{place}]") for place, (item, part) in enumerate(zip(types, value)))


def _decoded_record(kind: Any, value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        raise _refuse(path, f"must be an object, not {json.dumps(value)}")
    hints = {name: hint for name, hint in _hints(kind).items() if name != "kind"}
    unknown = [key for key in value if key not in hints]
    if unknown:
        raise _refuse(f"{path}.{unknown[0]}", f"is not known{did_you_mean(unknown[0], list(hints))}")
    missing = [name for name in hints if name not in value and name not in kind._field_defaults]
    if missing:
        raise _refuse(path, f"has no '{missing[0]}'")
    found = {name: _decoded(hints[name], item, f"{path}.{name}") for name, item in value.items()}
    for name, item in found.items():
        words = WORDS.get((kind.__name__, name))
        if words and item not in words:
            raise _refuse(f"{path}.{name}", f"is '{item}'{did_you_mean(item, words)}; there are "
                                            f"{', '.join(word for word in words if word)}")
    return kind(**found)


def json_schema() -> Dict[str, Any]:
    """Return the JSON Schema (2020-12) of what `to_json` writes, made from the types."""
    definitions: Dict[str, Any] = {}
    top = _schema_record(Robot, definitions)
    top["properties"] = {"format": {"const": FORMAT}, **top["properties"]}
    top["required"] = ["format", *top["required"]]
    return {"$schema": SCHEMA, "title": "robot", **top, "$defs": dict(sorted(definitions.items()))}


def _schema_record(kind: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    defaults = kind._field_defaults
    properties: Dict[str, Any] = {"type": {"const": defaults["kind"]}} if "kind" in defaults else {}
    for name, hint in _hints(kind).items():
        if name != "kind":
            words = WORDS.get((kind.__name__, name))
            properties[name] = {"enum": list(words)} if words else _schema(hint, definitions)
    required = [name for name in properties if name not in defaults]
    about = (kind.__doc__ or "").split("\n")[0]
    return {"description": about, "type": "object", "properties": properties, "required": required,
            "additionalProperties": False}


SIMPLE: Dict[Any, Dict[str, Any]] = {bool: {"type": "boolean"}, str: {"type": "string"}, int: {"type": "integer"},
                                     float: {"type": "number"}}


def _schema(kind: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    options = tuple(option for option in _options(kind) if option is not NONE)
    if len(options) > 1:
        return {"oneOf": [_schema(option, definitions) for option in options]}
    kind = options[0]
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    if _is_record(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}
            definitions[kind.__name__] = _schema_record(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    items = get_args(kind)
    if items[-1] is Ellipsis:
        return {"type": "array", "items": _schema(items[0], definitions)}
    parts: List[Dict[str, Any]] = [_schema(item, definitions) for item in items]
    if all(part == parts[0] for part in parts):
        return {"type": "array", "items": parts[0], "minItems": len(parts), "maxItems": len(parts)}
    return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}


def schema_text() -> str:
    """Return the JSON Schema as text."""
    return json.dumps(json_schema(), indent=2) + "\n"
