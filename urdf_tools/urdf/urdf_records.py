"""Typed records of a robot with all content of URDF, in SI units, each with its XML element as `source`; and its motion.

`None` means that the file does not contain the value, or not as numbers. Only rooms that edit XML or report lines use
`source`. Content outside URDF (unknown geometry or tags) can only be reached through it.
"""

from math import fsum
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.type_aliases import Pair
from ..base.diagnostics import Notes
from ..base.number_text import mapped_text, numbers_in
from ..base.record_type import Record
from .lossless_xml import Document, Element
from .spatial_math import compose, MassProperties, Transform, Poses, Vector

MOVABLE = ("revolute", "continuous", "prismatic")
WITH_AXIS = (*MOVABLE, "planar")
JOINT_TYPES = (*WITH_AXIS, "fixed", "floating")
# Numbers of a joint that change their sign with it, and the attribute that each becomes.
POSITIONS = {
    ("limit", "lower"): "upper",
    ("limit", "upper"): "lower",
    ("safety_controller", "soft_lower_limit"): "soft_upper_limit",
    ("safety_controller", "soft_upper_limit"): "soft_lower_limit",
    # Edges are for motion in the positive direction.
    ("calibration", "rising"): "falling",
    ("calibration", "falling"): "rising",
    ("calibration", "reference_position"): "reference_position",
    ("dynamics", "spring_reference"): "spring_reference",
}
# If one bound is written, the other is 0: urdfdom, joint.cpp.
READ_AS_ZERO = ("limit", "safety_controller")
INERTIA_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# The size attributes of each kind of geometry, with their counts of numbers; the scale of a mesh may be missing.
SIZES = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "mesh": (("scale", 3),),
}
NO_MASS = 1e-6  # [kg] exporters write 1e-9 kg for links that are only frames
ORIGIN_KEYS = ("xyz", "rpy", "quat_xyzw")
SPRING = ("spring_stiffness", "spring_reference")  # named as in SDF; some URDFs contain them too
# The elements of a joint in URDF: https://wiki.ros.org/urdf/XML/joint, and the <limit> of urdfdom 4.
OF_JOINT = {
    "parent": ("link",),
    "child": ("link",),
    "origin": ORIGIN_KEYS,
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"),
    "dynamics": ("damping", "friction", *SPRING),
    "mimic": ("joint", "multiplier", "offset"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("rising", "falling", "reference_position"),
}
# An <origin> in a link has no meaning, but exporters write it.
OF_LINK = ("inertial", "visual", "collision", "origin")


class AttributeEdit(Record):
    """A new value of an attribute of an element or its child; the attribute "" is the text.

    `child` is the name of the child, or `child/grandchild`, each made if missing. If the value is None, the element is
    removed.
    """

    element: Element
    attribute: str
    value: Optional[str]
    child: str = ""


class UrdfInertial(Record):
    """An `<inertial>`: its properties in the axes and from the origin of its link, and the rpy of its frame [rad]."""

    source: Element
    properties: MassProperties
    rpy: Vector


class UrdfShape(Record):
    """A `<visual>` or `<collision>` (`kind`): `pose` is T_link_shape, `drawn` the element in its `<geometry>`."""

    source: Element
    kind: str
    name: str
    pose: Transform
    drawn: Optional[Element]

    @property
    def mesh(self) -> str:
        """Return the file name of a mesh, or ""."""
        drawn = self.drawn
        if drawn is None or drawn.name != "mesh":
            return ""
        return (drawn.get("filename") or "").strip()

    @property
    def scale(self) -> Optional[Vector]:
        """Return the scale of a mesh; None if it is unreadable, or if the shape has no geometry."""
        drawn = self.drawn
        return numbers_in(drawn.get("scale") or "1 1 1", 3) if drawn is not None else None  # type: ignore[return-value]


class UrdfLink(Record):
    """A `<link>`."""

    name: str
    source: Element
    inertial: Optional[UrdfInertial]
    shapes: Tuple[UrdfShape, ...]

    @property
    def visuals(self) -> Tuple[UrdfShape, ...]:
        """Return its `<visual>` shapes."""
        return tuple(shape for shape in self.shapes if shape.kind == "visual")

    @property
    def collisions(self) -> Tuple[UrdfShape, ...]:
        """Return its `<collision>` shapes."""
        return tuple(shape for shape in self.shapes if shape.kind == "collision")

    @property
    def extras(self) -> List[Element]:
        """Return the other elements of the link: frames, sensors, contact parameters."""
        return [element for element in self.source.elements() if element.name not in OF_LINK]

    @property
    def mass(self) -> float:
        """Return the mass [kg], 0 without an `<inertial>`."""
        return self.inertial.properties.mass if self.inertial else 0.0


class Limit(Record):
    """A `<limit>`: the range [rad or m], and the greatest effort [N m or N] and velocity [rad/s or m/s]."""

    lower: Optional[float] = None
    upper: Optional[float] = None
    effort: Optional[float] = None
    velocity: Optional[float] = None


class Dynamics(Record):
    """A `<dynamics>`: damping [N m s/rad or N s/m] and dry friction [N m or N]."""

    damping: Optional[float] = None
    friction: Optional[float] = None


class Safety(Record):
    """A `<safety_controller>`: the soft range [rad or m] and two gains."""

    soft_lower_limit: Optional[float] = None
    soft_upper_limit: Optional[float] = None
    k_position: Optional[float] = None
    k_velocity: Optional[float] = None


class Calibration(Record):
    """A `<calibration>`: the positions of a reference mark [rad or m]."""

    rising: Optional[float] = None
    falling: Optional[float] = None
    reference_position: Optional[float] = None


class Mimic(Record):
    """A `<mimic>`: this joint's position is `multiplier` times the position of `joint` plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


class UrdfJoint(Record):
    """A `<joint>`; names need not be unique, so joints are identified by their child link.

    Attributes:
        origin: T_parent_child with the joint at zero.
        rpy: the rpy that `origin` was read from [rad].
        axis: the unit vector in the frame of the child; for a planar joint the normal; (1, 0, 0) for joints without
            axis.
        limit, dynamics, mimic, safety, calibration: None if the element is missing.
    """

    name: str
    source: Element
    type: str
    parent: str
    child: str
    origin: Transform
    rpy: Vector
    axis: Vector
    limit: Optional[Limit]
    dynamics: Optional[Dynamics]
    mimic: Optional[Mimic]
    safety: Optional[Safety]
    calibration: Optional[Calibration]

    @property
    def positions(self) -> Dict[Pair, float]:
        """Return the numbers that are positions of this joint, and so have its sign, by (element, attribute)."""
        limit = self.limit or Limit()
        safety = self.safety or Safety()
        mark = self.calibration or Calibration()
        values = (limit.lower, limit.upper, safety.soft_lower_limit, safety.soft_upper_limit, *mark)
        return {key: value for key, value in zip(POSITIONS, values) if value is not None}


class UrdfRobot(Record):
    """A whole URDF.

    Attributes:
        links: by name, in file order.
        joints: in file order.
        root: the name of the link without parent.
        tree: the joints, every parent before its children, otherwise in file order.
        warnings: about unusual content with a single possible meaning.
        repairs: edits that correct content that was wrong but understood.
        named: the joint that each name refers to (`first_that_moves`); above: the joint of each child link.
    """

    name: str
    document: Document
    links: Dict[str, UrdfLink]
    joints: Tuple[UrdfJoint, ...]
    root: str
    tree: Tuple[UrdfJoint, ...]
    warnings: Notes
    repairs: Tuple[AttributeEdit, ...]
    named: Dict[str, UrdfJoint]
    above: Dict[str, UrdfJoint]

    @property
    def shapes(self) -> List[Tuple[str, UrdfShape]]:
        """Return all shapes in file order, each with the name of its link."""
        shapes: List[Tuple[str, UrdfShape]] = []
        for name, link in self.links.items():
            shapes += [(name, shape) for shape in link.shapes]
        return shapes

    @property
    def mass(self) -> float:
        """Return the total mass [kg]."""
        return fsum(link.mass for link in self.links.values())


def first_that_moves(joints: Iterable[Tuple[str, UrdfJoint]]) -> Dict[str, UrdfJoint]:
    """Return the joint that each name refers to: among equal names the first movable joint, else the first joint."""
    named: Dict[str, UrdfJoint] = {}
    for name, joint in joints:
        if name not in named or named[name].type not in MOVABLE and joint.type in MOVABLE:
            named[name] = joint
    return named


def as_fixed(joint: UrdfJoint) -> UrdfJoint:
    """Return a joint as fixed: without limit, dynamics, mimic, safety and calibration."""
    if joint.type == "fixed":
        return joint
    return joint._replace(
        type="fixed", limit=None, dynamics=None, mimic=None, safety=None, calibration=None
    )


def defines(material: Element) -> bool:
    """Return True if a `<material>` has a color or an image."""
    return bool(material.elements("color") or material.elements("texture"))


def material_definitions(robot: UrdfRobot) -> Dict[str, Element]:
    """Return the material of each name: materials of the robot take precedence, then visuals in file order (urdfdom)."""
    definitions: Dict[str, Element] = {}
    visuals = [shape.source for _, shape in robot.shapes if shape.kind == "visual"]
    for owner in (robot.document.root, *visuals):
        for material in owner.elements("material"):
            name = material.get("name")
            if name and defines(material):
                definitions.setdefault(name, material)
    return definitions


class JointMap(Record):
    """The map of the position of a joint with one coordinate: q [rad or m] becomes sign * (q - zero)."""

    sign: int = 1
    zero: float = 0.0

    def text_of(self, position: str, *added: Sequence[str]) -> str:
        """Return the text of a mapped position, plus products (see `mapped_text`)."""
        products = list(added)
        if self.zero != 0.0:
            products.append(("-1", repr(self.zero)))
        return mapped_text(position, self.sign, *products)


AS_IT_WAS = JointMap()


def poses_at(robot: UrdfRobot, moved: Poses, T_world_root: Transform) -> Poses:
    """Return T_world_link by link; `moved` has, by child link, the motion of the joint in the child's frame."""
    T_world = {robot.root: T_world_root}
    for joint in robot.tree:
        T = compose(T_world[joint.parent], joint.origin)
        motion = moved.get(joint.child)
        T_world[joint.child] = compose(T, motion) if motion is not None else T
    return T_world
