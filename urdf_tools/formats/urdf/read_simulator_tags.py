"""The parts of a URDF for simulators and drivers: `<gazebo>`, `<transmission>`, `<ros2_control>`, loops.

Which of several values counts is a fact of the format (sdformat src/parser_urdf.cc), in facts/simulator_values.py;
the reading here is for the comparison alone.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import (
    AbstractSet,
    Callable,
    Container,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ...base.type_aliases import Reals
from ...base.number_text import grouped, numbers_in
from ...facts.contact_values import contact_names, CONTACT_VALUES, LINK_DIRECTION
from ...facts.simulator_values import (
    BESIDE_SURFACE,
    counting,
    FALSE,
    lumped_links,
    SDF_TRUE,
    TRUE,
    values_of_bodies,
    value_of,
    WITHOUT_POSE,
)
from ...robot.rigid_bodies import is_empty
from ...robot.canonical_robot import drawn_places
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import (
    RawJoint,
    RawShape,
    NOT_READ,
    RawActuator,
    RawLink,
    RawLoop,
    RawRobot,
    RawSensor,
    SLIDING,
    TURNING,
    Values,
)
from ...urdf.spatial_math import compose, IDENTITY_POSE, inverse, Transform, Poses
from ..reader_helpers import (
    frame_of_direction,
    leaf,
    number_at,
    PARTLY,
    pose_of_sdf,
    rotation_of_rpy,
    sensor_of,
    unit_of,
    vector,
)
from ..xml_reader import XmlElement, paths_in

TAG = attrgetter("tag")
SURFACE = contact_names("tag", "name")  # of `<gazebo reference=LINK>`
# Of SDF's `<collision>` in it.
COLLISION = {row.path: row for row in CONTACT_VALUES}
OF_LINK = {
    "selfCollide": "self_collide",
    "self_collide": "self_collide",
    "turnGravityOff": "gravity",
    "gravity": "gravity",
    "dampingFactor": "velocity_decay",
}
SPRING = {
    "springStiffness": "stiffness",
    "springReference": "spring_reference",
    "stopCfm": "limit_cfm",
    "stopErp": "limit_erp",
    "fudgeFactor": "fudge_factor",
}
# Of a joint: yes or no.
FLAGS = {
    "provideFeedback": "provide_feedback",
    "implicitSpringDamper": "implicit_spring_damper",
    "cfmDamping": "implicit_spring_damper",
}
BOUNDS = ("lower", "upper", "effort", "velocity")  # of a `<limit>`
# The attributes of `<dynamics>` of a loop, by their names in VALUES.
OF_DYNAMICS = (
    "damping",
    "friction",
    *SPRING.values(),
    "provide_feedback",
    "implicit_spring_damper",
)
DRIVING = ("transmission", "ros2_control")  # elements that drive joints
KINDS = {"effort": "motor", "position": "position", "velocity": "velocity"}


def read_simulators(others: Sequence[XmlElement], robot: RawRobot) -> RawRobot:
    """Return the robot with the values of the other elements of `<robot>`."""
    links = {link.name: link for link in robot.links}
    # The first of several joints with one name has the values: a hostile robot has them.
    joints = {joint.name: joint for joint in reversed(robot.joints)}
    blocks: Dict[str, List[XmlElement]] = {}
    for top in others:
        reference = top.get("reference") or ""
        if top.tag == "gazebo" and (reference in links or reference in joints):
            blocks.setdefault(reference, []).append(top.take())
    loops = _loops_in(others, robot)
    sensors = tuple(_sensors_in(others, blocks, robot))
    for name, tops in blocks.items():
        inside = [*chain.from_iterable(top.children for top in tops)]
        # libsdformat puts the block into the link and into the joint, where both have the name (parser_urdf.cc).
        if name in links:
            links[name] = _link(links[name], inside, links)
        if name in joints:
            joint = joints[name]
            values = _spring(inside)
            joints[name] = joint._replace(values={**joint.values, **values})
    new_joints: List[RawJoint] = []
    for old in robot.joints:
        new = joints[old.name]
        # A later joint of the same name keeps its own values.
        new_joints.append(new if new.child == old.child else old)
    return robot._replace(
        links=_with_lumped_values([*links.values()], others),
        sensors=sensors,
        actuators=tuple(actuators_in(others)),
        joints=tuple(new_joints),
        loops=tuple(loops),
    )


def _loops_in(others: Sequence[XmlElement], robot: RawRobot) -> List[RawLoop]:
    """Return the loops that elements of `<robot>` close, first those in words of URDF."""
    loops: List[RawLoop] = []
    for top in others:
        if top.tag == "loop_joint":
            loops += _loop(top, "link1", "link2")
        elif top.tag == "loop":
            loops += _loop(top, "predecessor", "successor")
    if any(top.tag == "gazebo" and "joint" in map(TAG, top.children) for top in others):
        from .gazebo_loop_joints import loops_in_gazebo  # few files have a joint in a block

        loops += loops_in_gazebo(others, robot)
    return loops


def actuators_in(tops: Iterable[XmlElement]) -> Iterator[RawActuator]:
    """Yield what drives joints, of elements of `<robot>` in the order of the file."""
    for top in tops:
        if top.tag == "transmission":
            yield from read_transmission(top)
        elif top.tag == "ros2_control":
            yield from read_ros2_control(top)


def _link(link: RawLink, inside: Sequence[XmlElement], names: Container[str]) -> RawLink:
    """Return the link with its values, and with the surface that all its collisions get.

    A tag such as `<mu1>` overrides SDF's `<collision>` in the same block, whichever comes first (parser_urdf.cc).
    `names` are the names of all links.
    """
    said = _LinkTagValues({shape.role for shape in link.shapes}, names)
    blocks = grouped((id(tag.source.parent), tag) for tag in inside)
    for block in blocks.values():  # SDF first, so that the tags of a block override it
        for tag in sorted(block, key=lambda tag: tag.tag != "collision"):
            said.read(tag)
    surface = {**said.surface, **{name: several[0] for name, several in said.beside.items()}}
    script = _text(_counting(said.scripts)) if said.scripts else ""
    shapes: List[RawShape] = []
    for shape in link.shapes:
        if shape.role == "collision":
            # A model has the values of its own fields in its shapes already, and they count.
            has_own_direction = LINK_DIRECTION in shape.surface
            own = shape.direction_link if has_own_direction else said.direction_link
            shapes.append(shape._replace(surface={**surface, **shape.surface}, direction_link=own))
        else:
            shapes.append(shape._replace(script=script or shape.script))
    return link._replace(shapes=tuple(shapes), values={**link.values, **said.values()})


def _with_lumped_values(
    links: Sequence[RawLink], others: Sequence[XmlElement]
) -> Tuple[RawLink, ...]:
    """Return the links, with the values that sdformat reads for the whole body where they are lumped.

    It lumps links across fixed joints into one, and the first value of them counts for all with content; where
    none has any, for all, as one may get a mass.
    """
    root = next((top.source.parent for top in others if top.source is not None), None)
    if root is None:  # the robot is from JSON, which has the values in fields of its own
        return (*links,)
    lumped = lumped_links(root)
    parts_of = grouped((lumped[link.name].body, link) for link in links)
    values: Dict[str, Values] = {link.name: {} for link in links}
    for (body, what), tags in values_of_bodies(root, lumped).items():
        tag = counting(tags)
        value = value_in(tag.name, value_of(tag).lower())
        if value is None or what not in OF_LINK.values():
            continue
        parts = parts_of.get(body, [])
        with_content = [link for link in parts if not is_empty(link)]
        for link in with_content or parts:
            values[link.name][what] = value
    return tuple(link._replace(lumped_values=values[link.name]) for link in links)


class _LinkTagValues:
    """The values that tags give a link whose shapes have these roles; a tag for shapes it lacks is not read."""

    def __init__(self, roles: AbstractSet[str], links: Container[str]) -> None:
        self.links = links
        self.touches = "collision" in roles
        self.is_drawn = "visual" in roles
        self.by_name: Dict[str, List[XmlElement]] = {}
        self.surface: Values = {}
        self.direction_link = ""
        self.beside: Dict[
            str, List[Reals]
        ] = {}  # the first counts: a tag replaces it, SDF is appended
        self.scripts: List[XmlElement] = []

    def read(self, tag: XmlElement) -> None:
        """Read the next tag, or leave it."""
        name = SURFACE.get(tag.tag)
        text = _text(tag)
        value = value_in(tag.tag, text.lower()) if name is not None else None
        if tag.tag == "collision":
            self._read_collision(tag.take())
            for key in filter(self.surface.__contains__, BESIDE_SURFACE):
                self.beside.setdefault(key, []).append(self.surface.pop(key))
        elif name in BESIDE_SURFACE and value is not None and self.touches:
            self.beside[name] = [*self.beside.get(name, [])[1:], value]
            tag.take()
        elif tag.tag in OF_LINK:
            self.by_name.setdefault(OF_LINK[tag.tag], []).append(tag.take())
        elif name is not None and value is not None and self.touches:
            self.surface[name] = value
            if name == LINK_DIRECTION:
                self.direction_link = ""
            tag.take()
        elif tag.tag == "material" and self.is_drawn and text and not tag.children:
            self.scripts.append(tag.take())

    def _read_collision(self, top: XmlElement) -> None:
        """Read SDF's `<collision>`; its `<surface>` replaces all earlier values."""
        if any(child.tag == "surface" for child in top.children):
            for replaced in [key for key in self.surface if key not in BESIDE_SURFACE]:
                del self.surface[replaced]
            self.direction_link = ""
        for path, element in paths_in(top.children):
            row = COLLISION.get(path)
            frame = frame_of_direction(element)
            if row is None or frame is None or element.children:
                continue
            # Programs know the axes of links, and of no other frame.
            if frame and (row.name != LINK_DIRECTION or frame not in self.links):
                continue
            values = numbers_in(element.text, row.size)
            if row.is_flag:
                values = (float(element.text.lower() in SDF_TRUE),)
            if values is None:
                continue
            self.surface[row.name] = values
            if row.name == LINK_DIRECTION:
                self.direction_link = frame
            element.take()
        for element in reversed(list(top.walk())[1:]):  # those inside first
            if any(child.taken for child in element.children):
                element.take()
            elif not element.taken:
                element.leave(PARTLY)

    def values(self) -> Values:
        """Return the values of the link itself."""
        values: Values = {}
        for name, tags in self.by_name.items():
            tag = _counting(tags)
            value = value_in(tag.tag, _text(tag).lower())
            if value is None:
                tag.leave(NOT_READ)
            else:
                values[name] = value
        return values


