"""Rules for left and right: differences, and tensors of the other side in a wrong convention."""
from math import fsum
from typing import Dict, Iterator, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import format_numbers, shown_names, without_noise
from ..robot.principal_axes import principal
from ..urdf.model import Edit, Inertial
from ..urdf.spatial import (largest_entry, matrix_from_rpy, Matrix, multiply, rotate_inertia, rpy_from_matrix,
                            transpose, ZERO)
from .kinds import INERTIA_FRAME, INERTIA_SIGN, LEFT_RIGHT
from .records import Finding, Subject
from .symmetry import Asymmetry, asymmetry_finding

SMALL, SMALL_PART = 2e-3, 0.05  # m; of a mass
SAME_ENTRY = 1e-3  # of the largest entry: the same number, as CAD rounds it
PRODUCTS = ((0, 1), (0, 2), (1, 2))
SIGN_NAMES = {(0, 1): "ixy", (0, 2): "ixz", (1, 2): "iyz"}


def twin_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the differences between left and right; tensors whose mistake is known are of special kinds."""
    small = [asymmetry for asymmetry in subject.asymmetries if is_small(asymmetry)]
    small = small if len(small) > 1 else []
    for asymmetry in subject.asymmetries:
        special = _wrong_convention(asymmetry, subject) if asymmetry.what == "inertia" else None
        if asymmetry not in small:
            yield special or Finding(asymmetry_finding(asymmetry, subject.robot))
    if small:
        first = asymmetry_finding(small[0], subject.robot)
        names = shown_names([asymmetry.right for asymmetry in small])
        yield Finding(Diagnostic(LEFT_RIGHT, first.line, "small", (names,), (len(small),)))


def is_small(asymmetry: Asymmetry) -> bool:
    """Return True for a difference of positions or masses that is as small as inaccuracies of CAD."""
    if asymmetry.what == "mass":
        masses = (*asymmetry.left_value, *asymmetry.right_value)
        return abs(float(masses[0]) - float(masses[1])) < SMALL_PART * max(map(float, masses))
    if asymmetry.what not in ("origin", "center") or asymmetry.mirrored is None:
        return False
    gaps = [p - q for p, q in zip(map(float, asymmetry.mirrored), map(float, asymmetry.right_value))]
    return fsum(gap * gap for gap in gaps) < SMALL * SMALL


def _tensor(six: Sequence[float]) -> Matrix:
    xx, xy, xz, yy, yz, zz = six
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _wrong_convention(asymmetry: Asymmetry, subject: Subject) -> Optional[Finding]:
    """Return the finding for tensors of two sides that are one tensor in two conventions: signs, or frame."""
    if asymmetry.mirrored is None or isinstance(asymmetry.right_value, str):
        return None
    wanted, has = _tensor(asymmetry.mirrored), _tensor(asymmetry.right_value)
    size = SAME_ENTRY * max(largest_entry(wanted), largest_entry(has))
    left, right = (subject.robot.links[name] for name in (asymmetry.left, asymmetry.right))
    line = right.inertial.source.line if right.inertial else right.source.line
    if all(abs(abs(wanted[i][j]) - abs(has[i][j])) <= size for i in range(3) for j in range(3)) and all(
            abs(wanted[i][i] - has[i][i]) <= size for i in range(3)):
        signs = [SIGN_NAMES[i, j] for i, j in PRODUCTS if abs(wanted[i][j] - has[i][j]) > size]
        return Finding(Diagnostic(INERTIA_SIGN, line, "link", (asymmetry.left, asymmetry.right, ", ".join(signs))))
    moments, others = principal(wanted)[0], principal(has)[0]
    if max(abs(a - b) for a, b in zip(moments, others)) > size:
        return None
    for bare, turned in ((right, left), (left, right)):
        if _is_bare(bare.inertial) and bare.inertial and turned.inertial and turned.inertial.rpy != ZERO:
            return Finding(Diagnostic(INERTIA_FRAME, bare.inertial.source.line, "link", (bare.name, turned.name)),
                           _frame_edit(bare.name, bare.inertial, turned.name, turned.inertial, subject.R_body_link))
    return None


def _is_bare(inertial: Optional[Inertial]) -> bool:
    """Return True if a tensor has the axes of its link and no products: principal moments only."""
    if inertial is None or inertial.rpy != ZERO:
        return False
    written = inertial.source.find("inertia")
    return written is not None and all(not float(written.get(key) or 0.0) for key in ("ixy", "ixz", "iyz"))


def _frame_edit(name: str, bare: Inertial, twin: str, turned: Inertial, R_body_link: Dict[str, Matrix]
                ) -> Tuple[Edit, ...]:
    """Return the rpy that makes the tensor of `bare` the mirror image of its twin's, () if there is none.

    With S the mirror through Y = 0 and R the axes of a tensor in the frame of its body, S R S are those of its mirror
    image.
    """
    R_body_tensor = mirrored(multiply(R_body_link[twin], matrix_from_rpy(turned.rpy)))
    R_link_tensor = multiply(transpose(R_body_link[name]), R_body_tensor)
    wanted = multiply(transpose(R_body_link[name]), multiply(mirrored(rotate_inertia(
        R_body_link[twin], turned.properties.inertia)), R_body_link[name]))
    has = rotate_inertia(R_link_tensor, bare.properties.inertia)
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
