"""Which float32 numbers stand for those of the robot: the robot with its numbers rounded as USD does, and the proof of
masses: each number, the principal axes, and the tensor that they make together.
"""

import struct
from itertools import repeat
from typing import AbstractSet, Dict, Mapping, NoReturn, Optional, Sequence

from ..base.errors import ProofFailed
from ..compare.joint_differences import composed_mimics
from ..formats.lower import clean_direction, clean_lengths
from ..formats.usd.read_parts import RADIANS
from ..formats.usd.read_prims import BODY, Prim
from ..formats.usd.write_prims import principal_singles, ZERO_TENSOR
from ..formats.values import OF_CALIBRATION, OF_SAFETY
from ..meshes.form import linear_of_srgb, srgb_of_linear
from ..model.choices import UsdOptions
from ..robot.principal_axes import entries_of
from ..robot.records import (
    RawJoint,
    RawLink,
    RawMass,
    RawMimic,
    RawRobot,
    RawShape,
    TURNING,
    within_reach,
)
from ..urdf.spatial import Matrix, Vector
from .proof_rules import is_nearest, LEAST_MOMENT, SIX_DIGITS, TINY_MASS, TINY_MOMENT

FLOAT32 = struct.Struct("<f")
LENGTH_STEP, TURN_STEP = (
    1e-14,
    1e-13,
)  # m, and of a quaternion: the grids on which computed numbers are written
DEGREES = 57.29577951308232  # in a radian
OF_MOTION = ("armature", "friction", *OF_SAFETY, *OF_CALIBRATION)  # in the units of the robot
OF_SEVERAL = (
    "damping",
    "friction",
    "armature",
    "stiffness",
    "spring_reference",
)  # not written for several coordinates
SINGLE = 3e-7  # of the largest moment: rounding of a tensor by float32 axes and moments


def fail(sentence: str) -> NoReturn:
    """Refuse what was written.

    Raises:
        ProofFailed: always.
    """
    raise ProofFailed(f"USD: {sentence}")


def nearest(value: float) -> float:
    """Return the nearest float32, by the machine's own conversion."""
    return float(FLOAT32.unpack(FLOAT32.pack(value))[0]) + 0.0


def same_lengths(written: Sequence[float], wanted: Vector, tolerance: float = 0.0) -> bool:
    """Return True if lengths are the nearest float32 to the wanted; `tolerance`: of computed ones, in `LENGTH_STEP`."""
    return _within(written, clean_lengths(wanted), tolerance * LENGTH_STEP)


def _within(written: Sequence[float], wanted: Sequence[float], tolerance: float) -> bool:
    """Return True if each number is the nearest float32 to one within `tolerance` of the wanted; 0 must be 0."""
    return len(written) == len(wanted) and all(
        nearest(value - tolerance) <= number <= nearest(value + tolerance)
        if value
        else number == 0.0
        for number, value in zip(written, wanted)
    )


def same_quaternion(written: Sequence[float], R: Matrix) -> bool:
    """Return True if w, x, y, z are the nearest float32 to a quaternion of a rotation, or to its opposite."""
    squares = [
        1.0 + R[0][0] + R[1][1] + R[2][2],
        1.0 + R[0][0] - R[1][1] - R[2][2],
        1.0 - R[0][0] + R[1][1] - R[2][2],
        1.0 - R[0][0] - R[1][1] + R[2][2],
    ]
    w, x, y, z = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1], 0.0
    p, q, r = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    rows = (
        (squares[0], w, x, y),
        (w, squares[1], p, q),
        (x, p, squares[2], r),
        (y, q, r, squares[3]),
    )
    best = rows[max(range(4), key=squares.__getitem__)]
    length = sum(part * part for part in best) ** 0.5 + z
    parts = clean_direction(tuple(part / length for part in best))
    return any(
        _within(written, [sign * part for part in parts], 2.0 * TURN_STEP) for sign in (1.0, -1.0)
    )


def rounded(
    robot: RawRobot, written: RawRobot, shown: AbstractSet[str], options: UsdOptions
) -> RawRobot:
    """Return the robot with all numbers as they are in USD.

    Masses are those that were written: they have been compared. `shown` are meshes whose files show images.
    """
    masses = {link.name: link.mass for link in written.links if link.mass is not None}
    slides = {joint.name: joint.type == "prismatic" for joint in reversed(robot.joints)}
    return robot._replace(
        links=tuple(map(_link, robot.links, repeat(masses), repeat(shown), repeat(options))),
        joints=tuple(
            _joint(joint, slides, options) for joint in composed_mimics(robot.joints, opened=True)
        ),
    )


def _link(
    link: RawLink, masses: Dict[str, RawMass], shown: AbstractSet[str], options: UsdOptions
) -> RawLink:
    values = {
        name: value
        for name, value in link.values.items()
        if name != "gravity" or options.for_ != "newton" and link.name in masses
    }
    link = link._replace(shapes=tuple(_shape(shape, shown) for shape in link.shapes), values=values)
    return link._replace(mass=masses[link.name]) if link.name in masses else link


def _shape(shape: RawShape, shown: AbstractSet[str]) -> RawShape:
    color = shape.color if shape.file not in shown or shape.geometry != "mesh" else None
    surface = {name: tuple(map(nearest, value)) for name, value in shape.surface.items()}
    friction = surface.get("mu1")
    if friction is None or friction[0] < 0.0:
        surface = {
            name: value for name, value in surface.items() if name not in ("mu1", "restitution")
        }
    if color is not None:
        r, g, b, alpha = (min(max(value, 0.0), 1.0) for value in color)
        color = (_color(r), _color(g), _color(b), nearest(alpha))
    elif shape.role == "visual" and shape.geometry == "mesh" and shape.file in shown:
        surface = {}
    return shape._replace(color=color, surface=surface)