def _text(tag: XmlElement) -> str:
    """Return the value of a tag as `value_of` does, and mark the attribute in which it may be."""
    return (tag.get("value") or tag.text).strip()


def _counting(tags: Sequence[XmlElement]) -> XmlElement:
    """Return the tag that counts of those that set the same value."""
    counts = counting([tag.source for tag in tags])
    return next(tag for tag in tags if tag.source is counts)


def value_in(tag: str, text: str) -> Optional[Reals]:
    """Return the value of a tag with this text in lower case as sdformat takes it, None for a text without one.

    `selfCollide` is true only for a word of yes.
    """
    if tag == "selfCollide":
        return (float(text in TRUE),)
    if tag == "turnGravityOff":
        return (float(text in FALSE),)
    if tag in ("gravity", "self_collide"):
        return (float(text in TRUE),) if text in TRUE + FALSE else None
    return numbers_in(text, _size_of(tag))


def _size_of(tag: str) -> int:
    """Return how many numbers a tag has: `fdir1`, the direction of friction, is the only vector."""
    return 3 if tag == "fdir1" else 1


def _spring(inside: Sequence[XmlElement]) -> Values:
    """Return the values of a joint's spring, and its flags."""
    values: Values = {}
    for tag in inside:
        if tag.tag in SPRING:
            value = numbers_in(_text(tag), 1)
            if value is not None:
                values[SPRING[tag.take().tag]] = value
        elif tag.tag in FLAGS:
            values[FLAGS[tag.take().tag]] = (float(_text(tag).lower() in TRUE),)
    return values


