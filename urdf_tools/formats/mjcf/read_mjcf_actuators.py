"""What drives and holds the joints of MJCF: actuators by their law, whatever shortcut writes it; equalities (followers,
locks, loops), and pairs of bodies that are excluded.
"""

from __future__ import annotations

from math import sqrt
from typing import Dict, Iterator, List, Optional, Tuple

from ...base.type_aliases import Pair, Reals
from ...base.record_type import Record
from ...robot.canonical_robot import canonical
from ...robot.joint_motion import is_line, mass_matrix
from ...robot.raw_robot import RawActuator, RawJoint, RawLoop, RawMimic, RawRobot, Values
from ...urdf.spatial_math import compose, IDENTITY, IDENTITY_POSE, inverse, Transform, Poses
from ...robot.principal_axes import vector_of
from ..reader_helpers import composed_polynomial, INACTIVE, number, rotation_of_wxyz, SCENE
from ..xml_reader import XmlElement
from .read_mjcf_bodies import BodyElement, JointElement, PlacedSite, UNBOUND, WORLD
from .choose_robot_bodies import ChosenBodies
from .read_mjcf_settings import (
    ACTUATORS,
    AttributesWithDefaults,
    DefaultClasses,
    is_limited,
    position_of,
    MjcfSettings,
)


class NamedMjcfElements(Record):
    """What sections name: joints and sites with their bodies, and T_world_body in the pose of the file."""

    classes: DefaultClasses
    settings: MjcfSettings
    chosen: ChosenBodies
    joints: Dict[str, Tuple[JointElement, str]]
    sites: Dict[str, Tuple[PlacedSite, str]]
    poses: Poses

    def joint(self, element: XmlElement, name: str) -> Optional[JointElement]:
        """Return a joint of the robot; None for a joint of the rest of the scene; the element is then marked unread.

        Raises:
            BrokenRobot: no joint of the file has this name.
        """
        if name not in self.joints:
            element.refuse_this(f"joint '{name}' is not there")
        joint, body = self.joints[name]
        if joint.type in UNBOUND:
            element.leave("its joint has no position of one number")
            return None
        if body not in self.chosen.names:
            element.leave(SCENE)
            return None
        return joint

    def knows(self, element: XmlElement, *bodies: str) -> bool:
        """Return True if these bodies are of the robot; else the element is marked unread.

        Raises:
            BrokenRobot: no body of the file has the name.
        """
        for name in bodies:
            if name not in self.poses:
                element.refuse_this(f"body '{name}' is not there")
        if all(name in self.chosen.names for name in bodies):
            return True
        element.leave(SCENE)
        return False

    def site(self, element: XmlElement, name: str) -> Tuple[PlacedSite, str]:
        """Return a site and its body.

        Raises:
            BrokenRobot: no site of the file has this name.
        """
        if name not in self.sites:
            element.refuse_this(f"site '{name}' is not there")
        return self.sites[name]


def world_of(
    classes: DefaultClasses, settings: MjcfSettings, chosen: ChosenBodies
) -> NamedMjcfElements:
    """Return the joints, sites and bodies that sections name."""
    joints: Dict[str, Tuple[JointElement, str]] = {}
    sites: Dict[str, Tuple[PlacedSite, str]] = {}
    poses: Poses = {}
    bodies: List[BodyElement] = list(chosen.bodies)
    for body in bodies:
        joints.update({joint.name: (joint, body.name) for joint in body.joints})
        sites.update({site.name: (site, body.name) for site in body.sites if site.name})
        T_world_body = IDENTITY_POSE
        if body.parent >= 0:
            T_world_body = compose(poses[bodies[body.parent].name], body.pose)
        poses[body.name] = T_world_body
    return NamedMjcfElements(
        classes=classes, settings=settings, chosen=chosen, joints=joints, sites=sites, poses=poses
    )


