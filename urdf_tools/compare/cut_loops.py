"""Loops that both files have, cut open at other joints: a tree is the author's choice, the mechanism is not.

Where A closes a loop, B has a joint whose line goes through that point, and vice versa. Then B is cut as A is: its
joint becomes the loop, its loop a joint about A's line, and the joints between them are reversed. Both are compared
once more. A loop has no limits and no drive, so those of a joint that was cut are not compared.
"""

from typing import Dict, List, Optional, Set, Tuple

from ..base.record import Record
from ..formats.reading import inverse_of
from ..robot.canonical import canonical, Canonical, Joint, link_places, reversed_joint
from ..robot.motion import is_line
from ..robot.records import RawJoint, RawLoop, RawRobot
from ..urdf.spatial import IDENTITY_POSE, norm, Pose, subtract, transpose, Vector
from ..verify.rigid_motion import composed, transform_point, rotated
from .differences import Difference
from .law import links_below
from .lines import foot


class CutAlike(Record):
    """B cut as A is, the notes about it, and the links that only mark where the loops are cut."""

    robot: RawRobot
    cuts: Tuple[Difference, ...]
    frames: Set[str]


class Drawn(Record):
    """A robot in the frame of B's root, as it is drawn: T_root_link, by link."""

    robot: Canonical
    Y: Pose
    poses: Dict[str, Pose]

    def end(self, loop: RawLoop) -> Pose:
        """Return the first end of a loop."""
        return composed(self.Y, composed(self.poses[loop.links[0]], loop.T_link_end[0]))

    def axis(self, joint: Joint) -> Vector:
        """Return the axis of a joint."""
        return rotated(self.Y.rotation, joint.axis)

    def through(self, point: Vector, length: float) -> List[Joint]:
        """Return the joints whose line goes through a point."""
        return [
            joint
            for joint in self.robot.joints
            if is_line(joint.motion)
            and norm(
                subtract(
                    point, foot(point, transform_point(self.Y, joint.anchor), self.axis(joint))
                )
            )
            <= length
        ]


def _drawn(robot: RawRobot, Y: Pose) -> Drawn:
    at_zero = canonical(robot)
    return Drawn(at_zero, Y, link_places(at_zero))


def cut_alike(a: RawRobot, b: RawRobot, Y: Pose, length: float) -> Optional[CutAlike]:
    """Return B cut as A is; None where they are cut alike, or have other loops. `Y` is T_b_a of the roots."""
    first, cuts, frames = _drawn(a, Y), [], set()  # type: Drawn, List[Difference], Set[str]
    for loop in b.loops:
        second = _drawn(b, IDENTITY_POSE)
        if not set(loop.links) <= second.poses.keys():
            return None
        point = second.end(loop).translation
        ends = [
            (loop_a, first.end(loop_a))
            for loop_a in a.loops
            if set(loop_a.links) <= first.poses.keys()
        ]
        if any(norm(subtract(end.translation, point)) <= length for _, end in ends):
            continue
        match = next(
            (
                (loop_a, end, joint, cut)
                for loop_a, end in ends
                for joint in first.through(point, length)
                for cut in second.through(end.translation, length)
                if _is_around(second, loop, cut.raw)
            ),
            None,
        )
        if match is None:
            return None
        loop_a, end, joint, cut = match
        frames.update((*loop.links, *loop_a.links))
        cuts.append(
            Difference(
                "loop_cut",
                loop_a.name,
                names=(loop_a.name, cut.raw.name, joint.raw.name),
                line_a=loop_a.line,
                line_b=loop.line,
            )
        )
        b = _cut_again(
            second,
            loop,
            cut.raw,
            joint.raw._replace(axis=first.axis(joint)),
            loop_a._replace(T_link_end=(end, end)),
        )
    return CutAlike(b, tuple(cuts), frames) if cuts else None


def _is_around(drawn: Drawn, loop: RawLoop, joint: RawJoint) -> bool:
    """Return True if a loop goes through a joint: exactly one of its ends is below it."""
    below = links_below(drawn.robot.raw, joint.child)
    return (loop.links[0] in below) != (loop.links[1] in below)


def _cut_again(
    drawn: Drawn, loop: RawLoop, cut: RawJoint, joint: RawJoint, loop_a: RawLoop
) -> RawRobot:
    """Return B with a joint cut and a loop joined; the axis of `joint` and the ends of `loop_a` are in B's root."""
    raw, poses = drawn.robot.raw, drawn.poses
    below = links_below(raw, cut.child)
    outside, inside = loop.links if loop.links[1] in below else loop.links[::-1]
    above = {joint_above.child: joint_above for joint_above in raw.joints}
    turned_round: Set[str] = set()
    link = inside
    while link != cut.child:
        turned_round.add(link)
        link = above[link].parent
    T = poses[inside]
    new = joint._replace(
        name=loop.name,
        parent=outside,
        child=inside,
        T_parent_child=composed(inverse_of(poses[outside]), T),
        axis=rotated(transpose(T.rotation), joint.axis),
        point=transform_point(inverse_of(T), drawn.end(loop).translation),
        reference=0.0,
        mimic=None,
        line=loop.line,
    )
    joints = [
        reversed_joint(old) if old.child in turned_round else old
        for old in raw.joints
        if old is not cut
    ]
    ends = tuple(
        composed(inverse_of(poses[link]), loop_a.T_link_end[0]) for link in (cut.parent, cut.child)
    )
    closed = RawLoop(cut.name, loop_a.kind, (cut.parent, cut.child), (ends[0], ends[1]), cut.line)
    return raw._replace(
        joints=(*joints, new), loops=(*(other for other in raw.loops if other is not loop), closed)
    )
