"""The kinds of diagnostics of the model; their texts are in kinds.md."""

from ..base.kinds import kinds_in
from ..texts.pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
EXPORT_LOST = ROWS["export-lost"]
MODEL_KINDS = tuple(ROWS.values())
