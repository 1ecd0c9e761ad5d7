"""What the exports of the package add to a run; nothing in the single file."""
import argparse
from typing import NamedTuple, Tuple

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
    choices = {option.name: getattr(arguments, option.name) for option in export_options()}
    if not any(choices.values()):
        return Exported()
    door = exporting()
    return Exported(*door.run_exports(door.ExportRequest(result, choices, path, "" if output == "-" else output)))
