"""The table of urdf_tools/formats/usd/README.md says of each construct what the reader makes of it: it is made here."""

import random
import re

import pytest
from conftest import ROOT
from usd_texts import bodies, HINGE, MASS, read, requoted, robot

from urdf_tools.base.errors import UrdfError

PAGE = ROOT / "urdf_tools" / "formats" / "usd" / "README.md"
PLAIN = robot()


def joint(more="", kind="RevoluteJoint", schemas=""):
    text = HINGE.format(f"\n        {more}").replace("RevoluteJoint", kind)
    said = f'"hinge" (prepend apiSchemas = [{schemas}])' if schemas else '"hinge"'
    return robot(joint=text.replace('"hinge"', said))


def bare(kind, more="", schemas=""):
    """Return a joint that has neither an axis nor limits."""
    lines = joint(more, kind, schemas).split("\n")
    return "\n".join(
        line for line in lines if not re.search(r"physics:axis|(lower|upper)Limit", line)
    )


def shape(kind, more="", schemas='"PhysicsCollisionAPI"'):
    return robot(more=f'def {kind} "s" (prepend apiSchemas = [{schemas}]) {{\n{more}\n}}')


def without(text, *names):
    """Return a robot none of whose bodies says these properties."""
    lines = text.split("\n")
    return "\n".join(
        line for line in lines if not any(f"physics:{name} =" in line for name in names)
    )


def frame(said, *order):
    """Return a robot with a frame that is placed by an op."""
    names = ", ".join(f'"{name}"' for name in order or re.findall(r"xformOp:[\w:]+", said))
    return robot(more=f'def Xform "f" {{\n{said}\nuniform token[] xformOpOrder = [{names}]\n}}')


def beside(text):
    return f"{PLAIN}{text}\n"


