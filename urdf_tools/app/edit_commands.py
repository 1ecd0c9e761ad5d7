"""`edit`, `collision` and `pairs`: the commands that change only the named parts of a robot."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import Any, Collection, Dict, Iterable, List, Mapping, Sequence, Tuple

from ..base.type_aliases import Json
from ..base.errors import UsageError
from ..base.file_reading import no_such_file, robot_stem
from ..base.option_table import either, rows_of
from ..base.shell_words import shell_word
from ..cli.parse_arguments import one_file
from ..cli.run_and_ask import run as run_robot
from ..collision.collision_settings import changes_collisions, KINDS
from .run_extension import EXTENSION
from .package_options import TABLE


def act_names() -> Collection[str]:
    """Return the names of all edits, which are the names of their options."""
    # Only `edit` needs the edits, and it loads them anyway.
    from ..edit.edit_sequence import ACTS

    return ACTS.keys()


def edit(arguments: argparse.Namespace) -> int:
    """Carry out the named edits, from left to right; return the exit status.

    Raises:
        UrdfError: no edit is named, or the input or an option cannot be used.
    """
    one_file(arguments)
    values = vars(arguments)
    refuse_no_act(values, "--root", "--lock")
    acts = act_names()
    flags = {row.spelling: row.name for row in rows_of("edit", TABLE) if row.name in acts}
    end = arguments.words.index("--") if "--" in arguments.words else len(arguments.words)
    spelled = [word.partition("=")[0] for word in arguments.words[:end]]
    values.update(ordered(values, [flags[word] for word in spelled if word in flags]))
    return run_robot(arguments, EXTENSION, f"{robot_stem(arguments.files[0])}_edited.urdf")


def refuse_no_act(values: Mapping[str, Any], root: str = "root", lock: str = "lock") -> None:
    """Refuse a run that names no edit.

    Raises:
        UsageError: no edit is named.
    """
    if not any(values.get(name) for name in act_names()):
        raise UsageError(
            f"edit needs an edit to make, such as {root} or {lock}; edit -h lists them"
        )


def ordered(values: Mapping[str, Any], names: Iterable[str]) -> Json:
    """Return the values of a run whose edits are carried out in the order of their names.

    Densities become words of each `inertia_from`.
    """
    asked = list(names)
    waiting: Dict[str, List[Any]] = {name: list(values[name]) for name in asked}
    densities = "".join(
        " " + shlex.quote(f"density={words}") for words in values.get("density") or ()
    )
    waiting["inertia_from"] = [value + densities for value in waiting.get("inertia_from", ())]
    acts: Sequence[Tuple[str, Any]] = [
        (name, waiting[name].pop(0)) for name in asked if waiting[name]
    ]
    return {"acts": tuple(acts), **dict.fromkeys(asked, ())}


def collision(arguments: argparse.Namespace) -> int:
    """Turn collision meshes into shapes that are proven to contain them; return the exit status.

    Raises:
        UrdfError: no shape is named, or the input or an option cannot be used.
    """
    one_file(arguments)
    if arguments.spheres and not changes_collisions(vars(arguments)):
        arguments.collision = "spheres"
    if not changes_collisions(vars(arguments)):
        raise UsageError(f"which shape? give --shape {either(KINDS)} (or --link GLOB=KIND)")
    return run_robot(arguments, EXTENSION, f"{robot_stem(arguments.files[0])}_collision.urdf")


def pairs(arguments: argparse.Namespace) -> int:
    """Find the links that never touch, and write them into an SRDF, or judge it; return the exit status.

    With --check the exit status is 1 if a line of the SRDF is wrong.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    one_file(arguments, 2)
    robot, *srdf = arguments.files
    arguments.files = [robot]
    arguments.srdf = (srdf or [None])[0]
    arguments.pairs_report = arguments.report
    arguments.report = None
    if arguments.check and not srdf:
        raise UsageError("--check needs an SRDF: urdf-simplify pairs ROBOT SRDF --check")
    if arguments.check:
        from .check_srdf_pairs import check_pairs

        return check_pairs(arguments)
    arguments.pairs = True
    if arguments.output == "-":
        raise UsageError("--output -: give the name of a file for the SRDF")
    if srdf and not os.path.lexists(srdf[0]):
        cure = f"the SRDF to write is -o {shell_word(srdf[0])}"
        raise UsageError(f"{no_such_file(srdf[0]).message}; {cure}", srdf[0])
    # The robot stays unchanged: a run writes the SRDF beside it.
    arguments.srdf_output = arguments.output or f"{robot_stem(robot)}_pairs.srdf"
    arguments.output = None
    return run_robot(arguments, EXTENSION, "")
