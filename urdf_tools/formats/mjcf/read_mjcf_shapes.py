"""Geoms of MJCF: what they are, where they are, how they look and touch; and the assets that they name."""

from __future__ import annotations

import os
import posixpath
from array import array
from functools import partial
from typing import Dict, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ...base.type_aliases import Reals
from ...base.errors import BrokenMesh
from ...base.record_type import Record
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import Inline, RawShape, Rgba, Values
from ...urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    norm,
    Transform,
    rotate,
    subtract,
    transpose,
    unit,
    Vector,
)
from ..reader_helpers import shine_of, turn_of_z
from ..xml_reader import XmlElement
from .read_mjcf_settings import (
    AttributesWithDefaults,
    DefaultClasses,
    pose_of,
    position_of,
    quaternion_of,
    rotation_of,
    MjcfSettings,
)

if TYPE_CHECKING:
    from ...meshes.mesh_readers import ColoredTriangles

TYPES = ("sphere", "plane", "hfield", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}  # how many
FROM_TO = ("capsule", "cylinder", "ellipsoid", "box")
NO_COLOR = (0.5, 0.5, 0.5, 1.0)  # the color of a geom without rgba (XML reference, "geom", rgba)
FRICTION = (1.0, 0.005, 0.0001)
DRAWN_GROUPS = (0.0, 1.0, 2.0)  # viewers show these unless asked (XML reference, "geom", group)
# Of a material, and the name of the value.
SHINE = {
    "specular": "specular",
    "shininess": "shininess",
    "emission": "emission",
    "metallic": "metalness",
    "roughness": "roughness",
}
MAX_NUMBERS = 6_000_000  # of a mesh: points and corners
MESH_INERTIA = ("legacy", "convex", "exact", "shell")

WITHOUT_COUNTERPART = {
    "hfield": "a height field has no counterpart",
    "sdf": "a shape of a plugin has no counterpart",
}


class MeshAsset(Record):
    """A mesh of the assets: its file as written, with its folder; path: of the file that exists, else ""; T_mesh_file.

    `inline`: its triangles if the asset holds them itself, in the frame of the mesh; `file` is then its name.
    `first_object`: the triangles that MuJoCo draws of an OBJ file that holds more.
    """

    element: XmlElement
    file: str
    path: str
    scale: Vector
    T_mesh_file: Transform
    inertia: str
    material: str
    inline: Optional[Inline] = None
    first_object: Optional[Inline] = None

    @property
    def shown_name(self) -> str:
        """Its file, or its name where the asset itself holds it."""
        return self.file or self.element.attributes.get("name", "")


class MjcfMaterial(Record):
    """A material: its color, None if it has none, the file of its texture, and how it shines, by name of VALUES."""

    color: Optional[Rgba]
    texture: str
    shine: Mapping[str, float]


class MjcfAssets(Record):
    """What the assets name."""

    meshes: Dict[str, MeshAsset]
    materials: Dict[str, MjcfMaterial]


class Geom(Record):
    """A geom: its mass, and its shapes: none, a visual, a collision, or both.

    Attributes:
        size: radii and half lengths [m], as in MuJoCo.
        mass: None if only its density is known [kg/m^3]. shell: all of it is on the surface.
    """

    element: XmlElement
    type: str
    size: Reals
    T_body_geom: Transform
    mesh: Optional[MeshAsset]
    group: float
    mass: Optional[float]
    density: float
    shell: bool
    shapes: Tuple[RawShape, ...]


