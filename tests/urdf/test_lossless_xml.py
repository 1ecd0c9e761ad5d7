"""The lossless document: any well-formed XML comes back byte for byte, and an edit changes only what it is about."""

import codecs
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.urdf.lossless_xml import Element, parse_document
from urdf_tools.urdf.xml_edits import attach, copy_document, create, detach
from urdf_tools.base.errors import MalformedXml

NAMES = st.sampled_from(
    ("a", "link", "joint-2", "xacro:macro", "sensor.x", "\u00e9l\u00e9ment", "_b", "gz:plugin")
)
LETTERS = st.sampled_from(
    list("abc 1.0-_=/\u00e4\u00df")
    + ["\u4e2d", "\U0001f916", "&amp;", "&lt;", "&#10;", "&#x41;", "]", "?", "!"]
)
TEXTS = st.lists(LETTERS, max_size=6).map("".join)
SPACES = st.sampled_from(("", "", " ", "\n", "\n  ", "\r\n\t", "\n\n"))
ONE_SPACE = st.sampled_from((" ", "  ", "\n   ", "\t"))


@st.composite
def tags(draw):
    """Write attributes with any spacing, either quote, and `>`, `'`, `"` or newlines in values."""
    pairs = []
    for key in draw(st.lists(NAMES, max_size=3, unique=True)):
        quote, other = draw(st.sampled_from(("\"'", "'\"")))
        value = "".join(
            draw(
                st.lists(
                    st.one_of(LETTERS, st.sampled_from((">", other, "/>", "-->", "\n"))), max_size=5
                )
            )
        )
        pairs.append(f"{draw(ONE_SPACE)}{key}{draw(SPACES)}={draw(SPACES)}{quote}{value}{quote}")
    return "".join(pairs)


def pieces(inside):
    """Write elements around what is inside, next to everything else XML has."""
    others = st.one_of(
        SPACES,
        TEXTS,
        st.lists(st.sampled_from(("x", "-", " ", ">", "<", "&", "'")), max_size=4).map(
            lambda parts: f"<!--{''.join(parts).replace('-', '- ')} -->"
        ),
        st.sampled_from(
            ("<?php a > b ?>", "<?x?>", "<![CDATA[<a> ]] & </a>]]>", "<![CDATA[]]>", "<!---->")
        ),
    )
    element = st.builds(
        lambda name, tag, end, gap, children: (
            f"<{name}{tag}{gap}/>"
            if not children
            else f"<{name}{tag}{gap}>{''.join(children)}</{name}{end}>"
        ),
        NAMES,
        tags(),
        st.sampled_from(("", " ", "\n")),
        st.sampled_from(("", " ")),
        st.lists(st.one_of(inside, others), max_size=4),
    )
    return element


ELEMENTS = st.recursive(st.sampled_from(("<a/>", "<b></b>", "<c >\n</c >")), pieces, max_leaves=12)
OUTSIDE = st.lists(
    st.sampled_from(("\n", " ", "<!-- note > -->", "<?x y?>", "\r\n")), max_size=3
).map("".join)
ENCODINGS = (  # declared, used, byte order mark
    ("", "utf-8", b""),
    ("UTF-8", "utf-8", b""),
    ("utf-8", "utf-8", codecs.BOM_UTF8),
    ("", "utf-8", codecs.BOM_UTF8),
    ("utf-16", "utf-16-le", codecs.BOM_UTF16_LE),
    ("UTF-16", "utf-16-be", codecs.BOM_UTF16_BE),
    ("", "utf-16-le", codecs.BOM_UTF16_LE),
    ("ISO-8859-1", "latin-1", b""),
    ("us-ascii", "ascii", b""),
    ("windows-1252", "cp1252", b""),
)


def read(text):
    """Parse a text."""
    return parse_document(text.encode("utf-8"), "robot.urdf")


