"""What SDF defines inside a model, from which version on (`defined.md`), and all of a model made to fit it.

The content of `<gazebo>` is written where SDF has an element for it.

Gazebo warns of what SDF does not define, and does not load a file with a value that cannot be read; Drake loads
neither. Both pass over elements and attributes with a prefix (SDF documentation, "Custom elements and attributes").
"""

from __future__ import annotations

import math
import re
from operator import attrgetter
from typing import Dict, FrozenSet, Iterator, List, Mapping, Set

from ...base.types import Pair
from ...base.number_text import numbers_in, PLAIN_NUMBERS
from ...base.record import Record
from ...facts.simulator_values import REPLACED, TRUE
from ...model.choices import SdfOptions
from ...model.records import Joint, material_meanings, Robot, Sensor
from ...model.shapes import Material
from ...model.tree import leaders_of
from ...model.xml_tree import leaves_of, Node, parse, put, render
from ...texts.pages import text_of_page
from ...urdf.spatial import IDENTITY_POSE
from ..kinds import EXPORT_MISREAD, EXPORT_READER
from ..lower import DONE, Findings, named, note_lost, OneShape, Said, said_beside, said_by_gazebo
from .lower import Carried

PREFIX = "urdf:"  # of what SDF does not define
NAMESPACE = "http://wiki.ros.org/urdf"  # of it, and of a prefix that the robot does not declare
OLDEST = 7  # SDF 1.7, the first with `relative_to` and `attached_to`, is the first that is written
# Of SDF 1.N the first Gazebo that reads it: libsdformat 9 to 15, as each announces the version that it supports.
RELEASES = {
    7: "Gazebo Classic 11 and Citadel",
    8: "Gazebo Edifice",
    9: "Gazebo Fortress",
    10: "Gazebo Garden",
    11: "Gazebo Harmonic",
    12: "Gazebo Ionic",
}

DEFINED = text_of_page(__name__, "defined.md").split("```")[1]
# Types of sensors, as `type` of <sensor> lists them there.
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


class Part(Record):
    """An attribute or element that SDF allows: its first version 1.N, its values, and the line that describes it."""

    since: int
    values: str
    line: str


class Line(Record):
    """An element: its values, attributes and elements; anything may be in it if `open`. `required` are attributes."""

    values: str
    attributes: Dict[str, Part]
    elements: Dict[str, Part]
    open: bool
    required: List[str]


class Lines(Dict[str, Line]):
    """The lines of DEFINED by name, each read when it is asked for: a robot needs a few."""

    def __init__(self) -> None:
        super().__init__({"": Line(values="", attributes={}, elements={}, open=False, required=[])})
        texts = dict(
            text.split(":", 1) for text in DEFINED.replace("\n  ", " ").strip().split("\n")
        )
        # `NAME=VALUES: words`; a word is `.attribute` or `element`, with `=values`, `@since` and
        # `!` (required).
        self.texts = {name.partition("=")[0]: text for name, text in texts.items()}
        self.values_of = dict(name.partition("=")[::2] for name in texts)

    def __missing__(self, name: str) -> Line:
        words = self.texts[name].split()
        line = self[name] = Line(
            values=self.values_of[name], attributes={}, elements={}, open="*" in words, required=[]
        )
        for word in words:
            attribute = word.startswith(".")
            required = word.endswith("!")
            word, _, since = word.strip(".!").partition("@")
            part, _, kind = word.partition("=")
            kind = kind or (part if part in self.texts and not attribute else "")
            is_line = kind in self.texts
            (line.attributes if attribute else line.elements)[part] = Part(
                int(since or OLDEST),
                self.values_of[kind] if is_line else kind,
                kind if is_line else "",
            )
            line.required.extend([part] if required else [])
        return line


LINES = Lines()
NUMBER = r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)"
COUNTS = {"d": (1,), "2": (2,), "3": (3,), "4": (4,), "c": (3, 4), "p": (6, 7)}


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
    return len(words) in COUNTS[values] and (
        PLAIN_NUMBERS.fullmatch(text) is not None
        or all(re.fullmatch(NUMBER, word, re.I) for word in words)
    )


