"""The poses, masses and motions of a URDF for the proof, read from the attributes as they are written.

This module shares no code with the reader. The reader has already refused every fault, so this module does not.
"""

from __future__ import annotations

import math
import random
from bisect import insort
from functools import lru_cache
from typing import Collection, Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.number_text import grouped, read_numbers
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element
from ..urdf.urdf_records import INERTIA_KEYS, OF_LINK
from ..urdf.spatial_math import IDENTITY, IDENTITY_POSE, Matrix, Transform, Poses, Vector, ZERO
from .rigid_motion import axis_rotation, composed, minus, quaternion_rotation, rpy_rotation, rotated

SHAPES = ("visual", "collision")
TURNING = ("revolute", "continuous")
SLIDING = ("prismatic",)

# Mass [kg], center x, y, z in the world [m], tensor xx, xy, xz, yy, yz, zz about the center [kg m^2].
Mass = Reals


class ProofJoint(Record):
    """A `<joint>`: `origin` is T_parent_child at zero, `axis` has length 1 and is in the frame of the child.

    `mimic` is the leader, the multiplier and the offset.
    """

    name: str
    element: Element
    type: str
    parent: str
    child: str
    origin: Transform
    axis: Vector
    mimic: Optional[Tuple[str, float, float]]

    @property
    def moves(self) -> bool:
        """Return True if the position of the joint is a single number."""
        return self.type in TURNING or self.type in SLIDING


class ProofRobot(Record):
    """A robot as the proof reads it.

    Attributes:
        links: by name, in file order.
        joints: by child link, in file order.
        named: by name, the first joint that moves, else the first joint.
        tree: the joints, each after its ancestors.
        T_world: by link, T_world_link at zero.
        others: by link, its child elements that URDF does not define, if any.
    """

    document: Document
    links: Dict[str, Element]
    joints: Dict[str, ProofJoint]
    named: Dict[str, ProofJoint]
    root: str
    tree: Tuple[ProofJoint, ...]
    T_world: Poses
    others: Dict[str, List[Element]]

    @property
    def locked(self) -> List[str]:
        """Return the child links of the joints that an edit fixes, whose type differs from the text."""
        return [
            child
            for child, joint in self.joints.items()
            if joint.type != joint.element.attributes["type"]
        ]

    @property
    def dropped(self) -> List[str]:
        """Return the links of the document that are not links of this robot."""
        return [
            link.attributes["name"]
            for link in self.document.root.elements("link")
            if link.attributes["name"] not in self.links
        ]


def numbers_of(text: Optional[str], count: int) -> Reals:
    """Return the numbers of a text, zeros for None.

    Raises:
        ValueError: the text does not have `count` numbers, or a number is nan, which is not equal to itself.
    """
    if text is None:
        return (0.0,) * count
    try:
        values = tuple(map(float, text.split()))
        if len(values) == count and not any(map(math.isnan, values)):
            return values
    except ValueError:
        pass
    return read_numbers(text, count, float("inf"))  # commas in the place of blanks


def number_of(text: Optional[str]) -> float:
    """Return the number of a text, 0 for None."""
    return numbers_of(text, 1)[0]


def vector_of(text: Optional[str]) -> Vector:
    """Return the three numbers of a text, zeros for None."""
    x, y, z = numbers_of(text, 3)
    return (x, y, z)


def pose_of_origin(origin: Optional[Element]) -> Transform:
    """Return the pose of an `<origin>` by its xyz and rpy, or xyz and quat_xyzw."""
    if origin is None or not origin.attributes:
        return IDENTITY_POSE
    written = origin.attributes
    xyz = vector_of(origin.attributes.get("xyz"))
    rotation = IDENTITY
    if "quat_xyzw" in written:
        quaternion = numbers_of(written["quat_xyzw"], 4)
        if any(quaternion):
            rotation = quaternion_rotation(quaternion)
    elif "rpy" in written:
        rotation = _rotation_of(written["rpy"])
    return Transform(rotation, xyz)


@lru_cache(maxsize=4096)
def _rotation_of(rpy: str) -> Matrix:
    """Return the rotation of an rpy text; it is cached, because CAD exports have only a few different texts."""
    return rpy_rotation(*vector_of(rpy))