@given(ELEMENTS, OUTSIDE, OUTSIDE, st.sampled_from(ENCODINGS))
def test_any_document_comes_back_byte_for_byte(element, front, behind, way):
    declared, encoding, mark = way
    declaration = f"<?xml version='1.0' encoding=\"{declared}\"?>" if declared else ""
    front = front.lstrip() if not declaration else front
    text = (
        (declaration + front + element + behind)
        .encode(encoding, "xmlcharrefreplace")
        .decode(encoding)
    )
    try:
        expected = ElementTree.fromstring(
            text.replace(declaration, "").replace("xacro:", "xacro_").replace("gz:", "gz_").strip()
        )
    except ElementTree.ParseError:
        expected = None  # a character reference where none may stand, such as in a name or comment
    data = mark + text.encode(encoding)
    try:
        document = parse_document(data, "robot.urdf")
    except MalformedXml:
        assert expected is None
        return
    assert document.to_bytes() == data
    assert document.text() == text
    if expected is not None:
        mine = [
            (e.name.replace(":", "_"), {k.replace(":", "_"): v for k, v in e.attributes.items()})
            for e in document.root.walk()
        ]
        assert mine == [(e.tag, dict(e.attrib)) for e in expected.iter()]


IN_FRONT = st.lists(
    st.sampled_from(
        ("\n", " ", "\r\n", "\t", "<!-- <?xml version='1.0'?> -->", "<!---->", "<!-- \n> -->")
    ),
    min_size=1,
    max_size=4,
).map("".join)
DECLARATIONS = st.sampled_from(
    (
        "<?xml version='1.0'?>",
        '<?xml version="1.1"  encoding = "UTF-8" standalone="yes" ?>',
        "<?xml version='1.0' encoding='ISO-8859-1'?>",
    )
)


@given(IN_FRONT, DECLARATIONS, st.sampled_from(("", "\n", "\r\n", "\n\n", " \n")), ELEMENTS)
def test_a_late_declaration_goes_to_the_front_and_nothing_else_changes(front, words, end, element):
    """Whatever is in front of it; each element keeps its line, and expat reads the result."""
    encoding = "latin-1" if "ISO" in words else "utf-8"
    element = element.encode(encoding, "xmlcharrefreplace").decode(encoding)
    text = front + words + end + element
    try:
        document = parse_document(text.encode(encoding), "robot.urdf")
    except MalformedXml:
        with pytest.raises((MalformedXml, expat.ExpatError)):
            parse_document(element.encode(encoding), "robot.urdf")
        return
    moved = document.text()
    line_end = next((each for each in ("\r\n", "\n") if end.startswith(each)), "")
    assert moved == words + line_end + front + end[len(line_end) :] + element
    assert document.given == text and document.late_declaration is not None
    late = document.late_declaration
    assert late.line == 1 + front.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert late.is_behind_comment == ("<!--" in front)
    before = front + words + end
    first_line = 1 + before.replace("\r\n", "\n").count("\n")
    assert document.root.line == first_line
    expat.ParserCreate().Parse(document.to_bytes(), True)
    again = parse_document(document.to_bytes(), "robot.urdf")
    assert again.late_declaration is None and again.to_bytes() == document.to_bytes()
    assert [each.line for each in again.root.walk()] == [each.line for each in document.root.walk()]


@pytest.mark.parametrize(
    "front", ("x", "<!-- open", "<?xml-stylesheet?>", "<a/>", "<?xml version='1.0'?>\n")
)
def test_a_declaration_behind_anything_else_is_refused(front):
    with pytest.raises(MalformedXml):
        read(f"{front}<?xml version='1.0'?><a/>")


