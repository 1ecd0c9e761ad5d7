"""Masses of the bodies of a stage: as they are written; a missing value follows from the shapes that collide.

Zero and infinite numbers mean "not given" there (UsdPhysics, MassAPI); Newton's tensor wins as it is no float32.
"""

from __future__ import annotations

from itertools import chain
from math import isinf
from operator import mul
from typing import List, Optional, Sequence, Tuple

from ...base.record_type import Record
from ...base.type_aliases import Reals
from ...robot.principal_axes import entries_of, multiple, solid_mass, vector_of
from ...robot.raw_robot import RawMass, RawShape, Tensor
from ...urdf.spatial_math import (
    add_matrices,
    compose,
    IDENTITY,
    inertia_of_point,
    inverse,
    MassProperties,
    Matrix,
    merge_mass,
    move_mass,
    Transform,
    rotate_inertia,
    subtract,
    Vector,
    ZERO,
)
from ..reader_helpers import rotated_tensor, rotation_of_wxyz
from .prim_tree import MASS, Prim
from .prim_transforms import PrimTransform

WATER = 1000.0  # kg/m^3, where nobody says a density
MASS_PROPERTIES = (
    *("physics:mass", "physics:density", "physics:centerOfMass"),
    *("physics:diagonalInertia", "physics:principalAxes", "newton:inertia"),
)
NO_TENSOR: Tensor = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NOT_GIVEN = (
    "of {0} its {1} is not given, and is that of the shapes that collide, as engines have it"
)
NO_SHAPE = (
    "of {0} no {1} is given, and no shape says it: it is read as none, and engines make one up"
)
AXES_ALONE = "{0} has principalAxes without a diagonalInertia: they turn nothing, and are not read"
MOMENTS_ALONE = (
    "{0} has a diagonalInertia without principalAxes: it is read along the axes of the body, and "
    "usd-core takes the axes of the shapes that collide"
)


class BodyCollision(Record):
    """A collision of a body.

    Attributes:
        prim: the prim that may give it a mass. at: the place of the prim.
        T_body_prim: the pose of the prim in the frame of the body.
        shape: in the frame of the body.
        material: the PhysicsMaterialAPI that it is bound to.
    """

    prim: Prim
    at: PrimTransform
    T_body_prim: Transform
    shape: RawShape
    material: Optional[Prim]


class StageUnits(Record):
    """The units of a stage in meters and kilograms."""

    meters: float = 1.0
    kilograms: float = 1.0

    @property
    def force(self) -> float:
        """Return the unit of forces in newtons."""
        return self.kilograms * self.meters

    @property
    def moment(self) -> float:
        """Return the unit of torques [N m], which is also the unit of tensors [kg m^2]."""
        return self.kilograms * self.meters * self.meters

    @property
    def density(self) -> float:
        """Return the unit of densities [kg/m^3]."""
        return self.kilograms / (self.meters * self.meters * self.meters)


class PhysicsMassValues(Record):
    """The values of a PhysicsMassAPI, in kilograms and meters along the axes of its prim; None: not given.

    Attributes:
        R_prim_tensor: the axes of the moments. tensor: turned into the axes of the prim.
    """

    mass: Optional[float] = None
    center: Optional[Vector] = None
    R_prim_tensor: Optional[Matrix] = None
    tensor: Optional[Tensor] = None


def read_mass(
    prim: Prim,
    factors: Vector,
    units: StageUnits,
    colliders: Sequence[BodyCollision],
    notes: List[str],
) -> Optional[RawMass]:
    """Return the mass of a body, None for a body without any; a note names the values that are not given.

    Args:
        factors: the scale along the axes of the body.
        colliders: all collisions of the body.
    """
    given = _given_mass(prim, factors, units)
    fields = (("mass", given.mass), ("tensor", given.tensor), ("center of mass", given.center))
    missing = [name for name, value in fields if value is None]
    of_shapes = _of_shapes(prim, colliders, units) if missing else None
    if missing:
        sentence = NOT_GIVEN if of_shapes is not None else NO_SHAPE
        notes.append(sentence.format(repr(prim), ", ".join(missing)))
    if given.tensor is None and given.R_prim_tensor is not None:
        notes.append(AXES_ALONE.format(repr(prim)))
    if given.tensor is not None and given.R_prim_tensor is None and of_shapes is not None:
        notes.append(MOMENTS_ALONE.format(repr(prim)))
    if of_shapes is None:
        if given.mass is None:
            return None
        mass = given.mass
        center = given.center or ZERO
        tensor = given.tensor or NO_TENSOR
    else:
        # The shapes say how the mass is distributed; the given mass and center say how much it is, and where.
        mass = given.mass or of_shapes.mass
        known = _about(_scaled(of_shapes, mass), given.center)
        center = known.center
        tensor = given.tensor or entries_of(known.inertia)
    return RawMass(
        mass=mass,
        center=center,
        tensor=tensor,
        T_link_inertial=Transform(given.R_prim_tensor or IDENTITY, center),
        line=0,
    )


def _given_mass(prim: Prim, factors: Vector, units: StageUnits) -> PhysicsMassValues:
    """Return the mass values of a prim; without the schema no engine looks at its numbers."""
    if MASS not in prim.schemas:
        return PhysicsMassValues()
    mass = _positive(prim, "physics:mass")
    if mass is not None:
        mass *= units.kilograms
    center = _center(prim, factors)
    R_prim_tensor, tensor = _tensor(prim, units)
    return PhysicsMassValues(mass=mass, center=center, R_prim_tensor=R_prim_tensor, tensor=tensor)


