"""The reader of the model's JSON: what our own export says is the robot of its URDF."""

import copy
import json
import random
import re
from contextlib import nullcontext
from math import nan

import pytest
from conftest import examples, ROOT
from hypothesis import given, strategies as st
from raw_kinematics import near

from urdf_tools.base.errors import BrokenRobot, ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.formats.json.read_json_model import raw_of_model, read_model
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.compare.comparison_text import report
from urdf_tools.export.json_exporter import verify_json
from urdf_tools.model import (
    Box,
    Collision,
    Limit,
    Link,
    Material,
    Mesh,
    Pose,
    Robot,
    Sphere,
    Visual,
)

FIXTURES = sorted(path for path in (ROOT / "fixtures").glob("*/robot.urdf"))
ARM = Robot.from_urdf(ROOT / "fixtures/arm/robot.urdf")
SOLID = (
    '<inertial><origin xyz="0.1 0 0" rpy="0.2 0 0"/><mass value="1"/><inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" '
    'iyz="0.01" izz="0.4"/></inertial>'
)
LIMB = f"""<robot name="r"><link name="a">{SOLID}<visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="b">{SOLID}<collision><origin xyz="0.1 0 0"/><geometry><cylinder radius="0.1" length="0.4"/></geometry>
  </collision></link><link name="c">{SOLID}</link>
  <joint name="j" type="revolute"><origin xyz="1 0 0" rpy="0.1 0 0"/><parent link="a"/><child link="b"/>
    <axis xyz="0.6 0.8 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics damping="0.5" friction="0.1"/>
  </joint><joint name="k" type="continuous"><parent link="b"/><child link="c"/><mimic joint="j" multiplier="2"/></joint>
  <gazebo reference="b"><mu1>0.5</mu1></gazebo><gazebo reference="j"><springStiffness>3</springStiffness></gazebo>
</robot>"""


def test_a_model_with_a_key_that_its_schema_does_not_have_is_refused():
    model = json.loads(Robot.from_urdf(FIXTURES[0]).to_json())
    model["links"][0]["mood"] = "fine"
    with pytest.raises(UrdfError, match=r"^model.json: links\[0\].mood is not known"):
        read_model(json.dumps(model), "model.json")


def joints(**changes):
    return ARM._replace(joints=tuple(joint._replace(**changes) for joint in ARM.joints))


@pytest.mark.parametrize(
    "robot, words",
    [
        (ARM._replace(links=tuple(link._replace(inertial=None) for link in ARM.links)), ""),
        (joints(limit=Limit(-1e308, 1e308)), ""),
        (joints(limit=Limit(nan, 1.0)), "is too large a number"),
        (joints(axis=(0.0, 0.0, 0.0)), "the axis is 0 0 0"),
        (joints(armature=1e31), "is too large a number"),
        (ARM._replace(extensions=("<a>",)), "'extensions' has text that is not XML"),
        (
            ARM._replace(
                links=(
                    ARM.links[0]._replace(
                        inertial=None, collisions=(Collision(Mesh("part.stl"), density=1.0),)
                    ),
                    *ARM.links[1:],
                )
            ),
            "its volume is not known",
        ),
    ],
)
def test_a_model_is_read_or_refused_with_a_sentence(robot, words):
    with pytest.raises(UrdfError, match=re.escape(words)) if words else nullcontext():
        assert len(raw_of_model(robot).joints) == len(robot.joints)


def test_densities_make_the_mass_of_a_link_without_inertial():
    link = Link(
        "a", collisions=(Collision(Box((1.0, 2.0, 3.0)), Pose((0.5, 0.0, 0.0)), density=2.0),)
    )
    mass = raw_of_model(Robot("r", (link,))).links[0].mass
    assert mass is not None
    near(
        (mass.mass, mass.center, mass.tensor),
        (12.0, (0.5, 0.0, 0.0), (13.0, 0.0, 0.0, 10.0, 0.0, 5.0)),
    )


PART = st.one_of(st.none(), st.floats(0.0, 1.0))


@examples(20)
@given(st.tuples(PART, PART, PART, PART))
def test_a_material_without_a_color_is_white(values):
    """What it shines and glows is that of a white one; a glow of 0.5 is half of it."""
    surfaces = []
    for color in (None, (1.0, 1.0, 1.0, 1.0)):
        visual = Visual(Sphere(1.0), material=Material("m", color, "", *values))
        surfaces.append(raw_of_model(Robot("r", (Link("a", visuals=(visual,)),))).links[0].shapes)
    (plain,), (white,) = surfaces
    assert plain.surface == white.surface and (plain.color, white.color) == (None, (1.0,) * 4)
    glow = values[1]
    assert plain.surface.get("emission") == (None if glow is None else (glow, glow, glow, 1.0))


