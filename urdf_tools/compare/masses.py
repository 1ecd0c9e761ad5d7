"""Masses of bodies: moved, compared, and by their principal moments."""
from typing import Tuple

from ..urdf.spatial import IDENTITY, Matrix, norm, Pose, subtract
from ..verify.rigid_motion import transform_point
from .canonical import BodyMass, rotated_tensor

FLOOR = 1e-8  # m^2, times the mass: below it a tensor is rounding error


def moved_mass(Y: Pose, mass: BodyMass) -> BodyMass:
    """Return a mass as B's root sees it."""
    tensor = mass.tensor if Y.rotation is IDENTITY else rotated_tensor(Y.rotation, mass.tensor)
    return BodyMass(mass.mass, transform_point(Y, mass.center), tensor)


def mass_gaps(a: BodyMass, b: BodyMass) -> Tuple[float, float, float]:
    """Return how far apart masses (of the larger), centers [m] and tensors (of the largest entry) are."""
    heavier = max(a.mass, b.mass)
    if heavier == 0.0:
        return 0.0, 0.0, tensor_gap(a.tensor, b.tensor, 0.0)
    center = norm(subtract(a.center, b.center)) if min(a.mass, b.mass) > 0.0 else 0.0
    return abs(a.mass - b.mass) / heavier, center, tensor_gap(a.tensor, b.tensor, FLOOR * heavier)


def tensor_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of entries, of the largest entry, or of `floor` where all are smaller."""
    largest = max(max(map(abs, row)) for row in (*a, *b))
    apart = max(abs(p - q) for row, line in zip(a, b) for p, q in zip(row, line))
    return apart / max(largest, floor) if apart else 0.0
