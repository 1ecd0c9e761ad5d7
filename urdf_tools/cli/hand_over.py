"""Hand over from the single file to the package for options that only the package has."""
import os
import sys
from importlib import import_module
from typing import Any, List, Sequence, Tuple

from ..base.errors import Unusable
from ..base.option_table import Option
from ..base.version import __version__, own_source, SOURCE_DIGEST
from ..run.option_rows import PACKAGE_ONLY

MODEL_ENDINGS = (".stl", ".obj", ".gltf", ".glb")  # of models that only the package reads, besides COLLADA


def is_single_file() -> bool:
    """Return True where this code is the single file and not the package."""
    return bool(SOURCE_DIGEST)


def exporting() -> Any:
    """Return the module `urdf_tools.export.options`; for the package only, and only where it is needed."""
    return import_module("urdf_tools.export.options")


def export_options() -> Tuple[Option, ...]:
    """Return the table of the options that the package adds; () in the single file."""
    return () if is_single_file() else tuple(exporting().EXPORT_OPTIONS)


def package_option(words: Sequence[str]) -> str:
    """Return the first word that names an option of the package, as the command line spells it, or ""."""
    known = {f"--{name.replace('_', '-')}" for name in PACKAGE_ONLY}
    return next((word.partition("=")[0] for word in words if word.partition("=")[0] in known), "")


def run_package(words: Sequence[str], what: str) -> int:
    """Hand the whole command line to the package that is next to this file or installed; return its exit status.

    `what` is what this file has not, such as an option.

    Raises:
        Unusable: there is none, or it is another release.
    """
    way_out = (f"{what} is not in the single file but in the package urdf_tools {__version__}: `pip install` a "
               "clone of its repository, or put the folder urdf_tools next to this file")
    folder = os.path.dirname(os.path.realpath(own_source.__code__.co_filename))
    before: List[str] = list(sys.path)
    try:
        sys.path.insert(0, folder)
        found = import_module("urdf_tools.base.version").__version__
        start = import_module("urdf_tools.cli.main").main
    except (ImportError, AttributeError):
        raise Unusable(way_out) from None
    finally:
        sys.path[:] = before
    if found != __version__:
        raise Unusable(f"{way_out} (the one there is {found})")
    return int(start(list(words)))
