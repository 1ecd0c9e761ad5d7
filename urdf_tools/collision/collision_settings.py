"""The settings of collisions, read from options. Few runs change collisions, so this module loads no search or proof."""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Tuple

from ..base.record_type import Record

KINDS = ("hull", "auto", "box", "cylinder", "capsule", "sphere", "spheres", "convex")
SLOW = ("spheres", "convex")  # seconds for a mesh
LINK_KINDS = (*KINDS, "keep", "link", "parts")
ENDINGS = (".yml", ".yaml", ".srdf")  # of a list of spheres
LEAST_CORNERS = 8  # hardly any body has a tight hull with fewer
CORNERS = 64  # the default, and the limit of PhysX on the GPU
CORNERS_OF_ISAAC = 34  # a hull of V corners has up to 2 V - 4 triangles; PhysX takes 64 on the GPU
FITS = 5e-3  # [m] the largest overhang of a primitive with `auto`, and the largest distance off the mesh with `convex`
PIECES = 32  # of a mesh with `convex`, at most
SPHERES_FIT = 20e-3  # [m] the overhang of `spheres`: half of it takes three to four times as many
UNITS = {"": 1.0, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
LENGTH = r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*"


class CollisionSettings(Record):
    """The settings of a run that changes collisions.

    Attributes:
        kind: the kind of all collisions, one of KINDS; "": change only the links that `of_links` names.
        of_links: pairs of a glob and one of LINK_KINDS; the last matching pair counts.
        most: the largest number of corners of a hull.
        is_most_given: the user chose `most`; else more corners are used if `overhang` requires them.
        overhang: the largest distance of a shape from the hull of its mesh [m]; None: any.
        off_mesh: the largest distance of a shape from the surface of its mesh [m]; None: any.
        pieces: the largest number of hulls of a mesh with `convex`.
        from_visual: links without collisions get them from their visuals.
        as_obj: files are OBJ that Drake takes as convex.
    """

    kind: str = ""
    of_links: Tuple[Tuple[str, str], ...] = ()
    most: int = CORNERS
    is_most_given: bool = False
    overhang: Optional[float] = None
    off_mesh: Optional[float] = None
    pieces: int = PIECES
    from_visual: bool = False
    as_obj: bool = False


# [m] A larger number is probably a length in another unit.
TOO_LONG = 1e3


def read_length(given: Any) -> float:
    """Return a length in meters from a number, or from text such as `5mm`, `0.005` or `0.5 cm`.

    Raises:
        ValueError: it is not a length, or is negative or too large.
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        value = float(given)
    else:
        match = re.fullmatch(LENGTH, given)
        if match is None or match.group(2) not in UNITS:
            raise ValueError
        value = float(match.group(1)) * UNITS[match.group(2)]
    if not 0.0 <= value < TOO_LONG:
        raise ValueError
    return value


def read_link_kind(given: Any) -> Tuple[str, str]:
    """Return the glob and the kind of `GLOB=KIND`, or of a pair (glob, kind).

    Raises:
        ValueError: the value is neither, or the kind does not exist.
    """
    glob, kind = given.rpartition("=")[::2] if isinstance(given, str) else given
    if not isinstance(glob, str) or not glob or kind not in LINK_KINDS:
        raise ValueError
    return glob, kind


def read_corners(given: Any) -> int:
    """Return a number of corners; for `isaac`, the largest number that PhysX accepts on the GPU.

    Raises:
        ValueError: the value is neither, or too small.
    """
    count = CORNERS_OF_ISAAC if given == "isaac" else int(given)
    if count < LEAST_CORNERS:
        raise ValueError
    return count


def rules_of(choices: Mapping[str, Any]) -> CollisionSettings:
    """Return the settings from the values of options by name."""
    given = choices["collision_max_vertices"]
    most = CORNERS if given is None else given
    return CollisionSettings(
        kind=choices["collision"] or "",
        of_links=tuple(choices["collision_link"]),
        most=most,
        is_most_given=given is not None,
        overhang=choices["collision_overhang"],
        off_mesh=choices["collision_off_mesh"],
        pieces=choices["collision_pieces"] or PIECES,
        from_visual=choices["collision_from_visuals"],
        as_obj=choices["for"] == "drake",
    )


def changes_collisions(choices: Mapping[str, Any]) -> bool:
    """Return True if an option changes collisions."""
    return bool(choices["collision"] or choices["collision_link"])
