"""The ledger of the readers: one number or word edited is refused, or in a field, or said; the rest is a table.

Files are those of `fixtures/`, and public ones beside the project where they are there.
"""

import re
from functools import lru_cache

import pytest
from conftest import examples, FUZZ, ROOT
from edits import (
    changed,
    edit_of,
    read_or_refused,
    robot_of,
    robots_in,
    SILENT,
    silent_row,
    words_of,
)
from hypothesis import given, strategies as st

from urdf_tools.compare import unread_elements
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.given_or_searched_map import Given, GivenJoint
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.map_search import search_map
from urdf_tools.compare.difference_records import Tolerances
from urdf_tools.compare.unread_elements import compare_unread, unread_notes
from urdf_tools.formats.xml_reader import XmlElement
from urdf_tools.robot.raw_robot import RawRobot

FORMATS = ("urdf", "mjcf", "sdf")
PLACES = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())


@lru_cache(maxsize=None)
def files():
    beside = ROOT.parent / "shared" / "robots"
    return robots_in(ROOT / "fixtures", *([beside] if FUZZ and beside.is_dir() else []))


def drawn(format, place):
    path = files()[format][place[0] % len(files()[format])]
    return path, edit_of(path, place[1], opposite=place[2])


@pytest.mark.parametrize("format", FORMATS)
@examples(fuzzed=1000)
@given(place=PLACES)
def test_no_reader_passes_over_a_number_or_a_word(format, place):
    path, edit = drawn(format, place)
    before, after = robot_of(path), read_or_refused(edit.data, path)
    if before is not None and after is not None and not changed(before, after):
        assert silent_row(format, edit, before, after), (
            f"{path}:{edit.lines[0]}: {edit.value} -> {edit.other}"
        )


@pytest.mark.parametrize("format", FORMATS)
@examples(fuzzed=300)
@given(place=PLACES)
def test_an_edit_is_another_verdict_or_a_sentence_with_its_line(format, place):
    path, edit = drawn(format, place)
    before, after = robot_of(path), read_or_refused(edit.data, path)
    assert before is not None
    if after is None or not changed(before, after):
        return
    found = compare(before, after)
    is_said = any(
        re.search(rf"\bline {line}\b", note) for note in found.notes for line in edit.lines
    )
    if found.verdict == "same" and not is_said and not found.noted:
        where = f"{path}:{edit.lines[0]}: {edit.value} -> {edit.other}"
        assert silent_row(format, edit, before, after), f"{where}: {changed(before, after)}"


ARM = """<robot name="arm">
 <link name="a"/>
 <link name="b"/>
 <joint name="j" type="continuous"><parent link="a"/><child link="b"/><limit lower="1" effort="2" velocity="3"/></joint>
 <gazebo><plugin name="p" filename="p.so"><rate>50</rate></plugin><static>true</static></gazebo>
</robot>"""
WORLD = """<mujoco><worldbody><body name="b"><joint name="j"/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>
 <geom name="g" size="1" solref="0.1 1"/></body></worldbody></mujoco>"""
MODEL = """<sdf version="1.7"><model name="m"><link name="a"><sensor name="s" type="imu">
 <always_on>1</always_on></sensor></link></model></sdf>"""
UNREAD = [  # a file, what is written otherwise, and the sentence
    (
        ARM,
        ">50<",
        ">60<",
        "not compared, and not alike: <gazebo> plugin/rate: 50 (line 5) / 60 (line 5)",
    ),
    (
        ARM,
        ">true<",
        ">false<",
        "not compared, and not alike: <gazebo> static: true (line 5) / false (line 5)",
    ),
    (
        ARM,
        'name="p"',
        'name="q"',
        'not compared, and not alike: <gazebo> plugin: name="p" (line 5) / name="q" (line 5)',
    ),
    (
        ARM,
        'lower="1"',
        'lower="2"',
        'not compared, and not alike: <limit lower="1" effort="2" velocity="3">: '
        'lower="1" (line 4) / lower="2" (line 4)',
    ),
    (
        WORLD,
        '"0.1 1"',
        '"0.2 1"',
        'not compared, and not alike: <geom name="g">: solref="0.1 1" (line 2) / solref="0.2 1" (line 2)',
    ),
    (
        MODEL,
        "<always_on>1",
        "<always_on>0",
        "not compared, and not alike: <always_on>: 1 (line 2) / 0 (line 2)",
    ),
]