def read_assets(
    root: XmlElement, classes: DefaultClasses, settings: MjcfSettings, folder: str
) -> MjcfAssets:
    """Return the meshes and materials by name."""
    textures: Dict[str, str] = {}
    meshes: Dict[str, MeshAsset] = {}
    materials: Dict[str, MjcfMaterial] = {}
    sections = root.all("asset")
    # Textures first: a material may name a texture of a later section.
    for section in sections:
        for element in section.all("texture"):
            attrs = classes.attributes_of(element)
            file = attrs.get("file") or ""
            name = attrs.get("name") or _name_of_asset(file)
            textures[name] = _file_in_folder(file, settings.texture_folder, settings)
            if attrs.get("type") != "2d":
                attrs.leave("type")  # it is mapped in another way than images of meshes
            if attrs.get("content_type") != "image/png":
                attrs.leave("content_type")
    for section in sections:
        for element in section.all("material"):
            attrs = classes.attributes_of(element)
            materials[attrs.get("name") or ""] = _material(attrs, textures)
        for element in section.all("mesh"):
            mesh = _mesh(classes.attributes_of(element), settings, folder)
            meshes[element.get("name") or _name_of_asset(mesh.file)] = mesh
    return MjcfAssets(meshes, materials)


def _name_of_asset(file: str) -> str:
    """Return the name of an asset without one: its file without folder and ending (XML reference, "mesh", name)."""
    return posixpath.splitext(posixpath.basename(file))[0]


def _material(attrs: AttributesWithDefaults, textures: Mapping[str, str]) -> MjcfMaterial:
    """Return a material."""
    texture = textures.get(attrs.get("texture") or "", "")
    shine = {
        name: attrs.number(key, 0.0) for key, name in SHINE.items() if attrs.get(key) is not None
    }
    return MjcfMaterial(_color(attrs, None), texture, shine)


def _file_in_folder(file: str, folder: str, settings: MjcfSettings) -> str:
    """Return the name of a file with its folder, as written."""
    if settings.strip:
        file = posixpath.basename(file.replace("\\", "/"))
    return posixpath.join(folder, file) if file and folder else file


def _mesh(attrs: AttributesWithDefaults, settings: MjcfSettings, folder: str) -> MeshAsset:
    """Return a mesh of the assets.

    A point of its file is drawn at scale * R (point - origin), of `refquat`, `refpos` and `scale`.
    """
    file = _file_in_folder(attrs.get("file") or "", settings.mesh_folder, settings)
    path = os.path.join(folder, file)
    x, y, z = attrs.numbers("scale", (1.0, 1.0, 1.0))
    origin = position_of(attrs, "refpos")
    turn = quaternion_of(attrs, "refquat")
    R = transpose(turn)
    inertia = attrs.word("inertia", MESH_INERTIA)
    material = attrs.get("material") or ""
    vertex = attrs.get("vertex")

    if vertex is not None and not file:
        return MeshAsset(
            element=attrs.element,
            file=attrs.get("name") or "",
            path="",
            scale=(1.0, 1.0, 1.0),
            T_mesh_file=IDENTITY_POSE,
            inertia=inertia,
            material=material,
            inline=mjcf_mesh(attrs, vertex, (x, y, z), origin, R),
        )
    if turn is not IDENTITY and not x == y == z:
        attrs.refuse("it is turned and then scaled in a way that no single scale can say")
    u, v, w = rotate(R, origin)
    T_mesh_file = Transform(R, (-x * u, -y * v, -z * w))
    first_object = None
    if file and os.path.isfile(path):
        first_object = _first_object(path, (x, y, z))
    else:
        path = ""
    return MeshAsset(
        element=attrs.element,
        file=file,
        path=path,
        scale=(x, y, z),
        T_mesh_file=T_mesh_file,
        inertia=inertia,
        material=material,
        first_object=first_object,
    )


def _first_object(path: str, scale: Vector) -> Optional[Inline]:
    """Return the function that reads the first object of an OBJ file with several; None for another file."""
    if not path.lower().endswith(".obj"):
        return None
    from ...meshes.first_obj_object import has_several_objects

    with open(path, "rb") as stream:
        is_partly_drawn = has_several_objects(stream.read())
    return partial(_of_first_object, path, scale) if is_partly_drawn else None


