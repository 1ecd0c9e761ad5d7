"""What several exporters need of a run, made once: the model, where its meshes are, its base; and another result."""
import os
from typing import Callable, Optional, Sequence, Tuple, TypeVar

from ..base.errors import BrokenRobot, ErrorGroup
from ..base.number_text import LARGEST
from ..base.version import __version__
from ..formats.urdf.read import read_urdf_document
from ..formats.urdf.read_model import model_of
from ..model.problems import check_sound
from ..model.records import Robot
from ..plan.mesh_tasks import MeshFile
from ..robot.records import RawRobot
from ..run.records import Result
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.reader import read_robot
from .mesh_table import mesh_table_of, MeshTable
from .request import ExportRequest

MARK = f"<!-- urdf_simplify {__version__}: made from a URDF -->"


def requested_model(request: ExportRequest) -> Robot:
    """Return the model of the result, made once for all formats."""
    if request.shared.model is None:
        request.shared.model = model_of(request.result.after)
    return request.shared.model


def sound_model(request: ExportRequest) -> Robot:
    """Return the model of the result, looked at once for all formats."""
    robot = requested_model(request)
    if not request.shared.is_sound:
        in_input(request, lambda: check_sound(robot, request.line_of))
        request.shared.is_sound = True
    return robot


def reference_of_run(request: ExportRequest) -> RawRobot:
    """Return what the text of the result says, read once for all formats: what each of them is compared with."""
    if request.shared.reference is None:
        request.shared.reference = read_urdf_document(request.result.after.document)  # the XML of that text
    return request.shared.reference


def marked(text: str, mark: str = MARK) -> bytes:
    """Return the bytes of an XML text with the comments in front of it."""
    return f"{mark}\n{text}".encode()


Made = TypeVar("Made")


def in_input(request: ExportRequest, make: Callable[[], Made]) -> Made:
    """Return `make()`; errors about the robot get the path of the input."""
    try:
        return make()
    except ErrorGroup as error:
        raise ErrorGroup([BrokenRobot(fault.message, request.path, fault.line) for fault in error.problems]) from None
    except BrokenRobot as error:
        raise BrokenRobot(error.message, request.path, error.line) from None


def mesh_table(request: ExportRequest) -> MeshTable:
    """Return where the mesh and image files of the result are, looked up once for all formats."""
    if request.shared.meshes is None:
        request.shared.meshes = mesh_table_of(request.result, requested_model(request), request.path, request.output)
    return request.shared.meshes


def with_files(result: Result, data: bytes, added: Sequence[MeshFile] = ()) -> Result:
    """Return a run with another text as its result, and further files; those that it names no more are left out."""
    document = parse_document(data, result.after.document.path)
    old, new = ({os.path.basename(value.strip()) for element in root.walk() for value in element.attributes.values()}
                for root in (result.after.document.root, document.root))
    gone = {os.path.splitext(file.target)[0] for file in result.plan.meshes.files if not file.along and (
        name := os.path.basename(file.target)) in old and name not in new}
    meshes = result.plan.meshes._replace(files=(*(
        file for file in result.plan.meshes.files if os.path.splitext(file.target)[0] not in gone), *added))
    after = read_robot(document, largest=LARGEST * LARGEST * LARGEST * LARGEST)  # merged inertias may have grown
    return result._replace(plan=result.plan._replace(meshes=meshes), data=data, after=after)


def srdf_of(request: ExportRequest) -> Optional[Document]:
    return next((companion.after for companion in request.result.companions if companion.name == "SRDF"), None)


def excluded_of(request: ExportRequest) -> Tuple[Tuple[str, str], ...]:
    """Return the pairs of links that the SRDF leaves out."""
    document = srdf_of(request)
    return () if document is None else tuple(
        (line.get("link1") or "", line.get("link2") or "") for line in document.root.elements("disable_collisions"))


def base_of(request: ExportRequest) -> Tuple[str, Tuple[str, ...]]:
    """Return how the root is held, and a line on that: for auto a fixed virtual joint of the SRDF decides."""
    document, asked = srdf_of(request), request.choices["base"] or "auto"
    for joint in document.root.elements("virtual_joint") if document and asked == "auto" else ():
        if joint.get("type") == "fixed" and joint.get("child_link") == request.result.after.root:
            return "fixed", (f"the base is fixed by virtual joint '{joint.get('name')}' of the SRDF (--base "
                             "free is the other)",)
    return asked, ()
