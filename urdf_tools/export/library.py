"""The options of the package in a library call, by name: `simplify("robot.urdf", "out.urdf", mesh_format="obj")`."""
from typing import Any, Dict, Mapping, Tuple

from ..base.errors import UsageError
from ..base.option_table import as_keyword, check_excludes, check_needs, given_values, read_choice
from ..run.destinations import read_path
from ..run.option_rows import AS_IS
from .options import PACKAGE_OPTIONS

OF_COMPARE = ("compare", "names", "aspects", "tolerance", "map")
ROWS = {row.name: row for row in PACKAGE_OPTIONS if not row.alone and row.name not in (*OF_COMPARE, "pairs_check")}


def of_call(choices: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Return the values of the options of the package by name, and the choices that are not theirs.

    Raises:
        TypeError: the option is none of a run.
        UsageError: a value of another type, or one that does not exist; or one option by two names.
    """
    if "model_schema" in choices:
        raise TypeError("'model_schema' is not an option of a run: call urdf_tools.model.json_schema()")
    for name in ("explain", "diff"):
        if name in choices:
            raise TypeError(f"'{name}' is not an option of a run: it prints something")
    for name in OF_COMPARE:
        if name in choices:
            raise TypeError(f"'{name}' is not an option of a run: call urdf_tools.compare.compare()")
    if "pairs_check" in choices:
        raise TypeError("'pairs_check' is not an option of a run: it judges an SRDF of a robot as it is")
    others = dict(choices)
    # Where processes are not forked, several need a caller that runs under `if __name__ == "__main__"`.
    values: Dict[str, Any] = {**{row.name: row.default for row in PACKAGE_OPTIONS}, "jobs": 1}
    for name in [name for name in choices if name.rstrip("_") in ROWS]:  # `for_`, as `for` is a word of Python
        row, given = ROWS[name.rstrip("_")], others.pop(name)
        if name != row.name and row.name in choices:
            raise UsageError(f"{row.name} and {name} are one option: give one of them")
        values[row.name] = (read_path(name, given) or None) if row.is_output else read_choice(row, given, name)
    keywords = {name: as_keyword(name) for name in values}
    check_excludes(PACKAGE_OPTIONS, dict(given_values(PACKAGE_OPTIONS, values)), keywords)
    check_needs(PACKAGE_OPTIONS, values, flags=False)
    return values, {**others, **(AS_IS if values["as_is"] else {})}