def pair(text, old, new):
    assert text.count(old) == 1, old
    return read_bytes(text.encode(), "a"), read_bytes(text.replace(old, new).encode(), "b")


@pytest.mark.parametrize("text, old, new, sentence", UNREAD, ids=lambda value: value[:20])
def test_what_nobody_reads_and_is_not_alike_is_said_with_both_values(text, old, new, sentence):
    a, b = pair(text, old, new)
    found = compare(a, b)
    assert (found.verdict, [note for note in found.notes if "not alike" in note]) == (
        "same",
        [sentence],
    )


def notes_on(a, b):
    """Return the notes on what is not read of two robots, as they lie."""
    return unread_notes(search_map(a, b, "auto"), Tolerances())


def test_what_is_alike_says_what_it_said_before():
    """Elements are listed; attributes that nobody reads and both files have need no word."""
    a, b = pair(ARM, "p.so", "p.so")
    assert notes_on(a, b) == [f"{side}: not compared: <gazebo> (line 5)" for side in "AB"]
    assert compare_unread(a, b) == ([], [], [])


def test_an_origin_of_a_link_is_one_line_for_each_file():
    """All readers ignore it, so what it says makes no difference either."""
    a, b = pair(
        '<robot name="r"><link name="a"><origin xyz="0 0 7"/></link>\n<link name="b"><origin/></link>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>',
        "7",
        "8",
    )
    line = "line 1: <origin> of a <link> is ignored by all readers (1 more)"
    assert notes_on(a, b) == [f"A, {line}", f"B, {line}"]
    assert notes_on(a, a._replace(unread=())) == [f"A, {line}"]


def test_what_one_file_has_alone_comes_first():
    more = '<sensor name="s"/><gazebo><extra/></gazebo>'
    a, b = pair(ARM, "</robot>", f"{more}</robot>")
    assert notes_on(a, b)[1] == (
        'B: not compared: <sensor name="s"> (line 6), <gazebo> (line 6) and 1 more'
    )


def test_an_element_of_another_name_belongs_to_that_of_its_kind():
    a, b = pair(ARM, "<gazebo>", '<gazebo reference="nobody">')
    (sentence,) = [note for note in notes_on(a, b) if "not alike" in note]
    assert sentence.endswith(' nothing (line 5) / reference="nobody" (line 5)')


def test_what_other_formats_do_not_read_belongs_to_nothing():
    a, b = read_bytes(ARM.encode(), "a"), read_bytes(WORLD.encode(), "b")
    assert compare_unread(a, b) == ([], list(a.unread), list(b.unread))


def test_of_many_that_are_not_alike_five_are_shown():
    several = "".join(f'<gazebo reference="x{k}"><plugin name="p{k}"/></gazebo>' for k in range(8))
    a = read_bytes(ARM.replace("</robot>", f"{several}</robot>").encode(), "a")
    b = read_bytes(
        ARM.replace("</robot>", several.replace('name="p', 'name="q') + "</robot>").encode(), "b"
    )
    assert [note for note in notes_on(a, b) if "not alike" in note][5:] == [
        "not compared, and not alike: 3 more"
    ]


LOOP = """<robot name="l"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
 <child link="b"/></joint><loop_joint name="k" type="revolute"><link1 link="a" xyz="1 0 0"/>
 <link2 link="b" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint></robot>"""
