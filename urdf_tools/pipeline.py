"""The one way through: read, view, plan, rehearse, prove, and, in a library call, write."""
import os
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Union

from .check import Proof, check
from .document import parse_document
from .files import check_output, read_file, write_whole
from .numerals import LARGEST
from .options import Options, read_axis_word
from .passes import apply_plan
from .plan import Plan, make_plan
from .reading import read_robot
from .robot import Robot


class Result(NamedTuple):
    """What a run does: the plan, the robots read from both texts, the proof, and the bytes of both files."""

    plan: Plan
    before: Robot
    after: Robot
    proof: Proof
    source: bytes
    data: bytes

    @property
    def changed(self) -> bool:
        """True when the result differs from the input."""
        return self.source != self.data

    @property
    def text(self) -> str:
        """The text of the resulting URDF."""
        return self.after.document.text()


def rehearse(source: bytes, path: str, options: Options, output: str = "") -> Result:
    """Carry everything out in memory and prove it.

    Args:
        source: the bytes of the input.
        path: its name, for messages; relative mesh names are seen from its folder.
        options: the choices.
        output: the file the result is meant for, or "" for one in the folder of the input.

    Raises:
        UrdfError: the input or an option cannot be used.
        ProofFailed: the result is not the same robot; a fault of this tool.
    """
    document = parse_document(source, path)
    folder = os.path.dirname(path)
    plan = make_plan(read_robot(document), options, folder, os.path.dirname(output) if output else folder)
    data = apply_plan(document, plan, source)
    before = read_robot(parse_document(source, path))
    after = read_robot(parse_document(data, path), largest=LARGEST ** 4)  # merged inertias may grow
    return Result(plan, before, after, check(before, plan, after), source, data)


def simplify(urdf: Union[str, "os.PathLike[str]"], output: Union[str, "os.PathLike[str]", None] = None, *,
             force: bool = False, **choices: Any) -> Result:
    """Simplify and reorient a URDF file without asking or printing.

    Args:
        urdf: the path of the input.
        output: the path to write to, or None to write nothing.
        force: allow the output to be the input itself.
        choices: fields of `Options` by name; lists serve as tuples, and `axis` may be a dictionary such as
            `{"toe": "Y"}`.

    Returns:
        The plan, the proof and the resulting text.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    path = os.fspath(urdf)
    target = os.fspath(output) if output is not None else None
    if target is not None:
        check_output(target, path, force)
    result = rehearse(read_file(path), path, options_from(choices), target or "")
    if target is not None:
        write_whole(target, result.data)
    return result


def options_from(choices: Mapping[str, Any]) -> Options:
    """Return Options from keyword arguments as a library call has them."""
    unknown = sorted(set(choices) - set(Options._fields))
    if unknown:
        raise TypeError(f"'{unknown[0]}' is no option; there are {', '.join(Options._fields)}")
    values: Dict[str, Any] = {}
    for name, value in choices.items():
        if name == "axis":
            pairs = [f"{word}={axis}" for word, axis in value.items()] if isinstance(value, Mapping) else value
            value = tuple(read_axis_word(pair) if isinstance(pair, str) else pair for pair in _strings(pairs))
        elif isinstance(getattr(Options(), name), tuple):
            value = _strings(value)
        values[name] = value
    return Options(**values).checked()


def _strings(value: Optional[Iterable[Any]]) -> Iterable[Any]:
    return (value,) if isinstance(value, str) else tuple(value or ())
