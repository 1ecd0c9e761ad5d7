"""The joints of a stage: their ends, motions, drives and rules of followers (UsdPhysics, PhysX, Newton).

Angles are in degrees, and gains for each degree; both frames of a joint are one at its zero.
"""

from __future__ import annotations

from math import pi
from typing import Dict, List, Optional, Tuple

from ...base.record_type import Record
from ...robot.raw_robot import OUT_OF_REACH, RawActuator, RawJoint, RawMimic, Values
from ...urdf.spatial_math import (
    compose,
    inverse,
    rotation_angle,
    move,
    multiply,
    Transform,
    rotate,
    scale,
    ZERO,
)
from ...meshes.verify_witnesses import distance
from ...robot.principal_axes import vector_of
from ..reader_helpers import rotation_of_wxyz, WORLD
from .prim_tree import Prim
from .stage_masses import scaled, StageUnits
from .prim_transforms import AXES, PrimTransform

RADIANS = pi / 180.0
EFFORT = "urdf:limit:effort"
KEPT = {  # by custom property, in radians
    "urdf:safety_controller:soft_lower_limit": "soft_lower",
    "urdf:safety_controller:soft_upper_limit": "soft_upper",
    "urdf:safety_controller:k_position": "k_position",
    "urdf:safety_controller:k_velocity": "k_velocity",
    "urdf:calibration:rising": "calibration_rising",
    "urdf:calibration:falling": "calibration_falling",
    "urdf:calibration:reference_position": "calibration_reference",
}
NEAR = 1e-5  # m and rad: both frames of a joint are at one place, up to the rounding of float32
KINDS = {
    "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "ball",
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsJoint": "",
    "PhysicsDistanceJoint": "distance",
}
DEGREES_OF_FREEDOM = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
FREE = {  # by numbers of the ways in which it slides and turns
    (0, 0): "fixed",
    (0, 1): "revolute",
    (1, 0): "prismatic",
    (0, 3): "ball",
    (2, 1): "planar",
    (3, 3): "floating",
}
DRAWN = "{0} is drawn away from its zero: where its joint holds it at zero counts"
LIMITED = "{0} has limits of an axis of several, which are not read"
TWICE = "of {0} '{1}' is said by several engines, and not alike: {2} counts"
VALUES = {  # by value of ours: the properties that engines read for it; the first one counts
    "velocity": (
        "newton:velocityLimit",
        "physxJointAxis:{0}:maxJointVelocity",
        "physxJoint:maxJointVelocity",
    ),
    "armature": ("newton:armature", "physxJointAxis:{0}:armature", "physxJoint:armature"),
    "damping": ("newton:damping", "physxJointAxis:{0}:viscousFrictionCoefficient"),
    "friction": (
        "newton:friction",
        "physxJointAxis:{0}:staticFrictionEffort",
        "physxJointAxis:{0}:dynamicFrictionEffort",
    ),
}


class JointEnd(Record):
    """An end of a joint: the link, "" for the world, its pose, and T_link_frame of the joint."""

    link: str
    T_world_link: Transform
    T_link_frame: Transform


class StageJoint(Record):
    """A joint of a stage.

    Attributes:
        ends: body0 and body1.
        axis: "X", "Y", "Z", or "".
        degree: the degree of freedom of its limits and drive: angular, linear, or rotX and the like.
    """

    prim: Prim
    kind: str
    ends: Tuple[JointEnd, JointEnd]
    axis: str = ""
    degree: str = ""

    @property
    def is_at_world(self) -> bool:
        """True if an end is the world."""
        first, second = self.ends
        return WORLD in (first.link, second.link)


