"""The options of this folder in a library call, by name: `simplify("robot.urdf", "out.urdf", mesh_format="obj")`."""
from typing import Any, Dict, Mapping, Optional, Tuple

from ..base.option_table import check_needs, read_choice
from ..run.destinations import read_path
from ..run.option_rows import AS_IS
from ..run.pipeline import Addition
from .options import EXPORT_OPTIONS, ExportRequest, make_meshes, run_exports

ROWS = {row.name: row for row in EXPORT_OPTIONS if not row.alone}


def addition_of(choices: Mapping[str, Any]) -> Tuple[Optional[Addition], Dict[str, Any]]:
    """Return what the options of this folder add to a run, and the choices that are not theirs.

    Raises:
        Unusable: a value of another type, or one that does not exist.
    """
    others = dict(choices)
    own: Dict[str, Any] = {row.name: row.default for row in EXPORT_OPTIONS}
    for name in [name for name in choices if name.rstrip("_") in ROWS]:  # `for_`, as `for` is a word of Python
        row, given = ROWS[name.rstrip("_")], others.pop(name)
        own[row.name] = (read_path(name, given) or None) if row.is_output else read_choice(row, given, name)
    check_needs(EXPORT_OPTIONS, own, flags=False)
    if own["as_is"]:
        others.update(AS_IS)
    return Addition(
        tuple((name, own[name]) for name, row in ROWS.items() if row.is_output and own[name]),
        lambda meshes, path, target: make_meshes(own, meshes, path, target),
        lambda result, path, target: run_exports(ExportRequest(result, own, path, target))), others
