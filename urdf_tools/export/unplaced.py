"""What a URDF holds besides its links and joints and a format has no place for."""
from typing import Dict, Iterable, Iterator, List, Tuple

from ..base.number_text import numbers_in
from ..model.choices import Frame
from ..model.known_xml import GEOMETRY, JOINT, LINK, VISUAL
from ..model.pose import Pose, vector_of
from ..model.records import Robot
from ..model.simulation import SURFACE
from ..model.xml_tree import Node, parse
from ..model.kinds import EXPORT_LOST
from .written_mass import Findings

DONE = ("preserveFixedJoint", "disableFixedJointLumping", "canonicalBody")  # of the way from URDF: it is behind us
PARTS = frozenset(("link", "joint", *LINK, *JOINT, *VISUAL, *GEOMETRY))
SHAPES = {**dict.fromkeys(SURFACE, "collisions"), "material": "visuals"}  # what a tag says something about
Said = Tuple[str, str]  # what is said, such as <stopErp>, and of which link, joint or plugin; "": of the robot


def frames_in(robot: Robot) -> List[Frame]:
    """Return what `<frame name= link= xyz= rpy=>` beside the links names, as Drake reads it: each name counts once.

    One on a link that is not there, or called as a link is, has no place in any format.
    """
    links = {link.name for link in robot.links}
    found: Dict[str, Frame] = {}
    for text in robot.extensions:
        top = parse(text) if text.startswith("<frame") else Node("", {}, [])
        name, link = top.attributes.get("name", ""), top.attributes.get("link", "")
        xyz, rpy = (numbers_in(top.attributes.get(key, "0 0 0"), 3) for key in ("xyz", "rpy"))
        if top.tag == "frame" and link in links and name not in links and xyz and rpy:
            found.setdefault(name, Frame(name, link, Pose(vector_of(xyz), vector_of(rpy))))
    return list(found.values())


def elements_of(top: Node) -> List[Node]:
    """Return the elements directly inside."""
    return [child for child in top.children if isinstance(child, Node)]


def said_by_gazebo(robot: Robot) -> Iterator[Tuple[str, Node]]:
    """Yield what `<gazebo>` holds and the model has no field for: the reference ("": none), and each element.

    What is said of the shapes of a link that has none says nothing.
    """
    links = {link.name: link for link in robot.links}
    for text in robot.extensions:
        if text.startswith("<gazebo"):
            top = parse(text)
            reference = top.attributes.get("reference", "")
            for element in elements_of(top):
                shapes = SHAPES.get(element.tag)
                if shapes is None or reference not in links or getattr(links[reference], shapes):
                    yield reference, element


def named(reference: str, element: Node) -> Said:
    """Return how an element is told of: a plugin or sensor by its name, too."""
    name = element.attributes.get("name")
    tag = f"<{element.tag}> '{name}'" if name and element.tag in ("plugin", "sensor") else f"<{element.tag}>"
    return tag, reference


def said_beside(robot: Robot) -> Iterator[Said]:
    """Yield what stands beside links and joints, and in them, and is not URDF."""
    frames = {frame.name for frame in frames_in(robot)}
    for text in robot.extensions:
        top = parse(text)
        if top.tag not in ("gazebo", "robot") and not (top.tag == "frame" and top.attributes.get("name") in frames):
            yield f"<{top.tag}>", ""
    for link in robot.links:
        for text in (*link.extensions, *(text for shape in link.shapes for text in shape.extensions)):
            yield _other(parse(text)), link.name
    for joint in robot.joints:
        for text in joint.extensions:
            yield _other(parse(text)), joint.name


def _other(top: Node) -> str:
    """Return how an extension of a link or joint is told of: one named as a part of URDF holds what belongs there."""
    while top.tag in PARTS and elements_of(top):
        top = elements_of(top)[0]
    return f"<{top.tag}> {' '.join(top.attributes)}" if top.tag in PARTS else f"<{top.tag}>"


def note_lost(said: Iterable[Said], findings: Findings) -> None:
    """Take note of what has no place in a format, sorted."""
    for what, owner in sorted(said):
        if owner:
            findings.note(EXPORT_LOST, "element-of", what, owner)
        else:
            findings.note(EXPORT_LOST, "element", what)
