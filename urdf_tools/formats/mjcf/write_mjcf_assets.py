"""Materials, meshes and shapes of MJCF."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from itertools import chain
from math import fsum, sqrt
from typing import Dict, List, Mapping, Optional, Set, Tuple, Union

from ...base.type_aliases import Reals
from ...base.number_text import format_number, format_numbers, shown_names
from ...collada.conversion_records import COLLADA_ENDINGS
from ...model.export_options import MeshLook, MjcfOptions
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Link, material_meanings, RobotRecord
from ...model.model_shapes import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Material,
    Mesh,
    Part,
    pieces,
    Plane,
    sizes_of,
    Sphere,
    Surface,
    Visual,
)
from ...model.xml_writer import XmlNode, node
from ...urdf.mesh_paths import mesh_stem
from ...meshes.quaternions import quaternion_from_matrix
from ...urdf.spatial_math import compose, norm, Transform, ZERO
from ..export_diagnostics import EXPORT_LEFT_OUT, EXPORT_MISREAD
from ..shared_lowering import clean_direction, clean_lengths, ExportFindings, OneShape, unused

READS = (".stl", ".obj")
LOOKS = ("specular", "shininess", "emission", "metallic", "roughness")
Key = Tuple[str, Reals]


class AssetWriter:
    """The `<asset>` of a model while it grows, and the names in use.

    Attributes:
        left_out: the shapes that are not written: (link, "visual" or "collision", number among its pieces).
    """

    def __init__(
        self, robot: RobotRecord, options: MjcfOptions, class_name: str, findings: ExportFindings
    ) -> None:
        """Begin without assets."""
        self.node = node("asset")
        self.left_out: Set[OneShape] = set()
        self._class = class_name
        self._findings = findings
        self._files = dict(options.mesh_files)
        self._meshes: Dict[Key, str] = {}
        self._looks = dict(options.mesh_looks)
        self._materials: Dict[Tuple[Material, Optional[MeshLook]], str] = {}
        self._textures: Dict[str, str] = {}
        # Names in use, by tag: MuJoCo has a namespace for each kind of element.
        self._names: Dict[str, Set[str]] = defaultdict(set)
        self._collada: Dict[str, str] = {}  # the first link of each file
        self._meanings = material_meanings(robot)

    def finished(self) -> XmlNode:
        """Return the element: materials, meshes, then textures. COLLADA is refused here, once for all files."""
        if self._collada:
            owner = next(iter(self._collada.values()))
            files = shown_names((f"'{name}'" for name in self._collada), 1)
            option = f"{self._findings.spelled('split')} color"
            self._findings.refuse(
                "link", owner, f"MuJoCo cannot read COLLADA ({files}): add {option}"
            )
        self.node.children.sort(key=lambda child: str(child.tag))
        return self.node

    def add_geoms(self, body: XmlNode, link: Link) -> None:
        """Put the shapes of a link into a body."""
        for kind, number, shape, part in link.placed_pieces:
            geom = self._geom(link, kind, shape, part)
            if geom is None:
                self.left_out.add((link.name, kind, number))
                continue
            put_pose(geom, part.origin.transform)
            body.children.append(geom)

    def _geom(
        self, link: Link, kind: str, shape: Union[Visual, Collision], part: Part
    ) -> Optional[XmlNode]:
        """Return a shape; None for one that MuJoCo cannot hold, which is noted or refused."""
        geometry = part.geometry
        geom = node("geom", name=shape.name or f"{link.name}_{kind}", class_=kind)
        if isinstance(geometry, Mesh):
            name = self._mesh(geometry, kind, link.name)
            if name is None:
                return None
            geom.attributes.update(type="mesh", mesh=name)
        else:
            sizes = half_sizes(geometry)
            if min(sizes) <= 0.0 and not isinstance(geometry, Plane):
                self._findings.note(EXPORT_LEFT_OUT, "size", link, kind, geometry.kind)
                return None
            geom.attributes.update(type=geometry.kind, size=format_numbers(sizes))
        geom.attributes["name"] = unused(geom.attributes["name"], self._names["geom"])
        if isinstance(shape, Visual):
            look = self._looks.get(geometry.filename) if isinstance(geometry, Mesh) else None
            geom.attributes.update(self._look_attributes(shape.material, look))
        elif shape.surface is not None:
            self._put_surface(geom, shape.surface, link)
        return geom

    def _mesh(self, mesh: Mesh, kind: str, owner: str) -> Optional[str]:
        """Return the name of a mesh, of which there is one for each file and scale."""
        key = (mesh.filename, mesh.scale)
        if key in self._meshes:
            return self._meshes[key]
        path = self._files.get(mesh.filename, mesh.filename)
        if not path:  # left out, which `MjcfMeshFiles.leave_out` has noted
            return None
        ending = posixpath.splitext(path.lower())[1]
        if ending not in READS:
            if ending in COLLADA_ENDINGS:
                self._collada.setdefault(mesh.filename, owner)
            elif kind == "collision":
                fault = f"MuJoCo reads STL and OBJ, not '{mesh.filename}', which is a collision"
                if ending in (".gltf", ".glb"):
                    fault += f" (add {self._findings.spelled('mesh_format')} obj)"
                self._findings.refuse("link", owner, fault)
            else:
                self._findings.note(EXPORT_LEFT_OUT, "mesh-format", mesh.filename)
            return None
        if path.startswith(("package://", "model://")):
            self._findings.note(EXPORT_MISREAD, "package", mesh.filename)
        name = unused(mesh_stem(mesh.filename) or "mesh", self._names["mesh"])
        scale = format_numbers(mesh.scale) if mesh.scale != (1.0, 1.0, 1.0) else None
        self.node.add("mesh", name=name, class_=self._class, file=path, scale=scale)
        self._meshes[key] = name
        return name

    def _look_attributes(
        self, material: Optional[Material], look: Optional[MeshLook]
    ) -> Dict[str, str]:
        """Return the color of a shape, or its material: of the robot, and of the file of its mesh (`look`)."""
        material = material or Material()
        if material == Material(material.name):
            material = self._meanings.get(material.name, material)
        # An image of the file counts before the textures of the robot, which cannot be written; a color of the robot
        # counts before a color of the file.
        if look is not None and (look.image or material.rgba is None):
            texture = "" if look.image else material.texture
            material = material._replace(
                name=material.name or look.name, rgba=look.rgba, texture=texture
            )
        else:
            look = None
        if material.texture:
            self._findings.note(EXPORT_LEFT_OUT, "texture", material.texture)
        material = material._replace(texture="")
        if material == Material(material.name):
            return {}
        # A geom can have a color alone, without a material.
        if not look and material.rgba is not None and material == Material(rgba=material.rgba):
            return {"rgba": format_numbers(_color(material.rgba))}
        if (material, look) not in self._materials:
            self._materials[material, look] = self._add_material(material, look)
        return {"material": self._materials[material, look]}

    def _add_material(self, material: Material, look: Optional[MeshLook]) -> str:
        """Write a material, with what the file of a mesh says that the robot does not; return its name."""
        name = unused(material.name or "material", self._names["material"])
        values = {**material._asdict(), "shininess": None}
        if look is not None:
            for key in ("specular", "shininess"):
                if values[key] is None:
                    values[key] = getattr(look, key)
        looks = {key: format_number(values[key]) for key in LOOKS if values[key] is not None}
        rgba = format_numbers(_color(material.rgba)) if material.rgba is not None else None
        texture = self._texture(look.image) if look and look.image else None
        self.node.add("material", name=name, class_=None, texture=texture, rgba=rgba, **looks)
        return name

    def _texture(self, image: str) -> str:
        """Return the name of a texture, of which there is one for each image."""
        if image not in self._textures:
            self._textures[image] = unused(mesh_stem(image), self._names["texture"])
            # Every image here is a PNG, whatever its name: `why_not_shown` has left out all others. MuJoCo goes by the
            # ending of the name, so another ending needs the content type.
            kind = None if image.lower().endswith(".png") else "image/png"
            self.node.add(
                "texture", name=self._textures[image], type="2d", file=image, content_type=kind
            )
        return self._textures[image]

    def _put_surface(self, geom: XmlNode, surface: Surface, link: Link) -> None:
        """Write the friction of a collision, and note its other contact values."""
        if surface.mu1 is not None and surface.mu1 >= 0.0:
            geom.attributes["friction"] = format_number(surface.mu1)
        lost = [key for key, value in surface._asdict().items() if value is not None]
        if "mu1" in lost:
            lost.remove("mu1")
        # A second friction that is equal to the first says nothing more.
        if surface.mu2 is not None and surface.mu2 == surface.mu1:
            lost.remove("mu2")
        if lost:
            self._findings.note(EXPORT_LOST, "contacts", link, ", ".join(lost))


def _color(rgba: Reals) -> List[float]:
    """Return a color as MuJoCo takes it: from 0 to 1."""
    return [min(max(value, 0.0), 1.0) for value in rgba]


def half_sizes(shape: Union[Box, Sphere, Cylinder, Capsule, Ellipsoid, Plane]) -> Reals:
    """Return the sizes as MJCF has them: half lengths."""
    if isinstance(shape, Box):
        return (shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2)
    if isinstance(shape, (Sphere, Ellipsoid)):
        return sizes_of(shape)
    if isinstance(shape, Plane):
        return (shape.size[0] / 2, shape.size[1] / 2, 1.0)  # the third is the spacing of its grid
    return (shape.radius, shape.length / 2)


def put_pose(into: XmlNode, T: Transform) -> None:
    """Add `pos` [m] and `quat` (w, x, y, z), unless they are the defaults: zeros and the identity."""
    position = clean_lengths(T.translation)
    x, y, z, w = clean_direction(quaternion_from_matrix(T.rotation))
    if position != ZERO:
        into.attributes["pos"] = format_numbers(position)
    if (x, y, z) != ZERO:
        into.attributes["quat"] = format_numbers((w, x, y, z))


def standing_height(
    robot: RobotRecord, options: MjcfOptions, poses: Mapping[str, Transform]
) -> float:
    """Return the height of the root [m] at which the lowest collision touches the ground; 0 if no size is known."""
    boxes = dict(options.mesh_boxes)
    lows: List[float] = []
    for link in robot.links:
        parts = [pieces(shape.geometry, shape.origin) for shape in link.collisions]
        for part in chain.from_iterable(parts):
            T = compose(poses[link.name], part.origin.transform)
            low = _lowest_point(part, T, boxes)
            if low is not None:
                lows.append(low)
    return -min(lows, default=0.0)


def _lowest_point(part: Part, T: Transform, boxes: Dict[str, Reals]) -> Optional[float]:
    """Return the least z of a shape at a pose; None where its size is not known."""
    x, y, z = T.rotation[2]
    height = T.translation[2]
    shape = part.geometry
    if isinstance(shape, Box):
        return (
            height - (abs(x) * shape.size[0] + abs(y) * shape.size[1] + abs(z) * shape.size[2]) / 2
        )
    if isinstance(shape, Sphere):
        return height - shape.radius
    if isinstance(shape, Capsule):
        return height - abs(z) * shape.length / 2 - shape.radius
    if isinstance(shape, Cylinder):
        # The lowest point of a tilted rim: x and y are the parts of its plane that look down.
        return height - abs(z) * shape.length / 2 - shape.radius * sqrt(x * x + y * y)
    if isinstance(shape, Ellipsoid):
        a, b, c = shape.radii
        # The support of an ellipsoid in the direction -z.
        return height - norm((a * x, b * y, c * z))
    if isinstance(shape, Mesh) and shape.filename in boxes:
        box = boxes[shape.filename]
        factors = [axis * scale for axis, scale in zip((x, y, z), shape.scale)]
        # The lowest corner of the box: along each axis the end that is lower.
        ends = zip(factors, box[:3], box[3:])
        return height + fsum(min(factor * low, factor * high) for factor, low, high in ends)
    return None
