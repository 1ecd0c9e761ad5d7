"""Masses of the bodies of a stage: as they are written, and what is not written from the shapes that collide.

Zero and infinite numbers mean "not given" there (UsdPhysics, MassAPI); Newton's tensor wins as it is no float32.
"""

from __future__ import annotations

from math import isinf, pi
from typing import List, Optional, Sequence, Tuple

from ...base.record import Record
from ...meshes.hull import convex_hull
from ...meshes.volume import NoVolume, roughly
from ...robot.records import RawMass, RawShape
from ...urdf.spatial import (
    IDENTITY,
    MassProperties,
    matrix_from_quaternion,
    merge_mass,
    move_mass,
    Pose,
    Vector,
    ZERO,
)
from ..reading import rotated_tensor, Tensor
from .read_prims import MASS, Prim

WATER = 1000.0  # kg/m^3, where nobody says a density
NO_TENSOR: Tensor = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NOT_GIVEN = (
    "of {0} its {1} is not given, and is that of the shapes that collide, as engines have it"
)
NO_SHAPE = (
    "of {0} no {1} is given, and no shape says it: it is read as none, and engines make one up"
)


class Collider(Record):
    """A collision of a body, the prim that it is, and its material."""

    prim: Prim
    shape: RawShape
    material: Optional[Prim]


class Units(Record):
    """What numbers of a stage are in meters and kilograms."""

    meters: float = 1.0
    kilograms: float = 1.0

    @property
    def force(self) -> float:
        """Newtons."""
        return self.kilograms * self.meters

    @property
    def moment(self) -> float:
        """Newton meters, and kilograms times square meters."""
        return self.kilograms * self.meters * self.meters


def read_mass(
    prim: Prim, scale: Vector, units: Units, colliders: Sequence[Collider]
) -> Tuple[Optional[RawMass], List[str]]:
    """Return the mass of a body, None where nothing says it, and notes on what is not given."""
    mass, center = _given(prim.loose("physics:mass")), _center(prim, scale)
    R_inertial, tensor = _tensor(prim, units)
    if MASS not in prim.schemas:  # no engine looks at its numbers then
        mass = center = tensor = None
    given = (("mass", mass), ("tensor", tensor), ("center of mass", center))
    missing = [name for name, value in given if value is None]
    whole = _of_shapes(prim, colliders) if missing else None
    sentence = NOT_GIVEN if whole is not None else NO_SHAPE
    notes = [sentence.format(repr(prim), ", ".join(missing))] if missing else []
    if mass is None and whole is None:
        return None, notes
    total = mass * units.kilograms if mass is not None else 0.0
    if whole is not None:
        total = total or whole.mass
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = whole.inertia
        factor = total / whole.mass
        xx, xy, xz, yy, yz, zz = [factor * part for part in (xx, xy, xz, yy, yz, zz)]
        tensor = tensor or (xx, xy, xz, yy, yz, zz)
        center = center or whole.center
    center = center or ZERO
    return RawMass(total, center, tensor or NO_TENSOR, Pose(R_inertial, center), 0), notes


def _given(numbers: Optional[Tuple[float, ...]]) -> Optional[float]:
    """Return a number, None for one that means "not given"."""
    if numbers is None or isinf(numbers[0]) or numbers[0] <= 0.0:
        return None
    return numbers[0]


def _center(prim: Prim, scale: Vector) -> Optional[Vector]:
    center = prim.loose("physics:centerOfMass", 3)
    if center is None or any(map(isinf, center)):
        return None
    x, y, z = [part * factor for part, factor in zip(center, scale)]
    return (x, y, z)


