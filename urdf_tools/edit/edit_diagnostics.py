"""The kinds of diagnostics of edits, whose texts are in kinds.md, and the plan's sentences on updated elements."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
NAME_LEFT = ROWS["name-left"]
SAID_ELSEWHERE = ROWS["said-elsewhere"]
FOLLOWER = ROWS["follower"]
POSE_SET = ROWS["pose-set"]
TYPE_SET = ROWS["type-set"]
NAME_SHARED = ROWS["name-shared"]
PLUGIN_TWICE = ROWS["plugin-twice"]
MIRROR_LEFT = ROWS["mirror-left"]
LIKE = ROWS["like"]
INERTIA_FROM = ROWS["inertia-from"]
PARTS_OVERLAP = ROWS["parts-overlap"]
SCALED = ROWS["scaled"]
GAZEBO_REMOVED = ROWS["gazebo-removed"]
EDIT_KINDS = tuple(ROWS.values())
# The sentences of the plan on updated elements.
FOLLOWED = {
    "scaled": "lengths in it are {0} times as large",
    "renamed": "is now '{0}'",
    "plugin": "{0} has the same plugin, which is there once",
    "twin": "the twin of '{0}' is in it, too",
    "copied": "the twin has such a <{0}>",
    "shifted": "its frame is shifted by {0} m, onto the axis of the joint below it",
    "dropped": "removed with '{0}'",
    "sensor": "joint '{0}' is turned round: it measures the same in the other direction",
    "chain": "a list of {0}: it is turned round",
}
