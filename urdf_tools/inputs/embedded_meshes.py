"""Files for the meshes inside an input, because a URDF can only refer to files: binary STL, verified by reading it."""

from __future__ import annotations

import os
from array import array
from itertools import chain
from typing import Dict, List, Set, Tuple

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import BrokenMesh
from ..base.paths import path_from
from ..meshes.mesh_content import FLOAT, MeshMaterial, NUMBER, MaterialSurface, without_triangles
from ..meshes.stl_files import write_stl
from ..meshes.verify_mesh_files import verify_flat, verify_stl, read_back_stl
from ..plan.mesh_tasks import FinishedFile
from ..robot.raw_robot import Inline, RawRobot, RawShape
from ..run.run_records import InputMeshFolder
from ..urdf.mesh_paths import safe_stem, unique_stem
from .input_diagnostics import INPUT_LOST


def with_mesh_files(
    raw: RawRobot, folders: InputMeshFolder
) -> Tuple[RawRobot, Tuple[FinishedFile, ...], Diagnostics]:
    """Return a robot whose meshes are files, the new files in a temporary folder, and a note for each lost image.

    Equal meshes share a file.

    Raises:
        UrdfError: MuJoCo would refuse a mesh, or a file cannot be written.
        ProofFailed: the written file differs from the mesh.
    """
    made: Dict[Inline, FinishedFile] = {}
    lost: List[Diagnostic] = []
    used_names: Set[str] = set()
    source_folder = os.path.realpath(os.path.dirname(raw.file) or ".")
    output_folder = os.path.realpath(folders.output or ".")

    def placed(shape: RawShape) -> RawShape:
        """Return a shape with its mesh in a file."""
        if shape.inline is None:
            return shape
        if shape.inline not in made:
            stem = unique_stem(safe_stem(shape.file, "mesh"), used_names)
            target = os.path.realpath(os.path.join(folders.target, f"{stem}.stl"))
            made[shape.inline] = FinishedFile(
                source=_written(shape.inline, os.path.join(folders.stage(), stem), raw.file),
                target=target,
                part=None,
                origin=raw.file,
                shared=True,
                name=path_from(output_folder, target),
            )
        target = made[shape.inline].target
        if any(group.texture for group in shape.inline()):
            # STL has no texture coordinates, so programs could not show the image.
            lost.append(Diagnostic(INPUT_LOST, shape.line, "image", (shape.role, shape.file)))
            shape = shape._replace(texture="", texture_path="")
        file = path_from(source_folder, target)
        # The points in the file are already scaled.
        return shape._replace(file=file, path=target, inline=None, sizes=(1.0, 1.0, 1.0))

    return raw.with_shapes(placed), (*made.values(),), lost


def _written(inline: Inline, stem: str, source: str) -> str:
    """Write the triangles of a mesh, as float32 and without triangles of zero area, and return the path of the file."""
    triangles = chain.from_iterable(group.triangles for group in inline())
    points = [*chain.from_iterable(triangles)]
    surface = MaterialSurface(
        MeshMaterial(), array(FLOAT, chain.from_iterable(points)), array(NUMBER, range(len(points)))
    )
    files, flat = write_stl(surface, stem)
    if not files:
        name = os.path.basename(stem)
        raise BrokenMesh(f"mesh '{name}' has no triangle with an area: MuJoCo refuses it", source)
    (file,) = files
    verify_flat(source, surface, flat)
    verify_stl(source, file, without_triangles(surface, flat), read_back_stl([file]))
    return file
