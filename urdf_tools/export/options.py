"""The options of this folder, and what an exporter gets.

To add an export:

1. Add its options to EXPORT_OPTIONS, each an `Option` with the name, group and help that the page shows. One whose
   value is a file to write has `is_output=True`: the command line then checks it before any work, against the inputs
   and against the other outputs. A flag with `alone=True` needs no robot: `TEXTS` in `extension` says what it prints.
   An option that only changes what others do names them: `needs=("mjcf",)`.
2. Add their names to PACKAGE_ONLY in `run/option_rows.py`, so that the single file knows whom to ask for them.
3. Add a line to EXPORTERS in `extension`: the option that asks for it, and a function that loads its module only when
   it is called. It takes an `ExportRequest` and returns `Exported`; it writes nothing and prints nothing, and what it
   cannot do it raises as `UrdfError` or names in `warnings`.

The files appear together with the URDF, the SRDF, the report and the meshes, or none does. They are announced before
the question and listed in the report. `--check` and `--diff` refuse them; with `-n` only files of options
that say `with_dry_run=True` are written.
"""
from typing import Any, Callable, Mapping, NamedTuple, Optional, Tuple, TYPE_CHECKING

from ..base.option_table import as_flag, Option
from ..collision.options import COLLISION_OPTIONS, PAIR_OPTIONS
from ..run.option_rows import MESHES, OTHER, WRITING
from ..run.pipeline import Result
from ..srdf.options import SRDF_OPTIONS
from ..model.words import ACTUATORS, BASES, ENGINES, INERTIA, MASSLESS, MESH_PLACES, NESTING

if TYPE_CHECKING:
    from ..compare.records import RawRobot
    from ..model.records import Robot
    from .mesh_table import MeshTable

PAGE = "page"
ARMATURE = "armature for animators (README, In Blender)"
FORMATS = "other formats, of the result"
CONVERTING = "mesh formats"
SIMULATED = ("mjcf", "sdf", "usd")
COMPARING = "another robot"
LINTING = "what is odd about a robot by itself"

