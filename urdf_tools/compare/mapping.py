"""Find the map between two robots, or take the one that is given."""
from typing import NamedTuple, Optional, Tuple

from ..urdf.spatial import IDENTITY_POSE, Pose
from .canonical import Canonical
from .robot_map import Choice, identity_choices, lay, RobotMap


class GivenJoint(NamedTuple):
    """A pair of joints by name: q_b = sign q_a + offset [rad or m], as programs give positions."""

    a: str
    b: str
    sign: float = 1.0
    offset: float = 0.0


class Given(NamedTuple):
    """A map that is known.

    Attributes:
        joints: pairs; None: joints of one name are pairs, with equal signs and zeros.
        base: T_b_a of the roots; None: it is looked for.
        complete: both have the same frames and shapes by name, as an export has; nothing was merged.
    """

    joints: Optional[Tuple[GivenJoint, ...]] = None
    base: Optional[Pose] = IDENTITY_POSE
    complete: bool = False


IDENTITY = Given(complete=True)


def find_map(a: Canonical, b: Canonical, given: Optional[Given], names: str) -> RobotMap:
    """Return the map from A to B."""
    if given is not None and given.joints is None:
        return lay(a, b, given.base or IDENTITY_POSE, identity_choices(a, b))
    if given is not None and given.joints is not None:
        return lay(a, b, given.base or IDENTITY_POSE, given_choices(a, b, given))
    return lay(a, b, IDENTITY_POSE, identity_choices(a, b))


def given_choices(a: Canonical, b: Canonical, given: Given) -> Tuple[Choice, ...]:
    """Return the choices of a given map; joints that it does not name have no partner."""
    places = {joint.raw.name: place for place, joint in reversed(list(enumerate(b.joints)))}
    by_name = {pair.a: pair for pair in reversed(given.joints or ())}
    choices = []
    for place, joint in enumerate(a.joints):
        pair = by_name.get(joint.raw.name)
        if pair is not None and pair.b in places:
            other = b.joints[places[pair.b]].raw
            zero = pair.offset - other.reference + pair.sign * joint.raw.reference
            choices.append(Choice(place, places[pair.b], pair.sign, zero))
    return tuple(choices)
