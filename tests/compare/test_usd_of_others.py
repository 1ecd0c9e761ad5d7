"""Anybody's USD: layers, crate files, the ways in which UsdPhysics is written, what is noted, and what is refused."""

import random
import re
import zipfile
from io import BytesIO
from math import pi, radians

import pytest
from conftest import ROOT
from commands import in_process
from hypothesis import given, strategies as st
from usd_texts import ALPHABET, bodies, HEAD, HINGE, IS_BODY, MASS, read, requoted, robot, spelled

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.comparison_text import report
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.formats.usd.compose_stage import read_stage
from urdf_tools.formats.usd.usd_layers import LayerLoader
from urdf_tools.formats.usd.read_stage import read_layers
from urdf_tools.formats.usd.read_usda import read_usda
from urdf_tools.robot.raw_robot import RawRobot
from urdf_tools.meshes.verify_witnesses import distance
from urdf_tools.urdf.spatial_math import rotation_angle

FOLDER = ROOT / "fixtures" / "usd"
ARM = (FOLDER / "arm.usda").read_text("utf-8")
CRATES = sorted(FOLDER.glob("*.usdc"))


def same(text, other):
    return compare(read(text), read(other)).is_same


ARCS = {  # what the robot's file says, and the file that it is brought in from
    "payload": 'def Xform "robot" (prepend payload = @./far.usda@)\n{\n}\n',
    "payload of a list": 'def "robot" (payload = [@far.usda@</robot> (offset = 1)])\n{\n}\n',
    "reference": 'def Xform "robot" (references = @./far.usda@</robot>)\n{\n}\n',
    "reference of an inner prim": """def Xform "robot"
{
    def "base" (append references = @far.usda@</robot/base>)
    {
    }
    def "arm" (append references = @far.usda@</robot/arm>)
    {
    }
    def "hinge" (append references = @far.usda@</robot/hinge>)
    {
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/arm>
    }
}
""",
    "through a class": 'class "_c" (references = @far.usda@)\n{\n}\n'
    'def Xform "robot" (inherits = </_c>)\n{\n}\n',
    "specializes": 'class "_c" (references = @far.usda@)\n{\n}\n'
    'def Xform "robot" (add specializes = </_c>)\n{\n}\n',
    "instance": 'def Xform "robot" (instanceable = true\n references = @far.usda@)\n{\n}\n',
    "variant": """def Xform "robot" (
    variants = { string physics = "on" }
    prepend variantSets = ["physics"]
)
{
    variantSet "physics" = {
        "on" (prepend payload = @far.usda@) {
        }
        "off" {
        }
    }
}
""",
}


@pytest.mark.parametrize("arc", ARCS)
@pytest.mark.parametrize("is_packed", [False, True], ids=["files", "usdz"])
def test_what_an_arc_brings_in_is_the_robot(arc, is_packed, tmp_path):
    near = HEAD.format("") + ARCS[arc]

    def found(mass):
        layers = {"robot.usda": near, "far.usda": robot(mass)}
        path = tmp_path / ("robot.usdz" if is_packed else "robot.usda")
        if is_packed:
            with zipfile.ZipFile(path, "w") as archive:
                for name, text in layers.items():
                    archive.writestr(name, text)
        else:
            for name, text in layers.items():
                (tmp_path / name).write_text(text, "utf-8")
        return read_robot_of(path)

    assert [joint.name for joint in found(2).joints] == ["hinge"]
    assert compare(found(2), read(robot(2))).is_same
    assert compare(found(5), read(robot(2))).verdict == "masses"


VARIED = HEAD.format("\n 'a comment'") + ARCS["variant"]


@given(texts=st.lists(st.text(ALPHABET), min_size=1), seed=st.integers(0, 1 << 30))
def test_a_string_is_read_in_whatever_quotes_and_escapes_it_is_written(texts, seed):
    rng = random.Random(seed)
    keys = [f"{k}{text}" for k, text in enumerate(texts)]
    said = "".join(f"string {spelled(key, rng)} = 'it\\'s'\n" for key in keys)
    values = ", ".join(spelled(text, rng) for text in texts)
    layer = (
        f"#usda 1.0\n({spelled(texts[0], rng)}\n customLayerData = {{\n{said}}}\n)\n"
        f'def "a"\n{{\n string[] b = [{values}]\n string c = {spelled(texts[-1], rng)}\n}}\n'
    )
    top = read_usda(layer.encode("utf-8"), "r.usda")
    parts = top.said["customLayerData"].parts
    assert [part.kind for part in parts] == keys
    assert {part.text for part in parts} == {"it's"}
    assert list(top.children[0].words("b")) == texts
    assert top.children[0].word("c") == texts[-1]


@given(seed=st.integers(0, 1 << 30))
def test_quotes_of_names_schemas_and_variants_make_no_difference(seed):
    rng = random.Random(seed)
    texts = {"robot.usda": VARIED, "far.usda": robot(2)}
    layers = LayerLoader({name: requoted(text, rng).encode() for name, text in texts.items()})
    assert compare(read_layers(layers, "robot.usda"), read(robot(2))).is_same


NO_STRINGS = ["'a\nb'", '"a\\\nb"', "'a\"", "\"\"\"a'''", "''a'''", r"'\xff'"]


