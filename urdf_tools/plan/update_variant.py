"""Decide which elements are removed with dropped links and joints: those that belong or are tied to one."""
from typing import Sequence

from ..base.kinds import DROPPED_NAME
from ..urdf.references import Reference
from .edits import Changes
from .needs import elements_that_go, names_what_goes


def remove_what_names(changes: Changes, references: Sequence[Reference]) -> None:
    """Drop each element that belongs to a dropped link or joint; warn of other elements that name one."""
    for reference in references:
        element, name = reference.element, reference.name
        if names_what_goes(reference, changes.gone, changes.joints_gone) and not changes.is_dropped(element):
            going = elements_that_go(reference, changes.immobile)
            for holder in going:
                changes.drop(holder)
            if going:
                changes.note(going[0], "dropped", name)
            else:
                changes.warn_at(element, DROPPED_NAME, "named", reference.place, name)