def _of_first_object(path: str, scale: Vector) -> "Tuple[ColoredTriangles, ...]":
    """Return the scaled triangles of the first object of an OBJ file."""
    from ...meshes.mesh_readers import read_first_object

    a, b, c = scale
    is_mirrored = a * b * c < 0.0
    surfaces = []
    for surface in read_first_object(path):
        triangles = []
        for triangle in surface.triangles:
            p, q, r = ((a * x, b * y, c * z) for x, y, z in triangle)
            if is_mirrored:
                q, r = r, q  # MuJoCo keeps the outside of a mirrored mesh
            triangles.append((p, q, r))
        surfaces.append(surface._replace(triangles=tuple(triangles)))
    return tuple(surfaces)


def _color(attrs: AttributesWithDefaults, nothing: Optional[Rgba]) -> Optional[Rgba]:
    """Return the color of an element; None if it has none, or the color `nothing`."""
    red, green, blue, alpha = attrs.numbers("rgba", NO_COLOR)
    color = (red, green, blue, alpha)
    if attrs.get("rgba") is None or color == nothing:
        return None
    return color


def read_geom(
    attrs: AttributesWithDefaults,
    T_body_frame: Transform,
    settings: MjcfSettings,
    assets: MjcfAssets,
) -> Geom:
    """Return a geom; a kind that no other format has is marked unread, with the reason.

    Raises:
        BrokenRobot: a size, pose or asset that MuJoCo refuses.
    """
    element = attrs.element
    kind = attrs.word("type", TYPES)
    name = attrs.get("mesh")
    mesh = assets.meshes.get(name) if name is not None else None
    if name is not None and mesh is None or kind == "mesh" and name is None:
        element.refuse_this(f"mesh '{name or ''}' is not there")
    size, T_frame_geom = _size_and_pose(attrs, kind, mesh, settings)
    mass = attrs.number("mass", 0.0)
    has_mass = attrs.get("mass") is not None
    geom = Geom(
        element=element,
        type=kind,
        size=size,
        T_body_geom=compose(T_body_frame, T_frame_geom),
        mesh=mesh,
        group=attrs.number("group", 0.0),
        mass=mass if has_mass else None,
        density=attrs.number("density", 1000.0),
        shell=attrs.word("shellinertia", ("false", "true")) == "true",
        shapes=(),
    )
    if mass < 0.0 or geom.density < 0.0:
        element.refuse_this("a negative mass or density")
    why = WITHOUT_COUNTERPART.get(kind, "")
    if mesh is not None and kind not in ("mesh", "sdf"):
        why = f"a {kind} that MuJoCo fits to a mesh is not computed"
    if why:
        element.leave(why)
        return geom
    return geom._replace(shapes=_shapes(attrs, geom, assets))


def _size_and_pose(
    attrs: AttributesWithDefaults, kind: str, mesh: Optional[MeshAsset], settings: MjcfSettings
) -> Tuple[Reals, Transform]:
    """Return radii and half lengths, and T_frame_geom."""
    count = SIZES.get(kind, 0)
    size = attrs.numbers("size", (0.0, 0.0, 0.0), 1)[:count]
    T, half = pose_between(attrs, settings)
    if half is not None and kind not in FROM_TO:
        attrs.refuse(f"a {kind} has no two ends (fromto)")
    if half is not None:
        # The ends give the length alone: the first size is the radius, or the half width of a box.
        size = (size[0], half) if count == 2 else (size[0], size[0], half)
    if mesh is None and any(part <= 0.0 for part in size):
        shown = " ".join(f"{part:g}" for part in size)
        attrs.refuse(f"a {kind} of size {shown}")
    return size, T


