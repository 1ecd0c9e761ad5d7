"""The kinds of diagnostics of edits, and what the plan says of an element that follows: the texts are in kinds.md."""

from ..base.diagnostics import kinds_in, sentences_in
from ..texts.pages import sections_of_page

SECTIONS = sections_of_page(__file__)
ROWS = kinds_in(SECTIONS)
NAME_LEFT = ROWS["name-left"]
SAID_ELSEWHERE = ROWS["said-elsewhere"]
PLUGIN_TWICE = ROWS["plugin-twice"]
MIRROR_LEFT = ROWS["mirror-left"]
LIKE = ROWS["like"]
INERTIA_FROM = ROWS["inertia-from"]
PARTS_OVERLAP = ROWS["parts-overlap"]
EDIT_KINDS = tuple(ROWS.values())
FOLLOWED = sentences_in(SECTIONS["followed"])  # what the plan says of an element that follows