@pytest.mark.parametrize("text", NO_STRINGS)
def test_a_string_that_does_not_end_or_is_no_text_is_refused(text):
    with pytest.raises(UrdfError, match="not USD's text|not UTF-8"):
        read_usda(f'#usda 1.0\ndef "a"\n{{\n string b = {text}\n}}\n'.encode(), "r.usda")


def test_sublayers_and_overs_are_stronger_in_their_order(tmp_path):
    (tmp_path / "below.usda").write_text(robot(2), "utf-8")
    over = 'over "robot"\n{\n    over "arm"\n    {\n        float physics:mass = 5\n    }\n}\n'
    path = tmp_path / "top.usda"
    path.write_text(HEAD.format("\n subLayers = [@below.usda@]") + over, "utf-8")
    assert compare(read_robot_of(path), read(robot(5))).is_same


def test_a_body_that_is_outside_of_what_is_brought_in_is_not_taken_for_the_world(tmp_path):
    """USD drops such a target, and an engine would nail the arm to the world."""
    (tmp_path / "far.usda").write_text(robot(joint=""), "utf-8")
    (tmp_path / "arm.usda").write_text(
        HEAD.format("").replace("robot", "arm") + 'def "arm"\n{\n' + HINGE.format("") + "}\n",
        "utf-8",
    )
    path = tmp_path / "near.usda"
    joints = 'def "joints" (references = @arm.usda@)\n{\n}\n'
    path.write_text(
        f'{HEAD.format("")}def "robot" (references = @far.usda@)\n{{\n{joints}}}\n',
        "utf-8",
    )
    with pytest.raises(UrdfError, match="physics:body0 leads out of what is brought in"):
        read_robot_of(path)


def test_what_is_said_below_an_instance_is_no_opinion_however_deep_it_is():
    def nested(word, number, names="abc"):
        said = "(instanceable = true\n references = @far.usda@)" if names == word else ""
        inner = nested(word, number, names[1:]) if names[1:] else ""
        kind = "over" if word and names != word else "def"
        return f'{kind} "{names[0]}" {said}\n{{\ndouble x = {number}\n{inner}\n}}'

    layers = {"far.usda": nested("", 1), "near.usda": nested("abc", 2)}
    data = {
        name: f'#usda 1.0\n(defaultPrim = "a")\n{text}'.encode() for name, text in layers.items()
    }
    top, *_ = read_stage(LayerLoader(data), "near.usda")
    prims = list(top.walk())[1:]
    assert [(prim.path, prim.number("x")) for prim in prims] == [
        ("/a", 2.0),
        ("/a/b", 1.0),
        ("/a/b/c", 1.0),
    ]


def test_a_block_and_an_inactive_prim_are_gone(tmp_path):
    (tmp_path / "below.usda").write_text(robot(2), "utf-8")
    over = 'over "robot"\n{\n    over "hinge"\n    {\n        float physics:upperLimit = None\n    }\n}\n'
    path = tmp_path / "top.usda"
    path.write_text(HEAD.format("\n subLayers = [@below.usda@]") + over, "utf-8")
    assert read_robot_of(path).joints[0].upper is None
    path.write_text(
        path.read_text("utf-8").replace('over "hinge"', 'over "hinge" (active = false)'),
        "utf-8",
    )
    with pytest.raises(UrdfError, match="2 links have no parent"):
        read_robot_of(path)


PLACES = {  # ways to say: 0.5 up, then a quarter turn about x; each is the first one
    "orient": "double3 xformOp:translate = (0, 0, 0.5)\n"
    "quatf xformOp:orient = (0.70710677, 0.70710677, 0, 0)",
    "angle": "float3 xformOp:translate = (0, 0, 0.5)\nfloat xformOp:rotateX = 90",
    "three angles": "double3 xformOp:translate = (0, 0, 0.5)\nfloat3 xformOp:rotateXYZ = (90, 0, 0)",
    "other order": "double3 xformOp:translate = (0, 0, 0.5)\ndouble3 xformOp:rotateZYX = (90, 0, 0)",
    "one axis": "double xformOp:translateZ = 0.5\nhalf xformOp:rotateX = 90",
    "matrix": "matrix4d xformOp:transform = ((1,0,0,0), (0,0,1,0), (0,-1,0,0), (0,0,0.5,1))",
    "longer quaternion": "double3 xformOp:translate = (0, 0, 0.5)\nquatd xformOp:orient = (2, 2, 0, 0)",
}


@pytest.mark.parametrize("place", PLACES)
def test_every_kind_of_transform_places_the_body(place):
    turned = HINGE.format("\n        quatf physics:localRot1 = (0.70710677, -0.70710677, 0, 0)")
    texts = [robot(place=PLACES[name], joint=turned) for name in ("angle", place)]
    first, found = map(read, texts)
    assert compare(first, found).is_same
    T, other = [each.joints[0].T_parent_child for each in (first, found)]
    assert distance(T.translation, other.translation) < 1e-7
    assert rotation_angle(T.rotation, other.rotation) < 1e-7
    assert found.notes == first.notes


