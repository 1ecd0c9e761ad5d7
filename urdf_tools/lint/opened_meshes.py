"""Open the mesh files of a robot: each file once, for the box of its points and for the faults that programs refuse."""

from __future__ import annotations

import os
from array import array
from functools import lru_cache, wraps
from itertools import chain
from typing import (
    Any,
    Callable,
    cast,
    Dict,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
    TYPE_CHECKING,
    TypeVar,
)

from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import BrokenMesh, NotFinite, UrdfError
from ..base.record_type import Record
from ..meshes.mesh_content import FLOAT, MaterialSurface, MeshContent
from ..urdf.spatial_math import cross, dot, subtract, Vector, ZERO

if TYPE_CHECKING:
    from ..collada.collada_document import DaeDocument
    from ..collada.collada_primitives import PrimitiveElement

Function = TypeVar("Function", bound=Callable[..., Any])
# In bytes; chosen, so that lint stays fast: larger files are not opened.
LARGEST_FILE = 64 * 1024 * 1024
# Larger files are bounded by their box, without keeping triangles: one file in eight is larger.
LARGEST_READ = 1024 * 1024
Box = Tuple[Vector, Vector]  # its lowest and its highest corner [m]
# X, y and z of points, or of the corners of boxes around them [m].
Columns = Sequence[Sequence[float]]
FEWEST_POINTS = 4  # of a body with a volume
# The faults of a mesh file; the sentences of `mesh-unreadable` have these keys, and programs.md has a row for each.
POINTER = "pointer"  # of Git LFS
PAGE = "page"  # HTML that a server sent in place of the file
ANSWER = "answer"  # JSON that a server sent in place of the file
MATERIAL = "material"  # the material file of an OBJ cannot be read
NOTHING = "nothing"  # it can be read, and draws no triangle
NUMBER = "number"  # nan or inf
UNREADABLE = "unreadable"  # any other reason
PAGE_STARTS = (b"<!doctype html", b"<html")  # in lower case
ANSWER_START = b"{"
START = 1024  # bytes that show which kind of file it is


class OpenedMesh(Record):
    """The content of a mesh file, as far as lint needs it.

    Attributes:
        box: of all points; None if the file cannot be read.
        fault: one of the faults above, "" for a sound file.
        reason: the reader's sentence about the fault, without the name of the file.
        line: the line of the fault in the mesh file, 0 without lines.
        notes: the notes of the reader, about materials and images among others.
        is_flat: all points are in one plane exactly. Only STL and OBJ are examined: MuJoCo reads no others.
        has_few: fewer than four different points, in these formats.
        is_large: the file is not opened.
        lacks_scene: a COLLADA file that names no visual scene; pycollada, which Newton reads with, needs one.
    """

    box: Optional[Box] = None
    fault: str = ""
    reason: str = ""
    line: int = 0
    notes: Notes = ()
    is_flat: bool = False
    has_few: bool = False
    is_large: bool = False
    lacks_scene: bool = False


SOUND = OpenedMesh()


class SmallMesh(Record):
    """The content of a small mesh file, or the error that its reader raised; neither of a large one."""

    content: Optional[MeshContent] = None
    error: Optional[UrdfError] = None


def cached_by_file(most: int) -> Callable[[Function], Function]:
    """Return a decorator that keeps the last `most` results of a function of a path, until the file changes."""

    def decorate(function: Function) -> Function:
        """Return the function with a cache."""

        @lru_cache(maxsize=most)
        def cached(stamp: Tuple[int, int], path: str, *rest: Any, **options: Any) -> Any:
            """Return the result for a file of a size and a time of change."""
            return function(path, *rest, **options)

        @wraps(function)
        def of_file(path: str, *rest: Any, **options: Any) -> Any:
            """Return the result for the file as it is now."""
            return cached(_stamp(path), path, *rest, **options)

        return cast(Function, of_file)

    return decorate


