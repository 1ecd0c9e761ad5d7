"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""
from typing import Any, TYPE_CHECKING

from . import compare, lint, model
from .base.errors import (BrokenMesh, BrokenRobot, ErrorGroup, MalformedXml, ProofFailed, UsageError,
                          UrdfError, UrdfSimplifyError)
from .base.version import __version__
from .plan.options import MeshOptions, Options
from .run.pipeline import Result
from .report.run_json import record_of, record_text
from .export.extension import main, simplify
from .export.extraction import extract_meshes_from_dae

if TYPE_CHECKING:
    from .model_api import Robot


def __getattr__(name: str) -> Any:
    """Return the `Robot` of `urdf_tools.model`, which loads all that reads and writes one, when it is asked for."""
    if name == "Robot":
        return model.Robot
    raise AttributeError(name)


__all__ = ["BrokenMesh", "BrokenRobot", "ErrorGroup", "MalformedXml", "MeshOptions", "Options",
           "ProofFailed", "Result", "Robot", "UsageError", "UrdfError", "UrdfSimplifyError", "__version__", "compare",
           "extract_meshes_from_dae", "lint", "main", "model", "record_of", "record_text", "simplify"]
