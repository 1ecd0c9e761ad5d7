"""The model as JSON: written from its records, read by their types, and the JSON Schema of such texts.

An object has the fields of its record as keys, in their order; defaults are left out. A record that is one of several
kinds (a geometry) has its `kind` as the key `type`, first.
"""

import json
import math
from functools import lru_cache
from itertools import repeat
from typing import Any, Callable, Dict, get_args, get_origin, List, Tuple, Union

from ...base.errors import BrokenRobot, did_you_mean
from ...model.records import Actuator, Joint, JOINT_TYPES, Robot

FORMAT = 1
WORDS = {
    (Joint, "type"): JOINT_TYPES,
    (Actuator, "type"): ("motor", "position", "velocity"),
    (Actuator, "source"): ("", "transmission", "ros2_control"),
}
MISSING = object()
FLOAT = frozenset((float,))
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
NONE = type(None)
Reader = Callable[[Any], Any]


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
        raise BrokenRobot(
            f"'{getattr(value, 'name', '')}' holds a number that is not finite: JSON has none"
        ) from None


def _encoded(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if not is_record(type(value)):
        return (
            [*map(_encoded, value)] if value and isinstance(value[0], tuple) else value
        )  # items are of one type
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


def read_json(text: Union[str, bytes], file: str = "") -> Robot:
    """Return the robot of a JSON text; `file`: its path, for messages.

    Raises:
        BrokenRobot: no JSON, or not of this form; the message has the path to the value.
    """
    try:
        data = json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        if file and isinstance(error, json.JSONDecodeError):
            raise BrokenRobot(f"this is not valid JSON: {error.msg}", file, error.lineno) from None
        raise BrokenRobot(f"this is not valid JSON: {error}", file) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BrokenRobot(f'this is not a model: it has no "format": {FORMAT}', file)
    try:
        robot: Robot = _reader(Robot)(
            {key: value for key, value in data.items() if key != "format"}
        )
    except _Misfit as misfit:
        raise BrokenRobot(f"{misfit.path.lstrip('.') or 'the robot'} {misfit.what}", file) from None
    return robot


class _Misfit(Exception):
    """A JSON value of a wrong type; each caller puts its key in front of `path`."""

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(what)
        self.what, self.path = what, path


def _options(kind: Any) -> Tuple[Any, ...]:
    """Return the types of a union without None; any other type alone."""
    return (
        tuple(option for option in get_args(kind) if option is not NONE)
        if get_origin(kind) is Union
        else (kind,)
    )


@lru_cache(maxsize=None)
def _reader(kind: Any) -> Reader:
    """Return the function that converts a JSON value to a type, or raises a `_Misfit`."""
    options = _options(kind)
    read = _reader_of_type(options[0]) if len(options) == 1 else _reader_of_kinds(options)
    return (
        (lambda value: None if value is None else read(value)) if NONE in get_args(kind) else read
    )


def _reader_of_type(kind: Any) -> Reader:
    if is_record(kind):
        return _reader_of_record(kind)
    if kind in (bool, str):
        return _reader_of_words(kind)
    if kind in (int, float):
        return _reader_of_number(kind)
    return _reader_of_list(get_args(kind))


def _reader_of_kinds(options: Tuple[Any, ...]) -> Reader:
    readers = {option._field_defaults["kind"]: _reader(option) for option in options}

    def read(value: Any) -> Any:
        word = value.get("type") if isinstance(value, dict) else None
        if not isinstance(word, str) or word not in readers:
            known = did_you_mean(word, list(readers)) if isinstance(word, str) else ""
            raise _Misfit(f"is {json.dumps(word)}{known}; there are {', '.join(readers)}", ".type")
        return readers[word]({key: item for key, item in value.items() if key != "type"})

    return read


def _reader_of_words(kind: Any) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise _Misfit(
                f"must be {'true or false' if kind is bool else 'a string'}, not {json.dumps(value)}"
            )
        return value

    return read


def _reader_of_number(kind: Any) -> Reader:
    def read(value: Any) -> Any:
        if (
            type(value) not in (int, float)
            or kind is int
            and math.isfinite(value)
            and value != int(value)
        ):
            raise _Misfit(
                f"must be a {'whole ' if kind is int else ''}number, not {json.dumps(value)}"
            )
        try:
            number = kind(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise _Misfit("is too large a number")
        return number

    return read


def _reader_of_list(items: Tuple[Any, ...]) -> Reader:
    any_length = items[-1] is Ellipsis
    readers = [_reader(item) for item in items if item is not Ellipsis]
    is_plain = FLOAT.issuperset(items)

    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise _Misfit(f"must be a list, not {json.dumps(value)}")
        # Vectors of finite numbers are most of a robot: accept them without a call for each number.
        if (
            is_plain
            and len(value) == len(items)
            and FLOAT.issuperset(map(type, value))
            and all(map(math.isfinite, value))
        ):
            return tuple(value)
        if not any_length and len(value) != len(items):
            raise _Misfit(f"has {len(value)} values, expected {len(items)}")
        items_read: List[Any] = []
        try:
            for reader, item in zip(repeat(readers[0]) if any_length else readers, value):
                items_read.append(reader(item))
        except _Misfit as misfit:
            misfit.path = f"[{len(items_read)}]{misfit.path}"
            raise
        return tuple(items_read)

    return read


def _reader_of_record(kind: Any) -> Reader:
    readers = {
        name: _reader_of_choice(WORDS[kind, name]) if (kind, name) in WORDS else _reader(hint)
        for name, hint in kind.__annotations__.items()
        if name != "kind"
    }
    required = [name for name in readers if name not in kind._field_defaults]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Misfit(f"must be an object, not {json.dumps(value)}")
        for key in value:
            if key not in readers:
                raise _Misfit(f"is not known{did_you_mean(key, list(readers))}", f".{key}")
        for name in required:
            if name not in value:
                raise _Misfit(f"has no '{name}'")
        fields: Dict[str, Any] = {}
        for key, item in value.items():
            try:
                fields[key] = readers[key](item)
            except _Misfit as misfit:
                # The path grows from the inside out.
                misfit.path = f".{key}{misfit.path}"
                raise
        return kind(**fields)

    return read


def _reader_of_choice(words: Tuple[str, ...]) -> Reader:
    read_word = _reader(str)

    def read(value: Any) -> Any:
        if read_word(value) not in words:
            raise _Misfit(
                f"is '{value}'{did_you_mean(value, words)}; there are {', '.join(filter(None, words))}"
            )
        return value

    return read


def json_schema() -> Dict[str, Any]:
    """Return the JSON Schema (2020-12) of what `to_json` writes, from the types of the records."""
    definitions: Dict[str, Any] = {}
    top = _schema_record(Robot, definitions)
    top["properties"] = {"format": {"const": FORMAT}, **top["properties"]}
    top["required"] = ["format", *top["required"]]
    return {"$schema": SCHEMA, "title": "robot", **top, "$defs": dict(sorted(definitions.items()))}


def _schema_record(kind: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    defaults = kind._field_defaults
    properties: Dict[str, Any] = {"type": {"const": defaults["kind"]}} if "kind" in defaults else {}
    for name, hint in kind.__annotations__.items():
        if name != "kind":
            words = WORDS.get((kind, name))
            properties[name] = {"enum": list(words)} if words else _schema(hint, definitions)
    required = [name for name in properties if name not in defaults]
    about = (kind.__doc__ or "").split("\n")[0]
    return {
        "description": about,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


SIMPLE: Dict[Any, Dict[str, Any]] = {
    bool: {"type": "boolean"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def _schema(kind: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    options = _options(kind)
    if len(options) > 1:
        return {"oneOf": [_schema(option, definitions) for option in options]}
    kind = options[0]
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    if is_record(kind):
        if kind.__name__ not in definitions:
            definitions[
                kind.__name__
            ] = {}  # first, so that a record inside itself ends the recursion
            definitions[kind.__name__] = _schema_record(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    items = get_args(kind)
    if items[-1] is Ellipsis:
        return {"type": "array", "items": _schema(items[0], definitions)}
    parts: List[Dict[str, Any]] = [_schema(item, definitions) for item in items]
    if all(part == parts[0] for part in parts):
        return {"type": "array", "items": parts[0], "minItems": len(parts), "maxItems": len(parts)}
    return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}