def _color(value: float) -> float:
    return srgb_of_linear(nearest(linear_of_srgb(value)))


def _joint(joint: RawJoint, slides: Dict[str, bool], options: UsdOptions) -> RawJoint:
    """Return a joint whose numbers are those of USD: degrees as float32, and back."""
    unit = RADIANS if joint.type in TURNING else 1.0

    def angle(value: Optional[float]) -> Optional[float]:
        return None if value is None else degrees(value, unit)

    if joint.type not in (*TURNING, "prismatic"):
        kept = {name: value for name, value in joint.values.items() if name not in OF_SEVERAL}
        joint = joint._replace(lower=None, upper=None, effort=None, velocity=None, values=kept)
    values = {
        name: tuple(map(nearest, value)) if name in OF_MOTION else value
        for name, value in joint.values.items()
    }
    if "damping" in values:
        values["damping"] = (nearest(joint.values["damping"][0] / _inverse(unit)) / unit,)
    mimic = joint.mimic
    if mimic is not None:
        mixed = slides.get(mimic.leader, False) != (joint.type == "prismatic")
        unsaid = options.for_ == "isaac" and joint.type == "prismatic"
        mimic = (
            None
            if mixed or unsaid
            else RawMimic(mimic.leader, nearest(mimic.multiplier), degrees(mimic.offset, unit))
        )
    return joint._replace(
        lower=angle(joint.lower),
        upper=angle(joint.upper),
        velocity=angle(within_reach(joint.velocity)),
        effort=None if joint.effort is None else nearest(joint.effort),
        values=values,
        mimic=mimic,
    )


def degrees(value: float, unit: float) -> float:
    """Return a position or speed as it is read back from USD: multiplied once, rounded once, and back."""
    return nearest(value * _inverse(unit)) * unit


def _inverse(unit: float) -> float:
    return DEGREES if unit != 1.0 else 1.0


def verify_masses(
    written: RawRobot, robot: RawRobot, prims: Mapping[str, Prim], tensors: Mapping[str, Matrix]
) -> None:
    """Compare the mass, center, moments and axes of each body.

    `tensors` [kg m^2] are those that axes and moments were computed from. Each must be the robot's, or replace it by
    the rules of `_why_other`; axes and moments must be its own, to the last digit, and give it again, rotated back.

    Raises:
        ProofFailed: one is not the robot's.
    """
    robot_masses = {link.name: link.mass for link in robot.links}
    written_masses = {link.name: link.mass for link in written.links}
    bodies = {prim.true_name: prim for prim in prims.values() if BODY in prim.schemas}
    if bodies.keys() != tensors.keys():
        fail(f"its bodies are not those that weigh: {sorted(bodies.keys() ^ tensors.keys())}")
    for name, prim in bodies.items():
        old, new = (
            robot_masses.get(name) or RawMass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6),
            written_masses[name],
        )
        assert new is not None  # a body without a mass is not read
        # USD would infer a mass from the colliders of a body without one: it has the smallest placeholder instead.
        nothing = old.mass == 0.0 and not any(old.tensor)
        if new.mass not in ((nearest(TINY_MASS),) if nothing else (nearest(old.mass),)) and not (
            old.mass == 0.0 and not nothing and 0.0 < new.mass <= LEAST_MOMENT
        ):
            fail(f"link '{name}': its mass is {old.mass} kg, and {new.mass} is written")
        if not same_lengths(new.center, (0.0, 0.0, 0.0) if nothing else old.center):
            fail(f"link '{name}': its center of mass is {old.center}, and {new.center} is written")
        tensor = entries_of(tensors[name])
        why = (
            ""
            if nothing and tensor == (TINY_MOMENT, 0.0, 0.0, TINY_MOMENT, 0.0, TINY_MOMENT)
            else (_why_other(old, tensors[name]))
        )
        if why:
            fail(f"link '{name}': {why}")
        moments, axes = principal_singles(tensors[name])
        if prim.numbers("float3", "physics:diagonalInertia") != moments or (
            prim.numbers("quatf", "physics:principalAxes") != axes
        ):
            fail(
                f"link '{name}': its principal axes and moments are {axes}, {moments}, and others are written"
            )
        # The same function made axes and moments when they were written, so that they agree says nothing: what counts
        # is the tensor that they make.
        largest = max(moments)
        if max(abs(a - b) for a, b in zip(new.tensor, tensor)) > SINGLE * largest:
            fail(
                f"link '{name}': its axes and moments make {new.tensor}, and {tensor} is its tensor"
            )


def _why_other(old: RawMass, tensor: Matrix) -> str:
    """Return what is wrong with a tensor; "" if it is the robot's, or its replacement where USD cannot hold that."""
    new = entries_of(tensor)
    if not any(old.tensor):
        points = (ZERO_TENSOR, 0.0, 0.0, ZERO_TENSOR, 0.0, ZERO_TENSOR)
        return "" if new == points else f"it is a point, and {new} is written"
    largest = max(map(abs, old.tensor))
    step = max(abs(a - b) for a, b in zip(old.tensor, new))
    if step <= 1e-11 * largest + LEAST_MOMENT:
        return ""
    return (
        ""
        if step <= SIX_DIGITS * largest and is_nearest(old.tensor, new)
        else (f"its tensor is {old.tensor}, and {new} is not the nearest that a body can have")
    )