EXPORT_OPTIONS: Tuple[Option, ...] = (
    Option("lint", LINTING, "say what is wrong or odd in the input, whatever a run would change, with line and cure; "
           "takes several files, writes nothing but a --report; exit 1 if there are errors", kind=bool, default=False,
           excludes=("check", "diff", "compare")),
    Option("lint_level", LINTING, "from which severity on the exit status is 1: error (default), warning or note",
           default="error", choices=("error", "warning", "note"), needs=("lint",)),
    Option("lint_select", LINTING, "say only findings of these kinds (--explain lists them), such as left-*; "
           "repeatable", "KIND", default=(), repeatable=True, needs=("lint",)),
    Option("lint_ignore", LINTING, "leave out findings of these kinds; repeatable; <!-- lint-ignore KIND: reason --> "
           "in the file leaves them out of the element that follows", "KIND", default=(), repeatable=True,
           needs=("lint",)),
    Option("lint_baseline", LINTING, "leave out the findings that are in this file", "FILE", needs=("lint",)),
    Option("lint_baseline_write", LINTING, "write that file: all that is found now; exit 0", "FILE", is_output=True,
           needs=("lint",)),
    Option("lint_fix", LINTING, "repair findings of these kinds that have one repair, and nothing else: shows the "
           "difference, proves that nothing else changed, asks, and writes -o (default <input>_fixed.urdf; --force "
           "alone: the input); repeatable. --repair is another thing: it reads what parsers accept", "KIND", default=(),
           repeatable=True),
    Option("format", LINTING, "of --lint, --check and --compare: text (default), json, github (annotations of a "
           "workflow), or sarif (2.1.0)", default="text", choices=("text", "json", "github", "sarif"),
           needs=("lint", "check", "compare")),
    Option("compare", COMPARING, "compare with the robot of another file, both as they are (URDF, xacro, MJCF, SDF, "
           "USD, JSON; - is standard input); write nothing but a --report and a --page; exit 1 if it is another, and "
           "with --strict if a mesh could not be compared",
           "FILE"),
    Option("names", COMPARING, "how joints find each other: by names, else by lines and masses (auto, default), by "
           "equal names alone, or by structure alone", choices=("auto", "equal", "structure"), needs=("compare",)),
    Option("aspects", COMPARING, "what is compared, such as motion,mass,limits (default: all)", "LIST",
           needs=("compare",)),
    Option("tolerance", COMPARING, "the largest distance [m] and angle [rad] that is still rounding (default 1e-4)",
           "M", kind=float, valid=lambda value: 0.0 < value < float("inf"), advice="give a small positive number",
           needs=("compare",)),
    Option("map", COMPARING, "the map of joints of a --report, corrected by hand, in the place of the one that is "
           "found; of a run that made the other file, with what it decided", "FILE", needs=("compare",)),
    Option("mesh_format", CONVERTING, "what meshes become: stl, obj (with .mtl and images), gltf (with .bin and images)"
           " or glb; collisions are OBJ where visuals are glTF; alone it converts all meshes that can be read",
           choices=("stl", "obj", "gltf", "glb")),
    Option("convert_meshes", CONVERTING, "convert STL, OBJ, glTF and COLLADA files, not only COLLADA", kind=bool,
           default=False),
    Option("separate_meshes", CONVERTING, "convert all of them, one file and one visual for each color", kind=bool,
           default=False, excludes=("combine_meshes",)),
    Option("combine_meshes", CONVERTING, "convert all of them, one file for each; STL and OBJ lose colors",
           kind=bool, default=False),
    Option("gltf_up", CONVERTING, "which axis is up in glTF that is written: y (default, as glTF has it: Drake, RViz 2,"
           " Blender) or z (Gazebo, trimesh, Pinocchio, loaders of URDF for three.js)",
           choices=("y", "z")),
    Option("mesh_paths", CONVERTING, "how meshes are named in the result: keep (default), relative, or package://NAME; "
           "relative and package://NAME rename every mesh that is found", "PATHS"),
    Option("for", CONVERTING, "choose format and names of meshes, and what else it takes, for mujoco, drake, "
           "gazebo or rviz; single options overrule it", choices=("mujoco", "drake", "gazebo", "rviz")),
    Option("mjcf", FORMATS, "also write MJCF for MuJoCo, and scene.xml beside it with floor and light if there is none",
           "FILE", is_output=True),
    Option("sdf", FORMATS, "also write SDF for Gazebo, of the lowest version that has all of it", "FILE",
           is_output=True),
    Option("usd", FORMATS, "also write USD as text (.usda) for Newton, PhysX and Isaac, with its meshes beside it",
           "FILE", is_output=True, valid=lambda value: value.lower().endswith(".usda"),
           advice="give a name that ends in .usda (usdcat makes .usd or .usdc of it)"),
    Option("usd_for", FORMATS, "whose words for dynamics and followers USD gets: those of newton, of isaac, or both "
           "(default)", choices=ENGINES, needs=("usd",)),
    Option("usd_bodies", FORMATS, "each body is a prim of the robot (flat, default), or is in that which it hangs on "
           "(nested)", choices=NESTING, needs=("usd",)),
    Option("usd_meshes", FORMATS, "where USD has its meshes: in FILE_meshes.usda beside it (beside, default), inline, "
           "or none", choices=MESH_PLACES, needs=("usd",)),
    Option("model", FORMATS, "also write the robot as JSON, with all that is known of it", "FILE", is_output=True),
    Option("model_schema", FORMATS, "print the JSON Schema of --model", kind=bool, default=False, alone=True),
    Option("adapter", FORMATS, "also write a Python module that translates positions, velocities and efforts from the "
           "joints of the input to those of the result, and back; for policies and logs", "FILE", is_output=True,
           valid=lambda value: value.lower().endswith(".py"), advice="give a name that ends in .py"),
    Option("adapter_order", FORMATS, "the order of the result's joints in it: ros (that of the file, default), mujoco, "
           "isaac, newton, or a file with one name a line", "FILE|WORD", needs=("adapter",)),
    Option("base", FORMATS, "how the root is held (default auto: fixed if a virtual joint of the SRDF is, or it "
           "is called world, or has no mass with all that is fixed to it; else free)", choices=BASES,
           needs=SIMULATED),
    Option("actuators", FORMATS, "of MJCF, one for each joint with an effort that follows no other (default: as the "
           "transmissions say, else motor); of USD, its drives", choices=ACTUATORS, needs=("mjcf", "usd")),
    Option("kp", FORMATS, "the gain of position actuators, in MJCF with dampratio 1", "K", kind=float,
           valid=lambda value: 0.0 < value < float("inf"), advice="give a positive number, such as 100",
           needs=("mjcf", "usd")),
    Option("massless", FORMATS, "links that move and have no mass, which simulators refuse: an error (default), or "
           "1e-9 kg", choices=MASSLESS, needs=SIMULATED),
    Option("inertia", FORMATS, "tensors that no body has (A + B < C): an error (default), or the nearest one",
           choices=INERTIA, needs=SIMULATED),
    Option("as_is", FORMATS, "leave the robot as it is: no merging, stripping, turning; only write the other formats, "
           "and no URDF unless -o is given", kind=bool, default=False,
           needs=("mjcf", "sdf", "usd", "model", "armature", "collision", "collision_link", "pairs")),
    Option("page", PAGE, "also write one HTML file that shows the robot before and after, moving together; with -n too;"
           " with --compare: both robots, one over the other, and a row for each difference; with --pairs: poses in "
           "which links touch", "FILE", is_output=True, with_dry_run=True),
    Option("page_triangles", PAGE, "most triangles in the page, by joining near points; 0: all (default 200000)", "N",
           kind=int, valid=lambda value: value >= 0, advice="give a number of triangles, or 0 for all",
           needs=("page",)),
    Option("armature", ARMATURE, "write the result as one armature: bones, limits, links and their looks as JSON; "
           "checked by a forward kinematics of its own", "FILE", is_output=True),
    Option("armature_join", ARMATURE, "up to three joints in one place become one bone (auto, default), or every joint "
           "gets its own (never)", choices=("auto", "never"), needs=("armature",)),
    Option("blender_script", ARMATURE, "write the script that builds the armature in Blender 3.4 or newer", "FILE",
           is_output=True),
    *COLLISION_OPTIONS, *PAIR_OPTIONS,
    Option("json", MESHES, "of a model.dae alone: describe the parts as JSON", kind=bool, default=False),
    Option("diff", WRITING, "write nothing but a --report; print a unified diff of the URDF text, and of an SRDF",
           kind=bool, default=False, only_shows=True),
    Option("explain", OTHER, "explain a kind of warning: sentences and what to do; without KIND list all", "KIND",
           alone=True),
)
JOBS = Option("jobs", CONVERTING, "number of processes that convert (default: all processors, where it pays)", "N",
              kind=int, default=0, valid=lambda value: value >= 0,
              advice="give a number of processes, or 0 for all processors")
