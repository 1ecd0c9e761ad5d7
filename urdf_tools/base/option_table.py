"""The record of an option, from which the command line, the library and the README are made."""
import os
import re
import shlex
from keyword import iskeyword
from typing import Any, Callable, Collection, Iterable, Mapping, NamedTuple, Optional, Sequence, Tuple

from .errors import did_you_mean, UsageError

KIND_WORDS = {bool: "True or False", str: "text", float: "a number", int: "a whole number"}


class Option(NamedTuple):
    """A choice of the user.

    Attributes:
        name: the field or keyword, such as `base_frame`.
        group: the heading in the help page.
        help: what it does, in a phrase, with the default. "" hides the option.
        metavar: what the help shows for the value; "" for flags and where there are `choices`.
        kind: bool for a flag, which inverts the default; else the type of the value.
        default: the value where none is given.
        choices: the values that exist; () for any.
        repeatable: may be given several times; the value is a tuple.
        short: a second spelling that the help shows, such as `-o`.
        flag: the spelling on the command line where it is not `--` and the name with hyphens.
        read: makes the value from one that is given, or raises ValueError; None: it is the value.
        valid: whether a value of the right kind can be used; None: any can.
        advice: what to give instead of a value that is refused, such as `give a number from 0 to 1`.
        is_output: the value is the name of a file that the run writes.
        with_dry_run: that file is also written by a run that writes nothing else.
        updates: of such a file, the option that names the document whose new version it is; "" for another file.
        alone: it needs no robot: the run prints a text and ends.
        only_shows: the run shows what it would change instead of its plan, and writes nothing but a --report.
        needs: the names of options of which one must be given too; () for one that has a meaning by itself.
        excludes: the names of options that cannot be given too.
    """

    name: str
    group: str
    help: str
    metavar: str = ""
    kind: type = str
    default: Any = None
    choices: Tuple[str, ...] = ()
    repeatable: bool = False
    short: str = ""
    flag: str = ""
    read: Optional[Callable[[Any], Any]] = None
    valid: Optional[Callable[[Any], bool]] = None
    advice: str = ""
    is_output: bool = False
    updates: str = ""
    with_dry_run: bool = False
    alone: bool = False
    only_shows: bool = False
    needs: Tuple[str, ...] = ()
    excludes: Tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        """How the command line spells it, such as `--base-frame`."""
        return self.flag or as_flag(self.name)


def as_flag(name: str) -> str:
    """Return the usual spelling of an option on the command line."""
    return f"--{name.replace('_', '-')}"


def as_keyword(name: str) -> str:
    """Return the spelling of an option in a library call: `for_`, as `for` is a word of Python."""
    return f"{name}_" if iskeyword(name) else name


def pasted(spelling: str, name: str) -> str:
    """Return an option with a glob that matches only this name, quoted for a shell.

    A name that begins like an option or an `@file` is escaped, too.
    """
    escaped = re.sub(r"[*?[]|^[-@]", r"[\g<0>]", name)
    return f"{spelling} {shlex.quote(escaped)}"


def read_choice(option: Option, given: Any, spelled: str) -> Any:
    """Return the value of an option from what a caller gave: a value of its kind, or of several a list or dictionary.

    Args:
        option: its row in the table.
        given: the value; a folder or file may be a `Path`.
        spelled: how the caller spells the option, for the message.

    Raises:
        UsageError: the value is of another kind, or does not exist; the message says what is allowed.
    """
    if not option.repeatable:
        return given if given is None and option.default is None else _read_one(option, given, spelled)
    if isinstance(given, Mapping):
        given = tuple(given.items())
    elif given is None or isinstance(given, str):
        given = () if given is None else (given,)
    elif not isinstance(given, Iterable) or isinstance(given, bytes):
        raise _refusal(option, given, spelled)
    return tuple(_read_one(option, value, spelled) for value in given)


def _read_one(option: Option, given: Any, spelled: str) -> Any:
    value = given
    if option.kind is str and isinstance(given, os.PathLike):
        value = os.fspath(given)
    elif option.kind is float and isinstance(given, int) and not isinstance(given, bool):
        value = float(given)
    try:
        value = option.read(value) if option.read else value
    except (TypeError, ValueError):
        raise _refusal(option, given, spelled) from None
    fits = isinstance(value, option.kind) and (option.kind is bool or not isinstance(value, bool))
    if not fits or option.choices and value not in option.choices or option.valid and not option.valid(value):
        raise _refusal(option, given, spelled)
    return value


def check_excludes(options: Iterable[Option], given: Collection[str], spelled: Mapping[str, str]) -> None:
    """Make sure that no two options that exclude each other are given, by name; `spelled` are the spellings.

    Raises:
        UsageError: naming both.
    """
    for row in options:
        for other in row.excludes if row.name in given else ():
            if other in given:
                raise UsageError(f"{spelled[row.name]} and {spelled[other]} exclude each other")


def check_needs(options: Sequence[Option], values: Mapping[str, Any], *, flags: bool = True) -> None:
    """Make sure that no option is given without one of those that it needs, where it would have no effect.

    Args:
        options: the rows to look at; others that they need are not named.
        values: by name, of other rows too; an option that is missing has its default.
        flags: the message spells options as the command line does.

    Raises:
        UsageError: naming the option, and those of which it needs one.
    """
    spelled = {row.name: row.spelling if flags else row.name for row in options}
    defaults = {row.name: row.default for row in options}
    given = {name for name, value in values.items() if value != defaults.get(name)}
    for row in options:
        if row.name in given and row.needs and given.isdisjoint(row.needs):
            *others, last = [spelled[name] for name in row.needs if name in spelled]
            listed = f"{', '.join(others)} and {last}" if others else last
            raise UsageError(f"{spelled[row.name]} is for {listed}: give {'one of them' if others else 'it'} too")


def given_values(options: Sequence[Option], values: Mapping[str, Any]) -> Tuple[Tuple[str, Any], ...]:
    """Return name and value of the options that differ from their defaults."""
    return tuple((row.name, values[row.name]) for row in options if values[row.name] != row.default)


def read_text(option: Option, text: str, spelled: str) -> Any:
    """Return the value of an option from a word of the command line, not checked but for its kind.

    Raises:
        UsageError: it should be a number and is none.
    """
    try:
        return option.kind(text)
    except ValueError:
        raise _refusal(option, text, spelled) from None


def _refusal(option: Option, given: Any, spelled: str) -> UsageError:
    advice = option.advice or (f"give {' or '.join(option.choices)}" if option.choices
                               else f"give {KIND_WORDS[option.kind]}")
    shown = given if isinstance(given, str) and given else repr(given)
    meant = did_you_mean(shown, option.choices) if option.choices and isinstance(given, str) else ""
    return UsageError(f"{spelled} {shown}: {advice}{meant}")
