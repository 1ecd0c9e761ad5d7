"""The mesh files of a robot as a simulator must find them: resolved, converted where that is needed, measured."""
import os
import re
from array import array
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh, Unusable
from ..model.choices import MeshLook
from ..model.records import Robot
from ..model.shapes import pieces
from ..collada.records import COLLADA_ENDINGS
from ..plan.mesh_tasks import MeshFile
from ..urdf.mesh_paths import mesh_stem, path_from
from ..urdf.model import Mesh
from ..urdf.package_resolver import Found, package_notices, resolve, Resolver
from ..urdf.spatial import cross, subtract, unit
from .kinds import INVISIBLE
from .weights import unique

if TYPE_CHECKING:
    from ..mesh.stl import StlTriangle
    from .mesh_looks import ObjLook

MAX_FACES = 200000  # of an STL file in MuJoCo
MIN_FACES = 2  # three corners are no hull
VERTEX = rb"(?m)^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)"
Box = Tuple[float, ...]


class Place:
    """Where a mesh is: the file to read now, and where it will be when all is written; None: nowhere."""

    def __init__(self, source: Optional[str], target: str) -> None:
        self.source, self.target = source, target


class MeshFiles:
    """What MJCF needs of the mesh files.

    Attributes:
        names: by the robot's name of a file, its path from the folder of the model, or "" for one that is left out.
        boxes: least and largest x, y, z of the meshes of collisions.
        made: name and bytes of files that must be written for it.
        warnings: sentences.
        looks: by the robot's name of an OBJ file, how its MTL says that it looks.
        targets: by the name of a mesh or image from the folder of the model, where it is when all is written.
    """

    def __init__(self, names: Dict[str, str], boxes: Dict[str, Box], made: Tuple[Tuple[str, bytes], ...],
                 warnings: Tuple[str, ...], looks: Dict[str, MeshLook], targets: Dict[str, str]) -> None:
        self.names, self.boxes, self.made, self.warnings = names, boxes, made, warnings
        self.looks, self.targets = looks, targets


def places_of(files: Iterable[str], resolver: Resolver, split: Dict[str, Tuple[str, str]],
              copies: Dict[str, Tuple[str, str]]) -> Tuple[Dict[str, Place], Tuple[Diagnostic, ...]]:
    """Return where each mesh or texture file of a robot is, and what was assumed to find it.

    `split` are those made in this run, by name, and `copies` those that are copied, by the file that is copied: where
    they are and will be.
    """
    places: Dict[str, Place] = {}
    assumed: List[Found] = []
    resolver = resolver._replace(above={})
    for name in files:
        if name in split:
            places[name] = Place(*split[name])
        elif name not in places:
            found = resolve(name, resolver)
            assumed.append(found)
            there = copies.get(os.path.realpath(found.path)) if found.path else None
            places[name] = Place(*there or (found.path, found.path or ""))
    return places, tuple(package_notices(assumed))


def unseen(what: str, robot: Robot, places: Dict[str, Place]) -> Tuple[Diagnostic, ...]:
    """Return for the end of a run that most shapes are missing in an export, where it is so."""
    shapes = [shape for link in robot.links for _, _, shape in link.placed_shapes]
    lost = [shape for shape in shapes if any(
        isinstance(part.geometry, Mesh) and not places[part.geometry.filename].source
        for part in pieces(shape.geometry, shape.origin))]
    return () if 2 * len(lost) <= len(shapes) else (
        Diagnostic(INVISIBLE, 0, "shapes", (what,), (len(lost), len(shapes))),)


def seen_from(folder: str, target: str) -> str:
    """Return a path as the model file in a folder names it."""
    return path_from(os.path.realpath(folder or "."), os.path.realpath(target))


def files_for_sdf(places: Dict[str, Place], folder: str) -> Tuple[Dict[str, str], Tuple[str, ...]]:
    """Return the names as SDF has them, and what to warn of; a file that is not found keeps its name."""
    names = {name: seen_from(folder, place.target) for name, place in places.items() if place.source}
    lost = [name for name, place in places.items() if not place.source]
    return names, ((_lost(lost) + ": their names are kept as they are",) if lost else ())


