"""The part of a robot from MJCF, SDF or USD that a format can represent; everything else is noted with its line.

The table LOSSES, which comparisons also use, has the names of values that a format cannot represent. Beyond the table, a
URDF has a single surface and script for all shapes of a link, and a single name space instead of several.
"""

from __future__ import annotations

from itertools import product
from typing import Iterable, Iterator, List, Mapping, Sequence, Set, Tuple, Union

from ..base.type_aliases import Reals
from ..base.diagnostics import Diagnostic, Diagnostics, Notes
from ..formats.mjcf.read_mjcf_bodies import unused
from ..formats.urdf.read_simulator_tags import FLAGS, SPRING
from ..formats.format_values import LOSSES, OF_LIMITS
from ..facts.contact_values import LINK_DIRECTION
from ..robot.rigid_bodies import is_empty
from ..robot.canonical_robot import canonical
from ..robot.raw_robot import (
    RawActuator,
    RawFrame,
    RawJoint,
    RawLink,
    RawLoop,
    RawRobot,
    RawSensor,
    RawShape,
    UnreadElement,
    VARIANT_SET,
)
from ..urdf.spatial_math import IDENTITY_POSE
from .input_diagnostics import INPUT_LOST, INPUT_READ, INPUT_RENAMED, INPUT_UNSELECTED

DRIVES = ("motor", "position", "velocity")  # the kinds of actuators that a transmission has
LOOPS = ("point", "frame", "revolute", "continuous", "prismatic", "fixed", "ball")
# Values of a joint in `<gazebo reference="JOINT">`.
NEEDS_REFERENCE = frozenset((*SPRING.values(), *FLAGS.values()))
# Values that a URDF could have, but that are not written into transmissions, and that no other format has.
NOT_WRITTEN = frozenset(("control_range", "reduction", "transmission_offset", *OF_LIMITS))
NO_FILE = "mesh without a file"  # a kind of geometry, in the words of a note
EARTH = (0.0, 0.0, -9.81)  # [m/s^2] the gravity with which a URDF, which has none, is simulated
Values = Mapping[str, Reals]


def keep_expressible(raw: RawRobot, format: str) -> Tuple[RawRobot, Notes]:
    """Return the part of a robot that a format can represent, and notes on everything else.

    The proof requires the returned part in the written file.

    Args:
        format: urdf, or json, which is the typed model.
    """
    losses = _Losses(format)
    losses.notes += [Diagnostic(INPUT_READ, 0, "note", (note,)) for note in raw.notes]
    robot = _with_distinct_names(_without_doubles(raw), losses)
    # In the order in which the notes are shown.
    links = [losses.of_link(link) for link in robot.links]
    joints = [losses.of_joint(joint) for joint in robot.joints]
    sensors = [losses.of_sensor(sensor) for sensor in robot.sensors]
    actuators = [
        losses.of_actuator(motor)
        for motor in robot.actuators
        if losses.has_place(motor, DRIVES, "actuator")
    ]
    loops = [loop for loop in robot.loops if losses.has_place(loop, LOOPS, "loop")]
    robot = robot._replace(
        links=tuple(links),
        joints=tuple(joints),
        sensors=tuple(sensors),
        actuators=tuple(actuators),
        loops=tuple(loops),
    )
    for unread in raw.unread:
        losses.of_unread(unread)
    return losses.of_world(robot), tuple(losses.notes)


