"""A plain XML tree that can be written: render it with one element to a line, or parse it from text."""
import re
from functools import lru_cache
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from ..urdf.lossless_xml import Document, Element, parse_document

IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
IN_QUOTES = {**IN_TEXT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}
NOT_PLAIN = re.compile('[&<>"\n\r\t]')  # few texts need escaping: ask before translating
DEEPEST = 80  # blanks of indentation at most: a chain of thousands of elements would be mostly blanks


class Node:
    """An element, its children elements and texts; without a tag, raw XML in its only child."""

    __slots__ = ("attributes", "children", "tag")

    def __init__(self, tag: str, attributes: Dict[str, str], children: List[Any]) -> None:
        self.tag, self.attributes, self.children = tag, attributes, children

    def add(self, tag: str, text: str = "", **attributes: Optional[str]) -> "Node":
        """Append an element and return it; attributes that are None are omitted, a trailing `_` is removed."""
        child = node(tag, text, **attributes) if attributes else Node(tag, {}, [text] if text else [])
        self.children.append(child)
        return child

    def find(self, tag: str) -> "Optional[Node]":
        """Return the first child of that tag, or None."""
        return next((child for child in self.children if isinstance(child, Node) and child.tag == tag), None)

    @property
    def text(self) -> str:
        """The character data directly inside, without white space around it."""
        children = self.children
        if len(children) == 1 and isinstance(children[0], str):  # most elements with text: no list
            return children[0].strip()
        return "".join([child for child in children if isinstance(child, str)]).strip()


def node(tag: str, text: str = "", **attributes: Optional[str]) -> Node:
    """Return an element; attributes that are None are omitted, a trailing `_` is removed."""
    written = {key if key[-1] != "_" else key[:-1]: value for key, value in attributes.items() if value is not None}
    return Node(tag, written, [text] if text else [])


def put(top: Node, path: str, text: str) -> Node:
    """Set the text of the element at a path of tags, which is made where it is missing; return the element."""
    for tag in path.split("/"):
        top = top.find(tag) or top.add(tag)
    top.children[:] = [text]
    return top


def leaves_of(top: Node) -> Iterator[Tuple[str, Node]]:
    """Yield the leaves below an element, each with the path of tags to it."""
    for child in top.children:
        if isinstance(child, Node):
            inside = [(f"{child.tag}/{path}", leaf) for path, leaf in leaves_of(child)]
            yield from inside or [(child.tag, child)]


def raw(text: str) -> Node:
    """Return XML that is written as it is."""
    return Node("", {}, [text])


def render(top: Node) -> str:
    """Return the text of an element, children indented by two blanks; it ends with a newline."""
    lines: List[str] = []
    add, is_odd = lines.append, NOT_PLAIN.search
    around: List[Tuple[str, str, Iterator[Node]]] = [("", "", iter((top,)))]
    while around:  # no recursion: a tree may be deeper than Python's stack
        indent, end, items = around[-1]
        for item in items:
            tag, children = item.tag, item.children
            if not tag:
                add(indent + children[0])
                continue
            start = _start_tag(item) if item.attributes else tag
            if not children:
                add(f"{indent}<{start}/>")
            elif str not in map(type, children):
                add(f"{indent}<{start}>")
                around.append((indent if len(indent) >= DEEPEST else indent + "  ", f"{indent}</{tag}>",
                               iter(children)))
                break
            elif len(children) == 1 and children[0] and not is_odd(children[0]):  # most elements with text
                add(f"{indent}<{start}>{children[0]}</{tag}>")
            else:
                add(indent + _inline(item))
        else:
            around.pop()
            lines += [end] if end else []
    return "\n".join(lines) + "\n"


def _inline(item: Node) -> str:
    """Return an element that holds text, or nothing, on one line; white space in it is its content."""
    if not item.tag:
        return str(item.children[0])
    inside = "".join([(child.translate(IN_TEXT) if NOT_PLAIN.search(child) else child) if isinstance(child, str)
                      else _inline(child) for child in item.children])
    return f"<{_start_tag(item)}>{inside}</{item.tag}>" if inside else f"<{_start_tag(item)}/>"


def _start_tag(item: Node) -> str:
    attributes = item.attributes
    if not attributes:
        return item.tag
    if NOT_PLAIN.search("".join(attributes.values())):
        attributes = {key: value.translate(IN_QUOTES) for key, value in attributes.items()}
    return item.tag + "".join([f' {key}="{value}"' for key, value in attributes.items()])


def source_of(element: Element) -> str:
    """Return the text of an element as it is in its file."""
    return Document("", [element], element, "utf-8", b"", "\n").text()


def node_of(element: Element) -> Node:
    """Return a parsed element as a `Node`; comments and white space between elements are omitted."""
    top = Node(element.name, dict(element.attributes), [])
    waiting = [(element, top)]
    while waiting:
        old, new = waiting.pop()
        text, inside = old.text(), old.elements()
        if text.strip():
            new.children.append(text if not inside else text.strip())
        for child in inside:
            new.children.append(Node(child.name, dict(child.attributes), []))
            waiting.append((child, new.children[-1]))
    return top


def parse(text: str) -> Node:
    """Return the root element of an XML text.

    Raises:
        MalformedXml: the text is not well-formed.
    """
    return _copy(_parsed(text))


@lru_cache(maxsize=512)  # every format parses the extensions of links and joints, some more than once
def _parsed(text: str) -> Node:
    return node_of(parse_document(text.encode("utf-8"), "").root)


def _copy(top: Node) -> Node:
    """Return a deep copy: callers change what they get, the cache must not change."""
    copied = Node(top.tag, dict(top.attributes), list(top.children))
    waiting = [copied]
    while waiting:
        children = waiting.pop().children
        for index, child in enumerate(children):
            if isinstance(child, Node):
                children[index] = Node(child.tag, dict(child.attributes), list(child.children))
                waiting.append(children[index])
    return copied


def exact(value: float) -> str:
    """Return the shortest text that is read as this very number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def exact_numbers(values: Iterable[float]) -> str:
    """Return the numbers as `exact` does, separated by blanks."""
    return " ".join(map(exact, values))
