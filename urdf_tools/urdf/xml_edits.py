"""Edits of a document: move, copy and make elements, each with its comments, line and indent."""

from __future__ import annotations

from typing import Collection, Dict, List, Optional, Sequence, Tuple

from .lossless_xml import Document, Element, escaped, is_comment, Node, QUOTE


def _is_space(node: Node) -> bool:
    """Return True for a text of white space."""
    return isinstance(node, str) and not node.strip()


def _extent(nodes: Sequence[Node], index: int) -> Tuple[int, int]:
    """Return the range of sibling nodes that belong to the element at `index`.

    These are the element, the comments directly before it (each begins a line, and no blank line follows it), and a
    comment after it on its last line.
    """
    first = last = index
    while first >= 2:
        # White space may be between them, but a blank line separates them.
        between = str(nodes[first - 1]) if _is_space(nodes[first - 1]) else ""
        above = first - 2 if between else first - 1
        if above < 1 or not is_comment(nodes[above]) or between.count("\n") > 1:
            break
        # A comment after a node on the same line belongs to that node.
        if not _is_space(nodes[above - 1]) or "\n" not in str(nodes[above - 1]):
            break
        first = above
    if last + 2 < len(nodes) and is_comment(nodes[last + 2]) and _is_space(nodes[last + 1]):
        if "\n" not in str(nodes[last + 1]):
            last += 2
    return first, last + 1


def detach(
    parent: Element, elements: Collection[Element], *, comments: bool = True
) -> List[List[Node]]:
    """Remove children, each with the white space before it and, unless `comments` is False, its comments.

    Return the removed nodes, one list for each element, in document order.
    """
    detached = set(elements)
    nodes: Sequence[Node] = parent.children
    pieces: List[List[Node]] = []
    kept: List[Node] = []
    done = 0
    for i, node in enumerate(nodes):
        if node in detached:
            first, end = _extent(nodes, i) if comments else (i, i + 1)
            pieces.append([*nodes[first:end]])
            if first > done and _is_space(nodes[first - 1]):
                first -= 1
            kept.extend(nodes[done:first])
            done = end
    parent.children = (*kept, *nodes[done:])
    return pieces


def attach(parent: Element, nodes: List[Node], *, first: bool = False) -> None:
    """Insert nodes into `parent`, on a new line, as its first or last content."""
    indent = _child_indent(parent)
    closing = parent.indent
    parent.open()
    for node in nodes:
        if isinstance(node, Element):
            node.parent = parent
            node.indent = node.indent or indent
    # A list grows in place, which is fast for a link that thousands of links merge into.
    present = parent.children if isinstance(parent.children, list) else list(parent.children)
    if not present or not (first or _is_space(present[-1])):
        present.append(closing)
    # Before the white space in front of the end tag.
    index = 0 if first else len(present) - 1
    present[index:index] = [indent, *nodes]
    parent.children = present


def attach_behind(sibling: Element, element: Element) -> None:
    """Insert an element after a sibling, before the white space that follows it."""
    parent = sibling.parent
    assert parent is not None
    present = parent.children
    _, end = _extent(present, next(k for k, node in enumerate(present) if node is sibling))
    element.parent = parent
    element.indent = sibling.indent
    parent.children = (*present[:end], sibling.indent, element, *present[end:])


def copy_element(element: Element, copies: Optional[Dict[int, Element]] = None) -> Element:
    """Return a copy of an element and its content, outside any document.

    Each copy is added to `copies` by the offset of its original.
    """
    made = {} if copies is None else copies
    top = made[element.offset] = _shallow_copy(element, None)
    waiting = [top]
    for parent in waiting:  # the list grows during the loop
        nodes: List[Node] = []
        for node in parent.children:
            if isinstance(node, Element):
                node = made[node.offset] = _shallow_copy(node, parent)
                if node.children:
                    waiting.append(node)
            nodes.append(node)
        parent.children = tuple(nodes)
    return top


def _shallow_copy(element: Element, parent: Optional[Element]) -> Element:
    """Return a copy of an element for another parent; `copy_element` replaces its children by copies."""
    copy = Element(
        name=element.name,
        attributes=element.attributes,
        start_tag=element.start_tag,
        end_tag=element.end_tag,
        line_starts=element.line_starts,
        parent=parent,
        indent=element.indent,
        offset=element.offset,
    )
    copy.children = element.children
    return copy


def copy_document(document: Document) -> Document:
    """Return a copy of a document and of all its elements; its `copy_of` finds them."""
    copies: Dict[int, Element] = {}
    root = copy_element(document.root, copies)
    # Comments and the XML declaration around the root are strings, and need no copy.
    children = [root if node is document.root else node for node in document.children]
    copy = Document(
        path=document.path,
        children=children,
        root=root,
        encoding=document.encoding,
        mark=document.mark,
        newline=document.newline,
    )
    copy.copies = copies
    copy.late_declaration = document.late_declaration
    return copy


def _child_indent(parent: Element) -> str:
    """Return the newline and indentation for a child: like its siblings, or else one step deeper than the parent."""
    for child in parent.children:
        if isinstance(child, Element):
            return child.indent
    if not parent.indent:
        return ""
    inner = parent.indent.lstrip("\r\n")
    outer = parent.parent.indent.lstrip("\r\n") if parent.parent is not None else ""
    step = inner[len(outer) :] if inner.startswith(outer) else ""
    return parent.indent + (step or "  ")


def create(name: str, attributes: Dict[str, str]) -> Element:
    """Return a new element without content, `<name a="b"/>`."""
    pairs = "".join(f' {key}="{escaped(value, QUOTE)}"' for key, value in attributes.items())
    return Element(name, dict(attributes), f"<{name}{pairs}/>", "")
