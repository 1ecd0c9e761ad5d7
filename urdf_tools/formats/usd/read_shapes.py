"""Visuals and collisions of USD's text, with their colors, which are linear there, and how they touch."""
from array import array
from functools import partial
from typing import Dict, List, Optional, Tuple, TYPE_CHECKING

from ...meshes.form import srgb_of_linear
from ...robot.records import RawShape
from ...urdf.spatial import Pose
from .read_prims import Prim

if TYPE_CHECKING:
    from ...meshes.formats import ColoredTriangles

SHAPES = {"Cube": "box", "Sphere": "sphere", "Cylinder": "cylinder", "Capsule": "capsule", "Plane": "plane",
          "Mesh": "mesh"}
Rgba = Tuple[float, float, float, float]
OF_MESH = ("points", "faceVertexCounts", "faceVertexIndices", "extent", "subdivisionScheme", "orientation", "normals",
           "doubleSided", "subsetFamily:materialBind:familyType")


class Look:
    """A material: its color, if it is one that is drawn, and its friction or gloss."""

    def __init__(self, color: Optional[Rgba], linear: Tuple[float, ...], surface: Dict[str, Tuple[float, ...]]) -> None:
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
        if len(targets) != 1 or targets[0] not in self._by_path or "MaterialBindingAPI" not in prim.schemas:
            prim.refuse(f"'{name}' leads to no material of the robot")
        return self._by_path[targets[0]]


def _look(prim: Prim) -> Look:
    """Read a material: of contacts, or what is drawn."""
    prim.read.add("displayName")
    if "PhysicsMaterialAPI" in prim.schemas:
        friction, moving, restitution = (prim.number("float", f"physics:{key}") for key in (
            "staticFriction", "dynamicFriction", "restitution"))
        if friction is None or friction != moving:  # mu1 of the other formats is a single number
            prim.refuse("its static and its dynamic friction are not one number")
        surface: Dict[str, Tuple[float, ...]] = {"mu1": (friction,)}
        if restitution is not None:
            surface["restitution"] = (restitution,)
        return Look(None, (), surface)
    shaders = prim.of_type("Shader")
    connected = prim.get("token", "outputs:surface.connect")
    if len(shaders) != 1 or shaders[0].word("uniform token", "info:id") != "UsdPreviewSurface" or connected is None or (
            connected.value is None or connected.value.text != f"{shaders[0].path}.outputs:surface"):
        prim.refuse("it is no UsdPreviewSurface of one shader")
    shader = shaders[0]
    shader.get("token", "outputs:surface")
    color = shader.numbers("color3f", "inputs:diffuseColor") or shader.refuse("it has no color")
    opacity = shader.number("float", "inputs:opacity")
    surface = {}
    for key, name in (("metallic", "metalness"), ("roughness", "roughness")):
        value = shader.number("float", f"inputs:{key}")
        if value is not None:
            surface[name] = (value,)
    emission = shader.numbers("color3f", "inputs:emissiveColor")
    if emission is not None:
        surface["emission"] = emission
    r, g, b = map(srgb_of_linear, color)
    return Look((r, g, b, 1.0 if opacity is None else opacity), (*color, 1.0 if opacity is None else opacity), surface)


def read_shape(prim: Prim, T_link_shape: Pose, looks: Looks) -> List[RawShape]:
    """Return a shape: a collision, a visual, or both for a collision that is drawn."""
    geometry, sizes = SHAPES[prim.type], _sizes(prim)
    scale = prim.numbers("double3", "xformOp:scale")
    if prim.type == "Cube":  # of size 1, so its scale is the lengths of the sides
        sizes = scale or (1.0, 1.0, 1.0)
    elif prim.type == "Sphere" and scale is not None:  # of radius 1, so its scale is the radii of an ellipsoid
        if sizes != (1.0,):
            prim.refuse("its radius is not 1, and it is stretched")
        geometry, sizes = "ellipsoid", scale
    elif scale is not None and prim.type == "Mesh":
        sizes = tuple(part * other for part, other in zip(sizes, scale))
    elif scale is not None:
        prim.refuse(f"a {prim.type} is stretched, which is not read here")
    look, touch = looks.at(prim, "material:binding"), looks.at(prim, "material:binding:physics")
    _check_display(prim, look)
    shape = RawShape("visual", geometry, sizes, T_link_shape, prim.true_name, line=prim.line)
    if prim.type == "Mesh":
        shape = shape._replace(file=_file(prim), inline=partial(_drawn, prim, looks.top, scale or (1.0, 1.0, 1.0)))
    visual = shape._replace(color=look.color if look is not None else None,
                            surface=look.surface if look is not None else {})
    if "PhysicsCollisionAPI" not in prim.schemas:
        return [visual]
    if prim.type == "Mesh" and ("PhysicsMeshCollisionAPI" not in prim.schemas or prim.word(
            "uniform token", "physics:approximation") != "convexHull"):
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


def _drawn(prim: Prim, top: Prim, scale: Tuple[float, ...]) -> "Tuple[ColoredTriangles, ...]":
    from .read_meshes import usd_mesh

    return usd_mesh(prim, top, scale)


def _file(prim: Prim) -> str:
    """Return the file that a mesh was made of, or the name of the prim that it refers to, else of the prim itself."""
    prim.read.add("prepend references")
    target = prim.said.get("prepend references")
    if target is None:
        if "points" not in prim.properties:
            prim.refuse("it is a mesh that has no points, and refers to none")
        prim.read.update(OF_MESH)
        for child in prim.children:
            for inner in child.walk():
                inner.take().read.update((*inner.properties, *inner.said))
        return prim.true_name
    path = target.text if target.kind == "path" else target.parts[0].text if target.kind == "reference" else ""
    return prim.word("custom string", "urdf:mesh:filename") or path.rpartition("/")[2]


def _check_display(prim: Prim, look: Optional[Look]) -> None:
    """Refuse a displayColor that is not the color of the material."""
    color, opacity = prim.many("color3f", "primvars:displayColor"), prim.many("float", "primvars:displayOpacity")
    displayed = (*(color or ()), *(opacity or (1.0,)))
    wanted = look.linear if look is not None and look.linear else ()
    if (color is not None or opacity is not None or wanted) and displayed != tuple(wanted):
        prim.refuse(f"its displayColor is {displayed}, and its material has {tuple(wanted)}")
