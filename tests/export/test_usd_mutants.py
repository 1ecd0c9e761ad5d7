"""Mutants of a text of USD: each is refused by its proof."""

import re

import pytest
from conftest import some_of
from mesh_files import binary_stl

from urdf_tools import model as m
from urdf_tools.base.errors import BrokenRobot, ProofFailed
from urdf_tools.export.usd_exporter import verify_usd, write_usd
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.formats.usd.write_usd_prims import principal_singles
from urdf_tools.model.export_options import Frame, UsdOptions

TURNED = m.Pose((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
RED, BLUE = m.Material("red", (0.8, 0.1, 0.2, 0.5)), m.Material("blue", (0.1, 0.2, 0.8, 1.0))
LIMIT = m.Limit(-1.1, 1.2, 13.0, 3.1)
STATEMENT = re.compile(r"^ *(?:custom |uniform )*(\w+)(\[\])? [\w:]+ = (.*)$", re.M)
NUMBER = re.compile(r"-?[0-9][0-9.]*(?:e[-+]?[0-9]+)?")


def heavy(number):
    a = 0.01 + 0.003 * number
    return m.Inertial(1.1 + number, m.Inertia(a, 1.3 * a, 1.7 * a, 0.1 * a, -0.05 * a, 0.07 * a),
                      m.Pose((0.01, 0.02, -0.03), (0.1, 0.2, 0.3)))  # fmt: skip


def triangle_soup():
    corners = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.1)]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    return binary_stl([[corners[corner] for corner in face] for face in faces])


def robot():
    # fmt: skip.
    links = (
        m.Link("base", heavy(0), visuals=(m.Visual(m.Box((0.1, 0.2, 0.3)), TURNED, RED),)),
        m.Link(
            "upper arm",
            heavy(1),
            collisions=(
                m.Collision(
                    m.Capsule(0.05, 0.3),
                    TURNED,
                    surface=m.Surface(mu1=0.7, mu2=0.7, restitution=0.2),
                ),
                m.Collision(m.Mesh("part.stl", (0.5, -2.0, 1.5)), TURNED),
            ),
        ),
        m.Link(
            "hand",
            heavy(2),
            visuals=(m.Visual(m.Cylinder(0.05, 0.3)), m.Visual(m.Mesh("part.stl"), TURNED, BLUE)),
        ),
        m.Link(
            "finger",
            heavy(3),
            visuals=(m.Visual(m.Sphere(0.04), TURNED), m.Visual(m.Ellipsoid((0.1, 0.2, 0.3)))),
        ),
        m.Link("thumb", heavy(4)),
        m.Link("tip", visuals=(m.Visual(m.Box((0.1, 0.1, 0.1))),)),
        m.Link("plate", heavy(5)),
    )
    # fmt: skip.
    joints = (
        m.Joint(
            "shoulder",
            "revolute",
            "base",
            "upper arm",
            TURNED,
            (0.0, 1.0, 0.0),
            LIMIT,
            m.Dynamics(0.3, 0.7),
            safety=m.Safety(-1.0, 1.1, 10.0, 20.0),
            calibration=m.Calibration(0.3, 0.4),
            armature=0.013,
        ),
        m.Joint(
            "wrist",
            "continuous",
            "upper arm",
            "hand",
            TURNED,
            (0.6, 0.0, -0.8),
            m.Limit(None, None, 2.5, 4.5),
        ),
        m.Joint(
            "slide",
            "prismatic",
            "hand",
            "finger",
            TURNED,
            (0.0, 0.0, 1.0),
            m.Limit(-0.1, 0.2, 30.0, 0.4),
            m.Dynamics(2.0, 3.0),
        ),
        m.Joint(
            "follow",
            "revolute",
            "hand",
            "thumb",
            TURNED,
            (1.0, 0.0, 0.0),
            LIMIT,
            mimic=m.Mimic("shoulder", -0.7, 0.21),
        ),
        m.Joint("held", "fixed", "thumb", "tip", TURNED),
        m.Joint("bolt", "fixed", "base", "plate", TURNED),
    )
    return m.Robot("mutant", links, joints)


def made(tmp_path, **options):
    path = tmp_path / "part.stl"
    path.write_bytes(triangle_soup())
    chosen = UsdOptions(mesh_files=(("part.stl", str(path)),), exclude=(("base", "hand"), ("tip", "base")),
                        frames=(Frame("tool", "hand", TURNED),), **options)  # fmt: skip
    write_usd(robot(), chosen)
    return make_usd(robot(), chosen)