def end_of(prim: Prim, number: int, anchor: PrimTransform, link: str, T: Transform) -> JointEnd:
    """Return an end of a joint.

    Args:
        anchor: the place of the prim that the joint names.
        link: the name of the body around that prim.
        T: the pose of the body in the world.
    """
    position = prim.numbers(f"physics:localPos{number}", 3) or ZERO
    quaternion = prim.numbers(f"physics:localRot{number}", 4) or (1.0, 0.0, 0.0, 0.0)
    R = rotation_of_wxyz(quaternion)
    if not any(quaternion):
        prim.refuse(f"its localRot{number} is not a rotation")
    # The joint names the body itself: without the way over the world nothing is lost to rounding.
    if anchor.pose is T:
        # UsdPhysics: positions are in the body's axes with their scale.
        return JointEnd(link, T, Transform(R, scaled(position, anchor.scale)))
    origin = move(anchor.whole, vector_of(position))
    T_world_frame = Transform(multiply(anchor.pose.rotation, R), origin)
    return JointEnd(link, T, compose(inverse(T), T_world_frame))


def kind_of(prim: Prim) -> Tuple[str, str, str]:
    """Return the type of a joint in our words, its axis, and the degree of freedom of its limits and drive.

    Raises:
        BrokenRobot: it moves in a way that no joint here has.
    """
    kind = KINDS[prim.type]
    if kind in ("revolute", "prismatic"):
        axis = prim.word("physics:axis") or "X"
        if axis not in AXES:
            prim.refuse("its axis is not X, Y or Z")
        degree = "angular" if kind == "revolute" else "linear"
        return kind, axis, degree
    if kind:
        return kind, "", ""
    free = [name for name in DEGREES_OF_FREEDOM if not _is_locked(prim, name)]
    slides = [name for name in free if name.startswith("trans")]
    turns = [name for name in free if name.startswith("rot")]
    kind = FREE.get((len(slides), len(turns)), "")
    # A planar joint turns about the normal of the plane in which it slides.
    if not kind or kind == "planar" and turns[0][-1] in [name[-1] for name in slides]:
        prim.refuse(f"it is free in {', '.join(free)}, and no type of joint moves so")
    if kind not in ("revolute", "prismatic", "planar"):
        return kind, "", ""
    degree = (turns or slides)[0]
    return kind, degree[-1], degree


def _is_locked(prim: Prim, degree: str) -> bool:
    """Return True if a degree of freedom is locked: its low limit is not below the high one (UsdPhysicsLimitAPI)."""
    low, high = _bounds(prim, degree)
    return low is not None and high is not None and low >= high


def _bounds(prim: Prim, degree: str) -> Tuple[Optional[float], Optional[float]]:
    """Return the limits of a degree of freedom as they are written, None for a missing limit."""
    names = ("physics:lowerLimit", "physics:upperLimit")
    if degree not in ("angular", "linear"):
        names = (f"limit:{degree}:physics:low", f"limit:{degree}:physics:high")
        if f"PhysicsLimitAPI:{degree}" not in prim.schemas:
            return None, None
    return prim.loose_number(names[0]), prim.loose_number(names[1])