TURNS = [f"rotate{letters}" for letters in "X Y Z XYZ XZY YXZ YZX ZXY ZYX".split()]
OPS = {
    **{op: f"float3 xformOp:{op} = (1, 2, 3)" for op in ("translate", "scale", *TURNS[3:])},
    **{op: f"double xformOp:{op} = 1" for op in ("translateX", "scaleY", *TURNS[:3])},
    "orient": "quatf xformOp:orient = (1, 0, 0, 0)",
    "transform": "matrix4d xformOp:transform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,0,1))",
}
STRETCHED = f'{OPS["scale"]}\nuniform token[] xformOpOrder = ["xformOp:scale"]'
TURNED = 'double xformOp:rotateX = 30\nuniform token[] xformOpOrder = ["xformOp:rotateX"]'
LOCKED = "\n".join(
    f"float limit:{name}:physics:low = 1\nfloat limit:{name}:physics:high = -1"
    for name in ("transX", "transY", "transZ", "rotX", "rotY")
)
SCHEMAS = ", ".join(
    f'"PhysicsLimitAPI:{name}"' for name in ("transX", "transY", "transZ", "rotX", "rotY")
)
IS_ROOT = '"PhysicsMassAPI", "PhysicsArticulationRootAPI"]'
LOOSE = f'def Xform "loose" (prepend apiSchemas = ["PhysicsRigidBodyAPI", {IS_ROOT}) {{{MASS.format(1)}\n}}'
SEVERAL = robot(joint=HINGE.format("") + LOOSE).replace('"PhysicsMassAPI"]', IS_ROOT, 1)
SET = 'variantSet "a" = {\n"b" {\n}\n"c" {\n}\n}'
ROWS = {
    "`xformOp:` " + ", ".join(f"`{op}`" for op in OPS): [*map(frame, OPS.values())],
    "any other `xformOp:`": [frame("double xformOp:bend = 1")],
    "`!invert!`, `!resetXformStack!`": [
        frame(OPS["scale"], "!resetXformStack!", "xformOp:scale", "!invert!xformOp:scale")
    ],
    "`upAxis`, `metersPerUnit`, `kilogramsPerUnit`": [
        PLAIN.replace('upAxis = "Z"', 'upAxis = "Y"\n kilogramsPerUnit = 2')
    ],
    "strings in one or three quotes of either kind, with every escape of OpenUSD": [
        requoted(PLAIN, random.Random(seed)) for seed in range(5)
    ],
    "no `metersPerUnit`": [PLAIN.replace("metersPerUnit = 1", "")],
    "`references`, `payload`, `inherits`, `specializes`, variants that are selected": [
        robot(said="references = </far>") + 'def "far" {\n}\n',
        robot(said="inherits = </far>") + 'class "far" {\n}\n',
        robot(said='variants = {string a = "b"}\n variantSets = "a"'),
    ],
    "variants of which none is selected, with a warning": [
        robot(said='variantSets = "a"', joint=HINGE.format("") + SET),
        robot(said='variants = {string a = "d"}\n variantSets = "a"', joint=HINGE.format("") + SET),
    ],
    "`xformOp:` on a prim that has no place in USD, as a `Scope` or one without a type: they move nothing": [
        robot(more=f'def {kind} "s" {{\n{STRETCHED}\n}}') for kind in ("Scope", "")
    ],
    "a layer or a prim that is not there": [robot(said="payload = @gone.usda@")],
    "`relocates`": [robot(head="\n relocates = { </robot/arm>: </robot/hand> }")],
    "joints: revolute, prismatic, fixed, spherical": [
        joint(),
        joint(kind="PrismaticJoint"),
        bare("FixedJoint"),
        bare("SphericalJoint"),
    ],
    "`PhysicsJoint` with what `PhysicsLimitAPI` locks": [bare("Joint", LOCKED, SCHEMAS)],
    "`PhysicsJoint` that is free in two ways that no joint here has": [
        joint(LOCKED, "Joint", SCHEMAS.rpartition(",")[0])
    ],
    "a joint of another type": [joint(kind="GearJoint")],
    "`excludeFromArticulation`": [
        robot(
            joint=HINGE.format("")
            + HINGE.format("\nbool physics:excludeFromArticulation = 1").replace("hinge", "h")
        )
    ],
    "a loop without that word": [
        robot(joint=HINGE.format("") + HINGE.format("").replace("hinge", "h"))
    ],
    "`physics:jointEnabled = 0`": [
        robot(
            joint=HINGE.format("")
            + HINGE.format("\nbool physics:jointEnabled = 0").replace("hinge", "h")
        )
    ],
    "bodies drawn away from the zero of their joint": [
        joint("quatf physics:localRot1 = (0.7071068, 0, 0, 0.7071068)")
    ],
    "drives of force, their effort and gains": [
        joint(
            "float drive:angular:physics:maxForce = 1\n float drive:angular:physics:stiffness = 1",
            schemas='"PhysicsDriveAPI:angular"',
        )
    ],
    "drives of acceleration; a target that is not zero": [
        joint(said, schemas='"PhysicsDriveAPI:angular"')
        for said in (
            'uniform token drive:angular:physics:type = "acceleration"',
            "float drive:angular:physics:targetPosition = 1",
        )
    ],
    "`newton:velocityLimit`, `armature`, `damping`, `friction`": [
        joint(f"float newton:{name} = 1")
        for name in ("velocityLimit", "armature", "damping", "friction")
    ],
    "values of Newton and PhysX that are not alike": [
        joint("float newton:armature = 1\n float physxJoint:armature = 2")
    ],
    "no mass, center or tensor: that of the shapes that collide, of the mass and about the center that are given": [
        shape("Cube").replace(MASS.format(2), "")
    ],
    "`principalAxes` without `diagonalInertia`, and the other way round": [
        without(shape("Cube"), "diagonalInertia"),
        without(shape("Cube"), "principalAxes", "centerOfMass"),
    ],
    "no mass, and no shape": [PLAIN.replace(MASS.format(2), "")],
    "a body that is switched off or kinematic; its mass weighs nothing": [
        PLAIN.replace(MASS.format(3), f"{mass}\n bool {said}")
        for mass in ("", MASS.format(3))
        for said in ("physics:kinematicEnabled = 1", "physics:rigidBodyEnabled = 0")
    ],
    "a body outside of the default prim": [
        beside('def Xform "b" (apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}')
    ],
    "several robots, each with an articulation root: name a layer that takes one": [SEVERAL],
    "collision groups": [beside('def PhysicsCollisionGroup "g" {\n}')],
    "`Cube`, `Sphere`, `Cylinder`, `Capsule`, `Plane`": [
        shape(kind) for kind in ("Cube", "Sphere", "Cylinder", "Capsule", "Plane")
    ],
    "`Cone`": [shape("Cone")],
    "`PointInstancer`, `TetMesh`, `NurbsPatch` in a body": [
        shape(kind) for kind in ("PointInstancer", "TetMesh", "NurbsPatch")
    ],
    "a shape whose radius, height or size is 0: it is left out": [
        shape(kind, f"double {size} = 0")
        for kind, size in (("Cylinder", "radius"), ("Capsule", "radius"), ("Cube", "size"))
    ],
    "curves and points": [shape("BasisCurves", schemas="")],
    "a frame that is sheared, being turned in an uneven scale: with the nearest rotation": [
        robot(more=f'def Xform "g" {{\n{STRETCHED}\ndef Xform "f" {{\n{TURNED}\n}}\n}}')
    ],
    "a mesh that collides as spheres or parts": [
        shape(
            "Mesh",
            "point3f[] points = [(0, 0, 0)]\n uniform token physics:approximation = "
            '"convexDecomposition"',
            '"PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"',
        )
    ],
    "shapes that no body carries": [beside('def Cube "ground" {\n}')],
    "materials other than `UsdPreviewSurface`, lights, cameras, graphs": [
        beside(f'def {kind} "x" {{\n}}') for kind in ("DistantLight", "Camera", "OmniGraph")
    ],
    "values over time": [robot(more="float physics:breakForce.timeSamples = {0: 1}")],
}


def outcome(text):
    """Return what the reader makes of a text: read, noted or refused."""
    try:
        found = read(text)
    except UrdfError:
        return "refused"
    plain = read(PLAIN)
    return "noted" if (found.notes, found.unread) != (plain.notes, plain.unread) else "read"


def table():
    lines = ["| in the file | what becomes of it |", "|---|---|"]
    for construct, texts in ROWS.items():
        outcomes = {outcome(text) for text in texts}
        assert len(outcomes) == 1, (construct, outcomes)
        lines.append(f"| {construct} | {outcomes.pop()} |")
    return "\n".join(lines)


def test_the_page_says_what_the_reader_does():
    made, page = table(), PAGE.read_text("utf-8")
    assert made in page, f"put this table into {PAGE}:\n{made}"


@pytest.mark.parametrize("other", ["over", "class"])
def test_what_is_no_prim_of_the_stage_says_nothing(other):
    text = f'{PLAIN}{other} "x"\n{{{bodies(7)}\n}}\n'
    assert read(text).unread == read(PLAIN).unread
