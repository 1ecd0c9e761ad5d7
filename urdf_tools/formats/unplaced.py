"""Elements of a URDF, besides its links and joints, that a format cannot hold."""
from typing import Dict, Iterable, Iterator, List, Tuple

from ..base.number_text import numbers_in
from ..model.choices import Frame
from ..model.kinds import EXPORT_LOST
from ..model.records import Robot
from ..model.shapes import Pose, vector_of
from ..model.simulation import SURFACE
from ..model.xml_tree import GEOMETRY, JOINT, LINK, Node, parse, VISUAL
from .lower import Findings

DONE = ("preserveFixedJoint", "disableFixedJointLumping", "canonicalBody")  # of the conversion from URDF: it is done
OF_READING = frozenset(("discardvisual", "strippath", "meshdir", "assetdir", "texturedir"))  # MuJoCo's XML reference
PARTS = frozenset(("link", "joint", *LINK, *JOINT, *VISUAL, *GEOMETRY))
SHAPES = {**dict.fromkeys(SURFACE, "collisions"), "material": "visuals"}  # the shapes that a tag is about
Said = Tuple[str, str]  # an element, such as <stopErp>, and the link, joint or plugin that it is about; "": the robot


def frames_in(robot: Robot) -> List[Frame]:
    """Return the frames of `<frame name= link= xyz= rpy=>`, siblings of the links, as Drake reads them: each name once.

    A frame on a link that does not exist, or with the name of a link, is in no format.
    """
    links = {link.name for link in robot.links}
    frames: Dict[str, Frame] = {}
    for text in robot.extensions:
        top = parse(text) if text.startswith("<frame") else Node("", {}, [])
        name, link = top.attributes.get("name", ""), top.attributes.get("link", "")
        xyz, rpy = (numbers_in(top.attributes.get(key, "0 0 0"), 3) for key in ("xyz", "rpy"))
        if top.tag == "frame" and link in links and name not in links and xyz and rpy:
            frames.setdefault(name, Frame(name, link, Pose(vector_of(xyz), vector_of(rpy))))
    return list(frames.values())


def said_by_gazebo(robot: Robot) -> Iterator[Tuple[str, Node]]:
    """Yield what `<gazebo>` holds and the model has no field for: the reference ("": none), and each element.

    Elements about the shapes of a link that has none are left out: they have no effect.
    """
    links = {link.name: link for link in robot.links}
    for text in robot.extensions:
        if text.startswith("<gazebo"):
            top = parse(text)
            reference = top.attributes.get("reference", "")
            for element in top.elements():
                shapes = SHAPES.get(element.tag)
                if shapes is None or reference not in links or getattr(links[reference], shapes):
                    yield reference, element


def named(reference: str, element: Node) -> Said:
    """Return the description of an element for a note: of a plugin or sensor with its name."""
    name = element.attributes.get("name")
    tag = f"<{element.tag}> '{name}'" if name and element.tag in ("plugin", "sensor") else f"<{element.tag}>"
    return tag, reference


def said_beside(robot: Robot) -> Iterator[Said]:
    """Yield the elements that are not URDF: siblings of links and joints, and inside of them."""
    frames = {frame.name for frame in frames_in(robot)}
    for text in robot.extensions:
        top = parse(text)
        is_frame = top.tag == "frame" and top.attributes.get("name") in frames
        if top.tag not in ("gazebo", "robot") and not is_frame and not _only_reads(top):
            yield f"<{top.tag}>", ""
    for link in robot.links:
        for text in (*link.extensions, *(text for shape in link.shapes for text in shape.extensions)):
            yield _other(parse(text)), link.name
    for joint in robot.joints:
        for text in joint.extensions:
            yield _other(parse(text)), joint.name


def _only_reads(top: Node) -> bool:
    """Return True for a `<mujoco>` that says nothing but how MuJoCo reads the URDF, as `--for mujoco` writes one."""
    return top.tag == "mujoco" and all(element.tag == "compiler" and OF_READING.issuperset(element.attributes)
                                       for element in top.elements())


def _other(top: Node) -> str:
    """Return the description of an extension for a note: if it has the name of a part of URDF, of what is in it."""
    while top.tag in PARTS and top.elements():
        top = top.elements()[0]
    return f"<{top.tag}> {' '.join(top.attributes)}" if top.tag in PARTS else f"<{top.tag}>"


def note_lost(elements: Iterable[Said], findings: Findings) -> None:
    """Note the elements that a format cannot hold, sorted."""
    for what, owner in sorted(elements):
        if owner:
            findings.note(EXPORT_LOST, "element-of", what, owner)
        else:
            findings.note(EXPORT_LOST, "element", what)
