"""Split a COLLADA model without a robot into binary STL files: all of them appear, or none."""

import os
from typing import Callable, Optional, Tuple, Union

from ..base.errors import UrdfError
from ..base.option_table import Option, values_of
from ..base.transaction import Transaction
from ..collada.records import (
    Conversion,
    MeshProgress,
    MAX_FACES,
    no_rare_collada,
    Part,
    part_stems,
    RareCollada,
)
from ..meshing.conversion import outcome_of
from ..meshing.converter import MeshConverter
from ..plan.mesh_tasks import MeshFile, MeshJob
from ..plan.options import MeshOptions
from ..urdf.mesh_paths import safe_stem
from .destinations import check_mesh_files, read_path
from .option_rows import OPTION_ROWS

OPTIONS = (
    *(
        row._replace(needs=())
        for row in OPTION_ROWS
        if row.name in ("scale", "missing_unit", "up_axis", "force")
    ),
    Option("separate", "", "one STL for each color", kind=bool, default=True),
    Option("merge_equal_colors", "", "one part for equal colors", kind=bool, default=True),
    Option("planar", "", "parts in a plane", default="keep", choices=("keep", "merge")),
    Option(
        "max_faces",
        "",
        "of a part",
        kind=int,
        default=MAX_FACES,
        valid=lambda value: value >= 0,
        advice="give a number of triangles, or 0 for no limit",
    ),
)


def extract_meshes_from_dae(
    dae_file: "Union[str, os.PathLike[str]]",
    output_dir: "Union[str, os.PathLike[str]]",
    *,
    scale: Optional[float] = None,
    separate: bool = True,
    missing_unit: str = "meter",
    up_axis: Optional[str] = None,
    merge_equal_colors: bool = True,
    planar: str = "keep",
    max_faces: int = MAX_FACES,
    force: bool = False,
    progress: Optional[MeshProgress] = None,
    rare: Callable[[], Optional[RareCollada]] = no_rare_collada,
) -> Tuple[Part, ...]:
    """Write one binary STL per color of a `.dae` file, in meters, and return a record for each.

    Either all files appear in `output_dir`, which is made if need be, or none.

    Args:
        scale: meters per unit of the file, instead of its `<unit>`.
        separate: False writes one STL for everything.
        missing_unit: "meter" or "millimeter", for a file without one.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None keeps the axes as they are.
        merge_equal_colors: False keeps materials apart that have the same color.
        planar: "merge" moves parts that lie in a plane into the largest part.
        max_faces: parts with more triangles are split; 0 for no limit.
        force: replace existing files that this tool did not write, or made from another model.
        progress: is called now and then with the number of triangles so far.
        rare: returns what few files need; the package's own function passes it.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        UsageError: an option is of another type or out of range, or a file cannot be written or must not be replaced.
        ProofFailed: what was written is not what the file holds.
    """
    values = dict(
        values_of(
            OPTIONS,
            {
                "scale": scale,
                "separate": separate,
                "missing_unit": missing_unit,
                "up_axis": up_axis,
                "force": force,
                "merge_equal_colors": merge_equal_colors,
                "planar": planar,
                "max_faces": max_faces,
            },
            lambda row: row.name,
        )
    )
    separate, force = values.pop("separate"), values.pop("force")
    return extract_conversion(
        read_path("dae_file", dae_file),
        read_path("output_dir", output_dir),
        MeshConverter(MeshOptions(**values), rare),
        separate=separate,
        force=force,
        progress=progress,
    ).parts


def extract_conversion(
    dae_file: str,
    output_dir: str,
    converter: MeshConverter,
    *,
    separate: bool = True,
    force: bool = False,
    progress: Optional[MeshProgress] = None,
    stem: str = "",
) -> Conversion:
    """Do what `extract_meshes_from_dae` does, and return the notes on the whole file as well.

    The names of the files begin with `stem`, "" for that of the model.
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
                MeshFile(
                    part.file,
                    os.path.join(output_dir, name + os.path.splitext(part.file)[1]),
                    part,
                    dae_file,
                    shared,
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
