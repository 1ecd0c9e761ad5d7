"""The elements that SDF defines in a model, each with its first version (`defined.md`), and a model made to fit them.

The content of `<gazebo>` is written where SDF has an element for it.

Gazebo warns of an element that SDF does not define, and does not load a file with a value that cannot be read; Drake
loads neither. Both pass over elements and attributes with a prefix (SDF documentation, "Custom elements and
attributes").
"""

from __future__ import annotations

import math
import re
from itertools import chain
from operator import attrgetter
from typing import Dict, FrozenSet, Iterator, List, Mapping, Set

from ...base.types import Pair
from ...base.number_text import numbers_in, PLAIN_NUMBERS
from ...base.record import Record
from ...facts.simulator_values import REPLACED, TRUE
from ...model.choices import SdfOptions
from ...model.records import Joint, material_meanings, RobotRecord, Sensor
from ...model.shapes import Material
from ...model.tree import leaders_of
from ...model.xml_tree import leaves_of, Node, parse, put, render
from ...texts.pages import text_of_page
from ...urdf.spatial import IDENTITY_POSE
from ..kinds import EXPORT_MISREAD, EXPORT_READER
from ..lower import (
    DONE,
    ExportFindings,
    named,
    note_lost,
    OneShape,
    Said,
    said_beside,
    said_by_gazebo,
)
from .lower import Carried

PREFIX = "urdf:"  # before names that SDF does not define
NAMESPACE = (
    "http://wiki.ros.org/urdf"  # of this prefix, and of a prefix that the robot does not declare
)
OLDEST = 7  # SDF 1.7, the first with `relative_to` and `attached_to`, is the first that is written
# The first Gazebo that reads SDF 1.N: libsdformat 9 to 15, as each announces the version that it supports.
RELEASES = {
    7: "Gazebo Classic 11 and Citadel",
    8: "Gazebo Edifice",
    9: "Gazebo Fortress",
    10: "Gazebo Garden",
    11: "Gazebo Harmonic",
    12: "Gazebo Ionic",
}

DEFINED = text_of_page(__name__, "defined.md").split("```")[1]
# Types of sensors by the first version, as `type` of <sensor> lists them in the files of the specification.
SENSORS = dict.fromkeys(
    "air_pressure altimeter camera contact depth depth_camera force_torque gps gpu_lidar gpu_ray imu lidar "
    "logical_camera magnetometer multicamera navsat ray rfid rfidtag rgbd rgbd_camera sonar thermal thermal_camera "
    "wireless_receiver wireless_transmitter".split(),
    OLDEST,
)
SENSORS.update(
    dict.fromkeys(
        "boundingbox boundingbox_camera custom segmentation segmentation_camera wide_angle_camera "
        "wideanglecamera".split(),
        9,
    ),
    air_speed=10,
)
# The least and largest values that those files allow.
BOUNDS = {
    "horizontal_fov": (0.1, 6.283186),
    "far": (0.1, math.inf),
    "env_texture_size": (4.0, 2048.0),
    "cutoff_angle": (0.0, 3.141592653),
    "restitution_coefficient": (0.0, 1.0),
}
BOUNDS.update(
    dict.fromkeys(
        "bias_stddev coefficient dynamic_bias_stddev friction friction2 max_velocity min_velocity mu mu2 near patch_radius "
        "rate scale_rate stddev surface_radius".split(),
        (0.0, math.inf),
    )
)


class SdfItem(Record):
    """An attribute or element that SDF allows: its first version 1.N, its values, and the line that describes it."""

    since: int
    values: str
    line: str


class Line(Record):
    """An element: its values, attributes and elements; anything may be in it if `open`. `required` are attributes."""

    values: str
    attributes: Dict[str, SdfItem]
    elements: Dict[str, SdfItem]
    open: bool
    required: List[str]