def pose_between(
    attrs: AttributesWithDefaults, settings: MjcfSettings
) -> Tuple[Transform, Optional[float]]:
    """Return the pose of a geom or site, and half its length if it is given by its ends: z goes from end to start.

    Raises:
        BrokenRobot: the ends are the same point, or its position is written twice.
    """
    if attrs.get("fromto") is None:
        return pose_of(attrs, settings), None
    ends = attrs.numbers("fromto", (0.0,) * 6)
    start = vector_of(ends[:3])
    end = vector_of(ends[3:])
    along = subtract(start, end)
    length = norm(along)
    if length < 1e-14:  # mjEPS of MuJoCo, below which it refuses the geom
        attrs.refuse("fromto has no length")
    # MuJoCo refuses a wrong rotation beside fromto, too, and uses none.
    rotation_of(attrs, settings)
    # MuJoCo takes a position of zeros as not written.
    if any(position_of(attrs)):
        attrs.refuse("both fromto and pos give its place: remove one of them")
    x, y, z = (0.5 * (a + b) for a, b in zip(start, end))
    middle = (x, y, z)
    return Transform(turn_of_z(unit(along)), middle), 0.5 * length


def _of_mesh(shape: RawShape, mesh: MeshAsset) -> RawShape:
    """Return the shape of a mesh, at the place where its file has it: MuJoCo puts a mesh on its principal axes."""
    T_mesh_file = mesh.T_mesh_file
    pose = shape.T_link_shape
    if T_mesh_file.rotation is not IDENTITY or any(T_mesh_file.translation):
        pose = compose(pose, T_mesh_file)
    shape = shape._replace(T_link_shape=pose, file=mesh.file)
    if mesh.first_object is not None:
        return shape._replace(path="", inline=mesh.first_object)
    return shape._replace(path=mesh.path, inline=mesh.inline)


def _shapes(attrs: AttributesWithDefaults, geom: Geom, assets: MjcfAssets) -> Tuple[RawShape, ...]:
    """Return the geom as a collision if it can touch, and as a visual if it is drawn, or cannot touch."""
    touches = _touches(attrs)
    name = attrs.get("material") or ""
    if not name and geom.mesh is not None:
        name = geom.mesh.material
    if name and name not in assets.materials:
        attrs.refuse(f"material '{name}' is not there")

    material = assets.materials.get(name, MjcfMaterial(None, "", {}))
    # With a material, NO_COLOR is not a color.
    nothing = NO_COLOR if name else None
    color = _color(attrs, nothing) or material.color
    shape = RawShape(
        role="visual",
        geometry=geom.type,
        sizes=raw_sizes(geom),
        T_link_shape=geom.T_body_geom,
        name=attrs.get("name") or "",
        color=color,
        texture=material.texture,
        surface=_shine(material, color),
        line=attrs.element.line,
    )
    if geom.mesh is not None:
        shape = _of_mesh(shape, geom.mesh)

    # A geom that collides is drawn as well if viewers show its group; a geom that does not collide is only drawn.
    is_shown = geom.group in DRAWN_GROUPS
    visual = shape
    if not is_shown:
        visual = shape._replace(surface={**shape.surface, "hidden_group": (1.0,)})
    surface = _surface(attrs)
    collision = shape._replace(role="collision", color=None, texture="", surface=surface)
    if geom.mesh is not None and geom.mesh.first_object is not None:
        # The hull that collides has the points of all objects.
        collision = collision._replace(path=geom.mesh.path, inline=None)
    if not touches:
        return (visual,)
    return (visual, collision) if is_shown else (collision,)


def _touches(attrs: AttributesWithDefaults) -> bool:
    """Return True if a geom can touch others; masks by which it touches only some of them are marked unread."""
    masks = ("contype", "conaffinity")
    bits = [attrs.number(mask, 1.0) for mask in masks]
    if any(bits) and bits != [1.0, 1.0]:
        for mask in masks:
            if attrs.get(mask) is not None:
                attrs.leave(mask)
    return any(bits)


def _shine(material: MjcfMaterial, color: Optional[Rgba]) -> Values:
    """Return how a material shines."""
    shine = material.shine
    values: Values = {name: (value,) for name, value in shine.items()}
    return {**values, **shine_of(shine.get("specular"), shine.get("emission"), color)}


