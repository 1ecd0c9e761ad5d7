"""Rules for the robot as a whole: lengths in another unit, and joints that turn about an axis far from their parts."""
from math import fsum, prod
from typing import Dict, Iterator, List, Sequence, Tuple

from ..base.diagnostics import Diagnostic, NOTE
from ..base.exact_trigonometry import cosine_sine, PI
from ..compare.zeros import across
from ..urdf.model import Joint, Link, NO_MASS
from ..urdf.spatial import compose, dot, IDENTITY_POSE, Pose, rotate, subtract, UNIT_AXES
from .kinds import JOINT_FAR, TOO_LIGHT, UNITS
from .records import Finding, Subject
from .supports import interval, Support, supports_of
from .symmetry import find_bodies

# Of 396 public robots the density of all hulls is 87 to 1753 kg/m^3 for nine in ten, and below 0.5 for three (a drill
# without masses, a gantry, a file read in the wrong unit). Boxes are about twice as large as hulls.
LIGHTEST, USUAL = 0.25, (20.0, 8000.0)  # [kg/m^3] of the boxes of all drawn links
FACTORS = {1e9: "millimeters", 1e6: "centimeters"}  # by how much a volume in such a unit is too large
MARKER = 0.005  # [m] what is smaller is a mark
# Of 6576 joints of 490 robots none is as far from both its bodies as half the larger one is long, six as a fifth.
FAR, RATHER_FAR, LEAST = 0.5, 0.2, 0.02  # of the larger body; [m]
DIRECTIONS = [cosine_sine(2.0 * PI * k / 90) for k in range(90)]
Parts = List[Tuple[Link, Pose]]


def robot_rules(subject: Subject) -> Iterator[Finding]:
    """Yield what is wrong with the lengths of a robot."""
    drawn = [(link.mass, sides) for link in subject.robot.links.values()
             for found in [supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh)] if found and link.mass > NO_MASS
             for sides in [[high - low for low, high in (interval(found, n) for n in UNIT_AXES)]]
             if max(sides) > MARKER and min(sides) > 0.0]
    volume, mass = fsum(prod(sides) for _, sides in drawn), fsum(mass for mass, _ in drawn)
    if len(drawn) > 1 and mass < LIGHTEST * volume:
        units = [unit for factor, unit in FACTORS.items() if USUAL[0] < factor * mass / volume < USUAL[1]]
        yield Finding(Diagnostic(UNITS if len(units) == 1 else TOO_LIGHT, 0, "robot", tuple(units[:1]), (
            mass, volume, mass / volume)))
    yield from _far_joints(subject)


def _far_joints(subject: Subject) -> Iterator[Finding]:
    """Yield joints whose axis is far from all that is drawn on both their sides."""
    robot, placed = subject.robot, find_bodies(subject.robot)
    bodies: Dict[str, Parts] = {}
    for link in robot.links.values():
        bodies.setdefault(placed[link.name].name, []).append((link, placed[link.name].T_body_link))
    known = {name: supports_of([part for part in parts if part[0].shapes], subject.box_of_mesh)
             for name, parts in bodies.items()}
    for joint in robot.joints:
        parent = placed[joint.parent]
        ends = [(known[parent.name], compose(parent.T_body_link, joint.origin)), (known[joint.child], IDENTITY_POSE)
                ] if joint.type in ("revolute", "continuous") else []
        sizes = [_longest(shapes) for shapes, _ in ends if shapes]
        if len(sizes) < 2:
            continue
        apart = min(_distance(shapes, T, joint) for shapes, T in ends if shapes)
        if apart > max(LEAST, RATHER_FAR * max(sizes)):
            kind = JOINT_FAR if apart > FAR * max(sizes) else JOINT_FAR._replace(severity=NOTE)
            yield Finding(Diagnostic(kind, joint.source.line, "joint", (joint.name, joint.parent, joint.child), (
                apart, max(sizes))))


def _longest(shapes: Sequence[Support]) -> float:
    return max(high - low for low, high in (interval(shapes, n) for n in UNIT_AXES))


def _distance(shapes: Sequence[Support], T_body_joint: Pose, joint: Joint) -> float:
    """Return how far, at least, the axis of a joint is from the hull of shapes, seen along it [m]; 0: it may be inside.

    A direction square to the axis in which all corners are beyond a line proves that distance.
    """
    frame = across(rotate(T_body_joint.rotation, joint.axis))
    flat = [(dot(v, frame.first), dot(v, frame.second)) for one in shapes for corner in one.corners
            for v in [subtract(corner, T_body_joint.translation)]]
    return max(0.0, *(min(x * c + y * s for x, y in flat) for c, s in DIRECTIONS))
