"""The passes that merge links: content and comments move to the targets, links that only keep a frame become empty."""

from __future__ import annotations

from itertools import chain
from typing import Dict, List, Sequence

from ..base.type_aliases import Pair
from ..urdf.lossless_xml import Document, Element, is_comment, Node
from ..urdf.xml_edits import attach, detach
from ..plan.plan_decisions import Plan


def merge_links(document: Document, plan: Plan) -> None:
    """Move the content of merged links to their targets, and remove these links and their joints, except kept frames.

    The comments that belong to removed elements, or are in them, are moved to the target, before the content.
    """
    # By target link, the last number that was tried for each name in it; `make_name_unique` uses and changes them.
    used_names: Dict[str, Dict[Pair, int]] = {}
    removed_links = set(filter(plan.is_removed, plan.members))
    removed_elements = [
        *(plan.robot.links[name].source for name in removed_links),
        *(joint.source for joint in plan.robot.joints if joint.child in removed_links),
    ]
    # All at once, because each `detach` copies the children of the robot, which may be thousands.
    lists = detach(document.root, [*map(document.copy_of, removed_elements)])
    # By removed element, the element and the comments that belong to it.
    nodes_of_element: Dict[int, List[Node]] = {}
    for nodes in lists:
        nodes_of_element.update({node.offset: nodes for node in nodes if isinstance(node, Element)})
    for name, member in plan.members.items():
        if not member.merged:
            continue
        source = document.copy_of(plan.robot.links[name].source)
        target = document.copy_of(plan.robot.links[member.target].source)
        if member.target not in used_names:
            names = [(part.name, part.get("name") or "") for part in target.elements()]
            used_names[member.target] = dict.fromkeys(names, 1)
        moved = detach(source, _moving_content(source, is_link_gone=name in removed_links))
        if name in removed_links:
            joint = plan.robot.above[name].source
            _attach_comments(
                target, [*nodes_of_element[source.offset], *nodes_of_element[joint.offset]]
            )
        for nodes in moved:
            for node in nodes:
                if isinstance(node, Element):
                    make_name_unique(node, used_names[member.target])
            attach(target, nodes)


def _moving_content(link: Element, *, is_link_gone: bool) -> List[Element]:
    """Return the elements of a merged link for its target: the shapes, and other elements only if the link is removed."""
    content: List[Element] = []
    for element in link.elements():
        is_shape = element.name in ("visual", "collision")
        is_other = element.name not in ("inertial", "origin")
        if is_shape or is_link_gone and is_other:
            content.append(element)
    return content


def _attach_comments(parent: Element, nodes: Sequence[Node]) -> None:
    """Attach the comments among nodes and their descendants to an element, in order."""
    for node in nodes:
        if isinstance(node, Element):
            _attach_comments(parent, node.children)
        elif is_comment(node):
            attach(parent, [node])


def fix_joints(document: Document, plan: Plan) -> None:
    """Fix the joints that only keep a frame, and empty the links that are merged but keep their frames."""
    for name, planned in plan.joints.items():
        joint = document.copy_of(planned.joint.source)
        if plan.members[name].merged:
            link = document.copy_of(plan.robot.links[name].source)
            target = document.copy_of(plan.robot.links[plan.members[name].target].source)
            inertials = detach(link, link.elements("inertial"))
            _attach_comments(target, [*chain.from_iterable(inertials)])
            link.close()
        if planned.joint.type == "fixed" and joint.get("type") != "fixed":
            fix_joint(joint)


def fix_joint(joint: Element) -> None:
    """Make a joint fixed, with only its parent, child, origin and comments."""
    joint.set("type", "fixed")
    lost = [part for part in joint.elements() if part.name not in ("parent", "child", "origin")]
    _attach_comments(joint, [*chain.from_iterable(detach(joint, lost))])


def make_name_unique(shape: Element, used_names: Dict[Pair, int]) -> None:
    """Append a number to the name of a shape if the target already has the name, and add the name to `used_names`.

    `used_names` has the last number tried, by the tag of the shape and its name.
    """
    name = shape.get("name")
    if not name:
        return
    while (shape.name, shape.get("name") or "") in used_names:
        used_names[shape.name, name] += 1
        shape.set("name", f"{name}_{used_names[shape.name, name]}")
    used_names[shape.name, shape.get("name") or ""] = 1
