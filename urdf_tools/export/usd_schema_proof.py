"""The proof of the words of a USD text: each property exists in the schemas of its prim, with its type, and none is
missing that an engine would guess. The meaning of the words is compared as a robot.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from math import fsum
from typing import Dict, List, Mapping, Tuple

from ..base.type_aliases import Texts
from ..formats.usd.usd_layers import UsdLayer, text_of
from ..formats.usd.prim_tree import Prim
from .usd_expressible_robot import fail

# By type of a prim, id of a shader, or schema: its properties with their types, `?` before a property that may be
# missing, `=` before the only value; `{}` is the name of an instance of the schema.
POSE = "?double3 xformOp:translate; ?quatd xformOp:orient; ?uniform token[] xformOpOrder"
SHAPE = (
    f"float3[] extent; {POSE}; ?double3 xformOp:scale; ?color3f[] primvars:displayColor; "
    "?float[] primvars:displayOpacity"
)
ROUND = f"double radius; double height; uniform token axis = Z; {SHAPE}"
JOINT = (
    "rel physics:body0; rel physics:body1; point3f physics:localPos0; quatf physics:localRot0; "
    "point3f physics:localPos1; quatf physics:localRot1; ?custom float urdf:calibration:rising; "
    "?custom float urdf:calibration:falling; ?custom float urdf:calibration:reference_position; "
    "?custom float urdf:safety_controller:soft_lower_limit; "
    "?custom float urdf:safety_controller:soft_upper_limit; ?custom float urdf:limit:effort; "
    "?custom float urdf:safety_controller:k_position; ?custom float urdf:safety_controller:k_velocity"
)
MOVING = (
    f"{JOINT}; uniform token physics:axis; ?float physics:lowerLimit; ?float physics:upperLimit"
)
SAID = {
    "Xform": POSE,
    "Scope": "",
    "PhysicsScene": "",
    "Cube": f"double size = 1; {SHAPE}",
    "Sphere": f"double radius; {SHAPE}",
    "Cylinder": ROUND,
    "Capsule": ROUND,
    "Plane": f"double width; double length; uniform token axis = Z; ?{SHAPE}",
    "Mesh": f"?custom string urdf:mesh:filename; ?custom double3 urdf:mesh:scale; ?{SHAPE}; "
    "?uniform token subdivisionScheme = none; ?point3f[] points; ?int[] faceVertexCounts; "
    "?int[] faceVertexIndices; ?texCoord2f[] primvars:st; ?int[] primvars:st:indices; "
    "?uniform token subsetFamily:materialBind:familyType = nonOverlapping",
    "GeomSubset": "uniform token elementType = face; uniform token familyName = materialBind; "
    "int[] indices",
    "Material": "?token outputs:surface.connect",
    "Shader": "uniform token info:id",
    "UsdPreviewSurface": "?color3f inputs:diffuseColor; ?color3f inputs:diffuseColor.connect; "
    "?color3f inputs:emissiveColor; ?float inputs:metallic; float inputs:opacity; "
    "?float inputs:roughness; ?token outputs:surface",
    "UsdUVTexture": "asset inputs:file; ?float4 inputs:scale; token inputs:sourceColorSpace = sRGB; ?float3 outputs:rgb; "
    "float2 inputs:st.connect; token inputs:wrapS = repeat; token inputs:wrapT = repeat",
    "UsdPrimvarReader_float2": "string inputs:varname = st; ?float2 outputs:result",
    "PhysicsFixedJoint": JOINT,
    "PhysicsSphericalJoint": JOINT,
    "PhysicsJoint": JOINT,
    "PhysicsRevoluteJoint": MOVING,
    "PhysicsPrismaticJoint": MOVING,
    "PhysicsRigidBodyAPI": "",
    "PhysicsArticulationRootAPI": "",
    "PhysicsMassAPI": "float physics:mass; point3f physics:centerOfMass; "
    "float3 physics:diagonalInertia; quatf physics:principalAxes",
    "PhysxRigidBodyAPI": "bool physxRigidBody:disableGravity = 1",
    "PhysicsFilteredPairsAPI": "rel physics:filteredPairs",
    "PhysicsCollisionAPI": "uniform token purpose = guide",
    "PhysicsMeshCollisionAPI": "uniform token physics:approximation = convexHull",
    "MaterialBindingAPI": "?rel material:binding; ?rel material:binding:physics",
    "PhysicsMaterialAPI": "float physics:staticFriction; float physics:dynamicFriction; "
    "?float physics:restitution",
    "PhysicsDriveAPI": "uniform token drive:{}:physics:type = force; "
    "float drive:{}:physics:stiffness; float drive:{}:physics:damping; "
    "?float drive:{}:physics:maxForce",
    "PhysicsLimitAPI": "float limit:{}:physics:low = 1; float limit:{}:physics:high = -1",
    "NewtonJointAPI": "?float newton:velocityLimit; ?float newton:armature; ?float newton:damping; "
    "?float newton:friction",
    "PhysxJointAxisAPI": "?float physxJointAxis:{}:maxJointVelocity; "
    "?float physxJointAxis:{}:armature; ?float physxJointAxis:{}:viscousFrictionCoefficient; "
    "?float physxJointAxis:{}:staticFrictionEffort; ?float physxJointAxis:{}:dynamicFrictionEffort",
    "NewtonMimicAPI": "rel newton:mimicJoint; float newton:mimicCoef0; float newton:mimicCoef1",
    "PhysxMimicJointAPI": "rel physxMimicJoint:{}:referenceJoint; float physxMimicJoint:{}:offset; "
    "uniform token physxMimicJoint:{}:referenceJointAxis; float physxMimicJoint:{}:gearing",
}
METADATA = {"prepend apiSchemas", "displayName", "assetInfo", "kind", "prepend references"}
LAYER = {"metersPerUnit": "1", "upAxis": "Z", "kilogramsPerUnit": "1"}
BOTH = {  # by property of Newton: the properties of PhysX with the same meaning
    "velocityLimit": ("maxJointVelocity",),
    "armature": ("armature",),
    "damping": ("viscousFrictionCoefficient",),
    "friction": ("staticFrictionEffort", "dynamicFrictionEffort"),
}

Known = Dict[
    str, Tuple[str, str, bool]
]  # by property: its type, its only value, whether it is required


def verify_words(layer: UsdLayer) -> None:
    """Refuse a layer with words that no engine reads, or without words that engines would guess.

    Raises:
        ProofFailed: names the prim, and the unknown or missing word.
    """
    # The layer may have these keys, each with these words, and no others.
    top = layer.top
    prims = layer.prims
    for key in top.said.keys() - {"defaultPrim"}:
        if text_of(top, key) != LAYER.get(key):
            fail(f"the layer says of '{key}' what nobody reads")
    for prim in prims.values():
        if prim is not top:
            _verify_properties(prim)
            _verify_values(prim, prims)


@lru_cache(maxsize=1024)  # many prims are alike
def _known(words: Texts) -> Known:
    """Return the properties that a prim of a type and schemas may have."""
    known: Known = {}
    for word in words:
        name, _, instance = word.partition(":")
        if name not in SAID:
            fail(f"nobody reads a '{name}'")
        for entry in filter(None, SAID[name].replace("{}", instance).split("; ")):
            described, _, only = entry.lstrip("?").partition(" = ")
            type, _, called = described.rpartition(" ")
            known[called] = (type, only, entry[0] != "?")
    return known


def _verify_properties(prim: Prim) -> None:
    """Compare the properties of a prim with the table."""
    shader = (prim.word("info:id") or "",) if prim.type == "Shader" else ()
    known = _known((prim.type, *prim.schemas, *shader))
    for name, (_, only, is_needed) in known.items():
        value = prim.get(name)
        if value is None and is_needed:
            fail(f"{prim!r}: its '{name}' is missing")
        if value is not None and only not in ("", value.text):
            fail(f"{prim!r}: its '{name}' is {value.text}")
    for key in prim.said.keys() - METADATA:
        fail(f"{prim!r}: nobody reads its '{key}'")
    for name, found in prim.properties.items():
        if name not in known or found.type != known[name][0]:
            fail(f"{prim!r}: nobody reads a '{name}' that is a {found.type}")


def _verify_values(prim: Prim, prims: Mapping[str, Prim]) -> None:
    """Compare values that are written twice: sizes and extents, colors, for Newton and for PhysX."""
    for name, entry in prim.properties.items():
        if "quat" in entry.type:
            error = fsum(part * part for part in prim.numbers(name, 4) or ()) - 1.0
            # Parts of float32 are rounded by 6e-8 each, doubles have twelve digits.
            tolerance = 1e-6 if entry.type == "quatf" else 1e-9
            if abs(error) > tolerance:
                fail(f"{prim!r}: its '{name}' is no unit quaternion")
    operations = [name for name in prim.properties if name.startswith("xformOp:")]
    if sorted(prim.words("xformOpOrder")) != sorted(operations):
        fail(f"{prim!r}: its transform is not {operations}")
    extent = prim.many("extent", 3)
    if extent is not None and prim.type != "Mesh":
        sides = _sides(prim)
        if extent != array("f", (*(-side for side in sides), *sides)):
            fail(f"{prim!r}: its extent is {list(extent)}, and it reaches {sides} to both sides")
    if "Joint" in prim.type:
        _verify_dialects(prim, prims)
    # The looks of a mesh with points are compared with the looks of its file.
    elif prim.type != "GeomSubset" and (prim.type != "Mesh" or "points" not in prim.properties):
        _verify_color(prim, prims)


def _verify_color(prim: Prim, prims: Mapping[str, Prim]) -> None:
    """Compare the color that a prim shows without materials with the color of its material."""
    shown = [*(prim.many("primvars:displayColor", 3) or ())]
    shown += prim.many("primvars:displayOpacity") or [1.0] * bool(shown)
    for target in prim.targets("material:binding"):
        shader = prims[target].children[0] if target in prims else prim
        color = [*(shader.numbers("inputs:diffuseColor", 3) or ()), shader.number("inputs:opacity")]
        if shown != color:
            fail(f"{prim!r}: its displayColor is {shown}, and its material has {color}")
        shown = []
    if shown:
        fail(f"{prim!r} has a displayColor and no material")


def _sides(prim: Prim) -> List[float]:
    """Return the half lengths of a shape along x, y and z."""
    radius = prim.number("radius") or 0.5  # a cube of size 1 has none
    half_height = (prim.number("height") or 0.0) / 2.0
    # A capsule has balls at its ends, a sphere is a ball.
    if prim.type != "Cylinder":
        half_height += radius
    return [radius, radius, half_height]


def _verify_dialects(prim: Prim, prims: Mapping[str, Prim]) -> None:
    """Refuse a joint with a value for only one engine."""
    to_physx = {
        name.rpartition(":")[2] for name in prim.properties if name.startswith("physxJointAxis:")
    }
    for newton, of_physx in BOTH.items():
        is_said = f"newton:{newton}" in prim.properties
        if any(is_said is not (physx in to_physx) for physx in of_physx):
            fail(f"{prim!r}: its {newton} is not said for all engines")
    for schema in prim.schemas:
        name, _, about = schema.partition(":")
        if name == "PhysxMimicJointAPI":
            start = f"physxMimicJoint:{about}:referenceJoint"
            ends = [prim, *(prims[path] for path in prim.targets(start) if path in prims)]
            axes = [f"rot{end.word('physics:axis')}" for end in ends]
            if [about, prim.word(f"{start}Axis")] != axes:
                fail(
                    f"{prim!r}: it follows about {about}, and these are not the axes of both joints"
                )
