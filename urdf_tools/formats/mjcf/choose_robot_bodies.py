"""Which bodies of an MJCF file are the robot: the rest of the scene is left out, and named."""

from __future__ import annotations

from itertools import chain
from math import fsum
from typing import AbstractSet, Dict, List, Optional, Sequence, Set, Tuple

from ...base.type_aliases import Texts
from ...base.number_text import shown_names
from ...robot.raw_robot import RawFrame, RawJoint, RawLink, RawShape, UnreadElement
from ...robot.principal_axes import multiple
from ...urdf.spatial_math import (
    cross,
    IDENTITY_POSE,
    MassProperties,
    norm,
    Transform,
    subtract,
    ZERO,
)
from ..reader_helpers import SCENE
from .mujoco_mesh_masses import MeshMasses
from .read_mjcf_bodies import BodyElement, BodyInertial, inertial_of, JointElement, unused
from .read_mjcf_settings import DefaultClasses, MjcfSettings

FLOORS = ("plane", "hfield")
TYPES = {"hinge": "continuous", "slide": "prismatic", "ball": "ball", "free": "floating"}


class ChosenBodies:
    """The bodies of the robot, by number, and the root; sentences about the rest.

    Attributes:
        free: its root has a free joint; else its root is the world.
        whole: all that is in the world is the robot, whose root is the world.
    """

    def __init__(
        self, bodies: Sequence[BodyElement], classes: DefaultClasses, *, whole: bool = False
    ) -> None:
        """Choose the robot of a file; `whole`: all bodies are the robot."""
        self.bodies = bodies
        self.classes = classes
        self.whole = whole
        self.root = 0
        self.inside = list(range(len(bodies)))
        self.notes: Texts = ()
        self.free = False
        if not whole:
            self._choose(_tops(bodies))
        self.names = {bodies[number].name for number in self.inside}

    def _choose(self, tops: Sequence[int]) -> None:
        """Choose the bodies of a scene that are the robot."""
        self.root = self._free_tree(tops)
        self.free = self.root > 0
        kin = self._kin(tops)
        # A free part and what the world holds are one robot: then the world is its root.
        if self.free and len(kin) > 1:
            self.free = False
            self.root = 0
        inside = {self.root}
        for number, body in enumerate(self.bodies):
            # All bodies below the root are its own; a child of the world may be an object of the scene.
            if body.parent in inside and (body.parent or number in kin):
                inside.add(number)
        self.inside = sorted(inside)
        self.notes = self._leave(tops)

    def _free_tree(self, tops: Sequence[int]) -> int:
        """Return the free tree with the most joints, 0 if all that is fixed to the world has more."""
        counts = {0: 0}
        for top, body in zip(tops, self.bodies):
            # All that is fixed to the world is one robot, each free tree another.
            group = top if self.bodies[top].free else 0
            moving = sum(joint.type != "free" for joint in body.joints)
            counts[group] = counts.get(group, 0) + moving
        fixed = counts.pop(0)
        most = max(counts.values(), default=-1)
        # A free tree with fewer joints is an object beside the robot.
        if most < fixed:
            return 0
        robots = [number for number, count in counts.items() if count == most]
        if most and len(robots) > 1:
            names = " and ".join(f"'{self.bodies[number].name}'" for number in robots[:2])
            self.bodies[robots[1]].element.refuse(
                f"a scene of several robots: {names} have as many joints as each other; "
                "compare files of one robot"
            )
        return robots[0]

    def _kin(self, tops: Sequence[int]) -> Set[int]:
        """Return the children of the world that are parts of the robot, and 0 if the world itself holds one.

        A part has the class of the robot. It may float beside what the world holds.
        """
        above = {number for number, top in enumerate(tops) if number == top} - {0}
        # A mocap body is moved by the program, such as a target to reach for.
        above = {number for number in above if not self.bodies[number].mocap}
        own = {self.root}
        if not self.free:
            own = {number for number in above if not self.bodies[number].free}
        classes = {number: self.bodies[number].element.get("childclass") for number in above}
        # A writer that gives all bodies of a robot one class (`childclass`) shows which bodies are its own.
        named = {classes[number] for number in own} - {None}
        world = self.bodies[0]
        shown = [geom.element for geom in world.geoms if geom.type not in FLOORS]
        shown += [site.attrs.element for site in world.sites]
        classes_shown = [each.get("class") for each in shown]
        if any(self.classes.is_within(name, named) for name in classes_shown):
            own.add(0)
        return own | {number for number in above if classes[number] in named}

    def _leave(self, tops: Sequence[int]) -> Texts:
        """Mark the objects beside the robot as unread, and return a note."""
        inside = {0, *self.inside}
        objects = [
            body
            for number, body in enumerate(self.bodies)
            if tops[number] == number and number not in inside
        ]
        for body in objects:
            body.element.leave(SCENE)
        world = self.bodies[0]
        if self.free:
            for child in world.element.children:
                if child.tag != "body" and child.tag != "frame":
                    child.leave(SCENE)
        for geom in world.geoms:
            if geom.type in FLOORS or self.free:
                geom.element.leave(SCENE)
        if not objects:
            return ()
        robot = f"'{self.bodies[self.root].name}'" if self.free else "what is fixed to the world"
        named = shown_names((f"'{body.name}'" for body in objects), 3)
        return (f"a scene: the robot is {robot}; left out: {named}",)