def test_pivots_and_inverted_ops():
    pivot = "double3 xformOp:translate:pivot = (0, 1, 0)\ndouble3 xformOp:translate = (0, 0, 0.5)"
    order = ["xformOp:translate:pivot", "xformOp:translate", "!invert!xformOp:translate:pivot"]
    assert same(robot(place=pivot, order=order), robot())
    reset = ["!resetXformStack!", "xformOp:translate"]
    assert same(robot(order=reset), robot())


def test_units_and_axes_of_the_stage():
    text = robot(head="\n    kilogramsPerUnit = 0.5").replace(
        "metersPerUnit = 1", "metersPerUnit = 0.1"
    )
    found = read(text)
    assert found.joints[0].T_parent_child.translation == pytest.approx((0.0, 0.0, 0.05))
    mass = found.links[1].mass
    assert mass.mass == 1.0
    assert mass.center == pytest.approx((0.0, 0.0, 0.01))
    assert mass.tensor == pytest.approx((0.0005, 0.0, 0.0, 0.001, 0.0, 0.00075))
    upright = read(robot().replace('upAxis = "Z"', 'upAxis = "Y"'))
    turned = upright.T_file_root.rotation
    assert [row[2] for row in turned] == pytest.approx([0.0, -1.0, 0.0])
    assert compare(upright, read(robot())).is_same


def test_a_scale_on_a_body_belongs_to_what_is_in_it():
    shape = 'def Sphere "ball" {\n double radius = 0.25\n }'
    place = "double3 xformOp:translate = (0, 0, 0.5)\nfloat3 xformOp:scale = (2, 2, 2)"
    found = read(robot(place=place, more=shape))
    assert found.links[1].shapes[0].sizes == (0.5,)
    assert found.links[1].mass.center == pytest.approx((0.0, 0.0, 0.2))
    assert found.joints[0].T_parent_child.translation == (0.0, 0.0, 0.5)


JOINTS = {  # what a joint says more or otherwise, and what is read of it
    "no limits": (
        "float physics:lowerLimit = -90",
        "float physics:lowerLimit = -inf",
        "lower",
        None,
    ),
    "an axis": ('axis = "Z"', 'axis = "X"', "axis", (1.0, 0.0, 0.0)),
    "no axis": ('uniform token physics:axis = "Z"', "", "axis", (1.0, 0.0, 0.0)),
    "a word that hides": ("lowerLimit = -90", "lowerLimit = None", "lower", None),
    "a body twice": ("</robot/base>", "[</robot/base>, </robot/base>]", "parent", "base"),
    "a body of a variant": ("</robot/base>", "</robot{v=a}base>", "parent", "base"),
    "an edit": ("rel physics:body0", "prepend rel physics:body0", "parent", "base"),
    "a prim over none": (
        "    def",
        '    over PhysicsFixedJoint "j" {\nrel physics:body1 = </robot/arm>\n}\n    def',
        "name",
        "hinge",
    ),
    "a schema alone": (
        "\n    {",
        '(prepend apiSchemas = "PhysicsDriveAPI:angular") {\n'
        "float drive:angular:physics:maxForce = 7\n",
        "effort",
        7.0,
    ),
    "exchanged limits": ("upperLimit = 90", "upperLimit = -100", "type", "fixed"),
    "the other way round": (
        "rel physics:body0 = </robot/base>\n        rel physics:body1 = </robot/arm>",
        "rel physics:body1 = </robot/base>\n        rel physics:body0 = </robot/arm>",
        "parent",
        "arm",
    ),
}


@pytest.mark.parametrize("row", JOINTS.values(), ids=JOINTS)
def test_what_a_joint_says(row):
    old, new, field, value = row
    joint = HINGE.format("")
    assert old in joint
    assert getattr(read(robot(joint=joint.replace(old, new))).joints[0], field) == value


def test_a_joint_away_from_the_world_turns_the_tree():
    """The same two bodies, with the arm held by the world and body0 and body1 in any order."""
    held = (
        HINGE.format("")
        + '    def PhysicsFixedJoint "h" {\n rel physics:body0 = </robot/arm>\n }\n'
    )
    found = read(robot(joint=held))
    assert found.base == "fixed"
    assert [(joint.parent, joint.child) for joint in found.joints] == [
        ("arm", "base"),
        ("world", "arm"),
    ]
    hinge = found.joints[0]
    assert hinge.axis == (0.0, 0.0, -1.0)
    assert hinge.T_parent_child.translation == (0.0, 0.0, -0.5)
    assert (hinge.lower, hinge.upper) == pytest.approx((-pi / 2, pi / 2))


def test_a_loop_is_no_second_parent():
    loop = HINGE.format("\n        bool physics:excludeFromArticulation = 1").replace(
        "hinge", "again"
    )
    found = read(robot(joint=HINGE.format("") + loop))
    assert [(each.name, each.kind, each.links) for each in found.loops] == [
        ("again", "revolute", ("base", "arm"))
    ]
    assert found.notes == read(robot()).notes


DEGREES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
FREE = {  # of a joint of any kind: what is free, and what it is then
    ("rotY",): ("continuous", (0.0, 1.0, 0.0)),
    ("transZ",): ("prismatic", (0.0, 0.0, 1.0)),
    ("rotX", "rotY", "rotZ"): ("ball", None),
    ("transX", "transY", "rotZ"): ("planar", (0.0, 0.0, 1.0)),
    DEGREES: ("floating", None),
    (): ("fixed", None),
    ("rotX", "rotY"): None,
    ("transX", "rotX"): None,
}


