"""`compare` of a robot with what `export` made of it says what the export said: nothing, or what that named."""

import json
import math
import random
import re
import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
import random_mjcf
import random_sdf
from commands import folder_with
from conftest import examples, FUZZ, ROOT, SEEDS, some_of
from decided_runs import compared, ends_with
from hard_meshes import MASS
from hypothesis import given
from random_beside import write_robot_with_all
from random_gazebo import write_gazebo_robot
from random_robots import Traits, write_robot
from sound_robots import sound

import urdf_tools
from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of

ENDINGS = ("xml", "sdf", "usda", "json", "urdf")
BESIDE = ROOT.parent / "shared" / "robots"
ROBOTS = [
    *(
        path
        for path in sorted((ROOT / "fixtures").rglob("robot.urdf"))
        if "refused" not in path.parts
    ),
    *sorted((ROOT / "fixtures" / "exports").glob("*.urdf")),
    *sorted(BESIDE.glob("*.urdf") if FUZZ else ()),
]
PAIRS = [(robot, ending) for robot in ROBOTS for ending in ENDINGS]


def key_of(robot, ending):
    root = BESIDE if BESIDE in robot.parents else ROOT / "fixtures"
    return robot.relative_to(root).as_posix(), ending


def exported(robot, ending, folder):
    """Export a robot with sound masses to `made`; return its warnings, None if it is refused."""
    data = robot.read_bytes()
    with suppress(UnicodeDecodeError):  # else it has another encoding, and is taken as it is
        data = sound(data.decode("utf-8")).encode("utf-8")
    Path("robot.urdf").write_bytes(data)
    if (robot.parent / "meshes").is_dir():
        shutil.copytree(robot.parent / "meshes", folder / "meshes")
    words = ("export", "robot.urdf", f"made.{ending}", "-y", "-q", "--report", "report.json")
    status = ends_with(words)
    assert status in (0, 2), (robot, ending)
    if status == 2:
        return None
    return json.loads(Path("report.json").read_text("utf-8"))["warnings"]


OF_ELEMENTS = {"surface", "link_value", "dynamics"}  # what an element of simulators can say
OF_BODIES = {"mass", "center", "tensor"}  # where: the first link of a body, whichever has the mass


def unnamed(found, warnings):
    """Return the differences of no part that a warning of the export, or its note of losses, names.

    A warning of a lost element, such as `<color>`, names no other place, mass or motion of its link.
    """
    said = [one for one in warnings if one["kind"].startswith(("export-", "input-"))]
    elements = [one for one in said if one["names"][:1] and one["names"][0].startswith("<")]
    links = {body["a"]: {*body["links_a"], *body["links_b"]} for body in found["bodies"]}
    rest = []
    for one in found["differences"]:
        if re.search(", as the .* said$", one["text"]):
            continue
        namers = (
            said if one["kind"] in OF_ELEMENTS else [each for each in said if each not in elements]
        )
        names = {name for each in namers for name in each["names"]}
        where = links.get(one["where"], set()) if one["kind"] in OF_BODIES else set()
        if names.isdisjoint((one["where"], *re.split(r"[ (]", one["where"]), *where)):
            rest.append(one)
    return rest


@pytest.mark.parametrize(
    ("robot", "ending"),
    some_of(PAIRS, 30),
    ids=str,
)
def test_an_export_and_its_input_differ_by_what_the_export_named(robot, ending, here):
    warnings = exported(robot, ending, here)
    if warnings is None:
        pytest.skip("the export refuses this robot")
    status, found = compared(f"made.{ending}")
    rest = unnamed(found, warnings)
    assert rest == [], [one["text"] for one in rest]
    assert status == int(bool(found["differences"] or found["unproven"]))


ORDINARY = Traits(links=5, hostile=0.1, odd_joints=False)
SOURCES = (lambda r: write_robot(r, ORDINARY), write_robot_with_all, write_gazebo_robot)