class _Losses:
    """A collector of notes on losses.

    Attributes:
        names: the names of values that the format cannot represent.
        shared: all shapes of a link share their values, as in `<gazebo>` of a URDF.
    """

    def __init__(self, format: str) -> None:
        """Begin without notes."""
        self.shared = format == "urdf"
        self.names = {loss.what for loss in LOSSES[format]}
        if self.shared:
            self.names |= NOT_WRITTEN
        self.notes: Diagnostics = []

    def lose(self, line: int, sentence: str, *names: str) -> None:
        """Note that something cannot be represented."""
        self.notes.append(Diagnostic(INPUT_LOST, line, sentence, names))

    def of_unread(self, unread: UnreadElement) -> None:
        """Note an element or attributes that were not read."""
        names = (unread.element, unread.why)
        if unread.where == VARIANT_SET:
            self.notes.append(Diagnostic(INPUT_UNSELECTED, unread.line, "variants", names))
        else:
            self.lose(unread.line, "unread", *names)

    def of_values(
        self, values: Values, line: int, owner: str, name: str, more: Iterable[str] = ()
    ) -> Values:
        """Return the values that can be represented; the others, and further losses in `more`, make a single note.

        Args:
            owner, name: the part that has the values: "joint", and the name of the joint.
        """
        lost = [*(key.replace("_", " ") for key in values if key in self.names), *more]
        if lost:
            self.lose(line, "says", owner, name, ", ".join(lost))
        return {key: value for key, value in values.items() if key not in self.names}

    def of_joint(self, joint: RawJoint) -> RawJoint:
        """Return a joint with linear laws of damping and springs: the first number of a curve."""
        curves = [
            f"{key.replace('_', ' ')} as a curve"
            for key, value in joint.values.items()
            if any(value[1:])
        ]
        values = self.of_values(joint.values, joint.line, "joint", joint.name, more=curves)
        return joint._replace(values={key: value[:1] for key, value in values.items()})

    def of_link(self, link: RawLink) -> RawLink:
        """Return a link with gravity on or off, and with the shapes and values that can be represented."""
        # The share of its weight with which a link falls: the formats have only all or nothing.
        (weight,) = link.values.get("gravity", (1.0,))
        partly = [f"{weight:g} of its weight"] if weight not in (0.0, 1.0) else []
        values = dict(self.of_values(link.values, link.line, "link", link.name, more=partly))
        if partly:
            values.pop("gravity", None)
        shapes: List[RawShape] = []
        for shape in link.shapes:
            if self._has_geometry(shape, link.name):
                owner = f"{shape.role} of link"
                values_of_shape = dict(shape.surface)
                directed = []
                if shape.direction_link:
                    # A surface of the model has a direction along the axes of its shape alone.
                    values_of_shape.pop(LINK_DIRECTION, None)
                    directed = [f"direction1 along the axes of '{shape.direction_link}'"]
                surface = self.of_values(
                    values_of_shape, shape.line, owner, link.name, more=directed
                )
                shapes.append(shape._replace(surface=surface, direction_link=""))
        # A `<gazebo>` of a URDF has one surface for all collisions of a link, and one script for all visuals.
        if self.shared:
            collisions = [shape.surface for shape in shapes if shape.role == "collision"]
            scripts = {shape.script for shape in shapes if shape.role == "visual"}
            shapes = [self._as_all(shape, collisions, scripts, link.name) for shape in shapes]
        return link._replace(values=values, shapes=tuple(shapes))

    def _has_geometry(self, shape: RawShape, link: str) -> bool:
        """Return True for a geometry that can be represented, else note its loss."""
        geometry = shape.geometry
        if geometry == "mesh" and not shape.path and (shape.inline or not shape.file):
            geometry = NO_FILE
        if geometry != NO_FILE and geometry not in self.names:
            return True
        article = "an" if geometry[0] in "aeio" else "a"
        self.lose(shape.line, "geometry", link, shape.role, f"{article} {geometry}")
        return False

    def _as_all(
        self, shape: RawShape, collisions: List[Values], scripts: Set[str], link: str
    ) -> RawShape:
        """Return a shape with only the values, or the script, that all shapes of its role in the link have."""
        if shape.role == "visual":
            if len(scripts) == 1:
                return shape
            if shape.script:
                self.lose(shape.line, "alone", link, "visuals", "script")
            return shape._replace(script="")
        alone = [
            key
            for key, value in shape.surface.items()
            if any(surface.get(key) != value for surface in collisions)
        ]
        if alone:
            words = ", ".join(key.replace("_", " ") for key in alone)
            self.lose(shape.line, "alone", link, "collisions", words)
        shared = {key: value for key, value in shape.surface.items() if key not in alone}
        return shape._replace(surface=shared)

    def of_sensor(self, sensor: RawSensor) -> RawSensor:
        """Return a sensor without the elements that read it, and without texts that have no field."""
        words = dict.fromkeys(path or "attributes" for path, _, _ in sensor.words)
        values = self.of_values(
            sensor.values, sensor.line, "sensor", sensor.name, more=(*words, *sensor.readings)
        )
        return sensor._replace(values=values, words=(), readings=())

    def has_place(
        self, thing: Union[RawActuator, RawLoop], kinds: Sequence[str], sentence: str
    ) -> bool:
        """Return True for an actuator or a loop of a kind that can be represented, else note its loss."""
        if thing.kind not in kinds:
            self.lose(thing.line, sentence, thing.name, thing.kind)
        return thing.kind in kinds

    def of_actuator(self, actuator: RawActuator) -> RawActuator:
        """Return an actuator with the gains and ranges that can be represented; a gear of 1 is the default."""
        values = dict(actuator.values)
        if values.get("gear") == (1.0,):
            del values["gear"]
        kept = self.of_values(values, actuator.line, "actuator", actuator.name)
        return actuator._replace(values=kept)

    def of_world(self, robot: RawRobot) -> RawRobot:
        """Return a robot without the properties of the world around it."""
        if robot.format == "mjcf":
            for world_link, child in _touching_pairs(robot):
                self.lose(child.line, "touch", child.name, world_link.name)
        if robot.apart:
            count = float(len(robot.apart))
            self.notes.append(
                Diagnostic(kind=INPUT_LOST, line=0, sentence="apart", names=(), numbers=(count,))
            )
        if robot.keys:
            self.lose(0, "states", ", ".join(robot.keys))
        children = {joint.child for joint in robot.joints}
        root = next((link.name for link in robot.links if link.name not in children), "")
        if robot.base == "fixed" and root != "world":
            self.lose(0, "base", root)
            robot = robot._replace(base="")
        if robot.gravity not in (None, EARTH):
            self.lose(0, "gravity", " ".join(f"{part:g}" for part in robot.gravity))
        return robot._replace(apart=(), keys={}, gravity=None)


