"""Notes on what simulators and libraries do with this URDF that its author may not expect.

Among them rules for elements that this tool reads, and urdfdom refuses or drops, which ROS, RViz, MoveIt and Pinocchio
use. Facts of urdfdom 6 (urdf_parser/src/model.cpp, link.cpp, joint.cpp), and of tinyxml2, which reads the XML for it.
"""
import os
from itertools import chain, dropwhile
from typing import Dict, Iterator, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import numbers_in
from ..facts.simulator_values import lumped_links
from ..plan.merging import WORLD_LINKS
from ..urdf.lossless_xml import Document, Element
from ..urdf.model import INERTIA_KEYS, Limit, NO_MASS, Robot
from ..urdf.spatial import largest_entry, why_not_physical
from .kinds import IN_GAZEBO, IN_MUJOCO, IN_READERS, IN_URDFDOM, UNDEFINED_MATERIAL
from .program_rules import keeps_visuals, READS
from .records import Finding, Subject



def simulator_notes(robot: Robot) -> Tuple[Diagnostic, ...]:
    """Return the notes that apply to the robot, with their lines.

    Facts of MuJoCo 3 and 4 (its URDF importer), sdformat 9 to 15 as gz uses it, and the KDL parser of ROS.
    """
    return (*_looks_in_mujoco(robot), *_joints_and_masses_in_mujoco(robot), *_notes_of_gazebo(robot),
            *_notes_of_readers(robot))


def _looks_in_mujoco(robot: Robot) -> Iterator[Diagnostic]:
    visuals = [(link.name, shape) for link in robot.links.values() for shape in link.visuals]
    keeps = keeps_visuals(robot)
    if visuals and not keeps:
        yield Diagnostic(IN_MUJOCO, 0, "visuals")
    for name, shape in dropwhile(lambda visual: visual[1].source.find("material") is None, visuals):
        if shape.source.find("material") is None:
            yield Diagnostic(IN_MUJOCO, shape.source.line, "material", (name,))
    shown: Set[str] = set()
    for shape in (shape for link in robot.links.values() for shape in (*link.collisions, *link.visuals) if shape.mesh):
        if os.path.splitext(shape.mesh)[1].lower() not in READS["mujoco"] and shape.mesh not in shown:
            shown.add(shape.mesh)
            yield Diagnostic(IN_MUJOCO, shape.source.line, "mesh" if keeps or shape.kind == "collision" else "drawn", (
                os.path.basename(shape.mesh),))


def _joints_and_masses_in_mujoco(robot: Robot) -> Iterator[Diagnostic]:
    for joint in robot.joints:
        low, high, *_ = joint.limit or Limit()
        if joint.type in ("revolute", "prismatic") and (
                low > high if low is not None and high is not None else (low is None) != (high is None)):
            yield Diagnostic(IN_MUJOCO, joint.source.line, "limit", (joint.name,))
    for link in (robot.links[joint.child] for joint in robot.joints if joint.type != "fixed"):
        if link.inertial is not None and link.mass > 0.0 and why_not_physical(
                link.mass, link.inertial.properties.inertia):
            yield Diagnostic(IN_MUJOCO, link.inertial.source.line, "inertia", (link.name,))


def _notes_of_gazebo(robot: Robot) -> Iterator[Diagnostic]:
    links = lumped_links(robot.document.root)
    for joint in robot.tree:
        if links[joint.child].body != joint.child:
            yield Diagnostic(IN_GAZEBO, joint.source.line, "lumped", (joint.name,))
    masses: Dict[str, float] = {}
    for name, link in robot.links.items():
        masses[links[name].body] = masses.get(links[name].body, 0.0) + link.mass
    kept = {links[name].body for name in robot.links} - ({robot.root} & {*WORLD_LINKS})
    dropped = [name for name in robot.links if name in kept and masses[name] <= NO_MASS]  # gz::math::equal to zero
    for name in dropped:
        sentence = "nothing" if len(dropped) == len(kept) else "root" if name == robot.root else (
            "light" if masses[name] else "dropped")
        yield Diagnostic(IN_GAZEBO, robot.links[name].source.line, sentence, (name,))


def _notes_of_readers(robot: Robot) -> Iterator[Diagnostic]:
    root = robot.links[robot.root]
    if root.inertial is not None and (root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0):
        yield Diagnostic(IN_READERS, root.inertial.source.line, "root", (root.name,))
    first = {element.get("name"): element for element in reversed([*recolored(robot.document.root)])}
    yield from (Diagnostic(IN_READERS, element.line, "colors", (name or "",)) for name, element in first.items())


