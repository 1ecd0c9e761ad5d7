"""The proof of a page: the robots in its data move as the robots of the files."""

from __future__ import annotations

from typing import List, Sequence

from ...base.type_aliases import Json
from ...base.errors import ProofFailed
from ...compare.difference_records import poses_apart
from ...compare.robot_map import bound_of, identity_choices, lay, RobotMap
from ...robot.canonical_robot import CanonicalRobot, canonical
from ...robot.raw_robot import RawJoint, RawLink, RawMass, RawRobot
from ...urdf.spatial_math import compose, IDENTITY_POSE, norm, Transform, ZERO
from ...verify.shared_proof_state import ROUNDING

EXACT = 1e-9  # m, rad: the data of motion have all digits, and a long chain adds up their rounding
# In kg and kg m^2. A body without a mass would be taken for a frame.
SOME_MASS = RawMass(1.0, ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))


def verify_page(data: Json, robots: RobotMap) -> None:
    """Compare the robots in the data of a page with the robots of the files.

    Joints with equal lines move alike at all positions, so no pose need be tried.

    Args:
        data: see `page_data`: "new" is A, the robot with the sliders, and "old" is B; B has no links if A is shown alone.
        robots: the map from A to B that the data were made from.

    Raises:
        ProofFailed: names the difference.
    """
    a = canonical(robots.a.raw, robots.a.held_links)
    # A map keeps the root of A. It may start B from the link that is the partner of this root.
    b = canonical(robots.b.raw, robots.b.held_links, robots.b.root)
    _verify_canonical("A", a, data["new"])
    if data["old"]["links"]:
        _verify_canonical("B", b, data["old"])


def robot_of(data: Json) -> RawRobot:
    """Return a robot of a page: its bodies are links, each with its own frame."""
    links = data["links"]
    joints = [
        RawJoint(
            name=joint["name"],
            type=joint["type"],
            parent=links[joint["parent"]]["name"],
            child=links[joint["child"]]["name"],
            T_parent_child=_pose(joint["T"]),
            axis=tuple(joint["axis"]),
            reference=joint.get("reference", 0.0),
        )
        for joint in data["joints"]
    ]
    return RawRobot(
        format="page",
        name="",
        links=tuple(RawLink(link["name"], SOME_MASS) for link in links),
        joints=tuple(joints),
    )


def _verify_canonical(side: str, robot: CanonicalRobot, data: Json) -> None:
    """Compare a robot in the data with the robot of its file: motion at all positions, and the place of each link."""
    read = canonical(robot_of(data))
    robots = lay(robot, read, IDENTITY_POSE, identity_choices(robot, read))
    bound = bound_of(robots)
    if bound is None:
        raise ProofFailed(f"page: {side} moves differently")
    places = _root_frames(data)
    # Places that are far out are rounded by a part of their distance.
    exact = EXACT + ROUNDING * max(norm(T.translation) for T in places)
    if max(bound.position, bound.angle) > exact:
        place = f"is {bound.position:.1e} m and {bound.angle:.1e} rad off at '{bound.body}'"
        raise ProofFailed(f"page: {side} moves differently: it {place}")
    for body, link, T in zip(robot.bodies, data["links"], places):
        parts = {part.link.name: part.T_root_link for part in body.parts}
        if [each for each, _ in link["parts"]] != list(parts):
            raise ProofFailed(f"page: body '{body.name}' of {side} has other links")
        for each, numbers in link["parts"]:
            if max(poses_apart(compose(T, _pose(numbers)), parts[each])) > exact:
                raise ProofFailed(f"page: link '{each}' of {side} is elsewhere")


def _root_frames(data: Json) -> List[Transform]:
    """Return T_root_body of each body, as the file draws it."""
    frames = [IDENTITY_POSE] * len(data["links"])
    for joint in data["joints"]:
        frames[joint["child"]] = compose(frames[joint["parent"]], _pose(joint["T"]))
    return frames


def _pose(numbers: Sequence[float]) -> Transform:
    """Return the pose of twelve numbers: the rows of the rotation, then the translation."""
    a, b, c, d, e, f, g, h, i, x, y, z = numbers
    return Transform(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))