def read_raw(document: Document, T_world_root: Transform) -> ProofRobot:
    """Return the robot of a URDF that the reader has accepted."""
    links = {top.attributes["name"]: top for top in document.root.elements("link")}
    return assembled(
        document, links, [*map(_raw_joint, document.root.elements("joint"))], T_world_root
    )


def assembled(
    document: Document,
    links: Dict[str, Element],
    joints: Sequence[ProofJoint],
    T_world_root: Transform,
) -> ProofRobot:
    """Return the robot of links and joints in file order."""
    joints_at = grouped((joint.parent, i) for i, joint in enumerate(joints))
    by_child = {joint.child: joint for joint in joints}
    root = next(name for name in links if name not in by_child)
    tree: List[ProofJoint] = []
    T_world = {root: T_world_root}
    waiting = joints_at.get(root, [])[:]
    # In file order as far as possible: of joints with the same name, the first is the leader.
    while waiting:
        joint = joints[waiting.pop(0)]
        tree.append(joint)
        T_world[joint.child] = composed(T_world[joint.parent], joint.origin)
        for i in joints_at.get(joint.child, ()):
            insort(waiting, i)
    unknown_elements = {name: undefined_in(link, OF_LINK) for name, link in links.items()}
    return ProofRobot(
        document=document,
        links=links,
        joints=by_child,
        named=named_in(joints),
        root=root,
        tree=tuple(tree),
        T_world=T_world,
        others={name: elements for name, elements in unknown_elements.items() if elements},
    )


def undefined_in(top: Element, defined: Collection[str]) -> List[Element]:
    """Return the child elements of a robot, link or joint without the defined tags."""
    return [part for part in top.elements() if part.name not in defined]


def named_in(joints: Collection[ProofJoint]) -> Dict[str, ProofJoint]:
    """Return the joint of each name: the first that moves, else the first."""
    # In reverse, so that the first joint with a name wins, and a joint that moves wins over joints that do not.
    backwards = [*joints][::-1]
    return {
        joint.name: joint for joint in (*backwards, *(joint for joint in backwards if joint.moves))
    }


def _raw_joint(element: Element) -> ProofJoint:
    """Return a joint with the values of its text."""
    # Readers take the first of several equal tags, so the list is read backwards.
    first_parts = {part.name: part for part in reversed(element.elements())}
    kind = element.attributes["type"]
    axis = (1.0, 0.0, 0.0)
    mimic = None
    # Readers ignore the axis of a fixed or floating joint.
    if (
        "axis" in first_parts
        and "xyz" in first_parts["axis"].attributes
        and kind not in ("fixed", "floating")
    ):
        axis = _direction(vector_of(first_parts["axis"].attributes["xyz"]))
    mimic_attributes = first_parts["mimic"].attributes if "mimic" in first_parts else {}
    if mimic_attributes.get("joint") and (kind in TURNING or kind in SLIDING):
        mimic = (
            mimic_attributes["joint"],
            number_of(mimic_attributes.get("multiplier", "1")),
            number_of(mimic_attributes.get("offset")),
        )
    return ProofJoint(
        name=element.attributes["name"],
        element=element,
        type=kind,
        parent=first_parts["parent"].attributes["link"],
        child=first_parts["child"].attributes["link"],
        origin=pose_of_origin(first_parts.get("origin")),
        axis=axis,
        mimic=mimic,
    )


def _direction(v: Vector) -> Vector:
    """Return a vector scaled to length 1."""
    largest = max(map(abs, v))
    x, y, z = (part / largest for part in v)  # scaled first, because the square of 1e-200 is 0
    size = math.hypot(x, y, z)
    return (x / size, y / size, z / size)


def shapes_in(link: Element) -> List[Element]:
    """Return each `<visual>` and `<collision>` of a link."""
    return [child for child in link.elements() if child.name in SHAPES]


def reach_of(link: Element) -> float:
    """Return the largest distance [m] of a shape or center of mass of a link from its frame."""
    origins = [
        child.find("origin") for child in link.elements() if child.name in (*SHAPES, "inertial")
    ]
    places = [vector_of(origin.get("xyz")) for origin in origins if origin is not None]
    return max((math.hypot(*place) for place in places), default=0.0)


