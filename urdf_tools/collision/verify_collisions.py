"""The proof that only collisions changed, and that each contains the shapes it replaces: from both texts and the files.

This module does not use the search. Its input is the list of collisions that each new collision replaces. All other
collisions, and everything else in the file, must be equal to the input.
"""

from __future__ import annotations

from itertools import chain
from math import fsum
from typing import Callable, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import ProofFailed
from ..base.number_text import grouped
from ..base.record_type import Record
from ..meshes.convex_hull import Hull
from ..meshes.verify_witnesses import Ball, ball_gap, Tree, triangles_at, verify_cover
from ..urdf.lossless_xml import Document, Element
from ..verify.proof_robot import numbers_of, pose_of_origin
from .proof_geometry import (
    contains_point,
    is_contained,
    find_point_outside,
    Point,
    sizes_in,
    surface_fault,
)
from .verify_convex_pieces import is_covered, MeshNeighborhood
from ..urdf.spatial_math import add, move, rotate, subtract, transpose

ADDED_TO_ROOT = "xmlns:drake"
# The error of rotations and positions, relative to the largest coordinate: 2**-53 times 256.
UNIT = 2.0**-45

Triangles = Sequence[Tuple[int, int, int]]


class ContainmentClaim(Record):
    """A claim to prove: collisions of the result that replace collisions, or visuals, of the input.

    Attributes:
        link: the name of the link.
        numbers: the indices of the replaced collisions in the link, or with `of_visuals` of the copied visuals.
        of_visuals: the new collisions are made from visuals.
        parts: the number of consecutive new collisions; each triangle is in one of them.
        trees: for spheres and convex pieces: the pieces of each triangle, and the number of the shape around each piece.
        boxes: for convex pieces: the halvings of the box around each.
        within: the largest distance of convex pieces from the solid of the mesh [m].
    """

    link: str
    numbers: Tuple[int, ...]
    of_visuals: bool
    parts: int = 1
    trees: Sequence[Tree] = ()
    boxes: Sequence[Sequence[int]] = ()
    within: float = 0.0


class ProofMeshReaders(Record):
    """Functions that read files by name: the used vertices and the triangles of a mesh of the input, or of a new file."""

    mesh: Callable[[str], Tuple[Sequence[Point], Triangles]]
    written: Callable[[str], Tuple[Sequence[Point], Triangles]]


def verify_collisions(
    before: Document, after: Document, claims: Sequence[ContainmentClaim], readers: ProofMeshReaders
) -> int:
    """Verify that two texts differ only in collisions, and that all new shapes contain the shapes they replace.

    Return the number of vertices that are proven to be inside.

    Raises:
        ProofFailed: names the first fault.
    """
    proof = _CollisionProof(after.path, readers)
    proof.require(
        _without(before.root) == _without(after.root), "robot: more than collisions changed"
    )
    old_links = {top.get("name") or "": top for top in before.root.elements("link")}
    new_links = {top.get("name") or "": top for top in after.root.elements("link")}
    by_link = grouped((claim.link, claim) for claim in claims)
    for name, old in old_links.items():
        proof.compare_link(name, old, new_links[name], by_link.pop(name, []))
    proof.require(not by_link, "a claim is of no link")
    return proof.vertices


def _without(root: Element) -> List[Tuple[object, ...]]:
    """Return the elements of a document, without its collisions and the namespace that may be added."""
    rows: List[Tuple[object, ...]] = []
    waiting: List[Element] = [root]
    while waiting:
        element = waiting.pop()
        attributes = {
            key: value
            for key, value in element.attributes.items()
            if element is not root or key != ADDED_TO_ROOT
        }
        children = [
            child
            for child in element.elements()
            if child.name != "collision" or element.name != "link" or element.parent is not root
        ]
        rows.append(
            # White space may differ, because lines are added and removed.
            (element.name, sorted(attributes.items()), element.text().split(), len(children))
        )
        waiting += children
    return rows


