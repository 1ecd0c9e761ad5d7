"""The kinds of notes on collision shapes and pairs of links; the texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
COLLISION_LEFT = ROWS["collision-left"]
COLLISION_THIN = ROWS["collision-thin"]
COLLISION_HOLLOW = ROWS["collision-hollow"]
COLLISION_OPEN = ROWS["collision-open"]
COLLISION_VERSION = ROWS["collision-version"]
COLLISION_CONTACT = ROWS["collision-contact"]
PAIR_AT_HOME = ROWS["pair-at-home"]
PAIR_WRONG = ROWS["pair-wrong"]
PAIR_UNLIMITED = ROWS["pair-unlimited"]
PAIR_UNKNOWN = ROWS["pair-unknown"]
PAIR_HOLLOW = ROWS["pair-hollow"]
COLLISION_KINDS = tuple(ROWS.values())
