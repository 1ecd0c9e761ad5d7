"""Options and results of a COLLADA conversion."""

from __future__ import annotations

from typing import Callable, Iterable, List, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Notes
from ..base.files import FileStamp
from ..base.record import Record
from ..urdf.mesh_paths import safe_stem, unique_stem
from ..urdf.spatial import Transform

# With any linear part in place of a rotation: maps of a mesh also scale, shear and mirror.
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
    """How lengths and axes are read.

    Attributes:
        scale_factor: meters per unit of the file; None: as the file says.
        missing_unit: meters per unit of a file without one; 1.0 by the specification.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None turns nothing.
    """

    scale_factor: Optional[float] = None
    missing_unit: float = 1.0
    up_axis: Optional[str] = None


class RareCollada(Record):
    """What few files need and only the package has: functions of modules, which can be sent to other processes.

    Attributes:
        cut_run: from the tag of a strip or fan, counts as in `triangle_blocks`, and indices, the indices of triangles.
        measured_run: from the tag and indices, each triangle as it is wound, for the proof.
        merge_planar: moves parts in a plane to the largest part, see `finish_parts`.
    """

    cut_run: Callable[..., List[int]]
    measured_run: Callable[[str, Sequence[int]], Iterable[List[int]]]
    merge_planar: Callable[..., None]


class DaeOptions(Record):
    """How a COLLADA file is converted; every field can be pickled.

    Attributes:
        scene: units and axes.
        separate: one part for each color; False: one part for all, without color.
        merge_equal_colors: materials of equal color (and image) share a part; False: one part for each material.
        planar: "keep" planar parts, or "merge" them into the largest part, whose color they take.
        max_faces: most triangles in a file (MuJoCo reads 200,000); more are split; 0: no limit.
        rare: what the package brings; without it, a file that needs it is refused.
        normals: False: the normals of the file are not read, as USD gets none of them.
    """

    scene: SceneOptions = SceneOptions()
    separate: bool = True
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MAX_FACES
    rare: Optional[RareCollada] = None
    normals: bool = True


DEFAULT_DAE_OPTIONS = DaeOptions()


class MeshPart(Record):
    """One STL file made from a COLLADA file.

    Attributes:
        file: path of the STL file.
        geometry: the geometry in it, by name, and how many more.
        material: the material, by name, or "".
        rgba: red, green, blue, alpha, 0..1; None if the file has no color.
        image: the image that its texture shows, or "".
        planar: all of it lies in one plane, which MuJoCo refuses.
        piece: 0, or 1, 2, ... when the part was split.
        triangles: triangles in the file.
        vertices: different indexed positions in use.
        bounds: lowest and highest corner, meters.
        notes: what the user should know of it, without a line.
        stamp: the stamp of the file when it was verified.
        details: what a converter to other formats knows of it; None on the way to STL.
        off: how far part and mesh are at most from each other, both ways [m of the file]; 0.0: it has all triangles.
        is_partly_colored: it has no single color in `rgba`, as only some of its surfaces have one.
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
    """The triangles of a mesh that was to have fewer: how many before and after; `why` it stays, "" if it does not."""

    before: int
    after: int
    why: str = ""


class Conversion(Record):
    """The result of one conversion: its parts, in the order of their first triangle, and notes on the whole.

    `reduced`: where fewer triangles were asked for; without parts, the mesh stays as it is. `joined`: the different
    colors of the file, where its parts have none of them.
    """

    parts: Tuple[MeshPart, ...]
    notes: Notes
    reduced: Optional[ReductionRecord] = None
    joined: Tuple[DaeColor, ...] = ()


def rgba_text(rgba: DaeColor) -> str:
    """Return a color as a URDF writes it."""
    return " ".join(f"{value:.6g}" for value in rgba)


def part_stems(parts: Sequence[MeshPart], stem: str, used: Set[str]) -> List[str]:
    """Return a file stem for each part: `<stem>_<material>`, or `<stem>` when there is one material.

    Stems are unique; `used` holds casefolded stems, and the new ones are added to it.  The pieces of a part that was
    split are distinguished by `_1`, `_2`, ...
    """
    # Pieces from the second on belong to the part before.
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
