"""Decide what goes with links and joints that are dropped: whatever belongs to one, or is tied to it."""
from typing import List, Optional, Sequence

from ..base.kinds import DROPPED_NAME
from ..facts.tags import MIMIC_PARAMETERS, PARTS_OF_CONTROL
from ..facts.values import is_known
from ..urdf.lossless_xml import Element
from ..urdf.references import Reference
from .edits import Changes
from .update_control import joints_of_transmission


def remove_what_names(changes: Changes, references: Sequence[Reference]) -> None:
    """Drop each element that belongs to something dropped; of what names it otherwise, a warning is given."""
    for reference in references:
        element, name = reference.element, reference.name
        is_joint = "joint" in (element.name, reference.attribute) and name in changes.joints_gone
        if (is_joint or name in changes.gone) and not changes.is_dropped(element):
            holders = _holders(changes, reference) if reference.whole else []
            for holder in holders:
                changes.drop(holder)
            if holders:
                changes.note(holders[0], "dropped", name)
            else:
                changes.warn_at(element, DROPPED_NAME, "named", reference.place, name)


def _holders(changes: Changes, reference: Reference) -> List[Element]:
    """Return what goes with the thing that a reference names; nothing if that stays, with a name that is no more."""
    element, top = reference.element, reference.top
    part: Optional[Element] = top
    if top.name == "gazebo":
        return [top] if element is top and reference.attribute == "reference" else []
    if top.name == "ros2_control":
        part = next((above for above in element.upward() if above.name in PARTS_OF_CONTROL), None)
        if part is not None and part.name == "joint" and part.get("name") != reference.name:  # it mimics what goes
            return [one for one in part.elements("param") if one.get("name") in MIMIC_PARAMETERS]
    if part is not None and part.name == "transmission":
        return [part] if all(map(changes.immobile, joints_of_transmission(part))) else []
    if top.name == "drake:collision_filter_group":
        return [element]
    return [part] if part is not None and (is_known(top) or top.name == "sensor") else []
