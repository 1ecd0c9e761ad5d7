"""The robot as parsed from a file of any format: every reader returns it, and comparisons start from it.

Lengths are in meters, angles in radians, masses in kilograms. `T_a_b` maps points of frame b into frame a. The robot is
"as written": links keep their frames and names, nothing is merged, and joints are at the positions that the file draws.
"""

from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TYPE_CHECKING

from ..base.type_aliases import Pair, Pairs, Reals, Texts
from ..base.record_type import Record
from ..urdf.spatial_math import IDENTITY_POSE, Transform, Vector, ZERO

if TYPE_CHECKING:
    from ..meshes.mesh_readers import ColoredTriangles

NOT_READ = "not read"
TURNING = ("revolute", "continuous")
SLIDING = ("prismatic",)
JOINT_TYPES = (*TURNING, *SLIDING, "fixed", "floating", "planar", "ball")
OUT_OF_REACH = 1e9  # [rad, m, N m, ...] URDF requires efforts and velocities, and tools write this or more for "no limit"


# An element: its path from the enclosing element, its attributes, its text.
Word = Tuple[str, Pairs, str]


# Returns a mesh in the file of a robot, with its scale applied.
Inline = Callable[[], "Tuple[ColoredTriangles, ...]"]


Tensor = Tuple[float, float, float, float, float, float]  # xx, xy, xz, yy, yz, zz [kg m^2]
Rgba = Tuple[float, float, float, float]  # red, green, blue, alpha, each from 0 to 1
# Further values of a part by name of VALUES, the list in `formats/format_values.py`.
Values = Dict[str, Reals]


class RawMass(Record):
    """The mass, the center of mass, and the tensor [kg m^2] about the center in the axes of the link.

    Attributes:
        T_link_inertial: the frame in which the file wrote the tensor; a comparison shows by it that a rotation was lost.
    """

    mass: float
    center: Vector
    tensor: Tensor
    T_link_inertial: Transform = IDENTITY_POSE
    line: int = 0


class RawShape(Record):
    """A visual or a collision.

    Attributes:
        role: visual or collision.
        geometry: box, sphere, cylinder, capsule, ellipsoid, plane, or mesh.
        sizes: a box: full lengths x, y, z; a sphere: radius; a cylinder or capsule: radius and length; an ellipsoid:
            three radii; a plane: (); a mesh: the three scales.
        T_link_shape: the axis of cylinders, capsules and planes is z.
        file: the name of the mesh, as written.
        path: the path of the mesh if it exists, else "".
        color: red, green, blue, alpha, each from 0 to 1; None: not written.
        script: the material of a simulator by its name, such as Gazebo/Blue.
        surface: friction and contact, or gloss, by name of VALUES.
        direction_link: the link along whose axes `direction1` of the surface lies; "": along the axes of the shape.
        texture_path: the path of the image if it exists, else "". A reader whose files name images relative to several
            folders always sets the path.
        inline: the reader of a mesh that is inside the file of the robot, or in another layer; `file` is its name.
    """

    role: str
    geometry: str
    sizes: Reals
    T_link_shape: Transform = IDENTITY_POSE
    name: str = ""
    file: str = ""
    path: str = ""
    color: Optional[Rgba] = None
    texture: str = ""
    script: str = ""
    surface: Mapping[str, Reals] = {}
    line: int = 0
    texture_path: str = ""
    inline: Optional[Inline] = None
    direction_link: str = ""

    @property
    def is_found(self) -> bool:
        """Return True for a mesh whose triangles can be read: from a file that exists, or inline."""
        return self.path != "" or self.inline is not None


class RawLink(Record):
    """A rigid body of the file, or a mere frame. `mass` is None if it is not written.

    Attributes:
        values: other values, by name of VALUES: gravity, self_collide, velocity_decay.
        lumped_values: the values that count if links on fixed joints are lumped, as in sdformat; None: its own values.
    """

    name: str
    mass: Optional[RawMass] = None
    shapes: Tuple[RawShape, ...] = ()
    values: Mapping[str, Reals] = {}
    line: int = 0
    lumped_values: Optional[Mapping[str, Reals]] = None


