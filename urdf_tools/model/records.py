"""The robot as other programs see it: typed records that are never changed, only replaced."""
from math import fsum
from typing import Dict, NamedTuple, Optional, Tuple, Union

from ..base.diagnostics import Diagnostic
from .geometry import Mesh
from ..urdf.model import Calibration, Dynamics, Limit, Mimic, MOVABLE, Safety
from ..urdf.spatial import MassProperties, Vector
from .inertia import Inertial, mass_by_density, NO_MASS
from .pose import Pose
from .shapes import Collision, Material, Part, pieces, Visual

JOINT_TYPES = (*MOVABLE, "fixed", "floating", "planar", "ball")


class Spring(NamedTuple):
    """A spring in a joint: stiffness [N/m or N m/rad], and the position where it rests."""

    stiffness: float
    reference: float = 0.0


class Link(NamedTuple):
    """A rigid body.

    Attributes:
        self_collide, gravity: None leaves it to the simulator.
        velocity_decay: the part of its speed that a step of the simulator takes, both of the linear and the angular.
        extensions: XML that is neither URDF nor known here, element by element; one named `link` holds attributes, one
            named as a part of URDF what belongs into that part.
    """

    name: str
    inertial: Optional[Inertial] = None
    visuals: Tuple[Visual, ...] = ()
    collisions: Tuple[Collision, ...] = ()
    self_collide: Optional[bool] = None
    gravity: Optional[bool] = None
    velocity_decay: Optional[float] = None
    extensions: Tuple[str, ...] = ()

    @property
    def shapes(self) -> Tuple[Union[Visual, Collision], ...]:
        """The visuals, then the collisions."""
        return (*self.visuals, *self.collisions)

    @property
    def placed_pieces(self) -> "Tuple[Tuple[str, int, Union[Visual, Collision], Part], ...]":
        """Every piece of a shape: visual or collision, its place among the pieces of those, the shape, the piece."""
        return tuple((kind, place, shape, part) for kind, shapes in (
            ("visual", self.visuals), ("collision", self.collisions)) for place, (shape, part) in enumerate(
            (shape, part) for shape in shapes for part in pieces(shape.geometry, shape.origin)))

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, center and tensor in the axes of the link: of its inertial, else of its densities, else nothing.

        Raises:
            ValueError: a density on a shape whose volume is not known.
        """
        return self.inertial.in_link_frame() if self.inertial else mass_by_density(self.collisions) or NO_MASS

    @property
    def weight(self) -> MassProperties:
        """What `mass_properties` was called until 0.2."""
        return self.mass_properties


class Joint(NamedTuple):
    """How a link hangs on another.

    Attributes:
        type: revolute, continuous, prismatic, fixed, floating, planar, or ball.
        origin: the pose of the child in the parent with the joint at zero.
        axis: unit vector in the frame of the child; for a planar joint the normal.
        armature: inertia of the rotor as the joint feels it [kg m^2 or kg].
        extensions: as those of a link.
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
    extensions: Tuple[str, ...] = ()

    @property
    def range(self) -> Optional[Tuple[float, float]]:
        """The positions allowed, with 0 for a bound that is not written, as URDF says; None: any position."""
        if self.type not in ("revolute", "prismatic") or self.limit is None:
            return None
        return (self.limit.lower or 0.0, self.limit.upper or 0.0)


class Camera(NamedTuple):
    """What a camera sees: horizontal field of view [rad] and size of the image in pixels."""

    horizontal_fov: float
    width: int
    height: int


class Lidar(NamedTuple):
    """The horizontal rays of a lidar: their number, angles [rad] and range [m]."""

    samples: int
    min_angle: float
    max_angle: float
    min_range: float
    max_range: float


class Sensor(NamedTuple):
    """A sensor on a link, or in a joint (force and torque between its links).

    Attributes:
        type: as gz names it: imu, camera, gpu_lidar, force_torque, contact, ...
        origin: its pose in the link; in a joint: in the child link.
        rate: [Hz].
        xml: the `<sensor>` that it was read from, for all that is not in the fields above; these win.
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


class Actuator(NamedTuple):
    """What drives a joint.

    Attributes:
        type: motor (its input is an effort), position or velocity (a servo).
        gear: effort of the joint for each unit of the motor's input.
        reduction: `<mechanicalReduction>` of a transmission; ROS commands at the joint, so it is no gear.
        kp, kv: gains of a servo.
        force_range: of the effort at the joint; control_range: of the input.
        source: transmission, ros2_control, or "".
        xml: the `<transmission>` it was read from; the fields win.
    """

    name: str
    joint: str
    type: str = "motor"
    gear: Optional[float] = None
    reduction: Optional[float] = None
    kp: Optional[float] = None
    kv: Optional[float] = None
    force_range: Optional[Tuple[float, float]] = None
    control_range: Optional[Tuple[float, float]] = None
    source: str = ""
    xml: str = ""


class Robot(NamedTuple):
    """A robot: one tree of links and joints, and what is said about them.

    What programs use is `model.Robot`, the same record with its readers and writers as methods (see `model_api`).

    Attributes:
        extensions: XML of the robot that is not known here, element by element, as in a link.
    """

    name: str
    links: Tuple[Link, ...]
    joints: Tuple[Joint, ...] = ()
    materials: Tuple[Material, ...] = ()
    sensors: Tuple[Sensor, ...] = ()
    actuators: Tuple[Actuator, ...] = ()
    extensions: Tuple[str, ...] = ()

    @property
    def mass(self) -> float:
        """The total mass [kg]."""
        return fsum(link.mass_properties.mass for link in self.links)

    @property
    def meshes(self) -> Tuple[Mesh, ...]:
        """Every mesh with its scale once, sorted."""
        return tuple(sorted({part.geometry for link in self.links for shape in link.shapes
                             for part in pieces(shape.geometry, shape.origin) if isinstance(part.geometry, Mesh)}))


def material_meanings(robot: Robot) -> Dict[str, Material]:
    """Return what a material name alone means: materials of the robot come first, then those of shapes, in order.

    No name means nothing (urdfdom, model.cpp: a shape whose material has no name is not given one).
    """
    found: Dict[str, Material] = {}
    for material in (*robot.materials, *(visual.material for link in robot.links for visual in link.visuals)):
        if material is not None and material.name and material != Material(material.name):
            found.setdefault(material.name, material)
    return found


class Written(NamedTuple):
    """A text made of a robot: what it lacks or has otherwise, and what was decided for it, one sentence each."""

    text: str
    notes: Tuple[Diagnostic, ...] = ()
    said: Tuple[str, ...] = ()
