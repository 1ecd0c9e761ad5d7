"""The form of the page: its options, and the command line for its values.

The help of an option, its choices and its default come from the table of options, so the page agrees with `--help`.
"""
import os
import shlex
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..base.option_table import Option
from ..cli.arguments import option_rows
from ..export.options import EXPORT_OPTIONS

SIMPLIFY, COMPARE, LINT, DIFFERENCES = "simplify", "compare", "lint", "differences"
PROGRAM = "urdf-simplify"


class Field(NamedTuple):
    """An option on the page.

    Attributes:
        name: of the option.
        label: the text of its control.
        task: the task that it is for.
        group: its heading.
        ending: the option writes a file with the name of the robot and this ending; "" for another option.
        hint: an example of a text.
        value: the value that a checkbox selects, for an option with several.
        on: it is selected by default.
    """

    name: str
    label: str
    task: str
    group: str
    ending: str = ""
    hint: str = ""
    value: str = ""
    on: bool = False


CHANGES, NAMES, JOINTS, MESHES, OUTPUTS, MENDS, FINDINGS, COMPARING = (
    "What to change", "Which links and frames", "Joints", "Meshes", "Also write", "What simulators refuse",
    "Which findings", "How to compare")
FIELDS: Tuple[Field, ...] = (
    Field("merge", "Merge links on fixed joints", SIMPLIFY, CHANGES),
    Field("strip_hardware", "Remove motor hardware", SIMPLIFY, CHANGES),
    Field("reorient", "Turn frames to X forward, Z up", SIMPLIFY, CHANGES),
    Field("keep", "Keep links", SIMPLIFY, NAMES, hint="imu_*, tool0"),
    Field("keep_frames", "Keep frames such as tool0", SIMPLIFY, NAMES),
    Field("keep_all_frames", "Leave a frame for each merged link", SIMPLIFY, NAMES),
    Field("strip", "Meshes to remove", SIMPLIFY, NAMES, hint="*screw*"),
    Field("base_frame", "The input looks", SIMPLIFY, NAMES, hint="auto, ros, onshape, x=left,y=back,z=up"),
    Field("keep_signs", "Keep the sign of every joint", SIMPLIFY, JOINTS),
    Field("lock", "Lock joints", SIMPLIFY, JOINTS, hint="waist_*=0, head_*"),
    Field("zero", "New zero of joints", SIMPLIFY, JOINTS, hint="*_knee_*=middle"),
    Field("drop", "Drop links and all below", SIMPLIFY, JOINTS, hint="left_hand"),
    Field("for", "Meshes and names for", SIMPLIFY, MESHES),
    Field("mesh_format", "Convert meshes to", SIMPLIFY, MESHES),
    Field("separate_meshes", "One file for each color", SIMPLIFY, MESHES),
    Field("collision", "Collision meshes become", SIMPLIFY, MESHES),
    Field("mjcf", "MJCF for MuJoCo", SIMPLIFY, OUTPUTS, ".xml"),
    Field("sdf", "SDF for Gazebo", SIMPLIFY, OUTPUTS, ".sdf"),
    Field("usd", "USD for Isaac and Newton", SIMPLIFY, OUTPUTS, ".usda"),
    Field("model", "JSON with all that is known", SIMPLIFY, OUTPUTS, "_model.json"),
    Field("armature", "Armature for Blender", SIMPLIFY, OUTPUTS, "_armature.json"),
    Field("blender_script", "Script that builds it", SIMPLIFY, OUTPUTS, "_blender.py"),
    Field("report", "Report of the run", SIMPLIFY, OUTPUTS, "_report.json", on=True),
    Field("repair", "Read mistakes as parsers do", SIMPLIFY, MENDS),
    Field("massless", "Give massless links 1e-9 kg", SIMPLIFY, MENDS, value="tiny"),
    Field("inertia", "Replace impossible tensors", SIMPLIFY, MENDS, value="nearest"),
    Field("full", "Show all of the plan", SIMPLIFY, CHANGES),
    Field("full", "Show notes, too", LINT, FINDINGS, on=True),
    Field("lint_ignore", "Leave out kinds", LINT, FINDINGS, hint="left-right, mesh-*"),
    Field("lint_select", "Only these kinds", LINT, FINDINGS, hint="inertia-*"),
    Field("names", "Joints find each other by", COMPARE, COMPARING),
    Field("aspects", "Compare only", COMPARE, COMPARING, hint="motion,mass,limits"),
    Field("tolerance", "Rounding up to", COMPARE, COMPARING, hint="1e-4"),
    Field("full", "Show all", COMPARE, COMPARING),
)
ROWS: Dict[str, Option] = {row.name: row for row in option_rows(EXPORT_OPTIONS)}


