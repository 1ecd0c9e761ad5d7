"""The joints of USD's text: what moves, how far, how it is driven, and what it follows (angles are in degrees); and its
visuals and collisions with their colors, which are linear there, and how they touch.
"""

from __future__ import annotations

from array import array
from functools import partial
from math import fsum, pi
from typing import Dict, List, Mapping, Optional, Tuple

from ...meshes.form import srgb_of_linear
from ...robot.records import OUT_OF_REACH, RawJoint, RawMimic, RawShape
from ...urdf.spatial import IDENTITY, matrix_from_quaternion, Pose, rotate, Vector, ZERO
from .read_prims import Prim, REFERENCES
from .read_text import referred, usd_mesh

RADIANS = pi / 180.0
TYPES = {
    "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "ball",
    "PhysicsJoint": "planar",
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
}
AXES: Dict[str, Vector] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
LOCKED = ("transZ", "rotX", "rotY")
EFFORT = "urdf:limit:effort"
KEPT = {  # by custom property, in radians
    "urdf:safety_controller:soft_lower_limit": "soft_lower",
    "urdf:safety_controller:soft_upper_limit": "soft_upper",
    "urdf:safety_controller:k_position": "k_position",
    "urdf:safety_controller:k_velocity": "k_velocity",
    "urdf:calibration:rising": "calibration_rising",
    "urdf:calibration:falling": "calibration_falling",
    "urdf:calibration:reference_position": "calibration_reference",
}
DIALECTS: Dict[
    str, Tuple[str, Tuple[str, ...]]
] = {  # by value: Newton's property, and those of PhysX
    "velocity": ("velocityLimit", ("maxJointVelocity",)),
    "armature": ("armature", ("armature",)),
    "damping": ("damping", ("viscousFrictionCoefficient",)),
    "friction": ("friction", ("staticFrictionEffort", "dynamicFrictionEffort")),
}


def frames_of(prim: Prim) -> Tuple[Pose, Pose]:
    """Return the frames of a joint in its first and its second body."""
    frames: List[Pose] = []
    for number in range(2):
        x, y, z = prim.numbers("point3f", f"physics:localPos{number}") or ZERO
        w, *rest = prim.numbers("quatf", f"physics:localRot{number}") or (1.0, 0.0, 0.0, 0.0)
        if abs(fsum((w * w, *(part * part for part in rest))) - 1.0) > 1e-6:
            prim.refuse(f"its localRot{number} is no unit quaternion")
        frames.append(
            Pose(matrix_from_quaternion((*rest, w)) if any(rest) else IDENTITY, (x, y, z))
        )
    return frames[0], frames[1]


