"""Rules for tensors and shapes: a tensor that is that of the visuals of its link, but for one error.

A tensor that differs from its shapes is no error: parts are seldom of one material. But one that equals theirs after
exactly one error that people make is no coincidence: three numbers of the center agree, and three to six of the tensor.
"""
from functools import lru_cache
from itertools import permutations
from math import fsum, sqrt
from typing import Callable, Dict, Iterator, List, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..meshes.form import triangles_of
from ..meshes.volume import NoVolume, roughly, Solid, solid_of, volume_and_center
from ..model.solids import solid_of_shape, uniform
from ..robot.principal_axes import entries_of, principal
from ..urdf.model import Link, NO_MASS
from ..urdf.spatial import (add_matrices, distance, inertia_of_point, largest_entry, MassProperties, Matrix, scale,
                            Vector, why_not_physical, ZERO_INERTIA)
from .kinds import LIKE_SHAPE
from .records import Finding, Subject
from .supports import measured_box, mesh_triangles, surfaces_of, welded

SAME, APART = 0.02, 0.1  # of the largest entry of a tensor
SAME_CENTER = 0.05  # of the radius of gyration
ROUND = 0.05  # of the largest moment: those that differ by less have no axes
ORDERS = [order for order in permutations(range(3)) if order != (0, 1, 2)]


def shape_rules(subject: Subject) -> Iterator[Finding]:
    """Yield tensors that are those of the visuals of their links, of uniform density, but for one error.

    First come the centers alone, then tensors in floats: few links are worth the exact integrals, for which surfaces
    must be closed.
    """
    for link in subject.robot.links.values():
        if link.inertial is None or link.mass < NO_MASS or not link.visuals:
            continue
        written = link.inertial.properties
        moments = principal(written.inertia)[0]
        if moments[2] - moments[0] <= ROUND * moments[2] or why_not_physical(written.mass, written.inertia):
            continue
        try:
            reach = SAME_CENTER * sqrt(0.5 * fsum(moments) / written.mass)
            if distance(_visuals(link, subject, _middle).center, written.center) > reach:
                continue
            error = error_of(written, _visuals(link, subject, _roughly)) and error_of(
                written, _visuals(link, subject, _exactly))
        except NoVolume:
            continue
        if error:
            yield Finding(Diagnostic(LIKE_SHAPE, link.inertial.source.line, error, (link.name,)))


def _visuals(link: Link, subject: Subject, holds: Callable[[str, Tuple[float, ...]], Solid]) -> MassProperties:
    """Return what the visuals of a link hold, of 1 kg/m^3; `holds` is for the file of a mesh and its scale."""
    return uniform(link.visuals, [solid_of_shape(shape, lambda name, factors: holds(
        subject.meshes.get(name, ""), factors)) for shape in link.visuals])


def _middle(path: str, factors: Tuple[float, ...]) -> Solid:
    """Return a solid without a tensor."""
    (volume, (x, y, z)), (p, q, r) = _center(path), factors
    if not volume * p * q * r:
        raise NoVolume("is flat")
    return Solid(MassProperties(abs(volume * p * q * r), (x * p, y * q, z * r), ZERO_INERTIA), False, ())


@lru_cache(maxsize=4096)
def _center(path: str) -> Tuple[float, Vector]:
    measured_box(path)  # other rules need it, and the file is read only once for both
    return volume_and_center(triangle for surface in surfaces_of(path) for triangle in triangles_of(surface))


def _roughly(path: str, factors: Tuple[float, ...]) -> Solid:
    return roughly(*mesh_triangles(path), factors)


def _exactly(path: str, factors: Tuple[float, ...]) -> Solid:
    return solid_of(*welded(mesh_triangles(path)), factors)


def error_of(written: MassProperties, solid: MassProperties) -> str:
    """Return the one error after which a tensor is that of a solid of the same mass; "" if it is none, or needs none.

    It is "negated" (products of inertia), "permuted" (axes), "turned" (other axes), or "origin" (about the origin).
    """
    if solid.mass <= 0.0:
        return ""
    x, y, z = (scale(written.mass / solid.mass, row) for row in solid.inertia)
    tensor, moments = (x, y, z), principal((x, y, z))[0]
    reach = sqrt(max(0.0, 0.5 * fsum(moments) / written.mass))  # the radius of gyration about the center
    if distance(written.center, solid.center) > SAME_CENTER * reach or _gap(written.inertia, tensor) <= APART:
        return ""
    wrong: Dict[str, List[Matrix]] = {
        "negated": [_with([entry if k in (0, 3, 5) else -entry for k, entry in enumerate(entries_of(tensor))])],
        "permuted": [_with([tensor[i][i], tensor[i][j], tensor[i][k], tensor[j][j], tensor[j][k], tensor[k][k]])
                     for i, j, k in ORDERS],
        "origin": [add_matrices(tensor, inertia_of_point(written.mass, solid.center))]}
    for error, tensors in wrong.items():
        if any(_gap(written.inertia, other) <= SAME for other in tensors):
            return error
    same = all(abs(a - b) <= SAME * moments[2] for a, b in zip(principal(written.inertia)[0], moments))
    return "turned" if same else ""


def _with(entries: Sequence[float]) -> Matrix:
    """Return the symmetric matrix of xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = entries
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _gap(A: Matrix, B: Matrix) -> float:
    """Return the largest difference of two tensors, of the largest entry of the second."""
    return max(abs(a - b) for row, other in zip(A, B) for a, b in zip(row, other)) / largest_entry(B)
