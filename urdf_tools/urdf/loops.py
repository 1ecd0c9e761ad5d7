"""Cut the loops of a robot: a URDF is a tree, and some files write a loop as one joint too many (--lenient).

The joint that closes a loop becomes two frames where it was, one on each of its links, with the names by which
onshape-to-robot says that two frames coincide (its docs, "Robots with loops"): what reads such pairs closes the loop.
"""
from typing import Collection, Dict, Sequence

from .lossless_xml import Document
from .model import Joint
from .tree import parents_first
from .xml_edits import attach, attach_behind, copy_document, create, detach

HOLD_A_POINT = ("revolute", "continuous")  # as two frames that coincide do


def find_closing_joints(links: Collection[str], joints: Sequence[Joint]) -> Dict[str, Joint]:
    """Return the revolute and continuous joints that close a loop, each the last of its loop in the file, by the name
    of the frames that it becomes; {} where there is no loop, or the remaining joints are no tree.
    """
    children = {joint.child for joint in joints}
    root = next((name for name in links if name not in children), next(iter(links), ""))
    if len(children) == len(joints) and root not in children:
        return {}
    rest = list(joints)
    # From the last: a joint closes a loop if its child can be reached without it.
    for joint in reversed(joints):
        without = [other for other in rest if other is not joint]
        if joint.type in HOLD_A_POINT and joint.parent != joint.child and joint.child in (
                root, *(other.child for other in parents_first(root, without))):
            rest = without
    closing: Dict[str, Joint] = {}
    # Any other loop or a second root would be an error of the file, which is reported as it is.
    is_tree = len(parents_first(root, rest)) == len(rest) == len(links) - 1
    for joint in (joint for joint in joints if is_tree and joint not in rest):
        name = f"closing_{joint.name}"
        while name in closing or not {f"{name}_1", f"{name}_2"}.isdisjoint(links):
            name += "_"
        closing[name] = joint
    return closing


def cut_joints(document: Document, closing: Dict[str, Joint]) -> Document:
    """Return a copy of a document in which each joint is two frames, given by their name.

    `NAME_1` is at the origin of the joint in its parent, `NAME_2` at that of its child. All that is made has the line
    of the joint, and offsets in its start tag, because elements are identified by their offset.
    """
    cut = copy_document(document)
    for name, joint in closing.items():
        element, frame = cut.copy_of(joint.source), create("joint", {"name": f"{name}_2_frame", "type": "fixed"})
        made = [frame, *(create("link", {"name": f"{name}_{end}"}) for end in "21")]
        for new in made:  # each is inserted directly after the joint: they stand in reverse order
            attach_behind(element, new)
        for end, link in (("parent", joint.child), ("child", f"{name}_2")):
            made.append(create(end, {"link": link}))
            attach(frame, [*made[-1:]])
        detach(element, [part for part in element.elements() if part.name not in ("parent", "child", "origin")],
               comments=False)
        for changed, key, value in ((element, "name", f"{name}_1_frame"), (element, "type", "fixed"),
                                    (element.elements("child")[0], "link", f"{name}_1")):
            changed.set(key, value)
        for offset, new in enumerate(made, joint.source.offset + 1):
            new.line_starts, new.offset = element.line_starts, offset
    return cut
