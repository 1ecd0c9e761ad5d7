"""Triangles of one color while they are written: a group is one STL file, or several when one would be too large."""
from typing import Dict, List, Optional, Sequence, Set

from ..mesh.stl import pack_triangles, StlWriter
from .materials import MaterialLook
from .primitives import Tally
from .records import MeshBounds
from .vertices import join_bounds, PlacedPoints, used_bounds


class TallyCounts(Dict[str, int]):
    """Counts by what is counted; what was never counted is 0."""

    def __missing__(self, key: str) -> int:
        return 0


class Piece:
    """One STL file under way, with the number of positions in it and their box.

    Attributes:
        vertices: different indexed positions, per mesh instance.
        bounds: the box of the positions written, meters.
        allowed: a box that must hold them, computed from the file's positions in another way.
    """

    def __init__(self, path: str) -> None:
        self.writer = StlWriter(path)
        self.vertices = 0
        self.bounds: Optional[MeshBounds] = None
        self.allowed: Optional[MeshBounds] = None

    def account(self, placed: PlacedPoints, used: Set[int]) -> None:
        """Count the positions of one mesh instance that went into this file."""
        self.join(len(used), used_bounds(placed, used), placed.allowed)

    def join(self, vertices: int, bounds: MeshBounds, allowed: MeshBounds) -> None:
        """Add a number of positions and their boxes."""
        self.vertices += vertices
        self.bounds = join_bounds(self.bounds, bounds) if self.bounds else bounds
        self.allowed = join_bounds(self.allowed, allowed) if self.allowed else allowed


class Group:
    """All triangles of one color.

    Attributes:
        look: the look of its first material.
        pieces: its files; the last one is being written.
        tally: what the file holds, and what was left out or added, see `triangle_blocks`.
        flat: triangles without area that were left out.
        geometries, materials: their names, in order, once each.
        notes: sentences about its materials, once each.
    """

    def __init__(self, path: str, most_faces: int, look: MaterialLook) -> None:
        self.path, self.most_faces, self.look = path, most_faces, look
        self.pieces: List[Piece] = []
        self.tally: Tally = TallyCounts()
        self.flat = 0
        self.geometries: Dict[str, None] = {}
        self.materials: Dict[str, None] = {}
        self.notes: Dict[str, None] = {}

    def written(self) -> int:
        """Return the number of triangles written so far."""
        return sum(piece.writer.triangles for piece in self.pieces)

    def add(self, block: List[int], points: PlacedPoints, used: Dict[int, Set[int]]) -> None:
        """Write a block of triangles; `used` collects the positions in use by number of the piece.

        Raises:
            IndexError: an index is not below the number of points.
        """
        while block:
            piece = self.open_piece()
            room = 3 * (self.most_faces - piece.writer.triangles) if self.most_faces else len(block)
            head = block if room >= len(block) else block[:room]
            records, flat = pack_triangles(head, points.points)
            self.flat += len(flat)
            used.setdefault(len(self.pieces) - 1, set()).update(without_triangles(head, flat) if flat else head)
            piece.writer.append(records)
            block = block[len(head):] if len(head) < len(block) else []

    def open_piece(self) -> Piece:
        """Return the piece to write to, a new one when the last one is full."""
        if not self.pieces or 0 < self.most_faces <= self.pieces[-1].writer.triangles:
            self.pieces.append(Piece(f"{self.path}_{len(self.pieces)}.stl"))
        return self.pieces[-1]


def without_triangles(block: List[int], flat: Sequence[int]) -> List[int]:
    """Return the indices of a block without those of some of its triangles, given by number, ascending."""
    kept: List[int] = []
    start = 0
    for number in flat:
        kept += block[start:3 * number]
        start = 3 * number + 3
    return kept + block[start:]
