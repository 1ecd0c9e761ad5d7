"""The robot in the form that USD can hold: without values that USD lacks or expresses otherwise. Its numbers stay: the
comparison treats two numbers as equal if float32 rounds them to the same (`PRECISION` of `formats/format_values.py`).
"""

from __future__ import annotations

from typing import AbstractSet, Dict, NoReturn

from ..base.errors import ProofFailed
from ..compare.joint_differences import composed_mimics
from ..formats.usd.write_usd_prims import ZERO_TENSOR
from ..robot.raw_robot import RawJoint, RawLink, RawRobot, RawShape, TURNING

# Not written for joints with several coordinates.
OF_SEVERAL = ("damping", "friction", "armature", "stiffness", "spring_reference")
SINGLE = (
    1e-6  # relative error of a number computed from several float32 numbers, each rounded by 6e-8
)


def fail(sentence: str) -> NoReturn:
    """Refuse the written text.

    Raises:
        ProofFailed: always.
    """
    raise ProofFailed(f"USD: {sentence}")


def as_usd_holds(robot: RawRobot, written: RawRobot, shown: AbstractSet[str]) -> RawRobot:
    """Return the robot without the values that USD cannot hold; `shown` are meshes whose files show images."""
    bodies = {link.name for link in written.links if link.mass is not None}
    # Reversed: among joints of one name the first counts.
    slides = {joint.name: joint.type == "prismatic" for joint in reversed(robot.joints)}
    joints = composed_mimics(robot.joints, opened=True)
    return robot._replace(
        links=tuple([_link(link, bodies, shown) for link in robot.links]),
        joints=tuple([_joint(joint, slides) for joint in joints]),
    )


def _link(link: RawLink, bodies: AbstractSet[str], shown: AbstractSet[str]) -> RawLink:
    """Return a link with the values that its prim can have; only a body falls, so only a body may disable gravity."""
    values = {
        name: value
        for name, value in link.values.items()
        if name != "gravity" or link.name in bodies
    }
    shapes = tuple(_shape(shape, shown) for shape in link.shapes)
    mass = link.mass
    if mass is not None and mass.mass > 0.0 and not any(mass.tensor):
        # USD reads a tensor of zeros as a missing tensor.
        mass = mass._replace(tensor=(ZERO_TENSOR, 0.0, 0.0, ZERO_TENSOR, 0.0, ZERO_TENSOR))
    return link._replace(mass=mass, shapes=shapes, values=values)


def _shape(shape: RawShape, shown: AbstractSet[str]) -> RawShape:
    """Return a shape with the contact values and the color that its prim can have."""
    color = shape.color
    surface = shape.surface
    # A material is written only for a friction, and restitution is a part of it.
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
    """Return a joint with the limits and the rule that USD can hold; `slides`: by name, whether a joint is prismatic."""
    if joint.type not in (*TURNING, "prismatic"):
        kept = {name: value for name, value in joint.values.items() if name not in OF_SEVERAL}
        joint = joint._replace(lower=None, upper=None, effort=None, velocity=None, values=kept)
    mimic = joint.mimic
    if mimic is None:
        return joint
    # A mimic joint of USD has the unit of its leader: both turn, or both slide.
    mixed = slides.get(mimic.leader, False) != (joint.type == "prismatic")
    return joint._replace(mimic=None) if mixed else joint
