"""Verify that joined visuals draw the same as before: from both texts, and from the files as written.

It shares only the readers of the input files with the code that joins. Triangles are compared in their order.
"""

from __future__ import annotations

from itertools import chain
from math import frexp, inf, ldexp
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...base.type_aliases import Reals, Texts
from ...base.errors import ProofFailed
from ...collada.conversion_records import MAX_FACES, rgba_text
from ...compare.placed_shapes import is_mirrored, scale_of
from ...formats.urdf.read_urdf import read_urdf_document
from ...meshes.convert_mesh import triangles_of_parts
from ...meshes.mesh_content import points_of, MaterialSurface
from ...meshes.mesh_readers import read_mesh
from ...meshes.surface_proofs import is_flat, TRIANGLE
from ...meshes.verify_mesh_files import COLOR_STEP
from ...meshes.verify_witnesses import Triangle
from ...plan.mesh_tasks import FinishedFile
from ...robot.raw_robot import RawShape
from ...urdf.lossless_xml import Document, Element
from ...urdf.urdf_records import SIZES
from ...urdf.spatial_math import IDENTITY_POSE, move

ROUNDING = 4e-15  # of the reach of a mesh: the float64 error of a rotation and a product
# Powers of two: half a unit of a float32 in [1/2, 1), and of the smallest float32.
HALF_ULP = 25
LEAST = -150
Color = Optional[Reals]


def verify_one_mesh(
    before: Document,
    after: Document,
    counts: Mapping[str, Mapping[int, int]],
    path_of: Callable[[str], Optional[str]],
    files: Mapping[str, FinishedFile],
    up: str,
) -> None:
    """Verify a result whose visuals were joined against the text before.

    Args:
        before, after: both texts.
        counts: see `MeshResult.joined`.
        path_of: returns the file of a mesh before.
        files: the new files by the names in the text.
        up: the axis of new glTF that is up.

    Raises:
        ProofFailed: any other part differs, or a triangle, its side or its color is different.
    """
    if _without_visuals(before) != _without_visuals(after):
        raise ProofFailed("joining visuals changed something else", after.path)
    for (name, old), (_, new) in zip(_visuals(before), _visuals(after)):
        count = counts.get(name, {})
        # For each new visual the number of its old visual: a joined visual became 0, 1 or more.
        came_from: List[int] = []
        for number in range(len(old)):
            came_from += [number] * count.get(number, 1)
        is_kept = len(came_from) == len(new) and all(
            old[number] == new[k] for k, number in enumerate(came_from) if number not in count
        )
        if not is_kept:
            raise ProofFailed(f"a visual of link '{name}' that was to stay is another", after.path)
        if count:
            joined = [shape for k, (_, shape) in enumerate(old) if k in count and shape]
            drawn = [shape for k, (_, shape) in zip(came_from, new) if k in count and shape]
            _verify_triangles(f"link '{name}'", joined, drawn, path_of, files, up)


def _visuals(document: Document) -> Iterator[Tuple[str, List[Tuple[str, Optional[RawShape]]]]]:
    """Yield each link with its visuals: their texts and shapes; None for a visual that draws nothing."""
    elements = {
        link.get("name"): link.elements("visual") for link in document.root.elements("link")
    }
    for link in read_urdf_document(document).links:
        shapes = iter([shape._replace(line=0) for shape in link.shapes if shape.role == "visual"])
        visuals: List[Tuple[str, Optional[RawShape]]] = []
        for element in elements[link.name]:
            # Only a visual that draws something is a shape of the robot.
            shape = next(shapes) if _draws(element) else None
            visuals.append((element.source(), shape))
        yield link.name, visuals


def _draws(visual: Element) -> bool:
    """Return True if the first element in the first geometry of a visual is a shape."""
    for geometry in visual.elements("geometry")[:1]:
        for inside in geometry.elements()[:1]:
            return inside.name in SIZES
    return False


def _without_visuals(document: Document) -> List[Texts]:
    """Return the text of each element, without visuals and the materials beside links, which belong to visuals."""
    return [
        (
            top.name,
            *(f"{key}={value}" for key, value in top.attributes.items()),
            *(
                child.source()
                for child in top.elements()
                if top.name != "link" or child.name != "visual"
            ),
        )
        for top in document.root.elements()
        if top.name != "material"
    ]


