"""What no reader of a URDF knows is compared as text: a file and itself are the same robot, and one changed word is named."""

import random
from xml.etree import ElementTree

import pytest
from commands import in_process
from conftest import examples, SEEDS
from hypothesis import given
from random_robots import Traits, write_robot

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.comparison_text import verdict_line
from urdf_tools.compare.difference_kinds import text_of

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
# Two links, and an element that public robots have in a place where no reader looks for it, with a word changed.
PUBLIC = {
    "an origin below the robot": ('<origin rpy="0 0 0" xyz="0.1 0 0"/>', '"0.1 0 0"', '"0.2 0 0"'),
    "an axis of a ball that closes a loop": (
        '<loop_joint name="l" type="spherical"><link1 link="a" xyz="1 0 0"/><link2 link="b" xyz="0 0 0"/>'
        '<axis xyz="0 0 1"/></loop_joint>',
        '"0 0 1"',
        '"0 1 0"',
    ),
    "a filter of points": (
        '<self_filter><link name="a"><mesh padding="0.1"/></link></self_filter>',
        '"0.1"',
        '"0.2"',
    ),
    "a sensor with a prefix": (
        '<sensor:ray name="laser"><origin xyz="0 0 1"/></sensor:ray>',
        '"0 0 1"',
        '"0 0 2"',
    ),
    "a link in an unknown element": (
        f'<w><link name="c">{INERTIAL}</link></w>',
        'value="1"',
        'value="2"',
    ),
    "a shape of no known kind": (
        '<link name="c"><visual><geometry><cone radius="1"/></geometry></visual></link>'
        '<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>',
        'radius="1"',
        'radius="2"',
    ),
    "an attribute": (
        '<link name="c" weight="1"/><joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>',
        'weight="1"',
        'weight="2"',
    ),
    "a text": ("<weight>1</weight>", ">1<", ">2<"),
}


def robot_with(inside):
    """Return a URDF of two links with something more in it."""
    return (
        f'<robot name="r" xmlns:sensor="http://example.com"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}'
        '</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>\n'
        f"{inside}\n</robot>"
    )


def compared(text, other):
    """Return the comparison of two URDFs, whose meshes are not there."""
    robots = read_bytes(text.encode(), "a.urdf"), read_bytes(other.encode(), "b.urdf")
    return compare(*robots, aspects=frozenset(ASPECTS) - {"meshes"})


@pytest.mark.parametrize("name", PUBLIC)
def test_what_public_robots_have_is_the_same_as_itself_and_named_where_it_differs(name, tmp_path):
    inside, old, new = PUBLIC[name]
    text = robot_with(inside)
    assert text.count(old) >= 1
    other = old.join(text.split(old)[:-1]) + new + text.split(old)[-1]
    alike = compared(text, text)
    assert (alike.verdict, alike.exit_code, alike.counted) == ("same", 0, ())
    assert any(note.startswith("A: not compared: <") for note in alike.notes)

    (tmp_path / "a.urdf").write_text(text, "utf-8")
    (tmp_path / "b.urdf").write_text(other, "utf-8")
    done = in_process(["compare", str(tmp_path / "a.urdf"), str(tmp_path / "b.urdf")])
    said = " ".join(done.stdout.decode().split())
    assert done.returncode == 1
    assert said.startswith("Same robot, but for 1 part that could not be compared")
    assert f"{new.strip('<>')}, and no reader knows what it means" in said
    # What differs is said once.
    assert "not alike" not in said


@pytest.mark.parametrize("side", "ab")
def test_what_only_one_file_has_is_named(side):
    texts = {"a": robot_with(""), "b": robot_with("")}
    texts[side] = robot_with('<odd><link name="c"/></odd>').replace(
        '<link name="b">', '<link name="b" weight="2">'
    )
    found = compared(texts["a"], texts["b"])
    assert (found.verdict, found.exit_code) == ("unproven", 1)
    where = f"is only in {side.upper()}, and no reader knows what it means"
    assert sorted(map(text_of, found.unproven)) == [
        f"<odd> {where}",
        f'weight="2" of <link name="b" weight="2"> {where}',
    ]
    assert verdict_line(found) == "Same robot, but for 2 parts that could not be compared"


def test_what_programs_read_by_words_of_their_own_is_a_note():
    """A plugin and an interface of ros2_control are known to a program: what differs is no unknown."""
    for inside, old, new in (
        ("<gazebo><plugin name='p'><rate>1</rate></plugin></gazebo>", ">1<", ">2<"),
        # The element that holds the words is named, and far inside.
        (
            '<ros2_control name="c"><joint name="j"><state_interface name="p"><param name="q">7</param>'
            "</state_interface></joint></ros2_control>",
            ">7<",
            ">8<",
        ),
    ):
        text = robot_with(inside).replace("xmlns:sensor", "xmlns:drake")
        found = compared(text, text.replace(old, new))
        assert found.exit_code == 0
        assert any("not alike" in note for note in found.notes)


