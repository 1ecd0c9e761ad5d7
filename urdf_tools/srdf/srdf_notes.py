"""The notes of an SRDF that followed a URDF: the signs and zeros of joint positions, as in the notes of the URDF.

An SRDF must not follow the same change twice, because its states would change twice.
"""

from __future__ import annotations

from typing import Dict, Iterator, Optional

from ..apply.apply_plan_passes import note_in_front, own_note
from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenRobot
from ..base.version import OWN_NOTE
from ..plan.result_notes import joint_map_note
from ..urdf.lossless_xml import Document
from ..urdf.urdf_records import UrdfRobot
from ..urdf.urdf_notes import (
    in_note,
    JOINT_MAP,
    line_of_note,
    NotedJointMap,
    own_notes,
    read_joint_map,
)
from .srdf_diagnostics import SRDF_FIT

FOLLOWS = "follows the simplified URDF"
# The note of an SRDF whose joints keep their signs and zeros; a note of an earlier release has only FOLLOWS.
AS_ORIGINAL = f"{FOLLOWS}, whose joints count as in the original file"
# How each note of this tool begins. OWN_NOTE also has the release and a colon: only a note of what a run did.
ANY_NOTE_OF_TOOL = "urdf_simplify "
CURE = "give the URDF that it follows, or the SRDF of {}; if it fits, remove the note"


def note_that_it_follows(document: Document, source: bytes, maps: Dict[str, NotedJointMap]) -> None:
    """Write the notes of a followed SRDF: that it follows, and the maps of joints; they replace its earlier notes.

    An SRDF that did not change keeps its bytes, unless its notes have other maps.

    Args:
        document: the SRDF after it followed.
        source: its bytes before it followed.
        maps: the maps of joints in the note of the URDF.
    """
    has_changed = document.to_bytes() != source
    is_noted = bool(own_notes(document, OWN_NOTE))
    if not has_changed and (not is_noted or maps == _maps_noted(document, maps)):
        return
    # The note shows a later run that this tool wrote the file, so that it may replace it.
    says = FOLLOWS if maps else AS_ORIGINAL
    note_in_front(document, document.root, own_note(says))
    # Without maps this note is empty, which removes the earlier one.
    note_in_front(document, document.root, joint_map_note(maps, document.newline), kind=JOINT_MAP)


def _maps_noted(
    document: Document, else_maps: Dict[str, NotedJointMap]
) -> Dict[str, NotedJointMap]:
    """Return the maps in the notes of an SRDF; an SRDF of an earlier release has no maps, so `else_maps` count."""
    says_maps = own_notes(document, JOINT_MAP) or own_notes(document, OWN_NOTE + AS_ORIGINAL)
    return read_joint_map(document) if says_maps else else_maps


def require_that_it_fits(document: Document, robot: UrdfRobot) -> None:
    """Refuse an SRDF that followed another URDF, by its notes.

    Raises:
        BrokenRobot: the URDF is not the result of a run, or maps a joint differently.
    """
    misfit = find_misfit(document, robot)
    if misfit is None:
        return
    twice = ": the SRDF would change twice" if misfit.sentence == "unchanged" else ""
    cure = CURE.format(robot.document.path)
    raise BrokenRobot(f"{misfit.text}{twice}; {cure}", document.path, misfit.line)


def find_misfit(document: Document, robot: UrdfRobot) -> Optional[Diagnostic]:
    """Return the reason why an SRDF follows another URDF, by its notes; None if it fits or has no notes."""
    if not own_notes(document, OWN_NOTE):
        return None
    urdf = robot.document.path
    line = line_of_note(document, OWN_NOTE)
    if not own_notes(robot.document, ANY_NOTE_OF_TOOL):
        return Diagnostic(SRDF_FIT, line, "unchanged", (urdf,))
    in_urdf = read_joint_map(robot.document)
    in_srdf = _maps_noted(document, in_urdf)
    for name in _joints_in_states(document):
        # The names may differ: an SRDF of the same robot under old names still counts as its joints do.
        counts = [
            noted.get(in_note(name), NotedJointMap())._replace(old="")
            for noted in (in_srdf, in_urdf)
        ]
        if name in robot.named and counts[0] != counts[1]:
            line = line_of_note(document, JOINT_MAP) or line
            return Diagnostic(SRDF_FIT, line, "counts", (urdf, name))
    return None


def _joints_in_states(document: Document) -> Iterator[str]:
    """Yield the name of each joint with a position in a named state."""
    for state in document.root.elements("group_state"):
        for joint in state.elements("joint"):
            yield joint.get("name") or ""
