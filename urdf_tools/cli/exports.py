"""What the exports of the package add to a run; nothing in the single file."""
import argparse
from typing import NamedTuple, Tuple

from ..base.option_table import read_choice
from ..urdf.model import Notice
from ..run.pipeline import Result
from .hand_over import export_options, exporting


class Exported(NamedTuple):
    """What the exports add to a run: see `Exports` in `urdf_tools/export/options.py`, whose fields these are."""

    files: Tuple[Tuple[str, bytes], ...] = ()
    lines: Tuple[str, ...] = ()
    warnings: Tuple[Notice, ...] = ()


def run_exports(arguments: argparse.Namespace, result: Result, path: str, output: str) -> Exported:
    """Return what the exports that are asked for add to a run; nothing is written yet.

    Raises:
        UrdfError: one of them cannot do what it is asked for.
    """
    rows = export_options()
    choices = {row.name: read_choice(row, getattr(arguments, row.name), row.spelling) for row in rows}
    if all(choices[row.name] == row.default for row in rows):
        return Exported()
    door = exporting()
    target = "" if output == "-" else output
    made = Exported(*door.run_exports(door.ExportRequest(result, choices, path, target, not arguments.dry_run)))
    if not arguments.dry_run:
        return made
    shown = [choices[row.name] for row in rows if row.with_dry_run]
    return made._replace(files=tuple((name, data) for name, data in made.files if name in shown))
