"""What is outside links and joints, tag by tag: sensors, frames, loops, ros2_control, couplings, tendons, points."""
import math
from contextlib import suppress
from typing import Callable, Dict, Iterator, List, Set

from ..facts.tags import DIRECTED
from ..urdf.lossless_xml import Element
from ..urdf.references import LOOP_WORDS
from ..urdf.spatial import ZERO
from .comparison import Comparison, TOLERANCE
from .pairing import Pairing, POSE_LEFT, said, SIGN_LEFT, value_key
from .raw_robot import number_of, vector_of
from .rigid_motion import carried
from .world_values import at_origin, at_pose, prove_values, signed_number, View, WorldValue

NAMING_LINK = ("link", "body", "reference", "name")
RANGE = {"min": "max", "max": "min", "initial_value": "initial_value"}  # what it becomes when the sign changes


def prove_relations(pairing: Pairing) -> None:
    """Find each value of the input that a frame or a sign changes in the result."""
    prove_values(pairing, *(_values_in(view) for view in _views(pairing.comparison)))


def _views(comparison: Comparison) -> Iterator[View]:
    """Yield both texts; in the result, a frame that is removed is that of the link that has its content."""
    before, after, members = comparison.before, comparison.after, comparison.plan.members
    named = {**{name: joint.child for name, joint in before.named.items()}, "__model__": before.root,
             **{name: name for name in before.links}}
    for robot, signs in ((before, comparison.signs), (after, {})):
        yield View(robot, {name: robot.T_world[link if link in robot.links else members[link].target]
                           for name, link in named.items()}, signs, comparison.size)


def _values_in(view: View) -> Iterator[WorldValue]:
    """Yield every value outside what URDF defines in links and joints that a frame or a sign changes."""
    for top in view.robot.document.root.elements():
        rule = _RULES.get(top.name)
        if rule is not None:
            yield from rule(view, top)
        elif any(word in top.name.lower() for word in LOOP_WORDS):
            yield from _in_loop(view, top)
    for name, others in view.robot.others.items():
        for element in others:
            pose = element.find("pose")
            if pose is not None and not pose.get("relative_to"):
                yield from at_pose(view, element, view.robot.T_world[name])
            elif pose is None and element.name in ("frame", "sensor") or element.find("origin") is not None or (
                    element.get("xyz") or element.get("rpy")):
                yield from at_origin(view, element, name)


def _in_gazebo(view: View, top: Element) -> Iterator[WorldValue]:
    from .simulator_blocks import in_gazebo  # many robots have none

    return in_gazebo(view, top)


def _in_sensor(view: View, top: Element) -> Iterator[WorldValue]:
    parent = top.find("parent")
    if parent is not None:
        joint = view.robot.named.get(parent.get("joint") or "")
        yield from at_origin(view, top, parent.get("link") or (joint.child if joint is not None else ""))


def _in_loop(view: View, top: Element) -> Iterator[WorldValue]:
    """Yield the place of a frame, or of each end of a loop or constraint."""
    for element in top.walk():
        for key in NAMING_LINK:
            if key != "name" or element is not top and "joint" not in element.name.lower():
                yield from at_origin(view, element, element.get(key) or "")


def _in_ros2_control(view: View, top: Element) -> Iterator[WorldValue]:
    """Yield ranges, initial values and mimic parameters of joints."""
    for joint in top.elements("joint"):
        sign = view.sign(joint.get("name") or "")
        parameters = {p.get("name"): p for p in joint.elements("param")}
        if "mimic" in parameters:
            leader = parameters["mimic"].text().strip()
            yield from signed_number(parameters.get("multiplier"), sign * view.sign(leader))
            yield from signed_number(parameters.get("offset"), sign)
        for interface in joint.elements():
            ranged = [*{p.get("name"): p for p in interface.elements("param") if p.get("name") in RANGE}.values()]
            if ranged and interface.name in ("command_interface", "state_interface") and (
                    interface.get("name") or "").endswith(DIRECTED):
                yield _range_of(interface, ranged, sign)


def _range_of(interface: Element, ranged: List[Element], sign: int) -> WorldValue:
    """Return the parameters of a range; those of a flipped joint change places.

    If one of them is no number, another may have been turned: a warning says which was not.
    """
    numbers = []
    try:
        for parameter in ranged:
            name = parameter.get("name") or ""
            numbers.append((list(RANGE).index(name if sign > 0 else RANGE[name]), sign * number_of(parameter.text())))
    except ValueError:
        numbers.clear()
    said_in = [(parameter, key) for parameter in ranged for key in ("", "name")]
    return WorldValue(interface, "range", said_in, [sum(sorted(numbers), ())] if numbers else None,
                      1e-12 * max([1.0, *(abs(value) for _, value in numbers)]), SIGN_LEFT)


def _in_coupling(view: View, top: Element) -> Iterator[WorldValue]:
    """Yield the ratio in ratio * (sum of positions on one side) = (that on the other).

    The sides are the joints from the nearest common ancestor to each of both links (URDF+, arXiv:2411.19753).
    """
    above = view.robot.joints
    sides: List[Set[str]] = []
    for part in map(top.find, ("predecessor", "successor")):
        link, path = (part.get("link") or "") if part is not None else "", set()
        while link in above:
            path.add(link)
            link = above[link].parent
        sides.append(path)
    signs = [{view.sign(above[link].name) for link in side - (sides[0] & sides[1]) if above[link].moves}
             for side in sides]
    ratio = top.find("ratio")
    if -1 not in signs[0] | signs[1]:
        yield from signed_number(ratio, 1)
    elif ratio is not None and len(signs[0]) == len(signs[1]) == 1:
        yield from signed_number(ratio, signs[0].pop() * signs[1].pop())
    else:  # of the joints on one side some change their sign: no ratio can follow
        yield WorldValue(top, "coupling", (), (), 0.0, SIGN_LEFT)


def _in_tendon(view: View, top: Element) -> Iterator[WorldValue]:
    for element in top.elements("drake:tendon_constraint_joint"):
        if "a" in element.attributes:
            yield from signed_number(element, view.sign(element.get("name") or ""), "a")


def _points_of(view: View, top: Element) -> Iterator[WorldValue]:
    """Yield the points of a constraint, in the frames of its bodies; of a spring, one not written is the origin."""
    for body, point in ((top.find(top.name + body), top.find(top.name + point))
                        for body, point in (("_body_A", "_p_AP"), ("_body_B", "_p_BQ"))):
        link = (body.get("name") or "") if body is not None else ""
        if body is None or link not in view.robot.links or point is None and top.name != "drake:linear_spring_damper":
            continue
        key = value_key(point) if point is not None else ""
        with suppress(ValueError):
            place = vector_of(said(point, key)) if point is not None else ZERO
            yield WorldValue(point or body, "point", [(point, key)] if point is not None else (),
                             [carried(view.robot.T_world[link], place)], TOLERANCE * (view.size + math.hypot(*place)),
                             POSE_LEFT)


_RULES: Dict[str, Callable[[View, Element], Iterator[WorldValue]]] = {
    "gazebo": _in_gazebo,
    "sensor": _in_sensor,
    "frame": _in_loop,
    "ros2_control": _in_ros2_control,
    "coupling": _in_coupling,
    "drake:tendon_constraint": _in_tendon,
    "drake:ball_constraint": _points_of,
    "drake:linear_spring_damper": _points_of,
}
