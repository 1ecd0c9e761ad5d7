"""The signatures and help of the functions of the package, from the table of options.

`inspect`, `help()` and, through `urdf_tools/__init__.pyi`, type checkers and editors read them.
"""

from __future__ import annotations

import inspect
from textwrap import wrap
from typing import Any, Callable, List, Mapping, Sequence

from ..base.option_table import as_keyword, OptionRow, Rows, rows_of
from ..run.single_file_options import TERMINAL

WIDTH = 80  # of the help, as on a terminal


class UnquotedType(str):
    """A type as it stands in a program; it is shown without quotes."""

    def __repr__(self) -> str:
        return str(self)


def rows_of_call(verb: str, table: Rows) -> List[OptionRow]:
    """Return the options that the function of a command takes by keyword."""
    return [row for row in rows_of(verb, table) if row.name not in TERMINAL]


def type_of(row: OptionRow) -> str:
    """Return the type of the values that `read_choice` takes for an option, as a text of Python."""
    if row.python_type:
        kind = row.python_type
    elif row.choices:
        kind = f"Literal[{', '.join(map(repr, row.choices))}]"
    elif row.kind is not str:
        kind = row.kind.__name__
    elif "FILE" in row.metavar or row.metavar == "DIR":
        kind = "Path"
    else:
        kind = "str"
    if row.repeatable:
        # A named type is the type of all values together.
        return kind if row.python_type else "Texts"
    return f"Optional[{kind}]" if row.default is None else kind


def add_options(
    function: Callable[..., Any], verb: str, table: Rows, own: Mapping[str, str] = {}
) -> None:
    """Write the options of a command into the signature and the docstring of a function that takes `**choices`.

    Args:
        function: its last parameter takes the options.
        verb: the command.
        table: all options.
        own: names of options by the parameters of the function that are these options.
    """
    rows = rows_of_call(verb, table)
    types = {row.name: UnquotedType(type_of(row)) for row in rows}
    signature = inspect.signature(function)
    *given, _ = signature.parameters.values()
    parameters = []
    for parameter in given:
        option = own.get(parameter.name, "")
        type_text = types.pop(option, UnquotedType(parameter.annotation))
        parameters.append(parameter.replace(annotation=type_text))
    others = [row for row in rows if row.name in types]
    for row in others:
        parameters.append(
            inspect.Parameter(
                as_keyword(row.name),
                inspect.Parameter.KEYWORD_ONLY,
                default=row.default,
                annotation=types[row.name],
            )
        )
    # `inspect.signature` reads this attribute first (PEP 362).
    shown = signature.replace(parameters=parameters, return_annotation=UnquotedType("Result"))
    function.__signature__ = shown  # type: ignore[attr-defined]
    function.__doc__ = f"{inspect.getdoc(function)}\n\n{_help_of(others)}\n"


def _help_of(rows: Sequence[OptionRow]) -> str:
    """Return the lines that explain options, as `--help` does."""
    lines = ["Options, by keyword:"]
    for row in rows:
        lines += _lines_of(row)
    return "\n".join(lines)


def _lines_of(row: OptionRow) -> List[str]:
    """Return the lines that explain an option."""
    name = as_keyword(row.name)
    if row.default is True:
        # The command line has this option only to turn it off, and its help says so.
        name += "=False"
    text = f"{row.help}. {row.more}" if row.more else row.help
    return wrap(
        f"{name}: {text}",
        WIDTH,
        initial_indent=" " * 4,
        subsequent_indent=" " * 8,
        break_on_hyphens=False,
    )
