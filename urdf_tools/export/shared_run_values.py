"""Values of a run that several exporters need, made once: the model, its base, the table of its mesh and image files
(their paths now, and after writing); and a result with a different text.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import (
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TYPE_CHECKING,
    TypeVar,
    Union,
)

from ..base.type_aliases import Pairs, Texts
from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import BrokenRobot, ErrorGroup, MalformedXml, ProofFailed
from ..base.file_reading import file_stamp
from ..base.number_text import LARGEST
from ..base.paths import path_from
from ..base.version import __version__
from ..formats.export_diagnostics import EXPORT_LEFT_OUT, INVISIBLE
from ..formats.urdf.read_urdf import read_urdf_document
from ..model.model_shapes import Collision, Mesh, pieces, Visual
from ..plan.mesh_tasks import FinishedFile, MeshResult
from ..robot.raw_robot import RawRobot
from ..run.run_records import Result
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.package_resolver import (
    ResolvedFile,
    package_notices,
    resolve,
    PackageResolver,
    resolver_for,
)
from ..urdf.urdf_reader import read_robot
from .export_request import ExportRequest, FilePaths, ReferencedFiles

if TYPE_CHECKING:
    from ..model.model_records import RobotRecord


def mesh_table_of(result: Result, path: str, output: str) -> ReferencedFiles:
    """Return the table of a run; `path` and `output` as in `ExtensionRequest`.

    Raises:
        ProofFailed: see `_verify_made`.
    """
    meshes = result.plan.meshes
    resolver = resolver_of(result, path, output)
    shapes = [shape for _, shape in result.after.shapes]
    drawn = filter(None, (shape.drawn for shape in shapes))
    files = sorted({each.get("filename") or "" for each in drawn if each.name == "mesh"})
    paths, resolved = paths_of(files, meshes.files, resolver)
    _verify_made(meshes, paths)
    textures: Set[str] = set()
    for owner in (result.after.document.root, *(shape.source for shape in shapes)):
        for material in owner.elements("material"):
            textures |= {each.get("filename") or "" for each in material.elements("texture")}
    images, _ = paths_of(sorted(textures - {""}), meshes.files, resolver)
    return ReferencedFiles(
        paths,
        {name: image for name, image in images.items() if image.source},
        tuple(package_notices(resolved)),
    )


def resolver_of(result: Result, path: str, output: str) -> PackageResolver:
    """Return the resolver of a result's files."""
    folder, origin = (os.path.dirname(os.path.abspath(file)) for file in (output or path, path))
    packages = result.plan.options.meshes.package
    return resolver_for(result.after.document.root, folder, packages, origin)


def paths_of(
    references: Iterable[str], files: Iterable[FinishedFile], resolver: PackageResolver
) -> Tuple[Dict[str, FilePaths], List[ResolvedFile]]:
    """Return the paths of each referenced file, and the lookups of files that the run does not name."""
    named = {file.name: file for file in files if not file.along}
    # The result may still name the original of a copy.
    copies = {file.origin: file for file in files if file.is_copy}
    paths: Dict[str, FilePaths] = {}
    resolved: List[ResolvedFile] = []
    for reference in dict.fromkeys(references):
        file = named.get(reference)
        if file is None:
            resolved.append(resolve(reference, resolver))
            there = resolved[-1].path
            file = copies.get(os.path.realpath(there)) if there else None
        paths[reference] = (
            FilePaths(file.source, file.target) if file else FilePaths(there, there or "")
        )
    return paths, resolved


def _verify_made(meshes: MeshResult, paths: Mapping[str, FilePaths]) -> None:
    """Refuse a mesh made in this run whose path or name does not lead to the proven file.

    A file is identified by its stamp, taken by the converter at the proof; no file is read.

    Raises:
        ProofFailed: a fault of this tool.
    """
    proven = {file.part.stamp: file for file in meshes.files if file.part}
    for reference, made in chain(*(zip(shape.parts, shape.made) for shape in meshes.converted)):
        mesh = paths.get(reference.filename)
        if mesh is None:
            continue
        file = proven.get(file_stamp(mesh.source or ""))
        if (
            file is None
            or file.part is None
            or file.part.file != made.file
            or file.target != mesh.target
            or (os.path.basename(file.target) != reference.filename.rpartition("/")[2])
        ):
            raise ProofFailed(
                f"mesh '{reference.filename}' is another file than the one that was proven",
                mesh.target,
            )


def unseen(what: str, robot: RobotRecord, meshes: Mapping[str, FilePaths]) -> Notes:
    """Return a warning for the end of a run if most shapes are missing in an export."""
    shapes = [*chain.from_iterable(link.shapes for link in robot.links)]
    lost = [_is_lost(shape, meshes) for shape in shapes].count(True)
    if 2 * lost <= len(shapes):
        return ()
    warning = Diagnostic(
        kind=INVISIBLE, line=0, sentence="shapes", names=(what,), numbers=(lost, len(shapes))
    )
    return (warning,)


def _is_lost(shape: Union[Visual, Collision], meshes: Mapping[str, FilePaths]) -> bool:
    """Return True if the file of a mesh in a shape is not found."""
    geometries = [part.geometry for part in pieces(shape.geometry, shape.origin)]
    return any(isinstance(each, Mesh) and not meshes[each.filename].source for each in geometries)


def name_from(folder: str, target: str) -> str:
    """Return a path relative to the folder of a model file, as that file names it."""
    return path_from(os.path.realpath(folder or "."), os.path.realpath(target))


