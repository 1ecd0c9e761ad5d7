"""Triangles of one color while they are written: a group is one STL file, or several when one would be too large."""
from collections import Counter
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..mesh.stl import pack_triangles, StlWriter
from .accessors import Columns
from .elements import DaeElement
from .materials import MaterialLook
from .primitives import Tally
from .records import MeshBounds
from .vertices import columns_bounds, join_bounds, PlacedPoints, used_bounds


class Piece:
    """One STL file under way.

    Attributes:
        vertices: different indexed positions in it, per mesh instance.
        bounds: the box of the positions written, meters.
        used: points of the instance under way by `id`, and a mark for each that is in use.
    """

    def __init__(self, path: str) -> None:
        self.writer = StlWriter(path)
        self.vertices = 0
        self.bounds = columns_bounds([(), (), ()])
        self.used: Dict[int, Tuple[PlacedPoints, bytearray]] = {}

    def end_instance(self) -> None:
        """Count the positions of a mesh instance of which all triangles are written."""
        for placed, marks in self.used.values():
            if any(marks):
                self.join(sum(marks), used_bounds(placed, marks))
        self.used = {}

    def join(self, vertices: int, bounds: MeshBounds) -> None:
        """Add a number of positions and their box."""
        self.vertices += vertices
        self.bounds = join_bounds(self.bounds, bounds)


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
        self.tally: Tally = Counter()
        self.flat = 0
        self.geometries: Dict[str, None] = {}
        self.materials: Dict[str, None] = {}
        self.notes: Dict[str, None] = {}

    def written(self) -> int:
        """Return the number of triangles written so far."""
        return sum(piece.writer.triangles for piece in self.pieces)

    def add(self, block: List[int], placed: PlacedPoints) -> None:
        """Write a block of triangles.

        Raises:
            IndexError: an index is not below the number of points.
        """
        while block:
            piece = self.open_piece()
            room = 3 * (self.most_faces - piece.writer.triangles) if self.most_faces else len(block)
            head = block if room >= len(block) else block[:room]
            block = block[len(head):]
            records, flat = pack_triangles(head, placed.points)
            self.flat += len(flat)
            if id(placed) not in piece.used:
                piece.used[id(placed)] = placed, bytearray(len(placed.points))
            marks = piece.used[id(placed)][1]
            for index in without_triangles(head, flat) if flat else head:
                marks[index] = 1
            piece.writer.append(records)

    def open_piece(self) -> Piece:
        """Return the piece to write to, a new one when the last one is full."""
        if not self.pieces or 0 < self.most_faces <= self.pieces[-1].writer.triangles:
            self.pieces.append(Piece(f"{self.path}_{len(self.pieces)}.stl"))
        return self.pieces[-1]


class Drawn(NamedTuple):
    """What was done with a primitive that the scene draws: its positions in meters, and the color it was given."""

    primitive: DaeElement
    columns: Columns
    group: Group


def without_triangles(block: List[int], flat: Sequence[int]) -> List[int]:
    """Return the indices of a block without those of some of its triangles, given by number, ascending."""
    kept: List[int] = []
    start = 0
    for number in flat:
        kept += block[start:3 * number]
        start = 3 * number + 3
    return kept + block[start:]