def _tops(bodies: Sequence[BodyElement]) -> List[int]:
    """Return for each body the number of the child of the world that it is in; the world is in itself."""
    tops: List[int] = []
    for number, body in enumerate(bodies):
        top = number if body.parent <= 0 else tops[body.parent]
        tops.append(top)
    return tops


def inertials_of(
    chosen: ChosenBodies, settings: MjcfSettings
) -> Tuple[Dict[int, BodyInertial], List[UnreadElement]]:
    """Return the mass properties of each body of the robot, and the geoms whose mass is not known.

    Raises:
        BrokenRobot: the mass of a body that moves is not known.
    """
    # A total mass is the mass of the whole file: bodies beside the robot take their part of it.
    has_total = settings.total_mass > 0.0
    everything = range(len(chosen.bodies)) if has_total else chosen.inside
    inertials: Dict[int, BodyInertial] = {}
    unknown: List[UnreadElement] = []
    meshes = MeshMasses()
    moving: Set[int] = set()
    for number in everything:
        body = chosen.bodies[number]
        # The root of a free robot moves without a joint of its own in the tree.
        if body.parent in moving or body.joints or body.parent >= 0 and chosen.free:
            moving.add(number)
        if number == 0:
            # The world never moves, so its mass does nothing.
            inertials[0] = BodyInertial()
            continue
        written_at = body.written, body.element.line
        inertials[number] = inertial = inertial_of(
            body.inertial, body.geoms, written_at, settings, meshes
        )
        if inertial.unknown is not None:
            element, what = inertial.unknown
            if number in moving or has_total:
                element.refuse(
                    f"the mass of body '{body.name}' comes from {what}: give the "
                    "body an <inertial> (save the compiled model)"
                )
            why = f"the mass of body '{body.name}', which never moves, comes from {what}: it counts as 0"
            unknown.append(UnreadElement(repr(element), why, element.line))
    if has_total:
        _scale(inertials, settings.total_mass)
    return inertials, unknown


def _scale(inertials: Dict[int, BodyInertial], total: float) -> None:
    """Scale all masses and tensors, so that the masses sum up to `settotalmass`."""
    whole = fsum(inertial.mass.mass for inertial in inertials.values() if inertial.mass is not None)
    for number, inertial in inertials.items():
        if inertial.mass is not None and whole > 0.0:
            mass, center, tensor = inertial.mass
            k = total / whole
            scaled = MassProperties(k * mass, center, multiple(k, tensor))
            inertials[number] = inertial._replace(mass=scaled)


def links_and_joints(
    chosen: ChosenBodies, inertials: Dict[int, BodyInertial], named: AbstractSet[str]
) -> Tuple[List[RawLink], List[RawJoint]]:
    """Return the robot as a tree of links: a body with several joints is a chain of links without mass.

    Args:
        named: names that other sections use: these joints are not joined into a planar one.
    """
    links: List[RawLink] = []
    joints: List[RawJoint] = []
    all_joints = chain.from_iterable(body.joints for body in chosen.bodies)
    joint_names = {joint.name for joint in all_joints}
    names = {*chosen.names, *named, *joint_names}
    for number in chosen.inside:
        body = chosen.bodies[number]
        if number != chosen.root:
            planar = _planar_joint(chosen, body, named)
            # A joint may have the name of a body.
            if planar is not None and planar.name not in joint_names | named:
                joint_names.add(planar.name)
                joints.append(planar)
            else:
                _hang(chosen, body, (links, joints), names)
        shapes: List[RawShape] = []
        for geom in body.geoms:
            # A plane or height field in the world is the floor of the scene.
            is_floor = number == 0 and not chosen.whole and geom.type in FLOORS
            if not is_floor:
                shapes += geom.shapes
        values = {"gravity": (body.falls,)} if body.falls is not None else {}
        links.append(
            RawLink(
                name=body.name,
                mass=inertials[number].raw(),
                shapes=tuple(shapes),
                values=values,
                line=body.element.line,
            )
        )
    return links, joints


