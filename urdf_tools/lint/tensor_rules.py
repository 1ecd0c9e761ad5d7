"""Rules for tensors that equal the tensor of the visuals, or of the other side of the robot, except for one error.

A tensor that differs from its shapes is no error: parts are seldom of one material. A tensor that equals theirs after
exactly one error that people make is no coincidence: three numbers of the center agree, and three to six of the tensor.
Between left and right all differences are findings, and tensors in a wrong convention are of special kinds.
"""

from __future__ import annotations

from itertools import chain, combinations_with_replacement, permutations
from math import fsum, sqrt
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.diagnostics import Diagnostic
from ..base.number_text import format_numbers, without_noise
from ..meshes.mesh_content import triangles_of
from ..meshes.mesh_volume import NoVolume, roughly, SolidVolume, solid_of, volume_and_center
from ..model.uniform_solids import solid_of_shape, uniform
from ..robot.principal_axes import entries_of, principal, vector_of
from ..urdf.urdf_records import AttributeEdit, UrdfInertial, UrdfLink, NO_MASS, UrdfRobot
from ..urdf.spatial_math import (
    add_matrices,
    inertia_of_point,
    largest_entry,
    MassProperties,
    Matrix,
    matrix_from_rpy,
    multiply,
    rotate_inertia,
    rpy_from_matrix,
    scale,
    transpose,
    Vector,
    why_not_physical,
    ZERO,
    ZERO_INERTIA,
)
from ..meshes.verify_witnesses import distance
from .lint_diagnostics import INERTIA_FRAME, INERTIA_SIGN, LIKE_SHAPE
from .finding_records import LintFinding, Findings, found, LintedRobot
from .opened_meshes import cached_by_file, measured_box, surfaces_of
from .shape_bounds import mesh_triangles, welded

# Differences of two tensors, as a part of the largest entry.
SAME = 0.02  # up to here an error explains a tensor: the tensor of its shapes after the error is nearly the written one
# Up to here the tensor of the shapes itself explains the written one, and no error is searched for: parts are seldom of
# a single material.
APART = 0.1
SAME_ENTRY = 1e-3  # of the largest entry: equal numbers, as CAD rounds them
SAME_CENTER = 0.05  # of the radius of gyration
ROUND = 0.05  # of the largest moment: moments that differ by less define no axes
# Reversed: in a dict by texts the first of equal orders is inserted last, and stays.
SIX_ORDERS = [*permutations(range(6))][::-1]
ORDERS = [order for order in permutations(range(3)) if order != (0, 1, 2)]


def shape_rules(subject: LintedRobot) -> Findings:
    """Yield tensors that equal the tensor of the visuals at uniform density, except for one error.

    The centers are compared first, then tensors in floats: only few links need the exact integrals, for which surfaces
    must be closed.
    """
    for link in subject.robot.links.values():
        if link.inertial is None or link.mass < NO_MASS or not link.visuals:
            continue
        written = link.inertial.properties
        moments = principal(written.inertia)[0]
        has_no_axes = moments[2] - moments[0] <= ROUND * moments[2]
        if has_no_axes or why_not_physical(written.mass, written.inertia):
            continue
        try:
            # The radius of gyration: half the sum of the moments is m r^2.
            reach = SAME_CENTER * sqrt(0.5 * fsum(moments) / written.mass)
            if distance(_visuals(link, subject, _middle).center, written.center) > reach:
                continue
            error = error_of(written, _visuals(link, subject, _roughly))
            if error:
                error = error_of(written, _visuals(link, subject, _exactly))
        except NoVolume:
            continue
        if error:
            yield found(LIKE_SHAPE, link.inertial.source.line, error, (link.name,))


def _visuals(
    link: UrdfLink, subject: LintedRobot, holds: Callable[[str, Reals], SolidVolume]
) -> MassProperties:
    """Return the mass of the visuals of a link at 1 kg/m^3; `holds` is for the file of a mesh and its scale."""

    def of_mesh(name: str, factors: Reals) -> SolidVolume:
        """Return the solid of a mesh by its name in the robot."""
        return holds(subject.meshes.get(name, ""), factors)

    return uniform(link.visuals, [solid_of_shape(shape, of_mesh) for shape in link.visuals])


