"""Decide which meshes are converted; records of the conversion and its result. No file is touched here."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple

from ..base.types import Pair, Pairs, Texts
from ..base.diagnostics import Diagnostic, Notes
from ..base.number_text import count_of
from ..base.record import Record
from ..urdf.model import UrdfShape
from ..collada.records import COLLADA_ENDINGS, DaeColor, MeshPart, ReductionRecord
from .options import MeshOptions

# Endings of files that have colors, so that a visual needs no material.
HOLD_COLORS = (".gltf", ".glb")
# Of a visual that has no color, neither in its mesh nor in the URDF.
GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)


# What a note on a mesh says to be left out of the looks of its visual, by its kind and sentence.
IMAGE, LIGHT, POINT_COLORS = "an image", "light", "colors of points"
JOINED_COLORS, FLAT_COLORS = "a color of the mesh file", "the color of a flat part"
LOST_LOOKS: Mapping[Pair, str] = {
    ("mesh-content", "image"): IMAGE,
    ("mesh-content", "light"): LIGHT,
    ("mesh-content", "point-colors"): POINT_COLORS,
    ("mesh-feature", "facet-colors"): POINT_COLORS,
    ("mesh-feature", "vertex-colors"): POINT_COLORS,
    ("mesh-image", "no-coordinates"): IMAGE,
    ("mesh-image", "not-gltf"): IMAGE,
    ("mesh-merged", "part"): FLAT_COLORS,
}


def lost_looks(notes: Iterable[Diagnostic]) -> Texts:
    """Return what notes on a mesh say to be left out of its looks."""
    keys = ((note.kind.name, note.sentence) for note in notes)
    return tuple(dict.fromkeys(LOST_LOOKS[key] for key in keys if key in LOST_LOOKS))


class ConversionForm(Record):
    """The form that the meshes of a run are converted to.

    Attributes:
        endings: of the files that are converted, in lower case; (): none is.
        separates: a visual becomes one for each color; a collision never does.
        by_kind: a collision is converted differently from a visual of the same mesh.
        within: given the shapes that stay, with their links, how far visuals of fewer triangles may be off, by the
            name of their mesh [units of the file]; None: none gets fewer.
        names: names of files in the URDF: "" as usual, "keep" also those of copies, "all" as the converter says.
        compiler: attributes for `<mujoco><compiler>`; () keeps it as it is.
    """

    endings: Texts = ()
    separates: bool = False
    by_kind: bool = False
    within: Optional[Callable[[Sequence[Tuple[str, UrdfShape]]], Mapping[str, float]]] = None
    names: str = ""
    compiler: Pairs = ()


NO_CONVERSION = ConversionForm()


class MeshJob(Record):
    """The conversion of a mesh, once for all shapes that need the same.

    Attributes:
        path: its name in the URDF, and as soon as the file is found, its real path.
        separate: one file for each color.
        kind: of shape, where each kind is converted differently, else "".
        suffix: what the names of its files end with, "visual" or "collision", or "".
        within: the largest distance [m of the file] to a mesh of fewer triangles; 0.0: it keeps all.
    """

    path: str
    separate: bool
    kind: str
    suffix: str
    within: float = 0.0


class ConversionTask(Record):
    """A shape whose mesh is to be converted, its link in the result, and the conversion."""

    shape: UrdfShape
    link: str
    job: MeshJob


class ReplacementMesh(Record):
    """A file that replaces a mesh: its name in the URDF, and for a visual its material.

    `has_own_colors`: the file holds all colors, and the visual loses its material.
    """

    filename: str
    material: str
    rgba: str
    has_own_colors: bool = False


class ConvertedShape(Record):
    """A visual or collision that is replaced by one for each part; `made` are the parts of its converted mesh."""

    shape: UrdfShape
    link: str
    parts: Tuple[ReplacementMesh, ...]
    made: Tuple[MeshPart, ...]


class FinishedFile(Record):
    """A finished file of a run: a mesh that was made, a copy, or what goes along with one.

    Attributes:
        source: its path now, in the temporary folder.
        target: its path when all is written.
        part: what was converted; None for any other file.
        origin: the file that it was made from.
        shared: other robots may have meshes in that folder, which the user named.
        name: how the result refers to it; "" where only another file does.
        is_copy: it has the bytes of `origin`.
    """

    source: str
    target: str
    part: Optional[MeshPart]
    origin: str
    shared: bool
    name: str = ""
    is_copy: bool = False

    @property
    def along(self) -> bool:
        """Return True if only another file refers to it."""
        return not self.name


class MeshResult(Record):
    """The result of converting, copying and naming the meshes.

    Attributes:
        converted: the shapes whose meshes were converted.
        files: those that they need, or copies.
        unconverted: how many COLLADA references are kept as they are.
        names: the new names of mesh and texture files that are not converted, by their old ones.
        uri_files: the file of each URI among these names; and those that are made, each by its real path.
        compiler: attributes for `<mujoco><compiler>`.
        warnings: about the files to convert.
        reduced: what became of the visuals that were to have fewer triangles.
        joined: by link of the result, and by the number of a visual that was joined with others, how many visuals
            replace it; 0: it is in the file of another one.
        lost: the links whose visuals lost something of their looks, each with a value of `LOST_LOOKS`.
    """

    converted: Tuple[ConvertedShape, ...]
    files: Tuple[FinishedFile, ...]
    unconverted: int
    names: Dict[str, str]
    uri_files: Dict[str, str]
    compiler: Pairs
    warnings: Notes
    reduced: Tuple[Tuple[MeshJob, ReductionRecord], ...] = ()
    joined: Mapping[str, Mapping[int, int]] = {}
    lost: Pairs = ()

    @property
    def without(self) -> Texts:
        """How many visuals lost what of their looks, in phrases."""
        counts = Counter(word for _, word in self.lost)
        return tuple(
            f"{count_of(count, 'visual')} without {word}" for word, count in counts.items()
        )

    @property
    def sources(self) -> str:
        """The word for the files that were converted: COLLADA where they all are, else mesh."""
        return (
            "COLLADA"
            if not self.joined and all(is_collada(split.shape) for split in self.converted)
            else "mesh"
        )

    @property
    def formats(self) -> Dict[str, int]:
        """How many meshes were made, by the name of their format."""
        endings = (file.target.rpartition(".")[2] for file in self.files if file.part)
        return Counter("glTF" if ending == "gltf" else ending.upper() for ending in endings)


def is_collada(shape: UrdfShape) -> bool:
    """Return True if the mesh of a shape is a COLLADA file."""
    return shape.mesh.lower().endswith(COLLADA_ENDINGS)


def decide_meshes(
    staying: Sequence[Tuple[str, UrdfShape]], options: MeshOptions, form: ConversionForm
) -> Tuple[ConversionTask, ...]:
    """Return the conversions for the shapes of the result, given in file order with their links."""
    within = form.within(staying) if form.within else {}
    return tuple(
        ConversionTask(
            shape,
            link,
            MeshJob(
                shape.mesh,
                form.separates and shape.kind == "visual",
                kind=shape.kind if form.by_kind else "",
                suffix=shape.kind if options.append_mesh_type else "",
                within=within.get(shape.mesh, 0.0) if shape.kind == "visual" else 0.0,
            ),
        )
        for link, shape in staying
        if shape.mesh.lower().endswith(form.endings)
        or shape.kind == "visual"
        and shape.mesh in within
    )