def numbers(text):
    """Yield where each number of the text is, and if it is a whole number."""
    for statement in STATEMENT.finditer(text):
        for number in NUMBER.finditer(text, statement.start(3), statement.end(3)):
            inside = text[: number.start()].count('"', statement.start(3)) % 2
            if not inside and "<" not in statement.group(3):
                yield number.start(), number.end(), statement.group(1) in ("int", "bool")


def stepped(text, *, whole):
    """Return a number that is further than what float32 rounds: by 3e-5 of it, or one."""
    return str(int(text) + 1) if whole else repr(float(text) + 3e-5 * max(1.0, abs(float(text))))


def is_refused(text, layer, decided):
    try:
        verify_usd(text, layer, robot(), decided)
    except (ProofFailed, BrokenRobot):
        return True
    return False


@pytest.mark.parametrize("options", [{}, {"base": "fixed"}, {"meshes": "beside"}],
                         ids=["free", "fixed", "beside"])  # fmt: skip
def test_a_change_of_any_number_is_refused(tmp_path, options):
    written, decided = made(tmp_path, **options)
    left = []
    count = 0
    for name in ("text", "layer"):
        text = getattr(written, name)
        places = list(numbers(text))
        count += len(places)
        for start, end, whole in some_of(places, 45):
            other = written._replace(
                **{name: text[:start] + stepped(text[start:end], whole=whole) + text[end:]}
            )
            if not is_refused(other.text, other.layer, decided):
                line = text[:start].rfind("\n") + 1
                left.append(text[line:].partition("\n")[0].strip() + f" [{text[start:end]}]")
    assert count > 300
    assert left == []


def test_a_statement_that_is_lost_is_refused(tmp_path):
    written, decided = made(tmp_path)
    left = []
    for name in ("text", "layer"):
        text = getattr(written, name)
        for statement in STATEMENT.finditer(text):
            lost = text[: statement.start()] + text[statement.end() + 1 :]
            other = written._replace(**{name: lost})
            if not is_refused(other.text, other.layer, decided):
                left.append(statement.group().strip())
    assert left == []


def swap(old, new):
    return lambda text: text.replace(old, new, 1)


def once(pattern, new, count=1):
    return lambda text: re.sub(pattern, new, text, count=count)