@pytest.mark.parametrize("free", FREE)
@pytest.mark.parametrize("low", [1, 0], ids=["crossed", "equal"])
def test_a_joint_of_any_kind(free, low):
    locked = [name for name in DEGREES if name not in free]
    schemas = ", ".join(f'"PhysicsLimitAPI:{name}"' for name in locked)
    limits = "\n".join(
        f"float limit:{name}:physics:low = {low}\nfloat limit:{name}:physics:high = 0"
        for name in locked
    )
    joint = HINGE.format(f"\n{limits}").replace("RevoluteJoint", "Joint")
    joint = joint.replace('"hinge"', f'"hinge" (prepend apiSchemas = [{schemas}])')
    if FREE[free] is None:
        with pytest.raises(UrdfError, match="no type of joint moves so"):
            read(robot(joint=joint))
        return
    kind, axis = FREE[free]
    found = read(robot(joint=joint)).joints[0]
    assert found.type == kind
    assert axis is None or found.axis == axis


def test_drives_and_values_of_engines():
    said = """
        uniform token drive:angular:physics:type = "force"
        float drive:angular:physics:maxForce = 7
        float drive:angular:physics:stiffness = 2
        float physxJoint:maxJointVelocity = 90
        float newton:armature = 0.5
        float physxJointAxis:angular:armature = 0.25"""
    joint = HINGE.format(said).replace(
        '"hinge"', '"hinge" (apiSchemas = ["PhysicsDriveAPI:angular"])'
    )
    found = read(robot(joint=joint))
    hinge = found.joints[0]
    assert (hinge.effort, hinge.velocity) == (7.0, pytest.approx(pi / 2))
    assert hinge.values["armature"] == (0.5,)
    assert found.actuators[0].values["kp"][0] == pytest.approx(2.0 / radians(1.0))
    assert any("not alike: newton:armature counts" in note for note in found.notes)


def driven(gains, type="force"):
    """Return a robot whose hinge has a drive with gains, by name."""
    said = [f"float drive:angular:physics:{name} = {gain}" for name, gain in gains.items()]
    said.append(f'uniform token drive:angular:physics:type = "{type}"')
    applied = HINGE.format("\n".join(["", *said])).replace(
        '"hinge"', '"hinge" (apiSchemas = ["PhysicsDriveAPI:angular"])'
    )
    return read(robot(joint=applied))


GAINS = {"stiffness": 10, "damping": 1, "maxForce": 5}


@pytest.mark.parametrize(
    ("name", "kind", "shown"),
    [
        ("stiffness", "actuator", "kp 572.958 / 1145.92"),
        ("damping", "actuator", "kv 57.2958 / 114.592"),
        ("maxForce", "effort", "5 / 10"),
    ],
)
def test_gains_of_drives_are_compared_of_two_stages(name, kind, shown):
    """They are for each degree in the file, and for each radian in what is said of them."""
    found = compare(driven(GAINS), driven({**GAINS, name: 2 * GAINS[name]}))
    assert [difference.kind for difference in found.differences] == [kind]
    assert shown in report(found, full=True)
    assert compare(driven(GAINS), driven(GAINS)).is_same


def test_gains_that_are_not_compared_are_named():
    bare = compare(driven(GAINS), read(robot(joint=HINGE.format("\nfloat urdf:limit:effort = 5"))))
    assert "only A says what drives its joints" in report(bare)
    fast = driven(GAINS, "acceleration")
    assert "gains are not read" in report(compare(fast, fast), full=True)


SOLIDS = {  # volume and moments about x and z of 1 kg/m^3
    'Cube "s" {0} {{ double size = 0.5 }}': (0.125, 0.125 * 0.5 / 12, 0.125 * 0.5 / 12),
    'Sphere "s" {0} {{ double radius = 0.5 }}': (pi / 6, pi / 6 * 0.1, pi / 6 * 0.1),
    'Cylinder "s" {0} {{ double radius = 0.5\n double height = 2 }}': (
        pi / 2,
        pi / 2 * (0.75 + 4) / 12,
        pi / 2 * 0.125,
    ),
    'Mesh "s" {0} {{ point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (0,0,1)]\n'
    "int[] faceVertexCounts = [3, 3]\n int[] faceVertexIndices = [0, 1, 2, 0, 1, 3] }}": (
        1 / 6,
        1 / 6 * 0.075,
        1 / 6 * 0.075,
    ),
}


@pytest.mark.parametrize("solid", SOLIDS)
@pytest.mark.parametrize("of", ["mass", "density", "nothing"])
def test_a_mass_that_is_not_written_is_that_of_the_shapes(solid, of):
    volume, xx, zz = SOLIDS[solid]
    collides = '(prepend apiSchemas = ["PhysicsCollisionAPI"])'
    written = {
        "mass": "float physics:mass = 3",
        "density": "float physics:density = 2",
        "nothing": "",
    }
    density = {"mass": 3 / volume, "density": 2.0, "nothing": 1000.0}[of]
    text = robot(more=f"def {solid.format(collides)}").replace(MASS.format(2), f"\n{written[of]}")
    found = read(text)
    mass = found.links[1].mass
    assert mass.mass == pytest.approx(density * volume)
    assert mass.tensor[::5] == pytest.approx((density * xx, density * zz))
    assert any("is not given, and is that of the shapes" in note for note in found.notes)