def read_equalities(
    root: XmlElement, world: NamedMjcfElements, joints: List[RawJoint]
) -> Tuple[List[RawJoint], List[RawLoop]]:
    """Return the joints with followers and locks, and the loops."""
    by_name = {joint.name: joint for joint in joints}
    loops: List[RawLoop] = []
    for section in root.all("equality"):
        for element in section.all("connect", "weld", "joint"):
            attrs = world.classes.attributes_of(element, "", ("equality",))
            if attrs.word("active", ("true", "false")) == "false":
                element.leave(INACTIVE)
            elif element.tag == "joint":
                _tie(attrs, world, by_name, loops)
            else:
                loops += _loop(attrs, world)
    return list(by_name.values()), loops


def _tie(
    attrs: AttributesWithDefaults,
    world: NamedMjcfElements,
    by_name: Dict[str, RawJoint],
    loops: List[RawLoop],
) -> None:
    """Let a joint follow another, or lock it; a polynomial of a higher degree is a loop of kind "polynomial"."""
    element = attrs.element
    follower = world.joint(element, attrs.get("joint1") or "")
    name = attrs.get("joint2")
    leader = world.joint(element, name) if name is not None else None
    if follower is None or name is not None and leader is None:
        return
    factors = attrs.numbers("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), 1)
    raw = by_name[follower.name]
    # polycoef is relative to the reference of the joint, positions in files are not.
    if leader is None:
        # A joint that is held by an equality is one whose limits meet.
        position = follower.reference + factors[0]
        kind = "revolute" if raw.type == "continuous" else raw.type
        by_name[raw.name] = raw._replace(type=kind, lower=position, upper=position)
    elif any(factors[2:]):
        links = (raw.child, by_name[leader.name].child)
        a0, *rest = composed_polynomial(factors, 1.0, -leader.reference)
        loops.append(
            RawLoop(
                name=attrs.get("name") or raw.name,
                kind="polynomial",
                links=links,
                T_link_end=(IDENTITY_POSE, IDENTITY_POSE),
                line=element.line,
                polynomial=(a0 + follower.reference, *rest),
            )
        )
    elif raw.mimic is not None or _follows(leader.name, raw.name, by_name):
        element.leave("its joint follows another already")
    else:
        # q - ref = a0 + a1 (q_leader - ref_leader)
        offset = follower.reference + factors[0] - factors[1] * leader.reference
        by_name[raw.name] = raw._replace(mimic=RawMimic(leader.name, factors[1], offset))


def _follows(name: str, leader: str, by_name: Dict[str, RawJoint]) -> bool:
    """Return True if a joint is another one, or follows it, also through others."""
    mimic = by_name[name].mimic
    while name != leader and mimic is not None:
        name = mimic.leader
        mimic = by_name[mimic.leader].mimic
    return name == leader


def _loop(attrs: AttributesWithDefaults, world: NamedMjcfElements) -> List[RawLoop]:
    """Return a `<connect>` or `<weld>`, given by sites or by bodies in the pose of the file."""
    element = attrs.element
    attrs.get("name")
    kind = "point" if element.tag == "connect" else "frame"
    first_site = attrs.get("site1")
    second_site = attrs.get("site2")
    if first_site is not None and second_site is not None:
        first, first_link = world.site(element, first_site)
        second, second_link = world.site(element, second_site)
        links = (first_link, second_link)
        if not world.knows(element, *links):
            return []
        ends = (first.pose, second.pose)
    else:
        links = (
            attrs.get("body1") or element.refuse(f"{element!r} names neither bodies nor sites"),
            attrs.get("body2") or WORLD,
        )
        if not world.knows(element, *links):
            return []
        T_first_second = compose(inverse(world.poses[links[0]]), world.poses[links[1]])
        ends = _ends_of_bodies(attrs, kind, T_first_second)
    if kind == "point":  # its frames turn freely
        ends = (Transform(IDENTITY, ends[0].translation), Transform(IDENTITY, ends[1].translation))
    loop = RawLoop(
        name=attrs.get("name") or "", kind=kind, links=links, T_link_end=ends, line=element.line
    )
    return [loop]


def _ends_of_bodies(
    attrs: AttributesWithDefaults, kind: str, T_first_second: Transform
) -> Tuple[Transform, Transform]:
    """Return the ends of a loop between two bodies, each in its body, given their pose in the file."""
    anchor = Transform(IDENTITY, position_of(attrs, "anchor"))
    # The anchor of a `<connect>` is in the first body, the anchor of a `<weld>` in the second one.
    if kind == "point":
        return anchor, compose(inverse(T_first_second), anchor)
    written = attrs.numbers("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    # A quaternion of zeros, the default, stands for the pose of the file (XML reference, "weld").
    if not any(written[3:]):
        return compose(T_first_second, anchor), anchor
    return Transform(rotation_of_wxyz(written[3:]), vector_of(written[:3])), anchor


def read_apart(root: XmlElement, world: NamedMjcfElements) -> Iterator[Pair]:
    """Yield the pairs of links that never collide."""
    for section in root.all("contact"):
        for element in section.all("exclude"):
            # A value that is read counts as understood: the robot needs no name of a pair.
            element.get("name")
            pair = (element.get("body1") or "", element.get("body2") or "")
            if world.knows(element, *pair):
                yield pair


SERVOS = ("position", "intvelocity")
NUMBERS = ("gainprm", "biasprm", "dynprm")
TYPES = ("gaintype", "biastype", "dyntype")
# Gain, bias and dynamics of each as a general actuator (XML reference, "actuator").
SHORTCUTS: Dict[str, Tuple[str, str, str]] = {
    "motor": ("fixed", "none", "none"),
    "position": ("fixed", "affine", "none"),
    "velocity": ("fixed", "affine", "none"),
    "intvelocity": ("fixed", "affine", "integrator"),
    "damper": ("affine", "none", "none"),
}
FILTERED = "filterexact"  # of a position actuator with a time constant


def read_actuators(
    root: XmlElement, world: NamedMjcfElements, joints: List[RawJoint]
) -> Tuple[List[RawActuator], List[RawJoint]]:
    """Return the actuators, and the joints, with the effort of their actuator where they have none themselves."""
    actuators: List[RawActuator] = []
    efforts: Dict[str, List[Optional[float]]] = {}
    for section in root.all("actuator"):
        for element in section.all(*ACTUATORS):
            attrs = world.classes.attributes_of(element, "", ACTUATORS)
            name = attrs.get("joint") or attrs.get("jointinparent")
            if name is None:
                element.leave("it drives no joint")
                continue
            joint = world.joint(element, name)
            if joint is not None:
                actuator = _actuator(attrs, joint, world.settings)
                actuators.append(actuator)
                efforts.setdefault(name, []).append(_effort(actuator))
    # Several actuators may push together or against each other: only a single one is a bound.
    driven: List[RawJoint] = []
    for raw in joints:
        bounds = efforts.get(raw.name, [])
        if raw.effort is None and len(bounds) == 1:
            raw = raw._replace(effort=bounds[0])
        driven.append(raw)
    return actuators, driven


class ForceLaw(Record):
    """The force as a function of input, position and speed of the joint, in the terms of `<general>`."""

    gain: Reals = (1.0, 0.0, 0.0)
    bias: Reals = (0.0, 0.0, 0.0)
    dynamics: Reals = (1.0,)
    types: Tuple[str, str, str] = SHORTCUTS["motor"]


def _actuator(
    attrs: AttributesWithDefaults, joint: JointElement, settings: MjcfSettings
) -> RawActuator:
    """Return an actuator of a joint, with its gains and ranges."""
    law = _law(attrs)
    kind = attrs.element.tag
    # The law counts, not its name: a <general> may be a servo.
    if kind == "general" or kind in SHORTCUTS:
        kind = _kind_of(law)
    gear = attrs.numbers("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)[0]
    values = _gains(kind, law, gear)
    force = is_limited(attrs, settings, "forcelimited", "forcerange")
    control = is_limited(attrs, settings, "ctrllimited", "ctrlrange")

    share = attrs.number("inheritrange", 0.0)
    if share > 0.0 and kind == "position" and control is None:
        if joint.limits is None:
            attrs.refuse(f"inheritrange, but joint '{joint.name}' has no range")
        # A part `share` of the range of the joint, about its middle (XML reference, "position").
        low, high = joint.limits
        middle = 0.5 * (low + high)
        half = 0.5 * share * (high - low)
        control = (middle - half, middle + half)

    if force:
        values["force_range"] = force
    if control:
        values["control_range"] = control
    return RawActuator(
        name=attrs.get("name") or joint.name,
        kind=kind,
        joint=joint.name,
        values=values,
        line=attrs.element.line,
    )


def _gains(kind: str, law: ForceLaw, gear: float) -> Values:
    """Return the numbers of a law in the words of its kind; a gear of 1 is left out where it is the default."""
    values: Values = {"gear": (gear,)} if gear != 1.0 else {}
    if kind == "motor":
        # The force is input times gain times gear: one factor is enough for both.
        values["gear"] = (gear * law.gain[0],)
    elif kind == "damper":
        values["kv"] = (-law.gain[2],)
    elif kind == "velocity":
        values["kv"] = law.gain[:1]
    elif kind in SERVOS:
        values["kp"] = law.gain[:1]
        if law.bias[2] < 0.0:
            values["kv"] = (-law.bias[2],)
    elif kind.startswith("general"):
        values["gear"] = (gear,)
        values["gain"] = law.gain
        values["bias"] = law.bias
        values["activation"] = law.dynamics
    # A positive third number of the bias is a ratio of damping, which needs the mass matrix: see with_damping.
    if law.types[1] == "affine" and law.bias[1] == -law.gain[0] and law.bias[2] > 0.0:
        values["damping_ratio"] = (law.bias[2],)
    return values


def _law(attrs: AttributesWithDefaults) -> ForceLaw:
    """Return the law of an actuator.

    Classes have one law for all actuators. A shortcut takes its numbers from a class of its kind, or of a general
    actuator; after another kind it starts from the defaults, and a motor always does.
    """
    law = ForceLaw()
    before = "general"
    # From the outermost class to the element itself.
    for element in reversed(attrs.chain):
        tag = element.tag
        if tag in SHORTCUTS and (tag == "motor" or before not in ("general", tag)):
            law = ForceLaw()
        if tag == "general":
            law = _general(element, law)
        elif tag in SERVOS:
            law = _servo(element, law)
        elif tag == "velocity":
            gain = number(element, "kv")
            gain = law.gain[0] if gain is None else gain
            law = law._replace(gain=(gain, 0.0, 0.0), bias=(0.0, 0.0, -gain))
        elif tag == "damper":
            law = law._replace(gain=(0.0, 0.0, -(number(element, "kv") or -law.gain[2])))
        if tag in SHORTCUTS:
            gain_type, bias_type, dynamics_type = SHORTCUTS[tag]
            # A time constant turns the activation of a shortcut into a filter, which stays.
            if law.types[2] == FILTERED:
                dynamics_type = FILTERED
            law = law._replace(types=(gain_type, bias_type, dynamics_type))
        before = tag
    return law


def _general(element: XmlElement, law: ForceLaw) -> ForceLaw:
    """Return the law of a `<general>`; trailing numbers and types that it lacks come from the earlier law."""
    written = [element.numbers(element.get(key) or "", 0, 10) for key in NUMBERS]
    before = (law.gain, law.bias, law.dynamics)
    gain, bias, dynamics = (_trimmed(new + old[len(new) :]) for new, old in zip(written, before))
    first, second, third = (element.get(key) or word for key, word in zip(TYPES, law.types))
    return ForceLaw(gain, bias, dynamics, (first, second, third))


def _trimmed(numbers: Reals) -> Reals:
    """Return numbers without trailing zeros, but at least three."""
    # MuJoCo has ten numbers, most of them 0; laws that differ in the number of written zeros are equal.
    least = max([3, *(count for count, value in enumerate(numbers, 1) if value)])
    return numbers[:least]


def _servo(element: XmlElement, law: ForceLaw) -> ForceLaw:
    """Return the law of `<position>` or `<intvelocity>`; a ratio of damping is kept as MuJoCo does, above zero."""
    kp = number(element, "kp")
    kv = number(element, "kv")
    ratio = number(element, "dampratio")
    time_constant = number(element, "timeconst")
    gain = law.gain[0] if kp is None else kp
    damping = law.bias[2] if kv is None else -kv
    types = law.types
    if time_constant and element.tag == "position":
        types = (*law.types[:2], FILTERED)
    return ForceLaw(
        gain=(gain, 0.0, 0.0),
        # The third number is -kv if it is negative, and a ratio of damping if it is positive.
        bias=(0.0, -gain, ratio or damping),
        dynamics=(time_constant,) if time_constant else law.dynamics,
        types=types,
    )


def _kind_of(law: ForceLaw) -> str:
    """Return the shortcut with the same law, or the types of a law that no shortcut has."""
    gain, *more = law.gain
    constant, position, speed, *rest = law.bias
    if law.types == SHORTCUTS["motor"]:
        return "motor"
    if law.types == SHORTCUTS["damper"] and (gain, more[0]) == (0.0, 0.0):
        return "damper"
    if (
        law.types in (SHORTCUTS["position"], SHORTCUTS["intvelocity"])
        and not constant
        and not any(rest)
    ):
        # A servo: force = gain (input - position).
        if position == -gain:
            return "position" if law.types == SHORTCUTS["position"] else "intvelocity"
        if position == 0.0 and speed == -gain and law.types == SHORTCUTS["velocity"]:
            return "velocity"
    return f"general ({', '.join(law.types)})"


def with_damping(robot: RawRobot) -> RawRobot:
    """Return a robot whose actuators have kv for a damping ratio r, as MuJoCo makes it: 2 r sqrt(kp M) / |gear|.

    M is the entry of the joint in the mass matrix in the pose of the file, with its armature (engine_setconst.c).
    """
    if not any("damping_ratio" in actuator.values for actuator in robot.actuators):
        return robot
    drawn = canonical(robot)
    inertia = {
        joint.raw.name: mass_matrix(drawn, {index: 0.0})[index, index]
        + joint.raw.values.get("armature", (0.0,))[0]
        for index, joint in enumerate(drawn.joints)
        if is_line(joint.motion)
    }

    def damped(actuator: RawActuator) -> RawActuator:
        """Return an actuator with kv in place of a damping ratio."""
        values = dict(actuator.values)
        if "damping_ratio" in values and actuator.joint in inertia:
            (ratio,) = values.pop("damping_ratio")
            gear = values.get("gear", (1.0,))[0]
            kp = values.get("kp", values.get("gain", ()))[0]
            kv = 2.0 * ratio * sqrt(kp * inertia[actuator.joint]) / abs(gear)
            bias = values.get("bias", ())
            if bias:
                values["bias"] = (*bias[:2], -kv, *bias[3:])
            else:
                values["kv"] = (kv,)
        return actuator._replace(values=values)

    return robot._replace(actuators=tuple(map(damped, robot.actuators)))


def _effort(actuator: RawActuator) -> Optional[float]:
    """Return the largest effort that an actuator gives its joint, None if nothing bounds it."""
    values = actuator.values
    gear = abs(values.get("gear", (1.0,))[0])
    bounds: List[float] = []
    if actuator.kind == "motor" and "control_range" in values:
        bounds.append(max(map(abs, values["control_range"])) * gear)
    if "force_range" in values and actuator.kind != "motor":
        bounds.append(max(map(abs, values["force_range"])) * gear)
    return min(bounds) if bounds else None
