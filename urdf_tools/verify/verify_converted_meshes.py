"""The proof of converted meshes: a shape has all parts into which its mesh was converted, with their files and colors."""

from __future__ import annotations

import os
import posixpath
from typing import List, Mapping, Optional

from ..base.file_reading import file_stamp
from ..base.number_text import grouped
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import is_relative
from ..plan.mesh_tasks import ConvertedShape, GRAY, HOLD_COLORS, FinishedFile, ReplacementMesh
from ..collada.conversion_records import DaeColor, MeshPart
from .shared_proof_state import ComparedRobots
from .proof_robot import numbers_of

PRINTED = 1e-6  # a color that was computed is written with six digits


def verify_parts(comparison: ComparedRobots, materials: Mapping[str, Element]) -> None:
    """Compare each part of the plan with the conversions, and with the files to be written.

    `materials` has the definitions of the input, by name.
    """
    meshes = comparison.plan.meshes
    require = comparison.require
    # On some file systems, names that differ only in case are the same file.
    targets = {os.path.abspath(file.target).casefold() for file in meshes.files}
    require(len(targets) == len(meshes.files), "two files are to have one name")
    files = grouped((os.path.basename(file.target), file) for file in meshes.files)
    require("" not in files, "a file is to have no name")
    for file in meshes.files:
        require(
            file.part is None or file.part.stamp == file_stamp(file.source) != (),
            f"'{file.target}' is to be another file than the one that was proven",
        )
    for split in meshes.converted:
        where = f"'{split.shape.mesh}' of link '{split.link}'"
        require(
            0 < len(split.parts) == len(split.made),
            f"{where} has not all parts of what was converted",
        )
        for part, made in zip(split.parts, split.made):
            require(
                _reaches_part(comparison, part, made, files),
                f"{where} is to be '{part.filename}', which is another file",
            )
            require(
                _has_its_color(split, part, made, materials),
                f"{where} has another color in '{part.filename}'",
            )


def _reaches_part(
    comparison: ComparedRobots,
    part: ReplacementMesh,
    made: MeshPart,
    files: Mapping[str, List[FinishedFile]],
) -> bool:
    """Return True if the name of a part in the URDF reaches the file that is made from the part.

    Args:
        part: the name in the URDF.
        made: the part, and its staged file.
        files: the files to be written, by the last component of their paths.
    """
    folder, name = posixpath.split(part.filename.replace("\\", "/"))
    files_of_part = [
        file
        for file in files.get(name, ())
        if file.part is not None and file.part.file == made.file
    ]
    # The folder of such a name is the user's choice: only the name of the file counts.
    if not is_relative(part.filename) or comparison.plan.options.meshes.mesh_prefix:
        return bool(files_of_part)
    # The result has no folder, as it is written to the standard output.
    if not comparison.folders.after:
        return bool(files_of_part)
    folder = os.path.realpath(os.path.join(comparison.folders.after, folder))
    return any(os.path.realpath(os.path.dirname(file.target)) == folder for file in files_of_part)


def _has_its_color(
    split: ConvertedShape, part: ReplacementMesh, made: MeshPart, materials: Mapping[str, Element]
) -> bool:
    """Return True if a part has its color: the color of the mesh, else of the visual, else gray."""
    if (
        made.off
        and split.shape.source.find("material") is None
        and made.rgba is None
        and not part.rgba
    ):
        return not part.material  # it is drawn as in the input
    # Only a collision, or a file with its own colors, has no material.
    if split.shape.kind != "visual" or not part.material:
        in_file = split.shape.kind == "visual" and part.filename.endswith(HOLD_COLORS)
        has_colors = made.rgba is not None or made.is_partly_colored
        return (
            not part.material
            and part.has_own_colors == (in_file and has_colors)
            and (in_file or split.shape.kind != "visual")
        )
    expected = made.rgba or _color_of(split.shape.source, materials) or GRAY
    written = _rgba(part.rgba)
    return written is not None and all(
        abs(a - b) <= PRINTED * max(1.0, abs(a)) for a, b in zip(expected, written)
    )


def _color_of(visual: Element, materials: Mapping[str, Element]) -> Optional[DaeColor]:
    """Return the color of the material of a visual, which may be a name in `materials`; None without a color."""
    material = visual.find("material")
    color = material.find("color") if material is not None else None
    if material is not None and color is None and material.get("name") in materials:
        color = materials[material.get("name") or ""].find("color")
    return _rgba(color.get("rgba") or "") if color is not None else None


def _rgba(text: str) -> Optional[DaeColor]:
    """Return the four numbers of a color, None for anything else."""
    try:
        red, green, blue, alpha = numbers_of(text, 4)
    except ValueError:
        return None
    return (red, green, blue, alpha)