class Lines(Dict[str, Line]):
    """The lines of DEFINED by name, each read when it is needed: a robot needs a few."""

    def __init__(self) -> None:
        """Find the line of each element, without reading it."""
        super().__init__({"": Line(values="", attributes={}, elements={}, open=False, required=[])})
        texts = dict(
            text.split(":", 1) for text in DEFINED.replace("\n  ", " ").strip().split("\n")
        )
        # `NAME=VALUES: words`; a word is `.attribute` or `element`, with `=values`, `@since` and
        # `!` (required).
        self.texts = {name.partition("=")[0]: text for name, text in texts.items()}
        self.values_of = dict(name.partition("=")[::2] for name in texts)

    def __missing__(self, name: str) -> Line:
        """Read a line at its first use."""
        words = self.texts[name].split()
        line = self[name] = Line(
            values=self.values_of[name], attributes={}, elements={}, open="*" in words, required=[]
        )
        for word in words:
            attribute = word.startswith(".")
            required = word.endswith("!")
            word, _, since = word.strip(".!").partition("@")
            part, _, kind = word.partition("=")
            # An element without values has the line of its own name.
            if not kind and part in self.texts and not attribute:
                kind = part
            entry = SdfItem(since=int(since or OLDEST), values=kind, line="")
            if kind in self.texts:
                entry = entry._replace(values=self.values_of[kind], line=kind)
            if attribute:
                line.attributes[part] = entry
            else:
                line.elements[part] = entry
            if required:
                line.required.append(part)
        return line


LINES = Lines()
NUMBER = r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)"
COUNTS = {
    "d": (1,),
    "2": (2,),
    "3": (3,),
    "4": (4,),
    "c": (3, 4),
    "p": (6, 7),
}  # of numbers, by the word for values


def can_hold(values: str, text: str) -> bool:
    """Return True if a text is one of these values, or empty, which means their default."""
    if values in ("", "text"):
        return True
    words = text.split()
    if not words:
        return True
    if values == "b":
        return text.strip().lower() in ("true", "false", "1", "0")
    if values == "i":
        return re.fullmatch(r"[+-]?\d+", text.strip()) is not None
    if len(words) not in COUNTS[values]:
        return False
    # Most numbers are plain, and one pattern for all of them is faster.
    if PLAIN_NUMBERS.fullmatch(text) is not None:
        return True
    return all(re.fullmatch(NUMBER, word, re.I) for word in words)


class Sound(Node):
    """An element of SDF 1.7 with numbers and names of the writer: it fits, with all that is in it."""


class Fitting:
    """Makes the content of an element fit SDF, in place.

    Attributes:
        since: the lowest version 1.N that defines all of it. newest: the element that needs it, and its owner.
        odd: elements and attributes that got the prefix, each with its owner.
    """

    def __init__(self) -> None:
        """Begin with the oldest version."""
        self.since = OLDEST
        self.newest = ""
        self.odd: List[Pair] = []

    def fit(self, top: Node, line: str = "model", owner: str = "") -> None:
        """Put the prefix before attributes and elements that SDF does not define, or not with their values.

        Args:
            line: the name of the line that defines the element.
            owner: the name of the link or joint around it, for notes.
        """
        # A prefix makes it an element of ours, which SDF allows anywhere and readers skip: the file stays valid, and
        # nothing is lost.
        known = LINES[line]
        self._fit_attributes(top, known, owner)
        if known.open:
            return
        for child in top.children:
            # `Sound` elements fit already, and texts have no parts.
            if type(child) is not Node or ":" in child.tag:
                continue
            part = known.elements.get(child.tag)
            attributes = child.attributes
            name = attributes.get("name", owner) if attributes else owner
            if part is not None and part.values == "i":
                # xacro computes 818.0, and readers of SDF want 818.
                child.children = [re.sub(r"(?<=\d)\.0*$", "", child.text)]
            if part is None or not _fits(child, part):
                self.odd.append(named(owner, child))
                child.tag = PREFIX + child.tag
                continue
            if part.since > self.since:
                self.needs(part.since, f"<{child.tag}>", name)
            if child.tag == "sensor":
                self.needs(SENSORS[attributes["type"]], f"type {attributes['type']}", name)
            if attributes or Node in map(type, child.children):
                self.fit(child, part.line, name)

    def _fit_attributes(self, top: Node, known: Line, owner: str) -> None:
        """Put the prefix before attributes that an element of SDF does not have, or not with their values."""
        for key in [key for key in top.attributes if ":" not in key]:
            part = known.attributes.get(key)
            if part is None or not can_hold(part.values, top.attributes[key]):
                top.attributes[PREFIX + key] = top.attributes.pop(key)
                self.odd.append((f"{key}= of <{top.tag}>", owner))
            else:
                self.needs(part.since, f"{key}= of <{top.tag}>", owner)

    def needs(self, since: int, name: str, owner: str) -> None:
        """Raise the version to the first that has an element or attribute, given its name."""
        if since > self.since:
            self.since = since
            self.newest = f"{name} of '{owner}'"


