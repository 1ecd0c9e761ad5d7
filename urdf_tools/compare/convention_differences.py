"""How two files count one robot otherwise: signs, zeros, names and order of joints, and the frame of the root.

The map converts these, so they never make another robot. A program that does not use the map reads wrong positions:
a driver, a policy, a log. `fail_on` of a comparison names the conventions that fail it all the same.
"""

from __future__ import annotations

from math import degrees
from typing import Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ..base.number_text import count_of
from ..robot.rigid_bodies import TURNS
from ..robot.joint_motion import is_line
from ..urdf.spatial_math import IDENTITY_POSE, norm, rpy_from_matrix, Transform
from .difference_records import between, Difference, one_sided, poses_apart, Tolerances
from .robot_map import JointPair, RobotMap
from .difference_kinds import KINDS, length_text

SMALL = 1e-6  # rad and m: smaller differences of a zero are ignored


def rule_text(pair: JointPair) -> str:
    """Return the position of B as a function of the position of A: `-q + 90 deg`."""
    offset = pair.offset
    turns = pair.a.motion == TURNS
    rule = "-q" if pair.choice.sign < 0.0 else "q"
    if abs(offset) <= SMALL:
        return rule
    size = f"{degrees(abs(offset)):.4g} deg" if turns else length_text(abs(offset))
    return f"{rule} {'-' if offset < 0.0 else '+'} {size}"


def base_text(base: Transform) -> str:
    """Return the pose of A's root frame in B's, as turns about fixed axes (roll, pitch, yaw) and a distance."""
    rpy = rpy_from_matrix(base.rotation)
    turns = [
        f"{degrees(angle):.4g} degrees about {axis}"
        for axis, angle in zip("xyz", rpy)
        if abs(angle) > SMALL
    ]
    texts = []
    if turns:
        texts.append(f"turned {', '.join(turns)}")
    moved = norm(base.translation)
    if moved > SMALL:
        texts.append(f"moved by {length_text(moved)}")
    return ", ".join(texts)


def _signs(robots: RobotMap, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the joints whose positions have the other sign in B."""
    for pair in robots.pairs:
        if is_line(pair.a.motion) and pair.choice.sign < 0.0:
            yield _of_rule("sign", pair)


def _zeros(robots: RobotMap, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the joints whose zero is elsewhere in B by more than the tolerance; a smaller offset is rounding."""
    for pair in robots.pairs:
        most = tolerances.angle if pair.a.motion == TURNS else tolerances.length
        if is_line(pair.a.motion) and abs(pair.offset) > most:
            yield _of_rule("zero", pair)


def _of_rule(kind: str, pair: JointPair) -> Difference:
    """Return the difference of a joint, whose sentence has its position in B."""
    unit = "rad" if pair.a.motion == TURNS else "m"
    return between(
        kind, pair.a.raw, pair.b.raw, abs(pair.offset), unit, words=(rule_text(pair),), numbers=()
    )


def _names(robots: RobotMap, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the names of joints that move and of links that a program finds in A alone."""
    joints_of_b = {joint.name for joint in robots.b.raw.joints}
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        # A name that B has on another joint makes another robot: `name_differences`.
        if a.name not in joints_of_b:
            yield between("joint_renamed", a, b, words=(b.name,))
    links_of_a = {link.name for link in robots.a.raw.links}
    links_of_b = {link.name: link for link in robots.b.raw.links}
    new_names = _new_names_of_bodies(robots)
    for link in robots.a.raw.links:
        if link.name in links_of_b:
            continue
        new_name = new_names.get(link.name, link.name)
        if new_name in links_of_a:
            yield one_sided("link_gone", link.name, "a", link.line)
        else:
            yield between("link_renamed", link, links_of_b[new_name], words=(new_name,))


def _new_names_of_bodies(robots: RobotMap) -> Dict[str, str]:
    """Return the first link of each body of B, by the first link of its partner in A."""
    return {robots.a.bodies[a].name: robots.b.bodies[b].name for a, b in robots.bodies.items()}


def _order(robots: RobotMap, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the first joint whose place among the paired joints is another one in B's file.

    Programs that take a vector of positions count the joints that move in the order of the file.
    """
    places_in_a = {joint.name: place for place, joint in enumerate(robots.a.raw.joints)}
    places_in_b = {joint.name: place for place, joint in enumerate(robots.b.raw.joints)}
    in_a = sorted(robots.pairs, key=lambda pair: places_in_a.get(pair.a.raw.name, 0))
    in_b = sorted(in_a, key=lambda pair: places_in_b.get(pair.b.raw.name, 0))
    for place, (pair, other) in enumerate(zip(in_a, in_b), 1):
        if pair is other:
            continue
        place_in_b = 1 + next(index for index, each in enumerate(in_b) if each is pair)
        numbers = (float(place), float(place_in_b))
        yield between("order", pair.a.raw, pair.b.raw, numbers=numbers)
        return


def _base(robots: RobotMap, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the frame of the root, if it lies elsewhere in the robot of B."""
    off, angle = poses_apart(robots.base, IDENTITY_POSE)
    if off > tolerances.length or angle > tolerances.angle:
        root = robots.a.bodies[0].parts[0].link
        root_of_b = robots.b.bodies[0].parts[0].link
        yield between("base_frame", root, root_of_b, off, "m", words=(base_text(robots.base),))


# By the word for `fail_on`; `names` is an aspect, too: names that stand for other joints make another robot.
CONVENTIONS: Mapping[str, Callable[[RobotMap, Tolerances], Iterator[Difference]]] = {
    "signs": _signs,
    "zeros": _zeros,
    "names": _names,
    "order": _order,
    "base": _base,
}
# The conventions whose change a program does not notice: the first line of a report counts them.
SILENT = ("sign", "zero")
# The words of the first line, by label: singular, and plural.
COUNTED = {
    "sign": ("sign flipped", "signs flipped"),
    "zero": ("zero moved", "zeros moved"),
    "name": ("name gone", "names gone"),
    "order": ("order of joints changed", "orders of joints changed"),
    "frame": ("frame of the root elsewhere", "frames of the root elsewhere"),
}


def convention_differences(
    robots: RobotMap, tolerances: Tolerances
) -> Dict[str, Tuple[Difference, ...]]:
    """Return the differences of each convention, by its word."""
    return {word: tuple(found(robots, tolerances)) for word, found in CONVENTIONS.items()}


def counts_of_conventions(differences: Sequence[Difference]) -> List[str]:
    """Return the number of differences of each convention, in words."""
    labels = [KINDS[difference.kind].label for difference in differences]
    return [
        count_of(labels.count(label), *words) for label, words in COUNTED.items() if label in labels
    ]