class Joints:
    """Reads joints; a mimic names its leader by path."""

    def __init__(self, prims: Mapping[str, Prim]) -> None:
        self._prims = prims

    def read(self, prim: Prim, parent: str, child: str, T_parent_child: Pose, T1: Pose) -> RawJoint:
        """Return a joint, given its links, T_parent_child, and T1, its frame in the second body."""
        kind = TYPES[prim.type]
        joint = RawJoint(
            prim.true_name,
            kind,
            parent,
            child,
            T_parent_child,
            point=T1.translation,
            values=_given(prim, "custom float", KEPT),
            line=prim.line,
        )
        if kind == "planar":
            self._check_planar(prim)
            return joint._replace(axis=rotate(T1.rotation, AXES["Z"]))
        if kind in ("fixed", "ball"):
            return joint
        axis = AXES.get(prim.word("uniform token", "physics:axis") or "")
        if axis is None:
            prim.refuse("its axis is none of X, Y, Z")
        turns = kind == "revolute"
        unit = RADIANS if turns else 1.0
        lower, upper = (prim.number("float", f"physics:{key}Limit") for key in ("lower", "upper"))
        if (lower is None) != (upper is None):
            prim.refuse("it has one limit of two: some engines take it for none")
        values = self._both_dialects(prim, turns=turns)
        velocity = values.pop("velocity", None)
        damping = values.pop("damping", None)
        of_joint = {**joint.values, **{name: (value,) for name, value in values.items()}}
        if damping is not None:
            # It is N m s per degree here.
            of_joint["damping"] = (damping / unit,)
        return joint._replace(
            type=kind if lower is not None or not turns else "continuous",
            axis=rotate(T1.rotation, axis),
            lower=_bound(lower, unit),
            upper=_bound(upper, unit),
            effort=self._effort(prim, turns=turns),
            velocity=None if velocity is None else velocity * unit,
            values=of_joint,
            mimic=self._mimic(prim, turns=turns),
        )

    def _check_planar(self, prim: Prim) -> None:
        for axis in LOCKED:
            low, high = (
                prim.number("float", f"limit:{axis}:physics:{key}") for key in ("low", "high")
            )
            if (
                f"PhysicsLimitAPI:{axis}" not in prim.schemas
                or low is None
                or high is None
                or low <= high
            ):
                prim.refuse(
                    f"it is a joint of any kind, and {axis} is not locked: a planar one is read here"
                )

    def _effort(self, prim: Prim, *, turns: bool) -> Optional[float]:
        """Return the effort: of its drive, or of a custom attribute for a joint that has no drive."""
        drive = _drive(turns=turns)
        kept = prim.number("custom float", EFFORT)
        effort = prim.number("float", f"drive:{drive}:physics:maxForce")
        driven = f"PhysicsDriveAPI:{drive}" in prim.schemas
        if driven and prim.word("uniform token", f"drive:{drive}:physics:type") != "force":
            prim.refuse("its drive is not one of force")
        if effort is not None and (kept is not None or not driven):
            prim.refuse("it says two efforts, or has no drive for that")
        return kept if effort is None else effort

    def gains(self, prim: Prim) -> Tuple[float, float]:
        """Return stiffness and damping of the drive of a joint, for each radian or meter."""
        turns = prim.type == "PhysicsRevoluteJoint"
        unit = RADIANS if turns else 1.0
        stiffness, damping = (
            prim.number("float", f"drive:{_drive(turns=turns)}:physics:{key}") or 0.0
            for key in ("stiffness", "damping")
        )
        return stiffness / unit, damping / unit

    def _both_dialects(self, prim: Prim, *, turns: bool) -> Dict[str, float]:
        """Return the values that Newton and PhysX have attributes for, as written; both must be equal."""
        axis = _drive(turns=turns)
        has = {
            "newton": "NewtonJointAPI" in prim.schemas,
            "physx": f"PhysxJointAxisAPI:{axis}" in prim.schemas,
        }
        values: Dict[str, float] = {}
        for value, (newton, physx) in DIALECTS.items():
            written = [("newton", prim.number("float", f"newton:{newton}"))]
            written += [
                ("physx", prim.number("float", f"physxJointAxis:{axis}:{name}")) for name in physx
            ]
            numbers = [number for _, number in written if number is not None]
            if (
                any(number is not None and not has[dialect] for dialect, number in written)
                or numbers
                and any(number is None and has[dialect] for dialect, number in written)
                or len(set(numbers)) > 1
            ):
                prim.refuse(
                    f"its {value} is said twice and not alike, or not for all engines: {written}"
                )
            if numbers:
                values[value] = numbers[0]
        return values

    def _mimic(self, prim: Prim, *, turns: bool) -> Optional[RawMimic]:
        """Return the rule of a follower: q = offset + multiplier * leader in Newton; in PhysX all is on one side."""
        unit = RADIANS if turns else 1.0
        rules = []
        if "NewtonMimicAPI" in prim.schemas:
            rules.append(
                (
                    prim.targets("newton:mimicJoint"),
                    prim.number("float", "newton:mimicCoef1"),
                    prim.number("float", "newton:mimicCoef0"),
                )
            )
        for schema in prim.schemas:
            if schema.startswith("PhysxMimicJointAPI:"):
                rules.append(self._physx_rule(prim, schema.partition(":")[2]))
        if not rules:
            return None
        targets, multiplier, offset = rules[0]
        if (
            any(rule != rules[0] for rule in rules)
            or len(targets) != 1
            or targets[0] not in self._prims
            or (multiplier is None or offset is None)
        ):
            prim.refuse(
                f"the joint that it follows is said twice and not alike, or does not exist: {rules}"
            )
        return RawMimic(self._prims[targets[0]].true_name, multiplier, offset * unit)

    def _physx_rule(
        self, prim: Prim, about: str
    ) -> Tuple[Tuple[str, ...], Optional[float], Optional[float]]:
        """Return the rule of PhysX in Newton's form; it names the axes of both joints."""
        start = f"physxMimicJoint:{about}"
        targets = prim.targets(f"{start}:referenceJoint")
        axis = prim.word("uniform token", f"{start}:referenceJointAxis")
        leader = self._prims.get(targets[0]) if targets else None
        if (
            about != f"rot{prim.word('uniform token', 'physics:axis')}"
            or leader is None
            or (axis != f"rot{leader.word('uniform token', 'physics:axis')}")
        ):
            prim.refuse(
                f"it follows about {about} what turns about {axis}, and these are not the axes of both joints"
            )
        gearing, offset = (prim.number("float", f"{start}:{key}") for key in ("gearing", "offset"))
        return (
            targets,
            None if gearing is None else -gearing,
            None if offset is None else -offset + 0.0,
        )


