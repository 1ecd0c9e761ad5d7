"""Nothing that was not read can be the same: an element that carries a part of a robot is read, or compared as text, or
its file is refused.

A robot and one with another number are wrapped alike in an element that nobody knows: where the difference was seen
before, it is seen inside the wrapper, or the files are refused.
"""

import random
import re
from xml.etree import ElementTree

import pytest
from commands import in_process
from conftest import examples, SEEDS
from hypothesis import given
import random_mjcf
import random_sdf
from random_robots import Traits, write_robot

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare, refuse_nothing
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.comparison_text import verdict_line
from urdf_tools.compare.difference_kinds import KINDS

# What an unknown element may hide: colors, sensors, actuators and the like are listed as unread.
CARRIED = {"joint", "line", "mass", "center", "tensor", "base", "limit", "mimic", "shape"}
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")


def found(a, b, name="r"):
    """Return the comparison of two texts, None where one is refused."""
    try:
        return compare(read_bytes(a, f"a.{name}"), read_bytes(b, f"b.{name}"))
    except UrdfError:
        return None


def carried(comparison):
    """Return True if the robots differ in a body, a mass, a joint or a shape."""
    return comparison is not None and any(
        KINDS[one.kind].label in CARRIED for one in comparison.differences
    )


def another(text, chance):
    """Return a text with one of its numbers doubled, or 0.37 for 0."""
    numbers = list(NUMBER.finditer(text))
    if not numbers:
        return text
    one = chance.choice(numbers)
    value = 2.0 * float(one.group()) or 0.37
    return f"{text[: one.start()]}{value!r}{text[one.end() :]}"


def with_another_number(top, chance):
    """Change a number in an element or one inside it; return False if there is none."""
    inside = list(top.iter())
    chance.shuffle(inside)
    for element in inside:
        for key in chance.sample(sorted(element.attrib), len(element.attrib)):
            text = element.get(key, "")
            if key not in ("name", "version") and another(text, chance) != text:
                element.set(key, another(text, chance))
                return True
        if element.text and element.text.strip() and another(element.text, chance) != element.text:
            element.text = another(element.text, chance)
            return True
    return False


def wrapped(source, path):
    """Return an XML with the element at a path of indices put into one that nobody knows."""
    root = ElementTree.fromstring(source)
    above = root
    for index in path[:-1]:
        above = above[index]
    wrapper = ElementTree.Element("unheard_of")
    wrapper.append(above[path[-1]])
    above[path[-1]] = wrapper
    return ElementTree.tostring(root)


def random_path(root, chance):
    """Return the indices that lead to an element below the root."""
    path = []
    while len(root) and (not path or chance.random() < 0.7):
        path.append(chance.randrange(len(root)))
        root = root[path[-1]]
    return path


WRITERS = {
    "urdf": lambda seed: write_robot(random.Random(seed), Traits(links=4, hostile=0.0)),
    "mjcf": lambda seed: random_mjcf.Writer(seed).text(),
    "sdf": lambda seed: random_sdf.Writer(random.Random(seed)).text(),
}


@pytest.mark.parametrize("form", sorted(WRITERS))
@examples(fuzzed=1500)
@given(seed=SEEDS)
def test_a_difference_is_not_lost_in_an_element_that_nobody_knows(form, seed):
    chance, source = random.Random(seed), WRITERS[form](seed)
    root = ElementTree.fromstring(source)
    path = random_path(root, chance)
    if not path:
        return
    element = root
    for index in path:
        element = element[index]
    if not with_another_number(element, chance):
        return
    other = ElementTree.tostring(root, encoding="unicode")
    if not carried(found(source.encode(), other.encode(), form)):
        return
    inside = found(wrapped(source, path), wrapped(other, path), form)
    assert inside is None or not inside.is_same


HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)
"""
BODY = """    def {type} "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = {mass}
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        quatf physics:principalAxes = (1, 0, 0, 0)
    }}