def _sensors_in(
    others: Sequence[XmlElement], blocks: Mapping[str, Sequence[XmlElement]], robot: RawRobot
) -> Iterator[RawSensor]:
    """Yield the sensors in blocks of `<gazebo>`, in the order of the file."""
    links = {link.name for link in robot.links}
    child_of = {joint.name: joint.child for joint in reversed(robot.joints)}

    @lru_cache(maxsize=None)  # few poses need them
    def places() -> Poses:
        """Return the frames in the root with all joints at zero: of the model, and by the names of links and joints."""
        T_root = drawn_places(robot)
        moved = {joint: T_root[child] for joint, child in child_of.items()}
        return {**T_root, **moved, "__model__": IDENTITY_POSE}

    for top in others:
        name = top.get("reference") or ""
        inside = top.children if top in blocks.get(name, ()) else []
        for sensor in [tag for tag in inside if tag.tag == "sensor"]:
            owner = name if name in links else child_of[name]
            T = _pose_in(sensor, owner, places)
            if T is None:
                sensor.leave("its pose is relative to a frame that is not known")
            else:
                joint = "" if owner == name else name
                yield sensor_of(sensor.take(), owner, joint, T)


def _pose_in(sensor: XmlElement, owner: str, places: Callable[[], Poses]) -> Optional[Transform]:
    """Return the `<pose>` of a sensor in its link with all joints at zero; None where that is not known."""
    pose = leaf(sensor, "pose")
    if pose is None or sensor.get("type") in WITHOUT_POSE and not pose.text:
        return IDENTITY_POSE
    # `frame` is an attribute of SDF before 1.7 alone; since then `relative_to` names the frame.
    if pose.get("frame"):
        return None
    T = pose_of_sdf(pose)
    base = pose.get("relative_to") or owner
    if T is None or base == owner:
        return T
    T_root_base = places().get(base)
    T_root_owner = places().get(owner)
    if T_root_base is None or T_root_owner is None:
        return None
    return compose(compose(inverse(T_root_owner), T_root_base), T)


