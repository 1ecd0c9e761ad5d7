"""The kinds of diagnostics of the model; their texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
EXPORT_LOST = ROWS["export-lost"]
MODEL_KINDS = tuple(ROWS.values())
