"""What MJCF has in addition to the robot, decided once for writer and proof: actuators, pairs of bodies that never
touch, key frames. The decisions start from the URDF's text as the reader of the proof parsed it."""
from typing import Dict, FrozenSet, Iterator, List, Optional, Set, Tuple

from ...base.number_text import grouped
from ...model.records import Joint
from ...model.shapes import Pose
from ...model.tree import poses_at, positions_of, Positions
from ...robot.records import OUT_OF_REACH, RawActuator, RawJoint, RawKey, RawRobot
from ...urdf.spatial import IDENTITY_POSE, Pose as Transform
from ..kinds import EXPORT_ACTUATOR
from ..rounding import unused
from .lower_bodies import limits_of, Model
from .write_assets import standing_height

Bounds = Optional[Tuple[float, ...]]
Values = Dict[str, Tuple[float, ...]]


def range_of(joint: RawJoint) -> Bounds:
    """Return the positions allowed [rad or m], None where both bounds are out of reach."""
    if joint.lower is None or joint.upper is None or joint.type == "continuous" or (
            joint.lower <= -OUT_OF_REACH and joint.upper >= OUT_OF_REACH):
        return None
    return joint.lower, joint.upper


def actuators_of(model: Model, reference: RawRobot) -> Iterator[RawActuator]:
    """Yield one actuator for each joint that can be driven: as the robot gives it, or as the options ask.

    A joint with an effort, or with an actuator in the robot, has one, unless it follows another joint or is
    locked.
    """
    if model.options.actuators == "none":
        return
    joints, names = {joint.child: joint for joint in reference.joints}, {joint.name for joint in reference.joints}
    given = grouped((actuator.joint, actuator) for actuator in reference.actuators)
    names_used: Set[str] = set()
    for child in [hinge.joint.child for body in model.bodies.bodies for hinge in body.hinges]:
        joint, bounds = joints[child], range_of(joints[child])
        if not joint.moves or joint.mimic is not None and joint.mimic.leader in names or (
                bounds is not None and bounds[0] == bounds[1]):
            continue
        if joint.name in given or joint.effort is not None and joint.effort > 0.0:
            chosen = _chosen(joint, given.get(joint.name, []), model)
            yield RawActuator(unused(chosen.name or joint.name, names_used), chosen.kind, model.names[child],
                              _values(joint, chosen, model.options.kp))
        elif not joint.effort:  # an effort below 0 is noted with the limits
            model.findings.note(EXPORT_ACTUATOR, "effort", joint.name, part="joint")


def _chosen(joint: RawJoint, given: List[RawActuator], model: Model) -> RawActuator:
    """Return the robot's first actuator of the kind asked for and with a gain, else a plain actuator of that kind."""
    asked, kp = model.options.actuators, model.options.kp
    fits = [actuator for actuator in given if actuator.kind == (asked or actuator.kind)]
    usable = [actuator for actuator in fits if actuator.kind == "motor" or any(
        actuator.values.get("kv", ()) if actuator.kind == "velocity" else actuator.values.get("kp", (kp,)))]
    if len(fits) > 1:
        model.findings.note(EXPORT_ACTUATOR, "several", joint.name, part="joint", numbers=(len(fits),))
    if usable:
        return usable[0]
    if fits:
        model.findings.note(EXPORT_ACTUATOR, "gain", joint.name, part="joint")
    named = fits or given
    name = named[0].name if len(named) == 1 else ""
    return RawActuator(name or model.names[joint.child], asked or "motor", joint.name)


def _values(joint: RawJoint, chosen: RawActuator, kp: Optional[float]) -> Values:
    """Return gains and ranges: what the robot does not give follows from the limits of the joint."""
    gear = chosen.values.get("gear", (1.0,))[0] or 1.0
    effort, force = _symmetric(joint.effort), chosen.values.get("force_range")
    control: Bounds = chosen.values.get("control_range")
    values: Values = {}
    if chosen.kind == "motor":
        values["gear"] = (gear,)
        control = control or (effort and tuple(bound / abs(gear) for bound in effort))
        force = force and tuple(sorted(bound / gear for bound in force))  # MuJoCo bounds the force before the gear
    elif chosen.kind == "position":
        values["kp"] = chosen.values.get("kp") or (kp or 0.0,)
        damping = chosen.values.get("kv")
        values.update({"kv": damping} if damping is not None else {"damping_ratio": (1.0,)})
        control, force = control or range_of(joint), force or effort
    else:
        values["kv"] = chosen.values["kv"]
        control, force = control or _symmetric(joint.velocity), force or effort
    for key, bounds in (("control_range", control), ("force_range", force)):
        if bounds is not None and bounds[0] < bounds[1]:
            values[key] = bounds
    return values


