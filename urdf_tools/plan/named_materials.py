"""Named materials: a name must keep its meaning when the shapes that define it are removed or reordered.

For some readers the first definition of a name in the file, one of the robot before those of visuals, counts for all
visuals that have the name, even if they have another color (urdfdom, model.cpp, `assignMaterial`: RViz, Gazebo,
pinocchio); others use the color of the visual, and the first definition where there is none. Both get the same color
if the first definition of a name stays the first.
"""
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import defines, material_definitions, Robot, Shape
from .decisions import Plan
from .mesh_tasks import ConvertedShape

MaterialContent = Tuple[object, ...]
Use = Tuple[str, MaterialContent, int]  # a name, the content of its material, () for a name alone, and where it is


def first_definitions(plan: Plan, converted: Sequence[ConvertedShape], whole: Optional[Robot] = None
                      ) -> Tuple[Element, ...]:
    """Return the definitions to add to the robot, so that they stay the first ones of their names.

    `whole`: what the robot of the plan is a part of.
    """
    robot, source, members, removed = plan.robot, whole or plan.robot, plan.members, plan.removed_shapes
    parts = {split.shape.source.offset: split.parts for split in converted}
    # In the order of the result: a link's shapes, then those of the links that merge into it.
    old = [use for link in source.links.values() for use in _uses(link.shapes)]
    if not old:
        return ()
    order: Dict[str, List[Shape]] = {name: [*link.shapes] for name, link in robot.links.items()}
    for name, member in members.items():
        if member.merged:
            order[member.target] += robot.links[name].shapes
    new: List[Use] = []
    for name in robot.links:
        for shape in order[name] if not members[name].merged else ():
            for part in parts.get(shape.source.offset, (None,)) if shape.source.offset not in removed else ():
                if part is not None and part.material:
                    new.append((part.material, (("color", (("rgba", part.rgba),)),), -1))
                elif part is None or not part.has_own_colors:
                    new += _uses([shape])
    (meant, too_early), (means, now_too_early) = _first_ones(robot, old), _first_ones(robot, new)
    changed = {name for name, _ in now_too_early - too_early} | {
        name for name, _, _ in new if means.get(name) != meant.get(name)}
    return tuple(material for name, material in material_definitions(source).items() if name in changed)


def _uses(shapes: Iterable[Shape]) -> List[Use]:
    """Return the named materials of visuals."""
    firsts = [first for shape in shapes if shape.kind == "visual" for first in shape.source.elements("material")[:1]]
    return [(first.get("name") or "", material_content(first), first.offset) for first in firsts if first.get("name")]


def material_content(material: Element) -> MaterialContent:
    """Return the content of a material if it has a color or an image, else ()."""
    parts = [part for child in material.elements() for part in child.walk()] if defines(material) else []
    return tuple((part.name, tuple(sorted(part.attributes.items()))) for part in parts)


def _first_ones(robot: Robot, uses: Iterable[Use]) -> Tuple[Dict[str, MaterialContent], Set[Tuple[str, int]]]:
    """Return the first definition of each name, and the uses of a name alone before it is defined."""
    meaning: Dict[str, MaterialContent] = {}
    too_early: Set[Tuple[str, int]] = set()
    tops = ((top.get("name") or "", material_content(top), -1) for top in robot.document.root.elements("material"))
    for name, content, offset in (*(top for top in tops if top[1]), *uses):
        if content:
            meaning.setdefault(name, content)
        elif name not in meaning:
            too_early.add((name, offset))
    return meaning, too_early
