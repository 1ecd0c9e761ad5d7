"""Notes on what simulators and libraries do with this URDF that its author may not expect."""
import os
from collections import Counter
from itertools import dropwhile
from typing import Dict, Iterator, List, Set, Tuple

from ..base.number_text import count_of, shown_names
from ..urdf.model import Limit, Robot
from ..facts.simulator_values import lumped_links
from ..urdf.spatial import largest_entry, why_not_physical
from ..plan.merging import WORLD_LINKS

NAMES_IN_A_NOTE = 3
MUJOCO_READS = (".stl", ".obj", ".msh")


def simulator_notes(robot: Robot) -> Tuple[str, ...]:
    """Return one sentence for each note that applies to the robot.

    Facts of MuJoCo 3 and 4 (its URDF importer), sdformat 9 to 15 as gz uses it, and the KDL parser of ROS.
    """
    return (*_notes_of_mujoco(robot), *_notes_of_gazebo(robot), *_notes_of_readers(robot))


def _listed(names: List[str]) -> str:
    return shown_names((f"'{name}'" for name in names), NAMES_IN_A_NOTE)


def _notes_of_mujoco(robot: Robot) -> Iterator[str]:
    shapes = [shape for link in robot.links.values() for shape in link.shapes]
    visuals = [shape for shape in shapes if shape.kind == "visual"]
    compilers = [compiler for top in robot.document.root.elements("mujoco") for compiler in top.elements("compiler")]
    if visuals and not any((compiler.get("discardvisual") or "").lower() == "false" for compiler in compilers):
        yield "MuJoCo will discard visuals unless the file has <mujoco><compiler discardvisual=\"false\"/></mujoco>"
    names = []
    for joint in robot.joints:
        low, high, *_ = joint.limit or Limit()
        if joint.type in ("revolute", "prismatic") and (
                low > high if low is not None and high is not None else (low is None) != (high is None)):
            names.append(joint.name)
    if names:
        yield f"A one-sided limit (or lower > upper) means unlimited in MuJoCo: {_listed(names)}"
    is_bare = [shape.source.find("material") is None for shape in visuals]
    inherits = sum(dropwhile(bool, is_bare))
    if inherits:
        yield f"{count_of(inherits, 'visual')} without <material>: MuJoCo draws them in the color of the visual before"
    meshes = dict.fromkeys(shape.mesh for shape in shapes if shape.mesh)
    endings = Counter(os.path.splitext(name)[1].lower() for name in meshes)
    unreadable = [count_of(count, f"{ending} mesh".strip(), f"{ending} meshes".strip())
                  for ending, count in endings.items() if ending not in MUJOCO_READS]
    if unreadable:
        yield f"{' and '.join(unreadable)}: MuJoCo cannot read them"
    moving = [robot.links[joint.child] for joint in robot.joints if joint.type != "fixed"]
    names = [link.name for link in moving if link.inertial is not None and link.mass > 0.0 and why_not_physical(
        link.mass, link.inertial.properties.inertia)]
    if names:
        yield f"Principal moments with A + B < C are an error in MuJoCo: {_listed(names)}"


def _notes_of_gazebo(robot: Robot) -> Iterator[str]:
    links = lumped_links(robot.document.root)
    lumped = [joint.name for joint in robot.tree if links[joint.child].body != joint.child]
    if lumped:
        what = "this kept fixed joint" if len(lumped) == 1 else "these kept fixed joints"
        yield f"gz lumps {what} unless preserveFixedJoint is set: {_listed(lumped)}"
    weighing = {links[name].body for name, link in robot.links.items() if link.mass > 0.0}
    kept = {links[name].body for name in robot.links} - ({robot.root} & {*WORLD_LINKS})
    names = [name for name in robot.links if name in kept - weighing]
    if names:
        yield f"gz drops a link without <inertial>, with all that hangs on it: {_listed(names)}"


def _notes_of_readers(robot: Robot) -> Iterator[str]:
    root = robot.links[robot.root]
    if root.inertial is not None and (root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0):
        yield f"KDL warns about inertia on the root '{root.name}' and ignores it"
    colors: Dict[str, Set[Tuple[float, ...]]] = {}
    for element in robot.document.root.walk():
        color = element.find("color") if element.name == "material" else None
        try:
            rgba = tuple(map(float, (color.get("rgba") or "").split())) if color is not None else ()
        except ValueError:
            continue
        if rgba and element.get("name"):
            colors.setdefault(element.get("name") or "", set()).add(rgba)
    names = [name for name, values in colors.items() if len(values) > 1]
    if names:
        yield f"A material name has two colors, and readers differ in which they take: {_listed(names)}"