CHANGES = {
    "a principal axis turned": once(
        r"principalAxes = \((\S+), (\S+), (\S+), (\S+)\)", r"principalAxes = (\1, \2, \3, -\4)"
    ),
    "axes exchanged with moments": once(
        r"diagonalInertia = \((\S+), (\S+), (\S+)\)", r"diagonalInertia = (\2, \1, \3)"
    ),
    "a limit in radians": once(r"lowerLimit = \S+", "lowerLimit = -1.1"),
    "a speed in radians": once(r"(velocityLimit|maxJointVelocity) = \S+", r"\1 = 3.1", count=2),
    "damping for each radian": once(
        r"(newton:damping|viscousFrictionCoefficient) = \S+", r"\1 = 0.3", count=2
    ),
    "an offset in radians": lambda text: re.sub(
        r"mimicCoef0 = \S+",
        "mimicCoef0 = 0.21",
        re.sub(r"(rotX:offset) = \S+", r"\1 = -0.21", text),
    ),
    "the root on the robot": lambda text: swap(', "PhysicsArticulationRootAPI"]', "]")(
        text
    ).replace(
        'def Xform "mutant" (',
        'def Xform "mutant" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]',
        1,
    ),
    "the root on a leaf": lambda text: (
        swap(', "PhysicsArticulationRootAPI"', "")(text)
        .replace('"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysicsArticulationRootAPI"]', 2)
        .replace('"PhysicsMassAPI", "PhysicsArticulationRootAPI"]', '"PhysicsMassAPI"]', 1)
    ),
    "the sign of a follower in Newton": swap("mimicCoef1 = -0.7", "mimicCoef1 = 0.7"),
    "the sign of a follower in PhysX": swap("gearing = 0.7", "gearing = -0.7"),
    "the sign of a follower in both": lambda text: text.replace(
        "mimicCoef1 = -0.7", "mimicCoef1 = 0.7"
    ).replace("gearing = 0.7", "gearing = -0.7"),
    "another leader": lambda text: text.replace(
        "newton:mimicJoint = </mutant/joints/shoulder>",
        "newton:mimicJoint = </mutant/joints/wrist>",
    ),
    "a ghost that weighs": swap(
        'def Xform "tip" (', 'def Xform "tip" (\n prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n'
    ),
    "a body without a mass": once(r"float physics:mass = .*\n", ""),
    "a body without a center": once(r"point3f physics:centerOfMass = .*\n", ""),
    "a body that is none": swap('["PhysicsRigidBodyAPI", "PhysicsMassAPI"]', '["PhysicsMassAPI"]'),
    "meters that are not said": swap("    metersPerUnit = 1\n", ""),
    "Y up": swap('upAxis = "Z"', 'upAxis = "Y"'),
    "another axis": swap('physics:axis = "Y"', 'physics:axis = "Z"'),
    "an effort that no drive has": once(r"float drive:angular:physics:maxForce = .*\n", ""),
    "gains that nobody gave": swap("physics:stiffness = 0", "physics:stiffness = 100"),
    "one friction of two": once(r"dynamicFrictionEffort = \S+", "dynamicFrictionEffort = 9"),
    "one limit of two": once(r"float physics:lowerLimit = .*\n", ""),
    "a frame elsewhere": once(r"localPos0 = \(\S+", "localPos0 = (0.2,"),
    "a body drawn elsewhere": once(r"xformOp:translate = \(\S+", "xformOp:translate = (0.2,"),
    "another order of operations": swap(
        '["xformOp:translate", "xformOp:orient"]', '["xformOp:orient", "xformOp:translate"]'
    ),
    "a collision that is drawn": swap(
        'uniform token purpose = "guide"', 'uniform token purpose = "default"'
    ),
    "a mesh that collides as it is": swap('"convexHull"', '"none"'),
    "a subdivided mesh": swap('subdivisionScheme = "none"', 'subdivisionScheme = "catmullClark"'),
    "a triangle inside out": once(
        r"faceVertexIndices = \[(\d+), (\d+), (\d+)", r"faceVertexIndices = [\1, \3, \2"
    ),
    "a name": swap('displayName = "upper arm"', 'displayName = "lower arm"'),
    "a pair that is missing": once(r" *rel physics:filteredPairs = .*\n", ""),
    "another pair": once(r"filteredPairs = <[^>]*>", "filteredPairs = </mutant/thumb>"),
    "a color": once(r"diffuseColor = \((\S+)", "diffuseColor = (0.5,"),
    "a property that nobody knows": swap(
        "float physics:mass", "float physics:density = 1000\n float physics:mass"
    ),
    "a property written twice": once(r"( *float physics:mass = .*\n)", r"\1\1"),
    "a prim written twice": lambda text: text.replace(
        "def PhysicsScene", 'def Xform "mutant"\n{\n}\n\ndef PhysicsScene', 1
    ),
    "an extent": swap("float3[] extent = [(-0.5", "float3[] extent = [(-0.6"),
    "a displayed color": swap("primvars:displayColor = [(0.", "primvars:displayColor = [(0.9"),
    "an axis of another leader": swap('referenceJointAxis = "rotY"', 'referenceJointAxis = "rotX"'),
    "a speed that one engine has": once(r" *float newton:velocityLimit = .*\n", ""),
    "a mass that is a double, by a custom word": swap(
        "float physics:mass", "custom float physics:mass"
    ),
    "a wrong type": swap("float physics:mass", "double physics:mass"),
    "a layer below": swap("    metersPerUnit", "    subLayers = [@other.usda@]\n    metersPerUnit"),
    "a schema that nobody knows": swap(
        '"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysxRigidBodyAPI"]'
    ),
    "gravity that is off": swap(
        "float physics:mass", "bool physxRigidBody:disableGravity = 1\n float physics:mass"
    ),
    "a joint that is off": swap(
        "rel physics:body0", "bool physics:jointEnabled = 0\n rel physics:body0"
    ),
    "a joint left out of the articulation": swap(
        "rel physics:body0", "bool physics:excludeFromArticulation = 1\n rel physics:body0"
    ),
    "a follower that is off": swap(
        "float newton:mimicCoef0", "bool newton:mimicEnabled = 0\n float newton:mimicCoef0"
    ),
    "an instance that hides what is in it": swap(
        'def Xform "tip" (', 'def Xform "tip" (\n instanceable = true\n'
    ),
    "a robot that is not active": swap('kind = "component"', 'kind = "component"\n active = false'),
    "a link more": swap(
        '        def Xform "tip"',
        '        def Xform "more"\n        {\n        }\n\n        def Xform "tip"',
    ),
    "a link that is missing": once(
        r' *def Xform "tip" \((?:.*\n)*? *\)\n *\{(?:.*\n)*?        \}\n', ""
    ),
}


