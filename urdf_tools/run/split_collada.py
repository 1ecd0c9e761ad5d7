"""Split a COLLADA model without a robot into binary STL files: all of them appear, or none."""

from __future__ import annotations

import os
from typing import Optional

from ..base.errors import UrdfError
from ..base.paths import path_in
from ..base.transaction import Transaction
from ..collada.conversion_records import DaeConversionResult, MeshProgress, part_stems
from ..meshing.mesh_conversion import outcome_of
from ..meshing.mesh_converter import MeshConverter
from ..plan.mesh_tasks import FinishedFile, MeshJob
from ..urdf.mesh_paths import safe_stem
from .check_destinations import check_mesh_files


def extract_conversion(
    dae_file: str,
    output_dir: str,
    converter: MeshConverter,
    *,
    separate: bool = True,
    force: bool = False,
    progress: Optional[MeshProgress] = None,
    stem: str = "",
) -> DaeConversionResult:
    """Write one binary STL per color of a `.dae` file, in meters; return a record of each, and notes on the file.

    Either all files appear in `output_dir`, which is made if need be, or none. `separate` False writes one STL for
    everything. `force` replaces existing files that this tool did not write, or made from another model. The names of
    the files begin with `stem`, "" for the name of the model. `progress` is called now and then with the number of
    triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        UsageError: a file cannot be written or must not be replaced.
        ProofFailed: the written parts differ from the model.
    """
    stem = stem or safe_stem(os.path.splitext(os.path.basename(dae_file))[0], "model")
    shared = output_dir != default_folder(dae_file)
    with Transaction() as transaction:
        job = MeshJob(dae_file, separate, kind="", suffix="")
        made = outcome_of(
            converter, transaction.staging_folder(output_dir), (job, "part"), progress
        )
        if isinstance(made, UrdfError):
            raise made
        files, _ = converter.finish(
            [
                FinishedFile(
                    source=part.file,
                    target=path_in(output_dir, name + os.path.splitext(part.file)[1]),
                    part=part,
                    origin=dae_file,
                    shared=shared,
                )
                for name, part in zip(part_stems(made.parts, stem, set()), made.parts)
            ],
            (),
        )
        check_mesh_files(files, force=force, option="folder")
        for file in files:
            transaction.add_file(file.target, file.source)
        transaction.commit()
    return made._replace(
        parts=tuple(file.part._replace(file=file.target) for file in files if file.part)
    )


def default_folder(dae_file: str) -> str:
    """Return the folder for the parts of a model when none is named: `<model>_meshes` next to it."""
    return f"{os.path.splitext(dae_file)[0]}_meshes"