def mass_in(link: Element, T_world_link: Transform) -> Optional[Mass]:
    """Return the mass of a link in the world, None without an `<inertial>`."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    mass = inertial.find("mass")
    inertia = inertial.find("inertia")
    T = composed(T_world_link, pose_of_origin(inertial.find("origin")))
    written = inertia.attributes if inertia is not None else {}
    xx, xy, xz, yy, yz, zz = numbers_of(
        " ".join([written.get(key, "0") for key in INERTIA_KEYS]), 6
    )
    if T.rotation is not IDENTITY:
        # The tensor in the world is R I R^T, row by row (R I) times a row of R.
        a, b, c = T.rotation
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        RI = (rotated(tensor, a), rotated(tensor, b), rotated(tensor, c))
        xx, xy, xz = rotated(RI, a)
        _, yy, yz = rotated(RI, b)
        _, _, zz = rotated(RI, c)
    kilograms = number_of(mass.get("value")) if mass is not None else 0.0
    return (kilograms, *T.translation, xx, xy, xz, yy, yz, zz)


def moments_about(point: Vector, masses: Iterable[Mass]) -> Reals:
    """Return the mass [kg], first moments x, y, z [kg m] and second moments xx, yy, zz, xy, xz, yz [kg m^2] about a point.

    A part at the offset d adds m, m d, and I + m (|d|^2 1 - d d^T), independent of the other parts.
    """
    total = [0.0] * 10
    for m, x, y, z, xx, xy, xz, yy, yz, zz in masses:
        x, y, z = minus((x, y, z), point)
        first = (m, m * x, m * y, m * z)
        diagonal = (xx + m * (y * y + z * z), yy + m * (x * x + z * z), zz + m * (x * x + y * y))
        products = (xy - m * x * y, xz - m * x * z, yz - m * y * z)
        part = (*first, *diagonal, *products)
        total = [old + added for old, added in zip(total, part)]
    return tuple(total)


def world_motion(
    joint: ProofJoint, T_world_child: Transform, position: float, generator: random.Random
) -> Transform:
    """Return the motion of a joint's child in the world, from its pose T_world_child at zero to a position.

    A planar or floating joint makes a random motion.
    """
    axis = rotated(T_world_child.rotation, joint.axis)
    shift = ZERO
    if joint.type in SLIDING:
        return Transform(IDENTITY, (position * axis[0], position * axis[1], position * axis[2]))
    # Planar or floating: a random angle, and a shift in the plane or in space.
    if joint.type not in TURNING:
        position, x, y, z = (generator.uniform(-1.0, 1.0) for _ in range(4))
        if joint.type == "floating":
            axis = _direction((x, y, z))
        along = x * axis[0] + y * axis[1] + z * axis[2] if joint.type == "planar" else 0.0
        shift = (x - along * axis[0], y - along * axis[1], z - along * axis[2])
    R = axis_rotation(axis, position)
    center = T_world_child.translation
    # A turn about c moves the origin by c - R c.
    x, y, z = minus(center, rotated(R, center))
    return Transform(R, (x + shift[0], y + shift[1], z + shift[2]))


def raw_positions(robot: ProofRobot, free: Dict[str, float]) -> Dict[str, float]:
    """Return the position of every joint by child link: given, or by its mimic rule; a circle of followers is cut open."""
    positions: Dict[str, float] = {}
    for joint in robot.joints.values():
        waiting: List[Tuple[str, str, float, float]] = []
        while joint.child not in positions:
            name, factor, shift = joint.mimic or ("", 0.0, 0.0)
            leader = robot.named.get(name)
            # A leader that is already waiting closes a circle.
            if leader is None or leader.child in (
                joint.child,
                *(follower[0] for follower in waiting),
            ):
                positions[joint.child] = free[joint.child] if joint.moves else 0.0
            else:
                waiting.append((joint.child, leader.child, factor, shift))
                joint = leader
        for child, leading, factor, shift in reversed(waiting):
            positions[child] = factor * positions[leading] + shift
    return positions
