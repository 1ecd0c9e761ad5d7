"""Verify, on every run, the surfaces read from a COLLADA file, as `collada.verify` does for STL files.

Each triangle is in the surface of its color, in order and number for number; each polygon is covered by its triangles.
"""
from typing import Dict, Sequence

from ..base.errors import ProofFailed
from ..collada.document import DaeDocument
from ..collada.part_writer import Drawn, Group
from ..collada.records import DaeOptions
from ..collada.verify import RECORDS_READ, verify_triangles, WrittenTriangles
from .form import byte_records, little_endian, Material, Surface
from .rare_collada import RARE_COLLADA

CORNERS_READ = 3 * RECORDS_READ
POINT_BYTES = 12


class ReadTriangles(WrittenTriangles):
    """The triangles of a surface, in place of those of STL files."""

    def __init__(self, group: Group, surface: Surface) -> None:
        super().__init__(group)
        self.points = byte_records(little_endian(surface.positions), POINT_BYTES)
        self.remaining, self.loaded = surface.corners, 0

    def fill(self, size: int) -> bool:
        """Load `size` more bytes of corners; return False if fewer remain."""
        while self.loaded < len(self.remaining) and len(self.corners) < self.index + size:
            block = self.remaining[self.loaded:self.loaded + CORNERS_READ]
            self.loaded += len(block)
            self.corners = bytes(self.corners[self.index:]) + b"".join(map(self.points.__getitem__, block))
            self.index = 0
        return len(self.corners) >= self.index + size


def verify_read(document: DaeDocument, options: DaeOptions, drawn: Sequence[Drawn], surfaces: Dict[int, Surface]
                ) -> None:
    """Verify the surfaces of all groups, by their `id`, against the document, which is interpreted independently.

    Colors are compared where the file writes them out; that of an image is white.

    Raises:
        ProofFailed: a triangle, its position or its color differs.
    """
    for group in {id(primitive.group): primitive.group for primitive in drawn}.values():
        material = surfaces[id(group)].material
        if material.rgba != _shown(group, material):
            raise ProofFailed(f"of material '{group.look.label}' the color differs", document.path)
    verify_triangles(document, options._replace(rare=RARE_COLLADA), drawn,
                     lambda group: ReadTriangles(group, surfaces[id(group)]))


def _shown(group: Group, material: Material) -> object:
    rgba = group.look.rgba
    return (1.0, 1.0, 1.0, rgba[3]) if material.image is not None and rgba else rgba
