"""Rules for masses: what no mass inside the shapes of its link can be.

For mass anywhere between two planes a <= n.x <= b with its center at c, the second moment about the center along n is
at most (b - c)(c - a): (b - x)(x - a) >= 0 holds for each particle, and its mean is (b - c)(c - a) - var (Bhatia and
Davis 2000). The second moments are Sigma = (trace(I)/2 1 - I)/m. So an n with n.Sigma n > (b - c)(c - a) proves that no
mass in there has this tensor.
"""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import format_number
from ..model.inertia import principal
from ..urdf.model import Edit, INERTIA_KEYS, Inertial, Link, NO_MASS
from ..urdf.spatial import (dot, MassProperties, Matrix, rotate, transpose, UNIT_AXES, Vector,
                            why_not_physical)
from .kinds import CENTER_OUTSIDE, INERTIA_OUTSIDE, INERTIA_UNIT, MESH_SCALE, TOO_DENSE
from .records import Finding, Subject
from .supports import interval, Support, supports_of

OSMIUM = 22590.0  # [kg/m^3] the densest material, CRC Handbook of Chemistry and Physics
BEYOND = 4.0  # times the bound: the mass would be twice as far out as the shapes reach
BESIDE = 0.25  # of the extent: how far outside a center may be, as drawn shapes leave out screws and cables
PLAUSIBLE = (0.03, 1.0)  # of the bound: what solids and shells have, from a core of a fifth of the size on
POWERS = (1e3, 1e4, 1e6, 1e7, 1e9)  # between kg m^2 and g m^2, kg cm^2, kg mm^2, g cm^2, g mm^2
SCALES = (1000.0, 0.001, 100.0, 0.01)
SAME = 0.05  # of a size: a visual and its simplified collision


class Excess(NamedTuple):
    """A direction in which the mass of a link is too far out: its second moment and the most that is possible [m^2]."""

    direction: Vector
    moment: float
    most: float


def mass_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the masses that contradict the shapes of their links, and shapes that contradict each other."""
    for link in subject.robot.links.values():
        supports = supports_of(link, subject.meshes)
        if supports is None:
            continue
        yield from _scales(link, supports)
        inertial = link.inertial
        if inertial is None or inertial.properties.mass < NO_MASS:
            continue
        properties = inertial.properties
        yield from _density(link, inertial, supports)
        outside = _outside(properties, supports)
        if outside:
            yield Finding(Diagnostic(CENTER_OUTSIDE, inertial.source.line, "link", (link.name,), outside))
        elif not why_not_physical(properties.mass, properties.inertia):
            yield from _moments(link, inertial, supports)


def second_moments(properties: MassProperties) -> Matrix:
    """Return Sigma = (trace(I)/2 1 - I)/m about the center of mass [m^2]."""
    inertia, mass = properties.inertia, properties.mass
    half = 0.5 * math.fsum((inertia[0][0], inertia[1][1], inertia[2][2]))
    (a, b, c), (d, e, f), (g, h, i) = inertia
    return (((half - a) / mass, -b / mass, -c / mass), (-d / mass, (half - e) / mass, -f / mass),
            (-g / mass, -h / mass, (half - i) / mass))


def largest_excess(properties: MassProperties, supports: Sequence[Support]) -> Excess:
    """Return the direction in which the second moment is the most above its bound, of seven that are tried.

    They are the principal axes and those of the link. The bound holds in each; a center outside counts as inside.
    """
    sigma = second_moments(properties)
    found = []
    for n in (*transpose(principal(sigma)[1]), *UNIT_AXES):
        low, high = interval(supports, n)
        center = min(max(dot(n, properties.center), low), high)
        found.append(Excess(n, dot(n, rotate(sigma, n)), (high - center) * (center - low)))
    return max(found, key=lambda one: one.moment / max(one.most, 1e-18))


def _outside(properties: MassProperties, supports: Sequence[Support]) -> Optional[Tuple[float, ...]]:
    """Return how far the center of mass is outside all shapes, and how far these extend there [mm], or None."""
    worst: Optional[Tuple[float, ...]] = None
    for n in UNIT_AXES:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        beyond = max(low - center, center - high)
        if beyond > BESIDE * max(_sides(supports)) and (worst is None or 1000.0 * beyond > worst[0]):
            worst = (1000.0 * beyond, 1000.0 * (high - low))
    return worst


def _sides(supports: Sequence[Support]) -> List[float]:
    """Return how wide all shapes are together along each axis of the link [m]."""
    return [high - low for low, high in (interval(supports, n) for n in UNIT_AXES)]


def _moments(link: Link, inertial: Inertial, supports: Sequence[Support]) -> Iterator[Finding]:
    excess = largest_excess(inertial.properties, supports)
    ratio = excess.moment / max(excess.most, 1e-18)
    if ratio <= BEYOND:
        return
    reach = (1000.0 * math.sqrt(excess.moment), 1000.0 * math.sqrt(excess.most))
    powers = [power for power in POWERS if PLAUSIBLE[0] <= ratio / power <= PLAUSIBLE[1]]
    if not powers:
        yield Finding(Diagnostic(INERTIA_OUTSIDE, inertial.source.line, "link", (link.name,), (*reach, ratio)))
        return
    element = inertial.source.find("inertia")
    edits: List[Edit] = []
    if len(powers) == 1 and element is not None:
        for key in INERTIA_KEYS:
            text = element.get(key)
            if text is not None and float(text):
                edits.append(Edit(element, key, format_number(float(text) / powers[0])))
    yield Finding(Diagnostic(INERTIA_UNIT, inertial.source.line, "link", (link.name,), (*reach, powers[0])),
                  tuple(edits))


def _density(link: Link, inertial: Inertial, supports: Sequence[Support]) -> Iterator[Finding]:
    """Yield a mass that is heavier than osmium in the box around all shapes."""
    sides = _sides(supports)
    volume = sides[0] * sides[1] * sides[2]
    if min(sides) > 1e-4 and inertial.properties.mass > OSMIUM * volume:
        yield Finding(Diagnostic(TOO_DENSE, inertial.source.line, "link", (link.name,), (
            inertial.properties.mass, 1e6 * volume, inertial.properties.mass / volume)))


def _scales(link: Link, supports: Sequence[Support]) -> Iterator[Finding]:
    """Yield a mesh that is a power of ten larger or smaller than the other shapes of its link."""
    kinds: Dict[str, List[Support]] = {}
    for one in supports:
        kinds.setdefault(one.shape.kind, []).append(one)
    if len(kinds) < 2:
        return
    drawn, solid = (_sides(kinds[kind]) for kind in ("visual", "collision"))
    if min(*drawn, *solid) <= 0.0:
        return
    ratios = [b / a for a, b in zip(drawn, solid)]
    for factor in SCALES:
        if all(abs(ratio / factor - 1.0) < SAME for ratio in ratios):
            yield Finding(Diagnostic(MESH_SCALE, kinds["collision"][0].shape.source.line, "link", (link.name,), (
                1000.0 * max(drawn), 1000.0 * max(solid))))