def _touching_pairs(robot: RawRobot) -> Iterator[Tuple[RawLink, RawLink]]:
    """Yield each link that is fixed to the world with each link of a body that moves on it, if both have collisions.

    MuJoCo lets them collide, because it does not exclude pairs of the world and its children. (Its documentation,
    Computation, "Collision detection")
    """
    if robot.base != "fixed":
        return
    canonical_robot = canonical(robot)
    solid_links: List[List[RawLink]] = []  # by body
    for body in canonical_robot.bodies:
        solid_links.append([part.link for part in body.parts if _is_solid(part.link)])
    held_bodies = {0}
    excluded_pairs = set(map(frozenset, robot.apart))
    for joint in canonical_robot.joints:
        if joint.parent not in held_bodies or joint.motion == "floating":
            continue
        # An empty body is between two joints of the same body of MuJoCo.
        if all(is_empty(part.link) for part in canonical_robot.bodies[joint.child].parts):
            held_bodies.add(joint.child)
        for a, b in product(solid_links[0], solid_links[joint.child]):
            if frozenset((a.name, b.name)) not in excluded_pairs:
                yield a, b


def _is_solid(link: RawLink) -> bool:
    """Return True if a link has a collision."""
    return any(shape.role == "collision" for shape in link.shapes)


def _without_doubles(raw: RawRobot) -> RawRobot:
    """Return a robot without frames that are equal to the frame of a link with the same name."""
    links = {link.name for link in raw.links}
    frames: List[RawFrame] = []
    for frame in raw.frames:
        is_link = frame.name == frame.link and frame.name in links
        if not (is_link and frame.T_link_frame == IDENTITY_POSE):
            frames.append(frame)
    return raw._replace(frames=tuple(frames))


def _with_distinct_names(raw: RawRobot, losses: _Losses) -> RawRobot:
    """Return a robot whose links and frames have different names, and also joints if a tag refers to them.

    `<gazebo reference="NAME">` refers to the link if a joint has the same name.
    """

    def renamed(role: str, name: str, line: int) -> str:
        """Return a free name for a frame or a joint, and note it."""
        new = unused(f"{name}_{role}", used_names)
        losses.notes.append(Diagnostic(INPUT_RENAMED, line, "name", (role, name, new)))
        return new

    used_names = {"world", *(link.name for link in raw.links)}
    frames: List[RawFrame] = []
    for frame in raw.frames:
        if frame.name in used_names:
            frame = frame._replace(name=renamed("frame", frame.name, frame.line))
        frames.append(frame)
        used_names.add(frame.name)
    # Joints without a reference keep their names, as only references are ambiguous.
    measured = {sensor.joint for sensor in raw.sensors}
    clashing: List[RawJoint] = []
    for joint in raw.joints:
        is_referred_to = joint.name in measured or not NEEDS_REFERENCE.isdisjoint(joint.values)
        if joint.name in used_names and is_referred_to:
            clashing.append(joint)
    used_names |= {joint.name for joint in raw.joints}
    names = {joint.name: renamed("joint", joint.name, joint.line) for joint in clashing}
    return _with_joint_names(raw._replace(frames=tuple(frames)), names)


def _with_joint_names(raw: RawRobot, names: Mapping[str, str]) -> RawRobot:
    """Return a robot with new names of joints, also where followers, sensors and actuators refer to them."""
    joints: List[RawJoint] = []
    for joint in raw.joints:
        if joint.mimic is not None:
            leader = names.get(joint.mimic.leader, joint.mimic.leader)
            joint = joint._replace(mimic=joint.mimic._replace(leader=leader))
        joints.append(joint._replace(name=names.get(joint.name, joint.name)))
    sensors = [
        sensor._replace(joint=names.get(sensor.joint, sensor.joint)) for sensor in raw.sensors
    ]
    actuators = [
        actuator._replace(joint=names.get(actuator.joint, actuator.joint))
        for actuator in raw.actuators
    ]
    return raw._replace(joints=tuple(joints), sensors=tuple(sensors), actuators=tuple(actuators))
