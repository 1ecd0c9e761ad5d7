"""Every value outside links and joints that depends on a frame or sign: a rule for each tag, for plan and proof.

The plan updates each value (`plan/update_values.py`), the proof looks each up in the result (`verify/verify_world_values.py`),
with independent arithmetic; neither contains names of tags. A new tag is a row of `RULES`, and a test that shows it.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Tuple

from ..base.run_diagnostics import (
    FLIPPED_JOINT,
    LOOP_FRAME,
    MOVED_ZERO,
    SENSOR_FRAME,
)
from ..urdf.lossless_xml import Element
from .gazebo_value_rules import values_in_gazebo
from .robot_values import (
    AXES,
    child_place,
    DIRECTED,
    FRAME_POSE,
    LOOP_WORDS,
    name_value,
    origin_value,
    Place,
    pose_value,
    posed_itself,
    RANGE,
    RANGE_OF,
    READ_ORIGIN,
    SIGNED,
    signed_value,
    RobotFacts,
    FrameDependentValue,
    value_place,
)


def values_in(tree: RobotFacts) -> Iterator[FrameDependentValue]:
    """Yield every value, in the order of the file, those inside links first."""
    for link, extras in tree.extras.items():
        for element in extras:
            yield from _in_link(element, link)
    for top in tree.element.elements():
        if top.name in RULES:
            yield from RULES[top.name](tree, top)
        elif is_loop(top):
            yield from _loop(tree, top)


def is_known(top: Element) -> bool:
    """Return True if there is a rule for an element of the robot."""
    return top.name in RULES or is_loop(top)


def is_loop(top: Element) -> bool:
    """Return True for an element that closes a loop: exporters have many names for it."""
    return top.name not in RULES and any(word in top.name.lower() for word in LOOP_WORDS)


def _in_link(element: Element, link: str) -> Iterator[FrameDependentValue]:
    """Any element with a pose in a link; a pose in a foreign frame is left unchanged.

    | `<frame>`, `<sensor>` and others with a pose in a link | move along | origin or `<pose>` moves; of others, with
    another number: warning | |
    """
    pose = element.find("pose")
    if pose is None and (
        element.name in ("frame", "sensor") or posed_itself(element) or element.find("origin")
    ):
        yield origin_value(element, link, plain=element.name == "frame")
    elif pose is not None and not pose.get("relative_to"):
        yield pose_value(element, link)


def _sensor(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """A sensor of the robot, in a link or a joint.

    | top-level `<sensor>` | renamed | origin moves; with `quat_xyzw`: warning | |
    """
    parent = top.find("parent")
    if parent is not None:
        link = parent.get("link") or ""
        if link in tree.links:
            yield name_value(parent, "link", link)
        yield origin_value(top, link or tree.child_of.get(parent.get("joint") or "", ""))


def _loop(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """Frames, loop joints, constraints: whatever names a link, and has a pose in addition to the name.

    An axis there is relative to that pose, so it stays as it is.

    | top-level `<frame>`, loops, constraints, springs, bushings | the link is kept for a loop; renamed | origin moves; without
    one, and where none is read: warning | warning |
    """
    plain = top.name == "frame" or any(
        posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis")
    )
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if link in tree.links and (
                key != "name" or element is not top and "joint" not in element.name.lower()
            ):
                yield name_value(element, key, link)
                yield origin_value(
                    element, link, plain=plain, read=(top.name, element.name) in READ_ORIGIN
                )
        if element.text().strip() in tree.links:
            yield FrameDependentValue(
                element, FRAME_POSE, element.text().strip(), warning=(LOOP_FRAME, "text")
            )


def _ros2_control(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """Ranges, initial values and mimic parameters of joints, frames of sensors. (https://control.ros.org)

    | `<ros2_control>` | the link is kept | frame of a sensor: warning | min, max, initial value, mimic; hardware that
    is no simulator: warning |
    """
    for part in top.walk():
        link = part.text().strip() if part.name == "param" else ""
        if link in tree.links and part.parent is not None and part.parent.name != "joint":
            yield FrameDependentValue(part, AXES, link, warning=(SENSOR_FRAME, "parameter"))
    for joint in top.elements("joint"):
        group = (joint.get("name") or "",)
        yield from _mimic_in_control(joint, group)
        for interface in joint.elements():
            yield from _range_in_control(interface, group)
    for transmission in top.elements("transmission"):
        yield from _transmission(tree, transmission)


def _range_in_control(interface: Element, group: Tuple[str]) -> Iterator[FrameDependentValue]:
    """Yield the range and the initial value of an interface that counts in the direction of its joint."""
    name = interface.get("name") or ""
    is_directed = name.endswith(DIRECTED)
    if interface.name not in ("command_interface", "state_interface") or not is_directed:
        return
    # If two parameters have the same name, the last counts.
    parameters = {p.get("name"): p for p in interface.elements("param")}
    places: List[Place] = []
    for name_of_parameter, parameter in parameters.items():
        if name_of_parameter in RANGE_OF:
            places += [(parameter, ""), (parameter, "name")]
    zeros = group if name.endswith("position") else ()
    if places:
        yield FrameDependentValue(
            element=interface,
            kind=RANGE,
            link="",
            places=tuple(places),
            signs=(group,),
            zeros=zeros,
        )


def _mimic_in_control(joint: Element, group: Tuple[str]) -> Iterator[FrameDependentValue]:
    """Yield multiplier and offset of a joint that follows a joint by its parameters."""
    parameters = {p.get("name"): p for p in joint.elements("param")}
    if "mimic" not in parameters:
        return
    multiplier = parameters.get("multiplier")
    offset = parameters.get("offset")
    leader = (parameters["mimic"].text().strip(),)
    # A follower that changes its sign needs the opposite multiplier; without a parameter for it, the multiplier cannot
    # be written, so the follower gets a warning.
    if multiplier is None:
        factor = None
        yield FrameDependentValue(
            joint, SIGNED, signs=(group, leader), warning=(FLIPPED_JOINT, "multiplier")
        )
    else:
        factor = (multiplier, value_place(multiplier))
        yield signed_value(multiplier, group, leader, of=joint)
    value = FrameDependentValue(joint, SIGNED, warning=(MOVED_ZERO, "offset"))
    if offset is not None:
        value = signed_value(offset, group, of=joint)
    yield value._replace(zeros=group, terms=((leader[0], factor),))


def _transmission(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """The offset of a joint: its position is the actuator's position / reduction + offset. (transmission_interface)

    If the sign changes, reduction and offset change together, or the actuator's sign changes: a warning gives the numbers.

    | `<transmission>` | dropped with its joint | | offset, by a zero; with the other sign a warning: reduction and
    offset, with the numbers to write |
    """
    for joint in top.elements("joint"):
        group = (joint.get("name") or "",)
        yield FrameDependentValue(
            element=joint,
            kind=SIGNED,
            link="",
            places=(child_place(joint, "offset"),),
            signs=(group, ()),
            zeros=group,
        )


def joints_named_in(top: Element) -> List[str]:
    """Return the joints that the tags of an element name, each once; for a transmission, the joints that it drives."""
    names = (
        element.get("name") or element.get("joint") or element.text().strip()
        for element in top.walk()
        if element.name.lower().endswith("joint")
    )
    return list(dict.fromkeys(names))


def _filter(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """The members of a collision filter group.

    | `<drake:collision_filter_group>` | renamed; a filter that becomes wider: warning | | |
    """
    for element in top.walk():
        if element.get("link") in tree.links:
            yield name_value(element, "link", element.get("link") or "")


RULES: Dict[str, Callable[[RobotFacts, Element], Iterator[FrameDependentValue]]] = {
    "gazebo": values_in_gazebo,
    "sensor": _sensor,
    "frame": _loop,
    "ros2_control": _ros2_control,
    "drake:collision_filter_group": _filter,
    "transmission": _transmission,
}
