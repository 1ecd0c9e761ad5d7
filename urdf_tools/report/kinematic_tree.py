"""The kinematic tree: of the result, with a chain of links on one line, and in full, with every link of the input."""

from __future__ import annotations

from itertools import chain
from typing import Callable, Iterator, List, Optional, Sequence, Tuple, TypeVar

from ..base.type_aliases import Lines, Texts
from ..base.number_text import count_of, grouped
from ..base.record_type import Record
from ..base.graph_walks import depth_first
from ..urdf.urdf_records import NO_MASS, UrdfJoint
from ..plan.canonical_frames import axis_letter
from ..plan.plan_decisions import JointPlan, Plan
from ..plan.link_merging import BASE, COPY, FIXED, KEPT
from ..run.run_records import Result
from .line_layout import cut, fold, mass_text, ReportSection, TextStyle, TABLE_LINES
from .tree_drawing import draw_tree, MIN_TEXT_WIDTH, TreeNode, TreeText

CHAIN_BOX = 3  # columns of a level in the tree of chains, whose lines are long
MOVES = ">"
STAYS = "+"
MERGES = "<-"
FEW_ATTACHED = 2  # so many links stand in brackets behind their parent; more of them stand below it
UNBROKEN = "\0"  # `fold` writes it as a blank, and does not break a line there
Branch = TypeVar("Branch")


def tree_section(result: Result, style: TextStyle) -> ReportSection:
    """Return the tree of the result, with what vanishes and what is kept; with --full the tree of the input."""
    plan = result.plan
    links = result_tree(result)
    title = f"Kinematic tree: {_count_of_links(result)}"
    lines = list(map(style.alert, _vanishing_frames(plan)))
    if style.full:
        lines += draw_tree(_input_nodes(plan), style)
    else:
        title += _legend(plan, links)
        tree = draw_tree(_LinkChains(plan, links).nodes(), style, CHAIN_BOX)
        lines += [*cut(tree, style, TABLE_LINES), *cut(_kept_lines(plan), style)]
    return ReportSection(title, lines, most=len(lines))


def _count_of_links(result: Result) -> str:
    """Return the number of links, before and after if they differ."""
    before = len(result.plan.robot.links)
    after = len(result.after.links)
    counted = count_of(after, "link")
    return counted if before == after else f"{before} -> {counted}"


def _vanishing_frames(plan: Plan) -> Lines:
    """Return the line that counts the frames that vanish from TF; the tree names them."""
    count = len(plan.lost_frames)
    if not count:
        return []
    verb, what = ("vanishes", "it") if count == 1 else ("vanish", "them")
    return fold(f"{count_of(count, 'frame')} {verb} from TF (--keep-frames keeps {what})")


def _kept_lines(plan: Plan) -> Lines:
    """Return the links that stay though their joints are fixed, by the reason; [] if no link was to merge."""
    if not plan.options.merge:
        return []
    members = plan.members.items()
    kept = grouped((member.reason, name) for name, member in members if member.kind in (BASE, KEPT))
    lines: Lines = []
    for reason, names in kept.items():
        lines += fold(f"kept {', '.join(names)}: {reason}")
    return lines


def mass_change(plan: Plan, link: str) -> str:
    """Return the mass of a link of the input [kg], and the mass that it has in the result if links merge into it."""
    mass = plan.robot.links[link].mass
    text = mass_text(mass)
    if not plan.members[link].merged and abs(plan.bodies[link].mass - mass) >= NO_MASS:
        text += f" -> {mass_text(plan.bodies[link].mass)}"
    return f"{text} kg"


def _why_merged(plan: Plan, link: str) -> str:
    """Return the reason why a link merges, in few words."""
    kind = plan.members[link].kind
    if kind == COPY:
        return "exported twice"
    if kind != FIXED:
        return "on the same axis"
    return "frame" if link in plan.lost_frames else "fixed"


# --- The tree of the result ---


class TreeLink(Record):
    """A link of the result in its tree.

    Attributes:
        name: its name.
        joint: the joint to its parent, None for the root.
        level: the number of its ancestors.
        merged: the links of the input that merge into it.
    """

    name: str
    joint: Optional[UrdfJoint]
    level: int
    merged: Texts

    @property
    def is_fixed(self) -> bool:
        """Return True if it does not move against its parent."""
        return self.joint is not None and self.joint.type == "fixed"


