"""Call the exports of the package; in the single file there are none."""
import argparse
from typing import Any, Dict, Optional

from ..base.option_table import read_choice
from ..plan.mesh_splitting import MeshMaker
from ..plan.options import MeshOptions
from ..run.pipeline import Exported, Result
from .hand_over import export_options, exporting


def _choices(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return the values of the options of the package by name.

    Raises:
        Unusable: one of them does not exist.
    """
    return {option.name: read_choice(option, getattr(arguments, option.name), option.spelling)
            for option in export_options()}


def make_meshes(arguments: argparse.Namespace, meshes: MeshOptions, path: str, output: str) -> Optional[MeshMaker]:
    """Return what the package is to make of meshes, or None: see `make_meshes` in `urdf_tools/export/options.py`.

    Raises:
        UrdfError: an option cannot be used.
    """
    choices = _choices(arguments)
    if not any(choices.values()):
        return None
    made: Optional[MeshMaker] = exporting().make_meshes(choices, meshes, path, output)
    return made


def run_exports(arguments: argparse.Namespace, result: Result, path: str, output: str) -> Exported:
    """Return what the exports that are asked for add to a run; nothing is written yet.

    Raises:
        UrdfError: one of them cannot do what it is asked for.
    """
    choices = _choices(arguments)
    if not any(choices.values()):
        return Exported()
    door = exporting()
    target = "" if output == "-" else output
    made = Exported(*door.run_exports(door.ExportRequest(result, choices, path, target,
                                                         writes=not arguments.dry_run)))
    if not arguments.dry_run:
        return made
    shown = [choices[row.name] for row in export_options() if row.with_dry_run]
    return made._replace(files=tuple((name, data) for name, data in made.files if name in shown))