def orders_like_visuals(
    link: UrdfLink, inertial: UrdfInertial, texts: Sequence[str], subject: LintedRobot
) -> List[Tuple[int, ...]]:
    """Return the orders of six numbers, as indices of ixx ixy ixz iyy iyz izz, in which they are the tensor of a link's
    visuals, of uniform density; among orders with equal texts the first.
    """
    try:
        solid = _visuals(link, subject, _exactly)
    except NoVolume:
        return []
    if not link.visuals or solid.mass <= 0.0:
        return []
    R_inertial_link = transpose(matrix_from_rpy(inertial.rpy))
    factor = inertial.properties.mass / solid.mass
    rows = rotate_inertia(R_inertial_link, solid.inertia)
    wanted = tensor_of(factor * entry for entry in entries_of(rows))
    reach = sqrt(0.5 * fsum(principal(solid.inertia)[0]) / solid.mass)
    if distance(inertial.properties.center, solid.center) > SAME_CENTER * reach:
        return []
    orders = {tuple(texts[k] for k in order): order for order in SIX_ORDERS}
    gaps = {order: _gap(tensor_of(map(float, new)), wanted) for new, order in orders.items()}
    least = min(gaps.values())
    near = max(10.0 * least, SAME_ENTRY)  # an order that fits as well might be intended, too
    return [order for order, gap in gaps.items() if gap <= near] if least <= SAME else []


def _middle(path: str, factors: Reals) -> SolidVolume:
    """Return a solid without a tensor."""
    volume, (x, y, z) = _center(path)
    p, q, r = factors
    scaled = volume * p * q * r
    if not scaled:
        raise NoVolume("is flat")
    properties = MassProperties(abs(scaled), (x * p, y * q, z * r), ZERO_INERTIA)
    return SolidVolume(properties, False, ())


@cached_by_file(4096)
def _center(path: str) -> Tuple[float, Vector]:
    """Return the volume of a mesh file, and its center."""
    measured_box(path)  # other rules need it, and the file is read only once for both
    return volume_and_center(chain.from_iterable(map(triangles_of, surfaces_of(path))))


def _roughly(path: str, factors: Reals) -> SolidVolume:
    """Return the solid of a mesh file in floats."""
    return roughly(*mesh_triangles(path), factors)


def _exactly(path: str, factors: Reals) -> SolidVolume:
    """Return the solid of a mesh file by exact integrals; its surface must be closed."""
    return solid_of(*welded(mesh_triangles(path)), factors)


def error_of(written: MassProperties, solid: MassProperties) -> str:
    """Return the single error after which a tensor equals the tensor of a solid of the same mass; "" without an error.

    It is "negated" (products of inertia), "permuted" (axes), "turned" (rotated axes), or "origin" (about the origin).
    """
    if solid.mass <= 0.0:
        return ""
    x, y, z = (scale(written.mass / solid.mass, row) for row in solid.inertia)
    tensor = (x, y, z)
    moments = principal((x, y, z))[0]
    # The radius of gyration about the center.
    reach = sqrt(max(0.0, 0.5 * fsum(moments) / written.mass))
    is_elsewhere = distance(written.center, solid.center) > SAME_CENTER * reach
    if is_elsewhere or _gap(written.inertia, tensor) <= APART:
        return ""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    wrong: Dict[str, List[Matrix]] = {
        "negated": [((xx, -xy, -xz), (-xy, yy, -yz), (-xz, -yz, zz))],
        "permuted": [
            tensor_of(tensor[i][k] for i, k in combinations_with_replacement(order, 2))
            for order in ORDERS
        ],
        "origin": [add_matrices(tensor, inertia_of_point(written.mass, solid.center))],
    }
    for error, tensors in wrong.items():
        if any(_gap(written.inertia, other) <= SAME for other in tensors):
            return error
    pairs = zip(principal(written.inertia)[0], moments)
    has_same_moments = all(abs(a - b) <= SAME * moments[2] for a, b in pairs)
    return "turned" if has_same_moments else ""


