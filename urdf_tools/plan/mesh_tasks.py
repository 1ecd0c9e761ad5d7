"""The decision which meshes are converted, and the records of the conversion and its result. No file is read or written here."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Pair, Pairs, Texts
from ..base.diagnostics import Diagnostic, Notes
from ..base.number_text import count_of
from ..base.record_type import Record
from ..urdf.moved_files import FileUse
from ..urdf.urdf_records import UrdfShape
from ..collada.conversion_records import COLLADA_ENDINGS, DaeColor, MeshPart, ReductionRecord
from .run_options import MeshOptions

# Endings of formats with colors, for which a visual needs no material.
HOLD_COLORS = (".gltf", ".glb")
# The color of a visual without a color in its mesh or in the URDF.
GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)


# The lost part of a visual's looks, by the kind and sentence of the note on its mesh.
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
    """Return the lost parts of a mesh's looks, from the notes on the mesh."""
    keys = ((note.kind.name, note.sentence) for note in notes)
    return tuple(dict.fromkeys(LOST_LOOKS[key] for key in keys if key in LOST_LOOKS))


class ConversionForm(Record):
    """The form that the meshes of a run are converted to.

    Attributes:
        endings: the endings of files to convert, in lower case; () converts none.
        separates: a visual is split by color; collisions never are.
        by_kind: visuals and collisions of the same mesh are converted differently.
        within: given the remaining shapes with their links, the largest distance of a visual with fewer triangles, by
            the name of its mesh [units of the file]; None: all triangles are kept.
        names: the names of files in the URDF: "" as usual, "keep" keeps the names of copies too, "all" takes them from
            the converter.
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
    """The conversion of a mesh, shared by all shapes with the same needs.

    Attributes:
        path: the name of the mesh in the URDF; its real path once the file is found.
        separate: one file for each color.
        kind: the kind of shape if kinds are converted differently, else "".
        suffix: the end of the names of its files: "visual", "collision" or "".
        within: the largest distance to a mesh of fewer triangles [units of the file]; 0.0: all triangles are kept.
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

    `has_own_colors`: the file has all colors, so the visual loses its material.
    """

    filename: str
    material: str
    rgba: str
    has_own_colors: bool = False


class ConvertedShape(Record):
    """A visual or collision that is replaced by a shape for each mesh part; `made` holds the parts of its converted mesh."""

    shape: UrdfShape
    link: str
    parts: Tuple[ReplacementMesh, ...]
    made: Tuple[MeshPart, ...]


class FinishedFile(Record):
    """A finished file of a run: a converted mesh, a copy, or a file that these refer to.

    Attributes:
        source: its current path, in the temporary folder.
        target: its path in the result.
        part: the converted mesh part; None for any other file.
        origin: the file that it was made from.
        shared: the user named the target folder, so other robots may have meshes in it.
        name: its name in the result; "" if only a different file refers to it.
        is_copy: it is identical to `origin`, byte by byte.
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
        """Return True if the file is referred to by a file and not by the result itself."""
        return not self.name


class MeshResult(Record):
    """The result of converting, copying and naming the meshes.

    Attributes:
        converted: the shapes whose meshes were converted.
        files: the files of the result, converted or copied.
        unconverted: how many COLLADA references are kept as they are.
        names: the new names of mesh and texture files that are not converted, by their old ones and their uses.
        uri_files: the file of each URI among these names, and the files that are made, each by its real path.
        compiler: attributes for `<mujoco><compiler>`.
        warnings: about the files to convert.
        reduced: records of visuals that were to have fewer triangles.
        joined: by link of the result, and by the number of a visual that was joined with others, how many visuals
            replace it; 0: it is in the file of a different visual.
        lost: the links whose visuals lost a part of their looks, each with a value of `LOST_LOOKS`.
        restated: the links whose meshes the options place otherwise than their files do, each with the words.
    """

    converted: Tuple[ConvertedShape, ...]
    files: Tuple[FinishedFile, ...]
    unconverted: int
    names: Dict[FileUse, str]
    uri_files: Dict[str, str]
    compiler: Pairs
    warnings: Notes
    reduced: Tuple[Tuple[MeshJob, ReductionRecord], ...] = ()
    joined: Mapping[str, Mapping[int, int]] = {}
    lost: Pairs = ()
    restated: Pairs = ()

    @property
    def but_for(self) -> Texts:
        """Phrases that count the visuals that lost a part of their looks, and the meshes of another size or turn."""
        lost = Counter(word for _, word in self.lost)
        restated = Counter(words for _, words in self.restated)
        return (
            *(f"{count_of(count, 'visual')} without {word}" for word, count in lost.items()),
            *(f"{count_of(count, 'mesh', 'meshes')} {words}" for words, count in restated.items()),
        )

    @property
    def sources(self) -> str:
        """The word for the converted files: COLLADA if all of them are, else mesh."""
        return (
            "COLLADA"
            if not self.joined and all(is_collada(split.shape) for split in self.converted)
            else "mesh"
        )

    @property
    def formats(self) -> Dict[str, int]:
        """The number of meshes that were made, by the name of their format."""
        endings = (file.target.rpartition(".")[2] for file in self.files if file.part)
        return Counter("glTF" if ending == "gltf" else ending.upper() for ending in endings)


def is_collada(shape: UrdfShape) -> bool:
    """Return True if the mesh of a shape is a COLLADA file."""
    return shape.mesh.lower().endswith(COLLADA_ENDINGS)


def decide_meshes(
    staying: Sequence[Tuple[str, UrdfShape]], options: MeshOptions, form: ConversionForm
) -> Tuple[ConversionTask, ...]:
    """Return a conversion for each shape whose mesh is converted or reduced.

    The shapes come in file order with their links.
    """
    # The largest distance of a mesh with fewer triangles, by the name of the mesh.
    largest_gaps = form.within(staying) if form.within else {}
    tasks: List[ConversionTask] = []
    for link, shape in staying:
        is_visual = shape.kind == "visual"
        is_reduced = is_visual and shape.mesh in largest_gaps
        if not is_reduced and not shape.mesh.lower().endswith(form.endings):
            continue
        job = MeshJob(
            path=shape.mesh,
            separate=form.separates and is_visual,
            kind=shape.kind if form.by_kind else "",
            suffix=shape.kind if options.append_mesh_type else "",
            within=largest_gaps[shape.mesh] if is_reduced else 0.0,
        )
        tasks.append(ConversionTask(shape, link, job))
    return tuple(tasks)
