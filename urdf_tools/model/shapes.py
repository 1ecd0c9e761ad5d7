"""Shapes of a robot: geometry, material, surface. Lengths are full lengths in meters."""
from typing import NamedTuple, Optional, Tuple, Union

from .geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ..urdf.spatial import compose, Vector
from .pose import Pose

Rgba = Tuple[float, float, float, float]


class Ellipsoid(NamedTuple):
    """An ellipsoid about its origin; `radii` are its half lengths along x, y and z [m]."""

    radii: Vector
    kind: str = "ellipsoid"


class Plane(NamedTuple):
    """A plane through its origin, with z as its normal; `size` is what is drawn of it along x and y [m]."""

    size: Tuple[float, float]
    kind: str = "plane"


Primitive = Union[Box, Sphere, Cylinder, Capsule, Mesh, Ellipsoid, Plane]


class Part(NamedTuple):
    """A piece of a compound: `origin` is its pose in the frame of the compound."""

    geometry: Primitive
    origin: Pose = Pose()


class Compound(NamedTuple):
    """Several pieces under one origin; a format that has no such thing gets them one by one."""

    parts: Tuple[Part, ...]
    kind: str = "compound"


Geometry = Union[Box, Sphere, Cylinder, Capsule, Mesh, Ellipsoid, Plane, Compound]


class Material(NamedTuple):
    """What a surface looks like; what is None or "" is not said.

    Attributes:
        name: a material with a name and nothing else refers to the one of that name in `Robot.materials`.
        rgba: color, each from 0 to 1.
        texture: file name of an image.
        specular, emission, metallic, roughness: each from 0 to 1.
    """

    name: str = ""
    rgba: Optional[Rgba] = None
    texture: str = ""
    specular: Optional[float] = None
    emission: Optional[float] = None
    metallic: Optional[float] = None
    roughness: Optional[float] = None


class Surface(NamedTuple):
    """How a collision shape touches; what is None is left to the simulator.

    Attributes:
        mu1, mu2: Coulomb friction along the first and the second direction.
        fdir1: the first direction, in the frame that gz assumes.
        restitution: coefficient of a bounce, from 0 to 1.
        kp, kd: stiffness [N/m] and damping [N s/m] of the contact.
        min_depth: the penetration that is not corrected [m].
        max_vel: the largest speed of its correction [m/s].
        max_contacts: between two shapes at once.
        laser_retro: the intensity that a laser sensor of gz reports for the shape.
    """

    mu1: Optional[float] = None
    mu2: Optional[float] = None
    fdir1: Optional[Vector] = None
    restitution: Optional[float] = None
    kp: Optional[float] = None
    kd: Optional[float] = None
    min_depth: Optional[float] = None
    max_vel: Optional[float] = None
    max_contacts: Optional[int] = None
    laser_retro: Optional[float] = None


class Visual(NamedTuple):
    """A shape that is seen; `origin` is its pose in the link.

    Attributes:
        script: the name of a Gazebo material, such as Gazebo/Blue, which Gazebo shows instead of `material`.
    """

    geometry: Geometry
    origin: Pose = Pose()
    material: Optional[Material] = None
    name: str = ""
    script: str = ""
    extensions: Tuple[str, ...] = ()


class Collision(NamedTuple):
    """A shape that touches; `origin` is its pose in the link.

    Attributes:
        density: [kg/m^3]; used if the link has no inertial.
    """

    geometry: Geometry
    origin: Pose = Pose()
    name: str = ""
    surface: Optional[Surface] = None
    density: Optional[float] = None
    extensions: Tuple[str, ...] = ()


def pieces(geometry: Geometry, origin: Pose) -> Tuple[Part, ...]:
    """Return the shape, or the pieces of a compound, each with its pose in the link."""
    if not isinstance(geometry, Compound):
        return (Part(geometry, origin),)
    return tuple(Part(part.geometry, Pose.from_transform(compose(origin.transform, part.origin.transform)))
                 for part in geometry.parts)