def result_tree(result: Result) -> List[TreeLink]:
    """Return the links of the result, each after its parent, and siblings in the order of the file.

    A merged link that remains as an empty frame (--keep-all-frames) is only in `merged` of its target.
    """
    members = result.plan.members
    merged_into = grouped(
        (member.target, name) for name, member in members.items() if member.merged
    )
    emptied = set(chain.from_iterable(merged_into.values()))
    joints_below = grouped(
        (joint.parent, joint) for joint in result.after.joints if joint.child not in emptied
    )

    def tree_link(name: str, joint: Optional[UrdfJoint], level: int) -> TreeLink:
        """Return a link, with the links that merge into it."""
        merged = tuple(merged_into.get(name, ()))
        return TreeLink(name=name, joint=joint, level=level, merged=merged)

    def children_of(link: TreeLink) -> List[TreeLink]:
        """Return the children of a link, one level deeper."""
        joints = joints_below.get(link.name, [])
        return [tree_link(joint.child, joint, link.level + 1) for joint in joints]

    return [*depth_first([tree_link(result.after.root, None, 0)], children_of)]


def _legend(plan: Plan, links: Sequence[TreeLink]) -> str:
    """Return the meaning of the signs that the tree has, in brackets; "" without signs."""
    merged = "emptied" if plan.options.keep_all_frames else "merged"
    signs = []
    if any(link.joint and not link.is_fixed for link in links):
        signs.append(f"{MOVES} moving joint")
    if any(link.is_fixed for link in links):
        signs.append(f"{STAYS} fixed joint")
    if any(link.merged for link in links):
        signs.append(f"{MERGES} {merged}")
    return f" ({', '.join(signs)})" if signs else ""


# A link, or links without children that move against one parent, which share a place.
LinkRow = Tuple[TreeLink, ...]
# Rows, each but the first the only row below the one before.
LinkChain = Tuple[LinkRow, ...]


class _LinkChains:
    """The tree of the result in chains, each of which is a node of the drawn tree.

    Attributes:
        plan: the plan, which knows masses and reasons.
        root: the root of the result.
        children: by link, its children.
    """

    def __init__(self, plan: Plan, links: Sequence[TreeLink]) -> None:
        """Group the links by their parents."""
        self.plan = plan
        self.root = links[0]
        self.children = grouped((link.joint.parent, link) for link in links if link.joint)

    def nodes(self) -> List[TreeNode]:
        """Return the chains as nodes to draw."""
        first = self.chain_from((self.root,))
        return _nodes_of(first, self.chains_below, lambda chain: tuple(self.texts_of(chain)))

    def chain_from(self, row: LinkRow) -> LinkChain:
        """Return the chain from a row down to a branch or an end."""
        chain = [row]
        below = self.rows_below(row)
        while len(below) == 1:
            chain += below
            below = self.rows_below(below[0])
        return tuple(chain)

    def chains_below(self, chain: LinkChain) -> List[LinkChain]:
        """Return the chains that begin below the last row of a chain."""
        return [self.chain_from(row) for row in self.rows_below(chain[-1])]

    def rows_below(self, row: LinkRow) -> List[LinkRow]:
        """Return the rows of the children of a row; links that share a row have none."""
        children = self.children.get(row[0].name, [])
        rows = grouped(
            ("" if self.is_bare(child) else child.name, child)
            for child in children
            if not self.is_attached(child)
        )
        return [*map(tuple, rows.values())]

    def is_bare(self, link: TreeLink) -> bool:
        """Return True for a link without children into which no link merges."""
        return not link.merged and link.name not in self.children

    def is_attached(self, link: TreeLink) -> bool:
        """Return True for a link that stands in brackets behind its parent."""
        return link.is_fixed and self.is_bare(link)

    def texts_of(self, chain: LinkChain) -> Iterator[TreeText]:
        """Yield the texts of a chain; a link with notes ends a text."""
        words: List[str] = []
        for number, row in enumerate(chain):
            words += self.words_of(row, is_first=number == 0)
            notes = self.notes_of(row[0])
            if notes:
                yield TreeText(" ".join(words), notes)
                words = []
        if words:
            yield TreeText(" ".join(words))

    def words_of(self, row: LinkRow, *, is_first: bool) -> List[str]:
        """Return the words of the links of a row, after the sign of their joint."""
        # The box in front of a chain stands for a joint that moves.
        sign = "" if is_first else f"{MOVES} "
        if row[0].is_fixed:
            sign = f"{STAYS} "
        words = []
        for link in row:
            words.append(unbroken(f"{sign}{self.text_of_link(link)}") + ",")
            sign = ""
        words[-1] = words[-1][:-1]
        return words

    def text_of_link(self, link: TreeLink) -> str:
        """Return a link with its mass if others merge into it, and with the links attached to it if they are few."""
        text = link.name
        if link.merged:
            text += f"  {mass_change(self.plan, link.name)}"
        attached = self.attached_to(link)
        if 0 < len(attached) <= FEW_ATTACHED:
            text += f" ({STAYS} {', '.join(attached)})"
        return text

    def attached_to(self, link: TreeLink) -> List[str]:
        """Return the names of the links that stand with their parent, not on a place of their own."""
        children = self.children.get(link.name, [])
        return [child.name for child in children if self.is_attached(child)]

    def notes_of(self, link: TreeLink) -> Texts:
        """Return the notes of a link: many attached links, and the links that merge into it."""
        notes = []
        attached = self.attached_to(link)
        if len(attached) > FEW_ATTACHED:
            notes.append(f"{STAYS}{UNBROKEN}{', '.join(map(unbroken, attached))}")
        if link.merged:
            notes.append(self.merged_text(link))
        return tuple(notes)

    def merged_text(self, link: TreeLink) -> str:
        """Return the links that merge into a link, with the reasons."""
        by_reason = grouped((_why_merged(self.plan, name), name) for name in link.merged)
        groups = []
        for reason, names in by_reason.items():
            *others, last = names
            groups += [*map(unbroken, others), unbroken(f"{last} ({reason})")]
        return f"{MERGES}{UNBROKEN}{', '.join(groups)}"