def tensor_of(entries: Iterable[float]) -> Matrix:
    """Return the symmetric matrix of xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = entries
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _gap(A: Matrix, B: Matrix) -> float:
    """Return the largest difference of two tensors, as a part of the largest entry of the second."""
    return _largest_difference(A, B) / largest_entry(B)


def _largest_difference(A: Matrix, B: Matrix) -> float:
    """Return the largest difference of two entries of two matrices."""
    pairs = zip(chain.from_iterable(A), chain.from_iterable(B))
    return max(abs(a - b) for a, b in pairs)


SIGN_NAMES = {(0, 1): "ixy", (0, 2): "ixz", (1, 2): "iyz"}


def twin_rules(subject: LintedRobot) -> Findings:
    """Yield the differences between left and right; tensors with a known error have special kinds."""
    for limbs in subject.limbs:
        from .left_right_symmetry import left_right

        for diagnostic in left_right(limbs):
            is_tensor = diagnostic.sentence in ("tensor", "tensor_turned")
            yield (
                is_tensor
                and _wrong_convention(diagnostic, subject.robot, limbs.R)
                or LintFinding(diagnostic)
            )


def _wrong_convention(
    diagnostic: Diagnostic, robot: UrdfRobot, R: Mapping[str, Matrix]
) -> Optional[LintFinding]:
    """Return the finding for tensors of two sides that are the same tensor in two conventions: signs, or frame."""
    left, right = diagnostic.names[:2]
    inertial = robot.links[left].inertial
    other = robot.links[right].inertial
    if inertial is None or other is None:
        return None
    R_inertial_link = transpose(matrix_from_rpy(other.rpy))
    wanted = rotate_inertia(R_inertial_link, _mirror_image(inertial, R[left], R[right]))
    has = rotate_inertia(R_inertial_link, other.properties.inertia)
    size = SAME_ENTRY * max(largest_entry(wanted), largest_entry(has))
    # Equal except for signs: the products have the other convention.
    if _largest_difference(_absolute(wanted), _absolute(has)) <= size:
        signs = [
            name for (i, j), name in SIGN_NAMES.items() if abs(wanted[i][j] - has[i][j]) > size
        ]
        names = (left, right, ", ".join(signs))
        return found(INERTIA_SIGN, diagnostic.line, "link", names) if signs else None
    # Different principal moments mean a different tensor, not different axes.
    pairs = zip(principal(wanted)[0], principal(has)[0])
    if max(abs(a - b) for a, b in pairs) > size:
        return None
    for bare, name, turned, twin in (
        (other, right, inertial, left),
        (inertial, left, other, right),
    ):
        if _is_bare(bare) and turned.rpy != ZERO:
            edits = _frame_edit(bare, R[name], turned, R[twin])
            return found(INERTIA_FRAME, bare.source.line, "link", (name, twin), repair=edits)
    return None


def _absolute(A: Matrix) -> Matrix:
    """Return a matrix with the absolute values of its entries."""
    a, b, c = (vector_of(map(abs, row)) for row in A)
    return a, b, c


def _mirror_image(inertial: UrdfInertial, R: Matrix, R_twin: Matrix) -> Matrix:
    """Return the mirror image of a tensor in the axes of the link on the other side; R and R_twin: axes of both links."""
    return rotate_inertia(
        transpose(R_twin), mirrored(rotate_inertia(R, inertial.properties.inertia))
    )


def _is_bare(inertial: UrdfInertial) -> bool:
    """Return True if a tensor has the axes of its link and no products: principal moments only."""
    written = inertial.source.find("inertia")
    return (
        inertial.rpy == ZERO
        and written is not None
        and all(not float(written.get(key) or 0.0) for key in ("ixy", "ixz", "iyz"))
    )


def _frame_edit(
    bare: UrdfInertial, R: Matrix, turned: UrdfInertial, R_twin: Matrix
) -> Tuple[AttributeEdit, ...]:
    """Return the rpy that makes a tensor the mirror image of its twin's tensor, () if no rpy does.

    With S the mirror through Y = 0 and R the axes of a tensor, S R S are the axes of its mirror image.
    """
    R_link_tensor = multiply(transpose(R), mirrored(multiply(R_twin, matrix_from_rpy(turned.rpy))))
    wanted = _mirror_image(turned, R_twin, R)
    has = rotate_inertia(R_link_tensor, bare.properties.inertia)
    if _largest_difference(wanted, has) > SAME_ENTRY * largest_entry(wanted):
        return ()
    origin = bare.source.find("origin")
    rpy = format_numbers(without_noise(rpy_from_matrix(R_link_tensor), 1e-12))
    if origin:
        return (AttributeEdit(origin, "rpy", rpy),)
    return (AttributeEdit(bare.source, "rpy", rpy, "origin"),)


def mirrored(A: Matrix) -> Matrix:
    """Return S A S with S the mirror through Y = 0; it maps a rotation to a rotation, and a tensor to its mirror image."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return ((a, -b, c), (-d, e, -f), (g, -h, i))