def _given_density(prim: Prim) -> Optional[float]:
    """Return the density of a PhysicsMassAPI, in the units of the stage; None: not given."""
    return _positive(prim, "physics:density") if MASS in prim.schemas else None


def _positive(prim: Prim, name: str) -> Optional[float]:
    """Return a number, None for a number that means "not given"."""
    number = prim.loose_number(name)
    if number is None or isinf(number) or number <= 0.0:
        return None
    return number


def _center(prim: Prim, factors: Vector) -> Optional[Vector]:
    """Return the center of mass of a prim in meters along its axes; None: not given."""
    center = prim.loose("physics:centerOfMass", 3)
    if center is None or any(map(isinf, center)):
        return None
    return scaled(center, factors)


def scaled(point: Reals, factors: Vector) -> Vector:
    """Return a point with each of its parts times the factor along that axis."""
    return vector_of(map(mul, point, factors))


def _tensor(prim: Prim, units: StageUnits) -> Tuple[Optional[Matrix], Optional[Tensor]]:
    """Return the axes in which the tensor is written, and the tensor in the axes of the prim; None: not given."""
    axes = prim.numbers("physics:principalAxes", 4)
    moments = prim.loose("physics:diagonalInertia", 3)
    written = prim.many("newton:inertia")
    if written is not None:
        if len(written) != 6:
            prim.refuse("'newton:inertia' is not six numbers")
        # Newton has the diagonal first.
        xx, yy, zz, xy, xz, yz = [units.moment * part for part in written]
        return IDENTITY, (xx, xy, xz, yy, yz, zz)
    R = rotation_of_wxyz(axes) if axes is not None and any(axes) else None
    if moments is None or any(map(isinf, moments)) or not any(moments):
        return R, None
    if min(moments) < 0.0:
        prim.refuse(f"no body has the moments {moments}: one is negative")
    a, b, c = [units.moment * moment for moment in moments]
    return R, rotated_tensor(R or IDENTITY, (a, 0.0, 0.0, b, 0.0, c))


def _of_shapes(
    body: Prim, colliders: Sequence[BodyCollision], units: StageUnits
) -> Optional[MassProperties]:
    """Return the mass properties that the shapes of a body have together, None without a volume."""
    parts = [_of_collider(body, collider, units) for collider in colliders]
    solid = [part for part in parts if part is not None]
    return merge_mass(solid) if solid else None


def _of_collider(
    body: Prim, collider: BodyCollision, units: StageUnits
) -> Optional[MassProperties]:
    """Return the mass properties of a collision in the frame of its body, None without a volume.

    They are made as usd-core makes them (`UsdPhysicsRigidBodyAPI.ComputeMassProperties`).
    """
    solid = _solid(collider.shape)
    if solid is None or not solid.mass:
        return None
    given = _given_mass(collider.prim, collider.at.scale, units)
    # The density of the shape counts first, then the density of the body, then the density of the material.
    density = _given_density(collider.prim) or _given_density(body)
    if density is None and collider.material is not None:
        density = _positive(collider.material, "physics:density")
    density = density * units.density if density is not None else WATER
    by_density = solid.mass * density
    if collider.at.is_sheared and (given.center or given.tensor or given.R_prim_tensor):
        collider.prim.refuse("its center of mass or its tensor has no axes, as it is sheared")
    T_prim_shape = compose(inverse(collider.T_body_prim), collider.shape.T_link_shape)
    part = move_mass(T_prim_shape, _scaled(solid, given.mass or by_density))
    if given.tensor is not None:
        xx, xy, xz, yy, yz, zz = given.tensor
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        part = MassProperties(part.mass, given.center or part.center, tensor)
    else:
        # Axes without moments turn the tensor of a shape; axes of a body without moments turn nothing.
        turned = rotate_inertia(given.R_prim_tensor or IDENTITY, part.inertia)
        part = _about(part._replace(inertia=turned), given.center)
    return move_mass(collider.T_body_prim, part)


def _about(part: MassProperties, center: Optional[Vector]) -> MassProperties:
    """Return the same distribution seen from another center, if one is given: its tensor grows by m d^2 (Steiner)."""
    if center is None:
        return part
    steiner = inertia_of_point(part.mass, subtract(center, part.center))
    return MassProperties(part.mass, center, add_matrices(part.inertia, steiner))


def _scaled(part: MassProperties, mass: float) -> MassProperties:
    """Return the same distribution of another mass."""
    return MassProperties(mass, part.center, multiple(mass / part.mass, part.inertia))


def _solid(shape: RawShape) -> Optional[MassProperties]:
    """Return the mass properties of a shape of 1 kg/m^3 in its own frame, None without a volume; a mesh is its hull."""
    if shape.geometry != "mesh":
        return solid_mass(shape.geometry, shape.sizes, 1.0) if shape.sizes else None
    # Only a stage that leaves the mass of a mesh open needs its geometry.
    from ...meshes.mesh_volume import hull_properties

    groups = shape.inline() if shape.inline is not None else ()
    triangles = chain.from_iterable(group.triangles for group in groups)
    return hull_properties([*chain.from_iterable(triangles)])
