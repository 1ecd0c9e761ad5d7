"""What ties and drives the joints of MJCF: equalities (followers, locks, loops), pairs apart, actuators."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, inverse, matrix_from_quaternion, Pose
from .mjcf_bodies import Body, Joint, Placed, UNBOUND, WORLD
from .mjcf_defaults import ACTUATORS, Classes, Said
from .mjcf_scene import Chosen, SCENE
from .mjcf_settings import is_limited, position_of, Settings
from .records import RawActuator, RawJoint, RawLoop, RawMimic
from .xml_text import Element

INACTIVE = "it is not active at the start"
SERVOS = ("position", "intvelocity")
NO_BIAS: Tuple[float, ...] = (0.0, 0.0, 0.0)
GENERAL = {"gaintype": "fixed", "biastype": "none", "dyntype": "none"}
SHORTCUTS: Dict[str, Dict[str, str]] = {  # what they are as a general actuator
    "motor": {}, "position": {"biastype": "affine"}, "velocity": {"biastype": "affine"},
    "intvelocity": {"biastype": "affine", "dyntype": "integrator"}}


class World(NamedTuple):
    """What sections name: joints and sites with their bodies, and T_world_body in the pose that the file draws."""

    classes: Classes
    settings: Settings
    chosen: Chosen
    joints: Dict[str, Tuple[Joint, str]]
    sites: Dict[str, Tuple[Placed, str]]
    poses: Dict[str, Pose]

    def joint(self, element: Element, name: str) -> Optional[Joint]:
        """Return a joint of the robot; None for one of the rest of the scene, and the element is left.

        Raises:
            BrokenRobot: no joint of the file has this name.
        """
        if name not in self.joints:
            element.refuse(f"{element!r}: joint '{name}' is not there")
        joint, body = self.joints[name]
        if body not in self.chosen.names or joint.type in UNBOUND:
            element.leave(SCENE if joint.type not in UNBOUND else "its joint has no position of one number")
            return None
        return joint

    def knows(self, element: Element, *bodies: str) -> bool:
        """Return True if these bodies are of the robot; else the element is left.

        Raises:
            BrokenRobot: no body of the file has such a name.
        """
        for name in bodies:
            if name not in self.poses:
                element.refuse(f"{element!r}: body '{name}' is not there")
        if all(name in self.chosen.names for name in bodies):
            return True
        element.leave(SCENE)
        return False

    def site(self, element: Element, name: str) -> Tuple[Placed, str]:
        """Return a site and its body.

        Raises:
            BrokenRobot: no site of the file has this name.
        """
        if name not in self.sites:
            element.refuse(f"{element!r}: site '{name}' is not there")
        return self.sites[name]


def world_of(classes: Classes, settings: Settings, chosen: Chosen) -> World:
    """Return what sections name."""
    joints: Dict[str, Tuple[Joint, str]] = {}
    sites: Dict[str, Tuple[Placed, str]] = {}
    poses: Dict[str, Pose] = {}
    bodies: List[Body] = list(chosen.bodies)
    for body in bodies:
        joints.update({joint.name: (joint, body.name) for joint in body.joints})
        sites.update({site.name: (site, body.name) for site in body.sites if site.name})
        poses[body.name] = compose(poses[bodies[body.parent].name], body.pose) if body.parent >= 0 else IDENTITY_POSE
    return World(classes, settings, chosen, joints, sites, poses)


def read_equalities(root: Element, world: World, joints: List[RawJoint]) -> Tuple[List[RawJoint], List[RawLoop]]:
    """Return the joints with followers and locks, and the loops."""
    by_name = {joint.name: joint for joint in joints}
    loops: List[RawLoop] = []
    for section in root.all("equality"):
        for element in section.all("connect", "weld", "joint"):
            said = world.classes.said(element, "", ("equality",))
            if said.word("active", ("true", "false")) == "false":
                element.leave(INACTIVE)
            elif element.tag == "joint":
                _tie(said, world, by_name, loops)
            else:
                loops += _loop(said, world)
    return list(by_name.values()), loops


def _tie(said: Said, world: World, by_name: Dict[str, RawJoint], loops: List[RawLoop]) -> None:
    """Let a joint follow another, or lock it; a curve of a higher degree is a loop of its own kind."""
    element = said.element
    follower = world.joint(element, said.get("joint1") or "")
    name = said.get("joint2")
    leader = world.joint(element, name) if name is not None else None
    if follower is None or name is not None and leader is None:
        return
    factors = said.numbers("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), 1)
    own = by_name[follower.name]
    if leader is None:
        position = follower.reference + factors[0]
        kind = "revolute" if own.type == "continuous" else own.type
        by_name[own.name] = own._replace(type=kind, lower=position, upper=position)
    elif any(factors[2:]):
        links = (own.child, by_name[leader.name].child)
        loops.append(RawLoop(said.get("name") or own.name, "polynomial", links, (IDENTITY_POSE, IDENTITY_POSE),
                             element.line))
    elif own.mimic is not None or _follows(leader.name, own.name, by_name):
        element.leave("its joint follows another already")
    else:
        offset = follower.reference + factors[0] - factors[1] * leader.reference
        by_name[own.name] = own._replace(mimic=RawMimic(leader.name, factors[1], offset))


def _follows(name: str, leader: str, by_name: Dict[str, RawJoint]) -> bool:
    """Return True if a joint is another one, or follows it in the end."""
    mimic = by_name[name].mimic
    while name != leader and mimic is not None:
        name, mimic = mimic.leader, by_name[mimic.leader].mimic
    return name == leader


def _loop(said: Said, world: World) -> List[RawLoop]:
    """Return a `<connect>` or `<weld>`, given by sites or by bodies in the pose that the file draws."""
    element = said.element
    said.get("name")
    first, second = said.get("site1"), said.get("site2")
    if first is not None and second is not None:
        sites = (world.site(element, first), world.site(element, second))
        links = (sites[0][1], sites[1][1])
        ends = (sites[0][0].pose, sites[1][0].pose)
    else:
        links = (said.get("body1") or element.refuse(f"{element!r} names neither bodies nor sites"),
                 said.get("body2") or WORLD)
    if not world.knows(element, *links):
        return []
    kind = "point" if element.tag == "connect" else "frame"
    if first is None or second is None:
        T_first_second = compose(inverse(world.poses[links[0]]), world.poses[links[1]])
        anchor = Pose(IDENTITY, position_of(said, "anchor"))
        if kind == "point":
            ends = (anchor, compose(inverse(T_first_second), anchor))
        else:
            x, y, z, w, a, b, c = said.numbers("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            relative = Pose(matrix_from_quaternion((a, b, c, w)), (x, y, z)) if any((w, a, b, c)) else compose(
                T_first_second, anchor)
            ends = (relative, anchor)
    if kind == "point":
        ends = (Pose(IDENTITY, ends[0].translation), Pose(IDENTITY, ends[1].translation))
    return [RawLoop(said.get("name") or "", kind, links, ends, element.line)]


def read_apart(root: Element, world: World) -> List[Tuple[str, str]]:
    """Return the pairs of links that never touch."""
    found: List[Tuple[str, str]] = []
    for section in root.all("contact"):
        for element in section.all("exclude"):
            element.get("name")
            pair = (element.get("body1") or "", element.get("body2") or "")
            if world.knows(element, *pair):
                found.append(pair)
    return found


def read_actuators(root: Element, world: World, joints: List[RawJoint]) -> Tuple[List[RawActuator], List[RawJoint]]:
    """Return the actuators, and the joints with the effort that these leave them where they say none themselves."""
    found: List[RawActuator] = []
    efforts: Dict[str, List[Optional[float]]] = {}
    for section in root.all("actuator"):
        for element in section.all(*ACTUATORS):
            said = world.classes.said(element, "", ACTUATORS)
            name = said.get("joint") or said.get("jointinparent")
            if name is None:
                element.leave("it drives no joint")
                continue
            joint = world.joint(element, name)
            if joint is not None:
                actuator = _actuator(said, joint, world.settings)
                found.append(actuator)
                efforts.setdefault(name, []).append(_effort(actuator))
    said_by_motors = {name: max(part for part in parts if part is not None) for name, parts in efforts.items()
                      if len(parts) == 1 and parts[0] is not None}
    return found, [joint._replace(effort=said_by_motors[joint.name])
                   if joint.effort is None and joint.name in said_by_motors else joint for joint in joints]


def _actuator(said: Said, joint: Joint, settings: Settings) -> RawActuator:
    gain, bias, kind = _law(said)
    values: Dict[str, Tuple[float, ...]] = {}
    gear = said.numbers("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
    if kind == "motor":
        values["gear"] = (gear[0] * gain,)
    elif gear[0] != 1.0:
        values["gear"] = gear[:1]
    if kind in ("position", "intvelocity"):
        values["kp"] = (gain,)
    if kind == "velocity":
        values["kv"] = (gain,)
    elif kind in ("position", "intvelocity") and bias[2] < 0.0:
        values["kv"] = (-bias[2],)
    ratio = said.number("dampratio", 0.0)
    if ratio > 0.0:
        values["damping_ratio"] = (ratio,)
    force = is_limited(said, settings, "forcelimited", "forcerange")
    control = is_limited(said, settings, "ctrllimited", "ctrlrange")
    share = said.number("inheritrange", 0.0)
    if share > 0.0 and kind == "position" and control is None:
        if joint.limits is None:
            said.element.refuse(f"{said.element!r}: inheritrange, but joint '{joint.name}' has no range")
        middle, half = 0.5 * (joint.limits[0] + joint.limits[1]), 0.5 * share * (joint.limits[1] - joint.limits[0])
        control = (middle - half, middle + half)
    values.update({"force_range": force} if force else {})
    values.update({"control_range": control} if control else {})
    return RawActuator(said.get("name") or joint.name, kind, joint.name, values, said.element.line)


def _law(said: Said) -> Tuple[float, Tuple[float, ...], str]:
    """Return gain, bias and kind: what force is made of the input, and of the joint's position and speed.

    Classes have one law for all actuators. A shortcut takes its numbers from one of its own kind, or from a general
    one; behind another kind it begins anew, and a motor always does.
    """
    gain, bias, general, before = 1.0, NO_BIAS, dict(GENERAL), "general"
    for element in reversed(said.chain):
        tag = element.tag
        if tag in SHORTCUTS and (tag == "motor" or before not in ("general", tag)):
            gain, bias = 1.0, NO_BIAS
        if tag == "general":
            gain = element.numbers(element.get("gainprm") or repr(gain), 1, 10)[0]
            text = element.get("biasprm")
            said_bias = element.numbers(text, 1, 10) if text is not None else ()
            bias = said_bias[:3] + bias[len(said_bias):]
            general = {key: element.get(key) or value for key, value in general.items()}
        elif tag in SERVOS:
            gain = element.numbers(element.get("kp") or repr(gain), 1)[0]
            damping = element.get("kv")
            bias = (0.0, -gain, -element.numbers(damping, 1)[0] if damping is not None else bias[2])
        elif tag == "velocity":
            gain = element.numbers(element.get("kv") or repr(gain), 1)[0]
            bias = (0.0, 0.0, -gain)
        if tag in SHORTCUTS:
            general = {**GENERAL, **SHORTCUTS[tag]}
        before = tag
    kind = said.element.tag
    if kind == "general":
        kind = _kind_of(gain, bias, general)
        if kind == "general":  # a law that no other format has: its numbers are listed, not read
            said.element.read -= {"gainprm", "biasprm", *GENERAL}
    return gain, bias, kind


def _kind_of(gain: float, bias: Tuple[float, ...], general: Dict[str, str]) -> str:
    """Return which shortcut a general actuator is."""
    if (general["gaintype"], general["dyntype"]) == ("fixed", "none"):
        if general["biastype"] == "none":
            return "motor"
        if general["biastype"] == "affine" and bias[0] == 0.0:
            if bias[1] == -gain and gain:
                return "position"
            if bias[1] == 0.0 and bias[2] == -gain and gain:
                return "velocity"
    return "general"


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