def files_for_mjcf(robot: Robot, places: Dict[str, Place], model_path: str, convert: bool,
                   made_files: Sequence[MeshFile]) -> MeshFiles:
    """Return what MJCF needs of the mesh files; `made_files` are those that this run makes.

    MuJoCo reads OBJ without its MTL, and binary STL of 1 to 200000 faces; ASCII STL is converted. What it cannot read,
    and a flat mesh as a collision, is left out and named. COLLADA is for `write_mjcf` to refuse, unless this run was to
    convert it (`convert`).

    Raises:
        Unusable: a file that would have to be made belongs to somebody else.
    """
    folder = os.path.dirname(model_path)
    made_folder = os.path.splitext(model_path)[0] + "_meshes"
    colliding = {part.geometry.filename for link in robot.links for shape in link.collisions
                 for part in pieces(shape.geometry, shape.origin) if isinstance(part.geometry, Mesh)}
    names: Dict[str, str] = {}
    boxes: Dict[str, Box] = {}
    made: List[Tuple[str, bytes]] = []
    warnings: List[str] = []
    lost: List[str] = []
    objs: Dict[str, ObjLook] = {}
    targets: Dict[str, str] = {}
    taken: Dict[str, None] = {}
    for name, place in places.items():
        ending = os.path.splitext(name.lower())[1]
        if place.source is None:
            lost.append(name)
            names[name] = ""
            continue
        if ending in COLLADA_ENDINGS and convert:
            names[name] = ""
            warnings.append(f"mesh '{name}' is left out of MJCF: it is COLLADA, and could not be converted")
            continue
        names[name] = seen_from(folder, place.target)
        targets[names[name]] = place.target
        if ending == ".obj":
            from .mesh_looks import look_of_obj  # here and below, because it imports much and few robots need it

            try:
                objs[name] = look_of_obj(place.source)
            except BrokenMesh as error:
                names[name] = ""
                warnings.append(f"mesh '{name}' is left out of MJCF: {error.message}")
        if ending != ".stl":
            continue
        from ..mesh.stl import stl_count, STL_RECORD, stl_source, STL_START  # here and below: only STL needs it

        problem = ""
        try:
            faces = stl_count(place.source)
        except BrokenMesh:
            data = converted(place.source)
            faces = (len(data) - STL_START) // STL_RECORD.size
            if faces > 0:
                stem = unique(mesh_stem(name), taken)
                taken[stem] = None
                target = os.path.join(made_folder, f"{stem}.stl")
                if os.path.exists(target) and stl_source(target) is None:
                    raise Unusable("this file would be replaced by a converted mesh, and was not written by this tool: "
                                   "move it", target) from None
                made.append((target, data))
                names[name] = seen_from(folder, target)
                targets[names[name]] = target
                boxes.update({name: _box(data[STL_START:])} if name in colliding else {})
            problem = "" if faces > 0 else "it is no STL"
        else:
            if name in colliding and 0 < faces <= MAX_FACES:
                boxes[name] = _box_of(place.source)
                problem = "as a collision it is flat" if _is_flat(place.source, boxes[name]) else ""
        if faces > MAX_FACES:
            problem = f"it has {faces} faces, and MuJoCo reads {MAX_FACES}"
        elif not problem and faces < MIN_FACES:
            problem = "it has fewer than two faces"
        if problem:
            names[name] = ""
            warnings.append(f"mesh '{name}' is left out of MJCF: {problem}")
    if lost:
        warnings.append(f"{_lost(lost)}: they are left out of MJCF")
    in_stl = [file.part.image for file in made_files
              if file.part and file.part.image and file.target.endswith(".stl")]
    if objs or in_stl:
        from .mesh_looks import lost_looks

        seen = {part.geometry.filename for link in robot.links for shape in link.visuals
                for part in pieces(shape.geometry, shape.origin) if isinstance(part.geometry, Mesh)}
        warnings += lost_looks(objs, seen, in_stl)
    run_targets = {os.path.realpath(file.source): file.target for file in made_files}
    looks: Dict[str, MeshLook] = {}
    for name, one in objs.items():
        if one.look and one.look.image:
            target = run_targets.get(os.path.realpath(one.look.image), one.look.image)
            image = seen_from(folder, target)
            targets[image] = target
            looks[name] = one.look._replace(image=image)
        elif one.look:
            looks[name] = one.look
    return MeshFiles(names, {name: box for name, box in boxes.items() if names[name]}, tuple(made), tuple(warnings),
                     looks, targets)


def is_flat_stl(path: str) -> bool:
    """Return True if a file is binary STL, and all of its corners are in one plane."""
    from ..mesh.stl import stl_count

    try:
        return stl_count(path) > 0 and _is_flat(path, _box_of(path))
    except (BrokenMesh, OSError):
        return False


def _is_flat(path: str, box: Box) -> bool:
    """Return True if all corners of a binary STL file are in one plane, whatever normals it gives."""
    from ..mesh.stl import lies_in_plane, stl_sample, stl_triangles

    extent = max(high - low for low, high in zip(box[:3], box[3:]))
    candidates: List[StlTriangle] = []
    for _, a, b, c in stl_sample(path, 64):
        normal = cross(subtract(b, a), subtract(c, a))
        candidates += [(unit(normal), a, b, c)] if any(normal) else []
    return not candidates or lies_in_plane(stl_triangles(path), candidates, 1e-6 * extent)


def _lost(names: List[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if any(name.startswith("package://") for name in names):
        shown += "; --package NAME=PATH says where a package is"
    return f"{len(names)} mesh file{'s are' if len(names) > 1 else ' is'} not there ({shown})"


def converted(path: str) -> bytes:
    """Return an ASCII STL file as binary STL; without a triangle when it is none."""
    from struct import Struct

    from ..mesh.stl import pack_triangles, STL_HEADER

    with open(path, "rb") as stream:
        text = stream.read()
    single = Struct("<f")
    points: List[Tuple[float, float, float]] = []
    try:
        for match in re.finditer(VERTEX, text) if text.lstrip().startswith(b"solid") else ():
            x, y, z = (single.unpack(single.pack(float(word)))[0] for word in match.groups())
            points.append((x, y, z))
    except (ValueError, OverflowError):
        points = []
    records, _ = pack_triangles(range(len(points) // 3 * 3), points)
    return STL_HEADER + len(records).to_bytes(4, "little") + b"".join(records)


def _box_of(path: str) -> Box:
    from ..mesh.stl import STL_START

    with open(path, "rb") as stream:
        return _box(stream.read()[STL_START:])


def _box(records: bytes) -> Box:
    """Return the least and largest x, y, z of the corners of STL records."""
    from ..mesh.stl import STL_RECORD

    size = STL_RECORD.size
    values = array("f")
    values.frombytes(b"".join(records[start : start + 48] for start in range(0, len(records), size)))
    if not values:
        return (0.0,) * 6
    import sys

    if sys.byteorder == "big":
        values.byteswap()

    def corners(axis: int) -> Iterator["array[float]"]:
        return (values[3 + 3 * corner + axis :: 12] for corner in range(3))

    return (*(min(map(min, corners(axis))) for axis in range(3)), *(max(map(max, corners(axis))) for axis in range(3)))
