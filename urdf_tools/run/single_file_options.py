"""The options that the single file has, each declared once: for the command line, the library, the help and the README.

`Options` has the types and defaults of the options of a plan; a row adds the rest.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Tuple, Union

from ..base.type_aliases import Choices, Pair
from ..base.number_text import grouped
from ..base.option_table import OptionRow, Rows
from ..collada.conversion_records import MISSING_UNITS
from ..plan.base_frame import read_base_frame
from ..plan.name_words import AXIS_LETTERS, AXIS_WORDS, HARDWARE, words_of
from ..plan.run_options import MeshOptions, Options

SIMPLIFY = "simplify"
MAKE = "simplify edit collision pairs export"  # the commands that make files of a robot
READ = f"{MAKE} compare lint view"  # the commands that read a robot
# Options about meshes that have an effect only while meshes are converted.
CONVERSIONS = ("mesh_format", "split", "for", "visual_error")
PLAN_DEFAULTS: Dict[str, Any] = {**Options()._asdict(), **MeshOptions()._asdict()}
FLAG: Mapping[str, Any] = {"kind": bool, "default": False}  # off by default
# Options of the command line alone: how the terminal output looks, and whether something is written.
TERMINAL = (
    "output",
    "yes",
    "dry_run",
    "check",
    "report",
    "quiet",
    "full",
    "color",
    "diff",
    "format",
)


DEFAULT_SNAP = f"{PLAN_DEFAULTS['snap']:.0e}".replace("e-0", "e-")  # as people write it: 1e-4


def known_axis_words() -> str:
    """Return the words that name an axis, such as `pitch, knee = Y, roll = X`."""
    words = grouped((AXIS_LETTERS[axis], word) for word, axis in AXIS_WORDS.items())
    return ", ".join(f"{', '.join(names)} = {letter}" for letter, names in words.items())


def read_axis_word(given: Union[str, Tuple[str, Union[str, int]]]) -> Tuple[str, int]:
    """Read a name class such as `toe=Y`, ("toe", "Y") or ("toe", 1).

    Raises:
        ValueError: it is not one word of letters and X, Y or Z.
    """
    word, letter = given.partition("=")[::2] if isinstance(given, str) else given
    axis = AXIS_LETTERS[letter].upper() if type(letter) is int and 0 <= letter < 3 else letter
    if (
        words_of(word) != (word.lower(),)
        or not isinstance(axis, str)
        or axis.upper() not in tuple(AXIS_LETTERS)
    ):
        raise ValueError
    return word.lower(), AXIS_LETTERS.index(axis.upper())


def read_package(given: "Union[str, Tuple[str, Union[str, os.PathLike[str]]]]") -> Pair:
    """Read the folder of a package, such as `my_robot=../my_robot` or ("my_robot", "../my_robot").

    Raises:
        ValueError: it is not a name and a folder that exists.
    """
    name, folder = given.partition("=")[::2] if isinstance(given, str) else given
    folder = os.fspath(folder)
    if not name or not isinstance(name, str) or not os.path.isdir(folder):
        raise ValueError
    return name, folder


def read_unit(given: object) -> object:
    """Return a unit of length in American spelling, whichever spelling it has; return other types unchanged."""
    if not isinstance(given, str):
        return given
    return {"metre": "meter", "millimetre": "millimeter"}.get(given, given)


def plan_row(name: str, verbs: str, words: str, metavar: str = "", **more: Any) -> OptionRow:
    """Return the row of a field of `Options` or `MeshOptions`, with the type and default of the field."""
    default = PLAN_DEFAULTS[name]
    repeatable = isinstance(default, tuple)
    usual = str if repeatable or default is None else type(default)
    kind = more.pop("kind", usual)
    return OptionRow(
        name, verbs, words, metavar, kind=kind, default=default, repeatable=repeatable, **more
    )


def flag(name: str, verbs: str, words: str, **more: Any) -> OptionRow:
    """Return the row of a flag that is off by default."""
    return OptionRow(name, verbs, words, **FLAG, **more)


def _of_mesh(name: str, words: str, metavar: str = "", **more: Any) -> OptionRow:
    """Return the row of a field of `MeshOptions` about the conversion of meshes."""
    return plan_row(name, "simplify export", words, metavar, needs=CONVERSIONS, **more)


# Which files a command writes, and whether it asks before.
WRITING: Rows = (
    OptionRow(
        "output",
        f"{SIMPLIFY} edit collision pairs lint view",
        "where to write (default: {output})",
        "FILE",
        short="-o",
        is_output=True,
        top="simplify edit collision pairs lint view",
        more="- is standard output, where file names are as seen from the folder of the input; the report then goes to "
        "standard error.",
    ),
    flag("yes", f"{MAKE} lint", "write without asking", short="-y", top="simplify"),
    flag(
        "dry_run",
        f"{MAKE} lint",
        "show what would be done, write nothing",
        short="-n",
        top="simplify edit",
        more="A --report and a --page are written all the same.",
    ),
    flag(
        "check",
        "simplify pairs",
        "write nothing; exit 1 if the file would change",
        top="simplify pairs",
        excludes=("output", "diff", "adapter"),
        more="Takes several files; in the "
        "package folders, too. Of pairs: judge the pairs of the SRDF; exit 1 if one is wrong.",
    ),
    OptionRow(
        "report",
        f"{MAKE} compare lint",
        "write what was done or found as JSON",
        "FILE",
        is_output=True,
        top="simplify",
    ),
    flag(
        "force",
        f"{MAKE} compare lint view",
        "replace the input, and files of others",
        more="Without it, an output may not be the input itself, and a mesh replaces no file that this tool did not "
        "write. Another output replaces any file, which is announced.",
    ),
)
# The output of the terminal, and how files are read.
READING: Rows = (
    flag("quiet", READ, "print warnings and errors only", short="-q"),
    flag("full", READ, "show everything: every joint, warning and note"),
    OptionRow(
        "color",
        f"{READ} explain",
        "auto, always or never",
        "WHEN",
        default="auto",
        choices=("auto", "always", "never"),
        more="auto: on a terminal, unless NO_COLOR is set.",
    ),
    plan_row(
        "package",
        READ,
        "the folder of package://NAME/",
        "NAME=DIR",
        kind=tuple,
        read=read_package,
        top="simplify",
        advice="give a name and a folder that exists, such as my_robot=../my_robot",
        python_type="PackageFolders",
        more="Also of $(find NAME) in xacro; repeatable. Else package.xml upward from the "
        "file, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, and a folder NAME beside it are tried.",
    ),
    OptionRow(
        "xacro_args",
        READ,
        "an argument for xacro; repeatable",
        "NAME:=VALUE",
        default=(),
        repeatable=True,
        flag="--xacro-arg",
    ),
    plan_row(
        "lenient",
        MAKE,
        "read broken files as common parsers do, with a warning",
        more="The first of several <inertial>, the first three of more numbers in rpy, an infinite limit as none, "
        "a missing <mass> as zero; of joints that share a name all but the first that moves are renamed; a joint "
        "that closes a loop is cut.",
    ),
)
# Which links, frames and meshes are kept.
KEEPING: Rows = (
    plan_row("keep", SIMPLIFY, "do not merge these links; repeatable", "GLOB", top="simplify"),
    plan_row("keep_frames", SIMPLIFY, "do not merge empty links such as tool0", top="simplify"),
    plan_row(
        "keep_all_frames",
        SIMPLIFY,
        "leave an empty link for every merged one, so that its TF name survives",
    ),
    plan_row(
        "keep_signs",
        SIMPLIFY,
        "flip no joint",
        top="simplify",
        more="An axis that points the other way is written as 0 -1 0.",
    ),
    plan_row("keep_mesh", SIMPLIFY, "do not strip these meshes; repeatable", "GLOB"),
)
# Which stages run: merging, stripping, turning.
MERGING: Rows = (
    plan_row(
        "merge",
        SIMPLIFY,
        "merge no links",
        flag="--no-merge",
        excludes=("merge_all", "keep_all_frames", "count_once"),
    ),
    plan_row(
        "strip_hardware", SIMPLIFY, "strip no motor parts", flag="--no-strip", excludes=("strip",)
    ),
    plan_row(
        "reorient", SIMPLIFY, "keep all frames and axes", flag="--no-reorient", excludes=("axis",)
    ),
    plan_row("merge_all", SIMPLIFY, "merge also what a sensor, a plugin or a loop needs"),
    plan_row("count_once", SIMPLIFY, "count the mass of a part exported twice once"),
    plan_row(
        "strip",
        SIMPLIFY,
        f"strip these meshes, too; repeatable (built in: {', '.join(HARDWARE)})",
        "GLOB",
    ),
)
# How frames are turned.
FACING: Rows = (
    plan_row(
        "base_frame",
        SIMPLIFY,
        "which way the input faces: auto, ros, onshape, or words",
        "FRAME",
        top="simplify",
        advice="give auto, onshape, ros, or words such as x=left,y=back,z=up",
        more="auto (default): by an earlier run's comment, left/right pairs, or two that agree of names of joints, "
        "wheels, feet, cameras, the reach of an arm and a comment of Onshape, else ros. onshape is "
        "x=right,y=forward,z=up; ros is x=forward,y=left,z=up; or three such words.",
    ),
    plan_row(
        "axis",
        SIMPLIFY,
        "joints with WORD in their name turn about it; repeatable",
        "WORD=X|Y|Z",
        kind=tuple,
        read=read_axis_word,
        advice="give one word of letters and an axis, such as toe=Y",
        python_type="AxisWords",
        more=f"Built in: {known_axis_words()}.",
    ),
    plan_row(
        "snap",
        SIMPLIFY,
        f"round smaller angles to 0 (default {DEFAULT_SNAP}; 0 is exact)",
        "RAD",
        valid=lambda value: 0.0 <= value <= 0.1,
        advice=f"give an angle from 0 to 0.1 rad (the default is {DEFAULT_SNAP})",
    ),
)
# Which mesh files are written, and where.
MESHES: Rows = (
    OptionRow(
        "split",
        "simplify export",
        "one mesh file and visual for each color, or material",
        "color|material",
        choices=("color", "material"),
        top="simplify export",
        more="COLLADA becomes STL; with --mesh-format all meshes are split, in that format. Collisions become one "
        "file each, and an image that is lost by this is named.",
    ),
    OptionRow(
        "mesh_format",
        "simplify export",
        "convert meshes: stl, obj, gltf or glb",
        "FORMAT",
        choices=("stl", "obj", "gltf", "glb"),
        top="export",
        more="Those of another format only, one file each. STL has no colors and no images.",
    ),
    plan_row(
        "mesh_dir",
        "simplify export",
        "copy or write the meshes there (default: <output>_meshes)",
        "DIR",
        top="export",
        more="The output of an export is its .urdf target, else its first one.",
    ),
    OptionRow(
        "mesh_paths",
        "simplify export",
        "relative, or package://NAME/meshes: what mesh names begin with",
        "PREFIX",
        top="export",
        more="Every mesh that is found is renamed so.",
    ),
)
# How these files are made.
CONVERTING: Rows = (
    plan_row(
        "append_mesh_type",
        "simplify export",
        "end the names of mesh files with _visual or _collision",
        needs=("mesh_dir", *CONVERSIONS),
    ),
    plan_row(
        "require_meshes",
        "simplify export",
        "a mesh that cannot be found or read is an error, not a warning",
        needs=CONVERSIONS,
    ),
    _of_mesh(
        "scale",
        "meters per unit of COLLADA files, instead of what they say",
        "M",
        kind=float,
        valid=lambda value: 0.0 < value < float("inf"),
        advice="give a positive number, the meters per unit",
    ),
    _of_mesh(
        "missing_unit",
        "unit of COLLADA files without one: meter (default) or millimeter",
        "UNIT",
        choices=tuple(MISSING_UNITS),
        read=read_unit,
    ),
    _of_mesh(
        "up_axis",
        "turn this axis of meshes to +Z: x, y or z (default: turn nothing)",
        "AXIS",
        choices=("x", "y", "z"),
        more="RViz and Gazebo turn nothing either.",
    ),
)
# In the order of the help.
OPTION_ROWS = (*WRITING, *READING, *KEEPING, *MERGING, *FACING, *MESHES, *CONVERTING)


def options_from(values: Choices, spelled: str = "base_frame") -> Options:
    """Return the choices of a run from the values of options by name, as `values_of` returns them.

    Args:
        values: names that are not fields are ignored, and missing fields have their defaults. Unless the `verb` is
            `simplify`, nothing is merged, stripped or turned.
        spelled: how the caller spells the option of the base frame, for messages.

    Raises:
        UsageError: the words of the base frame do not form a frame.
    """
    split, form, paths = (values.get(name) or "" for name in ("split", "mesh_format", "mesh_paths"))
    for_mujoco = values.get("for") == "mujoco"
    # Only a run with a mesh folder writes a prefix into names; `relative` and `keep` compute or keep the names instead.
    has_prefix = values.get("mesh_dir") and paths not in ("relative", "keep")
    mesh_prefix = paths if has_prefix else ""
    # MuJoCo refuses a mesh that lies in one plane.
    planar = "merge" if for_mujoco else "keep"
    given = {name: value for name, value in values.items() if name in PLAN_DEFAULTS}
    meshes = MeshOptions(
        **{name: given.pop(name) for name in MeshOptions._fields if name in given}
    )._replace(
        separate_dae_meshes=bool(split),
        combine_dae_meshes=form == "stl" and not split,
        merge_equal_colors=split != "material",
        planar=planar,
        mesh_prefix=mesh_prefix,
    )
    if values.get("verb", SIMPLIFY) != SIMPLIFY:
        given.update(merge=False, strip_hardware=False, reorient=False)
    options = Options(**{**given, "meshes": meshes})
    if options.base_frame != "auto":
        read_base_frame(options.base_frame, spelled)
    return options
