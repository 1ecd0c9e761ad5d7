"""The one way through: read, view, plan, rehearse, prove, and, in a library call, write."""
import os
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from .check import Proof, check
from .document import Document, parse_document
from .errors import Unusable
from .files import check_apart, check_output, default_srdf_output, read_file, write_all
from .numerals import LARGEST
from .options import Options, read_axis_word
from .passes import apply_plan
from .plan import Plan, make_plan
from .reading import read_robot
from .robot import Robot
from .srdf import SrdfFollowing, follow_srdf
from .srdf_check import SrdfProof, check_srdf
from .xacro import check_not_xacro, read_expanded


class SrdfResult(NamedTuple):
    """What a run does to an SRDF: what followed, the documents read from both texts, the proof, and the bytes."""

    following: SrdfFollowing
    before: Document
    after: Document
    proof: SrdfProof
    source: bytes
    data: bytes

    @property
    def changed(self) -> bool:
        """True when the result differs from the input."""
        return self.source != self.data


class Result(NamedTuple):
    """What a run does: the plan, the robots read from both texts, the proof, the bytes of both files, and the SRDF."""

    plan: Plan
    before: Robot
    after: Robot
    proof: Proof
    source: bytes
    data: bytes
    srdf: Optional[SrdfResult] = None

    @property
    def changed(self) -> bool:
        """True when the resulting URDF differs from the input."""
        return self.source != self.data

    @property
    def text(self) -> str:
        """The text of the resulting URDF."""
        return self.after.document.text()


def rehearse(source: bytes, path: str, options: Options, output: str = "",
             srdf: Optional[Tuple[str, bytes]] = None) -> Result:
    """Carry everything out in memory and prove it.

    Args:
        source: the bytes of the input.
        path: its name, for messages; relative mesh names are seen from its folder.
        options: the choices.
        output: the file the result is meant for, or "" for one in the folder of the input.
        srdf: name and bytes of the SRDF that is to follow.

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
    result = Result(plan, before, after, check(before, plan, after), source, data)
    return result._replace(srdf=_rehearse_srdf(result, *srdf)) if srdf else result


def _rehearse_srdf(result: Result, path: str, source: bytes) -> SrdfResult:
    document = parse_document(source, path)
    following = follow_srdf(document, result.plan)
    data = document.to_bytes()
    before, after = parse_document(source, path), parse_document(data, path)
    proof = check_srdf(before, after, result.before, result.plan, result.after, following.warnings)
    return SrdfResult(following, before, after, proof, source, data)


def simplify(urdf: Union[str, "os.PathLike[str]"], output: Union[str, "os.PathLike[str]", None] = None, *,
             srdf: Union[str, "os.PathLike[str]", None] = None,
             srdf_output: Union[str, "os.PathLike[str]", None] = None, xacro_args: Iterable[str] = (),
             force: bool = False, **choices: Any) -> Result:
    """Simplify and reorient a URDF file without asking or printing.

    Args:
        urdf: the path of the input; a name that ends with `.xacro` is expanded by the `xacro` command.
        output: the path to write to, or None to write nothing.
        srdf: the path of an SRDF that is to follow.
        srdf_output: where that is written together with the output (default: the output's name with `.srdf`).
        xacro_args: arguments for xacro, each as `name:=value`.
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
    srdf_path = os.fspath(srdf) if srdf is not None else None
    srdf_target = os.fspath(srdf_output) if srdf_output is not None else default_srdf_output(target or "")
    if srdf_output is not None and (srdf_path is None or target is None):
        raise Unusable("srdf_output is for an SRDF that is written together with the output: give srdf and output")
    if target is not None:
        check_not_xacro(target, path)
        check_output(target, path, force)
        if srdf_path is not None:
            check_output(srdf_target, srdf_path, force, "srdf_output")
            check_apart([("output", target), ("srdf_output", srdf_target)])
    given = (srdf_path, read_file(srdf_path)) if srdf_path is not None else None
    source = read_expanded(path, tuple(xacro_args))
    result = rehearse(source, path, options_from(choices), target or "", given)
    if target is not None:
        write_all([(target, result.data), *([(srdf_target, result.srdf.data)] if result.srdf else [])])
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
