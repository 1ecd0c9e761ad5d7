"""The content of `<gazebo>` in SDF, where SDF has an element for it, and the version of the file."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import Dict, FrozenSet, Iterator, List, Mapping, Sequence, Set, Tuple

from ...base.type_aliases import Pair
from ...base.graph_walks import depth_first
from ...base.number_text import numbers_in
from ...facts.robot_values import FRAME_KEYS
from ...facts.simulator_values import REPLACED, TRUE
from ...model.export_options import SdfOptions
from ...model.model_records import Joint, material_meanings, RobotRecord, Sensor
from ...model.model_shapes import Material
from ...model.model_tree import leaders_of
from ...model.xml_writer import leaves_of, XmlNode, parse, put, render
from ...urdf.spatial_math import IDENTITY_POSE
from ..export_diagnostics import EXPORT_MISREAD, EXPORT_READER
from ..shared_lowering import (
    DONE,
    ExportFindings,
    named,
    note_lost,
    OneShape,
    Said,
    not_urdf_elements,
    said_by_gazebo,
)
from .elements_known_to_sdf import definition_of, PREFIX, set_aside
from ..reader_helpers import WORLD
from .lower_to_sdf import LinksAndFrames

NAMESPACE = (
    "http://wiki.ros.org/urdf"  # of this prefix, and of a prefix that the robot does not declare
)
# Versions 1.N of SDF: the first with `relative_to` and `attached_to`; capsules, ellipsoids and frames as parents (1.8,
# joint.sdf: "Name of the parent frame"); mimic joints.
OLDEST = 7
WITH_CAPSULES = 8
WITH_MIMIC = 11
READS_MIMIC = "Gazebo Harmonic"  # the first with libsdformat 14, which announces 1.11

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
        carried: LinksAndFrames,
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
        self.nodes: Dict[str, XmlNode] = {}
        self.joints: Dict[str, List[XmlNode]] = {}
        self.shapes: Dict[Pair, List[XmlNode]] = {}
        self.lost: FrozenSet[Said] = frozenset()
        self.surfaces: Dict[int, List[Pair]] = {}


def put_physics(element: XmlNode, joint: Joint, model: GazeboWriter) -> None:
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


def write_rest(body: XmlNode, model: GazeboWriter) -> None:
    """Write the content of `<gazebo>`, and note the elements that SDF has no place for."""
    lost = [*not_urdf_elements(model.robot), *_said_of_frames(model)]
    joints: List[XmlNode] = []
    frames: List[XmlNode] = []
    for reference, element in said_by_gazebo(model.robot):
        if not reference:
            body.children.append(element)
            if element.tag in FRAMES:
                frames.append(element)
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
    for element in frames:
        _check_frames(element, body, model)
    note_lost(lost, model.findings)
    model.lost = frozenset(lost)
    if model.robot.actuators:
        model.findings.note(EXPORT_READER, "urdf")


FRAMES = ("frame", "joint", "link")  # elements with a frame of their own
NO_FRAME = (
    '{0} of <gazebo> is given by {1}="{2}", and no link, joint or frame of its SDF is called so: '
    "no reader takes it"
)


def _check_frames(element: XmlNode, body: XmlNode, model: GazeboWriter) -> None:
    """Refuse a link, joint or frame that is given in a frame of no name in the model, as readers of SDF refuse it.

    Frames inside of a model in the model have its name in front (`arm::hand`), and are not looked up.
    """
    named: List[Tuple[XmlNode, str, str]] = []
    for part in depth_first([element], XmlNode.elements):
        named += [
            (part, key, part.attributes[key]) for key in FRAME_KEYS if part.attributes.get(key)
        ]
    if not named:
        return
    known = {"__model__", WORLD, *(part.attributes.get("name") for part in body.elements())}
    scopes = {part.attributes.get("name") for part in body.elements("model")}
    for part, key, name in named:
        if name not in known and name.partition("::")[0] not in scopes:
            text = NO_FRAME.format(f"<{part.tag}>", key, name)
            model.findings.refuse("robot", "", text)


NO_JOINT = (
    "<joint> '{0}' of <gazebo> holds '{2}' at '{1}', which are no two links of its SDF: "
    "no reader takes it"
)


def _check_joint(element: XmlNode, body: XmlNode, model: GazeboWriter) -> None:
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


def _put_into(reference: str, element: XmlNode, model: GazeboWriter) -> List[Said]:
    """Copy an element of `<gazebo reference>` into its links, joints or shapes, as sdformat does; return the rest."""
    if element.tag in ("visual", "collision"):
        return _put_into_shapes(reference, element, model)
    holder = model.carried.where.get(reference, ("", IDENTITY_POSE))[0]
    places = [model.nodes[holder]] if holder else model.joints.get(reference, [])
    line = "link" if holder else "joint"
    known = definition_of(line).elements
    if not places or element.tag not in known or element.tag in WRITTEN:
        return [named(reference, element)]
    if element.tag in ONCE and any(element.tag in map(TAG, node.elements()) for node in places):
        return [named(reference, element)]
    if holder != reference and "pose" in definition_of(known[element.tag]).elements:
        # The link became a frame on its holder: an element of the link stays relative to that frame.
        pose = element.find("pose") or element.add("pose", "0 0 0 0 0 0")
        pose.attributes.setdefault("relative_to", model.carried.names[reference])
    for node in places:
        node.children.append(element)
    return []


def _put_into_shapes(reference: str, element: XmlNode, model: GazeboWriter) -> List[Said]:
    """Copy a `<visual>` or `<collision>` of `<gazebo>` into each of a link; return its parts without a place."""
    shapes = model.shapes.get((reference, element.tag), ())
    if not shapes:
        return []
    homeless = _parts_without_place(reference, element, shapes, model)
    tags = {part.tag for part in element.elements()} - {part.tag for part in homeless}
    for shape in shapes:
        if "material" in tags:
            shape.children = [part for part in shape.elements() if part.tag != "material"]
        surface = element.find("surface")
        if surface is not None:
            _move_surface(shape, surface, model)
        # Each shape gets a copy of its own.
        copied = parse(render(element)).elements()
        shape.children += [part for part in copied if part.tag in tags]
    return [(f"<{part.tag}> in <{element.tag}>", reference) for part in homeless]


def _parts_without_place(
    reference: str, element: XmlNode, shapes: Sequence[XmlNode], model: GazeboWriter
) -> List[XmlNode]:
    """Return the parts of a `<visual>` or `<collision>` that SDF does not define, or that the shapes have already."""
    # Surface and material replace the own ones of a shape, but a material of Gazebo, by name, is not replaced.
    replaced = REPLACED[:1] if reference in model.scripted else REPLACED[:2]
    tags_of_shapes = {part.tag for part in chain.from_iterable(map(XmlNode.elements, shapes))}
    defined = definition_of(element.tag).elements
    return [
        part
        for part in element.elements()
        if part.tag not in defined or (part.tag in tags_of_shapes and part.tag not in replaced)
    ]


def _move_surface(shape: XmlNode, surface: XmlNode, model: GazeboWriter) -> None:
    """Move the contact values of a shape into the `<surface>` of `<gazebo>` that replaces its own.

    The values of the model were given later in the file than any element of `<gazebo>`: they win.
    """
    previous = shape.find("surface")
    if previous is None:
        model.surfaces[id(shape)] = []
        return
    leaves = [(path, leaf.text) for path, leaf in leaves_of(previous)]
    # A second surface replaces the first, and the values of the model stay.
    values = model.surfaces.setdefault(id(shape), leaves)
    shape.children.remove(previous)
    for path, text in values:
        put(surface, path, text).attributes.clear()


def finish(top: XmlNode, model: GazeboWriter) -> None:
    """Set what SDF does not define aside, note it, and write the version of the file."""
    body = top.elements()[0]
    odd = set_aside(body)
    followers = [joint for joint in body.elements("joint") if _has_mimic(joint)]
    version = WITH_MIMIC if followers else _version_without_mimic(model)
    top.attributes["version"] = f"1.{version}"
    if odd or model.robot.extensions:
        # XML wants each prefix to be declared.
        declared = _namespaces_of(model.robot)
        for prefix in sorted(_prefixes_in(top)):
            top.attributes[f"xmlns:{prefix}"] = declared.get(f"xmlns:{prefix}", NAMESPACE)
    for words, owner in sorted(set(odd)):
        if owner:
            model.findings.note(EXPORT_READER, "prefix-of", words, owner, PREFIX)
        else:
            model.findings.note(EXPORT_READER, "prefix", words, PREFIX)
    if followers:
        name = f"<mimic> of '{followers[0].attributes['name']}'"
        model.findings.note(EXPORT_READER, "version", name, READS_MIMIC, numbers=(version,))


def _has_mimic(joint: XmlNode) -> bool:
    """Return True if an axis of a joint follows another joint."""
    return any(axis.elements("mimic") for axis in joint.elements("axis", "axis2"))


def _version_without_mimic(model: GazeboWriter) -> int:
    """Return the lowest version 1.N that defines what the writer wrote, mimic joints aside.

    The content of `<gazebo>` counts for nothing: readers take all elements that they know, whatever the version.
    """
    for shape in chain.from_iterable(model.shapes.values()):
        if any(
            geometry.elements("capsule", "ellipsoid") for geometry in shape.elements("geometry")
        ):
            return WITH_CAPSULES
    frames = {model.carried.names[name] for name in model.carried.frames}
    for joint in chain.from_iterable(model.joints.values()):
        if any(end.text in frames for end in joint.elements("parent", "child")):
            return WITH_CAPSULES
    return OLDEST


def _prefixes_in(top: XmlNode) -> Set[str]:
    """Return the prefixes of all elements and attributes, without the prefixes of XML itself."""
    # `Sound` elements have none.
    elements = depth_first(
        [top], lambda element: [child for child in element.children if type(child) is XmlNode]
    )
    names = chain.from_iterable((element.tag, *element.attributes) for element in elements)
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def _namespaces_of(robot: RobotRecord) -> Dict[str, str]:
    """Return the attributes of `<robot>`: elements that are copied from it refer to the namespaces that it declares."""
    declared: Dict[str, str] = {}
    for text in robot.extensions:
        if text.startswith("<robot"):
            declared.update(parse(text).attributes)
    return declared
