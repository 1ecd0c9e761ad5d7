"""What is asked of collisions, read from options; few runs ask, so that nothing else is loaded here."""
import re
from typing import Any, Mapping, NamedTuple, Optional, Tuple

KINDS = ("hull", "auto", "box", "cylinder", "capsule", "sphere")
LINK_KINDS = (*KINDS, "keep", "link", "parts")
LEAST_CORNERS = 8  # fewer hold hardly any body tightly
CORNERS = 64  # the default, and what PhysX takes on the GPU
CORNERS_OF_ISAAC = 34  # a hull of V corners has up to 2 V - 4 triangles, and PhysX takes 64 of them on the GPU
FITS = 5e-3  # [m] how far a primitive may stand out over the hull with `auto`
UNITS = {"": 1.0, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
LENGTH = r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*"


class Rules(NamedTuple):
    """What is asked.

    Attributes:
        kind: of all collisions, one of KINDS; "": only of those that `of_links` names.
        of_links: (glob, one of LINK_KINDS); the last that fits counts.
        most: corners of a hull.
        is_most_given: the user chose that; else more corners are taken where `overhang` needs them.
        overhang: how far a shape may stand out over the hull of its mesh [m]; None: any.
        off_mesh: how far it may stand off the mesh itself [m]; None: any.
        from_visual: links without collisions get them from their visuals.
        as_obj: files are OBJ that Drake takes as convex.
    """

    kind: str = ""
    of_links: Tuple[Tuple[str, str], ...] = ()
    most: int = CORNERS
    is_most_given: bool = False
    overhang: Optional[float] = None
    off_mesh: Optional[float] = None
    from_visual: bool = False
    as_obj: bool = False


def read_length(given: Any) -> float:
    """Return a length in meters from a number, or from text such as `5mm`, `0.005` or `0.5 cm`.

    Raises:
        ValueError: it is none, or negative.
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        value = float(given)
    else:
        match = re.fullmatch(LENGTH, given)
        if match is None or match.group(2) not in UNITS:
            raise ValueError
        value = float(match.group(1)) * UNITS[match.group(2)]
    if not 0.0 <= value < 1e3:
        raise ValueError
    return value


def read_link_kind(given: Any) -> Tuple[str, str]:
    """Return glob and kind of `GLOB=KIND`, or of such a pair.

    Raises:
        ValueError: it is no such pair, or there is no such kind.
    """
    glob, kind = given.rpartition("=")[::2] if isinstance(given, str) else given
    if not isinstance(glob, str) or not glob or kind not in LINK_KINDS:
        raise ValueError
    return glob, kind


def read_corners(given: Any) -> int:
    """Return a number of corners; `isaac` is what PhysX takes on the GPU.

    Raises:
        ValueError: it is neither, or too small.
    """
    count = CORNERS_OF_ISAAC if given == "isaac" else int(given)
    if count < LEAST_CORNERS:
        raise ValueError
    return count


def rules_of(choices: Mapping[str, Any]) -> Rules:
    """Return what options by name ask for."""
    most = choices["collision_max_vertices"]
    return Rules(choices["collision"] or "", tuple(choices["collision_link"]), CORNERS if most is None else most,
                 is_most_given=most is not None, overhang=choices["collision_overhang"],
                 off_mesh=choices["collision_off_mesh"], from_visual=choices["collision_from"] == "visual",
                 as_obj=choices["for"] == "drake")


def asks_for_collisions(choices: Mapping[str, Any]) -> bool:
    """Return True if an option asks for other collisions."""
    return bool(choices["collision"] or choices["collision_link"])