MESH = 'def Mesh "shell"\n{\n    uniform token subdivisionScheme = "none"\n}\n\n'


# fmt: skip.
@pytest.mark.parametrize(
    "change",
    [
        swap("def PhysicsScene", f"{MESH}def PhysicsScene"),
        swap("def PhysicsScene", f'class Scope "meshes"\n{{\n{MESH}}}\n\ndef PhysicsScene'),
        swap("        def Cylinder", f"        {MESH}        def Cylinder"),
    ],
    ids=["beside the robot", "to be referred to", "in a link"],
)
def test_a_mesh_is_refused_where_none_was_to_be_written(tmp_path, change):
    written, decided = made(tmp_path, meshes="none")
    assert not is_refused(written.text, written.layer, decided)
    text = change(written.text)
    assert text != written.text
    assert is_refused(text, written.layer, decided)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_mutant_is_refused(tmp_path, change):
    written, decided = made(tmp_path, base="free")
    assert not is_refused(written.text, written.layer, decided)
    text = change(written.text)
    assert text != written.text
    assert is_refused(text, written.layer, decided)


def test_a_joint_that_holds_the_base_and_moves_is_refused(tmp_path):
    written, decided = made(tmp_path, base="fixed")
    text = re.sub(
        'PhysicsFixedJoint "root_joint"\n *{',
        'PhysicsRevoluteJoint "root_joint"\n{ uniform token physics:axis = "X"',
        written.text,
    )
    assert text != written.text
    with pytest.raises(ProofFailed, match="shoulder is only in A"):
        verify_usd(text, written.layer, robot(), decided)


@pytest.mark.parametrize(
    "written, decided, sentence",
    [
        ({}, {"actuators": "none"}, "has a drive, and none was to be written"),
    ],
)
def test_what_was_asked_for_is_written(tmp_path, written, decided, sentence):
    text = made(tmp_path, base="free", **written)[0]
    with pytest.raises(ProofFailed, match=sentence):
        verify_usd(text.text, text.layer, robot(), made(tmp_path, base="free", **decided)[1])


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("    metersPerUnit = 1\n", "", "the layer of meshes is not in meters"),
        ('def Mesh "part"', 'def Mesh "other"', "it takes </meshes/part> .*, which is not there"),
    ],
)
def test_a_mutant_of_the_layer_is_refused(tmp_path, old, new, sentence):
    written, decided = made(tmp_path, base="free", meshes="beside")
    assert old in written.layer
    with pytest.raises((ProofFailed, BrokenRobot), match=sentence):
        verify_usd(written.text, written.layer.replace(old, new, 1), robot(), decided)


def test_a_follower_that_the_robot_does_not_have_is_refused(tmp_path):
    written, decided = made(tmp_path, base="free")
    free = robot()._replace(joints=tuple(joint._replace(mimic=None) for joint in robot().joints))
    with pytest.raises(ProofFailed, match="follow follows a joint in one file only"):
        verify_usd(written.text, written.layer, free, decided)


def test_a_writer_that_decides_other_tensors_is_refused(tmp_path, monkeypatch):
    """A tensor of another robot, and axes that are wrong."""
    _, decided = made(tmp_path)
    base, *others = robot().links
    text, _ = make_usd(
        robot()._replace(links=(base._replace(inertial=heavy(6)._replace(mass=1.1)), *others)),
        decided.options,
    )
    with pytest.raises(ProofFailed, match="link 'base': its tensor is .* is written"):
        verify_usd(text.text, text.layer, robot(), decided)
    monkeypatch.setattr(
        "urdf_tools.formats.usd.write_usd.principal_singles",
        lambda tensor: (principal_singles(tensor)[0], (1.0, 0.0, 0.0, 0.0)),
    )
    with pytest.raises(ProofFailed, match="its tensor is .* is written"):
        made(tmp_path)