def _drive(*, turns: bool) -> str:
    return "angular" if turns else "linear"


def _bound(value: Optional[float], unit: float) -> Optional[float]:
    return None if value is None or abs(value * unit) >= OUT_OF_REACH else value * unit


def _given(prim: Prim, type: str, names: Mapping[str, str]) -> Dict[str, Tuple[float, ...]]:
    """Return the numbers of the properties that a prim has, by name of VALUES; `names` are these by property."""
    numbers = {name: prim.number(type, key) for key, name in names.items()}
    return {name: (number,) for name, number in numbers.items() if number is not None}


SHAPES = {
    "Cube": "box",
    "Sphere": "sphere",
    "Cylinder": "cylinder",
    "Capsule": "capsule",
    "Plane": "plane",
    "Mesh": "mesh",
}
Rgba = Tuple[float, float, float, float]
OF_MESH = (
    "points",
    "faceVertexCounts",
    "faceVertexIndices",
    "extent",
    "subdivisionScheme",
    "orientation",
    "normals",
    "doubleSided",
    "subsetFamily:materialBind:familyType",
)


class Look:
    """A material: its color, if it is one that is drawn, and its friction or gloss."""

    def __init__(
        self,
        color: Optional[Rgba],
        linear: Tuple[float, ...],
        surface: Dict[str, Tuple[float, ...]],
    ) -> None:
        self.color, self.linear, self.surface = color, linear, surface


class Looks:
    """The materials of a robot, by path; `top` holds all of its text."""

    def __init__(self, robot: Prim, top: Prim) -> None:
        self.top = top
        self._by_path: Dict[str, Look] = {}
        for scope in robot.children:
            for prim in scope.of_type("Material") if scope.type == "Scope" else ():
                self._by_path[prim.path] = _look(prim)

    def at(self, prim: Prim, name: str) -> Optional[Look]:
        """Return the material that a prim is bound to, None without one."""
        targets = prim.targets(name)
        if not targets:
            return None
        if (
            len(targets) != 1
            or targets[0] not in self._by_path
            or "MaterialBindingAPI" not in prim.schemas
        ):
            prim.refuse(f"'{name}' leads to no material of the robot")
        return self._by_path[targets[0]]


def _look(prim: Prim) -> Look:
    """Read a material: of contacts, or what is drawn."""
    prim.read.add("displayName")
    if "PhysicsMaterialAPI" in prim.schemas:
        friction, moving, restitution = (
            prim.number("float", f"physics:{key}")
            for key in ("staticFriction", "dynamicFriction", "restitution")
        )
        if friction is None or friction != moving:  # mu1 of the other formats is a single number
            prim.refuse("its static and its dynamic friction are not one number")
        surface: Dict[str, Tuple[float, ...]] = {"mu1": (friction,)}
        if restitution is not None:
            surface["restitution"] = (restitution,)
        return Look(None, (), surface)
    shaders = prim.of_type("Shader")
    connected = prim.get("token", "outputs:surface.connect")
    if (
        len(shaders) != 1
        or shaders[0].word("uniform token", "info:id") != "UsdPreviewSurface"
        or connected is None
        or (connected.value is None or connected.value.text != f"{shaders[0].path}.outputs:surface")
    ):
        prim.refuse("it is no UsdPreviewSurface of one shader")
    shader = shaders[0]
    shader.get("token", "outputs:surface")
    color = shader.numbers("color3f", "inputs:diffuseColor") or shader.refuse("it has no color")
    opacity = shader.number("float", "inputs:opacity")
    surface = _given(
        shader, "float", {"inputs:metallic": "metalness", "inputs:roughness": "roughness"}
    )
    emission = shader.numbers("color3f", "inputs:emissiveColor")
    if emission is not None:
        surface["emission"] = emission
    r, g, b = map(srgb_of_linear, color)
    return Look(
        (r, g, b, 1.0 if opacity is None else opacity),
        (*color, 1.0 if opacity is None else opacity),
        surface,
    )