def _symmetric(bound: Optional[float]) -> Bounds:
    return (-bound, bound) if bound is not None and 0.0 < bound < OUT_OF_REACH else None


def pairs_apart(model: Model) -> Tuple[Tuple[str, str], ...]:
    """Return the pairs of bodies that never touch: each child of the static bodies with all of them; and as asked.

    MuJoCo ignores contacts between bodies that are fixed to each other, and between them and their children, unless
    they are fixed to the world (its documentation, Computation, "Collision detection").
    """
    bodies = model.bodies
    world = next((link for link in model.robot.links if link.name == "world"), None)
    touching = {body.link.name for body in bodies.bodies if body.link.collisions}
    still = sorted(bodies.static & touching) + (
        ["world"] if world is not None and world.collisions and bodies.where["world"][0] == "" else [])
    # By body: it moves by the joint of a static body, or is fixed to a body that does.
    hanging: Dict[str, bool] = {}
    pairs: List[Tuple[str, str]] = []
    for body in bodies.bodies:
        name, moves = body.link.name, bool(body.hinges) or body.free
        hanging[name] = not body.free and (
            body.parent in bodies.static if moves else hanging.get(body.parent, False))
        pairs += [(other, name) for other in still if hanging[name] and name in touching]
    pairs += [(bodies.where.get(link, ("",))[0], bodies.where.get(other, ("",))[0])
              for link, other in model.options.exclude]
    distinct: Dict[FrozenSet[str], Tuple[str, str]] = {}
    for pair in pairs:
        if all(pair) and pair[0] != pair[1]:
            distinct.setdefault(frozenset(pair), pair)
    return tuple(distinct.values())


def keys_of(model: Model, actuators: Tuple[RawActuator, ...]) -> Dict[str, RawKey]:
    """Return `home` and the other key frames; a robot without joints that move has none.

    Positions are as asked, else zero or the nearest allowed; they are the controls of position servos, too. A robot
    that is free stands with its lowest collision shape of known size on the ground.
    """
    if not any(body.free or body.hinges for body in model.bodies.bodies):
        return {}
    # Zero may be outside the limits, and MuJoCo would start with a joint that its constraint pushes.
    nearest: Dict[str, float] = {}
    for joint in model.robot.joints:
        low, high = limits_of(joint) or (1.0, -1.0)
        if low <= high:
            nearest.setdefault(joint.name, min(max(0.0, low), high))
    keys = {}
    for key, given in (("home", model.options.home), *model.options.keys):
        at = positions_of(model.robot, dict(given), nearest)
        positions, places = {}, {}
        for body in model.bodies.bodies:
            if body.free:
                places[body.link.name] = _place(model, body.link.name, body.pose, at)
            for hinge in body.hinges:
                positions.update(_coordinates(hinge.joint, model.names[hinge.joint.child], at))
                if hinge.joint.type == "ball":
                    turn = at[hinge.joint.child]
                    places[hinge.joint.child] = turn.transform if isinstance(turn, Pose) else IDENTITY_POSE
        keys[key] = RawKey(positions, places, {
            actuator.name: positions[actuator.joint] for actuator in actuators
            if actuator.kind == "position" and positions[actuator.joint]})
    return keys


def _place(model: Model, link: str, pose: Transform, positions: Positions) -> Transform:
    """Return the initial pose of a free body: at the origin of its joint, or on the ground if it is the root."""
    if any(joint.child == link for joint in model.robot.joints):
        return pose
    height = standing_height(model.robot, model.options, poses_at(model.robot, positions))
    return Transform(pose.rotation, (*pose.translation[:2], height))


def _coordinates(joint: Joint, name: str, positions: Positions) -> Dict[str, float]:
    """Return the position [rad or m] of each MJCF joint element that a joint is written as, by name."""
    if joint.type == "ball":
        return {}
    if joint.type == "planar":
        return {f"{name}_{end}": 0.0 for end in ("x", "y", "yaw")}
    position = positions[joint.child]
    return {name: position if isinstance(position, (int, float)) else 0.0}
