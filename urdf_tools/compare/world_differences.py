"""Differences of two robots in masses, base, gravity, values of bodies, and named states."""

from __future__ import annotations

from itertools import chain
from math import asin, dist
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Reals, Texts
from ..base.record_type import Record
from ..facts.simulator_values import CONTACT, default_of
from ..robot.rigid_bodies import (
    Body,
    body_mass,
    BodyMass,
    is_empty,
    moved_mass,
    NO_TENSOR,
    BodyLink,
)
from ..robot.canonical_robot import CanonicalRobot
from ..robot.mass_gaps import direction_gap, FLOOR, mass_gaps
from ..robot.principal_axes import entries_of, principal
from ..robot.raw_robot import RawNamedState, RawLink, RawRobot
from ..urdf.spatial_math import IDENTITY_POSE, Matrix, Transform, rotate, scale, Vector, ZERO
from .difference_records import (
    Difference,
    EXACT,
    one_sided,
    poses_apart,
    scaled_gap,
    ComparisonSettings,
    Shown,
    Tolerances,
)
from .joint_differences import differing_values, value_difference
from .robot_map import RobotMap
from .distinguishable_numbers import told_apart, values_told_apart

DIGITS_OF_MASS = 4  # with more if two masses print alike
LOST_TURN = Tolerances().tensor  # a tensor that differs by less may be turned by rounding
NO_MASS = BodyMass(0.0, ZERO, NO_TENSOR)


class ComparedLinks(Record):
    """A link of A and a link of B whose values are compared, and the links of A that may have the values."""

    a: RawLink
    b: RawLink
    parts: Sequence[RawLink]


def mass_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of mass; a file without a mass on any moving body is a single difference.

    The mass of a root that never moves is a note.
    """
    does_root_count = _root_counts(robots)
    # The root is body 0: its mass counts only if it may move.
    moving = [(a, b) for a, b in robots.bodies.items() if a != 0 or does_root_count]
    is_bare_a = not any(robots.a.bodies[a].is_heavy for a, _ in moving)
    is_bare_b = not any(robots.b.bodies[b].is_heavy for _, b in moving)
    # A single sentence, in place of a sentence about each body.
    if is_bare_a != is_bare_b:
        side = "A" if is_bare_a else "B"
        yield Difference("no_masses", side.lower(), names=(side,))
        return
    for a, b in moving:
        yield from _of_body(robots, a, b, settings.tolerances)
    if settings.complete or does_root_count:
        return
    if any(_of_body(robots, 0, 0, settings.tolerances)):
        part = robots.a.bodies[0].parts[0].link
        partner = robots.b.bodies[0].parts[0].link
        yield Difference(
            "mass_held", part.name, names=(part.name,), line_a=part.line, line_b=partner.line
        )


def _root_counts(robots: RobotMap) -> bool:
    """Return True if the root may move, as the mass of a held base has no effect, or if both files are URDFs."""
    return all(
        robot.raw.base != "fixed" or robot.raw.format == "urdf" for robot in (robots.a, robots.b)
    )


def _of_body(robots: RobotMap, a: int, b: int, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield the differences of a pair of bodies: by link, if all links except one agree."""
    body = robots.a.bodies[a]
    other = robots.b.bodies[b]
    Y = robots.Y[a]
    if Y is IDENTITY_POSE and body.mass == other.mass:
        return
    gaps = differing(body.mass, other.mass, Y, tolerances)
    if not gaps:
        return

    odd = _odd_link(body, other, Y, tolerances)
    # The first link names the body.
    part, partner = odd or (body.parts[0], other.parts[0])
    if odd and tolerances is not EXACT:  # rounding is reported for the whole body
        gaps = differing(body_mass([part]), body_mass([partner]), Y, tolerances)
    name = part.link.name
    for gap in gaps:
        names: Texts = (name,)
        # The sentence about a mass has both values, those about a center and a tensor have the size.
        if isinstance(gap.a, float) and isinstance(gap.b, float):
            names = (name, *told_apart(gap.a, gap.b, DIGITS_OF_MASS))
        yield Difference(
            kind=gap.kind,
            where=name,
            size=gap.size,
            unit=gap.unit,
            a=gap.a,
            b=gap.b,
            names=names,
            numbers=(gap.size,),
            line_a=_line_of_mass(part.link),
            line_b=_line_of_mass(partner.link),
        )


