"""Masses of the bodies of a stage: as they are written, and what is not written from the shapes that collide.

Zero and infinite numbers mean "not given" there (UsdPhysics, MassAPI); Newton's tensor wins as it is no float32.
"""

from __future__ import annotations

from math import isinf
from operator import mul
from typing import List, Optional, Sequence, Tuple

from ...base.record import Record
from ...base.types import Reals
from ...robot.principal_axes import entries_of, multiple, solid_mass, vector_of
from ...robot.records import RawMass, RawShape, Tensor
from ...urdf.spatial import (
    IDENTITY,
    MassProperties,
    merge_mass,
    move_mass,
    Pose,
    Vector,
    ZERO,
)
from ..reading import rotated_tensor, rotation_of_wxyz
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

    @property
    def density(self) -> float:
        """Kilograms for each cubic meter."""
        return self.kilograms / (self.meters * self.meters * self.meters)


def read_mass(
    prim: Prim,
    factors: Vector,
    units: Units,
    colliders: Sequence[Collider],
    notes: List[str],
) -> Optional[RawMass]:
    """Return the mass of a body, None where nothing says it; what is not given is added to the notes."""
    mass, center = _given(prim, "physics:mass"), _center(prim, factors)
    R_inertial, tensor = _tensor(prim, units)
    if MASS not in prim.schemas:  # no engine looks at its numbers then
        mass = center = tensor = None
    given = (("mass", mass), ("tensor", tensor), ("center of mass", center))
    missing = [name for name, value in given if value is None]
    whole = _of_shapes(prim, colliders, units) if missing else None
    if missing:
        sentence = NOT_GIVEN if whole is not None else NO_SHAPE
        notes.append(sentence.format(repr(prim), ", ".join(missing)))
    if mass is None and whole is None:
        return None
    total = mass * units.kilograms if mass is not None else 0.0
    if whole is not None:
        # What is not given is that of the shapes, scaled to the mass that is.
        total = total or whole.mass
        tensor = tensor or entries_of(_scaled(whole, total).inertia)
        center = center or whole.center
    center = center or ZERO
    return RawMass(total, center, tensor or NO_TENSOR, Pose(R_inertial, center), 0)


def _given(prim: Prim, name: str) -> Optional[float]:
    """Return a number, None for one that means "not given"."""
    number = prim.loose_number(name)
    return None if number is None or isinf(number) or number <= 0.0 else number


def _center(prim: Prim, factors: Vector) -> Optional[Vector]:
    center = prim.loose("physics:centerOfMass", 3)
    if center is None or any(map(isinf, center)):
        return None
    return scaled(center, factors)


def scaled(point: Reals, factors: Vector) -> Vector:
    """Return a point with each of its parts times the factor along that axis."""
    return vector_of(map(mul, point, factors))


def _tensor(prim: Prim, units: Units) -> Tuple[Tuple[Vector, Vector, Vector], Optional[Tensor]]:
    """Return the axes in which the tensor is written, and the tensor in the axes of the body, None if not given."""
    axes = prim.numbers("physics:principalAxes", 4)
    moments = prim.loose("physics:diagonalInertia", 3)
    written = prim.many("newton:inertia")
    if written is not None:
        if len(written) != 6:
            prim.refuse("'newton:inertia' is not six numbers")
        # Newton has the diagonal first.
        xx, yy, zz, xy, xz, yz = [units.moment * part for part in written]
        return IDENTITY, (xx, xy, xz, yy, yz, zz)
    if moments is None or any(map(isinf, moments)) or not any(moments):
        return IDENTITY, None
    if min(moments) < 0.0:
        prim.refuse(f"no body has the moments {moments}: one is negative")
    R = rotation_of_wxyz(axes) if axes is not None else IDENTITY
    a, b, c = [units.moment * moment for moment in moments]
    return R, rotated_tensor(R, (a, 0.0, 0.0, b, 0.0, c))


def _of_shapes(prim: Prim, colliders: Sequence[Collider], units: Units) -> Optional[MassProperties]:
    """Return the mass properties that the shapes of a body have together, None without a volume."""
    parts: List[MassProperties] = []
    of_body = _given(prim, "physics:density")
    for collider in colliders:
        part = _solid(collider.shape)
        if part is None or not part.mass:
            continue
        mass: Optional[float] = None
        density: Optional[float] = None
        # A body may be its own collider: what it says is of the body then.
        if collider.prim is not prim:
            mass = _given(collider.prim, "physics:mass")
            density = _given(collider.prim, "physics:density")
        # UsdPhysics: a shape's own density counts first, then the body's, then the material's.
        density = density or of_body
        if collider.material is not None and density is None:
            density = _given(collider.material, "physics:density")
        if mass is not None:
            mass *= units.kilograms
        else:
            mass = part.mass * (density * units.density if density is not None else WATER)
        parts.append(move_mass(collider.shape.T_link_shape, _scaled(part, mass)))
    return merge_mass(parts) if parts else None


def _scaled(part: MassProperties, mass: float) -> MassProperties:
    """Return the same distribution of another mass."""
    return MassProperties(mass, part.center, multiple(mass / part.mass, part.inertia))


def _solid(shape: RawShape) -> Optional[MassProperties]:
    """Return the mass properties of a shape of 1 kg/m^3 in its own frame, None without a volume; a mesh is its hull."""
    if shape.geometry != "mesh":
        return solid_mass(shape.geometry, shape.sizes, 1.0) if shape.sizes else None
    # Only a stage that leaves the mass of a mesh open needs its geometry.
    from ...meshes.volume import hull_properties

    groups = shape.inline() if shape.inline is not None else ()
    points = [corner for group in groups for triangle in group.triangles for corner in triangle]
    return hull_properties(points)