class Sound(Node):
    """An element of SDF 1.7 with numbers and names of the writer: it fits, with all that is in it."""


class Fitting:
    """Makes what is in an element fit SDF, in place.

    Attributes:
        since: the lowest version 1.N that defines all of them; `newest`: the element that needs it, and its owner.
        odd: what got the prefix: an element or attribute, and its owner.
    """

    def __init__(self) -> None:
        self.since = OLDEST
        self.newest = ""
        self.odd: List[Pair] = []

    def fit(self, top: Node, line: str = "model", owner: str = "") -> None:
        """Put the prefix before attributes and elements that SDF does not define, or not with that value."""
        # A prefix makes it an element of ours, which SDF allows anywhere and readers skip: the file stays valid, and
        # nothing is lost.
        known = LINES[line]
        self._fit_attributes(top, known, owner)
        for child in top.children if not known.open else ():
            if type(child) is not Node or ":" in child.tag:
                continue
            part = known.elements.get(child.tag)
            attributes = child.attributes
            name = attributes.get("name", owner) if attributes else owner
            if part is not None and part.values == "i":
                # xacro computes 818.0, and readers of SDF want 818
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
        """Put the prefix before attributes that the definition of an element does not have, or not with that value."""
        for key in [key for key in top.attributes if ":" not in key]:
            part = known.attributes.get(key)
            if part is None or not can_hold(part.values, top.attributes[key]):
                top.attributes[PREFIX + key] = top.attributes.pop(key)
                self.odd.append((f"{key}= of <{top.tag}>", owner))
            else:
                self.needs(part.since, f"{key}= of <{top.tag}>", owner)

    def needs(self, since: int, what: str, owner: str) -> None:
        """Raise the version to the one that introduced an element or attribute."""
        if since > self.since:
            self.since = since
            self.newest = f"{what} of '{owner}'"


def _fits(element: Node, part: Part) -> bool:
    """Return True if an element has an allowed value and all required attributes."""
    if not part.line and element.tag not in BOUNDS:  # as most: numbers, or a text
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


# Of `<gazebo reference=JOINT>`, as there.
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


class Model:
    """The state of the writer while the text is made; `names` are those of joints, by child link."""

    def __init__(
        self,
        robot: Robot,
        options: SdfOptions,
        carried: Carried,
        names: Dict[str, str],
        findings: Findings,
    ) -> None:
        self.robot, self.options, self.carried, self.names, self.findings = (
            robot,
            options,
            carried,
            names,
            findings,
        )
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.left_out: Set[OneShape] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.mesh_files: Dict[str, str] = dict(options.mesh_files)
        self.sensors: Set[Sensor] = set()  # that are written
        self.at_joint = _said_of_joints(robot)
        self.scripted = {
            link.name for link in robot.links for visual in link.visuals if visual.script
        }
        self.nodes: Dict[str, Node] = {}  # of links
        self.joints: Dict[str, List[Node]] = {}
        self.shapes: Dict[Pair, List[Node]] = {}  # by link and visual or collision
        self.lost: FrozenSet[Said] = frozenset()  # that are noted
        # Of a shape, before `<gazebo>` put its own there.
        self.surfaces: Dict[int, List[Pair]] = {}


def put_physics(element: Node, joint: Joint, model: Model) -> None:
    """Write what `<gazebo>` gives for a joint below `physics`; of several joints of one name it means the first."""
    texts = {} if joint.name in model.joints else model.at_joint.get(joint.name, {})
    for tag, text in texts.items():
        put(element, JOINT_PLACES[tag], text)


