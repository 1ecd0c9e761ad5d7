"""Run the package from the single file, for options and formats that only the package has."""
import os
import re
import sys
from importlib import import_module
from typing import Any, List, Optional, Sequence

from ..base.errors import UsageError
from ..base.option_table import as_flag
from ..base.version import __version__, own_source
from ..run.option_rows import CONVERSIONS, PACKAGE_ONLY
from ..run.pipeline import NO_EXTENSION
from .arguments import MODEL_ENDINGS
from .command import value_given


def hand_over(words: Sequence[str]) -> Optional[int]:
    """Run the package if the words name something that only it has: an option, or a file that is MJCF or SDF.

    Returns:
        Its exit status, or None.

    Raises:
        UsageError: there is none, or it is another release.
    """
    known, given = set(map(as_flag, PACKAGE_ONLY)), [word.partition("=")[0] for word in words]
    option = next((word for word in given if word in known), "")
    reasons = {
        "reading arguments from a file": any(word.startswith("@") for word in words), option: option,
        "--mesh-dir alone": "--mesh-dir" in given and not {*map(as_flag, CONVERSIONS)}.intersection(given),
        "--planar merge": value_given(words, "--planar") == "merge",
        "the reader of MJCF and SDF": any(map(_is_other_format, words))}
    what = next((reason for reason, holds in reasons.items() if holds), "")
    return run_package(words, what) if what else None


def _is_other_format(word: str) -> bool:
    """Return True for the name of a file that is MJCF or SDF, as its first element says."""
    if not word.endswith((".xml", ".mjcf", ".sdf", ".world")) or not os.path.isfile(word):
        return False
    with open(word, "rb") as stream:
        return re.match(rb"(?s)\s*(<\?.*?\?>|<!--.*?-->|\s)*<(mujoco|sdf)\b", stream.read(65536)) is not None


def hand_over_model(arguments: Any) -> int:
    """Split a COLLADA model, or run the package for one that only it reads; return the exit status.

    Raises:
        UrdfError: see `extract` and `hand_over`.
    """
    if not arguments.input_urdf.lower().endswith(MODEL_ENDINGS):
        from .extract_meshes import extract

        return extract(arguments)
    return run_package(arguments.words, "the reader of such a model")


def run_package(words: Sequence[str], what: str) -> int:
    """Hand the whole command line to the package that is next to this file or installed; return its exit status.

    `what` is what this file lacks, such as an option.

    Raises:
        UsageError: there is none, or it is another release.
    """
    hint = (f"{what} is not in the single file but in the package urdf_tools {__version__}: `pip install` a "
            "clone of its repository, or put the folder urdf_tools next to this file")
    folder = os.path.dirname(os.path.realpath(own_source.__code__.co_filename))
    before: List[str] = list(sys.path)
    try:
        sys.path.insert(0, folder)
        # By name, as this is another copy, which may be missing or differ: no import of a module of this one.
        package = import_module("urdf_tools.api")
        release, start = package.__version__, package.main
    except (ImportError, AttributeError):
        raise UsageError(hint) from None
    finally:
        sys.path[:] = before
    if release != __version__:
        raise UsageError(f"{hint} (the one there is {release})")
    return int(start(list(words)))


HAND_OVER = NO_EXTENSION._replace(run_instead=hand_over, run_model=hand_over_model)
