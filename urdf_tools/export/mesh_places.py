"""Where the mesh files of a robot are, and how a file that is written names them."""
import os
from typing import Dict, Iterable, List, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..model.records import Robot
from ..model.shapes import pieces
from ..model.geometry import Mesh
from ..urdf.mesh_paths import path_from
from ..urdf.package_resolver import Found, package_notices, resolve, Resolver
from .kinds import EXPORT_LEFT_OUT, INVISIBLE


class Place:
    """Where a mesh is: the file to read now, and where it will be when all is written; None: nowhere."""

    def __init__(self, source: Optional[str], target: str) -> None:
        self.source, self.target = source, target


Places = Tuple[Dict[str, Place], Dict[str, Place], Tuple[Diagnostic, ...]]  # of meshes, of textures; assumptions


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
    shapes = [shape for link in robot.links for shape in link.shapes]
    lost = [shape for shape in shapes if any(
        isinstance(part.geometry, Mesh) and not places[part.geometry.filename].source
        for part in pieces(shape.geometry, shape.origin))]
    return () if 2 * len(lost) <= len(shapes) else (
        Diagnostic(INVISIBLE, 0, "shapes", (what,), (len(lost), len(shapes))),)


def seen_from(folder: str, target: str) -> str:
    """Return a path as the model file in a folder names it."""
    return path_from(os.path.realpath(folder or "."), os.path.realpath(target))


def files_for_sdf(places: Dict[str, Place], folder: str) -> Tuple[Dict[str, str], Tuple[Diagnostic, ...]]:
    """Return the names as SDF has them, and what to warn of; a file that is not found keeps its name."""
    names = {name: seen_from(folder, place.target) for name, place in places.items() if place.source}
    lost = [name for name, place in places.items() if not place.source]
    return names, tuple(Diagnostic(EXPORT_LEFT_OUT, 0, "mesh-name-kept", (name, "SDF")) for name in lost)