def test_an_element_for_one_program_that_differs_is_unproven():
    text = robot_with('<drake:planar hardness="7"/>').replace("xmlns:sensor", "xmlns:drake")
    found = compared(text, text.replace('"7"', '"8"'))
    assert found.verdict == "unproven"
    assert [text_of(one) for one in found.unproven] == [
        '<drake:planar hardness="7">: hardness="7" / hardness="8", and no reader reads it'
    ]


def test_an_unknown_word_beside_a_known_one_is_the_difference():
    """A `lower` of a continuous joint, which programs know, is in a note; the word beside it is a difference."""
    text = robot_with("").replace("<child", '<limit lower="1" slack="2"/><child')
    assert compared(text, text.replace('lower="1"', 'lower="3"')).exit_code == 0
    (one,) = compared(text, text.replace('slack="2"', 'slack="4"')).unproven
    assert (one.a, one.b) == ('slack="2"', 'slack="4"')


def test_what_was_in_a_merged_link_is_a_note():
    """A run merges links that a fixed joint holds: no place is left for a word that nobody knows."""
    tip = '<link name="tip"><kinematic/></link><joint name="k" type="fixed"><parent link="b"/><child link="tip"/></joint>'
    found = compared(robot_with(tip), robot_with(""))
    assert found.exit_code == 0
    assert "A: not compared: <kinematic> (line 2)" in found.notes


NUTS = """<visual><geometry><mesh filename="nut_m3.stl"/><odd of="the nut"/></geometry></visual>
<visual><geometry><mesh filename="plate.stl"/>{}</geometry></visual>"""
NUT_REMOVED = "<!-- urdf_simplify 0.3.0 decisions, what is not as in the original file: shape nut_m3.stl visual c (1) -->\n"


@pytest.mark.parametrize(("word", "stays"), [("", True), ('<odd of="the plate"/>', False)])
def test_what_was_in_a_removed_shape_left_with_it(word, stays):
    """A word in the shape beside it did not."""
    tip = (
        '<link name="c">{}</link><joint name="k" type="fixed"><parent link="b"/><child link="c"/>'
        "</joint>"
    )
    whole = robot_with(tip.format(NUTS.format(word)))
    rest = NUT_REMOVED + robot_with(tip.format(NUTS.format("").split("\n")[1]))
    found = compared(whole, rest)
    assert (found.exit_code == 0) == stays
    assert [one.kind for one in found.counted] == ([] if stays else ["unknown_only_a"])
    assert compared(rest, whole).exit_code == found.exit_code


def test_a_file_of_another_format_has_other_words(tmp_path):
    """An MJCF has no place for what nobody reads in a URDF: its own programs do without it as well."""
    model = (
        '<mujoco><worldbody><body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><freejoint/>'
        '<body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" axis="1 0 0"/></body>'
        "</body></worldbody></mujoco>"
    )
    found = compare(
        read_bytes(robot_with("<odd><link/></odd>").encode(), "a.urdf"),
        read_bytes(model.encode(), "b.xml"),
    )
    assert found.exit_code == 0
    assert "A: not compared: <odd> (line 2)" in found.notes


WORDS = ("unheard", "of", "twist")
PLACES = {"robot", "link", "joint", "visual", "collision", "geometry", "inertial", "origin"}


def unknown_element(chance):
    """Return an element that nobody knows, with the part of a robot in it or not."""
    element = ElementTree.Element(chance.choice(WORDS), {"x": "1"})
    if chance.random() < 0.5:
        inner = chance.choice(("link", "axis", "origin", "mass", "odd"))
        ElementTree.SubElement(element, inner, {"value": "1"}).text = chance.choice(("", "1"))
    return element


def with_unknown_words(root, chance):
    """Put unknown elements and attributes anywhere in a robot; return what changes the value of each."""
    changes = []
    places = [element for element in root.iter() if element.tag in PLACES]
    for number in range(chance.randint(1, 6)):
        place = chance.choice(places)
        if chance.random() < 0.5 and f"w{number}" not in place.attrib:
            place.set(f"w{number}", "1")
            changes.append((place, f"w{number}"))
            continue
        element = unknown_element(chance)
        # Of several children of `<geometry>` the first is the shape.
        place.append(element)
        inside = chance.choice(list(element.iter()))
        changes.append((inside, chance.choice(sorted(inside.attrib))))
    return changes


@examples(25, fuzzed=1500)
@given(seed=SEEDS)
def test_unknown_words_anywhere_are_the_same_as_themselves_and_a_changed_one_is_named(seed):
    chance = random.Random(seed)
    root = ElementTree.fromstring(write_robot(random.Random(seed), Traits(links=5, hostile=0.0)))
    for block in [child for child in root if child.tag not in ("link", "joint", "material")]:
        root.remove(block)
    changes = with_unknown_words(root, chance)
    text = ElementTree.tostring(root, encoding="unicode")
    alike = compared(text, text)
    assert alike.exit_code == 0, [text_of(one) for one in alike.counted]

    element, attribute = chance.choice(changes)
    element.set(attribute, "changed")
    found = compared(text, ElementTree.tostring(root, encoding="unicode"))
    (one,) = found.counted
    assert found.exit_code == 1
    assert (one.kind, one.a, one.b) == ("unknown", f'{attribute}="1"', f'{attribute}="changed"')