class _CollisionProof:
    """A proof that counts the verified vertices, and raises ProofFailed for the first fault."""

    def __init__(self, path: str, readers: ProofMeshReaders) -> None:
        """Begin without verified vertices."""
        self.path = path
        self.readers = readers
        self.vertices = 0

    def require(self, holds: bool, what: str) -> None:
        """Raise ProofFailed unless `holds`."""
        if not holds:
            raise ProofFailed(what, self.path)

    def compare_link(
        self, name: str, old: Element, new: Element, claims: Sequence[ContainmentClaim]
    ) -> None:
        """Verify the collisions of a link in order: each claim covers `parts` new collisions."""
        before = old.elements("collision")
        visuals = old.elements("visual")
        after = new.elements("collision")
        of_collisions = [claim for claim in claims if not claim.of_visuals]
        numbers = [*chain.from_iterable(claim.numbers for claim in of_collisions)]
        replaced = {*numbers}
        self.require(len(replaced) == len(numbers), f"link '{name}': two collisions stand for one")
        starts = {min(claim.numbers): claim for claim in of_collisions}
        next_index = 0
        for number, collision in enumerate(before):
            # New collisions are in the place of the first replaced collision, so both lists are compared in order.
            if number in starts:
                claim = starts[number]
                self.contains(
                    [before[k] for k in claim.numbers],
                    after[next_index : next_index + claim.parts],
                    claim,
                    name,
                )
                next_index += claim.parts
            elif number not in replaced:
                self.require(
                    next_index < len(after) and all_of(after[next_index]) == all_of(collision),
                    f"link '{name}': collision {number + 1} is not as it was",
                )
                next_index += 1
        # Collisions that were made from visuals come after all others.
        for claim in claims:
            if claim.of_visuals:
                self.contains(
                    [visuals[k] for k in claim.numbers],
                    after[next_index : next_index + claim.parts],
                    claim,
                    name,
                )
                next_index += claim.parts
        self.require(
            next_index == len(after), f"link '{name}' has a collision that stands for nothing"
        )

    def contains(
        self,
        sources: Sequence[Element],
        shapes: Sequence[Element],
        claim: ContainmentClaim,
        link: str,
    ) -> None:
        """Verify that each triangle of the sources is in a shape."""
        where = f"a collision of link '{link}'"
        self.require(len(shapes) == claim.parts, f"{where} is missing")
        for shape in shapes:
            is_unchanged = claim.of_visuals or _but_geometry(shape) == _but_geometry(sources[0])
            self.require(is_unchanged, f"{where} changed more than its geometry")
        for source in sources:
            drawn = _drawn(source)
            # A visual that is a primitive must be copied exactly.
            if drawn is not None and drawn.name != "mesh":
                self.require(
                    len(shapes) == 1 and _geometry(shapes[0]) == _geometry(source),
                    f"{where} is no copy",
                )
                continue
            self.require(drawn is not None, f"{where} stands for no mesh")
            assert drawn is not None
            points, triangles = self.readers.mesh((drawn.get("filename") or "").strip())
            self.vertices += len(points)
            if claim.trees and all(claim.boxes):
                is_held = self._is_in_pieces(shapes, source, points, triangles, claim, link)
            elif claim.trees:
                is_held = _is_in_spheres(shapes, source, points, triangles, claim.trees)
            else:
                is_held = self._is_in_wholes(shapes, source, points, triangles, link)
            self.require(is_held, f"{where} does not contain all of its mesh")

    def _is_in_pieces(
        self,
        shapes: Sequence[Element],
        source: Element,
        points: Sequence[Point],
        triangles: Triangles,
        claim: ContainmentClaim,
        link: str,
    ) -> bool:
        """Return True if convex pieces contain a mesh; require that they are as near to it as the claim says."""
        hulls = [self.hull_of(shape, link) for shape in shapes]
        if not all(_is_placed_alike(shape, source) for shape in shapes):
            return False
        if not is_covered(points, triangles, claim.trees, hulls):
            return False
        # A distance in the file grows by the largest scale at most.
        mesh = MeshNeighborhood(points, triangles, claim.within / max(map(abs, _scale_of(source))))
        near = all(mesh.has(hull, boxes) for hull, boxes in zip(hulls, claim.boxes))
        self.require(near, f"a collision of link '{link}' is farther off its mesh than is said")
        return True

    def _is_in_wholes(
        self,
        shapes: Sequence[Element],
        source: Element,
        points: Sequence[Point],
        triangles: Triangles,
        link: str,
    ) -> bool:
        """Return True if each triangle of a mesh is as a whole in one of the shapes, and so is each point."""
        uncovered = [set(self.vertices_outside(shape, source, points, link)) for shape in shapes]
        # A triangle with two corners in one shape and the third in another would be in neither.
        for triangle in triangles:
            if all(not beyond.isdisjoint(triangle) for beyond in uncovered):
                return False
        return not set(range(len(points))).intersection(*uncovered)

    def hull_of(self, shape: Element, link: str) -> Hull:
        """Return the mesh of a shape, which must be closed and convex."""
        drawn = _drawn(shape)
        name = drawn.get("filename") if drawn is not None and drawn.name == "mesh" else ""
        corners, facets = self.readers.written((name or "").strip())
        fault = surface_fault(corners, facets)
        self.require(
            not fault,
            f"the file of a collision of link '{link}' is no closed convex surface ({fault})",
        )
        return Hull(tuple(corners), tuple(facets))

    def vertices_outside(
        self, shape: Element, source: Element, points: Sequence[Point], link: str
    ) -> List[int]:
        """Return the indices of the vertices of the mesh of a source that are not in a shape."""
        drawn = _drawn(shape)
        mesh = _drawn(source)
        assert mesh is not None
        self.require(drawn is not None, f"a collision of link '{link}' is empty")
        assert drawn is not None
        if drawn.name != "mesh":
            sizes = sizes_in(drawn)
            return [
                k
                for k, (point_in_shape, error) in enumerate(_seen_from(shape, source, points))
                if not is_contained(drawn.name, sizes, [point_in_shape], error)
            ]
        corners, facets = self.hull_of(shape, link)
        # With the same origin and scale, points are compared exactly, in the coordinates of the files.
        if _is_placed_alike(shape, source):
            # Usually no point is outside, so all are tested at once first.
            if find_point_outside(corners, facets, points) is None:
                return []
            return [
                k
                for k, point in enumerate(points)
                if find_point_outside(corners, facets, [point]) is not None
            ]
        self.require(drawn.get("scale") is None, f"a collision of link '{link}' is scaled anew")
        return [
            k
            for k, (point_in_shape, error) in enumerate(_seen_from(shape, source, points))
            if not contains_point(corners, facets, point_in_shape, error)
        ]


