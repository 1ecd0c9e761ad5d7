"""The record of an option: the parser, the help, the library and the README are made from its rows."""

from __future__ import annotations

import os
import re
from keyword import iskeyword
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple

from .type_aliases import Choices, Texts
from .errors import did_you_mean, UsageError
from .record_type import Record
from .shell_words import shell_word

KIND_WORDS = {bool: "True or False", str: "text", float: "a number", int: "a whole number"}


class OptionRow(Record):
    """A choice of the user.

    Attributes:
        name: the field or keyword, such as `base_frame`.
        verbs: the commands that take it, between spaces.
        help: its effect, in one line.
        metavar: the word for the value in the help; "" for flags and for options with `choices`.
        more: further sentences, for the long help.
        top: the commands whose short help shows it.
        kind: bool for a flag, which inverts the default; else the type of the value.
        default: the value where none is given.
        choices: the values that exist; () for any.
        repeatable: may be given several times; the value is a tuple.
        short: a second spelling that the help shows, such as `-o`.
        flag: the spelling on the command line where it is not `--` and the name with hyphens.
        read: makes the value from a given text, or raises ValueError; None: the text is the value.
        valid: whether a value of the right kind can be used; None: any can.
        advice: an allowed value, for messages, such as `give a number from 0 to 1`.
        is_output: the value is the name of a file that the run writes.
        finds_files: with it no file must be named, and words that are no options are patterns, which stay as they are.
        needs: the names of options of which at least one must be given too; () for an option with an effect of its own.
        excludes: the names of options that cannot be given too.
        python_type: the type of its value in a call, in words of `app/argument_types.py`; "" where `kind` and `choices`
            are enough.
    """

    name: str
    verbs: str
    help: str
    metavar: str = ""
    more: str = ""
    top: str = ""
    kind: type = str
    default: Any = None
    choices: Texts = ()
    repeatable: bool = False
    short: str = ""
    flag: str = ""
    read: Optional[Callable[[Any], Any]] = None
    valid: Optional[Callable[[Any], bool]] = None
    advice: str = ""
    is_output: bool = False
    finds_files: bool = False
    needs: Texts = ()
    excludes: Texts = ()
    python_type: str = ""

    @property
    def spelling(self) -> str:
        """How the command line spells it, such as `--base-frame`."""
        return self.flag or as_flag(self.name)

    @property
    def shown(self) -> str:
        """How a help page shows it, such as `-o, --output FILE`."""
        spellings = ", ".join(filter(None, (self.short, self.spelling)))
        value = self.metavar or "|".join(self.choices or ())
        return f"{spellings} {value}" if value else spellings


Rows = Tuple[OptionRow, ...]


def as_flag(name: str) -> str:
    """Return the usual spelling of an option on the command line."""
    return f"--{name.replace('_', '-')}"


def as_keyword(name: str) -> str:
    """Return the spelling of an option in a library call: `for_`, as `for` is a word of Python."""
    return f"{name}_" if iskeyword(name) else name


def rows_of(verb: str, rows: Iterable[OptionRow]) -> List[OptionRow]:
    """Return the options that a command takes."""
    return [row for row in rows if verb in row.verbs.split()]


def either(words: Sequence[str]) -> str:
    """Return words as a choice: `a, b or c`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]


def pasted(spelling: str, name: str) -> str:
    """Return an option with a glob that matches only this name, quoted for a shell.

    A name that begins like an option is escaped, too.
    """
    escaped = re.sub(r"[*?[]|^[-@]", r"[\g<0>]", name)
    return f"{spelling} {shell_word(escaped)}"


def values_of(
    rows: Sequence[OptionRow], given: Choices, spelled: Callable[[OptionRow], str]
) -> Choices:
    """Return the values of options by name: given values, read and checked, and the defaults of the others.

    Args:
        rows: the options that exist.
        given: values by name, of these only.
        spelled: how the caller spells an option, for messages.

    Raises:
        UsageError: a value of a wrong kind, or a value that does not exist; two options that exclude each other; or an
            option that would have no effect without a further option.
    """
    values = {row.name: row.default for row in rows}
    for row in rows:
        if row.name in given:
            values[row.name] = read_choice(row, given[row.name], spelled(row))
    changed = {row.name: row for row in rows if values[row.name] != row.default}
    names = {row.name: spelled(row) for row in rows}
    for row in changed.values():
        for other in row.excludes:
            if other in changed:
                raise UsageError(f"{names[row.name]} and {names[other]} cannot be combined")
        if row.needs and changed.keys().isdisjoint(row.needs):
            needed = either([names[name] for name in row.needs if name in names])
            raise UsageError(f"{names[row.name]} needs {needed}")
    return values


def read_choice(option: OptionRow, given: Any, spelled: str) -> Any:
    """Return the value of an option from a caller's value: a value of its kind, or for several a list or dictionary.

    Args:
        option: its row in the table.
        given: the value; a folder or file may be a `Path`.
        spelled: how the caller spells the option, for the message.

    Raises:
        UsageError: the value is of a wrong kind, or does not exist; the message names the allowed values.
    """
    if not option.repeatable:
        is_unset = given is None and option.default is None
        return None if is_unset else _read_one(option, given, spelled)
    if given is None:
        return ()
    if isinstance(given, Mapping):
        given = tuple(given.items())
    elif isinstance(given, (str, int, float)):
        given = (given,)
    elif not isinstance(given, Iterable) or isinstance(given, bytes):
        raise _refusal(option, given, spelled)
    return tuple(_read_one(option, value, spelled) for value in given)


def _read_one(option: OptionRow, given: Any, spelled: str) -> Any:
    """Return the value of an option, read and checked."""
    value = given
    if option.kind is str and isinstance(given, os.PathLike):
        value = os.fspath(given)
    elif option.kind is float and isinstance(given, int) and not isinstance(given, bool):
        value = float(given)
    if option.is_output and not value:
        raise UsageError(f"{spelled} {given!r}: give the name of a file")
    try:
        value = option.read(value) if option.read else value
    except (TypeError, ValueError):
        raise _refusal(option, given, spelled) from None
    # True is an int in Python.
    fits = isinstance(value, option.kind) and (option.kind is bool or not isinstance(value, bool))
    is_choice = not option.choices or value in option.choices
    if not fits or not is_choice or (option.valid and not option.valid(value)):
        raise _refusal(option, given, spelled)
    return value


def _refusal(option: OptionRow, given: Any, spelled: str) -> UsageError:
    """Return the error of a value that an option does not take."""
    advice = option.advice
    if not advice:
        allowed = either(option.choices) if option.choices else KIND_WORDS[option.kind]
        advice = f"give {allowed}"
    shown = given if isinstance(given, str) and given else repr(given)
    meant = did_you_mean(shown, option.choices) if option.choices and isinstance(given, str) else ""
    return UsageError(f"{spelled} {shown}: {advice}{meant}")
