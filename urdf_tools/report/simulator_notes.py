"""Notes on what simulators and libraries do with this URDF that its author may not expect."""
import os
from collections import Counter
from typing import Dict, List, Set, Tuple

from ..base.number_text import count_of
from ..urdf.model import Joint, Limit, Link, Robot
from ..urdf.references import TRUE
from ..urdf.spatial import largest_entry, why_not_physical
from ..plan.merging import BOLTED_ROOTS

NAMES_IN_A_NOTE = 3
MUJOCO_READS = (".stl", ".obj", ".msh")
STAY_JOINTS = ("preserveFixedJoint", "disableFixedJointLumping")


def simulator_notes(robot: Robot) -> Tuple[str, ...]:
    """Return one sentence for each note that applies to the robot.

    Facts of MuJoCo 3 and 4 (its URDF importer), sdformat 9 to 15 as gz uses it, and the KDL parser of ROS.
    """
    notes = (
        _discarded_visuals(robot), _one_sided_limits(robot), _inherited_colors(robot), _unreadable_meshes(robot),
        _impossible_inertias(robot), _lumped_joints(robot), _dropped_links(robot), _weight_of_the_root(robot),
        _colors_of_one_name(robot),
    )
    return tuple(note for note in notes if note)


def _listed(names: List[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:NAMES_IN_A_NOTE])
    return f"{shown} and {len(names) - NAMES_IN_A_NOTE} more" if len(names) > NAMES_IN_A_NOTE else shown


def _discarded_visuals(robot: Robot) -> str:
    visuals = any(shape.kind == "visual" for link in robot.links.values() for shape in link.shapes)
    for top in robot.document.root.elements("mujoco"):
        if any((compiler.get("discardvisual") or "").lower() == "false" for compiler in top.elements("compiler")):
            return ""
    return "MuJoCo will discard visuals unless the file has <mujoco><compiler discardvisual=\"false\"/></mujoco>" if (
        visuals) else ""


def _one_sided_limits(robot: Robot) -> str:
    names = []
    for joint in robot.joints:
        low, high, *_ = joint.limit or Limit()
        if joint.type in ("revolute", "prismatic") and (
                (low is None) != (high is None) or low is not None and high is not None and low > high):
            names.append(joint.name)
    return f"A one-sided limit (or lower > upper) means unlimited in MuJoCo: {_listed(names)}" if names else ""


def _inherited_colors(robot: Robot) -> str:
    count, colored = 0, False
    for link in robot.links.values():
        for shape in link.shapes:
            if shape.kind == "visual":
                has_one = shape.source.find("material") is not None
                count += colored and not has_one
                colored = colored or has_one
    return f"{count_of(count, 'visual')} without <material>: MuJoCo draws them in the color of the visual before" if (
        count) else ""


def _unreadable_meshes(robot: Robot) -> str:
    names = {shape.mesh for link in robot.links.values() for shape in link.shapes if shape.mesh}
    endings = Counter(ending for ending in (os.path.splitext(name)[1].lower() for name in sorted(names))
                      if ending not in MUJOCO_READS)
    counts = " and ".join(count_of(count, f"{ending} mesh".strip(), f"{ending} meshes".strip())
                          for ending, count in endings.items())
    return f"{counts}: MuJoCo cannot read them" if counts else ""


def _impossible_inertias(robot: Robot) -> str:
    moving = [robot.links[joint.child] for joint in robot.joints if joint.type != "fixed"]
    names = [link.name for link in moving if link.inertial is not None and link.mass > 0.0 and why_not_physical(
        link.mass, link.inertial.properties.inertia)]
    return f"Principal moments with A + B < C are an error in MuJoCo: {_listed(names)}" if (
        names) else ""


def _staying(robot: Robot) -> Set[str]:
    """Return the names of the joints marked for gz not to lump."""
    return {top.get("reference") or "" for top in robot.document.root.elements("gazebo") for flag in top.elements()
            if flag.name in STAY_JOINTS and flag.text().strip().lower() in TRUE}


def _lumped(robot: Robot) -> List[Joint]:
    staying = _staying(robot)
    return [joint for joint in robot.tree if joint.type == "fixed" and joint.name not in staying
            and not (joint.parent == robot.root and joint.parent in BOLTED_ROOTS)]


def _lumped_joints(robot: Robot) -> str:
    names = [joint.name for joint in _lumped(robot)]
    what = "this kept fixed joint" if len(names) == 1 else "these kept fixed joints"
    return f"gz lumps {what} unless preserveFixedJoint is set: {_listed(names)}" if names else ""


def _dropped_links(robot: Robot) -> str:
    mass = {name: link.mass for name, link in robot.links.items()}
    lumped = {joint.child for joint in _lumped(robot)}
    for joint in reversed(robot.tree):
        if joint.child in lumped:
            mass[joint.parent] += mass[joint.child]
    above = {joint.child for joint in robot.joints}
    names = [name for name in robot.links if mass[name] <= 0.0 and name not in lumped
             and (name in above or name not in BOLTED_ROOTS)]
    return f"gz drops a link without <inertial>, with all that hangs on it: {_listed(names)}" if names else ""


def _weight_of_the_root(robot: Robot) -> str:
    root: Link = robot.links[robot.root]
    heavy = root.inertial is not None and (root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0)
    return f"KDL warns about inertia on the root '{root.name}' and ignores it" if heavy else ""


def _colors_of_one_name(robot: Robot) -> str:
    colors: Dict[str, Set[Tuple[float, ...]]] = {}
    for element in robot.document.root.walk():
        if element.name != "material" or not element.get("name"):
            continue
        color = element.find("color")
        try:
            rgba = tuple(float(word) for word in ((color.get("rgba") if color is not None else None) or "").split())
        except ValueError:
            continue
        if rgba:
            colors.setdefault(element.get("name") or "", set()).add(rgba)
    names = [name for name, values in colors.items() if len(values) > 1]
    return f"A material name has two colors, and readers differ in which they take: {_listed(names)}" if (
        names) else ""
