"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""

from .app.python_functions import Result, simplify
from .app.command_table import main
from .base.errors import (
    BrokenMesh,
    BrokenRobot,
    ErrorGroup,
    MalformedXml,
    ProofFailed,
    UsageError,
    UrdfError,
    UrdfSimplifyError,
)
from .base.version import __version__
from .plan.run_options import MeshOptions, Options
from .report.run_json import record_of, record_text

__all__ = [
    "BrokenMesh",
    "BrokenRobot",
    "ErrorGroup",
    "MalformedXml",
    "MeshOptions",
    "Options",
    "ProofFailed",
    "Result",
    "UsageError",
    "UrdfError",
    "UrdfSimplifyError",
    "__version__",
    "main",
    "record_of",
    "record_text",
    "simplify",
]