@pytest.mark.parametrize(
    ("said", "kilograms"),
    [
        (
            "float physics:density = 0.5",
            0.5 * 2.0 * 8.0,
        ),  # of each cubed unit, of which a side has two
        ("float physics:mass = 3", 3.0 * 2.0),
        ("", 1000.0 * 8e-6),
    ],
)
def test_masses_and_densities_of_shapes_are_in_the_units_of_the_stage(said, kilograms):
    collides = '(prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])'
    text = robot(more=f'def Cube "s" {collides} {{ double size = 2\n {said} }}')
    text = text.replace("metersPerUnit = 1", "metersPerUnit = 0.01\n kilogramsPerUnit = 2")
    mass = read(text.replace(MASS.format(2), "")).links[1].mass
    assert mass.mass == pytest.approx(kilograms)
    assert mass.tensor[0] == pytest.approx(kilograms * 0.02 * 0.02 / 6.0)


def test_frames_that_close_a_loop_are_one_in_a_stage_as_in_a_urdf(tmp_path):
    """onshape-to-robot names them so: without it the URDF that is written has a loop that the USD has not."""
    frames = [f'def Xform "closing_a_{end}" (kind = "subcomponent") {{\n}}' for end in (1, 2)]
    text = robot(more=frames[0]).replace(IS_BODY + "\n    {", f"{IS_BODY}\n    {{{frames[1]}", 1)
    path = tmp_path / "loop.usda"
    path.write_text(text, "utf-8")
    assert [(loop.name, loop.links) for loop in read(text).loops] == [
        ("closing_a", ("closing_a_1", "closing_a_2"))
    ]
    assert in_process(["export", str(path), str(tmp_path / "loop.urdf"), "-y"]).returncode == 0
    assert compare(read_robot_of(path), read_robot_of(tmp_path / "loop.urdf")).is_same


def test_a_body_that_nothing_weighs_is_noted():
    found = read(robot().replace(MASS.format(2), ""))
    assert found.links[1].mass is None
    assert any("</robot/arm> no mass" in note for note in found.notes)


@pytest.mark.parametrize(
    ("selected", "why"),
    [
        ("", "none is selected"),
        ('variants = { string physics = "no" }', "'no' is selected, which is not there"),
    ],
)
def test_variants_of_which_none_is_taken_are_named_with_what_there_is(selected, why, tmp_path):
    """The robot of such a file has no bodies, and was "OK" without a word."""
    path = tmp_path / "r.usda"
    inside = f'variantSet "physics" = {{\n"on" {{{bodies()}\n}}\n"off" {{\n}}\n}}'
    said = f'{selected}\nprepend variantSets = "physics"'
    path.write_text(f'{HEAD.format("")}def Xform "robot" ({said})\n{{\n{inside}\n}}\n', "utf-8")
    sentence = (
        f"[input-unselected] line 7: prim </robot>: of its variants 'physics' ('on', 'off') {why}"
    )
    done = in_process(["export", str(path), str(tmp_path / "o.urdf"), "-y"])
    assert sentence in " ".join(done.stdout.decode().split())
    done = in_process(["lint", str(path), "--fail-on", "warning"])
    assert done.returncode == 1 and b"input-unselected" in done.stdout


def test_a_variant_that_is_selected_is_no_warning():
    inside = f'variantSet "physics" = {{\n"on" {{{bodies()}{HINGE.format("")}\n}}\n}}'
    said = 'variants = { string physics = "on" }\nprepend variantSets = "physics"'
    found = read(f'{HEAD.format("")}def Xform "robot" ({said})\n{{\n{inside}\n}}\n')
    assert len(found.links) == 2 and found.unread == ()


@pytest.mark.parametrize("said", ["physics:kinematicEnabled = 1", "physics:rigidBodyEnabled = 0"])
def test_a_held_body_with_a_mass_is_held_as_one_without(said):
    """Palms and cabinets are of that kind; it was refused as a mass that is in no body."""
    held = robot().replace(MASS.format(3), f"{MASS.format(3)}\n bool {said}")
    without = robot().replace(MASS.format(3), f"\n bool {said}")
    assert compare(read(held), read(without)).is_same
    assert read(held).base == "fixed"
    assert any("its mass of 3 kg weighs nothing" in note for note in read(held).notes)
    assert read(held).unread == ()


@pytest.mark.parametrize("kind", ["Scope", "", "Material"])
def test_what_moves_an_xform_moves_no_prim_that_has_no_place(kind):
    """UsdGeomXformable: a Scope and what has no type are none."""
    place = 'double3 xformOp:translate = (1, 2, 3)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    box = 'def Cube "box" {\n}'
    moved = robot(more=f'def {kind} "group" {{\n{place}\n{box}\n}}')
    plain = robot(more=f'def {kind} "group" {{\n{box}\n}}')
    assert compare(read(moved), read(plain)).is_same
    assert any("which move nothing" in note for note in read(moved).notes)
    as_xform = moved.replace(f"def {kind} ", "def Xform ")
    assert not compare(read(as_xform), read(plain)).is_same