def _verify_triangles(
    where: str,
    before: Sequence[RawShape],
    after: Sequence[RawShape],
    path_of: Callable[[str], Optional[str]],
    files: Mapping[str, FinishedFile],
    up: str,
) -> None:
    """Verify that files draw the triangles of visuals with an area, each color in the same order."""
    expected = _expected(where, before, path_of)
    written: Dict[Color, List[Triangle]] = {}
    for shape in after:
        file = files[shape.file]
        if (
            file.part is None
            or shape.T_link_shape != IDENTITY_POSE
            or set(scale_of(shape)) != {1.0}
            or shape.texture
        ):
            raise ProofFailed(
                f"a joined visual of {where} is not drawn as it is written", shape.file
            )
        # Read as piece 0: a later piece would be added to the surface of the file before it.
        part = file.part._replace(file=file.source, piece=0)
        triangles = [*chain.from_iterable(triangles_of_parts([part], up))]
        if not 0 < len(triangles) <= MAX_FACES:
            raise ProofFailed(f"{len(triangles)} triangles are in one file", shape.file)
        rgba = read_mesh(file.source).surfaces[0].material.rgba or shape.color
        # Formats round colors, so the nearest color is the matching one.
        near = min(expected, key=lambda color: _apart(color, rgba))
        if _apart(near, rgba) > COLOR_STEP:
            raise ProofFailed(f"a joined visual of {where} has a color that none had", shape.file)
        written.setdefault(near, []).extend(triangles)
    if expected.keys() != written.keys():
        raise ProofFailed(f"a color of the joined visuals of {where} is lost", after[0].file)
    for color, triangles in written.items():
        if not _is_drawn(expected[color], triangles):
            raise ProofFailed(
                f"a triangle of {where} is not where it was, or is turned round", after[0].file
            )


def _expected(
    where: str, shapes: Sequence[RawShape], path_of: Callable[[str], Optional[str]]
) -> Dict[Color, List[Tuple[Triangle, float]]]:
    """Return the triangles that visuals draw, by their printed color."""
    expected: Dict[Color, List[Tuple[Triangle, float]]] = {}
    for shape in shapes:
        for surface in read_mesh(path_of(shape.file) or "").surfaces:
            if shape.texture or surface.material.image:
                raise ProofFailed(f"a visual of {where} that shows an image was joined", shape.file)
            rgba = surface.material.rgba or shape.color
            color = tuple(map(float, rgba_text(rgba).split())) if rgba else None
            expected.setdefault(color, []).extend(_placed(surface, shape))
    return expected


def _apart(color: Color, other: Color) -> float:
    """Return the largest difference of two colors; infinite if only one is written."""
    if color is None or other is None:
        return 0.0 if color is other else inf
    return max(abs(a - b) for a, b in zip(color, other))


def _placed(surface: MaterialSurface, shape: RawShape) -> Iterator[Tuple[Triangle, float]]:
    """Yield each triangle in the frame of the link, with its arithmetic error [m]; a mirror reverses its corners."""
    x, y, z = scale_of(shape)
    moved = [
        move(shape.T_link_shape, (x * a, y * b, z * c)) for a, b, c in points_of(surface.positions)
    ]
    reach = max(map(abs, (*surface.positions, 0.0))) * max(map(abs, (x, y, z))) * 2.0
    slack = ROUNDING * (reach + max(map(abs, shape.T_link_shape.translation)))
    corners = surface.corners
    mirrored = is_mirrored(shape)
    for a, b, c in zip(corners[0::3], corners[1::3], corners[2::3]):
        if mirrored:
            b, c = c, b
        yield (moved[a], moved[b], moved[c]), slack


def _is_drawn(expected: Sequence[Tuple[Triangle, float]], written: Sequence[Triangle]) -> bool:
    """Return True if the expected triangles are written, in order; a triangle that rounding flattens may be missing."""
    remaining = iter(written)
    triangle = next(remaining, None)
    for wanted, slack in expected:
        if triangle is not None and all(
            _is_rounded(p, q, slack) for p, q in zip(chain(*wanted), chain(*triangle))
        ):
            triangle = next(remaining, None)
        elif _has_area(wanted, slack):
            return False
    return triangle is None


def _is_rounded(exact: float, written: float, slack: float) -> bool:
    """Return True if a float32 is within half a unit of its last place of a number."""
    return abs(exact - written) <= slack + ldexp(1.0, max(frexp(written)[1] - HALF_ULP, LEAST))


def _has_area(triangle: Triangle, slack: float) -> bool:
    """Return True if the corners, rounded to float32, are not on one line, also where they are off by the slack."""
    for off in (-slack, slack):
        if is_flat(TRIANGLE.pack(*[number + off for number in chain(*triangle)])):
            return False
    return True
