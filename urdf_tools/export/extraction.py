"""The package's function that splits a COLLADA model, which reads what few files need, too."""
import os
from typing import Optional, Tuple, Union

from ..collada.records import MeshProgress, MAX_FACES, Part, RareCollada
from ..meshes.rare_collada import RARE_COLLADA
from ..run.extract_meshes import extract_meshes_from_dae as extract_with


def rare_collada() -> RareCollada:
    """Return what few COLLADA files need."""
    return RARE_COLLADA


def extract_meshes_from_dae(
        dae_file: "Union[str, os.PathLike[str]]", output_dir: "Union[str, os.PathLike[str]]", *,
        scale: Optional[float] = None, separate: bool = True, missing_unit: str = "meter",
        up_axis: Optional[str] = None, merge_equal_colors: bool = True, planar: str = "keep",
        max_faces: int = MAX_FACES, force: bool = False, progress: Optional[MeshProgress] = None) -> Tuple[Part, ...]:
    return extract_with(
        dae_file, output_dir, scale=scale, separate=separate, missing_unit=missing_unit, up_axis=up_axis,
        merge_equal_colors=merge_equal_colors, planar=planar, max_faces=max_faces, force=force, progress=progress,
        rare=rare_collada)


extract_meshes_from_dae.__doc__ = extract_with.__doc__