def _said_of_joints(robot: Robot) -> Dict[str, Dict[str, str]]:
    """Return by joint the texts of `<gazebo>` that SDF has below `physics`; of two the last counts, as in sdformat."""
    joints = {joint.name for joint in robot.joints} - {link.name for link in robot.links}
    texts: Dict[str, Dict[str, str]] = {}
    for reference, element in said_by_gazebo(robot):
        if reference in joints and element.tag in JOINT_PLACES and not element.elements():
            text = element.attributes.get("value") or element.text
            if element.tag in FLAGS or numbers_in(text, 1):
                texts.setdefault(reference, {})[element.tag] = (
                    text if element.tag not in FLAGS else (str(text.lower() in TRUE).lower())
                )
    return texts


def write_rest(body: Node, model: Model) -> None:
    """Write the content of `<gazebo>` without a reference, and note what SDF has no element for."""
    lost = [*said_beside(model.robot), *_said_of_frames(model)]
    joints: List[Node] = []
    for reference, element in said_by_gazebo(model.robot):
        if not reference:
            body.children.append(element)
            joints += [element] if element.tag == "joint" else []
        elif element.tag not in (
            *DONE,
            *(model.at_joint.get(reference, ()) if model.joints.get(reference) else ()),
        ):
            lost += _put_into(reference, element, model)
    for element in joints:  # which may name what is written after them
        _check_joint(element, body, model)
    note_lost(lost, model.findings)
    model.lost = frozenset(lost)
    if model.robot.actuators:
        model.findings.note(EXPORT_READER, "urdf")


NO_JOINT = (
    "<joint> '{0}' of <gazebo> holds '{2}' at '{1}', which are no two links of its SDF: "
    "no reader takes it"
)


def _check_joint(element: Node, body: Node, model: Model) -> None:
    """Note what a joint of `<gazebo>` is in SDF: that of a part that floats, which no other joint holds there, or a loop.

    One whose ends are not two links is refused, as readers of SDF do. A frame is the link that it is attached to.
    """
    name = element.attributes.get("name", "")
    parent, child = (
        "".join(end.text for end in element.elements(tag)) for tag in ("parent", "child")
    )
    frames = (frame.attributes for frame in body.elements("frame"))
    holders = {frame.get("name"): frame.get("attached_to", "__model__") for frame in frames}
    first = next(iter(body.elements("link")), element)
    holders["__model__"] = first.attributes.get("name", "")
    ends = [parent, child]
    for _ in holders:  # no further: frames may go in a circle
        ends = [holders.get(end, end) for end in ends]

    there = {"world", *(each.attributes.get("name") for each in body.elements())}
    if ends[0] == ends[1] or child == "world" or not there.issuperset(ends):
        model.findings.refuse("robot", "", NO_JOINT.format(name, parent, child))

    above = {joint.child: joint for joint in model.robot.joints}
    tops = [_top_of_part(end, above) for end in (parent, child)]
    for top in tops if tops[0] != tops[1] else ():
        if top in above:
            model.findings.note(EXPORT_MISREAD, "held", above[top], name, *ends)
    model.findings.note(EXPORT_MISREAD, "loop", name)


def _top_of_part(link: str, above: Mapping[str, Joint]) -> str:
    """Return the link above which nothing holds a link: the root, or one that floats."""
    while link in above and above[link].type != "floating":
        link = above[link].parent
    return link


def _said_of_frames(model: Model) -> Iterator[Said]:
    """Yield what `<gazebo>` says of links that became frames, unless the link that carries them has the same."""
    links = {link.name: link for link in model.robot.links}
    for name, (holder, _) in model.carried.frames.items():
        for field, tag in OF_BODY.items():
            value = getattr(links[name], field)
            if value is not None and (not holder or value != getattr(links[holder], field)):
                yield tag, name


