"""The fit of a body of A, moved by Y, with a body of B: first the number of different facts, then their size.

`Y` maps coordinates in the frame of A's root, as drawn, to the frame of B's root. A cost has no unit: it counts facts
that differ, each from 0.5 to 1 (`gap`).
"""

from __future__ import annotations

from math import pi
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.number_text import grouped
from ..base.record_type import Record
from ..robot.rigid_bodies import Body, BodyMass, CanonicalJoint, moved_mass
from ..robot.canonical_robot import CanonicalRobot, LINK, link_places, NamedFrame
from ..robot.mass_gaps import FLOOR, tensor_gap
from ..robot.joint_motion import after
from ..urdf.spatial_math import compose, norm, Transform, subtract
from .difference_records import poses_apart
from .joint_lines import ANGLE, correction, LENGTH, sense

TENSOR = 5e-3  # of the largest entry: from here on a fact differs, as from LENGTH and ANGLE on
LONG = 1.0  # m: lengths of differences beyond this count the same
LOOP_END = "loop"
# Kinds of frames. The turn of a mesh counts, since nobody can choose it.
MESH = "mesh"
SHAPE = "shape"
LinePair = Tuple[CanonicalJoint, CanonicalJoint]  # of A and B
FramePair = Tuple[NamedFrame, NamedFrame]
FRAME_WEIGHT = 0.3  # low, so that all frames of a body are less than one fact: tools move and turn frames on an axis


def gap(size: float, tolerance: float, most: float) -> float:
    """Return the cost of a difference: nearly nothing below the tolerance, from 0.5 to 1 above it.

    `most`: larger differences cost the same.
    """
    # Half a point for being different at all: so one fact that differs much costs less than three that differ a little.
    over = size / tolerance
    return (0.5 if over >= 1.0 else 0.5 * over * over) + 0.5 * min(1.0, size / most)


def line_cost(Y: Transform, a: CanonicalJoint, b: CanonicalJoint) -> float:
    """Return the cost of the distance of two lines of joints, in either sense; a different type counts as a whole fact."""
    residual = correction(Y, a, b, sense(Y, a, b))
    other = 1.0 if a.motion != b.motion else 0.0
    return other + gap(residual.across, LENGTH, LONG) + gap(residual.turn, ANGLE, pi)


def both_masses(a: Body, b: Body) -> Optional[Tuple[BodyMass, BodyMass]]:
    """Return the masses of two bodies if both have mass."""
    if a.mass is None or b.mass is None or min(a.mass.mass, b.mass.mass) <= 0.0:
        return None
    return a.mass, b.mass


def inertia_cost(Y: Transform, a: Body, b: Body) -> float:
    """Return the cost of the distance of center and tensor from their places; 0 if either body has no mass.

    The mass itself does not depend on Y, so it does not count.
    """
    masses = both_masses(a, b)
    if masses is None:
        return 0.0
    first = moved_mass(Y, masses[0])
    second = masses[1]
    tensor = tensor_gap(first.tensor, second.tensor, FLOOR * max(first.mass, second.mass))
    return gap(norm(subtract(first.center, second.center)), LENGTH, LONG) + gap(tensor, TENSOR, 1.0)


class FramePairs(Record):
    """The frames of two robots that mark the same place.

    Attributes:
        pairs: frames of equal name, by the numbers of the bodies of A and B that they are on.
        ends_a, ends_b: the ends of loops by the number of the body.
    """

    pairs: Dict[Tuple[int, int], List[FramePair]]
    ends_a: Dict[int, List[NamedFrame]] = {}
    ends_b: Dict[int, List[NamedFrame]] = {}

    def of(self, body: int, other: int) -> Sequence[FramePair]:
        """Return the pairs on two bodies; if each body has a single loop, these are a pair, whatever their names."""
        pairs = self.pairs.get((body, other), ())
        first = self.ends_a.get(body, ())
        second = self.ends_b.get(other, ())
        if not first or not second:
            return pairs
        if len(first) == len(second) == 1:
            return [*pairs, (first[0], second[0])]
        named = {end.name: end for end in second}
        return [*pairs, *((end, named[end.name]) for end in first if end.name in named)]


def common_frames(a: CanonicalRobot, b: CanonicalRobot) -> FramePairs:
    """Return frames of equal name, and equal shapes that occur once; frames of links are arbitrary."""
    partner = {frame.name: frame for frame in (*b.frames, *_shapes(b))}
    named = ((frame, partner.get(frame.name)) for frame in (*a.frames, *_shapes(a)))
    pairs = grouped(
        ((frame.body, other.body), (frame, other))
        for frame, other in named
        if other is not None and LINK not in (frame.kind, other.kind)
    )
    return FramePairs(pairs, ends_a=_loop_ends(a), ends_b=_loop_ends(b))


def _loop_ends(robot: CanonicalRobot) -> Dict[int, List[NamedFrame]]:
    """Return the ends of loops by body."""
    poses = link_places(robot) if robot.raw.loops else {}
    ends = (
        NamedFrame(
            name=loop.name,
            kind=LOOP_END,
            body=robot.body_of[link],
            T_root_frame=compose(poses[link], T),
            line=loop.line,
        )
        for loop in robot.raw.loops
        for link, T in zip(loop.links, loop.T_link_end)
        if link in poses
    )
    return grouped((end.body, end) for end in ends)


def _shapes(robot: CanonicalRobot) -> List[NamedFrame]:
    """Return the shapes that occur once in the robot, or once in their link, as frames."""
    frames: Dict[str, NamedFrame] = {}
    several = set()
    for number, body in enumerate(robot.bodies):
        for part in body.parts:
            for shape in part.link.shapes:
                is_mesh = shape.geometry == "mesh"
                sizes = " ".join(f"{size:.6g}" for size in shape.sizes)  # a scale brings rounding
                looks = f"{shape.role} {shape.file if is_mesh else f'{shape.geometry} {sizes}'}"
                # Two equal wheels cannot be told apart in the robot, but each can on its own link.
                for name in (looks, f"{looks} {part.link.name}"):
                    if name in frames:
                        several.add(name)
                    frames[name] = NamedFrame(
                        name=name,
                        kind=MESH if is_mesh else SHAPE,
                        body=number,
                        T_root_frame=compose(part.T_root_link, shape.T_link_shape),
                        line=shape.line,
                    )
    return [frame for name, frame in frames.items() if name not in several]


def frame_cost(Y: Transform, pairs: Iterable[FramePair]) -> float:
    """Return the mean cost of the frames of equal name, 0 without a pair: many frames count no more than one."""
    costs = []
    for frame, other in pairs:
        off, angle = poses_apart(after(Y, frame.T_root_frame), other.T_root_frame)
        cost = gap(off, LENGTH, LONG)
        # Tools turn frames and primitives freely; a mesh shows its turn.
        if frame.kind == MESH:
            cost += gap(angle, ANGLE, pi)
        costs.append(cost)
    return sum(costs) / len(costs) if costs else 0.0


def body_cost(
    Y: Transform,
    body: Body,
    other: Body,
    frames: Iterable[FramePair],
    lines: Iterable[LinePair],
) -> float:
    """Return the cost of all facts of a body: the lines on it, its center, tensor and frames."""
    of_lines = sum(line_cost(Y, joint, partner) for joint, partner in lines)
    return of_lines + inertia_cost(Y, body, other) + FRAME_WEIGHT * frame_cost(Y, frames)
