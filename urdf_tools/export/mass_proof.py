"""The proof of masses that were written: those of the robot, or replacements that a rule allows."""
from typing import Sequence, Tuple

from ..robot.records import RawMass

TINY_MASS, TINY_MOMENT = 1e-9, 1e-11  # kg, kg m^2: of what holds the base in PhysX
LEAST_MOMENT = 2.1e-15  # kg m^2: a moving body without one gets 2e-15, the least that MuJoCo accepts
SIX_DIGITS = 2e-5  # of the largest entry: what `why_not_physical` forgives of A + B >= C, in both small moments
Triple = Tuple[float, float, float]


def why_other(old: RawMass, new: RawMass, *, placeholder: bool) -> str:
    """Return what is wrong with a mass that was written, "" if it is the robot's, or a replacement that is allowed.

    `placeholder`: a link without mass may have the least one, as the body that holds the base in PhysX.
    """
    if old.mass == 0.0 and not any(old.tensor):
        tiny = (TINY_MOMENT, 0.0, 0.0, TINY_MOMENT, 0.0, TINY_MOMENT)
        if not any(new.tensor) and new.mass == 0.0:
            return ""
        is_tiny = placeholder and new.mass == TINY_MASS and new.tensor == tiny and new.center == (0.0, 0.0, 0.0)
        return "" if is_tiny else f"it has no mass, and {new.mass:g} kg are written"
    if abs(old.mass - new.mass) > 1e-9 * old.mass + (LEAST_MOMENT if old.mass == 0.0 else 0.0):
        return f"its mass is {old.mass:g} kg, and {new.mass:g} kg are written"
    if max(abs(a - b) for a, b in zip(old.center, new.center)) > 1e-9 * max(1.0, *map(abs, old.center)):
        return f"its center of mass is {old.center}, and {new.center} is written"
    largest = max(map(abs, old.tensor))
    step = [b - a for a, b in zip(old.tensor, new.tensor)]
    if max(map(abs, step)) <= 1e-9 * largest + LEAST_MOMENT:
        return ""
    if max(map(abs, step)) > SIX_DIGITS * largest:
        return f"its tensor is {old.tensor}, and {new.tensor} is written"
    return "" if is_nearest(old.tensor, new.tensor) else (
        f"its tensor is {old.tensor}, and {new.tensor} is not the nearest that a body can have")


def is_nearest(old: Sequence[float], new: Sequence[float]) -> bool:
    """Return True if a tensor is the nearest physical one to another: A + B >= C.

    A body's second moments S = trace(I) / 2 - I are positive semidefinite, and the nearest such S' to an S is its
    projection: S', S' - S, are both positive semidefinite, and S' (S' - S) = 0 (the conditions of Karush, Kuhn and
    Tucker; Boyd and Vandenberghe, Convex Optimization, 8.1.1). No eigenvector is needed.
    """
    S, T = _second_moments(old), _second_moments(new)
    size = max(abs(entry) for row in (*S, *T) for entry in row)
    step: Tuple[Triple, ...] = tuple((b[0] - a[0], b[1] - a[1], b[2] - a[2]) for a, b in zip(S, T))
    tolerance = 1e-8 * size
    product = [sum(T[i][k] * step[k][j] for k in range(3)) for i in range(3) for j in range(3)]
    return _is_positive(T, tolerance) and _is_positive(step, tolerance) and max(map(abs, product)) <= tolerance * size


def _second_moments(tensor: Sequence[float]) -> Tuple[Triple, ...]:
    xx, xy, xz, yy, yz, zz = tensor
    half = 0.5 * (xx + yy + zz)
    return ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))


def _is_positive(M: Sequence[Triple], tolerance: float) -> bool:
    """Return True if no eigenvalue is below -tolerance: the principal minors of M + tolerance I are >= 0."""
    (a, b, c), (_, e, f), (_, _, i) = M
    a, e, i = a + tolerance, e + tolerance, i + tolerance
    minors = (a, e, i, a * e - b * b, a * i - c * c, e * i - f * f,
              a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c))
    return min(minors) >= 0.0
