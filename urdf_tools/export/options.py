"""The options of this folder, and the one door through which the command line runs what they ask for.

To add an export:

1. Add its options to EXPORT_OPTIONS, each an `Option` with the name, group and help that the page shows. One whose
   value is a file to write has `is_output=True`: the command line then checks it before any work, against the inputs
   and against the other outputs. A flag with `alone=True` needs no robot: `text_alone` returns what it prints.
   An option that only changes what others do names them: `needs=("mjcf",)`.
2. Add their names to PACKAGE_ONLY in `run/option_rows.py`, so that the single file knows whom to ask for them.
3. Add a line to EXPORTERS: the option that asks for it, and where its function is, as `module.function` in this folder.
   The module is loaded only when the option is given. The function takes an `ExportRequest` and returns `Exported`; it
   writes nothing and prints nothing, and what it cannot do it raises as `UrdfError` or names in `warnings`.

The files appear together with the URDF, the SRDF, the report and the meshes, or none does. They are announced before
the question and listed in the report. `--check` and `--diff` refuse them; with `-n` only files of options
that say `with_dry_run=True` are written.
"""
import argparse
from importlib import import_module
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..base.option_table import Option
from ..plan.mesh_splitting import MeshMaker
from ..plan.options import MeshOptions
from ..run.pipeline import Exported, Result
from .words import ACTUATORS, BASES, INERTIA, MASSLESS

PAGE = "page"
ARMATURE = "armature for animators (README, In Blender)"
FORMATS = "other formats, of the result"
CONVERTING = "mesh formats"
SIMULATED = ("mjcf", "sdf")

EXPORT_OPTIONS: Tuple[Option, ...] = (
    Option("mesh_format", CONVERTING, "what meshes become: stl, obj (with .mtl and images), gltf (with .bin and images)"
           " or glb; collisions are OBJ where visuals are glTF; alone it converts all meshes that can be read",
           choices=("stl", "obj", "gltf", "glb")),
    Option("convert_meshes", CONVERTING, "convert STL, OBJ, glTF and COLLADA files, not only COLLADA", kind=bool,
           default=False),
    Option("separate_meshes", CONVERTING, "convert all of them, one file and one visual for each color", kind=bool,
           default=False),
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
    Option("model", FORMATS, "also write the robot as JSON, with all that is known of it", "FILE", is_output=True),
    Option("model_schema", FORMATS, "print the JSON Schema of --model", kind=bool, default=False, alone=True),
    Option("base", FORMATS, "how the root is held (default auto: fixed if a virtual joint of the SRDF is, or it "
           "is called world, or weighs nothing with all that is fixed to it; else free)", choices=BASES,
           needs=SIMULATED),
    Option("actuators", FORMATS, "of MJCF, one for each joint with an effort that follows no other (default: as the "
           "transmissions say, else motor)", choices=ACTUATORS, needs=("mjcf",)),
    Option("kp", FORMATS, "the gain of position actuators, with dampratio 1", "K", kind=float,
           valid=lambda value: 0.0 < value < float("inf"), advice="give a positive number, such as 100",
           needs=("mjcf",)),
    Option("massless", FORMATS, "links that move and weigh nothing, which simulators refuse: an error (default), or "
           "1e-9 kg", choices=MASSLESS, needs=SIMULATED),
    Option("inertia", FORMATS, "tensors that no body has (A + B < C): an error (default), or the nearest one",
           choices=INERTIA, needs=SIMULATED),
    Option("as_is", FORMATS, "leave the robot as it is: no merging, stripping, turning; only write the other formats, "
           "and no URDF unless -o is given", kind=bool, default=False, needs=("mjcf", "sdf", "model", "armature")),
    Option("page", PAGE, "also write one HTML file that shows the robot before and after, moving together; with -n too",
           "FILE", is_output=True, with_dry_run=True),
    Option("page_triangles", PAGE, "most triangles in the page, by joining near points; 0: all (default 200000)", "N",
           kind=int, valid=lambda value: value >= 0, advice="give a number of triangles, or 0 for all",
           needs=("page",)),
    Option("armature", ARMATURE, "write the result as one armature: bones, limits, links and their looks as JSON; "
           "checked by a forward kinematics of its own", "FILE", is_output=True),
    Option("armature_join", ARMATURE, "up to three joints in one place become one bone (auto, default), or every joint "
           "gets its own (never)", choices=("auto", "never"), needs=("armature",)),
    Option("blender_script", ARMATURE, "write the script that builds the armature in Blender 3.4 or newer", "FILE",
           is_output=True),
)

