"""The kinds of diagnostics on MJCF, SDF and USD as inputs; the texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
INPUT_LOST = ROWS["input-lost"]
INPUT_RENAMED = ROWS["input-renamed"]
INPUT_READ = ROWS["input-read"]
INPUT_UNSELECTED = ROWS["input-unselected"]
INPUT_MADE_UP = ROWS["input-made-up"]
INPUT_KINDS = tuple(ROWS.values())