def _fits(element: Node, part: SdfItem) -> bool:
    """Return True if an element has an allowed value and all required attributes."""
    # Most elements are numbers or a text.
    if not part.line and element.tag not in BOUNDS:
        return part.values == "text" or can_hold(part.values, element.text)
    line = LINES[part.line]
    if part.values and not line.open and not can_hold(part.values, element.text):
        return False
    if element.tag in BOUNDS and part.values in COUNTS:
        low, high = BOUNDS[element.tag]
        if not all(low <= value <= high for value in map(float, element.text.split())):
            return False
    if line.required and not all(map(element.attributes.__contains__, line.required)):
        return False
    return element.tag != "sensor" or element.attributes["type"] in SENSORS


# Paths of SDF by tag of `<gazebo reference=JOINT>`, as parser_urdf.cc of libsdformat has them.
JOINT_PLACES = {
    "stopCfm": "physics/ode/limit/cfm",
    "stopErp": "physics/ode/limit/erp",
    "fudgeFactor": "physics/ode/fudge_factor",
    "provideFeedback": "physics/provide_feedback",
    "implicitSpringDamper": "physics/ode/implicit_spring_damper",
    "cfmDamping": "physics/ode/implicit_spring_damper",
}
FLAGS = ("provideFeedback", "implicitSpringDamper", "cfmDamping")
OF_BODY = {
    "self_collide": "<selfCollide>",
    "gravity": "<turnGravityOff>",
    "velocity_decay": "<dampingFactor>",
}
WRITTEN = frozenset(
    "pose inertial visual collision sensor self_collide gravity parent child axis axis2".split()
)
ONCE = frozenset(("velocity_decay", "physics"))
TAG = attrgetter("tag")


class GazeboWriter:
    """The state of the writer while the text is made.

    Attributes:
        names: of joints, by child link.
        nodes: of links, by name. joints: by name. shapes: by link and `visual` or `collision`.
        lost: elements that are noted.
        surfaces: by identity of a shape, its contact values before `<gazebo>` added its own.
    """

    def __init__(
        self,
        robot: RobotRecord,
        options: SdfOptions,
        carried: Carried,
        names: Dict[str, str],
        findings: ExportFindings,
    ) -> None:
        """Begin with a robot of which nothing is written."""
        self.robot = robot
        self.options = options
        self.carried = carried
        self.names = names
        self.findings = findings
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.left_out: Set[OneShape] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.mesh_files: Dict[str, str] = dict(options.mesh_files)
        self.sensors: Set[Sensor] = set()  # that are written
        self.at_joint = _said_of_joints(robot)
        self.scripted = {
            link.name for link in robot.links if any(visual.script for visual in link.visuals)
        }
        self.nodes: Dict[str, Node] = {}
        self.joints: Dict[str, List[Node]] = {}
        self.shapes: Dict[Pair, List[Node]] = {}
        self.lost: FrozenSet[Said] = frozenset()
        self.surfaces: Dict[int, List[Pair]] = {}


def put_physics(element: Node, joint: Joint, model: GazeboWriter) -> None:
    """Write the values of `<gazebo>` for a joint below `physics`; of several joints of one name it means the first."""
    if joint.name in model.joints:
        return
    for tag, text in model.at_joint.get(joint.name, {}).items():
        put(element, JOINT_PLACES[tag], text)


def _said_of_joints(robot: RobotRecord) -> Dict[str, Dict[str, str]]:
    """Return by joint the texts of `<gazebo>` that SDF has below `physics`; the last of two counts, as in sdformat."""
    joints = {joint.name for joint in robot.joints} - {link.name for link in robot.links}
    texts: Dict[str, Dict[str, str]] = {}
    for reference, element in said_by_gazebo(robot):
        if reference not in joints or element.tag not in JOINT_PLACES or element.elements():
            continue
        text = element.attributes.get("value") or element.text
        if element.tag in FLAGS:
            text = "true" if text.lower() in TRUE else "false"
        elif not numbers_in(text, 1):
            continue
        texts.setdefault(reference, {})[element.tag] = text
    return texts


