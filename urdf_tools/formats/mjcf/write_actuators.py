"""What holds joints of MJCF together or moves them: loops with the `<connect>` that closes each, followers, locked
joints, and actuators.
"""
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ...base.number_text import format_numbers, read_numbers
from ...facts.records import LOOP_WORDS
from ...model.kinds import EXPORT_LOST
from ...model.pose import Pose, vector_of
from ...model.records import Joint, Robot
from ...model.tree import leaders_of, rules_of
from ...model.xml_tree import Node, node, parse
from ...robot.records import RawActuator, RawRobot
from ...urdf.model import MOVABLE
from .lower import range_of
from .lower_bodies import limits_of, Model, put_site

ATTRIBUTES = {"gear": "gear", "kp": "kp", "kv": "kv", "damping_ratio": "dampratio", "control_range": "ctrlrange",
              "force_range": "forcerange"}
CLOSING = "closing_"
TURNING = ("revolute", "continuous", "ball")  # kinds of `<loop_joint>` that hold two points together
End = Tuple[str, str, Pose]  # name, link, pose in the link


class Loop(NamedTuple):
    """Two points that coincide."""

    name: str
    ends: Tuple[End, End]


def write_equalities(model: Model, loops: Tuple[List[Loop], List[str]]) -> Node:
    """Write followers, locked joints and loops, given as those to close and those that stay open."""
    section = node("equality")
    leaders, rules = leaders_of(model.robot), rules_of(model.robot)
    for joint in model.robot.joints:
        if joint.type not in MOVABLE or joint.child not in model.names:
            continue
        name = model.names[joint.child]
        limits = limits_of(joint)
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        closes = leader is not None and joint.child not in rules
        if joint.mimic is not None and (leader is None or closes):
            model.findings.note(EXPORT_LOST, "mimic-circle" if closes else "mimic-unknown", joint.name,
                                joint.mimic.joint, part="joint")
        if joint.mimic is not None and leader is not None and not closes:
            # The follower of a joint that cannot move stays at its offset.
            leads = leader.type in MOVABLE
            numbers = (joint.mimic.offset, joint.mimic.multiplier if leads else 0.0, 0.0, 0.0, 0.0)
            section.add("joint", joint1=name, joint2=model.names[leader.child] if leads else None,
                        polycoef=format_numbers(numbers))
        elif _is_locked(joint):
            assert limits is not None
            section.add("joint", joint1=name, polycoef=format_numbers((limits[0], 0.0, 0.0, 0.0, 0.0)))
    section.children.extend(write_loops(model, *loops))
    return section


def _is_locked(joint: Joint) -> bool:
    limits = limits_of(joint)
    return limits is not None and limits[0] == limits[1]


def write_actuators(model: Model, actuators: Sequence[RawActuator], reference: RawRobot) -> Node:
    """Write the actuators."""
    section = node("actuator")
    ranges = {model.names.get(joint.child): range_of(joint) for joint in reference.joints}
    for actuator in actuators:
        written = section.add(actuator.kind, name=actuator.name, joint=actuator.joint)
        for key, numbers in actuator.values.items():
            if key == "control_range" and actuator.kind == "position" and numbers == ranges[actuator.joint]:
                written.attributes["inheritrange"] = "1"
            elif key != "gear" or numbers != (1.0,):
                written.attributes[ATTRIBUTES[key]] = format_numbers(numbers)
    return section


def find_loops(robot: Robot) -> Tuple[List[Loop], List[str]]:
    """Return the loops that can be closed, and the names of those that stay open."""
    pairs: Dict[str, List[End]] = {}
    for link in robot.links:
        name, _, end = link.name.rpartition("_")
        if name.startswith(CLOSING) and end in ("1", "2"):
            pairs.setdefault(name, []).append((link.name, link.name, Pose()))
    links, still_open = {link.name for link in robot.links}, []
    for top in map(parse, robot.extensions):
        name = top.attributes.get("name") or f"<{top.tag}>"
        if top.tag == "loop_joint":
            pairs[name] = [*_ends(top, name, links)] if top.attributes.get("type") in TURNING else []
        elif any(word in top.tag.lower() for word in LOOP_WORDS[:3]):
            still_open.append(name)
        elif top.tag == "gazebo":
            still_open += [child.attributes.get("name") or "<joint>" for child in top.elements("joint")]
    still_open += [name for name, ends in pairs.items() if len(ends) != 2]
    return [Loop(name, (ends[0], ends[1])) for name, ends in pairs.items() if len(ends) == 2], still_open


def _ends(loop_joint: Node, name: str, links: "set[str]") -> Iterator[End]:
    for child in loop_joint.elements("link1", "link2"):
        if child.attributes.get("link") in links:
            try:
                xyz, rpy = (vector_of(read_numbers(child.attributes.get(key) or "0 0 0", 3)) for key in ("xyz", "rpy"))
            except ValueError:
                continue
            yield f"{name}_{child.tag[-1]}", child.attributes["link"], Pose(xyz, rpy)


def write_loops(model: Model, loops: List[Loop], still_open: List[str]) -> Iterator[Node]:
    """Yield a `<connect>` for each loop, between sites that it writes; name the loops that stay open."""
    for loop in loops:
        if any(link not in model.bodies.where for _, link, _ in loop.ends):
            still_open = [*still_open, loop.name]
            continue
        sites = [name if model.sites.get(name) == (link, pose) else put_site(model, name, link, pose)
                 for name, link, pose in loop.ends]
        yield Node("connect", {"name": loop.name, "site1": sites[0], "site2": sites[1]}, [])
    for name in still_open:
        model.findings.note(EXPORT_LOST, "loop", name)
