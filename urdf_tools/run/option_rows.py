"""The one table of options, used by the command line, the library and the README.

The types and defaults of the options of a plan are those of `Options` and `MeshOptions`; a row adds the help text.
"""
import os
import re
from functools import partial
from typing import Any, Dict, Mapping, Tuple, Union

from ..base.errors import did_you_mean
from ..plan.name_words import AXIS_LETTERS, HARDWARE, words_of
from ..base.number_text import LARGEST, read_numbers
from ..base.option_table import check_excludes, Option, read_choice
from ..collada.records import MISSING_UNITS
from ..plan.base_frame import read_base_frame
from ..plan.options import MeshOptions, Options, Position

WRITING, EXPANDING, VARIANTS, FRAMES, MERGING, STRIPPING, MESHES, OTHER = (
    "where to write, and how to ask", "xacro", "variants of the robot", "frames and axes", "merging", "motor hardware",
    "COLLADA meshes", "other")
CONVERSIONS = ("separate_dae_meshes", "combine_dae_meshes", "mesh_format", "convert_meshes", "separate_meshes",
               "combine_meshes", "for")  # what the other options of meshes are for
MESH_VALUES = ("merge_equal_colors", "planar", "max_faces", "scale", "missing_unit", "up_axis")  # of one COLLADA file
MODEL_OPTIONS = ("separate_dae_meshes", "combine_dae_meshes", *MESH_VALUES, "mesh_format", "gltf_up", "output", "force",
                 "yes", "json", "quiet", "color")  # what a model without a robot takes
PLAN_DEFAULTS: Dict[str, Any] = {**Options()._asdict(), **MeshOptions()._asdict()}
AS_IS = {"merge": False, "strip_hardware": False, "reorient": False}  # what the option of that name means


def read_axis_word(given: Union[str, Tuple[str, Union[str, int]]]) -> Tuple[str, int]:
    """Read a name class such as `toe=Y`, ("toe", "Y") or ("toe", 1).

    Raises:
        ValueError: it is not one word of letters and X, Y or Z.
    """
    word, letter = given.partition("=")[::2] if isinstance(given, str) else given
    axis = AXIS_LETTERS[letter].upper() if type(letter) is int and 0 <= letter < 3 else letter
    if words_of(word) != (word.lower(),) or not isinstance(axis, str) or axis.upper() not in tuple(AXIS_LETTERS):
        raise ValueError
    return word.lower(), AXIS_LETTERS.index(axis.upper())


def read_position(given: Union[str, Tuple[str, Position]], default: str = "") -> Tuple[str, Position]:
    """Read joints and where they are to be: `knee_*=1.57`, `knee=middle`, `knee=state:home` or ("knee", 1.57).

    Raises:
        ValueError: there is no name, or no position and no `default` for it, or one that is none of these.
    """
    glob, position = given if not isinstance(given, str) else (
        given.rpartition("=")[::2] if "=" in given else (given, default))
    if not glob or not isinstance(glob, str) or isinstance(position, bool):
        raise ValueError
    if isinstance(position, str) and (position == "middle" or re.match("state:.", position)):
        return glob, position
    value = position if isinstance(position, (int, float)) else read_numbers(position, 1)[0]
    if not abs(value) < LARGEST:
        raise ValueError
    return glob, float(value)


def read_package(given: "Union[str, Tuple[str, Union[str, os.PathLike[str]]]]") -> Tuple[str, str]:
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
    """Read a unit of length, also as the British write it."""
    return {"metre": "meter", "millimetre": "millimeter"}.get(given, given) if isinstance(given, str) else given


def _of_plan(name: str, group: str, explanation: str, metavar: str = "", **more: Any) -> Option:
    """Return the row of a field of `Options` or `MeshOptions`, whose type and default it has."""
    default = PLAN_DEFAULTS[name]
    repeatable = isinstance(default, tuple)
    kind = more.pop("kind", str if repeatable or default is None else type(default))
    return Option(name, group, explanation, metavar, kind, default, repeatable=repeatable, **more)


def _of_mesh(name: str, *words: str, **more: Any) -> Option:
    """Return the row of a field of `MeshOptions` that says how meshes are converted."""
    return _of_plan(name, MESHES, *words, needs=CONVERSIONS, **more)


def _flag(name: str, explanation: str, short: str = "", **more: Any) -> Option:
    return Option(name, WRITING, explanation, kind=bool, default=False, short=short, **more)