def _is_placed_alike(shape: Element, source: Element) -> bool:
    """Return True if two meshes have the same origin and scale, so that the coordinates of their files are comparable."""
    drawn = _drawn(shape)
    mesh = _drawn(source)
    assert drawn is not None and mesh is not None
    return _origin_text(shape) == _origin_text(source) and drawn.get("scale") == mesh.get("scale")


def _scale_of(source: Element) -> Sequence[float]:
    """Return the scale of the mesh of a source, by default 1 along each axis."""
    mesh = _drawn(source)
    text = mesh.get("scale") if mesh is not None else None
    return numbers_of(text, 3) if text else (1.0, 1.0, 1.0)


def _seen_from(
    shape: Optional[Element], source: Element, points: Iterable[Point]
) -> List[Tuple[Point, float]]:
    """Return the mesh points of a source in the frame of a shape, or of the link, each with a bound of its error [m].

    The error depends on the coordinates of the point, so that a part far away does not make other points uncertain.
    """
    origin = shape.find("origin") if shape is not None else None
    T_link_shape = pose_of_origin(origin)
    T_link_mesh = pose_of_origin(source.find("origin"))
    p, q, r = _scale_of(source)
    same_turn = T_link_shape.rotation == T_link_mesh.rotation
    R_shape_link = transpose(T_link_shape.rotation)
    shift = rotate(R_shape_link, subtract(T_link_mesh.translation, T_link_shape.translation))
    away = fsum(map(abs, (*T_link_shape.translation, *T_link_mesh.translation)))
    local: List[Tuple[Point, float]] = []
    for x, y, z in points:
        scaled = (p * x, q * y, r * z)
        if same_turn:  # the rotations cancel exactly, so only the shift has an error
            point_in_shape = add(scaled, shift)
        else:
            in_link = move(T_link_mesh, scaled)
            point_in_shape = rotate(R_shape_link, subtract(in_link, T_link_shape.translation))
        reach = max(map(abs, scaled))
        local.append((point_in_shape, UNIT * (reach + away)))
    return local


def _is_in_spheres(
    shapes: Sequence[Element],
    source: Element,
    points: Sequence[Point],
    triangles: Triangles,
    trees: Sequence[Tree],
) -> bool:
    """Return True if each piece of a mesh is in the sphere that its tree names."""
    placed = _seen_from(None, source, points)
    moved = [point for point, _ in placed]
    error = max((error for _, error in placed), default=0.0)
    balls: List[Ball] = []
    for shape in shapes:
        drawn = _drawn(shape)
        if drawn is None or drawn.name != "sphere":
            return False
        # The radius is reduced by more than the length of an error of three coordinates and the rounding of a distance.
        radius = numbers_of(drawn.get("radius"), 1)[0] - 4.0 * error
        balls.append(Ball(pose_of_origin(shape.find("origin")).translation, radius))
    return verify_cover(triangles_at(moved, triangles), trees, balls, ball_gap) == 0.0


def _drawn(shape: Element) -> Optional[Element]:
    """Return the element of the primitive or mesh of a shape, None without a geometry."""
    geometry = shape.find("geometry")
    inside = geometry.elements() if geometry is not None else []
    return inside[0] if inside else None


def all_of(element: Element) -> Tuple[object, ...]:
    """Return the tags, attributes and texts of an element and its descendants, in document order."""
    return tuple(
        (node.name, sorted(node.attributes.items()), node.text().strip()) for node in element.walk()
    )


def _geometry(shape: Element) -> Tuple[object, ...]:
    """Return the geometry and the origin of a shape, as they are written."""
    drawn = _drawn(shape)
    if drawn is None:
        return ((), _origin_text(shape))
    return (all_of(drawn), _origin_text(shape))


def _origin_text(shape: Element) -> Mapping[str, str]:
    """Return the attributes of the origin of a shape as they are written."""
    origin = shape.find("origin")
    return dict(origin.attributes) if origin is not None else {}


def _but_geometry(shape: Element) -> Tuple[object, ...]:
    """Return all of a collision except its origin, geometry and name, which may get a number."""
    rest = {key: value for key, value in shape.attributes.items() if key != "name"}
    return (
        sorted(rest.items()),
        *(all_of(child) for child in shape.elements() if child.name not in ("origin", "geometry")),
    )
