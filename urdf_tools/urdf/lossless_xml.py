"""The lossless XML document: read, look up, change attributes and texts, write.

Expat decides whether the file is well-formed. The tree keeps the source text of each tag, comment and run of text, so
unedited parts are written back byte for byte. Namespaces are not processed: undeclared prefixes are common in URDF
files, and programs accept them.
"""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from contextlib import suppress
from io import StringIO
from itertools import accumulate
from sys import intern
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union
from xml.parsers import expat

from ..base.errors import MalformedXml
from ..base.xml_declaration import (
    find_late_declaration,
    LateDeclaration,
    with_declaration_first,
)

MARKUP = re.compile(
    r"""([^<]*(?:<!\[CDATA\[.*?]]>[^<]*)*)  # text, and what follows it in well-formed XML:
                     (?:(<[^>"'!?/][^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>)
                     | (</[^>]*>) | (<!--.*?--> | <\?.*?\?>) | \Z)""",
    re.S | re.X,
)
BREAK = r"\r\n|[\r\n\t]"  # XML reads these in an attribute as a space
ATTRIBUTE = re.compile(
    r"(?P<space>\s+)(?P<key>[^\s=/<>\"']+)(?P<equals>\s*=\s*)(?P<quoted>\"[^\"]*\"|'[^']*')"
)
DECLARED_ENCODING = re.compile(r"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
XACRO_SIGNS = ("$", "&#", "xacro:")  # each xacro contains one of these
PLAIN = re.compile(r"[\w .:/+-]*")  # text that needs no escaping
# A start tag: its source text, its name and its attributes.
Tag = Tuple[str, str, Dict[str, str]]
REFERENCE = r"&(?:(lt|gt|amp|quot|apos)|#x([0-9A-Fa-f]+)|#([0-9]+));"
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class Element:
    """An element: its attributes, its children in order, and the source text of its tags.

    `indent` is the newline and white space before it, or "" if it does not begin a line. `offset` is unique among the
    elements of a file; it is -1 for a new element. Elements share their dictionaries of attributes, so these are
    replaced and never modified.
    """

    __slots__ = (
        "name",
        "attributes",
        "_children",
        "_elements",
        "line_starts",
        "parent",
        "start_tag",
        "end_tag",
        "indent",
        "offset",
    )

    def __init__(
        self,
        name: str,
        attributes: Dict[str, str],
        start_tag: str,
        end_tag: str,
        line_starts: Sequence[int] = (),
        parent: "Optional[Element]" = None,
        indent: str = "",
        offset: int = -1,
    ) -> None:
        """Make an element without children."""
        self.name = name
        self.attributes = attributes
        self.start_tag = start_tag
        self.end_tag = end_tag
        self.line_starts = line_starts
        self.parent = parent
        self.indent = indent
        self.offset = offset
        self._children: Sequence[Node] = ()
        self._elements: Optional[Tuple[Element, ...]] = ()

    @property
    def line(self) -> int:
        """Return the line in which it begins, counted from 1; 0 for a new element."""
        return bisect_right(self.line_starts, self.offset)

    @property
    def children(self) -> "Sequence[Node]":
        """Return the whole content, in order."""
        return self._children

    @children.setter
    def children(self, nodes: "Sequence[Node]") -> None:
        """Replace the whole content."""
        # None: the elements are collected on the first call of `elements`.
        self._children = nodes
        self._elements = None if nodes else ()

    def get(self, attribute: str) -> Optional[str]:
        """Return the value of an attribute, or None."""
        return self.attributes.get(attribute)

    def elements(self, name: str = "") -> "List[Element]":
        """Return the child elements, all or only those with a name."""
        inside = self._elements
        if inside is None:
            inside = self._elements = tuple(
                [node for node in self._children if isinstance(node, Element)]
            )
        return [element for element in inside if element.name == name] if name else list(inside)

    def find(self, name: str) -> "Optional[Element]":
        """Return the first child element with a name, or None."""
        inside = self._elements if self._elements is not None else self.elements()
        for element in inside:
            if element.name == name:
                return element
        return None

    def walk(self) -> "Iterator[Element]":
        """Yield this element and its descendants, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            if element._children:
                waiting += (element._elements or element.elements())[::-1]

    def upward(self) -> "Iterator[Element]":
        """Yield this element and its ancestors, up to the root."""
        element: Optional[Element] = self
        while element is not None:
            yield element
            element = element.parent

    def text(self) -> str:
        """Return the character data directly in this element, entities and CDATA resolved."""
        pieces = [child for child in self._children if isinstance(child, str)]
        whole = "".join(pieces)
        if "<" in whole or "&" in whole or "\r" in whole:
            return "".join(map(_character_data, pieces))
        return whole

    def source(self) -> str:
        """Return the source text of this element and its content."""
        pieces: List[str] = []
        waiting: List[Iterator[Node]] = [iter((self,))]
        while waiting:
            for node in waiting[-1]:
                if isinstance(node, str):
                    pieces.append(node)
                    continue
                pieces.append(node.start_tag)
                if node._children:
                    waiting.append(iter((*node._children, node.end_tag)))
                    break
                pieces.append(node.end_tag)
            else:
                waiting.pop()
        return "".join(pieces)

    def set(self, attribute: str, value: str) -> None:
        """Set an attribute; the rest of the tag keeps its text."""
        if self.attributes.get(attribute) == value:
            return
        self.attributes = {**self.attributes, attribute: value}
        end_of_last = len(self.name) + 1
        tag = self.start_tag
        for match in ATTRIBUTE.finditer(tag):
            if match["key"] == attribute:
                begin, end = match.span("quoted")
                quote = tag[begin]
                self.start_tag = f"{tag[:begin]}{quote}{escaped(value, quote)}{quote}{tag[end:]}"
                return
            end_of_last = match.end()
        # A new attribute follows the last one.
        self.start_tag = (
            f'{tag[:end_of_last]} {attribute}="{escaped(value, QUOTE)}"{tag[end_of_last:]}'
        )

    def rename(self, attribute: str, new: str) -> None:
        """Rename an attribute in its place."""

        def renamed(match: "re.Match[str]") -> str:
            """Return the text of an attribute, with the new name if it is the renamed one."""
            key = new if match["key"] == attribute else match["key"]
            return f"{match['space']}{key}{match['equals']}{match['quoted']}"

        items = self.attributes.items()
        self.attributes = {(new if key == attribute else key): value for key, value in items}
        self.start_tag = ATTRIBUTE.sub(renamed, self.start_tag)

    def unset(self, attribute: str) -> None:
        """Remove an attribute together with the white space before it."""

        def kept(match: "re.Match[str]") -> str:
            """Return the text of a remaining attribute, "" for the removed one."""
            return "" if match["key"] == attribute else match.group()

        self.attributes = {key: value for key, value in self.attributes.items() if key != attribute}
        self.start_tag = ATTRIBUTE.sub(kept, self.start_tag)

    def set_text(self, text: str) -> None:
        """Replace the content of this element by character data."""
        self.open()
        self.children = [escaped(text, "")]

    def open(self) -> None:
        """Turn `<a/>` into `<a></a>`, so that it can have content."""
        if not self.end_tag:
            self.start_tag = self.start_tag[:-2].rstrip() + ">"
            self.end_tag = f"</{self.name}>"

    def close(self) -> None:
        """Turn `<a></a>` with no content except white space into `<a/>`."""
        is_blank = all(isinstance(node, str) and not node.strip() for node in self.children)
        if self.end_tag and is_blank:
            self.start_tag = self.start_tag[:-1].rstrip() + "/>"
            self.end_tag = ""
            self.children = []


QUOTE = '"'
# A string is verbatim source text: white space, text, a comment, or an instruction.
Node = Union[Element, str]


class Document:
    """An XML file in memory.

    Attributes:
        path: the name used in messages.
        children: the root and all nodes outside it.
        root: the document element.
        newline: the newline of the first line, for added lines.
        given: the text of the file; None for a copy.
        late_declaration: the place of an XML declaration that is not at the start of the file; the document has it
            first.
        copies: for a copy, its elements by the offset of the original.
    """

    def __init__(
        self,
        path: str,
        children: List[Node],
        root: Element,
        encoding: str,
        mark: bytes,
        newline: str,
    ) -> None:
        """Make a document from its nodes; only a parsed one has a given text."""
        self.path = path
        self.children = children
        self.root = root
        self.encoding = encoding
        self.mark = mark
        self.newline = newline
        self.given: Optional[str] = None
        self.late_declaration: Optional[LateDeclaration] = None
        self.copies: Dict[int, Element] = {}

    def may_hold(self, words: Iterable[str]) -> bool:
        """Return False if the file's text contains none of the words, so that the document need not be searched."""
        return self.given is None or any(map(self.given.__contains__, words))

    def copy_of(self, element: Element) -> Element:
        """Return the element of this document, made by `copy_document`, that is the copy of an element."""
        return self.copies[element.offset]

    def text(self) -> str:
        """Return the whole document as text."""
        pieces: List[str] = []
        for node in self.children:
            pieces.append(node if isinstance(node, str) else node.source())
        return "".join(pieces)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file in its encoding; unsupported characters become character references."""
        return self.mark + self.text().encode(self.encoding, "xmlcharrefreplace")

    def comments(self) -> List[str]:
        """Return the texts of the comments outside the root."""
        # Without <!-- and -->.
        return [
            node[4:-3].strip()
            for node in self.children
            if isinstance(node, str) and node.startswith("<!--")
        ]


def parse_document(data: bytes, path: str, known: Optional[Dict[str, Tag]] = None) -> Document:
    """Read an XML document from the bytes of a file; a late XML declaration is moved to the start.

    `known` caches tags by their text, for documents with many common tags; it is extended.

    Raises:
        MalformedXml: not XML, not in the encoding that it declares, or with a DOCTYPE.
    """
    if not data.strip():
        raise MalformedXml("the file is empty", path)
    given, encoding, mark = _decode(data, path)
    text = with_declaration_first(given)
    if not text.lstrip().startswith("<"):
        raise MalformedXml(
            "this is not XML: it does not begin with '<'; urdf_simplify reads URDF and xacro, and the "
            "package urdf-simplify also MJCF, SDF and USD",
            path,
            1,
        )
    # \r\n if the first line ends with it.
    newline = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
    _check_well_formed(text.encode("utf-8"), path)
    if known is None:
        known = {}
    children = _read_nodes(text, known)
    root = next(node for node in children if isinstance(node, Element))
    document = Document(
        path=path, children=children, root=root, encoding=encoding, mark=mark, newline=newline
    )
    document.given = given
    document.late_declaration = find_late_declaration(given)
    return document


def _decode(data: bytes, path: str) -> Tuple[str, str, bytes]:
    """Return text, encoding and byte order mark; encoding the text again must yield the same bytes."""
    mark, encoding = next(((m, e) for m, e in BYTE_ORDER_MARKS if data.startswith(m)), (b"", ""))
    # UTF-16 without a byte order mark: `<` beside a zero byte.
    if not encoding and data[:2] in (b"<\0", b"\0<"):
        encoding = "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    if not encoding:
        head = data[:200] if data.startswith(b"<?xml") else data
        declared = DECLARED_ENCODING.match(with_declaration_first(head.decode("latin-1")))
        encoding = declared.group(1) if declared else "utf-8"
    body = data[len(mark) :]
    try:
        # As the document will be written.
        "\u2713".encode(encoding, "xmlcharrefreplace")
    except (LookupError, UnicodeError):
        raise MalformedXml(f"the encoding '{encoding}' cannot be read", path, 1) from None
    try:
        text = body.decode(encoding)
        # A lone surrogate is not a character.
        text.encode("utf-8")
        same = text.encode(encoding) == body
    except UnicodeError as error:
        line = body.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise MalformedXml(
            f"the file is not {encoding.upper()} as it says or implies", path, line
        ) from None
    if not same:
        raise MalformedXml(f"the file cannot be written back in its encoding '{encoding}'", path, 1)
    return text, encoding, mark


def _check_well_formed(source: bytes, path: str) -> None:
    """Refuse text that is not well-formed or has a DOCTYPE; the error has the line."""
    parser = expat.ParserCreate("utf-8")

    def doctype(*declaration: object) -> None:
        """Refuse a DOCTYPE."""
        raise MalformedXml(
            "a DOCTYPE is refused: URDF has none, and entities can hide anything", path
        )

    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(source, True)
    except MalformedXml as refused:
        raise MalformedXml(refused.message, path, parser.CurrentLineNumber) from None
    except expat.ExpatError as error:
        raise MalformedXml(_reason(error, source), path, error.lineno) from None


def _reason(error: expat.ExpatError, source: bytes) -> str:
    """Return the reason why a source is not well-formed, and the enclosing element, from a second parse."""
    parser = expat.ParserCreate("utf-8")
    inside: List[Tuple[str, int]] = []
    parser.StartElementHandler = lambda name, attributes: inside.append(
        (name, parser.CurrentLineNumber)
    )
    parser.EndElementHandler = lambda name: inside.pop()
    # The second parse stops at the same place; `inside` then has the open elements.
    with suppress(expat.ExpatError):
        parser.Parse(source, True)
    reason = expat.ErrorString(error.code)
    where = "inside <{}> of line {}".format(*inside[-1]) if inside else ""
    if inside and reason in (
        "no element found",
        "unclosed token",
        "unclosed CDATA section",
        "partial character",
    ):
        return f"the file ends {where}: it looks truncated"
    return f"not well-formed XML: {reason} at column {error.offset + 1} {where}".rstrip()


def _read_nodes(text: str, known: Dict[str, Tag]) -> "List[Node]":
    """Return the nodes of a well-formed document; every character is in exactly one node."""
    # Lines end as defined for XML.
    line_starts = array("L", [0, *accumulate(map(len, StringIO(text, newline="")))])
    # White space with its indent, and end tags: there are few different ones, so they are cached.
    blanks = {"": ("", "")}
    end_tags: Dict[str, str] = {}
    parent: Optional[Element] = None
    nodes: List[Node] = []
    outer: List[List[Node]] = []
    offset = 0
    # All matches at once: match objects, one after another, would take a fifth of the time of this function.
    for before, start_tag, end_tag, other in MARKUP.findall(text):
        offset += len(before)
        blank = blanks.get(before)
        if blank is None:
            blank = (before, _indent_of(before))
            if before.isspace():
                blanks[before] = blank
        before, indent = blank
        if before:
            nodes.append(before)
        if start_tag:
            tag = known.get(start_tag)
            if tag is None:
                tag = known[start_tag] = _read_tag(start_tag)
            source, name, attributes = tag
            element = Element(
                name=name,
                attributes=attributes,
                start_tag=source,
                end_tag="",
                line_starts=line_starts,
                parent=parent,
                indent=indent,
                offset=offset,
            )
            nodes.append(element)
            if not start_tag.endswith("/>"):
                outer.append(nodes)
                parent = element
                nodes = []
        elif end_tag and parent is not None:
            parent.end_tag = end_tags.setdefault(end_tag, end_tag)
            if nodes:
                parent.children = tuple(nodes)
            parent = parent.parent
            nodes = outer.pop()
        elif other:
            nodes.append(other)
        offset += len(start_tag or end_tag or other)
    return nodes


def _indent_of(before: str) -> str:
    """Return the last line end in white space and the spaces after it; "" for other text, or without a line end."""
    newline = before.rfind("\n") if before.isspace() else -1
    if newline < 0:
        return ""
    # The line end may be \r\n.
    if newline > 0 and before[newline - 1] == "\r":
        newline -= 1
    return before[newline:]


def _read_tag(source: str) -> Tag:
    """Return the tag of a source text; names are interned, because most tags share them."""
    attributes = {intern(key): quoted[1:-1] for _, key, _, quoted in ATTRIBUTE.findall(source)}
    if "&" in source or not source.isprintable():
        attributes = {
            key: re.sub(REFERENCE, _resolved, re.sub(BREAK, " ", value))
            for key, value in attributes.items()
        }
    return source, intern(source[1:-1].rstrip("/").split(None, 1)[0]), attributes


def escaped(value: str, quote: str) -> str:
    """Return source text for a value: for an attribute in these quotes, or for character data if `quote` is ""."""
    if PLAIN.fullmatch(value):
        return value
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        entity = "&quot;" if quote == QUOTE else "&apos;"
        value = value.replace(quote, entity)
        # Unescaped, XML would read them as spaces.
        value = value.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    return value


def _character_data(source: str) -> str:
    """Return the characters of a source text; "" for a comment or a processing instruction."""
    if source.startswith(("<!--", "<?")):
        return ""
    if "&" not in source and "<" not in source:
        return source.replace("\r\n", "\n")
    # Every second piece is the content of a CDATA section, which has no references.
    pieces = re.split(r"<!\[CDATA\[(.*?)\]\]>", source, flags=re.S)
    pieces[::2] = [re.sub(REFERENCE, _resolved, piece) for piece in pieces[::2]]
    return "".join(pieces).replace("\r\n", "\n")


def _resolved(reference: "re.Match[str]") -> str:
    """Return the character of a reference."""
    name, hexadecimal, decimal = reference.groups()
    if name:
        return ENTITIES[name]
    return chr(int(hexadecimal, 16)) if hexadecimal else chr(int(decimal))


def is_comment(node: Node) -> bool:
    """Return True if a text is the source of a comment, or of a processing instruction, which is treated alike."""
    return isinstance(node, str) and node.startswith(("<!--", "<?"))