OPTION_ROWS: Tuple[Option, ...] = (
    Option("output", WRITING, "output file (default: <input>_simplified.urdf); - is standard output, the report then "
           "goes to standard error", "FILE", short="-o", is_output=True),
    _flag("yes", "write without asking", "-y"),
    _flag("dry_run", "show the plan, write nothing but a --report", "-n"),
    _flag("check", "write nothing but a --report; exit 1 if a run would change the URDF or an SRDF; takes several "
          "files", excludes=("diff",), only_shows=True),
    Option("report", WRITING, "write what was done as JSON, for programs", "FILE", is_output=True),
    _flag("force", "allow an output to be the input file itself, and meshes to replace files that this tool did not "
          "write; another output replaces any file, which is announced"),
    _flag("quiet", "print warnings and errors only", "-q"),
    _flag("full", "show all of the plan: every joint, warning and note, the tree, the proof"),
    Option("color", WRITING, "colors: on a terminal, unless NO_COLOR is set (auto, default), always, or never",
           default="auto", choices=("auto", "always", "never")),
    Option("xacro_args", EXPANDING, "an argument for xacro; repeatable", "NAME:=VALUE", default=(),
           repeatable=True, flag="--xacro-arg"),
    _of_plan("lock", VARIANTS, "joints that become fixed at a position [rad or m], at 0 without one, or at that of a "
             "group state of the SRDF (package only); what follows them is locked with them; repeatable",
             "GLOB[=VALUE|middle|state:NAME]", kind=tuple, read=partial(read_position, default="0"),
             advice="give joints and a position, such as 'waist_*' or waist=0.35"),
    _of_plan("zero", VARIANTS, "the position of joints that is 0 from now on: limits, mimics, transmissions, states "
             "and the rest follow; middle is that of the limits; repeatable",
             "GLOB=VALUE|middle|state:NAME", kind=tuple,
             read=read_position, advice="give joints and a position, such as knee=1.57 or 'knee_*=middle'"),
    _of_plan("keep_signs", VARIANTS, "no joint changes its sign: an axis that points the other way is written as "
             "0 -1 0"),
    _of_plan("flip", VARIANTS, "joints that change their sign, whatever their axis; repeatable", "GLOB"),
    _of_plan("only", VARIANTS, "keep this link and what is below it", "LINK"),
    _of_plan("drop", VARIANTS, "links that go, with all below them, before anything is merged; repeatable", "GLOB"),
    _of_plan("base_frame", FRAMES, "which way the input looks: auto (default: by an earlier run's comment, left/right "
             "pairs, names of joints, cameras, the reach of an arm, or a comment of Onshape, else ros), onshape "
             "(x=right,y=forward,z=up), ros (x=forward,y=left,z=up), or three such words", "FRAME",
             advice="give auto, onshape, ros, or words such as x=left,y=back,z=up"),
    _of_plan("axis", FRAMES, "joints with this word in their name turn about that axis; repeatable (built in: pitch, "
             "knee, elbow = Y, roll = X, yaw = Z)", "WORD=X|Y|Z", kind=tuple, read=read_axis_word,
             advice="give one word of letters and an axis, such as toe=Y"),
    _of_plan("snap", FRAMES, "smaller angles are noise of the CAD export and become 0 (default 1e-4; 0 is exact)",
             "RAD", valid=lambda value: 0.0 <= value <= 0.1,
             advice="give an angle from 0 to 0.1 rad (the default is 1e-4)"),
    _of_plan("reorient", FRAMES, "keep all frames as they are", flag="--no-reorient", excludes=("axis",)),
    _of_plan("repair", FRAMES, "accept, with a warning, what common parsers accept, instead of refusing it: the first "
             "of several <inertial>, the first three of more numbers in rpy, an infinite limit as none, a missing "
             "<mass> as zero; a joint that closes a loop is cut"),
    _of_plan("keep", MERGING, "links on fixed joints that are not merged; repeatable", "GLOB"),
    _of_plan("keep_frames", MERGING, "keep every massless link without geometry, such as tool0"),
    _of_plan("leave_frames", MERGING, "keep an empty link on a fixed joint in the place of every merged link, so that "
             "its TF name survives"),
    _of_plan("merge_all", MERGING, "merge fixed links even if a sensor, a plugin or a loop needs them"),
    _of_plan("coincident", MERGING, "the mass of an assembly that was exported twice in one place: count both as the "
             "file does (default), or drop that of the copy", choices=("add", "drop")),
    _of_plan("duplicates", MERGING, "joints that share a name but not a motion: refuse the file (merge, default), or "
             "rename all but the first that moves", choices=("merge", "rename")),
    _of_plan("merge", MERGING, "merge nothing", flag="--no-merge",
             excludes=("merge_all", "leave_frames", "coincident")),
    _of_plan("strip", STRIPPING, f"meshes to remove, in addition to {', '.join(HARDWARE)}; repeatable",
             "GLOB"),
    _of_plan("keep_mesh", STRIPPING, "meshes to keep, whatever their names; repeatable", "GLOB"),
    _of_plan("strip_hardware", STRIPPING, "strip nothing", flag="--no-strip", excludes=("strip",)),
    _of_plan("separate_dae_meshes", MESHES, "one STL file and one colored visual for each material; collisions become "
             "one STL each", excludes=("combine_dae_meshes",)),
    _of_plan("combine_dae_meshes", MESHES, "one STL file for each .dae, without colors"),
    _of_mesh("append_mesh_type", "end the file names with _visual or _collision"),
    _of_plan("mesh_dir", MESHES, "where the files go (default: <output>_meshes next to the output); where none is "
             "converted, all meshes that are named are copied there (package only)", "DIR"),
    _of_plan("mesh_prefix", MESHES, "what their names in the URDF begin with, such as package://my_robot/meshes "
             "(default: the relative path)", "PREFIX", needs=("mesh_dir", *CONVERSIONS)),
    _of_plan("package", MESHES, "the folder of package://NAME/ and, in xacro, $(find NAME); repeatable (else "
             "package.xml upward from the URDF, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, a folder NAME beside it)",
             "NAME=PATH", kind=tuple, read=read_package,
             advice="give a name and a folder that exists, such as my_robot=../my_robot"),
    _of_plan("strict", MESHES, "a mesh that cannot be found or read is an error, not a warning",
             needs=("compare", *CONVERSIONS)),
    _of_mesh("keep_textured", "keep visuals with a texture image as they are", excludes=("combine_dae_meshes",)),
    _of_mesh("merge_equal_colors", "one part for each material, even if several have the same color",
             flag="--keep-equal-colors"),
    _of_mesh("planar", "parts in one plane, which MuJoCo refuses: keep (default), or merge into the largest (package "
             "only)", choices=("keep", "merge")),
    _of_mesh("max_faces", "split parts with more triangles; 0: never (default 200000, MuJoCo's limit)", "N",
             valid=lambda value: value >= 0, advice="give a number of triangles, or 0 for no limit"),
    _of_mesh("scale", "meters per unit, instead of what the file says", "M", kind=float,
             valid=lambda value: 0.0 < value < float("inf"), advice="give a positive number, the meters per unit"),
    _of_mesh("missing_unit", "the unit of a file without one (default meter, as COLLADA says)",
             choices=tuple(MISSING_UNITS), read=read_unit),
    _of_mesh("up_axis", "turn this axis of the file to +Z (default: turn nothing, as RViz and Gazebo do)",
             choices=("x", "y", "z")),
    Option("short_help", OTHER, "show the options that people use most", kind=bool, default=False, flag="-h"),
    Option("help", OTHER, "show this page", kind=bool, default=False),
    Option("version", OTHER, "show the version, and whether this copy was edited", kind=bool, default=False),
)
# The options of the package, by name: the single file knows only their names.
PACKAGE_ONLY: Tuple[str, ...] = (
    "srdf", "srdf_output", "jobs", "lint", "lint_level", "lint_select", "lint_ignore", "lint_baseline",
    "lint_baseline_write", "lint_fix", "format", "compare", "names", "aspects", "tolerance", "map", "mesh_format",
    "convert_meshes", "separate_meshes", "combine_meshes", "gltf_up", "mesh_paths", "for", "mjcf", "sdf", "usd",
    "usd_for", "usd_bodies", "usd_meshes", "model", "model_schema", "adapter", "adapter_order", "base", "actuators",
    "kp", "massless", "inertia", "as_is", "page", "page_triangles", "armature", "armature_join", "blender_script",
    "collision", "collision_link", "collision_max_vertices", "collision_overhang", "collision_off_mesh",
    "collision_from", "pairs", "pairs_check", "pairs_cells", "pairs_report", "json", "diff", "explain")