CLOSED = """<robot name="l"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
 <child link="b"/></joint><gazebo><joint name="k" type="revolute"><parent>a</parent><child>b</child><axis>
 <xyz>0 0 1</xyz><limit><lower>-0.5</lower><upper>0.7</upper><effort>3</effort></limit><dynamics><damping>0.1</damping>
 </dynamics></axis></joint></gazebo></robot>"""
LIMITED = LOOP.replace(
    "</loop_joint>", '<limit lower="-0.5" upper="0.7"/><dynamics damping="0.1"/></loop_joint>'
)
TURNED = "<xyz>0 0 -1</xyz><limit><lower>-0.7</lower><upper>0.5</upper>"
DRIVEN = """<robot name="l"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
 <child link="b"/><limit lower="-1" upper="1" acceleration="9" deceleration="8" jerk="7"/></joint>
 <transmission name="t">
 <type>transmission_interface/SimpleTransmission</type><joint name="j"><offset>0.5</offset></joint>
 <actuator name="m">
 <mechanicalReduction>100</mechanicalReduction></actuator></transmission></robot>"""
TIED = """<mujoco><compiler angle="radian"/><worldbody><body name="b"><joint name="j" range="-1 1" axis="1 0 0"/>
 <inertial pos="0 .1 1" mass="1" diaginertia="1 2 2"/><body name="c" pos="0 0 1">
 <joint name="k" range="-1 1" axis="0 1 0"/><inertial pos="0.1 .1 1" mass="1" diaginertia="1 2 2"/></body></body>
 </worldbody>
 <equality><joint joint1="j" joint2="k" polycoef="0 1 0.5"/></equality><contact><exclude body1="b" body2="c"/></contact>
 <keyframe><key name="up" qpos="0.1 0.2"/></keyframe></mujoco>"""
SAID = [  # what was dropped before: a file, what is written otherwise, and the kinds of difference
    (LOOP, '"0 0 1"', '"0 1 0"', ["loop_only_a", "loop_only_b"]),
    (LOOP, '"0 0 1"', '"0 0 -2"', []),
    (LIMITED, '"0.7"', '"0.8"', ["loop_value"]),
    (LIMITED, '<dynamics damping="0.1"/>', "", ["loop_value"]),
    (CLOSED, ">0.7<", ">0.8<", ["loop_value"]),
    (CLOSED, "<effort>3</effort>", "", ["loop_value"]),
    (CLOSED, ">0.1<", ">0.2<", ["loop_value"]),
    (CLOSED, "<xyz>0 0 1</xyz><limit><lower>-0.5</lower><upper>0.7</upper>", TURNED, []),
    (CLOSED, "<xyz>0 0 1<", "<xyz>0 0 -1<", ["loop_value", "loop_value"]),
    (DRIVEN, 'acceleration="9" d', 'acceleration="90" d', ["dynamics"]),
    (DRIVEN, '"8"', '"9"', ["dynamics"]),
    (DRIVEN, 'jerk="7"', "", ["dynamics"]),
    (DRIVEN, ">100<", ">-1<", ["actuator"]),
    (DRIVEN, ">0.5<", ">0<", ["actuator"]),
    (TIED, "0.5", "0.6", ["loop_only_a", "loop_only_b"]),
    (TIED, "0 1 0.5", "0.1 1 0.5", ["loop_only_a", "loop_only_b"]),
    (TIED, 'joint1="j" joint2="k"', 'joint1="k" joint2="j"', ["loop_only_a", "loop_only_b"]),
    (TIED, "0 1 0.5", "0 1 0.5 0", []),
    (TIED, '"0.1 0.2"', '"0.1 0.3"', ["key"]),
    (TIED, 'body1="b" body2="c"', 'body1="c" body2="b"', []),
    (TIED, 'body1="b"', 'body1="world"', ["apart_only_a", "apart_only_b"]),
    (TIED, 'name="up"', 'name="down"', ["key_only_a", "key_only_b"]),
]


