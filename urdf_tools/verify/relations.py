"""The part of the proof about what relates joints or links: ros2_control, couplings, tendons, points of constraints."""
import math
from typing import Dict, Optional, Set

from ..urdf.lossless_xml import Element
from .comparison import TOLERANCE
from .pairing import Pairing, POSE_LEFT, said, SIGN_LEFT, value_key
from .placed import POINTS_ONLY
from .raw_robot import numbers_of, vector_of
from .rigid_motion import carried

DIRECTED_INTERFACES = ("position", "velocity", "acceleration", "effort", "torque", "force")
RANGE = {"min": "max", "max": "min", "initial_value": "initial_value"}  # what it becomes when the sign changes


def prove_relation(pairing: Pairing, top: Element) -> None:
    """Prove signs and points in a top-level element of a known kind."""
    signs = pairing.comparison.signs
    if top.name == "ros2_control":
        for joint in top.elements("joint"):
            if joint.offset in pairing.partner:
                _prove_ros2_control(pairing, joint)
    elif top.name == "coupling":
        _prove_coupling(pairing, top)
    elif top.name == "drake:tendon_constraint":
        for element in top.elements("drake:tendon_constraint_joint"):
            if "a" in element.attributes:
                pairing.require_number(element, signs.get(element.get("name") or "", 1), "a")
    elif top.name in POINTS_ONLY:
        for body, point in (("_body_A", "_p_AP"), ("_body_B", "_p_BQ")):
            _prove_point(pairing, top.find(top.name + body), top.find(top.name + point))


def _prove_ros2_control(pairing: Pairing, joint: Element) -> None:
    """Prove ranges, initial values and mimic parameters of a joint of ros2_control."""
    signs = pairing.comparison.signs
    sign = signs.get(joint.get("name") or "", 1)
    parameters = {p.get("name"): p for p in joint.elements("param")}
    if "mimic" in parameters:
        other = signs.get(parameters["mimic"].text().strip(), 1)
        pairing.require_number(parameters.get("multiplier"), sign * other)
        pairing.require_number(parameters.get("offset"), sign)
    for interface in joint.elements() if sign < 0 else ():
        if interface.name not in ("command_interface", "state_interface") or not (
                interface.get("name") or "").endswith(DIRECTED_INTERFACES):
            continue
        ranged = [p for p in interface.elements("param") if p.get("name") in RANGE]
        places = [(p.offset, key) for p in ranged for key in ("", "name")]
        try:
            old, new = ({p.get("name") or "": numbers_of(p.text(), 1)[0] for p in parts} for parts in (
                ranged, [pairing.partner[p.offset] for p in ranged]))
        except ValueError:  # of a range that is no number a part may have been turned; a warning says which was not
            if any(pairing.is_excused(p, SIGN_LEFT) for p in ranged):
                pairing.proven.update(places)
            continue
        wanted = {RANGE[name]: -value for name, value in old.items()}
        holds = wanted.keys() == new.keys() and all(
            abs(wanted[name] - value) <= 1e-12 * max(1.0, abs(value)) for name, value in new.items())
        pairing.require(holds, interface, SIGN_LEFT, places, "its range and initial value are not the negative ones")


def _prove_coupling(pairing: Pairing, top: Element) -> None:
    """Prove that ratio * (sum of positions on one side) = (that on the other) means the same in the new coordinates.

    The sides are the joints from the nearest common ancestor to each of both links (URDF+, arXiv:2411.19753).
    """
    comparison = pairing.comparison
    above = comparison.before.joints
    sides: Dict[str, Set[str]] = {}
    for end in ("predecessor", "successor"):
        part = top.find(end)
        link, path = (part.get("link") or "") if part is not None else "", set()
        while link in above:
            path.add(link)
            link = above[link].parent
        sides[end] = path
    shared = set.intersection(*sides.values())
    signs = [{comparison.signs.get(above[link].name, 1) for link in side - shared if above[link].moves}
             for side in sides.values()]
    ratio = top.find("ratio")
    if -1 not in signs[0] | signs[1]:
        pairing.require_number(ratio, 1)
    elif ratio is not None and len(signs[0]) == len(signs[1]) == 1:
        pairing.require_number(ratio, signs[0].pop() * signs[1].pop())
    else:
        pairing.require(False, top, SIGN_LEFT, (), "it couples joints of which one changes its sign")


def _prove_point(pairing: Pairing, body: Optional[Element], point: Optional[Element]) -> None:
    """Prove that a point in the frame of a body is the same in the world; one that is not written is its origin."""
    comparison = pairing.comparison
    if body is None or point is None and (body.parent is None or body.parent.name != "drake:linear_spring_damper"):
        return
    link, link_now = body.get("name") or "", pairing.partner[body.offset].get("name") or ""
    if link not in comparison.before.links or link_now not in comparison.after.links:
        return
    key = value_key(point) if point is not None else ""
    try:
        old, new = (vector_of(said(one, key)) if one is not None else (0.0, 0.0, 0.0) for one in (
            point, pairing.partner[point.offset] if point is not None else None))
    except ValueError:
        return
    apart = math.dist(carried(comparison.T_before[link], old), carried(comparison.T_after[link_now], new))
    pairing.require(apart <= TOLERANCE * (comparison.size + math.hypot(*old)), point or body, POSE_LEFT,
                    [(point.offset, key)] if point is not None else (), f"the point is off by {apart:.3g} m")
