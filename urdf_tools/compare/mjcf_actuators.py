"""What drives the joints of MJCF: actuators by their law, whatever shortcut writes it."""
from math import sqrt
from typing import Dict, List, NamedTuple, Optional, Tuple

from .canonical import canonical
from .mass_matrix import mass_matrix
from .mjcf_bodies import Joint
from .mjcf_control import World
from .mjcf_settings import ACTUATORS, Attributes, is_limited, Settings
from .reading import number
from .records import RawActuator, RawJoint, RawRobot
from .robot_map import is_line
from .xml_text import Element

SERVOS = ("position", "intvelocity")
NUMBERS = ("gainprm", "biasprm", "dynprm")
TYPES = ("gaintype", "biastype", "dyntype")
SHORTCUTS: Dict[str, Tuple[str, str, str]] = {  # their types as a general actuator (XML reference, "actuator")
    "motor": ("fixed", "none", "none"), "position": ("fixed", "affine", "none"),
    "velocity": ("fixed", "affine", "none"), "intvelocity": ("fixed", "affine", "integrator"),
    "damper": ("affine", "none", "none")}
FILTERED = "filterexact"  # of a position actuator with a time constant


def read_actuators(root: Element, world: World, joints: List[RawJoint]) -> Tuple[List[RawActuator], List[RawJoint]]:
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
    of_motors = {name: max(part for part in parts if part is not None) for name, parts in efforts.items()
                 if len(parts) == 1 and parts[0] is not None}
    return actuators, [joint._replace(effort=of_motors[joint.name])
                       if joint.effort is None and joint.name in of_motors else joint for joint in joints]


class Law(NamedTuple):
    """The force as a function of input, position and speed of the joint, in the terms of `<general>`."""

    gain: Tuple[float, ...] = (1.0, 0.0, 0.0)
    bias: Tuple[float, ...] = (0.0, 0.0, 0.0)
    dynamics: Tuple[float, ...] = (1.0,)
    types: Tuple[str, str, str] = SHORTCUTS["motor"]


def _actuator(attrs: Attributes, joint: Joint, settings: Settings) -> RawActuator:
    law, kind = _law(attrs), attrs.element.tag
    if kind == "general" or kind in SHORTCUTS:
        kind = _kind_of(law)
    gear = attrs.numbers("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)[0]
    values: Dict[str, Tuple[float, ...]] = {"gear": (gear,)} if gear != 1.0 else {}
    if kind == "motor":
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
        values.update({"gear": (gear,), "gain": law.gain, "bias": law.bias, "activation": law.dynamics})
    # A positive third number of the bias is a ratio of damping, which needs the mass matrix: see with_damping.
    if law.types[1] == "affine" and law.bias[1] == -law.gain[0] and law.bias[2] > 0.0:
        values["damping_ratio"] = (law.bias[2],)
    force = is_limited(attrs, settings, "forcelimited", "forcerange")
    control = is_limited(attrs, settings, "ctrllimited", "ctrlrange")
    share = attrs.number("inheritrange", 0.0)
    if share > 0.0 and kind == "position" and control is None:
        if joint.limits is None:
            attrs.element.refuse(f"{attrs.element!r}: inheritrange, but joint '{joint.name}' has no range")
        middle, half = 0.5 * (joint.limits[0] + joint.limits[1]), 0.5 * share * (joint.limits[1] - joint.limits[0])
        control = (middle - half, middle + half)
    values.update({"force_range": force} if force else {})
    values.update({"control_range": control} if control else {})
    return RawActuator(attrs.get("name") or joint.name, kind, joint.name, values, attrs.element.line)


def _law(attrs: Attributes) -> Law:
    """Return the law of an actuator.

    Classes have one law for all actuators. A shortcut takes its numbers from a class of its kind, or of a general
    actuator; after another kind it starts from the defaults, and a motor always does.
    """
    law, before = Law(), "general"
    for element in reversed(attrs.chain):
        tag = element.tag
        if tag in SHORTCUTS and (tag == "motor" or before not in ("general", tag)):
            law = Law()
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
            law = law._replace(types=(*SHORTCUTS[tag][:2], FILTERED if law.types[2] == FILTERED else SHORTCUTS[tag][2]))
        before = tag
    return law


def _general(element: Element, law: Law) -> Law:
    """Return the law of a `<general>`; trailing numbers and types that it lacks come from the earlier law."""
    written = [element.numbers(element.get(key) or "", 0, 10) for key in NUMBERS]
    before = (law.gain, law.bias, law.dynamics)
    gain, bias, dynamics = (_trimmed(new + old[len(new):]) for new, old in zip(written, before))
    first, second, third = (element.get(key) or word for key, word in zip(TYPES, law.types))
    return Law(gain, bias, dynamics, (first, second, third))


def _trimmed(numbers: Tuple[float, ...]) -> Tuple[float, ...]:
    """Return numbers without trailing zeros, but at least three."""
    least = max([3, *(count for count, value in enumerate(numbers, 1) if value)])
    return numbers[:least]


def _servo(element: Element, law: Law) -> Law:
    """Return the law of `<position>` or `<intvelocity>`; a ratio of damping is kept as MuJoCo does, above zero."""
    kp, kv, ratio, constant = (number(element, key) for key in ("kp", "kv", "dampratio", "timeconst"))
    gain = law.gain[0] if kp is None else kp
    damping = law.bias[2] if kv is None else -kv
    types = (*law.types[:2], FILTERED) if constant and element.tag == "position" else law.types
    return Law((gain, 0.0, 0.0), (0.0, -gain, ratio or damping), (constant,) if constant else law.dynamics, types)


def _kind_of(law: Law) -> str:
    """Return which shortcut does the same as a law; of none, its types."""
    (gain, *more), (constant, position, speed, *rest) = law.gain, law.bias
    if law.types == SHORTCUTS["motor"]:
        return "motor"
    if law.types == SHORTCUTS["damper"] and (gain, more[0]) == (0.0, 0.0):
        return "damper"
    if law.types in (SHORTCUTS["position"], SHORTCUTS["intvelocity"]) and not constant and not any(rest):
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
    inertia = {joint.raw.name: mass_matrix(drawn, {index: 0.0})[index, index] + joint.raw.values.get(
        "armature", (0.0,))[0] for index, joint in enumerate(drawn.joints) if is_line(joint.motion)}

    def damped(actuator: RawActuator) -> RawActuator:
        values = dict(actuator.values)
        if "damping_ratio" in values and actuator.joint in inertia:
            ratio, gear = values.pop("damping_ratio")[0], values.get("gear", (1.0,))[0]
            kp = values.get("kp", values.get("gain", ()))[0]
            kv = 2.0 * ratio * sqrt(kp * inertia[actuator.joint]) / abs(gear)
            bias = values.get("bias", ())
            values.update({"bias": (*bias[:2], -kv, *bias[3:])} if bias else {"kv": (kv,)})
        return actuator._replace(values=values)

    return robot._replace(actuators=tuple(map(damped, robot.actuators)))


def _effort(actuator: RawActuator) -> Optional[float]:
    """Return the largest effort that an actuator gives its joint, None if nothing bounds it."""
    values = actuator.values
    gear = abs(values.get("gear", (1.0,))[0])
    bounds = []
    if actuator.kind == "motor" and "control_range" in values:
        bounds.append(max(map(abs, values["control_range"])) * gear)
    if "force_range" in values and actuator.kind != "motor":
        bounds.append(max(map(abs, values["force_range"])) * gear)
    return min(bounds) if bounds else None
