"""The command line of the single file: the commands that it has itself, and the package that it runs for all others."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, List, Optional, Sequence

from ..base.type_aliases import Lines, Words
from ..base.errors import did_you_mean, UsageError
from ..base.file_reading import first_element_of
from ..base.option_table import as_flag, rows_of
from ..base.version import __version__, own_source
from ..collada.conversion_records import COLLADA_ENDINGS
from ..run.single_file_options import CONVERSIONS, OPTION_ROWS, SIMPLIFY
from ..run.run_pipeline import NO_EXTENSION
from .parse_arguments import EXPORT, help_lines, is_model, parse, SAME, SIMPLIFY_COMMAND
from .run_command_line import run_command_line, value_given
from .simplify_command import simplify_command

OTHER_ENDINGS = (".xml", ".mjcf", ".sdf", ".world", ".usd", ".usda", ".usdc", ".usdz")


def run_here(verb: str, words: Words) -> int:
    """Run a command of the single file, or the package if the single file lacks a part; return the exit status.

    Raises:
        UrdfError: the input or an option cannot be used; or the package is needed, and not found.
    """
    lacking = lacking_part(verb, words)
    if lacking:
        return run_package([verb, *words], lacking)
    if verb == EXPORT:
        from .extract_meshes_command import extract

        return extract(parse(verb, OPTION_ROWS, words))
    return simplify_command(parse(verb, OPTION_ROWS, words), NO_EXTENSION)


def lacking_part(verb: str, words: Sequence[str]) -> str:
    """Return the part that a command needs and the single file lacks, for a message; "" if the command can run here.

    The part is the command, an option, or the reader of a file.
    """
    models = [*filter(is_model, words)]
    # Of `export`, the single file has the meshes of a COLLADA file, not the robots.
    has_command = verb == SIMPLIFY
    if verb == EXPORT and models:
        has_command = models[0].lower().endswith(COLLADA_ENDINGS)
    if not has_command:
        return f"the command {verb}"
    given = [word.partition("=")[0] for word in words]
    known = {*SAME, *(row.spelling for row in rows_of(verb, OPTION_ROWS))}
    for word in given:
        if word.startswith("--") and word not in known:
            return word
    # The second file would be the output.
    if verb == EXPORT and len(models) > 1:
        return "export of a model to a file"
    # Without a conversion the meshes would be copied, which is an export.
    converting = {*SAME, *map(as_flag, CONVERSIONS)}
    if "--mesh-dir" in given and converting.isdisjoint(given):
        return "--mesh-dir alone"
    if "--mesh-paths" in given and "--mesh-dir" not in given:
        return "--mesh-paths"
    if value_given(words, "--mesh-format") not in ("", "stl"):
        return "another --mesh-format than stl"
    if any(map(_is_other_format, words)):
        return "the reader of MJCF, SDF and USD"
    return ""


def _is_other_format(word: str) -> bool:
    """Return True if the first element of a file shows that it is MJCF, SDF or USD."""
    is_file = word.endswith(OTHER_ENDINGS) and os.path.isfile(word)
    return is_file and first_element_of(word) in ("mujoco", "sdf", "usd")


def run_package(words: Sequence[str], what: str) -> int:
    """Hand the whole command line to the package next to this file or installed; return its exit status.

    `what` names the part that this file lacks, such as an option.

    Raises:
        UsageError: no package is found, or it is another release.
    """
    package = _package()
    release = getattr(package, "__version__", "")
    if release != __version__:
        other = f" (the one there is {release}, this file {__version__})" if release else ""
        raise UsageError(
            f"{_lack_of(what)}: pip install . in a clone, or put the folder urdf_tools next to this file{other}"
        )
    status: int = package.main(list(words))
    return status


def _lack_of(what: str) -> str:
    """Return the sentence about an option or command that this file lacks; for an option, with a similar known one."""
    if not what.startswith("--"):
        return f"{what} is in the package, not in this file"
    names = [row.spelling for row in OPTION_ROWS]
    # Only a very similar option is suggested: most likely the given option exists in the package.
    near = did_you_mean(what, names, {name[: len(what)]: name for name in names}, 0.8)
    return f"this file has no {what}{near}; the package has more options"


def _package() -> Any:
    """Return the package next to this file or installed, None without one."""
    # The folder comes from the code object, as a part of the single file must not use `__file__`.
    folder = os.path.dirname(os.path.realpath(own_source.__code__.co_filename))
    before: List[str] = list(sys.path)
    try:
        sys.path.insert(0, folder)
        # Imported by name: the package is a separate copy, which may be missing or differ from the modules of this
        # file.
        package = import_module("urdf_tools.api")
        return package if hasattr(package, "main") else None
    except (ImportError, AttributeError):
        return None
    finally:
        sys.path[:] = before


def help_here(verb: str, *, full: bool) -> Lines:
    """Return the help of a command of the single file; the package prints the help of any other.

    Raises:
        UsageError: the package has the command, and no package is found.
    """
    if verb != SIMPLIFY:
        option = "--help" if full else "-h"
        run_package([verb, option], f"the command {verb}")
        return []
    return help_lines(
        SIMPLIFY_COMMAND,
        OPTION_ROWS,
        full=full,
        elsewhere=(
            "This file has simplify, and export of COLLADA to STL; the other commands and options are in the package: "
            "pip install . in a clone"
        ),
    )


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_here, help_here)
