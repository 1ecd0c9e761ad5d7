"""The form of the page: its options, and the command line for its values.

The help of an option, its choices and its default come from the table of options, so the page agrees with `--help`.
"""
import os
import shlex
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import robot_stem
from ..base.option_table import Option
from ..app.option_rows import TABLE

SIMPLIFY, EDIT, COMPARE, LINT, EXPORT = "simplify", "edit", "compare", "lint", "export"
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
        on: it is selected by default.
    """

    name: str
    label: str
    task: str
    group: str
    ending: str = ""
    hint: str = ""
    on: bool = False


CHANGES, NAMES, JOINTS, LINKS, VALUES, MESHES, FORMATS, SETTINGS, OUTPUTS, READING, FINDINGS, COMPARING = (
    "What to change", "Which links and frames", "Joints", "Links", "Names and values", "Meshes", "Which formats",
    "Settings", "Also write", "Reading", "Which findings", "How to compare")
FIELDS: Tuple[Field, ...] = (
    Field("merge", "Merge links on fixed joints", SIMPLIFY, CHANGES),
    Field("strip_hardware", "Strip motor parts", SIMPLIFY, CHANGES),
    Field("reorient", "Turn frames to X forward, Z up", SIMPLIFY, CHANGES),
    Field("keep_signs", "Flip no joint", SIMPLIFY, CHANGES),
    Field("keep", "Keep links", SIMPLIFY, NAMES, hint="imu_*, tool0"),
    Field("keep_frames", "Keep frames such as tool0", SIMPLIFY, NAMES),
    Field("keep_all_frames", "Leave a frame for each merged link", SIMPLIFY, NAMES),
    Field("strip", "Meshes to remove", SIMPLIFY, NAMES, hint="*screw*"),
    Field("base_frame", "The input faces", SIMPLIFY, NAMES, hint="auto, ros, onshape, x=left,y=back,z=up"),
    Field("for", "Meshes and names for", SIMPLIFY, MESHES),
    Field("mesh_format", "Convert meshes to", SIMPLIFY, MESHES),
    Field("split", "One file for each", SIMPLIFY, MESHES),
    Field("visual_error", "Fewer triangles, within", SIMPLIFY, MESHES, hint="0.5mm"),
    Field("one_mesh", "One mesh a color of a link", SIMPLIFY, MESHES),
    Field("report", "Report of the run", SIMPLIFY, OUTPUTS, "_report.json", on=True),
    Field("lenient", "Read mistakes as parsers do", SIMPLIFY, READING),
    Field("full", "Show all of the plan", SIMPLIFY, CHANGES),
    Field("lock", "Lock joints", EDIT, JOINTS, hint="waist_*=0, head_*"),
    Field("zero", "New zero of joints", EDIT, JOINTS, hint="*_knee_*=middle"),
    Field("flip", "Flip joints", EDIT, JOINTS, hint="*_elbow"),
    Field("drop", "Drop links and all below", EDIT, LINKS, hint="left_hand"),
    Field("only", "Keep only what is below", EDIT, LINKS, hint="left_shoulder"),
    Field("mirror", "Mirror image of a link", EDIT, LINKS, hint="left_shoulder left=right"),
    Field("root", "New root", EDIT, LINKS, hint="tool0"),
    Field("add_root", "Empty link above the root", EDIT, LINKS, hint="base_footprint"),
    Field("rename", "Rename", EDIT, VALUES, hint="a_*=b_*"),
    Field("prefix", "Prefix of all names", EDIT, VALUES, hint="left_"),
    Field("set", "Set values", EDIT, VALUES, hint="*_knee.effort=35"),
    Field("mjcf", "MJCF for MuJoCo", EXPORT, FORMATS, ".xml", on=True),
    Field("sdf", "SDF for Gazebo", EXPORT, FORMATS, ".sdf"),
    Field("usd", "USD for Isaac and Newton", EXPORT, FORMATS, ".usda"),
    Field("model", "JSON with all that is known", EXPORT, FORMATS, ".json"),
    Field("armature", "Armature for Blender", EXPORT, FORMATS, ".armature.json"),
    Field("blender_script", "Script that builds it", EXPORT, FORMATS, ".blender.py"),
    Field("output", "URDF", EXPORT, FORMATS, ".urdf"),
    Field("for", "Meshes and names for", EXPORT, MESHES),
    Field("mesh_format", "Convert meshes to", EXPORT, MESHES),
    Field("split", "One file for each", EXPORT, MESHES),
    Field("visual_error", "Fewer triangles, within", EXPORT, MESHES, hint="0.5mm"),
    Field("one_mesh", "One mesh a color of a link", EXPORT, MESHES),
    Field("base", "The base is", EXPORT, SETTINGS),
    Field("actuators", "Actuators", EXPORT, SETTINGS, hint="motor, position=100, none"),
    Field("full", "Show notes, too", LINT, FINDINGS, on=True),
    Field("ignore", "Leave out kinds", LINT, FINDINGS, hint="left-right, mesh-*"),
    Field("select", "Only these kinds", LINT, FINDINGS, hint="inertia-*"),
    Field("match", "Joints are matched by", COMPARE, COMPARING),
    Field("aspects", "Compare only", COMPARE, COMPARING, hint="motion,mass,limits"),
    Field("tolerance", "Rounding up to", COMPARE, COMPARING, hint="1e-4"),
    Field("full", "Show all", COMPARE, COMPARING),
)
OUTPUTS_OF = {SIMPLIFY: "-o {}.urdf --page {}.html", EDIT: "-o {}.urdf --page {}.html", EXPORT: "",
              COMPARE: "--report {}.json --page {}.html", LINT: "--report {}.json"}
ROWS: Dict[str, Option] = {row.name: row for row in TABLE}


def tasks() -> List[str]:
    """Return the tasks of the page."""
    return [SIMPLIFY, EDIT, COMPARE, LINT, EXPORT]


def form() -> List[Dict[str, Any]]:
    """Return the fields of the page as plain data."""
    return [_control(field, ROWS[field.name]) for field in FIELDS]


def _control(field: Field, row: Option) -> Dict[str, Any]:
    kind = "file" if field.ending else "flag" if row.kind is bool else "choice" if row.choices else "text"
    words = " ".join(filter(None, (f"{row.spelling}: {row.help}", row.more))) if row.verbs else field.label
    return {**field._asdict(), "kind": kind, "help": words, "choices": list(row.choices),
            "on": field.on or row.kind is bool and bool(row.default), "needs": list(row.needs)}


def command_words(robot: str, task: str, values: Mapping[str, Any], more: str = "", stem: str = "", *,
                  differences: bool = False) -> List[str]:
    """Return the words of the command line for the values of the form, with all outputs.

    Args:
        robot: the path of the URDF.
        task: one of `tasks()`.
        values: by name: True or False of a flag or a file, else text; "" and missing values mean the default.
            `srdf` and `compare` are paths.
        more: further words, quoted as in a shell.
        stem: the beginning of the names of all outputs; "": see `stem_of`.
        differences: of `simplify` and `edit`: only show the lines that change.

    Raises:
        UsageError: `more` has an open quote.
    """
    stem = stem or stem_of(robot, task)
    words = [*([] if task == SIMPLIFY else [task]), robot, *([str(values["compare"])] if task == COMPARE else [])]
    words += ["--srdf", str(values["srdf"])] if values.get("srdf") and task in (SIMPLIFY, EDIT, EXPORT) else []
    for field in (field for field in FIELDS if field.task == task):
        row, value = ROWS[field.name], values.get(field.name)
        if field.ending and differences or row.needs and not any(values.get(name) for name in row.needs):
            continue
        if field.ending:
            words += [*([] if task == EXPORT else [row.spelling]), stem + field.ending] if value else []
        elif row.kind is bool:
            words += [row.spelling] if value is not None and bool(value) != bool(row.default) else []
        elif value and value != row.default:
            words += _with_value(row, str(value))
    words += ["--diff"] if differences else [word.format(stem) for word in OUTPUTS_OF[task].split()]
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
    endings = {COMPARE: "_compared", LINT: "_lint", EDIT: "_edited", EXPORT: ""}
    return f"{robot_stem(os.path.basename(robot) if task == COMPARE else robot)}{endings.get(task, '_simplified')}"


def command_line(words: Sequence[str]) -> str:
    """Return the command that does the same in a terminal."""
    return " ".join([PROGRAM, *map(shlex.quote, words)])