def read_shape(prim: Prim, T_link_shape: Pose, looks: Looks) -> List[RawShape]:
    """Return a shape: a collision, a visual, or both for a collision that is drawn."""
    geometry, sizes = SHAPES[prim.type], _sizes(prim)
    scale = prim.numbers("double3", "xformOp:scale")
    if prim.type == "Cube":  # of size 1, so its scale is the lengths of the sides
        sizes = scale or (1.0, 1.0, 1.0)
    elif (
        prim.type == "Sphere" and scale is not None
    ):  # of radius 1, so its scale is the radii of an ellipsoid
        if sizes != (1.0,):
            prim.refuse("its radius is not 1, and it is stretched")
        geometry, sizes = "ellipsoid", scale
    elif scale is not None and prim.type == "Mesh":
        sizes = tuple(part * other for part, other in zip(sizes, scale))
    elif scale is not None:
        prim.refuse(f"a {prim.type} is stretched, which is not read here")
    if REFERENCES in prim.said and prim.said[REFERENCES].kind == "path":
        referred(prim, looks.top)
    look, touch = looks.at(prim, "material:binding"), looks.at(prim, "material:binding:physics")
    _check_display(prim, look)
    shape = RawShape("visual", geometry, sizes, T_link_shape, prim.true_name, line=prim.line)
    if prim.type == "Mesh":
        shape = shape._replace(
            file=_file(prim), inline=partial(usd_mesh, prim, looks.top, scale or (1.0, 1.0, 1.0))
        )
    visual = shape._replace(
        color=look.color if look is not None else None,
        surface=look.surface if look is not None else {},
    )
    if "PhysicsCollisionAPI" not in prim.schemas:
        return [visual]
    if prim.type == "Mesh" and (
        "PhysicsMeshCollisionAPI" not in prim.schemas
        or prim.word("uniform token", "physics:approximation") != "convexHull"
    ):
        prim.refuse("it is a mesh that collides as something else than its convex hull")
    touching = shape._replace(role="collision", surface=touch.surface if touch is not None else {})
    # Purpose guide hides a shape: it collides and is not drawn.
    is_guide = prim.word("uniform token", "purpose") == "guide"
    return [touching] if is_guide else [touching, visual]


def _sizes(prim: Prim) -> Tuple[float, ...]:
    """Return the sizes [m] of a shape before its scale; its extent must agree."""
    sizes: List[float] = []
    sides: Tuple[float, ...] = ()
    if prim.type == "Cube":
        if prim.number("double", "size") != 1.0:
            prim.refuse("its size is not 1: it is stretched here, and 2 where nothing is said")
        sides = (0.5, 0.5, 0.5)
    elif prim.type == "Plane":
        _check_axis(prim)
        for key in ("width", "length"):
            prim.number("double", key)
        return ()
    elif prim.type == "Mesh":
        return prim.numbers("custom double3", "urdf:mesh:scale") or (1.0, 1.0, 1.0)
    else:
        radius = prim.number("double", "radius") or prim.refuse("it has no radius")
        sizes, sides = [radius], (radius, radius, radius)
        if prim.type != "Sphere":
            _check_axis(prim)
            height = prim.number("double", "height") or prim.refuse("it has no height")
            sizes.append(height)
            # The height of a capsule is without its caps.
            sides = (radius, radius, height / 2 + (radius if prim.type == "Capsule" else 0.0))
    extent = prim.many("float3", "extent")
    if extent is None or extent != array("f", (*(-side for side in sides), *sides)):
        prim.refuse(f"its extent is {list(extent or ())}, and it reaches {sides} to both sides")
    return tuple(sizes)


def _check_axis(prim: Prim) -> None:
    if prim.word("uniform token", "axis") != "Z":
        prim.refuse("its axis is not Z")


def _file(prim: Prim) -> str:
    """Return the file that a mesh was made of, or the name of the prim that it refers to, else of the prim itself."""
    prim.read.add(REFERENCES)
    target = prim.said.get(REFERENCES)
    if target is None:
        if "points" not in prim.properties:
            prim.refuse("it is a mesh that has no points, and refers to none")
        prim.read.update(OF_MESH)
        for inner in prim.walk():
            if not inner.carries:
                inner.take().read.update((*inner.properties, *inner.said))
        return prim.true_name
    path = (
        target.text
        if target.kind == "path"
        else target.parts[0].text
        if target.kind == "reference"
        else ""
    )
    return prim.word("custom string", "urdf:mesh:filename") or path.rpartition("/")[2]


def _check_display(prim: Prim, look: Optional[Look]) -> None:
    """Refuse a displayColor that is not the color of the material."""
    color, opacity = (
        prim.many("color3f", "primvars:displayColor"),
        prim.many("float", "primvars:displayOpacity"),
    )
    displayed = (*(color or ()), *(opacity or (1.0,)))
    wanted = look.linear if look is not None and look.linear else ()
    if (color is not None or opacity is not None or wanted) and displayed != tuple(wanted):
        prim.refuse(f"its displayColor is {displayed}, and its material has {tuple(wanted)}")