def _hang(
    chosen: ChosenBodies,
    body: BodyElement,
    into: Tuple[List[RawLink], List[RawJoint]],
    names: Set[str],
) -> None:
    """Add the joints of a body, and the links between them."""
    links, joints = into
    parent = chosen.bodies[body.parent].name
    pose = body.pose
    # MuJoCo applies the joints of a body in order: the first is nearest to the parent.
    for joint in body.joints[:-1]:
        between = unused(f"{body.name}_{joint.name}", names)
        links.append(RawLink(between))  # without a line: the file has no such link
        joints.append(_raw_joint(joint, parent, between, pose))
        parent = between
        pose = IDENTITY_POSE
    if body.joints:
        joints.append(_raw_joint(body.joints[-1], parent, body.name, pose))
    else:
        name = unused(f"{body.name}_fixed", names)
        joints.append(
            RawJoint(
                name=name,
                type="fixed",
                parent=parent,
                child=body.name,
                T_parent_child=pose,
                line=body.element.line,
            )
        )


def _planar_joint(
    chosen: ChosenBodies, body: BodyElement, named: AbstractSet[str]
) -> Optional[RawJoint]:
    """Return the planar joint of a body, None for other joints, or if other sections use the name of one of the three."""
    name = planar_name(body.joints)
    if not name or any(joint.name in named for joint in body.joints):
        return None
    return RawJoint(
        name=name,
        type="planar",
        parent=chosen.bodies[body.parent].name,
        child=body.name,
        T_parent_child=body.pose,
        axis=body.joints[2].axis,
        values=body.joints[2].values,
        line=body.joints[0].element.line,
    )


def planar_name(joints: Sequence[JointElement]) -> str:
    """Return the name of a planar joint; "" for other joints.

    A planar joint is written as two slides and a hinge about their normal: NAME_x, NAME_y and NAME_yaw.
    """
    if [joint.type for joint in joints] != ["slide", "slide", "hinge"]:
        return ""
    x, y, yaw = joints
    name = x.name[:-2]
    is_named = (x.name, y.name, yaw.name) == (f"{name}_x", f"{name}_y", f"{name}_yaw")
    # Right-handed: the hinge turns from x to y. Axes are written with twelve digits.
    off = subtract(cross(x.axis, y.axis), yaw.axis)
    is_normal = norm(off) < 1e-9 and yaw.point == ZERO
    is_bare = all(
        (joint.limits, joint.reference, joint.effort, joint.values) == (None, 0.0, None, yaw.values)
        for joint in joints
    )
    return name if is_named and is_bare and is_normal else ""


def _raw_joint(joint: JointElement, parent: str, child: str, pose: Transform) -> RawJoint:
    """Return the joint between two links; `pose` is T_parent_child."""
    lower, upper = joint.limits or (None, None)
    kind = "revolute" if joint.type == "hinge" and joint.limits else TYPES[joint.type]
    if kind == "ball":
        lower = None  # the limits of a ball are 0 and the largest angle
    effort = max(map(abs, joint.effort)) if joint.effort else None
    return RawJoint(
        name=joint.name,
        type=kind,
        parent=parent,
        child=child,
        T_parent_child=pose,
        axis=joint.axis,
        point=joint.point,
        reference=joint.reference,
        lower=lower,
        upper=upper,
        effort=effort,
        values=joint.values,
        line=joint.element.line,
    )


def frames_of(chosen: ChosenBodies) -> List[RawFrame]:
    """Return the named sites."""
    frames: List[RawFrame] = []
    for number in chosen.inside:
        body = chosen.bodies[number]
        for site in body.sites:
            if site.name:
                frames.append(RawFrame(site.name, body.name, site.pose, site.attrs.element.line))
            else:
                site.attrs.element.leave("a site without a name")
    return frames