def unbroken(text: str) -> str:
    """Return a text whose blanks `fold` does not break, unless it is long."""
    return text.replace(" ", UNBROKEN) if len(text) <= MIN_TEXT_WIDTH else text


# --- The tree of the input ---


def _input_nodes(plan: Plan) -> List[TreeNode]:
    """Return the links of the input as nodes to draw, each with its mass, its joint, and its state."""
    robot = plan.robot
    joints_below = grouped((joint.parent, joint) for joint in robot.joints)
    joints_above = {joint.child: joint for joint in robot.joints}

    def children_of(link: str) -> List[str]:
        """Return the children of a link."""
        return [joint.child for joint in joints_below.get(link, [])]

    def texts_of(link: str) -> Tuple[TreeText, ...]:
        """Return the text of a link, and where it merges or why it is kept."""
        text = f"{link} {mass_change(plan, link)}"
        if link in joints_above:
            text += f", {_motion(plan, joints_above[link])}"
        state = _state(plan, link)
        return (TreeText(text, (f"({state})",) if state else ()),)

    return _nodes_of(robot.root, children_of, texts_of)


def _state(plan: Plan, link: str) -> str:
    """Return where a link merges, or why it is kept; "" for a link that moves by itself."""
    member = plan.members[link]
    if member.merged:
        return f"merged into '{member.target}': {_why_merged(plan, link)}"
    return f"kept: {member.reason}" if member.kind in (BASE, KEPT) else ""


def _motion(plan: Plan, joint: UrdfJoint) -> str:
    """Return the type of a joint, and how its axis changes."""
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    return f"{joint.type} {_axis_change(planned)}"


def _axis_change(planned: JointPlan) -> str:
    """Return the axis of a joint in the result, such as `Z`; after the old axis if it is reversed: `-Z -> Z`."""
    letter = axis_letter(planned.frame)
    new_axis = letter if planned.frame.axis_sign > 0 else f"-{letter}"
    if planned.map.sign > 0:
        return new_axis
    old_axis = letter if planned.frame.axis_sign < 0 else f"-{letter}"
    return f"{old_axis} -> {new_axis}"


def _nodes_of(
    root: Branch,
    children_of: Callable[[Branch], Sequence[Branch]],
    texts_of: Callable[[Branch], Tuple[TreeText, ...]],
) -> List[TreeNode]:
    """Return a branch and all branches below it as nodes to draw."""
    nodes = []
    # A stack in place of recursion, as a robot may be a chain of thousands of links.
    waiting = [(root, 0, True)]
    while waiting:
        branch, level, is_last = waiting.pop()
        children = children_of(branch)
        nodes.append(
            TreeNode(
                level=level,
                is_last=is_last,
                has_children=bool(children),
                texts=texts_of(branch),
            )
        )
        # The last of the list is taken next.
        waiting += [(child, level + 1, child is children[-1]) for child in reversed(children)]
    return nodes
