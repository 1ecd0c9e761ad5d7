"""The robot as parsed from a file of any format: what every reader returns, and what is compared.

Lengths in meters, angles in radians, masses in kilograms. `T_a_b` maps points of frame b into frame a. All of it is
"as written": links keep their frames and names, nothing is merged, and joints are where the file draws them.
"""

from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TYPE_CHECKING

from ..base.types import Pair, Pairs, Reals, Texts
from ..base.record import Record
from ..urdf.spatial import IDENTITY_POSE, Transform, Vector, ZERO

if TYPE_CHECKING:
    from ..meshes.formats import ColoredTriangles

NOT_READ = "not read"
TURNING = ("revolute", "continuous")
SLIDING = ("prismatic",)
JOINT_TYPES = (*TURNING, *SLIDING, "fixed", "floating", "planar", "ball")
OUT_OF_REACH = 1e9  # rad, m, N m, ...: URDF demands efforts and velocities, and tools write this or more for none


# Of an element: path from the one around it, attributes, text.
Word = Tuple[str, Pairs, str]


# Reads a mesh in the file of a robot, its scale applied.
Inline = Callable[[], "Tuple[ColoredTriangles, ...]"]


Tensor = Tuple[float, float, float, float, float, float]  # xx, xy, xz, yy, yz, zz [kg m^2]
Rgba = Tuple[float, float, float, float]  # red, green, blue, alpha, each from 0 to 1
# Numbers by name of VALUES, as `formats/values.py` lists them: what is known of a part beside its fields.
Values = Dict[str, Reals]


class RawMass(Record):
    """Mass, center of mass and the tensor xx, xy, xz, yy, yz, zz [kg m^2] about the center, in the axes of the link.

    Attributes:
        T_link_inertial: the frame in which the file wrote the tensor, to name a rotation that A or B dropped.
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
        sizes: the full lengths x, y, z of a box; radius (and length); three radii; none; or the three scales.
        T_link_shape: the axis of cylinders, capsules and planes is z.
        file: of a mesh, as written; path: of the file that exists, else "".
        color: red, green, blue, alpha, each from 0 to 1; None: not written.
        script: the material of a simulator by its name, such as Gazebo/Blue.
        surface: friction and contact, or gloss, by name of VALUES.
        texture_path: of the image that exists, else "". A reader whose files name images relative to several folders
            gives the path, existing or not.
        inline: of a mesh that the file of the robot, or another layer of it, holds itself; `file` is then its name.
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

    @property
    def is_found(self) -> bool:
        """Return True for a mesh whose triangles can be read: from a file that exists, or inline."""
        return self.path != "" or self.inline is not None


class RawLink(Record):
    """A rigid body of the file, or a mere frame. `mass` is None where nothing is written.

    Attributes:
        values: other values, by name of VALUES: gravity, self_collide, velocity_decay.
        lumped_values: those that count where the link is one with those that fixed joints hold on it, None: its own.
    """

    name: str
    mass: Optional[RawMass] = None
    shapes: Tuple[RawShape, ...] = ()
    values: Mapping[str, Reals] = {}
    line: int = 0
    lumped_values: Optional[Mapping[str, Reals]] = None


class RawMimic(Record):
    """Position of a joint = multiplier * position of the leader + offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


class RawJoint(Record):
    """A joint: its child moves about, or along, a line.

    Attributes:
        type: of JOINT_TYPES.
        T_parent_child: at the position `reference`, in which the file draws the robot (0 but in MJCF).
        axis: of length 1, in the frame of the child; for a planar joint the normal. point: on it, in the same frame.
        lower, upper: None: no bound. effort, velocity: None: not written.
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

    @property
    def moves(self) -> bool:
        """Return True if its position is a single number."""
        return self.type in TURNING or self.type in SLIDING


class RawFrame(Record):
    """A named frame that is no link: a site, a `<frame>`."""

    name: str
    link: str
    T_link_frame: Transform = IDENTITY_POSE
    line: int = 0


class RawLoop(Record):
    """A constraint that closes a loop between two links: the points in each that stay together, or whole frames.

    Attributes:
        kind: point, frame, or the name that the format has for another kind.
        axis: in the frame of the first end, if the ends turn about it or slide along it.
        polynomial: a0, a1, ... of a follower that is no mimic: its position is the sum of a_k times the position of
            its leader to the power of k. The links are then the children of the follower and of its leader.
        words: of a `<joint>` in a `<gazebo>` of URDF, with all in it: SDF has it word for word.
    """

    name: str
    kind: str
    links: Pair
    T_link_end: Tuple[Transform, Transform]
    line: int = 0
    axis: Optional[Vector] = None
    polynomial: Reals = ()
    words: Tuple[Word, ...] = ()


class RawSensor(Record):
    """A sensor on a link, or in a joint (its `link` is then the child). `kind` as in Gazebo: imu, camera, ...

    Attributes:
        words: its other elements, word for word.
        readings: the elements that read it, each with its name, where a format has several for one sensor.
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
    """What drives a joint: motor, position, velocity, or the word of the format; its gains and ranges by name."""

    name: str
    kind: str
    joint: str
    values: Mapping[str, Reals] = {}
    line: int = 0


