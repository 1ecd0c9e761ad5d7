"""The meshes of a robot: which files they are, and which are missing."""
import os
from typing import Dict, List, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import MESH_NOT_FOUND
from ..urdf.model import Robot
from ..urdf.package_resolver import package_notices, resolve, resolver_for
from .judged import of_reading
from .kinds import PACKAGE_UNKNOWN
from .records import Finding

SCHEME = "package://"


def find_meshes(robot: Robot, packages: Tuple[Tuple[str, str], ...]) -> Tuple[Dict[str, str], List[Finding]]:
    """Return the file of each mesh by the name that the robot has for it, and what is found about those without one.

    Of a package that is nowhere on this machine nothing can be said: a note, once.
    """
    document = robot.document
    resolver = resolver_for(document.root, os.path.dirname(document.path), packages)._replace(above={})
    lines: Dict[str, int] = {}
    for shape in (shape for link in robot.links.values() for shape in link.shapes if shape.mesh):
        lines.setdefault(shape.mesh, shape.drawn.line if shape.drawn else 0)
    found = {name: resolve(name, resolver) for name in lines}
    lost = [*package_notices(found.values())]
    unknown: Dict[str, List[str]] = {}
    for name, one in found.items():
        if one.path is None and not one.places and name.startswith(SCHEME):
            unknown.setdefault(name[len(SCHEME):].lstrip("/").partition("/")[0], []).append(name)
        elif one.path is None:
            lost.append(Diagnostic(MESH_NOT_FOUND, lines[name], "left", (name, one.tried)))
    lost += [Diagnostic(PACKAGE_UNKNOWN, lines[names[0]], "meshes", (package,), (float(len(names)),))
             for package, names in unknown.items()]
    return {name: one.path for name, one in found.items() if one.path}, [*of_reading(lost), *(
        Finding(one) for one in lost if one.kind is PACKAGE_UNKNOWN)]
