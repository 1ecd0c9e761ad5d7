"""Rules for the robot as a whole: lengths in another unit, and joints that turn about an axis far from their parts."""
from math import fsum, prod
from typing import Iterator, Sequence

from ..base.diagnostics import Diagnostic, NOTE
from ..base.exact_trigonometry import cosine_sine, PI
from ..compare.zeros import across
from ..urdf.model import Joint, NO_MASS
from ..urdf.spatial import compose, dot, IDENTITY_POSE, Pose, rotate, subtract
from .kinds import JOINT_FAR, TOO_LIGHT, UNITS
from .mass_rules import supports_of_bodies
from .records import Finding, Subject
from .supports import sides_of, Support, supports_of
from .symmetry import find_bodies

# Of 396 public robots the density of all hulls is 87 to 1753 kg/m^3 for nine in ten, and below 0.5 for three (a drill
# without masses, a gantry, a file read in the wrong unit). Boxes are about twice as large as hulls.
LIGHTEST, USUAL = 0.25, (20.0, 8000.0)  # [kg/m^3] of the boxes of all drawn links
FACTORS = {1e9: "millimeters", 1e6: "centimeters"}  # by how much a volume in such a unit is too large
MARKER = 0.005  # [m] a smaller shape is a marker
# Of 6576 joints of 490 robots none is as far from both its bodies as half the larger one is long, six as a fifth.
FAR, RATHER_FAR, LEAST = 0.5, 0.2, 0.02  # of the larger body; [m]
DIRECTIONS = [cosine_sine(2.0 * PI * k / 90) for k in range(90)]



def robot_rules(subject: Subject) -> Iterator[Finding]:
    """Yield findings about the lengths of a robot: all of them, and those between axes and parts."""
    drawn = []
    for link in subject.robot.links.values():
        supports = supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh) if link.mass > NO_MASS else None
        sides = sides_of(supports) if supports else [0.0]
        if max(sides) > MARKER and min(sides) > 0.0:
            drawn.append((link.mass, sides))
    volume, mass = fsum(prod(sides) for _, sides in drawn), fsum(mass for mass, _ in drawn)
    if len(drawn) > 1 and mass < LIGHTEST * volume:
        units = [unit for factor, unit in FACTORS.items() if USUAL[0] < factor * mass / volume < USUAL[1]]
        yield Finding(Diagnostic(UNITS if len(units) == 1 else TOO_LIGHT, 0, "robot", tuple(units[:1]), (
            mass, volume, mass / volume)))
    yield from _far_joints(subject)


def _far_joints(subject: Subject) -> Iterator[Finding]:
    """Yield joints whose axis is far from all shapes of both their bodies."""
    robot, placed = subject.robot, find_bodies(subject.robot)
    known = supports_of_bodies(subject, placed)
    for joint in robot.joints:
        parent = placed[joint.parent]
        ends = [(known[parent.name], compose(parent.T_body_link, joint.origin)), (known[joint.child], IDENTITY_POSE)
                ] if joint.type in ("revolute", "continuous") else []
        sizes = [max(sides_of(shapes)) for shapes, _ in ends if shapes]
        if len(sizes) < 2:
            continue
        apart = min(_distance(shapes, T, joint) for shapes, T in ends if shapes)
        if apart > max(LEAST, RATHER_FAR * max(sizes)):
            kind = JOINT_FAR if apart > FAR * max(sizes) else JOINT_FAR._replace(severity=NOTE)
            yield Finding(Diagnostic(kind, joint.source.line, "joint", (joint.name, joint.parent, joint.child), (
                apart, max(sizes))))



def _distance(shapes: Sequence[Support], T_body_joint: Pose, joint: Joint) -> float:
    """Return a lower bound of the distance from the axis of a joint to the hull of shapes [m]; 0: it may be inside.

    A direction perpendicular to the axis in which all corners are at least so far proves the distance.
    """
    frame = across(rotate(T_body_joint.rotation, joint.axis))
    corners = [subtract(corner, T_body_joint.translation) for shape in shapes for corner in shape.corners]
    flat = [(dot(corner, frame.first), dot(corner, frame.second)) for corner in corners]
    return max(0.0, *(min(x * c + y * s for x, y in flat) for c, s in DIRECTIONS))