class RawKey(Record):
    """A named state: positions by joint, of each joint element where one joint has several.

    Attributes:
        places: T_world_link by name of a free link; by link of a ball joint, its T relative to the drawn pose.
        controls: the input of each actuator that is not 0, by its name.
    """

    positions: Mapping[str, float]
    places: Mapping[str, Transform] = {}
    controls: Mapping[str, float] = {}
    line: int = 0


VARIANT_SET = (
    "variantSet"  # where nothing of a set of variants of a USD is read, as none is selected
)


class UnreadElement(Record):
    """An element of the file that ended in no field: how it is written (`<gazebo reference="foot">`), and why.

    Attributes:
        words: of itself and all elements in it, or the attributes that were not read (their path is "").
        reference: the link or joint that the `<gazebo>` around it names.
        where: tags from the next element with a name to it; lines: where each of the words begins.
        steps: `tag name` of each element from below the root to it.
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
        format: urdf, mjcf, sdf, usd, json (of the model), armature; file: its path, for messages.
        links, joints: in the order of the file; they make one tree.
        base: free, fixed (to the world), or "" where the format or the file leaves it open.
        apart: pairs of links that never collide.
        gravity: of the world [m/s^2], None: not written.
        keys: named states.
        unread: what is in no field.
        notes: sentences about how the file was read, such as what was left out of a scene.
        T_file_root: where the file draws the root; a robot is the same wherever it is put, an export is not.
        decided: the decisions that the note of the run in the file lists, line by line.
        is_rooted: its root is a link of it though it may be a mere frame above a floating joint.
        digest: of the text that it was read from, "" of none.
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
    keys: Mapping[str, RawKey] = {}
    unread: Tuple[UnreadElement, ...] = ()
    notes: Texts = ()
    file: str = ""
    T_file_root: Transform = IDENTITY_POSE
    decided: Texts = ()
    is_rooted: bool = False
    digest: str = ""

    def with_each(self, **changes: Callable[[Any], Any]) -> "RawRobot":
        """Return the robot with each part changed by the function for its field, such as `links`."""
        parts: Any = {
            field: tuple(map(change, getattr(self, field))) for field, change in changes.items()
        }
        return self._replace(**parts)

    def with_shapes(self, changed: Callable[[RawShape], RawShape]) -> "RawRobot":
        """Return the robot with each of its shapes changed."""
        return self.with_each(
            links=lambda link: link._replace(shapes=tuple(map(changed, link.shapes)))
        )


def within_reach(value: Optional[float]) -> Optional[float]:
    """Return a bound of a joint, None for one that is out of reach."""
    return None if value is None or abs(value) >= OUT_OF_REACH else value


class ContactValue(Record):
    """The names of a contact value of a collision shape; "" where it has none.

    Sources: sdf/1.9/surface.sdf and collision.sdf of sdformat, and its src/parser_urdf.cc for `<gazebo>`.

    Attributes:
        name: its name in a comparison. field: its field in `model.Surface`.
        tag: its tag in `<gazebo reference=LINK>`. path: its path of tags in SDF's `<collision>`.
    """

    name: str
    field: str
    tag: str
    path: str


CONTACT_VALUES: Tuple[ContactValue, ...] = (
    ContactValue("mu1", "mu1", "mu1", "surface/friction/ode/mu"),
    ContactValue("mu2", "mu2", "mu2", "surface/friction/ode/mu2"),
    ContactValue("contact_stiffness", "kp", "kp", "surface/contact/ode/kp"),
    ContactValue("contact_damping", "kd", "kd", "surface/contact/ode/kd"),
    ContactValue("min_depth", "min_depth", "minDepth", "surface/contact/ode/min_depth"),
    ContactValue("max_velocity", "max_vel", "maxVel", "surface/contact/ode/max_vel"),
    ContactValue("direction1", "fdir1", "fdir1", "surface/friction/ode/fdir1"),
    ContactValue("max_contacts", "max_contacts", "maxContacts", "max_contacts"),
    ContactValue("laser_retro", "laser_retro", "laserRetro", "laser_retro"),
    ContactValue("restitution", "restitution", "", "surface/bounce/restitution_coefficient"),
    ContactValue("slip1", "", "", "surface/friction/ode/slip1"),
    ContactValue("slip2", "", "", "surface/friction/ode/slip2"),
)
# Siblings of `<surface>`; of several values an earlier one may count.
BESIDE_SURFACE = ("max_contacts", "laser_retro")
VECTOR = "direction1"  # the other values are single numbers


def contact_names(key: str, value: str) -> Dict[str, str]:
    """Return a dictionary from a column of the table to another, such as from `tag` to `field`."""
    rows = [row._asdict() for row in CONTACT_VALUES]
    return {row[key]: row[value] for row in rows if row[key] and row[value]}
