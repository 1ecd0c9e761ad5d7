"""What a robot is: records of links, joints and shapes, each tied to its element of the document."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from .lossless_xml import Document, Element
from .spatial import MassProperties, Pose, Vector

MOVABLE = ("revolute", "continuous", "prismatic")
WITH_AXIS = (*MOVABLE, "planar")
JOINT_TYPES = (*WITH_AXIS, "fixed", "floating")
OF_LINK = ("inertial", "visual", "collision", "origin")  # an <origin> in a link means nothing, yet exporters write it


class Notice(NamedTuple):
    """Something a user should know: one sentence, and the line of the input it is about (0: the whole file)."""

    line: int
    message: str
    kind: str = ""


class Repair(NamedTuple):
    """A number that was understood although it was written wrongly, and how it should have been written."""

    element: Element
    attribute: str
    text: str


class Inertial(NamedTuple):
    """An `<inertial>`: its properties in the axes and from the origin of its link frame."""

    element: Element
    properties: MassProperties
    turned: bool  # the inertial frame has an rpy of its own


class Shape(NamedTuple):
    """A `<visual>` or `<collision>`: `pose` is T_link_shape, `geometry` the mesh, box, ... inside (if there is one)."""

    element: Element
    pose: Pose
    geometry: Optional[Element]

    @property
    def mesh(self) -> str:
        """The file name of a mesh, or ""."""
        if self.geometry is None or self.geometry.name != "mesh":
            return ""
        return self.geometry.get("filename") or ""


class Link(NamedTuple):
    """A `<link>`."""

    name: str
    element: Element
    inertial: Optional[Inertial]
    shapes: Tuple[Shape, ...]

    @property
    def extras(self) -> List[Element]:
        """Whatever else stands in the link: frames, sensors, contact parameters."""
        return [element for element in self.element.elements() if element.name not in OF_LINK]

    @property
    def mass(self) -> float:
        """The mass [kg], 0 without an `<inertial>`."""
        return self.inertial.properties.mass if self.inertial else 0.0


class Mimic(NamedTuple):
    """A `<mimic>`: this joint's position is `multiplier` times that of `joint` plus `offset`."""

    joint: str
    multiplier: float
    offset: float


class Joint(NamedTuple):
    """A `<joint>`; names need not be unique, so joints are told apart by their child link.

    Attributes:
        origin: T_parent_child with the joint at zero.
        rpy: the rpy that `origin` was read from [rad].
        axis: unit vector in the frame of the child; for a planar joint the normal. (1, 0, 0) where it means nothing.
        numbers: every number of limit, safety_controller, calibration that is present, as (element, attribute).
    """

    name: str
    element: Element
    type: str
    parent: str
    child: str
    origin: Pose
    rpy: Vector
    axis: Vector
    mimic: Optional[Mimic]
    numbers: Dict[Tuple[str, str], float]


class Robot(NamedTuple):
    """A whole URDF.

    Attributes:
        links: by name, in file order.
        joints: in file order.
        root: the name of the link without parent.
        tree: the joints, every parent before its children, otherwise in file order.
        warnings, repairs: what was odd but had one possible meaning.
    """

    name: str
    document: Document
    links: Dict[str, Link]
    joints: Tuple[Joint, ...]
    root: str
    tree: Tuple[Joint, ...]
    warnings: Tuple[Notice, ...]
    repairs: Tuple[Repair, ...]

    @property
    def mass(self) -> float:
        """The total mass [kg]."""
        return sum(link.mass for link in self.links.values())
