"""The map between two robots: given by the user, or searched."""

from typing import List, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.errors import UsageError
from ..base.record_type import Record
from ..robot.canonical_robot import canonical, CanonicalRobot
from ..robot.raw_robot import RawRobot
from ..urdf.spatial_math import IDENTITY_POSE, Transform
from .robot_map import JointMapping, identity_choices, lay, RobotMap


class GivenJoint(Record):
    """A pair of joints by name: q_b = sign q_a + offset [rad or m], as programs give positions.

    `child` is the child link, if it is known: several joints may share a name.
    """

    a: str
    b: str
    sign: float = 1.0
    offset: float = 0.0
    child: str = ""


class Given(Record):
    """A known map.

    Attributes:
        joints: pairs; None: joints of equal name are pairs, with equal signs and zeros.
        base: T_b_a of the roots; None: it is searched.
        complete: both have the same frames and shapes by name, as an export has; nothing was merged.
        root: the link of B that matches A's root, made the root of B; "": the link where the joints of A's root meet,
            if `base` is searched, else the root of the file.
        decided: the decisions of the run that made the map, as lines of its note; None: the decisions of the note in B.
    """

    joints: Optional[Tuple[GivenJoint, ...]] = None
    base: Optional[Transform] = IDENTITY_POSE
    complete: bool = False
    root: str = ""
    decided: Optional[Texts] = None


IDENTITY = Given(complete=True)


def find_map(
    a: RawRobot, b: RawRobot, given: Optional[Given] = None, names: str = "auto"
) -> RobotMap:
    """Return the map from A to B: the given one, else by names, else by structure.

    Raises:
        BrokenRobot: the links and joints of a robot do not form a tree.
        UsageError: the given root is not a link of B.
    """
    if given is None:
        from .map_search import search_map

        return search_map(a, b, names)
    return given_map(canonical(a), canonical(b), given)


def given_map(first: CanonicalRobot, second: CanonicalRobot, given: Given) -> RobotMap:
    """Return the map between two robots, given by names.

    Raises:
        UsageError: the given root is not a link of the second robot.
    """
    root = given.root
    choices = _choices(first, second, given)
    if not root and given.base is None:
        from .map_search import root_of_partners

        root = root_of_partners(first, second, {choice.a: choice.b for choice in choices})
    if root:
        if root not in second.body_of:
            raise UsageError(
                f"the map starts B from '{root}', which is not a link of B", second.raw.file
            )
        # With a different root the joints have different numbers, so the choices are made again.
        second = canonical(second.raw, root=root)
        choices = _choices(first, second, given)

    base = _base(first, second, choices) if given.base is None else given.base
    return lay(first, second, base, choices)


def _choices(a: CanonicalRobot, b: CanonicalRobot, given: Given) -> List[JointMapping]:
    """Return the choices of a given map; without joints, joints of equal name are pairs."""
    return identity_choices(a, b) if given.joints is None else given_choices(a, b, given.joints)


def _base(a: CanonicalRobot, b: CanonicalRobot, choices: Sequence[JointMapping]) -> Transform:
    """Return the likeliest pose of A's root in B's for these partners."""
    from .map_search import best_map

    return best_map(a, b, {choice.a: choice.b for choice in choices}).map.base


def laid_again(known: RobotMap, a: RawRobot, b: RawRobot) -> RobotMap:
    """Return the same map between two robots whose links and joints equal the known robots' by name."""
    first = canonical(a, known.a.held_links)
    second = canonical(b, known.b.held_links, known.b.root)
    robots = lay(first, second, known.base, [pair.choice for pair in known.pairs])
    pairs = tuple(
        pair._replace(
            evidence=before.evidence, alternatives=before.alternatives, reasons=before.reasons
        )
        for pair, before in zip(robots.pairs, known.pairs)
    )
    return robots._replace(pairs=pairs, ties=known.ties, base_evidence=known.base_evidence)


def given_choices(
    a: CanonicalRobot, b: CanonicalRobot, joints: Sequence[GivenJoint]
) -> List[JointMapping]:
    """Return the choices of a given map; joints that it does not name have no partner."""
    # Reversed, so that the first joint of a name is found, and the first pair that names it.
    indices = {joint.raw.name: index for index, joint in reversed(list(enumerate(b.joints)))}
    by_name = {key: pair for pair in reversed(joints) for key in (pair.a, (pair.a, pair.child))}
    choices = []
    for index, joint in enumerate(a.joints):
        pair = by_name.get((joint.raw.name, joint.raw.child)) or by_name.get(joint.raw.name)
        if pair is not None and pair.b in indices:
            other = b.joints[indices[pair.b]].raw
            # Programs count positions from the zero of the file, choices count from the drawn pose.
            zero = pair.offset - other.reference + pair.sign * joint.raw.reference
            choices.append(JointMapping(index, indices[pair.b], pair.sign, zero))
    return choices
