"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""
from .cli import main
from .errors import BrokenMesh, BrokenRobot, MalformedXml, ManyProblems, ProofFailed, Unusable, UrdfError
from .options import Options
from .pipeline import Result, simplify
from .record import record_of, record_text
from .version import __version__

__all__ = ["BrokenMesh", "BrokenRobot", "MalformedXml", "ManyProblems", "Options", "ProofFailed", "Result", "Unusable",
           "UrdfError", "__version__", "main", "record_of", "record_text", "simplify"]
