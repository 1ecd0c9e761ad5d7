"""The shapes of a stage: solids with their sizes, and meshes whose points are read only when they are needed."""

from __future__ import annotations

import os
from functools import partial
from math import fsum
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ...base.errors import BrokenMesh
from ...base.exact_trigonometry import cosine_sine, PI
from ...base.record_type import Record
from ...meshes.read_mesh_files import WHITE
from ...meshes.mesh_content import srgb_of_linear
from ...robot.principal_axes import diagonal, vector_of
from ...robot.raw_robot import RawShape, Rgba
from ...urdf.spatial_math import (
    compose,
    IDENTITY,
    inverse,
    Matrix,
    multiply,
    Transform,
    rotate,
    transpose,
    Vector,
    ZERO,
)
from .crate_bytes import CrateError
from .prim_tree import Prim
from .stage_looks import PrimLook, StageLooks, touch_of
from .stage_masses import scaled
from .prim_transforms import PrimTransform, volume_of

if TYPE_CHECKING:
    from ...meshes.mesh_readers import ColoredTriangles

COLLIDES = "PhysicsCollisionAPI"
HULL = "PhysicsMeshCollisionAPI"
SIZES: Dict[str, Dict[str, float]] = {  # the sizes of each type, with their defaults in UsdGeom
    "Cube": {"size": 2.0},
    "Sphere": {"radius": 1.0},
    "Cylinder": {"radius": 1.0, "height": 2.0},
    "Capsule": {"radius": 0.5, "height": 1.0},
    "Cone": {"radius": 1.0, "height": 2.0},
    "Plane": {"width": 2.0, "length": 2.0},
    "Mesh": {},
}
FROM_Z: Dict[str, Matrix] = {  # R_shape_z: the axis of our shapes is z
    "Z": IDENTITY,
    "X": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    "Y": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
}
SAME = 1e-6  # relative difference of scales that are equal in float32
CORNERS = 32  # of the base of a cone, which becomes a mesh
BALL = ("Capsule", "height")  # a capsule whose height is 0 is a ball
NO_EXTENT = "{0} is a {1} whose {2} is 0: it is left out, as nothing is in it"
AS_MESH = "a {0} is read as a mesh"
# A moving mesh collides as its hull in all of these.
APPROXIMATED = ("convexHull", "none", "meshSimplification")


def shapes_of(
    prim: Prim,
    at: PrimTransform,
    T_world_link: Transform,
    looks: StageLooks,
    notes: List[str],
    *,
    is_drawn: bool,
) -> List[RawShape]:
    """Return the shapes of a prim on a link: a collision, a visual, or both for a collision that is drawn.

    A note is added for each value that is read otherwise than the stage has it.
    """
    if prim.type == "Mesh" and "points" not in prim.properties:
        notes.append(f"{prim!r} is a mesh that has no points")
        return []
    empty = [
        name for name in SIZES[prim.type] if prim.number(name) == 0.0 and (prim.type, name) != BALL
    ]
    if empty:
        notes.append(NO_EXTENT.format(repr(prim), prim.type, empty[0]))
        return []
    shape = _solid(prim, at, T_world_link, looks, notes)
    collides = COLLIDES in prim.schemas and prim.flag("physics:collisionEnabled", True)
    shapes: List[RawShape] = []
    if collides:
        surface, is_two = touch_of(looks.physical(prim))
        if is_two:
            notes.append("static and dynamic friction differ, and the static one is read")
        shapes.append(shape._replace(role="collision", surface=surface))
        way = prim.word("physics:approximation") if HULL in prim.schemas else "none"
        if prim.type == "Mesh" and way not in APPROXIMATED:
            notes.append(f"a mesh collides as '{way}', and is read as the mesh")
    if is_drawn:
        seen = looks.of(prim)
        drawn = shape._replace(role="visual", color=seen.color, surface=seen.surface)
        image = seen.texture()
        # A layer names its images relative to itself, so the name in the robot is a path.
        path = os.path.abspath(image) if image else ""
        shapes.append(drawn._replace(texture=image, texture_path=path))
    return shapes


