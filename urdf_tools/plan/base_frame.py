"""Which way the input looks: the rotation from its world axes to X forward, Y left, Z up."""
import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..base.errors import Unusable
from ..base.name_words import left_right_pairs
from ..base.number_text import count_of
from ..base.version import OWN_NOTE
from ..urdf.model import Robot
from ..urdf.spatial import (compose, cross, dot, Matrix, move, NO_MOTION, NO_TURN, norm, Pose, scale, subtract,
                            transpose, UNIT_AXES, Vector, ZERO)

DIRECTIONS: Dict[str, Vector] = {
    "forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0), "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0), "down": (0.0, 0.0, -1.0),
}
NAMED_FRAMES = {"onshape": "x=right,y=forward,z=up", "ros": "x=forward,y=left,z=up"}
CANONICAL = "x=forward y=left z=up"
PROVENANCE = re.compile(OWN_NOTE + r".*" + CANONICAL)
ENOUGH_PAIRS, ENOUGH_AGREEMENT = 2, 0.8


class BaseFrame(NamedTuple):
    """The base rotation.

    Attributes:
        R_new_old: from the input's world axes to X forward, Y left, Z up.
        words: where the input's axes point, such as `x=right y=forward z=up`.
        reason: why this was taken, for the report.
        warning: what speaks against it, or "".
    """

    R_new_old: Matrix
    words: str
    reason: str
    warning: str


def read_base_frame(text: str) -> BaseFrame:
    """Read `onshape`, `ros` or words such as `x=left,y=back,z=up`.

    Raises:
        Unusable: words that are unknown, missing, or not a right-handed frame.
    """
    spelled = NAMED_FRAMES.get(text, text)
    parts = dict(part.strip().partition("=")[::2] for part in spelled.lower().split(","))
    if sorted(parts) != ["x", "y", "z"] or any(word not in DIRECTIONS for word in parts.values()):
        raise Unusable(f"--base-frame '{text}': give auto, onshape, ros, or all three of x, y and z, such as "
                       f"x=left,y=back,z=up (the words are {', '.join(DIRECTIONS)})")
    columns = (DIRECTIONS[parts["x"]], DIRECTIONS[parts["y"]], DIRECTIONS[parts["z"]])
    if dot(cross(columns[0], columns[1]), columns[2]) != 1.0:
        raise Unusable(f"--base-frame '{text}' is not a right-handed frame: z must point where x turns into y")
    rotation = transpose(columns)
    return BaseFrame(NO_TURN if rotation == NO_TURN else rotation,
                     " ".join(f"{axis}={parts[axis]}" for axis in "xyz"), "as asked with --base-frame", "")


def turned_before(robot: Robot) -> bool:
    """True when the file has the note of an earlier run that reoriented it."""
    return any(PROVENANCE.match(comment) for comment in robot.document.comments())


def find_base_frame(robot: Robot) -> BaseFrame:
    """Find out which way the input looks: provenance comment, then left/right pairs of links, then Onshape's habit."""
    if turned_before(robot):
        return read_base_frame("ros")._replace(reason="the file says that this tool turned it before")
    votes, pairs = _votes(robot)
    assumed = read_base_frame("onshape")
    if pairs < ENOUGH_PAIRS:
        what = f"only {count_of(pairs, 'left/right pair')} of links" if pairs else "no left/right pairs of links"
        return assumed._replace(reason=f"assumed, as Onshape exports: {what} to judge by")
    (axis, sign), agreeing = max(votes.items(), key=lambda vote: vote[1], default=((0, 0), 0))
    side = f"{'+' if sign > 0 else '-'}{'XYZ'[axis]}"
    evidence = f"{agreeing} of {pairs} left/right pairs of links have left at {side}"
    if agreeing < ENOUGH_AGREEMENT * pairs:
        return assumed._replace(reason="assumed, as Onshape exports",
                                warning=f"the left/right pairs disagree ({evidence}): give --base-frame if it looks "
                                        "the wrong way")
    if axis == 2:
        return assumed._replace(reason="assumed, as Onshape exports",
                                warning=f"{evidence}, so Z does not point up: give --base-frame")
    left = scale(float(sign), UNIT_AXES[axis])
    rows = (cross(left, UNIT_AXES[2]), left, UNIT_AXES[2])  # forward, left, up as seen in the input
    return read_base_frame(_spell(rows))._replace(reason=evidence)


def _spell(R_new_old: Matrix) -> str:
    """Return the words for a rotation: column k says where input axis k points."""
    return ",".join(
        f"{letter}={next(word for word, direction in DIRECTIONS.items() if norm(subtract(direction, column)) < 0.5)}"
        for letter, column in zip("xyz", transpose(R_new_old))
    )


def _votes(robot: Robot) -> Tuple[Dict[Tuple[int, int], int], int]:
    """Count, over the left/right pairs of links, along which signed axis left lies from right; and the pairs."""
    placed = _places(robot)
    pairs = left_right_pairs(list(robot.links))
    votes: Dict[Tuple[int, int], int] = {}
    counted = 0
    for left, right in pairs:
        difference = _difference(placed[left], placed[right])
        length = norm(difference)
        if length < 1e-6:
            continue
        counted += 1
        axis = max(range(3), key=lambda k: abs(difference[k]))
        if abs(difference[axis]) > 0.7 * length:
            side = (axis, 1 if difference[axis] > 0.0 else -1)
            votes[side] = votes.get(side, 0) + 1
    return votes, counted


def _difference(left: Sequence[Vector], right: Sequence[Vector]) -> Vector:
    """Return left minus right of the frame origins, or of the centers of mass where the origins coincide."""
    apart = subtract(left[0], right[0])
    return apart if norm(apart) > 1e-6 else subtract(left[1], right[1])


def _places(robot: Robot) -> Dict[str, List[Vector]]:
    """Return frame origin and center of mass of every link in the world at zero [m]."""
    T_world: Dict[str, Pose] = {robot.root: NO_MOTION}
    for joint in robot.tree:
        T_world[joint.child] = compose(T_world[joint.parent], joint.origin)
    return {
        name: [T_world[name].translation,
               move(T_world[name], link.inertial.properties.center if link.inertial else ZERO)]
        for name, link in robot.links.items()
    }