def tasks() -> List[str]:
    """Return the tasks of the page."""
    return [task for task in (SIMPLIFY, LINT, COMPARE) if task == SIMPLIFY or task in ROWS]


def form() -> List[Dict[str, Any]]:
    """Return the fields of the page as plain data, if their options exist."""
    return [_control(field, ROWS[field.name]) for field in FIELDS if field.name in ROWS]


def _control(field: Field, row: Option) -> Dict[str, Any]:
    kind = ("file" if field.ending else "flag" if row.kind is bool or field.value else
            "choice" if row.choices else "text")
    return {**field._asdict(), "kind": kind, "help": f"{row.spelling}: {row.help}", "choices": list(row.choices),
            "on": field.on or row.kind is bool and bool(row.default), "needs": list(row.needs)}


def command_words(robot: str, task: str, values: Mapping[str, Any], more: str = "", stem: str = "") -> List[str]:
    """Return the words of the command line for the values of the form, without the main outputs.

    Args:
        robot: the path of the URDF.
        task: one of `tasks()`, or `differences`, a simplification that only shows changed lines.
        values: by name: True or False of a flag or a file, else text; "" and missing values mean the default.
            `srdf` and `compare` are paths.
        more: further words, quoted as in a shell.
        stem: the beginning of the names of all outputs; "": see `stem_of`.

    Raises:
        UsageError: `more` has an open quote.
    """
    words, stem = [robot], stem or stem_of(robot, task)
    if task == LINT:
        words += ["--lint", "--report", f"{stem}.json"]
    elif task == COMPARE:
        words += ["--compare", str(values["compare"])]
    elif values.get("srdf"):
        words += ["--srdf", str(values["srdf"])]
    shown_only = task == DIFFERENCES
    of_task = SIMPLIFY if shown_only else task
    for field in (field for field in FIELDS if field.task == of_task and field.name in ROWS):
        row, value = ROWS[field.name], values.get(field.name)
        # Differences are only shown, so options for output files do not apply.
        if shown_only and (field.ending or row.needs):
            continue
        if field.ending:
            words += [row.spelling, stem + field.ending] if value else []
        elif row.needs and of_task == SIMPLIFY and not any(values.get(name) for name in row.needs):
            continue
        elif field.value:
            words += [row.spelling, field.value] if value else []
        elif row.kind is bool:
            words += [row.spelling] if value is not None and bool(value) != bool(row.default) else []
        elif value:
            words += _with_value(row, str(value))
    try:
        return [*words, *shlex.split(more)]
    except ValueError as error:
        raise UsageError(f"{str(error).lower()} in the further options") from None


def _with_value(row: Option, text: str) -> List[str]:
    """Return the words of an option with a text; a repeatable one is given once for each part between commas."""
    parts = [part.strip() for part in text.split(",")] if row.repeatable else [text.strip()]
    return [word for part in parts if part for word in (row.spelling, part)]


def stem_of(robot: str, task: str = SIMPLIFY) -> str:
    """Return the beginning of the names of all outputs."""
    if task == COMPARE:
        return f"{robot_stem(os.path.basename(robot))}_compared"
    return f"{robot_stem(robot)}_{LINT if task == LINT else 'simplified'}"


def command_line(words: Sequence[str]) -> str:
    """Return the command that does the same in a terminal."""
    return " ".join([PROGRAM, *map(shlex.quote, words)])
