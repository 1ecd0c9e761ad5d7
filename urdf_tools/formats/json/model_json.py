"""The model as JSON: written from its records, read by their types, and the JSON Schema of such texts.

An object has the fields of its record as keys, in their order; defaults are left out. A record that is one of several
kinds (a geometry) has its `kind` as the key `type`, first.
"""

import json
import math
from functools import lru_cache, partial
from typing import Any, Callable, Dict, get_args, get_origin, NoReturn, Tuple, Union

from ...base.type_aliases import Json
from ...base.errors import BrokenRobot, did_you_mean
from ...model.model_records import Actuator, Joint, JOINT_TYPES, RobotRecord

FORMAT = 1
WORDS: Dict[Any, Json] = {
    Joint: {"type": JOINT_TYPES},
    Actuator: {
        "type": ("motor", "position", "velocity"),
        "source": ("", "transmission", "ros2_control"),
    },
}
MISSING = object()
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
NONE = type(None)


def write_json(robot: RobotRecord) -> str:
    """Return the robot as JSON, one link, joint, ... to a line.

    Raises:
        BrokenRobot: a number is not finite.
    """
    lines = [f'{{"format": {FORMAT}']
    for field in RobotRecord._fields:
        value = getattr(robot, field)
        if isinstance(value, tuple):
            if value:
                items = ",\n  ".join(_dumps(item) for item in value)
                lines.append(f'"{field}": [\n  {items}\n ]')
        else:
            lines.append(f'"{field}": {_dumps(value)}')
    return ",\n ".join(lines) + "}\n"


def _dumps(value: Any) -> str:
    """Return a value of a model as JSON.

    Raises:
        BrokenRobot: a number in it is not finite.
    """
    try:
        return ENCODER.encode(_encoded(value))
    except ValueError:
        raise BrokenRobot(
            f"'{getattr(value, 'name', '')}' holds a number that is not finite: JSON has none"
        ) from None


