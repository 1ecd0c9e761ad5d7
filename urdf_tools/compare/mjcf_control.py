"""Sections of MJCF about joints and bodies: equalities (followers, locks, loops) and excluded pairs."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, inverse, matrix_from_quaternion, Pose
from .mjcf_bodies import Body, Joint, Placed, UNBOUND, WORLD
from .mjcf_settings import Attributes, Classes, position_of, Settings
from .mjcf_scene import Chosen, SCENE
from .reading import composed_polynomial
from .records import RawJoint, RawLoop, RawMimic
from .xml_text import Element

INACTIVE = "it is not active at the start"


class World(NamedTuple):
    """What sections name: joints and sites with their bodies, and T_world_body in the pose of the file."""

    classes: Classes
    settings: Settings
    chosen: Chosen
    joints: Dict[str, Tuple[Joint, str]]
    sites: Dict[str, Tuple[Placed, str]]
    poses: Dict[str, Pose]

    def joint(self, element: Element, name: str) -> Optional[Joint]:
        """Return a joint of the robot; None for a joint of the rest of the scene; the element is then marked unread.

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
        """Return True if these bodies are of the robot; else the element is marked unread.

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
            attrs = world.classes.attributes_of(element, "", ("equality",))
            if attrs.word("active", ("true", "false")) == "false":
                element.leave(INACTIVE)
            elif element.tag == "joint":
                _tie(attrs, world, by_name, loops)
            else:
                loops += _loop(attrs, world)
    return list(by_name.values()), loops


def _tie(attrs: Attributes, world: World, by_name: Dict[str, RawJoint], loops: List[RawLoop]) -> None:
    """Let a joint follow another, or lock it; a polynomial of a higher degree is a loop of kind "polynomial"."""
    element = attrs.element
    follower = world.joint(element, attrs.get("joint1") or "")
    name = attrs.get("joint2")
    leader = world.joint(element, name) if name is not None else None
    if follower is None or name is not None and leader is None:
        return
    factors = attrs.numbers("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), 1)
    raw = by_name[follower.name]
    if leader is None:  # polycoef is relative to the reference of the joint, positions in files are not
        position = follower.reference + factors[0]
        kind = "revolute" if raw.type == "continuous" else raw.type
        by_name[raw.name] = raw._replace(type=kind, lower=position, upper=position)
    elif any(factors[2:]):
        links = (raw.child, by_name[leader.name].child)
        a0, *rest = composed_polynomial(factors, 1.0, -leader.reference)
        loops.append(RawLoop(attrs.get("name") or raw.name, "polynomial", links, (IDENTITY_POSE, IDENTITY_POSE),
                             element.line, polynomial=(a0 + follower.reference, *rest)))
    elif raw.mimic is not None or _follows(leader.name, raw.name, by_name):
        element.leave("its joint follows another already")
    else:
        offset = follower.reference + factors[0] - factors[1] * leader.reference
        by_name[raw.name] = raw._replace(mimic=RawMimic(leader.name, factors[1], offset))


def _follows(name: str, leader: str, by_name: Dict[str, RawJoint]) -> bool:
    """Return True if a joint is another one, or follows it, also through others."""
    mimic = by_name[name].mimic
    while name != leader and mimic is not None:
        name, mimic = mimic.leader, by_name[mimic.leader].mimic
    return name == leader


def _loop(attrs: Attributes, world: World) -> List[RawLoop]:
    """Return a `<connect>` or `<weld>`, given by sites or by bodies in the pose of the file."""
    element = attrs.element
    attrs.get("name")
    first, second = attrs.get("site1"), attrs.get("site2")
    if first is not None and second is not None:
        sites = (world.site(element, first), world.site(element, second))
        links = (sites[0][1], sites[1][1])
        ends = (sites[0][0].pose, sites[1][0].pose)
    else:
        links = (attrs.get("body1") or element.refuse(f"{element!r} names neither bodies nor sites"),
                 attrs.get("body2") or WORLD)
    if not world.knows(element, *links):
        return []
    kind = "point" if element.tag == "connect" else "frame"
    if first is None or second is None:
        T_first_second = compose(inverse(world.poses[links[0]]), world.poses[links[1]])
        anchor = Pose(IDENTITY, position_of(attrs, "anchor"))
        if kind == "point":
            ends = (anchor, compose(inverse(T_first_second), anchor))
        else:
            x, y, z, w, a, b, c = attrs.numbers("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            relative = Pose(matrix_from_quaternion((a, b, c, w)), (x, y, z)) if any((w, a, b, c)) else compose(
                T_first_second, anchor)
            ends = (relative, anchor)
    if kind == "point":  # the frames of sites turn freely
        ends = (Pose(IDENTITY, ends[0].translation), Pose(IDENTITY, ends[1].translation))
    return [RawLoop(attrs.get("name") or "", kind, links, ends, element.line)]


def read_apart(root: Element, world: World) -> List[Tuple[str, str]]:
    """Return the pairs of links that never collide."""
    pairs: List[Tuple[str, str]] = []
    for section in root.all("contact"):
        for element in section.all("exclude"):
            element.get("name")
            pair = (element.get("body1") or "", element.get("body2") or "")
            if world.knows(element, *pair):
                pairs.append(pair)
    return pairs
