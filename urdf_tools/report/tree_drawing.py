"""Draw a tree of texts with box characters or ASCII, as wide as the output."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from ..base.type_aliases import Lines, Texts
from ..base.record_type import Record
from .line_layout import fold, LINE_WIDTH, TextStyle

BOXES = ("├── ", "└── ", "│   ", "    ")
PLAIN_BOXES = ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a node; deeper levels are shown at the last indent that allows them
DEEP_MARK = "... "  # in front of a node that is too deep to indent
MARGIN = "  "  # in front of the tree
NOTE_INDENT = "  "  # a note below its text begins so much further right than a child's box


class TreeText(Record):
    """A text in a tree, and notes about it; the first stands on its last line if there is room, else all stand below it."""

    text: str
    notes: Texts = ()


class TreeNode(Record):
    """A node of a tree to draw.

    Attributes:
        level: the number of its ancestors.
        is_last: no sibling follows it.
        has_children: it is not a leaf.
        texts: its texts, each on lines of its own.
    """

    level: int
    is_last: bool
    has_children: bool
    texts: Tuple[TreeText, ...]


class TreeBoxes(Record):
    """The texts that draw a tree: for a branch, for the last branch, and for levels that continue or have ended.

    Attributes:
        deepest: the number of levels that are indented.
    """

    branch: str
    last: str
    bar: str
    blank: str
    deepest: int


def draw_tree(nodes: Sequence[TreeNode], style: TextStyle, widest: int = len(BOXES[0])) -> Lines:
    """Return the lines of a tree; deep trees have narrow levels, and a node too deep to indent is marked with "...".

    Args:
        nodes: the root, and all others, each after its parent.
        style: whether box characters are shown.
        widest: the columns of a level in a tree that is not deep.
    """
    boxes = _tree_boxes(max(node.level for node in nodes), style, widest)
    levels: List[str] = []  # the boxes of the nodes from below the root to the present one
    lines: Lines = []
    for node in nodes:
        lead = MARGIN
        if node.level:
            del levels[node.level - 1 :]
            mark = DEEP_MARK if len(levels) >= boxes.deepest else ""
            own_box = boxes.last if node.is_last else boxes.branch
            lead = MARGIN + "".join(levels[: boxes.deepest]) + own_box + mark
            levels.append(boxes.blank if node.is_last else boxes.bar)
        inside = MARGIN + "".join(levels[: boxes.deepest])
        box_below = boxes.bar if node.has_children else boxes.blank
        lines += _lines_of(node, lead, inside, inside + box_below)
    return lines


def _lines_of(node: TreeNode, lead: str, inside: str, below: str) -> Lines:
    """Return the lines of a node: the first begins with `lead`, other texts with `inside`, notes with `below`."""
    lines: Lines = []
    for text, notes in node.texts:
        lines += fold(text, inside, lead)
        lead = inside
        for number, note in enumerate(notes):
            has_room = len(lines[-1]) + len(MARGIN) + len(note) <= LINE_WIDTH.get()
            if number == 0 and has_room:
                lines[-1] += MARGIN + "".join(fold(note, "", ""))
            else:
                lines += fold(note, below + NOTE_INDENT, below)
    return lines


def _tree_boxes(depth: int, style: TextStyle, widest: int) -> TreeBoxes:
    """Return the boxes of a tree, wide or narrow, so that the text of the deepest node keeps its columns."""
    columns_left = LINE_WIDTH.get() - MIN_TEXT_WIDTH
    boxes = BOXES if style.boxes else PLAIN_BOXES
    wide = max(1, min(widest, columns_left // max(1, depth)))
    # A narrow box keeps its last character, the blank before the text.
    narrow = [box[: wide - 1] + box[-1] if wide > 1 else box[0] for box in boxes]
    branch, last, bar, blank = narrow
    deepest = columns_left // wide
    return TreeBoxes(branch=branch, last=last, bar=bar, blank=blank, deepest=deepest)
