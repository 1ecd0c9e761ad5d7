"""The scene of a COLLADA document: the meshes that it draws, their poses and their materials.

Returned lengths are in meters, along the axes of the file; `<up_axis>` is ignored, as in RViz and Gazebo.  The elements
of a node are affine maps of column vectors; they are multiplied in document order, M = T1 T2 ... Tn (Khronos COLLADA
1.4.1 and 1.5).
"""

from __future__ import annotations

from math import isfinite, radians
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.run_diagnostics import MESH_CONTENT, MESH_SIZE
from ..base.record_type import Record
from ..urdf.spatial_math import (
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    largest_entry,
    norm,
    Transform,
    rotation_about,
    transpose,
    unit,
    Vector,
    ZERO,
)
from .collada_accessors import all_floats
from .collada_document import (
    dae_child,
    dae_descendants,
    dae_error,
    dae_label,
    dae_target,
    DaeDocument,
    DaeElement,
    not_read,
)
from .conversion_records import Affine, SceneOptions

# The maps that turn the up axis of the file to +Z, by the specification's table of right, up and inward axes.
UP_AXIS_TURNS: Dict[str, Affine] = {
    "x": Transform(((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)), ZERO),
    "y": Transform(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), ZERO),
    "z": IDENTITY_POSE,
}


def determinant(matrix: Affine) -> float:
    """Return the determinant of the linear part: negative for a mirror, 0 for a map without volume."""
    a, b, c = matrix.rotation
    return dot(a, cross(b, c))


def without_affine_noise(matrix: Affine) -> Affine:
    """Return a map with 0 for factors and shifts that are only rounding: below 1e-13 of the largest."""
    x, y, z = (_without_noise(row, largest_entry(matrix.rotation)) for row in matrix.rotation)
    return Transform(
        (x, y, z), _without_noise(matrix.translation, max(map(abs, matrix.translation)))
    )


def _without_noise(v: Vector, largest: float) -> Vector:
    """Return a vector with 0 for components below 1e-13 of `largest`."""
    cleaned = list(v)
    for axis, value in enumerate(v):
        if abs(value) < 1e-13 * largest:
            cleaned[axis] = 0.0
    x, y, z = cleaned
    return (x, y, z)


def is_singular(matrix: Affine) -> bool:
    """Return True if the map has no volume, within the accuracy of float32, whatever its scale."""
    a, b, c = transpose(matrix.rotation)
    # `not ... >` is also true for nan.
    return not abs(determinant(matrix)) > 1e-9 * norm(a) * norm(b) * norm(c)


def matrix_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<matrix>`: sixteen numbers by rows; the last row is assumed to be 0 0 0 1."""
    a, b, c, x, d, e, f, y, g, h, i, z = numbers[:12]
    return Transform(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))


def translate_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<translate>` x y z."""
    x, y, z = numbers
    return Transform(IDENTITY, (x, y, z))


def scale_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<scale>` x y z."""
    x, y, z = numbers
    return Transform(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), ZERO)


