"""Lines of an MJCF or SDF for the URDF that was made from it: messages refer to lines of the user's file."""
from typing import Dict, Mapping

from ..compare.records import RawRobot
from ..urdf.lossless_xml import Document, Element


def mark_lines(kept: RawRobot, document: Document) -> None:
    """Give each element of a URDF the line of the element that it was made from; 0 if the reader does not know it."""
    links = {**{frame.name: frame.line for frame in kept.frames}, **{link.name: link.line for link in kept.links}}
    joints = {joint.name: joint.line for joint in kept.joints}
    tables: Mapping[str, Dict[str, int]] = {
        "link": links, "joint": joints, "gazebo": {**links, **joints},
        "loop_joint": {loop.name: loop.line for loop in kept.loops},
        "sensor": {sensor.name: sensor.line for sensor in kept.sensors},
        "transmission": {f"{actuator.name}_transmission": actuator.line for actuator in kept.actuators}}
    shapes = {link.name: link.shapes for link in kept.links}
    for top in document.root.elements():
        name, child = top.get("name") or top.get("reference") or "", top.find("child")
        holder = child.get("link") or "" if child is not None else ""  # for a joint with a name that was made up
        _mark(top, tables.get(top.name, {}).get(name, 0) or links.get(holder, 0))
        for sensor in (inner for inner in top.walk() if inner.name == "sensor"):
            _mark(sensor, tables["sensor"].get(sensor.get("name") or "", sensor.line))
        for role in ("visual", "collision"):
            of_role, elements = [shape for shape in shapes.get(name, ()) if shape.role == role], top.elements(role)
            for shape, element in zip(of_role, elements) if len(of_role) == len(elements) else ():
                _mark(element, shape.line or top.line)


def _mark(top: Element, line: int) -> None:
    for element in top.walk():
        element.line_starts = bytes(line)  # an element's line is the number of line starts before it
