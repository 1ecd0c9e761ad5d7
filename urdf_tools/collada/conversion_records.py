"""The options and results of a COLLADA conversion."""

from __future__ import annotations

from typing import Callable, Iterable, List, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Notes
from ..base.file_reading import FileStamp
from ..base.record_type import Record
from ..urdf.mesh_paths import safe_stem, unique_stem
from ..urdf.spatial_math import Transform

# A transform with any linear part in place of the rotation: maps of a mesh also scale, shear and mirror.
Affine = Transform
DaeColor = Tuple[float, float, float, float]  # red, green, blue, alpha, 0..1
DRAWN_PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
Indices = List[int]  # of points, or of triangles
DaeVector = Tuple[float, float, float]
MeshBounds = Tuple[DaeVector, DaeVector]  # lowest and highest corner, meters
MeshProgress = Callable[[int], None]  # called with the number of triangles so far
COLLADA_ENDINGS = (".dae", ".zae")
MAX_FACES = 200_000
MISSING_UNITS = {"meter": 1.0, "millimeter": 0.001}


class SceneOptions(Record):
    """The options on lengths and axes.

    Attributes:
        scale_factor: meters per unit of the file; None: the file's own unit.
        missing_unit: meters per unit of a file without a unit; 1.0 by the specification.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None turns nothing.
    """

    scale_factor: Optional[float] = None
    missing_unit: float = 1.0
    up_axis: Optional[str] = None


class RareColladaFunctions(Record):
    """The functions that few files need and only the package has; they can be pickled for other processes.

    Attributes:
        cut_run: takes the tag of a strip or fan, counts as in `triangle_blocks`, and indices; returns the indices of
            triangles.
        measured_run: takes the tag and indices; yields each triangle as it is wound, for the proof.
        merge_planar: moves planar parts to the largest part, see `finish_parts`.
    """

    cut_run: Callable[..., List[int]]
    measured_run: Callable[[str, Sequence[int]], Iterable[List[int]]]
    merge_planar: Callable[..., None]


class DaeOptions(Record):
    """The options of a conversion; every field can be pickled.

    Attributes:
        scene: units and axes.
        separate: make a part for each color; False: a single part without color.
        merge_equal_colors: materials of equal color (and image) share a part; False: a part for each material.
        planar: "keep" planar parts, or "merge" them into the largest part, whose color they take.
        max_faces: the most triangles in a file (MuJoCo reads 200,000); a larger part is split; 0: no limit.
        rare: the functions of the package; without it, a file that needs it is refused.
        normals: False: the normals of the file are not read, because USD does not get them.
    """

    scene: SceneOptions = SceneOptions()
    separate: bool = True
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MAX_FACES
    rare: Optional[RareColladaFunctions] = None
    normals: bool = True


DEFAULT_DAE_OPTIONS = DaeOptions()


class MeshPart(Record):
    """An STL file made from a COLLADA file.

    Attributes:
        file: the path of the STL file.
        geometry: the name of its first geometry, and the number of others.
        material: the name of the material, or "".
        rgba: red, green, blue, alpha, 0..1; None if the file has no color.
        image: the image of its texture, or "".
        planar: it lies in a plane, which MuJoCo refuses.
        piece: 0, or 1, 2, ... if the part was split.
        triangles: the number of triangles in the file.
        vertices: the number of different indexed positions in use.
        bounds: the lowest and the highest corner [m].
        notes: notes for the user, without a line.
        stamp: the stamp of the file when it was verified.
        details: data of a converter to other formats; None for STL.
        off: the largest distance between part and mesh, both ways [m of the file]; 0.0: it has all triangles.
        is_partly_colored: `rgba` is None because only some of its surfaces have a color.
    """

    file: str
    geometry: str
    material: str
    rgba: Optional[DaeColor]
    image: str
    planar: bool
    piece: int
    triangles: int
    vertices: int
    bounds: MeshBounds
    notes: Notes
    stamp: FileStamp = ()
    details: object = None
    off: float = 0.0
    is_partly_colored: bool = False


class ReductionRecord(Record):
    """The reduction of a mesh: its numbers of triangles in input and result; `why` it stays, "" if it does not."""

    before: int
    after: int
    why: str = ""


class DaeConversionResult(Record):
    """The result of a conversion: its parts, in the order of their first triangle, and notes on the whole.

    `reduced` is the record of a requested reduction; without parts, the mesh stays unchanged. `joined` has the different
    colors of the file if its parts do not have them. `restated` says how the options placed the mesh otherwise than its
    file does, such as "in units of 0.1 m".
    """

    parts: Tuple[MeshPart, ...]
    notes: Notes
    reduced: Optional[ReductionRecord] = None
    joined: Tuple[DaeColor, ...] = ()
    restated: str = ""


def rgba_text(rgba: DaeColor) -> str:
    """Return the text of a color in a URDF: as its file has it, and with six digits if it was computed."""
    return " ".join(map(_channel_text, rgba))


def _channel_text(value: float) -> str:
    """Return the text of a number of a color."""
    # A double keeps every decimal number of 15 digits (DBL_DIG of C), and more digits are the error of a computation,
    # such as sRGB numbers from the linear ones of glTF.
    text = f"{value:.15g}"
    return text if float(text) == value else f"{value:.6g}"


def part_stems(parts: Sequence[MeshPart], stem: str, used: Set[str]) -> List[str]:
    """Return a file stem for each part: `<stem>_<material>`, or `<stem>` if the mesh has a single part.

    Stems are unique; `used` has casefolded stems, and the new stems are added to it.  The pieces of a split part are
    distinguished by `_1`, `_2`, ...
    """
    # Pieces from the second on belong to the preceding part.
    several = sum(part.piece < 2 for part in parts) > 1
    stems: List[str] = []
    whole = ""
    for number, part in enumerate(parts, start=1):
        if part.piece < 2:
            label = safe_stem(part.material, f"part{number}")
            wanted = f"{stem}_{label}" if several else stem
            whole = safe_stem(wanted, "part")
        own = f"{whole}_{part.piece}" if part.piece else whole
        stems.append(unique_stem(own, used))
    return stems