def rotate_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<rotate>` x y z degrees; the axis may have any length, a zero axis gives the identity."""
    x, y, z, degrees = numbers
    if not norm((x, y, z)) > 1e-30:
        return IDENTITY_POSE
    return Transform(rotation_about(unit((x, y, z)), radians(degrees)), ZERO)


# The count of numbers in each element, and the function that returns its map.
TRANSFORM_ELEMENTS: Dict[str, Tuple[int, Callable[[Sequence[float]], Affine]]] = {
    "matrix": (16, matrix_element),
    "translate": (3, translate_element),
    "rotate": (4, rotate_element),
    "scale": (3, scale_element),
}


MAX_NODES = 100_000  # instances of instances multiply nodes
UNREAD_TRANSFORMS = ("lookat", "skew")


class MeshInstance(Record):
    """An instance of a mesh: `matrix` maps its numbers to meters, `materials` its symbols to material ids."""

    geometry: DaeElement
    mesh: DaeElement
    matrix: Affine
    materials: Dict[str, str]


def scene_drawings(
    document: DaeDocument, options: SceneOptions, notes: Diagnostics
) -> List[MeshInstance]:
    """Return every mesh instance of the scene in document order; skipped instances are reported in `notes`.

    Raises:
        BrokenMesh: a transformation cannot be read, a node contains itself, or the scene unrolls to far too many nodes.
    """
    start = compose(
        UP_AXIS_TURNS[options.up_axis or "z"],
        scale_element([unit_factor(document, options, notes)] * 3),
    )
    scene = visual_scene(document, notes)
    if scene is None:
        notes.append(Diagnostic(MESH_CONTENT, 0, "no-scene"))
        drawings = [
            geometry_drawing(geometry, start, {}, notes)
            for geometry in dae_descendants(document.root, "geometry")
        ]
    else:
        drawings = [
            instance_drawing(document, instance, matrix, notes)
            for instance, matrix in walk_nodes(document, scene, start, notes)
        ]
    return [drawing for drawing in drawings if drawing is not None]


def unit_factor(document: DaeDocument, options: SceneOptions, notes: Diagnostics) -> float:
    """Return the meters per unit, by `<unit meter>` of the document; the name of the unit is often wrong, so not read."""
    if options.scale_factor is not None:
        return options.scale_factor
    unit = dae_child(dae_child(document.root, "asset"), "unit")
    word = unit.attributes.get("meter", "") if unit else ""
    try:
        factor = float(word)
        if isfinite(factor) and factor > 0.0:
            return factor
    except ValueError:
        pass
    if options.missing_unit != 1.0:
        notes.append(
            Diagnostic(
                kind=MESH_SIZE,
                line=0,
                sentence="no-unit",
                names=(),
                numbers=(options.missing_unit,),
            )
        )
    return options.missing_unit


def visual_scene(document: DaeDocument, notes: Diagnostics) -> Optional[DaeElement]:
    """Return the visual scene that `<scene>` names, else the first scene, else None."""
    instance = dae_child(dae_child(document.root, "scene"), "instance_visual_scene")
    if instance is not None:
        url = instance.attributes.get("url", "")
        scene = dae_target(document, url)
        if scene is not None and scene.tag == "visual_scene":
            return scene
        notes.append(Diagnostic(MESH_CONTENT, 0, "other-scene", (url.lstrip("#"),)))
    return next(dae_descendants(document.root, "visual_scene"), None)


def walk_nodes(
    document: DaeDocument, scene: DaeElement, start: Affine, notes: Diagnostics
) -> Iterator[Tuple[DaeElement, Affine]]:
    """Yield each instance of a geometry or controller in a scene with the map from its node to meters."""
    # The third item has the instance_node targets on the way here, to detect a node that contains itself.
    waiting: List[Tuple[DaeElement, Affine, Texts]] = [(scene, start, ())]
    visited = 0
    while waiting:
        element, matrix, trail = waiting.pop()
        if element.tag in ("instance_geometry", "instance_controller"):
            yield element, matrix
            continue
        if element.tag == "instance_node":
            url = element.attributes.get("url", "")
            target = dae_target(document, url)
            if target is None or target.tag != "node":
                notes.append(Diagnostic(MESH_CONTENT, 0, "missing", ("node", url.lstrip("#"))))
                continue
            if url in trail:
                raise dae_error(document, element, f"node '{url.lstrip('#')}' contains itself")
            element = target
            trail = (*trail, url)
        visited += 1
        if visited > MAX_NODES:
            raise dae_error(document, element, f"the scene unrolls to more than {MAX_NODES} nodes")
        if element.tag == "node":
            matrix = compose(matrix, node_transform(document, element))
        # Pushed in reverse, so that they are popped in document order.
        waiting += [
            (child, matrix, trail)
            for child in reversed(element.children)
            if child.tag in ("node", "instance_node", "instance_geometry", "instance_controller")
        ]


def node_transform(document: DaeDocument, node: DaeElement) -> Affine:
    """Return the product of the transformations of a node in document order."""
    matrix = IDENTITY_POSE
    for child in node.children:
        known = TRANSFORM_ELEMENTS.get(child.tag)
        if child.tag in UNREAD_TRANSFORMS:
            raise not_read(document, child)
        if known:
            size, read = known
            matrix = compose(matrix, read(exactly(document, child, size)))
    return matrix


def exactly(document: DaeDocument, element: DaeElement, size: int) -> List[float]:
    """Return the numbers of an element, which must have exactly `size` numbers."""
    numbers = all_floats(document, element)
    if len(numbers) != size:
        raise dae_error(
            document, element, f"<{element.tag}> has {len(numbers)} numbers instead of {size}"
        )
    return numbers


def instance_drawing(
    document: DaeDocument, instance: DaeElement, matrix: Affine, notes: Diagnostics
) -> Optional[MeshInstance]:
    """Return the drawing of an instance, None if its target does not exist or has no mesh.

    Raises:
        BrokenMesh: the target is a skin or a morph.
    """
    url = instance.attributes.get("url", "")
    target = dae_target(document, url)
    if target is not None and target.tag == "controller":
        raise not_read(document, target)
    if target is None or target.tag != "geometry":
        notes.append(Diagnostic(MESH_CONTENT, 0, "missing", ("geometry", url.lstrip("#"))))
        return None
    materials: Dict[str, str] = {}
    for bound in dae_descendants(instance, "instance_material"):
        materials.setdefault(bound.attributes.get("symbol", ""), bound.attributes.get("target", ""))
    return geometry_drawing(target, matrix, materials, notes)


def geometry_drawing(
    geometry: DaeElement, matrix: Affine, materials: Dict[str, str], notes: Diagnostics
) -> Optional[MeshInstance]:
    """Return the drawing of a geometry, None without a mesh: for a spline or a boundary representation."""
    mesh = dae_child(geometry, "mesh", "convex_mesh")
    if mesh is None:
        kinds = ", ".join(
            child.tag for child in geometry.children if child.tag not in ("asset", "extra")
        )
        notes.append(
            Diagnostic(MESH_CONTENT, 0, "no-mesh", (dae_label(geometry), kinds or "empty"))
        )
        return None
    return MeshInstance(geometry, mesh, without_affine_noise(matrix), materials)


def drawn_material(
    document: DaeDocument, drawing: MeshInstance, symbol: str
) -> Optional[DaeElement]:
    """Return the material bound to a symbol in an instance; an unbound symbol may itself be the id of a material."""
    material = dae_target(document, drawing.materials.get(symbol, symbol))
    return material if material is not None and material.tag == "material" else None
