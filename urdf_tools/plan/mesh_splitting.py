"""Decide what becomes of COLLADA meshes: which STL files and materials each visual and collision gets instead.

The files are made in a temporary folder on the way, because their content decides; they get their places only after
consent.
"""
import os
from collections import Counter
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import Unusable
from ..urdf.model import Robot, Shape
from ..urdf.package_resolver import Resolver
from ..collada.records import COLLADA_ENDINGS, Conversion, DaeOptions, no_rare_collada, Part, RareCollada
from .options import MeshOptions


class SplitPart(NamedTuple):
    """One file in the place of a mesh: its name in the URDF, and for a visual its material.

    `has_own_colors`: the file has all colors in it, and the visual loses its material.
    """

    filename: str
    material: str
    rgba: str
    has_own_colors: bool = False


class Split(NamedTuple):
    """A visual or collision that becomes one for each part, in its place; `made` is what its mesh was converted to."""

    shape: Shape
    link: str
    parts: Tuple[SplitPart, ...]
    made: Tuple[Part, ...]


class MeshFile(NamedTuple):
    """A finished mesh in the temporary folder, the place where it is to go, and the file that it is from.

    `shared` says that other robots may have meshes in that place: the user named it.  A file without a part goes along
    with one that has it; `details` are the maker's own data about a part. `copied`: the name in the URDF of a copy of
    `origin`.
    """

    source: str
    target: str
    part: Optional[Part]
    origin: str
    shared: bool
    details: object = None
    copied: str = ""

    @property
    def along(self) -> bool:
        """Return True if it goes along with another that names it."""
        return self.part is None and not self.copied


def folder_of(files: Sequence[MeshFile]) -> str:
    """Return the folder that holds the places of all files."""
    return os.path.commonpath([os.path.dirname(file.target) or "." for file in files]) or "."


def owns_stl(file: MeshFile) -> Optional[bool]:
    """Return True if what is in the place of an STL file may be replaced, None if this tool did not write it."""
    from ..mesh.stl import is_own_stl, stl_source

    return None if stl_source(file.target) is None else is_own_stl(file.target, file.source, shared=file.shared)


class Splitting(NamedTuple):
    """All splits, the files they need, what to warn of, and how many COLLADA references stay as they are.

    `owns` says whether a file may replace what is in its place, see `owns_stl`.
    """

    splits: Tuple[Split, ...]
    files: Tuple[MeshFile, ...]
    warnings: Tuple[Diagnostic, ...]
    left: int
    owns: Callable[[MeshFile], Optional[bool]] = owns_stl

    @property
    def sources(self) -> str:
        """What the files that were converted are called: COLLADA where they all are."""
        return "COLLADA" if all(is_collada(split.shape) for split in self.splits) else "mesh"

    @property
    def formats(self) -> Dict[str, int]:
        """How many meshes were made, by the name of their format."""
        endings = (os.path.splitext(file.target)[1][1:] for file in self.files if file.part)
        return Counter("glTF" if ending == "gltf" else ending.upper() for ending in endings)


NO_SPLITTING = Splitting((), (), (), 0)


class MeshMaker(NamedTuple):
    """Another way to make meshes than from COLLADA to STL; the package brings one for other formats.

    Attributes:
        endings: of the files that it reads, in lower case.
        holds_colors: its files hold their colors, so that a visual has no need of a material.
        separates: of a visual, whether it becomes one for each color; of a collision it never does.
        convert: as `convert_dae`, with the kind of shape behind; it is called in another process, too.
        finish: given all files, and by the place of each the color of its visual, return them as they are to be
            placed, with what goes along, and what to warn of.
        skips: whether a file needs no conversion.
        rename: by the real path of a mesh or image the name that it is to have.
        keeps_names: files that are copied have the names in the URDF that they had.
        prefix: what precedes the names of files in a folder, "" for the usual.
        compiler: attributes for `<mujoco><compiler>`; () keeps it as it is.
        writes_colors: `finish` writes the color of each visual into its files.
        shares: a collision has the file of a visual of the same mesh, if that is one file.
        owns: whether a file may replace what is in its place, see `owns_stl`.
    """

    endings: Tuple[str, ...]
    holds_colors: bool
    separates: bool
    convert: Callable[[str, str, DaeOptions, str, str], Conversion]
    finish: Callable[[Sequence[MeshFile], Dict[str, str]], Tuple[List[MeshFile], List[Diagnostic]]]
    skips: Callable[[str], bool]
    rename: Optional[Callable[[str], str]] = None
    keeps_names: bool = False
    prefix: Callable[[str], str] = lambda folder: ""
    compiler: Tuple[Tuple[str, str], ...] = ()
    writes_colors: bool = False
    shares: bool = False
    owns: Callable[[MeshFile], Optional[bool]] = owns_stl


class Workshop(NamedTuple):
    """Where meshes are made and where they go.

    Attributes:
        resolver: how references are found.
        holding: a temporary folder for the files.
        target: the folder where the files will be.
        prefix: what precedes a file's name in the URDF, with its slash.
        progress: is called now and then with the name of a file and its triangles so far.
        maker: another way to make meshes; None: from COLLADA to STL.
        copies: no mesh is made, and all that the result names are copied.
        rare: returns what few COLLADA files need, or None.
    """

    resolver: Resolver
    staging_dir: str
    target: str
    prefix: str
    progress: Optional[Callable[[str, int], None]]
    maker: Optional[MeshMaker] = None
    copies: bool = False
    rare: Callable[[], Optional[RareCollada]] = no_rare_collada


def is_collada(shape: Shape) -> bool:
    """Return True if the mesh of a shape is a COLLADA file."""
    return shape.mesh.lower().endswith(COLLADA_ENDINGS)


def decide_splitting(robot: Robot, staying: Iterable[Tuple[str, Shape]], options: MeshOptions,
                     workshop: Optional[Workshop]) -> Splitting:
    """Convert the COLLADA files of the shapes that stay, given in file order with the links that carry them.

    With a maker in the workshop, all files that it reads are converted, not only COLLADA.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read.
        ProofFailed: what was written is not what a file holds.
    """
    maker = workshop.maker if workshop else None
    if workshop is None or not (maker.endings if maker else options.wanted):
        return NO_SPLITTING._replace(left=sum(is_collada(shape) for _, shape in staying))
    return _split(robot, staying, options, workshop)


def _split(robot: Robot, staying: Iterable[Tuple[str, Shape]], options: MeshOptions, workshop: Workshop) -> Splitting:
    from .mesh_conversion import convert_and_split  # few runs convert meshes

    return convert_and_split(robot, staying, options, workshop)


def check_mesh_files(splitting: Splitting, *, force: bool) -> None:
    """Make sure that no file is replaced which this tool did not write, or which it made from another source.

    Raises:
        Unusable: naming such files.
    """
    foreign = foreign_mesh_files(splitting)
    if not foreign or force:
        return
    others = [file for file in foreign if splitting.owns(file) is None]
    if others:
        listed = ", ".join(file.target for file in others[:4])
        listed += f" and {len(others) - 4} more" if len(others) > 4 else ""
        raise Unusable(f"not written by this tool: {listed}; give another --mesh-dir, or --force")
    more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
    raise Unusable(f"was made from another file than {foreign[0].origin}{more}, maybe for another robot: give another "
                   "--mesh-dir, or --force", foreign[0].target)


def foreign_mesh_files(splitting: Splitting) -> List[MeshFile]:
    """Return the files whose places hold something that is not theirs to replace."""
    return [file for file in splitting.files if os.path.lexists(file.target) and not splitting.owns(file)]