def _line_of_mass(link: RawLink) -> int:
    """Return the line of the mass of a link, or of the link if it has no mass."""
    return link.mass.line if link.mass is not None else link.line


class MassDifference(Record):
    """A difference of two masses: mass, center, tensor, or tensor_turned, and both values."""

    kind: str
    size: float
    unit: str
    a: Shown
    b: Shown


def differing(
    a: Optional[BodyMass], b: Optional[BodyMass], Y: Transform, tolerances: Tolerances
) -> List[MassDifference]:
    """Return the gaps above the tolerances between A's mass, moved by Y, and B's; None is a body without mass.

    A tensor that is only scaled with its mass is not a gap.
    """
    first = moved_mass(Y, a or NO_MASS)
    second = b or NO_MASS
    apart = mass_gaps(first, second)
    tensor_gap = apart.tensor
    gaps = []
    if apart.mass > tolerances.mass:
        size = abs(first.mass - second.mass)
        gaps.append(MassDifference(kind="mass", size=size, unit="kg", a=first.mass, b=second.mass))
        # Without a mass on one side, center and tensor are not compared.
        if min(first.mass, second.mass) <= 0.0:
            return gaps
        # A body that differs only in density is reported by its mass alone.
        factor = second.mass / first.mass
        x, y, z = (scale(factor, row) for row in first.tensor)
        gap_of_scaled = direction_gap((x, y, z), second.tensor, FLOOR * second.mass)
        tensor_gap = min(tensor_gap, gap_of_scaled)
    if apart.center > tolerances.center:
        gaps.append(
            MassDifference(
                kind="center", size=apart.center, unit="m", a=first.center, b=second.center
            )
        )
    if tensor_gap > tolerances.tensor:
        has_same_moments = _same_moments(first.tensor, second.tensor, tolerances.tensor)
        # Rounding turns axes, too: only a visible turn comes from a rotation that one file lacks.
        kind = "tensor_turned" if has_same_moments and tensor_gap > LOST_TURN else "tensor"
        gaps.append(
            MassDifference(
                kind=kind,
                size=tensor_gap,
                unit="",
                a=entries_of(first.tensor),
                b=entries_of(second.tensor),
            )
        )
    return gaps


def _odd_link(
    body: Body, other: Body, Y: Transform, tolerances: Tolerances
) -> Optional[Tuple[BodyLink, BodyLink]]:
    """Return the only link in which two bodies with equal links differ, None if several differ."""
    partners = {part.link.name: part for part in other.parts}
    # The links of a body must be the same, else their masses may have been merged differently.
    if len(body.parts) < 2 or {part.link.name for part in body.parts} != set(partners):
        return None
    odd = [
        (part, partners[part.link.name])
        for part in body.parts
        if differing(body_mass([part]), body_mass([partners[part.link.name]]), Y, tolerances)
    ]
    return odd[0] if len(odd) == 1 else None


def _same_moments(a: Matrix, b: Matrix, tolerance: float) -> bool:
    """Return True if two tensors have the same principal moments, the small moments too."""
    first, second = principal(a)[0], principal(b)[0]
    return all(abs(p - q) <= tolerance * max(abs(p), abs(q)) for p, q in zip(first, second))


USUAL: Vector = (0.0, 0.0, -9.81)  # m/s^2: the default gravity of MuJoCo and Gazebo