def _solid(
    prim: Prim, at: PrimTransform, T_world_link: Transform, looks: StageLooks, notes: List[str]
) -> RawShape:
    """Return the geometry of a prim, in the frame of a link."""
    T_link_shape = compose(inverse(T_world_link), at.pose)
    sizes = _sizes_of(prim)
    shape = RawShape(
        role="visual", geometry="", sizes=(), T_link_shape=T_link_shape, name=prim.true_name
    )
    if prim.type == "Mesh":
        return _mesh(prim, at, shape, looks, T_world_link)
    # The box around a solid follows from its sizes.
    prim.read.add("extent")
    if at.is_sheared and any(at.scale):
        prim.refuse(f"a {prim.type} is sheared or flat, which no shape is that is read here")
    letter = prim.word("axis") or "Z"
    if letter not in FROM_Z:
        prim.refuse(f"its axis '{letter}' is not X, Y or Z")
    # A mirror makes no difference to these shapes.
    a, b, c = map(abs, at.scale)
    # The axis of the prim is z of our shape, so its factor comes last.
    factors = {"X": (c, b, a), "Y": (a, c, b), "Z": (a, b, c)}[letter]
    solid = StageSolid(
        prim=prim,
        shape=shape._replace(T_link_shape=compose(T_link_shape, Transform(FROM_Z[letter], ZERO))),
        sizes=sizes,
        scale=factors,
        notes=notes,
    )
    return SOLIDS[prim.type](solid)


def _sizes_of(prim: Prim) -> Dict[str, float]:
    """Return the sizes of a prim by name: a size that the stage leaves out has its default."""
    sizes: Dict[str, float] = {}
    for name, default in SIZES[prim.type].items():
        number = prim.number(name)
        sizes[name] = default if number is None else number
        if sizes[name] < 0.0:
            prim.refuse(f"its {name} is {sizes[name]:g}, and it must be above 0")
    return sizes


class StageSolid(Record):
    """A solid of a stage before it is a shape of ours.

    Attributes:
        shape: its name and its pose in the link, without a geometry; z is the axis of the solid.
        sizes: by name of the schema, in the units of the prim.
        scale: meters for each unit along x, y, z of the shape.
        notes: grows by a note where the shape is not the solid that the stage has.
    """

    prim: Prim
    shape: RawShape
    sizes: Mapping[str, float]
    scale: Vector
    notes: List[str]

    @property
    def is_round(self) -> bool:
        """True if a circle about the axis stays a circle."""
        x, y, _ = self.scale
        return _is_same(x, y)

    @property
    def is_even(self) -> bool:
        """True if a ball stays a ball."""
        _, y, z = self.scale
        return self.is_round and _is_same(y, z)


def _box(solid: StageSolid) -> RawShape:
    """Return the box of a Cube."""
    x, y, z = solid.scale
    edge = solid.sizes["size"]
    return solid.shape._replace(geometry="box", sizes=(edge * x, edge * y, edge * z))


def _plane(solid: StageSolid) -> RawShape:
    """Return a plane, which has no end here: width and length of a Plane are only drawn."""
    return solid.shape._replace(geometry="plane")


def _ball(solid: StageSolid) -> RawShape:
    """Return the sphere of a Sphere, or an ellipsoid where the scale differs along the axes."""
    x, y, z = solid.scale
    radius = solid.sizes["radius"]
    if solid.is_even:
        return solid.shape._replace(geometry="sphere", sizes=(radius * x,))
    return solid.shape._replace(geometry="ellipsoid", sizes=(radius * x, radius * y, radius * z))


def _capsule(solid: StageSolid) -> RawShape:
    """Return the capsule of a Capsule, or a sphere where its height is 0."""
    if not solid.is_even:
        solid.prim.refuse("a Capsule is stretched unevenly, which no shape is that is read here")
    x, _, z = solid.scale
    radius = solid.sizes["radius"] * x
    height = solid.sizes["height"]
    if height == 0.0:
        return solid.shape._replace(geometry="sphere", sizes=(radius,))
    return solid.shape._replace(geometry="capsule", sizes=(radius, height * z))