def _put_into(reference: str, element: Node, model: Model) -> List[Said]:
    """Copy an element of `<gazebo reference>` into its links, joints or shapes, as sdformat does; return the rest."""
    if element.tag in ("visual", "collision"):
        return _put_into_shapes(reference, element, model)
    holder = model.carried.where.get(reference, ("", IDENTITY_POSE))[0]
    places = [model.nodes[holder]] if holder else model.joints.get(reference, [])
    known = LINES["link" if holder else "joint"].elements
    if (
        not places
        or element.tag not in known
        or element.tag in WRITTEN
        or any(element.tag in map(TAG, node.elements()) and element.tag in ONCE for node in places)
    ):
        return [named(reference, element)]
    if holder != reference and "pose" in LINES[known[element.tag].line].elements:
        # The link became a frame on its holder: what was in the link stays relative to that frame.
        pose = element.find("pose") or element.add("pose", "0 0 0 0 0 0")
        pose.attributes.setdefault("relative_to", model.carried.names[reference])
    for node in places:
        node.children.append(element)
    return []


def _put_into_shapes(reference: str, element: Node, model: Model) -> List[Said]:
    """Copy what is in a `<visual>` or `<collision>` of `<gazebo>` into those of a link; return what has no place there."""
    shapes = model.shapes.get((reference, element.tag), ())
    replaced = REPLACED[: 1 if reference in model.scripted else 2]
    inside = [
        part
        for part in element.elements()
        if part.tag not in LINES[element.tag].elements
        or any(
            part.tag in map(TAG, shape.elements()) and part.tag not in replaced for shape in shapes
        )
    ]
    for shape in shapes:
        if element.find("material") not in (None, *inside):
            shape.children = [part for part in shape.elements() if part.tag != "material"]
        surface = element.find("surface")
        previous = shape.find("surface")
        if surface is not None and previous is not None:
            # The values of the model were given later in the file than any such element: they win.
            leaves = model.surfaces.setdefault(
                id(shape), [(path, leaf.text) for path, leaf in leaves_of(previous)]
            )
            shape.children.remove(previous)
            for path, text in leaves:
                put(surface, path, text).attributes.clear()
        elif surface is not None:
            model.surfaces[id(shape)] = []
        shape.children += [
            part for part in parse(render(element)).elements() if part.tag not in map(TAG, inside)
        ]
    return [(f"<{part.tag}> in <{element.tag}>", reference) for part in inside if shapes]


def fit_all(top: Node, model: Model) -> None:
    """Make all elements fit SDF, note those that do not, and set the version: the lowest that defines all of them."""
    fitting = Fitting()
    frames = {model.carried.names[name] for name in model.carried.frames}
    fitting.fit(top.elements()[0])
    for joint in model.robot.joints:
        for element in model.joints.get(joint.name, ()):
            if {part.text for part in element.elements("parent", "child")} & frames:
                # 1.8, joint.sdf: "Name of the parent frame".
                fitting.needs(8, "a frame as the parent", joint.name)

    top.attributes["version"] = f"1.{fitting.since}"
    declared = _namespaces_of(model.robot)
    # XML wants each prefix to be declared.
    for prefix in sorted(_prefixes_in(top) if fitting.odd or model.robot.extensions else ()):
        top.attributes[f"xmlns:{prefix}"] = declared.get(f"xmlns:{prefix}", NAMESPACE)

    if fitting.odd:
        for what, owner in sorted(set(fitting.odd)):
            if owner:
                model.findings.note(EXPORT_READER, "prefix-of", what, owner, PREFIX)
            else:
                model.findings.note(EXPORT_READER, "prefix", what, PREFIX)
    if fitting.since > 9:
        model.findings.note(
            EXPORT_READER,
            "version",
            fitting.newest,
            RELEASES[fitting.since],
            numbers=(fitting.since,),
        )


def _prefixes_in(top: Node) -> Set[str]:
    """Return the prefixes of all elements and attributes but those that XML itself has."""
    waiting = [top]
    names = []
    for element in waiting:
        waiting += [child for child in element.children if type(child) is Node]
        names += [element.tag, *element.attributes]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def _namespaces_of(robot: Robot) -> Dict[str, str]:
    """Return what `<robot>` declares, as attributes: what is copied from it refers to that."""
    tops = [parse(text) for text in robot.extensions if text.startswith("<robot")]
    return {key: value for top in tops for key, value in top.attributes.items()}
