"""Convert one COLLADA file into STL files, one for each color (or one for all), with a record for each file.

Nothing is named here and nothing is asked: files get numbers, and `part_stems` makes stems when the caller knows which
are taken.  So a conversion can run in another process, before the question, into a temporary folder.
"""
import gc
import os
from typing import Dict, Hashable, List, NamedTuple, Optional, Tuple

from ..base.errors import BrokenMesh, ProofFailed
from ..mesh.stl import sign_stl
from .accessors import source_columns
from .document import dae_error, dae_label, DaeDocument, read_dae
from .finish import close_files, finish_parts
from .materials import clamped_color, material_look, MaterialLook
from .part_writer import Drawn, Group
from .primitives import mesh_primitives, Primitive, triangle_blocks
from .records import Conversion, DaeColor, DaeOptions, DEFAULT_DAE_OPTIONS, MeshProgress
from .scene import Drawing, drawn_material, scene_drawings
from .transforms import affine_determinant, is_collapsed
from .verify import prove_part, prove_triangles
from .vertices import moved_columns, place_points, PlacedPoints

MOST_TRIANGLES = 20_000_000
FARTHEST = 2.0 ** 30  # [m] MuJoCo refuses larger coordinates

NO_LOOK = MaterialLook("", None, "", ())


class ConversionJob(NamedTuple):
    """What the steps of one conversion share; the dictionaries and the list fill as it goes on.

    Attributes:
        stem: path of the files to write, less number and suffix.
        groups: the groups by what distinguishes their colors.
        looks: the looks of materials met so far, by `id` of the element.
        notes: sentences on the whole file.
        drawn: what was done, in order.
    """

    document: DaeDocument
    stem: str
    options: DaeOptions
    progress: Optional[MeshProgress]
    groups: Dict[Hashable, Group]
    looks: Dict[int, MaterialLook]
    notes: List[str]
    drawn: List[Drawn]


def convert_dae(dae_path: str, folder: str, options: DaeOptions = DEFAULT_DAE_OPTIONS,
                prefix: str = "part", progress: Optional[MeshProgress] = None) -> Conversion:
    """Write the parts of a `.dae` or `.zae` file as `<folder>/<prefix>_<group>_<piece>.stl` and prove them.

    The folder must exist and should be a temporary one: after an error, part of the files may be there.  `progress` is
    called now and then with the number of triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used; with the line, and why.
        ProofFailed: what was written is not what the file holds.
    """
    collecting = gc.isenabled()
    gc.disable()  # nothing here is cyclic garbage, and the collector would walk millions of numbers again and again
    try:
        document = read_dae(dae_path)
        notes: List[str] = []
        drawings = scene_drawings(document, options.scene, notes)
        job = ConversionJob(document, os.path.join(folder, prefix), options, progress, {}, {}, notes, [])
        for drawing in drawings:
            draw_mesh(job, drawing)
        groups = list(job.groups.values())
        close_files(dae_path, groups)
        prove_triangles(document, options, job.drawn)
        triangles = sum(group.written() for group in groups)
        parts = finish_parts(dae_path, groups, options, notes)
        if sum(part.triangles for part in parts) != triangles:
            raise ProofFailed("a part is lost", dae_path)
        for part in parts:
            prove_part(dae_path, part)
        digest = file_digest(dae_path)
        for part in parts:
            sign_stl(part.file, digest)
        return Conversion(parts, tuple(dict.fromkeys(notes)))
    finally:
        if collecting:
            gc.enable()


def file_digest(path: str) -> str:
    """Return 32 hexadecimal digits that differ for files of different content."""
    from hashlib import sha256  # imported here: only meshes need it

    digest = sha256()
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()[:32]


def draw_mesh(job: ConversionJob, drawing: Drawing) -> None:
    """Write the triangles of one mesh instance to the groups of their colors."""
    document = job.document
    primitives = mesh_primitives(document, drawing.mesh)
    if not primitives:
        return
    if is_collapsed(drawing.matrix):
        name = dae_label(drawing.geometry)
        job.notes.append(f"an instance of geometry '{name}' is scaled to nothing: it is left out")
        return
    mirrored = affine_determinant(drawing.matrix) < 0.0
    placed: Dict[int, PlacedPoints] = {}
    for primitive in primitives:
        source = id(primitive.positions)
        if source not in placed:
            placed[source] = placed_positions(job, drawing, primitive)
        points = placed[source]
        group = find_group(job, drawing, primitive)
        try:
            for block in triangle_blocks(document, primitive, points.points, group.tally):
                if mirrored:
                    block[1::3], block[2::3] = block[2::3], block[1::3]
                group.add(block, points)
                report_progress(job)
        except IndexError:
            raise dae_error(document, primitive.element, f"<{primitive.element.tag}> has an index beyond its"
                            f" {len(points.points)} positions") from None
        job.drawn.append(Drawn(primitive.element, points.columns, group))


def report_progress(job: ConversionJob) -> None:
    """Report how far the work is, and stop when instances of instances multiply beyond any use."""
    triangles = sum(group.written() for group in job.groups.values())
    if triangles > MOST_TRIANGLES:
        raise BrokenMesh(f"draws more than {MOST_TRIANGLES} triangles", job.document.path)
    if job.progress:
        job.progress(triangles)


def placed_positions(job: ConversionJob, drawing: Drawing, primitive: Primitive) -> PlacedPoints:
    """Return the positions of a primitive in meters.

    Raises:
        BrokenMesh: the positions cannot be read, or are too far away.
    """
    source = primitive.positions
    placed = place_points(moved_columns(source_columns(job.document, source, "XYZ"), drawing.matrix))
    ends = max(abs(value) for corner in placed.bounds for value in corner)
    if ends > FARTHEST:
        raise dae_error(job.document, source, "positions reach farther than 2^30 meters")
    return placed


def find_group(job: ConversionJob, drawing: Drawing, primitive: Primitive) -> Group:
    """Return the group that a primitive belongs to, a new one for a new color."""
    look, owner = find_look(job, drawing, primitive) if job.options.separate else (NO_LOOK, "")
    key: Hashable
    if job.options.merge_equal_colors:
        key = (look.rgba, look.image)
    else:
        key = (owner, look.rgba)
    group = job.groups.get(key)
    if group is None:
        path = f"{job.stem}_{len(job.groups)}"
        group = job.groups[key] = Group(path, job.options.max_faces, look)
    group.geometries[dae_label(drawing.geometry)] = None
    group.materials[look.label] = None
    group.notes.update(dict.fromkeys(look.notes))
    return group


def find_look(job: ConversionJob, drawing: Drawing, primitive: Primitive) -> Tuple[MaterialLook, str]:
    """Return how a primitive looks and what names its material; without one, a uniform vertex color counts."""
    symbol = primitive.symbol
    material = drawn_material(job.document, drawing, symbol) if symbol else None
    if material is not None:
        if id(material) not in job.looks:
            job.looks[id(material)] = material_look(job.document, material)
        return job.looks[id(material)], f"#{id(material)}"
    if symbol:
        return MaterialLook(symbol, None, "", (f"no material is bound to '{symbol}'",)), symbol
    return MaterialLook("", uniform_color(job.document, primitive), "", ()), ""


def uniform_color(document: DaeDocument, primitive: Primitive) -> Optional[DaeColor]:
    """Return the vertex color of a primitive when it has one and only one."""
    if primitive.colors is None:
        return None
    seen = {*zip(*source_columns(document, primitive.colors, "RGB"))}
    return clamped_color([*seen.pop()]) if len(seen) == 1 else None