def raw_sizes(geom: Geom) -> Reals:
    """Return the sizes of a `RawShape`: full lengths, radii, scales."""
    if geom.mesh is not None:
        return geom.mesh.scale
    if geom.type == "box":
        return tuple(2.0 * half for half in geom.size)
    if geom.type in ("capsule", "cylinder"):
        radius, half_length = geom.size
        return (radius, 2.0 * half_length)
    return geom.size


def _surface(attrs: AttributesWithDefaults) -> Values:
    """Return the friction; torsional and rolling only if contacts have that many dimensions."""
    slide, twist, roll = attrs.numbers("friction", FRICTION, 1)
    dimensions = attrs.number("condim", 3.0)
    values: Values = {}
    if attrs.get("friction") is not None:
        values["mu1"] = (slide,)
    if attrs.get("condim") is not None:
        values["contact_dimensions"] = (dimensions,)
    # Written friction counts also below these dimensions: the other geom of a contact may have more.
    if dimensions >= 4.0 or twist != FRICTION[1]:
        values["torsional"] = (twist,)
    if dimensions >= 6.0 or roll != FRICTION[2]:
        values["rolling"] = (roll,)
    return values


def mjcf_mesh(
    attrs: AttributesWithDefaults, vertex: str, scale: Vector, origin: Vector, R_geom_mesh: Matrix
) -> Inline:
    """Return the function that makes the mesh of the points and faces of an asset.

    Without faces it is the convex hull of the points (XML reference, "mesh", vertex, face).

    MuJoCo moves `origin` to zero, then turns, then scales: a point is drawn at scale * R_geom_mesh (point - origin).
    Points are float32, as MuJoCo keeps them, and as mesh files have them; the rest is computed with doubles.

    Args:
        vertex: the text of the points, in the frame of the asset.
        scale: the factor along each axis of the geom.
        origin: the point of the asset that becomes the origin of the geom (`refpos`), in the frame of the asset.
        R_geom_mesh: the rotation from the frame of the asset to the frame of the geom: the inverse of `refquat`.

    Raises:
        BrokenRobot: numbers that MuJoCo refuses.
    """
    element = attrs.element
    numbers = array("f", element.numbers(vertex, 12, MAX_NUMBERS))
    corners = [int(number) for number in element.numbers(attrs.get("face") or "", 0, MAX_NUMBERS)]
    if len(numbers) % 3 or len(corners) % 3:
        element.refuse_this("vertex and face hold three numbers for each point and triangle")
    if any(not 0 <= corner < len(numbers) // 3 for corner in corners):
        element.refuse_this("a corner of its faces is no vertex")
    a, b, c = scale
    points = []
    for point in zip(numbers[::3], numbers[1::3], numbers[2::3]):
        x, y, z = rotate(R_geom_mesh, subtract(point, origin))
        points.append((a * x, b * y, c * z))
    step = -1 if a * b * c < 0.0 else 1  # MuJoCo keeps the outside of a mirrored mesh
    faces = [corners[start : start + 3][::step] for start in range(0, len(corners), 3)]
    return partial(_of_mjcf, element.file, points, faces)


def _of_mjcf(
    file: str, points: Sequence[Vector], faces: Sequence[Sequence[int]]
) -> "Tuple[ColoredTriangles, ...]":
    """Return the triangles of points and faces, or of the hull of the points."""
    from ...meshes.mesh_readers import ColoredTriangles
    from ...meshes.convex_hull import convex_hull
    from ...meshes.verify_witnesses import triangles_at

    if faces:
        return (ColoredTriangles(None, "", tuple(triangles_at(points, faces))),)
    hull = convex_hull(points)
    if hull is None:
        raise BrokenMesh("the points of a mesh lie in one plane", file)
    return (ColoredTriangles(None, "", tuple(hull.facets)),)
