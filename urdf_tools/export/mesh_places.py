"""Paths of the mesh files of a robot, and their names in a file that is written."""
import os
from typing import Dict, Iterable, List, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..model.records import Robot
from ..model.shapes import Mesh, pieces
from ..urdf.mesh_paths import path_from
from ..urdf.package_resolver import Found, package_notices, resolve, Resolver
from .kinds import EXPORT_LEFT_OUT, INVISIBLE


class Place:
    """The paths of a mesh: `source` is read now (None: not found), `target` is where it will be when all is written."""

    def __init__(self, source: Optional[str], target: str) -> None:
        self.source, self.target = source, target


Places = Tuple[Dict[str, Place], Dict[str, Place], Tuple[Diagnostic, ...]]  # of meshes, of textures; assumptions


def places_of(files: Iterable[str], resolver: Resolver, split: Dict[str, Tuple[str, str]],
              copies: Dict[str, Tuple[str, str]]) -> Tuple[Dict[str, Place], Tuple[Diagnostic, ...]]:
    """Return the paths of each mesh or texture file of a robot, and the assumptions that were needed to find it.

    `split` has the source and target of those made in this run, by name, `copies` of those that are copied, by the path
    of the original.
    """
    places: Dict[str, Place] = {}
    assumed: List[Found] = []
    resolver = resolver._replace(above={})
    for name in files:
        if name in split:
            places[name] = Place(*split[name])
        elif name not in places:
            resolved = resolve(name, resolver)
            assumed.append(resolved)
            there = copies.get(os.path.realpath(resolved.path)) if resolved.path else None
            places[name] = Place(*there or (resolved.path, resolved.path or ""))
    return places, tuple(package_notices(assumed))


def unseen(what: str, robot: Robot, places: Dict[str, Place]) -> Tuple[Diagnostic, ...]:
    """Return a warning for the end of a run if most shapes are missing in an export."""
    shapes = [shape for link in robot.links for shape in link.shapes]
    lost = [shape for shape in shapes if any(
        isinstance(part.geometry, Mesh) and not places[part.geometry.filename].source
        for part in pieces(shape.geometry, shape.origin))]
    return () if 2 * len(lost) <= len(shapes) else (
        Diagnostic(INVISIBLE, 0, "shapes", (what,), (len(lost), len(shapes))),)


def seen_from(folder: str, target: str) -> str:
    """Return a path relative to the folder of a model file, as that file names it."""
    return path_from(os.path.realpath(folder or "."), os.path.realpath(target))


def files_for_sdf(places: Dict[str, Place], folder: str) -> Tuple[Dict[str, str], Tuple[Diagnostic, ...]]:
    """Return the names of files in SDF, and the warnings; a file that is not found keeps its name."""
    names = {name: seen_from(folder, file.target) for name, file in places.items() if file.source}
    lost = [name for name, file in places.items() if not file.source]
    return names, tuple(Diagnostic(EXPORT_LEFT_OUT, 0, "mesh-name-kept", (name, "SDF")) for name in lost)