def _cylinder(solid: StageSolid) -> RawShape:
    """Return the cylinder of a Cylinder, or a mesh where its base is no circle."""
    if not solid.is_round:
        return _tapered(solid)
    x, _, z = solid.scale
    sizes = (solid.sizes["radius"] * x, solid.sizes["height"] * z)
    return solid.shape._replace(geometry="cylinder", sizes=sizes)


def _tapered(solid: StageSolid) -> RawShape:
    """Return the mesh of a Cone, or of a Cylinder whose base is no circle; its corners are made when it is read."""
    solid.notes.append(AS_MESH.format(solid.prim.type))
    x, y, z = solid.scale
    radius = solid.sizes["radius"]
    half_height = 0.5 * solid.sizes["height"] * z
    is_cone = solid.prim.type == "Cone"
    made = partial(_cone, radius * x, radius * y, half_height, is_cone=is_cone)
    return solid.shape._replace(
        geometry="mesh", sizes=(1.0, 1.0, 1.0), file=solid.prim.name, inline=made
    )


SOLIDS: Mapping[str, Callable[[StageSolid], RawShape]] = {
    "Cube": _box,
    "Plane": _plane,
    "Sphere": _ball,
    "Capsule": _capsule,
    "Cylinder": _cylinder,
    "Cone": _tapered,
}


def _is_same(a: float, b: float) -> bool:
    """Return True for two positive numbers that are one in float32, as most writers have scales."""
    return abs(a - b) <= SAME * max(a, b)


def _cone(a: float, b: float, half: float, *, is_cone: bool) -> "Tuple[ColoredTriangles, ...]":
    """Return the triangles of a cone or a stretched cylinder along z, given the radii of its base and half its height."""
    from ...meshes.mesh_readers import ColoredTriangles

    base: List[Vector] = []
    for k in range(CORNERS):
        c, s = cosine_sine(2.0 * PI * k / CORNERS)
        base.append((a * c, b * s, -half))
    triangles = _fan(base[::-1])  # the base is seen from below
    tip: Vector = (0.0, 0.0, half)
    top = [(x, y, half) for x, y, _ in base]
    for k in range(CORNERS):
        if is_cone:
            triangles += _fan([base[k - 1], base[k], tip])
        else:
            triangles += _fan([base[k - 1], base[k], top[k], top[k - 1]])
    if not is_cone:
        triangles += _fan(top)
    return (ColoredTriangles(None, "", tuple(triangles)),)


def _fan(
    ring: "Sequence[Vector]", *, is_turned: bool = False
) -> "List[Tuple[Vector, Vector, Vector]]":
    """Return the triangles of a polygon from its first corner, as renderers of USD cut it."""
    first = ring[0]
    pairs = zip(ring[1:], ring[2:])
    if is_turned:
        return [(first, q, p) for p, q in pairs]
    return [(first, p, q) for p, q in pairs]


def _mesh(
    prim: Prim, at: PrimTransform, shape: RawShape, looks: StageLooks, T_world_link: Transform
) -> RawShape:
    """Return a mesh; the points of a sheared mesh are given in the axes of its link.

    A pose and a scale cannot express a shear, so the points take up the whole transform.
    """
    # All of it is read when the points are, so nothing in it counts as unread.
    for inner in prim.walk():
        inner.take().read.update((*inner.properties, *inner.said))
    linear = diagonal(at.scale)
    sizes = scaled(prim.numbers("urdf:mesh:scale", 3) or (1.0, 1.0, 1.0), at.scale)
    if at.is_sheared:
        linear = multiply(transpose(T_world_link.rotation), at.whole.rotation)
        sizes = (1.0, 1.0, 1.0)
        shape = shape._replace(T_link_shape=Transform(IDENTITY, shape.T_link_shape.translation))
    return shape._replace(
        geometry="mesh",
        sizes=sizes,
        file=prim.word("urdf:mesh:filename") or prim.true_name,
        inline=partial(mesh_of, prim, linear, looks),
    )