def recolored(root: Element) -> Iterator[Element]:
    """Yield materials whose name had another color before; those of the robot are read first."""
    known: Dict[str, Tuple[float, ...]] = {}
    for element in chain(root.elements("material"), root.walk()):
        color = element.find("color") if element.name == "material" and element.get("name") else None
        rgba = color.get("rgba") if color is not None else None
        numbers = tuple(value for word in (rgba or "").split() for value in numbers_in(word, 1) or ())
        if numbers and known.setdefault(element.get("name") or "", numbers) != numbers:
            yield element


VERSIONS = ("1.0", "1.1", "1.2")
DRAWN = ("link/visual/geometry/", "link/collision/geometry/")
REQUIRED: Dict[str, Tuple[str, ...]] = {  # by the path of an element, what it must have
    "joint/limit": ("effort", "velocity"), "joint/safety_controller": ("k_velocity",), "joint/mimic": ("joint",),
    "link/inertial/inertia": INERTIA_KEYS, **{f"{path}mesh": ("filename",) for path in DRAWN},
    "material": ("name",)}  # a material of a visual has another kind
NUMBERS = {"joint/limit": ("effort", "velocity"), "joint/safety_controller": ("k_position", "k_velocity"),
           "joint/dynamics": ("damping", "friction")}  # this tool ignores a text that is not a number


def urdfdom_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the elements for which urdfdom refuses the file, or which it drops, and which this tool reads."""
    root = subject.robot.document.root
    yield from _of_file(subject.robot.document)
    yield from _of_materials(root)
    for top in root.elements():
        for element in top.walk() if top.name in ("link", "joint", "material") else ():
            path = "/".join([ancestor.name for ancestor in element.upward()][-2::-1])
            yield from _of_element(element, path, top.get("name") or "", root)


def _found(line: int, sentence: str, *names: str) -> Finding:
    return Finding(Diagnostic(IN_URDFDOM, line, sentence, names))


def _of_file(document: Document) -> Iterator[Finding]:
    root, version = document.root, document.root.get("version")
    if version not in (None, *VERSIONS):
        yield _found(root.line, "version", version or "")
    if root.get("name") is None:
        yield _found(root.line, "lacks", "robot", "", "name")
    if document.encoding.lower().startswith("utf-16"):
        yield _found(root.line, "encoding", document.encoding)
    before = next(k for k, node in enumerate(document.children) if isinstance(node, Element) or node[:4] == "<!--")
    parts = [(root.line, document.children[before:]), *((element.line, element.children) for element in root.walk())]
    for line, nodes in parts:
        if any(isinstance(node, str) and node.startswith("<?") for node in nodes):
            yield _found(line, "instruction")


def _of_materials(root: Element) -> Iterator[Finding]:
    """Yield materials of the robot that are defined twice, or empty; and names that are defined nowhere."""
    visuals = [visual for link in root.elements("link") for visual in link.elements("visual")]
    used = [material for material in (visual.find("material") for visual in visuals) if material is not None]
    seen = {""}
    for material in root.elements("material"):
        name = material.get("name") or ""
        if name in seen - {""}:
            yield _found(material.line, "twice", name)
        elif name and not any(child.attributes for child in material.elements() if child.name in ("color", "texture")):
            yield _found(material.line, "empty", name)
        seen.add(name)
    seen |= {material.get("name") or "" for material in used if material.elements()}
    for material in used:
        name = material.get("name") or ""
        if name not in seen:
            yield Finding(Diagnostic(UNDEFINED_MATERIAL, material.line, "name", (name,)))


def _of_element(element: Element, path: str, owner: str, root: Element) -> Iterator[Finding]:
    for key in REQUIRED.get(path, ()):
        if element.get(key) is None:
            yield _found(element.line, "lacks" if path.startswith("joint") else "part", element.name, owner, key,
                         *path.split("/")[1:2])
    if path == "joint/dynamics" and element.get("damping") is element.get("friction") is None:
        yield _found(element.line, "lacks", "dynamics", owner, "damping or friction")
    for key in NUMBERS.get(path, ()):
        text = element.get(key)
        if text is not None and numbers_in(text, 1) is None:
            yield _found(element.line, "number", element.name, owner, key, text)
    if path in (f"{drawn}capsule" for drawn in DRAWN) and root.get("version") in (None, VERSIONS[0]):
        yield _found(element.line, "capsule", owner)
    rgba = element.get("rgba") or "" if path.endswith("material/color") else ""
    if not all(0.0 <= value <= 1.0 for word in rgba.split() for value in numbers_in(word, 1) or (-1.0,)):
        yield _found(element.line, "color", owner, rgba)
