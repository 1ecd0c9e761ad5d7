"""The tree that the readers of MJCF and SDF share."""

import pytest

from urdf_tools.base.errors import BrokenRobot, MalformedXml
from urdf_tools.formats.xml_reader import DEEPEST, read_xml, unread_of


def test_lines_texts_and_children_are_kept():
    root = read_xml("<a>\n <b name='x'> one <c/> two </b>\n <b/>\n</a>", "file.xml")
    assert [(child.tag, child.line, child.text) for child in root.children] == [
        ("b", 2, "one  two"),
        ("b", 3, ""),
    ]
    assert [element.tag for element in root.walk()] == ["a", "b", "c", "b"]


def test_what_was_taken_is_not_left():
    root = read_xml("<a x='1' y='2'><b><c/></b>\n<d name='n'><e/></d></a>")
    root.get("x")
    root.first("b")
    assert [(left.element, left.why.split(":")[0], left.line) for left in unread_of(root)] == [
        ("<a>", "y", 1),
        ("<c>", "not read", 1),
        ('<d name="n">', "not read", 2),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<a>\n<b></a>", "file.xml:2: not well-formed XML: mismatched tag"),
        ("", "file.xml:1: not well-formed XML: no element found"),
        (
            "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            "file.xml:1: a DOCTYPE is refused: entities can hide anything",
        ),
        ("<a>" * (DEEPEST + 1), "file.xml:1: more than 200 elements inside each other"),
        ("\ud800", "file.xml:1: not well-formed XML: not well-formed (invalid token)"),
    ],
)
def test_what_is_no_xml_is_refused_with_its_line(text, sentence):
    with pytest.raises(MalformedXml) as refused:
        read_xml(text, "file.xml")
    assert str(refused.value) == sentence


def test_bytes_are_read_as_they_declare():
    assert (
        read_xml('<?xml version="1.0" encoding="latin-1"?><a x="é"/>'.encode("latin-1")).get("x")
        == "é"
    )


@pytest.mark.parametrize("encoding", ["gbk", "nobody-knows"])
def test_an_encoding_that_nobody_knows_is_refused(encoding):
    with pytest.raises(MalformedXml, match="file.xml:1: "):
        read_xml(f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode(), "file.xml")


def test_numbers_are_counted():
    element = read_xml("<a>\n<b name='x'/></a>", "f.xml").children[0]
    assert element.numbers("1 2", 1, 3) == (1.0, 2.0)
    with pytest.raises(
        BrokenRobot, match="f.xml:2: <b name=\"x\">: '1 2' has 2 numbers, expected 3"
    ):
        element.numbers("1 2", 3)


def test_dashes_in_comments_are_allowed_and_lines_stay():
    root = read_xml("<a><!-- --base\n ---->\n<b/></a>")
    assert [(child.tag, child.line) for child in root.children] == [("b", 3)]


DECLARED = '<?xml version="1.0" encoding="ISO-8859-1"?>'


def test_blanks_in_front_of_the_declaration_are_read():
    """As MuJoCo and Gazebo do; elements keep their lines, and the declared encoding counts."""
    root = read_xml(f"\n \n{DECLARED}\n<a name='\u00e4'/>".encode("latin-1"))
    assert (root.line, root.attributes) == (4, {"name": "\u00e4"})
    assert read_xml(b"\xef\xbb\xbf \n<?xml version='1.0'?>\n<a/>").line == 3


@pytest.mark.parametrize(
    "front, line",
    [
        ("<!-- b -->", 1),
        ("<!-- b -->\n", 2),
        ("\n<!-- b -- b\n-->", 3),
        ("<!----> <!-- b -->", 1),
        ("\xef\xbb\xbf<!-- b -->", 1),
    ],
)
def test_a_comment_in_front_of_the_declaration_is_refused(front, line):
    """As MuJoCo and Gazebo do, also where nothing but the comment is in front."""
    with pytest.raises(MalformedXml, match=f"robot.xml:{line}: the XML declaration is behind a"):
        read_xml(f"{front}{DECLARED}<a/>".encode("latin-1"), "robot.xml")
    assert read_xml(f"{front}<a/>".encode("latin-1")).tag == "a"
