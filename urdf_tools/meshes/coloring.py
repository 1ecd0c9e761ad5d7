"""Verify that a conversion separated, combined or dropped the colors of a mesh as requested."""
from typing import List

from ..base.errors import ProofFailed
from ..collada.document import read_dae
from ..collada.measure import draws_of
from ..collada.records import COLLADA_ENDINGS, Conversion, DaeOptions
from .convert import PartLooks
from .form import flat_triangles, Surface
from .formats import ending_of, read_mesh


def verify_colors(path: str, conversion: Conversion, options: DaeOptions, *, colored: bool, separate: bool) -> None:
    """Verify the number of files and colors that a mesh was converted to.

    Args:
        path: the mesh.
        conversion: its result.
        options: for reading the mesh.
        colored: its colors are kept.
        separate: each color has a file.

    Raises:
        ProofFailed: there are more or fewer.
    """
    materials: List[int] = []  # their number in each file; the pieces of a file that was too large count once
    for part in conversion.parts:
        if part.piece < 2:
            materials.append(len(part.details.materials) or 1 if isinstance(part.details, PartLooks) else 1)
    if not separate and len(materials) > 1 or separate and any(count > 1 for count in materials):
        raise ProofFailed(f"became {len(materials)} files with {max(materials)} colors at most", path)
    if not colored and any(part.rgba or part.image for part in conversion.parts):
        raise ProofFailed("has a color that was to be left out", path)
    if colored and sum(materials) == 1 and options.planar == "keep" and _has_colors(path, options):
        raise ProofFailed("has several colors, which became one", path)


def _has_colors(path: str, options: DaeOptions) -> bool:
    """Return True if the triangles of a mesh that have an area show several colors or images."""
    if ending_of(path) in COLLADA_ENDINGS:
        colors = {draw.color for draw in draws_of(read_dae(path), options.scene)}
        if len(colors) < 2 and None not in colors:  # the usual case: the mesh need not be read again
            return False
    surfaces = read_mesh(path, options._replace(separate=True)).surfaces
    return len({_look(surface) for surface in surfaces if len(flat_triangles(surface)) < len(surface.corners) // 3}) > 1


def _look(surface: Surface) -> object:
    return surface.material.rgba, surface.material.image.data if surface.material.image else b""
