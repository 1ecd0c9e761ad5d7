"""What an exporter gets.

To add an export: add its ending to TARGETS in `formats`, and a line to EXPORTERS in `app/engine.py` that names its
function. It takes an `ExportRequest` and returns `Exported`; it writes nothing and prints nothing, and what it cannot
do it raises as `UrdfError` or names in `warnings`. The files appear together with the URDF, the SRDF, the report and
the meshes, or none does. They are announced before the question and listed in the report.
"""
from typing import Any, Callable, Mapping, NamedTuple, Optional, TYPE_CHECKING

from ..base.option_table import as_flag
from ..run.records import Result

if TYPE_CHECKING:
    from ..robot.records import RawRobot
    from ..model.records import Robot
    from .mesh_table import MeshTable

WITHOUT_MESHES = ("isaac", "newton")  # programs for which only the words of USD are chosen


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
        choices, path, output, writes, spelled: as in `Asked`; the choices are the values of options by name.
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
    return bool(choices["mesh_format"] or choices["split"] or choices["mesh_paths"] or choices["visual_error"]
                or choices["for"] not in (None, *WITHOUT_MESHES))