def read_transmission(top: XmlElement) -> List[RawActuator]:
    """Return the actuator of a transmission of one joint and one motor."""
    tags = [child.tag for child in top.children]
    kind = leaf(top, "type")
    joint = leaf(top, "joint")
    motor = leaf(top, "actuator")
    is_pair = tags.count("joint") + tags.count("actuator") == 2
    is_simple = kind is not None and "SimpleTransmission" in kind.text
    if joint is None or motor is None or kind is None or not is_simple or not is_pair:
        top.leave("it is not a transmission of one joint and one motor")
        return []
    interfaces = [
        inner
        for inner in (leaf(joint, "hardwareInterface"), leaf(motor, "hardwareInterface"))
        if inner
    ]
    word = interfaces[0].text.lower() if interfaces else "effort"
    kinds = [kind for name, kind in KINDS.items() if name in word]
    if len(kinds) != 1:
        top.leave(f"its interface is '{word}'")
        return []
    top.take().get("name")
    for part in (
        kind,
        joint,
        motor,
        *(inner for inner in interfaces if inner.text.lower() == word),
    ):
        part.take()
    values: Values = {}
    reduction = _first_number((motor, joint), "mechanicalReduction")
    offset = _first_number((joint,), "offset")
    if reduction is not None:
        values["reduction"] = (reduction,)
    if offset is not None:
        values["transmission_offset"] = (offset,)
    return [
        RawActuator(
            name=motor.get("name") or "",
            kind=kinds[0],
            joint=joint.get("name") or "",
            values=values,
            line=top.line,
        )
    ]


