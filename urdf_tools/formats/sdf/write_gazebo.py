"""Write the content of `<gazebo>` where SDF has an element for it, then make all of the model fit SDF."""
from operator import attrgetter
from typing import Dict, List, Set, Tuple

from ...base.number_text import numbers_in
from ...facts.simulator_values import REPLACED, TRUE
from ...model.choices import SdfOptions
from ...model.records import Joint, material_meanings, Robot, Sensor
from ...model.shapes import Material
from ...model.tree import leaders_of
from ...model.xml_tree import leaves_of, Node, parse, put, render
from ...urdf.spatial import IDENTITY_POSE
from ..kinds import EXPORT_MISREAD, EXPORT_READER
from ..lower import DONE, Findings, named, note_lost, Said, said_beside, said_by_gazebo
from .lower import Carried
from .spec import Fitting, LINES, PREFIX, RELEASES

JOINT_PLACES = {"stopCfm": "physics/ode/limit/cfm", "stopErp": "physics/ode/limit/erp",
                "fudgeFactor": "physics/ode/fudge_factor", "provideFeedback": "physics/provide_feedback",
                "implicitSpringDamper": "physics/ode/implicit_spring_damper",
                "cfmDamping": "physics/ode/implicit_spring_damper"}  # of `<gazebo reference=JOINT>`, as there
FLAGS = ("provideFeedback", "implicitSpringDamper", "cfmDamping")
WRITTEN = frozenset("pose inertial visual collision sensor self_collide gravity parent child axis axis2".split())
ONCE = frozenset(("velocity_decay", "physics"))
TAG = attrgetter("tag")


class Model:
    """The state of the writer while the text is made; `names` are those of joints, by child link."""

    def __init__(self, robot: Robot, options: SdfOptions, carried: Carried, names: Dict[str, str], findings: Findings
                 ) -> None:
        self.robot, self.options, self.carried, self.names, self.findings = robot, options, carried, names, findings
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.left_out: Set[Tuple[str, str, int]] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.mesh_files: Dict[str, str] = dict(options.mesh_files)
        self.sensors: Set[Sensor] = set()  # that are written
        self.at_joint = _said_of_joints(robot)
        self.scripted = {link.name for link in robot.links for visual in link.visuals if visual.script}
        self.nodes: Dict[str, Node] = {}  # of links
        self.joints: Dict[str, List[Node]] = {}
        self.shapes: Dict[Tuple[str, str], List[Node]] = {}  # by link and visual or collision
        self.sound: Set[int] = set()  # elements that fit, by their `id`
        self.surfaces: Dict[int, List[Tuple[str, str]]] = {}  # of a shape, before `<gazebo>` put its own there


def put_physics(element: Node, joint: Joint, model: Model) -> None:
    """Write what `<gazebo>` gives for a joint below `physics`; of several joints of one name it means the first."""
    texts = model.at_joint.get(joint.name, {})
    for tag, text in texts.items() if texts and next(
            first for first in model.robot.joints if first.name == joint.name) is joint else ():
        put(element, JOINT_PLACES[tag], text)


def _said_of_joints(robot: Robot) -> Dict[str, Dict[str, str]]:
    """Return by joint the texts of `<gazebo>` that SDF has below `physics`; of two the last counts, as in sdformat."""
    joints = {joint.name for joint in robot.joints} - {link.name for link in robot.links}
    texts: Dict[str, Dict[str, str]] = {}
    for reference, element in said_by_gazebo(robot):
        if reference in joints and element.tag in JOINT_PLACES and not element.elements():
            text = element.attributes.get("value") or element.text
            if element.tag in FLAGS or numbers_in(text, 1):
                texts.setdefault(reference, {})[element.tag] = text if element.tag not in FLAGS else (
                    str(text.lower() in TRUE).lower())
    return texts


