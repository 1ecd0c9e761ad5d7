"""Poses and shapes of a robot: geometry, material, surface, and masses. Lengths are full lengths in meters."""

from typing import Dict, get_args, List, Optional, Sequence, Tuple, Union

from ..base.type_aliases import Json, Reals, Texts
from ..base.number_text import numbers_in
from ..base.record_type import Record
from ..robot.principal_axes import principal, solid_mass, vector_of
from ..robot.raw_robot import Rgba
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfShape, SIZES
from ..meshes.quaternions import quaternion_from_matrix
from ..urdf.spatial_math import (
    compose,
    MassProperties,
    Matrix,
    matrix_from_quaternion,
    matrix_from_rpy,
    merge_mass,
    move_mass,
    rotate_inertia,
    rotation_about,
    rpy_from_matrix,
    Transform,
    unit,
    Vector,
    ZERO,
    ZERO_INERTIA,
)


class Pose(Record):
    """A pose in a parent frame.

    Attributes:
        xyz: the origin [m].
        rpy: roll, pitch, yaw [rad] about the fixed axes x, y, z in turn, so R = Rz(yaw) Ry(pitch) Rx(roll).
    """

    xyz: Vector = ZERO
    rpy: Vector = ZERO

    @classmethod
    def from_matrix(cls, rotation: Matrix, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a rotation matrix, given as three rows."""
        return cls(xyz, rpy_from_matrix(rotation))

    @classmethod
    def from_quaternion(cls, w: float, x: float, y: float, z: float, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a quaternion of any nonzero length.

        Raises:
            ValueError: the quaternion is zero.
        """
        if not any((w, x, y, z)):
            raise ValueError("a quaternion of length zero is not an orientation")
        return cls.from_matrix(matrix_from_quaternion((x, y, z, w)), xyz)

    @classmethod
    def from_axis_angle(cls, axis: Vector, angle: float, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a rotation by `angle` [rad] about an axis of any nonzero length.

        Raises:
            ValueError: the axis is zero.
        """
        if not any(axis):
            raise ValueError("an axis of length zero is not a direction")
        return cls.from_matrix(rotation_about(unit(axis), angle), xyz)

    @property
    def matrix(self) -> Matrix:
        """Return the rotation matrix as three rows; it maps components in this frame to the parent frame."""
        return matrix_from_rpy(self.rpy)

    @property
    def quaternion(self) -> Tuple[float, float, float, float]:
        """Return the rotation as a unit quaternion (w, x, y, z) with w >= 0."""
        x, y, z, w = quaternion_from_matrix(self.matrix)
        return (w, x, y, z)

    @property
    def transform(self) -> Transform:
        """Return the pose as a rigid transform (rotation matrix, translation [m])."""
        return Transform(self.matrix, self.xyz)

    @classmethod
    def from_transform(cls, transform: Transform) -> "Pose":
        """Return the pose of a rigid transform."""
        return cls.from_matrix(transform.rotation, transform.translation)


class Box(Record):
    """A box with edges along X, Y, Z [m], around its origin."""

    size: Vector
    kind: str = "box"


class Sphere(Record):
    """A sphere around its origin; radius in m."""

    radius: float
    kind: str = "sphere"


class Cylinder(Record):
    """A cylinder along Z, around its origin [m]."""

    radius: float
    length: float
    kind: str = "cylinder"


class Capsule(Record):
    """A capsule along Z, around its origin [m]; `length` is the length of the cylinder between the two half spheres."""

    radius: float
    length: float
    kind: str = "capsule"


# Endings of meshes that a program reads. Drake's apply to collisions: it ignores other visuals.
READS: Dict[str, Texts] = {
    "mujoco": (".stl", ".obj", ".msh"),
    "drake": (".obj", ".gltf", ".vtk"),
    "pybullet": (".stl", ".obj", ".dae", ".cdf", ".vtk"),
}


class Mesh(Record):
    """A mesh: its file name in the URDF, and the factor on each axis."""

    filename: str
    scale: Vector = (1.0, 1.0, 1.0)
    kind: str = "mesh"


class Ellipsoid(Record):
    """An ellipsoid around its origin; `radii` are its half lengths along x, y and z [m]."""

    radii: Vector
    kind: str = "ellipsoid"


class Plane(Record):
    """A plane through its origin, with normal z; `size` is the drawn part along x and y [m]."""

    size: Tuple[float, float]
    kind: str = "plane"


Primitive = Union[Box, Sphere, Cylinder, Capsule, Mesh, Ellipsoid, Plane]
KINDS: Json = {kind._field_defaults["kind"]: kind for kind in get_args(Primitive)}


class Part(Record):
    """A piece of a compound: `origin` is its pose in the frame of the compound."""

    geometry: Primitive
    origin: Pose = Pose()


class Compound(Record):
    """Several pieces under one origin; formats without compounds get the pieces."""

    parts: Tuple[Part, ...]
    kind: str = "compound"


Geometry = Union[Box, Sphere, Cylinder, Capsule, Mesh, Ellipsoid, Plane, Compound]


class Material(Record):
    """The look of a surface; None or "" means not given.

    Attributes:
        name: a material that only has a name refers to the material of this name in `Robot.materials`.
        rgba: the color, each component from 0 to 1.
        texture: the file name of an image.
        specular, emission, metallic, roughness: each from 0 to 1.
    """

    name: str = ""
    rgba: Optional[Rgba] = None
    texture: str = ""
    specular: Optional[float] = None
    emission: Optional[float] = None
    metallic: Optional[float] = None
    roughness: Optional[float] = None


class Surface(Record):
    """The contact properties of a collision shape; None leaves a property to the simulator.

    Attributes:
        mu1, mu2: Coulomb friction along the first and the second direction.
        fdir1: the first direction, in the frame that gz assumes.
        restitution: the coefficient of restitution, from 0 to 1.
        kp, kd: stiffness [N/m] and damping [N s/m] of the contact.
        min_depth: the penetration that is not corrected [m].
        max_vel: the largest speed of its correction [m/s].
        max_contacts: the largest number of contacts between two shapes.
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


class Visual(Record):
    """A visual shape; `origin` is its pose in the link.

    Attributes:
        script: the name of a Gazebo material, such as Gazebo/Blue, which Gazebo shows instead of `material`.
    """

    geometry: Geometry
    origin: Pose = Pose()
    material: Optional[Material] = None
    name: str = ""
    script: str = ""
    extensions: Texts = ()


class Collision(Record):
    """A collision shape; `origin` is its pose in the link.

    Attributes:
        density: [kg/m^3]; used if the link has no inertial.
    """

    geometry: Geometry
    origin: Pose = Pose()
    name: str = ""
    surface: Optional[Surface] = None
    density: Optional[float] = None
    extensions: Texts = ()


def pieces(geometry: Geometry, origin: Pose) -> Tuple[Part, ...]:
    """Return the pieces of a shape or compound, each with its pose in the link."""
    if not isinstance(geometry, Compound):
        return (Part(geometry, origin),)
    return tuple(
        Part(part.geometry, Pose.from_transform(compose(origin.transform, part.origin.transform)))
        for part in geometry.parts
    )


def primitive(kind: str, sizes: Sequence[float], filename: str = "") -> Primitive:
    """Return the geometry of a kind; `sizes` are its numbers in the order of the fields."""
    if kind == "mesh":
        return Mesh(filename, vector_of(sizes))
    # These kinds have a field for each number; the others have a vector.
    if kind in ("sphere", "cylinder", "capsule"):
        made: Primitive = KINDS[kind](*sizes)
    else:
        made = KINDS[kind](tuple(sizes))
    return made


def sizes_of(geometry: Primitive) -> Reals:
    """Return the numbers of a geometry in the order of its fields."""
    numbers: List[float] = []
    for value in geometry:
        if isinstance(value, tuple):
            numbers += value
        elif not isinstance(value, str):
            numbers.append(value)
    return tuple(numbers)


def geometry_of(shape: UrdfShape) -> Optional[Primitive]:
    """Return the geometry of a shape; None if it is missing, of an unknown kind, or has unreadable numbers."""
    drawn = shape.drawn
    if drawn is None or drawn.name not in SIZES:
        return None
    # The scale is the only size that URDF makes optional.
    missing = "1 1 1" if drawn.name == "mesh" and drawn.get("scale") is None else ""
    sizes: List[float] = []
    for key, count in SIZES[drawn.name]:
        numbers = numbers_in(drawn.get(key) or missing, count)
        if not numbers:
            return None
        sizes += numbers
    return primitive(drawn.name, sizes, drawn.get("filename") or "")


def read_material(element: Element) -> Material:
    """Return a `<material>` as it is written; an unreadable color is None."""
    color = element.find("color")
    texture = element.find("texture")
    numbers = numbers_in(color.get("rgba") or "", 4) if color is not None else None
    rgba = None
    if numbers:
        red, green, blue, alpha = numbers
        rgba = (red, green, blue, alpha)
    image = texture.get("filename") if texture is not None else ""
    return Material(name=element.get("name") or "", rgba=rgba, texture=image or "")


def own_material(shape: UrdfShape) -> Optional[Material]:
    """Return the `<material>` inside a shape as it is written, or None."""
    material = shape.source.find("material")
    return read_material(material) if material is not None else None


def material_of(shape: UrdfShape, definitions: Dict[str, Element]) -> Optional[Material]:
    """Return the material of a shape, or the material of the robot's `definitions` that its name refers to."""
    material = own_material(shape)
    if (
        material is None
        or material.rgba is not None
        or material.texture
        or material.name not in definitions
    ):
        return material
    return read_material(definitions[material.name])


class Inertia(Record):
    """The six numbers of a symmetric tensor about the center of mass [kg m^2]."""

    ixx: float
    iyy: float
    izz: float
    ixy: float = 0.0
    ixz: float = 0.0
    iyz: float = 0.0

    @classmethod
    def from_matrix(cls, matrix: Matrix) -> "Inertia":
        """Return the tensor of a symmetric matrix."""
        return cls(
            matrix[0][0], matrix[1][1], matrix[2][2], matrix[0][1], matrix[0][2], matrix[1][2]
        )

    @property
    def matrix(self) -> Matrix:
        """Return the tensor as three rows."""
        return (
            (self.ixx, self.ixy, self.ixz),
            (self.ixy, self.iyy, self.iyz),
            (self.ixz, self.iyz, self.izz),
        )

    def principal(self) -> Tuple[Vector, Matrix]:
        """Return the principal moments, smallest first, and the rotation whose columns are their axes.

        The tensor is R diag(moments) R^T, where R is this rotation; its axes are right-handed.
        """
        return principal(self.matrix)


class Inertial(Record):
    """Mass [kg] and tensor of a link; `origin` is the pose of the center of mass and the axes of the tensor in the link."""

    mass: float
    inertia: Inertia
    origin: Pose = Pose()

    def in_link_frame(self) -> MassProperties:
        """Return the mass, the center of mass and the tensor about it in the axes of the link."""
        return MassProperties(
            self.mass, self.origin.xyz, rotate_inertia(self.origin.matrix, self.inertia.matrix)
        )


def mass_by_density(collisions: Sequence[Collision]) -> Optional[MassProperties]:
    """Return the combined mass properties of collision shapes with a density, in the link frame; None if there are none.

    Raises:
        ValueError: a shape has a density but no known volume (a mesh, a plane).
    """
    masses: List[MassProperties] = []
    for shape in collisions:
        if not shape.density:
            continue
        for part in pieces(shape.geometry, shape.origin):
            own = solid_mass(part.geometry.kind, sizes_of(part.geometry), shape.density)
            masses.append(move_mass(part.origin.transform, own))
    return merge_mass(masses) if masses else None


NO_MASS = MassProperties(0.0, ZERO, ZERO_INERTIA)
