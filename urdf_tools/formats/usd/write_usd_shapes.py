"""Visuals and collisions of USD, their colors and contact materials."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set, Tuple, TYPE_CHECKING, Union

from ...meshes.mesh_content import linear_of_srgb
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Link
from ...model.model_shapes import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Material,
    Mesh,
    Plane,
    Primitive,
    sizes_of,
    Sphere,
    Surface,
    Visual,
)
from ...robot.principal_axes import vector_of
from ...urdf.spatial_math import Transform, scale, Vector, ZERO
from ..export_diagnostics import EXPORT_LEFT_OUT
from ...model.xml_writer import exact
from ..shared_lowering import clean_lengths
from .lower_to_usd import LAYER, UsdWriter
from .write_usd_meshes import have_own_looks
from .write_usd_prims import (
    asset,
    bind,
    doubles_text,
    PreviewSurfaceLook,
    WrittenPrim,
    quaternion_of,
    quoted,
    single_text,
    singles_text,
    write_look,
)

if TYPE_CHECKING:
    from ...meshes.mesh_content import MaterialSurface as SurfaceOfMesh

UNIT: Vector = (1.0, 1.0, 1.0)
# USD has neither kind: they are a cube and a ball with a scale.
TYPES = {"box": "Cube", "ellipsoid": "Sphere"}


class ShapeWriter:
    """Writes the shapes of links; materials go into a scope of the robot, each once.

    Attributes:
        materials: the scope.
    """

    def __init__(self, materials: WrittenPrim, model: UsdWriter) -> None:
        """Begin without a material."""
        self.materials = materials
        self._model = model
        self._looks: Dict[PreviewSurfaceLook, WrittenPrim] = {}
        self._surfaces: Dict[Tuple[float, Optional[float]], WrittenPrim] = {}

    def write(self, link: Link, prim: WrittenPrim, reserved: Set[str]) -> None:
        """Write the shapes of a link into its prim; `reserved` are names of prims that will be added."""
        prim.taken |= reserved
        for role, number, shape, part in link.placed_pieces:
            child = self._shape(link, role, shape.name, part.geometry, prim)
            if child is None:
                self._model.left_out.add((link.name, role, number))
                continue
            # A cube of edge 1 and a ball of radius 1 get their sizes by a scale.
            is_scaled = isinstance(part.geometry, (Box, Ellipsoid))
            factors = vector_of(sizes_of(part.geometry)) if is_scaled else None
            put_pose(child, part.origin.transform, factors)
            if isinstance(shape, Visual):
                self._color(child, shape.material, part.geometry)
            else:
                self._collision(child, link, shape, part.geometry)

    def _shape(
        self, link: Link, role: str, name: str, geometry: Primitive, prim: WrittenPrim
    ) -> Optional[WrittenPrim]:
        """Return the prim of a shape, without its pose; None for a shape that USD cannot show, which is noted."""
        name = name or f"{link.name}_{role}"
        if isinstance(geometry, Mesh):
            return self._mesh(name, geometry, prim)
        if isinstance(geometry, Plane):
            child = prim.add("Plane", name)
            child.put("uniform token axis", '"Z"')
            for key, length in zip(("width", "length"), geometry.size):
                child.put(f"double {key}", exact(length))
            return child
        if min(sizes_of(geometry)) <= 0.0:
            self._model.findings.note(EXPORT_LEFT_OUT, "size", link, role, geometry.kind)
            return None
        child = prim.add(TYPES.get(geometry.kind, geometry.kind.capitalize()), name)
        if isinstance(geometry, Box):
            # The default of USD is 2.
            child.put("double size", "1")
        elif isinstance(geometry, Ellipsoid):
            child.put("double radius", "1")
        else:
            child.put("double radius", exact(geometry.radius))
            if isinstance(geometry, (Cylinder, Capsule)):
                child.put("double height", exact(geometry.length))
                child.put("uniform token axis", '"Z"')
        low, high = _extent(geometry)
        child.put("float3[] extent", f"[{singles_text(low)}, {singles_text(high)}]")
        return child

    def _mesh(self, name: str, mesh: Mesh, prim: WrittenPrim) -> Optional[WrittenPrim]:
        """Return the prim of a mesh, which refers to the layer of meshes; None for a mesh that is left out."""
        options = self._model.options
        drawn = self._model.meshes.prim_of(mesh) if options.meshes != "none" else None
        if drawn is None:
            return None
        mesh_prim = prim.add("Mesh", name)
        file = asset(options.layer) if options.meshes == "beside" else ""
        mesh_prim.say("prepend references", f"{file}</{LAYER}/{drawn.name}>")
        mesh_prim.put("custom string urdf:mesh:filename", quoted(mesh.filename))
        if mesh.scale != UNIT:
            mesh_prim.put("custom double3 urdf:mesh:scale", doubles_text(mesh.scale))
        return mesh_prim

    def _color(self, prim: WrittenPrim, material: Optional[Material], geometry: Primitive) -> None:
        """Give a visual the color of its material, unless its mesh file has one, as RViz draws it."""
        material = material or Material()
        # A material that has only a name stands for the material that the robot defines by it.
        if material == Material(material.name):
            material = self._model.materials.get(material.name, material)
        if have_own_looks(self._surfaces_of(geometry)):
            return
        if material.texture:
            self._model.findings.note(EXPORT_LEFT_OUT, "texture-usd", material.texture)
        look = _look_of(material)
        if look is None:
            return
        if look not in self._looks:
            self._looks[look] = write_look(self.materials, material.name or "material", look)
        # A look of a part of the mesh file counts before this, as for any binding of a parent.
        bind(prim, self._looks[look])
        prim.put("color3f[] primvars:displayColor", f"[{singles_text(look.diffuse)}]")
        if look.opacity != 1.0:
            prim.put("float[] primvars:displayOpacity", f"[{single_text(look.opacity)}]")
        if material.specular is not None:
            self._model.findings.note(EXPORT_LOST, "material", material.name, "specular")

    def _surfaces_of(self, geometry: Primitive) -> "Sequence[SurfaceOfMesh]":
        """Return the surfaces that are drawn of a mesh, none of another shape."""
        if not isinstance(geometry, Mesh):
            return ()
        drawn = self._model.meshes.drawn.get((geometry.filename, geometry.scale))
        return drawn.surfaces if drawn is not None else ()

    def _collision(
        self, prim: WrittenPrim, link: Link, shape: Collision, geometry: Primitive
    ) -> None:
        """Make a shape collide: meshes as their convex hulls, as PhysX requires of moving bodies."""
        prim.apply("PhysicsCollisionAPI")
        if isinstance(geometry, Mesh):
            prim.apply("PhysicsMeshCollisionAPI")
            prim.put("uniform token physics:approximation", '"convexHull"')
        prim.put("uniform token purpose", '"guide"')  # not drawn
        surface = shape.surface or Surface()
        given = {key: value for key, value in surface._asdict().items() if value is not None}
        # A material of USD has one friction, and a restitution beside it: mu2 is lost if it differs from mu1.
        given.pop("mu1", None)
        if surface.mu2 == surface.mu1:
            given.pop("mu2", None)
        if surface.mu1 is not None:
            given.pop("restitution", None)
        lost = [*given]
        if lost:
            self._model.findings.note(EXPORT_LOST, "contacts", link, ", ".join(lost))
        if surface.mu1 is not None and surface.mu1 >= 0.0:
            key = (surface.mu1, surface.restitution)
            if key not in self._surfaces:
                self._surfaces[key] = self._surface(*key)
            prim.apply("MaterialBindingAPI")
            prim.relate("material:binding:physics", self._surfaces[key].path)

    def _surface(self, friction: float, restitution: Optional[float]) -> WrittenPrim:
        """Write a contact material; USD takes friction that is not given as 0."""
        contact = self.materials.add("Material", "contact")
        contact.apply("PhysicsMaterialAPI")
        for key in ("staticFriction", "dynamicFriction"):
            contact.put(f"float physics:{key}", single_text(friction))
        if restitution is not None:
            contact.put("float physics:restitution", single_text(restitution))
        return contact


def put_pose(prim: WrittenPrim, T: Transform, scale: Optional[Vector] = None) -> None:
    """Put the pose of a prim in its parent prim [m], and its scale."""
    position = clean_lengths(T.translation)
    quaternion = quaternion_of(T.rotation)
    # From the outermost to the innermost; an op that does nothing is not written.
    ops: List[Tuple[str, Sequence[float]]] = []
    if position != ZERO:
        ops.append(("double3 xformOp:translate", position))
    if quaternion[1:] != ZERO:
        ops.append(("quatd xformOp:orient", quaternion))
    if scale is not None:
        ops.append(("double3 xformOp:scale", scale))
    for declaration, values in ops:
        prim.put(declaration, doubles_text(values))
    if ops:
        order = ", ".join(quoted(declaration.partition(" ")[2]) for declaration, _ in ops)
        prim.put("uniform token[] xformOpOrder", f"[{order}]")


def _extent(geometry: Union[Box, Sphere, Cylinder, Capsule, Ellipsoid]) -> Tuple[Vector, Vector]:
    """Return the corners of the box around a shape, before its scale."""
    if isinstance(geometry, Box):
        radius = height = 0.5
    elif isinstance(geometry, Ellipsoid):
        radius = height = 1.0
    else:
        radius = height = geometry.radius
    if isinstance(geometry, Cylinder):
        height = geometry.length / 2
    elif isinstance(geometry, Capsule):
        height = geometry.length / 2 + geometry.radius
    return (-radius, -radius, -height), (radius, radius, height)


def _look_of(material: Material) -> Optional[PreviewSurfaceLook]:
    """Return the look of a material of the robot, None for a material without any value."""
    rgba = material.rgba
    if rgba is None:
        if material.metallic is None and material.roughness is None and not material.emission:
            return None
        # White, as the other values of a material need some color.
        rgba = UNIT + (1.0,)
    *shown, alpha = (min(max(value, 0.0), 1.0) for value in rgba)
    color = vector_of(map(linear_of_srgb, shown))
    # The emission of the model is a factor of its color; USD has a color.
    glow = material.emission or 0.0
    return PreviewSurfaceLook(
        diffuse=color,
        opacity=alpha,
        image="",
        emission=scale(glow, color),
        metallic=material.metallic,
        roughness=material.roughness,
    )