@examples(fuzzed=50)
@given(
    ELEMENTS,
    NAMES,
    st.text(alphabet=st.sampled_from(list("a1 .<>&\"'\n\r\t\u00e9\u4e2d")), max_size=8),
)
def test_a_set_attribute_is_read_back_and_the_rest_of_the_tag_stays(element, name, value):
    document = read(element)
    root, before = document.root, document.root.start_tag
    old = dict(root.attributes)
    root.set(name, value)
    again = parse_document(document.to_bytes(), "robot.urdf").root
    assert again.attributes == {**old, name: value}
    if old.get(name) == value:
        assert root.start_tag == before
    elif name not in old:
        assert len(again.start_tag) == len(before) + len(root.start_tag) - len(before)
        root.unset(name)
        assert root.start_tag == before and name not in root.attributes
    else:
        root.unset(name)
        rest = {key: text for key, text in old.items() if key != name}
        assert parse_document(document.to_bytes(), "robot.urdf").root.attributes == rest


@pytest.mark.parametrize(
    ("tag", "attribute", "value", "expected"),
    (
        ("<a x='1'  y = \"2\" />", "x", "3", "<a x='3'  y = \"2\" />"),
        ("<a x='1'  y = \"2\" />", "y", 'it\'s "4"', "<a x='1'  y = \"it's &quot;4&quot;\" />"),
        ("<a x='1'/>", "x", "it's", "<a x='it&apos;s'/>"),
        ("<a x='1'  y = \"2\" />", "z", "<&>", '<a x=\'1\'  y = "2" z="&lt;&amp;&gt;" />'),
        ("<a/>", "z", "1", '<a z="1"/>'),
        ("<a />", "z", "1", '<a z="1" />'),
        ("<a\n  x='1'\n/>", "z", "1", "<a\n  x='1' z=\"1\"\n/>"),
        ("<a x='y=\"1\"' y='2'/>", "y", "3", "<a x='y=\"1\"' y='3'/>"),
        ("<a x=' y=\"5\" '/>", "y", "3", '<a x=\' y="5" \' y="3"/>'),
        ("<a x='&#49;'/>", "x", "1", "<a x='&#49;'/>"),  # it has this value already
    ),
)
def test_how_a_tag_is_edited(tag, attribute, value, expected):
    document = read(tag)
    document.root.set(attribute, value)
    assert document.text() == expected
    assert read(expected).root.get(attribute) == value


def test_unset_takes_the_space_before():
    document = read("<a x='1'\n   y='2' z='3'/>")
    document.root.unset("y")
    assert document.text() == "<a x='1' z='3'/>"
    document.root.unset("missing")
    assert document.text() == "<a x='1' z='3'/>"


def test_text_with_entities_and_cdata():
    document = read("<a>1 &lt; 2<!-- no --><![CDATA[ & <b> ]]>&quot;&#10;<b>inner</b></a>")
    assert document.root.text() == '1 < 2 & <b> "\n'
    document.root.set_text("x < y")
    assert document.text() == "<a>x &lt; y</a>"
    empty = read("<a />")
    empty.root.set_text("1")
    assert empty.text() == "<a>1</a>"


def take(text, *names):
    """Detach the elements of these names from the root; return the text that stays."""
    document = read(text)
    detach(document.root, [e for e in document.root.elements() if e.name in names])
    return document.text()


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("<r>\n  <a/>\n  <b/>\n  <c/>\n</r>", "<r>\n  <a/>\n  <c/>\n</r>"),
        ("<r>\n  <!-- Part b -->\n  <b/>\n  <c/>\n</r>", "<r>\n  <c/>\n</r>"),
        ("<r>\n  <!-- one -->\n  <!-- two -->\n  <b/>\n</r>", "<r>\n</r>"),
        ("<r>\n  <!-- section -->\n\n  <b/>\n</r>", "<r>\n  <!-- section -->\n</r>"),
        ("<r>\n  <a/> <!-- of a -->\n  <b/>\n</r>", "<r>\n  <a/> <!-- of a -->\n</r>"),
        ("<r>\n  <b/> <!-- of b -->\n  <c/>\n</r>", "<r>\n  <c/>\n</r>"),
        ("<r>\n  <b/>\n  <!-- of c -->\n  <c/>\n</r>", "<r>\n  <!-- of c -->\n  <c/>\n</r>"),
        ("<r><a/><b/><c/></r>", "<r><a/><c/></r>"),
        ("<r> <b/> </r>", "<r> </r>"),
        ("<r>text<b/>more</r>", "<r>textmore</r>"),
        ("<r>\r\n  <!-- x -->\r\n  <b/>\r\n  <c/>\r\n</r>", "<r>\r\n  <c/>\r\n</r>"),
        ("<r>\n  <?pi?>\n  <b/>\n</r>", "<r>\n</r>"),
    ),
)
def test_what_leaves_with_an_element(text, expected):
    assert take(text, "b") == expected


