"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help.

The names are those of `api`, which is loaded when one of them is used, so that a program that imports a single module
loads no other. So are `pairs`, `extract_meshes_from_dae`, `Robot`, and the packages `collision`, `compare`, `edit`,
`export`, `lint` and `model`; but for `model` each of these is called as its function of the same name.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import compare as compare, lint as lint, model as model
    from .api import *  # noqa: F403
    from .app.python_functions import (
        collision as collision,
        edit as edit,
        export as export,
        extract_meshes_from_dae as extract_meshes_from_dae,
        pairs as pairs,
    )
    from .model_api import Robot as Robot
else:
    from .lazy_names import lazy

    __getattr__, __dir__ = lazy(
        __name__,
        "api",
        collision="",
        compare="",
        edit="",
        export="",
        extract_meshes_from_dae="app.python_functions",
        lint="",
        model="",
        pairs="app.python_functions",
        Robot="model",
    )
