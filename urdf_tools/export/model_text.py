"""A model without a robot on the command line of the package: split, or described as JSON for programs."""
import argparse
import json
import sys
from typing import Callable

from ..cli.command import WRITTEN
from ..cli.extract_meshes import extract_model, model_options, print_conversion
from ..cli.streams import say
from ..collada.records import Conversion, RareCollada
from ..meshing.converter import MeshConverter


def extract_command(arguments: argparse.Namespace, rare: Callable[[], RareCollada]) -> int:
    """Split the COLLADA model that a command line names, also a rare one; return the exit status.

    `rare` is as in `MeshConverter`.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    converter = MeshConverter(model_options(arguments), rare)
    print_model(arguments, extract_model(arguments, converter), "dae")
    return WRITTEN


def print_model(arguments: argparse.Namespace, conversion: Conversion, key: str) -> None:
    """Print a line for each part and the notes, or with --json one object, in which `key` is the model."""
    if not arguments.json:
        return print_conversion(arguments, conversion)
    parts = [{key: [*map(str, value)] if key == "notes" else value for key, value in part._asdict().items()
              if key not in ("stamp", "details")} for part in conversion.parts]
    record = {key: arguments.input_urdf, "parts": parts, "notes": [*map(str, conversion.notes)]}
    return say([json.dumps(record, indent=2)], sys.stdout)