def test_a_comment_on_the_line_of_the_root_tag_stays():
    assert take("<r><!-- robot -->\n  <b/>\n</r>", "b") == "<r><!-- robot -->\n</r>"


def test_neighbors_leave_together():
    assert (
        take("<r>\n  <a/> <!-- a -->\n  <!-- b -->\n  <b/>\n  <c/>\n</r>", "a", "b")
        == "<r>\n  <c/>\n</r>"
    )
    document = read("<r>\n  <!-- b -->\n  <b/>\n  <c/> <!-- c -->\n</r>")
    taken = detach(document.root, document.root.elements())
    assert [
        "".join(n if isinstance(n, str) else n.start_tag for n in nodes) for nodes in taken
    ] == ["<!-- b -->\n  <b/>", "<c/> <!-- c -->"]


def put(text, first=False):
    """Attach `<new/>` to the first child of the root."""
    document = read(text)
    attach(document.root.elements()[0], [create("new", {"x": "1"})], first=first)
    assert [e.name for e in parse_document(document.to_bytes(), "r").root.walk()].count("new") == 1
    return document.text()


@pytest.mark.parametrize(
    ("text", "first", "expected"),
    (
        (
            "<r>\n  <a>\n    <b/>\n  </a>\n</r>",
            False,
            '<r>\n  <a>\n    <b/>\n    <new x="1"/>\n  </a>\n</r>',
        ),
        (
            "<r>\n  <a>\n    <b/>\n  </a>\n</r>",
            True,
            '<r>\n  <a>\n    <new x="1"/>\n    <b/>\n  </a>\n</r>',
        ),
        ("<r>\n  <a/>\n</r>", False, '<r>\n  <a>\n    <new x="1"/>\n  </a>\n</r>'),
        ("<r>\n  <a />\n</r>", True, '<r>\n  <a>\n    <new x="1"/>\n  </a>\n</r>'),
        ("<r>\n\t<a>\n\t</a>\n</r>", False, '<r>\n\t<a>\n\t\t<new x="1"/>\n\t</a>\n</r>'),
        ("<r>\r\n  <a/>\r\n</r>", False, '<r>\r\n  <a>\r\n    <new x="1"/>\r\n  </a>\r\n</r>'),
        ("<r><a/></r>", False, '<r><a><new x="1"/></a></r>'),
        ("<r><a><b/></a></r>", False, '<r><a><b/><new x="1"/></a></r>'),
        ("<r><a><b/></a></r>", True, '<r><a><new x="1"/><b/></a></r>'),
    ),
)
def test_where_an_element_lands(text, first, expected):
    assert put(text, first) == expected


def test_created_elements_are_escaped():
    element = create("a", {"x": "<\"&'\n>"})
    assert element.start_tag == '<a x="&lt;&quot;&amp;\'&#10;&gt;"/>'
    assert read(element.start_tag).root.get("x") == "<\"&'\n>"


def test_a_character_the_encoding_lacks_becomes_a_reference():
    document = parse_document('<?xml version="1.0" encoding="ascii"?><a/>'.encode("ascii"), "r")
    document.root.set("name", "\u00e9")
    assert parse_document(document.to_bytes(), "r").root.get("name") == "\u00e9"


