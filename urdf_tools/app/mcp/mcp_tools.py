"""The tools of the server: their schemas, and the options of a call, from the table of options.

A tool takes the options of its command as the functions in Python do: the same names, values and defaults.
"""

from __future__ import annotations

import os
import typing
from typing import Any, Dict, List, Mapping, Tuple, Union

from ...base.errors import did_you_mean, UsageError
from ...base.option_table import OptionRow, rows_of
from ...base.record_type import Record
from ...base.type_aliases import Choices, Json, Texts
from ...cli.parse_arguments import SIMPLIFY_COMMAND
from ...run.single_file_options import MAKE, TERMINAL
from .. import argument_types
from ..package_options import command_of, TABLE
from ..function_signatures import type_of
from .allowed_folders import is_inside, outside_words

# Options of a terminal that a call may have if it may write.
OF_WRITING = ("output", "dry_run")
# `lint` and `compare` only read. A baseline is for a project that checks itself, and hides what an assistant is to see.
LEFT_OUT: Mapping[str, Texts] = {
    "lint": ("fix", "baseline", "update_baseline"),
}


class ToolArgument(Record):
    """An argument of a tool that is no option: its name, what it is, and whether it is a list of files."""

    name: str
    meaning: str
    is_list: bool = False


class McpTool(Record):
    """A tool: the command that it runs, its title, and its arguments that are no options, all of which it needs."""

    verb: str
    title: str
    arguments: Tuple[ToolArgument, ...]


ROBOT = ToolArgument("robot", "the file of the robot: URDF, xacro, MJCF, SDF or USD")
TEXT = "text"  # the argument of `explain`, which is no file
TOOLS: Mapping[str, McpTool] = {
    tool.verb: tool
    for tool in (
        McpTool(
            "lint",
            "Find mistakes",
            (ToolArgument("files", "the files to examine, or folders of robots", is_list=True),),
        ),
        McpTool(
            "compare",
            "Compare two robots",
            (ToolArgument("a", "a file"), ToolArgument("b", "the file to compare it with")),
        ),
        McpTool(
            "explain",
            "Explain a finding or an error",
            (
                ToolArgument(
                    TEXT, "the name of a finding, an option, or the error message of a program"
                ),
            ),
        ),
        McpTool("simplify", "Simplify a robot", (ROBOT,)),
        McpTool("edit", "Edit a robot", (ROBOT,)),
        McpTool(
            "export",
            "Export a robot",
            (
                ROBOT,
                ToolArgument(
                    "targets",
                    "the files to make; their endings say the formats, such as robot.xml for MJCF",
                    is_list=True,
                ),
            ),
        ),
    )
}


class ToolCall(Record):
    """A checked call: its command, the values of its arguments in their order, and of its options by name."""

    verb: str
    words: Texts
    options: Choices


def rows_of_tool(verb: str, *, writes: bool) -> List[OptionRow]:
    """Return the options of a tool; if the server does not write, without those that only write."""
    if verb == "explain":
        return []
    may_write = writes and makes_files(verb)
    rows = []
    for row in rows_of(verb, TABLE):
        only_writes = row.is_output or row.name in (*OF_WRITING, "force")
        is_of_terminal = row.name in TERMINAL and row.name not in OF_WRITING
        is_left_out = row.name in LEFT_OUT.get(verb, ())
        if not (is_of_terminal or is_left_out or only_writes and not may_write):
            rows.append(row)
    return rows


def makes_files(verb: str) -> bool:
    """Return True for a command that makes files of a robot; the others answer, and write nothing."""
    return verb in MAKE.split()


def tool_json(tool: McpTool, *, writes: bool) -> Json:
    """Return a tool as `tools/list` shows it."""
    command = SIMPLIFY_COMMAND if tool.verb == SIMPLIFY_COMMAND.verb else command_of(tool.verb)
    rows = rows_of_tool(tool.verb, writes=writes)
    may_write = writes and makes_files(tool.verb)
    description = command.sentences
    if makes_files(tool.verb) and not writes:
        description += " This is a dry run: no file is written."
    properties: Json = {each.name: _schema_of_argument(each) for each in tool.arguments}
    properties.update(
        {row.name: schema_of_option(row, command.output) for row in rows},
    )
    return {
        "name": tool.verb,
        "title": tool.title,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": [each.name for each in tool.arguments],
            "additionalProperties": False,
        },
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not may_write,
            "destructiveHint": may_write,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _schema_of_argument(argument: ToolArgument) -> Json:
    """Return the JSON Schema of an argument that is no option."""
    if argument.is_list:
        return {
            "description": argument.meaning,
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
        }
    return {"description": argument.meaning, "type": "string"}


def schema_of_option(row: OptionRow, output: str) -> Json:
    """Return the JSON Schema of an option: its type as in Python, its default, and its help.

    `output` is the default name of the output of the command.
    """
    text = f"{row.help}. {row.more}" if row.more else row.help
    if row.default is True:
        # The command line has this option only to turn it off, and its help says so.
        text = f"false: {text}"
    schema = {"description": text.replace("{output}", output), **schema_of_type(_type_of(row))}
    if row.default not in (None, (), ""):
        schema["default"] = row.default
    return schema


