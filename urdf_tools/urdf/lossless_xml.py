"""The lossless XML document: read, look up, edit, write.

Expat reads the file and says where every tag stands; the tree keeps the source text of each tag, comment and run of
text, so what nobody edits is written back byte for byte. Namespaces are not processed: prefixes nobody declared are
common in URDF files, and no consumer minds.
"""
import codecs
import re
from typing import Collection, Dict, Iterator, List, Optional, Tuple, Union
from xml.parsers import expat

from ..base.errors import MalformedXml

START_TAG = re.compile(rb"<[^\s/>]+(?:\s+[^\s=]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
ATTRIBUTE = re.compile(r"(\s+)([^\s=/<>\"']+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")
DECLARED_ENCODING = re.compile(r"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
REFERENCE = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#x([0-9A-Fa-f]+)|#([0-9]+));")
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class Element:
    """One element: its attributes, its children in order, and the source text of its tags.

    `indent` is the newline and white space in front of it, or "" when it does not begin a line; `offset` tells it from
    every other element that was read (-1: it was made).
    """

    __slots__ = ("name", "attributes", "children", "line", "parent", "start_tag", "end_tag", "indent", "offset")

    def __init__(self, name: str, attributes: Dict[str, str], line: int, start_tag: str, end_tag: str) -> None:
        self.name, self.attributes, self.line = name, attributes, line
        self.start_tag, self.end_tag = start_tag, end_tag
        self.children: List[Node] = []
        self.parent: Optional[Element] = None
        self.indent = ""
        self.offset = -1

    def get(self, attribute: str) -> Optional[str]:
        """Return the value of an attribute, or None."""
        return self.attributes.get(attribute)

    def elements(self, name: str = "") -> "List[Element]":
        """Return the child elements, all or those of one name."""
        return [c for c in self.children if isinstance(c, Element) and (not name or c.name == name)]

    def find(self, name: str) -> "Optional[Element]":
        """Return the first child element of that name, or None."""
        for child in self.children:
            if isinstance(child, Element) and child.name == name:
                return child
        return None

    def walk(self) -> "Iterator[Element]":
        """Yield this element and all below it, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            if element.children:
                waiting += [node for node in reversed(element.children) if isinstance(node, Element)]

    def text(self) -> str:
        """Return the character data directly in this element, entities and CDATA resolved."""
        return "".join(_character_data(child) for child in self.children if isinstance(child, str))

    def set(self, attribute: str, value: str) -> None:
        """Set an attribute; the rest of the tag keeps its text."""
        if self.attributes.get(attribute) == value:
            return
        known = attribute in self.attributes
        self.attributes[attribute] = value
        last = len(self.name) + 1
        for match in ATTRIBUTE.finditer(self.start_tag):
            if match.group(2) == attribute:
                quote = match.group(4)[0]
                text = quote + _escaped(value, quote) + quote
                self.start_tag = self.start_tag[: match.start(4)] + text + self.start_tag[match.end(4) :]
            last = match.end()
        if not known:
            self.start_tag = f'{self.start_tag[:last]} {attribute}="{_escaped(value, QUOTE)}"{self.start_tag[last:]}'

    def rename(self, attribute: str, new: str) -> None:
        """Give an attribute another name, in its place."""
        self.attributes = {new if key == attribute else key: value for key, value in self.attributes.items()}
        self.start_tag = ATTRIBUTE.sub(
            lambda m: m.group(1) + new + m.group(3) + m.group(4) if m.group(2) == attribute else m.group(),
            self.start_tag)

    def unset(self, attribute: str) -> None:
        """Remove an attribute together with the white space before it."""
        self.attributes.pop(attribute, None)
        self.start_tag = ATTRIBUTE.sub(lambda m: "" if m.group(2) == attribute else m.group(), self.start_tag)

    def set_text(self, text: str) -> None:
        """Replace everything inside this element by character data."""
        self.open()
        self.children = [_escaped(text, "")]

    def open(self) -> None:
        """Turn `<a/>` into `<a></a>`, so that it can hold something."""
        if not self.end_tag:
            self.start_tag = self.start_tag[:-2].rstrip() + ">"
            self.end_tag = f"</{self.name}>"

    def close(self) -> None:
        """Turn `<a></a>` with nothing but white space inside into `<a/>`."""
        if self.end_tag and not "".join(c if isinstance(c, str) else c.name for c in self.children).strip():
            self.start_tag, self.end_tag, self.children = self.start_tag[:-1].rstrip() + "/>", "", []


QUOTE = '"'
Node = Union[Element, str]  # a string is source text as it stands: white space, text, one comment, one instruction


class Document:
    """An XML file in memory.

    Attributes:
        path: the name used in messages.
        children: everything outside the root, and the root.
        root: the document element.
        newline: the newline of the first line, for lines that are added.
        may_hold_xacro: False if nothing in the text can be xacro, so that nobody needs to look.
        copies: in a copy, its elements by the offset of the original.
    """

    def __init__(self, path: str, children: List[Node], root: Element, encoding: str, mark: bytes, newline: str
                 ) -> None:
        self.path, self.children, self.root = path, children, root
        self.encoding, self.mark, self.newline = encoding, mark, newline
        self.may_hold_xacro = True
        self.copies: Dict[int, Element] = {}

    def copy_of(self, element: Element) -> Element:
        """Return the copy that this document (made by `copy_document`) has of an element."""
        return self.copies[element.offset]

    def text(self) -> str:
        """Return the whole document as text."""
        pieces: List[str] = []
        waiting: List[Node] = list(reversed(self.children))
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                pieces.append(node)
            else:
                pieces.append(node.start_tag)
                waiting.append(node.end_tag)
                waiting.extend(reversed(node.children))
        return "".join(pieces)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file, in the encoding it came in; what that lacks becomes a character reference."""
        return self.mark + self.text().encode(self.encoding, "xmlcharrefreplace")

    def comments(self) -> List[str]:
        """Return the texts of the comments outside the root."""
        return [c[4:-3].strip() for c in self.children if isinstance(c, str) and c.startswith("<!--")]


def parse_document(data: bytes, path: str) -> Document:
    """Read an XML document from the bytes of a file.

    Raises:
        MalformedXml: not XML, not in the encoding that it declares, or with a DOCTYPE.
    """
    if not data.strip():
        raise MalformedXml("the file is empty", path)
    text, encoding, mark = _decode(data, path)
    if not text.lstrip().startswith("<"):
        raise MalformedXml("this is not XML: it does not begin with '<'", path, 1)
    top = Element("", {}, 0, "", "")
    _build(text, top, path)
    root = top.elements()[0]
    root.parent = None
    first_line = text[: text.find("\n")]
    document = Document(path, top.children, root, encoding, mark, "\r\n" if first_line.endswith("\r") else "\n")
    document.may_hold_xacro = "$" in text or "&#" in text or "xacro:" in text
    return document


def _decode(data: bytes, path: str) -> Tuple[str, str, bytes]:
    """Return text, encoding and byte order mark; decoding and encoding again must give the same bytes."""
    mark, encoding = next(((m, e) for m, e in BYTE_ORDER_MARKS if data.startswith(m)), (b"", ""))
    if not encoding and data[:2] in (b"<\0", b"\0<"):
        encoding = "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    if not encoding:
        declared = DECLARED_ENCODING.match(data[:200].decode("latin-1"))
        encoding = declared.group(1) if declared else "utf-8"
    body = data[len(mark) :]
    try:
        "\u2713".encode(encoding, "xmlcharrefreplace")  # as the document will be written
    except (LookupError, UnicodeError):
        raise MalformedXml(f"the encoding '{encoding}' cannot be read", path, 1) from None
    try:
        text = body.decode(encoding)
        text.encode("utf-8")  # a lone surrogate is no character
        same = text.encode(encoding) == body
    except UnicodeError as error:
        line = body.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise MalformedXml(f"the file is not {encoding.upper()} as it says or implies", path, line) from None
    if not same:
        raise MalformedXml(f"the file cannot be written back in its encoding '{encoding}'", path, 1)
    return text, encoding, mark


def _build(text: str, top: Element, path: str) -> None:
    """Fill `top` with the nodes of the document; every byte of the text lands in exactly one of them."""
    source = text.encode("utf-8")
    parser = expat.ParserCreate("utf-8")
    open_elements = [top]
    position = 0  # up to here the source is in the tree

    def take_until(end: int) -> None:
        nonlocal position
        if end > position:
            open_elements[-1].children.append(source[position:end].decode("utf-8"))
            position = end

    def start(name: str, attributes: Dict[str, str]) -> None:
        nonlocal position
        begin = parser.CurrentByteIndex
        take_until(begin)
        match = START_TAG.match(source, begin)
        assert match, "expat accepted a start tag that the pattern does not match"
        position = match.end()
        element = Element(name, attributes, parser.CurrentLineNumber, match.group().decode("utf-8"), "")
        siblings = open_elements[-1].children
        element.parent, element.indent = open_elements[-1], _line_start(siblings[-1] if siblings else "")
        element.offset = begin
        siblings.append(element)
        open_elements.append(element)

    def end(name: str) -> None:
        nonlocal position
        element = open_elements[-1]
        if not element.start_tag.endswith("/>"):
            take_until(parser.CurrentByteIndex)
            position = source.index(b">", position) + 1
            element.end_tag = source[parser.CurrentByteIndex : position].decode("utf-8")
        open_elements.pop()

    def comment(data: str) -> None:
        take_until(parser.CurrentByteIndex)
        take_until(source.index(b"-->", position + 4) + 3)

    def instruction(target: str, data: str) -> None:
        take_until(parser.CurrentByteIndex)
        take_until(source.index(b"?>", position) + 2)

    def doctype(*declaration: object) -> None:
        raise MalformedXml("a DOCTYPE is refused: URDF has none, and entities can hide anything", path,
                           parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CommentHandler, parser.ProcessingInstructionHandler = comment, instruction
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(source, True)
    except expat.ExpatError as error:
        raise MalformedXml(_reason(error, open_elements), path, error.lineno) from None
    take_until(len(source))


def _reason(error: expat.ExpatError, open_elements: List[Element]) -> str:
    reason = expat.ErrorString(error.code)
    inside = open_elements[-1]
    if inside.name and reason in ("no element found", "unclosed token", "unclosed CDATA section", "partial character"):
        return f"the file ends inside <{inside.name}> of line {inside.line}: it looks truncated"
    place = f" inside <{inside.name}> of line {inside.line}" if inside.name else ""
    return f"not well-formed XML: {reason} at column {error.offset + 1}{place}"


def _escaped(value: str, quote: str) -> str:
    """Return source text for a value: for an attribute in these quotes, or for character data if `quote` is ""."""
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        value = value.replace(quote, "&quot;" if quote == QUOTE else "&apos;")
        value = value.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    return value


def _character_data(source: str) -> str:
    if source.startswith(("<!--", "<?")):
        return ""
    pieces = re.split(r"<!\[CDATA\[(.*?)\]\]>", source, flags=re.S)
    return "".join(p if k % 2 else REFERENCE.sub(_resolved, p) for k, p in enumerate(pieces)).replace("\r\n", "\n")


def _resolved(reference: "re.Match[str]") -> str:
    name, hexadecimal, decimal = reference.groups()
    return ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


def is_comment(node: Node) -> bool:
    """True for the source text of a comment."""
    return isinstance(node, str) and node.startswith("<!--")


def _is_space(node: Node) -> bool:
    return isinstance(node, str) and not node.strip()


def _line_start(node: Node) -> str:
    """Return the last newline of a run of white space and what follows it, or ""."""
    if not isinstance(node, str) or "\n" not in node or node.strip():
        return ""
    place = node.rindex("\n")
    return node[place - 1 if node[place - 1 : place] == "\r" else place :]


def _extent(nodes: List[Node], place: int) -> Tuple[int, int]:
    """Return the range of sibling nodes that belong to the element at `place`: itself, the comments directly above
    (each begins its line, and no blank line follows it), and a comment behind it on its last line.
    """
    first = last = place
    while first >= 3 and is_comment(nodes[first - 2]) and _is_space(nodes[first - 1]):
        if str(nodes[first - 1]).count("\n") > 1:
            break
        if not _is_space(nodes[first - 3]) or "\n" not in str(nodes[first - 3]):
            break
        first -= 2
    if last + 2 < len(nodes) and is_comment(nodes[last + 2]) and _is_space(nodes[last + 1]):
        if "\n" not in str(nodes[last + 1]):
            last += 2
    return first, last + 1


def detach(parent: Element, elements: Collection[Element]) -> List[List[Node]]:
    """Take children out, each with the comments that belong to it and the white space before them.

    Returns what was taken, one list of nodes for each element, in document order.
    """
    leaving = {id(element) for element in elements}
    nodes, taken, kept = parent.children, [], []  # type: List[Node], List[List[Node]], List[Node]
    done = 0
    for place, node in enumerate(nodes):
        if id(node) in leaving:
            first, end = _extent(nodes, place)
            taken.append(nodes[first:end])
            if first > done and _is_space(nodes[first - 1]):
                first -= 1
            kept.extend(nodes[done:first])
            done = end
    parent.children = kept + nodes[done:]
    return taken


def attach(parent: Element, nodes: List[Node], first: bool = False) -> None:
    """Put nodes into `parent`, on a line of their own, as its first or last content."""
    indent = _child_indent(parent)
    closing = parent.indent
    parent.open()
    for node in nodes:
        if isinstance(node, Element):
            node.parent, node.indent = parent, node.indent or indent
    if first:
        parent.children[:0] = [indent, *nodes] if parent.children else [indent, *nodes, closing]
        return
    place = len(parent.children)
    if place and _is_space(parent.children[-1]):
        place -= 1
    else:
        parent.children.append(closing)
    parent.children[place:place] = [indent, *nodes]


def attach_behind(sibling: Element, element: Element) -> None:
    """Put an element behind another, in front of the white space that follows it."""
    parent = sibling.parent
    assert parent is not None
    place = next(k for k, node in enumerate(parent.children) if node is sibling)
    _, end = _extent(parent.children, place)
    element.parent, element.indent = parent, sibling.indent
    parent.children[end:end] = [sibling.indent, element]


def copy_element(element: Element) -> Element:
    """Return an element like this one with all that is in it, without a place in a document."""
    top = _copy_alone(element)
    waiting = [top]
    while waiting:
        new = waiting.pop()
        for place, node in enumerate(new.children):
            if isinstance(node, Element):
                child = new.children[place] = _copy_alone(node)
                child.parent = new
                waiting.append(child)
    return top


def _copy_alone(element: Element) -> Element:
    """Return an element like this one, with the same children."""
    new = Element(element.name, dict(element.attributes), element.line, element.start_tag, element.end_tag)
    new.indent, new.offset, new.children = element.indent, element.offset, list(element.children)
    return new


def copy_document(document: Document) -> Document:
    """Return a document like this one, with elements of its own; its `copy_of` finds them."""
    root = copy_element(document.root)
    children = [root if node is document.root else node for node in document.children]
    copy = Document(document.path, children, root, document.encoding, document.mark, document.newline)
    copy.copies.update((element.offset, element) for element in root.walk())
    return copy


def _child_indent(parent: Element) -> str:
    """Return the newline and indentation for a child, as its siblings have it, else one step deeper than the parent."""
    for child in parent.children:
        if isinstance(child, Element):
            return child.indent
    if not parent.indent:
        return ""
    own = parent.indent.lstrip("\r\n")
    outer = parent.parent.indent.lstrip("\r\n") if parent.parent is not None else ""
    step = own[len(outer) :] if own.startswith(outer) else ""
    return parent.indent + (step or "  ")


def create(name: str, attributes: Dict[str, str]) -> Element:
    """Return a new element without content, `<name a="b"/>`."""
    pairs = "".join(f' {key}="{_escaped(value, QUOTE)}"' for key, value in attributes.items())
    return Element(name, dict(attributes), 0, f"<{name}{pairs}/>", "")