def world_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of the base, of gravity, of bodies without gravity, of disabled pairs, and of named states."""
    if settings.compares("base"):
        yield from _base_difference(robots)
    if settings.compares("world_gravity"):
        yield from _gravity_difference(robots, settings)
    if settings.compares("apart"):
        yield from _apart_differences(robots, settings)
    if settings.compares("keys"):
        yield from _key_differences(
            robots.a.raw.keys if settings.complete else _mapped_keys(robots),
            robots.b.raw.keys,
            settings,
        )
    # A complete copy repeats each value in its place.
    are_lumped = not settings.complete and _are_lumped(robots.a.raw, robots.b.raw)
    for a, b in robots.bodies.items():
        links = _links_of(robots.a.bodies[a], are_lumped=are_lumped)
        others = _links_of(robots.b.bodies[b], are_lumped=are_lumped)
        for pair in _compared_links(links, others, settings, are_lumped=are_lumped):
            yield from _link_values(pair, settings)


def _link_values(pair: ComparedLinks, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the values that differ between two links, or between two bodies compared as links."""
    a = pair.a
    b = pair.b
    for name, value, other_value in differing_values(a.values, b.values, settings):
        # The values of a body are the values of all its links in one tuple. The difference names the first link that has
        # a number which the other side lacks, not the link that stands for the body.
        odd = [
            part.name
            for part in pair.parts
            if not {*part.values.get(name, _meant(name, settings))} <= {*other_value}
        ]
        where = odd[0] if odd else a.name
        yield value_difference("link_value", where, name, value, other_value, a.line, b.line)


def _base_difference(robots: RobotMap) -> Iterator[Difference]:
    """Yield a difference if the world holds the base in only one file, or only one file declares it.

    If only one of two URDFs has a link `world` above the robot, that robot is held, and the other falls. If both have
    one, their joints decide.
    """
    if robots.a.bodies[0].name == robots.b.bodies[0].name == "world":
        return
    a = robots.a.raw
    b = robots.b.raw
    # Beside another format a URDF without a link `world` leaves it open.
    otherwise = "free" if a.format == b.format == "urdf" else ""
    base_a = a.base or otherwise
    base_b = b.base or otherwise
    if base_a == base_b:
        return
    if base_a and base_b:
        yield Difference("base", "base", a=base_a, b=base_b, names=(base_a, base_b))
        return
    # The sentence names the open side, then the base of the other side.
    names = ("A", base_b, "B") if base_b else ("B", base_a, "A")
    yield Difference("base_open", "base", a=base_a, b=base_b, names=names)