"""


def usd(mass, *, arc="", kind="Xform", around="", far=""):
    """Return a robot of one body; `arc` is said of the robot, `around` a prim around the body, `far` another prim."""
    body = BODY.format(type=kind, mass=mass)
    if around:
        body = f'    {around} "w"\n    {{\n{body}    }}\n'
    return f'{HEAD}\n{far}def Xform "robot" ({arc})\n{{\n{body}}}\n'.encode()


def test_two_bodies_are_compared():
    assert found(usd(2), usd(2)).verdict == "same"
    assert found(usd(2), usd(5)).verdict == "masses"


AROUND = ("", "def Scope", "def Unheard", "def", "over", "over Xform", "class", "class Xform")
KINDS_OF_PRIM = ("Xform", "Cube", "Sphere", "Mesh", "Capsule", "Cone", "Scope", "Unheard", "")


@pytest.mark.parametrize("kind", KINDS_OF_PRIM)
@pytest.mark.parametrize("around", AROUND)
def test_a_body_of_any_type_is_read_where_it_is_defined(kind, around):
    """What is said `over` nothing, and what is only inherited, is no part of a stage."""
    one, other = (usd(mass, kind=kind, around=around) for mass in (2, 5))
    if around.startswith(("over", "class")):
        assert all(link.mass is None for link in read_bytes(one, "r.usda").links)
    else:
        assert found(one, other).verdict == "masses"


WORLD = """<sdf version="1.9"><world name="w">{0}<model name="floor"><link name="l"/></model></world></sdf>"""
INCLUDE = "<include><uri>model://{0}</uri></include>"
UNKNOWN = {
    "another file in a world": WORLD.format(INCLUDE.format("robot")),
    "another file in an unknown element": WORLD.format(f"<w>{INCLUDE.format('robot')}</w>"),
    "a shape of no known kind": '<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry>'
    "<heap/></geometry></visual></link></model></sdf>",
    "a part of a mesh": '<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh>'
    "<uri>a.dae</uri><submesh><name>x</name></submesh></mesh></geometry></visual></link></model></sdf>",
    "a body in an unknown element": '<mujoco><worldbody><w><body><geom size="1"/></body></w></worldbody></mujoco>',
    "a flexible body": '<mujoco><worldbody><geom size="1"/></worldbody><deformable><flex name="f"/></deformable></mujoco>',
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_what_carries_a_part_of_the_robot_is_refused_by_its_line(text):
    with pytest.raises(UrdfError, match=r"^r\.xml:1: .*is not read"):
        read_bytes(text.encode(), "r.xml")


def test_the_ground_and_the_sun_of_a_world_are_scenery():
    robot = read_bytes(
        WORLD.format(INCLUDE.format("sun") + INCLUDE.format("ground_plane")).encode(), "r"
    )
    assert [one.why for one in robot.unread][1:] == ["a part of the scene"] * 2


ARM = """<mujoco><asset><hfield name="t" nrow="2" ncol="2" size="1 1 1 1"/>
<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><default><default class="d"><geom rgba="1 0 0 1"/></default></default>
<worldbody><geom type="plane" size="1 1 1"/><body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
<joint name="j" {0}/><body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="k"/>{1}</body></body>
</worldbody><equality>{2}</equality></mujoco>"""
FOLLOWS = '<joint joint1="j" joint2="k"/>'
SHAFTS = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><link name="c"/>{0}
<joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_ratio>2</gearbox_ratio></joint></model></sdf>"""
SHAFT = (
    '<joint name="to {0}" type="revolute"><parent>a</parent><child>{0}</child><axis><xyz>0 0 1</xyz>'
    "</axis></joint>"
)
ONE_LINK = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>{0}</robot>"""
# Of a robot, and in no record of it: the text, its aspect, and why.
LEFT_OUT = {
    "a height field": (
        ARM.format("", '<geom type="hfield" hfield="t"/>', ""),
        "shapes",
        "a height field",
    ),
    "a box around a mesh": (
        ARM.format("", '<geom type="box" mesh="m"/>', ""),
        "shapes",
        "fits to a mesh",
    ),
    "a skin": (
        ARM.format("", "", "").replace(
            "</mujoco>", '<deformable><skin name="s"/></deformable></mujoco>'
        ),
        "shapes",
        "<deformable",
    ),
    "a mass of water": (
        '<sdf version="1.9"><model name="m"><link name="l"><inertial><mass>1</mass><fluid_added_mass>'
        "<xx>1</xx></fluid_added_mass></inertial></link></model></sdf>",
        "mass",
        "fluid_added_mass",
    ),
    "a spring that is computed": (
        ARM.format('springdamper="1 1"', "", ""),
        "dynamics",
        "springdamper",
    ),
    "forces of two sizes": (
        ARM.format('actuatorfrcrange="-1 2"', "", ""),
        "limits",
        "actuatorfrcrange",
    ),
    "two leaders": (ARM.format("", "", FOLLOWS * 2), "mimic", "follows another already"),
    "a gearbox": (
        SHAFTS.format(SHAFT.format("b") + SHAFT.format("c")),
        "mimic",
        "couples two joints",
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_was_left_out_is_not_the_same_in_another_file(name, tmp_path):
    """The verdict, the exit status, JSON and the library agree, unless the aspect is left out."""
    text, aspect, why = LEFT_OUT[name]
    # What it names, such as the file of a height field, is another file in another folder.
    robots = [read_bytes(text.encode(), f"{folder}/r") for folder in "ab"]
    alike = compare(*robots)
    assert (alike.verdict, alike.is_same, alike.exit_code) == ("unproven", False, 1)
    assert [one.kind for one in alike.unproven] == ["left_out"]
    assert "but for 1 part that could not be compared" in verdict_line(alike)
    assert compare(*robots, aspects=frozenset(ASPECTS) - {aspect}).verdict == "same"
    # A comment makes it another text: of the same words, and of who knows what they name.
    for file, more in (("a", ""), ("b", "<!-- a note -->")):
        (tmp_path / file).write_text(text + more, "utf-8")
    done = in_process(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--format", "json"])
    told = done.stdout.decode()
    assert done.returncode == 1
    assert why in told


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_was_left_out_is_a_note_of_a_file_and_itself(name, tmp_path):
    """And of a copy beside it, which names the same files."""
    text, _, why = LEFT_OUT[name]
    for file in "ab":
        (tmp_path / file).write_text(text, "utf-8")
    done = in_process(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--full"])
    told = " ".join(done.stdout.decode().split())
    assert done.returncode == 0
    assert told.startswith("Same robot: exactly")
    assert "could not be compared" in told and why in told


def test_what_is_beside_the_robot_is_a_note():
    """The floor, a class that nothing has, an equality that is not active, what all readers ignore, and a plugin."""
    inactive = FOLLOWS.replace("/>", ' active="false"/>')
    for text in (
        ARM.format("", "", inactive),
        ONE_LINK.format("<plugin name='p'/>"),
        ONE_LINK.format("<odd/>"),
    ):
        robot = read_bytes(text.encode(), "r")
        assert robot.unread
        assert compare(robot, robot).exit_code == 0


FRAMES = {
    "urdf": '<robot name="r"><link name="a"/></robot>',
    "mjcf": '<mujoco><worldbody><body name="a"/></worldbody></mujoco>',
    "usd": f'{HEAD}def Xform "robot"\n{{\n    def Xform "a"\n    {{\n    }}\n}}\n',
}


@pytest.mark.parametrize("form", sorted(FRAMES))
def test_robots_of_frames_alone_have_a_verdict_if_their_names_tell_the_frames(form, tmp_path):
    frames = FRAMES[form]
    others = frames.replace('"a"', '"b"')
    (tmp_path / "a").write_text(frames, "utf-8")
    for text, status in ((frames, 0), (others, 2)):
        (tmp_path / "b").write_text(text, "utf-8")
        done = in_process(["compare", str(tmp_path / "a"), str(tmp_path / "b")])
        assert done.returncode == status, done.stderr
        assert (b"nothing to compare" in done.stderr) == (status == 2)
        assert (b"Same" in done.stdout) == (status == 0)


def test_a_camera_alone_is_compared():
    camera = '<mujoco><worldbody><body name="{}"><camera name="c" pos="0 0 {}"/></body></worldbody></mujoco>'
    robots = [read_bytes(camera.format(*at).encode(), "r") for at in (("a", 1), ("b", 1), ("a", 2))]
    for robot in robots:
        refuse_nothing(robots[0], robot)
    assert [compare(robots[0], robot).verdict for robot in robots] == ["same", "same", "limits"]
