"""The form of the page: its options, and the command line for its values.

The help of an option, its choices and its default come from the table of options, so the page agrees with `--help`.
"""
import os
import shlex
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from ..app.option_rows import TABLE
from ..base.errors import UsageError
from ..base.files import robot_stem
from ..base.option_table import Option
from ..texts.pages import rows_of_page

SIMPLIFY, EDIT, COLLISION, COMPARE, LINT, EXPORT = "simplify", "edit", "collision", "compare", "lint", "export"
PROGRAM = "urdf-simplify"


class Field(NamedTuple):
    """An option on the page: a row of `form.md`.

    Attributes:
        task: the task that it is for.
        group: its heading.
        name: of the option.
        label: the text of its control.
        hint: an example of a text.
        ending: the option writes a file with the name of the robot and this ending; "" for another option.
        on: it is selected by default.
    """

    task: str
    group: str
    name: str
    label: str
    hint: str
    ending: str
    on: bool


def _field(task: str, group: str, name: str, label: str, example: str) -> Field:
    """Return the field of a row of `form.md`."""
    is_file = example.startswith((".", "_"))
    return Field(task, group, name, label.strip("*"), "" if is_file else example, example if is_file else "",
                 label.startswith("*"))


FIELDS = tuple(_field(*row) for row in rows_of_page(__file__, "form.md"))
OUTPUTS_OF = {EXPORT: "", COMPARE: "--report {}.json --page {}.html", LINT: "--report {}.json"}  # else both
ROWS: Dict[str, Option] = {row.name: row for row in TABLE}


def tasks() -> List[str]:
    """Return the tasks of the page."""
    return list(dict.fromkeys(field.task for field in FIELDS))


def form() -> List[Dict[str, Any]]:
    """Return the fields of the page as plain data."""
    return [_control(field, ROWS[field.name]) for field in FIELDS]


def _control(field: Field, row: Option) -> Dict[str, Any]:
    kind = "file" if field.ending else "flag" if row.kind is bool else "choice" if row.choices else "text"
    is_option = field.task in row.verbs.split()  # the name of a target is none
    words = ". ".join(filter(None, (f"{row.spelling}: {row.help}", row.more))) if is_option else field.label
    return {**field._asdict(), "kind": kind, "help": words, "choices": list(row.choices),
            "on": field.on or row.kind is bool and bool(row.default), "needs": list(row.needs)}


def command_words(robot: str, task: str, values: Mapping[str, Any], more: str = "", stem: str = "", *,
                  differences: bool = False) -> List[str]:
    """Return the words of the command line for the values of the form, with all outputs.

    Args:
        robot: the path of the URDF.
        task: one of `tasks()`.
        values: by name: True or False of a flag or a file, else text; "" and missing values mean the default.
            `srdf` and `compare` are paths.
        more: further words, quoted as in a shell.
        stem: the beginning of the names of all outputs; "": see `stem_of`.
        differences: of what makes a URDF: only show the lines that change.

    Raises:
        UsageError: `more` has an open quote.
    """
    stem = stem or stem_of(robot, task)
    words = [*([] if task == SIMPLIFY else [task]), robot, *([str(values["compare"])] if task == COMPARE else [])]
    words += ["--srdf", str(values["srdf"])] if values.get("srdf") and task not in (COMPARE, LINT) else []
    for field in (field for field in FIELDS if field.task == task):
        row, value = ROWS[field.name], values.get(field.name)
        if field.ending and differences or row.needs and not any(values.get(name) for name in row.needs):
            continue
        if field.ending:
            words += [*([] if task == EXPORT else [row.spelling]), stem + field.ending] if value else []
        elif row.kind is bool:
            words += [row.spelling] if value is not None and bool(value) != bool(row.default) else []
        elif value and value != row.default:
            words += _with_value(row, str(value))
    outputs = "--diff" if differences else OUTPUTS_OF.get(task, "-o {}.urdf --page {}.html")
    words += [word.format(stem) for word in outputs.split()]
    try:
        return [*words, *shlex.split(more)]
    except ValueError as error:
        raise UsageError(f"{str(error).lower()} in the further options") from None


def _with_value(row: Option, text: str) -> List[str]:
    """Return the words of an option with a text; a repeatable one is given once for each part between commas."""
    parts = [part.strip() for part in text.split(",")] if row.repeatable else [text.strip()]
    return [word for part in parts if part for word in (row.spelling, part)]


def stem_of(robot: str, task: str = SIMPLIFY) -> str:
    """Return the beginning of the names of all outputs."""
    endings = {COMPARE: "_compared", LINT: "_lint", EDIT: "_edited", COLLISION: "_collision", EXPORT: ""}
    return f"{robot_stem(os.path.basename(robot) if task == COMPARE else robot)}{endings.get(task, '_simplified')}"


def command_line(words: Sequence[str]) -> str:
    """Return the command that does the same in a terminal."""
    return " ".join([PROGRAM, *map(shlex.quote, words)])
