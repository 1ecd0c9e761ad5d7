"""A plain XML tree for writing: rendered with one element to a line, or parsed from text.

XML of a URDF without a field in the model is kept as text, and put back in its place.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from ..base.type_aliases import Json, Texts
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.urdf_records import INERTIA_KEYS, OF_JOINT, ORIGIN_KEYS, SIZES

IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
IN_QUOTES = {
    **IN_TEXT,
    # A parser turns a line break in an attribute into a space (XML 1.0, 3.3.3), so it is escaped.
    **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}),
}
# Few texts need escaping, and a search is cheaper than a translation.
NOT_PLAIN = re.compile('[&<>"\n\r\t]')
DEEPEST = (
    # Spaces of indentation at most: a chain of thousands of elements would consist mostly of spaces.
    80
)


class XmlNode:
    """An element with its child elements and texts; without a tag, raw XML as its only child."""

    __slots__ = ("attributes", "children", "tag")

    def __init__(self, tag: str, attributes: Dict[str, str], children: List[Any]) -> None:
        """Make a node with these children, which are nodes and texts."""
        self.tag = tag
        self.attributes = attributes
        self.children = children

    def add(self, tag: str, text: str = "", **attributes: Optional[str]) -> "XmlNode":
        """Append an element and return it; attributes that are None are omitted, a trailing `_` is removed."""
        # Most elements have no attributes, so this path skips them.
        child = node(tag, text, **attributes) if attributes else XmlNode(tag, {}, _texts(text))
        self.children.append(child)
        return child

    def find(self, tag: str) -> "Optional[XmlNode]":
        """Return the first child of that tag, or None."""
        return next(
            (child for child in self.children if isinstance(child, XmlNode) and child.tag == tag),
            None,
        )

    def elements(self, *tags: str) -> "List[XmlNode]":
        """Return the child elements, filtered by tag if any tags are given."""
        return [
            child
            for child in self.children
            if isinstance(child, XmlNode) and (not tags or child.tag in tags)
        ]

    @property
    def text(self) -> str:
        """Return the direct character data, without surrounding white space."""
        children = self.children
        # Most elements with text: no list is needed.
        if len(children) == 1 and isinstance(children[0], str):
            return children[0].strip()
        return "".join([child for child in children if isinstance(child, str)]).strip()


def node(tag: str, text: str = "", **attributes: Optional[str]) -> XmlNode:
    """Return an element; attributes that are None are omitted, a trailing `_` is removed."""
    written: Dict[str, str] = {}
    for key, value in attributes.items():
        if value is not None:
            # `class_` and `range_` need the underscore in Python.
            name = key[:-1] if key[-1] == "_" else key
            written[name] = value
    return XmlNode(tag, written, _texts(text))


def _texts(text: str) -> List[Any]:
    """Return the children of an element with a text; empty for an empty text."""
    return [text] if text else []


def put(top: XmlNode, path: str, text: str) -> XmlNode:
    """Set the text of the element at a path of tags, making missing elements; return the element."""
    for tag in path.split("/"):
        top = top.find(tag) or top.add(tag)
    top.children[:] = [text]
    return top


def leaves_of(top: XmlNode) -> Iterator[Tuple[str, XmlNode]]:
    """Yield the leaves of an element, each with the path of tags to it."""
    for child in top.elements():
        inside = [(f"{child.tag}/{path}", leaf) for path, leaf in leaves_of(child)]
        yield from inside or [(child.tag, child)]


def raw(text: str) -> XmlNode:
    """Return XML that is written unchanged."""
    return XmlNode("", {}, [text])


def render(top: XmlNode) -> str:
    """Return the text of an element, children indented by two spaces, with a final newline."""
    lines: List[str] = []
    add = lines.append
    # For each open element: indentation, end tag, and its remaining children.
    open_elements: List[Tuple[str, str, Iterator[XmlNode]]] = [("", "", iter((top,)))]
    while open_elements:  # no recursion: a tree may be deeper than Python's stack
        indent, end, items = open_elements[-1]
        for item in items:
            tag = item.tag
            children = item.children
            if not tag:
                add(indent + children[0])
                continue
            start = _start_tag(item) if item.attributes else tag
            if not children:
                add(f"{indent}<{start}/>")
            elif len(children) == 1 and type(children[0]) is str and children[0]:
                text = children[0].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                add(f"{indent}<{start}>{text}</{tag}>")
            elif str in map(type, children):
                add(indent + _inline(item))
            else:
                add(f"{indent}<{start}>")
                inner_indent = indent if len(indent) >= DEEPEST else indent + "  "
                open_elements.append((inner_indent, f"{indent}</{tag}>", iter(children)))
                # Continue with the children; afterwards the loop resumes after this element.
                break
        else:
            open_elements.pop()
            if end:
                add(end)
    return "\n".join(lines) + "\n"


def _inline(item: XmlNode) -> str:
    """Return an element with text on one line, because white space is part of its content."""
    # A node without a tag holds raw XML.
    if not item.tag:
        return str(item.children[0])
    inside = ""
    for child in item.children:
        inside += child.translate(IN_TEXT) if isinstance(child, str) else _inline(child)
    return f"<{_start_tag(item)}>{inside}</{item.tag}>" if inside else f"<{_start_tag(item)}/>"


def _start_tag(item: XmlNode) -> str:
    """Return the name and the attributes of an element, escaped where needed."""
    attributes = item.attributes
    if not attributes:
        return item.tag
    if NOT_PLAIN.search("".join(attributes.values())):
        attributes = {key: value.translate(IN_QUOTES) for key, value in attributes.items()}
    return item.tag + "".join([f' {key}="{value}"' for key, value in attributes.items()])


def source_of(element: Element) -> str:
    """Return the text of an element as in its file."""
    return Document(
        path="", children=[element], root=element, encoding="utf-8", mark=b"", newline="\n"
    ).text()


def node_of(element: Element) -> XmlNode:
    """Return a parsed element as a `XmlNode`; comments and white space between elements are omitted."""
    top = XmlNode(element.name, dict(element.attributes), [])
    waiting = [(element, top)]
    while waiting:
        old, new = waiting.pop()
        text = old.text()
        inside = old.elements()
        if text.strip():
            # White space beside elements is indentation; otherwise it may be content.
            new.children.append(text.strip() if inside else text)
        for child in inside:
            new.children.append(XmlNode(child.name, dict(child.attributes), []))
            waiting.append((child, new.children[-1]))
    return top


def parse(text: str) -> XmlNode:
    """Return the root element of an XML text.

    Raises:
        MalformedXml: the text is not well-formed.
    """
    # Callers may change the returned node, so only the parsed element is cached.
    return node_of(_parsed(text))


# Every format parses the extensions of links and joints, some more than once.
@lru_cache(maxsize=512)
def _parsed(text: str) -> Element:
    """Return the root element of an XML text, which callers must not change."""
    return parse_document(text.encode("utf-8"), "").root


def exact(value: float) -> str:
    """Return the shortest text that is read as exactly this number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def exact_numbers(values: Iterable[float]) -> str:
    """Return the numbers as `exact` does, separated by spaces."""
    return " ".join(map(exact, values))