def test_a_shape_of_no_size_is_left_out_and_a_capsule_without_height_is_a_ball():
    cylinder = robot(more='def Cylinder "s" {\ndouble radius = 0\n}')
    assert compare(read(cylinder), read(robot())).is_same
    assert any("a Cylinder whose radius is 0" in note for note in read(cylinder).notes)
    capsule = robot(more='def Capsule "s" {\ndouble height = 0\ndouble radius = 0.2\n}')
    sphere = robot(more='def Sphere "s" {\ndouble radius = 0.2\n}')
    assert compare(read(capsule), read(sphere)).is_same
    with pytest.raises(UrdfError, match="its radius is -1"):
        read(robot(more='def Cylinder "s" {\ndouble radius = -1\n}'))


def test_a_mass_without_its_schema_is_none():
    text = robot().replace(IS_BODY, IS_BODY.replace(', "PhysicsMassAPI"', ""))
    assert [link.mass for link in read(text).links] == [None, None]


def test_a_class_that_two_files_have_is_refused(tmp_path):
    """Each file adds to a class of the other in USD: that is not composed here."""
    twice = 'class "_c"\n{\n    double a = 1\n}\n'
    far = robot(said="inherits = </_c>") + twice
    (tmp_path / "far.usda").write_text(far, "utf-8")
    near = HEAD.format("") + ARCS["reference"]
    path = tmp_path / "r.usda"
    path.write_text(near, "utf-8")
    assert compare(read_robot_of(path), read(robot())).is_same
    path.write_text(near + twice, "utf-8")
    with pytest.raises(UrdfError, match="what both say together is not composed"):
        read_robot_of(path)


def test_newtons_tensor_wins():
    tensor = "double[] newton:inertia = [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]"
    mass = read(robot(more=tensor)).links[1].mass
    assert mass.tensor == (0.3, 0.01, 0.02, 0.4, 0.03, 0.5)


def test_frames_and_groups():
    frame = 'def Xform "tool" {\n double3 xformOp:translate = (0, 0, 1)\n'
    frame += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}'
    group = 'def Xform "visuals" {\n def Xform "m" {\n def Cube "c" {\n }\n }\n }'
    found = read(robot(more=f"{frame}\n{group}"))
    names = [link.name for link in found.links]
    assert "tool" in names
    assert "visuals" not in names
    assert sum(len(link.shapes) for link in found.links) == 1


def test_frames_in_frames_that_no_body_carries_are_scenery():
    group = 'def Xform "left" {\n def Xform "finger" {\n def Xform "tip" {\n }\n }\n }\n'
    found = read(robot(joint=HINGE.format("") + group))
    assert [link.name for link in found.links] == ["base", "arm"]