def _first_number(owners: Sequence[XmlElement], tag: str) -> Optional[float]:
    """Return the number in the first element of a tag in these, None without it; others stay unread."""
    for owner in owners:
        value = number_at(owner, tag)
        if value is not None:
            owner.first(tag)
            return value
    return None


def read_ros2_control(top: XmlElement) -> Iterator[RawActuator]:
    """Yield an actuator for each command interface of a joint."""
    top.take()
    for joint in (child for child in top.children if child.tag == "joint"):
        commands = [
            inner
            for inner in joint.children
            if inner.tag == "command_interface" and inner.attributes.get("name") in KINDS
        ]
        for command in commands:
            name = joint.take().get("name") or ""
            word = command.take().get("name") or ""
            params = {
                param.attributes.get("name"): param
                for param in command.children
                if param.tag == "param"
            }
            own_name = name if len(commands) == 1 else f"{name}_{word}"
            values = _control_range(params.get("min"), params.get("max"))
            yield RawActuator(
                name=own_name,
                kind=KINDS[word],
                joint=name,
                values=values,
                line=joint.line,
            )


def _control_range(low: Optional[XmlElement], high: Optional[XmlElement]) -> Values:
    """Return the range of a command, {} unless both ends are numbers; only then they are read."""
    if low is None or high is None:
        return {}
    least = numbers_in(low.text, 1)
    most = numbers_in(high.text, 1)
    if least is None or most is None:
        return {}
    for end in (low, high):
        end.take().get("name")
    return {"control_range": (*least, *most)}


def _loop(top: XmlElement, *ends: str) -> List[RawLoop]:
    """Return the loop that an element closes, whose ends name a link, with a pose on them or in an `<origin>`."""
    inner = [leaf(top, end) for end in ends]
    links = [end.get("link") or "" for end in inner if end is not None]
    if len(links) < len(ends) or not all(links):
        top.leave("it names no two links")
        return []
    poses = []
    for end in (end.take() for end in inner if end is not None):
        origin = end.first("origin") or end
        xyz, rpy = (numbers_in(origin.get(key) or "0 0 0", 3) for key in ("xyz", "rpy"))
        if xyz is None or rpy is None:
            top.leave("where it holds a link is no numbers")
            return []
        poses.append(Transform(rotation_of_rpy(rpy), vector_of(xyz)))
    kind = top.take().get("type") or "frame"
    axis = unit_of(vector(top.first("axis"), "xyz")) if kind in (*TURNING, *SLIDING) else None
    # Which has other types.
    kind = f"loop {kind}" if top.tag == "loop" and top.get("type") else kind
    return [
        RawLoop(
            name=top.get("name") or f"<{top.tag}>",
            kind=kind,
            links=(links[0], links[1]),
            T_link_end=(poses[0], poses[1]),
            line=top.line,
            axis=axis,
            bounds={name: value[0] for name, value in _numbers_of(top, "limit", BOUNDS).items()},
            values=_numbers_of(top, "dynamics", OF_DYNAMICS),
        )
    ]


def _numbers_of(top: XmlElement, tag: str, names: Iterable[str]) -> Values:
    """Return the numbers of the attributes with these names, of a child of an element; another text stays unread."""
    element = leaf(top, tag)
    values: Values = {}
    if element is None:
        return values
    for name in names:
        numbers = numbers_in(element.attributes.get(name, ""), 1)
        if numbers is not None:
            values[name] = numbers
            element.take().get(name)
    return values
