"""What is removed with links and joints that an act drops, and with joints that it fixes."""
from typing import Callable, List, Optional, Sequence

from ..base.kinds import DROPPED_NAME
from ..facts.records import MIMIC_PARAMETERS, PARTS_OF_CONTROL
from ..facts.values import is_known, joints_of_transmission
from ..plan.edits import Changes
from ..srdf.elements import Lost
from ..urdf.lossless_xml import Element
from ..urdf.references import Reference
from .records import Draft


def remove_what_goes(draft: Draft, changes: Changes, references: Sequence[Reference], lost: Lost) -> None:
    """Drop each element that belongs to what is lost; warn of other elements that name a dropped link or joint."""
    robot, joints = changes.robot, {joint.name for joint in changes.robot.joints}
    gone, immobile = (lost.links | lost.joints) - robot.links.keys() - joints, lost.joints | lost.fixed
    for reference in references:
        element, name = reference.element, reference.name
        if changes.is_dropped(element):
            continue
        is_gone = name in gone or name in lost.joints and "joint" in (element.name, reference.attribute)
        going = elements_that_go(reference, immobile.__contains__) if is_gone else (
            _driving(reference, immobile.__contains__) if name in lost.fixed else [])
        for holder in going:
            changes.drop(holder)
        if going:
            draft.note(going[0], "dropped", name)
        elif is_gone:
            changes.warn_at(element, DROPPED_NAME, "named", reference.place, name)


def elements_that_go(reference: Reference, immobile: Callable[[str], bool]) -> List[Element]:
    """Return the elements to remove with the link or joint that a reference names; [] if they are kept.

    A transmission is removed if all its joints are `immobile`.
    """
    if not reference.whole:
        return []
    element, top = reference.element, reference.top
    part: Optional[Element] = top
    if top.name == "gazebo":
        return [top] if element is top and reference.attribute == "reference" else []
    if top.name == "ros2_control":
        part = next((above for above in element.upward() if above.name in PARTS_OF_CONTROL), None)
        if part is not None and part.name == "joint" and part.get("name") != reference.name:  # it mimics that joint
            return [parameter for parameter in part.elements("param") if parameter.get("name") in MIMIC_PARAMETERS]
    if part is not None and part.name == "transmission":
        return [part] if all(map(immobile, joints_of_transmission(part))) else []
    if top.name == "drake:collision_filter_group":
        return [element]
    return [part] if part is not None and (is_known(top) or top.name == "sensor") else []


def _driving(reference: Reference, immobile: Callable[[str], bool]) -> List[Element]:
    """Return what drives a joint that becomes fixed: its transmission, or its part of a `<ros2_control>`."""
    for above in reference.element.upward() if reference.top.name in ("transmission", "ros2_control") else ():
        if above.name == "transmission":
            return [above] if all(map(immobile, joints_of_transmission(above))) else []
        if above.name == "joint" and above.parent is reference.top and reference.top.name == "ros2_control":
            return [above] if above.get("name") == reference.name else []
    return []
