"""Check that links and joints make one tree, and put the joints in its order."""
from bisect import insort
from typing import Dict, List, Optional, Sequence, Set, Tuple

from ..base.kinds import MIMIC
from ..base.number_text import shown_names
from .findings import Findings
from .model import Joint, Link


def check_tree(links: Dict[str, Link], joints: Tuple[Joint, ...], cure: str, findings: Findings
               ) -> Tuple[str, Tuple[Joint, ...]]:
    """Check that the joints make one tree of the links; return the root and the joints in the order of the tree.

    `cure` ends the sentence of a loop.
    """
    parent_of: Dict[str, Joint] = {}
    names = list(links)
    for joint in joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name and name not in links:
                part = joint.source.find(end) or joint.source
                findings.refuse(part, f"joint '{joint.name}': {end} link '{name}' is not defined"
                                      f"{findings.hint(name, names)}")
        if joint.child and joint.child in parent_of:
            other = parent_of[joint.child]
            findings.refuse(joint.source, f"link '{joint.child}' has two parents: joint '{joint.name}' here and joint "
                                           f"'{other.name}' in line {other.source.line}{cure}")
        parent_of[joint.child] = joint
    # One mistake often causes several of these problems: what follows is reported only where nothing was before.
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1 and not findings.problems:
        listed = shown_names(f"'{name}' (line {links[name].source.line})" for name in roots)
        findings.refuse(links[roots[1]].source, f"{len(roots)} links have no parent joint: {listed}; "
                                                 "a robot is one tree with one root")
    root = roots[0] if roots else ""
    tree = parents_first(root, joints)
    if len(tree) < len(joints) and not findings.problems:
        loop = next(joint for joint in joints if joint not in tree)
        findings.refuse(loop.source, describe_loop(loop, joints) + cure)
    return root, tree


def describe_loop(joint: Joint, joints: Tuple[Joint, ...]) -> str:
    """Return the loop above a joint in words: its parents are followed until a link repeats."""
    parent_of = {other.child: other.parent for other in joints}
    seen = {joint.child: 0}
    link = parent_of[joint.child]
    while link not in seen:
        seen[link] = len(seen)
        link = parent_of[link]
    loop = list(seen)[seen[link] :][::-1]
    shown = loop if len(loop) <= 6 else [*loop[:5], "..."]
    return f"the links {' -> '.join(repr(name) for name in [*shown, loop[0]])} form a loop"


def check_mimics(joints: Tuple[Joint, ...], findings: Findings) -> None:
    by_name = {joint.name: joint for joint in reversed(joints)}
    names = list(by_name)
    settled: Set[str] = set()
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in by_name:
            findings.warn(joint.source, MIMIC, "unknown", joint.name, joint.mimic.joint,
                          findings.hint(joint.mimic.joint, names))
        followed: Dict[str, Joint] = {}
        leader: Optional[Joint] = joint
        while leader is not None and leader.mimic is not None and leader.name not in settled:
            settled.add(leader.name)
            followed[leader.name] = leader
            leader = by_name.get(leader.mimic.joint)
        if leader is not None and leader.name in followed:
            circle = list(followed)[list(followed).index(leader.name) :]
            findings.warn(leader.source, MIMIC, "circle", ", ".join(map(repr, circle)))


def parents_first(root: str, joints: Sequence[Joint]) -> Tuple[Joint, ...]:
    """Return the joints that can be reached from the root, each after the one above it, otherwise in file order.

    Of joints that lead to one link the first counts.
    """
    below: Dict[str, List[int]] = {}
    for i, joint in enumerate(joints):
        below.setdefault(joint.parent, []).append(i)
    waiting = below.get(root, [])[:]
    tree: Dict[str, Joint] = {}
    while waiting:
        joint = joints[waiting.pop(0)]
        if joint.child in tree or joint.child == root:
            continue
        tree[joint.child] = joint
        for i in below.get(joint.child, ()):
            insort(waiting, i)
    return tuple(tree.values())
