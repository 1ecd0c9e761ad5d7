"""Differences of mass, center and inertia tensor of paired bodies, and the link that causes them."""
from typing import Iterator, List, NamedTuple, Optional, Tuple

from ..robot.principal_axes import principal
from ..urdf.spatial import IDENTITY_POSE, Matrix, Pose, ZERO
from .canonical import Body, body_mass, BodyMass, NO_TENSOR, Part
from .differences import Difference, Settings, Shown, Tolerances
from .masses import direction_gap, FLOOR, mass_gaps, moved_mass
from .robot_map import RobotMap

NO_MASS = BodyMass(0.0, ZERO, NO_TENSOR)


def mass_differences(robots: RobotMap, settings: Settings) -> Iterator[Difference]:
    """Yield differences of mass; a file without a mass on any moving body is a single one."""
    moving = [(a, b) for a, b in robots.bodies.items() if a or _root_counts(robots)]
    bare_a, bare_b = (not any(_weighs(robot.bodies[body]) for body in bodies) for robot, bodies in (
        (robots.a, [a for a, _ in moving]), (robots.b, [b for _, b in moving])))
    if bare_a != bare_b:
        yield Difference("no_masses", "a" if bare_a else "b", names=("A" if bare_a else "B",))
        return
    for a, b in moving:
        yield from _of_body(robots, a, b, settings.tolerances)
    if not settings.complete and not _root_counts(robots) and any(_of_body(robots, 0, 0, settings.tolerances)):
        part, partner = robots.a.bodies[0].parts[0].link, robots.b.bodies[0].parts[0].link
        yield Difference("mass_held", part.name, names=(part.name,), line_a=part.line, line_b=partner.line)


def _root_counts(robots: RobotMap) -> bool:
    """Return True if the root may move, for the mass of a held base does nothing, or both files are URDFs."""
    return all(robot.raw.base != "fixed" or robot.raw.format == "urdf" for robot in (robots.a, robots.b))


def _weighs(body: Body) -> bool:
    return body.mass is not None and body.mass.mass > 0.0


def _of_body(robots: RobotMap, a: int, b: int, tolerances: Tolerances) -> Iterator[Difference]:
    """Yield what differs in a pair of bodies: by link, if all links but one agree."""
    body, other, Y = robots.a.bodies[a], robots.b.bodies[b], robots.Y[a]
    if Y is IDENTITY_POSE and body.mass == other.mass:
        return
    gaps = differing(body.mass, other.mass, Y, tolerances)
    if not gaps:
        return
    odd = _odd_link(body, other, Y, tolerances)
    part, partner = odd or (body.parts[0], other.parts[0])
    if odd:
        gaps = differing(body_mass([part]), body_mass([partner]), Y, tolerances)
    line_a, line_b = (link.mass.line if link.mass is not None else link.line for link in (part.link, partner.link))
    for gap in gaps:
        numbers = (gap.a, gap.b) if isinstance(gap.a, float) and isinstance(gap.b, float) else (gap.size,)
        yield Difference(gap.kind, part.link.name, gap.size, gap.unit, gap.a, gap.b, (part.link.name,), numbers,
                         line_a, line_b)


class MassGap(NamedTuple):
    """What differs between two masses: mass, center, tensor, or tensor_turned, and both values."""

    kind: str
    size: float
    unit: str
    a: Shown
    b: Shown


def differing(a: Optional[BodyMass], b: Optional[BodyMass], Y: Pose, tolerances: Tolerances) -> List[MassGap]:
    """Return the gaps above the tolerances; a tensor that is only scaled with its mass is not one."""
    first, second = moved_mass(Y, a or NO_MASS), b or NO_MASS
    mass, center, tensor = mass_gaps(first, second)
    gaps = []
    if mass > tolerances.mass:
        gaps.append(MassGap("mass", abs(first.mass - second.mass), "kg", first.mass, second.mass))
        if min(first.mass, second.mass) <= 0.0:
            return gaps
        scale = second.mass / first.mass
        (p, q, r), (_, s, t), (_, _, u) = first.tensor
        p, q, r, s, t, u = scale * p, scale * q, scale * r, scale * s, scale * t, scale * u
        tensor = min(tensor, direction_gap(((p, q, r), (q, s, t), (r, t, u)), second.tensor, FLOOR * second.mass))
    if center > tolerances.center:
        gaps.append(MassGap("center", center, "m", first.center, second.center))
    if tensor > tolerances.tensor:
        kind = "tensor_turned" if _same_moments(first.tensor, second.tensor, tolerances.tensor) else "tensor"
        gaps.append(MassGap(kind, tensor, "", _entries(first.tensor), _entries(second.tensor)))
    return gaps


def _entries(tensor: Matrix) -> Tuple[float, ...]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return (xx, xy, xz, yy, yz, zz)


def _odd_link(body: Body, other: Body, Y: Pose, tolerances: Tolerances) -> Optional[Tuple[Part, Part]]:
    """Return the only link in which two bodies with equal links differ, None if several do."""
    partners = {part.link.name: part for part in other.parts}
    if len(body.parts) < 2 or {part.link.name for part in body.parts} != set(partners):
        return None
    odd = [(part, partners[part.link.name]) for part in body.parts if differing(
        body_mass([part]), body_mass([partners[part.link.name]]), Y, tolerances)]
    return odd[0] if len(odd) == 1 else None


def _same_moments(a: Matrix, b: Matrix, tolerance: float) -> bool:
    """Return True if two tensors have the same principal moments, the small ones too."""
    first, second = principal(a)[0], principal(b)[0]
    return all(abs(p - q) <= tolerance * max(abs(p), abs(q)) for p, q in zip(first, second))