@pytest.mark.parametrize("ending", ENDINGS)
@given(SEEDS)
@examples(2, fuzzed=60)
def test_any_robot_and_its_export_differ_by_what_the_export_named(ending, seed):
    with folder_with({"random.urdf": SOURCES[seed % 3](random.Random(seed))}) as folder:
        warnings = exported(Path("random.urdf"), ending, folder)
        if warnings is None:
            return
        status, found = compared(f"made.{ending}")
        assert status < 2, found["refused"]
        rest = unnamed(found, warnings)
        assert rest == [], [one["text"] for one in rest]


OTHERS = {
    "xml": lambda seed: random_mjcf.Writer(seed).text(),
    "sdf": lambda seed: random_sdf.Writer(random.Random(seed)).text(),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("form", OTHERS)
@given(SEEDS)
@examples(2, fuzzed=60)
def test_any_mjcf_or_sdf_and_its_export_differ_by_what_was_named(form, ending, seed):
    with folder_with({f"in.{form}": OTHERS[form](seed)}):
        words = (
            "export",
            f"in.{form}",
            f"made.{ending}",
            "--no-fix",
            "-y",
            "-q",
            "--report",
            "report.json",
        )
        if ends_with(words) == 2:
            return
        warnings = json.loads(Path("report.json").read_text("utf-8"))["warnings"]
        status = ends_with(("compare", f"in.{form}", f"made.{ending}", "--report", "found.json"))
        assert status < 2
        found = json.loads(Path("found.json").read_text("utf-8"))
        assert unnamed(found, warnings) == []


LINK = f'<link name="{{}}">{MASS}<collision><geometry><sphere radius="1"/></geometry></collision></link>'
JOINED = """<joint name="{0}_joint" type="{1}"><parent link="{2}"/><child link="{0}"/><axis xyz="0 0 1"/>
<limit lower="{3}" upper="{3}" effort="1" velocity="1"/>{4}</joint>"""
FLOATS = '<joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>'
TURNS = JOINED.format("c", "continuous", "a", 0, "")
FOLLOWS = JOINED.format("b", "revolute", "a", 0, '<mimic joint="c_joint"/>')
TINY = '<link name="b"><inertial><mass value="1e-9"/></inertial></link>'
IMU = '<gazebo reference="{}"><sensor name="s" type="imu"/></gazebo>'
FRAMED = '<link name="world"/><link name="b"/>' + JOINED.format("b", "fixed", "world", 0, "")
FLOATS_WITH = FLOATS.replace("</joint>", '<limit effort="3" velocity="2"/></joint>')
HELD = FLOATS.replace("</joint>", '<dynamics damping="2" spring_stiffness="1"/></joint>')
FRAME = '<frame name="on b" link="b"/>'
BALL = '<visual><geometry><sphere radius="1"/></geometry></visual>'
FLOATS_IN = '<link name="world">{}</link>' + LINK.format("b") + FLOATS.replace('"a"', '"world"')
BY_GAZEBO = (
    '<gazebo><joint name="held" type="ball"><parent>a</parent><child>b</child></joint></gazebo>'
)
LOST_MESH = '<visual><geometry><mesh filename="m.stl"/></geometry></visual>'
WEIGHT = "link 'world' is the world itself: its mass of 1 kg is left out of "
SMALL = {
    "floats beside": ("xml", LINK.format("a") + LINK.format("b") + FLOATS, ""),
    "floats beside an arm": (
        "xml",
        "".join(map(LINK.format, "abc")) + FLOATS + TURNS,
        "",
    ),
    "a follower of one position": (
        "xml",
        "".join(map(LINK.format, "abc")) + FOLLOWS + TURNS,
        "joint 'b_joint' mimics another joint, and its lower limit equals its upper one, "
        "which MJCF does not take as a range: it has no limits there",
    ),
    "two sensors of a name": (
        "xml",
        "".join(map(LINK.format, "ac")) + TURNS + IMU.format("a") + IMU.format("c"),
        "sensor 's' of 'c' is named 's_2' in MJCF, where each has its own name",
    ),
    **{
        f"{lost} of what floats in {form}": (
            ending,
            "".join(map(LINK.format, "abc")) + floats + TURNS,
            f"joint 'f': {said} of a floating joint {verb} left out of {form}",
        )
        for ending, form in (("xml", "MJCF"), ("sdf", "SDF"))
        for lost, floats, said, verb in (
            ("effort", FLOATS_WITH, "the limits", "are"),
            ("damping", HELD, "damping and friction", "are"),
            ("spring", HELD, "the spring", "is"),
        )
    },
    "two followers of a name": (
        "xml",
        "".join(map(LINK.format, "abcd"))
        + FOLLOWS
        + FOLLOWS.replace('child link="b"', 'child link="d"')
        + TURNS,
        "joint 'b_joint' is named 'b_joint_2' in MJCF, where each name must be unique",
    ),
    "a moment too small on a link without mass": (
        "xml",
        '<link name="world"/><link name="a"/>'
        + TINY
        + JOINED.format("a", "floating", "world", 0, "")
        + TINY.replace('"b"', '"d"')
        + JOINED.format("b", "fixed", "a", 0, "")
        + JOINED.format("d", "fixed", "b", 0, "")
        + LINK.format("c")
        + TURNS,
        "link 'b' has a mass or a moment of inertia below 2e-15, the least that MJCF can have: it gets that value",
    ),
    "hardly a mass": (
        "xml",
        LINK.format("a") + TINY + JOINED.format("b", "continuous", "a", 0, ""),
        "link 'b' has a mass or a moment of inertia below 2e-15, the least that MJCF can have: it gets that value",
    ),
    "a frame in the world": (
        "sdf",
        FRAMED + LINK.format("c") + TURNS.replace('"a"', '"world"'),
        "'b' is a frame in the world, which SDF cannot express: in SDF it moves with 'c', the first link",
    ),
    "a frame of a frame in the world": (
        "sdf",
        FRAMED + LINK.format("c") + TURNS.replace('"a"', '"world"') + FRAME,
        "'on b' is a frame in the world, which SDF cannot express: in SDF it moves with 'c', the first link",
    ),
    "a world with a mass": ("xml", FLOATS_IN.format(MASS), f"{WEIGHT}MJCF"),
    "a world with a mass in SDF": ("sdf", FLOATS_IN.format(MASS), f"{WEIGHT}SDF"),
    "a world that is seen": ("xml", FLOATS_IN.format(BALL), ""),
    "a world that is seen and turns": (
        "xml",
        FLOATS_IN.format(BALL) + LINK.format("c") + TURNS.replace('"a"', '"b"'),
        "",
    ),
    "a world with a shape": (
        "sdf",
        FLOATS_IN.format(BALL),
        "link 'world' is named 'world_link' in SDF, which reserves its name",
    ),
    "a world that sees": ("xml", FLOATS_IN.format("") + IMU.format("world"), ""),
    "a root whose mesh is not there": (
        "xml",
        FLOATS_IN.format(LOST_MESH).replace("world", "odom"),
        "mesh 'm.stl' not found: left out of MJCF",
    ),
    "a joint of Gazebo that holds the root": (
        "sdf",
        "".join(map(LINK.format, "ac"))
        + TURNS
        + BY_GAZEBO.replace("b<", "a<").replace("a</p", "c</p"),
        "<joint> 'held' of <gazebo> may close a loop, and Drake does not load a loop in SDF",
    ),
    "a light of a link": (
        "sdf",
        LINK.format("a")
        + '<gazebo reference="a"><light name="l"><pose>0 0 1 0 0 0</pose></light></gazebo>',
        "<light> of 'a' is not defined in SDF: written with the prefix urdf:, which Gazebo and Drake ignore",
    ),
    "a free link that Gazebo holds in the world": (
        "sdf",
        FLOATS_IN.format("") + BY_GAZEBO.replace(">a<", ">world<"),
        "joint 'f' floats, and <joint> 'held' of <gazebo> connects 'b' with 'world' instead of it in SDF",
    ),
    "a part without mass that does not fall": (
        "usda",
        LINK.format("a")
        + f'<link name="b">{BALL}</link>'
        + JOINED.format("b", "fixed", "a", 0, "")
        + '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>',
        "<turnGravityOff> of 'b' cannot be expressed in USD",
    ),
    "a floating joint that Gazebo holds": (
        "sdf",
        "".join(map(LINK.format, "ab")) + FLOATS + BY_GAZEBO,
        "joint 'f' floats, and <joint> 'held' of <gazebo> connects 'b' with 'a' instead of it in SDF",
    ),
    "a floating part by which Gazebo holds the root": (
        "sdf",
        "".join(map(LINK.format, "ab"))
        + FLOATS
        + '<link name="c"/>'
        + JOINED.format("c", "fixed", "b", 0, "")
        + BY_GAZEBO.replace("b<", "a<").replace("a</p", "c</p"),
        "joint 'f' floats, and <joint> 'held' of <gazebo> connects 'a' with 'b' instead of it in SDF",
    ),
    "a joint exported twice above what is a frame": (
        "sdf",
        "".join(map(LINK.format, "acd"))
        + TURNS
        + '<link name="b"/>'
        + TURNS.replace('"c"', '"b"')
        + JOINED.format("d", "fixed", "b", 0, ""),
        "joint 'c_joint' is named 'c_joint_2' in SDF, where each name must be unique",
    ),
}


def test_the_root_of_one_file_may_be_a_leaf_of_the_other(here):
    """In SDF the joint of <gazebo> makes the floating part the root; the link that it floats from hangs on it."""
    parts = "".join(map(LINK.format, "abc")) + JOINED.format("b", "fixed", "a", 0, "")
    parts += FLOATS.replace('"b"', '"c"').replace('"a"', '"b"')
    parts += "<gazebo reference='b_joint'><preserveFixedJoint>true</preserveFixedJoint></gazebo>"
    parts += BY_GAZEBO.replace(">a<", ">c<").replace(">b<", ">a<")
    Path("small.urdf").write_text(f'<robot name="r">{parts}</robot>', "utf-8")
    assert ends_with(("export", "small.urdf", "made.sdf", "-y", "-q")) == 0
    status, found = compared("made.sdf", first="small.urdf")
    assert status == 1
    texts = {one["kind"]: one["text"] for one in found["differences"]}
    assert texts["type"].endswith(", as the export to SDF said")


@pytest.mark.parametrize("name", SMALL)
def test_a_small_robot_and_its_export_differ_by_what_was_named(name, here):
    ending, parts, sentence = SMALL[name]
    Path("small.urdf").write_text(f'<robot name="r">{parts}</robot>', "utf-8")
    words = ("export", "small.urdf", f"made.{ending}", "-y", "-q", "--base", "fixed")
    assert ends_with((*words, "--report", "report.json")) == 0
    warnings = json.loads(Path("report.json").read_text("utf-8"))["warnings"]
    assert not sentence or sentence in [one["message"] for one in warnings]
    status, found = compared(f"made.{ending}", first="small.urdf")
    assert status < 2
    assert unnamed(found, warnings) == []
    assert status == int(bool(found["differences"]))
    assert sentence or not found["differences"]
    # Each act of the export's note is done.
    note = Path(f"made.{ending}").read_text("utf-8")
    acts = re.findall(r"^[ #]+(?:mjcf|sdf|usd):(?!lost ).*$", note, re.M)
    assert len(acts) == len(found["decided"])


@pytest.mark.parametrize(
    ("parent", "child", "is_refused"),
    [
        ("world", "a", False),
        ("a", "b", False),
        ("a", "a", True),
        ("a", "world", True),
        ("nothing", "a", True),
        ("in a", "a", True),
    ],
)
def test_a_joint_of_gazebo_is_between_two_links(parent, child, is_refused, tmp_path):
    """A frame is the link that it is on; libsdformat refuses the others."""
    source, target = tmp_path / "r.urdf", tmp_path / "r.sdf"
    held = BY_GAZEBO.replace(">a<", f">{parent}<").replace(">b<", f">{child}<")
    joint = JOINED.format("b", "continuous", "a", 0, "")
    parts = LINK.format("a") + LINK.format("b") + joint + '<frame name="in a" link="a"/>' + held
    source.write_text(f'<robot name="r">{parts}</robot>', "utf-8")
    refusal = pytest.raises(UrdfError, match=f"'held' of <gazebo> holds '{child}' at '{parent}'")
    with refusal if is_refused else nullcontext():
        urdf_tools.export(str(source), str(target), force=True)
    assert target.exists() is not is_refused


TURNED = """<robot name="r"><link name="{0}">{2}</link><link name="{1}">{3}</link><joint name="j" type="fixed">
<parent link="{0}"/><child link="{1}"/><origin xyz="{4} {5} 0" rpy="0 0 {6}"/></joint></robot>"""
LONG = """<inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>"""
SIZED = (
    '<collision><origin xyz="0.3 0.1 0"/><geometry><box size="0.1 {} 1"/></geometry></collision>'
)


@pytest.mark.parametrize("turn", (0.3, -0.7, 1.1, 2.0))
def test_a_shape_whose_size_is_rounded_shows_which_way_a_body_lies(turn, tmp_path, monkeypatch):
    """Its inertia shows four ways; a size such as 0.2 comes back from a scale as 0.19999999999999993."""
    monkeypatch.chdir(tmp_path)
    x, y = -0.1 * math.sin(turn), -0.1 * math.cos(turn)
    text = TURNED.format("a", "b", SIZED.format(0.2), LONG, 0, 0.1, turn)
    Path("robot.urdf").write_text(text, "utf-8")
    text = TURNED.format("b", "a", LONG, SIZED.format("0.19999999999999993"), x, y, -turn)
    Path("other.urdf").write_text(text, "utf-8")
    assert compared("other.urdf")[0] == 0


def test_the_world_alone_is_no_sdf(tmp_path):
    """libsdformat and our reader want a link in a model."""
    source, target = tmp_path / "r.urdf", tmp_path / "r.sdf"
    source.write_text('<robot name="r"><link name="world"/></robot>', "utf-8")
    with pytest.raises(UrdfError, match="it is the world alone, and SDF requires a link"):
        urdf_tools.export(str(source), str(target))
    assert not target.exists()


SAID_OF_A_PART = """<robot name="r"><link name="a">{0}</link><link name="b">{0}</link><link name="c">
<collision><geometry><sphere radius="1"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint><gazebo reference="{1}"><{2}>{3}</{2}></gazebo></robot>"""
OTHERWISE = {
    "<self_collide>true": "<self_collide>false",
    "<gravity>false": "<gravity>true",
    "<linear>0.25": "<linear>0.5",
}
SAID = (("selfCollide", "true"), ("turnGravityOff", "true"), ("dampingFactor", "0.25"))


@pytest.mark.parametrize(("tag", "value"), SAID)
def test_what_is_said_of_a_part_counts_for_all_that_gazebo_joins(tag, value, tmp_path):
    """Gazebo joins the links of a URDF across fixed joints, and reads what the first of them says for all."""
    source = tmp_path / "r.urdf"
    target = tmp_path / "o.sdf"
    for link in "abc":
        source.write_text(SAID_OF_A_PART.format(MASS, link, tag, value), "utf-8")
        made = urdf_tools.export(str(source), str(target), force=True)
        assert [each for each in made.exported.warnings if each.kind.name == "export-lost"] == []
        links = read_robot_of(target).links
        assert len(links) == 2 and links[0].values == links[1].values != {}
        assert compare(read_robot_of(source), read_robot_of(target)).verdict == "same"
        # The last link, which has the shape, is written otherwise.
        text = target.read_text("utf-8")
        for written, other in OTHERWISE.items():
            text = other.join(text.rsplit(written, 1))
        target.write_text(text, "utf-8")
        assert [
            each.kind for each in compare(read_robot_of(source), read_robot_of(target)).counted
        ] == ["link_value"]


def test_an_sdf_keeps_the_values_of_its_links(tmp_path):
    """Gazebo joins no links of an SDF."""
    source = tmp_path / "a.sdf"
    target = tmp_path / "b.sdf"
    mass = "<inertial><mass>1</mass></inertial>"
    source.write_text(
        f'<sdf version="1.9"><model name="r"><link name="a">{mass}</link><link name="b">{mass}'
        "<gravity>false</gravity></link><joint name='j' type='fixed'><parent>a</parent>"
        "<child>b</child></joint></model></sdf>",
        "utf-8",
    )
    urdf_tools.export(str(source), str(target))
    assert compare(read_robot_of(source), read_robot_of(target)).verdict == "same"


NAMED_AS_ITS_LINK = (
    f'<robot name="r"><link name="a">{MASS}</link><link name="i"/><joint name="j" type="fixed"><parent link="a"/>'
    '<child link="i"/></joint><sensor name="i" type="imu"><parent link="i"/><origin xyz="0 0 0" rpy="0 0 0"/></sensor>'
    '<gazebo reference="i"><sensor name="i" type="imu"/></gazebo></robot>'
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_sensor_may_have_the_name_of_its_link(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("named.urdf").write_text(NAMED_AS_ITS_LINK, "utf-8")
    assert exported(Path("named.urdf"), ending, tmp_path) is not None
    status, found = compared(f"made.{ending}")
    assert ([one["text"] for one in found["differences"]], status) == ([], 0)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_frame_is_where_its_origin_has_it(ending, here):
    text = (ROOT / "fixtures" / "follow" / "frame" / "robot.urdf").read_text("utf-8")
    turned = '<origin xyz="0 0.1 0" quat_xyzw="0 0.6 0 0.8"/>'
    Path("turned.urdf").write_text(text.replace('<origin xyz="0 0.1 0"/>', turned), "utf-8")
    warnings = exported(Path("turned.urdf"), ending, here)
    assert unnamed(compared(f"made.{ending}")[1], warnings) == []


def test_limits_that_are_gone_are_differences_of_each_joint_of_the_name(here):
    """Both joints have their lower limit above the upper one, and the note of MJCF names them once."""
    limits = '<axis xyz="0 0 1"/><limit lower="2" upper="1" effort="9" velocity="1"/></joint>'
    joint = f'<joint name="j" type="revolute"><parent link="base"/><child link="{{}}"/>{limits}'
    links = (f'<link name="{name}">{MASS}</link>' for name in ("base", "a", "b"))
    text = f'<robot name="r">{"".join(links)}{joint.format("a")}{joint.format("b")}</robot>'
    Path("twice.urdf").write_text(text, "utf-8")
    assert exported(Path("twice.urdf"), "xml", here)
    status, found = compared("made.xml")
    assert status == 1
    assert [one["kind"] for one in found["differences"]] == ["limits_missing"] * 2


EDITS = {
    "xml": (' mass="2.9"', ' mass="3.9"'),
    "sdf": ("<mass>2.9<", "<mass>3.9<"),
    "usda": ("physics:mass = 2.9", "physics:mass = 3.9"),
    "json": ('"mass": 2.9', '"mass": 3.9'),
    "urdf": ('<mass value="2.9"', '<mass value="3.9"'),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_mass_that_is_not_that_of_the_input_is_no_difference_that_was_named(ending, here):
    warnings = exported(ROOT / "fixtures" / "arm" / "robot.urdf", ending, here)
    made = Path(f"made.{ending}")
    old, new = EDITS[ending]
    text = made.read_text("utf-8")
    assert old in text
    made.write_text(text.replace(old, new), "utf-8")
    status, found = compared(str(made))
    assert status == 1 and unnamed(found, warnings)


@pytest.mark.parametrize("ending", ("json", "urdf"))
def test_limits_of_urdf_1_2_are_compared(ending, here):
    """A model keeps them as XML, the rest of `<limit>`."""
    robot = ROOT / "fixtures" / "follow" / "limits_1_2" / "robot.urdf"
    assert exported(robot, ending, here) is not None
    assert compared(f"made.{ending}")[0] == 0
    made = Path(f"made.{ending}")
    text = made.read_text("utf-8")
    made.write_text(re.sub(r'jerk=(\\?)"7', r'jerk=\1"6', text), "utf-8")
    status, found = compared(f"made.{ending}")
    assert status == 1 and [one["where"] for one in found["differences"]] == ["knee"]
