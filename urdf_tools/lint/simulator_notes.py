"""Notes on what simulators and libraries do with this URDF that its author may not expect."""
import os
from itertools import dropwhile
from typing import Dict, Iterator, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..facts.simulator_values import lumped_links
from ..plan.merging import WORLD_LINKS
from ..urdf.model import Limit, Robot
from ..urdf.spatial import largest_entry, why_not_physical
from .kinds import IN_GAZEBO, IN_MUJOCO, IN_READERS

MUJOCO_READS = (".stl", ".obj", ".msh")


def simulator_notes(robot: Robot) -> Tuple[Diagnostic, ...]:
    """Return the notes that apply to the robot, with their lines.

    Facts of MuJoCo 3 and 4 (its URDF importer), sdformat 9 to 15 as gz uses it, and the KDL parser of ROS.
    """
    return (*_looks_in_mujoco(robot), *_joints_and_masses_in_mujoco(robot), *_notes_of_gazebo(robot),
            *_notes_of_readers(robot))


def _looks_in_mujoco(robot: Robot) -> Iterator[Diagnostic]:
    visuals = [(link.name, shape) for link in robot.links.values() for shape in link.visuals]
    compilers = [compiler for top in robot.document.root.elements("mujoco") for compiler in top.elements("compiler")]
    if visuals and not any((compiler.get("discardvisual") or "").lower() == "false" for compiler in compilers):
        yield Diagnostic(IN_MUJOCO, 0, "visuals")
    for name, shape in dropwhile(lambda visual: visual[1].source.find("material") is None, visuals):
        if shape.source.find("material") is None:
            yield Diagnostic(IN_MUJOCO, shape.source.line, "material", (name,))
    shown: Set[str] = set()
    for shape in (shape for link in robot.links.values() for shape in link.shapes if shape.mesh):
        if os.path.splitext(shape.mesh)[1].lower() not in MUJOCO_READS and shape.mesh not in shown:
            shown.add(shape.mesh)
            yield Diagnostic(IN_MUJOCO, shape.source.line, "mesh", (os.path.basename(shape.mesh),))


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
    weighing = {links[name].body for name, link in robot.links.items() if link.mass > 0.0}
    kept = {links[name].body for name in robot.links} - ({robot.root} & {*WORLD_LINKS})
    for name, link in robot.links.items():
        if name in kept - weighing:
            yield Diagnostic(IN_GAZEBO, link.source.line, "dropped", (name,))


def _notes_of_readers(robot: Robot) -> Iterator[Diagnostic]:
    root = robot.links[robot.root]
    if root.inertial is not None and (root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0):
        yield Diagnostic(IN_READERS, root.inertial.source.line, "root", (root.name,))
    colors: Dict[str, Set[Tuple[float, ...]]] = {}
    for element in robot.document.root.walk():
        color = element.find("color") if element.name == "material" else None
        try:
            rgba = tuple(map(float, (color.get("rgba") or "").split())) if color is not None else ()
        except ValueError:
            continue
        name = element.get("name") or ""
        if rgba and name:
            known = colors.setdefault(name, set())
            if len(known) == 1 and rgba not in known:
                yield Diagnostic(IN_READERS, element.line, "colors", (name,))
            known.add(rgba)