@pytest.mark.parametrize(
    "key",
    (
        "mass",
        "xyz",
        "rpy",
        "size",
        "radius",
        "length",
        "axis",
        "lower",
        "upper",
        "effort",
        "velocity",
        "damping",
        "friction",
        "multiplier",
        "ixx",
        "iyz",
        "mu1",
        "stiffness",
    ),
)
def test_each_number_of_the_text_is_compared_with_the_urdf(key):
    """The text that is proven is not read by what wrote it: a number that changes on the way is another robot."""
    text, reference = Robot.from_urdf(LIMB).to_json(), read_urdf(LIMB.encode())
    verify_json(text, reference)
    changed_text, count = re.subn(
        rf'("{key}": \[?)([-0-9.e]+)', lambda hit: f"{hit[1]}{float(hit[2]) + 0.01}", text
    )
    assert count
    with pytest.raises((ProofFailed, BrokenRobot)):
        verify_json(changed_text, reference)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "neither XML nor JSON"),
        (b"<html/>", "begins with <html>"),
        (b"[]", "neither XML nor JSON"),
        (b"{", "not valid JSON"),
        (b'{"format": 1, "bones": []}', "this is an armature: compare the URDF that it names"),
        (b'{"format": 2}', 'it has no "format": 1'),
        (b'{"format": 1}', "has no 'name'"),
        (b'{"format": 1, "name": "r", "links": 3}', "links must be a list"),
        (b'{"format": 1, "name": "r", "links": [3]}', r"links\[0\] must be an object"),
        (
            b'{"format": 1, "name": "r", "links": [{"name": "a", "velocity_decay": "x"}]}',
            "must be a number",
        ),
        (
            b'{"format": 1, "name": "r", "links": [{"name": "a", "velocity_decay": NaN}]}',
            "NaN is not a number",
        ),
    ],
)
def test_what_is_no_robot_is_refused_with_a_sentence(data, words):
    with pytest.raises(UrdfError, match=words) as error:
        read_bytes(data, "file")
    assert str(error.value).startswith("file")


SPOILT = (
    None,
    1e308,
    "x",
    "",
    [],
    {},
    -1,
    0,
    True,
    10**400,
    1e-308,
    "\ud800",
    [1],
    ["x"],
    [None],
    "world",
)
DOCUMENTS = [
    *(
        json.loads(Robot.from_urdf(ROOT / "fixtures" / name / "robot.urdf").to_json())
        for name in ("arm", "painted_arm")
    ),
]


def places_in(value, path=()):
    """Yield the way to each value inside of another."""
    for key in (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield (*path, key)
        yield from places_in(value[key], (*path, key))


def spoilt(document, r):
    """Return a copy in which one to three values are gone, are there twice, or are others, or other numbers."""
    document = copy.deepcopy(document)
    for _ in range(r.choice((1, 1, 2, 3))):
        *way, last = r.choice(list(places_in(document)))
        around = document
        for key in way:
            around = around[key]
        change = r.random()
        if isinstance(around[last], float) and change < 0.9:
            around[last] += r.choice((0.5, 1e-3, 2.0))
        elif change < 0.25:
            del around[last]
        elif change < 0.4 and isinstance(around, list):
            around.append(copy.deepcopy(around[last]))
        else:
            around[last] = r.choice(SPOILT)
    return document


def test_spoilt_json_is_read_or_refused_with_a_sentence():
    compared = []

    @given(st.integers(0, 2**32))
    def law(seed):
        r = random.Random(seed)
        document = r.choice(DOCUMENTS)
        sound = read_bytes(json.dumps(document).encode(), "sound.json")
        compared.append(False)
        try:
            found = read_bytes(json.dumps(spoilt(document, r)).encode(), "spoilt.json")
            report(compare(found, sound), full=True)
            compared[-1] = True
        except UrdfError as error:
            assert str(error).startswith("spoilt.json: ")

    law()
    assert sum(compared) >= len(compared) // 10


def test_compounds_inside_each_other_are_refused():
    geometry = {"type": "sphere", "radius": 1.0}
    for _ in range(150):
        geometry = {"type": "compound", "parts": [{"geometry": geometry}]}
    text = json.dumps(
        {"format": 1, "name": "r", "links": [{"name": "a", "visuals": [{"geometry": geometry}]}]}
    )
    with pytest.raises(UrdfError, match='geometry.type is "compound"'):
        read_model(text)