# For each element: the known attributes (under ""), and the known child elements.
Known = Json


def _only(*attributes: str) -> Known:
    """Return an element with known attributes only."""
    return {"": attributes}


ORIGIN = _only(*ORIGIN_KEYS)
MATERIAL: Known = {"": ("name",), "color": _only("rgba"), "texture": _only("filename")}
GEOMETRY: Known = {
    **{kind: _only(*(key for key, _ in sizes)) for kind, sizes in SIZES.items()},
    "mesh": _only("filename", "scale"),
}
VISUAL: Known = {"": ("name",), "origin": ORIGIN, "geometry": GEOMETRY, "material": MATERIAL}
COLLISION: Known = {"": ("name",), "origin": ORIGIN, "geometry": GEOMETRY}
INERTIAL: Known = {"origin": ORIGIN, "mass": _only("value"), "inertia": _only(*INERTIA_KEYS)}
LINK: Known = {"": ("name",), "inertial": INERTIAL}
JOINT: Known = {
    "": ("name", "type"),
    **{name: _only(*attributes) for name, attributes in OF_JOINT.items()},
    "limit": _only("lower", "upper", "effort", "velocity"),
}
ROBOT: Known = {"": ("name",)}


def unknown_in(element: Element, known: Known, skip: Texts = ()) -> Texts:
    """Return the unknown XML in an element as texts; unknown attributes are in an empty element of the same name.

    Args:
        skip: names of children that are left out.
    """
    if not skip and _is_known(element, known):
        return ()
    attributes = _unknown_attributes(element, known)
    texts = [render(XmlNode(element.name, attributes, [])).strip()] if attributes else []
    for child, parts in _children(element, known):
        if child.name in skip:
            continue
        if parts is None:
            texts.append(source_of(child).strip())
        elif not _is_known(child, parts):
            texts.append(render(_rest(child, parts)).strip())
    return tuple(texts)


def _is_known(element: Element, known: Known) -> bool:
    """Return True if nothing in an element is unknown.

    This is the usual case and runs for every shape, so the loops are plain for speed.
    """
    for attribute in element.attributes:
        if attribute not in known.get("", ()):
            return False
    seen: Texts = ()
    for child in element.elements():
        name = child.name
        if name not in known or name in seen or not _is_known(child, known[name]):
            return False
        seen += (name,)
    return True


def _children(element: Element, known: Known) -> List[Tuple[Element, Optional[Known]]]:
    """Return the children, each with its known parts, or with None for an unknown child."""
    # Parsers read the first child of a name, so later ones are unknown.
    known = {**known}
    return [(child, known.pop(child.name, None)) for child in element.elements()]


def _rest(element: Element, known: Known) -> XmlNode:
    """Return an element without its known parts."""
    children: List[Any] = []
    for child, parts in _children(element, known):
        if parts is None:
            children.append(node_of(child))
        elif not _is_known(child, parts):
            children.append(_rest(child, parts))
    return XmlNode(element.name, _unknown_attributes(element, known), children)


def _unknown_attributes(element: Element, known: Known) -> Dict[str, str]:
    """Return the unknown attributes of an element."""
    # `known` has the attributes of an element under "".
    names = known.get("", ())
    return {key: value for key, value in element.attributes.items() if key not in names}


def put_back(into: XmlNode, extensions: Texts, known: Known) -> None:
    """Put texts of `unknown_in` back: merged into the child of the same name, or else as a new child."""
    for text in extensions:
        extra = parse(text)
        if extra.tag == into.tag and not extra.children:
            for key, value in extra.attributes.items():
                into.attributes.setdefault(key, value)
        elif extra.tag in known and _merge(into, extra, known):
            continue
        else:
            into.children.append(raw(text))


def _merge(into: XmlNode, extra: XmlNode, known: Known) -> bool:
    """Merge an element into the child of its name; return False if it is missing or an attribute is in both."""
    target = into.find(extra.tag)
    if target is None or set(target.attributes) & set(extra.attributes):
        return False
    target.attributes.update(extra.attributes)
    for child in extra.elements():
        if child.tag not in known.get(extra.tag, {}) or not _merge(target, child, known[extra.tag]):
            target.children.append(child)
    return True
