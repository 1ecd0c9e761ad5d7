"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help.

The names are those of `api`, which is loaded when one of them is used, so that a program that imports a single module
loads no other. So are the packages `compare`, `lint` and `model`, and `Robot`, which is that of `model`.
"""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import compare as compare, lint as lint, model as model
    from .api import *  # noqa: F403
    from .model_api import Robot as Robot
else:
    from .lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "api", compare="", lint="", model="", Robot="model")
