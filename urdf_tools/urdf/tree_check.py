"""The findings of a reading; the check that links and joints form a tree, and its order; loops that are cut.

Some files write a loop with one joint too many. With --lenient, the joint that closes the loop becomes two frames at
its place, one on each of its links. Their names are onshape-to-robot's names for two frames that coincide (its docs,
"Robots with loops"), so programs that read these pairs close the loop.
"""

from __future__ import annotations

from bisect import insort
from typing import Collection, Dict, List, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic, Diagnostics, DiagnosticKind
from ..base.errors import BrokenRobot, did_you_mean, raise_all, UrdfError
from ..base.run_diagnostics import MIMIC
from ..base.number_text import grouped, shown_names
from .lossless_xml import Document, Element
from .urdf_records import AttributeEdit, first_that_moves, UrdfJoint, UrdfLink
from .xml_edits import attach, attach_behind, copy_document, create, detach

HINTS = 20  # problems with a "did you mean", each of which is a search among all names


class ReadingFindings:
    """The warnings, repairs and problems that a reading collects.

    Attributes:
        path: the name of the file, for messages.
        largest: larger numbers are refused.
        lenient: faults that the common parsers accept are accepted too.
    """

    def __init__(self, path: str, largest: float, *, lenient: bool) -> None:
        """Begin without findings; `path` stands in messages."""
        self.path = path
        self.largest = largest
        self.lenient = lenient
        self.problems: List[UrdfError] = []
        self.warnings: Diagnostics = []
        self.repairs: List[AttributeEdit] = []

    def take_repaired(
        self, repair: AttributeEdit, kind: DiagnosticKind, sentence: str, *names: str
    ) -> None:
        """Record a repair of content that is read as the common parsers do, with a warning."""
        self.repairs.append(repair)
        self.warn(repair.element, kind, sentence, *names)

    def refuse(self, element: Element, message: str) -> None:
        """Add a problem, with the line of an element."""
        self.problems.append(BrokenRobot(message, self.path, element.line))

    def warn(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Add a warning, with the line of an element."""
        self.warnings.append(Diagnostic(kind, element.line, sentence, names))

    def hint(self, name: str, known: List[str]) -> str:
        """Return a "did you mean" with a known name, or "" if too many problems were found before."""
        return did_you_mean(name, known) if len(self.problems) + len(self.warnings) < HINTS else ""

    def raise_problems(self) -> None:
        """Raise the problems, if any: BrokenRobot, or ErrorGroup in the order of their lines."""
        raise_all(sorted(self.problems, key=lambda problem: problem.line))


# Joint types that hold a point, as two coinciding frames do.
HOLD_A_POINT = ("revolute", "continuous")


def check_tree(
    links: Dict[str, UrdfLink], joints: Tuple[UrdfJoint, ...], cure: str, findings: ReadingFindings
) -> Tuple[str, Tuple[UrdfJoint, ...]]:
    """Check that the joints form a tree of the links; return the root and the joints in the order of the tree.

    `cure` ends the message about a loop.
    """
    parent_of: Dict[str, UrdfJoint] = {}
    for joint in joints:
        _check_ends(joint, links, findings)
        if joint.child and joint.child in parent_of:
            other = parent_of[joint.child]
            findings.refuse(
                joint.source,
                f"link '{joint.child}' has two parents: joint '{joint.name}' here and joint "
                f"'{other.name}' in line {other.source.line}{cure}",
            )
        parent_of[joint.child] = joint
    # One mistake often causes several of these problems, so the next ones are reported only without earlier ones.
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1 and not findings.problems:
        listed = shown_names(f"'{name}' (line {links[name].source.line})" for name in roots)
        findings.refuse(
            links[roots[1]].source,
            f"{len(roots)} links have no parent joint: {listed}; a robot is one tree with one root",
        )
    root = roots[0] if roots else ""
    tree = parents_first(root, joints)
    if len(tree) < len(joints) and not findings.problems:
        loop = next(joint for joint in joints if joint not in tree)
        findings.refuse(loop.source, describe_loop(loop, joints) + cure)
    return root, tree


def _check_ends(joint: UrdfJoint, links: Collection[str], findings: ReadingFindings) -> None:
    """Refuse a joint whose parent or child is not a link; a missing name was refused before."""
    for end, name in (("parent", joint.parent), ("child", joint.child)):
        if name and name not in links:
            findings.refuse(
                joint.source.find(end) or joint.source,
                f"joint '{joint.name}': {end} link '{name}' is not defined"
                f"{findings.hint(name, [*links])}",
            )


def describe_loop(joint: UrdfJoint, joints: Tuple[UrdfJoint, ...]) -> str:
    """Return a description of the loop among the ancestors of a joint: parents are followed until a link repeats."""
    parent_of = {other.child: other.parent for other in joints}
    seen = {joint.child: 0}
    link = parent_of[joint.child]
    while link not in seen:
        seen[link] = len(seen)
        link = parent_of[link]
    loop = list(seen)[seen[link] :][::-1]
    shown = loop if len(loop) <= 6 else [*loop[:5], "..."]
    return f"the links {' -> '.join(map(repr, [*shown, loop[0]]))} form a loop"


def check_mimics(joints: Tuple[UrdfJoint, ...], findings: ReadingFindings) -> None:
    """Warn of followers whose leader does not exist, and of circles of followers."""
    by_name = first_that_moves((joint.name, joint) for joint in joints)
    names = list(by_name)
    # By identity, because several joints may share a name.
    settled: Set[int] = set()
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in by_name:
            findings.warn(
                joint.source,
                MIMIC,
                "unknown",
                joint.name,
                joint.mimic.joint,
                findings.hint(joint.mimic.joint, names),
            )
        # From follower to leader, until a joint that was visited before, so that each joint is visited once.
        followed: Dict[int, str] = {}
        leader: Optional[UrdfJoint] = joint
        while leader is not None and leader.mimic is not None and id(leader) not in settled:
            settled.add(id(leader))
            followed[id(leader)] = leader.name
            leader = by_name.get(leader.mimic.joint)
        if leader is not None and id(leader) in followed:
            circle = list(followed.values())[list(followed).index(id(leader)) :]
            findings.warn(leader.source, MIMIC, "circle", ", ".join(map(repr, circle)))


def parents_first(root: str, joints: Sequence[UrdfJoint]) -> Tuple[UrdfJoint, ...]:
    """Return the joints that can be reached from the root, each after its parent, otherwise in file order.

    If several joints lead to one link, the first counts.
    """
    below = grouped((joint.parent, i) for i, joint in enumerate(joints))
    waiting = below.get(root, [])[:]
    tree: Dict[str, UrdfJoint] = {}
    while waiting:
        # `waiting` is sorted by index, so the first joint in the file comes next.
        joint = joints[waiting.pop(0)]
        if joint.child in tree or joint.child == root:
            continue
        tree[joint.child] = joint
        for i in below.get(joint.child, ()):
            insort(waiting, i)
    return tuple(tree.values())


def find_closing_joints(
    links: Collection[str], joints: Sequence[UrdfJoint]
) -> Dict[str, UrdfJoint]:
    """Return the revolute and continuous joints that close a loop, by the name of the frames that each becomes.

    Each is the last of its loop in the file. The result is {} if there are no loops, or if the remaining joints do not
    form a tree.
    """
    children = {joint.child for joint in joints}
    root = next((name for name in links if name not in children), next(iter(links), ""))
    # Without a link that has two parent joints there is no loop.
    if len(children) == len(joints) and root not in children:
        return {}
    tree_joints = list(joints)
    # From the last: a joint closes a loop if its child can be reached without it.
    for joint in reversed(joints):
        other_joints = [other for other in tree_joints if other is not joint]
        if (
            joint.type in HOLD_A_POINT
            and joint.parent != joint.child
            and joint.child in (root, *(other.child for other in parents_first(root, other_joints)))
        ):
            tree_joints = other_joints
    closing: Dict[str, UrdfJoint] = {}
    # Any other loop or a second root is an error of the file, which is reported elsewhere.
    if not len(parents_first(root, tree_joints)) == len(tree_joints) == len(links) - 1:
        return closing
    for joint in joints:
        if joint in tree_joints:
            continue
        name = f"closing_{joint.name}"
        while name in closing or not {f"{name}_1", f"{name}_2"}.isdisjoint(links):
            name += "_"
        closing[name] = joint
    return closing


def cut_joints(document: Document, closing: Dict[str, UrdfJoint]) -> Document:
    """Return a copy of a document in which each closing joint, given by name, becomes two frames.

    `NAME_1` is at the origin of the joint in its parent, `NAME_2` at the origin of its child. All new elements have the
    line of the joint, and offsets in its start tag, because elements are identified by their offset.
    """
    cut = copy_document(document)
    for name, joint in closing.items():
        element = cut.copy_of(joint.source)
        frame = create("joint", {"name": f"{name}_2_frame", "type": "fixed"})
        new_elements = [frame, *(create("link", {"name": f"{name}_{end}"}) for end in "21")]
        # Each is inserted directly after the joint, so they are in reverse order.
        for new in new_elements:
            attach_behind(element, new)
        for end, link in (("parent", joint.child), ("child", f"{name}_2")):
            new_elements.append(create(end, {"link": link}))
            attach(frame, [*new_elements[-1:]])
        detach(
            element,
            [part for part in element.elements() if part.name not in ("parent", "child", "origin")],
            comments=False,
        )
        for changed_element, key, value in (
            (element, "name", f"{name}_1_frame"),
            (element, "type", "fixed"),
            (element.elements("child")[0], "link", f"{name}_1"),
        ):
            changed_element.set(key, value)
        for offset, new in enumerate(new_elements, joint.source.offset + 1):
            new.line_starts = element.line_starts
            new.offset = offset
    return cut
