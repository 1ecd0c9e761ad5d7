"""Bodies, the rigid groups of a robot, and the joints between them, all in the frame of the root."""

from __future__ import annotations

from math import fsum
from typing import Optional, Sequence, Tuple

from ..base.record_type import Record
from ..urdf.spatial_math import (
    add_matrices,
    IDENTITY,
    inertia_of_point,
    Matrix,
    move,
    multiply,
    subtract,
    Transform,
    transpose,
    Vector,
    ZERO,
)
from .raw_robot import RawJoint, RawLink

# Kinds of motion of a `CanonicalJoint`.
TURNS = "turns"
SLIDES = "slides"
NO_TENSOR: Matrix = (ZERO, ZERO, ZERO)


class BodyMass(Record):
    """The mass [kg], center [m] and tensor about the center [kg m^2] of a body, in the frame of the root."""

    mass: float
    center: Vector
    tensor: Matrix


class BodyLink(Record):
    """A link of a body, with its frame in the frame of the root."""

    link: RawLink
    T_root_link: Transform


class Body(Record):
    """A rigid group: links that move as one.

    `mass` is None if no link has a mass; `joint` is the index of the joint that moves it, -1 for the root.
    """

    name: str
    parts: Tuple[BodyLink, ...]
    mass: Optional[BodyMass]
    joint: int

    @property
    def is_heavy(self) -> bool:
        """Return True if the body has a mass above zero."""
        return self.mass is not None and self.mass.mass > 0.0


class CanonicalJoint(Record):
    """A joint between two bodies, with its line in the frame of the root.

    Attributes:
        raw: the joint of the file.
        motion: TURNS (also for continuous joints), SLIDES, or the type (planar, floating, ball).
        parent, child: the indices of both bodies in the canonical robot.
        anchor: if it turns, the point of its line nearest to the anchor of the preceding joint; else its own point.
        axis: of length 1; x for a floating joint.
    """

    raw: RawJoint
    motion: str
    parent: int
    child: int
    anchor: Vector
    axis: Vector


def is_empty(link: RawLink) -> bool:
    """Return True if a link is only a frame: without shapes, and without mass or with mass zero."""
    return not link.shapes and (
        link.mass is None or link.mass.mass == 0.0 and not any(link.mass.tensor)
    )


def body_mass(parts: Sequence[BodyLink]) -> Optional[BodyMass]:
    """Return the mass of links that move as one, None if no link has a mass.

    A part at d from the common center adds its own tensor, and the tensor of a point mass m at d.
    """
    masses = [(part.link.mass, part.T_root_link) for part in parts if part.link.mass is not None]
    if not masses:
        return None
    centers = [move(T, mass.center) for mass, T in masses]
    if len(masses) == 1:  # most bodies: the written digits stay
        mass, T = masses[0]
        return BodyMass(mass.mass, centers[0], _rotated(T.rotation, mass.tensor))
    total = fsum(mass.mass for mass, _ in masses)

    # Parts with a total mass of zero may still have tensors.
    weights = [0.0] * len(masses)
    if total:
        weights = [mass.mass / total for mass, _ in masses]
    x, y, z = (fsum(w * x for w, x in zip(weights, column)) for column in zip(*centers))
    center = (x, y, z)

    tensor = NO_TENSOR
    for (mass, T), part_center in zip(masses, centers):
        own = _rotated(T.rotation, mass.tensor)
        of_point = inertia_of_point(mass.mass, subtract(part_center, center))
        tensor = add_matrices(tensor, add_matrices(own, of_point))
    return BodyMass(total, center, tensor)


def _rotated(R: Matrix, tensor: Sequence[float]) -> Matrix:
    """Return a tensor, given as xx, xy, xz, yy, yz, zz, rotated by R."""
    xx, xy, xz, yy, yz, zz = tensor
    return rotated_tensor(R, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def rotated_tensor(R: Matrix, tensor: Matrix) -> Matrix:
    """Return the tensor R I R^T, symmetric to the last bit."""
    (a, b, c), (d, e, f), (g, h, i) = multiply(multiply(R, tensor), transpose(R))
    # Rounding leaves opposite entries of the product different in the last bit.
    b, c, f = 0.5 * (b + d), 0.5 * (c + g), 0.5 * (f + h)
    return ((a, b, c), (b, e, f), (c, f, i))


def moved_mass(Y: Transform, mass: BodyMass) -> BodyMass:
    """Return a mass in the frame to which Y maps: its center moved, its tensor rotated."""
    tensor = mass.tensor if Y.rotation is IDENTITY else rotated_tensor(Y.rotation, mass.tensor)
    return BodyMass(mass.mass, move(Y, mass.center), tensor)
