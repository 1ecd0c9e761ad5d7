"""Resolve material names: `<material name="..."/>` without color and image is the one that is defined elsewhere."""
from typing import Dict

from .lossless_xml import Element
from .model import Robot


def defines(material: Element) -> bool:
    """Return True if a `<material>` has a color or an image."""
    return bool(material.elements("color") or material.elements("texture"))


def material_definitions(robot: Robot) -> Dict[str, Element]:
    """Return what each name means: materials of the robot come first, then those of visuals in file order (urdfdom)."""
    definitions: Dict[str, Element] = {}
    shapes = [shape.source for link in robot.links.values() for shape in link.shapes if shape.kind == "visual"]
    for owner in (robot.document.root, *shapes):
        for material in owner.elements("material"):
            name = material.get("name")
            if name and defines(material):
                definitions.setdefault(name, material)
    return definitions
