"""`collision ROBOT FILE --check`: how much of each link a list of spheres leaves bare."""

import argparse
import sys
from typing import Callable, List, Optional

from ..base.errors import UrdfError, UsageError
from ..base.files import read_file
from ..base.number_text import count_of
from ..cli.command import NOT_DONE, say, WRITTEN
from ..collision.shapes import in_link
from ..collision.spheres import bare_surface
from ..collision.texts import read_spheres
from ..meshes.formats import read_indexed
from ..meshes.witnesses import Triangle
from ..model.shapes import geometry_of, Mesh
from ..urdf.model import Link
from .engine import read_as_it_is


def check_spheres(arguments: argparse.Namespace) -> int:
    """Judge a list; return the exit status: 0, or 1 where a link that it names has bare surface.

    Raises:
        UrdfError: a file cannot be used.
    """
    path, listed = arguments.files
    robot, path_of = read_as_it_is(arguments)
    lists = read_spheres(read_file(listed), listed)
    lines, judged, bare = [], 0, 0
    for name, balls in lists.items():
        triangles = _triangles(robot.links[name], path_of) if name in robot.links else []
        if not triangles:
            lines.append(f"{listed}: {name}: not judged, as it has no mesh that is found")
            continue
        judged += 1
        (least, most), (deep, deepest) = bare_surface(triangles, balls)
        bare += most > 0.0
        lines.append(
            f"{listed}: {name}: {count_of(len(balls), 'sphere')}, "
            + (
                f"{100.0 * least:.1f} to {100.0 * most:.1f} % of the surface bare, at most {1e3 * deep:.1f} to "
                f"{1e3 * deepest:.1f} mm deep"
                if most
                else "all of the surface is in them"
            )
        )
    if not judged:
        raise UsageError(f"none of the links of {listed} has a mesh that is found", path)
    if not arguments.quiet:
        say(
            [*lines, f"{listed}: {count_of(judged, 'link')} judged, {bare} with bare surface"],
            sys.stdout,
        )
    return NOT_DONE if bare else WRITTEN


def _triangles(link: Link, path_of: Callable[[str], Optional[str]]) -> List[Triangle]:
    """Return the triangles of the collision meshes of a link, of its visuals where no collision has a mesh."""
    triangles: List[Triangle] = []
    for shape in [shape for shape in link.collisions if shape.mesh] or link.visuals:
        geometry, path = geometry_of(shape), path_of(shape.mesh) if shape.mesh else None
        if path and isinstance(geometry, Mesh):
            try:
                points, corners = read_indexed(path)
            except UrdfError:
                continue
            placed = in_link(points, geometry.scale, shape.pose)
            triangles += [(placed[a], placed[b], placed[c]) for a, b, c in corners]
    return triangles
