"""Rules for left and right: differences, and tensors of the other side in a wrong convention."""
from typing import Iterator, Mapping, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import format_numbers, without_noise
from ..robot.principal_axes import principal
from ..urdf.model import Edit, Inertial, Robot
from ..urdf.spatial import (largest_entry, matrix_from_rpy, Matrix, multiply, rotate_inertia, rpy_from_matrix,
                            transpose, ZERO)
from .kinds import INERTIA_FRAME, INERTIA_SIGN
from .records import Finding, Subject
from .symmetry import left_right

SAME_ENTRY = 1e-3  # of the largest entry: the same number, as CAD rounds it
SIGN_NAMES = {(0, 1): "ixy", (0, 2): "ixz", (1, 2): "iyz"}


def twin_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the differences between left and right; tensors whose mistake is known are of special kinds."""
    for limbs in subject.limbs:
        for diagnostic in left_right(limbs):
            is_tensor = diagnostic.sentence in ("tensor", "tensor_turned")
            yield is_tensor and _wrong_convention(diagnostic, subject.robot, limbs.R) or Finding(diagnostic)


def _wrong_convention(diagnostic: Diagnostic, robot: Robot, R: Mapping[str, Matrix]) -> Optional[Finding]:
    """Return the finding for tensors of two sides that are one tensor in two conventions: signs, or frame."""
    left, right = diagnostic.names[:2]
    inertial, other = robot.links[left].inertial, robot.links[right].inertial
    if inertial is None or other is None:
        return None
    R_inertial_link = transpose(matrix_from_rpy(other.rpy))
    wanted, has = (rotate_inertia(R_inertial_link, tensor) for tensor in (
        _mirror_image(inertial, R[left], R[right]), other.properties.inertia))
    size = SAME_ENTRY * max(largest_entry(wanted), largest_entry(has))
    signs = [name for (i, j), name in SIGN_NAMES.items() if abs(wanted[i][j] - has[i][j]) > size]
    if all(abs(abs(wanted[i][j]) - abs(has[i][j])) <= size for i in range(3) for j in range(3)):
        return Finding(Diagnostic(INERTIA_SIGN, diagnostic.line, "link", (left, right, ", ".join(signs)))) if signs \
            else None
    if max(abs(a - b) for a, b in zip(principal(wanted)[0], principal(has)[0])) > size:
        return None
    for bare, name, turned, twin in ((other, right, inertial, left), (inertial, left, other, right)):
        if _is_bare(bare) and turned.rpy != ZERO:
            return Finding(Diagnostic(INERTIA_FRAME, bare.source.line, "link", (name, twin)),
                           _frame_edit(bare, R[name], turned, R[twin]))
    return None


def _mirror_image(inertial: Inertial, R: Matrix, R_twin: Matrix) -> Matrix:
    """Return the mirror image of a tensor in the axes of the link on the other side; R and R_twin: of both links."""
    return rotate_inertia(transpose(R_twin), mirrored(rotate_inertia(R, inertial.properties.inertia)))


def _is_bare(inertial: Inertial) -> bool:
    """Return True if a tensor has the axes of its link and no products: principal moments only."""
    written = inertial.source.find("inertia")
    return inertial.rpy == ZERO and written is not None and all(
        not float(written.get(key) or 0.0) for key in ("ixy", "ixz", "iyz"))


def _frame_edit(bare: Inertial, R: Matrix, turned: Inertial, R_twin: Matrix) -> Tuple[Edit, ...]:
    """Return the rpy that makes a tensor the mirror image of its twin's, () if there is none.

    With S the mirror through Y = 0 and R the axes of a tensor, S R S are those of its mirror image.
    """
    R_link_tensor = multiply(transpose(R), mirrored(multiply(R_twin, matrix_from_rpy(turned.rpy))))
    wanted, has = _mirror_image(turned, R_twin, R), rotate_inertia(R_link_tensor, bare.properties.inertia)
    error = max(abs(wanted[i][j] - has[i][j]) for i in range(3) for j in range(3))
    if error > SAME_ENTRY * largest_entry(wanted):
        return ()
    origin = bare.source.find("origin")
    rpy = format_numbers(without_noise(rpy_from_matrix(R_link_tensor), 1e-12))
    return (Edit(origin or bare.source, "rpy", rpy, "" if origin else "origin"),)


def mirrored(A: Matrix) -> Matrix:
    """Return S A S with S the mirror through Y = 0; it maps a rotation to a rotation, and a tensor to its mirror image.
    """
    (a, b, c), (d, e, f), (g, h, i) = A
    return ((a, -b, c), (-d, e, -f), (g, -h, i))