def write_rest(body: Node, model: GazeboWriter) -> None:
    """Write the content of `<gazebo>`, and note the elements that SDF has no place for."""
    lost = [*said_beside(model.robot), *_said_of_frames(model)]
    joints: List[Node] = []
    for reference, element in said_by_gazebo(model.robot):
        if not reference:
            body.children.append(element)
            if element.tag == "joint":
                joints.append(element)
            continue
        # `put_physics` has written the values of joints that are there.
        in_physics = model.at_joint.get(reference, {}) if model.joints.get(reference) else {}
        if element.tag not in DONE and element.tag not in in_physics:
            lost += _put_into(reference, element, model)
    # Joints come last, as they may name elements behind them.
    for element in joints:
        _check_joint(element, body, model)
    note_lost(lost, model.findings)
    model.lost = frozenset(lost)
    if model.robot.actuators:
        model.findings.note(EXPORT_READER, "urdf")


NO_JOINT = (
    "<joint> '{0}' of <gazebo> holds '{2}' at '{1}', which are no two links of its SDF: "
    "no reader takes it"
)


def _check_joint(element: Node, body: Node, model: GazeboWriter) -> None:
    """Note the meaning of a joint of `<gazebo>` in SDF: it holds a part that floats in the URDF, or closes a loop.

    A joint whose ends are not two links is refused, as readers of SDF refuse it. A frame stands for its link.
    """
    name = element.attributes.get("name", "")
    parent = "".join(end.text for end in element.elements("parent"))
    child = "".join(end.text for end in element.elements("child"))
    frames = (frame.attributes for frame in body.elements("frame"))
    holders = {frame.get("name"): frame.get("attached_to", "__model__") for frame in frames}
    first = next(iter(body.elements("link")), element)
    holders["__model__"] = first.attributes.get("name", "")
    ends = [parent, child]
    for _ in holders:  # no further: frames may go in a circle
        ends = [holders.get(end, end) for end in ends]

    known = {"world", *(part.attributes.get("name") for part in body.elements())}
    if ends[0] == ends[1] or child == "world" or not known.issuperset(ends):
        model.findings.refuse("robot", "", NO_JOINT.format(name, parent, child))

    joint_above = {joint.child: joint for joint in model.robot.joints}
    parent_top = _top_of_part(parent, joint_above)
    child_top = _top_of_part(child, joint_above)
    if parent_top != child_top:
        for top in (parent_top, child_top):
            if top in joint_above:
                model.findings.note(EXPORT_MISREAD, "held", joint_above[top], name, *ends)
    model.findings.note(EXPORT_MISREAD, "loop", name)


def _top_of_part(link: str, joint_above: Mapping[str, Joint]) -> str:
    """Return the uppermost link that holds a link: the root, or a link that floats."""
    while link in joint_above and joint_above[link].type != "floating":
        link = joint_above[link].parent
    return link


def _said_of_frames(model: GazeboWriter) -> Iterator[Said]:
    """Yield the values of `<gazebo>` for links that became frames, unless the link that carries them has the same."""
    links = {link.name: link for link in model.robot.links}
    for name, (holder, _) in model.carried.frames.items():
        for field, tag in OF_BODY.items():
            value = getattr(links[name], field)
            if value is not None and (not holder or value != getattr(links[holder], field)):
                yield tag, name


def _put_into(reference: str, element: Node, model: GazeboWriter) -> List[Said]:
    """Copy an element of `<gazebo reference>` into its links, joints or shapes, as sdformat does; return the rest."""
    if element.tag in ("visual", "collision"):
        return _put_into_shapes(reference, element, model)
    holder = model.carried.where.get(reference, ("", IDENTITY_POSE))[0]
    places = [model.nodes[holder]] if holder else model.joints.get(reference, [])
    line = "link" if holder else "joint"
    known = LINES[line].elements
    if not places or element.tag not in known or element.tag in WRITTEN:
        return [named(reference, element)]
    if element.tag in ONCE and any(element.tag in map(TAG, node.elements()) for node in places):
        return [named(reference, element)]
    if holder != reference and "pose" in LINES[known[element.tag].line].elements:
        # The link became a frame on its holder: an element of the link stays relative to that frame.
        pose = element.find("pose") or element.add("pose", "0 0 0 0 0 0")
        pose.attributes.setdefault("relative_to", model.carried.names[reference])
    for node in places:
        node.children.append(element)
    return []