def _type_of(row: OptionRow) -> Any:
    """Return the type of an option: the text in its signature, read with the names of `call_types`."""

    def function() -> None:
        """Carry the annotation."""

    function.__annotations__ = {"option": type_of(row)}
    return typing.get_type_hints(function, {**vars(typing), **vars(argument_types)})["option"]


SIMPLE_TYPES: Dict[Any, str] = {bool: "boolean", float: "number", int: "integer", str: "string"}


def schema_of_type(given: Any) -> Json:
    """Return the JSON Schema of a type of `call_types`; () for what JSON cannot hold, such as paths and pairs."""
    if given in SIMPLE_TYPES:
        return {"type": SIMPLE_TYPES[given]}
    if given is Any:
        return {}
    origin = typing.get_origin(given)
    parts = typing.get_args(given)
    if origin is typing.Literal:
        return {"type": "string", "enum": [*parts]}
    if origin is Union:
        return _schema_of_either([schema_of_type(part) for part in parts if _is_json(part)])
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of_type(parts[1])}
    return {"type": "array", "items": schema_of_type(parts[0])}


def _is_json(given: Any) -> bool:
    """Return True for a type that a value of JSON can have: neither None, which is a missing option, nor Path or tuple."""
    return (
        given in SIMPLE_TYPES
        or given is Any
        or typing.get_origin(given) not in (None, tuple, os.PathLike)
    )


def _schema_of_either(schemas: List[Json]) -> Json:
    """Return the schema of a value that fits one of several schemas."""
    if len(schemas) == 1:
        return schemas[0]
    types = [schema["type"] for schema in schemas if schema.keys() == {"type"}]
    return {"type": types} if len(types) == len(schemas) else {"anyOf": schemas}


def call_of(tool: McpTool, given: Json, folder: str, *, writes: bool) -> ToolCall:
    """Return the checked call of a tool; the values of options are checked by its command.

    Args:
        tool: the tool.
        given: the arguments of the call.
        folder: of the server.
        writes: whether the server may write.

    Raises:
        UsageError: an argument is missing, unknown, of a wrong kind, or a path outside of the folder.
    """
    rows = {row.name: row for row in rows_of_tool(tool.verb, writes=writes)}
    own = {argument.name: argument for argument in tool.arguments}
    for name in given:
        if name not in rows and name not in own:
            raise UsageError(_unknown(tool.verb, name, [*own, *rows]))
    words: List[str] = []
    for argument in tool.arguments:
        texts = _texts_of(argument, given.get(argument.name))
        if argument.name != TEXT:
            for path in texts:
                check_path(argument.name, path, folder)
        words += texts
    # Some clients send null for an option that they leave out.
    options = {name: value for name, value in given.items() if name in rows and value is not None}
    for name, value in options.items():
        for path in _paths_in(rows[name], value):
            check_path(name, path, folder)
    return ToolCall(tool.verb, tuple(words), options)


def _unknown(verb: str, name: str, known: List[str]) -> str:
    """Return the sentence on an argument that a tool does not have."""
    if name in (row.name for row in rows_of_tool(verb, writes=True)):
        return f"{verb}: '{name}' writes files, and this server was started without --write"
    return f"{verb}: unknown argument '{name}'{did_you_mean(name, known)}"


def _texts_of(argument: ToolArgument, value: Any) -> List[str]:
    """Return the value of an argument as a list of texts.

    Raises:
        UsageError: it is missing, or of a wrong kind.
    """
    texts = value if argument.is_list and isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        form = "a list of texts" if argument.is_list else "a text"
        raise UsageError(f"give {argument.name} {form}: {argument.meaning}")
    return texts


def _paths_in(row: OptionRow, value: Any) -> List[str]:
    """Return the paths in the value of an option, as far as its type says that it has any."""
    kind = type_of(row)
    if kind in ("Path", "Optional[Path]") and isinstance(value, str):
        return [value]
    if kind != "PackageFolders":
        return []
    if isinstance(value, dict):
        return [folder for folder in value.values() if isinstance(folder, str)]
    pairs = value if isinstance(value, list) else [value]
    return [pair.partition("=")[2] for pair in pairs if isinstance(pair, str)]


def _is_name(path: str) -> bool:
    """Return True for a text that a file can have as its name: no zero byte, no half of a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def check_path(name: str, path: str, folder: str) -> None:
    """Refuse a path that is outside of the folder of the server, or no path.

    Raises:
        UsageError: the path cannot be used.
    """
    if path == "-":
        raise UsageError(f"give {name} the name of a file: standard input carries the protocol")
    if not _is_name(path):
        raise UsageError(f"{name} {path!r} is no name of a file")
    if not is_inside(os.path.join(folder, path), folder):
        raise UsageError(f"{name} '{path}' is {outside_words(folder)}")