def _encoded(value: Any) -> Any:
    """Return a value of a model as JSON has it: a record as an object without its defaults."""
    if not isinstance(value, tuple):
        return value
    if not is_record(type(value)):
        # Items are of one type: numbers and texts need no walk.
        has_tuples = bool(value) and isinstance(value[0], tuple)
        return [*map(_encoded, value)] if has_tuples else value
    entries: Json = {"type": value.kind} if "kind" in value._fields else {}  # type: ignore[attr-defined]
    for field, default, item in zip(value._fields, _defaults(type(value)), value):  # type: ignore[attr-defined]
        # A kind is always its default.
        if default is not item and default != item:
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
    """Return True for the type of a record."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def read_json(text: Union[str, bytes], file: str = "") -> RobotRecord:
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
    fields = {key: value for key, value in data.items() if key != "format"}
    try:
        robot: RobotRecord = _read_record(RobotRecord, fields, "")
    except _WrongJsonType as misfit:
        raise BrokenRobot(str(misfit), file) from None
    return robot


class _WrongJsonType(Exception):
    """A JSON value that is not of the type of its place."""


def _refuse(path: str, fault: str) -> NoReturn:
    """Refuse the value at a path of keys.

    Raises:
        _Misfit: always.
    """
    raise _WrongJsonType(f"{path.lstrip('.') or 'the robot'} {fault}")


def _options(kind: Any) -> Tuple[Any, ...]:
    """Return the types of a union without None; any other type alone."""
    if get_origin(kind) is not Union:
        return (kind,)
    return tuple(option for option in get_args(kind) if option is not NONE)


Reader = Callable[[Any, str], Any]  # of a JSON value with the path to it


def _reader(kind: Any) -> Reader:
    """Return the reader of a type: a record, a union of records, a list, a word or a number."""
    kinds = _options(kind)
    if NONE in get_args(kind):
        return partial(_read_optional, _reader(Union[kinds]))
    if len(kinds) > 1:
        return partial(_read_one_of, {record._field_defaults["kind"]: record for record in kinds})
    if is_record(kind):
        return partial(_read_record, kind)
    if kind in (int, float):
        return partial(_read_number, kind)
    if kind in SIMPLE:
        return partial(_read_simple, kind)
    items = get_args(kind)  # tuples of a model have items of one type
    return partial(_read_list, items, _reader(items[0]))


def _read_optional(read: Reader, value: Any, path: str) -> Any:
    """Return a value that may be null."""
    return None if value is None else read(value, path)


def _read_simple(kind: Any, value: Any, path: str) -> Any:
    """Return a string or a truth."""
    if not isinstance(value, kind):
        word = "true or false" if kind is bool else "a string"
        _refuse(path, f"must be {word}, not {json.dumps(value)}")
    return value


def _read_one_of(kinds: Json, value: Any, path: str) -> Any:
    """Return the record of an object, which names its kind by `type`."""
    word = value.get("type") if isinstance(value, dict) else None
    if not isinstance(word, str) or word not in kinds:
        known = did_you_mean(word, list(kinds)) if isinstance(word, str) else ""
        _refuse(f"{path}.type", f"is {json.dumps(word)}{known}; there are {', '.join(kinds)}")
    fields = {key: item for key, item in value.items() if key != "type"}
    return _read_record(kinds[word], fields, path)


def _hints(kind: Any) -> Json:
    """Return the types of the fields of a record that its JSON has."""
    return {name: hint for name, hint in kind.__annotations__.items() if name != "kind"}


# To look up the types of a union takes longer than to read its value.
@lru_cache(maxsize=None)
def _readers(kind: Any) -> Dict[str, Reader]:
    """Return the readers of the fields of a record, by name."""
    return {name: _reader(hint) for name, hint in _hints(kind).items()}


def _read_record(kind: Any, value: Any, path: str) -> Any:
    """Return the record of an object: each key is known, each field without a default is there."""
    if not isinstance(value, dict):
        _refuse(path, f"must be an object, not {json.dumps(value)}")
    readers = _readers(kind)
    for key in value:
        if key not in readers:
            _refuse(f"{path}.{key}", f"is not known{did_you_mean(key, list(readers))}")
    for name in readers:
        if name not in value and name not in kind._field_defaults:
            _refuse(path, f"has no '{name}'")
    fields = {key: readers[key](item, f"{path}.{key}") for key, item in value.items()}
    for key, words in WORDS.get(kind, {}).items():
        item = fields.get(key, words[0])
        if item not in words:
            there = ", ".join(filter(None, words))
            _refuse(f"{path}.{key}", f"is '{item}'{did_you_mean(item, words)}; there are {there}")
    return kind(**fields)


def _read_number(kind: Any, value: Any, path: str) -> Any:
    """Return a finite number; 2.0 is a whole number, too."""
    whole = "whole " if kind is int else ""
    if type(value) not in (int, float):
        _refuse(path, f"must be a {whole}number, not {json.dumps(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(path, "is too large a number")
    if whole and not number.is_integer():
        _refuse(path, f"must be a whole number, not {json.dumps(value)}")
    return int(value) if whole else number


def _read_list(kinds: Tuple[Any, ...], read: Reader, value: Any, path: str) -> Any:
    """Return a list as a tuple; `kinds` are the types of its items, or a type and an ellipsis for any length."""
    if not isinstance(value, list):
        _refuse(path, f"must be a list, not {json.dumps(value)}")
    if kinds[-1] is not Ellipsis and len(value) != len(kinds):
        _refuse(path, f"has {len(value)} values, expected {len(kinds)}")
    return tuple([read(item, f"{path}[{index}]") for index, item in enumerate(value)])


def json_schema() -> Json:
    """Return the JSON Schema (2020-12) of the texts of `write_json`, from the types of the records."""
    definitions: Json = {}
    top = _schema_record(RobotRecord, definitions)
    top["properties"] = {"format": {"const": FORMAT}, **top["properties"]}
    top["required"] = ["format", *top["required"]]
    return {"$schema": SCHEMA, "title": "robot", **top, "$defs": dict(sorted(definitions.items()))}


def _schema_record(kind: Any, definitions: Json) -> Json:
    """Return the schema of a record; records in it are added to the definitions."""
    defaults = kind._field_defaults
    properties: Json = {"type": {"const": defaults["kind"]}} if "kind" in defaults else {}
    for name, hint in _hints(kind).items():
        words = WORDS.get(kind, {}).get(name)
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


SIMPLE: Dict[Any, Json] = {
    bool: {"type": "boolean"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def _schema(kind: Any, definitions: Json) -> Json:
    """Return the schema of a type; records in it are added to the definitions."""
    options = _options(kind)
    if len(options) > 1:
        return {"oneOf": [_schema(option, definitions) for option in options]}
    kind = options[0]
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    if is_record(kind):
        if kind.__name__ not in definitions:
            # First, so that a record inside itself ends the recursion.
            definitions[kind.__name__] = {}
            definitions[kind.__name__] = _schema_record(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    items = get_args(kind)
    if items[-1] is Ellipsis:
        return {"type": "array", "items": _schema(items[0], definitions)}
    part = _schema(items[0], definitions)  # tuples of a model have items of one type
    return {"type": "array", "items": part, "minItems": len(items), "maxItems": len(items)}