EXPORTERS: Tuple[Tuple[str, str], ...] = (
    *((name, "meshes.remaining.mesh_exports") for name in (
        "mesh_format", "convert_meshes", "separate_meshes", "combine_meshes", "for")),
    ("mjcf", "requests.export_mjcf"), ("sdf", "requests.export_sdf"), ("model", "requests.export_model"),
    ("page", "page.write.write_page"),
    ("armature", "armature.exporter.export_armature"), ("blender_script", "armature.exporter.export_script"))


class ExportRequest(NamedTuple):
    """What an exporter gets.

    Attributes:
        result: the run. Meshes that it split are `result.plan.splitting.files`: each is in `source` now, a temporary
            folder, and will be in `target` when all is written.
        choices: the values of EXPORT_OPTIONS by name.
        path: the name of the input; relative mesh names in `result.before` are seen from its folder.
        output: the name of the resulting URDF, from whose folder relative mesh names in `result.after` are seen;
            "" where it goes to standard output.
        shared: what one exporter has made and another can use.
        writes: whether the run writes all its files; False where it only shows, and writes what `with_dry_run` names.
    """

    result: Result
    choices: Mapping[str, Any]
    path: str
    output: str
    shared: Dict[str, Any]
    writes: bool = True


def choices_given(choices: Mapping[str, Any]) -> Tuple[Tuple[str, Any], ...]:
    """Return the options of this folder that are not as they are by default."""
    return tuple((row.name, choices[row.name]) for row in EXPORT_OPTIONS if choices[row.name] != row.default)


def run_exports(request: ExportRequest) -> Exported:
    """Return what all exporters that are asked for make of a result, in the order of EXPORTERS.

    Raises:
        UrdfError: one of them cannot do what it is asked for.
    """
    made = [getattr(import_module(f"{__package__}.{module}"), function)(request)
            for place in dict.fromkeys(place for name, place in EXPORTERS if request.choices[name])
            for module, _, function in [place.rpartition(".")]]
    columns = [tuple(one for each in made for one in each[column]) for column in range(len(Exported._fields))]
    exported = Exported(*columns)
    warnings = [one for one in dict.fromkeys(exported.warnings) if one not in request.result.plan.warnings]
    return exported._replace(choices=choices_given(request.choices), warnings=tuple(warnings))


def exports_of_command(arguments: argparse.Namespace, result: Result, path: str, output: str) -> Exported:
    """Return what the options of this folder add to a run of the command line; nothing is written yet.

    Args:
        arguments: the command line; its `exports` are the values of EXPORT_OPTIONS by name.
        path, output: the names of the input, and of the output if it is a file.

    Raises:
        UrdfError: an exporter cannot do what it is asked for.
    """
    writes = not arguments.dry_run
    if arguments.check or arguments.diff:
        return Exported(choices=choices_given(arguments.exports))
    made = run_exports(ExportRequest(result, arguments.exports, path, output, {}, writes))
    shown = [arguments.exports[row.name] for row in EXPORT_OPTIONS if row.with_dry_run]
    return made._replace(files=tuple(file for file in made.files if writes or file[0] in shown))


def asks_for_meshes(choices: Mapping[str, Any]) -> bool:
    """Return True if an option asks for meshes in other formats or places."""
    return any(choices[option.name] for option in EXPORT_OPTIONS if option.group == CONVERTING)


def make_meshes(choices: Mapping[str, Any], meshes: MeshOptions, path: str, output: str) -> Optional[MeshMaker]:
    """Return what makes the meshes of a run in other formats and places, or None where nothing asks for it.

    Raises:
        Unusable: an option that cannot be used.
    """
    if not asks_for_meshes(choices):
        return None
    made: Optional[MeshMaker] = import_module(f"{__package__}.meshes.making").mesh_maker(choices, meshes, path, output)
    return made


def model_main(words: Sequence[str]) -> int:
    """Run the command line for a model without a robot around it, and return its exit status."""
    return int(import_module(f"{__package__}.meshes.command").model_main(words))


def text_alone(name: str) -> str:
    """Return what an option that needs no robot prints.

    Raises:
        KeyError: there is no such option.
    """
    if name != "model_schema":
        raise KeyError(name)
    from ..model.json_types import schema_text

    return schema_text().rstrip("\n")
