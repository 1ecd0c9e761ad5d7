"""The joints of USD: frames in both bodies, limits, drives, and the schemas of Newton and PhysX for the rest.

Angles are in degrees in USD, and so are speeds, offsets, and values per angle. A value without a schema is kept in a
custom property, `urdf:...`, as the converter of NVIDIA names it.
"""

from __future__ import annotations

from math import fsum, pi, sqrt
from typing import Dict, Optional, Tuple

from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Joint
from ...robot.raw_robot import OUT_OF_REACH
from ...urdf.urdf_records import MOVABLE
from ...urdf.spatial_math import (
    compose,
    IDENTITY_POSE,
    matrix_from_quaternion,
    Transform,
    Vector,
    ZERO,
)
from ..export_diagnostics import EXPORT_ACTUATOR, EXPORT_ENGINE, EXPORT_MISREAD
from ..shared_lowering import clean_direction, clean_lengths, greatest
from .lower_to_usd import body0_of, UsdWriter
from .write_usd_prims import WrittenPrim, quaternion_of, single_text, singles_text

TYPES = {
    "revolute": "PhysicsRevoluteJoint",
    "continuous": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "fixed": "PhysicsFixedJoint",
    "ball": "PhysicsSphericalJoint",
    "planar": "PhysicsJoint",
}
AXES: Dict[Vector, str] = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}
TOWARD = -0.3  # x of an axis: below, the axis points toward -X
DEGREES = 180.0 / pi  # in a radian
# Does the joint turn? USD's word for its motion, and its units in a radian or a meter.
DRIVES = {True: ("angular", DEGREES), False: ("linear", 1.0)}
PHYSX_NAMES = {  # by property of NewtonJointAPI; PhysX tells static from dynamic friction, URDF has one value for both
    "velocityLimit": ("maxJointVelocity",),
    "armature": ("armature",),
    "damping": ("viscousFrictionCoefficient",),
    "friction": ("staticFrictionEffort", "dynamicFrictionEffort"),
}
LOCKED = ("transZ", "rotX", "rotY")  # of a planar joint, whose normal is Z
EFFORT = "custom float urdf:limit:effort"


def write_joints(scope: WrittenPrim, model: UsdWriter) -> None:
    """Write the joints: the joint to the world first, then the joints of the robot in its order."""
    bodies = model.bodies
    if bodies.fixed and bodies.root:
        prim = scope.add("PhysicsFixedJoint", "root_joint")
        _put_ends(prim, model, "", bodies.root, bodies.places[bodies.root][1], IDENTITY_POSE)
    prims: Dict[str, WrittenPrim] = {}
    for joint in model.robot.joints:
        child = _held_body(joint, model)
        if not child:
            continue
        prim = prims[joint.child] = scope.add(TYPES[joint.type], joint.name)
        model.axes[joint.child] = _put_frames(prim, joint, child, model)
    # A second time, as a follower names the prim of its leader, which may come later.
    for joint in model.robot.joints:
        if joint.child in prims and joint.type in MOVABLE:
            _put_motion(prims[joint.child], joint, model)
            _put_mimic(prims[joint.child], joint, prims, model)
        elif joint.child in prims and joint.type != "fixed":
            _put_several(prims[joint.child], joint, model)
        if joint.child in prims:
            _put_own_words(prims[joint.child], joint)


def _held_body(joint: Joint, model: UsdWriter) -> str:
    """Return the body that the prim of a joint holds, "" for a joint that needs no prim."""
    bodies = model.bodies
    if joint.type == "floating":
        return ""
    if joint.type != "fixed":
        # The first body of the group below it.
        return bodies.anchors.get(joint.child, "")
    # A fixed joint holds its own child; the first body of a group is held by the joint above the group already.
    is_held_above = joint.child in bodies.anchors.values()
    return joint.child if joint.child in bodies.masses and not is_held_above else ""


def axis_rotation(axis: Vector) -> Tuple[float, float, float, float]:
    """Return the quaternion w, x, y, z of a rotation that maps X to an axis.

    It is the smallest one; toward -X half a turn about Z comes first, as the smallest is not defined there.
    """
    x, y, z = axis
    parts = (1.0 + x, 0.0, -z, y) if x >= TOWARD else (y, z, 0.0, 1.0 - x)
    length = sqrt(fsum(part * part for part in parts))
    return (parts[0] / length, parts[1] / length, parts[2] / length, parts[3] / length)