MOST_USED = ("output", "yes", "dry_run", "check", "report", "srdf", "keep", "leave_frames", "base_frame",
             "separate_dae_meshes")  # what -h shows
ROWS_BY_NAME: Dict[str, Option] = {row.name: row for row in OPTION_ROWS}


def options_from(choices: Mapping[str, Any], *, flags: bool = False, as_is: bool = False) -> Options:
    """Return Options from their fields and those of `MeshOptions` by name.

    Args:
        choices: lists serve as tuples, dictionaries as pairs.
        flags: messages spell options as the command line does.
        as_is: the steps of AS_IS are left out, and messages say that `--as-is` did that.

    Raises:
        TypeError: a name that is no field.
        UsageError: a value of another type, one that does not exist, or two that exclude each other.
    """
    # The same checks for command line and library; only the spelling of the options in the messages differs.
    choices = {**choices, **(AS_IS if as_is else {})}
    known = [row.name for row in OPTION_ROWS if row.name in PLAN_DEFAULTS]
    unknown = sorted(set(choices) - set(known))
    if unknown:
        meant = did_you_mean(unknown[0], [*known, *PACKAGE_ONLY])
        raise TypeError(f"unknown option '{unknown[0]}'{meant}; there are {', '.join(known)}")
    spelled = {name: ROWS_BY_NAME[name].spelling if flags else name for name in known}
    spelled.update(dict.fromkeys(AS_IS, "--as-is") if as_is else {})
    values = {name: read_choice(ROWS_BY_NAME[name], given, spelled[name]) for name, given in choices.items()}
    changed = {name for name, value in values.items() if value != PLAN_DEFAULTS[name]}
    check_excludes(OPTION_ROWS, changed, spelled)
    meshes = MeshOptions(**{name: values.pop(name) for name in MeshOptions._fields if name in values})
    options = Options(**values, meshes=meshes)
    if options.base_frame != "auto":
        read_base_frame(options.base_frame, spelled["base_frame"])
    return options