def _put_into_shapes(reference: str, element: Node, model: GazeboWriter) -> List[Said]:
    """Copy a `<visual>` or `<collision>` of `<gazebo>` into each of a link; return its parts without a place."""
    shapes = model.shapes.get((reference, element.tag), ())
    # A material of Gazebo, by name, is not replaced.
    count = 1 if reference in model.scripted else 2
    replaced = REPLACED[:count]
    tags_of_shapes = {part.tag for part in chain.from_iterable(map(Node.elements, shapes))}
    homeless = [
        part
        for part in element.elements()
        if part.tag not in LINES[element.tag].elements
        or (part.tag in tags_of_shapes and part.tag not in replaced)
    ]
    homeless_tags = {part.tag for part in homeless}
    for shape in shapes:
        material = element.find("material")
        if material is not None and material not in homeless:
            shape.children = [part for part in shape.elements() if part.tag != "material"]
        surface = element.find("surface")
        previous = shape.find("surface")
        if surface is not None and previous is not None:
            # The values of the model were given later in the file than any element of `<gazebo>`: they win.
            leaves = model.surfaces.setdefault(
                id(shape), [(path, leaf.text) for path, leaf in leaves_of(previous)]
            )
            shape.children.remove(previous)
            for path, text in leaves:
                put(surface, path, text).attributes.clear()
        elif surface is not None:
            model.surfaces[id(shape)] = []
        # Each shape gets a copy of its own.
        copied = parse(render(element)).elements()
        shape.children += [part for part in copied if part.tag not in homeless_tags]
    return [(f"<{part.tag}> in <{element.tag}>", reference) for part in homeless if shapes]


def fit_all(top: Node, model: GazeboWriter) -> None:
    """Make all elements fit SDF, note odd ones, and set the version: the lowest that defines all of them."""
    fitting = Fitting()
    frames = {model.carried.names[name] for name in model.carried.frames}
    fitting.fit(top.elements()[0])
    for joint in model.robot.joints:
        for element in model.joints.get(joint.name, ()):
            if {part.text for part in element.elements("parent", "child")} & frames:
                # 1.8, joint.sdf: "Name of the parent frame".
                fitting.needs(8, "a frame as the parent", joint.name)

    top.attributes["version"] = f"1.{fitting.since}"
    if fitting.odd or model.robot.extensions:
        # XML wants each prefix to be declared.
        declared = _namespaces_of(model.robot)
        for prefix in sorted(_prefixes_in(top)):
            top.attributes[f"xmlns:{prefix}"] = declared.get(f"xmlns:{prefix}", NAMESPACE)

    for words, owner in sorted(set(fitting.odd)):
        if owner:
            model.findings.note(EXPORT_READER, "prefix-of", words, owner, PREFIX)
        else:
            model.findings.note(EXPORT_READER, "prefix", words, PREFIX)
    if fitting.since > 9:
        model.findings.note(
            EXPORT_READER,
            "version",
            fitting.newest,
            RELEASES[fitting.since],
            numbers=(fitting.since,),
        )


def _prefixes_in(top: Node) -> Set[str]:
    """Return the prefixes of all elements and attributes, without the prefixes of XML itself."""
    names: List[str] = []
    # `Sound` elements have none.
    waiting = [top]
    for element in waiting:
        waiting += [child for child in element.children if type(child) is Node]
        names += [element.tag, *element.attributes]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def _namespaces_of(robot: RobotRecord) -> Dict[str, str]:
    """Return the attributes of `<robot>`: elements that are copied from it refer to the namespaces that it declares."""
    declared: Dict[str, str] = {}
    for text in robot.extensions:
        if text.startswith("<robot"):
            declared.update(parse(text).attributes)
    return declared