class RawMimic(Record):
    """The rule of a follower: its position = multiplier * position of the leader + offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


class RawJoint(Record):
    """A joint, whose child moves about, or along, a line.

    Attributes:
        type: one of JOINT_TYPES.
        T_parent_child: the pose at the position `reference`, at which the file draws the robot (0 except in MJCF).
        axis: of length 1, in the frame of the child; for a planar joint the normal.
        point: a point of the axis, in the frame of the child.
        lower, upper: None: no bound.
        effort, velocity: None: not written.
        has_unwritten_limits: a `<limit>` of a URDF has neither end: both count as 0, and do not move with the zero.
        values: dynamics and other values, by name of VALUES.
    """

    name: str
    type: str
    parent: str
    child: str
    T_parent_child: Transform = IDENTITY_POSE
    axis: Vector = (1.0, 0.0, 0.0)
    point: Vector = ZERO
    reference: float = 0.0
    lower: Optional[float] = None
    upper: Optional[float] = None
    effort: Optional[float] = None
    velocity: Optional[float] = None
    mimic: Optional[RawMimic] = None
    values: Mapping[str, Reals] = {}
    line: int = 0
    has_unwritten_limits: bool = False

    @property
    def moves(self) -> bool:
        """Return True if the position of the joint is a single number."""
        return self.type in TURNING or self.type in SLIDING


class RawFrame(Record):
    """A named frame that is not a link: a site, a `<frame>`."""

    name: str
    link: str
    T_link_frame: Transform = IDENTITY_POSE
    line: int = 0


class RawLoop(Record):
    """A constraint that closes a loop between two links: their ends, points or whole frames, stay together.

    Attributes:
        kind: point, frame, or the format's name of another kind.
        axis: the axis about which the ends turn or along which they slide, in the frame of the first end.
        polynomial: a0, a1, ... of a follower that is not a mimic: its position is the sum of a_k times the position of
            its leader to the power of k. The links are then the children of the follower and of its leader.
        bounds: of a joint that closes it: its `lower`, `upper`, `effort` and `velocity`, as far as they are written.
        values: dynamics and other values of such a joint, by name of VALUES.
        words: a `<joint>` in a `<gazebo>` of URDF and its descendants, which SDF copies word for word.
    """

    name: str
    kind: str
    links: Pair
    T_link_end: Tuple[Transform, Transform]
    line: int = 0
    axis: Optional[Vector] = None
    polynomial: Reals = ()
    bounds: Mapping[str, float] = {}
    values: Mapping[str, Reals] = {}
    words: Tuple[Word, ...] = ()


class RawSensor(Record):
    """A sensor on a link, or in a joint (then `link` is the child). `kind` is as in Gazebo: imu, camera, ...

    Attributes:
        words: its other elements, word for word.
        readings: the elements that read it, each with its name, if a format has several for a sensor.
    """

    name: str
    kind: str
    link: str
    joint: str = ""
    T_link_sensor: Transform = IDENTITY_POSE
    rate: Optional[float] = None
    values: Mapping[str, Reals] = {}
    words: Tuple[Word, ...] = ()
    line: int = 0
    readings: Texts = ()


class RawActuator(Record):
    """An actuator of a joint: motor, position, velocity, or the word of the format; its gains and ranges by name."""

    name: str
    kind: str
    joint: str
    values: Mapping[str, Reals] = {}
    line: int = 0


class RawNamedState(Record):
    """A named state: the position of each joint element of the file, by name.

    Attributes:
        places: T_world_link of a free link, by its name; for a ball joint, the motion from the drawn pose, by its child.
        controls: the nonzero inputs of actuators, by name.
    """

    positions: Mapping[str, float]
    places: Mapping[str, Transform] = {}
    controls: Mapping[str, float] = {}
    line: int = 0


VARIANT_SET = "variantSet"  # the place of a variant set of a USD that is not read because no variant is selected


class UnreadElement(Record):
    """An element of the file that was not read into a field: its text (`<gazebo reference="foot">`), and why.

    Attributes:
        words: the element and its descendants, or the attributes that were not read (their path is "").
        reference: the link or joint that the `<gazebo>` around it names.
        where: the tags from the nearest ancestor with a name to it.
        lines: the line of each of the words.
        steps: `tag name` of each element on the way from the root to it, without the root.
    """

    element: str
    why: str
    line: int = 0
    words: Tuple[Word, ...] = ()
    reference: str = ""
    where: str = ""
    lines: Tuple[int, ...] = ()
    steps: Texts = ()


class RawRobot(Record):
    """A robot as parsed from a file.

    Attributes:
        format: urdf, mjcf, sdf, usd, json (of the model), armature.
        file: the path of the file, for messages.
        links, joints: in the order of the file; they form one tree.
        base: free, fixed (to the world), or "" if the format or the file leaves it open.
        apart: pairs of links that never collide.
        gravity: the gravity of the world [m/s^2], None: not written.
        keys: the named states.
        unread: the elements that are not in a field.
        notes: sentences on the reading of the file, such as parts of a scene that were left out.
        T_file_root: the pose of the root in the file; comparisons ignore it, exports do not.
        decided: the decisions in the run's note in the file, line by line.
        is_rooted: the root is a link of the robot, even if it is a mere frame above a floating joint.
        digest: the digest of the text of the file, "" without a text.
    """

    format: str
    name: str
    links: Tuple[RawLink, ...]
    joints: Tuple[RawJoint, ...] = ()
    frames: Tuple[RawFrame, ...] = ()
    loops: Tuple[RawLoop, ...] = ()
    sensors: Tuple[RawSensor, ...] = ()
    actuators: Tuple[RawActuator, ...] = ()
    base: str = ""
    apart: Pairs = ()
    gravity: Optional[Vector] = None
    keys: Mapping[str, RawNamedState] = {}
    unread: Tuple[UnreadElement, ...] = ()
    notes: Texts = ()
    file: str = ""
    T_file_root: Transform = IDENTITY_POSE
    decided: Texts = ()
    is_rooted: bool = False
    digest: str = ""

    def with_each(self, **changes: Callable[[Any], Any]) -> "RawRobot":
        """Return the robot after a function has changed each part of a field, such as `links`."""
        parts: Any = {
            field: tuple(map(change, getattr(self, field))) for field, change in changes.items()
        }
        return self._replace(**parts)

    def with_shapes(self, changed: Callable[[RawShape], RawShape]) -> "RawRobot":
        """Return the robot after a function has changed each of its shapes."""
        return self.with_each(
            links=lambda link: link._replace(shapes=tuple(map(changed, link.shapes)))
        )


def within_reach(value: Optional[float]) -> Optional[float]:
    """Return a bound of a joint, None if it is out of reach."""
    return None if value is None or abs(value) >= OUT_OF_REACH else value