def _gravity_difference(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield different gravity of the world; a gravity in only one file is noted unless it is the usual gravity.

    The tilt [rad] of a base that the world holds in both is noted, too, if no file states the gravity.
    """
    gravity_a = robots.a.raw.gravity
    gravity_b = robots.b.raw.gravity
    are_held = robots.a.raw.base == robots.b.raw.base == "fixed"
    is_unwritten = gravity_a is None and gravity_b is None
    if settings.complete and (gravity_a is None or gravity_b is None):
        return
    if is_unwritten and not are_held:  # a free base may fall in any pose
        return

    # Gravity of A in the frame of B. A free base may lie in any pose, so there the usual gravity stands for it.
    a_in_b = USUAL
    if gravity_a or are_held:
        a_in_b = rotate(robots.base.rotation, gravity_a or USUAL)
    b_in_b = gravity_b or USUAL
    # The tolerance is relative, and gravity is about 10 m/s^2.
    if max(abs(p - q) for p, q in zip(a_in_b, b_in_b)) <= settings.tolerances.number * 10.0:
        return
    if is_unwritten:
        # The chord between two vectors of length g is 2 g sin(tilt / 2).
        tilt = 2.0 * asin(min(1.0, dist(a_in_b, USUAL) / (2.0 * abs(USUAL[2]))))
        yield Difference(
            kind="base_tilt", where="base", size=tilt, unit="rad", a=None, b=None, numbers=(tilt,)
        )
        return
    text_a, text_b = values_told_apart(a_in_b, b_in_b)
    names = (text_a if gravity_a else "not said", text_b if gravity_b else "not said")
    kind = "gravity" if gravity_a and gravity_b else "gravity_open"
    yield Difference(
        kind=kind, where="world", size=0.0, unit="m/s^2", a=a_in_b, b=gravity_b, names=names
    )


def _apart_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield pairs that never collide in only one file: of links in a complete copy, else of bodies."""
    # Both sides are named by the bodies of B, so B's bodies map to themselves.
    bodies_of_a = robots.bodies
    bodies_of_b = {body: body for body in robots.bodies.values()}
    # A complete copy has the same links, which may be parts of one body: there they are named by themselves.
    if settings.complete:
        bodies_of_a = {}
        bodies_of_b = {}
    pairs_a = _of_bodies(robots.a, bodies_of_a)
    pairs_b = _of_bodies(robots.b, bodies_of_b)
    for kind, pairs, others in (
        ("apart_only_a", pairs_a, pairs_b),
        ("apart_only_b", pairs_b, pairs_a),
    ):
        for pair in sorted(sorted(pairs[key]) for key in pairs.keys() - others.keys()):
            yield Difference(kind, pair[0], names=tuple(pair))


def _of_bodies(
    robot: CanonicalRobot, bodies: Mapping[int, int]
) -> Dict[FrozenSet[object], Tuple[str, str]]:
    """Return pairs of links that never collide by the bodies of B that they are on (`bodies`: B's by the robot's).

    A link on a body that is not in `bodies` counts by its name. A body does not collide with itself.
    """
    pairs: Dict[FrozenSet[object], Tuple[str, str]] = {}
    for pair in robot.raw.apart:
        sides = frozenset(bodies.get(robot.body_of.get(link, -1), link) for link in pair)
        if len(sides) == 2:
            pairs[sides] = pair
    return pairs


def _is_lumped(robot: RawRobot) -> bool:
    """Return True if each link has the values that apply to it: in a URDF as it was read."""
    is_known = all(link.lumped_values is not None or not link.values for link in robot.links)
    return robot.format == "urdf" and is_known


def _are_lumped(a: RawRobot, b: RawRobot) -> bool:
    """Return True if each link of two files has the values that Gazebo reads for it; it joins no links of an SDF."""
    sides = [robot for robot in (a, b) if robot.format != "sdf"]
    return bool(sides) and all(map(_is_lumped, sides))


def _links_of(body: Body, *, are_lumped: bool) -> List[RawLink]:
    """Return the links of a body; lumped links have the values of the links lumped into them.

    Gazebo reads the values of one link for all links that fixed joints connect to it.
    """
    links = [part.link for part in body.parts]
    if not are_lumped:
        return links
    return [
        link
        if link.lumped_values is None or is_empty(link)
        else link._replace(values=link.lumped_values)
        for link in links
    ]


def _compared_links(
    links: Sequence[RawLink],
    others: Sequence[RawLink],
    settings: ComparisonSettings,
    *,
    are_lumped: bool,
) -> Iterator[ComparedLinks]:
    """Yield the links of two bodies whose values are compared: by name, or as a whole if some were renamed or merged."""
    partners = {link.name: link for link in others}
    # A mere frame has no mass, so it does not matter whether it falls.
    parts = [link for link in links if not is_empty(link)]
    other_parts = [link for link in others if not is_empty(link)]
    are_alike = {link.name for link in links} == partners.keys()
    if are_lumped:
        # A link that gave its content to another link may still have its name.
        are_alike = {link.name for link in parts} == {link.name for link in other_parts}
    if settings.complete or are_alike:
        for link in links:
            if link.name in partners:
                yield ComparedLinks(link, partners[link.name], (link,))
        return
    yield ComparedLinks(
        links[0]._replace(values=_values_of_all(parts, settings)),
        others[0]._replace(values=_values_of_all(other_parts, settings)),
        parts,
    )


def _meant(name: str, settings: ComparisonSettings) -> Reals:
    """Return the default of a value that a link does not set, in the formats of both files."""
    # Formats that have the same value have the same default, and values of one format alone are not compared.
    return settings.meant[0].get(name, (0.0,))


def _values_of_all(links: Sequence[RawLink], settings: ComparisonSettings) -> Mapping[str, Reals]:
    """Return the values of a body: each value that a link of it has, in order, including defaults of other links."""
    values: Dict[str, Reals] = {}
    for name in set(chain.from_iterable(link.values for link in links)):
        users = [link for link in links if _uses(link, name)]
        several = {tuple(link.values.get(name, _meant(name, settings))) for link in users}
        values[name] = tuple(chain.from_iterable(sorted(several)))
    return values


def _uses(link: RawLink, name: str) -> bool:
    """Return True if a link has the part that a value applies to: self collision needs a collision, all others a mass."""
    if default_of(name)[0] == CONTACT:
        return any(shape.role == "collision" for shape in link.shapes)
    return link.mass is not None and link.mass.mass > 0.0


def _mapped_keys(robots: RobotMap) -> Mapping[str, RawNamedState]:
    """Return the named states of A with the positions of B's joints."""
    rules = {pair.a.raw.name: pair for pair in robots.pairs}

    def mapped(name: str, position: float) -> Tuple[str, float]:
        """Return the name and position of B's joint; both unchanged for a joint without a partner."""
        pair = rules.get(name)
        if pair is None:
            return name, position
        joint = pair.b.raw
        return joint.name, pair.choice.sign * position + pair.offset

    return {
        name: key._replace(positions=dict(mapped(*item) for item in key.positions.items()))
        for name, key in robots.a.raw.keys.items()
    }


def _with_lines(name: str, *keys: RawNamedState) -> str:
    """Return the name of a state with its lines, if they are known."""
    lines = [str(key.line) for key in keys if key.line]
    return f"{name} (line {' / '.join(lines)})" if lines else name


def _key_differences(
    first: Mapping[str, RawNamedState],
    second: Mapping[str, RawNamedState],
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield named states that only one copy has, or whose values for a joint, a body or an actuator differ."""
    for side, keys, known in (("a", first, second), ("b", second, first)):
        for name in sorted(keys.keys() - known.keys()):
            called = _with_lines(name, keys[name])
            yield one_sided(f"key_only_{side}", name, side, keys[name].line, (called,))
    for name, key in first.items():
        if name in second:
            yield from _values_of_key(name, key, second[name], settings)
            yield from _places_of_key(name, key, second[name], settings)


def _values_of_key(
    name: str, key: RawNamedState, other: RawNamedState, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the joints and actuators for which two states of one name have different values."""
    called = _with_lines(name, key, other)
    for values, others in ((key.positions, other.positions), (key.controls, other.controls)):
        for part in sorted(values.keys() | others.keys()):
            # What a state does not name is at 0.
            a = values.get(part, 0.0)
            b = others.get(part, 0.0)
            # Relative to 1: near 0 the tolerance is one of rad, m or N.
            if scaled_gap(a, b, 1.0) <= settings.tolerances.number:
                continue
            gap = abs(a - b)
            yield Difference(
                kind="key",
                where=part,
                size=gap,
                a=a,
                b=b,
                names=(called, part, *told_apart(a, b)),
                numbers=(gap,),
                line_a=key.line,
                line_b=other.line,
            )


def _places_of_key(
    name: str, key: RawNamedState, other: RawNamedState, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the free bodies that two states of one name put in different places."""
    called = _with_lines(name, key, other)
    for part in sorted(key.places.keys() | other.places.keys()):
        T = key.places.get(part, IDENTITY_POSE)
        other_T = other.places.get(part, IDENTITY_POSE)
        off, angle = poses_apart(T, other_T)
        if off > settings.tolerances.length or angle > settings.tolerances.angle:
            yield Difference(
                kind="key_place",
                where=part,
                size=off,
                unit="m",
                names=(called, part),
                numbers=(off, angle),
                line_a=key.line,
                line_b=other.line,
            )
