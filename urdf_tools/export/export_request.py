"""The request that an exporter gets, and the export formats by the endings of file names.

To add an export: add a row to TARGETS, which names its function. The function takes an `ExportRequest` and returns
`ExportedFiles`; it writes nothing and prints nothing. A robot that it cannot export it raises as `UrdfError`, a part
that it cannot export it names in `warnings`. The files appear together with the URDF, the SRDF, the report and the
meshes, or none does. They are announced before the question and listed in the report.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.type_aliases import Show, Texts
from ..base.diagnostics import Notes
from ..base.errors import UsageError
from ..base.option_table import as_flag
from ..base.record_type import Record

if TYPE_CHECKING:
    from ..run.run_records import ExtensionRequest, Result
    from ..model.model_records import RobotRecord
    from ..robot.raw_robot import RawRobot


class ExportFormat(Record):
    """A format: its name, the endings of its files, its label, and the function that makes its file."""

    name: str
    endings: Texts
    label: str
    exporter: str = ""


# In the order of the exporters; if endings end alike, the longer comes first.
TARGETS: Tuple[ExportFormat, ...] = (
    ExportFormat("mjcf", (".xml", ".mjcf"), "MJCF for MuJoCo", "export.mjcf_exporter:export_mjcf"),
    ExportFormat("sdf", (".sdf", ".world"), "SDF for Gazebo", "export.sdf_exporter:export_sdf"),
    ExportFormat("usd", (".usda",), "USD for Isaac and Newton", "export.usd_exporter:export_usd"),
    ExportFormat(
        "armature",
        (".armature.json",),
        "armature for Blender",
        "export.armature_exporter:export_armature",
    ),
    ExportFormat(
        "model", (".json",), "JSON of the typed model", "export.json_exporter:export_model"
    ),
    ExportFormat(
        "blender_script",
        (".blender.py",),
        "script that builds the armature",
        "export.armature_exporter:export_script",
    ),
    ExportFormat("output", (".urdf",), "URDF"),
)


def target_of(path: str) -> Optional[ExportFormat]:
    """Return the format for the name of a file, None for an unknown ending."""
    return next((target for target in TARGETS if path.lower().endswith(target.endings)), None)


def files_by_target(paths: Sequence[str]) -> Dict[str, str]:
    """Return the files to write by the names of their exporters.

    Raises:
        UsageError: a name with an unknown ending, or two files of one format.
    """
    files: Dict[str, str] = {}
    for path in paths:
        target = target_of(path)
        if target is None:
            listed = ", ".join(f"{'|'.join(each.endings)} ({each.label})" for each in TARGETS)
            more = (
                " (usdcat makes .usd and .usdc of .usda)"
                if path.lower().endswith((".usd", ".usdc"))
                else ""
            )
            raise UsageError(f"the ending of '{path}' is of no format{more}; there are {listed}")
        if target.name in files:
            raise UsageError(
                f"two files of one format: {files[target.name]} and {path}; export one after the other"
            )
        files[target.name] = path
    return files


REFUSING = ("mjcf", "sdf", "usd", "model")  # formats that refuse a robot that no simulator accepts
WITHOUT_MESHES = ("isaac", "newton")  # programs for which only the dialect of USD is chosen


class FilePaths(Record):
    """The paths of a file: `source` now (None: not found), `target` after everything is written."""

    source: Optional[str]
    target: str


class ReferencedFiles(Record):
    """The files that a result refers to, by reference.

    Attributes:
        meshes: all of them.
        images: the images of textures that are found.
        assumed: notes on the folders that were assumed to find the meshes.
    """

    meshes: Dict[str, FilePaths] = {}
    images: Dict[str, FilePaths] = {}
    assumed: Notes = ()

    def source_of(self, reference: str) -> Optional[str]:
        """Return the current path of a mesh, None if it is not found."""
        return self.meshes[reference].source if reference in self.meshes else None


class SharedExportValues:
    """Values that an exporter has made and others can use; None until then.

    Attributes:
        model: the model of the result; is_sound: it was checked.
        reference: the parsed text of the result.
        meshes: the paths of the mesh and image files.
    """

    def __init__(self) -> None:
        """Begin with nothing: each value is made at its first use."""
        self.model: Optional[RobotRecord] = None
        self.is_sound = False
        self.reference: Optional[RawRobot] = None
        self.meshes: Optional[ReferencedFiles] = None


class ExportRequest(Record):
    """The request that an exporter gets.

    Attributes:
        result: the run. Meshes that it split are `result.plan.meshes.files`: each is in `source` now, a temporary
            folder, and will be in `target` when all is written.
        choices, path, output, writes, spelled: as in `ExtensionRequest`; the choices are the values of options by name.
        shared: the values shared by all exporters of a run.
        progress: called with the name of each mesh that is read or proven, and 0.
    """

    result: "Result"
    choices: Mapping[str, Any]
    path: str
    output: str
    shared: SharedExportValues
    writes: bool = True
    spelled: Callable[[str], str] = as_flag
    progress: Show = lambda name, triangles: None

    def line_of(self, part: str, name: str) -> int:
        """Return the line of a link or joint in the input, 0 for another name or part."""
        before = self.result.before
        elements: Mapping[str, Any] = {}
        if part == "link":
            elements = before.links
        elif part == "joint":
            elements = before.named
        element = elements.get(name)
        return element.source.line if element else 0


def request_of(asked: "ExtensionRequest", result: "Result") -> ExportRequest:
    """Return the request of a run to exporters."""
    return ExportRequest(
        result=result,
        choices=asked.choices,
        path=asked.path,
        output=asked.output,
        shared=SharedExportValues(),
        writes=asked.writes,
        spelled=asked.spelled,
    )


def asks_for_meshes(choices: Mapping[str, Any]) -> bool:
    """Return True if an option requests meshes in other formats or places."""
    return bool(
        choices["mesh_format"]
        or choices["split"]
        or choices["mesh_paths"]
        or choices["visual_error"]
        or choices["for"] not in (None, *WITHOUT_MESHES)
    )