class StageJointReader:
    """Reads joints; a note is added for each value that is read otherwise than the stage has it."""

    def __init__(self, units: StageUnits, notes: List[str]) -> None:
        """Begin without names: the caller fills `names` before it reads a joint."""
        self._units = units
        self.notes = notes
        self.names: Dict[str, str] = {}  # by path

    def read(self, joint: StageJoint, *, is_turned: bool, line: int) -> RawJoint:
        """Return a joint from body0 to body1; `is_turned`: from body1 to body0, which moves the other way round."""
        prim = joint.prim
        parent, child = joint.ends
        if is_turned:
            parent, child = child, parent
        drawn = compose(inverse(parent.T_world_link), child.T_world_link)
        at_zero = compose(parent.T_link_frame, inverse(child.T_link_frame))
        # A stage may be saved in any pose: zero is where both frames of the joint meet.
        T = drawn
        if not _is_near(drawn, at_zero):
            T = at_zero
            self.notes.append(DRAWN.format(repr(prim)))
        kind = joint.kind
        raw = RawJoint(
            name=self.names[prim.path],
            type=kind,
            parent=parent.link,
            child=child.link,
            T_parent_child=T,
            point=child.T_link_frame.translation,
            line=line,
        )
        if joint.axis:
            axis = rotate(child.T_link_frame.rotation, AXES[joint.axis])
            if is_turned:
                axis = scale(-1.0, axis)
            raw = raw._replace(axis=axis)
        if kind not in ("revolute", "prismatic"):
            if kind in ("planar", "ball") and self._has_limits(prim):
                self.notes.append(LIMITED.format(repr(prim)))
            return raw._replace(values=self._kept(prim))
        return self._moving(joint, raw)

    def _has_limits(self, prim: Prim) -> bool:
        """Return True if a joint of several coordinates has limits on any of them."""
        has_any = bool(prim.number("physics:coneAngle0Limit"))
        # No early return: each limit that is looked at counts as read.
        for degree in DEGREES_OF_FREEDOM:
            is_free = _bounds(prim, degree) == (None, None)
            has_any = has_any or not is_free and not _is_locked(prim, degree)
        return has_any

    def _kept(self, prim: Prim) -> Values:
        """Return the values of URDF that a joint keeps in custom properties, in radians or meters."""
        values: Values = {}
        for key, name in KEPT.items():
            number = prim.numbers(key) if key in prim.properties else None
            if number is not None:
                values[name] = number
        return values

    def _moving(self, joint: StageJoint, raw: RawJoint) -> RawJoint:
        """Return a joint that turns or slides, with its limits and values."""
        prim = joint.prim
        unit, force, inertia = self._scales(joint)
        lower, upper = _bounds(prim, joint.degree)
        # OpenUSD, UsdPhysicsLimitAPI: a lower limit above the upper limit locks the motion.
        if lower is not None and upper is not None and lower > upper:
            self.notes.append(f"{prim!r} has its limits exchanged: it is locked")
            return raw._replace(type="fixed")
        values = self._kept(prim)
        factors = {
            "velocity": unit,
            "armature": inertia,
            "damping": force / unit,  # per degree, or per unit of length
            "friction": force,
        }
        for name, factor in factors.items():
            number = self._said(prim, name, joint.degree)
            if number is not None and abs(number * factor) < OUT_OF_REACH:
                values[name] = (number * factor,)
        velocity = values.pop("velocity", (None,))[0]
        is_endless = joint.kind == "revolute" and lower is None and upper is None
        kind = "continuous" if is_endless else joint.kind
        return raw._replace(
            type=kind,
            lower=_bound(lower, unit),
            upper=_bound(upper, unit),
            effort=self._effort(prim, joint.degree, force),
            velocity=velocity,
            values=values,
            mimic=self._mimic(joint, unit),
        )

    def _scales(self, joint: StageJoint) -> Tuple[float, float, float]:
        """Return the units of a position, a force and an inertia along a joint in rad or m, N m or N, kg m^2 or kg."""
        units = self._units
        if joint.kind == "revolute":
            return RADIANS, units.moment, units.moment
        return units.meters, units.force, units.kilograms

    def _said(self, prim: Prim, name: str, degree: str) -> Optional[float]:
        """Return a value of a joint: the value for the first engine in VALUES that has one."""
        found: Dict[str, float] = {}
        for pattern in VALUES[name]:
            key = pattern.format(degree)
            number = prim.loose_number(key) if key in prim.properties else None
            if number is not None:
                found[key] = number
        if len(set(found.values())) > 1:
            self.notes.append(TWICE.format(repr(prim), name, next(iter(found))))
        return next(iter(found.values()), None)

    def _effort(self, prim: Prim, degree: str, force: float) -> Optional[float]:
        """Return the effort of a joint: of its drive, or of an attribute that no engine reads."""
        limit = prim.loose_number(f"drive:{degree}:physics:maxForce")
        kept = prim.loose_number(EFFORT)
        # A property that no engine reads is in SI units, whatever units the stage has.
        if limit is None or f"PhysicsDriveAPI:{degree}" not in prim.schemas:
            limit = kept
            force = 1.0
        return None if limit is None or abs(limit) >= OUT_OF_REACH else limit * force

    def actuator(self, joint: StageJoint) -> Optional[RawActuator]:
        """Return the drive of a joint, None without a gain and for a drive that accelerates whatever the mass is."""
        prim = joint.prim
        degree = joint.degree
        start = f"drive:{degree}:physics"
        if (
            joint.kind not in ("revolute", "prismatic")
            or f"PhysicsDriveAPI:{degree}" not in prim.schemas
        ):
            return None
        unit, force, _ = self._scales(joint)
        stiffness, damping = [
            (prim.number(f"{start}:{key}") or 0.0) * force / unit
            for key in ("stiffness", "damping")
        ]
        if prim.word(f"{start}:type") == "acceleration":
            self.notes.append(f"{prim!r} has a drive of accelerations, whose gains are not read")
            return None
        for key in ("targetPosition", "targetVelocity"):
            if prim.number(f"{start}:{key}"):
                self.notes.append(
                    f"{prim!r} has a drive to a {key} that is not zero, which is not read"
                )
        if not stiffness and not damping:
            return None
        name = self.names[prim.path]
        kind = "position" if stiffness else "velocity"
        return RawActuator(
            name=name,
            kind=kind,
            joint=name,
            values={"kp": (stiffness,), "kv": (damping,)},
            line=prim.line,
        )

    def _mimic(self, joint: StageJoint, unit: float) -> Optional[RawMimic]:
        """Return the rule of a follower: q = offset + multiplier * leader in Newton; in PhysX all is on one side."""
        prim = joint.prim
        found: List[RawMimic] = []
        if "NewtonMimicAPI" in prim.schemas and prim.flag("newton:mimicEnabled", True):
            factor = prim.number("newton:mimicCoef1")
            offset = prim.number("newton:mimicCoef0") or 0.0
            leader = self._leader(prim, "newton:mimicJoint")
            # The default of the schema is 1.
            multiplier = 1.0 if factor is None else factor
            found.append(RawMimic(leader, multiplier, offset * unit))
        for schema in prim.schemas:
            name, _, about = schema.partition(":")
            if name == "PhysxMimicJointAPI":
                start = f"physxMimicJoint:{about}"
                gearing = prim.number(f"{start}:gearing") or 0.0
                offset = prim.number(f"{start}:offset") or 0.0
                prim.word(f"{start}:referenceJointAxis")
                leader = self._leader(prim, f"{start}:referenceJoint")
                # PhysX: q + gearing * q_leader + offset = 0.
                found.append(RawMimic(leader, -gearing, -offset * unit + 0.0))
        if len(set(found)) > 1:
            self.notes.append(TWICE.format(repr(prim), "mimic", "Newton's rule"))
        return found[0] if found else None

    def _leader(self, prim: Prim, name: str) -> str:
        """Return the name of the joint that a relationship of a follower points to."""
        targets = prim.targets(name)
        if len(targets) != 1 or targets[0] not in self.names:
            prim.refuse(f"'{name}' leads to no joint")
        return self.names[targets[0]]


def _bound(value: Optional[float], unit: float) -> Optional[float]:
    """Return a limit in rad or m, None for a limit that nothing reaches."""
    if value is None or abs(value * unit) >= OUT_OF_REACH:
        return None
    return value * unit


def _is_near(T: Transform, other: Transform) -> bool:
    """Return True for two poses that are one in float32."""
    size = max(1.0, *map(abs, T.translation))
    is_there = distance(T.translation, other.translation) <= NEAR * size
    return is_there and rotation_angle(T.rotation, other.rotation) <= NEAR