def write_rest(body: Node, model: Model) -> None:
    """Write the content of `<gazebo>` without a reference, and note what SDF has no element for."""
    lost = list(said_beside(model.robot))
    for reference, element in said_by_gazebo(model.robot):
        if not reference:
            body.children.append(element)
            if element.tag == "joint":
                model.findings.note(EXPORT_MISREAD, "loop", element.attributes.get("name", ""))
        elif element.tag not in (*DONE, *(model.at_joint.get(reference, ()) if model.joints.get(reference) else ())):
            lost += _put_into(reference, element, model)
    note_lost(lost, model.findings)
    if model.robot.actuators:
        model.findings.note(EXPORT_READER, "urdf")


def _put_into(reference: str, element: Node, model: Model) -> List[Said]:
    """Copy an element of `<gazebo reference>` into its links, joints or shapes, as sdformat does; return the rest."""
    if element.tag in ("visual", "collision"):
        return _put_into_shapes(reference, element, model)
    holder = model.carried.where.get(reference, ("", IDENTITY_POSE))[0]
    places = [model.nodes[holder]] if holder else model.joints.get(reference, [])
    known = LINES["link" if holder else "joint"].elements
    if not places or element.tag not in known or element.tag in WRITTEN or any(
            element.tag in map(TAG, node.elements()) and element.tag in ONCE for node in places):
        return [named(reference, element)]
    if holder != reference and "pose" in LINES[known[element.tag].line].elements:
        pose = element.find("pose") or element.add("pose", "0 0 0 0 0 0")
        pose.attributes.setdefault("relative_to", model.carried.names[reference])
    for node in places:
        node.children.append(element)
    return []


def _put_into_shapes(reference: str, element: Node, model: Model) -> List[Said]:
    """Copy what is in a `<visual>` or `<collision>` of `<gazebo>` into those of a link; return what has no place there.
    """
    shapes = model.shapes.get((reference, element.tag), ())
    replaced = REPLACED[: 1 if reference in model.scripted else 2]
    inside = [part for part in element.elements() if part.tag not in LINES[element.tag].elements or any(
        part.tag in map(TAG, shape.elements()) and part.tag not in replaced for shape in shapes)]
    for shape in shapes:
        if element.find("material") not in (None, *inside):
            shape.children = [part for part in shape.elements() if part.tag != "material"]
        surface, previous = element.find("surface"), shape.find("surface")
        if surface is not None and previous is not None:
            # The values of the model were given later in the file than any such element: they win.
            leaves = model.surfaces.setdefault(id(shape), [(path, leaf.text) for path, leaf in leaves_of(previous)])
            shape.children.remove(previous)
            for path, text in leaves:
                put(surface, path, text).attributes.clear()
        elif surface is not None:
            model.surfaces[id(shape)] = []
        shape.children += [part for part in parse(render(element)).elements() if part.tag not in map(TAG, inside)]
    return [(f"<{part.tag}> in <{element.tag}>", reference) for part in inside if shapes]


def fit_all(top: Node, model: Model) -> None:
    """Make all elements fit SDF, note those that do not, and set the version: the lowest that defines all of them."""
    fitting, frames = Fitting(model.sound), {model.carried.names[name] for name in model.carried.frames}
    fitting.fit(top.elements()[0])
    for joint in model.robot.joints:
        for element in model.joints.get(joint.name, ()):
            if {part.text for part in element.elements("parent", "child")} & frames:
                fitting.needs(8, "a frame as the parent", joint.name)  # 1.8, joint.sdf: "Name of the parent frame"
    top.attributes["version"] = f"1.{fitting.since}"
    if fitting.odd:
        top.attributes[f"xmlns:{PREFIX[:-1]}"] = "http://wiki.ros.org/urdf"
        for what, owner in sorted(set(fitting.odd)):
            if owner:
                model.findings.note(EXPORT_READER, "prefix-of", what, owner, PREFIX)
            else:
                model.findings.note(EXPORT_READER, "prefix", what, PREFIX)
    if fitting.since > 9:
        model.findings.note(EXPORT_READER, "version", fitting.newest, RELEASES[fitting.since], numbers=(fitting.since,))
