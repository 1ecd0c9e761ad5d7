"""`edit`: the acts that are named, from left to right, and nothing else."""
import argparse
import shlex
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..base.option_table import rows_of
from ..cli.arguments import one_file
from ..cli.run import run as run_robot
from .engine import EXTENSION
from .option_rows import TABLE

ACTS = ("root", "attach", "mirror", "prefix", "rename", "add_root", "set", "inertia_from", "like", "lock", "zero",
        "flip", "only", "drop")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: no act is named, or the input or an option cannot be used.
    """
    one_file(arguments)
    values = vars(arguments)
    refuse_no_act(values, "--root", "--lock")
    flags = {row.spelling: row.name for row in rows_of("edit", TABLE) if row.name in ACTS}
    end = arguments.words.index("--") if "--" in arguments.words else len(arguments.words)
    spelled = [word.partition("=")[0] for word in arguments.words[:end]]
    values.update(ordered(values, [flags[word] for word in spelled if word in flags]))
    return run_robot(arguments, EXTENSION, f"{robot_stem(arguments.files[0])}_edited.urdf")


def refuse_no_act(values: Mapping[str, Any], root: str = "root", lock: str = "lock") -> None:
    """Refuse a run that names no act.

    Raises:
        UsageError: it names none.
    """
    if not any(values.get(name) for name in ACTS):
        raise UsageError(f"edit changes only what is named: give an edit, such as {root} or {lock}; edit -h lists them")


def ordered(values: Mapping[str, Any], names: Iterable[str]) -> Dict[str, Any]:
    """Return the values of a run whose acts are carried out in the order of their names.

    Densities are words of each `inertia_from`.
    """
    asked = list(names)
    waiting: Dict[str, List[Any]] = {name: list(_several(values[name])) for name in asked}
    densities = "".join(" " + shlex.quote(f"density={words}") for words in values.get("density") or ())
    waiting["inertia_from"] = [value + densities for value in waiting.get("inertia_from", ())]
    acts: Sequence[Tuple[str, Any]] = [(name, waiting[name].pop(0)) for name in asked if waiting[name]]
    return {"acts": tuple(acts), **{name: "" if name == "only" else () for name in asked}}


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)