@pytest.mark.parametrize("text, old, new, kinds", SAID, ids=lambda value: str(value)[-20:])
def test_what_was_dropped_is_compared(text, old, new, kinds):
    found = compare(*pair(text, old, new))
    assert sorted(one.kind for one in (*found.differences, *found.noted)) == kinds


MIRRORED = (  # joint k the other way round, with its zero half a radian elsewhere: q_b = 0.5 - q_a
    ('axis="0 1 0"', 'axis="0 -1 0" ref="0.5"'),
    ('name="k" range="-1 1"', 'name="k" range="-0.5 1.5"'),
    ("0 1 0.5", "0.625 -1.5 0.5"),
    ('"0.1 0.2"', '"0.1 0.3"'),
)


def test_states_and_polynomials_follow_the_map():
    """With q = 0.5 - p: q + 0.5 q^2 = 0.625 - 1.5 p + 0.5 p^2; MuJoCo counts both from where they are drawn."""
    other = TIED
    for old, new in MIRRORED:
        assert other.count(old) == 1, old
        other = other.replace(old, new)
    other = other.replace("0.625 -1.5 0.5", "0 -1 0.5")  # of p - 0.5
    found = compare(read_bytes(TIED.encode(), "a"), read_bytes(other.encode(), "b"))
    assert (found.verdict, found.differences, found.noted) == ("same", (), ())
    wrong = compare(
        read_bytes(TIED.encode(), "a"),
        read_bytes(other.replace("0 -1 0.5", "0 1 0.5").encode(), "b"),
    )
    assert wrong.verdict == "limits"


TURNED = (
    ('lower="-1"', 'lower="-0.5"'),
    ('upper="1"', 'upper="1.5"'),
    ('type="revolute">', 'type="revolute"><axis xyz="-1 0 0"/>'),
)


@pytest.mark.parametrize(
    "reduction, offset, kinds",
    [  # of the same motor; as it was; of the motor the other way; and of none of them
        ("-100", "0", []),
        ("100", "0.5", []),
        ("100", "0", []),
        ("-100", "0.5", ["actuator"]),
        ("50", "0.5", ["actuator", "actuator"]),
    ],
)
def test_a_transmission_of_a_joint_that_turns_the_other_way(reduction, offset, kinds):
    """Joint j is 0.5 - q in B."""
    other = DRIVEN.replace(">100<", f">{reduction}<").replace(">0.5<", f">{offset}<")
    for old, new in TURNED:
        assert other.count(old) == 1, old
        other = other.replace(old, new)
    map_of_j = Given(joints=(GivenJoint("j", "j", -1.0, 0.5),))
    found = compare(
        read_bytes(DRIVEN.encode(), "a"), read_bytes(other.encode(), "b"), given=map_of_j
    )
    assert [one.kind for one in found.differences] == kinds


MUTANTS = [  # what is broken; the sentences of the rows above then differ
    (
        XmlElement,
        "get",
        lambda element, name: (
            element.read.update(element.attributes) or element.attributes.get(name)
        ),
    ),
    (unread_elements, "KEYS", ()),
    (unread_elements, "_pairs_by", lambda key, first, second: []),
]


@pytest.mark.parametrize("place, name, broken", MUTANTS, ids=lambda value: str(value)[:20])
def test_a_mutant_of_the_ledger_is_seen(place, name, broken, monkeypatch):
    monkeypatch.setattr(place, name, broken)
    said = [
        [note for note in compare(*pair(text, old, new)).notes if "not alike" in note]
        for text, old, new, _ in UNREAD
    ]
    assert said != [[sentence] for *_, sentence in UNREAD]


def test_every_row_of_the_tables_has_a_reason():
    for row in SILENT:
        assert len(row.reason.split()) > 1 and set(row.formats.split()) <= set(FORMATS), row
        assert row.field.partition(".")[0] in {*RawRobot._fields, ""} and (
            row.field or row.element != "*"
        ), row
    assert all(len(words_of(path)) > 3 for paths in files().values() for path in paths)
