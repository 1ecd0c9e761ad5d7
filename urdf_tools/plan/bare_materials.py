"""Named materials: a color that one shape gives to a name and others use must not leave with that shape."""
from typing import Dict, Iterable, List, NamedTuple, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import Robot, Shape


class BareMaterial(NamedTuple):
    """A `<material>` that is only a name, and the one that says what the name means, which leaves."""

    element: Element
    definition: Element


def defines(material: Element) -> bool:
    """True for a `<material>` that gives a color or an image."""
    return bool(material.elements("color") or material.elements("texture"))


def material_definitions(robot: Robot) -> Dict[str, Element]:
    """Return what each name means: materials of the robot come first, then those of visuals in file order."""
    found: Dict[str, Element] = {}
    shapes = [shape.element for link in robot.links.values() for shape in link.shapes]
    for owner in (robot.document.root, *shapes):
        for material in owner.elements("material"):
            if defines(material):
                found.setdefault(material.get("name") or "", material)
    return found


def find_bare_materials(robot: Robot, leaving: Iterable[Shape], staying: Iterable[Tuple[str, Shape]]
                        ) -> Tuple[BareMaterial, ...]:
    """Return the materials of shapes that stay which lose their meaning with the shapes that leave."""
    lost = {id(material) for shape in leaving for material in shape.element.elements("material")}
    found: List[BareMaterial] = []
    meaning = material_definitions(robot) if lost else {}
    for _, shape in staying:
        for material in shape.element.elements("material"):
            definition = meaning.get(material.get("name") or "")
            if definition is not None and id(definition) in lost and id(material) not in lost:
                if not defines(material):
                    found.append(BareMaterial(material, definition))
    return tuple(found)
