"""The kinds of diagnostics about materials, images and other features of mesh files; their texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
MESH_IMAGE = ROWS["mesh-image"]
MESH_FEATURE = ROWS["mesh-feature"]
MESH_MERGED = ROWS["mesh-merged"]
MESH_KINDS = tuple(ROWS.values())
