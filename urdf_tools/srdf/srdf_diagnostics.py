"""The kinds of diagnostics on an SRDF that follows a plan; the texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in, sentences_in
from ..texts.text_pages import sections_of_page

SECTIONS = sections_of_page(__name__)
ROWS = kinds_in(SECTIONS)
SRDF_NAME = ROWS["srdf-name"]
SRDF_FIT = ROWS["srdf-fit"]
TIP_MOVED = ROWS["tip-moved"]
SRDF_GROUP = ROWS["srdf-group"]
SRDF_STATE = ROWS["srdf-state"]
SRDF_ROOT = ROWS["srdf-root"]
SRDF_COLLISIONS = ROWS["srdf-collisions"]
SRDF_SPHERES = ROWS["srdf-spheres"]
SRDF_LEFT = ROWS["srdf-left"]
SRDF_KINDS = tuple(ROWS.values())
FOLLOWED = sentences_in(SECTIONS["followed"])  # the sentences on changed elements