PACKAGE_OPTIONS: Tuple[Option, ...] = (*SRDF_OPTIONS, JOBS, *EXPORT_OPTIONS)


class Shared:
    """What an exporter has made and another can use; None until then.

    Attributes:
        model: of the result; is_sound: it was looked at.
        reference: what the text of the result says.
        meshes: where the mesh and image files are.
    """

    def __init__(self) -> None:
        self.model: Optional[Robot] = None
        self.is_sound = False
        self.reference: Optional[RawRobot] = None
        self.meshes: Optional[MeshTable] = None


class ExportRequest(NamedTuple):
    """What an exporter gets.

    Attributes:
        result: the run. Meshes that it split are `result.plan.meshes.files`: each is in `source` now, a temporary
            folder, and will be in `target` when all is written.
        choices, path, output, writes, spelled: as in `Asked`; the choices are the values of PACKAGE_OPTIONS by name.
        shared: one for all exporters of a run.
    """

    result: Result
    choices: Mapping[str, Any]
    path: str
    output: str
    shared: Shared
    writes: bool = True
    spelled: Callable[[str], str] = as_flag

    def line_of(self, part: str, name: str) -> int:
        """Return the line of a link or joint in the input, 0 for what is not in it by that name."""
        before = self.result.before
        element = before.links.get(name) if part == "link" else before.named.get(name) if part == "joint" else None
        return element.source.line if element else 0


def asks_for_meshes(choices: Mapping[str, Any]) -> bool:
    """Return True if an option asks for meshes in other formats or places."""
    return any(choices[option.name] for option in EXPORT_OPTIONS if option.group == CONVERTING)