SHAPES = {
    "Cube": ("", "box", (2.0, 2.0, 2.0)),
    "Sphere": ("float3 xformOp:scale = (1, 2, 3)", "ellipsoid", (1.0, 2.0, 3.0)),
    "Cylinder": ('uniform token axis = "X"', "cylinder", (1.0, 2.0)),
    "Capsule": ("", "capsule", (0.5, 1.0)),
    "Cone": ("", "mesh", (1.0, 1.0, 1.0)),
    "Plane": ("", "plane", ()),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_and_what_they_are_where_nothing_is_said(kind):
    said, geometry, sizes = SHAPES[kind]
    order = 'uniform token[] xformOpOrder = ["xformOp:scale"]' if "scale" in said else ""
    shape = read(robot(more=f'def {kind} "s" {{\n{said}\n{order}\n}}')).links[1].shapes[0]
    assert (shape.role, shape.geometry, shape.sizes) == ("visual", geometry, sizes)


def test_what_hides_a_shape_hides_all_in_it():
    inside = '{{\n {0}\n def Cube "c" (apiSchemas = ["PhysicsCollisionAPI"]) {{\n }}\n }}'
    for said in ('token visibility = "invisible"', 'uniform token purpose = "guide"'):
        shapes = read(robot(more='def Xform "g" ' + inside.format(said))).links[-1].shapes
        assert [shape.role for shape in shapes] == ["collision"]


REFUSED = {
    "a layer that is not there": (robot(said="payload = @gone.usda@"), "which is not there"),
    "a layer of a server": (
        robot(said="payload = @omniverse://a/b.usd@"),
        "</robot>: it takes .* download it",
    ),
    "a prim that is not there": (robot(said="references = </gone>"), "</robot>: it takes </gone>"),
    "itself": (robot(said="references = </robot>"), "it takes in itself"),
    "a body that a joint names and is not there": (
        robot().replace("</robot/arm>", "</robot/leg>"),
        "</robot/hinge>: it joins </robot/leg>, which is not there",
    ),
    "no default prim": (robot().replace('"robot"\n', '"other"\n', 1), "no prim 'other'"),
    "two parts": (robot(joint=""), "2 links have no parent"),
    "a body elsewhere": (
        robot() + f'def Xform "b" {IS_BODY}\n{{\n}}\n',
        "</b>: it is a body outside",
    ),
    "a transform of no kind": (
        robot(place="double xformOp:bend = 1"),
        "'xformOp:bend' is a transform of no known kind",
    ),
    "numbers that are none": (robot().replace("mass = 2", 'mass = "2"'), "holds what is no number"),
    "two numbers for one": (robot().replace("mass = 2", "mass = (2, 3)"), "is not 1 number"),
    "a layer below itself": (robot(head="\n subLayers = [@r.usda@]"), "sublayer of itself"),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_known_is_refused_with_its_prim(row, tmp_path):
    text, says = row
    path = tmp_path / "r.usda"
    path.write_text(text, "utf-8")
    with pytest.raises(UrdfError, match=says):
        read_robot_of(path)


def test_prims_that_multiply_end_with_a_sentence():
    levels = "\n".join(
        f'class "c{k}" {{\n def "a" (references = </c{k + 1}>) {{\n }}\n'
        f' def "b" (references = </c{k + 1}>) {{\n }}\n}}'
        for k in range(40)
    )
    text = (
        f'{HEAD.format("")}{levels}\nclass "c40" {{\n}}\ndef "robot" (references = </c0>) {{\n}}\n'
    )
    with pytest.raises(UrdfError, match="arcs make too many prims"):
        read(text)


def plain(value):
    """Return a value without what depends on the file that it was read from."""
    if callable(value):
        return value()
    if isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", ())
        return [
            None if field in ("line", "file") else plain(part)
            for field, part in zip(fields or [""] * len(value), value)
        ]
    return value


@pytest.mark.parametrize("path", CRATES, ids=lambda path: path.stem)
def test_a_crate_file_is_its_text(path):
    text, crate = read(ARM), read_robot_of(path)
    for field in ("links", "joints", "actuators", "apart", "notes", "gravity", "base"):
        assert plain(getattr(crate, field)) == plain(getattr(text, field)), field


def test_the_arm_is_what_its_text_says():
    found = read(ARM)
    assert [link.name for link in found.links] == ["world", "base", "upper", "tip", "left", "right"]
    assert [(joint.name, joint.type) for joint in found.joints] == [
        ("mount", "fixed"),
        ("shoulder", "revolute"),
        ("slide", "prismatic"),
        ("follow", "prismatic"),
        ("to tip", "fixed"),
    ]
    assert found.apart == (("base", "upper"),)
    assert found.gravity == (0.0, 0.0, -9.81)
    assert found.notes == ()
    follow = found.joints[3]
    assert (follow.parent, follow.child, follow.mimic) == ("upper", "right", ("slide", -1.0, 0.0))
    shell = found.links[1].shapes
    assert [shape.role for shape in shell] == ["collision", "visual"]
    assert shell[0].surface == {"mu1": (0.875,)}
    assert shell[1].surface == {"metalness": (0.75,)}


def test_an_archive_of_a_crate_file_is_the_same(tmp_path):
    path = tmp_path / "arm.usdz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(CRATES[-1], "arm.usdc")
    assert plain(read_robot_of(path).links) == plain(read(ARM).links)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(CRATES[-1], "arm.usdc")
    with pytest.raises(UrdfError, match="compressed"):
        read(packed.getvalue(), "a.usdz")


@pytest.mark.parametrize(
    "asset, reason",
    [
        (
            "missing.usdz[far.usda]",
            "it takes @./missing.usdz.far.usda.@ from elsewhere, which is not there",
        ),
        (
            "far.usdz[other.usda]",
            "it takes @./far.usdz.other.usda.@ from elsewhere, which is not there",
        ),
        ("far.usdz[far.usda]", "'far.usda' is compressed"),
    ],
)
def test_a_layer_in_an_archive_that_cannot_be_had_is_refused_with_the_true_reason(
    asset, reason, tmp_path
):
    with zipfile.ZipFile(tmp_path / "far.usdz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("far.usda", robot(2))
    near = tmp_path / "robot.usda"
    near.write_text((HEAD.format("") + ARCS["payload"]).replace("far.usda", asset), "utf-8")
    with pytest.raises(UrdfError, match=reason):
        read_robot_of(near)


@pytest.mark.parametrize("is_of_layer", [True, False], ids=["layer", "prim"])
def test_a_prim_that_is_moved_by_relocates_is_refused_with_the_cure(is_of_layer):
    moved = "relocates = { </robot/arm>: </robot/hand> }"
    text = robot(head=f"\n {moved}") if is_of_layer else robot(said=moved)
    with pytest.raises(UrdfError, match="</robot/arm>: it is moved to </robot/hand>.*--flatten"):
        read(text)
    assert compare(read(text.replace(moved, "relocates = {}")), read(robot())).is_same


@pytest.mark.parametrize("version", [(0, 99, 0), (0, 3, 7), (0, 0, 1), (0, 0, 0), (1, 5, 0)])
def test_a_version_that_is_not_known_is_refused_with_the_cure(version):
    data = bytearray(CRATES[-1].read_bytes())
    data[8:11] = version
    says = "version {}[.]{}[.]{}, and those from 0[.]4 to 0[.]16 .* `usdcat --flatten".format(
        *version
    )
    with pytest.raises(UrdfError, match=says):
        read(bytes(data), "a.usd")


@pytest.mark.parametrize("ending", ["usda", "usdc", "usdz"])
def test_a_usd_is_an_input_as_mjcf_is(ending, tmp_path):
    """Its URDF is the same robot, with its meshes as files, and what that cannot say is noted with its prim."""
    path = tmp_path / f"arm.{ending}"
    text = ARM.replace('def Material "rubber"', 'def "of_nobody"\n{\n}\n def Material "rubber"')
    path.write_bytes(text.encode() if ending == "usda" else CRATES[-1].read_bytes())
    if ending == "usdz":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(CRATES[-1], "arm.usdc")
    done = in_process(["export", str(path), str(tmp_path / "arm.urdf")])
    assert done.returncode == 0, done.stderr
    assert b"input-lost" in done.stdout + done.stderr
    found = compare(read_robot_of(path), read_robot_of(tmp_path / "arm.urdf"))
    assert found.is_same, report(found)
    assert [file.suffix for file in (tmp_path / "arm_meshes").iterdir()] == [".stl"]
    assert in_process(["lint", str(path)]).returncode == 0


STATEMENT = re.compile(r"^\s*(?:uniform )?(\w+)(?:\[\])? ([\w:]+) = (.*)$", re.M)
NUMBER = re.compile(r"-?\d+\.?\d*")
# A world is no robot; a quaternion has any length; what is locked stays locked.
ASIDE = ("gravityMagnitude", "gravityDirection")
STILL = re.compile(r"principalAxes = \(1,|limit:(?!transX)")


def edited(text, statement, chance):
    """Return the text with a number of a statement changed, None without a number."""
    numbers = list(NUMBER.finditer(text, statement.start(3), statement.end(3)))
    if not numbers or '"' in statement.group(3):
        return None
    number = chance.choice(numbers)
    other = repr(float(number.group()) * 1.5 + 0.25)
    if statement.group(1) in ("int", "bool"):
        other = str(int(number.group()) + 1)
    return text[: number.start()] + other + text[number.end() :]


def test_an_edit_of_any_number_is_another_verdict_or_a_sentence():
    """The base is free: the mass of one that the world holds is no part of the motion."""
    free, chance = (
        re.sub(r"    def PhysicsFixedJoint.*?\n    }\n", "", ARM, flags=re.S),
        random.Random(5),
    )
    first, silent = read(free), []
    words = report(compare(first, first), full=True)
    for statement in STATEMENT.finditer(free):
        text = edited(free, statement, chance)
        is_aside = statement.group(2).endswith(ASIDE) or STILL.search(statement.group())
        if text is None or is_aside:
            continue
        try:
            found = read(text)
        except UrdfError:
            continue
        if report(compare(first, found), full=True) == words:
            silent.append(statement.group().strip())
    assert silent == [], silent


@pytest.mark.parametrize("path", [FOLDER / "arm.usda", *CRATES], ids=lambda path: path.name)
def test_a_spoilt_file_is_read_or_refused_with_a_sentence(path):
    data, chance = path.read_bytes(), random.Random(path.name)
    refused = 0
    for _ in range(150):
        spoilt = bytearray(data)
        start = chance.randrange(len(spoilt))
        kind = chance.randrange(4)
        if kind == 0:
            del spoilt[start:]
        elif kind == 1:
            del spoilt[start : start + chance.randrange(1, 40)]
        else:
            for _ in range(chance.randrange(1, 6)):
                spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        try:
            found = read(bytes(spoilt), "r.usd")
            meshes = [shape.inline for link in found.links for shape in link.shapes if shape.inline]
            for inline in meshes:
                inline()
            assert isinstance(found, RawRobot)
        except UrdfError as error:
            refused += 1
            assert str(error)
    assert refused > 15


def test_a_stage_is_composed_without_reading_a_mesh():
    """A mesh that nobody asks for is not decoded: numbers out of the file are no error before."""
    top, notes, _ = read_stage(LayerLoader({}), str(CRATES[-1]))
    shell = next(prim for prim in top.walk() if prim.name == "shell")
    value = shell.properties["points"].value
    assert value is not None
    assert value.numbers is not None
    assert value.text == ""
    assert len(value.numbers()) == 3 * 8
    assert notes == []


def test_of_several_robots_a_file_beside_them_takes_one_as_the_sentence_says(tmp_path):
    """Each has a root of its own; the file that the sentence describes is read as that robot alone."""
    one = robot().partition('def Xform "robot"')[2]
    one = one.replace('"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysicsArticulationRootAPI"]', 1)
    scene = HEAD.format("").replace('"robot"', '"World"') + 'def Xform "World"\n{\n'
    for name in ("left", "right"):
        scene += f'def Xform "{name}"{one}\n'.replace("</robot", f"</World/{name}")
    path = tmp_path / "scene.usda"
    path.write_text(scene + "}\n", "utf-8")
    with pytest.raises(UrdfError, match="several robots .</World/left>, </World/right>.") as caught:
        read_robot_of(path)
    cure = re.search("`(def .*)`", str(caught.value)).group(1)
    beside = tmp_path / "left.usda"
    beside.write_text(f"{HEAD.format('')}{cure} {{}}\n", "utf-8")
    assert compare(read_robot_of(beside), read(robot())).is_same
