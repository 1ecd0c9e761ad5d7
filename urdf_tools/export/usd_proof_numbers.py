"""Which float32 numbers stand for those of the robot: the robot with its numbers rounded as USD does."""

from __future__ import annotations

import struct
from typing import AbstractSet, Dict, NoReturn, Optional

from ..base.errors import ProofFailed
from ..compare.joint_differences import composed_mimics
from ..formats.usd.stage_joints import RADIANS
from ..formats.usd.write_prims import ZERO_TENSOR
from ..robot.records import (
    RawJoint,
    RawLink,
    RawMimic,
    RawRobot,
    RawShape,
    TURNING,
)

FLOAT32 = struct.Struct("<f")
DEGREES = 57.29577951308232  # in a radian
# Not written for several coordinates.
OF_SEVERAL = ("damping", "friction", "armature", "stiffness", "spring_reference")
SINGLE = 1e-6  # of a number that is computed of several float32 numbers, each rounded by 6e-8


def fail(sentence: str) -> NoReturn:
    """Refuse what was written.

    Raises:
        ProofFailed: always.
    """
    raise ProofFailed(f"USD: {sentence}")


def nearest(value: float) -> float:
    """Return the nearest float32, by the machine's own conversion."""
    return float(FLOAT32.unpack(FLOAT32.pack(value))[0]) + 0.0


def rounded(robot: RawRobot, written: RawRobot, shown: AbstractSet[str]) -> RawRobot:
    """Return the robot with all numbers as they are in USD; `shown` are meshes whose files show images."""
    bodies = {link.name for link in written.links if link.mass is not None}
    # Reversed: of several joints of one name the first counts.
    slides = {joint.name: joint.type == "prismatic" for joint in reversed(robot.joints)}
    return robot._replace(
        links=tuple([_link(link, bodies, shown) for link in robot.links]),
        joints=tuple(_joint(joint, slides) for joint in composed_mimics(robot.joints, opened=True)),
    )


def _link(link: RawLink, bodies: AbstractSet[str], shown: AbstractSet[str]) -> RawLink:
    values = {
        name: value
        for name, value in link.values.items()
        if name != "gravity" or link.name in bodies
    }
    shapes = tuple(_shape(shape, shown) for shape in link.shapes)
    mass = link.mass
    if mass is not None and mass.mass > 0.0 and not any(mass.tensor):
        # USD takes a tensor of zeros for one that is not given.
        mass = mass._replace(tensor=(ZERO_TENSOR, 0.0, 0.0, ZERO_TENSOR, 0.0, ZERO_TENSOR))
    return link._replace(mass=mass, shapes=shapes, values=values)


def _shape(shape: RawShape, shown: AbstractSet[str]) -> RawShape:
    color, surface = shape.color, shape.surface
    # A material is written for a friction only, and restitution is a part of it.
    if surface and surface.get("mu1", (-1.0,))[0] < 0.0:
        surface = {
            name: value for name, value in surface.items() if name not in ("mu1", "restitution")
        }
    if shape.geometry == "mesh" and shape.file in shown:
        color = None
        surface = {} if shape.role == "visual" else surface
    elif color is not None and not 0.0 <= min(color) <= max(color) <= 1.0:
        r, g, b, alpha = (min(max(value, 0.0), 1.0) for value in color)
        color = (r, g, b, alpha)
    if (color, surface) == (shape.color, shape.surface):
        return shape
    return shape._replace(color=color, surface=surface)


def _joint(joint: RawJoint, slides: Dict[str, bool]) -> RawJoint:
    """Return a joint whose limits and rule are those of USD: degrees as float32, and back.

    They are compared to the last digit, as an angle of many turns has none to spare.
    """
    unit = RADIANS if joint.type in TURNING else 1.0

    def angle(value: Optional[float]) -> Optional[float]:
        return None if value is None else degrees(value, unit)

    if joint.type not in (*TURNING, "prismatic"):
        kept = {name: value for name, value in joint.values.items() if name not in OF_SEVERAL}
        joint = joint._replace(lower=None, upper=None, effort=None, velocity=None, values=kept)
    mimic = joint.mimic
    if mimic is not None:
        mixed = slides.get(mimic.leader, False) != (joint.type == "prismatic")
        mimic = (
            None
            if mixed
            else RawMimic(mimic.leader, nearest(mimic.multiplier), degrees(mimic.offset, unit))
        )
    return joint._replace(
        lower=angle(joint.lower),
        upper=angle(joint.upper),
        mimic=mimic,
    )


def degrees(value: float, unit: float) -> float:
    """Return a position or speed as it is read back from USD: multiplied once, rounded once, and back."""
    return nearest(value * (DEGREES if unit != 1.0 else 1.0)) * unit
