"""The options of this folder in a library call, by name: `simplify("robot.urdf", "out.urdf", mesh_format="obj")`."""
import re
from keyword import iskeyword
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar

from ..base.errors import ManyProblems, Unusable, UrdfError
from ..base.option_table import check_needs, read_choice
from ..run.destinations import read_path
from ..run.option_rows import AS_IS
from ..run.pipeline import Addition
from .options import EXPORT_OPTIONS, ExportRequest, make_meshes, run_exports

ROWS = {row.name: row for row in EXPORT_OPTIONS if not row.alone}


def addition_of(choices: Mapping[str, Any]) -> Tuple[Optional[Addition], Dict[str, Any]]:
    """Return what the options of this folder add to a run, and the choices that are not theirs.

    Raises:
        TypeError: the option is none of a run.
        Unusable: a value of another type, or one that does not exist; or one option by two names.
    """
    if "model_schema" in choices:
        raise TypeError("'model_schema' is no option of a run: call urdf_tools.model.json_schema()")
    others = dict(choices)
    own: Dict[str, Any] = {row.name: row.default for row in EXPORT_OPTIONS}
    for name in [name for name in choices if name.rstrip("_") in ROWS]:  # `for_`, as `for` is a word of Python
        row, given = ROWS[name.rstrip("_")], others.pop(name)
        if name != row.name and row.name in choices:
            raise Unusable(f"{row.name} and {name} are one option: give one of them")
        own[row.name] = (read_path(name, given) or None) if row.is_output else read_choice(row, given, name)
    check_needs(EXPORT_OPTIONS, own, flags=False)
    if own["as_is"]:
        others.update(AS_IS)
    return Addition(
        tuple((name, own[name]) for name, row in ROWS.items() if row.is_output and own[name]),
        lambda meshes, path, target: _in_keywords(lambda: make_meshes(own, meshes, path, target)),
        lambda result, path, target: _in_keywords(lambda: run_exports(ExportRequest(result, own, path, target, {})))
    ), others


Made = TypeVar("Made")


def _in_keywords(make: Callable[[], Made]) -> Made:
    """Return what is made; errors name options as the library does: `kp` and not `--kp`."""
    try:
        return make()
    except UrdfError as error:
        for one in (error, *(error.problems if isinstance(error, ManyProblems) else ())):
            one.message = re.sub(r"(?<![\w-])--([a-z][a-z-]*)", _keyword, one.message)
        raise


def _keyword(flag: "re.Match[str]") -> str:
    name = flag.group(1).replace("-", "_")
    return f"{name}_" if iskeyword(name) else name