def _tensor(prim: Prim, units: Units) -> Tuple[Tuple[Vector, Vector, Vector], Optional[Tensor]]:
    """Return the axes in which the tensor is written, and the tensor in the axes of the body, None if not given."""
    axes = prim.numbers("physics:principalAxes", 4)
    moments = prim.loose("physics:diagonalInertia", 3)
    entry = prim.get("newton:inertia")
    if entry is not None:
        written = prim.many("newton:inertia") or ()
        if len(written) != 6:
            prim.refuse("'newton:inertia' is not six numbers")
        xx, yy, zz, xy, xz, yz = [units.moment * part for part in written]
        return IDENTITY, (xx, xy, xz, yy, yz, zz)
    if moments is None or any(map(isinf, moments)) or not any(moments):
        return IDENTITY, None
    if min(moments) < 0.0:
        prim.refuse(f"no body has the moments {moments}: one is negative")
    R = IDENTITY
    if axes is not None and any(axes[1:]):
        w, *rest = axes
        R = matrix_from_quaternion((*rest, w))
    a, b, c = [units.moment * moment for moment in moments]
    return R, rotated_tensor(R, (a, 0.0, 0.0, b, 0.0, c))


def _of_shapes(prim: Prim, colliders: Sequence[Collider]) -> Optional[MassProperties]:
    """Return the mass properties that the shapes of a body have together, None without a volume."""
    parts: List[MassProperties] = []
    of_body = _given(prim.loose("physics:density"))
    for collider in colliders:
        part = _solid(collider.shape)
        if part is None or not part.mass:
            continue
        own = collider.prim is not prim
        mass = _given(collider.prim.loose("physics:mass")) if own else None
        density = _given(collider.prim.loose("physics:density")) if own else None
        if collider.material is not None and density is None and of_body is None:
            density = _given(collider.material.loose("physics:density"))
        if mass is None:
            mass = (density or of_body or WATER) * part.mass
        factor = mass / part.mass
        rows = [(factor * row[0], factor * row[1], factor * row[2]) for row in part.inertia]
        scaled = MassProperties(mass, part.center, (rows[0], rows[1], rows[2]))
        parts.append(move_mass(collider.shape.T_link_shape, scaled))
    return merge_mass(parts) if parts else None


def _diagonal(mass: float, xx: float, yy: float, zz: float) -> MassProperties:
    inertia = ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))
    return MassProperties(mass, ZERO, inertia)


def _solid(shape: RawShape) -> Optional[MassProperties]:
    """Return the mass properties of a shape of 1 kg/m^3 in its own frame, None without a volume; a mesh is its hull."""
    sizes = shape.sizes
    if shape.geometry == "box":
        a, b, c = sizes
        m = a * b * c
        return _diagonal(
            m, m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12
        )
    if shape.geometry in ("sphere", "ellipsoid"):
        a, b, c = sizes if len(sizes) == 3 else sizes * 3
        m = 4.0 / 3.0 * pi * a * b * c
        return _diagonal(
            m, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5
        )
    if shape.geometry in ("cylinder", "capsule"):
        return _round(*sizes, has_caps=shape.geometry == "capsule")
    return _hull(shape) if shape.geometry == "mesh" else None


def _round(radius: float, height: float, *, has_caps: bool) -> MassProperties:
    """Return a cylinder along z, with half a ball at each end for a capsule."""
    square = radius * radius
    m = pi * square * height
    across, along = m * (3.0 * square + height * height) / 12.0, m * square / 2.0
    if not has_caps:
        return _diagonal(m, across, across, along)
    caps = 4.0 / 3.0 * pi * square * radius
    # Both halves of a ball about its own center, then from there to the ends of the cylinder.
    away = height * height / 4.0 + 3.0 / 8.0 * radius * height
    of_caps = caps * (0.4 * square + away)
    return _diagonal(m + caps, across + of_caps, across + of_caps, along + caps * 0.4 * square)


def _hull(shape: RawShape) -> Optional[MassProperties]:
    groups = shape.inline() if shape.inline is not None else ()
    points = [corner for group in groups for triangle in group.triangles for corner in triangle]
    hull = convex_hull(points)
    try:
        return roughly(hull.corners, hull.triangles).properties if hull is not None else None
    except NoVolume:
        return None