def names_from(folder: str, files: Mapping[str, FilePaths]) -> Dict[str, str]:
    """Return the names of found files, relative to the folder of a model, by reference."""
    return {
        reference: name_from(folder, file.target)
        for reference, file in files.items()
        if file.source
    }


def files_for_sdf(files: Mapping[str, FilePaths], folder: str) -> Tuple[Dict[str, str], Notes]:
    """Return the names of files in SDF, and the warnings; a missing file keeps its name."""
    lost = [reference for reference, file in files.items() if not file.source]
    return names_from(folder, files), tuple(
        Diagnostic(EXPORT_LEFT_OUT, 0, "mesh-name-kept", (reference, "SDF")) for reference in lost
    )


def verify_name(format: str, what: str, name: str, folder: str, target: str) -> None:
    """Resolve the name of a file from the folder of a model, and compare it with its path.

    Raises:
        ProofFailed: it leads to a different file.
    """
    path = os.path.realpath(os.path.join(os.path.realpath(folder or "."), name))
    wanted = os.path.realpath(target)
    if path != wanted:
        raise ProofFailed(f"{format}: where {what} is: {path} is written, {wanted} is the robot's")


MARK = f"<!-- urdf_simplify {__version__}: made from a URDF -->"


def requested_model(request: ExportRequest) -> RobotRecord:
    """Return the model of the result, made once for all formats."""
    if request.shared.model is None:
        from ..formats.urdf.urdf_model_conversion import (
            model_of,
        )  # imported here: an armature does not use it

        request.shared.model = model_of(request.result.after)
    return request.shared.model


def sound_model(request: ExportRequest) -> RobotRecord:
    """Return the model of the result, checked once for all formats."""
    from ..model.model_problems import check_sound

    robot = requested_model(request)
    if not request.shared.is_sound:
        in_input(request, lambda: check_sound(robot, request.line_of))
        request.shared.is_sound = True
    return robot


def reference_of_run(request: ExportRequest) -> RawRobot:
    """Return the reference robot: the text of the result, parsed once for all formats."""
    if request.shared.reference is None:
        # The XML of that text.
        request.shared.reference = read_urdf_document(request.result.after.document)
    return request.shared.reference


def marked(text: str, mark: str = MARK) -> bytes:
    """Return the bytes of an XML text with the comments in front of it."""
    return f"{mark}\n{text}".encode()


Made = TypeVar("Made")


def in_input(request: ExportRequest, make: Callable[[], Made]) -> Made:
    """Return `make()`; errors about the robot get the path of the input, and no line of a text in memory."""
    try:
        return make()
    except ErrorGroup as error:
        raise ErrorGroup(
            [BrokenRobot(fault.message, request.path, fault.line) for fault in error.problems]
        ) from None
    except BrokenRobot as error:
        raise BrokenRobot(error.message, request.path, error.line) from None
    except MalformedXml as error:  # in the new text, whose lines the user does not have
        raise BrokenRobot(f"cannot be written: {error.message}", request.path) from None


def mesh_table(request: ExportRequest) -> ReferencedFiles:
    """Return where the mesh and image files of the result are, looked up once for all formats."""
    if request.shared.meshes is None:
        request.shared.meshes = mesh_table_of(request.result, request.path, request.output)
    return request.shared.meshes


def with_text(result: Result, data: bytes, added: Sequence[FinishedFile] = ()) -> Result:
    """Return a run with a different text as its result, and further files; files that it no longer names are removed."""
    document = parse_document(data, result.after.document.path)
    removed = _names_in(result.after.document) - _names_in(document)
    # The MTL, buffers and images of a mesh have the same stem and go with it.
    meshes = result.plan.meshes
    gone = {
        os.path.splitext(file.target)[0]
        for file in meshes.files
        if not file.along and os.path.basename(file.target) in removed
    }
    kept = (file for file in meshes.files if os.path.splitext(file.target)[0] not in gone)
    meshes = meshes._replace(files=(*kept, *added))
    # Merged inertias may be larger than single ones.
    after = read_robot(document, largest=LARGEST * LARGEST * LARGEST * LARGEST)
    return result._replace(plan=result.plan._replace(meshes=meshes), data=data, after=after)


def _names_in(document: Document) -> Set[str]:
    """Return the last part of each path in the attributes of a text."""
    attributes = (element.attributes.values() for element in document.root.walk())
    return {os.path.basename(value.strip()) for value in chain.from_iterable(attributes)}


def srdf_of(request: ExportRequest) -> Optional[Document]:
    """Return the SRDF of a run, None without one."""
    companions = request.result.companions
    return next((each.after for each in companions if each.name == "SRDF"), None)


def excluded_of(request: ExportRequest) -> Pairs:
    """Return the pairs of links that the SRDF excludes."""
    document = srdf_of(request)
    return (
        ()
        if document is None
        else tuple(
            (line.get("link1") or "", line.get("link2") or "")
            for line in document.root.elements("disable_collisions")
        )
    )


def base_of(request: ExportRequest) -> Tuple[str, Texts]:
    """Return how the root is held, and a line about it; for auto, a fixed virtual joint of the SRDF decides."""
    document = srdf_of(request)
    asked = request.choices["base"] or "auto"
    if document is None or asked != "auto":
        return asked, ()
    for joint in document.root.elements("virtual_joint"):
        if joint.get("type") == "fixed" and joint.get("child_link") == request.result.after.root:
            name = joint.get("name")
            line = f"the base is fixed by virtual joint '{name}' of the SRDF (--base free is the other)"
            return "fixed", (line,)
    return asked, ()