def _put_frames(prim: WrittenPrim, joint: Joint, child: str, model: UsdWriter) -> str:
    """Put the frames of a joint into both bodies; return the name of its axis in them: X, Y or Z."""
    # USD has three axes: where the joint's axis is none of them (a planar joint has Z), both frames are rotated.
    holder, T0 = body0_of(joint, model.bodies)
    T1 = model.bodies.carriers[joint.child][1]
    axis = ""
    if joint.type in MOVABLE or joint.type == "planar":
        axis = AXES.get(clean_direction(joint.axis), "")
        if joint.type == "planar" and axis != "Z" or not axis:
            w, x, y, z = axis_rotation(joint.axis)
            R = matrix_from_quaternion((x, y, z, w))
            if joint.type == "planar":
                a, b, c = zip(*R)
                R = tuple(zip(b, c, a))  # type: ignore[assignment]  # its Z is the axis
            T0 = compose(T0, Transform(R, ZERO))
            T1 = compose(T1, Transform(R, ZERO))
            axis = "Z" if joint.type == "planar" else "X"
    _put_ends(prim, model, holder, child, T0, T1)
    if joint.type in MOVABLE:
        prim.put("uniform token physics:axis", f'"{axis}"')
    return axis


def _put_ends(
    prim: WrittenPrim, model: UsdWriter, body0: str, body1: str, T0: Transform, T1: Transform
) -> None:
    """Put both bodies of a joint, by their links, and the frame of the joint in each."""
    prim.relate("physics:body0", model.prims[body0].path)
    prim.relate("physics:body1", model.prims[body1].path)
    for number, T in enumerate((T0, T1)):
        prim.put(f"point3f physics:localPos{number}", singles_text(clean_lengths(T.translation)))
        prim.put(f"quatf physics:localRot{number}", singles_text(quaternion_of(T.rotation)))


def _put_motion(prim: WrittenPrim, joint: Joint, model: UsdWriter) -> None:
    """Put limits, the drive, and the values that Newton and PhysX have schemas for."""
    drive, unit = DRIVES[joint.type != "prismatic"]
    _put_limits(prim, joint, model, unit)
    _put_drive(prim, joint, model, (drive, unit))
    texts = {key: single_text(value) for key, value in _motion_values(joint, model, unit).items()}
    if texts:
        prim.apply("NewtonJointAPI")
        for key, text in texts.items():
            prim.put(f"float newton:{key}", text)
        prim.apply(f"PhysxJointAxisAPI:{drive}")
        for key, text in texts.items():
            for name in PHYSX_NAMES[key]:
                prim.put(f"float physxJointAxis:{drive}:{name}", text)
    if joint.spring is not None:
        model.findings.note(EXPORT_LOST, "spring", joint, joint.type)


def _motion_values(joint: Joint, model: UsdWriter, unit: float) -> Dict[str, float]:
    """Return the values of a joint by property of NewtonJointAPI, in the order of PHYSX_NAMES and the units of USD."""
    values: Dict[str, float] = {}
    velocity = greatest(joint, "velocity", model.findings)
    if velocity is not None:
        values["velocityLimit"] = velocity * unit
    if joint.armature is not None:
        values["armature"] = joint.armature
    if joint.dynamics is None:
        return values
    for key, number in joint.dynamics._asdict().items():
        if number is None:
            continue
        if number < 0.0:
            model.findings.note(EXPORT_MISREAD, "negative", joint, key, numbers=(number,))
        else:
            # Damping is a torque per angular speed; friction is a torque alone.
            values[key] = number / unit if key == "damping" else number
    return values


def _put_limits(prim: WrittenPrim, joint: Joint, model: UsdWriter, unit: float) -> None:
    """Put both limits or none: readers of USD disagree about a joint with only one."""
    bounds = joint.range
    if bounds is None:
        return
    if bounds[0] > bounds[1]:
        model.findings.note(EXPORT_MISREAD, "bounds", joint, numbers=bounds)
    elif min(abs(bound) for bound in bounds) < OUT_OF_REACH:
        for key, bound in zip(("lower", "upper"), bounds):
            prim.put(f"float physics:{key}Limit", single_text(bound * unit))