def test_lookups_and_lines():
    document = read(
        "<!-- first -->\n<r>\n  <a i='1'/>\n  <b><a i='2'/></b>\n  <a i='3'/>\n</r>\n<!-- last -->\n"
    )
    root = document.root
    found = root.find("a")
    assert found is not None and (found.get("i"), found.line, found.get("j")) == ("1", 3, None)
    assert [e.get("i") for e in root.elements("a")] == ["1", "3"]
    assert [e.name for e in root.walk()] == ["r", "a", "b", "a", "a"]
    assert (
        root.find("c") is None
        and document.comments() == ["first", "last"]
        and document.newline == "\n"
    )
    assert isinstance(root, Element) and found.parent is root


@given(ELEMENTS, OUTSIDE, st.sampled_from(("\n", "\r\n", "\r")))
def test_lines_are_those_of_expat(element, front, newline):
    text = f"<!---->{front}{element}".replace("\r\n", "\n").replace("\n", newline)
    lines = []
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, attributes: lines.append(
        (name, parser.CurrentLineNumber)
    )
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError:
        return  # a character reference where none may be
    document = read(text)
    assert [(found.name, found.line) for found in document.root.walk()] == lines
    assert [found.line for found in copy_document(document).root.walk()] == [
        line for _, line in lines
    ]
    assert create("made", {}).line == 0


@given(ELEMENTS)
def test_tags_that_another_document_had_are_read_alike(element):
    known = {}
    try:
        first, second, alone = (
            parse_document(element.encode("utf-8"), "robot.urdf", *tags)
            for tags in ([known], [known], [])
        )
    except MalformedXml:
        return
    for document in (second, alone):
        assert [(e.name, e.attributes, e.offset) for e in document.root.walk()] == [
            (e.name, e.attributes, e.offset) for e in first.root.walk()
        ]
    assert all(a.attributes is b.attributes for a, b in zip(first.root.walk(), second.root.walk()))


def test_ten_thousand_levels():
    text = "<a>" * 10000 + "</a>" * 10000
    assert read(text).text() == text


@pytest.mark.parametrize(
    ("data", "message"),
    (
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"robot", "not XML"),
        (b"<a>", "truncated"),
        (b"<a><b></a>", "mismatched tag"),
        (b"<a x=1/>", "not well-formed"),
        (b"<a>\xff</a>", "not UTF-8"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "klingon"),
        (b"<!DOCTYPE a><a/>", "DOCTYPE"),
        (b"<a/><b/>", "junk after document element"),
        (b"<a x='1' x='2'/>", "duplicate attribute"),
        (b"<a>&nbsp;</a>", "undefined entity"),
        (b"<a>\0</a>", "."),
        (b"\xff\xfe<", "."),
        (b"<?xml version='1.0' encoding='utf-16'?><a/>", "UTF-16"),
        (b"<!-- -->", "no element found"),
        (b"<?xml version='1.0' encoding='raw_unicode_escape'?><a x='\\ud800'/>", "."),
        (b"<?xml version='1.0' encoding='zlib'?><a/>", "zlib"),
        (b"<?xml version='1.0' encoding='utf-7'?><a x='+2AA-'/>", "."),
    ),
)
def test_what_is_refused(data, message):
    with pytest.raises(MalformedXml, match=message) as caught:
        parse_document(data, "robot.urdf").to_bytes()
    assert str(caught.value).startswith("robot.urdf")


def test_a_copy_is_edited_without_its_original():
    source = b'<?xml version="1.0"?>\n<a>\n  <b c="1">text<d/></b>\n</a>\n'
    document = parse_document(source, "a.xml")
    copy = copy_document(document)
    (b,) = document.root.elements()
    assert copy.to_bytes() == source and copy.copy_of(b) is copy.root.elements()[0] is not b
    copy.copy_of(b).set("c", "2")
    detach(copy.copy_of(b), copy.copy_of(b).elements("d"))
    assert document.to_bytes() == source and copy.to_bytes() == source.replace(
        b'"1"', b'"2"'
    ).replace(b"<d/>", b"")
