"""XML as the readers of URDF, MJCF and SDF see it: a small tree with lines, which records what was read.

A reader marks each element and attribute that it takes; `unread_of` lists the rest, so nothing of a file is ignored
in silence. The text of an element that was taken counts as read.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import (
    Any,
    Collection,
    Dict,
    Iterator,
    List,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)
from xml.parsers import expat

from ..base.type_aliases import Reals, Texts
from ..base.errors import BrokenRobot, MalformedXml
from ..base.number_text import LARGEST, read_numbers
from ..base.graph_walks import depth_first
from ..base.xml_declaration import find_late_declaration, with_declaration_first
from ..robot.raw_robot import NOT_READ, UnreadElement, Word
from ..urdf.lossless_xml import Document, Element as Source, is_comment

COMMENT = rb"<!--.*?-->"
# A declaration is ASCII, and this encoding keeps each byte as one character.
ONE_TO_ONE = "latin-1"
DEEPEST = 200  # elements inside each other: the readers go down by calls


class XmlElement:
    """An element: its tag, attributes, children, text, and the file and line where it begins.

    Attributes:
        given_line: in the main file; for an element of an included file, the line of the `<include>`. 0 in a URDF,
            whose `source` has its line.
        own_line: in its own file; 0 in a URDF.
        taken: a reader has put it into a field, or has given a reason why not.
        read: the attributes that a reader has asked for.
        why: the reason why it is not read, if a reader has given one.
        source: of a URDF, the element of `lossless_xml` that this shows; messages show its start tag as it is written.
    """

    __slots__ = (
        "attributes",
        "children",
        "file",
        "given_line",
        "own_line",
        "read",
        "source",
        "tag",
        "taken",
        "text",
        "why",
    )

    def __init__(
        self,
        tag: str,
        attributes: Dict[str, str],
        file: str = "",
        line: int = 0,
        source: Any = None,
    ) -> None:
        """Begin without children and text, unread."""
        self.tag = tag
        self.attributes = attributes
        self.file = file
        self.source = source
        self.given_line = line
        self.own_line = line
        self.children: List[XmlElement] = []
        self.text = ""
        self.taken = False
        self.why = NOT_READ
        self.read: Set[str] = set()

    @property
    def line(self) -> int:
        """The line that messages name; few elements of a URDF are asked for theirs."""
        return self.given_line if self.source is None else self.source.line

    def __repr__(self) -> str:
        name = self.attributes.get("name")
        if self.source is not None:
            return f"{self.source.start_tag.strip().rstrip('/>').rstrip()}>"
        return f'<{self.tag} name="{name}">' if name is not None else f"<{self.tag}>"

    def get(self, name: str) -> Optional[str]:
        """Return an attribute, None without it."""
        self.read.add(name)
        return self.attributes.get(name)

    def take(self) -> "XmlElement":
        """Say that this element is read, and return it."""
        self.taken = True
        return self

    def leave(self, why: str) -> None:
        """Say that this element, with all that is in it, is not read, and why."""
        self.taken = False
        self.why = why

    def all(self, *tags: str) -> "List[XmlElement]":
        """Return the children of these tags, and mark them as read."""
        return [child.take() for child in self.children if child.tag in tags]

    def first(self, tag: str) -> "Optional[XmlElement]":
        """Return the first child of a tag, and mark it as read; others of the tag stay unread."""
        for child in self.children:
            if child.tag == tag:
                return child.take()
        return None

    def walk(self) -> "Iterator[XmlElement]":
        """Yield this element and all below it, in the order of the text."""
        return depth_first([self], lambda element: element.children)

    def refuse(self, sentence: str) -> NoReturn:
        """Refuse the file for this element.

        Raises:
            BrokenRobot: always.
        """
        raise BrokenRobot(sentence, self.file, self.own_line or self.line)

    def refuse_this(self, sentence: str) -> NoReturn:
        """Refuse the file for this element, as the sentence begins: `<geom name="a">: ...`."""
        self.refuse(f"{self!r}: {sentence}")

    def numbers(self, text: str, least: int, most: int = 0, largest: float = LARGEST) -> Reals:
        """Return the numbers of a text of this element: as many as `least`, or up to `most`; none beyond `largest`.

        Raises:
            BrokenRobot: they are not that many finite numbers.
        """
        count = least if most <= least else min(max(len(text.split()), least), most)
        try:
            return read_numbers(text, count, largest)
        except ValueError as error:
            self.refuse_this(str(error))


def read_xml(source: Union[str, bytes], file: str = "", deepest: int = DEEPEST) -> XmlElement:
    """Return the root of a text; MuJoCo and Gazebo (both tinyxml2) allow `--` in comments, so this does too.

    They allow blanks in front of the XML declaration, and no comments: this does the same.

    `deepest`: how many elements may be inside each other.

    Raises:
        MalformedXml: it is not well-formed, declares a DOCTYPE, or is nested too deep.
    """
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    encoding = "utf-8" if isinstance(source, str) else None
    text = _without_blanks_in_front(text)
    try:
        return _parsed(text, file, encoding, deepest)
    except MalformedXml:
        _refuse_comment_in_front(text, file)
        plain = re.sub(
            COMMENT, lambda comment: b"\n" * comment.group().count(b"\n"), text, flags=re.S
        )
        return _parsed(plain, file, encoding, deepest)


def _without_blanks_in_front(text: bytes) -> bytes:
    """Return a text with an XML declaration that is behind blanks in front of them; all elements keep their lines."""
    mark = BOM_UTF8 if text.startswith(BOM_UTF8) else b""
    inside = text[len(mark) :]
    if inside.startswith(b"<"):
        return text
    late = find_late_declaration(inside.decode(ONE_TO_ONE))
    if late is None or late.is_behind_comment:
        return text
    return mark + with_declaration_first(inside.decode(ONE_TO_ONE)).encode(ONE_TO_ONE)


def _refuse_comment_in_front(text: bytes, file: str) -> None:
    """Refuse a text whose XML declaration is behind a comment.

    Raises:
        MalformedXml: it is.
    """
    mark = len(BOM_UTF8) if text.startswith(BOM_UTF8) else 0
    late = find_late_declaration(text[mark:].decode(ONE_TO_ONE))
    if late is not None and late.is_behind_comment:
        raise MalformedXml(
            "the XML declaration is behind a comment, which MuJoCo and Gazebo refuse: move it to the start of the file",
            file,
            late.line,
        )


def _parsed(source: bytes, file: str, encoding: Optional[str], deepest: int) -> XmlElement:
    """Return the root of a text as expat parses it."""
    top = XmlElement("", {})
    around = [top]
    parser = expat.ParserCreate(encoding)

    def start(tag: str, attributes: Dict[str, str]) -> None:
        """Add an element, and go into it."""
        if len(around) > deepest:
            raise MalformedXml(
                f"more than {deepest} elements inside each other", file, parser.CurrentLineNumber
            )
        element = XmlElement(tag, attributes, file, parser.CurrentLineNumber)
        around[-1].children.append(element)
        around.append(element)

    def end(_: str) -> None:
        """Leave an element."""
        element = around.pop()
        if element.text:
            element.text = element.text.strip()

    def add(text: str) -> None:
        """Add text to the element; blanks in front of it do not count."""
        if not text.isspace() or around[-1].text:
            around[-1].text += text

    def refuse_doctype(*_: object) -> None:
        """Refuse the text."""
        raise MalformedXml(
            "a DOCTYPE is refused: entities can hide anything", file, parser.CurrentLineNumber
        )

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = add
    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(source, True)
    except expat.ExpatError as error:
        raise MalformedXml(
            f"not well-formed XML: {expat.ErrorString(error.code)}", file, error.lineno
        ) from None
    except MalformedXml:
        raise
    except (ValueError, LookupError):
        # Errors of Python for a declared encoding that it does not know.
        raise MalformedXml("not in an encoding that can be read", file, 1) from None
    return top.children[0]


def view_of(root: Source, file: str) -> XmlElement:
    """Return an element of a URDF as the readers see it; messages show start tags as they are written."""
    top = XmlElement(tag=root.name, attributes=root.attributes, file=file, line=0, source=root)
    waiting = [top]
    for element in waiting:  # it grows while it is walked
        is_blank = True
        for node in element.source.children:
            if isinstance(node, str):
                is_blank = is_blank and (node.isspace() or is_comment(node))
                continue
            inner = XmlElement(
                tag=node.name, attributes=node.attributes, file=file, line=0, source=node
            )
            element.children.append(inner)
            if node.end_tag:  # others hold nothing
                waiting.append(inner)
        if not is_blank:
            element.text = element.source.text().strip()
    return top


def tops_of(document: Document, names: Collection[str]) -> List[XmlElement]:
    """Return the elements of these names directly in the root, as the readers see them."""
    return [view_of(top, document.path) for top in document.root.elements() if top.name in names]


def words_of(top: XmlElement) -> Tuple[Word, ...]:
    """Return path, attributes and text of all elements inside an element, in order."""
    return words_in(top.children)


def paths_in(tops: Sequence[XmlElement]) -> Iterator[Tuple[str, XmlElement]]:
    """Yield elements and all inside them in the order of the text, each with the names of the tags from its top to it."""

    def children_of(row: Tuple[str, XmlElement]) -> List[Tuple[str, XmlElement]]:
        """Return the children of an element with their paths."""
        path, element = row
        return [(f"{path}/{child.tag}", child) for child in element.children]

    return depth_first([(top.tag, top) for top in tops], children_of)


def words_in(tops: Sequence[XmlElement]) -> Tuple[Word, ...]:
    """Return path, attributes and text of elements and of all inside them, in order."""
    words: List[Word] = []
    for path, element in paths_in(tops):
        attributes = tuple(sorted(element.attributes.items())) if element.attributes else ()
        words.append((path, attributes, element.text))
    return tuple(words)


# An element with its parent, which has its own parent in the same way, up to the root.
Inside = Tuple[XmlElement, "Optional[Inside]"]


def unread_of(root: XmlElement) -> Iterator[UnreadElement]:
    """Yield what no reader has read: whole elements, and attributes of elements that are read."""
    waiting: List[Inside] = [(root.take(), None)]
    while waiting:
        inside = waiting.pop()
        element = inside[0]
        if not element.taken:
            yield _unread(inside, element.why, words_in((element,)))
            continue
        if element.attributes and not element.read.issuperset(element.attributes):
            names = [name for name in element.attributes if name not in element.read]
            attributes = tuple((name, element.attributes[name]) for name in names)
            yield _unread(inside, ", ".join(names), (("", attributes, ""),))
        # Reversed, as the last of the list is taken next. Most leaves are read: they need no turn of their own.
        waiting += [
            (child, inside)
            for child in reversed(element.children)
            if child.children or not child.taken or not child.read.issuperset(child.attributes)
        ]


def _unread(inside: "Inside", why: str, words: Tuple[Word, ...]) -> UnreadElement:
    """Return the record of an unread element or attributes, with its path.

    The path has the tags from the nearest element with a name, which may be the element itself; a step without a name has
    its number among its siblings of the same tag. `words` are in the order of `walk`; unread attributes are one word.
    """
    element, around = inside
    reference = around[0].attributes.get("reference", "") if around is not None else ""
    path = ""
    name = ""
    at: Optional[Inside] = inside
    while at is not None and not name:
        part, above = at
        name = _name_in_path(part)
        number = 0
        if above is not None and not name:
            siblings = [child for child in above[0].children if child.tag == part.tag]
            number = siblings.index(part)
        path = f"/{part.tag} {name or number}{path}"
        at = above
    return UnreadElement(
        element=repr(element),
        why=why,
        line=element.line,
        words=words,
        reference=reference,
        where=path,
        lines=tuple(part.line for _, part in zip(words, element.walk())),
        steps=_steps_to(inside),
    )


def _name_in_path(element: XmlElement) -> str:
    """Return the name of an element in paths, "" without one."""
    return element.attributes.get("name") or element.attributes.get("reference") or ""


def _steps_to(inside: "Inside") -> Texts:
    """Return tag and name of each element from below the root to an element; for the root, its own."""
    steps: List[str] = []
    at: Optional[Inside] = inside
    while at is not None:
        part, at = at
        if at is not None or not steps:
            steps.append(f"{part.tag} {_name_in_path(part)}")
    return tuple(reversed(steps))
