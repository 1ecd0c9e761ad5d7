"""One record for each choice of the user: what the command line, the library and the README say of it."""
from typing import Any, NamedTuple, Tuple


class Option(NamedTuple):
    """A choice of the user.

    Attributes:
        name: the field or keyword, such as `base_frame`.
        group: the heading in the help page.
        help: what it does, in a phrase; the default is said here.
        metavar: what the help shows for the value; "" for flags and where there are `choices`.
        kind: bool for a flag, which turns the default round; else str, float or int.
        default: the value where none is given.
        choices: the values that exist; () for any.
        repeatable: may be given several times; the value is a tuple.
        short: a second spelling that the help shows, such as `-o`.
        flag: the spelling on the command line where it is not `--` and the name with hyphens.
        hidden: spellings that are accepted and not shown.
        same_as: words that are accepted for one of the `choices`, as (word, choice).
        is_output: the value is the name of a file that the run writes.
        alone: a flag that needs no robot: it prints a text and ends the run.
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
    hidden: Tuple[str, ...] = ()
    same_as: Tuple[Tuple[str, str], ...] = ()
    is_output: bool = False
    alone: bool = False

    @property
    def spelling(self) -> str:
        """How the command line calls it, such as `--base-frame`."""
        return self.flag or f"--{self.name.replace('_', '-')}"
