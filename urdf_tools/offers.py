"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""
from .cli import main
from .errors import BrokenMesh, BrokenRobot, MalformedXml, ManyProblems, ProofFailed, Unusable, UrdfError
from .extracting import extract_meshes_from_dae
from .options import MeshOptions, Options
from .pipeline import Result, simplify
from .record import record_of, record_text
from .version import __version__

__all__ = ["BrokenMesh", "BrokenRobot", "MalformedXml", "ManyProblems", "MeshOptions", "Options", "ProofFailed",
           "Result", "Unusable", "UrdfError", "__version__", "extract_meshes_from_dae", "main", "record_of",
           "record_text", "simplify"]
