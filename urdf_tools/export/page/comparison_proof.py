"""The page of a comparison is read again: its joints must move as those of the files, and its map be the one found."""
import json
import re
from typing import Any, Dict, List, Sequence

from ...base.errors import ProofFailed
from ...compare.all_differences import motion_differences
from ...compare.comparison import Comparison
from ...compare.differences import Difference, Settings, Tolerances
from ...compare.robot_map import bound_of, identity_choices, lay
from ...compare.words import text_of
from ...robot.canonical import Canonical, canonical
from ...robot.records import RawJoint, RawLink, RawMass, RawRobot
from ...urdf.spatial import IDENTITY_POSE, norm, Pose, subtract, ZERO
from ...verify.rigid_motion import composed

TOLERANCE = 1e-9
SOME_MASS = RawMass(1.0, ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))  # kg, kg m^2: so that no body is taken for a frame
EXACT = Settings(Tolerances(length=TOLERANCE, angle=TOLERANCE), frozenset(("motion",)))


def verify_comparison_page(text: str, comparison: Comparison) -> None:
    """Read the data of a page and compare both robots with those of the files, and its map with the one that was found.

    Joints with equal lines move alike at all positions, so no pose has to be tried.

    Raises:
        ProofFailed: naming what differs.
    """
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data: Dict[str, Any] = json.loads(block.group(1)) if block else {}
    robots = comparison.map
    for side, key, robot in (("A", "new", canonical(comparison.a, frozenset(robots.welded_a))),
                             ("B", "old", canonical(comparison.b, frozenset(robots.welded_b), robots.turned_root))):
        _verify_robot(side, robot, data[key])
    joints = data["old"]["joints"]
    mapped = {pair.choice.b: pair for pair in robots.pairs}
    for number, joint in enumerate(joints):
        pair = mapped.get(number)
        written = (joint.get("by"), joint.get("sign"), joint.get("offset"))
        if written != ((None, None, None) if pair is None else (
                pair.choice.a, pair.choice.sign, robots.offset(pair) + 0.0)):
            raise ProofFailed(f"page: the map of joint '{joint['name']}' is not the one that was found")
    T_world_b = composed(robots.base, _pose(data["base"]))
    if _apart(T_world_b, IDENTITY_POSE) > TOLERANCE:
        raise ProofFailed("page: the base of B is not where the map has it")
    _verify_places(comparison, data)


def robot_of(data: Dict[str, Any]) -> RawRobot:
    """Return a robot of a page: its bodies are links, each with its own frame."""
    links, joints = data["links"], data["joints"]
    return RawRobot("page", "", tuple(RawLink(link["name"], SOME_MASS) for link in links), tuple(
        RawJoint(joint["name"], joint["type"], links[joint["parent"]]["name"], links[joint["child"]]["name"],
                 _pose(joint["T"]), tuple(joint["axis"]), reference=joint.get("reference", 0.0))
        for joint in joints))


def _verify_robot(side: str, robot: Canonical, data: Dict[str, Any]) -> None:
    read = canonical(robot_of(data))
    robots = lay(robot, read, IDENTITY_POSE, identity_choices(robot, read))
    wrong: List[Difference] = list(motion_differences(robots, EXACT))
    if wrong:
        raise ProofFailed(f"page: {side} moves otherwise: {text_of(wrong[0])}")
    bound = bound_of(robots)
    if bound is not None and max(bound.position, bound.angle) > TOLERANCE:
        raise ProofFailed(f"page: {side} is {bound.position:.1e} m off at '{bound.body}'")
    places = _root_frames(data)
    for body, link, T in zip(robot.bodies, data["links"], places):
        parts = {part.link.name: part.T_root_link for part in body.parts}
        if [each for each, _ in link["parts"]] != list(parts):
            raise ProofFailed(f"page: body '{body.name}' of {side} has other links")
        for each, numbers in link["parts"]:
            if _apart(composed(T, _pose(numbers)), parts[each]) > TOLERANCE:
                raise ProofFailed(f"page: link '{each}' of {side} is elsewhere")


def _verify_places(comparison: Comparison, data: Dict[str, Any]) -> None:
    """Compare the poses of the bodies of B in the page with those of the map."""
    a, b = _root_frames(data["new"]), _root_frames(data["old"])
    partner = {b_body: a_body for a_body, b_body in comparison.map.bodies.items()}
    for number, link in enumerate(data["old"]["links"]):
        if link.get("to") != partner.get(number):
            raise ProofFailed(f"page: body '{link['name']}' of B has another partner")
        if "to" in link:
            was = composed(comparison.map.Y[link["to"]], composed(a[link["to"]], _pose(link["T"])))
            if _apart(was, b[number]) > TOLERANCE:
                raise ProofFailed(f"page: body '{link['name']}' of B is expected elsewhere")


def _root_frames(data: Dict[str, Any]) -> List[Pose]:
    """Return the frame of each body in that of the root, as the file draws it."""
    frames = [IDENTITY_POSE] * len(data["links"])
    for joint in data["joints"]:
        frames[joint["child"]] = composed(frames[joint["parent"]], _pose(joint["T"]))
    return frames


def _pose(numbers: Sequence[float]) -> Pose:
    a, b, c, d, e, f, g, h, i, x, y, z = numbers
    return Pose(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))


def _apart(T: Pose, other: Pose) -> float:
    """Return the largest difference of two poses: of an entry of the rotation, or in meters."""
    return max(norm(subtract(T.translation, other.translation)), *(
        abs(p - q) for row, line in zip(T.rotation, other.rotation) for p, q in zip(row, line)))