def mesh_of(prim: Prim, linear: Matrix, looks: StageLooks) -> "Tuple[ColoredTriangles, ...]":
    """Return the triangles of a mesh, an entry for each color.

    Raises:
        BrokenMesh: its numbers are no mesh.
    """
    from ...meshes.mesh_readers import ColoredTriangles

    try:
        flat = prim.many("points", 3) or ()
        counts = prim.many("faceVertexCounts") or ()
        corners = prim.many("faceVertexIndices") or ()
    except CrateError as error:
        raise BrokenMesh(f"{prim!r}: {error}", prim.file) from None
    points = [rotate(linear, point) for point in zip(flat[0::3], flat[1::3], flat[2::3])]
    is_in_range = not corners or 0 <= min(corners) <= max(corners) < len(points)
    if len(corners) != int(fsum(counts)) or not is_in_range:
        raise BrokenMesh(f"{prim!r}: its faces do not fit its points", prim.file)
    is_left = prim.word("orientation") == "leftHanded"
    # A mirror turns faces round, and so does leftHanded: both together do not.
    is_turned = is_left != (volume_of(linear) < 0.0)
    of_faces, rest = _looks_of_faces(prim, looks)
    parts: Dict[PartLook, List[Tuple[Vector, Vector, Vector]]] = {}
    # Most meshes have triangles of one look alone: no face is looked at by itself.
    is_plain = not of_faces and {*counts} == {3}
    if is_plain:
        places = [points[int(k)] for k in corners]
        second, third = (2, 1) if is_turned else (1, 2)
        parts[rest] = [*zip(places[0::3], places[second::3], places[third::3])]
    start = 0
    for face, count in enumerate(() if is_plain else map(int, counts)):
        ring = [points[int(k)] for k in corners[start : start + count]]
        triangles = parts.setdefault(of_faces.get(face, rest), [])
        triangles += _fan(ring, is_turned=is_turned)
        start += count
    return tuple(
        [
            ColoredTriangles(
                color=look.color,
                texture=look.texture,
                triangles=tuple(triangles),
                emission=look.emission,
                tint=look.tint,
                points=look.points,
                in_order=look.in_order,
            )
            for look, triangles in parts.items()
        ]
    )


class PartLook(Record):
    """How faces look, in the words of `ColoredTriangles`."""

    color: Optional[Rgba]
    texture: str
    emission: Vector
    tint: Optional[Vector]
    points: str
    in_order: str


def _looks_of_faces(prim: Prim, looks: StageLooks) -> Tuple[Dict[int, PartLook], PartLook]:
    """Return the looks of faces that subsets bind, by number, and the look of all other faces."""
    faces: Dict[int, PartLook] = {}
    for subset in prim.children:
        is_bound = subset.type == "GeomSubset" and bool(subset.targets("material:binding"))
        # Faces of a subset without a binding look as their mesh does (`ComputeBoundMaterial` of usd-core).
        if is_bound:
            look = _part(looks, looks.of(subset))
            for face in subset.many("indices") or ():
                faces[int(face)] = look
    return faces, _part(looks, looks.of(prim))


def _part(looks: StageLooks, seen: PrimLook) -> PartLook:
    """Return the look of a part of a mesh: an image counts in place of the color, on white of the same opacity."""
    color = seen.color
    if seen.image:
        alpha = 1.0 if color is None else color[3]
        color = None if alpha == 1.0 else (*WHITE, alpha)
    return PartLook(
        color=color,
        texture=looks.digest(seen),
        emission=vector_of(map(srgb_of_linear, seen.surface.get("emission", ZERO))),
        tint=seen.tint if seen.image else None,
        points=seen.points,
        in_order=seen.in_order,
    )
