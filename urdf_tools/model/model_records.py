"""The robot for other programs: typed, immutable records."""

from itertools import chain
from math import fsum
from typing import Dict, List, Optional, Set, Tuple, Union

from ..base.type_aliases import Span, Texts
from ..base.diagnostics import Notes
from ..base.record_type import Record
from ..urdf.urdf_records import Calibration, Dynamics, Limit, Mimic, MOVABLE, Safety
from ..urdf.spatial_math import MassProperties, Vector
from .model_shapes import (
    Collision,
    Inertial,
    mass_by_density,
    Material,
    Mesh,
    NO_MASS,
    Part,
    pieces,
    Pose,
    Visual,
)

JOINT_TYPES = (*MOVABLE, "fixed", "floating", "planar", "ball")


class Spring(Record):
    """A spring in a joint: stiffness [N/m or N m/rad], and its rest position."""

    stiffness: float
    reference: float = 0.0


class Link(Record):
    """A rigid body.

    Attributes:
        self_collide, gravity: None leaves it to the simulator.
        velocity_decay: the fraction of the linear and angular velocity that is lost in each simulation step.
        extensions: XML without a field here, element by element. An element `link` contains further attributes of the
            link; an element named like a URDF child of the link contains the rest of this child.
    """

    name: str
    inertial: Optional[Inertial] = None
    visuals: Tuple[Visual, ...] = ()
    collisions: Tuple[Collision, ...] = ()
    self_collide: Optional[bool] = None
    gravity: Optional[bool] = None
    velocity_decay: Optional[float] = None
    extensions: Texts = ()

    @property
    def shapes(self) -> Tuple[Union[Visual, Collision], ...]:
        """Return the visuals, then the collisions."""
        return (*self.visuals, *self.collisions)

    @property
    def placed_pieces(self) -> "Tuple[Tuple[str, int, Union[Visual, Collision], Part], ...]":
        """Return every piece of a shape: visual or collision, its index within the kind, the shape, and the piece."""
        placed: List[Tuple[str, int, Union[Visual, Collision], Part]] = []
        kinds: Tuple[Tuple[str, Tuple[Union[Visual, Collision], ...]], ...] = (
            ("visual", self.visuals),
            ("collision", self.collisions),
        )
        for kind, shapes in kinds:
            # Numbered over all pieces of a kind, as in formats without compounds.
            index = 0
            for shape in shapes:
                for part in pieces(shape.geometry, shape.origin):
                    placed.append((kind, index, shape, part))
                    index += 1
        return tuple(placed)

    @property
    def mass_properties(self) -> MassProperties:
        """Return mass, center and tensor about it in the link frame: of the inertial, else from the densities, else zero.

        Raises:
            ValueError: a shape with a density has no known volume.
        """
        if self.inertial:
            return self.inertial.in_link_frame()
        return mass_by_density(self.collisions) or NO_MASS


class Joint(Record):
    """A joint between a parent and a child link.

    Attributes:
        type: revolute, continuous, prismatic, fixed, floating, planar, or ball.
        origin: the pose of the child in the parent with the joint at zero.
        axis: the unit vector in the frame of the child; for a planar joint the normal.
        armature: inertia of the rotor, reflected to the joint [kg m^2 or kg].
        extensions: as for a link.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Pose = Pose()
    axis: Vector = (1.0, 0.0, 0.0)
    limit: Optional[Limit] = None
    dynamics: Optional[Dynamics] = None
    mimic: Optional[Mimic] = None
    safety: Optional[Safety] = None
    calibration: Optional[Calibration] = None
    spring: Optional[Spring] = None
    armature: Optional[float] = None
    extensions: Texts = ()

    @property
    def range(self) -> Optional[Span]:
        """Return the allowed positions [rad or m], with URDF's 0 for a missing bound; None if all positions are allowed."""
        if self.type not in ("revolute", "prismatic") or self.limit is None:
            return None
        return (self.limit.lower or 0.0, self.limit.upper or 0.0)


class Camera(Record):
    """The view of a camera: horizontal field of view [rad] and size of the image in pixels."""

    horizontal_fov: float
    width: int
    height: int


class Lidar(Record):
    """The horizontal rays of a lidar: their number, angles [rad] and range [m]."""

    samples: int
    min_angle: float
    max_angle: float
    min_range: float
    max_range: float


class Sensor(Record):
    """A sensor on a link, or in a joint (force and torque between its links).

    Attributes:
        type: the type's name in gz: imu, camera, gpu_lidar, force_torque, contact, ...
        origin: its pose in the link, or for a sensor in a joint, in the child link.
        rate: [Hz].
        xml: the `<sensor>` that it was read from, for content without a field; the fields take precedence.
    """

    name: str
    type: str
    link: str = ""
    joint: str = ""
    origin: Pose = Pose()
    rate: Optional[float] = None
    camera: Optional[Camera] = None
    lidar: Optional[Lidar] = None
    xml: str = ""


class Actuator(Record):
    """The actuator of a joint.

    Attributes:
        type: motor (its input is an effort), position or velocity (a servo).
        gear: the effort at the joint for each unit of the motor's input.
        reduction: `<mechanicalReduction>` of a transmission; ROS commands are at the joint, so it is not a gear.
        kp, kv: gains of a servo.
        force_range: the range of the effort at the joint [N or N m]; control_range: the range of the input.
        source: transmission, ros2_control, or "".
        xml: the `<transmission>` it was read from; the fields take precedence.
    """

    name: str
    joint: str
    type: str = "motor"
    gear: Optional[float] = None
    reduction: Optional[float] = None
    kp: Optional[float] = None
    kv: Optional[float] = None
    force_range: Optional[Span] = None
    control_range: Optional[Span] = None
    source: str = ""
    xml: str = ""


class RobotRecord(Record):
    """A robot: a tree of links and joints, with materials, sensors and actuators.

    Programs use `model.Robot`, the same record with its readers and writers as methods (see `model_api`).

    Attributes:
        extensions: XML of the robot without a field here, element by element, as in a link.
    """

    name: str
    links: Tuple[Link, ...]
    joints: Tuple[Joint, ...] = ()
    materials: Tuple[Material, ...] = ()
    sensors: Tuple[Sensor, ...] = ()
    actuators: Tuple[Actuator, ...] = ()
    extensions: Texts = ()

    @property
    def mass(self) -> float:
        """Return the total mass [kg]."""
        return fsum(link.mass_properties.mass for link in self.links)

    @property
    def meshes(self) -> Tuple[Mesh, ...]:
        """Return each pair of mesh file and scale, sorted and without duplicates."""
        meshes: Set[Mesh] = set()
        for shape in chain.from_iterable(link.shapes for link in self.links):
            for part in pieces(shape.geometry, shape.origin):
                if isinstance(part.geometry, Mesh):
                    meshes.add(part.geometry)
        return tuple(sorted(meshes))


def material_meanings(robot: RobotRecord) -> Dict[str, Material]:
    """Return the material that each name refers to: materials of the robot take precedence over materials of shapes.

    A material without a name cannot be referred to (urdfdom, model.cpp).
    """
    meanings: Dict[str, Material] = {}
    visuals = chain.from_iterable(link.visuals for link in robot.links)
    for material in (*robot.materials, *(visual.material for visual in visuals)):
        if material is not None and material.name and material != Material(material.name):
            meanings.setdefault(material.name, material)
    return meanings


class WrittenModel(Record):
    """A written model: its text, notes on its losses, and a sentence (`said`) for each decision."""

    text: str
    notes: Notes = ()
    said: Texts = ()
