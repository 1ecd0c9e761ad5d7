"""The map between two robots: as it is given, or found."""
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ..base.errors import UsageError
from ..urdf.spatial import IDENTITY_POSE, Pose
from .canonical import canonical, Canonical
from .records import RawRobot
from .robot_map import Choice, identity_choices, lay, RobotMap


class GivenJoint(NamedTuple):
    """A pair of joints by name: q_b = sign q_a + offset [rad or m], as programs give positions.

    `child` is the link below it, where that is known: several joints may have one name.
    """

    a: str
    b: str
    sign: float = 1.0
    offset: float = 0.0
    child: str = ""


class Given(NamedTuple):
    """A map that is known.

    Attributes:
        joints: pairs; None: joints of one name are pairs, with equal signs and zeros.
        base: T_b_a of the roots; None: it is looked for.
        complete: both have the same frames and shapes by name, as an export has; nothing was merged.
        root: the link of B that A's root is, from which B is started; "": where the joints of A's root meet, if `base`
            is looked for, else that of the file.
        decided: what the run that made the map decided besides, as lines of its note; None: the note in B says it.
    """

    joints: Optional[Tuple[GivenJoint, ...]] = None
    base: Optional[Pose] = IDENTITY_POSE
    complete: bool = False
    root: str = ""
    decided: Optional[Tuple[str, ...]] = None


IDENTITY = Given(complete=True)


def find_map(a: RawRobot, b: RawRobot, given: Optional[Given] = None, names: str = "auto") -> RobotMap:
    """Return the map from A to B: the given one, else by names, else, where these say nothing, by structure.

    Raises:
        BrokenRobot: the links and joints of a robot make no tree.
        UsageError: the given root is no link of B.
    """
    if given is None:
        from .map_search import search_map

        return search_map(a, b, names)
    first, second, root = canonical(a), canonical(b), given.root
    choices = _choices(first, second, given)
    if not root and given.base is None:
        from .map_search import root_of_partners

        root = root_of_partners(first, second, {choice.a: choice.b for choice in choices})
    if root:
        if root not in second.body_of:
            raise UsageError(f"the map starts B from '{root}', which is no link of it", b.file)
        second = canonical(b, root=root)
        choices = _choices(first, second, given)
    base = _base(first, second, choices) if given.base is None else given.base
    return lay(first, second, base, choices)._replace(turned_root=root)


def _choices(a: Canonical, b: Canonical, given: Given) -> List[Choice]:
    return identity_choices(a, b) if given.joints is None else given_choices(a, b, given.joints)


def _base(a: Canonical, b: Canonical, choices: Sequence[Choice]) -> Pose:
    """Return the likeliest pose of A's root in B's, where joints have their partners."""
    from .map_search import best_map

    return best_map(a, b, {choice.a: choice.b for choice in choices}).map.base


def laid_again(known: RobotMap, a: RawRobot, b: RawRobot) -> RobotMap:
    """Return the same map between two robots whose links and joints are those of the known ones, by name."""
    first = canonical(a, frozenset(known.welded_a))
    second = canonical(b, frozenset(known.welded_b), known.turned_root)
    robots = lay(first, second, known.base, [pair.choice for pair in known.pairs])
    said = {pair.choice.a: pair for pair in known.pairs}
    pairs = tuple(pair._replace(evidence=said[pair.choice.a].evidence, alternatives=said[pair.choice.a].alternatives)
                  for pair in robots.pairs)
    return robots._replace(pairs=pairs, welded_a=known.welded_a, welded_b=known.welded_b,
                           turned_root=known.turned_root, ties=known.ties, base_evidence=known.base_evidence)


def given_choices(a: Canonical, b: Canonical, joints: Sequence[GivenJoint]) -> List[Choice]:
    """Return the choices of a given map; joints that it does not name have no partner."""
    places = {joint.raw.name: place for place, joint in reversed(list(enumerate(b.joints)))}
    by_name = {key: pair for pair in reversed(joints) for key in (pair.a, (pair.a, pair.child))}
    choices = []
    for place, joint in enumerate(a.joints):
        pair = by_name.get((joint.raw.name, joint.raw.child)) or by_name.get(joint.raw.name)
        if pair is not None and pair.b in places:
            other = b.joints[places[pair.b]].raw
            zero = pair.offset - other.reference + pair.sign * joint.raw.reference
            choices.append(Choice(place, places[pair.b], pair.sign, zero))
    return choices