def _put_drive(prim: WrittenPrim, joint: Joint, model: UsdWriter, along: Tuple[str, float]) -> None:
    """Put the effort, which only a drive has, and the gains that are given; others are zero."""
    bound = greatest(joint, "effort", model.findings)
    # A drive would work against the rule of a follower, which has its effort in a property.
    if joint.child in model.rules or model.options.actuators == "none":
        if bound is not None:
            prim.put(EFFORT, single_text(bound))
        return
    stiffness, damping = model.gains_of(joint)
    if bound is None and not stiffness and not damping:
        if joint.limit is None or joint.limit.effort is None:
            model.findings.note(EXPORT_ACTUATOR, "effort", joint)
        return
    drive, unit = along
    model.gains += (stiffness, damping)
    start = f"drive:{drive}:physics"
    prim.apply(f"PhysicsDriveAPI:{drive}")
    prim.properties.append(f'uniform token {start}:type = "force"')
    if bound is not None:
        prim.properties.append(f"float {start}:maxForce = {single_text(bound)}")
    prim.properties += [
        f"float {start}:stiffness = {single_text(stiffness / unit)}",
        f"float {start}:damping = {single_text(damping / unit)}",
    ]


def _put_mimic(
    prim: WrittenPrim, joint: Joint, prims: Dict[str, WrittenPrim], model: UsdWriter
) -> None:
    """Put the rule of a mimic joint; PhysX reads Newton's schema, too: its own is for older versions."""
    rule = model.rules.get(joint.child)
    if joint.mimic is None:
        return
    if rule is None or rule.leader.child not in prims:
        loss = _loss_of_mimic(model.leaders.get(joint.mimic.joint))
        model.findings.note(EXPORT_LOST, loss, joint, joint.mimic.joint)
        return
    leader, multiplier, offset = rule
    turns = joint.type != "prismatic"
    # A coefficient between an angle and a length has no unit in either schema.
    if turns != (leader.type != "prismatic"):
        model.findings.note(EXPORT_LOST, "mimic-mixed", joint, joint.mimic.joint)
        return
    offset *= DRIVES[turns][1]
    if offset and turns:
        model.findings.note(EXPORT_ENGINE, "offset", joint)
    prim.apply("NewtonMimicAPI")
    prim.relate("newton:mimicJoint", prims[leader.child].path)
    prim.properties += [
        f"float newton:mimicCoef0 = {single_text(offset)}",
        f"float newton:mimicCoef1 = {single_text(multiplier)}",
    ]
    if turns:
        axis = f"rot{model.axes[joint.child]}"
        start = f"physxMimicJoint:{axis}"
        prim.apply(f"PhysxMimicJointAPI:{axis}")
        prim.relate(f"{start}:referenceJoint", prims[leader.child].path)
        # PhysX writes the rule as q + gearing * q_leader + offset = 0, so both signs change.
        prim.properties += [
            f'uniform token {start}:referenceJointAxis = "rot{model.axes[leader.child]}"',
            f"float {start}:gearing = {single_text(-multiplier)}",
            f"float {start}:offset = {single_text(-offset)}",
        ]


def _loss_of_mimic(leader: Optional[Joint]) -> str:
    """Return the sentence for a rule that is not written, given the joint that it names."""
    if leader is None:
        return "mimic-unknown"
    # A leader that moves has a rule, unless the rules lead back to it.
    return "mimic-circle" if leader.type in MOVABLE else "mimic-fixed"


def _put_several(prim: WrittenPrim, joint: Joint, model: UsdWriter) -> None:
    """Lock the fixed axes of a planar joint; note the values that USD cannot hold for joints of several coordinates."""
    if joint.type == "planar":
        for axis in LOCKED:
            prim.apply(f"PhysicsLimitAPI:{axis}")
            start = f"float limit:{axis}:physics"
            # UsdPhysicsLimitAPI: a low limit above the high one locks the axis.
            prim.properties += [f"{start}:low = 1", f"{start}:high = -1"]
    given = {"limits": joint.limit, "dynamics": joint.dynamics, "spring": joint.spring}
    for words, value in given.items():
        if value is not None:
            model.findings.note(EXPORT_LOST, words, joint, joint.type)


def _put_own_words(prim: WrittenPrim, joint: Joint) -> None:
    """Keep soft limits and reference switches, which no schema has, in radians as in the URDF."""
    for tag, element in (("safety_controller", joint.safety), ("calibration", joint.calibration)):
        if not element:
            continue
        for field, value in element._asdict().items():
            if value is not None:
                prim.put(f"custom float urdf:{tag}:{field}", single_text(value))
