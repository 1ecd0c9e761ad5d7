"""Loops that both files have, cut open at other joints: a tree is the author's choice, the mechanism is not.

Where A closes a loop, B has a joint whose line goes through that point, and the other way round. Then B is cut as A
is - its joint becomes the loop, its loop a joint about A's line, and what is between them hangs the other way round -
and both are compared once more. How a joint that was cut is bounded and driven no loop says; it is not compared.
"""
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..urdf.spatial import IDENTITY_POSE, norm, Pose, subtract, transpose, Vector
from ..verify.rigid_motion import composed, transform_point, rotated
from .canonical import canonical, Canonical, Joint, link_places, reversed_joint
from .differences import Difference
from .lines import foot
from .reading import inverse_of
from .records import RawJoint, RawLoop, RawRobot
from .robot_map import is_line


class CutAlike(NamedTuple):
    """B cut as A is, what is to be said of it, and the frames that are where the loops are cut, and nothing else."""

    robot: RawRobot
    cuts: Tuple[Difference, ...]
    frames: Set[str]


class Drawn(NamedTuple):
    """A robot in the frame of B's root, as it is drawn: T_root_link, by link."""

    robot: Canonical
    Y: Pose
    places: Dict[str, Pose]

    def end(self, loop: RawLoop) -> Pose:
        """Return the first end of a loop."""
        return composed(self.Y, composed(self.places[loop.links[0]], loop.T_link_end[0]))

    def axis(self, joint: Joint) -> Vector:
        """Return the axis of a joint."""
        return rotated(self.Y.rotation, joint.axis)

    def through(self, point: Vector, length: float) -> List[Joint]:
        """Return the joints whose line goes through a point."""
        return [joint for joint in self.robot.joints if is_line(joint.motion) and norm(subtract(point, foot(
            point, transform_point(self.Y, joint.anchor), self.axis(joint)))) <= length]


def _drawn(robot: RawRobot, Y: Pose) -> Drawn:
    found = canonical(robot)
    return Drawn(found, Y, link_places(found))


def cut_alike(a: RawRobot, b: RawRobot, Y: Pose, length: float) -> Optional[CutAlike]:
    """Return B cut as A is; None where they cut alike, or their loops are others. `Y` is T_b_a of the roots."""
    first, cuts, frames = _drawn(a, Y), [], set()  # type: Drawn, List[Difference], Set[str]
    for loop in b.loops:
        second = _drawn(b, IDENTITY_POSE)
        if not set(loop.links) <= second.places.keys():
            return None
        place = second.end(loop).translation
        ends = [(one, first.end(one)) for one in a.loops if set(one.links) <= first.places.keys()]
        if any(norm(subtract(end.translation, place)) <= length for _, end in ends):
            continue
        found = next(((own, end, joint, cut) for own, end in ends for joint in first.through(place, length)
                      for cut in second.through(end.translation, length) if _is_around(second, loop, cut.raw)), None)
        if found is None:
            return None
        own, end, joint, cut = found
        frames.update((*loop.links, *own.links))
        cuts.append(Difference("loop_cut", own.name, names=(own.name, cut.raw.name, joint.raw.name), line_a=own.line,
                               line_b=loop.line))
        b = _cut_again(second, loop, cut.raw, joint.raw._replace(axis=first.axis(joint)), own._replace(
            T_link_end=(end, end)))
    return CutAlike(b, tuple(cuts), frames) if cuts else None


def _behind(joints: Sequence[RawJoint], link: str) -> Set[str]:
    """Return a link and all that it carries."""
    found = {link}
    for _ in joints:
        found |= {joint.child for joint in joints if joint.parent in found}
    return found


def _is_around(drawn: Drawn, loop: RawLoop, joint: RawJoint) -> bool:
    """Return True if a loop goes through a joint: it has one end behind it."""
    behind = _behind(drawn.robot.raw.joints, joint.child)
    return (loop.links[0] in behind) != (loop.links[1] in behind)


def _cut_again(drawn: Drawn, loop: RawLoop, cut: RawJoint, joint: RawJoint, own: RawLoop) -> RawRobot:
    """Return B with a joint that is cut and a loop that is one; axis of `joint` and ends of `own` in B's root."""
    raw, places = drawn.robot.raw, drawn.places
    behind = _behind(raw.joints, cut.child)
    outside, inside = loop.links if loop.links[1] in behind else loop.links[::-1]
    above = {one.child: one for one in raw.joints}
    turned_round: Set[str] = set()
    link = inside
    while link != cut.child:
        turned_round.add(link)
        link = above[link].parent
    T = places[inside]
    new = joint._replace(
        name=loop.name, parent=outside, child=inside, T_parent_child=composed(inverse_of(places[outside]), T),
        axis=rotated(transpose(T.rotation), joint.axis), point=transform_point(inverse_of(T), drawn.end(
            loop).translation), reference=0.0, mimic=None, line=loop.line)
    joints = [reversed_joint(one) if one.child in turned_round else one for one in raw.joints if one is not cut]
    ends = tuple(composed(inverse_of(places[link]), own.T_link_end[0]) for link in (cut.parent, cut.child))
    closed = RawLoop(cut.name, own.kind, (cut.parent, cut.child), (ends[0], ends[1]), cut.line)
    return raw._replace(joints=(*joints, new), loops=(*(one for one in raw.loops if one is not loop), closed))