def _stamp(path: str) -> Tuple[int, int]:
    """Return the size of a file and the time of its last change [ns]; zeros of a missing file."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


@cached_by_file(4096)
def open_mesh(path: str) -> OpenedMesh:
    """Return the box of a mesh file and its faults."""
    try:
        if os.path.getsize(path) > LARGEST_FILE:
            return OpenedMesh(is_large=True)
        return _open(path)
    except OSError as error:
        return OpenedMesh(fault=UNREADABLE, reason=f"cannot be read ({error.strerror or error})")
    except UrdfError as error:
        return _faulty(path, error)


def _open(path: str) -> OpenedMesh:
    """Return the box of a mesh file and its faults.

    Raises:
        OSError, UrdfError: the file cannot be read.
    """
    from ..meshes.mesh_readers import read_mesh

    small = _small_mesh(path)
    if small.error is not None:
        raise small.error
    content = small.content
    notes: Notes = ()
    if content is None and path.lower().endswith(".dae"):
        scene_notes: List[Diagnostic] = []
        columns = _dae_columns(path, scene_notes)
        notes = tuple(scene_notes)
    else:
        content = content or read_mesh(path, shape_only=True)
        notes = _notes_of(path, content)
        columns = _columns(content.surfaces)
    if not columns[0]:
        # The reader of OBJ skips lines that it does not know, such as an answer in JSON.
        fault = _sent_instead(path) or NOTHING
        return OpenedMesh(fault=fault, reason="draws no triangle", notes=notes)
    ends = [(min(column), max(column)) for column in columns]
    (a, d), (b, e), (c, f) = ends
    is_of_mujoco = path.lower().endswith((".stl", ".obj"))
    has_few = is_of_mujoco and _has_few(columns)
    return OpenedMesh(
        box=((a, b, c), (d, e, f)),
        notes=notes,
        has_few=has_few,
        is_flat=is_of_mujoco and not has_few and _is_flat(columns),
        lacks_scene=path.lower().endswith(".dae") and not _names_a_scene(path),
    )


def _names_a_scene(path: str) -> bool:
    """Return True if a COLLADA file names the visual scene to draw."""
    with open(path, "rb") as stream:
        return b"instance_visual_scene" in stream.read()


def _faulty(path: str, error: UrdfError) -> OpenedMesh:
    """Return the fault that a reader raised an error for."""
    is_of_other_file = os.path.abspath(error.path or path) != os.path.abspath(path)
    if is_of_other_file:
        reason = f"'{os.path.basename(error.path)}', which {error.message}"
        return OpenedMesh(fault=MATERIAL, reason=reason, line=error.line)
    fault = _sent_instead(path)
    if not fault:
        fault = NUMBER if isinstance(error, NotFinite) else UNREADABLE
    return OpenedMesh(fault=fault, reason=error.message, line=error.line)


def _sent_instead(path: str) -> str:
    """Return the fault of a file that is no mesh, but was sent in place of one; "" for any other file."""
    from ..meshes.mesh_readers import lfs_digest

    if lfs_digest(path):
        return POINTER
    with open(path, "rb") as stream:
        start = stream.read(START).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(PAGE_STARTS):
        return PAGE
    # A glTF is JSON, too.
    is_json_mesh = path.lower().endswith((".gltf", ".glb"))
    return ANSWER if start.startswith(ANSWER_START) and not is_json_mesh else ""


def _notes_of(path: str, content: MeshContent) -> Notes:
    """Return the notes of a reader; if an image is shown, also those about texture coordinates."""
    from ..meshes.mesh_readers import read_mesh

    if any(surface.material.image for surface in content.surfaces):
        return read_mesh(path).notes
    return content.notes


def measured_box(path: str) -> Optional[Box]:
    """Return the box of the points of a mesh file, None if it cannot be read."""
    return open_mesh(path).box


@cached_by_file(4)
def _small_mesh(path: str) -> SmallMesh:
    """Return the content of a mesh file that is not large, for the rules that need its triangles."""
    try:
        if os.path.getsize(path) > LARGEST_READ:
            return SmallMesh()
        from ..meshes.mesh_readers import read_mesh  # slow to load, and not needed without a file

        return SmallMesh(read_mesh(path, shape_only=True))
    except OSError as error:
        return SmallMesh(error=BrokenMesh(f"cannot be read ({error.strerror or error})", path))
    except UrdfError as error:
        return SmallMesh(error=error)


def surfaces_of(path: str) -> Tuple[MaterialSurface, ...]:
    """Return the surfaces of a mesh file, () if it is large, or cannot be read."""
    content = _small_mesh(path).content
    return content.surfaces if content is not None else ()


def _columns(surfaces: Sequence[MaterialSurface]) -> Columns:
    """Return x, y and z of all points of surfaces."""
    columns = (array(FLOAT), array(FLOAT), array(FLOAT))
    for surface in surfaces:
        for axis, column in enumerate(columns):
            column.extend(surface.positions[axis::3])
    return columns


def _has_few(columns: Columns) -> bool:
    """Return True if there are fewer than four different points."""
    different = set()
    for point in zip(*columns):
        different.add(point)
        if len(different) == FEWEST_POINTS:
            return False
    return True


def _is_flat(columns: Columns) -> bool:
    """Return True if all points are exactly in one plane, or on one line.

    There is no tolerance: MuJoCo loads a collision that is 1e-12 m thick.
    """
    points = zip(*columns)
    origin = next(points)
    along = normal = ZERO
    for point in points:
        offset = subtract(point, origin)
        if along == ZERO:
            along = offset
        elif normal == ZERO:
            normal = cross(along, offset)
        elif dot(normal, offset) != 0.0:
            return False
    return True


def _dae_columns(path: str, notes: List[Diagnostic]) -> Columns:
    """Return the extreme coordinates of all positions in the scene of a COLLADA file, for each primitive; add to `notes`.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be read, or a triangle has an index beyond the positions.
    """
    from ..collada.collada_accessors import source_columns
    from ..collada.collada_document import read_dae
    from ..collada.stl_part_writer import moved_columns
    from ..collada.collada_primitives import mesh_primitives
    from ..collada.conversion_records import DEFAULT_DAE_OPTIONS
    from ..collada.collada_scene import scene_drawings

    document = read_dae(path)
    ends: Tuple[List[float], ...] = ([], [], [])
    checked: Set[int] = set()
    for drawing in scene_drawings(document, DEFAULT_DAE_OPTIONS.scene, notes):
        primitives = mesh_primitives(document, drawing.mesh)
        sources = {id(primitive.positions): primitive.positions for primitive in primitives}
        counts: Dict[int, int] = {}
        for key, source in sources.items():
            columns = source_columns(document, source, "XYZ")
            counts[key] = len(columns[0])
            for bounds, column in zip(ends, moved_columns(columns, drawing.matrix)):
                if column:
                    bounds += (min(column), max(column))
        for primitive in primitives:
            # Several instances draw the same mesh.
            if id(primitive.element) not in checked:
                checked.add(id(primitive.element))
                _check_indices(document, primitive, counts[id(primitive.positions)])
    return ends


def _check_indices(document: "DaeDocument", primitive: "PrimitiveElement", count: int) -> None:
    """Check that the indices of a primitive are below the number of its positions.

    Raises:
        BrokenMesh: an index is not below it.
    """
    from ..collada.collada_document import dae_children, dae_error
    from ..collada.collada_primitives import corner_blocks

    element = primitive.element
    runs = dae_children(element, "p")
    for holed in dae_children(element, "ph"):
        runs += [*dae_children(holed, "p"), *dae_children(holed, "h")]
    for block in chain.from_iterable(corner_blocks(document, primitive, run) for run in runs):
        if max(block) >= count:
            message = f"<{element.tag}> has an index beyond its {count} positions"
            raise dae_error(document, element, message)
