"""Named materials: a color that one shape defines and others use must not be removed with that shape."""
from typing import Iterable, List, NamedTuple, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.materials import defines, material_definitions
from ..urdf.model import Robot, Shape


class BareMaterial(NamedTuple):
    """A `<material>` that is only a name, and the one that says what the name means, which is removed."""

    element: Element
    definition: Element


def find_bare_materials(robot: Robot, removed: Iterable[Shape], staying: Iterable[Tuple[str, Shape]]
                        ) -> Tuple[BareMaterial, ...]:
    """Return the materials of shapes that stay which lose their meaning with the shapes that are removed."""
    lost = {material.offset for shape in removed for material in shape.source.elements("material")}
    found: List[BareMaterial] = []
    meaning = material_definitions(robot) if lost else {}
    for _, shape in staying:
        for material in shape.source.elements("material"):
            definition = meaning.get(material.get("name") or "")
            if definition is not None and definition.offset in lost and material.offset not in lost:
                if not defines(material):
                    found.append(BareMaterial(material, definition))
    return tuple(found)
