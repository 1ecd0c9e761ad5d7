"""The mesh files of a run in the form that MuJoCo needs: resolved, converted, measured.

MuJoCo reads OBJ without its MTL, and binary STL of 1 to 200000 faces. ASCII STL is converted. Files that it cannot
read, and flat meshes of collisions, are left out and named.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import (
    Dict,
    Iterable,
    List,
    Mapping,
    Set,
    Tuple,
    TYPE_CHECKING,
    Union,
)

from ..base.type_aliases import Reals, Texts
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import BrokenMesh, UsageError
from ..base.file_reading import read_file
from ..collada.conversion_records import MAX_FACES
from ..formats.export_diagnostics import EXPORT_LEFT_OUT, EXPORT_LOOK
from ..meshing.mesh_converter import mesh_folder
from ..model.export_options import MeshLook
from ..model.model_records import RobotRecord
from ..model.model_shapes import Collision, Mesh, pieces, READS, Visual
from ..urdf.mesh_paths import has_kind, mesh_stem, unique_stem
from .shared_run_values import name_from
from .export_request import ExportRequest, FilePaths

if TYPE_CHECKING:
    from ..meshes.stl_files import Box
    from .meshes.obj_materials import ObjLook

MIN_FACES = 2  # fewer faces have only three corners, which are not a hull


class MjcfMeshFiles:
    """The mesh files as MJCF needs them.

    Attributes:
        names: by the robot's name of a file, its path from the folder of the model, or "" for an omitted file.
        boxes: least and largest x, y, z of the meshes of collisions.
        made: name and bytes of files that must be written for it.
        warnings: notes on meshes that are left out, or look different.
        several: the OBJ files of which MuJoCo draws only the first object.
        looks: by the robot's name of an OBJ file, the material of its MTL.
        is_shared: whether other robots may have meshes in this folder, too.
        targets: by the name of a mesh or image from the folder of the model, its path after all files are written.
    """

    def __init__(self, request: ExportRequest, model_path: str) -> None:
        plan = request.result.plan
        self.folder = os.path.dirname(model_path)
        self.made_folder = mesh_folder(request.path, plan.options, request.output, request.choices)
        self.is_shared = bool(plan.options.meshes.mesh_dir)
        self.names: Dict[str, str] = {}
        self.boxes: Dict[str, Box] = {}
        self.made: List[Tuple[str, bytes]] = []
        self.warnings: Diagnostics = []
        self.several: Set[str] = set()
        self.looks: Dict[str, MeshLook] = {}
        self.targets: Dict[str, str] = {}
        names_kinds = plan.options.meshes.append_mesh_type
        self._kinds_in_names: Texts = ("visual", "collision") if names_kinds else ()
        self._taken = {mesh_stem(file.target).casefold() for file in plan.meshes.files}

    def refer(self, name: str, target: str) -> None:
        """Set the final path of a mesh of the robot."""
        self.names[name] = name_from(self.folder, target)
        self.targets[self.names[name]] = target

    def targets_by(self, meshes: Mapping[str, FilePaths]) -> Dict[str, str]:
        """Return the targets; the target of a mesh that is not converted comes from `meshes`, independently of `refer`."""
        made = {target for target, _ in self.made}
        return {
            **self.targets,
            **{
                text: meshes[name].target
                for name, text in self.names.items()
                if text and self.targets[text] not in made
            },
        }

    def leave_out(self, name: str, sentence: str, *reasons: str, numbers: Reals = ()) -> None:
        """Leave the shapes of a mesh out of the MJCF."""
        self.names[name] = ""
        self.boxes.pop(name, None)
        self.warnings.append(
            Diagnostic(
                kind=EXPORT_LEFT_OUT,
                line=0,
                sentence=sentence,
                names=(name, *reasons, "MJCF"),
                numbers=numbers,
            )
        )

    def add_converted(self, name: str, data: bytes) -> None:
        """Add a mesh of the robot as binary STL, written to the folder for meshes.

        Raises:
            UsageError: this file exists and was not written by this tool, or possibly for a different robot.
        """
        from ..collada.binary_stl import stl_source

        target = os.path.join(self.made_folder, f"{self._new_stem(name)}.stl")
        # `stl_source` recognizes the files of this tool.
        if os.path.lexists(target) and stl_source(target) is None:
            raise UsageError(
                "this file would be replaced by a converted mesh, and was not written by this tool: "
                "move it",
                target,
            )
        if self.is_shared and os.path.exists(target) and read_file(target) != data:
            raise UsageError(
                f"was made from another file than {name}, maybe for another robot: give another --mesh-dir",
                target,
            )
        self.made.append((target, data))
        self.refer(name, target)

    def _new_stem(self, name: str) -> str:
        """Return a new file stem for a mesh; a number comes before the use with which the name of the mesh ends."""
        stem = mesh_stem(name)
        for kind in self._kinds_in_names:
            if has_kind(stem, kind):
                return unique_stem(stem[: -len(f"_{kind}")], self._taken, f"_{kind}")
        return unique_stem(stem, self._taken)


def files_for_mjcf(
    request: ExportRequest,
    robot: RobotRecord,
    meshes: Mapping[str, FilePaths],
    model_path: str,
    *,
    converted: Texts,
) -> MjcfMeshFiles:
    """Return the mesh files as MJCF needs them.

    A format that MuJoCo does not read is left for `write_mjcf` to refuse, unless this run had to convert it:
    `converted` has the endings of these formats.

    Raises:
        UsageError: a file that must be made exists and was not written by this tool.
    """
    files = MjcfMeshFiles(request, model_path)
    made_files = request.result.plan.meshes.files
    colliding = _meshes_of(chain.from_iterable(link.collisions for link in robot.links))
    visuals = _meshes_of(chain.from_iterable(link.visuals for link in robot.links))
    objs: Dict[str, ObjLook] = {}
    for name, mesh_file in meshes.items():
        request.progress(name, 0)
        ending = os.path.splitext(name.lower())[1]
        if mesh_file.source is None:
            files.leave_out(name, "mesh-missing")
        elif ending in converted and ending not in READS["mujoco"]:
            files.leave_out(name, "mesh-unconverted")
        else:
            files.refer(name, mesh_file.target)
            try:
                if ending == ".obj":
                    from .meshes.obj_materials import look_of_obj

                    objs[name] = look_of_obj(mesh_file.source)
                elif ending == ".stl":
                    from ..meshes.stl_files import colors_in_stl

                    _add_stl(files, name, mesh_file.source, collides=name in colliding)
                    if name in visuals and any(colors_in_stl(mesh_file.source)):
                        files.warnings.append(Diagnostic(EXPORT_LOOK, 0, "points", (name, "MJCF")))
            except BrokenMesh as error:
                files.leave_out(name, "mesh-broken", error.message)
    in_stl = [
        file.part.image
        for file in made_files
        if file.part and file.part.image and file.target.endswith(".stl")
    ]
    if objs or in_stl:
        from .meshes.obj_materials import lost_looks

        files.warnings += lost_looks(objs, visuals, in_stl)
        files.several = {name for name, look in objs.items() if look.obj.has_several}
    # An image that this run writes is named at its target, not at its current path.
    _add_looks(files, objs, {os.path.realpath(file.source): file.target for file in made_files})
    return files


def _meshes_of(shapes: Iterable[Union[Visual, Collision]]) -> Set[str]:
    """Return the names of the meshes in shapes."""
    parts = chain.from_iterable(pieces(shape.geometry, shape.origin) for shape in shapes)
    return {part.geometry.filename for part in parts if isinstance(part.geometry, Mesh)}


def _add_stl(files: MjcfMeshFiles, name: str, source: str, *, collides: bool) -> None:
    """Add a file with the ending of STL: binary as it is, ASCII converted.

    Raises:
        BrokenMesh: the file is neither.
    """
    # Imported here: geometry is a tenth of an export's modules, and many URDFs come without their meshes.
    from ..collada.binary_stl import stl_count, STL_RECORD, STL_START
    from ..meshes.read_mesh_files import read_bytes
    from ..meshes.stl_files import as_binary_stl, box_in, is_flat_stl

    problem = ""
    try:
        faces = stl_count(source)
    # The file is ASCII, or broken.
    except BrokenMesh:
        data = as_binary_stl(source)
        faces = (len(data) - STL_START) // STL_RECORD.size
        if faces > 0:
            files.add_converted(name, data)
            if collides:
                files.boxes[name] = box_in(data)
    else:
        if collides and 0 < faces <= MAX_FACES:
            files.boxes[name] = box_in(read_bytes(source))
            problem = "mesh-planar" if is_flat_stl(source) else ""
    if faces > MAX_FACES:
        files.leave_out(name, "mesh-large", numbers=(faces, MAX_FACES))
    elif problem or faces < MIN_FACES:
        files.leave_out(name, problem or "mesh-small")


def _add_looks(
    files: MjcfMeshFiles, objs: "Dict[str, ObjLook]", run_targets: Dict[str, str]
) -> None:
    """Add the materials of OBJ files; `run_targets` maps the real path of each image this run writes to its target."""
    for name, obj in objs.items():
        if obj.look and obj.look.image:
            target = run_targets.get(os.path.realpath(obj.look.image), obj.look.image)
            image = name_from(files.folder, target)
            files.targets[image] = target
            files.looks[name] = obj.look._replace(image=image)
        elif obj.look:
            files.looks[name] = obj.look
